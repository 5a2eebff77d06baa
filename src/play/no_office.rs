//! Stand-ins for a build without the office's client: they ask nothing of an office and leave nothing there.

use super::{failure::PlayResult, handed::News, locked::Locked, session::Session, state::Status, table::Table};
use crate::{blob::Head, keep::home::Home};

pub(super) fn news(_: &Home) -> PlayResult<Vec<News>> {
    Ok(Vec::new())
}

impl Table {
    pub(super) fn by_office(&self, _: &mut Status) {}

    pub(super) fn where_to_join(&self) -> Option<String> {
        None
    }

    pub(super) fn full_share(&self) -> Option<String> {
        None
    }

    pub(super) fn has_left(&self, _: &Head) -> Option<bool> {
        None
    }
}

impl Locked {
    pub(super) fn after_office(self, _: &Session<'_>) -> PlayResult<(Self, Vec<News>)> {
        Ok((self, Vec::new()))
    }

    pub(super) fn ask_the_time(&self, _: &Session<'_>) -> Vec<News> {
        Vec::new()
    }
}
