//! Looks up the steps of an event (`protocol/event-tables.md` 8).

use super::{
    checker::{Asks, Checked, Checker, within},
    tables::{Amount, Ask, Change, Does, Form, From, Lines, NOTHING, Step},
    words::{NUMBER, Type, is_name},
    written::{self, Attribute, Do},
};
use crate::blob::json::Value;

/// Returns the required and the optional fields of a step.
fn fields(step: &written::Step) -> (&'static [&'static str], &'static [&'static str]) {
    match step.kind_of {
        Do::Choose if step.of.is_some() => (&["ask", "by", "of"], &[]),
        Do::Choose => (&["ask", "by", "kind"], &["as", "optional", "where"]),
        Do::Go => (&["to"], &[]),
        Do::Mark if step.set.is_some() => (&["mark", "set"], &["on"]),
        Do::Mark => (&["add", "mark"], &["on"]),
        Do::Need => (&["kind"], &["where"]),
        Do::Pick => (&["kind"], &["as", "optional", "where"]),
        Do::Pool => (&["ask", "enemy", "kind", "owner"], &["as", "where"]),
        Do::Raise => (&["attribute", "on"], &[]),
        Do::Roll => (&["die"], &[]),
        Do::Stop | Do::Tell => (&[], &[]),
        Do::Write => (&["ask", "at_most", "by", "parts"], &["at_least", "once"]),
    }
}

/// Returns the decisions that a step asks for.
pub(super) fn asks(event: &str, step: &written::Step) -> Asks {
    use written::By::{Enemy, Owner};
    let Some(ask) = &step.ask else { return Vec::new() };
    let by = step.by.unwrap_or(Owner);
    let about = |by, form| Ask { about: step.about.clone(), by, event: event.to_owned(), form };
    match step.kind_of {
        Do::Pool => vec![
            (format!("{ask}-enemy"), about(Enemy, Form::Names)),
            (format!("{ask}-owner"), about(Owner, Form::Names)),
        ],
        Do::Choose => {
            let words = step.of.as_ref().map(|of| Form::Word(Type::Words(of.split(' ').map(str::to_owned).collect())));
            vec![(ask.clone(), about(by, words.unwrap_or(Form::Name)))]
        }
        Do::Write => vec![(ask.clone(), about(by, Form::Lines))],
        _ => Vec::new(),
    }
}

/// Checks that a step has the right fields for its kind.
fn check_fields(step: &written::Step) -> Checked<()> {
    let (must, may) = fields(step);
    let there = step.fields();
    if let Some(missing) = must.iter().find(|field| !there.contains(field)) {
        return Err(format!("{missing} is missing"));
    }
    if let Some(other) = there.iter().find(|field| !must.contains(field) && !may.contains(field)) {
        return Err(format!("{other} does not belong to this step; remove it"));
    }
    Ok(())
}

/// Looks up a step.
pub(super) fn step(checker: &Checker, step: &written::Step) -> Checked<Step> {
    check_fields(step)?;
    within("if", checker.condition(step.when.as_ref(), None))?;
    if step.kind_of == Do::Tell && step.say.is_none() {
        return Err("say is missing".into());
    }
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let by = || step.by.ok_or_else(|| "by is missing".to_owned());
    let does = match step.kind_of {
        Do::Choose => match &step.of {
            Some(of) => {
                let Some(Type::Words(of)) = Type::words(of) else {
                    return Err(format!("of: {of:?} must be two or more different words"));
                };
                Does::Word { of, by: by()?, ask: text(&step.ask) }
            }
            None => Does::Choose { from: from(checker, step)?, by: by()?, ask: text(&step.ask) },
        },
        Do::Go => {
            let to = text(&step.to);
            within(
                "to",
                if to == NOTHING { Err("it must not be `nothing`; use `stop`".into()) } else { checker.target(&to) },
            )?;
            Does::Go(to)
        }
        Do::Mark => mark(checker, step)?,
        Do::Need => Does::Need(from(checker, step)?),
        Do::Pick => Does::Pick(from(checker, step)?),
        Do::Pool => {
            let (enemy, owner) = (step.enemy.unwrap_or_default(), step.owner.unwrap_or_default());
            if ![enemy, owner].iter().all(|picks| (1..=9).contains(picks)) {
                return Err("enemy and owner must each be 1 to 9".into());
            }
            Does::Pool { from: from(checker, step)?, enemy, owner, ask: text(&step.ask) }
        }
        Do::Raise => {
            let (on, attribute) = (text(&step.on), text(&step.attribute));
            match register(checker, &on)?.and_then(|kind| kind.attributes.get(&attribute)) {
                Some(Attribute { values: Type::Words(_), .. }) => Does::Raise { on, attribute },
                _ => return Err(format!("attribute: the values of {attribute} must be words")),
            }
        }
        Do::Roll => {
            let die = text(&step.die);
            checker.uses(&format!("roll {die}"));
            if !checker.tables.dice.contains_key(&die) {
                return Err(format!("die: unknown die {die}"));
            }
            Does::Roll(die)
        }
        Do::Stop => Does::Stop,
        Do::Tell => Does::Tell,
        Do::Write => Does::Write(lines(checker, step, by()?)?),
    };
    Ok(Step { when: step.when.clone(), say: step.say.clone(), does })
}

