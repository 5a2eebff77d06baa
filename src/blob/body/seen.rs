//! The letters by others that a head lists as seen (`protocol/chain.md` 3).

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::words::{Hex32, Role};
use crate::limits::SEEN;

/// For each other role, the last letter seen. This is a short list: a game has two or three other roles, and a map
/// would make a head ten times as large.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen(Vec<(Role, Option<Hex32>)>);

impl Seen {
    /// Creates the list for one role and its last letter seen.
    #[must_use]
    pub fn of(role: Role, letter: Option<Hex32>) -> Self {
        Self(vec![(role, letter)])
    }

    /// Records the last letter of a role.
    pub fn insert(&mut self, role: Role, letter: Option<Hex32>) {
        match self.0.binary_search_by(|(known, _)| known.cmp(&role)) {
            Ok(at) => self.0.iter_mut().skip(at).take(1).for_each(|entry| entry.1 = letter),
            Err(at) => self.0.insert(at, (role, letter)),
        }
    }

    /// Returns the last letter seen from a role.
    #[must_use]
    pub fn get(&self, role: &Role) -> Option<Hex32> {
        self.iter().find(|(known, _)| *known == role).and_then(|(_, letter)| letter)
    }

    /// Iterates over roles and letters, in the order of the roles.
    pub fn iter(&self) -> impl Iterator<Item = (&Role, Option<Hex32>)> {
        self.0.iter().map(|(role, letter)| (role, *letter))
    }

    /// Returns the ids of the last letters seen, in the order of their roles, without roles that have none.
    pub fn letters(&self) -> impl Iterator<Item = Hex32> + '_ {
        self.0.iter().filter_map(|(_, letter)| *letter)
    }
}

impl Serialize for Seen {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

struct SeenVisitor;

impl<'de> de::Visitor<'de> for SeenVisitor {
    type Value = Seen;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of roles")
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut entries: A) -> Result<Seen, A::Error> {
        let mut seen = Seen::default();
        while let Some((role, letter)) = entries.next_entry()? {
            if seen.0.len() == SEEN {
                return Err(de::Error::custom(format!("seen must have at most {SEEN} roles")));
            }
            seen.insert(role, letter);
        }
        // An audit keeps the list of every letter.
        seen.0.shrink_to_fit();
        Ok(seen)
    }
}

impl<'de> Deserialize<'de> for Seen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SeenVisitor)
    }
}
