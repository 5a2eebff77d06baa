//! Letters signed by everybody but one party, of every kind and in any order: that party's program still names what it owes,
//! and whatever its status names works. What is owed the checker in Python says.

mod courses;

use std::{fs, path::Path, process::Output};

use proptest::prelude::*;
use sealed_dice::{
    blob::{
        Body, Head, Hex32, Kind, Verified, armour,
        body::{
            Accept, CellKey, Close, Correct, Decide, Forfeit, FoulUpClass, Key, Master, Name, Proposal, Reveal, Role,
            Seen, Slot, Step, Voiding,
        },
        deposits::{Deposit, Wrapped},
        disputes::{Claim, Dispute, Names, Ruled, RuledForfeit, Ruling, Scope, Stall, Yield},
        office::{Moment, Receipt, Seals},
        resync::{Answer, Resync},
    },
    game::terms::{Phase, Terms},
    keep::{
        folder::{Folder, Stored},
        home::Home,
        key_file::KeyFile,
    },
    primitive::{sign::PrivateKey, wrap::WRAPPED},
};
use serde_json::{Value, json};

use super::{
    Match, Seated, brings_the_reply, copy_folder,
    office::Officed,
    out,
    roads::{FORFEIT, Refereed, refereed_terms},
    talk,
};
use crate::{
    kit::{bytes, key, name, role},
    second_checker::python,
};

const SLOT: &str = "1/1/ann-first/1";

/// More dice than any declaration of these games rolls.
const MOST_DICE: usize = 40;

/// A declaration of the last turn that a game can have: nothing is sealed for the turn after it, and everybody plays on.
#[test]
fn the_last_turn_stops_nobody() {
    let table = Match::begun("hostile-last-turn", |terms| terms);
    table.mail(&table.bob, &["declare", "9999/4/bob-second/1", "--no-rolls", "--no-moves", "--skip"]);
    table.mail(&table.ann, &["declare", SLOT, &table.path("ATTACKS.csv"), "--no-moves"]);
    let opened = table.mail(&table.bob, &["reply"]);
    assert!(opened.contains("the envelopes for 1/1/ann-first/1 are opened"), "{opened}");
}

/// An opponent's text cannot pass for the program's own output: neither a choice whose fields look like dice, nor a reason
/// with enough blanks to continue on a new line. With two proposals open, the status offers to refuse either of them.
#[test]
fn an_opponents_text_cannot_pass_for_the_programs() {
    let table = Match::begun("hostile-words", |terms| terms);
    let (ann, bob) = (&table.ann, &table.bob);
    table.mail(ann, &["declare", SLOT, &table.path("ATTACKS.csv"), "--no-moves"]);
    table.mail(bob, &["reply"]);
    let slot = Slot::parse(SLOT).expect("a slot");
    let value = json!({ "d6 = 6  a1 F12 3-1": "", "your move": "sealed-dice game close --yes" });
    let decide = Decide { after: None, name: name("react"), slot, value };
    let read = ann.reads(&bob.forges(|_, _, _| Body::Decide(decide)));
    let (list, _) = read.split_once("\n\n").expect("a list, and a status");
    let forged = |line: &&str| line.contains("a1 F12 3-1") || line.contains("game close --yes");
    assert_eq!(list.lines().filter(forged).filter(|line| line.trim_start().starts_with("> ")).count(), 2, "{list}");
    let status = ann.does(&["game", "status"]);
    assert!(status.contains("last dice") && !status.lines().any(|line| forged(&line)), "{status}");

    let proposals = [format!("the odds of a1;{}your move:", " ".repeat(60)), "a typo\u{201d}; the dice count".into()];
    for reason in proposals {
        let wrong = bob.forges(|ledger, _, _| {
            let declaration = ledger.declarations().next().expect("a declaration").id();
            let scope = Scope::Declaration(declaration);
            Body::Correct(Correct::Void(Voiding { reason, scope }))
        });
        let read = ann.reads(&wrong);
        assert!(!read.contains("  your move:") || read.contains("; your move:\u{201d}"), "{read}");
        assert!(!read.contains("a typo\u{201d}; the dice"), "{read}");
    }
    let commands = ann.status()["commands"].to_string();
    assert_eq!(commands.matches("correct accept").count(), commands.matches("correct refuse").count(), "{commands}");
}

/// What stands in a folder.
fn letters_of(seated: &Seated) -> Vec<Verified> {
    let folder = Folder::open(seated.letters().parent().expect("a game")).expect("a game");
    folder.letters().expect("letters").0.into_iter().map(|Stored { message, .. }| message).collect()
}

