//! Standing orders, and how they answer attacks (`protocol/ndc.md` 10, 18).

use super::{
    hand::Order,
    hexes::{Int, Name},
    input::{Chemical, Combat, Defended},
    own::Own,
};
use crate::resolve::hidden::Stop;

/// The maximum number of orders for a unit.
const ORDERS: usize = 16;

impl Own<'_> {
    /// Reads the standing orders, and the units that halt (18). An order that is not allowed counts as an empty one.
    pub(super) fn orders(&mut self) -> Result<(), Stop> {
        let given = self.sheet.orders();
        self.hand.orders.clear();
        for (item, name, orders) in given {
            let Some(unit) = self.hand.find(&name) else {
                self.sheet.refuse(&item, "this unit does not exist or is gone: name one of your units");
                continue;
            };
            if orders.len() > ORDERS {
                self.sheet.refuse(&item, format_args!("only the first {ORDERS} orders count: remove the others"));
            }
            let mut allowed = Vec::new();
            for (i, order) in orders.into_iter().take(ORDERS).enumerate() {
                let wrong = order.as_ref().map_or(Ok(None), |order| self.forbids(unit, order))?;
                if let Some(why) = &wrong {
                    self.sheet.refuse(&format!("{item} {}", i + 1), why);
                }
                allowed.push(order.filter(|_| wrong.is_none()));
            }
            if allowed.iter().any(Option::is_some) {
                self.hand.orders.insert(name, allowed.into_iter().map(Option::unwrap_or_default).collect());
            }
        }
        self.hand.halting = self.living("halt");
        Ok(())
    }

    /// Why an order is not allowed, or `None` if it is.
    fn forbids(&self, unit: usize, order: &Order) -> Result<Option<String>, Stop> {
        let settings = &self.game.settings;
        let Some(unit) = self.hand.units.get(unit) else { return Ok(None) };
        let Order { chemical, commander, ew_attacks, fpf, retreat, subordinates, terrain, .. } = order;
        let once = || retreat.iter().enumerate().all(|(i, hex)| !retreat.iter().take(i).any(|one| one == hex));
        let joined = || retreat.windows(2).all(|pair| matches!(pair, [a, b] if settings.beside(*a, *b)));
        let starts = || retreat.first().is_none_or(|first| first.is_beside_any(&unit.hexes, settings.low_columns));
        let uses = |name: &Name| self.hand.command.contains(name);
        if ew_attacks.0 as u64 > settings.ew {
            let most = settings.ew;
            return Ok(Some(format!("ew_attacks is {}, but the terms allow {most}: lower it", ew_attacks.0)));
        }
        let why = match () {
            () if *chemical != Chemical::None && fpf.0 == 0 => {
                "chemicals need final protective fire: set fpf above 0, or chemical to \"none\""
            }
            () if retreat.len() > 9 || !(once() && joined() && starts()) => {
                "retreat must have at most 9 different hexes, beginning next to the unit, each next to the one before"
            }
            () if commander.as_ref().is_some_and(|commander| !uses(&commander.unit)) => {
                "the commander must be listed under command in this sheet"
            }
            () => {
                if let Some(why) = self.hand.misled(unit, commander.as_ref(), subordinates) {
                    return Ok(Some(why));
                }
                return Ok(self.terrain(terrain, |_| 0)?.err());
            }
        };
        Ok(Some(why.into()))
    }

    /// The defender against each attack and the order that answers it, as units are placed when the move arrives.
    pub(super) fn defences(&self) -> Vec<Option<(usize, Order)>> {
        let mut count = vec![0_usize; self.hand.units.len()];
        let mut answer = |combat: &Combat| {
            let Combat::Attack(attack) = combat else { return None };
            let place = self.hand.on(attack.target)?;
            let n = count.get_mut(place)?;
            *n += 1;
            let orders = self.hand.units.get(place).and_then(|unit| self.hand.orders.get(&unit.name));
            let order = orders.and_then(|orders| orders.get(*n - 1)).cloned();
            Some((place, order.unwrap_or_default()))
        };
        self.before.combats.iter().map(&mut answer).collect()
    }

    /// How the author answers attacks before knowing their dice (10).
    pub(super) fn defend(&mut self) -> Vec<Option<Defended>> {
        let mut left = self.support_left();
        let mut all = Vec::new();
        let before = self.before;
        for (j, (combat, defence)) in (1..).zip(before.combats.iter().zip(self.defences())) {
            let Combat::Attack(attack) = combat else {
                all.push(None);
                continue;
            };
            let order = defence.map(|(_, order)| order).unwrap_or_default();
            let met = meets(&order, &mut left);
            self.say(format!(
                "combat {j} on {}: final protective fire {} ({} ordered), EW attacks {}",
                attack.target, met.fpf.0, order.fpf.0, order.ew_attacks.0
            ));
            all.push(Some(met));
        }
        all
    }

    /// Points left for barrage and final protective fire.
    pub(super) fn support_left(&self) -> i64 {
        left(self.hand.fire(), self.before.spent_of(&self.me).support)
    }

    /// Points left for counter-battery and interdiction.
    pub(super) fn fire_left(&self) -> i64 {
        left(self.hand.fire(), self.before.spent_of(&self.me).fire)
    }
}

fn left(points: i64, spent: u64) -> i64 {
    points.saturating_sub(i64::try_from(spent).unwrap_or(i64::MAX)).max(0)
}

/// The public part of an order, with no more fire than is left.
pub(super) fn meets(order: &Order, left: &mut i64) -> Defended {
    let fpf = order.fpf.0.min(*left);
    *left -= fpf;
    let chemical = if fpf == 0 { Chemical::None } else { order.chemical };
    Defended { chemical, fpf: Int(fpf) }
}
