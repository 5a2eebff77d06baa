//! Findings, missing letters and open duties, each with advice on what to do.

use maud::{Markup, html};

use super::{
    book::{Book, rule, wide, words},
    compare,
};
use crate::{
    game::audit::{Report, ReportedFinding},
    rule::Rule,
};

/// The number of findings shown with their letters side by side: a hostile collection may cause thousands of findings.
const COMPARED: usize = 50;

pub(super) fn all(book: &Book<'_>, report: &Report) -> Markup {
    html! {
        h3 { "Findings" }
        @if report.findings.is_empty() { p { "None." } }
        @for (i, one) in report.findings.iter().enumerate() { (finding(book, i + 1, one)) }
    }
}

pub(super) fn finding(book: &Book<'_>, number: usize, finding: &ReportedFinding) -> Markup {
    let whose = finding.culprit.as_deref();
    html! {
        article.finding id=(book.finding_anchor(number)) {
            h4 {
                (number) ". " (name(finding.code)) ": "
                @match whose { Some(who) => { (who) @if finding.settled_by.is_some() { ", settled" } }, None => "nobody is blamed" }
            }
            dl {
                dt { "What" } dd { (words(&finding.text, 800)) }
                (rule(finding.rule))
                dt { "Whose fault" }
                dd { @match whose {
                    Some(who) => { (who) ", who signed it." },
                    None => "Nobody's that the letters prove.",
                } }
                @if !finding.message_ids.is_empty() {
                    dt { "Letters" }
                    dd { @for (i, id) in finding.message_ids.iter().enumerate() { @if i > 0 { ", " } (book.letter(id)) } }
                }
                @if let Some(redo) = &finding.settled_by { dt { "Settled by" } dd { (book.letter(redo)) } }
                dt { "What to do" } dd { (advice(finding)) }
            }
            @if number <= COMPARED { (compare::at_odds(book, finding)) }
        }
    }
}

/// Returns the class of a finding in words.
fn name(code: &str) -> &str {
    match code {
        "chain" => "Broken link or fork",
        "rule" => "Broken rule",
        "game" => "Not this game's",
        "signature" => "Signature that does not fit",
        "key" => "Bad key",
        "size" | "armour" | "frame" | "json" | "canonical" | "fields" => "Damaged letter",
        other => other,
    }
}

fn advice(finding: &ReportedFinding) -> &'static str {
    match (&finding.culprit, finding.settled_by.is_some()) {
        (Some(_), true) => "Nothing more: it was declared again as the rules ask, and the new dice count.",
        (Some(_), false) if finding.waits => "Wait for the reveal of the declaration that mends it.",
        (Some(_), false) if finding.message_ids.len() > 1 => {
            "Ask the author how it came about: a restored backup, or a second machine, looks the same as a second try. Play on only on the branch that the rules let stand, or agree how to go on."
        }
        (Some(_), false) if finding.rule.is_some_and(Rule::can_be_done_again) => {
            "Its author declares the slot again from the foul-up set, before anything else. See the open matters."
        }
        (Some(_), false) => {
            "No letter can mend it. Settle between the players, or by a referee, what it costs; the charter's penalties come first."
        }
        (None, _) if finding.code == "game" => {
            "Leave it aside: anybody can write such a letter. If its author says that it is real, compare the keys."
        }
        (None, _) if finding.code == "rule" || finding.code == "chain" => {
            "Nothing: the letter may have been good on a branch that fell."
        }
        (None, _) => "Ask its author to send the stored text again; a damaged letter counts as not received.",
    }
}

pub(super) fn missing(book: &Book<'_>, report: &Report) -> Markup {
    html! {
        @if !report.missing.is_empty() {
            h3 { "Missing letters" }
            p { "They are named by letters at hand. Whoever names a letter must be able to show it; a missing one blames nobody." }
            (wide("Missing letters", &html! {
                table {
                    thead { tr { th scope="col" { "Id" } th scope="col" { "Ask for" } th scope="col" { "Named by" } } }
                    tbody { @for missing in &report.missing {
                        tr {
                            th scope="row" { code.id { (missing.id) } }
                            td { @match (&missing.author, missing.number) {
                                (Some(author), Some(number)) => { "letter " (number) " of " (author) },
                                (Some(author), None) => { "this letter, of " (author) },
                                _ => "this letter, of whoever names it",
                            } }
                            td { @for (i, id) in missing.named_by.iter().enumerate() { @if i > 0 { ", " } (book.letter(id)) } }
                        }
                    } }
                }
            }))
        }
    }
}

pub(super) fn open(book: &Book<'_>, report: &Report) -> Markup {
    html! {
        h3 { "Open matters" }
        @if report.open.is_empty() { p { "None: nobody owes anything." } }
        @else {
            (wide("Open matters", &html! {
                table {
                    thead { tr { th scope="col" { "Who acts" } th scope="col" { "What" } th scope="col" { "About" } } }
                    tbody { @for open in &report.open {
                        tr {
                            th scope="row" { @match &open.who { Some(who) => (who), None => "to know" } }
                            td { (words(&open.text, 1_000)) }
                            td { @if let Some(id) = &open.id { (book.letter(id)) } }
                        }
                    } }
                }
            }))
        }
    }
}
