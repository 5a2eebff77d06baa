//! What is typed for a declaration, and what holds for any.

use std::path::{Path, PathBuf};

use super::{fresh::fresh, table::View, typed::parse_slot};
use crate::{
    blob::body::{Contribution, Slot},
    cli::answer::{Answer, Told},
    game::{
        declaration::Declaration,
        schedule, tasks,
        terms::{Author, Phase},
    },
};

/// What is declared.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::cli) struct Declaring {
    /// Where in the game, as turn/impulse/phase/number [default: what you declare next], and a file: a combat sheet (JSON, or CSV hexes,odds,order), rolls on the sheet (JSON, or CSV why,cell), or what a turn states (TOML, see --form); no file if nothing is rolled or stated
    #[arg(num_args = 0..=2, value_names = ["SLOT", "FILE"])]
    words: Vec<String>,
    #[arg(skip)]
    pub(in crate::cli) sheet: Option<PathBuf>,
    /// The moves that these rolls belong to, in words
    #[arg(long)]
    pub(in crate::cli) moves: Option<String>,
    /// The same, in a text file
    #[arg(long, conflicts_with = "moves")]
    pub(in crate::cli) moves_file: Option<PathBuf>,
    /// Files in which the moves are recorded (a save, a log, a photo); their hashes are signed. A short file can be guessed from its hash: what is secret goes into a sealed note (--moves-note)
    #[arg(long, num_args = 1.., conflicts_with_all = ["moves", "moves_file"])]
    pub(in crate::cli) files: Vec<PathBuf>,
    /// The name of a sealed note of this slot that holds the moves
    #[arg(long, conflicts_with_all = ["moves", "moves_file", "files"])]
    pub(in crate::cli) moves_note: Option<String>,
    /// Nothing is rolled for: without a sheet this must be said, for a declaration cannot be changed
    #[arg(long)]
    pub(in crate::cli) no_rolls: bool,
    /// Nothing moved
    #[arg(long, conflicts_with_all = ["moves", "moves_file", "files", "moves_note"])]
    pub(in crate::cli) no_moves: bool,
    /// Declare the slot again after a breach or an agreed foul-up: the moves and the list are those it must have
    #[arg(long, conflicts_with_all = ["moves", "moves_file", "files", "moves_note", "no_moves"])]
    pub(in crate::cli) again: bool,
    /// Print what a turn of this slot states, as a file to fill in, and sign nothing
    #[arg(long, conflicts_with_all = ["moves", "moves_file", "files", "moves_note", "no_moves", "no_rolls", "again"])]
    pub(in crate::cli) form: bool,
    /// Declare a slot out of its order: an earlier one of yours is passed by, which can never be declared then and gets no dice, or your opponent is to go first, or has gone on
    #[arg(long)]
    pub(in crate::cli) skip: bool,
    /// Leave it at the office at once, and take in what that opens
    #[cfg(feature = "office")]
    #[arg(long, conflicts_with = "form")]
    pub(in crate::cli) office: bool,
}

impl Declaring {
    /// The slot, if one is typed, and the arguments with the file.
    pub(super) fn taken_apart(&self) -> Told<(Option<Slot>, Self)> {
        let is_file =
            |word: &String| Slot::parse(word).is_none() && (!looks_like_a_slot(word) || Path::new(word).exists());
        let (slot, file) = match self.words.as_slice() {
            [] => (None, None),
            [file] if is_file(file) => (None, Some(file)),
            [slot] => (Some(slot), None),
            [slot, rest @ ..] => (Some(slot), rest.first()),
        };
        if file.is_some() && (self.no_rolls || self.again || self.form) {
            return Err(Answer::unable(
                "name no file with --no-rolls, --again or --form: nothing of it would be signed",
            ));
        }
        let slot = slot.map(|slot| parse_slot(slot)).transpose()?;
        Ok((slot, Self { sheet: file.map(PathBuf::from), ..self.clone() }))
    }
}

/// Whether a word is rather a slot that is mistyped than a file.
fn looks_like_a_slot(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('/')
}

/// That a slot passes none by which comes before it in the order of slots.
pub(super) fn check_order(view: &View<'_, '_>, slot: &Slot, args: &Declaring) -> Told<()> {
    let told = view.tell_passed(slot);
    match told.is_empty() || args.skip {
        true => Ok(()),
        false => Err(Answer::refused(format!(
            "{}. Nothing is signed. If that is what you mean, type it again with --skip (charter 20)",
            told.join("; and ")
        ))),
    }
}

impl View<'_, '_> {
    /// What a declaration of a slot passes by, in words.
    pub(super) fn tell_passed(&self, slot: &Slot) -> Vec<String> {
        let other = self.terms.role(self.me.other());
        let [own, theirs] = schedule::passed_by(self.ledger, self.me, slot);
        let own = own.map(|own| format!("{slot} skips {own}, which can then never be declared and gets no dice"));
        let theirs =
            theirs.map(|theirs| format!("it is {other}'s turn first: {theirs} comes before {slot} in the terms"));
        let late = schedule::late_for(self.ledger, self.me, slot).map(|theirs| {
            format!("{slot} comes late: {other} has declared {theirs} already, which comes after it in the terms")
        });
        own.into_iter().chain(theirs).chain(late).collect()
    }

    /// Whether no letter of the opponent's shows that they have read a declaration, or its dice are awaited.
    pub(super) fn is_unread(&self, declared: &Declaration<'_>) -> bool {
        let theirs = self.order.nodes.iter().filter(|node| node.author == Author::Player(self.me.other()));
        !declared.is_answered() || !theirs.into_iter().any(|node| node.has_in_past(declared.node.node()))
    }
}

/// The player's share of the dice: fresh randomness or, for a private roll, the player's next envelope.
pub(super) fn contribution(view: &View<'_, '_>, phase: &Phase) -> Told<Contribution> {
    if !phase.private {
        return Ok(Contribution::Open(fresh()?));
    }
    tasks::contribution_for(view.ledger, view.me).map(Contribution::Sealed).ok_or_else(|| {
        Answer::refused("you have sealed no contribution of your own that is left; `sealed-dice reply` seals one")
    })
}
