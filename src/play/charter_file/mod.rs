//! Terms as people write them: turns a commented TOML file into a charter (`protocol/charter.md`).

use form::File;
use parties::{check_fingerprints, keyed, third};
use phases::{Common, hexes, phase};
use serde_json::json;
use source::Source;
use table_files::TableFiles;
use toml::Spanned;

use crate::{
    blob::{
        body::{Charter, Continues, Deadline, FoulUp, Hex32, Party, Remedies, Revealer, Role, SetsAtStart},
        json::{self, Map, Value},
    },
    keep::texts::TextFile,
    play::failure::{Failure, PlayResult},
    resolve::values::is_unseen,
};

mod form;
pub(super) mod parties;
pub(super) mod phases;
mod source;
pub mod table_files;
pub mod templates;

/// Whether a text has no visible characters.
pub(super) fn says_nothing(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_unseen(c))
}

/// Checks that the title and the names of people are not empty.
fn check_names(source: &Source<'_>, file: &File) -> PlayResult<()> {
    let third = [file.referee.as_ref().map(|referee| &referee.name), file.office.as_ref().map(|office| &office.name)];
    let said =
        [file.title.get_ref(), &file.you.name, &file.opponent.name].into_iter().chain(third.into_iter().flatten());
    match said.into_iter().any(|text| says_nothing(text)) {
        true => Err(Failure::refused(format!(
            "{}a title or a name is blank: give it visible characters",
            source.place(None)
        ))),
        false => Ok(()),
    }
}

/// Looks up the tables of a game that is continued.
pub(super) type OldTables<'t> = dyn Fn(&Hex32) -> PlayResult<Map<String, Value>> + 't;

/// Reads a file into a charter by the player with this key, and lists the keys whose fingerprints were compared
/// according to the file. `table_files` has the tables that the file names.
pub(super) fn read(
    file: &TextFile,
    table_files: &TableFiles,
    key: Hex32,
    nonce: Hex32,
    old: &OldTables<'_>,
) -> PlayResult<(Charter, Vec<Hex32>)> {
    let source = Source { path: &file.path, text: &file.text };
    let file: File = toml::from_str(source.text)
        .map_err(|error| source.mistake(error.span().unwrap_or_default(), error.message()))?;
    check_filled_in(&source)?;
    check_names(&source, &file)?;
    check_fingerprints(&source, &file, key)?;
    let (opponent_key, compared) = keyed(&source, &file.opponent.key, file.opponent.fingerprint.as_ref())?;
    let (referee, referee_compared) = third(&source, file.referee.as_ref())?;
    let (office, office_compared) = third(&source, file.office.as_ref())?;
    let read_aloud = compared.then_some(opponent_key).into_iter().chain(referee_compared).chain(office_compared);
    // An office that holds deposits opens everything for which the file names no revealer.
    let opens = office.as_ref().is_some_and(|office| office.deposit.is_some());
    let usual = if opens { Revealer::Office } else { Revealer::Sealer };
    let continues = continues(&source, &file)?;
    let tables = tables(&source, &file, table_files, continues.as_ref(), old)?;
    let hexes = hexes(&source, &file)?;
    let remedies = Remedies {
        illegal_move: file.foul_up.illegal_move,
        illegal_odds: file.foul_up.illegal_odds,
        wrong_list: file.foul_up.wrong_list,
    };
    let party = |role: &Spanned<String>, name: &str, key| -> PlayResult<Party> {
        Ok(Party { key, name: name.to_owned(), role: source.word(role, Role::parse)? })
    };
    let deadlines: Vec<Deadline> = file.deadlines.iter().map(|value| source.typed(value)).collect::<PlayResult<_>>()?;
    let penalties = file.penalties.iter().map(|text| penalty(&source, text)).collect::<PlayResult<_>>()?;
    let common = Common { all: &file.phases, tables: &tables, usual, hexes };
    let phases = file.phases.iter().map(|entry| phase(&source, entry, &common)).collect::<PlayResult<_>>()?;
    let charter = Charter {
        compared,
        continues,
        deadlines,
        foul_up: FoulUp {
            envelopes: file.foul_up.envelopes,
            remedies,
            revealer: file.foul_up.revealer.unwrap_or(usual),
        },
        hard_core: file.hard_core,
        nonce,
        office,
        parties: [
            party(&file.you.role, &file.you.name, key)?,
            party(&file.opponent.role, &file.opponent.name, opponent_key)?,
        ],
        penalties,
        phases,
        referee,
        sets_at_start: SetsAtStart { foul_up: file.sets_at_start.foul_up, sheet: file.sets_at_start.sheet },
        tables,
        title: file.title.into_inner(),
    };
    Ok((charter, read_aloud.collect()))
}

