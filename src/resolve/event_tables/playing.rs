//! Playing a turn: its runs, one after the other, until one has to wait (`protocol/event-tables.md` 15 to 18, 32, 35).

use serde_json::json;

use super::{
    orders,
    state::{Pending, Run},
    tables::{Does, From},
    turn::{Dice, Flow, Turn},
    typed::asked_for,
    written::By,
};
use crate::{
    blob::{
        body::Ended,
        json::{Text, Value},
    },
    error::Result,
    resolve::{self, Account, AllowedAnswers, Draws, Object, Outcome, Place, object},
};

/// How a run stops.
enum Stop {
    Ended,
    Dice,
    Asks,
    /// The run needs a decision that no dice depend on, so the other runs continue first (35).
    Late,
}

impl Turn<'_> {
    /// Returns the decision that a wish makes, if one is awaited (17).
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

    /// Plays the turn as far as possible.
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

    /// Ends a run. If it is not void, its events with limits are counted.
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

    /// Returns the awaited decision: its name, who decides, and the answers that it allows; `None` if another roll or
    /// nothing is awaited.
    pub(super) fn decision(&self) -> Option<(String, By, AllowedAnswers)> {
        let run = self.waits()?;
        match run.waits_at(self.game)? {
            Does::Pool { ask, .. } => {
                let (by, whose) = if run.picks.is_empty() { (By::Enemy, "enemy") } else { (By::Owner, "owner") };
                Some((format!("{ask}-{whose}"), by, AllowedAnswers::Names(self.offers()?)))
            }
            Does::Choose { by, ask, .. } => Some((ask.clone(), *by, AllowedAnswers::Names(self.offers()?))),
            Does::Word { of, by, ask } => {
                Some((ask.clone(), *by, AllowedAnswers::words(of.iter().map(String::as_str))))
            }
            Does::Write(lines) => {
                let answers = resolve::Lines {
                    parts: lines.parts.clone(),
                    at_least: lines.at_least,
                    at_most: lines.at_most,
                    entry: lines.once.as_ref().and_then(|once| run.bound.get(once)).cloned(),
                    hint: asked_for(lines),
                };
                Some((lines.ask.clone(), lines.by, AllowedAnswers::Lines(Box::new(answers))))
            }
            _ => None,
        }
    }

    /// Returns the outcome.
    pub(super) fn outcome(mut self, account: &mut Account) -> Result<Outcome> {
        let mut needs = Object::new();
        let waits = !(self.runs.is_empty() && self.late.is_empty());
        if waits {
            let awaited = self.decision();
            let (ask, by) = awaited.as_ref().map_or(("more", By::Owner), |(ask, by, _)| (ask.as_str(), *by));
            let (side, role) = (self.side_of(by), self.game.role(self.side_of(by)));
            needs.insert(ask.to_owned(), role.as_str().into());
            let told = match &awaited {
                Some((ask, _, answers)) => format!("{side} ({role}) is asked for {ask}: {answers}"),
                None => format!("{side} ({role}) declares the next roll in this turn"),
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
