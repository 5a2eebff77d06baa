//! A lost key: its owner asks to go on with another one, the opponent grants it, the referee admits it
//! (`protocol/keys.md` 6, 13).

use std::{collections::HashSet, path::PathBuf};

use super::{
    Answer, Stage, Table, Told, View,
    deposits::unnumbered,
    game::folder_name,
    index::Index,
    locked::Locked,
    read::letters_of,
    sign::{Signing, ask},
};
use crate::{
    blob::{
        Body, Kind, Verified,
        body::{Hex32, Role},
        new_keys::{AdmissionAsk, Admit, KeyChange, NewKey},
    },
    cli::terminal::visible,
    game::{
        charter::{Author, Player, Terms},
        keys::check_ask,
        steps::Seat,
    },
    keep::{
        folder::{Folder, Stored},
        home::Home,
        key_file::KeyFile,
        key_ring::KeyRing,
    },
    primitive::sign::PublicKey,
};

/// `game rejoin`: makes the games of a role again from the mails, and asks to be admitted with this machine's key.
pub(in crate::cli) fn rejoin(home: &Home, paths: &[PathBuf], role: &str, signing: &Signing) -> Told<Answer> {
    let role = Role::parse(role).ok_or_else(|| Answer::refused(format!("{role:?} is no role")))?;
    let (letters, mut talk) = letters_of(paths)?;
    let _home = home.lock()?;
    let keys: Vec<Hex32> = KeyRing::open(home)?.publics().collect();
    let (mut out, here) = (String::new(), Index::of(home)?);
    for charter in letters.iter().filter(|letter| letter.message.head().kind == Kind::Charter) {
        let Ok(terms) = Terms::parse(&charter.message) else { continue };
        let Some(player) = terms.player(&role).filter(|player| !keys.contains(&terms.party(*player).key)) else {
            continue;
        };
        if let Some(folder) = here.folder(&charter.message.id()) {
            let answer = ask_again(Locked::open(home, folder.clone())?, signing)?;
            out.push_str(&answer.out);
            talk.extend(answer.talk);
            continue;
        }
        let answer = begin_again(home, &terms, player, &letters, signing)?;
        out.push_str(&answer.out);
        talk.extend(answer.talk);
    }
    if out.is_empty() && signing.out.is_none() && talk.is_empty() {
        return Err(Answer::unable(format!("there is no game in these mails that {role} plays with another key")));
    }
    Ok(Answer { out, talk, ..Answer::default() })
}

/// A game that is at hand already: the question once more, if it still waits for its answer.
fn ask_again(table: Locked, signing: &Signing) -> Told<Answer> {
    let title = visible(&table.terms.charter.title);
    if !table.waits_outside() {
        let status = table.typing.command("game status");
        return Ok(Answer::done(String::new())
            .saying(format!("{title:?} is among your games already; {status}  says how it stands")));
    }
    let again = format!(
        "you have asked already in {title:?}; this is the same question, as  {}  prints it",
        table.typing.command("resend")
    );
    Ok(table.mail(signing, Some(&table.every_number()))?.saying(again))
}

fn begin_again(home: &Home, terms: &Terms, player: Player, letters: &[Stored], signing: &Signing) -> Told<Answer> {
    let title = visible(&terms.charter.title);
    if terms.charter.referee.is_none() {
        return Err(Answer::refused(format!(
            "the terms of {title:?} name no referee, so that no new key can be admitted: begin a rematch with your opponent"
        )));
    }
    let games = letters.iter().map(|letter| &letter.message).filter(|letter| terms.begins_game(letter));
    let games: HashSet<Hex32> = games.map(Verified::id).collect();
    if games.is_empty() {
        return Err(Answer::refused(format!(
            "the mails hold the terms of {title:?}, but not the letter that accepts them"
        )));
    }
    let is_of_terms = |letter: &&Stored| {
        let of = letter.message.head().game;
        letter.message.id() == terms.id || of.is_some_and(|of| of == terms.id || games.contains(&of))
    };
    let stored: Vec<Stored> = letters.iter().filter(is_of_terms).cloned().collect();
    let name = folder_name(home, &terms.charter.title);
    let lock = Folder::create(&home.games().join(&name))?.lock()?;
    let own = KeyFile::open(&home.key_file())?.public();
    let folder = lock.folder().clone();
    let table = Table::at(home, folder, stored, Vec::new(), terms.clone(), Author::Player(player), &[own])?;
    let mut table = Locked::new(table, lock);
    let fingerprint = PublicKey::parse(&own.0).map(|key| key.fingerprint()).unwrap_or_default();
    let after = table.view(|view| {
        if let Some(missing) = view.order.missing.values().find(|missing| missing.author.as_ref() == Some(&table.role)) {
            let number = missing.number.map_or_else(String::new, |number| format!(" {number}"));
            return Err(Answer::refused(format!(
                "your own letter{number} of {title:?} is not among these mails: ask the others for `sealed-dice resend --everything`"
            )));
        }
        let last = view.ledger.last_letter(player).map(|node| node.id());
        last.ok_or_else(|| Answer::refused("there is no letter of yours among these mails"))
    })?;
    let lines =
        [format!("I have lost my key; let me go on in {title:?} after my letter {after} with the key {fingerprint}")];
    signing.check_out()?;
    ask(&lines, signing)?;
    let keys = signing.unlock(home)?;
    let signer = keys.of(own)?.signing().clone();
    let letter = table.view(|view| {
        let seat = Seat::resume(view.ledger, player, signer.clone(), keys.of(own)?.vault().clone());
        let game = view.ledger.game;
        let proof = NewKey { game, role: seat.role(), after, key: own }.prove(&signer);
        unnumbered(game, &seat, Body::Key(KeyChange::Ask(AdmissionAsk { after, proof })), &signer)
    })?;
    for stored in table.all_letters() {
        table.lock.keep(&stored.message, &stored.frame)?;
    }
    // A question is in no chain.
    table.lock.keep(&letter.message, &letter.frame)?;
    table.stored.push(Stored { message: letter.message, frame: letter.frame });
    // The others may lack letters of his, and the admission follows the last one.
    table
        .mail(signing, Some(&table.every_number()))
        .map(|answer| answer.saying(format!("{name}: read your new fingerprint to the others by voice: {fingerprint}")))
}

