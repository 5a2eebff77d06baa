//! Games in which a course is played by letter (`protocol/courses.md`).

use sealed_dice::{
    blob::{
        Body, Kind,
        body::{
            Charter, Correct, Deadline, Decide, Declare, Forfeit, Hex32, Key, Moves, Phase, Redo, Reveal, Revealer,
            SetKind, Source, Step, Voiding,
        },
        disputes::{Claim, Names, Ruled, RuledForfeit, Scope, ScopeImpulse, Yield},
    },
    game::{
        rules::course,
        steps::{self, Letter},
    },
    resolve::Object,
};
use serde_json::{Value, json};

use crate::{
    campaigns::deal,
    disputes::{ruling, stall},
    games::Scenario,
    kit::{Ann, Bob, Carol, Dora, Table, Who, change_input, example_attacks, fields, key, name, object, role, slot},
    office::{holds, opens},
};

/// Returns a phase of a course in which the state names the declarer.
pub(crate) fn phase_of(system: &str, phase: &str, impulse: u64, settings: Value) -> Phase {
    Phase {
        decisions: Vec::new(),
        declarer: None,
        impulses: vec![impulse],
        name: name(phase),
        private: false,
        revealer: Revealer::Sealer,
        settings: object(settings),
        source: Source::Plain,
        system: system.into(),
    }
}

/// Adds an initiative before each turn to the default terms. `first` declares turn 1; if it is none, turn 1 is a Flux
/// turn.
pub(crate) fn with_initiative(charter: &mut Charter, first: Option<&str>) {
    let settings = json!({
        "first_player": first,
        "flux_holder": "first_mover",
        "pop_then_second": false,
        "sides": ["ann", "bob"],
    });
    charter.phases.insert(0, phase_of("ocs-initiative", "initiative", 1, settings));
    let deadline = |forfeit, step| Deadline { days: 30, forfeit, step };
    charter.deadlines = vec![deadline(Forfeit::DeclarerNames, Step::Reveal), deadline(Forfeit::Game, Step::Declare)];
}

fn held_by_ann(label: &str) -> Table {
    Table::begin_with(label, |charter| with_initiative(charter, Some("ann")))
}

fn refereed(label: &str, first: Option<&str>) -> Table {
    Table::refereed(label, |charter| with_initiative(charter, first))
}

pub(crate) fn at(turn: u64) -> String {
    format!("{turn}/1/initiative/1")
}

pub(crate) fn markers(names: &[&str]) -> Object {
    object(json!({ "markers": names, "order": null, "pop": null }))
}

pub(crate) fn other(who: Who) -> Who {
    if who == Ann { Bob } else { Ann }
}

/// Declares a place on dice that the other player seals for it.
fn declare(table: &mut Table, who: Who, slot: &str, input: Object) -> Hex32 {
    let seal = table.seal(other(who), SetKind::Plain, slot);
    table.declare(who, slot, input, seal)
}

/// Declares a place, and the other player opens it.
pub(crate) fn roll(table: &mut Table, who: Who, slot: &str, input: Object) -> Hex32 {
    let declaration = declare(table, who, slot, input);
    table.reveal(other(who), declaration);
    declaration
}

pub(crate) fn decide(table: &mut Table, who: Who, slot_of: &str, decision: &str, value: Value) -> Hex32 {
    let slot = slot(slot_of);
    let after = table.with_ledger(|ledger| steps::after(ledger, &slot, None));
    let decide = Decide { after, name: name(decision), slot, value };
    table.send(who, Body::Decide(decide))
}

pub(crate) fn public(table: &Table, declaration: Hex32) -> Value {
    let known = table.with_ledger(|ledger| course::public(ledger, &declaration));
    known.map_or(Value::Null, |public| Value::Object(fields(&public)))
}

/// Returns the first of several games, with numbered labels, whose dice are the wanted ones.
fn dealt(label: &str, play: impl Fn(&str) -> (Table, Hex32), wanted: impl Fn(&Value) -> bool) -> (Table, Hex32) {
    let mut games = (1..200).map(|i| play(&format!("{label} {i}")));
    games.find(|(table, declaration)| wanted(&public(table, *declaration))).expect("such dice")
}

/// Returns the label of a game, with which it can be played again.
fn title(table: &Table) -> String {
    match table.letters.first().map(|letter| letter.message.body()) {
        Some(Body::Charter(charter)) => charter.title.clone(),
        _ => unreachable!(),
    }
}

/// Plays turn 2, rolled by Ann with three markers.
fn second_turn(label: &str) -> (Table, Hex32) {
    let mut table = held_by_ann(label);
    let rolled = roll(&mut table, Ann, &at(2), markers(&["m1", "m2", "m3"]));
    (table, rolled)
}

fn is_behind(public: &Value) -> bool {
    (1..=3).contains(&public["deficit"].as_u64().unwrap_or_default())
}

fn is_kept(public: &Value) -> bool {
    public["controller"] == "ann"
}

