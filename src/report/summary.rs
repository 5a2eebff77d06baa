//! The terms in words, riskiest settings first: everything that a signer must not overlook, one item per line.

use std::collections::BTreeSet;

use crate::{
    blob::{
        body::{Charter, Deadline, Forfeit, How, Phase, Remedy, Revealer, Role, Step},
        deposits::Third,
        json::Value,
    },
    game::terms::Terms,
    report::{
        inputs,
        terms::{TIME_WITNESS, continues, lengths},
        text::{count, visible},
        words::fingerprint,
    },
    resolve::coin_envelopes::hexes::Grammar,
};

/// The power of a holder of keys and a declarer who work together.
pub const CHOOSES: &str = "can choose every die in the sets whose keys are deposited, and nobody can detect it";

/// Writes the whole summary, as text that is safe to show. A reader must agree separately to each point in capital
/// letters.
///
/// # Examples
///
/// ```
/// use sealed_dice::{game::{audit::Read, terms::Terms}, report::summary::summary};
///
/// let read = Read::all(
///     include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/ruling/days-shown.txt")),
///     "a mail",
/// );
/// let charter = read[0].letter.clone().map_err(|refusal| refusal.error)?;
/// let lines = summary(&Terms::parse(&charter)?);
/// assert_eq!(lines[0], "the terms of \"thirty days\"");
/// let to_agree = lines.iter().filter_map(|line| line.split_once(':')).map(|(point, _)| point);
/// let to_agree: Vec<&str> = to_agree.filter(|point| point.chars().all(char::is_uppercase)).collect();
/// assert_eq!(to_agree, ["REFEREE", "OFFICE", "DEADLINE", "DEADLINE"]);
/// # Ok::<(), sealed_dice::error::Error>(())
/// ```
#[must_use]
pub fn summary(terms: &Terms) -> Vec<String> {
    let charter = &terms.charter;
    let mut lines = vec![format!("the terms of {:?}", visible(&charter.title))];
    let parties = charter.parties.iter();
    lines.extend(
        parties.map(|party| format!("{} ({}), key {}", visible(&party.name), party.role, fingerprint(&party.key))),
    );
    lines.extend(charter.referee.as_ref().map(referee));
    lines.extend(charter.office.as_ref().map(office));
    if charter.hard_core {
        lines.push("HARD CORE: everything you sign is final, and nothing is ever redone".into());
    }
    lines.extend(continues(terms));
    lines.extend(hexes(charter));
    lines.extend(charter.phases.iter().flat_map(phase));
    lines.extend(settings(terms));
    lines.extend(foul_up(charter));
    lines.extend(charter.penalties.iter().map(|penalty| format!("PENALTY: {}", visible(penalty))));
    lines.extend(charter.deadlines.iter().map(|due| deadline(due, terms)));
    lines.extend(tables(terms));
    lines.extend(lengths(terms));
    lines
}

fn referee(referee: &Third) -> String {
    let holds = match &referee.deposit {
        None => "holds no keys, so an unopened roll can only be forfeited",
        Some(deposit) if deposit.notes => {
            "HOLDS THE KEYS for all dice and notes: can finish a stalled roll, and could look ahead and read sealed \
             orders; compare this fingerprint with its owner by voice"
        }
        Some(_) => {
            "HOLDS THE KEYS for all dice: can finish a stalled roll, and could look ahead; compare this fingerprint \
             with its owner by voice"
        }
    };
    let chooses = match referee.deposit {
        Some(_) => format!("; together with the player who declares, {} {CHOOSES}", referee.role),
        None => String::new(),
    };
    let (name, key) = (visible(&referee.name), fingerprint(&referee.key));
    format!("REFEREE: {name} ({}), key {key}; {holds}{chooses}", referee.role)
}

