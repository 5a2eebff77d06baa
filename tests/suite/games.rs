//! Random games: honest players in any order of letters, and a cheat against an honest player. The auditor gets any part
//! of the letters in any order. No honest player is ever blamed, and no place gives dice to two declarations.

mod found;
mod kept;
mod moves;
mod whole;
mod world;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use proptest::prelude::*;
use sealed_dice::{
    blob::{
        Body, Head, Kind, Verified,
        body::{
            CellKey, Close, Continues, Contribution, Correct, Declare, Forfeit, Hex32, Key, Master, Moves, Pair, Redo,
            Reveal, Seen, Select, SetKind, Step, Voiding,
        },
        disputes::{Claim, Dispute, Names, Ruled, Ruling, Scope, ScopeRolls, Stall, Yield},
        resync::{Answer, Resync},
    },
    game::{
        asks,
        audit::{Read, Report, Roll, Verdict, audit},
        findings,
        ledger::Ledger,
        node::Past,
        rules::claim,
        steps::{self, Request},
        terms::{Author, Player},
    },
    resolve::{Object, Place},
};

use crate::kit::{Ann, Bob, Table, Who, attacks, bytes, cells, key, replayed, role, slot, text};

fn player(who: Who) -> Player {
    if who == Ann { Player::First } else { Player::Second }
}

fn other(who: Who) -> Who {
    if who == Ann { Bob } else { Ann }
}

fn name(who: Who) -> &'static str {
    if who == Ann { "ann" } else { "bob" }
}

/// The letters that a player's next letter will have in its past: what he can know.
fn known(table: &Table, who: Who) -> Vec<&Verified> {
    let by_id: HashMap<Hex32, &Verified> =
        table.letters.iter().map(|letter| (letter.message.id(), &letter.message)).collect();
    let head = table.signer(who).next_head(Kind::Close);
    let mut open: Vec<Hex32> = head.prev.into_iter().chain(head.seen.letters()).collect();
    let mut reached = BTreeSet::new();
    while let Some(id) = open.pop() {
        if let (true, Some(message)) = (reached.insert(id), by_id.get(&id)) {
            open.extend(message.head().prev);
            open.extend(message.head().seen.letters());
            open.extend(message.body().names().into_iter().map(|(id, _)| id));
        }
    }
    table.letters.iter().map(|letter| &letter.message).filter(|message| reached.contains(&message.id())).collect()
}

