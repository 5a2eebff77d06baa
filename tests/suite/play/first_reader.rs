//! What somebody stumbled on who had nothing but README and the program.

use std::{
    fs::{self, File},
    time::{Duration, SystemTime},
};

use serde_json::json;

use super::{
    Match, Seated, out,
    roads::{FORFEIT, Refereed},
    talk,
};

const SLOT: &str = "1/1/ann-first/1";

fn text_of(value: &serde_json::Value) -> String {
    value.to_string()
}

/// What a command shows before it asks, where nobody is there to answer.
fn preview(player: &Seated, args: &[&str]) -> String {
    let output = player.run(args, "");
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(2), ""), "{args:?}: {}", talk(&output));
    talk(&output)
}

/// The referee asks, and the silent player has the days that the terms give him: no sooner is he told to go on.
#[test]
fn a_silent_player_has_his_days() {
    let game = Refereed::begun_with("first-days", |key| format!("deposit = \"{key}\"\n"), FORFEIT);
    let (ann, carol) = (&game.table.ann, &game.carol);
    game.mail(carol, &["reply"]);
    game.mail(ann, &["declare", SLOT, &game.table.path("ATTACKS.csv"), "--no-moves"]);
    game.mail(ann, &["dispute", "stall", SLOT]);
    game.mail(carol, &["rule", "request", &game.offered("rule request")]);
    let status = carol.status();
    assert_eq!(status["commands"], json!([]), "{status}");
    let waits = text_of(&status["waits_for"]);
    assert!(waits.contains("give bob 30 days from your request") && waits.contains("for 0 days"), "{waits}");
    let request = game.offered("rule open");
    let shown = preview(carol, &["rule", "open", &request]);
    assert!(shown.contains("this seems TOO EARLY: the terms give bob 30 days"), "{shown}");
    // The letters of forty days ago.
    for letter in fs::read_dir(carol.letters()).expect("letters") {
        let letter = File::options().write(true).open(letter.expect("a letter").path()).expect("a letter");
        let then = SystemTime::now() - Duration::from_secs(40 * 86_400);
        letter.set_modified(then).expect("the file system has dates");
    }
    let status = carol.status();
    assert!(text_of(&status["commands"]).contains("rule open"), "{status}");
    let opened = carol.run(&["rule", "open", &request, "--yes"], "");
    assert_eq!(opened.status.code(), Some(0), "{}", talk(&opened));
    assert!(!talk(&opened).contains("TOO EARLY"), "{}", talk(&opened));
}

/// How the game ended stands in what is shown before a close is signed, by both.
#[test]
fn a_result_is_shown_before_it_is_signed() {
    let table = Match::begun("first-result", |terms| terms);
    let close = ["game", "close", "--result", "Ann holds the bridge"];
    assert!(preview(&table.ann, &close).contains("result: “Ann holds the bridge”"));
    let told = table.mail(&table.ann, &close);
    assert!(told.contains("stop: the game ends here; result: “Ann holds the bridge”"), "{told}");
    let shown = preview(&table.bob, &["reply"]);
    assert!(shown.contains("ann closed the game with this result: “Ann holds the bridge”"), "{shown}");
}

/// The referee's fingerprint stands beside the opponent's, and it is said which of them was compared.
#[test]
fn the_fingerprint_of_the_referee_is_compared() {
    let table = Match::seated("first-compared");
    let carol = Seated::at(table.dir.join("carol"));
    carol.does(&["key", "new", "--no-passphrase"]);
    let hers = carol.public()["fingerprint"].as_str().expect("a fingerprint").to_owned();
    let anns = table.ann.public()["fingerprint"].as_str().expect("a fingerprint").to_owned();
    let written = format!("fingerprint = \"{}\"\n", &hers[..24]);
    let terms = super::roads::refereed_terms(&table, &carol, "double-impulse", |_| written, |terms| terms);
    let wrong = table.ann.is_refused(&["game", "new", &terms, "--yes"]);
    assert!(wrong.contains("does not match the key above"), "{wrong}");
    let terms = super::roads::refereed_terms(
        &table,
        &carol,
        "double-impulse",
        |_| format!("fingerprint = \"{hers}\"\n"),
        |terms| terms,
    );
    let shown = preview(&table.ann, &["game", "new", &terms]);
    assert!(shown.contains(&format!("you have compared the key of Carol (ref), {hers}")), "{shown}");
    let proposed = table.ann.signs(&["game", "new", &terms]);
    carol.reads(&proposed);
    table.bob.reads(&proposed);
    table.bob.reads(&carol.signs(&["game", "accept"]));
    let shown = preview(&table.bob, &["game", "accept", "--fingerprint", &anns]);
    assert!(shown.contains(&format!("you have compared the key of Ann (ann), {anns}")), "{shown}");
    assert!(shown.contains(&format!("NOT COMPARED: the key of Carol (ref), {hers}")), "{shown}");
    table.bob.signs(&["game", "accept", "--fingerprint", &anns]);
    let keys = |player: &Seated| player.status()["keys"].to_string();
    assert!(keys(&table.bob).contains(&format!("Carol (ref), {hers}, not compared")), "{}", keys(&table.bob));
    table.bob.does(&["key", "compared", &hers]);
    let told = table.bob.does(&["game", "status"]);
    assert!(told.contains("keys:\n") && told.contains(&format!("Carol (ref), {hers}, compared")), "{told}");
    assert!(keys(&table.ann).contains(&format!("Carol (ref), {hers}, compared")), "{}", keys(&table.ann));
}

