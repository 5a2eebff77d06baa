//! Hidden courses: the runs that recompute players' declarations from their sheets and dice (`protocol/hidden.md` 5 to
//! 9).

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use super::{
    declaration::{Declaration, Opened},
    ledger::Ledger,
    node::Past,
    opening::NOTE,
    rules::course,
    runs::Ran,
    set::{Eyes, read_note},
    terms::{Phase, Player, Terms},
};
use crate::{
    blob::{body::Hex32, json},
    error::{Error, Result},
    resolve::{
        Hidden, Object, Place, Source,
        hidden::{Made, Run, Told},
    },
};

/// The field of a sheet that names forfeited dice (hidden 7).
pub const NAMED: &str = "named";

/// Returns the runs of all hidden courses, for both players, with everything that available letters opened; computed on
/// first use.
pub fn runs<'l>(ledger: &'l Ledger<'_>) -> &'l [Ran] {
    ledger.ran.get_or_init(|| {
        let phases = phases(ledger.terms).flat_map(|phase| Player::BOTH.map(|player| (phase, player)));
        phases.filter_map(|(phase, player)| run(ledger, phase, player, &|_| None).ok()).collect()
    })
}

/// Returns the first phase of each hidden course.
pub(crate) fn phases(terms: &Terms) -> impl Iterator<Item = &Phase> {
    terms.courses().map(|(phase, _)| phase).filter(|phase| phase.hidden().is_some())
}

/// Returns the run's result for a declaration, with everything that available letters opened.
#[must_use]
pub fn worked_out<'l>(ledger: &'l Ledger<'_>, declaration: &Hex32) -> Option<&'l Told> {
    runs(ledger).iter().flat_map(Ran::told).find(|(id, _)| id == declaration).map(|(_, told)| told)
}

/// Returns the declaration whose sheet names the dice of a given declaration, because they are forfeited (hidden 7, 9).
#[must_use]
pub fn named_in(ledger: &Ledger<'_>, made: &[Hex32], own: &Declaration<'_>) -> Option<Hex32> {
    let later = made.iter().skip_while(|id| **id != own.id()).skip(1);
    let mut later = later.filter_map(|id| ledger.declaration(id));
    let next = later.find(|later| later.node.player == own.node.player)?;
    own.is_forfeited(Past::of(&next.node)).then(|| next.id())
}

/// Returns the declaration whose forfeited dice a player names in their next sheet (hidden 7), and its position among
/// the declarations that its course has taken.
#[must_use]
pub fn named_next<'l, 'a>(ledger: &'l Ledger<'a>, player: Player) -> Option<(usize, &'l Declaration<'a>)> {
    phases(ledger.terms).find_map(|phase| forfeited_in(ledger, &made(ledger, phase), player))
}

/// Returns a player's last declaration among those that a course has taken, with its place, if its dice are forfeited.
fn forfeited_in<'l, 'a>(
    ledger: &'l Ledger<'a>,
    made: &[Hex32],
    player: Player,
) -> Option<(usize, &'l Declaration<'a>)> {
    let mut taken = made.iter().enumerate().rev().filter_map(|(at, id)| Some((at, ledger.declaration(id)?)));
    taken.find(|(_, own)| own.node.player == player).filter(|(_, own)| !own.forfeits.is_empty())
}

/// Computes the run of a player (hidden 5).
///
/// # Errors
/// [`Error::Misuse`] if the course is not hidden.
pub fn run(ledger: &Ledger<'_>, phase: &Phase, player: Player, eyes: &Eyes<'_>) -> Result<Ran> {
    let (hidden, made) = (hidden(phase)?, made(ledger, phase));
    let (mut steps, named) = steps(ledger, &made, eyes, None);
    let mut run = hidden.run(ledger.terms.role(player), &mut steps, &tables(ledger, hidden))?;
    for told in &mut run.told {
        let ill = named.iter().filter(|(at, _)| *at == Some(told.at));
        told.wrong.extend(ill.flat_map(|(_, ill)| ill.borrow().clone()));
        let names = steps.get(told.at).and_then(|step| step.sheet.as_ref()).is_some_and(names_dice);
        let mut before = made.iter().take(told.at).rev().filter_map(|id| ledger.declaration(id));
        let last = before.find(|before| before.node.player == player);
        if names && last.is_none_or(|last| named_in(ledger, &made, last).is_none()) {
            told.wrong.push(NOTHING_TO_NAME.into());
        }
    }
    let own = made.iter().filter_map(|id| ledger.declaration(id)).filter(|own| own.node.player == player);
    Ok(Ran { phase: phase.name.clone(), player, declared: own.count() as u64, made, run })
}

