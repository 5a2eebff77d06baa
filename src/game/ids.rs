//! Ids as people quote them. Only this module shortens ids and finds them by the digits that somebody typed: an author
//! can make two letters whose ids begin alike.

use std::{
    collections::BTreeSet,
    ops::Bound::{Excluded, Unbounded},
};

use crate::blob::Hex32;

/// Fewest digits shown of an id.
const FEWEST: usize = 8;

/// Ids that are shown together.
///
/// # Examples
///
/// ```
/// use sealed_dice::{blob::Hex32, game::ids::Ids};
///
/// let [one, other] = [Hex32([0xab; 32]), Hex32([0xcd; 32])];
/// let ids: Ids = [one, other].into_iter().collect();
/// assert_eq!(ids.short(&one), "abababab");
/// assert_eq!(ids.like("cd"), [other]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ids(BTreeSet<Hex32>);

impl FromIterator<Hex32> for Ids {
    fn from_iter<I: IntoIterator<Item = Hex32>>(ids: I) -> Self {
        Self(ids.into_iter().collect())
    }
}

impl Ids {
    /// Adds an id to those that are shown together.
    pub fn add(&mut self, id: Hex32) {
        self.0.insert(id);
    }

    /// Returns the first eight digits of an id, or as many more as distinguish it from all others.
    #[must_use]
    pub fn short(&self, id: &Hex32) -> String {
        let digits = id.to_string();
        let alike = |other: &Hex32| digits.chars().zip(other.to_string().chars()).take_while(|(a, b)| a == b).count();
        let beside = self.0.range(..id).next_back().into_iter().chain(self.0.range((Excluded(id), Unbounded)).next());
        let most = beside.map(|other| alike(other) + 1).max().unwrap_or_default();
        digits.chars().take(most.max(FEWEST)).collect()
    }

    /// Returns the ids that begin with these digits, ascending.
    #[must_use]
    pub fn like(&self, begins: &str) -> Vec<Hex32> {
        self.0.iter().filter(|id| id.to_string().starts_with(begins)).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(begins: &str) -> Hex32 {
        Hex32::parse(&format!("{begins:0<64}")).unwrap_or(Hex32([0; 32]))
    }

    #[test]
    fn ids_that_begin_alike_are_shown_with_the_digits_that_differ() {
        let ids: Ids = ["40a0ba9b1", "40a0ba9b7f", "40a0ba9b7e", "b2"].map(id).into_iter().collect();
        let short = |begins: &str| ids.short(&id(begins));
        assert_eq!(short("40a0ba9b1"), "40a0ba9b1");
        assert_eq!(short("40a0ba9b7e"), "40a0ba9b7e");
        assert_eq!(short("40a0ba9b7f"), "40a0ba9b7f");
        assert_eq!(short("b2"), "b2000000");
        // An id outside the set is distinguished too.
        assert_eq!(short("b2000000001"), "b2000000001");
        assert_eq!(ids.like("40a0ba9b7"), [id("40a0ba9b7e"), id("40a0ba9b7f")]);
        assert_eq!(Ids::default().short(&id("7")), "70000000");
    }
}
