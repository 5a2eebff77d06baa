//! The office as a service: letters are left, answered and fetched over HTTP (`protocol/post.md`). `pile` decides,
//! `answering` signs, `store` keeps, `clerk` does one after the other, `http` listens.

#[cfg(feature = "office")]
mod answering;
pub mod answers;
#[cfg(feature = "office")]
mod catching_up;
#[cfg(feature = "office")]
pub mod clerk;
pub mod client;
#[cfg(feature = "office")]
pub mod config;
#[cfg(feature = "office")]
pub mod decision;
#[cfg(feature = "office")]
mod fair;
#[cfg(feature = "office")]
mod held;
#[cfg(feature = "office")]
pub mod http;
#[cfg(feature = "office")]
mod hub;
#[cfg(feature = "office")]
mod late;
pub mod pass;
#[cfg(feature = "office")]
pub mod pile;
#[cfg(feature = "office")]
pub mod posted;
#[cfg(feature = "office")]
pub mod rations;
#[cfg(feature = "office")]
pub mod room;
#[cfg(feature = "office")]
pub mod serve;
#[cfg(feature = "office")]
mod shares;
#[cfg(feature = "office")]
mod shelf;
#[cfg(feature = "office")]
pub mod store;
#[cfg(feature = "office")]
mod told;
#[cfg(feature = "office")]
pub mod turns;
#[cfg(feature = "office")]
mod written;
