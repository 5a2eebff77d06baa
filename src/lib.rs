//! Dice for board wargames by mail that neither player can steer, peek at or deny.
//!
//! The protocol is in `protocol/`; each item here names the rule that it implements.
//!
//! Without features, the crate is the core: letters ([`blob`]), the rules of games ([`game`]), the systems that turn
//! dice into results ([`resolve`]), and reports as text ([`report`]). The core does no I/O and does not read a clock.
//! An audit is one call:
//!
//! ```
//! let transcript = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/whole-turn.txt"));
//! let reports = sealed_dice::audit(transcript);
//! assert_eq!(reports[0].verdict, sealed_dice::game::audit::Verdict::Verified);
//! let dice: Vec<u64> = reports[0].rolls.iter().map(|roll| roll.value).collect();
//! assert_eq!(dice[..3], [4, 6, 3]);
//! ```
//!
//! A resolver turns dice into results, and does not need any letters:
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
//! A [`Signer`](game::steps::Signer) signs letters; `examples/` has an auditor, a signer and one roll.
//!
//! The core is written as a book, with these chapters: [`primitive`], [`blob`], [`resolve`], [`game`], [`report`]. Each
//! begins with the order in which to read its modules, and an example.
//!
//! Features add the rest, and each builds on those before it:
//!
//! - `keep`: key files and folders of letters
//! - `mail`: letters in any mail
//! - `html` and `stats`: an audit as a page, and its statistics
//! - `play`: everything that players do, for a page or a script
//! - `cli`: the command-line program
//! - `client`: requests to an office
//! - `office`: the office itself
//! - `postgres`: an office on PostgreSQL
//!
//! Modules depend only on those below them: `cli`, then `play`, then `office`, `mail`, `keep` and [`report`], then
//! [`game`], then [`resolve`] and [`blob`], then [`primitive`].

pub mod blob;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "play")]
#[doc(hidden)]
pub mod conformance;
#[cfg(feature = "desk")]
pub mod desk;
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

/// Audits every letter in a text, in any order and with any text around them; copies count once. Returns one report for
/// each game, and one more for anything that does not belong to a game.
///
/// # Examples
///
/// A report names those who broke a rule, and the rule:
///
/// ```
/// let letters = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/fork/reveal-of-a-fallen-declaration.txt"));
/// let report = &sealed_dice::audit(letters)[0];
/// assert_eq!(report.culprits(), ["ann", "bob"]);
/// assert_eq!(report.findings[0].rule, Some(sealed_dice::rule::Rule::Chain8));
/// ```
#[must_use]
pub fn audit(transcript: &str) -> Vec<game::audit::Report> {
    game::audit::audit(&game::audit::Read::all(transcript.as_bytes(), "the transcript"))
}
