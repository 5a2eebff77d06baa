//! The settings and tables in a game's charter (`protocol/ndc.md` 1 to 3).

use super::{settings::Settings, tables::Tables};

/// The settings and tables in the charter.
#[derive(Clone, Debug)]
pub(super) struct Game {
    pub(super) settings: Settings,
    pub(super) tables: Tables,
}
