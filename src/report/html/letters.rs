//! The letters of a game in the order of replay, each with a sentence and its author's words.

use std::collections::HashSet;

use maud::{Markup, html};

use super::book::{Book, quotation, wide, words};
use crate::{
    blob::{
        Body, Verified,
        body::{Declare, Hex32, Moves},
        json::{self, Map, Value},
    },
    game::{
        audit::Replay,
        node::{Node, Standing},
    },
    report::{
        description::{Description, Piece},
        inputs,
        words::described,
    },
    resolve::Place,
};

/// The maximum number of characters of a player's moves that the page shows; the letter itself has the moves in full.
const MOVES: usize = 20_000;

pub(super) fn timeline(book: &Book<'_>, replay: &Replay<'_>) -> Markup {
    let placed: HashSet<Hex32> = replay.order.nodes.iter().map(Node::id).collect();
    let waiting: Vec<&Verified> =
        replay.letters.iter().map(|(letter, _)| *letter).filter(|letter| !placed.contains(&letter.id())).collect();
    html! {
        h3 { "All letters" }
        p { "In replay order, which is fixed by the links between letters; dates and the order of arrival do not matter." }
        ol.letters { @for node in &replay.order.nodes { (entry(book, &node.message, &standing(book, node))) } }
        @if !waiting.is_empty() {
            h3 { "Waiting letters" }
            p { @if replay.order.overgrown { "These letters were not replayed: the chains have too many branches." } @else { "These letters have no effect yet: they name or follow a missing letter." } }
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

/// Describes the status of a placed letter, unless it is simply valid.
fn standing(book: &Book<'_>, node: &Node) -> Markup {
    let id = node.id();
    html! {
        @match (book.breach(&id), node.standing) {
            (Some((finding, anchor)), _) => p.warning { strong { "In breach. " } (words(&finding.text, 500)) " " a href={ "#" (anchor) } { "Finding" } },
            (None, Standing::Stands) => {},
            (None, Standing::Detached) => p.warning { strong { "Detached: " } "its link is broken." },
            (None, Standing::Adrift) => p.warning { strong { "No effect: " } "it follows a broken link." },
            (None, Standing::Falls | Standing::Fallen) => p.warning { strong { "No effect: " } "it is on a discarded branch." },
        }
    }
}

/// Describes a letter. Dice and their purposes are listed with the rolls.
fn says(book: &Book<'_>, letter: &Verified) -> Markup {
    let ledger = book.replay.map(|replay| replay.ledger);
    let Description { says, lines } = described(letter, ledger);
    let among_rolls = matches!(letter.body(), Body::Declare(_) | Body::Reveal(_)) && ledger.is_some();
    // A quotation has a box of its own, between the text before it and after it.
    let parts = says.split_inclusive(|piece| matches!(piece, Piece::Quote(_)));
    html! {
        @for (n, part) in parts.enumerate() {
            p { @for (k, piece) in part.iter().enumerate() { (said(book, piece, k == 0, n > 0)) } }
            @if let Some(Piece::Quote(text)) = part.last() { (quotation(text, MOVES)) }
        }
        @if among_rolls && ledger.is_some_and(|ledger| ledger.declaration(&letter.id()).is_some()) {
            p { a href={ "#" (book.anchor_of("rolls", &letter.id())) } { "Its rolls" } }
        }
        @if !among_rolls && !lines.is_empty() { ul { @for line in &lines { li { (words(&line.to_string(), 1_000)) } } } }
    }
}

/// Writes a piece of a letter's description. `first` means that it is the first piece of a paragraph, `behind` that the
/// paragraph follows a quotation.
fn said(book: &Book<'_>, piece: &Piece, first: bool, behind: bool) -> Markup {
    match piece {
        Piece::Words(text) => {
            let text = if first && behind { text.trim_start_matches("; ") } else { text };
            let mut chars = text.chars();
            let begin = chars.next().filter(|_| first).map(|c| c.to_uppercase().collect::<String>());
            let text = begin.map_or_else(|| text.to_owned(), |begin| begin + chars.as_str());
            html! { (words(&text, 2_500)) }
        }
        Piece::Letter(id) => book.letter(id),
        Piece::Declaration(id, slot) => html! { a href={ "#" (book.anchor_of("rolls", id)) } { (slot) } },
        Piece::Quote(_) => html! {},
    }
}

/// Returns the content of a sheet: a line for each part, or the text if that says nothing.
fn in_words(text: &str) -> String {
    let says = json::parse(text.as_bytes()).and_then(|tree| json::read::<Map<String, Value>>(&tree)).ok();
    says.map(|says| inputs::choices(&says))
        .filter(|lines| !lines.is_empty())
        .map_or_else(|| text.to_owned(), |lines| lines.join("\n"))
}

/// Shows the moves as the declaration states them.
pub(super) fn moves(book: &Book<'_>, declare: &Declare) -> Markup {
    match &declare.moves {
        Moves::Text(text) => html! { p { "Moves, as the letter states them:" } (quotation(text, MOVES)) },
        // The turn of a course is seldom a move.
        Moves::None(()) if book.replay.is_some_and(|replay| replay.terms.is_of_course(&declare.slot)) => html! {},
        Moves::None(()) => html! { p { "No moves." } },
        Moves::Files(files) => html! {
            p { "Moves in " @if files.len() == 1 { "a file" } @else { (files.len()) " files" } ":" }
            ul { @for file in files { li { (words(&file.name, 255)) ", " (file.length) " bytes" } } }
        },
        Moves::Note(note) => {
            let ledger = book.replay.map(|replay| replay.ledger);
            let set = ledger.and_then(|ledger| ledger.set(&note.seal));
            let is_sheet = ledger.is_some_and(|ledger| ledger.terms.is_of_hidden(&declare.slot));
            let opened = set.and_then(|set| {
                let key = set.key(Place { index: 0, line: 0 })?;
                let ciphertext = set.seal.notes.as_ref()?.first()?;
                set.context.open_note(&key, &ciphertext.0).ok()
            });
            html! {
                p { @if is_sheet { "Sheet" } @else { "Moves" } " in the sealed note " (book.letter(&note.seal)) @if opened.is_some() { ", now opened:" } @else { ", not opened." } }
                @if let Some(text) = opened {
                    @if is_sheet {
                        details {
                            summary { "The sheet, in words and as it was sealed" }
                            (quotation(&in_words(&text), MOVES))
                            (quotation(&text, MOVES))
                        }
                    } @else {
                        (quotation(&text, MOVES))
                    }
                }
            }
        }
    }
}

/// Lists every letter with its full id and the place where it was found.
pub(super) fn ids(book: &Book<'_>, replay: &Replay<'_>) -> Markup {
    let mut letters: Vec<&Verified> = replay.letters.iter().map(|(letter, _)| *letter).collect();
    letters.sort_by_key(|letter| (letter.head().author.clone(), letter.head().number, letter.id()));
    html! {
        h3 { "Full ids" }
        (wide("Full ids", &html! {
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
