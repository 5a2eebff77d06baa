//! *reveal 1 to 8* (`protocol/letters.md`): keys are opened. A matching key is a fact, whether the letter is valid or
//! not (letters 9).

use super::{course, declare, secrets};
use crate::{
    blob::{
        Body,
        body::{Contribution, Declare, Hex32, Reveal, SetKind},
        disputes::{Ruled, Ruling},
    },
    error::{Result, bail, ensure},
    game::{
        context::check_note,
        ledger::Ledger,
        node::{Node, Past, Standing},
        opening::{Brought, NOTE, Target, Unlocked, envelope},
        purpose::STANDING,
        set::Set,
        terms::{Author, By},
    },
    primitive::secret::Secret,
    resolve::Place,
    rule::Rule,
};

/// Returns the matching keys in a letter: from a reveal, from a ruling that opens, and from the masters in a close.
pub(crate) fn unlocked_by(ledger: &Ledger<'_>, node: &Node) -> Vec<Unlocked> {
    let matching = |seal: Hex32, brought: Brought<'_>| {
        let set = ledger.sets.get(&seal).filter(|set| set.valid);
        let keys = set.into_iter().flat_map(|set| {
            let keys = brought.of_kind(set.seal.kind).into_iter();
            keys.filter(|(place, key)| set.context.matches(set.seal, key, *place))
        });
        Unlocked { seal, keys: keys.collect() }
    };
    match node.message.body() {
        Body::Reveal(reveal) => vec![matching(reveal.seal, reveal.into())],
        Body::Ruling(Ruling { rule: Ruled::Open(opening), .. }) => {
            let target = Target::of(opening, |id| ledger.body(id));
            target.map(|target| matching(target.seal, opening.into())).into_iter().collect()
        }
        Body::Close(close) => {
            let valid = close.masters.iter().flatten().filter_map(|master| {
                let set = ledger.sets.get(&master.seal).filter(|set| set.valid)?;
                let secret = Secret::new(master.master.0);
                let keys = set.context.deepest_places().map(|place| (place, set.context.key(&secret, place)));
                let keys = keys.filter(|(place, key)| set.context.matches(set.seal, key, *place)).collect();
                Some(Unlocked { seal: master.seal, keys })
            });
            valid.collect()
        }
        _ => Vec::new(),
    }
}

/// Opens the places that a letter unlocked, and resolves the declarations that waited for them.
pub(crate) fn open<'a>(ledger: &mut Ledger<'a>, node: &'a Node, unlocked: Vec<Unlocked>) {
    for Unlocked { seal, keys } in unlocked {
        if let Some(set) = ledger.sets.get_mut(&seal) {
            if set.seal.kind == SetKind::Note && !keys.is_empty() {
                ledger.own.of_mut(set.node.player).unread.retain(|unread| *unread != seal);
            }
            keys.into_iter().for_each(|(place, key)| set.open(place, key, node));
        }
        declare::resolve_waiting(ledger, seal);
    }
}

/// Judges a reveal.
pub(super) fn check(ledger: &Ledger<'_>, node: &Node, reveal: &Reveal, unlocked: &[Unlocked]) -> Result<()> {
    let set = check_revealer(ledger, node, reveal)?;
    check_asked(ledger, reveal, set)?;
    let matching: Vec<&(Place, Secret)> = unlocked.iter().flat_map(|unlocked| &unlocked.keys).collect();
    let brought = Brought::from(reveal);
    let is_of_form = brought.places(set.seal.kind).is_some();
    ensure!(is_of_form, Rule::Reveal5, "a key names a place that this kind of set does not have");
    for (place, key) in brought.of_kind(set.seal.kind) {
        let is_match = matching.iter().any(|(other, matching)| *other == place && *matching == key);
        ensure!(is_match, Rule::Reveal5, "the key for {} does not match the seal", place_name(set, place));
        check_note(Rule::Reveal5, &set.context, set.seal, &key)?;
    }
    check_time(ledger, node, reveal, set)
}

/// Returns the name of a set's place for people.
fn place_name(set: &Set<'_>, place: Place) -> String {
    match set.seal.kind {
        SetKind::Sheet => format!("column {}, row {}", place.index, place.line),
        _ => format!("envelope {}", place.index),
    }
}

/// Returns the declaration named by a reveal, judged or not.
fn declared<'a>(ledger: &Ledger<'a>, reveal: &Reveal) -> Option<(&'a Node, &'a Declare)> {
    let node = *ledger.nodes.get(&reveal.declaration?)?;
    match node.message.body() {
        Body::Declare(declare) => Some((node, declare)),
        _ => None,
    }
}

