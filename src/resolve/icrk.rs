//! System `icrk`: a sheet with 40 columns of 10 cells (`protocol/icrk.md`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    Account, Draws, Given, Object, Outcome, Place, Plan, Resolver, Rolls, Settled,
    coin_envelopes::hexes::{DoubleLetters, Grammar},
    object, read, read_input,
    values::Values,
};
use crate::{
    blob::{
        body::{Pair, Select, Source, nullable},
        json::{Text, Value},
    },
    error::{Error, Result},
    limits::{COLUMNS, ICRK_ROLLS, ROWS},
};

/// The system with its settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Icrk {
    values: Values,
}

/// The input: the cells to open, with reasons.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    rolls: Vec<Roll>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Roll {
    #[serde(deserialize_with = "nullable")]
    cell: Option<String>,
    why: String,
}

impl Settled for Icrk {
    fn prefill(_: &Object) -> Result<Object> {
        object(&Self { values: Values::OneToSix })
    }

    fn settle(settings: &Object, _: &Object) -> Result<Self> {
        read("settings", settings)
    }
}

impl Resolver for Icrk {
    fn source(&self) -> Source {
        Source::Sheet
    }

    fn read(&self, input: &Text, redo: bool) -> Result<Box<dyn Rolls>> {
        let input: Input = read_input(input)?;
        if input.rolls.len() > ICRK_ROLLS {
            return Err(refuse(format!("{} rolls are too many; declare at most {ICRK_ROLLS}", input.rolls.len())));
        }
        let mut cells = Vec::with_capacity(input.rolls.len());
        let mut whys = Vec::with_capacity(input.rolls.len());
        for (i, roll) in input.rolls.into_iter().enumerate() {
            if !(1..=200).contains(&roll.why.chars().count()) {
                return Err(refuse(format!("roll {}: say in 1 to 200 characters what it is for", i + 1)));
            }
            match (&roll.cell, redo) {
                (Some(cell), false) => cells.push(parse_cell(cell)?),
                (None, true) => {}
                (Some(_), true) => {
                    return Err(refuse(format!("roll {}: leave out the cell; a redo does not name cells", i + 1)));
                }
                (None, false) => return Err(refuse(format!("roll {}: name the cell", i + 1))),
            }
            whys.push(roll.why);
        }
        Ok(Box::new(Cells { values: self.values, cells: (!redo).then_some(cells), whys }))
    }
}

/// A parsed input; a redo does not have cells.
struct Cells {
    values: Values,
    cells: Option<Vec<Place>>,
    whys: Vec<String>,
}

impl Cells {
    fn cell(&self, roll: usize) -> Option<String> {
        self.cells.as_ref()?.get(roll).copied().map(label)
    }
}

impl Rolls for Cells {
    fn canonical(&self) -> Result<Text> {
        let roll = |(i, why): (usize, &String)| Roll { cell: self.cell(i), why: why.clone() };
        Text::of(&Input { rolls: self.whys.iter().enumerate().map(roll).collect() })
    }

    fn for_redo(&self) -> Result<Text> {
        let roll = |why: &String| Roll { cell: None, why: why.clone() };
        Text::of(&Input { rolls: self.whys.iter().map(roll).collect() })
    }

    fn count(&self) -> u64 {
        self.whys.len() as u64
    }

    fn plan(&self, state: &Object) -> Result<Plan> {
        let places = self.cells.clone().unwrap_or_default();
        let mut spent = read_state(state)?;
        for place in &places {
            let depth = spent.entry(place.index).or_insert(0);
            let first = Place { index: place.index, line: *depth + 1 };
            if *place != first {
                let cell = label(*place);
                return Err(refuse(if *depth as usize == ROWS {
                    format!("{cell}: column {} is used up; name a cell in another column", column_label(place.index))
                } else {
                    format!("{cell} is not the first unspent cell in its column; use {} instead", label(first))
                }));
            }
            *depth += 1;
        }
        let cells = places.iter().map(|place| Pair(place.index, place.line)).collect();
        Ok(Plan { select: (!places.is_empty()).then_some(Select::Cells(cells)), places })
    }

