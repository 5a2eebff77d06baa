//! The fields of a file of terms, as in TOML.

use std::{collections::BTreeMap, path::PathBuf};

use serde::Deserialize;
use toml::Spanned;

use crate::{
    blob::{
        body::{How, Remedy, Revealer},
        json::{Map, Value},
    },
    resolve::coin_envelopes::hexes::DoubleLetters,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) title: Spanned<String>,
    pub(super) you: You,
    pub(super) opponent: Opponent,
    #[serde(default)]
    pub(super) referee: Option<FileThird>,
    #[serde(default)]
    pub(super) office: Option<FileThird>,
    /// The game that this one continues.
    #[serde(default)]
    pub(super) continues: Option<FileContinues>,
    pub(super) phases: Vec<Spanned<FilePhase>>,
    #[serde(default)]
    pub(super) sets_at_start: FileSets,
    pub(super) foul_up: FileFoulUp,
    #[serde(default)]
    pub(super) hard_core: bool,
    /// A hex as the map writes it.
    #[serde(default)]
    pub(super) hexes: Option<Spanned<String>>,
    #[serde(default = "doubled")]
    pub(super) double_letters: DoubleLetters,
    #[serde(default)]
    pub(super) penalties: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) deadlines: Vec<Spanned<Value>>,
    #[serde(default)]
    pub(super) tables: BTreeMap<String, PathBuf>,
    /// Files that contain tables by their names.
    #[serde(default)]
    pub(super) table_files: Vec<PathBuf>,
    /// The names of the tables of which only the fingerprints are signed.
    #[serde(default)]
    pub(super) withhold: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct You {
    pub(super) role: Spanned<String>,
    pub(super) name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Opponent {
    pub(super) role: Spanned<String>,
    pub(super) name: String,
    pub(super) key: Spanned<String>,
    #[serde(default)]
    pub(super) fingerprint: Option<Spanned<String>>,
}

/// A referee or an office in a file of terms.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileThird {
    pub(super) role: Spanned<String>,
    pub(super) name: String,
    pub(super) key: Spanned<String>,
    #[serde(default)]
    pub(super) fingerprint: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) deposit: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) deposit_notes: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileContinues {
    pub(super) game: Spanned<String>,
    /// The ids of the heads by role; empty for a role without letters.
    pub(super) heads: BTreeMap<String, Spanned<String>>,
    /// The states of courses as JSON, because TOML cannot express null.
    #[serde(default)]
    pub(super) states: BTreeMap<String, Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FilePhase {
    pub(super) name: Spanned<String>,
    pub(super) declarer: Option<Spanned<String>>,
    pub(super) impulses: Vec<u64>,
    pub(super) system: Spanned<String>,
    #[serde(default)]
    pub(super) settings: Map<String, Value>,
    #[serde(default)]
    pub(super) private: bool,
    #[serde(default)]
    pub(super) revealer: Option<Revealer>,
    #[serde(default)]
    pub(super) decisions: Vec<FileDecision>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileDecision {
    pub(super) name: Spanned<String>,
    #[serde(default)]
    pub(super) by: Option<Spanned<String>>,
    #[serde(default = "open")]
    pub(super) how: How,
}

const fn doubled() -> DoubleLetters {
    DoubleLetters::Doubled
}

const fn open() -> How {
    How::Open
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct FileSets {
    #[serde(default)]
    pub(super) sheet: u64,
    #[serde(default)]
    pub(super) foul_up: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct FileFoulUp {
    pub(super) envelopes: u64,
    #[serde(default)]
    pub(super) revealer: Option<Revealer>,
    pub(super) illegal_move: Remedy,
    pub(super) illegal_odds: Remedy,
    pub(super) wrong_list: Remedy,
}
