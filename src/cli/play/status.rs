//! `game status`: whose move it is, and the exact next command.

use serde::Serialize;

use super::{Answer, Stage, Table, Told, View};
use crate::{
    blob::{
        Body,
        body::{Forfeit, Redo, SetKind, Source},
        disputes::Claim,
        new_keys::KeyChange,
    },
    cli::{json_line, terminal::visible},
    game::{
        charter::{Author, Player},
        ledger::Ledger,
        order::Order,
        tasks::{self, Task},
    },
    keep::home::Home,
    primitive::sign::PublicKey,
    report::{text::short, words},
};

/// What a tool may want to know.
#[derive(Serialize)]
struct Printed {
    begun: bool,
    /// Why this machine may not sign now, if so.
    blocked: Option<String>,
    /// Whether the other owes something that most players wait for before they go on.
    #[serde(skip)]
    awaits: bool,
    closed: bool,
    commands: Vec<String>,
    game: String,
    if_lost: Vec<String>,
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
        Stage::Proposed => proposed(table),
        Stage::Begun(_) if table.me == Author::Referee => table.look(|order, ledger| refereed(table, order, ledger)),
        Stage::Begun(_) => table.view(|view| begun(table, view)),
    }
}

/// The state of a game in a few words, for lists.
pub(super) fn headline(table: &Table) -> String {
    if table.me == Author::Referee {
        return "you are the referee".into();
    }
    let state = table.view(|view| {
        let (mine, theirs) = (view.tasks(), tasks::of(view.ledger, view.me.other()));
        let over = Player::BOTH.iter().all(|player| view.ledger.closed(*player).1);
        Ok(match (over, mine.is_empty(), theirs.is_empty()) {
            (true, ..) => "over".to_owned(),
            _ if table.blocked(Some(view.order))?.is_some() => {
                "this machine may not sign now: game status says why".into()
            }
            (_, false, true) => "your move".to_owned(),
            (_, true, _) => format!("waits for {}", view.terms.role(view.me.other())),
            (_, false, false) => "both can move".to_owned(),
        })
    });
    state.unwrap_or_else(|_| "cannot be read".into())
}

fn proposed(table: &Table) -> Told<Printed> {
    let mine = table.is_mine();
    let blocked = table.blocked(None)?;
    let name = table.name();
    Ok(Printed {
        begun: false,
        commands: match (table.check_files(), mine) {
            (Err(_), _) => Vec::new(),
            (Ok(()), true) => vec![table.typing.command("resend")],
            (Ok(()), false) if blocked.is_some() || table.waits_for_referee() => Vec::new(),
            (Ok(()), false) => vec![table.typing.command("game accept")],
        },
        blocked,
        closed: false,
        game: String::new(),
        awaits: false,
        if_lost: Vec::new(),
        missing: Vec::new(),
        move_of: vec![table.terms.role(table.terms.author.other()).to_string()],
        notes: lacks_page(table).into_iter().chain(damaged(table)).collect(),
        waits_for: if mine {
            vec![format!("{} accepts the terms", table.terms.role(table.terms.author.other()))]
        } else if table.waits_for_referee() {
            vec!["the referee accepts the terms before you do".into()]
        } else {
            Vec::new()
        },
        name,
    })
}

/// What there is to type: nothing while files are damaged or letters of one's own are missing, and from a machine that
/// must ask first nothing but the question.
fn allowed(table: &Table, order: &Order<'_>, blocked: Option<&String>, commands: Vec<String>) -> Vec<String> {
    match (table.check_files(), blocked, table.check_chain(order)) {
        (Err(_), ..) => Vec::new(),
        (Ok(()), Some(_), _) if table.waits_outside() => vec![table.typing.command("resend")],
        (Ok(()), Some(_), _) => vec![table.typing.command("game resync")],
        (Ok(()), None, Err(_)) => Vec::new(),
        (Ok(()), None, Ok(())) => commands,
    }
}

