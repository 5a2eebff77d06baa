//! The course `cil`: laws over arbitrary battles, and what a player is told.

use std::collections::BTreeMap;

use proptest::prelude::*;
use sealed_dice::{
    blob::body::{Ended, Role},
    primitive::dice::Stream,
    resolve::{Account, Awaits, Course, Draw, Draws, Given, Object, Outcome, Place, Source, System},
};
use serde_json::{Value, json};

use crate::{
    agreement::{Game, of, runner},
    kit::{object, text},
    ndc::Chance,
};

const PLACES: [Place; 2] = [Place { index: 0, line: 1 }, Place { index: 0, line: 2 }];
const LOCATIONS: [&str; 4] = ["main", "left", "right", "reserve"];
const KINDS: [&str; 3] = ["guns", "horse", "infantry"];

fn role(name: &str) -> Role {
    Role::parse(name).expect("a role")
}

fn course(system: &System) -> &dyn Course {
    system.resolver().course().expect("it has a course")
}

struct Seeded {
    streams: [Stream; 2],
}

impl Seeded {
    fn of(seed: u8) -> Self {
        Self { streams: [Stream::new([seed; 32]), Stream::new([seed.wrapping_add(101); 32])] }
    }
}

impl Source for Seeded {
    fn draw(&mut self, place: Place, sides: u64) -> sealed_dice::error::Result<u64> {
        self.streams[usize::from(place.line == 2)].draw(sides)
    }
}

fn fight(
    system: &System,
    state: &Object,
    orders: [(Role, Object); 2],
    source: &mut dyn Source,
) -> (Outcome, Vec<Draw>) {
    let rolls = system.resolver().read(&text(&Object::new()), false).expect("nothing is stated");
    rolls.fits(state).expect("a turn is awaited");
    let mut draws = Draws::new(source);
    let given = Given { state, orders: &orders };
    let outcome = rolls.resolve(given, &PLACES, &mut draws, &mut Account::kept()).expect("an outcome");
    (outcome, draws.into_trail())
}

fn public(outcome: &Outcome) -> Value {
    outcome.public.read().expect("an object")
}

fn a_location() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&LOCATIONS)
}

fn a_force(side: &'static str) -> impl Strategy<Value = Vec<Value>> {
    let value = || prop_oneof![1 => Just(0u64), 1 => Just(1), 6 => 0..=40u64];
    let effectiveness = prop_oneof![1 => Just(0u64), 1 => Just(1), 1 => Just(100), 5 => 0..=100u64];
    let unit = (a_location(), value(), value(), effectiveness, prop::sample::select(&KINDS), 1..=6u64);
    prop::collection::vec(unit, 1..8).prop_map(move |units| {
        let units = units.into_iter().enumerate().map(|(i, (at, attack, defense, effectiveness, kind, strength))| {
            json!({
                "at": at, "attack": attack, "defense": defense, "effectiveness": effectiveness,
                "id": format!("{side}{i}"), "kind": kind, "strength": strength,
            })
        });
        units.collect()
    })
}

fn settings() -> impl Strategy<Value = (Value, Value)> {
    let word = |words: &'static [&'static str]| prop::sample::select(words);
    let weights = prop::collection::vec(prop::sample::select(&[0u64, 0, 1, 7, 100]), 9);
    (
        (a_force("a"), a_force("b"), weights),
        (1..=2u64, any::<bool>(), word(&["points", "relative"]), word(&["any", "mirror", "same"])),
        (word(&["off", "table"]), word(&["any", "targeted"]), word(&["alternate", "hits_floor"])),
        (0..=100u64, any::<bool>(), word(&["spring", "summer", "fall", "winter"]), any::<bool>()),
    )
        .prop_map(|(forces, (cost, chain, effectiveness, facing), (mixed, overrun, probe), rest)| {
            let ((attacker, defender, weights), (recover, scale, season, spill)) = (forces, rest);
            let rows = weights.chunks(3).zip(KINDS).map(|(row, kind)| {
                let row: Object = KINDS.iter().zip(row).map(|(kind, n)| ((*kind).into(), json!(n))).collect();
                (kind.to_owned(), Value::Object(row))
            });
            let table: Object = rows.collect();
            let settings = json!({
                "assault_cost": cost, "attacker": "ann", "chain": chain, "defender": "bob",
                "effectiveness": effectiveness, "facing": facing,
                "forces": { "attacker": attacker, "defender": defender }, "mixed": mixed, "overrun": overrun,
                "probe": probe, "recover_pct": recover, "scale_values": scale, "season": season,
                "spill_absorbs": spill,
            });
            (settings, json!({ "cil-mixed": table }))
        })
}

