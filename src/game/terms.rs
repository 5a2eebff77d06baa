//! The terms of a game: its players, its phases and their systems (`protocol/charter.md`).

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
    /// Both players, in the charter's order.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// Returns the opponent of this player.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// An author of letters in a game: a player, the referee or the office, in the order of replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Author {
    /// One of the two players.
    Player(Player),
    /// The referee, who settles disputes.
    Referee,
    /// The office, which opens envelopes immediately or only keeps the time.
    Office,
}

impl Author {
    /// All authors, in the order of replay.
    pub const ALL: [Self; 4] = [Self::Player(Player::First), Self::Player(Player::Second), Self::Referee, Self::Office];

    /// Returns the player, if the author is one.
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
    /// Returns the value for a player.
    pub const fn of(&self, player: Player) -> &T {
        match player {
            Player::First => &self.0,
            Player::Second => &self.1,
        }
    }

    /// Returns a mutable reference to the value for a player.
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
    /// The phases, with their systems ready.
    pub phases: Vec<Phase>,
}

/// A phase, with its system ready.
#[derive(Clone, Debug)]
pub struct Phase {
    /// Name of the phase.
    pub name: Name,
    /// The declarer; `None` if the system's state determines the declarer (courses 17).
    pub declarer: Option<Player>,
    /// The impulses that contain the phase.
    pub impulses: Vec<u64>,
    /// The source of the dice.
    pub source: body::Source,
    /// Whether only the declarer knows its rolls at first (secrets 1).
    pub private: bool,
    /// The revealer, who opens the dice.
    pub revealer: Revealer,
    /// The decisions that must be signed before a declaration.
    pub decisions: Vec<Decision>,
    /// The system of the phase, with its settings read.
    pub system: System,
    /// The number of envelopes in a coin set for the phase, if its source is coin.
    pub envelopes: Option<u64>,
}

impl Phase {
    /// Whether a player declares the phase, or may do so if the state determines the declarer.
    #[must_use]
    pub fn may_be_declared_by(&self, player: Player) -> bool {
        self.declarer.is_none_or(|declarer| declarer == player)
    }

    /// Returns the course of the phase's system, if that system continues from turn to turn (courses 1).
    #[must_use]
    pub fn course(&self) -> Option<&dyn Course> {
        self.system.resolver().course()
    }

    /// Returns the hidden part of the phase's course, if the course is hidden (hidden 1).
    #[must_use]
    pub fn hidden(&self) -> Option<&dyn Hidden> {
        self.course().and_then(Course::hidden)
    }

    /// Returns the kind of set that supplies the phase's dice.
    #[must_use]
    pub const fn set_kind(&self) -> SetKind {
        match self.source {
            Source::Coin => SetKind::Coin,
            Source::Sheet => SetKind::Sheet,
            Source::Plain => SetKind::Plain,
        }
    }

    /// Whether both players give simultaneous orders for the phase (secrets 9).
    #[must_use]
    pub fn is_ordered(&self) -> bool {
        self.decisions.iter().any(|decision| decision.by == By::Both)
    }

    /// Whether declarations of the phase find standing notes (courses 12, 18, hidden 1).
    #[must_use]
    pub fn finds_notes(&self) -> bool {
        self.course().is_some_and(|course| course.hidden().is_none() && !course.takes_orders())
    }

    /// Returns the decision with a given name.
    #[must_use]
    pub fn decision(&self, name: &Name) -> Option<&Decision> {
        self.decisions.iter().find(|decision| decision.name == *name)
    }

    /// Whether the rules fix when a note with this name is due: a choice, or a standing note (office 5, 6).
    fn fixes_the_time_of(&self, note: &Name) -> bool {
        let is_chosen = self.decision(note).is_some_and(|decision| decision.by.is_sealed());
        is_chosen || note.as_str() == STANDING && self.finds_notes()
    }
}

/// A decision that must be signed before a declaration of a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Name of the decision.
    pub name: Name,
    /// The form of the decision, and its author.
    pub by: By,
}

/// The form of a decision, and its author (secrets 7, 9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A decision by this player that everyone can read.
    Open(Player),
    /// A decision by this player, in a note that is opened after the declaration.
    Sealed(Player),
    /// A decision by both players, in notes that are opened before the declaration.
    Both,
}

