//! Runs the verb of an action with the fields of its form.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use super::{fields::Fields, terms, texts, toml_form, verb::Verb};
use crate::{
    blob::body::{FileHash, Forfeit, FoulUpClass},
    keep::texts::TextFile,
    play::{
        self, at_office,
        continuing::{Changed, NextTerms},
        correct::{Mending, Scoping},
        decide::Chosen,
        declaring::{Declaring, Lists, Moved},
        dispute::Disputing,
        exchanged::Came,
        failure::{Failure, PlayResult},
        handed::Handed,
        joining::Joining,
        reply::Again,
        rule::Ruling,
        session::Session,
    },
    resolve::{Names, coin_envelopes::Attack},
};

/// Rows of attacks or rolls in the form of a declaration, at most.
pub(super) const MOST_ROWS: usize = 400;

/// Texts in a line of a choice, at most (`write` in `protocol/event-tables.md`).
const MOST_PARTS: usize = 4;

/// The field for a declaration's table as a file, or for its form.
const SHEET: &str = "sheet";
/// The field for the files with the moves of a declaration.
pub(super) const MOVES: &str = "moves";
/// The field with the hashes of files that are left out again.
pub(super) const LEAVE_OUT_MOVES: &str = "leave-out";
/// The field with a choice: a word, a text, or a name for each box that is ticked.
pub(super) const CHOICE: &str = "choice";

/// The field with the number of texts in a line of a choice.
pub(super) const PARTS: &str = "parts";

/// Returns the name of the field for a text in a line of a choice.
pub(super) fn part_name(row: usize, column: usize) -> String {
    format!("part.{row}.{column}")
}

/// The result of an action.
pub(super) enum Done {
    /// Letters to hand over.
    Handed(Box<Handed>),
    /// An exchange with offices.
    Exchanged(Vec<Came>),
    /// The terms of a new game, to look at and propose.
    Terms(Box<NextTerms>),
    /// A sentence about the result.
    Said(String),
}

/// Runs an action. `game` is the name of its game, if it is about one.
pub(super) fn run(session: &Session<'_>, game: Option<&str>, verb: Verb, f: &Fields) -> PlayResult<Done> {
    let id = || f.get("id").trim().to_owned();
    let text = || f.get("text").trim().to_owned();
    let handed = match verb {
        Verb::Accept => play::accept::accept(session, game, &[]),
        Verb::Agree => play::correct::correct(session, game, &Mending::Accept(id())),
        Verb::Refuse => play::correct::correct(session, game, &Mending::Refuse(id())),
        Verb::Propose => play::correct::correct(session, game, &proposal(f)?),
        Verb::Void => {
            let mending = Mending::Void { scoping: scoping(f)?, reason: text() };
            play::correct::correct(session, game, &mending)
        }
        Verb::Choose | Verb::Raise => {
            let letters = f.get("id").split_whitespace().map(str::to_owned).collect();
            play::dispute::dispute(session, game, &Disputing::Raise { letters, text: text() })
        }
        Verb::Stall => play::dispute::dispute(session, game, &stall(f)),
        Verb::Unclaim => play::dispute::dispute(session, game, &Disputing::Withdraw(id())),
        Verb::Yield => {
            play::dispute::dispute(session, game, &Disputing::Yield { slot: f.get("slot").into(), text: text() })
        }
        Verb::Resign => play::dispute::dispute(session, game, &Disputing::Resign(text())),
        Verb::NameDice => {
            let disputing = Disputing::Name { slot: f.get("slot").into(), dice: numbers(f.get("dice"))? };
            play::dispute::dispute(session, game, &disputing)
        }
        Verb::Close => play::close::close(session, game, f.said("result").map(str::to_owned)),
        Verb::Decide => decide(session, game, f),
        Verb::Note => {
            let file = typed("note", f, TextFile::of)?.ok_or_else(|| texts::failure(texts::NO_NOTE))?;
            play::note::note(session, game, (f.get("slot"), f.get("name")), &file)
        }
        Verb::Declare if f.has("office") => return declare_at_office(session, game, f),
        Verb::Declare => play::declare::declare(session, game, &declaring(f)?),
        Verb::New => propose(session, f),
        Verb::Reply => play::reply::reply(session, game),
        Verb::Resend if f.has("numbers") => {
            play::reply::resend(session, game, &Again::Numbers(numbers(f.get("numbers"))?))
        }
        Verb::Resend => play::reply::resend(session, game, &Again::Unknown),
        Verb::ResendAll => play::reply::resend(session, game, &Again::Everything),
        Verb::Resync => {
            let without: Vec<String> = f.get("without").split_whitespace().map(str::to_owned).collect();
            play::resync::resync(session, game, &without)
        }
        Verb::Reveal => play::reveal::reveal(session, game, f.get("slot")),
        Verb::RevealMoves => play::reveal::reveal_moves(session, game, f.get("slot")),
        Verb::Rule => play::rule::rule(session, game, &ruling(f)?, f.get("text").trim()),
        Verb::Seal => play::seal::seal(session, game, f.get("what").trim()),
        Verb::Withdraw => play::withdraw::withdraw(session, game),
        Verb::Continue => return continued(session, game, f),
        Verb::Forget => return forget(session, game),
        Verb::Join => return join(session, game, f),
        Verb::Pull | Verb::Push => return exchange(session, game, verb),
    };
    handed.map(|handed| Done::Handed(Box::new(handed)))
}

