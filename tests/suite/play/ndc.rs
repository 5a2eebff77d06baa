//! NATO Division Commander by letter between two folders: a campaign that reaches every rule, what a stranger could learn
//! from its letters, and what cheats in it meet.

mod forfeited;
mod slots;

use std::{collections::BTreeSet, sync::Mutex};

use sealed_dice::{
    blob::{
        Body,
        body::{Declare, Moves, NoteRef, SetKind, Slot},
    },
    game::{
        hidden,
        ledger::Ledger,
        node::Past,
        rules::course,
        set::Set,
        steps::{self, Request, Signer},
        tasks,
        terms::Player,
    },
    resolve::{Object, hidden::Run},
};
use serde_json::{Value, json};

use super::{Match, Seated};
use crate::kit::{bytes, object, slot, text};

/// How the players' settings differ from the template.
fn begun(name: &str, letters: &str) -> Match {
    let table = Match::seated(name);
    let terms = terms(&table, letters, |tables| tables, |terms| terms);
    table.mail(&table.ann, &["game", "new", &terms]);
    let fingerprint = table.ann.public()["fingerprint"].as_str().expect("a fingerprint").to_owned();
    table.mail(&table.bob, &["game", "accept", "--fingerprint", &fingerprint]);
    table.mail(&table.ann, &["reply"]);
    table
}

/// Terms with nothing left to say, as their author changes them last, and tables that are not quite the synthetic ones.
pub(super) fn terms(
    table: &Match,
    letters: &str,
    edit: impl FnOnce(String) -> String,
    change: impl FnOnce(String) -> String,
) -> String {
    let tables = edit(table.ann.does(&["game", "template", "ndc-test-tables"]));
    table.file("ndc-tables.toml", &tables);
    let terms = table.terms_of("ndc", |terms| {
        let said = [
            ("letters = \"PUT IT HERE\"", format!("letters = \"{letters}\"")),
            ("defender_to_sign = \"PUT IT HERE\"", "defender_to_sign = \"minus\"".into()),
            ("low_columns = \"PUT IT HERE\"", "low_columns = \"odd\"".into()),
            ("ann = \"PUT IT HERE\"", "ann = \"soviet\"".into()),
            ("bob = \"PUT IT HERE\"", "bob = \"us\"".into()),
            ("# north = ", "north = ".into()),
            ("# south = ", "south = ".into()),
            ("units = 32", "units = 16".into()),
            ("sheet_bytes = 16384", "sheet_bytes = 8192".into()),
        ];
        change(said.into_iter().fold(terms, |terms, (blank, value)| {
            assert!(terms.contains(blank), "{blank}");
            terms.replace(blank, &value)
        }))
    });
    // What the statuses offer is tried out with this one.
    table.file("SHEET.toml", &as_toml(&json!({ "points": { "artillery": 3 }, "units": roster(true) })));
    terms
}

/// What is left of the template is named at once, each where it stands, with its choices.
#[test]
fn blanks_of_the_terms_are_named() {
    let table = Match::seated("play-ndc-blanks");
    table.file("ndc-tables.toml", &table.ann.does(&["game", "template", "ndc-test-tables"]));
    let terms = table.terms_of("ndc", |terms| terms.replace("letters = \"PUT IT HERE\"", "letters = \"wait\""));
    let told = super::talk(&table.ann.run(&["game", "new", &terms], ""));
    let written = std::fs::read_to_string(&terms).expect("the terms");
    for (name, choices) in [
        ("defender_to_sign", "\"plus\" or \"minus\""),
        ("low_columns", "\"odd\" or \"even\""),
        ("ann", "\"soviet\" or \"us\""),
        ("bob", "\"soviet\" or \"us\""),
    ] {
        let at = written.lines().position(|line| line.starts_with(&format!("{name} = \"PUT"))).expect("a line") + 1;
        assert!(told.contains(&format!("line {at}: put {choices} for {name}\n")), "{name}: {told}");
    }
    assert!(!told.contains("letters"), "{told}");
}

