//! The terms of a game, parsed from its charter (`protocol/charter.md`): roles become players, settings become systems.

use std::collections::BTreeSet;

use crate::{
    blob::{
        Body, Verified,
        body::{self, Consequence, Hex32, Name, Remedy, Role, Slot},
    },
    error::{Class, Error, Result},
    resolve::System,
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
    /// Who declares.
    pub declarer: Player,
    /// The impulses that have it.
    pub impulses: Vec<u64>,
    /// Where its dice come from.
    pub source: body::Source,
    /// What must be signed before a declaration, and by whom.
    pub decisions: Vec<(Name, Player)>,
    /// Its system.
    pub system: System,
    /// Envelopes of a coin set for it, if its source is coin.
    pub envelopes: Option<u64>,
}

/// The order of slots (charter 9).
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
        let breach = |text: String| Error::breach("charter 4", text);
        if first.role == second.role || first.key == second.key {
            return Err(breach("the players must differ in role and key".into()));
        }
        let mut terms = Self { id: message.id(), author, charter: (**charter).clone(), phases: Vec::new() };
        let opponent = terms.role(author.other());
        if message.head().seen.iter().ne([(opponent, None)]) {
            return Err(breach("a charter's seen has the other role alone, and null".into()));
        }
        terms.phases = terms.settle_phases()?;
        terms.check_penalties()?;
        Ok(terms)
    }

    fn settle_phases(&self) -> Result<Vec<Phase>> {
        let mut names = BTreeSet::new();
        let phases = self.charter.phases.iter().map(|phase| {
            let breach = |text: String| Error::breach("charter 4", format!("phase {}: {text}", phase.name));
            if !names.insert(&phase.name) {
                return Err(breach("the name stands twice".into()));
            }
            let system = System::settle(&phase.system, &phase.settings, &self.charter.tables)
                .map_err(|error| breach(error.to_string()))?;
            if system.resolver().source() != phase.source {
                return Err(breach(format!("{} does not take its dice from this source", phase.system)));
            }
            let mut decisions = Vec::new();
            for decision in &phase.decisions {
                if decisions.iter().any(|(name, _)| *name == decision.name) {
                    return Err(breach(format!("the decision {} stands twice", decision.name)));
                }
                decisions.push((decision.name.clone(), self.named_player(&decision.by)?));
            }
            Ok(Phase {
                name: phase.name.clone(),
                declarer: self.named_player(&phase.declarer)?,
                impulses: phase.impulses.clone(),
                source: phase.source,
                decisions,
                envelopes: match &system {
                    System::CoinEnvelopes(coin) => Some(coin.envelopes()),
                    System::Icrk(_) => None,
                },
                system,
            })
        });
        phases.collect()
    }

    fn check_penalties(&self) -> Result<()> {
        let charter = &self.charter;
        for penalty in &charter.penalties {
            self.named_player(&penalty.applied_by)?;
        }
        let remedies = &charter.foul_up.remedies;
        let redo = [remedies.illegal_move, remedies.illegal_odds, remedies.wrong_list].contains(&Remedy::Redo)
            || charter.penalties.iter().any(|penalty| penalty.consequence == Consequence::Redo);
        if charter.hard_core && redo {
            return Err(Error::breach("charter 4", "hard core knows no redo: what is signed stays"));
        }
        Ok(())
    }

    fn named_player(&self, role: &Role) -> Result<Player> {
        self.player(role).ok_or_else(|| Error::breach("charter 4", format!("{role} is no player of this game")))
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

    /// The phase of a slot, and the slot's place in the order of slots, if the slot is possible (charter 8, 9).
    #[must_use]
    pub fn slot(&self, slot: &Slot) -> Option<(SlotKey, &Phase)> {
        let (place, phase) = self.phase(&slot.phase)?;
        phase.impulses.contains(&slot.impulse).then_some(((slot.turn, slot.impulse, place, slot.number), phase))
    }

    /// That a letter's key is the charter's for its author (message 13).
    ///
    /// # Errors
    /// Class `game`; nobody is blamed, for the letter only names its author.
    pub fn check_key(&self, message: &Verified) -> Result<Player> {
        let author = &message.head().author;
        let player = self.player(author).filter(|player| self.party(*player).key == message.key());
        player.ok_or_else(|| {
            Error::malformed(
                Class::Game,
                format!(
                    "the letter says that it is by {author}, but is not signed with the charter's key for that role"
                ),
            )
        })
    }
}
