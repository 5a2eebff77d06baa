//! `dispute`: steps for a player whose opponent is silent or disagrees, or who cannot give what they owe.

use super::{
    failure::{Failure, PlayResult},
    handed::Handed,
    locked::Locked,
    named::{declaration, one_of},
    session::Session,
    sheet::IN_SHEET,
    table::{Table, View},
};
use crate::{
    blob::{
        Body, Hex32,
        body::{Forfeit, SetKind, Step},
        disputes::{Claim, Dispute, Names, Stall, Yield},
    },
    game::{hidden, ledger::Ledger, rules::claim},
};

/// A step in a dispute. Texts may be empty.
#[derive(Clone, Debug)]
pub enum Disputing {
    /// Claim that the other player does not do what they owe.
    Stall {
        /// The slot whose reveal the other player owes, the beginning of its declaration's id, or the unopened note
        /// (its slot and name); `None` if they owe an answer or a declaration.
        what: Option<String>,
        /// Whether the other player owes their next declaration.
        declaration: bool,
        /// The complaint, in words.
        text: String,
    },
    /// State that something is wrong with certain letters; of two conflicting letters, the one named here counts.
    Raise {
        /// The beginnings of the letters' ids.
        letters: Vec<String>,
        /// The complaint, in words.
        text: String,
    },
    /// Take a stall or a dispute back, by the beginning of its id.
    Withdraw(String),
    /// Let the other player name the dice of a slot that can no longer be opened.
    Yield {
        /// The slot, or the beginning of its declaration's id.
        slot: String,
        /// Why the slot cannot be opened.
        text: String,
    },
    /// Give up the game, with a reason in words.
    Resign(String),
    /// Name the forfeited dice of a slot of the player's own.
    Name {
        /// The slot, or the beginning of its declaration's id.
        slot: String,
        /// Each die, in the order of the worksheet.
        dice: Vec<u64>,
    },
}

impl Disputing {
    /// Whether a game has the declaration or the letters that this step is about.
    fn fits(&self, table: &Table) -> bool {
        match self {
            Self::Stall { what: Some(slot), .. } | Self::Yield { slot, .. } | Self::Name { slot, .. } => {
                table.has_declared_at(slot)
            }
            Self::Raise { letters, .. } => letters.iter().all(|id| table.has_letter(id)),
            Self::Withdraw(id) => table.has_letter(id),
            Self::Stall { what: None, .. } | Self::Resign(_) => table.is_played(),
        }
    }
}

/// Signs a player's step when the other is silent, when they disagree, or when they cannot give what they owe.
///
/// # Errors
/// If the game has nothing that this step fits, or the player does not sign.
pub fn dispute(session: &Session<'_>, name: Option<&str>, disputing: &Disputing) -> PlayResult<Handed> {
    let table = Locked::find(session, name, |table| disputing.fits(table))?;
    table.sign(session, |view| Ok(vec![Body::Claim(claim(view, disputing)?)]))
}

fn claim(view: &View<'_, '_>, disputing: &Disputing) -> PlayResult<Claim> {
    Ok(match disputing {
        Disputing::Stall { what, declaration, text } => {
            let letter = what.as_deref().map(|what| owed(view, what)).transpose()?;
            let step = match (letter, declaration) {
                (Some(_), _) => Step::Reveal,
                (None, true) => Step::Declare,
                (None, false) => Step::Answer,
            };
            let owes = view.terms.role(view.me.other()).clone();
            Claim::Stall(Stall { letter, owes, step, text: text.clone() })
        }
        Disputing::Raise { letters, text } => {
            let letters = letters.iter().map(|id| letter(view.ledger, id));
            let mut letters = letters.collect::<PlayResult<Vec<Hex32>>>()?;
            letters.sort_unstable();
            letters.dedup();
            Claim::Dispute(Dispute { letters, text: text.clone() })
        }
        Disputing::Withdraw(id) => Claim::Withdraw(letter(view.ledger, id)?),
        Disputing::Yield { slot, text } => Claim::Yield(Yield {
            declaration: Some(declaration(view.ledger, slot, |declared| declared.node.player != view.me)?),
            forfeit: Forfeit::DeclarerNames,
            text: text.clone(),
        }),
        Disputing::Resign(text) => {
            Claim::Yield(Yield { declaration: None, forfeit: Forfeit::Game, text: text.clone() })
        }
        Disputing::Name { slot, dice } => {
            let named = declaration(view.ledger, slot, |declared| declared.node.player == view.me)?;
            let mut forfeited =
                claim::to_name(view.ledger, view.me).filter(|(declared, _)| declared.node.id() == named);
            let (_, forfeit) = forfeited.next().ok_or_else(|| not_named(view, slot, &named))?;
            Claim::Names(Names { declaration: named, dice: dice.clone(), forfeit })
        }
    })
}

/// Finds the declaration that waits for the other player, or the seal of a note by them.
fn owed(view: &View<'_, '_>, what: &str) -> PlayResult<Hex32> {
    match view.ledger.sealed(view.me.other(), SetKind::Note, what) {
        Some(note) => Ok(note),
        None => declaration(view.ledger, what, |declared| declared.node.player == view.me),
    }
}

/// Explains why the player cannot name the dice of a declaration.
fn not_named(view: &View<'_, '_>, slot: &str, declaration: &Hex32) -> Failure {
    let in_sheet =
        hidden::named_next(view.ledger, view.me).is_some_and(|(_, forfeited)| forfeited.node.id() == *declaration);
    Failure::refused(match in_sheet {
        true => format!("name the dice of {slot} in your next sheet: {IN_SHEET} (hidden 7)"),
        false => {
            format!("the dice of {slot} are not forfeited to you: `sealed-dice game status` lists what you can do")
        }
    })
}

/// Finds a letter in the game by the beginning of its id.
pub(super) fn letter(ledger: &Ledger<'_>, id: &str) -> PlayResult<Hex32> {
    one_of(ledger, &ledger.letters_like(id), id)?.ok_or_else(|| {
        Failure::refused(format!("no letter in this game has an id that begins with {id:?}: check the id"))
    })
}
