//! Whether this machine may sign in a game: only if it signed the last letter in the chain itself, or its ask is
//! settled (`protocol/keys.md` 3).

use std::collections::{BTreeMap, BTreeSet};

use super::{
    away::told,
    failure::{Failure, PlayResult},
    forks,
    locked::Locked,
    state::Block,
    step::Step,
    table::{Stage, Table},
    typing::quoted,
};
use crate::{
    blob::{
        Body, Hex32, Verified,
        body::Role,
        resync::{Answer as AnswerTo, Resync},
    },
    game::{
        node::Standing,
        order::{Missing, Order},
        terms::Author,
    },
    keep::{
        folder::Stored,
        moved::Move,
        signing_journal::{Signed, SigningJournal},
    },
    report::text::count,
};

/// The maximum number of letters listed one by one: an answer can name any number of them.
const LISTED: usize = 8;

/// Whether this machine may sign in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Machine {
    /// This machine may sign: it signed the last letter here, or nobody has signed any, or its ask is settled.
    Signs,
    /// This machine may not sign before it asks what the others hold (keys 3).
    Asks,
    /// This machine has asked, and may not sign before these answers and letters come.
    Waits(Vec<String>),
}

/// Why a machine may not sign, and what to do about it.
pub(super) struct Blocked {
    pub(super) kind: Block,
    pub(super) why: String,
    pub(super) steps: Vec<Step>,
    pub(super) waits_for: Vec<String>,
    /// The steps to take if the last mail did not arrive.
    pub(super) if_lost: Vec<Step>,
}

impl Blocked {
    fn of(kind: Block, why: String) -> Self {
        Self { kind, why, steps: Vec::new(), waits_for: Vec::new(), if_lost: Vec::new() }
    }
}

impl Locked {
    /// Records as signed the letters of an interrupted command, because they are handed out now.
    pub(super) fn settle(&self) -> PlayResult<()> {
        let mut journal = self.journal()?;
        if journal.is_open() {
            let end = self.with_order(|order| self.end(order));
            if journal.left_it_at(end) {
                journal.has_signed(end)?;
            }
        }
        Ok(())
    }
}

impl Table {
    /// Opens the journal of letters that this machine has signed in this game.
    pub(super) fn journal(&self) -> PlayResult<SigningJournal> {
        let game = match self.stage {
            Stage::Begun(game) => Some(game),
            Stage::Proposed => None,
        };
        Ok(SigningJournal::open(self.terms.id, game, &self.role)?)
    }

    /// Checks that this machine may sign. It may not after a restore, as a second machine, or after a fork by this
    /// party in which no branch counts. Letters by this party that only others name do not stop it: anybody can invent
    /// a letter.
    pub(super) fn check_machine(&self, order: Option<&Order>) -> PlayResult<()> {
        match self.blocked(order)? {
            None => Ok(()),
            Some(blocked) => Err(Failure::refused(blocked.why)),
        }
    }

    /// Returns why this machine may not sign, and what to do.
    pub(super) fn blocked(&self, order: Option<&Order>) -> PlayResult<Option<Blocked>> {
        if let Some(moved) = Move::of(&self.key)? {
            return Ok(Some(Blocked::of(Block::Moved, told(&moved, &self.typing.of_home()))));
        }
        if order.is_some_and(|order| order.overgrown) {
            let why = format!(
                "the letters have more branches than a game may have, so nothing counts any more. To see who made the \
                 branches:  sealed-dice audit {}  (chain 15)",
                quoted(&self.folder.letters_path())
            );
            let steps = vec![Step::ResendEverything];
            return Ok(Some(Blocked { steps, ..Blocked::of(Block::Overgrown, why) }));
        }
        if let Some((why, waits_for)) = order.and_then(|order| forks::stops(self, order)) {
            let (if_lost, waits_for) = (vec![Step::ResendEverything], waits_for.into_iter().collect());
            return Ok(Some(Blocked { if_lost, waits_for, ..Blocked::of(Block::Fork, why) }));
        }
        Ok(match self.machine(order)? {
            Machine::Signs => None,
            Machine::Asks => Some(self.must_ask(order)?),
            Machine::Waits(waits_for) => Some(self.must_wait(waits_for)),
        })
    }