/// Plays turn 2, in which Ann controls and goes first; the turn is settled.
pub(crate) fn kept(label: &str) -> (Table, Hex32) {
    let (mut table, rolled) = dealt(label, second_turn, is_kept);
    decide(&mut table, Ann, &at(2), "order", json!("first"));
    (table, rolled)
}

fn void(scope: Scope) -> Body {
    Body::Correct(Correct::Void(Voiding { reason: "the wrong map".into(), scope }))
}

fn accept(proposal: Hex32) -> Body {
    Body::Correct(Correct::Accept(proposal))
}

pub(crate) fn all(s: &mut Scenario<'_>) {
    crate::waiting::all(s);
    turns(s);
    afterwards(s);
    changes(s);
    rulings(s);
    standing_notes(s);
    forfeits(s);
    breaches(s);
}

fn pop_of(table: &Table, declaration: Hex32) -> Value {
    let deficit = public(table, declaration)["deficit"].as_u64().unwrap_or_default() as usize;
    json!(["m1", "m2", "m3"].iter().take(deficit).collect::<Vec<_>>())
}

fn turns(s: &mut Scenario<'_>) {
    pop_awaited(s);
    turn_left_out(s);
}

fn pop_awaited(s: &mut Scenario<'_>) {
    let behind = || dealt("a pop", second_turn, is_behind);
    let (mut table, rolled) = behind();
    s.good("pop-awaited", "2, 22", "Ann is behind: the state asks her for her markers", &table);
    let popped = pop_of(&table, rolled);
    decide(&mut table, Ann, &at(2), "pop", popped);
    s.good("popped", "3, decide 4", "she pops exactly as many, and keeps the initiative", &table);
    decide(&mut table, Ann, &at(2), "pop", json!([]));
    s.blames("decided-twice", "decide 4", "nothing is awaited any more", &table, "rule", "ann");

    let (mut table, rolled) = behind();
    let popped = pop_of(&table, rolled);
    decide(&mut table, Bob, &at(2), "pop", popped);
    s.blames("decided-by-the-other", "decide 4", "the markers are Ann's", &table, "rule", "bob");
    let (mut table, _) = behind();
    decide(&mut table, Ann, &at(2), "order", json!("first"));
    s.blames("decided-of-another-name", "decide 4", "the state awaits a pop", &table, "rule", "ann");
    let (mut table, rolled) = behind();
    let popped = pop_of(&table, rolled);
    decide(&mut table, Ann, &at(3), "pop", popped);
    s.blames("decided-for-another-slot", "decide 4", "turn 3 is not under way", &table, "rule", "ann");
    let (mut table, _) = behind();
    decide(&mut table, Ann, &at(2), "pop", json!(["m1", "m2", "m3", "m4"]));
    s.blames("over-popped", "decide 5", "more than she is behind by, and one that she has not", &table, "rule", "ann");

    let (mut table, _) = behind();
    declare(&mut table, Ann, &at(3), markers(&[]));
    s.blames("declared-before-the-pop", "declare 14", "turn 2 is still open", &table, "rule", "ann");
    let (mut table, _) = behind();
    let seal = table.seal(Ann, SetKind::Coin, "2/1/bob-first/1");
    table.declare(Bob, "2/1/bob-first/1", example_attacks(), seal);
    s.blames(
        "fought-before-the-pop",
        "declare 18",
        "the dice of a battle would be known to whoever still chooses",
        &table,
        "rule",
        "bob",
    );
    let (mut table, _) = behind();
    let seal = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    table.declare(Bob, "1/1/bob-first/1", example_attacks(), seal);
    s.good("fought-in-an-earlier-turn", "declare 18", "turn 1 comes before what is open", &table);
    let (mut table, _) = behind();
    let seal = table.seal(Bob, SetKind::Coin, "1/1/ann-first/1");
    table.declare(Ann, "1/1/ann-first/1", example_attacks(), seal);
    s.blames("fought-behind-his-own-turn", "declare 18", "she has rolled turn 2 herself", &table, "rule", "ann");

    let (mut table, _) = kept("a turn kept");
    s.good("turn-kept", "3, 6", "Ann is not behind, and goes first", &table);
    let seal = table.seal(Ann, SetKind::Coin, "2/1/bob-first/1");
    table.declare(Bob, "2/1/bob-first/1", example_attacks(), seal);
    s.good("fought-after-the-turn-is-settled", "declare 18", "turn 2 is settled, and turn 3 is not yet", &table);
    let seal = table.seal(Bob, SetKind::Coin, "3/1/ann-first/1");
    table.declare(Ann, "3/1/ann-first/1", example_attacks(), seal);
    s.blames("fought-before-the-turn", "declare 18", "nobody has the initiative in turn 3", &table, "rule", "ann");
}

