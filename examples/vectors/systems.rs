//! Worksheets, cells, and resolvers on given draws.

use serde_json::{Value, json};

use crate::Vectors;

fn settings(change: Value) -> Value {
    let mut settings = json!({
        "chart": "house",
        "double_letters": "doubled",
        "envelopes": 5,
        "grammar": "letters",
        "list_automatic": true,
        "values": "1-6",
    });
    for (key, value) in change.as_object().unwrap() {
        settings[key] = value.clone();
    }
    settings
}

fn attacks(list: &[(&str, &str)]) -> Value {
    let attack = |(hexes, odds): &(&str, &str)| json!({ "hexes": hexes.split('+').collect::<Vec<_>>(), "odds": odds });
    list.iter().map(attack).collect()
}

fn given(change: Value, attacks: Value) -> Value {
    json!({ "settings": settings(change), "tables": {}, "attacks": attacks })
}

const SOURCE: [(&str, &str); 3] = [("F12", "3-1"), ("G13", "5-1"), ("I-11.", "1-4")];

/// Returns eleven attacks on B1 to B11: ten at 2-1, and the last at the given odds.
fn eleven(last: &str) -> Value {
    let hexes: Vec<String> = (1..=11).map(|i| format!("B{i}")).collect();
    let list: Vec<(&str, &str)> =
        hexes.iter().map(|hex| (hex.as_str(), if hex == "B11" { last } else { "2-1" })).collect();
    attacks(&list)
}

pub(crate) fn all(v: &mut Vectors) {
    examples(v);
    grammars(v);
    lists(v);
    refused_sheets(v);
    cells(v);
    what_if(v);
}

fn examples(v: &mut Vectors) {
    let mut sheet = |name: &str, about: &str, given: Value, known: Value| {
        v.gives(&format!("worksheet/{name}"), "coin-envelopes.md 1 to 8", about, given, known);
    };
    sheet(
        "e01-source-example",
        "three attacks, total 82, envelope 2",
        given(json!({}), attacks(&SOURCE)),
        json!({ "total": 82, "index": 2, "opened": [2], "returned": [0, 1, 3, 4] }),
    );
    sheet(
        "e02-divides",
        "35 is divided by 5: envelope 0",
        given(json!({}), attacks(&[("F12", "5-1")])),
        json!({ "total": 35, "index": 0 }),
    );
    sheet(
        "e03-two-hexes",
        "values of two hexes are added",
        given(json!({}), attacks(&[("F12+G13", "2-1")])),
        json!({ "total": 24, "index": 4 }),
    );
    sheet(
        "e04-natural-sort",
        "E2 before E12, double letters last",
        given(json!({}), attacks(&[("G13", "3-1"), ("E12", "1-1"), ("E2", "2-1"), ("AA3", "3-2")])),
        json!({ "total": 54, "index": 4 }),
    );
    sheet(
        "e05-six-envelopes",
        "82 mod 6 is 4: units digits alone would give 0",
        given(json!({ "envelopes": 6 }), attacks(&SOURCE)),
        json!({ "index": 4 }),
    );
    sheet(
        "e05-four-envelopes",
        "82 mod 4 is 2",
        given(json!({ "envelopes": 4 }), attacks(&SOURCE)),
        json!({ "index": 2 }),
    );
    let numeric = attacks(&[("0824", "3-1"), ("0913", "1-2"), ("1007", "4-1")]);
    sheet(
        "e06-numeric",
        "numeric hexes",
        given(json!({ "grammar": "numeric4" }), numeric),
        json!({ "total": 53, "index": 3 }),
    );
    let short = attacks(&[("824", "3-1"), ("09.13", "1-2"), ("10-07", "4-1")]);
    sheet(
        "e06-numeric-notations",
        "the same hexes as other tools write them",
        given(json!({ "grammar": "numeric4" }), short),
        json!({ "total": 53, "index": 3 }),
    );
    sheet(
        "e07-eleven-attacks",
        "the eleventh attack takes the next envelope",
        given(json!({}), eleven("2-1")),
        json!({ "total": 122, "index": 2, "opened": [2, 3] }),
    );
    sheet(
        "e08-wrap",
        "behind the last envelope comes the first",
        given(json!({}), eleven("4-1")),
        json!({ "total": 134, "index": 4, "opened": [4, 0] }),
    );
    let mut ordered = attacks(&SOURCE);
    for (i, order) in [2, 3, 1].into_iter().enumerate() {
        ordered[i]["order"] = json!(order);
    }
    sheet(
        "e09-order-of-attack",
        "the order of application moves no die",
        given(json!({}), ordered),
        json!({ "total": 82, "index": 2 }),
    );
    sheet(
        "e10-true-odds",
        "with the true odds of F12 the total is 75",
        given(json!({}), attacks(&[("F12", "2-1"), ("G13", "5-1"), ("I11", "1-4")])),
        json!({ "total": 75, "index": 0 }),
    );
    sheet(
        "no-attacks",
        "nothing is opened",
        given(json!({}), json!([])),
        json!({ "total": 0, "index": null, "opened": [], "returned": [0, 1, 2, 3, 4] }),
    );
    sheet(
        "one-envelope",
        "a single envelope is always 0",
        given(json!({ "envelopes": 1 }), attacks(&SOURCE)),
        json!({ "index": 0, "returned": [] }),
    );
    sheet(
        "256-envelopes",
        "as many as there can be",
        given(json!({ "envelopes": 256 }), attacks(&SOURCE)),
        json!({ "index": 82 }),
    );
    sheet(
        "all-rows",
        "ten attacks on one envelope use it up",
        given(json!({ "envelopes": 1 }), json!(&eleven("2-1").as_array().unwrap()[..10])),
        json!({ "opened": [0] }),
    );
}

