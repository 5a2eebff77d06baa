//! `key rotate`: a new key for a player, in every game of his (`protocol/keys.md`, Rotation). Whatever interrupts it, the
//! same command goes on where it stopped.

use std::fs;

use super::{
    Answer, Stage, Table, Told,
    sign::{Signing, ask},
};
use crate::{
    blob::{
        Body, Hex32, Kind,
        new_keys::{KeyChange, NewKey, Rotate},
    },
    game::steps::{Letter, Seat},
    keep::{
        Trouble,
        home::{Home, make_private},
        key_file::KeyFile,
        key_ring::Unlocked,
        root::Root,
    },
    primitive::sign::PublicKey,
};

/// `key rotate`.
pub(in crate::cli) fn run(home: &Home, stolen: bool, signing: &Signing) -> Told<Answer> {
    let next = home.next_key_file();
    let present = KeyFile::open(&home.key_file())?;
    for table in &Table::all(home)?.0 {
        if table.runs_under(present.public())? {
            table.with_order(|order| table.check_machine(order)).map_err(|answer| named(table, answer))?;
        }
    }
    ask(&[format!("a new key takes the place of {}, in every game of yours", present.fingerprint())], signing)?;
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
    let (tables, mut talk) = Table::all(home)?;
    for mut table in tables {
        let _lock = table.folder.lock()?;
        if table.runs_under(present.public())? {
            table.check_files()?;
            let letter = table.rotate(&new, &keys, stolen)?;
            table.keep(vec![letter])?;
            talk.push(format!("{}: mail the new key with  {}", table.name(), table.typing.command("resend")));
        }
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