impl By {
    /// Whether the decision is signed as a note.
    #[must_use]
    pub const fn is_sealed(self) -> bool {
        !matches!(self, Self::Open(_))
    }

    /// Whether a player signs the decision.
    #[must_use]
    pub fn includes(self, player: Player) -> bool {
        match self {
            Self::Open(by) | Self::Sealed(by) => by == player,
            Self::Both => true,
        }
    }
}

/// The sort key of a slot (charter 20).
pub type SlotKey = (u64, u64, usize, u64);

impl Terms {
    /// Returns all authors of letters, with their roles, in the order of replay.
    pub fn authors(&self) -> impl Iterator<Item = (Author, &Role)> {
        let players = Player::BOTH.map(|player| (Author::Player(player), self.role(player)));
        let referee = self.charter.referee.iter().map(|referee| (Author::Referee, &referee.role));
        let office = self.charter.office.iter().map(|office| (Author::Office, &office.role));
        players.into_iter().chain(referee).chain(office)
    }

    /// Returns the holders of deposits, with the terms of their deposits (deposits 1, office 1).
    pub fn holders(&self) -> impl Iterator<Item = (Author, &Deposits)> {
        let referee = self.charter.referee.as_ref().and_then(|referee| referee.deposit.as_ref());
        let office = self.charter.office.as_ref().and_then(|office| office.deposit.as_ref());
        let referee = referee.map(|deposits| (Author::Referee, deposits));
        referee.into_iter().chain(office.map(|deposits| (Author::Office, deposits)))
    }

    /// Returns the office, if it is a time witness, which holds no keys (office 34).
    #[must_use]
    pub fn time_witness(&self) -> Option<&Third> {
        self.charter.office.as_ref().filter(|office| office.deposit.is_none())
    }

    /// Returns the role of the holder whose deposits are wrapped to a key.
    #[must_use]
    pub fn holder_of(&self, key: &Hex32) -> Option<&Role> {
        let (author, _) = self.holders().find(|(_, to)| to.key == *key)?;
        self.role_of(author)
    }

    /// Returns the author with a given role.
    #[must_use]
    pub fn author_of(&self, role: &Role) -> Option<Author> {
        self.authors().find(|(_, other)| *other == role).map(|(author, _)| author)
    }

    /// Returns the role of an author.
    #[must_use]
    pub fn role_of(&self, author: Author) -> Option<&Role> {
        self.authors().find(|(other, _)| *other == author).map(|(_, role)| role)
    }

    /// Returns the public key of an author in the charter.
    #[must_use]
    pub fn key_of(&self, author: Author) -> Option<Hex32> {
        match author {
            Author::Player(player) => Some(self.party(player).key),
            Author::Referee => self.charter.referee.as_ref().map(|referee| referee.key),
            Author::Office => self.charter.office.as_ref().map(|office| office.key),
        }
    }

    /// Returns the roles that the `seen` of an author's letters must list, in order (chain 3).
    pub fn seen_by(&self, author: Author) -> impl Iterator<Item = &Role> {
        let others = self.authors().filter(move |(other, _)| *other != author).map(|(_, role)| role);
        let mut others: Vec<&Role> = others.collect();
        others.sort();
        others.into_iter()
    }

    /// Returns the player with a given role.
    #[must_use]
    pub fn player(&self, role: &Role) -> Option<Player> {
        Player::BOTH.into_iter().find(|player| self.role(*player) == role)
    }

    /// Returns a player's entry in the charter.
    #[must_use]
    pub const fn party(&self, player: Player) -> &body::Party {
        let [first, second] = &self.charter.parties;
        match player {
            Player::First => first,
            Player::Second => second,
        }
    }

    /// Returns the role of a player.
    #[must_use]
    pub const fn role(&self, player: Player) -> &Role {
        &self.party(player).role
    }

    /// Returns the phase with a given name, and its place in the charter.
    #[must_use]
    pub fn phase(&self, name: &Name) -> Option<(usize, &Phase)> {
        self.phases.iter().enumerate().find(|(_, phase)| phase.name == *name)
    }

