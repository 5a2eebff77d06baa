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
    let proposed = table.mails.borrow().last().expect("a mail").clone();
    assert_eq!(table.bob.signs(&words), proposed, "typed twice it is the same");
    let attacks = table.path("ATTACKS.csv");
    for verb in [vec!["declare", "1/2/ann-second/1", &attacks, "--no-moves"], vec!["reply"], vec!["seal", "sheet"]] {
        let why = table.ann.is_refused(&[verb.as_slice(), &["--yes"]].concat());
        assert!(why.contains("answer the proposed foul-up") || why.contains("JSON") || why.contains("why"), "{why}");
    }
    follow(&table, &table.ann, "correct accept");
    let early = table.ann.is_refused(&["declare", "1/2/ann-second/1", &attacks, "--no-moves", "--yes"]);
    assert!(early.contains("first declare another slot again"), "{early}");
    let told = follow(&table, &table.ann, "--again");
    assert!(told.contains("declared again") && told.contains("foul-up envelope 0"), "{told}");
    table.mail(&table.bob, &["reply"]);
    let report = table.closes();
    assert_eq!((&report["verdict"], &report["complete"]), (&json!("verified"), &json!(true)), "{report}");
    let lines = report["rolls"].as_array().expect("rolls").len();
    assert_eq!(lines, 3 + 1, "three attacks and the one that is rolled again: {report}");
}

