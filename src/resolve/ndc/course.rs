//! The public course: its states and the steps that follow them (`protocol/ndc.md`).

use std::sync::Arc;

use super::{game::Game, input::Input, refused::refuse, settings::Settings, state::State, tables::Tables, tell};
use crate::{
    blob::{
        body::{Lines, Role, Select, Source},
        json::{Text, Value},
    },
    error::Result,
    resolve::{
        Account, Awaits, Course, Draws, Given, Hidden, Object, Outcome, Place, Plan, Resolver, Rolls, Settled, object,
    },
};

/// The system with its settings and tables.
#[derive(Clone, Debug)]
pub struct Ndc {
    pub(super) game: Arc<Game>,
}

impl Settled for Ndc {
    fn stated(_: &Object) -> Vec<String> {
        ["ammo", "defender_to_sign", "doctrine", "letters", "low_columns", "sectors", "sides"].map(String::from).into()
    }

    fn prefill(_: &Object) -> Result<Object> {
        Settings::prefill()
    }

    fn settle(settings: &Object, tables: &Object) -> Result<Self> {
        let game = Game { settings: Settings::settle(settings)?, tables: Tables::settle(tables)? };
        Ok(Self { game: Arc::new(game) })
    }
}

impl Resolver for Ndc {
    fn source(&self) -> Source {
        Source::Plain
    }

    fn read(&self, input: &Text, _: bool) -> Result<Box<dyn Rolls>> {
        let input = Input::read(&self.game.settings, input)?;
        Ok(Box::new(Stated { game: Arc::clone(&self.game), input }))
    }

    fn course(&self) -> Option<&dyn Course> {
        Some(self)
    }
}

impl Course for Ndc {
    fn roles(&self) -> Vec<&Role> {
        self.game.settings.sides.iter().collect()
    }

    fn names_declarer(&self) -> bool {
        true
    }

    fn phases(&self) -> usize {
        1
    }

    fn first_place(&self, _: &Object) -> Result<(u64, usize)> {
        Ok((1, 0))
    }

    fn begin(&self) -> Result<Object> {
        object(&State::begin(&self.game.settings))
    }

    fn awaits(&self, state: &Object) -> Result<Awaits> {
        let state = State::read(&self.game.settings, state)?;
        let begins = state.begins_turn(&self.game.settings);
        let by = Some(state.awaits.by);
        Ok(if begins { Awaits::Turn(by) } else { Awaits::More(by) })
    }

    fn note_bytes(&self, _: &Object) -> Result<usize> {
        Ok(usize::try_from(self.game.settings.sheet_bytes).unwrap_or(usize::MAX))
    }

    fn decide(&self, _: &Object, name: &str, _: &Value, _: &mut Account) -> Result<Outcome> {
        Err(refuse(5, format_args!("ndc asks for no decisions, so not for {name:?}: declare the next step instead")))
    }

    fn hidden(&self) -> Option<&dyn Hidden> {
        Some(self)
    }

    fn check_standing(&self, _: &Object) -> Result<()> {
        Err(refuse(18, "ndc does not take standing notes: put standing orders into the sheet, under orders"))
    }
}

/// An input that was read. Its dice are its author's secret, so the public state does not depend on them.
struct Stated {
    pub(super) game: Arc<Game>,
    input: Input,
}

impl Rolls for Stated {
    fn canonical(&self) -> Result<Text> {
        self.input.text()
    }

    fn for_redo(&self) -> Result<Text> {
        self.canonical()
    }

    fn fits(&self, state: &Object) -> Result<()> {
        State::read(&self.game.settings, state)?.fits(&self.game.settings, &self.input)
    }

    fn count(&self) -> u64 {
        self.game.settings.rolls()
    }

    fn plan(&self, _: &Object) -> Result<Plan> {
        let lines = self.count();
        let select = Select::Plain(Lines { index: 0, lines });
        Ok(Plan { places: (1..=lines).map(|line| Place { index: 0, line }).collect(), select: Some(select) })
    }

    fn resolve(&self, given: Given<'_>, _: &[Place], _: &mut Draws<'_>, account: &mut Account) -> Result<Outcome> {
        let state = State::read(&self.game.settings, given.state)?;
        state.fits(&self.game.settings, &self.input)?;
        let next = state.after(&self.game.settings, &self.input);
        account.add(|| tell::input(&state, &self.input));
        Ok(Outcome::done(object(&next)?, Text::of(&Object::new())?))
    }
}
