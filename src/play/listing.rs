//! The list of games in a home: the name of each, and its state in a few words.

use std::{collections::HashMap, fmt};

use super::{
    failure::PlayResult,
    table::{Stage, Table},
};
use crate::{
    game::{
        ids::Ids,
        terms::{Author, Player},
    },
    keep::home::Home,
    report::text::visible,
};

/// A game in a list.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The name of the game on this machine.
    pub name: String,
    /// The title of the game, safe to show.
    pub title: String,
    /// The text that distinguishes the game from others with the same title; empty if there are none.
    pub apart: String,
    /// The state of the game, in a few words.
    pub stands: String,
}

impl fmt::Display for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?}{}, {}", self.name, self.title, self.apart, self.stands)
    }
}

/// Lists every game in a home, those that are over last, and the problems that keep others from being read.
///
/// # Errors
/// If there is no key.
pub fn games(home: &Home) -> PlayResult<(Vec<Listing>, Vec<String>)> {
    let (tables, unread) = Table::all(home)?;
    let listed = Listed::of(&tables);
    let (running, over): (Vec<&Table>, Vec<&Table>) = tables.iter().partition(|table| table.lives());
    Ok((running.into_iter().chain(over).map(|table| listed.entry(table)).collect(), unread))
}

/// The data that distinguishes the games in a list.
pub(super) struct Listed<'t> {
    ids: Ids,
    /// The number of running games with each title.
    titles: HashMap<&'t str, usize>,
}

impl<'t> Listed<'t> {
    pub(super) fn of(tables: &'t [Table]) -> Self {
        let mut titles = HashMap::new();
        for table in tables.iter().filter(|table| table.lives()) {
            *titles.entry(table.terms.charter.title.as_str()).or_default() += 1;
        }
        Self { ids: tables.iter().map(|table| table.terms.id).collect(), titles }
    }

    /// Returns the list entry of a game. Running games with the same title are counted, and distinguished by the ids of
    /// their terms, which are the same on every machine.
    pub(super) fn entry(&self, table: &Table) -> Listing {
        let (title, ids) = (table.terms.charter.title.as_str(), &self.ids);
        let alike = self.titles.get(title).copied().unwrap_or_default();
        let told = match (alike > 1 && table.lives(), table.stage) {
            (false, _) => String::new(),
            (true, Stage::Proposed) => format!(" (one of {alike} with this title)"),
            (true, Stage::Begun(_)) => {
                format!(" (one of {alike} with this title, terms {})", ids.short(&table.terms.id))
            }
        };
        Listing { name: table.name(), title: visible(title), apart: told, stands: headline(table, ids) }
    }
}

/// Returns the state of a game in a few words, for lists.
fn headline(table: &Table, ids: &Ids) -> String {
    if table.stage == Stage::Proposed {
        let (id, terms) = (ids.short(&table.terms.id), &table.terms);
        let name = |player: Player| visible(&terms.party(player).name);
        return match (table.is_withdrawn(), table.is_mine()) {
            (true, _) => "withdrawn".into(),
            (false, true) => format!("proposed to {}, not accepted yet (terms {id})", name(terms.author.other())),
            (false, false) if table.accepted_elsewhere().is_some() => {
                format!("accepted already, but the acceptance is missing here (terms {id})")
            }
            (false, false) if table.has_accepted() => format!("accepted by you, but not by everybody yet (terms {id})"),
            (false, false) => {
                format!("waits for you to accept the terms that {} proposed (terms {id})", name(terms.author))
            }
        };
    }
    match table.me {
        Author::Referee => return "you are the referee".into(),
        Author::Office if table.terms.time_witness().is_some() => return "you are the office, a time witness".into(),
        Author::Office => return "you are the office".into(),
        Author::Player(_) => {}
    }
    let state = table.view(|view| {
        let (mine, theirs) = view.agendas();
        let over = Player::BOTH.iter().all(|player| view.ledger.has_published(*player));
        Ok(match (over, mine.due.is_empty(), theirs.due.is_empty()) {
            (true, ..) => "over".to_owned(),
            _ if table.blocked(Some(view.order))?.is_some() => {
                "this machine must not sign now: `game status` says why".into()
            }
            (_, false, true) => "your move".to_owned(),
            (_, true, false) => format!("waits for {}", view.terms.role(view.me.other())),
            (_, false, false) => format!("your move, and also {}'s", view.terms.role(view.me.other())),
            (_, true, true) => "nobody owes anything".to_owned(),
        })
    });
    state.unwrap_or_else(|_| "cannot be read".into())
}
