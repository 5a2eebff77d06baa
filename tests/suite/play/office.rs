//! An office that answers by mail: Ann plays on while Bob is away, and what becomes of his envelopes when the office is.

use serde_json::{Value, json};

use super::{Match, Seated};

const FIRST: &str = "1/1/ann-first/1";
const SECOND: &str = "1/2/ann-second/1";

/// A game with an office at a third machine.
struct Officed {
    table: Match,
    office: Seated,
}

impl Officed {
    fn begun(name: &str) -> Self {
        let table = Match::seated(name);
        let office = Seated::at(table.dir.join("office"));
        office.does(&["key", "new", "--no-passphrase"]);
        let terms = terms(&table, &office, &office);
        let game = Self { table, office };
        game.mail(&game.table.ann, &["game", "new", &terms]);
        let early = game.table.bob.is_refused(&["game", "accept", "--yes"]);
        assert!(early.contains("first The club accepts the terms"), "{early}");
        assert!(game.table.bob.status()["waits_for"].to_string().contains("The club accepts"));
        let shown = game.mail(&game.office, &["game", "accept"]);
        assert!(shown.contains("the terms are accepted"), "{shown}");
        game.mail(&game.table.bob, &["game", "accept"]);
        game.mail(&game.table.ann, &["reply"]);
        game
    }

    /// A command whose mail both others read.
    fn mail(&self, from: &Seated, args: &[&str]) -> String {
        self.mail_to(from, args, &[&self.table.ann, &self.table.bob, &self.office])
    }

    /// The same, read by some.
    fn mail_to(&self, from: &Seated, args: &[&str], to: &[&Seated]) -> String {
        let mail = self.table.posts(from, args);
        for reader in to.iter().filter(|reader| reader.home != from.home) {
            reader.reads(&mail);
        }
        mail
    }
}

/// The template with an office, and the deposit key of somebody.
fn terms(table: &Match, office: &Seated, deposits: &Seated) -> String {
    let key = office.public()["public"].as_str().expect("a key").to_owned();
    let shown: Value = serde_json::from_str(&deposits.does(&["key", "show", "--deposit", "--json"])).expect("JSON");
    let deposit = shown["deposit"].as_str().expect("a deposit key");
    let named = format!(
        "[office]\nrole = \"club\"\nname = \"The club\"\nkey = \"{key}\"\ndeposit = \"{deposit}\"\n\n[opponent]"
    );
    table.terms(|text| text.replacen("[opponent]", &named, 1))
}

#[test]
fn a_player_plays_on_while_the_other_is_away() {
    let game = Officed::begun("play-office");
    let (ann, bob, office) = (&game.table.ann, &game.table.bob, &game.office);
    let (attacks, rolls) = (game.table.path("ATTACKS.csv"), game.table.path("ROLLS.csv"));
    let notes = ann.status()["notes"].to_string();
    assert!(notes.contains("club has not confirmed yet") && notes.contains("their sealer opens by letter"), "{notes}");
    assert_eq!(office.status()["commands"].as_array().map(Vec::len), Some(1), "{}", office.status());
    let told = game.mail(office, &["reply"]);
    assert!(told.contains("are held, and were compared"), "{told}");
    assert!(!ann.status()["notes"].to_string().contains("not confirmed"), "{}", ann.status());

    // Bob reads nothing of this. Ann has the dice of her first impulse, and rolls for her second.
    let away = [ann, office];
    game.mail_to(ann, &["declare", FIRST, &attacks, "--moves", "the 3rd crosses"], &away);
    let opened = game.mail_to(office, &["reply"], &away);
    assert!(opened.contains("draw") || opened.contains("dice"), "{opened}");
    let again = office.does(&["reply", "--yes"]);
    assert!(again.contains("letter 3:") && !again.contains("letter 4:"), "the same letters again: {again}");
    game.mail_to(ann, &["declare", SECOND, &rolls, "--no-moves"], &away);
    game.mail_to(office, &["reply"], &away);
    let report = game.table.report();
    assert_eq!(report["verdict"], "verified", "{report}");
    let dice = report["rolls"].as_array().expect("rolls").len();
    assert!(dice > 3, "both impulses: {report}");

    // He comes back, reads it all, and owes none of it.
    for mail in game.table.mails.borrow().iter() {
        bob.reads(mail);
    }
    let owed = bob.status()["commands"].to_string();
    assert!(!owed.contains("reveal"), "{owed}");
    assert_eq!(bob.does(&["reveal", FIRST, "--yes"]), "", "it is opened");
    game.mail(bob, &["reply"]);
    game.mail(office, &["reply"]);

    // The office falls silent. What it alone opens Bob's tool does not, until Ann has given the office up.
    game.mail_to(ann, &["declare", "2/1/ann-first/1", &attacks, "--no-moves"], &[bob]);
    let refused = bob.is_refused(&["reveal", "2/1/ann-first/1", "--yes"]);
    assert!(refused.contains("reveal 1") && refused.contains("office"), "{refused}");
    assert!(ann.status()["waits_for"].to_string().contains("club"), "{}", ann.status());
    game.mail_to(ann, &["dispute", "stall", "2/1/ann-first/1", "--text", "the club is closed"], &[bob]);
    game.mail_to(bob, &["reply"], &[ann]);
    let report = game.table.report();
    assert_eq!(report["verdict"], "verified", "{report}");
    assert_eq!(report["rolls"].as_array().map(Vec::len), Some(dice + 3), "{report}");

    game.mail_to(ann, &["game", "close"], &[bob]);
    game.mail_to(bob, &["game", "close"], &[ann]);
    game.mail_to(ann, &["reply"], &[bob]);
    let report = game.table.report();
    assert_eq!((&report["verdict"], &report["complete"]), (&json!("verified"), &json!(true)), "{report}");
}

#[test]
fn a_deposit_key_that_is_not_the_offices_is_refused() {
    let table = Match::seated("play-office-key");
    let office = Seated::at(table.dir.join("office"));
    office.does(&["key", "new", "--no-passphrase"]);
    let terms = terms(&table, &office, &table.ann);
    office.reads(&table.ann.signs(&["game", "new", &terms]));
    let refused = office.is_refused(&["game", "accept", "--yes"]);
    assert!(refused.contains("the deposit key in the terms is not yours"), "{refused}");
}
