//! What people do when a folder, a letter or a key is lost, or two machines have signed: they type what `game status` names,
//! and it ends as README and `protocol/chain.md` say.

use sealed_dice::blob::{Keys, Verified, armour};
use serde_json::{Value, json};

use super::{
    Match, Seated, audits, copy_folder, courses,
    office::Officed,
    roads::{FORFEIT, Refereed},
    talk,
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

impl Circle<'_> {
    /// The terms of a new game, by the command that a status of the old one names; `edit` changes them, `from` proposes
    /// them, and everybody reads that.
    fn proposes(&self, from: &Seated, more: &[&str], edit: impl FnOnce(String) -> String) -> String {
        let status = status_of(from, OLD);
        let fields = ["notes", "waits_for"].into_iter().flat_map(|field| of(&status, field));
        let mut lines = fields.chain([&status["blocked"]]).filter_map(Value::as_str);
        let line = lines.find(|line| line.contains(" game continue ")).unwrap_or_else(|| panic!("{status}"));
        let at = line.find(" game continue ").expect("a command");
        let begins = line[..at].rfind("sealed-dice --home").expect("a command");
        let ends = line.rfind("new-terms.toml").expect("a file") + "new-terms.toml".len();
        let mut typed = self.table.typed(from, &line[begins..ends]);
        let file = self.table.path("new-terms.toml");
        let _ = std::fs::remove_file(&file);
        *typed.last_mut().expect("a file") = file.clone();
        from.does(&[typed.iter().map(String::as_str).collect::<Vec<_>>().as_slice(), more].concat());
        let terms = std::fs::read_to_string(&file).expect("terms");
        std::fs::write(&file, edit(terms)).expect("terms");
        self.offers(from, &file)
    }

    /// The same from a file.
    fn offers(&self, from: &Seated, file: &str) -> String {
        let mail = from.signs(&["game", "new", file]);
        self.read(from, &mail);
        mail
    }

    /// Somebody accepts the new game, and everybody reads that.
    fn accepts(&self, by: &Seated) {
        let mail = by.signs(&["game", "accept", "--game", NEW]);
        self.read(by, &mail);
    }

    /// Ann declares in the new game, and Bob opens.
    fn goes_on(&self) -> Value {
        let [ann, bob] = [&self.table.ann, &self.table.bob];
        for player in [ann, bob] {
            let mail = player.signs(&["reply", "--game", NEW]);
            if !mail.is_empty() {
                self.read(player, &mail);
            }
        }
        let attacks = self.table.path("ATTACKS.csv");
        self.read(ann, &ann.signs(&["declare", FIRST, &attacks, "--no-moves", "--game", NEW]));
        self.read(bob, &bob.signs(&["reply", "--game", NEW]));
        // Hardly anything is signed in the old game any more.
        for player in
            [ann, bob].into_iter().filter(|player| player.run(&["game", "status", "--game", OLD], "").status.success())
        {
            let status = status_of(player, OLD);
            if status["blocked"].is_null() {
                assert!(status["notes"].to_string().contains("continues this one"), "{status}");
                let why = player.is_refused(&["seal", "foul-up", "--game", OLD, "--yes"]);
                assert!(why.contains("charter 29") && why.contains(NEW), "{why}");
            }
        }
        let told = ann.run(&["audit", "--json", &ann.home.join("games").display().to_string()], "");
        let told = String::from_utf8(told.stdout).expect("UTF-8");
        let mut reports = told.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let report = reports.find(|report| !report["continues"].is_null()).expect("a game that continues");
        assert_eq!((&report["verdict"], dice(&report)), (&json!("verified"), 3), "{report}");
        assert_eq!(report["continues"]["at_hand"], true, "{report}");
        report
    }
}

/// What the two games are called on all machines.
const OLD: &str = "our-campaign";
const NEW: &str = "our-campaign-2";

