//! `stats`: how the dice of a game fell, and how high or low each player rolled.
//!
//! Only rolls that stand are counted. Rolls from a sealer in breach are not, because that sealer may have withheld
//! others. All excluded rolls are listed separately. Faces are counted as drawn, from 1, even where the rules read a
//! d10 as 0 to 9.

pub mod chance;
pub mod svg;
pub mod text;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Serialize, Serializer};

use self::chance::{Method, Tails, Uneven};
use crate::{
    blob::body::Hex32,
    game::{
        audit::{Report, Roll, StandsOr, Verdict},
        ids::Ids,
    },
};

/// The maximum number of sides of a die whose faces are listed one by one.
const MOST_SIDES: u64 = 100;

/// The direction that a player calls good. It differs between games, and the rules of a game do not state it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Good {
    /// High totals are lucky.
    High,
    /// Low totals are lucky.
    Low,
}

/// The dice of one game.
#[derive(Clone, Debug, Serialize)]
pub struct Stats {
    /// Rolls that do not count.
    pub apart: Vec<Apart>,
    /// Declarations that wait for their reveal. Their sealer can know the dice already, and may withhold them because
    /// of what they show.
    pub awaiting: u64,
    /// The significance of the smallest of many probabilities.
    pub comparisons: Comparisons,
    /// Whether both players have closed with all their masters.
    pub complete: bool,
    /// Rolls that count.
    pub counted: u64,
    /// Id of the game with these dice.
    pub game: Hex32,
    /// The shortened id of the game, as people quote it.
    #[serde(skip)]
    pub called: String,
    /// Tables for each die: all players if several rolled it, each player, and each phase of a player who rolled in
    /// several.
    pub tables: Vec<Table>,
    /// The audit's verdict on the game.
    pub verdict: Verdict,
    /// The title of the charter, for people; not part of the JSON.
    #[serde(skip)]
    pub title: String,
}

/// The reason why rolls do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// A redo replaced the rolls after they were seen.
    Replaced,
    /// Both players, or the referee, voided the rolls after they were seen.
    Voided,
    /// The declarer named the dice, after a forfeit.
    Named,
    /// The sealer of the set is in breach.
    SealerInBreach,
    /// The die has one side, or more than 100.
    OddDie,
}

/// Rolls that do not count, with the reason.
#[derive(Clone, Debug, Serialize)]
pub struct Apart {
    /// The role that rolled, or `both sides`.
    pub roller: String,
    /// The number of rolls that do not count.
    pub rolls: u64,
    /// Sides of the die.
    pub sides: u64,
    /// The sum of the dice.
    pub sum: u64,
    /// The reason why the rolls do not count.
    pub why: Why,
}

/// The player and phase whose dice a table counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Scope {
    /// The phase, if the table covers only one.
    pub phase: Option<String>,
    /// The player, if the table covers only one.
    pub roller: Option<String>,
    /// The system of the phase.
    pub system: Option<String>,
}

/// The rolls of one kind of die.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// The expected count of each face.
    #[serde(serialize_with = "decimals")]
    pub expected: f64,
    /// Each face from 1 on.
    pub faces: Vec<Face>,
    /// The mean: `sum` / `rolls`.
    #[serde(serialize_with = "decimals")]
    pub mean: f64,
    /// The number of rolls.
    pub rolls: u64,
    /// The running mean, if the table covers one player; `None` for phases and for all players together.
    pub running: Option<Running>,
    /// The player and the phase whose dice the table counts.
    pub scope: Scope,
    /// Sides of the die.
    pub sides: u64,
    /// The standard error of a fair die's mean: the root of (sides^2 - 1) / 12 / rolls. It is known, not estimated.
    #[serde(serialize_with = "decimals")]
    pub standard_error: f64,
    /// The sum of the dice.
    pub sum: u64,
    /// The probabilities that fair dice total at least as high, and at least as low.
    pub tails: Tails,
    /// The probability that fair dice are at least as uneven.
    pub uneven: Uneven,
}

/// One face of a die: its count, and the band of its share.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Face {
    /// The count of the face.
    pub count: u64,
    /// The face, from 1 to the number of sides.
    pub face: u64,
    /// Upper end of the band of the face's share, from 0 to 1; see [`chance::band`].
    #[serde(serialize_with = "decimals")]
    pub high: f64,
    /// Lower end of the band of the face's share, from 0 to 1; see [`chance::band`].
    #[serde(serialize_with = "decimals")]
    pub low: f64,
}

