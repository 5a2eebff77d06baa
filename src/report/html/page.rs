//! The page: one section for each game, with its own style and without scripts.

use std::collections::HashSet;

use maud::{Markup, PreEscaped, html};

use super::{
    book::{self, Book, Letters, verdict_name, words},
    findings, game,
};
use crate::{
    blob::message::Refusal,
    game::audit::{Replay, Report, Verdict},
    report::{files::FileCheck, verdict},
};

/// The beginning of every page that this module writes.
const BEGINS: &str = "<!DOCTYPE html><!-- sealed-dice audit -->";

/// The title above the content.
pub const TITLE: &str = "What the letters prove";
/// What no audit can check.
const CANNOT: &str = "An audit cannot check whether moves were legal, odds were calculated correctly or deadlines were kept. Dates are only claims.";

const STYLE: &str = include_str!("style.css");
/// The content security policy: the page may only use its own inline style, and must not fetch or run anything.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/// The section of the page on one game.
#[derive(Debug)]
pub struct Section {
    anchor: String,
    title: String,
    verdict: Verdict,
    /// The number of findings, and of missing letters.
    counts: (usize, usize),
    markup: String,
}

/// Creates the section for one report, with the replay from which the report was made, if there is one.
#[must_use]
pub fn section(
    letters: &Letters<'_>,
    report: &Report,
    replay: Option<&Replay<'_>>,
    files: Option<&[FileCheck]>,
) -> Section {
    let book = Book::new(letters, report, replay);
    let title = match report.game {
        None => "Letters that could not be used".to_owned(),
        Some(_) if report.title.is_empty() => "A game without its terms".to_owned(),
        Some(_) => report.title.clone(),
    };
    let body = if report.game.is_none() { stray(&book, report) } else { game::tell(&book, report, files) };
    let anchor = book.anchor();
    let markup = html! {
        section id=(anchor) aria-labelledby={ (anchor) "-title" } {
            h2 id={ (anchor) "-title" } { (words(&title, 200)) }
            (body)
        }
    };
    Section {
        anchor,
        title,
        verdict: report.verdict,
        counts: (report.findings.len(), report.missing.len()),
        markup: markup.into_string(),
    }
}

/// Lists everything that belongs to no game, each item with its place and the reason why it could not be used.
fn stray(book: &Book<'_>, report: &Report) -> Markup {
    let unread: Vec<(&str, &Refusal)> = book.letters.unread().collect();
    let known: HashSet<String> = unread.iter().map(|(place, refusal)| format!("{place}: {}", refusal.error)).collect();
    let others = report.findings.iter().filter(|finding| finding.culprit.is_some() || !known.contains(&finding.text));
    let others: Vec<_> = others.collect();
    html! {
        p.verdict { strong { (verdict_name(report.verdict)) ": " } (verdict::sentence(report)) }
        @if !unread.is_empty() {
            h3 { "Letters that could not be read" }
            p { "Nobody is blamed for these: most such letters were damaged in transit. Ask the author to send the stored text again." }
            (book::wide("Letters that could not be read", &html! {
                table {
                    thead { tr { th scope="col" { "Where" } th scope="col" { "Why" } th scope="col" { "Check" } th scope="col" { "Id, if known" } } }
                    tbody {
                        @for (place, refusal) in &unread {
                            tr {
                                th scope="row" { (words(place, 400)) }
                                td { (words(&refusal.error.to_string(), 1_000)) }
                                td { (refusal.error.class().as_str()) }
                                td { @if let Some(id) = refusal.id { code.id { (id) } } @else { "none" } }
                            }
                        }
                    }
                }
            }))
        }
        @if !others.is_empty() {
            h3 { "Letters that do not belong to any game" }
            @for (i, finding) in others.iter().enumerate() { (findings::finding(book, i + 1, finding)) }
        }
        (findings::open(book, report))
    }
}

/// Creates the whole page.
#[must_use]
pub fn page(sections: &[Section]) -> String {
    let body = html! {
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                meta name="color-scheme" content="light dark";
                title { "Audit of a game by mail" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (TITLE) }
                    (introduction(sections))
                }
                main { (bodies(sections)) }
                footer { p { (CANNOT) } }
            }
        }
    };
    format!("{BEGINS}{}", body.into_string())
}

/// Returns what a page with a frame of its own shows: the content of [`page()`] below its title.
#[must_use]
pub fn content(sections: &[Section]) -> Markup {
    html! {
        (introduction(sections))
        (bodies(sections))
        footer { p { (CANNOT) } }
    }
}

fn introduction(sections: &[Section]) -> Markup {
    html! {
        p { "An audit by sealed-dice " (env!("CARGO_PKG_VERSION")) ". It uses only the signed letters, and anybody who has them can repeat it. "
            "The players wrote the titles, the names and the text in shaded boxes." }
        @if sections.len() > 1 { (contents(sections)) }
    }
}

fn bodies(sections: &[Section]) -> Markup {
    html! { @for section in sections { (PreEscaped(&section.markup)) } }
}

fn contents(sections: &[Section]) -> Markup {
    html! {
        nav aria-label="Games" {
            (book::wide("Games", &html! {
                table {
                    thead { tr { th scope="col" { "Game" } th scope="col" { "Verdict" } th scope="col" { "Findings" } th scope="col" { "Missing letters" } } }
                    tbody {
                        @for section in sections {
                            tr {
                                th scope="row" { a href={ "#" (section.anchor) } { (words(&section.title, 200)) } }
                                td { (verdict_name(section.verdict)) }
                                td.number { (section.counts.0) }
                                td.number { (section.counts.1) }
                            }
                        }
                    }
                }
            }))
        }
    }
}
