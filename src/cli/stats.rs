//! `stats`: prints statistics about the dice in a transcript as text, JSON or a picture. `report::stats` computes them.

use std::path::PathBuf;

use indicatif::ProgressBar;

use super::{answer::Answer, audit::audit_paths, options, out_file, terminal::visible};
use crate::{
    game::audit::{Report, Verdict},
    play::read::NO_LETTER,
    report::{
        stats::{Good, Stats, svg, text},
        text::escaped,
    },
};

/// The number of rolls from which a progress bar is shown.
const MANY: usize = 50_000;

pub(super) fn run(args: &options::Stats, paths: &[PathBuf]) -> Answer {
    if let Some(Err(why)) = args.svg.as_deref().map(out_file::check) {
        return Answer::from(why).untold();
    }
    let (reports, mut talk) = match audit_paths(paths) {
        Ok(audited) => audited,
        Err(why) => return Answer::unable(why),
    };
    if reports.is_empty() {
        return Answer::unable(NO_LETTER);
    }
    let games = figures(&reports);
    if games.is_empty() {
        let why = "no game has begun in these mails: its terms, or the letter that accepts them, are missing; \
                   `sealed-dice audit` says which letters to ask for";
        return Answer::unable(why);
    }
    let good = args.good.map(Good::from);
    if let Some(path) = &args.svg {
        if let Err(why) = out_file::write(path, svg::draw(&games, good).as_bytes(), "name another file") {
            return Answer::from(why).untold();
        }
        talk.push(format!("the picture is in {}", path.display()));
    }
    talk.extend(games.iter().filter_map(warning));
    let out = if args.json { games.iter().map(json_line).collect() } else { text::tell(&games, good) };
    Answer { out, talk, code: u8::from(games.iter().any(Stats::is_tainted)), ..Answer::default() }
}

/// Computes the statistics of all games that have begun, with titles that are safe to show.
fn figures(reports: &[Report]) -> Vec<Stats> {
    let rolls = reports.iter().map(|report| report.rolls.len()).sum::<usize>();
    let ids = reports.iter().filter_map(|report| report.game).collect();
    let progress = if rolls < MANY { ProgressBar::hidden() } else { ProgressBar::new(rolls as u64) };
    let figures = reports.iter().filter_map(|report| {
        let stats = Stats::of(report, &ids);
        progress.inc(report.rolls.len() as u64);
        stats.map(|stats| Stats { title: visible(&stats.title), ..stats })
    });
    let figures = figures.collect();
    progress.finish_and_clear();
    figures
}

/// Returns a warning about the statistics of a game that is not verified.
fn warning(game: &Stats) -> Option<String> {
    let id = &game.called;
    match game.verdict {
        Verdict::Verified => None,
        Verdict::Refuted => Some(format!("game {id} is refuted; `sealed-dice audit` says who broke which rule")),
        Verdict::Undecided => Some(format!(
            "game {id} is undecided: letters are missing, and perhaps rolls too; `sealed-dice audit` says which \
             letters to ask for"
        )),
    }
}

/// Returns a line of JSON with its fields in alphabetical order. Unlike letters, it has fractions.
fn json_line(game: &Stats) -> String {
    let value = serde_json::to_value(game).map(|value| escaped(&value.to_string()) + "\n");
    value.unwrap_or_default()
}
