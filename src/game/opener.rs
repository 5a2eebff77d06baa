//! Decides, without I/O, who may open what: which keys a declaration has earned (`protocol/letters.md`, reveal), which
//! letters an office owes given all available letters, and why it does not open a declaration (`protocol/office.md` 7,
//! `protocol/post.md` 4, 5). Player, referee, office by mail, the service and its model all use these functions.

use super::{
    days,
    deposits::{Deposited, take_in, without_receipt},
    ledger::Ledger,
    node::{Past, Standing},
    opening::envelope,
    order::Order,
    rules::secrets,
    set::Set,
    terms::{Author, Player},
};
use crate::{
    blob::{
        Body,
        body::{CellKey, Hex32, Key, Reveal, SetKind},
        deposits::Deposit,
        office::{Moment, Receipt, Seals},
    },
    error::{Error, Result},
    limits::{LIST, MOMENT},
    primitive::secret::Secret,
};

/// Returns the reveal of one envelope in a player's own set: a note, or a contribution (secrets 4, 8, 9).
#[must_use]
pub fn single(set: &Set<'_>, master: &Secret, declaration: Option<Hex32>, index: u64) -> Reveal {
    let key = set.context.key(master, envelope(index));
    Reveal { declaration, keys: vec![Key(index, Hex32(*key.expose()))], seal: set.id(), sheets: Vec::new() }
}

/// Returns a reveal without its keys, which describes an opening before anybody can make it.
#[must_use]
pub const fn keyless(declaration: Option<Hex32>, seal: Hex32) -> Reveal {
    Reveal { declaration, keys: Vec::new(), seal, sheets: Vec::new() }
}

/// A set that the office must open: for a declaration or, if it holds simultaneous orders, for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// The declaration that has earned the opening.
    pub declaration: Option<Hex32>,
    /// The seal of the set.
    pub seal: Hex32,
}

/// Returns the openings due from the office, with all available letters (office 15): dice first, then notes, in the
/// order of the declarations' authors and numbers.
#[must_use]
pub fn due(ledger: &Ledger<'_>) -> Vec<Due> {
    let declared = ledger.unanswered().filter(|declared| ledger.office_may_open(declared.declare));
    let dice = declared.filter_map(|own| Some(Due { declaration: Some(own.id()), seal: own.declare.seal? }));
    let notes = Player::BOTH.into_iter().flat_map(|player| secrets::due_notes(ledger, player));
    let notes = notes.map(|(declaration, set)| Due { declaration, seal: set.id() });
    let notes = notes.filter(|due| ledger.is_with_office(&due.seal, Past::ALL));
    let (mut dice, mut notes): (Vec<Due>, Vec<Due>) = (dice.collect(), notes.collect());
    // Letters arrive in any order, and the office's answer must not depend on that order.
    let place = |id: &Hex32| ledger.nodes.get(id).map(|node| (node.author, node.message.head().number, *id));
    for due in [&mut dice, &mut notes] {
        due.sort_by_cached_key(|due| (due.declaration.as_ref().and_then(place), place(&due.seal)));
    }
    dice.into_iter().chain(notes).collect()
}

/// Returns the deposits sent to a referee or an office that it has not confirmed.
pub fn to_confirm<'d>(ledger: &Ledger<'_>, holder: Author, deposits: &'d Deposited) -> Vec<&'d Deposit> {
    let own = ledger.terms.holders().find(|(own, _)| *own == holder);
    let open = without_receipt(ledger, holder).flat_map(|set| deposits.of(&set.node.id()));
    open.filter(|deposit| own.as_ref().is_some_and(|(_, to)| to.key == deposit.key)).collect()
}

/// The letters that a holder of keys owes.
#[derive(Debug, Default)]
pub struct Owed {
    /// Bodies to sign: receipts first, then reveals.
    pub bodies: Vec<Body>,
    /// Errors for the duties that could not be fulfilled.
    pub refused: Vec<Error>,
    /// Declarations that are due but have no available deposit to open them.
    pub lost: Vec<Hex32>,
    /// The number of declarations, and of sets without a receipt, that were checked.
    pub looked_at: usize,
}

