//! The cryptographic primitives. Each cryptographic crate is used in only one of these files, and nowhere else.
//!
//! Read [`hash`] first: ids, keys and commitments are all made by its one function. [`sign`] follows, and then
//! [`secret`] and [`cipher`], which keep notes closed. [`dice`] is the chapter that matters most: how an opened
//! seed becomes dice. [`wrap`] is for sets that a third party holds.
//!
//! ```
//! use sealed_dice::primitive::dice::{Roots, Stream, roll_key};
//!
//! // Once the seed is open, anybody can compute the dice. Each player chose a part of the root.
//! let [seal, declaration, contribution, seed] = [[1; 32], [2; 32], [3; 32], [4; 32]];
//! let root = Roots { seal: &seal, declaration: &declaration, contribution: &contribution }.root(2, &seed);
//! let mut first_row = Stream::new(roll_key(&root, 1));
//! assert_eq!([first_row.draw(6)?, first_row.draw(6)?, first_row.draw(6)?], [3, 6, 3]);
//! # Ok::<(), sealed_dice::error::Error>(())
//! ```

pub mod cipher;
pub mod dice;
pub mod hash;
#[cfg(feature = "keep")]
pub mod passphrase;
pub mod secret;
pub mod sign;
pub mod wrap;
