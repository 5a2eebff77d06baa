//! The rolls of a declaration: the worksheet or the cells, and the dice.

use std::collections::HashMap;

use maud::{Markup, html};
use serde::Deserialize;

use super::book::{list, quotation, wide, words};
use crate::{
    blob::{
        Body,
        body::{Declare, Hex32, Pair, Select, SetKind},
        json::{Map, Text, Value},
    },
    game::{audit::Replay, declaration::Declaration, hidden, rules::course, runs::Ran},
    report::{dice_svg::die, inputs, words::PASSED_OVER},
    resolve::{
        Draw, Place, System,
        coin_envelopes::{Attack, Worksheet},
    },
};

/// A line of a declaration and its dice.
struct Rolled<'a> {
    place: Option<Place>,
    draws: Vec<&'a Draw>,
    /// The result of the draws under the phase's setting `values`.
    value: Option<u64>,
    /// The reason why the roll does not count.
    fell: Option<&'static str>,
}

/// Returns the reason why a roll of a declaration, given by its number from 1, does not count.
fn fell(replay: &Replay<'_>, declaration: &Declaration<'_>, line: u64) -> Option<&'static str> {
    let id = declaration.node.id();
    let passed_over = || course::is_passed_over(replay.ledger, declaration);
    if !declaration.replaced_by.is_empty() {
        return Some("replaced");
    }
    let void = replay.ledger.voided_by(&id, line).map(|_| "void");
    void.or_else(|| passed_over().then_some(PASSED_OVER))
}

/// Shows the worksheet or the cells of a declaration, and its dice.
pub(super) fn rolls(replay: &Replay<'_>, declaration: &Declaration<'_>) -> Markup {
    let declare = declaration.declare;
    let phase = replay.terms.slot(&declare.slot).map(|(_, phase)| phase);
    let told = phase.and_then(|phase| match &phase.system {
        System::CoinEnvelopes(coin) => {
            let attacks: Attacks = declare.input.read().ok()?;
            Some(worksheet(replay, declaration, coin.envelopes(), &coin.worksheet(&attacks.attacks).ok()?))
        }
        System::Icrk(_) => Some(cells(replay, declaration, &declare.input.read::<Cells>().ok()?)),
        system => system.resolver().course().map(|_| turn(replay, declaration)),
    });
    told.unwrap_or_else(|| {
        html! { p { "This declaration cannot be read under the rules of this phase:" } (quotation(declare.input.as_str(), 4_000)) }
    })
}

/// Shows the input of a turn in words, and as it was signed.
fn input(input: &Text) -> Markup {
    let said = inputs::stated(input);
    let roster = inputs::roster(input);
    html! {
        @if !said.is_empty() { ul { @for line in said.iter().chain(&roster) { li { (words(line, 1_000)) } } } }
        (as_signed(input))
    }
}

/// Shows the dice of a turn: those that are drawn for one purpose, such as the fire of a unit, together.
fn by_purpose(declaration: &Declaration<'_>, drawn: &Rolled<'_>) -> Markup {
    let mut runs = drawn.draws.chunk_by(|one, next| one.why == next.why);
    if drawn.fell.is_some() || runs.clone().nth(1).is_none() {
        return html! { p { "Dice: " (dice(declaration, drawn)) } };
    }
    let lists = runs.by_ref().filter_map(|run| Some((run.first()?, run)));
    html! {
        p { "Dice:" }
        ul {
            @for (first, run) in lists {
                li { (words(&first.why, 1_000)) ": " @for (i, draw) in run.iter().enumerate() { @if i > 0 { ", " } (die(draw.sides, draw.value)) } }
            }
        }
        @if declaration.named_by.is_some() { p { "Named after a forfeit." } }
    }
}

fn as_signed(input: &Text) -> Markup {
    if input.as_str() == "{}" {
        return html! {};
    }
    html! { details { summary { "As it was signed" } (quotation(input.as_str(), 4_000)) } }
}

