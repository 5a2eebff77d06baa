//! What the mail does to letters, and what happens to folders.

use std::fs;

use sealed_dice::blob::{Body, body::SetKind};
use serde_json::json;

use super::{Match, Seated, audits, copy_folder, out, talk};

fn lines(status: &serde_json::Value, field: &str) -> Vec<String> {
    status[field].as_array().expect("a list").iter().map(|line| line.as_str().expect("a line").to_owned()).collect()
}

#[test]
fn mails_are_lost_doubled_crossed_and_misdirected() {
    let table = Match::begun("play-mail", |terms| terms);
    let (ann, bob) = (&table.ann, &table.bob);
    let (attacks, rolls) = (table.path("ATTACKS.csv"), table.path("ROLLS.csv"));

    // A mail is never delivered: both wait, and Ann's status says what to type if it was lost.
    let lost = table.posts(ann, &["declare", "1/1/ann-first/1", &attacks, "--no-moves"]);
    table.look();
    let status = ann.status();
    assert!(
        lines(&status, "waits_for").contains(&"bob opens the envelopes for 1/1/ann-first/1".to_owned()),
        "{status}"
    );
    assert!(lines(&status, "also")[0].contains("declare 1/2/ann-second/1"), "she may go on: {status}");
    let told = ann.does(&["game", "status"]);
    assert!(told.contains("waiting for:\n") && !told.contains("your move"), "what is owed comes first: {told}");
    let again = table.posts(ann, &["declare", "1/1/ann-first/1", &attacks, "--no-moves"]);
    assert_eq!(again, lost, "the same command again says the same, byte for byte");
    assert_eq!(ann.does(&["resend"]), lost);

    // The next mail brings along what was lost; a copy of it changes nothing.
    let next = table.posts(ann, &["declare", "1/2/ann-second/1", &rolls, "--no-moves"]);
    bob.reads(&next);
    assert!(bob.reads(&next).contains("nothing new"));
    assert!(bob.reads(&[lost.as_str(), &next].concat()).contains("nothing new"));

    // Crossing mails.
    let from_bob = table.posts(bob, &["declare", "1/3/bob-first/1", &attacks, "--no-moves", "--skip"]);
    let from_ann = table.posts(ann, &["note", "2/1/ann-first/1", "orders", &table.path("orders.txt")]);
    ann.reads(&from_bob);
    bob.reads(&from_ann);
    table.look();

    // Out of order: the later letter is here, the earlier is asked for by its number, and nobody signs on top of a gap.
    let first = table.posts(ann, &["reply"]);
    let second = table.posts(ann, &["note", "2/1/ann-first/1", "more", &table.path("orders.txt")]);
    let number = second.lines().filter(|line| line.starts_with("  letter ")).count();
    assert!(number > 1, "a mail brings along what the other is not known to have: {second}");
    let last = second.rfind("-----BEGIN").expect("a letter");
    let told = bob.reads(&second[last..]);
    assert!(told.contains("missing letters:") && told.contains("ask ann for letter"), "{told}");
    table.look();
    let ask = lines(&bob.status(), "missing");
    let wanted = ask[0].rsplit(' ').next().expect("a number");
    assert!(ask[0].ends_with(&format!("sealed-dice resend {wanted}")), "{ask:?}");
    bob.reads(&ann.does(&["resend", wanted]));
    bob.reads(&first);
    assert_eq!(bob.status()["missing"], json!([]));

    // A stranger reads the mail, and the players a mail of another game.
    let stranger = Seated::at(table.dir.join("stranger"));
    stranger.does(&["key", "new", "--no-passphrase"]);
    let all = table.mails.borrow().concat();
    let output = stranger.run(&["read", "-"], &all);
    assert_eq!(output.status.code(), Some(2));
    assert!(out(&output).contains("between two other players"), "{}", out(&output));
    let other = Match::begun("play-mail-other", |terms| terms);
    let theirs = other.mails.borrow()[2].clone();
    let output = bob.run(&["read", "-"], &theirs);
    assert_eq!(output.status.code(), Some(2), "{}", talk(&output));
    assert!(out(&output).contains("does not belong to any game"), "{}", out(&output));
    assert!(
        bob.does(&["read", &table.letters_of(ann)]).contains("nothing new") || bob.status()["missing"] == json!([])
    );

    let report = table.closes();
    assert_eq!((&report["verdict"], &report["complete"]), (&json!("verified"), &json!(true)), "{report}");
}