fn grammars(v: &mut Vectors) {
    let mut sheet = |name: &str, about: &str, given: Value| {
        v.gives(&format!("worksheet/{name}"), "coin-envelopes.md 1 to 3", about, given, json!({}));
    };
    let notations = attacks(&[("f 12", "3:1"), ("G-13", "5 to 1"), (" i011. ", "1\u{2013}4")]);
    let stops = attacks(&[("F12 .", "3-1"), (" g13. . ", "5-1")]);
    sheet("stops-and-blanks", "full stops and blanks at the end, as many as there are", given(json!({}), stops));
    sheet("notations", "small letters, blanks, hyphens, full stops, colons, en dashes", given(json!({}), notations));
    sheet(
        "spreadsheet-letters",
        "AB follows AA",
        given(
            json!({ "double_letters": "spreadsheet" }),
            attacks(&[("AB3", "1-1"), ("AA3", "1-1"), ("ZZ9", "1-1"), ("Z9", "1-1")]),
        ),
    );
    sheet(
        "doubled-letters",
        "BB follows AA",
        given(json!({}), attacks(&[("BB3", "1-1"), ("AA3", "1-1"), ("Z3", "1-1")])),
    );
    let map = attacks(&[("B01.43", "1-1"), ("A43.01", "1-1"), ("a4302", "1-1"), ("A00.10", "1-1")]);
    sheet(
        "map-and-numbers",
        "the map's letter sorts first and has no value",
        given(json!({ "grammar": "mapnumeric" }), map),
    );
    let mut table = given(json!({ "chart": "table" }), attacks(&[("F12", "3-1"), ("G13", "5-1")]));
    table["tables"] = json!({ "hex-chart": { "rows": { "F": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "G": [10, 11, 12, 99, 14, 15, 16, 17, 18, 19] } } });
    sheet("players-chart", "the players' own chart", table);
}

fn lists(v: &mut Vectors) {
    let mut sheet = |name: &str, about: &str, list: Value| {
        v.gives(&format!("worksheet/{name}"), "coin-envelopes.md 4, 8", about, given(json!({}), list), json!({}));
    };
    sheet(
        "prefix-first",
        "an attack on F12 stands before one on F12 and G13",
        attacks(&[("F12+G13", "1-1"), ("F12", "1-1")]),
    );
    sheet("hexes-sorted-within", "an attack is sorted by its lowest hex", attacks(&[("G13+A1", "1-1"), ("B2", "1-1")]));
    sheet(
        "same-hex-order-written",
        "two attacks on one hex stay as written",
        attacks(&[("F12", "1-2"), ("F12", "5-1")]),
    );
    let mut some = attacks(&[("C1", "1-1"), ("B1", "1-1"), ("A1", "1-1")]);
    some[0]["order"] = json!(1);
    sheet("order-for-some", "the others fill the free places in sorted order", some);
    let mut named = attacks(&[("C1", "1-1"), ("B1", "1-1")]);
    named[0]["id"] = json!("Guards");
    sheet("named-attacks", "an id of one's own", named);
}

