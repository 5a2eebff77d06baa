//! From an action to its page: a preview with open questions, the form again with the reason of a failure, or the
//! result.

use axum::response::Response;

use super::{
    act::{self, Done},
    fields::Fields,
    pages::{
        self,
        confirm::{GAME, PASSPHRASE, THEN},
    },
    person::{AGREED, AtDesk, CHANGE, PREVIEW, TYPED},
    state::Desk,
    verb::Verb,
};
use crate::play::{failure::Failure, session::Session};

/// Runs an action, and shows what came of it.
pub(super) fn act(desk: &Desk, game: Option<&str>, verb: Verb, fields: &Fields) -> Response {
    if fields.has(CHANGE) {
        let kept = fields.without(&OF_A_PREVIEW).map(|(name, value)| (name, value.to_owned()));
        return again(desk, game, verb, &Fields::of(kept), None);
    }
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
        Err(failure) if asked.is_empty() => again(desk, game, verb, fields, Some(&failure)),
        Err(failure) => pages::confirm::page(desk, game, verb, fields, &asked, &failure.news),
    }
}

/// The fields that only the page before the form had.
const OF_A_PREVIEW: [&str; 7] = [CHANGE, AGREED, PREVIEW, TYPED, PASSPHRASE, THEN, GAME];

/// Shows the form of an action with what was entered; after a failure with the reason.
fn again(desk: &Desk, game: Option<&str>, verb: Verb, fields: &Fields, failed: Option<&Failure>) -> Response {
    match verb {
        Verb::New => pages::new_game::again(desk, fields, failed),
        _ => pages::form::page(desk, game, verb, fields, failed),
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