/// Shows a turn of a course: the declaration, its dice, and step by step the results of these and of the decisions.
fn turn(replay: &Replay<'_>, declaration: &Declaration<'_>) -> Markup {
    let id = declaration.node.id();
    let ran = hidden::runs(replay.ledger).iter().flat_map(Ran::draws).filter(|(of, _)| *of == id);
    let hidden = replay.ledger.terms.slot(&declaration.declare.slot).is_some_and(|(_, phase)| phase.hidden().is_some());
    let drawn = Rolled {
        place: None,
        draws: declaration.trail.iter().chain(ran.map(|(_, draw)| draw)).collect(),
        value: None,
        fell: fell(replay, declaration, 1),
    };
    let steps = course::turn(replay.ledger, &declaration.node.id());
    html! {
        @if !hidden {
            (input(&declaration.declare.input))
            (by_purpose(declaration, &drawn))
        }
        @for (letter, steps) in &steps {
            @if let Some(Body::Decide(decide)) = replay.ledger.body(letter) {
                p { "Then " (decide.name.as_str()) " was decided: " (words(&inputs::value(&decide.value), 1_000)) }
            }
            @if let Some(Body::Seal(_)) = replay.ledger.body(letter) {
                p { "Then a standing note was opened:" }
            }
            ol { @for step in steps { li { (words(step, 1_000)) } } }
        }
        @if let Some(worked) = hidden::worked_out(replay.ledger, &declaration.node.id()) {
            p { "Worked out from its sheet:" }
            ol { @for step in &worked.steps { li { (words(step, 1_000)) } } }
            @for wrong in &worked.wrong { p { strong { "False: " } (words(wrong, 1_000)) } }
        }
        @if hidden {
            @if !drawn.draws.is_empty() { p { "Dice, read with this player's next sheet: " (dice(declaration, &drawn)) } }
            (as_signed(&declaration.declare.input))
        }
    }
}

#[derive(Deserialize)]
struct Attacks {
    attacks: Vec<Attack>,
}

#[derive(Deserialize)]
struct Cells {
    rolls: Vec<Cell>,
}

#[derive(Deserialize)]
struct Cell {
    #[serde(default)]
    cell: Option<String>,
    why: String,
}

/// Returns the dice of each line; `planned` gives the places of a declaration that is not a redo.
fn rolled<'d>(replay: &Replay<'_>, declaration: &'d Declaration<'_>, planned: &[Place]) -> Vec<Rolled<'d>> {
    let values = values(replay, declaration);
    let line = |(i, planned): (usize, &Place)| {
        let place = match &declaration.declare.select {
            Some(Select::FoulUp(select)) => Place { index: select.index, line: i as u64 + 1 },
            _ => *planned,
        };
        let draws = declaration.trail.iter().filter(|draw| draw.place == place).collect();
        Rolled {
            place: declaration.valid.then_some(place),
            draws,
            value: values.get(i).copied().flatten(),
            fell: fell(replay, declaration, i as u64 + 1),
        }
    };
    planned.iter().enumerate().map(line).collect()
}

/// Returns the result of each line, from the outcome of an opened declaration.
fn values(replay: &Replay<'_>, declaration: &Declaration<'_>) -> Vec<Option<u64>> {
    let Some(public) = course::public(replay.ledger, &declaration.node.id()) else { return Vec::new() };
    let public: Map<String, Value> = public.read().unwrap_or_default();
    let lines = public.get("attacks").or_else(|| public.get("rolls")).and_then(Value::as_array);
    let value = |line: &Value| line.get("die").or_else(|| line.get("value")).and_then(Value::as_u64);
    lines.into_iter().flatten().map(value).collect()
}

fn dice(declaration: &Declaration<'_>, rolled: &Rolled<'_>) -> Markup {
    let shown = html! {
        @for (i, draw) in rolled.draws.iter().enumerate() { @if i > 0 { " + " } (die(draw.sides, draw.value)) }
        @match (rolled.value, rolled.draws.as_slice()) {
            (Some(value), [draw]) if value == draw.value => {},
            (Some(value), [_, ..]) => { " = " b { (value) } },
            _ => {},
        }
    };
    html! {
        @if rolled.draws.is_empty() { @if declaration.valid { "not opened" } @else { "none" } }
        @else if let Some(why) = rolled.fell { s { (shown) } " " (why) }
        @else { (shown) }
        @if declaration.named_by.is_some() { " named after a forfeit" }
    }
}

fn worksheet(replay: &Replay<'_>, declaration: &Declaration<'_>, envelopes: u64, worksheet: &Worksheet) -> Markup {
    let places: Vec<Place> = worksheet.lines.iter().map(|line| line.place).collect();
    let rolled = rolled(replay, declaration, &places);
    let redo = matches!(declaration.declare.select, Some(Select::FoulUp(_)));
    html! {
        (wide("Worksheet", &html! {
            table class={ "worksheet" @if !declaration.replaced_by.is_empty() { " replaced" } } {
                caption { "Worksheet" }
                thead { tr {
                    @for head in ["Attack", "Hexes", "Odds", "Value", "Times", "Product", "Envelope", "Order"] { th scope="col" { (head) } }
                    th.dice scope="col" { "Die" }
                } }
                tbody { @for (line, rolled) in worksheet.lines.iter().zip(&rolled) {
                    tr {
                        th scope="row" { (words(&line.id, 32)) }
                        td { (line.hexes.join("+")) }
                        td { (line.odds) }
                        td.number { (line.value) }
                        td.number { (line.multiplier) }
                        td.number { (line.product) }
                        td { @match rolled.place.filter(|_| redo) {
                            Some(place) => { "foul-up " (place.index) ", line " (place.line) },
                            None => { (line.place.index) ", row " (line.place.line) },
                        } }
                        td.number { (line.rank) }
                        td.dice { (dice(declaration, rolled)) }
                    }
                } }
                @if let Some(index) = worksheet.index {
                    tfoot { tr {
                        th scope="row" colspan="5" { "Total" }
                        td.number { (worksheet.total) }
                        td colspan="3" { (worksheet.total) " mod " (envelopes) " = " (index)
                            @if redo { "; a redo takes the next foul-up envelope instead" } @else { ": open envelope " (list(&worksheet.opened)) } }
                    } }
                }
            }
        }))
        @if worksheet.index.is_none() { p { "No attacks: all envelopes are returned unopened." } }
        (differs(declaration.declare, worksheet))
    }
}

