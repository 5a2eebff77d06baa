//! Two whole campaigns: the initiative of OCS, and Gettysburg's random events. The players choose what the campaign has
//! to show, and Ann and Bob vary their shares of the dice until the wanted dice come out.

use sealed_dice::{
    blob::{
        Body, Kind, Verified,
        body::{Charter, Contribution, Declare, Hex32, SetKind},
    },
    conformance,
    game::{
        node::Past,
        rules::{course, secrets},
        terms::Player,
    },
    resolve::{Awaits, Place},
};
use serde_json::{Value, json};

use crate::{
    events,
    games::Scenario,
    kit::{Ann, Bob, Table, Who, bytes, object},
    turns::{self, decide, noted, open_note, other, phase_of, public},
};

/// Seals, declares and opens a place, with a contribution that gives the wanted dice. Before that, the other player
/// seals a standing note if `note` is given, and opens it at the end if it is due.
pub(crate) fn deal(
    table: &mut Table,
    who: Who,
    at: &str,
    input: Value,
    note: Option<&str>,
    sides: &[u64],
    wanted: impl Fn(&[u64]) -> bool,
) -> Value {
    let seal = table.seal(other(who), SetKind::Plain, at);
    let note = note.map(|says| noted(table, other(who), at, says));
    let declaration = deal_on(table, who, at, input, seal, sides, wanted);
    table.reveal(other(who), declaration);
    if let Some(note) = note.filter(|note| is_due(table, note)) {
        open_note(table, other(who), note, declaration);
    }
    public(table, declaration)
}

/// Declares like `deal`, on a set that is already sealed, and does not open it.
pub(crate) fn deal_on(
    table: &mut Table,
    who: Who,
    at: &str,
    input: Value,
    seal: Hex32,
    sides: &[u64],
    wanted: impl Fn(&[u64]) -> bool,
) -> Hex32 {
    let mut declare = table.declaration(who, at, object(input), seal, None);
    let seed = seed(table, other(who), seal);
    let contribution = (1..).map(|n| bytes(&format!("{at}: contribution {n}"))).find(|contribution| {
        declare.contribution = Some(Contribution::Open(*contribution));
        wanted(&dice(table, who, &declare, seal, seed, *contribution, sides))
    });
    declare.contribution = contribution.map(Contribution::Open);
    table.send(who, Body::Declare(Box::new(declare)))
}

/// Whether a note is due when all letters are known.
fn is_due(table: &Table, note: &Hex32) -> bool {
    table.with_ledger(|ledger| {
        let due = Player::BOTH.into_iter().flat_map(|player| secrets::due_notes(ledger, player));
        due.into_iter().any(|(_, set)| set.node.id() == *note)
    })
}

/// Returns the seed in the only envelope of a set.
fn seed(table: &Table, sealer: Who, seal: Hex32) -> Hex32 {
    let (master, place) = (table.master(sealer, seal), Place { index: 0, line: 0 });
    table.with_ledger(|ledger| {
        let context = &ledger.set(&seal).expect("a set").context;
        Hex32(*context.seed(&context.key(&master, place), place).expose())
    })
}

/// Returns the dice of a declaration as it would be signed (dice 1 to 4).
fn dice(
    table: &Table,
    who: Who,
    declare: &Declare,
    seal: Hex32,
    seed: Hex32,
    contribution: Hex32,
    sides: &[u64],
) -> Vec<u64> {
    let signer = table.signer(who);
    let body = Body::Declare(Box::new(declare.clone()));
    let (message, _) = Verified::sign(signer.next_head(Kind::Declare), body, signer.key()).expect("a letter");
    let given = json!({
        "contribution": contribution, "declaration": message.id(), "index": 0, "line": 1, "seal": seal, "seed": seed,
        "sides": sides,
    });
    let rolled = conformance::compute("dice", &given);
    rolled["values"].as_array().expect("dice").iter().filter_map(Value::as_u64).collect()
}

pub(crate) fn state(table: &Table) -> Value {
    table.with_ledger(|ledger| {
        let (phase, _) = ledger.terms.courses().next().expect("a course");
        course::reached(ledger, phase, Past::ALL).state.map_or(Value::Null, Value::Object)
    })
}