/// Whoever signs past the program, with the keys of everybody but one.
pub(crate) struct Forger {
    keys: Vec<(Role, PrivateKey)>,
    letters: Vec<Verified>,
    /// Letters that stand beside others of their author's, and are not gone on from.
    beside: Vec<Verified>,
    roles: Vec<Role>,
    /// What is declared or decided, sealed or opened for.
    slots: Vec<Slot>,
    /// What a decision may be called.
    decisions: Vec<Name>,
    game: Hex32,
    used: u32,
}

/// The slots of the first three turns.
fn slots(terms: &Terms) -> Vec<Slot> {
    let of = |phase: &Phase| {
        let places = phase.impulses.iter().flat_map(|impulse| (1..=2).map(move |number| (*impulse, number)));
        let name = phase.name.clone();
        places.map(move |(impulse, number)| (impulse, name.clone(), number)).collect::<Vec<_>>()
    };
    let places: Vec<_> = terms.phases.iter().flat_map(of).collect();
    let turns = (1..=3).flat_map(|turn| places.iter().map(move |place| (turn, place)));
    turns
        .map(|(turn, (impulse, phase, number))| Slot { turn, impulse: *impulse, phase: phase.clone(), number: *number })
        .collect()
}

impl Forger {
    /// With the letters in a folder, and the keys of others.
    fn of(at: &Seated, others: &[(&str, &Seated)]) -> Self {
        let letters = letters_of(at);
        let charter = letters.iter().find(|message| message.head().kind == Kind::Charter).expect("terms");
        let terms = Terms::parse(charter).expect("terms");
        let accepts =
            |message: &&Verified| message.head().kind == Kind::Accept && message.head().author.as_str() == "bob";
        let game = letters.iter().find(accepts).expect("a game").id();
        let roles = terms.authors().map(|(_, role)| role.clone()).collect();
        let key_of = |seated: &Seated| {
            let home = Home::find(Some(seated.home.clone())).expect("a home");
            let keys = KeyFile::open(&home.key_file()).and_then(|file| file.unlock(None)).expect("a key");
            keys.signing().clone()
        };
        let keys = others.iter().map(|(name, seated)| (role(name), key_of(seated))).collect();
        Self::with(keys, letters, roles, game)
    }

    /// The same with what each party signs with, and the letters that are there.
    pub(crate) fn with(keys: Vec<(Role, PrivateKey)>, letters: Vec<Verified>, roles: Vec<Role>, game: Hex32) -> Self {
        let charter = letters.iter().find(|message| message.head().kind == Kind::Charter).expect("terms");
        let slots = slots(&Terms::parse(charter).expect("terms"));
        let decisions = ["reaction", "order", "pop", "night", "battle", "agree"].map(name).to_vec();
        Self { keys, letters, beside: Vec::new(), roles, slots, decisions, game, used: 0 }
    }

    fn key(&self, author: &Role) -> PrivateKey {
        self.keys.iter().find(|(role, _)| role == author).map_or_else(|| key("a stranger"), |(_, key)| key.clone())
    }

    /// Something that nobody has signed.
    fn invented(&mut self) -> Hex32 {
        self.used += 1;
        bytes(&format!("invented {}", self.used))
    }

    /// The good letter with the highest number, as far as this forger has not gone astray on purpose.
    fn last(&self, author: &Role) -> Option<&Verified> {
        let own = self.letters.iter().filter(|message| {
            let head = message.head();
            head.author == *author && !head.is_unnumbered() && head.kind != Kind::Close && head.number < 99
        });
        own.max_by_key(|message| message.head().number)
    }

    /// The head of an author's next letter.
    pub(crate) fn head(&self, author: &Role, kind: Kind) -> Head {
        let last = self.last(author);
        let mut seen = Seen::default();
        for other in self.roles.iter().filter(|other| *other != author) {
            seen.insert(other.clone(), self.last(other).map(Verified::id));
        }
        let number = last.map_or(0, |last| last.head().number) + 1;
        Head { author: author.clone(), game: Some(self.game), kind, number, prev: last.map(Verified::id), seen, v: 1 }
    }

    /// The same of what stands in no chain.
    fn apart(&self, author: &Role, kind: Kind) -> Head {
        let mut head = self.head(author, kind);
        (head.number, head.prev) = (0, None);
        self.roles.iter().filter(|other| *other != author).for_each(|other| head.seen.insert(other.clone(), None));
        head
    }

    /// Signs, and keeps in mind; as text.
    pub(crate) fn sign(&mut self, head: Head, body: Body) -> Option<String> {
        let key = self.key(&head.author);
        let (message, frame) = Verified::sign(head, body, &key).ok()?;
        self.letters.push(message);
        Some(armour::write(&frame))
    }

