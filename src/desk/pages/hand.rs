//! What a player knows alone in a game with a hidden course.

use axum::response::Response;
use maud::html;

use super::{
    super::{state::Desk, texts},
    inputs::{offer, people},
    layout::{Here, list, shown},
    tables,
};
use crate::play::hand;

/// Shows what only this player knows at this point of the game.
pub(in crate::desk) fn page(desk: &Desk, game: &str) -> Response {
    match offer(desk, |at| hand::hand(at, Some(game))) {
        Ok(hand) => {
            let people = people(desk, Some(game));
            let lines: Vec<String> = hand.lines.iter().map(|line| texts::in_words(line, &people)).collect();
            let content = html! {
                p { (texts::ONLY_YOU_KNOW) }
                (tables::of_position(&hand.units, &people))
                (list("waits", &lines))
            };
            shown(desk, &Here::Game(game), texts::YOUR_HAND, &content)
        }
        Err(failure) => super::failed(desk, &Here::Game(game), &failure),
    }
}