/// A campaign of OCS. The player who holds the initiative declares each turn; `wanted` takes each player's total, Ann's
/// first.
struct Initiative(Table);

impl Initiative {
    fn rolls(
        &mut self,
        turn: u64,
        markers: &[&str],
        more: Value,
        note: Option<&str>,
        wanted: impl Fn(u64, u64) -> bool,
    ) -> Value {
        let before = state(&self.0);
        let who = if before["holder"] == "bob" { Bob } else { Ann };
        let mut input = json!({ "markers": markers, "order": null, "pop": null });
        for (field, value) in more.as_object().expect("an object") {
            input[field] = value.clone();
        }
        let total = |dice: &[u64]| wanted(dice[0] + dice[1], dice[2] + dice[3]);
        deal(&mut self.0, who, &turns::at(turn), input, note, &[6; 4], total)
    }

    fn chooses(&mut self, turn: u64, who: Who, order: &str) {
        decide(&mut self.0, who, &turns::at(turn), "order", json!(order));
    }

    /// Checks the turn, who holds the initiative, who goes first, the Bar, and whether the next turn is in Flux.
    fn stands(&self, turn: u64, holder: Option<&str>, first: &str, bar: &[&str]) {
        let state = state(&self.0);
        let wanted = json!({ "turn": turn, "holder": holder, "first": first, "bar": bar, "flux": holder.is_none() });
        assert!(crate::contains(&state, &wanted) && state["pending"].is_null(), "turn {turn}: {state}");
    }
}

