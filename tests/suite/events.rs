//! The course `event-tables`: laws over whole games of Gettysburg and of an invented game, exact odds, and what a player
//! is told.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use sealed_dice::{
    blob::{
        body::{Ended, Role},
        json,
    },
    error::Result,
    limits,
    resolve::{Account, Awaits, Course, Draw, Draws, Given, Listed, Object, Outcome, Place, Source, System},
};
use serde_json::{Value, json};

use crate::{
    agreement::{Game, of, runner},
    kit::{object, text},
    ndc::Chance,
};

const ECHELONS: [&str; 4] = ["brigade", "division", "corps", "army"];
const STATUS: [&str; 8] = ["transit", "D1", "D2", "D3", "D4", "D5", "D6", "Dt"];
const PLACE: Place = Place { index: 0, line: 1 };

pub(crate) fn file(name: &str) -> Value {
    let path = format!("tables/{name}.toml");
    toml::from_str(&std::fs::read_to_string(path).expect("the file")).expect("TOML")
}

pub(crate) fn tables(table: &Value) -> Object {
    object(json!({ "event-tables": table }))
}

pub(crate) fn gettysburg() -> Value {
    json!({
        "ambush": "own_random", "ambush_limit": "side", "dt_accepts_on": 7, "entry2": "panic", "fire_dice": "sum",
        "first": "confederate", "hood_regular": 9, "july_2": 6, "july_3": 11, "longstreet_from": 3,
        "longstreet_regular": 8, "mclaws_regular": 8, "sides": { "confederate": "bob", "union": "ann" },
    })
}

fn system(settings: &Value) -> System {
    System::settle("event-tables", &object(settings.clone()), &tables(&file("gettysburg-events"))).expect("settings")
}

pub(crate) fn course(system: &System) -> &dyn Course {
    system.resolver().course().expect("it has a course")
}

pub(crate) fn roll(
    system: &System,
    state: &Object,
    input: &Value,
    source: &mut dyn Source,
) -> Result<(Outcome, Vec<Draw>)> {
    let rolls = system.resolver().read(&text(&object(input.clone())), false)?;
    rolls.fits(state)?;
    let mut draws = Draws::new(source);
    let mut account = Account::kept();
    let outcome = rolls.resolve(Given { state, orders: &[] }, &[PLACE], &mut draws, &mut account)?;
    assert!(!account.into_lines().is_empty());
    Ok((outcome, draws.into_trail()))
}

fn public(outcome: &Outcome) -> Value {
    serde_json::from_str(outcome.public.as_str()).expect("JSON")
}

/// Dice from a list that goes round.
pub(crate) struct Round<'a>(pub(crate) &'a [u64], pub(crate) usize);

impl Source for Round<'_> {
    fn draw(&mut self, _: Place, sides: u64) -> Result<u64> {
        self.1 += 1;
        Ok(self.0[self.1 % self.0.len()] % sides + 1)
    }
}

/// What a player has in play: each bit is an entry.
#[derive(Clone, Debug)]
pub(crate) struct Act {
    entries: u32,
    shade: u64,
    notes: bool,
    pub(crate) dice: Vec<u64>,
    pub(crate) choices: Vec<Value>,
}

pub(crate) fn acts() -> impl Strategy<Value = Vec<Act>> {
    let choice = prop_oneof![
        Just(json!("accept")),
        Just(json!("decline")),
        Just(json!("yes")),
        Just(json!("L3")),
        Just(json!("B1")),
        Just(json!("U1")),
        Just(json!([])),
        Just(json!([["a"]])),
        Just(json!([["a", "b"]])),
        Just(json!([["a", "b"], ["c", "d"]])),
        prop::sample::subsequence(vec!["L0", "L1", "L2", "L3", "L4", "L5"], 1..3).prop_map(|names| json!(names)),
    ];
    let act = (
        any::<u32>(),
        any::<u64>(),
        any::<bool>(),
        prop::collection::vec(any::<u64>(), 8),
        prop::collection::vec(choice, 6),
    );
    let act = act.prop_map(|(entries, shade, notes, dice, choices)| Act { entries, shade, notes, dice, choices });
    prop::collection::vec(act, 1..30)
}

