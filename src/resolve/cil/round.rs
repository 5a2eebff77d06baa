//! A round: both Combat Phases, what they cost, moves, the end of the day (`protocol/cil.md` 9, 18 to 21, 25).

use std::{collections::BTreeMap, sync::Arc};

use serde::Serialize;

use super::{
    Settings,
    battle::{Over, told},
    fight::{Applied, Came, Fight, Fought, Phase, Series},
    form::worksheet,
    notes_of,
    orders::{Order, Orders, Why, of_both},
    place::{Location, Side, Sides},
    state::{Casualties, Decision, State, Unit},
};
use crate::{
    blob::{
        body::{Lines, Role, Select},
        json::Text,
    },
    error::{Error, Result},
    resolve::{Draws, Given, Object, Outcome, Place, Plan, Rolls, Violation, read_input},
};

/// The rolls of a round: the Combat Phase, the Assault Combat Phase.
const ROLLS: u64 = 2;

/// What an order costs in the Combat Phase, and an assault in the Assault Combat Phase (18).
const ATTACK: u64 = 5;
const PROBE: u64 = 3;
const ASSAULT: u64 = 7;
/// What a move costs, and what rest brings (20).
const MOVE: u64 = 5;
const REST: u64 = 3;

/// A round that is declared.
pub(super) struct Declared {
    settings: Arc<Settings>,
}

impl Declared {
    pub(super) fn read(settings: &Arc<Settings>, input: &Text) -> Result<Self> {
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Nothing {}
        let Nothing {} = read_input(input)?;
        Ok(Self { settings: Arc::clone(settings) })
    }
}

impl Rolls for Declared {
    fn canonical(&self) -> Result<Text> {
        Text::of(&Object::new())
    }

    fn for_redo(&self) -> Result<Text> {
        self.canonical()
    }

    fn fits(&self, state: &Object) -> Result<()> {
        State::read(&self.settings, state)?.between_rounds()
    }

    fn count(&self) -> u64 {
        ROLLS
    }

    fn plan(&self, _: &Object) -> Result<Plan> {
        let places = (1..=ROLLS).map(|line| Place { index: 0, line }).collect();
        Ok(Plan { places, select: Some(Select::Plain(Lines { index: 0, lines: ROLLS })) })
    }

    fn resolve(&self, given: Given<'_>, places: &[Place], draws: &mut Draws<'_>) -> Result<Outcome> {
        let state = State::read(&self.settings, given.state)?;
        state.between_rounds()?;
        let [combat, assault] = places else {
            return Err(Error::Refused("there are not two places for the two rolls".into()));
        };
        let orders = of_both(&self.settings, &state, &notes_of(&state, given.orders));
        let mut round = Round::new(&self.settings, state, orders);
        round.fight([*combat, *assault], draws)?;
        round.outcome()
    }
}

/// A round under way.
struct Round<'s> {
    settings: &'s Settings,
    state: State,
    orders: Sides<Orders>,
    /// Units before it: strength and Effectiveness.
    before: Sides<Vec<(u64, u64)>>,
    phases: Vec<(Phase, Fought)>,
    moves: Vec<Moved>,
}

/// A unit that is not as it was: its strength and Effectiveness.
struct Changed {
    side: Side,
    unit: usize,
    before: (u64, u64),
    after: (u64, u64),
}

impl Changed {
    /// As it is told: each before and after.
    const fn named<'u>(&self, unit: &'u str) -> (&'u str, u64, u64, u64, u64) {
        (unit, self.before.0, self.after.0, self.before.1, self.after.1)
    }
}

/// A unit that was ordered to move.
struct Moved {
    side: Side,
    unit: usize,
    to: Location,
    failed: Option<Failed>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Failed {
    Attacked,
    Overrun,
}

impl<'s> Round<'s> {
    fn new(settings: &'s Settings, mut state: State, orders: Sides<Orders>) -> Self {
        state.turn += 1;
        state.round += 1;
        let before = state.units.each(|force| force.iter().map(|unit| (unit.strength, unit.effectiveness)).collect());
        Self { settings, state, orders, before, phases: Vec::new(), moves: Vec::new() }
    }

    /// Units with their orders.
    fn each_unit(&mut self, side: Side) -> impl Iterator<Item = (usize, &mut Unit, Order)> {
        let orders = &self.orders.of(side).of_units;
        let units = self.state.units.of_mut(side).iter_mut().enumerate();
        units.zip(orders).filter(|((_, unit), _)| unit.lives()).map(|((i, unit), order)| (i, unit, *order))
    }

    fn fight(&mut self, [combat, assault]: [Place; 2], draws: &mut Draws<'_>) -> Result<()> {
        let fights = |order: &Order| order.target().is_some();
        if Side::BOTH.into_iter().any(|side| self.orders.of(side).of_units.iter().any(fights)) {
            self.phase(Phase::Combat, combat, draws)?;
            let assaults =
                |round: &mut Self, side| round.each_unit(side).any(|(.., order)| order.assaulted().is_some());
            if Side::BOTH.into_iter().any(|side| assaults(self, side)) {
                self.phase(Phase::Assault, assault, draws)?;
            }
        }
        for side in Side::BOTH {
            self.rest(side);
        }
        Ok(())
    }

