//! Computes the layers of the systems: worksheets, sheets, courses and what-if.

use serde::Deserialize;
use serde_json::{Value, json};

use super::case::read;
use crate::{
    blob::{
        body::Select,
        json::{self as canonical, Text, Tree},
    },
    error::{Class, Error, Result},
    resolve::{
        Object, Place, Settled, System,
        coin_envelopes::{Attack, CoinEnvelopes, Printed},
        what_if,
    },
};

pub(super) fn worksheet(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        settings: Object,
        tables: Object,
        attacks: Vec<Attack>,
    }
    let given: Given = read(given)?;
    let system = CoinEnvelopes::settle(&given.settings, &given.tables)?;
    let worksheet = system.worksheet(&given.attacks)?;
    let mut printed = canonical::to_value(&Printed::of(system.envelopes(), &worksheet))?;
    if let Value::Object(fields) = &mut printed {
        fields.remove("envelopes");
    }
    Ok(printed)
}

pub(super) fn icrk(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        settings: Object,
        state: Object,
        rolls: Value,
    }
    let given: Given = read(given)?;
    let system = System::settle("icrk", &given.settings, &Object::new())?;
    let input = Text::of(&json!({ "rolls": given.rolls }))?;
    let rolls = system.resolver().read(&input, false)?;
    let plan = rolls.plan(&given.state)?;
    let cells = match &plan.select {
        Some(Select::Cells(cells)) => cells.as_slice(),
        _ => &[],
    };
    let mut ones = Ones;
    let mut draws = crate::resolve::Draws::new(&mut ones);
    let outcome = rolls.resolve(
        crate::resolve::Given::state(&given.state),
        &plan.places,
        &mut draws,
        &mut crate::resolve::Account::none(),
    )?;
    Ok(json!({ "cells": cells, "state": outcome.state }))
}

/// A source of dice that always shows 1, for when only the number of draws matters.
struct Ones;

impl crate::resolve::Source for Ones {
    fn draw(&mut self, _: Place, _: u64) -> Result<u64> {
        Ok(1)
    }
}

pub(super) fn what_if_case(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        case: Value,
    }
    let given: Given = read(given)?;
    Ok(json!({ "answer": what_if_answer(&given.case)? }))
}

fn what_if_answer(case: &Value) -> Result<Value> {
    let resolved = Tree::of(case).and_then(|case| what_if::resolve(&case)).map_err(|error| match error.class() {
        Class::Rule => error,
        _ => Error::Misuse(error.to_string()),
    })?;
    canonical::to_value(&resolved)
}

/// Computes the layer `course`: one what-if case for each step; a refused step does not change the state.
pub(super) fn course(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        system: String,
        settings: Object,
        #[serde(default)]
        state: Option<Object>,
        steps: Vec<Object>,
        #[serde(default)]
        tables: Object,
    }
    let given: Given = read(given)?;
    let system = System::settle(&given.system, &given.settings, &given.tables)?;
    let course = system.resolver().course().ok_or_else(|| Error::Misuse("the system has no course".into()))?;
    let begins = course.begin()?;
    let mut state = canonical::to_value(given.state.as_ref().unwrap_or(&begins))?;
    let mut steps = Vec::new();
    for mut step in given.steps {
        let draws = step.remove("draws").unwrap_or_else(|| json!([]));
        let case = json!({
            "system": given.system, "settings": given.settings, "tables": given.tables, "state": state,
            "input": step, "draws": draws,
        });
        steps.push(match what_if_answer(&case) {
            Ok(Value::Object(mut answer)) => {
                answer.retain(|field, _| matches!(field.as_str(), "needs" | "outcome" | "public" | "state"));
                state = answer.get("state").cloned().unwrap_or_default();
                Value::Object(answer)
            }
            Err(Error::Refused(_)) => json!({ "class": Class::Rule.as_str() }),
            Ok(other) => return Err(Error::Misuse(format!("the answer must be an object, not {other}"))),
            Err(error) => return Err(Error::Misuse(error.to_string())),
        });
    }
    Ok(json!({ "begins": begins, "first_turn": course.first_place(&begins)?.0, "steps": steps }))
}
