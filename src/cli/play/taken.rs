//! What became of the letters of a mail, and how that is told.

use std::collections::{BTreeMap, HashSet};

use super::{
    forks, status,
    table::{Stage, Table, folders},
};
use crate::cli::answer::Told;
use crate::{
    blob::{Body, Hex32, Verified},
    game::{ids::Ids, ledger::Ledger, terms::Terms},
    keep::{
        folder::{Folder, Stored},
        home::Home,
    },
    report::{inputs, words},
};

/// Most invitations of others that are kept without an answer: each is a game of its own, and anybody can write any number.
pub(super) const UNANSWERED: usize = 16;

/// What became of the letters of a mail.
#[derive(Default)]
pub(super) struct Taken {
    /// New letters, by game.
    pub(super) new: BTreeMap<String, HashSet<Hex32>>,
    /// Letters that were there already.
    pub(super) known: u64,
    /// Lines about what could not be taken in.
    pub(super) refused: Vec<String>,
    /// Invitations that were not kept, because too many wait already: what they are, by their ids.
    pub(super) listed: BTreeMap<Hex32, String>,
}

impl Taken {
    /// A letter is new in a game.
    pub(super) fn note(&mut self, game: &str, message: &Verified) {
        self.new.entry(game.to_owned()).or_default().insert(message.id());
    }
}

/// That other games have the title of a proposal: whoever names no game may mean one of these.
fn same_title(home: &Home, table: &Table) -> String {
    let title = &table.terms.charter.title;
    let is_alike = |folder: &Folder| {
        let terms = folder.charter().and_then(|charter| Terms::parse(&charter.message).ok());
        folder.name() != table.name() && terms.is_some_and(|terms| terms.charter.title == *title)
    };
    let alike: Vec<String> = folders(home).iter().filter(|folder| is_alike(folder)).map(Folder::name).collect();
    match alike.is_empty() {
        true => String::new(),
        false => format!(
            "MIND: you have other games with this title: {}. `sealed-dice game list` shows the ids of their terms\n",
            alike.join(", ")
        ),
    }
}

/// The roster of a declaration, one entry a line, so that the sealer can check it before opening dice; empty for other
/// letters.
fn roster(body: &Body) -> String {
    let Body::Declare(declare) = body else { return String::new() };
    inputs::roster(&declare.input).into_iter().map(|entry| format!("      {entry}\n")).collect()
}

/// What is new, and how the games stand now.
pub(super) fn tell(home: &Home, key: Hex32, taken: &Taken) -> Told<String> {
    let mut out = String::new();
    for (game, ids) in &taken.new {
        let Some(folder) = Folder::open(&home.games().join(game)) else { continue };
        let table = Table::open(home, folder, key)?;
        out.push_str(&format!("new in {game}:\n"));
        let letters = table.all_letters().filter(|letter| ids.contains(&letter.message.id()));
        let lines = |ledger: Option<&Ledger<'_>>| {
            letters
                .map(|letter| {
                    let head = letter.message.head();
                    let number = if head.is_unnumbered() { String::new() } else { format!(" {}", head.number) };
                    let said = words::of(&letter.message, ledger);
                    format!("  {}{number}: {said}\n{}", head.author, roster(letter.message.body()))
                })
                .collect::<String>()
        };
        out.push_str(&match table.stage {
            Stage::Begun(_) => table.look(|_, ledger| Ok(lines(Some(ledger))))?,
            Stage::Proposed => lines(None),
        });
        let is_mine =
            |letter: &&Stored| letter.message.head().author == table.role && ids.contains(&letter.message.id());
        let twice = table.with_order(|order| order.map(|order| forks::signed_twice(&table, order, ids)));
        let twice = twice.unwrap_or_default();
        twice.iter().for_each(|told| out.push_str(&format!("  {told}\n")));
        let may_sign = table.with_order(|order| table.blocked(order))?.is_none();
        if twice.is_empty() && !may_sign && table.stored.iter().any(|letter| is_mine(&letter)) {
            out.push_str(
                "  some are your own, which were not here: read all mails that you have sent before you sign anything,\n  \
                 or a letter of yours could be the second behind one letter\n",
            );
        }
        out.push('\n');
        out.push_str(&status::of(&table)?);
        if table.is_offered() {
            out.push_str(&same_title(home, &table));
        }
    }
    match (taken.new.is_empty(), taken.known) {
        (_, 0) => {}
        (true, known) => out.push_str(&format!("nothing new: {known} known already\n")),
        (false, known) => out.push_str(&format!("known already: {known}\n")),
    }
    if !taken.listed.is_empty() {
        let ids: Ids = taken.listed.keys().copied().collect();
        out.push_str(&format!(
            "not kept, for {UNANSWERED} invitations wait for your answer already. To keep one of these all the same, type\n\
             \u{20}\u{20}sealed-dice read --keep ID MAIL\n\
             and to take one that waits out of view, `sealed-dice game forget NAME`:\n"
        ));
        taken.listed.iter().for_each(|(id, told)| out.push_str(&format!("  {}: {told}\n", ids.short(id))));
    }
    if !taken.refused.is_empty() {
        out.push_str("not taken in:\n");
        taken.refused.iter().for_each(|line| out.push_str(&format!("  {line}\n")));
    }
    Ok(out)
}
