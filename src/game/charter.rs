//! The terms of a game, parsed from its charter (`protocol/charter.md`): roles become players, settings become systems.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashSet},
    fmt,
};

use super::courses::ORDERS;

use crate::{
    blob::{
        Body, Kind, Verified,
        body::{self, Hex32, How, Name, Remedy, Revealer, Role, Slot, Step},
        deposits::Deposits,
        office::Office,
    },
    error::{Class, Error, Result},
    primitive::wrap,
    resolve::{Awaits, System},
    rule::Rule,
};

/// One of the two players, by his place in the charter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Player {
    /// The first party.
    First,
    /// The second party.
    Second,
}

impl Player {
    /// Both, in the charter's order.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// The opponent.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// Who signs letters of a game: a player, the referee or the office, in the order of replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Author {
    /// A player.
    Player(Player),
    /// The referee.
    Referee,
    /// The office.
    Office,
}

impl Author {
    /// All, in the order of replay.
    pub const ALL: [Self; 4] = [Self::Player(Player::First), Self::Player(Player::Second), Self::Referee, Self::Office];

    /// The player, if it is one.
    #[must_use]
    pub const fn player(self) -> Option<Player> {
        match self {
            Self::Player(player) => Some(player),
            Self::Referee | Self::Office => None,
        }
    }
}

/// A value for each player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Both<T>(pub T, pub T);

impl<T> Both<T> {
    /// That of a player.
    pub const fn of(&self, player: Player) -> &T {
        match player {
            Player::First => &self.0,
            Player::Second => &self.1,
        }
    }

    /// That of a player, to change it.
    pub const fn of_mut(&mut self, player: Player) -> &mut T {
        match player {
            Player::First => &mut self.0,
            Player::Second => &mut self.1,
        }
    }
}

/// The terms in force.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Id of the charter.
    pub id: Hex32,
    /// Who wrote it.
    pub author: Player,
    /// The charter as signed.
    pub charter: body::Charter,
    /// Its phases, with their systems ready.
    pub phases: Vec<Phase>,
}

/// A phase, with its system ready.
#[derive(Clone, Debug)]
pub struct Phase {
    /// Its name.
    pub name: Name,
    /// Who declares; nobody, where the system's state says who (courses 9).
    pub declarer: Option<Player>,
    /// The impulses that have it.
    pub impulses: Vec<u64>,
    /// Where its dice come from.
    pub source: body::Source,
    /// Whether only the declarer knows its rolls at first (secrets 1).
    pub private: bool,
    /// Who opens its dice.
    pub revealer: Revealer,
    /// What must be signed before a declaration.
    pub decisions: Vec<Decision>,
    /// Its system.
    pub system: System,
    /// Envelopes of a coin set for it, if its source is coin.
    pub envelopes: Option<u64>,
}

impl Phase {
    /// Whether a player declares it, or may, where the state says who.
    #[must_use]
    pub fn may_be_declared_by(&self, player: Player) -> bool {
        self.declarer.is_none_or(|declarer| declarer == player)
    }
}

/// A choice that a phase owes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What it is called.
    pub name: Name,
    /// How it is signed, and by whom.
    pub by: By,
}

/// How a decision is signed, and by whom (secrets 7, 9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// By this player, for everybody to read.
    Open(Player),
    /// By this player, as a note that is opened after the declaration.
    Sealed(Player),
    /// By both, as notes that are opened before it.
    Both,
}

impl By {
    /// Whether it is signed as a note.
    #[must_use]
    pub const fn is_sealed(self) -> bool {
        !matches!(self, Self::Open(_))
    }

    /// Whether a player signs it.
    #[must_use]
    pub fn includes(self, player: Player) -> bool {
        match self {
            Self::Open(by) | Self::Sealed(by) => by == player,
            Self::Both => true,
        }
    }
}

/// The order of slots (charter 20).
pub type SlotKey = (u64, u64, usize, u64);

