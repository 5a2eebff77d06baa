//! Chances under fair dice: totals, unevenness of faces, and the bands in which a share lies.
//!
//! Distributions are exact: every outcome is counted, without sampling or curve fitting. Counting uses `f64` sums and
//! products of positive numbers, which keeps probabilities accurate to [`WITHIN`]. Where counting would take too long,
//! an approximation is used, and the result names the method.

use serde::Serialize;
use statrs::function::{beta::checked_beta_reg, erf::erfc, gamma::checked_gamma_ur};

/// Largest absolute error of a probability that is called exact.
pub const WITHIN: f64 = 1e-9;
/// The chance, one in twenty, that a band does not hold.
pub const OUTSIDE: f64 = 0.05;
/// Weights below this value are left out of a distribution of totals.
const NOTHING: f64 = 1e-40;
/// The maximum number of products for one distribution of totals: about a second of work, and enough for a million d6.
const MOST_PRODUCTS: f64 = 3e9;
/// The maximum number of products, and of states, for one exact probability of faces: a tenth of a second of work.
const MOST_STEPS: u64 = 200_000_000;
const MOST_STATES: u64 = 4_000_000;

/// The method by which a probability was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Every outcome was counted.
    Exact,
    /// The chi-square curve with one degree of freedom fewer than faces. It is used only for many rolls, where its
    /// error is small relative to any probability above one in a thousand.
    ChiSquare,
    /// The normal curve at half steps; used only for many rolls.
    Normal,
}

/// The place of a total among the totals of fair dice.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Tails {
    /// Probability of this total exactly; `low + high - exactly` is 1.
    #[serde(serialize_with = "super::decimals")]
    pub exactly: f64,
    /// Probability of this total or a higher one.
    #[serde(serialize_with = "super::decimals")]
    pub high: f64,
    /// Probability of this total or a lower one.
    #[serde(serialize_with = "super::decimals")]
    pub low: f64,
    /// The method by which the probabilities were found.
    pub method: Method,
}

impl Tails {
    /// Returns the probability of a total at least as extreme on either side: twice the smaller tail.
    #[must_use]
    pub const fn both(&self) -> f64 {
        (2.0 * self.high.min(self.low)).min(1.0)
    }
}

/// Returns the variance of one fair die: (sides^2 - 1) / 12.
#[must_use]
pub fn variance(sides: u64) -> f64 {
    let sides = sides as f64;
    (sides * sides - 1.0) / 12.0
}

/// Finds where the total of `rolls` fair dice of `sides` sides lies.
#[must_use]
pub fn tails(sides: u64, rolls: u64, total: u64) -> Tails {
    // The last squaring multiplies the distribution of half the rolls by itself; that distribution reaches some 13.5
    // standard deviations to each side of its mean. All earlier squarings together take as long.
    let width = 27.0 * (rolls as f64 * variance(sides) / 2.0).sqrt();
    if 2.0 * width * width > MOST_PRODUCTS {
        return normal_tails(sides, rolls, total);
    }
    let (least, weights) = totals(sides, rolls);
    let above: f64 = weights.iter().skip(place(least, total + 1)).sum();
    let below: f64 = weights.iter().take(place(least, total)).sum();
    let exactly = total.checked_sub(least).and_then(|at| weights.get(at as usize)).copied().unwrap_or(0.0);
    Tails { exactly, high: (above + exactly).min(1.0), low: (below + exactly).min(1.0), method: Method::Exact }
}

/// Returns the number of entries before `value` in a list that begins at `least`.
const fn place(least: u64, value: u64) -> usize {
    value.saturating_sub(least) as usize
}

/// Returns the lowest total that is kept, and the probabilities from there on; negligible weights at both ends are
/// dropped.
#[must_use]
pub fn totals(sides: u64, rolls: u64) -> (u64, Vec<f64>) {
    let mut least = 0;
    let mut weights = vec![1.0];
    // By squaring, from the highest bit of the number of rolls: the total of 2n rolls is the sum of two totals of n
    // rolls.
    for bit in (0..u64::BITS - rolls.leading_zeros()).rev() {
        weights = product(&weights, &weights);
        least *= 2;
        if rolls >> bit & 1 == 1 {
            weights = one_more(sides, &weights);
            least += 1;
        }
        let idle = weights.iter().take_while(|weight| **weight < NOTHING).count();
        weights.drain(..idle);
        least += idle as u64;
        weights.truncate(weights.iter().rposition(|weight| *weight >= NOTHING).map_or(0, |last| last + 1));
    }
    (least, weights)
}

