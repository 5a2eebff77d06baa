//! Notes that `game status` shows besides whose move it is, and warnings before signing.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    blanks::SHEET,
    deposits::first_of,
    failure::{Failure, PlayResult},
    forks,
    sheet::IN_SHEET,
    state::TO_PRINT,
    step::Step,
    table::{Table, View},
    typing::quoted,
};
use crate::{
    blob::{
        Body, Hex32,
        body::{Correct, Declare, Moves, Role, SetKind, Slot},
        disputes::Claim,
    },
    game::{
        deposits, findings, hidden,
        ledger::Ledger,
        node::Past,
        order::{Missing, Order},
        purpose::STANDING,
        repeats,
        rules::{
            claim, correct,
            course::{self, Choice},
        },
        set::Set,
        tasks::{self, Task},
        terms::{Author, Player},
    },
    report::{
        inputs,
        text::{count, visible},
        words,
    },
    resolve::{Awaits, icrk},
};

/// The length of a file, in bytes, up to which it may be orders that somebody could guess; saves and photos are longer.
const GUESSED: u64 = 4_096;

/// Returns the step to take if the other player waits in vain because a mail did not reach them.
pub(super) fn if_lost(table: &Table) -> Vec<Step> {
    let known = table.known_to_other();
    let mut heads = table.stored.iter().map(|letter| letter.message.head());
    let open = heads.any(|head| head.author == table.role && head.number > known);
    if open || !table.unread_answers().is_empty() { vec![Step::Resend] } else { Vec::new() }
}

/// Lists letters to ask for. It leaves out this party's own letters if this machine knows the end of its own chain: then
/// nobody signed the ones that others name.
pub(super) fn missing(table: &Table, order: &Order) -> PlayResult<Vec<String>> {
    let knows = table.wrote_the_end(order)?;
    // A letter may name a role that does not exist in the game.
    let author = |missing: &Missing| missing.author.clone().filter(|role| table.terms.author_of(role).is_some());
    let mut named: BTreeMap<Role, BTreeSet<u64>> = BTreeMap::new();
    let ask = order.missing.values().filter_map(|missing| match (author(missing), missing.number) {
        (Some(author), _) if author == table.role && knows => None,
        (Some(author), None) if author == table.role => {
            Some("one of your own letters is missing here: read all your sent mails".into())
        }
        (Some(author), Some(number)) => {
            named.entry(author).or_default().insert(number);
            None
        }
        (Some(author), None) => Some(format!("ask {author} for their letters: they type  sealed-dice resend --all")),
        (None, _) => Some("ask your opponent for their letters: they type  sealed-dice resend --all".into()),
    });
    let mut ask: Vec<String> = ask.collect();
    ask.extend(named.iter().map(|(author, numbers)| ask_for(table, author, numbers)));
    ask.sort();
    ask.dedup();
    let more = ask.len().saturating_sub(MISSING);
    ask.truncate(MISSING);
    ask.extend(
        (more > 0).then(|| format!("and {} more: they type  sealed-dice resend --everything", count(more, "letter"))),
    );
    Ok(ask)
}

/// Returns a request to an author for missing letters: those that other letters name, and the gaps before them.
fn ask_for(table: &Table, author: &Role, named: &BTreeSet<u64>) -> String {
    let is_own = *author == table.role;
    let heads = table.stored.iter().map(|letter| letter.message.head()).filter(|head| head.author == *author);
    let here: BTreeSet<u64> = heads.map(|head| head.number).collect();
    let mut numbers = BTreeSet::new();
    for last in named {
        let before = here.range(..last).next_back().map_or(1, |number| number + 1);
        numbers.extend((before..=*last).take(MISSING + 1));
    }
    if numbers.len() > MISSING {
        return if is_own {
            format!(
                "your own letters from {} onwards are missing here: read all your sent mails",
                numbers.first().unwrap_or(&1)
            )
        } else {
            format!("ask {author} for their letters: they type  sealed-dice resend --all")
        };
    }
    let listed: Vec<String> = numbers.iter().map(u64::to_string).collect();
    if is_own {
        return match listed.as_slice() {
            [one] => format!("your own letter {one} is missing here: read the mail in which you sent it"),
            _ => format!(
                "your own letters {} are missing here: read the mails in which you sent them",
                listed.join(", ")
            ),
        };
    }
    let letters = if listed.len() == 1 { "letter" } else { "letters" };
    format!("ask {author} for {letters} {}: they type  sealed-dice resend {}", listed.join(", "), listed.join(" "))
}

