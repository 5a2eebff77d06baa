//! An office that answers by mail: Ann plays on while Bob is away, and what becomes of his envelopes when the office is.

use sealed_dice::{
    blob::{
        Body,
        body::{Contribution, Moves, Slot},
    },
    game::{
        steps::{self, Request},
        tasks,
    },
};
use serde_json::{Value, json};

#[cfg(feature = "postgres")]
use sealed_dice::{
    blob::{Hex32, office::Receipt},
    game::steps::Letter,
    keep::folder::Folder,
    office::pass::Pass,
};

use super::{Match, Seated, audits, copy_folder};
use crate::kit::{bytes, example_attacks, text};
#[cfg(feature = "postgres")]
use crate::{
    office::world::{Premises, Running, now, opened},
    play::talk,
};

const FIRST: &str = "1/1/ann-first/1";
const SECOND: &str = "1/2/ann-second/1";

/// A game with an office at a third machine.
pub(super) struct Officed {
    pub(super) table: Match,
    pub(super) office: Seated,
}

impl Officed {
    pub(super) fn begun(name: &str) -> Self {
        let table = Match::seated(name);
        let office = Seated::at(table.dir.join("office"));
        office.does(&["key", "new", "--no-passphrase"]);
        let terms = terms(&table, &office, &office);
        let game = Self { table, office };
        game.mail(&game.table.ann, &["game", "new", &terms]);
        let early = game.table.bob.is_refused(&["game", "accept", "--yes"]);
        assert!(early.contains("The club must accept the terms first"), "{early}");
        assert!(game.table.bob.status()["waits_for"].to_string().contains("The club accepts"));
        let shown = game.mail(&game.office, &["game", "accept"]);
        assert!(shown.contains("the terms are accepted"), "{shown}");
        assert_eq!(game.office.status()["commands"], json!([]), "{}", game.office.status());
        assert!(game.office.status()["waits_for"].to_string().contains("bob accepts the terms"));
        game.mail(&game.table.bob, &["game", "accept"]);
        game.mail(&game.table.ann, &["reply"]);
        game
    }

