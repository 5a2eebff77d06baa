//! `game status`: whose move it is, and the exact next command.

use super::{
    claims::not_owed,
    continuing::Left,
    failure::PlayResult,
    forks,
    hand::has_hand,
    last_dice::last_dice,
    listing::{Listed, Listing},
    machine::{allowed, is_free, taken_apart},
    note::standing_slots,
    notes::{damaged, if_lost, invented, keys, lacks_page, missing, notes},
    position::position,
    state::Status,
    status_of_office::of_office,
    status_of_referee::of_referee,
    step::{Gives, Id, Step, Takes},
    table::{Stage, Table, View},
};
use crate::{
    blob::{
        body::{Redo, SetKind, Slot, Source},
        disputes::Claim,
    },
    game::{
        node::Past,
        rules::{claim, course},
        tasks::{self, Agenda, Task},
        terms::{Author, Player},
    },
    keep::home::Home,
    report::{terms::time_witness, text::visible, words},
};

/// The status of one game or of several, depending on how many a player may mean.
#[derive(Debug)]
pub enum Shown {
    /// The status of one game, and the number of proposals from others that are waiting.
    One(Box<Status>, usize),
    /// The status of several games, each with its entry in the list.
    Several(Vec<(Listing, Status)>),
}

/// Returns the status of a game, or of every game that a player may mean.
///
/// # Errors
/// If there is no such game, or a folder cannot be read.
pub fn status(home: &Home, name: Option<&str>) -> PlayResult<Shown> {
    // The only game needs no other to be read beside it.
    let may_be_several = name.is_none() && Table::has_several(home);
    if may_be_several && let Ok(several @ [_, _, ..]) = Table::living(home).as_deref() {
        let listed = Listed::of(several);
        let all = several.iter().map(|table| Ok((listed.entry(table), of(table)?)));
        return Ok(Shown::Several(all.collect::<PlayResult<_>>()?));
    }
    let table = Table::find_quietly(home, name, Table::lives)?;
    let offers = if may_be_several { Table::offers_beside(home)?.len() } else { 0 };
    Ok(Shown::One(Box::new(of(&table)?), offers))
}

/// Works out the status of one game that is already open.
pub(super) fn of(table: &Table) -> PlayResult<Status> {
    let mut status = by_mail(table)?;
    status.notes.extend(table.full_share());
    table.by_office(&mut status);
    Ok(status)
}

fn by_mail(table: &Table) -> PlayResult<Status> {
    match table.stage {
        Stage::Proposed => proposed(table),
        Stage::Begun(_) => match table.me {
            Author::Referee => table.look(|order, ledger| of_referee(table, order, ledger)),
            Author::Office => table.look(|order, ledger| of_office(table, order, ledger)),
            Author::Player(_) => table.view(|view| begun(table, view)),
        },
    }
}

fn proposed(table: &Table) -> PlayResult<Status> {
    let (mine, over) = (table.is_mine(), table.is_withdrawn());
    let (blocked, ..) = taken_apart(table.blocked(None)?);
    let (third, other) = (table.missing_third(), table.terms.role(table.terms.author.other()));
    let is_whole = table.check_files().is_ok();
    let accepts = !mine && !over && is_whole && blocked.is_none() && !table.has_accepted();
    let elsewhere = table.accepted_elsewhere();
    let waits_for = match third {
        _ if over => Vec::new(),
        _ if elsewhere.is_some() => elsewhere.into_iter().collect(),
        Some(third) if *third == table.role => Vec::new(),
        Some(third) => vec![format!("{} accepts the terms, before {other} does", table.name_of(third))],
        None if *other == table.role => Vec::new(),
        None => vec![format!("{other} accepts the terms")],
    };
    let steps = match accepts && waits_for.is_empty() {
        true => vec![Step::AcceptTerms],
        false => Vec::new(),
    };
    Ok(Status {
        also: if mine && !over && is_whole { vec![Step::Withdraw] } else { Vec::new() },
        begun: false,
        blocked,
        carries: false,
        is_blind: false,
        closed: false,
        described: table.described(),
        title: table.title(),
        seat: table.seat(),
        dice: None,
        ended: None,
        game: String::new(),
        has_closed: false,
        has_hand: false,
        opens: false,
        choice: false,
        if_lost: if mine && is_whole { vec![Step::Resend] } else { Vec::new() },
        keys: keys(table),
        mind: Vec::new(),
        missing: Vec::new(),
        move_of: if over { Vec::new() } else { vec![third.unwrap_or(other).clone()] },
        notes: (time_witness(&table.terms).into_iter())
            .chain(lacks_page(table))
            .chain(table.where_to_join())
            .chain(damaged(table))
            .collect(),
        steps,
        proposed: Vec::new(),
        results: Vec::new(),
        position: Vec::new(),
        people: table.people(),
        claims: Vec::new(),
        me: table.me,
        standing: Vec::new(),
        typing: table.typing.clone(),
        waits_for,
        withdrawn: over,
        name: table.name(),
    })
}

