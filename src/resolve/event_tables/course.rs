//! The course of a game with events: its states and what they await (`protocol/event-tables.md`).

use std::{collections::BTreeMap, sync::Arc};

use serde::Deserialize;

use super::{
    game::{Game, refuse, tables_of},
    input::Declared,
    orders,
    state::State,
    turn::Turn,
};
use crate::{
    blob::{
        body::{Role, Source},
        json::{Text, Value},
    },
    error::Result,
    limits::EVENT_NOTE_BYTES,
    resolve::{Account, Awaits, Course, Object, Outcome, Resolver, Rolls, Settled, object, read},
};

/// The system with its tables and settings.
#[derive(Clone, Debug)]
pub struct EventTables {
    pub(super) game: Game,
}

impl EventTables {
    /// Returns the turn waiting in a state, if any.
    pub(super) fn waits(&self, state: &Object) -> Result<Option<Turn<'_>>> {
        let mut state = State::read(&self.game, state)?;
        let pending = state.pending.take();
        Ok(pending.map(|pending| Turn::resumed(&self.game, state, pending)))
    }
}

impl Settled for EventTables {
    fn prefill(tables: &Object) -> Result<Object> {
        let tables = tables_of(tables)?;
        let [one, _] = &tables.sides;
        let sides: Object = tables.sides.iter().map(|side| (side.clone(), side.replace('_', "-").into())).collect();
        let own = tables.settings.iter().map(|(name, setting)| {
            (name.clone(), setting.prefill.clone().unwrap_or_else(|| setting.values.fallback()))
        });
        let mut all: Object = own.collect();
        all.insert("sides".into(), sides.into());
        all.insert("first".into(), one.as_str().into());
        Ok(all)
    }

    fn stated(tables: &Object) -> Vec<String> {
        let Ok(tables) = tables_of(tables) else { return Vec::new() };
        let open = tables.settings.iter().filter(|(_, setting)| setting.prefill.is_none());
        open.map(|(name, _)| name.clone()).chain(["first".into(), "sides".into()]).collect()
    }

    fn settle(given: &Object, tables: &Object) -> Result<Self> {
        #[derive(Deserialize)]
        struct Own {
            first: String,
            sides: BTreeMap<String, Role>,
        }
        let tables = tables_of(tables)?;
        let Own { first, sides } = read("settings", given)?;
        let [one, two] = &tables.sides;
        let roles = match (sides.get(one), sides.get(two)) {
            (Some(a), Some(b)) if a != b && sides.len() == 2 => [a.clone(), b.clone()],
            _ => {
                return Err(refuse(10, format_args!("sides: give {one} and {two} different roles")));
            }
        };
        if !tables.sides.contains(&first) {
            return Err(refuse(10, format_args!("first: it must be {one} or {two}")));
        }
        let mut settings = given.clone();
        settings.retain(|name, _| name != "sides" && name != "first");
        if let Some(other) = settings.keys().find(|name| !tables.settings.contains_key(*name)) {
            return Err(refuse(10, format_args!("{}: unknown setting {other:?}; remove it", tables.title)));
        }
        for (name, setting) in &tables.settings {
            let fits = settings.get(name).is_some_and(|value| setting.values.value(value).is_some());
            if !fits {
                let about = setting.about.as_ref().map(|about| format!(" ({about})")).unwrap_or_default();
                return Err(refuse(10, format_args!("set {name}{about}; allowed: {}", setting.values.tell())));
            }
        }
        let days: Vec<u64> = tables.days.iter().filter_map(|day| settings.get(day)?.as_u64()).collect();
        if !days.is_sorted() {
            return Err(refuse(
                10,
                format_args!("{}: a day cannot begin before the previous day", tables.days.join(", ")),
            ));
        }
        Ok(Self { game: Game { tables: Arc::new(tables), roles, first, settings, days } })
    }
}

impl Resolver for EventTables {
    fn source(&self) -> Source {
        Source::Plain
    }

    fn read(&self, input: &Text, _: bool) -> Result<Box<dyn Rolls>> {
        Ok(Box::new(Declared::read(&self.game, input)?))
    }

    fn course(&self) -> Option<&dyn Course> {
        Some(self)
    }
}

impl Course for EventTables {
    fn roles(&self) -> Vec<&Role> {
        self.game.roles.iter().collect()
    }

    fn names_declarer(&self) -> bool {
        true
    }

    fn phases(&self) -> usize {
        2
    }

    fn first_place(&self, state: &Object) -> Result<(u64, usize)> {
        let state = State::read(&self.game, state)?;
        let (side, turn) = state.next(&self.game);
        Ok((turn, usize::from(side != self.game.first)))
    }

    fn begin(&self) -> Result<Object> {
        object(&State::default())
    }

    fn awaits(&self, state: &Object) -> Result<Awaits> {
        let mut state = State::read(&self.game, state)?;
        let Some(pending) = state.pending.take() else {
            return Ok(Awaits::Turn(Some(self.game.role(state.next(&self.game).0))));
        };
        let turn = Turn::resumed(&self.game, state, pending);
        Ok(match turn.decision() {
            Some((name, by, answers)) => {
                let about = self.game.tables.asks.get(&name).and_then(|ask| ask.about.clone());
                Awaits::Decision { name, about, by: self.game.role(turn.side_of(by)), answers }
            }
            None => Awaits::More(Some(self.game.role(turn.owner()))),
        })
    }

    fn note_bytes(&self, _: &Object) -> Result<usize> {
        Ok(EVENT_NOTE_BYTES)
    }

    fn check_standing(&self, says: &Object) -> Result<()> {
        orders::check(&self.game, says)
    }

    fn wished(&self, state: &Object, wish: &Value) -> Option<Value> {
        let mut state = State::read(&self.game, state).ok()?;
        let pending = state.pending.take()?;
        Turn::resumed(&self.game, state, pending).wished(wish)
    }

    fn decide(&self, state: &Object, name: &str, value: &Value, account: &mut Account) -> Result<Outcome> {
        let mut state = State::read(&self.game, state)?;
        let pending = state.pending.take().ok_or_else(|| refuse(20, "no decision is due now"))?;
        let mut turn = Turn::resumed(&self.game, state, pending);
        if turn.decision().is_none_or(|(awaited, ..)| awaited != name) {
            return Err(refuse(20, format_args!("the decision {name:?} is not due now")));
        }
        turn.run(None, Some(value))?;
        match turn.answer {
            Some(_) => Err(refuse(20, "not a valid event-tables state: no decision is due")),
            None => turn.outcome(account),
        }
    }
}
