//! The commands of a stored game: passes the arguments to `play`, and presents its results.

use std::path::Path;

use super::{
    answer::Answer,
    args::{Command, Game},
    clipboard,
    options::Signing,
    out_file,
    person::AtTerminal,
    questions,
    session::{asks, signs, unlocks},
    told,
    verbs::{Declaring, text_file},
};
use crate::{
    keep::{home::Home, texts::TextFile},
    mail::Mail,
    play::{
        self,
        charter_file::table_files::TableFiles,
        continuing::Changed,
        decide::Chosen,
        moving::{Imported, listed},
        reply::Again,
        session::Session,
        typing::{Typing, quoted},
    },
    report::text::visible,
};

/// Whether a command still works after the player's key has moved to another machine.
const fn may_be_away(command: &Command) -> bool {
    use Game::{Continue, Export, Import, List, Status, Terms};
    matches!(command, Command::Resend { .. })
        || matches!(
            command,
            Command::Game(Continue { .. } | Export { .. } | Import { .. } | List | Status { .. } | Terms { .. })
        )
}

/// Prints a text to standard output, or writes it to a new file.
fn written(text: String, out: Option<&Path>, said: impl FnOnce(&Path) -> String) -> Result<Answer, Answer> {
    match out {
        None => Ok(Answer::done(text)),
        Some(path) => {
            out_file::write(path, text.as_bytes(), "nothing is lost; type the command again")?;
            Ok(Answer::done(String::new()).saying(said(path)))
        }
    }
}

/// Runs a command in a player's home.
pub(super) fn run(home: &Home, command: Command) -> Result<Answer, Answer> {
    if !may_be_away(&command) {
        play::away::check(home)?;
    }
    match command {
        Command::Game(command) => game(home, command),
        Command::Read { keep, clipboard: true, .. } => read(home, clipboard::mail()?, &keep),
        Command::Read { keep, paths, .. } => read(home, Mail::at(&paths).map_err(Answer::unable)?, &keep),
        Command::Reply { of, signing } => signs(home, &signing, |at| play::reply::reply(at, of.name())),
        Command::Resend { numbers, all, everything, of, signing } => {
            let again = match (everything, all) {
                (true, _) => Again::Everything,
                (false, true) => Again::Own,
                (false, false) if numbers.is_empty() => Again::Unknown,
                (false, false) => Again::Numbers(numbers),
            };
            signs(home, &signing, |at| play::reply::resend(at, of.name(), &again))
        }
        Command::Seal { what, of, signing } => signs(home, &signing, |at| play::seal::seal(at, of.name(), &what)),
        Command::Declare { declaring, of, signing } => declare(home, of.name(), &declaring, &signing),
        Command::Reveal { slot, moves: true, of, signing, .. } => {
            signs(home, &signing, |at| play::reveal::reveal_moves(at, of.name(), &slot))
        }
        Command::Reveal { slot, look: true, of, signing, .. } => {
            let (news, dice) = unlocks(home, &signing, |at| play::reveal::look(at, of.name(), &slot))?;
            let out = dice.iter().map(|line| format!("{line}\n")).collect();
            let answer = Answer { talk: told::news(news), ..Answer::done(out) };
            Ok(answer.saying(told::FOR_YOU_ALONE))
        }
        Command::Reveal { slot, of, signing, .. } => {
            signs(home, &signing, |at| play::reveal::reveal(at, of.name(), &slot))
        }
        Command::Decide { slot, name, value, of, signing, .. } => match value {
            None => asks(home, |at| play::decide::form(at, of.name(), &slot)).map(told::form),
            Some(words) => {
                let chosen = Chosen { file: TextFile::read(Path::new(&words)), words };
                signs(home, &signing, |at| play::decide::decide(at, of.name(), (&slot, &name), &chosen))
            }
        },
        Command::Note { slot, name, file, of, signing, .. } => match file {
            None => asks(home, |at| play::note::form(at, of.name(), (&slot, &name))).map(told::form),
            Some(path) => {
                let file = text_file(&path)?;
                signs(home, &signing, |at| play::note::note(at, of.name(), (&slot, &name), &file))
            }
        },
        Command::Correct { verb, of, signing } => {
            let mending = verb.read()?;
            signs(home, &signing, |at| play::correct::correct(at, of.name(), &mending))
        }
        Command::Dispute { verb, of, signing } => {
            signs(home, &signing, |at| play::dispute::dispute(at, of.name(), &verb.into()))
        }
        Command::Rule { verb, text, of, signing } => {
            signs(home, &signing, |at| play::rule::rule(at, of.name(), &verb.into(), &text))
        }
        _ => Err(Answer::unable("this command does not use a game")),
    }
}

