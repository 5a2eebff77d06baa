//! `game status`: whose move it is, and the exact next command.

use std::collections::HashMap;

use super::{
    claims::not_owed,
    continuing::Left,
    forks,
    notes::{damaged, if_lost, invented, keys, lacks_page, missing, notes},
    officed::officed,
    printed::{Printed, allowed, is_free, told},
    refereed::refereed,
    table::{Stage, Table, View},
};
use crate::cli::answer::{Answer, Told};
use crate::{
    blob::{
        body::{Redo, SetKind, Slot, Source},
        disputes::Claim,
    },
    cli::{
        blanks::{ATTACKS, CHOICE, MOVED, ORDERS, ROLLS, SHEET, TEXT_FILE, TURN},
        input::json_line,
        terminal::visible,
    },
    game::{
        ids::Ids,
        node::Past,
        rules::claim,
        tasks::{self, Agenda, Task},
        terms::{Author, Player},
    },
    keep::home::Home,
    report::{terms::time_witness, text::count},
};

/// `game status`.
pub(in crate::cli) fn run(home: &Home, name: Option<&str>, as_json: bool) -> Told<Answer> {
    if name.is_none()
        && let Ok(several @ [_, _, ..]) = Table::living(home).as_deref()
    {
        return all(several, as_json);
    }
    let table = Table::find(home, name, Table::lives)?;
    let printed = printed(&table)?;
    if as_json {
        return Ok(Answer::done(json_line(&printed)));
    }
    let mut out = tell(&table, &printed);
    section(&mut out, "keys:\n", &printed.keys);
    let offers = if name.is_none() { Table::offers_beside(home)?.len() } else { 0 };
    let answer = Answer::done(out);
    Ok(match offers {
        0 => answer,
        offers => answer.saying(format!(
            "{} of others beside this game: `sealed-dice game list` shows them",
            count(offers, "proposal")
        )),
    })
}

/// The state of several games, in short: how each stands and what to type; or a line of JSON for each.
fn all(tables: &[Table], as_json: bool) -> Told<Answer> {
    let (mut out, listed) = (String::new(), Listed::of(tables));
    for table in tables {
        let printed = printed(table)?;
        match as_json {
            true => out.push_str(&json_line(&printed)),
            false => {
                out.push_str(&listed.line(table));
                section(&mut out, "", &printed.commands);
            }
        }
    }
    if !as_json {
        out.push_str("--game NAME says which game a command is about, and tells all of one: game status --game NAME\n");
    }
    Ok(Answer::done(out))
}

/// The same of a game at hand, in words.
pub(super) fn of(table: &Table) -> Told<String> {
    Ok(tell(table, &printed(table)?))
}

fn printed(table: &Table) -> Told<Printed> {
    let mut printed = by_mail(table)?;
    printed.notes.extend(table.full_share());
    table.by_office(printed.closed, &mut printed.commands, &mut printed.if_lost);
    Ok(printed)
}

fn by_mail(table: &Table) -> Told<Printed> {
    match table.stage {
        Stage::Proposed => proposed(table),
        Stage::Begun(_) => match table.me {
            Author::Referee => table.look(|order, ledger| refereed(table, order, ledger)),
            Author::Office => table.look(|order, ledger| officed(table, order, ledger)),
            Author::Player(_) => table.view(|view| begun(table, view)),
        },
    }
}

/// What tells the games of a list apart.
pub(super) struct Listed<'t> {
    ids: Ids,
    /// How many games of each title go on.
    titles: HashMap<&'t str, usize>,
}

impl<'t> Listed<'t> {
    pub(super) fn of(tables: &'t [Table]) -> Self {
        let mut titles = HashMap::new();
        for table in tables.iter().filter(|table| table.lives()) {
            *titles.entry(table.terms.charter.title.as_str()).or_default() += 1;
        }
        Self { ids: tables.iter().map(|table| table.terms.id).collect(), titles }
    }

