//! The course `ocs-initiative`: laws over whole games, exact odds, and what a player is told.

use std::{
    collections::BTreeSet,
    io::Write,
    process::{Command, Stdio},
};

use proptest::prelude::*;
use sealed_dice::{
    blob::{
        body::{Ended, Role},
        json,
    },
    primitive::dice::Stream,
    resolve::{Account, Awaits, Course, Draws, Given, Listed, Object, Outcome, Place, Source, System},
};
use serde_json::{Value, json};

use crate::{
    agreement::{Game, of, runner},
    kit::{object, text},
    ndc::Chance,
};

const PLACE: Place = Place { index: 0, line: 1 };

fn role(name: &str) -> Role {
    Role::parse(name).expect("a role")
}

fn system(first: Option<&str>, winner: bool, then_second: bool) -> System {
    let settings = object(json!({
        "first_player": first,
        "flux_holder": if winner { "winner" } else { "first_mover" },
        "pop_then_second": then_second,
        "sides": ["red", "blue"],
    }));
    System::settle("ocs-initiative", &settings, &Object::new()).expect("settings")
}

fn course(system: &System) -> &dyn Course {
    system.resolver().course().expect("it has a course")
}

fn roll(
    system: &System,
    state: &Object,
    input: &Value,
    source: &mut dyn Source,
) -> sealed_dice::error::Result<Outcome> {
    let rolls = system.resolver().read(&text(&object(input.clone())), false)?;
    rolls.fits(state)?;
    let mut account = Account::kept();
    let given = Given { state, orders: &[] };
    let outcome = rolls.resolve(given, &[PLACE], &mut Draws::new(source), &mut account)?;
    assert!(!account.into_lines().is_empty());
    Ok(outcome)
}

/// The names in a list of markers.
fn names(value: &Value) -> BTreeSet<String> {
    value.as_array().expect("a list").iter().map(|name| name.as_str().expect("a name").to_owned()).collect()
}

fn public(outcome: &Outcome) -> Value {
    serde_json::from_str(outcome.public.as_str()).expect("JSON")
}

/// What somebody does; where it is not possible it must be refused, and change nothing.
#[derive(Clone, Debug)]
struct Act {
    markers: BTreeSet<u8>,
    order: Option<bool>,
    pop: Option<(u64, Vec<u8>)>,
    draws: Vec<u64>,
    chosen: BTreeSet<u8>,
    /// Pop as many as are asked for, where a pop is.
    pops: bool,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let some = || prop::collection::btree_set(0..12_u8, 0..10);
    let pop = prop::option::of((0..12_u64, prop::collection::vec(0..12_u8, 0..8)));
    let order = || prop::option::of(any::<bool>());
    let draws = prop::collection::vec(1..7_u64, 4..13);
    let act = (some(), order(), pop, draws, some(), any::<bool>());
    let act =
        act.prop_map(|(markers, order, pop, draws, chosen, pops)| Act { markers, order, pop, draws, chosen, pops });
    prop::collection::vec(act, 1..40)
}

fn word(first: bool) -> &'static str {
    if first { "first" } else { "second" }
}

fn named(markers: impl IntoIterator<Item = u8>) -> Vec<String> {
    markers.into_iter().map(|marker| format!("m{marker}")).collect()
}

/// What must hold of every state that comes about.
fn check_state(system: &System, state: &Object) {
    let (course, read) = (course(system), Value::Object(state.clone()));
    course.awaits(state).expect("what comes about is a state");
    let nobody = read["holder"].is_null();
    assert_eq!(read["flux"], nobody, "{read}: Flux exactly where nobody holds");
    assert!(!nobody || names(&read["bar"]).is_empty(), "{read}: nobody's Bar");
    let encoded = json::encode(state).expect("JSON");
    let again = json::parse_canonical(encoded.as_bytes()).expect("it is canonical");
    assert_eq!(json::read::<Object>(&again).expect("an object"), *state);
}