fn status_of(player: &Seated, game: &str) -> Value {
    serde_json::from_str(&player.does(&["game", "status", "--json", "--game", game])).expect("JSON")
}

/// Bob's key is another one from now on.
fn changes_key(bob: &Seated) {
    std::fs::remove_file(bob.home.join("key.txt")).expect("a key");
    bob.does(&["key", "new", "--no-passphrase"]);
    bob.does(&["key", "backup"]);
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
    told(bob, "ann, or somebody who has ann's key or a backup of it, has signed 2 different letters that follow");
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
    told(bob, "follows it");
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
        told(player, "ann, or somebody who has ann's key or a backup of it, has signed 2 different letters");
        told(player, "none of them counts");
    }
    let why = ann.status()["blocked"].to_string();
    assert!(why.contains("can sign nothing more in this game"), "{why}");
    // A new game goes on from before it. Bob has signed nothing but an opening behind that.
    circle.proposes(ann, &[], |terms| terms);
    assert!(
        circle.table.bob.run(&["game", "accept", "--game", NEW, "--yes"], "").status.code() != Some(0),
        "Carol first"
    );
    circle.accepts(carol);
    circle.accepts(bob);
    let report = circle.goes_on();
    assert!(of(&report["continues"], "behind").len() >= 3, "{report}");
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
    // Ann reads at once what her second letter means.
    let read = ann.reads(&[meant.as_str(), &other].concat());
    let (list, _) = read.split_once("\n\n").expect("a list, and a status");
    assert!(list.contains("WARNING: you have signed 2 different letters that follow the same letter"), "{read}");
    assert!(list.contains("resend --everything") && list.contains("nothing more is signed here until"), "{read}");
    bob.reads(&[meant.as_str(), &other].concat());
    told(bob, "None of them counts yet, because nobody else's letter follows one: ask ann which one they mean");
    // What Bob names he keeps: he sees both in words where he is asked to choose, and before he signs.
    let ids = [&meant, &other].map(|mail| last_id(mail)[..8].to_owned());
    let notes = bob.does(&["game", "status"]);
    assert!(notes.contains("name the one that you want to KEEP"), "{notes}");
    for (id, moves) in ids.iter().zip(["no moves", "moves: “somewhere else”"]) {
        let line = notes.lines().find(|line| line.contains(&format!("keeps {id}, letter "))).expect("the letter");
        assert!(line.contains(", declare: 1/1/ann-first/1 is declared") && line.contains(moves), "{line}");
    }
    for [keeps, drops] in [[&ids[0], &ids[1]], [&ids[1], &ids[0]]] {
        let asked = bob.run(&["dispute", "raise", keeps, "--text", "forged"], "");
        let mind = format!(
            "WARNING: this makes {keeps} count, and drops the other letter {drops}: name the one that you want to keep"
        );
        assert_eq!(asked.status.code(), Some(2), "{}", talk(&asked));
        assert!(talk(&asked).contains(&mind), "{}", talk(&asked));
    }
    let why = ann.status();
    assert!(why["blocked"].to_string().contains("until one of them counts"), "{why}");
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
        told(ann, "ref, or somebody who has ref's key or a backup of it, has signed 2 different letters");
        if agree {
            told(ann, "follows it");
        } else {
            told(ann, "play on without the referee");
            let other = copied(table, ann, "ann who goes on");
            let old = copied(table, bob, "bob as he was");
            let again = Circle::of(table, vec![bob, &other]);
            let without = |terms: String| {
                let (before, rest) = terms.split_once("[referee]").expect("a referee");
                let after = rest.split_once("\n\n").expect("more").1;
                format!("{before}{after}")
            };
            again.proposes(&other, &[], without);
            again.accepts(bob);
            assert_eq!(status_of(bob, NEW)["begun"], true);
            put_back(bob, &old);
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
    told(ann, "bob, or somebody who has bob's key or a backup of it, has signed 2 different letters that follow");
    told(bob, "somebody else has your key or a backup of it");
    circle.mails(bob, " reply");
    let report = circle.closes();
    is_fork_of(&report, "bob");
    assert_eq!(dice(&report), 3, "{report}");
}

