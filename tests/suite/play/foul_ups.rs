//! Mistakes that no machine sees, breaches that each machine sees, and what is rolled again.

use sealed_dice::{
    blob::{
        Body, Hex32,
        body::{Contribution, Key, Moves, Reveal, Select, SetKind},
        json::Text,
    },
    game::steps::{self, Request},
    resolve::Place,
};
use serde_json::{Value, json};

use super::{Match, Seated};
use crate::kit::slot;

/// Ann has declared, and Bob has opened.
fn rolled(name: &str) -> Match {
    let table = Match::begun(name, |terms| terms.replace("illegal-odds = \"keep\"", "illegal-odds = \"redo\""));
    table.mail(&table.ann, &["declare", "1/1/ann-first/1", &table.path("ATTACKS.csv"), "--moves", "over the bridge"]);
    table.mail(&table.bob, &["reply"]);
    table
}

fn propose(table: &Match) -> Vec<String> {
    let sheet = table.file("right.csv", "hexes,odds,order\nF12+F13,2-1,1\n");
    let words = ["correct", "propose", "1/1/ann-first/1", "--class", "illegal-odds", "--at-fault", "ann", "--reason"];
    let words = words.into_iter().map(str::to_owned);
    words.chain(["two of them were out of supply".to_owned(), "--sheet".into(), sheet]).collect()
}

/// The commands that a player's status names.
fn commands(player: &Seated) -> Vec<String> {
    let status = player.status();
    status["commands"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|line| line.as_str().expect("a line").to_owned())
        .collect()
}

