//! A report as plain text, for a terminal.

use super::{
    continued,
    files::FileCheck,
    text::{damage, in_line, visible},
    verdict::sentence,
    words::PASSED_OVER,
};
use crate::{
    blob::Hex32,
    game::{
        audit::{Report, RunReport, StandsOr, Verdict},
        ids::Ids,
    },
    resolve::hidden::Stop,
};

/// Writes a report for people, starting with the verdict and its limits. `ids` holds the ids of all reports shown
/// together.
///
/// # Examples
///
/// Give it the ids of all reports that stand on one screen, so that shortened ids stay distinct:
///
/// ```
/// use sealed_dice::{audit, report::plain};
///
/// let reports = audit(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/two-games.txt")));
/// let ids = reports.iter().flat_map(|report| report.ids()).collect();
/// let told: Vec<String> = reports.iter().map(|report| plain::tell(report, &ids)).collect();
/// assert!(told.len() == 2 && told.iter().all(|told| told.starts_with("verified, up to ann")));
/// ```
#[must_use]
pub fn tell(report: &Report, ids: &Ids) -> String {
    let short = |id: &Hex32| ids.short(id);
    let mut out = headline(report, ids);
    for said in report.continues.iter().flat_map(|continued| continued::tell(continued, short)) {
        out.push_str(&format!("  {}\n", said.sentence));
        said.lines.iter().for_each(|line| out.push_str(&format!("    {line}\n")));
    }
    out.push_str(&findings(report, ids));
    if !report.has_begun && report.game.is_some() && !report.missing.is_empty() {
        out.push_str(
            "  the terms or their acceptance are missing, so nothing can be judged: ask either player for all letters \
             (sealed-dice resend --everything)\n",
        );
    }
    out.push_str(&missing(report, ids));
    out.push_str(&rolls(report, ids));
    for course in &report.courses {
        for (role, run) in course.runs.iter().flatten() {
            out.push_str(&tell_run(course.system, role, run));
        }
    }
    for worked in &report.worked {
        out.push_str(&format!("  {} by {}, worked out from its sheet\n", worked.slot, worked.by));
        worked.steps.iter().for_each(|step| out.push_str(&format!("    {}\n", visible(step))));
        worked.wrong.iter().for_each(|wrong| out.push_str(&format!("    FALSE: {}\n", visible(wrong))));
    }
    for open in &report.open {
        out.push_str(&format!("  {}\n", visible(&open.text)));
    }
    out
}

/// Lists each finding, with its culprit and the letters that prove it.
fn findings(report: &Report, ids: &Ids) -> String {
    let short = |id: &Hex32| ids.short(id);
    let mut out = String::new();
    for finding in &report.findings {
        let who = finding.culprit.as_ref().map_or("nobody is blamed".into(), |culprit| format!("by {culprit}"));
        let settled = match finding.settled_by {
            Some(redo) => format!("; settled by {}", short(&redo)),
            None if finding.waits => "; the redo waits for its reveal".into(),
            None => String::new(),
        };
        let letters: Vec<String> = finding.message_ids.iter().map(short).collect();
        // Signed letters are undamaged, whatever is wrong with them.
        let told = if letters.is_empty() { damage(finding.code, &finding.text) } else { finding.text.clone() };
        out.push_str(&format!(
            "  {}{} {who}{settled}: {}\n",
            finding.code,
            if letters.is_empty() { String::new() } else { format!(" [{}]", letters.join(" ")) },
            visible(&told)
        ));
    }
    out
}

/// Lists each missing letter that another letter names, and whom to ask for it.
fn missing(report: &Report, ids: &Ids) -> String {
    let short = |id: &Hex32| ids.short(id);
    let mut out = String::new();
    for missing in &report.missing {
        let whose = match (&missing.author, missing.number) {
            (Some(author), Some(number)) => ask_for(report, author, number),
            (Some(author), None) => format!("ask {author} for it"),
            _ => "ask the author of the letter that names it".into(),
        };
        let by: Vec<String> = missing.named_by.iter().map(short).collect();
        out.push_str(&format!("  missing: letter {}, named by {}; {whose}\n", short(&missing.id), by.join(" ")));
    }
    out
}