/// No marker comes from nowhere or is lost on the way to the Bar and back.
fn check_markers(before: &Value, declared: &BTreeSet<String>, outcome: &Outcome) {
    let (after, public) = (Value::Object(outcome.state.clone()), public(outcome));
    let popped: BTreeSet<String> = names(&public["popped"]);
    let already = names(&before["pending"]["popped"].as_array().map_or(json!([]), |list| json!(list)));
    let in_play: BTreeSet<String> = declared.difference(&popped).cloned().collect();
    assert!(popped.is_subset(declared) || popped == already, "{public}: he pops his own");
    let (bar, returning) = (names(&after["bar"]), names(&after["returning"]));
    let came_back: BTreeSet<String> =
        names(&public["returned"]).difference(&names(&before["returning"])).cloned().collect();
    let there: Vec<String> = bar.iter().chain(&returning).chain(&came_back).cloned().collect();
    let from: BTreeSet<String> = names(&before["bar"]).union(&popped).cloned().collect();
    assert_eq!(there.len(), from.len(), "{before} {after}");
    assert_eq!(there.into_iter().collect::<BTreeSet<_>>(), from);
    let kept = names(&after["markers"]);
    assert!(if after["holder"] == before["holder"] { kept == in_play } else { kept.is_empty() }, "{before} {after}");
}

/// One act on a state: what it comes to, if it is possible.
fn act(system: &System, state: &Object, act: &Act) -> Option<Outcome> {
    let before = Value::Object(state.clone());
    match course(system).awaits(state).expect("a state") {
        Awaits::Turn(by) => {
            let by = by.expect("the state says who declares");
            assert!(by == role("red") || by == role("blue"));
            let markers = named(act.markers.iter().copied());
            let pop =
                act.pop.as_ref().map(|(most, from)| json!({ "at_most": most, "from": named(from.iter().copied()) }));
            let input = json!({ "markers": markers, "order": act.order.map(word), "pop": pop });
            let outcome = roll(system, state, &input, &mut Listed::new(&act.draws)).ok()?;
            assert_eq!(outcome.state["turn"], before["turn"].as_u64().expect("a turn") + 1);
            check_markers(&before, &markers.into_iter().collect(), &outcome);
            Some(outcome)
        }
        Awaits::Decision { name, by, .. } => {
            let in_play = names(&before["markers"]);
            let deficit = before["pending"]["deficit"].as_u64().expect("a number") as usize;
            let value = match name.as_str() {
                "pop" if act.pops => json!(in_play.iter().take(deficit).collect::<Vec<_>>()),
                "pop" => json!(named(act.chosen.iter().copied())),
                _ => json!(word(act.order.unwrap_or(act.pops))),
            };
            for wrong in ["pop", "order", "retreat"].iter().filter(|wrong| **wrong != name) {
                assert!(course(system).decide(state, wrong, &value, &mut Account::kept()).is_err());
            }
            assert!(by == role("red") || by == role("blue"));
            let outcome = course(system).decide(state, &name, &value, &mut Account::kept()).ok()?;
            let already = names(&before["pending"]["popped"]);
            check_markers(&before, &in_play.union(&already).cloned().collect(), &outcome);
            Some(outcome)
        }
        Awaits::More(_) => panic!("a turn is one roll"),
    }
}