impl Match {
    fn letters_of(&self, player: &Seated) -> String {
        player.letters().to_str().expect("a path").to_owned()
    }

    /// A machine is lost in the middle of a game; the key comes back from its page.
    fn machine_lost(&self, player: &Seated) {
        let page = self.path("page.txt");
        fs::write(&page, player.does(&["key", "backup"])).expect("a page");
        fs::remove_dir_all(&player.home).expect("a folder");
        player.does(&["key", "restore", &page, "--no-passphrase"]);
    }
}

#[test]
fn a_lost_folder_comes_back_from_the_mails() {
    let table = Match::begun("play-lost", |terms| terms);
    let (ann, bob) = (&table.ann, &table.bob);
    let (attacks, rolls) = (table.path("ATTACKS.csv"), table.path("ROLLS.csv"));
    table.mail(ann, &["declare", "1/1/ann-first/1", &attacks, "--no-moves"]);
    table.mail(bob, &["reply"]);
    table.mail(ann, &["declare", "1/2/ann-second/1", &rolls, "--no-moves"]);
    let before = audits(&bob.letters());
    table.machine_lost(bob);
    let told = talk(&bob.run(&["game", "status"], ""));
    assert!(told.contains("you do not have a game yet") && told.contains("read MAIL"), "{told}");
    let told = bob.reads(&table.mails.borrow().concat());
    assert!(told.contains("some of these are your own letters"), "{told}");
    assert_eq!(audits(&bob.letters()), before);
    table.look();
    table.resyncs(bob);
    // The sets that were sealed before are opened with the key from the page.
    let told = table.mail(bob, &["reply"]);
    assert!(told.contains("d6 = "), "{told}");
    let report = table.closes();
    assert_eq!((&report["verdict"], &report["complete"]), (&json!("verified"), &json!(true)), "{report}");
}

/// Two acceptances of one charter convict whoever signed them, so one that was lost with the folder and the machine's memory is
/// not signed again as soon as the opponent's letters show it.
#[test]
fn terms_that_were_accepted_before_a_loss_are_not_accepted_again() {
    let table = Match::begun("play-lost-accept", |terms| terms);
    let (ann, bob) = (&table.ann, &table.bob);
    table.mail(ann, &["declare", "1/1/ann-first/1", &table.path("ATTACKS.csv"), "--no-moves"]);
    table.machine_lost(bob);
    // What Bob has received, and nothing that he has sent.
    bob.run(&["read", "-"], &ann.does(&["resend", "--all"]));
    let status = bob.status();
    assert_eq!(status["commands"], json!([]), "{status}");
    assert!(status["waits_for"].to_string().contains("you have accepted these terms already"), "{status}");
    let why = bob.is_refused(&["game", "accept", "--yes"]);
    assert!(why.contains("resend --everything"), "{why}");
    bob.reads(&ann.does(&["resend", "--everything"]));
    table.resyncs(bob);
    let told = table.mail(bob, &["reply"]);
    assert!(told.contains("d6 = "), "{told}");
    let report = table.closes();
    assert_eq!((&report["verdict"], &report["complete"]), (&json!("verified"), &json!(true)), "{report}");
}

