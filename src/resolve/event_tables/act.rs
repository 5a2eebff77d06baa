//! What each kind of step does (`protocol/event-tables.md` 8, 18, 19, 33 to 36).

use serde_json::json;

use super::{
    dice::plain,
    game::refuse,
    orders,
    state::{Run, key},
    tables::{Amount, Change, Does, From, Lines},
    turn::{Dice, Flow, Turn},
    typed::{like, listed},
    words::{Known, NUMBER, Type},
    written::By,
};
use crate::{blob::json::Value, error::Result};

/// Returns the names that a decision picks from those that are left.
fn picked(ask: &str, value: &Value, wanted: usize, left: &[&str], all: &[String]) -> Result<Vec<String>> {
    let refused = |what: String| {
        let many = if wanted == 1 { "one of these".into() } else { format!("{wanted} of these, separated by commas") };
        Err(refuse(18, format_args!("{ask}: {what}; type {many}: {}", listed(left, all))))
    };
    let Some(names) = orders::names(value) else {
        return refused("the answer must be a list of different names".into());
    };
    match names.iter().find(|name| !left.contains(&name.as_str())) {
        Some(other) => refused(format!("{other:?} does not qualify or is already named")),
        None if names.len() != wanted => {
            refused(format!("too few or too many names ({} given, {wanted} needed)", names.len()))
        }
        None => Ok(names),
    }
}