pub(crate) fn initiative(s: &mut Scenario<'_>) {
    let mut i = Initiative(Table::begin_with("a campaign of the initiative", |charter| {
        turns::with_initiative(charter, None);
    }));
    let all = ["m1", "m2", "m3", "m4", "m5"];
    let none = || json!({});
    // A tie in Flux: both roll again, and Ann goes first.
    let seal_and_tie = i.rolls(1, &[], none(), None, |ann, bob| ann == bob);
    assert!(seal_and_tie["rounds"].as_array().expect("rounds").len() > 1);
    let by = if seal_and_tie["controller"] == "ann" { Ann } else { Bob };
    i.chooses(1, by, if by == Ann { "first" } else { "second" });
    i.stands(1, Some("ann"), "ann", &[]);
    i.rolls(2, &all, none(), None, |ann, bob| ann > bob);
    i.chooses(2, Ann, "first");
    i.stands(2, Some("ann"), "ann", &[]);
    // Ann is two behind and pops exactly two markers. In the next turn she pops one more, by the order in the
    // declaration.
    i.rolls(3, &all, none(), None, |ann, bob| bob == ann + 2);
    decide(&mut i.0, Ann, &turns::at(3), "pop", json!(["m4", "m2"]));
    i.stands(3, Some("ann"), "ann", &["m2", "m4"]);
    let pop = json!({ "pop": { "at_most": 2, "from": ["m5", "m1"] } });
    i.rolls(4, &["m1", "m3", "m5"], pop, None, |ann, bob| bob == ann + 1);
    i.stands(4, Some("ann"), "ann", &["m2", "m4", "m5"]);
    // The markers stay on the Bar while Ann goes first.
    i.rolls(5, &["m1", "m3"], none(), None, |ann, bob| ann == bob);
    i.chooses(5, Ann, "first");
    i.stands(5, Some("ann"), "ann", &["m2", "m4", "m5"]);
    // Ann does not pop, and Bob goes second. Ann keeps the initiative, and the markers on the Bar go back.
    i.rolls(6, &["m1", "m3"], none(), None, |ann, bob| bob == ann + 1);
    decide(&mut i.0, Ann, &turns::at(6), "pop", json!([]));
    i.chooses(6, Bob, "second");
    i.stands(6, Some("ann"), "ann", &[]);
    i.rolls(7, &all, none(), None, |ann, bob| bob == ann + 3);
    decide(&mut i.0, Ann, &turns::at(7), "pop", json!(["m1", "m2", "m3"]));
    // Ann goes second by an order. The initiative passes, and the markers on the Bar go back.
    i.rolls(8, &["m4"], json!({ "order": "second" }), None, |ann, bob| ann > bob);
    i.stands(8, Some("bob"), "bob", &[]);
    // Bob is behind by more markers than he has. Ann's note says what she wants. Nobody holds the initiative after
    // that.
    i.rolls(9, &["b1"], none(), Some(r#"{"order":"first"}"#), |bob, ann| ann > bob + 1);
    i.stands(9, None, "ann", &[]);
    // Flux: Bob controls and goes second. The player who goes first holds the initiative.
    i.rolls(10, &[], none(), None, |ann, bob| bob > ann);
    i.chooses(10, Bob, "second");
    i.stands(10, Some("ann"), "ann", &[]);
    // An order to pop at most one marker pops nothing when two are needed. Bob's note says nothing, so he decides: he
    // goes first.
    let pop = json!({ "pop": { "at_most": 1, "from": ["m1", "m2"] } });
    i.rolls(11, &all, pop, Some("first, if you please"), |ann, bob| bob == ann + 2);
    i.chooses(11, Bob, "first");
    i.stands(11, None, "bob", &[]);
    // Flux: Bob goes first and holds the initiative; he keeps it at a tie.
    i.rolls(12, &[], none(), None, |ann, bob| bob > ann);
    i.chooses(12, Bob, "first");
    i.stands(12, Some("bob"), "bob", &[]);
    i.rolls(13, &["b1"], none(), None, |bob, ann| ann == bob);
    i.chooses(13, Bob, "second");
    i.stands(13, Some("ann"), "ann", &[]);
    i.0.close_all();
    s.good(
        "campaign-initiative",
        "4 to 14",
        "thirteen turns: every row of rule 12, a tie in Flux, pops to the exact number, refusals, notes; closed",
        &i.0,
    );
}

/// Gives a charter Gettysburg's events, with the file unchanged.
fn with_events(charter: &mut Charter) {
    let mut settings = events::settings();
    for (name, value) in [
        ("fire_dice", json!("sum")),
        ("july_2", json!(7)),
        ("july_3", json!(10)),
        ("longstreet_from", json!(2)),
        ("longstreet_regular", json!(5)),
        ("mclaws_regular", json!(5)),
        ("hood_regular", json!(5)),
    ] {
        settings[name] = value;
    }
    let phase = |phase: &str, impulse: u64| phase_of("event-tables", phase, impulse, settings.clone());
    charter.tables.insert("event-tables".into(), events::file("gettysburg-events"));
    charter.phases = vec![phase("first-events", 1), phase("second-events", 2)];
}

const D6: u64 = 6;

struct Gettysburg {
    table: Table,
    turn: u64,
    /// The leaders who have left the game, and the orders that were accepted.
    gone: Vec<&'static str>,
    /// The leader who succeeded the army commander.
    army: Option<&'static str>,
    /// The state of the order to I Corps.
    status: &'static str,
    longstreet_lost: bool,
}

impl Gettysburg {
    fn at(&self, who: Who) -> String {
        let place = if who == Bob { "1/first-events" } else { "2/second-events" };
        format!("{}/{place}/1", self.turn)
    }

    fn input(&self, who: Who) -> Value {
        let leader = |name: &'static str, echelon: &str, rating: u64| {
            let echelon = if self.army == Some(name) { "army" } else { echelon };
            let second = u64::from(rating == 0 && echelon == "brigade");
            json!({
                "name": name, "echelon": echelon, "rating": rating, "second": second, "distance": 3,
                "replacement": self.army == Some(name), "longstreet": name == "Longstreet",
            })
        };
        let order =
            |name: &str, status: &str| json!({ "name": name, "status": status, "to_corps": true, "divisions": 2 });
        let unit = |name: &str| json!({ "name": name, "beside_own": true, "distance": 2 });
        let (facts, mut roster) = match who {
            Bob => (
                json!({
                    "longstreet_attacks": false, "longstreet_casualty": self.longstreet_lost, "longstreet_in_range": false,
                    "wrecked": 6,
                }),
                json!({
                    "leader": [
                        leader("Lee", "army", 4), leader("Longstreet", "corps", 4), leader("Ewell", "corps", 2),
                        leader("A. P. Hill", "corps", 3), leader("Archer", "brigade", 0),
                    ],
                    "order": [order("I Corps", self.status), order("II Corps", "D1")],
                    "brigade": [{ "name": "Archer" }, { "name": "Davis" }],
                }),
            ),
            _ => (
                json!({ "lost_ratings": 0, "wrecked": 3 }),
                json!({
                    "leader": [
                        leader("Meade", "army", 3), leader("Wadsworth", "division", 2), leader("Doubleday", "division", 2),
                        leader("Robinson", "division", 3), leader("Barlow", "division", 2), leader("Paul", "brigade", 0),
                        leader("Cutler", "brigade", 0), leader("Meredith", "brigade", 2), leader("Stone", "brigade", 1),
                        leader("Biddle", "brigade", 1),
                    ],
                    "corps": [{ "name": "I", "attacking": true }, { "name": "XI" }, { "name": "III", "attacking": true }],
                    "brigade": [{ "name": "Iron Brigade" }, { "name": "Stone's" }],
                    "unit": [unit("24 Mich"), unit("2 Wis")],
                }),
            ),
        };
        for entries in roster.as_object_mut().expect("kinds").values_mut() {
            let entries = entries.as_array_mut().expect("entries");
            entries.retain(|entry| !self.gone.iter().any(|gone| entry["name"] == *gone));
        }
        json!({ "facts": facts, "roster": roster })
    }

    /// Rolls for a side. Afterwards the last run must have ended at the event in `comes`, void or not, or the turn must
    /// await the decision that it names.
    fn rolls(&mut self, who: Who, sides: &[u64], wanted: impl Fn(&[u64]) -> bool, comes: (&str, Option<&str>)) {
        self.rolls_with(who, None, sides, wanted, comes);
    }

    fn rolls_with(
        &mut self,
        who: Who,
        note: Option<&str>,
        sides: &[u64],
        wanted: impl Fn(&[u64]) -> bool,
        comes: (&str, Option<&str>),
    ) {
        if who == Bob {
            self.turn += 1;
        }
        let (at, input) = (self.at(who), self.input(who));
        let public = deal(&mut self.table, who, &at, input, note, sides, wanted);
        self.comes(&public, comes);
    }

    /// Rolls more dice for the turn.
    fn more(&mut self, who: Who, sides: &[u64], wanted: impl Fn(&[u64]) -> bool, comes: (&str, Option<&str>)) {
        let at = self.at(who);
        let at = format!("{}2", at.strip_suffix('1').expect("a number"));
        let public = deal(&mut self.table, who, &at, json!({}), None, sides, wanted);
        self.comes(&public, comes);
    }

    fn comes(&self, public: &Value, (what, void): (&str, Option<&str>)) {
        let needs = self.awaited();
        if let Some(asked) = what.strip_prefix("asks ") {
            assert_eq!(Some(asked), needs.as_deref(), "turn {}: {public:#}", self.turn);
            return;
        }
        let last = public["log"].as_array().and_then(|log| log.last()).expect("a log");
        assert_eq!((&last["end"], &last["void"]), (&json!(what), &json!(void)), "turn {}: {public:#}", self.turn);
        assert_eq!(needs, None, "turn {}", self.turn);
    }

    fn awaited(&self) -> Option<String> {
        self.table.with_ledger(|ledger| {
            let (phase, course) = ledger.terms.courses().next()?;
            match course.awaits(&course::reached(ledger, phase, Past::ALL).state?).ok()? {
                Awaits::Decision { name, by, .. } => Some(format!("{name} of {by}")),
                Awaits::More(by) => Some(format!("more of {}", by?)),
                Awaits::Turn(_) => None,
            }
        })
    }

    /// Decides about the last roll, and checks which decision is awaited then.
    fn decides(&mut self, who: Who, number: u64, decision: &str, value: Value, then: Option<&str>) {
        let owner = if state(&self.table)["side"] == "union" { Ann } else { Bob };
        let at = self.at(owner);
        let at = format!("{}{number}", at.strip_suffix('1').expect("a number"));
        decide(&mut self.table, who, &at, decision, value);
        assert_eq!(self.awaited().as_deref(), then, "turn {}: {}", self.turn, state(&self.table));
    }
}

fn sum(dice: &[u64], of: u64) -> bool {
    dice[0] + dice[1] == of
}

/// Whether a roll on the main table leads to the leader table, and the roll there is between `least` and `most`.
fn leads(dice: &[u64], least: u64, most: u64) -> bool {
    [3, 4, 7].contains(&(dice[0] + dice[1])) && (least..=most).contains(&(10 * dice[2] + dice[3]))
}

pub(crate) fn gettysburg(s: &mut Scenario<'_>) {
    let mut g = Gettysburg {
        table: Table::begin_with("a campaign of Gettysburg", with_events),
        turn: 0,
        gone: Vec::new(),
        army: None,
        status: "transit",
        longstreet_lost: false,
    };
    first_day(&mut g);
    second_day(&mut g);
    third_day(&mut g);
    let end = state(&g.table);
    let used = json!({
        "ambush": null, "arrest": { "union": 1 }, "buford": { "union": 1 }, "longstreet-early": { "confederate": 1 },
        "longstreet-late": { "confederate": 1 },
    });
    assert!(used.as_object().expect("counts").iter().all(|(event, n)| end["used"][event] == *n), "{end:#}");
    g.table.close_all();
    s.good(
        "campaign-gettysburg",
        "12 to 21",
        "thirteen turns of Gettysburg: all of its events, every kind of decision, notes, limits, days; closed",
        &g.table,
    );
}

fn first_day(g: &mut Gettysburg) {
    // Turn 1: one of two orders is accepted. Sickles gets an order, and Bob declines it.
    g.rolls(Bob, &[D6, D6, 2], |d| sum(d, 6) && d[2] == 2, ("immediate-acceptance", None));
    g.gone.push("II Corps");
    g.rolls(Ann, &[D6, D6], |d| sum(d, 5), ("asks sickles of bob", None));
    g.decides(Bob, 1, "sickles", json!("decline"), None);
    // Turn 2: Longstreet might come, but does not. Bob's note decides where Sickles goes.
    g.rolls(Bob, &[D6; 4], |d| sum(d, 5) && sum(&d[2..], 8), ("longstreet-at-once", None));
    g.rolls_with(Ann, Some(r#"{"sickles":"accept"}"#), &[D6, D6], |d| sum(d, 5), ("asks more of ann", None));
    g.more(Ann, &[3], |d| d[0] == 3, ("asks loose-cannon of bob", None));
    g.decides(Bob, 2, "loose-cannon", json!([["attack Herr Ridge"]]), None);
    // Turn 3: Longstreet waits again, and an order in transit is delayed. Sickles has already gone today.
    g.rolls(Bob, &[D6; 4], |d| d[0] + d[1] < 10 && sum(&d[2..], 8), ("orders-delay", None));
    g.rolls(Ann, &[D6, D6], |d| sum(d, 5), ("sickles", Some("limit")));
    // Turn 4: Longstreet waits, and divisions take up the order. A division commander is lost, from a pool of three.
    g.status = "D2";
    g.rolls(Bob, &[D6; 4], |d| d[0] + d[1] < 10 && sum(&d[2..], 9), ("drags-his-feet", None));
    let asks = ("asks division-loss-enemy of bob", None);
    g.rolls(Ann, &[D6; 4], |d| leads(d, 21, 25), asks);
    let then = Some("division-loss-owner of ann");
    g.decides(Bob, 1, "division-loss-enemy", json!(["Wadsworth", "Doubleday"]), then);
    g.decides(Ann, 1, "division-loss-owner", json!(["Barlow"]), Some("more of ann"));
    g.more(Ann, &[3, D6], |d| d[0] == 3 && d[1] < 5, ("casualty", None));
    g.gone.push("Barlow");
    // Turn 5: the schedule brings Longstreet, and a division accepts. The missing row 2 checks for panic, and there is
    // one.
    g.rolls(
        Bob,
        &[D6; 5],
        |d| d[0] >= 2 && sum(&d[1..], 2) && d[3] <= 3 && (d[3] < 3 || d[4] <= 3),
        ("asks division of bob", None),
    );
    g.decides(Bob, 1, "division", json!([["Hood"]]), None);
    g.rolls(Ann, &[D6; 4], |d| sum(d, 12) && d[2..] != [1, 1], ("panic-check", Some("nothing")));
    // Turn 6: no division accepts. Lee is killed, and Bob names the ranking leader. A brigade commander is arrested.
    g.rolls(Bob, &[D6; 6], |d| d[0] == 1 && leads(&d[1..], 11, 11) && d[5] == 6, ("asks successor of bob", None));
    g.decides(Bob, 1, "successor", json!("Ewell"), None);
    g.gone.push("Lee");
    g.army = Some("Ewell");
    g.rolls(Ann, &[D6, D6, D6, D6, D6, 2], |d| leads(d, 42, 44) && d[4] < 5 && d[5] == 1, ("arrest", None));
    g.gone.push("Paul");
}

fn second_day(g: &mut Gettysburg) {
    // Turn 7: the last division accepts, and Longstreet moves to the right. Three decisions are awaited, but no die.
    // Buford goes.
    g.rolls(Bob, &[D6; 3], |d| d[0] >= 2 && sum(&d[1..], 5), ("asks division of bob", None));
    g.decides(Bob, 1, "division", json!([["McLaws"]]), Some("longstreet-order of bob"));
    g.decides(Bob, 1, "longstreet-order", json!([["attack the Round Tops"]]), Some("longstreet-move of bob"));
    g.decides(Bob, 1, "longstreet-move", json!("yes"), None);
    g.gone.push("I Corps");
    g.rolls(Ann, &[D6, D6], |d| sum(d, 9), ("buford", None));
    // Turn 8: events that happen once in a game.
    g.rolls(Bob, &[D6, D6], |d| sum(d, 5), ("longstreet-late", Some("limit")));
    g.rolls(Ann, &[D6, D6], |d| sum(d, 9), ("buford", Some("limit")));
    // Turn 9: both sides have an ambush, and none of Bob's orders is left.
    g.rolls(Bob, &[D6, D6, 2], |d| sum(d, 10) && d[2] == 1, ("ambush", None));
    g.rolls(Ann, &[D6, D6, 2], |d| sum(d, 10) && d[2] == 2, ("ambush", None));
}

fn third_day(g: &mut Gettysburg) {
    // Turn 10: Longstreet is lost. The attack of a corps stops.
    g.rolls(Bob, &[D6, D6, D6, D6, 2, D6], |d| leads(d, 12, 16) && d[4] == 1 && d[5] < 5, ("casualty", None));
    g.gone.push("Longstreet");
    g.longstreet_lost = true;
    g.rolls(Ann, &[D6, D6, 2], |d| sum(d, 11) && d[2] == 2, ("stoppage", None));
    // Turn 11: Longstreet no longer moves anywhere. Bob names the unit that is fired at, and then the fire is rolled.
    g.rolls(Bob, &[D6, D6], |d| sum(d, 5), ("longstreet-right", Some("when")));
    g.rolls(Ann, &[D6; 4], |d| leads(d, 45, 53), ("asks friendly-fire of bob", None));
    g.decides(Bob, 1, "friendly-fire", json!("2 Wis"), Some("more of ann"));
    g.more(Ann, &[D6, D6], |d| sum(d, 7), ("friendly-fire", None));
    // Turn 12: regiments stray, chosen by their owner and by the enemy.
    g.rolls(Bob, &[D6; 4], |d| leads(d, 64, 66), ("asks enemy-regiments of ann", None));
    g.decides(Ann, 1, "enemy-regiments", json!([]), None);
    g.rolls(Ann, &[D6; 4], |d| leads(d, 54, 63), ("asks regiments of ann", None));
    g.decides(Ann, 1, "regiments", json!([["24 Mich", "A40.10"], ["2 Wis", "A40.11"]]), None);
    // Turn 13: nobody can be arrested. A brigade commander is lost: Bob's note names two, and then Ann names one.
    g.rolls(Bob, &[D6, D6], |d| sum(d, 8), ("orders-delay", Some("nobody")));
    let note = r#"{"brigade-loss-enemy":["Cutler","Meredith"]}"#;
    g.rolls_with(Ann, Some(note), &[D6; 4], |d| leads(d, 26, 41), ("asks brigade-loss-owner of ann", None));
    g.decides(Ann, 1, "brigade-loss-owner", json!(["Biddle"]), Some("more of ann"));
    g.more(Ann, &[3, D6], |d| d[0] == 3 && d[1] > 4, ("casualty", None));
    g.table.with_ledger(|ledger| assert!(course::awaited_choices(ledger).is_empty()));
}
