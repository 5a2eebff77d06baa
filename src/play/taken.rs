//! The letters taken in from a mail, and the report on them.

use std::collections::{BTreeMap, HashSet};

use super::{
    failure::PlayResult,
    forks,
    received::{NewIn, NewLetter, Received},
    status,
    table::{Stage, Table, folders},
};
use crate::{
    blob::{Body, Hex32, Verified},
    game::{ids::Ids, ledger::Ledger, terms::Terms},
    keep::{
        folder::{Folder, Stored},
        home::Home,
    },
    report::{inputs, words},
};

/// The letters taken in from a mail so far.
#[derive(Default)]
pub(super) struct Taken {
    /// New letters, by game.
    pub(super) new: BTreeMap<String, HashSet<Hex32>>,
    /// The number of letters that were there already.
    pub(super) known: u64,
    /// Lines about letters that could not be taken in.
    pub(super) refused: Vec<String>,
    /// Invitations that were not kept, because too many are unanswered already: their descriptions, by id.
    pub(super) listed: BTreeMap<Hex32, String>,
}

impl Taken {
    /// Records that a letter is new in a game.
    pub(super) fn note(&mut self, game: &str, message: &Verified) {
        self.new.entry(game.to_owned()).or_default().insert(message.id());
    }
}

/// Lists other games with the title of a proposal: a player who names no game may mean one of these.
fn same_title(home: &Home, table: &Table) -> Vec<String> {
    let title = &table.terms.charter.title;
    let is_alike = |folder: &Folder| {
        let terms = folder.charter().and_then(|charter| Terms::parse(&charter.message).ok());
        folder.name() != table.name() && terms.is_some_and(|terms| terms.charter.title == *title)
    };
    folders(home).iter().filter(|folder| is_alike(folder)).map(Folder::name).collect()
}

/// Describes a letter for the report.
fn new_letter(letter: &Stored, ledger: Option<&Ledger<'_>>) -> NewLetter {
    let head = letter.message.head();
    let roster = match letter.message.body() {
        Body::Declare(declare) => inputs::roster(&declare.input),
        _ => Vec::new(),
    };
    NewLetter {
        author: head.author.clone(),
        number: (!head.is_unnumbered()).then_some(head.number),
        says: words::of(&letter.message, ledger),
        roster,
    }
}

/// Reports the new letters in a game, and its state now.
fn new_in(home: &Home, table: &Table, ids: &HashSet<Hex32>) -> PlayResult<NewIn> {
    let is_new = |letter: &&Stored| ids.contains(&letter.message.id());
    let new = |ledger: Option<&Ledger<'_>>| -> Vec<NewLetter> {
        table.all_letters().filter(is_new).map(|letter| new_letter(letter, ledger)).collect()
    };
    let letters = match table.stage {
        Stage::Begun(_) => table.look(|_, ledger| Ok(new(Some(ledger))))?,
        Stage::Proposed => new(None),
    };
    let twice = table.with_order(|order| order.map(|order| forks::signed_twice(table, order, ids)));
    let mut mind = twice.unwrap_or_default();
    let may_sign = table.with_order(|order| table.blocked(order))?.is_none();
    let is_mine = |letter: &Stored| letter.message.head().author == table.role && is_new(&letter);
    if mind.is_empty() && !may_sign && table.stored.iter().any(is_mine) {
        mind.push(OWN.into());
    }
    let alike = if table.is_offered() { same_title(home, table) } else { Vec::new() };
    Ok(NewIn { game: table.name(), letters, mind, status: status::of(table)?, alike })
}

/// The notice about a party's own letters that were missing here.
const OWN: &str = "some of these are your own letters, which were missing here: before you sign, read all mails that \
                   you have sent,\n  or your next letter could make a fork";

/// Reports the news, and the state of the games now; `said` lists further notices.
pub(super) fn received(home: &Home, key: Hex32, taken: Taken, said: Vec<String>) -> PlayResult<Received> {
    let mut games = Vec::new();
    for (game, ids) in &taken.new {
        let Some(folder) = Folder::open(&home.games().join(game)) else { continue };
        games.push(new_in(home, &Table::open(home, folder, key)?, ids)?);
    }
    let ids: Ids = taken.listed.keys().copied().collect();
    let listed = taken.listed.iter().map(|(id, told)| (ids.short(id), told.clone())).collect();
    Ok(Received { games, known: taken.known, listed, refused: taken.refused, said })
}
