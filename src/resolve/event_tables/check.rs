//! Checks a table file (`protocol/event-tables.md` 9). Each error names the place.

use std::{cell::RefCell, collections::BTreeMap};

use super::{
    checker::{Checked, Checker, within},
    conditions::Condition,
    ranges, steps,
    tables::{Die, Event, Kind, Limit, NOTHING, Of, Rows, Table, Tables},
    whole::{check_names, check_texts, check_used, check_ways},
    words::{NUMBERS, Type, is_name},
    written::{self, File, Source},
};
use crate::{
    blob::{
        body::Name,
        json::{self, Value},
    },
    error::{Error, Result},
    limits::{DIE_WORDS, EVENTS_EACH_TURN},
};

/// Checks that defaults fit the types of their settings, and that settings do not use reserved names.
fn check_settings(file: &File) -> Checked<()> {
    for (name, setting) in &file.settings {
        let fits = setting.prefill.as_ref().is_none_or(|prefill| setting.values.value(prefill).is_some());
        if !fits || matches!(name.as_str(), "sides" | "first" | "both") {
            return Err(format!(
                "settings: {name}: {}",
                if fits { "the name is taken" } else { "prefill: it must be one of the values" }
            ));
        }
    }
    Ok(())
}

/// Checks that the sides and marks named in facts exist.
fn check_facts(file: &File) -> Checked<()> {
    let File { sides, marks, .. } = file;
    for (name, fact) in &file.facts {
        if let Some(side) = fact.side.as_ref().filter(|side| !sides.contains(side)) {
            return Err(format!("facts: {name}: unknown side {side}"));
        }
        if let Some(mark) = fact.at_least.as_ref().filter(|mark| !marks.contains_key(*mark)) {
            return Err(format!("facts: {name}: unknown mark {mark}"));
        }
        if fact.at_least.is_some() && matches!(fact.values, Type::Words(_)) {
            return Err(format!("facts: {name}: at_least is only for numbers and bools"));
        }
    }
    Ok(())
}

impl Checker {
    /// Checks everything that can be checked on its own: names, texts, settings, facts, kinds and dice.
    fn of(file: File) -> Checked<Self> {
        let File { sides, title, main, days, marks, settings, facts, each_turn, source, .. } = &file;
        check_names(&file)?;
        check_texts(&file)?;
        if sides.first() == sides.last() {
            return Err("sides: they must differ".into());
        }
        if let Some(side) = main.keys().chain(each_turn.keys()).find(|side| !sides.contains(side)) {
            return Err(format!("{side}: unknown side"));
        }
        if let Some((side, _)) = each_turn.iter().find(|(_, events)| events.len() > EVENTS_EACH_TURN) {
            return Err(format!("each_turn: {side}: there can be at most {EVENTS_EACH_TURN} events"));
        }
        if main.len() != sides.len() {
            return Err("main: each side needs a target".into());
        }
        check_settings(&file)?;
        check_facts(&file)?;
        for (i, name) in days.iter().enumerate() {
            let number = settings.get(name).is_some_and(|setting| matches!(setting.values, Type::Number { .. }));
            if !number || days.iter().take(i).any(|day| day == name) {
                return Err(format!("days: {name} must be a setting that is a number, and listed once"));
            }
        }
        let dice =
            file.dice.iter().map(|(name, die)| Ok((name.clone(), within(format!("dice: {name}"), die_of(die))?)));
        let tables = Tables {
            title: title.clone(),
            source: *source,
            sides: sides.clone(),
            of_side: Type::Words(sides.to_vec()),
            days: days.clone(),
            main: main.clone(),
            each_turn: each_turn.clone(),
            settings: settings.clone(),
            facts: facts.clone(),
            marks: marks.clone(),
            dice: dice.collect::<Checked<_>>()?,
            kinds: BTreeMap::new(),
            tables: BTreeMap::new(),
            events: BTreeMap::new(),
            asks: BTreeMap::new(),
            registers: BTreeMap::new(),
            dearest: BTreeMap::new(),
        };
        let mut checker = Self { tables, written: file.tables, events: file.events, used: RefCell::default() };
        checker.registers()?;
        checker.kinds(&file.kinds)?;
        checker.asks()?;
        checker.implies(&file.kinds)?;
        Ok(checker)
    }