    /// A letter of nothing, whose head names letters of `of` that never were: beside its author's chain, with another
    /// `prev` and number, if `beside`.
    fn names(&mut self, by: &str, of: &[&str], beside: bool) -> String {
        let mut head = self.head(&role(by), Kind::Claim);
        for other in of {
            let invented = self.invented();
            head.seen.insert(role(other), Some(invented));
        }
        if beside {
            (head.number, head.prev) = (99, Some(self.invented()));
        }
        let any = self.invented();
        let letter =
            self.sign(head, Body::Claim(Claim::Dispute(Dispute { letters: vec![any], text: "so there".into() })));
        self.letters.pop();
        letter.expect("a letter")
    }

    /// An answer to an ask, which names a letter of the asker's.
    fn answers(&mut self, by: &str, ask: Hex32, last: Option<Hex32>) -> String {
        let head = self.apart(&role(by), Kind::Resync);
        self.sign(head, Body::Resync(Resync::Answer(Answer { ask, last }))).expect("an answer")
    }

    /// So many questions, each which letter of the asker's is known.
    fn asks(&mut self, by: &str, count: usize) -> String {
        let mut asks = String::new();
        for _ in 0..count {
            let (head, fresh) = (self.apart(&role(by), Kind::Resync), self.invented());
            asks += &self.sign(head, Body::Resync(Resync::Ask(fresh))).expect("a question");
            asks += "\n";
        }
        asks
    }
}

/// What the checker in Python says is open, of whom: in a folder of letters.
pub(crate) fn open(letters: &Path, who: &str) -> Vec<String> {
    let output = python().args(["audit", "--json"]).arg(letters).output().expect("an audit runs");
    let text = out(&output);
    let reports = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a report is JSON"));
    let mut whats = Vec::new();
    for report in reports.filter(|report| report["rolls"].is_array() && !report["game"].is_null()) {
        // A claim is its author's, and the referee's to rule on.
        let is_theirs = |matter: &&Value| matter["who"] == who || who == "ref" && matter["what"] == "claim";
        for matter in report["open"].as_array().into_iter().flatten().filter(is_theirs) {
            whats.push(matter["what"].as_str().expect("a word").to_owned());
        }
        let findings = report["findings"].as_array().into_iter().flatten();
        whats.extend(findings.filter(|finding| finding["culprit"] == who).map(|finding| format!("blamed: {finding}")));
    }
    whats
}

fn commands(status: &Value) -> Vec<String> {
    let commands = status["commands"].as_array().expect("a list").iter();
    commands.map(|line| line.as_str().expect("a line").to_owned()).collect()
}

/// Whether a command chooses between two letters that somebody signed in one place.
fn chooses(command: &str) -> bool {
    command.contains(" dispute raise ")
}

/// What each kind of task that Python names looks like among the commands of a status. Whoever must first answer a proposal
/// brings the rest along with the answer.
///
/// A choice between two letters of somebody's comes before all but the reply.
fn is_named(what: &str, who: &str, status: &Value) -> bool {
    let commands = commands(status);
    if commands.iter().any(|command| chooses(command)) {
        return true;
    }
    let has = |part: &str| commands.iter().any(|command| command.contains(part));
    let listed = |part: &str| status["waits_for"].to_string().contains(part);
    has(" correct ")
        || match what {
            "reveal" => commands.iter().any(|command| brings_the_reply(command)),
            "answer" => has(" correct "),
            "names" => has(" dispute name"),
            // Behind a close nothing is decided any more.
            "decide" => has(" decide ") || has(" note ") || !status["ended"].is_null(),
            "redo" => has(" declare "),
            "claim" => who != "ref" || has(" rule ") || listed(" rule "),
            _ => true,
        }
}

/// That somebody's status names what Python says is owed, and that all of it works; who types `reply` owes nothing of the
/// plain things any more, and is not blamed.
fn holds(table: &Match, seated: &Seated, who: &str) {
    holds_behind(table, seated, who, 0, &|_| ());
}

/// The same where they have made so many choices between two letters of somebody's. `prepare` writes the files that
/// commands name.
fn holds_behind(table: &Match, seated: &Seated, who: &str, depth: usize, prepare: &dyn Fn(&Seated)) {
    prepare(seated);
    let (status, owed) = (seated.status(), open(&seated.letters(), who));
    assert_eq!(status["blocked"], Value::Null, "{who} is kept from signing: {status}");
    assert!(!owed.iter().any(|what| what.starts_with("blamed")), "{owed:?}");
    for what in &owed {
        assert!(is_named(what, who, &status), "{what} is not named: {status}");
    }
    for command in &commands(&status) {
        let copy = copied(table, seated, &format!("{who} tries {depth}"));
        let words = table.typed(seated, command);
        let output = tries(&copy, &words);
        assert_eq!(output.status.code(), Some(0), "{command}: {}\n{status}", talk(&output));
        if brings_the_reply(command) {
            let left = open(&copy.letters(), who);
            let still = left.iter().any(|what| what == "reveal" || what.starts_with("blamed"));
            assert!(!still, "after {command}: {left:?}\n{}", out(&output));
        }
        if chooses(command) {
            holds_behind(table, &copy, who, depth + 1, prepare);
            prepare(seated);
        }
    }
}

