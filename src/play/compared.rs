//! The fingerprints that a player has compared by voice. Comparisons before the game are permanently recorded in its
//! letters; later ones only in the player's own notes.

use super::{
    failure::{Failure, PlayResult},
    session::Person,
    table::Table,
};
use crate::{
    blob::{
        Body, Hex32,
        body::{Charter, Role},
    },
    keep::{
        home::Home,
        key_file::KeyFile,
        notes::{self, Note, Notes},
    },
    primitive::sign::PublicKey,
    report::{text::visible, words::fingerprint},
};

/// A party whose key the terms name.
#[derive(Clone, Copy)]
pub(super) struct Keyed<'t> {
    pub(super) role: &'t Role,
    name: &'t str,
    key: Hex32,
}

impl<'t> Keyed<'t> {
    /// Makes the entry for a player in the terms.
    pub(super) fn of(party: &'t crate::blob::body::Party) -> Self {
        Self { role: &party.role, name: &party.name, key: party.key }
    }

    /// Makes the entries for the referee and the office.
    pub(super) fn of_third(charter: &'t Charter) -> impl Iterator<Item = Self> {
        let referee = charter.referee.iter().map(|referee| (&referee.role, &referee.name, referee.key));
        let office = charter.office.iter().map(|office| (&office.role, &office.name, office.key));
        referee.chain(office).map(|(role, name, key)| Self { role, name, key })
    }

    /// Whether a typed fingerprint matches this party's key.
    fn reads(&self, typed: &str) -> bool {
        PublicKey::parse(&self.key.0).is_ok_and(|key| same_fingerprint(&key, typed))
    }

    /// Whether this party's key is among `keys`.
    pub(super) fn is_one_of(&self, keys: &[Hex32]) -> bool {
        keys.contains(&self.key)
    }

    /// Records that the player has compared this party's fingerprint by voice.
    pub(super) fn note(&self, home: &Home) -> PlayResult<()> {
        note(home, &self.key)
    }

    fn in_words(&self) -> String {
        format!("{} ({}), {}", visible(self.name), self.role, fingerprint(&self.key))
    }

    /// Reports whether this party's key was compared, for a player who is about to sign terms that name it.
    pub(super) fn tell(&self, is_compared: bool) -> String {
        match is_compared {
            true => format!("you have compared the key of {}", self.in_words()),
            false => format!(
                "NOT COMPARED: the key of {}. Have them read its fingerprint to you by voice, and note it with \
                 `sealed-dice key compared`: anyone who carries the first mails could put in their own key",
                self.in_words()
            ),
        }
    }
}

const OWN: &str = "this is your own fingerprint: type the one that the other person reads to you (`sealed-dice key \
                   show` prints it for them)";

/// Checks that a typed fingerprint is not the player's own, which proves nothing.
pub(super) fn check_not_own(own: Hex32, typed: &str) -> PlayResult<()> {
    match PublicKey::parse(&own.0).is_ok_and(|key| same_fingerprint(&key, typed)) {
        true => Err(Failure::refused(OWN)),
        false => Ok(()),
    }
}

const NOBODYS: &str = "have it read to you again. If it still does not match, somebody has put in another key, and";

/// Records that a party in a game of this home has read out a fingerprint by voice after the game began, and returns
/// whose it is. The letters' statements about the two players' keys do not change.
///
/// # Errors
/// If the fingerprint matches no party's key, or is this player's own.
pub fn compare(home: &Home, typed: &str) -> PlayResult<String> {
    check_not_own(KeyFile::open(&home.key_file())?.public(), typed)?;
    let (tables, unread) = Table::all(home)?;
    for table in &tables {
        if let Some(party) = table.other_parties().find(|party| party.reads(typed)) {
            note(home, &party.key)?;
            return Ok(format!("{} {}", fingerprint(&party.key), visible(party.name)));
        }
    }
    if tables.is_empty() && unread.is_empty() {
        return Err(Failure::refused(
            "you have no games yet, so there is no key to compare: keep the fingerprint, and type it when you propose \
             or accept the terms of a game",
        ));
    }
    let mut failure = Failure::refused(format!(
        "nobody in your games has this fingerprint: {NOBODYS} you are not playing with the person who reads it"
    ));
    failure.why.extend(unread);
    Err(failure)
}

/// Records that the owner of a key has read its fingerprint aloud.
pub(super) fn note(home: &Home, key: &Hex32) -> PlayResult<()> {
    let fingerprint = fingerprint(key);
    if !Notes::of(home).say(Note::Compared, &fingerprint) {
        notes::add(home, Note::Compared, &fingerprint)?;
    }
    Ok(())
}