fn from(checker: &Checker, step: &written::Step) -> Checked<From> {
    let kind = step.kind.clone().unwrap_or_default();
    checker.kind(&kind)?;
    within("where", checker.condition(step.filter.as_ref(), Some(&kind)))?;
    let register = step.register.clone().unwrap_or_else(|| kind.clone());
    Ok(From { kind, filter: step.filter.clone(), register, optional: step.optional.unwrap_or_default() })
}

/// Returns the kind of a register.
fn register<'c>(checker: &'c Checker, register: &str) -> Checked<Option<&'c super::tables::Kind>> {
    match checker.tables.registers.get(register) {
        Some(kind) => Ok(checker.tables.kinds.get(kind)),
        None => Err(format!("nothing fills the register {register}")),
    }
}

fn mark(checker: &Checker, step: &written::Step) -> Checked<Does> {
    let mark = step.mark.clone().unwrap_or_default();
    let there = match &step.on {
        Some(on) => register(checker, on)?.is_some_and(|kind| kind.marks.contains(&mark)),
        None => {
            checker.uses(&format!("mark {mark}"));
            checker.tables.marks.contains_key(&mark)
        }
    };
    if !there {
        return Err(format!("mark: unknown mark {mark}"));
    }
    let change = match &step.set {
        Some(value) => Change::Set(within("set", amount(checker, value, 0))?),
        None => {
            let add = step.add.as_ref().unwrap_or(&Value::Null);
            Change::Add(within("add", amount(checker, add, -NUMBER.cast_signed()))?)
        }
    };
    Ok(Does::Mark { mark, on: step.on.clone(), change })
}

fn amount(checker: &Checker, value: &Value, least: i64) -> Checked<Amount> {
    match value {
        Value::Number(number) => {
            let number = number.as_i64().filter(|number| (least..=NUMBER.cast_signed()).contains(number));
            number.map(Amount::Is).ok_or_else(|| format!("it must be {least} to {NUMBER}"))
        }
        Value::String(name) => match checker.type_of(name, None) {
            Some(Type::Number { .. }) => Ok(Amount::Of(name.clone())),
            Some(Type::Bool) if name.contains('.') => Ok(Amount::Of(name.clone())),
            _ => Err(format!("{name} is not a number, or a register's bool")),
        },
        _ => Err("it must be a number or a name".into()),
    }
}

fn lines(checker: &Checker, step: &written::Step, by: written::By) -> Checked<Lines> {
    let parts: Vec<String> = step.parts.iter().flat_map(|parts| parts.split(' ')).map(str::to_owned).collect();
    if parts.len() > 4 || !parts.iter().all(|part| is_name(part)) {
        return Err("parts: write 1 to 4 names, separated by spaces".into());
    }
    let (at_least, at_most) = (step.at_least.unwrap_or_default(), step.at_most.unwrap_or_default());
    if !(1..=9).contains(&at_most) || at_least > at_most {
        return Err("at_most must be 1 to 9, and at_least must not exceed it".into());
    }
    if let Some(once) = &step.once {
        within("once", register(checker, once))?;
    }
    Ok(Lines { by, ask: step.ask.clone().unwrap_or_default(), parts, at_least, at_most, once: step.once.clone() })
}
