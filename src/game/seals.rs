//! Sealed sets in the ledger: the rules of `seal` and `reveal`, what is opened, and what is left of each set
//! (`protocol/letters.md`).

use std::collections::{BTreeMap, HashSet};

use super::{
    charter::{Phase, Player},
    hidden::Eyes,
    ledger::Ledger,
    order::{Node, Played},
    sets::{Brought, Context},
};
use crate::{
    blob::body::{Close, Hex32, Name, Reveal, Seal, SetKind, Slot, Source, plain_number},
    error::{Error, Result},
    limits::ROWS,
    primitive::secret::Secret,
    resolve::{Object, Place, icrk},
    rule::Rule,
};

/// A sealed set.
#[derive(Debug)]
pub struct Set<'a> {
    /// Its seal's letter.
    pub node: Played<'a>,
    /// What the seal says.
    pub seal: &'a Seal,
    /// What its keys are good for.
    pub context: Context,
    /// Whether the seal broke no rule.
    pub valid: bool,
    pub(super) openings: BTreeMap<u64, Vec<Opening<'a>>>,
    /// Valid declarations that wait for keys of it.
    pub(super) waiting: Vec<Hex32>,
}

/// A key that matched, and the letter that carried it.
#[derive(Debug)]
pub(super) struct Opening<'a> {
    pub(super) node: &'a Node,
    line: u64,
    key: Secret,
}

impl<'a> Set<'a> {
    /// Whether a place is opened by a letter that is known.
    pub(super) fn opened_if(&self, place: Place, known: impl Fn(&Node) -> bool) -> bool {
        self.openings_of(place).any(|opening| known(opening.node))
    }

    /// Whether a place is opened in the past of a letter.
    pub(super) fn opened_for(&self, place: Place, node: &Node) -> bool {
        self.opened_if(place, |letter| node.has_in_past(letter))
    }

    /// Every letter that opened a place.
    pub(super) fn openings_of(&self, place: Place) -> impl Iterator<Item = &Opening<'a>> {
        let openings = self.openings.get(&place.index).into_iter().flatten();
        openings.filter(move |opening| opening.line >= place.line)
    }

    /// What a note says, once it is opened.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let ciphertext = self.seal.notes.as_ref()?.first()?;
        self.context.open_note(&self.key(Place { index: 0, line: 0 })?, &ciphertext.0).ok()
    }

    /// K of a place, if any letter at hand opens it.
    #[must_use]
    pub fn key(&self, place: Place) -> Option<Secret> {
        let opening = self.openings_of(place).next()?;
        let from = Place { index: place.index, line: opening.line };
        Some(self.context.climb(&opening.key, from, place.line))
    }

    /// The same, or by whoever has its M.
    pub(super) fn key_by(&self, place: Place, eyes: &Eyes<'_>) -> Option<Secret> {
        self.key(place).or_else(|| eyes(self).map(|master| self.context.key(&master, place)))
    }

    fn open(&mut self, place: Place, key: Secret, node: &'a Node) {
        let known = self.openings.entry(place.index).or_default();
        let covered = |opening: &Opening<'_>| {
            opening.line >= place.line && (node.has_in_past(opening.node) || node.id() == opening.node.id())
        };
        if !known.iter().any(covered) {
            known.push(Opening { node, line: place.line, key });
        }
    }
}

impl<'a> Ledger<'a> {
    pub(super) fn take_seal(&mut self, node: Played<'a>, seal: &'a Seal, common: Result<()>) -> Result<()> {
        let checked = common.and_then(|()| self.check_seal(node, seal));
        let own = self.own.of_mut(node.player);
        own.seals.push(node.id());
        if checked.is_ok() {
            own.purposes.entry((seal.kind, seal.purpose.clone())).or_default().push(node.id());
        }
        for commit in &seal.commits {
            self.commitments.entry(*commit).or_default().push(node.node());
        }
        let set = Set {
            node,
            seal,
            context: Context::of(self.game, self.terms.charter.referee.as_ref(), &node.message.head().author, seal),
            valid: checked.is_ok(),
            openings: BTreeMap::new(),
            waiting: Vec::new(),
        };
        let (may_be_held, is_chosen) = (self.may_be_held(&set), set.valid && self.decision_of(&set).is_some());
        let own = self.own.of_mut(node.player);
        own.unheld.extend(may_be_held.then_some(node.id()));
        own.unread.extend(is_chosen.then_some(node.id()));
        self.sets.insert(node.id(), set);
        checked
    }

