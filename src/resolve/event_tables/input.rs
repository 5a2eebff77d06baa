//! What is declared: facts and the roster (`protocol/event-tables.md` 14).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    Game, refuse,
    state::State,
    tables::Entry,
    turn::Turn,
    words::{Known, Type, is_entry},
};
use crate::{
    blob::{
        body::{Lines, Select},
        json::{Map, Text, Value},
    },
    error::{Error, Result},
    limits::EVENT_ENTRIES,
    resolve::{Account, Draws, Given, Object, Outcome, Place, Plan, Rolls, read_input},
};

/// The place of the one roll: line 1 of the one envelope.
const PLACE: Place = Place { index: 0, line: 1 };

/// The input: facts and roster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Situation {
    #[serde(default)]
    pub(super) facts: BTreeMap<String, Value>,
    #[serde(default)]
    pub(super) roster: BTreeMap<String, Vec<Map<String, Value>>>,
}

/// The name of an entry.
pub(super) fn name_of(entry: &Map<String, Value>) -> &str {
    entry.get("name").and_then(Value::as_str).unwrap_or_default()
}

impl Situation {
    /// The entry of a name.
    pub(super) fn entry(&self, kind: &str, name: &str) -> Option<&Map<String, Value>> {
        self.roster.get(kind)?.iter().find(|entry| name_of(entry) == name)
    }

    /// Fills in what need not be written.
    fn fill(&mut self, game: &Game) {
        for (name, kind) in &game.tables.kinds {
            for entry in self.roster.entry(name.clone()).or_default() {
                let bools = kind.attributes.iter().filter(|(_, of)| **of == Type::Bool);
                for (attribute, _) in bools.filter(|(attribute, _)| *attribute != "name") {
                    entry.entry(attribute.clone()).or_insert(Value::Bool(false));
                }
            }
        }
    }

    /// That everything in it is of its type.
    pub(super) fn check(&self, game: &Game) -> Result<()> {
        let tables = &game.tables;
        for (name, value) in &self.facts {
            let fact = tables.facts.get(name).ok_or_else(|| refuse(14, format_args!("there is no fact {name:?}")))?;
            if fact.values.value(value).is_none() {
                return Err(refuse(14, format_args!("the fact {name} is {}", fact.values.tell())));
            }
        }
        if self.roster.values().map(Vec::len).sum::<usize>() > EVENT_ENTRIES {
            return Err(refuse(14, format_args!("the roster has more than {EVENT_ENTRIES} entries")));
        }
        for (name, entries) in &self.roster {
            let kind = tables.kinds.get(name).ok_or_else(|| refuse(14, format_args!("there is no kind {name:?}")))?;
            let mut seen = std::collections::BTreeSet::new();
            for entry in entries {
                let called = name_of(entry);
                if !is_entry(called) {
                    let why = "has more than 64 bytes, a blank at an end, an invisible character, or an accent that is not \
                               one character with its letter";
                    return Err(refuse(
                        14,
                        format_args!("{name} {called:?} is no name: it is empty, or {why}; write it in another way"),
                    ));
                }
                if !seen.insert(called) {
                    return Err(refuse(
                        14,
                        format_args!("{name} {called:?} stands twice; give one of them another name"),
                    ));
                }
                for (attribute, of) in &kind.attributes {
                    if entry.get(attribute).and_then(|value| of.value(value)).is_none() {
                        return Err(refuse(14, format_args!("{name} {called}: {attribute} is {}", of.tell())));
                    }
                }
                let known = |field: &String| field == "name" || kind.attributes.contains_key(field);
                if let Some(other) = entry.keys().find(|field| !known(field)) {
                    return Err(refuse(14, format_args!("{name} {called}: there is no {other:?}")));
                }
            }
        }
        Ok(())
    }

    /// That it has all facts of a side, and no others, and all kinds.
    pub(super) fn is_whole(&self, game: &Game, side: &str) -> Result<()> {
        let mut facts = game.tables.facts.iter();
        let wrong = facts.find(|(name, fact)| {
            let stated = fact.side.as_ref().is_none_or(|of| of == side);
            stated != self.facts.contains_key(*name)
        });
        match wrong {
            Some((name, _)) if self.facts.contains_key(name) => {
                Err(refuse(14, format_args!("{side} states no fact {name}")))
            }
            Some((name, fact)) => Err(refuse(14, format_args!("state the fact {name}: {}", fact.values.tell()))),
            None if game.tables.kinds.keys().all(|kind| self.roster.contains_key(kind)) => Ok(()),
            None => Err(refuse(14, "the roster lacks a kind")),
        }
    }