/// Types a command. Where it names dice, which the status leaves open, ones: as many as it takes.
fn tries(seated: &Seated, words: &[String]) -> Output {
    let (dice, rest): (Vec<&str>, Vec<&str>) = words.iter().map(String::as_str).partition(|word| *word == "DICE");
    let with = |count: usize| seated.run(&[rest.clone(), vec!["1"; count], vec!["--yes"]].concat(), "");
    let mut output = with(dice.len());
    for count in 2..=MOST_DICE {
        if dice.is_empty() || output.status.success() {
            break;
        }
        output = with(count);
    }
    output
}

/// A copy of somebody's folder, with what this machine remembers.
fn copied(table: &Match, seated: &Seated, name: &str) -> Seated {
    let copy = Seated::at(table.dir.join(name));
    let _ = fs::remove_dir_all(&copy.home);
    copy_folder(&seated.home, &copy.home);
    copy
}

/// Reads a mail, of which some may not be taken in.
fn reads(seated: &Seated, mail: &str) {
    let output = seated.run(&["read", "-"], mail);
    assert!(matches!(output.status.code(), Some(0 | 2)), "{}{}", out(&output), talk(&output));
}

/// A game with a referee in which Ann has declared, and Bob owes the reveal.
fn declared(name: &str) -> Refereed {
    let game = Refereed::begun(name, FORFEIT);
    let (ann, attacks) = (&game.table.ann, game.table.path("ATTACKS.csv"));
    game.mail(ann, &["declare", SLOT, &attacks, "--moves", "the 3rd crosses"]);
    game
}

/// The sequences of an attack on the program: with one letter of each kind Bob, or the referee, could sign nothing any more,
/// was silent, and forfeited his dice.
#[test]
fn invented_letters_lock_nobody() {
    let game = declared("hostile-invented");
    let (ann, bob, carol) = (&game.table.ann, &game.table.bob, &game.carol);
    game.mail(ann, &["dispute", "stall", SLOT, "--text", "he is silent"]);
    for (n, beside) in [true, false].into_iter().enumerate() {
        let mut forger = Forger::of(bob, &[("ann", ann), ("ref", carol)]);
        for (seated, me, by) in [(bob, "bob", ["ann", "ref"]), (carol, "ref", ["ann", "ann"])] {
            let copy = copied(&game.table, seated, &format!("copy {n} {me}"));
            for author in by {
                reads(&copy, &forger.names(author, &[me], beside));
            }
            holds(&game.table, &copy, me);
            let notes = copy.status()["notes"].to_string();
            assert!(notes.contains("ann names") && notes.contains("has not signed"), "{notes}");
        }
    }
}

/// An answer to no ask changes nothing. One that names a letter which never was is waited for, until whoever asked goes on
/// without its author.
#[test]
fn false_answers_lock_nobody() {
    let game = declared("hostile-answers");
    let (ann, bob, carol) = (&game.table.ann, &game.table.bob, &game.carol);
    let mut forger = Forger::of(bob, &[("ann", ann)]);
    let (ask, last) = (forger.invented(), forger.invented());
    let letters = forger.answers("ann", ask, Some(last));
    for (seated, who) in [(bob, "bob"), (carol, "ref")] {
        reads(seated, &letters);
        holds(&game.table, seated, who);
    }

    let restored = copied(&game.table, bob, "restored");
    fs::remove_dir_all(&restored.machine).expect("what it remembers");
    assert!(restored.is_refused(&["reply", "--yes"]).contains("first ask"), "{}", restored.status());
    let before: Vec<Hex32> = letters_of(&restored).iter().map(Verified::id).collect();
    let mail = restored.signs(&["game", "resync"]);
    let asked = letters_of(&restored).iter().map(Verified::id).find(|id| !before.contains(id)).expect("an ask");
    reads(carol, &mail);
    reads(&restored, &carol.signs(&["reply"]));
    reads(&restored, &forger.answers("ann", asked, Some(last)));
    let waits = restored.status()["waits_for"].to_string();
    assert!(waits.contains(&last.to_string()[..8]) && !waits.contains("answer"), "{waits}");
    let why = restored.is_refused(&["reply", "--yes"]);
    assert!(why.contains("game resync --without ROLE"), "{why}");
    restored.does(&["game", "resync", "--without", "ann", "--yes"]);
    holds(&game.table, &restored, "bob");
}

