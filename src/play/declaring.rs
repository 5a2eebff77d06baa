//! The input for a declaration, and the checks that apply to every declaration.

use super::{
    failure::{Failure, PlayResult},
    lists,
    named::parse_slot,
    table::View,
};
use crate::{
    blob::body::{Contribution, FileHash, Slot},
    game::{
        declaration::Declaration,
        schedule, tasks,
        terms::{Author, Phase},
    },
    keep::{random::fresh, texts::TextFile},
};

/// A declaration's rolls or statements, as a player gives them.
#[derive(Clone, Debug)]
pub enum Lists {
    /// A combat sheet or rolls on a sheet (JSON or a table, from `rows::table_text`), or a turn's statements (TOML).
    File(TextFile),
    /// The declaration has no rolls.
    Nothing,
    /// The player gave neither rolls nor statements.
    Unsaid,
}

impl Lists {
    pub(super) const fn file(&self) -> Option<&TextFile> {
        match self {
            Self::File(file) => Some(file),
            Self::Nothing | Self::Unsaid => None,
        }
    }
}

/// Returns the reasons in a list of rolls on a sheet, if it can be read and no roll names its cell.
#[must_use]
pub fn reasons(file: &TextFile) -> Option<Vec<String>> {
    lists::reasons(file)
}

/// The moves that rolls belong to, as a player gives them.
#[derive(Clone, Debug)]
pub enum Moved {
    /// The moves, described in words.
    Words(String),
    /// Files that record them; their hashes are signed.
    Files(Vec<FileHash>),
    /// A sealed note for the slot, by its name.
    Note(String),
    /// The player states that nothing moved.
    Nothing,
    /// The player gave no moves.
    Unsaid,
}

/// The input for a declaration.
#[derive(Clone, Debug)]
pub struct Declaring {
    /// The slot; `None` means the player's next one.
    pub slot: Option<Slot>,
    /// The rolls or statements.
    pub lists: Lists,
    /// The moves that the rolls belong to.
    pub moved: Moved,
    /// Whether this repeats a declaration after a breach or an agreed foul-up, which determines the moves and the list.
    pub again: bool,
    /// Whether a slot may be declared out of order.
    pub skip: bool,
}

/// Parses a slot as it is typed.
///
/// # Errors
/// If the text is not a slot.
pub fn slot(typed: &str) -> PlayResult<Slot> {
    parse_slot(typed)
}

/// Checks that a declaration does not skip an earlier slot, unless the player allows that.
pub(super) fn check_order(view: &View<'_, '_>, slot: &Slot, args: &Declaring) -> PlayResult<()> {
    let told = view.tell_passed(slot);
    match told.is_empty() || args.skip {
        true => Ok(()),
        false => Err(Failure::refused(format!(
            "{}. Nothing was signed. If this is what you want, type the command again with --skip (charter 20)",
            told.join("; and ")
        ))),
    }
}

impl View<'_, '_> {
    /// Describes the slots that a declaration skips.
    pub(super) fn tell_passed(&self, slot: &Slot) -> Vec<String> {
        let other = self.terms.role(self.me.other());
        let [own, theirs] = schedule::passed_by(self.ledger, self.me, slot);
        let own = own.map(|own| format!("{slot} skips {own}, which can then never be declared and gets no dice"));
        let theirs =
            theirs.map(|theirs| format!("it is {other}'s turn first: {theirs} comes before {slot} in the terms"));
        let late = schedule::late_for(self.ledger, self.me, slot).map(|theirs| {
            format!("{slot} comes late: {other} has already declared {theirs}, which comes after it in the terms")
        });
        own.into_iter().chain(theirs).chain(late).collect()
    }

    /// Whether a declaration still awaits its dice, or no letter from the opponent shows that they have read it.
    pub(super) fn is_unread(&self, declared: &Declaration<'_>) -> bool {
        let theirs = self.order.nodes.iter().filter(|node| node.author == Author::Player(self.me.other()));
        !declared.is_answered() || !theirs.into_iter().any(|node| node.has_in_past(declared.node.node()))
    }
}

/// Returns the player's contribution to the dice: fresh randomness or, for a private roll, the player's next envelope.
pub(super) fn contribution(view: &View<'_, '_>, phase: &Phase) -> PlayResult<Contribution> {
    if !phase.private {
        return Ok(Contribution::Open(fresh()?));
    }
    tasks::contribution_for(view.ledger, view.me)
        .map(Contribution::Sealed)
        .ok_or_else(|| Failure::refused("you have no sealed contribution left: seal one with `sealed-dice reply`"))
}