impl Turn<'_> {
    /// Performs one step of an event, and returns how the run continues.
    pub(super) fn does(&mut self, run: &mut Run, does: &Does, dice: &mut Dice<'_, '_>) -> Result<Flow> {
        match does {
            Does::Pick(from) => {
                let candidates = self.candidates(run, from);
                if candidates.is_empty() {
                    return Ok(self.nobody(from));
                }
                self.draw_of(run, from, candidates.clone(), candidates, dice)
            }
            Does::Pool { from, enemy, owner, ask } => self.pool(run, from, [*enemy, *owner], ask, dice),
            Does::Choose { from, by, ask } => self.entry_chosen(run, from, *by, ask, dice),
            Does::Word { of, by, ask } => self.word_chosen(run, of, *by, ask),
            Does::Write(lines) => self.write(run, lines),
            Does::Roll(die) => self.roll(run, die, dice),
            Does::Go(to) => self.go(run, to, dice),
            Does::Need(from) => {
                let any = !self.candidates(run, from).is_empty();
                Ok(if any { Flow::On } else { self.nobody(from) })
            }
            Does::Stop => Ok(Flow::Void("stop")),
            Does::Mark { mark, on, change } => {
                self.mark(run, mark, on.as_deref(), change);
                Ok(Flow::On)
            }
            Does::Raise { on, attribute } => {
                self.raise(run, on, attribute);
                Ok(Flow::On)
            }
            Does::Tell => Ok(Flow::On),
        }
    }

    fn nobody(&mut self, from: &From) -> Flow {
        self.say(format!("{}: none qualifies", plain(&from.kind)));
        if from.optional { Flow::On } else { Flow::Void("nobody") }
    }

    /// The enemy names some candidates, then the owner names others. One of them is drawn.
    fn pool(
        &mut self,
        run: &mut Run,
        from: &From,
        [enemy, owner]: [usize; 2],
        ask: &str,
        dice: &mut Dice<'_, '_>,
    ) -> Result<Flow> {
        let candidates = self.candidates(run, from);
        if candidates.is_empty() {
            return Ok(self.nobody(from));
        }
        if candidates.len() <= enemy + owner {
            return self.draw_of(run, from, candidates.clone(), candidates, dice);
        }
        for (by, whose, before, wanted) in [(By::Enemy, "enemy", 0, enemy), (By::Owner, "owner", enemy, owner)] {
            if run.picks.len() > before {
                continue;
            }
            let ask = format!("{ask}-{whose}");
            let allowed =
                |name: &str| candidates.iter().any(|other| other == name) && !run.picks.iter().any(|p| p == name);
            let Some(value) = self.answer.take() else { return Ok(Flow::Asks) };
            let left: Vec<&str> = candidates.iter().map(String::as_str).filter(|name| allowed(name)).collect();
            let picks = picked(&ask, &value, wanted, &left, &candidates)?;
            self.decided(&ask, by, &json!(picks), picks.join(", "));
            run.picks.extend(picks);
        }
        let pool = candidates.iter().filter(|name| run.picks.contains(name)).cloned().collect();
        let flow = self.draw_of(run, from, candidates, pool, dice)?;
        if !matches!(flow, Flow::Dice) {
            run.picks.clear();
        }
        Ok(flow)
    }

    fn entry_chosen(&mut self, run: &mut Run, from: &From, by: By, ask: &str, dice: &mut Dice<'_, '_>) -> Result<Flow> {
        let candidates = self.candidates(run, from);
        match candidates.len() {
            0 => return Ok(self.nobody(from)),
            1 => return self.draw_of(run, from, candidates.clone(), candidates, dice),
            _ => {}
        }
        let allowed = |name: &str| candidates.iter().any(|other| other == name);
        let Some(value) = self.answer.take() else { return Ok(Flow::Asks) };
        let name = value.as_str().filter(|name| allowed(name)).map(str::to_owned).ok_or_else(|| {
            let what = value.as_str().map(|name| format!("{name:?} does not qualify; "));
            refuse(
                18,
                format_args!("{ask}: {}name one of {}", what.unwrap_or_default(), listed(&candidates, &candidates)),
            )
        })?;
        self.decided(ask, by, &json!(name), name.clone());
        run.bound.insert(from.register.clone(), name);
        Ok(Flow::On)
    }

    fn word_chosen(&mut self, run: &mut Run, of: &[String], by: By, ask: &str) -> Result<Flow> {
        let Some(value) = self.answer.take() else { return Ok(Flow::Asks) };
        let word = value.as_str().filter(|word| of.iter().any(|other| other == word)).map(str::to_owned);
        let word = word.ok_or_else(|| refuse(18, format_args!("{ask}: choose {}", of.join(" or "))))?;
        self.decided(ask, by, &json!(word), word.clone());
        run.values.insert(ask.to_owned(), word.into());
        Ok(Flow::On)
    }

    fn write(&mut self, run: &Run, written: &Lines) -> Result<Flow> {
        let Lines { by, ask, parts, at_least, at_most, once } = written;
        let entry = once.as_ref().map(|once| (self.game.tables.registers.get(once), run.bound.get(once)));
        let entry = match entry {
            None => None,
            Some((Some(kind), Some(name))) => Some(key(self.owner(), kind, name)),
            Some(_) => return Ok(Flow::On),
        };
        let Some(value) = self.answer.take() else { return Ok(Flow::Asks) };
        let refused = |why: &str| refuse(34, format_args!("{ask}: {why}"));
        let lines = orders::lines(&value, *at_least, *at_most, parts.len()).ok_or_else(|| {
            let many = if at_least == at_most { at_least.to_string() } else { format!("{at_least} to {at_most}") };
            refused(&format!(
                "write {many} of {}{}; the first texts must all differ, no text can contain > or ;, and the last text \
                 in a line cannot contain a comma",
                parts.join(" > "),
                like(*at_most, parts.len())
            ))
        })?;
        if let Some(key) = entry {
            let before = self.state.entries.get(&key).and_then(|entry| entry.get(ask)).and_then(Value::as_array);
            let mut all = before.cloned().unwrap_or_default();
            for first in lines.iter().filter_map(|line| line.first()) {
                if all.iter().any(|text| text == first) {
                    return Err(refused(&format!("{first} is already written there; write something else")));
                }
                all.push(first.as_str().into());
            }
            self.state.establish(key, ask, (!all.is_empty()).then_some(Value::Array(all)));
        }
        let told: Vec<String> = lines.iter().map(|line| line.join(" > ")).collect();
        let told = if told.is_empty() { "none".into() } else { told.join("; ") };
        self.decided(ask, *by, &value, told);
        Ok(Flow::On)
    }

    fn decided(&mut self, ask: &str, by: By, value: &Value, told: String) {
        let side = self.side_of(by).to_owned();
        self.say(format!("{side} ({}) decides {ask}: {told}", self.game.role(&side)));
        self.log.push(json!({ "ask": ask, "by": side, "value": value }));
    }

    fn mark(&mut self, run: &Run, mark: &str, on: Option<&str>, change: &Change) {
        let amount = |amount: &Amount| match amount {
            Amount::Is(number) => Some(*number),
            Amount::Of(name) => self.known(run, name).map(|known| known.number().cast_signed()),
        };
        let entry = on.map(|on| (self.game.tables.registers.get(on), run.bound.get(on)));
        let entry = match entry {
            None => None,
            Some((Some(kind), Some(name))) => Some((kind, name)),
            Some(_) => return,
        };
        let old = match entry {
            None => self.state.mark(self.owner(), mark),
            Some((kind, name)) => {
                let entry = self.state.entry(self.owner(), kind, name);
                entry.and_then(|entry| entry.get(mark)).and_then(Value::as_u64).unwrap_or_default()
            }
        };
        let Some(new) = (match change {
            Change::Set(value) => amount(value),
            Change::Add(value) => amount(value).map(|value| old.cast_signed().saturating_add(value)),
        }) else {
            return;
        };
        let new = new.clamp(0, NUMBER.cast_signed()).cast_unsigned();
        let owner = self.owner().to_owned();
        match entry {
            None => {
                self.state.set_mark(&owner, mark, new);
                if old != new {
                    let about = self.game.tables.marks.get(mark).map(|about| format!(": {about}")).unwrap_or_default();
                    self.say(format!("{owner}: {} is now {new}{about}", plain(mark)));
                }
            }
            Some((kind, name)) => {
                self.state.establish(key(&owner, kind, name), mark, (new != 0).then(|| new.into()));
                let many = if new == 1 && old == 0 { String::new() } else { format!(": {new}") };
                self.say(format!("{name}: {}{many}", plain(mark)));
            }
        }
        self.log.push(json!({ "mark": mark, "on": entry.map(|(_, name)| name), "value": new }));
    }

    /// Raises an attribute to its next word. The last word stays.
    fn raise(&mut self, run: &Run, on: &str, attribute: &str) {
        let tables = &self.game.tables;
        let (Some(kind), Some(name)) = (tables.registers.get(on), run.bound.get(on)) else { return };
        let known = self.known(run, &format!("{on}.{attribute}"));
        let of = tables.kinds.get(kind).and_then(|kind| kind.attributes.get(attribute)).map(|of| &of.values);
        let (Some(Known::Word { word, place }), Some(Type::Words(words))) = (known, of) else { return };
        let next = usize::try_from(place + 1).ok().and_then(|next| words.get(next)).unwrap_or(&word);
        self.say(if *next == word {
            format!("{name}: {word} stays {word}")
        } else {
            format!("{name}: {word} becomes {next}")
        });
        self.log.push(json!({ "mark": attribute, "on": name, "value": next }));
        let key = key(self.owner(), kind, name);
        self.state.establish(key, attribute, Some(next.as_str().into()));
    }
}