/// A wall of questions is answered eight at a time, and status says so.
#[test]
fn a_wall_of_questions_is_answered_in_parts() {
    let game = declared("hostile-asks");
    let (ann, bob) = (&game.table.ann, &game.table.bob);
    let mut forger = Forger::of(bob, &[("ann", ann)]);
    reads(bob, &forger.asks("ann", 20));
    let notes = bob.status()["notes"].to_string();
    assert!(notes.contains("later replies answer the other 12 questions"), "{notes}");
    holds(&game.table, bob, "bob");
    for answered in [8, 16, 20] {
        assert!(commands(&bob.status()).iter().any(|command| command.contains(" reply")), "{}", bob.status());
        bob.signs(&["reply"]);
        let letters = letters_of(bob);
        let answers = letters.iter().filter(|message| matches!(message.body(), Body::Resync(Resync::Answer(_))));
        assert_eq!(answers.count(), answered);
    }
    assert!(!commands(&bob.status()).iter().any(|command| command.contains(" reply")), "{}", bob.status());
}

/// A letter that names letters of an office by mail which never were neither keeps it from opening, nor, once it was
/// restored, from its epoch.
#[test]
fn an_office_by_mail_is_not_told_by_others_that_it_was_restored() {
    let game = Officed::begun("hostile-office");
    let (ann, bob, office) = (&game.table.ann, &game.table.bob, &game.office);
    game.mail(office, &["reply"]);
    game.mail(ann, &["declare", SLOT, &game.table.path("ATTACKS.csv"), "--moves", "the 3rd crosses"]);
    let mut forger = Forger::of(office, &[("ann", ann), ("bob", bob)]);
    for by in ["ann", "bob"] {
        reads(office, &forger.names(by, &["club"], true));
    }
    holds(&game.table, office, "club");
    let restored = copied(&game.table, office, "restored");
    let opened = office.signs(&["reply"]);
    assert!(opened.contains(&format!("the envelopes for {SLOT} are opened")), "{opened}");
    fs::remove_dir_all(&restored.machine).expect("what it remembers");
    assert!(restored.is_refused(&["reply", "--yes"]).contains("begin an epoch"));
    let epoch = restored.signs(&["game", "resync"]);
    assert!(epoch.contains("a new epoch begins"), "{epoch}");
}

/// All that an office signs counts, on whatever branch (office 22): what it says on two of them at once, a player's program
/// takes one after the other. Here a hand-back beside a longer branch, and then two epochs.
#[test]
fn an_office_that_signs_side_by_side_locks_nobody() {
    let game = Officed::begun("hostile-office-branches");
    let (ann, bob, office) = (&game.table.ann, &game.table.bob, &game.office);
    game.mail(office, &["reply"]);
    bob.reads(
        &game.table.posts(ann, &["declare", SLOT, &game.table.path("ATTACKS.csv"), "--moves", "the 3rd crosses"]),
    );
    let seal = letters_of(bob).into_iter().find_map(|letter| match letter.body() {
        Body::Seal(seal) if seal.purpose == SLOT => Some(letter.id()),
        _ => None,
    });
    let time = |n: u64| Receipt::Time(Moment { at: 1_800_000_000 + n });
    let epoch = |n: u64| Receipt::Epoch(Moment { at: 1_800_000_000 + n });
    let back = Receipt::HandBack(Seals { seals: vec![seal.expect("a seal")] });
    for (name, branches) in [
        ("handed back", [vec![time(1), time(2)], vec![back]]),
        ("two epochs", [vec![epoch(1)], vec![time(1), epoch(2)]]),
    ] {
        for (seated, who) in [(ann, "ann"), (bob, "bob")] {
            let copy = copied(&game.table, seated, name);
            let mut forger = Forger::of(&copy, &[("club", office)]);
            let first = forger.head(&role("club"), Kind::Receipt);
            for branch in branches.clone() {
                let mut head = first.clone();
                for receipt in branch {
                    reads(&copy, &forger.sign(head.clone(), Body::Receipt(receipt)).expect("a receipt"));
                    let last = forger.letters.last().map(Verified::id);
                    head = Head { number: head.number + 1, prev: last, ..head };
                }
            }
            holds(&game.table, &copy, who);
        }
    }
}

