//! `audit`: reads a transcript from files and folders, checks it on all cores, and tells what came out
//! (`protocol/audit.md`).

use std::{
    fs,
    io::Read as _,
    num::NonZero,
    path::{Path, PathBuf},
    thread,
};

use indicatif::ProgressBar;
use serde::Serialize;

use super::{Answer, args, files::Folder, json_line, read_input};
use crate::{
    blob::{Keys, Verified, armour},
    game::audit::{Games, Read, Replay, Report, Verdict},
    keep::looks_secret,
    report::{
        files::{FileCheck, Found},
        html::{self, Letters, Section},
        plain,
    },
};

/// A file with its name, for people.
#[derive(Clone, Debug)]
pub struct Source {
    /// What to call it.
    pub name: String,
    /// Its content.
    pub content: Vec<u8>,
}

/// What came of a game, for all ways to tell it.
struct Told {
    report: Report,
    /// The files that its letters name, if they were looked for.
    files: Option<Vec<FileCheck>>,
    /// Its part of the page, if one is made.
    section: Option<Section>,
}

/// A report for tools, with the files if they were looked for.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    report: &'a Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<&'a [FileCheck]>,
}

pub(super) fn run(args: &args::Audit) -> Answer {
    let (sources, mut talk) = match gather_all(&args.paths) {
        Ok(gathered) => gathered,
        Err(why) => return Answer::unable(why),
    };
    talk.extend(sources.iter().filter_map(shout));
    let folder = match args.files.as_deref().map(|folder| Folder::list(folder, &mut talk)).transpose() {
        Ok(folder) => folder,
        Err(why) => return Answer::unable(why),
    };
    if let Some(why) = args.html.as_deref().and_then(keeps_us_from_writing) {
        return Answer::unable(why);
    }
    let threads = cores();
    let read = read(&sources, threads, true);
    // The texts are done with: a long game then needs no memory for them beside its letters.
    drop(sources);
    let letters = args.html.is_some().then(|| Letters::of(&read));
    let told = run_jobs(&read, threads, |report, replay| {
        let files = folder.as_ref().map(|folder| replay.map_or_else(Vec::new, |replay| folder.check_all(replay)));
        let section = letters.as_ref().map(|letters| html::section(letters, report, replay, files.as_deref()));
        (files, section)
    });
    let told: Vec<Told> = told.into_iter().map(|(report, (files, section))| Told { report, files, section }).collect();
    let Some(mut code) = exit_code(&told) else {
        return Answer::unable(NO_LETTER);
    };
    let out = told.iter().map(|told| {
        let files = told.files.as_deref();
        if args.json {
            json_line(&Printed { report: &told.report, files })
        } else {
            plain::tell(&told.report) + &plain::tell_files(files)
        }
    });
    let out = out.collect::<Vec<_>>().join(if args.json { "" } else { "\n" });
    if let Some(path) = &args.html {
        let sections: Vec<Section> = told.into_iter().filter_map(|told| told.section).collect();
        match fs::write(path, html::page(&sections)) {
            Ok(()) => talk.push(format!("the page is in {}", path.display())),
            Err(error) => {
                talk.push(format!("{} cannot be written: {error}", path.display()));
                code = 2;
            }
        }
    }
    Answer { out, talk, code, ..Answer::default() }
}

/// Why a page may not be written to a path: only an earlier page of ours is written over.
fn keeps_us_from_writing(path: &Path) -> Option<String> {
    let kind = fs::metadata(path).ok()?;
    if !kind.is_file() {
        return Some(format!("{} is no file; name a file for the page", path.display()));
    }
    let mut begins = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(html::BEGINS.len() as u64).read_to_end(&mut begins));
    let ours = read.is_ok() && (begins.is_empty() || begins == html::BEGINS.as_bytes());
    (!ours).then(|| format!("{} is there already and is no page of ours; name another file", path.display()))
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
    let (sources, talk) = gather_all(paths)?;
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
    let (sources, mut talk) = gather_all(paths)?;
    talk.extend(sources.iter().filter_map(shout));
    Ok((audit(sources, cores(), true), talk))
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// What is at the paths, and talk about what could not be read.
fn gather_all(paths: &[PathBuf]) -> Result<(Vec<Source>, Vec<String>), String> {
    let (mut sources, mut talk) = (Vec::new(), Vec::new());
    for path in paths {
        gather(path, &mut sources, &mut talk)?;
    }
    Ok((sources, talk))
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
    drop(sources);
    run_jobs(&read, threads, |_, _| ()).into_iter().map(|(report, ())| report).collect()
}

/// Audits every game, and lets somebody look at each replay.
fn run_jobs<T: Send>(
    read: &[Read],
    threads: usize,
    look: impl Fn(&Report, Option<&Replay<'_>>) -> T + Sync,
) -> Vec<(Report, T)> {
    let games = Games::sort(read);
    in_parallel(&games.jobs(), threads, |share| share.iter().map(|job| job.run_with(&look)).collect())
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
/// there is no such game. Nothing is verified while a file that was looked for is not there. `None` if there is nothing at
/// all.
fn exit_code(told: &[Told]) -> Option<u8> {
    let lacks = |told: &Told| told.files.iter().flatten().any(|file| file.found != Found::Right);
    let code = |told: &Told| match told.report.verdict {
        Verdict::Verified if lacks(told) => 1,
        Verdict::Verified => 0,
        Verdict::Undecided => 1,
        Verdict::Refuted => 2,
    };
    let games = told.iter().filter(|told| told.report.has_begun);
    let worst = games.map(code).max().or(told.first().map(|_| 1))?;
    Some(match worst {
        0 => 0,
        1 => 2,
        _ => 1,
    })
}
