//! What is no breach, and what a player should know before signing or when reading.

use serde_json::Value;

use super::{Match, Seated, roads::FORFEIT, talk};

/// A list of the same phase that rolls again for the same, when the dice of the first are known: no rule forbids it, and both
/// players and every auditor are told.
#[test]
fn a_list_that_rolls_again_is_pointed_out() {
    let table = Match::begun("play-rolled-again", |terms| terms);
    let rolls = |name: &str, why: &str, cell: &str| table.file(name, &format!("why,cell\n{why},{cell}\n"));
    let first = rolls("first.csv", "the bridge", "A1");
    table.mail(&table.ann, &["declare", "1/2/ann-second/1", &first, "--no-moves", "--skip"]);
    table.mail(&table.bob, &["reply"]);
    let second = rolls("second.csv", "the mill", "A2");
    let told = table.mail(&table.ann, &["declare", "1/2/ann-second/2", &second, "--no-moves"]);
    assert!(!told.contains("both roll for"), "{told}");
    table.mail(&table.bob, &["reply"]);
    let third = rolls("third.csv", "the bridge", "A3");
    let told = table.mail(&table.ann, &["declare", "1/2/ann-second/3", &third, "--no-moves"]);
    let known =
        "note: ann declared 1/2/ann-second/3 knowing the dice of 1/2/ann-second/1, and both roll for the bridge";
    assert!(told.contains(known), "read: {told}");
    for player in [&table.ann, &table.bob] {
        assert!(player.status()["notes"].to_string().contains(known), "{}", player.status());
    }
    let letters = table.bob.letters();
    let report = table.bob.does(&["audit", letters.to_str().expect("a path")]);
    assert!(report.starts_with("verified") && report.contains(known), "{report}");
}

/// A referee or an office who holds keys: whoever signs the terms reads what that means.
#[test]
fn who_holds_keys_and_declares_can_choose_the_dice_and_the_terms_say_so() {
    for role in ["referee", "office"] {
        let table = Match::seated(&format!("play-who-chooses-{role}"));
        let carol = Seated::at(table.dir.join("carol"));
        carol.does(&["key", "new", "--no-passphrase"]);
        let (key, deposit) = (carol.public()["public"].clone(), carol.does(&["key", "show", "--deposit", "--json"]));
        let deposit = serde_json::from_str::<Value>(&deposit).expect("JSON")["deposit"].clone();
        let notes = if role == "office" { "deposit_notes = true\n" } else { "" };
        let third = format!(
            "[{role}]\nrole = \"carol\"\nname = \"Carol\"\nkey = {key}\ndeposit = {deposit}\n{notes}\n[opponent]"
        );
        let terms = table.terms(|text| text.replacen("[opponent]", &third, 1) + FORFEIT);
        let said = "together with the player who declares, carol can choose every die in the sets whose keys are deposited, and nobody can detect it";
        let asked = table.ann.run(&["game", "new", &terms], "");
        assert!(talk(&asked).contains(said), "{role}: {}", talk(&asked));
        carol.reads(&table.ann.signs(&["game", "new", &terms]));
        let asked = carol.run(&["game", "accept"], "");
        assert!(talk(&asked).contains(said), "{role}: {}", talk(&asked));
    }
}

/// Before the first game there is no key to compare, and no reason for alarm.
#[test]
fn a_fingerprint_before_the_first_game_is_kept_for_later() {
    let table = Match::seated("play-no-games");
    let theirs = table.bob.public()["fingerprint"].as_str().expect("a fingerprint").to_owned();
    let why = table.ann.is_refused(&["key", "compared", &theirs]);
    assert!(why.contains("no games yet") && !why.contains("another key"), "{why}");
}

/// The hash of a short file is signed without salt: whoever tries likely orders finds them.
#[test]
fn a_short_file_can_be_guessed_and_the_note_is_offered() {
    let table = Match::begun("play-guessed", |terms| terms);
    let (attacks, orders) = (table.path("ATTACKS.csv"), table.path("orders.txt"));
    let long = table.file("turn.vsav", &"x".repeat(5_000));
    let preview = |files: &[&str]| {
        let args = [&["declare", "1/1/ann-first/1", &attacks, "--files"], files].concat();
        talk(&table.ann.run(&args, ""))
    };
    let said = preview(&[&long, &orders]);
    assert!(
        said.contains("orders.txt is short")
            && said.contains("can guess it from its hash")
            && said.contains("--moves-note"),
        "{said}"
    );
    let said = preview(&[&long]);
    assert!(said.contains("moves in turn.vsav") && !said.contains("guess"), "{said}");
    let help = table.ann.does(&["declare", "--help"]);
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("A short file can be guessed from its hash") && help.contains("--moves-note"), "{help}");
}
