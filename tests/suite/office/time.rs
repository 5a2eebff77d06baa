//! The office's clock (`protocol/office.md` 11): what it dates as it comes, and what it dates once days have passed.

use sealed_dice::{
    blob::{
        Body, Hex32,
        body::{Deadline, Forfeit, Revealer, Step},
        disputes::{Claim, Ruled, RuledForfeit, Ruling, Stall},
        office::Receipt,
    },
    game::{days::DAY, steps::Letter},
    office::{decision::Mode, mailbox::Mailbox},
};

use super::{
    service::{FIRST, SLOT, letters, posted, seal_of},
    world::{Game, PLENTY, Premises, audited},
};
use crate::kit::{Ann, Carol, role};

/// The office's word on the time among letters: what it says, and the letter.
fn times(letters: &[Letter]) -> Vec<(u64, &Letter)> {
    let times = letters.iter().filter_map(|letter| match letter.message.body() {
        Body::Receipt(Receipt::Time(time)) => Some((time.at, letter)),
        _ => None,
    });
    times.collect()
}

fn forfeits(request: Hex32) -> Body {
    let rule = Ruled::Forfeit(RuledForfeit { forfeit: Forfeit::DeclarerNames, request });
    Body::Ruling(Ruling { rule, text: String::new() })
}

#[test]
fn a_request_is_dated_at_once_and_again_when_its_days_have_passed() {
    let premises = Premises::made("office-time", None);
    let office = premises.serve();
    let client = office.client();
    let deadline = |days, forfeit| Deadline { days, forfeit, step: Step::Reveal };
    let mut game = Game::refereed("time", premises.terms(), |charter| {
        charter.phases[0].revealer = Revealer::Sealer;
        charter.deadlines = vec![deadline(20, Forfeit::Game), deadline(30, Forfeit::DeclarerNames)];
    });
    game.open(&client).expect("a box");
    game.accepted();
    game.sealed(SLOT);
    game.letters.push(game.declared(SLOT, &FIRST, seal_of(&game)));
    game.leave(&client).expect("taken");
    let declaration = game.letters.iter().find(|letter| matches!(letter.message.body(), Body::Declare(_)));
    let declaration = declaration.expect("it").message.id();

    // Whoever leaves a stall or a request has the time in the answer, signed behind it.
    let stall = Stall { letter: Some(declaration), owes: role("bob"), step: Step::Reveal, text: String::new() };
    let claim = game.signs(Ann, Body::Claim(Claim::Stall(stall)));
    let (first, _) = is_dated(&mut game, &client, claim, "ann");
    let request = game.signs(Carol, Body::Ruling(Ruling { rule: Ruled::Request(claim), text: String::new() }));
    let (asked, left) = is_dated(&mut game, &client, request, "carol");
    assert!(asked >= first, "its clock does not go back");
    let before = game.fetched(&client);
    let again = posted(&game, &client, &[&left]);
    assert_eq!(times(&letters(&again)), [], "once a request");
    assert_eq!(game.fetched(&client), before);

    // The same decision at other times.
    let keys = premises.keys();
    let mut held = before.iter().cloned();
    let mut mailbox = Mailbox::new(held.next().expect("a charter"), PLENTY).expect("terms");
    held.for_each(|letter| mailbox.push(letter));
    let mut asks = |now: u64| {
        let decision = mailbox.decide(vec![left.clone()], &keys, now, Mode::Signs).expect("a decision");
        assert_eq!(decision.letters.len(), decision.signed, "the request is there already");
        decision.letters.iter().for_each(|letter| mailbox.push(letter.clone()));
        decision.letters
    };
    let mut told = Vec::new();
    for (passed, tells) in [
        (0, false),
        (20 * DAY - 1, false),
        (20 * DAY, true),
        (20 * DAY, false),
        (30 * DAY - 1, false),
        (30 * DAY + 5, true),
        (30 * DAY + 5, false),
        (900 * DAY, false),
    ] {
        let signed = asks(asked + passed);
        let at: Vec<u64> = times(&signed).iter().map(|(at, _)| *at).collect();
        let due: Vec<u64> = tells.then_some(asked + passed).into_iter().collect();
        assert_eq!((at, signed.len()), (due, usize::from(tells)), "after {passed} seconds");
        told.extend(signed);
    }

    // What a forfeit rests on then: on the office's clock, if the referee knows what it told; else on his word.
    let ruled = |game: &mut Game, letters: &[Letter]| {
        game.letters = letters.to_vec();
        game.signs(Carol, forfeits(request));
        game.letters.clone()
    };
    let shown = audited(&ruled(&mut game, &[before.clone(), told.clone()].concat()));
    let [days] = &shown["days"].as_array().expect("a list")[..] else { panic!("{shown}") };
    assert_eq!(
        (&days["word"], &days["days"], &days["at_least"]),
        (&"shown".into(), &30.into(), &(30 * DAY + 5).into())
    );
    assert_eq!(shown["findings"], serde_json::json!([]), "{shown}");
    let short = audited(&ruled(&mut game, &[before.clone(), told[..1].to_vec()].concat()));
    assert_eq!(short["days"][0]["word"], "referee", "{short}");

    // And too early: the ruling is dated as it comes, and what it says is contradicted.
    ruled(&mut game, &before);
    let ruling = game.letters.last().expect("it").message.id();
    is_dated(&mut game, &client, ruling, "carol");
    let early = audited(&game.fetched(&client));
    assert_eq!(
        (&early["days"][0]["word"], &early["verdict"]),
        (&"contradicted".into(), &"undecided".into()),
        "{early}"
    );
}

/// Leaves the last letter, which is answered with the time: the time, and the letter.
fn is_dated(game: &mut Game, client: &sealed_dice::office::client::Client, id: Hex32, author: &str) -> (u64, Letter) {
    let left = game.letters.last().expect("a letter").clone();
    assert_eq!(left.message.id(), id);
    let taken = posted(game, client, &[&left]);
    let answer = letters(&taken);
    let told = times(&answer);
    let [(at, receipt)] = told[..] else { panic!("one receipt: {taken:?}") };
    assert_eq!(receipt.message.head().seen.get(&role(author)), Some(id), "signed behind it");
    game.take(&taken);
    (at, left)
}