/// Nobody accepts terms that withhold a table which they do not have, or overlooks one that is in no terms.
#[test]
fn a_table_that_is_withheld_must_be_here() {
    let table = Match::seated("play-ndc-withheld");
    let without_ammo = |tables: String| tables.replace("ndc-ammo", "ndc-other");
    let withheld = |terms: String| terms.replacen("withhold = []", "withhold = [\"ndc-crt\"]", 1);
    let terms = terms(&table, "standing", without_ammo, withheld);
    let told = super::talk(&table.ann.run(&["game", "new", &terms], ""));
    for words in ["the table ndc-crt is NOT in the terms", "WARNING: the terms do not contain the table ndc-ammo"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    table.bob.reads(&table.posts(&table.ann, &["game", "new", &terms]));
    let why = table.bob.is_refused(&["game", "accept", "--yes"]);
    assert!(why.contains("you need the file with the table ndc-crt"), "{why}");
    let folder = table.bob.home.join("tables");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::copy(table.dir.join("ndc-tables.toml"), folder.join("mine.toml")).expect("a copy");
    table.bob.signs(&["game", "accept"]);
}

/// Before he signs, a player sees what the other will read, and what only he knows.
#[test]
fn what_is_signed_is_shown_before() {
    let table = begun("play-ndc-shown", "standing");
    let shown = |player: &Seated, sheet: Value| {
        let file = table.file("sheet.toml", &as_toml(&sheet));
        let slot = awaited(player).expect("a slot").to_string();
        let told = super::talk(&player.run(&["declare", &slot, &file], ""));
        let mail = table.posts(player, &["declare", &slot, &file]);
        table.other(player).reads(&mail);
        player.reads(&table.posts(table.other(player), &["reply"]));
        told
    };
    let ann = roster(true);
    let sheet = json!({ "orders": { "a1": [{ "ew_attacks": 1, "ew_superiority": 2, "fpf": 3 }] }, "points": { "artillery": 5 }, "units": ann });
    let told = shown(&table.ann, sheet);
    for words in [
        "bob will read:",
        "a2 (infantry) on 0812: attack 6, defense 8, T/O 6",
        "orders for attack 1 on a1: final protective fire 3, 1 EW attack with superiority 2, \
         stays (no retreat ordered)",
        "no retreat): a2, a3",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    shown(&table.bob, json!({ "units": roster(false) }));
    let fires = json!([{ "kind": "counter-battery", "points": 1, "target": "1010" }]);
    let told = shown(&table.ann, json!({ "combats": fires, "finished": ["a3"] }));
    for words in ["counter-battery fire on 1010 with 1 point\n", "finished moving: a3", ", 4 for counter-battery"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert!(!told.contains("it ends the player turn"), "{told}");
    shown(&table.bob, json!({}));
    let told = shown(&table.ann, json!({}));
    assert!(
        told.contains("it ends the player turn") && told.contains("after this turn: turn 1, bob's player turn"),
        "{told}"
    );
}

/// A player looks at their units at any time, also while they wait, and sees nothing of the other side.
#[test]
fn a_hand_is_shown_at_any_time() {
    let table = begun("play-ndc-hand", "standing");
    let why = table.ann.is_refused(&["game", "hand"]);
    assert!(why.contains("you have not set up yet"), "{why}");
    assert!(!table.ann.does(&["game", "status"]).contains("game hand"));
    let declares = |player: &Seated, sheet: Value| {
        let file = table.file("sheet.toml", &as_toml(&sheet));
        let slot = awaited(player).expect("a slot").to_string();
        table.other(player).reads(&table.posts(player, &["declare", &slot, &file]));
    };
    let hand_of = |player: &Seated| super::out(&player.run(&["game", "hand"], ""));
    declares(&table.ann, json!({ "points": { "artillery": 5 }, "units": roster(true) }));
    let hand = hand_of(&table.ann);
    for words in [
        "a1 (armor) on 0810: attack 16",
        "points in each player turn: air 0, artillery 5, signal 0\n",
        "no retreat): a1, a2",
    ] {
        assert!(hand.contains(words), "{words}: {hand}");
    }
    assert!(table.ann.does(&["game", "status"]).contains("game hand\n"));
    let why = table.bob.is_refused(&["game", "hand"]);
    assert!(why.contains("you have not set up yet"), "{why}");
    table.ann.reads(&table.posts(&table.bob, &["reply"]));
    declares(&table.bob, json!({ "units": roster(false) }));
    table.bob.reads(&table.posts(&table.ann, &["reply"]));
    declares(&table.ann, json!({ "finished": ["a3"] }));
    assert!(hand.ends_with("what came of 1/1/ndc/1:\n  units: a1, a2, a3, a4, a5, a6, a7, a8\n"), "{hand}");
    // The dice of this turn are still sealed; what the player has declared themself is there.
    let hand = hand_of(&table.ann);
    assert!(hand.lines().any(|line| line.starts_with("a3 ") && line.ends_with(", finished")), "{hand}");
    assert!(!hand.contains("b1") && hand_of(&table.bob).contains("b1 (armor) on 1010"), "{hand}");
}

/// The sheet of a defender begins with a block for the unit that is attacked, and may be signed as it is printed.
#[test]
fn a_defender_is_asked_about_the_unit_under_attack() {
    let table = begun("play-ndc-attacked", "wait");
    let declares = |player: &Seated, sheet: &str| {
        let file = table.file("sheet.toml", sheet);
        let slot = awaited(player).expect("a slot").to_string();
        let told = super::talk(&player.run(&["declare", &slot, &file], ""));
        table.other(player).reads(&table.posts(player, &["declare", &slot, &file]));
        player.reads(&table.posts(table.other(player), &["reply"]));
        told
    };
    declares(&table.ann, &as_toml(&json!({ "units": roster(true) })));
    declares(&table.bob, &as_toml(&json!({ "units": roster(false) })));
    let attack = json!({ "kind": "attack", "target": "1010", "unit": "a1" });
    let moves = json!([{ "cost": [1], "path": ["0910"], "unit": "a1" }]);
    declares(&table.ann, &as_toml(&json!({ "combats": [attack], "moves": moves })));
    // The attack is shown as soon as the letter is read.
    let seen = table.bob.does(&["game", "status"]);
    assert!(seen.contains("latest news:\n") && seen.contains("combat 1: Probe on 1010 from 0910"), "{seen}");
    let form = super::out(&table.bob.run(&["declare", "--form"], ""));
    assert!(form.contains("# Your b1 is attacked in combat 1.\n[[orders.\"b1\"]]\n"), "{form}");
    assert_eq!(form.matches("\n[[orders").count(), 1, "{form}");
    let told = declares(&table.bob, &form);
    assert!(told.contains("combat 1 on 1010: final protective fire 0"), "{told}");
}

/// What a player may look at besides the letters: his own keys.
fn own<T>(player: &Seated, look: impl FnOnce(&Ledger<'_>, Player, &dyn Fn(&Set<'_>) -> Option<Secret>) -> T) -> T {
    let keys = player.keys();
    player.replay(|ledger, me| {
        let signer = Signer::resume(ledger, me, keys.signing().clone(), keys.vault().clone());
        let eyes = |set: &Set<'_>| {
            let own = set.node.message.head().author == *ledger.terms.role(me);
            own.then(|| signer.master(ledger, &set.node.id())).flatten()
        };
        look(ledger, me, &eyes)
    })
}

use sealed_dice::primitive::secret::Secret;

pub(super) fn state(player: &Seated) -> Option<Value> {
    player.replay(|ledger, _| {
        let (phase, _) = ledger.terms.courses().next().expect("a course");
        course::reached(ledger, phase, Past::ALL).state.map(Value::Object)
    })
}

/// What a sheet would come to, or why it is refused.
type Tool<'t> = &'t dyn Fn(&Value) -> Result<Run, String>;

/// What a player has before him: his hand, the slot that is awaited of him, and a tool that tries out sheets.
struct Desk<'d> {
    hand: Value,
    slot: Option<Slot>,
    tool: Tool<'d>,
}