fn begun(table: &Table, view: &View<'_, '_>) -> Told<Printed> {
    let (mine, theirs) = (view.tasks(), tasks::of(view.ledger, view.me.other()));
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
    if let Some(Task::Answer { proposal, .. }) = mine.iter().find(|task| matches!(task, Task::Answer { .. })) {
        commands.push(table.typing.command(&format!("correct refuse {}", short(proposal))));
    }
    // Any letter but the answer would let a proposal lapse; and nothing is signed while a letter of one's own is missing.
    if mine.iter().any(|task| matches!(task, Task::Answer { .. })) {
        commands.retain(|command| command.contains(" correct "));
    }
    let reply = table.typing.command("reply");
    let undeposited = table.undeposited(view.ledger).next().is_some();
    if (undeposited || !table.answers().is_empty()) && !commands.contains(&reply) {
        commands.insert(0, reply);
    }
    let closed = Player::BOTH.iter().all(|player| view.ledger.closed(*player).1);
    let blocked = if closed { None } else { table.blocked(Some(view.order))? };
    let commands = allowed(table, view.order, blocked.as_ref(), commands);
    let next = next_declaration(&theirs);
    let mut move_of = Vec::new();
    for (tasks, player) in [(&mine, view.me), (&theirs, view.me.other())] {
        if !tasks.is_empty() {
            move_of.push(view.terms.role(player).to_string());
        }
    }
    Ok(Printed {
        begun: true,
        blocked,
        awaits: theirs.iter().any(|task| matches!(task, Task::Reveal { .. } | Task::Answer { .. })),
        closed,
        // A reply brings along whatever the other is not known to have.
        if_lost: if mine.iter().any(Task::is_plain) { Vec::new() } else { if_lost(table) },
        commands,
        game: view.ledger.game.to_string(),
        missing: missing(view),
        move_of,
        waits_for: theirs
            .iter()
            .filter(|task| !matches!(task, Task::Declare { .. }))
            .chain(next)
            .map(|task| format!("{other} {}", in_words(view, task)))
            .collect(),
        notes: notes(table, view),
        name,
    })
}

/// What a referee may rule on.
fn refereed(table: &Table, order: &Order<'_>, ledger: &Ledger<'_>) -> Told<Printed> {
    let mut commands = Vec::new();
    for (id, _, claim) in ledger.standing_claims() {
        let verb = match (claim, ledger.request_for(&id)) {
            (Claim::Stall(_), Some(request)) if ledger.may_open(&request).is_some() => {
                format!("rule open {}", short(&request))
            }
            (Claim::Stall(stall), Some(request)) => {
                let forfeits = [(Forfeit::DeclarerNames, "declarer-names"), (Forfeit::Game, "game")];
                let agreed = forfeits.into_iter().find(|(forfeit, _)| ledger.forfeit_fits(stall, *forfeit));
                match agreed {
                    Some((_, what)) => format!("rule forfeit {} {what}", short(&request)),
                    None => format!("rule dismiss {}", short(&id)),
                }
            }
            (Claim::Stall(_), None) => format!("rule request {}", short(&id)),
            _ => format!("rule dismiss {}", short(&id)),
        };
        commands.push(table.typing.command(&verb));
    }
    if table.has_unconfirmed(ledger) {
        commands.push(table.typing.command("reply"));
    }
    for player in Player::BOTH {
        let open = ledger.open_proposals(player);
        commands.extend(open.map(|(id, _)| table.typing.command(&format!("rule agree {}", short(&id)))));
    }
    let admits = order.nodes.iter().filter(|node| {
        let admits = matches!(node.message.body(), Body::Key(KeyChange::Admit(_)));
        admits && !ledger.is_admitted(&node.id())
    });
    commands.extend(admits.map(|node| table.typing.command(&format!("rule admit {}", short(&node.id())))));
    let closed = Player::BOTH.iter().all(|player| ledger.closed(*player).1);
    let blocked = if closed { None } else { table.blocked(Some(order))? };
    Ok(Printed {
        begun: true,
        commands: allowed(table, order, blocked.as_ref(), commands),
        blocked,
        awaits: false,
        closed,
        game: ledger.game.to_string(),
        if_lost: if_lost(table),
        missing: Vec::new(),
        move_of: Vec::new(),
        name: table.name(),
        notes: damaged(table).collect(),
        waits_for: Vec::new(),
    })
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
        Task::Close | Task::Reveal { .. } | Task::OpenNote { .. } | Task::Seal { .. } => return None,
        Task::Answer { proposal, .. } => {
            let id = short(proposal);
            format!("correct accept {id}")
        }
        Task::Redo { slot, redo } => match (redo, tasks::foul_up_set(view.ledger, view.me)) {
            (Redo::Breach(_) | Redo::Agreed(_) | Redo::Opened(_), Some(_)) => format!("declare {slot} --again"),
            (_, None) => return None,
        },
        Task::Decide { slot, name, sealed: false } => format!("decide {slot} {name} \"YOUR CHOICE\""),
        Task::Decide { slot, name, sealed: true } => format!("note {slot} {name} TEXT-FILE"),
        Task::NameDice { slot, .. } => format!("dispute name {slot} DICE"),
        Task::Declare { slot } => {
            let sheet = match view.terms.slot(slot).map(|(_, phase)| phase.source) {
                Some(Source::Sheet) => "ROLLS.csv",
                _ => "ATTACKS.csv",
            };
            format!("declare {slot} {sheet} --moves \"WHAT MOVED\"")
        }
    })
}

