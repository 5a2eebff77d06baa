//! What a party's next letter has as `seen`: it never goes back, not even where that branch of a fork fell of which the party had
//! seen more (chain 3).

use sealed_dice::{
    blob::{
        Body, Verified,
        body::{Hex32, Key, Reveal, SetKind, Step},
        disputes::{Claim, Rule, Ruling, Stall},
        office::{Moment, Receipt, Seals},
    },
    game::{
        charter::{Author, Player},
        steps::{Letter, Seat},
    },
    primitive::secret::Secret,
};

use crate::kit::{Ann, Bob, Carol, Dora, Table, Who, bytes, example_attacks, key, role};

const FIRST: &str = "1/1/ann-first/1";
const ANN: Author = Author::Player(Player::First);

/// A letter that somebody may sign at any time, told apart by a number.
fn letter_of(who: Who, n: u64, about: Hex32) -> Body {
    match who {
        Ann | Bob => Body::Claim(Claim::Stall(Stall {
            letter: None,
            owes: role("ann"),
            step: Step::Answer,
            text: n.to_string(),
        })),
        Carol => Body::Ruling(Ruling { rule: Rule::Settle(about), text: n.to_string() }),
        Dora => Body::Receipt(Receipt::Time(Moment { at: n })),
    }
}

/// Somebody takes note of one letter.
fn sees(table: &mut Table, who: Who, id: Hex32) {
    let letter = table.letters.iter().find(|letter| letter.message.id() == id).expect("a letter").clone();
    table.seat_mut(who).see(&letter.message);
}

/// Ann declares twice with one number. A party sees the first declaration and what follows it, and signs; then the dice of the
/// second are opened, which makes that branch stand. What the party had seen last of the first branch, and the second.
fn forked(label: &str, who: Who) -> (Table, Hex32, Hex32) {
    let mut table = Table::officed(label, true, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.send(Dora, Body::Receipt(Receipt::Deposit(Seals { seals: vec![seal] })));
    let [first, second] = [(); 2].map(|()| table.declaration(Ann, FIRST, example_attacks(), seal, None));
    let note = Body::Seal(table.seal_body(Ann, SetKind::Note, "1/1/ann-first/1/thoughts"));
    let head = table.seat(Ann).next_head(sealed_dice::blob::Kind::Declare);
    let mut forge = |head, body| table.forge(head, body, &key("key of ann"));
    let first = forge(head.clone(), Body::Declare(Box::new(first)));
    let mut behind = head.clone();
    (behind.kind, behind.number, behind.prev) = (note.kind(), head.number + 1, Some(first));
    let had_seen = forge(behind, note);
    let stands = forge(head, Body::Declare(Box::new(second)));

    sees(&mut table, who, had_seen);
    table.post(who, letter_of(who, 1, had_seen));
    let opens = if who == Dora { Bob } else { Dora };
    sees(&mut table, opens, stands);
    let keys = vec![Key(2, table.key_of(Bob, seal, 2, 0))];
    table.post(opens, Body::Reveal(Reveal { declaration: Some(stands), keys, seal, sheets: Vec::new() }));
    (table, had_seen, stands)
}

/// The rule that a letter breaks, if it is laid on the table.
fn broken_by(table: &mut Table, letter: Letter) -> Option<String> {
    let id = letter.message.id();
    table.letters.push(letter);
    let broke = table.with_ledger(|ledger| {
        let finding = ledger.findings.iter().find(|finding| finding.letters.contains(&id));
        finding.map(|finding| finding.text.clone())
    });
    table.letters.pop();
    broke
}

fn never_goes_back(label: &str, who: Who, author: Author) {
    let (mut table, had_seen, stands) = forked(label, who);
    let name = table.seat(who).role().as_str().to_owned();
    let [mut seat, mut goes_back] = table.with_ledger(|ledger| {
        let last = ledger.last_to_follow(author, ANN).map(|last| last.id());
        assert_eq!(last, Some(stands), "{name}: the other branch stands");
        assert_eq!(ledger.next_seen(author, ANN), Some(had_seen), "{name}");
        let resumed = || Seat::resume_as(ledger, author, key(&format!("key of {name}")), Secret::new(bytes(&name).0));
        [resumed(), resumed()]
    });
    let next = seat.write(letter_of(who, 2, stands)).expect("a letter");
    assert_eq!(broken_by(&mut table, next), None, "{name}");

    let message: &Verified = &table.letters.iter().find(|letter| letter.message.id() == stands).expect("it").message;
    goes_back.see(message);
    let next = goes_back.write(letter_of(who, 2, stands)).expect("a letter");
    let broke = broken_by(&mut table, next).expect("a breach");
    assert!(broke.starts_with("chain 3"), "{name}: {broke}");
}

#[test]
fn a_players_seen_never_goes_back() {
    never_goes_back("a player had seen more", Bob, Author::Player(Player::Second));
}

#[test]
fn a_referees_seen_never_goes_back() {
    never_goes_back("a referee had seen more", Carol, Author::Referee);
}

#[test]
fn an_offices_seen_never_goes_back() {
    never_goes_back("an office had seen more", Dora, Author::Office);
}