/// Proposes the terms that answers give, or those that were typed.
fn propose(session: &Session<'_>, f: &Fields) -> PlayResult<Handed> {
    let file = match terms::game(f) {
        Some(game) => terms::of_answers(session.home, game, f)?,
        None => {
            let mut file = typed("terms", f, TextFile::of)?.ok_or_else(|| texts::failure(texts::NO_TERMS))?;
            if toml_form::is_filled_in("terms", f) {
                // Nobody has seen the lines of this text, so messages name none.
                file.path = PathBuf::new();
            }
            file
        }
    };
    play::game::propose(session, &file, &terms::table_files(f)?, f.said("as"))
}

/// Returns the slot and the rolls of a declaration.
pub(super) fn declaring(f: &Fields) -> PlayResult<Declaring> {
    let slot = f.said("slot").map(play::declaring::slot).transpose()?;
    let again = f.has("again");
    let lists = match lists(f)? {
        _ if again => Lists::Unsaid,
        Some(file) => Lists::File(file),
        None if f.has("no-rolls") => Lists::Nothing,
        None => Lists::Unsaid,
    };
    Ok(Declaring { slot, lists, moved: if again { Moved::Unsaid } else { moved(f) }, again, skip: f.has("skip") })
}

/// Returns the list of a declaration: an uploaded file, a typed one, or the rows of the form as CSV.
pub(super) fn lists(f: &Fields) -> PlayResult<Option<TextFile>> {
    if let Some(file) = typed(SHEET, f, play::rows::table_text)? {
        return Ok(Some(file));
    }
    match f.get("takes") {
        "attacks" => rows(f, ["hexes", "odds", "order"]),
        "rolls" => rows(f, ["why"]),
        _ => Ok(None),
    }
}

/// Returns the fields of a declaration with the rows of an uploaded table in place of its file, if they can be read. So
/// a form shows what was chosen, and keeps it.
pub(super) fn with_rows(f: &Fields) -> Fields {
    let Some(file) = f.files(SHEET).into_iter().next() else { return f.clone() };
    let Ok(file) = play::rows::table_text(Path::new(&file.name), file.bytes) else { return f.clone() };
    let rows: Option<Vec<Vec<(&str, String)>>> = match f.get("takes") {
        "attacks" => play::rows::attacks(file.text.as_bytes()).ok().map(|attacks| {
            let row = |attack: Attack| {
                let order = attack.order.map(|order| order.to_string()).unwrap_or_default();
                vec![("hexes", attack.hexes.join("+")), ("odds", attack.odds), ("order", order)]
            };
            attacks.into_iter().map(row).collect()
        }),
        "rolls" => {
            play::declaring::reasons(&file).map(|reasons| reasons.into_iter().map(|why| vec![("why", why)]).collect())
        }
        _ => None,
    };
    let Some(rows) = rows.filter(|rows| rows.len() <= MOST_ROWS) else { return f.clone() };
    let is_replaced = |name: &str| {
        let cell = name.split_once('.').is_some_and(|(column, _)| ["hexes", "odds", "order", "why"].contains(&column));
        cell || name.split_once('.').is_some_and(|(field, _)| field == SHEET)
    };
    let kept = f.without(&[]).filter(|(name, _)| !is_replaced(name)).map(|(name, value)| (name, value.to_owned()));
    let mut fields = Fields::of(kept);
    for (number, row) in rows.into_iter().enumerate() {
        row.into_iter().for_each(|(column, cell)| fields.push(&format!("{column}.{number}"), cell));
    }
    fields
}

