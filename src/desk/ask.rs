//! From an action to its page: a preview with open questions, the form again with the reason of a failure, or the
//! result.

use axum::response::Response;

use super::{
    act::{self, Done},
    fields::Fields,
    pages,
    person::{AGREED, AtDesk, PREVIEW},
    state::Desk,
    verb::Verb,
};
use crate::play::session::Session;

/// Runs an action, and shows what came of it.
pub(super) fn act(desk: &Desk, game: Option<&str>, verb: Verb, fields: &Fields) -> Response {
    if fields.has(pages::form::MORE) || verb == Verb::Declare && fields.has(pages::form::WORK_OUT) {
        return pages::form::page(desk, game, verb, fields, None);
    }
    // Agreement counts once: a preview that comes a second time is shown again.
    let anew: Fields;
    let fields = match fields.said(PREVIEW).is_some_and(|preview| desk.results.is_spent(preview)) {
        true => {
            anew = Fields::of(fields.without(&[AGREED, PREVIEW]).map(|(name, value)| (name, value.to_owned())));
            &anew
        }
        false => fields,
    };
    let person = AtDesk::new(&desk.sitting, fields);
    let done = act::run(&Session { home: &desk.home, person: &person }, game, verb, fields);
    let (asked, heard, is_locked_out) = person.into_parts();
    match done {
        Ok(done) => {
            desk.results.spend(fields.get(PREVIEW));
            done_page(desk, game, done, &heard)
        }
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
