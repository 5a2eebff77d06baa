//! `game close`: ending a game, the unfinished business it leaves, and the messages to each player.

use super::{
    draft::Pen,
    failure::{Failure, PlayResult},
    handed::Handed,
    locked::Locked,
    session::Session,
    shown::Shown,
    table::{Table, View},
};
use crate::{
    blob::{
        Body,
        body::{Hex32, SetKind},
    },
    game::{
        node::Past,
        purpose::{SHEET, STANDING},
        rules::{claim, correct},
        schedule,
        set::Set,
        tasks::{self, Task},
        terms::Player,
    },
    report::{
        text::{quoted, visible},
        words,
    },
    resolve::Place,
};

/// The warning for a player who is about to end a game.
const ENDS: &str = "  WARNING: this ends the game for both of you. Nothing more can be declared, and once your \
                    opponent has closed too, everything that the two of you sealed is opened";

/// Stops the game; once both players have stopped it, publishes the closing keys. `result` describes how the game
/// ended.
///
/// # Errors
/// If the game has not begun, or the player does not sign.
pub fn close(session: &Session<'_>, name: Option<&str>, result: Option<String>) -> PlayResult<Handed> {
    let table = Locked::find(session, name, Table::is_played)?;
    let (done, unfinished) = table.view(|view| {
        let ledger = view.ledger;
        let waits = ledger.has_closed(view.me) && !ledger.has_closed(view.me.other());
        Ok((ledger.has_published(view.me) || waits, view.unfinished()))
    })?;
    if done {
        return Ok(table.mail(None)?.saying("you have closed the game already"));
    }
    let stop = |view: &View<'_, '_>, pen: Pen<'_>| Ok(vec![pen.close(view.ledger, result.clone())]);
    // The unfinished business is shown as warnings, in addition to the lines of the letter.
    let mind = unfinished.iter().map(|line| line.trim_start().to_owned()).collect();
    table.sign_with_key_showing(session, Shown { mind, ..Shown::default() }, |_| Ok(()), stop)
}

impl View<'_, '_> {
    /// Lists the unfinished business, for the player who is about to sign a stop.
    pub(super) fn unfinished(&self) -> Vec<String> {
        let (other, is_first) = (self.me.other(), !self.ledger.has_closed(self.me.other()));
        let results = self.ledger.results(other);
        let results = results
            .map(|result| format!("  {} closed the game with this result: {}", self.terms.role(other), quoted(result)));
        let mut lines: Vec<String> = results.chain(self.left_open()).collect();
        if is_first {
            lines.extend(self.left_unplayed());
            lines.push(ENDS.into());
        }
        lines
    }

    /// Lists what would still be played, answered, chosen or opened if the game did not stop.
    fn left_unplayed(&self) -> Vec<String> {
        let join = |slots: Vec<_>| slots.iter().map(ToString::to_string).collect::<Vec<String>>().join(", ");
        let unplayed = schedule::unplayed(self.ledger);
        let mut lines = Vec::new();
        if !unplayed.is_empty() {
            lines.push(format!("  not played: {}", join(unplayed)));
        }
        for player in Player::BOTH {
            let (role, other) = (self.terms.role(player), self.terms.role(player.other()));
            let proposed = correct::open_proposals(self.ledger, player);
            lines
                .extend(proposed.map(|(_, slot)| format!("  not answered by {role}: {other}'s proposal about {slot}")));
            let chosen = tasks::of(self.ledger, player).into_iter().filter_map(|task| match task {
                Task::Decide { slot, name, .. } if slot.turn <= schedule::turn(self.ledger) => Some((slot, name)),
                _ => None,
            });
            lines.extend(chosen.map(|(slot, name)| format!("  not chosen by {role}: {name} for {slot}")));
            let notes = self.sealed_notes(player);
            if !notes.is_empty() {
                lines.push(format!("  sealed by {role} but not opened: {}", notes.join(", ")));
            }
        }
        let claims = claim::standing(self.ledger);
        lines.extend(claims.map(|(_, by, claim)| {
            let told = words::body(&Body::Claim(claim.clone()), Some(self.ledger));
            format!("  not settled: {}, by {}", visible(&told), self.terms.role(by))
        }));
        lines
    }