/// A random course as a vector gives it.
pub(crate) fn case(chance: &mut Chance) -> Value {
    let runner = &mut runner(chance);
    let first = [Value::Null, json!("red"), json!("blue")][chance.below(3) as usize].clone();
    let settings = json!({
        "first_player": first, "flux_holder": chance.pick(&["first_mover", "winner"]),
        "pop_then_second": chance.often(), "sides": ["red", "blue"],
    });
    let mut game = Game::of("ocs-initiative", settings, json!({}));
    for act in of(acts(), runner) {
        let by = game.by();
        let mut input =
            json!({ "markers": named(act.markers.iter().copied()), "order": act.order.map(word), "pop": null });
        if let Some((most, from)) = &act.pop {
            input["pop"] = json!({ "at_most": most, "from": named(from.iter().copied()) });
        }
        game.takes(json!({ "by": by, "declare": input }), chance);
        for _ in 0..4 {
            let Some((name, by)) = game.asks() else { break };
            let in_play = names(&game.state["markers"]);
            let deficit = game.state["pending"]["deficit"].as_u64().unwrap_or_default() as usize;
            let value = match name.as_str() {
                "pop" if act.pops => json!(in_play.iter().take(deficit).collect::<Vec<_>>()),
                "pop" => json!([]),
                _ => json!(word(act.order.unwrap_or(act.pops))),
            };
            let step = match chance.below(3) {
                0 => json!({ "by": by, "note": { name: value } }),
                _ => json!({ "by": by, "decide": { "name": name, "value": value } }),
            };
            game.takes(step, chance);
        }
    }
    game.case
}

/// States of the right shape, possible or not.
fn shapes() -> impl Strategy<Value = Value> {
    let role = || prop::option::weighted(0.8, prop_oneof![Just("red"), Just("blue")]);
    let list = || prop::collection::btree_set(0..9_u8, 0..4).prop_map(|set| json!(named(set)));
    let pending = prop::option::of((any::<bool>(), any::<bool>(), 0..11_u64, list(), prop::option::of(any::<bool>())))
        .prop_map(|pending| {
            pending.map(|(pop, red, deficit, popped, order)| {
                let order = order.map(word);
                let (awaits, by) = (if pop { "pop" } else { "order" }, if red { "red" } else { "blue" });
                json!({ "awaits": awaits, "by": by, "deficit": deficit, "order": order, "popped": popped })
            })
        });
    (list(), role(), any::<bool>(), role(), list(), pending, list(), 0..4_u64).prop_map(
        |(bar, first, flux, holder, markers, pending, returning, turn)| {
            json!({ "bar": bar, "first": first, "flux": flux, "holder": holder, "markers": markers,
                "pending": pending, "returning": returning, "turn": turn })
        },
    )
}

proptest! {
    #[test]
    fn whole_courses(first in 0..3_usize, winner: bool, then_second: bool, acts in acts()) {
        let system = system([None, Some("red"), Some("blue")][first], winner, then_second);
        let mut state = course(&system).begin().expect("a state");
        check_state(&system, &state);
        for one in &acts {
            let Some(outcome) = act(&system, &state, one) else { continue };
            check_state(&system, &outcome.state);
            let asked = !outcome.state["pending"].is_null();
            prop_assert_eq!((outcome.ended == Ended::Needs, outcome.needs.is_empty()), (asked, !asked));
            state = outcome.state;
        }
    }

    /// What can be a state leads to states only; and nothing makes it panic.
    #[test]
    fn any_state(first in 0..3_usize, winner: bool, then_second: bool, shape in shapes(), acts in acts()) {
        let system = system([None, Some("red"), Some("blue")][first], winner, then_second);
        let state = object(shape);
        if course(&system).awaits(&state).is_ok() {
            check_state(&system, &state);
            for one in &acts {
                if let Some(outcome) = act(&system, &state, one) {
                    check_state(&system, &outcome.state);
                }
            }
        } else {
            prop_assert!(course(&system).decide(&state, "pop", &json!([]), &mut Account::kept()).is_err());
            let rolled = roll(&system, &state, &json!({}), &mut Listed::new(&[1, 1, 2, 2]));
            prop_assert!(rolled.is_err());
        }
    }

    #[test]
    fn nothing_makes_it_panic(state in crate::laws::values(), value in crate::laws::values(), settings in crate::laws::values(), name in ".*") {
        let as_object = |value: &Value| value.as_object().cloned().unwrap_or_default();
        let _ = System::settle("ocs-initiative", &as_object(&settings), &Object::new());
        let system = system(Some("red"), false, false);
        prop_assert!(course(&system).awaits(&as_object(&state)).is_err());
        prop_assert!(course(&system).decide(&as_object(&state), &name, &value, &mut Account::kept()).is_err());
        let begin = course(&system).begin().expect("a state");
        prop_assert!(course(&system).decide(&begin, &name, &value, &mut Account::kept()).is_err());
        let asked = roll(&system, &begin, &json!({ "markers": ["m1"] }), &mut Listed::new(&[1, 1, 1, 2])).expect("a turn").state;
        prop_assert!(value == json!([]) || course(&system).decide(&asked, "pop", &value, &mut Account::kept()).is_err());
        prop_assert!(course(&system).wished(&asked, &value) == Some(value));
    }

    /// However an input is written, it has one form, and reading that changes nothing.
    #[test]
    fn one_form(markers in prop::collection::btree_set("[A-Za-z0-9-]{1,32}", 0..10), most in 0..65_u64) {
        let system = system(Some("red"), false, false);
        let canonical = |input: Value| system.resolver().read(&text(&object(input)), false).expect("an input").canonical().expect("a form");
        let sorted: Vec<&String> = markers.iter().collect();
        let backwards: Vec<&String> = markers.iter().rev().collect();
        let one = canonical(json!({ "markers": sorted, "order": null, "pop": { "at_most": most, "from": backwards } }));
        let other = canonical(json!({ "pop": { "from": backwards, "at_most": most }, "markers": backwards }));
        prop_assert_eq!(&one, &other);
        let read: Value = serde_json::from_str(one.as_str()).expect("JSON");
        prop_assert_eq!(&read["markers"], &json!(sorted));
        prop_assert_eq!(&canonical(read), &one);
    }
}

