//! A game that is kept, letter by letter, comes to what a whole replay comes to.

use std::{fmt::Debug, sync::Arc};

use proptest::prelude::*;
use sealed_dice::{
    blob::{Verified, body::Hex32},
    game::{
        days, deposits, findings,
        kept::Kept,
        keys::Members,
        ledger::Ledger,
        node::Past,
        opener,
        order::Order,
        replay,
        rules::{claim, correct, redo, secrets},
        steps, tasks,
        terms::{Author, Player},
    },
    limits::MOMENT,
};

use super::{
    cases,
    whole::{Steps, whole_game},
    world::World,
};
use crate::kit::Who;

/// Many of one kind, in any order.
fn all<T: Debug>(these: impl IntoIterator<Item = T>) -> Vec<String> {
    let mut all: Vec<String> = these.into_iter().map(|one| format!("{one:?}")).collect();
    all.sort();
    all
}

fn ids<'n>(nodes: impl IntoIterator<Item = &'n sealed_dice::game::node::Node>) -> Vec<String> {
    all(nodes.into_iter().map(|node| node.id()))
}

/// All that decides in a replay: findings, declarations and how they ended, sets, and what each party is to do.
fn said(order: &Order, ledger: &Ledger<'_>) -> Vec<Vec<String>> {
    let mut said = vec![
        all(findings::of(ledger)),
        all(days::elapsed(ledger)),
        all(claim::lost(ledger)),
        all(claim::standing(ledger)),
    ];
    said.push(all(ledger.declarations().map(|one| {
        let fate = (ids(one.replaced_by.iter().copied()), ids(one.forfeits.iter().copied()), one.named_by);
        let made = (one.valid, one.asked(), one.standing(), one.orders());
        let stands = (1..=one.count()).map(|line| ledger.voided_by(&one.node.id(), line).is_some()).collect::<Vec<_>>();
        let (declare, node) = (one.declare, one.node.node());
        let was = declare.seal.is_some_and(|seal| ledger.is_with_office(&seal, Past::of(node)));
        let opens = (was, ledger.office_may_open(declare), ledger.is_up_to_office(node, Past::ALL));
        (one.node.id(), made, fate, one.is_answered(), one.outcome, stands, opens)
    })));
    said.push(all(ledger.unanswered().map(|one| one.node.id())));
    said.push(all(ledger.declarations().map(|one| opener::unopened(order, ledger, one.node.id()))));
    for player in Player::BOTH {
        said.push(all(ledger.seals(player).iter().filter_map(|seal| ledger.set(seal)).map(|set| {
            let seal = set.node.id();
            let open = set.context.deepest_places().map(|place| set.key(place).is_some()).collect::<Vec<_>>();
            (
                seal,
                set.valid,
                open,
                ledger.is_killed(&seal, Past::ALL),
                ledger.is_held(&seal, Past::ALL),
                ledger.is_with_office(&seal, Past::ALL),
            )
        })));
        said.push(all(secrets::due_notes(ledger, player).iter().map(|(on, set)| (on, set.node.id()))));
        said.push(all(tasks::of(ledger, player)));
        said.push(all([(
            redo::pending_breach(ledger, player),
            ledger.has_closed(player),
            ledger.has_published(player),
            ledger.last_slot(player),
        )]));
        said.push(all(correct::open_proposals(ledger, player)));
    }
    for author in Author::ALL {
        said.push(all(ledger.last_letter_of(author).map(|last| last.id())));
        said.push(all(Author::ALL.map(|other| steps::next_seen(ledger, author, other))));
        said.push(all(deposits::without_receipt(ledger, author).map(|set| set.node.id())));
    }
    let due = correct::redos_due(ledger, Past::ALL);
    said.push(all(due.map(|due| (due.acceptance, due.declaration, due.player))));
    said.push(opener::due(ledger).iter().map(|due| format!("{due:?}")).collect());
    said.push(all([0, 50, 40 * 86_400, MOMENT].map(|now| days::office_owes_the_time(ledger, now))));
    said.push(all([(ledger.told(), ledger.count())]));
    said
}

