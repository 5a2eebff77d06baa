//! `stats`: chances against values that were computed elsewhere, laws of the figures, and the command as people use it.
//!
//! Constants come from Python: totals and faces by counting in whole numbers (`fractions.Fraction` at the end), bands from
//! `scipy.stats.beta.ppf(0.05 / faces / 2, ..)`, curves from `scipy.stats.chi2.sf` and `norm.sf`, all of scipy 1.17.

use std::{
    fs,
    process::{Command, Output},
};

use proptest::prelude::*;
use sealed_dice::report::stats::{
    Running, Scope, Table,
    chance::{Method, WITHIN, band, running_band, tails, totals, uneven},
};
use serde_json::{Value, json};

use crate::{
    folder,
    kit::{Ann, Bob, Table as Players, cells},
};

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < WITHIN
}

#[test]
fn totals_are_those_counted_elsewhere() {
    let counted = [
        (6, 5, 17, 0.600308641975309, 0.5, 0.100308641975309),
        (6, 3, 18, 0.00462962962962963, 1.0, 0.00462962962962963),
        (6, 100, 400, 0.00182302430808884, 0.998494189604548, 0.000317213912636933),
        (10, 37, 150, 0.999097697758548, 0.00110208612735402, 0.00019978388590241),
        (6, 1000, 3400, 0.968625832718015, 0.0327049141072466, 0.00133074682526178),
        (2, 10, 15, 0.623046875, 0.623046875, 0.24609375),
    ];
    for (sides, rolls, total, high, low, exactly) in counted {
        let found = tails(sides, rolls, total);
        assert_eq!(found.method, Method::Exact);
        let same = near(found.high, high) && near(found.low, low) && near(found.exactly, exactly);
        assert!(same, "{rolls} d{sides} for {total}: {found:?}");
    }
    let (none, all) = (tails(6, 2, 1), tails(6, 2, 13));
    assert_eq!((none.high, none.low, none.exactly), (1.0, 0.0, 0.0), "two dice never total 1");
    assert_eq!((all.high, all.low, all.exactly), (0.0, 1.0, 0.0), "nor 13");
}

#[test]
fn faces_are_those_counted_elsewhere() {
    let counted: [(&[u64], f64); 8] = [
        (&[3, 0, 1, 0, 1, 0], 0.212962962962963),
        (&[2, 2, 2, 2, 2, 2], 1.0),
        (&[7, 1, 0, 0, 2, 2], 0.00518564296177751),
        (&[9, 4, 3, 5, 8, 11], 0.200531664659188),
        (&[20, 10, 15, 12, 18, 25], 0.106371602930827),
        (&[0, 3], 0.25),
        (&[1, 0, 0, 2, 0, 0, 0, 5, 1, 1], 0.0135964),
        (&[0, 0, 0, 0, 0, 0], 1.0),
    ];
    for (counts, probability) in counted {
        let found = uneven(counts);
        assert_eq!(found.method, Method::Exact);
        assert!(near(found.probability, probability), "{counts:?}: {found:?}");
    }
}

#[test]
fn bands_are_those_of_the_beta_curve() {
    let computed = [
        (0, 5, 6, 0.0, 0.665837469021),
        (3, 5, 6, 0.0777352489436, 0.979155360227),
        (20, 100, 6, 0.10665830448, 0.324256396189),
        (16_700, 100_000, 6, 0.163899935187, 0.170133262529),
        (100, 100, 10, 0.941844920883, 1.0),
        (1, 3, 2, 0.00418414935504, 0.933981098269),
    ];
    for (count, rolls, faces, low, high) in computed {
        let found = band(count, rolls, faces);
        assert!((found.0 - low).abs() < 1e-8 && (found.1 - high).abs() < 1e-8, "{count} of {rolls}: {found:?}");
    }
}