fn office(office: &Third) -> String {
    let does = match &office.deposit {
        None => format!("{TIME_WITNESS}; compare this fingerprint with its operator by voice"),
        Some(deposit) => format!(
            "HOLDS THE KEYS: opens dice immediately{}, and could look ahead; compare this fingerprint with its \
             operator by voice; together with the player who declares, {} {CHOOSES}",
            if deposit.notes { " and notes when they are due" } else { "" },
            office.role
        ),
    };
    format!("OFFICE: {} ({}), key {}; {does}", visible(&office.name), office.role, fingerprint(&office.key))
}

/// Describes how hexes are written, with an example; one line for each notation, if the phases differ.
fn hexes(charter: &Charter) -> Vec<String> {
    let mut ways: Vec<String> = Vec::new();
    for phase in &charter.phases {
        let said = |name| phase.settings.get(name).and_then(Value::as_str);
        let grammar = said("grammar").and_then(|name| Grammar::ALL.into_iter().find(|known| known.name() == name));
        let Some(grammar) = grammar else { continue };
        let rows = match (grammar, said("double_letters")) {
            (Grammar::Letters, Some("spreadsheet")) => "; AA comes after Z, then AB",
            (Grammar::Letters, _) => "; AA comes after Z, then BB",
            (Grammar::Numeric4 | Grammar::MapNumeric, _) => "",
        };
        let example = grammar.example();
        let way = format!(
            "hexes are written like {example}{rows}; two hexes in one attack like {example}+{}",
            grammar.second()
        );
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    if ways.len() > 1 {
        ways.push("NOTE: not every phase uses the same notation for hexes".into());
    }
    ways
}

/// Describes a phase: one line, and another line for each special setting.
fn phase(phase: &Phase) -> Vec<String> {
    let impulses: Vec<String> = phase.impulses.iter().map(u64::to_string).collect();
    let mut lines = vec![format!(
        "phase {}: {} rolls in {} {}, {}; {}",
        phase.name,
        phase.declarer.as_ref().map_or("the player who is next", Role::as_str),
        if impulses.len() == 1 { "impulse" } else { "impulses" },
        impulses.join(", "),
        system(&phase.system),
        match phase.revealer {
            Revealer::Sealer => "the other player opens the envelopes by mail",
            Revealer::Office => "the office opens the envelopes immediately",
        }
    )];
    if phase.private {
        let private = "  PRIVATE: only the declarer knows these rolls until they are shown or the game is closed";
        lines.push(private.to_owned());
    }
    lines.extend(phase.decisions.iter().map(|decision| {
        let by = decision.by.as_ref().map_or("each player".to_owned(), ToString::to_string);
        let how = match decision.how {
            How::Open => "signs the choice",
            How::Sealed => "seals the choice",
            How::Simultaneous => "seals and then opens their own",
        };
        format!("  before the roll, {by} {how} {}", decision.name)
    }));
    lines
}

/// Returns the name of a system for people.
fn system(name: &str) -> String {
    match name {
        "cil" => "Cast Iron Life".into(),
        "coin-envelopes" => "coin envelopes".into(),
        "event-tables" => "events from tables".into(),
        "icrk" => "the ICRK sheet".into(),
        "ndc" => "NATO Division Commander".into(),
        "ocs-initiative" => "OCS initiative".into(),
        other => visible(other),
    }
}

/// Lists the settings of each system, a line each; systems that several phases share with the same settings once.
fn settings(terms: &Terms) -> Vec<String> {
    let mut told: Vec<Vec<String>> = Vec::new();
    let phases = terms.charter.phases.iter().zip(&terms.phases);
    for (phase, read) in phases.filter(|(phase, _)| !phase.settings.is_empty()) {
        let (lists, plain): (Vec<_>, Vec<_>) = phase.settings.iter().partition(|(_, value)| has_lists(value));
        // The texts may be the opponent's, so the name stands first.
        let about = |name: &str| {
            let about = match read.course() {
                Some(course) => course.about(name),
                None => of_sheets(name).map(str::to_owned),
            };
            about.map(|about| format!(" ({})", visible(&about))).unwrap_or_default()
        };
        let each = plain
            .into_iter()
            .map(|(name, value)| format!("  {}: {}{}", visible(name).replace('_', " "), setting(value), about(name)));
        let head = format!("settings of {}:", system(&phase.system));
        let lists = lists
            .into_iter()
            .flat_map(|(name, value)| inputs::listed(&visible(name), value))
            .map(|line| format!("  {line}"));
        let lines: Vec<String> = std::iter::once(head).chain(each).chain(lists).collect();
        if !told.contains(&lines) {
            told.push(lines);
        }
    }
    told.concat()
}

/// Says what a setting of coin envelopes or of a sheet is about.
fn of_sheets(setting: &str) -> Option<&'static str> {
    Some(match setting {
        "chart" => "which chart gives each hex its value: the one of this program (house), or a table in the terms",
        "double_letters" => "how the rows behind Z are written: doubled is AA, BB, CC",
        "envelopes" => "the envelopes in a set; the total of the attacks' hex values picks one",
        "grammar" => "how the map writes its hexes",
        "list_automatic" => "for the players: attacks that need no roll are listed, too",
        "values" => "the numbers on the sheet",
        _ => return None,
    })
}