/// The letters of a game, as they come: each a little earlier or later than it was signed.
fn arrives(world: &World, delays: &[u8]) -> Vec<Verified> {
    let numbered = world.here().filter(|(_, letter)| !letter.message.head().is_unnumbered());
    let mut coming: Vec<(usize, &Verified)> = numbered.map(|(i, letter)| (i, &letter.message)).collect();
    let spread = usize::from(delays[0] % 9);
    coming.sort_by_key(|(i, _)| i + usize::from(delays[i % delays.len()]) % (spread + 1));
    coming.into_iter().map(|(_, message)| message.clone()).collect()
}

fn author(world: &World, message: &Verified) -> Option<Author> {
    world.terms().author_of(&message.head().author)
}

/// What letters come to that are kept, and how many of them were simply taken.
fn kept(world: &World, letters: &[Verified]) -> (Kept, usize) {
    let replay = |letters: &[Verified]| {
        let members = Members::of(world.terms(), &letters.iter().collect::<Vec<_>>());
        Kept::replay(Arc::new(world.terms().clone()), world.game, &members)
    };
    let (mut kept, mut taken) = (replay(&letters[..1]), 0);
    for (i, message) in letters.iter().enumerate().skip(1) {
        let author = author(world, message).expect("a party");
        match kept.take(message, author) {
            true => taken += 1,
            false => kept = replay(&letters[..=i]),
        }
    }
    (kept, taken)
}

fn check_kept(world: &World, delays: &[u8]) -> Result<usize, TestCaseError> {
    let letters = arrives(world, delays);
    let (kept, taken) = kept(world, &letters);
    let members = Members::of(world.terms(), &letters.iter().collect::<Vec<_>>());
    let order = Order::of(world.terms(), world.game, &members);
    let whole = said(&order, &replay::replay(world.terms(), world.game, &order));
    kept.look(|_, ledger| {
        assert!(ledger.declarations().all(|one| one.trail.is_empty()), "no draws are kept");
    });
    let kept = kept.look(said);
    for (kept, whole) in kept.iter().zip(&whole) {
        prop_assert_eq!(kept, whole);
    }
    prop_assert_eq!(kept.len(), whole.len());
    Ok(taken)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    /// In whatever order letters arrive, and whoever cheats.
    #[test]
    fn what_is_kept_is_what_a_replay_comes_to(
        settings in any::<u16>(),
        cheat in prop::option::of(prop::sample::select(Who::ALL.to_vec())),
        steps in prop::collection::vec(any::<(u8, u8, u8)>(), 20..90),
        delays in prop::collection::vec(any::<u8>(), 1..40),
    ) {
        check_kept(&whole_game(settings, cheat, &steps), &delays)?;
    }
}

/// Where nobody cheats and letters arrive as they are signed, all are simply taken but those with which a game begins.
#[test]
fn an_honest_game_is_kept_letter_by_letter() {
    let (mut all, mut simply) = (0, 0);
    for seed in 0..60_u32 {
        let random = |i: u32| crate::kit::bytes(&format!("kept {seed} {i}")).0;
        let steps: Steps = (1..90).map(|i| (random(i)[0], random(i)[1], random(i)[2])).collect();
        let world = whole_game(u16::from_le_bytes([random(0)[0], random(0)[1]]), None, &steps);
        let letters = arrives(&world, &[0]);
        if !world.forks().is_empty() || letters.iter().any(|message| names_what_is_gone(&letters, message)) {
            continue;
        }
        let taken = check_kept(&world, &[0]).expect("they agree");
        let began = letters.iter().filter(|message| message.head().game != Some(world.game)).count();
        assert_eq!(taken + began, letters.len());
        (all, simply) = (all + letters.len(), simply + taken);
    }
    assert!(simply > 600, "{simply} of {all}");
}

fn names_what_is_gone(letters: &[Verified], message: &Verified) -> bool {
    let here: Vec<Hex32> = letters.iter().map(Verified::id).collect();
    message.names().iter().any(|id| !here.contains(id))
}
