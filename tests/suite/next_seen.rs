//! What a party's next letter has as `seen`: it never goes back along a chain (chain 3), and is on the branch that
//! stands, also where the party had seen more of the other one.

use sealed_dice::{
    blob::{
        Body, Head, Kind,
        body::{Hex32, Key, Reveal, SetKind, Step},
        disputes::{Claim, Ruled, Ruling, Stall},
        office::{Moment, Receipt, Seals},
    },
    game::{
        findings,
        steps::{self, Letter, Signer},
        terms::{Author, Player},
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
        Carol => Body::Ruling(Ruling { rule: Ruled::Settle(about), text: n.to_string() }),
        Dora => Body::Receipt(Receipt::Time(Moment { at: n })),
    }
}

/// Somebody takes note of one letter.
fn sees(table: &mut Table, who: Who, id: Hex32) {
    let letter = table.letters.iter().find(|letter| letter.message.id() == id).expect("a letter").clone();
    table.seat_mut(who).see(&letter.message);
}

/// Ann declares twice with one number, and follows the first declaration. A party sees all of that first branch, and
/// signs; then the dice of the second are opened, which makes that branch stand.
struct Forked {
    table: Table,
    seal: Hex32,
    /// The letter before the fork.
    before: Hex32,
    first: Hex32,
    /// Behind the first.
    had_seen: Hex32,
    second: Hex32,
}

impl Forked {
    fn of(label: &str, who: Who) -> Self {
        let mut table = Table::officed(label, true, |_| {});
        let seal = table.seal(Bob, SetKind::Coin, FIRST);
        table.send(Dora, Body::Receipt(Receipt::Deposit(Seals { seals: vec![seal] })));
        let [first, second] = [(); 2].map(|()| table.declaration(Ann, FIRST, example_attacks(), seal, None));
        let note = Body::Seal(table.seal_body(Ann, SetKind::Note, "1/1/ann-first/1/thoughts"));
        let head = table.signer(Ann).next_head(Kind::Declare);
        let before = head.prev.expect("a letter");
        let mut forge = |head, body| table.forge(head, body, &key("key of ann"));
        let first = forge(head.clone(), Body::Declare(Box::new(first)));
        let behind = Head { kind: note.kind(), number: head.number + 1, prev: Some(first), ..head.clone() };
        let had_seen = forge(behind, note);
        let second = forge(head, Body::Declare(Box::new(second)));

        sees(&mut table, who, had_seen);
        table.post(who, letter_of(who, 1, had_seen));
        let mut forked = Self { table, seal, before, first, had_seen, second };
        forked.opens(if who == Dora { Bob } else { Dora }, second);
        forked
    }

    /// Somebody opens what a declaration selects, and thereby is a strong witness for it (chain 12).
    fn opens(&mut self, who: Who, declaration: Hex32) {
        sees(&mut self.table, who, declaration);
        let keys = vec![Key(2, self.table.key_of(Bob, self.seal, 2, 0))];
        let reveal = Reveal { declaration: Some(declaration), keys, seal: self.seal, sheets: Vec::new() };
        self.table.post(who, Body::Reveal(reveal));
    }

    /// The signer of a party that goes on with all letters here.
    fn signer(&self, author: Author, name: &str) -> Signer {
        let vault = Secret::new(bytes(name).0);
        self.table.with_ledger(|ledger| Signer::resume_as(ledger, author, key(&format!("key of {name}")), vault))
    }

    /// The rule that a letter breaks, if it is laid on the table.
    fn broken_by(&mut self, letter: Letter) -> Option<String> {
        let id = letter.message.id();
        self.table.letters.push(letter);
        let broke = self.table.with_ledger(|ledger| {
            let finding = findings::of(ledger).iter().find(|finding| finding.letters.contains(&id));
            finding.map(|finding| finding.text.clone())
        });
        self.table.letters.pop();
        broke
    }

    /// The party's next letter has this as `seen` for Ann, and may; with one of these it would go back.
    fn goes_on(&mut self, who: Who, author: Author, expected: Hex32, back: &[Hex32]) {
        let name = self.table.signer(who).role().as_str().to_owned();
        let last = self.table.with_ledger(|ledger| steps::next_seen(ledger, author, ANN));
        assert_eq!(last, Some(expected), "{name}");
        let about = self.before;
        let next = self.signer(author, &name).write(letter_of(who, 2, about)).expect("a letter");
        assert_eq!(next.message.head().seen.get(&role("ann")), Some(expected), "{name}");
        assert_eq!(self.broken_by(next), None, "{name}");
        for back in back {
            let letter = self.table.letters.iter().find(|letter| letter.message.id() == *back).expect("a letter");
            let mut signer = self.signer(author, &name);
            signer.see(&letter.message);
            let next = signer.write(letter_of(who, 2, about)).expect("a letter");
            let broke = self.broken_by(next).expect("a breach");
            assert!(broke.starts_with("chain 3"), "{name}: {broke}");
        }
    }
}

fn changes_branch_and_never_goes_back(label: &str, who: Who, author: Author) {
    let mut forked = Forked::of(label, who);
    let Forked { before, first, had_seen, second, .. } = forked;
    forked.goes_on(who, author, second, &[before, first]);

    // Somebody opens for the first, too: none of them stands, and the party stays where it was, for all else is behind
    // it.
    if who == Carol {
        forked.opens(Bob, first);
        forked.goes_on(who, author, had_seen, &[before, first]);
    }
}

#[test]
fn a_players_seen_changes_branch_and_never_goes_back() {
    changes_branch_and_never_goes_back("a player had seen more", Bob, Author::Player(Player::Second));
}

#[test]
fn a_referees_seen_changes_branch_and_never_goes_back() {
    changes_branch_and_never_goes_back("a referee had seen more", Carol, Author::Referee);
}

#[test]
fn an_offices_seen_changes_branch_and_never_goes_back() {
    changes_branch_and_never_goes_back("an office had seen more", Dora, Author::Office);
}