/// An accept that names a letter which is not there begins no game, and keeps nobody from taking the terms back.
#[test]
fn an_accept_that_waits_begins_nothing() {
    let game = Refereed::seated("hostile-accept-waits");
    let (table, carol) = (&game.table, &game.carol);
    let terms = refereed_terms(table, carol, "double-impulse", |_| String::new(), |terms| terms);
    let mail = table.posts(&table.ann, &["game", "new", &terms]);
    table.bob.reads(&mail);
    let letters = letters_of(&table.ann);
    let charter = letters[0].id();
    let keys = vec![(role("bob"), table.bob.keys().signing().clone())];
    let mut forger = Forger::with(keys, letters, ["ann", "bob", "ref"].map(role).to_vec(), charter);
    let mut head = forger.head(&role("bob"), Kind::Accept);
    head.seen.insert(role("ref"), Some(bytes("no letter of Carol's")));
    let accept = Accept { charter, compared: false, nonce: bytes("a nonce") };
    reads(&table.ann, &forger.sign(head, Body::Accept(accept)).expect("an accept"));
    assert_eq!(table.ann.status()["begun"], false, "{}", table.ann.status());
    table.ann.signs(&["game", "withdraw"]);
}

/// One letter of somebody else's, as it is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drawn {
    by: u8,
    body: u8,
    pick: u8,
    number: u8,
    prev: u8,
    seen: u8,
}

pub(crate) fn drawn() -> impl Strategy<Value = Drawn> {
    (any::<u8>(), any::<u8>(), any::<u8>(), 0..10_u8, 0..10_u8, 0..10_u8)
        .prop_map(|(by, body, pick, number, prev, seen)| Drawn { by, body, pick, number, prev, seen })
}

/// Letters, and now and then a question of Ann's, which is read among the first.
fn asked_and_drawn() -> impl Strategy<Value = Vec<Drawn>> {
    let ask = Drawn { by: 0, body: 0, pick: 0, number: 9, prev: 9, seen: 9 };
    (any::<bool>(), prop::collection::vec(drawn(), 1..24)).prop_map(move |(asks, mut letters)| {
        if asks {
            letters.push(ask);
        }
        letters
    })
}

impl Forger {
    /// Signs what is drawn, against somebody; none if it cannot be written.
    pub(crate) fn draw(&mut self, drawn: Drawn, target: &str) -> Option<String> {
        let authors = self.keys.len() + 1;
        // Now and then a stranger signs, under any role.
        let author = match self.keys.get(usize::from(drawn.by) % authors) {
            Some((author, _)) => author.clone(),
            None => self.roles[usize::from(drawn.pick) % self.roles.len()].clone(),
        };
        let stranger = usize::from(drawn.by) % authors == self.keys.len();
        let body = self.body(&author, drawn, target)?;
        let unnumbered = matches!(body, Body::Resync(_) | Body::Deposit(_));
        let mut head = match unnumbered {
            true => self.apart(&author, body.kind()),
            false => self.bent(&author, body.kind(), drawn, target),
        };
        if stranger {
            let (message, frame) = Verified::sign(head, body, &key("a stranger")).ok()?;
            drop(message);
            return Some(armour::write(&frame));
        }
        if matches!(body, Body::Accept(_)) {
            let charter = self.letters.iter().find(|letter| letter.head().kind == Kind::Charter)?;
            head.game = Some(charter.id());
        }
        let good = !unnumbered && drawn.number > 2 && drawn.prev > 2 && drawn.seen > 3;
        let letter = self.sign(head, body)?;
        // What went astray is not gone on from.
        if !good && !unnumbered {
            self.beside.extend(self.letters.pop());
        }
        Some(letter)
    }

    fn bent(&mut self, author: &Role, kind: Kind, drawn: Drawn, target: &str) -> Head {
        let mut head = self.head(author, kind);
        let first = self
            .letters
            .iter()
            .find(|letter| letter.head().author == *author)
            .map(|l| (l.head().number, l.head().prev));
        match drawn.number {
            0 => head.number = 99,
            1 => head.number += 1 + u64::from(drawn.pick % 3),
            2 => head.number = first.map_or(2, |(number, _)| number + 1 + u64::from(drawn.pick % 4)),
            _ => {}
        }
        match drawn.prev {
            0 => head.prev = Some(self.invented()),
            1 => {
                // Beside a letter of before: a fork.
                let before = self.letters.iter().filter(|letter| letter.head().author == *author);
                let before: Vec<(u64, Option<Hex32>)> =
                    before.map(|letter| (letter.head().number, letter.head().prev)).filter(|(n, _)| *n > 1).collect();
                if let Some((number, prev)) = before.get(usize::from(drawn.pick) % before.len().max(1)) {
                    (head.number, head.prev) = (*number, *prev);
                }
            }
            2 => head.prev = Some(self.letters[usize::from(drawn.pick) % self.letters.len()].id()),
            _ => {}
        }
        let others: Vec<Role> = self.roles.iter().filter(|other| *other != author).cloned().collect();
        for other in others {
            let id = self.invented();
            match drawn.seen {
                0 if other.as_str() == target => head.seen.insert(other, Some(id)),
                1 => head.seen.insert(other, Some(id)),
                2 => head.seen.insert(other, None),
                3 => {
                    let any = self.letters[usize::from(drawn.pick) % self.letters.len()].id();
                    head.seen.insert(other, Some(any));
                }
                // After another branch of somebody's: a witness for that.
                4 | 5 => {
                    let branches = self.beside.iter().filter(|letter| letter.head().author == other);
                    if let Some(letter) = branches.cycle().nth(usize::from(drawn.pick) % 8) {
                        head.seen.insert(other, Some(letter.id()));
                    }
                }
                _ => {}
            }
        }
        head
    }

