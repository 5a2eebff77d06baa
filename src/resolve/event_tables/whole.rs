//! What holds for a file as a whole (`protocol/event-tables.md` 6, 9): names and texts, ways, and nothing for nothing.

use std::collections::BTreeSet;

use super::{
    check::Checked,
    steps,
    tables::{Table, Tables},
    words::{is_name, is_text},
    written::File,
};

/// That names are names, and differ where they must.
pub(super) fn check_names(file: &File) -> Checked<()> {
    let File { days: _, dice, events, facts, kinds, marks, settings, sides, tables, .. } = file;
    let globals = dice.keys().chain(facts.keys()).chain(marks.keys()).chain(settings.keys());
    let of_kinds = kinds.values().flat_map(|kind| kind.attributes.keys().chain(&kind.marks));
    let all =
        globals.clone().chain(of_kinds).chain(kinds.keys()).chain(sides).chain(tables.keys()).chain(events.keys());
    for name in all {
        if !is_name(name) {
            return Err(format!("{name:?} is no name (event-tables 1): small letters, digits, _ and -, at most 32"));
        }
    }
    let mut seen = BTreeSet::new();
    match globals.chain(&["turn", "day", "side"].map(String::from)).find(|name| !seen.insert(name.as_str().to_owned()))
    {
        Some(name) => Err(format!("{name}: the name is taken")),
        None => Ok(()),
    }
}

/// That what is for people can be shown to them.
pub(super) fn check_texts(file: &File) -> Checked<()> {
    let File { about, dice, events, facts, kinds, marks, settings, tables, title, .. } = file;
    let abouts =
        [about].into_iter().chain(dice.values().map(|die| &die.about)).chain(events.values().map(|event| &event.about));
    let abouts = abouts.chain(facts.values().map(|fact| &fact.about)).chain(kinds.values().map(|kind| &kind.about));
    let abouts =
        abouts.chain(settings.values().map(|setting| &setting.about)).chain(tables.values().map(|table| &table.about));
    let says = events.values().flat_map(|event| &event.steps).filter_map(|step| step.say.as_ref());
    let mut all = [title].into_iter().chain(marks.values()).chain(abouts.flatten()).chain(says);
    all.find(|text| !is_text(text)).map_or(Ok(()), |text| Err(format!("{text:?} is no text of 1 to 500 characters")))
}

/// Where a table or event may go on.
fn ways<'t>(tables: &'t Tables, name: &str) -> Vec<&'t str> {
    let of_table = tables.tables.get(name).map(Table::targets);
    let of_event = || tables.events.get(name).map(|event| event.steps.iter().filter_map(steps::goes_to).collect());
    of_table.or_else(of_event).unwrap_or_default()
}

/// That all can be reached, nothing comes back to itself, and events of each turn are nobody's target.
pub(super) fn check_ways(tables: &Tables) -> Checked<()> {
    let roots = || tables.main.values().chain(tables.each_turn.values().flatten()).map(String::as_str);
    let all = || tables.tables.keys().chain(tables.events.keys()).map(String::as_str);
    let mut reached: BTreeSet<&str> = roots().collect();
    let mut open: Vec<&str> = roots().collect();
    while let Some(name) = open.pop() {
        open.extend(ways(tables, name).into_iter().filter(|next| reached.insert(next)));
    }
    if let Some(name) = all().find(|name| !reached.contains(name)) {
        return Err(format!("{name}: nothing leads there"));
    }
    let targets = || all().flat_map(|name| ways(tables, name)).chain(tables.main.values().map(String::as_str));
    if let Some(name) = tables.each_turn.values().flatten().find(|name| targets().any(|target| target == *name)) {
        return Err(format!("each_turn: {name} is a target too"));
    }
    // What leads nowhere that is left is taken away until nothing is: what stays leads back to itself.
    let mut left: BTreeSet<&str> = all().collect();
    loop {
        let ends: Vec<&str> =
            left.iter().copied().filter(|name| !ways(tables, name).iter().any(|next| left.contains(next))).collect();
        if ends.is_empty() {
            break;
        }
        ends.iter().for_each(|name| {
            left.remove(name);
        });
    }
    left.first()
        .map_or(Ok(()), |name| Err(format!("{name}: a way leads from there back to itself, or to one that does")))
}

/// That nothing is there for nothing.
pub(super) fn check_used(tables: &Tables, used: &BTreeSet<String>) -> Checked<()> {
    let Tables { settings, facts, kinds, marks, dice, days, .. } = tables;
    let settings = settings.keys().filter(|name| !days.contains(name)).map(|name| ("settings", name, name.clone()));
    let facts = facts.keys().map(|name| ("facts", name, name.clone()));
    let kinds = kinds.keys().map(|name| ("kinds", name, format!("kind {name}")));
    let marks = marks.keys().map(|name| ("marks", name, format!("mark {name}")));
    let dice = dice.keys().map(|name| ("dice", name, format!("roll {name}")));
    let mut all = settings.chain(facts).chain(kinds).chain(marks).chain(dice);
    let idle = all.find(|(.., needed)| !used.contains(needed));
    idle.map_or(Ok(()), |(what, name, _)| Err(format!("{what}: {name}: nothing needs it")))
}
