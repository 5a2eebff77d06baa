//! A turn, step by step (`protocol/ocs-initiative.md` 8 to 14): dice, popping, the choice, and what the state becomes.

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

/// A turn under way.
pub(super) struct Turn<'s> {
    settings: &'s Settings,
    state: State,
    /// What its declarer chooses if the choice is theirs.
    order: Option<Order>,
    public: Public,
    steps: Vec<String>,
}

/// What everybody may know (14).
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
    /// The turn that follows a state, with the markers in play and the order that its input gives.
    pub(super) fn declared(settings: &'s Settings, mut state: State, markers: Markers, order: Option<Order>) -> Self {
        let returned = std::mem::take(&mut state.returning);
        let mut turn = Self { settings, state, order, public: Public::default(), steps: Vec::new() };
        turn.state.turn += 1;
        turn.state.first = None;
        turn.state.markers = markers;
        let number = turn.state.turn;
        match turn.state.holder.clone() {
            None => turn.say(format!("turn {number}, a Flux turn: nobody holds the initiative, ties are rolled again")),
            Some(holder) => {
                let (markers, bar) = (list(&turn.state.markers), list(&turn.state.bar));
                turn.say(format!("turn {number}: {holder} holds the initiative, and wins ties"));
                turn.say(format!("markers of {holder} in play: {markers}; on the Bar: {bar}"));
                turn.give_back(settings.other(&holder), returned);
            }
        }
        turn
    }

    /// A turn that goes on with the decision that it awaited.
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

    /// Handles a holder who is behind by `deficit`: they pop as ordered, or are asked, or cannot pop (9, 10).
    fn behind(&mut self, holder: Role, deficit: u64, pop: Option<&Pop>) {
        self.public.deficit = deficit;
        let behind = format!("{holder} is {deficit} behind");
        let in_play = self.state.markers.len() as u64;
        if in_play < deficit {
            self.say(format!("{behind}, and cannot pop {deficit} of {in_play}"));
            return self.holds_not();
        }
        match pop.map(|pop| pop.for_deficit(deficit)) {
            Some(Some(markers)) => {
                self.say(behind);
                self.pop(markers);
            }
            Some(None) => {
                self.say(format!("{behind}, and pops nothing, as ordered"));
                self.holds_not();
            }
            None => {
                self.say(format!("{behind}, and may pop exactly {deficit} of {}", list(&self.state.markers)));
                self.ask(Decision::Pop, holder, self.order);
            }
        }
    }

    /// Moves `markers`, as many as the holder is behind, onto the Bar: the holder wins the tie (9).
    pub(super) fn pop(&mut self, markers: Markers) {
        let Some(holder) = self.state.holder.clone() else { return };
        self.say(format!("{holder} pops {} onto the Bar: the roll is a tie, and the holder wins it", list(&markers)));
        self.state.markers.retain(|marker| !markers.contains(marker));
        self.state.bar.extend(markers.iter().cloned());
        self.public.popped = markers;
        if self.settings.pop_then_second {
            return self.controls(holder);
        }
        self.public.controller = Some(holder.clone());
        self.settle(&holder, Order::First);
    }

    /// The holder decided to pop nothing.
    pub(super) fn declines(&mut self, holder: &Role) {
        self.say(format!("{holder} pops nothing"));
        self.holds_not();
    }

    /// The player who controls decided.
    pub(super) fn chooses(&mut self, role: &Role, order: Order) {
        self.say(format!("{role} goes {order}"));
        self.settle(role, order);
    }

    /// The holder pops nothing, or cannot: the opponent controls (9).
    fn holds_not(&mut self) {
        if let Some(holder) = &self.state.holder {
            self.controls(self.settings.other(holder));
        }
    }

    /// Lets a player control who goes first: their own order counts, or they are asked (11).
    fn controls(&mut self, role: Role) {
        self.public.controller = Some(role.clone());
        match self.order.filter(|_| role == self.state.declarer(self.settings)) {
            Some(order) => {
                self.say(format!("{role} controls, and goes {order}, as ordered"));
                self.settle(&role, order);
            }
            None => {
                self.say(format!("{role} controls, and is asked: first or second?"));
                self.ask(Decision::Order, role, None);
            }
        }
    }

    fn ask(&mut self, awaits: Decision, by: Role, order: Option<Order>) {
        let (deficit, popped) = (self.public.deficit, self.public.popped.clone());
        self.state.pending = Some(Pending { awaits, by, deficit, order, popped });
    }

    /// The turn is settled (12).
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
                self.say(format!("{} of {before} go back when the next turn is declared", list(&self.public.popped)));
            }
        }
        if holder != before {
            self.state.markers.clear();
        }
        self.tell_of(holder.as_ref());
        self.state.flux = holder.is_none();
        self.state.holder = holder;
        self.state.first = Some(first.clone());
        self.public.first = Some(first);
    }

    fn tell_of(&mut self, holder: Option<&Role>) {
        let next = self.state.turn + 1;
        match holder {
            Some(holder) => {
                self.say(format!("{holder} holds the initiative; on the Bar: {}", list(&self.state.bar)));
                self.say(format!("turn {next} is not in Flux"));
            }
            None => self.say(format!("nobody holds the initiative: turn {next} is a Flux turn")),
        }
    }

    fn give_back(&mut self, owner: Role, markers: Markers) {
        if !markers.is_empty() {
            self.say(format!("{} go back to {owner}", list(&markers)));
            self.public.returned.extend(markers);
        }
    }

    /// What came of it.
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
