//! The clock of this machine.

/// Returns the time on this machine's clock, in seconds since 1970.
pub(super) fn now() -> u64 {
    u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or_default()
}