    /// A game in the line of a list. Those that go on with one title are counted, and told apart by the ids of their terms,
    /// which are the same on every machine.
    pub(super) fn line(&self, table: &Table) -> String {
        let (title, ids) = (table.terms.charter.title.as_str(), &self.ids);
        let alike = self.titles.get(title).copied().unwrap_or_default();
        let told = match (alike > 1 && table.lives(), table.stage) {
            (false, _) => String::new(),
            (true, Stage::Proposed) => format!(" (one of {alike} with this title)"),
            (true, Stage::Begun(_)) => {
                format!(" (one of {alike} with this title, terms {})", ids.short(&table.terms.id))
            }
        };
        format!("{}: {:?}{told}, {}\n", table.name(), visible(title), headline(table, ids))
    }
}

/// The state of a game in a few words, for lists.
fn headline(table: &Table, ids: &Ids) -> String {
    if table.stage == Stage::Proposed {
        let (id, terms) = (ids.short(&table.terms.id), &table.terms);
        let name = |player: Player| visible(&terms.party(player).name);
        return match (table.is_withdrawn(), table.is_mine()) {
            (true, _) => "withdrawn".into(),
            (false, true) => format!("proposed to {}, not accepted yet (terms {id})", name(terms.author.other())),
            (false, false) if table.accepted_elsewhere().is_some() => {
                format!("accepted already, but the acceptance is not here (terms {id})")
            }
            (false, false) if table.has_accepted() => format!("accepted by you, not by all yet (terms {id})"),
            (false, false) => {
                format!("waits for you to accept the terms, which {} proposes (terms {id})", name(terms.author))
            }
        };
    }
    match table.me {
        Author::Referee => return "you are the referee".into(),
        Author::Office if table.terms.time_witness().is_some() => return "you are the office, a time witness".into(),
        Author::Office => return "you are the office".into(),
        Author::Player(_) => {}
    }
    let state = table.view(|view| {
        let (mine, theirs) = view.agendas();
        let over = Player::BOTH.iter().all(|player| view.ledger.has_published(*player));
        Ok(match (over, mine.due.is_empty(), theirs.due.is_empty()) {
            (true, ..) => "over".to_owned(),
            _ if table.blocked(Some(view.order))?.is_some() => {
                "this machine may not sign now: game status says why".into()
            }
            (_, false, true) => "your move".to_owned(),
            (_, true, false) => format!("waits for {}", view.terms.role(view.me.other())),
            (_, false, false) => format!("your move, and waits for {}", view.terms.role(view.me.other())),
            (_, true, true) => "nobody owes anything".to_owned(),
        })
    });
    state.unwrap_or_else(|_| "cannot be read".into())
}

fn proposed(table: &Table) -> Told<Printed> {
    let (mine, over) = (table.is_mine(), table.is_withdrawn());
    let blocked = table.blocked(None)?.map(|blocked| blocked.why);
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
    let commands = match accepts && waits_for.is_empty() {
        true => vec![table.typing.command("game accept")],
        false => Vec::new(),
    };
    Ok(Printed {
        also: if mine && !over && is_whole { vec![table.typing.command("game withdraw")] } else { Vec::new() },
        begun: false,
        commands,
        blocked,
        carries: false,
        closed: false,
        ended: None,
        game: String::new(),
        choice: false,
        if_lost: if mine && is_whole { vec![table.typing.command("resend")] } else { Vec::new() },
        keys: keys(table),
        mind: Vec::new(),
        missing: Vec::new(),
        move_of: if over { Vec::new() } else { vec![third.unwrap_or(other).to_string()] },
        notes: (time_witness(&table.terms).into_iter())
            .chain(lacks_page(table))
            .chain(table.where_to_join())
            .chain(damaged(table))
            .collect(),
        waits_for,
        withdrawn: over,
        name: table.name(),
    })
}

/// What a player types.
struct Typed {
    commands: Vec<String>,
    /// Whether the commands are branches of a fork to choose from.
    chooses: bool,
    /// Whether only one of the commands is to be typed.
    choice: bool,
    /// Whether what is signed by any of them brings along a reply that is owed.
    carries: bool,
}

