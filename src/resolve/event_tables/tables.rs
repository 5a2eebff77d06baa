//! The tables of a game, looked up and checked (`protocol/event-tables.md` 1 to 9).

use std::collections::BTreeMap;

use super::{
    check::{self, Checker},
    conditions::{Condition, Modifier},
    ranges::{Dice, Row},
    words::{NUMBER, Type},
    written::{By, Fact, File, Lasts, Per, Setting, Source},
};
use crate::{
    blob::json::{self, Tree, Value},
    error::{Error, Result},
};

/// The target that is no event.
pub(super) const NOTHING: &str = "nothing";

/// The tables of a game.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    pub(super) title: String,
    pub(super) source: Source,
    pub(super) sides: [String; 2],
    pub(super) days: Vec<String>,
    pub(super) main: BTreeMap<String, String>,
    pub(super) each_turn: BTreeMap<String, Vec<String>>,
    pub(super) settings: BTreeMap<String, Setting>,
    pub(super) facts: BTreeMap<String, Fact>,
    pub(super) kinds: BTreeMap<String, Kind>,
    pub(super) marks: BTreeMap<String, String>,
    pub(super) dice: BTreeMap<String, Die>,
    pub(super) tables: BTreeMap<String, Table>,
    pub(super) events: BTreeMap<String, Event>,
    /// Decisions by name.
    pub(super) asks: BTreeMap<String, Ask>,
    /// Kinds of the registers.
    pub(super) registers: BTreeMap<String, String>,
}

#[derive(Clone, Debug)]
pub(super) struct Kind {
    pub(super) attributes: BTreeMap<String, Type>,
    pub(super) marks: Vec<String>,
    /// What a mark says of its entry; `None`: it is gone.
    pub(super) implies: BTreeMap<String, Option<Condition>>,
    pub(super) lasts: Lasts,
}

impl Kind {
    /// Of an attribute or a mark.
    pub(super) fn type_of(&self, name: &str) -> Option<Type> {
        let mark = || self.marks.iter().any(|mark| mark == name).then_some(Type::Number { low: 0, high: NUMBER });
        self.attributes.get(name).cloned().or_else(mark)
    }
}

#[derive(Clone, Debug)]
pub(super) struct Die {
    pub(super) dice: Dice,
    pub(super) rows: Option<Vec<Row<String>>>,
}

impl Die {
    /// Its words in the order of its rows, each once.
    pub(super) fn words(&self) -> Option<Vec<String>> {
        let mut words: Vec<String> = Vec::new();
        for row in self.rows.as_ref()? {
            if !words.contains(&row.has) {
                words.push(row.has.clone());
            }
        }
        Some(words)
    }
}

#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) dice: Dice,
    pub(super) source: Source,
    pub(super) modifiers: Vec<Modifier>,
    pub(super) rows: Rows,
}

#[derive(Clone, Debug)]
pub(super) enum Rows {
    Plain(Vec<Row<String>>),
    By { name: String, rows: Vec<Row<Vec<Row<String>>>> },
}

impl Table {
    /// All targets in it.
    pub(super) fn targets(&self) -> Vec<&str> {
        match &self.rows {
            Rows::Plain(rows) => rows.iter().map(|row| row.has.as_str()).collect(),
            Rows::By { rows, .. } => rows.iter().flat_map(|row| &row.has).map(|row| row.has.as_str()).collect(),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) when: Option<Condition>,
    pub(super) limit: Option<Limit>,
    pub(super) each: Option<(String, Option<Condition>)>,
    pub(super) steps: Vec<Step>,
}

#[derive(Clone, Debug)]
pub(super) struct Limit {
    pub(super) most: u64,
    pub(super) per: Per,
    pub(super) of: Of,
}

/// For whom a limit counts together.
#[derive(Clone, Debug)]
pub(super) enum Of {
    Side,
    Both,
    Setting(String),
}

#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) when: Option<Condition>,
    pub(super) say: Option<String>,
    pub(super) does: Does,
}

