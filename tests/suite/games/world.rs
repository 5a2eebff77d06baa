//! A whole game of two players and, by choice, a referee and an office: who has which letters and keys, and how each signs. The honest ones
//! do as the program does: they replay what they have read, go on from there, and sign nothing that breaks a rule as far
//! as they know.

use std::collections::BTreeSet;

use sealed_dice::{
    blob::{
        Body, Head, Verified,
        body::{Deadline, Decision, Forfeit, Hex32, How, Phase, Revealer, Step},
        deposits::Deposits,
        new_keys::{Admit, Answer, KeyChange, NewKey, Resync, Rotate},
        office::{Moment, Receipt},
    },
    game::{
        audit::{Read, Report, audit},
        charter::{Author, Player, Terms},
        keys::Members,
        ledger::Ledger,
        order::{Node, Order},
        steps::{Letter, Seat},
    },
    primitive::{secret::Secret, sign::PrivateKey},
};

use crate::kit::{Ann, Bob, Carol, Dora, Table, Who, bytes, key, name, role};

/// What the terms of a random game have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings(pub(super) u16);

impl Settings {
    const fn has(self, bit: u16) -> bool {
        self.0 >> bit & 1 == 1
    }

    fn referee(self) -> bool {
        self.has(0) || self.deposits()
    }

    const fn deposits(self) -> bool {
        self.has(1)
    }

    const fn office(self) -> bool {
        self.has(8)
    }

    fn seats(self, who: Who) -> bool {
        match who {
            Ann | Bob => true,
            Carol => self.referee(),
            Dora => self.office(),
        }
    }

    fn change(self, phases: &mut [Phase]) {
        let decision = |how, by: Option<&str>| Decision { by: by.map(role), how, name: name("choice") };
        let [first, second, bobs, _] = phases else { return };
        first.private = self.has(2);
        bobs.private = self.has(3);
        first.decisions.extend(self.has(4).then(|| decision(How::Simultaneous, None)));
        second.decisions.extend(self.has(5).then(|| decision(How::Sealed, Some("bob"))));
        bobs.decisions.extend(self.has(6).then(|| decision(How::Open, Some("ann"))));
        if self.office() && self.has(9) {
            bobs.revealer = Revealer::Sealer;
        }
    }
}

/// Somebody at the table.
struct Party {
    who: Who,
    key: PrivateKey,
    /// The present one last.
    vaults: Vec<Secret>,
    /// The letters that he has read.
    folder: BTreeSet<usize>,
}

pub(super) struct World {
    terms: Terms,
    pub(super) game: Hex32,
    pub(super) letters: Vec<Letter>,
    parties: Vec<Party>,
    /// Who does not play by the rules.
    pub(super) cheat: Option<Who>,
    used: u64,
}

pub(super) const fn author(who: Who) -> Author {
    match who {
        Ann => Author::Player(Player::First),
        Bob => Author::Player(Player::Second),
        Carol => Author::Referee,
        Dora => Author::Office,
    }
}

const fn called(who: Who) -> &'static str {
    match who {
        Ann => "ann",
        Bob => "bob",
        Carol => "carol",
        Dora => "dora",
    }
}

impl World {
    pub(super) fn begin(settings: Settings, cheat: Option<Who>) -> Self {
        const LABEL: &str = "a whole game";
        let change = |charter: &mut sealed_dice::blob::body::Charter| {
            settings.change(&mut charter.phases);
            charter.deadlines.push(Deadline { days: 30, forfeit: Forfeit::DeclarerNames, step: Step::Reveal });
            charter.deadlines.push(Deadline { days: 30, forfeit: Forfeit::Game, step: Step::Answer });
            if let Some(referee) = charter.referee.as_mut().filter(|_| settings.deposits()) {
                referee.deposit = Some(Deposits { key: bytes("a deposit key"), notes: settings.has(7) });
            }
            if let Some(deposit) = charter.office.as_mut().and_then(|office| office.deposit.as_mut()) {
                deposit.notes = settings.has(10);
            }
        };
        let table = match (settings.office(), settings.referee()) {
            (true, refereed) => Table::officed(LABEL, refereed, change),
            (false, true) => Table::refereed(LABEL, change),
            (false, false) => Table::begin_with(LABEL, change),
        };
        let letters = table.letters;
        let terms = Terms::parse(&letters[0].message).expect("terms");
        let game = letters.last().expect("an accept").message.id();
        let party = |who| Party {
            who,
            key: key(&format!("key of {}", called(who))),
            vaults: vec![Secret::new(bytes(&format!("{LABEL}: vault of {}", called(who))).0)],
            folder: (0..letters.len()).collect(),
        };
        let parties = Who::ALL.into_iter().filter(|who| settings.seats(*who)).map(party).collect();
        Self { terms, game, letters, parties, cheat: cheat.filter(|who| settings.seats(*who)), used: 0 }
    }

