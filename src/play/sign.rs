//! Turns what a player wants to say into signed letters on the disk and a text for the mail. Players see the content
//! before they sign.

use std::collections::HashSet;

use super::{
    continuing::Left,
    draft::{Draft, Pen},
    failure::{Failure, PlayResult},
    forks,
    handed::Handed,
    locked::Locked,
    owed::{is_answer, owed},
    session::Session,
    shown::Shown,
    table::{Table, View},
};
use crate::{
    blob::{Body, Verified, body::Hex32},
    game::{
        findings,
        ledger::Ledger,
        node::Node,
        order::Order,
        purpose::STANDING,
        steps::{Letter, Signer},
        tasks::Task,
        terms::Author,
    },
    keep::{folder::Stored, points::point, root::Keys, signing_journal::Signed},
    report::{text::visible, words},
};

/// The sentence before a question that is asked again.
const CHANGED: &str = "with your key, the list differs from the one that you saw: look at it again";

/// How a player's letters are composed, for the draft and then with the key.
struct Composing<'c> {
    left: Option<Left>,
    shown: Shown,
    say: &'c dyn Fn(&View<'_, '_>, Pen<'_>) -> PlayResult<Vec<Body>>,
}

impl Composing<'_> {
    /// Whether a letter may still be signed in this game.
    fn lets(&self, view: &View<'_, '_>, body: &Body) -> bool {
        self.left.as_ref().is_none_or(|left| left.lets(view.order, body))
    }

    /// Returns what the player wants to say and everything that is owed, so that nobody waits for forgotten envelopes.
    /// Also returns whether a close may follow.
    fn first(&self, view: &View<'_, '_>, pen: Pen<'_>) -> PlayResult<(Vec<Body>, bool)> {
        let mut bodies = (self.say)(view, pen)?;
        let may_close = bodies.iter().all(is_answer);
        let owed = owed(view, pen, &bodies)?;
        bodies.extend(owed.into_iter().filter(|body| self.lets(view, body)));
        match self.left.as_ref().filter(|_| !bodies.iter().all(|body| self.lets(view, body))) {
            Some(left) => Err(Failure::refused(left.why())),
            None => Ok((bodies, may_close)),
        }
    }

    /// Returns what the first letters themselves make due, such as the envelopes of a turn that a declaration brings
    /// nearer. `said` lists those of the first letters that the view does not have.
    fn then(&self, view: &View<'_, '_>, pen: Pen<'_>, said: &[Body], may_close: bool) -> PlayResult<Vec<Body>> {
        let mut owed = owed(view, pen, said)?;
        owed.retain(|body| (may_close || !matches!(body, Body::Close(_))) && self.lets(view, body));
        Ok(owed)
    }
}

