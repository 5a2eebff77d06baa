//! What somebody may do next in a random game: the moves of the honest, and those of one who is not.

use sealed_dice::{
    blob::{
        Body, Head, Hex32, Kind, Verified,
        body::{
            Close, Contribution, Correct, Decide, Declare, FoulUpClass, Key, Master, Moves, Pair, Proposal, Redo,
            Reveal, Select, SetKind, Slot, Source, Step, Voiding,
        },
        deposits::Opening,
        disputes::{Claim, Dispute, Names, Ruled, RuledForfeit, Ruling, Scope, ScopeRolls, Stall, Yield},
        json::Text,
        office::{Moment, Receipt, Seals},
        resync::{Answer, Resync},
    },
    game::{
        deposits::{self, opening},
        findings,
        ledger::Ledger,
        node::Past,
        opener,
        order::Order,
        rules::{claim, correct, redo, ruling, secrets},
        steps::{self, Request, Signer},
        tasks::{self, Task},
        terms::{Author, Player, Terms},
    },
    limits::{COLUMNS, ROWS},
    resolve::{Object, Place, icrk},
};
use serde_json::json;

use super::world::{World, author};
use crate::kit::{Carol, Dora, Who, bytes};

/// One of a list.
fn pick<T: Clone>(list: &[T], choice: u8) -> Option<T> {
    list.get(usize::from(choice) % list.len().max(1)).cloned()
}

/// Something that an honest party does now, if it can.
pub(super) fn honest(world: &mut World, who: Who, action: u8, choice: u8) {
    match action {
        31 | 95 | 159 | 223 if who == Dora => return world.begins_an_epoch(who),
        30 | 94 | 158 | 222 if who != Dora => return world.is_restored(who),
        252.. => return world.answers(who),
        _ => {}
    }
    let fresh = world.fresh();
    match author(who).player() {
        Some(player) => {
            let body = world.at(who, |ledger, _, signer| a_players(ledger, player, signer, fresh, action, choice));
            body.map(|body| world.signs(who, body, None));
        }
        None if who == Dora => {
            let body = world.at(who, |ledger, _, _| an_offices(world, ledger, action, choice));
            body.map(|body| world.signs(who, body, None));
        }
        None => {
            let ruled = world.at(who, |ledger, order, _| {
                let body = a_referees(world, ledger, order, action, choice)?;
                let fell = match &body {
                    Body::Ruling(Ruling { rule: Ruled::Settle(id), .. }) => fallen(order, id),
                    _ => None,
                };
                Some((body, fell.cloned()))
            });
            ruled.map(|(body, fell)| world.signs(who, body, fell.as_ref()));
        }
    }
}

fn a_players(
    ledger: &Ledger<'_>,
    player: Player,
    signer: &Signer,
    fresh: Hex32,
    action: u8,
    choice: u8,
) -> Option<Body> {
    let shown: Vec<Hex32> =
        ledger.declarations().filter(|one| one.outcome.is_some()).map(|one| one.node.id()).collect();
    match action % 16 {
        0..=9 => {
            let mut tasks = tasks::of(ledger, player);
            // A game of two turns is long enough, and seals of later ones would drown it.
            tasks.retain(
                |task| !matches!(task, Task::Seal { purpose, .. } if !purpose.starts_with("1/") && choice < 200),
            );
            perform(ledger, player, signer, fresh, &pick(&tasks, choice)?, choice)
        }
        10 => {
            let (declaration, corrected) =
                (pick(&shown, choice)?, json!({ "attacks": [{ "hexes": ["F12"], "odds": "2-1" }] }));
            let of = &ledger.declaration(&declaration)?.declare.slot;
            let (_, phase) = ledger.terms.slot(of)?;
            let input = phase.system.resolver().read(&Text::of(&corrected).ok()?, true).ok()?.canonical().ok()?;
            let class = if choice > 30 { FoulUpClass::IllegalOdds } else { FoulUpClass::IllegalMove };
            let at_fault = ledger.terms.role(player).clone();
            let proposal = Proposal { at_fault, class, declaration, input: Some(input), reason: "2-1".into() };
            Some(Body::Correct(Correct::Propose(Box::new(proposal))))
        }
        11 => {
            let scope = scope(pick(&shown, choice)?, choice);
            Some(Body::Correct(Correct::Void(Voiding { reason: "nightfall".into(), scope })))
        }
        12 => claim(ledger, player, choice),
        13 => {
            let mut own = ledger.declarations().filter(|own| own.node.player == player && own.is_answered());
            own.find_map(|own| {
                let share = own.sealed_contribution()?;
                let set = ledger.set(&share.seal)?;
                set.key(Place { index: share.index, line: 0 }).is_none().then_some(())?;
                let reveal =
                    opener::single(set, &signer.master(ledger, &share.seal)?, Some(own.node.id()), share.index);
                Some(Body::Reveal(reveal))
            })
        }
        14 if choice > 230 => Some(Body::Close(signer.close(ledger, None))),
        _ => None,
    }
}