/// The steps that a player should take now.
struct Move {
    steps: Vec<Step>,
    /// Whether the steps are branches of a fork to choose from.
    chooses: bool,
    /// Whether the player has to choose one of the steps.
    choice: bool,
    /// Whether signing any of the steps also sends a reply that is owed.
    carries: bool,
    /// Whether a reply opens the opponent's dice.
    reveals: bool,
}

impl Move {
    /// Works out the move from the tasks that are due.
    fn of(table: &Table, view: &View<'_, '_>, mine: &Agenda) -> Self {
        let refusals = mine.due.iter().filter_map(|task| match task {
            Task::Answer { proposal, .. } => Some(Step::Refuse(Id::of(&view.ledger.ids, proposal))),
            _ => None,
        });
        let refusals: Vec<Step> = refusals.collect();
        let answers = !refusals.is_empty();
        // Any letter but the answer would let a proposal lapse. The chosen branch decides which other letters can be
        // signed.
        let choices = if answers { Vec::new() } else { forks::to_choose(view.order, table.me) };
        let chooses = !choices.is_empty();
        let mut steps = Vec::new();
        if !chooses {
            steps.extend(mine.due.iter().filter_map(|task| step(view, task)));
        }
        steps.extend(refusals);
        steps.extend(choices);
        let owes = mine.due.iter().any(|task| is_plain(view, task)) || !table.undeposited(view.ledger).is_empty();
        // Signing any step sends the reply too. If the reply went ahead alone, the declaration after it would make the
        // dice that the reply opens final.
        let carries = owes && !steps.is_empty();
        let reveals = |task: &Task| matches!(task, Task::Reveal { .. }) && is_plain(view, task);
        let reveals = mine.due.iter().any(reveals);
        if owes && !carries {
            steps.push(Step::Reply);
        }
        Self { steps, chooses, choice: answers || chooses, carries, reveals }
    }

    /// Returns the steps that are possible besides the move, and their costs.
    fn beside(&self, view: &View<'_, '_>, mine: &Agenda) -> (Vec<Step>, Vec<String>) {
        if self.chooses {
            return (self.carries.then_some(Step::Reply).into_iter().collect(), vec![forks::CHOOSES.to_owned()]);
        }
        let mut also: Vec<Step> = mine.may.iter().filter_map(|task| step(view, task)).collect();
        let mut mind: Vec<String> = mine.may.iter().flat_map(|task| cost(view, task)).collect();
        if self.carries && !self.choice {
            also.push(Step::Reply);
            mind.extend(self.reveals.then(|| REPLY_ALONE.to_owned()));
        }
        (also, mind)
    }
}

/// Whether a reply carries out a task. A task that waits for somebody else's letter is not this player's move.
fn is_plain(view: &View<'_, '_>, task: &Task) -> bool {
    task.is_plain() && view.waits_for_letter(task).is_none()
}

/// Lists the letters awaited from others.
fn awaited(table: &Table, view: &View<'_, '_>, mine: &Agenda, theirs: &Agenda) -> Vec<String> {
    let other = view.terms.role(view.me.other());
    let is_envelopes = |task: &&Task| matches!(task, Task::Seal { kind: SetKind::Coin | SetKind::Plain, .. });
    let envelopes = theirs.due.iter().filter(is_envelopes).count();
    // Envelopes for many declarations are one thing to wait for.
    let told = theirs.due.iter().filter(|task| envelopes < 3 || !is_envelopes(task));
    let due = told.map(|task| format!("{other} {}", in_words(view, task)));
    let many = (envelopes >= 3).then(|| format!("{other} seals envelopes for {envelopes} declarations"));
    let due = due.chain(many);
    let unread = mine.due.iter().filter_map(|task| view.waits_for_letter(task));
    due.chain(view.waits_for_dismissal()).chain(by_office(table, view)).chain(unread).collect()
}

