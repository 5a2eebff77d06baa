//! The games whose terms can be written by questions, each with its template.

use super::{
    question::Question,
    settings::{CIL, EVENTS, GETTYSBURG, NDC, OCS},
    usual::{IMPULSES, NO_SLIPS, PLAYERS, SLIPS, SLIPS_OF_TURNS, THIRD},
};
use crate::{keep::texts::TextFile, play::charter_file::templates::TEMPLATES};

/// A kind of game, with its template and its questions.
#[derive(Clone, Copy, Debug)]
pub struct Game {
    /// The name of the template.
    pub template: &'static str,
    /// The kind of game in words.
    pub text: &'static str,
    /// The table file that the terms name.
    pub tables: Option<Tables>,
    /// The content that the template makes up and no question asks about, so that the player has to edit the text.
    pub made_up: Option<&'static str>,
    settings: &'static [Question],
    slips: &'static [Question],
}

/// The table file of a game.
#[derive(Clone, Copy, Debug)]
pub struct Tables {
    /// The name that the terms give to the file.
    pub file: &'static str,
    /// The template that the file can be made from.
    pub template: &'static str,
    /// Whether a game can be played with the template as it is; otherwise it is only an example.
    pub are_complete: bool,
}

impl Tables {
    /// Returns the tables that come with the program.
    #[must_use]
    pub fn supplied(&self) -> TextFile {
        let text = TEMPLATES.iter().find(|(name, _)| *name == self.template).map_or("", |(_, text)| *text);
        TextFile { path: self.file.into(), text: text.to_owned() }
    }
}

/// Every kind of game, the usual one first.
pub static GAMES: [Game; 6] = [
    Game {
        template: "double-impulse",
        text: "A wargame with attacks on hexes, in double impulses: coin envelopes and the ICRK sheet",
        tables: None,
        made_up: None,
        settings: IMPULSES,
        slips: SLIPS,
    },
    Game {
        template: "ocs-initiative",
        text: "Operational Combat Series: who goes first in each turn",
        tables: None,
        made_up: None,
        settings: OCS,
        slips: SLIPS_OF_TURNS,
    },
    Game {
        template: "gettysburg-events",
        text: "Gettysburg: random events",
        tables: Some(Tables { file: "gettysburg-tables.toml", template: "gettysburg-tables", are_complete: true }),
        made_up: None,
        settings: GETTYSBURG,
        slips: SLIPS_OF_TURNS,
    },
    Game {
        template: "ndc",
        text: "NATO Division Commander: each player sees only their own units",
        tables: Some(Tables { file: "ndc-tables.toml", template: "ndc-test-tables", are_complete: true }),
        made_up: None,
        settings: NDC,
        slips: NO_SLIPS,
    },
    Game {
        template: "cil",
        text: "Cast Iron Life: the program fights the battles",
        tables: None,
        made_up: Some("the forces of the first battle"),
        settings: CIL,
        slips: SLIPS_OF_TURNS,
    },
    Game {
        template: "event-tables",
        text: "Random events from a table file of your own",
        tables: Some(Tables { file: "my-tables.toml", template: "crossing-tables", are_complete: false }),
        made_up: Some("the settings of your table file"),
        settings: EVENTS,
        slips: SLIPS_OF_TURNS,
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
        [PLAYERS, self.settings, self.slips, THIRD].into_iter().flatten()
    }
}
