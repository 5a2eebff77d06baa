//! The terms of a game as questions in plain words: one for each value that a template leaves open, with its usual
//! answer and a check. A terminal asks the questions one by one, a page shows them as a form; both get the terms as
//! text.

mod answers;
mod check;
mod games;
mod question;
mod settings;
#[cfg(test)]
mod tests;
mod usual;
mod writing;

pub use self::{
    answers::Answers,
    games::{GAMES, Game, Tables},
    question::{Kind, Part, Question},
    writing::terms,
};
