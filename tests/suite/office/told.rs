//! What the office tells of what is left with it, decision by decision (`protocol/post.md` 4, 5, 13).

use std::collections::BTreeSet;

use sealed_dice::{
    blob::{
        Body, Hex32, Kind,
        disputes::{Claim, Dispute},
        resync::Resync,
    },
    game::{opener::Because, steps::Letter},
    keep::root::Keys,
    office::{
        decision::{Decision, Mode},
        mailbox::Mailbox,
    },
};

use super::{
    service::{FIRST, SLOT, posted, seal_of},
    world::{Game, PLENTY, Premises, reveals, signed_again},
};
use crate::kit::{Ann, Bob};

/// An office's keys, and a game that has begun in a box of its, with what comes of each letter that is left.
struct Desk {
    keys: Keys,
    game: Game,
}

impl Desk {
    fn of(name: &str) -> Self {
        let premises = Premises::made(name, None);
        let keys = premises.keys();
        let mut game = Game::proposed(name, premises.terms());
        let accept = Mailbox::new(game.charter.clone(), PLENTY).expect("terms").accept(&keys).expect("its own terms");
        game.letters.push(accept.expect("not accepted yet"));
        game.accepted();
        Self { keys, game }
    }

    /// A box with some of the game's letters.
    fn mailbox(&self, has: impl Fn(&Letter) -> bool) -> Mailbox {
        let mut mailbox = Mailbox::new(self.game.charter.clone(), PLENTY).expect("terms");
        self.game.letters.iter().skip(1).filter(|letter| has(letter)).for_each(|letter| mailbox.push(letter.clone()));
        mailbox
    }

    fn decides(&self, mailbox: &Mailbox, brought: &[&Letter]) -> Decision {
        let brought = brought.iter().map(|letter| (*letter).clone()).collect();
        mailbox.decide(brought, &self.keys, 1_000, Mode::Signs).expect("a decision")
    }

    /// Leaves all that the game has, and takes what the office signs.
    fn leaves_all(&mut self) {
        let mailbox = self.mailbox(|letter| letter.message.head().kind == Kind::Accept);
        let all: Vec<&Letter> = self.game.letters.iter().skip(2).collect();
        let decision = self.decides(&mailbox, &all);
        self.game.letters.extend(decision.letters.into_iter().rev().take(decision.signed));
    }

    fn deposit(&self) -> Letter {
        let deposit = self.game.letters.iter().find(|letter| letter.message.head().kind == Kind::Deposit);
        deposit.expect("a deposit").clone()
    }
}

#[test]
fn a_deposit_that_is_left_again_is_answered_with_its_receipt() {
    let mut desk = Desk::of("office-told-again");
    desk.game.sealed(SLOT);
    desk.leaves_all();
    let mailbox = desk.mailbox(|_| true);
    let decision = desk.decides(&mailbox, &[&desk.deposit()]);
    assert!(decision.letters.is_empty(), "{decision:?}");
    let kinds = decision.again.iter().map(|position| mailbox.at(*position).expect("a letter").message.head().kind);
    assert_eq!(kinds.collect::<Vec<_>>(), [Kind::Deposit, Kind::Receipt]);
}

/// A letter that only it can have signed, and that its box lacks; but not one of a branch that it has left with an
/// epoch.
#[test]
fn only_a_letter_of_its_own_shows_an_office_that_it_has_forgotten() {
    let mut desk = Desk::of("office-told-forgot");
    desk.game.sealed(SLOT);
    desk.leaves_all();
    let lost = desk.game.letters.last().expect("a receipt").clone();
    assert_eq!(lost.message.head().kind, Kind::Receipt);
    let mut mailbox = desk.mailbox(|letter| letter != &lost);
    let shows = |desk: &Desk, mailbox: &Mailbox, letter: &Letter| desk.decides(mailbox, &[letter]).forgot;
    assert_eq!(shows(&desk, &mailbox, &lost), Some(lost.message.id()));
    assert_eq!(shows(&desk, &desk.mailbox(|_| true), &lost), None, "it has it");
    let accept = desk.game.letters[1].clone();
    assert_eq!(shows(&desk, &desk.mailbox(|_| false), &accept), None, "of one charter always the same");
    assert_eq!(shows(&desk, &mailbox, &signed_again(&lost, desk.game.key(Bob))), None, "anybody can sign in its name");
    let waits = mailbox.decide(vec![lost.clone()], &desk.keys, 1_000, Mode::Waits).expect("a decision");
    assert_eq!((waits.forgot, waits.restored), (None, true), "it knows that already");
    let kept = |mode| mailbox.keep(vec![lost.clone()], mode).expect("no replay is needed").forgot;
    assert_eq!([Mode::Signs, Mode::Waits].map(kept), [Some(lost.message.id()), None], "where it has no turn, too");

    // It begins an epoch, and what was lost before that is shown late.
    let charter = desk.game.charter.clone();
    let begun = mailbox.decide(vec![charter], &desk.keys, 2_000, Mode::Begins).expect("a decision");
    assert!(begun.epoch && begun.signed > 0, "{begun:?}");
    desk.game.letters.retain(|letter| letter != &lost);
    for letter in begun.letters {
        desk.game.letters.push(letter.clone());
        mailbox.push(letter);
    }
    assert_eq!(shows(&desk, &mailbox, &lost), None, "lost before the epoch");
    let known = desk.game.letters.len();
    desk.game.sealed("2/1/ann-first/1");
    let left: Vec<&Letter> = desk.game.letters[known..].iter().collect();
    let decision = desk.decides(&mailbox, &left);
    let next = decision.letters.last().expect("a receipt");
    assert_eq!(shows(&desk, &mailbox, next), Some(next.message.id()), "forgotten once more");
}

