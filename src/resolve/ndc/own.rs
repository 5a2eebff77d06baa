//! A player's own declaration: its effect on the hand, and the input that it must have (`protocol/ndc.md` 15 to 18).

use super::{
    cells::{Cell, Weather},
    game::Game,
    hand::Hand,
    hexes::{Hex, Int, Name},
    input::{Adds, Combat, ContactName, Input, Moved, Shown, Step},
    names,
    sheet::Sheet,
    state::State,
    tables::Tables,
};
use crate::{
    blob::body::Role,
    resolve::hidden::Stop,
    resolve::{Draw, Object, Place, Source, draws::Why},
};

/// The result of running a player's own declaration.
pub(super) struct Due {
    pub(super) input: Input,
    pub(super) wrong: Vec<String>,
    pub(super) steps: Vec<String>,
    pub(super) draws: Vec<Draw>,
}

/// The facts about the player's last move that are remembered until it is answered.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// Units that moved, with paths and costs.
    pub(super) moves: Vec<(usize, Vec<Hex>, Vec<i64>)>,
    /// For each combat, the attacking unit, or `None` for counter-battery.
    pub(super) attackers: Vec<Option<usize>>,
}

/// The dice of the author's declaration before this one.
pub(super) struct Dice<'d> {
    pub(super) source: Option<&'d mut dyn Source>,
    pub(super) drawn: Vec<Draw>,
}

/// A player's own declaration while it is run.
pub(super) struct Own<'o> {
    pub(super) game: &'o Game,
    pub(super) tables: &'o Tables,
    pub(super) before: &'o State,
    pub(super) me: Role,
    pub(super) other: Role,
    pub(super) hand: &'o mut Hand,
    pub(super) memory: &'o mut Memory,
    pub(super) sheet: Sheet<'o>,
    pub(super) dice: Dice<'o>,
    pub(super) steps: Vec<String>,
    pub(super) rolled: i64,
    pub(super) weather: Vec<Weather>,
    pub(super) entries: Vec<Hex>,
    /// Where each unit was before it changed its mode.
    pub(super) stood: Vec<Vec<Hex>>,
    /// Whether the stated input ended the player turn, or `None` if it is not stated yet.
    stated: Option<bool>,
}

impl<'o> Own<'o> {
    pub(super) fn new(
        game: &'o Game,
        tables: &'o Tables,
        before: &'o State,
        (hand, memory): (&'o mut Hand, &'o mut Memory),
        sheet: &'o Object,
        source: Option<&'o mut dyn Source>,
        stated: Option<bool>,
    ) -> Self {
        let me = before.awaits.by.clone();
        Self {
            game,
            tables,
            before,
            other: game.settings.other(&me),
            me,
            hand,
            memory,
            sheet: Sheet::new(sheet),
            dice: Dice { source, drawn: Vec::new() },
            steps: Vec::new(),
            rolled: 0,
            weather: before.weather.clone(),
            entries: Vec::new(),
            stood: Vec::new(),
            stated,
        }
    }

    pub(super) fn say(&mut self, step: impl Into<String>) {
        self.steps.push(step.into());
    }

    /// The hexes of the opponent's contacts.
    pub(super) fn enemies(&self) -> Vec<Hex> {
        self.before.contacts_of(&self.other).collect()
    }

    pub(super) fn is_beside(&self, hexes: &[Hex], others: &[Hex]) -> bool {
        hexes.iter().any(|hex| hex.is_beside_any(others, self.game.settings.low_columns))
    }

    /// Draws one die of the author's previous declaration.
    pub(super) fn draw(&mut self, line: u64, sides: u64, why: &str) -> Result<u64, Stop> {
        draw(&mut self.dice, &self.me, line, sides, why).map_err(|_| Stop::Dice)
    }

    /// Looks up a table with the dice of a line of the author's previous declaration.
    pub(super) fn look_up(&mut self, table: &'static str, column: i64, line: u64, why: &str) -> Result<Cell, Stop> {
        self.look_up_of(table, column, line, (why, ""))
    }

    /// Looks up a table; people are also told what `more` says.
    pub(super) fn look_up_of(
        &mut self,
        table: &'static str,
        column: i64,
        line: u64,
        (why, more): (&str, &str),
    ) -> Result<Cell, Stop> {
        let found = self.tables.table(table).ok_or_else(|| Stop::Table(table.into()))?;
        let (dice, me) = (&mut self.dice, &self.me);
        let found = found.look_up(column, |sides| draw(dice, me, line, sides, why)).map_err(|_| Stop::Dice)?;
        let found = found.ok_or_else(|| Stop::Table(table.into()))?;
        self.say(format!("{}{more}: {}", names::told(why), found.told));
        Ok(found.cell)
    }

    /// Looks up a table whose cells are numbers.
    pub(super) fn number(&mut self, table: &'static str, column: i64, line: u64, why: &str) -> Result<i64, Stop> {
        self.number_of(table, column, line, (why, ""))
    }

