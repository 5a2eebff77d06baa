//! *close 1 to 3* (`protocol/letters.md`): a player stops, and publishes the masters of all their sets.

use crate::{
    blob::body::Close,
    error::{Result, ensure},
    game::{
        context::check_note,
        ledger::Ledger,
        node::{Past, Played},
        opening::Unlocked,
    },
    rule::Rule,
};

/// Takes a close, which stops the player's game even if it is in breach.
pub(super) fn take<'a>(
    ledger: &mut Ledger<'a>,
    node: Played<'a>,
    close: &Close,
    unlocked: &[Unlocked],
    common: Result<()>,
) -> Result<()> {
    let checked = common.and_then(|()| check(ledger, node, close, unlocked));
    let own = ledger.own.of_mut(node.player);
    own.binding.push(node.node());
    own.closes.push(node.node());
    own.masters |= checked.is_ok() && close.masters.is_some();
    checked
}

fn check(ledger: &Ledger<'_>, node: Played<'_>, close: &Close, unlocked: &[Unlocked]) -> Result<()> {
    let Some(masters) = &close.masters else { return Ok(()) };
    let is_asked = Past::of(&node).has_any(&ledger.own.of(node.player.other()).closes);
    ensure!(is_asked, Rule::Close1, "masters may be published only in answer to the opponent's close");
    let listed = masters.iter().map(|master| master.seal);
    let are_all = listed.eq(ledger.seals(node.player).iter().copied());
    ensure!(are_all, Rule::Close2, "masters must list all sets that the author sealed, in the order of their seals");
    for unlocked in unlocked {
        let Some(set) = ledger.sets.get(&unlocked.seal) else { continue };
        let is_whole = unlocked.keys.len() == set.seal.commits.len();
        ensure!(is_whole, Rule::Close3, "the master for {} does not match the sealed set", set.seal.purpose);
        for (_, key) in &unlocked.keys {
            check_note(Rule::Close3, &set.context, set.seal, key)?;
        }
    }
    Ok(())
}
