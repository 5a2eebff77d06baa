//! Games of a hidden course played by letter, up to the close that opens every sheet (`protocol/hidden.md`).

use sealed_dice::{
    blob::{
        Body,
        body::{
            Charter, Close, Contribution, Correct, Deadline, Forfeit, Hex32, Moves, NoteRef, Phase, SetKind, Step,
            Voiding,
        },
        disputes::{Claim, Names, Ruled, Scope, Yield},
    },
    game::{
        hidden,
        ledger::Ledger,
        set::Set,
        steps::{self, Request},
        tasks,
        terms::Player,
    },
};
use serde_json::{Value, json};

use crate::{
    disputes::ruling,
    games::Scenario,
    kit::{Ann, Bob, Carol, Table, Who, object, slot, text},
    ndc,
    turns::phase_of,
};

/// The least size of a sheet, in bytes.
const SHEET: usize = 1_024;

pub(crate) fn hidden(charter: &mut Charter) {
    let mut settings = ndc::settings();
    settings["doctrine"] = json!({ "ann": "soviet", "bob": "us" });
    settings["sides"] = json!(["ann", "bob"]);
    settings["sheet_bytes"] = json!(SHEET);
    for (name, table) in ndc::tables().as_object().expect("tables") {
        charter.tables.insert(name.clone(), table.clone());
    }
    charter.phases = vec![Phase { private: true, ..phase_of("ndc", "ndc", 1, settings) }];
    charter.deadlines = vec![Deadline { days: 30, forfeit: Forfeit::DeclarerNames, step: Step::Reveal }];
}

const fn player(who: Who) -> Player {
    if matches!(who, Ann) { Player::First } else { Player::Second }
}

/// A game in which both players use sheets.
struct Played(Table);

impl Played {
    fn begin(label: &str) -> Self {
        Self::sealed(Table::begin_with(label, hidden))
    }

    fn refereed(label: &str) -> Self {
        Self::sealed(Table::refereed(label, hidden))
    }

    fn sealed(mut table: Table) -> Self {
        for who in [Ann, Bob] {
            for n in 1..=4 {
                table.seal(who, SetKind::Contribution, &format!("contribution/{n}"));
            }
        }
        Self(table)
    }

    /// Returns the input that follows from a player's sheet, or the input of an empty setup if that is not known yet.
    fn due(&self, who: Who, sheet: &Value) -> Result<Value, String> {
        let signer = self.0.signer(who);
        self.0.with_ledger(|ledger: &Ledger<'_>| {
            let (phase, _) = ledger.terms.courses().next().expect("a course");
            let own = |set: &Set<'_>| {
                let his = set.node.message.head().author == *ledger.terms.role(player(who));
                his.then(|| signer.master(ledger, &set.node.id())).flatten()
            };
            let run = hidden::state_from(ledger, phase, player(who), &object(sheet.clone()), &own);
            let mut run = run.map_err(|error| error.to_string())?;
            run.told.pop().expect("what is due").due.read::<Value>().map_err(|error| error.to_string())
        })
    }

    /// Seals a sheet and declares with this input, which may be false.
    fn states(&mut self, who: Who, at: &str, sheet: &Value, input: Value) -> Hex32 {
        let table = &mut self.0;
        let other = if who == Ann { Bob } else { Ann };
        let dice = table.seal(other, SetKind::Plain, at);
        let (salt, says, purpose) = (table.fresh(), text(&object(sheet.clone())), format!("{at}/sheet"));
        let note = table.signer(who).seal_note(table.terms(), &purpose, salt, says.as_str(), SHEET);
        let note = table.send(who, Body::Seal(note.expect("a seal")));
        let declare = table.with_ledger(|ledger| {
            let contribution = tasks::contribution_for(ledger, player(who)).expect("a contribution");
            let request = Request {
                slot: slot(at),
                moves: Moves::Note(NoteRef { index: 0, seal: note }),
                input: text(&object(input)),
                seal: dice,
                contribution: Contribution::Sealed(contribution),
                redo: None,
            };
            steps::declaration(ledger, player(who), request).expect("a declaration")
        });
        table.send(who, Body::Declare(Box::new(declare)))
    }

    /// Declares with the input that follows from a sheet, after `change`.
    fn declares(&mut self, who: Who, at: &str, sheet: &Value, change: impl FnOnce(&mut Value)) -> Hex32 {
        let mut input = self.due(who, sheet).expect("a sheet that is allowed");
        change(&mut input);
        self.states(who, at, sheet, input)
    }

    /// Declares like `declares`, and the other player opens the dice.
    fn plays(&mut self, who: Who, at: &str, sheet: &Value, change: impl FnOnce(&mut Value)) -> Hex32 {
        let declared = self.declares(who, at, sheet, change);
        self.0.reveal(if who == Ann { Bob } else { Ann }, declared);
        declared
    }

    /// Plays both setups, with two units that do not touch.
    fn set_up(mut self) -> Self {
        self.plays(Ann, FIRST, &anns(), honest);
        self.plays(Bob, SECOND, &bobs(), honest);
        self
    }

    fn close_without(&mut self, who: Who) {
        self.0.send(who, Body::Close(Close { masters: None, result: None }));
    }
}

