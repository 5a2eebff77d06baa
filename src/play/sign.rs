//! Turns what a player wants to say into signed letters on the disk and a text for the mail. Players see what they sign
//! first.

use std::collections::HashSet;

use super::{
    failure::{Failure, PlayResult},
    forks,
    handed::Handed,
    locked::Locked,
    owed::{is_answer, owed},
    session::Session,
    table::View,
};
use crate::{
    blob::{Body, body::Hex32},
    game::{
        findings,
        ledger::Ledger,
        node::Node,
        order::Order,
        steps::{Letter, Signer},
        tasks::Task,
        terms::Author,
    },
    keep::{folder::Stored, points::point, root::Keys, signing_journal::Signed},
    report::{text::visible, words},
};

/// The text shown before signing, in addition to the letters' content.
#[derive(Default)]
pub(super) struct Shown {
    pub(super) lines: Vec<String>,
    /// The warnings that nobody must overlook, even if they read nothing else.
    pub(super) mind: Vec<String>,
}

impl Locked {
    /// Signs letters that can be written without a key, such as a declaration: errors in them are reported before the
    /// passphrase is asked for. Keeps them, and returns the text of a mail with them. An interrupted command has kept
    /// each letter whole or not at all; `resend` prints kept letters again.
    pub(super) fn sign(
        self,
        session: &Session<'_>,
        say: impl FnOnce(&View<'_, '_>) -> PlayResult<Vec<Body>>,
    ) -> PlayResult<Handed> {
        let plan = |view: &View<'_, '_>| {
            let bodies = say(view)?;
            check_answered(view, bodies.first())?;
            view.check_page(session)?;
            Ok(bodies)
        };
        self.sign_planned(session, Shown::default(), plan, |_, _, bodies| Ok(bodies))
    }

    /// Signs letters that only their author's key can write, such as keys of envelopes. `plan` makes the checks that
    /// need no key.
    pub(super) fn sign_with_key(
        self,
        session: &Session<'_>,
        plan: impl FnOnce(&View<'_, '_>) -> PlayResult<()>,
        say: impl FnOnce(&View<'_, '_>, &Signer) -> PlayResult<Vec<Body>>,
    ) -> PlayResult<Handed> {
        self.sign_with_key_showing(session, Shown::default(), plan, say)
    }

    /// Signs letters that only their author's key can write, and shows lines in addition to the letters' content.
    pub(super) fn sign_with_key_showing(
        self,
        session: &Session<'_>,
        shown: Shown,
        plan: impl FnOnce(&View<'_, '_>) -> PlayResult<()>,
        say: impl FnOnce(&View<'_, '_>, &Signer) -> PlayResult<Vec<Body>>,
    ) -> PlayResult<Handed> {
        let plan = |view: &View<'_, '_>| {
            check_answered(view, None)?;
            plan(view)
        };
        self.sign_planned(session, shown, plan, |view, signer, ()| say(view, signer))
    }

