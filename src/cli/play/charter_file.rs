//! The terms as people write them: a commented TOML file becomes a charter (`protocol/charter.md`).

use std::{
    collections::BTreeMap,
    ops::Range,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::json;
use toml::Spanned;

use super::compared;
use crate::cli::answer::Answer;
use crate::cli::answer::Told;
use crate::{
    blob::{
        body::{
            Charter, Continues, Deadline, Decision, FoulUp, Hex32, How, Name, Party, Phase, Remedies, Remedy, Revealer,
            Role, SetsAtStart,
        },
        deposits::{self, Deposits},
        json::{self, Map, Tree, Value},
        office::Office,
    },
    cli::input::read_text,
    game::purpose::ORDERS,
    primitive::{sign::PublicKey, wrap},
    resolve::{
        System,
        coin_envelopes::hexes::{DoubleLetters, Grammar},
        values::is_unseen,
    },
};

/// The templates, by name; and the table files that some of them name.
pub(super) const TEMPLATES: [(&str, &str); 9] = [
    ("cil", include_str!("templates/cil.toml")),
    ("double-impulse", include_str!("templates/double-impulse.toml")),
    ("event-tables", include_str!("templates/event-tables.toml")),
    ("crossing-tables", include_str!("../../../tables/crossing-events.toml")),
    ("gettysburg-events", include_str!("templates/gettysburg-events.toml")),
    ("gettysburg-tables", include_str!("../../../tables/gettysburg-events.toml")),
    ("ndc", include_str!("templates/ndc.toml")),
    ("ndc-test-tables", include_str!("../../../tables/ndc-test.toml")),
    ("ocs-initiative", include_str!("templates/ocs-initiative.toml")),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    title: Spanned<String>,
    you: You,
    opponent: Opponent,
    #[serde(default)]
    referee: Option<Referee>,
    #[serde(default)]
    office: Option<FileOffice>,
    /// The game that this one goes on from.
    #[serde(default)]
    continues: Option<FileContinues>,
    phases: Vec<Spanned<FilePhase>>,
    #[serde(default)]
    sets_at_start: FileSets,
    foul_up: FileFoulUp,
    #[serde(default)]
    hard_core: bool,
    /// A hex as the map writes it.
    #[serde(default)]
    hexes: Option<Spanned<String>>,
    #[serde(default = "doubled")]
    double_letters: DoubleLetters,
    #[serde(default)]
    penalties: Vec<Spanned<String>>,
    #[serde(default)]
    deadlines: Vec<Spanned<Value>>,
    #[serde(default)]
    tables: BTreeMap<String, PathBuf>,
    /// Files that have tables by their names.
    #[serde(default)]
    table_files: Vec<PathBuf>,
    /// The tables of which only the fingerprints are signed.
    #[serde(default)]
    withhold: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct You {
    role: Spanned<String>,
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Opponent {
    role: Spanned<String>,
    name: String,
    key: Spanned<String>,
    #[serde(default)]
    fingerprint: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Referee {
    role: Spanned<String>,
    name: String,
    key: Spanned<String>,
    #[serde(default)]
    fingerprint: Option<Spanned<String>>,
    #[serde(default)]
    deposit: Option<Spanned<String>>,
    #[serde(default)]
    deposit_notes: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileOffice {
    role: Spanned<String>,
    name: String,
    key: Spanned<String>,
    #[serde(default)]
    fingerprint: Option<Spanned<String>>,
    #[serde(default)]
    deposit: Option<Spanned<String>>,
    #[serde(default)]
    deposit_notes: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileContinues {
    game: Spanned<String>,
    /// Ids, or nothing for a role without letters.
    heads: BTreeMap<String, Spanned<String>>,
    /// States as JSON: TOML has no word for nothing.
    #[serde(default)]
    states: BTreeMap<String, Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FilePhase {
    name: Spanned<String>,
    declarer: Option<Spanned<String>>,
    impulses: Vec<u64>,
    system: Spanned<String>,
    #[serde(default)]
    settings: Map<String, Value>,
    #[serde(default)]
    private: bool,
    #[serde(default)]
    revealer: Option<Revealer>,
    #[serde(default)]
    decisions: Vec<FileDecision>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileDecision {
    name: Spanned<String>,
    #[serde(default)]
    by: Option<Spanned<String>>,
    #[serde(default = "open")]
    how: How,
}

const fn doubled() -> DoubleLetters {
    DoubleLetters::Doubled
}

const fn open() -> How {
    How::Open
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct FileSets {
    #[serde(default)]
    sheet: u64,
    #[serde(default)]
    foul_up: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct FileFoulUp {
    envelopes: u64,
    #[serde(default)]
    revealer: Option<Revealer>,
    illegal_move: Remedy,
    illegal_odds: Remedy,
    wrong_list: Remedy,
}

/// A file with its text, so that a mistake can be shown where it stands.
struct Source<'s> {
    path: &'s Path,
    text: &'s str,
}

impl Source<'_> {
    fn mistake(&self, at: Range<usize>, why: impl std::fmt::Display) -> Answer {
        let before = self.text.get(..at.start).unwrap_or_default();
        Answer::refused(format!("{}, line {}: {why}", self.path.display(), before.matches('\n').count() + 1))
    }

    fn word<T>(&self, word: &Spanned<String>, read: impl Fn(&str) -> Option<T>) -> Told<T> {
        read(word.get_ref()).ok_or_else(|| {
            let why = format!(
                "{:?} is no name here: small letters, digits and hyphens, beginning with a letter",
                word.get_ref()
            );
            self.mistake(word.span(), why)
        })
    }

    /// A value that must fit a type of the charter.
    fn typed<T: serde::de::DeserializeOwned>(&self, value: &Spanned<Value>) -> Told<T> {
        let read = Tree::of(value.get_ref()).and_then(|tree| json::read(&tree));
        read.map_err(|error| self.mistake(value.span(), error))
    }
}

/// That the title and the names of people say something.
fn check_names(source: &Source<'_>, file: &File) -> Told<()> {
    let third = [file.referee.as_ref().map(|referee| &referee.name), file.office.as_ref().map(|office| &office.name)];
    let said =
        [file.title.get_ref(), &file.you.name, &file.opponent.name].into_iter().chain(third.into_iter().flatten());
    match said.into_iter().any(|text| text.chars().all(|c| c.is_whitespace() || is_unseen(c))) {
        true => Err(Answer::refused(format!(
            "{}: a title or a name is blank: write one that can be seen",
            source.path.display()
        ))),
        false => Ok(()),
    }
}

/// The tables of a game that is continued.
pub(super) type OldTables<'t> = dyn Fn(&Hex32) -> Told<Map<String, Value>> + 't;

/// Reads a file into a charter by the player with this key; and the keys whose fingerprints he says that he has compared.
pub(super) fn read(path: &Path, key: Hex32, nonce: Hex32, old: &OldTables<'_>) -> Told<(Charter, Vec<Hex32>)> {
    let text = read_text(path).map_err(Answer::unable)?;
    let source = Source { path, text: &text };
    let file: File =
        toml::from_str(&text).map_err(|error| source.mistake(error.span().unwrap_or_default(), error.message()))?;
    check_filled_in(&source)?;
    check_names(&source, &file)?;
    check_fingerprints(&source, &file, key)?;
    let (opponent_key, compared) = keyed(&source, &file.opponent.key, file.opponent.fingerprint.as_ref())?;
    let (referee, referee_compared) = referee(&source, &file)?;
    let (office, office_compared) = office(&source, &file)?;
    let read_aloud = compared.then_some(opponent_key).into_iter().chain(referee_compared).chain(office_compared);
    let read_aloud = read_aloud.collect();
    // Who names an office that can open wants it to open whatever the file leaves out.
    let opens = office.as_ref().is_some_and(|office| office.deposit.is_some());
    let usual = if opens { Revealer::Office } else { Revealer::Sealer };
    let tables = file.tables.iter().map(|(name, file)| Ok((name.clone(), table(path, file)?)));
    let continues = continues(&source, &file)?;
    // A game that goes on has the tables that it had, unless its file names others.
    let mut known = continues.as_ref().map_or_else(|| Ok(Map::new()), |continues| old(&continues.game))?;
    known.extend(tables.collect::<Told<Map<String, Value>>>()?);
    let mut tables = known;
    for file in &file.table_files {
        tables.extend(json::read::<Map<String, Value>>(&Tree::of(&table(path, file)?)?)?);
    }
    for name in &file.withhold {
        let withheld = tables.get_mut(name.get_ref().as_str());
        let withheld = withheld.ok_or_else(|| source.mistake(name.span(), "there is no such table to withhold"))?;
        let fingerprint = match withheld.as_object() {
            Some(table) => super::super::tables::fingerprint(table)?,
            None => return Err(source.mistake(name.span(), "this is no table")),
        };
        *withheld = json!({ "fingerprint": fingerprint });
    }
    let hexes = hexes(&source, &file)?;
    let remedies = Remedies {
        illegal_move: file.foul_up.illegal_move,
        illegal_odds: file.foul_up.illegal_odds,
        wrong_list: file.foul_up.wrong_list,
    };
    let party = |role: &Spanned<String>, name: &str, key| -> Told<Party> {
        Ok(Party { key, name: name.to_owned(), role: source.word(role, Role::parse)? })
    };
    let deadlines: Vec<Deadline> = file.deadlines.iter().map(|value| source.typed(value)).collect::<Told<_>>()?;
    let penalties = file.penalties.iter().map(|text| penalty(&source, text)).collect::<Told<_>>()?;
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
        phases: file
            .phases
            .iter()
            .map(|entry| phase(&source, entry, &file.phases, &tables, usual, hexes))
            .collect::<Told<_>>()?,
        referee,
        sets_at_start: SetsAtStart { foul_up: file.sets_at_start.foul_up, sheet: file.sets_at_start.sheet },
        tables,
        title: file.title.into_inner(),
    };
    Ok((charter, read_aloud))
}

/// How a template asks for what nobody can know beforehand.
const BLANK: &str = "\"PUT IT HERE\"";

/// That nothing is left as the template had it: all that is, each where it stands, with the choices behind it.
fn check_filled_in(source: &Source<'_>) -> Told<()> {
    let lines = (1..).zip(source.text.lines()).filter(|(_, line)| !line.trim_start().starts_with('#'));
    let left = lines.filter_map(|(n, line): (usize, &str)| {
        let (name, behind) = line.split_once(BLANK)?;
        let name = name.trim_end_matches(|c: char| c == '=' || c.is_whitespace());
        let choices = behind.split_once('#').map_or("a value", |(_, choices)| choices.trim());
        Some(format!("{}, line {n}: put {choices} for {name}", source.path.display()))
    });
    let left: Vec<String> = left.collect();
    if left.is_empty() { Ok(()) } else { Err(Answer::refused(left.join("\n"))) }
}

/// That no fingerprint of others is the author's own.
fn check_fingerprints(source: &Source<'_>, file: &File, own: Hex32) -> Told<()> {
    let referee = file.referee.as_ref().and_then(|referee| referee.fingerprint.as_ref());
    let office = file.office.as_ref().and_then(|office| office.fingerprint.as_ref());
    let typed = file.opponent.fingerprint.iter().chain(referee).chain(office);
    typed.into_iter().try_for_each(|typed| {
        compared::check_not_own(own, typed.get_ref())
            .map_err(|answer| source.mistake(typed.span(), answer.talk.join("; ")))
    })
}

/// What a mistake costs: a text that can be signed, and that says something.
fn penalty(source: &Source<'_>, text: &Spanned<String>) -> Told<String> {
    let said = text.get_ref();
    if said.chars().all(|c| c.is_whitespace() || is_unseen(c)) || said.chars().count() > 1_000 {
        return Err(source.mistake(text.span(), "a penalty says in 1 to 1000 characters what a mistake costs"));
    }
    Ok(said.clone())
}

/// Somebody's key, and whether his fingerprint was compared.
fn keyed(source: &Source<'_>, key: &Spanned<String>, fingerprint: Option<&Spanned<String>>) -> Told<(Hex32, bool)> {
    let public = public_key(source, key)?;
    let key = Hex32(*public.as_bytes());
    let Some(fingerprint) = fingerprint.filter(|text| !text.get_ref().trim().is_empty()) else {
        return Ok((key, false));
    };
    if !compared::same_fingerprint(&public, fingerprint.get_ref()) {
        return Err(source.mistake(
            fingerprint.span(),
            "the fingerprint is not that of the key above: read it again; if it stays so, somebody has put in another key",
        ));
    }
    Ok((key, true))
}

/// The referee, if the terms name one; and his key, if his fingerprint was compared.
fn referee(source: &Source<'_>, file: &File) -> Told<(Option<deposits::Referee>, Option<Hex32>)> {
    let party = |referee: &Referee| {
        let (key, compared) = keyed(source, &referee.key, referee.fingerprint.as_ref())?;
        let deposit = referee.deposit.as_ref().map(|key| deposit_key(source, key)).transpose()?;
        let referee = deposits::Referee {
            deposit: deposit.map(|key| Deposits { key, notes: referee.deposit_notes }),
            key,
            name: referee.name.clone(),
            role: source.word(&referee.role, Role::parse)?,
        };
        Ok((Some(referee), compared.then_some(key)))
    };
    file.referee.as_ref().map_or(Ok((None, None)), party)
}

/// The office, if the terms name one, a time witness if they give it no deposit key; and its key, if its fingerprint was compared.
fn office(source: &Source<'_>, file: &File) -> Told<(Option<Office>, Option<Hex32>)> {
    let Some(office) = &file.office else { return Ok((None, None)) };
    let (key, compared) = keyed(source, &office.key, office.fingerprint.as_ref())?;
    let deposit = office.deposit.as_ref().map(|key| deposit_key(source, key)).transpose()?;
    let deposit = deposit.map(|key| Deposits { key, notes: office.deposit_notes });
    let role = source.word(&office.role, Role::parse)?;
    Ok((Some(Office { deposit, key, name: office.name.clone(), role }), compared.then_some(key)))
}

/// The game that the terms continue, with its letters and states.
fn continues(source: &Source<'_>, file: &File) -> Told<Option<Continues>> {
    let Some(continues) = &file.continues else { return Ok(None) };
    let id = |text: &Spanned<String>| {
        let id = Hex32::parse(text.get_ref());
        id.ok_or_else(|| {
            source.mistake(text.span(), "this is no id of 64 digits; `sealed-dice game continue` writes them")
        })
    };
    let heads = continues.heads.iter().map(|(role, head)| {
        let role = Role::parse(role).ok_or_else(|| source.mistake(head.span(), format!("{role:?} is no role")))?;
        Ok((role, if head.get_ref().is_empty() { None } else { Some(id(head)?) }))
    });
    let states = continues.states.iter().map(|(system, state)| {
        let read = json::parse(state.get_ref().as_bytes()).and_then(|tree| json::read(&tree));
        Ok((system.clone(), read.map_err(|error| source.mistake(state.span(), error))?))
    });
    Ok(Some(Continues {
        game: id(&continues.game)?,
        heads: heads.collect::<Told<_>>()?,
        states: states.collect::<Told<_>>()?,
    }))
}

/// The key that deposits are wrapped to: one that can be.
fn deposit_key(source: &Source<'_>, written: &Spanned<String>) -> Told<Hex32> {
    let key = Hex32::parse(written.get_ref().trim());
    key.filter(|key| wrap::is_usable(&key.0)).ok_or_else(|| {
        source.mistake(
            written.span(),
            "this is no deposit key: 64 digits from 0 to f, as `sealed-dice key show --deposit` prints them on its owner's machine",
        )
    })
}

fn public_key(source: &Source<'_>, written: &Spanned<String>) -> Told<PublicKey> {
    let key = Hex32::parse(written.get_ref().trim()).ok_or_else(|| {
        source.mistake(
            written.span(),
            "this is no public key: 64 digits from 0 to f, as `sealed-dice key show` prints them on its owner's machine",
        )
    })?;
    PublicKey::parse(&key.0).map_err(|_| {
        source.mistake(
            written.span(),
            "nobody's public key has these digits: some were mistyped or left out; copy it again, whole",
        )
    })
}

/// How the map of a game writes its hexes.
type Hexes = (Grammar, DoubleLetters);

/// The settings that say it in a phase.
pub(super) const GRAMMAR: &str = "grammar";
pub(super) const LETTERS: &str = "double_letters";

/// How the map writes its hexes, read off the one that the file gives.
fn hexes(source: &Source<'_>, file: &File) -> Told<Option<Hexes>> {
    let Some(example) = &file.hexes else { return Ok(None) };
    let grammar = Grammar::of(example.get_ref(), file.double_letters).ok_or_else(|| {
        let forms = Grammar::ALL.map(Grammar::example).join(", ");
        let why = format!("{:?} is not written like any of {forms}: put in a hex of your map", example.get_ref());
        source.mistake(example.span(), why)
    })?;
    Ok(Some((grammar, file.double_letters)))
}

fn phase(
    source: &Source<'_>,
    entry: &Spanned<FilePhase>,
    all: &[Spanned<FilePhase>],
    tables: &Map<String, Value>,
    usual: Revealer,
    hexes: Option<Hexes>,
) -> Told<Phase> {
    let phase = entry.get_ref();
    let system = phase.system.get_ref();
    let mut settings = System::prefill(system, tables).map_err(|error| source.mistake(phase.system.span(), error))?;
    let stated = System::stated(system, tables);
    // What must be stated is stated once for all phases of a course, which have the same settings.
    let mut others = all.iter().map(Spanned::get_ref).filter(|other| other.system.get_ref() == system);
    let written = match others.find(|other| !other.settings.is_empty()) {
        Some(other) if phase.settings.is_empty() && !stated.is_empty() => &other.settings,
        _ => &phase.settings,
    };
    if let Some(unknown) = written.keys().find(|key| !settings.contains_key(*key)) {
        let known: Vec<&str> = settings.keys().map(String::as_str).collect();
        let why =
            format!("phase {}: {system} has no setting {unknown:?}; it has {}", phase.name.get_ref(), known.join(", "));
        return Err(source.mistake(entry.span(), why));
    }
    if let Some(unsaid) = stated.iter().find(|name| !written.contains_key(*name)) {
        let why = format!("phase {}: say {unsaid}; nobody can know it beforehand", phase.name.get_ref());
        return Err(source.mistake(entry.span(), why));
    }
    let said = written.iter().map(|(name, value)| {
        // TOML has no word for nobody.
        let nobody = *value == "" && settings.get(name).is_some_and(Value::is_null);
        (name.clone(), if nobody { Value::Null } else { value.clone() })
    });
    let said: Vec<_> = said.collect();
    settings.extend(said);
    if settings.contains_key(GRAMMAR) {
        let (grammar, letters) = hexes.filter(|_| !written.contains_key(GRAMMAR) && !written.contains_key(LETTERS)).ok_or_else(|| {
            let why = format!(
                "phase {}: say once for all phases how your map writes its hexes, at the top of the file, with one of its hexes: \
                 hexes = \"F12\", or \"0824\", or \"A43.01\"",
                phase.name.get_ref()
            );
            source.mistake(entry.span(), why)
        })?;
        settings.insert(GRAMMAR.into(), json!(grammar));
        settings.insert(LETTERS.into(), json!(letters));
    }
    let settled = System::settle(system, &settings, tables);
    let settled =
        settled.map_err(|error| source.mistake(entry.span(), format!("phase {}: {error}", phase.name.get_ref())))?;
    let decisions = phase.decisions.iter().map(|decision| {
        let by = decision.by.as_ref().map(|by| source.word(by, Role::parse)).transpose()?;
        Ok(Decision { by, how: decision.how, name: source.word(&decision.name, Name::parse)? })
    });
    let mut decisions: Vec<Decision> = decisions.collect::<Told<_>>()?;
    // What a system asks for by itself nobody has to write (courses 17).
    let orders = settled.resolver().course().is_some_and(|course| course.takes_orders());
    if let Some(name) = Name::parse(ORDERS).filter(|_| orders && decisions.is_empty()) {
        decisions.push(Decision { by: None, how: How::Simultaneous, name });
    }
    Ok(Phase {
        decisions,
        declarer: phase.declarer.as_ref().map(|role| source.word(role, Role::parse)).transpose()?,
        impulses: phase.impulses.clone(),
        name: source.word(&phase.name, Name::parse)?,
        // Nor that a hidden course is private (hidden 1).
        private: phase.private || settled.resolver().course().is_some_and(|course| course.hidden().is_some()),
        revealer: phase.revealer.unwrap_or(usual),
        settings,
        source: settled.resolver().source(),
        system: system.clone(),
    })
}

/// A table that stands in a file of its own, beside the terms.
fn table(charter: &Path, file: &Path) -> Told<Value> {
    let path = charter.parent().unwrap_or_else(|| Path::new("")).join(file);
    let text = read_text(&path).map_err(Answer::unable)?;
    let source = Source { path: &path, text: &text };
    toml::from_str(&text).map_err(|error| source.mistake(error.span().unwrap_or_default(), error.message()))
}