/// The maximum number of lines about missing letters: anybody can name any number of them.
const MISSING: usize = 16;

/// Lists letters by this party that others name, but that this machine has never signed.
pub(super) fn invented(table: &Table, order: &Order) -> PlayResult<Vec<String>> {
    if !table.wrote_the_end(order)? {
        return Ok(Vec::new());
    }
    let mine = order.missing.values().filter(|missing| missing.author.as_ref() == Some(&table.role));
    let mut by: BTreeMap<&Role, usize> = BTreeMap::new();
    mine.flat_map(|missing| &missing.namers).for_each(|namer| *by.entry(namer).or_default() += 1);
    let told = |(namer, named): (&Role, usize)| {
        format!(
            "{namer} names {} of yours that this machine has not signed. If you have restored nothing and play only on \
             this machine, {namer} invented that, and you can ignore it; otherwise type  {}  before you sign",
            count(named, "letter"),
            table.typing.command("game resync")
        )
    };
    Ok(by.into_iter().map(told).collect())
}

pub(super) fn damaged(table: &Table) -> impl Iterator<Item = String> {
    table
        .damaged
        .iter()
        .map(|path| format!("{} does not hold a complete letter; read the mail with that letter again", path.display()))
}

/// Lists repeated rolls in the last turn; the report has those from all turns.
pub(super) fn rolled_again(ledger: &Ledger<'_>) -> impl Iterator<Item = String> {
    let last = ledger.declarations().map(|declaration| declaration.declare.slot.turn).max();
    let repeats = repeats::of(ledger).into_iter().filter(move |again| Some(again.slot.turn) == last);
    repeats.map(|again| visible(&again.text))
}

/// Asks for a backup page before the first seal.
pub(super) fn lacks_page(table: &Table) -> Option<String> {
    let backup = format!("{} key backup --out page.html", table.typing.program);
    let lacks = table.me.player().is_some() && !table.notes.settle_page(&table.fingerprint);
    lacks.then(|| format!("your key has no printed page yet; make one before you seal anything:  {backup}"))
}

/// Reports each player who has forfeited the game, with the letter that shows it (disputes 16).
pub(super) fn lost(ledger: &Ledger<'_>) -> Vec<String> {
    let tell = |(player, by): (Player, Hex32)| {
        format!(
            "{} has forfeited the game (letter {}). Further play does not change that; `game close` ends the game",
            ledger.terms.role(player),
            ledger.ids.short(&by)
        )
    };
    claim::lost(ledger).map(tell).collect()
}