fn scope(declaration: Hex32, choice: u8) -> Scope {
    match choice % 3 {
        0 => Scope::Declaration(declaration),
        _ => Scope::Rolls(ScopeRolls { declaration, lines: vec![1] }),
    }
}

/// A stall, a dispute, the end of one, or something given up.
fn claim(ledger: &Ledger<'_>, player: Player, choice: u8) -> Option<Body> {
    let standing = claim::standing(ledger).find(|(_, by, _)| *by == player).map(|(id, ..)| id);
    let owed = |by: Player| {
        let mut owed =
            ledger.declarations().filter(move |one| one.valid && one.node.player == by && !one.is_answered());
        owed.next().map(|one| one.node.id())
    };
    let owes = ledger.terms.role(player.other()).clone();
    Some(Body::Claim(match (choice % 8, standing) {
        (0 | 1, Some(id)) => Claim::Withdraw(id),
        (2, _) => {
            Claim::Dispute(Dispute { letters: vec![ledger.last_letter(player.other())?.id()], text: "no".into() })
        }
        (3, _) => Claim::Yield(Yield {
            declaration: Some(owed(player.other())?),
            forfeit: sealed_dice::blob::body::Forfeit::DeclarerNames,
            text: String::new(),
        }),
        (4, _) => Claim::Stall(Stall { letter: None, owes, step: Step::Answer, text: "slow".into() }),
        (5, _) => {
            let note = secrets::due_notes(ledger, player.other()).first().map(|(_, set)| set.node.id())?;
            Claim::Stall(Stall { letter: Some(note), owes, step: Step::Reveal, text: "slow".into() })
        }
        _ => Claim::Stall(Stall { letter: Some(owed(player)?), owes, step: Step::Reveal, text: "slow".into() }),
    }))
}

