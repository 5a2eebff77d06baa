//! Orders and a proposed battle in words.

use super::{
    forces::{Id, Unit},
    orders::{Note, Onward, Order, Orders},
    place::{Location, Side},
    settings::Settings,
    state::{Proposal, State},
};

/// Lists a side's orders, unit by unit, and where excess hits go. A unit without an order holds (5).
pub(super) fn orders(settings: &Settings, state: &State, side: Side, note: &Note) -> Vec<String> {
    let orders = Orders::of(settings, state, side, Some(note));
    let living = state.units.of(side).iter().zip(&orders.of_units).filter(|(unit, _)| unit.lives());
    let of_units = living.map(|(Unit { at, id, kind, .. }, order)| {
        let what = match order {
            Order::Attack(to) | Order::Assault(to) | Order::Probe(to) => format!("{} {to}", order.name()),
            Order::Move(to) => format!("move to {to}"),
            Order::Hold if !note.is_about(id) => "hold, because it has no order".to_owned(),
            Order::DigIn | Order::Hold => order.name().to_owned(),
        };
        format!("{id} ({}, {at}): {what}", kind.as_str())
    });
    let excess = Location::ALL.into_iter().filter_map(|from| {
        Some(match orders.onward.of(from).as_ref()? {
            Onward::To(to) => format!("excess hits on {from}: to {to}"),
            Onward::Nowhere => format!("excess hits on {from}: lost"),
        })
    });
    of_units.chain(excess).collect()
}

/// Describes the battle that a player proposes: the season, the attacker, and every unit of both forces.
pub(super) fn proposal(state: &State) -> Vec<String> {
    let Some(Proposal { attacker, forces, season }) =
        state.pending.as_ref().and_then(|pending| pending.proposal.as_ref())
    else {
        return Vec::new();
    };
    let mut lines = vec![format!("the next battle: in {}, {attacker} attacks", season.name())];
    if *attacker != state.attacker {
        // The lists of a form stay where they are when the sides change places.
        for (side, gets) in [(Side::Attacker, &state.defender), (Side::Defender, &state.attacker)] {
            let theirs = |unit: &&Unit| state.units.of(side).iter().any(|other| other.id == unit.id);
            let taken: Vec<String> = forces.of(side).iter().filter(theirs).map(|unit| unit.id.to_string()).collect();
            if !taken.is_empty() {
                let from = if *gets == state.attacker { &state.defender } else { &state.attacker };
                lines.push(format!("WARNING: {gets} gets units that were {from}'s: {}", taken.join(", ")));
            }
        }
    }
    let defender = if *attacker == state.attacker { &state.defender } else { &state.attacker };
    for (side, whose) in [(Side::Attacker, attacker), (Side::Defender, defender)] {
        let now = |id: &Id| Side::BOTH.into_iter().flat_map(|side| state.units.of(side)).find(|now| now.id == *id);
        lines.extend(forces.of(side).iter().map(|one| unit(whose.as_str(), one, now(&one.id))));
    }
    let is_left_out =
        |unit: &&Unit| !Side::BOTH.iter().any(|side| forces.of(*side).iter().any(|kept| kept.id == unit.id));
    for side in Side::BOTH {
        let left = state.units.of(side).iter().filter(|unit| unit.lives()).filter(is_left_out);
        lines.extend(left.map(|unit| format!("LEFT OUT: {}'s {}", state.role(side), unit.id)));
    }
    lines
}

/// Describes a decided battle by itself, as the letter that decides it says.
pub(super) fn decided(Proposal { attacker, forces, season }: &Proposal) -> Vec<String> {
    let of =
        |side: Side, whose: &str| forces.of(side).iter().map(|one| unit(whose, one, Some(one))).collect::<Vec<_>>();
    let first = format!("in {}, {attacker} attacks", season.name());
    [vec![first], of(Side::Attacker, "the attacker"), of(Side::Defender, "the defender")].concat()
}

/// Describes a unit of a proposed battle, and what differs from the unit as it is now: else nobody would see what an
/// opponent changes.
fn unit(whose: &str, unit: &Unit, now: Option<&Unit>) -> String {
    let Unit { at, attack, defense, effectiveness, id, kind, strength } = unit;
    let differs = |new: u64, old: fn(&Unit) -> u64| match now.map(old) {
        Some(old) if old != new => format!("{new} (now {old})"),
        _ => new.to_string(),
    };
    let was = match now {
        None => "NEW: ".to_owned(),
        Some(now) if now.kind != *kind => format!("CHANGED from {}: ", now.kind.as_str()),
        Some(_) => String::new(),
    };
    format!(
        "{was}{whose}'s {id} ({}, {at}): attack {}, defense {}, strength {}, Effectiveness {}",
        kind.as_str(),
        differs(*attack, |unit| unit.attack),
        differs(*defense, |unit| unit.defense),
        differs(*strength, |unit| unit.strength),
        differs(*effectiveness, |unit| unit.effectiveness)
    )
}