impl Table {
    /// Lists the other parties in the terms, the referee last.
    pub(super) fn other_parties(&self) -> impl Iterator<Item = Keyed<'_>> {
        let players = self.terms.charter.parties.iter().map(Keyed::of);
        let all = players.chain(Keyed::of_third(&self.terms.charter));
        all.filter(|party| *party.role != self.role)
    }

    /// Returns each other party with whether their key was compared before the terms are accepted, according to typed
    /// fingerprints, earlier notes, or the person's answer.
    pub(super) fn compare(&self, person: &dyn Person, typed: &[String]) -> PlayResult<Vec<(Keyed<'_>, bool)>> {
        let wrong = |typed: &str| {
            Failure::refused(format!(
                "{typed} is not the fingerprint of the key in the terms: {NOBODYS} you must not accept the terms"
            ))
        };
        typed.iter().try_for_each(|typed| check_not_own(self.key, typed))?;
        if let Some(stranger) = typed.iter().find(|typed| !self.other_parties().any(|party| party.reads(typed))) {
            return Err(wrong(stranger));
        }
        let compare = |party: Keyed<'_>| {
            // A fingerprint noted earlier need not be typed again.
            let noted = || self.notes.say(Note::Compared, &fingerprint(&party.key));
            if typed.iter().any(|typed| party.reads(typed)) || noted() {
                return Ok(true);
            }
            let asked = if typed.is_empty() { person.hears_fingerprint(&visible(party.name)) } else { None };
            match asked.as_deref().map(str::trim) {
                None | Some("") => Ok(false),
                Some(typed) if party.reads(typed) => Ok(true),
                Some(typed) => {
                    check_not_own(self.key, typed)?;
                    Err(wrong(typed))
                }
            }
        };
        self.other_parties().map(|party| Ok((party, compare(party)?))).collect()
    }

    /// Whether this player has compared a party's key, according to their notes or to their own signed letters.
    pub(super) fn has_compared(&self, role: &Role) -> bool {
        let named = self.other_parties().find(|party| party.role == role);
        let noted = |key: &Hex32| self.notes.say(Note::Compared, &fingerprint(key));
        named.is_some_and(|party| noted(&party.key) || self.says_compared(role))
    }

    /// Whether this player's own charter or accept states that they have compared their opponent's key.
    pub(super) fn says_compared(&self, role: &Role) -> bool {
        let opponent = self.me.player().is_some_and(|me| self.terms.role(me.other()) == role);
        let accepted = self.stored.iter().any(|letter| {
            let own = letter.message.head().author == self.role;
            own && matches!(letter.message.body(), Body::Accept(body) if body.compared)
        });
        opponent && if self.is_mine() { self.terms.charter.compared } else { accepted }
    }

    /// Lists the parties' keys, and which of them this player has compared.
    pub(super) fn keys_in_words(&self) -> Vec<String> {
        let compared = |party: &Keyed<'_>| self.has_compared(party.role);
        let line = |party: Keyed<'_>| {
            format!("{}, {}", party.in_words(), if compared(&party) { "compared" } else { "not compared" })
        };
        let hint = (!self.other_parties().all(|party| compared(&party))).then(|| {
            format!(
                "to compare a key, have its owner read the fingerprint to you by voice, then type  {} key compared \
                 FINGERPRINT",
                self.typing.program
            )
        });
        self.other_parties().map(line).chain(hint).collect()
    }
}

/// Whether a typed fingerprint matches a key; blanks and case are ignored. A fingerprint has no 0 and no 1, so these
/// stand for the letters that sound or look like them.
pub(super) fn same_fingerprint(key: &PublicKey, typed: &str) -> bool {
    let letter = |c: char| match c {
        '0' => 'O',
        '1' => 'I',
        c => c.to_ascii_uppercase(),
    };
    let plain = |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != '-').map(letter).collect::<String>();
    plain(&key.fingerprint()) == plain(typed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitive::{secret::Secret, sign::PrivateKey};

    #[test]
    fn a_fingerprint_may_be_typed_as_it_is_heard() {
        let keys: Vec<PublicKey> =
            (0..40).map(|seed| PrivateKey::from_seed(&Secret::new([seed; 32])).public()).collect();
        let heard = |key: &PublicKey| key.fingerprint().to_lowercase().replace('o', "0").replace('i', "1");
        assert!(keys.iter().any(|key| heard(key).contains('0')) && keys.iter().any(|key| heard(key).contains('1')));
        for (at, key) in keys.iter().enumerate() {
            let same = keys.iter().filter(|other| same_fingerprint(other, &heard(key)));
            assert_eq!(same.count(), 1, "{at}");
        }
    }
}
