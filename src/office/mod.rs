//! The office as a service: letters are left, answered and fetched over HTTP (`protocol/post.md`). `pile` decides,
//! `answering` signs, `store` keeps, `clerk` does one after the other, `http` listens.

mod answering;
pub mod answers;
mod catching_up;
pub mod clerk;
pub mod client;
pub mod config;
pub mod decision;
mod fair;
mod held;
pub mod http;
mod hub;
mod late;
pub mod pass;
pub mod pile;
pub mod posted;
pub mod rations;
pub mod room;
pub mod serve;
mod shares;
mod shelf;
pub mod store;
pub mod turns;
mod written;
