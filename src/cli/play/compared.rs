//! `key compared`: fingerprints were read by voice after a game had begun. The letters say for ever whether keys were
//! compared before it; this is the player's own note.

use super::{Answer, Table, Told, charter_file::same_fingerprint};
use crate::{
    blob::body::Hex32,
    cli::terminal::visible,
    keep::{
        home::Home,
        notes::{self, Note, Notes},
    },
    primitive::sign::PublicKey,
};

/// `key compared`.
pub(in crate::cli) fn run(home: &Home, typed: &str) -> Told<Answer> {
    let (tables, talk) = Table::all(home)?;
    for (name, key) in tables.iter().flat_map(Table::other_parties) {
        let key = PublicKey::parse(&key.0)?;
        if same_fingerprint(&key, typed) {
            if !Notes::of(home).say(Note::Compared, &key.fingerprint()) {
                notes::add(home, Note::Compared, &key.fingerprint())?;
            }
            return Ok(Answer::done(format!("{} {}\n", key.fingerprint(), visible(name)))
                .saying("noted for yourself; letters that say that the keys were not compared go on saying so"));
        }
    }
    let mut answer = Answer::refused(
        "this is the fingerprint of nobody in your games: listen again; if it stays so, somebody has put in another key, and \
         the game is not with the one whom you hear",
    );
    answer.talk.extend(talk);
    Err(answer)
}

impl Table {
    /// The others of the terms, the referee among them: name and key.
    fn other_parties(&self) -> impl Iterator<Item = (&str, Hex32)> {
        let players = self.terms.charter.parties.iter().map(|party| (&party.role, party.name.as_str(), party.key));
        let referee = &self.terms.charter.referee;
        let referee = referee.iter().map(|referee| (&referee.role, referee.name.as_str(), referee.key));
        players.chain(referee).filter(|(role, ..)| **role != self.role).map(|(_, name, key)| (name, key))
    }

    /// Whether this player has noted that he has compared everybody's key.
    pub(super) fn compares(&self, notes: &Notes) -> bool {
        self.other_parties()
            .all(|(_, key)| PublicKey::parse(&key.0).is_ok_and(|key| notes.say(Note::Compared, &key.fingerprint())))
    }
}
