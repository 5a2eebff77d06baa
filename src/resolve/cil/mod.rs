//! System `cil`: battles by orders of both sides at once (`protocol/cil.md`).

mod battle;
mod fight;
mod form;
mod fought;
mod hits;
mod orders;
mod outcome;
mod place;
mod round;
mod state;
mod worksheet;

use std::{collections::BTreeMap, fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use self::{
    orders::{Note, Orders},
    place::{Side, Sides},
    round::Declared,
    state::{Decision, Force, Kind, Pending, Season, State, check_forces},
};
use super::{Account, Awaits, Course, Object, Outcome, Resolver, Rolls, object, read, registry::Settled};
use crate::{
    blob::{
        body::{Role, Source},
        json::{Text, Value},
    },
    error::{Error, Result},
    limits::{LIST, NOTE_STEP},
};

/// The table of mixed forces in a charter.
const TABLE: &str = "cil-mixed";

/// The highest weight in it.
const WEIGHT: u64 = 100;

/// The system with its settings.
#[derive(Clone, Debug)]
pub struct Cil {
    settings: Arc<Settings>,
}

/// Who may be fired at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Facing {
    Any,
    Mirror,
    Same,
}

/// What becomes OVERRUN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Overrun {
    Any,
    Targeted,
}

/// How Effectiveness is lost and gained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Effectiveness {
    Points,
    Relative,
}

/// How probes halve casualties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Probe {
    Alternate,
    HitsFloor,
}

/// Whether kinds of units matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mixed {
    Off,
    Table,
}

/// The settings as the charter writes them, with the table that they call for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    assault_cost: u64,
    attacker: Role,
    chain: bool,
    defender: Role,
    effectiveness: Effectiveness,
    facing: Facing,
    forces: Sides<Force>,
    mixed: Mixed,
    overrun: Overrun,
    probe: Probe,
    recover_pct: u64,
    scale_values: bool,
    season: Season,
    spill_absorbs: bool,
    #[serde(skip)]
    table: Option<Table>,
}

impl Settings {
    fn overruns_any(&self) -> bool {
        self.overrun == Overrun::Any
    }

    fn alternates(&self) -> bool {
        self.probe == Probe::Alternate
    }

    fn halves_pools(&self) -> bool {
        self.probe == Probe::HitsFloor
    }

    /// Effectiveness that is lost (19).
    fn loses(&self, has: u64, loses: u64) -> u64 {
        match self.effectiveness {
            Effectiveness::Points => has.saturating_sub(loses),
            Effectiveness::Relative => has * 100u64.saturating_sub(loses) / 100,
        }
    }

    /// Effectiveness that is gained (19).
    fn gains(&self, has: u64, gains: u64) -> u64 {
        let gained = match self.effectiveness {
            Effectiveness::Points => has + gains,
            Effectiveness::Relative => has * (100 + gains) / 100,
        };
        gained.min(100)
    }

    fn other(&self, role: &Role) -> Role {
        if *role == self.attacker { self.defender.clone() } else { self.attacker.clone() }
    }
}

/// Weights by kind of who fires and who is struck.
#[derive(Clone, Debug)]
struct Table {
    kinds: Vec<Kind>,
    weights: Vec<Vec<u64>>,
}

impl Table {
    fn read(tables: &Object) -> Result<Self> {
        let missing = || refuse(3, format_args!("mixed is table, but the table {TABLE} is missing"));
        let table = tables.get(TABLE).ok_or_else(missing)?;
        let wrong = |why: &dyn fmt::Display| refuse(3, format_args!("the table {TABLE}: {why}"));
        let fields = table.as_object().ok_or_else(|| wrong(&"it is no object"))?;
        let rows: BTreeMap<Kind, BTreeMap<Kind, u64>> = read("rows", fields).map_err(|error| wrong(&error))?;
        if !(1..=LIST).contains(&rows.len()) {
            return Err(wrong(&format_args!("it has {} rows; it has 1 to {LIST}", rows.len())));
        }
        for (kind, row) in &rows {
            if !row.keys().eq(rows.keys()) {
                return Err(wrong(&format_args!("{}: a row has exactly the kinds that have rows", kind.as_str())));
            }
            if let Some(weight) = row.values().find(|weight| **weight > WEIGHT) {
                return Err(wrong(&format_args!("{}: {weight} is not 0 to {WEIGHT}", kind.as_str())));
            }
        }
        let weights = rows.values().map(|row| row.values().copied().collect()).collect();
        Ok(Self { kinds: rows.into_keys().collect(), weights })
    }