/// Asks are answered at once, also by an office that was restored and signs nothing else (keys 5, post 17), and where
/// it is busy they wait for their turn (post 19). Each is answered once.
#[test]
fn every_ask_is_answered() {
    let mut desk = Desk::of("office-told-asks");
    let seal = desk.game.sealed(SLOT);
    let mailbox = desk.mailbox(|_| true);
    let (anns, bobs) = (desk.game.asks(Ann, "ann asks"), desk.game.asks(Bob, "bob asks"));
    let first = desk.game.letters[0].message.id();
    for mode in [Mode::Signs, Mode::Waits] {
        assert!(mailbox.keep(vec![anns.clone()], mode).is_none(), "an ask cannot wait");
        let decision = mailbox.decide(vec![anns.clone(), bobs.clone()], &desk.keys, 1_000, mode);
        let mut decision = decision.expect("a decision");
        let answers = decision.letters.iter().filter_map(|letter| match letter.message.body() {
            Body::Resync(Resync::Answer(answer)) => {
                assert_eq!(letter.message.key(), Hex32(*desk.keys.signing().public().as_bytes()));
                Some((answer.ask, answer.last))
            }
            _ => None,
        });
        let answers: BTreeSet<(Hex32, Option<Hex32>)> = answers.collect();
        let right = [(anns.message.id(), Some(first)), (bobs.message.id(), Some(seal))];
        assert_eq!(answers, BTreeSet::from(right), "{mode:?}");
        let in_chains = decision.letters.iter().any(|letter| !letter.message.head().is_unnumbered());
        assert_eq!(in_chains, mode == Mode::Signs, "the receipt that it owes");

        // Left again it is told the same.
        let mut mailbox = desk.mailbox(|_| true);
        mailbox.stored(&mut decision);
        let again = mailbox.decide(vec![anns.clone()], &desk.keys, 1_000, mode).expect("a decision");
        assert!(again.letters.is_empty(), "{again:?}");
        let told = again.again.iter().filter_map(|position| mailbox.at(*position)).filter(|letter| {
            matches!(letter.message.body(), Body::Resync(Resync::Answer(answer)) if answer.ask == anns.message.id())
        });
        assert_eq!(told.count(), 1);
    }
}

#[test]
fn what_is_missing_is_told_of_each_declaration_alone() {
    let mut desk = Desk::of("office-told-missing");
    let seal = desk.game.sealed(SLOT);
    let declared = desk.game.declared(SLOT, &FIRST, seal);
    let dispute = |about| Body::Claim(Claim::Dispute(Dispute { letters: vec![about], text: "a doubt".into() }));
    let unseen = desk.game.signs(Bob, dispute(seal));
    desk.game.signs(Bob, dispute(unseen));
    let late = desk.game.letters.last().expect("it").clone();
    let mailbox = desk.mailbox(|letter| letter.message.head().kind == Kind::Accept);
    let decision = desk.decides(&mailbox, &[&declared, &late]);
    let [waiting, other] = &decision.waiting[..] else { panic!("one reason each: {decision:?}") };
    assert_eq!((waiting.because, &waiting.letters[..]), (Because::Missing, &[seal][..]), "not {unseen} too");
    assert_eq!(
        (other.declaration, other.because),
        (late.message.id(), Because::Missing),
        "what is no declaration, too"
    );
}

#[test]
fn a_deposit_that_is_lost_is_told_and_can_be_left_again() {
    let mut desk = Desk::of("office-told-lost");
    desk.game.sealed(SLOT);
    desk.leaves_all();
    let declared = desk.game.declared(SLOT, &FIRST, seal_of(&desk.game));
    let lost = desk.mailbox(|letter| letter.message.head().kind != Kind::Deposit);
    let decision = desk.decides(&lost, &[&declared]);
    assert_eq!((decision.letters.len(), decision.signed), (1, 0), "{decision:?}");
    let [waiting] = &decision.waiting[..] else { panic!("one reason: {decision:?}") };
    assert_eq!((waiting.declaration, waiting.because), (declared.message.id(), Because::Lost));
    let found = desk.decides(&lost, &[&declared, &desk.deposit()]);
    assert_eq!((reveals(&found.letters).len(), found.waiting.len()), (1, 0), "{found:?}");
}

