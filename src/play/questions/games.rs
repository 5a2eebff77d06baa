//! The games whose terms can be written by questions, each with its template.

use super::{
    question::Question,
    settings::{CIL, EVENTS, GETTYSBURG, NDC, OCS},
    usual::{IMPULSES, PLAYERS, SLIPS, THIRD},
};

/// A kind of game, with its template and its questions.
#[derive(Clone, Copy, Debug)]
pub struct Game {
    /// The name of the template.
    pub template: &'static str,
    /// The kind of game in words.
    pub text: &'static str,
    /// The table file that must lie beside the terms, and the template that it is made from.
    pub tables: Option<(&'static str, &'static str)>,
    /// The content that the template makes up and no question asks about, so that the player has to edit the text.
    pub made_up: Option<&'static str>,
    settings: &'static [Question],
}

/// Every kind of game, the usual one first.
pub static GAMES: [Game; 6] = [
    Game {
        template: "double-impulse",
        text: "A wargame with attacks on hexes, in double impulses: coin envelopes and the ICRK sheet",
        tables: None,
        made_up: None,
        settings: IMPULSES,
    },
    Game {
        template: "ocs-initiative",
        text: "Operational Combat Series: who goes first in each turn",
        tables: None,
        made_up: None,
        settings: OCS,
    },
    Game {
        template: "gettysburg-events",
        text: "Gettysburg: random events",
        tables: Some(("gettysburg-tables.toml", "gettysburg-tables")),
        made_up: None,
        settings: GETTYSBURG,
    },
    Game {
        template: "ndc",
        text: "NATO Division Commander: each player sees only their own units",
        tables: Some(("ndc-tables.toml", "ndc-test-tables")),
        made_up: None,
        settings: NDC,
    },
    Game {
        template: "cil",
        text: "Cast Iron Life: the program fights the battles",
        tables: None,
        made_up: Some("the forces of the first battle"),
        settings: CIL,
    },
    Game {
        template: "event-tables",
        text: "Random events from a table file of your own",
        tables: Some(("my-tables.toml", "crossing-tables")),
        made_up: Some("the settings of your table file"),
        settings: EVENTS,
    },
];

impl Game {
    /// Returns the game with a template.
    #[must_use]
    pub fn named(template: &str) -> Option<&'static Self> {
        GAMES.iter().find(|game| game.template == template)
    }

    /// Lists the game's questions, in an order in which each answer depends only on earlier ones.
    pub fn questions(&self) -> impl Iterator<Item = &'static Question> {
        [PLAYERS, self.settings, SLIPS, THIRD].into_iter().flatten()
    }
}