    /// A command whose mail both others read.
    pub(super) fn mail(&self, from: &Seated, args: &[&str]) -> String {
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

/// What both checkers find in a player's folder.
fn of(player: &Seated) -> Value {
    let [ours, theirs] = audits(&player.letters());
    assert_eq!(ours, theirs);
    ours[0].clone()
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
    assert!(
        notes.contains("club has not confirmed yet") && notes.contains("its sealer opens the dice by mail"),
        "{notes}"
    );
    assert_eq!(office.status()["commands"].as_array().map(Vec::len), Some(1), "{}", office.status());
    let told = game.mail(office, &["reply"]);
    assert!(told.contains("are held and match the sealed values"), "{told}");
    assert!(!ann.status()["notes"].to_string().contains("not confirmed"), "{}", ann.status());

    // Bob reads nothing of this. Ann has the dice of her first impulse, and rolls for her second.
    let away = [ann, office];
    game.mail_to(ann, &["declare", FIRST, &attacks, "--moves", "the 3rd crosses"], &away);
    let opened = game.mail_to(office, &["reply"], &away);
    assert!(opened.contains("draw") || opened.contains("dice"), "{opened}");
    let again = office.does(&["reply", "--yes"]);
    assert!(again.contains("  letter 3:") && !again.contains("  letter 4:"), "the same letters again: {again}");
    game.mail_to(ann, &["declare", SECOND, &rolls, "--no-moves"], &away);
    game.mail_to(office, &["reply"], &away);
    let report = of(ann);
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

    // The office falls silent. What it alone opens Bob's tool does not, until Ann has given the office up.
    game.mail_to(ann, &["declare", "2/1/ann-first/1", &attacks, "--no-moves", "--skip"], &[bob]);
    let refused = bob.is_refused(&["reveal", "2/1/ann-first/1", "--yes"]);
    assert!(refused.contains("the office opens 2/1/ann-first/1"), "{refused}");
    assert!(ann.status()["waits_for"].to_string().contains("club"), "{}", ann.status());
    let given_up = game.mail_to(ann, &["dispute", "stall", "2/1/ann-first/1", "--text", "the club is closed"], &[bob]);
    assert!(given_up.contains("2/1/ann-first/1 no longer waits for the office, and bob must open it"), "{given_up}");
    game.mail_to(bob, &["reply"], &[ann]);
    let report = of(ann);
    assert_eq!(report["verdict"], "verified", "{report}");
    assert_eq!(report["rolls"].as_array().map(Vec::len), Some(dice + 3), "{report}");

    game.mail_to(ann, &["game", "close"], &[bob]);
    game.mail_to(bob, &["game", "close"], &[ann]);
    game.mail_to(ann, &["reply"], &[bob]);
    let report = game.table.report();
    assert_eq!((&report["verdict"], &report["complete"]), (&json!("verified"), &json!(true)), "{report}");
}

/// The office comes back from a backup that is older than what it has opened. It begins an epoch; Bob seals anew, and all goes on.
#[test]
fn a_restored_office_begins_an_epoch() {
    let game = Officed::begun("play-office-restored");
    let (ann, bob, office) = (&game.table.ann, &game.table.bob, &game.office);
    game.mail(office, &["reply"]);
    let refused = office.is_refused(&["game", "resync", "--yes"]);
    assert!(refused.contains("nothing was restored"), "{refused}");
    let machine = game.table.dir.join("second machine");
    let restored = Seated { machine, ..Seated::at(game.table.dir.join("restored")) };
    copy_folder(&office.home, &restored.home);
    let attacks = game.table.path("ATTACKS.csv");
    let declared = game.mail(ann, &["declare", FIRST, &attacks, "--no-moves"]);
    game.mail_to(office, &["reply"], &[ann, bob]);
    restored.reads(&declared);
    assert!(restored.is_refused(&["reply", "--yes"]).contains("begin an epoch"));
    assert!(restored.status()["commands"].to_string().contains("game resync"), "{}", restored.status());
    let began = game.mail_to(&restored, &["game", "resync"], &[ann, bob]);
    assert!(began.contains("a new epoch begins"), "{began}");
    let report = of(ann);
    assert_eq!(report["verdict"], "verified", "{report}");
    assert_eq!(report["rolls"].as_array().map(Vec::len), Some(3), "what was opened stays opened: {report}");
    assert_eq!(report["findings"][0]["culprit"], Value::Null, "{report}");

    // Bob's sheet gives no new dice; he seals another, which the office confirms.
    let sealed = game.mail_to(bob, &["reply"], &[ann, &restored]);
    assert!(sealed.contains("sheet/1"), "{sealed}");
    game.mail_to(&restored, &["reply"], &[ann, bob]);
    game.mail_to(ann, &["declare", SECOND, &game.table.path("ROLLS.csv"), "--no-moves"], &[bob, &restored]);
    game.mail_to(&restored, &["reply"], &[ann, bob]);
    let report = of(ann);
    assert_eq!(report["verdict"], "verified", "{report}");
    assert!(report["rolls"].as_array().map_or(0, Vec::len) > 3, "{report}");
}

/// Ann shows the office one list and Bob another. He has read what the office opened, and opens nothing for her before he has
/// the letter that it names.
#[test]
fn a_sealer_asks_for_what_the_office_has_seen() {
    let game = Officed::begun("play-office-fork");
    let (ann, bob, office) = (&game.table.ann, &game.table.bob, &game.office);
    game.mail(office, &["reply"]);
    let beside = Seated::at(game.table.dir.join("beside"));
    copy_folder(&ann.home, &beside.home);
    let attacks = game.table.path("ATTACKS.csv");
    game.mail_to(ann, &["declare", FIRST, &attacks, "--no-moves"], &[office]);
    let whole = game.mail_to(office, &["reply"], &[]);
    assert!(whole.contains("ann letter"), "with its opening the office gives the declaration: {whole}");
    game.mail_to(office, &["resend", "3"], &[bob]);
    let other = beside.forges(|ledger, player, _| {
        let slot = Slot::parse(FIRST).expect("a slot");
        let request = Request {
            moves: Moves::Text("elsewhere".into()),
            input: text(&example_attacks()),
            seal: tasks::set_for(ledger, player, &slot).expect("a set"),
            contribution: Contribution::Open(bytes("another contribution")),
            redo: None,
            slot,
        };
        Body::Declare(Box::new(steps::declaration(ledger, player, request).expect("a declaration")))
    });
    bob.reads(&other);
    let refused = bob.is_refused(&["reveal", FIRST, "--yes"]);
    assert!(refused.contains("a letter from ann is missing here"), "{refused}");
    bob.reads(&whole);
    let opened = bob.does(&["reveal", FIRST, "--yes"]);
    assert_eq!(opened, "", "the office's mail has it, and the first declaration is open");
    assert_eq!(of(bob)["findings"][0]["culprit"], "ann", "{}", of(bob));
}

/// Ann comes back from a backup. Bob answers, and she signs nothing before the office has answered, too; or without it, if it
/// is silent.
#[test]
fn a_restored_player_asks_the_office_too() {
    for silent in [false, true] {
        let game = Officed::begun(if silent { "play-office-silent" } else { "play-office-asked" });
        let (ann, bob, office) = (&game.table.ann, &game.table.bob, &game.office);
        game.mail(office, &["reply"]);
        let machine = game.table.dir.join("her second machine");
        let restored = Seated { machine, ..Seated::at(game.table.dir.join("her backup")) };
        copy_folder(&ann.home, &restored.home);
        let attacks = game.table.path("ATTACKS.csv");
        let declare = ["declare", FIRST, &attacks, "--no-moves"];
        // Lost with the old machine, and in nobody's hands.
        game.mail_to(ann, &declare, &[]);
        game.mail_to(&restored, &["game", "resync"], &[bob, office]);
        game.mail_to(bob, &["reply"], &[&restored]);
        let refused = restored.is_refused(&[&declare[..], &["--yes"]].concat());
        assert!(refused.contains("game resync --without ROLE"), "{refused}");
        assert_eq!(restored.status()["waits_for"][0], json!("club's answer"), "{}", restored.status());
        if silent {
            restored.does(&["game", "resync", "--without", "club", "--yes"]);
            game.mail_to(&restored, &declare, &[bob]);
            assert_eq!(of(bob)["verdict"], "verified");
        } else {
            assert!(office.status()["commands"].to_string().contains("reply"), "{}", office.status());
            game.mail_to(office, &["reply"], &[&restored, bob]);
            game.mail_to(&restored, &declare, &[bob, office]);
            game.mail_to(office, &["reply"], &[&restored, bob]);
            let report = of(bob);
            assert_eq!(report["verdict"], "verified", "{report}");
            assert_eq!(report["rolls"].as_array().map(Vec::len), Some(3), "{report}");
        }
    }
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

/// What the office hands back Bob opens himself.
#[cfg(feature = "postgres")]
#[test]
fn a_set_that_is_handed_back_is_opened_by_its_sealer() {
    let game = Officed::begun("play-office-hands-back");
    let (ann, bob, office) = (&game.table.ann, &game.table.bob, &game.office);
    game.mail(office, &["reply"]);
    let refused = bob.is_refused(&["office", "hand-back", FIRST, "--yes"]);
    assert!(refused.contains("only the office"), "{refused}");
    let none = office.is_refused(&["office", "hand-back", "9/1/ann-first/1", "--yes"]);
    assert!(none.contains("does not hold a set"), "{none}");
    let told = game.mail(office, &["office", "hand-back", FIRST]);
    assert!(told.contains("from now on, the sealer opens"), "{told}");
    game.mail(ann, &["declare", FIRST, &game.table.path("ATTACKS.csv"), "--no-moves"]);
    assert_eq!(office.status()["commands"], json!([]), "{}", office.status());
    game.mail(bob, &["reveal", FIRST]);
    let report = of(ann);
    assert_eq!(report["verdict"], "verified", "{report}");
    assert_eq!(report["rolls"].as_array().map(Vec::len), Some(3), "{report}");
}

/// A game whose letters go through an office that serves, always at the same address, and is restored from a copy made before
/// the first declaration. Nothing of what it forgot is named by a letter that it has.
#[cfg(feature = "postgres")]
struct Posted {
    premises: Premises,
    table: Match,
    /// The declaration and its reveal, which the office has forgotten.
    forgotten: Vec<Letter>,
}

#[cfg(feature = "postgres")]
impl Posted {
    fn restored(name: &str) -> (Self, Running) {
        let premises = Premises::made(&format!("{name}-premises"), None);
        let office = premises.serve();
        let address = office.url.trim_start_matches("http://").to_owned();
        premises.environment.lock().expect("it").push(("SEALED_DICE_OFFICE_LISTEN".into(), address));
        let table = Match::seated(name);
        let (ann, bob) = (&table.ann, &table.bob);
        let card = ann.does(&["office", "card", &office.url]);
        assert!(card.contains("# Together with the player who declares, the office can choose every die"), "{card}");
        let terms = table.terms(|text| text.replacen("[opponent]", &(card + "\n[opponent]"), 1));
        ann.signs(&["game", "new", &terms]);
        for player in [ann, bob] {
            player.does(&["office", "join", &office.url]);
        }
        let fingerprint = ann.public()["fingerprint"].as_str().expect("a fingerprint").to_owned();
        bob.signs(&["game", "accept", "--fingerprint", &fingerprint]);
        bob.does(&["office", "push"]);
        ann.does(&["office", "pull"]);
        ann.signs(&["reply"]);
        ann.does(&["office", "push"]);
        bob.does(&["office", "pull"]);
        let copy = premises.home.join("copy.db").display().to_string();
        premises.does(&["office", "backup", &copy]);
        let known = held(bob).len();
        ann.signs(&["declare", FIRST, &table.path("ATTACKS.csv"), "--no-moves", "--office"]);
        bob.does(&["office", "pull"]);
        let mut forgotten = held(bob);
        assert_eq!(forgotten.len(), known + 2, "the declaration and its reveal");
        forgotten.retain(|letter| match letter.message.body() {
            Body::Reveal(_) => true,
            Body::Declare(declare) => declare.slot.to_string() == FIRST,
            _ => false,
        });
        office.kill();
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(premises.home.join(format!("office.db{end}")));
        }
        premises.does(&["office", "restore", &copy]);
        // Too early: nobody has brought back what he holds, and nothing makes the office wait for it.
        premises.does(&["office", "epoch"]);
        let office = premises.serve();
        (Self { premises, table, forgotten }, office)
    }

    /// What is in the box, for Ann.
    fn in_the_box(&self, office: &Running) -> Vec<Letter> {
        let pass = Pass::sign(self.premises.public(), now() + 100, self.table.ann.keys().signing()).expect("a pass");
        let page = office.client().page(self.charter(), 0, &pass).expect("a page");
        assert!(!page.more);
        page.letters.iter().flat_map(|placed| opened(&placed.letter)).collect()
    }

    fn charter(&self) -> Hex32 {
        self.table.ann.replay(|ledger, _| ledger.terms.id)
    }

    fn has_all_again(&self, office: &Running, player: &Seated) {
        let there = self.in_the_box(office);
        for letter in held(player) {
            assert!(there.contains(&letter), "it is not left again: {:?}", letter.message.head());
        }
        assert!(self.forgotten.iter().all(|letter| there.contains(letter)), "what it had forgotten it has again");
        let report = of(player);
        let mut findings = report["findings"].as_array().expect("findings").iter();
        assert!(findings.all(|finding| finding["culprit"].is_null()), "{report}");
    }

    /// The epoch follows what the office had opened before it was restored.
    fn forks_nothing(&self, office: &Running, player: &Seated) {
        let there = self.in_the_box(office);
        let epoch = there.iter().find(|letter| matches!(letter.message.body(), Body::Receipt(Receipt::Epoch(_))));
        let reveal = self.forgotten.iter().find(|letter| matches!(letter.message.body(), Body::Reveal(_)));
        let (epoch, reveal) = (epoch.expect("an epoch"), reveal.expect("a reveal"));
        assert_eq!(epoch.message.head().prev, Some(reveal.message.id()), "behind what it had opened");
        assert_eq!(of(player)["findings"], json!([]), "{}", of(player));
    }
}

/// The letters in a player's folder.
#[cfg(feature = "postgres")]
fn held(player: &Seated) -> Vec<Letter> {
    let folder = Folder::open(player.letters().parent().expect("a game")).expect("a game");
    let (letters, _) = folder.letters().expect("letters");
    let numbered = letters.into_iter().filter(|letter| !letter.message.head().is_unnumbered());
    numbered.map(|letter| Letter { message: letter.message, frame: letter.frame }).collect()
}

/// Whoever finds that positions have another name reads from the beginning, says so, and leaves everything again (post 14).
#[cfg(feature = "postgres")]
#[test]
fn a_restored_office_is_read_anew_and_given_everything_again() {
    let (game, office) = Posted::restored("play-office-generation");
    let (ann, bob) = (&game.table.ann, &game.table.bob);
    // A letter of Ann's alone lies where Bob has read already. The office begins its epoch there, for it waits for no letter
    // that others name: what it had opened stays opened, beside the epoch.
    let declaration = game.forgotten[0].message.id().to_string();
    let mail = ann.signs(&["dispute", "raise", &declaration, "--text", "a guard had moved before"]);
    let dispute = opened(&mail).into_iter().rfind(|letter| matches!(letter.message.body(), Body::Claim(_)));
    let dispute = dispute.expect("a claim");
    let pass = Pass::sign(game.premises.public(), now() + 100, ann.keys().signing()).expect("a pass");
    let taken = office.client().post(game.charter(), &dispute.armour(), &pass).expect("taken");
    let position = taken.letters.first().expect("it").position;
    let read: u64 = noted(bob, "position").parse().expect("a number");
    assert!(position <= read, "{position} {read}");
    let before = noted(bob, "generation");

    let pulled = bob.run(&["office", "pull"], "");
    let said = talk(&pulled);
    assert_eq!(pulled.status.code(), Some(0), "{said}");
    assert!(said.contains("has lost letters") && said.contains("office push"), "{said}");
    assert!(held(bob).contains(&dispute), "it read from the beginning");
    assert_ne!(noted(bob, "generation"), before);
    assert_eq!(bob.status()["commands"].as_array().map(Vec::len).map(|n| n > 0), Some(true));
    assert!(bob.status()["commands"].to_string().contains("office push"), "{}", bob.status());
    // He is told so until he has done it.
    assert!(talk(&bob.run(&["office", "pull"], "")).contains("has lost letters"));
    bob.does(&["office", "push"]);
    game.has_all_again(&office, bob);
    assert!(!talk(&bob.run(&["office", "pull"], "")).contains("has lost letters"));
}

/// The same of one who leaves letters before he fetches any: the office itself does not know that it lacks something.
#[cfg(feature = "postgres")]
#[test]
fn a_push_leaves_everything_again_after_a_restore() {
    for pulls in [true, false] {
        let (game, office) = Posted::restored(&format!("play-office-pushes-{pulls}"));
        let bob = &game.table.bob;
        if pulls {
            assert!(talk(&bob.run(&["office", "pull"], "")).contains("has lost letters"));
        }
        bob.does(&["office", "push"]);
        game.has_all_again(&office, bob);
        game.forks_nothing(&office, bob);
        assert_eq!(noted(bob, "forgot"), "");
        assert_eq!(office.end(), Some(0));
    }
}

/// What a player's folder notes of the office.
#[cfg(feature = "postgres")]
fn noted(player: &Seated, what: &str) -> String {
    let text = std::fs::read_to_string(player.letters().with_file_name("office.txt")).expect("it has joined");
    let mut lines = text.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(name, _)| *name == what).map(|(_, value)| value.to_owned()).unwrap_or_default()
}

/// An office that takes its time, or never answers, keeps nobody from playing: an open page asks it without holding the
/// game, and asks once at a time.
#[cfg(feature = "desk")]
#[test]
fn a_slow_office_holds_no_game_at_the_desk() {
    let game = Officed::begun("play-office-slow");
    let slow = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = slow.local_addr().expect("an address");
    let ann = &game.table.ann;
    let account = format!("url http://{address}\nposition 0\ngeneration \nleft 0\npass 99999999999 a-pass\n");
    let record = ann.letters().with_file_name("office.txt");
    std::fs::write(&record, account).expect("a record");
    let desk = crate::desk::Desk::at(&ann.home, &ann.machine);
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| desk.watches("our-campaign"));
        let (waiting, _) = slow.accept().expect("the desk asks");
        let again = desk.watches("our-campaign");
        assert!(again.starts_with("HTTP/1.1 204"), "one question at a time: {again}");
        let folder = sealed_dice::keep::folder::Folder::open(record.parent().expect("a folder")).expect("a game");
        assert!(folder.lock().is_ok(), "the game is free");
        drop(waiting);
        assert!(asking.join().expect("an answer").starts_with("HTTP/1.1 204"));
    });
}