    /// Collects the registers and their kinds.
    fn registers(&mut self) -> Checked<()> {
        let each = self.events.values().filter_map(|event| Some((event.each.as_ref()?, event.each.as_ref()?)));
        let steps = self.events.values().flat_map(|event| &event.steps);
        let filled = steps.filter(|step| step.kind_of != written::Do::Need);
        let filled = filled.filter_map(|step| {
            let kind = step.kind.as_ref()?;
            Some((step.register.as_ref().unwrap_or(kind), kind))
        });
        for (register, kind) in each.chain(filled) {
            if !is_name(register) {
                return Err(format!("events: {register:?} is not a valid register name"));
            }
            let other = self.tables.registers.insert(register.clone(), kind.clone());
            if other.is_some_and(|other| other != *kind) {
                return Err(format!("events: the register {register} cannot have entries of two kinds"));
            }
        }
        Ok(())
    }

    fn kinds(&mut self, kinds: &BTreeMap<String, written::Kind>) -> Checked<()> {
        for (name, kind) in kinds {
            let place = format!("kinds: {name}");
            let written::Kind { about, attributes, marks, lasts, .. } = kind;
            let read = Kind {
                about: about.clone(),
                attributes: attributes.clone(),
                marks: marks.iter().cloned().collect(),
                implies: BTreeMap::new(),
                lasts: *lasts,
            };
            self.tables.kinds.insert(name.clone(), read);
            if attributes.contains_key("name") {
                return Err(format!("{place}: remove the attribute name; every entry has one"));
            }
            for (i, mark) in marks.iter().enumerate() {
                if mark == "name" || attributes.contains_key(mark) || marks.iter().take(i).any(|other| other == mark) {
                    return Err(format!("{place}: the name {mark} is taken"));
                }
            }
        }
        Ok(())
    }

    /// Checks what marks imply about their entries, once all names are known.
    fn implies(&mut self, kinds: &BTreeMap<String, written::Kind>) -> Checked<()> {
        for (name, kind) in kinds {
            for (mark, says) in &kind.implies {
                let place = format!("kinds: {name}: implies: {mark}");
                if !kind.marks.contains(mark) {
                    return Err(format!("{place}: unknown mark"));
                }
                let condition = match says.as_str() {
                    "gone" => None,
                    _ => Some(Condition::parse(says).ok_or_else(|| format!("{place}: {says:?} is not a condition"))?),
                };
                within(&place, self.condition(condition.as_ref(), Some(name)))?;
                if let Some(kind) = self.tables.kinds.get_mut(name) {
                    kind.implies.insert(mark.clone(), condition);
                }
            }
        }
        Ok(())
    }

    /// Collects all decisions, each from one step.
    fn asks(&mut self) -> Checked<()> {
        for (name, event) in &self.events {
            for (i, step) in event.steps.iter().enumerate() {
                for (ask, decision) in steps::asks(name, step) {
                    let place = format!("events: {name}: steps: item {}", i + 1);
                    if Name::parse(&ask).is_none() {
                        return Err(format!(
                            "{place}: {ask:?} is not a valid decision name; use at most 32 lowercase letters, digits \
                             and hyphens"
                        ));
                    }
                    if ask == "more" || self.is_global(&ask) || self.tables.asks.insert(ask.clone(), decision).is_some()
                    {
                        return Err(format!("{place}: the name {ask} is taken"));
                    }
                }
            }
        }
        let mut kinds = self.tables.kinds.iter();
        let names = |kind: &Kind| kind.attributes.keys().chain(&kind.marks).cloned().collect::<Vec<String>>();
        let taken = kinds.find_map(|(kind, of)| {
            let name =
                names(of).into_iter().find(|name| self.is_global(name) || self.tables.asks.contains_key(name))?;
            Some(format!("kinds: {kind}: the name {name} is taken"))
        });
        taken.map_or(Ok(()), Err)
    }