/// Who holds the initiative when red holds it and both go first where they can, with so many markers to pop.
fn keeps(system: &System, state: &Object, markers: u64, source: &mut dyn Source) -> bool {
    let reserve = named(0..markers as u8);
    let input = json!({ "markers": reserve, "order": "first", "pop": { "at_most": 10, "from": reserve } });
    let outcome = roll(system, state, &input, source).expect("a turn");
    // Where blue is asked he goes first.
    outcome.ended == Ended::Done && outcome.state["holder"] == "red"
}

/// Of 1,296 pairs of rolls, in how many the holder keeps the initiative with 0 to 5 markers.
const KEEPS: [u64; 6] = [721, 861, 986, 1_090, 1_170, 1_226];

fn all_rolls() -> impl Iterator<Item = [u64; 4]> {
    (0..1_296_u64).map(|n| [n / 216 % 6 + 1, n / 36 % 6 + 1, n / 6 % 6 + 1, n % 6 + 1])
}

#[test]
fn odds_are_exact() {
    let system = system(Some("red"), false, false);
    let begin = course(&system).begin().expect("a state");
    for (markers, wanted) in (0..).zip(KEEPS) {
        let kept = all_rolls().filter(|dice| keeps(&system, &begin, markers, &mut Listed::new(dice))).count();
        assert_eq!(kept as u64, wanted, "{markers} markers");
    }
    let flux = self::system(None, false, false);
    let begin = course(&flux).begin().expect("a state");
    let won: Vec<Option<String>> = all_rolls()
        .map(|dice| {
            let outcome = roll(&flux, &begin, &json!({}), &mut Listed::new(&dice)).ok()?;
            Some(public(&outcome)["controller"].as_str().expect("a role").to_owned())
        })
        .collect();
    let count = |who: Option<&str>| won.iter().filter(|winner| winner.as_deref() == who).count();
    assert_eq!((count(Some("red")), count(Some("blue")), count(None)), (575, 575, 146));
}

struct Stated(Stream);

impl Source for Stated {
    fn draw(&mut self, _: Place, sides: u64) -> sealed_dice::error::Result<u64> {
        self.0.draw(sides)
    }
}

