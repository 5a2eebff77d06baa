//! What is said about orders that cannot be sealed anew: a player's are killed, and they have read the other's (seal
//! 4).

use super::View;
use crate::{
    blob::body::{SetKind, Slot},
    game::{
        charter::{By, Decision, Player},
        tasks::{self, Task},
    },
};

/// What there is to say, by where `game status` says it.
#[derive(Default)]
pub(super) struct Stuck {
    pub(super) notes: Vec<String>,
    pub(super) waits_for: Vec<String>,
}

impl View<'_, '_> {
    /// Where the two wait for the referee, because one of them may not order anew while the other's orders stand.
    pub(super) fn tell_stuck(&self) -> Stuck {
        let mut told = Stuck::default();
        if Player::BOTH.into_iter().any(|player| self.ledger.closed(player).0) {
            return told;
        }
        for slot in self.ledger.slots_to_order() {
            let phase = self.terms.slot(&slot).map(|(_, phase)| phase);
            let at_once = phase.into_iter().flat_map(|phase| &phase.decisions).filter(|own| own.by == By::Both);
            for decision in at_once {
                for player in Player::BOTH.into_iter().filter(|player| self.may_not_order(*player, &slot, decision)) {
                    self.tell_stuck_at(player, &slot, decision, &mut told);
                }
            }
        }
        told
    }

    /// Whether a player is not asked for orders although he has none.
    fn may_not_order(&self, player: Player, slot: &Slot, decision: &Decision) -> bool {
        let asked = tasks::of(self.ledger, player).into_iter().any(|task| match task {
            Task::Decide { slot: of, name, sealed } => sealed && of == *slot && name == decision.name,
            _ => false,
        });
        !asked && !self.ledger.has_decided(player, slot, decision)
    }

    fn tell_stuck_at(&self, player: Player, slot: &Slot, decision: &Decision, told: &mut Stuck) {
        let left = self.ledger.sealed(player.other(), SetKind::Note, &format!("{slot}/{}", decision.name));
        let Some(left) = left.as_ref().map(|left| self.ledger.ids.short(left)) else { return };
        let other = self.terms.role(self.me.other());
        let (name, anew) = (&decision.name, "then both order anew");
        let (killed, whose) = match player == self.me {
            true => (
                format!(
                    "your {name} for {slot} are killed, and you have read those of {other}: you cannot seal others"
                ),
                format!("those of {other}"),
            ),
            false => (
                format!("{other}'s {name} for {slot} are killed, and they have read yours: they cannot seal others"),
                "yours".to_owned(),
            ),
        };
        told.notes.push(format!(
            "{killed} (seal 4). Ask the referee to kill {whose}, too: sealed-dice rule kill {left}; {anew}"
        ));
        told.waits_for.push(format!("the referee kills {whose} for {slot}, too; {anew}"));
    }
}
