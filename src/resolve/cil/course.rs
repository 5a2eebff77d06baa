//! The course of CIL: its states and the steps that follow them (`protocol/cil.md`).

use std::sync::Arc;

use super::{
    battle,
    orders::Note,
    place::Side,
    round::Declared,
    settings::{Mixed, Settings, Table, refuse},
    state::{Decision, Pending, State, check_forces},
};
use crate::{
    blob::{
        body::{Role, Source},
        json::{Text, Value},
    },
    error::Result,
    limits::NOTE_STEP,
    resolve::{Account, AllowedAnswers, Awaits, Course, Object, Outcome, Resolver, Rolls, Settled, object, read},
};

/// The system with its settings.
#[derive(Clone, Debug)]
pub struct Cil {
    pub(super) settings: Arc<Settings>,
}

impl Settled for Cil {
    fn stated(_: &Object) -> Vec<String> {
        ["attacker", "defender", "forces", "season"].map(String::from).into()
    }

    fn prefill(_: &Object) -> Result<Object> {
        let unit = |id: &str| {
            serde_json::json!([{
                "at": "main", "attack": 10, "defense": 4, "effectiveness": 100, "id": id, "kind": "infantry", "strength": 3,
            }])
        };
        let settings = serde_json::json!({
            "assault_cost": 2,
            "attacker": "red",
            "chain": true,
            "defender": "blue",
            "effectiveness": "points",
            "facing": "any",
            "forces": { "attacker": unit("a1"), "defender": unit("b1") },
            "mixed": "off",
            "overrun": "any",
            "probe": "alternate",
            "recover_pct": 0,
            "scale_values": false,
            "season": "summer",
            "spill_absorbs": false,
        });
        object(&settings)
    }

    fn settle(given: &Object, tables: &Object) -> Result<Self> {
        let mut settings: Settings = read("settings", given)?;
        let Settings { attacker, defender, assault_cost, recover_pct, .. } = &settings;
        if attacker == defender {
            return Err(refuse(
                1,
                format_args!("attacker and defender must be two different roles, not both {attacker}"),
            ));
        }
        if !(1..=2).contains(assault_cost) {
            return Err(refuse(1, format_args!("assault_cost must be 1 or 2, not {assault_cost}")));
        }
        if *recover_pct > 100 {
            return Err(refuse(1, format_args!("recover_pct must be 0 to 100, not {recover_pct}")));
        }
        if settings.mixed == Mixed::Table {
            settings.table = Some(Table::read(tables)?);
        }
        check_forces(&settings.forces, settings.table.as_ref(), 1)?;
        Ok(Self { settings: Arc::new(settings) })
    }
}

impl Resolver for Cil {
    fn source(&self) -> Source {
        Source::Plain
    }

    fn read(&self, input: &Text, _: bool) -> Result<Box<dyn Rolls>> {
        Ok(Box::new(Declared::read(&self.settings, input)?))
    }

    fn course(&self) -> Option<&dyn Course> {
        Some(self)
    }
}

impl Course for Cil {
    fn roles(&self) -> Vec<&Role> {
        vec![&self.settings.attacker, &self.settings.defender]
    }

    fn rolls_for_both(&self) -> bool {
        true
    }

    fn names_declarer(&self) -> bool {
        false
    }

    fn takes_orders(&self) -> bool {
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
        let Some(Pending { awaits, by, .. }) = state.pending else { return Ok(Awaits::Turn(None)) };
        let words = |words: [(&str, &'static str); 2]| {
            AllowedAnswers::Word(words.map(|(word, means)| (word.to_owned(), means)).into())
        };
        let answers = match awaits {
            Decision::Night => words([("on", "fight another day"), ("end", "end the battle, if both choose it")]),
            Decision::Battle => AllowedAnswers::Form("the next battle: its attacker, season and both forces"),
            Decision::Agree => words([("yes", "accept the proposed battle"), ("no", "refuse it")]),
        };
        Ok(Awaits::Decision { name: awaits.name().into(), about: None, by, answers })
    }

    fn note_bytes(&self, state: &Object) -> Result<usize> {
        let State { units, .. } = State::read(&self.settings, state)?;
        let mut longest = 0;
        for side in Side::BOTH {
            longest = longest.max(Text::of(&object(&Note::longest(units.of(side)))?)?.as_str().len());
        }
        // One more byte ends the text (envelope 6).
        Ok((longest + 1).next_multiple_of(NOTE_STEP))
    }

    fn check_standing(&self, _: &Object) -> Result<()> {
        Err(refuse(2, "a round takes orders, not standing notes: seal orders for it instead"))
    }

    fn decide(&self, state: &Object, name: &str, value: &Value, account: &mut Account) -> Result<Outcome> {
        battle::decide(&self.settings, State::read(&self.settings, state)?, name, value, account)
    }
}