    fn phase(&mut self, phase: Phase, place: Place, draws: &mut Draws<'_>) -> Result<()> {
        let table = self.settings.table.as_ref();
        let row = |unit: &Unit| table.and_then(|table| table.index(&unit.kind)).unwrap_or_default();
        let rows = self.state.units.each(|force| force.iter().map(row).collect::<Vec<usize>>());
        let fought = Fight::new(self.settings, &mut self.state, &self.orders, &rows, phase, place, draws).run()?;
        self.state.engagements += match phase {
            Phase::Combat => 1,
            Phase::Assault => self.settings.assault_cost - 1,
        };
        let settings = self.settings;
        for side in Side::BOTH {
            for (_, unit, order) in self.each_unit(side) {
                let cost = match (phase, order) {
                    (Phase::Combat, Order::Attack(_) | Order::Assault(_)) => ATTACK,
                    (Phase::Combat, Order::Probe(_)) => PROBE,
                    (Phase::Assault, Order::Assault(_)) => ASSAULT,
                    _ => continue,
                };
                unit.effectiveness = settings.loses(unit.effectiveness, cost);
            }
        }
        let casualties = self.state.casualties(&fought.lost);
        self.state.ledger.add(casualties);
        self.phases.push((phase, fought));
        Ok(())
    }

    /// Who moves and who rests, after all fire (20).
    fn rest(&mut self, side: Side) {
        let involved: Vec<Location> = Location::ALL
            .into_iter()
            .filter(|at| self.phases.iter().any(|(_, fought)| *fought.involved.of(side).of(*at)))
            .collect();
        let fell = self.state.overrun.of(side).clone();
        let settings = self.settings;
        let mut moves = Vec::new();
        for (i, unit, order) in self.each_unit(side) {
            let touched = involved.contains(&unit.at);
            match order {
                Order::Hold if !touched => unit.effectiveness = settings.gains(unit.effectiveness, REST),
                Order::Move(to) => {
                    let failed = match (touched, fell.contains(&to)) {
                        (true, _) => Some(Failed::Attacked),
                        (false, true) => Some(Failed::Overrun),
                        (false, false) => None,
                    };
                    if !touched {
                        unit.effectiveness = settings.loses(unit.effectiveness, MOVE);
                    }
                    if failed.is_none() {
                        unit.at = to;
                    }
                    moves.push(Moved { side, unit: i, to, failed });
                }
                _ => {}
            }
        }
        self.moves.extend(moves);
    }

    /// What ends with the round, and what is asked then (21, 22).
    fn close(&mut self) -> (Option<Over>, Casualties) {
        if self.state.is_decided() {
            return (Some(Over::Battle), self.state.end_battle(self.settings));
        }
        if self.phases.is_empty() || self.state.engagements_left() == 0 {
            self.state.ask(Decision::Night, self.state.attacker.clone(), None);
            return (Some(Over::Day), Casualties::new());
        }
        (None, Casualties::new())
    }

    fn outcome(mut self) -> Result<Outcome> {
        let changed = self.changed();
        let mut steps = self.steps(&changed);
        let (battle, day, engagements, round) =
            (self.state.battle, self.state.day, self.state.engagements, self.state.round);
        let (ended, recovered) = self.close();
        match ended {
            Some(Over::Battle) => steps.push(format!("battle {battle} is over{}", told(&recovered))),
            Some(Over::Day) => {
                steps.push(format!("day {day} is over: {} is asked what comes next", self.state.attacker))
            }
            None => {}
        }
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
        let mut outcome = self.state.outcome(public, steps)?;
        outcome.violations = self.violations();
        Ok(outcome)
    }

    fn id(&self, side: Side, unit: usize) -> &str {
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

    fn refused(&self) -> Vec<Refused<'_>> {
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

    /// Units that are not as they were, before a battle's end gives something back.
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

    fn steps(&self, changed: &[Changed]) -> Vec<String> {
        let State { battle, day, round, season, .. } = &self.state;
        let mut steps = vec![format!("battle {battle}, day {day} ({}), round {round}", season.name())];
        for Refused { author, entry, why } in self.refused() {
            steps.push(format!("{author}: {entry}: refused ({why})"));
        }
        if self.phases.is_empty() {
            steps.push("nobody attacks: there is no Combat Phase".into());
        }
        for (phase, fought) in &self.phases {
            worksheet(&self.state, &self.orders, *phase, fought, &mut steps);
        }
        for Moved { side, unit, to, failed } in &self.moves {
            let id = self.id(*side, *unit);
            steps.push(match failed {
                None => format!("{id} moves to {to}"),
                Some(Failed::Attacked) => format!("{id} cannot move to {to}: it is involved in combat"),
                Some(Failed::Overrun) => format!("{id} cannot move to {to}, which is OVERRUN now"),
            });
        }
        for Changed { side, unit, before: (strength, effectiveness), after: (now, then) } in changed {
            let (id, gone) = (self.id(*side, *unit), if *now == 0 { ", and is removed" } else { "" });
            steps.push(format!("{id}: strength {strength} to {now}, Effectiveness {effectiveness} to {then}{gone}"));
        }
        let of = self.state.season.engagements();
        steps.push(format!("engagements used on this day: {} of {of}", self.state.engagements));
        steps
    }
}

/// What everybody may know (25).
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
    value: u64,
}

#[derive(Serialize)]
struct Fires<'a> {
    at: Location,
    hits: u64,
    phase: Phase,
    unit: &'a str,
    value: u64,
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
struct Refused<'a> {
    author: &'a Role,
    entry: &'a str,
    why: Why,
}