/// Returns the distribution of the sum of two independent numbers.
fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; a.len() + b.len() - 1];
    for (at, factor) in a.iter().enumerate() {
        add(sum.get_mut(at..).unwrap_or_default(), b, *factor);
    }
    sum
}

/// Adds a multiple of a list to another, up to the end of the shorter one.
fn add(to: &mut [f64], from: &[f64], factor: f64) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += factor * from;
    }
}

/// Returns the distribution with one more die, whose faces count from 0 here.
fn one_more(sides: u64, weights: &[f64]) -> Vec<f64> {
    product(&vec![1.0 / sides as f64; sides as usize], weights)
}

fn normal_tails(sides: u64, rolls: u64, total: u64) -> Tails {
    let spread = (rolls as f64 * variance(sides)).sqrt();
    let mean = rolls as f64 * (sides as f64 + 1.0) / 2.0;
    let above = |value: f64| erfc((value - mean) / spread / std::f64::consts::SQRT_2) / 2.0;
    let (high, above) = (above(total as f64 - 0.5), above(total as f64 + 0.5));
    Tails { exactly: high - above, high, low: 1.0 - above, method: Method::Normal }
}

/// The unevenness of the faces, and the probability that fair dice are at least as uneven.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Uneven {
    /// Pearson's X squared: the sum over faces of (count - expected)^2 / expected.
    #[serde(serialize_with = "super::decimals")]
    pub chi_square: f64,
    /// The method by which the probability was found.
    pub method: Method,
    /// Probability of an X squared this large or larger.
    #[serde(serialize_with = "super::decimals")]
    pub probability: f64,
}

/// Judges the counts of all faces of a die.
///
/// The measure is Pearson's. For equally likely faces it orders outcomes by the sum of the squared counts, which is an
/// integer, so that "as uneven" is decided without rounding.
#[must_use]
pub fn uneven(counts: &[u64]) -> Uneven {
    let (rolls, faces) = (counts.iter().sum::<u64>(), counts.len() as u64);
    let squares: u64 = counts.iter().map(|count| count * count).sum();
    // Computed in integers as far as possible: the difference of two large numbers is taken before any rounding.
    let over = u128::from(faces) * u128::from(squares) - u128::from(rolls) * u128::from(rolls);
    let chi_square = if rolls == 0 { 0.0 } else { over as f64 / rolls as f64 };
    let (method, probability) = match more_even(faces, rolls, squares) {
        Some(below) => (Method::Exact, (1.0 - below).clamp(0.0, 1.0)),
        None => {
            let freedom = faces.saturating_sub(1) as f64;
            (Method::ChiSquare, checked_gamma_ur(freedom / 2.0, chi_square / 2.0).unwrap_or(1.0))
        }
    };
    Uneven { chi_square, method, probability }
}

/// Returns the least sum of squares of this many counts with this sum: the counts then differ by at most 1.
const fn evenest(faces: u64, rolls: u64) -> u64 {
    if faces == 0 {
        return if rolls == 0 { 0 } else { u64::MAX };
    }
    let (each, left) = (rolls / faces, rolls % faces);
    faces * each * each + left * (2 * each + 1)
}

/// Returns the probability that the squared counts of fair dice sum to less than `squares`; `None` if counting takes
/// too long.
///
/// Counts of fair dice are independent Poisson numbers, conditioned on their sum. Faces are therefore taken one by one,
/// and each number of rolls used so far has a list of probabilities by the sum of squares so far. Only entries that can
/// still end below `squares` are kept; they are few, since fair dice are nearly even.
fn more_even(faces: u64, rolls: u64, squares: u64) -> Option<f64> {
    if squares <= evenest(faces, rolls) {
        return Some(0.0);
    }
    let share = poisson(rolls as f64 / faces as f64);
    let mut steps = 0;
    let mut before = States::new(faces, rolls, squares, 0)?;
    *before.list(0).first_mut()? = 1.0;
    for taken in 1..=faces {
        let mut after = States::new(faces, rolls, squares, taken)?;
        for used in before.first..before.end() {
            // The number of rolls used only grows from one face to the next; the lists bound it on both sides.
            for now in after.first.max(used)..after.end() {
                let count = now - used;
                let Some(weight) = share.get(count as usize) else { break };
                // A list holds every other sum of squares, since the sum has the parity of the number of rolls.
                let reached = evenest(taken - 1, used) + count * count;
                let behind = (reached - evenest(taken, now)) / 2;
                let from = before.list(used);
                let to = after.list(now).get_mut(behind as usize..).unwrap_or_default();
                steps += from.len().min(to.len()) as u64;
                add(to, from, *weight);
            }
            if steps > MOST_STEPS {
                return None;
            }
        }
        before = after;
    }
    let whole = poisson(rolls as f64);
    Some(before.list(rolls).iter().sum::<f64>() / whole.get(rolls as usize)?)
}

