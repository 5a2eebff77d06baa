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

/// What people are told about a table.
#[derive(Clone, Copy, Debug)]
pub struct AboutTable {
    /// The word by which players call it.
    pub called: &'static str,
    /// What its columns are.
    pub columns: &'static str,
    /// What its cells are.
    pub cells: &'static str,
}

/// Returns what people are told about a table of the charter (`protocol/ndc.md` 3); none for a table of another system.
///
/// # Examples
///
/// ```
/// use sealed_dice::resolve::ndc::about_table;
///
/// let ew = about_table("ndc-ew").ok_or("no table")?;
/// assert_eq!((ew.called, ew.columns, ew.cells), ("EW", "EW superiority", "the EW level"));
/// assert!(about_table("union-events").is_none());
/// # Ok::<(), &str>(())
/// ```
#[must_use]
pub fn about_table(table: &str) -> Option<AboutTable> {
    let (called, columns, cells) = match table {
        TERRAIN => ("terrain", "for the attacker; for the defender", "what the terrain adds"),
        INTELLIGENCE => {
            ("operational intelligence", "the operational level of the player who searches", "the unit's level")
        }
        TACTICAL => ("tactical intelligence", "the unit's level", "its new level"),
        WEATHER => ("weather", "the turn's place in the day", "the weather"),
        COMMAND => ("Command", "the commander's rating", "the grade of the Command, C, L or P; or none"),
        EW => ("EW", "EW superiority", "the EW level"),
        SUPPORT => ("support", "barrage minus final protective fire", "what the differential shifts by"),
        CRT => (
            "combat results",
            "the differential",
            "A: T/O that the attacker loses; D: T/O that the defender loses; R: hexes that the defender goes back; \
             B: a breakthrough",
        ),
        RETREAT => ("retreat", "the attacker's T/O, 4 if it is not known", "T/O that a Probe saves by going back"),
        COUNTER_BATTERY => ("counter-battery", "twice the points", "T/O that the target loses"),
        INTERDICTION => ("interdiction", "twice the points", "markers"),
        AMMO => ("ammunition", "the unit's attacks in the player turn", "whether it is short of ammunition"),
        _ => return None,
    };
    Some(AboutTable { called, columns, cells })
}

/// Returns why a die is drawn, with what a player calls the table in place of its name: `ndc-ew combat 1` is
/// `EW, combat 1`.
pub(super) fn told(why: &str) -> String {
    let (table, rest) = why.split_once(' ').unwrap_or((why, ""));
    match about_table(table) {
        None => why.to_owned(),
        Some(AboutTable { called, .. }) if rest.is_empty() => called.to_owned(),
        Some(AboutTable { called, .. }) => format!("{called}, {rest}"),
    }
}