impl Typed {
    /// What the tasks that are due come to.
    fn of(table: &Table, view: &View<'_, '_>, mine: &Agenda) -> Self {
        let answers = mine.due.iter().find(|task| matches!(task, Task::Answer { .. }));
        // Any letter but the answer would let a proposal lapse. What else can be signed depends on the letter that is chosen.
        let choices = if answers.is_some() { Vec::new() } else { forks::to_choose(table, view.order) };
        let chooses = !choices.is_empty();
        let mut commands = Vec::new();
        if !chooses {
            commands.extend(mine.due.iter().filter_map(|task| typed(table, view, task)));
        }
        if let Some(Task::Answer { proposal, .. }) = answers {
            commands.push(table.typing.command(&format!("correct refuse {}", view.ledger.ids.short(proposal))));
        }
        commands.extend(choices);
        let owes = mine.due.iter().any(|task| is_plain(view, task)) || !table.undeposited(view.ledger).is_empty();
        // Whatever is signed brings the reply along. Sent ahead of a declaration, it would let that one settle the dice.
        let carries = owes && !commands.is_empty();
        if owes && !carries {
            commands.push(table.typing.command("reply"));
        }
        Self { commands, chooses, choice: answers.is_some() || chooses, carries }
    }

    /// What may be typed beside that, and what it costs.
    fn beside(&self, table: &Table, view: &View<'_, '_>, mine: &Agenda) -> (Vec<String>, Vec<String>) {
        let reply = table.typing.command("reply");
        if self.chooses {
            return (self.carries.then_some(reply).into_iter().collect(), vec![forks::CHOOSES.to_owned()]);
        }
        let mut also: Vec<String> = mine.may.iter().filter_map(|task| typed(table, view, task)).collect();
        let mut mind: Vec<String> = mine.may.iter().flat_map(|task| cost(view, task)).collect();
        if self.carries && !self.choice {
            also.push(reply);
            mind.push(REPLY_ALONE.into());
        }
        (also, mind)
    }
}

fn typed(table: &Table, view: &View<'_, '_>, task: &Task) -> Option<String> {
    command(view, task).map(|command| table.typing.command(&command))
}

/// Whether a reply does a task. What waits for a letter that somebody else is asked for is not this player's move.
fn is_plain(view: &View<'_, '_>, task: &Task) -> bool {
    task.is_plain() && view.waits_for_letter(task).is_none()
}

/// What is awaited from others.
fn awaited(table: &Table, view: &View<'_, '_>, mine: &Agenda, theirs: &Agenda) -> Vec<String> {
    let other = view.terms.role(view.me.other());
    let due = theirs.due.iter().map(|task| format!("{other} {}", in_words(view, task)));
    let unread = mine.due.iter().filter_map(|task| view.waits_for_letter(task));
    due.chain(view.waits_for_dismissal()).chain(by_office(table, view)).chain(unread).collect()
}

fn begun(table: &Table, view: &View<'_, '_>) -> Told<Printed> {
    let (mine, theirs) = view.agendas();
    let typed = Typed::of(table, view, &mine);
    let closed = Player::BOTH.iter().all(|player| view.ledger.has_published(*player));
    let blocked = if closed { None } else { table.blocked(Some(view.order))? };
    let left = if closed { None } else { table.left_as_seen()? };
    let mut commands = allowed(table, blocked.as_ref(), typed.commands.clone());
    let (blocked, waits, if_blocked) = told(blocked);
    let is_free = is_free(table, blocked.as_ref());
    let (mut also, mut mind) = if is_free { typed.beside(table, view, &mine) } else { Default::default() };
    if left.is_some() {
        let goes = [" reply", " reveal ", " dispute ", " game close", " resend"];
        commands.retain(|command| goes.iter().any(|verb| command.contains(verb)));
        also.retain(|command| goes.iter().any(|verb| command.contains(verb)));
        mind.clear();
    }
    let moves = [(&mine, view.me), (&theirs, view.me.other())].into_iter().filter(|(agenda, _)| !agenda.due.is_empty());
    let move_of = moves.map(|(_, player)| view.terms.role(player).to_string()).collect();
    Ok(Printed {
        also,
        begun: true,
        blocked,
        carries: typed.carries && is_free,
        choice: typed.choice,
        closed,
        ended: view.tell_ended(table),
        // A reply brings along whatever the other is not known to have.
        if_lost: match if_blocked {
            Some(if_lost) => if_lost,
            None if mine.due.iter().any(|task| is_plain(view, task)) => Vec::new(),
            None => if_lost(table),
        },
        commands,
        game: view.ledger.game.to_string(),
        keys: keys(table),
        mind,
        missing: missing(table, view.order)?,
        move_of,
        waits_for: [waits, awaited(table, view, &mine, &theirs)].concat(),
        notes: left
            .iter()
            .map(Left::why)
            .chain(stalled(table, view))
            .chain(notes(table, view))
            .chain(invented(table, view.order)?)
            .collect(),
        withdrawn: false,
        name: table.name(),
    })
}