/// Lists everything else that a player should know, such as mistakes, claims and the states of courses.
pub(super) fn notes(table: &Table, view: &View<'_, '_>) -> Vec<String> {
    let mut notes: Vec<String> = lacks_page(table).into_iter().chain(table.withdrawn_too_late()).collect();
    // Forks are reported separately, by author.
    let mut findings = findings::of(view.ledger).iter().filter(|finding| finding.letters.len() < 2);
    if let Some(finding) = findings.find(|finding| finding.settled_by.is_none() && finding.culprit.is_some()) {
        notes.push(format!(
            "something is wrong: {}; `sealed-dice audit {}` shows the details",
            visible(&finding.text),
            quoted(&table.folder.letters_path())
        ));
    }
    notes.extend(forks::tell_player(table, view));
    notes.extend(table.asked());
    notes.extend(damaged(table));
    notes.extend(rolled_again(view.ledger));
    notes.extend(lost(view.ledger));
    notes.extend(standing_claims(table, view));
    notes.extend(course_notes(table, view));
    notes.extend(hidden_notes(table, view));
    let late = view.late_wishes(view.me);
    notes.extend(late.iter().map(|slot| {
        format!(
            "your choice beforehand for {slot} came too late, because the declaration did not know your note. The note \
             is not used: if the choice is yours, you are asked"
        )
    }));
    let mut sealed = view.sealed_notes(view.me);
    sealed.retain(|purpose| !late.iter().any(|slot| *purpose == format!("{slot}/{STANDING}")));
    if !sealed.is_empty() {
        notes.push(format!("your sealed notes are still unread: {}", sealed.join(", ")));
    }
    notes.extend(cells_left(view));
    notes.extend(unheld(view));
    notes.extend(not_compared(table, view));
    notes
}

/// Lists active claims, with what each waits for.
fn standing_claims(table: &Table, view: &View<'_, '_>) -> Vec<String> {
    let mut notes = Vec::new();
    for (id, by, claim) in claim::standing(view.ledger) {
        let told = words::body(&Body::Claim(claim.clone()), Some(view.ledger));
        let withdraw = if by == view.me {
            format!(
                "; to withdraw it:  {}",
                table.typing.command(&format!("dispute withdraw {}", view.ledger.ids.short(&id)))
            )
        } else {
            String::new()
        };
        let owed = view.tell_owed(by, claim) + &view.tell_request(&id, claim);
        notes.push(format!(
            "open claim by {}, letter {}: {told}{owed}{withdraw}",
            view.terms.role(by),
            view.ledger.ids.short(&id)
        ));
    }
    notes
}

/// Describes the state of each course, and the decisions due in it.
fn course_notes(table: &Table, view: &View<'_, '_>) -> Vec<String> {
    let mut notes = Vec::new();
    let is_over = Player::BOTH.iter().all(|player| view.ledger.has_published(*player));
    for (phase, course) in view.terms.courses().filter(|_| !is_over) {
        let state = course::reached(view.ledger, phase, Past::ALL).state;
        notes.extend(state.and_then(|state| course.tell(&state).ok()).map(|told| visible(&told)));
    }
    for Choice { slot, name, by, answers, .. } in course::awaited_choices(view.ledger) {
        if let Err(wait) = view.check_redo(&slot) {
            notes.extend(wait.why);
            continue;
        }
        notes.push(format!("{by} must decide {name} for {slot}: {}", visible(&answers.to_string())));
    }
    for command in mine_to_fill_in(view) {
        notes.push(format!("{TO_PRINT}: {}", table.typing.command(&command)));
    }
    notes
}

/// Lists what a player of a hidden course has to fill in or to look at.
fn hidden_notes(table: &Table, view: &View<'_, '_>) -> Vec<String> {
    let mut notes = Vec::new();
    let sheets = view.tasks().into_iter().filter_map(|task| match task {
        tasks::Task::Declare { slot } => Some(slot).filter(|slot| view.terms.is_of_hidden(slot)),
        _ => None,
    });
    for slot in sheets {
        let form = table.typing.command(&format!("declare {slot} --form"));
        notes.push(format!("{TO_PRINT}, with the details that only you know: {form} > {SHEET}"));
    }
    if let Some((_, forfeited)) = hidden::named_next(view.ledger, view.me) {
        let slot = &forfeited.declare.slot;
        notes.push(format!("the dice for {slot} are forfeited to you; name them in your next sheet: {IN_SHEET}"));
    }
    for slot in super::reveal::hidden_slots(view) {
        let look = table.typing.command(&format!("reveal {slot} --look"));
        notes.push(format!(
            "{slot} is opened, and only you can see its dice: {look}; without --look, you show them to everybody"
        ));
    }
    notes
}