    /// Returns the phase of a slot, and the slot's place in the order of slots, if the slot is possible (charter 19,
    /// 20).
    #[must_use]
    pub fn slot(&self, slot: &Slot) -> Option<(SlotKey, &Phase)> {
        let (place, phase) = self.phase(&slot.phase)?;
        let possible = slot.turn.max(slot.number) <= Slot::LAST && phase.impulses.contains(&slot.impulse);
        possible.then_some(((slot.turn, slot.impulse, place, slot.number), phase))
    }

    /// Returns the phase of a slot, if the slot is possible.
    #[must_use]
    pub fn phase_at(&self, slot: &Slot) -> Option<&Phase> {
        self.slot(slot).map(|(_, phase)| phase)
    }

    /// Returns the phase of a slot, if the slot is possible and belongs to a course.
    #[must_use]
    pub fn course_at(&self, slot: &Slot) -> Option<&Phase> {
        self.phase_at(slot).filter(|phase| phase.course().is_some())
    }

    /// Whether a slot is possible and belongs to a course.
    #[must_use]
    pub fn is_of_course(&self, slot: &Slot) -> bool {
        self.course_at(slot).is_some()
    }

    /// Whether a slot belongs to a course that takes orders (courses 18).
    #[must_use]
    pub fn takes_orders(&self, slot: &Slot) -> bool {
        self.phase_at(slot).and_then(Phase::course).is_some_and(Course::takes_orders)
    }

    /// Whether a slot belongs to a hidden course.
    #[must_use]
    pub fn is_of_hidden(&self, slot: &Slot) -> bool {
        self.hidden_at(slot).is_some()
    }

    /// Returns the hidden course of a slot.
    #[must_use]
    pub fn hidden_at(&self, slot: &Slot) -> Option<&dyn Hidden> {
        self.phase_at(slot).and_then(Phase::hidden)
    }

    /// Returns the turn, impulse and phase of a slot, in the order of slots.
    #[must_use]
    pub fn place(&self, slot: &Slot) -> Option<(u64, u64, usize)> {
        self.slot(slot).map(|((turn, impulse, phase, _), _)| (turn, impulse, phase))
    }

    /// Returns the phases of a course, with their places in the charter.
    fn phases_of(&self, system: &str) -> impl Iterator<Item = (usize, &Phase)> {
        self.phases.iter().enumerate().filter(move |(_, phase)| phase.system.name() == system)
    }

    /// Returns the courses of a game, each with its first phase, in the order of these phases (courses 22).
    pub fn courses(&self) -> impl Iterator<Item = (&Phase, &dyn Course)> {
        let is_first = |(i, phase): &(usize, &Phase)| {
            self.phases_of(phase.system.name()).next().is_some_and(|(first, _)| first == *i)
        };
        let firsts = self.phases.iter().enumerate().filter(is_first);
        firsts.filter_map(|(_, phase)| Some((phase, phase.course()?)))
    }

    /// Returns the first phase of each course except the course of the given phase.
    pub fn other_courses(&self, phase: &Phase) -> impl Iterator<Item = &Phase> {
        self.courses().map(|(other, _)| other).filter(|other| other.system.name() != phase.system.name())
    }

    /// Returns the initial state of the course of a phase (courses 1).
    ///
    /// # Errors
    /// [`Error::Refused`] if the phase does not belong to a course.
    pub fn begin(&self, phase: &Phase) -> Result<Object> {
        let system = phase.system.name();
        match self.charter.continues.as_ref().and_then(|continues| continues.states.get(system)) {
            Some(state) => Ok(state.clone()),
            None => match phase.course() {
                Some(course) => course.begin(),
                None => Err(Error::Refused(format!("{system} does not have a course"))),
            },
        }
    }

    /// Returns the next place of a course after a slot, or its first place if there is no such slot: the slot with
    /// number 1.
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

    /// Returns the revealer of a player's set (office 5, 6).
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

    /// Whether the office is the revealer of a seal's set.
    #[must_use]
    pub fn is_offices(&self, seal: &Seal) -> bool {
        self.charter.office.as_ref().is_some_and(|office| office.role == seal.revealer)
    }
}
