//! A turn (`protocol/event-tables.md` 15 to 18): its runs, one after the other, until something is awaited.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, VecDeque},
};

use serde_json::json;

use super::{
    Game,
    conditions::Condition,
    dice::Dice,
    input::{Situation, name_of},
    orders, refuse,
    state::{Pending, Run, State},
    tables::{Does, Entry, From},
    typed::like,
    words::Known,
    written::By,
};
use crate::{
    blob::{
        body::Ended,
        json::{Map, Text, Value},
    },
    error::Result,
    limits::{EVENT_LOOKS, EVENT_RUNS, EVENT_TURN_DICE},
    resolve::{Account, Draws, Object, Outcome, Place, object},
};

/// A turn under way.
pub(super) struct Turn<'g> {
    pub(super) game: &'g Game,
    pub(super) state: State,
    pub(super) input: Situation,
    runs: VecDeque<Run>,
    late: VecDeque<Run>,
    /// How many of the late runs have entered each event.
    waiting: BTreeMap<String, u64>,
    /// Where entries stand in the roster, by kind and name.
    places: OnceCell<BTreeMap<String, BTreeMap<String, usize>>>,
    pub(super) log: Vec<Value>,
    said: Vec<String>,
    /// The decision that was made and is not used yet.
    pub(super) answer: Option<Value>,
}

/// How a step ends.
pub(super) enum Flow {
    /// The next step follows.
    On,
    /// The run has gone elsewhere.
    Went,
    /// The run is void, and why.
    Void(&'static str),
    /// Nothing is done before there are dice.
    Dice,
    /// Nothing is done before there is a decision.
    Asks,
}

/// How a run stops.
enum Stop {
    Ended,
    Dice,
    Asks,
    /// It asks, and no dice depend on it.
    Late,
}

impl<'g> Turn<'g> {
    /// The turn of a state that has gone on, with what was declared.
    ///
    /// # Errors
    /// [`crate::error::Error::Refused`] if more runs begin than a turn has.
    pub(super) fn declared(game: &'g Game, state: State, input: Situation) -> Result<Self> {
        let pending = Pending { input, late: Vec::new(), runs: Vec::new() };
        let mut turn = Self::resumed(game, state, pending);
        let (side, number) = (turn.owner().to_owned(), turn.state.turn);
        turn.say(format!("turn {number}, day {}, {side} ({}) rolls", game.day(number), game.role(&side)));
        for name in game.tables.each_turn.get(&side).into_iter().flatten() {
            let each = game.tables.events.get(name).and_then(|event| event.each.as_ref());
            match each {
                None => turn.runs.push_back(Run::begins(name)),
                Some((kind, filter)) => {
                    let from =
                        From { kind: kind.clone(), filter: filter.clone(), register: kind.clone(), optional: false };
                    for entry in turn.candidates(&Run::default(), &from) {
                        let mut run = Run::begins(name);
                        run.bound.insert(kind.clone(), entry);
                        turn.runs.push_back(run);
                    }
                }
            }
        }
        if turn.runs.len() > EVENT_RUNS {
            let many = turn.runs.len();
            return Err(refuse(15, format_args!("{many} events begin by themselves; {EVENT_RUNS} are the most")));
        }
        turn.runs.extend(game.tables.main.get(&side).map(|target| Run::begins(target)));
        let dearest = || turn.runs.iter().filter_map(|run| game.tables.dearest.get(&run.event));
        let (dice, looks) = (dearest().map(|run| run.dice).sum::<u64>(), dearest().map(|run| run.looks).sum::<u64>());
        if dice > EVENT_TURN_DICE {
            return Err(refuse(15, format_args!("the turn could draw {dice} dice; {EVENT_TURN_DICE} are the most")));
        }
        let entries = turn.input.roster.values().map(Vec::len).sum::<usize>() as u64;
        if looks.saturating_mul(entries) > EVENT_LOOKS {
            return Err(refuse(
                15,
                format_args!("{entries} entries with {looks} looks at each; together {EVENT_LOOKS} are the most"),
            ));
        }
        Ok(turn)
    }

    /// A turn that goes on.
    pub(super) fn resumed(game: &'g Game, state: State, pending: Pending) -> Self {
        let Pending { input, late, runs } = pending;
        let (runs, mut turn) = (
            runs.into(),
            Self {
                game,
                state,
                input,
                runs: VecDeque::new(),
                late: VecDeque::new(),
                waiting: BTreeMap::new(),
                places: OnceCell::new(),
                log: Vec::new(),
                said: Vec::new(),
                answer: None,
            },
        );
        turn.runs = runs;
        late.into_iter().for_each(|run| turn.wait(run));
        turn
    }

    /// A run waits until all others are done or wait so.
    fn wait(&mut self, run: Run) {
        for event in &run.path {
            *self.waiting.entry(event.clone()).or_default() += 1;
        }
        self.late.push_back(run);
    }

    /// The side that rolls.
    pub(super) fn owner(&self) -> &str {
        self.state.side.as_deref().unwrap_or_default()
    }

