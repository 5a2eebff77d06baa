//! Works out the worksheet of attacks before they are declared: total, remainder and envelope. Nothing is signed.

use super::{
    failure::{Failure, PlayResult},
    rows,
    table::Table,
};
use crate::{
    blob::body::Slot,
    keep::{home::Home, texts::TextFile},
    resolve::{System, coin_envelopes::Worksheet},
};

/// Works out the envelope that a list of attacks would open in a slot.
///
/// # Errors
/// If the slot does not take attacks, or the list has a mistake.
pub fn worksheet(home: &Home, name: Option<&str>, slot: &Slot, list: &TextFile) -> PlayResult<Worksheet> {
    let table = Table::find_quietly(home, name, |table| table.has_slot(slot))?;
    let system = table.terms.slot(slot).map(|(_, phase)| &phase.system);
    let Some(System::CoinEnvelopes(system)) = system else {
        return Err(Failure::refused(format!(
            "{slot} does not take attacks; open the page of the game to see its slots"
        )));
    };
    let attacks = rows::attacks(list.text.as_bytes()).map_err(Failure::refused)?;
    Ok(system.worksheet(&attacks)?)
}