    /// Returns the message for a party that has asked already.
    fn must_wait(&self, waits_for: Vec<String>) -> Blocked {
        let resync = self.typing.command("game resync");
        let why = format!(
            "you have asked which letters the others hold. You can sign again once you have their answers and every \
             letter of yours that they name. If somebody cannot answer:  {resync} --without ROLE"
        );
        Blocked { waits_for, if_lost: vec![Step::Resync], ..Blocked::of(Block::Waits, why) }
    }

    /// Returns the message for a party that must ask first.
    fn must_ask(&self, order: Option<&Order>) -> PlayResult<Blocked> {
        let resync = self.typing.command("game resync");
        let elsewhere = "your folder was restored from a backup or copied from another machine, or you play this game \
                         on another machine too";
        let spoil = "Signing two letters that follow the same one would be a fork and could cost you the game";
        let why = match order {
            Some(_) if self.terms.time_witness().is_some() && self.me == Author::Office => format!(
                "your last letter in this game was not signed on this machine: {elsewhere}. Read all letters that both \
                 players hold (they type: sealed-dice resend --everything), then begin an epoch:  {resync}"
            ),
            Some(_) if self.me == Author::Office => format!(
                "your last letter in this game was not signed on this machine: {elsewhere}. This machine cannot know \
                 what was opened since then. Read all letters that both players hold (they type: sealed-dice resend \
                 --everything), then begin an epoch (sets that were sealed earlier will give no new dice):  {resync}"
            ),
            Some(order) => match self.older(order)? {
                Some(older) => format!(
                    "{older}. {spoil}. Put the newer folder back if you have it, or read the mails in which you sent \
                     these letters. If they are lost, first ask which letters the others hold:  {resync}{}",
                    self.lacks_own(order)
                ),
                None => format!(
                    "your last letter in this game was not signed on this machine: {elsewhere}. {spoil}, so first ask \
                     which letters the others hold:  {resync}{}{}",
                    self.suspects_thief()?,
                    self.lacks_own(order)
                ),
            },
            None => {
                let why = format!(
                    "this machine has signed a letter in this game that is missing here: {elsewhere}. Read the mail \
                     with that letter: look in your sent mails, or ask your opponent for it (they type: sealed-dice \
                     resend --all)"
                );
                return Ok(Blocked::of(Block::Asks, why));
            }
        };
        Ok(Blocked { steps: vec![Step::Resync], ..Blocked::of(Block::Asks, why) })
    }

    /// Reports that the folder ends before the last letter that this machine recorded signing: an old copy was put
    /// back.
    fn older(&self, order: &Order) -> PlayResult<Option<String>> {
        let (last, end) = (self.journal()?.last(), self.end(Some(order)));
        let end = end.map_or(0, |end| end.number);
        Ok(last.filter(|last| last.number > end).map(|last| {
            let lacks = match end + 1 == last.number {
                true => format!("your letter {end}, but this machine has signed your letter {}", last.number),
                false => format!(
                    "your letter {end}, but this machine has signed your letters {} to {}",
                    end + 1,
                    last.number
                ),
            };
            format!(
                "this game's folder is older than this machine's record of the game (was a backup restored?): the \
                 folder ends with {lacks}"
            )
        }))
    }

