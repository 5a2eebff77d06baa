//! Checks of a file as a whole (`protocol/event-tables.md` 9, 24 to 27): names, texts, paths, and unused parts.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    checker::Checked,
    tables::{Dearest, Does, From, NOTHING, Step, Tables},
    words::{is_name, is_text},
    written::File,
};
use crate::limits::{EVENT_DICE, EVENT_STEPS};

/// Checks that names are valid, and unique where required.
pub(super) fn check_names(file: &File) -> Checked<()> {
    let File { days: _, dice, events, facts, kinds, marks, settings, sides, tables, .. } = file;
    let globals = dice.keys().chain(facts.keys()).chain(marks.keys()).chain(settings.keys());
    let of_kinds = kinds.values().flat_map(|kind| kind.attributes.keys().chain(&kind.marks));
    let all =
        globals.clone().chain(of_kinds).chain(kinds.keys()).chain(sides).chain(tables.keys()).chain(events.keys());
    for name in all {
        if !is_name(name) {
            return Err(format!(
                "{name:?} is not a valid name; use at most 32 lowercase letters, digits, _ and - (event-tables 1)"
            ));
        }
    }
    let mut seen = BTreeSet::new();
    match globals.chain(&["turn", "day", "side"].map(String::from)).find(|name| !seen.insert(name.as_str().to_owned()))
    {
        Some(name) => Err(format!("{name}: the name is taken")),
        None => Ok(()),
    }
}

/// Checks that texts for people can be shown.
pub(super) fn check_texts(file: &File) -> Checked<()> {
    let File { about, dice, events, facts, kinds, marks, settings, tables, title, .. } = file;
    let abouts =
        [about].into_iter().chain(dice.values().map(|die| &die.about)).chain(events.values().map(|event| &event.about));
    let abouts = abouts.chain(facts.values().map(|fact| &fact.about)).chain(kinds.values().map(|kind| &kind.about));
    let abouts =
        abouts.chain(settings.values().map(|setting| &setting.about)).chain(tables.values().map(|table| &table.about));
    let attributes = kinds.values().flat_map(|kind| kind.attributes.values()).map(|attribute| &attribute.about);
    let steps = events.values().flat_map(|event| &event.steps);
    let abouts = abouts.chain(attributes).chain(steps.clone().map(|step| &step.about));
    let says = steps.filter_map(|step| step.say.as_ref());
    let mut all = [title].into_iter().chain(marks.values()).chain(abouts.flatten()).chain(says);
    all.find(|text| !is_text(text))
        .map_or(Ok(()), |text| Err(format!("{text:?}: a text must have 1 to 500 characters, and none invisible")))
}

/// Checks that everything can be reached, that `each_turn` events are not targets, and that every path ends in time.
/// Returns the maximum cost of a run from each table and event on.
pub(super) fn check_ways(tables: &Tables) -> Checked<BTreeMap<String, Dearest>> {
    let all = || tables.tables.keys().chain(tables.events.keys()).map(String::as_str);
    let reached: BTreeSet<&str> = tables.sides.iter().flat_map(|side| tables.reached_by(side)).collect();
    if let Some(name) = all().find(|name| !reached.contains(name)) {
        return Err(format!("{name}: nothing leads to it; remove it"));
    }
    let targets = || all().flat_map(|name| tables.ways(name)).chain(tables.main.values().map(String::as_str));
    if let Some(name) = tables.each_turn.values().flatten().find(|name| targets().any(|target| target == *name)) {
        return Err(format!("each_turn: {name} cannot also be a target"));
    }
    check_runs(tables)
}

impl Dearest {
    /// Returns the maximum of two costs, for each count separately.
    fn or(self, other: Self) -> Self {
        Self { dice: self.dice.max(other.dice), steps: self.steps.max(other.steps), looks: self.looks.max(other.looks) }
    }

    fn and(self, other: Self) -> Self {
        Self {
            dice: self.dice.saturating_add(other.dice),
            steps: self.steps.saturating_add(other.steps),
            looks: self.looks.saturating_add(other.looks),
        }
    }
}

