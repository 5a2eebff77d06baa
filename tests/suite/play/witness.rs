//! A time witness: an office that keeps the time, holds no keys, and cannot open anything, as three people meet it who type
//! what their statuses name.

use std::collections::BTreeSet;

use sealed_dice::blob::{Body, Keys, Verified, armour, office::Receipt};
use serde_json::{Value, json};

use super::{Match, Seated, audits, copy_folder};
#[cfg(feature = "postgres")]
use super::{out, talk};
#[cfg(feature = "postgres")]
use crate::office::world::Premises;

const FIRST: &str = "1/1/ann-first/1";
const PLAIN: &str = "keeps the time, holds no keys, and cannot open anything";

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

    /// How often the office has told the time, in all mails: what others may not have it sends again.
    fn times(&self) -> usize {
        let mails = self.table.mails.borrow();
        let blobs = mails.iter().flat_map(|mail| armour::find(mail.as_bytes()));
        let letters = blobs.filter_map(|blob| Verified::open(&blob.frame.ok()?, &Keys::default()).ok());
        let told = letters.filter(|letter| matches!(letter.body(), Body::Receipt(Receipt::Time(_))));
        told.map(|letter| letter.id()).collect::<BTreeSet<_>>().len()
    }

    /// The first command of a verb that a status names, and its mail.
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
    game.mail(ann, &["reply"]);
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
    game.types(clock, " reply");
    assert_eq!(game.times(), 1);
    assert_eq!(clock.status()["commands"], json!([]), "{}", clock.status());
    game.types(bob, " reply");
    let report = of(ann);
    assert_eq!((&report["verdict"], report["rolls"].as_array().map(Vec::len)), (&json!("verified"), Some(3)));
    assert_eq!(clock.status()["commands"], json!([]), "a reveal is not stamped: {}", clock.status());

    // So are the next one, which Bob does not open, and the stall.
    game.mail(ann, &["declare", "1/2/ann-second/1", &game.table.path("ROLLS.csv"), "--no-moves"]);
    game.types(clock, " reply");
    assert_eq!(game.times(), 2);
    game.mail(ann, &["dispute", "stall", "1/2/ann-second/1", "--text", "six weeks"]);
    game.types(clock, " reply");
    assert_eq!(game.times(), 3);
    assert_eq!(clock.status()["commands"], json!([]), "{}", clock.status());
    game.mail(bob, &["reply"]);
    let report = of(bob);
    assert_eq!((&report["verdict"], &report["findings"]), (&json!("verified"), &json!([])), "{report}");

    // It comes back from a copy of its folder, and its epoch kills nothing.
    let refused = clock.is_refused(&["game", "resync", "--yes"]);
    assert!(refused.contains("nothing was restored"), "{refused}");
    let machine = game.table.dir.join("second machine");
    let restored = Seated { machine, ..Seated::at(game.table.dir.join("restored")) };
    copy_folder(&clock.home, &restored.home);
    let status = restored.status();
    assert!(status["commands"].to_string().contains("game resync"), "{status}");
    assert!(!status["blocked"].to_string().contains("sets that were sealed"), "{status}");
    let began = game.mail(&restored, &["game", "resync"]);
    assert!(began.contains("a new epoch begins"), "{began}");
    game.mail(bob, &["declare", "1/3/bob-first/1", &attacks, "--no-moves"]);
    game.mail(ann, &["reply"]);
    let report = of(bob);
    assert_eq!((&report["verdict"], &report["findings"]), (&json!("verified"), &json!([])), "{report}");
}

/// An office that serves holds the keys of one game, and is a time witness in another.
#[cfg(feature = "postgres")]
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

    let declared = ann.run(&["declare", FIRST, &table.path("ATTACKS.csv"), "--no-moves", "--office", "--yes"], "");
    assert!(out(&declared).contains("the time is") && !talk(&declared).contains("does not open"), "{declared:?}");
    bob.does(&["office", "pull"]);
    bob.signs(&["reply"]);
    bob.does(&["office", "push"]);
    ann.does(&["office", "pull"]);
    let report = of(ann);
    assert_eq!((&report["verdict"], report["rolls"].as_array().map(Vec::len)), (&json!("verified"), Some(3)));
}