    /// Returns a player's unopened notes.
    fn unopened(&self, player: Player) -> impl Iterator<Item = &Set<'_>> {
        let sets = self.ledger.seals(player).iter().filter(|seal| !self.ledger.is_killed(seal, Past::ALL));
        sets.filter_map(|seal| self.ledger.set(seal))
            .filter(|set| set.valid && set.seal.kind == SetKind::Note && set.key(Place { index: 0, line: 0 }).is_none())
    }

    /// Lists the slots for which a player sealed a choice beforehand that the declaration did not know yet, so that it
    /// is not used (courses 12).
    pub(super) fn late_wishes(&self, player: Player) -> Vec<String> {
        let is_late = |set: &&Set<'_>| {
            let Some((slot, STANDING)) = set.seal.purpose.rsplit_once('/') else { return false };
            self.ledger.declarations().any(|declared| {
                declared.valid
                    && declared.declare.slot.to_string() == slot
                    && !declared.standing().contains(&set.node.id())
            })
        };
        let slots = self.unopened(player).filter(is_late).filter_map(|set| set.seal.purpose.rsplit_once('/'));
        slots.map(|(slot, _)| visible(slot)).collect()
    }

    /// Lists the purposes of a player's unopened notes, except the sheets of hidden courses.
    pub(super) fn sealed_notes(&self, player: Player) -> Vec<String> {
        let purposes = self.unopened(player).map(|set| set.seal.purpose.as_str());
        purposes.filter(|purpose| purpose.rsplit_once('/').is_none_or(|(_, name)| name != SHEET)).map(visible).collect()
    }

    /// Lists declarations that are left without their dice, except those that this player opens in the same mail.
    fn left_open(&self) -> Vec<String> {
        let (mine, theirs) = (self.tasks(), self.their_tasks());
        let opens = |id: &Hex32| {
            let own = |task: &Task| matches!(task, Task::Reveal { declaration, .. } if declaration == id);
            mine.iter().any(own) && self.check_whole(id).is_ok()
        };
        let open = self.ledger.declarations().filter(|declared| declared.valid && !declared.is_answered());
        let open = open.filter(|declared| !opens(&declared.node.id())).map(|declared| {
            format!(
                "  note: the dice of {} are not known yet. They can still be opened after a close, but nothing more \
                 can be declared",
                declared.declare.slot
            )
        });
        let again = mine.iter().chain(&theirs).filter_map(|task| match task {
            Task::Redo { slot, .. } => {
                Some(format!("  note: {slot} must be declared again, which is impossible after a close"))
            }
            _ => None,
        });
        open.chain(again).collect()
    }

    /// Checks that neither player has ended the game: after that, nothing new is signed in it.
    pub(super) fn check_running(&self, table: &Table) -> PlayResult<()> {
        if !Player::BOTH.iter().any(|player| self.ledger.has_closed(*player)) {
            return Ok(());
        }
        let ended = self.tell_ended(table);
        Err(Failure::refused(ended.unwrap_or_else(|| {
            "the game is over and closed by both, and nothing more can be signed in it: propose a new game".into()
        })))
    }

    /// Reports who has ended the game, and what follows for this player, until both have closed it.
    pub(super) fn tell_ended(&self, table: &Table) -> Option<String> {
        let [(mine, my_keys), (theirs, their_keys)] = [self.me, self.me.other()]
            .map(|player| (self.ledger.has_closed(player), self.ledger.has_published(player)));
        let other = visible(&self.terms.party(self.me.other()).name);
        let reply = table.typing.command("reply");
        match (mine, theirs) {
            (false, false) => None,
            _ if my_keys && their_keys => None,
            (true, false) => {
                let mistaken = match self.left_unplayed().is_empty() {
                    true => String::new(),
                    false => table.to_continue("if that was a mistake"),
                };
                Some(format!("you have ended the game: it closes when {other} answers{mistaken}"))
            }
            (true, true) if my_keys => Some(format!("you and {other} have ended the game")),
            (true, true) => Some(format!(
                "you and {other} have ended the game: `{reply}` opens everything that you sealed and closes the game"
            )),
            (false, true) => {
                // The reply includes the close; if a proposal is open, the answer to it does.
                let step = match correct::open_proposals(self.ledger, self.me).next() {
                    Some(_) => "your answer to the proposal".into(),
                    None => format!("`{reply}`"),
                };
                Some(format!(
                    "{other} has ended the game, and nothing more can be declared: {step} opens what you owe, \
                     then everything that you sealed, and ends the game for you too"
                ))
            }
        }
    }
}
