//! Letters that name an office's own which never were: it says what it lacks, and opens whatever does not rest on that.

use std::fs;

use proptest::prelude::*;
use sealed_dice::{
    blob::{
        Body, Hex32, Kind, Verified,
        disputes::{Claim, Dispute},
    },
    game::{
        opener::{Because, Unopened},
        steps::Letter,
    },
    office::{
        decision::{Decision, Mode},
        mailbox::Mailbox,
    },
};

use super::{
    service::{FIRST, OTHER, SLOT, letters, on_both, posted, seal_of},
    world::{Game, PLENTY, Premises, audited, opened, reveals},
};
use crate::{
    kit::{Ann, Bob, bytes, role},
    play::hostile::{Forger, cases, drawn, open},
};

/// Whoever forges letters of a game: Bob, and Ann too if she is hostile.
fn forger(game: &Game, hostile_ann: bool) -> Forger {
    let accepts =
        |letter: &&Letter| letter.message.head().kind == Kind::Accept && letter.message.head().author == role("bob");
    let id = game.letters.iter().find(accepts).expect("a game").message.id();
    let mut keys = vec![(role("bob"), game.key(Bob).clone())];
    keys.extend(hostile_ann.then(|| (role("ann"), game.key(Ann).clone())));
    let letters: Vec<Verified> = game.letters.iter().map(|letter| letter.message.clone()).collect();
    Forger::with(keys, letters, ["ann", "bob", "dora"].map(role).to_vec(), id)
}

/// One letter that names a letter of the office's which never was stopped its box for good.
#[test]
fn an_invented_letter_of_the_offices_stops_no_box() {
    let premises = Premises::made("office-hostile", None);
    let office = premises.serve();
    let client = office.client();
    let mut game = Game::begun("hostile", &premises, &client);
    let seal = seal_of(&game);
    let mut forger = forger(&game, false);
    let mut head = forger.head(&role("bob"), Kind::Claim);
    let invented = bytes("no letter of dora's");
    head.seen.insert(role("dora"), Some(invented));
    let body = Body::Claim(Claim::Dispute(Dispute { letters: vec![bytes("nothing")], text: "so there".into() }));
    let forged = opened(&forger.sign(head, body).expect("a letter"));
    let taken = posted(&game, &client, &[&forged[0]]);
    assert!(!taken.restored, "{taken:?}");
    let waiting: Vec<_> =
        taken.waiting.iter().map(|waiting| (waiting.code.as_str(), waiting.declaration.clone())).collect();
    assert_eq!(waiting, [("missing", forged[0].message.id().to_string())], "{taken:?}");
    assert!(taken.waiting[0].letters.contains(&invented.to_string()), "{taken:?}");
    // What does not rest on it is opened, and a resend with what was missing works as ever.
    let declared = game.declared(SLOT, &FIRST, seal);
    let taken = posted(&game, &client, &[&declared]);
    assert_eq!((reveals(&letters(&taken)).len(), taken.restored), (1, false), "{taken:?}");
    game.take(&taken);
    drop(office);
    assert!(premises.is_refused(&["office", "epoch"]).contains("nothing was restored"));
}

/// Bob accepts the terms twice and shows the office the other game first, with sets to hold: it serves the game that Ann plays,
/// on both stores.
#[test]
fn an_accept_of_another_game_keeps_no_box_from_the_one_that_is_played() {
    on_both("accepts", |premises| {
        let office = premises.serve();
        let client = office.client();
        // The id of the game that is played comes before that of the other, and behind it.
        for (label, is_first) in [("accepts, first", true), ("accepts, behind", false)] {
            let game_of = |nonce: &str| {
                let mut game = Game::proposed(label, premises.terms());
                game.open(&client).expect("a box");
                game.accepted_as(nonce);
                let id = game.letters.last().expect("an accept").message.id();
                (game, id)
            };
            let (mut decoy, decoy_id) = game_of("a decoy");
            let real = (0..).map(|n| game_of(&format!("the game {n}")));
            let (mut game, _) = real.into_iter().find(|(_, id)| (*id < decoy_id) == is_first).expect("such an id");
            decoy.sealed(SLOT);
            let taken = decoy.leave(&client).expect("taken");
            assert!(letters(&taken).iter().any(|letter| letter.message.head().kind == Kind::Receipt), "{taken:?}");
            let seal = game.sealed(SLOT);
            let taken = game.leave(&client).expect("taken");
            assert!(taken.refused.is_empty(), "{taken:?}");
            let declared = game.declared(SLOT, &FIRST, seal);
            let taken = posted(&game, &client, &[&declared]);
            let answer = letters(&taken);
            let [reveal] = reveals(&answer)[..] else { panic!("one reveal: {taken:?}") };
            assert_eq!(reveal.message.head().game, declared.message.head().game);
            game.take(&taken);
            assert_eq!(audited(&game.letters)["findings"], serde_json::json!([]));
        }
    });
}

