//! How a report changes the mover's hand, and how the end of the opponent's player turn changes any hand
//! (`protocol/ndc.md` 24, 25).

use super::{
    hand::Hand,
    input::{Adds, Combat, Comes, Halt, Input, Reported},
    own::Memory,
    state::State,
};

/// Applies a declaration by the opponent to the hand.
pub(super) fn take(hand: &mut Hand, memory: &Memory, before: &State, input: &Input) {
    match &input.adds {
        Adds::Move(moved) if moved.ends() => hand.units.iter_mut().for_each(|unit| unit.ew = 0),
        Adds::Report { combats, halts } => {
            for halt in halts {
                halted(hand, memory, halt);
            }
            let resolved = before.combats.iter().zip(combats).zip(&memory.attackers);
            for ((combat, reported), attacker) in resolved {
                let unit = attacker.and_then(|place| hand.units.get_mut(place));
                if let (Combat::Attack(attack), Reported::Attack(resolved), Some(unit)) = (combat, reported, unit) {
                    if resolved.result == Comes::Cancelled {
                        continue;
                    }
                    unit.ew = resolved.ew_level.0;
                    if let Some(back) = resolved.retreat {
                        unit.hexes = vec![back];
                    }
                    if resolved.advance {
                        unit.hexes = vec![attack.target];
                    }
                    unit.loses(resolved.attacker_loss.0);
                }
            }
        }
        _ => {}
    }
}

/// Halts a unit on its path.
fn halted(hand: &mut Hand, memory: &Memory, halt: &Halt) {
    let number = halt.contact.number();
    let moved = memory.moves.iter().find_map(|(place, path, cost)| {
        let unit = hand.units.get(*place).filter(|unit| unit.contacts.first() == Some(&number))?;
        let at = path.iter().position(|hex| *hex == halt.hex)?;
        Some((*place, unit.spent - cost.iter().skip(at + 1).sum::<i64>()))
    });
    let Some((place, spent)) = moved else { return };
    let attacks = memory.attackers.contains(&Some(place));
    if let Some(unit) = hand.units.get_mut(place) {
        unit.spent = spent;
        unit.hexes = vec![halt.hex];
        (unit.halted, unit.finished) = (true, true);
        unit.attacks -= i64::from(attacks);
    }
}
