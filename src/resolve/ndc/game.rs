//! What the charter of a game settles (`protocol/ndc.md` 1 to 3).

use super::{settings::Settings, tables::Tables};

/// What the charter settles.
#[derive(Clone, Debug)]
pub(super) struct Game {
    pub(super) settings: Settings,
    pub(super) tables: Tables,
}