/// A box whose charter, accepts, seal and receipt are there; and the game.
fn begun(premises: &Premises) -> (Game, Mailbox) {
    let keys = premises.keys();
    let mut game = Game::proposed("hostile law", premises.terms());
    let mut mailbox = Mailbox::new(game.charter.clone(), PLENTY).expect("terms");
    let accept = mailbox.accept(&keys).expect("its own terms").expect("not accepted yet");
    mailbox.push(accept.clone());
    game.letters.push(accept);
    game.accepted();
    game.sealed(SLOT);
    let mut taken = mailbox.decide(game.letters[2..].to_vec(), &keys, 1_000, Mode::Signs).expect("a receipt");
    assert_eq!(taken.signed, 1, "{taken:?}");
    game.letters.extend(taken.letters.iter().skip(taken.letters.len() - taken.signed).cloned());
    mailbox.stored(&mut taken);
    (game, mailbox)
}

/// The same box, read in.
fn again(mailbox: &Mailbox) -> Mailbox {
    let mut letters = (1..=mailbox.last()).filter_map(|position| mailbox.at(position).cloned());
    let mut again = Mailbox::new(letters.next().expect("a charter"), PLENTY).expect("terms");
    letters.for_each(|letter| again.push(letter));
    again
}

/// Why a declaration is not opened: its id, the reason's code, the letters that it waits for, the words.
type Reason = (Hex32, &'static str, Vec<Hex32>, String);

/// What an answer says: positions of what is here, ids of what is new, and why what is not opened.
fn said(decision: &Decision) -> (Vec<u64>, Vec<Hex32>, Vec<Reason>) {
    let reason = |waiting: &Unopened| {
        (waiting.declaration, waiting.because.code(), waiting.letters.clone(), waiting.text.clone())
    };
    let mut reasons: Vec<Reason> = decision.waiting.iter().map(reason).collect();
    reasons.sort();
    (decision.again.clone(), decision.letters.iter().map(|letter| letter.message.id()).collect(), reasons)
}

/// What was taken without being worked on comes to nothing less: behind it the box owes nothing, and everything has its reason.
#[test]
fn what_is_taken_without_a_turn_is_caught_up_with() {
    let premises = Premises::made("office-late-law", None);
    let keys = premises.keys();
    let config =
        ProptestConfig { cases: cases(), max_shrink_iters: 40, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(all in prop::collection::vec(drawn(), 0..24), hostile_ann in any::<bool>(), parts in 1..5_usize)| {
        let (game, mut mailbox) = begun(&premises);
        let declared = game.declared(SLOT, &FIRST, seal_of(&game));
        let mut forger = forger(&game, hostile_ann);
        let texts: Vec<String> = all.iter().filter_map(|drawn| forger.draw(*drawn, "dora")).collect();
        let mut forged: Vec<Letter> = texts.iter().flat_map(|text| opened(text)).collect();
        forged.insert(forged.len() / 2, declared.clone());
        for letters in forged.chunks(forged.len() / parts + 1).map(<[Letter]>::to_vec) {
            // What needs a replay to be taken waits for it.
            let mut decision = match mailbox.keep(letters.clone(), Mode::Signs) {
                Some(kept) => {
                    let taken = mailbox.decide(letters, &keys, 1_000, Mode::Signs).expect("a decision");
                    let theirs = &taken.letters[..taken.letters.len() - taken.signed];
                    prop_assert_eq!(&kept.letters, theirs, "the same are taken");
                    prop_assert!(kept.waiting.iter().all(|waiting| waiting.because == Because::Busy));
                    prop_assert!(kept.signed == 0 && kept.late != (kept.letters.is_empty() && kept.waiting.is_empty()));
                    kept
                }
                None => mailbox.decide(letters, &keys, 1_000, Mode::Signs).expect("a decision"),
            };
            mailbox.stored(&mut decision);
        }
        let mut caught = mailbox.catch_up(&keys, 1_000).expect("a decision");
        prop_assert!(caught.broke.is_none() && !caught.restored);
        mailbox.stored(&mut caught);
        let behind = mailbox.catch_up(&keys, 1_000).expect("a decision");
        prop_assert!(behind.letters.iter().all(|letter| letter.message.head().kind == Kind::Receipt));
        let asked = mailbox.decide(vec![declared.clone()], &keys, 1_000, Mode::Signs).expect("a decision");
        let is_opened = asked.again.iter().filter_map(|position| mailbox.at(*position)).any(|letter| {
            matches!(letter.message.body(), Body::Reveal(reveal) if reveal.declaration == Some(declared.message.id()))
        });
        prop_assert!(is_opened || asked.waiting.iter().any(|waiting| waiting.declaration == declared.message.id()));
        prop_assert!(asked.waiting.iter().all(|waiting| waiting.because != Because::Busy));
    });
}

/// What needs a turn is known before it is decided on: letters that come in order need no replay, and all others do.
#[test]
fn letters_that_do_not_follow_are_known_to_need_a_replay() {
    let premises = Premises::made("office-follow", None);
    let keys = premises.keys();
    let (mut game, mailbox) = begun(&premises);
    let said = game.talk(3, "so there");
    let [one, two, three] = &said[..] else { panic!("three letters") };
    game.letters.truncate(game.letters.len() - 2);
    let rival = game.talk(1, "or there").remove(0);
    for (letters, follow) in [
        (vec![one, two, three], true),
        (vec![one], true),
        (vec![two], false),
        (vec![two, one], false),
        (vec![one, two, &rival], false),
        (vec![one, three, two], false),
    ] {
        // Each of them is left behind what is there, and decides nothing for the next.
        let mut mailbox = again(&mailbox);
        let mut decision = mailbox.catch_up(&keys, 1_000).expect("a decision");
        mailbox.stored(&mut decision);
        let letters: Vec<Letter> = letters.into_iter().cloned().collect();
        let brought: usize = letters.iter().map(|letter| letter.frame.len()).sum();
        let (work, count) = (mailbox.work(&letters), letters.len());
        assert_eq!(work, if follow { brought } else { mailbox.bytes() + brought });
        let decision = mailbox.decide(letters, &keys, 1_000, Mode::Signs).expect("a decision");
        assert_eq!(decision.replayed == count, follow, "{decision:?}");
    }
}

/// A letter that is left again is answered from what is kept. One that simply follows is taken; behind a fork all is replayed.
#[test]
fn what_is_left_again_needs_no_replay() {
    let premises = Premises::made("office-again", None);
    let keys = premises.keys();
    let (mut game, mut mailbox) = begun(&premises);
    let (first, second) = (game.declared(SLOT, &FIRST, seal_of(&game)), game.declared(SLOT, &OTHER, seal_of(&game)));
    let mut leave = |letter: &Letter| {
        let told = mailbox.told(std::slice::from_ref(letter));
        let mut decision = mailbox.decide(vec![letter.clone()], &keys, 1_000, Mode::Signs).expect("a decision");
        if let Some(told) = &told {
            assert_eq!(said(told), said(&decision));
        }
        let replayed = told.map_or(decision.replayed, |told| told.replayed);
        mailbox.stored(&mut decision);
        (replayed, mailbox.last())
    };
    // The declaration is taken behind what was there, and the reveal that it has earned behind it.
    let (replayed, last) = leave(&first);
    let numbered = last as usize - 1;
    assert_eq!(replayed, 2);
    assert_eq!(leave(&first), (0, last));
    // A rival, for which all is replayed: it is not opened, however often it is left.
    assert_eq!(leave(&second), (numbered + 1, last + 1));
    assert_eq!(leave(&second), (0, last + 1));
    assert_eq!(leave(&first), (0, last + 1));
    assert_eq!([leave(&first), leave(&second)], [(0, last + 1); 2]);
    let [talk] = &game.talk(1, "so there")[..] else { panic!("one letter") };
    assert_eq!(leave(talk), (numbered + 2, last + 2));
    assert_eq!(leave(talk), (0, last + 2));
}

#[test]
fn no_letter_keeps_a_box_from_what_it_owes() {
    let premises = Premises::made("office-hostile-law", None);
    let keys = premises.keys();
    let (cases, dir) = (cases(), premises.home.join("letters"));
    let config = ProptestConfig { cases, max_shrink_iters: 40, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(all in prop::collection::vec(drawn(), 0..24), hostile_ann in any::<bool>(), parts in 1..5_usize)| {
        let (game, mut mailbox) = begun(&premises);
        let declared = game.declared(SLOT, &FIRST, seal_of(&game));
        let mut forger = forger(&game, hostile_ann);
        let texts: Vec<String> = all.iter().filter_map(|drawn| forger.draw(*drawn, "dora")).collect();
        let forged: Vec<Letter> = texts.iter().flat_map(|text| opened(text)).collect();
        let mut waiting = Vec::new();
        let chunks = forged.chunks(forged.len() / parts + 1).map(<[Letter]>::to_vec);
        for letters in chunks.chain([vec![declared.clone()], vec![declared.clone()]]) {
            let told = mailbox.told(&letters);
            // What is kept comes to what a replay comes to.
            let read_in = again(&mailbox);
            let replayed = read_in.decide(letters.clone(), &keys, 1_000, Mode::Signs).expect("a decision");
            let needs_replay = mailbox.work(&letters) > letters.iter().map(|letter| letter.frame.len()).sum();
            let mut decision = mailbox.decide(letters.clone(), &keys, 1_000, Mode::Signs).expect("a decision");
            prop_assert_eq!(said(&replayed), said(&decision));
            prop_assert!(!decision.restored && decision.broke.is_none(), "{:?}", decision.broke);
            // No replay comes as a surprise.
            prop_assert!(needs_replay || decision.replayed <= decision.letters.len(), "{:?}", decision);
            // What it answers without a replay is what a replay comes to.
            if let Some(told) = told {
                prop_assert_eq!(said(&told), said(&decision));
            }
            mailbox.stored(&mut decision);
            if let Some(told) = mailbox.told(&letters) {
                let again = mailbox.decide(letters, &keys, 2_000, Mode::Signs).expect("a decision");
                prop_assert_eq!(said(&told), said(&again));
            }
            waiting = decision.waiting;
        }
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).expect("a folder");
        let here: Vec<Letter> = (1..=mailbox.last()).filter_map(|position| mailbox.at(position).cloned()).collect();
        for (n, letter) in here.iter().enumerate() {
            fs::write(dir.join(format!("{n:03}.txt")), letter.armour()).expect("a file");
        }
        let owed = open(&dir, "dora");
        prop_assert!(!owed.iter().any(|what| what.starts_with("blamed")), "{:?}", owed);
        let late = owed.iter().filter(|what| *what == "reveal").count();
        let opened: Vec<Option<Hex32>> = reveals(&here).iter().filter_map(|letter| match letter.message.body() {
            Body::Reveal(reveal) if letter.message.head().author == role("dora") => Some(reveal.declaration),
            _ => None,
        }).collect();
        prop_assert_eq!(late, 0, "{:?} {:?} {:?}", owed, waiting, opened);
        prop_assert!(!forged.is_empty() || opened == [Some(declared.message.id())]);
    });
}
