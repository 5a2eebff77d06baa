//! Hidden courses in the ledger: sheets, and the runs that work out again what was stated from them
//! (`protocol/hidden.md`).

use std::{
    cell::{OnceCell, RefCell},
    collections::BTreeMap,
    rc::Rc,
};

use super::{
    charter::{Phase, Player},
    declarations::{Declaration, Opened, Resolved},
    ledger::Ledger,
    order::Node,
    seals::Set,
    secrets::NOTE,
};
use crate::{
    blob::{
        body::{Declare, Hex32, Moves, Name, Seal, SetKind, Slot},
        json,
    },
    error::{Error, Result},
    primitive::secret::Secret,
    resolve::{
        Account, Course, Draw, Hidden, Listed, Object, Place, Source,
        hidden::{Made, Run, Told},
    },
    rule::Rule,
};

/// The name of sheets (hidden 2).
pub const SHEET: &str = "sheet";

/// The field of a sheet that names forfeited dice (hidden 7).
pub const NAMED: &str = "named";

/// What the cipher adds to a note (hidden 2).
const TAG: u64 = 16;

/// Whose secrets a run may read besides those that letters opened: M of a set, from whoever sealed it.
pub type Eyes<'e> = dyn Fn(&Set<'_>) -> Option<Secret> + 'e;

/// Tables that somebody supplies, by their fingerprints (hidden 8).
pub type Supplied = BTreeMap<Hex32, Object>;

/// A run, and the declarations that it went through.
#[derive(Debug)]
pub struct Ran {
    /// The phase of its course.
    pub phase: Name,
    /// Whose run it is.
    pub player: Player,
    /// The declarations that the course has taken, in order, both players'.
    pub made: Vec<Hex32>,
    /// What it came to.
    pub run: Run,
}

impl Phase {
    /// The second reading of its course, if it is hidden.
    #[must_use]
    pub fn hidden(&self) -> Option<&dyn Hidden> {
        self.system.resolver().course().and_then(Course::hidden)
    }
}

impl<'a> Ledger<'a> {
    /// The tables that somebody supplies, for runs.
    pub fn supply(&mut self, tables: Supplied) {
        self.supplied = tables;
        self.ran = OnceCell::new();
    }