impl View<'_, '_> {
    /// What is due from this player and what they may do beside it, and the same of the opponent.
    pub(super) fn agendas(&self) -> (Agenda, Agenda) {
        let (mine, theirs) = (self.tasks(), self.their_tasks());
        let their_agenda = Agenda::of(self.ledger, theirs.clone(), &mine);
        (Agenda::of(self.ledger, mine, &theirs), their_agenda)
    }
}

/// What to do about a stall that nobody ends any more.
fn stalled(table: &Table, view: &View<'_, '_>) -> Option<String> {
    let mut claims = claim::standing(view.ledger);
    let is_owed = |by, claim| by == view.me && not_owed(view.ledger, by, claim).is_none();
    claims.find(|(_, by, claim)| matches!(claim, Claim::Stall(_)) && is_owed(*by, claim)).map(|_| {
        let others = table.to_continue("without them");
        format!(
            "a stall that you claim stands. If whoever could end it is gone for good, nothing in this game does{others}"
        )
    })
}

/// What it means to send a reply ahead of what would bring it along.
const REPLY_ALONE: &str = "`reply` alone sends what you owe without your move. If you declare after it, the dice that it opens stand: \
                           a mistake in them can no longer be agreed on";

/// What a declaration out of its order costs.
fn cost(view: &View<'_, '_>, task: &Task) -> Vec<String> {
    let Task::Declare { slot } = task else { return Vec::new() };
    view.tell_passed(slot).into_iter().map(|passed| format!("--skip: {passed}")).collect()
}

/// What the office is to open, and how whoever declared it goes on without it.
fn by_office(table: &Table, view: &View<'_, '_>) -> Vec<String> {
    let Some(office) = view.terms.role_of(Author::Office) else { return Vec::new() };
    let other = view.terms.role(view.me.other());
    let open = view.ledger.unanswered().filter(|declared| view.ledger.is_up_to_office(&declared.node, Past::ALL));
    open.map(|declared| {
        let slot = &declared.declare.slot;
        if declared.node.player != view.me {
            return format!("{office} opens {slot} of {other}");
        }
        if table.has_left(declared.node.message.head()) == Some(false) {
            return format!("{office} opens {slot} as soon as it is left there");
        }
        let give_up = table.typing.command(&format!("dispute stall {slot}"));
        let another = table.to_continue("with another one, if it is gone for good");
        format!("{office} opens {slot}; if it is silent, give it up, and {other} opens instead:  {give_up}{another}")
    })
    .collect()
}

