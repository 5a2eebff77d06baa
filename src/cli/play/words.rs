//! Letters in words: for the question before signing, the cover of a mail, and `read`.

use crate::{
    blob::{
        Body, Verified,
        body::{Correct, Moves, Select, SetKind},
    },
    cli::terminal::visible,
    game::ledger::Ledger,
    resolve::Draw,
};

/// What a letter says, in one line. With a ledger, declarations that are named are called by their slot.
pub(super) fn of(message: &Verified, ledger: Option<&Ledger<'_>>) -> String {
    body(message.body(), ledger)
}

/// The same of a body that is not signed yet.
pub(super) fn body(body: &Body, ledger: Option<&Ledger<'_>>) -> String {
    let slot = |id| {
        let declaration = ledger.and_then(|ledger| ledger.declaration(id));
        declaration.map_or_else(|| short(id), |declaration| declaration.declare.slot.to_string())
    };
    match body {
        Body::Charter(charter) => format!("the terms of {:?}", visible(&charter.title)),
        Body::Accept(_) => "the terms are accepted".into(),
        Body::Seal(seal) => match seal.kind {
            SetKind::Coin => format!("{} sealed envelopes for {}", seal.n, visible(&seal.purpose)),
            SetKind::Sheet => format!("a sealed sheet of {} cells ({})", seal.n, visible(&seal.purpose)),
            SetKind::FoulUp => format!("{} sealed envelopes for foul-ups ({})", seal.n, visible(&seal.purpose)),
            SetKind::Note => format!("a sealed note ({})", visible(&seal.purpose)),
        },
        Body::Declare(declare) => {
            let select = match &declare.select {
                Some(Select::Worksheet(sheet)) => {
                    format!("{} attacks, total {}, envelope {}", sheet.rows.len(), sheet.total, sheet.index)
                }
                Some(Select::Cells(cells)) => format!("{} cells of the sheet", cells.len()),
                Some(Select::FoulUp(select)) => {
                    format!("{} rolls from foul-up envelope {}", select.lines, select.index)
                }
                None => "no rolls".into(),
            };
            let again = if declare.redo.is_some() { " again" } else { "" };
            format!("{} is declared{again}: {select}; {}", declare.slot, moves(&declare.moves))
        }
        Body::Reveal(reveal) => {
            let declaration = ledger.and_then(|ledger| ledger.declaration(&reveal.declaration));
            let dice = declaration.map_or_else(String::new, |declaration| dice(&declaration.trail));
            format!("the envelopes of {} are opened{dice}", slot(&reveal.declaration))
        }
        Body::Decide(decide) => {
            format!("the choice {} for {}: {}", decide.name, decide.slot, visible(&decide.value.to_string()))
        }
        Body::Result(result) => format!("what came of {}", slot(&result.declaration)),
        Body::Correct(Correct::Propose(proposal)) => format!(
            "a foul-up in {} by {} ({}): {}",
            slot(&proposal.declaration),
            proposal.at_fault,
            proposal.class.as_str(),
            visible(&proposal.reason)
        ),
        Body::Correct(Correct::Accept(id)) => format!("the foul-up {} is accepted", short(id)),
        Body::Correct(Correct::Refuse(id)) => format!("the foul-up {} is refused", short(id)),
        Body::Close(close) => match &close.masters {
            None => "stop: the game ends here".into(),
            Some(masters) => format!("stop, with the closing keys of {} sets", masters.len()),
        },
    }
}

/// Dice, a line each.
fn dice(trail: &[Draw]) -> String {
    let dice = trail.iter().map(|draw| format!("\n      d{} = {}  {}", draw.sides, draw.value, visible(&draw.why)));
    dice.collect()
}

fn moves(moves: &Moves) -> String {
    match moves {
        Moves::Text(text) => format!("moves: {}", visible(text)),
        Moves::Files(files) => {
            let names: Vec<String> = files.iter().map(|file| visible(&file.name)).collect();
            format!("moves in {}", names.join(", "))
        }
        Moves::Note(_) => "moves in a sealed note".into(),
        Moves::None(()) => "no moves".into(),
    }
}

/// The first eight digits of an id.
pub(super) fn short(id: &impl ToString) -> String {
    id.to_string().chars().take(8).collect()
}
