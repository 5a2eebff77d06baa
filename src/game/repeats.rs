//! Lists that roll again for something that an earlier list of the same phase rolled for, when those dice were known.
//! The protocol allows this, because only the rules of a game determine what may be rolled for twice; readers of the
//! game are informed.

use std::collections::{BTreeSet, HashMap};

use serde::Deserialize;

use super::{
    declaration::Declaration,
    ledger::Ledger,
    node::Past,
    terms::{Phase, Player},
};
use crate::{
    blob::body::{Hex32, Name, Slot},
    resolve::System,
};

/// A list that rolls again for something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The later declaration.
    pub declaration: Hex32,
    /// Slot of the later declaration.
    pub slot: Slot,
    /// A description in words, partly as a player wrote it.
    pub text: String,
}

/// The lines of a `coin-envelopes` or `icrk` input, which name what is rolled for.
#[derive(Deserialize)]
struct Rolled {
    #[serde(default, alias = "rolls")]
    attacks: Vec<Line>,
}

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    hexes: Vec<String>,
    #[serde(default)]
    why: Option<String>,
}

/// A phase of a turn, as its declarer plays it.
type Place<'a> = (Player, u64, u64, &'a Name);

/// Returns every list that repeats an item of an earlier one, in the order of replay: an attacked hex, or the text that
/// describes the purpose of a cell. Replaced and voided rolls do not count on either side.
///
/// # Examples
///
/// Nobody broke a rule, but Ann rolled again for two hexes when she knew their dice:
///
/// ```
/// use sealed_dice::game::{audit::{Games, Read}, repeats};
///
/// let read = Read::all(
///     include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/rolled-again.txt")),
///     "a mail",
/// );
/// let games = Games::sort(&read);
/// let (_, again) = games.jobs()[0].run_with(|_, game| game.map(|game| repeats::of(game.ledger)));
/// assert_eq!(again.unwrap_or_default()[0].slot.to_string(), "1/1/ann-first/3");
/// ```
#[must_use]
pub fn of(ledger: &Ledger<'_>) -> Vec<Repeat> {
    let mut first: HashMap<(Place<'_>, String), &Declaration<'_>> = HashMap::new();
    let mut found = Vec::new();
    for own in ledger.declarations().filter(|one| one.valid && one.replaced_by.is_empty()) {
        let slot = &own.declare.slot;
        let place = (own.node.player, slot.turn, slot.impulse, &slot.phase);
        let mut repeated: Option<(&Slot, BTreeSet<String>)> = None;
        for what in rolled_for(ledger, own) {
            let earlier = *first.entry((place, what.clone())).or_insert(own);
            if earlier.id() == own.id() || !ledger.is_answered(earlier, Past::of(&own.node)) {
                continue;
            }
            let (of, both) = repeated.get_or_insert_with(|| (&earlier.declare.slot, BTreeSet::new()));
            if **of == earlier.declare.slot {
                both.insert(what);
            }
        }
        if let Some((of, both)) = repeated {
            let both: Vec<String> = both.into_iter().collect();
            let text = format!(
                "note: {} declared {slot} knowing the dice of {of}, and both roll for {}; check whether the rules of \
                 your game allow that",
                ledger.terms.role(own.node.player),
                both.join(", ")
            );
            found.push(Repeat { declaration: own.id(), slot: slot.clone(), text });
        }
    }
    found
}

/// Returns the items that a declaration rolls for and that are not voided.
fn rolled_for(ledger: &Ledger<'_>, own: &Declaration<'_>) -> Vec<String> {
    let phase = ledger.terms.phase_at(&own.declare.slot);
    let Some(Phase { system: System::CoinEnvelopes(_) | System::Icrk(_), .. }) = phase else { return Vec::new() };
    let lines = own.declare.input.read::<Rolled>().map_or_else(|_| Vec::new(), |rolled| rolled.attacks);
    let counts = |line: &(usize, Line)| ledger.voided_by(&own.id(), line.0 as u64 + 1).is_none();
    let lines = lines.into_iter().enumerate().filter(counts);
    lines.flat_map(|(_, line)| line.hexes.into_iter().chain(line.why)).collect()
}