    fn check_seal(&self, node: Played<'_>, seal: &Seal) -> Result<()> {
        let sealer = self.terms.role(node.player);
        let declarer = match seal.kind {
            SetKind::Note | SetKind::Contribution => sealer,
            SetKind::Coin | SetKind::Sheet | SetKind::Plain | SetKind::FoulUp => self.terms.role(node.player.other()),
        };
        let revealer = self.terms.revealer(node.player, seal.kind, &seal.purpose);
        if seal.declarer != *declarer || seal.revealer != *revealer {
            return Err(Error::breach(Rule::Seal1, format!("the declarer is {declarer} and the revealer {revealer}")));
        }
        let purpose = self.purpose(node.player, seal);
        let phase = purpose.as_ref().ok().copied().flatten();
        let places = match (seal.kind, phase) {
            (SetKind::Coin, Some(phase)) => phase.envelopes,
            (SetKind::Coin, None) => None,
            (SetKind::Sheet, _) => Some((crate::limits::COLUMNS * ROWS) as u64),
            (SetKind::FoulUp, _) => Some(self.terms.charter.foul_up.envelopes),
            (SetKind::Note | SetKind::Plain, _) => Some(1),
            (SetKind::Contribution, _) => None,
        };
        if let Some(places) = places.filter(|places| *places != seal.n) {
            return Err(Error::breach(Rule::Seal2, format!("the charter says {places} places, not {}", seal.n)));
        }
        if !self.fits_sheet(seal) {
            return Err(Error::breach(Rule::Seal2, "the sheet is not as long as the sheets of its course (hidden 2)"));
        }
        purpose?;
        let before = self.own.of(node.player).purposes.get(&(seal.kind, seal.purpose.clone()));
        if before.into_iter().flatten().any(|before| !self.kills(before, &node)) {
            return Err(Error::breach(
                Rule::Seal4,
                format!("{sealer} has sealed a {} set for {} before", seal.kind.as_str(), seal.purpose),
            ));
        }
        let mut once = HashSet::new();
        for commit in &seal.commits {
            let mut sealed = self.commitments.get(commit).into_iter().flatten();
            if !once.insert(commit) || sealed.any(|other| node.has_in_past(other)) {
                return Err(Error::breach(
                    Rule::Seal5,
                    format!("the commitment {commit} was sealed before: it is a copy"),
                ));
            }
        }
        Ok(())
    }

