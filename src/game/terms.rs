//! The terms of a game: who plays it, in which phases, by which systems (`protocol/charter.md`).

use super::purpose::{Purpose, STANDING};
use crate::{
    blob::{
        body::{self, Hex32, Name, Revealer, Role, Seal, SetKind, Slot, Source},
        deposits::Deposits,
        deposits::Third,
    },
    error::{Error, Result},
    resolve::{Course, Hidden, Object, System},
};

/// One of the two players, by position in the charter.
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

    /// The opponent of this player.
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
    /// One of the two players.
    Player(Player),
    /// The referee, who settles disputes.
    Referee,
    /// The office, which opens envelopes at once or only keeps the time.
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
    /// The value for a player.
    pub const fn of(&self, player: Player) -> &T {
        match player {
            Player::First => &self.0,
            Player::Second => &self.1,
        }
    }

    /// The value for a player, to change it.
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
    /// The player who wrote the charter.
    pub author: Player,
    /// The charter as signed.
    pub charter: body::Charter,
    /// Its phases, with their systems ready.
    pub phases: Vec<Phase>,
}

/// A phase, with its system ready.
#[derive(Clone, Debug)]
pub struct Phase {
    /// Name of the phase.
    pub name: Name,
    /// Who declares; nobody, where the system's state says who (courses 17).
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
    /// The system of the phase, with its settings read.
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

    /// The course of its system, if that goes on from turn to turn (courses 1).
    #[must_use]
    pub fn course(&self) -> Option<&dyn Course> {
        self.system.resolver().course()
    }

    /// What each side alone knows of its course, if the course is hidden (hidden 1).
    #[must_use]
    pub fn hidden(&self) -> Option<&dyn Hidden> {
        self.course().and_then(Course::hidden)
    }

    /// The kind of set that its dice come from.
    #[must_use]
    pub const fn set_kind(&self) -> SetKind {
        match self.source {
            Source::Coin => SetKind::Coin,
            Source::Sheet => SetKind::Sheet,
            Source::Plain => SetKind::Plain,
        }
    }

    /// Whether both players order at once for it (secrets 9).
    #[must_use]
    pub fn is_ordered(&self) -> bool {
        self.decisions.iter().any(|decision| decision.by == By::Both)
    }

    /// Whether its declarations find standing notes (courses 12, 18, hidden 1).
    #[must_use]
    pub fn finds_notes(&self) -> bool {
        self.course().is_some_and(|course| course.hidden().is_none() && !course.takes_orders())
    }

    /// The decision of a name.
    #[must_use]
    pub fn decision(&self, name: &Name) -> Option<&Decision> {
        self.decisions.iter().find(|decision| decision.name == *name)
    }

