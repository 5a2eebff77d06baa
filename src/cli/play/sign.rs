//! From what a player wants to say to letters on the disk and a text for the mail. The player sees first what he signs.

use std::{collections::HashSet, path::PathBuf};

use super::{
    forks,
    locked::Locked,
    owed::{is_answer, owed},
    table::View,
    typing::Typing,
};
use crate::cli::answer::{Answer, Told};
use crate::{
    blob::{Body, body::Hex32},
    cli::{options::Passphrase, out_file, secrets, terminal},
    game::{
        findings,
        ledger::Ledger,
        node::Node,
        order::Order,
        steps::{Letter, Seat},
        tasks::Task,
        terms::Author,
    },
    keep::{
        folder::Stored,
        home::Home,
        key_file::KeyFile,
        notes::{self, Note, Notes},
        points::point,
        root::Keys,
        witness::Signed,
    },
    report::words,
};

/// How a verb signs and hands over.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Signing {
    /// Sign without asking
    #[arg(long, global = true)]
    pub(in crate::cli) yes: bool,
    /// Write the mail's text to a new file instead of standard output; a mail with a subject if its name ends in .eml
    #[arg(long, global = true)]
    pub(in crate::cli) out: Option<PathBuf>,
    /// Seal without a page that brings your key back; said once, it is remembered for this key
    #[arg(long, global = true)]
    no_backup: bool,
    #[command(flatten)]
    passphrase: Passphrase,
}

impl Signing {
    /// That the mail can be written, so that nothing is signed that has no place to go.
    pub(super) fn check_out(&self) -> Told<()> {
        self.out.as_deref().map_or(Ok(()), out_file::check)
    }

    /// The party's keys. Whatever can be refused without them is refused before, for a passphrase takes its time.
    pub(in crate::cli) fn unlock(&self, home: &Home) -> Told<Keys> {
        self.check_out()?;
        Ok(secrets::unlock(home, &self.from())?)
    }

    /// That the key can be brought back when this machine is lost, before anything is sealed with it.
    pub(super) fn check_page(&self, home: &Home) -> Told<()> {
        let fingerprint = KeyFile::open(&home.key_file())?.fingerprint();
        match (Notes::of(home).settle_page(&fingerprint), self.no_backup) {
            (true, _) => Ok(()),
            (false, true) => {
                notes::add(home, Note::NoPage, &fingerprint)?;
                terminal::say(NO_PAGE);
                Ok(())
            }
            (false, false) => Err(Answer::refused(format!(
                "your key has no printed page yet: if this machine is lost, nothing that you seal can ever be opened. Make one first:  {}\n\
                 or say --no-backup once, if you want none",
                Typing::of(home, "", true).command("key backup --out page.html")
            ))),
        }
    }

    fn from(&self) -> secrets::From {
        secrets::From::choose(self.passphrase.passphrase_file.clone())
    }
}

/// What is said aloud to whoever wants no page.
const NO_PAGE: &str = "NO BACKUP, as you wish: if this machine is lost, so are your key and every game that you play with it; \
                       sealed-dice key backup makes a page at any time";

impl Locked {
    /// Signs letters that can be written without a key, such as a declaration: what is wrong with them is said before the
    /// passphrase is asked for. Keeps them, and gives the text of a mail with them. An interrupted command has kept a letter
    /// or has not; whatever is kept is printed again by `resend`.
    pub(super) fn sign(
        self,
        home: &Home,
        signing: &Signing,
        say: impl FnOnce(&View<'_, '_>) -> Told<Vec<Body>>,
    ) -> Told<Answer> {
        let plan = |view: &View<'_, '_>| {
            let bodies = say(view)?;
            check_answered(view, bodies.first())?;
            view.check_page(home, signing)?;
            Ok(bodies)
        };
        self.sign_planned(home, signing, &[], plan, |_, _, bodies| Ok(bodies))
    }

    /// The same of letters that only their key can write, such as keys of envelopes. `plan` refuses what can be refused
    /// without it.
    pub(super) fn sign_with_key(
        self,
        home: &Home,
        signing: &Signing,
        plan: impl FnOnce(&View<'_, '_>) -> Told<()>,
        say: impl FnOnce(&View<'_, '_>, &Seat) -> Told<Vec<Body>>,
    ) -> Told<Answer> {
        self.sign_with_key_showing(home, signing, &[], plan, say)
    }

    /// Signs letters that only their key can write, and shows their author lines beside what the letters say.
    pub(super) fn sign_with_key_showing(
        self,
        home: &Home,
        signing: &Signing,
        shown: &[String],
        plan: impl FnOnce(&View<'_, '_>) -> Told<()>,
        say: impl FnOnce(&View<'_, '_>, &Seat) -> Told<Vec<Body>>,
    ) -> Told<Answer> {
        let plan = |view: &View<'_, '_>| {
            check_answered(view, None)?;
            plan(view)
        };
        self.sign_planned(home, signing, shown, plan, |view, seat, ()| say(view, seat))
    }

