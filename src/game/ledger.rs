//! The ledger: the state of a game after its letters. It stores the judgements and answers queries limited to a past;
//! the law is in [`rules`](super::rules), and [`replay`](super::replay) fills the ledger letter by letter.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, HashMap},
};

use super::{
    branches::Fork,
    declaration::Declaration,
    finding::Finding,
    ids::Ids,
    node::{Node, Past, Played},
    opening::{NOTE, envelope},
    order::Order,
    purpose::Purpose,
    records::{self, Claims, Courses, Escrow, Own, Proposals, Proposed, Receipts, Rulings, Untold, any_known},
    runs::{Ran, Supplied},
    set::{Set, read_note},
    terms::{Author, Both, Decision, Phase, Player, SlotKey, Terms},
};
use crate::{
    blob::{
        Body, Verified,
        body::{Declare, Hex32, Name, Redo, Role, SetKind, Slot},
        disputes::Stall,
    },
    resolve::Object,
};

/// The state of a game after all placed letters.
pub struct Ledger<'a> {
    /// The terms of the game.
    pub terms: &'a Terms,
    /// Id of the game.
    pub game: Hex32,
    /// Ids of all letters that the replay knows.
    pub ids: Ids,
    pub(super) nodes: HashMap<Hex32, &'a Node>,
    /// The letters in the order in which they were taken.
    pub(super) taken: Vec<&'a Node>,
    /// Each author's last letter that stands.
    pub(super) heads: BTreeMap<Author, &'a Node>,
    pub(super) forks: &'a [Fork],
    /// Letters with broken links, if the game is too branched to replay.
    pub(super) broken: &'a [(Hex32, Author)],
    /// The breach found in each letter itself.
    pub(super) found: HashMap<Hex32, Finding>,
    pub(super) sets: HashMap<Hex32, Set<'a>>,
    pub(super) declarations: HashMap<Hex32, Box<Declaration<'a>>>,
    /// Ids of the judged declarations, in the order of replay.
    pub(super) declared: Vec<Hex32>,
    /// Ids of the valid declarations for which somebody owes keys.
    pub(super) unanswered: Vec<Hex32>,
    /// The valid declarations of a slot.
    pub(super) declared_slots: HashMap<Slot, Vec<&'a Node>>,
    /// The judged declarations by turn and impulse.
    pub(super) declared_in: HashMap<(u64, u64), Vec<Hex32>>,
    /// The judged declarations by the sets they name.
    pub(super) declared_on: HashMap<Hex32, Vec<Hex32>>,
    /// Valid open decisions outside courses.
    pub(super) decisions: HashMap<(Slot, Name), Vec<&'a Node>>,
    pub(super) commitments: HashMap<Hex32, Vec<&'a Node>>,
    pub(super) proposals: Proposals<'a>,
    pub(super) claims: Claims<'a>,
    pub(super) rulings: Rulings<'a>,
    pub(super) receipts: Receipts<'a>,
    pub(super) escrow: Escrow<'a>,
    pub(super) courses: Courses<'a>,
    pub(super) untold: Untold<'a>,
    pub(super) own: Both<Own<'a>>,
    /// Tables supplied from outside for runs (hidden 8).
    pub(super) supplied: Supplied,
    /// The runs, computed on first use.
    pub(super) ran: OnceCell<Vec<Ran>>,
    /// The findings, computed on first use.
    pub(super) findings: OnceCell<Vec<Finding>>,
    /// Whether draws are left out.
    pub(super) is_lean: bool,
}

impl<'a> Ledger<'a> {
    /// Creates the ledger of a game before any letter is taken.
    pub(super) fn new(terms: &'a Terms, game: Hex32, order: &'a Order, is_lean: bool) -> Self {
        Self {
            terms,
            game,
            ids: order.ids.clone(),
            nodes: HashMap::with_capacity(order.nodes.len()),
            taken: Vec::with_capacity(order.nodes.len()),
            heads: BTreeMap::new(),
            forks: &order.forks,
            broken: &order.broken,
            found: HashMap::new(),
            sets: HashMap::new(),
            declarations: HashMap::new(),
            declared: Vec::new(),
            unanswered: Vec::new(),
            declared_slots: HashMap::new(),
            declared_in: HashMap::new(),
            declared_on: HashMap::new(),
            decisions: HashMap::new(),
            commitments: HashMap::new(),
            proposals: Proposals::default(),
            claims: Claims::default(),
            rulings: Rulings::default(),
            receipts: Receipts::default(),
            escrow: Escrow::default(),
            courses: Courses::default(),
            untold: Untold::default(),
            own: Both::default(),
            supplied: Supplied::new(),
            ran: OnceCell::new(),
            findings: OnceCell::new(),
            is_lean,
        }
    }