const FIRST: &str = "1/1/ndc/1";
const SECOND: &str = "1/1/ndc/1";
const THIRD: &str = "1/1/ndc/2";
const FOURTH: &str = "1/1/ndc/2";

fn honest(_: &mut Value) {}

fn anns() -> Value {
    json!({ "points": { "artillery": 3 }, "units": [ndc::unit("guards", "0820", json!({}))] })
}

fn bobs() -> Value {
    json!({ "level": 1, "points": { "artillery": 2 }, "units": [ndc::unit("wolves", "0830", json!({}))] })
}

/// Returns the weather that the first player states in their first move, from the dice of their setup.
fn weather(input: &Value) -> Vec<String> {
    let words = input["weather"].as_array().expect("a weather");
    words.iter().map(|word| word.as_str().expect("a word").to_owned()).collect()
}

/// Closes the game by both players, with their masters in the required order.
fn closed(mut game: Played) -> Table {
    game.0.close_all();
    game.0
}

pub(crate) fn all(s: &mut Scenario<'_>) {
    honest_games(s);
    false_ones(s);
    forfeited(s);
    ruled(s);
}

fn honest_games(s: &mut Scenario<'_>) {
    let moved = |label: &str| {
        let mut game = Played::begin(label).set_up();
        game.plays(Ann, THIRD, &json!({ "level": 2 }), honest);
        game.plays(Bob, FOURTH, &json!({ "level": 1, "volunteer": ["wolves"] }), honest);
        game
    };
    let game = moved("a hidden game");
    s.good("hidden-not-closed", "3, 5", "no sheet is open: nobody runs anything", &game.0);
    s.good("hidden-closed", "5, 6, 9", "both runs give what was stated", &closed(game));

    let mut game = moved("a hidden game that one leaves");
    game.0.close(Ann);
    game.0.close(Bob);
    game.close_without(Ann);
    s.good("hidden-one-sheet", "5, 9", "Bob's sheets are open, Ann's are not: his run alone comes to an end", &game.0);

    // Both agree to void Bob's move, and Bob declares it again with another sheet.
    let mut game = Played::begin("a hidden place declared anew").set_up();
    game.plays(Ann, THIRD, &json!({ "level": 2 }), honest);
    let wrong = game.plays(Bob, FOURTH, &json!({ "level": 1 }), honest);
    let scope = Scope::Declaration(wrong);
    let proposal = Correct::Void(Voiding { reason: "The wrong level.".into(), scope });
    let proposal = game.0.send(Bob, Body::Correct(proposal));
    game.0.send(Ann, Body::Correct(Correct::Accept(proposal)));
    game.plays(Bob, "1/1/ndc/3", &json!({ "level": 0, "volunteer": ["wolves"] }), honest);
    s.good("hidden-declared-anew", "3", "what was voided is in no run", &closed(game));
}

