//! Two offices on one database: what the one takes the other has, tells whoever waits there, and does not open again.

use std::{sync::mpsc, thread, time::Duration};

use sealed_dice::office::answers::Placed;

use super::{
    service::{FIRST, OTHER, SLOT, letters, posted, seal_of},
    world::{Cluster, Game, Premises, opened, reveals, streamed},
};

#[test]
fn letters_that_are_left_at_one_office_are_found_and_pushed_at_the_other() {
    let Some(cluster) = Cluster::begin("pair") else { return };
    let premises = Premises::made("office-pair", Some(cluster.url()));
    let (here, there) = premises.serve_twice();
    let (near, far) = (here.client(), there.client());
    let mut game = Game::begun("pair", &premises, &near);
    assert_eq!(game.fetched(&far), game.fetched(&near));
    assert_eq!(far.boxes(None, &game.pass()).expect("boxes").games.len(), 1);

    // A stream that is not told of letters looks for them itself, but not before it has said three times that it lives.
    let last = far.boxes(None, &game.pass()).expect("boxes").games[0].last;
    let url = format!("{}/v1/games/{}/events?after={last}", there.url, game.id());
    let lines = streamed(&url, &game.pass());
    let (tells, told) = mpsc::channel::<(usize, Placed)>();
    thread::spawn(move || {
        let mut lived = 0;
        for line in lines {
            lived += usize::from(line.starts_with(':'));
            let placed = line.strip_prefix("data:").map(|data| serde_json::from_str(data.trim()).expect("a letter"));
            if placed.is_some_and(|placed| tells.send((lived, placed)).is_err()) {
                return;
            }
        }
    });
    let mut next = (2..).map(|turn| {
        let known = game.letters.len();
        game.sealed(&format!("{turn}/1/ann-first/1"));
        let taken = posted(&game, &near, &game.letters[known..].iter().collect::<Vec<_>>());
        assert!(taken.refused.is_empty(), "{taken:?}");
        game.take(&taken);
    });
    // Whether the other office listens already nobody says; it hears of one of these.
    let (lived, first) = loop {
        next.next();
        if let Ok(first) = told.recv_timeout(Duration::from_millis(100)) {
            break first;
        }
    };
    drop(next);
    assert!(lived < 2, "nobody told the other office");
    assert_eq!(first.position, last + 1);
    let seal = game.letters.iter().find(|letter| letter.armour() == first.letter);
    assert!(seal.is_some(), "what was left at the one, byte for byte");

    let declared = game.declared(SLOT, &FIRST, seal_of(&game));
    let answer = letters(&posted(&game, &near, &[&declared]));
    let [reveal] = reveals(&answer)[..] else { panic!("one reveal") };
    let pushed = told.iter().find_map(|(lived, placed)| {
        let letter = opened(&placed.letter).remove(0);
        (letter == *reveal).then_some(lived)
    });
    assert!(pushed.expect("the stream goes on") < 2, "nobody told the other office");
    assert_eq!(game.fetched(&far), game.fetched(&near));
}

/// Both have decided before either has written.
#[test]
fn two_offices_that_are_asked_at_once_open_a_slot_once() {
    let Some(cluster) = Cluster::begin("pair-at-once") else { return };
    let premises = Premises::made("office-pair-at-once", Some(cluster.url()));
    let (here, there) = premises.serve_twice();
    let (near, far) = (here.client(), there.client());
    for (round, list) in [("one list", &FIRST[..]), ("two lists", &OTHER)] {
        let game = Game::begun(round, &premises, &near);
        // Both have the box in memory.
        assert_eq!(posted(&game, &far, &[&game.charter]).letters.len(), 1);
        let (one, other) = (game.declared(SLOT, &FIRST, seal_of(&game)), game.declared(SLOT, list, seal_of(&game)));
        let held = cluster.holds(game.id());
        let answers = thread::scope(|scope| {
            let asked = [(&near, &one), (&far, &other)]
                .map(|(client, declared)| scope.spawn(|| posted(&game, client, &[declared])));
            held.is_awaited_by(2);
            held.lets_go();
            asked.map(|asked| asked.join().expect("an answer"))
        });
        let everything = game.fetched(&near);
        assert_eq!(game.fetched(&far), everything);
        let [reveal] = reveals(&everything)[..] else { panic!("{round}: one reveal: {answers:?}") };
        let told: Vec<usize> = answers
            .iter()
            .map(|taken| {
                let answer = letters(taken);
                let told = reveals(&answer);
                assert!(told.iter().all(|told| *told == reveal), "{round}: the same bytes");
                told.len()
            })
            .collect();
        let waiting: Vec<&str> =
            answers.iter().flat_map(|taken| &taken.waiting).map(|waiting| waiting.code.as_str()).collect();
        match round {
            "one list" => assert_eq!((told, waiting), (vec![1, 1], vec![])),
            _ => {
                assert_eq!((told.iter().sum::<usize>(), waiting), (1, vec!["fork"]), "one wins, and one hears why not")
            }
        }
    }
    assert!(premises.does(&["office", "check"]).contains("good: 2 boxes"));
}

/// What an office has in memory is never all that it answers from.
#[test]
fn a_box_in_memory_is_brought_up_to_date() {
    let Some(cluster) = Cluster::begin("pair-memory") else { return };
    let premises = Premises::made("office-pair-memory", Some(cluster.url()));
    let (here, there) = premises.serve_twice();
    let (near, far) = (here.client(), there.client());
    let mut game = Game::begun("pair in memory", &premises, &near);
    let (one, other) = (game.declared(SLOT, &FIRST, seal_of(&game)), game.declared(SLOT, &OTHER, seal_of(&game)));
    let answer = letters(&posted(&game, &far, &[&one]));
    let [reveal] = reveals(&answer)[..] else { panic!("one reveal") };

    // The first office has the box as it was before.
    let taken = posted(&game, &near, &[&other]);
    assert!(reveals(&letters(&taken)).is_empty(), "{taken:?}");
    let [waiting] = &taken.waiting[..] else { panic!("one reason: {taken:?}") };
    assert_eq!(waiting.code, "fork", "{waiting:?}");
    assert_eq!(waiting.quoted.len(), 2, "it has the one that it was not given: {waiting:?}");
    assert_eq!(reveals(&letters(&posted(&game, &near, &[&one]))), [reveal]);

    // And now the second one: a set that it has never heard of, and a declaration on it.
    let mut next = Game::begun("pair in memory, again", &premises, &far);
    assert_eq!(posted(&next, &near, &[&next.charter]).letters.len(), 1);
    let known = next.letters.len();
    let seal = next.sealed("2/1/ann-first/1");
    let left: Vec<_> = next.letters[known..].to_vec();
    next.take(&posted(&next, &far, &left.iter().collect::<Vec<_>>()));
    let declared = next.declared("2/1/ann-first/1", &FIRST, seal);
    assert_eq!(reveals(&letters(&posted(&next, &near, &[&declared]))).len(), 1);
    assert_eq!(next.fetched(&near), next.fetched(&far));
    game.take(&taken);
}