/// The mean after each roll, in the order in which the declarations are replayed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Running {
    /// The first roll after which the mean was outside its band; see [`chance::running_band`].
    pub left_band_at: Option<u64>,
    /// The rolls; not part of the JSON.
    #[serde(skip)]
    pub values: Vec<u64>,
}

/// The number of tests, and the significance of the smallest probability among them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Comparisons {
    /// The smallest of all probabilities.
    #[serde(serialize_with = "decimals")]
    pub smallest: f64,
    /// Bonferroni bound: fair dice give a smallest probability this low with at most this probability, however the
    /// tests depend on each other.
    #[serde(serialize_with = "decimals")]
    pub smallest_of_all: f64,
    /// The number of tests: for each table, one of its faces and a two-sided one of its total.
    pub tests: u64,
}

/// Writes probabilities and means in JSON, rounded to ten decimals because further digits are not reliable.
fn decimals<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((value * 1e10).round() / 1e10)
}

impl Stats {
    /// Returns the statistics of a game; `None` if the report is not about a game that has begun.
    #[must_use]
    pub fn of(report: &Report, ids: &Ids) -> Option<Self> {
        let game = report.game.filter(|_| report.has_begun)?;
        let guilty = guilty(report);
        let mut groups = Groups::default();
        for roll in &report.rolls {
            groups.take(roll, &guilty);
        }
        let tables = groups.tables();
        Some(Self {
            apart: groups.apart(),
            awaiting: report.open.iter().filter(|open| open.what == "awaits-reveal").count() as u64,
            comparisons: Comparisons::of(&tables),
            complete: report.complete,
            counted: groups.played.values().map(|values| values.len() as u64).sum(),
            game,
            called: ids.short(&game),
            tables,
            verdict: report.verdict,
            title: report.title.clone(),
        })
    }

    /// Whether rolls are excluded because their sealer is in breach.
    #[must_use]
    pub fn is_tainted(&self) -> bool {
        self.apart.iter().any(|apart| apart.why == Why::SealerInBreach)
    }
}

/// Returns the roles blamed by a finding that is neither settled nor waiting for a redo to settle it.
fn guilty(report: &Report) -> BTreeSet<&str> {
    let findings = report.findings.iter().filter(|finding| finding.settled_by.is_none() && !finding.waits);
    findings.filter_map(|finding| finding.culprit.as_deref()).collect()
}