#[test]
fn nothing_is_signed_over_a_letter_of_ones_own_that_is_missing() {
    let table = Match::begun("play-own", |terms| terms);
    let (ann, bob) = (&table.ann, &table.bob);
    let attacks = table.path("ATTACKS.csv");
    table.mail(ann, &["declare", "1/1/ann-first/1", &attacks, "--no-moves"]);
    let sent = table.posts(bob, &["reply"]);
    ann.reads(&sent);
    table.mail(ann, &["declare", "2/1/ann-first/1", &attacks, "--no-moves", "--skip"]);
    table.machine_lost(bob);
    // Everything but Bob's last mail, which Ann's letters name.
    let mails: Vec<String> = table.mails.borrow().iter().filter(|mail| **mail != sent).cloned().collect();
    bob.reads(&mails.concat());
    table.look();
    let status = bob.status();
    assert!(status["missing"][0].as_str().expect("a line").contains("your own"), "{status}");
    assert!(lines(&status, "commands")[0].ends_with("game resync"), "{status}");
    for verb in
        [vec!["reply"], vec!["declare", "1/3/bob-first/1", &attacks, "--no-moves", "--skip"], vec!["seal", "sheet"]]
    {
        let why = bob.is_refused(&[verb.as_slice(), &["--yes"]].concat());
        assert!(why.contains("your own") && why.contains("sent mail"), "{why}");
    }
    bob.reads(&sent);
    table.resyncs(bob);
    table.mail(bob, &["reply"]);
    let report = table.closes();
    assert_eq!((&report["verdict"], &report["complete"]), (&json!("verified"), &json!(true)), "{report}");
}

/// Whoever signs past their program a second letter behind one shows a fork, and the tool signs no third.
#[test]
fn two_letters_behind_one_show_as_a_fork() {
    let table = Match::begun("play-fork", |terms| terms);
    let (ann, bob) = (&table.ann, &table.bob);
    let attacks = table.path("ATTACKS.csv");
    table.mail(ann, &["declare", "1/1/ann-first/1", &attacks, "--no-moves"]);
    let copy = Seated::at(table.dir.join("a patched program's"));
    copy_folder(&bob.home, &copy.home);
    let second = copy.forges(|ledger, _, signer| {
        let salt = crate::kit::bytes("a salt");
        Body::Seal(
            signer.seal(ledger.terms, SetKind::Note, "1/3/bob-first/1/second", 1, salt, Some("hold")).expect("a note"),
        )
    });
    let first = bob.signs(&["note", "1/3/bob-first/1", "first", &table.path("orders.txt")]);
    bob.reads(&second);
    let why = bob.is_refused(&["note", "1/3/bob-first/1", "third", &table.path("orders.txt"), "--yes"]);
    assert!(why.contains("you have signed 2 different letters that follow the same letter"), "{why}");
    let status = bob.status();
    assert!(status["notes"].to_string().contains("wrong"), "{status}");
    ann.reads(&first);
    ann.reads(&second);
    let [ours, theirs] = audits(&ann.letters());
    assert_eq!(ours, theirs);
    assert_eq!(ours[0]["findings"][0]["culprit"], "bob", "{ours:?}");
}

/// A file that was damaged on the disk is named, and comes back with its mail.
#[test]
fn a_damaged_file_comes_back_with_its_mail() {
    let table = Match::begun("play-damaged", |terms| terms);
    let mut files: Vec<_> =
        fs::read_dir(table.bob.letters()).expect("letters").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    for path in &files {
        let whole = fs::read(path).expect("a letter");
        fs::write(path, &whole[..whole.len() / 2]).expect("half a letter");
        let output = table.bob.run(&["game", "status"], "");
        let told = [out(&output), talk(&output)].concat();
        assert!(told.contains(path.to_str().expect("a path")) || told.contains("the terms are missing from"), "{told}");
        for verb in [["game", "accept"].as_slice(), &["reply"], &["seal", "sheet"]] {
            table.bob.run(&[verb, &["--yes"]].concat(), "");
        }
        let kept = fs::read_dir(table.bob.letters()).expect("letters").count();
        assert_eq!(kept, files.len(), "nothing is signed: what is damaged may be a letter of his own");
        table.bob.run(&["read", "-"], &table.mails.borrow().concat());
        assert_eq!(fs::read(path).expect("a letter"), whole, "{}", path.display());
    }
    table.look();
}