fn false_ones(s: &mut Scenario<'_>) {
    hidden_false_not_closed(s);
    hidden_sheet_refused(s);
    hidden_sheet_of_another_form(s);
    hidden_named_without_a_forfeit(s);
}

fn hidden_false_not_closed(s: &mut Scenario<'_>) {
    let mut game = Played::begin("a hidden unit not shown").set_up();
    game.plays(Ann, THIRD, &json!({ "level": 2, "volunteer": ["guards"] }), |input| {
        input["contacts"] = json!({});
    });
    s.good("hidden-false-not-closed", "6", "as long as her sheet is closed nobody can know", &game.0);
    let table = closed(game);
    s.blames("hidden-false", "6", "she volunteered the guards, and did not show them", &table, "rule", "ann");
}

fn hidden_sheet_refused(s: &mut Scenario<'_>) {
    let mut game = Played::begin("a hidden sheet that says too much").set_up();
    let sheet = json!({ "level": 2, "volunteer": ["guards"], "finished": ["strangers"] });
    let input = game.due(Ann, &json!({ "level": 2, "volunteer": ["guards"] })).expect("an input");
    let declared = game.states(Ann, THIRD, &sheet, input);
    game.0.reveal(Bob, declared);
    s.blames("hidden-sheet-refused", "6", "she has no such unit", &closed(game), "rule", "ann");
}

fn hidden_sheet_of_another_form(s: &mut Scenario<'_>) {
    let mut game = Played::begin("a hidden sheet that is none").set_up();
    let input = game.due(Ann, &json!({ "level": 2 })).expect("an input");
    let declared = game.states(Ann, THIRD, &json!({ "level": 2 }), input);
    game.0.reveal(Bob, declared);
    let mut sheet = json!({ "level": 1 });
    let input = game.due(Bob, &sheet).expect("an input");
    sheet["level"] = json!("one");
    let declared = game.states(Bob, FOURTH, &sheet, input);
    game.0.reveal(Ann, declared);
    s.blames(
        "hidden-sheet-of-another-form",
        "6",
        "a level is a number: as if he had not said it",
        &closed(game),
        "rule",
        "bob",
    );
}

fn hidden_named_without_a_forfeit(s: &mut Scenario<'_>) {
    let mut game = Played::begin("hidden dice named by nobody's leave").set_up();
    let input = game.due(Ann, &json!({ "level": 2 })).expect("an input");
    let sheet = json!({ "level": 2, "named": { ndc::WEATHER.to_string(): [1] } });
    let declared = game.states(Ann, THIRD, &sheet, input);
    game.0.reveal(Bob, declared);
    s.blames("hidden-named-without-a-forfeit", "7", "the dice of her setup were opened", &closed(game), "rule", "ann");
}

