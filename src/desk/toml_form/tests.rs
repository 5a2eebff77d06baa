//! For every form of the test vectors: its fields say what its text says, and a changed field changes nothing else.

mod again;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{
    super::fields::Fields,
    Form, OFFERED, text,
    tree::{Control, Groups, Kind, Leaf, Node},
};
use crate::{
    blob::json::Text,
    resolve::{Object, System},
};

/// Forms whose fields are each changed, of each system.
const CHANGED: usize = 8;

/// Returns every form of the vectors, by system.
pub(in crate::desk) fn forms() -> BTreeMap<String, BTreeSet<String>> {
    let mut forms: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for folder in ["vectors/course", "vectors/hidden"] {
        for file in std::fs::read_dir(folder).expect("vectors") {
            let text = std::fs::read_to_string(file.expect("a vector").path()).expect("a vector");
            let case: Value = serde_json::from_str(&text).expect("JSON");
            let given = &case["given"];
            let object =
                |value: &Value| value.as_object().cloned().map(|fields| fields.into_iter().collect::<Object>());
            let (Some(name), Some(settings)) = (given["system"].as_str(), object(&given["settings"])) else { continue };
            let tables = object(&given["tables"]).unwrap_or_default();
            let Ok(system) = System::settle(name, &settings, &tables) else { continue };
            let course = system.resolver().course().expect("a course");
            let own = forms.entry(name.to_owned()).or_default();
            own.extend(course.roles().into_iter().filter_map(|role| course.standing_form(role, None)));
            let states = case["expect"]["steps"].as_array().into_iter().flatten().map(|step| &step["state"]);
            let states = states.chain(case["expect"]["states"].as_array().into_iter().flatten());
            let states = course.begin().ok().into_iter().chain(states.filter_map(object));
            let steps = given["steps"].as_array().into_iter().flatten();
            let before: Vec<Text> = steps.filter_map(|step| Text::of(step).ok()).collect();
            for (n, state) in states.enumerate() {
                own.extend(course.form(&state, None));
                own.extend(n.checked_sub(1).and_then(|n| course.form(&state, before.get(n)).ok()));
                own.extend(course.choice_form(&state).ok().flatten());
                own.extend(course.roles().into_iter().filter_map(|role| course.orders_form(&state, role).ok()));
            }
        }
    }
    forms
}

/// Returns the words that a field of a unit's order offers.
fn offered<'n>(unit: &'n [Node], key: &str) -> &'n [String] {
    match unit.iter().find(|node| node.key == key).map(|node| &node.kind) {
        Some(Kind::Leaf(Leaf { control: Control::One(words), .. })) => words,
        other => panic!("{key}: {other:?}"),
    }
}

#[test]
fn the_orders_that_are_offered_are_those_that_may_be_given() {
    let file = std::fs::read_to_string("vectors/course/cil-c1-series.json").expect("a vector");
    let case: Value = serde_json::from_str(&file).expect("JSON");
    let object = |value: &Value| value.as_object().expect("an object").clone().into_iter().collect::<Object>();
    for (facing, cost) in [("any", 2), ("mirror", 2), ("same", 1)] {
        let mut settings = object(&case["given"]["settings"]);
        settings.insert("facing".into(), facing.into());
        settings.insert("assault_cost".into(), cost.into());
        let unit = |id: &str, at: &str| {
            let (kind, full) = ("infantry", 100);
            json!({ "at": at, "attack": 5, "defense": 0, "effectiveness": full, "id": id, "kind": kind, "strength": 3 })
        };
        let force = |side: &str| json!([unit(side, "main"), unit(&format!("{side}-r"), "reserve")]);
        settings.insert("forces".into(), json!({ "attacker": force("a"), "defender": force("b") }));
        let system = System::settle("cil", &settings, &Object::new()).expect("settings");
        let course = system.resolver().course().expect("a course");
        let mut state = course.begin().expect("a state");
        let fell =
            [(json!([]), json!([]), 0), (json!(["left"]), json!([]), 1), (json!([]), json!(["left", "right"]), 4)];
        for (attacker, defender, engagements) in fell {
            state.insert("engagements".into(), engagements.into());
            state.insert("overrun".into(), json!({ "attacker": attacker, "defender": defender }));
            for role in course.roles() {
                let form = course.orders_form(&state, role).expect("a form");
                let nodes = Form::read(&form).expect("fields").nodes;
                let Some(Kind::Table(units)) = nodes.first().map(|node| &node.kind) else { panic!("{form}") };
                for unit in units {
                    let Kind::Table(inside) = &unit.kind else { panic!("{form}") };
                    let (words, ats) = (offered(inside, "order"), offered(inside, "at"));
                    for word in ["hold", "attack", "assault", "probe", "move", "dig-in"] {
                        let given = [None, Some("main"), Some("left"), Some("right"), Some("reserve")].map(|at| {
                            let order = at.map_or(json!({ "order": word }), |at| json!({ "order": word, "at": at }));
                            let note = object(&json!({ "orders": { &unit.key: order } }));
                            let may = course.read_orders(&state, role, &note).is_ok();
                            assert!(
                                !may || at.is_none_or(|at| ats.iter().any(|known| known == at)),
                                "{word} {at:?}: {form}"
                            );
                            may
                        });
                        assert_eq!(given.contains(&true), words.iter().any(|known| known == word), "{word}: {form}");
                    }
                }
            }
        }
    }
}