/// What can be refused without a key is refused before the passphrase is asked for.
#[test]
fn a_refusal_costs_no_passphrase() {
    let table = Match::seated("first-passphrase");
    let bob = Seated::at(table.dir.join("locked"));
    let secret = table.file("passphrase.txt", "four words or more\n");
    bob.does(&["key", "new", "--passphrase-file", &secret]);
    bob.does(&["key", "backup", "--passphrase-file", &secret]);
    let his = bob.public();
    let terms = table.terms(|terms| {
        let old = table.bob.public();
        let put = |text: String, field: &str| {
            text.replace(old[field].as_str().expect("a text"), his[field].as_str().expect("a text"))
        };
        put(put(terms, "public"), "fingerprint")
    });
    bob.reads(&table.ann.signs(&["game", "new", &terms]));
    let nowhere = table.path("no such passphrase");
    let refused = |args: &[&str], why: &str| {
        let yes: &[&str] = if args[0] == "key" { &[] } else { &["--yes"] };
        let output = bob.run(&[args, yes, &["--passphrase-file", &nowhere]].concat(), "");
        assert!(talk(&output).contains(why), "{args:?}: {}", talk(&output));
    };
    let taken = table.file("taken.txt", "a poem");
    refused(&["game", "accept", "--out", &taken], "exists already");
    refused(&["key", "backup", "--out", &taken], "nothing is overwritten");
    table.ann.reads(&bob.signs(&["game", "accept", "--passphrase-file", &secret]));
    bob.reads(&table.ann.signs(&["reply"]));
    let attacks = table.path("ATTACKS.csv");
    refused(&["declare", SLOT, &attacks, "--no-moves"], "you do not declare 1/1/");
    refused(&["declare", "1/3/bob-first/1", &attacks, "--skip"], "say what moved");
    refused(&["declare", "1/3/bob-first/1", &attacks, "--no-moves", "--out", &taken, "--skip"], "exists already");
    refused(
        &["correct", "propose", SLOT, "--class", "illegal-move", "--at-fault", "ann", "--reason", "x"],
        "has not been validly declared",
    );
    refused(&["dispute", "raise", "ffffffff", "--text", "x"], "no letter in this game");
    refused(&["seal", "1/1/nobody/1"], "you do not seal envelopes for");
    refused(&["note", "1/1/nobody/1", "orders", &attacks], "is not a slot in this game");
    refused(&["rule", "kill", "ffffffff"], "only the referee");
    refused(&["declare", "1/3/bob-first/1", &attacks, "--no-moves", "--skip"], "no such passphrase");
}

