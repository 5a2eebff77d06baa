//! `--version`: what somebody who reports a fault, or compares two builds, needs to know.

use std::sync::LazyLock;

use crate::blob::frame::FORMAT;

/// The version, the commit if the build recorded it, the format of letters, and the features that are built in.
pub(super) static LONG: LazyLock<String> = LazyLock::new(|| {
    let features = [
        ("desk", cfg!(feature = "desk")),
        ("client", cfg!(feature = "client")),
        ("office", cfg!(feature = "office")),
        ("postgres", cfg!(feature = "postgres")),
    ];
    let features: Vec<&str> = features.iter().filter(|(_, is_on)| *is_on).map(|(name, _)| *name).collect();
    format!(
        "{}\ncommit: {}\nformat: {FORMAT}\nfeatures: {}",
        env!("CARGO_PKG_VERSION"),
        option_env!("SEALED_DICE_COMMIT").unwrap_or("not recorded"),
        if features.is_empty() { "none".to_owned() } else { features.join(", ") }
    )
});
