//! Mail as it really arrives: files, folders, maildirs, mailboxes and standard input, read in bounded memory down to
//! the letters in them.
//!
//! `protocol/mail.md` has the rules. What a file is, is told by its content. Plain text is cut into pieces between
//! letters. A message is taken apart (`mime`, `transfer`, `html`), and each part that can hold letters is read as its
//! reader sees it, then the source, which holds where the structure is broken; `message` makes one find of what is the
//! same letter. Reading goes on batch by batch, so that threads can share the opening of letters. `write` goes the
//! other way.

pub mod files;
mod find;
mod html;
mod message;
mod mime;
mod pieces;
mod read;
mod sketch;
mod stream;
mod transfer;
pub mod write;

pub use find::Find;
pub use read::{Batch, Mail, Source, finds};