impl Table {
    /// Returns a signer that continues this party's chain.
    pub(super) fn signer(&self, ledger: &Ledger<'_>, keys: &Keys) -> Signer {
        Signer::resume_as(ledger, self.me, keys.signing().clone(), keys.vault().clone())
    }
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
        self.sign_showing(session, Shown::default(), say)
    }

    /// Signs letters that can be written without a key, and shows lines in addition to the letters' content.
    pub(super) fn sign_showing(
        self,
        session: &Session<'_>,
        shown: Shown,
        say: impl FnOnce(&View<'_, '_>) -> PlayResult<Vec<Body>>,
    ) -> PlayResult<Handed> {
        let plan = |view: &View<'_, '_>| {
            let bodies = say(view)?;
            check_answered(view, bodies.first())?;
            view.check_page(session)?;
            Ok(bodies)
        };
        self.sign_planned(session, shown, plan, |_, _, bodies| Ok(bodies.clone()))
    }

    /// Signs letters that only their author's key can write, such as keys of envelopes. `plan` makes the checks that
    /// need no key.
    pub(super) fn sign_with_key(
        self,
        session: &Session<'_>,
        plan: impl FnOnce(&View<'_, '_>) -> PlayResult<()>,
        say: impl Fn(&View<'_, '_>, Pen<'_>) -> PlayResult<Vec<Body>>,
    ) -> PlayResult<Handed> {
        self.sign_with_key_showing(session, Shown::default(), plan, say)
    }

    /// Signs letters that only their author's key can write, and shows lines in addition to the letters' content.
    pub(super) fn sign_with_key_showing(
        self,
        session: &Session<'_>,
        shown: Shown,
        plan: impl FnOnce(&View<'_, '_>) -> PlayResult<()>,
        say: impl Fn(&View<'_, '_>, Pen<'_>) -> PlayResult<Vec<Body>>,
    ) -> PlayResult<Handed> {
        let plan = |view: &View<'_, '_>| {
            check_answered(view, None)?;
            plan(view)
        };
        self.sign_planned(session, shown, plan, |view, pen, ()| say(view, pen))
    }

    fn sign_planned<P>(
        mut self,
        session: &Session<'_>,
        shown: Shown,
        plan: impl FnOnce(&View<'_, '_>) -> PlayResult<P>,
        say: impl Fn(&View<'_, '_>, Pen<'_>, &P) -> PlayResult<Vec<Body>>,
    ) -> PlayResult<Handed> {
        self.check_files()?;
        let left = self.left_for()?;
        let planned = self.view(|view| {
            self.check_machine(Some(view.order))?;
            plan(view)
        })?;
        let composing = Composing { left, shown, say: &|view, pen| say(view, pen, &planned) };
        let draft = self.drafted(session, &composing)?;
        self.ask(session, &draft)?;
        let keys = session.unlock()?;
        let (letters, shown) = self.composed(session, &composing, &keys)?;
        self.hand_out(session, letters, Some(&draft), &shown, &keys)
    }

    /// Describes the letters that this party is about to sign, without the party's key.
    fn drafted(&self, session: &Session<'_>, composing: &Composing<'_>) -> PlayResult<Shown> {
        let mut shown = Shown::default();
        let (ahead, bodies, may_close) = self.view(|view| {
            let mut draft = Draft::of(self, view.ledger)?;
            let (bodies, may_close) = composing.first(view, draft.pen())?;
            for body in &bodies {
                forks::chosen(view.order, self.me, body)?.into_iter().for_each(|letter| draft.see(letter));
            }
            shown.add(&bodies, told(session, view, &bodies)?, false);
            Ok((draft.ahead(&bodies)?, bodies, may_close))
        })?;
        composing.shown.clone().join(&mut shown);
        self.view_ahead(ahead.letters(), |view| {
            if ahead.is_whole() && view.order.is_settled() && forks::office_aside(view.order, self.me).is_empty() {
                let new: Vec<Hex32> = ahead.letters().iter().map(Verified::id).collect();
                check_rules(view.ledger, &new)?;
            }
            let draft = Draft::of(self, view.ledger)?;
            let more = composing.then(view, draft.pen(), &bodies, may_close)?;
            shown.add(&more, told(session, view, &more)?, true);
            shown.follows.extend(self.deposits_told(view));
            shown.unknown = made_due(view, &bodies);
            Ok(())
        })?;
        Ok(shown)
    }

    /// Composes the letters with their author's key, and describes them.
    fn composed(
        &mut self,
        session: &Session<'_>,
        composing: &Composing<'_>,
        keys: &Keys,
    ) -> PlayResult<(Vec<Letter>, Shown)> {
        let mut shown = Shown::default();
        let (mut letters, may_close) = self.view(|view| {
            let mut signer = self.signer(view.ledger, keys);
            let (bodies, may_close) = composing.first(view, Pen::own(&signer, keys))?;
            for body in &bodies {
                forks::chosen(view.order, self.me, body)?.into_iter().for_each(|letter| signer.see(letter));
            }
            shown.add(&bodies, told(session, view, &bodies)?, false);
            let letters = write(signer, &bodies)?;
            Ok((self.knowing(view, keys, letters, &bodies)?, may_close))
        })?;
        composing.shown.clone().join(&mut shown);
        let kept = self.stored.len();
        self.stored.extend(letters.iter().cloned().map(Stored::from));
        let more = self.view(|view| {
            let signer = self.signer(view.ledger, keys);
            let more = composing.then(view, Pen::own(&signer, keys), &[], may_close)?;
            shown.add(&more, told(session, view, &more)?, true);
            shown.follows.extend(self.deposits_told(view));
            let letters = write(signer, &more)?;
            self.knowing(view, keys, letters, &more)
        })?;
        self.stored.truncate(kept);
        letters.extend(more);
        Ok((letters, shown))
    }

    /// Describes the deposits that go along with the letters.
    fn deposits_told(&self, view: &View<'_, '_>) -> Vec<String> {
        let told = self.undeposited(view.ledger).into_iter().map(|(to, set)| {
            let holder = self.terms.holder_of(&to.key).map_or_else(String::new, ToString::to_string);
            format!("the keys for {}, which only {holder} can read", visible(&set.seal.purpose))
        });
        told.collect()
    }

    /// If `letters` break a rule, tries to repair them by signing the bodies again with another branch in their past:
    /// keys opened on a discarded branch count too (letters 9), and so does everything that an office signs (office
    /// 23). Returns `letters` if nothing repairs them.
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
            let known = write(signer, bodies)?;
            if self.judge(&known).is_ok() {
                return Ok(known);
            }
        }
        Ok(letters)
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
        say: impl FnMut(&Ledger<'_>, Pen<'_>) -> PlayResult<Vec<Body>>,
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
        mut say: impl FnMut(&Ledger<'_>, Pen<'_>) -> PlayResult<Vec<Body>>,
    ) -> PlayResult<Handed> {
        self.check_files()?;
        let shows = |ledger: &Ledger<'_>, bodies: &[Body]| {
            let mut lines: Vec<String> = bodies.iter().map(|body| words::body(body, Some(ledger))).collect();
            lines.extend(mind.iter().map(|mind| format!("  {mind}")));
            Shown { lines, mind: mind.iter().cloned().collect(), ..Shown::default() }
        };
        let draft = self.look(|order, ledger| {
            self.check_machine(Some(order))?;
            Ok(shows(ledger, &say(ledger, Draft::of(&self, ledger)?.pen())?))
        })?;
        self.ask(session, &draft)?;
        let keys = session.unlock()?;
        let (letters, shown) = self.look(|order, ledger| {
            let mut signer = self.signer(ledger, &keys);
            let bodies = say(ledger, Pen::own(&signer, &keys))?;
            let shown = shows(ledger, &bodies);
            let letters = bodies.into_iter().map(|body| {
                forks::settled(order, &body).into_iter().for_each(|letter| signer.see(letter));
                signer.write(body)
            });
            Ok((letters.collect::<Result<Vec<Letter>, _>>()?, shown))
        })?;
        self.hand_out(session, letters, Some(&draft), &shown, &keys)
    }

    /// Shows what is about to be signed, and asks.
    pub(super) fn ask(&self, session: &Session<'_>, shown: &Shown) -> PlayResult<()> {
        let lines: Vec<String> = shown.all().chain(self.answers_in_words()).collect();
        // Without content there is no question.
        let lines = if lines.is_empty() { lines } else { self.headed(&lines) };
        session.ask_to_sign(&lines, shown.mind.clone(), shown.ends)
    }

    /// Checks new letters, keeps them, and returns the mail. Shows the letters and asks first, unless the person has
    /// agreed to them as a draft.
    pub(super) fn hand_out(
        &mut self,
        session: &Session<'_>,
        letters: Vec<Letter>,
        draft: Option<&Shown>,
        shown: &Shown,
        keys: &Keys,
    ) -> PlayResult<Handed> {
        self.judge(&letters)?;
        if draft.is_none_or(|draft| !draft.covers(shown)) {
            draft.into_iter().for_each(|_| session.person.hears(CHANGED));
            self.ask(session, shown)?;
        }
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
        let ids: Vec<Hex32> = letters.iter().map(|letter| letter.message.id()).collect();
        let rests = self.look_at(&new, all, |order, ledger| {
            check_rules(ledger, &ids)?;
            Ok((!order.is_settled()).then(|| with_past(order, &new)))
        })?;
        let Some(rests) = rests else { return Ok(()) };
        self.look_at(&new, |id| rests.contains(id), |_, ledger| check_rules(ledger, &ids)).map_err(|_| {
            Failure::refused(
                "somebody signed two letters in the same place, and this would break a rule if the other one counts in \
                 the end, so nothing was signed: wait until a player's next letter chooses one of them; `sealed-dice \
                 game status` names them",
            )
        })
    }

    /// Returns what letters would say, such as the player's own private dice, without keeping or mailing them.
    pub(super) fn peek(
        mut self,
        session: &Session<'_>,
        say: impl FnOnce(&View<'_, '_>, Pen<'_>) -> PlayResult<Vec<Body>>,
    ) -> PlayResult<Vec<String>> {
        let keys = session.unlock()?;
        let letters = self.view(|view| {
            let signer = self.signer(view.ledger, &keys);
            let bodies = say(view, Pen::own(&signer, &keys))?;
            write(signer, &bodies)
        })?;
        let kept = self.stored.len();
        self.stored.extend(letters.into_iter().map(Stored::from));
        let new = self.stored.get(kept..).unwrap_or_default();
        self.look(|_, ledger| {
            Ok(new.iter().map(|letter| words::of(&letter.message, Some(ledger)).to_string()).collect())
        })
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

/// Describes the contents of letters before they are signed, in lines for each. If they seal a set, first checks that
/// the key can be restored.
pub(super) fn told(session: &Session<'_>, view: &View<'_, '_>, bodies: &[Body]) -> PlayResult<Vec<Vec<String>>> {
    if bodies.iter().any(|body| matches!(body, Body::Seal(_))) {
        session.check_page()?;
    }
    let told = |body: &Body| [vec![words::body(body, Some(view.ledger))], view.mind(body)].concat();
    Ok(bodies.iter().map(told).collect())
}

/// Writes letters with these bodies.
pub(super) fn write(mut signer: Signer, bodies: &[Body]) -> PlayResult<Vec<Letter>> {
    Ok(bodies.iter().cloned().map(|body| signer.write(body)).collect::<Result<Vec<Letter>, _>>()?)
}

/// Describes what openings may make due, which depends on the dice that they show.
fn made_due(view: &View<'_, '_>, bodies: &[Body]) -> Option<String> {
    let opens = bodies.iter().any(|body| matches!(body, Body::Reveal(_)));
    let closes = bodies.iter().any(|body| matches!(body, Body::Close(_)));
    let standing = |purpose: &String| purpose.rsplit_once('/').is_some_and(|(_, name)| name == STANDING);
    let notes = if view.sealed_notes(view.me).iter().any(standing) { " and your standing notes" } else { "" };
    (opens && !closes).then(|| format!("new sealed envelopes for later turns{notes}, if what is opened calls for them"))
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
fn check_rules(ledger: &Ledger<'_>, new: &[Hex32]) -> PlayResult<()> {
    match findings::of(ledger).iter().find(|finding| finding.letters.iter().any(|id| new.contains(id))) {
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