    /// Checks a purpose (seal 3); of a coin set it gives the phase.
    fn purpose(&self, sealer: Player, seal: &Seal) -> Result<Option<&'a Phase>> {
        let breach = || Error::breach(Rule::Seal3, format!("{:?} is no purpose of such a set", seal.purpose));
        let numbered = |prefix: &str| {
            let number = seal.purpose.strip_prefix(prefix);
            number.and_then(|number| plain_number(number, 9_999)).map(|_| None)
        };
        match seal.kind {
            SetKind::Coin => {
                let slot = Slot::parse(&seal.purpose);
                let phase = slot.as_ref().and_then(|slot| self.terms.slot(slot)).map(|(_, phase)| phase);
                phase.filter(|phase| phase.envelopes.is_some() && phase.may_be_declared_by(sealer.other())).map(Some)
            }
            SetKind::Plain => {
                let slot = Slot::parse(&seal.purpose);
                let phase = slot.as_ref().and_then(|slot| self.terms.slot(slot)).map(|(_, phase)| phase);
                phase
                    .filter(|phase| phase.source == Source::Plain && phase.may_be_declared_by(sealer.other()))
                    .map(Some)
            }
            SetKind::Sheet => numbered("sheet/"),
            SetKind::FoulUp => numbered("foul-up/"),
            SetKind::Contribution => numbered("contribution/"),
            SetKind::Note => self.note_slot(&seal.purpose).map(|_| None),
        }
        .ok_or_else(breach)
    }

    /// The slot in the purpose of a note.
    pub(super) fn note_slot(&self, purpose: &str) -> Option<Slot> {
        let (slot, name) = purpose.rsplit_once('/')?;
        Name::parse(name)?;
        Slot::parse(slot).filter(|slot| self.terms.slot(slot).is_some())
    }

    pub(super) fn check_reveal(&self, node: &Node, reveal: &Reveal, unlocked: &[Unlocked]) -> Result<()> {
        let set = self.check_revealer(node, reveal)?;
        self.check_asked(reveal, set)?;
        let matching: Vec<&(Place, Secret)> = unlocked.iter().flat_map(|unlocked| &unlocked.keys).collect();
        for (place, key) in Brought::from(reveal).of_kind(set.seal.kind) {
            if !matching.iter().any(|(other, matching)| *other == place && *matching == key) {
                return Err(Error::breach(
                    Rule::Reveal5,
                    format!("the key of {} does not match the seal", place_name(set, place)),
                ));
            }
            check_note(&set.context, set.seal, &key)?;
        }
        self.check_time(node, reveal, set)
    }

    /// The keys that a letter brings and that match: they are opened, whatever else the letter is (letters 9).
    pub(super) fn match_keys(&self, seal: Hex32, brought: Brought<'_>) -> Unlocked {
        let set = self.sets.get(&seal).filter(|set| set.valid);
        let matching = set.into_iter().flat_map(|set| {
            let keys = brought.of_kind(set.seal.kind).into_iter();
            keys.filter(|(place, key)| set.context.matches(set.seal, key, *place))
        });
        Unlocked { seal, keys: matching.collect() }
    }

    /// The keys that the masters of a close give, as far as they match.
    pub(super) fn unlock(&self, close: &Close) -> Vec<Unlocked> {
        let valid = close.masters.iter().flatten().filter_map(|master| {
            let set = self.sets.get(&master.seal).filter(|set| set.valid)?;
            let secret = Secret::new(master.master.0);
            let keys = set.context.deepest_places().map(|place| (place, set.context.key(&secret, place)));
            Some(Unlocked {
                seal: master.seal,
                keys: keys.filter(|(place, key)| set.context.matches(set.seal, key, *place)).collect(),
            })
        });
        valid.collect()
    }

    pub(super) fn open(&mut self, node: &'a Node, unlocked: Vec<Unlocked>) {
        for Unlocked { seal, keys } in unlocked {
            if let Some(set) = self.sets.get_mut(&seal) {
                if set.seal.kind == SetKind::Note && !keys.is_empty() {
                    self.own.of_mut(set.node.player).unread.retain(|unread| *unread != seal);
                }
                keys.into_iter().for_each(|(place, key)| set.open(place, key, node));
            }
            self.resolve_waiting(seal);
        }
    }

    /// The valid sets that a player sealed for a purpose: one, and another for each that was killed.
    pub(super) fn sets_for<'s>(
        &'s self,
        sealer: Player,
        kind: SetKind,
        purpose: &str,
    ) -> impl Iterator<Item = &'s Set<'a>> + use<'s, 'a> {
        let ids = self.own.of(sealer).purposes.get(&(kind, purpose.to_owned())).into_iter().flatten();
        ids.filter_map(|id| self.sets.get(id))
    }

    /// How far down each column of a sheet is spent for a declaration (icrk 3).
    pub(super) fn spent_for(&self, seal: &Hex32, node: Played<'_>) -> Object {
        icrk::state_of(&self.spent_if(seal, node.player, |letter| node.has_in_past(letter)))
    }

    /// The same with all letters at hand: what both players tick off. Column to depth.
    #[must_use]
    pub fn spent(&self, seal: &Hex32, declarer: Player) -> BTreeMap<u64, u64> {
        self.spent_if(seal, declarer, |_| true)
    }

    /// How far down each column of a sheet is named by a player's declarations: column to depth.
    #[must_use]
    pub fn named_cells(&self, seal: &Hex32, declarer: Player) -> BTreeMap<u64, u64> {
        self.own.of(declarer).named_cells.get(seal).cloned().unwrap_or_default()
    }

    fn spent_if(&self, seal: &Hex32, declarer: Player, known: impl Fn(&Node) -> bool) -> BTreeMap<u64, u64> {
        let mut spent = self.named_cells(seal, declarer);
        for (column, openings) in self.sets.get(seal).into_iter().flat_map(|set| &set.openings) {
            let depths = openings.iter().filter(|opening| known(opening.node)).map(|opening| opening.line);
            let depth = spent.entry(*column).or_insert(0);
            *depth = depths.max().unwrap_or(0).max(*depth);
        }
        spent
    }

    /// The valid seal of a player for a purpose.
    #[must_use]
    pub fn sealed(&self, sealer: Player, kind: SetKind, purpose: &str) -> Option<Hex32> {
        self.sets_for(sealer, kind, purpose).map(|set| set.node.id()).find(|seal| !self.is_killed(seal))
    }

    /// How many envelopes of a foul-up or contribution set are neither named by its declarer nor opened.
    #[must_use]
    pub fn envelopes_left(&self, seal: &Hex32, declarer: Player) -> u64 {
        let Some(set) = self.sets.get(seal) else { return 0 };
        let named = self.own.of(declarer).named_indices.get(seal);
        let free = |index: &u64| {
            !named.is_some_and(|named| named.contains(index)) && set.key(Place { index: *index, line: 0 }).is_none()
        };
        (0..set.seal.n).filter(free).count() as u64
    }

    /// The set that a seal committed to, if the seal was judged.
    #[must_use]
    pub fn set(&self, seal: &Hex32) -> Option<&Set<'a>> {
        self.sets.get(seal)
    }

    /// Every judged seal of a player, in the order of his chain.
    #[must_use]
    pub fn seals(&self, player: Player) -> &[Hex32] {
        &self.own.of(player).seals
    }
}

/// What a letter opens: places of a valid set with their matching keys; from a master the deepest ones of a sheet.
pub(super) struct Unlocked {
    pub(super) seal: Hex32,
    pub(super) keys: Vec<(Place, Secret)>,
}

/// What people call a place of a set.
fn place_name(set: &Set<'_>, place: Place) -> String {
    match set.seal.kind {
        SetKind::Sheet => format!("column {}, row {}", place.index, place.line),
        _ => format!("envelope {}", place.index),
    }
}

/// That the note of a set opens with its key (reveal 5, close 3); other sets have none.
pub(super) fn check_note(context: &Context, seal: &Seal, key: &Secret) -> Result<()> {
    for note in seal.notes.iter().flatten() {
        context.open_note(key, &note.0).map_err(|error| Error::breach(Rule::Envelope7, error.to_string()))?;
    }
    Ok(())
}