/// Lets somebody work at his desk, the game being replayed once.
fn at_desk<T>(player: &Seated, work: impl FnOnce(Desk<'_>) -> T) -> T {
    own(player, |ledger, me, eyes| {
        let (phase, _) = ledger.terms.courses().next().expect("a course");
        let run = hidden::run(ledger, phase, me, eyes).expect("a run").run;
        let slot = tasks::of(ledger, me).into_iter().find_map(|task| match task {
            tasks::Task::Declare { slot } => Some(slot),
            _ => None,
        });
        work(Desk {
            hand: run.hand.map_or(json!({ "units": [] }), Value::Object),
            slot,
            tool: &|sheet| {
                hidden::state_from(ledger, phase, me, &object(sheet.clone()), eyes).map_err(|error| error.to_string())
            },
        })
    })
}

fn comes_to(player: &Seated, sheet: &Value) -> Result<Run, String> {
    at_desk(player, |desk| (desk.tool)(sheet))
}

pub(super) fn awaited(player: &Seated) -> Option<Slot> {
    at_desk(player, |desk| desk.slot)
}

/// A player's role.
fn role<'t>(table: &Match, player: &Seated) -> &'t str {
    if player.home == table.ann.home { "ann" } else { "bob" }
}

/// Whose step it is.
pub(super) fn mover<'t>(table: &'t Match, state: &Value) -> &'t Seated {
    if state["awaits"]["by"] == "ann" { &table.ann } else { &table.bob }
}

/// Steps in which a game brings about what somebody can lie about, or nothing more: a side is nearly gone.
const STEPS: usize = 40;

/// Random numbers that are the same in every run.
struct Chance(u64);

impl Chance {
    fn up_to(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.up_to(n) == 0
    }

    fn of<'v, T>(&mut self, list: &'v [T]) -> Option<&'v T> {
        list.get(self.up_to(list.len()))
    }
}

/// The neighbours of a hex, low columns being the odd ones.
fn neighbours(hex: &str) -> Vec<String> {
    let (column, row): (i64, i64) = (hex[..2].parse().unwrap(), hex[2..].parse().unwrap());
    let (up, down) = if column % 2 == 1 { (0, 1) } else { (-1, 0) };
    let around = [
        (column, row - 1),
        (column, row + 1),
        (column - 1, row + up),
        (column - 1, row + down),
        (column + 1, row + up),
        (column + 1, row + down),
    ];
    let on_map = around.into_iter().filter(|(column, row)| (1..100).contains(column) && (1..100).contains(row));
    let mut hexes: Vec<String> = on_map.map(|(column, row)| format!("{column:02}{row:02}")).collect();
    hexes.sort();
    hexes
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

pub(super) fn unit(name: &str, kind: &str, hexes: &[&str], strengths: (u64, u64, u64)) -> Value {
    let (attack, defense, to) = strengths;
    json!({
        "attack": attack, "commander": null, "defense": defense, "fatigue": 0, "hexes": hexes, "kind": kind, "leadership": 1,
        "march": 3, "mode": "normal", "movement": 8, "name": name, "to": to,
    })
}

/// Two divisions that face each other along a line from north to south.
pub(super) fn roster(first: bool) -> Vec<Value> {
    let (front, rear) = if first { ("08", "06") } else { ("10", "12") };
    let at = |column: &str, row: u64| format!("{column}{row:02}");
    let side = if first { "a" } else { "b" };
    let named = |n: u64| format!("{side}{n}");
    let mut units = vec![
        unit(&named(1), "armor", &[&at(front, 10)], (16, 6, 6)),
        unit(&named(2), "infantry", &[&at(front, 12)], (6, 8, 6)),
        unit(&named(3), "recon", &[&at(front, 14)], (4, 3, 3)),
        unit(&named(4), "armor", &[&at(front, 16)], (8, 6, 5)),
        unit(&named(5), "infantry", &[&at(rear, 10), &at(rear, 11)], (5, 6, 4)),
        unit(&named(6), "hq", &[&at(front, 12)], (0, 2, 2)),
        unit(&named(7), "hq", &[&at(front, 10)], (0, 2, 2)),
        unit(&named(8), "recon", &[&at(rear, 18)], (2, 1, 1)),
    ];
    units[5]["commander"] = json!(3);
    units[6]["commander"] = json!(2);
    units[2]["fatigue"] = json!(1);
    units
}

/// What a campaign has shown.
#[derive(Default)]
struct Seen(BTreeSet<String>);

impl Seen {
    const ALL: [&'static str; 34] = [
        "abort",
        "advance",
        "after a move",
        "ammunition",
        "attacker lost",
        "attacker went back",
        "barrage",
        "breakthrough",
        "cancelled",
        "chemicals by the attacker",
        "chemicals by the defender",
        "command",
        "counter-battery",
        "defender told",
        "defender untold",
        "empty",
        "entries",
        "ew on the attacker",
        "ew on the defender",
        "finished",
        "forced march",
        "fought",
        "fpf",
        "gone",
        "halted",
        "interdiction",
        "level 1",
        "level 2",
        "level 3",
        "level 4",
        "mode changed",
        "overrun",
        "replaced",
        "tactical intelligence",
    ];

    /// Those of them that single dice decide.
    const CHANCE: [&'static str; 11] = [
        "abort",
        "ammunition",
        "attacker went back",
        "breakthrough",
        "cancelled",
        "defender untold",
        "gone",
        "halted",
        "level 4",
        "overrun",
        "replaced",
    ];

    fn note(&mut self, what: &str) {
        self.0.insert(what.to_owned());
    }

    fn lacks(&self) -> Vec<&'static str> {
        Self::ALL.into_iter().filter(|what| !self.0.contains(*what)).collect()
    }
}

/// A player's tool, and his role.
type By<'t> = (Tool<'t>, &'t str);

/// Somebody who plays by proposing things, and dropping what his tool refuses.
struct Robot<'t> {
    table: &'t Match,
    chance: Chance,
    seen: Seen,
    /// Whether letters go through an office.
    by_post: bool,
}