fn perform(
    ledger: &Ledger<'_>,
    player: Player,
    signer: &Signer,
    fresh: Hex32,
    task: &Task,
    choice: u8,
) -> Option<Body> {
    Some(match task {
        Task::Close => Body::Close(signer.close(ledger, None)),
        Task::Reveal { declaration, .. } => Body::Reveal(signer.reveal(ledger, *declaration).ok()?),
        Task::OpenNote { declaration, seal, .. } => {
            Body::Reveal(opener::single(ledger.set(seal)?, &signer.master(ledger, seal)?, *declaration, 0))
        }
        Task::NameDice { declaration, forfeit, .. } => {
            let count = ledger.declaration(declaration)?.count();
            let dice = vec![1 + u64::from(choice % 6); count as usize];
            Body::Claim(Claim::Names(Names { declaration: *declaration, dice, forfeit: *forfeit }))
        }
        Task::Answer { proposal, .. } if choice.is_multiple_of(3) => Body::Correct(Correct::Refuse(*proposal)),
        Task::Answer { proposal, .. } => Body::Correct(Correct::Accept(*proposal)),
        Task::Seal { kind, purpose } => seal(ledger.terms, signer, *kind, purpose, fresh)?,
        Task::Decide { slot, name, sealed: true } => {
            seal(ledger.terms, signer, SetKind::Note, &format!("{slot}/{name}"), fresh)?
        }
        Task::Decide { slot, name, sealed: false } => {
            let after = steps::after(ledger, slot, None);
            Body::Decide(Decide { after, name: name.clone(), slot: slot.clone(), value: json!("left") })
        }
        Task::Redo { slot, redo } => {
            let (old, input) = redo::to_redo(ledger, *redo)?;
            declare(ledger, player, slot, input, old.moves.clone(), Some(*redo), fresh)?
        }
        Task::Declare { slot } => {
            let input = input(ledger, player, slot, choice)?;
            declare(ledger, player, slot, input, Moves::Text("onward".into()), None, fresh)?
        }
    })
}

fn seal(terms: &Terms, signer: &Signer, kind: SetKind, purpose: &str, fresh: Hex32) -> Option<Body> {
    let n = match kind {
        SetKind::Coin => 5,
        SetKind::Sheet => (COLUMNS * ROWS) as u64,
        SetKind::FoulUp | SetKind::Contribution => 3,
        SetKind::Note | SetKind::Plain => 1,
    };
    let note = (kind == SetKind::Note).then_some("hold the bridge");
    Some(Body::Seal(signer.seal(terms, kind, purpose, n, fresh, note).ok()?))
}

fn input(ledger: &Ledger<'_>, player: Player, slot: &Slot, choice: u8) -> Option<Text> {
    let (_, phase) = ledger.terms.slot(slot)?;
    let value = match phase.source {
        Source::Coin if choice.is_multiple_of(2) => {
            json!({ "attacks": [{ "hexes": ["F12"], "odds": "3-1" }, { "hexes": ["G13"], "odds": "5-1" }] })
        }
        Source::Coin => json!({ "attacks": [{ "hexes": ["E2"], "odds": "1-2" }] }),
        Source::Sheet => {
            let free = tasks::free_cells(ledger, &tasks::set_for(ledger, player, slot)?, player);
            json!({ "rolls": [{ "cell": icrk::label(*free.first()?), "why": "the bridge" }] })
        }
        Source::Plain => json!({}),
    };
    Text::of(&value).ok()
}

/// As the program does it: from the slot's set, or the foul-up set if what the worksheet lands on is opened already.
fn declare(
    ledger: &Ledger<'_>,
    player: Player,
    slot: &Slot,
    input: Text,
    moves: Moves,
    redo: Option<Redo>,
    fresh: Hex32,
) -> Option<Body> {
    let (_, phase) = ledger.terms.slot(slot)?;
    let contribution = match phase.private {
        true => Contribution::Sealed(tasks::contribution_for(ledger, player)?),
        false => Contribution::Open(fresh),
    };
    let foul_up = || tasks::foul_up_set(ledger, player);
    let seal = if redo.is_some() { foul_up()? } else { tasks::set_for(ledger, player, slot)? };
    let mut request = Request { slot: slot.clone(), moves, input, seal, contribution, redo };
    if redo.is_none() && phase.source == Source::Coin {
        let plan = phase.system.resolver().read(&request.input, false).ok()?.plan(&Object::new()).ok()?;
        if let Some(opener) = redo::opened_by(ledger, &seal, &plan.places) {
            (request.redo, request.seal) = (Some(Redo::Opened(opener)), foul_up()?);
        }
    }
    Some(Body::Declare(Box::new(steps::declaration(ledger, player, request).ok()?)))
}

