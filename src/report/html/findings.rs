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
                dt { "What happened" } dd { (words(&finding.text, 800)) }
                (rule(finding.rule))
                dt { "Fault" }
                dd { @match whose {
                    Some(who) => { (who) ", who signed it." },
                    None => "The letters do not prove that anyone is at fault.",
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
        "game" => "Letter from another game",
        "signature" => "Invalid signature",
        "key" => "Invalid key",
        "size" | "armour" | "frame" | "json" | "canonical" | "fields" => "Damaged letter",
        other => other,
    }
}

fn advice(finding: &ReportedFinding) -> &'static str {
    match (&finding.culprit, finding.settled_by.is_some()) {
        (Some(_), true) => "Nothing more: it was declared again as the rules require, and the new dice count.",
        (Some(_), false) if finding.waits => "Wait for the reveal of the declaration that settles it.",
        (Some(_), false) if finding.message_ids.len() > 1 => {
            "Ask the author how this happened: a restored backup or a second machine looks the same as a deliberate second try. Continue only from the branch that counts under the rules, or agree how to go on."
        }
        (Some(_), false) if finding.rule.is_some_and(Rule::can_be_done_again) => {
            "Its author declares the slot again from the foul-up set before doing anything else. See the open matters."
        }
        (Some(_), false) => {
            "No letter can correct this. The players or a referee must settle the consequences; the penalties in the terms come first."
        }
        (None, _) if finding.code == "game" => {
            "Ignore this letter: anybody can write one like it. If its author says that it is real, compare keys."
        }
        (None, _) if finding.code == "rule" || finding.code == "chain" => {
            "Nothing to do: this letter may have been valid on a branch that was later discarded."
        }
        (None, _) => "Ask its author to send the stored text again; a damaged letter counts as not received.",
    }
}

pub(super) fn missing(book: &Book<'_>, report: &Report) -> Markup {
    html! {
        @if !report.missing.is_empty() {
            h3 { "Missing letters" }
            p { "The letters below are missing, although letters in this audit name them. The author of a letter must be able to show every letter that it names. Nobody is blamed for a missing letter." }
            (wide("Missing letters", &html! {
                table {
                    thead { tr { th scope="col" { "Id" } th scope="col" { "Ask for" } th scope="col" { "Named by" } } }
                    tbody { @for missing in &report.missing {
                        tr {
                            th scope="row" { code.id { (missing.id) } }
                            td { @match (&missing.author, missing.number) {
                                (Some(author), Some(number)) => { "letter " (number) " by " (author) },
                                (Some(author), None) => { "this letter by " (author) },
                                _ => "this letter, from the author of a letter that names it",
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
                    thead { tr { th scope="col" { "Who acts" } th scope="col" { "Open matter" } th scope="col" { "Letter" } } }
                    tbody { @for open in &report.open {
                        tr {
                            th scope="row" { @match &open.who { Some(who) => (who), None => "nobody" } }
                            td { (words(&open.text, 1_000)) }
                            td { @if let Some(id) = &open.id { (book.letter(id)) } }
                        }
                    } }
                }
            }))
        }
    }
}