fn in_words(view: &View<'_, '_>, task: &Task) -> String {
    match task {
        Task::Close => "sends his closing keys".into(),
        Task::Reveal { slot, declaration } => {
            let declaration = view.ledger.declaration(declaration).map(|declaration| declaration.declare);
            let set = declaration.and_then(|declare| view.ledger.set(&declare.seal?));
            let is_sheet = set.is_some_and(|set| set.seal.kind == SetKind::Sheet);
            format!("opens the {} of {slot}", if is_sheet { "cells" } else { "envelopes" })
        }
        Task::Answer { slot, .. } => format!("answers the foul-up in {slot}"),
        Task::Redo { slot, .. } => format!("declares {slot} again"),
        Task::Seal { kind: SetKind::Coin | SetKind::Plain, purpose } => {
            format!("seals envelopes for {}", visible(purpose))
        }
        Task::Seal { purpose, .. } => format!("seals {}", visible(purpose)),
        Task::OpenNote { purpose, .. } => format!("opens the note {}", visible(purpose)),
        Task::NameDice { slot, .. } => format!("may name the dice of {slot}, by forfeit"),
        Task::Decide { slot, name, .. } => format!("chooses {name} for {slot}"),
        Task::Declare { slot } => format!("may declare {slot}"),
    }
}

/// What to type if the other waits in vain, because a mail did not reach him.
fn if_lost(table: &Table) -> Vec<String> {
    let known = table.known_to_other();
    let mut heads = table.stored.iter().map(|letter| letter.message.head());
    let open = heads.any(|head| head.author == table.role && head.number > known);
    if open { vec![table.typing.command("resend")] } else { Vec::new() }
}

/// Letters to ask for.
fn missing(view: &View<'_, '_>) -> Vec<String> {
    let role = |author| view.terms.role_of(author).map(ToString::to_string).unwrap_or_default();
    let ask = view.order.missing.values().map(|missing| match (missing.author, missing.number) {
        (Some(author), Some(number)) if author == Author::Player(view.me) => {
            format!("your own letter {number} is not here: read it from your sent mail")
        }
        (Some(author), None) if author == Author::Player(view.me) => {
            "a letter of your own is not here: read all your sent mails".into()
        }
        (Some(author), Some(number)) => {
            format!("ask {} for letter {number}: sealed-dice resend {number}", role(author))
        }
        (Some(author), None) => format!("ask {} for his letters: sealed-dice resend --all", role(author)),
        (None, _) => "ask your opponent for his letters: sealed-dice resend --all".into(),
    });
    let mut ask: Vec<String> = ask.collect();
    ask.sort();
    ask.dedup();
    ask
}

fn damaged(table: &Table) -> impl Iterator<Item = String> {
    table
        .damaged
        .iter()
        .map(|path| format!("{} holds no whole letter; read the mail that brought it again", path.display()))
}

/// Before the first seal a page is asked for.
fn lacks_page(table: &Table) -> Option<String> {
    let backup = format!("{} key backup --out page.html", table.typing.program);
    let lacks = table.me.player().is_some() && !table.notes.settle_page(&table.fingerprint);
    lacks.then(|| format!("your key has no printed page yet; make one before you seal anything:  {backup}"))
}

