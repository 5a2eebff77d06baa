//! Letters that name an office's own which never were: it says what it lacks, and opens whatever does not rest on that.

use std::fs;

use proptest::prelude::*;
use sealed_dice::{
    blob::{
        Body, Hex32, Kind, Verified,
        disputes::{Claim, Dispute},
    },
    game::{
        opener::{Because, Guards},
        steps::Letter,
    },
    office::pile::{Mode, Pile},
};

use super::{
    service::{FIRST, SLOT, letters, posted, seal_of},
    world::{Game, Premises, opened, reveals},
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

/// A box whose charter, accepts, seal and receipt are there; and the game.
fn begun(premises: &Premises) -> (Game, Pile) {
    let keys = premises.keys();
    let mut game = Game::proposed("hostile law", premises.terms());
    let mut pile = Pile::new(game.charter.clone()).expect("terms");
    let accept = pile.accept(&keys).expect("its own terms").expect("not accepted yet");
    pile.push(accept.clone());
    game.letters.push(accept);
    game.accepted();
    game.sealed(SLOT);
    let taken = pile.decide(game.letters[2..].to_vec(), &keys, 1_000, Mode::Signs, Guards::ALL).expect("a receipt");
    assert_eq!(taken.signed, 1, "{taken:?}");
    game.letters.extend(taken.letters.iter().skip(taken.letters.len() - taken.signed).cloned());
    taken.letters.into_iter().for_each(|letter| pile.push(letter));
    (game, pile)
}

#[test]
fn no_letter_keeps_a_box_from_what_it_owes() {
    let premises = Premises::made("office-hostile-law", None);
    let keys = premises.keys();
    let (cases, dir) = (cases(), premises.home.join("letters"));
    let config = ProptestConfig { cases, max_shrink_iters: 40, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(all in prop::collection::vec(drawn(), 0..24), hostile_ann in any::<bool>(), parts in 1..5_usize)| {
        let (game, mut pile) = begun(&premises);
        let declared = game.declared(SLOT, &FIRST, seal_of(&game));
        let mut forger = forger(&game, hostile_ann);
        let texts: Vec<String> = all.iter().filter_map(|drawn| forger.draw(*drawn, "dora")).collect();
        let forged: Vec<Letter> = texts.iter().flat_map(|text| opened(text)).collect();
        let mut waiting = Vec::new();
        let chunks = forged.chunks(forged.len() / parts + 1).map(<[Letter]>::to_vec);
        for letters in chunks.chain([vec![declared.clone()], vec![declared.clone()]]) {
            let decision = pile.decide(letters, &keys, 1_000, Mode::Signs, Guards::ALL).expect("a decision");
            prop_assert!(!decision.restored && decision.broke.is_none(), "{:?}", decision.broke);
            decision.letters.into_iter().for_each(|letter| pile.push(letter));
            waiting = decision.waiting;
        }
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).expect("a folder");
        let here: Vec<Letter> = (1..=pile.last()).filter_map(|position| pile.at(position).cloned()).collect();
        for (n, letter) in here.iter().enumerate() {
            fs::write(dir.join(format!("{n:03}.txt")), letter.armour()).expect("a file");
        }
        let owed = open(&dir, "dora");
        prop_assert!(!owed.iter().any(|what| what.starts_with("blamed")), "{:?}", owed);
        // What an answer withholds until its addressee has signed again (keys 11), the office says.
        let is_withheld = waiting.iter().any(|waiting| {
            waiting.declaration == declared.message.id() && waiting.because == Because::Withheld
        });
        let late = owed.iter().filter(|what| *what == "awaits-reveal").count();
        let opened: Vec<Option<Hex32>> = reveals(&here).iter().filter_map(|letter| match letter.message.body() {
            Body::Reveal(reveal) if letter.message.head().author == role("dora") => Some(reveal.declaration),
            _ => None,
        }).collect();
        prop_assert!(late == 0 || is_withheld, "{:?} {:?} {:?}", owed, waiting, opened);
        prop_assert!(!forged.is_empty() || opened == [Some(declared.message.id())]);
    });
}