/// Returns the letters that a referee or an office owes, with all available letters, its deposits and the secret of its
/// deposit key: receipts for deposits that fit and, from an office, the reveals that are [`due`] and the `time` if that
/// is owed (office 30 to 32). Without the secret, it describes these letters: every deposit is taken to fit, and the
/// reveals have no keys.
///
/// # Errors
/// The errors of [`reveal`], if a set that is due contradicts its own declaration.
pub fn owed(
    ledger: &Ledger<'_>,
    holder: Author,
    deposits: &Deposited,
    key: Option<&Secret>,
    time: Moment,
    dues: &[Due],
) -> Result<Owed> {
    let looked_at = ledger.unanswered().count() + without_receipt(ledger, holder).count();
    let mut owed = Owed { looked_at, ..Owed::default() };
    let held = |deposit: &Deposit| match ledger.set(&deposit.seal).filter(|set| set.valid) {
        Some(set) => key.map(|key| take_in(set, deposit, key)).transpose(),
        None => Err(Error::Refused("the deposit's seal is not valid".into())),
    };
    let mut seals: Vec<Hex32> = Vec::new();
    for deposit in to_confirm(ledger, holder, deposits) {
        match held(deposit) {
            Ok(_) => seals.push(deposit.seal),
            Err(error) => owed.refused.push(error),
        }
    }
    seals.sort_unstable();
    seals.dedup();
    let receipts = seals.chunks(LIST).map(|seals| Receipt::Deposit(Seals { seals: seals.to_vec() }));
    owed.bodies.extend(receipts.map(Body::Receipt));
    for due in dues.iter().filter(|_| holder == Author::Office) {
        match deposits.of(&due.seal).iter().find_map(|deposit| held(deposit).ok()) {
            Some(Some(master)) => owed.bodies.push(Body::Reveal(release(ledger, *due, &master)?)),
            Some(None) => owed.bodies.push(Body::Reveal(keyless(due.declaration, due.seal))),
            None => {
                let text = format!("the deposit for a set that must be opened now is missing: {}", due.seal);
                owed.refused.push(Error::Refused(text));
                owed.lost.extend(due.declaration);
            }
        }
    }
    if holder == Author::Office && days::office_owes_the_time(ledger, time.at) {
        owed.bodies.push(Body::Receipt(Receipt::Time(time)));
    }
    Ok(owed)
}

/// Returns the receipt by which an office hands back the sets for some purposes, from either player (office 20).
///
/// # Errors
/// [`Error::Refused`] if the office holds no set for a purpose, or there are more sets than one receipt can list.
pub fn hand_back(ledger: &Ledger<'_>, purposes: &[String]) -> Result<Body> {
    let mut seals = Vec::new();
    for purpose in purposes {
        let all = Player::BOTH.into_iter().flat_map(|player| ledger.seals(player));
        let held = all.filter(|seal| ledger.is_with_office(seal, Past::ALL));
        let named = held.filter(|seal| ledger.set(seal).is_some_and(|set| set.seal.purpose == *purpose));
        let named: Vec<Hex32> = named.copied().collect();
        if named.is_empty() {
            return Err(Error::Refused(format!("the office does not hold a set for {purpose}: check the purpose")));
        }
        seals.extend(named);
    }
    seals.sort_unstable();
    seals.dedup();
    match seals.len() {
        1..=LIST => Ok(Body::Receipt(Receipt::HandBack(Seals { seals }))),
        _ => Err(Error::Refused(format!("one receipt can hand back 1 to {LIST} sets: name fewer purposes"))),
    }
}

/// Returns the time to report: the office's clock, but at least `later` after the last reported time, if possible
/// (receipt 3).
#[must_use]
pub fn moment(ledger: &Ledger<'_>, now: u64, later: u64) -> Moment {
    Moment { at: ledger.told().map_or(now, |told| now.max(told + later)).min(MOMENT) }
}

/// The reason why an office does not open a declaration (post 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// Letters that the declaration rests on are missing.
    Missing,
    /// The declaration is not valid.
    Breach,
    /// The declaration is on a branch that fell, or the game has too many branches to be replayed.
    Fork,
    /// An earlier letter by the same author named the index or declared the slot.
    Spent,
    /// The office is not the one to open the dice.
    Elsewhere,
    /// The office has lost what was deposited.
    Lost,
    /// The office would break a rule, so it does not sign.
    Fault,
    /// The office has no time yet, and will open the declaration in turn (post 19).
    Busy,
}

impl Because {
    /// Returns the stable code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Breach => "breach",
            Self::Fork => "fork",
            Self::Spent => "spent",
            Self::Elsewhere => "elsewhere",
            Self::Lost => "lost",
            Self::Fault => "fault",
            Self::Busy => "busy",
        }
    }
}

/// A declaration that the office does not open, or any letter that names missing letters, with the letters behind the
/// reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unopened {
    /// The declaration, or the letter.
    pub declaration: Hex32,
    /// The reason why the office does not open the declaration.
    pub because: Because,
    /// Ids of the letters behind the reason: missing letters, or two that contradict each other.
    pub letters: Vec<Hex32>,
    /// The rule, in words; empty where the code is clear enough.
    pub text: String,
}

/// Reports a declaration that is due but that the office cannot open, for a reason on its own side.
#[must_use]
pub const fn unable(declaration: Hex32, because: Because) -> Unopened {
    Unopened { declaration, because, letters: Vec::new(), text: String::new() }
}

