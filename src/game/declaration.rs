//! A judged declaration: its rolls, and the dice once they are opened (`protocol/dice.md`).

use std::collections::{BTreeMap, HashMap};

use super::{
    node::{Node, Past, Played},
    opening::envelope,
    set::{Eyes, Set},
    terms::Terms,
};
use crate::{
    blob::{
        body::{Contribution, Declare, Ended, Hex32, Redo, Role, SealedContribution, Select, SetKind},
        json::Text,
    },
    error::{Error, Result},
    primitive::{
        dice::{Roots, Stream, roll_key},
        secret::Secret,
    },
    resolve::{self, Account, Draw, Draws, Given, Listed, Object, Outcome, Place, Rolls, Violation},
    rule::Rule,
};

/// A judged declaration.
pub struct Declaration<'a> {
    /// The placed letter of the declaration.
    pub node: Played<'a>,
    /// The body of the declaration.
    pub declare: &'a Declare,
    /// Whether the declaration broke no rule.
    pub valid: bool,
    /// The rule that the declaration broke, if any.
    pub(super) broke: Option<Rule>,
    /// Whether the declaration is in breach and can be done again.
    pub(super) again: bool,
    /// The planned rolls; empty if the declaration broke a rule.
    pub(super) plan: Plan,
    /// Valid redos that replace the declaration.
    pub replaced_by: Vec<&'a Node>,
    /// Yields and rulings that let the declarer name the dice (disputes 14).
    pub forfeits: Vec<&'a Node>,
    /// The claim that named the dice.
    pub named_by: Option<Hex32>,
    /// Whether all keys that the declaration asks for are opened.
    pub(super) answered: bool,
    /// The result, once the declaration is shown; [`course::public`](super::rules::course::public) gives the part that
    /// everyone may know.
    pub outcome: Option<Ended>,
    /// Violations that the outcome shows (courses 19).
    pub(super) violations: Vec<Violation>,
    /// The draws of the dice, in order; empty until they are known, and always empty in a lean ledger.
    pub trail: Vec<Draw>,
}

/// The rolls of a valid declaration, and the letters it found.
#[derive(Default)]
pub(super) struct Plan {
    /// The rolls to resolve; `None` for a declaration in breach. The input is parsed again on each use, because a game
    /// has many letters.
    pub(super) rolls: Option<Planned>,
    /// The places whose keys the reveal must give: envelopes in the order of use, or the deepest cell of each column.
    pub(super) asked: Vec<Place>,
    /// In a course, the declaration that was taken before this one.
    pub(super) before: Option<Hex32>,
    /// Standing notes that the declaration found (courses 12).
    pub(super) standing: Vec<Hex32>,
    /// The orders: the seal of each player's note (courses 18).
    pub(super) orders: Vec<Hex32>,
}

/// The rolls of a valid declaration.
pub(super) struct Planned {
    count: u64,
    places: Vec<Place>,
    state: Text,
}

impl Planned {
    pub(super) fn of(rolls: &dyn Rolls, state: &Object, places: Vec<Place>) -> Result<Self> {
        Ok(Self { count: rolls.count(), places, state: Text::of(state)? })
    }
}

/// The outcome of a declaration, and its draws.
pub(super) type Resolved = (Outcome, Vec<Draw>);

impl<'a> Declaration<'a> {
    /// Returns the id of the declaration's letter.
    #[must_use]
    pub fn id(&self) -> Hex32 {
        self.node.id()
    }

    /// Returns the id of the declaration in breach that this one does again.
    pub(super) const fn mends(&self) -> Option<Hex32> {
        match self.declare.redo {
            Some(Redo::Breach(id)) => Some(id),
            _ => None,
        }
    }

    /// Whether no more keys of the selection are owed: all are opened, or the dice are forfeited (secrets 3, disputes
    /// 14).
    #[must_use]
    pub const fn is_answered(&self) -> bool {
        self.answered || !self.forfeits.is_empty()
    }