    /// Lists this party's letters that others name and that are missing here.
    fn missing_own<'o>(&self, order: &'o Order) -> impl Iterator<Item = (&'o Hex32, &'o Missing)> {
        order.missing.iter().filter(|(_, missing)| missing.author.as_ref() == Some(&self.role))
    }

    /// Returns the text to read before the ask, if others name letters by this party that are missing here.
    fn lacks_own(&self, order: &Order) -> String {
        match self.missing_own(order).next() {
            Some((_, missing)) => {
                let number = missing.number.map_or_else(String::new, |number| format!(" {number}"));
                format!(
                    ". Another letter names your own letter{number}, which is missing here: read your sent mails \
                     before you ask"
                )
            }
            None => String::new(),
        }
    }

    /// Advises what to do if somebody else wrote the letters that were not signed here (keys 2).
    fn suspects_thief(&self) -> PlayResult<String> {
        let signed_here = self.journal()?.last().is_some_and(|last| last.number > 1);
        Ok(match signed_here {
            true => format!(
                ". If none of your machines signed it, somebody else has your key or a backup of it: tell the others \
                 by voice, move your key file away ({}), make a new key ({}), and continue with that key in a new \
                 game:  {}",
                self.typing.of_home().command("key show"),
                self.typing.of_home().command("key new"),
                self.typing.of_home().command(&format!("game continue {} --as {}", self.name(), self.role))
            ),
            false => String::new(),
        })
    }

    fn machine(&self, order: Option<&Order>) -> PlayResult<Machine> {
        let journal = self.journal()?;
        // An ask unknown to this machine was signed on another one, and its outcome there is unknown here.
        if self.own_asks().iter().any(|ask| !journal.has_settled(ask) && journal.asked() != Some(*ask)) {
            return Ok(Machine::Asks);
        }
        Ok(match (journal.asked(), order) {
            (Some(ask), Some(order)) => match self.awaited(order, &journal, ask) {
                awaited if awaited.is_empty() => Machine::Signs,
                awaited => Machine::Waits(awaited),
            },
            (_, order) if order.is_some_and(|order| self.has_unplaced(order)) => Machine::Asks,
            (_, order) if !journal.left_it_at(self.end(order)) => Machine::Asks,
            _ => Machine::Signs,
        })
    }

    /// Lists what this machine waits for before its ask is settled (keys 3): an answer from every other role, each
    /// letter that an answer names, and any other letters by this party that the letters here name.
    fn awaited(&self, order: &Order, journal: &SigningJournal, ask: Hex32) -> Vec<String> {
        let waits_for = |role: &Role| !journal.without().contains(role);
        let others: Vec<&Role> = self.others().map(|(role, _)| role).filter(|role| waits_for(role)).collect();
        let silent = others.iter().filter(|role| self.answers_of(role, ask).next().is_none());
        let mut awaited: Vec<String> = silent.map(|role| format!("{role}'s answer")).collect();
        let is_here = |id: &Hex32| self.own().any(|own| own.message.id() == *id);
        let mut named: BTreeMap<Hex32, BTreeSet<&Role>> = BTreeMap::new();
        for role in others {
            let lasts = self.answers_of(role, ask).filter_map(|answer| answer.last);
            for last in lasts.filter(|last| !is_here(last)) {
                named.entry(last).or_default().insert(role);
            }
        }
        for (id, missing) in self.missing_own(order) {
            for role in missing.namers.iter().filter(|role| waits_for(role)) {
                named.entry(*id).or_default().insert(role);
            }
        }
        let left = named.len().saturating_sub(LISTED);
        awaited.extend(named.into_iter().take(LISTED).map(|(id, roles)| {
            let roles: Vec<&str> = roles.into_iter().map(Role::as_str).collect();
            let mails = match roles.as_slice() {
                [only] if *only == self.role.as_str() => "your sent mails".to_owned(),
                _ => format!(
                    "the mail from {} with all letters (they type: sealed-dice resend --everything)",
                    roles.join(" or ")
                ),
            };
            format!("your letter {}, named by {}: read {mails}", order.ids.short(&id), roles.join(" and "))
        }));
        awaited.extend((left > 0).then(|| format!("{} of yours named in the answers", count(left, "more letter"))));
        if awaited.is_empty() && self.has_unplaced(order) {
            awaited.push("the letters that your own last letter depends on (see missing letters)".into());
        }
        awaited
    }

    /// Lists a role's answers to an ask from this party.
    fn answers_of(&self, role: &Role, ask: Hex32) -> impl Iterator<Item = &AnswerTo> {
        let from = self.stored.iter().map(|letter| &letter.message).filter(move |message| {
            let head = message.head();
            head.author == *role && self.is_signed(message)
        });
        from.filter_map(move |message| match message.body() {
            Body::Resync(Resync::Answer(answer)) if answer.ask == ask => Some(answer),
            _ => None,
        })
    }

    /// Whether this party signed a letter that follows its last one that counts, and that waits for letters from
    /// others. Nobody else can have signed it, and no second letter may be signed in its place.
    fn has_unplaced(&self, order: &Order) -> bool {
        let end = self.end(Some(order)).map_or(0, |end| end.number);
        let mut beyond = self.own().filter(|own| own.message.head().number > end);
        beyond.any(|own| order.nodes.iter().all(|node| node.id() != own.message.id()))
    }

    /// Whether this machine wrote the last letter in this party's chain. If so, a later letter that others name was
    /// never signed, unless on another machine.
    pub(super) fn wrote_the_end(&self, order: &Order) -> PlayResult<bool> {
        Ok(self.journal()?.left_it_at(self.end(Some(order))) && !self.has_unplaced(order))
    }

    /// Returns the last letter by this party that counts, among those in the folder.
    pub(super) fn end(&self, order: Option<&Order>) -> Option<Signed> {
        let number = |signed: &Signed| signed.number;
        let Some(order) = order else {
            return self.own().map(|own| Signed::of(&own.message)).max_by_key(number);
        };
        let stands = order.nodes.iter().filter(|node| node.author == self.me && node.standing == Standing::Stands);
        stands.map(|node| Signed::of(&node.message)).max_by_key(number)
    }

    /// Lists this party's numbered letters.
    fn own(&self) -> impl Iterator<Item = &Stored> {
        self.stored.iter().filter(|letter| {
            let head = letter.message.head();
            head.author == self.role && !head.is_unnumbered()
        })
    }

    /// Lists every ask from this party that is in the folder.
    pub(super) fn own_asks(&self) -> Vec<Hex32> {
        let asks = self.stored.iter().map(|letter| &letter.message).filter(|message| {
            matches!(message.body(), Body::Resync(Resync::Ask(_)))
                && message.head().author == self.role
                && message.key() == self.key
        });
        asks.map(Verified::id).collect()
    }

    /// Returns this machine's ask until it is settled.
    pub(super) fn open_ask(&self) -> PlayResult<Option<&Stored>> {
        let is_waiting =
            self.with_order(|order| self.machine(order)).map(|machine| matches!(machine, Machine::Waits(_)))?;
        let asked = self.journal()?.asked().filter(|_| is_waiting);
        Ok(asked.and_then(|ask| self.stored.iter().find(|letter| letter.message.id() == ask)))
    }

    /// Passes the ordered letters to `look`, if the game has begun.
    pub(super) fn with_order<T>(&self, look: impl FnOnce(Option<&Order>) -> T) -> T {
        match self.stage {
            Stage::Begun(game) => look(Some(&self.order(game))),
            Stage::Proposed => look(None),
        }
    }
}

