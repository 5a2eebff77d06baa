//! The terms of a new game in the fields of a request: as text or as answers to questions, with their table files.

use std::path::Path;

use super::{
    fields::{Fields, Upload},
    texts,
};
use crate::{
    keep::{home::Home, key_file::KeyFile, texts::TextFile},
    play::{
        charter_file::table_files::TableFiles,
        failure::{Failure, PlayResult},
        questions::{self, Answers, GAMES, Game},
    },
};

/// The field with the name of the template.
pub(super) const TEMPLATE: &str = "template";
/// The field with table files.
pub(super) const TABLES: &str = "tables";
/// The field that drops the table files chosen before.
pub(super) const DROP: &str = "drop-tables";

/// The names of questions whose answers are wrong, with the reasons.
pub(super) type Wrong = Vec<(&'static str, String)>;

/// Returns the game whose questions a request answers; none if it has the terms as text.
pub(super) fn game(fields: &Fields) -> Option<&'static Game> {
    Game::named(fields.get(TEMPLATE)).filter(|_| !fields.has("terms"))
}

/// Takes every answer, and writes the terms if all are right.
pub(super) fn answered(home: &Home, game: &'static Game, fields: &Fields) -> PlayResult<Result<TextFile, Wrong>> {
    let mut answers = Answers::new(game, KeyFile::open(&home.key_file())?.public());
    let mut wrong = Wrong::new();
    for question in game.questions() {
        if answers.calls_for(question)
            && let Err(why) = answers.take(question, fields.get(question.id))
        {
            wrong.push((question.id, why));
        }
    }
    let chosen = chosen(fields);
    if let Some(tables) = game.tables {
        match chosen.last().map(text) {
            Some(Err(why)) => wrong.push((TABLES, why)),
            None if !tables.are_complete => wrong.push((TABLES, texts::NO_TABLE_FILE.into())),
            _ => {}
        }
    }
    match wrong.is_empty() {
        // Nobody has seen this text, so messages name no line of it.
        true => Ok(Ok(questions::terms(&answers, Path::new(""))?)),
        false => Ok(Err(wrong)),
    }
}

/// Returns the terms that the answers of a request give.
///
/// # Errors
/// If an answer is wrong.
pub(super) fn of_answers(home: &Home, game: &'static Game, fields: &Fields) -> PlayResult<TextFile> {
    answered(home, game, fields)?.map_err(|_| texts::failure(texts::ANSWERS_WRONG))
}

/// Returns the answers that a failure is about: those whose settings it names.
pub(super) fn blamed(game: &'static Game, failure: &Failure) -> Wrong {
    let why = failure.why.join("\n");
    let names = |id: &str| {
        let setting = id.replace('-', "_");
        why.split(|sign: char| !sign.is_alphanumeric() && sign != '_').any(|word| word == setting)
    };
    let blamed = game.questions().filter(|question| question.id.contains('-') && names(question.id));
    blamed.map(|question| (question.id, why.clone())).collect()
}

/// Returns the table files that a person has chosen, in order.
pub(super) fn chosen(fields: &Fields) -> Vec<Upload> {
    if fields.has(DROP) { Vec::new() } else { fields.files(TABLES) }
}

fn text(file: &Upload) -> Result<TextFile, String> {
    TextFile::of(Path::new(&file.name), file.bytes.clone())
}

/// Returns the table files of a request: those that were chosen, and then those that come with the program. The one
/// that a game asks for counts under the name that its terms give it, whatever it is called.
///
/// # Errors
/// If a file is no text, or too long.
pub(super) fn table_files(fields: &Fields) -> PlayResult<TableFiles> {
    let read = |file: Upload| Ok((file.name.clone(), text(&file).map_err(|why| texts::failure(&why))?));
    let mut files: Vec<(String, TextFile)> = chosen(fields).into_iter().rev().map(read).collect::<PlayResult<_>>()?;
    let asked = Game::named(fields.get(TEMPLATE)).and_then(|game| game.tables);
    if let (Some(tables), Some((_, last))) = (asked, files.first().cloned()) {
        files.push((tables.file.to_owned(), last));
    }
    let supplied = GAMES.iter().filter_map(|game| game.tables).filter(|tables| tables.are_complete);
    files.extend(supplied.map(|tables| (tables.file.to_owned(), tables.supplied())));
    Ok(TableFiles::Given(files))
}