/// Reports how much is left of each sheet that this player rolls on.
fn cells_left(view: &View<'_, '_>) -> Vec<String> {
    let mut notes = Vec::new();
    for seal in view.ledger.seals(view.me.other()) {
        let Some(set) = view.ledger.set(seal).filter(|set| set.valid && set.seal.kind == SetKind::Sheet) else {
            continue;
        };
        let free = tasks::free_cells(view.ledger, seal, view.me);
        let next = free.first().map_or_else(String::new, |place| format!(", the first is {}", icrk::label(*place)));
        let left = if free.is_empty() { "no cells".into() } else { count(free.len(), "cell") };
        notes.push(format!("{}: {left} left{next}", visible(&set.seal.purpose)));
    }
    notes
}

/// Reports the holders whose receipts for the opponent's sets are missing.
fn unheld(view: &View<'_, '_>) -> Vec<String> {
    let mut notes = Vec::new();
    for (holder, effect) in [
        (Author::Referee, ""),
        (Author::Office, "; if you declare on such a set before that, its sealer opens the dice by mail"),
    ] {
        let unheld = deposits::without_receipt(view.ledger, holder).filter(|set| set.node.player != view.me);
        if let (Some(sets), Some(role)) = (first_of(unheld), view.terms.role_of(holder)) {
            let sealer = view.terms.role(view.me.other());
            notes.push(format!(
                "{role} has not confirmed yet that they hold {sealer}'s keys for {sets}{effect}; if this does not \
                 change, ask both: the keys may be missing or wrong"
            ));
        }
    }
    notes
}

/// Explains what is left to do until both players have compared their keys.
fn not_compared(table: &Table, view: &View<'_, '_>) -> Option<String> {
    let accepted = table.stored.iter().any(|letter| {
        letter.message.id() == view.ledger.game && matches!(letter.message.body(), Body::Accept(body) if body.compared)
    });
    if accepted && view.terms.charter.compared {
        return None;
    }
    let other = view.terms.role(view.me.other());
    Some(match (table.says_compared(other), table.has_compared(other)) {
        (true, _) => format!(
            "{other} has not said that they have compared your key; read its fingerprint to them by voice: {}",
            table.fingerprint
        ),
        (false, true) => "you have compared the keys by now, but the letters do not say so, because they were signed \
                          earlier"
            .into(),
        (false, false) => format!(
            "the players have not both compared each other's key by voice; once you have, record it with  {} key \
             compared FINGERPRINT",
            table.typing.program
        ),
    })
}

/// Warns that a signed hash can reveal a file short enough to be guessed.
fn guessed(declare: &Declare) -> Option<String> {
    let Moves::Files(files) = &declare.moves else { return None };
    let short = files.iter().find(|file| file.length <= GUESSED)?;
    Some(format!(
        "  note: {} is short, so anybody who tries likely texts can guess it from its hash. To keep it secret, put it \
         into a sealed note: sealed-dice note {} NAME FILE, then declare with --moves-note NAME",
        visible(&short.name),
        declare.slot
    ))
}

/// Lists the commands that print a form which this player has to fill in, for a choice, a note or a declaration.
fn mine_to_fill_in(view: &View<'_, '_>) -> Vec<String> {
    let tasks = view.tasks().into_iter();
    let forms = tasks.filter_map(|task| match task {
        Task::Decide { slot, name, sealed: true } if view.terms.takes_orders(&slot) => {
            Some(format!("note {slot} {name} --form"))
        }
        Task::Decide { slot, name, sealed: false } if view.states_much(&slot) => {
            Some(format!("decide {slot} {name} --form"))
        }
        Task::Declare { slot } if view.is_stated(&slot) => Some(format!("declare {slot} --form")),
        _ => None,
    });
    forms.collect()
}

/// Lists the parties' keys, once there is a game.
pub(super) fn keys(table: &Table) -> Vec<String> {
    table.keys_in_words()
}