/// The game as a player can know it.
fn with_view<T>(table: &Table, who: Who, look: impl FnOnce(&Ledger<'_>) -> T) -> T {
    replayed(&known(table, who), look)
}

/// A player looks into his mailbox: of the other's letters he follows the chain that he has followed so far.
fn look_into_mailbox(table: &mut Table, who: Who) {
    let role = role(name(other(who)));
    let mut last = table.signer(who).next_head(Kind::Close).seen.get(&role);
    loop {
        let follows = |message: &&Verified| message.head().author == role && message.head().prev == last;
        let next = table.letters.iter().map(|letter| &letter.message).find(follows);
        let Some(next) = next.filter(|next| next.head().kind != Kind::Accept).cloned() else { return };
        last = Some(next.id());
        table.seat_mut(who).see(&next);
    }
}

/// What an honest player might do now; `None` if this step is not possible.
fn honest(table: &mut Table, who: Who, step: u8, choice: u8) -> Option<Body> {
    let turn = 1 + u64::from(choice % 3);
    let coin = format!("{turn}/1/{}-first/1", name(other(who)));
    let mine = |phase: &str| format!("{turn}/{}/{}-{phase}/1", if phase == "first" { 1 } else { 2 }, name(who));
    let closed = with_view(table, who, |ledger| ledger.has_closed(player(who)));
    match step % 12 {
        0 if !closed => seal(table, who, SetKind::Coin, &coin),
        1 if !closed => seal(table, who, SetKind::Sheet, "sheet/1"),
        2 if !closed => seal(table, who, SetKind::FoulUp, "foul-up/1"),
        3 | 4 if !closed => {
            let list: &[(&str, &str)] =
                if choice.is_multiple_of(2) { &[("F12", "3-1"), ("G13", "5-1")] } else { &[("E2", "1-2")] };
            declare(table, who, &mine("first"), SetKind::Coin, attacks(list))
        }
        5 if !closed => declare(table, who, &mine("second"), SetKind::Sheet, next_cells(table, who)),
        6 | 7 => reveal(table, who),
        8 => answer(table, who, choice),
        9 if !closed && choice > 200 => {
            Some(Body::Close(with_view(table, who, |ledger| table.signer(who).close(ledger, None))))
        }
        9 if closed => Some(Body::Close(with_view(table, who, |ledger| table.signer(who).close(ledger, None)))),
        10 => claim(table, who, choice),
        11 if !closed => void(table, who, choice),
        _ => None,
    }
}

fn seal(table: &mut Table, who: Who, kind: SetKind, purpose: &str) -> Option<Body> {
    let sealed = with_view(table, who, |ledger| {
        let seals = ledger.seals(player(who)).iter().filter_map(|seal| ledger.set(seal));
        seals.filter(|set| set.seal.kind == kind && set.seal.purpose == purpose).count()
    });
    (sealed == 0).then(|| Body::Seal(table.seal_body(who, kind, purpose)))
}

fn next_cells(table: &Table, who: Who) -> Object {
    let depth = with_view(table, who, |ledger| {
        let seal = find_set(ledger, other(who), SetKind::Sheet, "sheet/1")?;
        ledger.spent(&seal, player(who), Past::ALL).get(&0).copied()
    });
    let row = depth.unwrap_or(0) + 1;
    if row <= 10 { cells(&[&format!("A{row}")]) } else { cells(&[]) }
}

fn find_set(ledger: &Ledger<'_>, sealer: Who, kind: SetKind, purpose: &str) -> Option<Hex32> {
    let seals = ledger.seals(player(sealer)).iter().filter_map(|seal| ledger.set(seal));
    let mut valid = seals.filter(|set| set.valid && set.seal.kind == kind && set.seal.purpose == purpose);
    valid.next().map(|set| set.node.id())
}

fn request(table: &mut Table, who: Who, at: &str, kind: SetKind, input: Object, redo: Option<Redo>) -> Option<Declare> {
    let purpose = match kind {
        SetKind::Coin => at.to_owned(),
        SetKind::Sheet => "sheet/1".into(),
        _ => "foul-up/1".into(),
    };
    let seal = with_view(table, who, |ledger| find_set(ledger, other(who), kind, &purpose))?;
    let request = Request {
        slot: slot(at),
        moves: Moves::Text("onward".into()),
        input: text(&input),
        seal,
        contribution: Contribution::Open(table.fresh()),
        redo,
    };
    with_view(table, who, |ledger| steps::declaration(ledger, player(who), request)).ok()
}

/// An honest tool tries a letter on its own copy of the game first, and signs only what breaks no rule there.
fn declare(table: &mut Table, who: Who, at: &str, kind: SetKind, input: Object) -> Option<Body> {
    Some(Body::Declare(Box::new(request(table, who, at, kind, input, None)?)))
}

fn reveal(table: &mut Table, who: Who) -> Option<Body> {
    let owed = with_view(table, who, |ledger| {
        let mut declarations = ledger.declarations();
        let owed = declarations.find(|d| d.valid && d.node.player != player(who) && d.outcome.is_none())?;
        table.signer(who).reveal(ledger, owed.node.id()).ok()
    });
    owed.map(Body::Reveal)
}

/// A stall for a reveal that is owed, or the end of one.
fn claim(table: &Table, who: Who, choice: u8) -> Option<Body> {
    with_view(table, who, |ledger| {
        if let Some((id, ..)) = claim::standing(ledger).find(|(_, by, _)| *by == player(who)) {
            return Some(Body::Claim(Claim::Withdraw(id)));
        }
        let mut owed = ledger.declarations().filter(|own| own.node.player == player(who) && own.valid);
        let letter = owed.find(|own| !own.is_answered()).map(|own| own.node.id());
        let step = if letter.is_some() { Step::Reveal } else { Step::Declare };
        let owes = role(name(other(who)));
        (choice > 150).then(|| Body::Claim(Claim::Stall(Stall { letter, owes, step, text: "slow".into() })))
    })
}

/// That the dice of a declaration, or some of them, are not to count.
fn void(table: &Table, who: Who, choice: u8) -> Option<Body> {
    let declaration = with_view(table, who, |ledger| {
        let shown: Vec<Hex32> =
            ledger.declarations().filter(|one| one.outcome.is_some()).map(|one| one.node.id()).collect();
        shown.get(usize::from(choice) % shown.len().max(1)).copied()
    })?;
    let scope = match choice % 3 {
        0 => Scope::Declaration(declaration),
        _ => Scope::Rolls(ScopeRolls { declaration, lines: vec![1] }),
    };
    Some(Body::Correct(Correct::Void(Voiding { reason: "nightfall".into(), scope })))
}

/// Answers an open proposal.
fn answer(table: &mut Table, who: Who, choice: u8) -> Option<Body> {
    let last = table
        .letters
        .iter()
        .map(|letter| &letter.message)
        .rfind(|message| message.head().author == role(name(other(who))) && !message.head().is_unnumbered())?;
    let seen = table.signer(who).next_head(Kind::Close).seen.get(&role(name(other(who))));
    if let (Body::Correct(Correct::Propose(_) | Correct::Void(_)), true) = (last.body(), seen == Some(last.id())) {
        let answer = if choice.is_multiple_of(2) { Correct::Accept(last.id()) } else { Correct::Refuse(last.id()) };
        return Some(Body::Correct(answer));
    }
    None
}

/// Whether a letter breaks no rule as far as its author can know.
fn acceptable(table: &Table, who: Who, body: &Body) -> bool {
    let signer = table.signer(who);
    let Ok((message, _)) = Verified::sign(signer.next_head(body.kind()), body.clone(), signer.key()) else {
        return false;
    };
    let mut letters = known(table, who);
    letters.push(&message);
    replayed(&letters, |ledger| findings::of(ledger).iter().all(|finding| !finding.letters.contains(&message.id())))
}

/// One step of a player: he looks into his mailbox, or writes a letter that he has tried.
fn step(table: &mut Table, who: Who, action: u8, choice: u8) {
    if action.is_multiple_of(3) {
        look_into_mailbox(table, who);
    }
    if action % 20 == 19 {
        asks_or_answers(table, who);
    }
    if let Some(body) = honest(table, who, action, choice)
        && acceptable(table, who, &body)
    {
        table.post(who, body);
    }
}

/// Answers the other's asks, or asks: both are in no chain, and nothing depends on them (keys 4).
fn asks_or_answers(table: &mut Table, who: Who) {
    let (game, fresh) = (table.letters[1].message.id(), table.fresh());
    let me = Author::Player(player(who));
    let open = asks::open(table.terms(), game, me, table.letters.iter().map(|letter| &letter.message));
    let last = table.letters.iter().map(|letter| letter.message.head()).rfind(|head| head.author == role(name(who)));
    let said = match open.first() {
        Some(open) => {
            let last = table.signer(who).next_head(Kind::Close).seen.get(&role(name(other(who))));
            Some(Resync::Answer(Answer { ask: open.ask, last }))
        }
        // Who has just asked waits.
        None => last.filter(|head| !head.is_unnumbered()).map(|_| Resync::Ask(fresh)),
    };
    if let Some(resync) = said {
        unnumbered(table, who, resync);
    }
}

fn unnumbered(table: &mut Table, who: Who, resync: Resync) {
    let (game, me) = (table.letters[1].message.id(), Author::Player(player(who)));
    let letter = asks::unnumbered(table.terms(), me, game, Body::Resync(resync), table.signer(who).key());
    table.letters.push(letter.expect("a message"));
}

/// One step of Ann the cheat: a letter of her own making, on her chain or beside it.
fn cheat(table: &mut Table, action: u8, choice: u8) {
    look_into_mailbox(table, Ann);
    if action % 16 == 15 {
        let last = table.letters.last().map(|letter| letter.message.id());
        return unnumbered(table, Ann, Resync::Answer(Answer { ask: bytes(&format!("no ask {choice}")), last }));
    }
    let Some(body) = honest(table, Ann, action, choice).or_else(|| invented(table, choice)) else { return };
    let body = if choice.is_multiple_of(3) { body } else { bend(table, body, choice) };
    let mut head = table.ann.next_head(body.kind());
    match choice % 11 {
        0 => head.number += 1,
        1 => head.seen.insert(role("bob"), None),
        2 => head.seen.insert(role("bob"), Some(bytes("invented"))),
        3 => rewind(table, &mut head),
        4 => head.prev = Some(table.letters[0].message.id()),
        _ => {
            table.post(Ann, body);
            return;
        }
    }
    let Ok((message, frame)) = Verified::sign(head, body, &key("key of ann")) else { return };
    // The same letter again is the same letter: a mailbox that holds it twice is another test.
    if table.letters.iter().any(|letter| letter.message.id() == message.id()) {
        return;
    }
    table.letters.push(steps::Letter { message, frame });
}

/// Goes back to the head of an earlier letter of Ann's.
fn rewind(table: &Table, head: &mut Head) {
    let heads = table.letters.iter().map(|letter| letter.message.head());
    let mut hers = heads.filter(|head| head.author == role("ann") && !head.is_unnumbered());
    if let Some(earlier) = hers.nth(1) {
        (head.number, head.prev) = (earlier.number, earlier.prev);
        head.seen.clone_from(&earlier.seen);
    }
}

/// Letters that no honest tool would write.
fn invented(table: &mut Table, choice: u8) -> Option<Body> {
    let in_chains =
        table.letters.iter().map(|letter| &letter.message).filter(|message| !message.head().is_unnumbered());
    let ids: Vec<Hex32> = in_chains.map(Verified::id).collect();
    let any = ids[usize::from(choice) % ids.len()];
    let declaration = table.letters.iter().rev().find(|letter| letter.message.head().kind == Kind::Declare);
    let declaration = declaration.map_or(any, |letter| letter.message.id());
    Some(match choice % 13 {
        0 => {
            let proposed = table.letters.iter().find(|letter| letter.message.head().kind == Kind::Correct);
            Body::Correct(Correct::Accept(proposed.map_or(any, |letter| letter.message.id())))
        }
        1 => Body::Reveal(Reveal {
            declaration: Some(declaration),
            keys: vec![Key(2, any)],
            seal: any,
            sheets: vec![CellKey(0, 3, any)],
        }),
        2 => Body::Close(Close { masters: Some(vec![Master { master: any, seal: any }]), result: None }),
        3 => {
            let seals = with_view(table, Ann, |ledger| ledger.seals(Player::First).to_vec());
            let master = |seal: &Hex32| with_view(table, Ann, |ledger| table.ann.master(ledger, seal));
            let masters =
                seals.iter().filter_map(|seal| Some(Master { master: Hex32(*master(seal)?.expose()), seal: *seal }));
            Body::Close(Close { masters: Some(masters.collect()), result: None })
        }
        4 => Body::Claim(Claim::Yield(Yield {
            declaration: Some(declaration),
            forfeit: Forfeit::DeclarerNames,
            text: String::new(),
        })),
        8 => Body::Claim(Claim::Names(Names { declaration, dice: vec![6, 6], forfeit: any })),
        6 => Body::Ruling(Ruling { rule: Ruled::Dismiss(any), text: "so be it".into() }),
        7 => Body::Claim(Claim::Dispute(Dispute { letters: vec![any], text: "no".into() })),
        9 => Body::Claim(Claim::Withdraw(any)),
        5 => Body::Declare(Box::new(request(
            table,
            Ann,
            "1/1/ann-first/1",
            SetKind::FoulUp,
            attacks(&[("F12", "1-1")]),
            Some(Redo::Opened(any)),
        )?)),
        _ => Body::Declare(Box::new(request(
            table,
            Ann,
            "1/1/ann-first/1",
            SetKind::FoulUp,
            attacks(&[("F12", "1-1")]),
            Some(Redo::Breach(declaration)),
        )?)),
    })
}

/// Bends an honest letter.
fn bend(table: &mut Table, body: Body, choice: u8) -> Body {
    match body {
        Body::Declare(mut declare) => {
            match choice % 7 {
                0 => declare.contribution = Some(Contribution::Open(bytes("a favourite"))),
                1 => declare.slot.turn += 1,
                2 => declare.seal = table.letters.first().map(|letter| letter.message.id()),
                3 => declare.select = Some(Select::Cells(vec![Pair(0, 9)])),
                4 => declare.slot.number += 1,
                _ => match declare.select.as_mut() {
                    Some(Select::Worksheet(worksheet)) => worksheet.index = (worksheet.index + 1) % 5,
                    Some(Select::Cells(cells)) => cells.iter_mut().for_each(|cell| cell.1 += 1),
                    _ => declare.input = text(&attacks(&[("A1", "9-1")])),
                },
            }
            Body::Declare(declare)
        }
        Body::Reveal(mut reveal) => {
            match choice % 4 {
                0 => reveal.keys.iter_mut().for_each(|key| key.1 = bytes("a better one")),
                1 => reveal.keys.clear(),
                2 => reveal.keys.extend(unasked_key(table, reveal.seal)),
                _ => reveal.sheets.iter_mut().for_each(|cell| cell.1 += 1),
            }
            Body::Reveal(reveal)
        }
        Body::Seal(mut seal) => {
            match choice % 4 {
                0 => seal.commits.iter_mut().for_each(|commit| *commit = bytes("nothing")),
                1 => seal.purpose = "1/1/bob-first/1".into(),
                2 => copy_commitments(table, &mut seal.commits),
                _ => seal.declarer = role("ann"),
            }
            Body::Seal(seal)
        }
        body => body,
    }
}

fn unasked_key(table: &Table, seal: Hex32) -> Option<Key> {
    with_view(table, Ann, |ledger| {
        let master = table.ann.master(ledger, &seal)?;
        let key = ledger.set(&seal)?.context.key(&master, Place { index: 1, line: 0 });
        Some(Key(1, Hex32(*key.expose())))
    })
}

fn copy_commitments(table: &Table, commits: &mut [Hex32]) {
    let seals = table.letters.iter().filter(|letter| letter.message.head().author == role("bob"));
    let bobs = seals.filter_map(|letter| match letter.message.body() {
        Body::Seal(seal) => Some(seal.commits.clone()),
        _ => None,
    });
    for (mine, his) in commits.iter_mut().zip(bobs.flatten()) {
        *mine = his;
    }
}

fn read(letters: &[&Verified]) -> Vec<Read> {
    letters.iter().map(|message| Read { place: "a letter".into(), letter: Ok((*message).clone()) }).collect()
}

/// The report on the table's game, from some of its letters.
fn report(table: &Table, letters: &[&Verified]) -> Option<Report> {
    let game = table.letters[1].message.id();
    audit(&read(letters)).into_iter().find(|report| report.game == Some(game))
}

/// No place gives dice to two declarations.
pub(crate) fn places_are_used_once(report: &Report) {
    let mut used: BTreeMap<(Hex32, u64, Option<u64>), Hex32> = BTreeMap::new();
    for roll in &report.rolls {
        let row = roll.cell.is_some().then_some(roll.line);
        let first = *used.entry((roll.seal, roll.index, row)).or_insert(roll.declaration);
        assert_eq!(first, roll.declaration, "envelope {} of {} gave dice twice", roll.index, roll.seal);
    }
}

fn messages(table: &Table) -> Vec<&Verified> {
    table.letters.iter().map(|letter| &letter.message).collect()
}

fn shuffled<'a>(letters: &[&'a Verified], keys: &[u16], keep: impl Fn(usize) -> bool) -> Vec<&'a Verified> {
    let mut order: Vec<(u16, usize)> =
        (0..letters.len()).map(|i| (keys[i % keys.len()].rotate_left(i as u32), i)).collect();
    order.sort_unstable();
    order.into_iter().filter(|(_, i)| keep(*i)).map(|(_, i)| letters[i]).collect()
}