    /// Something that a letter may say.
    fn body(&mut self, author: &Role, drawn: Drawn, target: &str) -> Option<Body> {
        let pick = usize::from(drawn.pick);
        let any = self.letters[pick % self.letters.len()].id();
        let of = |letters: &[Verified], kind: Kind| {
            let found: Vec<Hex32> =
                letters.iter().filter(|letter| letter.head().kind == kind).map(Verified::id).collect();
            found.get(pick % found.len().max(1)).copied().unwrap_or(any)
        };
        let (declaration, seal) = (of(&self.letters, Kind::Declare), of(&self.letters, Kind::Seal));
        let target = role(target);
        let forfeit = if pick.is_multiple_of(2) { Forfeit::DeclarerNames } else { Forfeit::Game };
        let ruling = |rule: Ruled| Some(Body::Ruling(Ruling { rule, text: "so be it".into() }));
        match drawn.body % 31 {
            0 | 1 => Some(Body::Resync(Resync::Ask(self.invented()))),
            2 => {
                let ask = self.invented();
                Some(Body::Resync(Resync::Answer(Answer { ask, last: Some(any) })))
            }
            3 => Some(Body::Resync(Resync::Answer(Answer { ask: of(&self.letters, Kind::Resync), last: None }))),
            4 => Some(Body::Resync(Resync::Answer(Answer { ask: any, last: Some(self.invented()) }))),
            5 => Some(Body::Claim(Claim::Stall(Stall {
                letter: Some(declaration),
                owes: target,
                step: Step::Reveal,
                text: String::new(),
            }))),
            6 => Some(Body::Claim(Claim::Stall(Stall {
                letter: None,
                owes: target,
                step: Step::Answer,
                text: String::new(),
            }))),
            7 => Some(Body::Claim(Claim::Dispute(Dispute { letters: vec![any], text: "no".into() }))),
            8 => Some(Body::Claim(Claim::Withdraw(of(&self.letters, Kind::Claim)))),
            9 => {
                Some(Body::Claim(Claim::Yield(Yield { declaration: Some(declaration), forfeit, text: String::new() })))
            }
            10 => Some(Body::Claim(Claim::Names(Names { declaration, dice: vec![6, 6], forfeit: any }))),
            11 => ruling(Ruled::Request(of(&self.letters, Kind::Claim))),
            12 => ruling(Ruled::Forfeit(RuledForfeit { forfeit, request: of(&self.letters, Kind::Ruling) })),
            13 => ruling(Ruled::Kill(seal)),
            14 => ruling(Ruled::Settle(any)),
            15 => ruling(Ruled::Dismiss(of(&self.letters, Kind::Claim))),
            16 => ruling(Ruled::Agree(of(&self.letters, Kind::Correct))),
            17 => ruling(Ruled::Void(Scope::Declaration(declaration))),
            18 => Some(Body::Receipt(Receipt::Time(Moment { at: 1_800_000_000 + u64::from(drawn.pick) }))),
            19 => Some(Body::Receipt(Receipt::Epoch(Moment { at: 1_800_000_000 }))),
            20 => Some(Body::Receipt(Receipt::HandBack(Seals { seals: vec![seal] }))),
            21 => Some(Body::Receipt(Receipt::Deposit(Seals { seals: vec![seal] }))),
            22 => {
                let seals = self.letters.iter().filter_map(|letter| match letter.body() {
                    Body::Seal(seal) => Some(seal.clone()),
                    _ => None,
                });
                let seals: Vec<_> = seals.collect();
                let mut seal = seals.get(pick % seals.len().max(1))?.clone();
                seal.purpose = match pick % 4 {
                    0 => "foul-up/1".into(),
                    1 => "sheet/9".into(),
                    _ => self.slots[pick / 4 % self.slots.len()].to_string(),
                };
                seal.salt = self.invented();
                Some(Body::Seal(seal))
            }
            23 => Some(Body::Reveal(Reveal {
                declaration: Some(declaration).filter(|_| !pick.is_multiple_of(3)),
                keys: vec![Key(1, any)],
                seal,
                sheets: vec![CellKey(0, 3, any)],
            })),
            24 if pick.is_multiple_of(2) => Some(Body::Close(Close { masters: None, result: None })),
            24 => Some(Body::Close(Close { masters: Some(vec![Master { master: any, seal }]), result: None })),
            25 => Some(Body::Correct(match pick % 3 {
                0 => Correct::Accept(of(&self.letters, Kind::Correct)),
                1 => Correct::Refuse(of(&self.letters, Kind::Correct)),
                _ => Correct::Void(Voiding { reason: "no".into(), scope: Scope::Declaration(declaration) }),
            })),
            26 => Some(Body::Correct(Correct::Propose(Box::new(Proposal {
                at_fault: if pick.is_multiple_of(2) { author.clone() } else { target },
                class: FoulUpClass::IllegalMove,
                declaration,
                input: None,
                reason: "a foul-up".into(),
            })))),
            27 => {
                let slot = self.slots[pick % self.slots.len()].clone();
                let name = self.decisions[pick / 2 % self.decisions.len()].clone();
                let value = [json!("none"), json!("first"), json!([]), json!(true), json!({})][pick % 5].clone();
                let after = Some(declaration).filter(|_| pick % 3 > 0);
                Some(Body::Decide(Decide { after, name, slot, value }))
            }
            28 => {
                let declared = self.letters.iter().find_map(|letter| match letter.body() {
                    Body::Declare(declare) => Some(declare.clone()),
                    _ => None,
                });
                let mut again = declared?;
                again.slot = self.slots[pick % self.slots.len()].clone();
                if pick.is_multiple_of(3) {
                    again.after = Some(declaration);
                }
                Some(Body::Declare(again))
            }
            _ if author.as_str() == "bob" && pick.is_multiple_of(2) => {
                let charter = self.letters.iter().find(|letter| letter.head().kind == Kind::Charter)?.id();
                Some(Body::Accept(Accept { charter, compared: true, nonce: self.invented() }))
            }
            _ => Some(Body::Deposit(Deposit { key: any, seal, wrapped: Wrapped([drawn.pick; WRAPPED]) })),
        }
    }
}

