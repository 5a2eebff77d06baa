//! Tables as people have them: any kind of CSV, workbooks, odds that a spreadsheet has changed, and mails on the
//! clipboard.

use std::{fs, path::PathBuf};

use super::{ATTACKS, Match, Seated, out, talk};

/// A workbook that was made once (`tests/suite/tables/README.md`).
fn workbook(name: &str) -> String {
    PathBuf::from("tests/suite/tables").join(name).to_str().expect("a path").to_owned()
}

/// What `select` prints, which needs no game.
fn selects(player: &Seated, sheet: &str) -> String {
    player.does(&["select", "--json", sheet])
}

/// Why a file cannot be read at all.
fn is_unread(player: &Seated, args: &[&str]) -> String {
    let output = player.run(args, "");
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(2), ""), "{args:?}: {}", talk(&output));
    talk(&output)
}

#[test]
fn workbooks_are_read_like_csv() {
    let table = Match::begun("play-tables-workbooks", |terms| terms);
    let ann = &table.ann;
    let worksheet = selects(ann, &table.path("ATTACKS.csv"));
    for name in ["attacks.xlsx", "attacks.ods"] {
        assert_eq!(selects(ann, &workbook(name)), worksheet, "{name}");
    }
    // The letter is the same, whatever its list was read from.
    let mail = table.posts(ann, &["declare", &workbook("attacks.xlsx"), "--no-moves"]);
    assert!(mail.contains("3 attacks"), "{mail}");
    for again in [workbook("attacks.ods"), table.path("ATTACKS.csv")] {
        assert_eq!(ann.signs(&["declare", "1/1/ann-first/1", &again, "--no-moves"]), mail, "{again}");
    }
    table.bob.reads(&mail);
    table.mail(&table.bob, &["reply"]);
    let sheet = ["--sheet", &workbook("changed.xlsx")];
    let wrong = ["correct", "propose", "1/1/ann-first/1", "--class", "wrong-list", "--at-fault", "ann"];
    let why = ann.is_refused(&[&wrong[..], &["--reason", "another file", "--yes"], &sheet].concat());
    assert!(why.contains("into a date"), "{why}");
    let mail = table.posts(ann, &["declare", &workbook("rolls.ods"), "--no-moves"]);
    let said = table.bob.reads(&mail);
    assert!(said.contains("G13 5-1, river"), "{said}");
}

#[test]
fn odds_that_a_spreadsheet_changed_are_named_and_never_guessed() {
    let table = Match::begun("play-tables-changed", |terms| terms);
    let refused = |path: &str| table.ann.is_refused(&["declare", path, "--no-moves", "--yes"]);
    let why = refused(&workbook("changed.xlsx"));
    let told = "line 3 (G13,2026-01-03): the spreadsheet turned these odds into a date (2026-01-03)";
    assert!(why.contains(told) && why.contains("format the column as text"), "{why}");
    let why = refused(&workbook("changed.ods"));
    assert!(why.contains("line 3 (G13,03:01:00)") && why.contains("into a time (03:01:00)"), "{why}");
    let why = refused(&table.file("changed.csv", "Hex;Odds\nF12;3-1\nG13;03.Jan\n"));
    assert!(why.contains("line 3 (G13;03.Jan)") && why.contains("into a date (03.Jan)"), "{why}");
    let why = refused(&table.file("changed.json", r#"{"attacks":[{"hexes":["F12"],"odds":"3-Jan"}]}"#));
    assert!(why.contains("attack 1: the spreadsheet turned"), "{why}");
    // A letter as a zip file, which is no workbook.
    let letter = table.file("letter.zip", "PK\u{3}\u{4} is how it begins");
    let why = is_unread(&table.ann, &["declare", &letter, "--no-moves", "--yes"]);
    assert!(why.contains("letter.zip: this is not a workbook") && why.contains(".xlsx, .ods or CSV"), "{why}");
}

#[test]
fn every_kind_of_csv_is_read() {
    let table = Match::seated("play-tables-csv");
    let ann = &table.ann;
    let worksheet = selects(ann, &table.file("attacks.csv", ATTACKS));
    let tabs = format!("\u{feff}{}", ATTACKS.replace(',', "\t"));
    let wide = tabs.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (name, content) in [
        ("semicolons", ATTACKS.replace(',', ";").into_bytes()),
        ("bars", ATTACKS.replace(',', "|").into_bytes()),
        ("sep", format!("sep=;\r\n{}", ATTACKS.replace(',', ";").replace('\n', "\r\n")).into_bytes()),
        ("capitals", ATTACKS.replace("hexes,odds,order", "\u{feff}HEX,Odds,ORDER").into_bytes()),
        ("old mac", ATTACKS.replace('\n', "\r").into_bytes()),
        ("unicode text", wide),
        ("quoted", ATTACKS.replace("F12+F13,3-1", "\"F12, F13\",\"3/1\"").into_bytes()),
        ("words", ATTACKS.replace("F12+F13,3-1", "F13 and F12,3 to 1").into_bytes()),
        ("blanks", ATTACKS.replace("F12+F13,3-1", "f 12 F13,3 : 1").into_bytes()),
        ("empty columns", ATTACKS.lines().map(|line| format!(",{line},,\n")).collect::<String>().into_bytes()),
    ] {
        let path = table.path(name);
        fs::write(&path, content).expect("a file");
        assert_eq!(selects(ann, &path), worksheet, "{name}");
    }
    let why = is_unread(ann, &["select", &table.file("notes.csv", "hexes,odds,notes\nF12,3-1,river\n")]);
    assert!(why.contains("a column \"notes\" that is not known: remove that column"), "{why}");
    let latin = table.path("latin.csv");
    fs::write(&latin, b"why\nf\xfcr L2\n").expect("a file");
    let why = is_unread(ann, &["select", &latin]);
    assert!(why.contains("save it as UTF-8"), "{why}");
}

#[cfg(unix)]
#[test]
fn a_mail_is_read_from_the_clipboard() {
    use std::os::unix::fs::PermissionsExt;

    let table = Match::begun("play-tables-clipboard", |terms| terms);
    let mail = table.ann.signs(&["declare", &table.path("ATTACKS.csv"), "--no-moves"]);
    let mail = table.file("copied mail", &mail);
    let tools = table.dir.join("tools");
    fs::create_dir(&tools).expect("a folder");
    let tool = |name: &str, does: &str| {
        let path = tools.join(name);
        fs::write(&path, format!("#!/bin/sh\n{does}\n")).expect("a program");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
    };
    let reads = || {
        let mut read = super::program(&table.bob.home, &table.bob.machine);
        read.env("PATH", &tools).args(["read", "--clipboard"]).output().expect("it runs")
    };
    let name = if cfg!(target_os = "macos") { "pbpaste" } else { "xclip" };
    let none = reads();
    assert_eq!(none.status.code(), Some(2));
    assert!(talk(&none).contains("install wl-clipboard, xclip or xsel, or save the mail"), "{}", talk(&none));
    tool(name, "echo");
    assert!(talk(&reads()).contains("the clipboard has no text"), "{}", talk(&reads()));
    // A tool for another kind of screen fails, and the next one is asked.
    tool("wl-paste", "echo no screen; exit 1");
    tool(name, &format!("/bin/cat '{mail}'"));
    let read = reads();
    assert_eq!(read.status.code(), Some(0), "{}", talk(&read));
    assert!(out(&read).contains("1/1/ann-first/1 is declared"), "{}", out(&read));
}
