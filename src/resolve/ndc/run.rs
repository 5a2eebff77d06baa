//! A player's run, and the input that the player owes next (`protocol/hidden.md` 5, 6).

use super::{
    course::Ndc,
    form,
    game::Game,
    hand::Hand,
    input::{Adds, Input, Step},
    mover,
    own::{Due, Memory, Own},
    position,
    refused::refuse,
    sheet,
    state::State,
    tables::Tables,
    tell,
};
use crate::{
    blob::{
        body::{Hex32, Role},
        json::{Text, Value},
    },
    error::{Error, Result},
    resolve::hidden::Stop,
    resolve::{
        Hidden, Object, PositionTable, Source,
        hidden::{Made, Run, Told},
        object,
    },
};

impl Hidden for Ndc {
    fn sheet_bytes(&self) -> u64 {
        self.game.settings.sheet_bytes
    }

    fn withheld(&self) -> Vec<(&str, Hex32)> {
        self.game.tables.withheld()
    }

    fn lacking(&self) -> Vec<&'static str> {
        self.game.tables.lacking()
    }

    fn next(&self, state: &Object) -> Result<&'static str> {
        Ok(match State::read(&self.game.settings, state)?.awaits.step {
            Step::Setup => "Set up your units",
            Step::Move => "Move your units",
            Step::Defend => "Answer the attacks",
            Step::Report => "Report what met the enemy",
        })
    }

    fn form(&self, state: &Object, hand: &Object) -> Result<String> {
        Ok(form::of(&self.game, &State::read(&self.game.settings, state)?, Some(hand)))
    }

    fn in_order(&self, sheet: Object) -> Object {
        sheet::in_order(sheet)
    }

    fn roster(&self, hand: &Object) -> PositionTable {
        position::roster(hand)
    }

    fn tell(&self, hand: &Object) -> Vec<String> {
        tell::hand(hand, self.game.settings.letters)
    }

    fn run(&self, player: &Role, made: &mut [Made<'_>], supplied: &Object) -> Result<Run> {
        Runner::through(&self.game, player, made, supplied)?.done()
    }

    fn state(&self, player: &Role, made: &mut [Made<'_>], sheet: &Object, supplied: &Object) -> Result<Run> {
        let mut runner = Runner::through(&self.game, player, made, supplied)?;
        if runner.state.awaits.by != *player {
            let (by, step) = (&runner.state.awaits.by, runner.state.awaits.step.as_str());
            return Err(refuse(6, format_args!("{by} declares next ({step}), not {player}: wait for {by}'s letter")));
        }
        if runner.run.stopped.is_none() {
            runner.own(made.len(), made, sheet, None)?;
        }
        if let Some(why) = &runner.run.stopped {
            let next = "first read the letters that you have not read, or add the table";
            return Err(refuse(15, format_args!("this cannot be worked out yet (missing: {why}): {next}")));
        }
        if let Some(Told { due, wrong, .. }) = runner.run.told.last() {
            if !wrong.is_empty() {
                return Err(Error::Refused(wrong.join("\n")));
            }
            runner.state.fits(&self.game.settings, &Input::read(&self.game.settings, due)?)?;
        }
        runner.done()
    }
}

/// A run under way.
struct Runner<'r> {
    game: &'r Game,
    tables: Tables,
    state: State,
    hand: Hand,
    memory: Memory,
    /// The place of the player's last declaration among those made.
    last: Option<usize>,
    run: Run,
}

impl<'r> Runner<'r> {
    /// Goes through all declarations that were made.
    fn through(game: &'r Game, player: &'r Role, made: &mut [Made<'_>], supplied: &Object) -> Result<Self> {
        if !game.settings.sides.contains(player) {
            return Err(refuse(1, format_args!("{player} is not one of the two sides: use one of them")));
        }
        let mut runner = Self {
            game,
            tables: game.tables.with(supplied),
            state: State::begin(&game.settings),
            hand: Hand::default(),
            memory: Memory::default(),
            last: None,
            run: Run::default(),
        };
        for at in 0..made.len() {
            let Some(Made { by, input: text, sheet, .. }) = made.get(at) else { break };
            let input = Input::read(&game.settings, text)?;
            runner.state.fits(&game.settings, &input)?;
            if runner.state.awaits.by != *by {
                return Err(refuse(6, format_args!("{} declares next, not {by}", runner.state.awaits.by)));
            }
            let (own, sheet, text) = (by == player, sheet.clone(), text.clone());
            let ends = matches!(&input.adds, Adds::Move(moved) if moved.ends());
            if own && runner.run.stopped.is_none() {
                match sheet {
                    Some(sheet) => {
                        runner.own(at, made, &sheet, Some(ends))?;
                        runner.compare(&text)?;
                    }
                    None => runner.run.stopped = Some(Stop::Sheet),
                }
            } else if runner.run.stopped.is_none() {
                mover::take(&mut runner.hand, &runner.memory, &runner.state, &input);
            }
            runner.state = runner.state.after(&game.settings, &input);
        }
        Ok(runner)
    }

    /// Ends the run, with the hand as it is now.
    fn done(mut self) -> Result<Run> {
        if self.run.run > 0 {
            self.run.hand = Some(object(&self.hand)?);
        }
        Ok(self.run)
    }

    /// Runs one of the player's own declarations, at its place among those made.
    fn own(&mut self, at: usize, made: &mut [Made<'_>], sheet: &Object, stated: Option<bool>) -> Result<()> {
        let (mut hand, mut memory) = (self.hand.clone(), self.memory.clone());
        let source = self.last.and_then(|last| made.get_mut(last)?.dice.as_deref_mut());
        let source = source.map(|source| -> &mut dyn Source { source });
        let own = Own::new(self.game, &self.tables, &self.state, (&mut hand, &mut memory), sheet, source, stated);
        match own.run() {
            Ok(Due { input, wrong, steps, draws }) => {
                self.run.run += 1;
                self.run.told.push(Told { at, due: input.text()?, wrong, steps });
                let from = self.last.unwrap_or_default();
                self.run.draws.extend(draws.into_iter().map(|draw| (from, draw)));
                (self.hand, self.memory, self.last) = (hand, memory, Some(at));
            }
            Err(stop) => self.run.stopped = Some(stop),
        }
        Ok(())
    }

    /// Compares the stated input with the one that was due.
    fn compare(&mut self, stated: &Text) -> Result<()> {
        let Some(told) = self.run.told.last_mut().filter(|told| told.due != *stated) else { return Ok(()) };
        if self.run.stopped.is_some() {
            return Ok(());
        }
        let (stated, due): (Object, Object) = (stated.read()?, told.due.read()?);
        for (name, due) in &due {
            let said = stated.get(name).unwrap_or(&Value::Null);
            if said != due {
                told.wrong.push(format!("{name}: the letter states {said}, but the sheet and the dice give {due}"));
            }
        }
        Ok(())
    }
}