    /// The other side.
    pub(super) fn enemy(&self) -> &str {
        self.game.tables.other(self.owner())
    }

    /// How many runs wait that have entered an event: they may still be done.
    pub(super) fn waiting_in(&self, event: &str) -> u64 {
        self.waiting.get(event).copied().unwrap_or_default()
    }

    /// The side whose a decision is.
    pub(super) fn side_of(&self, by: By) -> &str {
        match by {
            By::Owner => self.owner(),
            By::Enemy => self.enemy(),
        }
    }

    pub(super) fn say(&mut self, step: String) {
        self.said.push(step);
    }

    /// The decision that a wish makes, where one is awaited (17).
    pub(super) fn wished(&self, wish: &Value) -> Option<Value> {
        let run = self.runs.front().or_else(|| self.late.front())?;
        let first = |wanted: usize, from: &From| {
            let allowed = self.candidates(run, from);
            let allowed = |name: &String| allowed.contains(name) && !run.picks.contains(name);
            let found: Vec<String> = orders::wished(wish)?.into_iter().filter(allowed).take(wanted).collect();
            (found.len() == wanted).then_some(found)
        };
        match run.waits_at(self.game)? {
            Does::Pool { from, enemy, owner, .. } => {
                first(if run.picks.is_empty() { *enemy } else { *owner }, from).map(Value::from)
            }
            Does::Choose { from, .. } => first(1, from)?.pop().map(Value::from),
            Does::Word { .. } => Some(wish.clone()),
            _ => None,
        }
    }