/// For each number of rolls used by the faces so far, the probabilities by the sum of squares so far.
struct States {
    first: u64,
    lists: Vec<Vec<f64>>,
}

impl States {
    /// Creates lists as long as the number of sums that can still end below `squares`; `None` if there are too many.
    fn new(faces: u64, rolls: u64, squares: u64, taken: u64) -> Option<Self> {
        let length = |used: u64| {
            let least = evenest(taken, used).saturating_add(evenest(faces - taken, rolls - used));
            squares.saturating_sub(least).div_ceil(2)
        };
        let first = (0..=rolls).find(|used| length(*used) > 0).unwrap_or(0);
        let lengths: Vec<u64> = (first..=rolls).map(length).take_while(|length| *length > 0).collect();
        if lengths.iter().sum::<u64>() > MOST_STATES {
            return None;
        }
        Some(Self { first, lists: lengths.into_iter().map(|length| vec![0.0; length as usize]).collect() })
    }

    /// Returns one past the last number of rolls that has a list.
    const fn end(&self) -> u64 {
        self.first + self.lists.len() as u64
    }

    fn list(&mut self, used: u64) -> &mut [f64] {
        let list = used.checked_sub(self.first).and_then(|at| self.lists.get_mut(at as usize));
        list.map(Vec::as_mut_slice).unwrap_or_default()
    }
}

/// Returns the probabilities of a Poisson number with this mean, from 0 to where they become negligible.
fn poisson(mean: f64) -> Vec<f64> {
    // Ratios outwards from the likeliest number, then scaled to a sum of 1, so that no precision is lost to
    // exponentials.
    let mode = mean.floor();
    let mut down: Vec<f64> = Vec::new();
    let (mut weight, mut number) = (1.0, mode);
    while number > 0.0 {
        weight *= number / mean;
        number -= 1.0;
        down.push(weight);
    }
    down.reverse();
    let mut weights = down;
    (weight, number) = (1.0, mode);
    while weight > NOTHING {
        weights.push(weight);
        number += 1.0;
        weight *= mean / number;
    }
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

/// Returns the band of a face's share: Clopper and Pearson's exact band, widened (Bonferroni) so that the bands of all
/// faces of the die hold together in at least 95 of 100 games. The band contains the observed share, and is never too
/// narrow.
#[must_use]
pub fn band(count: u64, rolls: u64, faces: u64) -> (f64, f64) {
    if rolls == 0 {
        return (0.0, 1.0);
    }
    let tail = OUTSIDE / faces as f64 / 2.0;
    let (hits, misses) = (count as f64, (rolls - count) as f64);
    let share = hits / rolls as f64;
    let low = if count == 0 { 0.0 } else { crossing(0.0, share, |at| at_least(hits, misses + 1.0, at) < tail) };
    let high =
        if count == rolls { 1.0 } else { crossing(share, 1.0, |at| at_least(hits + 1.0, misses, at) < 1.0 - tail) };
    (low, high)
}

/// Returns the regularised incomplete beta function: the probability of at least `hits` successes in `hits + misses -
/// 1` trials with this chance each.
fn at_least(hits: f64, misses: f64, chance: f64) -> f64 {
    checked_beta_reg(hits, misses, chance).unwrap_or(0.0)
}

/// Finds where a condition that holds at the low end stops holding, to the last significant digit.
fn crossing(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        *(if holds(middle) { &mut low } else { &mut high }) = middle;
    }
    f64::midpoint(low, high)
}

/// Sets where the band of the running mean is tightest: near eight times this many rolls. The number is fixed, because
/// anyone who could choose it after seeing the dice could decide which dice leave the band.
const TIGHT: f64 = 12.0;

/// Returns half the width of the band of a running mean after this many rolls. At least 95 of 100 fair games never
/// leave the band, whichever roll one looks at (Robbins' normal mixture). A fair die's moments are below those of the
/// normal curve with the same variance, so this is a bound and not an approximation.
#[must_use]
pub fn running_band(sides: u64, rolls: u64) -> f64 {
    let rolls = rolls as f64;
    let inner = 2.0 * (1.0 / OUTSIDE).ln() + ((rolls + TIGHT) / TIGHT).ln();
    (variance(sides) * (rolls + TIGHT) * inner).sqrt() / rolls
}