/// Adds the fields that a browser sends for a page that nobody has touched.
fn send(nodes: &[Node], fields: &mut Fields) {
    for node in nodes {
        match &node.kind {
            Kind::AsItIs => {}
            Kind::Leaf(leaf) => match &leaf.control {
                Control::Tick if leaf.shown.is_empty() => {}
                Control::Any(words) => {
                    words.iter().filter(|word| leaf.has(word)).for_each(|word| fields.push(&node.name, word.clone()));
                }
                _ => fields.push(&node.name, leaf.shown.replace('\n', "\r\n")),
            },
            Kind::Table(inside) => {
                if node.was_off {
                    fields.push(&node.name, "yes");
                }
                send(inside, fields);
            }
            Kind::Named { entries, .. } => entries.iter().for_each(|entry| {
                fields.push(&entry.name, "");
                send(std::slice::from_ref(entry), fields);
            }),
            Kind::Groups(Groups { kept, spares }) => {
                kept.iter().for_each(|group| send(&group.nodes, fields));
                spares.iter().flat_map(|spares| &spares.blank).for_each(|(_, nodes)| send(nodes, fields));
            }
        }
    }
}

fn sent(form: &str) -> Fields {
    let mut fields = Fields::of([(OFFERED, form.replace('\n', "\r\n")), ("sheet", form.trim_end().to_owned())]);
    send(&Form::read(form).unwrap_or_else(|| panic!("no fields: {form}")).nodes, &mut fields);
    fields
}

/// Returns the request with another value of a field.
fn with(fields: &Fields, name: &str, values: &[&str]) -> Fields {
    let mut changed = Fields::of(fields.without(&[name]).map(|(name, value)| (name, value.to_owned())));
    values.iter().for_each(|value| changed.push(name, *value));
    changed
}

fn read(text: &str) -> Value {
    toml::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Returns the value after some fields of a form are filled in.
fn filled(form: &str, values: &[(&str, &str)]) -> (String, Value) {
    let mut fields = sent(form);
    for (name, value) in values {
        fields = with(&fields, name, &[value]);
    }
    let text = text("sheet", &fields).expect("a text");
    let value = read(&text);
    (text, value)
}

/// Returns the leaves of a value by their paths.
fn flat(value: &Value, at: &str, into: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| {
            flat(value, &format!("{at}.{}", toml_edit::Key::new(key.as_str())), into);
        }),
        Value::Array(items) if items.iter().any(Value::is_object) => {
            items.iter().enumerate().for_each(|(n, value)| flat(value, &format!("{at}.{n}"), into));
        }
        leaf => drop(into.insert(at.to_owned(), leaf.to_string())),
    }
}

fn leaves_of(value: &Value) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    flat(value, OFFERED, &mut all);
    all
}

/// Lists the fields of a form, each with where its change may show: its own path, or that of a part it brings with it.
fn all<'n>(nodes: &'n [Node], part: Option<&str>, into: &mut Vec<(&'n Node, &'n Leaf, String)>) {
    for node in nodes {
        let own = part.unwrap_or(&node.name);
        match &node.kind {
            Kind::AsItIs => {}
            Kind::Leaf(leaf) => into.push((node, leaf, own.to_owned())),
            Kind::Table(inside) if node.is_off => all(inside, Some(own), into),
            Kind::Table(inside) => all(inside, part, into),
            Kind::Named { entries, .. } => {
                // Without a name the placeholder stays.
                let list = node.name.clone();
                entries.iter().for_each(|entry| all(std::slice::from_ref(entry), Some(part.unwrap_or(&list)), into));
            }
            Kind::Groups(Groups { kept, spares }) => {
                kept.iter().for_each(|group| all(&group.nodes, part, into));
                for (_, nodes) in spares.iter().flat_map(|spares| &spares.blank) {
                    let new = format!("{}.{}", node.name, kept.len());
                    all(nodes, Some(part.unwrap_or(&new)), into);
                }
            }
        }
    }
}

