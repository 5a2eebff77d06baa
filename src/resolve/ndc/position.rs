//! Tables for people: what everybody knows of the units on the map, and a player's own units.

use super::{
    hexes::{Hex, list},
    input::{Contact, Interdiction},
    state::State,
    tell::{flags, said},
};
use crate::{
    blob::json::Value,
    resolve::{Object, PositionTable},
};

/// Lists what everybody knows: the contacts of both players, and the markers on the map. Tables without rows are left
/// out.
pub(super) fn known(state: &State) -> Vec<PositionTable> {
    let contacts = state.contacts.iter().flat_map(|(role, contacts)| contacts.iter().map(move |one| (role, one)));
    let contact = contacts.map(|(role, (name, contact))| {
        let Contact { designation, hexes, kind, mode, to } = contact;
        let kind = kind.map(|kind| format!("{kind:?}").to_lowercase()).unwrap_or_default();
        let to = to.map(|to| to.0.to_string()).unwrap_or_default();
        let [unit, mode] = [designation, mode].map(|word| word.as_ref().map(ToString::to_string).unwrap_or_default());
        [role.to_string(), name.to_string(), list(hexes), kind, unit, mode, to].into()
    });
    let interdicted = state.interdictions.iter().map(|Interdiction { markers, target, .. }| (target, markers.0));
    let marked = |hexes: &[Hex], what: &str| hexes.iter().map(|hex| vec![hex.to_string(), what.to_owned()]).collect();
    let markers: [Vec<Vec<String>>; 3] = [
        marked(&state.markers.breakthrough, "breakthrough"),
        marked(&state.markers.gas, "gas"),
        interdicted.map(|(target, n)| vec![target.to_string(), format!("interdiction, {n}")]).collect(),
    ];
    let tables = [
        PositionTable {
            title: "contacts: what each side has shown of its units".into(),
            columns: &["side", "contact", "hexes", "kind", "unit", "mode", "T/O"],
            rows: contact.collect(),
        },
        PositionTable { title: "markers".into(), columns: &["hex", "marker"], rows: markers.concat() },
    ];
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

/// Lists a player's own units from their hand.
pub(super) fn roster(hand: &Object) -> PositionTable {
    let units = hand.get("units").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
    let row = |unit: &Object| {
        let of = |name: &str| unit.get(name).map(said).unwrap_or_default();
        let mut remarks: Vec<String> = flags(unit).map(str::to_owned).collect();
        if unit.get("commander").is_some_and(Value::is_number) {
            remarks.push(format!("commander, rating {}", of("commander")));
        }
        let plain =
            ["name", "kind", "hexes", "attack", "defense", "to", "fatigue", "leadership", "mode", "level"].map(of);
        let spent = format!("{} of {}", of("spent"), of("movement"));
        plain.into_iter().chain([spent, remarks.join(", ")]).collect()
    };
    PositionTable {
        title: "your units".into(),
        columns: &[
            "unit",
            "kind",
            "hexes",
            "attack",
            "defense",
            "T/O",
            "fatigue",
            "leadership",
            "mode",
            "level",
            "MP spent",
            "remarks",
        ],
        rows: units.map(row).collect(),
    }
}
