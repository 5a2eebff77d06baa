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

/// Returns why a die is drawn, with what a player calls the table in place of its name: `ndc-ew combat 1` is
/// `EW, combat 1`.
pub(super) fn told(why: &str) -> String {
    let (table, rest) = why.split_once(' ').unwrap_or((why, ""));
    let called = match table {
        TERRAIN => "terrain",
        INTELLIGENCE => "operational intelligence",
        TACTICAL => "tactical intelligence",
        WEATHER => "weather",
        COMMAND => "Command",
        EW => "EW",
        SUPPORT => "support",
        CRT => "combat results",
        RETREAT => "retreat",
        COUNTER_BATTERY => "counter-battery",
        INTERDICTION => "interdiction",
        AMMO => "ammunition",
        _ => return why.to_owned(),
    };
    if rest.is_empty() { called.to_owned() } else { format!("{called}, {rest}") }
}