    /// Whether a note of a name is due at a time that the rules fix: a choice, or a standing note (office 5, 6).
    fn fixes_the_time_of(&self, note: &Name) -> bool {
        let is_chosen = self.decision(note).is_some_and(|decision| decision.by.is_sealed());
        is_chosen || note.as_str() == STANDING && self.finds_notes()
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
    pub fn time_witness(&self) -> Option<&Third> {
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

    /// A player, as named in the charter.
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

    /// The phase of a slot, if the slot is possible.
    #[must_use]
    pub fn phase_at(&self, slot: &Slot) -> Option<&Phase> {
        self.slot(slot).map(|(_, phase)| phase)
    }

    /// The phase of a slot, if the slot is possible and of a course.
    #[must_use]
    pub fn course_at(&self, slot: &Slot) -> Option<&Phase> {
        self.phase_at(slot).filter(|phase| phase.course().is_some())
    }

    /// Whether a slot is possible and of a course.
    #[must_use]
    pub fn is_of_course(&self, slot: &Slot) -> bool {
        self.course_at(slot).is_some()
    }

    /// Whether a slot is one of a course that takes orders (courses 18).
    #[must_use]
    pub fn takes_orders(&self, slot: &Slot) -> bool {
        self.phase_at(slot).and_then(Phase::course).is_some_and(Course::takes_orders)
    }

    /// Whether a slot is of a hidden course.
    #[must_use]
    pub fn is_of_hidden(&self, slot: &Slot) -> bool {
        self.hidden_at(slot).is_some()
    }

    /// The hidden course that a slot is of.
    #[must_use]
    pub fn hidden_at(&self, slot: &Slot) -> Option<&dyn Hidden> {
        self.phase_at(slot).and_then(Phase::hidden)
    }

    /// The turn, impulse and phase of a slot, in the order of slots.
    #[must_use]
    pub fn place(&self, slot: &Slot) -> Option<(u64, u64, usize)> {
        self.slot(slot).map(|((turn, impulse, phase, _), _)| (turn, impulse, phase))
    }

    /// The phases of one course, with their places in the charter.
    fn phases_of(&self, system: &str) -> impl Iterator<Item = (usize, &Phase)> {
        self.phases.iter().enumerate().filter(move |(_, phase)| phase.system.name() == system)
    }

    /// The courses of a game, each by its first phase, in the order of these (courses 22).
    pub fn courses(&self) -> impl Iterator<Item = (&Phase, &dyn Course)> {
        let is_first = |(i, phase): &(usize, &Phase)| {
            self.phases_of(phase.system.name()).next().is_some_and(|(first, _)| first == *i)
        };
        let firsts = self.phases.iter().enumerate().filter(is_first);
        firsts.filter_map(|(_, phase)| Some((phase, phase.course()?)))
    }

    /// The courses of a game but that of one phase, each by its first phase.
    pub fn other_courses(&self, phase: &Phase) -> impl Iterator<Item = &Phase> {
        self.courses().map(|(other, _)| other).filter(|other| other.system.name() != phase.system.name())
    }

    /// The state with which the course of a phase begins (courses 1).
    ///
    /// # Errors
    /// [`Error::Refused`] if the phase is of no course.
    pub fn begin(&self, phase: &Phase) -> Result<Object> {
        let system = phase.system.name();
        match self.charter.continues.as_ref().and_then(|continues| continues.states.get(system)) {
            Some(state) => Ok(state.clone()),
            None => match phase.course() {
                Some(course) => course.begin(),
                None => Err(Error::Refused(format!("{system} has no course"))),
            },
        }
    }

    /// The place of a course that comes next after a slot, or at which the course begins: its first number.
    #[must_use]
    pub fn next_place(&self, phase: &Phase, last: Option<&Slot>) -> Option<Slot> {
        let after = last.and_then(|slot| self.place(slot));
        let (turn, passed) = match after {
            Some((turn, ..)) => (turn, 0),
            None => phase.course()?.first_place(&self.begin(phase).ok()?).ok()?,
        };
        let places = [turn, turn + 1].into_iter().flat_map(|turn| {
            let phases = self.phases_of(phase.system.name());
            phases.flat_map(move |(place, phase)| phase.impulses.iter().map(move |impulse| (turn, *impulse, place)))
        });
        let mut next: Vec<_> = places.filter(|place| Some(*place) > after && place.0 <= Slot::LAST).collect();
        next.sort_unstable();
        let (turn, impulse, place) = next.into_iter().nth(passed)?;
        Some(Slot { impulse, number: 1, phase: self.phases.get(place)?.name.clone(), turn })
    }

    /// Who opens a set of a player's (office 5, 6).
    #[must_use]
    pub fn revealer(&self, sealer: Player, kind: SetKind, purpose: &str) -> &Role {
        let purpose = Purpose::parse(kind, purpose);
        let phase = || self.phase(&purpose.as_ref()?.slot()?.phase).map(|(_, phase)| phase);
        let of_sheets = || self.phases.iter().find(|phase| phase.source == Source::Sheet);
        let opens_notes = || self.charter.office.as_ref()?.deposit.as_ref().filter(|deposits| deposits.notes);
        let revealer = match (kind, &purpose) {
            (SetKind::Coin | SetKind::Plain, _) => phase().map(|phase| phase.revealer),
            (SetKind::Sheet, _) => of_sheets().map(|phase| phase.revealer),
            (SetKind::FoulUp, _) => Some(self.charter.foul_up.revealer),
            (SetKind::Note, Some(Purpose::Note(_, name))) => {
                let fixed = phase().filter(|phase| phase.fixes_the_time_of(name));
                fixed.and_then(|_| opens_notes()).map(|_| Revealer::Office)
            }
            (SetKind::Note | SetKind::Contribution, _) => None,
        };
        match self.charter.office.as_ref().filter(|_| revealer == Some(Revealer::Office)) {
            Some(office) => &office.role,
            None => self.role(sealer),
        }
    }

    /// Whether the office is the revealer of what a seal commits to.
    #[must_use]
    pub fn is_offices(&self, seal: &Seal) -> bool {
        self.charter.office.as_ref().is_some_and(|office| office.role == seal.revealer)
    }
}
