//! `audit --html` and `audit --files`: the page as a referee gets it, and the files that letters name.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use sealed_dice::{
    blob::{
        Body, Head, Keys,
        body::{Correct, Decision, Declare, FileHash, Hex32, How, Moves, Redo, SetKind},
    },
    game::{
        audit::{Games, Job, Read},
        steps::Letter,
    },
    mail::{Find, Mail, Source},
    primitive::hash::file_hash,
    report::{
        html::{self, Letters},
        plain,
    },
};
use serde_json::{Value, json};

use crate::{
    folder,
    kit::{Ann, Bob, Table, attacks, cells, example_attacks, key, name, object, role, text},
};

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sealed-dice")).args(args).output().expect("the program runs")
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a path")
}

/// Writes a transcript, audits it into a page, checks the page's form, and gives it back with the exit code.
fn page_of(name: &str, transcript: &str, more: &[&str]) -> (String, Option<i32>) {
    let dir = folder(&format!("html-{name}"));
    let (letters, page) = (dir.join("letters.txt"), dir.join("page.html"));
    fs::write(&letters, transcript).expect("letters");
    let output = run(&[&["audit", path(&letters), "--html", path(&page)], more].concat());
    let html = fs::read_to_string(&page).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    check_form(&html);
    (html, output.status.code())
}

/// The text between the tags, as a reader sees it.
fn text_of(html: &str) -> String {
    let body = html.split("<body>").nth(1).expect("a body");
    let text: String = body.split('<').filter_map(|part| part.split_once('>').map(|(_, text)| text)).collect();
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// What holds for every page: tags are balanced, ids stand once, links lead somewhere, nothing runs and nothing is fetched,
/// tables have heads with scopes, headings skip no level, no character can move the cursor.
fn check_form(html: &str) {
    const VOID: [&str; 3] = ["meta", "br", "wbr"];
    assert!(html.starts_with("<!DOCTYPE html><!-- sealed-dice audit -->"));
    assert!(html.contains("http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\""));
    assert!(!html.chars().any(|c| c.is_control() && c != '\n'), "a control character");
    assert!(!html.contains(['\u{202e}', '\u{2066}', '\u{200f}', '\u{feff}', '\u{200b}']), "a hidden character");
    let (mut open, mut ids, mut links) = (Vec::new(), HashSet::new(), Vec::new());
    let (mut level, mut tables) = (0, 0);
    let after_style = html.split("</style>").nth(1).expect("one style");
    let before_style = html.split("<style>").next().expect("a head");
    let marks = before_style.split('<').skip(3).chain(after_style.split('<').skip(1));
    for tag in marks.map(|part| part.split_once('>').unwrap_or_else(|| panic!("<{part:.40}")).0) {
        let mut words = tag.splitn(2, ' ');
        let name = words.next().expect("a name");
        let attributes = words.next().unwrap_or_default();
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "</{name}>");
            continue;
        }
        assert!(!["script", "iframe", "object", "embed", "img", "link", "form", "base"].contains(&name), "<{name}>");
        let mut parts = attributes.split('"');
        while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
            match key.trim() {
                "id=" => assert!(ids.insert(value.to_owned()), "the id {value} stands twice"),
                "href=" => links.push(value.strip_prefix('#').unwrap_or_else(|| panic!("href {value}")).to_owned()),
                key => assert!(!key.starts_with("on") && !key.starts_with("src") && !key.starts_with("style"), "{key}"),
            }
        }
        if let Some(depth) = name.strip_prefix('h').and_then(|depth| depth.parse::<u32>().ok()) {
            assert!(depth <= level + 1, "a heading of level {depth} under one of level {level}");
            level = depth;
        }
        tables += usize::from(name == "table");
        if name == "th" {
            assert!(attributes.contains("scope="), "a head without scope");
        }
        if name == "svg" {
            assert!(attributes.contains("aria-hidden=\"true\""), "a picture that is read out");
        }
        if !VOID.contains(&name) {
            open.push(name.to_owned());
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
    assert!(tables > 0);
    for link in links {
        assert!(ids.contains(&link), "a link leads nowhere: {link}");
    }
}

