//! Letters from an office that arrive while the page of a game is open: its script asks for them again and again.

use axum::{
    http::StatusCode,
    response::{Html, IntoResponse, Response},
};

use super::{pages, state::Desk};
use crate::play::at_office;

/// Takes in new letters from a game's office, and returns them as a part of its page. Answers without content if there
/// are none, or if the office cannot be asked now: the button on the page says why.
pub(super) fn look(desk: &Desk, game: &str) -> Response {
    // An office may take its time to answer, so it is asked once at a time.
    if !desk.watched().insert(game.to_owned()) {
        return StatusCode::NO_CONTENT.into_response();
    }
    let came = at_office::look(&desk.home, game);
    desk.watched().remove(game);
    match came {
        Ok(received) if !received.is_empty() => {
            Html(pages::received::part(desk, &received).into_string()).into_response()
        }
        _ => StatusCode::NO_CONTENT.into_response(),
    }
}