/// Returns the reason why a declaration is not opened; `None` if it is opened, asks for no dice, or does not belong to
/// this game.
#[must_use]
pub fn unopened(order: &Order, ledger: &Ledger<'_>, declaration: Hex32) -> Option<Unopened> {
    let told = |because, letters, text: &str| Some(Unopened { declaration, because, letters, text: text.to_owned() });
    let Some(node) = ledger.nodes.get(&declaration) else {
        if order.overgrown {
            let fork = order.forks.iter().find(|fork| fork.author != Author::Office);
            let letters = fork.into_iter().flat_map(|fork| fork.ids.iter().take(2).copied()).collect();
            return told(Because::Fork, letters, "the game has too many branches, so nothing counts (chain 15)");
        }
        return told(Because::Missing, order.missing.keys().copied().collect(), "");
    };
    let Body::Declare(declare) = node.message.body() else { return None };
    declare.seal?;
    match node.standing {
        Standing::Stands => {}
        Standing::Falls | Standing::Fallen => {
            let fallen = ledger.taken.iter().find(|other| {
                other.author == node.author
                    && other.standing == Standing::Falls
                    && (other.id() == node.id() || node.has_in_past(other))
            })?;
            let rivals = ledger.taken.iter().filter(|other| {
                other.message.head().prev == fallen.message.head().prev
                    && !other.standing.is_detached()
                    && other.id() != fallen.id()
            });
            // The letter that stands, if one does.
            let rival = rivals.min_by_key(|other| (other.standing != Standing::Stands, other.id()))?;
            let mut letters = vec![fallen.id(), rival.id()];
            letters.sort_unstable();
            return told(Because::Fork, letters, "");
        }
        Standing::Detached | Standing::Adrift => {
            return told(
                Because::Missing,
                order.missing.keys().copied().collect(),
                "it does not follow another letter by its author",
            );
        }
    }
    if let Some(declared) = ledger.declaration(&declaration).filter(|declared| declared.valid) {
        return match declared.is_answered() || ledger.office_may_open(declared.declare) {
            true => None,
            false => told(Because::Elsewhere, Vec::new(), ""),
        };
    }
    let text = ledger.found_on(&declaration).map_or("", |finding| finding.text.as_str());
    let of_slot = ledger.declared_in.get(&(declare.slot.turn, declare.slot.impulse)).into_iter().flatten();
    let on_set = declare.seal.and_then(|seal| ledger.declared_on.get(&seal)).into_iter().flatten();
    let declared = of_slot.chain(on_set).filter_map(|id| ledger.declaration(id));
    let rivals = declared.filter(|other| node.follows(&other.node));
    let earlier = rivals.filter(|other| {
        declare.redo.is_none() && other.declare.slot == declare.slot
            || other.declare.seal == declare.seal && other.declare.select == declare.select
    });
    match earlier.map(|earlier| earlier.node.id()).min() {
        Some(earlier) => told(Because::Spent, vec![earlier, declaration], text),
        None => told(Because::Breach, vec![declaration], text),
    }
}

/// Returns the reveal that opens a due set, from the set's master.
///
/// # Errors
/// The errors of [`reveal`].
pub fn release(ledger: &Ledger<'_>, due: Due, master: &Secret) -> Result<Reveal> {
    let note = ledger.set(&due.seal).filter(|set| set.seal.kind == SetKind::Note);
    match (note, due.declaration) {
        (Some(note), declaration) => Ok(single(note, master, declaration, 0)),
        (None, Some(declaration)) => reveal(ledger, declaration, master),
        (None, None) => Err(Error::Misuse("dice can be opened only for a declaration".into())),
    }
}

/// Returns the reveal that a declaration is owed, from the set's master.
///
/// # Errors
/// [`Error::Misuse`], with instructions, if the declaration is missing, is in breach or asks for no keys, or if the
/// master does not belong to the set.
pub fn reveal(ledger: &Ledger<'_>, declaration: Hex32, master: &Secret) -> Result<Reveal> {
    let misuse = |text: &str| Error::Misuse(text.into());
    let declared = ledger.declaration(&declaration).ok_or_else(|| {
        misuse("the declaration is missing, or was discarded with its branch: ask for the letters before it")
    })?;
    if !declared.valid {
        return Err(misuse("the declaration breaks a rule and must not be opened: its author must declare again"));
    }
    let set = ledger
        .set_of(declared.declare)
        .ok_or_else(|| misuse("the declaration does not have any rolls, so its author is not owed a reveal"))?;
    let mut reveal = Reveal { declaration: Some(declaration), keys: Vec::new(), seal: set.id(), sheets: Vec::new() };
    for place in declared.asked() {
        let key = set.context.key(master, *place);
        if !set.context.matches(set.seal, &key, *place) {
            return Err(misuse("this secret does not belong to the set that the declaration names"));
        }
        let key = Hex32(*key.expose());
        match set.seal.kind {
            SetKind::Sheet => reveal.sheets.push(CellKey(place.index, place.line, key)),
            SetKind::Coin | SetKind::Plain | SetKind::FoulUp | SetKind::Contribution | SetKind::Note => {
                reveal.keys.push(Key(place.index, key))
            }
        }
    }
    Ok(reveal)
}
