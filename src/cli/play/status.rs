//! `game status`: whose move it is, and the exact next command.

use serde::Serialize;

use super::{Answer, Stage, Table, Told, View};
use crate::{
    blob::body::{Redo, SetKind, Source},
    cli::{json_line, terminal::visible},
    game::{
        charter::Player,
        tasks::{self, Task},
    },
    keep::home::Home,
};

/// What a tool may want to know.
#[derive(Serialize)]
struct Printed {
    begun: bool,
    closed: bool,
    commands: Vec<String>,
    game: String,
    missing: Vec<String>,
    move_of: Vec<String>,
    name: String,
    notes: Vec<String>,
    waits_for: Vec<String>,
}

/// `game status`.
pub(in crate::cli) fn run(home: &Home, name: Option<&str>, as_json: bool) -> Told<Answer> {
    let table = Table::find(home, name)?;
    let printed = printed(&table)?;
    Ok(Answer::done(if as_json { json_line(&printed) } else { tell(&table, &printed) }))
}

/// The same of a game at hand, in words.
pub(super) fn of(table: &Table) -> Told<String> {
    Ok(tell(table, &printed(table)?))
}

fn printed(table: &Table) -> Told<Printed> {
    match table.stage {
        Stage::Proposed => Ok(proposed(table)),
        Stage::Begun(_) => table.view(|view| Ok(begun(table, view))),
    }
}

/// The state of a game in a few words, for lists.
pub(super) fn headline(table: &Table) -> String {
    let state = table.view(|view| {
        let (mine, theirs) = (tasks::of(view.ledger, view.me), tasks::of(view.ledger, view.me.other()));
        let over = Player::BOTH.iter().all(|player| view.ledger.closed(*player).1);
        Ok(match (over, mine.is_empty(), theirs.is_empty()) {
            (true, ..) => "over".to_owned(),
            (_, false, true) => "your move".to_owned(),
            (_, true, _) => format!("waits for {}", view.terms.role(view.me.other())),
            (_, false, false) => "both can move".to_owned(),
        })
    });
    state.unwrap_or_else(|_| "cannot be read".into())
}

fn proposed(table: &Table) -> Printed {
    let mine = table.terms.author == table.me;
    let name = table.name();
    Printed {
        begun: false,
        closed: false,
        commands: vec![table.typing.command(if mine { "resend" } else { "game accept" })],
        game: String::new(),
        missing: Vec::new(),
        move_of: vec![table.terms.role(table.terms.author.other()).to_string()],
        notes: Vec::new(),
        waits_for: if mine {
            vec![format!("{} accepts the terms", table.terms.role(table.me.other()))]
        } else {
            Vec::new()
        },
        name,
    }
}

fn begun(table: &Table, view: &View<'_, '_>) -> Printed {
    let (mine, theirs) = (tasks::of(view.ledger, view.me), tasks::of(view.ledger, view.me.other()));
    let other = view.terms.role(view.me.other());
    let name = table.name();
    let mut commands: Vec<String> = Vec::new();
    if mine.iter().any(Task::is_plain) {
        commands.push(table.typing.command("reply"));
    }
    // Whoever declares a later slot passes the earlier ones by: the first is what he wants.
    let first = next_declaration(&mine);
    let shown = mine.iter().filter(|task| !matches!(task, Task::Declare { .. })).chain(first);
    commands.extend(shown.filter_map(|task| command(view, task).map(|command| table.typing.command(&command))));
    let next = next_declaration(&theirs);
    let closed = Player::BOTH.iter().all(|player| view.ledger.closed(*player).1);
    let mut move_of = Vec::new();
    for (tasks, player) in [(&mine, view.me), (&theirs, view.me.other())] {
        if !tasks.is_empty() {
            move_of.push(view.terms.role(player).to_string());
        }
    }
    Printed {
        begun: true,
        closed,
        commands,
        game: view.ledger.game.to_string(),
        missing: missing(view),
        move_of,
        waits_for: theirs
            .iter()
            .filter(|task| !matches!(task, Task::Declare { .. }))
            .chain(next)
            .map(|task| format!("{other} {}", in_words(task)))
            .collect(),
        notes: notes(table, view),
        name,
    }
}

/// The slot that a player most likely declares next: a second battle of one phase and impulse comes after all others.
fn next_declaration(tasks: &[Task]) -> Option<&Task> {
    let slots = tasks.iter().filter_map(|task| match task {
        Task::Declare { slot } => Some((slot.number > 1, task)),
        _ => None,
    });
    slots.min_by_key(|(again, _)| *again).map(|(_, task)| task)
}

