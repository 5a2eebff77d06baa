//! A turn (`protocol/event-tables.md` 15 to 18, 32, 35): its runs, one after the other, until one has to wait.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, VecDeque},
};

use super::{
    conditions::Condition,
    game::{Game, refuse},
    ranges,
    situation::{Situation, name_of},
    state::{Pending, Run, State},
    tables::{Entry, From},
    words::Known,
    written::By,
};
use crate::{
    blob::json::{Map, Value},
    error::Result,
    limits::{EVENT_LOOKS, EVENT_RUNS, EVENT_TURN_DICE},
    resolve::{Draws, Place},
};

/// A turn in progress.
pub(super) struct Turn<'g> {
    pub(super) game: &'g Game,
    pub(super) state: State,
    pub(super) input: Situation,
    pub(super) runs: VecDeque<Run>,
    pub(super) late: VecDeque<Run>,
    /// Number of late runs that have entered each event.
    pub(super) waiting: BTreeMap<String, u64>,
    /// Positions of entries in the roster, by kind and name.
    places: OnceCell<BTreeMap<String, BTreeMap<String, usize>>>,
    pub(super) log: Vec<Value>,
    pub(super) said: Vec<String>,
    /// A decision that is made but not used yet.
    pub(super) answer: Option<Value>,
}

/// The dice of a declaration, if any.
pub(super) struct Dice<'a, 'd>(pub(super) Option<(Place, &'a mut Draws<'d>)>);

impl Dice<'_, '_> {
    pub(super) fn throw(&mut self, dice: ranges::Dice, why: &str) -> Result<Option<(Vec<u64>, u64)>> {
        let Some((place, draws)) = &mut self.0 else { return Ok(None) };
        dice.throw(|sides| draws.draw(*place, sides, why)).map(Some)
    }
}

/// How a step ends.
pub(super) enum Flow {
    /// Continue with the next step.
    On,
    /// The run has moved to another event.
    Went,
    /// The run is void, for this reason.
    Void(&'static str),
    /// The step waits for dice.
    Dice,
    /// The step waits for a decision.
    Asks,
}

impl<'g> Turn<'g> {
    /// Begins a turn with a declared input, in a state that has advanced to that turn.
    ///
    /// # Errors
    /// [`crate::error::Error::Refused`] if the turn exceeds a limit.
    pub(super) fn declared(game: &'g Game, state: State, input: Situation) -> Result<Self> {
        let pending = Pending { input, late: Vec::new(), runs: Vec::new() };
        let mut turn = Self::resumed(game, state, pending);
        let (side, number) = (turn.owner().to_owned(), turn.state.turn);
        turn.say(format!("turn {number}, day {}, {side} ({}) rolls", game.day(number), game.role(&side)));
        for name in game.tables.each_turn.get(&side).into_iter().flatten() {
            let each = game.tables.events.get(name).and_then(|event| event.each.as_ref());
            match each {
                None => turn.runs.push_back(Run::begins(name)),
                Some((kind, filter)) => {
                    let from =
                        From { kind: kind.clone(), filter: filter.clone(), register: kind.clone(), optional: false };
                    for entry in turn.candidates(&Run::default(), &from) {
                        let mut run = Run::begins(name);
                        run.bound.insert(kind.clone(), entry);
                        turn.runs.push_back(run);
                    }
                }
            }
        }
        if turn.runs.len() > EVENT_RUNS {
            let many = turn.runs.len();
            return Err(refuse(
                15,
                format_args!("{many} events begin by themselves; shorten the roster to have at most {EVENT_RUNS}"),
            ));
        }
        turn.runs.extend(game.tables.main.get(&side).map(|target| Run::begins(target)));
        let dearest = || turn.runs.iter().filter_map(|run| game.tables.dearest.get(&run.event));
        let (dice, looks) = (dearest().map(|run| run.dice).sum::<u64>(), dearest().map(|run| run.looks).sum::<u64>());
        if dice > EVENT_TURN_DICE {
            return Err(refuse(
                15,
                format_args!("the turn could draw {dice} dice; shorten the roster to draw at most {EVENT_TURN_DICE}"),
            ));
        }
        let entries = turn.input.roster.values().map(Vec::len).sum::<usize>() as u64;
        if looks.saturating_mul(entries) > EVENT_LOOKS {
            return Err(refuse(
                15,
                format_args!(
                    "{entries} entries with {looks} checks each; shorten the roster to need at most {EVENT_LOOKS}"
                ),
            ));
        }
        Ok(turn)
    }

