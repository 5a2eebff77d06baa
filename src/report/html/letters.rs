//! The letters of a game in the order of replay, each in a sentence and in the words of its author.

use std::collections::HashSet;

use maud::{Markup, html};

use super::book::{Book, list, quotation, wide, words};
use crate::{
    blob::{
        Body, Verified,
        body::{Close, Correct, Declare, FoulUpClass, Hex32, Moves, Proposal, Redo, Reveal, Seal, SetKind},
    },
    game::{
        audit::Replay,
        node::{Node, Standing},
    },
    limits::COLUMNS,
    report,
    resolve::{Place, icrk},
};

/// Most characters of a player's moves on the page; the letter has them all.
const MOVES: usize = 20_000;

pub(super) fn timeline(book: &Book<'_>, replay: &Replay<'_>) -> Markup {
    let placed: HashSet<Hex32> = replay.order.nodes.iter().map(Node::id).collect();
    let waiting: Vec<&Verified> =
        replay.letters.iter().map(|(letter, _)| *letter).filter(|letter| !placed.contains(&letter.id())).collect();
    html! {
        h3 { "All letters" }
        p { "In the order of replay, which the links inside the letters fix; dates and the order of arrival mean nothing." }
        ol.letters { @for node in &replay.order.nodes { (entry(book, &node.message, &standing(book, node))) } }
        @if !waiting.is_empty() {
            h3 { "Letters that wait" }
            p { @if replay.order.overgrown { "These were not replayed: the chains have too many branches." } @else { "These are at hand and take no effect yet: they name, or follow, a letter that is missing." } }
            ul.letters { @for letter in waiting { (entry(book, letter, &html! {})) } }
        }
    }
}

fn entry(book: &Book<'_>, letter: &Verified, remark: &Markup) -> Markup {
    let (id, head) = (letter.id(), letter.head());
    html! {
        li id=(book.anchor_of("says", &id)) {
            p.letter {
                strong { (head.author) " " (head.number) } " \u{b7} " (head.kind.as_str()) " \u{b7} "
                a href={ "#" (book.anchor_of("id", &id)) } { code { (book.short(&id)) } }
            }
            (remark)
            (says(book, letter))
        }
    }
}

/// How a placed letter fared, if it is not simply good.
fn standing(book: &Book<'_>, node: &Node) -> Markup {
    let id = node.id();
    html! {
        @match (book.breach(&id), node.standing) {
            (Some((finding, anchor)), _) => p.warning { strong { "In breach. " } (words(&finding.text, 500)) " " a href={ "#" (anchor) } { "Finding" } },
            (None, Standing::Stands) => {},
            (None, Standing::Detached) => p.warning { strong { "Detached: " } "its link is broken." },
            (None, Standing::Adrift) => p.warning { strong { "Changes nothing: " } "it stands behind a broken link." },
            (None, Standing::Falls | Standing::Fallen) => p.warning { strong { "Changes nothing: " } "it stands on a branch that fell." },
        }
    }
}

/// What `compared` means in a letter (charter 1).
const COMPARED: &str = ", and says that he has compared his opponent's key with him by voice or in person";

fn says(book: &Book<'_>, letter: &Verified) -> Markup {
    let author = &letter.head().author;
    match letter.body() {
        Body::Charter(charter) => html! {
            p { "Proposes the terms of this game" @if charter.compared { (COMPARED) } "." }
        },
        Body::Accept(accept) => html! {
            p { "Accepts the charter " (book.letter(&accept.charter)) @if accept.compared { (COMPARED) } "." }
        },
        Body::Seal(seal) => sealed(seal),
        Body::Declare(declare) => declared(book, &letter.id(), declare),
        Body::Reveal(reveal) => revealed(book, reveal),
        Body::Decide(decide) => html! {
            p { "Decides " em { (decide.name) } " for " (decide.slot) ":" }
            (quotation(&decide.value.as_str().map_or_else(|| decide.value.to_string(), str::to_owned), 2_000))
        },
        Body::Correct(Correct::Propose(proposal)) => proposed(book, proposal),
        Body::Correct(Correct::Void(_))
        | Body::Claim(_)
        | Body::Ruling(_)
        | Body::Receipt(_)
        | Body::Deposit(_)
        | Body::Withdraw(_)
        | Body::Resync(_) => {
            let ledger = book.replay.map(|replay| replay.ledger);
            html! { p { (words(&report::words::of(letter, ledger), 2_500)) } }
        }
        Body::Correct(Correct::Accept(id)) => html! { p { "Accepts the proposal " (book.letter(id)) "." } },
        Body::Correct(Correct::Refuse(id)) => html! { p { "Refuses the proposal " (book.letter(id)) "." } },
        Body::Close(close) => closed(author.as_str(), close),
    }
}

fn sealed(seal: &Seal) -> Markup {
    let purpose = words(&seal.purpose, 200);
    html! {
        p { @match seal.kind {
            SetKind::Plain => { "Seals an envelope for " (purpose) ", for " (seal.declarer) " to declare on." },
            SetKind::Coin => { "Seals " (seal.n) " coin envelopes for " (purpose) ", for " (seal.declarer) " to declare on." },
            SetKind::Sheet => { "Seals a sheet of " (seal.n) " cells (" (purpose) "), for " (seal.declarer) " to declare on." },
            SetKind::FoulUp => { "Seals " (seal.n) " foul-up envelopes (" (purpose) "), for " (seal.declarer) " to declare on." },
            SetKind::Contribution => { "Seals " (seal.n) " shares of private dice of its own (" (purpose) ")." },
            SetKind::Note => { "Seals a note for " (purpose) "." },
        } }
    }
}