/// The rolls of a game, sorted.
#[derive(Default)]
struct Groups<'a> {
    /// Values by sides and roller, in order.
    played: BTreeMap<(u64, &'a str), Vec<u64>>,
    /// Values by sides, roller, phase and system.
    phases: BTreeMap<(u64, &'a str, &'a str, &'a str), Vec<u64>>,
    apart: BTreeMap<(Why, &'a str, u64), (u64, u64)>,
}

impl<'a> Groups<'a> {
    fn take(&mut self, roll: &'a Roll, guilty: &BTreeSet<&str>) {
        let why = match roll.standing {
            _ if !(2..=MOST_SIDES).contains(&roll.sides) || !(1..=roll.sides).contains(&roll.value) => Why::OddDie,
            _ if roll.named_by.is_some() => Why::Named,
            StandsOr::ReplacedBy(_) | StandsOr::Stands(false) => Why::Replaced,
            StandsOr::VoidedBy(_) => Why::Voided,
            StandsOr::Stands(true) if guilty.contains(roll.sealer.as_str()) => Why::SealerInBreach,
            StandsOr::Stands(true) => {
                self.played.entry((roll.sides, &roll.roller)).or_default().push(roll.value);
                let phase = (roll.sides, roll.roller.as_str(), roll.phase.as_str(), roll.system.as_str());
                self.phases.entry(phase).or_default().push(roll.value);
                return;
            }
        };
        let (rolls, sum) = self.apart.entry((why, &roll.roller, roll.sides)).or_default();
        *rolls += 1;
        *sum = sum.saturating_add(roll.value);
    }

    /// Creates tables for each die: all players if there are several, then each player, then that player's phases if
    /// several.
    fn tables(&self) -> Vec<Table> {
        let mut tables = Vec::new();
        for sides in self.played.keys().map(|(sides, _)| *sides).collect::<BTreeSet<_>>() {
            let players = || self.played.iter().filter(move |((of, _), _)| *of == sides);
            if players().count() > 1 {
                let all: Vec<u64> = players().flat_map(|(_, values)| values).copied().collect();
                tables.push(Table::of(Scope::new(None, None), sides, &all));
            }
            for ((_, roller), values) in players() {
                let table = Table::of(Scope::new(Some(roller), None), sides, values);
                tables.push(Table { running: Some(Running::of(sides, values)), ..table });
                let phases = || self.phases.iter().filter(|((of, by, ..), _)| *of == sides && by == roller);
                if phases().count() > 1 {
                    tables.extend(phases().map(|((_, _, phase, system), values)| {
                        Table::of(Scope::new(Some(roller), Some((phase, system))), sides, values)
                    }));
                }
            }
        }
        tables
    }

    fn apart(&self) -> Vec<Apart> {
        let apart = self.apart.iter().map(|((why, roller, sides), (rolls, sum))| Apart {
            roller: (*roller).into(),
            rolls: *rolls,
            sides: *sides,
            sum: *sum,
            why: *why,
        });
        apart.collect()
    }
}

impl Scope {
    /// Creates the scope of a player and of a phase with its system; without a player, all players; without a phase,
    /// all phases.
    #[must_use]
    pub fn new(roller: Option<&str>, phase: Option<(&str, &str)>) -> Self {
        let (phase, system) = phase.unzip();
        Self { phase: phase.map(Into::into), roller: roller.map(Into::into), system: system.map(Into::into) }
    }
}

impl Table {
    /// Counts some rolls in a table. Values outside 1 to `sides` are ignored. The order of the rolls does not matter.
    #[must_use]
    pub fn of(scope: Scope, sides: u64, values: &[u64]) -> Self {
        let mut counts = vec![0; sides as usize];
        for value in values {
            if let Some(count) = value.checked_sub(1).and_then(|at| counts.get_mut(at as usize)) {
                *count += 1;
            }
        }
        let rolls = counts.iter().sum();
        let sum = (1..).zip(&counts).map(|(face, count)| face * count).sum();
        let face = |(face, count): (u64, &u64)| {
            let (low, high) = chance::band(*count, rolls, sides);
            Face { count: *count, face, high, low }
        };
        Self {
            expected: rolls as f64 / sides as f64,
            faces: (1..).zip(&counts).map(face).collect(),
            mean: sum as f64 / rolls.max(1) as f64,
            rolls,
            running: None,
            scope,
            sides,
            standard_error: (chance::variance(sides) / rolls.max(1) as f64).sqrt(),
            sum,
            tails: chance::tails(sides, rolls, sum),
            uneven: chance::uneven(&counts),
        }
    }

    /// Returns the mean of a fair die.
    #[must_use]
    pub fn fair_mean(&self) -> f64 {
        (self.sides as f64 + 1.0) / 2.0
    }

    /// Whether there are too few rolls to show any but the crudest fault: fewer than five expected of each face.
    #[must_use]
    pub const fn is_small(&self) -> bool {
        self.rolls < 5 * self.sides
    }
}

impl Running {
    /// Computes the running mean of rolls in this order.
    #[must_use]
    pub fn of(sides: u64, values: &[u64]) -> Self {
        let fair = (sides as f64 + 1.0) / 2.0;
        let left = means(values).find(|(rolls, mean)| (mean - fair).abs() > chance::running_band(sides, *rolls));
        Self { left_band_at: left.map(|(rolls, _)| rolls), values: values.to_vec() }
    }
}

/// Returns the number of rolls and their mean after each roll.
fn means(values: &[u64]) -> impl Iterator<Item = (u64, f64)> {
    (1..).zip(values).scan(0, |sum, (rolls, value)| {
        *sum += value;
        Some((rolls, *sum as f64 / rolls as f64))
    })
}

impl Comparisons {
    fn of(tables: &[Table]) -> Self {
        let each = tables.iter().flat_map(|table| [table.uneven.probability, table.tails.both()]);
        let smallest = each.fold(1.0, f64::min);
        let tests = 2 * tables.len() as u64;
        Self { smallest, smallest_of_all: (smallest * tests as f64).min(1.0), tests }
    }
}

impl Method {
    /// Returns the words that follow a probability found by this method.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::ChiSquare => "by a chi-square approximation",
            Self::Normal => "by a normal approximation",
        }
    }
}