/// Writes the value of a setting.
fn setting(value: &Value) -> String {
    match value {
        Value::Null => "not set".into(),
        Value::String(word) => visible(word).replace('_', " "),
        other => inputs::value(other),
    }
}

/// Whether a setting has lists of entries, such as the units of both sides.
fn has_lists(value: &Value) -> bool {
    let is_list = |value: &Value| value.as_array().is_some_and(|items| items.iter().any(Value::is_object));
    is_list(value) || value.as_object().is_some_and(|fields| fields.values().any(is_list))
}

/// Describes the remedy for each kind of mistake.
fn foul_up(charter: &Charter) -> impl Iterator<Item = String> {
    let remedies = &charter.foul_up.remedies;
    let each = [
        ("an illegal move", remedies.illegal_move),
        ("illegal odds", remedies.illegal_odds),
        ("a wrong list of attacks", remedies.wrong_list),
    ];
    each.into_iter().map(|(what, remedy)| match remedy {
        Remedy::Keep => format!("{what}: the dice count"),
        Remedy::Redo => format!("{what}: rolled again from the foul-up set, if both agree"),
    })
}

fn deadline(deadline: &Deadline, terms: &Terms) -> String {
    let step = match deadline.step {
        Step::Answer => "any answer",
        Step::Declare => "the next declaration",
        Step::Reveal => "the reveal for a declaration",
    };
    let forfeit = match deadline.forfeit {
        Forfeit::None => "nothing happens automatically",
        Forfeit::DeclarerNames if terms.courses().next().is_some() => {
            "the referee can let the declarer name every die, but not in a course"
        }
        Forfeit::DeclarerNames => "the referee can let the declarer name every die",
        Forfeit::Game => "the referee can declare the game forfeit",
    };
    format!("DEADLINE: {step} within {}, else {forfeit}", count(deadline.days, "day"))
}

/// Lists where each table is, and which tables are missing.
fn tables(terms: &Terms) -> Vec<String> {
    let hidden = || terms.phases.iter().filter_map(|phase| phase.hidden());
    let withheld: BTreeSet<&str> = hidden().flat_map(|hidden| hidden.withheld()).map(|(name, _)| name).collect();
    let lacking: BTreeSet<&str> = hidden().flat_map(|hidden| hidden.lacking()).collect();
    let (absent, full): (Vec<&String>, Vec<&String>) =
        terms.charter.tables.keys().partition(|name| withheld.contains(name.as_str()));
    let full: Vec<String> = full.into_iter().map(|name| visible(name)).collect();
    let full = (!full.is_empty()).then(|| format!("tables that the terms contain in full: {}", full.join(", ")));
    let absent =
        absent.into_iter().map(|name| format!("the table {} is NOT in the terms: you need its file", visible(name)));
    let missing = lacking.into_iter().map(|name| {
        format!(
            "WARNING: the terms do not contain the table {name}, and the game stops where it is needed: ask for terms \
             that contain it"
        )
    });
    full.into_iter().chain(absent).chain(missing).collect()
}
