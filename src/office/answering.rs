//! Signs the office's letters for a box, until nothing is due any more (`protocol/office.md` 15, `protocol/post.md` 4,
//! 5).

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{
    decision::{Decision, Mode, Settled, declaration_of},
    held::Held,
    mailbox::Mailbox,
    store::Mark,
};
use crate::{
    blob::{Body, Hex32, Kind, Verified, deposits::Third, office::Receipt, resync::Resync},
    error::{Error, Result},
    game::{
        asks::{self, Open},
        days,
        ledger::Ledger,
        node::Node,
        opener::{self, Because, Unopened},
        order::Order,
        steps::{Letter, Signer},
        terms::Author,
    },
    keep::root::Keys,
    limits::{LIST, MOMENT},
    primitive::{
        hash::{h, tag},
        wrap,
    },
};

/// The maximum number of rounds in which the office signs letters that its own letters have made due.
const ROUNDS: usize = 8;

impl Mailbox {
    /// Decides which new letters are taken, and signs what is due then, as far as the box's `mode` allows. `now` is in
    /// seconds since 1970.
    ///
    /// # Errors
    /// If the deposit key in the terms is not among `keys`, or a letter cannot be signed. Nothing must be stored then.
    pub fn decide(&self, new: Vec<Letter>, keys: &Keys, now: u64, mode: Mode) -> Result<Decision> {
        let (mut decision, brought) = self.take(new, mode);
        // Letters outside the games of this box make nothing due, and begin no epoch.
        let is_of_no_game = decision.letters.is_empty() && decision.again.is_empty();
        if is_of_no_game || decision.forgot.is_some() {
            return Ok(decision);
        }
        self.answer(&mut decision, &brought, keys, (now, mode))?;
        Ok(decision)
    }

    /// Signs what is due for letters that the office took earlier, when it had no time to answer them. The box must not
    /// wait for an epoch.
    ///
    /// # Errors
    /// Same errors as [`Self::decide`].
    pub fn catch_up(&self, keys: &Keys, now: u64) -> Result<Decision> {
        let mut decision = Decision::default();
        if self.settled.is_none() {
            self.answer(&mut decision, &HashSet::new(), keys, (now, Mode::Signs))?;
        }
        Ok(decision)
    }

    /// Decides which new letters are taken, if there is no time to answer them. Returns `None` for new deposits and
    /// asks, which cannot wait (post 19).
    #[must_use]
    pub fn keep(&self, new: Vec<Letter>, mode: Mode) -> Option<Decision> {
        let is_hard = |letter: &Letter| {
            let waits_for_one = matches!(letter.message.body(), Body::Deposit(_) | Body::Resync(Resync::Ask(_)));
            waits_for_one && !self.has(&letter.message)
        };
        if new.iter().any(is_hard) {
            return None;
        }
        let (mut decision, brought) = self.take(new, mode);
        let again = decision.again.iter().filter_map(|position| self.at(*position));
        let opened: HashSet<Hex32> = again.filter_map(|letter| declaration_of(&letter.message)).collect();
        let declared = self.all(&decision.letters).filter(|message| message.head().kind == Kind::Declare);
        let declared = declared.map(Verified::id).filter(|id| brought.contains(id) && !opened.contains(id));
        decision.waiting = declared.map(|id| opener::unable(id, Because::Busy)).collect();
        decision.late = !decision.letters.is_empty() || !decision.waiting.is_empty();
        decision.restored = mode == Mode::Waits;
        Some(decision)
    }

    /// Returns the decision on letters that are all here and make nothing due, without replaying the game. Returns
    /// `None` if the game must be replayed.
    #[must_use]
    pub fn told(&self, letters: &[Letter]) -> Option<Decision> {
        let settled = self.settled.as_ref()?;
        let is_known = |letter: &Letter| {
            let may_wait = letter.message.head().kind == Kind::Declare || settled.some_wait;
            let needs_none = letter.message.head().is_unnumbered() || !may_wait;
            self.has(&letter.message) && (needs_none || settled.reasons.contains_key(&letter.message.id()))
        };
        if !letters.iter().all(is_known) {
            return None;
        }
        let brought: HashSet<Hex32> = letters.iter().map(|letter| letter.message.id()).collect();
        let again = self.again(&brought);
        let told = again.iter().filter_map(|position| self.at(*position)?.message.id().into());
        let mut once = HashSet::new();
        let told = told.filter(|id: &Hex32| once.insert(*id) && brought.contains(id));
        let waiting = told.filter_map(|id| settled.reasons.get(&id)).flatten().cloned().collect();
        Some(Decision { again, waiting, ..Decision::default() })
    }

