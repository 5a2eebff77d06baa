//! What was filled in comes back with its fields, and can be changed, emptied and left out.

use serde_json::json;

use super::{
    super::{
        Form,
        tree::{Control, Groups, Kind, Leaf, Node},
    },
    filled,
};

#[test]
fn a_part_that_was_filled_in_can_be_left_out_again() {
    let form = "\
markers = [\"r1\"]
# order = \"first\"    # one of: first, second
# [pop]               # if you are behind: how many
# at_most = 2        # 0 to 64
# from = []
";
    let (text, value) = filled(form, &[("f.pop.from", "r9")]);
    // A browser sends the number that it shows, too.
    let (markers, pop) = (json!(["r1"]), json!({ "at_most": 2, "from": ["r9"] }));
    assert_eq!(value, json!({ "markers": markers, "pop": pop }), "{text}");
    let nodes = Form::read(&text).expect("fields").nodes;
    let pop = nodes.iter().find(|node| node.key == "pop").expect("the part");
    assert!(pop.was_off && !pop.is_off && pop.about == "if you are behind: how many", "{pop:?}");
    let (text, value) = filled(&text, &[("f.pop.from", "")]);
    assert!(value["pop"].is_object(), "the box is still ticked: {text}");
    let (text, value) = filled(&text, &[("f.pop", "")]);
    assert_eq!(value, json!({ "markers": ["r1"] }), "{text}");
    let (text, value) = filled(&text, &[("f.pop", "yes"), ("f.pop.at_most", "3")]);
    assert_eq!(value["pop"]["at_most"], 3, "{text}");
}

/// What is filled in by half comes back with all of its fields, and what is emptied is left out.
#[test]
fn nothing_that_was_entered_is_a_dead_end() {
    let form = "\
# [[orders.\"PUT A UNIT HERE\"]]
# fpf = 0                    # 0 to 9 points
#   with: one of: hq, unit
# commander = { unit = \"PUT A UNIT HERE\", with = \"hq\" }

# [[combats]]
# unit = \"PUT A UNIT HERE\"
#   with: one of: hq, unit
# commander = { unit = \"PUT A UNIT HERE\", with = \"hq\" }
";
    let (text, value) = filled(
        form,
        &[
            ("f.combats.0.unit", "1/3"),
            ("f.combats.0.commander.with", "unit"),
            ("f.orders.+0", "3rd Tank Regt"),
            ("f.orders.+0.0.fpf", "2"),
        ],
    );
    assert_eq!(value["combats"], json!([{ "unit": "1/3", "commander": { "with": "unit" } }]), "{text}");
    assert_eq!(value["orders"]["3rd Tank Regt"], json!([{ "fpf": 2 }]), "{text}");
    // The commander's unit can be filled in now, and the whole commander can be emptied.
    let (whole, value) = filled(&text, &[("f.combats.0.commander.unit", "HQ-3")]);
    assert_eq!(value["combats"][0]["commander"], json!({ "unit": "HQ-3", "with": "unit" }), "{whole}");
    let (none, value) = filled(&text, &[("f.combats.0.commander.with", "")]);
    assert_eq!(value["combats"], json!([{ "unit": "1/3" }]), "{none}");
    // A unit's name that the game refuses can be left out.
    let (left, value) = filled(&text, &[("f.orders.\"3rd Tank Regt\".0", "yes")]);
    assert!(value["orders"].get("3rd Tank Regt").is_none(), "{left}");
}