/// The same from a stream, as often as `SEALED_DICE_REPLAYS` says: within five standard deviations of the odds.
#[test]
fn odds_of_a_stream() {
    let replays: u64 = std::env::var("SEALED_DICE_REPLAYS").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000);
    let near = |count: u64, of_1296: u64, what: &str| {
        let (n, p) = (replays as f64, of_1296 as f64 / 1_296.0);
        let sigma = (n * p * (1.0 - p)).sqrt();
        assert!((count as f64 - n * p).abs() < 5.0 * sigma, "{what}: {count} of {replays}");
    };
    let mut stream = Stated(Stream::new([1; 32]));
    let system = system(Some("red"), false, false);
    let begin = course(&system).begin().expect("a state");
    for (markers, wanted) in (0..).zip(KEEPS) {
        let kept = (0..replays).filter(|_| keeps(&system, &begin, markers, &mut stream)).count();
        near(kept as u64, wanted, &format!("{markers} markers"));
    }
    let flux = self::system(None, false, false);
    let begin = course(&flux).begin().expect("a state");
    let (mut rounds, mut red) = (0, 0);
    for _ in 0..replays {
        let outcome = public(&roll(&flux, &begin, &json!({}), &mut stream).expect("it ends"));
        rounds += outcome["rounds"].as_array().expect("rounds").len() as u64 - 1;
        red += u64::from(outcome["controller"] == "red");
    }
    near(red, 648, "red in Flux");
    // The rounds before the last are ties: 146 of 1,150 to one, with a variance of the mean times 1,296 of 1,150.
    let (mean, n) = (146.0 / 1_150.0, replays as f64);
    let sigma = (n * mean * 1_296.0 / 1_150.0).sqrt();
    assert!((rounds as f64 - n * mean).abs() < 5.0 * sigma, "{rounds} ties in {replays} turns");
}