/// A letter that is on a branch that fell: whoever names it says that they have seen it (chain 6).
fn fallen<'a>(order: &'a Order, id: &Hex32) -> Option<&'a Verified> {
    let named = order.nodes.iter().find(|node| node.id() == *id)?;
    (!named.standing.is_judged()).then_some(&named.message)
}

/// What a referee who minds his office rules, and what he holds.
fn a_referees(world: &World, ledger: &Ledger<'_>, order: &Order, action: u8, choice: u8) -> Option<Body> {
    let stalls: Vec<Hex32> = claim::standing(ledger).map(|(id, ..)| id).collect();
    let requested = || stalls.iter().find_map(|claim| ledger.request_for(claim));
    let of_kind = |kind| {
        let of_kind = order.nodes.iter().filter(move |node| node.message.head().kind == kind);
        of_kind.map(|node| node.id()).collect::<Vec<Hex32>>()
    };
    let rule = match action % 10 {
        0 | 1 => Ruled::Request(pick(&stalls, choice)?),
        2 => {
            let game = choice.is_multiple_of(2);
            use sealed_dice::blob::body::Forfeit::{DeclarerNames, Game};
            Ruled::Forfeit(RuledForfeit { forfeit: if game { Game } else { DeclarerNames }, request: requested()? })
        }
        3 | 4 => Ruled::Open(open(world, ledger, requested()?)?),
        5 => Ruled::Void(scope(pick(&of_kind(Kind::Declare), choice)?, choice)),
        6 if choice > 200 => Ruled::Kill(pick(&of_kind(Kind::Seal), choice)?),
        6 => {
            let proposals: Vec<Hex32> = Player::BOTH
                .into_iter()
                .flat_map(|player| correct::open_proposals(ledger, player))
                .map(|(id, _)| id)
                .collect();
            Ruled::Agree(pick(&proposals, choice)?)
        }
        7 if choice.is_multiple_of(3) => Ruled::Dismiss(pick(&stalls, choice)?),
        // One letter of a fork after the other: the last settlement has them all in its past (ruling 5).
        7 | 8 => Ruled::Settle(pick(&pick(findings::of(ledger), choice)?.letters, choice.rotate_left(4))?),
        _ => return receipt(world, ledger, Author::Referee),
    };
    Some(Body::Ruling(Ruling { rule, text: "so be it".into() }))
}

/// What an office does that answers at once: it confirms, opens what is due, and now and then hands something back.
fn an_offices(world: &World, ledger: &Ledger<'_>, action: u8, choice: u8) -> Option<Body> {
    match action % 8 {
        0..=3 => {
            let due = pick(&opener::due(ledger), choice)?;
            let master = world.master_of(ledger, &due.seal)?;
            Some(Body::Reveal(opener::release(ledger, due, &master).ok()?))
        }
        4 if choice > 200 => {
            let seals = Player::BOTH.into_iter().flat_map(|player| ledger.seals(player)).copied();
            let held: Vec<Hex32> = seals.filter(|seal| ledger.is_with_office(seal, Past::ALL)).collect();
            Some(Body::Receipt(Receipt::HandBack(Seals { seals: vec![pick(&held, choice)?] })))
        }
        5 => Some(Body::Receipt(Receipt::Time(Moment { at: world.now() }))),
        _ => receipt(world, ledger, Author::Office),
    }
}

/// That sets are held whose deposits were good.
fn receipt(world: &World, ledger: &Ledger<'_>, holder: Author) -> Option<Body> {
    let good = deposits::without_receipt(ledger, holder).filter(|set| {
        let master = world.master_of(ledger, &set.node.id());
        master.is_some_and(|master| set.context.commitments(&master) == set.seal.commits)
    });
    let mut seals: Vec<Hex32> = good.map(|set| set.node.id()).take(8).collect();
    seals.sort_unstable();
    (!seals.is_empty()).then_some(Body::Receipt(Receipt::Deposit(Seals { seals })))
}

