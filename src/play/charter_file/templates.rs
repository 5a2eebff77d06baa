//! The templates from which a player writes terms.

/// The templates, by name; and the table files that some of them name.
pub const TEMPLATES: [(&str, &str); 9] = [
    ("cil", include_str!("../templates/cil.toml")),
    ("double-impulse", include_str!("../templates/double-impulse.toml")),
    ("event-tables", include_str!("../templates/event-tables.toml")),
    ("crossing-tables", include_str!("../../../tables/crossing-events.toml")),
    ("gettysburg-events", include_str!("../templates/gettysburg-events.toml")),
    ("gettysburg-tables", include_str!("../../../tables/gettysburg-events.toml")),
    ("ndc", include_str!("../templates/ndc.toml")),
    ("ndc-test-tables", include_str!("../../../tables/ndc-test.toml")),
    ("ocs-initiative", include_str!("../templates/ocs-initiative.toml")),
];