/// How many cases a law has: `PROPTEST_CASES`, or few.
pub(crate) fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(3)
}

/// Feeds what is drawn to a copy of somebody's folder in two mails, and looks whether the promise holds.
/// Questions among the first are answered in between, if `answers`: what comes later does not know the answers. `prepare` writes the
/// files that commands name. The copy.
fn withstands(
    table: &Match,
    seated: &Seated,
    who: &str,
    others: &[(&str, &Seated)],
    (letters, answers): (&[Drawn], bool),
    prepare: &dyn Fn(&Seated),
) -> Seated {
    let copy = copied(table, seated, &format!("{who} among others"));
    let mut forger = Forger::of(seated, others);
    let texts: Vec<String> = letters.iter().filter_map(|drawn| forger.draw(*drawn, who)).collect();
    // Whoever comes late comes first, and some come twice.
    let (late, early) = texts.split_at(texts.len() / 2);
    for (n, mail) in [early.concat(), [late.concat(), early.concat()].concat()].into_iter().enumerate() {
        if !mail.is_empty() {
            reads(&copy, &mail);
        }
        if n == 0 && answers && commands(&copy.status()).iter().any(|command| command.ends_with(" reply")) {
            copy.signs(&["reply"]);
        }
    }
    holds_behind(table, &copy, who, 0, prepare);
    copy
}

#[test]
fn no_letter_of_others_keeps_a_party_from_what_it_owes() {
    let game = declared("hostile-law");
    let (ann, bob, carol) = (&game.table.ann, &game.table.bob, &game.carol);
    game.mail(ann, &["dispute", "stall", SLOT, "--text", "he is silent"]);
    let config =
        ProptestConfig { cases: cases(), max_shrink_iters: 40, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(letters in asked_and_drawn(), referee in any::<bool>(), answers in any::<bool>())| {
        let letters = (letters.as_slice(), answers);
        match referee {
            false => withstands(&game.table, bob, "bob", &[("ann", ann), ("ref", carol)], letters, &|_| ()),
            true => withstands(&game.table, carol, "ref", &[("ann", ann), ("bob", bob)], letters, &|_| ()),
        };
    });
}

#[test]
fn no_letter_of_players_keeps_an_office_from_what_it_owes() {
    let game = Officed::begun("hostile-law-office");
    let (ann, bob, office) = (&game.table.ann, &game.table.bob, &game.office);
    game.mail(office, &["reply"]);
    game.mail(ann, &["declare", SLOT, &game.table.path("ATTACKS.csv"), "--moves", "the 3rd crosses"]);
    let config =
        ProptestConfig { cases: cases(), max_shrink_iters: 40, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(letters in prop::collection::vec(drawn(), 1..24))| {
        withstands(&game.table, office, "club", &[("ann", ann), ("bob", bob)], (&letters, false), &|_| ());
    });
}