fn essence(report: &Report) -> String {
    let findings: Vec<_> =
        report.findings.iter().map(|finding| (finding.code, &finding.culprit, &finding.message_ids)).collect();
    format!(
        "{:?} {} {:?} {:?} {:?} {:?}",
        report.verdict, report.complete, report.heads, report.missing, findings, report.rolls
    )
}

/// How many random games: `scripts/soak` asks for more.
fn cases() -> u32 {
    let asked = std::env::var("SEALED_DICE_CASES").ok().and_then(|cases| cases.parse().ok());
    asked.unwrap_or(60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    /// Two honest players whose letters cross, come late and come in any order.
    #[test]
    fn honest_games_are_verified(
        actions in prop::collection::vec((any::<bool>(), any::<u8>(), any::<u8>()), 10..60),
        keys in prop::collection::vec(any::<u16>(), 8),
        kept in prop::collection::vec(prop::bool::weighted(0.9), 8),
    ) {
        let mut table = Table::begin("honest players");
        for (ann, action, choice) in actions {
            step(&mut table, if ann { Ann } else { Bob }, action, choice);
        }
        let letters = messages(&table);
        let whole = report(&table, &letters).expect("the game");
        prop_assert!(whole.findings.is_empty(), "{:?}", whole.findings);
        let claimed = |report: &Report| report.open.iter().any(|open| open.what == "claim") && !report.complete;
        prop_assert_eq!(whole.verdict == Verdict::Verified, !claimed(&whole), "{:?}", whole.open);
        places_are_used_once(&whole);

        let doubled = [shuffled(&letters, &keys, |_| true), shuffled(&letters, &keys, |i| i % 2 == 0)].concat();
        prop_assert_eq!(essence(&whole), essence(&report(&table, &doubled).expect("the game")));

        let some = shuffled(&letters, &keys, |i| i < 2 || kept[i % kept.len()]);
        let part = report(&table, &some).expect("the game");
        prop_assert!(part.findings.is_empty(), "{:?}", part.findings);
        let at_hand: BTreeSet<Hex32> = some.iter().map(|message| message.id()).collect();
        let named = some.iter().flat_map(|message| message.head().prev.into_iter().chain(message.head().seen.letters()));
        let absent: BTreeSet<Hex32> = named.filter(|id| !at_hand.contains(id)).collect();
        let missing: BTreeSet<Hex32> = part.missing.iter().map(|missing| missing.id).collect();
        prop_assert!(absent.is_subset(&missing), "a letter that is named and not at hand is named as missing");
        prop_assert_eq!(part.verdict == Verdict::Verified, missing.is_empty() && !claimed(&part));
        for roll in &part.rolls {
            let die = |roll: &Roll| (roll.declaration, roll.index, roll.line, roll.sides, roll.value);
            prop_assert!(whole.rolls.iter().any(|other| die(other) == die(roll)), "a part shows no other dice");
        }
    }

    /// A game that continues another from any letter: the kept letters are those that were written up to there, whatever
    /// crosses, and what is said of them is what an audit of them alone says (audit 12). Neither verdict changes.
    #[test]
    fn a_game_goes_on_from_any_letter(
        before in prop::collection::vec((any::<bool>(), any::<u8>(), any::<u8>()), 0..40),
        after in prop::collection::vec((any::<bool>(), any::<u8>(), any::<u8>()), 0..20),
        keys in prop::collection::vec(any::<u16>(), 8),
    ) {
        let mut old = Table::begin("a game that is left");
        let play = |table: &mut Table, actions: Vec<(bool, u8, u8)>| {
            for (ann, action, choice) in actions {
                step(table, if ann { Ann } else { Bob }, action, choice);
            }
        };
        play(&mut old, before);
        let heads = [Ann, Bob].map(|who| (role(name(who)), old.signer(who).next_head(Kind::Close).prev));
        let (kept, game) = (old.letters.len(), old.letters[1].message.id());
        play(&mut old, after);
        let mut new = Table::begin_with("a game that goes on", |charter| {
            charter.continues = Some(Continues { game, heads: heads.into(), states: BTreeMap::new() });
        });
        new.seal(Bob, SetKind::Coin, "1/1/ann-first/1");

        let (letters, alone) = (messages(&old), report(&old, &messages(&old)[..kept]).expect("the old game"));
        let both = [shuffled(&letters, &keys, |_| true), messages(&new)].concat();
        let told = report(&new, &both).expect("the new game");
        prop_assert_eq!(told.verdict, Verdict::Verified);
        let continued = told.continues.expect("what it continues");
        prop_assert!(continued.at_hand && continued.same_states);
        prop_assert_eq!(&continued.same_keys, &["ann", "bob"].map(String::from));
        let behind: BTreeSet<Hex32> = letters[kept..].iter().filter(|message| !message.head().is_unnumbered()).map(|message| message.id()).collect();
        prop_assert_eq!(continued.behind.iter().copied().collect::<BTreeSet<_>>(), behind);
        let awaited = alone.open.iter().filter(|open| open.what == "awaits-reveal").filter_map(|open| open.id);
        prop_assert_eq!(&continued.open, &awaited.collect::<Vec<_>>());
        prop_assert_eq!(essence(&report(&old, &both).expect("the old game")), essence(&report(&old, &letters).expect("it")));
    }

    /// Ann cheats in every way that this file knows; Bob's tool is honest.
    #[test]
    fn an_honest_player_is_never_blamed(
        actions in prop::collection::vec((0..3_u8, any::<u8>(), any::<u8>()), 10..60),
        keys in prop::collection::vec(any::<u16>(), 8),
        kept in prop::collection::vec(prop::bool::weighted(0.9), 8),
    ) {
        let mut table = Table::begin("a cheat");
        for (who, action, choice) in actions {
            match who {
                0 => step(&mut table, Ann, action, choice),
                1 => cheat(&mut table, action, choice),
                _ => step(&mut table, Bob, action, choice),
            }
        }
        let letters = messages(&table);
        for letters in [letters.clone(), shuffled(&letters, &keys, |i| i < 2 || kept[i % kept.len()])] {
            let report = report(&table, &letters).expect("the game");
            for finding in &report.findings {
                prop_assert!(finding.culprit.as_deref() != Some("bob"), "{finding:?}");
            }
            places_are_used_once(&report);
        }
    }
}

/// A letter that waits, and one that hangs nowhere, make no fork with a good one behind the same letter (chain 8).
#[test]
fn what_waits_or_is_detached_makes_no_fork() {
    let mut table = Table::begin("letters beside");
    let head = table.bob.next_head(Kind::Seal);
    let body = |table: &mut Table, at: &str| Body::Seal(table.seal_body(Bob, SetKind::Coin, at));
    let good = table.seal(Bob, SetKind::Coin, "1/1/ann-first/1");
    let other = body(&mut table, "2/1/ann-first/1");
    let waits = Head { seen: Seen::of(role("ann"), Some(bytes("invented"))), ..head.clone() };
    table.forge(waits, other, &key("key of bob"));
    let other = body(&mut table, "3/1/ann-first/1");
    let hangs = table.forge(Head { number: head.number + 1, ..head.clone() }, other, &key("key of bob"));
    let told = |table: &Table| {
        let report = report(table, &messages(table)).expect("the game");
        let rule = |text: &str| text.split(':').next().unwrap_or_default().to_owned();
        report.findings.into_iter().map(|one| (rule(&one.text), one.message_ids)).collect::<Vec<_>>()
    };
    assert_eq!(told(&table), [("chain 2".to_owned(), vec![hangs])]);

    let other = body(&mut table, "4/1/ann-first/1");
    let mut fork = vec![good, table.forge(head, other, &key("key of bob"))];
    fork.sort_unstable();
    assert_eq!(told(&table), [("chain 8".to_owned(), fork), ("chain 2".to_owned(), vec![hangs])]);
}

/// The random cheats reach every rule that a single cheat can break, so that the property above says something.
#[test]
fn the_cheats_are_caught() {
    let mut rules = BTreeSet::new();
    for seed in 0..900_u32 {
        let mut table = Table::begin("cheats that are caught");
        for i in 0..24_u32 {
            let random = bytes(&format!("{seed} {i}")).0;
            match random[0] % 3 {
                0 => step(&mut table, Ann, random[1], random[2]),
                1 => cheat(&mut table, random[1], random[2]),
                _ => step(&mut table, Bob, random[1], random[2]),
            }
        }
        let report = report(&table, &messages(&table)).expect("the game");
        rules.extend(report.findings.iter().filter_map(|finding| finding.text.split(':').next().map(str::to_owned)));
    }
    let expected = [
        "chain 2",
        "chain 3",
        "chain 6",
        "chain 8",
        "close 1",
        "close 2",
        "claim 2",
        "claim 3",
        "claim 4",
        "correct 4",
        "declare 20",
        "declare 9",
        "declare 11",
        "declare 13",
        "letters 3",
        "letters 5",
        "reveal 1",
        "reveal 4",
        "seal 1",
        "seal 3",
        "seal 4",
        "seal 5",
    ];
    for rule in expected {
        assert!(rules.contains(rule), "no random game broke {rule}: {rules:?}");
    }
}