impl Act {
    fn has(&self, bit: u32) -> bool {
        self.entries >> (bit % 32) & 1 == 1
    }

    fn shade(&self, bit: u64, of: u64) -> u64 {
        self.shade.rotate_right(u32::try_from(7 * bit % 64).expect("small")) % of
    }

    pub(crate) fn input(&self, side: &str) -> Value {
        let leader = |i: u64| {
            json!({
                "name": format!("L{i}"), "echelon": ECHELONS[self.shade(i, 4) as usize],
                "rating": self.shade(i + 1, 3), "second": self.shade(i + 2, 3), "distance": self.shade(i + 3, 10),
                "replacement": self.shade(i + 4, 4) == 0, "longstreet": i == 0,
            })
        };
        let leaders: Vec<Value> = (0..12).filter(|i| self.has(*i as u32)).map(leader).collect();
        let orders: Vec<Value> = (0..4)
            .filter(|i| self.has(12 + *i as u32))
            .map(|i| {
                json!({
                    "name": format!("O{i}"), "to_corps": self.shade(i, 3) > 0, "divisions": self.shade(i, 4),
                    "status": STATUS[self.shade(i + 5, 8) as usize],
                })
            })
            .collect();
        let corps: Vec<Value> = (0..4)
            .filter(|i| self.has(16 + i))
            .map(|i| json!({ "name": format!("C{i}"), "attacking": self.has(20 + i) }))
            .collect();
        let brigades: Vec<Value> = (0..4)
            .filter(|i| self.has(20 + i))
            .map(|i| json!({ "name": format!("B{i}"), "enemy": self.has(16 + i) }))
            .collect();
        let units: Vec<Value> = (0..4)
            .filter(|i| self.has(24 + i))
            .map(|i| json!({ "name": format!("U{i}"), "beside_own": true, "distance": i * 2 }))
            .collect();
        let mut facts = json!({ "wrecked": self.shade(0, 12) });
        if side == "union" {
            facts["lost_ratings"] = json!(10 + self.shade(1, 20));
        } else {
            for (i, fact) in ["longstreet_attacks", "longstreet_casualty", "longstreet_in_range"].iter().enumerate() {
                facts[*fact] = json!(self.has(28 + i as u32));
            }
        }
        json!({ "facts": facts, "roster": { "leader": leaders, "order": orders, "corps": corps, "brigade": brigades, "unit": units } })
    }

    /// One step of the course, if the state takes it.
    fn step(&self, system: &System, state: &Object) -> Option<Outcome> {
        match course(system).awaits(state).expect("what comes about is a state") {
            Awaits::Turn(by) => {
                let by = by.expect("the state says who declares");
                let side = if by.as_str() == "ann" { "union" } else { "confederate" };
                let input = self.input(side);
                let run = || roll(system, state, &input, &mut Round(&self.dice, 0));
                let (outcome, trail) = run().ok()?;
                let values: Vec<u64> = trail.iter().map(|draw| draw.value).collect();
                let again = roll(system, state, &input, &mut Listed::new(&values)).expect("the same").0;
                assert_eq!(again, outcome, "the same draws, the same outcome");
                check_draws(&outcome, &trail);
                check_void(state, &outcome);
                Some(outcome)
            }
            Awaits::More(_) => {
                assert!(roll(system, state, &json!({ "facts": { "wrecked": 1 } }), &mut Round(&self.dice, 0)).is_err());
                let (outcome, trail) = roll(system, state, &json!({}), &mut Round(&self.dice, 0)).expect("more");
                assert!(!trail.is_empty(), "more is asked for dice only");
                check_draws(&outcome, &trail);
                Some(outcome)
            }
            Awaits::Decision { name, .. } => {
                let wish = match name.as_str() {
                    "sickles" => json!("accept"),
                    _ => json!(["L3", "L2", "L6", "L7", "L1", "L4", "L5"]),
                };
                let decide = |value: &Value| course(system).decide(state, &name, value, &mut Account::kept());
                let wished = course(system).wished(state, &wish).filter(|_| self.notes);
                if let Some(outcome) = wished.and_then(|value| decide(&value).ok()) {
                    return Some(outcome);
                }
                assert!(course(system).decide(state, "another", &json!([]), &mut Account::kept()).is_err());
                self.choices
                    .iter()
                    .find_map(|choice| course(system).decide(state, &name, choice, &mut Account::kept()).ok())
            }
        }
    }
}

