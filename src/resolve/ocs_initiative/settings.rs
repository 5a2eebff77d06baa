//! The settings of OCS initiative (`protocol/ocs-initiative.md` 1 to 3).

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{blob::body::Role, error::Error};

/// The settings as the charter writes them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    pub(super) first_player: Option<Role>,
    pub(super) flux_holder: FluxHolder,
    pub(super) pop_then_second: bool,
    pub(super) sides: [Role; 2],
}

/// Who holds the initiative after a Flux turn in which the winner goes second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FluxHolder {
    FirstMover,
    Winner,
}

impl Settings {
    pub(super) fn other(&self, role: &Role) -> Role {
        let [one, two] = &self.sides;
        if role == one { two.clone() } else { one.clone() }
    }

    pub(super) fn flux_to_winner(&self) -> bool {
        self.flux_holder == FluxHolder::Winner
    }
}

pub(super) fn refuse(rule: u64, text: impl fmt::Display) -> Error {
    Error::Refused(format!("ocs-initiative {rule}: {text}"))
}
