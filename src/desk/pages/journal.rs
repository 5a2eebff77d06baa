//! The journal of a game, turn by turn.

use axum::response::Response;
use maud::html;

use super::{
    super::{state::Desk, texts},
    inputs::people,
    layout::{Here, shown},
    news,
};
use crate::play::journal;

/// Shows the journal of a game.
pub(in crate::desk) fn page(desk: &Desk, game: &str) -> Response {
    let turns = match journal::journal(&desk.home, Some(game)) {
        Ok(turns) => turns,
        Err(failure) => return super::failed(desk, &Here::Game(game), &failure),
    };
    let people = people(desk, Some(game));
    let content = html! {
        @if turns.is_empty() { p { (texts::NOTHING_DECLARED) } }
        @for turn in &turns {
            section {
                h2 { (texts::turn(turn.turn)) }
                ul.letters-in {
                    @for entry in &turn.entries {
                        li {
                            strong { (texts::in_words(entry.author.as_str(), &people)) } ": " (news::told(&entry.told, &people))
                            @if let Some(caveat) = &entry.caveat { p.mind { (caveat) } }
                        }
                    }
                }
            }
        }
    };
    shown(desk, &Here::Game(game), texts::JOURNAL, &content)
}
