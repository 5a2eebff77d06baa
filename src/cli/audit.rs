//! `audit`: reads a transcript out of any mail, checks it on all cores, and tells what came out (`protocol/audit.md`).

use std::{
    num::NonZero,
    path::PathBuf,
    sync::{Mutex, PoisonError},
    thread,
};

use indicatif::ProgressBar;

use super::{Answer, json_line, terminal::visible};
use crate::{
    blob::Keys,
    game::audit::{Games, Read, Report, StandsOr, Verdict},
    mail::{Find, Mail},
};

/// Below so many bytes threads cost more than they bring.
const SHORT: u64 = 1 << 16;
/// From so many bytes on people want to see that it goes on.
const LONG: u64 = 4 << 20;

pub(super) fn run(paths: &[PathBuf], as_json: bool) -> Answer {
    let (reports, mut talk) = match audit_paths(paths) {
        Ok(audited) => audited,
        Err(why) => return Answer::unable(why),
    };
    let Some(code) = exit_code(&reports) else {
        talk.push(NO_LETTER.to_owned());
        return Answer { talk, code: 2, ..Answer::default() };
    };
    let tell = |report: &Report| {
        if as_json { json_line(report) } else { tell(report) }
    };
    let out = reports.iter().map(tell).collect::<Vec<_>>();
    Answer { out: out.join(if as_json { "" } else { "\n" }), talk, code, ..Answer::default() }
}

/// What to say where nothing is.
pub(super) const NO_LETTER: &str = "no letter was found: look for -----BEGIN SEALED DICE MESSAGE-----";

/// Reads what is at the paths and audits it on all cores: the reports, and talk about what could not be read.
pub(super) fn audit_paths(paths: &[PathBuf]) -> Result<(Vec<Report>, Vec<String>), String> {
    let mut mail = Mail::at(paths)?;
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let reports = audit(&mut mail, threads, true);
    Ok((reports, mail.end()?))
}

/// Finds, verifies and audits everything in the mail, with as many threads. The result does not depend on their number.
/// What cannot be read is told by the mail.
#[must_use]
pub fn audit(mail: &mut Mail, threads: usize, show_progress: bool) -> Vec<Report> {
    let read = read(mail, threads, show_progress);
    let games = Games::sort(&read);
    in_parallel(&games.jobs(), threads, |share| share.iter().map(|job| job.run()).collect())
}

/// Opens every letter. Each thread fetches the next piece of mail when it has done one, so that texts are let go as soon as
/// their letters are read.
fn read(mail: &mut Mail, threads: usize, show_progress: bool) -> Vec<Read> {
    let size = mail.size();
    let long = show_progress && size.is_some_and(|size| size > LONG);
    let progress = if long { ProgressBar::new(size.unwrap_or_default()) } else { ProgressBar::hidden() };
    let threads = if size.is_some_and(|size| size < SHORT) { 1 } else { threads };
    let queue = Mutex::new((0_usize, &mut *mail));
    let work = || {
        let (mut keys, mut done) = (Keys::default(), Vec::new());
        loop {
            let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(batch) = queue.1.batch() else { return done };
            queue.0 += 1;
            progress.set_position(queue.1.passed());
            let (number, waiting) = (queue.0, batch.is_large().then_some(queue));
            let mut letters = Vec::new();
            let warning = batch.open(&mut keys, &mut |Find { place, letter, .. }| letters.push(Read { place, letter }));
            drop(waiting);
            done.push((number, letters, warning));
        }
    };
    let mut read = in_parallel(&vec![(); threads], threads, |_| work());
    progress.finish_and_clear();
    read.sort_by_key(|(number, ..)| *number);
    let opened = read.into_iter().flat_map(|(_, letters, warning)| {
        mail.warn(warning);
        letters
    });
    opened.collect()
}

