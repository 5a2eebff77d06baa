//! Mail as it arrives in practice: files, folders, maildirs, mailboxes and standard input, searched for letters in
//! bounded memory.
//!
//! `protocol/mail.md` contains the rules. The type of a file is detected from its content. Plain text is cut into
//! pieces between letters. A message is taken apart (`mime`, `transfer`, `html`); each part that can contain letters is
//! read as its reader sees it, and then the source, which still works where the structure is broken. `message` merges
//! copies of the same letter into one find. Reading proceeds in batches, so that threads can share the opening of
//! letters. `write` does the reverse.

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