fn open(world: &World, ledger: &Ledger<'_>, request: Hex32) -> Option<Opening> {
    let (declaration, seal) = ruling::may_open(ledger, &request)?;
    let master = world.master_of(ledger, &seal)?;
    let reveal = match declaration {
        Some(declaration) => opener::reveal(ledger, declaration, &master).ok()?,
        None => opener::single(ledger.set(&seal)?, &master, None, 0),
    };
    Some(opening(request, reveal))
}

/// A letter of one who plays by no rules: an honest one bent, or something out of nothing, on his chain or beside it.
pub(super) fn cheats(world: &mut World, who: Who, action: u8, choice: u8) {
    let fresh = world.fresh();
    let letter = world.at(who, |ledger, order, signer| {
        let good = match author(who).player() {
            Some(player) => a_players(ledger, player, signer, fresh, action, choice),
            None if who == Dora => an_offices(world, ledger, action, choice),
            None => a_referees(world, ledger, order, action, choice),
        };
        let body = match good.filter(|_| !choice.is_multiple_of(4)) {
            Some(body) => bend(world, ledger, body, choice),
            None => invented(world, ledger, signer, who, choice.rotate_left(3) ^ action)?,
        };
        let mut head = signer.next_head(body.kind());
        turn(world, &mut head, action ^ choice.rotate_left(2));
        Some((head, body))
    });
    if let Some((head, body)) = letter {
        world.forges(who, head, body);
    }
}

/// Somewhere else on the chain, or knowing other things.
fn turn(world: &World, head: &mut Head, choice: u8) {
    let others: Vec<_> = head.seen.iter().map(|(role, _)| role.clone()).collect();
    let other = others[usize::from(choice / 16) % others.len()].clone();
    let own: Vec<&Head> = world.in_chains().map(Verified::head).filter(|own| own.author == head.author).collect();
    match choice % 16 {
        0 => head.number += 1,
        1 => head.seen.insert(other, None),
        2 => head.seen.insert(other, Some(bytes("invented"))),
        // Back to an earlier letter of his own, with what he knew then or with what he knows now.
        3..=5 => {
            let earlier = own[usize::from(choice) % own.len()];
            if earlier.prev.is_some() {
                (head.number, head.prev) = (earlier.number, earlier.prev);
                if choice % 16 == 3 {
                    head.seen.clone_from(&earlier.seen);
                }
            }
        }
        6 => head.prev = Some(world.letters[0].message.id()),
        // An older letter of another's as the last one that he has seen.
        7 | 8 => {
            let theirs = world.in_chains().filter(|message| message.head().author == other);
            let theirs: Vec<Hex32> = theirs.map(Verified::id).collect();
            head.seen.insert(other, pick(&theirs, choice));
        }
        _ => {}
    }
}

fn keys(world: &World, ledger: &Ledger<'_>, seal: Hex32, indices: std::ops::Range<u64>) -> Vec<Key> {
    let Some((master, set)) = world.master_of(ledger, &seal).zip(ledger.set(&seal)) else { return Vec::new() };
    let key = |index| Key(index, Hex32(*set.context.key(&master, Place { index, line: 0 }).expose()));
    indices.map(key).collect()
}

