//! The replay: letters are taken in order, and each is judged only by its past (`protocol/letters.md` 1 to 10).

use std::cell::OnceCell;

use super::{
    finding::Finding,
    ledger::Ledger,
    node::{Node, Standing},
    order::Order,
    rules,
    terms::Terms,
};
use crate::{blob::Hex32, error::Class};

/// Replays a game.
///
/// # Examples
///
/// The ledger tells who owes what. To have the letters sorted into games first, use
/// [`Job::run_with`](super::audit::Job::run_with).
///
/// ```
/// use sealed_dice::{
///     blob::{Verified, body::SetKind},
///     game::{audit::Read, keys::Members, order::Order, replay::replay, terms::{Author, Player, Terms}},
/// };
///
/// let read = Read::all(
///     include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/awaiting-a-reveal.txt")),
///     "a mail",
/// );
/// let letters: Vec<&Verified> = read.iter().filter_map(|read| read.letter.as_ref().ok()).collect();
/// let terms = Terms::parse(letters[0])?;
/// let game = terms.game_of(Author::Player(Player::First), letters.iter().copied()).ok_or("no game has begun")?;
/// let order = Order::of(&terms, game, &Members::of(&terms, &letters));
/// let ledger = replay(&terms, game, &order);
///
/// let bob = Player::Second;
/// let declared = ledger.unanswered().next().ok_or("nothing is owed")?;
/// assert_eq!(declared.declare.slot.to_string(), "1/1/ann-first/1");
/// assert_eq!(declared.declare.seal, ledger.sealed(bob, SetKind::Coin, "1/1/ann-first/1"));
/// assert_eq!(ledger.last_letter(bob).map(|last| last.message.head().number), Some(2));
/// assert!(!ledger.has_closed(bob));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn replay<'a>(terms: &'a Terms, game: Hex32, order: &'a Order) -> Ledger<'a> {
    replayed(terms, game, order, false)
}

/// Replays a game without draws, for an office, which keeps many games and does not show dice.
///
/// # Examples
///
/// The judgements are those of [`replay`], but the dice are left out:
///
/// ```
/// use sealed_dice::game::{audit::{Games, Read}, replay::replay_lean};
///
/// let read = Read::all(include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/one-roll.txt")), "a mail");
/// let games = Games::sort(&read);
/// let (report, lean) = games.jobs()[0].run_with(|_, game| {
///     let game = game?;
///     let lean = replay_lean(game.terms, game.ledger.game, game.order);
///     lean.declarations().next().map(|declared| (declared.is_answered(), declared.trail.len()))
/// });
/// assert_eq!((report.rolls.len(), lean), (1, Some((true, 0))));
/// ```
#[must_use]
pub fn replay_lean<'a>(terms: &'a Terms, game: Hex32, order: &'a Order) -> Ledger<'a> {
    replayed(terms, game, order, true)
}

fn replayed<'a>(terms: &'a Terms, game: Hex32, order: &'a Order, is_lean: bool) -> Ledger<'a> {
    let mut ledger = Ledger::new(terms, game, order, is_lean);
    order.nodes.iter().for_each(|node| take(&mut ledger, node));
    ledger
}

/// Takes the next letter, after all letters that it names.
pub(super) fn take<'a>(ledger: &mut Ledger<'a>, node: &'a Node) {
    ledger.nodes.insert(node.id(), node);
    ledger.taken.push(node);
    ledger.ids.add(node.id());
    if node.standing == Standing::Stands {
        let head = ledger.heads.entry(node.author).or_insert(node);
        if node.rank() > head.rank() {
            *head = node;
        }
    }
    (ledger.ran, ledger.findings) = (OnceCell::new(), OnceCell::new());
    let unlocked = rules::unlocked_by(ledger, node);
    let judged = match &node.breach {
        _ if !node.standing.is_judged() => Ok(()),
        Some(error) if error.class() == Class::Chain => Err(error.clone()),
        _ => {
            if let Some(player) = node.author.player() {
                ledger.own.of_mut(player).counted.push(node);
            }
            rules::take(ledger, node, &unlocked)
        }
    };
    // Keys are facts on every branch (letters 9), as are the office's confirmations (office 22).
    rules::open(ledger, node, unlocked);
    rules::take_fact(ledger, node);
    if let Err(error) = judged {
        ledger.found.insert(node.id(), Finding::of(node, &error));
    }
}