    /// Supplies tables for runs.
    pub fn supply(&mut self, tables: Supplied) {
        self.supplied = tables;
        self.ran = OnceCell::new();
    }

    /// Returns the body of a letter, if the letter is placed in this game.
    #[must_use]
    pub fn body(&self, id: &Hex32) -> Option<&'a Body> {
        self.letter(id).map(Verified::body)
    }

    /// Returns a placed letter.
    #[must_use]
    pub fn letter(&self, id: &Hex32) -> Option<&'a Verified> {
        self.nodes.get(id).map(|node| &node.message)
    }

    /// Returns the number of letters taken.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.taken.len()
    }

    /// Returns the ids of placed letters that begin with the given digits, ascending.
    #[must_use]
    pub fn letters_like(&self, begins: &str) -> Vec<Hex32> {
        self.ids.like(begins).into_iter().filter(|id| self.nodes.contains_key(id)).collect()
    }

    /// Returns the breach found in a placed letter itself, judged as signed.
    #[must_use]
    pub fn found_on(&self, letter: &Hex32) -> Option<&Finding> {
        self.found.get(letter)
    }

    /// Returns an author's last letter that stands; the office may have several with the same number (office 24).
    #[must_use]
    pub fn last_letter_of(&self, author: Author) -> Option<&'a Node> {
        self.heads.get(&author).copied()
    }

    /// Returns a player's last letter that stands.
    #[must_use]
    pub fn last_letter(&self, player: Player) -> Option<&'a Node> {
        self.last_letter_of(Author::Player(player))
    }

    /// Returns a player's counted letters that have another letter in their past, in order (letters 6, 7).
    pub(super) fn letters_knowing(&self, player: Player, letter: &Node) -> &[&'a Node] {
        // A player's knowledge only grows along the chain.
        let counted = &self.own.of(player).counted;
        counted.get(counted.partition_point(|own| !own.has_in_past(letter))..).unwrap_or_default()
    }

    /// Returns the results of the game as stated in a player's closes.
    pub fn results(&self, player: Player) -> impl Iterator<Item = &'a str> {
        let closes = self.own.of(player).closes.iter();
        closes.filter_map(|close| match close.message.body() {
            Body::Close(close) => close.result.as_deref(),
            _ => None,
        })
    }

    /// Whether a player has closed.
    #[must_use]
    pub const fn has_closed(&self, player: Player) -> bool {
        !self.own.of(player).closes.is_empty()
    }

    /// Whether a player has published the masters of all sets.
    #[must_use]
    pub const fn has_published(&self, player: Player) -> bool {
        self.own.of(player).masters
    }

    /// Returns the set that a seal committed to, if the seal was judged.
    #[must_use]
    pub fn set(&self, seal: &Hex32) -> Option<&Set<'a>> {
        self.sets.get(seal)
    }

    /// Returns the set that a declaration takes its dice from.
    #[must_use]
    pub fn set_of(&self, declare: &Declare) -> Option<&Set<'a>> {
        self.sets.get(declare.seal.as_ref()?)
    }

    /// Returns the ids of a player's judged seals, in the order of the chain.
    #[must_use]
    pub fn seals(&self, player: Player) -> &[Hex32] {
        &self.own.of(player).seals
    }

    /// Returns a player's valid sets for a purpose: one, plus one for each set that was killed.
    pub(super) fn sets_for<'s>(
        &'s self,
        sealer: Player,
        kind: SetKind,
        purpose: &str,
    ) -> impl Iterator<Item = &'s Set<'a>> + use<'s, 'a> {
        let ids = self.own.of(sealer).purposes.get(&(kind, purpose.to_owned())).into_iter().flatten();
        ids.filter_map(|id| self.sets.get(id))
    }

    /// Returns a player's valid seal for a purpose, judged with all available letters.
    #[must_use]
    pub fn sealed(&self, sealer: Player, kind: SetKind, purpose: &str) -> Option<Hex32> {
        self.sets_for(sealer, kind, purpose).map(Set::id).find(|seal| !self.is_killed(seal, Past::ALL))
    }

    /// Whether a known epoch began after one of the office's sets was sealed.
    fn is_before_epoch(&self, set: &Set<'_>, past: Past<'_>) -> bool {
        self.terms.is_offices(set.seal)
            && self.escrow.epochs.iter().any(|epoch| past.has(epoch) && !set.node.has_in_past(epoch))
    }

    /// Whether a ruling killed a set (ruling 4) or, if the set has dice, an epoch of the office did (office 27).
    #[must_use]
    pub fn is_killed(&self, seal: &Hex32, past: Past<'_>) -> bool {
        let set = self.sets.get(seal).filter(|set| set.seal.kind.has_dice());
        set.is_some_and(|set| self.is_before_epoch(set, past))
            || self.rulings.killed.get(seal).is_some_and(|ruling| past.has(ruling))
    }

    /// Whether the office no longer has a set: it was handed back, killed, or sealed before an epoch (office 20).
    fn is_taken_back(&self, seal: &Hex32, past: Past<'_>) -> bool {
        any_known(&self.escrow.back, seal, past)
            || self.sets.get(seal).is_some_and(|set| self.is_before_epoch(set, past))
            || self.rulings.killed.get(seal).is_some_and(|ruling| past.has(ruling))
    }

    /// Whether the office has the keys of a set (office 8).
    #[must_use]
    pub fn is_with_office(&self, seal: &Hex32, past: Past<'_>) -> bool {
        any_known(&self.escrow.held, seal, past) && !self.is_taken_back(seal, past)
    }

    /// Whether the office, not the sealer, opens the dice of a declaration (office 9): the office held them for the
    /// declaration, has not lost them since, and no claim says that it is silent.
    #[must_use]
    pub fn is_up_to_office(&self, declaration: &Node, past: Past<'_>) -> bool {
        let Body::Declare(declare) = declaration.message.body() else { return false };
        let Some(seal) = &declare.seal else { return false };
        self.is_with_office(seal, Past::of(declaration))
            && !self.is_taken_back(seal, past)
            && !any_known(&self.claims.stalled, &declaration.id(), past)
    }

    /// Whether the office opens the dice of a declaration, judged with all available letters (office 15).
    #[must_use]
    pub fn office_may_open(&self, declare: &Declare) -> bool {
        declare.seal.is_some_and(|seal| self.is_with_office(&seal, Past::ALL))
    }

    /// Whether a set is valid and the office may hold it.
    pub(super) fn may_be_held(&self, seal: &Hex32) -> bool {
        self.sets.get(seal).is_some_and(|set| set.valid && self.terms.is_offices(set.seal))
    }

    /// Whether the office may hold a set but has not given a receipt for it.
    pub(super) fn awaits_office(&self, set: &Set<'_>) -> bool {
        let seal = set.id();
        self.may_be_held(&seal) && !self.escrow.held.contains_key(&seal) && !self.is_taken_back(&seal, Past::ALL)
    }

    /// Whether the keys of a set are held under a receipt from the referee (receipt 1).
    #[must_use]
    pub fn is_held(&self, seal: &Hex32, past: Past<'_>) -> bool {
        any_known(&self.receipts.held, seal, past)
    }

    /// Whether the referee held the set of a declaration when that declaration was signed (deposits 9).
    pub(super) fn was_held_for(&self, declaration: &Declaration<'_>) -> bool {
        declaration.declare.seal.is_some_and(|seal| self.is_held(&seal, Past::of(&declaration.node)))
    }

    /// Whether the referee may open a set by ruling (deposits 3).
    pub(super) fn has_fallback(&self, seal: &Hex32) -> bool {
        self.sets.get(seal).is_some_and(|set| set.valid && set.context.fallback.is_some())
    }

    /// Returns the spent depth of each column of a sheet, by column: cells that a player's declarations named or a
    /// letter opened (icrk 3).
    #[must_use]
    pub fn spent(&self, seal: &Hex32, declarer: Player, past: Past<'_>) -> BTreeMap<u64, u64> {
        let mut spent = self.named_cells(seal, declarer);
        for (column, openings) in self.sets.get(seal).into_iter().flat_map(|set| &set.openings) {
            let depths = openings.iter().filter(|opening| past.has(opening.node)).map(|opening| opening.line);
            let depth = spent.entry(*column).or_insert(0);
            *depth = depths.max().unwrap_or(0).max(*depth);
        }
        spent
    }

    /// Returns the depth to which a player's declarations name each column of a sheet, by column.
    #[must_use]
    pub fn named_cells(&self, seal: &Hex32, declarer: Player) -> BTreeMap<u64, u64> {
        self.own.of(declarer).named_cells.get(seal).cloned().unwrap_or_default()
    }

    /// Returns the unopened envelopes of a set that a player's declarations do not name, ascending.
    pub(super) fn free(&self, set: &Set<'_>, declarer: Player, past: Past<'_>) -> impl Iterator<Item = u64> {
        let named = self.own.of(declarer).named_indices.get(&set.id());
        let is_named = move |index: &u64| named.is_some_and(|named| named.contains(index));
        (0..set.seal.n).filter(move |index| !is_named(index) && !set.is_opened(envelope(*index), past))
    }

    /// Returns the contents of opened notes, by the role of their sealer (courses 14, 18).
    pub(super) fn say(&self, notes: &[Hex32]) -> Vec<(Role, Object)> {
        let says = |seal: &Hex32| {
            let set = self.sets.get(seal)?;
            Some((self.terms.role(set.node.player).clone(), read_note(&set.note()?)?))
        };
        notes.iter().filter_map(says).collect()
    }

    /// Returns the valid notes of a player for a decision.
    pub(super) fn notes_for(&self, player: Player, slot: &Slot, name: &Name) -> impl Iterator<Item = &Set<'a>> {
        self.sets_for(player, SetKind::Note, &format!("{slot}/{name}"))
    }

    /// Returns the slot in the purpose of a note, if it is possible.
    pub(super) fn note_slot(&self, set: &Set<'_>) -> Option<Slot> {
        let Purpose::Note(slot, _) = set.purpose()? else { return None };
        self.terms.slot(&slot).is_some().then_some(slot)
    }

    /// Returns the slot of a note, and the decision of the terms that the note is for.
    pub(super) fn decision_of(&self, set: &Set<'_>) -> Option<(Slot, &'a Decision)> {
        let Purpose::Note(slot, name) = set.purpose()? else { return None };
        let decision = self.terms.phase_at(&slot)?.decision(&name)?;
        Some((slot, decision))
    }

    /// Returns a judged declaration.
    #[must_use]
    pub fn declaration(&self, id: &Hex32) -> Option<&Declaration<'a>> {
        self.declarations.get(id).map(AsRef::as_ref)
    }

    /// Returns the judged declarations, in the order of replay.
    pub fn declarations(&self) -> impl Iterator<Item = &Declaration<'a>> {
        self.declared.iter().filter_map(|id| self.declaration(id))
    }

    /// Returns the valid declarations for which somebody owes keys, in the order of replay.
    pub fn unanswered(&self) -> impl Iterator<Item = &Declaration<'a>> {
        self.unanswered.iter().filter_map(|id| self.declaration(id))
    }

    /// Returns the valid declarations of a slot that no redo replaces, in the order of replay. In a course whose state
    /// determines the declarer, each player may have one there.
    pub fn standing_at(&self, slot: &Slot) -> impl Iterator<Item = &Declaration<'a>> {
        let declared = self.declared_slots.get(slot).into_iter().flatten();
        let declared = declared.filter_map(|node| self.declaration(&node.id()));
        declared.filter(|declared| declared.replaced_by.is_empty())
    }

    /// Whether both players have declarations for this declaration's slot, so that the slot alone is ambiguous.
    #[must_use]
    pub fn shares_slot(&self, declaration: &Declaration<'_>) -> bool {
        let mut declared = self.declared_slots.get(&declaration.declare.slot).into_iter().flatten();
        declared.any(|node| node.author != declaration.node.author)
    }

    /// Returns the last slot that a player declared outside courses, not counting redos.
    #[must_use]
    pub const fn last_slot(&self, player: Player) -> Option<SlotKey> {
        self.own.of(player).last_slot
    }

    /// Returns the number of a player's next declaration in the turn, impulse and phase of a slot (declare 20).
    #[must_use]
    pub fn next_number(&self, player: Player, slot: &Slot) -> u64 {
        self.own.of(player).numbers.get(&records::in_place(slot)).map_or(1, |numbers| numbers.next)
    }

    /// Returns the phase of a judged declaration, if the phase belongs to a course.
    pub(super) fn course_of(&self, declaration: &Hex32) -> Option<&'a Phase> {
        self.terms.course_at(&self.declaration(declaration)?.declare.slot)
    }

    /// Returns the declaration that an agreed redo replaces, directly or through the redo of a breach.
    pub(super) fn replaced(&self, mut redo: Option<Redo>) -> Option<&Declaration<'a>> {
        loop {
            match redo? {
                Redo::Agreed(acceptance) => {
                    return self.declaration(&self.proposals.agreed(&acceptance)?.declaration);
                }
                Redo::Breach(id) => redo = self.declaration(&id)?.declare.redo,
                Redo::Opened(_) => return None,
            }
        }
    }

    /// Whether every key in a declaration's selection is opened (secrets 3).
    pub(super) fn is_answered(&self, declaration: &Declaration<'_>, past: Past<'_>) -> bool {
        let set = self.set_of(declaration.declare);
        declaration.asked().iter().all(|place| set.is_some_and(|set| set.is_opened(*place, past)))
    }

    /// Whether everything that determines a declaration's dice is opened (secrets 3).
    pub(super) fn is_shown(&self, declaration: &Declaration<'_>, past: Past<'_>) -> bool {
        let contributed = declaration
            .sealed_contribution()
            .is_none_or(|own| self.sets.get(&own.seal).is_some_and(|set| set.is_opened(envelope(own.index), past)));
        contributed && self.is_answered(declaration, past)
    }

    /// Whether a known letter opened the sheet of a valid declaration in a hidden course (hidden 6).
    pub(super) fn is_sheet_known(&self, declaration: &Hex32, past: Past<'_>) -> bool {
        let own = self.declaration(declaration).filter(|own| own.valid);
        let own = own.filter(|own| self.terms.hidden_at(&own.declare.slot).is_some());
        let sheet = own.and_then(|own| self.sets.get(&own.declare.moves.note()?));
        sheet.is_some_and(|sheet| sheet.is_opened(NOTE, past))
    }

    /// Whether a roll of a declaration, given by its number from 1, is void.
    pub(super) fn is_void(&self, declaration: &Hex32, line: u64, past: Past<'_>) -> bool {
        let mut voids = self.claims.voids.get(declaration).into_iter().flatten();
        voids.any(|(by, scope)| scope.has(line) && past.has(by))
    }

    /// Whether any roll of a declaration is void.
    pub(super) fn any_void(&self, declaration: &Hex32, past: Past<'_>) -> bool {
        self.claims.voids.get(declaration).into_iter().flatten().any(|(by, _)| past.has(by))
    }

    /// Returns the letter that voided a roll of a declaration, given by the roll's number from 1.
    #[must_use]
    pub fn voided_by(&self, declaration: &Hex32, line: u64) -> Option<Hex32> {
        let mut voids = self.claims.voids.get(declaration).into_iter().flatten();
        voids.find(|(_, scope)| scope.has(line)).map(|(by, _)| by.id())
    }

    /// Returns a valid proposal.
    #[must_use]
    pub fn proposal(&self, id: &Hex32) -> Option<Proposed<'a>> {
        self.proposals.valid.get(id).map(|(_, proposed)| *proposed)
    }

    /// Returns the referee's request about a claim.
    #[must_use]
    pub fn request_for(&self, claim: &Hex32) -> Option<Hex32> {
        self.rulings.requests.iter().find(|(_, of)| *of == claim).map(|(request, _)| *request)
    }

    /// Returns the claim named by a valid request.
    #[must_use]
    pub fn claim_of(&self, request: &Hex32) -> Option<Hex32> {
        self.rulings.requests.get(request).copied()
    }

    /// Returns the claim named by a valid request: its id, its letter, and its stall.
    pub(super) fn requested(&self, request: &Hex32) -> Option<(Hex32, Played<'a>, &'a Stall)> {
        let claim = *self.rulings.requests.get(request)?;
        self.claims.stall(&claim).map(|(played, stall)| (claim, played, stall))
    }

    /// Whether the referee has requested the opening that is due for a letter.
    #[must_use]
    pub fn is_requested(&self, letter: &Hex32) -> bool {
        let mut claims = self.rulings.requests.values().filter_map(|claim| self.claims.stall(claim));
        claims.any(|(_, stall)| stall.letter == Some(*letter))
    }

    /// Returns the ruling that settled a run's finding on a declaration, if the declaration's sheet is in the ruling's
    /// past (hidden 6).
    #[must_use]
    pub fn settled_knowingly(&self, declaration: &Hex32) -> Option<Hex32> {
        let mut rulings = self.rulings.settled.get(declaration)?.iter().filter_map(|ruling| self.nodes.get(ruling));
        rulings.find(|ruling| self.is_sheet_known(declaration, Past::of(ruling))).map(|ruling| ruling.id())
    }

    /// Returns the latest time that the office reported on any branch, in seconds since 1970.
    #[must_use]
    pub const fn told(&self) -> Option<u64> {
        self.untold.told
    }
}