/// Runs `game`: the terms of a game, from the proposal to both closes.
fn game(home: &Home, command: Game) -> Result<Answer, Answer> {
    match command {
        Game::Export { file, yes } => export(home, &file, yes),
        Game::Import { file, yes } => import(home, &file, yes),
        Game::New { file: Some(file), name, signing, .. } => {
            let terms = text_file(&file)?;
            signs(home, &signing, |at| play::game::propose(at, &terms, &TableFiles::Beside, name.as_deref()))
        }
        Game::New { file: None, save, name, signing } => {
            questions::new(home, save.as_deref(), name.as_deref(), &signing)
        }
        Game::Accept { fingerprint, of, signing } => {
            signs(home, &signing, |at| play::accept::accept(at, of.name(), &fingerprint))
        }
        Game::Continue { game, before, role, their_key, out } => {
            let changed = Changed { before, role, their_key };
            out.as_deref().map_or(Ok(()), out_file::check)?;
            let terms = asks(home, |at| play::continuing::continue_game(at, game.as_deref(), &changed))?;
            let propose = |path: &Path| {
                format!(
                    "the terms are in {}: read them, then propose them with  {}",
                    path.display(),
                    terms.typing.command(&format!("game new {}", quoted(path)))
                )
            };
            let mut answer = written(terms.text, out.as_deref(), propose)?;
            answer.talk.splice(0..0, terms.mind);
            Ok(answer)
        }
        Game::Terms { of, out } => {
            out.as_deref().map_or(Ok(()), out_file::check)?;
            let terms = asks(home, |at| play::terms::terms(at, of.name()))?;
            written(terms, out.as_deref(), |path| format!("the terms are in {}", path.display()))
        }
        Game::Withdraw { of, signing } => signs(home, &signing, |at| play::withdraw::withdraw(at, of.name())),
        Game::Hand { of, signing } => {
            let hand = unlocks(home, &signing, |at| play::hand::hand(at, of.name()))?;
            let lines = hand.unit_lines.iter().chain(&hand.lines).map(|line| format!("{line}\n"));
            Ok(Answer::done(lines.collect()).saying(told::FOR_YOU_ALONE))
        }
        Game::List => list(home),
        Game::Forget { name } => {
            let (from, to) = asks(home, |at| play::forget::forget(at, &name))?;
            Ok(Answer::done(format!(
                "{name} is hidden: its letters are now in {}. To bring it back, read its mails again, or move that \
                 folder to {}\n",
                to.display(),
                from.display()
            )))
        }
        Game::Status { of, json } => Ok(told::shown(&play::status::status(home, of.name())?, json)),
        Game::Resync { without, of, signing } => {
            signs(home, &signing, |at| play::resync::resync(at, of.name(), &without))
        }
        Game::Close { result, of, signing } => signs(home, &signing, |at| play::close::close(at, of.name(), result)),
        Game::Template { .. } => Err(Answer::unable("this command does not use a game")),
    }
}

fn list(home: &Home) -> Result<Answer, Answer> {
    let (games, unread) = play::listing::games(home)?;
    let answer = Answer { talk: unread, ..Answer::done(games.iter().map(|game| format!("{game}\n")).collect()) };
    Ok(match games.is_empty() {
        true => answer.saying("you have no games yet; begin one with `sealed-dice game new`"),
        false => answer,
    })
}

fn read(home: &Home, mail: Mail, keep: &[String]) -> Result<Answer, Answer> {
    let (received, news) = play::read::read(home, mail, keep)?;
    let mut answer = Answer::done(told::received(&received));
    answer.code = if received.refused.is_empty() { 0 } else { 2 };
    answer.talk = [received.said, told::news(news)].concat();
    Ok(answer)
}

fn declare(home: &Home, name: Option<&str>, declaring: &Declaring, signing: &Signing) -> Result<Answer, Answer> {
    let read = declaring.read()?;
    if declaring.form {
        return unlocks(home, signing, |at| play::declare::form(at, name, read.slot)).map(told::form);
    }
    #[cfg(feature = "client")]
    if declaring.office {
        let (handed, pushed) = unlocks(home, signing, |at| play::at_office::declare(at, name, &read))?;
        let mailed = told::handed(handed, signing.out.as_deref())?;
        return Ok(match pushed {
            Ok(exchanged) => told::exchanged(exchanged),
            // The letter can still go by mail, so the command succeeds although the office does not answer.
            Err(failure) => {
                let said = told::news(failure.news).into_iter().chain(failure.why);
                said.fold(mailed, Answer::saying).saying("the declaration is signed and kept")
            }
        });
    }
    signs(home, signing, |at| play::declare::declare(at, name, &read))
}

/// The advice after an import.
const DELETE: &str = "delete the file now: if another computer imports it too, both can sign, and the game forks";

fn export(home: &Home, file: &Path, yes: bool) -> Result<Answer, Answer> {
    out_file::check(file)?;
    let person = AtTerminal::who_says(yes);
    let file = play::moving::export(&Session { home, person: &person }, file)?;
    Ok(Answer::done(format!("{}\n", visible(&file.display().to_string()))).saying(
        "take this file to the new computer, type  sealed-dice game import FILE  there, and then delete it everywhere. \
         Import it on one computer only: if two sign, the game forks. This computer no longer signs anything",
    ))
}

fn import(home: &Home, file: &Path, yes: bool) -> Result<Answer, Answer> {
    let person = AtTerminal::who_says(yes);
    let path = visible(&home.path().display().to_string());
    let answer = match play::moving::import(&Session { home, person: &person }, file)? {
        Imported::Arrived(names) => Answer::done(format!("{path}: {}\n", listed(&names))).saying(format!(
            "you can play on here without asking anybody:  {}",
            Typing::of(home, "", true).command("game list")
        )),
        Imported::TakenBack => {
            Answer::done(format!("{path}: back on this computer\n")).saying("you may sign here again")
        }
    };
    Ok(answer.saying(DELETE))
}