fn refused_sheets(v: &mut Vectors) {
    let mut bad = |name: &str, about: &str, given: Value| {
        v.refused(&format!("worksheet/{name}"), "coin-envelopes.md 1 to 8", about, given, "rule");
    };
    let one = |hexes: &str, odds: &str| given(json!({}), attacks(&[(hexes, odds)]));
    bad("e11-mixed-double-letters", "AB is no row with doubled letters", one("AB3", "1-1"));
    bad("e11-odds-zero", "odds have no zero", one("F12", "0-1"));
    let many: Vec<(String, &str)> = (1..=51).map(|i| (format!("B{i}"), "1-1")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(hex, odds)| (hex.as_str(), *odds)).collect();
    bad("e11-51-attacks", "five envelopes have fifty rows", given(json!({}), attacks(&many)));
    bad("e11-no-hex", "an attack has a hex", given(json!({}), json!([{ "hexes": [], "odds": "1-1" }])));
    bad("hex-twice", "a hex stands once in an attack", one("F12+F012", "1-1"));
    bad(
        "33-hexes",
        "an attack has at most 32 hexes",
        given(json!({}), json!([{ "hexes": (1..=33).map(|i| format!("A{i}")).collect::<Vec<_>>(), "odds": "1-1" }])),
    );
    bad("odds-1000", "odds go to 999", one("F12", "1000-1"));
    bad("odds-leading-zero", "odds have no leading zero", one("F12", "03-1"));
    bad("odds-one-number", "odds are two numbers", one("F12", "3"));
    bad("odds-differential", "a differential is no odds", one("F12", "+3"));
    bad("hex-of-four-digits", "a lettered hex has at most three digits", one("F1234", "1-1"));
    bad("hex-of-three-letters", "and at most two letters", one("AAA1", "1-1"));
    bad("hex-without-number", "and a number", one("F", "1-1"));
    bad("hex-not-ascii", "letters are A to Z", one("Ä12", "1-1"));
    let numeric = |hex: &str| given(json!({ "grammar": "numeric4" }), attacks(&[(hex, "1-1")]));
    bad("numeric-two-digits", "two digits could be anything", numeric("82"));
    bad("numeric-five-digits", "five too", numeric("08244"));
    bad("numeric-with-letter", "a letter on a numeric map", numeric("F824"));
    let order = |orders: [u64; 2]| {
        let mut list = attacks(&[("A1", "1-1"), ("B1", "1-1")]);
        list[0]["order"] = json!(orders[0]);
        list[1]["order"] = json!(orders[1]);
        given(json!({}), list)
    };
    bad("order-twice", "each place is given once", order([1, 1]));
    bad("order-zero", "places begin at 1", order([0, 1]));
    bad("order-beyond", "and end at the number of attacks", order([1, 3]));
    let mut list = attacks(&[("A1", "1-1"), ("B1", "1-1")]);
    list[0]["id"] = json!("x");
    list[1]["id"] = json!("x");
    bad("id-twice", "an id stands once", given(json!({}), list));
    bad("0-envelopes", "there is at least one envelope", given(json!({ "envelopes": 0 }), json!([])));
    bad("257-envelopes", "and at most 256", given(json!({ "envelopes": 257 }), json!([])));
    bad("unknown-setting", "a setting that the system does not have", given(json!({ "sort": "natural" }), json!([])));
    bad(
        "chart-missing",
        "the setting asks for a table that is not there",
        given(json!({ "chart": "table" }), json!([])),
    );
    let mut table = given(json!({ "chart": "table" }), attacks(&[("F12", "1-1")]));
    table["tables"] = json!({ "hex-chart": { "rows": { "G": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1] } } });
    bad("chart-without-row", "the chart has no row F", table.clone());
    table["tables"] = json!({ "hex-chart": { "rows": { "F": [1, 1, 1] } } });
    bad("chart-short-row", "a row has ten values", table.clone());
    table["tables"] = json!({ "hex-chart": { "rows": { "F": [1, 1, 100, 1, 1, 1, 1, 1, 1, 1] } } });
    bad("chart-value-100", "values go to 99", table);
}

