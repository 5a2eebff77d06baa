//! `game resync`: after a restore or on a second machine, asks the other parties which letters they hold before this
//! party signs again. Also answers such asks from others (`protocol/keys.md` 3 to 5).

use std::collections::BTreeMap;

use super::{
    failure::{Failure, PlayResult},
    handed::Handed,
    locked::Locked,
    post::EXPLAINS,
    session::{Question, Session},
    status,
    table::{Stage, Table},
};
use crate::{
    blob::{
        Body, Hex32, Verified,
        body::Role,
        resync::{Answer as AnswerTo, Resync},
    },
    game::{
        asks::{self, Open},
        node::Node,
        order::Order,
        steps::Letter,
        terms::Author,
    },
    keep::{folder::Stored, random::fresh, root::Keys},
    report::text::count,
};

/// Asks the other parties which letters they hold, after a restore or on a second machine, before this party signs
/// again. If `without` names roles, goes on without their answers, because they cannot give any. An office begins an
/// epoch instead.
///
/// # Errors
/// If there is nothing to ask, or the party does not sign.
pub fn resync(session: &Session<'_>, name: Option<&str>, without: &[String]) -> PlayResult<Handed> {
    let blocked = |table: &Table| table.with_order(|order| table.blocked(order)).is_ok_and(|blocked| blocked.is_some());
    let table = Locked::find(session, name, blocked)?;
    let Stage::Begun(game) = table.stage else {
        return Err(Failure::refused(
            "the game has not begun, so no signed letter can be missing; `sealed-dice game status` shows what to do \
             next",
        ));
    };
    if table.me == Author::Office {
        return match without.is_empty() {
            true => table.begin_epoch(session),
            false => {
                Err(Failure::refused("an office begins an epoch instead of asking the others: leave out --without"))
            }
        };
    }
    let open = table.open_ask()?;
    if !without.is_empty() {
        return match open {
            Some(_) => table.go_without(session, without),
            None => Err(Failure::refused(format!(
                "first ask the others, and see who answers:  {}",
                table.typing.command("game resync")
            ))),
        };
    }
    if let Some(open) = open {
        return Ok(table.mail_ask(open, "you have already asked; this is the same question again"));
    }
    let asks = "which letters of this game do you hold?  Nothing else is signed until the answers are here".to_owned();
    session.ask_to_sign(&table.headed(&[asks]), Vec::new(), false)?;
    let keys = session.unlock()?;
    let body = Body::Resync(Resync::Ask(fresh()?));
    let Letter { message, frame } = asks::unnumbered(&table.terms, table.me, game, body, keys.signing())?;
    // The ask is recorded before it is kept: an unrecorded one in the folder would be taken for another machine's.
    table.journal()?.will_ask(message.id(), table.own_asks())?;
    table.lock.keep(&message, &frame)?;
    let handed = table.mail_ask(&Stored { message, frame }, "mail this question, then read the answers");
    let waits_for = table.again()?.awaited_answers()?;
    Ok(waits_for.iter().fold(handed, |handed, waits_for| handed.saying(format!("waiting for: {waits_for}"))))
}

/// The maximum number of asks from one party that one reply answers. A returning party needs only one; the limit keeps
/// a flood of asks from causing a flood of answers.
const ASKS: usize = 8;

impl Locked {
    /// Records that this machine goes on without the answers of roles that cannot give any.
    fn go_without(&self, session: &Session<'_>, without: &[String]) -> PlayResult<Handed> {
        let roles = without.iter().map(|typed| {
            let role = Role::parse(typed).filter(|role| self.others().any(|(other, _)| other == role));
            role.ok_or_else(|| {
                Failure::refused(format!(
                    "{typed:?} is not the role of another party in this game; `sealed-dice game status` shows the roles"
                ))
            })
        });
        let roles = roles.collect::<PlayResult<Vec<Role>>>()?;
        let risk = format!(
            "if {} holds a letter of yours that is missing here, your next letter will make a fork, which can cost you \
             the game",
            without.join(" or ")
        );
        session.ask(&Question::Without(risk), "nothing has changed")?;
        self.journal()?.goes_without(&roles)?;
        Ok(Handed { status: Some(Box::new(status::of(self)?)), ..Handed::default() })
    }

    /// Carries out `reply` if there are only answers to sign. Answers take no place in a chain, so they wait for
    /// nobody.
    pub(super) fn answer(mut self, session: &Session<'_>) -> PlayResult<Handed> {
        session.ask_to_sign(&self.headed(&self.answers_in_words()), Vec::new(), false)?;
        let keys = session.unlock()?;
        self.keep_answers(&keys)?;
        self.mail(None)
    }

    /// Signs the answers that are due, and keeps them.
    pub(super) fn keep_answers(&mut self, keys: &Keys) -> PlayResult<()> {
        let Stage::Begun(game) = self.stage else { return Ok(()) };
        let bodies = self.answers();
        for body in bodies {
            let Letter { message, frame } = asks::unnumbered(&self.terms, self.me, game, body, keys.signing())?;
            self.lock.keep(&message, &frame)?;
            self.stored.push(Stored { message, frame });
        }
        Ok(())
    }
}

