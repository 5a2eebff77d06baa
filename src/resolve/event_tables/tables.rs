//! The tables of a game, looked up and checked (`protocol/event-tables.md` 1 to 9).

use std::collections::{BTreeMap, BTreeSet};

use super::{
    conditions::{Condition, Modifier},
    ranges::{Dice, Row},
    words::{Known, NUMBERS, Type},
    written::{Attribute, By, Fact, Lasts, Per, Setting, Source},
};
use crate::blob::json::{Map, Value};

/// The target that means no event.
pub(super) const NOTHING: &str = "nothing";

/// The tables of a game.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    pub(super) title: String,
    pub(super) source: Source,
    pub(super) sides: [String; 2],
    /// The sides, as a type.
    pub(super) of_side: Type,
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
    /// Kinds of registers, by register.
    pub(super) registers: BTreeMap<String, String>,
    /// Maximum cost of a run from each table and event on (26, 27, 31).
    pub(super) dearest: BTreeMap<String, Dearest>,
}

#[derive(Clone, Debug)]
pub(super) struct Kind {
    pub(super) about: Option<String>,
    pub(super) attributes: BTreeMap<String, Attribute>,
    pub(super) marks: BTreeSet<String>,
    /// What a mark implies about its entry; `None` if the entry is gone.
    pub(super) implies: BTreeMap<String, Option<Condition>>,
    pub(super) lasts: Lasts,
}

impl Kind {
    /// Returns the type of an attribute or a mark.
    pub(super) fn type_of(&self, name: &str) -> Option<&Type> {
        let attribute = self.attributes.get(name).map(|attribute| &attribute.values);
        attribute.or_else(|| self.marks.contains(name).then_some(&NUMBERS))
    }
}

/// Maximum cost of a run from some point on. Each count is the maximum over all paths.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Dearest {
    pub(super) dice: u64,
    pub(super) steps: u64,
    pub(super) looks: u64,
}

/// An entry in the roster with its established values.
pub(super) struct Entry<'e> {
    pub(super) kind: &'e Kind,
    pub(super) stated: &'e Map<String, Value>,
    pub(super) established: Option<&'e Map<String, Value>>,
}

impl Entry<'_> {
    /// Returns whether one of its marks says that it is gone.
    pub(super) fn is_gone(&self) -> bool {
        let marks = self.established.into_iter().flat_map(Map::keys);
        marks.into_iter().any(|mark| matches!(self.kind.implies.get(mark), Some(None)))
    }

    /// Returns the value of an attribute, established or else stated, or of a mark (6, 30).
    pub(super) fn known(&self, name: &str) -> Option<Known> {
        let of = self.kind.type_of(name)?;
        match self.established.and_then(|entry| entry.get(name)).or_else(|| self.stated.get(name)) {
            Some(value) => of.value(value),
            None => Some(Known::Number(0)),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Die {
    pub(super) dice: Dice,
    pub(super) rows: Option<Vec<Row<String>>>,
    /// The die's words without repeats, in row order; numbers if there are no rows.
    pub(super) values: Type,
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
    /// Returns all targets in the table.
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

/// Whose uses count together toward a limit.
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

/// Selects entries, and names the register for the one taken.
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

/// Lines that a player writes.
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
    /// Returns whether the step may draw dice.
    pub(super) const fn draws(&self) -> bool {
        matches!(self, Self::Pick(_) | Self::Pool { .. } | Self::Roll(_) | Self::Go(_))
    }

    /// Returns whether the step may end the run as void.
    pub(super) const fn may_be_void(&self) -> bool {
        match self {
            Self::Pick(from) | Self::Choose { from, .. } => !from.optional,
            Self::Pool { .. } | Self::Need(_) | Self::Stop | Self::Go(_) => true,
            _ => false,
        }
    }

    /// Returns whether the step changes the state.
    pub(super) const fn changes(&self) -> bool {
        match self {
            Self::Mark { .. } | Self::Raise { .. } => true,
            Self::Write(lines) => lines.once.is_some(),
            _ => false,
        }
    }
}

/// A decision: what it is about, who makes it, and its form.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    pub(super) about: Option<String>,
    pub(super) by: By,
    /// The event whose step asks.
    pub(super) event: String,
    pub(super) form: Form,
}

#[derive(Clone, Debug)]
pub(super) enum Form {
    /// A list of names.
    Names,
    /// The name of one candidate.
    Name,
    /// One of these words.
    Word(Type),
    /// Lines of texts.
    Lines,
}

impl Tables {
    /// Returns the type of a name, which may refer to an entry of a kind (6).
    pub(super) fn type_of<'t>(&'t self, name: &str, entry: Option<&'t Kind>) -> Option<&'t Type> {
        if let Some((register, name)) = name.split_once('.') {
            return self.kinds.get(self.registers.get(register)?)?.type_of(name);
        }
        let of_entry = entry.and_then(|kind| kind.type_of(name));
        of_entry.or_else(|| match name {
            "turn" | "day" => Some(&NUMBERS),
            "side" => Some(&self.of_side),
            _ if self.marks.contains_key(name) => Some(&NUMBERS),
            _ => {
                let setting = self.settings.get(name).map(|setting| &setting.values);
                let fact = || self.facts.get(name).map(|fact| &fact.values);
                let die = || self.dice.get(name).map(|die| &die.values);
                let word = || match &self.asks.get(name)?.form {
                    Form::Word(words) => Some(words),
                    _ => None,
                };
                setting.or_else(fact).or_else(die).or_else(word)
            }
        })
    }

    /// Returns the possible targets of a table or event.
    pub(super) fn ways(&self, name: &str) -> Vec<&str> {
        if let Some(table) = self.tables.get(name) {
            return table.targets();
        }
        let steps = self.events.get(name).into_iter().flat_map(|event| &event.steps);
        steps.filter_map(|step| if let Does::Go(to) = &step.does { Some(to.as_str()) } else { None }).collect()
    }

    /// Returns the tables and events that a turn of a side can come to.
    pub(super) fn reached_by(&self, side: &str) -> BTreeSet<&str> {
        let roots = self.main.get(side).into_iter().chain(self.each_turn.get(side).into_iter().flatten());
        let mut open: Vec<&str> = roots.map(String::as_str).collect();
        let mut reached: BTreeSet<&str> = open.iter().copied().collect();
        while let Some(name) = open.pop() {
            open.extend(self.ways(name).into_iter().filter(|next| reached.insert(next)));
        }
        reached
    }

    /// Returns the other side.
    pub(super) fn other(&self, side: &str) -> &str {
        let [one, two] = &self.sides;
        if side == one { two } else { one }
    }
}
