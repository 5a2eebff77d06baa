//! Standing orders, and how attacks are met by them (`protocol/ndc.md` 10, 18).

use super::{
    hand::{Commander, Order},
    hexes::{Int, Name},
    input::{Chemical, Combat, Defended},
    own::Own,
};

impl Own<'_> {
    /// Standing orders, and who halts (18).
    pub(super) fn orders(&mut self) {
        let given = self.sheet.by_name::<Vec<Order>>("orders");
        self.hand.orders.clear();
        for (item, name, orders) in given {
            match self.forbids(&name, &orders) {
                Some(why) => self.sheet.refuse(&item, why),
                None => drop(self.hand.orders.insert(name, orders)),
            }
        }
        self.hand.halting = self.living("halt");
    }

    pub(super) fn forbids(&self, name: &Name, orders: &[Order]) -> Option<&'static str> {
        let Some(unit) = self.hand.find(name) else { return Some("there is no such unit, or it is gone") };
        let settings = &self.game.settings;
        let leads = |commander: &Commander| {
            let place = self.hand.find(&commander.unit).filter(|place| *place != unit);
            place.and_then(|place| self.hand.units.get(place)).is_some_and(|unit| unit.commander.is_some())
        };
        let joined = |order: &Order| {
            let once =
                || order.retreat.iter().enumerate().all(|(i, hex)| !order.retreat.iter().take(i).any(|one| one == hex));
            let beside = order.retreat.windows(2).all(|pair| matches!(pair, [a, b] if settings.beside(*a, *b)));
            order.retreat.len() <= 9 && once() && beside
        };
        let all = |holds: &dyn Fn(&Order) -> bool| orders.iter().all(holds);
        match () {
            () if orders.len() > 16 => Some("at most 16 orders for a unit"),
            () if !all(&|order| order.ew_attacks.0 as u64 <= settings.ew) => {
                Some("more EW attacks than the charter allows")
            }
            () if !all(&|order| order.chemical == Chemical::None || order.fpf.0 > 0) => {
                Some("chemicals are of protective fire: fpf is not 0")
            }
            () if !all(&|order| order.commander.as_ref().is_none_or(leads)) => {
                Some("the commander is another unit, with a rating")
            }
            () if !all(&joined) => {
                Some("a retreat has at most 9 hexes, each a neighbour of the one before, none twice")
            }
            () => None,
        }
    }

    /// How the author meets attacks, before he knows what they do (10).
    pub(super) fn defend(&mut self) -> Vec<Option<Defended>> {
        let mut left = self.support_left();
        let mut count = vec![0_usize; self.hand.units.len()];
        let mut all = Vec::new();
        for (i, combat) in self.before.combats.iter().enumerate() {
            let Combat::Attack(attack) = combat else {
                all.push(None);
                continue;
            };
            let order = self.hand.on(attack.target).map(|unit| self.answer(unit, &mut count));
            let met = meets(order.unwrap_or_default(), &mut left);
            self.steps.push(format!(
                "combat {}: final protective fire {}, EW attacks {}",
                i + 1,
                met.fpf.0,
                met.ew_attacks.0
            ));
            all.push(Some(met));
        }
        all
    }

    /// The order that answers the next attack on a unit.
    pub(super) fn answer(&self, unit: usize, count: &mut [usize]) -> Order {
        let Some(n) = count.get_mut(unit) else { return Order::default() };
        *n += 1;
        let orders = self.hand.units.get(unit).and_then(|unit| self.hand.orders.get(&unit.name));
        orders.and_then(|orders| orders.get(*n - 1)).cloned().unwrap_or_default()
    }

    /// Points that are left for barrage and protective fire.
    pub(super) fn support_left(&self) -> i64 {
        self.hand
            .fire()
            .saturating_sub(i64::try_from(self.before.spent_of(&self.me).support).unwrap_or(i64::MAX))
            .max(0)
    }
}

/// What an order says openly, with no more fire than is left.
pub(super) fn meets(order: Order, left: &mut i64) -> Defended {
    let fpf = order.fpf.0.min(*left);
    *left -= fpf;
    let chemical = if fpf == 0 { Chemical::None } else { order.chemical };
    Defended { chemical, ew_attacks: order.ew_attacks, fpf: Int(fpf) }
}
