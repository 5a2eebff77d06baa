//! The checks of an input that do not depend on the state (`protocol/ndc.md` 6 to 11).

use std::collections::BTreeSet;

use super::{
    hexes::{Hex, ascending},
    input::{
        Adds, Chemical, Combat, Comes, Contact, ContactName, Defended, Halt, Input, Intelligence, Moved, Reported,
        Resolved, Shown,
    },
    refused::refuse,
    settings::Settings,
};
use crate::{
    error::Result,
    limits::{NDC_CONTACTS, NDC_HEXES},
};

/// The maximum number of interdictions in a segment.
pub(super) const INTERDICTIONS: usize = 16;

/// The limit on every list of combats.
const FEWER: &str = "combats must not have more entries than the terms allow";

impl Input {
    pub(super) fn check(&self, settings: &Settings) -> Result<()> {
        let Self { shown: Shown { contacts, entries, paths, rolled }, adds } = self;
        let along = |(contact, path): (&ContactName, &Vec<Hex>)| {
            let joined = path.windows(2).all(|pair| matches!(pair, [a, b] if settings.beside(*a, *b)));
            let stands = contacts.get(contact).zip(path.last()).is_some_and(|(shown, last)| shown.hexes.contains(last));
            joined && stands && (1..=99).contains(&path.len())
        };
        let placed = |contact: &Contact| (1..=3).contains(&contact.hexes.len()) && differ(&contact.hexes);
        let moves = matches!(adds, Adds::Move(_));
        let counted = rolled.is_some() == settings.roll_count_public;
        demand(6, "each contact must have 1 to 3 different hexes", contacts.values().all(placed))?;
        demand(6, "contacts must have at most 192 entries", contacts.len() <= NDC_CONTACTS)?;
        demand(6, "entries and paths must be empty except in a move", moves || entries.is_empty() && paths.is_empty())?;
        demand(6, "entries must be at most 999 different hexes", entries.len() <= NDC_HEXES && differ(entries))?;
        demand(
            6,
            "each path must belong to a contact shown here, go from hex to hex and end on the contact",
            paths.iter().all(along),
        )?;
        demand(6, "`rolled` must be an integer if the terms set roll_count_public, and null otherwise", counted)?;
        match adds {
            Adds::Setup { intelligence } => sectors(settings, intelligence.as_ref()),
            Adds::Move(moved) => self.check_move(settings, moved),
            Adds::Defend { combats } => {
                demand(10, FEWER, combats.len() as u64 <= settings.combats)?;
                combats.iter().flatten().try_for_each(met)
            }
            Adds::Report { combats, halts } => report(settings, combats, halts),
        }
    }

    fn check_move(&self, settings: &Settings, moved: &Moved) -> Result<()> {
        let Moved { combats, intelligence, interdictions, weather } = moved;
        sectors(settings, intelligence.as_ref())?;
        demand(8, "weather must be sorted, without repeats", weather.as_deref().is_none_or(ascending))?;
        demand(8, FEWER, combats.len() as u64 <= settings.combats)?;
        demand(8, "interdictions must have at most 16 entries", interdictions.len() <= INTERDICTIONS)?;
        let mut attacking = BTreeSet::new();
        for combat in combats {
            let Combat::Attack(attack) = combat else { continue };
            let contact = attack.contact.as_ref();
            let known =
                contact.is_none_or(|contact| self.shown.contacts.contains_key(contact) && attacking.insert(contact));
            let chemical = attack.chemical == Chemical::None || attack.barrage.0 > 0;
            demand(8, "ew_attacks must not be higher than the terms allow", attack.ew_attacks.0 as u64 <= settings.ew)?;
            demand(8, "`from` must be a hex next to the target", settings.beside(attack.from, attack.target))?;
            demand(
                8,
                "the contact of an attack must be one that this input shows, and each contact can attack only once",
                known,
            )?;
            demand(
                8,
                "retreats must list hexes next to `from`, sorted, unrepeated; `any` must include `away` and `road`",
                attack.retreats.fit(settings, attack.from),
            )?;
            demand(8, "chemicals need a barrage above 0", chemical)?;
        }
        Ok(())
    }
}

fn differ(hexes: &[Hex]) -> bool {
    hexes.iter().collect::<BTreeSet<_>>().len() == hexes.len()
}

/// Refuses unless `holds`; `what` says what must hold.
pub(super) fn demand(rule: u64, what: &str, holds: bool) -> Result<()> {
    if holds { Ok(()) } else { Err(refuse(rule, what)) }
}

fn sectors(settings: &Settings, intelligence: Option<&Intelligence>) -> Result<()> {
    let Some(Intelligence { sectors, .. }) = intelligence else { return Ok(()) };
    let known = sectors.iter().all(|sector| settings.sectors.contains_key(sector));
    demand(7, "sectors must be names of sectors in the terms, sorted and without repeats", ascending(sectors) && known)
}

fn met(Defended { chemical, fpf }: &Defended) -> Result<()> {
    demand(10, "chemicals need final protective fire above 0", *chemical == Chemical::None || fpf.0 > 0)
}

fn report(settings: &Settings, combats: &[Reported], halts: &[Halt]) -> Result<()> {
    let numbers: Vec<u64> = halts.iter().map(|halt| halt.contact.number()).collect();
    demand(11, FEWER, combats.len() as u64 <= settings.combats)?;
    demand(11, "halts must list each contact once, in the order of the contacts' numbers", ascending(&numbers))?;
    demand(
        11,
        "`by` must be a hex next to the hex of the halt",
        halts.iter().all(|halt| settings.beside(halt.by, halt.hex)),
    )?;
    for combat in combats {
        let Reported::Attack(attack) = combat else { continue };
        let Resolved { chemical, fpf, result, retreat, defender, .. } = attack;
        met(&Defended { chemical: *chemical, fpf: *fpf })?;
        let none = *chemical == Chemical::None && fpf.0 == 0;
        let loss = attack.attacker_loss.0;
        let (quiet, lost, told) = match result {
            Comes::Abort => (true, loss == 2, defender.is_none()),
            Comes::Cancelled | Comes::Empty => (none, loss == 0, defender.is_none()),
            Comes::Overrun => (true, loss == 0, true),
            Comes::Fought => (true, true, true),
        };
        let fought = *result == Comes::Fought;
        let goes = retreat.is_none() || matches!(result, Comes::Abort | Comes::Fought);
        demand(11, "a cancelled or empty attack must have chemical none and fpf 0", quiet)?;
        demand(11, "attacker_loss must be 2 if the result is abort, and 0 if it is cancelled, empty or overrun", lost)?;
        demand(11, "defender must be null unless the result is fought or overrun", told)?;
        demand(
            11,
            "advance and breakthrough must be false unless the result is fought",
            fought || !(attack.advance || attack.breakthrough),
        )?;
        demand(11, "retreat must be null unless the result is abort or fought", goes)?;
        let hexes = defender.as_ref().map_or(0, |defender| defender.hexes.len());
        demand(11, "a defender must go along at most 9 hexes", hexes <= 9)?;
    }
    Ok(())
}