#[test]
fn a_whole_game_is_told() {
    let mut table = Table::turn("a whole turn");
    table.close_all();
    let (html, code) = page_of("whole", &table.transcript(), &[]);
    assert_eq!(code, Some(0));
    let text = text_of(&html);
    let verdict = text.find("Verified: nobody broke a rule of sealed-dice").expect("the verdict");
    assert!(verdict < text.find("Players").expect("players"), "the verdict comes first");
    for part in [
        "both players have closed the game",
        "Whether the moves were legal",
        "Guards to E11 and G12.",
        "82 mod 5 = 2: open envelope 2",
        "A sealed sheet of 400 cells",
        "ann has used 2 of 400 cells",
        "battle of A1",
        "The envelopes for 1/1/ann-first/1 are opened",
        "ann wins",
        "letters.txt, line",
    ] {
        assert!(text.contains(part), "{part:?} is missing in:\n{text}");
    }
    for letter in &table.letters {
        assert!(html.contains(&format!("<code class=\"id\">{}</code>", letter.message.id())), "a full id is missing");
    }
    let fingerprint = table.ann.key().public().fingerprint();
    assert!(text.contains(&fingerprint));
    assert_eq!(html.matches("<svg").count(), 5, "three dice of the envelope, two of the sheet");
    let sheet = html.split("<table class=\"sheet\">").nth(1).and_then(|rest| rest.split("</table>").next());
    let sheet = sheet.expect("a sheet");
    assert_eq!((sheet.matches("<td").count(), sheet.matches("\u{2713}</td>").count()), (400, 2));
    assert_eq!((sheet.matches("scope=\"col\"").count(), sheet.matches("scope=\"row\"").count()), (41, 10));
}

#[test]
fn a_game_that_continues_another_says_what_it_leaves() {
    let told = |vector: &str| {
        let path = Path::new("vectors/continued").join(vector).with_extension("txt");
        let content = fs::read_to_string(&path).expect("a vector");
        let text = String::from_utf8(run(&["audit", path.to_str().expect("a path")]).stdout).expect("text");
        let (html, _) = page_of(&format!("continued-{vector}"), &content, &[]);
        [text, text_of(&html)]
    };
    let cases: [(&str, &[&str]); 8] = [
        (
            "from-before-a-fork",
            &[
                "That game is refuted: ann broke its rules.",
                "After them, the old game has 2 more letters:",
                "declare 2/1/ann-first/1",
                "ann and bob sign with the same keys as in the old game.",
            ],
        ),
        ("from-before-dice", &["3 more letters:", "declare 2/1/ann-first/1: d6 = "]),
        (
            "declared-and-not-opened",
            &["It continues from the last letters of the old game.", "2/1/ann-first/1: not shown yet"],
        ),
        ("declared-and-opened-behind", &["1 more letter:", "2/1/ann-first/1: shown later, d6 = "]),
        ("with-states", &["Its courses begin with the states they had at that point."]),
        ("with-another-state", &["Its courses do not begin with the states they had at that point"]),
        ("with-new-keys", &["Only bob signs with the same key as in the old game."]),
        ("not-at-hand", &["The old game is not here", "sealed-dice resend --everything"]),
    ];
    for (vector, parts) in cases {
        for text in told(vector) {
            for part in parts {
                assert!(text.contains(part), "{vector}: {part:?} is missing in:\n{text}");
            }
        }
    }
    let [_, page] = told("with-states");
    for part in
        ["this game continues game", "it continues from letter", "ocs-initiative begins with a new state: turn 2"]
    {
        assert!(page.contains(part), "{part:?} is missing in:\n{page}");
    }
    for text in told("twice") {
        assert_eq!(text.matches(" also continues the old game.").count(), 2, "{text}");
    }
}

#[test]
fn a_refuted_game_says_which_rule_whose_fault_and_what_to_do() {
    let mut table = Table::begin("refuted");
    let seal = table.seal(Bob, SetKind::Coin, "1/1/ann-first/1");
    table.declare_but(Ann, "1/1/ann-first/1", example_attacks(), seal, |declare| {
        let text = serde_json::to_string(&declare.select).expect("a select").replace("82", "83");
        declare.select = serde_json::from_str(&text).expect("a select");
    });
    let (html, code) = page_of("refuted", &table.transcript(), &[]);
    assert_eq!(code, Some(1));
    let text = text_of(&html);
    for part in [
        "Refuted: ann signed a letter that breaks a rule",
        "declare 9: the total must be 82, not 83",
        "select is computed as the system's page says",
        "protocol/letters.md",
        "ann, who signed it",
        "declares the slot again from the foul-up set",
        "The letter says otherwise: total 83, envelope 2",
        "In breach: it gave no dice",
        "must be declared again from the foul-up set",
    ] {
        assert!(text.contains(part), "{part:?} is missing in:\n{text}");
    }
}

