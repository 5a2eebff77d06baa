//! What people do when a folder, a letter or a key is lost, or two machines have signed: they type what `game status` names,
//! and it ends as README and `protocol/chain.md` say.

use sealed_dice::blob::{Keys, Verified, armour};
use serde_json::{Value, json};

use super::{
    Match, Seated, audits, copy_folder,
    office::Officed,
    roads::{FORFEIT, Refereed},
};

const FIRST: &str = "1/1/ann-first/1";

/// Two players and perhaps a third role, who mail to all others.
struct Circle<'t> {
    table: &'t Match,
    all: Vec<&'t Seated>,
}

impl<'t> Circle<'t> {
    const fn of(table: &'t Match, all: Vec<&'t Seated>) -> Self {
        Self { table, all }
    }

    /// Types the first command with these words that a status names; the mail.
    fn types(&self, player: &Seated, words: &str) -> String {
        let status = player.status();
        let fields = ["commands", "also", "if_lost"].into_iter();
        let mut lines = fields.flat_map(|field| of(&status, field)).filter_map(Value::as_str);
        let command = lines.find(|command| command.contains(words));
        let typed = self.table.typed(player, command.unwrap_or_else(|| panic!("{words} is not named: {status}")));
        let mail = player.signs(&typed.iter().map(String::as_str).collect::<Vec<_>>());
        self.table.mails.borrow_mut().push(mail.clone());
        mail
    }

    /// The same, and all others read it.
    fn mails(&self, player: &Seated, words: &str) -> String {
        let mail = self.types(player, words);
        self.read(player, &mail);
        mail
    }

    fn read(&self, from: &Seated, mail: &str) {
        self.all.iter().filter(|other| other.home != from.home).for_each(|other| drop(other.reads(mail)));
    }

    /// Whoever must ask asks, all others answer, and then there is something to sign.
    fn asks(&self, player: &Seated) {
        assert_eq!(of(&player.status(), "commands").len(), 1, "{}", player.status());
        self.mails(player, " game resync");
        for other in self.all.iter().filter(|other| other.home != player.home) {
            assert_ne!(player.status()["blocked"], Value::Null, "not all have answered");
            let answer = self.types(other, " reply");
            player.reads(&answer);
        }
        assert_eq!(player.status()["blocked"], Value::Null, "{}", player.status());
    }

    /// Everybody has every letter; what all say of the game.
    fn report(&self) -> Value {
        for player in &self.all {
            let mail = player.does(&["resend", "--everything"]);
            self.read(player, &mail);
        }
        let reports: Vec<_> = self.all.iter().flat_map(|player| audits(&player.letters())).collect();
        assert!(reports.iter().all(|report| *report == reports[0] && report.len() == 1), "{reports:?}");
        reports[0][0].clone()
    }

    /// Both players close, and the game is complete.
    fn closes(&self) -> Value {
        let [ann, bob] = [&self.table.ann, &self.table.bob];
        for (player, command) in [(ann, vec!["game", "close"]), (bob, vec!["game", "close"]), (ann, vec!["reply"])] {
            let mail = player.signs(&command);
            self.read(player, &mail);
        }
        let report = self.report();
        assert_eq!(report["complete"], true, "{report}");
        report
    }
}

/// A game in which Ann's machine remembers outside of her folder.
fn begun(name: &str) -> Match {
    let mut table = Match::seated(name);
    table.ann.machine = table.dir.join("ann's machine");
    let terms = table.terms(|terms| terms);
    table.mail(&table.ann, &["game", "new", &terms]);
    table.ann.reads(&table.posts(&table.bob, &["game", "accept"]));
    table.bob.reads(&table.posts(&table.ann, &["reply"]));
    table
}

/// A folder comes back as it was.
fn put_back(player: &Seated, backup: &Seated) {
    std::fs::remove_dir_all(&player.home).expect("a folder");
    copy_folder(&backup.home, &player.home);
}

fn copied(table: &Match, player: &Seated, name: &str) -> Seated {
    let copy = Seated::at(table.dir.join(name));
    copy_folder(&player.home, &copy.home);
    copy
}

/// There is one fork, of somebody's, and nobody is blamed for anything else.
fn is_fork_of(report: &Value, who: &str) {
    let blamed: Vec<&Value> = of(report, "findings").iter().filter(|finding| !finding["culprit"].is_null()).collect();
    assert!(matches!(blamed[..], [fork] if fork["code"] == "chain" && fork["culprit"] == who), "{report}");
    assert_eq!(report["verdict"], "refuted", "{report}");
}