fn cells(v: &mut Vectors) {
    let given = |spent: Value, cells: &[&str]| {
        let rolls: Vec<Value> = cells.iter().map(|cell| json!({ "cell": cell, "why": "supply" })).collect();
        json!({ "settings": { "values": "1-6" }, "state": { "spent": spent }, "rolls": rolls })
    };
    let mut good = |name: &str, about: &str, given: Value, known: Value| {
        v.gives(&format!("icrk/{name}"), "icrk.md 2 to 4", about, given, known);
    };
    good(
        "three-cells",
        "two cells of column A, one of B, which has three spent",
        given(json!({ "B": 3 }), &["A1", "B4", "A2"]),
        json!({ "cells": [[0, 1], [1, 4], [0, 2]], "state": { "spent": { "A": 2, "B": 4 } } }),
    );
    good(
        "last-cell",
        "the last cell of the last column",
        given(json!({ "NN": 9 }), &["nn-10"]),
        json!({ "cells": [[39, 10]] }),
    );
    good(
        "whole-column",
        "a column from top to bottom",
        given(json!({}), &["AA1", "AA2", "AA3", "AA4", "AA5", "AA6", "AA7", "AA8", "AA9", "AA10"]),
        json!({ "state": { "spent": { "AA": 10 } } }),
    );
    good(
        "no-rolls",
        "nothing is asked for",
        given(json!({ "C": 1 }), &[]),
        json!({ "cells": [], "state": { "spent": { "C": 1 } } }),
    );
    let mut bad = |name: &str, about: &str, given: Value| {
        v.refused(&format!("icrk/{name}"), "icrk.md 2, 3", about, given, "rule")
    };
    bad("skipped-cell", "A2 is not the first cell of its column", given(json!({}), &["A2"]));
    bad("gap", "nor may one be left out later", given(json!({}), &["A1", "A3"]));
    bad("spent-cell", "A1 is spent", given(json!({ "A": 1 }), &["A1"]));
    bad("same-cell-twice", "a cell is named once", given(json!({}), &["A1", "A1"]));
    bad("exhausted-column", "a column has ten cells", given(json!({ "A": 10 }), &["A11"]));
    bad("upward", "columns are used downward", given(json!({}), &["A2", "A1"]));
    bad("no-such-column", "OO is not on the sheet", given(json!({}), &["OO1"]));
    bad("row-0", "rows begin at 1", given(json!({}), &["A0"]));
    bad("mixed-letters", "AB is no column", given(json!({}), &["AB1"]));
    bad(
        "without-cell",
        "a roll names its cell",
        json!({ "settings": { "values": "1-6" }, "state": {}, "rolls": [{ "cell": null, "why": "x" }] }),
    );
    bad(
        "without-reason",
        "a roll says what it is for",
        json!({ "settings": { "values": "1-6" }, "state": {}, "rolls": [{ "cell": "A1", "why": "" }] }),
    );
    bad("values-1-20", "there is no such sheet", json!({ "settings": { "values": "1-20" }, "state": {}, "rolls": [] }));
    bad("state-depth-0", "a column without spent cells is left out", given(json!({ "A": 0 }), &["A1"]));
    bad("state-beyond", "a column cannot be spent to 11", given(json!({ "A": 11 }), &[]));
}

