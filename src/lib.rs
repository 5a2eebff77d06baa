//! Dice for board wargames by mail that neither player can steer, peek at or deny.
//!
//! The protocol is in `protocol/`; each item here names the rule that it carries out.
//!
//! Without features this is the core: letters ([`blob`]), the rules of games ([`game`]), the systems that dice are for
//! ([`resolve`]), and reports as text ([`report`]). It does no input or output, and reads no clock. An auditor needs
//! one call:
//!
//! ```
//! let transcript = include_str!("../vectors/audit/whole-turn.txt");
//! let reports = sealed_dice::audit(transcript);
//! assert_eq!(reports[0].verdict, sealed_dice::game::audit::Verdict::Verified);
//! let dice: Vec<u64> = reports[0].rolls.iter().map(|roll| roll.value).collect();
//! assert_eq!(dice[..3], [4, 6, 3]);
//! ```
//!
//! A resolver says what dice come to, and knows no letter:
//!
//! ```
//! use sealed_dice::{blob::json, resolve::what_if};
//!
//! let case = json::parse(br#"{"system":"icrk","input":{"rolls":[{"cell":"A1","why":"K12 2-1"}]},"draws":[4]}"#)?;
//! let resolved = what_if::resolve(&case)?;
//! assert_eq!(resolved.draws_used, 1);
//! # Ok::<(), sealed_dice::error::Error>(())
//! ```
//!
//! Whoever signs letters is a [`Signer`](game::steps::Signer); `examples/` has an auditor, a signer and one roll.
//! Features turn on the rest, each upon those before it: `keep` (key files and folders of letters), `mail` (letters in
//! any mail), `html` and `stats` (an audit as a page, and in figures), `play` (what players do, for a page or a
//! script), `cli`, `client` (asks an office), `office` (is one) and `postgres`. Modules depend downward only: `cli` on
//! `play`, that on `office`, `mail`, `keep` and
//! [`report`], those on [`game`], that on [`resolve`] and [`blob`], those on [`primitive`].

pub mod blob;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "play")]
#[doc(hidden)]
pub mod conformance;
pub mod error;
pub mod game;
#[cfg(feature = "keep")]
pub mod keep;
pub mod limits;
#[cfg(feature = "mail")]
pub mod mail;
#[cfg(feature = "client")]
pub mod office;
#[cfg(feature = "play")]
pub mod play;
pub mod primitive;
pub mod report;
pub mod resolve;
pub mod rule;

/// Audits a transcript: every letter in a text, whatever is around them, in any order and number of copies. One report
/// for each game, and one for what belongs to none.
#[must_use]
pub fn audit(transcript: &str) -> Vec<game::audit::Report> {
    game::audit::audit(&game::audit::Read::all(transcript.as_bytes(), "the transcript"))
}
