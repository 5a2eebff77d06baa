//! Everything that is tested from outside, in one program: vectors, laws, whole games, tampering, keys, the command line,
//! and the house's own rules.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops at the first surprise"
)]

mod agreement;
mod cil;
mod command_line;
#[cfg(feature = "desk")]
mod desk;
mod eml;
mod events;
mod examples;
mod games;
mod house;
mod html;
mod keys;
#[allow(dead_code, reason = "the vector generator plays with it too")]
mod kit;
mod laws;
mod library;
mod mail;
mod names;
mod ndc;
mod next_seen;
mod ocs;
#[cfg(feature = "postgres")]
mod office;
mod outputs;
mod play;
mod schemas;
mod second_checker;
mod stats;
mod tampering;
mod vectors;
mod versions;

/// A new empty folder for one test, below the build's folder for temporary files.
pub(crate) fn folder(name: &str) -> std::path::PathBuf {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a folder");
    dir
}