    /// That it does not contradict what is established.
    fn agrees(&self, game: &Game, state: &State) -> Result<()> {
        let side = state.side.as_deref().unwrap_or_default();
        for (name, fact) in &game.tables.facts {
            let (Some(mark), Some(value)) = (&fact.at_least, self.facts.get(name)) else { continue };
            let least = state.mark(side, mark);
            // Whoever is at the end of the track is never below.
            let below = |value: Known| value.number() < least && value.number() < fact.values.highest();
            if fact.values.value(value).is_some_and(below) {
                return Err(refuse(14, format_args!("the fact {name}: the letters have established {least} already")));
            }
        }
        for (kind, entries) in &self.roster {
            for entry in entries {
                self.entry_agrees(game, state, kind, entry)?;
            }
        }
        Ok(())
    }

    fn entry_agrees(&self, game: &Game, state: &State, kind: &str, entry: &Map<String, Value>) -> Result<()> {
        let (side, name) = (state.side.as_deref().unwrap_or_default(), name_of(entry));
        let (Some(established), Some(of)) = (state.entry(side, kind, name), game.tables.kinds.get(kind)) else {
            return Ok(());
        };
        for (what, value) in established {
            if of.attributes.contains_key(what) && entry.get(what) != Some(value) {
                return Err(refuse(14, format_args!("{kind} {name}: {what} is {value} since the letters made it so")));
            }
            match of.implies.get(what) {
                Some(None) => {
                    return Err(refuse(14, format_args!("{kind} {name} is {what}, and stands in no roster")));
                }
                Some(Some(condition)) => {
                    let looked = Entry { kind: of, stated: entry, established: Some(established) };
                    let known = |name: &str| looked.known(name).or_else(|| game.known(state, self, name));
                    if !condition.holds(&known) {
                        return Err(refuse(
                            14,
                            format_args!("{kind} {name} is {what}, and the roster says something else"),
                        ));
                    }
                }
                None => {}
            }
        }
        Ok(())
    }
}

impl Game {
    /// What is known of a name that needs no run and no entry (6).
    pub(super) fn known(&self, state: &State, input: &Situation, name: &str) -> Option<Known> {
        let tables = &self.tables;
        let side = state.side.as_deref()?;
        match name {
            "turn" => Some(Known::Number(state.turn)),
            "day" => Some(Known::Number(self.day(state.turn))),
            "side" => Known::word(&tables.sides, side),
            _ if tables.marks.contains_key(name) => Some(Known::Number(state.mark(side, name))),
            _ => {
                let setting =
                    tables.settings.get(name).and_then(|setting| setting.values.value(self.settings.get(name)?));
                setting.or_else(|| tables.facts.get(name).and_then(|fact| fact.values.value(input.facts.get(name)?)))
            }
        }
    }
}

/// An input that was read.
pub(super) struct Declared {
    game: Game,
    pub(super) situation: Situation,
}

impl Declared {
    pub(super) fn read(game: &Game, input: &Text) -> Result<Self> {
        let mut situation: Situation = read_input(input)?;
        situation.fill(game);
        situation.check(game)?;
        Ok(Self { game: game.clone(), situation })
    }

    /// The turn that it begins, or goes on with (14).
    fn turn(&self, state: &Object) -> Result<Turn<'_>> {
        let mut state = State::read(&self.game, state)?;
        match state.pending.take() {
            None => {
                state.go_on(&self.game, &self.situation);
                if state.turn > super::words::NUMBER {
                    return Err(refuse(12, "there is no such turn"));
                }
                self.situation.is_whole(&self.game, state.side.as_deref().unwrap_or_default())?;
                self.situation.agrees(&self.game, &state)?;
                Turn::declared(&self.game, state, self.situation.clone())
            }
            Some(pending) => {
                let entries = self.situation.roster.values().all(Vec::is_empty);
                if !(entries && self.situation.facts.is_empty()) {
                    return Err(refuse(18, "this roll is for what is declared already: its input is empty"));
                }
                let turn = Turn::resumed(&self.game, state, pending);
                match turn.decision() {
                    Some((ask, ..)) => Err(refuse(20, format_args!("the turn awaits the decision {ask}"))),
                    None => Ok(turn),
                }
            }
        }
    }
}

impl Rolls for Declared {
    fn canonical(&self) -> Result<Text> {
        Text::of(&self.situation)
    }

    fn for_redo(&self) -> Result<Text> {
        self.canonical()
    }

    fn fits(&self, state: &Object) -> Result<()> {
        self.turn(state).map(drop)
    }

    fn count(&self) -> u64 {
        1
    }

    fn plan(&self, _: &Object) -> Result<Plan> {
        let select = Select::Plain(Lines { index: PLACE.index, lines: PLACE.line });
        Ok(Plan { places: vec![PLACE], select: Some(select) })
    }

    fn resolve(
        &self,
        given: Given<'_>,
        places: &[Place],
        draws: &mut Draws<'_>,
        account: &mut Account,
    ) -> Result<Outcome> {
        let [place] = places else { return Err(Error::Refused("there is not one place for the one roll".into())) };
        let mut turn = self.turn(given.state)?;
        turn.run(Some((*place, draws)), None)?;
        turn.outcome(account)
    }
}