    fn sign_planned<P>(
        mut self,
        home: &Home,
        signing: &Signing,
        shown: &[String],
        plan: impl FnOnce(&View<'_, '_>) -> Told<P>,
        say: impl FnOnce(&View<'_, '_>, &Seat, P) -> Told<Vec<Body>>,
    ) -> Told<Answer> {
        self.check_files()?;
        signing.check_out()?;
        let left = self.left_for()?;
        let mut ends = true;
        let (mut letters, mut lines, keys) = self.view(|view| {
            self.check_machine(Some(view.order))?;
            let planned = plan(view)?;
            let keys = signing.unlock(home)?;
            let mut seat = self.seat(view.ledger, &keys);
            let mut bodies = say(view, &seat, planned)?;
            ends = bodies.iter().all(is_answer);
            for body in &bodies {
                forks::chosen(view.order, self.me, body)?.into_iter().for_each(|letter| seat.see(letter));
            }
            // Every mail brings along what is owed, so that nobody waits for envelopes that were forgotten.
            let owed = owed(view, &seat, &bodies)?;
            let goes = |body: &Body| left.as_ref().is_none_or(|left| left.lets(view.order, body));
            bodies.extend(owed.into_iter().filter(goes));
            if let Some(left) = left.as_ref().filter(|_| !bodies.iter().all(goes)) {
                return Err(Answer::refused(left.why()));
            }
            let (letters, mut lines) = self.written(home, signing, view, seat, bodies.clone())?;
            let letters = self.knowing(view, &keys, letters, &bodies)?;
            lines.extend_from_slice(shown);
            Ok((letters, lines, keys))
        })?;
        let kept = self.stored.len();
        self.stored.extend(letters.iter().cloned().map(Stored::from));
        // And what these letters make due themselves, such as the envelopes of a turn that a declaration brings nearer.
        let (more, told) = self.view(|view| {
            let seat = self.seat(view.ledger, &keys);
            let mut owed = owed(view, &seat, &[])?;
            owed.retain(|body| ends || !matches!(body, Body::Close(_)));
            owed.retain(|body| left.as_ref().is_none_or(|left| left.lets(view.order, body)));
            let (more, mut told) = self.written(home, signing, view, seat, owed.clone())?;
            let more = self.knowing(view, &keys, more, &owed)?;
            told.extend(self.undeposited(view.ledger).into_iter().map(|(to, set)| {
                let holder = self.terms.holder_of(&to.key).map_or_else(String::new, ToString::to_string);
                format!("the keys of {}, for the eyes of {holder} alone", terminal::visible(&set.seal.purpose))
            }));
            Ok((more, told))
        })?;
        self.stored.truncate(kept);
        letters.extend(more);
        lines.extend(told);
        self.hand_out(letters, &lines, &keys, signing)
    }

    /// Signs the bodies again with another branch in view, if `letters` break a rule and that mends it: what was opened on
    /// a discarded branch counts too (letters 9), and so does all that an office signs (office 23), once a letter has it
    /// in its past. Returns `letters` if nothing mends it.
    fn knowing(&self, view: &View<'_, '_>, keys: &Keys, letters: Vec<Letter>, bodies: &[Body]) -> Told<Vec<Letter>> {
        let mut aside = forks::openings_aside(view.order, self.me);
        aside.extend(forks::office_aside(view.order, self.me));
        for body in bodies {
            // What chooses a branch goes on from that one, and from no other.
            if forks::chosen(view.order, self.me, body)?.is_some() {
                return Ok(letters);
            }
        }
        if aside.is_empty() || self.judge(&letters).is_ok() {
            return Ok(letters);
        }
        for letter in aside {
            let mut seat = self.seat(view.ledger, keys);
            seat.see(letter);
            let known = bodies.iter().cloned().map(|body| seat.write(body)).collect::<Result<Vec<Letter>, _>>()?;
            if self.judge(&known).is_ok() {
                return Ok(known);
            }
        }
        Ok(letters)
    }

    /// Letters with these bodies, and what they say.
    pub(super) fn written(
        &self,
        home: &Home,
        signing: &Signing,
        view: &View<'_, '_>,
        mut seat: Seat,
        bodies: Vec<Body>,
    ) -> Told<(Vec<Letter>, Vec<String>)> {
        if bodies.iter().any(|body| matches!(body, Body::Seal(_))) {
            signing.check_page(home)?;
        }
        let said = |body: &Body| [vec![words::body(body, Some(view.ledger))], view.mind(body)].concat();
        let lines = bodies.iter().flat_map(said).collect();
        let letters = bodies.into_iter().map(|body| seat.write(body)).collect::<Result<Vec<Letter>, _>>()?;
        Ok((letters, lines))
    }

