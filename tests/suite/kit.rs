//! A table with two players whose keys, vaults and randomness follow from labels, so that every byte can be made again.
//! It plays honestly step by step; whoever wants to cheat changes a body or a head before it is signed.

use sealed_dice::{
    blob::{
        Body, Head, Kind, Verified,
        body::{
            Charter, Contribution, Correct, Decide, Declare, FoulUp, FoulUpClass, Hex32, Moves, Name, Party, Phase,
            Proposal, Redo, Remedies, Remedy, Reveal, Revealer, Role, Seal, SetKind, SetsAtStart, Slot, Source,
        },
        deposits::{Deposits, Third},
        frame::{Frame, TYPE},
        json::{Map, Text, Value},
    },
    game::{
        keys::Members,
        ledger::Ledger,
        order::Order,
        replay,
        steps::{self, Letter, Request, Signer},
        terms::{Player, Terms},
    },
    primitive::{
        hash::file_hash,
        secret::Secret,
        sign::{PrivateKey, signed_bytes},
        wrap,
    },
    resolve::{Object, System},
};
use serde_json::json;

/// Who sits at the table: two players, and in some games a referee, or an office, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    Ann,
    Bob,
    Carol,
    Dora,
}
pub(crate) use Who::{Ann, Bob, Carol, Dora};

impl Who {
    pub(crate) const ALL: [Self; 4] = [Ann, Bob, Carol, Dora];
}

/// What deposits with the office are opened with.
pub(crate) fn office_secret() -> Secret {
    Secret::new(bytes("deposits with dora").0)
}

/// Thirty-two bytes that follow from a label.
pub(crate) fn bytes(label: &str) -> Hex32 {
    Hex32(file_hash(label.as_bytes()))
}

/// The signing key of a label.
pub(crate) fn key(label: &str) -> PrivateKey {
    PrivateKey::from_seed(&Secret::new(bytes(label).0))
}

pub(crate) fn role(name: &str) -> Role {
    Role::parse(name).expect("a role")
}

pub(crate) fn name(name: &str) -> Name {
    Name::parse(name).expect("a name")
}

pub(crate) fn slot(text: &str) -> Slot {
    Slot::parse(text).expect("a slot")
}

/// An object of a `json!` value.
pub(crate) fn object(value: Value) -> Object {
    value.as_object().cloned().expect("an object")
}

/// The canonical text of an object, and back.
pub(crate) fn text(object: &Object) -> Text {
    Text::of(object).expect("an object has a text")
}

pub(crate) fn fields(text: &Text) -> Object {
    text.read().expect("a text is an object")
}

/// The source text's three attacks.
pub(crate) fn example_attacks() -> Object {
    attacks(&[("F12", "3-1"), ("G13", "5-1"), ("I11", "1-4")])
}

pub(crate) fn attacks(list: &[(&str, &str)]) -> Object {
    let attack = |(hexes, odds): &(&str, &str)| json!({ "hexes": hexes.split('+').collect::<Vec<_>>(), "odds": odds });
    object(json!({ "attacks": list.iter().map(attack).collect::<Vec<_>>() }))
}

pub(crate) fn cells(list: &[&str]) -> Object {
    let roll = |cell: &&str| json!({ "cell": cell, "why": format!("battle of {cell}") });
    object(json!({ "rolls": list.iter().map(roll).collect::<Vec<_>>() }))
}

/// Signs any payload at all.
pub(crate) fn raw_frame(payload: &[u8], key: &PrivateKey) -> Vec<u8> {
    let signature = key.sign(&signed_bytes(TYPE, payload));
    Frame { payload, key: *key.public().as_bytes(), signature }.encode()
}

/// Changes the input of a declaration.
pub(crate) fn change_input(declare: &mut Declare, change: impl FnOnce(&mut Object)) {
    let mut input = fields(&declare.input);
    change(&mut input);
    declare.input = text(&input);
}