    /// The hidden course that a slot is of.
    pub(super) fn hidden_at(&self, slot: &Slot) -> Option<&'a dyn Hidden> {
        self.terms.slot(slot).and_then(|(_, phase)| phase.hidden())
    }

    /// Whether a declaration is one of a hidden course.
    pub(super) fn is_hidden(&self, declare: &Declare) -> bool {
        self.hidden_at(&declare.slot).is_some()
    }

    /// Whether a note is of the length of sheets, if it is one (hidden 2).
    pub(super) fn fits_sheet(&self, seal: &Seal) -> bool {
        let slot =
            seal.purpose.rsplit_once('/').filter(|(_, name)| *name == SHEET).and_then(|(slot, _)| Slot::parse(slot));
        let hidden = slot.as_ref().and_then(|slot| self.hidden_at(slot)).filter(|_| seal.kind == SetKind::Note);
        let note = seal.notes.as_ref().and_then(|notes| notes.first());
        hidden.is_none_or(|hidden| note.is_some_and(|note| note.0.len() as u64 == hidden.sheet_bytes() + TAG))
    }

    /// The ruling that settled what a run finds on a declaration: one that knew its sheet (hidden 6).
    #[must_use]
    pub fn settled_knowingly(&self, declaration: &Hex32) -> Option<Hex32> {
        let rulings = self.rulings.settled.get(declaration)?;
        rulings
            .iter()
            .copied()
            .find(|ruling| self.nodes.get(ruling).is_some_and(|ruling| self.knows_sheet(ruling, declaration)))
    }

    /// Whether a letter has the opening of the sheet of a valid declaration of a hidden course in its past.
    pub(super) fn knows_sheet(&self, letter: &Node, declaration: &Hex32) -> bool {
        let own = self.declarations.get(declaration).filter(|own| own.valid && self.is_hidden(own.declare));
        match own.map(|own| &own.declare.moves) {
            Some(Moves::Note(note)) => self.sets.get(&note.seal).is_some_and(|set| set.opened_for(NOTE, letter)),
            _ => false,
        }
    }

    /// hidden 2: that the moves of a declaration are its sheet.
    pub(super) fn check_sheet(&self, declare: &Declare, phase: &Phase) -> Result<()> {
        let sheet = match &declare.moves {
            Moves::Note(note) => self.sets.get(&note.seal),
            _ => None,
        };
        match phase.hidden().is_none()
            || sheet.is_some_and(|set| set.seal.purpose == format!("{}/{SHEET}", declare.slot))
        {
            true => Ok(()),
            false => Err(Error::breach(Rule::Declare3, "in a hidden course the moves are the slot's sheet (hidden 2)")),
        }
    }

    /// What follows from a declaration of a hidden course for everybody: no die decides it.
    pub(super) fn unseen(&self, declaration: &Declaration<'_>, account: &mut Account) -> Option<Resolved> {
        declaration.resolve(self.terms, &[], &mut Listed::new(&[]), account).ok()
    }

    /// The runs of all hidden courses, of both players, with what letters at hand have opened; worked out once.
    pub fn runs(&self) -> &[Ran] {
        self.ran.get_or_init(|| {
            let phases = self.terms.courses().map(|(phase, _)| phase).filter(|phase| phase.hidden().is_some());
            let runs = phases.flat_map(|phase| Player::BOTH.map(|player| self.run(phase, player, &|_| None)));
            runs.filter_map(Result::ok).collect()
        })
    }

    /// What the run makes of a declaration, with what letters at hand have opened.
    #[must_use]
    pub fn worked_out(&self, declaration: &Hex32) -> Option<&Told> {
        self.runs().iter().flat_map(Ran::told).find(|(id, _)| id == declaration).map(|(_, told)| told)
    }

    /// The declaration in whose sheet the dice of one are named, because they are forfeited (hidden 7, 9).
    #[must_use]
    pub fn named_in(&self, made: &[Hex32], declaration: &Declaration<'_>) -> Option<Hex32> {
        let later = made.iter().skip_while(|id| **id != declaration.node.id()).skip(1);
        let mut later = later.filter_map(|id| self.declarations.get(id));
        let next = later.find(|later| later.node.player == declaration.node.player)?;
        declaration.forfeits.iter().any(|forfeit| next.node.has_in_past(forfeit)).then(|| next.node.id())
    }

    /// The declaration whose dice a player names in their next sheet, because they are forfeited (hidden 7), and its place
    /// among what its course has taken.
    #[must_use]
    pub fn named_next(&self, player: Player) -> Option<(usize, &Declaration<'a>)> {
        let phases = self.terms.courses().map(|(phase, _)| phase).filter(|phase| phase.hidden().is_some());
        phases.into_iter().find_map(|phase| self.forfeited_in(&self.made(phase), player))
    }

    /// A player's last declaration among those that a course has taken, with its place, if its dice are forfeited.
    fn forfeited_in(&self, made: &[Hex32], player: Player) -> Option<(usize, &Declaration<'a>)> {
        let taken = made.iter().enumerate().rev().filter_map(|(at, id)| Some((at, self.declarations.get(id)?)));
        let last = taken.into_iter().find(|(_, own)| own.node.player == player)?;
        Some(last).filter(|(_, own)| !own.forfeits.is_empty())
    }

    /// The run of a player (hidden 5).
    ///
    /// # Errors
    /// [`Error::Misuse`] if the course is not hidden.
    pub fn run(&self, phase: &Phase, player: Player, eyes: &Eyes<'_>) -> Result<Ran> {
        let (hidden, made) = (hidden(phase)?, self.made(phase));
        let (mut steps, named) = self.steps(&made, eyes, None);
        let mut run = hidden.run(self.terms.role(player), &mut steps, &self.tables(hidden))?;
        for told in &mut run.told {
            let ill = named.iter().filter(|(at, _)| *at == Some(told.at));
            told.wrong.extend(ill.flat_map(|(_, ill)| ill.borrow().clone()));
            let names = steps.get(told.at).and_then(|step| step.sheet.as_ref()).is_some_and(names_dice);
            let before = made.iter().take(told.at).rev().filter_map(|id| self.declarations.get(id));
            let last = before.into_iter().find(|before| before.node.player == player);
            if names && last.is_none_or(|last| self.named_in(&made, last).is_none()) {
                told.wrong.push(NOTHING_TO_NAME.into());
            }
        }
        Ok(Ran { phase: phase.name.clone(), player, made, run })
    }

    /// What a player's next declaration has to say, from his sheet (hidden 6).
    ///
    /// # Errors
    /// [`Error::Refused`] with what the sheet says and the rules do not allow.
    pub fn state_from(&self, phase: &Phase, player: Player, sheet: &Object, eyes: &Eyes<'_>) -> Result<Run> {
        let (hidden, made) = (hidden(phase)?, self.made(phase));
        if names_dice(sheet) && self.forfeited_in(&made, player).is_none() {
            return Err(Error::Refused(NOTHING_TO_NAME.into()));
        }
        let (mut steps, named) = self.steps(&made, eyes, Some((player, sheet)));
        let run = hidden.state(self.terms.role(player), &mut steps, sheet, &self.tables(hidden))?;
        match named.iter().find_map(|(at, ill)| ill.borrow().first().cloned().filter(|_| at.is_none())) {
            Some(ill) => Err(Error::Refused(ill)),
            None => Ok(run),
        }
    }

    /// The withheld tables of a course that are supplied, by name.
    fn tables(&self, hidden: &dyn Hidden) -> Object {
        let found = hidden.withheld().into_iter().filter_map(|(name, fingerprint)| {
            let table = self.supplied.get(&fingerprint)?;
            Some((name.to_owned(), json::Value::Object(table.clone())))
        });
        found.collect()
    }

    /// What a course has taken, in order.
    fn made(&self, phase: &Phase) -> Vec<Hex32> {
        let mut made: Vec<Hex32> = self.taken_if(phase, &|_: &Node| true).collect();
        made.reverse();
        made
    }

    /// What a run goes through; and where dice are named, by the place of the declaration whose sheet does so (none: the next
    /// one's), what is wrong with that.
    fn steps<'s>(
        &'s self,
        made: &[Hex32],
        eyes: &Eyes<'_>,
        next: Option<(Player, &Object)>,
    ) -> (Vec<Made<'s>>, Vec<(Option<usize>, Ill)>) {
        let mut named = Vec::new();
        let declarations = made.iter().filter_map(|id| self.declarations.get(id));
        let declarations: Vec<&Declaration<'_>> = declarations.collect();
        let sheets: Vec<Option<Object>> = declarations.iter().map(|own| self.sheet(own, eyes)).collect();
        let steps = declarations.iter().enumerate().map(|(at, own)| {
            let later = declarations.iter().zip(&sheets).enumerate().skip(at + 1);
            let mut later = later.filter(|(_, (later, _))| later.node.player == own.node.player);
            let (place, known, after) = match later.next() {
                Some((place, (later, sheet))) => (Some(place), Some(later.node), sheet.as_ref()),
                None => (None, None, next.filter(|(player, _)| *player == own.node.player).map(|(_, sheet)| sheet)),
            };
            let mut forfeits = own.forfeits.iter();
            let forfeited = forfeits.any(|forfeit| known.is_none_or(|known| known.has_in_past(forfeit)));
            Made {
                by: self.terms.role(own.node.player).clone(),
                input: own.declare.input.clone(),
                sheet: sheets.get(at).cloned().flatten(),
                dice: match forfeited {
                    true => {
                        let dice = Named::of(after);
                        named.push((place, dice.ill.clone()));
                        Some(Box::new(dice))
                    }
                    false => self.dice_unseen(own, eyes),
                },
            }
        });
        let steps = steps.collect();
        (steps, named)
    }

    /// What a sheet says; an empty object if it says nothing (hidden 5).
    fn sheet(&self, declaration: &Declaration<'_>, eyes: &Eyes<'_>) -> Option<Object> {
        let Moves::Note(note) = &declaration.declare.moves else { return Some(Object::new()) };
        let set = self.sets.get(&note.seal)?;
        let key = set.key_by(NOTE, eyes)?;
        let ciphertext = set.seal.notes.as_ref().and_then(|notes| notes.first());
        let text = ciphertext.and_then(|ciphertext| set.context.open_note(&key, &ciphertext.0).ok());
        let says = text.and_then(|text| {
            let tree = json::parse_canonical(text.as_bytes()).ok()?;
            json::read::<Object>(&tree).ok()
        });
        Some(says.unwrap_or_default())
    }

    /// The dice of a declaration, if they are known.
    fn dice_unseen<'s>(&'s self, declaration: &Declaration<'_>, eyes: &Eyes<'_>) -> Option<Box<dyn Source + 's>> {
        if !self.answered_if(declaration, |_: &Node| true) {
            return None;
        }
        let contribution = declaration.contribution_seed(&self.sets, eyes)?;
        let opened = Opened::of(declaration, contribution, &self.sets);
        Some(Box::new(Lines { opened, places: declaration.places().to_vec() }))
    }
}