/// Computes the public part of a player's next declaration from its sheet (hidden 6).
///
/// # Errors
/// [`Error::Refused`] with the entries in the sheet that the rules do not allow.
pub fn state_from(ledger: &Ledger<'_>, phase: &Phase, player: Player, sheet: &Object, eyes: &Eyes<'_>) -> Result<Run> {
    let (hidden, made) = (hidden(phase)?, made(ledger, phase));
    if names_dice(sheet) && forfeited_in(ledger, &made, player).is_none() {
        return Err(Error::Refused(NOTHING_TO_NAME.into()));
    }
    let (mut steps, named) = steps(ledger, &made, eyes, Some((player, sheet)));
    let run = hidden.state(ledger.terms.role(player), &mut steps, sheet, &tables(ledger, hidden))?;
    match named.iter().find_map(|(at, ill)| ill.borrow().first().cloned().filter(|_| at.is_none())) {
        Some(ill) => Err(Error::Refused(ill)),
        None => Ok(run),
    }
}

/// Returns the withheld tables of a course that have been supplied, by name.
fn tables(ledger: &Ledger<'_>, hidden: &dyn Hidden) -> Object {
    let found = hidden.withheld().into_iter().filter_map(|(name, fingerprint)| {
        let table = ledger.supplied.get(&fingerprint)?;
        Some((name.to_owned(), json::Value::Object(table.clone())))
    });
    found.collect()
}

/// Returns the declarations that a course has taken, in order.
fn made(ledger: &Ledger<'_>, phase: &Phase) -> Vec<Hex32> {
    let mut made: Vec<Hex32> = course::taken(ledger, phase, Past::ALL).map(Declaration::id).collect();
    made.reverse();
    made
}

/// The place of the declaration whose sheet names the dice (`None`: the next one's sheet), and the faults in these
/// dice.
type NamedAt = (Option<usize>, Ill);

/// Returns the steps of a run, and the places where dice are named.
fn steps<'s>(
    ledger: &'s Ledger<'_>,
    made: &[Hex32],
    eyes: &Eyes<'_>,
    next: Option<(Player, &Object)>,
) -> (Vec<Made<'s>>, Vec<NamedAt>) {
    let mut named = Vec::new();
    let declarations: Vec<&Declaration<'_>> = made.iter().filter_map(|id| ledger.declaration(id)).collect();
    let sheets: Vec<Option<Object>> = declarations.iter().map(|own| sheet(ledger, own, eyes)).collect();
    let steps = declarations.iter().enumerate().map(|(at, own)| {
        let later = declarations.iter().zip(&sheets).enumerate().skip(at + 1);
        let mut later = later.filter(|(_, (later, _))| later.node.player == own.node.player);
        let (place, past, after) = match later.next() {
            Some((place, (later, sheet))) => (Some(place), Past::of(&later.node), sheet.as_ref()),
            None => {
                let next = next.filter(|(player, _)| *player == own.node.player);
                (None, Past::ALL, next.map(|(_, sheet)| sheet))
            }
        };
        let dice: Option<Box<dyn Source>> = match own.is_forfeited(past) {
            true => {
                let dice = Named::of(after);
                named.push((place, dice.ill.clone()));
                Some(Box::new(dice))
            }
            false => dice_unseen(ledger, own, eyes),
        };
        Made {
            by: ledger.terms.role(own.node.player).clone(),
            input: own.declare.input.clone(),
            sheet: sheets.get(at).cloned().flatten(),
            dice,
        }
    });
    let steps = steps.collect();
    (steps, named)
}

