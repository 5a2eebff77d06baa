//! Questions what the others hold: they are answered, and change nothing in a game. And claims of silence where nothing is
//! owed.

use serde_json::{Value, json};

use super::{Match, Seated, copy_folder, roads::Refereed};

const ANNS: &str = "1/1/ann-first/1";
const BOBS: &str = "1/3/bob-first/1";

fn lines(player: &Seated, field: &str) -> Vec<String> {
    let status = player.status();
    let lines = status[field].as_array().expect("a list").iter();
    lines.map(|line| line.as_str().expect("a line").to_owned()).collect()
}

fn says(player: &Seated, field: &str, words: &str) -> bool {
    lines(player, field).iter().any(|line| line.contains(words))
}

/// Bob's second machine asks, and his first one plays on: what it signs is opened as ever, and nobody signs anything again.
#[test]
fn letters_that_do_not_know_of_a_question_count() {
    let table = Match::begun("asks-unknown", |terms| terms);
    let (ann, bob) = (&table.ann, &table.bob);
    let second = Seated::at(table.dir.join("bob's second machine"));
    copy_folder(&bob.home, &second.home);
    let ask = table.posts(&second, &["game", "resync"]);
    ann.reads(&ask);
    assert!(says(ann, "notes", "bob asks which letters you hold"), "{}", ann.status());
    assert!(says(ann, "commands", " reply"), "{}", ann.status());
    let answer = table.posts(ann, &["reply"]);
    assert!(!says(ann, "commands", " reply"), "{}", ann.status());

    table.mail(bob, &["declare", BOBS, &table.path("ATTACKS.csv"), "--no-moves", "--skip"]);
    let opened = table.mail(ann, &["reply"]);
    assert!(opened.contains("d6 = "), "{opened}");
    second.reads(&answer);
    assert_eq!(second.status()["blocked"], Value::Null, "{}", second.status());
    let report = table.closes();
    assert_eq!((&report["verdict"], &report["complete"]), (&json!("verified"), &json!(true)), "{report}");
    assert_eq!(report["findings"], json!([]), "{report}");
}

/// A question that comes beside a proposal is answered without it, for its asker waits; and with it, too.
#[test]
fn beside_a_proposal_a_question_is_answered() {
    let table = Match::begun("asks-beside", |terms| terms);
    table.mail(&table.ann, &["declare", ANNS, &table.path("ATTACKS.csv"), "--no-moves"]);
    table.mail(&table.bob, &["reply"]);
    table.mail(&table.bob, &["correct", "void", ANNS, "--reason", "the bridge was down"]);
    table.ann.reads(&table.posts(&table.bob, &["game", "resync"]));
    assert!(says(&table.ann, "commands", " reply"), "{}", table.ann.status());
    table.look_at(&table.ann, |copy| assert!(!says(copy, "commands", " reply"), "{}", copy.status()));
    table.bob.reads(&table.posts(&table.ann, &["reply"]));
    assert!(says(&table.ann, "commands", " correct accept"), "{}", table.ann.status());
}

const DEADLINES: &str = "
[[deadlines]]
step = \"reveal\"
days = 30
forfeit = \"declarer-names\"

[[deadlines]]
step = \"answer\"
days = 30
forfeit = \"game\"

[[deadlines]]
step = \"declare\"
days = 30
forfeit = \"game\"
";

/// A claim of silence where the accused owes nothing, while Ann is to move and after the game: all three are told, and the
/// referee can only dismiss it.
#[test]
fn a_stall_where_nothing_is_owed_is_dismissed() {
    let game = Refereed::begun("asks-nothing-owed", DEADLINES);
    let (ann, bob, carol) = (&game.table.ann, &game.table.bob, &game.carol);
    let falsely = |args: &[&str]| {
        game.mail(ann, args);
        let claim = game.offered("rule dismiss");
        let offered = [lines(carol, "commands"), lines(carol, "waits_for")].concat();
        assert_eq!(offered.len(), 1, "{offered:?}");
        assert!(says(carol, "notes", "bob does not owe what the claim asks for"), "{}", carol.status());
        let refused = carol.is_refused(&["rule", "request", &claim, "--yes"]);
        assert!(
            refused.contains("bob does not owe what the claim asks for") && refused.contains("rule dismiss"),
            "{refused}"
        );
        assert!(says(ann, "notes", "the referee can only dismiss it"), "{}", ann.status());
        assert!(says(ann, "notes", "dispute withdraw"), "{}", ann.status());
        let waits = lines(bob, "waits_for");
        assert!(waits.iter().any(|line| line.contains("ref dismisses or ann withdraws the claim")), "{waits:?}");
        assert!(says(bob, "notes", "a claim that bob stalls"), "{}", bob.status());
        game.table.try_out(carol, &lines(carol, "commands")[0]);
        claim
    };
    let claim = falsely(&["dispute", "stall"]);
    game.mail(carol, &["rule", "dismiss", &claim]);
    let claim = falsely(&["dispute", "stall", "--declaration"]);
    game.mail(carol, &["rule", "dismiss", &claim]);
    assert!(!says(bob, "waits_for", "withdraws the claim"), "{}", bob.status());

    // What is owed is asked for, and not once it is there.
    let attacks = game.table.path("ATTACKS.csv");
    game.mail(ann, &["declare", ANNS, &attacks, "--no-moves"]);
    game.mail(ann, &["dispute", "stall"]);
    assert!(
        says(bob, "commands", " reply") && says(bob, "notes", "any letter that you sign now ends it"),
        "{}",
        bob.status()
    );
    let claim = game.offered("rule request");
    game.mail(carol, &["rule", "request", &claim]);
    let request = game.offered("rule forfeit");
    game.mail(bob, &["reply"]);
    assert_eq!(lines(carol, "commands"), Vec::<String>::new());
    let late = carol.is_refused(&["rule", "forfeit", &request, "game", "--yes"]);
    assert!(late.contains("no longer open"), "{late}");

    // A declaration is due once it is Bob's turn, and not any more when both have stopped: no forfeit follows then.
    game.mail(ann, &["declare", "1/2/ann-second/1", &game.table.path("ROLLS.csv"), "--no-moves"]);
    game.mail(bob, &["reply"]);
    game.mail(ann, &["dispute", "stall", "--declaration"]);
    assert!(says(bob, "notes", "your next declaration ends it"), "{}", bob.status());
    let claim = game.offered("rule request");
    game.mail(carol, &["rule", "request", &claim]);
    let request = game.offered("rule forfeit");
    game.mail(ann, &["game", "close"]);
    game.mail(bob, &["game", "close"]);
    game.mail(ann, &["reply"]);
    assert_eq!(bob.status()["closed"], true);
    let refused = carol.is_refused(&["rule", "forfeit", &request, "game", "--yes"]);
    assert!(refused.contains("bob does not owe what the claim asks for"), "{refused}");
    assert_eq!(game.offered("rule dismiss"), claim);
    game.mail(carol, &["rule", "dismiss", &claim]);
    falsely(&["dispute", "stall"]);
    assert_eq!(lines(bob, "commands"), Vec::<String>::new());
}
