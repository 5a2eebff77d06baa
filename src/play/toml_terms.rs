//! Writes terms that are in force as a file that `game new` reads.

use serde_json::json;

use super::{
    charter_file::phases::{GRAMMAR, LETTERS},
    failure::{Failure, PlayResult},
};
use crate::{
    blob::{
        body::{Continues, Phase, Revealer},
        deposits::Deposits,
        json::{self, Map, Value},
    },
    game::terms::{Player, Terms},
    resolve::{System, coin_envelopes::hexes::Grammar},
};

/// The comment above terms that continue a game.
const HEAD: &str = "\
# Terms for a game that continues another one. Change what you like, then sign with:  sealed-dice game new THIS-FILE
# Nothing from the old game is open here, and all sets are sealed again. The tables are those of the old game.
";
/// The comment above the opponent.
const OPPONENT: &str = "\
# The other player. If they lost their key, or somebody else has it too, put their new key here. They get it from
# `sealed-dice key show`. Add the fingerprint that they read to you by voice.
";
/// The comment above the referee, or in place of one.
const REFEREE: &str = "\
# The referee. To change the referee, put the new one's key and fingerprint here and, if they hold keys, their deposit
# key (from `sealed-dice key show --deposit`). If you need no referee, delete this block.
";
/// The comment above the office, if the terms name one.
const OFFICE: &str = "\
# The office. To change the office, replace these lines with those that `sealed-dice office card URL` prints. If you
# need no office, delete this block and every line  revealer = \"office\"
";
/// The comment above the heads and the states.
const CONTINUES: &str = "\
# The old game, the last letter that counts from each role, and the states with which courses begin.
# Do not change this block. To continue from an earlier point, type:  sealed-dice game continue --before DECLARATION
";

/// Writes the terms for a player to propose, with `said` above them as comments.
pub(super) fn write(terms: &Terms, me: Player, said: &[String]) -> PlayResult<String> {
    let charter = &terms.charter;
    let mut out = HEAD.to_owned();
    said.iter().for_each(|line| out.push_str(&format!("# {}\n", line.replace(['\n', '\r'], " "))));
    let hexes = charter.phases.iter().find_map(|phase| {
        let said = |name: &str| phase.settings.get(name).and_then(Value::as_str);
        let grammar = Grammar::ALL.into_iter().find(|known| Some(known.name()) == said(GRAMMAR))?;
        Some((grammar.example(), said(LETTERS).unwrap_or("doubled")))
    });
    let mut top = vec![("title", json!(charter.title)), ("hard_core", json!(charter.hard_core))];
    if let Some((example, letters)) = hexes {
        top.extend([("hexes", json!(example)), ("double_letters", json!(letters))]);
    }
    for (name, list) in [("penalties", value(&charter.penalties)?), ("deadlines", value(&charter.deadlines)?)] {
        top.extend(list.as_array().is_some_and(|list| !list.is_empty()).then_some((name, list)));
    }
    lines(&mut out, "\n", top)?;
    let (you, other) = (terms.party(me), terms.party(me.other()));
    lines(&mut out, "\n[you]\n", vec![("role", json!(you.role)), ("name", json!(you.name))])?;
    let head = format!("\n{OPPONENT}[opponent]\n");
    let role = ("role", json!(other.role));
    lines(
        &mut out,
        &head,
        vec![role, ("name", json!(other.name)), ("key", json!(other.key)), ("fingerprint", json!(""))],
    )?;
    if let Some(referee) = &charter.referee {
        let party = vec![("role", json!(referee.role)), ("name", json!(referee.name)), ("key", json!(referee.key))];
        let head = format!("\n{REFEREE}[referee]\n");
        lines(&mut out, &head, [party, deposits(referee.deposit.as_ref())].concat())?;
    }
    if let Some(office) = &charter.office {
        let party = vec![("role", json!(office.role)), ("name", json!(office.name)), ("key", json!(office.key))];
        let head = format!("\n{OFFICE}[office]\n");
        lines(&mut out, &head, [party, deposits(office.deposit.as_ref())].concat())?;
    }
    charter.continues.iter().try_for_each(|continues| write_continues(&mut out, continues))?;
    let sets = &charter.sets_at_start;
    lines(&mut out, "\n[sets_at_start]\n", vec![("sheet", json!(sets.sheet)), ("foul-up", json!(sets.foul_up))])?;
    // If the file names no revealer, the office opens, provided that it holds deposits; otherwise the sealer does.
    let opens = charter.office.as_ref().is_some_and(|office| office.deposit.is_some());
    let usual = if opens { Revealer::Office } else { Revealer::Sealer };
    let remedies = value(&charter.foul_up.remedies)?;
    let mut foul_up = vec![("envelopes", json!(charter.foul_up.envelopes))];
    foul_up.extend(remedies.as_object().into_iter().flatten().map(|(name, remedy)| (name.as_str(), remedy.clone())));
    foul_up.extend(revealer(charter.foul_up.revealer, usual));
    lines(&mut out, "\n[foul_up]\n", foul_up)?;
    charter.phases.iter().try_for_each(|phase| write_phase(&mut out, phase, terms, usual))?;
    Ok(out)
}