    fn table(&self, table: &written::Table) -> Checked<Table> {
        let written::Table { by, dice, modifiers, rows, source, .. } = table;
        if by.is_none() && *dice == ranges::Dice::D66 && !modifiers.is_empty() {
            return Err("modifiers: a table with d66 and without `by` cannot have them".into());
        }
        for modifier in modifiers {
            within("modifiers", self.condition(modifier.when.as_ref(), None))?;
        }
        let rows = match by {
            None => Rows::Plain(self.targets(typed(rows)?, *dice)?),
            Some(name) => {
                if !matches!(self.type_of(name, None), Some(Type::Number { .. })) || name.contains('.') {
                    return Err(format!("by: {name} must be the name of one of the side's numbers"));
                }
                let inner = |(range, rows): (String, BTreeMap<String, String>)| {
                    Ok((range.clone(), within(format!("rows: {range}"), self.targets(rows, *dice))?))
                };
                let rows = typed::<BTreeMap<String, String>>(rows)?.into_iter().map(inner);
                let rows = ranges::of_numbers(rows.collect::<Checked<_>>()?).map_err(|error| error.to_string())?;
                Rows::By { name: name.clone(), rows }
            }
        };
        let source: Source = source.unwrap_or(self.tables.source);
        Ok(Table { dice: *dice, source, modifiers: modifiers.clone(), rows })
    }

    fn targets(&self, rows: BTreeMap<String, String>, dice: ranges::Dice) -> Checked<Vec<ranges::Row<String>>> {
        for (range, target) in &rows {
            within(format!("rows: {range}"), self.target(target))?;
        }
        ranges::of_dice(rows, dice).map_err(|error: Error| error.to_string())
    }

    fn event(&self, name: &str, event: &written::Event) -> Checked<Event> {
        let written::Event { each, limit, of, per, steps, when, filter, .. } = event;
        self.condition(when.as_ref(), None)?;
        let limit = match limit {
            None if of.is_some() || per.is_some() => return Err("`per` and `of` need a `limit`".into()),
            None => None,
            Some(most) if !(1..=9_999).contains(most) => return Err("limit: it must be 1 to 9999".into()),
            Some(most) => Some(Limit { most: *most, per: per.unwrap_or_default(), of: self.limited(of.as_deref())? }),
        };
        let each = match each {
            None if filter.is_some() => return Err("`where` needs `each`".into()),
            None => None,
            Some(kind) => {
                self.kind(kind)?;
                within("where", self.condition(filter.as_ref(), Some(kind)))?;
                let awaited = self.tables.each_turn.values().flatten().any(|event| event == name);
                if !awaited {
                    return Err("each: only an event in each_turn can have it".into());
                }
                Some((kind.clone(), filter.clone()))
            }
        };
        if !(1..=64).contains(&steps.len()) {
            return Err("steps: there must be 1 to 64".into());
        }
        let read =
            steps.iter().enumerate().map(|(i, step)| within(format!("steps: item {}", i + 1), steps::step(self, step)));
        let steps = read.collect::<Checked<Vec<_>>>()?;
        let changed = steps.iter().position(|step| step.does.changes()).unwrap_or(steps.len());
        match steps.iter().skip(changed).position(|step| step.does.may_be_void()) {
            Some(at) => Err(format!(
                "steps: item {}: it can end the run after a change; move it before the change",
                changed + at + 1
            )),
            None => Ok(Event { when: when.clone(), limit, each, steps }),
        }
    }