/// Returns the tables of the game: those of the game that it continues, unless the file names others. Withheld tables
/// are given as their fingerprints.
fn tables(
    source: &Source<'_>,
    file: &File,
    table_files: &TableFiles,
    continues: Option<&Continues>,
    old: &OldTables<'_>,
) -> PlayResult<Map<String, Value>> {
    let mut tables = continues.map_or_else(|| Ok(Map::new()), |continues| old(&continues.game))?;
    for (name, file) in &file.tables {
        tables.insert(name.clone(), table_files.table(source.path, file)?);
    }
    for file in &file.table_files {
        tables.extend(json::read_value::<Map<String, Value>>(&table_files.table(source.path, file)?)?);
    }
    for name in &file.withhold {
        let withheld = tables.get_mut(name.get_ref().as_str());
        let withheld = withheld.ok_or_else(|| {
            source.mistake(name.span(), "this table does not exist, so it cannot be withheld: check its name")
        })?;
        let fingerprint = match withheld.as_object() {
            Some(table) => crate::play::tables::fingerprint(table)?,
            None => {
                return Err(
                    source.mistake(name.span(), "this is not a table, so it cannot be withheld: check its name")
                );
            }
        };
        *withheld = json!({ "fingerprint": fingerprint });
    }
    Ok(tables)
}

/// The placeholder in a template for a value without a default.
const BLANK: &str = "\"PUT IT HERE\"";

/// Checks that no placeholder of the template is left, and lists those that are, each with its place and the choices
/// for it.
fn check_filled_in(source: &Source<'_>) -> PlayResult<()> {
    let lines = (1..).zip(source.text.lines()).filter(|(_, line)| !line.trim_start().starts_with('#'));
    let left = lines.filter_map(|(n, line): (usize, &str)| {
        let (name, behind) = line.split_once(BLANK)?;
        let name = name.trim_end_matches(|c: char| c == '=' || c.is_whitespace());
        let choices = behind.split_once('#').map_or("a value", |(_, choices)| choices.trim());
        Some(format!("{}put {choices} for {name}", source.place(Some(n))))
    });
    let left: Vec<String> = left.collect();
    if left.is_empty() { Ok(()) } else { Err(Failure::refused(left.join("\n"))) }
}

/// Returns the penalty for a mistake: a non-empty text that can be signed.
fn penalty(source: &Source<'_>, text: &Spanned<String>) -> PlayResult<String> {
    let said = text.get_ref();
    if says_nothing(said) || said.chars().count() > 1_000 {
        return Err(source.mistake(text.span(), "a penalty must say what a mistake costs, in 1 to 1000 characters"));
    }
    Ok(said.clone())
}

/// Reads the game that the terms continue, with its letters and states.
fn continues(source: &Source<'_>, file: &File) -> PlayResult<Option<Continues>> {
    let Some(continues) = &file.continues else { return Ok(None) };
    let id = |text: &Spanned<String>| {
        let id = Hex32::parse(text.get_ref());
        id.ok_or_else(|| {
            source.mistake(
                text.span(),
                "this must be an id of 64 digits: copy it from the file that `sealed-dice game continue` writes",
            )
        })
    };
    let heads = continues.heads.iter().map(|(role, head)| {
        let role = Role::parse(role).ok_or_else(|| {
            source.mistake(
                head.span(),
                format!("{role:?} is not a role: use small letters, digits and hyphens, beginning with a letter"),
            )
        })?;
        Ok((role, if head.get_ref().is_empty() { None } else { Some(id(head)?) }))
    });
    let states = continues.states.iter().map(|(system, state)| {
        let read = json::parse(state.get_ref().as_bytes()).and_then(|tree| json::read(&tree));
        Ok((system.clone(), read.map_err(|error| source.mistake(state.span(), error))?))
    });
    Ok(Some(Continues {
        game: id(&continues.game)?,
        heads: heads.collect::<PlayResult<_>>()?,
        states: states.collect::<PlayResult<_>>()?,
    }))
}
