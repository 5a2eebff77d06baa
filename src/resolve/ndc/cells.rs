//! The cells of tables (`protocol/ndc.md` 3).

use serde::{Deserialize, Serialize};

use super::{
    hexes::{ascending, list},
    names::{AMMO, COMMAND, COUNTER_BATTERY, EW, INTELLIGENCE, INTERDICTION, RETREAT, SUPPORT, TACTICAL, WEATHER},
};
use crate::blob::json::Value;

/// The content of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// A level, a shift, a loss, the part of a loss that a retreat saves, or a number of markers.
    Number(i64),
    Weather(Vec<Weather>),
    Command(Grade),
    Ammo(bool),
    Abort,
    Overrun,
    Fought {
        attacker: i64,
        defender: i64,
        retreat: i64,
        breakthrough: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Weather {
    Fog,
    Night,
    Precipitation,
}

/// The grade of a commander's Command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Grade {
    C,
    L,
    P,
    #[serde(rename = "none")]
    None,
}

/// Describes a cell for people.
pub(super) fn tell(cell: &Cell) -> String {
    match cell {
        Cell::Number(number) => number.to_string(),
        Cell::Weather(weather) if weather.is_empty() => "clear".into(),
        Cell::Weather(weather) => weather_list(weather),
        Cell::Command(grade) => grade.as_str().into(),
        Cell::Ammo(yes) => if *yes { "short of ammunition" } else { "enough" }.into(),
        Cell::Abort => "ABORT".into(),
        Cell::Overrun => "OVERRUN".into(),
        Cell::Fought { attacker, defender, retreat, breakthrough } => {
            format!("A{attacker} D{defender} R{retreat}{}", if *breakthrough { " B" } else { "" })
        }
    }
}

impl Weather {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Fog => "fog",
            Self::Night => "night",
            Self::Precipitation => "precipitation",
        }
    }
}

impl Grade {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::C => "C",
            Self::L => "L",
            Self::P => "P",
            Self::None => "none",
        }
    }
}

/// Describes weather for people.
pub(super) fn weather_list(weather: &[Weather]) -> String {
    list(weather.iter().map(|one| one.as_str()))
}

pub(super) fn read(table: &str, cell: &Value) -> Result<Cell, String> {
    let wrong = |what: &str| format!("the cell {cell} must be {what}");
    let number = |low: i64, high: i64| {
        let number = cell.as_str().and_then(integer).filter(|number| (low..=high).contains(number));
        number.map(Cell::Number).ok_or_else(|| wrong(&format!("an integer from {low} to {high}, in quotes")))
    };
    let word = |what: &str, read: fn(&str) -> Option<Cell>| cell.as_str().and_then(read).ok_or_else(|| wrong(what));
    match table {
        INTELLIGENCE | TACTICAL => number(0, 4),
        EW => number(0, 3),
        SUPPORT => number(-999, 999),
        RETREAT | COUNTER_BATTERY | INTERDICTION => number(0, 9),
        WEATHER => word("clear, or any of fog, night and precipitation, in this order and joined by +", read_weather),
        COMMAND => word("C, L, P or none", |word| {
            let grade = match word {
                "C" => Grade::C,
                "L" => Grade::L,
                "P" => Grade::P,
                "none" => Grade::None,
                _ => return None,
            };
            Some(Cell::Command(grade))
        }),
        AMMO => {
            word("yes or no", |word| ["no", "yes"].iter().position(|one| *one == word).map(|at| Cell::Ammo(at == 1)))
        }
        _ => word("ABORT, OVERRUN or a result such as A1 D1 R0 B", read_result),
    }
}

fn read_weather(word: &str) -> Option<Cell> {
    if word == "clear" {
        return Some(Cell::Weather(Vec::new()));
    }
    let one =
        |word| [Weather::Fog, Weather::Night, Weather::Precipitation].into_iter().find(|one| one.as_str() == word);
    let all: Vec<Weather> = word.split('+').map(one).collect::<Option<_>>()?;
    ascending(&all).then_some(Cell::Weather(all))
}

fn read_result(word: &str) -> Option<Cell> {
    match word {
        "ABORT" => return Some(Cell::Abort),
        "OVERRUN" => return Some(Cell::Overrun),
        _ => {}
    }
    let (word, breakthrough) = word.strip_suffix(" B").map_or((word, false), |word| (word, true));
    let mut parts = word.split(' ');
    let mut part = |letter: char| {
        let digit = parts.next()?.strip_prefix(letter)?;
        integer(digit).filter(|_| digit.len() == 1)
    };
    let (attacker, defender, retreat) = (part('A')?, part('D')?, part('R')?);
    parts.next().is_none().then_some(Cell::Fought { attacker, defender, retreat, breakthrough })
}

/// Reads an integer from -999 to 999 without leading zeros.
pub(super) fn integer(text: &str) -> Option<i64> {
    let value: i64 = text.parse().ok().filter(|value| (-999..=999).contains(value))?;
    (value.to_string() == text).then_some(value)
}
