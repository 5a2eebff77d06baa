//! A whole game of two players and, by choice, a referee and an office: who has which letters, and how each signs. The
//! honest ones do as the program does: they replay what they have read, go on from there, and sign nothing that breaks
//! a rule as far as they know.

use std::collections::BTreeSet;

use sealed_dice::{
    blob::{
        Body, Head, Kind, Verified,
        body::{Deadline, Decision, Forfeit, Hex32, How, Phase, Revealer, Step},
        deposits::Deposits,
        office::{Moment, Receipt},
        resync::Resync,
    },
    game::{
        asks,
        audit::{Read, Report, audit},
        findings,
        keys::Members,
        ledger::Ledger,
        node::Node,
        order::Order,
        replay,
        steps::{Letter, Signer},
        terms::{Author, Player, Terms},
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
    vault: Secret,
    /// The letters that they have read.
    folder: BTreeSet<usize>,
}

pub(super) struct World {
    terms: Terms,
    pub(super) game: Hex32,
    pub(super) letters: Vec<Letter>,
    parties: Vec<Party>,
    /// Letters that nobody has any more.
    gone: BTreeSet<usize>,
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

/// The law of what an honest program has as `seen`: never back along a chain (chain 3), and on the branch that stands.
/// Where none stands, it is behind the fork.
fn goes_on_from_what_stands(order: &Order, ledger: &Ledger<'_>, letter: &Verified) {
    let broke =
        findings::of(ledger).iter().find(|one| one.letters.contains(&letter.id()) && one.text.starts_with("chain 3"));
    assert_eq!(broke, None);
    let node = |id: Hex32| order.nodes.iter().find(|node| node.id() == id);
    for (other, role) in ledger.terms.authors() {
        let Some(seen) = letter.head().seen.get(role).and_then(node) else { continue };
        let last = ledger.last_letter_of(other).expect("the first one");
        assert!(seen.standing.is_judged() || seen.follows(last), "{other:?}: {seen:?} and not {last:?}");
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
            vault: Secret::new(bytes(&format!("{LABEL}: vault of {}", called(who))).0),
            folder: (0..letters.len()).collect(),
        };
        let parties = Who::ALL.into_iter().filter(|who| settings.seats(*who)).map(party).collect();
        let cheat = cheat.filter(|who| settings.seats(*who));
        Self { terms, game, letters, parties, gone: BTreeSet::new(), cheat, used: 0 }
    }

    pub(super) fn who(&self, place: usize) -> Who {
        self.parties[place % self.parties.len()].who
    }

    fn place(&self, who: Who) -> usize {
        self.parties.iter().position(|party| party.who == who).expect("they sit here")
    }

    fn party(&self, who: Who) -> &Party {
        &self.parties[self.place(who)]
    }

    /// Thirty-two bytes that nobody has used.
    pub(super) fn fresh(&mut self) -> Hex32 {
        self.used += 1;
        bytes(&format!("fresh in a whole game {}", self.used))
    }

    /// The letters that somebody has, and their places.
    pub(super) fn here(&self) -> impl Iterator<Item = (usize, &Letter)> {
        self.letters.iter().enumerate().filter(|(i, _)| !self.gone.contains(i))
    }

    /// The letters that are in somebody's chain.
    pub(super) fn in_chains(&self) -> impl Iterator<Item = &Verified> {
        self.letters.iter().map(|letter| &letter.message).filter(|message| !message.head().is_unnumbered())
    }

    /// Which letters somebody has read; who cheats has read them all.
    fn held_by(&self, who: Who) -> BTreeSet<usize> {
        match self.cheat == Some(who) {
            true => (0..self.letters.len()).collect(),
            false => self.party(who).folder.clone(),
        }
    }

    fn read_by(&self, who: Who) -> Vec<&Verified> {
        self.held_by(who).into_iter().map(|i| &self.letters[i].message).collect()
    }

    fn replayed<T>(&self, letters: &[&Verified], look: impl FnOnce(&Order, &Ledger<'_>) -> T) -> T {
        let in_chains = letters.iter().copied().filter(|message| !message.head().is_unnumbered());
        let members = Members::of(&self.terms, &in_chains.collect::<Vec<_>>());
        let order = Order::of(&self.terms, self.game, &members);
        let ledger = replay::replay(&self.terms, self.game, &order);
        look(&order, &ledger)
    }

    fn signer(&self, who: Who, ledger: &Ledger<'_>) -> Signer {
        let party = self.party(who);
        Signer::resume_as(ledger, author(who), party.key.clone(), party.vault.clone())
    }

    /// What somebody makes of the game as they have read it; none if they may sign nothing now: their own chain is not
    /// whole.
    pub(super) fn at<T>(&self, who: Who, look: impl FnOnce(&Ledger<'_>, &Order, &Signer) -> Option<T>) -> Option<T> {
        self.replayed(&self.read_by(who), |order, ledger| {
            let me = author(who);
            ledger.last_letter_of(me)?;
            // An office that was restored goes on behind its epoch, whatever it has forgotten.
            let whole = me == Author::Office
                || !order.missing.values().any(|missing| missing.author.as_ref() == ledger.terms.role_of(me));
            let forked = order.forks.iter().any(|fork| fork.author == me && !fork.explained);
            let may = whole && !forked || self.cheat == Some(who);
            may.then(|| look(ledger, order, &self.signer(who, ledger))).flatten()
        })
    }

    /// Mails arrive, or do not: each letter that somebody has not read, by a bit of `which`.
    pub(super) fn delivers(&mut self, who: Who, which: u8) {
        let place = self.place(who);
        for i in 0..self.letters.len() {
            if which.rotate_left(i as u32 % 8) & 3 != 0 && !self.gone.contains(&i) {
                self.parties[place].folder.insert(i);
            }
        }
    }

    /// An honest letter: it is tried first, as the program does.
    pub(super) fn signs(&mut self, who: Who, body: Body, sees: Option<&Verified>) -> bool {
        let letter = self.at(who, |_, _, signer| {
            let mut head = signer.next_head(body.kind());
            sees.into_iter().for_each(|letter| head.seen.insert(letter.head().author.clone(), Some(letter.id())));
            let (message, frame) = Verified::sign(head, body, signer.key()).ok()?;
            Some(Letter { message, frame })
        });
        let Some(letter) = letter else { return false };
        let mut letters = self.read_by(who);
        letters.push(&letter.message);
        let good = self.replayed(&letters, |order, ledger| {
            if sees.is_none() && self.cheat != Some(who) {
                goes_on_from_what_stands(order, ledger, &letter.message);
            }
            findings::of(ledger).iter().all(|finding| !finding.letters.contains(&letter.message.id()))
        });
        good && self.posts(who, letter)
    }

    /// A letter with any head, untried; an ask or an answer has none but its own.
    pub(super) fn forges(&mut self, who: Who, head: Head, body: Body) {
        if matches!(body, Body::Resync(_)) {
            self.says(who, body);
        } else if let Ok((message, frame)) = Verified::sign(head, body, &self.party(who).key) {
            self.posts(who, Letter { message, frame });
        }
    }

    fn posts(&mut self, who: Who, letter: Letter) -> bool {
        let place = self.place(who);
        // The same letter again is the same letter.
        if let Some(i) = self.letters.iter().position(|other| other.message.id() == letter.message.id()) {
            self.parties[place].folder.insert(i);
            return self.gone.remove(&i);
        }
        self.parties[place].folder.insert(self.letters.len());
        self.letters.push(letter);
        true
    }

    /// A player's own secret of a set, if it is theirs.
    pub(super) fn master_of(&self, ledger: &Ledger<'_>, seal: &Hex32) -> Option<Secret> {
        let sealer = ledger.set(seal)?.node.player;
        let who = if sealer == Player::First { Ann } else { Bob };
        self.signer(who, ledger).master(ledger, seal)
    }

    /// A clock that never goes back.
    pub(super) fn now(&self) -> u64 {
        self.letters.len() as u64
    }

    /// The office's disk is restored without its last letter, which others may have, and it signs an epoch.
    pub(super) fn begins_an_epoch(&mut self, who: Who) {
        let last = self.at(who, |ledger, _, _| {
            let last = ledger.last_letter_of(author(who))?;
            (last.message.head().kind != Kind::Accept).then_some(last.id())
        });
        let lost = last.and_then(|id| self.letters.iter().position(|letter| letter.message.id() == id));
        let (Some(lost), place) = (lost, self.place(who)) else { return };
        self.parties[place].folder.remove(&lost);
        let moment = Moment { at: self.now() };
        if !self.signs(who, Body::Receipt(Receipt::Epoch(moment)), None) {
            self.parties[place].folder.insert(lost);
        }
    }

    /// A message that is in no chain (message 9).
    fn says(&mut self, who: Who, body: Body) {
        let said = asks::unnumbered(&self.terms, author(who), self.game, body, &self.party(who).key);
        self.posts(who, said.expect("a message"));
    }

    /// Answers every ask that somebody has read (keys 5).
    pub(super) fn answers(&mut self, who: Who) {
        let letters = self.read_by(who);
        let open = asks::open(&self.terms, self.game, author(who), letters.iter().copied());
        let answers: Vec<Body> = self.replayed(&letters, |order, _| {
            let last = |open: &asks::Open| order.last_of(open.asker).map(Node::id);
            open.iter().map(|open| asks::answer(open, last(open))).collect()
        });
        answers.into_iter().for_each(|answer| self.says(who, answer));
    }

    /// The folder of a player or the referee is restored: they ask, everybody answers, with all that they hold, and
    /// they go on from there (keys 3 to 5). What nobody else has is gone.
    pub(super) fn is_restored(&mut self, who: Who) {
        if self.cheat == Some(who) {
            return;
        }
        let (asked, nonce) = (self.letters.len(), self.fresh());
        self.says(who, Body::Resync(Resync::Ask(nonce)));
        let others: Vec<Who> = self.parties.iter().map(|party| party.who).filter(|other| *other != who).collect();
        for other in &others {
            let place = self.place(*other);
            self.parties[place].folder.insert(asked);
            self.answers(*other);
        }
        let held: BTreeSet<usize> = others.iter().flat_map(|other| self.held_by(*other)).collect();
        let place = self.place(who);
        self.gone.extend(self.parties[place].folder.difference(&held));
        self.parties[place].folder = held;
        let ask = self.letters[asked].message.id();
        let answers = self.letters.iter().filter_map(|letter| match letter.message.body() {
            Body::Resync(Resync::Answer(answer)) if answer.ask == ask => Some(answer.last),
            _ => None,
        });
        let told: Vec<Option<Hex32>> = answers.collect();
        assert_eq!(told.len(), others.len(), "each of the others answers once");
        if self.cheat.is_none() {
            // Where nobody cheats each of them names a letter that is at hand, and stands, and is followed by the last
            // one.
            self.replayed(&self.read_by(who), |order, ledger| {
                let last = ledger.last_letter_of(author(who)).expect("a letter");
                for named in told.into_iter().flatten() {
                    let named = order.nodes.iter().find(|node| node.id() == named).expect("it came along");
                    assert!(last.id() == named.id() || last.follows(named));
                }
            });
        }
    }

    /// Whether somebody lost a letter that nobody else had.
    pub(super) fn has_lost(&self) -> bool {
        !self.gone.is_empty()
    }

    pub(super) const fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Whose forks there are, and what became of them.
    pub(super) fn forks(&self) -> Vec<String> {
        let letters: Vec<&Verified> = self.here().map(|(_, letter)| &letter.message).collect();
        self.replayed(&letters, |order, _| {
            let told = order.forks.iter().map(|fork| {
                let first = |id: &Hex32| order.nodes.iter().find(|node| node.id() == *id).expect("it is placed");
                let stands = fork.ids.iter().filter(|id| first(id).standing.is_judged()).count();
                format!("a fork of {:?}: {stands} of them", fork.author)
            });
            told.collect()
        })
    }

    /// What an auditor says of some of the letters.
    pub(super) fn report(&self, keep: impl Fn(usize) -> bool) -> Report {
        let begun = self.parties.len();
        let shown = self.here().filter(|(i, _)| *i < begun || keep(*i));
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
                Body::Correct(_) | Body::Claim(_) | Body::Resync(_) | Body::Receipt(_) => field(&text),
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