fn turn_left_out(s: &mut Scenario<'_>) {
    let (mut table, _) = kept("a turn left out");
    declare(&mut table, Ann, &at(4), markers(&[]));
    s.blames("turn-left-out", "2, declare 14", "turn 3 comes first", &table, "rule", "ann");
    let (mut table, _) = kept("a turn of the other");
    declare(&mut table, Bob, &at(3), markers(&[]));
    s.blames("turn-of-the-other", "declare 14", "the state says that Ann declares", &table, "rule", "bob");
    let mut table = held_by_ann("a turn that is not opened");
    declare(&mut table, Ann, &at(2), markers(&[]));
    s.good("turn-not-opened", "3", "Bob owes the key, and there is no state before", &table);
    declare(&mut table, Ann, &at(3), markers(&[]));
    s.blames("turn-after-one-not-opened", "declare 14", "there is no state", &table, "rule", "ann");
}

/// A letter names the letter where its course stands, and no other letter.
fn afterwards(s: &mut Scenario<'_>) {
    let (mut table, second) = kept("a turn after another letter");
    let seal = table.seal(Bob, SetKind::Plain, &at(3));
    table.declare_but(Ann, &at(3), markers(&[]), seal, |declare| declare.after = Some(second));
    s.blames(
        "after-of-another-letter",
        "4, declare 14",
        "the course stands at her decision, and she names turn 2",
        &table,
        "rule",
        "ann",
    );
    let (mut table, second) = kept("a battle after a turn");
    let seal = table.seal(Ann, SetKind::Coin, "2/1/bob-first/1");
    table.declare_but(Bob, "2/1/bob-first/1", example_attacks(), seal, |declare| declare.after = Some(second));
    s.blames("after-where-no-course-is", "4, declare 14", "a battle comes after nothing", &table, "rule", "bob");
}

/// A referee cannot take back anything in a course.
fn rulings(s: &mut Scenario<'_>) {
    let kept = |label: &str| {
        let mut table = refereed(label, Some("ann"));
        let rolled = roll(&mut table, Ann, &at(2), markers(&["m1"]));
        (table, rolled)
    };
    let (mut table, rolled) = dealt("a ruling to void a turn", kept, is_kept);
    table.send(Carol, ruling(Ruled::Void(Scope::Declaration(rolled))));
    decide(&mut table, Ann, &at(2), "order", json!("first"));
    roll(&mut table, Ann, &at(3), markers(&[]));
    s.blames(
        "ruling-takes-nothing-back-void",
        "ruling 10",
        "turn 2 stands, and the players go on from it",
        &table,
        "rule",
        "carol",
    );
    let mut table = refereed("a ruling to void a turn that nobody opened", Some("ann"));
    let rolled = declare(&mut table, Ann, &at(2), markers(&[]));
    table.send(Carol, ruling(Ruled::Void(Scope::Declaration(rolled))));
    s.blames(
        "ruling-voids-what-is-closed",
        "letters 2, ruling 3",
        "the scope does not fit, and that rule comes first",
        &table,
        "rule",
        "carol",
    );
    let (mut table, rolled) = dealt("a ruling to agree about a turn", kept, is_kept);
    let proposal = table.propose(Bob, rolled, Some(markers(&["m1", "m2"])));
    table.send(Carol, ruling(Ruled::Agree(proposal)));
    s.blames(
        "ruling-takes-nothing-back-agree",
        "ruling 10",
        "only Ann can agree: nothing is to be done again",
        &table,
        "rule",
        "carol",
    );
    let mut table = refereed("a ruling to forfeit a turn", Some("ann"));
    let rolled = declare(&mut table, Ann, &at(2), markers(&[]));
    let claim = table.send(Ann, stall(Some(rolled), Step::Reveal));
    let request = table.send(Carol, ruling(Ruled::Request(claim)));
    let forfeit = RuledForfeit { forfeit: Forfeit::DeclarerNames, request };
    table.send(Carol, ruling(Ruled::Forfeit(forfeit)));
    s.ends(
        "ruling-takes-nothing-back-declarer-names",
        "ruling 10",
        "Ann names no dice, and the claim stands",
        &table,
        "refuted",
        &[("rule", Some("carol"))],
    );
}

