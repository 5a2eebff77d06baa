//! The state between turns and within one (`protocol/event-tables.md` 12, 13, 20).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    game::Game,
    orders::is_written,
    situation::Situation,
    tables::{Does, From},
    words::{Known, NUMBER, Type},
    written::{Lasts, Per},
};
use crate::{
    blob::json::{Map, Value},
    error::{Error, Result},
    resolve::{Object, object, read},
};

/// Nonzero counts by name.
pub(super) type Counts = BTreeMap<String, BTreeMap<String, u64>>;

/// The state of an `event-tables` course (12).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State {
    pub(super) entries: BTreeMap<String, Map<String, Value>>,
    pub(super) marks: Counts,
    pub(super) pending: Option<Pending>,
    pub(super) side: Option<String>,
    pub(super) turn: u64,
    pub(super) used: Counts,
}

/// The unfinished part of a waiting turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pending {
    pub(super) input: Situation,
    pub(super) late: Vec<Run>,
    pub(super) runs: Vec<Run>,
}

/// A path through the events.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Run {
    /// Names of entries by register.
    pub(super) bound: BTreeMap<String, String>,
    /// The current event, or the target if the run has not begun.
    pub(super) event: String,
    /// Events entered so far.
    pub(super) path: Vec<String>,
    /// Names picked for a pool.
    pub(super) picks: Vec<String>,
    /// The current step of the event; `None` before the run begins.
    pub(super) step: Option<usize>,
    /// Values of dice, and words chosen.
    pub(super) values: BTreeMap<String, Value>,
}

/// Returns the key for an entry's established values.
pub(super) fn key(side: &str, kind: &str, name: &str) -> String {
    format!("{side}/{kind}/{name}")
}

impl State {
    /// Parses a state in canonical form, and checks it against the game.
    pub(super) fn read(game: &Game, given: &Object) -> Result<Self> {
        let no_state = |why: String| Error::Refused(format!("not a valid event-tables state: {why}"));
        let state: Self = read("state", given).map_err(|error| no_state(error.to_string()))?;
        if object(&state)? != *given {
            return Err(no_state("a field is missing".into()));
        }
        state.check(game).map_err(no_state)?;
        Ok(state)
    }

    fn check(&self, game: &Game) -> Result<(), String> {
        let tables = &game.tables;
        let is_side = |side: &String| tables.sides.contains(side);
        if self.turn > NUMBER || self.side.is_some() != (self.turn > 0) || !self.side.iter().all(is_side) {
            return Err("turn and side do not fit together".into());
        }
        if self.turn == 0 && *self != Self::default() {
            return Err("the state before turn 1 must be empty".into());
        }
        let counted = |counts: &Counts, outer: &dyn Fn(&String) -> bool, inner: &dyn Fn(&String) -> bool| {
            counts.iter().all(|(name, counts)| {
                let each = |(name, n): (&String, &u64)| inner(name) && (1..=NUMBER).contains(n);
                outer(name) && !counts.is_empty() && counts.iter().all(each)
            })
        };
        if !counted(&self.marks, &is_side, &|mark| tables.marks.contains_key(mark)) {
            return Err("marks: a side, a mark or a count is not valid".into());
        }
        let limited = |name: &String| tables.events.get(name).is_some_and(|event| event.limit.is_some());
        if !counted(&self.used, &limited, &is_side) {
            return Err("used: an event, a side or a count is not valid".into());
        }
        if let Some((key, _)) = self.entries.iter().find(|(key, entry)| !fits(game, key, entry)) {
            return Err(format!("entries: {key}: the entry does not fit the tables"));
        }
        let side = self.side.as_deref().unwrap_or_default();
        self.pending.as_ref().map_or(Ok(()), |pending| pending.check(game, side))
    }

    /// Returns the side that declares next, and its turn.
    pub(super) fn next<'g>(&self, game: &'g Game) -> (&'g str, u64) {
        match &self.side {
            Some(side) if *side == game.first => (game.tables.other(side), self.turn),
            _ => (&game.first, self.turn + 1),
        }
    }

    /// Returns the established values of an entry.
    pub(super) fn entry(&self, side: &str, kind: &str, name: &str) -> Option<&Map<String, Value>> {
        self.entries.get(&key(side, kind, name))
    }

    /// Returns the value of a side's mark.
    pub(super) fn mark(&self, side: &str, mark: &str) -> u64 {
        self.marks.get(side).and_then(|marks| marks.get(mark)).copied().unwrap_or_default()
    }

    /// Advances to the next turn (13).
    pub(super) fn go_on(&mut self, game: &Game, input: &Situation) {
        let (side, turn) = self.next(game);
        let side = side.to_owned();
        let tables = &game.tables;
        if game.day(turn) != game.day(self.turn) {
            let daily = |name: &String| {
                tables
                    .events
                    .get(name)
                    .and_then(|event| event.limit.as_ref())
                    .is_some_and(|limit| limit.per == Per::Day)
            };
            self.used.retain(|name, _| !daily(name));
        }
        self.entries.retain(|key, _| {
            let mut parts = key.splitn(3, '/');
            let (Some(of), Some(kind), Some(name)) = (parts.next(), parts.next(), parts.next()) else { return false };
            let lasts = tables.kinds.get(kind).map_or(Lasts::Turn, |kind| kind.lasts);
            !lasts.passes() || lasts == Lasts::Roster && (of != side || input.entry(kind, name).is_some())
        });
        self.turn = turn;
        self.side = Some(side);
    }

    /// Sets a mark of a side.
    pub(super) fn set_mark(&mut self, side: &str, mark: &str, value: u64) {
        set(&mut self.marks, side, mark, value);
    }

    /// Counts one use of an event.
    pub(super) fn count(&mut self, event: &str, side: &str) {
        let used = self.used.get(event).and_then(|used| used.get(side)).copied().unwrap_or_default();
        set(&mut self.used, event, side, (used + 1).min(NUMBER));
    }

    /// Establishes a value of an entry, or removes it.
    pub(super) fn establish(&mut self, key: String, what: &str, value: Option<Value>) {
        let entry = self.entries.entry(key).or_default();
        match value {
            Some(value) => entry.insert(what.into(), value),
            None => entry.remove(what),
        };
        self.entries.retain(|_, entry| !entry.is_empty());
    }
}

