//! *seal 1 to 5* (`protocol/letters.md`): a player seals a set.

use std::collections::{BTreeMap, HashSet};

use crate::{
    blob::body::{Seal, SetKind, Source},
    error::{Result, bail, ensure},
    game::{
        context::Context,
        ledger::Ledger,
        node::{Past, Played},
        purpose::{Purpose, SHEET},
        set::Set,
        terms::Phase,
    },
    limits::{COLUMNS, ROWS},
    rule::Rule,
};

/// The number of bytes that the cipher adds to a note (hidden 2).
const TAG: u64 = 16;

/// Takes a seal: its set enters the ledger, valid or not.
pub(super) fn take<'a>(ledger: &mut Ledger<'a>, node: Played<'a>, seal: &'a Seal, common: Result<()>) -> Result<()> {
    let checked = common.and_then(|()| check(ledger, node, seal));
    let referee = ledger.terms.charter.referee.as_ref();
    let set = Set {
        node,
        seal,
        context: Context::of(ledger.game, referee, &node.message.head().author, seal),
        valid: checked.is_ok(),
        openings: BTreeMap::new(),
        waiting: Vec::new(),
    };
    let is_chosen = set.valid && ledger.decision_of(&set).is_some();
    ledger.sets.insert(node.id(), set);
    let may_be_held = ledger.may_be_held(&node.id());
    let own = ledger.own.of_mut(node.player);
    own.seals.push(node.id());
    if checked.is_ok() {
        own.purposes.entry((seal.kind, seal.purpose.clone())).or_default().push(node.id());
    }
    own.unheld.extend(may_be_held.then_some(node.id()));
    own.unread.extend(is_chosen.then_some(node.id()));
    for commit in &seal.commits {
        ledger.commitments.entry(*commit).or_default().push(node.node());
    }
    checked
}

fn check(ledger: &Ledger<'_>, node: Played<'_>, seal: &Seal) -> Result<()> {
    let (terms, past, sealer) = (ledger.terms, Past::of(&node), node.player);
    let declarer = terms.role(if seal.kind.is_own() { sealer } else { sealer.other() });
    let revealer = terms.revealer(sealer, seal.kind, &seal.purpose);
    ensure!(
        seal.declarer == *declarer && seal.revealer == *revealer,
        Rule::Seal1,
        "the declarer must be {declarer} and the revealer {revealer}"
    );

    let purpose = Purpose::parse(seal.kind, &seal.purpose);
    let named = purpose.as_ref().and_then(Purpose::slot).and_then(|slot| terms.phase_at(slot));
    let fits_source = |phase: &&Phase| match seal.kind {
        SetKind::Coin => phase.envelopes.is_some() && phase.may_be_declared_by(sealer.other()),
        SetKind::Plain => phase.source == Source::Plain && phase.may_be_declared_by(sealer.other()),
        _ => true,
    };
    let phase = named.filter(fits_source);
    let places = match seal.kind {
        SetKind::Coin => named.and_then(|phase| phase.envelopes),
        SetKind::Sheet => Some((COLUMNS * ROWS) as u64),
        SetKind::FoulUp => Some(terms.charter.foul_up.envelopes),
        SetKind::Note | SetKind::Plain => Some(1),
        SetKind::Contribution => None,
    };
    if let Some(places) = places.filter(|places| *places != seal.n) {
        bail!(Rule::Seal2, "the number of places must be {places}, as the charter says, not {}", seal.n);
    }
    let sheet = purpose.as_ref().and_then(|purpose| purpose.note(SHEET)).and_then(|slot| terms.hidden_at(slot));
    let note = seal.notes.as_ref().and_then(|notes| notes.first()).map(|note| note.0.len() as u64);
    ensure!(
        sheet.is_none_or(|hidden| note == Some(hidden.sheet_bytes() + TAG)),
        Rule::Seal2,
        "the sheet must be as long as the other sheets in its course (hidden 2)"
    );

    let is_possible = matches!(purpose, Some(Purpose::Number(_))) || phase.is_some();
    ensure!(is_possible, Rule::Seal3, "{:?} is not a valid purpose for this kind of set", seal.purpose);

    let mut before = ledger.sets_for(sealer, seal.kind, &seal.purpose);
    ensure!(
        before.all(|before| ledger.is_killed(&before.id(), past)),
        Rule::Seal4,
        "{} has already sealed a {} set for {}",
        terms.role(sealer),
        seal.kind.as_str(),
        seal.purpose
    );

    let mut once = HashSet::new();
    for commit in &seal.commits {
        let is_new = once.insert(commit) && !ledger.commitments.get(commit).is_some_and(|others| past.has_any(others));
        ensure!(is_new, Rule::Seal5, "the commitment {commit} is a copy of an earlier one");
    }
    Ok(())
}
