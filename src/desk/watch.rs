//! Letters from an office that arrive while the page of a game is open: its script asks for them again and again.

use axum::{
    http::StatusCode,
    response::{Html, IntoResponse, Response},
};

use super::{pages, sitting::Sitting, state::Desk};
use crate::{
    keep::{StorageError, key_file::KeyFile, root::Keys},
    play::{
        at_office,
        exchanged::Came,
        session::{Person, Question, Reply, Session},
    },
};

/// Nobody: a script asks, so no question is answered with yes, and the key counts as idle.
struct Unattended<'d>(&'d Sitting);

impl Person for Unattended<'_> {
    fn unlock(&self, file: &KeyFile) -> Result<Keys, StorageError> {
        if !file.is_protected() {
            return file.unlock(None);
        }
        let root = self.0.unattended();
        root.map(|root| root.keys()).ok_or_else(|| StorageError::Unable("your key is locked: unlock it".into()))
    }

    fn types_a_passphrase(&self, _: &KeyFile) -> bool {
        false
    }

    fn answers(&self, _: &Question) -> Reply {
        Reply::No
    }

    fn hears_fingerprint(&self, _: &str) -> Option<String> {
        None
    }

    fn hears(&self, _: &str) {}
}

/// Takes in new letters from a game's office, and returns them as a part of its page. Answers without content if there
/// are none, or if the office cannot be asked now: the button on the page says why.
pub(super) fn look(desk: &Desk, game: &str) -> Response {
    let person = Unattended(&desk.sitting);
    let mut news = Vec::new();
    let mut tell = |came: Came| news.extend(came.came.ok().filter(|exchanged| !exchanged.received.is_empty()));
    match at_office::pull(&Session { home: &desk.home, person: &person }, Some(game), &mut tell) {
        Ok(()) if !news.is_empty() => Html(pages::received::part(desk, &news).into_string()).into_response(),
        _ => StatusCode::NO_CONTENT.into_response(),
    }
}