/// Orders of any kind for the units of a side, good and bad.
fn orders(side: &'static str) -> impl Strategy<Value = Object> {
    let order = prop::sample::select(&["attack", "assault", "assault", "probe", "dig-in", "move", "hold"]);
    let entry = (order, prop::option::weighted(0.8, a_location()));
    let onward = prop::sample::select(&["main", "left", "right", "reserve", "none"]);
    (prop::collection::vec(entry, 0..9), prop::collection::vec((a_location(), onward), 0..5)).prop_map(
        move |(entries, onward)| {
            let entries = entries.into_iter().enumerate().map(|(i, (order, at))| {
                // What takes no location has none, as a rule.
                let at = if matches!(order, "dig-in" | "hold") { None } else { at };
                (format!("{side}{i}"), json!({ "at": at, "order": order }))
            });
            let excess: Object = onward.into_iter().map(|(from, to)| (from.to_owned(), json!(to))).collect();
            object(json!({ "excess": excess, "orders": entries.collect::<Object>() }))
        },
    )
}

fn rounds() -> impl Strategy<Value = Vec<(Object, Object, u8)>> {
    prop::collection::vec((orders("a"), orders("b"), any::<u8>()), 1..7)
}

/// A random course as a vector gives it.
pub(crate) fn case(chance: &mut Chance) -> Value {
    let runner = &mut runner(chance);
    let (settings, tables) = of(settings(), runner);
    let mut game = Game::of("cil", settings.clone(), tables);
    for (ann, bob, seed) in of(rounds(), runner) {
        let step = json!({ "by": "ann", "declare": {}, "orders": { "ann": ann, "bob": bob } });
        game.takes(step, chance);
        for _ in 0..4 {
            let Some((name, by)) = game.asks() else { break };
            let value = match name.as_str() {
                "battle" => json!({ "attacker": by, "forces": settings["forces"], "season": settings["season"] }),
                "night" => json!(if seed % 3 == 0 { "end" } else { "on" }),
                _ => json!(seed % 5 != 0),
            };
            game.takes(json!({ "by": by, "decide": { "name": name, "value": value } }), chance);
        }
    }
    game.case
}

fn list<'v>(value: &'v Value, field: &str) -> &'v Vec<Value> {
    value[field].as_array().unwrap_or_else(|| panic!("{field}: {value}"))
}

fn number(value: &Value, field: &str) -> u64 {
    value[field].as_u64().unwrap_or_else(|| panic!("{field}: {value}"))
}

fn strengths(state: &Value) -> BTreeMap<String, u64> {
    let sides = ["attacker", "defender"].into_iter().flat_map(|side| list(&state["units"], side));
    sides.map(|unit| (unit["id"].as_str().expect("an id").to_owned(), number(unit, "strength"))).collect()
}