/// Cuts a list into one share a thread, and joins what they return in order.
fn in_parallel<'a, T: Sync, R: Send>(
    items: &'a [T],
    threads: usize,
    work: impl Fn(&'a [T]) -> Vec<R> + Sync,
) -> Vec<R> {
    let share = items.len().div_ceil(threads.max(1)).max(1);
    if items.len() <= share {
        return work(items);
    }
    let work = &work;
    thread::scope(|scope| {
        let threads: Vec<_> = items.chunks(share).map(|share| scope.spawn(move || work(share))).collect();
        threads
            .into_iter()
            .flat_map(|thread| match thread.join() {
                Ok(results) => results,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    })
}

/// The worst verdict of the games that have begun; other reports, which anybody's stray letter can cause, count only if
/// there is no such game. `None` if there is nothing at all.
fn exit_code(reports: &[Report]) -> Option<u8> {
    let games = reports.iter().filter(|report| report.has_begun);
    let code = |report: &Report| match report.verdict {
        Verdict::Verified => 0,
        Verdict::Undecided => 1,
        Verdict::Refuted => 2,
    };
    let worst = games.map(code).max().or(reports.first().map(|_| 1))?;
    Some(match worst {
        0 => 0,
        1 => 2,
        _ => 1,
    })
}

fn short(id: &impl ToString) -> String {
    id.to_string().chars().take(8).collect()
}

/// A report for people: verdict first, and how far it goes.
pub(super) fn tell(report: &Report) -> String {
    let mut out = headline(report);
    for finding in &report.findings {
        let who = finding.culprit.as_ref().map_or("nobody is blamed".into(), |culprit| format!("by {culprit}"));
        let settled = match finding.settled_by {
            Some(redo) => format!("; settled by {}", short(&redo)),
            None if finding.waits => "; its redo waits for the reveal".into(),
            None => String::new(),
        };
        let ids: Vec<String> = finding.message_ids.iter().map(short).collect();
        out.push_str(&format!(
            "  {}{} {who}{settled}: {}\n",
            finding.code,
            if ids.is_empty() { String::new() } else { format!(" [{}]", ids.join(" ")) },
            visible(&finding.text)
        ));
    }
    for missing in &report.missing {
        let whose = match (&missing.author, missing.number) {
            (Some(author), Some(number)) => format!("ask for letter {number} of {author}"),
            (Some(author), None) => format!("ask {author} for it"),
            _ => "ask whoever names it".into(),
        };
        let by: Vec<String> = missing.named_by.iter().map(short).collect();
        out.push_str(&format!("  missing: letter {}, named by {}; {whose}\n", short(&missing.id), by.join(" ")));
    }
    let mut slot = String::new();
    for roll in &report.rolls {
        if roll.slot != slot {
            slot.clone_from(&roll.slot);
            out.push_str(&format!("  {slot}\n"));
        }
        let place = roll.cell.clone().unwrap_or_else(|| format!("envelope {} line {}", roll.index, roll.line));
        let standing = match roll.standing {
            StandsOr::Stands(_) => String::new(),
            StandsOr::ReplacedBy(redo) => format!("  (replaced by {})", short(&redo)),
        };
        out.push_str(&format!("    d{} = {}  {}, {place}{standing}\n", roll.sides, roll.value, visible(&roll.why)));
    }
    for open in &report.open {
        out.push_str(&format!("  {}\n", visible(&open.text)));
    }
    out
}

fn headline(report: &Report) -> String {
    let verdict = match report.verdict {
        Verdict::Verified => "verified",
        Verdict::Refuted => "refuted",
        Verdict::Undecided => "undecided",
    };
    let Some(game) = report.game else {
        return format!("{verdict}: letters that could not be used; nobody is blamed for damage\n");
    };
    let heads: Vec<String> = report
        .heads
        .iter()
        .map(|(role, head)| match head {
            Some(head) => format!("{role} {} ({})", head.number, short(&head.id)),
            None => format!("{role} none"),
        })
        .collect();
    let far = if heads.is_empty() { "nothing was replayed".into() } else { format!("up to {}", heads.join(", ")) };
    let complete = if report.complete { "complete" } else { "not complete: more letters may follow" };
    format!(
        "{verdict}, {far}; {complete}\n  game {} {:?}\n  not checked: whether the moves were legal, and what silence may mean\n",
        short(&game),
        visible(&report.title)
    )
}
