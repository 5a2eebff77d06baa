//! The declarations that a player may propose to correct, with their content, for a form.

use serde::Deserialize;

use super::{failure::PlayResult, table::Table};
use crate::{
    blob::{
        body::{FoulUpClass, Remedy, Slot, Source},
        json::Text,
    },
    game::{
        declaration::Declaration,
        node::Past,
        rules::{correct, course},
    },
    keep::home::Home,
    report::{inputs, text::visible},
    resolve::coin_envelopes::Attack,
};

/// The declarations in a game that may be corrected, with the choices for a proposal.
#[derive(Clone, Debug)]
pub struct Mendable {
    /// The declarations that count, the last one first.
    pub declared: Vec<Declared>,
    /// The roles and names of the players, safe to show.
    pub people: Vec<(String, String)>,
    /// The kinds of mistakes after which the terms have the dice rolled again.
    pub rerolled: Vec<FoulUpClass>,
}

/// A declaration that counts.
#[derive(Clone, Debug)]
pub struct Declared {
    /// The beginning of its id, as it is typed.
    pub id: String,
    /// The role of the player who declared it.
    pub by: String,
    /// The number of dice that it asked for.
    pub count: u64,
    /// Whether all of its dice are open. Before that, nobody can propose a correction.
    pub is_open: bool,
    /// Whether somebody has played on, so that its dice can only be kept.
    pub is_final: bool,
    /// Whether it states what a sealed sheet comes to, so that it can be voided but not corrected (hidden 3).
    pub is_sheet: bool,
    /// Whether no later declaration builds on it, so that it can be voided alone (courses 11).
    pub is_last: bool,
    /// The list as it was declared.
    pub list: List,
    /// The slot that it was declared for.
    pub slot: Slot,
}

/// A list as it was declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum List {
    /// Attacks: hexes, odds and order.
    Attacks(Vec<[String; 3]>),
    /// Rolls on a sheet, each with its reason.
    Rolls(Vec<String>),
    /// The statements for a turn, in words.
    Turn(Vec<String>),
}

#[derive(Deserialize)]
struct Attacks {
    attacks: Vec<Attack>,
}

#[derive(Deserialize)]
struct Rolls {
    rolls: Vec<Roll>,
}

#[derive(Deserialize)]
struct Roll {
    why: String,
}

/// Lists the declarations in a game that may be corrected.
///
/// # Errors
/// If there is no such game, or it has not begun.
pub fn mendable(home: &Home, name: Option<&str>) -> PlayResult<Mendable> {
    let table = Table::find_quietly(home, name, Table::is_played)?;
    let people = table.people();
    table.view(|view| {
        let counts = |own: &&Declaration<'_>| {
            own.valid && own.replaced_by.is_empty() && view.ledger.voided_by(&own.id(), 1).is_none()
        };
        let mut declared: Vec<Declared> = view
            .ledger
            .declarations()
            .filter(counts)
            .map(|own| Declared {
                id: view.ledger.ids.short(&own.id()),
                by: view.terms.role(own.node.player).to_string(),
                count: own.count(),
                is_open: course::is_told(view.ledger, own, Past::ALL),
                is_final: correct::is_played_on(view.ledger, &own.id()),
                is_sheet: view.terms.is_of_hidden(&own.declare.slot),
                is_last: course::is_taken_last(view.ledger, own, Past::ALL),
                list: match view.terms.is_of_hidden(&own.declare.slot) {
                    true => List::Turn(course::stated(view.ledger, &own.id())),
                    false => {
                        list(view.terms.slot(&own.declare.slot).map(|(_, phase)| phase.source), &own.declare.input)
                    }
                },
                slot: own.declare.slot.clone(),
            })
            .collect();
        declared.sort_by(|one, other| {
            let at = |own: &Declared| (own.slot.turn, own.slot.impulse, own.slot.number);
            at(other).cmp(&at(one))
        });
        let classes = [FoulUpClass::IllegalMove, FoulUpClass::IllegalOdds, FoulUpClass::WrongList];
        let remedies = &view.terms.charter.foul_up.remedies;
        Ok(Mendable {
            declared,
            people,
            rerolled: classes.into_iter().filter(|class| remedies.of(*class) == Remedy::Redo).collect(),
        })
    })
}

/// Returns the form of a turn with what was declared in it: TOML to change into what should have been declared. `id` is
/// the beginning of the declaration's id. It is `None` if the declaration has no such form.
///
/// # Errors
/// If there is no such game.
pub fn form(home: &Home, name: Option<&str>, id: &str) -> PlayResult<Option<String>> {
    Table::find_quietly(home, name, Table::is_played)?.view(|view| {
        let own = view.ledger.declarations().find(|own| view.ledger.ids.short(&own.id()) == id);
        let again = own.and_then(|own| {
            let (_, phase) = view.terms.slot(&own.declare.slot)?;
            phase.system.resolver().course()?.form_again(&own.state()?, &own.declare.input).ok()
        });
        Ok(again)
    })
}

/// Returns the roles and names of the players of a game, safe to show.
///
/// # Errors
/// If there is no such game.
pub fn people(home: &Home, name: Option<&str>) -> PlayResult<Vec<(String, String)>> {
    Ok(Table::find_quietly(home, name, Table::lives)?.people())
}

fn list(source: Option<Source>, input: &Text) -> List {
    match source {
        Some(Source::Coin) => {
            let read = input.read::<Attacks>().map(|sheet| sheet.attacks).unwrap_or_default();
            let row = |attack: Attack| {
                let order = attack.order.map_or_else(String::new, |order| order.to_string());
                [attack.hexes.join("+"), attack.odds, order]
            };
            List::Attacks(read.into_iter().map(row).collect())
        }
        Some(Source::Sheet) => {
            let read = input.read::<Rolls>().map(|sheet| sheet.rolls).unwrap_or_default();
            List::Rolls(read.into_iter().map(|roll| roll.why).collect())
        }
        Some(Source::Plain) | None => List::Turn(inputs::stated(input)),
    }
}

impl Table {
    /// Returns the roles and names of both players, safe to show.
    pub(super) fn people(&self) -> Vec<(String, String)> {
        let players = self.terms.charter.parties.iter().map(|party| (party.role.to_string(), visible(&party.name)));
        players.collect()
    }
}