/// What holds of every round.
fn check(settings: &Value, before: &Value, after: &Value, public: &Value, trail: &[Draw]) {
    let (mut casualties, mut drawn) = (0, 0);
    let mut absorbed: BTreeMap<(String, String), u64> = BTreeMap::new();
    for entry in list(public, "hits") {
        let struck = list(entry, "struck");
        let parts = number(entry, "halved") + number(entry, "lost") + number(entry, "sent") + struck.len() as u64;
        assert_eq!(number(entry, "hits"), parts, "{entry}");
        for hit in struck {
            drawn += u64::from(!hit[1].is_null());
            casualties += u64::from(hit[2] == "casualty");
            if hit[2] == "absorbed" {
                assert!(entry["from"].is_null() || settings["spill_absorbs"] == true, "excess is absorbed: {entry}");
                let key = (entry["phase"].as_str().unwrap().into(), hit[0].as_str().unwrap().into());
                *absorbed.entry(key).or_default() += 1;
            }
        }
        assert!(entry["phase"] == "assault" || number(entry, "sent") == 0, "excess in a Combat Phase: {entry}");
    }
    for ((phase, unit), n) in absorbed {
        let points = list(public, "absorbs").iter().find(|own| own["phase"] == *phase && own["unit"] == *unit);
        assert!(n <= points.map_or(0, |own| number(own, "points")), "{unit} absorbs more than it can");
    }
    let fired: u64 = list(public, "fires").iter().map(|fires| number(fires, "hits")).sum();
    let came: u64 =
        list(public, "hits").iter().filter(|hits| hits["from"].is_null()).map(|hits| number(hits, "hits")).sum();
    assert_eq!(fired, came, "every hit comes to a location once");
    // Dice: what chooses has two sides at least, and is told beside whom it chose.
    let chosen: Vec<&Draw> = trail.iter().filter(|draw| draw.why.starts_with("hit on ")).collect();
    assert!(chosen.iter().all(|draw| draw.sides > 1));
    assert_eq!(chosen.len() as u64, drawn);
    assert!(trail.iter().all(|draw| draw.why.starts_with("hit on ") || draw.sides == 10));
    // Strength: nothing but casualties, less what came back.
    let (was, is) = (strengths(before), strengths(after));
    let back: u64 = public["recovered"].as_object().expect("units").values().filter_map(Value::as_u64).sum();
    assert_eq!(was.values().sum::<u64>() + back, is.values().sum::<u64>() + casualties);
    let grown = |id: &String| public["recovered"][id.as_str()].as_u64().unwrap_or_default();
    assert!(is.iter().all(|(id, strength)| *strength <= was[id] + grown(id)), "somebody grew");
    for (side, other) in [("attacker", "defender"), ("defender", "attacker")] {
        let kinds: u64 =
            public["casualties"][side].as_object().expect("kinds").values().filter_map(Value::as_u64).sum();
        let changed = list(public, "changed")
            .iter()
            .filter(|row| list(&before["units"], side).iter().any(|unit| unit["id"] == row[0]));
        let lost: u64 = changed.map(|row| row[1].as_u64().unwrap() - row[2].as_u64().unwrap()).sum();
        assert_eq!(kinds, lost);
        // Who is OVERRUN has nobody, and stays so until the battle ends.
        for fell in list(&before["overrun"], side) {
            assert!(public["ended"] == "battle" || list(&after["overrun"], side).contains(fell));
        }
        assert!(list(public, "fires").iter().all(|fires| {
            let own = list(&before["units"], other).iter().any(|unit| unit["id"] == fires["unit"]);
            !own || !list(&before["overrun"], side).contains(&fires["at"])
        }));
    }
    // Who moves is where he went, and in one place.
    for moved in list(public, "moves") {
        let units = ["attacker", "defender"].into_iter().flat_map(|side| list(&after["units"], side));
        let at: Vec<&Value> = units.filter(|unit| unit["id"] == moved["unit"]).map(|unit| &unit["at"]).collect();
        assert!(at.len() == 1 && (*at[0] == moved["to"]) == moved["failed"].is_null(), "{moved}");
    }
    assert!(number(public, "engagements") <= 5);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn rounds_keep_their_laws((settings, tables) in settings(), rounds in rounds()) {
        let system = System::settle("cil", &object(settings.clone()), &object(tables)).expect("settings");
        let course = course(&system);
        let mut state = course.begin().expect("a state");
        for (ann, bob, seed) in rounds {
            let notes = [(role("ann"), ann), (role("bob"), bob)];
            let (outcome, trail) = fight(&system, &state, notes, &mut Seeded::of(seed));
            let (before, after) = (Value::Object(state.clone()), Value::Object(outcome.state.clone()));
            let public = public(&outcome);
            check(&settings, &before, &after, &public, &trail);
            prop_assert_eq!(outcome.violations.len(), list(&public, "refused").len());
            prop_assert_eq!(outcome.ended == Ended::Needs, !outcome.needs.is_empty());
            state = outcome.state;
            // What is awaited can be given, whatever it is.
            while let Awaits::Decision { name, by, .. } = course.awaits(&state).expect("a state") {
                let value = match (name.as_str(), by.as_str()) {
                    ("night", "ann") => if seed % 3 == 0 { json!("end") } else { json!("on") },
                    ("night", _) => if seed % 2 == 0 { json!("end") } else { json!("on") },
                    ("battle", by) => {
                        json!({ "attacker": by, "forces": settings["forces"], "season": settings["season"] })
                    }
                    _ => json!(seed % 5 != 0 || by.as_str() == "bob"),
                };
                let mut account = Account::kept();
                let decided = course.decide(&state, &name, &value, &mut account).expect("a decision");
                prop_assert!(!account.into_lines().is_empty());
                state = decided.state;
            }
            prop_assert!(!course.tell(&state).expect("a line").is_empty());
            for who in ["ann", "bob"] {
                let form = course.orders_form(&state, &role(who)).expect("a form");
                let form: Value = toml::from_str(&form).expect("TOML");
                let sealed = course.read_orders(&state, &role(who), &object(form)).expect("holding is always good");
                prop_assert!(sealed.contains_key("excess") && sealed.contains_key("orders"));
            }
        }
    }

    #[test]
    fn nothing_that_is_written_makes_it_panic(
        (settings, tables) in settings(),
        state in a_tree(), note in a_tree(), (field, change) in (a_field(), a_tree()), seed in any::<u8>(),
    ) {
        let mut changed = settings.clone();
        changed[field.as_str()] = change.clone();
        _ = System::settle("cil", &object(changed), &object(tables.clone()));
        let system = System::settle("cil", &object(settings), &object(tables)).expect("settings");
        let course = course(&system);
        let mut begun = course.begin().expect("a state");
        if let Value::Object(fields) = state {
            _ = course.awaits(&fields);
        }
        let says = object(json!({ "excess": note, "orders": note }));
        let (outcome, trail) =
            fight(&system, &begun, [(role("ann"), says.clone()), (role("bob"), says)], &mut Seeded::of(seed));
        prop_assert!(trail.is_empty() && outcome.violations.is_empty(), "such a note says nothing");
        begun.insert(field, change);
        if course.awaits(&begun).is_ok() {
            _ = course.tell(&begun);
            _ = course.choice_form(&begun);
            _ = course.orders_form(&begun, &role("ann"));
            _ = course.decide(&begun, "night", &note, &mut Account::kept());
            _ = course.decide(&begun, "battle", &note, &mut Account::kept());
            _ = course.decide(&begun, "agree", &note, &mut Account::kept());
            let rolls = system.resolver().read(&text(&Object::new()), false).expect("nothing is stated");
            _ = rolls.resolve(Given::state(&begun), &PLACES, &mut Draws::new(&mut Seeded::of(seed)), &mut Account::kept());
        }
    }
}

