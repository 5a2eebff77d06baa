//! The phases in a file of terms: the presets of each system, the settings in the file, and the values derived from
//! both.

use serde_json::json;
use toml::Spanned;

use super::{
    form::{File, FilePhase},
    source::Source,
};
use crate::{
    blob::{
        body::{Decision, How, Name, Phase, Revealer, Role},
        json::{Map, Value},
    },
    game::purpose::ORDERS,
    play::failure::PlayResult,
    resolve::{
        System,
        coin_envelopes::hexes::{DoubleLetters, Grammar},
    },
};

/// The notation for hexes on the map of a game.
pub(super) type Hexes = (Grammar, DoubleLetters);

/// The setting for the notation in a phase.
pub(in crate::play) const GRAMMAR: &str = "grammar";
pub(in crate::play) const LETTERS: &str = "double_letters";

/// Derives the map's notation for hexes from the example in the file.
pub(super) fn hexes(source: &Source<'_>, file: &File) -> PlayResult<Option<Hexes>> {
    let Some(example) = &file.hexes else { return Ok(None) };
    let grammar = Grammar::of(example.get_ref(), file.double_letters).ok_or_else(|| {
        let forms = Grammar::ALL.map(Grammar::example).join(", ");
        let why = format!("{:?} is not written like any of {forms}: give a hex from your map", example.get_ref());
        source.mistake(example.span(), why)
    })?;
    Ok(Some((grammar, file.double_letters)))
}

/// The values that the phases of a file share.
pub(super) struct Common<'f> {
    pub(super) all: &'f [Spanned<FilePhase>],
    pub(super) tables: &'f Map<String, Value>,
    /// The revealer of phases that name none.
    pub(super) usual: Revealer,
    pub(super) hexes: Option<Hexes>,
}

/// Returns the settings of a phase: the presets of its system, overridden by the file's settings.
fn settings(source: &Source<'_>, entry: &Spanned<FilePhase>, common: &Common<'_>) -> PlayResult<Map<String, Value>> {
    let &Common { all, tables, hexes, .. } = common;
    let phase = entry.get_ref();
    let system = phase.system.get_ref();
    let mut settings = System::prefill(system, tables).map_err(|error| source.mistake(phase.system.span(), error))?;
    let stated = System::stated(system, tables);
    // Required settings are stated once for all phases of a course, which share them.
    let mut others = all.iter().map(Spanned::get_ref).filter(|other| other.system.get_ref() == system);
    let written = match others.find(|other| !other.settings.is_empty()) {
        Some(other) if phase.settings.is_empty() && !stated.is_empty() => &other.settings,
        _ => &phase.settings,
    };
    if let Some(unknown) = written.keys().find(|key| !settings.contains_key(*key)) {
        let known: Vec<&str> = settings.keys().map(String::as_str).collect();
        let why = format!(
            "phase {}: {system} does not have a setting {unknown:?}: its settings are {}",
            phase.name.get_ref(),
            known.join(", ")
        );
        return Err(source.mistake(entry.span(), why));
    }
    if let Some(unsaid) = stated.iter().find(|name| !written.contains_key(*name)) {
        let why = format!("phase {}: set {unsaid}: it has no default", phase.name.get_ref());
        return Err(source.mistake(entry.span(), why));
    }
    let said = written.iter().map(|(name, value)| {
        // TOML cannot express null, so an empty text means nobody.
        let nobody = *value == "" && settings.get(name).is_some_and(Value::is_null);
        (name.clone(), if nobody { Value::Null } else { value.clone() })
    });
    let said: Vec<_> = said.collect();
    settings.extend(said);
    if settings.contains_key(GRAMMAR) {
        let (grammar, letters) =
            hexes.filter(|_| !written.contains_key(GRAMMAR) && !written.contains_key(LETTERS)).ok_or_else(|| {
                let why = format!(
                    "phase {}: at the top of the file, for all phases, give one hex as your map writes it: hexes = \
                     \"F12\", or \"0824\", or \"A43.01\"",
                    phase.name.get_ref()
                );
                source.mistake(entry.span(), why)
            })?;
        settings.insert(GRAMMAR.into(), json!(grammar));
        settings.insert(LETTERS.into(), json!(letters));
    }
    Ok(settings)
}

/// Converts a phase to its form in the charter.
pub(super) fn phase(source: &Source<'_>, entry: &Spanned<FilePhase>, common: &Common<'_>) -> PlayResult<Phase> {
    let phase = entry.get_ref();
    let system = phase.system.get_ref();
    let settings = settings(source, entry, common)?;
    let settled = System::settle(system, &settings, common.tables);
    let settled =
        settled.map_err(|error| source.mistake(entry.span(), format!("phase {}: {error}", phase.name.get_ref())))?;
    let decisions = phase.decisions.iter().map(|decision| {
        let by = decision.by.as_ref().map(|by| source.word(by, Role::parse)).transpose()?;
        Ok(Decision { by, how: decision.how, name: source.word(&decision.name, Name::parse)? })
    });
    let mut decisions: Vec<Decision> = decisions.collect::<PlayResult<_>>()?;
    // Orders that a system requires need not be written in the file (courses 17).
    let orders = settled.resolver().course().is_some_and(|course| course.takes_orders());
    if let Some(name) = Name::parse(ORDERS).filter(|_| orders && decisions.is_empty()) {
        decisions.push(Decision { by: None, how: How::Simultaneous, name });
    }
    Ok(Phase {
        decisions,
        declarer: phase.declarer.as_ref().map(|role| source.word(role, Role::parse)).transpose()?,
        impulses: phase.impulses.clone(),
        name: source.word(&phase.name, Name::parse)?,
        // A hidden course is private even if the file does not say so (hidden 1).
        private: phase.private || settled.resolver().course().is_some_and(|course| course.hidden().is_some()),
        revealer: phase.revealer.unwrap_or(common.usual),
        settings,
        source: settled.resolver().source(),
        system: system.clone(),
    })
}