    pub(super) fn who(&self, place: usize) -> Who {
        self.parties[place % self.parties.len()].who
    }

    fn place(&self, who: Who) -> usize {
        self.parties.iter().position(|party| party.who == who).expect("he sits here")
    }

    fn party(&self, who: Who) -> &Party {
        &self.parties[self.place(who)]
    }

    /// Thirty-two bytes that nobody has used.
    pub(super) fn fresh(&mut self) -> Hex32 {
        self.used += 1;
        bytes(&format!("fresh in a whole game {}", self.used))
    }

    /// The letters that somebody has read; who cheats has read them all.
    fn read_by(&self, who: Who) -> Vec<&Verified> {
        let all = self.letters.iter().map(|letter| &letter.message).enumerate();
        let has = |i: &usize| self.cheat == Some(who) || self.party(who).folder.contains(i);
        all.filter(|(i, _)| has(i)).map(|(_, message)| message).collect()
    }

    fn replayed<T>(&self, letters: &[&Verified], look: impl FnOnce(&Members<'_>, &Order<'_>, &Ledger<'_>) -> T) -> T {
        let members = Members::of(&self.terms, self.game, letters);
        let order = Order::of(&self.terms, self.game, &members);
        let ledger = Ledger::replay(&self.terms, self.game, &order);
        look(&members, &order, &ledger)
    }

    fn seat(&self, who: Who, ledger: &Ledger<'_>) -> Seat {
        let party = self.party(who);
        let [old @ .., vault] = party.vaults.as_slice() else { panic!("a vault") };
        let mut seat = Seat::resume_as(ledger, author(who), party.key.clone(), vault.clone());
        old.iter().for_each(|vault| seat.with_old_vault(vault.clone()));
        seat
    }

    /// What somebody makes of the game as he has read it; none if he may sign nothing now: his key is not in force, or his own
    /// chain is not whole.
    pub(super) fn at<T>(&self, who: Who, look: impl FnOnce(&Ledger<'_>, &Order<'_>, &Seat) -> Option<T>) -> Option<T> {
        self.replayed(&self.read_by(who), |members, order, ledger| {
            let seat = self.seat(who, ledger);
            let me = author(who);
            let own = Hex32(*self.party(who).key.public().as_bytes());
            let last = ledger.last_letter_of(me)?;
            let in_force = match last.message.body() {
                Body::Key(KeyChange::Rotate(rotate)) => rotate.key == own,
                _ => last.message.key() == own,
            };
            let granted = || me.player().is_some_and(|player| members.grants.contains(&(player, last.id(), own)));
            let whole = !order.missing.values().any(|missing| missing.author.as_ref() == ledger.terms.role_of(me))
                && !order.forks.iter().any(|fork| fork.author == me && !fork.excused);
            let may = (in_force || granted()) && whole || self.cheat == Some(who);
            may.then(|| look(ledger, order, &seat)).flatten()
        })
    }

    /// Mails arrive, or do not: each letter that somebody has not read, by a bit of `which`.
    pub(super) fn delivers(&mut self, who: Who, which: u8) {
        let place = self.place(who);
        for i in 0..self.letters.len() {
            if which.rotate_left(i as u32 % 8) & 3 != 0 {
                self.parties[place].folder.insert(i);
            }
        }
    }

    /// An honest letter: it is tried first, as the program does.
    pub(super) fn signs(&mut self, who: Who, body: Body, sees: Option<&Verified>) -> bool {
        let letter = self.at(who, |_, _, seat| {
            let mut head = seat.next_head(body.kind());
            sees.into_iter().for_each(|letter| head.seen.insert(letter.head().author.clone(), Some(letter.id())));
            let (message, frame) = Verified::sign(head, body, seat.key()).ok()?;
            Some(Letter { message, frame })
        });
        let Some(letter) = letter else { return false };
        let mut letters = self.read_by(who);
        letters.push(&letter.message);
        let good = self.replayed(&letters, |_, _, ledger| {
            ledger.findings.iter().all(|finding| !finding.letters.contains(&letter.message.id()))
        });
        good && self.posts(who, letter)
    }

    /// A letter with any head, untried.
    pub(super) fn forges(&mut self, who: Who, head: Head, body: Body) {
        if let Ok((message, frame)) = Verified::sign(head, body, &self.party(who).key) {
            self.posts(who, Letter { message, frame });
        }
    }

    fn posts(&mut self, who: Who, letter: Letter) -> bool {
        // The same letter again is the same letter.
        if self.letters.iter().any(|other| other.message.id() == letter.message.id()) {
            return false;
        }
        let place = self.place(who);
        self.parties[place].folder.insert(self.letters.len());
        self.letters.push(letter);
        true
    }

    /// A player's own secret of a set, if it is his.
    pub(super) fn master_of(&self, ledger: &Ledger<'_>, seal: &Hex32) -> Option<Secret> {
        let sealer = ledger.set(seal)?.node.player;
        let who = if sealer == Player::First { Ann } else { Bob };
        self.seat(who, ledger).master(ledger, seal)
    }

    /// Another key takes the place of somebody's, as the program would do it.
    pub(super) fn rotates(&mut self, who: Who, stolen: bool) {
        let (label, vault) = (self.fresh(), self.fresh());
        let new = key(&label.to_string());
        let public = Hex32(*new.public().as_bytes());
        let game = self.game;
        let body = self.at(who, |_, _, seat| {
            let after = seat.next_head(sealed_dice::blob::Kind::Key).prev?;
            let proof = NewKey { game, role: seat.role(), after, key: public }.prove(&new);
            Some(Body::Key(KeyChange::Rotate(Rotate { key: public, proof, stolen })))
        });
        if body.is_some_and(|body| self.signs(who, body, None)) {
            let place = self.place(who);
            self.parties[place].key = new;
            self.parties[place].vaults.push(Secret::new(vault.0));
        }
    }

    /// A player loses key, vault and folder, and the other grants him a new one after the last letter that he has of him. He
    /// has mailed all that he has. The referee may admit it, later.
    pub(super) fn loses(&mut self, who: Who) {
        let other = if who == Ann { Bob } else { Ann };
        // Who cheats vouches for nobody, and asks nobody to.
        let refereed = self.parties.iter().any(|party| party.who == Carol);
        if matches!(self.cheat, Some(Ann | Bob)) || !refereed {
            return;
        }
        let (label, vault) = (self.fresh(), self.fresh());
        let new = key(&label.to_string());
        let public = Hex32(*new.public().as_bytes());
        let (game, player) = (self.game, role(called(who)));
        let body = self.at(other, |_, _, seat| {
            let after = seat.next_head(sealed_dice::blob::Kind::Key).seen.get(&player)?;
            let proof = NewKey { game, role: &player, after, key: public }.prove(&new);
            Some(Body::Key(KeyChange::Admit(Admit { after, key: public, player: player.clone(), proof })))
        });
        if body.is_some_and(|body| self.signs(other, body, None)) {
            let folder = self.party(other).folder.clone();
            let place = self.place(who);
            self.parties[place] = Party { who, key: new, vaults: vec![Secret::new(vault.0)], folder };
        }
    }

    /// A clock that never goes back.
    pub(super) fn now(&self) -> u64 {
        self.letters.len() as u64
    }

    /// The office goes back to a backup: it has lost its last letters, and signs an epoch.
    pub(super) fn restores(&mut self, who: Who) {
        let at = self.now();
        let letter = self.at(who, |ledger, _, seat| {
            let lost = ledger.last_letter_of(author(who))?.message.head();
            let body = Body::Receipt(Receipt::Epoch(Moment { at }));
            let mut head = seat.next_head(body.kind());
            (head.number > 2).then_some(())?;
            (head.number, head.prev) = (lost.number, lost.prev);
            Some((head, body))
        });
        let Some((head, body)) = letter else { return };
        let Ok((message, frame)) = Verified::sign(head, body, &self.party(who).key) else { return };
        // Tried first: an epoch, too, must not go back behind what the letter before it has seen.
        let mut letters = self.read_by(who);
        letters.push(&message);
        let good = self.replayed(&letters, |_, _, ledger| {
            let mut blamed = ledger.findings.iter().filter(|finding| finding.culprit.is_some());
            blamed.all(|finding| !finding.letters.contains(&message.id()))
        });
        if good {
            self.posts(who, Letter { message, frame });
        }
    }

    /// A player goes back to a backup: he has an answer of the other's, and a word of the office's that knows it, and reads what
    /// these rest on. What he lost may come to light later. (A referee who has it binds him, keys 8.)
    pub(super) fn goes_back(&mut self, who: Who, choice: u8) {
        let other = if who == Ann { Bob } else { Ann };
        let seated = |who: Who| self.parties.iter().any(|party| party.who == who);
        if !matches!(who, Ann | Bob) || matches!(self.cheat, Some(Ann | Bob)) || seated(Carol) {
            return;
        }
        let (officed, asked) = (seated(Dora), self.letters.len());
        let body = Body::Resync(Resync::Answer(Answer { ask: self.fresh(), to: role(called(who)) }));
        if !self.signs(other, body, None) {
            return;
        }
        if officed {
            let place = self.place(Dora);
            let known = self.party(other).folder.clone();
            self.parties[place].folder.extend(known);
            let at = self.now();
            if !self.signs(Dora, Body::Receipt(Receipt::Time(Moment { at })), None) {
                return;
            }
        }
        // With what he has sent to nobody he may lose some of what he has read, too.
        let all: Vec<&Verified> = self.letters.iter().map(|letter| &letter.message).collect();
        let folder = self.replayed(&all, |_, order, _| {
            let node = |message: &Verified| order.nodes.iter().find(|node| node.id() == message.id());
            let told: Vec<_> = all.iter().skip(asked).filter_map(|message| node(message)).collect();
            let knows = |message: &Verified| {
                let told_of =
                    |letter: &Node<'_>| told.iter().any(|told| told.id() == letter.id() || told.has_in_past(letter));
                node(message).is_some_and(told_of)
            };
            let begun = self.parties.len();
            let kept = all.iter().enumerate().filter(|(i, message)| *i < begun || knows(message));
            kept.map(|(i, _)| i).collect::<BTreeSet<usize>>()
        });
        // Now and then nothing was lost after all.
        if choice % 8 > 1 {
            let place = self.place(who);
            self.parties[place].folder = folder;
        }
    }

    /// What an auditor says of some of the letters.
    pub(super) fn report(&self, keep: impl Fn(usize) -> bool) -> Report {
        let begun = self.parties.len();
        let shown = self.letters.iter().enumerate().filter(|(i, _)| *i < begun || keep(*i));
        let read: Vec<Read> =
            shown.map(|(_, letter)| Read { place: "a letter".into(), letter: Ok(letter.message.clone()) }).collect();
        audit(&read).into_iter().find(|report| report.game == Some(self.game)).expect("the game")
    }

    /// What stands in the letters, by kind.
    pub(super) fn said(&self) -> Vec<String> {
        let first = |body: &Body| {
            let text = serde_json::to_string(body).expect("JSON");
            let field = |text: &str| text.split('"').nth(1).unwrap_or_default().to_owned();
            match body {
                Body::Ruling(ruling) => field(&serde_json::to_string(&ruling.rule).expect("JSON")),
                Body::Correct(_) | Body::Claim(_) | Body::Key(_) | Body::Resync(_) | Body::Receipt(_) => field(&text),
                Body::Seal(seal) => seal.kind.as_str().to_owned(),
                Body::Declare(declare) => serde_json::to_string(&declare.redo).expect("JSON").chars().take(9).collect(),
                _ => String::new(),
            }
        };
        let letters = self.letters.iter().map(|letter| letter.message.body());
        letters.map(|body| format!("{} {}", body.kind().as_str(), first(body))).collect()
    }

    /// The honest ones, as a report names them.
    pub(super) fn is_honest(&self, culprit: &str) -> bool {
        self.cheat.map(called) != Some(culprit)
    }
}
