//! Every cheat that a player can try, from a modified player: Bob has his own key and vault, and signs what the tool would
//! refuse. Ann and Carol run the real command line. What Bob signs is refused by them or pinned on him, they can go on or are
//! told what to do, and neither of them is blamed.

mod accepts;
mod blame;
mod dice;
mod keys;
mod secrets;

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::OnceLock,
};

use sealed_dice::{
    blob::{
        Body, Head, Hex32, Verified, armour,
        body::{Contribution, Declare, Moves, Redo, Select, SetKind},
        json::Text,
    },
    game::{
        audit::{Read, Report, Verdict, audit},
        ledger::Ledger,
        steps::{self, Letter, Request, Signer},
        tasks,
        terms::Player,
    },
    keep::folder::Folder,
    primitive::secret::Secret,
    resolve::Place,
};
use serde_json::json;

use super::{
    Match, Seated, copy_folder, out,
    roads::{FORFEIT, Refereed},
    talk,
};
use crate::{
    games::places_are_used_once,
    kit::{bytes, slot},
    second_checker::{essence, python},
};

/// Bob's private rolls, and phases of Ann's that need something of him first.
const PHASES: &str = r#"
[[phases]]
name = "bob-scouts"
declarer = "bob"
impulses = [3]
system = "coin-envelopes"
private = true

[[phases]]
name = "ann-march"
declarer = "ann"
impulses = [3]
system = "coin-envelopes"
decisions = [{ name = "reaction", by = "bob", how = "sealed" }]

[[phases]]
name = "ann-orders"
declarer = "ann"
impulses = [3]
system = "coin-envelopes"
decisions = [{ name = "orders", how = "simultaneous" }]

[[phases]]
name = "ann-weather"
declarer = "ann"
impulses = [3]
system = "coin-envelopes"
decisions = [{ name = "weather", by = "bob" }]
"#;

const ANNS: &str = "1/1/ann-first/1";
const BOBS: &str = "1/3/bob-first/1";
const SCOUTS: &str = "1/3/bob-scouts/1";
const LATER: &str = "3/3/bob-first/1";
const CELLS: &str = "1/4/bob-second/1";

/// One honest game; before each step all folders are put aside.
fn moments() -> &'static BTreeMap<&'static str, PathBuf> {
    static MOMENTS: OnceLock<BTreeMap<&'static str, PathBuf>> = OnceLock::new();
    MOMENTS.get_or_init(|| {
        let held = |key: &str| format!("deposit = \"{key}\"\n");
        let game = Refereed::begun_on("play-cheats-game", held, |terms| {
            terms.replace("illegal-odds = \"keep\"", "illegal-odds = \"redo\"") + FORFEIT + PHASES
        });
        let [ann, bob, carol] = game.all();
        let (attacks, rolls) = (game.table.path("ATTACKS.csv"), game.table.path("ROLLS.csv"));
        game.mail(carol, &["reply"]);
        let steps: [(&str, &Seated, &[&str]); 11] = [
            ("begun", ann, &["declare", ANNS, &attacks, "--no-moves"]),
            ("asked", bob, &["reply"]),
            ("opened", bob, &["declare", BOBS, &attacks, "--moves", "the guard advances", "--skip"]),
            ("declared", ann, &["reply"]),
            ("rolled", bob, &["declare", SCOUTS, &attacks, "--no-moves", "--skip"]),
            ("scouting", ann, &["reply"]),
            ("scouted", bob, &["declare", CELLS, &rolls, "--no-moves", "--skip"]),
            ("cells", ann, &["reply"]),
            ("opened cells", ann, &["seal", LATER]),
            // Carol has not confirmed this set.
            ("sealed later", bob, &["declare", LATER, &attacks, "--no-moves", "--skip"]),
            ("not held", ann, &["game", "close"]),
        ];
        let aside = crate::folder("play-cheats-moments");
        let mut moments = BTreeMap::new();
        let mut put_aside = |moment: &'static str| {
            copy_folder(&game.table.dir, &aside.join(moment));
            moments.insert(moment, aside.join(moment));
        };
        for (moment, who, step) in steps {
            put_aside(moment);
            game.mail(who, step);
        }
        put_aside("stopped");
        moments
    })
}