/// The same letter written again by another program that did not know the first.
fn twice(table: &mut Table, change: impl FnOnce(&mut Head, &mut Body)) -> (Hex32, Hex32) {
    let last = table.letters.last().expect("a letter").message.clone();
    let (mut head, mut body) = (last.head().clone(), last.body().clone());
    change(&mut head, &mut body);
    let who = format!("key of {}", head.author);
    (last.id(), table.forge(head, body, &key(&who)))
}

#[test]
fn a_fork_is_shown_side_by_side() {
    let mut table = Table::begin("forked");
    let seal = table.seal(Bob, SetKind::Coin, "1/1/ann-first/1");
    table.declare(Ann, "1/1/ann-first/1", attacks(&[("F12", "3-1")]), seal);
    twice(&mut table, |_, body| {
        if let Body::Declare(declare) = body {
            declare.moves = Moves::Text("Guards to E11 and G14.".into());
        }
    });
    let (html, code) = page_of("forked", &table.transcript(), &[]);
    assert_eq!(code, Some(1));
    let text = text_of(&html);
    assert!(text.contains("ann, or someone with the key or a backup of it, signed two or more letters"), "{text}");
    assert!(text.contains("Both letters side by side: 1 field differs"), "{text}");
    let row = html.split("<tr class=\"differs\">").nth(1).and_then(|row| row.split("</tr>").next()).expect("a row");
    assert!(row.contains("body.<wbr>moves.<wbr>text") && row.contains("\u{2260} differs"), "{row}");
    assert!(row.contains("<mark><bdi>2</bdi></mark>") && row.contains("<mark><bdi>4</bdi></mark>"), "{row}");
}

fn first_declaration(table: &Table, id: Hex32) -> Declare {
    let letter = table.letters.iter().find(|letter| letter.message.id() == id).expect("a letter");
    match letter.message.body() {
        Body::Declare(declare) => (**declare).clone(),
        _ => panic!("no declaration"),
    }
}

#[test]
fn a_second_declaration_stands_beside_the_first() {
    let mut table = Table::begin("declared twice");
    let seal = table.seal(Bob, SetKind::Coin, "1/1/ann-first/1");
    let first = table.declare(Ann, "1/1/ann-first/1", attacks(&[("F12", "3-1")]), seal);
    table.reveal(Bob, first);
    let mut again = first_declaration(&table, first);
    again.moves = Moves::Text("Guards stay where they are.".into());
    table.send(Ann, Body::Declare(Box::new(again)));
    let (html, _) = page_of("second", &table.transcript(), &[]);
    let text = text_of(&html);
    assert!(text.contains("declare 20: 1/1/ann-first/1 was already declared"), "{text}");
    assert!(text.contains("Both letters side by side"), "{text}");
}

#[test]
fn what_was_replaced_is_struck_out_with_its_reason() {
    let mut table = Table::begin("replaced");
    let seal = table.seal(Bob, SetKind::Coin, "1/1/ann-first/1");
    let spare = table.seal(Bob, SetKind::FoulUp, "foul-up/1");
    let first = table.declare(Ann, "1/1/ann-first/1", example_attacks(), seal);
    table.reveal(Bob, first);
    let corrected = table.corrected_attacks();
    let proposal = table.propose(Bob, first, Some(corrected.clone()));
    let agreed = table.send(Ann, Body::Correct(Correct::Accept(proposal)));
    let second = table.redo(Ann, "1/1/ann-first/1", corrected, spare, Redo::Agreed(agreed));
    table.reveal(Bob, second);
    let (html, code) = page_of("replaced", &table.transcript(), &[]);
    assert_eq!(code, Some(0));
    assert_eq!(html.matches("<s>").count(), 3, "three dice are struck out");
    let text = text_of(&html);
    for part in
        ["Replaced: its dice do not count", "F12 was 2-1: the Guards were at half strength", "foul-up 0, line 3"]
    {
        assert!(text.contains(part), "{part:?} is missing in:\n{text}");
    }
}