fn of<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value[field].as_array().expect("a list")
}

/// What a status says of a fork.
fn told(player: &Seated, words: &str) {
    let status = player.status();
    assert!(status["notes"].to_string().contains(words), "{words} is not in {status}");
}

/// How many dice of a slot stand.
fn dice(report: &Value) -> usize {
    of(report, "rolls").iter().filter(|roll| roll["standing"] == true).count()
}

#[test]
fn what_nobody_has_is_signed_anew() {
    let table = begun("trouble-lost");
    let (ann, bob) = (&table.ann, &table.bob);
    let circle = Circle::of(&table, vec![ann, bob]);
    let backup = copied(&table, ann, "backup");
    // Never mailed, and lost with the folder.
    ann.signs(&["declare", FIRST, &table.path("ATTACKS.csv"), "--moves", "what nobody knows"]);
    put_back(ann, &backup);
    circle.asks(ann);
    circle.mails(ann, " declare ");
    circle.mails(bob, " reply");
    let report = circle.closes();
    assert_eq!(
        (&report["verdict"], &report["findings"], dice(&report)),
        (&json!("verified"), &json!([]), 3),
        "{report}"
    );
}

#[test]
fn what_the_opponent_has_comes_back_with_the_answer() {
    let table = begun("trouble-answered");
    let (ann, bob) = (&table.ann, &table.bob);
    let circle = Circle::of(&table, vec![ann, bob]);
    let backup = copied(&table, ann, "backup");
    circle.mails(ann, " declare ");
    // His opening does not arrive before the accident.
    circle.types(bob, " reply");
    put_back(ann, &backup);
    circle.asks(ann);
    assert!(ann.status()["commands"].to_string().contains(" declare 1/2/ann-second/1"), "{}", ann.status());
    let report = circle.closes();
    assert_eq!(
        (&report["verdict"], &report["findings"], dice(&report)),
        (&json!("verified"), &json!([]), 3),
        "{report}"
    );
}

#[test]
fn what_the_office_alone_has_comes_back_with_its_answer() {
    let game = Officed::begun("trouble-office-answers");
    let (table, office) = (&game.table, &game.office);
    let (ann, bob) = (&table.ann, &table.bob);
    let circle = Circle::of(table, vec![ann, bob, office]);
    circle.mails(office, " reply");
    let backup = Seated { machine: table.dir.join("ann's new machine"), ..copied(table, ann, "backup") };
    let circle = Circle::of(table, vec![&backup, bob, office]);
    office.reads(&ann.signs(&["declare", FIRST, &table.path("ATTACKS.csv"), "--no-moves"]));
    office.signs(&["reply"]);
    circle.asks(&backup);
    assert!(backup.status()["commands"].to_string().contains(" declare 1/2/ann-second/1"), "{}", backup.status());
    let report = circle.report();
    assert_eq!(
        (&report["verdict"], &report["findings"], dice(&report)),
        (&json!("verified"), &json!([]), 3),
        "{report}"
    );
}

/// Ann's folder, with all that her machine remembers, is on two machines. Bob has opened for the declaration of one of them
/// when he reads what the other has declared.
#[test]
fn the_branch_that_is_opened_stands() {
    let table = Match::begun("trouble-opened", |terms| terms);
    let (ann, bob) = (&table.ann, &table.bob);
    let circle = Circle::of(&table, vec![ann, bob]);
    let second = copied(&table, ann, "second machine");
    circle.mails(ann, " declare ");
    circle.mails(bob, " reply");
    let again = second.signs(&["declare", FIRST, &table.path("ATTACKS.csv"), "--moves", "somewhere else"]);
    bob.reads(&again);
    told(bob, "ann, or whoever has ann's key or a backup of it, has signed 2 different letters behind one letter");
    told(bob, "opens what it asks for");
    ann.reads(&bob.does(&["resend", "--everything"]));
    assert_eq!(ann.status()["blocked"], Value::Null, "{}", ann.status());
    circle.mails(ann, " declare 1/2/ann-second/1");
    circle.mails(bob, " reply");
    // The other machine has signed what fell, and asks before it goes on.
    second.reads(&bob.does(&["resend", "--everything"]));
    bob.reads(&circle.types(&second, " game resync"));
    second.reads(&circle.types(bob, " reply"));
    assert_eq!(second.status()["blocked"], Value::Null, "{}", second.status());
    let report = circle.closes();
    is_fork_of(&report, "ann");
    assert_eq!(dice(&report), 5, "{report}");
}