fn changes(s: &mut Scenario<'_>) {
    // Bob asks to void turn 2 while Ann is declaring turn 3. She has seen the dice of turn 3 when she accepts.
    let (mut table, second) = kept("a void that crosses the next turn");
    let seal = table.seal(Bob, SetKind::Plain, &at(3));
    let proposal = table.post(Bob, void(Scope::Declaration(second)));
    let third = table.declaration(Ann, &at(3), markers(&[]), seal, None);
    let third = table.post(Ann, Body::Declare(Box::new(third)));
    table.arrive(Ann);
    table.arrive(Bob);
    table.reveal(Bob, third);
    table.send(Ann, accept(proposal));
    s.blames(
        "void-accepted-too-late",
        "11, correct 4",
        "she has turn 3 already, and likes it or not",
        &table,
        "rule",
        "ann",
    );

    // A player who proposes lets the other one choose, so the proposer may not roll on.
    let (mut table, second) = kept("a turn beside a proposal");
    let seal = table.seal(Bob, SetKind::Plain, &at(3));
    table.send(Ann, void(Scope::Declaration(second)));
    table.declare(Ann, &at(3), markers(&[]), seal);
    s.blames(
        "turn-beside-a-proposal",
        "declare 16",
        "Bob knows the dice of turn 3, and would accept or not",
        &table,
        "rule",
        "ann",
    );

    let (mut table, second) = kept("a void of an old turn");
    roll(&mut table, Ann, &at(3), markers(&[]));
    table.send(Bob, void(Scope::Declaration(second)));
    s.blames("void-of-an-old-turn", "11, correct 5", "turn 3 rests on it", &table, "rule", "bob");
    let (mut table, second) = kept("a void of the last turn");
    let proposal = table.send(Bob, void(Scope::Declaration(second)));
    table.send(Ann, accept(proposal));
    roll(&mut table, Ann, "2/1/initiative/2", markers(&["m1", "m2"]));
    s.good("void-of-the-last-turn", "11", "what was decided on it is gone with it", &table);
    let (mut table, second) = kept("a void of a whole impulse");
    let scope = Scope::Impulse(ScopeImpulse { declarations: vec![second], impulse: 1, turn: 2 });
    let proposal = table.send(Bob, void(scope));
    table.send(Ann, accept(proposal));
    s.good("void-of-an-impulse", "11", "the impulse has no other declaration", &table);

    // A redo that both players agreed on.
    let redo = |label: &str| {
        let (mut table, rolled) = dealt(
            label,
            |label| {
                let mut table = held_by_ann(label);
                table.seal(Bob, SetKind::FoulUp, "foul-up/1");
                let rolled = roll(&mut table, Ann, &at(2), markers(&["m1"]));
                (table, rolled)
            },
            is_kept,
        );
        let proposal = table.propose(Bob, rolled, Some(markers(&["m1", "m2"])));
        (table, rolled, proposal)
    };
    let foul_up = |table: &Table| {
        let found = table
            .letters
            .iter()
            .find(|letter| matches!(letter.message.body(), Body::Seal(seal) if seal.kind == SetKind::FoulUp));
        found.expect("a foul-up set").message.id()
    };
    let (mut table, _, proposal) = redo("a turn done again");
    let acceptance = table.send(Ann, accept(proposal));
    let seal = foul_up(&table);
    let again = table.redo(Ann, &at(2), markers(&["m1", "m2"]), seal, Redo::Agreed(acceptance));
    table.reveal(Bob, again);
    s.good("turn-done-again", "4, 10", "it comes after what the first one came after", &table);
    let (mut table, rolled, proposal) = redo("a redo beside a void");
    let acceptance = table.send(Ann, accept(proposal));
    table.send(Ann, void(Scope::Declaration(rolled)));
    let seal = foul_up(&table);
    table.redo(Ann, &at(2), markers(&["m1", "m2"]), seal, Redo::Agreed(acceptance));
    s.blames(
        "redo-beside-a-void",
        "10, declare 16",
        "Bob knows the dice of the redo, and would void the turn or not",
        &table,
        "rule",
        "ann",
    );
    let (mut table, rolled, proposal) = redo("a void beside an agreed redo");
    table.send(Ann, accept(proposal));
    let proposal = table.send(Bob, void(Scope::Declaration(rolled)));
    table.send(Ann, accept(proposal));
    roll(&mut table, Ann, "2/1/initiative/2", markers(&["m1"]));
    s.good("void-beside-a-redo", "10, 11", "what is void is not to be done again: turn 2 is rolled anew", &table);
    let (mut table, _, proposal) = redo("a redo with its own after");
    let acceptance = table.send(Ann, accept(proposal));
    let (seal, here) = (foul_up(&table), table.with_ledger(|ledger| steps::after(ledger, &slot(&at(2)), None)));
    table.redo_but(&at(2), markers(&["m1", "m2"]), seal, Redo::Agreed(acceptance), |redo| redo.after = here);
    s.blames(
        "redo-with-its-own-after",
        "4, declare 14",
        "it names where the course stands now, and not what the turn came after",
        &table,
        "rule",
        "ann",
    );
    redo_in_breach(s);
    // Ann gives the initiative to Bob, who does not wait for the redo that both agreed on.
    let (mut table, rolled) = dealt("a turn before a redo", second_turn, is_kept);
    decide(&mut table, Ann, &at(2), "order", json!("second"));
    let proposal = table.propose(Bob, rolled, Some(markers(&["m1"])));
    table.send(Ann, accept(proposal));
    declare(&mut table, Bob, &at(3), markers(&[]));
    s.blames(
        "turn-before-a-redo",
        "10, declare 16",
        "Ann knows the dice of turn 3, and would do turn 2 again or not",
        &table,
        "rule",
        "bob",
    );
    let (mut gone_on, second) = kept("a redo of an old turn");
    roll(&mut gone_on, Ann, &at(3), markers(&[]));
    gone_on.propose(Bob, second, Some(markers(&["m1", "m2"])));
    s.blames("redo-of-an-old-turn", "10, correct 2", "turn 3 rests on it", &gone_on, "rule", "bob");
}