/// Which entries, and where one of them goes.
#[derive(Clone, Debug)]
pub(super) struct From {
    pub(super) kind: String,
    pub(super) filter: Option<Condition>,
    pub(super) register: String,
    pub(super) optional: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Does {
    Pick(From),
    Pool { from: From, enemy: usize, owner: usize, ask: String },
    Choose { from: From, by: By, ask: String },
    Word { of: Vec<String>, by: By, ask: String },
    Write(Lines),
    Roll(String),
    Go(String),
    Need(From),
    Stop,
    Mark { mark: String, on: Option<String>, change: Change },
    Raise { on: String, attribute: String },
    Tell,
}

/// Lines that are written.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    pub(super) by: By,
    pub(super) ask: String,
    pub(super) parts: Vec<String>,
    pub(super) at_least: usize,
    pub(super) at_most: usize,
    pub(super) once: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) enum Change {
    Set(Amount),
    Add(Amount),
}

#[derive(Clone, Debug)]
pub(super) enum Amount {
    Is(i64),
    Of(String),
}

impl Does {
    /// Whether dice may follow.
    pub(super) const fn draws(&self) -> bool {
        matches!(self, Self::Pick(_) | Self::Pool { .. } | Self::Roll(_) | Self::Go(_))
    }

    /// Whether it may end the run with nothing.
    pub(super) const fn may_be_void(&self) -> bool {
        match self {
            Self::Pick(from) | Self::Choose { from, .. } => !from.optional,
            Self::Pool { .. } | Self::Need(_) | Self::Stop | Self::Go(_) => true,
            _ => false,
        }
    }

    /// Whether it changes the state.
    pub(super) const fn changes(&self) -> bool {
        match self {
            Self::Mark { .. } | Self::Raise { .. } => true,
            Self::Write(lines) => lines.once.is_some(),
            _ => false,
        }
    }
}

/// A decision: whose it is, and what it may be.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    pub(super) by: By,
    pub(super) form: Form,
}

#[derive(Clone, Debug)]
pub(super) enum Form {
    /// A list of names.
    Names,
    /// One name.
    Name,
    Word(Vec<String>),
    /// How many lines at most, of how many texts.
    Lines(usize, usize),
}

impl Tables {
    /// Reads the table `event-tables` of a charter.
    ///
    /// # Errors
    /// [`Error::Refused`] with the place of the first thing that is wrong.
    pub(super) fn read(table: &Value) -> Result<Self> {
        let refused = |why: String| Error::Refused(format!("the table event-tables: {why}"));
        let tree = Tree::of(table).map_err(|error| refused(error.to_string()))?;
        let file: File = json::read(&tree).map_err(|error| refused(error.to_string()))?;
        Checker::of(file).and_then(check::tables).map_err(refused)
    }

    /// The type of a name, in front of an entry of a kind if one is looked at (6).
    pub(super) fn type_of(&self, name: &str, entry: Option<&Kind>) -> Option<Type> {
        if let Some((register, name)) = name.split_once('.') {
            return self.kinds.get(self.registers.get(register)?)?.type_of(name);
        }
        let number = Type::Number { low: 0, high: NUMBER };
        let of_entry = entry.and_then(|kind| kind.type_of(name));
        of_entry.or_else(|| match name {
            "turn" | "day" => Some(number),
            "side" => Some(Type::Words(self.sides.to_vec())),
            _ if self.marks.contains_key(name) => Some(number),
            _ => {
                let setting = self.settings.get(name).map(|setting| setting.values.clone());
                let fact = || self.facts.get(name).map(|fact| fact.values.clone());
                let die = || self.dice.get(name).map(|die| die.words().map_or(number, Type::Words));
                let word = || match &self.asks.get(name)?.form {
                    Form::Word(words) => Some(Type::Words(words.clone())),
                    _ => None,
                };
                setting.or_else(fact).or_else(die).or_else(word)
            }
        })
    }

    /// The other side.
    pub(super) fn other(&self, side: &str) -> &str {
        let [one, two] = &self.sides;
        if side == one { two } else { one }
    }
}