/// The same where nothing is to be opened: the branch stands that Bob knew when he signed.
#[test]
fn the_branch_that_was_known_first_stands() {
    let table = Match::begun("trouble-known", |terms| terms);
    let (ann, bob) = (&table.ann, &table.bob);
    let circle = Circle::of(&table, vec![ann, bob]);
    let second = copied(&table, ann, "second machine");
    let orders = table.path("orders.txt");
    table.mail(ann, &["note", FIRST, "first", &orders]);
    table.mail(bob, &["note", "1/3/bob-first/1", "orders", &orders]);
    let late = second.signs(&["note", FIRST, "second", &orders]);
    for player in [ann, bob] {
        player.reads(&late);
    }
    told(bob, "goes on from it, and the other changes nothing");
    circle.mails(ann, " declare ");
    circle.mails(bob, " reply");
    let report = circle.closes();
    is_fork_of(&report, "ann");
    assert_eq!(dice(&report), 3, "{report}");
}

/// Ann has her dice from Bob, dislikes them, and has the referee open for another declaration: neither stands.
#[test]
fn of_two_declarations_that_are_both_opened_none_stands() {
    let held = |key: &str| format!("deposit = \"{key}\"\n");
    let game = Refereed::begun_with("trouble-both", held, FORFEIT);
    let (table, carol) = (&game.table, &game.carol);
    let (ann, bob) = (&table.ann, &table.bob);
    let circle = Circle::of(table, vec![ann, bob, carol]);
    circle.mails(carol, " reply");
    let cheat = copied(table, ann, "her other folder");
    bob.reads(&circle.types(ann, " declare "));
    ann.reads(&circle.types(bob, " reply"));
    for args in [
        ["declare", FIRST, &table.path("ATTACKS.csv"), "--moves", "with better luck"].as_slice(),
        &["dispute", "stall", FIRST],
    ] {
        carol.reads(&cheat.signs(args));
    }
    circle.types(carol, " rule request ");
    carol.signs(&["rule", "open", &game.offered("rule open")]);

    let report = circle.report();
    is_fork_of(&report, "ann");
    assert_eq!(dice(&report), 0, "{report}");
    for player in [bob, carol] {
        told(player, "ann, or whoever has ann's key or a backup of it, has signed 2 different letters");
        told(player, "none of them stands");
    }
    let why = ann.status()["blocked"].to_string();
    assert!(why.contains("can sign nothing more in this game"), "{why}");
    let close = bob.signs(&["game", "close"]);
    circle.read(bob, &close);
    is_fork_of(&circle.report(), "ann");
}

/// Two letters of Ann's, and nobody has gone on from either: Bob chooses by the command that his status names,
/// and opens in the same mail.
#[test]
fn a_fork_at_the_end_is_chosen() {
    let table = Match::begun("trouble-chosen", |terms| terms);
    let (ann, bob) = (&table.ann, &table.bob);
    let circle = Circle::of(&table, vec![ann, bob]);
    let second = copied(&table, ann, "second machine");
    let attacks = table.path("ATTACKS.csv");
    let meant = ann.signs(&["declare", FIRST, &attacks, "--no-moves"]);
    let other = second.signs(&["declare", FIRST, &attacks, "--moves", "somewhere else"]);
    for player in [ann, bob] {
        player.reads(&[meant.as_str(), &other].concat());
    }
    told(bob, "None of them stands, and nobody has gone on from one: hear which one ann means");
    let why = ann.status();
    assert!(why["blocked"].to_string().contains("before one of them stands"), "{why}");
    assert_eq!(why["waits_for"][0], "the other player chooses one of your letters", "{why}");
    circle.mails(bob, &format!("dispute raise {}", &last_id(&meant)[..8]));
    assert_eq!(ann.status()["blocked"], Value::Null, "{}", ann.status());
    circle.mails(ann, " declare 1/2/ann-second/1");
    circle.mails(bob, " reply");
    let report = circle.closes();
    is_fork_of(&report, "ann");
    assert_eq!(dice(&report), 5, "{report}");
}

/// The id of the last letter in a mail.
fn last_id(mail: &str) -> String {
    let frame = armour::find(mail.as_bytes()).pop().and_then(|blob| blob.frame.ok()).expect("a letter");
    Verified::open(&frame, &Keys::default()).expect("a letter").id().to_string()
}

