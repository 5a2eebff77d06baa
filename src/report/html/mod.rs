//! An audit as one HTML page that a referee opens, reads and prints: no script, nothing from the network, and every
//! text that others wrote stands in it as text.
//!
//! [`section`] tells one game while its replay is at hand; [`page()`] puts the sections together.

mod book;
mod compare;
mod declarations;
mod findings;
mod game;
mod letters;
mod page;
mod rolls;
mod sheets;

pub use book::Letters;
pub use page::{Section, page, section};