/// Returns the contents of a sheet; an empty object if the sheet is blank (hidden 5).
fn sheet(ledger: &Ledger<'_>, own: &Declaration<'_>, eyes: &Eyes<'_>) -> Option<Object> {
    let Some(note) = own.declare.moves.note() else { return Some(Object::new()) };
    let set = ledger.sets.get(&note)?;
    let text = set.text_by(&set.key_by(NOTE, eyes)?);
    Some(text.and_then(|text| read_note(&text)).unwrap_or_default())
}

/// Returns the dice of a declaration, if they are known.
fn dice_unseen<'s>(ledger: &'s Ledger<'_>, own: &Declaration<'_>, eyes: &Eyes<'_>) -> Option<Box<dyn Source + 's>> {
    if !ledger.is_answered(own, Past::ALL) {
        return None;
    }
    let opened = Opened::of(own, &ledger.sets, eyes)?;
    Some(Box::new(Lines { opened, places: own.places().to_vec() }))
}

fn hidden(phase: &Phase) -> Result<&dyn Hidden> {
    phase.hidden().ok_or_else(|| Error::Misuse(format!("{} is not a hidden course", phase.name)))
}

/// The error for a sheet that names dice that are not forfeited (hidden 7).
const NOTHING_TO_NAME: &str = "named: the dice of the previous declaration are not forfeited, so nobody may name them";

/// Whether a sheet names dice.
fn names_dice(sheet: &Object) -> bool {
    sheet.contains_key(NAMED)
}

/// The dice of a declaration, by line number.
struct Lines<'s, 'a> {
    opened: Opened<'s, 'a>,
    places: Vec<Place>,
}

impl Source for Lines<'_, '_> {
    fn draw(&mut self, place: Place, sides: u64) -> Result<u64> {
        let line = usize::try_from(place.line).ok().and_then(|line| line.checked_sub(1));
        let at = line.and_then(|line| self.places.get(line)).copied();
        let at = at.ok_or_else(|| Error::Refused(format!("line {} does not exist", place.line)))?;
        self.opened.draw(at, sides)
    }
}

/// Dice that their declarer names because they are forfeited (hidden 7).
struct Named {
    lines: BTreeMap<u64, Vec<u64>>,
    drawn: BTreeMap<u64, usize>,
    ill: Ill,
}

/// Faults in named dice, known only once the dice are drawn.
type Ill = Rc<RefCell<Vec<String>>>;

impl Named {
    fn of(sheet: Option<&Object>) -> Self {
        let (mut lines, ill) = (BTreeMap::new(), Ill::default());
        let named = sheet.and_then(|sheet| sheet.get(NAMED)).and_then(json::Value::as_object);
        for (name, list) in named.into_iter().flatten() {
            let line = name.parse::<u64>().ok().filter(|line| *line > 0 && line.to_string() == *name);
            let number = |value: &json::Value| value.as_u64().filter(|value| *value > 0);
            let list = list.as_array().and_then(|list| list.iter().map(number).collect::<Option<Vec<u64>>>());
            match line.zip(list) {
                Some((line, list)) => drop(lines.insert(line, list)),
                None => ill
                    .borrow_mut()
                    .push(format!("named: {name:?}: give a line number from 1 and a list of numbers from 1")),
            }
        }
        Self { lines, drawn: BTreeMap::new(), ill }
    }
}

impl Source for Named {
    fn draw(&mut self, place: Place, sides: u64) -> Result<u64> {
        let drawn = self.drawn.entry(place.line).or_default();
        let named = self.lines.get(&place.line).and_then(|line| line.get(*drawn)).copied();
        *drawn += 1;
        let fits = |value: &u64| *value <= sides;
        if let Some(value) = named.filter(|value| !fits(value)) {
            self.ill
                .borrow_mut()
                .push(format!("named: line {}: a die with {sides} sides cannot show {value}", place.line));
        }
        Ok(named.filter(fits).unwrap_or(1))
    }
}
