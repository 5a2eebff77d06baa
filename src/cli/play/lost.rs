//! What is said, and to whom, about sets that their sealer cannot open any more: his key went with his machine.

use super::{Answer, Table, Told, View};
use crate::{
    blob::{Hex32, disputes::Claim},
    cli::terminal::visible,
    game::{
        charter::Player,
        ledger::Ledger,
        lost::Way,
        tasks::{self, Task},
    },
};

/// What there is to say about lost sets, by where `game status` says it.
#[derive(Default)]
pub(super) struct Lost {
    pub(super) commands: Vec<String>,
    pub(super) notes: Vec<String>,
    pub(super) waits_for: Vec<String>,
}

/// Whether somebody claims already that what waits for a letter does not come.
fn is_claimed(ledger: &Ledger<'_>, letter: &Hex32) -> bool {
    ledger.standing_claims().any(|(.., claim)| matches!(claim, Claim::Stall(stall) if stall.letter == Some(*letter)))
}

/// The sets of a player that an admission says are lost.
fn orphans(ledger: &Ledger<'_>, player: Player) -> impl Iterator<Item = (Hex32, String, Vec<Way>)> {
    let sets = ledger.seals(player).iter().filter_map(|seal| ledger.set(seal));
    let lost = sets.filter(|set| ledger.is_orphaned(set));
    lost.map(|set| (set.node.id(), visible(&set.seal.purpose), ledger.ways(set)))
}

impl View<'_, '_> {
    /// To the player who has lost his key.
    pub(super) fn tell_own_loss(&self, table: &Table) -> Vec<String> {
        let other = self.terms.role(self.me.other());
        let mut told = Vec::new();
        for set in self.lost_seals().filter_map(|seal| self.ledger.set(&seal)) {
            let purpose = visible(&set.seal.purpose);
            told.extend(self.ledger.ways(set).into_iter().map(|way| match (way, &self.terms.charter.referee) {
                (Way::Open { what, .. }, _) => format!(
                    "{} waits for keys that are not here any more, and the referee holds them: {other} types  sealed-dice dispute \
                     stall {0}  and the referee asks and opens",
                    visible(&what)
                ),
                (Way::Yield { slot }, _) => format!(
                    "{slot} waits for envelopes that nobody can open any more: {}  lets {other} name its dice",
                    table.typing.command(&format!("dispute yield {slot}"))
                ),
                (Way::Kill, Some(_)) => format!(
                    "{purpose} was sealed under a key that is not here, and cannot be opened by you: ask the referee for \
                     `sealed-dice rule kill {}`",
                    self.ledger.ids.short(&set.node.id())
                ),
                (Way::Kill, None) => format!(
                    "{purpose} was sealed under a key that is not here, and cannot be opened: ask {other} to declare nothing on it"
                ),
            }));
        }
        told
    }

    /// To the opponent of one who has.
    pub(super) fn tell_their_loss(&self, table: &Table) -> Lost {
        let mut told = Lost::default();
        let (other, mut dead) = (self.terms.role(self.me.other()), Vec::new());
        for (_, purpose, ways) in orphans(self.ledger, self.me.other()) {
            for way in ways {
                match way {
                    Way::Open { letter, .. } if is_claimed(self.ledger, &letter) => {}
                    Way::Open { what, .. } => {
                        told.commands.push(table.typing.command(&format!("dispute stall {}", visible(&what))));
                        told.notes.push(format!(
                            "{other} has lost the key to what {} waits for; the referee holds it, and opens once you claim the stall",
                            visible(&what)
                        ));
                    }
                    Way::Yield { slot } => told.waits_for.push(format!(
                        "{other} lets you name the dice of {slot} (dispute yield): he has lost the key to its envelopes"
                    )),
                    Way::Kill => dead.push(purpose.clone()),
                }
            }
        }
        if !dead.is_empty() {
            told.waits_for.push(format!("the referee kills what {other} sealed under the key that he has lost"));
            told.notes.push(format!(
                "{other} has lost the key to {}: declare nothing on them before the referee has killed them, and others are sealed",
                dead.join(", ")
            ));
        }
        told
    }