/// How a cheat ends.
enum Caught {
    /// This rule is a finding against Bob.
    Pinned(&'static str),
    /// Ann's program does not take it in, and says so in these words; there is no finding at all.
    NotTakenIn(&'static str),
    /// It comes to nothing, and nobody is blamed: the report lists this as open.
    Open(&'static str),
    /// It leads to nothing but letters that are asked for.
    Missing,
}
use Caught::{Missing, NotTakenIn, Open, Pinned};

/// A cheat: what it is, from which moment on, and what Bob does.
struct Cheat(&'static str, &'static str, fn(&Bob), Caught);

/// Bob with a modified program, and the honest ones around him.
struct Bob {
    game: Refereed,
    /// His letters that nobody has yet.
    sent: RefCell<Vec<String>>,
    /// What the honest ones said to his mails.
    told: RefCell<String>,
}

impl Bob {
    fn at(moment: &str, name: &str) -> Self {
        let dir = crate::folder(name);
        copy_folder(&moments()[moment], &dir);
        let [ann, bob, carol] = ["ann's home", "home of bob", "carol"].map(|home| Seated::at(dir.join(home)));
        let game = Refereed { table: Match { dir, ann, bob, mails: RefCell::default() }, carol };
        Self { game, sent: RefCell::default(), told: RefCell::default() }
    }

    /// The game as he knows it.
    fn sees<T>(&self, look: impl FnOnce(&Ledger<'_>, Player) -> T) -> T {
        self.game.table.bob.replay(look)
    }

    /// Signs his next letter, whatever it says.
    fn signs(&self, body: impl FnOnce(&Ledger<'_>, &Signer) -> Body) -> Hex32 {
        self.signs_as(|_, _| (), body)
    }

    /// The same with another head.
    fn signs_as(
        &self,
        head: impl FnOnce(&Ledger<'_>, &mut Head),
        body: impl FnOnce(&Ledger<'_>, &Signer) -> Body,
    ) -> Hex32 {
        let letter = self.makes(head, body);
        self.keeps(&letter);
        self.sends(&letter)
    }

    /// Signs a letter, and does not send it.
    fn makes(
        &self,
        head: impl FnOnce(&Ledger<'_>, &mut Head),
        body: impl FnOnce(&Ledger<'_>, &Signer) -> Body,
    ) -> Letter {
        let keys = self.game.table.bob.keys();
        self.sees(|ledger, me| {
            let signer = Signer::resume(ledger, me, keys.signing().clone(), keys.vault().clone());
            let body = body(ledger, &signer);
            let mut own = signer.next_head(body.kind());
            head(ledger, &mut own);
            let (message, frame) = Verified::sign(own, body, signer.key()).expect("a letter of good form");
            Letter { message, frame }
        })
    }

    fn keeps(&self, letter: &Letter) {
        let path = self.game.table.bob.letters();
        let folder = Folder::open(path.parent().expect("a game")).expect("a game");
        folder.lock().expect("nobody else has it").keep(&letter.message, &letter.frame).expect("it is kept");
    }

    fn sends(&self, letter: &Letter) -> Hex32 {
        self.sent.borrow_mut().push(armour::write(&letter.frame));
        letter.message.id()
    }

    /// All that he has sent arrives.
    fn arrives(&self) {
        let mail = self.sent.borrow_mut().drain(..).collect::<Vec<_>>().join("\n");
        if mail.is_empty() {
            return;
        }
        for honest in [&self.game.table.ann, &self.game.carol] {
            let output = honest.run(&["read", "-"], &mail);
            assert!(matches!(output.status.code(), Some(0 | 2)), "{}{}", out(&output), talk(&output));
            self.told.borrow_mut().push_str(&out(&output));
        }
    }

    /// Somebody honest does something by his program, and all have his mail.
    fn meets(&self, honest: &Seated, args: &[&str]) {
        self.arrives();
        let mail = honest.signs(args);
        for other in self.game.all().into_iter().filter(|other| other.home != honest.home) {
            other.run(&["read", "-"], &mail);
        }
    }

    /// Ann does.
    fn ann(&self, args: &[&str]) {
        self.meets(&self.game.table.ann, args);
    }

    /// Carol does.
    fn carol(&self, args: &[&str]) {
        self.meets(&self.game.carol, args);
    }

    /// The honest declaration of a slot of his, changed before he signs it.
    fn declares(&self, at: &str, change: impl FnOnce(&Ledger<'_>, &mut Declare)) -> Hex32 {
        self.signs(|ledger, _| Body::Declare(Box::new(declaration(ledger, at, None, change))))
    }

    /// The same of a redo.
    fn redoes(&self, at: &str, redo: Redo, change: impl FnOnce(&Ledger<'_>, &mut Declare)) -> Hex32 {
        self.signs(|ledger, _| Body::Declare(Box::new(declaration(ledger, at, Some(redo), change))))
    }

    /// A wrong total in the declaration of a slot.
    fn adds_up_wrongly(&self, at: &str) -> Hex32 {
        self.declares(at, |_, declare| raise(declare))
    }

    fn is_caught(&self, cheat: &Cheat, with_python: bool) {
        let Cheat(what, _, _, caught) = cheat;
        self.arrives();
        let ann = &self.game.table.ann;
        for honest in [ann, &self.game.carol] {
            nobody_honest_is_blamed(what, &report(honest));
        }
        let report = report(ann);
        let against_bob = |rule: &str| {
            let mut findings = report.findings.iter().filter(|finding| finding.culprit.as_deref() == Some("bob"));
            findings.any(|finding| finding.text.starts_with(&format!("{rule}:")))
        };
        let told = self.told.borrow();
        match caught {
            Pinned(rule) => assert!(against_bob(rule), "{what}: {rule} is not among {:?}\n{told}", report.findings),
            NotTakenIn(words) => {
                assert!(told.contains(words) && told.contains("rejected:"), "{what}: {told}");
                assert!(report.findings.is_empty(), "{what}: {:?}", report.findings);
            }
            Open(matter) => {
                assert!(
                    report.findings.iter().all(|finding| finding.culprit.is_none()),
                    "{what}: {:?}",
                    report.findings
                );
                assert!(report.open.iter().any(|open| open.what == *matter), "{what}: {:?}", report.open);
            }
            Missing => {
                assert_eq!(report.verdict, Verdict::Undecided, "{what}");
                assert!(report.findings.is_empty() && !report.missing.is_empty(), "{what}: {:?}", report.findings);
            }
        }
        let notes = ann.status()["notes"].to_string();
        assert_eq!(notes.contains("something is wrong"), report.verdict == Verdict::Refuted, "{what}: {notes}");
        self.game.table.look_at(ann, |after| nobody_honest_is_blamed(what, &self::report(after)));
        if with_python {
            let ours = serde_json::to_string(&report).expect("JSON");
            let theirs = python().args(["audit", "--json"]).arg(ann.letters()).output().expect("the checker runs");
            assert_eq!(essence(&ours), essence(&out(&theirs)), "{what}");
        }
    }
}

/// What an audit says of a folder.
fn report(player: &Seated) -> Report {
    let path = player.letters();
    let (letters, _) = Folder::open(path.parent().expect("a game")).expect("a game").letters().expect("letters");
    let read: Vec<Read> =
        letters.into_iter().map(|letter| Read { place: String::new(), letter: Ok(letter.message) }).collect();
    let mut reports = audit(&read);
    assert_eq!(reports.len(), 1, "{}", path.display());
    reports.remove(0)
}

fn nobody_honest_is_blamed(what: &str, report: &Report) {
    let culprits: BTreeSet<&str> = report.findings.iter().filter_map(|finding| finding.culprit.as_deref()).collect();
    assert!(culprits.iter().all(|culprit| *culprit == "bob"), "{what}: {:?}", report.findings);
    places_are_used_once(report);
}

/// Plays cheats, each from its moment; the checker in Python looks at some of them.
fn play(section: &str, cheats: &[Cheat]) {
    for (i, cheat) in cheats.iter().enumerate() {
        let Cheat(_, moment, plays, _) = cheat;
        let bob = Bob::at(moment, &format!("play-cheats-{section}"));
        plays(&bob);
        bob.is_caught(cheat, i % 4 == 0);
    }
}

/// A declaration of Bob's as the tool would make it, and then changed.
fn declaration(
    ledger: &Ledger<'_>,
    at: &str,
    redo: Option<Redo>,
    change: impl FnOnce(&Ledger<'_>, &mut Declare),
) -> Declare {
    let me = Player::Second;
    let at = slot(at);
    let sheet = at.phase.as_str() == "bob-second";
    let input = match (sheet, redo) {
        (true, None) => json!({ "rolls": [{ "cell": "B1", "why": "the bridge" }] }),
        (true, _) => json!({ "rolls": [{ "cell": null, "why": "the bridge" }] }),
        _ => json!({ "attacks": [{ "hexes": ["F12"], "odds": "3-1" }, { "hexes": ["G13"], "odds": "5-1" }] }),
    };
    let seal = match redo {
        Some(_) => tasks::foul_up_set(ledger, me),
        None => tasks::set_for(ledger, me, &at),
    };
    let contribution = match at.phase.as_str() == "bob-scouts" {
        true => Contribution::Sealed(tasks::contribution_for(ledger, me).expect("a contribution")),
        false => Contribution::Open(bytes(&format!("a share of {at} {redo:?}"))),
    };
    let request = Request {
        slot: at,
        moves: Moves::Text("onward".into()),
        input: Text::of(&input).expect("a text"),
        seal: seal.expect("a set"),
        contribution,
        redo,
    };
    let mut declare = steps::declaration(ledger, me, request).expect("a declaration");
    change(ledger, &mut declare);
    declare
}

fn raise(declare: &mut Declare) {
    if let Some(Select::Worksheet(sheet)) = &mut declare.select {
        sheet.total += 1;
    }
}

/// The first declaration of a slot.
fn declared(ledger: &Ledger<'_>, at: &str) -> Hex32 {
    let mut declarations = ledger.declarations();
    declarations.find(|one| one.declare.slot == slot(at)).expect("a declaration").node.id()
}

/// K of a place of a set of Bob's.
fn key_of(ledger: &Ledger<'_>, signer: &Signer, seal: &Hex32, index: u64, line: u64) -> Hex32 {
    let master: Secret = signer.master(ledger, seal).expect("a set of his");
    Hex32(*ledger.set(seal).expect("a set").context.key(&master, Place { index, line }).expose())
}

/// The set that somebody sealed for a purpose.
fn set_of(ledger: &Ledger<'_>, by: Player, kind: SetKind, purpose: &str) -> Hex32 {
    ledger.sealed(by, kind, purpose).expect("a set")
}

/// The id in a command that Ann's status names, once she has read what Bob has sent.
fn offered(bob: &Bob, verb: &str) -> String {
    bob.arrives();
    super::roads::offered(&bob.game.table.ann, verb)
}

/// A program that is no cheat at all is caught at nothing: otherwise the others would say little.
#[test]
fn an_honest_bob_is_not_caught() {
    for moment in moments().keys() {
        let bob = Bob::at(moment, "play-cheats-honest");
        let [ann, his, _] = bob.game.all();
        let told = [report(ann), report(his)];
        assert!(told.iter().all(|report| report.findings.is_empty()), "{moment}");
    }
    let bob = Bob::at("opened", "play-cheats-honest");
    bob.declares(BOBS, |_, _| ());
    bob.ann(&["reply"]);
    let report = report(&bob.game.table.ann);
    assert!(report.findings.is_empty() && report.verdict == Verdict::Verified, "{:?}", report.findings);
    assert_eq!(report.rolls.iter().filter(|roll| roll.slot == BOBS).count(), 2);
}