fn what_if(case: &Value, json: bool) -> (Option<i32>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sealed-dice"))
        .args(["what-if", "-"])
        .args(json.then_some("--json"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    child.stdin.take().expect("its input").write_all(case.to_string().as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let told = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code(), told(output.stdout), told(output.stderr))
}

/// A player follows a turn with the rules open: each step stands in the text, the state goes on in the next case.
#[test]
fn what_if_tells_each_step() {
    let case = |state: &Value, input: Value, draws: &[u64]| json!({ "system": "ocs-initiative", "settings": { "first_player": "red", "sides": ["red", "blue"] }, "state": state, "input": input, "draws": draws });
    let turn = case(&json!({}), json!({ "by": "red", "declare": { "markers": ["m3", "m1", "m2"] } }), &[2, 2, 3, 3]);
    let (code, told, _) = what_if(&turn, false);
    assert_eq!(code, Some(0));
    for line in [
        "draw 1, d6: 2 for initiative, red",
        "turn 2: red holds the initiative and wins ties",
        "red's markers in play: m1, m2, m3; on the Bar: none",
        "red rolls 2 + 2 = 4",
        "blue rolls 3 + 3 = 6",
        "red is 2 behind and may pop exactly 2 of m1, m2, m3",
        "a decision is needed",
    ] {
        assert!(told.lines().any(|told| told == format!("what-if, not evidence: {line}")), "{line}: {told}");
    }
    let answer: Value = serde_json::from_str(&what_if(&turn, true).1).expect("JSON");
    let pop =
        |value: Value| case(&answer["state"], json!({ "by": "red", "decide": { "name": "pop", "value": value } }), &[]);
    let (code, told, _) = what_if(&pop(json!(["m1", "m2"])), false);
    assert_eq!(code, Some(0));
    for line in [
        "red pops m1, m2 onto the Bar: the roll becomes a tie, which the holder wins",
        "red holds the initiative as the player who goes first; on the Bar: m1, m2",
        "turn 3 is not a Flux turn",
        "done",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    let (code, _, talk) = what_if(&pop(json!(["m1"])), false);
    assert_eq!(code, Some(1));
    assert!(
        talk.contains("m1 cannot be popped; choose exactly 2 of m1, m2, m3, or none (ocs-initiative 10)"),
        "{talk}"
    );
    let blue = case(&answer["state"], json!({ "by": "blue", "decide": { "name": "order", "value": "first" } }), &[]);
    let (code, _, talk) = what_if(&blue, false);
    assert_eq!(code, Some(1));
    assert!(talk.contains("the case is waiting for red's decision pop"), "{talk}");
}

/// What the holder fills in, and that nobody has markers in a Flux turn.
#[test]
fn forms() {
    let (held, flux) = (system(Some("red"), false, false), system(None, false, false));
    let form = |system: &System, state: &Object| course(system).form(state, None).expect("a form");
    let begin = course(&held).begin().expect("a state");
    assert!(form(&held, &begin).starts_with("# Your reserve markers in play, by names of small letters, digits and hyphens; on the Bar: none.\nmarkers = []\n"));
    let popped = json!({ "markers": ["m1", "m2"], "pop": { "at_most": 2, "from": ["m1", "m2"] } });
    let after = roll(&held, &begin, &popped, &mut Listed::new(&[2, 2, 2, 3])).expect("a turn").state;
    let in_hand = "# Your reserve markers in play, by names of small letters, digits and hyphens; on the Bar: m1. These are from the end of the last turn; add any that you got since.\n\
                   markers = [\"m2\"]\n";
    assert!(form(&held, &after).starts_with(in_hand), "{}", form(&held, &after));
    let standing = course(&held).standing_form(course(&held).roles()[0], None).expect("a form");
    assert!(standing.ends_with("order = \"first\"    # one of: first, second\n"), "{standing}");
    let nobody = form(&flux, &course(&flux).begin().expect("a state"));
    assert!(nobody.starts_with("# A Flux turn: nobody has markers in play.\n# order = "), "{nobody}");
}

/// Whatever the question names can be typed as an answer, and the word for nothing counts only by itself.
#[test]
fn what_is_asked_for_a_pop_can_be_typed() {
    let system = system(Some("red"), false, false);
    let begin = course(&system).begin().expect("a state");
    let markers = json!({ "markers": ["m1", "m2", "m3"] });
    let asks = roll(&system, &begin, &markers, &mut Listed::new(&[2, 2, 3, 3])).expect("a turn").state;
    let Awaits::Decision { answers, .. } = course(&system).awaits(&asks).expect("a state") else { panic!("a pop") };
    assert_eq!(answers.to_string(), "exactly 2 of m1, m2, m3, or none");
    assert!(answers.listed().ends_with("or the word none:\nm1\nm2\nm3\n"), "{}", answers.listed());
    let popped = |typed: &str| {
        let value = course(&system).read_choice(&asks, "pop", typed).expect("names");
        course(&system).decide(&asks, "pop", &value, &mut Account::kept()).map(|_| value)
    };
    for (typed, value) in [
        ("m1,m3", json!(["m1", "m3"])),
        ("m1 m3", json!(["m1", "m3"])),
        ("m1\nm3", json!(["m1", "m3"])),
        ("none", json!([])),
    ] {
        assert_eq!(popped(typed).expect("it is legal"), value, "{typed:?}");
    }
    for typed in ["pop none", "none\nm1", "m1 none", "m1"] {
        assert!(popped(typed).is_err(), "{typed:?}");
    }
}

/// While a decision is awaited no dice are taken, whoever asks.
#[test]
fn no_roll_before_a_decision() {
    let system = system(Some("red"), false, false);
    let begin = course(&system).begin().expect("a state");
    let markers = json!({ "markers": ["m1", "m2"] });
    let asks = roll(&system, &begin, &markers, &mut Listed::new(&[2, 2, 2, 3])).expect("a turn").state;
    let refused = roll(&system, &asks, &json!({}), &mut Listed::new(&[1; 4])).expect_err("red is asked");
    assert_eq!(refused.to_string(), "ocs-initiative 13: turn 2 is waiting for red's decision pop");
}
