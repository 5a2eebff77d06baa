//! A turn, step by step (`protocol/ocs-initiative.md` 8 to 14): dice, popping, the choice, and the next state.

use serde::Serialize;

use super::{
    settings::Settings,
    state::{Decision, Markers, Order, Pending, Pop, State, list},
};
use crate::{
    blob::{
        body::{Ended, Role},
        json::Text,
    },
    error::Result,
    resolve::{Account, Draws, Object, Outcome, Place, object},
};

/// A turn in progress.
pub(super) struct Turn<'s> {
    settings: &'s Settings,
    state: State,
    /// The declarer's advance choice, used if they control the choice.
    order: Option<Order>,
    public: Public,
    steps: Vec<String>,
}

/// Public results (14).
#[derive(Debug, Default, Serialize)]
struct Public {
    controller: Option<Role>,
    deficit: u64,
    first: Option<Role>,
    popped: Markers,
    returned: Markers,
    rounds: Vec<[u64; 4]>,
}

impl<'s> Turn<'s> {
    /// Begins the turn after a state, with the markers in play and the order from its input.
    pub(super) fn declared(settings: &'s Settings, mut state: State, markers: Markers, order: Option<Order>) -> Self {
        let returned = std::mem::take(&mut state.returning);
        let mut turn = Self { settings, state, order, public: Public::default(), steps: Vec::new() };
        turn.state.turn += 1;
        turn.state.first = None;
        turn.state.markers = markers;
        let number = turn.state.turn;
        match turn.state.holder.clone() {
            None => {
                turn.say(format!("turn {number}, a Flux turn: nobody holds the initiative, and ties are rolled again"))
            }
            Some(holder) => {
                let (markers, bar) = (list(&turn.state.markers), list(&turn.state.bar));
                turn.say(format!("turn {number}: {holder} holds the initiative and wins ties"));
                turn.say(format!("{holder}'s markers in play: {markers}; on the Bar: {bar}"));
                turn.give_back(settings.other(&holder), returned);
            }
        }
        turn
    }

    /// Resumes a turn with the decision that it awaited.
    pub(super) fn resumed(settings: &'s Settings, state: State, pending: Pending) -> Self {
        let Pending { awaits, by, deficit, order, popped } = pending;
        let controller = (awaits == Decision::Order).then_some(by);
        let public = Public { controller, deficit, popped, ..Public::default() };
        Self { settings, state: State { pending: None, ..state }, order, public, steps: Vec::new() }
    }

    fn say(&mut self, step: String) {
        self.steps.push(step);
    }

    /// Rolls until somebody controls the choice, or a decision is needed (8, 9).
    pub(super) fn roll(&mut self, place: Place, draws: &mut Draws<'_>, pop: Option<&Pop>) -> Result<()> {
        let [one, _] = &self.settings.sides;
        let holder = self.state.holder.clone();
        let a = holder.as_ref().unwrap_or(one).clone();
        let b = self.settings.other(&a);
        let (ours, theirs) = loop {
            let [a1, a2] = self.dice(place, draws, &a)?;
            let [b1, b2] = self.dice(place, draws, &b)?;
            self.public.rounds.push([a1, a2, b1, b2]);
            let (ours, theirs) = (a1 + a2, b1 + b2);
            if ours != theirs || holder.is_some() {
                break (ours, theirs);
            }
            self.say("a tie: both roll again".into());
        };
        match holder {
            Some(holder) if ours < theirs => self.behind(holder, theirs - ours, pop),
            None if ours < theirs => self.controls(b),
            _ => {
                if ours == theirs {
                    self.say(format!("a tie, which {a} wins"));
                }
                self.controls(a);
            }
        }
        Ok(())
    }

    fn dice(&mut self, place: Place, draws: &mut Draws<'_>, role: &Role) -> Result<[u64; 2]> {
        let why = format!("initiative, {role}");
        let (one, two) = (draws.draw(place, 6, &why)?, draws.draw(place, 6, &why)?);
        self.say(format!("{role} rolls {one} + {two} = {}", one + two));
        Ok([one, two])
    }

    /// Handles a holder who is `deficit` behind: they pop as ordered, are asked, or cannot pop (9, 10).
    fn behind(&mut self, holder: Role, deficit: u64, pop: Option<&Pop>) {
        self.public.deficit = deficit;
        let behind = format!("{holder} is {deficit} behind");
        let in_play = self.state.markers.len() as u64;
        if in_play < deficit {
            self.say(format!("{behind} and cannot pop {deficit} with only {in_play} in play"));
            return self.holds_not();
        }
        match pop.map(|pop| pop.for_deficit(deficit)) {
            Some(Some(markers)) => {
                self.say(behind);
                self.pop(markers);
            }
            Some(None) => {
                self.say(format!("{behind} and pops nothing, as ordered"));
                self.holds_not();
            }
            None => {
                self.say(format!("{behind} and may pop exactly {deficit} of {}", list(&self.state.markers)));
                self.ask(Decision::Pop, holder, self.order);
            }
        }
    }

