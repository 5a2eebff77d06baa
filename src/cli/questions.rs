//! `game new` without a file: asks about the game, one question after the other, and proposes the terms that result.

use std::path::Path;

use super::{answer::Answer, options::Signing, out_file, session::signs, terminal};
use crate::{
    keep::{home::Home, key_file::KeyFile},
    play::{
        self,
        charter_file::table_files::TableFiles,
        questions::{self, Answers, GAMES, Game, Kind, Question, Tables},
        typing::{Typing, quoted},
    },
};

/// The name that messages use for terms that are not in a file.
const UNSAVED: &str = "your answers";

/// Asks about the game, writes the terms to `save` if it is given, and proposes them.
pub(super) fn new(home: &Home, save: Option<&Path>, name: Option<&str>, signing: &Signing) -> Result<Answer, Answer> {
    let own = KeyFile::open(&home.key_file())?.public();
    save.into_iter().chain(signing.out.as_deref()).try_for_each(out_file::check)?;
    let game = game()?;
    let path = save.unwrap_or(Path::new(UNSAVED));
    let typing = Typing::of(home, "", true);
    check_files(game, save, path, &typing)?;
    let mut answers = Answers::new(game, own);
    let mut part = None;
    for question in game.questions() {
        if answers.calls_for(question) {
            if part != Some(question.part) {
                terminal::say(question.part.title());
            }
            part = Some(question.part);
            ask(question, &mut answers)?;
        }
    }
    let terms = questions::terms(&answers, path)?;
    if let Some(save) = save {
        out_file::write(save, terms.text.as_bytes(), "nothing was signed; type the command again")?;
        let propose = typing.command(&format!("game new {}", quoted(save)));
        if let Some(made_up) = game.made_up {
            return Ok(Answer::default().saying(format!(
                "the terms are in {}, and nothing is signed yet: add {made_up} with an editor, then propose the \
                 terms with  {propose}",
                save.display()
            )));
        }
        terminal::say(&format!("the terms are in {}; to propose them later, type  {propose}", save.display()));
    }
    signs(home, signing, |at| play::game::propose(at, &terms, &TableFiles::Beside, name)).map_err(|answer| match save {
        Some(_) => answer,
        None => answer.saying("to keep your answers in a file next time, type  sealed-dice game new --save terms.toml"),
    })
}

/// Checks, before any question, that the answers can lead to terms that can be proposed.
fn check_files(game: &Game, save: Option<&Path>, path: &Path, typing: &Typing) -> Result<(), Answer> {
    if let (Some(made_up), None) = (game.made_up, save) {
        return Err(Answer::refused(format!(
            "the questions do not ask for {made_up}: add that to the terms yourself. Type  {}",
            typing.command("game new --save terms.toml")
        )));
    }
    match game.tables {
        Some(Tables { file, template, .. }) if !path.with_file_name(file).exists() => Err(Answer::refused(format!(
            "this game needs the file {} with its tables. Write an example, look through it, and type the command \
             again:  {}",
            path.with_file_name(file).display(),
            typing.command(&format!("game template {template} > {file}"))
        ))),
        _ => Ok(()),
    }
}

/// Asks which game is played.
fn game() -> Result<&'static Game, Answer> {
    let lines = (1..).zip(&GAMES).map(|(n, game)| format!("  {n}  {}\n", game.text));
    let question = format!("Which game are you playing?\n{}1 to {} [1]:", lines.collect::<String>(), GAMES.len());
    loop {
        let typed = line(&question)?;
        let number = if typed.is_empty() { Ok(1) } else { typed.trim_end_matches(')').parse::<usize>() };
        let chosen = number.ok().and_then(|number| GAMES.get(number.checked_sub(1)?));
        match chosen.or_else(|| Game::named(&typed)) {
            Some(game) => return Ok(game),
            None => terminal::say(&format!("type a number from 1 to {}", GAMES.len())),
        }
    }
}

/// Asks a question until its answer is right.
fn ask(question: &Question, answers: &mut Answers) -> Result<(), Answer> {
    let asked = in_words(question);
    loop {
        let typed = line(&asked)?;
        match answers.take(question, chosen(question, &typed)) {
            Ok(()) => return Ok(()),
            Err(why) => terminal::say(&why),
        }
    }
}

/// Writes a question with its explanation, its choices and its default.
fn in_words(question: &Question) -> String {
    let head = format!("\n{}\n  {}\n", question.text, question.why);
    let Kind::Choice(values) = question.kind else {
        let default = question.default.filter(|default| !default.is_empty());
        return match default {
            Some(default) => format!("{head}[{default}]:"),
            None => format!("{head}:"),
        };
    };
    let lines: String = (1..).zip(values).map(|(n, (_, label))| format!("  {n}  {label}\n")).collect();
    let default = values.iter().position(|(value, _)| Some(*value) == question.default);
    let default = default.map_or_else(String::new, |at| format!(" [{}]", at + 1));
    format!("{head}{lines}1 to {}{default}:", values.len())
}

/// Returns the value of a choice that was typed as its number, and anything else as it was typed.
fn chosen<'t>(question: &Question, typed: &'t str) -> &'t str {
    let Kind::Choice(values) = question.kind else { return typed };
    let number = typed.trim_end_matches(')').parse::<usize>().ok();
    let value = number.and_then(|number| values.get(number.checked_sub(1)?));
    value.map_or(typed, |(value, _)| value)
}

/// Asks for a line at the terminal.
fn line(question: &str) -> Result<String, Answer> {
    terminal::ask_line(question).ok_or_else(|| {
        Answer::unable(
            "nobody is here to answer questions, and nothing was signed: give a file with terms. Write one with  \
             sealed-dice game template > terms.toml  and edit it, then type  sealed-dice game new terms.toml",
        )
    })
}