#[cfg(feature = "fail-points")]
#[test]
fn a_mistake_of_the_offices_own_keeps_no_letter_out_of_a_box() {
    let mut desk = Desk::of("office-told-broke");
    desk.game.sealed(SLOT);
    desk.leaves_all();
    let declared = desk.game.declared(SLOT, &FIRST, seal_of(&desk.game));
    let again = desk.game.again(&declared);
    let mailbox = desk.mailbox(|_| true).mistaken(super::model::opened_again);
    let decision = desk.decides(&mailbox, &[&declared, &again, &desk.deposit()]);
    assert!(decision.broke.is_some(), "it would open the same dice for ever: {decision:?}");
    assert_eq!((decision.letters.len(), decision.signed, decision.marks.len()), (2, 0, 0), "{decision:?}");
    let fault: Vec<_> = decision.waiting.iter().map(|waiting| (waiting.declaration, waiting.because)).collect();
    assert_eq!(fault, [&declared, &again].map(|letter| (letter.message.id(), Because::Fault)));
}

#[test]
fn an_answer_quotes_each_letter_once() {
    let premises = Premises::made("office-told-forks", None);
    let office = premises.serve();
    let client = office.client();
    let game = Game::begun("forks", &premises, &client);
    let seal = seal_of(&game);
    let hexes: Vec<String> = (1..=12).map(|row| format!("F{row}")).collect();
    let forked: Vec<Letter> = hexes.iter().map(|hex| game.declared(SLOT, &[(hex, "3-1")], seal)).collect();
    let taken = posted(&game, &client, &forked.iter().collect::<Vec<_>>());
    let forks: Vec<_> = taken.waiting.iter().filter(|waiting| waiting.code == "fork").collect();
    assert_eq!(forks.len(), 12, "nobody has named one of them");
    assert!(forks.iter().all(|waiting| waiting.letters.len() == 2));
    let named: BTreeSet<&String> = forks.iter().flat_map(|waiting| &waiting.letters).collect();
    let quoted: usize = forks.iter().map(|waiting| waiting.quoted.len()).sum();
    assert_eq!((named.len(), quoted), (12, 12));
}

/// A game can have too many branches to be replayed (chain 15). The office then gives `fork` as the reason for each letter.
#[test]
fn a_game_of_too_many_branches_is_told_as_forked() {
    let mut desk = Desk::of("office-told-branches");
    let seal = desk.game.sealed(SLOT);
    desk.leaves_all();
    let hexes: Vec<String> = (1..=260).map(|row| format!("F{row}")).collect();
    let forked: Vec<Letter> = hexes.iter().map(|hex| desk.game.declared(SLOT, &[(hex, "3-1")], seal)).collect();
    let mailbox = desk.mailbox(|_| true);
    let decision = desk.decides(&mailbox, &forked.iter().collect::<Vec<_>>());
    assert_eq!((decision.letters.len(), decision.signed), (260, 0), "all is evidence: {:?}", decision.refused);
    let told: BTreeSet<_> =
        decision.waiting.iter().map(|waiting| (waiting.because.code(), waiting.letters.len())).collect();
    assert_eq!((decision.waiting.len(), told), (260, BTreeSet::from([("fork", 2)])));
}

/// Somebody's 65th ask is refused, whatever they leave else is taken, and so are the asks of others (post 21): each costs
/// the office a letter.
#[test]
fn asks_of_one_author_have_an_end() {
    let mut desk = Desk::of("office-told-asks-end");
    desk.game.sealed(SLOT);
    let asks: Vec<Letter> = (0..65).map(|n| desk.game.asks(Ann, &format!("ask {n}"))).collect();
    let mut mailbox = desk.mailbox(|_| true);
    let mut decision = desk.decides(&mailbox, &asks.iter().collect::<Vec<_>>());
    let refused: Vec<_> =
        decision.refused.iter().map(|refused| (refused.class, refused.text.contains("64 times"))).collect();
    assert_eq!(refused, [("room", true)]);
    let answers =
        decision.letters.iter().filter(|letter| matches!(letter.message.body(), Body::Resync(Resync::Answer(_))));
    assert_eq!(answers.count(), 64);
    mailbox.stored(&mut decision);
    let declared = desk.game.declared(SLOT, &FIRST, seal_of(&desk.game));
    let others = desk.game.asks(Bob, "bob asks");
    let late = desk.game.asks(Ann, "once more");
    let decision = desk.decides(&mailbox, &[&declared, &others, &late]);
    assert_eq!(decision.refused.iter().map(|refused| refused.id).collect::<Vec<_>>(), [late.message.id()]);
}