impl Robot<'_> {
    /// Adds to a list of the sheet what the tool takes.
    fn offers(&self, tool: Tool<'_>, sheet: &mut Value, field: &str, item: Value) -> bool {
        let mut tried = sheet.clone();
        match &mut tried[field] {
            Value::Array(items) => items.push(item),
            nothing => *nothing = json!([item]),
        }
        let taken = tool(&tried).is_ok();
        if taken {
            *sheet = tried;
        }
        taken
    }

    fn sets(&self, tool: Tool<'_>, sheet: &mut Value, field: &str, value: Value) -> bool {
        let mut tried = sheet.clone();
        tried[field] = value;
        let taken = tool(&tried).is_ok();
        if taken {
            *sheet = tried;
        }
        taken
    }

    /// The orders for all units, and who halts.
    fn orders(&mut self, (tool, who): By<'_>, hand: &Value, sheet: &mut Value) {
        let units: Vec<&Value> =
            hand["units"].as_array().into_iter().flatten().filter(|unit| unit["gone"] == false).collect();
        let mut commands: Vec<String> = units
            .iter()
            .filter(|unit| unit["commander"] != Value::Null)
            .map(|unit| unit["name"].as_str().unwrap().to_owned())
            .collect();
        commands.sort();
        self.sets(tool, sheet, "command", json!(commands));
        let mut halts: Vec<String> = units.iter().map(|unit| unit["name"].as_str().unwrap().to_owned()).collect();
        halts.sort();
        self.sets(tool, sheet, "halt", json!(halts));
        let mut orders = json!({});
        for unit in &units {
            let hexes = texts(&unit["hexes"]);
            let back = if who == "ann" { -1 } else { 1 };
            let first = neighbours(&hexes[0])
                .into_iter()
                .find(|hex| hex[..2].parse::<i64>().unwrap() == hexes[0][..2].parse::<i64>().unwrap() + back);
            let mut path: Vec<String> = first.into_iter().collect();
            while path.len() < 3 {
                let last = path.last().unwrap().clone();
                let next = neighbours(&last).into_iter().find(|hex| {
                    hex[..2].parse::<i64>().unwrap() == last[..2].parse::<i64>().unwrap() + back && !path.contains(hex)
                });
                path.extend(next);
            }
            let fpf = self.chance.up_to(3);
            let with = units.iter().find(|other| {
                other["commander"] != Value::Null
                    && other["name"] != unit["name"]
                    && texts(&other["hexes"]).iter().any(|hex| hexes.contains(hex))
            });
            let chemical = if fpf > 0 && self.chance.one_in(3) { "used" } else { "none" };
            let mut order = json!({
                "chemical": chemical, "control_loss": self.chance.one_in(6), "ew_attacks": self.chance.up_to(3), "ew_superiority": 2,
                "fpf": fpf, "retreat": path, "subordinates": [], "terrain": [],
            });
            if let Some(with) = with {
                order["commander"] = json!({ "unit": with["name"], "with": "unit" });
            }
            orders[unit["name"].as_str().unwrap()] = json!([order]);
        }
        if self.sets(tool, sheet, "orders", orders.clone()) {
            return;
        }
        // Some are not allowed: those that are.
        let all = orders.as_object().expect("orders").clone();
        let allowed = all.into_iter().filter(|(name, orders)| {
            let mut tried = sheet.clone();
            tried["orders"] = json!({ name: orders });
            tool(&tried).is_ok()
        });
        let orders: Value = allowed.collect::<serde_json::Map<_, _>>().into();
        self.sets(tool, sheet, "orders", orders);
    }

    fn setup(&mut self, (tool, who): By<'_>) -> Value {
        let first = who == "ann";
        let mut sheet = json!({ "points": { "air": 6, "artillery": 12, "signal": 4 }, "units": roster(first) });
        if !first {
            sheet["allocate"] = json!({ "air": 1, "signal": 2 });
            sheet["sectors"] = json!(["north", "south"]);
            sheet["level"] = json!(3);
        }
        let with = tool(&sheet).expect("a setup");
        self.orders((tool, who), &json!(with.hand), &mut sheet);
        sheet
    }

    fn moves(&mut self, (tool, who): By<'_>, hand: &Value, state: &Value) -> Value {
        let segment = state["segment"].as_u64().unwrap();
        let other = if who == "ann" { "bob" } else { "ann" };
        let mut sheet = json!({});
        if segment == 1 {
            sheet["allocate"] = json!({ "air": 2, "signal": 2 });
            sheet["sectors"] = json!(["north", "south"]);
            sheet["level"] = json!(3 + self.chance.up_to(7));
            let marching = hand["units"]
                .as_array()
                .unwrap()
                .iter()
                .find(|unit| unit["gone"] == false && unit["kind"] == "infantry");
            if let Some(unit) = marching
                && self.sets(tool, &mut sheet, "march", json!([unit["name"]]))
            {
                self.seen.note("forced march");
            }
            let wide = hand["units"]
                .as_array()
                .unwrap()
                .iter()
                .find(|unit| unit["gone"] == false && texts(&unit["hexes"]).len() == 2);
            if let Some(unit) = wide {
                let narrow =
                    json!({ unit["name"].as_str().unwrap(): { "hexes": [unit["hexes"][0]], "mode": "march" } });
                if self.sets(tool, &mut sheet, "modes", narrow) {
                    self.seen.note("mode changed");
                }
            }
        }
        let units: Vec<Value> =
            hand["units"].as_array().unwrap().iter().filter(|unit| unit["gone"] == false).cloned().collect();
        let enemies: Vec<String> = state["contacts"][other]
            .as_object()
            .unwrap()
            .values()
            .flat_map(|contact| texts(&contact["hexes"]))
            .collect();
        for unit in &units {
            if self.chance.one_in(3) || unit["kind"] == "hq" {
                continue;
            }
            let mut path: Vec<String> = Vec::new();
            let mut at = texts(&unit["hexes"])[0].clone();
            for _ in 0..1 + self.chance.up_to(3) {
                let ways = neighbours(&at);
                let towards = |hex: &String| {
                    let column: i64 = hex[..2].parse().unwrap();
                    if other == "bob" {
                        column >= at[..2].parse::<i64>().unwrap() && column < 12
                    } else {
                        column <= at[..2].parse::<i64>().unwrap() && column > 5
                    }
                };
                let ways: Vec<String> = ways
                    .into_iter()
                    .filter(|hex| towards(hex) && !enemies.contains(hex) && !path.contains(hex))
                    .collect();
                let Some(next) = self.chance.of(&ways).cloned() else { break };
                path.push(next.clone());
                at = next;
            }
            if !path.is_empty() {
                let cost = vec![1; path.len()];
                self.offers(tool, &mut sheet, "moves", json!({ "cost": cost, "path": path, "unit": unit["name"] }));
            }
        }
        let last = segment >= 3;
        if !last {
            self.attacks(tool, &units, &enemies, &mut sheet);
        } else if let Some(unit) = units.iter().find(|unit| {
            unit["kind"] == "infantry" && unit["defense"].as_u64() >= Some(6) && texts(&unit["hexes"]).len() == 1
        }) {
            let stands =
                sheet["moves"].as_array().is_none_or(|moves| moves.iter().all(|moved| moved["unit"] != unit["name"]));
            let name = |half: &str| format!("{}.{half}", unit["name"].as_str().unwrap());
            let half = |name: String| {
                let mut half = json!({});
                for field in ["commander", "fatigue", "hexes", "kind", "leadership", "march", "mode", "movement"] {
                    half[field] = unit[field].clone();
                }
                half["name"] = json!(name);
                for field in ["attack", "defense"] {
                    half[field] = json!(unit[field].as_u64().unwrap() / 2);
                }
                half["to"] = json!((unit["to"].as_u64().unwrap() / 2).max(1));
                half
            };
            let whole = unit["to"].as_u64() >= Some(2) && !self.seen.0.contains("replaced") && stands;
            if whole
                && self.offers(
                    tool,
                    &mut sheet,
                    "replace",
                    json!({ "in": [half(name("x")), half(name("y"))], "out": [unit["name"]] }),
                )
            {
                self.seen.note("replaced");
            }
        }
        let mut finished: Vec<&str> =
            sheet["moves"].as_array().into_iter().flatten().filter_map(|moved| moved["unit"].as_str()).collect();
        finished.sort_unstable();
        finished.dedup();
        let finished = json!(finished);
        if self.chance.one_in(2) && self.sets(tool, &mut sheet, "finished", finished) {
            self.seen.note("finished");
        }
        self.orders((tool, who), hand, &mut sheet);
        sheet
    }

    fn attacks(&mut self, tool: Tool<'_>, units: &[Value], enemies: &[String], sheet: &mut Value) {
        for unit in units {
            let moved = sheet["moves"].as_array().into_iter().flatten().find(|moved| moved["unit"] == unit["name"]);
            let from =
                moved.map_or_else(|| texts(&unit["hexes"])[0].clone(), |moved| texts(&moved["path"]).pop().unwrap());
            let around = neighbours(&from);
            let known: Vec<&String> = around.iter().filter(|hex| enemies.contains(hex)).collect();
            let target = match self.chance.of(&known) {
                Some(target) => (*target).clone(),
                None if self.chance.one_in(4) => self.chance.of(&around).cloned().unwrap(),
                None => continue,
            };
            let barrage = self.chance.up_to(4);
            let chemical = if barrage > 0 && self.chance.one_in(3) {
                *self.chance.of(&["used", "persistent"]).unwrap()
            } else {
                "none"
            };
            let with = units.iter().find(|other| {
                other["commander"] != Value::Null
                    && other["name"] != unit["name"]
                    && texts(&other["hexes"]).contains(&from)
            });
            let mut attack = json!({
                "assault": self.chance.one_in(2), "barrage": barrage, "chemical": chemical, "control_loss": false,
                "ew_attacks": self.chance.up_to(3), "ew_superiority": 2, "kind": "attack",
                "retreats": { "any": around, "away": [], "road": [] }, "subordinates": [], "target": target, "terrain": [],
                "unit": unit["name"], "unprepared": self.chance.one_in(5),
            });
            if let Some(with) = with {
                let mut led = attack.clone();
                led["commander"] = json!({ "unit": with["name"], "with": "unit" });
                if self.offers(tool, sheet, "combats", led) {
                    self.seen.note("command");
                    continue;
                }
            }
            attack["commander"] = Value::Null;
            attack.as_object_mut().unwrap().remove("commander");
            self.offers(tool, sheet, "combats", attack);
        }
        if let Some(target) = enemies.first() {
            if self.offers(tool, sheet, "combats", json!({ "kind": "counter-battery", "points": 2, "target": target }))
            {
                self.seen.note("counter-battery");
            }
            if self.chance.one_in(2)
                && self.offers(tool, sheet, "interdictions", json!({ "points": 1, "target": target }))
            {
                self.seen.note("interdiction");
            }
        }
    }

    /// A sheet for the step that is awaited.
    fn writes(&mut self, player: &Seated, state: &Value) -> Value {
        at_desk(player, |desk| self.writes_at(&desk, role(self.table, player), state))
    }

    fn writes_at(&mut self, desk: &Desk<'_>, who: &str, state: &Value) -> Value {
        let (tool, hand) = (desk.tool, &desk.hand);
        match state["awaits"]["step"].as_str() {
            Some("setup") => self.setup((tool, who)),
            Some("move") => self.moves((tool, who), hand, state),
            _ => {
                let mut sheet = json!({});
                self.orders((tool, who), hand, &mut sheet);
                sheet
            }
        }
    }

    /// The next declaration, whoever's it is, in the state as it is. The other has answered the last one.
    fn step(&mut self, state: &Value) {
        let player = mover(self.table, state);
        let step = state["awaits"]["step"].as_str().unwrap().to_owned();
        let (sheet, slot, run) = at_desk(player, |desk| {
            let sheet = self.writes_at(&desk, role(self.table, player), state);
            let run = (desk.tool)(&sheet).unwrap_or_else(|why| panic!("{step}: {why}\n{sheet}"));
            (sheet, desk.slot.expect("a slot").to_string(), run)
        });
        let told = run.told.last().expect("what is due");
        self.watch(&told.due.read().expect("an input"), &told.steps, run.hand.as_ref());
        let file = self.table.file("sheet.toml", &as_toml(&sheet));
        let (other, mail) = (self.table.other(player), self.table.posts(player, &["declare", &slot, &file]));
        if self.by_post {
            player.does(&["office", "push"]);
            // The dice are there before the other has read of them.
            assert_ne!(self::state(player).as_ref(), Some(&Value::Object(state.as_object().expect("a state").clone())));
            other.does(&["office", "pull"]);
            let owes = other.status()["commands"].as_array().is_some_and(|list| {
                list.iter().any(|command| command.as_str().is_some_and(|command| command.ends_with(" reply")))
            });
            if owes {
                self.table.posts(other, &["reply"]);
                other.does(&["office", "push"]);
                player.does(&["office", "pull"]);
            }
            return;
        }
        other.reads(&mail);
        let mail = self.table.posts(other, &["reply"]);
        player.reads(&mail);
    }

    /// Notes what a declaration shows.
    fn watch(&mut self, due: &Object, steps: &[String], hand: Option<&Object>) {
        let due = json!(due);
        for table in ["tactical intelligence", "ammunition"] {
            if steps.iter().any(|step| step.contains(table)) {
                self.seen.note(table);
            }
        }
        if due["entries"].as_array().is_some_and(|entries| !entries.is_empty()) {
            self.seen.note("entries");
        }
        if due["halts"].as_array().is_some_and(|halts| !halts.is_empty()) {
            self.seen.note("halted");
        }
        for combat in due["combats"].as_array().into_iter().flatten() {
            let over = |field: &str| combat[field].as_u64().is_some_and(|n| n > 0);
            if let Some(result) = combat["result"].as_str() {
                self.seen.note(result);
                let told = combat["defender"] != Value::Null;
                for (what, held) in [
                    ("advance", combat["advance"] == true),
                    ("breakthrough", combat["breakthrough"] == true),
                    ("attacker went back", combat["retreat"] != Value::Null),
                    ("attacker lost", over("attacker_loss")),
                    ("fpf", over("fpf")),
                    ("chemicals by the defender", combat["chemical"] != "none"),
                    ("ew on the attacker", over("ew_level")),
                    ("defender told", told),
                    ("defender untold", !told && result == "fought"),
                ] {
                    if held {
                        self.seen.note(what);
                    }
                }
            } else if combat["kind"] == "attack" {
                for (what, held) in [
                    ("barrage", over("barrage")),
                    ("chemicals by the attacker", combat["chemical"] != "none"),
                    ("ew on the defender", over("ew_attacks")),
                ] {
                    if held {
                        self.seen.note(what);
                    }
                }
            }
        }
        for unit in hand.and_then(|hand| hand.get("units")).and_then(Value::as_array).into_iter().flatten() {
            if let Some(level) = unit["level"].as_u64().filter(|level| *level > 0) {
                self.seen.note(&format!("level {level}"));
            }
            if unit["reset"] == true {
                self.seen.note("after a move");
            }
            if unit["gone"] == true {
                self.seen.note("gone");
            }
        }
    }
}