/// Bob's key is lost, or a thief has it too: he goes on under a new one, in a new game.
#[test]
fn a_lost_or_stolen_key_ends_in_a_new_game() {
    for stolen in [false, true] {
        let table = Match::begun(if stolen { "trouble-key-stolen" } else { "trouble-key-lost" }, |terms| terms);
        let (ann, bob) = (&table.ann, &table.bob);
        let circle = Circle::of(&table, vec![ann, bob]);
        let thief = copied(&table, bob, "thief");
        circle.mails(ann, " declare ");
        circle.mails(bob, " reply");
        if stolen {
            let theft = thief.signs(&["note", "1/3/bob-first/1", "retreat", &table.path("orders.txt")]);
            circle.read(&thief, &theft);
            told(ann, "bob, or somebody who has bob's key or a backup of it, has signed 2 different letters");
        }
        changes_key(bob);
        let asked = bob.run(&["game", "status"], "");
        let says = super::talk(&asked);
        assert!(
            says.contains("your key does not belong to any of its players") && says.contains("--as ROLE"),
            "{says}"
        );
        let file = table.path("new-terms.toml");
        bob.does(&["game", "continue", OLD, "--as", "bob", "--out", &file]);
        circle.offers(bob, &file);
        circle.accepts(ann);
        let report = circle.goes_on();
        assert_eq!(report["continues"]["same_keys"], json!(["ann"]), "{report}");
        // Ann can write the same terms, with the key that he tells her.
        let public = bob.public()["public"].as_str().expect("a key").to_owned();
        let written = ann.does(&["game", "continue", OLD, "--their-key", &public]);
        assert!(written.contains(&format!("key = \"{public}\"")), "{written}");
    }
}

/// The office signs two letters behind one letter: all of it counts, and the players go on with another office.
#[test]
fn another_office_comes_with_a_new_game() {
    let game = Officed::begun("trouble-another-office");
    let (table, office) = (&game.table, &game.office);
    let (ann, bob) = (&table.ann, &table.bob);
    let other = Seated::at(table.dir.join("another office"));
    other.does(&["key", "new", "--no-passphrase"]);
    let circle = Circle::of(table, vec![ann, bob, office]);
    circle.mails(office, " reply");
    let second = copied(table, office, "its second machine");
    let sealed = [bob, ann].map(|player| player.signs(&["seal", "foul-up"]));
    for ((machine, player), sealed) in [(office, bob), (&second, ann)].into_iter().zip(sealed) {
        machine.reads(&sealed);
        circle.read(player, &sealed);
        circle.read(machine, &machine.signs(&["reply"]));
    }
    told(ann, "everything that it opens counts");
    let card = |of: &Seated| -> [String; 2] {
        let shown: Value = serde_json::from_str(&of.does(&["key", "show", "--deposit", "--json"])).expect("JSON");
        ["public", "deposit"].map(|field| shown[field].as_str().expect("a key").to_owned())
    };
    let circle = Circle::of(table, vec![ann, bob, &other]);
    let ([old_key, old_deposit], [new_key, new_deposit]) = (card(office), card(&other));
    let replace = |terms: String| terms.replace(&old_key, &new_key).replace(&old_deposit, &new_deposit);
    circle.proposes(ann, &[], replace);
    let mail = other.signs(&["game", "accept"]);
    circle.read(&other, &mail);
    circle.accepts(bob);
    assert_eq!(status_of(ann, NEW)["begun"], true);
}