impl Terms {
    /// Parses a charter.
    ///
    /// # Errors
    /// Class `game` if the charter does not name its author's key (no culprit); class `rule` for a charter in breach.
    pub fn parse(message: &Verified) -> Result<Self> {
        let Body::Charter(charter) = message.body() else {
            return Err(Error::Misuse("this letter is no charter".into()));
        };
        let author = &message.head().author;
        let [first, second] = &charter.parties;
        let author = match (first.role == *author, second.role == *author) {
            (true, _) if first.key == message.key() => Player::First,
            (false, true) if second.key == message.key() => Player::Second,
            _ => {
                return Err(Error::malformed(
                    Class::Game,
                    "the charter is not signed with the key that it names for its author",
                ));
            }
        };
        let breach = |text: String| Error::breach(Rule::Charter6, text);
        let referee = charter.referee.iter().map(|referee| (&referee.role, referee.key));
        let office = charter.office.iter().map(|office| (&office.role, office.key));
        let parties = charter.parties.iter().map(|party| (&party.role, party.key)).chain(referee).chain(office);
        let parties: Vec<(&Role, Hex32)> = parties.collect();
        let same = |(i, party): (usize, &(&Role, Hex32))| {
            let mut before = parties.iter().take(i);
            before.any(|other| other.0 == party.0 || other.1 == party.1)
        };
        if parties.iter().enumerate().any(same) {
            return Err(breach("the parties must differ in role and key".into()));
        }
        let mut terms = Self { id: message.id(), author, charter: (**charter).clone(), phases: Vec::new() };
        let seen = terms.seen_by(Author::Player(author)).map(|role| (role, None));
        if message.head().seen.iter().ne(seen) {
            return Err(breach("a charter's seen has exactly the other roles, each null".into()));
        }
        terms.phases = terms.settle_phases()?;
        terms.check_hard_core()?;
        terms.check_deposits()?;
        terms.check_revealers()?;
        terms.check_states()?;
        Ok(terms)
    }

    /// That courses can begin with the states that the charter gives them (charter 26).
    fn check_states(&self) -> Result<()> {
        for (system, state) in self.charter.continues.iter().flat_map(|continues| &continues.states) {
            let breach =
                |text: &dyn fmt::Display| Error::breach(Rule::Charter26, format!("the state of {system}: {text}"));
            let courses = self.courses().find(|(phase, _)| phase.system.name() == system);
            let open = courses.map(|(_, course)| course).filter(|course| course.hidden().is_none());
            let course = open.ok_or_else(|| breach(&"the terms have no such course, or it is hidden"))?;
            match course.awaits(state).map_err(|error| breach(&error))? {
                Awaits::Turn(_) => {}
                Awaits::More(_) | Awaits::Decision { .. } => return Err(breach(&"it awaits no turn")),
            }
        }
        Ok(())
    }

    fn settle_phases(&self) -> Result<Vec<Phase>> {
        let mut names = BTreeSet::new();
        let phases = self.charter.phases.iter().map(|phase| {
            let breach = |text: String| Error::breach(Rule::Charter6, format!("phase {}: {text}", phase.name));
            if !names.insert(&phase.name) {
                return Err(breach("the name stands twice".into()));
            }
            let system = System::settle(&phase.system, &phase.settings, &self.charter.tables)
                .map_err(|error| breach(error.to_string()))?;
            if system.resolver().source() != phase.source {
                return Err(breach(format!("{} does not take its dice from this source", phase.system)));
            }
            self.check_course(phase, &system)?;
            let mut decisions: Vec<Decision> = Vec::new();
            for decision in &phase.decisions {
                if decisions.iter().any(|other| other.name == decision.name) {
                    return Err(breach(format!("the decision {} stands twice", decision.name)));
                }
                let by = match (decision.how, &decision.by) {
                    (How::Open, Some(role)) => By::Open(self.named_player(role)?),
                    (How::Sealed, Some(role)) => By::Sealed(self.named_player(role)?),
                    (How::Simultaneous, None) => By::Both,
                    _ => return Err(breach(format!("{}: nobody alone makes a simultaneous choice", decision.name))),
                };
                decisions.push(Decision { name: decision.name.clone(), by });
            }
            Ok(Phase {
                name: phase.name.clone(),
                declarer: phase.declarer.as_ref().map(|role| self.named_player(role)).transpose()?,
                impulses: phase.impulses.clone(),
                source: phase.source,
                private: phase.private,
                revealer: phase.revealer,
                decisions,
                envelopes: match &system {
                    System::CoinEnvelopes(coin) => Some(coin.envelopes()),
                    _ => None,
                },
                system,
            })
        });
        phases.collect()
    }

    /// What holds for the phases of a course, and for others (courses 9).
    fn check_course(&self, phase: &body::Phase, system: &System) -> Result<()> {
        let breach = |text: &str| Err(Error::breach(Rule::Charter6, format!("phase {}: {text}", phase.name)));
        let Some(course) = system.resolver().course() else {
            return match phase.declarer {
                Some(_) => Ok(()),
                None => breach("it needs a declarer"),
            };
        };
        for role in course.roles() {
            self.named_player(role)?;
        }
        if phase.declarer.is_some() == course.names_declarer() {
            return breach("it has a declarer exactly if the system's state names none");
        }
        if phase.private != course.hidden().is_some() {
            return breach("in a course only a hidden phase is private");
        }
        let at_once = |decision: &body::Decision| {
            decision.by.is_none() && decision.how == How::Simultaneous && decision.name.as_str() == ORDERS
        };
        let decides = match phase.decisions.as_slice() {
            [] => !course.takes_orders(),
            [decision] => course.takes_orders() && at_once(decision),
            _ => false,
        };
        if !decides {
            return breach(match course.takes_orders() {
                true => "its one decision is orders, simultaneous",
                false => "in a course the system asks for decisions",
            });
        }
        let others = self.charter.phases.iter().filter(|other| other.system == phase.system);
        if !others.clone().all(|other| other.settings == phase.settings) {
            return breach("all phases of one course have the same settings");
        }
        match others.count() == course.phases() && phase.impulses.len() == 1 {
            true => Ok(()),
            false => Err(Error::breach(
                Rule::Charter6,
                format!("{} has {} phases, each with one impulse", phase.system, course.phases()),
            )),
        }
    }

