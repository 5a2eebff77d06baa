//! The worksheet: attacks sorted by hex, values, products, total, index, envelope and row of each attack
//! (`protocol/coin-envelopes.md` 4 to 8).

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, Serialize};

use super::hexes::Hex;
use crate::{
    error::{Error, Result},
    limits::{HEXES, ODDS, ROWS},
    resolve::Place,
};

/// An attack as written, in any notation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attack {
    /// The defending hexes.
    pub hexes: Vec<String>,
    /// Name of the attack; if it is missing, `a1`, `a2` and so on, in order.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Odds, attacker first, such as `3-1`.
    pub odds: String,
    /// ORDER OF ATTACK: the attack's place in the order of application, if the author gave one.
    #[serde(default)]
    pub order: Option<u64>,
}

/// Deserializes a field that may be missing but not `null`.
fn given<'de, D: Deserializer<'de>>(d: D) -> Result<Option<String>, D::Error> {
    String::deserialize(d).map(Some)
}

/// A computed worksheet: total, index, attacks, and which envelopes are opened or returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worksheet {
    /// T, the sum of products.
    pub total: u64,
    /// T mod N; `None` without attacks.
    pub index: Option<u64>,
    /// The attacks in sorted order.
    pub lines: Vec<Line>,
    /// Envelopes to open, in order of use.
    pub opened: Vec<u64>,
    /// Envelopes that no attack uses, ascending.
    pub returned: Vec<u64>,
}

/// One attack of a worksheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Name of the attack.
    pub id: String,
    /// Hexes in canonical form, ascending.
    pub hexes: Vec<String>,
    /// Sum of the hexes' values.
    pub value: u64,
    /// Canonical odds.
    pub odds: String,
    /// The larger number of the odds.
    pub multiplier: u64,
    /// Value times multiplier.
    pub product: u64,
    /// Envelope and row.
    pub place: Place,
    /// ORDER OF ATTACK as given.
    pub order: Option<u64>,
    /// Position in the order of application, from 1.
    pub rank: u64,
}

impl Worksheet {
    /// Returns the attacks in canonical form (coin-envelopes 4).
    #[must_use]
    pub fn as_attacks(&self) -> Vec<Attack> {
        let attack = |line: &Line| Attack {
            hexes: line.hexes.clone(),
            id: Some(line.id.clone()),
            odds: line.odds.clone(),
            order: line.order,
        };
        self.lines.iter().map(attack).collect()
    }
}

/// Computes the worksheet for N envelopes. `read_hex` returns a hex and its value.
pub(super) fn compute(
    attacks: &[Attack],
    envelopes: u64,
    read_hex: impl Fn(&str) -> Result<(Hex, u64)>,
) -> Result<Worksheet> {
    let most = envelopes as usize * ROWS;
    if attacks.len() > most {
        return Err(Error::Refused(format!(
            "{} attacks are too many; {envelopes} envelopes have rows for {most}",
            attacks.len()
        )));
    }
    let mut ids = BTreeSet::new();
    let mut sorted = Vec::with_capacity(attacks.len());
    for (i, attack) in attacks.iter().enumerate() {
        let id = attack.id.clone().unwrap_or_else(|| format!("a{}", i + 1));
        if !(1..=32).contains(&id.chars().count()) || !ids.insert(id.clone()) {
            return Err(Error::Refused(format!(
                "attack {}: the id {id:?} must have 1 to 32 characters and be used only once",
                i + 1
            )));
        }
        let line = Unplaced::read(id, attack, &read_hex)
            .map_err(|error| Error::Refused(format!("attack {}: {error}", i + 1)))?;
        sorted.push(line);
    }
    // A stable sort, so attacks on the same hexes stay in the order written.
    sorted.sort_by(|a, b| a.hexes.cmp(&b.hexes));
    let ranks = ranks(&sorted)?;
    let total = sorted.iter().map(|line| line.value * line.multiplier).sum::<u64>();
    let index = (!sorted.is_empty()).then_some(total % envelopes);
    let first = index.unwrap_or(0);
    let lines: Vec<Line> = sorted
        .into_iter()
        .zip(ranks)
        .enumerate()
        .map(|(k, (line, rank))| line.place(first, k, envelopes, rank))
        .collect();
    let used = lines.len().div_ceil(ROWS) as u64;
    let opened: Vec<u64> = (0..used).map(|k| (first + k) % envelopes).collect();
    let returned = (0..envelopes).filter(|envelope| !opened.contains(envelope)).collect();
    Ok(Worksheet { total, index, lines, opened, returned })
}

