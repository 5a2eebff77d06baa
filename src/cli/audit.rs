//! `audit`: reads a transcript from files and folders, checks it on all cores, and tells what came out
//! (`protocol/audit.md`).

use std::{
    fs,
    num::NonZero,
    path::{Path, PathBuf},
    thread,
};

use indicatif::ProgressBar;

use super::{Answer, json_line, read_input, terminal::visible};
use crate::{
    blob::{Keys, Verified, armour},
    game::audit::{Games, Read, Report, StandsOr, Verdict},
    keep::looks_secret,
};

/// A file with its name, for people.
#[derive(Clone, Debug)]
pub struct Source {
    /// What to call it.
    pub name: String,
    /// Its content.
    pub content: Vec<u8>,
}

pub(super) fn run(paths: &[PathBuf], as_json: bool) -> Answer {
    let (reports, talk) = match audit_paths(paths) {
        Ok(audited) => audited,
        Err(why) => return Answer::unable(why),
    };
    let Some(code) = exit_code(&reports) else {
        return Answer::unable(NO_LETTER);
    };
    let tell = |report: &Report| {
        if as_json { json_line(report) } else { tell(report) }
    };
    let out = reports.iter().map(tell).collect::<Vec<_>>();
    Answer { out: out.join(if as_json { "" } else { "\n" }), talk, code, ..Answer::default() }
}

/// What to say of a source that holds somebody's key.
fn shout(source: &Source) -> Option<String> {
    looks_secret(&armour::readable(&source.content)).then(|| {
        format!(
            "SECRET KEY in {}: this looks like a key file or its backup, which must never be mailed. Whoever has read it can \
             sign as its owner and know his dice. Its owner should tell his opponents, and end his games under that key",
            source.name
        )
    })
}

/// Every blob in files and folders, with where it is: its frame, or why it is damaged; and what could not be read.
#[expect(clippy::type_complexity, reason = "a list and some talk")]
pub(super) fn find(paths: &[PathBuf]) -> Result<(Vec<(String, crate::error::Result<Vec<u8>>)>, Vec<String>), String> {
    let (mut sources, mut talk) = (Vec::new(), Vec::new());
    for path in paths {
        gather(path, &mut sources, &mut talk)?;
    }
    let found = sources.iter().flat_map(|source| {
        let blobs = armour::find(&source.content).into_iter();
        blobs.map(|blob| (format!("{}, line {}", source.name, blob.line), blob.frame))
    });
    Ok((found.collect(), talk))
}

/// What to say where nothing is.
pub(super) const NO_LETTER: &str = "no letter was found: look for -----BEGIN SEALED DICE MESSAGE-----";

/// Reads what is at the paths and audits it on all cores: the reports, and talk about what could not be read.
pub(super) fn audit_paths(paths: &[PathBuf]) -> Result<(Vec<Report>, Vec<String>), String> {
    let (mut sources, mut talk) = (Vec::new(), Vec::new());
    for path in paths {
        gather(path, &mut sources, &mut talk)?;
    }
    talk.extend(sources.iter().filter_map(shout));
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    Ok((audit(sources, threads, true), talk))
}

/// A file, or the regular files of a folder and of the folders in it. Links to folders are not followed, and what cannot
/// be read within a folder is said and passed over.
fn gather(path: &Path, sources: &mut Vec<Source>, talk: &mut Vec<String>) -> Result<(), String> {
    if !path.is_dir() {
        sources.push(Source { name: path.display().to_string(), content: read_input(path)? });
        return Ok(());
    }
    for path in files_below(path, talk)? {
        match read_input(&path) {
            Ok(content) => sources.push(Source { name: path.display().to_string(), content }),
            Err(why) => talk.push(why),
        }
    }
    Ok(())
}

/// The regular files below a folder, in the order of their names. Of two unreadable folders only the first is fatal: the
/// one that was asked for.
pub(super) fn files_below(folder: &Path, talk: &mut Vec<String>) -> Result<Vec<PathBuf>, String> {
    let unreadable = |error: std::io::Error| format!("{} cannot be read: {error}", folder.display());
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut entries = entries.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    entries.sort_by_key(fs::DirEntry::path);
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.path();
        // `file_type` does not follow links, `is_file` does: a link to a file is read, a link to a folder is not.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => match files_below(&path, talk) {
                Ok(more) => files.extend(more),
                Err(why) => talk.push(why),
            },
            _ if path.is_file() => files.push(path),
            _ => {}
        }
    }
    Ok(files)
}

/// Finds, verifies and audits everything in the sources, with as many threads. The result does not depend on their
/// number.
#[must_use]
pub fn audit(sources: Vec<Source>, threads: usize, show_progress: bool) -> Vec<Report> {
    let read = read(&sources, threads, show_progress);
    // The texts are done with: a long game then needs no memory for them beside its letters.
    drop(sources);
    let games = Games::sort(&read);
    in_parallel(&games.jobs(), threads, |share| share.iter().map(|job| job.run()).collect())
}

fn read(sources: &[Source], threads: usize, show_progress: bool) -> Vec<Read> {
    let texts = in_parallel(sources, threads, |share| {
        share.iter().map(|source| (source, armour::readable(&source.content))).collect()
    });
    let blobs = in_parallel(&texts, threads, |share| {
        let blobs = share.iter().flat_map(|(source, text)| armour::raw_blobs(text).map(|raw| (*source, raw)));
        blobs.collect()
    });
    let progress =
        if show_progress && blobs.len() > 2_000 { ProgressBar::new(blobs.len() as u64) } else { ProgressBar::hidden() };
    let read = in_parallel(&blobs, threads, |share| {
        let mut keys = Keys::default();
        let open = |(source, raw): &(&Source, armour::RawBlob<'_>)| {
            let blob = raw.decode();
            progress.inc(1);
            Read {
                place: format!("{}, line {}", source.name, blob.line),
                letter: blob.frame.map_err(|error| error.into()).and_then(|frame| Verified::open(&frame, &mut keys)),
            }
        };
        share.iter().map(open).collect()
    });
    progress.finish_and_clear();
    read
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