    /// What the other owes and can give: what was sealed under a key that he has lost he cannot open.
    pub(super) fn their_tasks(&self) -> Vec<Task> {
        let them = self.me.other();
        let orphaned = |seal: &Hex32| self.ledger.set(seal).is_some_and(|set| self.ledger.is_orphaned(set));
        self.possible(them, orphaned)
    }

    /// A player's tasks without those for which he lacks the keys.
    pub(super) fn possible(&self, player: Player, is_lost: impl Fn(&Hex32) -> bool) -> Vec<Task> {
        let mut tasks = tasks::of(self.ledger, player);
        let of = |declaration: &Hex32| self.ledger.declaration(declaration).and_then(|declared| declared.declare.seal);
        tasks.retain(|task| match task {
            Task::Reveal { declaration, .. } => !of(declaration).is_some_and(|seal| is_lost(&seal)),
            Task::OpenNote { seal, .. } => !is_lost(seal),
            // Masters that are lost cannot be published; the stop itself can.
            Task::Close => !self.ledger.closed(player).0 || !self.ledger.seals(player).iter().any(&is_lost),
            // Dice that the other has lost are declared only by somebody who has not been told.
            Task::Declare { slot } => !tasks::set_for(self.ledger, player, slot)
                .and_then(|seal| self.ledger.set(&seal))
                .is_some_and(|set| self.ledger.is_orphaned(set)),
            _ => true,
        });
        tasks
    }

    /// That a declaration does not wait for envelopes that this player can open no more.
    pub(super) fn check_openable(&self, declaration: &Hex32) -> Told<()> {
        let Some(declared) = self.ledger.declaration(declaration) else { return Ok(()) };
        let slot = &declared.declare.slot;
        let lost = self.lost_seals().find(|seal| declared.declare.seal == Some(*seal));
        let ways = lost.and_then(|seal| self.ledger.set(&seal)).map(|set| self.ledger.ways(set));
        let waiting = ways.into_iter().flatten().find_map(|way| match way {
            Way::Open { letter, .. } if letter == *declaration => Some(
                "the referee holds their keys, and opens once your opponent has claimed the stall (dispute stall)"
                    .to_owned(),
            ),
            Way::Yield { slot: of } if of == *slot => {
                Some(format!("`sealed-dice dispute yield {slot}` lets your opponent name the dice"))
            }
            _ => None,
        });
        match waiting {
            Some(then) => {
                Err(Answer::refused(format!("{slot} waits for what was sealed under a key that is not here: {then}")))
            }
            None => Ok(()),
        }
    }
}

/// To the referee.
pub(super) fn tell_referee(table: &Table, ledger: &Ledger<'_>) -> Lost {
    let mut told = Lost::default();
    for player in Player::BOTH {
        let (role, other) = (ledger.terms.role(player), ledger.terms.role(player.other()));
        for (seal, purpose, ways) in orphans(ledger, player) {
            for way in ways {
                match way {
                    Way::Kill => {
                        told.commands.push(table.typing.command(&format!("rule kill {}", ledger.ids.short(&seal))));
                        told.notes.push(format!("{role} has lost the key to {purpose}, {}", ledger.ids.short(&seal)));
                    }
                    Way::Open { letter, .. } if is_claimed(ledger, &letter) => {}
                    Way::Open { what, .. } => told.waits_for.push(format!(
                        "{other} claims the stall of {0} (dispute stall {0}): {role} has lost the key, and you hold it",
                        visible(&what)
                    )),
                    Way::Yield { slot } => told.waits_for.push(format!(
                        "{role} lets {other} name the dice of {slot} (dispute yield): nobody has the key to its envelopes"
                    )),
                }
            }
        }
    }
    told
}