/// Types the command of a status that has these words in it.
fn follow(table: &Match, player: &Seated, words: &str) -> String {
    let named =
        commands(player).into_iter().find(|command| command.contains(words)).unwrap_or_else(|| panic!("{words}"));
    let typed = table.typed(player, &named);
    table.mail(player, &typed.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn a_foul_up_is_proposed_accepted_and_rolled_again() {
    let table = rolled("play-accepted");
    let words = propose(&table);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    table.mail(&table.bob, &words);
    let twice = table.bob.is_refused(&[words.as_slice(), &["--yes"]].concat());
    assert!(twice.contains("waits for its answer"), "{twice}");
    let attacks = table.path("ATTACKS.csv");
    for verb in [vec!["declare", "1/2/ann-second/1", &attacks, "--no-moves"], vec!["reply"], vec!["seal", "sheet"]] {
        let why = table.ann.is_refused(&[verb.as_slice(), &["--yes"]].concat());
        assert!(why.contains("answer the foul-up") || why.contains("JSON") || why.contains("why"), "{why}");
    }
    follow(&table, &table.ann, "correct accept");
    let early = table.ann.is_refused(&["declare", "1/2/ann-second/1", &attacks, "--no-moves", "--yes"]);
    assert!(early.contains("declared again first"), "{early}");
    let told = follow(&table, &table.ann, "--again");
    assert!(told.contains("declared again") && told.contains("foul-up envelope 0"), "{told}");
    table.mail(&table.bob, &["reply"]);
    let report = table.closes();
    assert_eq!((&report["verdict"], &report["complete"]), (&json!("verified"), &json!(true)), "{report}");
    let lines = report["rolls"].as_array().expect("rolls").len();
    assert_eq!(lines, 3 + 1, "three attacks and the one that is rolled again: {report}");
}

#[test]
fn a_foul_up_is_refused() {
    let table = rolled("play-refused");
    let words = propose(&table);
    table.mail(&table.bob, &words.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(commands(&table.ann).iter().any(|command| command.contains("correct refuse")), "both answers are named");
    follow(&table, &table.ann, "correct refuse");
    assert!(table.ann.is_refused(&["declare", "1/1/ann-first/1", "--again", "--yes"]).contains("not to be declared"));
    let report = table.closes();
    assert_eq!((&report["verdict"], &report["findings"]), (&json!("verified"), &json!([])), "{report}");
}

/// What the machine can see to be against the rules is not signed, in whatever verb.
#[test]
fn no_breach_is_signed() {
    let table = Match::begun("play-breach-own", |terms| terms);
    let attacks = table.path("ATTACKS.csv");
    let before = std::fs::read_dir(table.ann.letters()).expect("letters").count();
    let early = propose(&table);
    let early: Vec<&str> = early.iter().map(String::as_str).chain(["--yes"]).collect();
    table.ann.is_refused(&early);
    table.ann.is_refused(&["declare", "1/1/bob-first/1", &attacks, "--no-moves", "--yes"]);
    table.ann.is_refused(&["declare", "7/1/ann-first/1", &attacks, "--no-moves", "--yes"]);
    table.ann.is_refused(&["seal", "1/1/ann-first/1", "--yes"]);
    table.ann.is_refused(&["seal", "1/2/bob-second/1", "--yes"]);
    table.ann.is_refused(&["reveal", "1/1/bob-first/1", "--yes"]);
    assert_eq!(std::fs::read_dir(table.ann.letters()).expect("letters").count(), before);
    table.mail(&table.ann, &["declare", "1/1/ann-first/1", &attacks, "--no-moves"]);
    let unopened = table.bob.is_refused(&early);
    assert!(unopened.contains("first the reveal"), "{unopened}");
}

/// A declaration with a total that is raised by one, past the program.
pub(super) fn raised_total(player: &Seated, at: &str) -> String {
    player.forges(|ledger, me, _| {
        let seal = ledger.sealed(me.other(), SetKind::Coin, at).expect("a set");
        let input = Text::of(&json!({ "attacks": [{ "hexes": ["F12"], "odds": "3-1" }] })).expect("a text");
        let request = Request {
            slot: slot(at),
            moves: Moves::None(()),
            input,
            seal,
            contribution: Contribution::Open(crate::kit::bytes("a contribution")),
            redo: None,
        };
        let mut declare = steps::declare(ledger, me, request).expect("a declaration");
        if let Some(Select::Worksheet(sheet)) = &mut declare.select {
            sheet.total += 1;
        }
        Body::Declare(Box::new(declare))
    })
}

/// Ann raises a total past the program: her own program tells her to declare the slot again.
#[test]
fn a_breach_is_declared_again() {
    let table = Match::begun("play-breach", |terms| terms);
    let letter = raised_total(&table.ann, "1/1/ann-first/1");
    table.mails.borrow_mut().push(letter.clone());
    table.ann.reads(&letter);
    table.bob.reads(&letter);
    assert!(!commands(&table.bob).iter().any(|command| command.contains("reveal")), "a breach is not opened");
    table.look();
    assert!(table.bob.is_refused(&["reveal", "1/1/ann-first/1", "--yes"]).contains("no declaration that waits"));
    follow(&table, &table.ann, "--again");
    let told = table.mail(&table.bob, &["reply"]);
    assert!(told.contains("d6 = "), "{told}");
    let report = table.closes();
    assert_eq!((&report["complete"], &report["findings"][0]["culprit"]), (&json!(true), &json!("ann")), "{report}");
    assert_ne!(report["findings"][0]["settled_by"], Value::Null, "{report}");
}

/// Bob opens envelopes that nobody asked for: Ann's program takes her dice from the foul-up set.
#[test]
fn what_was_opened_before_is_not_rolled_with() {
    let table = Match::begun("play-opened", |terms| terms);
    let attacks = table.path("ATTACKS.csv");
    table.mail(&table.ann, &["declare", "1/1/ann-first/1", &attacks, "--no-moves"]);
    let letter = table.bob.forges(|ledger, me, seat| {
        let declaration = ledger.declarations().next().expect("a declaration").node.id();
        let seal = ledger.sealed(me, SetKind::Coin, "2/1/ann-first/1").expect("a set");
        let context = &ledger.set(&seal).expect("a set").context;
        let master = seat.master(ledger, &seal).expect("a master");
        let key = |index| Key(index, Hex32(*context.key(&master, Place { index, line: 0 }).expose()));
        Body::Reveal(Reveal {
            declaration: Some(declaration),
            keys: (0..5).map(key).collect(),
            seal,
            sheets: Vec::new(),
        })
    });
    table.mails.borrow_mut().push(letter.clone());
    table.ann.reads(&letter);
    table.bob.reads(&letter);
    table.mail(&table.bob, &["reply"]);
    let told = table.mail(&table.ann, &["declare", "2/1/ann-first/1", &attacks, "--no-moves"]);
    assert!(told.contains("foul-up envelope"), "{told}");
    let told = table.mail(&table.bob, &["reply"]);
    assert!(told.contains("d6 = "), "{told}");
    let report = table.closes();
    assert_eq!((&report["complete"], &report["findings"][0]["culprit"]), (&json!(true), &json!("bob")), "{report}");
}

/// With a second game every command that a status names says which game it is for, wherever its words stand.
#[test]
fn commands_name_their_game_if_there_are_two() {
    let table = rolled("play-two");
    let words = propose(&table);
    table.mail(&table.bob, &words.iter().map(String::as_str).collect::<Vec<_>>());
    let terms = table.terms(|terms| terms.replace("Our campaign", "The rematch"));
    std::fs::create_dir_all(table.ann.home.join("games/the-rematch/letters")).expect("what a dead run leaves");
    let mail = table.ann.signs(&["game", "new", &terms]);
    assert_eq!(table.ann.signs(&["game", "new", &terms]), mail, "the same terms are not proposed twice");
    table.bob.reads(&mail);
    for player in [&table.ann, &table.bob] {
        let output = player.run(&["game", "status"], "");
        assert!(super::talk(&output).contains("say which one with --game: our-campaign, the-rematch"));
        for game in ["our-campaign", "the-rematch"] {
            let status: Value =
                serde_json::from_str(&player.does(&["game", "status", "--json", "--game", game])).unwrap();
            for command in status["commands"].as_array().expect("a list") {
                let command = command.as_str().expect("a line");
                assert!(command.ends_with(&format!("--game {game}")), "{command}");
                table.try_out(player, command);
            }
        }
    }
}
