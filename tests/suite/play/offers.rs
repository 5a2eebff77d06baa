//! Proposals: of strangers, with one title, withdrawn early and late, and what their names become on this machine.

use std::process::Command;

use sealed_dice::blob::{Body, body::Decide};
use serde_json::json;

use super::{Match, Seated, out, roads::FORFEIT, shell_words, talk};
use crate::kit::{name, slot};

const SLOT: &str = "1/1/ann-first/1";

fn fingerprint(player: &Seated) -> String {
    player.public()["fingerprint"].as_str().expect("a fingerprint").to_owned()
}

/// Somebody with a key, whom nobody knows.
fn stranger(table: &Match) -> Seated {
    let stranger = Seated::at(table.dir.join("stranger"));
    stranger.does(&["key", "new", "--no-passphrase"]);
    stranger.does(&["key", "backup"]);
    stranger
}

#[test]
fn proposals_of_strangers_stand_in_no_commands_way() {
    let table = Match::begun("play-offers-strangers", |terms| terms);
    let bob = &table.bob;
    let stranger = stranger(&table);
    for more in ["", FORFEIT] {
        let terms = table.terms(|terms| terms + more);
        bob.reads(&stranger.signs(&["game", "new", &terms]));
    }
    let status = bob.status();
    assert!(status["name"] == "our-campaign" && !status.to_string().contains("--game"), "{status}");
    bob.signs(&["seal", "foul-up"]);
    let told = bob.run(&["game", "status"], "");
    assert!(talk(&told).contains("2 proposals from other people"), "{}", talk(&told));
    // Which is whose, and which is which.
    let listed = bob.does(&["game", "list"]);
    let ids: Vec<&str> =
        listed.lines().filter_map(|line| line.split_once("proposed (terms ")).map(|(_, id)| id).collect();
    assert!(ids.len() == 2 && ids[0] != ids[1], "{listed}");
    // What is accepted is said, and both commands work.
    let asked = bob.run(&["game", "accept", "--yes"], "");
    assert_eq!((asked.status.code(), out(&asked)), (Some(2), String::new()), "{}", talk(&asked));
    let commands: Vec<String> =
        talk(&asked).lines().filter_map(|line| Some(line[line.find("sealed-dice --home")?..].to_owned())).collect();
    assert_eq!(commands.len(), 2, "{}", talk(&asked));
    for command in commands {
        table.try_out(bob, &command);
    }
}

#[test]
fn a_withdrawal_counts_whenever_it_comes() {
    let table = Match::seated("play-offers-early");
    let terms = table.terms(|terms| terms);
    let proposed = table.ann.signs(&["game", "new", &terms]);
    let withdrawal = table.ann.signs(&["game", "withdraw"]);
    let [first, last] = [format!("{withdrawal}\n{proposed}"), format!("{proposed}\n{withdrawal}")];
    for (n, mails) in [vec![&first], vec![&last], vec![&withdrawal, &proposed]].into_iter().enumerate() {
        let table = table.copied(&n.to_string());
        mails.iter().for_each(|mail| drop(table.bob.reads(mail)));
        let why = table.bob.is_refused(&["game", "accept", "--fingerprint", &fingerprint(&table.ann), "--yes"]);
        assert!(why.contains("ann has withdrawn these terms"), "{n}: {why}");
    }
    // A stranger's counts for nothing.
    let stranger = stranger(&table);
    stranger.signs(&["game", "new", &terms]);
    table.bob.reads(&stranger.signs(&["game", "withdraw"]));
    table.bob.reads(&proposed);
    table.bob.signs(&["game", "accept", "--fingerprint", &fingerprint(&table.ann)]);
}

#[test]
fn a_withdrawal_that_comes_too_late_says_so_to_both() {
    let table = Match::seated("play-offers-late");
    let (ann, bob) = (&table.ann, &table.bob);
    let terms = table.terms(|terms| terms);
    bob.reads(&ann.signs(&["game", "new", &terms]));
    let withdrawal = ann.signs(&["game", "withdraw"]);
    let accepted = bob.signs(&["game", "accept", "--fingerprint", &fingerprint(ann)]);
    for (player, mail, whose) in [(ann, &accepted, "you have withdrawn"), (bob, &withdrawal, "ann has withdrawn")] {
        let told = player.reads(mail);
        assert!(told.contains(&format!("{whose} these terms, but too late")) && told.contains("game close"), "{told}");
    }
    bob.reads(&ann.signs(&["reply"]));
    assert!([ann, bob].iter().all(|player| !player.status()["notes"].to_string().contains("too late")));
}

#[test]
fn titles_become_folders_that_windows_can_have() {
    let table = Match::seated("play-offers-names");
    let titles = [
        ("CON", "game-con"),
        ("nul. ", "game-nul"),
        ("Com1", "game-com1"),
        ("com10", "com10"),
        ("aux...", "game-aux"),
        ("-q", "q"),
        ("--yes", "yes"),
        ("...", "game"),
        ("a title that is cut off behind its words so", "a-title-that-is-cut-off-behind-its-words"),
    ];
    for (title, folder) in titles {
        let terms = table.terms(|terms| terms.replace("\"Our campaign\"", &json!(title).to_string()));
        table.ann.signs(&["game", "new", &terms]);
        assert!(table.ann.home.join("games").join(folder).join("letters").is_dir(), "{title}");
    }
    for (said, blank) in [("title = \"Our campaign\"", "title = \" \""), ("name = \"Bob\"", "name = \"\u{200b} \"")] {
        let terms = table.terms(|terms| terms.replace(said, blank));
        let why = table.ann.is_refused(&["game", "new", &terms, "--yes"]);
        assert!(why.contains("is blank"), "{why}");
    }
}

#[test]
fn printed_paths_can_be_typed() {
    let table = Match::begun("play-offers-paths", |terms| terms);
    let bad = table.bob.forges(|_, _, _| {
        Body::Decide(Decide { after: None, name: name("nonsense"), slot: slot(SLOT), value: "anything".into() })
    });
    table.ann.reads(&bad);
    let notes = table.ann.status()["notes"].to_string();
    let notes: String = serde_json::from_str::<Vec<String>>(&notes).expect("a list").join("\n");
    let command = notes.split_once('`').and_then(|(_, rest)| rest.split_once('`')).expect("a command").0;
    let words = shell_words(command);
    assert_eq!(words[1..], ["audit".to_owned(), table.ann.letters().display().to_string()], "{command}");
    // A home that looks like an option.
    let home = table.dir.join("-q");
    super::copy_folder(&table.ann.home, &home);
    let mut shown = Command::new(env!("CARGO_BIN_EXE_sealed-dice"));
    shown.env("SEALED_DICE_STATE", home.join("machine")).current_dir(&table.dir);
    let shown = shown.args(["--home=-q", "game", "status"]).output().expect("it runs");
    assert!(!out(&shown).contains("--home -q"), "{}{}", out(&shown), talk(&shown));
    assert!(out(&shown).contains("--home ./-q"), "{}{}", out(&shown), talk(&shown));
}