/// Returns the filled rows of the form as CSV; none if every row is empty.
fn rows<const N: usize>(f: &Fields, columns: [&str; N]) -> PlayResult<Option<TextFile>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    let unable = |_| texts::failure(texts::NO_TABLE);
    table.write_record(columns).map_err(unable)?;
    let mut filled = 0;
    for row in 0..MOST_ROWS {
        let cells = columns.map(|column| f.get(&format!("{column}.{row}")).trim().to_owned());
        if cells.iter().any(|cell| !cell.is_empty()) {
            table.write_record(&cells).map_err(unable)?;
            filled += 1;
        }
    }
    let bytes = table.into_inner().map_err(|_| texts::failure(texts::NO_TABLE))?;
    let text = String::from_utf8(bytes).map_err(|_| texts::failure(texts::NO_TABLE))?;
    Ok((filled > 0).then(|| TextFile { path: PathBuf::from(texts::THE_TABLE), text }))
}

/// Returns the moves of a declaration.
fn moved(f: &Fields) -> Moved {
    match f.get("moved") {
        "words" => f.said("words").map_or(Moved::Unsaid, |words| Moved::Words(words.to_owned())),
        "nothing" => Moved::Nothing,
        "note" => Moved::Note(f.get("moves-note").trim().to_owned()),
        "files" => Moved::Files(moved_files(f)),
        _ => Moved::Unsaid,
    }
}

/// Returns the files with the moves of a declaration: those that were chosen now or before, without those that are left
/// out.
pub(super) fn moved_files(f: &Fields) -> Vec<FileHash> {
    let is_left_out = |file: &FileHash| f.all(LEAVE_OUT_MOVES).any(|hash| hash == file.sha3_256.to_string());
    let mut files: Vec<FileHash> = f.hashes(MOVES).into_iter().filter(|file| !is_left_out(file)).collect();
    let mut known = HashSet::new();
    files.retain(|file| known.insert((file.name.clone(), file.sha3_256)));
    files
}

/// Returns a text that was uploaded as a file, which `read` decodes, or typed into an area.
fn typed(
    name: &str,
    f: &Fields,
    read: impl Fn(&Path, Vec<u8>) -> Result<TextFile, String>,
) -> PlayResult<Option<TextFile>> {
    if let Some(file) = f.files(name).into_iter().next() {
        return read(Path::new(&file.name), file.bytes).map(Some).map_err(|why| texts::failure(&why));
    }
    Ok(toml_form::text(name, f).map(|text| TextFile { path: PathBuf::from(texts::THE_FORM), text: text + "\n" }))
}

fn decide(session: &Session<'_>, game: Option<&str>, f: &Fields) -> PlayResult<Handed> {
    let file = typed("form", f, TextFile::of)?.ok_or_else(|| texts::NO_CHOICE.to_owned());
    // Each name on a line of its own: a name may have commas.
    let words = written(f).unwrap_or_else(|| f.all(CHOICE).collect::<Vec<_>>().join("\n").trim().to_owned());
    if words.is_empty() && f.get("gives") != "form" {
        return Err(texts::failure(texts::NO_ANSWER));
    }
    play::decide::decide(session, game, (f.get("slot"), f.get("name")), &Chosen { words, file })
}

/// Returns the filled rows of a choice as lines, or `none` if all rows are empty; nothing if the choice has no rows.
pub(super) fn written(f: &Fields) -> Option<String> {
    let parts: usize = f.get(PARTS).parse().ok()?;
    let line = |row: usize| (0..parts.min(MOST_PARTS)).map(move |column| f.get(&part_name(row, column)).trim());
    let filled = (0..MOST_ROWS).filter(|row| line(*row).any(|text| !text.is_empty()));
    let lines: Vec<String> = filled.map(|row| line(row).collect::<Vec<_>>().join(" > ")).collect();
    Some(if lines.is_empty() { Names::NONE.to_owned() } else { lines.join("\n") })
}