    fn sign_planned<P>(
        mut self,
        session: &Session<'_>,
        Shown { lines: shown, mind }: Shown,
        plan: impl FnOnce(&View<'_, '_>) -> PlayResult<P>,
        say: impl FnOnce(&View<'_, '_>, &Signer, P) -> PlayResult<Vec<Body>>,
    ) -> PlayResult<Handed> {
        self.check_files()?;
        let left = self.left_for()?;
        let mut ends = true;
        let (mut letters, mut lines, keys) = self.view(|view| {
            self.check_machine(Some(view.order))?;
            let planned = plan(view)?;
            let keys = session.unlock()?;
            let mut signer = self.signer(view.ledger, &keys);
            let mut bodies = say(view, &signer, planned)?;
            ends = bodies.iter().all(is_answer);
            for body in &bodies {
                forks::chosen(view.order, self.me, body)?.into_iter().for_each(|letter| signer.see(letter));
            }
            // Every mail includes what is owed, so that nobody waits for envelopes that were forgotten.
            let owed = owed(view, &signer, &bodies)?;
            let goes = |body: &Body| left.as_ref().is_none_or(|left| left.lets(view.order, body));
            bodies.extend(owed.into_iter().filter(goes));
            if let Some(left) = left.as_ref().filter(|_| !bodies.iter().all(goes)) {
                return Err(Failure::refused(left.why()));
            }
            let (letters, mut lines) = self.written(session, view, signer, bodies.clone())?;
            let letters = self.knowing(view, &keys, letters, &bodies)?;
            lines.extend(shown);
            Ok((letters, lines, keys))
        })?;
        let kept = self.stored.len();
        self.stored.extend(letters.iter().cloned().map(Stored::from));
        // It also includes what these letters themselves make due, such as the envelopes of a turn that a declaration
        // brings nearer.
        let (more, told) = self.view(|view| {
            let signer = self.signer(view.ledger, &keys);
            let mut owed = owed(view, &signer, &[])?;
            owed.retain(|body| ends || !matches!(body, Body::Close(_)));
            owed.retain(|body| left.as_ref().is_none_or(|left| left.lets(view.order, body)));
            let (more, mut told) = self.written(session, view, signer, owed.clone())?;
            let more = self.knowing(view, &keys, more, &owed)?;
            told.extend(self.undeposited(view.ledger).into_iter().map(|(to, set)| {
                let holder = self.terms.holder_of(&to.key).map_or_else(String::new, ToString::to_string);
                format!("the keys for {}, which only {holder} can read", visible(&set.seal.purpose))
            }));
            Ok((more, told))
        })?;
        self.stored.truncate(kept);
        letters.extend(more);
        lines.extend(told);
        self.hand_out(session, letters, Shown { lines, mind }, &keys)
    }

    /// Signs the bodies again with another branch in view, if `letters` break a rule and that repairs it: keys opened
    /// on a discarded branch count too (letters 9), and so does everything that an office signs (office 23), once a
    /// letter has it in its past. Returns `letters` if nothing repairs it.
    fn knowing(
        &self,
        view: &View<'_, '_>,
        keys: &Keys,
        letters: Vec<Letter>,
        bodies: &[Body],
    ) -> PlayResult<Vec<Letter>> {
        let mut aside = forks::openings_aside(view.order, self.me);
        aside.extend(forks::office_aside(view.order, self.me));
        for body in bodies {
            // A letter that chooses a branch continues from that one only.
            if forks::chosen(view.order, self.me, body)?.is_some() {
                return Ok(letters);
            }
        }
        if aside.is_empty() || self.judge(&letters).is_ok() {
            return Ok(letters);
        }
        for letter in aside {
            let mut signer = self.signer(view.ledger, keys);
            signer.see(letter);
            let known = bodies.iter().cloned().map(|body| signer.write(body)).collect::<Result<Vec<Letter>, _>>()?;
            if self.judge(&known).is_ok() {
                return Ok(known);
            }
        }
        Ok(letters)
    }

    /// Writes letters with these bodies, and describes their content.
    pub(super) fn written(
        &self,
        session: &Session<'_>,
        view: &View<'_, '_>,
        mut signer: Signer,
        bodies: Vec<Body>,
    ) -> PlayResult<(Vec<Letter>, Vec<String>)> {
        if bodies.iter().any(|body| matches!(body, Body::Seal(_))) {
            session.check_page()?;
        }
        let said = |body: &Body| [vec![words::body(body, Some(view.ledger))], view.mind(body)].concat();
        let lines = bodies.iter().flat_map(said).collect();
        let letters = bodies.into_iter().map(|body| signer.write(body)).collect::<Result<Vec<Letter>, _>>()?;
        Ok((letters, lines))
    }

    /// Checks that this party is the referee.
    pub(super) fn check_referee(&self) -> PlayResult<()> {
        match self.me {
            Author::Referee => Ok(()),
            Author::Player(_) | Author::Office => {
                Err(Failure::refused("only the referee named in the terms can do this; ask them to do it"))
            }
        }
    }