/// A field of settings or a state.
fn a_field() -> impl Strategy<Value = String> {
    let known =
        ["units", "overrun", "pending", "ledger", "engagements", "season", "forces", "attacker", "mixed", "day"];
    prop::sample::select(known.to_vec()).prop_map(str::to_owned)
}

/// Any JSON that a letter could hold, of words that mean something here.
fn a_tree() -> impl Strategy<Value = Value> {
    let words = [
        "attacker", "defender", "main", "left", "a0", "b0", "order", "at", "attack", "awaits", "by", "proposal",
        "night",
    ];
    let word = prop::sample::select(words.to_vec());
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop_oneof![Just(0i64), Just(1), Just(41), Just(-1), Just((1 << 53) - 1)].prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(word.clone().prop_map(str::to_owned), inner, 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn full(side: &str, attack: u64, defense: u64) -> Vec<Value> {
    let unit = |i: usize| {
        json!({
            "at": LOCATIONS[i % 3], "attack": attack, "defense": defense, "effectiveness": 100,
            "id": format!("{side}{i}"), "kind": "infantry", "strength": 9999,
        })
    };
    (0..200).map(unit).collect()
}

/// Every die shows what makes the most draws.
struct Worst(BTreeMap<u64, u64>);

impl Source for Worst {
    fn draw(&mut self, place: Place, _: u64) -> sealed_dice::error::Result<u64> {
        *self.0.entry(place.line).or_default() += 1;
        Ok(1)
    }
}

/// The bound of cil 26: two full sides at their highest values, and every die a 1.
#[test]
fn a_phase_draws_no_more_than_its_bound() {
    let system = full_system(40, 40);
    let orders = |side: &str| {
        let orders: Object =
            (0..200).map(|i| (format!("{side}{i}"), json!({ "at": "main", "order": "assault" }))).collect();
        object(json!({ "excess": {}, "orders": orders }))
    };
    let state = course(&system).begin().expect("a state");
    let mut worst = Worst(BTreeMap::new());
    let (outcome, _) = fight(&system, &state, [(role("ann"), orders("a")), (role("bob"), orders("b"))], &mut worst);
    assert_eq!(public(&outcome)["engagements"], 2);
    for line in [1, 2] {
        let drawn = worst.0[&line];
        assert!((20_000..=48_000).contains(&drawn), "line {line}: {drawn}");
    }
}

fn full_system(attack: u64, defense: u64) -> System {
    let settings = System::prefill("cil", &Object::new()).expect("a system");
    let mut settings = Value::Object(settings);
    settings["attacker"] = json!("ann");
    settings["defender"] = json!("bob");
    settings["forces"] = json!({ "attacker": full("a", attack, defense), "defender": full("b", attack, defense) });
    System::settle("cil", &object(settings), &Object::new()).expect("settings")
}

/// The report has every order, also that of a unit that the round removed.
#[test]
fn a_round_tells_the_orders_of_units_that_fell() {
    let settings = System::prefill("cil", &Object::new()).expect("a system");
    let mut settings = Value::Object(settings);
    let unit = |id: &str, attack: u64, strength: u64| {
        json!([{
            "at": "main", "attack": attack, "defense": 0, "effectiveness": 100, "id": id, "kind": "infantry",
            "strength": strength,
        }])
    };
    (settings["attacker"], settings["defender"]) = (json!("ann"), json!("bob"));
    settings["forces"] = json!({ "attacker": unit("a0", 40, 9999), "defender": unit("b0", 1, 1) });
    let system = System::settle("cil", &object(settings), &Object::new()).expect("settings");
    let orders =
        |id: &str| object(json!({ "excess": {}, "orders": { id: json!({ "at": "main", "order": "attack" }) } }));
    let state = course(&system).begin().expect("a state");
    let orders = [(role("ann"), orders("a0")), (role("bob"), orders("b0"))];
    let rolls = system.resolver().read(&text(&Object::new()), false).expect("nothing is stated");
    let (mut ones, mut account) = (Worst(BTreeMap::new()), Account::kept());
    let given = Given { state: &state, orders: &orders };
    rolls.resolve(given, &PLACES, &mut Draws::new(&mut ones), &mut account).expect("an outcome");
    let told = account.into_lines().join("\n");
    assert!(told.contains("b0: strength from 1 to 0, so it is removed"), "{told}");
    for line in ["ann's orders: a0 attack main\n", "bob's orders: b0 attack main\n"] {
        assert!(told.contains(line), "{told}");
    }
}

/// Who is told what he may order, and why not.
#[test]
fn illegal_orders_are_refused_before_they_are_sealed() {
    let settings = System::prefill("cil", &Object::new()).expect("a system");
    let system = System::settle("cil", &settings, &Object::new()).expect("settings");
    let course = course(&system);
    let state = course.begin().expect("a state");
    let refused = |who: &str, written: Value| {
        course.read_orders(&state, &role(who), &object(written)).expect_err("it is refused").to_string()
    };
    let order = |id: &str, order: Value| json!({ "orders": { id: order } });
    for (why, written) in [
        ("cil 6: b1: this is not a living unit of yours", order("b1", json!({ "order": "hold" }))),
        ("cil 6: a1: this order needs a location (at)", order("a1", json!({ "order": "attack" }))),
        (
            "cil 6: a1: dig-in and hold must not have a location (at)",
            order("a1", json!({ "order": "hold", "at": "main" })),
        ),
        (
            "cil 6: a1: this order needs a location (at); b1: this is not a living unit",
            json!({ "orders": { "a1": { "order": "move" }, "b1": { "order": "hold" } } }),
        ),
        ("cil 6: a1: it cannot attack that location", order("a1", json!({ "order": "attack", "at": "reserve" }))),
        ("cil 6: a1: units can only move into or out of", order("a1", json!({ "order": "move", "at": "left" }))),
        ("cil 6: left: hits can only pass on", json!({ "excess": { "left": "right" } })),
        ("unknown variant", order("a1", json!({ "order": "charge" }))),
        ("weather", json!({ "weather": "mud" })),
    ] {
        let told = refused("red", written);
        assert!(told.contains(why), "{told}");
    }
    assert!(refused("carl", json!({})).contains("carl is not one of the two sides"));
    let sealed = course.read_orders(&state, &role("red"), &object(order("a1", json!({ "order": "dig-in" }))));
    assert_eq!(
        Value::Object(sealed.expect("good orders")),
        json!({ "excess": {}, "orders": { "a1": { "at": null, "order": "dig-in" } } })
    );
    let standing = course.check_standing(&Object::new()).expect_err("there are none");
    assert!(standing.to_string().contains("cil 2"), "{standing}");
    assert_eq!(course.read_choice(&state, "agree", "no").expect("a word"), json!(false));
    assert_eq!(course.read_choice(&state, "night", "on").expect("a word"), json!("on"));
    assert_eq!(course.choice_form(&state).expect("a state"), None);
}

/// What a player is told before he seals what a rule does not allow, and whoever asks for what is not awaited.
#[test]
fn refusals_say_why() {
    let unit = |id: &str, at: &str| {
        json!({
            "at": at, "attack": 10, "defense": 4, "effectiveness": 100, "id": id, "kind": "infantry", "strength": 3,
        })
    };
    let mut settings = System::prefill("cil", &Object::new()).expect("a system");
    let forces = json!({ "attacker": [unit("a1", "left"), unit("a2", "reserve")], "defender": [unit("b1", "right")] });
    settings.insert("forces".into(), forces);
    settings.insert("facing".into(), json!("same"));
    let system = System::settle("cil", &settings, &Object::new()).expect("settings");
    let (course, red) = (course(&system), role("red"));
    let begun = course.begin().expect("a state");
    let with = |field: &str, value: Value| {
        let mut state = begun.clone();
        state.insert(field.into(), value);
        state
    };
    let late = with("engagements", json!(4));
    let fallen = with("overrun", json!({ "attacker": ["right"], "defender": ["main", "left", "reserve"] }));
    for (state, order, why) in [
        (&begun, json!({ "a2": { "at": "main", "order": "attack" } }), "units in the reserve cannot fight"),
        (&late, json!({ "a1": { "at": "left", "order": "assault" } }), "too few engagements are left"),
        (&fallen, json!({ "a2": { "at": "right", "order": "move" } }), "cannot move to a location that is OVERRUN"),
    ] {
        let refused = course.read_orders(state, &red, &object(json!({ "orders": order }))).expect_err(why).to_string();
        assert!(refused.contains(why), "{refused}");
    }
    assert!(course.orders_form(&fallen, &red).expect("a form").contains("; has no location to attack"));
    assert!(course.form(&begun, None).expect("a form").contains("nothing to fill in"));

    let refused =
        course.decide(&begun, "night", &json!("on"), &mut Account::kept()).expect_err("nothing is asked").to_string();
    assert!(refused.contains("the decision \"night\" is not due now"), "{refused}");
    let asked = with("pending", json!({ "awaits": "night", "by": "red", "proposal": null }));
    let rolls = system.resolver().read(&text(&Object::new()), false).expect("nothing is stated");
    let refused = rolls.fits(&asked).expect_err("a decision is awaited").to_string();
    assert!(refused.contains("red must make the decision night first"), "{refused}");
    let one =
        rolls.resolve(Given::state(&begun), &PLACES[..1], &mut Draws::new(&mut Seeded::of(1)), &mut Account::kept());
    assert!(one.expect_err("one place").to_string().contains("two places"));
}

/// Nobody agrees unawares to a battle that changes their units.
#[test]
fn a_proposed_battle_shows_what_it_changes() {
    let unit = |id: &str| {
        json!({
            "at": "main", "attack": 10, "defense": 4, "effectiveness": 100, "id": id, "kind": "infantry", "strength": 3,
        })
    };
    let mut settings = System::prefill("cil", &Object::new()).expect("a system");
    let all = json!({ "attacker": [unit("a1")], "defender": [unit("b1"), unit("b2"), unit("b3")] });
    settings.insert("forces".into(), all);
    let system = System::settle("cil", &settings, &Object::new()).expect("settings");
    let course = course(&system);
    let mut state = course.begin().expect("a state");
    let mut forces = state["units"].clone();
    let (sides, roles) = (["attacker", "defender"], [state["attacker"].clone(), state["defender"].clone()]);
    let own = forces[sides[1]].as_array_mut().expect("units");
    own[0]["strength"] = json!(1);
    own[1]["kind"] = json!("engineers");
    let gone = own.pop().expect("a unit")["id"].as_str().expect("an id").to_owned();
    let mut new = own[0].clone();
    new["id"] = json!("z9");
    own.push(new);
    let proposal = json!({ "attacker": roles[0], "forces": forces, "season": "spring" });
    state.insert("pending".into(), json!({ "awaits": "agree", "by": roles[0], "proposal": proposal }));
    let told = course.proposal(&state).expect("a proposal").join("\n");
    let was = state["units"][sides[1]][0]["strength"].as_u64().expect("a number");
    let bob = roles[1].as_str().expect("a role");
    for what in [
        format!("strength 1 (now {was})"),
        format!("CHANGED from {}: {bob}'s", state["units"][sides[1]][1]["kind"].as_str().expect("a kind")),
        format!("NEW: {bob}'s z9 "),
        format!("LEFT OUT: {bob}'s {gone}"),
    ] {
        assert_eq!(told.matches(&what).count(), 1, "{what}: {told}");
    }
    assert_eq!(told.matches("(now ").count(), 1, "nothing else has changed: {told}");
    let words = course.decision_in_words("battle", &proposal).expect("words").join("\n");
    assert!(words.starts_with("in spring, ") && words.contains("the defender's z9 ("), "{words}");
    assert_eq!(course.decision_in_words("night", &json!("on")), None);
    let tables = course.position(&state).expect("a position");
    let rows = |at: usize| state["units"][sides[at]].as_array().expect("units").len();
    assert_eq!(tables.iter().map(|table| table.rows.len()).collect::<Vec<_>>(), [rows(0), rows(1)]);
    assert!(tables.iter().all(|table| table.rows.iter().all(|row| row.len() == table.columns.len())));
    let opened = object(json!({
        "excess": { "left": "none", "main": "left" },
        "orders": { "a1": { "at": "main", "order": "attack" }, "a2": { "at": "reserve", "order": "move" } },
    }));
    assert_eq!(
        course.opened_orders(&opened).expect("orders"),
        ["a1: attack main", "a2: move to reserve", "excess hits on main: to left", "excess hits on left: lost"]
    );
    assert_eq!(course.opened_orders(&object(json!({ "orders": 1 }))), None);
}