/// What a player types for a task that needs his choice; plain ones are all in `reply`.
fn command(view: &View<'_, '_>, task: &Task) -> Option<String> {
    Some(match task {
        Task::Close | Task::Reveal { .. } | Task::OpenNote { .. } | Task::Seal { .. } => return None,
        Task::Answer { proposal, .. } if !view.may_agree(proposal) => return None,
        Task::Answer { proposal, .. } => {
            let id = view.ledger.ids.short(proposal);
            format!("correct accept {id}")
        }
        Task::Redo { slot, redo } => match (redo, tasks::foul_up_set(view.ledger, view.me)) {
            (Redo::Breach(_) | Redo::Agreed(_) | Redo::Opened(_), Some(_)) => format!("declare {slot} --again"),
            (_, None) => return None,
        },
        Task::Decide { slot, name, sealed: false } if view.states_much(slot) => {
            format!("decide {slot} {name} {}.toml", name.as_str().to_uppercase())
        }
        Task::Decide { slot, name, sealed: false } => format!("decide {slot} {name} \"{CHOICE}\""),
        Task::Decide { slot, name, sealed: true } if view.terms.takes_orders(slot) => {
            format!("note {slot} {name} {ORDERS}")
        }
        Task::Decide { slot, name, sealed: true } => format!("note {slot} {name} {TEXT_FILE}"),
        Task::NameDice { slot, .. } => format!("dispute name {slot} DICE"),
        Task::Declare { slot } if view.terms.takes_orders(slot) || view.rolls_on(slot) => {
            format!("declare {slot} --no-moves{}", skip(view, slot))
        }
        Task::Declare { slot } => {
            let skip = skip(view, slot);
            let sheet = match view.terms.slot(slot).map(|(_, phase)| phase.source) {
                Some(Source::Sheet) => ROLLS,
                Some(Source::Plain) => TURN,
                _ => ATTACKS,
            };
            match view.terms.is_of_hidden(slot) {
                true => format!("declare {slot} {SHEET}{skip}"),
                false => format!("declare {slot} {sheet} --moves \"{MOVED}\"{skip}"),
            }
        }
    })
}

/// What is typed for a slot that passes others by.
fn skip(view: &View<'_, '_>, slot: &Slot) -> &'static str {
    if view.tell_passed(slot).is_empty() { "" } else { " --skip" }
}

fn in_words(view: &View<'_, '_>, task: &Task) -> String {
    match task {
        Task::Close => "sends their closing keys".into(),
        Task::Reveal { slot, declaration } => {
            let declaration = view.ledger.declaration(declaration).map(|declaration| declaration.declare);
            let set = declaration.and_then(|declare| view.ledger.set(&declare.seal?));
            let is_sheet = set.is_some_and(|set| set.seal.kind == SetKind::Sheet);
            format!("opens the {} of {slot}", if is_sheet { "cells" } else { "envelopes" })
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
        Task::NameDice { slot, .. } => format!("may name the dice of {slot}, by forfeit"),
        Task::Decide { slot, name, .. } => format!("chooses {name} for {slot}"),
        Task::Declare { slot } => format!("declares {slot}"),
    }
}

fn section(out: &mut String, head: &str, lines: &[String]) {
    if !lines.is_empty() {
        out.push_str(head);
    }
    lines.iter().for_each(|line| out.push_str(&format!("  {line}\n")));
}

fn tell(table: &Table, printed: &Printed) -> String {
    let mut out = format!("{}: {}\n", printed.name, table.described());
    if let Some(why) = &printed.blocked {
        out.push_str(&format!("{why}\n"));
    }
    if let Some(ended) = &printed.ended {
        out.push_str(&format!("{ended}\n"));
    }
    out.push_str(&match (printed.closed, printed.commands.is_empty(), printed.waits_for.is_empty()) {
        _ if printed.withdrawn => "these terms are withdrawn\n".to_owned(),
        (true, true, _) => "the game is over and closed by both\n".to_owned(),
        (true, false, _) => "the game is over and closed by both; what the others do not have yet:\n".to_owned(),
        (_, false, _) if printed.choice => "your move, one of:\n".to_owned(),
        (_, false, _) if printed.carries => "your move (this sends your reply too, in the same mail):\n".to_owned(),
        (_, false, _) => "your move:\n".to_owned(),
        (_, true, false) => String::new(),
        (_, true, true) => "nobody owes anything\n".to_owned(),
    });
    section(&mut out, "", &printed.commands);
    section(&mut out, "waiting for:\n", &printed.waits_for);
    section(&mut out, "you may also:\n", &printed.also);
    section(&mut out, "mind before you do:\n", &printed.mind);
    section(&mut out, "if your last mail did not arrive:\n", &printed.if_lost);
    section(&mut out, "missing letters:\n", &printed.missing);
    section(&mut out, "notes:\n", &printed.notes);
    out
}