fn what_if(v: &mut Vectors) {
    let case = |settings: Value, input: Value, draws: Value| json!({ "case": { "system": "coin-envelopes", "settings": settings, "tables": {}, "state": {}, "input": { "attacks": input }, "draws": draws } });
    let mut dice = |name: &str, about: &str, given: Value, dice: &[u64]| {
        let used = given["case"]["draws"].as_array().unwrap().len();
        v.gives(
            &format!("what-if/{name}"),
            "coin-envelopes.md 10, 11",
            about,
            given.clone(),
            json!({ "answer": { "draws_used": used } }),
        );
        let answer = sealed_dice::conformance::compute("what-if", &given);
        let attacks = answer["answer"]["public"]["attacks"].as_array().unwrap();
        let got: Vec<u64> = attacks.iter().map(|attack| attack["die"].as_u64().unwrap()).collect();
        assert_eq!(got, dice, "{name}");
    };
    dice("e01", "rows 1 to 3 of envelope 2", case(json!({}), attacks(&SOURCE), json!([4, 1, 6])), &[4, 1, 6]);
    dice("e02", "one attack", case(json!({}), attacks(&[("F12", "5-1")]), json!([3])), &[3]);
    dice(
        "e03",
        "one attack on two hexes takes one row",
        case(json!({}), attacks(&[("F12+G13", "2-1")]), json!([5])),
        &[5],
    );
    dice(
        "e04",
        "draws go to the sorted list",
        case(json!({}), attacks(&[("G13", "3-1"), ("E12", "1-1"), ("E2", "2-1"), ("AA3", "3-2")]), json!([5, 6, 2, 3])),
        &[5, 6, 2, 3],
    );
    dice("e05", "six envelopes", case(json!({ "envelopes": 6 }), attacks(&SOURCE), json!([5, 6, 2])), &[5, 6, 2]);
    dice(
        "e06",
        "numeric hexes",
        case(
            json!({ "grammar": "numeric4" }),
            attacks(&[("0824", "3-1"), ("0913", "1-2"), ("1007", "4-1")]),
            json!([2, 5, 5]),
        ),
        &[2, 5, 5],
    );
    dice(
        "e07",
        "the eleventh attack takes row 1 of envelope 3",
        case(json!({}), eleven("2-1"), json!([4, 1, 6, 2, 5, 3, 3, 6, 1, 2, 2])),
        &[4, 1, 6, 2, 5, 3, 3, 6, 1, 2, 2],
    );
    dice(
        "e08",
        "and behind envelope 4 row 1 of envelope 0",
        case(json!({}), eleven("4-1"), json!([5, 6, 2, 3, 1, 1, 4, 6, 3, 2, 3])),
        &[5, 6, 2, 3, 1, 1, 4, 6, 3, 2, 3],
    );
    let mut ordered = attacks(&SOURCE);
    for (i, order) in [2, 3, 1].into_iter().enumerate() {
        ordered[i]["order"] = json!(order);
    }
    dice("e09", "the order of application moves no die", case(json!({}), ordered, json!([4, 1, 6])), &[4, 1, 6]);
    dice(
        "e10",
        "the foul-up column on the true odds",
        case(json!({}), attacks(&[("F12", "2-1"), ("G13", "5-1"), ("I11", "1-4")]), json!([1, 1, 2])),
        &[1, 1, 2],
    );
    dice(
        "values-0-9",
        "a ten-sided die, less 1",
        case(json!({ "values": "0-9" }), attacks(&[("F12", "1-1")]), json!([10])),
        &[9],
    );
    dice(
        "values-2-12",
        "two dice of one row",
        case(json!({ "values": "2-12" }), attacks(&[("F12", "1-1")]), json!([6, 5])),
        &[11],
    );
    dice("no-attacks", "no draws", case(json!({}), json!([]), json!([])), &[]);
    let mut bad = |name: &str, about: &str, given: Value| {
        v.refused(&format!("what-if/{name}"), "vectors/README.md", about, given, "rule")
    };
    bad("draw-missing", "three attacks, two draws", case(json!({}), attacks(&SOURCE), json!([4, 1])));
    bad("draw-surplus", "three attacks, four draws", case(json!({}), attacks(&SOURCE), json!([4, 1, 6, 6])));
    bad("draw-7", "a die has six sides", case(json!({}), attacks(&SOURCE), json!([4, 7, 6])));
    bad("draw-0", "and no zero", case(json!({}), attacks(&SOURCE), json!([0, 1, 6])));
    bad(
        "no-such-system",
        "a system that is not there",
        json!({ "case": { "system": "dominoes", "input": {}, "draws": [] } }),
    );
    bad("e11-odds", "what the worksheet refuses", case(json!({}), attacks(&[("F12", "0-1")]), json!([1])));
    bad("icrk-draw-of-another-die", "a sheet 1-6 has no ten", icrk("1-6", json!([10, 1])));
    for (values, draws) in [("1-6", json!([6, 1])), ("0-9", json!([1, 10])), ("2-12", json!([1, 1, 6, 6]))] {
        v.gives(&format!("what-if/icrk-{values}"), "icrk.md 5, 6", "two cells", icrk(values, draws), json!({}));
    }
}

fn icrk(values: &str, draws: Value) -> Value {
    json!({ "case": { "system": "icrk", "settings": { "values": values }, "state": { "spent": { "B": 2 } },
        "input": { "rolls": [{ "cell": "B3", "why": "weather" }, { "cell": "C1", "why": "supply" }] }, "draws": draws } })
}