/// What stands under a chosen name has the fields, the choices and the explanations that it had before it was named.
#[test]
fn an_entry_with_a_name_is_shown_like_a_new_one() {
    let form = "\
# What your units do.
# [[orders.\"PUT A UNIT HERE\"]]
# fpf = 0                    # 0 to 9 points
# chemical = \"none\"          # one of: none, used
# terrain = []               # any of: forest, town
# control_loss = false
#   with: one of: hq, unit
# commander = { unit = \"PUT A UNIT HERE\", with = \"hq\" }

# [modes.\"PUT A UNIT HERE\"]
# mode = \"PUT A MODE HERE\"   # one of: march, combat
";
    let (text, _) = filled(
        form,
        &[("f.orders.+0", "1/3"), ("f.orders.+0.0.fpf", "2"), ("f.modes.+0", "1/3"), ("f.modes.+0.mode", "march")],
    );
    let nodes = Form::read(&text).expect("fields").nodes;
    let inside = |key: &str| match &nodes.iter().find(|node| node.key == key).expect("a table").kind {
        Kind::Table(nodes) => nodes.as_slice(),
        other => panic!("{other:?}"),
    };
    let [named, blank] = inside("orders") else { panic!("{text}") };
    assert!(named.key == "1/3" && matches!(blank.kind, Kind::Named { .. }), "{text}");
    let Kind::Groups(Groups { kept, spares }) = &named.kind else { panic!("{named:?}") };
    let fields = |nodes: &[Node]| -> Vec<(String, String, String)> {
        let control = |node: &Node| match &node.kind {
            Kind::Leaf(leaf) => format!("{:?}", leaf.control),
            _ => String::new(),
        };
        let mut all: Vec<_> = nodes.iter().map(|node| (node.key.clone(), node.about.clone(), control(node))).collect();
        all.sort();
        all
    };
    assert_eq!(kept.len(), 1, "{text}");
    assert_eq!(fields(&kept[0].nodes), fields(&spares[0].blank[0].1), "{text}");
    assert_eq!(kept[0].nodes.len(), 5, "{text}");
    let [named, _] = inside("modes") else { panic!("{text}") };
    let Kind::Table(mode) = &named.kind else { panic!("{named:?}") };
    assert!(matches!(&mode[0].kind, Kind::Leaf(Leaf { control: Control::One(_), .. })), "{named:?}");
    // What was left blank can still be filled in, and there can be a second block.
    let (text, value) = filled(
        &text,
        &[("f.orders.\"1/3\".0.terrain", "forest"), ("f.orders.\"1/3\".1.fpf", "3"), ("f.orders.+0", "2/3")],
    );
    let orders = json!({ "1/3": [{ "fpf": 2, "terrain": ["forest"] }, { "fpf": 3 }], "2/3": [{ "fpf": 0 }] });
    assert!(value["orders"]["1/3"][0]["terrain"] == json!(["forest"]), "{text}");
    assert_eq!(value["orders"]["1/3"][1]["fpf"], orders["1/3"][1]["fpf"], "{text}");
    assert!(value["orders"]["2/3"].is_array(), "{text}");
}

#[test]
fn an_optional_line_can_be_emptied_again() {
    let form = "\
# fled = [\"PUT A NAME HERE\", \"PUT A NAME HERE\"]    # who runs first
# march = 0    # 0 to 9 points
# order = \"first\"    # one of: first, second
";
    let (text, value) = filled(form, &[("f.fled", "Hood, Heth"), ("f.march", "3"), ("f.order", "second")]);
    assert_eq!(value, json!({ "fled": ["Hood", "Heth"], "march": 3, "order": "second" }), "{text}");
    let nodes = Form::read(&text).expect("fields").nodes;
    assert!(nodes.iter().all(|node| node.was_off && !node.is_off), "{text}");
    assert_eq!(nodes[0].about, "who runs first", "{text}");
    assert!(matches!(&nodes[1].kind, Kind::Leaf(Leaf { control: Control::Number(Some((0, 9))), .. })), "{text}");
    let (text, value) = filled(&text, &[("f.fled", ""), ("f.march", ""), ("f.order", "")]);
    assert_eq!(value, json!({}), "{text}");
    let (text, value) = filled(&text, &[("f.fled", "Hood")]);
    assert_eq!(value, json!({ "fled": ["Hood"] }), "{text}");
}

/// What is said of a key above a block holds for every table of its list, also after one was filled in.
#[test]
fn an_optional_key_stays_when_a_table_is_filled_in() {
    let form = "\
# Your units.
#   commander: 0 to 9, its commander's rating, if it has one
# [[units]]
# name = \"PUT A NAME HERE\"
# attack = 0                 # 0 to 99
";
    let (text, _) = filled(form, &[("f.units.0.name", "HQ"), ("f.units.0.commander", "4"), ("f.units.1.name", "1/3")]);
    let nodes = Form::read(&text).expect("fields").nodes;
    let Kind::Groups(Groups { kept, spares }) = &nodes[0].kind else { panic!("{text}") };
    let tables = kept.iter().map(|group| &group.nodes).chain(spares[0].blank.iter().map(|(_, nodes)| nodes));
    for nodes in tables {
        let commander = nodes.iter().find(|node| node.key == "commander").expect("a field");
        assert_eq!(commander.about, "0 to 9, its commander's rating, if it has one", "{text}");
    }
    assert!(kept.len() == 2 && spares[0].blank.len() == 3, "{text}");
    let (text, value) = filled(&text, &[("f.units.1.commander", "5"), ("f.units.2.name", "2/3")]);
    let units = json!([
        { "name": "HQ", "attack": 0, "commander": 4 },
        { "name": "1/3", "attack": 0, "commander": 5 },
        { "name": "2/3", "attack": 0 },
    ]);
    assert_eq!(value["units"], units, "{text}");
}

