//! Signed letters as they travel: canonical JSON, the frame, the armour, and the contents of letters.

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