    /// Signs letters until nothing is due any more.
    fn answer(
        &self,
        decision: &mut Decision,
        brought: &HashSet<Hex32>,
        keys: &Keys,
        (now, mode): (u64, Mode),
    ) -> Result<()> {
        let Some(office) = self.terms.charter.office.as_ref() else { return Ok(()) };
        let Some(game) = self.game(&decision.letters) else { return Ok(()) };
        if !fits(office, keys) {
            let text =
                "the deposit key in the terms is not this machine's; start the office with the key that the terms name";
            return Err(Error::Misuse(text.into()));
        }
        let taken = decision.letters.len();
        // Letters for another game on these terms do not wait here.
        let is_told = |message: &&Verified| {
            let head = message.head();
            !head.is_unnumbered() && [Some(self.terms.id), Some(game)].contains(&head.game)
        };
        let here: BTreeSet<u64> = brought.iter().filter_map(|id| self.positions.get(id)).copied().collect();
        let here = here.into_iter().filter_map(|position| self.at(position)).chain(&decision.letters);
        let told = here.map(|letter| &letter.message).filter(is_told);
        let told: Vec<&Verified> = told.filter(|message| brought.contains(&message.id())).collect();
        let declared = told.iter().filter(|message| message.head().kind == Kind::Declare);
        let declared: Vec<Hex32> = declared.map(|message| message.id()).collect();
        let told: Vec<Hex32> = told.into_iter().map(Verified::id).collect();
        let (mut held, mut dated) = (self.held(), false);
        for _ in 0..ROUNDS {
            let (come_to, replayed) = self.come_to(held.take(), game, &decision.letters);
            decision.replayed += replayed;
            let asks = come_to.asks();
            let round = Round { mailbox: self, held: &come_to, asks, keys, taken, told: &told, declared: &declared };
            match round.answer(decision, &mut dated, (now, mode))? {
                Next::Rest => {
                    decision.held = Some(come_to);
                    return Ok(());
                }
                Next::Broken(broke) => {
                    decision.breaks(broke, taken, &declared);
                    return Ok(());
                }
                Next::Signed(letters) => {
                    decision.marks.extend(letters.iter().flat_map(marks));
                    decision.signed += letters.len();
                    decision.letters.extend(letters);
                    held = Some(come_to);
                }
            }
        }
        let broke = "the office's own letters keep making more letters due, so it signs nothing: report this bug";
        decision.breaks(broke.into(), taken, &declared);
        Ok(())
    }

    /// Returns a signer that continues the office's chain.
    fn signer(ledger: &Ledger<'_>, keys: &Keys) -> Signer {
        Signer::resume_as(ledger, Author::Office, keys.signing().clone(), keys.vault().clone())
    }

    /// Makes the letter by which the office hands sets back (office 20).
    ///
    /// # Errors
    /// Same errors as [`opener::hand_back`]; also if the game has not begun, or if the letter would break a rule.
    pub fn hand_back(&self, purposes: &[String], keys: &Keys) -> Result<Letter> {
        let refused = |text: &str| Error::Refused(text.into());
        let game = self
            .game(&[])
            .ok_or_else(|| refused("the game has not begun: try again when both players have accepted the terms"))?;
        let (held, _) = self.come_to(self.held(), game, &[]);
        let letter = held.look(|_, ledger| Self::signer(ledger, keys).write(opener::hand_back(ledger, purposes)?))?;
        let (held, _) = self.come_to(Some(held), game, std::slice::from_ref(&letter));
        let broke = held.look(|order, ledger| broken(order, ledger, std::slice::from_ref(&letter)));
        broke.map_or(Ok(letter), |broke| Err(Error::Refused(broke)))
    }

