//! The rules' own examples of coin envelopes, through signed letters and through `select`: index, envelope, row, opened
//! and returned.

use std::{fs, process::Command};

use sealed_dice::{
    blob::body::{Contribution, Moves, SetKind},
    game::steps::{self, Request},
    game::terms::Player,
};
use serde_json::{Value, json};

use crate::kit::{Ann, Bob, Table, bytes, object, slot, text};

struct Example {
    name: &'static str,
    envelopes: u64,
    grammar: &'static str,
    attacks: Vec<(String, &'static str, Option<u64>)>,
    total: u64,
    index: u64,
    opened: Vec<u64>,
    /// Hexes, envelope, row in sorted order.
    rows: Vec<(&'static str, u64, u64)>,
}

fn attack(hexes: &str, odds: &'static str) -> (String, &'static str, Option<u64>) {
    (hexes.into(), odds, None)
}

fn source() -> Vec<(String, &'static str, Option<u64>)> {
    vec![attack("F12", "3-1"), attack("G13", "5-1"), attack("I-11", "1-4")]
}

fn eleven(last: &'static str) -> Vec<(String, &'static str, Option<u64>)> {
    (1..=11).map(|i| attack(&format!("B{i}"), if i == 11 { last } else { "2-1" })).collect()
}

const B: [&str; 11] = ["B1", "B2", "B3", "B4", "B5", "B6", "B7", "B8", "B9", "B10", "B11"];

fn eleven_rows(first: u64, next: u64) -> Vec<(&'static str, u64, u64)> {
    B.iter().enumerate().map(|(i, hex)| if i < 10 { (*hex, first, i as u64 + 1) } else { (*hex, next, 1) }).collect()
}

fn examples() -> Vec<Example> {
    let letters = |name, envelopes, attacks, total, index, opened, rows| Example {
        name,
        envelopes,
        grammar: "letters",
        attacks,
        total,
        index,
        opened,
        rows,
    };
    let mut ordered = source();
    for (attack, order) in ordered.iter_mut().zip([2, 3, 1]) {
        attack.2 = Some(order);
    }
    let three = |envelope| vec![("F12", envelope, 1), ("G13", envelope, 2), ("I11", envelope, 3)];
    vec![
        letters("E1", 5, source(), 82, 2, vec![2], three(2)),
        letters("E2", 5, vec![attack("F12", "5-1")], 35, 0, vec![0], vec![("F12", 0, 1)]),
        letters("E3", 5, vec![attack("F12+G13", "2-1")], 24, 4, vec![4], vec![("F12+G13", 4, 1)]),
        letters(
            "E4",
            5,
            vec![attack("G13", "3-1"), attack("E12", "1-1"), attack("E2", "2-1"), attack("AA3", "3-2")],
            54,
            4,
            vec![4],
            vec![("E2", 4, 1), ("E12", 4, 2), ("G13", 4, 3), ("AA3", 4, 4)],
        ),
        letters("E5 with six", 6, source(), 82, 4, vec![4], three(4)),
        letters("E5 with four", 4, source(), 82, 2, vec![2], three(2)),
        Example {
            name: "E6",
            envelopes: 5,
            grammar: "numeric4",
            attacks: vec![attack("824", "3-1"), attack("0913", "1-2"), attack("1007", "4-1")],
            total: 53,
            index: 3,
            opened: vec![3],
            rows: vec![("0824", 3, 1), ("0913", 3, 2), ("1007", 3, 3)],
        },
        letters("E7", 5, eleven("2-1"), 122, 2, vec![2, 3], eleven_rows(2, 3)),
        letters("E8", 5, eleven("4-1"), 134, 4, vec![4, 0], eleven_rows(4, 0)),
        letters("E9", 5, ordered, 82, 2, vec![2], three(2)),
    ]
}

impl Example {
    fn sheet(&self) -> Value {
        let attack = |(hexes, odds, order): &(String, &str, Option<u64>)| json!({ "hexes": hexes.split('+').collect::<Vec<_>>(), "odds": odds, "order": order });
        json!({ "attacks": self.attacks.iter().map(attack).collect::<Vec<_>>() })
    }
}

#[test]
fn through_select() {
    let dir = crate::folder("examples");
    for example in examples() {
        let file = dir.join("sheet.json");
        fs::write(&file, example.sheet().to_string()).expect("a sheet");
        let output = Command::new(env!("CARGO_BIN_EXE_sealed-dice"))
            .args(["select", "--json", "--envelopes", &example.envelopes.to_string()])
            .arg(&file)
            .output()
            .expect("select runs");
        let printed: Value = serde_json::from_slice(&output.stdout).expect("select prints JSON");
        let name = example.name;
        assert_eq!(printed["envelopes"], example.envelopes, "{name}");
        assert_eq!((&printed["total"], &printed["index"]), (&json!(example.total), &json!(example.index)), "{name}");
        assert_eq!(printed["opened"], json!(example.opened), "{name}");
        let returned: Vec<u64> = (0..example.envelopes).filter(|i| !example.opened.contains(i)).collect();
        assert_eq!(printed["returned"], json!(returned), "{name}");
        let rows: Vec<(String, u64, u64)> = printed["attacks"]
            .as_array()
            .expect("attacks")
            .iter()
            .map(|attack| {
                let hexes: Vec<&str> =
                    attack["hexes"].as_array().expect("hexes").iter().filter_map(Value::as_str).collect();
                (hexes.join("+"), attack["envelope"].as_u64().unwrap(), attack["row"].as_u64().unwrap())
            })
            .collect();
        let expected: Vec<(String, u64, u64)> =
            example.rows.iter().map(|(hex, e, r)| ((*hex).into(), *e, *r)).collect();
        assert_eq!(rows, expected, "{name}");
        if name == "E9" {
            let ranks: Vec<u64> =
                printed["attacks"].as_array().unwrap().iter().map(|attack| attack["rank"].as_u64().unwrap()).collect();
            assert_eq!(ranks, [2, 3, 1], "I11 is applied first, then F12, then G13");
        }
    }
}

#[test]
fn through_signed_letters() {
    for example in examples() {
        let mut table = Table::begin_with(example.name, |charter| {
            charter.phases[0].settings.insert("envelopes".into(), json!(example.envelopes));
            charter.phases[0].settings.insert("grammar".into(), json!(example.grammar));
        });
        let salt = bytes(example.name);
        let seal = table
            .bob
            .seal(table.terms(), SetKind::Coin, "1/1/ann-first/1", example.envelopes, salt, None)
            .expect("a seal");
        let seal = table.send(Bob, sealed_dice::blob::Body::Seal(seal));
        let request = Request {
            slot: slot("1/1/ann-first/1"),
            moves: Moves::None(()),
            input: text(&object(example.sheet())),
            seal,
            contribution: Contribution::Open(bytes("a contribution")),
            redo: None,
        };
        let declare =
            table.with_ledger(|ledger| steps::declaration(ledger, Player::First, request)).expect("a declaration");
        let declaration = table.send(Ann, sealed_dice::blob::Body::Declare(Box::new(declare)));
        let reveal = table.reveal_body(Bob, declaration);
        let opened: Vec<u64> = reveal.keys.iter().map(|key| key.0).collect();
        assert_eq!(opened, example.opened, "{}", example.name);
        table.reveal(Bob, declaration);
        table.close_all();
        let expect = sealed_dice::conformance::transcript(table.transcript().as_bytes());
        let game = &expect["games"][0];
        assert_eq!((&game["verdict"], &game["complete"]), (&json!("verified"), &json!(true)), "{}", example.name);
        let rolls = game["rolls"].as_array().expect("rolls");
        assert_eq!(rolls.len(), example.rows.len(), "{}", example.name);
        for (roll, (hexes, envelope, row)) in rolls.iter().zip(&example.rows) {
            assert_eq!((&roll["index"], &roll["line"]), (&json!(envelope), &json!(row)), "{}", example.name);
            assert!(roll["why"].as_str().unwrap().contains(&format!(" {hexes} ")), "{}: {roll}", example.name);
        }
    }
}

#[test]
fn e11_is_refused() {
    let dir = crate::folder("e11");
    let many: Vec<Value> = (1..=51).map(|i| json!({ "hexes": [format!("B{i}")], "odds": "1-1" })).collect();
    let sheets = [
        json!({ "attacks": [{ "hexes": ["AB3"], "odds": "1-1" }] }),
        json!({ "attacks": [{ "hexes": ["F12"], "odds": "0-1" }] }),
        json!({ "attacks": [{ "hexes": [], "odds": "1-1" }] }),
        json!({ "attacks": many }),
    ];
    for sheet in sheets {
        let file = dir.join("sheet.json");
        fs::write(&file, sheet.to_string()).expect("a sheet");
        let output =
            Command::new(env!("CARGO_BIN_EXE_sealed-dice")).arg("select").arg(&file).output().expect("select runs");
        assert_eq!(output.status.code(), Some(1), "{sheet}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty());
    }
}