    fn check_deposits(&self) -> Result<()> {
        let by_referee = self.holders().any(|(holder, _)| holder == Author::Referee);
        if by_referee && !self.charter.deadlines.iter().any(|deadline| deadline.step == Step::Reveal) {
            return Err(Error::breach(Rule::Charter6, "a referee who holds deposits needs a deadline for reveals"));
        }
        if self.holders().any(|(_, deposit)| !wrap::is_usable(&deposit.key.0)) {
            return Err(Error::breach(
                Rule::Charter6,
                "a deposit key is none: everybody could open what is wrapped to it",
            ));
        }
        Ok(())
    }

    /// Who may be named as revealer.
    fn check_revealers(&self) -> Result<()> {
        let phases = self.charter.phases.iter();
        let mut revealers = phases.map(|phase| phase.revealer).chain([self.charter.foul_up.revealer]);
        let opens = self.charter.office.as_ref().is_some_and(|office| office.deposit.is_some());
        if !opens && revealers.any(|revealer| revealer == Revealer::Office) {
            return Err(Error::breach(Rule::Charter6, "there is no office that could reveal"));
        }
        let mut sheets = self.charter.phases.iter().filter(|phase| phase.source == body::Source::Sheet);
        let first = sheets.next().map(|phase| phase.revealer);
        match sheets.all(|phase| Some(phase.revealer) == first) {
            true => Ok(()),
            false => Err(Error::breach(Rule::Charter6, "all phases with sheets have the same revealer")),
        }
    }

    fn check_hard_core(&self) -> Result<()> {
        let remedies = &self.charter.foul_up.remedies;
        let redo = [remedies.illegal_move, remedies.illegal_odds, remedies.wrong_list].contains(&Remedy::Redo);
        if self.charter.hard_core && redo {
            return Err(Error::breach(Rule::Charter6, "hard core knows no redo: what is signed stays"));
        }
        Ok(())
    }

    fn named_player(&self, role: &Role) -> Result<Player> {
        self.player(role).ok_or_else(|| Error::breach(Rule::Charter6, format!("{role} is no player of this game")))
    }

    /// All who sign letters, with their roles, in the order of replay.
    pub fn authors(&self) -> impl Iterator<Item = (Author, &Role)> {
        let players = Player::BOTH.map(|player| (Author::Player(player), self.role(player)));
        let referee = self.charter.referee.iter().map(|referee| (Author::Referee, &referee.role));
        let office = self.charter.office.iter().map(|office| (Author::Office, &office.role));
        players.into_iter().chain(referee).chain(office)
    }

    /// Who holds deposits, and what these are wrapped to (deposits 1, office 1).
    pub fn holders(&self) -> impl Iterator<Item = (Author, &Deposits)> {
        let referee = self.charter.referee.as_ref().and_then(|referee| referee.deposit.as_ref());
        let office = self.charter.office.as_ref().and_then(|office| office.deposit.as_ref());
        let referee = referee.map(|deposits| (Author::Referee, deposits));
        referee.into_iter().chain(office.map(|deposits| (Author::Office, deposits)))
    }

    /// The office, if it is a time witness, which holds no keys (office 34).
    #[must_use]
    pub fn time_witness(&self) -> Option<&Office> {
        self.charter.office.as_ref().filter(|office| office.deposit.is_none())
    }

    /// The role of whoever holds what is wrapped to a key.
    #[must_use]
    pub fn holder_of(&self, key: &Hex32) -> Option<&Role> {
        let (author, _) = self.holders().find(|(_, to)| to.key == *key)?;
        self.role_of(author)
    }

    /// The author of a role.
    #[must_use]
    pub fn author_of(&self, role: &Role) -> Option<Author> {
        self.authors().find(|(_, other)| *other == role).map(|(author, _)| author)
    }

    /// The role of an author.
    #[must_use]
    pub fn role_of(&self, author: Author) -> Option<&Role> {
        self.authors().find(|(other, _)| *other == author).map(|(_, role)| role)
    }

