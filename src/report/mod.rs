//! What a reader makes of an audit: pure functions from its reports to figures and pages.

pub mod stats;