/// With several games, the one that a verb can be about needs no name; what is typed twice goes nowhere else.
#[test]
fn the_only_game_that_waits_is_meant() {
    let table = Match::begun("first-games", |terms| terms);
    let second = table.terms(|terms| {
        terms.replace("title = \"Our campaign\"", "title = \"The desert\"").replace("ann-first", "desert-first")
    });
    let proposed = table.ann.signs(&["game", "new", &second]);
    table.bob.reads(&proposed);
    let says = |player: &Seated, args: &[&str], game: &str| {
        let output = player.run(&[args, &["--yes"]].concat(), "");
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", talk(&output));
        assert!(talk(&output).contains(&format!("{game}: the only one of your games")), "{}", talk(&output));
        out(&output)
    };
    // Anybody can propose: what somebody else does is named.
    let accepted = table.bob.signs(&["game", "accept", "--game", "the-desert"]);
    table.ann.reads(&accepted);
    let sealed = says(&table.ann, &["reply"], "the-desert");
    table.bob.reads(&sealed);
    let attacks = table.path("ATTACKS.csv");
    // Only what is declared is never guessed: in the wrong game it could not be taken back.
    let declare = ["declare", "1/1/desert-first/1", &attacks, "--no-moves"];
    let asked = table.ann.run(&[&declare[..], &["--yes"]].concat(), "");
    assert_eq!((asked.status.code(), out(&asked)), (Some(2), String::new()), "{}", talk(&asked));
    for game in
        ["--game our-campaign: \"Our campaign\"", "--game the-desert: \"The desert\", you are ann, with Bob (bob), id "]
    {
        assert!(talk(&asked).contains(game), "{game}: {}", talk(&asked));
    }
    let declared = table.ann.signs(&[&declare[..], &["--game", "the-desert"]].concat());
    assert!(declared.contains("1/1/desert-first/1 is declared"), "{declared}");
    // Both games have this one.
    let both = table.ann.run(&["game", "close", "--yes"], "");
    assert_eq!(both.status.code(), Some(2));
    let named = ["say which one you mean:", "--game our-campaign: ", "--game the-desert: "];
    assert!(named.iter().all(|part| talk(&both).contains(part)), "{}", talk(&both));
    let stats = table.ann.does(&["stats", "--game", "the-desert"]);
    assert!(stats.contains("The desert"), "{stats}");
    assert!(table.ann.does(&["audit", "--game", "our-campaign"]).contains("Our campaign"));
    assert!(talk(&table.ann.run(&["stats", "--game", "nothing"], "")).contains("you do not have a game \"nothing\""));
}

/// A declaration brings along what it makes due itself: the envelopes of the turn that it brings nearer.
#[test]
fn nothing_is_owed_after_a_declaration() {
    let table = Match::begun("first-owed", |terms| terms);
    let attacks = table.path("ATTACKS.csv");
    for (turn, next) in [("1", "1/2/ann-second/1"), ("2", "2/2/ann-second/1"), ("3", "3/2/ann-second/1")] {
        let slot = format!("{turn}/1/ann-first/1");
        table.mail(&table.ann, &["declare", &slot, &attacks, "--no-moves", "--skip"]);
        let named = table.ann.status()["also"].clone();
        assert!(named[0].as_str().is_some_and(|command| command.contains(&format!("declare {next} "))), "{named}");
        table.mail(&table.bob, &["reply"]);
    }
}

/// Words that say what to do.
#[test]
fn words_say_what_to_do() {
    let table = Match::begun("first-words", |terms| terms);
    let attacks = table.path("ATTACKS.csv");
    let refused = table.ann.is_refused(&["declare", "1/3/bob-first/1", &attacks, "--no-moves", "--yes", "--skip"]);
    assert!(
        refused.contains("your slots are TURN/1/ann-first/1, TURN/2/ann-second/1; the next one is 1/1/ann-first/1"),
        "{refused}"
    );
    let one = table.file("one.csv", "hexes,odds\nF12,3-1\n");
    let mail = table.posts(&table.ann, &["declare", SLOT, &one, "--no-moves"]);
    assert!(mail.contains("1 attack, total"), "{mail}");
    let (begin, end) = (mail.find("-----BEGIN").expect("a letter"), mail.len());
    let line = begin + mail[begin..end].find('\n').expect("a line") + 101;
    let damaged =
        format!("{}{}{}", &mail[..line], if &mail[line..=line] == "A" { "B" } else { "A" }, &mail[line + 1..]);
    let told = out(&table.bob.run(&["read", "-"], &damaged));
    assert!(told.contains("damaged in transit") && told.contains("ask for it again"), "{told}");
    // The terms in which a key has a digit wrong.
    let key = table.bob.public()["public"].as_str().expect("a key").to_owned();
    let last = if key.ends_with('0') { "1" } else { "0" };
    let mut wrong = false;
    for at in 0..8 {
        let mistyped = format!("{}{last}{}", &key[..at], &key[at + 1..]);
        let terms =
            table.terms(|terms| terms.replace(&key, &mistyped).replace("fingerprint = \"", "fingerprint = \"\" # "));
        let output = table.ann.run(&["game", "new", &terms], "");
        assert!(!talk(&output).contains("prime order"), "{}", talk(&output));
        wrong |= talk(&output).contains("copy the whole key again");
    }
    assert!(wrong);
    let letters = table.ann.letters();
    let some = table.dir.join("some letters");
    super::copy_folder(&letters, &some);
    let terms = fs::read_dir(&some).expect("letters").map(|entry| entry.expect("a letter").path());
    terms
        .filter(|path| path.to_string_lossy().contains("charter"))
        .for_each(|path| fs::remove_file(path).expect("a letter"));
    let told = out(&table.ann.run(&["audit", some.to_str().expect("a path")], ""));
    assert!(told.contains("the terms or their acceptance are missing"), "{told}");
}
