//! The letters that a player owes and that need no choice.

use super::{draft::Pen, failure::PlayResult, seals::seal_body, table::View};
use crate::{
    blob::{Body, body::Correct},
    game::tasks::Task,
};

/// Returns all letters that are owed, need no choice and are not in this mail already. Once the other player has
/// closed, these include the player's own close, but only in a reply or with the answer to a proposal. The status
/// announces both, so nobody ends a game unawares.
pub(super) fn owed(view: &View<'_, '_>, pen: Pen<'_>, bodies: &[Body]) -> PlayResult<Vec<Body>> {
    let closes = bodies.iter().any(|body| matches!(body, Body::Close(_)));
    let said = |task: &Task| {
        bodies.iter().any(|body| match (body, task) {
            (Body::Reveal(reveal), Task::Reveal { declaration, .. }) => reveal.declaration == Some(*declaration),
            (Body::Reveal(reveal), Task::OpenNote { declaration, seal, .. }) => {
                (&reveal.declaration, &reveal.seal) == (declaration, seal)
            }
            (Body::Seal(seal), Task::Seal { kind, purpose }) => seal.kind == *kind && seal.purpose == *purpose,
            _ => false,
        })
    };
    let mut owed = Vec::new();
    for task in view.tasks().iter().filter(|task| !said(task)) {
        match task {
            Task::Reveal { declaration, .. } if view.check_whole(declaration).is_ok() => {
                owed.push(pen.reveal(view.ledger, *declaration)?);
            }
            Task::OpenNote { declaration, seal, .. } => {
                owed.extend(pen.single(view.ledger, seal, *declaration, 0));
            }
            Task::Seal { kind, purpose } if !closes => owed.push(seal_body(view.ledger, pen.signer(), *kind, purpose)?),
            Task::Close if !closes && bodies.iter().all(is_answer) => {
                owed.push(pen.close(view.ledger, None));
            }
            _ => {}
        }
    }
    // Only keys may follow a close.
    owed.sort_by_key(|body| matches!(body, Body::Close(_)));
    Ok(owed)
}

/// Whether a letter answers a proposal.
pub(super) const fn is_answer(body: &Body) -> bool {
    matches!(body, Body::Correct(Correct::Accept(_) | Correct::Refuse(_)))
}