/// What a player types for a task that needs his choice; plain ones are all in `reply`.
fn command(view: &View<'_, '_>, task: &Task) -> Option<String> {
    Some(match task {
        Task::Close | Task::Reveal { .. } | Task::Seal { .. } => return None,
        Task::Answer { proposal, .. } => {
            let id = super::words::short(proposal);
            format!("correct accept {id}")
        }
        Task::Redo { slot, redo } => match (redo, tasks::foul_up_set(view.ledger, view.me)) {
            (Redo::Breach(_) | Redo::Agreed(_) | Redo::Opened(_), Some(_)) => format!("declare {slot} --again"),
            (_, None) => return None,
        },
        Task::Decide { slot, name } => format!("decide {slot} {name} \"YOUR CHOICE\""),
        Task::Declare { slot } => {
            let sheet = match view.terms.slot(slot).map(|(_, phase)| phase.source) {
                Some(Source::Sheet) => "ROLLS.csv",
                _ => "ATTACKS.csv",
            };
            format!("declare {slot} {sheet} --moves \"WHAT MOVED\"")
        }
    })
}

fn in_words(task: &Task) -> String {
    match task {
        Task::Close => "sends his closing keys".into(),
        Task::Reveal { slot, .. } => format!("opens the envelopes of {slot}"),
        Task::Answer { slot, .. } => format!("answers the foul-up in {slot}"),
        Task::Redo { slot, .. } => format!("declares {slot} again"),
        Task::Seal { kind: SetKind::Coin, purpose } => format!("seals envelopes for {}", visible(purpose)),
        Task::Seal { purpose, .. } => format!("seals {}", visible(purpose)),
        Task::Decide { slot, name } => format!("chooses {name} for {slot}"),
        Task::Declare { slot } => format!("may declare {slot}"),
    }
}

/// Letters to ask for.
fn missing(view: &View<'_, '_>) -> Vec<String> {
    let ask = view.order.missing.values().map(|missing| match (missing.author, missing.number) {
        (Some(player), Some(number)) if player == view.me => {
            format!("your own letter {number} is not here: read it from your sent mail")
        }
        (Some(player), Some(number)) => {
            format!("ask {} for letter {number}: sealed-dice resend {number}", view.terms.role(player))
        }
        (Some(player), None) => format!("ask {} for his letters: sealed-dice resend --all", view.terms.role(player)),
        (None, _) => "ask your opponent for his letters: sealed-dice resend --all".into(),
    });
    let mut ask: Vec<String> = ask.collect();
    ask.sort();
    ask.dedup();
    ask
}

fn notes(table: &Table, view: &View<'_, '_>) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(finding) = view.ledger.findings.iter().find(|finding| finding.settled_by.is_none()) {
        notes.push(format!(
            "something is wrong: {}; `sealed-dice audit {}` tells all",
            visible(&finding.text),
            table.folder.letters_path().display()
        ));
    }
    for path in &table.damaged {
        notes.push(format!("{} holds no whole letter; read the mail that brought it again", path.display()));
    }
    for seal in view.ledger.seals(view.me.other()) {
        let Some(set) = view.ledger.set(seal).filter(|set| set.valid && set.seal.kind == SetKind::Sheet) else {
            continue;
        };
        let free = tasks::free_cells(view.ledger, seal, view.me);
        let next = free.first().map_or_else(|| "none".into(), |place| crate::resolve::icrk::label(*place));
        notes.push(format!("{}: {} cells left, the first is {next}", visible(&set.seal.purpose), free.len()));
    }
    if !view.terms.charter.compared {
        notes.push("the players have not both compared their keys by voice".into());
    }
    notes
}

fn tell(table: &Table, printed: &Printed) -> String {
    let parties = [table.me, table.me.other()].map(|player| {
        let party = table.terms.party(player);
        format!("{} ({})", visible(&party.name), party.role)
    });
    let mut out = format!(
        "{}: {:?}, you are {}, against {}\n",
        printed.name,
        visible(&table.terms.charter.title),
        parties[0],
        parties[1]
    );
    out.push_str(&match (printed.closed, printed.commands.is_empty(), printed.waits_for.is_empty()) {
        (true, ..) => "the game is over and closed by both\n".to_owned(),
        (_, false, _) => "your move:\n".to_owned(),
        (_, true, false) => "nothing for you to do\n".to_owned(),
        (_, true, true) => "nobody owes anything\n".to_owned(),
    });
    let section = |out: &mut String, head: &str, lines: &[String]| {
        if !lines.is_empty() && !head.is_empty() {
            out.push_str(head);
        }
        lines.iter().for_each(|line| out.push_str(&format!("  {line}\n")));
    };
    section(&mut out, "", &printed.commands);
    section(&mut out, "awaited:\n", &printed.waits_for);
    section(&mut out, "missing letters:\n", &printed.missing);
    section(&mut out, "notes:\n", &printed.notes);
    out
}