    /// The row of a kind, which is its column too.
    fn index(&self, kind: &Kind) -> Option<usize> {
        self.kinds.binary_search(kind).ok()
    }

    fn weight(&self, fires: usize, struck: usize) -> u64 {
        self.weights.get(fires).and_then(|row| row.get(struck)).copied().unwrap_or_default()
    }
}

fn refuse(rule: u64, text: impl fmt::Display) -> Error {
    Error::Refused(format!("cil {rule}: {text}"))
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
            return Err(refuse(1, format_args!("attacker and defender are {attacker}; they are two roles")));
        }
        if !(1..=2).contains(assault_cost) {
            return Err(refuse(1, format_args!("assault_cost is 1 or 2, not {assault_cost}")));
        }
        if *recover_pct > 100 {
            return Err(refuse(1, format_args!("recover_pct is 0 to 100, not {recover_pct}")));
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
        let what = match awaits {
            Decision::Night => format!("day {} is over: on, or end the battle", state.day),
            Decision::Battle => "a new battle: attacker, season, and the forces of both".into(),
            Decision::Agree => "the battle that is proposed: true or false".into(),
        };
        Ok(Awaits::Decision { name: awaits.name().into(), by, what })
    }

    fn tell(&self, state: &Object) -> Result<String> {
        Ok(form::tell(&State::read(&self.settings, state)?))
    }

    fn form(&self, _: &Object, _: Option<&Text>) -> Result<String> {
        Ok("# A round states nothing; what counts are the orders of both.\n".into())
    }

    fn orders_form(&self, state: &Object, by: &Role) -> Result<String> {
        let state = State::read(&self.settings, state)?;
        let side = state.side(by).ok_or_else(|| refuse(5, format_args!("{by} has no side")))?;
        Ok(form::orders(&self.settings, &state, side))
    }

    fn note_bytes(&self, state: &Object) -> Result<usize> {
        let State { units, .. } = State::read(&self.settings, state)?;
        let mut longest = 0;
        for side in Side::BOTH {
            longest = longest.max(Text::of(&object(&Note::longest(units.of(side)))?)?.as_str().len());
        }
        // One byte ends the text (envelope 6).
        Ok((longest + 1).next_multiple_of(NOTE_STEP))
    }

    fn choice_form(&self, state: &Object) -> Result<Option<String>> {
        let state = State::read(&self.settings, state)?;
        let battle = state.pending.as_ref().is_some_and(|pending| pending.awaits == Decision::Battle);
        Ok(battle.then(|| form::battle(&state)))
    }

    fn read_choice(&self, _: &Object, name: &str, typed: &str) -> Result<Value> {
        Ok(match (name, typed.trim()) {
            ("agree", "true" | "yes") => Value::Bool(true),
            ("agree", "false" | "no") => Value::Bool(false),
            (_, typed) => typed.into(),
        })
    }

    fn check_standing(&self, _: &Object) -> Result<()> {
        Err(refuse(2, "a round takes orders, and no standing notes"))
    }

    fn read_orders(&self, state: &Object, by: &Role, written: &Object) -> Result<Object> {
        let state = State::read(&self.settings, state)?;
        state.between_rounds()?;
        let side = state.side(by).ok_or_else(|| refuse(5, format_args!("{by} has no side")))?;
        let note = Note::written(written)?;
        Orders::of(&self.settings, &state, side, Some(&note)).check()?;
        object(&note)
    }

    fn decide(&self, state: &Object, name: &str, value: &Value, account: &mut Account) -> Result<Outcome> {
        battle::decide(&self.settings, State::read(&self.settings, state)?, name, value, account)
    }
}

/// The notes of both, by role (5).
fn notes_of(state: &State, orders: &[(Role, Object)]) -> Sides<Option<Note>> {
    let of = |side: Side| {
        let said = orders.iter().find(|(role, _)| role == state.role(side));
        said.and_then(|(_, says)| Note::sealed(says))
    };
    Sides { attacker: of(Side::Attacker), defender: of(Side::Defender) }
}
