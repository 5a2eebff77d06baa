//! Declarations: their rolls, and their fate.

use std::collections::HashMap;

use maud::{Markup, html};

use super::{
    book::{Book, quotation, wide, words},
    letters::moves,
    rolls::rolls,
};
use crate::{
    blob::{
        Body,
        body::{Correct, Hex32, Redo, Role},
        disputes::{Ruled, Ruling},
    },
    game::{audit::Replay, declaration::Declaration, node::Past, rules::ruling, terms::Author},
    report::files::{FileCheck, Found},
};

/// Lookup tables for all declarations, of which a game may have thousands.
#[derive(Default)]
struct Index<'i> {
    /// The reveals of each declaration, and the rulings that open it.
    openers: HashMap<Hex32, Vec<Hex32>>,
    /// The valid redo of each declaration in breach.
    mended: HashMap<Hex32, Hex32>,
    /// The results of looking for each declaration's files, if anybody looked.
    files: Option<HashMap<Hex32, Vec<&'i FileCheck>>>,
}

impl<'i> Index<'i> {
    fn of(book: &Book<'_>, replay: &Replay<'_>, files: Option<&'i [FileCheck]>) -> Self {
        let mut index = Self::default();
        for node in &replay.order.nodes {
            if let Body::Reveal(reveal) = node.message.body()
                && let Some(declaration) = reveal.declaration
                && matches!(book.body(&declaration), Some(Body::Declare(declare)) if declare.seal == Some(reveal.seal))
            {
                index.openers.entry(declaration).or_default().push(node.id());
            }
            if let Body::Ruling(Ruling { rule: Ruled::Open(opening), .. }) = node.message.body()
                && let Some((Some(declaration), _)) = ruling::may_open(replay.ledger, &opening.request)
            {
                index.openers.entry(declaration).or_default().push(node.id());
            }
        }
        for redo in replay.ledger.declarations().filter(|redo| redo.valid) {
            if let Some(Redo::Breach(old)) = redo.declare.redo {
                index.mended.insert(old, redo.node.id());
            }
        }
        index.files = files.map(|files| {
            let mut by_declaration: HashMap<Hex32, Vec<&FileCheck>> = HashMap::new();
            files.iter().for_each(|file| by_declaration.entry(file.declaration).or_default().push(file));
            by_declaration
        });
        index
    }
}

/// Lists every judged declaration of a game.
pub(super) fn all(book: &Book<'_>, replay: &Replay<'_>, files: Option<&[FileCheck]>) -> Markup {
    let index = Index::of(book, replay, files);
    html! {
        h3 { "Declarations and dice" }
        @if replay.ledger.declarations().next().is_none() { p { "Nothing was declared." } }
        @for declaration in replay.ledger.declarations() { (one(book, replay, declaration, &index)) }
    }
}

fn one(book: &Book<'_>, replay: &Replay<'_>, declaration: &Declaration<'_>, index: &Index<'_>) -> Markup {
    let (id, declare) = (declaration.node.id(), declaration.declare);
    let anchor = book.anchor_of("rolls", &id);
    let files = index.files.as_ref().and_then(|files| files.get(&id));
    html! {
        article.declaration id=(anchor) aria-labelledby={ (anchor) "-title" } {
            h4 id={ (anchor) "-title" } { (declare.slot) ", by " (book.role(declaration.node.player)) }
            p { "Letter " (book.letter(&id)) ". " (fate(book, declaration, index)) }
            (replaced(book, replay, declaration))
            @match files { Some(files) => (checked(files)), None => (moves(book, declare)) }
            (rolls(replay, declaration))
        }
    }
}

