//! `audit`: reads a transcript from any mail, audits it on all cores, and reports the results (`protocol/audit.md`).

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

/// The size of the mail, in bytes, below which more threads would only cost time.
const SHORT: u64 = 1 << 16;
/// The size of the mail, in bytes, above which a progress bar is shown.
const LONG: u64 = 4 << 20;

/// The result for one report, for every form of output.
struct PlayResult {
    report: Report,
    /// The files that the game's letters name, if they were looked for.
    files: Option<Vec<FileCheck>>,
    /// The report's part of the HTML page, if there is one.
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

/// Reads the mail at the paths, and audits it on all cores. Returns the reports, and lines about mail that could not be
/// read.
pub(super) fn audit_paths(paths: &[PathBuf]) -> Result<(Vec<Report>, Vec<String>), String> {
    let mut mail = Mail::at(paths)?;
    let reports = audit(&mut mail, cores(), true);
    Ok((reports, mail.end()?))
}

/// Finds, verifies and audits all letters in the mail, with this number of threads. The result does not depend on the
/// number. The mail keeps the warnings about texts that cannot be read.
#[must_use]
pub fn audit(mail: &mut Mail, threads: usize, show_progress: bool) -> Vec<Report> {
    let read = read(mail, threads, show_progress);
    run_jobs(&read, Supplied::new(), threads, |_, _| ()).into_iter().map(|(report, ())| report).collect()
}

/// Audits every game, and passes each report with its replay to `look`.
fn run_jobs<T: Send>(
    read: &[Read],
    supplied: Supplied,
    threads: usize,
    look: impl Fn(&Report, Option<&Replay<'_>>) -> T + Sync,
) -> Vec<(Report, T)> {
    let games = Games::sort(read).supplied(supplied);
    in_parallel(&games.jobs(), threads, |share| share.iter().map(|job| job.run_with(&look)).collect())
}

/// Opens every letter. Each thread fetches the next piece of mail when it has finished one, so that a text is freed as
/// soon as its letters are read.
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

/// Returns the exit code for the worst verdict of the games that have begun. Other reports, which anybody's stray
/// letter can cause, count only if there is no such game. No game counts as verified while a file that was looked for
/// is missing. Returns `None` if there is no report.
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