#[test]
fn missing_damaged_and_waiting_letters_are_listed() {
    let mut table = Table::begin("with holes");
    let seal = table.seal(Bob, SetKind::Coin, "1/1/ann-first/1");
    let declared = table.declare(Ann, "1/1/ann-first/1", example_attacks(), seal);
    table.reveal(Bob, declared);
    let lost = table.letters.remove(2);
    let damaged = lost.armour().replacen("c2VhbGVk", "c2VhbGV", 1);
    let (html, code) = page_of("holes", &(table.transcript() + "\n" + &damaged), &[]);
    assert_eq!(code, Some(2));
    let text = text_of(&html);
    for part in [
        "Undecided: a letter named by other letters is missing",
        "letter 2 by bob",
        "Waiting letters",
        "Letters that could not be read",
        "letters.txt, line",
    ] {
        assert!(text.contains(part), "{part:?} is missing in:\n{text}");
    }
    assert!(html.contains(&lost.message.id().to_string()), "the id to ask for in full");
}

#[test]
fn hostile_text_is_shown_as_text() {
    const EVIL: &str =
        "</p></blockquote><script>alert(1)</script><img src=x onerror=alert(1)>\"'&amp;\u{202e}\u{1b}[2J\u{0}\u{2066}";
    let mut table = Table::begin_with(EVIL, |charter| {
        charter.parties[0].name = "Ann <b>\u{202e}".into();
        charter.phases[0].decisions = vec![Decision { by: Some(role("ann")), how: How::Open, name: name("flank") }];
    });
    let seal = table.seal(Bob, SetKind::Coin, "1/1/ann-first/1");
    let mut strange = table.seal_body(Bob, SetKind::Sheet, "sheet/1");
    strange.purpose = format!("{EVIL}{}", "z".repeat(200_000));
    table.send(Bob, Body::Seal(strange));
    table.decide(Ann, "1/1/ann-first/1", "flank");
    let declared = table.declare_but(Ann, "1/1/ann-first/1", example_attacks(), seal, |declare| {
        declare.moves = Moves::Text(format!("{EVIL}\nsecond line\n{}", "<i>".repeat(300_000)));
    });
    table.reveal(Bob, declared);
    let unreadable = table.seal(Bob, SetKind::Coin, "1/1/ann-first/2");
    table.declare_but(Ann, "1/1/ann-first/2", example_attacks(), unreadable, |declare| {
        declare.input = text(&object(json!({ "attacks": EVIL })));
    });
    let (html, _) = page_of("hostile", &table.transcript(), &[]);
    assert!(html.len() < 400_000, "the page has {} bytes", html.len());
    let text = text_of(&html);
    assert!(
        text.contains("<script>alert(1)</script><img src=x onerror=alert(1)>\"'&amp;<U+202E><U+001B>[2J"),
        "{text}"
    );
    assert!(text.contains("more characters in the letter"));
    assert!(html.contains("<br>second line<br>"), "lines stay lines");
}

#[test]
fn a_page_is_written_to_a_new_file() {
    let dir = folder("html-over");
    let letters = dir.join("letters.txt");
    let transcript = Table::turn("over").transcript();
    fs::write(&letters, &transcript).expect("letters");
    let onto = run(&["audit", path(&letters), "--html", path(&letters)]);
    assert_eq!(onto.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&onto.stderr).contains("exists already"));
    assert_eq!(fs::read_to_string(&letters).expect("letters"), transcript, "untouched");
    assert_eq!(run(&["audit", path(&letters), "--html", path(&dir)]).status.code(), Some(2), "a folder");
    assert_eq!(run(&["audit", path(&letters), "--html", path(&dir.join("no/such.html"))]).status.code(), Some(2));
    let page = dir.join("page.html");
    let with_page = run(&["audit", path(&letters), "--html", path(&page)]);
    let plain = run(&["audit", path(&letters)]);
    assert_eq!(
        (plain.stdout, Some(0)),
        (with_page.stdout, with_page.status.code()),
        "it changes nothing of the answer"
    );
    let again = run(&["audit", path(&letters), "--html", path(&page)]);
    assert_eq!((again.status.code(), again.stdout.len()), (Some(2), 0), "an older page is not lost either");
}