/// Checks that there are no loops, and that no run draws too many dice or takes too many steps.
fn check_runs(tables: &Tables) -> Checked<BTreeMap<String, Dearest>> {
    let all = || tables.tables.keys().chain(tables.events.keys()).map(String::as_str);
    let mut behind: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    // For each table and event, the number of targets whose cost is not known yet.
    let mut open: BTreeMap<&str, usize> = BTreeMap::new();
    for name in all() {
        let ways: BTreeSet<&str> = tables.ways(name).into_iter().filter(|next| *next != NOTHING).collect();
        open.insert(name, ways.len());
        ways.into_iter().for_each(|next| behind.entry(next).or_default().push(name));
    }
    let mut ready: Vec<&str> = open.iter().filter(|(_, ways)| **ways == 0).map(|(name, _)| *name).collect();
    let mut counted = BTreeMap::new();
    while let Some(name) = ready.pop() {
        let run = run_from(tables, name, &counted);
        for (what, many, most) in [("draws", run.dice, EVENT_DICE), ("takes", run.steps, EVENT_STEPS)] {
            if many > most {
                let of = if what == "draws" { "dice" } else { "steps" };
                return Err(format!("{name}: from here on a run {what} up to {many} {of}; at most {most} are allowed"));
            }
        }
        counted.insert(name, run);
        for before in behind.remove(name).unwrap_or_default() {
            let ways = open.entry(before).and_modify(|ways| *ways -= 1).or_default();
            if *ways == 0 {
                ready.push(before);
            }
        }
    }
    match all().find(|name| !counted.contains_key(name)) {
        Some(name) => Err(format!("{name}: it leads to a loop; break the loop")),
        None => Ok(counted.into_iter().map(|(name, run)| (name.to_owned(), run)).collect()),
    }
}

/// Returns the maximum cost of a run from a table or event on, given the costs of its targets.
fn run_from(tables: &Tables, name: &str, counted: &BTreeMap<&str, Dearest>) -> Dearest {
    let at = |target: &str| counted.get(target).copied().unwrap_or_default();
    if let Some(table) = tables.tables.get(name) {
        let own = Dearest { dice: table.dice.count(), steps: 1 + table.modifiers.len() as u64, looks: 0 };
        return own.and(table.targets().into_iter().map(at).fold(Dearest::default(), Dearest::or));
    }
    let look = |from: &From| 1 + from.filter.as_ref().map_or(0, |filter| filter.terms() as u64);
    let of_step = |step: &Step| {
        let one = Dearest { steps: 1, ..Dearest::default() };
        match &step.does {
            Does::Pick(from) | Does::Pool { from, .. } => Dearest { dice: 1, looks: look(from), ..one },
            Does::Choose { from, .. } | Does::Need(from) => Dearest { looks: look(from), ..one },
            Does::Roll(die) => Dearest { dice: tables.dice.get(die).map_or(0, |die| die.dice.count()), ..one },
            Does::Go(to) => one.and(at(to)),
            _ => one,
        }
    };
    let steps = tables.events.get(name).into_iter().flat_map(|event| &event.steps);
    steps.map(of_step).fold(Dearest::default(), Dearest::and)
}

/// Checks that everything defined is used.
pub(super) fn check_used(tables: &Tables, used: &BTreeSet<String>) -> Checked<()> {
    let Tables { settings, facts, kinds, marks, dice, days, .. } = tables;
    let settings = settings.keys().filter(|name| !days.contains(name)).map(|name| ("settings", name, name.clone()));
    let facts = facts.keys().map(|name| ("facts", name, name.clone()));
    let kinds = kinds.keys().map(|name| ("kinds", name, format!("kind {name}")));
    let marks = marks.keys().map(|name| ("marks", name, format!("mark {name}")));
    let dice = dice.keys().map(|name| ("dice", name, format!("roll {name}")));
    let mut all = settings.chain(facts).chain(kinds).chain(marks).chain(dice);
    let idle = all.find(|(.., needed)| !used.contains(needed));
    idle.map_or(Ok(()), |(what, name, _)| Err(format!("{what}: {name}: it is not used; remove it")))
}