/// Lists each roll with its place, slot by slot.
fn rolls(report: &Report, ids: &Ids) -> String {
    let short = |id: &Hex32| ids.short(id);
    let mut out = String::new();
    let (mut slot, mut last) = (String::new(), String::new());
    for roll in &report.rolls {
        if roll.slot != slot {
            slot.clone_from(&roll.slot);
            out.push_str(&format!("  {slot}\n"));
            last.clear();
        }
        let place = roll.cell.clone().unwrap_or_else(|| format!("envelope {} line {}", roll.index, roll.line));
        // All dice of a turn come from one line.
        let said = if place == last { String::new() } else { format!(", {place}") };
        last = place;
        let standing = match roll.standing {
            StandsOr::Stands(true) => String::new(),
            StandsOr::Stands(false) => format!("  ({PASSED_OVER})"),
            StandsOr::ReplacedBy(redo) => format!("  (replaced by {})", short(&redo)),
            StandsOr::VoidedBy(by) => format!("  (voided by {})", short(&by)),
        };
        let named = roll.named_by.map_or_else(String::new, |by| format!("  (named after a forfeit, {})", short(&by)));
        out.push_str(&format!("    d{} = {}  {}{said}{standing}{named}\n", roll.sides, roll.value, in_line(&roll.why)));
    }
    out
}

/// Explains which letters to request from an author: the missing one that is named, and any missing ones before it.
fn ask_for(report: &Report, author: &str, number: u64) -> String {
    let last = report.heads.get(author).and_then(Option::as_ref).map_or(0, |head| head.number);
    match last + 1 < number {
        true => format!("ask for letters {} to {number} by {author}", last + 1),
        false => format!("ask for letter {number} by {author}"),
    }
}

/// Describes how much of a player's part of a hidden course was recomputed.
pub(super) fn tell_run(system: &str, role: &str, run: &RunReport) -> String {
    let why = match &run.stopped {
        None => String::new(),
        Some(Stop::Sheet) => "; the next sheet is not opened, so nobody can check results that depend on it".into(),
        Some(Stop::Dice) => "; the next dice are not opened, so nobody can check results that depend on them".into(),
        Some(Stop::Table(name)) => {
            format!("; the table {} is missing: read it from a folder with --tables DIR", visible(name))
        }
    };
    format!("  {system}: sheets by {role} worked out again: {} of {}{why}\n", run.run, run.declared)
}

fn headline(report: &Report, ids: &Ids) -> String {
    let verdict = match report.verdict {
        Verdict::Verified => "verified",
        Verdict::Refuted => "refuted",
        Verdict::Undecided => "undecided",
    };
    let Some(game) = report.game else {
        return format!("{verdict}: some letters could not be used; nobody is blamed for damage\n");
    };
    let heads: Vec<String> = report
        .heads
        .iter()
        .map(|(role, head)| match head {
            Some(head) => format!("{role} {} ({})", head.number, ids.short(&head.id)),
            None => format!("{role} none"),
        })
        .collect();
    let far = if heads.is_empty() { "nothing was replayed".into() } else { format!("up to {}", heads.join(", ")) };
    let complete = if report.complete { "complete" } else { "not complete: more letters may follow" };
    format!(
        "{verdict}, {far}; {complete}\n  {}\n  game {} {:?}\n  not checked: whether the moves were legal, and why a player is silent\n",
        sentence(report),
        ids.short(&game),
        visible(&report.title)
    )
}

/// Lists the results of looking for the files that letters name.
///
/// # Examples
///
/// ```
/// use sealed_dice::{blob::Hex32, report::{files::{FileCheck, Found}, plain}};
///
/// let check = FileCheck {
///     declaration: Hex32([1; 32]),
///     found: Found::Missing,
///     length: 2_048,
///     name: "turn-3.vsav".into(),
///     path: None,
///     sha3_256: Hex32([2; 32]),
///     slot: "3/1/combat/1".into(),
/// };
/// let told = plain::tell_files(Some(&[check]));
/// assert_eq!(told, "  file \"turn-3.vsav\" for 3/1/combat/1: not found by name or by hash: ask for the file\n");
/// ```
#[must_use]
pub fn tell_files(files: Option<&[FileCheck]>) -> String {
    let file =
        |file: &FileCheck| format!("  file {:?} for {}: {}\n", visible(&file.name), file.slot, visible(&file.told()));
    files.into_iter().flatten().map(file).collect()
}
