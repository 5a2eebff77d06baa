//! Throwing dice in a turn (`protocol/event-tables.md` 16, 32, 33): tables, dice with a meaning, picks.

use serde_json::json;

use super::{
    ranges::{self, Row},
    state::Run,
    tables::{From, NOTHING, Of, Rows, Table},
    turn::{Dice, Flow, Turn},
};
use crate::{blob::json::Value, error::Result};

/// Formats a name for people.
pub(super) fn plain(name: &str) -> String {
    name.replace(['-', '_'], " ")
}

/// Formats a dice result for people.
fn shown(dice: ranges::Dice, faces: &[u64], value: u64) -> String {
    match faces {
        [_] => format!("{}: {value}", dice.tell()),
        faces => {
            let faces: Vec<String> = faces.iter().map(u64::to_string).collect();
            format!("{}: {} make {value}", dice.tell(), faces.join(" and "))
        }
    }
}

impl Turn<'_> {
    /// Continues a run at a target: rolls on tables until the run enters an event.
    pub(super) fn go(&mut self, run: &mut Run, target: &str, dice: &mut Dice<'_, '_>) -> Result<Flow> {
        let game = self.game;
        let mut target = target.to_owned();
        loop {
            if target == NOTHING {
                return Ok(Flow::Void("nothing"));
            }
            let Some(table) = game.tables.tables.get(&target) else { return Ok(self.enter(run, target)) };
            match self.roll_on(run, &target, table, dice)? {
                Some(next) => target = next,
                None => return Ok(Flow::Dice),
            }
        }
    }

    fn enter(&mut self, run: &mut Run, name: String) -> Flow {
        let Some(event) = self.game.tables.events.get(&name) else { return Flow::Void(NOTHING) };
        let held = event.when.as_ref().is_none_or(|when| when.holds(&|name| self.known(run, name)));
        let used = |side: &str| self.state.used.get(&name).and_then(|used| used.get(side)).copied().unwrap_or_default();
        let waiting = self.waiting_in(&name);
        let up = event.limit.as_ref().is_some_and(|limit| {
            let both = match &limit.of {
                Of::Side => false,
                Of::Both => true,
                Of::Setting(setting) => self.game.settings.get(setting).is_some_and(|of| of == "both"),
            };
            let other = if both { used(self.enemy()) } else { 0 };
            used(self.owner()) + waiting + other >= limit.most
        });
        let why = if held { "limit" } else { "when" };
        if held && !up {
            run.path.push(name.clone());
            run.event = name;
            run.step = Some(0);
            return Flow::Went;
        }
        // An `each_turn` event that is not due is not reported.
        if run.step.is_some() || !self.game.tables.each_turn.values().flatten().any(|event| *event == name) {
            let told = match &event.when {
                Some(when) if !held => format!("it only happens if {when}"),
                _ => "it has already happened as often as allowed".into(),
            };
            self.say(format!("{}: {told}", plain(&name)));
        }
        run.path.push(name);
        Flow::Void(why)
    }

    /// Rolls on a table, and returns the target.
    fn roll_on(&mut self, run: &Run, name: &str, table: &Table, dice: &mut Dice<'_, '_>) -> Result<Option<String>> {
        let why = format!("{name}{}", table.source.mark());
        let Some((faces, value)) = dice.throw(table.dice, &why)? else { return Ok(None) };
        let counts = table
            .modifiers
            .iter()
            .filter(|modifier| modifier.when.as_ref().is_none_or(|when| when.holds(&|name| self.known(run, name))));
        let modifier: i64 = counts.map(|modifier| modifier.by).sum();
        let rolled = shown(table.dice, &faces, value);
        let moved = if modifier == 0 { String::new() } else { format!(", modified by {modifier:+}") };
        let title = format!("{}{}", plain(name), table.source.mark());
        let (by, row, cell, value) = match &table.rows {
            Rows::Plain(rows) => {
                let value = table.dice.moved(value, modifier);
                let cell = ranges::row(rows, value).map(|(_, row)| row);
                let target = cell.map_or(NOTHING, |row| row.has.as_str());
                self.say(format!("{title}, {rolled}{moved}: {}", told(target)));
                (None, None, cell, value)
            }
            Rows::By { name, rows } => {
                let by = self.known(run, name).map_or(0, |by| by.number());
                let at = ranges::row(rows, by).map_or(0, |(at, _)| at);
                let at = at.saturating_add_signed(isize::try_from(modifier).unwrap_or_default());
                let row = rows.get(at).or_else(|| rows.last());
                let cell = row.and_then(|row| ranges::row(&row.has, value)).map(|(_, cell)| cell);
                let target = cell.map_or(NOTHING, |cell| cell.has.as_str());
                let range = row.map_or("", |row| row.range.as_str());
                self.say(format!("{title}, {} {by}{moved}: row {range}; {rolled}: {}", plain(name), told(target)));
                (Some(by), row.map(|row| row.range.clone()), cell, value)
            }
        };
        let target = cell.map_or(NOTHING, |cell: &Row<String>| cell.has.as_str()).to_owned();
        self.log.push(json!({
            "by": by,
            "cell": cell.map(|cell| &cell.range),
            "dice": faces,
            "modifier": modifier,
            "row": row,
            "source": table.source,
            "table": name,
            "to": target,
            "value": value,
        }));
        Ok(Some(target))
    }

    /// Rolls a die defined in the file.
    pub(super) fn roll(&mut self, run: &mut Run, name: &str, dice: &mut Dice<'_, '_>) -> Result<Flow> {
        let Some(die) = self.game.tables.dice.get(name) else { return Ok(Flow::On) };
        let Some((faces, value)) = dice.throw(die.dice, name)? else { return Ok(Flow::Dice) };
        let word = die.rows.as_ref().and_then(|rows| ranges::row(rows, value)).map(|(_, row)| row.has.clone());
        let rolled = shown(die.dice, &faces, value);
        let on = run.bound.values().next().map(|entry| format!(" for {entry}")).unwrap_or_default();
        let meaning = word.as_ref().map(|word| format!(": {}", plain(word))).unwrap_or_default();
        self.say(format!("{}{on}, {rolled}{meaning}", plain(name)));
        self.log.push(json!({ "dice": faces, "die": name, "value": value, "word": word }));
        run.values.insert(name.to_owned(), word.map_or_else(|| Value::from(value), Value::from));
        Ok(Flow::On)
    }

    /// Draws one entry from a pool into its register.
    pub(super) fn draw_of(
        &mut self,
        run: &mut Run,
        from: &From,
        candidates: Vec<String>,
        pool: Vec<String>,
        dice: &mut Dice<'_, '_>,
    ) -> Result<Flow> {
        let sides = pool.len() as u64;
        let kind = plain(&from.kind);
        let draw = if sides > 1 {
            let one = ranges::Dice::Sum { count: 1, sides };
            let Some((_, value)) = dice.throw(one, &from.register)? else { return Ok(Flow::Dice) };
            Some(value)
        } else {
            None
        };
        let at = draw.unwrap_or(1).saturating_sub(1);
        let Some(picked) = usize::try_from(at).ok().and_then(|at| pool.get(at)).cloned() else {
            return Ok(Flow::Void("nobody"));
        };
        let of = pool.join(", ");
        self.say(match draw {
            Some(value) => format!("{kind}, one of {of}; d{sides}: {value}, {picked}"),
            None => format!("{kind}: only {picked} qualifies"),
        });
        self.log.push(json!({
            "candidates": candidates, "draw": draw, "picked": picked, "pool": pool, "register": from.register,
        }));
        run.bound.insert(from.register.clone(), picked);
        Ok(Flow::On)
    }
}

fn told(target: &str) -> String {
    if target == NOTHING { "nothing".into() } else { plain(target) }
}