    /// Pops `markers`, as many as the holder is behind, onto the Bar, so that the holder wins the tie (9).
    pub(super) fn pop(&mut self, markers: Markers) {
        let Some(holder) = self.state.holder.clone() else { return };
        self.say(format!(
            "{holder} pops {} onto the Bar: the roll becomes a tie, which the holder wins",
            list(&markers)
        ));
        self.state.markers.retain(|marker| !markers.contains(marker));
        self.state.bar.extend(markers.iter().cloned());
        self.public.popped = markers;
        if self.settings.pop_then_second {
            return self.controls(holder);
        }
        self.public.controller = Some(holder.clone());
        self.settle(&holder, Order::First);
    }

    /// Handles the holder's decision to pop nothing.
    pub(super) fn declines(&mut self, holder: &Role) {
        self.say(format!("{holder} pops nothing"));
        self.holds_not();
    }

    /// Handles the choice of the controlling player.
    pub(super) fn chooses(&mut self, role: &Role, order: Order) {
        self.say(format!("{role} goes {order}"));
        self.settle(role, order);
    }

    /// Gives control to the opponent of a holder who does not pop (9).
    fn holds_not(&mut self) {
        if let Some(holder) = &self.state.holder {
            self.controls(self.settings.other(holder));
        }
    }

    /// Gives a player the choice of who goes first: their advance order applies, or they are asked (11).
    fn controls(&mut self, role: Role) {
        self.public.controller = Some(role.clone());
        match self.order.filter(|_| role == self.state.declarer(self.settings)) {
            Some(order) => {
                self.say(format!("{role} controls the choice and goes {order}, as ordered"));
                self.settle(&role, order);
            }
            None => {
                self.say(format!("{role} controls the choice and is asked: first or second?"));
                self.ask(Decision::Order, role, None);
            }
        }
    }

    fn ask(&mut self, awaits: Decision, by: Role, order: Option<Order>) {
        let (deficit, popped) = (self.public.deficit, self.public.popped.clone());
        self.state.pending = Some(Pending { awaits, by, deficit, order, popped });
    }

    /// Settles the turn (12).
    fn settle(&mut self, controller: &Role, order: Order) {
        let other = self.settings.other(controller);
        let first = if order == Order::First { controller.clone() } else { other };
        self.say(format!("{first} goes first"));
        let before = self.state.holder.take();
        let holder = match &before {
            None if self.settings.flux_to_winner() => Some(controller.clone()),
            None => Some(first.clone()),
            Some(holder) if holder != controller && order == Order::First => None,
            Some(_) => Some(first.clone()),
        };
        if let Some(before) = &before
            && (before != controller || order == Order::Second)
        {
            let mut bar = std::mem::take(&mut self.state.bar);
            bar.retain(|marker| !self.public.popped.contains(marker));
            self.give_back(before.clone(), bar);
            if !self.public.popped.is_empty() {
                self.state.returning = self.public.popped.clone();
                self.say(format!("{before} gets back {} when the next turn is declared", list(&self.public.popped)));
            }
        }
        if holder != before {
            self.state.markers.clear();
        }
        let why = match (&holder, &before) {
            (None, _) => ", because its holder lost the choice to the player who goes first",
            (Some(_), None) if self.settings.flux_to_winner() => " as the winner of the roll",
            (Some(_), _) => " as the player who goes first",
        };
        self.tell_of(holder.as_ref(), why);
        self.state.flux = holder.is_none();
        self.state.holder = holder;
        self.state.first = Some(first.clone());
        self.public.first = Some(first);
    }

    fn tell_of(&mut self, holder: Option<&Role>, why: &str) {
        let next = self.state.turn + 1;
        match holder {
            Some(holder) => {
                self.say(format!("{holder} holds the initiative{why}; on the Bar: {}", list(&self.state.bar)));
                self.say(format!("turn {next} is not a Flux turn"));
            }
            None => self.say(format!("nobody holds the initiative{why}; turn {next} is a Flux turn")),
        }
    }

    fn give_back(&mut self, owner: Role, markers: Markers) {
        if !markers.is_empty() {
            self.say(format!("{owner} gets back {}", list(&markers)));
            self.public.returned.extend(markers);
        }
    }

    /// Returns the outcome.
    pub(super) fn outcome(self, account: &mut Account) -> Result<Outcome> {
        account.add(|| self.steps);
        let mut needs = Object::new();
        if let Some(Pending { awaits, by, .. }) = &self.state.pending {
            needs.insert(awaits.name().into(), by.as_str().into());
        }
        Ok(Outcome {
            ended: if needs.is_empty() { Ended::Done } else { Ended::Needs },
            needs,
            ..Outcome::done(object(&self.state)?, Text::of(&self.public)?)
        })
    }
}
