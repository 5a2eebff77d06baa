//! Writes a load of letters for `scripts/growth` as one text. They are addressed to the player whose key is in HOME.
//!
//! Usage: `growth KIND SIZE HOME`
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a generator stops at the first mistake, and prints"
)]

#[path = "../tests/suite/kit.rs"]
#[allow(dead_code, reason = "a part of it is used here")]
mod kit;

use kit::{attacks, bytes, key, object, role, slot, text};
use sealed_dice::{
    blob::{
        Body, Hex32, Kind, Verified,
        body::{
            CellKey, Charter, Contribution, Correct, Declare, FoulUpClass, Moves, Party, Proposal, Reveal, SetKind,
            Voiding,
        },
        disputes::{Claim, Dispute, Scope},
        resync::Resync,
    },
    game::{
        asks,
        context::Context,
        steps::{Letter, Signer},
        terms::{Author, Player, Terms},
    },
    keep::{home::Home, key_file::KeyFile},
    primitive::secret::Secret,
    resolve::{Object, Place},
};
use serde_json::json;

const ANN: Author = Author::Player(Player::First);

/// A game between Ann, a stranger, and Bob, whose home this is.
struct Load {
    ann: Signer,
    bob: Signer,
    vault: Secret,
    terms: Terms,
    letters: Vec<Letter>,
    used: usize,
}

impl Load {
    fn of(home: &Home, label: &str) -> Self {
        let keys =
            KeyFile::open(&home.key_file()).and_then(|file| file.unlock(None)).expect("a key without passphrase");
        let vault = Secret::new(bytes("a vault").0);
        let mut ann = Signer::new(role("ann"), key(label), vault, role("bob"));
        let bob = Signer::new(role("bob"), keys.signing().clone(), keys.vault().clone(), role("ann"));
        let charter = Charter { title: label.into(), ..kit::Table::before(label).charter() };
        let [one, other] = charter.parties.clone();
        let party = |signer: &Signer, party: Party| Party { key: Hex32(*signer.key().public().as_bytes()), ..party };
        let parties = [party(&ann, one), party(&bob, other)];
        let proposal = ann.propose(Charter { parties, ..charter }).expect("terms");
        let terms = Terms::parse(&proposal.message).expect("terms");
        Self { ann, bob, vault: keys.vault().clone(), terms, letters: vec![proposal], used: 0 }
    }

    fn fresh(&mut self) -> Hex32 {
        self.used += 1;
        bytes(&format!("{} of {}", self.used, self.terms.id))
    }

    /// Lets Bob accept, which begins the game.
    fn accepted(mut self) -> Self {
        let nonce = self.fresh();
        let accept = self.bob.accept(&self.letters[0].message, true, nonce).expect("an accept");
        self.ann.see(&accept.message);
        self.letters.push(accept);
        self
    }

    fn game(&self) -> Hex32 {
        self.letters[1].message.id()
    }

    fn ann(&mut self, body: Body) -> Hex32 {
        let letter = self.ann.write(body).expect("a letter");
        self.bob.see(&letter.message);
        self.keep(letter)
    }

    fn bob(&mut self, body: Body) -> Hex32 {
        let letter = self.bob.write(body).expect("a letter");
        self.ann.see(&letter.message);
        self.keep(letter)
    }

    fn keep(&mut self, letter: Letter) -> Hex32 {
        let id = letter.message.id();
        self.letters.push(letter);
        id
    }

    /// Declares a list without a roll.
    fn list(&mut self, at: &str) -> Hex32 {
        let (_, phase) = self.terms.slot(&slot(at)).expect("a slot");
        let rolls = phase.system.resolver().read(&text(&attacks(&[])), false).expect("no attacks");
        let input = rolls.canonical().expect("an input");
        let moves = Moves::Text("All go west.".into());
        let (after, contribution, redo, seal, select) = (None, None, None, None, None);
        let slot = slot(at);
        self.ann(Body::Declare(Box::new(Declare { after, contribution, input, moves, redo, seal, select, slot })))
    }

    /// Seals a sheet as Bob.
    fn sheet(&mut self, number: usize) -> (Hex32, Context, Secret) {
        let salt = self.fresh();
        let purpose = format!("sheet/{number}");
        let seal = self.bob.seal(&self.terms, SetKind::Sheet, &purpose, 400, salt, None).expect("a seal");
        let context = Context::of(self.game(), None, self.bob.role(), &seal);
        let master = context.master(&self.vault, &salt);
        (self.bob(Body::Seal(seal)), context, master)
    }

