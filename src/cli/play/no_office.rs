//! Without the office, nobody is asked, and nothing is left.

use super::{locked::Locked, sign, table::Table};
use crate::{cli::answer::Told, keep::home::Home};

pub(super) fn news(_: &Home) -> Told<Vec<String>> {
    Ok(Vec::new())
}

impl Table {
    pub(super) fn by_office(&self, _: bool, _: &mut Vec<String>, _: &mut Vec<String>) {}

    pub(super) fn where_to_join(&self) -> Option<String> {
        None
    }

    pub(super) fn full_share(&self) -> Option<String> {
        None
    }

    pub(super) fn has_left(&self, _: &crate::blob::Head) -> Option<bool> {
        None
    }
}

impl Locked {
    pub(super) fn after_office(self, _: &Home, _: &sign::Signing) -> Told<(Self, Vec<String>)> {
        Ok((self, Vec::new()))
    }

    pub(super) fn ask_the_time(&self, _: &Home, _: &sign::Signing) -> Vec<String> {
        Vec::new()
    }
}
