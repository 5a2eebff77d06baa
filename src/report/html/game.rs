//! One game: the verdict in a sentence first, then all the evidence for it.

use maud::{Markup, html};

use super::{
    book::{Book, list, quotation, verdict_name, wide, words},
    declarations, findings, letters, sheets,
};
use crate::{
    blob::{
        Body,
        body::{Forfeit, Phase, Remedy, Source, Step},
        json::Value,
    },
    game::{
        audit::{Continued, Replay, Report},
        terms::Player,
    },
    primitive::sign::PublicKey,
    report::{
        continued,
        files::{FileCheck, Found},
        inputs, terms as in_full,
        text::count,
        verdict,
    },
};

pub(super) fn tell(book: &Book<'_>, report: &Report, files: Option<&[FileCheck]>) -> Markup {
    html! {
        p class={ "verdict " (verdict_name(report.verdict).to_lowercase()) } {
            strong { (verdict_name(report.verdict)) ": " } (verdict::sentence(report))
        }
        (how_far(book, report, files))
        @if let Some(continued) = &report.continues { (old_game(book, continued)) }
        @if let Some(replay) = book.replay { (parties(replay)) }
        (findings::all(book, report))
        (findings::missing(book, report))
        (findings::open(book, report))
        @if let Some(replay) = book.replay {
            (declarations::all(book, replay, files))
            (sheets::all(book, replay))
            (letters::timeline(book, replay))
            (terms(book, replay))
            (letters::ids(book, replay))
        }
    }
}

fn how_far(book: &Book<'_>, report: &Report, files: Option<&[FileCheck]>) -> Markup {
    let named = files.map(<[FileCheck]>::len);
    let right = files.into_iter().flatten().filter(|file| file.found == Found::Right).count();
    html! {
        dl.facts {
            div { dt { "Letters covered" } dd {
                @if report.heads.values().all(Option::is_none) { "Nothing was replayed." }
                @else {
                    "Up to "
                    @for (i, (role, head)) in report.heads.iter().enumerate() {
                        @if i > 0 { " and " }
                        @match head { Some(head) => (book.letter(&head.id)), None => { (role) " (none)" } }
                    }
                    "; "
                    @if report.complete { "the game is complete." } @else { "the game is not complete, and more letters may follow." }
                }
            } }
            div { dt { "Not checked" } dd {
                "Whether the moves were legal and the odds right, and why a player is silent."
                @match named {
                    None => { " Files named in letters were not checked (" code { "--files" } ")." }
                    Some(0) => " The letters do not name any files.",
                    Some(_) => {}
                }
            } }
            @if let Some(named) = named.filter(|named| *named > 0) {
                div { dt { "Files" } dd { (right) " of " (named) " files named in letters are here and identical to the signed files." @if right < named { strong { " See the declarations for the others." } } } }
            }
            @if let Some(game) = report.game { div { dt { "Game" } dd { code.id { (game) } } } }
        }
    }
}

/// Describes the game that this one continues.
fn old_game(book: &Book<'_>, continued: &Continued) -> Markup {
    let old = continued.old.as_ref().ok().map(|_| format!("#g{}", continued.game));
    html! {
        h3 { "The old game" }
        @for said in continued::tell(continued, |id| book.short(id)) {
            p { (words(&said.sentence, 2_000)) }
            @if !said.lines.is_empty() { ul { @for line in &said.lines { li { (words(line, 2_000)) } } } }
        }
        @if let Some(old) = old { p { a href=(old) { "What the letters prove about the old game" } } }
    }
}

fn parties(replay: &Replay<'_>) -> Markup {
    let charter = replay.terms.charter.compared;
    let accept = replay.letters.iter().any(|(letter, _)| matches!(letter.body(), Body::Accept(body) if body.compared));
    let compared = |player: Player| if player == replay.terms.author { charter } else { accept };
    html! {
        h3 { "Players" }
        (wide("Players", &html! {
            table {
                thead { tr { th scope="col" { "Signs as" } th scope="col" { "Name" } th scope="col" { "Key fingerprint" } th scope="col" { "Says they compared the other player's key by voice" } } }
                tbody {
                    @for player in Player::BOTH {
                        @let party = replay.terms.party(player);
                        tr {
                            th scope="row" { (party.role) }
                            td { (words(&party.name, 80)) }
                            td { code { (PublicKey::parse(&party.key.0).map(|key| key.fingerprint()).unwrap_or_default()) } }
                            td { @if compared(player) { "yes" } @else { "no" } }
                        }
                    }
                }
            }
        }))
        @if !(charter && accept) {
            p.warning { strong { "The players have not both compared keys. " } "Anyone who carried the first letters could have substituted their own keys. Both players should read their fingerprints to each other over the phone." }
        }
    }
}