    /// Signs a referee's rulings. The mail includes no owed letters except answers to asks. `mind` is what the referee
    /// should know before they sign.
    pub(super) fn sign_rulings(
        self,
        session: &Session<'_>,
        mind: Option<String>,
        say: impl FnOnce(&Ledger<'_>, &Keys) -> PlayResult<Vec<Body>>,
    ) -> PlayResult<Handed> {
        self.check_referee()?;
        self.sign_as_third(session, mind, say)
    }

    /// Signs letters by a referee or an office. The mail includes no owed letters except answers to asks. `mind` is
    /// what the signer should know before they sign.
    pub(super) fn sign_as_third(
        mut self,
        session: &Session<'_>,
        mind: Option<String>,
        say: impl FnOnce(&Ledger<'_>, &Keys) -> PlayResult<Vec<Body>>,
    ) -> PlayResult<Handed> {
        self.check_files()?;
        self.look(|order, _| self.check_machine(Some(order)))?;
        let keys = session.unlock()?;
        let (letters, lines) = self.look(|order, ledger| {
            let mut signer = self.signer(ledger, &keys);
            let bodies = say(ledger, &keys)?;
            let mut lines: Vec<String> = bodies.iter().map(|body| words::body(body, Some(ledger))).collect();
            lines.extend(mind.iter().map(|mind| format!("  {mind}")));
            let letters = bodies.into_iter().map(|body| {
                forks::settled(order, &body).into_iter().for_each(|letter| signer.see(letter));
                signer.write(body)
            });
            Ok((letters.collect::<Result<Vec<Letter>, _>>()?, lines))
        })?;
        self.hand_out(session, letters, Shown { lines, mind: mind.into_iter().collect() }, &keys)
    }

    /// Checks new letters, shows them, keeps them, and returns the mail.
    pub(super) fn hand_out(
        &mut self,
        session: &Session<'_>,
        letters: Vec<Letter>,
        Shown { mut lines, mind }: Shown,
        keys: &Keys,
    ) -> PlayResult<Handed> {
        self.judge(&letters)?;
        let ends = |letter: &Letter| matches!(letter.message.body(), Body::Close(close) if close.masters.is_none());
        lines.extend(self.answers_in_words());
        // Without content there is no question.
        let lines = if lines.is_empty() { lines } else { self.headed(&lines) };
        session.ask_to_sign(&lines, mind, letters.iter().any(ends))?;
        self.keep(letters)?;
        self.make_deposits(keys)?;
        self.keep_answers(keys)?;
        self.mail(None)
    }

    /// Checks that new letters break no rule, together with all letters here: every numbered letter is judged before it
    /// is kept. If somebody has a fork, they are also judged with only the letters that they rest on: a branch that is
    /// discarded today may count later (chain, What people do).
    pub(super) fn judge(&self, letters: &[Letter]) -> PlayResult<()> {
        let new: Vec<Stored> = letters.iter().cloned().map(Stored::from).collect();
        let all = |_: &Hex32| true;
        let rests = self.look_at(&new, all, |order, ledger| {
            check_rules(ledger, &new)?;
            Ok((!order.is_settled()).then(|| with_past(order, &new)))
        })?;
        let Some(rests) = rests else { return Ok(()) };
        self.look_at(&new, |id| rests.contains(id), |_, ledger| check_rules(ledger, &new)).map_err(|_| {
            Failure::refused(
                "somebody signed two letters in the same place, and this would break a rule if the other one counts in \
                 the end, so nothing was signed: wait until a player's next letter chooses one of them; `sealed-dice \
                 game status` names them",
            )
        })
    }

    /// Returns a signer that continues this party's chain.
    pub(super) fn signer(&self, ledger: &Ledger<'_>, keys: &Keys) -> Signer {
        Signer::resume_as(ledger, self.me, keys.signing().clone(), keys.vault().clone())
    }

    /// Returns what letters would say without signing them for anybody, such as one's own private dice.
    pub(super) fn peek(
        mut self,
        session: &Session<'_>,
        say: impl FnOnce(&View<'_, '_>, &Signer) -> PlayResult<Vec<Body>>,
    ) -> PlayResult<Vec<String>> {
        let keys = session.unlock()?;
        let letters = self.view(|view| {
            let mut signer = self.signer(view.ledger, &keys);
            let bodies = say(view, &signer)?;
            Ok(bodies.into_iter().map(|body| signer.write(body)).collect::<Result<Vec<Letter>, _>>()?)
        })?;
        let kept = self.stored.len();
        self.stored.extend(letters.into_iter().map(Stored::from));
        let new = self.stored.get(kept..).unwrap_or_default();
        self.look(|_, ledger| Ok(new.iter().map(|letter| words::of(&letter.message, Some(ledger))).collect()))
    }

    /// Keeps signed letters, each whole before the next, and records on this machine that it has signed them.
    pub(super) fn keep(&mut self, letters: Vec<Letter>) -> PlayResult<()> {
        // This is checked once more: while the player was asked, a copy of this folder may have signed.
        self.with_order(|order| self.check_machine(order))?;
        self.check_numbers(&letters)?;
        self.keep_anyway(letters)
    }

    /// Keeps signed letters as [`Self::keep`] does, without its checks: an office's epoch follows the last letter that
    /// anybody can show.
    pub(super) fn keep_anyway(&mut self, letters: Vec<Letter>) -> PlayResult<()> {
        let numbered = letters.iter().map(|letter| &letter.message).filter(|message| !message.head().is_unnumbered());
        let next: Vec<Signed> = numbered.map(Signed::of).collect();
        let last = next.last().copied();
        let mut journal = self.journal()?;
        let end = self.with_order(|order| self.end(order));
        journal.will_sign(end, next, self.own_asks())?;
        point("will-sign");
        for Letter { message, frame } in letters {
            self.lock.keep(&message, &frame)?;
            point("kept");
            self.stored.push(Stored { message, frame });
        }
        journal.has_signed(last.or(end))?;
        point("has-signed");
        Ok(())
    }
}

/// Checks that a proposal which waits for an answer is answered first.
fn check_answered(view: &View<'_, '_>, first: Option<&Body>) -> PlayResult<()> {
    let asked = view.tasks().iter().any(|task| matches!(task, Task::Answer { .. }));
    match asked && !first.is_some_and(is_answer) {
        true => Err(Failure::refused(
            "first answer the proposed foul-up: any other letter would let the proposal lapse; `sealed-dice game \
             status` shows how",
        )),
        false => Ok(()),
    }
}

impl View<'_, '_> {
    /// Checks that the key can be restored, if the letters include seals of sets.
    pub(super) fn check_page(&self, session: &Session<'_>) -> PlayResult<()> {
        let seals = self.tasks().iter().any(|task| matches!(task, Task::Seal { .. }));
        if seals { session.check_page() } else { Ok(()) }
    }
}

/// Checks that letters which nobody has seen yet break no rule, as an auditor would judge them: a known breach is never
/// handed out.
fn check_rules(ledger: &Ledger<'_>, new: &[Stored]) -> PlayResult<()> {
    let is_new = |id: &Hex32| new.iter().any(|letter| letter.message.id() == *id);
    match findings::of(ledger).iter().find(|finding| finding.letters.iter().any(is_new)) {
        Some(finding) => {
            Err(Failure::refused(format!("this would break a rule, so nothing was signed: {}", finding.text)))
        }
        None => Ok(()),
    }
}

/// Returns the ids of the new letters and of every letter in their pasts.
fn with_past(order: &Order, new: &[Stored]) -> HashSet<Hex32> {
    let new: HashSet<Hex32> = new.iter().map(|letter| letter.message.id()).collect();
    let own: Vec<&Node> = order.nodes.iter().filter(|node| new.contains(&node.id())).collect();
    let past = order.nodes.iter().filter(|node| own.iter().any(|own| own.has_in_past(node)));
    past.map(Node::id).chain(new.iter().copied()).collect()
}