impl View<'_, '_> {
    /// Whether a slot's statements are filled in on a public form.
    fn is_stated(&self, slot: &Slot) -> bool {
        let phase = self.terms.slot(slot).map(|(_, phase)| phase).filter(|phase| phase.hidden().is_none());
        phase.is_some_and(|phase| phase.system.resolver().course().is_some())
            && !self.terms.takes_orders(slot)
            && !self.rolls_on(slot)
    }

    /// Whether a slot is another roll for an earlier declaration, without statements of its own.
    pub(super) fn rolls_on(&self, slot: &Slot) -> bool {
        let Some((_, phase)) = self.terms.slot(slot).filter(|(_, phase)| phase.hidden().is_none()) else {
            return false;
        };
        let course = phase.system.resolver().course().zip(course::reached(self.ledger, phase, Past::ALL).state);
        course.is_some_and(|(course, state)| matches!(course.awaits(&state), Ok(Awaits::More(_))))
    }

    /// Checks that a slot does not wait for an agreed redo.
    pub(super) fn check_redo(&self, slot: &Slot) -> PlayResult<()> {
        match correct::waits_for_redo(self.ledger, slot) {
            Some((again, by)) if by == self.me => Err(Failure::refused(format!(
                "first declare {again} again, as agreed: sealed-dice declare {again} --again"
            ))),
            Some((again, by)) => {
                let by = self.terms.role(by);
                Err(Failure::refused(format!(
                    "wait until {by} has declared {again} again, as agreed; its old dice no longer count"
                )))
            }
            None => Ok(()),
        }
    }

    /// Whether the decision that a slot awaits is filled in on a form rather than typed.
    pub(super) fn states_much(&self, slot: &Slot) -> bool {
        let Some((_, phase)) = self.terms.slot(slot) else { return false };
        let state = course::reached(self.ledger, phase, Past::ALL).state;
        let course = phase.system.resolver().course().zip(state);
        course.is_some_and(|(course, state)| course.choice_form(&state).is_ok_and(|form| form.is_some()))
    }

    /// Lists what a player must know before they sign a letter, one line each.
    pub(super) fn mind(&self, body: &Body) -> Vec<String> {
        match body {
            Body::Declare(declare) => {
                let entries = inputs::roster(&declare.input).into_iter().map(|entry| format!("      {entry}"));
                let set = declare.seal.and_then(|seal| self.ledger.set(&seal));
                let passed = self.tell_passed(&declare.slot).into_iter().filter(|_| declare.redo.is_none());
                let passed = passed.map(|passed| format!("  WARNING: {passed}"));
                let told = set.and_then(|set| self.unanswerable(set)).into_iter().chain(guessed(declare)).chain(passed);
                entries.chain(told).collect()
            }
            Body::Correct(Correct::Propose(proposal)) if proposal.input.is_some() => {
                let bars = correct::bars_redo(self.ledger, &proposal.declaration, None).into_iter();
                bars.map(|slot| {
                    format!("  note: nobody can agree to this until the office has opened {slot}: propose it then")
                })
                .collect()
            }
            Body::Claim(Claim::Dispute(_)) => forks::kept(self, body),
            Body::Close(_) => self.unfinished(),
            _ => Vec::new(),
        }
    }

    /// Explains why a roll on a set may never be opened, although it may be declared (deposits 8).
    fn unanswerable(&self, set: &Set<'_>) -> Option<String> {
        let purpose = visible(&set.seal.purpose);
        let held = self.ledger.is_held(&set.node.id(), Past::ALL);
        match held {
            false if set.seal.revealer != *self.terms.role(set.node.player) => {
                (!self.ledger.is_with_office(&set.node.id(), Past::ALL)).then(|| {
                    format!("  note: the office does not hold the keys for {purpose}, so the sealer opens this by mail")
                })
            }
            false if set.context.fallback.is_some() => Some(format!(
                "  note: the referee has not confirmed yet that they hold the keys for {purpose}; if the sealer stops \
                 answering now, nobody can finish this roll"
            )),
            _ => None,
        }
    }
}