/// A random course of Gettysburg or of the invented game as a vector gives it, some of its names written to trip a reader.
pub(crate) fn case(chance: &mut Chance) -> Value {
    let runner = &mut runner(chance);
    if chance.below(3) == 0 {
        return crossing(chance);
    }
    let mut settings = gettysburg();
    settings["ambush"] = json!(chance.pick(&["any_random", "enemy_choice", "own_random"]));
    settings["entry2"] = json!(chance.pick(&["leader", "none", "panic"]));
    settings["fire_dice"] = json!(chance.pick(&["d66", "elsewhere", "sum"]));
    let mut game = Game::of("event-tables", settings, json!({ "event-tables": file("gettysburg-events") }));
    for act in of(acts(), runner).into_iter().take(5) {
        let by = game.by();
        let side = if by == "ann" { "union" } else { "confederate" };
        game.takes(json!({ "by": by, "declare": act.input(side) }), chance);
        game.goes_on(&act.choices, chance);
    }
    game.case
}

/// The invented game, with names of every kind.
fn crossing(chance: &mut Chance) -> Value {
    let settings =
        json!({ "first": "north", "fog": true, "second_day": 3, "sides": { "north": "ann", "south": "bob" } });
    let mut game = Game::of("event-tables", settings, json!({ "event-tables": file("crossing-events") }));
    for _ in 0..5 {
        let companies: Vec<Value> = (0..chance.below(7))
            .map(|_| {
                let post = chance.pick(&["bank", "bridge", "camp"]);
                json!({ "name": crate::names::name(chance), "post": post, "strength": 1 + chance.below(9) })
            })
            .collect();
        let text = crate::names::name(chance);
        let names: Vec<Value> = companies.iter().map(|company| company["name"].clone()).collect();
        let mut choices: Vec<Value> = names.clone();
        choices.extend(names.iter().map(|name| json!([name])));
        choices.extend(names.windows(2).map(|pair| json!(pair)));
        choices.extend([json!([[text]]), json!([[text], ["B2"]]), json!([])]);
        let input = json!({ "facts": { "river": chance.below(13) }, "roster": { "company": companies } });
        game.takes(json!({ "by": game.by(), "declare": input }), chance);
        game.goes_on(&choices, chance);
    }
    game.case
}

/// Every die is in the log, and none is drawn for a single candidate.
fn check_draws(outcome: &Outcome, trail: &[Draw]) {
    let public = public(outcome);
    let mut logged: Vec<u64> = Vec::new();
    for entry in public["log"].as_array().expect("a list") {
        logged.extend(entry["dice"].as_array().into_iter().flatten().filter_map(Value::as_u64));
        if let Some(pool) = entry["pool"].as_array() {
            let picked = entry["draw"].as_u64();
            assert_eq!(picked.is_some(), pool.len() > 1, "{entry}");
            assert_eq!(pool[picked.unwrap_or(1) as usize - 1], entry["picked"]);
            assert!(pool.iter().all(|name| entry["candidates"].as_array().expect("a list").contains(name)));
            logged.extend(picked);
        }
    }
    assert_eq!(logged, trail.iter().map(|draw| draw.value).collect::<Vec<u64>>(), "{public}");
}

/// What is void has changed nothing but the turn.
fn check_void(before: &Object, outcome: &Outcome) {
    let public = public(outcome);
    let log = public["log"].as_array().expect("a list");
    let changes = log.iter().any(|entry| entry.get("mark").is_some() || entry.get("void").is_some_and(Value::is_null));
    if outcome.ended == Ended::Done && !changes {
        assert_eq!(outcome.state["marks"], before["marks"], "{public}");
        for (key, entry) in outcome.state["entries"].as_object().expect("an object") {
            assert_eq!(before["entries"].get(key), Some(entry), "{public}");
        }
        for (event, used) in outcome.state["used"].as_object().expect("an object") {
            assert_eq!(before["used"].get(event), Some(used), "{public}");
        }
    }
}

