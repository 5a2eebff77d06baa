//! A question that was answered, and letters of the asker that do not know the answer: the player who may not follow them
//! owes nothing for them and plays on, and the asker's program signs again. And claims of silence where nothing is owed.

use std::fs;

use serde_json::{Value, json};

use super::{
    Match, Seated, copy_folder,
    hostile::{FOR_LETTERS, open},
    roads::Refereed,
};

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

/// Bob asks from a second machine, and Ann answers: the answer, which his first machine has not read.
fn answered(table: &Match) -> String {
    let second = Seated::at(table.dir.join("bob's second machine"));
    copy_folder(&table.bob.home, &second.home);
    let ask = second.signs(&["game", "resync"]);
    table.mails.borrow_mut().push(ask.clone());
    table.ann.reads(&ask);
    table.posts(&table.ann, &["reply"])
}

/// Ann may not follow what Bob has just signed: she owes nothing for it, is told whom she waits for, and signs whatever her
/// status names, and more.
fn is_unfollowed(table: &Match) {
    let ann = &table.ann;
    let waits = lines(ann, "waits_for");
    assert!(
        waits.iter().any(|line| line.contains("bob reads your answer") && line.contains("signs again")),
        "{waits:?}"
    );
    assert!(ann.status()["move_of"].to_string().contains("bob"), "{}", ann.status());
    assert_eq!(ann.status()["blocked"], Value::Null);
    for what in ["reveal", "correct", "close", "decide"] {
        assert!(!says(ann, "commands", &format!(" {what}")), "{}", ann.status());
    }
    table.look_at(ann, |_| ());
    // What Python counts as owed for that letter she neither signs nor is blamed for.
    let owed = open(&ann.letters(), "ann");
    assert!(!owed.iter().any(|what| what.starts_with("blamed")), "{owed:?}");
    let copy = Seated::at(table.dir.join("ann tries"));
    let _ = fs::remove_dir_all(&copy.home);
    copy_folder(&ann.home, &copy.home);
    copy.signs(&["seal", "foul-up"]);
    copy.signs(&["note", ANNS, "thoughts", &table.path("orders.txt")]);
}

/// Bob reads the answer, asks for himself, and signs again from what Ann says: his status names the command.
fn signs_again(table: &Match, answer: &str) {
    let (ann, bob) = (&table.ann, &table.bob);
    bob.reads(answer);
    assert!(says(bob, "commands", "game resync"), "{}", bob.status());
    ann.reads(&table.posts(bob, &["game", "resync"]));
    bob.reads(&table.posts(ann, &["reply"]));
    assert_eq!(bob.status()["blocked"], Value::Null);
    assert!(says(bob, "commands", " reply"), "{}", bob.status());
    assert!(says(bob, "notes", "ann has answered your question"), "{}", bob.status());
    is_unfollowed(table);
    table.mail(bob, &["reply"]);
    assert!(!says(&table.ann, "waits_for", "signs again"), "{}", table.ann.status());
    assert!(!says(bob, "notes", "has answered your question"), "{}", bob.status());
    table.look();
}

/// Nothing is owed any more that a letter would do, and the game comes to its end.
fn goes_on(table: &Match) {
    for (player, who) in [(&table.ann, "ann"), (&table.bob, "bob")] {
        let owed = open(&player.letters(), who);
        assert!(owed.iter().all(|what| !FOR_LETTERS.contains(&what.as_str())), "{who}: {owed:?}");
    }
    let report = table.closes();
    assert_eq!((&report["verdict"], &report["complete"]), (&json!("verified"), &json!(true)), "{report}");
    assert_eq!(report["findings"], json!([]), "{report}");
}

#[test]
fn a_declaration_that_does_not_know_the_answer_is_opened_once_its_author_signs_again() {
    let table = Match::begun("asks-declaration", |terms| terms);
    let answer = answered(&table);
    table.mail_unseen(&["declare", BOBS, &table.path("ATTACKS.csv"), "--no-moves", "--skip"]);
    is_unfollowed(&table);
    assert!(open(&table.ann.letters(), "ann").contains(&"reveal".to_owned()), "by the letters alone she owes it");
    let refused = table.ann.is_refused(&["reveal", BOBS, "--yes"]);
    assert!(refused.contains(BOBS), "{refused}");
    signs_again(&table, &answer);
    table.mail(&table.ann, &["reply"]);
    goes_on(&table);
}

