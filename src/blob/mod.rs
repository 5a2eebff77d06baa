//! Signed letters as they travel: canonical JSON, the frame, the armour, and the contents of letters.
//!
//! Read the modules from the outside in, as a letter is opened. [`armour`] finds it in any text. [`frame`] splits
//! it into four lines. [`json`] parses the payload, which has only one encoding. [`message`] checks key, fields and
//! signature, and makes a [`Verified`] letter. The contents are in [`body`]; for third parties also in
//! [`disputes`], [`deposits`], [`office`] and [`resync`].
//!
//! ```
//! use sealed_dice::blob::{Keys, Verified, armour};
//!
//! let mail = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/one-roll.txt"));
//! let keys = Keys::default();
//! let mut kinds = Vec::new();
//! for found in armour::find(mail) {
//!     let letter = Verified::open(&found.frame?, &keys).map_err(|refusal| refusal.error)?;
//!     kinds.push(letter.head().kind.as_str());
//! }
//! assert_eq!(kinds, ["charter", "accept", "seal", "declare", "reveal"]);
//! # Ok::<(), sealed_dice::error::Error>(())
//! ```

pub mod armour;
pub mod body;
pub mod deposits;
pub mod disputes;
pub mod frame;
pub mod json;
pub mod message;
pub mod office;
pub mod resync;

pub use body::{Body, Hex32, Kind};
pub use message::{Head, Keys, Verified};