/// A game whose declarations name files, and a folder beside it.
fn with_files(label: &str, files: Vec<FileHash>) -> (PathBuf, PathBuf) {
    let mut table = Table::begin(label);
    let seal = table.seal(Bob, SetKind::Coin, "1/1/ann-first/1");
    let declared = table
        .declare_but(Ann, "1/1/ann-first/1", example_attacks(), seal, |declare| declare.moves = Moves::Files(files));
    table.reveal(Bob, declared);
    let dir = folder(&format!("files-{label}"));
    fs::write(dir.join("letters.txt"), table.letters.iter().map(Letter::armour).collect::<String>()).expect("letters");
    let moves = dir.join("moves");
    fs::create_dir_all(moves.join("turn 3")).expect("a folder");
    (dir.join("letters.txt"), moves)
}

fn named(name: &str, content: &[u8]) -> FileHash {
    FileHash { length: content.len() as u64, name: name.into(), sha3_256: Hex32(file_hash(content)) }
}

fn found(output: &Output) -> Vec<(String, String)> {
    let report: Value = serde_json::from_slice(&output.stdout).expect("one object");
    let files = report["files"].as_array().expect("files").iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    files.map(|file| (text(&file["found"]), text(&file["path"]))).collect()
}

#[test]
fn files_are_found_by_name_and_by_hash() {
    let big = vec![7; 300_000];
    let (letters, moves) = with_files(
        "kinds",
        vec![
            named("turn3.vsav", b"the moves"),
            named("photo.jpg", &big),
            named("map.png", b"as it was"),
            named("short.txt", b"longer once"),
            named("lost.log", b"gone"),
            named("turn 3/in.vlog", b"deep"),
        ],
    );
    fs::write(moves.join("turn 3/turn3.vsav"), "the moves").expect("a file");
    fs::write(moves.join("IMG_0001.jpg"), &big).expect("a file");
    fs::write(moves.join("map.png"), "as it is!").expect("a file");
    fs::write(moves.join("short.txt"), "short").expect("a file");
    fs::write(moves.join("turn 3/in.vlog"), "deep").expect("a file");
    let page = moves.parent().expect("a folder").join("page.html");
    let args = ["audit", path(&letters), "--files", path(&moves)];
    let output = run(&[&args[..], &["--json"]].concat());
    let expected = [
        ("right", "turn 3/turn3.vsav"),
        ("right", "IMG_0001.jpg"),
        ("different", "map.png"),
        ("different", "short.txt"),
        ("missing", ""),
        ("right", "turn 3/in.vlog"),
    ];
    assert_eq!(found(&output), expected.map(|(found, at)| (found.to_owned(), at.to_owned())));
    assert_eq!(output.status.code(), Some(2), "verified, but what was signed is not all there");
    let told = run(&[&args[..], &["--html", path(&page)]].concat());
    let told = String::from_utf8(told.stdout).expect("UTF-8");
    assert!(
        told.contains("file \"photo.jpg\" for 1/1/ann-first/1: found as IMG_0001.jpg, identical to the signed file"),
        "{told}"
    );
    let html = fs::read_to_string(&page).expect("a page");
    check_form(&html);
    let told = "3 of 6 files named in letters are here and identical to the signed files. See the declarations";
    assert!(text_of(&html).contains(told));
    assert!(text_of(&html).contains("not found by name or by hash: ask for the file"));
}

#[test]
fn without_the_option_the_report_says_nothing_of_files() {
    let (letters, moves) = with_files("option", vec![named("a.txt", b"a")]);
    let plain = run(&["audit", path(&letters), "--json"]);
    let report: Value = serde_json::from_slice(&plain.stdout).expect("one object");
    assert_eq!((report.get("files"), plain.status.code()), (None, Some(0)));
    fs::write(moves.join("a.txt"), "a").expect("a file");
    let right = run(&["audit", path(&letters), "--json", "--files", path(&moves)]);
    assert_eq!((found(&right).len(), right.status.code()), (1, Some(0)));
    let mut with: Value = serde_json::from_slice(&right.stdout).expect("one object");
    with.as_object_mut().expect("an object").remove("files");
    assert_eq!(with, report, "all else is the same");
    assert_eq!(run(&["audit", path(&letters), "--files", "no-such-folder"]).status.code(), Some(2));
}