/// Returns other values for a field, as a browser sends them.
fn other(leaf: &Leaf) -> Vec<String> {
    match &leaf.control {
        Control::Tick if leaf.shown.is_empty() => vec!["yes".into()],
        Control::Tick => Vec::new(),
        Control::Any(words) => words.iter().filter(|word| !leaf.has(word)).take(1).cloned().collect(),
        Control::One(words) => words.iter().filter(|word| **word != leaf.shown).take(1).cloned().collect(),
        Control::Number(range) => {
            let number = range.map_or(77, |(low, high)| if leaf.shown == high.to_string() { low } else { high });
            vec![number.to_string()]
        }
        Control::List if leaf.shown.starts_with(|c: char| c.is_ascii_digit()) => vec!["5, 6".into()],
        Control::List => vec!["one, two".into()],
        Control::Line | Control::Area => vec!["a \"text\" with \\ and # in it".into()],
    }
}

#[test]
fn fields_that_nobody_touches_say_what_the_form_says() {
    let forms = forms();
    assert_eq!(forms.keys().collect::<Vec<_>>(), ["cil", "event-tables", "ndc", "ocs-initiative"]);
    for form in forms.values().flatten() {
        assert_eq!(text("sheet", &sent(form)).unwrap_or_default(), form.trim(), "{form}");
    }
}

#[test]
fn a_changed_field_changes_what_it_is_about_and_nothing_else() {
    for forms in forms().values() {
        let mut shapes = BTreeSet::new();
        for form in forms {
            let read_form = Form::read(form).expect("fields");
            let mut leaves = Vec::new();
            all(&read_form.nodes, None, &mut leaves);
            let shape: Vec<&str> = leaves.iter().map(|(node, ..)| node.name.as_str()).collect();
            if shapes.len() == CHANGED || !shapes.insert(shape.join(" ").replace(|c: char| c.is_ascii_digit(), "")) {
                continue;
            }
            let (fields, before) = (sent(form), leaves_of(&read(form)));
            for (node, leaf, part) in leaves {
                let values = other(leaf);
                let mut said: Vec<&str> = values.iter().map(String::as_str).collect();
                let kept: Vec<&str> = fields.all(&node.name).collect();
                if matches!(leaf.control, Control::Any(_)) {
                    said.extend(kept);
                }
                let changed = text("sheet", &with(&fields, &node.name, &said)).expect("a text");
                let after = leaves_of(&read(&changed));
                let paths = before.keys().chain(after.keys());
                let differs: BTreeSet<&String> = paths.filter(|at| before.get(*at) != after.get(*at)).collect();
                assert!(!differs.is_empty(), "{} = {said:?} changes nothing:\n{changed}", node.name);
                for at in differs {
                    // The first of some tables takes the place of an empty list.
                    let was_empty = before.get(at).is_some_and(|value| value == "[]");
                    let is_inside = *at == part
                        || at.starts_with(&format!("{part}."))
                        || was_empty && part.starts_with(&format!("{at}."));
                    assert!(is_inside, "{} = {said:?} changes {at}, not {part}:\n{changed}", node.name);
                }
                assert!(Form::read(&changed).is_some(), "it has fields still: {changed}");
            }
        }
    }
}

#[test]
fn text_that_was_changed_wins_over_fields() {
    let form = "# order = \"first\"    # one of: first, second\n";
    let fields = with(&sent(form), "f.order", &["second"]);
    assert_eq!(text("sheet", &fields).expect("a text"), "order = \"second\"    # optional: one of: first, second");
    let typed = with(&fields, "sheet", &["order = \"first\"\r\n"]);
    assert_eq!(text("sheet", &typed).expect("a text"), "order = \"first\"");
    let without = with(&fields, OFFERED, &[]);
    assert_eq!(text("sheet", &without).expect("a text"), form.trim());
}