/// Returns the steps that are possible: none while files are damaged, and only those that lift the block if the machine
/// may not sign. Answers to others' asks go first, because a party that has asked signs nothing before it has them.
pub(super) fn allowed(table: &Table, blocked: Option<&Blocked>, steps: Vec<Step>) -> Vec<Step> {
    if table.check_files().is_err() {
        return Vec::new();
    }
    let mut allowed = blocked.map_or(steps, |blocked| blocked.steps.clone());
    if table.owes_answers() && !allowed.contains(&Step::Reply) {
        allowed.insert(0, Step::Reply);
    }
    allowed
}

/// Why a machine may not sign, in kind and in words.
pub(super) type Why = Option<(Block, String)>;

/// Splits a block into the reason, what it waits for, and what to do if the last mail did not arrive.
pub(super) fn taken_apart(blocked: Option<Blocked>) -> (Why, Vec<String>, Option<Vec<Step>>) {
    match blocked {
        Some(Blocked { kind, why, waits_for, if_lost, .. }) => (Some((kind, why)), waits_for, Some(if_lost)),
        None => (None, Vec::new(), None),
    }
}

/// Whether this party may sign: the machine is not blocked, and no file is damaged.
pub(super) fn is_free(table: &Table, is_blocked: bool) -> bool {
    !is_blocked && table.check_files().is_ok()
}