    fn limited(&self, of: Option<&str>) -> Checked<Of> {
        match of {
            None | Some("side") => Ok(Of::Side),
            Some("both") => Ok(Of::Both),
            Some(name) => {
                let two = |words: &Vec<String>| {
                    words.len() == 2 && ["side", "both"].iter().all(|word| words.iter().any(|w| w == word))
                };
                self.uses(name);
                match self.tables.settings.get(name).map(|setting| &setting.values) {
                    Some(Type::Words(words)) if two(words) => Ok(Of::Setting(name.into())),
                    _ => Err(format!("of: {name} must be a setting whose words are \"side\" and \"both\"")),
                }
            }
        }
    }
}

/// Reads the table `event-tables` of a charter.
///
/// # Errors
/// [`Error::Refused`] with the place of the first mistake.
pub(super) fn read(table: &Value) -> Result<Tables> {
    let refused = |why: String| Error::Refused(format!("the table event-tables: {why}"));
    let file: File = json::read_value(table).map_err(|error| refused(error.to_string()))?;
    Checker::of(file).and_then(tables).map_err(refused)
}

/// Looks up all names in tables and events.
fn tables(checker: Checker) -> Checked<Tables> {
    let tables = checker.written.iter().map(|(name, table)| {
        let free = !checker.events.contains_key(name) && name != NOTHING;
        let read = if free { checker.table(table) } else { Err("the name is taken".into()) };
        Ok((name.clone(), within(format!("tables: {name}"), read)?))
    });
    let tables = tables.collect::<Checked<BTreeMap<_, _>>>()?;
    let events = checker.events.iter().map(|(name, event)| {
        let read = if name == NOTHING { Err("the name is taken".into()) } else { checker.event(name, event) };
        Ok((name.clone(), within(format!("events: {name}"), read)?))
    });
    let events = events.collect::<Checked<BTreeMap<_, _>>>()?;
    for (side, target) in &checker.tables.main {
        within(
            format!("main: {side}"),
            checker.target(target).and(if target == NOTHING { Err("it must not be `nothing`".into()) } else { Ok(()) }),
        )?;
    }
    for (side, names) in &checker.tables.each_turn {
        for (i, name) in names.iter().enumerate() {
            if !events.contains_key(name) || names.iter().take(i).any(|other| other == name) {
                return Err(format!("each_turn: {side}: {name} must be an event, and listed once"));
            }
        }
    }
    let Checker { tables: read, used, .. } = checker;
    let mut all = Tables { tables, events, ..read };
    all.dearest = check_ways(&all)?;
    check_used(&all, &used.into_inner())?;
    Ok(all)
}

/// Parses all rows of a table as one type.
fn typed<T: serde::de::DeserializeOwned>(rows: &BTreeMap<String, Value>) -> Checked<BTreeMap<String, T>> {
    let read = |(range, row): (&String, &Value)| {
        let row = json::read_value(row).map_err(|error| error.to_string());
        Ok((range.clone(), within(format!("rows: {range}"), row)?))
    };
    rows.iter().map(read).collect()
}

fn die_of(die: &written::Die) -> Checked<Die> {
    let Some(rows) = &die.rows else { return Ok(Die { dice: die.dice, rows: None, values: NUMBERS.clone() }) };
    for (range, word) in rows {
        if Type::words(&format!("{word} {word}x")).is_none() {
            return Err(format!("rows: {range}: {word:?} is not a word"));
        }
    }
    let rows = ranges::of_dice(rows.clone(), die.dice).map_err(|error| error.to_string())?;
    let mut words: Vec<String> = Vec::new();
    for row in &rows {
        if !words.contains(&row.has) {
            words.push(row.has.clone());
        }
        if words.len() > DIE_WORDS {
            return Err(format!("rows: there can be at most {DIE_WORDS} words"));
        }
    }
    Ok(Die { dice: die.dice, rows: Some(rows), values: Type::Words(words) })
}