/// A list that says nothing else would only roll the dice once more.
#[test]
fn what_was_declared_is_no_correction() {
    let table = rolled("play-same-list");
    let spelt = table.file("spelt.csv", "hexes,odds,order\nf12 + F13,3:1,2\nG13,5-1,1\nI11,1-4,3\n");
    for sheet in [table.path("ATTACKS.csv"), spelt] {
        let mut words = propose(&table);
        *words.last_mut().expect("a sheet") = sheet;
        words.push("--yes".into());
        let why = table.bob.is_refused(&words.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(why.contains("the same as the one that was declared"), "{why}");
    }
    table.mail(
        &table.bob,
        &[
            "correct",
            "propose",
            "1/1/ann-first/1",
            "--class",
            "illegal-odds",
            "--at-fault",
            "ann",
            "--reason",
            "x",
            "--keep-dice",
        ],
    );
}

/// Whoever stops while dice are awaited, or something is to be declared again, is told so before he signs.
#[test]
fn a_close_tells_what_it_leaves_open() {
    let table =
        Match::begun("play-close-open", |terms| terms.replace("illegal-odds = \"keep\"", "illegal-odds = \"redo\""));
    let asked = |player: &Seated| super::talk(&player.run(&["game", "close"], ""));
    assert!(!asked(&table.ann).contains("  note:"), "{}", asked(&table.ann));
    table.mail(&table.ann, &["declare", "1/1/ann-first/1", &table.path("ATTACKS.csv"), "--no-moves"]);
    assert!(asked(&table.ann).contains("note: the dice of 1/1/ann-first/1 are not known yet"), "{}", asked(&table.ann));
    assert!(!asked(&table.bob).contains("  note:"), "he opens them in the same mail: {}", asked(&table.bob));
    table.mail(&table.bob, &["reply"]);
    assert!(!asked(&table.ann).contains("  note:"), "{}", asked(&table.ann));
    let words = propose(&table);
    table.mail(&table.bob, &words.iter().map(String::as_str).collect::<Vec<_>>());
    follow(&table, &table.ann, "correct accept");
    for player in [&table.ann, &table.bob] {
        let told = asked(player);
        assert!(
            told.contains("note: 1/1/ann-first/1 must be declared again, which is impossible after a close"),
            "{told}"
        );
    }
}

#[test]
fn a_foul_up_is_refused() {
    let table = rolled("play-refused");
    let words = propose(&table);
    table.mail(&table.bob, &words.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(commands(&table.ann).iter().any(|command| command.contains("correct refuse")), "both answers are named");
    follow(&table, &table.ann, "correct refuse");
    assert!(
        table
            .ann
            .is_refused(&["declare", "1/1/ann-first/1", "--again", "--yes"])
            .contains("does not have to be declared")
    );
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
    table.ann.is_refused(&["declare", "1/3/bob-first/1", &attacks, "--no-moves", "--yes"]);
    table.ann.is_refused(&["declare", "7/1/ann-first/1", &attacks, "--no-moves", "--yes"]);
    table.ann.is_refused(&["seal", "1/1/ann-first/1", "--yes"]);
    table.ann.is_refused(&["seal", "1/4/bob-second/1", "--yes"]);
    table.ann.is_refused(&["reveal", "1/3/bob-first/1", "--yes"]);
    assert_eq!(std::fs::read_dir(table.ann.letters()).expect("letters").count(), before);
    table.mail(&table.ann, &["declare", "1/1/ann-first/1", &attacks, "--no-moves"]);
    let unopened = table.bob.is_refused(&early);
    assert!(unopened.contains("wait for the reveal"), "{unopened}");
}

/// The same words print the stored letter; other words are not taken for it.
#[test]
fn a_slot_is_not_declared_again_with_something_else() {
    let table = Match::begun("play-declared", |terms| terms);
    let attacks = table.path("ATTACKS.csv");
    let slot = "1/1/ann-first/1";
    let honest = ["declare", slot, &attacks, "--moves", "over the bridge"];
    let sent = table.posts(&table.ann, &honest);
    let spelt = table.file("spelt.csv", "hexes,odds,order\nf12 + F13,3:1,2\nG13,5-1,1\nI11,1-4,3\n");
    for same in [honest.to_vec(), vec!["declare", slot, &spelt, "--moves", "over the bridge"], vec!["declare", slot]] {
        assert_eq!(table.ann.signs(&same), sent, "{same:?}");
    }
    let other = table.file("other.csv", "hexes,odds,order\nF12,3-1,1\n");
    for (typed, what, class) in [
        (vec!["declare", slot, &other, "--moves", "over the bridge"], "another list", "wrong-list"),
        (vec!["declare", slot, "--no-rolls"], "another list", "wrong-list"),
        (vec!["declare", slot, &attacks, "--moves", "through the ford"], "other moves", "illegal-move"),
        (vec!["declare", slot, &attacks, "--no-moves"], "other moves", "illegal-move"),
    ] {
        let why = table.ann.is_refused(&[typed.as_slice(), &["--yes"]].concat());
        assert!(why.contains(what) && why.contains("3 attacks, total 94"), "{why}");
        assert!(why.contains(&format!("correct propose {slot} --class {class} --at-fault ann")), "{why}");
    }
    table.bob.reads(&sent);
    // On the sheet the cells are taken by themselves, the second time as well.
    let rolls = table.path("ROLLS.csv");
    let slot = "1/2/ann-second/1";
    let sent = table.posts(&table.ann, &["declare", slot, &rolls, "--no-moves"]);
    assert_eq!(table.ann.signs(&["declare", slot, &rolls, "--no-moves"]), sent);
    let other = table.file("other rolls.csv", "why\nF12 3-1\nG13 4-1\n");
    let why = table.ann.is_refused(&["declare", slot, &other, "--no-moves", "--yes"]);
    assert!(why.contains("another list"), "{why}");
    let cells = table.file("cells.csv", "why,cell\nF12 3-1,a1\nG13 5-1,B1\n");
    assert!(table.ann.is_refused(&["declare", slot, &cells, "--no-moves", "--yes"]).contains("another list"));
}

/// A mail is written over nothing, and what has no place to go is not signed.
#[test]
fn a_mail_is_written_to_a_new_file() {
    let table = Match::begun("play-out", |terms| terms);
    let (attacks, mine) = (table.path("ATTACKS.csv"), table.file("mine.txt", "a poem"));
    let before = std::fs::read_dir(table.ann.letters()).expect("letters").count();
    let declare = |out: &str| {
        let typed = ["declare", "1/1/ann-first/1", &attacks, "--no-moves", "--yes", "--out", out];
        table.ann.run(&typed, "")
    };
    let refused = declare(&mine);
    assert_eq!(refused.status.code(), Some(1));
    assert!(super::talk(&refused).contains("exists already"), "{}", super::talk(&refused));
    for nowhere in [table.path("no folder/mail.txt"), table.path("")] {
        assert_ne!(declare(&nowhere).status.code(), Some(0), "{nowhere}");
    }
    assert_eq!(std::fs::read_dir(table.ann.letters()).expect("letters").count(), before, "nothing is signed");
    let new = table.path("new.txt");
    assert_eq!(declare(&new).status.code(), Some(0));
    let mail = std::fs::read_to_string(&new).expect("a mail");
    assert!(mail.contains("-----BEGIN"));
    assert_eq!(declare(&new).status.code(), Some(0), "the same command once more finds its mail written");
    let other = table.ann.run(&["resend", "--all", "--out", &new], "");
    assert_eq!(other.status.code(), Some(1), "{}", super::talk(&other));
    assert_eq!(
        (std::fs::read_to_string(&new).unwrap(), std::fs::read_to_string(&mine).unwrap()),
        (mail, "a poem".into())
    );
    #[cfg(unix)]
    assert_eq!(declare("/dev/null").status.code(), Some(0));
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
        let mut declare = steps::declaration(ledger, me, request).expect("a declaration");
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
    assert!(table.bob.is_refused(&["reveal", "1/1/ann-first/1", "--yes"]).contains("has not been validly declared"));
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
    let letter = table.bob.forges(|ledger, me, signer| {
        let declaration = ledger.declarations().next().expect("a declaration").node.id();
        let seal = ledger.sealed(me, SetKind::Coin, "2/1/ann-first/1").expect("a set");
        let context = &ledger.set(&seal).expect("a set").context;
        let master = signer.master(ledger, &seal).expect("a master");
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
    let told = table.mail(&table.ann, &["declare", "2/1/ann-first/1", &attacks, "--no-moves", "--skip"]);
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
    let told = super::out(&table.ann.run(&["game", "status"], ""));
    assert!(["our-campaign: ", "the-rematch: ", "--game NAME"].iter().all(|word| told.contains(word)), "{told}");
    // What somebody else proposes is not meant, and counted.
    let output = table.bob.run(&["game", "status"], "");
    assert!(super::out(&output).starts_with("our-campaign: "), "{}", super::out(&output));
    assert!(super::talk(&output).contains("1 proposal from other people"), "{}", super::talk(&output));
    for player in [&table.ann, &table.bob] {
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