#[test]
fn hostile_names_reach_nothing_outside() {
    let secret = b"outside the folder";
    let names = [
        "../outside.txt",
        "turn 3/../../outside.txt",
        "..\\outside.txt",
        "C:\\outside.txt",
        "\\\\?\\C:\\outside.txt",
        "link.txt",
        "linked/outside.txt",
        "nul\u{0}.txt",
        ".",
        "..",
        "/",
        "CON",
    ];
    let dir = folder("files-hostile");
    let mut files: Vec<FileHash> = names.iter().map(|name| named(name, secret)).collect();
    files.push(named(path(&dir.join("outside.txt")), secret));
    let (letters, moves) = with_files("hostile", files);
    let dir = moves.parent().expect("a folder");
    fs::write(dir.join("outside.txt"), secret).expect("a file");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(dir.join("outside.txt"), moves.join("link.txt")).expect("a link");
        std::os::unix::fs::symlink(dir, moves.join("linked")).expect("a link");
    }
    let output = run(&["audit", path(&letters), "--json", "--files", path(&moves)]);
    let found = found(&output);
    assert_eq!(found.len(), names.len() + 1);
    assert!(found.iter().all(|(found, at)| found == "missing" && at.is_empty()), "{found:?}");
}

/// A sheet shows what is rolled, awaited and used up.
#[test]
fn a_sheet_shows_the_fate_of_its_cells() {
    let mut table = Table::begin("a sheet");
    let sheet = table.seal(Bob, SetKind::Sheet, "sheet/1");
    let first = table.declare(Ann, "1/2/ann-second/1", cells(&["A1", "NN1"]), sheet);
    table.reveal(Bob, first);
    table.declare(Ann, "1/2/ann-second/2", cells(&["A2"]), sheet);
    let (html, _) = page_of("sheet", &table.transcript(), &[]);
    let grid = html.split("<table class=\"sheet\">").nth(1).and_then(|rest| rest.split("</table>").next());
    let grid = grid.expect("a sheet");
    assert_eq!(grid.matches("class=\"used\"").count(), 3);
    assert_eq!(grid.matches("\u{2026}\u{2713}").count(), 1);
}

/// Whatever the vectors hold, good or bad, makes a page of good form.
#[test]
fn every_vector_makes_a_page() {
    let page = folder("html-vectors").join("page.html");
    let output = run(&["audit", "vectors", "--html", path(&page)]);
    assert_eq!(output.status.code(), Some(1), "some are refuted");
    let html = fs::read_to_string(&page).expect("a page");
    check_form(&html);
    assert!(html.matches("<section").count() > 150, "{}", html.matches("<section").count());
}

/// What stands in a headline only where it is so.
const CLAIMS: [&str; 7] = [
    "nobody broke a rule of sealed-dice",
    "nobody is shown to have broken a rule",
    " settled",
    "no die is shown",
    "every die is the one that was sealed",
    "every other die is the one that was sealed",
    "after a forfeit",
];