/// An object as people would type it; TOML has no null, and what is not said is left out.
pub(super) fn as_toml(sheet: &Value) -> String {
    fn inline(value: &Value) -> String {
        match value {
            Value::Object(fields) => format!("{{ {} }}", pairs(fields).join(", ")),
            Value::Array(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
            other => other.to_string(),
        }
    }
    fn pairs(fields: &serde_json::Map<String, Value>) -> Vec<String> {
        let fields = fields.iter().filter(|(_, value)| !value.is_null());
        fields.map(|(name, value)| format!("{} = {}", json!(name), inline(value))).collect()
    }
    sheet.as_object().map(|fields| pairs(fields).join("\n") + "\n").unwrap_or_default()
}

/// Plays player turns until everything has happened, at least so many.
fn campaign(table: &Match, seed: u64, least: u64, all: &Mutex<Seen>) {
    let mut robot = Robot { table, chance: Chance(seed), seen: Seen::default(), by_post: false };
    let mut turns = 0;
    let mut before = String::new();
    let lacks = |seen: &mut Seen| {
        let mut all = all.lock().expect("nobody has failed");
        all.0.append(&mut seen.0);
        seen.0.clone_from(&all.0);
        all.lacks()
    };
    while turns < least || !lacks(&mut robot.seen).is_empty() && turns < 2 * least {
        let now = state(&table.ann).expect("it is settled");
        if now["awaits"]["step"] == "move" && now["segment"] == 1 {
            let turn = format!("{} {}", now["turn"], now["phasing"]);
            if turn != before {
                turns += u64::from(!before.is_empty());
                before = turn;
                if turns >= least && lacks(&mut robot.seen).is_empty() {
                    break;
                }
            }
        }
        robot.step(&now);
    }
    lacks(&mut robot.seen);
}

#[test]
fn a_campaign_of_eight_player_turns() {
    let seen = Mutex::new(Seen::default());
    let played = |n: usize, letters: &str, seed: u64| {
        let table = begun(&format!("play-ndc-{letters}-{n}"), letters);
        campaign(&table, seed + n as u64, 4, &seen);
        let report = table.closes();
        assert_eq!((&report["verdict"], &report["findings"]), (&json!("verified"), &json!([])), "{letters}: {report}");
        assert_eq!(report["complete"], true);
        let runs = report["courses"][0]["runs"].as_object().expect("runs");
        for (role, run) in runs {
            assert_eq!((&run["run"], &run["stopped"]), (&run["declared"], &Value::Null), "{role} was run whole: {run}");
        }
        // What the other could not know is told now: both halves of a combat, with its dice.
        let letters = table.bob.letters();
        let told = table.bob.does(&["audit", letters.to_str().expect("a path")]);
        for words in ["ndc-crt", "from its sheet", "total"] {
            assert!(told.contains(words), "{words}: {told}");
        }
        let page = table.path("report.html");
        table.bob.does(&["audit", "--html", &page, letters.to_str().expect("a path")]);
        assert!(std::fs::read_to_string(page).expect("a page").contains("Worked out from its sheet:"));
    };
    super::until_all_was_seen(|n| {
        // Both at once: they share nothing but what has been seen.
        std::thread::scope(|scope| {
            let standing = scope.spawn(|| played(n, "standing", 0x5eed_cafe));
            played(n, "wait", 0xd1ce_0002);
            standing.join().expect("a campaign");
        });
        // What hangs on single dice the vectors hold one by one; here most of it comes up, and all the rest.
        let lacks = seen.lock().expect("nobody has failed").lacks();
        let (chance, lacks): (Vec<&str>, Vec<&str>) = lacks.into_iter().partition(|what| Seen::CHANCE.contains(what));
        if chance.len() > Seen::CHANCE.len() / 2 { [lacks, chance].concat() } else { lacks }
    });
}

/// With an office the answers of the defence, which are private, get their dice without a letter of the attacker's.
#[cfg(feature = "postgres")]
#[test]
fn an_office_opens_private_answers_at_once() {
    use crate::office::world::Premises;
    let premises = Premises::made("play-ndc-office", None);
    let office = premises.serve();
    let table = Match::seated("play-ndc-posted");
    let (ann, bob) = (&table.ann, &table.bob);
    let card = ann.does(&["office", "card", &office.url]);
    let terms =
        terms(&table, "wait", |tables| tables, |terms| terms.replacen("[opponent]", &(card + "\n[opponent]"), 1));
    table.posts(ann, &["game", "new", &terms]);
    for player in [ann, bob] {
        player.does(&["office", "join", &office.url]);
    }
    let fingerprint = ann.public()["fingerprint"].as_str().expect("a fingerprint").to_owned();
    table.posts(bob, &["game", "accept", "--fingerprint", &fingerprint]);
    bob.does(&["office", "push"]);
    ann.does(&["office", "pull"]);
    table.posts(ann, &["reply"]);
    ann.does(&["office", "push"]);
    bob.does(&["office", "pull"]);
    let mut robot = Robot { table: &table, chance: Chance(0xd1ce_0007), seen: Seen::default(), by_post: true };
    let (mut answers, mut turn) = (0, None);
    loop {
        let now = state(ann).expect("it is settled");
        assert_eq!(state(bob).as_ref(), Some(&now), "both know what is public");
        let this = format!("{} {}", now["turn"], now["phasing"]);
        if now["segment"] == 1 && answers > 0 && turn.as_ref().is_some_and(|turn| *turn != this) {
            break;
        }
        turn = Some(this);
        answers += usize::from(now["awaits"]["step"] == "defend");
        robot.step(&now);
    }
    for (player, args) in [(ann, ["game", "close"].as_slice()), (bob, &["game", "close"]), (ann, &["reply"])] {
        table.posts(player, args);
        player.does(&["office", "push"]);
        table.other(player).does(&["office", "pull"]);
    }
    // Neither player has opened dice for the other.
    for player in [ann, bob] {
        player.replay(|ledger, me| {
            let opened = ledger.declarations().filter(|declared| declared.node.player != me && declared.valid);
            let opened: Vec<bool> = opened
                .map(|own| ledger.is_with_office(&own.declare.seal.expect("a set"), Past::of(&own.node)))
                .collect();
            assert!(!opened.is_empty() && opened.into_iter().all(|with| with));
        });
    }
    table.mails.borrow_mut().push(ann.does(&["resend", "--everything"]));
    let report = table.report();
    assert_eq!((&report["verdict"], &report["complete"]), (&json!("verified"), &json!(true)), "{report}");
}

/// What a cheat states instead of what is due, or does not let his sheet say.
type Lie = Box<dyn Fn(&mut Value) -> bool>;

fn lie(change: impl Fn(&mut Value) -> bool + 'static) -> Lie {
    Box::new(change)
}

/// Signs a declaration past the tool: a sheet, and an input that does not follow from it.
fn forges(table: &Match, player: &Seated, sheet: &Value, change: &Lie) -> bool {
    let due = comes_to(player, sheet).expect("an honest sheet").told.pop().expect("what is due").due;
    let mut input: Value = due.read::<Value>().expect("an input");
    if !change(&mut input) {
        return false;
    }
    let at = awaited(player).expect("a slot").to_string();
    let purpose = format!("{at}/sheet");
    let bytes_of = player.replay(|ledger, _| {
        let (phase, _) = ledger.terms.courses().next().expect("a course");
        phase.hidden().expect("it is hidden").sheet_bytes() as usize
    });
    let mut said = sheet.clone();
    // What the input tells to whoever lies in the sheet itself.
    if let Some(named) = input.as_object_mut().and_then(|input| input.remove("named")) {
        said["named"] = named;
    }
    let says = text(&object(said)).as_str().to_owned();
    let note = player.forges(|ledger, _, signer| {
        Body::Seal(signer.seal_note(ledger.terms, &purpose, bytes(&purpose), &says, bytes_of).expect("a note"))
    });
    player.reads(&note);
    let declared = player.forges(|ledger, me, _| {
        let request = Request {
            slot: slot(&at),
            moves: Moves::Note(NoteRef { index: 0, seal: ledger.sealed(me, SetKind::Note, &purpose).expect("a note") }),
            input: due,
            seal: ledger.sealed(me.other(), SetKind::Plain, &at).expect("a set"),
            contribution: sealed_dice::blob::body::Contribution::Sealed(
                tasks::contribution_for(ledger, me).expect("a contribution"),
            ),
            redo: None,
        };
        let honest = steps::declaration(ledger, me, request).expect("a declaration");
        Body::Declare(Box::new(Declare { input: text(&object(input)), ..honest }))
    });
    player.reads(&declared);
    for letter in [note, declared] {
        table.other(player).run(&["read", "-"], &letter);
        table.mails.borrow_mut().push(letter);
    }
    true
}

/// Each false statement is taken while its sheet is closed, and found on its author when it is open.
#[test]
fn cheats_are_found_at_the_close() {
    let lies: Vec<(&str, &str, Lie)> = vec![
        (
            "a false total",
            "move",
            lie(|input| {
                match input["combats"]
                    .as_array_mut()
                    .and_then(|combats| combats.iter_mut().find(|combat| combat["kind"] == "attack"))
                {
                    Some(combat) => {
                        combat["total"] = json!(combat["total"].as_i64().unwrap() + 5);
                        true
                    }
                    None => false,
                }
            }),
        ),
        (
            "an owed contact that is not shown",
            "move",
            lie(|input| {
                let shown = input["contacts"].as_object_mut().unwrap();
                let first = shown.keys().next().cloned();
                let names = |input: &Value, name: &str| input.to_string().contains(&format!("\"{name}\""));
                let Some(first) = first else { return false };
                shown.remove(&first);
                !names(&input["combats"], &first) && !names(&input["paths"], &first)
            }),
        ),
        (
            "a loss that he did not tell",
            "report",
            lie(|input| {
                let mut told = input["combats"]
                    .as_array_mut()
                    .into_iter()
                    .flatten()
                    .filter(|combat| combat["defender"]["loss"].as_u64() > Some(0));
                told.next().map(|combat| combat["defender"] = Value::Null).is_some()
            }),
        ),
        (
            "another row of the table",
            "report",
            lie(|input| {
                let mut fought =
                    input["combats"].as_array_mut().into_iter().flatten().filter(|combat| combat["result"] == "fought");
                fought
                    .next()
                    .map(|combat| {
                        combat["attacker_loss"] = json!((combat["attacker_loss"].as_u64().unwrap() + 3).min(9))
                    })
                    .is_some()
            }),
        ),
        (
            "dice that nobody forfeited, named by himself",
            "setup",
            lie(|input| {
                input["named"] = json!({ "1": [6] });
                true
            }),
        ),
        (
            "a contact that is none",
            "setup",
            lie(|input| {
                input["contacts"]["c1"] =
                    json!({ "designation": null, "hexes": ["0909"], "kind": null, "mode": null, "to": null });
                true
            }),
        ),
    ];
    for (what, step, lie) in lies {
        let mut told = None;
        super::until_all_was_seen(|n| {
            let table = begun(&format!("play-ndc-cheats-{n}"), "standing");
            let mut robot = Robot { table: &table, chance: Chance(0xbad_cafe), seen: Seen::default(), by_post: false };
            let cheats = |robot: &mut Robot<'_>, now: &Value| {
                let sheet = robot.writes(mover(&table, now), now);
                forges(&table, mover(&table, now), &sheet, &lie)
            };
            for _ in 0..STEPS {
                let now = state(&table.ann).expect("it is settled");
                if now["awaits"]["step"] == step && cheats(&mut robot, &now) {
                    let is_ann = now["awaits"]["by"] == "ann";
                    told = Some((table, is_ann));
                    return Vec::new();
                }
                robot.step(&now);
            }
            vec![what]
        });
        let (table, is_ann) = told.expect("it came to that");
        let cheat = if is_ann { &table.ann } else { &table.bob };
        table.posts(table.other(cheat), &["reply"]);
        // While the sheet is closed nobody can tell.
        let [ours, theirs] = super::audits(&table.other(cheat).letters());
        assert_eq!((&ours[0]["verdict"], &ours), (&json!("verified"), &theirs), "{what}");
        let open = ["resend", "--everything"];
        cheat.reads(&table.other(cheat).does(&open));
        table.other(cheat).reads(&cheat.does(&open));
        let report = table.closes();
        let pinned = role(&table, cheat);
        let findings = report["findings"].as_array().expect("findings");
        assert_eq!(report["verdict"], "refuted", "{what}");
        assert!(findings.len() == 1 && findings[0]["culprit"] == pinned, "{what}: {findings:?}");
        let letters = table.bob.letters();
        let told = super::out(&table.bob.run(&["audit", letters.to_str().expect("a path")], ""));
        assert!(told.contains("FALSE"), "{what}: {told}");
    }
}