/// Too much to count is told by a curve, and says so; where both can be had they agree.
#[test]
fn curves_stand_in_for_very_many_rolls() {
    let found = uneven(&[16_900, 16_400, 16_800, 16_600, 16_500, 16_800]);
    assert_eq!(found.method, Method::ChiSquare);
    assert!(near(found.probability, 0.040699388504), "{found:?}");
    let counted = uneven(&[300, 290, 310, 350, 260, 290]);
    assert_eq!(counted.method, Method::Exact);
    assert!((counted.probability / 0.0118857395302 - 1.0).abs() < 0.001, "{counted:?} and the curve agree");
    let found = tails(100, 100_000, 5_060_000);
    assert_eq!(found.method, Method::Normal);
    assert!(near(found.high, 0.136660838846) && near(found.low, 0.863363145045), "{found:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn chances_add_up(sides in 2..=20_u64, rolls in 1..=120_u64, part in 0.0..=1.0_f64) {
        let total = rolls + (part * (rolls * (sides - 1)) as f64) as u64;
        let found = tails(sides, rolls, total);
        prop_assert!(near(found.high + found.low - found.exactly, 1.0), "{:?}", found);
        prop_assert!(near(totals(sides, rolls).1.iter().sum(), 1.0));
        let mirrored = tails(sides, rolls, rolls * (sides + 1) - total);
        prop_assert!(near(found.high, mirrored.low), "opposite faces of a die are alike");
        prop_assert!(near(found.high, tails(sides, rolls, total + 1).high + found.exactly));
    }

    #[test]
    fn faces_in_any_order_are_as_uneven(counts in prop::collection::vec(0..12_u64, 2..=10), seed: u64) {
        let mut others = counts.clone();
        others.rotate_left(seed as usize % counts.len());
        others.swap(0, seed as usize / 7 % counts.len());
        let (found, again) = (uneven(&counts), uneven(&others));
        prop_assert_eq!(found.chi_square, again.chi_square);
        prop_assert!(near(found.probability, again.probability));
        prop_assert!(found.probability > 0.0 || found.chi_square > 20.0);
    }

    /// All outcomes of a few rolls, each with its own chance: the exact test is what it claims to be.
    #[test]
    fn faces_agree_with_counting_every_outcome(counts in prop::collection::vec(0..4_u64, 2..=3)) {
        let (faces, rolls) = (counts.len() as u64, counts.iter().sum::<u64>());
        let squares = |counts: &[u64]| counts.iter().map(|count| count * count).sum::<u64>();
        let outcomes = faces.pow(rolls as u32);
        let as_uneven = (0..outcomes).filter(|outcome| {
            let mut seen = vec![0; faces as usize];
            (0..rolls).for_each(|roll| seen[(outcome / faces.pow(roll as u32) % faces) as usize] += 1);
            squares(&seen) >= squares(&counts)
        });
        prop_assert!(near(uneven(&counts).probability, as_uneven.count() as f64 / outcomes as f64));
    }

    #[test]
    fn bands_hold_the_share_and_shrink(rolls in 1..400_u64, part in 0.0..=1.0_f64, faces in 2..=20_u64) {
        let count = (part * rolls as f64) as u64;
        let share = count as f64 / rolls as f64;
        let (low, high) = band(count, rolls, faces);
        prop_assert!((0.0..=share).contains(&low) && (share..=1.0).contains(&high));
        let (closer_low, closer_high) = band(count * 4, rolls * 4, faces);
        prop_assert!(closer_high - closer_low < high - low, "four times the rolls, a narrower band");
        prop_assert!(running_band(faces, rolls + 1) < running_band(faces, rolls));
    }

    #[test]
    fn the_order_of_rolls_changes_no_table(values in prop::collection::vec(1..=6_u64, 1..200)) {
        let scope = || Scope::new(Some("ann"), None);
        let mut sorted = values.clone();
        sorted.sort_unstable();
        prop_assert_eq!(Table::of(scope(), 6, &values), Table::of(scope(), 6, &sorted));
    }
}

#[test]
fn a_run_of_sixes_leaves_the_band() {
    let sixes = Running::of(6, &[6; 40]).left_band_at.expect("forty sixes are too many");
    let rolls_to = |rolls: u64| 2.5 > running_band(6, rolls);
    assert!(rolls_to(sixes) && !rolls_to(sixes - 1), "it leaves at roll {sixes}");
    let fair: Vec<u64> = (0..6_000).map(|i| 1 + i * 5 % 6).collect();
    assert_eq!(Running::of(6, &fair).left_band_at, None);
}