fn proposal(f: &Fields) -> PlayResult<Mending> {
    let classes = [FoulUpClass::IllegalMove, FoulUpClass::IllegalOdds, FoulUpClass::WrongList];
    let class = classes.into_iter().find(|class| class.as_str() == f.get("class"));
    // Browsers send the line ends of mail.
    let was = f.get("was").replace("\r\n", "\n");
    Ok(Mending::Propose {
        slot: f.get("slot").trim().to_owned(),
        class: class.ok_or_else(|| texts::failure(texts::NO_CLASS))?,
        at_fault: f.get("at-fault").trim().to_owned(),
        reason: f.get("text").trim().to_owned(),
        // A list that was not changed, or that the player does not want rolled again, is no correction.
        sheet: lists(f)?.filter(|file| file.text.trim_end() != was.trim_end() && !f.has("keep-dice")),
        keep_dice: f.has("keep-dice"),
    })
}

fn scoping(f: &Fields) -> PlayResult<Scoping> {
    Ok(Scoping { slot: f.get("slot").trim().to_owned(), lines: numbers(f.get("lines"))?, impulse: f.has("impulse") })
}

fn stall(f: &Fields) -> Disputing {
    Disputing::Stall {
        what: f.said("slot").map(str::to_owned),
        declaration: f.has("declaration"),
        text: f.get("text").trim().to_owned(),
    }
}

fn ruling(f: &Fields) -> PlayResult<Ruling> {
    let id = f.get("id").trim().to_owned();
    Ok(match f.get("ruling") {
        "request" => Ruling::Request(id),
        "open" => Ruling::Open(id),
        "forfeit-dice" => Ruling::Forfeit(id, Forfeit::DeclarerNames),
        "forfeit-game" => Ruling::Forfeit(id, Forfeit::Game),
        "void" => Ruling::Void(scoping(f)?),
        "kill" => Ruling::Kill(id),
        "settle" => Ruling::Settle(id),
        "dismiss" => Ruling::Dismiss(id),
        "agree" => Ruling::Agree(id),
        _ => return Err(texts::failure(texts::NO_RULING)),
    })
}

/// Reads numbers that are separated by blanks or commas.
fn numbers(text: &str) -> PlayResult<Vec<u64>> {
    let parts = text.split(|c: char| c.is_whitespace() || c == ',').filter(|part| !part.is_empty());
    parts.map(|part| part.parse().map_err(|_| texts::failure(texts::NO_NUMBERS))).collect()
}

fn declare_at_office(session: &Session<'_>, game: Option<&str>, f: &Fields) -> PlayResult<Done> {
    let (handed, pushed) = at_office::declare(session, game, &declaring(f)?)?;
    Ok(match pushed {
        Ok(exchanged) => Done::Exchanged(vec![Came { game: None, came: Ok(exchanged) }]),
        // The mail does the same where the office does not answer.
        Err(Failure { why, .. }) => {
            Done::Handed(Box::new(why.into_iter().fold(handed, Handed::saying).saying(texts::SIGNED_AND_KEPT)))
        }
    })
}

fn continued(session: &Session<'_>, game: Option<&str>, f: &Fields) -> PlayResult<Done> {
    let said = |name| f.said(name).map(str::to_owned);
    let changed = Changed { before: said("before"), role: said("role"), their_key: said("key") };
    play::continuing::continue_game(session, game, &changed).map(|terms| Done::Terms(Box::new(terms)))
}

fn forget(session: &Session<'_>, game: Option<&str>) -> PlayResult<Done> {
    let name = game.unwrap_or_default();
    let (_, to) = play::forget::forget(session, name)?;
    Ok(Done::Said(texts::forgotten(name, &to)))
}

fn join(session: &Session<'_>, game: Option<&str>, f: &Fields) -> PlayResult<Done> {
    let said = |name| f.said(name).map(str::to_owned);
    let joining = Joining { url: f.get("url").trim().to_owned(), invitation: said("invitation"), keep: said("keep") };
    let exchanged = play::joining::join(session, game, &joining)?;
    Ok(Done::Exchanged(vec![Came { game: None, came: Ok(exchanged) }]))
}

fn exchange(session: &Session<'_>, game: Option<&str>, verb: Verb) -> PlayResult<Done> {
    let mut came: Vec<Came> = Vec::new();
    let mut tell = |one: Came| came.push(one);
    match verb {
        Verb::Push => at_office::push(session, game, &mut tell)?,
        _ => at_office::pull(session, game, &mut tell)?,
    }
    Ok(Done::Exchanged(came))
}