fn begun(table: &Table, view: &View<'_, '_>) -> PlayResult<Status> {
    let (mine, theirs) = view.agendas();
    let own = Move::of(table, view, &mine);
    let closed = Player::BOTH.iter().all(|player| view.ledger.has_published(*player));
    let has_closed = view.ledger.has_closed(view.me);
    let blocked = if closed { None } else { table.blocked(Some(view.order))? };
    let left = if closed { None } else { table.left_as_seen()? };
    let mut steps = allowed(table, blocked.as_ref(), own.steps.clone());
    let (blocked, waits, if_blocked) = taken_apart(blocked);
    let is_free = is_free(table, blocked.is_some());
    let (mut also, mut mind) = if is_free { own.beside(view, &mine) } else { Default::default() };
    if left.is_some() {
        steps.retain(Step::is_of_the_left);
        also.retain(Step::is_of_the_left);
        mind.clear();
    }
    let moves = [(&mine, view.me), (&theirs, view.me.other())].into_iter().filter(|(agenda, _)| !agenda.due.is_empty());
    let move_of = moves.map(|(_, player)| view.terms.role(player).clone()).collect();
    Ok(Status {
        also,
        begun: true,
        blocked,
        carries: own.carries && is_free,
        is_blind: own.carries && own.reveals && is_free && !own.choice,
        choice: own.choice,
        closed,
        has_closed,
        has_hand: !closed && has_hand(view),
        opens: own.reveals && is_free,
        described: table.described(),
        title: table.title(),
        seat: table.seat(),
        dice: last_dice(view.order, view.ledger),
        ended: view.tell_ended(table),
        // A reply includes every letter that the other player may not have.
        if_lost: match if_blocked {
            Some(if_lost) => if_lost,
            None if mine.due.iter().any(|task| is_plain(view, task)) => Vec::new(),
            None => if_lost(table),
        },
        steps,
        proposed: proposed_to(view, &mine),
        results: results(view, closed),
        position: if closed { Vec::new() } else { position(view) },
        people: table.people(),
        claims: Vec::new(),
        me: table.me,
        standing: if is_free && left.is_none() && !closed && !has_closed { standing_slots(view) } else { Vec::new() },
        typing: table.typing.clone(),
        game: view.ledger.game.to_string(),
        keys: keys(table),
        mind,
        missing: missing(table, view.order)?,
        move_of,
        waits_for: [waits, awaited(table, view, &mine, &theirs)].concat(),
        notes: all_notes(table, view, left.as_ref())?,
        withdrawn: false,
        name: table.name(),
    })
}

fn all_notes(table: &Table, view: &View<'_, '_>, left: Option<&Left>) -> PlayResult<Vec<String>> {
    let first = left.map(Left::why).into_iter().chain(stalled(table, view));
    Ok(first.chain(notes(table, view)).chain(invented(table, view.order)?).collect())
}

impl View<'_, '_> {
    /// Returns two agendas, this player's and the opponent's: the tasks due and the optional ones.
    pub(super) fn agendas(&self) -> (Agenda, Agenda) {
        let (mine, theirs) = (self.tasks(), self.their_tasks());
        let their_agenda = Agenda::of(self.ledger, theirs.clone(), &mine);
        (Agenda::of(self.ledger, mine, &theirs), their_agenda)
    }
}

/// Describes the proposals that wait for an answer, as their mail did.
fn proposed_to(view: &View<'_, '_>, mine: &Agenda) -> Vec<(Id, String)> {
    let proposals = mine.due.iter().filter_map(|task| match task {
        Task::Answer { proposal, .. } => Some(proposal),
        _ => None,
    });
    let letters = proposals.filter_map(|id| Some((id, view.ledger.letter(id)?)));
    letters
        .map(|(id, letter)| (Id::of(&view.ledger.ids, id), words::of(letter, Some(view.ledger)).to_string()))
        .collect()
}

/// Lists the results that the players stated when they closed the game.
fn results(view: &View<'_, '_>, closed: bool) -> Vec<String> {
    let stated = |player| view.ledger.results(player).map(move |result| (view.terms.role(player), result));
    let all = Player::BOTH.into_iter().filter(|_| closed).flat_map(stated);
    let stated: Vec<_> = all.filter(|(_, result)| !result.is_empty()).collect();
    let differ = stated.iter().any(|(_, result)| stated.iter().any(|(_, other)| other.trim() != result.trim()));
    let lines = stated.iter().map(|(role, result)| format!("{role}: {}", visible(result)));
    lines.chain(differ.then(|| "the players state different results".to_owned())).collect()
}

/// Returns advice for a stall that nobody can end any more.
fn stalled(table: &Table, view: &View<'_, '_>) -> Option<String> {
    let mut claims = claim::standing(view.ledger);
    let is_owed = |by, claim| by == view.me && not_owed(view.ledger, by, claim).is_none();
    claims.find(|(_, by, claim)| matches!(claim, Claim::Stall(_)) && is_owed(*by, claim)).map(|_| {
        let others = table.to_continue("without them");
        format!(
            "your claim of a stall is still open. If the player who could end it is gone for good, this game cannot go \
             on{others}"
        )
    })
}

/// The effect of sending a reply ahead of the move that would include it.
const REPLY_ALONE: &str = "a reply alone sends the letters that you owe, without your move. If you declare after that, \
                           the dice that it opens stand: you two can no longer agree to correct a mistake in them";

/// Describes the cost of declaring out of order.
fn cost(view: &View<'_, '_>, task: &Task) -> Vec<String> {
    let Task::Declare { slot } = task else { return Vec::new() };
    view.tell_passed(slot).into_iter().collect()
}