#[test]
fn what_cannot_be_read_safely_is_text_only() {
    for form in ["= 1", "a = 1\n# a = 2", "# [pop]\nat = 1", "a = [\n# b = 1\n]", "a = 1 #\u{e000}"] {
        assert!(Form::read(form).is_none(), "{form}");
    }
}

#[test]
fn a_sheet_with_what_only_its_author_knows_has_fields() {
    let form = "\
# Only you know this:
#   a1 (infantry) on 0812: attack 6 = 3 + 3
#   points: air 2
# THE DICE ARE FORFEITED TO YOU.
#   line 9, 1 to 6: ndc-weather
# named = { \"9\" = [1, 1], \"41\" = [1] }

# halt = [\"PUT A UNIT HERE\"]
";
    assert_eq!(filled(form, &[]).1, json!({}));
    assert_eq!(filled(form, &[("f.named", "yes")]).1, json!({ "named": { "9": [1, 1], "41": [1] } }));
    let (text, value) = filled(form, &[("f.named.9", "2, 6"), ("f.halt", "a1, \"b, c\"")]);
    assert_eq!(value, json!({ "named": { "9": [2, 6], "41": [1] }, "halt": ["a1", "b, c"] }), "{text}");
}

#[test]
fn blocks_are_filled_added_and_left_out() {
    let form = "\
# Two kinds.
# [[fires]]
# kind = \"gun\"     # leave this line as it is
# target = \"PUT A HEX HERE\"
# by = { unit = \"PUT A UNIT HERE\", with = \"hq\" }
# [[fires]]
# kind = \"gas\"     # leave this line as it is
# points = 1       # 1 to 9
# hexes = [\"PUT A HEX HERE\"]

# [[orders.\"PUT A UNIT HERE\"]]
# retreat = []
";
    let (text, value) = filled(
        form,
        &[
            ("f.fires.1.hexes", "0823, 0824"),
            ("f.fires.0.target", "0101"),
            ("f.fires.4.target", "0202"),
            ("f.fires.4.by.unit", "1/3"),
            ("f.orders.+1", "1/3"),
            ("f.orders.+1.0.retreat", "0303"),
        ],
    );
    let by = json!({ "unit": "1/3", "with": "hq" });
    let fires = json!([
        { "kind": "gun", "target": "0101" },
        { "kind": "gun", "target": "0202", "by": by },
        { "kind": "gas", "points": 1, "hexes": ["0823", "0824"] },
    ]);
    assert_eq!(value, json!({ "fires": fires, "orders": { "1/3": [{ "retreat": ["0303"] }] } }), "{text}");
    // The blocks are still there, and what was filled in can be changed and left out.
    let (text, value) = filled(
        &text,
        &[("f.fires.0", "yes"), ("f.fires.1.by.with", ""), ("f.fires.2.points", "x"), ("f.fires.4.points", "2")],
    );
    let fires = json!([
        { "kind": "gun", "target": "0202", "by": { "unit": "1/3" } },
        { "kind": "gas", "points": "x", "hexes": ["0823", "0824"] },
        { "kind": "gas", "points": 2 },
    ]);
    assert_eq!(value["fires"], fires, "{text}");
}

#[test]
fn entries_in_lines_are_filled_added_and_left_out() {
    let form = "\
[forces]
#   at: one of: main, left
#   size: 0 to 9
#   role: one of: screen, reserve; if it has one
red = [
  { id = \"a1\", size = 3, at = \"main\" },    # a1 is tired
  { id = \"a2\", size = 4, at = \"left\" },
]
blue = []
";
    let (text, value) = filled(
        form,
        &[
            ("f.forces.red.0.size", "5"),
            ("f.forces.red.1", "yes"),
            ("f.forces.red.3.id", "a, \"3\""),
            ("f.forces.red.3.role", "screen"),
            ("f.forces.blue.0.size", "2"),
        ],
    );
    // A new entry begins with the first legal word of each key that every other one has; a forgotten number is missing.
    let new = json!({ "id": "a, \"3\"", "at": "main", "role": "screen" });
    let red = json!([{ "id": "a1", "size": 5, "at": "main" }, new]);
    assert_eq!(value, json!({ "forces": { "red": red, "blue": [{ "size": 2 }] } }), "{text}");
    let (text, value) = filled(&text, &[("f.forces.red.0.role", "reserve")]);
    assert_eq!(value["forces"]["red"][0]["role"], "reserve", "{text}");
}