fn check_state(system: &System, state: &Object) {
    course(system).awaits(state).expect("what comes about is a state");
    let encoded = json::encode(state).expect("JSON");
    let again: Object = serde_json::from_str(&encoded).expect("JSON");
    assert_eq!(again, *state);
    let limits: BTreeMap<&str, u64> =
        [("arrest", 2), ("buford", 1), ("sickles", 1), ("ambush", 1), ("longstreet-early", 1), ("longstreet-late", 1)]
            .into();
    for (event, used) in state["used"].as_object().expect("an object") {
        for n in used.as_object().expect("an object").values() {
            assert!(n.as_u64().expect("a number") <= limits[event.as_str()], "{event}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn whole_courses(acts in acts(), both: bool, ambush in 0..3_usize, entry in 0..3_usize, fire in 0..3_usize) {
        let mut settings = gettysburg();
        settings["ambush_limit"] = json!(if both { "both" } else { "side" });
        settings["ambush"] = ["own_random", "enemy_choice", "any_random"][ambush].into();
        settings["entry2"] = ["panic", "none", "leader"][entry].into();
        settings["fire_dice"] = ["elsewhere", "sum", "d66"][fire].into();
        let system = system(&settings);
        let mut state = course(&system).begin().expect("a state");
        for act in &acts {
            let Some(outcome) = act.step(&system, &state) else { continue };
            check_state(&system, &outcome.state);
            let waits = !outcome.state["pending"].is_null();
            prop_assert_eq!((outcome.ended == Ended::Needs, outcome.needs.is_empty()), (waits, !waits));
            state = outcome.state;
        }
    }

    #[test]
    fn nothing_makes_it_panic(state in crate::laws::values(), value in crate::laws::values(), input in crate::laws::values(), name in ".*") {
        let as_object = |value: &Value| value.as_object().cloned().unwrap_or_default();
        let _ = System::settle("event-tables", &as_object(&input), &tables(&value));
        let system = system(&gettysburg());
        let _ = course(&system).awaits(&as_object(&state));
        prop_assert!(course(&system).decide(&as_object(&state), &name, &value, &mut Account::kept()).is_err());
        let _ = system.resolver().read(&text(&as_object(&input)), false);
        let _ = course(&system).check_standing(&as_object(&value));
        let _ = course(&system).read_choice(&as_object(&state), &name, &name);
    }

    /// A file with something else anywhere in it is refused or is a file; it never makes anything panic or loop.
    #[test]
    fn a_changed_file(at in any::<prop::sample::Index>(), other in crate::laws::values(), dice in prop::collection::vec(any::<u64>(), 6), by_word: bool) {
        let mut table = file("crossing-events");
        let words: Vec<String> = leaves(&table).iter().filter_map(|path| table.pointer(path)?.as_str().map(str::to_owned)).collect();
        let paths = leaves(&table);
        let path = at.get(&paths);
        *table.pointer_mut(path).expect("a leaf") = if by_word { json!(at.get(&words)) } else { other };
        let settings = json!({ "first": "north", "fog": true, "second_day": 2, "sides": { "north": "ann", "south": "bob" } });
        if let Ok(system) = System::settle("event-tables", &object(settings), &tables(&table)) {
            let begin = course(&system).begin().expect("a state");
            let company = |name: &str| json!({ "name": name, "post": "bridge", "strength": 5 });
            let input = json!({ "facts": { "river": 9 }, "roster": { "company": [company("A"), company("B")] } });
            if let Ok((outcome, _)) = roll(&system, &begin, &input, &mut Round(&dice, 0)) {
                prop_assert!(course(&system).awaits(&outcome.state).is_ok());
            }
        }
    }
}

/// Where in a value something stands that has nothing in it.
fn leaves(value: &Value) -> Vec<String> {
    fn walk(value: &Value, path: String, out: &mut Vec<String>) {
        match value {
            Value::Object(fields) => fields.iter().for_each(|(key, value)| {
                walk(value, format!("{path}/{}", key.replace('~', "~0").replace('/', "~1")), out)
            }),
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(i, value)| walk(value, format!("{path}/{i}"), out))
            }
            _ => out.push(path),
        }
    }
    let mut out = Vec::new();
    walk(value, String::new(), &mut out);
    out
}

