//! Presentation of an audit: pure functions from its results to statistics and pages. `cli` reads and writes the files.
//!
//! Read [`verdict`] first: one sentence that states only what is proven. [`plain`] is the whole report, in which
//! [`text`] makes other people's words safe to show, and [`rules`] quotes the rules that were broken. [`words`]
//! puts single letters into words, with [`inputs`] for what they declare. [`summary`] and [`terms`] are for a
//! reader who is about to sign terms, [`continued`] and [`files`] for what an audit compares. [`manual`] has the
//! pages of `docs/`.
//!
//! ```
//! use sealed_dice::{audit, report::plain};
//!
//! let reports = audit(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/one-roll.txt")));
//! let ids = reports.iter().flat_map(|report| report.ids()).collect();
//! let told = plain::tell(&reports[0], &ids);
//! assert!(told.starts_with("verified, up to ann 2 (5814da25), bob 3 (132cd6be)"));
//! assert!(told.contains("d6 = 2  a1 F12 3-1, envelope 1 line 1"));
//! ```
//!
//! A program that shows letters one by one uses [`words`], also for a body before it is signed, a time and a key:
//!
//! ```
//! use sealed_dice::{
//!     blob::{Body, Hex32, disputes::Claim},
//!     primitive::{secret::Secret, sign::PrivateKey},
//!     report::words,
//! };
//!
//! let claim = Hex32([1; 32]);
//! let told = words::body(&Body::Claim(Claim::Withdraw(claim)), None);
//! assert_eq!(told, format!("the claim {claim} is withdrawn"));
//! assert_eq!(words::date(1_800_000_000), "2027-01-15T08:00:00Z");
//! let key = PrivateKey::from_seed(&Secret::new([1; 32])).public();
//! assert_eq!(words::fingerprint(&Hex32(*key.as_bytes())), key.fingerprint());
//! ```

#[cfg(feature = "html")]
pub mod audit_page;
pub mod continued;
pub mod description;
#[cfg(feature = "html")]
pub mod dice_svg;
pub mod files;
#[cfg(feature = "html")]
pub mod html;
pub mod inputs;
pub mod manual;
pub(crate) mod opened_note;
pub mod plain;
pub mod rules;
#[cfg(feature = "stats")]
pub mod stats;
pub mod summary;
pub mod terms;
pub mod text;
pub mod verdict;
pub mod words;