fn bend(world: &World, ledger: &Ledger<'_>, body: Body, choice: u8) -> Body {
    match body {
        Body::Declare(declare) => Body::Declare(bend_declaration(world, declare, choice)),
        Body::Reveal(mut reveal) => {
            match choice % 5 {
                0 => reveal.keys.iter_mut().for_each(|key| key.1 = bytes("a better one")),
                1 => reveal.keys.clear(),
                2 => reveal.keys = keys(world, ledger, reveal.seal, 0..3),
                3 => reveal.sheets.iter_mut().for_each(|cell| cell.1 += 1),
                _ => reveal.declaration = None,
            }
            Body::Reveal(reveal)
        }
        Body::Seal(mut seal) => {
            match choice % 4 {
                0 => seal.commits.iter_mut().for_each(|commit| *commit = bytes(&format!("nothing {commit}"))),
                1 => seal.purpose = "1/1/bob-first/1".into(),
                2 => {
                    let sets = Player::BOTH.into_iter().flat_map(|player| ledger.seals(player));
                    let others = sets.filter_map(|seal| ledger.set(seal)).flat_map(|set| &set.seal.commits);
                    for (mine, his) in seal.commits.iter_mut().zip(others) {
                        *mine = *his;
                    }
                }
                _ => seal.declarer = ledger.terms.role(Player::First).clone(),
            }
            Body::Seal(seal)
        }
        Body::Claim(Claim::Names(mut names)) => {
            names.dice.push(7);
            Body::Claim(Claim::Names(names))
        }
        Body::Ruling(Ruling { rule: Ruled::Open(mut opening), text }) => {
            match choice % 3 {
                0 => opening.keys.iter_mut().for_each(|key| key.1 = bytes("a better one")),
                1 => opening.keys.clear(),
                _ => {
                    let of = ruling::may_open(ledger, &opening.request);
                    opening.keys = of.map(|(_, seal)| keys(world, ledger, seal, 0..3)).unwrap_or_default();
                }
            }
            Body::Ruling(Ruling { rule: Ruled::Open(opening), text })
        }
        body => body,
    }
}

fn bend_declaration(world: &World, mut declare: Box<Declare>, choice: u8) -> Box<Declare> {
    match choice % 7 {
        0 => declare.contribution = Some(Contribution::Open(bytes("a favourite"))),
        1 => declare.slot.turn += 1,
        2 => declare.seal = world.letters.first().map(|letter| letter.message.id()),
        3 => declare.select = Some(Select::Cells(vec![Pair(0, 9)])),
        4 => declare.slot.number += 1,
        5 => declare.redo = world.letters.last().map(|letter| Redo::Opened(letter.message.id())),
        _ => match declare.select.as_mut() {
            Some(Select::Worksheet(worksheet)) => worksheet.index = (worksheet.index + 1) % 5,
            Some(Select::Cells(cells)) => cells.iter_mut().for_each(|cell| cell.1 += 1),
            _ => declare.moves = Moves::None(()),
        },
    }
    declare
}

/// Returns a body that only a player may sign: a close, or a copy of a player's letter.
fn of_a_players_kind(world: &World, choice: u8) -> Option<Body> {
    use sealed_dice::blob::body::Close;
    let kinds = [Kind::Claim, Kind::Correct, Kind::Declare, Kind::Decide, Kind::Seal];
    let signed: Vec<&Verified> = world.in_chains().filter(|message| kinds.contains(&message.head().kind)).collect();
    match choice.is_multiple_of(2) {
        true => Some(Body::Close(Close { masters: None, result: None })),
        false => pick(&signed, choice.rotate_left(3)).map(|message| message.body().clone()),
    }
}