/// Shows the letter's own version of the worksheet, if it differs from the computed one.
fn differs(declare: &Declare, worksheet: &Worksheet) -> Markup {
    let Some(Select::Worksheet(said)) = &declare.select else { return html! {} };
    let places = worksheet.lines.iter().map(|line| Pair(line.place.index, line.place.line));
    html! {
        @if said.total != worksheet.total || Some(said.index) != worksheet.index || !said.rows.iter().copied().eq(places) {
            p.warning { strong { "The letter says otherwise: " } "total " (said.total) ", envelope " (said.index) ", rows "
                @for (i, Pair(envelope, row)) in said.rows.iter().take(40).enumerate() { @if i > 0 { ", " } (envelope) "/" (row) } "." }
        }
    }
}

fn cells(replay: &Replay<'_>, declaration: &Declaration<'_>, input: &Cells) -> Markup {
    let planned: Vec<Place> = match &declaration.declare.select {
        Some(Select::Cells(cells)) => {
            cells.iter().map(|Pair(index, line)| Place { index: *index, line: *line }).collect()
        }
        _ => vec![Place { index: 0, line: 0 }; input.rolls.len()],
    };
    let rolled = rolled(replay, declaration, &planned);
    let redo = matches!(declaration.declare.select, Some(Select::FoulUp(_)));
    let none = Rolled { place: None, draws: Vec::new(), value: None, fell: None };
    html! {
        @if input.rolls.is_empty() { p { "No rolls." } }
        @else {
            (wide("Cells", &html! {
                table class={ "worksheet" @if !declaration.replaced_by.is_empty() { " replaced" } } {
                    caption { "Cells" }
                    thead { tr { th scope="col" { @if redo { "Foul-up envelope" } @else { "Cell" } } th scope="col" { "Purpose" } th.dice scope="col" { "Die" } } }
                    tbody { @for (i, roll) in input.rolls.iter().enumerate() {
                        @let rolled = rolled.get(i).unwrap_or(&none);
                        tr {
                            th scope="row" { @match (redo, rolled.place, &roll.cell) {
                                (true, Some(place), _) => { (place.index) ", line " (place.line) },
                                (_, _, Some(cell)) => (words(cell, 40)),
                                _ => { (i + 1) },
                            } }
                            td { (words(&roll.why, 200)) }
                            td.dice { (dice(declaration, rolled)) }
                        }
                    } }
                }
            }))
        }
    }
}

/// Returns the dice of a sheet's cells: the result at each place, and whether it still counts.
pub(super) fn of_cells(replay: &Replay<'_>, seal: &Hex32) -> HashMap<Place, CellState> {
    let mut states = HashMap::new();
    let sheet = replay.ledger.set(seal).is_some_and(|set| set.seal.kind == SetKind::Sheet);
    for declaration in replay.ledger.declarations().filter(|one| sheet && one.declare.seal == Some(*seal)) {
        let Some(Select::Cells(cells)) = &declaration.declare.select else { continue };
        let values = values(replay, declaration);
        for (i, Pair(index, line)) in cells.iter().enumerate() {
            let state = match values.get(i).copied().flatten() {
                _ if !declaration.valid => CellState::InBreach,
                None => CellState::Awaited,
                Some(value) if fell(replay, declaration, i as u64 + 1).is_none() => CellState::Rolled(value),
                Some(value) => CellState::Replaced(value),
            };
            // A cell belongs to the first declaration that names it; a later one is in breach and cannot take the cell
            // over.
            states.entry(Place { index: *index, line: *line }).or_insert(state);
        }
    }
    states
}

/// The state of a cell that a declaration names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellState {
    Rolled(u64),
    Replaced(u64),
    Awaited,
    InBreach,
}