    /// That this party is the referee.
    pub(super) fn check_referee(&self) -> Told<()> {
        match self.me {
            Author::Referee => Ok(()),
            Author::Player(_) | Author::Office => {
                Err(Answer::refused("only the referee whom the terms name can do this"))
            }
        }
    }

    /// The same of the referee, who brings nothing along. `mind` is what he should know before he signs.
    pub(super) fn sign_rulings(
        self,
        home: &Home,
        signing: &Signing,
        mind: &[String],
        say: impl FnOnce(&Ledger<'_>, &Keys) -> Told<Vec<Body>>,
    ) -> Told<Answer> {
        self.check_referee()?;
        self.sign_as_third(home, signing, mind, say)
    }

    /// The same of a referee or an office.
    pub(super) fn sign_as_third(
        mut self,
        home: &Home,
        signing: &Signing,
        mind: &[String],
        say: impl FnOnce(&Ledger<'_>, &Keys) -> Told<Vec<Body>>,
    ) -> Told<Answer> {
        self.check_files()?;
        signing.check_out()?;
        self.look(|order, _| self.check_machine(Some(order)))?;
        let keys = signing.unlock(home)?;
        let (letters, lines) = self.look(|order, ledger| {
            let mut seat = self.seat(ledger, &keys);
            let bodies = say(ledger, &keys)?;
            let mut lines: Vec<String> = bodies.iter().map(|body| words::body(body, Some(ledger))).collect();
            lines.extend_from_slice(mind);
            let letters = bodies.into_iter().map(|body| {
                forks::settled(order, &body).into_iter().for_each(|letter| seat.see(letter));
                seat.write(body)
            });
            Ok((letters.collect::<Result<Vec<Letter>, _>>()?, lines))
        })?;
        self.hand_out(letters, &lines, &keys, signing)
    }

    /// Tries new letters, shows them, keeps them, and gives the mail.
    pub(super) fn hand_out(
        &mut self,
        letters: Vec<Letter>,
        lines: &[String],
        keys: &Keys,
        signing: &Signing,
    ) -> Told<Answer> {
        self.judge(&letters)?;
        let ends = |letter: &Letter| matches!(letter.message.body(), Body::Close(close) if close.masters.is_none());
        let lines = [lines, &self.answers_in_words()].concat();
        // Where nothing is said, nothing is asked.
        let lines = if lines.is_empty() { lines } else { self.headed(&lines) };
        match letters.iter().any(ends) {
            true => ask_for(CLOSE, &lines, signing)?,
            false => ask(&lines, signing)?,
        }
        self.keep(letters)?;
        self.make_deposits(keys)?;
        self.keep_answers(keys)?;
        self.mail(signing, None)
    }

    /// That new letters break no rule, with all that is here: every numbered letter is judged before it is kept. Where
    /// somebody has a fork they are judged with what they rest on alone, too: a branch that falls today may come to stand
    /// (chain, What people do).
    pub(super) fn judge(&self, letters: &[Letter]) -> Told<()> {
        let new: Vec<Stored> = letters.iter().cloned().map(Stored::from).collect();
        let all = |_: &Hex32| true;
        let rests = self.look_at(&new, all, |order, ledger| {
            check_rules(ledger, &new)?;
            Ok((!order.is_settled()).then(|| with_past(order, &new)))
        })?;
        let Some(rests) = rests else { return Ok(()) };
        self.look_at(&new, |id| rests.contains(id), |_, ledger| check_rules(ledger, &new)).map_err(|_| {
            Answer::refused(
                "this would break a rule if the other one of two letters comes to count that somebody signed in one \
                 place, and nothing is signed: a player's next letter chooses between them, and `sealed-dice game \
                 status` names them",
            )
        })
    }

    /// Where this party goes on.
    pub(super) fn seat(&self, ledger: &Ledger<'_>, keys: &Keys) -> Seat {
        Seat::resume_as(ledger, self.me, keys.signing().clone(), keys.vault().clone())
    }

    /// What letters would say, without signing them for anybody: one's own private dice.
    pub(super) fn peek(
        mut self,
        home: &Home,
        signing: &Signing,
        say: impl FnOnce(&View<'_, '_>, &Seat) -> Told<Vec<Body>>,
    ) -> Told<Answer> {
        let keys = signing.unlock(home)?;
        let letters = self.view(|view| {
            let mut seat = self.seat(view.ledger, &keys);
            let bodies = say(view, &seat)?;
            Ok(bodies.into_iter().map(|body| seat.write(body)).collect::<Result<Vec<Letter>, _>>()?)
        })?;
        let kept = self.stored.len();
        self.stored.extend(letters.into_iter().map(Stored::from));
        let new = self.stored.get(kept..).unwrap_or_default();
        let told = self.look(|_, ledger| {
            Ok(new.iter().map(|letter| format!("{}\n", words::of(&letter.message, Some(ledger)))).collect())
        })?;
        Ok(Answer::done(told).saying("for your eyes alone; nothing is signed"))
    }

    /// Keeps signed letters, each whole before the next, and remembers on this machine that it has signed them.
    pub(super) fn keep(&mut self, letters: Vec<Letter>) -> Told<()> {
        // Looked at once more: while the player was asked, a copy of this folder may have signed.
        self.with_order(|order| self.check_machine(order))?;
        self.check_numbers(&letters)?;
        self.keep_anyway(letters)
    }

    /// The same of an epoch, which goes on behind the last letter that anybody can show.
    pub(super) fn keep_anyway(&mut self, letters: Vec<Letter>) -> Told<()> {
        let numbered = letters.iter().map(|letter| &letter.message).filter(|message| !message.head().is_unnumbered());
        let next: Vec<Signed> = numbered.map(Signed::of).collect();
        let last = next.last().copied();
        let mut witness = self.witness()?;
        let end = self.with_order(|order| self.end(order));
        witness.will_sign(end, next, self.own_asks())?;
        point("will-sign");
        for Letter { message, frame } in letters {
            self.lock.keep(&message, &frame)?;
            point("kept");
            self.stored.push(Stored { message, frame });
        }
        witness.has_signed(last.or(end))?;
        point("has-signed");
        Ok(())
    }
}

/// That a proposal which waits for an answer is answered first.
fn check_answered(view: &View<'_, '_>, first: Option<&Body>) -> Told<()> {
    let asked = view.tasks().iter().any(|task| matches!(task, Task::Answer { .. }));
    match asked && !first.is_some_and(is_answer) {
        true => Err(Answer::refused(
            "first answer the foul-up that is proposed: any other letter would let it lapse; `sealed-dice game status` shows how",
        )),
        false => Ok(()),
    }
}

impl View<'_, '_> {
    /// That the key can be brought back, if sets are sealed along with whatever is said.
    pub(super) fn check_page(&self, home: &Home, signing: &Signing) -> Told<()> {
        let seals = self.tasks().iter().any(|task| matches!(task, Task::Seal { .. }));
        if seals { signing.check_page(home) } else { Ok(()) }
    }
}

/// That letters which nobody has seen yet break no rule, as an auditor would judge them: a breach that can be known is
/// not handed out.
fn check_rules(ledger: &Ledger<'_>, new: &[Stored]) -> Told<()> {
    let is_new = |id: &Hex32| new.iter().any(|letter| letter.message.id() == *id);
    match findings::of(ledger).iter().find(|finding| finding.letters.iter().any(is_new)) {
        Some(finding) => {
            Err(Answer::refused(format!("this would break a rule, and nothing is signed: {}", finding.text)))
        }
        None => Ok(()),
    }
}

/// The ids of the new letters and of every letter in their pasts.
fn with_past(order: &Order, new: &[Stored]) -> HashSet<Hex32> {
    let new: HashSet<Hex32> = new.iter().map(|letter| letter.message.id()).collect();
    let own: Vec<&Node> = order.nodes.iter().filter(|node| new.contains(&node.id())).collect();
    let past = order.nodes.iter().filter(|node| own.iter().any(|own| own.has_in_past(node)));
    past.map(Node::id).chain(new.iter().copied()).collect()
}

/// Shows what is about to be signed, and asks.
pub(super) fn ask(lines: &[String], signing: &Signing) -> Told<()> {
    asked(lines, "sign?", signing, terminal::agree)
}

/// What a player types who ends a game.
const CLOSE: &str = "close";

/// Shows what is about to be signed, and asks for a word that nobody types unawares.
fn ask_for(word: &str, lines: &[String], signing: &Signing) -> Told<()> {
    let question = format!("type the word {word} to sign it:");
    asked(lines, &question, signing, |question| terminal::ask_line(question).map(|typed| typed == word))
}

fn asked(lines: &[String], question: &str, signing: &Signing, agree: impl FnOnce(&str) -> Option<bool>) -> Told<()> {
    if lines.is_empty() {
        return Err(Answer::done(String::new()).saying("nothing is owed"));
    }
    if signing.yes {
        return Ok(());
    }
    let question = format!(
        "you are about to sign, and it cannot be taken back:\n{}\n{question}",
        lines.iter().map(|line| format!("  {line}\n")).collect::<String>().trim_end()
    );
    match agree(&question) {
        Some(true) => Ok(()),
        Some(false) => Err(Answer::refused("not signed; nothing has changed")),
        None => Err(Answer::unable(format!("{question} there is nobody to ask here: look at it and add --yes"))),
    }
}