/// `key admit`: grants that the other player has lost his key, and goes on with the one whose fingerprint he has read aloud.
pub(in crate::cli) fn admit(home: &Home, name: Option<&str>, fingerprint: &str, signing: &Signing) -> Told<Answer> {
    let table = Locked::find(home, name, |table| table.is_asked_by(fingerprint))?;
    let asks: Vec<(Hex32, AdmissionAsk, Role)> = table
        .pleas()
        .map(|(message, ask)| (message.key(), ask.clone(), message.head().author.clone()))
        .filter(|(key, ..)| {
            PublicKey::parse(&key.0).is_ok_and(|key| super::charter_file::same_fingerprint(&key, fingerprint))
        })
        .collect();
    let Some((key, ask, player)) = asks.last().cloned() else {
        return Err(Answer::refused(
            "nobody has asked to be admitted with a key of this fingerprint; read the mail with his question first, and let him \
             read the fingerprint to you again",
        ));
    };
    let command = table.typing.command("resend --everything");
    let answer = table.sign(home, signing, move |view| {
        if view.terms.charter.referee.is_none() {
            return Err(Answer::refused("without a referee no key is admitted: begin a rematch"));
        }
        let last = view.terms.author_of(&player).and_then(|author| view.ledger.last_to_follow(Author::Player(view.me), author));
        if last.map(|last| last.id()) != Some(ask.after) {
            return Err(Answer::refused(format!(
                "{player} asks to go on after another letter than his last one here: mail him all of it with  {}  and let him ask again",
                command
            )));
        }
        Ok(vec![Body::Key(KeyChange::Admit(Admit { after: ask.after, key, player, proof: ask.proof }))])
    })?;
    // He has heard it.
    super::compared::note(home, &key)?;
    Ok(answer)
}

/// What stands in the way of somebody who has lost his key.
pub(super) const NOT_ADMITTED: &str =
    "your new key is not admitted yet: your opponent grants it (`sealed-dice key admit`), then the referee admits it";

impl Table {
    /// Whether somebody else has asked to go on with the key of a fingerprint.
    fn is_asked_by(&self, fingerprint: &str) -> bool {
        let mut asks = self.stored.iter().filter(|letter| {
            let ask = matches!(letter.message.body(), Body::Key(KeyChange::Ask(_)));
            ask && letter.message.head().author != self.role
        });
        asks.any(|letter| {
            PublicKey::parse(&letter.message.key().0)
                .is_ok_and(|key| super::charter_file::same_fingerprint(&key, fingerprint))
        })
    }

    /// Whether this party has asked to be let in with another key.
    pub(super) fn has_asked_in(&self) -> bool {
        self.stored.iter().any(|letter| self.is_own_plea(&letter.message))
    }

    /// Whether it has, and nobody has let it in yet.
    pub(super) fn waits_outside(&self) -> bool {
        self.has_asked_in() && self.key_in_force().is_err()
    }

    /// Whether this party's new key is admitted and has signed nothing yet: the admission says which letter is his last.
    pub(super) fn is_admitted(&self) -> bool {
        let lost = self.last_of(&self.role).is_some_and(|last| !self.keys.contains(&last.key()));
        lost && self.keys.iter().any(|key| self.is_granted(&self.role, key))
    }

    /// Whether a message is this party's own question to be admitted.
    pub(super) fn is_own_plea(&self, message: &Verified) -> bool {
        matches!(message.body(), Body::Key(KeyChange::Ask(_))) && message.head().author == self.role
    }

    /// The questions of others who have lost their keys, oldest first, as far as nobody has granted them yet.
    pub(super) fn pleas(&self) -> impl Iterator<Item = (&Verified, &AdmissionAsk)> {
        let own = self.stored.iter().filter(|letter| letter.message.head().author == self.role);
        let granted = own.filter_map(|letter| match letter.message.body() {
            Body::Key(KeyChange::Admit(admit)) => Some(admit.key),
            _ => None,
        });
        let granted: HashSet<Hex32> = granted.collect();
        self.stored.iter().filter_map(move |letter| match letter.message.body() {
            Body::Key(KeyChange::Ask(ask))
                if letter.message.head().author != self.role && !granted.contains(&letter.message.key()) =>
            {
                Some((&letter.message, ask))
            }
            _ => None,
        })
    }

    /// Whether a message asks for the admission of a player's key to this game, with its proof.
    pub(super) fn is_plea(&self, message: &Verified) -> bool {
        let Stage::Begun(game) = self.stage else { return false };
        let player = self.terms.player(&message.head().author).is_some();
        player && matches!(message.body(), Body::Key(KeyChange::Ask(ask)) if check_ask(game, message, ask).is_ok())
    }
}

impl View<'_, '_> {
    /// The sets of this player that nothing on this machine can open any more: their keys went with a key that was lost.
    pub(super) fn lost_seals(&self) -> impl Iterator<Item = Hex32> {
        self.ledger.seals(self.me).iter().copied().filter(|seal| self.is_lost(seal))
    }

    /// Whether a set of his is one of these.
    pub(super) fn is_lost(&self, seal: &Hex32) -> bool {
        self.ledger.set(seal).is_some_and(|set| !self.keys.contains(&set.node.message.key()))
    }
}