fn notes(table: &Table, view: &View<'_, '_>) -> Vec<String> {
    let mut notes: Vec<String> = lacks_page(table).into_iter().collect();
    if let Some(finding) =
        view.ledger.findings.iter().find(|finding| finding.settled_by.is_none() && finding.culprit.is_some())
    {
        notes.push(format!(
            "something is wrong: {}; `sealed-dice audit {}` tells all",
            visible(&finding.text),
            table.folder.letters_path().display()
        ));
    }
    notes.extend(damaged(table));
    for (id, by, claim) in view.ledger.standing_claims() {
        let told = words::body(&Body::Claim(claim.clone()), Some(view.ledger));
        let withdraw = if by == view.me {
            format!("; {} takes it back", table.typing.command(&format!("dispute withdraw {}", short(&id))))
        } else {
            String::new()
        };
        notes.push(format!("{}, letter {}, stands: {told}{withdraw}", view.terms.role(by), short(&id)));
    }
    for slot in super::verbs::hidden_slots(view) {
        let look = table.typing.command(&format!("reveal {slot} --look"));
        notes.push(format!("{slot} is opened, and only you can see its dice: {look}; without --look you show them"));
    }
    for seal in view.ledger.seals(view.me.other()) {
        let Some(set) = view.ledger.set(seal).filter(|set| set.valid && set.seal.kind == SetKind::Sheet) else {
            continue;
        };
        let free = tasks::free_cells(view.ledger, seal, view.me);
        let next = free.first().map_or_else(|| "none".into(), |place| crate::resolve::icrk::label(*place));
        notes.push(format!("{}: {} cells left, the first is {next}", visible(&set.seal.purpose), free.len()));
    }
    for (message, _) in table.pleas() {
        let fingerprint = PublicKey::parse(&message.key().0).map(|key| key.fingerprint()).unwrap_or_default();
        notes.push(format!(
            "somebody says that {} has lost his key, and goes on with {fingerprint}; if he has read that to you by voice: {}",
            message.head().author,
            table.typing.command("key admit \"FINGERPRINT\"")
        ));
    }
    for seal in view.lost_sets() {
        let purpose = view.ledger.set(&seal).map(|set| visible(&set.seal.purpose)).unwrap_or_default();
        notes.push(format!(
            "{purpose} was sealed under a key that is not here, and cannot be opened: ask the referee for `sealed-dice rule kill {}`",
            short(&seal)
        ));
    }
    let unheld = view.ledger.without_receipt().filter(|set| set.node.player != view.me);
    let unheld: Vec<String> = unheld.map(|set| visible(&set.seal.purpose)).collect();
    if let Some(first) = unheld.first() {
        let more = if unheld.len() > 1 { format!(" and {} more sets", unheld.len() - 1) } else { String::new() };
        notes.push(format!("the referee has not confirmed yet that he holds the keys of {first}{more}"));
    }
    let accepted = table.stored.iter().any(|letter| {
        letter.message.id() == view.ledger.game && matches!(letter.message.body(), Body::Accept(body) if body.compared)
    });
    if !(accepted && view.terms.charter.compared) {
        let done = "you have compared since; the letters still say that the players have not both compared their keys";
        let note = format!(
            "the players have not both compared their keys by voice; if you do it now, note it with  {} key compared FINGERPRINT",
            table.typing.program
        );
        notes.push(if table.compares(&table.notes) { done.to_owned() } else { note });
    }
    notes
}

fn tell(table: &Table, printed: &Printed) -> String {
    let against: Vec<String> = table.others().map(|(role, name)| format!("{} ({role})", visible(name))).collect();
    let mut out = format!(
        "{}: {:?}, you are {}, with {}\n",
        printed.name,
        visible(&table.terms.charter.title),
        table.role,
        against.join(" and ")
    );
    if let Some(why) = &printed.blocked {
        out.push_str(&format!("{why}\n"));
    }
    let section = |out: &mut String, head: &str, lines: &[String]| {
        if !lines.is_empty() && !head.is_empty() {
            out.push_str(head);
        }
        lines.iter().for_each(|line| out.push_str(&format!("  {line}\n")));
    };
    // What may be declared next is there as well, but the dice that are owed come first.
    if printed.awaits {
        section(&mut out, "awaited:\n", &printed.waits_for);
    }
    out.push_str(&match (printed.closed, printed.commands.is_empty(), printed.waits_for.is_empty()) {
        (true, ..) => "the game is over and closed by both\n".to_owned(),
        (_, false, _) => "your move:\n".to_owned(),
        (_, true, false) => "nothing for you to do\n".to_owned(),
        (_, true, true) => "nobody owes anything\n".to_owned(),
    });
    section(&mut out, "", &printed.commands);
    if !printed.awaits {
        section(&mut out, "awaited:\n", &printed.waits_for);
    }
    section(&mut out, "if your last mail did not arrive:\n", &printed.if_lost);
    section(&mut out, "missing letters:\n", &printed.missing);
    section(&mut out, "notes:\n", &printed.notes);
    out
}
