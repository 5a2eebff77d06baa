//! A time witness: an office that keeps the time, holds no keys, and can look at nothing, as three people meet it who type
//! what their statuses name.

use sealed_dice::blob::{Body, Keys, Verified, armour, office::Receipt};
use serde_json::{Value, json};

use super::{Match, Seated, audits};
#[cfg(feature = "office")]
use super::{out, talk};
#[cfg(feature = "office")]
use crate::office::world::Premises;

const FIRST: &str = "1/1/ann-first/1";
const PLAIN: &str = "keeps the time, holds no keys, and can look at nothing";

/// A game whose office is at a third machine, and gets every mail.
struct Witnessed {
    table: Match,
    clock: Seated,
}

impl Witnessed {
    /// A command whose mail the others read.
    fn mail(&self, from: &Seated, args: &[&str]) -> String {
        let mail = self.table.posts(from, args);
        for reader in [&self.table.ann, &self.table.bob, &self.clock] {
            if reader.home != from.home {
                reader.reads(&mail);
            }
        }
        mail
    }

    /// The only command that a status names, and its mail.
    fn types(&self, who: &Seated, verb: &str) -> String {
        let status = who.status();
        let command = status["commands"].as_array().expect("a list").iter().find_map(|command| {
            let command = command.as_str().expect("a command");
            command.contains(verb).then(|| command.to_owned())
        });
        let command = command.unwrap_or_else(|| panic!("no {verb}: {status}"));
        let words = self.table.typed(who, &command);
        self.mail(who, &words.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

/// The times in a mail.
fn times(mail: &str) -> usize {
    let blobs = armour::find(mail.as_bytes());
    let letters = blobs.iter().filter_map(|blob| Verified::open(blob.frame.as_ref().ok()?, &Keys::default()).ok());
    letters.filter(|letter| matches!(letter.body(), Body::Receipt(Receipt::Time(_)))).count()
}

/// What both checkers find in a player's folder.
fn of(player: &Seated) -> Value {
    let [ours, theirs] = audits(&player.letters());
    assert_eq!(ours, theirs);
    ours[0].clone()
}

#[test]
fn a_time_witness_stamps_and_holds_nothing() {
    let table = Match::seated("play-witness");
    let clock = Seated::at(table.dir.join("clock"));
    clock.does(&["key", "new", "--no-passphrase"]);
    let key = clock.public()["public"].as_str().expect("a key").to_owned();
    let office = format!("[office]\nrole = \"clock\"\nname = \"The clock\"\nkey = \"{key}\"\n\n[opponent]");
    let terms = table.terms(|text| text.replacen("[opponent]", &office, 1));
    let game = Witnessed { table, clock };
    let (ann, bob, clock) = (&game.table.ann, &game.table.bob, &game.clock);

    // The terms say what it is, before anybody signs.
    let shown = ann.run(&["game", "new", &terms], "");
    assert!(super::talk(&shown).contains(PLAIN), "{}", super::talk(&shown));
    game.mail(ann, &["game", "new", &terms]);
    for who in [ann, bob, clock] {
        let (status, terms) = (who.status(), who.does(&["game", "terms"]));
        assert!(status["notes"].to_string().contains(PLAIN) && terms.contains(PLAIN), "{status} {terms}");
    }
    game.types(clock, " game accept");
    game.types(bob, " game accept");
    game.types(ann, " reply");
    assert!(clock.status()["notes"].to_string().contains(PLAIN), "{}", clock.status());
    // What is sealed makes nothing due from it, and is wrapped for nobody.
    assert_eq!(clock.status()["commands"], json!([]), "{}", clock.status());
    assert!(!ann.status()["notes"].to_string().contains("not confirmed"), "{}", ann.status());
    for mail in game.table.mails.borrow().iter() {
        assert!(!mail.contains("eyes"), "{mail}");
    }

    // A declaration is stamped once, and opened by its sealer.
    let attacks = game.table.path("ATTACKS.csv");
    game.mail(ann, &["declare", FIRST, &attacks, "--moves", "the 3rd crosses"]);
    assert_eq!(times(&game.types(clock, " reply")), 1);
    assert_eq!(clock.status()["commands"], json!([]), "{}", clock.status());
    game.types(bob, " reply");
    let report = of(ann);
    assert_eq!((&report["verdict"], report["rolls"].as_array().map(Vec::len)), (&json!("verified"), Some(3)));
    assert_eq!(clock.status()["commands"], json!([]), "a reveal is not stamped: {}", clock.status());

    // So are the next one, which Bob does not open, and the stall.
    game.mail(ann, &["declare", "1/2/ann-second/1", &game.table.path("ROLLS.csv"), "--no-moves"]);
    assert_eq!(times(&game.types(clock, " reply")), 1);
    game.mail(ann, &["dispute", "stall", "1/2/ann-second/1", "--text", "six weeks"]);
    assert_eq!(times(&game.types(clock, " reply")), 1);
    assert_eq!(clock.status()["commands"], json!([]), "{}", clock.status());
    game.types(bob, " reply");
    let report = of(bob);
    assert_eq!((&report["verdict"], &report["findings"]), (&json!("verified"), &json!([])), "{report}");

    // Its epoch, where its machine comes back, kills nothing.
    let refused = clock.is_refused(&["game", "resync", "--yes"]);
    assert!(refused.contains("nothing was restored"), "{refused}");
}

/// An office that serves holds the keys of one game, and is a time witness in another.
#[cfg(feature = "office")]
#[test]
fn an_office_that_serves_is_a_time_witness_where_the_terms_say_so() {
    let premises = Premises::made("witness-premises", None);
    let office = premises.serve();
    let table = Match::seated("play-witness-posted");
    let (ann, bob) = (&table.ann, &table.bob);
    let card = ann.does(&["office", "card", &office.url, "--witness"]);
    assert!(card.contains(PLAIN) && !card.contains("deposit"), "{card}");
    let terms = table.terms(|text| text.replacen("[opponent]", &(card + "\n[opponent]"), 1));
    ann.signs(&["game", "new", &terms]);
    for player in [ann, bob] {
        player.does(&["office", "join", &office.url]);
    }
    bob.signs(&["game", "accept"]);
    bob.does(&["office", "push"]);
    ann.does(&["office", "pull"]);
    ann.signs(&["reply"]);
    ann.does(&["office", "push"]);
    bob.does(&["office", "pull"]);
    let none = bob.run(&["office", "deposit", "--yes"], "");
    assert!(talk(&none).contains("nothing is deposited with it"), "{}", talk(&none));

    let declared = ann.run(&["declare", FIRST, &table.path("ATTACKS.csv"), "--no-moves", "--office", "--yes"], "");
    assert!(out(&declared).contains("the time is") && !talk(&declared).contains("does not open"), "{declared:?}");
    bob.does(&["office", "pull"]);
    bob.signs(&["reply"]);
    bob.does(&["office", "push"]);
    ann.does(&["office", "pull"]);
    let report = of(ann);
    assert_eq!((&report["verdict"], report["rolls"].as_array().map(Vec::len)), (&json!("verified"), Some(3)));
}
