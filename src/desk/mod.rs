//! The desk: everything that a player does, in a browser on their own computer, for people who never open a terminal.
//!
//! [`serve`](serve::serve) listens on loopback and shows pages that work without a script. A page is made from the
//! values of [`play`](crate::play), as the command line's text is, and an action runs the same verbs on the same folder
//! of letters: the desk stores nothing, and a game can be played with both in turns.
//!
//! An action is tried first as a preview, in which every question of the verb is answered with no. The questions
//! become a page, and its button runs the action again with the answer yes to exactly those questions.

mod act;
mod ask;
mod commands;
mod fields;
mod guard;
mod listen;
mod pages;
mod person;
mod results;
pub mod serve;
mod sitting;
mod state;
mod terms;
mod texts;
mod toml_form;
mod upload;
mod verb;
mod watch;