/// Bob gives Ann the dice of her setup, and she names the weather.
fn forfeited(s: &mut Scenario<'_>) {
    let given_away = |label: &str| {
        let mut game = Played::begin(label);
        let first = game.declares(Ann, FIRST, &anns(), honest);
        let given = Yield { declaration: Some(first), forfeit: Forfeit::DeclarerNames, text: "Lost my keys.".into() };
        let forfeit = game.0.send(Bob, Body::Claim(Claim::Yield(given)));
        game.plays(Bob, SECOND, &bobs(), honest);
        (game, first, forfeit)
    };
    let (mut game, declaration, forfeit) = given_away("hidden dice that a claim names");
    game.0.send(Ann, Body::Claim(Claim::Names(Names { declaration, dice: Vec::new(), forfeit })));
    s.blames("hidden-named-by-a-claim", "3, claim 4", "her next sheet names them", &game.0, "rule", "ann");
    let naming = |named: Value| json!({ "level": 2, "named": named });
    let line = ndc::WEATHER.to_string();
    let (mut game, ..) = given_away("named weather");
    game.plays(Ann, THIRD, &naming(json!({ line.as_str(): [6], "999": [1] })), |input| {
        assert_eq!(weather(input), ["fog", "night", "precipitation"]);
    });
    s.good("hidden-named", "7", "a 6, as she says; what nothing draws says nothing", &closed(game));
    let (mut game, ..) = given_away("weather that nobody named");
    game.plays(Ann, THIRD, &json!({ "level": 2 }), |input| assert!(weather(input).is_empty()));
    s.good("hidden-not-named", "7", "1, where her sheet says nothing", &closed(game));
    let ill = |named: Value, file: &str, about: &str, s: &mut Scenario<'_>| {
        let (mut game, ..) = given_away(file);
        let sheet = naming(named);
        game.due(Ann, &sheet).expect_err("the tool refuses it");
        let input = game.due(Ann, &json!({ "level": 2 })).expect("an input");
        let declared = game.states(Ann, THIRD, &sheet, input);
        game.0.reveal(Bob, declared);
        s.blames(file, "7", about, &closed(game), "rule", "ann");
    };
    ill(json!({ line.as_str(): [7] }), "hidden-named-above-its-die", "a 7 on a die of six, which shows 1 then", s);
    ill(json!({ line.as_str(): [0] }), "hidden-named-0", "no die shows a 0", s);
    ill(json!({ line.as_str(): [1, "6"] }), "hidden-named-a-text", "nor a text, though nothing draws it", s);
    ill(json!({ format!("0{line}"): [1] }), "hidden-named-a-line-twice-written", "a line is written one way", s);
    ill(json!([6]), "hidden-named-a-list", "it is an object", s);

    // Bob opens the dice all the same, so Ann knows them. The forfeit remains.
    let mut game = Played::begin("hidden dice that are given away and opened");
    let first = game.declares(Ann, FIRST, &anns(), honest);
    let reveal = game.0.reveal_body(Bob, first);
    let given = Yield { declaration: Some(first), forfeit: Forfeit::DeclarerNames, text: "Lost my keys.".into() };
    game.0.send(Bob, Body::Claim(Claim::Yield(given)));
    game.0.send(Bob, Body::Reveal(reveal));
    game.plays(Bob, SECOND, &bobs(), honest);
    game.plays(Ann, THIRD, &naming(json!({ line.as_str(): [2] })), |input| assert_eq!(weather(input), ["fog"]));
    s.good(
        "hidden-named-though-opened",
        "7",
        "the forfeit is in the past of her next declaration: she names",
        &closed(game),
    );
}

/// What a referee may settle, and when.
fn ruled(s: &mut Scenario<'_>) {
    let lied = |label: &str| {
        let mut game = Played::refereed(label).set_up();
        let declared = game.plays(Ann, THIRD, &json!({ "level": 2, "volunteer": ["guards"] }), |input| {
            input["contacts"] = json!({});
        });
        (game, declared)
    };
    let (mut game, declared) = lied("a hidden lie settled beforehand");
    game.0.send(Carol, ruling(Ruled::Settle(declared)));
    let mut table = closed(game);
    s.blames("hidden-settled-unseen", "6", "who had not read the sheet settled nothing of it", &table, "rule", "ann");
    table.send(Carol, ruling(Ruled::Settle(declared)));
    let found = &[("rule", Some("ann"))];
    s.ends("hidden-settled-again", "6, ruling 5", "now she has read it", &table, "verified", found);
    table.send(Carol, ruling(Ruled::Settle(declared)));
    s.ends(
        "hidden-settled-a-third-time",
        "ruling 5",
        "it is settled",
        &table,
        "refuted",
        &[("rule", Some("carol")), ("rule", Some("ann"))],
    );
    let (game, declared) = lied("a hidden lie settled when it is open");
    let mut table = closed(game);
    table.send(Carol, ruling(Ruled::Settle(declared)));
    s.ends("hidden-settled", "6, ruling 5", "the referee has read it", &table, "verified", found);
}