    fn resolve(&self, given: Given<'_>, places: &[Place], draws: &mut Draws<'_>, _: &mut Account) -> Result<Outcome> {
        #[derive(Serialize)]
        struct Public<'a> {
            rolls: Vec<Rolled<'a>>,
        }
        #[derive(Serialize)]
        struct Rolled<'a> {
            cell: Option<String>,
            value: u64,
            why: &'a str,
        }
        let mut spent = read_state(given.state)?;
        if places.len() != self.whys.len() {
            return Err(refuse("each roll must have exactly one place".into()));
        }
        let mut rolls = Vec::with_capacity(places.len());
        for (i, (why, place)) in self.whys.iter().zip(places).enumerate() {
            if self.cells.is_some() {
                spent.insert(place.index, place.line);
            }
            rolls.push(Rolled { cell: self.cell(i), value: self.values.draw(*place, why, draws)?, why });
        }
        Ok(Outcome::done(state_of(&spent), Text::of(&Public { rolls })?))
    }
}

/// Returns the state for the number of spent cells in each column. Columns without spent cells are left out.
///
/// # Examples
///
/// Three cells of the first column are spent, so its next cell is A4:
///
/// ```
/// use sealed_dice::resolve::{Place, icrk::{label, state_of}};
///
/// let state = state_of(&[(0, 3), (1, 0)].into());
/// assert_eq!(state["spent"].to_string(), r#"{"A":3}"#);
/// assert_eq!(label(Place { index: 0, line: 4 }), "A4");
/// ```
#[must_use]
pub fn state_of(spent: &BTreeMap<u64, u64>) -> Object {
    let spent = spent.iter().filter(|(_, depth)| **depth > 0);
    let spent: Object = spent.map(|(column, depth)| (column_label(*column), (*depth).into())).collect();
    Object::from_iter([("spent".to_owned(), spent.into())])
}

/// Returns the label of a cell, such as `B3`.
///
/// # Examples
///
/// ```
/// use sealed_dice::resolve::{Place, icrk::label};
///
/// assert_eq!(label(Place { index: 1, line: 3 }), "B3");
/// assert_eq!(label(Place { index: 26, line: 10 }), "AA10");
/// ```
#[must_use]
pub fn label(place: Place) -> String {
    format!("{}{}", column_label(place.index), place.line)
}

fn column_label(column: u64) -> String {
    let letter = char::from(b'A' + (column % 26) as u8);
    String::from(letter).repeat(1 + (column / 26) as usize)
}

/// Returns the column for a canonical label.
fn column_of(label: &str) -> Option<u64> {
    let column = match label.as_bytes() {
        [a @ b'A'..=b'Z'] => u64::from(a - b'A'),
        [a @ b'A'..=b'Z', b] if a == b => 26 + u64::from(a - b'A'),
        _ => return None,
    };
    (column < COLUMNS as u64).then_some(column)
}

fn parse_cell(text: &str) -> Result<Place> {
    let hex = Grammar::Letters
        .parse(text, DoubleLetters::Doubled)
        .map_err(|_| refuse(format!("{text:?} is not a cell; cells are A1 to Z{ROWS} and AA1 to NN{ROWS}")))?;
    let (column, row) = (hex.row().saturating_sub(1), hex.number());
    if column >= COLUMNS as u64 || !(1..=ROWS as u64).contains(&row) {
        return Err(refuse(format!("{text:?} is not on the sheet; the cells are A1 to NN{ROWS}")));
    }
    Ok(Place { index: column, line: row })
}

/// Reads how far down each column is spent (icrk 3).
fn read_state(state: &Object) -> Result<BTreeMap<u64, u64>> {
    let none = Object::new();
    let spent = match state.get("spent") {
        None => &none,
        Some(Value::Object(spent)) => spent,
        Some(_) => return Err(refuse("state: spent must be an object".into())),
    };
    if let Some(other) = state.keys().find(|name| *name != "spent") {
        return Err(refuse(format!("state: {other} is not a field; the only field is spent")));
    }
    let column = |(label, depth): (&String, &Value)| {
        let column = column_of(label).ok_or_else(|| {
            refuse(format!("state: {label:?} is not a column label; columns are A to Z and AA to NN"))
        })?;
        let depth = depth.as_u64().filter(|depth| (1..=ROWS as u64).contains(depth));
        let depth = depth.ok_or_else(|| refuse(format!("state: the spent depth of {label} must be 1 to {ROWS}")))?;
        Ok((column, depth))
    };
    spent.iter().map(column).collect()
}

fn refuse(text: String) -> Error {
    Error::Refused(text)
}
