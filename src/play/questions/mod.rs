//! The terms of a game as questions: what a template leaves open, in plain words, with the usual answer and a check of
//! each answer. A terminal asks the questions one by one, a page shows them as a form; both get the terms as text.

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
