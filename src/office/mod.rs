//! The office as a service: letters are left, answered and fetched over HTTP (`protocol/post.md`). `mailbox` decides,
//! `answering` signs, `store` stores, `mailbox_service` calls these in turn, and `http` listens.

#[cfg(feature = "office")]
mod answering;
pub mod answers;
#[cfg(feature = "office")]
mod catching_up;
pub mod client;
#[cfg(feature = "office")]
pub mod config;
#[cfg(feature = "office")]
pub mod cpu_pool;
#[cfg(feature = "office")]
pub mod decision;
#[cfg(feature = "office")]
mod fair_queue;
#[cfg(feature = "office")]
mod held;
#[cfg(feature = "office")]
pub mod http;
#[cfg(feature = "office")]
mod late;
#[cfg(feature = "office")]
pub mod mailbox;
#[cfg(feature = "office")]
mod mailbox_cache;
#[cfg(feature = "office")]
pub mod mailbox_service;
#[cfg(feature = "office")]
mod notifier;
pub mod pass;
#[cfg(feature = "office")]
pub mod posted;
#[cfg(feature = "office")]
mod quota;
#[cfg(feature = "office")]
pub mod rations;
#[cfg(feature = "office")]
mod responses;
#[cfg(feature = "office")]
pub mod room;
#[cfg(feature = "office")]
mod rows;
#[cfg(feature = "office")]
pub mod serve;
#[cfg(feature = "office")]
pub mod store;