fn terms(book: &Book<'_>, replay: &Replay<'_>) -> Markup {
    let charter = &replay.terms.charter;
    let remedy = |remedy: Remedy| match remedy {
        Remedy::Keep => "the dice count",
        Remedy::Redo => "a new declaration",
    };
    let remedies = &charter.foul_up.remedies;
    html! {
        h3 { "Terms" }
        p { "From the signed terms (" code { (book.short(&replay.terms.id)) } ")." @if charter.hard_core { " Hard core: mistakes stay as they were signed." } }
        (wide("Phases", &html! {
            table {
                caption { "Phases" }
                thead { tr { th scope="col" { "Phase" } th scope="col" { "Declared by" } th scope="col" { "Impulses" } th scope="col" { "Dice from" } th scope="col" { "System" } th scope="col" { "Settings" } th scope="col" { "Decisions before the roll" } } }
                tbody {
                    @for (signed, phase) in charter.phases.iter().zip(&replay.terms.phases) {
                        tr {
                            th scope="row" { (phase.name) }
                            td { @match &signed.declarer { Some(declarer) => (declarer), None => "the player named in its state" } }
                            td { (list(&phase.impulses)) }
                            td { @match (phase.source, phase.envelopes) {
                                (Source::Sheet, _) => "a sheet of 400 cells",
                                (Source::Plain, _) => "an envelope for each slot",
                                (Source::Coin, Some(envelopes)) => { (envelopes) " coin envelopes" }
                                (Source::Coin, None) => "coin envelopes",
                            } }
                            td { (signed.system) }
                            td { @if phase_settings(signed).is_empty() { "none" } @else { (words(&phase_settings(signed), 1_000)) } }
                            td { @if signed.decisions.is_empty() { "none" } @for (i, decision) in signed.decisions.iter().enumerate() { @if i > 0 { ", " } (decision.name) " by " @match &decision.by { Some(by) => (by), None => "each player" } } }
                        }
                    }
                }
            }
        }))
        ul {
            li { "Foul-ups: for an illegal move, " (remedy(remedies.illegal_move)) "; for illegal odds, " (remedy(remedies.illegal_odds)) "; for a wrong list of attacks, " (remedy(remedies.wrong_list)) ". " "Envelopes in each foul-up set: " (charter.foul_up.envelopes) "." }
            @for deadline in &charter.deadlines {
                li { "Deadline to " (match deadline.step { Step::Answer => "answer", Step::Declare => "declare", Step::Reveal => "reveal" }) ": " (count(deadline.days, "day")) "; agreed consequence: "
                    (match deadline.forfeit { Forfeit::None => "none", Forfeit::DeclarerNames => "the declarer names every die", Forfeit::Game => "the game is lost" }) ". Letters cannot prove a date." }
            }
            @for line in in_full::continues(replay.terms) { li { (line) "." } }
            @if let Some(line) = in_full::time_witness(replay.terms) { li { (line) "." } }
            @for line in in_full::lengths(replay.terms) { li { (line) "." } }
            @for penalty in &charter.penalties {
                li { "Penalty:" (quotation(penalty, 1_000)) }
            }
        }
        @if let Ok(written) = in_full::written(charter) {
            details {
                summary { "The full terms as signed, with every setting and table" }
                (wide("Full terms", &html! { pre { (written) } }))
            }
        }
    }
}

/// Writes the settings of a phase in one line.
fn phase_settings(phase: &Phase) -> String {
    let settings = phase.settings.iter().map(|(name, of)| match of {
        Value::Null => format!("{name} none"),
        of => format!("{name} {}", inputs::value(of)),
    });
    settings.collect::<Vec<_>>().join(", ")
}