/// How often a table goes where, over all its dice; with nobody in play no event can apply.
fn odds(by: &str, side: &str, table: &str, dice: &[(&[u64], usize)]) -> BTreeMap<String, usize> {
    let system = system(&gettysburg());
    let mut state =
        json!({ "entries": {}, "marks": {}, "pending": null, "side": "confederate", "turn": 5, "used": {} });
    if by == "bob" {
        state["side"] = json!("union");
    }
    let facts = if side == "union" {
        json!({ "lost_ratings": 0, "wrecked": 9 })
    } else {
        json!({ "longstreet_attacks": false, "longstreet_casualty": true, "longstreet_in_range": false, "wrecked": 9 })
    };
    let mut odds = BTreeMap::new();
    for (draws, _) in dice {
        let mut draws = draws.to_vec();
        draws.extend([0; 6]);
        let (outcome, _) = roll(
            &system,
            &object(state.clone()),
            &json!({ "facts": facts }),
            &mut Round(&[draws[5], draws[0], draws[1], draws[2], draws[3], draws[4]], 0),
        )
        .expect("a turn");
        let public = public(&outcome);
        let log = public["log"].as_array().expect("a list");
        let rolled = log.iter().find(|entry| entry["table"] == table).expect("the table");
        *odds.entry(rolled["to"].as_str().expect("a target").to_owned()).or_default() += 1;
    }
    odds
}

#[test]
fn odds_are_exact() {
    let pairs: Vec<[u64; 2]> = (0..36).map(|n| [n / 6, n % 6]).collect();
    let main: Vec<(&[u64], usize)> = pairs.iter().map(|pair| (pair.as_slice(), 0)).collect();
    let wanted = |of: &[(&str, usize)]| of.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect::<BTreeMap<_, _>>();
    let both = [
        ("row-2", 1),
        ("leader-table", 11),
        ("immediate-acceptance", 5),
        ("orders-delay", 5),
        ("ambush", 3),
        ("stoppage", 2),
        ("panic-check", 1),
    ];
    let mut union = both.to_vec();
    union.extend([("sickles", 4), ("buford", 4)]);
    assert_eq!(odds("ann", "union", "union-events", &main), wanted(&union));
    let mut confederate = both.to_vec();
    confederate.extend([("longstreet-right", 4), ("drags-his-feet", 4)]);
    assert_eq!(odds("bob", "confederate", "confederate-events", &main), wanted(&confederate));
    // A 7 first: the leader table.
    let four: Vec<[u64; 4]> = pairs.iter().map(|[a, b]| [2, 3, *a, *b]).collect();
    let leaders: Vec<(&[u64], usize)> = four.iter().map(|draws| (draws.as_slice(), 0)).collect();
    let table = [
        ("army-commander", 1),
        ("corps-commander", 5),
        ("division-commander", 5),
        ("brigade-commander", 8),
        ("arrest", 3),
        ("friendly-fire", 5),
        ("own-regiments", 6),
        ("enemy-moves-regiments", 3),
    ];
    assert_eq!(odds("ann", "union", "leader-table", &leaders), wanted(&table));
    // A 12 first: nine divisions are wrecked.
    let four: Vec<[u64; 4]> = pairs.iter().map(|[a, b]| [5, 5, *a, *b]).collect();
    let panics: Vec<(&[u64], usize)> = four.iter().map(|draws| (draws.as_slice(), 0)).collect();
    assert_eq!(odds("ann", "union", "union-panic", &panics), wanted(&[("panic", 9), ("nothing", 27)]));
    assert_eq!(odds("bob", "confederate", "confederate-panic", &panics), wanted(&[("panic", 15), ("nothing", 21)]));
}

/// Every value of the dice is in one row: taking away any row, or doubling any, is refused.
#[test]
fn every_row_counts() {
    let table = file("gettysburg-events");
    let settings = object(gettysburg());
    let mut tried = 0;
    for name in ["union-events", "confederate-events", "leader-table"] {
        let rows = table["tables"][name]["rows"].as_object().expect("rows").clone();
        for (range, target) in &rows {
            let mut changed = table.clone();
            let all = changed["tables"][name]["rows"].as_object_mut().expect("rows");
            all.remove(range);
            assert!(System::settle("event-tables", &settings, &tables(&changed)).is_err(), "{name} without {range}");
            let first = range.split('-').next().expect("a value");
            let other = if first == range {
                format!("{first}-{}", if name == "leader-table" { "66" } else { "12" })
            } else {
                first.to_owned()
            };
            changed["tables"][name]["rows"][range] = target.clone();
            changed["tables"][name]["rows"][other.as_str()] = target.clone();
            assert!(System::settle("event-tables", &settings, &tables(&changed)).is_err(), "{name} with {other}");
            tried += 1;
        }
    }
    assert_eq!(tried, 28);
}

