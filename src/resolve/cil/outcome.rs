//! The outcome of a round: its public part and the refused orders (`protocol/cil.md` 25, 6).

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    battle::{Over, told},
    forces::Casualties,
    fought::{Applied, Came, Fought, Phase, Series},
    orders::Why,
    place::{Location, Side, Sides},
    round::{Changed, Failed, Moved, Round},
};
use crate::{
    blob::{body::Role, json::Text},
    error::Result,
    resolve::{Account, Outcome, Violation},
};

impl Round<'_> {
    /// Ends the round: adds its worksheet to the account and returns its outcome.
    pub(super) fn outcome(mut self, account: &mut Account) -> Result<Outcome> {
        let changed = self.changed();
        account.add(|| self.worksheet(&changed));
        let (battle, day, engagements, round) =
            (self.state.battle, self.state.day, self.state.engagements, self.state.round);
        let (ended, recovered) = self.close();
        account.add(|| {
            ended.map(|over| match over {
                Over::Battle => format!("battle {battle} is over{}", told(&recovered)),
                Over::Day => format!("day {day} is over: {} decides what comes next", self.state.attacker),
            })
        });
        let public = Text::of(&Public {
            absorbs: self.each_series(
                |fought| &fought.absorbs,
                |phase, unit, series| Absorbs { phase, points: series.counted, unit, value: series.value },
            ),
            battle,
            casualties: self.casualties(),
            changed: changed.iter().map(|changed| changed.named(self.id(changed.side, changed.unit))).collect(),
            day,
            ended,
            engagements,
            fires: self.each_series(
                |fought| &fought.fires,
                |phase, unit, series| Fires { at: series.at, hits: series.counted, phase, unit, value: series.value },
            ),
            hits: self.hits(),
            moves: self.told_moves(),
            overrun: self.overrun(),
            recovered,
            refused: self.refused(),
            round,
        })?;
        let mut outcome = self.state.outcome(public)?;
        outcome.violations = self.violations();
        Ok(outcome)
    }

    pub(super) fn id(&self, side: Side, unit: usize) -> &str {
        self.state.units.of(side).get(unit).map_or("", |unit| unit.id.as_str())
    }

    fn each_series<'a, T>(
        &'a self,
        of: impl Fn(&'a Fought) -> &'a Vec<Series>,
        tell: impl Fn(Phase, &'a str, &'a Series) -> T,
    ) -> Vec<T> {
        let phases = self.phases.iter();
        let told = phases.flat_map(|(phase, fought)| of(fought).iter().map(|series| (*phase, series)));
        told.map(|(phase, series)| tell(phase, self.id(series.side, series.unit), series)).collect()
    }

    fn hits(&self) -> Vec<Hits<'_>> {
        let all = self.phases.iter().flat_map(|(phase, fought)| fought.applied.iter().map(|hits| (*phase, hits)));
        let told = all.map(|(phase, Applied { side, at, from, hits, halved, lost, sent, struck })| Hits {
            at: *at,
            from: *from,
            halved: *halved,
            hits: *hits,
            lost: *lost,
            on: *side,
            phase,
            sent: *sent,
            struck: struck.iter().map(|struck| (self.id(*side, struck.unit), struck.draw, struck.came)).collect(),
        });
        told.collect()
    }

    fn overrun(&self) -> Vec<Fell> {
        let all = self.phases.iter().flat_map(|(phase, fought)| fought.overrun.iter().map(|fell| (*phase, fell)));
        all.map(|(phase, (on, at))| Fell { at: *at, on: *on, phase }).collect()
    }

    fn told_moves(&self) -> Vec<Moves<'_>> {
        let told = |moved: &Moved| (moved.failed, moved.to, moved.side, moved.unit);
        let moves = self.moves.iter().map(told);
        moves.map(|(failed, to, side, unit)| Moves { failed, to, unit: self.id(side, unit) }).collect()
    }

    pub(super) fn refused(&self) -> Vec<Refused<'_>> {
        let of = |side: Side| {
            let author = self.state.role(side);
            let refused = self.orders.of(side).refused.iter();
            refused.map(move |(entry, why)| Refused { author, entry, why: *why })
        };
        Side::BOTH.into_iter().flat_map(of).collect()
    }

    fn violations(&self) -> Vec<Violation> {
        let told = |refused: Refused<'_>| Violation {
            by: refused.author.clone(),
            text: format!("cil 6: {}: {}", refused.entry, refused.why),
        };
        self.refused().into_iter().map(told).collect()
    }

    /// Units that changed in the round, before the end of a battle returns casualties.
    fn changed(&self) -> Vec<Changed> {
        let mut changed = Vec::new();
        for side in Side::BOTH {
            for (i, (unit, before)) in self.state.units.of(side).iter().zip(self.before.of(side)).enumerate() {
                let after = (unit.strength, unit.effectiveness);
                if after != *before {
                    changed.push(Changed { side, unit: i, before: *before, after });
                }
            }
        }
        changed
    }

    fn casualties(&self) -> Sides<BTreeMap<&str, u64>> {
        let of = |side: Side| {
            let mut kinds = BTreeMap::new();
            for (_, fought) in &self.phases {
                let units = self.state.units.of(side).iter().zip(fought.lost.of(side));
                for (unit, lost) in units.filter(|(_, lost)| **lost > 0) {
                    *kinds.entry(unit.kind.as_str()).or_default() += lost;
                }
            }
            kinds
        };
        Sides { attacker: of(Side::Attacker), defender: of(Side::Defender) }
    }
}

/// The public outcome of a round (25).
#[derive(Serialize)]
struct Public<'a> {
    absorbs: Vec<Absorbs<'a>>,
    battle: u64,
    casualties: Sides<BTreeMap<&'a str, u64>>,
    changed: Vec<(&'a str, u64, u64, u64, u64)>,
    day: u64,
    ended: Option<Over>,
    engagements: u64,
    fires: Vec<Fires<'a>>,
    hits: Vec<Hits<'a>>,
    moves: Vec<Moves<'a>>,
    overrun: Vec<Fell>,
    recovered: Casualties,
    refused: Vec<Refused<'a>>,
    round: u64,
}

#[derive(Serialize)]
struct Absorbs<'a> {
    phase: Phase,
    points: u64,
    unit: &'a str,
    value: i64,
}

#[derive(Serialize)]
struct Fires<'a> {
    at: Location,
    hits: u64,
    phase: Phase,
    unit: &'a str,
    value: i64,
}

#[derive(Serialize)]
struct Hits<'a> {
    at: Location,
    from: Option<Location>,
    halved: u64,
    hits: u64,
    lost: u64,
    on: Side,
    phase: Phase,
    sent: u64,
    struck: Vec<(&'a str, Option<u64>, Came)>,
}

#[derive(Serialize)]
struct Fell {
    at: Location,
    on: Side,
    phase: Phase,
}

#[derive(Serialize)]
struct Moves<'a> {
    failed: Option<Failed>,
    to: Location,
    unit: &'a str,
}

#[derive(Serialize)]
pub(super) struct Refused<'a> {
    pub(super) author: &'a Role,
    pub(super) entry: &'a str,
    pub(super) why: Why,
}