/// Describes the fate of a declaration in a sentence.
fn fate(book: &Book<'_>, declaration: &Declaration<'_>, index: &Index<'_>) -> Markup {
    let id = declaration.node.id();
    let declarer = book.role(declaration.node.player);
    let sealer = book.role(declaration.node.player.other());
    if !declaration.valid {
        return html! {
            strong { "In breach: " } "it gave no dice" @if let Some(redo) = index.mended.get(&id) { ", and was declared again in " (book.letter(redo)) } ". "
            @if let Some((_, anchor)) = book.breach(&id) { a href={ "#" (anchor) } { "Why" } }
        };
    }
    let office = book.replay.filter(|replay| replay.ledger.is_up_to_office(&declaration.node, Past::ALL));
    let owes = office.and_then(|replay| replay.terms.role_of(Author::Office)).map_or(sealer, Role::as_str);
    let openers = index.openers.get(&id).map_or([].as_slice(), Vec::as_slice);
    html! {
        @if declaration.declare.seal.is_none() { "No dice were rolled." }
        @else if let Some(names) = &declaration.named_by { "Forfeited: " (declarer) " named its dice in " (book.letter(names)) "." }
        @else if !declaration.forfeits.is_empty() { "Forfeited: " (declarer) " may name its dice." }
        @else if !declaration.is_answered() { strong { "Open: " } (owes) " owes the reveal." }
        @else if openers.is_empty() { "Opened with the secrets from a close, or by another letter." }
        @else { "Opened by " @for (i, opener) in openers.iter().enumerate() { @if i > 0 { ", " } (book.letter(opener)) } "." }
    }
}

/// Explains which letter replaced a declaration, and why.
fn replaced(book: &Book<'_>, replay: &Replay<'_>, declaration: &Declaration<'_>) -> Markup {
    let Some(redo) = declaration.replaced_by.first() else { return voided(book, replay, declaration) };
    // The redo of a breach refers back to the agreement for which the first redo was made.
    let mut named = match redo.message.body() {
        Body::Declare(declare) => declare.redo,
        _ => None,
    };
    while let Some(Redo::Breach(old)) = named {
        named = replay.ledger.declaration(&old).and_then(|old| old.declare.redo);
    }
    let proposal = match named {
        Some(Redo::Agreed(acceptance)) => match book.body(&acceptance) {
            Some(Body::Correct(Correct::Accept(proposal))) => book.body(proposal).zip(Some(acceptance)),
            _ => None,
        },
        _ => None,
    };
    html! {
        p.warning { strong { "Replaced: " } "its dice do not count. It was declared again in " (book.letter(&redo.id()))
            @if let Some((_, acceptance)) = proposal { ", as both agreed in " (book.letter(&acceptance)) } "." }
        @if let Some((Body::Correct(Correct::Propose(proposal)), _)) = proposal {
            p { "The reason given:" } (quotation(&proposal.reason, 1_000))
        }
    }
}

/// Explains which letters voided rolls of a declaration, and why.
fn voided(book: &Book<'_>, replay: &Replay<'_>, declaration: &Declaration<'_>) -> Markup {
    let lines = 1..=declaration.count();
    let mut by: Vec<Hex32> = lines.filter_map(|line| replay.ledger.voided_by(&declaration.node.id(), line)).collect();
    by.dedup();
    let reason = |id: &Hex32| match book.body(id) {
        Some(Body::Ruling(ruling)) => Some(&ruling.text),
        Some(Body::Correct(Correct::Accept(proposal))) => match book.body(proposal) {
            Some(Body::Correct(Correct::Void(voiding))) => Some(&voiding.reason),
            _ => None,
        },
        _ => None,
    };
    let what = match replay.ledger.terms.is_of_hidden(&declaration.declare.slot) {
        true => "took this declaration back, with all its dice.",
        false => "voided the dice that are struck out.",
    };
    html! {
        @for id in &by {
            p.warning { strong { "Void: " } (book.letter(id)) " " (what) }
            @if let Some(reason) = reason(id) { p { "The reason given:" } (quotation(reason, 1_000)) }
        }
    }
}

/// Lists the files of the moves, and whether they were found.
fn checked(files: &[&FileCheck]) -> Markup {
    wide(
        "Files with the moves",
        &html! {
            table.files {
                caption { "Files with the moves" }
                thead { tr { th scope="col" { "File" } th scope="col" { "Bytes" } th scope="col" { "SHA3-256" } th scope="col" { "Result" } } }
                tbody { @for file in files {
                    tr {
                        th scope="row" { (words(&file.name, 255)) }
                        td.number { (file.length) }
                        td { code.id { (file.sha3_256) } }
                        td { @if file.found == Found::Right { "\u{2713} " } @else { strong { "\u{2717} " } } (words(&file.told(), 1_000)) }
                    }
                } }
            }
        },
    )
}