/// A parsed attack that is not placed yet.
struct Unplaced {
    id: String,
    hexes: Vec<Hex>,
    value: u64,
    odds: String,
    multiplier: u64,
    order: Option<u64>,
}

impl Unplaced {
    fn read(id: String, attack: &Attack, read_hex: impl Fn(&str) -> Result<(Hex, u64)>) -> Result<Self> {
        if !(1..=HEXES).contains(&attack.hexes.len()) {
            return Err(Error::Refused(format!("an attack must have 1 to {HEXES} hexes")));
        }
        let mut read = attack.hexes.iter().map(|hex| read_hex(hex)).collect::<Result<Vec<_>>>()?;
        read.sort();
        if let Some([(hex, _), _]) = read.windows(2).find(|pair| matches!(pair, [(a, _), (b, _)] if a == b)) {
            return Err(Error::Refused(format!("{} is listed twice; list it once", hex.as_str())));
        }
        let (attacker, defender) = odds(&attack.odds)?;
        Ok(Self {
            id,
            value: read.iter().map(|(_, value)| value).sum(),
            hexes: read.into_iter().map(|(hex, _)| hex).collect(),
            odds: format!("{attacker}-{defender}"),
            multiplier: attacker.max(defender),
            order: attack.order,
        })
    }

    fn place(self, first: u64, k: usize, envelopes: u64, rank: u64) -> Line {
        Line {
            id: self.id,
            hexes: self.hexes.iter().map(|hex| hex.as_str().to_owned()).collect(),
            value: self.value,
            odds: self.odds,
            multiplier: self.multiplier,
            product: self.value * self.multiplier,
            place: Place { index: (first + (k / ROWS) as u64) % envelopes, line: 1 + (k % ROWS) as u64 },
            order: self.order,
            rank,
        }
    }
}

/// Parses odds in any of the usual notations (coin-envelopes 5).
fn odds(text: &str) -> Result<(u64, u64)> {
    let sides = || {
        let trimmed = text.trim_matches(' ');
        let (a, b) = trimmed
            .split_once(|c: char| c == ':' || crate::blob::armour::is_dash(c))
            .or_else(|| trimmed.split_once("to"))?;
        let side = |side: &str| crate::blob::body::plain_number(side.trim_matches(' '), ODDS);
        Some((side(a)?, side(b)?))
    };
    sides().ok_or_else(|| {
        Error::Refused(format!("odds {text:?}: write two numbers from 1 to {ODDS}, attacker first, like 3-1"))
    })
}

/// Returns the positions in the order of application (coin-envelopes 8).
fn ranks(sorted: &[Unplaced]) -> Result<Vec<u64>> {
    let count = sorted.len() as u64;
    let mut taken = BTreeSet::new();
    for line in sorted {
        if let Some(order) = line.order
            && (!(1..=count).contains(&order) || !taken.insert(order))
        {
            return Err(Error::Refused(format!(
                "order {order} of attack {}: it must be 1 to {count}, and no two attacks can share it",
                line.id
            )));
        }
    }
    let mut free = (1..=count).filter(|place| !taken.contains(place));
    Ok(sorted.iter().filter_map(|line| line.order.or_else(|| free.next())).collect())
}
