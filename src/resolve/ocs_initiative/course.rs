//! The course of OCS initiative: its states and what they await (`protocol/ocs-initiative.md`).

use std::fmt;

use super::{
    input::{self, Initiative},
    settings::{FluxHolder, Settings, refuse},
    state::{Decision, Marker, Markers, Order, Pending, State, list},
    turn::Turn,
};
use crate::{
    blob::{
        body::{Role, Source},
        json::{self, Text, Value},
    },
    error::Result,
    resolve::{
        Account, AllowedAnswers, Awaits, Course, Names, Object, Outcome, Resolver, Rolls, Settled, object, read,
    },
};

/// The system with its settings.
#[derive(Clone, Debug)]
pub struct OcsInitiative {
    pub(super) settings: Settings,
}

impl Settled for OcsInitiative {
    fn stated(_: &Object) -> Vec<String> {
        ["first_player", "sides"].map(String::from).into()
    }

    fn prefill(_: &Object) -> Result<Object> {
        let sides = [Role::parse("red"), Role::parse("blue")];
        let [Some(red), Some(blue)] = sides else { return Ok(Object::new()) };
        let settings = Settings {
            first_player: None,
            flux_holder: FluxHolder::FirstMover,
            pop_then_second: false,
            sides: [red, blue],
        };
        object(&settings)
    }

    fn settle(given: &Object, _: &Object) -> Result<Self> {
        let settings: Settings = read("settings", given)?;
        let [one, two] = &settings.sides;
        if one == two {
            return Err(refuse(1, format_args!("both sides are {one}; name two different roles")));
        }
        if !given.contains_key("first_player") {
            return Err(refuse(1, "the setting first_player is missing; set it to a role, or to null for none"));
        }
        if let Some(first) = &settings.first_player
            && !settings.sides.contains(first)
        {
            return Err(refuse(1, format_args!("the first player must be {one} or {two}, not {first}")));
        }
        Ok(Self { settings })
    }
}

impl Resolver for OcsInitiative {
    fn source(&self) -> Source {
        Source::Plain
    }

    fn read(&self, input: &Text, _: bool) -> Result<Box<dyn Rolls>> {
        Ok(Box::new(Initiative::read(&self.settings, input)?))
    }

    fn course(&self) -> Option<&dyn Course> {
        Some(self)
    }
}

impl Course for OcsInitiative {
    fn roles(&self) -> Vec<&Role> {
        self.settings.sides.iter().collect()
    }

    fn rolls_for_both(&self) -> bool {
        true
    }

    fn names_declarer(&self) -> bool {
        true
    }

    fn phases(&self) -> usize {
        1
    }

    fn first_place(&self, state: &Object) -> Result<(u64, usize)> {
        Ok((State::read(&self.settings, state)?.turn + 1, 0))
    }

    fn begin(&self) -> Result<Object> {
        object(&State::begin(&self.settings))
    }

    fn awaits(&self, state: &Object) -> Result<Awaits> {
        let state = State::read(&self.settings, state)?;
        let declarer = state.declarer(&self.settings);
        let Some(Pending { awaits, by, deficit, .. }) = state.pending else {
            return Ok(Awaits::Turn(Some(declarer)));
        };
        let answers = match awaits {
            Decision::Order => AllowedAnswers::words(["first", "second"]),
            Decision::Pop => AllowedAnswers::Names(pops(&state.markers, deficit)),
        };
        Ok(Awaits::Decision { name: awaits.name().into(), about: None, by, answers })
    }

    fn check_standing(&self, says: &Object) -> Result<()> {
        input::ordered(says).map(drop)
    }

    fn decide(&self, state: &Object, name: &str, value: &Value, account: &mut Account) -> Result<Outcome> {
        let mut state = State::read(&self.settings, state)?;
        let Some(pending) = state.pending.take().filter(|pending| pending.awaits.name() == name) else {
            return Err(refuse(13, format_args!("the decision {name:?} is not due now")));
        };
        match pending.awaits {
            Decision::Order => {
                let order: Order =
                    json::read_value(value).map_err(|_| refuse(11, "the order must be first or second"))?;
                let by = pending.by.clone();
                let mut turn = Turn::resumed(&self.settings, state, pending);
                turn.chooses(&by, order);
                turn.outcome(account)
            }
            Decision::Pop => {
                let popped = popped(&state, pending.deficit, value)?;
                let by = pending.by.clone();
                let mut turn = Turn::resumed(&self.settings, state, pending);
                match popped {
                    Some(markers) => turn.pop(markers),
                    None => turn.declines(&by),
                }
                turn.outcome(account)
            }
        }
    }
}

/// The markers that a decision may pop: as many as the holder is behind, or none (10).
fn pops(markers: &Markers, deficit: u64) -> Names {
    Names {
        count: usize::try_from(deficit).unwrap_or(usize::MAX),
        or_none: true,
        all: markers.iter().map(|marker| list([marker])).collect(),
        gone: Vec::new(),
        by_number: false,
    }
}

/// Returns the markers that a decision pops, if any: as many as the holder is behind (10).
fn popped(state: &State, deficit: u64, value: &Value) -> Result<Option<Markers>> {
    let refused =
        |what: &dyn fmt::Display| refuse(10, format_args!("{what}; choose {}", pops(&state.markers, deficit)));
    let written: Vec<Marker> = json::read_value(value).map_err(|error| refused(&error))?;
    let markers = input::once(&written)?;
    if markers.is_empty() {
        return Ok(None);
    }
    if markers.len() as u64 != deficit || !markers.is_subset(&state.markers) {
        return Err(refused(&format_args!("{} cannot be popped", list(&markers))));
    }
    Ok(Some(markers))
}