    /// Looks up a table whose cells are numbers; people are also told what `more` says.
    pub(super) fn number_of(
        &mut self,
        table: &'static str,
        column: i64,
        line: u64,
        why: (&str, &str),
    ) -> Result<i64, Stop> {
        match self.look_up_of(table, column, line, why)? {
            Cell::Number(number) => Ok(number),
            _ => Err(Stop::Table(table.into())),
        }
    }

    /// Applies the declaration to the hand, and returns the input that it must have (15).
    pub(super) fn run(mut self) -> Result<Due, Stop> {
        let step = self.before.awaits.step;
        let second = !self.game.settings.is_first(&self.me);
        if step == Step::Setup {
            self.roster();
        }
        self.command()?;
        self.ammunition()?;
        self.finished()?;
        let begins = step == Step::Move && self.before.segment == 1;
        let mut moved = Moved::default();
        let mut ends = false;
        if begins {
            self.begin_turn();
        }
        if begins || step == Step::Setup && second {
            moved.intelligence = Some(self.allocate());
        }
        if begins && !second {
            moved.weather = Some(self.roll_weather()?);
        }
        if begins {
            self.search()?;
        }
        let adds = match step {
            Step::Setup => {
                self.orders()?;
                Adds::Setup { intelligence: moved.intelligence }
            }
            Step::Move => {
                self.moves();
                self.attacks(&mut moved)?;
                self.interdictions(&mut moved)?;
                ends = self.stated.unwrap_or_else(|| moved.ends());
                if ends {
                    self.hand.units.iter_mut().for_each(|unit| unit.finished = true);
                }
                self.orders()?;
                Adds::Move(moved)
            }
            Step::Defend => {
                self.orders()?;
                Adds::Defend { combats: self.defend() }
            }
            Step::Report => {
                let adds = self.report()?;
                self.orders()?;
                adds
            }
        };
        self.volunteer();
        if ends {
            self.end_turn();
        } else if step == Step::Move {
            self.stay();
        }
        Ok(self.due(adds))
    }

    fn due(mut self, mut adds: Adds) -> Due {
        let (contacts, paths) = self.shown();
        if let Adds::Move(moved) = &mut adds {
            let contact = |unit: &Option<usize>| self.hand.units.get((*unit)?)?.contacts.first().copied();
            for (combat, unit) in moved.combats.iter_mut().zip(&self.memory.attackers) {
                if let Combat::Attack(attack) = combat {
                    attack.contact = contact(unit).map(ContactName::of);
                }
            }
        }
        self.hand.searched = self.before.intelligence_of(&self.other).cloned();
        let rolled = self.game.settings.roll_count_public.then_some(Int(self.rolled));
        let shown = Shown { contacts, entries: std::mem::take(&mut self.entries), paths, rolled };
        let input = Input { shown, adds };
        Due { input, wrong: self.sheet.finish(), steps: self.steps, draws: self.dice.drawn }
    }

    /// How many of the author's units are next to a hex, for a modifier (21, 22).
    pub(super) fn beside(&self, hex: Hex, but: usize) -> i64 {
        let all = self.game.settings.adjacent == super::settings::Adjacent::All;
        let low = self.game.settings.low_columns;
        let counts =
            self.hand.there().filter(|(place, unit)| (all || *place != but) && hex.is_beside_any(&unit.hexes, low));
        i64::try_from(counts.count()).unwrap_or(i64::MAX)
    }

    /// The sum of terrain modifiers: the attacker's or the defender's.
    pub(super) fn terrain(
        &self,
        names: &[Name],
        which: impl Fn(&[i64; 2]) -> i64,
    ) -> Result<Result<i64, String>, Stop> {
        if names.is_empty() {
            return Ok(Ok(0));
        }
        let rows = self.tables.terrain().ok_or_else(|| Stop::Table(names::TERRAIN.into()))?;
        let mut sum = 0;
        if !super::hexes::ascending(names) {
            return Ok(Err("terrain must be sorted, without repeats".into()));
        }
        for name in names {
            match rows.get(name) {
                Some(row) => sum += which(row),
                None => return Ok(Err(format!("{name} is not a row of {}: check the name", names::TERRAIN))),
            }
        }
        Ok(Ok(sum))
    }
}

fn draw(dice: &mut Dice<'_>, me: &Role, line: u64, sides: u64, why: &str) -> crate::error::Result<u64> {
    let unknown = || crate::error::Error::Refused("these dice are not known yet".into());
    let place = Place { index: 0, line };
    let source = dice.source.as_mut().ok_or_else(unknown)?;
    let value = source.draw(place, sides)?;
    if !(1..=sides).contains(&value) {
        return Err(unknown());
    }
    dice.drawn.push(Draw {
        audience: me.as_str().to_owned().into(),
        n: dice.drawn.len() as u64 + 1,
        place,
        sides,
        value,
        why: Why::new(why),
    });
    Ok(value)
}