    /// Makes the letter with which the office accepts the terms (office 2). Returns `None` if the office has accepted
    /// already.
    ///
    /// # Errors
    /// If the terms name no office, or a key or deposit key that is not among `keys`.
    pub fn accept(&self, keys: &Keys) -> Result<Option<Letter>> {
        let refused = |text: &str| Error::Refused(text.into());
        let office = self
            .terms
            .charter
            .office
            .as_ref()
            .ok_or_else(|| refused("the terms do not name an office: make new terms with one"))?;
        if office.key.0 != *keys.signing().public().as_bytes() {
            return Err(refused("the terms name another office: open the box there"));
        }
        if !fits(office, keys) {
            return Err(refused(
                "the deposit key in the terms is not this office's: make new terms with the lines from `sealed-dice \
                 office card`",
            ));
        }
        let accepts =
            |letter: &Letter| letter.message.head().kind == Kind::Accept && letter.message.head().author == office.role;
        if self.letters.iter().any(accepts) {
            return Ok(None);
        }
        let charter =
            self.letter(&self.terms.id).ok_or_else(|| refused("the box has no charter: send the charter first"))?;
        let author = self.terms.role(self.terms.author).clone();
        let mut signer = Signer::new(office.role.clone(), keys.signing().clone(), keys.vault().clone(), author);
        self.terms.seen_by(Author::Office).for_each(|role| signer.with_other(role.clone()));
        // For one charter, this always gives the same letter. So an office that forgets its accept in a restore does
        // not sign a second one.
        let nonce = Hex32(h(tag::ACCEPT_NONCE, &[keys.vault().expose(), &self.terms.id.0]));
        signer.accept(&charter.message, false, nonce).map(Some)
    }
}

/// Whether the office can open the deposits that the terms assign to it: a time witness holds none (office 1, 34).
fn fits(office: &Third, keys: &Keys) -> bool {
    office.deposit.as_ref().is_none_or(|deposits| wrap::public(keys.deposit()) == Some(deposits.key.0))
}

/// One round: from the state after a box's letters, the office makes its next letters.
struct Round<'r> {
    mailbox: &'r Mailbox,
    held: &'r Held,
    /// The asks that wait for an answer.
    asks: Vec<Open>,
    keys: &'r Keys,
    /// The number of letters in the decision that come from others.
    taken: usize,
    /// The ids of the letters that were brought and belong to the game.
    told: &'r [Hex32],
    /// The ids of the declarations in `told`.
    declared: &'r [Hex32],
}

/// The result of a round.
enum Next {
    /// Nothing is due any more.
    Rest,
    /// The letters that the office signs in this round, because something is due.
    Signed(Vec<Letter>),
    /// A letter that the office signed for this decision breaks a rule, which is given in words. Nothing is signed.
    Broken(String),
}

