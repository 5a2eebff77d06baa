//! Keys that a referee or an office holds: players deposit their sets wrapped, and the holder confirms each
//! (`protocol/deposits.md`, `protocol/office.md`).

use super::{
    clock::now,
    draft::Pen,
    failure::{Failure, Kind, PlayResult},
    handed::Handed,
    locked::Locked,
    session::Session,
    table::Table,
};
use crate::{
    blob::{
        Body, Hex32,
        deposits::{Deposit, Deposits, Opening},
    },
    game::{
        asks::unnumbered,
        days,
        deposits::{self, Deposited, deposit, opening, take_in},
        ledger::Ledger,
        opener,
        rules::ruling,
        set::Set,
        terms::{Author, Player},
    },
    keep::{folder::Stored, random, root::Keys},
    primitive::{secret::Secret, wrap},
    report::text::{count, visible},
};

impl Table {
    /// Lists the deposits in the game's folder: both players' for a referee or an office, only their own for a player.
    fn deposits(&self) -> impl Iterator<Item = (&Stored, &Deposit)> {
        self.stored.iter().filter_map(|letter| match letter.message.body() {
            Body::Deposit(deposit) => Some((letter, deposit)),
            _ => None,
        })
    }

    /// Lists this player's own deposits.
    fn own_deposits(&self) -> impl Iterator<Item = (&Stored, &Deposit)> {
        self.deposits().filter(|(letter, _)| letter.message.head().author == self.role)
    }

    /// Lists the sets without a receipt from their intended holder, each with the deposit key to wrap it to.
    fn unheld<'l, 'a>(&self, ledger: &'l Ledger<'a>) -> Vec<(Deposits, &'l Set<'a>)> {
        let of = |(holder, to): (Author, &Deposits)| {
            deposits::without_receipt(ledger, holder).map(move |set| (to.clone(), set)).collect::<Vec<_>>()
        };
        self.terms.holders().flat_map(of).collect()
    }

    /// Lists this player's unconfirmed deposits: every mail includes them until they are confirmed.
    pub(super) fn unconfirmed(&self, ledger: &Ledger<'_>) -> Vec<&Stored> {
        let unheld = self.unheld(ledger);
        let open =
            |deposit: &Deposit| unheld.iter().any(|(to, set)| to.key == deposit.key && set.node.id() == deposit.seal);
        self.own_deposits().filter(|(_, deposit)| open(deposit)).map(|(letter, _)| letter).collect()
    }

    /// Lists this player's sets that this machine has never wrapped for their intended holder, each with the deposit
    /// key to wrap it to.
    pub(super) fn undeposited<'l, 'a>(&self, ledger: &'l Ledger<'a>) -> Vec<(Deposits, &'l Set<'a>)> {
        let made = |to: &Deposits, set: &Set<'_>| {
            self.own_deposits().any(|(_, made)| made.key == to.key && made.seal == set.node.id())
        };
        let mine = self.unheld(ledger).into_iter().filter(|(_, set)| Author::Player(set.node.player) == self.me);
        mine.filter(|(to, set)| !made(to, set)).collect()
    }

    /// Returns the deposits that this referee or office received.
    fn of_others(&self) -> Deposited {
        self.deposits().map(|(_, deposit)| deposit.clone()).collect()
    }

    /// Whether a referee or an office has unconfirmed deposits, or an office has something to open.
    pub(super) fn owes_as_holder(&self, ledger: &Ledger<'_>) -> bool {
        let opens = || !opener::due(ledger).is_empty() || days::office_owes_the_time(ledger, now());
        !opener::to_confirm(ledger, self.me, &self.of_others()).is_empty() || self.me == Author::Office && opens()
    }

    /// Reports sets without a deposit that this holder can read.
    pub(super) fn without_keys(&self, ledger: &Ledger<'_>) -> Vec<String> {
        let holder = self.terms.holders().find(|(holder, _)| *holder == self.me).map(|(_, to)| to.key);
        let deposits = self.of_others();
        let came = |set: &Set<'_>| deposits.of(&set.node.id()).iter().any(|deposit| Some(deposit.key) == holder);
        let lacking = |player: Player| {
            let sets = deposits::without_receipt(ledger, self.me).filter(|set| set.node.player == player && !came(set));
            let (sets, role) = (first_of(sets)?, self.terms.role(player));
            Some(format!(
                "{role}'s keys for {sets} are missing, or only somebody else can read them: ask {role} to send them again"
            ))
        };
        Player::BOTH.into_iter().filter(|_| holder.is_some()).filter_map(lacking).collect()
    }

    /// Makes the opening that a referee signs after a request, from keys deposited with them.
    pub(super) fn held_opening(&self) -> impl Fn(&Ledger<'_>, Pen<'_>, Hex32) -> PlayResult<Opening> + use<> {
        let deposits: Vec<Deposit> = self.deposits().map(|(_, deposit)| deposit.clone()).collect();
        move |ledger, pen, request| {
            let (declaration, seal) = opened_by(ledger, &request)?;
            let Some(key) = pen.deposit() else { return Ok(opening(request, opener::keyless(declaration, seal))) };
            let mut masters = deposits.iter().filter(|deposit| deposit.seal == seal);
            let master = masters.find_map(|deposit| held(ledger, deposit, key).ok()).ok_or_else(|| {
                Failure::refused(
                    "the deposit for this set is missing from the game's folder: read the mail that contains it again",
                )
            })?;
            let reveal = match (declaration, ledger.set(&seal)) {
                (Some(declaration), _) => opener::reveal(ledger, declaration, &master)?,
                (None, Some(set)) => opener::single(set, &master, None, 0),
                (None, None) => {
                    return Err(Failure::refused(
                        "the letter that sealed this note is missing: ask for `resend --everything`",
                    ));
                }
            };
            Ok(opening(request, reveal))
        }
    }

    /// Checks that the deposit key in the terms is this holder's own: anyone who has it could open every deposit
    /// (deposits 2, office 3).
    pub(super) fn check_deposit_key(&self, keys: &Keys) -> PlayResult<()> {
        let deposit = self.terms.holders().find(|(holder, _)| *holder == self.me).map(|(_, to)| to);
        let own = |to: &Hex32| wrap::public(keys.deposit()) == Some(to.0);
        match deposit {
            Some(deposit) if !own(&deposit.key) => Err(Failure::refused(
                "the deposit key in the terms is not yours: somebody else could open everything that is deposited with \
                 you. Give the players the key that `sealed-dice key show --deposit` prints, and ask them to propose \
                 the terms again",
            )),
            _ => Ok(()),
        }
    }
}

