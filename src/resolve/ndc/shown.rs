//! What is shown about a hand (`protocol/ndc.md` 26).

use super::{
    hand::Unit,
    hexes::Int,
    input::{Contact, ContactName, Contacts, Paths, Step},
    own::Own,
};

impl Own<'_> {
    /// The contacts of all units, and the paths of those that moved.
    pub(super) fn shown(&mut self) -> (Contacts, Paths) {
        let mut contacts = Contacts::new();
        let next = &mut self.hand.next;
        let mut steps = Vec::new();
        for unit in &mut self.hand.units {
            let wanted = match unit.is_shown() {
                false => 0,
                true if unit.level >= 4 => 1,
                true => unit.hexes.len(),
            };
            unit.contacts.truncate(wanted);
            while unit.contacts.len() < wanted {
                unit.contacts.push(*next);
                *next += 1;
            }
            for (i, number) in unit.contacts.iter().enumerate() {
                let name = ContactName::of(*number);
                let contact = of(unit, i);
                let why = if unit.volunteered { ", volunteered" } else { "" };
                steps.push(format!(
                    "{} (level {}{why}) is shown as {}",
                    unit.name,
                    unit.level,
                    super::tell::shows(&name, &contact)
                ));
                contacts.insert(name, contact);
            }
        }
        self.steps.append(&mut steps);
        (contacts, self.paths())
    }

    /// The paths of units that moved, each under the unit's first contact (19).
    fn paths(&self) -> Paths {
        let mut paths = Paths::new();
        if self.before.awaits.step != Step::Move {
            return paths;
        }
        for (unit, path, _) in &self.memory.moves {
            let unit = self.hand.units.get(*unit);
            if let Some(contact) = unit.and_then(|unit| unit.contacts.first()) {
                paths.insert(ContactName::of(*contact), path.clone());
            }
        }
        paths
    }
}

/// One contact of a unit.
fn of(unit: &Unit, place: usize) -> Contact {
    let all = unit.level >= 4;
    Contact {
        designation: all.then(|| unit.name.clone()),
        hexes: if all { unit.hexes.clone() } else { unit.hexes.get(place).copied().into_iter().collect() },
        kind: (unit.level >= 3).then_some(unit.kind),
        mode: all.then(|| unit.mode.clone()),
        to: all.then_some(Int(unit.to)),
    }
}