    /// The charter's key of an author.
    #[must_use]
    pub fn key_of(&self, author: Author) -> Option<Hex32> {
        match author {
            Author::Player(player) => Some(self.party(player).key),
            Author::Referee => self.charter.referee.as_ref().map(|referee| referee.key),
            Author::Office => self.charter.office.as_ref().map(|office| office.key),
        }
    }

    /// The roles that `seen` of an author's letters must have, in their order (chain 3).
    pub fn seen_by(&self, author: Author) -> impl Iterator<Item = &Role> {
        let others = self.authors().filter(move |(other, _)| *other != author).map(|(_, role)| role);
        let mut others: Vec<&Role> = others.collect();
        others.sort();
        others.into_iter()
    }

    /// The player of a role.
    #[must_use]
    pub fn player(&self, role: &Role) -> Option<Player> {
        Player::BOTH.into_iter().find(|player| self.role(*player) == role)
    }

    /// A player as the charter names him.
    #[must_use]
    pub const fn party(&self, player: Player) -> &body::Party {
        let [first, second] = &self.charter.parties;
        match player {
            Player::First => first,
            Player::Second => second,
        }
    }

    /// The role of a player.
    #[must_use]
    pub const fn role(&self, player: Player) -> &Role {
        &self.party(player).role
    }

    /// The phase of a name, with its place in the charter.
    #[must_use]
    pub fn phase(&self, name: &Name) -> Option<(usize, &Phase)> {
        self.phases.iter().enumerate().find(|(_, phase)| phase.name == *name)
    }

    /// The phase of a slot, and the slot's place in the order of slots, if the slot is possible (charter 19, 20).
    #[must_use]
    pub fn slot(&self, slot: &Slot) -> Option<(SlotKey, &Phase)> {
        let (place, phase) = self.phase(&slot.phase)?;
        let possible = slot.turn.max(slot.number) <= Slot::LAST && phase.impulses.contains(&slot.impulse);
        possible.then_some(((slot.turn, slot.impulse, place, slot.number), phase))
    }

    /// That the opponent's accept names this charter as it must (charter 16).
    ///
    /// # Errors
    /// Class `rule`, by charter 16.
    pub fn check_accept(&self, accept: &Verified) -> Result<()> {
        let named = matches!(accept.body(), Body::Accept(body) if body.charter == self.id);
        let mut roles = self.seen_by(Author::Player(self.author.other()));
        let seen = accept.head().seen.iter().all(|(role, letter)| {
            let expected = if role == self.role(self.author) {
                letter == Some(self.id)
            } else {
                letter.is_some_and(|id| id != self.id)
            };
            roles.next() == Some(role) && expected
        });
        if !named || !seen || roles.next().is_some() {
            return Err(Error::breach(Rule::Charter16, "the accept does not name the charter that it accepts"));
        }
        Ok(())
    }

    /// Whether a letter begins a game on these terms: the opponent's accept, signed with the key that the terms give them
    /// and in breach of nothing. Each such accept begins a game of its own (charter 24).
    #[must_use]
    pub fn begins_game(&self, letter: &Verified) -> bool {
        let acceptor = Author::Player(self.author.other());
        letter.head().kind == Kind::Accept
            && letter.head().author == *self.role(self.author.other())
            && self.key_of(acceptor) == Some(letter.key())
            && self.check_accept(letter).is_ok()
    }

    /// The game on these terms that a party goes on with, if one has begun. Of several, a player goes on where they have
    /// written themselves; the referee and the office go on where the author of the terms has written, who has signed no
    /// second accept (charter 24). An accept that names a letter which is not here waits for it, and begins nothing
    /// (chain 4).
    pub fn game_of<'l>(&self, party: Author, letters: impl Iterator<Item = &'l Verified> + Clone) -> Option<Hex32> {
        let here: HashSet<Hex32> = letters.clone().map(Verified::id).collect();
        let is_placed = |accept: &&Verified| accept.names().iter().all(|id| here.contains(id));
        let accepts = letters.clone().filter(|letter| self.begins_game(letter)).filter(is_placed);
        let games: BTreeSet<Hex32> = accepts.map(Verified::id).collect();
        let (own, author) = (self.role_of(party), self.role(self.author));
        let mut written: BTreeMap<Hex32, (usize, usize)> = BTreeMap::new();
        for head in letters.map(Verified::head) {
            if let Some(game) = head.game.filter(|game| games.len() > 1 && games.contains(game)) {
                let (by_party, by_author) = written.entry(game).or_default();
                *by_party += usize::from(Some(&head.author) == own);
                *by_author += usize::from(head.author == *author);
            }
        }
        let rank = |game: &Hex32| {
            let (by_party, by_author) = written.get(game).copied().unwrap_or_default();
            match party.player() {
                Some(_) => (Reverse(by_party), Reverse(by_author), *game),
                None => (Reverse(by_author), Reverse(by_party), *game),
            }
        };
        games.into_iter().min_by_key(rank)
    }
}