    /// Rolls one cell of a sheet and opens it.
    fn roll(&mut self, round: usize, cell: u64, sheet: &(Hex32, Context, Secret)) -> Hex32 {
        // Turn numbers end at 9,999, so each turn has several lists.
        let at = slot(&format!("{}/2/ann-second/{}", 1 + round / 8, 1 + round % 8));
        let place = Place { index: cell / 10, line: cell % 10 + 1 };
        let label = sealed_dice::resolve::icrk::label(place);
        let mut spent: std::collections::BTreeMap<u64, u64> = (0..place.index).map(|full| (full, 10)).collect();
        spent.insert(place.index, place.line - 1);
        let (_, phase) = self.terms.slot(&at).expect("a slot");
        let input: Object = object(json!({ "rolls": [{ "cell": label, "why": "the bridge" }] }));
        let rolls = phase.system.resolver().read(&text(&input), false).expect("an input");
        let plan = rolls.plan(&sealed_dice::resolve::icrk::state_of(&spent)).expect("a plan");
        let input = rolls.canonical().expect("an input");
        let contribution = Some(Contribution::Open(self.fresh()));
        let (moves, select) = (Moves::Text("All go west.".into()), plan.select);
        let (redo, seal) = (None, Some(sheet.0));
        let declare = Declare { after: None, contribution, input, moves, redo, seal, select, slot: at };
        let declaration = self.ann(Body::Declare(Box::new(declare)));
        let key = Hex32(*sheet.1.key(&sheet.2, place).expose());
        let sheets = vec![CellKey(place.index, place.line, key)];
        self.bob(Body::Reveal(Reveal { declaration: Some(declaration), keys: vec![], seal: sheet.0, sheets }));
        declaration
    }

    /// Signs an ask for Ann.
    fn ask(&mut self) -> Hex32 {
        let ask = Body::Resync(Resync::Ask(self.fresh()));
        let ask = asks::unnumbered(&self.terms, ANN, self.game(), ask, self.ann.key()).expect("a message");
        self.keep(ask)
    }

    fn print(&self, letters: &[Letter]) {
        letters.iter().for_each(|letter| println!("{}", letter.armour()));
    }
}

/// Plays turns with one roll each, using one sheet after another.
fn turns(mut load: Load, size: usize) -> Load {
    let mut sheet = load.sheet(1);
    for round in 0.. {
        if load.letters.len() + 3 > size {
            break;
        }
        let cell = round % 400;
        if cell == 0 && round > 0 {
            sheet = load.sheet(1 + round / 400);
        }
        load.roll(round, cell as u64, &sheet);
    }
    load
}

/// Returns the slot with this running number in one phase. Each turn has as many slots as it can.
fn later(number: u64) -> String {
    format!("{}/1/ann-first/{}", 2 + (number - 1) / 9_999, 1 + (number - 1) % 9_999)
}

/// Writes this many letters of one kind, in a game of two.
fn letters(kind: &str, size: usize, home: &Home) -> Load {
    let mut load = Load::of(home, kind).accepted();
    if kind == "turns" {
        return turns(load, size);
    }
    let sheet = load.sheet(1);
    let rolled = load.roll(0, 0, &sheet);
    for number in 1_u64.. {
        if load.letters.len() >= size {
            return load;
        }
        let foul_up = |input| {
            Correct::Propose(Box::new(Proposal {
                at_fault: role("ann"),
                class: FoulUpClass::IllegalOdds,
                declaration: rolled,
                input,
                reason: "the odds".into(),
            }))
        };
        match kind {
            "lists" => drop(load.list(&later(number))),
            "claims" => {
                let letters = vec![rolled];
                let claim = load.ann(Body::Claim(Claim::Dispute(Dispute { letters, text: "no".into() })));
                load.ann(Body::Claim(Claim::Withdraw(claim)));
            }
            "disputes" => {
                let letters = vec![rolled];
                load.ann(Body::Claim(Claim::Dispute(Dispute { letters, text: "no".into() })));
            }
            "proposals" => {
                let proposal = load.ann(Body::Correct(foul_up(None)));
                load.bob(Body::Correct(Correct::Refuse(proposal)));
            }
            "voids" => {
                let scope = Scope::Declaration(rolled);
                load.ann(Body::Correct(Correct::Void(Voiding { reason: "no".into(), scope })));
                load.list(&later(number));
            }
            // Forks at the beginning, of two letters each. Both players continue from one of the two.
            "no-forks" | "forks" | "many-forks" => {
                let forks = match kind {
                    "no-forks" => 0,
                    "forks" => 1,
                    _ => 250,
                };

                let dispute =
                    |text: &str| Body::Claim(Claim::Dispute(Dispute { letters: vec![rolled], text: text.into() }));
                if number <= forks {
                    let head = load.ann.next_head(Kind::Claim);
                    let (message, frame) = Verified::sign(head, dispute("another"), load.ann.key()).expect("a letter");
                    load.keep(Letter { message, frame });
                }
                load.ann(dispute("no"));
                load.bob(dispute("yes"));
            }
            "asks" => drop(load.ask()),
            "accepts" => {
                let nonce = load.fresh();
                let other = Load::of(home, kind);
                let mut bob = other.bob;
                let accept = bob.accept(&load.letters[0].message, true, nonce).expect("an accept");
                load.keep(accept);
            }
            other => panic!("no load is called {other}"),
        }
    }
    load
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [kind, size, home] = args.as_slice() else { panic!("usage: growth KIND SIZE HOME") };
    let (size, home) = (size.parse().expect("a number"), Home::find(Some(home.into())).expect("a home"));
    match kind.as_str() {
        "invitations" => (0..size).for_each(|number| {
            let load = Load::of(&home, &format!("a friendly match {number}"));
            load.print(&load.letters);
        }),
        "games" => (0..size).for_each(|number| {
            let load = Load::of(&home, &format!("game {number}")).accepted();
            load.print(&load.letters);
        }),
        kind => {
            let load = letters(kind, size, &home);
            load.print(&load.letters);
        }
    }
}