/// A copy of the referee's folder rules, too. What the players followed stands; where they followed different rulings none
/// does, and they play on.
#[test]
fn a_referee_who_forks_is_followed_or_left_out() {
    for agree in [true, false] {
        let game = Refereed::begun(if agree { "trouble-ref-one" } else { "trouble-ref-two" }, FORFEIT);
        let (table, carol) = (&game.table, &game.carol);
        let (ann, bob) = (&table.ann, &table.bob);
        let circle = Circle::of(table, vec![ann, bob]);
        let second = copied(table, carol, "her second machine");
        let seal = |of: &Seated| of.replay(|ledger, me| ledger.seals(me)[0].to_string());
        let one = carol.signs(&["rule", "kill", &seal(ann)]);
        let two = second.signs(&["rule", "kill", &seal(bob)]);
        ann.reads(&one);
        bob.reads(if agree { &one } else { &two });
        let orders = table.path("orders.txt");
        for player in [ann, bob] {
            player.signs(&["note", FIRST, "thoughts", &orders]);
        }
        for player in [ann, bob] {
            player.reads(&[one.as_str(), &two].concat());
        }
        let report = circle.report();
        is_fork_of(&report, "ref");
        told(ann, "ref, or whoever has ref's key or a backup of it, has signed 2 different letters");
        if agree {
            told(ann, "goes on from it, and the other changes nothing");
        } else {
            told(ann, "play on without the referee");
        }
        circle.mails(ann, " declare ");
        circle.mails(bob, " reply");
        let report = circle.closes();
        is_fork_of(&report, "ref");
        assert_eq!(dice(&report), 3, "{report}");
    }
}

/// The office comes back from a copy that is older than what it has opened: what it signed stands, and what is not declared
/// yet is sealed anew.
#[test]
fn a_restored_office_begins_an_epoch() {
    let game = Officed::begun("trouble-epoch");
    let (table, office) = (&game.table, &game.office);
    let (ann, bob) = (&table.ann, &table.bob);
    Circle::of(table, vec![ann, bob, office]).mails(office, " reply");
    let restored = Seated { machine: table.dir.join("another machine"), ..copied(table, office, "restored") };
    let circle = Circle::of(table, vec![ann, bob, &restored]);
    office.reads(&circle.mails(ann, " declare "));
    for turn in ["3/1/ann-first/1", "4/1/ann-first/1"] {
        let signed = circle.types(office, " reply");
        ann.reads(&signed);
        bob.reads(&signed);
        // What it signs next makes the branch that it forgets the longer one.
        let sealed = bob.signs(&["seal", turn]);
        ann.reads(&sealed);
        office.reads(&sealed);
    }
    assert!(restored.status()["blocked"].to_string().contains("begin an epoch"), "{}", restored.status());
    circle.mails(&restored, " game resync");
    let sealed = circle.mails(bob, " reply");
    assert!(sealed.contains("sheet/1") && sealed.contains("2/1/ann-first/1"), "{sealed}");
    // Bob's letters rest on what the office has forgotten: it learns of it too late, and begins another epoch.
    restored.reads(&bob.does(&["resend", "--everything"]));
    circle.mails(&restored, " game resync");
    circle.mails(bob, " reply");
    circle.mails(&restored, " reply");
    circle.mails(ann, " declare 1/2/ann-second/1");
    circle.mails(&restored, " reply");
    let report = circle.report();
    assert_eq!((&report["verdict"], dice(&report)), (&json!("verified"), 5), "{report}");
    assert!(matches!(of(&report, "findings"), [fork] if fork["culprit"].is_null()), "{report}");
}

/// A thief has Bob's key and folder, and signs as Bob: that is a fork of Bob's. Ann has gone on from his own letter.
#[test]
fn letters_of_a_thief_are_a_fork() {
    let table = Match::begun("trouble-thief", |terms| terms);
    let (ann, bob) = (&table.ann, &table.bob);
    let circle = Circle::of(&table, vec![ann, bob]);
    let thief = copied(&table, bob, "thief");
    let orders = table.path("orders.txt");
    table.mail(bob, &["note", "1/3/bob-first/1", "march", &orders]);
    circle.mails(ann, " declare ");
    let theft = thief.signs(&["note", "1/3/bob-first/1", "retreat", &orders]);
    for player in [ann, bob] {
        player.reads(&theft);
    }
    told(ann, "bob, or whoever has bob's key or a backup of it, has signed 2 different letters behind one letter");
    told(bob, "somebody else has your key or a backup of it");
    circle.mails(bob, " reply");
    let report = circle.closes();
    is_fork_of(&report, "bob");
    assert_eq!(dice(&report), 3, "{report}");
}