/// What a state forbids is found at once, on whoever signed it.
#[test]
fn cheats_that_show_at_once() {
    let lies: Vec<(&str, &str, &str, Lie)> = vec![
        (
            "he reports what he has not defended",
            "report",
            "declare 15",
            lie(|input| {
                let mut fought =
                    input["combats"].as_array_mut().into_iter().flatten().filter(|combat| combat["result"] == "fought");
                fought.next().map(|combat| combat["fpf"] = json!(combat["fpf"].as_u64().unwrap() + 1)).is_some()
            }),
        ),
        (
            "he halts what did not move",
            "report",
            "declare 15",
            lie(|input| {
                input["halts"] = json!([{ "by": "0910", "contact": "c99", "hex": "0911" }]);
                true
            }),
        ),
        (
            "he sends another step",
            "move",
            "declare 15",
            lie(|input| {
                *input = json!({ "combats": [], "contacts": {}, "entries": [], "paths": {}, "rolled": null, "step": "defend" });
                true
            }),
        ),
        (
            "he attacks over a river of hexes",
            "move",
            "declare 4",
            lie(|input| {
                let mut attacks =
                    input["combats"].as_array_mut().into_iter().flatten().filter(|combat| combat["kind"] == "attack");
                attacks.next().map(|combat| combat["target"] = json!("5050")).is_some()
            }),
        ),
    ];
    // The one after the other, as the states of a game allow it.
    let mut found = 0;
    super::until_all_was_seen(|n| {
        let table = begun(&format!("play-ndc-at-once-{n}"), "wait");
        let mut robot = Robot { table: &table, chance: Chance(0x0dd_ba11), seen: Seen::default(), by_post: false };
        for _ in 0..STEPS {
            let Some((what, step, rule, lie)) = lies.get(found) else { break };
            let now = state(&table.ann).expect("it is settled");
            if now["awaits"]["step"] == *step && is_pinned_at_once(&table, &now, (what, rule), lie) {
                found += 1;
            }
            robot.step(&now);
        }
        lies[found..].iter().map(|(what, ..)| *what).collect()
    });
}