#[test]
fn a_reveal_that_does_not_know_the_answer_counts_once_its_author_signs_again() {
    let table = Match::begun("asks-reveal", |terms| terms);
    table.mail(&table.ann, &["declare", ANNS, &table.path("ATTACKS.csv"), "--no-moves"]);
    let answer = answered(&table);
    table.mail_unseen(&["reply"]);
    is_unfollowed(&table);
    assert!(
        !says(&table.ann, "waits_for", " opens "),
        "what he may be followed in later he has opened: {}",
        table.ann.status()
    );
    let early = table.ann.is_refused(&["correct", "void", ANNS, "--reason", "the bridge was down", "--yes"]);
    assert!(early.contains("first the reveal"), "{early}");
    signs_again(&table, &answer);
    table.mail(&table.ann, &["correct", "void", ANNS, "--reason", "the bridge was down"]);
    let accept = lines(&table.bob, "commands").into_iter().find(|line| line.contains("correct accept"));
    let accept = table.typed(&table.bob, &accept.expect("a command"));
    table.mail(&table.bob, &accept.iter().map(String::as_str).collect::<Vec<_>>());
    goes_on(&table);
}

#[test]
fn a_proposal_that_does_not_know_the_answer_is_answered_once_its_author_signs_again() {
    let table = Match::begun("asks-proposal", |terms| terms);
    table.mail(&table.ann, &["declare", ANNS, &table.path("ATTACKS.csv"), "--no-moves"]);
    table.mail(&table.bob, &["reply"]);
    let answer = answered(&table);
    table.mail_unseen(&["correct", "void", ANNS, "--reason", "the bridge was down"]);
    is_unfollowed(&table);
    signs_again(&table, &answer);
    let accept = lines(&table.ann, "commands").into_iter().find(|line| line.contains("correct accept"));
    let accept = table.typed(&table.ann, &accept.expect("a command"));
    table.mail(&table.ann, &accept.iter().map(String::as_str).collect::<Vec<_>>());
    goes_on(&table);
}

#[test]
fn a_close_that_does_not_know_the_answer_is_answered_once_its_author_signs_again() {
    let table = Match::begun("asks-close", |terms| terms);
    let answer = answered(&table);
    table.mail_unseen(&["game", "close"]);
    is_unfollowed(&table);
    signs_again(&table, &answer);
    table.mail(&table.ann, &["reply"]);
    table.mail(&table.bob, &["reply"]);
    let report = table.report();
    assert_eq!((&report["verdict"], &report["complete"]), (&json!("verified"), &json!(true)), "{report}");
}

/// What Bob has not opened at all he still owes: the question and its answer do not hide that.
#[test]
fn what_the_asker_has_not_opened_is_waited_for_beside_the_answer() {
    let table = Match::begun("asks-owes", |terms| terms);
    let declared = table.posts(&table.ann, &["declare", ANNS, &table.path("ATTACKS.csv"), "--no-moves"]);
    let answer = answered(&table);
    table.mail_unseen(&["seal", "foul-up"]);
    is_unfollowed(&table);
    let waits = lines(&table.ann, "waits_for");
    assert!(waits.iter().any(|line| line == &format!("bob opens the envelopes of {ANNS}")), "{waits:?}");
    table.bob.reads(&declared);
    signs_again(&table, &answer);
    assert!(!says(&table.ann, "waits_for", " opens "), "{}", table.ann.status());
    goes_on(&table);
}

/// Nobody is asked by a proposal and a question at once for a `reply` that would be refused: the answer to the proposal
/// brings the other one along.
#[test]
fn beside_a_proposal_a_question_is_answered_with_it() {
    let table = Match::begun("asks-beside", |terms| terms);
    table.mail(&table.ann, &["declare", ANNS, &table.path("ATTACKS.csv"), "--no-moves"]);
    table.mail(&table.bob, &["reply"]);
    table.mail(&table.bob, &["correct", "void", ANNS, "--reason", "the bridge was down"]);
    table.ann.reads(&table.posts(&table.bob, &["game", "resync"]));
    assert!(!says(&table.ann, "commands", " reply"), "{}", table.ann.status());
    table.look_at(&table.ann, |copy| assert!(!says(copy, "commands", " reply"), "{}", copy.status()));
}

