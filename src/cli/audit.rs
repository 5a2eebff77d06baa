//! `audit`: reads a transcript out of any mail, checks it on all cores, and tells what came out (`protocol/audit.md`).

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use indicatif::ProgressBar;
use serde::Serialize;

use super::{
    answer::{Answer, json_line},
    files::Folder,
    options, out_file,
};
use crate::{
    blob::Keys,
    game::{
        audit::{Games, Read, Replay, Report, Verdict},
        runs::Supplied,
    },
    keep::threads::{cores, in_parallel},
    mail::{Find, Mail},
    play::{read::NO_LETTER, tables},
    report::{
        audit_page::AUDIT_PAGE,
        files::{FileCheck, Found},
        html::{self, Letters, Section},
        plain,
    },
};

/// Below so many bytes threads cost more than they bring.
const SHORT: u64 = 1 << 16;
/// From so many bytes on people want to see that it goes on.
const LONG: u64 = 4 << 20;

/// What came of a game, for all ways to tell it.
struct PlayResult {
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

pub(super) fn run(args: &options::Audit, paths: &[PathBuf]) -> Answer {
    let mut mail = match Mail::at(paths) {
        Ok(mail) => mail,
        Err(why) => return Answer::unable(why),
    };
    let mut talk = Vec::new();
    let folder = match args.files.as_deref().map(|folder| Folder::list(folder, &mut talk)).transpose() {
        Ok(folder) => folder,
        Err(why) => return Answer::unable(why),
    };
    let supplied = match args.tables.as_deref().map(tables::in_folder).transpose() {
        Ok(supplied) => supplied.unwrap_or_default(),
        Err(why) => return why.into(),
    };
    if let Some(Err(why)) = args.html.as_deref().map(out_file::check) {
        return Answer::from(why).untold();
    }
    let threads = cores();
    let read = read(&mut mail, threads, true);
    match mail.end() {
        Ok(said) => talk.extend(said),
        Err(why) => return Answer::unable(why),
    }
    let letters = args.html.is_some().then(|| Letters::of(&read));
    let told = run_jobs(&read, supplied, threads, |report, replay| {
        let files = folder.as_ref().map(|folder| replay.map_or_else(Vec::new, |replay| folder.check_all(replay)));
        let section = letters.as_ref().map(|letters| html::section(letters, report, replay, files.as_deref()));
        (files, section)
    });
    let told: Vec<PlayResult> =
        told.into_iter().map(|(report, (files, section))| PlayResult { report, files, section }).collect();
    let Some(mut code) = exit_code(&told) else {
        talk.push(NO_LETTER.to_owned());
        return Answer { talk, code: 2, ..Answer::default() };
    };
    let ids = told.iter().flat_map(|told| told.report.ids()).collect();
    let out = told.iter().map(|told| {
        let files = told.files.as_deref();
        if args.json {
            json_line(&Printed { report: &told.report, files })
        } else {
            plain::tell(&told.report, &ids) + &plain::tell_files(files)
        }
    });
    let out = out.collect::<Vec<_>>().join(if args.json { "" } else { "\n" });
    if let Some(path) = &args.html {
        let sections: Vec<Section> = told.into_iter().filter_map(|told| told.section).collect();
        match out_file::write(path, html::page(&sections).as_bytes(), "name another file") {
            Ok(()) => talk.push(format!("the page is in {}", path.display())),
            Err(why) => {
                talk.extend(Answer::from(why).talk);
                code = 2;
            }
        }
    }
    Answer { out, talk, code, ..Answer::default() }
}

/// Writes the audit page for browsers to a new file.
pub(super) fn write_page(path: &Path) -> Answer {
    match out_file::write(path, AUDIT_PAGE.as_bytes(), "name another file") {
        Ok(()) => {
            Answer::done(format!("Open {} in a browser and drop mails on it: it audits them there.\n", path.display()))
        }
        Err(why) => Answer::from(why),
    }
}

/// Reads what is at the paths and audits it on all cores: the reports, and talk about what could not be read.
pub(super) fn audit_paths(paths: &[PathBuf]) -> Result<(Vec<Report>, Vec<String>), String> {
    let mut mail = Mail::at(paths)?;
    let reports = audit(&mut mail, cores(), true);
    Ok((reports, mail.end()?))
}

/// Finds, verifies and audits everything in the mail, with as many threads. The result does not depend on their number.
/// What cannot be read is told by the mail.
#[must_use]
pub fn audit(mail: &mut Mail, threads: usize, show_progress: bool) -> Vec<Report> {
    let read = read(mail, threads, show_progress);
    run_jobs(&read, Supplied::new(), threads, |_, _| ()).into_iter().map(|(report, ())| report).collect()
}

/// Audits every game, and lets somebody look at each replay.
fn run_jobs<T: Send>(
    read: &[Read],
    supplied: Supplied,
    threads: usize,
    look: impl Fn(&Report, Option<&Replay<'_>>) -> T + Sync,
) -> Vec<(Report, T)> {
    let games = Games::sort(read).supplied(supplied);
    in_parallel(&games.jobs(), threads, |share| share.iter().map(|job| job.run_with(&look)).collect())
}

/// Opens every letter. Each thread fetches the next piece of mail when it has done one, so that texts are let go as
/// soon as their letters are read.
fn read(mail: &mut Mail, threads: usize, show_progress: bool) -> Vec<Read> {
    let size = mail.size();
    let long = show_progress && size.is_some_and(|size| size > LONG);
    let progress = if long { ProgressBar::new(size.unwrap_or_default()) } else { ProgressBar::hidden() };
    let threads = if size.is_some_and(|size| size < SHORT) { 1 } else { threads };
    let queue = Mutex::new((0_usize, &mut *mail));
    let work = || {
        let (keys, mut done) = (Keys::default(), Vec::new());
        loop {
            let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(batch) = queue.1.batch() else { return done };
            queue.0 += 1;
            progress.set_position(queue.1.passed());
            let (number, waiting) = (queue.0, batch.is_large().then_some(queue));
            let mut letters = Vec::new();
            let warning = batch.open(&keys, &mut |Find { place, letter, .. }| letters.push(Read { place, letter }));
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

/// The worst verdict of the games that have begun; other reports, which anybody's stray letter can cause, count only if
/// there is no such game. Nothing is verified while a file that was looked for is not there. `None` if there is nothing
/// at all.
fn exit_code(told: &[PlayResult]) -> Option<u8> {
    let lacks = |told: &PlayResult| told.files.iter().flatten().any(|file| file.found != Found::Right);
    let code = |told: &PlayResult| match told.report.verdict {
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