/// Ann offers to go on from before her declaration. Bob has not read that when he plays on, and so he cannot accept;
/// Ann sees what he rolled, takes the offer back, and plays on too.
#[test]
fn who_has_rolled_on_cannot_accept() {
    let table = Match::begun("trouble-rolled-on", |terms| terms);
    let (ann, bob) = (&table.ann, &table.bob);
    let circle = Circle::of(&table, vec![ann, bob]);
    circle.mails(ann, " declare ");
    circle.mails(bob, " reply");
    let file = table.path("new-terms.toml");
    let said = ann.run(&["game", "continue", OLD, "--before", FIRST, "--out", &file], "");
    assert!(super::talk(&said).contains("d6 = "), "{}", super::talk(&said));
    let late = bob.signs(&["note", "1/3/bob-first/1", "march", &table.path("orders.txt")]);
    circle.offers(ann, &file);
    for verb in
        [["seal", "foul-up"].as_slice(), &["declare", "1/2/ann-second/1", &table.path("ROLLS.csv"), "--no-moves"]]
    {
        let why = ann.is_refused(&[verb, &["--game", OLD, "--yes"]].concat());
        assert!(why.contains("charter 29") && why.contains("game withdraw"), "{why}");
    }
    let why = bob.is_refused(&["game", "accept", "--game", NEW, "--yes"]);
    assert!(why.contains("you signed 1 letter in the old game"), "{why}");
    ann.reads(&late);
    circle.read(ann, &ann.signs(&["game", "withdraw", "--game", NEW]));
    circle
        .read(ann, &ann.signs(&["declare", "1/2/ann-second/1", &table.path("ROLLS.csv"), "--no-moves", "--game", OLD]));
    circle.read(bob, &bob.signs(&["reply", "--game", OLD]));
}

/// Whoever plays on in the old game cannot accept the terms behind that, and if they do, the other plays on there too.
#[test]
fn who_has_played_on_accepts_too_late() {
    let table = Match::begun("trouble-accepts-late", |terms| terms);
    let (ann, bob) = (&table.ann, &table.bob);
    let file = table.path("hers.toml");
    ann.does(&["game", "continue", OLD, "--out", &file]);
    bob.reads(&ann.signs(&["game", "new", &file]));
    // The accept that he keeps back.
    let aside = table.copied("kept back");
    let accept = aside.bob.signs(&["game", "accept", "--game", NEW]);
    bob.reads(&ann.signs(&["game", "withdraw", "--game", NEW]));
    ann.reads(&bob.signs(&[
        "declare",
        "1/3/bob-first/1",
        &table.path("ATTACKS.csv"),
        "--no-moves",
        "--skip",
        "--game",
        OLD,
    ]));
    ann.reads(&accept);
    let opened = bob.reads(&ann.signs(&["reply", "--game", OLD]));
    assert!(opened.contains("the envelopes for 1/3/bob-first/1 are opened"), "{opened}");
}

/// Terms that continue from a letter that is not on hand are refused, because nobody could see what comes after it.
#[test]
fn nobody_goes_on_from_an_invented_letter() {
    let table = Match::begun("trouble-invented-head", |terms| terms);
    let file = table.path("his.toml");
    table.bob.does(&["game", "continue", OLD, "--out", &file]);
    let terms = std::fs::read_to_string(&file).expect("terms");
    let is_head = |line: &&str| line.starts_with("ann = ") && line.len() > 64;
    let head = terms.lines().find(is_head).unwrap_or_else(|| panic!("{terms}"));
    let invented = terms.replace(head, &format!("ann = \"{}\"", "0".repeat(64)));
    let why = table.bob.is_refused(&["game", "new", &table.file("invented.toml", &invented), "--yes"]);
    assert!(why.contains("by ann, which is not here") && why.contains("charter 28"), "{why}");
}