/// Checks that the set of a reveal is valid and that its author may open it, and returns the set (reveal 1, 8).
fn check_revealer<'l, 'a>(ledger: &'l Ledger<'a>, node: &Node, reveal: &Reveal) -> Result<&'l Set<'a>> {
    let past = Past::of(node);
    let Some(set) = ledger.sets.get(&reveal.seal).filter(|set| set.valid) else {
        bail!(Rule::Reveal1, "the seal is not valid");
    };
    match node.author {
        Author::Player(player) => {
            ensure!(set.node.player == player, Rule::Reveal1, "the author may not open this set");
            let rolled = declared(ledger, reveal).filter(|(_, declare)| declare.seal == Some(reveal.seal));
            let is_offices = rolled.is_some_and(|(rolled, _)| ledger.is_up_to_office(rolled, past));
            ensure!(!is_offices, Rule::Reveal8, "only the office may open these dice");
        }
        Author::Office => {
            let is_held = ledger.is_with_office(&reveal.seal, past);
            ensure!(is_held, Rule::Reveal1, "the office does not hold the set");
        }
        Author::Referee => {}
    }
    Ok(set)
}

/// Checks reveal 2 to 4: the places of a reveal are asked for.
fn check_asked(ledger: &Ledger<'_>, reveal: &Reveal, set: &Set<'_>) -> Result<()> {
    if reveal.declaration.is_none() {
        let is_at_once = secrets::is_at_once(ledger, set);
        ensure!(is_at_once, Rule::Reveal2, "a reveal without a declaration may open only simultaneous orders");
        return check_places(reveal, set, &[NOTE]);
    }
    let Some((node, declare)) = declared(ledger, reveal) else {
        bail!(Rule::Reveal2, "the reveal does not name a declaration");
    };
    let contribution = match declare.contribution {
        Some(Contribution::Sealed(contribution)) if contribution.seal == reveal.seal => Some(contribution.index),
        _ => None,
    };
    let is_note = declare.moves.note() == Some(reveal.seal) || is_choice_of(ledger, set, node, declare);
    ensure!(
        declare.seal == Some(reveal.seal) || contribution.is_some() || is_note,
        Rule::Reveal2,
        "the declaration does not ask for any key of this set"
    );
    let Some(own) = ledger.declaration(&node.id()).filter(|own| own.valid) else {
        let fell = matches!(node.standing, Standing::Falls | Standing::Fallen);
        ensure!(fell, Rule::Reveal3, "the declaration breaks a rule and must not be opened");
        return Ok(());
    };
    match contribution {
        Some(index) => check_places(reveal, set, &[envelope(index)]),
        None if is_note => check_places(reveal, set, &[NOTE]),
        None => check_places(reveal, set, own.asked()),
    }
}

/// Whether a set is a note for a sealed choice for a declaration's slot, or a standing note found by the declaration,
/// which may be unjudged (secrets 8, courses 12).
fn is_choice_of(ledger: &Ledger<'_>, set: &Set<'_>, node: &Node, declare: &Declare) -> bool {
    let decision = ledger.decision_of(set);
    let is_choice =
        decision.is_some_and(|(slot, decision)| slot == declare.slot && decision.by == By::Sealed(set.node.player));
    let finds_notes = || ledger.terms.phase_at(&declare.slot).is_some_and(|phase| phase.finds_notes());
    let is_standing =
        || set.valid && set.purpose().is_some_and(|purpose| purpose.note(STANDING) == Some(&declare.slot));
    (is_choice || finds_notes() && is_standing()) && secrets::is_found(ledger, set, node)
}

/// Checks that the keys of a reveal are exactly the requested ones (reveal 4).
fn check_places(reveal: &Reveal, set: &Set<'_>, asked: &[Place]) -> Result<()> {
    let given = Brought::from(reveal).places(set.seal.kind);
    let is_exact = given.is_some_and(|given| given == asked);
    ensure!(is_exact, Rule::Reveal4, "the keys must be exactly those that are asked for");
    Ok(())
}

/// Checks reveal 6 and 7: the keys are due now.
fn check_time(ledger: &Ledger<'_>, node: &Node, reveal: &Reveal, set: &Set<'_>) -> Result<()> {
    let past = Past::of(node);
    let Some(id) = reveal.declaration else {
        let mut others = ledger.sets_for(set.node.player.other(), SetKind::Note, &set.seal.purpose);
        let is_sealed = others.any(|other| past.has(&other.node));
        ensure!(is_sealed, Rule::Reveal7, "the other player must seal their orders first");
        return Ok(());
    };
    let Some(own) = ledger.declaration(&id) else { return Ok(()) };
    let is_early = own.standing().contains(&reveal.seal)
        && !set.is_opened(NOTE, past)
        && !course::is_standing_due(ledger, &reveal.seal, past);
    ensure!(
        !is_early,
        Rule::Reveal6,
        "the standing note is not due: its author does not have to make a decision that it could answer"
    );
    let contribution = own.sealed_contribution().map(|contribution| contribution.seal);
    let is_early = own.valid && contribution == Some(reveal.seal) && !ledger.is_answered(own, past);
    ensure!(!is_early, Rule::Reveal6, "the dice must be opened before the contribution");
    Ok(())
}
