//! What is asked of an input in every state (`protocol/ndc.md` 6 to 11).

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

/// Most interdictions of a segment.
pub(super) const INTERDICTIONS: usize = 16;

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
        demand(6, "1 to 3 different hexes in each contact", contacts.values().all(placed))?;
        demand(6, "at most 192 contacts", contacts.len() <= NDC_CONTACTS)?;
        demand(6, "entries and paths are those of a move", moves || entries.is_empty() && paths.is_empty())?;
        demand(6, "at most 999 entries, all different", entries.len() <= NDC_HEXES && differ(entries))?;
        demand(6, "a path is of a contact here, hex by hex, and ends on it", paths.iter().all(along))?;
        demand(6, "rolled is an integer or null, as the charter has it", counted)?;
        match adds {
            Adds::Setup { intelligence } => sectors(settings, intelligence.as_ref()),
            Adds::Move(moved) => self.check_move(settings, moved),
            Adds::Defend { combats } => {
                demand(10, "more combats than the charter allows", combats.len() as u64 <= settings.combats)?;
                combats.iter().flatten().try_for_each(met)
            }
            Adds::Report { combats, halts } => report(settings, combats, halts),
        }
    }

    fn check_move(&self, settings: &Settings, moved: &Moved) -> Result<()> {
        let Moved { combats, intelligence, interdictions, weather } = moved;
        sectors(settings, intelligence.as_ref())?;
        demand(8, "weather is a set", weather.as_deref().is_none_or(ascending))?;
        demand(8, "more combats than the charter allows", combats.len() as u64 <= settings.combats)?;
        demand(8, "more than 16 interdictions", interdictions.len() <= INTERDICTIONS)?;
        let mut attacking = BTreeSet::new();
        for combat in combats {
            let Combat::Attack(attack) = combat else { continue };
            let contact = attack.contact.as_ref();
            let known =
                contact.is_none_or(|contact| self.shown.contacts.contains_key(contact) && attacking.insert(contact));
            let chemical = attack.chemical == Chemical::None || attack.barrage.0 > 0;
            demand(8, "more EW attacks than the charter allows", attack.ew_attacks.0 as u64 <= settings.ew)?;
            demand(8, "an attack comes from a neighbour of its target", settings.beside(attack.from, attack.target))?;
            demand(8, "the contact of an attack is shown here, and attacks once", known)?;
            demand(
                8,
                "retreats: sets of neighbours of from, all of them in any",
                attack.retreats.fit(settings, attack.from),
            )?;
            demand(8, "chemicals are of a barrage", chemical)?;
        }
        Ok(())
    }
}

fn differ(hexes: &[Hex]) -> bool {
    hexes.iter().collect::<BTreeSet<_>>().len() == hexes.len()
}

/// Refuses where something does not hold.
pub(super) fn demand(rule: u64, what: &str, holds: bool) -> Result<()> {
    if holds { Ok(()) } else { Err(refuse(rule, format_args!("it must hold: {what}"))) }
}

fn sectors(settings: &Settings, intelligence: Option<&Intelligence>) -> Result<()> {
    let Some(Intelligence { sectors, .. }) = intelligence else { return Ok(()) };
    let known = sectors.iter().all(|sector| settings.sectors.contains_key(sector));
    demand(7, "sectors is a set of names of sectors of the charter", ascending(sectors) && known)
}

fn met(Defended { chemical, fpf }: &Defended) -> Result<()> {
    demand(10, "chemicals are of protective fire", *chemical == Chemical::None || fpf.0 > 0)
}

fn report(settings: &Settings, combats: &[Reported], halts: &[Halt]) -> Result<()> {
    let numbers: Vec<u64> = halts.iter().map(|halt| halt.contact.number()).collect();
    demand(11, "more combats than the charter allows", combats.len() as u64 <= settings.combats)?;
    demand(11, "a contact is halted once, in the order of their numbers", ascending(&numbers))?;
    demand(11, "who halts stands beside the hex", halts.iter().all(|halt| settings.beside(halt.by, halt.hex)))?;
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
        demand(11, "nothing is spent on an attack that is cancelled or empty", quiet)?;
        demand(11, "the attacker's loss goes with the result", lost)?;
        demand(11, "of the defender is told where there was a fight", told)?;
        demand(
            11,
            "advance and breakthrough are of what was fought",
            fought || !(attack.advance || attack.breakthrough),
        )?;
        demand(11, "an attacker goes back after an abort, or where there was a fight", goes)?;
        let hexes = defender.as_ref().map_or(0, |defender| defender.hexes.len());
        demand(11, "a defender goes along at most 9 hexes", hexes <= 9)?;
    }
    Ok(())
}