fn hidden(phase: &Phase) -> Result<&dyn Hidden> {
    phase.hidden().ok_or_else(|| Error::Misuse(format!("{} is no hidden course", phase.name)))
}

/// Why a sheet that names dice is wrong (hidden 7).
const NOTHING_TO_NAME: &str = "named: the dice of the declaration before are not forfeited";

/// Whether a sheet names dice.
fn names_dice(sheet: &Object) -> bool {
    sheet.contains_key(NAMED)
}

/// The dice of a declaration by the numbers of their lines.
struct Lines<'s, 'a> {
    opened: Opened<'s, 'a>,
    places: Vec<Place>,
}

impl Source for Lines<'_, '_> {
    fn draw(&mut self, place: Place, sides: u64) -> Result<u64> {
        let line = usize::try_from(place.line).ok().and_then(|line| line.checked_sub(1));
        let at = line.and_then(|line| self.places.get(line)).copied();
        let at = at.ok_or_else(|| Error::Refused(format!("there is no line {}", place.line)))?;
        self.opened.draw(at, sides)
    }
}

/// Dice that their declarer names, because they are forfeited (hidden 7).
struct Named {
    lines: BTreeMap<u64, Vec<u64>>,
    drawn: BTreeMap<u64, usize>,
    ill: Ill,
}

/// What is wrong with named dice, known when they are drawn.
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
                None => ill.borrow_mut().push(format!("named: {name:?}: a line from 1, with a list of numbers from 1")),
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
            self.ill.borrow_mut().push(format!("named: line {}: {value} is on no die of {sides} sides", place.line));
        }
        Ok(named.filter(fits).unwrap_or(1))
    }
}

impl Ran {
    /// How many declarations of the player were taken.
    #[must_use]
    pub fn declared(&self, ledger: &Ledger<'_>) -> u64 {
        let own = self.made.iter().filter_map(|id| ledger.declaration(id));
        own.filter(|own| own.node.player == self.player).count() as u64
    }

    /// What it drew, by declaration.
    pub fn draws(&self) -> impl Iterator<Item = (Hex32, &Draw)> {
        self.run.draws.iter().filter_map(|(at, draw)| Some((*self.made.get(*at)?, draw)))
    }

    /// What it found wrong, by declaration, and the worksheets.
    pub fn told(&self) -> impl Iterator<Item = (Hex32, &Told)> {
        self.run.told.iter().filter_map(|told| Some((*self.made.get(told.at)?, told)))
    }
}
