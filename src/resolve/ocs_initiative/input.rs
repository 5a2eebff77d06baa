//! The declared input: markers in play, and the holder's advance orders (`protocol/ocs-initiative.md` 7, 8).

use serde::{Deserialize, Serialize};

use super::{
    settings::{Settings, refuse},
    state::{Marker, Markers, Order, Pop, State, list},
    turn::Turn,
};
use crate::{
    blob::{
        body::{Lines, Select},
        json::Text,
    },
    error::{Error, Result},
    limits::LIST,
    resolve::{Account, Draws, Given, Object, Outcome, Place, Plan, Rolls, read, read_input},
};

/// Place of the only roll: line 1 of the only envelope.
const PLACE: Place = Place { index: 0, line: 1 };

/// The input as people write it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    markers: Vec<Marker>,
    #[serde(default)]
    order: Option<Order>,
    #[serde(default)]
    pop: Option<Pop>,
}

/// The input in canonical form (7).
#[derive(Clone, Debug, Serialize)]
pub(super) struct Input {
    pub(super) markers: Markers,
    pub(super) order: Option<Order>,
    pub(super) pop: Option<Pop>,
}

impl Written {
    fn input(self) -> Result<Input> {
        let Self { markers: written, order, pop } = self;
        let markers = once(&written)?;
        if let Some(Pop { at_most, from }) = &pop {
            if *at_most > LIST as u64 {
                return Err(refuse(7, format_args!("pop: at_most must be 0 to {LIST}, not {at_most}")));
            }
            if let Some(other) = once(from)?.difference(&markers).next() {
                return Err(refuse(
                    7,
                    format_args!("pop: {} is not in play; name only markers in play", list([other])),
                ));
            }
        }
        Ok(Input { markers, order, pop })
    }
}

/// Returns the markers as a set, and refuses duplicates.
pub(super) fn once(written: &[Marker]) -> Result<Markers> {
    let mut markers = Markers::new();
    for marker in written {
        if !markers.insert(marker.clone()) {
            return Err(refuse(2, format_args!("the marker {} is listed twice; list it once", list([marker]))));
        }
    }
    Ok(markers)
}

/// Returns the choice in a standing note (7).
pub(super) fn ordered(says: &Object) -> Result<Order> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Standing {
        order: Order,
    }
    read("a standing note", says).map(|Standing { order }| order)
}

/// A parsed input.
pub(super) struct Initiative {
    settings: Settings,
    pub(super) input: Input,
}

impl Initiative {
    pub(super) fn read(settings: &Settings, input: &Text) -> Result<Self> {
        let written: Written = read_input(input)?;
        Ok(Self { settings: settings.clone(), input: written.input()? })
    }

    /// Returns the state if it accepts this input (7).
    fn state(&self, state: &Object) -> Result<State> {
        let state = State::read(&self.settings, state)?;
        state.between_turns()?;
        let Input { markers, pop, .. } = &self.input;
        if state.flux && !(markers.is_empty() && pop.is_none()) {
            return Err(refuse(7, "nobody has markers in a Flux turn; leave out `markers` and `pop`"));
        }
        if let Some(marker) = markers.intersection(&state.bar).next() {
            return Err(refuse(
                7,
                format_args!("{} is on the Bar, so it cannot be in play; leave it out", list([marker])),
            ));
        }
        if markers.len() + state.bar.len() > LIST {
            return Err(refuse(2, format_args!("at most {LIST} markers can be in play and on the Bar")));
        }
        Ok(state)
    }
}

impl Rolls for Initiative {
    fn canonical(&self) -> Result<Text> {
        Text::of(&self.input)
    }

    fn for_redo(&self) -> Result<Text> {
        self.canonical()
    }

    fn fits(&self, state: &Object) -> Result<()> {
        self.state(state).map(|_| ())
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
        let state = self.state(given.state)?;
        let [place] = places else { return Err(Error::Refused("the roll must have exactly one place".into())) };
        let Input { markers, order, pop } = &self.input;
        let mut turn = Turn::declared(&self.settings, state, markers.clone(), *order);
        turn.roll(*place, draws, pop.as_ref())?;
        turn.outcome(account)
    }
}
