//! Keys that a referee holds: every player's set goes to him wrapped, and he says which he holds (`protocol/deposits.md`).

use super::{
    Answer, Table, Told,
    sign::{Signing, fresh},
};
use crate::{
    blob::{
        Body, Head, Hex32, Kind, Verified,
        body::Seen,
        deposits::{Deposit, Held, Opening, Receipt},
    },
    cli::terminal::visible,
    game::{
        charter::Author,
        deposits::{deposit, opening, take_in},
        ledger::Ledger,
        opener,
        seals::Set,
        steps::{Letter, Seat},
    },
    keep::{folder::Stored, home::Home, key_ring::Unlocked},
    limits::LIST,
    primitive::{secret::Secret, sign::PrivateKey, wrap},
};

impl Table {
    /// The deposits in the folder: a referee has those of both players, a player his own.
    fn deposits(&self) -> impl Iterator<Item = (&Stored, &Deposit)> {
        self.stored.iter().filter_map(|letter| match letter.message.body() {
            Body::Deposit(deposit) => Some((letter, deposit)),
            _ => None,
        })
    }

    /// This player's own, as far as the key under which he made them is still in force: the referee takes in no other
    /// (deposits 3).
    fn own_deposits(&self) -> impl Iterator<Item = (&Stored, &Deposit)> {
        let key = self.key_of(&self.role);
        let mine = self.deposits().filter(|(letter, _)| letter.message.head().author == self.role);
        mine.filter(move |(letter, _)| Some(letter.message.key()) == key)
    }

    /// This player's deposits that the referee has not confirmed: they go along with every mail until he has.
    pub(super) fn unconfirmed(&self, ledger: &Ledger<'_>) -> Vec<&Stored> {
        self.own_deposits().filter(|(_, deposit)| !ledger.is_held(&deposit.seal)).map(|(letter, _)| letter).collect()
    }

    /// This player's sets that the referee is to hold, and that were never wrapped for him, or not on this machine, or not
    /// under his present key.
    pub(super) fn undeposited<'l, 'a>(&'l self, ledger: &'l Ledger<'a>) -> impl Iterator<Item = &'l Set<'a>> {
        let mine = ledger.without_receipt().filter(|set| Author::Player(set.node.player) == self.me);
        mine.filter(|set| !self.own_deposits().any(|(_, deposit)| deposit.seal == set.node.id()))
    }

    /// Wraps those sets, and keeps what comes of it.
    pub(super) fn make_deposits(&mut self, keys: &Unlocked) -> Told<()> {
        let Some(deposits) = self.terms.charter.referee.as_ref().and_then(|referee| referee.deposit.clone()) else {
            return Ok(());
        };
        let signing = keys.of(self.key_in_force()?)?.signing().clone();
        let made = self.look(|_, ledger| {
            let seat = self.seat(ledger, keys)?;
            let mut made = Vec::new();
            for set in self.undeposited(ledger) {
                // What was sealed under a key that is lost cannot be deposited either.
                let Some(master) = seat.master(ledger, &set.node.id()).filter(|master| is_master(set, master)) else {
                    continue;
                };
                let body = deposit(&deposits, set, &master, &Secret::new(fresh()?.0))?;
                made.push(unnumbered(ledger.game, &seat, Body::Deposit(body), &signing)?);
            }
            Ok(made)
        })?;
        self.keep(made)
    }

    /// Whether a referee has deposits that he has not confirmed.
    pub(super) fn has_unconfirmed(&self, ledger: &Ledger<'_>) -> bool {
        let deposited = |seal: Hex32| self.deposits().any(|(_, deposit)| deposit.seal == seal);
        ledger.without_receipt().any(|set| deposited(set.node.id()))
    }

    /// `reply` of a referee: he looks into each deposit, and confirms those that fit.
    pub(super) fn confirm(self, home: &Home, signing: &Signing) -> Told<Answer> {
        let open = self.look(|_, ledger| {
            let wanted = |deposit: &&Deposit| ledger.without_receipt().any(|set| set.node.id() == deposit.seal);
            Ok(self.deposits().map(|(_, deposit)| deposit).filter(wanted).cloned().collect::<Vec<Deposit>>())
        })?;
        if open.is_empty() {
            return self.mail(signing, None);
        }
        let mut refused = Vec::new();
        let answer = self.sign_rulings(home, signing, &[], |ledger, keys| {
            let mut seals: Vec<Hex32> = Vec::new();
            for deposit in &open {
                match held(ledger, deposit, keys) {
                    Ok(_) => seals.push(deposit.seal),
                    Err(answer) => refused.extend(answer.talk),
                }
            }
            seals.sort_unstable();
            seals.dedup();
            if seals.is_empty() {
                return Err(Answer::refused(refused.join("\n")));
            }
            let receipts =
                seals.chunks(LIST).map(|seals| Body::Receipt(Receipt::Deposit(Held { seals: seals.to_vec() })));
            Ok(receipts.collect())
        })?;
        Ok(refused.iter().fold(answer, |answer, refused| answer.saying(refused)))
    }