fn declared(book: &Book<'_>, id: &Hex32, declare: &Declare) -> Markup {
    let judged = book.replay.and_then(|replay| replay.ledger.declaration(id)).is_some();
    html! {
        p {
            "Declares " @if judged { a href={ "#" (book.anchor_of("rolls", id)) } { (declare.slot) } } @else { (declare.slot) }
            @match declare.redo {
                None => {},
                Some(Redo::Breach(old)) => { " again, to mend " (book.letter(&old)) },
                Some(Redo::Agreed(acceptance)) => { " again, as agreed in " (book.letter(&acceptance)) },
                Some(Redo::Opened(opener)) => { " from the foul-up set, because " (book.letter(&opener)) " opened an envelope unasked" },
            }
            "."
        }
        (moves(book, declare))
    }
}

/// The moves as the declaration claims them.
pub(super) fn moves(book: &Book<'_>, declare: &Declare) -> Markup {
    match &declare.moves {
        Moves::Text(text) => html! { p { "Moves, in the words of the letter:" } (quotation(text, MOVES)) },
        Moves::None(()) => html! { p { "No moves." } },
        Moves::Files(files) => html! {
            p { "Moves, in " @if files.len() == 1 { "a file" } @else { (files.len()) " files" } ":" }
            ul { @for file in files { li { (words(&file.name, 255)) ", " (file.length) " bytes" } } }
        },
        Moves::Note(note) => {
            let ledger = book.replay.map(|replay| replay.ledger);
            let set = ledger.and_then(|ledger| ledger.set(&note.seal));
            let opened = set.and_then(|set| {
                let key = set.key(Place { index: 0, line: 0 })?;
                let ciphertext = set.seal.notes.as_ref()?.first()?;
                set.context.open_note(&key, &ciphertext.0).ok()
            });
            html! {
                p { "Moves, in the sealed note " (book.letter(&note.seal)) @if opened.is_some() { ", now opened:" } @else { ", which is not opened." } }
                @if let Some(text) = opened { (quotation(&text, MOVES)) }
            }
        }
    }
}

fn revealed(book: &Book<'_>, reveal: &Reveal) -> Markup {
    let envelopes: Vec<u64> = reveal.keys.iter().map(|key| key.0).collect();
    // Labels are for places of a sheet; a letter in breach may name others.
    let cell = |column: u64, row: u64| {
        if column < COLUMNS as u64 {
            icrk::label(Place { index: column, line: row })
        } else {
            format!("column {column} row {row}")
        }
    };
    let cells: Vec<String> = reveal.sheets.iter().map(|key| cell(key.0, key.1)).collect();
    let note = matches!(book.body(&reveal.seal), Some(Body::Seal(seal)) if seal.kind == SetKind::Note);
    html! {
        p {
            "Opens "
            @if note { "the note" }
            @else if !envelopes.is_empty() { @if envelopes.len() == 1 { "envelope " } @else { "envelopes " } (list(&envelopes)) }
            @else if !cells.is_empty() { @if cells.len() == 1 { "cell " } @else { "cells " } (cells.join(", ")) " (each opens the cells above it, too)" }
            @else { "nothing" }
            " of " (book.letter(&reveal.seal)) @if let Some(declaration) = &reveal.declaration { ", for " (book.letter(declaration)) } "."
        }
    }
}

/// What a class of foul-up is called.
const fn foul_up(class: FoulUpClass) -> &'static str {
    match class {
        FoulUpClass::IllegalMove => "an illegal move",
        FoulUpClass::IllegalOdds => "illegal odds",
        FoulUpClass::WrongList => "a wrong list of attacks",
    }
}

fn proposed(book: &Book<'_>, proposal: &Proposal) -> Markup {
    html! {
        p {
            "Objects to " (book.letter(&proposal.declaration)) ": " (foul_up(proposal.class)) " by " (proposal.at_fault) ". "
            @if proposal.input.is_some() { "Proposes a new declaration." } @else { "Proposes that the dice stand." }
        }
        @if !proposal.reason.is_empty() { (quotation(&proposal.reason, 1_000)) }
        @if let Some(input) = &proposal.input { p { "As it should have been: " } (quotation(input.as_str(), 4_000)) }
    }
}

fn closed(author: &str, close: &Close) -> Markup {
    html! {
        p {
            "Closes: " (author) " stops."
            @if let Some(masters) = &close.masters {
                @if masters.is_empty() { " There are no sets whose secrets it could publish." } @else { " Publishes the secrets of " (masters.len()) " sets." }
            }
        }
        @if let Some(result) = &close.result { p { "How the game ended:" } (quotation(result, 1_000)) }
    }
}

/// Every letter with its whole id, and where it was found.
pub(super) fn ids(book: &Book<'_>, replay: &Replay<'_>) -> Markup {
    let mut letters: Vec<&Verified> = replay.letters.iter().map(|(letter, _)| *letter).collect();
    letters.sort_by_key(|letter| (letter.head().author.clone(), letter.head().number, letter.id()));
    html! {
        h3 { "Ids in full" }
        (wide("Ids in full", &html! {
            table.ids {
                thead { tr { th scope="col" { "Letter" } th scope="col" { "Kind" } th scope="col" { "Id" } th scope="col" { "Found in" } } }
                tbody {
                    @for letter in letters {
                        @let id = letter.id();
                        tr id=(book.anchor_of("id", &id)) {
                            th scope="row" { a href={ "#" (book.anchor_of("says", &id)) } { (letter.head().author) " " (letter.head().number) } }
                            td { (letter.head().kind.as_str()) }
                            td { code.id { (id) } }
                            td { (words(book.letters.place(&id).unwrap_or_default(), 400)) }
                        }
                    }
                }
            }
        }))
    }
}