impl Locked {
    /// Wraps the sets that were never deposited, and keeps the deposits.
    pub(super) fn make_deposits(&mut self, keys: &Keys) -> PlayResult<()> {
        if self.terms.holders().next().is_none() {
            return Ok(());
        }
        let made = self.look(|_, ledger| {
            let signer = self.signer(ledger, keys);
            let mut made = Vec::new();
            for (to, set) in self.undeposited(ledger) {
                let Some(master) = signer.master(ledger, &set.node.id()).filter(|master| is_master(set, master)) else {
                    continue;
                };
                let body = deposit(&to, set, &master, &random::secret()?)?;
                made.push(unnumbered(&self.terms, self.me, ledger.game, Body::Deposit(body), keys.signing())?);
            }
            Ok(made)
        })?;
        self.keep(made)
    }

    /// Carries out `reply` for a referee or an office: checks each deposit, and confirms it if it fits. An office also
    /// opens the envelopes that are due.
    pub(super) fn confirm(self, session: &Session<'_>) -> PlayResult<Handed> {
        let owes = self.look(|_, ledger| Ok(self.owes_as_holder(ledger)))?;
        if !owes {
            return match self.owes_answers() {
                true => self.answer(session),
                false => self.mail(None),
            };
        }
        let (deposits, me, mut refused) = (self.of_others(), self.me, Vec::new());
        let to = self.terms.holders().find(|(holder, _)| *holder == me).map(|(_, to)| to.key.0);
        let time = self.look(|_, ledger| Ok(opener::moment(ledger, now(), 0)))?;
        let handed = self.sign_as_third(session, None, |ledger, pen| {
            // A time witness holds no deposits.
            if to.is_some() && pen.deposit().is_some_and(|key| wrap::public(key) != to) {
                return Err(Failure::refused(
                    "the key that deposits are wrapped to is not on this machine: restore it with `sealed-dice key \
                     restore`",
                ));
            }
            let owed = opener::owed(ledger, me, &deposits, pen.deposit(), time, &opener::due(ledger))?;
            refused = owed.refused.iter().map(|error| visible(&error.to_string())).collect();
            match owed.bodies.is_empty() {
                // The holder cannot repair a refused deposit, so there is nothing to sign.
                true => Err(Failure { why: refused.clone(), ..Failure::new(Kind::Nothing, "") }),
                false => Ok(owed.bodies),
            }
        })?;
        Ok(refused.into_iter().fold(handed, Handed::saying))
    }
}

/// Names the first of some sets by its purpose, and counts the others; `None` if there are no sets.
pub(super) fn first_of<'s, 'a: 's>(mut sets: impl Iterator<Item = &'s Set<'a>>) -> Option<String> {
    let first = visible(&sets.next()?.seal.purpose);
    Some(match sets.count() {
        0 => first,
        more => format!("{first} and {}", count(more, "more set")),
    })
}

/// Returns what a request lets the referee open: the declaration, if it is for one, and the seal of the set.
pub(super) fn opened_by(ledger: &Ledger<'_>, request: &Hex32) -> PlayResult<(Option<Hex32>, Hex32)> {
    let opened = ruling::may_open(ledger, request);
    opened.ok_or_else(|| {
        Failure::refused(
            "this is not a request of yours, or you cannot open what it asks for: `sealed-dice game status` lists what \
             you can rule",
        )
    })
}

/// Returns M, the secret of a deposited set.
fn held(ledger: &Ledger<'_>, deposit: &Deposit, key: &Secret) -> PlayResult<Secret> {
    let set = ledger.set(&deposit.seal).ok_or_else(|| {
        Failure::refused("the letter that sealed a deposited set is missing: ask for `resend --everything`")
    })?;
    if wrap::public(key) != Some(deposit.key.0) {
        let purpose = visible(&set.seal.purpose);
        return Err(Failure::refused(format!(
            "the deposit for {purpose} is wrapped to a key that is not yours: ask its sealer for a new deposit"
        )));
    }
    Ok(take_in(set, deposit, key)?)
}

/// Whether M belongs to a set, judging by the set's first place.
pub(super) fn is_master(set: &Set<'_>, master: &Secret) -> bool {
    let first = set.context.deepest_places().next();
    first.is_some_and(|place| set.context.matches(set.seal, &set.context.key(master, place), place))
}