/// What the headline of a verified game may say, worked out from what its vector expects.
fn may_say(game: &Value) -> Vec<String> {
    let culprits: Vec<&str> = list(&game["findings"]).filter_map(|finding| finding["culprit"].as_str()).collect();
    let rolls: Vec<&Value> = list(&game["rolls"]).collect();
    let named = rolls.iter().filter(|roll| !roll["named_by"].is_null()).count();
    let breaches = match (culprits.as_slice(), list(&game["findings"]).count()) {
        ([], 0) => "nobody broke a rule of sealed-dice".to_owned(),
        ([], _) => "nobody is shown to have broken a rule".to_owned(),
        ([culprit], _) => format!("the one breach, by {culprit}, was settled"),
        (_, _) => "breaches, by ".to_owned(),
    };
    let settled = if culprits.is_empty() { "" } else { " settled" };
    let dice = match (rolls.len(), named) {
        (0, _) => "no die is shown".to_owned(),
        (_, 0) => "every die is the one that was sealed".to_owned(),
        (all, some) if all == some => format!("the {some} di"),
        (_, some) => format!("{some} di"),
    };
    let forfeit = if named > 0 { "after a forfeit" } else { "" };
    let others = if named > 0 && named < rolls.len() { "every other die is the one that was sealed" } else { "" };
    vec![breaches, settled.to_owned(), dice, forfeit.to_owned(), others.to_owned()]
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Over all transcripts among the vectors: "nobody broke a rule of sealed-dice" and "every die is the one that was sealed" stand in text and
/// page where they are so and nowhere else, and of dice that were named nobody reads that they were opened.
#[test]
fn the_verdict_says_only_what_is_so() {
    let (mut verified, mut settled, mut named, mut without) = (0, 0, 0, 0);
    let mut again = Vec::new();
    for path in transcripts() {
        let content = fs::read(&path).expect("a vector");
        let head = content.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty()).collect::<Vec<_>>();
        let vector: Value = serde_json::from_slice(&head.join(&b'\n')).expect("JSON in front");
        let expected: Vec<&Value> = list(&vector["expect"]["games"]).collect();
        let told = told(&path, content);
        assert_eq!(told.len(), expected.len(), "{}", path.display());
        for ((text, page), game) in told.iter().zip(expected) {
            let path = path.display();
            let sentence = text.lines().nth(1).unwrap_or_default();
            let verdict =
                page.split("<p class=\"verdict").nth(1).and_then(|rest| rest.split("</p>").next()).expect("one");
            let notes = text.lines().filter_map(|line| line.trim().strip_prefix("note: "));
            for line in notes.filter(|line| line.contains("both roll for")) {
                assert!(page.contains(line), "{path}: {line}");
                again.push(format!("{}: {line}", path.to_string().replace('\\', "/")));
            }
            let is_verified = game["verdict"] == "verified";
            let may = if is_verified { may_say(game) } else { Vec::new() };
            let whole = may.join(" ");
            for said in [sentence, verdict].into_iter().filter(|_| !game["game"].is_null()) {
                assert!(may.iter().all(|part| said.contains(part)), "{path}: {may:?}: {said}");
                for claim in CLAIMS {
                    assert_eq!(said.contains(claim), whole.contains(claim), "{path}: {claim}: {said}");
                }
            }
            verified += usize::from(is_verified);
            settled += usize::from(is_verified && sentence.contains(" settled"));
            named += usize::from(is_verified && sentence.contains("named by"));
            without += usize::from(is_verified && sentence.contains("no die"));
            let is_named =
                |id: &str| list(&game["rolls"]).any(|roll| roll["declaration"] == id && !roll["named_by"].is_null());
            let hidden = list(&game["courses"]).any(|course| course.get("runs").is_some());
            for roll in list(&game["rolls"]).filter(|_| !hidden) {
                let id = roll["declaration"].as_str().expect("an id");
                let anchor = format!("-rolls-{id}\"");
                let article = page
                    .split("<article")
                    .find(|article| article.split('>').next().is_some_and(|tag| tag.contains(&anchor)));
                let article = article.unwrap_or_else(|| panic!("{path}: {anchor}"));
                assert_eq!(article.contains("Forfeited: "), is_named(id), "{path}: {article}");
                assert_eq!(article.contains("Opened "), !is_named(id), "{path}: {article}");
            }
        }
    }
    // The TypeScript page's test has the same two, of all transcripts.
    let rolled = "vectors/audit/rolled-again.txt: ann declared";
    let rules = "check whether the rules of your game allow that";
    let wanted = [
        format!("{rolled} 1/1/ann-first/3 knowing the dice of 1/1/ann-first/1, and both roll for F12, G13; {rules}"),
        format!(
            "{rolled} 1/2/ann-second/2 knowing the dice of 1/2/ann-second/1, and both roll for the bridge; {rules}"
        ),
    ];
    assert_eq!(again, wanted);
    assert!(verified > 150 && settled >= 10 && named >= 8 && without > 40, "{verified} {settled} {named} {without}");
}

fn transcripts() -> Vec<PathBuf> {
    let layers = fs::read_dir("vectors").expect("vectors").map(|layer| layer.expect("a layer").path());
    let files = layers.filter(|layer| layer.is_dir()).flat_map(|layer| fs::read_dir(layer).expect("a layer"));
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    assert!(files.len() > 600);
    files
}

/// What is told of each game in a transcript, as text and as a section of the page.
fn told(path: &Path, content: Vec<u8>) -> Vec<(String, String)> {
    let mut mail = Mail::of(vec![Source::memory("transcript", content)]);
    let (keys, mut read) = (Keys::default(), Vec::new());
    while let Some(batch) = mail.batch() {
        let _ = batch.open(&keys, &mut |Find { place, letter, .. }| read.push(Read { place, letter }));
    }
    let letters = Letters::of(&read);
    let games = Games::sort(&read);
    let tell = |job: &Job<'_>| {
        let (report, section) = job.run_with(|report, replay| html::section(&letters, report, replay, None));
        (plain::tell(&report, &report.ids().collect()), html::page(&[section]))
    };
    let told: Vec<(String, String)> = games.jobs().iter().map(tell).collect();
    told.iter().for_each(|(_, page)| assert!(page.contains("<section"), "{}", path.display()));
    told
}