type Change<'c> = &'c dyn Fn(&mut Value);

/// A refusal when a file is loaded names the place.
#[test]
fn a_mistake_is_named_with_its_place() {
    let refusal = |change: &dyn Fn(&mut Value)| {
        let mut table = file("crossing-events");
        change(&mut table);
        let settled = System::settle("event-tables", &Object::new(), &tables(&table));
        settled.expect_err("it is refused").to_string()
    };
    let cases: [(Change<'_>, &str); 5] = [
        (
            &|t| t["tables"]["fortunes"]["rows"]["40"] = json!("scouts"),
            "tables: fortunes: rows: 1-40 and 40 both cover 40",
        ),
        (
            &|t| t["tables"]["fortunes"]["rows"]["1-40"] = json!("calm"),
            "tables: fortunes: rows: 1-40: unknown table or event calm",
        ),
        (
            &|t| t["tables"]["flood"]["rows"]["4-7"] = json!({ "1-9": "nothing" }),
            "tables: flood: rows: 4-7: rows: no row covers 10; add it",
        ),
        (
            &|t| t["events"]["scouts"]["steps"][0] = json!({ "do": "go", "to": "fortunes" }),
            "fortunes: it leads to a loop; break the loop",
        ),
        (
            &|t| t["events"]["swept-away"]["steps"][1] = json!({ "do": "roll", "die": "dive" }),
            "events: swept-away: steps: item 2: die: unknown die dive",
        ),
    ];
    let told: BTreeSet<String> = cases
        .iter()
        .map(|(change, wanted)| {
            let told = refusal(*change);
            assert_eq!(told, format!("the table event-tables: {wanted}"));
            told
        })
        .collect();
    assert_eq!(told.len(), cases.len());
}

/// The limits of a file and of a turn together: a forfeit can name all dice of one.
#[test]
fn a_turn_draws_no_more_dice_than_a_forfeit_names() {
    let names: Vec<String> = (0..limits::EVENTS_EACH_TURN).map(|n| format!("salvo{n}")).collect();
    // The last of them is not for the first gun: a run less than 16 for each of 64.
    let salvo = |n: usize| {
        json!({
            "each": "gun", "where": if n + 1 == limits::EVENTS_EACH_TURN { "ready" } else { "turn >= 1" },
            "steps": [{ "die": "many", "do": "roll" }],
        })
    };
    let mut events: Object = names.iter().enumerate().map(|(n, name)| (name.clone(), salvo(n))).collect();
    events.insert("volley".into(), json!({ "steps": [{ "die": "few", "do": "roll" }] }));
    let table = json!({
        "dice": { "few": { "dice": "3d6" }, "many": { "dice": "4d6" } },
        "each_turn": { "north": names },
        "events": events,
        "kinds": { "gun": { "attributes": { "ready": { "values": "bool" } } } },
        "main": { "north": "battle", "south": "battle" },
        "sides": ["north", "south"],
        "source": "test",
        "tables": { "battle": { "dice": "d2", "rows": { "1-2": "volley" } } },
        "title": "The longest turn",
    });
    let settings = object(json!({ "first": "north", "sides": { "north": "ann", "south": "bob" } }));
    let system = System::settle("event-tables", &settings, &tables(&table)).expect("a file");
    let state = course(&system).begin().expect("a state");
    let input = |first: bool| {
        let guns: Value = (0..64).map(|n| json!({ "name": format!("gun {n}"), "ready": n > 0 || first })).collect();
        json!({ "roster": { "gun": guns } })
    };
    let (outcome, trail) = roll(&system, &state, &input(false), &mut Round(&[3], 0)).expect("a turn");
    assert_eq!((outcome.ended, trail.len()), (Ended::Done, limits::EVENT_TURN_DICE as usize));
    assert!(trail.len() <= limits::DRAWS, "a forfeit names every die of a turn");
    let refused = roll(&system, &state, &input(true), &mut Round(&[3], 0)).expect_err("a run too many");
    let why = "event-tables 15: 1024 events begin by themselves; shorten the roster to have at most 1023";
    assert_eq!(refused.to_string(), why);
}

/// The file that a player fills in, and the other one's: each has what is his to state.
#[test]
fn forms() {
    let system = system(&gettysburg());
    let begin = course(&system).begin().expect("a state");
    let bobs = course(&system).form(&begin, None).expect("a form");
    assert!(bobs.starts_with("# What you state about your side, confederate, before you roll.\n[facts]\n"), "{bobs}");
    assert!(bobs.contains("longstreet_attacks = false    # true or false: Longstreet has attack orders\n"), "{bobs}");
    assert!(bobs.contains("# [[roster.order]]\n# name = \"WHO\"\n"), "{bobs}");
    assert!(bobs.contains("# status = \"transit\"    # one of: transit, D1, D2"), "{bobs}");
    assert!(bobs.contains("# distance = 0    # 0 to 99: hexes to the nearest enemy unit\n"), "{bobs}");
    let then = json!({ "entries": {}, "marks": {}, "pending": null, "side": "confederate", "turn": 5, "used": {} });
    let anns = course(&system).form(&object(then), None).expect("a form");
    assert!(
        anns.contains("lost_ratings = 0    # 0 to 99: leader ratings") && !anns.contains("longstreet_attacks"),
        "{anns}"
    );
    // The next time it brings what was stated, without whom the letters have taken away, and with what they have changed.
    let before = text(&object(json!({
        "facts": { "lost_ratings": 1, "wrecked": 2 },
        "roster": { "leader": [
            { "name": "Hood", "echelon": "division", "rating": 1, "second": 0, "distance": 3 },
            { "name": "Lee", "echelon": "army", "rating": 3, "second": 0, "distance": 0 },
        ] },
    })));
    let then = json!({
        "entries": { "union/leader/Lee": { "killed": 1 } }, "marks": { "union": { "ratings_lost": 3 } }, "pending": null,
        "side": "confederate", "turn": 5, "used": {},
    });
    let anns = course(&system).form(&object(then), Some(&before)).expect("a form");
    assert!(anns.contains("  { name = \"Hood\", ") && anns.contains("  # Lee is killed\n"), "{anns}");
    assert!(anns.contains("lost_ratings = 3  ") && anns.contains("wrecked = 2  "), "{anns}");
    assert!(!anns.contains("-owner") && !anns.contains("-enemy"), "{anns}");
    toml::from_str::<Value>(&anns).expect("TOML");
    // A standing note has the questions that this side may face in that turn, and no others.
    let [ann, bob] = ["ann", "bob"].map(|role| Role::parse(role).expect("a role"));
    let standing = |by: &Role, rolls: Option<&Role>| course(&system).standing_form(by, rolls).expect("a form");
    let asks = |form: &str| -> Vec<String> {
        form.lines()
            .filter_map(|line| line.strip_prefix("# ")?.split_once(" = "))
            .map(|(name, _)| name.into())
            .collect()
    };
    let enemys = ["ambushed-brigade", "brigade-loss-enemy", "division-loss-enemy", "friendly-fire"];
    let owners = ["brigade-loss-owner", "division-loss-owner", "successor"];
    assert_eq!(asks(&standing(&ann, Some(&bob))), enemys);
    assert_eq!(asks(&standing(&bob, Some(&ann))), [&enemys[..], &["sickles"]].concat());
    assert_eq!(asks(&standing(&ann, Some(&ann))), owners);
    assert_eq!(asks(&standing(&bob, Some(&bob))), [&owners[..2], &["longstreet-move"], &owners[2..]].concat());
    let standing = standing(&bob, None);
    assert!(standing.contains("\n# While you roll:\n\n# brigade-loss-owner = "), "{standing}");
    let wish = "\n# friendly-fire = [\"WHO\", \"WHO\"]    # the unit that its own side fires at\n";
    assert!(standing.contains(wish), "{standing}");
    assert!(standing.contains("# one of: yes, no; whether Longstreet makes an extended move\n"), "{standing}");
    // A text in the tables is no part of the form that somebody could fill in.
    let mut hostile = file("gettysburg-events");
    hostile["kinds"]["leader"]["about"] = json!("wrecked = 5");
    let settings = object(gettysburg());
    let hostile = System::settle("event-tables", &settings, &tables(&hostile)).expect("a system");
    let form = course(&hostile).form(&begin, None).expect("a form");
    assert!(form.contains("\n# leader: wrecked = 5\n# [[roster.leader]]\n"), "{form}");
    // What is no comment is TOML that the system reads, and that the state takes.
    let input: Value = toml::from_str(&bobs).expect("TOML");
    roll(&system, &begin, &input, &mut Round(&[5, 4], 0)).expect("a turn");
}

/// What a template lists: the pre-fill, else an example (no, the highest number or the first word), which must be stated.
#[test]
fn prefills() {
    let mut table = file("crossing-events");
    table["settings"]["fog"].as_object_mut().expect("a setting").remove("prefill");
    let filled = System::prefill("event-tables", &tables(&table)).expect("settings");
    let wanted =
        json!({ "first": "north", "fog": false, "second_day": 9999, "sides": { "north": "north", "south": "south" } });
    assert_eq!(Value::Object(filled), wanted);
    assert_eq!(System::stated("event-tables", &tables(&table)), ["fog", "second_day", "first", "sides"]);
}

/// While a decision is awaited no dice are taken, whoever asks.
#[test]
fn no_roll_before_a_decision() {
    let system = system(&gettysburg());
    let state = json!({ "entries": {}, "marks": {}, "pending": null, "side": "confederate", "turn": 5, "used": {} });
    let corps = json!({ "facts": { "lost_ratings": 0, "wrecked": 0 }, "roster": { "corps": [{ "name": "III" }] } });
    let (asks, _) = roll(&system, &object(state), &corps, &mut Round(&[0, 0, 3], 0)).expect("a five: Sickles");
    let refused = roll(&system, &asks.state, &json!({}), &mut Round(&[1], 0)).expect_err("he is asked");
    assert_eq!(refused.to_string(), "event-tables 20: the decision sickles must be made first");
    let awaits = course(&system).awaits(&asks.state).expect("a state");
    let told = "bob's decision sickles (accept, and a Union corps drawn at random gets an order from you; or wait for \
                another day's event): accept or decline";
    assert_eq!(awaits.to_string(), told);
}

/// States that no letters lead to are refused, not played on.
#[test]
fn states_of_nothing() {
    let system = system(&gettysburg());
    let begun = json!({ "entries": {}, "marks": {}, "pending": null, "side": "confederate", "turn": 40, "used": {} });
    let mut last = begun.clone();
    (last["side"], last["turn"]) = (json!("union"), json!(9999));
    let facts = |attacks: bool| json!({ "longstreet_attacks": attacks, "longstreet_casualty": false, "longstreet_in_range": false, "wrecked": 0 });
    let refused = roll(&system, &object(last), &json!({ "facts": facts(false) }), &mut Round(&[5, 4], 0));
    let why = "event-tables 12: no turn can follow the last one, 9999";
    assert_eq!(refused.expect_err("no turn 10000").to_string(), why);
    let waits = |attacks: bool, picks: Value| {
        let mut state = begun.clone();
        state["pending"] = json!({
            "input": { "facts": facts(attacks), "roster": { "brigade": [], "corps": [], "leader": [], "order": [], "unit": [] } },
            "late": [{
                "bound": {}, "event": "longstreet-late", "path": ["longstreet-late"], "picks": picks, "step": 1,
                "values": {},
            }],
            "runs": [],
        });
        object(state)
    };
    let decide = |state: &Object| course(&system).decide(state, "longstreet-move", &json!("yes"), &mut Account::kept());
    assert_eq!(decide(&waits(false, json!([]))).expect("he is asked").ended, Ended::Done);
    // With attack orders he is passed over.
    let refused = decide(&waits(true, json!([]))).expect_err("nothing is asked");
    assert_eq!(refused.to_string(), "event-tables 20: not a valid event-tables state: no decision is due");
    assert!(decide(&waits(false, json!(["Hood"]))).is_err(), "only a pool has picks");
}