/// A campaign goes on where it stands: the new terms state it, and its next turn follows in the new game. While a decision
/// is awaited there are no such terms.
#[test]
fn a_campaign_goes_on_from_its_state() {
    let (table, n, _) = courses::until_a_pop("trouble-campaign");
    let (ann, bob) = (&table.ann, &table.bob);
    let circle = Circle::of(&table, vec![ann, bob]);
    let file = table.path("new-terms.toml");
    let why = ann.is_refused(&["game", "continue", OLD, "--out", &file]);
    assert!(why.contains("to decide pop: let them decide first"), "{why}");
    while let Some(choice) = courses::awaited(ann) {
        let value = if choice.name.as_str() == "pop" { "none" } else { "second" };
        let by = courses::who(&table, &json!(choice.by.as_str()));
        circle.read(by, &by.signs(&["decide", &courses::at(n), choice.name.as_str(), value]));
    }
    let state = courses::state(ann);
    ann.does(&["game", "continue", OLD, "--out", &file]);
    circle.offers(ann, &file);
    circle.accepts(bob);
    for player in [ann, bob] {
        let mail = player.signs(&["reply", "--game", NEW]);
        if !mail.is_empty() {
            circle.read(player, &mail);
        }
    }
    let declarer = courses::who(&table, &state["holder"]);
    let turn = table.file("turn.toml", "");
    for early in [n, n + 2] {
        declarer.is_refused(&["declare", &courses::at(early), &turn, "--no-moves", "--skip", "--game", NEW]);
    }
    let declared = declarer.signs(&["declare", &courses::at(n + 1), &turn, "--no-moves", "--skip", "--game", NEW]);
    circle.read(declarer, &declared);
    circle.read(table.other(declarer), &table.other(declarer).signs(&["reply", "--game", NEW]));
    let told = ann.run(&["audit", "--json", &ann.home.join("games").display().to_string()], "");
    let told = String::from_utf8(told.stdout).expect("UTF-8");
    let mut reports = told.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let report = reports.find(|report| !report["continues"].is_null()).expect("a game that continues");
    assert_eq!((&report["findings"], &report["continues"]["same_states"]), (&json!([]), &json!(true)), "{report}");
    assert_eq!(report["courses"][0]["state"]["turn"], n + 1, "{report}");
}

/// Both offer to go on from the same game. Each program accepts only once its own offer is withdrawn, and what goes on
/// from a game that is here is not forgotten, for it keeps the old one closed.
#[test]
fn a_game_goes_on_once() {
    let table = Match::begun("trouble-goes-on-once", |terms| terms);
    let (ann, bob) = (&table.ann, &table.bob);
    let circle = Circle::of(&table, vec![ann, bob]);
    let offer = |by: &Seated, name: &str| {
        let file = table.path(name);
        by.does(&["game", "continue", OLD, "--out", &file]);
        by.signs(&["game", "new", &file])
    };
    let (hers, his) = (offer(ann, "hers.toml"), offer(bob, "his.toml"));
    let third = std::fs::read_to_string(table.path("hers.toml")).expect("terms").replace("Our campaign", "The third");
    let again = ann.is_refused(&["game", "new", &table.file("third.toml", &third), "--yes"]);
    assert!(again.contains("a game can be continued only once"), "{again}");
    bob.reads(&hers);
    ann.reads(&his);
    let theirs = "our-campaign-3";
    for player in [ann, bob] {
        let why = player.is_refused(&["game", "accept", "--game", theirs, "--yes"]);
        assert!(why.contains("a game can be continued only once") && why.contains("game withdraw"), "{why}");
    }
    circle.read(bob, &bob.signs(&["game", "withdraw", "--game", NEW]));
    circle.read(bob, &bob.signs(&["game", "accept", "--game", theirs]));
    // What she never answered is forgotten all the same.
    ann.does(&["game", "forget", theirs]);
    for (player, game) in [(ann, NEW), (bob, theirs)] {
        circle.read(player, &player.signs(&["game", "close", "--game", game]));
    }
    circle.read(ann, &ann.signs(&["reply", "--game", NEW]));
    let why = ann.is_refused(&["game", "forget", NEW]);
    assert!(why.contains("as long as the old game is here"), "{why}");
}