/// A comment after a header lists the names from which one can be chosen.
#[test]
fn a_name_can_be_one_of_those_that_the_form_lists() {
    let form = "# [[orders.\"PUT A UNIT HERE\"]] # one of: 1/3, HQ-3\n# fpf = 0\n\n# [modes.\"PUT A UNIT HERE\"]\n# mode = \"PUT A MODE HERE\"\n";
    let known = |text: &str, list: &str| -> Vec<String> {
        let nodes = Form::read(text).expect("fields").nodes;
        let Kind::Table(nodes) = &nodes.iter().find(|node| node.key == list).expect("a list").kind else {
            panic!("{nodes:?}")
        };
        match &nodes.last().expect("blank entries").kind {
            Kind::Named { known, .. } => known.clone(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((known(form, "orders"), known(form, "modes")), (vec!["1/3".into(), "HQ-3".into()], vec![]));
    let (text, value) = filled(form, &[("f.orders.+0", "1/3"), ("f.orders.+0.0.fpf", "2")]);
    assert_eq!(value["orders"], json!({ "1/3": [{ "fpf": 2 }] }), "{text}");
    assert_eq!(known(&text, "orders"), ["1/3", "HQ-3"], "{text}");
}

/// What was filled in stands where it stood, and an optional part can still be left out with its box.
#[test]
fn fields_keep_their_order_and_optional_parts_their_box() {
    let form = "\
# [[orders.\"PUT A UNIT HERE\"]]
# fpf = 0
# chemical = \"none\"          # one of: none, used
# commander = { unit = \"PUT A UNIT HERE\", with = \"unit\" }

# Your 1/3 is attacked.
[[orders.\"1/3\"]]
";
    let changed = &[
        ("f.orders.\"1/3\".0.chemical", "used"),
        ("f.orders.\"1/3\".0.commander", "yes"),
        ("f.orders.\"1/3\".0.commander.unit", "HQ"),
    ];
    let (text, value) = filled(form, changed);
    assert_eq!(
        value["orders"]["1/3"],
        json!([{ "chemical": "used", "commander": { "unit": "HQ", "with": "unit" } }]),
        "{text}"
    );
    let nodes = Form::read(&text).expect("fields").nodes;
    let Kind::Table(names) = &nodes[0].kind else { panic!("{nodes:?}") };
    let Kind::Groups(Groups { kept, .. }) = &names[0].kind else { panic!("{names:?}") };
    let keys: Vec<(&str, bool)> = kept[0].nodes.iter().map(|node| (node.key.as_str(), node.was_off)).collect();
    assert_eq!(keys, [("fpf", false), ("chemical", false), ("commander", true)], "{text}");
    let (text, value) = filled(&text, &[("f.orders.\"1/3\".0.commander", "")]);
    assert_eq!(value["orders"]["1/3"], json!([{ "chemical": "used" }]), "{text}");
}

/// A choice that is needed stays on the page when somebody takes it back.
#[test]
fn a_field_that_is_needed_stays_when_it_is_emptied() {
    let form = "order = \"PUT A WORD HERE\"    # one of: first, second\n# night = \"on\"    # one of: on, off\n";
    let can_go = |text: &str| -> Vec<(String, bool)> {
        let nodes = Form::read(text).expect("fields").nodes;
        let leaf = |node: Node| match node.kind {
            Kind::Leaf(leaf) => (node.key, leaf.can_go),
            other => panic!("{other:?}"),
        };
        nodes.into_iter().map(leaf).collect()
    };
    let both = [("order".to_owned(), false), ("night".to_owned(), true)];
    let (text, value) = filled(form, &[("f.order", "second"), ("f.night", "off")]);
    assert_eq!((can_go(&text).as_slice(), value), (both.as_slice(), json!({ "night": "off", "order": "second" })));
    let (text, value) = filled(&text, &[("f.order", ""), ("f.night", "")]);
    assert_eq!((can_go(&text).as_slice(), value), (both.as_slice(), json!({ "order": "" })), "{text}");
}