impl Match {
    /// Bob's mail, which Ann reads and neither looks at.
    fn mail_unseen(&self, args: &[&str]) {
        let mail = self.posts(&self.bob, args);
        self.ann.reads(&mail);
    }
}

/// A stall of what Ann may not follow: the referee is told to dismiss it, and can neither ask for it nor rule a forfeit.
#[test]
fn nobody_forfeits_for_a_letter_that_may_not_be_followed() {
    let game = Refereed::begun("asks-stall", DEADLINES);
    let (table, carol) = (&game.table, &game.carol);
    let (ann, bob) = (&table.ann, &table.bob);
    let answer = answered(table);
    carol.reads(&table.mails.borrow().concat());
    game.mail(bob, &["declare", BOBS, &table.path("ATTACKS.csv"), "--no-moves", "--skip"]);
    game.mail(bob, &["dispute", "stall", BOBS]);
    game.mail(bob, &["dispute", "stall"]);
    for _ in 0..2 {
        is_unfollowed(table);
        let offered = lines(carol, "commands");
        assert!(!offered.is_empty() && offered.iter().all(|line| line.contains(" rule dismiss ")), "{offered:?}");
        assert!(says(carol, "notes", "ann has answered a question of bob's"), "{}", carol.status());
        let claim = game.offered("rule dismiss");
        let refused = carol.is_refused(&["rule", "request", &claim, "--yes"]);
        assert!(refused.contains("may not follow that") && refused.contains("rule dismiss"), "{refused}");
        // Ann follows the referee, and through her letter knows of Bob's: she still owes nothing for that.
        game.mail(carol, &["rule", "dismiss", &claim]);
    }
    is_unfollowed(table);
    let refused = ann.is_refused(&["reveal", BOBS, "--yes"]);
    assert!(refused.contains(BOBS), "{refused}");
    bob.reads(&answer);
    for _ in 0..2 {
        if says(bob, "commands", " game resync") {
            game.mail(bob, &["game", "resync"]);
            game.mail(ann, &["reply"]);
        }
    }
    game.mail(bob, &["reply"]);
    game.mail(ann, &["reply"]);
    let report = table.report();
    assert_eq!(report["findings"], json!([]), "{report}");
    assert_eq!(report["rolls"].as_array().map(Vec::len), Some(3), "{report}");
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
        assert!(says(carol, "notes", "bob owes nothing of the kind"), "{}", carol.status());
        let refused = carol.is_refused(&["rule", "request", &claim, "--yes"]);
        assert!(refused.contains("bob owes nothing of the kind") && refused.contains("rule dismiss"), "{refused}");
        assert!(says(ann, "notes", "the referee can only dismiss it"), "{}", ann.status());
        assert!(says(ann, "notes", "dispute withdraw"), "{}", ann.status());
        let waits = lines(bob, "waits_for");
        assert!(waits.iter().any(|line| line.contains("ref dismisses it, or ann withdraws the claim")), "{waits:?}");
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
    assert!(late.contains("does not stand any more"), "{late}");

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
    assert!(refused.contains("bob owes nothing of the kind"), "{refused}");
    assert_eq!(game.offered("rule dismiss"), claim);
    game.mail(carol, &["rule", "dismiss", &claim]);
    falsely(&["dispute", "stall"]);
    assert_eq!(lines(bob, "commands"), Vec::<String>::new());
}

/// A stranger who asks for admission under Bob's role is not taken for a letter that Bob's machine lacked.
#[test]
fn a_strangers_question_under_ones_own_role_is_nobodys_own_letter() {
    let game = Refereed::begun("asks-stranger", "");
    let stranger = Seated::at(game.table.dir.join("stranger"));
    stranger.does(&["key", "new", "--no-passphrase"]);
    stranger.does(&["key", "backup"]);
    let mails = game.table.file("everything.txt", &game.table.ann.signs(&["resend", "--everything"]));
    let asked = stranger.signs(&["game", "rejoin", &mails, "--role", "bob"]);
    let told = game.table.bob.reads(&asked);
    assert!(told.contains("new in ") && !told.contains("some are your own"), "{told}");
}
