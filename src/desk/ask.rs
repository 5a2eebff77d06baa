//! From an action to its page: a preview with open questions, the form again with the reason of a failure, or the
//! result.

use axum::response::Response;

use super::{
    act::{self, Done},
    fields::Fields,
    pages,
    person::AtDesk,
    state::Desk,
    verb::Verb,
};
use crate::play::session::Session;

/// Runs an action, and shows what came of it.
pub(super) fn act(desk: &Desk, game: Option<&str>, verb: Verb, fields: &Fields) -> Response {
    if fields.has(pages::form::MORE) || verb == Verb::Declare && fields.has(pages::form::WORK_OUT) {
        return pages::form::page(desk, game, verb, fields, None);
    }
    let person = AtDesk::new(&desk.sitting, fields);
    let done = act::run(&Session { home: &desk.home, person: &person }, game, verb, fields);
    let (asked, heard, is_locked_out) = person.into_parts();
    match done {
        Ok(done) => done_page(desk, game, done, &heard),
        Err(_) if is_locked_out => pages::confirm::unlock(desk, game, verb, fields, None),
        Err(failure) if asked.is_empty() => pages::form::page(desk, game, verb, fields, Some(&failure)),
        Err(failure) => pages::confirm::page(desk, game, verb, fields, &asked, &failure.news),
    }
}

fn done_page(desk: &Desk, game: Option<&str>, done: Done, heard: &[String]) -> Response {
    match done {
        Done::Handed(handed) => pages::mail::page(desk, game, &handed, heard),
        Done::Exchanged(came) => pages::received::exchanged(desk, game, came, heard),
        Done::Terms(terms) => pages::new_game::continued(desk, &terms),
        Done::Said(said) => pages::said(desk, &said),
    }
}