    /// What a referee opens after a request: keys that were deposited with him.
    pub(super) fn held_opening(&self) -> impl FnOnce(&Ledger<'_>, &Unlocked, Hex32) -> Told<Opening> + use<> {
        let deposits: Vec<Deposit> = self.deposits().map(|(_, deposit)| deposit.clone()).collect();
        move |ledger, keys, request| {
            let (declaration, seal) = opened_by(ledger, &request)?;
            let mut masters = deposits.iter().filter(|deposit| deposit.seal == seal);
            let master = masters.find_map(|deposit| held(ledger, deposit, keys).ok()).ok_or_else(|| {
                Answer::refused("no deposit of this set is in the game's folder; read the mail that brought it again")
            })?;
            let reveal = match (declaration, ledger.set(&seal)) {
                (Some(declaration), _) => opener::reveal(ledger, declaration, &master)?,
                (None, Some(set)) => opener::single(set, &master, None, 0),
                (None, None) => return Err(Answer::refused("the seal of that note is not at hand")),
            };
            Ok(opening(request, reveal))
        }
    }

    /// That the deposit key of the terms is this referee's own: whoever has it could open every deposit (deposits 1).
    pub(super) fn check_deposit_key(&self, keys: &Unlocked) -> Told<()> {
        let deposit = self.terms.charter.referee.as_ref().and_then(|referee| referee.deposit.as_ref());
        let own = |to: &Hex32| keys.all().any(|keys| wrap::public(keys.deposit()) == Some(to.0));
        match deposit {
            Some(deposit) if !own(&deposit.key) => Err(Answer::refused(
                "the deposit key in the terms is not yours: somebody else could open all that is deposited with you. \
                 Give the players what `sealed-dice key show --deposit` prints, and let them propose again",
            )),
            _ => Ok(()),
        }
    }
}

/// What a request lets the referee open: the declaration, if it is for one, and the seal of the set.
pub(super) fn opened_by(ledger: &Ledger<'_>, request: &Hex32) -> Told<(Option<Hex32>, Hex32)> {
    let opened = ledger.may_open(request);
    opened.ok_or_else(|| Answer::refused("this is no request of yours for something that can be opened"))
}

/// M of a deposited set, by whichever of the referee's keys it is wrapped to.
fn held(ledger: &Ledger<'_>, deposit: &Deposit, keys: &Unlocked) -> Told<Secret> {
    let set = ledger.set(&deposit.seal).ok_or_else(|| Answer::refused("the seal of a deposit is not at hand"))?;
    let key = keys.all().map(|keys| keys.deposit()).find(|key| wrap::public(key) == Some(deposit.key.0));
    let key = key.ok_or_else(|| {
        Answer::refused(format!("the deposit for {} is wrapped to a key that is not yours", visible(&set.seal.purpose)))
    })?;
    Ok(take_in(set, deposit, key)?)
}

/// Whether M is that of a set, as far as its first place tells.
pub(super) fn is_master(set: &Set<'_>, master: &Secret) -> bool {
    let first = set.context.deepest_places().next();
    first.is_some_and(|place| set.context.matches(set.seal, &set.context.key(master, place), place))
}

/// Signs a message that is in no chain (message 9).
pub(super) fn unnumbered(game: Hex32, seat: &Seat, body: Body, key: &PrivateKey) -> Told<Letter> {
    let mut seen = Seen::default();
    seat.next_head(Kind::Deposit).seen.iter().for_each(|(role, _)| seen.insert(role.clone(), None));
    let head =
        Head { author: seat.role().clone(), game: Some(game), kind: body.kind(), number: 0, prev: None, seen, v: 1 };
    let (message, frame) = Verified::sign(head, body, key)?;
    Ok(Letter { message, frame })
}