/// An agreed redo stays due until there is a valid one, whatever was done in breach.
fn redo_in_breach(s: &mut Scenario<'_>) {
    let behind = |label: &str| {
        let mut table = held_by_ann(label);
        let seal = table.seal(Bob, SetKind::FoulUp, "foul-up/1");
        let rolled = roll(&mut table, Ann, &at(2), markers(&["m1"]));
        (table, seal, rolled)
    };
    let in_breach = || {
        let first = |label: &str| {
            let (table, _, rolled) = behind(label);
            (table, rolled)
        };
        let (table, _) = dealt("a redo in breach", first, is_kept);
        let label = title(&table);
        let (mut table, seal, rolled) = behind(&label);
        decide(&mut table, Ann, &at(2), "order", json!("second"));
        let proposal = table.propose(Bob, rolled, Some(markers(&["m1", "m2"])));
        let acceptance = table.send(Ann, accept(proposal));
        let without = |declare: &mut Declare| declare.contribution = None;
        let breach = table.redo_but(&at(2), markers(&["m1", "m2"]), seal, Redo::Agreed(acceptance), without);
        (table, seal, breach)
    };
    let (mut table, ..) = in_breach();
    s.blames("redo-in-breach", "9, 10, declare 5", "a redo is rolled for", &table, "rule", "ann");
    declare(&mut table, Bob, &at(3), markers(&[]));
    s.ends(
        "redo-still-due",
        "10, declare 16",
        "Bob holds the initiative only until turn 2 is done again",
        &table,
        "refuted",
        &[("rule", Some("ann")), ("rule", Some("bob"))],
    );
    let (mut table, seal, breach) = in_breach();
    let again = table.redo(Ann, &at(2), markers(&["m1", "m2"]), seal, Redo::Breach(breach));
    table.reveal(Bob, again);
    let mended = &[("rule", Some("ann"))];
    s.ends("redo-mended", "9, 10", "a valid redo replaces the turn", &table, "verified", mended);
    let came = public(&table, again);
    if came["controller"].is_null() {
        decide(&mut table, Ann, &at(2), "pop", json!([]));
    }
    let by = if is_kept(&came) { Ann } else { Bob };
    decide(&mut table, by, &at(2), "order", json!(if by == Ann { "first" } else { "second" }));
    roll(&mut table, Ann, &at(3), markers(&[]));
    s.ends("redo-mended-then-on", "5, 10", "and the course goes on behind it", &table, "verified", mended);
    let (mut table, seal, breach) = in_breach();
    let again = |table: &mut Table, breach, change: fn(&mut Declare)| {
        table.redo_but(&at(2), markers(&["m1", "m2"]), seal, Redo::Breach(breach), change)
    };
    let second = again(&mut table, breach, |declare| declare.contribution = None);
    let third = again(&mut table, second, |_| ());
    table.reveal(Bob, third);
    s.ends(
        "redo-of-a-breach-of-an-agreed-redo",
        "4, 9, 10",
        "each comes after what turn 2 came after, and the last one replaces it",
        &table,
        "verified",
        &[("rule", Some("ann")), ("rule", Some("ann"))],
    );
}

/// Seals a standing note for a slot.
pub(crate) fn noted(table: &mut Table, who: Who, slot: &str, says: &str) -> Hex32 {
    let salt = table.fresh();
    let note = table.signer(who).seal(table.terms(), SetKind::Note, &format!("{slot}/standing"), 1, salt, Some(says));
    table.send(who, Body::Seal(note.expect("a seal")))
}

const SECOND: &str = r#"{"order":"second"}"#;

/// Seals a standing note of Bob's for turn 2, and lets Ann roll the turn with these markers. Tries again until the dice
/// are the wanted ones.
fn with_note(
    table: impl Fn() -> Table,
    says: &str,
    in_play: &[&str],
    wanted: impl Fn(&Value) -> bool,
) -> (Table, Hex32, Hex32) {
    let mut table = table();
    let note = noted(&mut table, Bob, &at(2), says);
    deal(&mut table, Ann, &at(2), Value::Object(markers(in_play)), None, &[6; 4], |dice| {
        let (ann, bob) = (dice[0] + dice[1], dice[2] + dice[3]);
        wanted(&json!({ "controller": if bob > ann { "bob" } else { "ann" }, "deficit": bob.saturating_sub(ann) }))
    });
    let rolled = |letter: &&Letter| matches!(letter.message.body(), Body::Declare(_));
    let rolled = table.letters.iter().rfind(rolled).expect("a declaration").message.id();
    (table, note, rolled)
}