/// Of fair games at most one in twenty may leave the band at any time; these come from the streams that games use.
#[test]
fn fair_streams_seldom_leave_the_band() {
    let left = (0..400_u16).filter(|game| {
        let mut key = [0; 32];
        key[..2].copy_from_slice(&game.to_le_bytes());
        let mut stream = sealed_dice::primitive::dice::Stream::new(key);
        let values: Vec<u64> = (0..1_000).map(|_| stream.draw(6).expect("a die")).collect();
        Running::of(6, &values).left_band_at.is_some()
    });
    assert!((1..=20).contains(&left.count()), "the keys are fixed, and so is the number");
}

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sealed-dice")).args(args).output().expect("the program runs")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn json_of(path: &str) -> (Option<i32>, Value) {
    let output = run(&["stats", "--json", path]);
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap_or_default())
}

/// That a picture is well-formed, asked of a parser that shares no code with us; its texts.
fn texts_of(svg: &std::path::Path) -> String {
    let code = "import sys, xml.etree.ElementTree as t; print(ascii([''.join(e.itertext()) for e in t.parse(sys.argv[1]).iter()]))";
    let output = Command::new("python3").args(["-c", code]).arg(svg).output().expect("python3 runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    out(&output)
}

#[test]
fn a_demo_game_is_told_and_drawn() {
    let dir = folder("stats-demo");
    let letters = dir.join("letters");
    let letters = letters.to_str().expect("a path");
    assert!(run(&["demo", "--dir", letters]).status.success());
    let (code, told) = json_of(letters);
    assert_eq!((code, &told["counted"], &told["verdict"]), (Some(0), &json!(5), &json!("verified")));
    let audit: Value = serde_json::from_slice(&run(&["audit", "--json", letters]).stdout).expect("JSON");
    let dice: Vec<u64> =
        audit["rolls"].as_array().expect("rolls").iter().map(|roll| roll["value"].as_u64().expect("a value")).collect();
    let tables = told["tables"].as_array().expect("tables");
    let scopes: Vec<&Value> = tables.iter().map(|table| &table["scope"]["phase"]).collect();
    assert_eq!(scopes, [&Value::Null, &json!("ann-first"), &json!("ann-second")], "one player, his two phases");
    assert_eq!(tables[0]["sum"], json!(dice.iter().sum::<u64>()));
    for face in 1..=6_u64 {
        let count = dice.iter().filter(|die| **die == face).count();
        assert_eq!(tables[0]["faces"][face as usize - 1]["count"], json!(count));
    }

    let svg = dir.join("dice.svg");
    let output = run(&["stats", letters, "--good", "low", "--svg", svg.to_str().expect("a path")]);
    let told = out(&output);
    for part in ["ann, d6, 5 rolls (small sample:", "as lucky (low) or luckier in", "None of this proves cheating"] {
        assert!(told.contains(part), "{part:?} is missing in:\n{told}");
    }
    assert!(!out(&run(&["stats", letters])).contains("luck"), "nobody has said what is good");
    assert!(texts_of(&svg).contains("None of this proves cheating"));
    let unwritable = run(&["stats", letters, "--svg", dir.to_str().expect("a path")]);
    assert_eq!((unwritable.status.code(), unwritable.stdout.len()), (Some(2), 0));
}

#[test]
fn what_does_not_count_is_listed_apart() {
    let (code, told) = json_of("vectors/correct/agreed-redo.txt");
    assert_eq!((code, &told["counted"]), (Some(0), &json!(3)));
    let vector = fs::read_to_string("vectors/correct/agreed-redo.txt").expect("a vector");
    let head: serde_json::Value = serde_json::from_str(vector.split("\n\n").next().expect("a head")).expect("JSON");
    let rolls = head["expect"]["games"][0]["rolls"].as_array().expect("rolls").iter();
    let sum: u64 = rolls.filter(|roll| roll["standing"].is_string()).filter_map(|roll| roll["value"].as_u64()).sum();
    assert!((3..=18).contains(&sum), "{sum}");
    assert_eq!(
        told["apart"],
        json!([{ "roller": "ann", "rolls": 3, "sides": 6, "sum": sum, "why": "replaced" }]),
        "a redo replaced them"
    );
    let (code, told) = json_of("vectors/close/master-wrong.txt");
    assert_eq!((code, &told["counted"]), (Some(1), &json!(0)), "the sealer is in breach");
    assert_eq!((&told["apart"][0]["rolls"], &told["apart"][0]["why"]), (&json!(5), &json!("sealer-in-breach")));
    let (code, told) = json_of("vectors/audit/awaiting-a-reveal.txt");
    assert_eq!((code, &told["awaiting"], &told["tables"]), (Some(0), &json!(1), &json!([])));
    let output = run(&["stats", "vectors/audit/awaiting-a-reveal.txt"]);
    assert!(out(&output).contains("1 declaration awaits its reveal"));
    assert_eq!(json_of("vectors/audit/charter-missing.txt").0, Some(2), "a game that has not begun");
    assert_eq!(json_of("vectors/README.md").0, Some(2), "no letters");
}

/// The declarer in breach cannot have steered dice that the other sealed: those count.
#[test]
fn a_declarer_in_breach_keeps_his_dice() {
    let dir = folder("stats-declarer");
    let mut players = Players::turn("a declarer in breach");
    let sheet = players.letters[2].message.id();
    players.declare_but(Ann, "2/2/ann-second/1", cells(&["A3"]), sheet, |declare| {
        declare.slot = crate::kit::slot("1/2/ann-second/1")
    });
    let path = dir.join("game.txt");
    fs::write(&path, players.transcript()).expect("it is written");
    let (code, told) = json_of(path.to_str().expect("a path"));
    assert_eq!((code, &told["verdict"], &told["counted"]), (Some(0), &json!("refuted"), &json!(5)));
}

/// Two players who roll: a table for both, and one for each.
#[test]
fn each_player_has_a_table() {
    let dir = folder("stats-players");
    let mut players = Players::turn("both players");
    let sheet = players.seal(Ann, sealed_dice::blob::body::SetKind::Sheet, "sheet/1");
    let declared = players.declare(Bob, "1/2/bob-second/1", cells(&["A1", "B1", "C1"]), sheet);
    players.reveal(Ann, declared);
    let path = dir.join("game.txt");
    fs::write(&path, players.transcript()).expect("it is written");
    let (code, told) = json_of(path.to_str().expect("a path"));
    assert_eq!((code, &told["counted"]), (Some(0), &json!(8)));
    let whose: Vec<(&Value, &Value)> = told["tables"]
        .as_array()
        .expect("tables")
        .iter()
        .map(|table| (&table["scope"]["roller"], &table["rolls"]))
        .collect();
    let (ann, bob) = (json!("ann"), json!("bob"));
    let expected = [(&Value::Null, 8), (&ann, 5), (&ann, 3), (&ann, 2), (&bob, 3)];
    assert_eq!(whose, expected.map(|(who, rolls)| (who, json!(rolls))).each_ref().map(|(who, rolls)| (*who, rolls)));
}

#[test]
fn hostile_titles_are_shown_as_text() {
    let dir = folder("stats-hostile");
    let title = "</text><script>alert('&')</script> \u{202e}txet\u{1b}[31m \"quoted\" ]]>";
    let path = dir.join("game.txt");
    fs::write(&path, Players::turn(title).transcript()).expect("it is written");
    let svg = dir.join("dice.svg");
    let output = run(&["stats", path.to_str().expect("a path"), "--svg", svg.to_str().expect("a path")]);
    assert_eq!(output.status.code(), Some(0));
    let told = out(&output);
    assert!(told.contains("<U+202E>txet<U+001B>[31m"), "{told}");
    let drawn = fs::read_to_string(&svg).expect("a picture");
    for text in [&told, &drawn] {
        assert!(!text.contains(['\u{202e}', '\u{1b}']));
    }
    assert!(!drawn.contains("<script"), "a title is text and nothing else");
    assert!(texts_of(&svg).contains("</text><script>alert"));
}

/// The picture of a library's caller who has made nothing safe is well-formed all the same.
#[test]
fn a_picture_is_well_formed_whatever_the_title() {
    use sealed_dice::{
        cli::audit,
        mail::{Mail, Source},
        report::stats::{Stats, svg},
    };
    let content = Players::turn("ends in \u{1}\u{ffff}\u{85}").transcript().into_bytes();
    let reports = audit::audit(&mut Mail::of(vec![Source::memory("game", content)]), 1, false);
    let games: Vec<Stats> = {
        let ids = reports.iter().filter_map(|report| report.game).collect();
        reports.iter().filter_map(|report| Stats::of(report, &ids)).collect()
    };
    assert_eq!(games.len(), 1);
    let path = folder("stats-title").join("dice.svg");
    fs::write(&path, svg::draw(&games, None)).expect("it is written");
    assert!(texts_of(&path).contains("ends in"));
}