fn write_continues(out: &mut String, continues: &Continues) -> PlayResult<()> {
    lines(out, &format!("\n{CONTINUES}[continues]\n"), vec![("game", json!(continues.game))])?;
    let heads = continues
        .heads
        .iter()
        .map(|(role, head)| (role.as_str(), json!(head.map(|head| head.to_string()).unwrap_or_default())));
    lines(out, "\n[continues.heads]\n", heads.collect())?;
    let states = continues.states.iter().map(|(system, state)| Ok((system.as_str(), json!(json::encode(state)?))));
    lines(out, "\n[continues.states]\n", states.collect::<PlayResult<_>>()?)
}

/// Returns the setting for the revealer, unless it is the usual one.
fn revealer(of: Revealer, usual: Revealer) -> Option<(&'static str, Value)> {
    (of != usual).then(|| ("revealer", value(&of).unwrap_or_default()))
}

fn write_phase(out: &mut String, phase: &Phase, terms: &Terms, usual: Revealer) -> PlayResult<()> {
    let mut said = vec![("name", json!(phase.name)), ("impulses", json!(phase.impulses))];
    said.extend(phase.declarer.as_ref().map(|role| ("declarer", json!(role))));
    said.extend([("system", json!(phase.system)), ("private", json!(phase.private))]);
    said.extend(revealer(phase.revealer, usual));
    let mut decisions = value(&phase.decisions)?;
    decisions.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut).for_each(without_nothing);
    said.extend((!phase.decisions.is_empty()).then_some(("decisions", decisions)));
    lines(out, "\n[[phases]]\n", said)?;
    let settings = settings(phase, terms)?;
    let settings = settings.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    lines(out, "\n[phases.settings]\n", settings)
}

/// Returns the settings of a phase that differ from the usual values and do not follow from the map's notation.
fn settings(phase: &Phase, terms: &Terms) -> PlayResult<Map<String, Value>> {
    let usual = System::prefill(&phase.system, &terms.charter.tables)?;
    let stated = System::stated(&phase.system, &terms.charter.tables);
    let mut settings = phase.settings.clone();
    settings.retain(|name, value| {
        ![GRAMMAR, LETTERS].contains(&name.as_str()) && (stated.contains(name) || usual.get(name) != Some(value))
    });
    // TOML cannot express null, so an empty text means nobody.
    settings.values_mut().filter(|value| value.is_null()).for_each(|value| *value = json!(""));
    Ok(settings)
}

fn deposits(of: Option<&Deposits>) -> Vec<(&'static str, Value)> {
    let deposit = of.map(|deposit| vec![("deposit", json!(deposit.key)), ("deposit_notes", json!(deposit.notes))]);
    [vec![("fingerprint", json!(""))], deposit.unwrap_or_default()].concat()
}

fn without_nothing(fields: &mut Map<String, Value>) {
    fields.retain(|_, value| !value.is_null());
}

fn value(of: &impl serde::Serialize) -> PlayResult<Value> {
    Ok(json::to_value(of)?)
}

/// Writes a head and its fields; nothing if there are no fields.
fn lines(out: &mut String, head: &str, fields: Vec<(&str, Value)>) -> PlayResult<()> {
    if !fields.is_empty() {
        out.push_str(head);
    }
    fields.into_iter().try_for_each(|(name, value)| {
        let is_bare =
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        let name = if is_bare { name.to_owned() } else { quoted(name) };
        out.push_str(&format!("{name} = {}\n", in_line(&value)?));
        Ok(())
    })
}

/// Writes a value in TOML on one line.
fn in_line(value: &Value) -> PlayResult<String> {
    Ok(match value {
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("[{}]", items.iter().map(in_line).collect::<PlayResult<Vec<_>>>()?.join(", ")),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| Ok(format!("{} = {}", quoted(name), in_line(value)?)));
            format!("{{ {} }}", fields.collect::<PlayResult<Vec<_>>>()?.join(", "))
        }
        Value::Null => {
            return Err(Failure::unable(
                "these terms have a setting that cannot be written into a terms file; write the terms by hand",
            ));
        }
        other => other.to_string(),
    })
}

/// Puts a text in quotes.
fn quoted(text: &str) -> String {
    // JSON escapes the same characters as TOML, except for one.
    json!(text).to_string().replace('\u{7f}', "\\u007f")
}