impl Table {
    fn mail_ask(&self, ask: &Stored, about: &str) -> Handed {
        let cover = format!(
            "{} to {}: my folder was restored, or I play from another machine. Which letters of this game do you hold? \
             Read this mail at your desk, or with: sealed-dice read, and answer with: sealed-dice reply\n{EXPLAINS}",
            self.role,
            self.their_names()
        );
        self.under(cover, &[ask], about.to_owned())
    }

    /// Describes the answers and letters that this machine's ask is waiting for.
    fn awaited_answers(&self) -> PlayResult<Vec<String>> {
        let blocked = self.with_order(|order| self.blocked(order))?;
        Ok(blocked.map(|blocked| blocked.waits_for).unwrap_or_default())
    }

    /// Returns the unanswered asks from others, by asker: those that the next reply answers, and how many more there
    /// are.
    fn open_asks(&self) -> BTreeMap<Author, (Vec<Open>, usize)> {
        let Stage::Begun(game) = self.stage else { return BTreeMap::new() };
        let messages = self.stored.iter().map(|letter| &letter.message);
        let mut open: BTreeMap<Author, (Vec<Open>, usize)> = BTreeMap::new();
        for ask in asks::open(&self.terms, game, self.me, messages) {
            open.entry(ask.asker).or_default().0.push(ask);
        }
        for (asks, left) in open.values_mut() {
            *left = asks.len().saturating_sub(ASKS);
            asks.truncate(ASKS);
        }
        open
    }

    /// Lists this party's answers to a role from which no later letter has arrived.
    fn unread<'t>(&'t self, order: &Order, asker: Author) -> impl Iterator<Item = &'t Stored> + use<'t> {
        let last = order.last_of(asker).map(Node::id);
        let asks: Vec<Hex32> = self.asks_by(asker).collect();
        self.stored.iter().filter(move |letter| match letter.message.body() {
            Body::Resync(Resync::Answer(AnswerTo { ask, last: of })) => {
                letter.message.head().author == self.role && *of == last && asks.contains(ask)
            }
            _ => false,
        })
    }

    fn asks_by(&self, asker: Author) -> impl Iterator<Item = Hex32> {
        let messages = self.stored.iter().map(|letter| &letter.message).filter(move |message| {
            let is_ask = matches!(message.body(), Body::Resync(Resync::Ask(_)));
            is_ask && self.terms.author_of(&message.head().author) == Some(asker)
        });
        messages.map(Verified::id)
    }

    /// Returns the answers that are due from this party.
    fn answers(&self) -> Vec<Body> {
        let open = self.open_asks();
        let Stage::Begun(game) = self.stage else { return Vec::new() };
        if open.is_empty() {
            return Vec::new();
        }
        let order = self.order(game);
        open.values()
            .flat_map(|(asks, _)| asks)
            .map(|ask| asks::answer(ask, order.last_of(ask.asker).map(Node::id)))
            .collect()
    }

    /// Whether any answers are due from this party.
    pub(super) fn owes_answers(&self) -> bool {
        !self.open_asks().is_empty()
    }

    /// Describes the answers that are due, for a party that is about to sign them.
    pub(super) fn answers_in_words(&self) -> Vec<String> {
        let open = self.open_asks();
        let askers = open.keys().filter_map(|asker| self.terms.role_of(*asker));
        let told = |asker| {
            format!("{asker}, this is the last letter of yours that I hold; this mail includes all letters of the game")
        };
        askers.map(told).collect()
    }

    /// Returns the notes on unanswered asks for a status.
    pub(super) fn asked(&self) -> Vec<String> {
        let mut told = Vec::new();
        for (asker, (_, left)) in &self.open_asks() {
            let Some(asker) = self.terms.role_of(*asker) else { continue };
            let reply = self.typing.command("reply");
            told.push(format!("{asker}'s folder was restored, and {asker} asks which letters you hold: {reply}"));
            if *left > 0 {
                told.push(format!(
                    "{asker} asks which letters you hold more often than a lost folder can explain. Your later \
                     replies answer the other {}, and nothing else waits for those answers",
                    count(*left, "question")
                ));
            }
        }
        told
    }

    /// Lists this party's answers that no letter shows to have been read. A mail includes these, and every letter of
    /// the game with them.
    pub(super) fn unread_answers(&self) -> Vec<&Stored> {
        let Stage::Begun(game) = self.stage else { return Vec::new() };
        let is_answer = |letter: &&Stored| {
            letter.message.head().author == self.role
                && matches!(letter.message.body(), Body::Resync(Resync::Answer(_)))
        };
        if !self.stored.iter().any(|letter| is_answer(&letter)) {
            return Vec::new();
        }
        let order = self.order(game);
        Author::ALL.into_iter().filter(|asker| *asker != self.me).flat_map(|asker| self.unread(&order, asker)).collect()
    }
}