/// Who lies in a copy of the game is found before his sheet is open; if the state has anything to lie about.
fn is_pinned_at_once(table: &Match, now: &Value, (what, rule): (&str, &str), lie: &Lie) -> bool {
    let copy = table.copied("a cheat");
    let cheat = mover(&copy, now);
    let mut trial = Robot { table: &copy, chance: Chance(0x0dd_ba11), seen: Seen::default(), by_post: false };
    let sheet = trial.writes(cheat, now);
    if !forges(&copy, cheat, &sheet, lie) {
        return false;
    }
    let letters = copy.other(cheat).letters();
    let [ours, theirs] = super::audits(&letters);
    assert_eq!(ours, theirs, "{what}");
    let findings = ours[0]["findings"].as_array().expect("findings");
    assert!(findings.len() == 1 && findings[0]["culprit"] == role(&copy, cheat), "{what}: {findings:?}");
    let told = super::out(&copy.ann.run(&["audit", letters.to_str().expect("a path")], ""));
    assert!(told.contains(rule), "{what}: {told}");
    true
}

/// A sheet for a turn that is not awaited is refused before the passphrase is asked for.
#[test]
fn a_sheet_out_of_turn_costs_no_passphrase() {
    let mut table = Match::seated("play-ndc-passphrase");
    let secret = table.file("passphrase.txt", "four words or more\n");
    table.ann = Seated::at(table.dir.join("locked"));
    for made in [&["key", "new", "--passphrase-file", &secret][..], &["key", "backup", "--passphrase-file", &secret]] {
        table.ann.does(made);
    }
    let terms = terms(&table, "standing", |tables| tables, |terms| terms);
    let (ann, bob) = (&table.ann, &table.bob);
    let signs = |args: &[&str]| ann.signs(&[args, &["--passphrase-file", &secret]].concat());
    bob.reads(&signs(&["game", "new", &terms]));
    let fingerprint = ann.public()["fingerprint"].as_str().expect("a fingerprint").to_owned();
    ann.reads(&bob.signs(&["game", "accept", "--fingerprint", &fingerprint]));
    bob.reads(&signs(&["reply"]));
    let nowhere = table.path("no such passphrase");
    let sheet = table.path("SHEET.toml");
    let out = ann.run(&["declare", "7/1/ndc/1", &sheet, "--yes", "--passphrase-file", &nowhere], "");
    assert!(super::talk(&out).contains("you cannot declare 7/1/ndc/1 now"), "{}", super::talk(&out));
}
