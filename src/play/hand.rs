//! `game hand`: what a player knows alone in a game with a hidden course, such as their units (`protocol/hidden.md` 5).

use super::{
    failure::{Failure, PlayResult},
    position::safe,
    session::Session,
    table::{Table, View},
};
use crate::{
    game::{hidden, node::Past, rules::course, runs::Ran, set::Set, steps::Signer, terms::Phase},
    primitive::secret::Secret,
    report::text::visible,
    resolve::PositionTable,
};

/// What only one player knows; safe to show.
#[derive(Clone, Debug, Default)]
pub struct Hand {
    /// Their units, as tables.
    pub units: Vec<PositionTable>,
    /// A line for each unit in these tables.
    pub unit_lines: Vec<String>,
    /// Everything else, then what came of their sheets, the latest first.
    pub lines: Vec<String>,
}

/// Returns what only this player knows at this point of the game. It needs their key, and signs nothing.
///
/// # Errors
/// If nothing in the game is hidden, the player has not declared anything hidden yet, or their key stays locked.
pub fn hand(session: &Session<'_>, name: Option<&str>) -> PlayResult<Hand> {
    let table = Table::find(session, name, |table| hidden::phases(&table.terms).next().is_some())?;
    table.view(|view| {
        if hidden::phases(view.terms).next().is_none() {
            return Err(Failure::refused(
                "both players know everything in this game: `sealed-dice game status` shows where it stands",
            ));
        }
        if !has_hand(view) {
            return Err(Failure::refused(
                "you have not set up yet, so there is nothing to show: `sealed-dice game status` shows what to do next",
            ));
        }
        let keys = session.unlock()?;
        let signer = table.signer(view.ledger, &keys);
        let mut hand = Hand::default();
        for phase in hidden::phases(view.terms) {
            let ran = ran(view, &signer, phase)?;
            let units = phase.hidden().zip(ran.run.hand.as_ref()).map(|(hidden, hand)| hidden.roster(hand));
            let mut lines = lines_of(phase, &ran).into_iter().map(|line| visible(&line));
            hand.unit_lines.extend(lines.by_ref().take(units.as_ref().map_or(0, |units| units.rows.len())));
            hand.units.extend(units.map(safe));
            hand.lines.extend(lines.chain(steps(view, &ran).iter().map(|line| visible(line))));
        }
        Ok(hand)
    })
}

/// Whether this player has declared something in a hidden course, so that they have a hand.
pub(super) fn has_hand(view: &View<'_, '_>) -> bool {
    let mut taken = hidden::phases(view.terms).flat_map(|phase| course::taken(view.ledger, phase, Past::ALL));
    taken.any(|declaration| declaration.node.player == view.me)
}

/// Computes this player's part of a hidden course, with their own sheets and dice.
pub(super) fn ran(view: &View<'_, '_>, signer: &Signer, phase: &Phase) -> PlayResult<Ran> {
    Ok(hidden::run(view.ledger, phase, view.me, &eyes(view, signer))?)
}

/// Describes the hand after a run; nothing before the player's first declaration.
pub(super) fn lines_of(phase: &Phase, ran: &Ran) -> Vec<String> {
    phase.hidden().zip(ran.run.hand.as_ref()).map(|(hidden, hand)| hidden.tell(hand)).unwrap_or_default()
}

/// Describes what came of this player's sheets: a line for each sheet, with the steps indented below it.
fn steps(view: &View<'_, '_>, ran: &Ran) -> Vec<String> {
    let mut sheets: Vec<_> = ran.told().filter(|(_, told)| !told.steps.is_empty()).collect();
    sheets.reverse();
    let mut lines = Vec::new();
    for (id, told) in sheets {
        let Some(declaration) = view.ledger.declaration(&id) else { continue };
        lines.push(format!("what came of {}:", declaration.declare.slot));
        lines.extend(told.steps.iter().map(|step| format!("  {step}")));
    }
    lines
}

/// Returns a look-up for the secrets of the sets that this player sealed.
pub(super) fn eyes<'v>(view: &'v View<'_, '_>, signer: &'v Signer) -> impl Fn(&Set<'_>) -> Option<Secret> + 'v {
    |set| (set.node.player == view.me).then(|| signer.master(view.ledger, &set.node.id())).flatten()
}
