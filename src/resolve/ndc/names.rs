//! Names of the tables in a charter (`protocol/ndc.md` 3).

pub(super) const TERRAIN: &str = "ndc-terrain";
pub(super) const INTELLIGENCE: &str = "ndc-intelligence";
pub(super) const TACTICAL: &str = "ndc-tactical";
pub(super) const WEATHER: &str = "ndc-weather";
pub(super) const COMMAND: &str = "ndc-command";
pub(super) const EW: &str = "ndc-ew";
pub(super) const SUPPORT: &str = "ndc-support";
pub(super) const CRT: &str = "ndc-crt";
pub(super) const RETREAT: &str = "ndc-retreat";
pub(super) const COUNTER_BATTERY: &str = "ndc-counter-battery";
pub(super) const INTERDICTION: &str = "ndc-interdiction";
pub(super) const AMMO: &str = "ndc-ammo";
