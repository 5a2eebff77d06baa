//! An audit as one HTML page that a referee opens, reads and prints. It contains no scripts and loads nothing from the
//! network, and other people's texts appear only as text.
//!
//! [`section`] describes one game while its replay is available; [`page()`] puts the sections together.

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
pub use page::{Section, TITLE, content, page, section};