/// Letters that no honest tool would write.
fn invented(world: &World, ledger: &Ledger<'_>, signer: &Signer, who: Who, choice: u8) -> Option<Body> {
    let of_kind = |kind: Option<Kind>, shift: u32| {
        let letters = world.in_chains().filter(|message| kind.is_none_or(|kind| message.head().kind == kind));
        let ids: Vec<Hex32> = letters.map(Verified::id).collect();
        pick(&ids, choice.rotate_left(shift))
    };
    let any = of_kind(None, 1)?;
    if (who == Carol || who == Dora) && choice.is_multiple_of(7) {
        return of_a_players_kind(world, choice);
    }
    if who == Carol || choice.is_multiple_of(32) {
        let rule = match choice % 9 {
            0 => Ruled::Request(of_kind(Some(Kind::Claim), 1)?),
            1 => Ruled::Forfeit(RuledForfeit { forfeit: sealed_dice::blob::body::Forfeit::Game, request: any }),
            2 => Ruled::Void(scope(of_kind(Some(Kind::Declare), 1)?, choice)),
            3 => Ruled::Kill(of_kind(Some(Kind::Seal), 1)?),
            4 => Ruled::Settle(any),
            5 => Ruled::Agree(of_kind(Some(Kind::Correct), 1)?),
            6 => {
                let keys = keys(world, ledger, of_kind(Some(Kind::Seal), 1)?, 0..2);
                Ruled::Open(Opening { keys, request: of_kind(Some(Kind::Ruling), 2)?, sheets: Vec::new() })
            }
            7 => {
                let mut seals = vec![of_kind(Some(Kind::Seal), 1)?, of_kind(Some(Kind::Seal), 2)?];
                seals.sort_unstable();
                seals.dedup();
                return Some(Body::Receipt(Receipt::Deposit(Seals { seals })));
            }
            _ => Ruled::Dismiss(of_kind(Some(Kind::Claim), 1).unwrap_or(any)),
        };
        return Some(Body::Ruling(Ruling { rule, text: "for I am the referee".into() }));
    }
    let declaration = of_kind(Some(Kind::Declare), 1).unwrap_or(any);
    if who == Dora || choice.is_multiple_of(37) {
        let seal = of_kind(Some(Kind::Seal), 1)?;
        let at = Moment { at: u64::from(choice) };
        return Some(match choice % 6 {
            0 => Body::Receipt(Receipt::Epoch(at)),
            1 => Body::Receipt(Receipt::Time(at)),
            2 => Body::Receipt(Receipt::HandBack(Seals { seals: vec![seal] })),
            3 => Body::Receipt(Receipt::Deposit(Seals { seals: vec![seal] })),
            _ => {
                let keys = keys(world, ledger, seal, 0..u64::from(choice % 4) + 1);
                Body::Reveal(Reveal { declaration: Some(declaration), keys, seal, sheets: Vec::new() })
            }
        });
    }
    Some(match choice % 13 {
        0 => Body::Correct(Correct::Accept(any)),
        1 | 2 => {
            let seal = of_kind(Some(Kind::Seal), 2)?;
            let keys = keys(world, ledger, seal, 0..u64::from(choice % 4) + 1);
            Body::Reveal(Reveal { declaration: (choice > 40).then_some(declaration), keys, seal, sheets: Vec::new() })
        }
        3 => {
            let masters = ledger.seals(author(who).player()?).iter();
            let masters = masters
                .filter_map(|seal| Some(Master { master: Hex32(*signer.master(ledger, seal)?.expose()), seal: *seal }));
            Body::Close(Close { masters: Some(masters.collect()), result: None })
        }
        4 => Body::Resync(Resync::Ask(any)),
        5 => {
            let forfeit = of_kind(Some(Kind::Claim), 2).or(of_kind(Some(Kind::Ruling), 2)).unwrap_or(any);
            Body::Claim(Claim::Names(Names { declaration, dice: vec![6, 6], forfeit }))
        }
        6 => Body::Claim(Claim::Withdraw(any)),
        7 => Body::Resync(Resync::Answer(Answer { ask: world.letters.last()?.message.id(), last: Some(any) })),
        8 => Body::Claim(Claim::Yield(Yield {
            declaration: Some(declaration),
            forfeit: sealed_dice::blob::body::Forfeit::DeclarerNames,
            text: String::new(),
        })),
        redo => {
            let player = author(who).player()?;
            let mut declare = ledger.declaration(&declaration)?.declare.clone();
            declare.contribution = Some(Contribution::Open(bytes(&format!("again {choice}"))));
            declare.seal = tasks::foul_up_set(ledger, player).or(declare.seal);
            declare.redo = Some(match redo {
                9 => Redo::Breach(declaration),
                10 => Redo::Agreed(any),
                _ => Redo::Opened(any),
            });
            Body::Declare(Box::new(declare))
        }
    })
}