/// Lists the slots that the office has to open, and how the declaring player can go on without the office.
fn by_office(table: &Table, view: &View<'_, '_>) -> Vec<String> {
    let Some(office) = view.terms.role_of(Author::Office) else { return Vec::new() };
    let other = view.terms.role(view.me.other());
    let open = view.ledger.unanswered().filter(|declared| view.ledger.is_up_to_office(&declared.node, Past::ALL));
    open.map(|declared| {
        let slot = &declared.declare.slot;
        if declared.node.player != view.me {
            return format!("{office} opens {slot} for {other}");
        }
        if table.has_left(declared.node.message.head()) == Some(false) {
            return format!("{office} opens {slot} as soon as you leave the declaration there");
        }
        let give_up = table.typing.command(&format!("dispute stall {slot}"));
        let another = table.to_continue("with another office, if this one is gone for good");
        format!(
            "{office} opens {slot}; if it does not answer, give up on it, and {other} opens the slot instead:  \
             {give_up}{another}"
        )
    })
    .collect()
}

/// Returns the step for a task that needs the player's choice; a reply covers all plain tasks.
fn step(view: &View<'_, '_>, task: &Task) -> Option<Step> {
    Some(match task {
        Task::Close | Task::Reveal { .. } | Task::OpenNote { .. } | Task::Seal { .. } => return None,
        Task::Answer { proposal, .. } if !view.may_agree(proposal) => return None,
        Task::Answer { proposal, .. } => Step::Agree(Id::of(&view.ledger.ids, proposal)),
        Task::Redo { slot, .. } => {
            tasks::foul_up_set(view.ledger, view.me)?;
            Step::DeclareAgain { slot: slot.clone(), office: false }
        }
        Task::Decide { slot, name, sealed } => {
            let gives = match sealed {
                false if view.states_much(slot) => Gives::Form,
                false => Gives::Words,
                true if view.terms.takes_orders(slot) => Gives::Orders,
                true => Gives::Text,
            };
            Step::Decide { slot: slot.clone(), name: name.clone(), gives }
        }
        Task::NameDice { slot, .. } => Step::NameDice(slot.clone()),
        Task::Declare { slot } => {
            let skip = !view.tell_passed(slot).is_empty();
            Step::Declare { slot: slot.clone(), takes: takes(view, slot), skip, office: false }
        }
    })
}

/// Returns the input that a declaration of a slot takes.
fn takes(view: &View<'_, '_>, slot: &Slot) -> Takes {
    if view.terms.takes_orders(slot) || view.rolls_on(slot) {
        return Takes::Nothing;
    }
    let phase = view.terms.slot(slot).map(|(_, phase)| phase);
    if let Some((phase, hidden)) = phase.and_then(|phase| Some((phase, phase.hidden()?))) {
        let state = course::reached(view.ledger, phase, Past::ALL).state;
        return Takes::Sheet(state.and_then(|state| hidden.next(&state).ok()).unwrap_or("Fill in your sheet"));
    }
    match phase.map(|phase| phase.source) {
        Some(Source::Sheet) => Takes::Rolls,
        Some(Source::Plain) => Takes::Turn,
        _ => Takes::Attacks,
    }
}

fn in_words(view: &View<'_, '_>, task: &Task) -> String {
    match task {
        Task::Close => "sends their closing keys".into(),
        Task::Reveal { slot, declaration } => {
            let declaration = view.ledger.declaration(declaration).map(|declaration| declaration.declare);
            let set = declaration.and_then(|declare| view.ledger.set(&declare.seal?));
            let is_sheet = set.is_some_and(|set| set.seal.kind == SetKind::Sheet);
            format!("opens the {} for {slot}", if is_sheet { "cells" } else { "envelopes" })
        }
        Task::Answer { slot, .. } => {
            format!("answers the foul-up in {slot} (if the proposal was a mistake, ask them to refuse it)")
        }
        Task::Redo { slot, redo: Redo::Agreed(_) } => format!("declares {slot} again, as agreed: wait for it"),
        Task::Redo { slot, .. } => format!("declares {slot} again"),
        Task::Seal { kind: SetKind::Coin | SetKind::Plain, purpose } => {
            format!("seals envelopes for {}", visible(purpose))
        }
        Task::Seal { purpose, .. } => format!("seals {}", visible(purpose)),
        Task::OpenNote { purpose, .. } => format!("opens the note {}", visible(purpose)),
        Task::NameDice { slot, .. } => format!("may name the dice for {slot}, by forfeit"),
        Task::Decide { slot, name, .. } => format!("chooses {name} for {slot}"),
        Task::Declare { slot } => match takes(view, slot) {
            Takes::Sheet(does) => format!("declares {slot} ({does})"),
            _ => format!("declares {slot}"),
        },
    }
}
