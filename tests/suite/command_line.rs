//! The commands as people and other tools use them: what they print, where, and with which exit code.

use std::{
    fs,
    io::Write,
    process::{Command, Output, Stdio},
};

use sealed_dice::{blob::body::SetKind, resolve::values::is_unseen};
use serde_json::{Value, json};

use crate::{
    folder,
    kit::{Ann, Bob, Table, object},
};

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sealed-dice")).args(args).output().expect("the program runs")
}

fn run_with_input(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sealed-dice"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    child.stdin.take().expect("a pipe").write_all(input).expect("it reads");
    child.wait_with_output().expect("it ends")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn talk(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

#[test]
fn demo_plays_writes_and_audits() {
    let dir = folder("demo");
    let dir = dir.to_str().expect("a path");
    let output = run(&["demo", "--dir", dir]);
    let told = out(&output);
    assert_eq!(output.status.code(), Some(0), "{}", talk(&output));
    for part in [
        "total 82; 82 mod 5 = 2: open envelope 2",
        "return unopened: 0, 1, 3, 4",
        "\nverified, up to ann 5",
        "; complete",
    ] {
        assert!(told.contains(part), "{part:?} is missing in:\n{told}");
    }
    assert_eq!(told.matches("    d6 = ").count(), 5, "three dice of the envelope, two of the sheet");
    assert_eq!(fs::read_dir(dir).expect("letters").count(), 12);
    let audit = run(&["audit", dir]);
    assert_eq!(audit.status.code(), Some(0));
    let dice = |text: &str| text.lines().filter(|line| line.contains("d6 = ")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(dice(&out(&audit)), dice(&told), "the letters on disk give the same dice");
    let again = run(&["demo", "--dir", dir]);
    assert_eq!(again.status.code(), Some(2), "a folder that has something in it is not touched");
    assert!(talk(&again).contains("not empty"));
}

#[test]
fn demo_leaves_nothing_behind() {
    let dir = folder("demo-nothing");
    let mut demo = Command::new(env!("CARGO_BIN_EXE_sealed-dice"));
    let output = demo.arg("demo").envs(["TMPDIR", "TMP", "TEMP"].map(|name| (name, &dir))).current_dir(&dir).output();
    let output = output.expect("the program runs");
    assert_eq!(output.status.code(), Some(0), "{}", talk(&output));
    assert!(out(&output).contains("; complete") && out(&output).contains("demo --dir"), "{}", out(&output));
    assert_eq!(fs::read_dir(&dir).expect("a folder").count(), 0);
}

/// A full disk, or whatever else keeps an answer from being written.
#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_none() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
    let output = Command::new(env!("CARGO_BIN_EXE_sealed-dice")).arg("demo").stdout(full).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(talk(&output).contains("cannot be written"), "{}", talk(&output));
}

#[test]
fn demo_dice_differ_from_game_to_game() {
    let dice = |name: &str| {
        let dir = folder(name);
        let told = out(&run(&["demo", "--dir", dir.to_str().expect("a path")]));
        told.lines().filter(|line| line.contains("d6 = ")).map(str::to_owned).collect::<Vec<_>>()
    };
    let games: Vec<_> = (0..6).map(|i| dice(&format!("demo-dice-{i}"))).collect();
    assert!(games.iter().any(|game| *game != games[0]), "six games with the same five dice");
}

#[test]
fn select_prints_the_fixed_shape() {
    let sheet = json!({ "attacks": [
        { "id": "x", "hexes": ["I-11."], "odds": "1-4", "order": 1 },
        { "hexes": ["G13"], "odds": "5:1" },
        { "hexes": ["f 12"], "odds": "3 to 1" },
    ] });
    let output = run_with_input(&["select", "-", "--json"], sheet.to_string().as_bytes());
    let printed: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let expected = json!({
        "envelopes": 5, "total": 82, "index": 2, "opened": [2], "returned": [0, 1, 3, 4],
        "attacks": [
            { "id": "a3", "hexes": ["F12"], "value": 7, "odds": "3-1", "multiplier": 3, "product": 21, "envelope": 2, "row": 1, "rank": 2 },
            { "id": "a2", "hexes": ["G13"], "value": 5, "odds": "5-1", "multiplier": 5, "product": 25, "envelope": 2, "row": 2, "rank": 3 },
            { "id": "x", "hexes": ["I11"], "value": 9, "odds": "1-4", "multiplier": 4, "product": 36, "envelope": 2, "row": 3, "rank": 1 },
        ],
    });
    assert_eq!(printed, expected);
}

#[test]
fn select_reads_csv_and_grammars() {
    let index = |args: &[&str], input: &str| {
        let args: Vec<&str> = ["select", "-", "--json"].iter().chain(args).copied().collect();
        let output = run_with_input(&args, input.as_bytes());
        let printed: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        (output.status.code(), printed["index"].clone())
    };
    assert_eq!(index(&[], "hexes,odds,order\nF12+G13,2-1,\n"), (Some(0), json!(4)));
    assert_eq!(index(&[], "hexes,odds\nF12,3-1\nG13,5-1\nI11,1-4\n"), (Some(0), json!(2)));
    assert_eq!(index(&[], "hexes,odds,order\nF12,3-1\nG13,5-1,1\nI11,1-4\n"), (Some(0), json!(2)), "order left out");
    assert_eq!(index(&["--envelopes", "6"], "hexes,odds,order\nF12,3-1,\nG13,5-1,\nI11,1-4,\n"), (Some(0), json!(4)));
    assert_eq!(index(&[], "hexes,odds,order\n0824,3-1,\n913,1-2,\n10.07,4-1,\n"), (Some(0), json!(3)));
    assert_eq!(index(&["--grammar", "mapnumeric"], "hexes,odds,order\nA43.01,3-1,\n"), (Some(0), json!(2)));
    assert_eq!(index(&["--double-letters", "spreadsheet"], "hexes,odds,order\nAB3,1-1,\n"), (Some(0), json!(3)));
    assert_eq!(index(&[], "hexes,odds,order\nF12,3-1,\n0824,3-1,\n").0, Some(1), "a mixture");
    assert_eq!(index(&[], "hexes,odds,order\nF12,3-1,first\n").0, Some(2), "an order that is no number");
    assert_eq!(index(&[], "{\"attacks\":").0, Some(2), "half a sheet");
    for nothing in ["", "F12,3-1\n", "null", "[]", "[{\"hexes\":[\"F12\"],\"odds\":\"3-1\"}]", ",,,,"] {
        assert_eq!(index(&[], nothing).0, Some(2), "{nothing:?} is no sheet, and not one without attacks either");
    }
    assert_eq!(index(&["--envelopes", "0"], "hexes,odds,order\n").0, Some(1));
    assert_eq!(index(&[], "hexes,odds,order\n"), (Some(0), Value::Null));
    assert_eq!(run(&["select", "no-such-file"]).status.code(), Some(2));
}

#[test]
fn the_shipped_chart_is_the_house_chart() {
    let sheet = "hexes,odds,order\nF12,3-1,\nG13,5-1,\nI11,1-4,\nZZ7,2-1,\nAA0,1-3,\n";
    let house = run_with_input(&["select", "-", "--json"], sheet.as_bytes());
    let table = run_with_input(&["select", "-", "--json", "--chart", "tables/hex-chart.toml"], sheet.as_bytes());
    assert_eq!(table.status.code(), Some(0), "{}", talk(&table));
    assert_eq!(out(&house), out(&table));
    let text = fs::read_to_string("tables/hex-chart.toml").expect("the chart");
    let chart: toml::Table = toml::from_str(&text).expect("TOML");
    let rows = chart["rows"].as_table().expect("rows");
    assert_eq!(rows.len(), 52 + 100, "A to ZZ, and 00 to 99");
    for (label, row) in rows {
        let rank = match label.as_bytes() {
            [a] => i64::from(a - b'A') + 1,
            [a, b] if a == b && a.is_ascii_uppercase() => i64::from(a - b'A') + 27,
            _ => label.parse().expect("two digits"),
        };
        for (digit, value) in row.as_array().expect("ten values").iter().enumerate() {
            let expected = 1 + ((rank + 4) * (rank + 4) + 7 * digit as i64 + 2) % 10;
            assert_eq!(value.as_integer(), Some(expected), "{label}, {digit}");
        }
    }
}

#[test]
fn a_wrong_chart_names_its_line() {
    let dir = folder("charts");
    let chart = dir.join("chart.toml");
    fs::write(&chart, "[rows]\nF = [1, 2, 3\n").expect("a file");
    let output =
        run_with_input(&["select", "-", "--chart", chart.to_str().expect("a path")], b"hexes,odds,order\nF12,3-1,\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(talk(&output).contains("line 3") || talk(&output).contains("line 2"), "{}", talk(&output));
}

#[test]
fn audit_exit_codes_and_shape() {
    let good = run(&["audit", "--json", "vectors/audit/whole-turn.txt"]);
    assert_eq!(good.status.code(), Some(0));
    let report: Value = serde_json::from_slice(&good.stdout).expect("one object");
    let fields: Vec<&str> = report.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(
        fields,
        [
            "complete",
            "continues",
            "courses",
            "days",
            "findings",
            "game",
            "heads",
            "missing",
            "open",
            "rolls",
            "verdict"
        ]
    );
    assert_eq!((&report["verdict"], &report["complete"]), (&json!("verified"), &json!(true)));
    let roll = report["rolls"][0].as_object().expect("a roll");
    for field in ["slot", "why", "sides", "value", "seal", "declaration", "index", "line"] {
        assert!(roll.contains_key(field), "{field}");
    }
    assert_eq!(run(&["audit", "vectors/declare/wrong-total.txt"]).status.code(), Some(1));
    assert_eq!(run(&["audit", "vectors/audit/reveal-missing.txt"]).status.code(), Some(2));
    assert_eq!(run(&["audit", "no-such-folder"]).status.code(), Some(2));
    let nothing = run_with_input(&["audit", "-"], b"Dear Bob, nothing today.");
    assert_eq!((nothing.status.code(), out(&nothing).as_str()), (Some(2), ""));
    assert!(talk(&nothing).contains("no letter"));
    let refuted = out(&run(&["audit", "--json", "vectors/declare/wrong-total.txt"]));
    let refuted: Value = serde_json::from_str(&refuted).expect("one object");
    assert_eq!(refuted["findings"][0]["code"], "rule");
    assert_eq!(refuted["findings"][0]["culprit"], "ann");
}

#[test]
fn audit_reads_folders_and_says_what_to_ask_for() {
    let dir = folder("letters");
    let mut table = Table::turn("a folder of letters");
    table.close_all();
    fs::create_dir(dir.join("turn 1")).expect("a folder");
    for (i, letter) in table.letters.iter().enumerate().filter(|(i, _)| *i != 6) {
        let place = if i % 2 == 0 { dir.clone() } else { dir.join("turn 1") };
        fs::write(place.join(format!("{i}.txt")), letter.armour()).expect("a letter");
    }
    let output = run(&["audit", dir.to_str().expect("a path")]);
    let told = out(&output);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.starts_with("undecided, up to ann 2"), "{told}");
    assert!(told.contains("ask for letter 5 by bob"), "{told}");
}

/// A folder may hold anything: links that go round, pipes, other people's files.
#[cfg(unix)]
#[test]
fn audit_passes_over_what_is_no_file() {
    let dir = folder("odd-folder");
    for name in ["one", "two"] {
        std::os::unix::fs::symlink(&dir, dir.join(name)).expect("a link");
    }
    std::os::unix::fs::symlink("/dev/zero", dir.join("zero")).expect("a link");
    let made = Command::new("mkfifo").arg(dir.join("pipe")).status().expect("mkfifo runs");
    assert!(made.success());
    fs::write(dir.join("letters.txt"), Table::turn("an odd folder").transcript()).expect("letters");
    let output = run(&["audit", dir.to_str().expect("a path")]);
    assert_eq!(output.status.code(), Some(0), "{}", talk(&output));
    assert_eq!(
        run(&["vectors", "check", dir.to_str().expect("a path")]).status.code(),
        Some(1),
        "a transcript is no vector"
    );
}

#[test]
fn audit_shows_hostile_text_as_text() {
    let table = Table::begin_with("evil \u{1b}[2J\u{202e}title\u{7}\r\n", |_| {});
    let output = run_with_input(&["audit", "-"], table.transcript().as_bytes());
    let told = out(&output);
    assert!(!told.contains(['\u{1b}', '\u{202e}', '\u{7}', '\r']), "{told:?}");
    assert!(told.contains("<U+202E>") && told.contains("<U+001B>"), "{told}");
}

/// On the terminal, on the page, in figures and in JSON: JSON keeps the value.
#[test]
fn nothing_unseen_is_printed() {
    // The first and last of each stretch, and what no older list had: a Hangul filler, selectors, the blank of Braille.
    let unseen: String = ('\0'..='\u{e0fff}')
        .filter(|c| {
            is_unseen(*c) && !(is_unseen(before(*c)) && char::from_u32(u32::from(*c) + 1).is_some_and(is_unseen))
        })
        .collect();
    assert!(
        unseen.contains(['\u{9f}', '\u{3164}', '\u{fe00}', '\u{2800}', '\u{e0fff}']) && unseen.chars().count() > 30
    );
    let mut table = Table::begin_with("", |charter| charter.title = format!("a{unseen}b"));
    let sheet = table.seal(Bob, SetKind::Sheet, "sheet/1");
    let why = format!("a{unseen}b");
    let declared =
        table.declare(Ann, "1/2/ann-second/1", object(json!({ "rolls": [{ "cell": "A1", "why": why }] })), sheet);
    table.reveal(Bob, declared);
    let (dir, transcript) = (folder("nothing-unseen"), table.transcript());
    let page = dir.join("page.html");
    let run = |args: &[&str]| out(&run_with_input(args, transcript.as_bytes()));
    let told = run(&["audit", "-", "--html", page.to_str().expect("a path")]);
    let json = run(&["audit", "-", "--json"]);
    let page = fs::read_to_string(page).expect("a page");
    for (name, said) in [
        ("text", told),
        ("page", page),
        ("json", json.clone()),
        ("figures", run(&["stats", "-"])),
        ("stats", run(&["stats", "-", "--json"])),
    ] {
        assert!(said.contains('3') && !said.chars().any(|c| is_unseen(c) && c != '\n'), "{name}: {said:?}");
    }
    let report: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(report["rolls"][0]["why"], why);
}

fn before(c: char) -> char {
    u32::from(c).checked_sub(1).and_then(char::from_u32).unwrap_or('x')
}

/// A turn whose standing note nobody has opened is no private roll.
#[test]
fn a_note_that_is_waited_for_is_no_private_roll() {
    let output = run(&["audit", "vectors/turn/note-not-opened.txt"]);
    let told = out(&output);
    assert!(told.contains("bob has not opened their note for 2/1/initiative/1/standing"), "{told}");
    assert!(!told.contains("private"), "{told}");
}

#[cfg(unix)]
#[test]
fn a_file_without_end_is_not_read_to_its_end() {
    let output = run(&["what-if", "/dev/zero"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("/dev/zero has more than 1048576 bytes"), "{said}");
}

#[test]
fn what_if_says_that_it_is_no_evidence() {
    let case = json!({
        "system": "coin-envelopes",
        "input": { "attacks": [{ "hexes": ["F12"], "odds": "3-1" }, { "hexes": ["G13"], "odds": "5-1" }, { "hexes": ["I11"], "odds": "1-4" }] },
        "draws": [4, 1, 6],
    });
    let plain = run_with_input(&["what-if", "-"], case.to_string().as_bytes());
    let told = out(&plain);
    assert_eq!(plain.status.code(), Some(0));
    assert!(told.lines().count() > 3 && told.lines().all(|line| line.starts_with("what-if, not evidence: ")), "{told}");
    let json = run_with_input(&["what-if", "-", "--json"], case.to_string().as_bytes());
    let answer: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let fields: Vec<&str> = answer.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(fields, ["draws_used", "needs", "outcome", "private", "public", "state", "trail"]);
    assert_eq!(answer["trail"][2], json!({ "for": "all", "n": 3, "sides": 6, "value": 6, "why": "a3 I11 1-4" }));
    let with_draws = |draws: Value| {
        let mut case = case.clone();
        case["draws"] = draws;
        let output = run_with_input(&["what-if", "-"], case.to_string().as_bytes());
        (output.status.code(), talk(&output))
    };
    for (draws, position) in [(json!([4, 1]), "draw 3"), (json!([4, 1, 6, 2]), "draw 4"), (json!([4, 7, 6]), "draw 2")]
    {
        let (code, talk) = with_draws(draws);
        assert_eq!(code, Some(1));
        assert!(talk.contains(position), "{talk}");
    }
    assert_eq!(run_with_input(&["what-if", "-"], b"no case").status.code(), Some(2));
}

#[test]
fn what_if_names_a_setting_that_it_cannot_fill() {
    let case = r#"{"system":"ocs-initiative","settings":{"sides":["red","blue"]},"input":{"by":"red","declare":{}},"draws":[]}"#;
    let output = run_with_input(&["what-if", "-"], case.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    assert!(talk(&output).contains("set first_player in the settings: it has no default"), "{}", talk(&output));
}

#[test]
fn vectors_check_counts() {
    let good = run(&["vectors", "check", "vectors/dice"]);
    assert_eq!((good.status.code(), out(&good).as_str()), (Some(0), "4 passed, 0 failed\n"));
    assert_eq!(run(&["vectors", "check", "src"]).status.code(), Some(2), "no vectors there");
}

#[test]
fn misuse_is_2_and_help_is_there() {
    assert_eq!(run(&["roll"]).status.code(), Some(2));
    assert_eq!(run(&["audit"]).status.code(), Some(2));
    let help = run(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    for command in ["demo", "select", "audit", "what-if", "key", "vectors"] {
        assert!(out(&help).contains(command), "{command}");
    }
}

/// The pages' examples, word for word: each `$` line is run, and prints what the page says.
#[test]
fn the_pages_are_true() {
    let readme = fs::read_to_string("docs/playing.md").expect("a page");
    let mut checked = 0;
    for block in readme.split("```console\n").skip(1) {
        let block = block.split("```").next().expect("a block");
        let (command, expected) = block.split_once('\n').expect("a command");
        let args = command.strip_prefix("$ sealed-dice ").expect("the page shows our own command");
        let args: Vec<&str> = args.split(' ').collect();
        let output = run(&args);
        assert_eq!(out(&output).trim_end(), expected.trim_end(), "{command}");
        checked += 1;
    }
    assert!(checked >= 2, "the page shows {checked} commands");
}
