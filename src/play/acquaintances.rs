//! The people that a player knows from their games: offered again when the terms of a new game are written.

use super::{failure::PlayResult, table::folders};
use crate::{
    blob::{Body, Hex32},
    keep::{
        home::Home,
        key_file::KeyFile,
        notes::{Note, Notes},
    },
    report::{text::visible, words::fingerprint},
};

/// A player in a game of this home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acquaintance {
    /// The player's name, safe to show.
    pub name: String,
    /// The short name that they sign with.
    pub role: String,
    /// Their public key.
    pub key: Hex32,
}

/// The people in the games of a home.
#[derive(Clone, Debug, Default)]
pub struct Acquaintances {
    /// The owner of the home, as a game calls them; `None` before their first game.
    pub own: Option<Acquaintance>,
    /// Their opponents, each key once, by name.
    pub others: Vec<Acquaintance>,
}

/// Lists the players in the terms of all games of a home. Of opponents it lists those to whom the owner proposed a game
/// or whose key they have compared, because anybody can send terms with any name.
///
/// # Errors
/// If there is no key.
pub fn acquaintances(home: &Home) -> PlayResult<Acquaintances> {
    let own = KeyFile::open(&home.key_file())?.public();
    let notes = Notes::of(home);
    let mut known = Acquaintances::default();
    for folder in folders(home) {
        let Some(terms) = folder.charter() else { continue };
        let Body::Charter(charter) = terms.message.body() else { continue };
        let is_own = charter.parties.iter().any(|party| party.key == own && party.role == terms.message.head().author);
        for party in &charter.parties {
            let (name, role) = (visible(&party.name), party.role.to_string());
            let met = Acquaintance { name, role, key: party.key };
            match party.key == own {
                true => known.own = Some(met),
                false if !(is_own || notes.say(Note::Compared, &fingerprint(&party.key))) => {}
                false if !known.others.iter().any(|other| other.key == met.key) => known.others.push(met),
                false => {}
            }
        }
    }
    known.others.sort_by(|one, next| one.name.cmp(&next.name));
    Ok(known)
}