    /// Goes on as far as it can.
    pub(super) fn run(&mut self, dice: Option<(Place, &mut Draws<'_>)>, answer: Option<&Value>) -> Result<()> {
        let mut dice = Dice(dice);
        self.answer = answer.cloned();
        while let Some(mut run) = self.runs.pop_front() {
            match self.advance(&mut run, &mut dice)? {
                Stop::Ended => {}
                Stop::Late => self.wait(run),
                Stop::Dice | Stop::Asks => {
                    self.runs.push_front(run);
                    return Ok(());
                }
            }
        }
        while let Some(mut run) = self.late.pop_front() {
            for event in &run.path {
                self.waiting.entry(event.clone()).and_modify(|waiting| *waiting -= 1);
            }
            match self.advance(&mut run, &mut dice)? {
                Stop::Ended => {}
                Stop::Late | Stop::Dice | Stop::Asks => {
                    self.late.push_front(run);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn advance(&mut self, run: &mut Run, dice: &mut Dice<'_, '_>) -> Result<Stop> {
        let game = self.game;
        loop {
            let Some(at) = run.step else {
                let target = run.event.clone();
                match self.go(run, &target, dice)? {
                    Flow::Void(why) => return Ok(self.ends(run, Some(why))),
                    Flow::Dice => return Ok(Stop::Dice),
                    Flow::On | Flow::Went | Flow::Asks => continue,
                }
            };
            let steps = game.tables.events.get(&run.event).map(|event| event.steps.as_slice()).unwrap_or_default();
            let Some(step) = steps.get(at) else { return Ok(self.ends(run, None)) };
            if !step.when.as_ref().is_none_or(|when| when.holds(&|name| self.known(run, name))) {
                run.step = Some(at + 1);
                continue;
            }
            let first = matches!(step.does, Does::Go(_) | Does::Stop);
            let say = |turn: &mut Self| turn.said.extend(step.say.clone());
            if first && !(dice.0.is_none() && step.does.draws()) {
                say(self);
            }
            let flow = self.does(run, &step.does, dice)?;
            match flow {
                Flow::On => run.step = Some(at + 1),
                Flow::Went => {}
                Flow::Void(why) => return Ok(self.ends(run, Some(why))),
                Flow::Dice => return Ok(Stop::Dice),
                Flow::Asks if steps.iter().skip(at + 1).any(|step| step.does.draws()) => return Ok(Stop::Asks),
                Flow::Asks if matches!(step.does, Does::Pool { .. }) => return Ok(Stop::Asks),
                Flow::Asks => return Ok(Stop::Late),
            }
            if !first {
                say(self);
            }
        }
    }

    /// The end of a run: done, and what has a limit counts; or void.
    fn ends(&mut self, run: &Run, void: Option<&'static str>) -> Stop {
        let side = self.owner().to_owned();
        let quiet = run.step.is_none()
            && matches!(void, Some("when" | "limit"))
            && self.game.tables.each_turn.get(&side).is_some_and(|events| events.contains(&run.event));
        if quiet {
            return Stop::Ended;
        }
        if void.is_none() {
            for event in &run.path {
                if self.game.tables.events.get(event).is_some_and(|event| event.limit.is_some()) {
                    self.state.count(event, &side);
                }
            }
        } else {
            self.say("no event".into());
        }
        let event = run.path.last();
        self.log.push(json!({ "end": event, "void": void }));
        Stop::Ended
    }

    /// What is known of a name.
    pub(super) fn known(&self, run: &Run, name: &str) -> Option<Known> {
        match name.split_once('.') {
            Some((register, field)) => self.bound(run, register)?.known(field),
            None => self.game.known(&self.state, &self.input, name).or_else(|| run.value(self.game, name)),
        }
    }

    /// The entry in a register.
    fn bound(&self, run: &Run, register: &str) -> Option<Entry<'_>> {
        let kind = self.game.tables.registers.get(register)?;
        let places = self.places.get_or_init(|| {
            let places = |entries: &Vec<Map<String, Value>>| {
                entries.iter().enumerate().map(|(place, entry)| (name_of(entry).to_owned(), place)).collect()
            };
            self.input.roster.iter().map(|(kind, entries)| (kind.clone(), places(entries))).collect()
        });
        let place = *places.get(kind)?.get(run.bound.get(register)?)?;
        self.entry(kind, self.input.roster.get(kind)?.get(place)?)
    }

    fn entry<'t>(&'t self, kind: &str, stated: &'t Map<String, Value>) -> Option<Entry<'t>> {
        let established = self.state.entry(self.owner(), kind, name_of(stated));
        Some(Entry { kind: self.game.tables.kinds.get(kind)?, stated, established })
    }

    /// The entries of which one is taken, in the order of the roster (15).
    pub(super) fn candidates(&self, run: &Run, from: &From) -> Vec<String> {
        let Some(kind) = self.game.tables.kinds.get(&from.kind) else { return Vec::new() };
        // What does not hang on the entry is looked up once.
        let others = from.filter.iter().flat_map(Condition::names).filter(|name| kind.type_of(name).is_none());
        let others: BTreeMap<&str, Option<Known>> = others.map(|name| (name, self.known(run, name))).collect();
        let fits = |entry: &&Map<String, Value>| {
            let Some(entry) = self.entry(&from.kind, entry) else { return false };
            let known = |name: &str| others.get(name).map_or_else(|| entry.known(name), Clone::clone);
            !entry.is_gone() && from.filter.as_ref().is_none_or(|filter| filter.holds(&known))
        };
        let entries = self.input.roster.get(&from.kind).into_iter().flatten();
        entries.filter(fits).map(|entry| name_of(entry).to_owned()).collect()
    }

    /// The run that waits.
    pub(super) fn waits(&self) -> Option<&Run> {
        self.runs.front().or_else(|| self.late.front())
    }

    /// The decision that is awaited: its name, whose it is, and what may be chosen; none, if more is awaited, or nothing.
    pub(super) fn decision(&self) -> Option<(String, By, String)> {
        let run = self.waits()?;
        match run.waits_at(self.game)? {
            Does::Pool { ask, .. } => {
                let (wanted, left) = self.offers()?.told();
                let (by, whose) = if run.picks.is_empty() { (By::Enemy, "enemy") } else { (By::Owner, "owner") };
                Some((format!("{ask}-{whose}"), by, format!("exactly {wanted} of {left}")))
            }
            Does::Choose { by, ask, .. } => {
                let (_, offered) = self.offers()?.told();
                Some((ask.clone(), *by, format!("one of {offered}")))
            }
            Does::Word { of, by, ask } => Some((ask.clone(), *by, of.join(" or "))),
            Does::Write(lines) => {
                let (parts, on) = (lines.parts.join(" > "), lines.once.as_ref().and_then(|once| run.bound.get(once)));
                let on = on.map(|on| format!(", for {on}")).unwrap_or_default();
                let (least, most) = (lines.at_least, lines.at_most);
                let many = if least == most { least.to_string() } else { format!("{least} to {most}") };
                Some((
                    lines.ask.clone(),
                    lines.by,
                    format!("{many} of: {parts} (with ; between{}){on}", like(most, lines.parts.len())),
                ))
            }
            _ => None,
        }
    }

    /// What came of it.
    pub(super) fn outcome(mut self, account: &mut Account) -> Result<Outcome> {
        let mut needs = Object::new();
        let waits = !(self.runs.is_empty() && self.late.is_empty());
        if waits {
            let awaited = self.decision();
            let (ask, by) = awaited.as_ref().map_or(("more", By::Owner), |(ask, by, _)| (ask.as_str(), *by));
            let (side, role) = (self.side_of(by), self.game.role(self.side_of(by)));
            needs.insert(ask.to_owned(), role.as_str().into());
            let told = match &awaited {
                Some((ask, _, what)) => format!("{side} ({role}) is asked for {ask}: {what}"),
                None => format!("{side} ({role}) declares the next roll of this turn"),
            };
            self.say(told);
        }
        account.add(|| std::mem::take(&mut self.said));
        let source = self.game.tables.source;
        let (day, turn) = (self.game.day(self.state.turn), self.state.turn);
        let public = json!({ "day": day, "log": self.log, "side": self.owner(), "source": source, "turn": turn });
        if waits {
            let Self { input, late, runs, .. } = self;
            let pending = Pending { input, late: late.into(), runs: runs.into() };
            self.state.pending = Some(pending);
        }
        Ok(Outcome {
            ended: if waits { Ended::Needs } else { Ended::Done },
            needs,
            ..Outcome::done(object(&self.state)?, Text::of(&public)?)
        })
    }
}