    /// Whether the declaration waits for keys.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.valid && !self.is_answered()
    }

    /// Whether a known redo replaces the declaration.
    pub(super) fn is_replaced(&self, past: Past<'_>) -> bool {
        past.has_any(&self.replaced_by)
    }

    /// Whether a known letter lets the declarer name the dice.
    pub(super) fn is_forfeited(&self, past: Past<'_>) -> bool {
        past.has_any(&self.forfeits)
    }

    /// Returns the contribution, if it is sealed.
    #[must_use]
    pub const fn sealed_contribution(&self) -> Option<SealedContribution> {
        match self.declare.contribution {
            Some(Contribution::Sealed(contribution)) => Some(contribution),
            _ => None,
        }
    }

    /// Returns the places whose keys the reveal must give: envelopes in the order of use, or the deepest cell of each
    /// column.
    #[must_use]
    pub fn asked(&self) -> &[Place] {
        &self.plan.asked
    }

    /// Returns every place of the selection: envelopes, or each cell of a sheet (correct 6).
    pub(super) fn selected(&self) -> &[Place] {
        match self.declare.select {
            Some(Select::Cells(_)) => self.places(),
            _ => self.asked(),
        }
    }

    /// Returns the seals of the standing notes that the declaration found (courses 12).
    #[must_use]
    pub fn standing(&self) -> &[Hex32] {
        &self.plan.standing
    }

    /// Returns the seals of the orders (courses 18).
    #[must_use]
    pub fn orders(&self) -> &[Hex32] {
        &self.plan.orders
    }

    /// Returns the number of rolls.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.plan.rolls.as_ref().map_or(0, |rolls| rolls.count)
    }

    /// Returns the places of the rolls, in order.
    pub(super) fn places(&self) -> &[Place] {
        self.plan.rolls.as_ref().map_or(&[], |rolls| &rolls.places)
    }

    /// Returns the number, from 1, of the roll that takes its dice from a place.
    #[must_use]
    pub fn line_of(&self, place: Place) -> Option<u64> {
        self.places().iter().position(|other| *other == place).map(|at| at as u64 + 1)
    }

    /// Returns the state on which the declaration is resolved.
    pub(crate) fn state(&self) -> Option<Object> {
        self.plan.rolls.as_ref()?.state.read().ok()
    }

    /// Resolves the rolls with dice from a source and with the contents of the orders.
    pub(super) fn resolve(
        &self,
        terms: &Terms,
        orders: &[(Role, Object)],
        source: &mut dyn resolve::Source,
        account: &mut Account,
    ) -> Result<Resolved> {
        let nothing = || Error::Refused("the declaration does not have any rolls".into());
        let plan = self.plan.rolls.as_ref().ok_or_else(nothing)?;
        let phase = terms.phase_at(&self.declare.slot).ok_or_else(nothing)?;
        let rolls = phase.system.resolver().read(&self.declare.input, self.declare.redo.is_some())?;
        let (state, mut draws) = (plan.state.read()?, Draws::new(source));
        let outcome = rolls.resolve(Given { state: &state, orders }, &plan.places, &mut draws, account)?;
        Ok((outcome, draws.into_trail()))
    }

    /// Resolves the rolls with named dice, taken in the order in which the system asks for them. All of them must be
    /// used.
    pub(super) fn resolve_named(
        &self,
        terms: &Terms,
        orders: &[(Role, Object)],
        dice: &[u64],
        account: &mut Account,
    ) -> Result<Resolved> {
        let mut listed = Listed::new(dice);
        let resolved = self.resolve(terms, orders, &mut listed, account)?;
        listed.finish()?;
        Ok(resolved)
    }

    /// Stores the outcome and, unless the ledger is lean, the draws.
    pub(super) fn come_to(&mut self, (outcome, trail): Resolved, is_lean: bool) {
        (self.outcome, self.trail) = (Some(outcome.ended), if is_lean { Vec::new() } else { trail });
        self.violations = outcome.violations;
    }

    /// Records that the declarer may now name the dice.
    pub(super) fn forfeit(&mut self, node: &'a Node) {
        self.forfeits.push(node);
        if self.named_by.is_none() {
            self.outcome = None;
            self.violations.clear();
            self.trail.clear();
        }
    }

    /// Returns the declarer's contribution to the dice, if it is open, was opened, or can be read through `eyes`
    /// (secrets 2).
    pub(super) fn contribution_seed(&self, sets: &HashMap<Hex32, Set<'_>>, eyes: &Eyes<'_>) -> Option<Secret> {
        match self.declare.contribution {
            Some(Contribution::Open(contribution)) => Some(Secret::new(contribution.0)),
            Some(Contribution::Sealed(SealedContribution { index, seal })) => {
                let set = sets.get(&seal)?;
                Some(set.context.seed(&set.key_by(envelope(index), eyes)?, envelope(index)))
            }
            // The declaration has no rolls.
            None => Some(Secret::new([0; 32])),
        }
    }
}

/// The dice of a declaration's opened places.
pub(super) struct Opened<'s, 'a> {
    declaration: Hex32,
    contribution: Secret,
    set: Option<&'s Set<'a>>,
    roots: BTreeMap<Place, [u8; 32]>,
    streams: BTreeMap<Place, Stream>,
}

impl<'s, 'a> Opened<'s, 'a> {
    /// Returns the dice of a declaration, or `None` if its contribution is not known.
    pub(super) fn of(
        declaration: &Declaration<'_>,
        sets: &'s HashMap<Hex32, Set<'a>>,
        eyes: &Eyes<'_>,
    ) -> Option<Self> {
        Some(Self {
            declaration: declaration.id(),
            contribution: declaration.contribution_seed(sets, eyes)?,
            set: declaration.declare.seal.and_then(|seal| sets.get(&seal)),
            roots: BTreeMap::new(),
            streams: BTreeMap::new(),
        })
    }

    fn stream(&mut self, place: Place) -> Option<Stream> {
        let set = self.set?;
        // An envelope has one root for all its rows; each cell has its own.
        let keyed = match set.seal.kind {
            SetKind::Sheet => place,
            _ => envelope(place.index),
        };
        if !self.roots.contains_key(&keyed) {
            let seed = set.context.seed(&set.key(keyed)?, keyed);
            let seal = set.id();
            let roots =
                Roots { seal: &seal.0, declaration: &self.declaration.0, contribution: self.contribution.expose() };
            self.roots.insert(keyed, roots.root(place.index, seed.expose()));
        }
        self.roots.get(&keyed).map(|root| Stream::new(roll_key(root, place.line)))
    }
}

impl resolve::Source for Opened<'_, '_> {
    fn draw(&mut self, place: Place, sides: u64) -> Result<u64> {
        let closed = || Error::Refused(format!("envelope {} has not been opened", place.index));
        if !self.streams.contains_key(&place) {
            let stream = self.stream(place).ok_or_else(closed)?;
            self.streams.insert(place, stream);
        }
        self.streams.get_mut(&place).ok_or_else(closed)?.draw(sides)
    }
}
