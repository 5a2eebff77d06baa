//! Letters from an office that arrive while the page of a game is open: its script asks for them again and again.

use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use axum::{
    http::StatusCode,
    response::{Html, IntoResponse, Response},
};

use super::{pages, state::Desk};
use crate::play::at_office;

/// The games whose office is being asked. One question at a time: an office may take its time to answer.
#[derive(Default)]
pub(super) struct Watched(Mutex<BTreeSet<String>>);

impl Watched {
    fn games(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes in new letters from a game's office, and returns them as a part of its page. Answers without content if there
/// are none, or if the office cannot be asked now: the button on the page says why.
pub(super) fn look(desk: &Desk, game: &str) -> Response {
    if !desk.watched.games().insert(game.to_owned()) {
        return StatusCode::NO_CONTENT.into_response();
    }
    let came = at_office::look(&desk.home, game);
    desk.watched.games().remove(game);
    match came {
        Ok(received) if !received.is_empty() => {
            Html(pages::received::part(desk, &received).into_string()).into_response()
        }
        _ => StatusCode::NO_CONTENT.into_response(),
    }
}
