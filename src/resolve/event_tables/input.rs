//! The declared input: facts and the roster (`protocol/event-tables.md` 14, 28).

use super::{
    game::{Game, refuse},
    situation::{Situation, name_of},
    state::State,
    tables::Entry,
    turn::Turn,
    words::Known,
};
use crate::{
    blob::{
        body::{Lines, Select},
        json::{Map, Text, Value},
    },
    error::{Error, Result},
    resolve::{Account, Draws, Given, Object, Outcome, Place, Plan, Rolls, read_input},
};

/// Place of the only roll: line 1 of the only envelope.
const PLACE: Place = Place { index: 0, line: 1 };

impl Situation {
    /// Checks that the situation does not contradict established values.
    fn agrees(&self, game: &Game, state: &State) -> Result<()> {
        let side = state.side.as_deref().unwrap_or_default();
        for (name, fact) in &game.tables.facts {
            let (Some(mark), Some(value)) = (&fact.at_least, self.facts.get(name)) else { continue };
            let least = state.mark(side, mark);
            // A value at the end of its track is never too low.
            let below = |value: Known| value.number() < least && value.number() < fact.values.highest();
            if fact.values.value(value).is_some_and(below) {
                return Err(refuse(
                    28,
                    format_args!("the fact {name} must be at least {least}, as earlier letters say"),
                ));
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
                return Err(refuse(28, format_args!("{kind} {name}: {what} must be {value}, as earlier letters say")));
            }
            match of.implies.get(what) {
                Some(None) => {
                    return Err(refuse(28, format_args!("{kind} {name} is {what}; remove it from the roster")));
                }
                Some(Some(condition)) => {
                    let looked = Entry { kind: of, stated: entry, established: Some(established) };
                    let known = |name: &str| looked.known(name).or_else(|| game.known(state, self, name));
                    if !condition.holds(&known) {
                        return Err(refuse(
                            28,
                            format_args!(
                                "{kind} {name} is {what}: correct its entry in the roster, so that {condition}"
                            ),
                        ));
                    }
                }
                None => {}
            }
        }
        Ok(())
    }
}

/// A parsed input.
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

    /// Returns the turn that the input begins (13, 15) or continues (18, 20).
    fn turn(&self, state: &Object) -> Result<Turn<'_>> {
        let mut state = State::read(&self.game, state)?;
        match state.pending.take() {
            None => {
                state.go_on(&self.game, &self.situation);
                if state.turn > super::words::NUMBER {
                    return Err(refuse(12, "no turn can follow the last one, 9999"));
                }
                self.situation.is_whole(&self.game, state.side.as_deref().unwrap_or_default())?;
                self.situation.agrees(&self.game, &state)?;
                Turn::declared(&self.game, state, self.situation.clone())
            }
            Some(pending) => {
                let entries = self.situation.roster.values().all(Vec::is_empty);
                if !(entries && self.situation.facts.is_empty()) {
                    return Err(refuse(18, "this roll is for an earlier declaration; leave its input empty"));
                }
                let turn = Turn::resumed(&self.game, state, pending);
                match turn.decision() {
                    Some((ask, ..)) => Err(refuse(20, format_args!("the decision {ask} must be made first"))),
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
        let [place] = places else { return Err(Error::Refused("the roll must have exactly one place".into())) };
        let mut turn = self.turn(given.state)?;
        turn.run(Some((*place, draws)), None)?;
        turn.outcome(account)
    }
}