fn set(counts: &mut Counts, outer: &str, inner: &str, value: u64) {
    let of = counts.entry(outer.into()).or_default();
    match value {
        0 => of.remove(inner),
        value => of.insert(inner.into(), value),
    };
    counts.retain(|_, of| !of.is_empty());
}

/// Returns whether an entry can have these established values.
fn fits(game: &Game, key: &str, entry: &Map<String, Value>) -> bool {
    let mut parts = key.splitn(3, '/');
    let (Some(side), Some(kind), Some(name)) = (parts.next(), parts.next(), parts.next()) else { return false };
    let Some(of) = game.tables.kinds.get(kind) else { return false };
    let once = |ask: &str| {
        game.tables.events.values().flat_map(|event| &event.steps).any(|step| match &step.does {
            Does::Write(lines) => {
                let register = lines.once.as_ref().and_then(|once| game.tables.registers.get(once));
                lines.ask == ask && register.is_some_and(|of| of == kind)
            }
            _ => false,
        })
    };
    let value = |(what, value): (&String, &Value)| match (of.attributes.get(what).map(|of| &of.values), value) {
        (Some(words @ Type::Words(_)), value) => words.value(value).is_some(),
        (Some(_), _) => false,
        (None, Value::Number(number)) => {
            of.marks.contains(what) && number.as_u64().is_some_and(|number| (1..=NUMBER).contains(&number))
        }
        (None, Value::Array(texts)) => once(what) && !texts.is_empty() && texts.iter().all(is_written),
        _ => false,
    };
    game.tables.sides.iter().any(|other| other == side)
        && super::words::is_entry(name)
        && !entry.is_empty()
        && entry.iter().all(value)
}

impl Pending {
    fn check(&self, game: &Game, side: &str) -> Result<(), String> {
        self.input.check(game).and_then(|()| self.input.is_whole(game, side)).map_err(|error| error.to_string())?;
        let all = || self.runs.iter().chain(&self.late);
        if all().next().is_none() || !all().all(|run| run.makes_sense(game, &self.input)) {
            return Err("pending: the waiting runs do not fit the tables".into());
        }
        let not_begun = |run: &Run| run.step.is_none() && run.path.is_empty();
        let first = |run: &Run| run.waits_at(game).is_some() || not_begun(run);
        let runs = self.runs.first().is_none_or(first) && self.runs.iter().skip(1).all(not_begun);
        let decides = |run: &Run| run.waits_at(game).is_some_and(|does| !does.draws() && run.picks.is_empty());
        if runs && self.late.iter().all(decides) {
            Ok(())
        } else {
            Err("pending: a run is waiting at a step where no run can wait".into())
        }
    }
}

impl Run {
    /// Creates a run that begins at a target.
    pub(super) fn begins(target: &str) -> Self {
        Self { event: target.to_owned(), ..Self::default() }
    }

    /// Returns the step at which the run waits, if any.
    pub(super) fn waits_at<'g>(&self, game: &'g Game) -> Option<&'g Does> {
        let does = &game.tables.events.get(&self.event)?.steps.get(self.step?)?.does;
        let waits = does.draws() || matches!(does, Does::Choose { .. } | Does::Word { .. } | Does::Write(_));
        waits.then_some(does)
    }

    fn makes_sense(&self, game: &Game, input: &Situation) -> bool {
        let tables = &game.tables;
        let kind_of = |register: &String| tables.registers.get(register);
        let bound = |(register, name): (&String, &String)| {
            kind_of(register).is_some_and(|kind| input.entry(kind, name).is_some())
        };
        let value = |(name, value): (&String, &Value)| match tables.type_of(name, None) {
            Some(of) => {
                let rolled = tables.dice.contains_key(name) || tables.asks.contains_key(name);
                rolled && (of.value(value).is_some())
            }
            None => false,
        };
        let from: Option<&From> = match self.waits_at(game) {
            Some(Does::Pool { from, .. }) => Some(from),
            _ => None,
        };
        let picks = self.picks.iter().enumerate().all(|(i, name)| {
            let once = !self.picks.iter().take(i).any(|other| other == name);
            once && from.is_some_and(|from| input.entry(&from.kind, name).is_some())
        });
        let target = tables.tables.contains_key(&self.event) || tables.events.contains_key(&self.event);
        target
            && self.bound.iter().all(bound)
            && self.path.iter().all(|event| tables.events.contains_key(event))
            && self.values.iter().all(value)
            && picks
    }

    /// Returns the value of a die or a choice in this run.
    pub(super) fn value(&self, game: &Game, name: &str) -> Option<Known> {
        game.tables.type_of(name, None)?.value(self.values.get(name)?)
    }
}

impl Game {
    /// Returns the value of a name that does not depend on a run or an entry (6, 23).
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