    /// Resumes a turn.
    pub(super) fn resumed(game: &'g Game, state: State, pending: Pending) -> Self {
        let Pending { input, late, runs } = pending;
        let (runs, mut turn) = (
            runs.into(),
            Self {
                game,
                state,
                input,
                runs: VecDeque::new(),
                late: VecDeque::new(),
                waiting: BTreeMap::new(),
                places: OnceCell::new(),
                log: Vec::new(),
                said: Vec::new(),
                answer: None,
            },
        );
        turn.runs = runs;
        late.into_iter().for_each(|run| turn.wait(run));
        turn
    }

    /// Makes a run wait until all others are done or waiting too.
    pub(super) fn wait(&mut self, run: Run) {
        for event in &run.path {
            *self.waiting.entry(event.clone()).or_default() += 1;
        }
        self.late.push_back(run);
    }

    /// Returns the side that rolls.
    pub(super) fn owner(&self) -> &str {
        self.state.side.as_deref().unwrap_or_default()
    }

    /// Returns the other side.
    pub(super) fn enemy(&self) -> &str {
        self.game.tables.other(self.owner())
    }

    /// Returns the number of waiting runs that have entered an event. They may still complete it.
    pub(super) fn waiting_in(&self, event: &str) -> u64 {
        self.waiting.get(event).copied().unwrap_or_default()
    }

    /// Returns the side that decides.
    pub(super) fn side_of(&self, by: By) -> &str {
        match by {
            By::Owner => self.owner(),
            By::Enemy => self.enemy(),
        }
    }

    pub(super) fn say(&mut self, step: String) {
        self.said.push(step);
    }

    /// Returns the value of a name.
    pub(super) fn known(&self, run: &Run, name: &str) -> Option<Known> {
        match name.split_once('.') {
            Some((register, field)) => self.bound(run, register)?.known(field),
            None => self.game.known(&self.state, &self.input, name).or_else(|| run.value(self.game, name)),
        }
    }

    /// Returns the entry in a register.
    fn bound(&self, run: &Run, register: &str) -> Option<Entry<'_>> {
        let kind = self.game.tables.registers.get(register)?;
        let places = self.places.get_or_init(|| {
            let places = |entries: &Vec<Map<String, Value>>| {
                entries.iter().enumerate().map(|(place, entry)| (name_of(entry).to_owned(), place)).collect()
            };
            self.input.roster.iter().map(|(kind, entries)| (kind.clone(), places(entries))).collect()
        });
        let place = *places.get(kind)?.get(run.bound.get(register)?)?;
        self.entry(kind, self.input.roster.get(kind)?.get(place)?)
    }

    fn entry<'t>(&'t self, kind: &str, stated: &'t Map<String, Value>) -> Option<Entry<'t>> {
        let established = self.state.entry(self.owner(), kind, name_of(stated));
        Some(Entry { kind: self.game.tables.kinds.get(kind)?, stated, established })
    }

    /// Returns the names of the entries that qualify, in roster order (30).
    pub(super) fn candidates(&self, run: &Run, from: &From) -> Vec<String> {
        let Some(kind) = self.game.tables.kinds.get(&from.kind) else { return Vec::new() };
        // Names that do not depend on the entry are looked up once.
        let others = from.filter.iter().flat_map(Condition::names).filter(|name| kind.type_of(name).is_none());
        let others: BTreeMap<&str, Option<Known>> = others.map(|name| (name, self.known(run, name))).collect();
        let fits = |entry: &&Map<String, Value>| {
            let Some(entry) = self.entry(&from.kind, entry) else { return false };
            let known = |name: &str| others.get(name).map_or_else(|| entry.known(name), Clone::clone);
            !entry.is_gone() && from.filter.as_ref().is_none_or(|filter| filter.holds(&known))
        };
        let entries = self.input.roster.get(&from.kind).into_iter().flatten();
        entries.filter(fits).map(|entry| name_of(entry).to_owned()).collect()
    }

    /// Returns the waiting run.
    pub(super) fn waits(&self) -> Option<&Run> {
        self.runs.front().or_else(|| self.late.front())
    }
}