/// Replays letters, among which are a charter and its accept by bob.
pub(crate) fn replayed<T>(letters: &[&Verified], look: impl FnOnce(&Ledger<'_>) -> T) -> T {
    let first = |kind: Kind, by: Option<&str>| {
        let mut letters = letters.iter().filter(|message| message.head().kind == kind);
        *letters.find(|message| by.is_none_or(|by| message.head().author.as_str() == by)).expect("a begun game")
    };
    let terms = Terms::parse(first(Kind::Charter, None)).expect("terms");
    let game = first(Kind::Accept, Some("bob")).id();
    let in_chains: Vec<&Verified> = letters.iter().copied().filter(|message| !message.head().is_unnumbered()).collect();
    let order = Order::of(&terms, game, &Members::of(&terms, &in_chains));
    look(&replay::replay(&terms, game, &order))
}

/// The letters of a game and the seats of its players.
pub(crate) struct Table {
    pub(crate) ann: Signer,
    pub(crate) bob: Signer,
    /// The referee, if the terms name one.
    pub(crate) carol: Option<Signer>,
    /// The office, if the terms name one.
    pub(crate) dora: Option<Signer>,
    /// The terms, once they are accepted.
    terms: Option<Terms>,
    pub(crate) letters: Vec<Letter>,
    label: String,
    used: u32,
}

impl Table {
    /// A game on the default terms.
    pub(crate) fn begin(label: &str) -> Self {
        Self::begin_with(label, |_| {})
    }

    /// A game on other terms.
    pub(crate) fn begin_with(label: &str, change: impl FnOnce(&mut Charter)) -> Self {
        let mut table = Self::before(label);
        let mut charter = table.charter();
        change(&mut charter);
        table.start(charter);
        table
    }

    /// A game with a referee.
    pub(crate) fn refereed(label: &str, change: impl FnOnce(&mut Charter)) -> Self {
        Self::with_third(label, &[Carol], change)
    }

    /// A game with an office, which opens all dice, and notes that are due at their time; with a referee too, if asked.
    pub(crate) fn officed(label: &str, refereed: bool, change: impl FnOnce(&mut Charter)) -> Self {
        let third: &[Who] = if refereed { &[Carol, Dora] } else { &[Dora] };
        Self::with_third(label, third, |charter| {
            charter.foul_up.revealer = Revealer::Office;
            charter.phases.iter_mut().for_each(|phase| phase.revealer = Revealer::Office);
            change(charter);
        })
    }

    /// A game with a time witness; with a referee too, if asked.
    pub(crate) fn witnessed(label: &str, refereed: bool, change: impl FnOnce(&mut Charter)) -> Self {
        let third: &[Who] = if refereed { &[Carol, Dora] } else { &[Dora] };
        Self::with_third(label, third, |charter| {
            charter.office.as_mut().expect("an office").deposit = None;
            change(charter);
        })
    }

    fn with_third(label: &str, third: &[Who], change: impl FnOnce(&mut Charter)) -> Self {
        let mut table = Self::before(label);
        let mut charter = table.charter();
        let signer = |name: &str| {
            let vault = Secret::new(bytes(&format!("{label}: vault of {name}")).0);
            let mut signer = Signer::new(role(name), key(&format!("key of {name}")), vault, role("ann"));
            signer.with_other(role("bob"));
            signer
        };
        let party_key = |signer: &Signer| Hex32(*signer.key().public().as_bytes());
        if third.contains(&Carol) {
            let carol = signer("carol");
            let (name, role) = ("Carol".into(), role("carol"));
            charter.referee = Some(Third { deposit: None, key: party_key(&carol), name, role });
            table.carol = Some(carol);
        }
        if third.contains(&Dora) {
            let dora = signer("dora");
            let public = wrap::public(&office_secret()).expect("a key");
            let deposit = Some(Deposits { key: Hex32(public), notes: true });
            charter.office = Some(Third { deposit, key: party_key(&dora), name: "Dora".into(), role: role("dora") });
            table.dora = Some(dora);
        }
        change(&mut charter);
        for who in table.seated().collect::<Vec<_>>() {
            let others = third.iter().filter(|other| **other != who).map(|other| table.signer(*other).role().clone());
            let others: Vec<Role> = others.collect();
            others.into_iter().for_each(|other| table.seat_mut(who).with_other(other));
        }
        table.start(charter);
        table
    }

    pub(crate) fn start(&mut self, charter: Charter) {
        let proposal = self.ann.propose(charter).expect("a charter");
        self.letters = vec![proposal.clone()];
        let third: Vec<Who> = self.seated().filter(|who| matches!(who, Carol | Dora)).collect();
        for who in &third {
            let nonce = self.fresh();
            let accept = self.seat_mut(*who).accept(&proposal.message, true, nonce).expect("an accept");
            self.bob.see(&accept.message);
            self.letters.push(accept);
        }
        let nonce = self.fresh();
        let accept = self.bob.accept(&proposal.message, true, nonce).expect("an accept");
        self.ann.see(&accept.message);
        self.letters.push(accept.clone());
        third.iter().for_each(|who| self.seat_mut(*who).see(&accept.message));
        // Some terms are in breach on purpose.
        self.terms = Terms::parse(&proposal.message).ok();
        self.seated().collect::<Vec<_>>().into_iter().filter(|who| *who != Bob).for_each(|who| self.arrive(who));
    }

    /// Two players who have not written yet.
    pub(crate) fn before(label: &str) -> Self {
        let signer = |name: &str, other: &str| {
            let vault = Secret::new(bytes(&format!("{label}: vault of {name}")).0);
            Signer::new(role(name), key(&format!("key of {name}")), vault, role(other))
        };
        let (ann, bob) = (signer("ann", "bob"), signer("bob", "ann"));
        Self { ann, bob, carol: None, dora: None, terms: None, letters: Vec::new(), label: label.into(), used: 0 }
    }

    /// The default terms: double-impulse turns, five envelopes, three foul-up envelopes, a redo for wrong odds.
    pub(crate) fn charter(&mut self) -> Charter {
        let party = |signer: &Signer, name: &str| Party {
            key: Hex32(*signer.key().public().as_bytes()),
            name: name.into(),
            role: signer.role().clone(),
        };
        let phase = |declarer: &str, impulse: u64, phase: &str, system: &str, source: Source| Phase {
            decisions: Vec::new(),
            declarer: Some(role(declarer)),
            impulses: vec![impulse],
            name: name(phase),
            private: false,
            revealer: Revealer::Sealer,
            settings: System::prefill(system, &Object::new()).expect("a system"),
            source,
            system: system.into(),
        };
        let nonce = self.fresh();
        Charter {
            compared: true,
            continues: None,
            deadlines: Vec::new(),
            foul_up: FoulUp {
                envelopes: 3,
                remedies: Remedies { illegal_move: Remedy::Keep, illegal_odds: Remedy::Redo, wrong_list: Remedy::Keep },
                revealer: Revealer::Sealer,
            },
            hard_core: false,
            nonce,
            office: None,
            parties: [party(&self.ann, "Ann"), party(&self.bob, "Bob")],
            penalties: Vec::new(),
            phases: vec![
                phase("ann", 1, "ann-first", "coin-envelopes", Source::Coin),
                phase("ann", 2, "ann-second", "icrk", Source::Sheet),
                phase("bob", 1, "bob-first", "coin-envelopes", Source::Coin),
                phase("bob", 2, "bob-second", "icrk", Source::Sheet),
            ],
            referee: None,
            sets_at_start: SetsAtStart { foul_up: 0, sheet: 0 },
            tables: Map::new(),
            title: self.label.clone(),
        }
    }

    /// The next of this table's 32-byte values.
    pub(crate) fn fresh(&mut self) -> Hex32 {
        self.used += 1;
        bytes(&format!("{}: randomness {}", self.label, self.used))
    }

    pub(crate) fn signer(&self, who: Who) -> &Signer {
        match who {
            Ann => &self.ann,
            Bob => &self.bob,
            Carol => self.carol.as_ref().expect("a referee"),
            Dora => self.dora.as_ref().expect("an office"),
        }
    }

    pub(crate) fn seat_mut(&mut self, who: Who) -> &mut Signer {
        match who {
            Ann => &mut self.ann,
            Bob => &mut self.bob,
            Carol => self.carol.as_mut().expect("a referee"),
            Dora => self.dora.as_mut().expect("an office"),
        }
    }

    /// Signs a letter that the other does not see yet; give it to `arrive` later, or never.
    pub(crate) fn post(&mut self, who: Who, body: Body) -> Hex32 {
        let letter = self.seat_mut(who).write(body).expect("a letter");
        self.letters.push(letter);
        self.last()
    }

    /// Somebody takes note of everything written so far.
    pub(crate) fn arrive(&mut self, at: Who) {
        for other in self.seated().filter(|other| *other != at).collect::<Vec<_>>() {
            let other = self.signer(other).role().clone();
            let last = self.letters.iter().rev().find(|letter| letter.message.head().author == other);
            if let Some(message) = last.map(|letter| letter.message.clone()) {
                self.seat_mut(at).see(&message);
            }
        }
    }

    fn seated(&self) -> impl Iterator<Item = Who> + use<> {
        let (refereed, officed) = (self.carol.is_some(), self.dora.is_some());
        Who::ALL.into_iter().filter(move |who| match who {
            Ann | Bob => true,
            Carol => refereed,
            Dora => officed,
        })
    }

    /// Signs a letter that the others see at once.
    pub(crate) fn send(&mut self, who: Who, body: Body) -> Hex32 {
        let id = self.post(who, body);
        for other in self.seated().filter(|other| *other != who).collect::<Vec<_>>() {
            self.arrive(other);
        }
        id
    }

    /// Adds a letter with any head, which neither signer takes for its own.
    pub(crate) fn forge(&mut self, head: Head, body: Body, key: &PrivateKey) -> Hex32 {
        let (message, frame) = Verified::sign(head, body, key).expect("a letter of good form");
        self.letters.push(Letter { message, frame });
        self.last()
    }

    pub(crate) fn last(&self) -> Hex32 {
        self.letters.last().expect("a letter").message.id()
    }

    /// The body of a seal by a player, with the number of places that the default terms give.
    pub(crate) fn seal_body(&mut self, who: Who, kind: SetKind, purpose: &str) -> Seal {
        let n = match kind {
            SetKind::Coin => 5,
            SetKind::Sheet => 400,
            SetKind::FoulUp | SetKind::Contribution => 3,
            SetKind::Note | SetKind::Plain => 1,
        };
        let salt = self.fresh();
        let note = (kind == SetKind::Note).then_some("The reserve goes to Culp's Hill.");
        self.signer(who).seal(self.terms(), kind, purpose, n, salt, note).expect("a seal")
    }

    pub(crate) fn seal(&mut self, who: Who, kind: SetKind, purpose: &str) -> Hex32 {
        let seal = self.seal_body(who, kind, purpose);
        self.send(who, Body::Seal(seal))
    }

    /// The terms, which are accepted.
    pub(crate) fn terms(&self) -> &Terms {
        self.terms.as_ref().expect("terms")
    }

    /// Replays what is on the table.
    pub(crate) fn with_ledger<T>(&self, look: impl FnOnce(&Ledger<'_>) -> T) -> T {
        let letters: Vec<&Verified> = self.letters.iter().map(|letter| &letter.message).collect();
        replayed(&letters, look)
    }

    /// The honest declaration, unsigned.
    pub(crate) fn declaration(
        &mut self,
        who: Who,
        at: &str,
        input: Object,
        seal: Hex32,
        redo: Option<Redo>,
    ) -> Declare {
        let request = Request {
            slot: slot(at),
            moves: Moves::Text("Guards to E11 and G12.".into()),
            input: text(&input),
            seal,
            contribution: Contribution::Open(self.fresh()),
            redo,
        };
        let player = if who == Ann { Player::First } else { Player::Second };
        self.with_ledger(|ledger| steps::declaration(ledger, player, request)).expect("a declaration")
    }

    pub(crate) fn declare(&mut self, who: Who, at: &str, input: Object, seal: Hex32) -> Hex32 {
        let declare = self.declaration(who, at, input, seal, None);
        self.send(who, Body::Declare(Box::new(declare)))
    }

    /// A declaration that is changed before it is signed.
    pub(crate) fn declare_but(
        &mut self,
        who: Who,
        at: &str,
        input: Object,
        seal: Hex32,
        change: impl FnOnce(&mut Declare),
    ) -> Hex32 {
        let mut declare = self.declaration(who, at, input, seal, None);
        change(&mut declare);
        self.send(who, Body::Declare(Box::new(declare)))
    }

    /// A redo that is changed before it is signed.
    pub(crate) fn redo_but(
        &mut self,
        at: &str,
        input: Object,
        seal: Hex32,
        redo: Redo,
        change: impl FnOnce(&mut Declare),
    ) -> Hex32 {
        let mut declare = self.declaration(Ann, at, input, seal, Some(redo));
        change(&mut declare);
        self.send(Ann, Body::Declare(Box::new(declare)))
    }

    pub(crate) fn redo(&mut self, who: Who, at: &str, input: Object, seal: Hex32, redo: Redo) -> Hex32 {
        let declare = self.declaration(who, at, input, seal, Some(redo));
        self.send(who, Body::Declare(Box::new(declare)))
    }

    pub(crate) fn reveal_body(&self, who: Who, declaration: Hex32) -> Reveal {
        self.with_ledger(|ledger| self.signer(who).reveal(ledger, declaration)).expect("a reveal")
    }

    pub(crate) fn reveal(&mut self, who: Who, declaration: Hex32) -> Hex32 {
        let reveal = self.reveal_body(who, declaration);
        self.send(who, Body::Reveal(reveal))
    }

    /// K of a place of a player's set, asked for or not.
    pub(crate) fn key_of(&self, who: Who, seal: Hex32, index: u64, line: u64) -> Hex32 {
        let master = self.master(who, seal);
        let place = sealed_dice::resolve::Place { index, line };
        self.with_ledger(|ledger| Hex32(*ledger.set(&seal).expect("a set").context.key(&master, place).expose()))
    }

    /// M of a set of a player.
    pub(crate) fn master(&self, who: Who, seal: Hex32) -> Secret {
        self.with_ledger(|ledger| self.signer(who).master(ledger, &seal)).expect("a set")
    }

    pub(crate) fn decide(&mut self, who: Who, at: &str, decision: &str) -> Hex32 {
        let decide = Decide { after: None, name: name(decision), slot: slot(at), value: json!("the left flank") };
        self.send(who, Body::Decide(decide))
    }

    /// The claim that the odds were wrong, with the attacks as they should have been, or none to keep the dice.
    pub(crate) fn propose(&mut self, who: Who, declaration: Hex32, input: Option<Object>) -> Hex32 {
        let proposal = Proposal {
            at_fault: role("ann"),
            class: FoulUpClass::IllegalOdds,
            declaration,
            input: input.as_ref().map(text),
            reason: "F12 was 2-1: the Guards were at half strength".into(),
        };
        self.send(who, Body::Correct(Correct::Propose(Box::new(proposal))))
    }

    pub(crate) fn close(&mut self, who: Who) -> Hex32 {
        let close = self.with_ledger(|ledger| self.signer(who).close(ledger, Some("ann wins".into())));
        self.send(who, Body::Close(close))
    }

    /// Both close: stop, stop with masters, masters.
    pub(crate) fn close_all(&mut self) {
        self.close(Ann);
        self.close(Bob);
        self.close(Ann);
    }

    /// The source text's turn up to its end: a sheet, a foul-up set, five envelopes, two impulses; not closed.
    pub(crate) fn turn(label: &str) -> Self {
        let mut table = Self::begin(label);
        let sheet = table.seal(Bob, SetKind::Sheet, "sheet/1");
        table.seal(Bob, SetKind::FoulUp, "foul-up/1");
        let envelopes = table.seal(Bob, SetKind::Coin, "1/1/ann-first/1");
        let first = table.declare(Ann, "1/1/ann-first/1", example_attacks(), envelopes);
        table.reveal(Bob, first);
        let second = table.declare(Ann, "1/2/ann-second/1", cells(&["A1", "A2"]), sheet);
        table.reveal(Bob, second);
        table
    }

    /// The canonical attacks of the source text, with one attack at other odds.
    pub(crate) fn corrected_attacks(&self) -> Object {
        self.with_ledger(|ledger| {
            let input = attacks(&[("F12", "2-1"), ("G13", "5-1"), ("I11", "1-4")]);
            let phase = ledger.terms.phases.first().expect("a phase");
            let rolls = phase.system.resolver().read(&text(&input), true).expect("attacks");
            fields(&rolls.canonical().expect("canonical attacks"))
        })
    }

    /// All letters, as a mail folder would hold them.
    pub(crate) fn transcript(&self) -> String {
        let armours: Vec<String> = self.letters.iter().map(Letter::armour).collect();
        armours.join("\n")
    }
}