pub(crate) fn open_note(table: &mut Table, who: Who, note: Hex32, declaration: Hex32) {
    let keys = vec![Key(0, table.key_of(who, note, 0, 0))];
    table.send(who, Body::Reveal(Reveal { declaration: Some(declaration), keys, seal: note, sheets: Vec::new() }));
}

fn standing_notes(s: &mut Scenario<'_>) {
    let is_bobs = |public: &Value| public["controller"] == "bob";
    let three = ["m1", "m2", "m3"];
    let asked = |label: &'static str, says: &str| with_note(|| held_by_ann(label), says, &[], is_bobs);
    let popping = |label: &'static str| with_note(|| held_by_ann(label), SECOND, &three, is_behind);
    let (mut table, note, rolled) = asked("a standing note", SECOND);
    s.good("note-not-opened", "13", "Bob controls: what is awaited is his note, and nothing else", &table);
    decide(&mut table, Bob, &at(2), "order", json!("first"));
    s.blames("decided-past-a-note", "13, decide 4", "his note says it", &table, "rule", "bob");
    let (mut again, ..) = asked("a standing note", SECOND);
    open_note(&mut again, Bob, note, rolled);
    s.good("note-opened", "14", "Bob controls, and goes second, as his note says", &again);
    decide(&mut again, Bob, &at(2), "order", json!("first"));
    s.blames("decided-behind-a-note", "14, decide 4", "nothing is awaited of him any more", &again, "rule", "bob");

    let (mut table, note, rolled) = popping("a note behind the pop");
    let public = |table: &Table| table.with_ledger(|ledger| course::awaited_choices(ledger).len());
    assert_eq!(public(&table), 1, "the pop");
    s.good("note-while-the-pop-is-asked", "13", "Ann decides whether she pops before she knows what Bob wants", &table);
    open_note(&mut table, Bob, note, rolled);
    s.blames("note-opened-before-the-pop", "13, reveal 6", "nothing is awaited of Bob yet", &table, "rule", "bob");
    decide(&mut table, Ann, &at(2), "pop", json!([]));
    s.blames(
        "note-opened-too-soon",
        "14, letters 9",
        "it is open all the same, and says what Bob does",
        &table,
        "rule",
        "bob",
    );
    let (mut table, note, rolled) = popping("a note behind the pop");
    decide(&mut table, Ann, &at(2), "pop", json!([]));
    s.good("note-behind-the-pop", "13", "now it is Bob's choice, and his note is due", &table);
    open_note(&mut table, Bob, note, rolled);
    roll(&mut table, Ann, &at(3), markers(&[]));
    s.good("note-opened-behind-the-pop", "14", "he goes second; Ann keeps the initiative, and rolls on", &table);
    let (mut table, _, rolled) = popping("a note behind the pop");
    let pop = pop_of(&table, rolled);
    decide(&mut table, Ann, &at(2), "pop", pop);
    roll(&mut table, Ann, &at(3), markers(&[]));
    s.good("note-not-needed", "13", "Ann pops and goes first: nobody reads what Bob wanted", &table);
    table.close_all();
    s.good("note-not-needed-closed", "13, close 2", "but with all else at the close", &table);

    for (name, label, says, about) in [
        ("note-says-nothing", "a note that says nothing", "second, please", "its text is no object of canonical JSON"),
        ("note-of-another-decision", "a note of another decision", r#"{"pop":[]}"#, "it names no decision of his"),
        ("note-of-no-order", "a note of no order", r#"{"order":"third"}"#, "it says what the state does not allow"),
    ] {
        let (mut table, note, rolled) = asked(label, says);
        open_note(&mut table, Bob, note, rolled);
        decide(&mut table, Bob, &at(2), "order", json!("first"));
        s.good(name, "14", &format!("{about}: Bob is asked, and decides"), &table);
    }
    let mut table = held_by_ann("a note of the declarer");
    let note = noted(&mut table, Ann, &at(2), SECOND);
    deal(&mut table, Ann, &at(2), Value::Object(markers(&[])), None, &[6; 4], |dice| {
        dice[0] + dice[1] > dice[2] + dice[3]
    });
    let rolled = |letter: &&Letter| matches!(letter.message.body(), Body::Declare(_));
    let rolled = table.letters.iter().rfind(rolled).expect("a declaration").message.id();
    open_note(&mut table, Ann, note, rolled);
    s.good("note-of-the-declarer", "12, 14", "Ann controls, and goes second, as her own note says", &table);

    // Kills. This one crosses the declaration, and the dice require a decision by Bob.
    let crossed = |label: &str| {
        let mut table = refereed(label, Some("ann"));
        let note = noted(&mut table, Bob, &at(2), SECOND);
        let seal = table.seal(Bob, SetKind::Plain, &at(2));
        let rolled = table.declaration(Ann, &at(2), markers(&[]), seal, None);
        let rolled = table.post(Ann, Body::Declare(Box::new(rolled)));
        table.post(Carol, ruling(Ruled::Kill(note)));
        [Ann, Bob, Carol].into_iter().for_each(|who| table.arrive(who));
        table.reveal(Bob, rolled);
        (table, note, rolled)
    };
    let dice = |label: &str| {
        let (table, _, rolled) = crossed(label);
        (table, rolled)
    };
    let (table, _) = dealt("a note that is killed", dice, is_bobs);
    let (mut table, note, rolled) = crossed(&title(&table));
    open_note(&mut table, Bob, note, rolled);
    s.good(
        "found-note-killed-by-a-crossing-ruling",
        "12, 14",
        "the turn has found it: it is owed, and Bob goes second, as it says",
        &table,
    );
    let (mut table, note, _) = crossed(&title(&table));
    table.send(Ann, stall(Some(note), Step::Reveal));
    s.ends("stall-on-a-killed-note", "13, claim 1", "and until it is opened Bob owes it", &table, "undecided", &[]);
    let (mut table, note, _) = with_note(|| refereed("a found note", Some("ann")), SECOND, &[], is_bobs);
    table.send(Carol, ruling(Ruled::Kill(note)));
    s.blames("note-killed-when-found", "12, ruling 4", "the turn rests on it", &table, "rule", "carol");

    // Claims.
    let (mut table, note, rolled) = asked("a claim on a standing note", SECOND);
    table.send(Ann, stall(Some(note), Step::Reveal));
    s.ends("stall-on-a-note", "claim 5", "Bob owes its opening", &table, "undecided", &[]);
    open_note(&mut table, Bob, note, rolled);
    s.good("stall-met-by-a-note", "disputes 8", "and opens it", &table);
    let (mut table, note, _) = popping("a claim on a note behind the pop");
    table.send(Ann, stall(Some(note), Step::Reveal));
    s.blames("stall-on-a-note-that-is-not-due", "claim 5", "Ann herself is asked first", &table, "rule", "ann");
}

fn names(declaration: Hex32, forfeit: Hex32, dice: &[u64]) -> Body {
    Body::Claim(Claim::Names(Names { declaration, dice: dice.to_vec(), forfeit }))
}

fn forfeits(s: &mut Scenario<'_>) {
    forfeit_of_what_the_office_opens(s);
    // Bob gives away the dice of a Flux turn, and then opens them all the same. Ann has named dice in the meantime.
    let mut table = Table::begin_with("names that cross an opening", |charter| with_initiative(charter, None));
    let first = declare(&mut table, Ann, &at(1), markers(&[]));
    let reveal = table.reveal_body(Bob, first);
    let given = Yield { declaration: Some(first), forfeit: Forfeit::DeclarerNames, text: "Lost my keys.".into() };
    let forfeit = table.send(Bob, Body::Claim(Claim::Yield(given)));
    table.post(Bob, Body::Reveal(reveal));
    table.post(Ann, names(first, forfeit, &[6, 6, 1, 1]));
    table.arrive(Ann);
    table.arrive(Bob);
    s.good("names-and-an-opening-cross", "4, 5", "the dice are those that she named", &table);
    decide(&mut table, Ann, &at(1), "order", json!("first"));
    s.good("named-then-on", "4, 5", "and the course stands at her claim: Ann controls, and goes first", &table);

    // A claim against a player who does not decide says that they owe a declaration.
    let flux = |label: &str| {
        let mut table = Table::begin_with(label, |charter| with_initiative(charter, None));
        let rolled = roll(&mut table, Ann, &at(1), markers(&[]));
        (table, rolled)
    };
    let (mut table, _) = dealt("a stall on a decision", flux, |public| public["controller"] == "bob");
    table.send(Ann, stall(None, Step::Declare));
    s.ends("stall-on-a-decision", "disputes 8", "Bob has to choose", &table, "undecided", &[]);
    decide(&mut table, Bob, &at(1), "order", json!("second"));
    s.good("stall-met-by-a-decision", "disputes 8", "he chose", &table);
}

/// Bob knows the dice of turn 3. Then he yields those of turn 2, in a letter that has not seen the office's opening.
fn forfeit_of_what_the_office_opens(s: &mut Scenario<'_>) {
    let begun = |label: &str| {
        let mut table = Table::officed(label, false, |charter| {
            with_initiative(charter, Some("ann"));
            charter.phases.iter_mut().for_each(|phase| phase.revealer = Revealer::Office);
        });
        let sets = [2, 3].map(|turn| table.seal(Bob, SetKind::Plain, &at(turn)));
        let rolled = table.declare(Ann, &at(2), markers(&[]), sets[0]);
        let head = table.signer(Bob).next_head(Kind::Claim);
        table.send(Dora, holds(&sets));
        opens(&mut table, Dora, rolled);
        (table, rolled, sets, head)
    };
    let play = |label: &str| {
        let (table, rolled, ..) = begun(label);
        (table, rolled)
    };
    let (known, _) = dealt("a late yield with an office", play, is_kept);
    let (mut table, rolled, sets, head) = begun(&title(&known));
    decide(&mut table, Ann, &at(2), "order", json!("first"));
    let next = table.declare(Ann, &at(3), markers(&[]), sets[1]);
    opens(&mut table, Dora, next);
    let given = Yield { declaration: Some(rolled), forfeit: Forfeit::DeclarerNames, text: "Lost my keys.".into() };
    table.forge(head, Body::Claim(Claim::Yield(given)), &key("key of bob"));
    s.blames(
        "yield-of-what-the-office-opens",
        "3, claim 3",
        "Bob knows the dice of turn 3, and would give away those of turn 2 to have turn 3 rolled again",
        &table,
        "rule",
        "bob",
    );
}

fn breaches(s: &mut Scenario<'_>) {
    // The input has a marker that is already on the Bar.
    let on_the_bar = |label: &str| {
        let (mut table, rolled) = dealt(label, second_turn, is_behind);
        let popped = pop_of(&table, rolled);
        decide(&mut table, Ann, &at(2), "pop", popped);
        let foul_up = table.seal(Bob, SetKind::FoulUp, "foul-up/1");
        let breach = declare(&mut table, Ann, &at(3), markers(&["m1"]));
        (table, foul_up, breach)
    };
    let (mut table, foul_up, breach) = on_the_bar("a marker that lies on the Bar");
    s.blames("marker-on-the-bar", "declare 15", "m1 was popped in turn 2", &table, "rule", "ann");
    let again = table.redo(Ann, &at(3), markers(&["m3"]), foul_up, Redo::Breach(breach));
    table.reveal(Bob, again);
    s.ends(
        "marker-on-the-bar-mended",
        "7, declare 11, 15",
        "done again with another input, for the old one cannot be taken",
        &table,
        "verified",
        &[("rule", Some("ann"))],
    );

    // A breach at a place that is no longer awaited does not hold anybody up.
    let (mut table, second) = kept("a breach, and then a void");
    let seal = table.seal(Bob, SetKind::Plain, &at(3));
    table.declare_but(Ann, &at(3), markers(&["m1"]), seal, |declare| {
        change_input(declare, |input| drop(input.insert("order".into(), json!("third"))));
    });
    let proposal = table.send(Bob, void(Scope::Declaration(second)));
    table.send(Ann, accept(proposal));
    roll(&mut table, Ann, "2/1/initiative/2", markers(&["m1"]));
    s.ends(
        "breach-left-behind",
        "7, 8",
        "turn 2 is rolled again, whatever turn 3 was to be",
        &table,
        "verified",
        &[("rule", Some("ann"))],
    );

    // Turn 2 is rolled again. Turn 3 is a declaration of its own, with any markers.
    let left = |label: &str| {
        let (mut table, second) = kept(label);
        let seal = table.seal(Bob, SetKind::Plain, &at(3));
        table.declare_but(Ann, &at(3), markers(&["m1"]), seal, |declare| {
            change_input(declare, |input| drop(input.insert("order".into(), json!("third"))));
        });
        let proposal = table.send(Bob, void(Scope::Declaration(second)));
        table.send(Ann, accept(proposal));
        let again = roll(&mut table, Ann, "2/1/initiative/2", markers(&["m1"]));
        (table, again)
    };
    let (mut table, _) = dealt("a breach left behind", left, is_kept);
    decide(&mut table, Ann, "2/1/initiative/2", "order", json!("first"));
    roll(&mut table, Ann, "3/1/initiative/2", markers(&["m2"]));
    s.ends(
        "breach-left-behind-then-on",
        "7, 8",
        "what left the breach behind has settled it: its place is awaited again, and it is not pending",
        &table,
        "verified",
        &[("rule", Some("ann"))],
    );

    // A turn without a roll, with moves as text.
    let mut table = held_by_ann("a turn that rolls for nothing");
    let seal = table.seal(Bob, SetKind::Plain, &at(2));
    table.declare_but(Ann, &at(2), markers(&[]), seal, |declare| {
        (declare.seal, declare.contribution, declare.select) = (None, None, None);
        declare.moves = Moves::Text("nothing".into());
    });
    s.blames("turn-without-a-roll", "15, declare 5", "every turn is rolled for", &table, "rule", "ann");

    let charter = |file, about, change: fn(&mut Charter), s: &mut Scenario<'_>| {
        let table = Table::begin_with(file, |charter| {
            with_initiative(charter, Some("ann"));
            change(charter);
        });
        s.blames(file, "17, charter 6", about, &table, "rule", "ann");
    };
    let again = |charter: &mut Charter| {
        let second = Phase { name: name("again"), ..charter.phases[0].clone() };
        charter.phases.push(second);
    };
    charter("charter-two-initiatives", "one place a turn", again, s);
    charter("charter-two-impulses", "one place a turn", |charter| charter.phases[0].impulses = vec![1, 2], s);
    charter("charter-a-declarer", "the state says who", |charter| charter.phases[0].declarer = Some(role("ann")), s);
    charter("charter-no-declarer", "only a state can say who", |charter| charter.phases[1].declarer = None, s);
}