impl Round<'_> {
    fn answer(self, decision: &mut Decision, dated: &mut bool, (now, mode): (u64, Mode)) -> Result<Next> {
        self.held.look(|order, ledger| {
            if let Some(broke) = broken(order, ledger, decision.letters.get(self.taken..).unwrap_or_default()) {
                return Ok(Next::Broken(broke));
            }
            let is_placed = |id: &Hex32| ledger.letter(id).is_some();
            let told = self.told.iter().filter(|id| self.declared.contains(id) || !is_placed(id));
            let unopened = told.clone().filter_map(|id| opener::unopened(order, ledger, *id));
            let waiting = unopened.map(|unopened| self.lacking(unopened, order, ledger, &decision.letters)).collect();
            decision.waiting = waiting;
            let (deposits, time) = (self.held.deposits(), opener::moment(ledger, now, 0));
            let mut owed = opener::owed(
                ledger,
                Author::Office,
                deposits,
                Some(self.keys.deposit()),
                time,
                &(self.mailbox.due)(ledger),
            )?;
            decision.looked_at += owed.looked_at;
            // The operator gets only one line, however many letters cannot be signed.
            let first = owed.refused.first().map(|error| {
                format!("cannot sign {} of the letters that are due; the first error: {error}", owed.refused.len())
            });
            decision.talk = first.into_iter().collect();
            // The time is stated once per request, however many letters wait for it.
            let is_at_rest = owed.bodies.is_empty()
                && self.asks.is_empty()
                && mode == Mode::Signs
                && !days::office_owes_the_time(ledger, MOMENT);
            owed.bodies.retain(|body| !is_time(body) || !std::mem::replace(dated, true));
            owed.lost.dedup();
            let lost_deposits = owed.lost.iter().filter(|id| self.declared.contains(*id));
            decision.waiting.extend(lost_deposits.map(|id| opener::unable(*id, Because::Lost)));
            // Only the operator can report a restore: anybody can name a letter from the office that never existed.
            decision.restored = mode == Mode::Waits;
            let begins = mode == Mode::Begins && !decision.epoch;
            // After a restore the office signs nothing but answers (post 17).
            if decision.restored {
                owed.bodies.clear();
            }
            if owed.bodies.is_empty() && self.asks.is_empty() && !begins {
                let (asked, some_wait) = (told.map(|id| (*id, decision.reasons(id))), self.held.some_wait());
                decision.settled = is_at_rest.then(|| Settled { reasons: asked.collect(), some_wait });
                return Ok(Next::Rest);
            }
            if begins {
                decision.epoch = true;
                // An epoch changes what is due.
                owed.bodies = vec![Body::Receipt(Receipt::Epoch(opener::moment(ledger, now, 1)))];
            }
            let mut signer = Mailbox::signer(ledger, self.keys);
            let letters = owed.bodies.into_iter().map(|body| signer.write(body));
            // If an epoch begins, the asks are answered in the next round.
            let open = self.asks.iter().filter(|_| !begins);
            let letters = letters.chain(open.map(|ask| self.answered(ledger, ask)));
            Ok(Next::Signed(letters.collect::<Result<Vec<Letter>>>()?))
        })
    }

    /// Signs the answer to an ask (keys 4), which belongs to no chain.
    fn answered(&self, ledger: &Ledger<'_>, ask: &Open) -> Result<Letter> {
        let body = asks::answer(ask, ledger.last_letter_of(ask.asker).map(Node::id));
        asks::unnumbered(ledger.terms, Author::Office, ledger.game, body, self.keys.signing())
    }

    /// Keeps only the missing letters that the given letter rests on. To find them, it follows the letters that are
    /// here, placed or not.
    fn lacking(&self, unopened: Unopened, order: &Order, ledger: &Ledger<'_>, new: &[Letter]) -> Unopened {
        if unopened.because != Because::Missing {
            return unopened;
        }
        let new: HashMap<Hex32, &Letter> = new.iter().map(|letter| (letter.message.id(), letter)).collect();
        let (mut open, mut reached, mut letters) = (vec![unopened.declaration], HashSet::new(), Vec::new());
        while let Some(id) = open.pop() {
            // Nothing is missing in the past of a placed letter.
            if ledger.letter(&id).is_some() || !reached.insert(id) {
                continue;
            }
            match self.mailbox.letter(&id).or_else(|| new.get(&id).copied()) {
                Some(letter) => open.extend(letter.message.names()),
                None => letters.extend(order.missing.contains_key(&id).then_some(id)),
            }
        }
        letters.sort_unstable();
        letters.truncate(LIST);
        Unopened { letters, ..unopened }
    }
}

/// Returns the rule that the office's new letters would break, before they are stored.
fn broken(order: &Order, ledger: &Ledger<'_>, own: &[Letter]) -> Option<String> {
    let is_forked = |id: &Hex32| order.forks.iter().any(|fork| fork.ids.contains(id));
    let text = own.iter().map(|letter| letter.message.id()).find_map(|id| match ledger.found_on(&id) {
        Some(finding) => Some(finding.text.clone()),
        None => is_forked(&id).then(|| "chain 8: another letter follows the same letter".into()),
    })?;
    Some(format!("the office's next letters would break a rule, so it signs nothing: report this bug ({text})"))
}

fn is_time(body: &Body) -> bool {
    matches!(body, Body::Receipt(Receipt::Time(_)))
}

/// Returns the places that a reveal opens.
fn marks(letter: &Letter) -> Vec<Mark> {
    let Body::Reveal(reveal) = letter.message.body() else { return Vec::new() };
    let mark = |index, line| Mark { seal: reveal.seal, index, line, letter: letter.message.id() };
    let envelopes = reveal.keys.iter().map(|key| mark(key.0, 0));
    envelopes.chain(reveal.sheets.iter().map(|cell| mark(cell.0, cell.1))).collect()
}
