//! `key rotate`: a new key for a player, in every game of his (`protocol/keys.md`, Rotation). Whatever interrupts it, the
//! same command goes on where it stopped.

use std::fs;

use super::{
    Answer, Stage, Table, Told,
    locked::Locked,
    sign::{Signing, ask},
};
use crate::{
    blob::{
        Body, Head, Hex32, Kind, Verified,
        new_keys::{KeyChange, NewKey, Rotate},
    },
    game::steps::{Letter, Seat},
    keep::{
        Trouble,
        folder::Stored,
        home::{Home, make_private},
        key_file::KeyFile,
        key_ring::{KeyRing, Unlocked},
        root::Root,
    },
    primitive::sign::PublicKey,
};

/// `key rotate`.
pub(in crate::cli) fn run(home: &Home, stolen: bool, signing: &Signing) -> Told<Answer> {
    // Whatever signs with the present key waits until the new one is there.
    let _home = home.lock()?;
    let (tables, mut talk) = Locked::all(home)?;
    let next = home.next_key_file();
    let present = KeyFile::open(&home.key_file())?;
    let mut steps = vec![format!("a new key takes the place of {}, in every game of yours", present.fingerprint())];
    for table in &tables {
        match table.last_before_thief(present.public(), stolen)? {
            Some(last) => steps.push(format!(
                "{}: your letters after number {} were not signed on this machine; they count as a thief's, and yours goes on behind it",
                table.name(),
                last.message.head().number
            )),
            None if table.runs_under(present.public())? => {
                table.with_order(|order| table.check_machine(order)).map_err(|answer| named(table, answer))?;
            }
            None => {}
        }
    }
    ask(&steps, signing)?;
    if !next.exists() {
        let (old, passphrase) = signing.root(home)?;
        make_private(&home.old_keys()).map_err(|error| Trouble::with(&home.old_keys(), "made", &error))?;
        let kept = home.old_keys().join(format!("{}.txt", present.fingerprint().replace(' ', "")));
        if !kept.exists() {
            KeyFile::create(&kept, old, passphrase.as_ref())?;
        }
        KeyFile::create(&next, Root::random()?, passphrase.as_ref())?;
    }
    let new = KeyFile::open(&next)?;
    let keys = signing.unlock(home)?;
    let known: Vec<Hex32> = KeyRing::open(home)?.publics().collect();
    let mut handed = Vec::new();
    for mut table in tables {
        table.keys.clone_from(&known);
        let last = table.last_before_thief(present.public(), stolen)?.cloned();
        let is_behind = last.is_some();
        if is_behind || table.runs_under(present.public())? {
            table.check_files()?;
            let letter = match last {
                Some(last) => table.rotate_behind(&last, &new, &keys)?,
                None => table.rotate(&new, &keys, stolen)?,
            };
            table.judge(std::slice::from_ref(&letter)).map_err(|answer| named(&table, answer))?;
            handed.push((table, letter, is_behind));
        }
    }
    // Only once they are all good: a key is not to change in some games alone.
    for (mut table, letter, is_behind) in handed {
        match is_behind {
            true => table.keep_anyway(vec![letter])?,
            false => table.keep(vec![letter])?,
        }
        talk.push(format!("{}: mail the new key with  {}", table.name(), table.typing.command("resend")));
    }
    fs::rename(&next, home.key_file()).map_err(|error| Trouble::with(&next, "renamed", &error))?;
    let fingerprint = PublicKey::parse(&new.public().0).map(|key| key.fingerprint()).unwrap_or_default();
    let mut answer = Answer::done(format!("fingerprint  {fingerprint}\npublic key   {}\n", new.public()));
    talk.push("print a page for the new key too (sealed-dice key backup), and keep the old page: what you sealed under the old key is opened with it".into());
    if stolen {
        talk.push(
            "whoever has your old key knows the dice of every envelope that you sealed and have not opened: ask your opponent to \
             void them, or the referee to kill the sets"
                .into(),
        );
    }
    answer.talk.extend(talk);
    Ok(answer)
}

/// An answer that is about one of several games.
fn named(table: &Table, answer: Answer) -> Answer {
    Answer { talk: answer.talk.iter().map(|line| format!("{}: {line}", table.name())).collect(), ..answer }
}

impl Table {
    /// Whether the game has begun, and this key signs in it.
    fn runs_under(&self, key: Hex32) -> Told<bool> {
        Ok(matches!(self.stage, Stage::Begun(_)) && self.key_in_force()? == key)
    }

    /// With a stolen key: the last letter of this machine, if a letter of its role stands that it did not sign (keys 5).
    fn last_before_thief(&self, key: Hex32, stolen: bool) -> Told<Option<&Stored>> {
        let witness = self.witness()?;
        let Some(last) = witness.last().filter(|last| stolen && last.number > 1) else { return Ok(None) };
        let foreign = self.with_order(|order| !witness.left_it_at(self.end(order)));
        let begun = matches!(self.stage, Stage::Begun(_)) && self.me.player().is_some();
        let mut stored = self.stored.iter().filter(|letter| letter.message.key() == key);
        Ok(stored.find(|letter| begun && foreign && letter.message.id() == last.id))
    }

    /// The rotation that goes on from a letter, whatever else was signed behind it.
    fn rotate_behind(&self, last: &Stored, new: &KeyFile, keys: &Unlocked) -> Told<Letter> {
        let (head, key) = (last.message.head(), new.public());
        let game = head.game.ok_or_else(|| Answer::refused("there is no letter to go on from"))?;
        let after = last.message.id();
        let proof = NewKey { game, role: &self.role, after, key }.prove(keys.of(key)?.signing());
        let head = Head { kind: Kind::Key, number: head.number + 1, prev: Some(after), ..head.clone() };
        let body = Body::Key(KeyChange::Rotate(Rotate { key, proof, stolen: true }));
        let (message, frame) = Verified::sign(head, body, keys.of(last.message.key())?.signing())?;
        Ok(Letter { message, frame })
    }

    /// The letter that hands this game over to a new key.
    fn rotate(&self, new: &KeyFile, keys: &Unlocked, stolen: bool) -> Told<Letter> {
        let key = new.public();
        let proving = keys.of(key)?;
        self.look(|order, ledger| {
            self.check_chain(order)?;
            let old = keys.of(self.key_in_force()?)?;
            let mut seat = Seat::resume_as(ledger, self.me, old.signing().clone(), old.vault().clone());
            let after =
                seat.next_head(Kind::Key).prev.ok_or_else(|| Answer::refused("there is no letter to go on from"))?;
            let proof = NewKey { game: ledger.game, role: &self.role, after, key }.prove(proving.signing());
            Ok(seat.write(Body::Key(KeyChange::Rotate(Rotate { key, proof, stolen })))?)
        })
    }
}
