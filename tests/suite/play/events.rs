//! Gettysburg's random events by letter, and what a cheat meets in them.

use std::{cell::RefCell, collections::BTreeSet};

use sealed_dice::{
    blob::{
        Body,
        body::{Contribution, Decide, Declare, Moves, Name, SetKind, Slot},
    },
    game::{
        ledger::Ledger,
        node::Past,
        rules::{
            course::{self, Choice},
            secrets,
        },
        steps::{self, Request, Signer},
        terms::Player,
    },
    resolve::{Object, Place},
};
use serde_json::{Value, json};

use super::{Match, Seated, audits, out, talk};
use crate::kit::{bytes, change_input, object, slot, text};

/// A campaign ends with this turn even if something has not happened: the pools are empty by then, or nearly.
const LAST: u64 = 20;

/// What Gettysburg's terms leave open. July 2 comes soon, and lasts, so that limits are reached.
const SETTINGS: [(&str, &str); 9] = [
    ("first = \"PUT THE SIDE HERE\"", "first = \"confederate\""),
    ("entry2 = \"panic\"", "entry2 = \"leader\""),
    ("fire_dice = \"PUT THE DICE HERE\"", "fire_dice = \"sum\""),
    ("dt_accepts_on = 0", "dt_accepts_on = 6"),
    ("july_2 = 0", "july_2 = 3"),
    ("july_3 = 0", "july_3 = 40"),
    ("longstreet_from = 0", "longstreet_from = 2"),
    ("longstreet_regular = 0", "longstreet_regular = 7"),
    ("_regular = 0", "_regular = 8"),
];

/// The file as these players have edited their copy: the printed events by other dice, so that twelve turns have them all.
const ROWS: [(&str, &str, &str); 3] = [
    (
        "[tables.union-events]",
        "d18",
        r#"1 = "row-2"
2-11 = "leader-table"
12-13 = "sickles"
14 = "immediate-acceptance"
15 = "orders-delay"
16 = "buford"
17 = "ambush"
18 = "stoppage"
"#,
    ),
    (
        "[tables.confederate-events]",
        "d15",
        r#"1 = "row-2"
2-3 = "leader-table"
4-10 = "longstreet-right"
11 = "immediate-acceptance"
12 = "orders-delay"
13 = "drags-his-feet"
14 = "ambush"
15 = "stoppage"
"#,
    ),
    (
        "[tables.leader-table]",
        "d66",
        r#"11 = "army-commander"
12 = "corps-commander"
13-32 = "division-commander"
33-53 = "brigade-commander"
54 = "arrest"
55-61 = "friendly-fire"
62-63 = "own-regiments"
64-66 = "enemy-moves-regiments"
"#,
    ),
];

/// The file with those rows.
fn edited(file: &str) -> String {
    ROWS.iter().fold(file.to_owned(), |file, (head, dice, rows)| {
        let (before, table) = file.split_once(&format!("{head}\n")).expect("the table");
        let (_, after) = table.split_once("\n\n").expect("what follows");
        let name = head.trim_end_matches(']');
        format!("{before}{head}\ndice = \"{dice}\"\n{name}.rows]\n{rows}\n{after}")
    })
}

/// Battles behind the events of each half of a turn.
const COMBAT: &str = r#"
[[phases]]
name = "ann-combat"
declarer = "ann"
impulses = [1, 2]
system = "coin-envelopes"

[[phases]]
name = "bob-combat"
declarer = "bob"
impulses = [1, 2]
system = "coin-envelopes"
"#;

const ARMY: [(&str, [&[&str]; 4]); 2] = [
    (
        "confederate",
        [
            &["Archer", "Davis", "Iverson", "Daniel", "Gordon", "Hoke", "Avery", "Kemper"],
            &["Hood", "McLaws", "Pickett", "Early", "Rodes", "Heth", "Pender"],
            &["Longstreet", "Ewell", "A. P. Hill"],
            &["Lee"],
        ],
    ),
    (
        "union",
        [
            &["Paul", "Cutler", "Meredith", "Stone", "Biddle", "Rowley", "Ames", "Baxter"],
            &["Wadsworth", "Doubleday", "Robinson", "Barlow", "Schurz", "Gibbon", "Hays"],
            &["Reynolds", "Hancock", "Sickles"],
            &["Meade"],
        ],
    ),
];

/// A place of the campaign: both sides roll once in each turn.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Roll {
    turn: u64,
    side: usize,
}

impl Roll {
    const FIRST: Self = Self { turn: 1, side: 0 };

    fn next(self) -> Self {
        if self.side == 0 { Self { side: 1, ..self } } else { Self { turn: self.turn + 1, side: 0 } }
    }

    fn at(self, number: u64) -> String {
        let (impulse, phase) = [(1, "first-events"), (2, "second-events")][self.side];
        format!("{}/{impulse}/{phase}/{number}", self.turn)
    }

    fn side(self) -> &'static str {
        ARMY[self.side].0
    }
}

/// A campaign under way.
pub(super) struct Campaign {
    pub(super) table: Match,
    /// What has left the game, by side, kind and name.
    gone: RefCell<BTreeSet<String>>,
    /// How the course stood when it was looked at last.
    seen: RefCell<Look>,
}

/// How a course stands, as Ann knows it.
#[derive(Clone, Default)]
struct Look {
    state: Value,
    choice: Option<Choice>,
    /// The declaration that was settled last, and what came of it.
    rolled: Option<(Slot, Value)>,
}

impl Look {
    fn at(player: &Seated) -> Self {
        player.replay(|ledger, _| {
            let rolled = ledger.declarations().filter_map(|found| {
                let public = course::public(ledger, &found.node.id())?;
                Some((found.declare.slot.clone(), public.read().expect("an object")))
            });
            let (phase, _) = ledger.terms.courses().next().expect("a course");
            let state = course::reached(ledger, phase, Past::ALL)
                .state
                .map_or(json!({ "pending": "an open roll" }), Value::Object);
            Self { state, choice: course::awaited_choices(ledger).into_iter().next(), rolled: rolled.last() }
        })
    }

    /// Who rolls when nothing is open any more.
    fn next(&self) -> Roll {
        let turn = self.state["turn"].as_u64().unwrap_or_default();
        let last = ARMY.iter().position(|(side, _)| self.state["side"] == *side);
        last.map_or(Roll::FIRST, |side| Roll { turn, side }.next())
    }
}

/// Terms with nothing left to say, as their author changes them last.
pub(super) fn terms(table: &Match, change: impl FnOnce(String) -> String) -> String {
    let tables = table.ann.does(&["game", "template", "gettysburg-tables"]);
    table.file("gettysburg-tables.toml", &edited(&tables));
    table.terms_of("gettysburg-events", |terms| {
        change(SETTINGS.iter().fold(terms, |terms, (open, filled)| terms.replace(open, filled)))
    })
}

impl Campaign {
    pub(super) fn at(table: Match) -> Self {
        Self { table, gone: RefCell::default(), seen: RefCell::default() }
    }

    fn begun(name: &str, more: &str) -> Self {
        let table = Match::seated(name);
        let terms = terms(&table, |terms| format!("{terms}\n{more}"));
        table.mail(&table.ann, &["game", "new", &terms]);
        let fingerprint = table.ann.public()["fingerprint"].as_str().expect("a fingerprint").to_owned();
        let campaign = Self::at(table);
        campaign.table.file("TURN.toml", &written(&campaign.situation(Roll::FIRST)));
        campaign.table.mail(&campaign.table.bob, &["game", "accept", "--fingerprint", &fingerprint]);
        campaign.table.mail(&campaign.table.ann, &["reply"]);
        campaign
    }

    /// Who rolls: Bob leads the Confederates.
    fn owner(&self, roll: Roll) -> &Seated {
        if roll.side == 0 { &self.table.bob } else { &self.table.ann }
    }

    fn enemy(&self, roll: Roll) -> &Seated {
        self.table.other(self.owner(roll))
    }

    fn who(&self, choice: &Choice) -> &Seated {
        if choice.by.as_str() == "ann" { &self.table.ann } else { &self.table.bob }
    }

    /// The situation of a side as its player sees it, by all that the letters have established.
    fn situation(&self, roll: Roll) -> Value {
        let Look { state, .. } = &*self.seen.borrow();
        let (side, [brigades, divisions, corps, army]) = ARMY[roll.side];
        let mark = |name: &str| state["marks"][side][name].as_u64().unwrap_or_default();
        let leaders = [(brigades, "brigade"), (divisions, "division"), (corps, "corps"), (army, "army")];
        let leaders: Vec<Value> = leaders
            .into_iter()
            .flat_map(|(names, echelon)| names.iter().enumerate().map(move |(i, name)| (i, *name, echelon)))
            .map(|(i, name, echelon)| {
                json!({
                    "name": name, "echelon": echelon, "rating": i % 3, "second": 0, "distance": 3,
                    "longstreet": false, "replacement": false,
                })
            })
            .collect();
        let orders: Vec<Value> = (1..=3 + roll.turn / 4)
            .map(|n| {
                let status = if n % 3 == 0 { "transit" } else { "D2" };
                json!({ "name": format!("order {n}"), "status": status, "to_corps": true, "divisions": 2 })
            })
            .collect();
        let three = |kind: &str, of: fn(usize) -> Value| -> Vec<Value> {
            let named = (1..=3).map(|n| (n, format!("{kind} {n}")));
            named
                .map(|(n, name)| {
                    let mut entry = of(n);
                    entry["name"] = json!(name);
                    entry
                })
                .collect()
        };
        let mut roster = json!({
            "leader": leaders,
            "order": orders,
            "corps": three("corps", |n| json!({ "attacking": n < 3 })),
            "brigade": three("brigade", |_| json!({ "enemy": false })),
            "unit": three("unit", |_| json!({ "beside_own": true, "distance": 2 })),
        });
        for (kind, entries) in roster.as_object_mut().expect("kinds") {
            let entries = entries.as_array_mut().expect("entries");
            let key = |entry: &Value| format!("{side}/{kind}/{}", entry["name"].as_str().expect("a name"));
            entries.retain(|entry| !self.gone.borrow().contains(&key(entry)));
            for entry in entries {
                for (name, value) in state["entries"][key(entry)].as_object().into_iter().flatten() {
                    match name.as_str() {
                        "status" => entry["status"] = value.clone(),
                        "promoted" => (entry["echelon"], entry["replacement"]) = (json!("army"), json!(true)),
                        _ => {}
                    }
                }
            }
        }
        let facts = match side {
            "union" => json!({ "lost_ratings": 10 + mark("ratings_lost"), "wrecked": 10 }),
            _ => json!({
                "longstreet_attacks": false, "longstreet_casualty": mark("longstreet_lost") > 0,
                "longstreet_in_range": false, "wrecked": 6,
            }),
        };
        json!({ "facts": facts, "roster": roster })
    }

    /// Looks how all stands, and remembers who is gone, as a player does on his map.
    fn looks(&self) {
        let look = Look::at(&self.table.ann);
        for (entry, fields) in look.state["entries"].as_object().into_iter().flatten() {
            if ["wounded", "killed", "arrested", "accepted"].iter().any(|mark| fields.get(mark).is_some()) {
                self.gone.borrow_mut().insert(entry.clone());
            }
        }
        *self.seen.borrow_mut() = look;
    }

    /// What whoever follows the statuses types next.
    pub(super) fn prepare(&self) {
        self.looks();
        let Look { state, choice, .. } = self.seen.borrow().clone();
        let next = self.seen.borrow().next();
        let turn = if state["pending"].is_null() { written(&self.situation(next)) } else { String::new() };
        self.table.file("TURN.toml", &turn);
        self.table.file("CHOICE.txt", &choice.map_or_else(String::new, |choice| allowed(&choice.answers.to_string())));
    }

    /// A mail in some turn. In the first turns everything is tried out that the statuses then offer.
    fn sends(&self, roll: Roll, from: &Seated, args: &[&str]) {
        let mail = self.table.posts(from, args);
        self.table.other(from).reads(&mail);
        if roll.turn > 2 {
            return;
        }
        self.prepare();
        self.table.look();
    }

    /// Declares a place, which the other opens.
    fn rolls(&self, roll: Roll, number: u64, input: &str) {
        let (owner, enemy) = (self.owner(roll), self.enemy(roll));
        let turn = self.table.file("turn.toml", input);
        self.sends(roll, owner, &["declare", &roll.at(number), &turn, "--no-moves", "--skip"]);
        self.sends(roll, enemy, &["reply"]);
    }

    /// Opens a standing note that is due.
    fn opens(&self, roll: Roll, signer: &Seated) -> bool {
        let due = signer.replay(|ledger, me| !secrets::due_notes(ledger, me).is_empty());
        if due {
            self.sends(roll, signer, &["reply"]);
        }
        due
    }

    /// Makes the decisions that a place awaits, and rolls on, until it is settled, or until some decision is awaited.
    fn goes_on(&self, roll: Roll, seen: &mut Seen, until: impl Fn(&Choice) -> bool) -> Option<Choice> {
        let mut number = 1;
        loop {
            self.looks();
            let Look { state, choice, rolled } = self.seen.borrow().clone();
            seen.log(&rolled.expect("a roll"));
            match choice {
                Some(choice) if until(&choice) => return Some(choice),
                Some(choice) => {
                    seen.chooses(&choice, roll);
                    let name = choice.name.as_str();
                    let value = match name {
                        "regiments" | "enemy-regiments" => "7 Wis > A40.10; 2 Wis > A40.11".into(),
                        "division" => format!("the one of turn {}", roll.turn),
                        _ => allowed(&choice.answers.to_string()),
                    };
                    self.sends(roll, self.who(&choice), &["decide", &roll.at(number), name, &value]);
                }
                None if state["pending"].is_null() => {
                    if roll.side == 1 {
                        assert_eq!(state, Look::at(&self.table.bob).state);
                    }
                    return None;
                }
                None if self.opens(roll, self.enemy(roll)) || self.opens(roll, self.owner(roll)) => {}
                None => {
                    number += 1;
                    seen.note("more is rolled");
                    let at = roll.at(number);
                    let is_sealed = |ledger: &Ledger<'_>, me| ledger.sealed(me, SetKind::Plain, &at).is_some();
                    if !self.enemy(roll).replay(is_sealed) {
                        self.sends(roll, self.enemy(roll), &["reply"]);
                    }
                    self.rolls(roll, number, "");
                }
            }
        }
    }
}

/// The input of a turn, as its player writes it.
fn written(input: &Value) -> String {
    let entry = |entry: &Value| {
        let fields = entry.as_object().expect("an entry").iter();
        format!("  {{ {} }},\n", fields.map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", "))
    };
    let mut out = String::new();
    for part in ["facts", "roster"] {
        out.push_str(&format!("[{part}]\n"));
        for (name, value) in input[part].as_object().into_iter().flatten() {
            let value = match value.as_array() {
                Some(entries) if part == "roster" => {
                    format!("[\n{}]", entries.iter().map(entry).collect::<String>())
                }
                _ => value.to_string(),
            };
            out.push_str(&format!("{name} = {value}\n"));
        }
    }
    out
}

/// Something that may be chosen, from what a player is told.
fn allowed(what: &str) -> String {
    if let Some(names) = what.strip_prefix("exactly ") {
        let (n, names) = names.split_once(" of ").expect("names");
        return names.split(", ").take(n.parse().expect("a number")).collect::<Vec<_>>().join(", ");
    }
    if let Some(names) = what.strip_prefix("one of ") {
        return names.split(", ").next().expect("a name").to_owned();
    }
    if what.starts_with("0 to") {
        return "none".into();
    }
    what.split_once(" or ").map_or("as he likes", |(word, _)| word).to_owned()
}

/// What has happened so far.
#[derive(Default)]
struct Seen {
    happened: BTreeSet<&'static str>,
    /// Where no event happened in this campaign because its limit was reached.
    limit: Option<Slot>,
}

impl Seen {
    const ALL: [&'static str; 7] = [
        "the enemy picks",
        "the owner picks",
        "somebody decides otherwise",
        "more is rolled",
        "the enemy's standing note",
        "the owner's standing note",
        "no event: limit",
    ];

    fn has(&self, what: &str) -> bool {
        self.happened.contains(what)
    }

    fn note(&mut self, what: &'static str) {
        assert!(Self::ALL.contains(&what), "{what}");
        self.happened.insert(what);
    }

    fn lacks(&self) -> Vec<&'static str> {
        Self::ALL.into_iter().filter(|what| !self.has(what)).collect()
    }

    fn is_complete(&self) -> bool {
        self.lacks().is_empty()
    }

    fn chooses(&mut self, choice: &Choice, roll: Roll) {
        let name = choice.name.as_str();
        let is_owner = (choice.by.as_str() == "bob") == (roll.side == 0);
        self.note(match (name.ends_with("-enemy"), name.ends_with("-owner")) {
            (true, _) => {
                assert!(!is_owner);
                "the enemy picks"
            }
            (_, true) => {
                assert!(is_owner);
                "the owner picks"
            }
            _ => "somebody decides otherwise",
        });
    }

    fn log(&mut self, (at, public): &(Slot, Value)) {
        for entry in public["log"].as_array().expect("a log") {
            if entry["void"] == "limit" {
                self.note("no event: limit");
                self.limit.get_or_insert_with(|| at.clone());
            }
        }
    }
}

/// What either would do, said before anybody rolls; all decisions that can be ordered.
fn standing(roll: Roll) -> String {
    let [brigades, divisions, ..] = ARMY[roll.side].1;
    let units: Vec<String> = (1..=3).map(|n| format!("unit {n}")).collect();
    format!(
        "brigade-loss-enemy = {}\ndivision-loss-enemy = {}\nfriendly-fire = {}\nsickles = \"accept\"\n",
        json!(brigades),
        json!(divisions),
        json!(units)
    )
}

fn of_the_owner(roll: Roll) -> String {
    let [brigades, divisions, corps, _] = ARMY[roll.side].1;
    let last_first = |names: &[&str]| -> Value { names.iter().rev().copied().collect() };
    format!(
        "brigade-loss-owner = {}\ndivision-loss-owner = {}\nsuccessor = {}\n",
        last_first(brigades),
        last_first(divisions),
        json!(corps)
    )
}

/// Plays turns until everything has happened, twelve at least; with whom the next turn would begin.
fn played(campaign: &Campaign, seen: &mut Seen) -> Roll {
    let table = &campaign.table;
    let mut roll = Roll::FIRST;
    while roll.turn <= 12 || roll.side == 1 || (roll.turn <= LAST && !seen.is_complete()) {
        // In every third turn all is ordered beforehand, in the others both are asked, until they were.
        let asked = seen.has("the enemy picks") && seen.has("the owner picks");
        let orders_all = asked || roll.turn.is_multiple_of(3);
        if orders_all && (!seen.has("the enemy's standing note") || roll.turn.is_multiple_of(3)) {
            for (signer, says) in [(campaign.enemy(roll), standing(roll)), (campaign.owner(roll), of_the_owner(roll))] {
                let note = table.file("standing.toml", &says);
                campaign.sends(roll, signer, &["note", &roll.at(1), "standing", &note]);
            }
        }
        campaign.rolls(roll, 1, &written(&campaign.situation(roll)));
        assert!(campaign.goes_on(roll, seen, |_| false).is_none());
        let opened = |signer: &Seated| {
            signer.replay(|ledger, me| {
                let note = ledger.sealed(me, SetKind::Note, &format!("{}/standing", roll.at(1)));
                note.and_then(|note| ledger.set(&note)?.key(Place { index: 0, line: 0 })).is_some()
            })
        };
        for (signer, what) in
            [(campaign.enemy(roll), "the enemy's standing note"), (campaign.owner(roll), "the owner's standing note")]
        {
            if opened(signer) {
                seen.note(what);
            }
        }
        roll = roll.next();
        assert!(campaign.seen.borrow().next() == roll);
    }
    roll
}

#[test]
fn a_campaign_of_twelve_turns_and_more() {
    let mut seen = Seen::default();
    super::until_all_was_seen(|n| {
        let campaign = Campaign::begun(&format!("play-events-{n}"), "");
        let table = &campaign.table;
        seen.limit = None;
        let roll = played(&campaign, &mut seen);
        let told = table.ann.does(&["game", "status"]);
        assert!(told.contains(&format!("turn {} of union", roll.turn - 1)), "{told}");

        campaign.prepare();
        let report = table.closes();
        assert_eq!((&report["verdict"], &report["findings"]), (&json!("verified"), &json!([])), "{report}");
        let end = &report["courses"][0]["state"];
        assert_eq!(
            (&end["turn"], &end["side"], &end["pending"]),
            (&json!(roll.turn - 1), &json!("union"), &Value::Null)
        );
        let page = table.path("report.html");
        let letters = table.bob.letters();
        table.bob.does(&["audit", "--html", &page, letters.to_str().expect("a path")]);
        let page = std::fs::read_to_string(page).expect("a page");
        assert!(page.contains("no event") || seen.limit.is_none(), "an event over its limit is told");
        assert!(page.contains("d18"), "the steps of a turn are told");
        seen.lacks()
    });
}

/// What a cheat signs past his tool.
type Signed = Box<dyn FnOnce(&Ledger<'_>, Player, &Signer) -> Body>;

fn decides(at: String, name: &str, value: Value) -> Signed {
    let name = Name::parse(name).expect("a name");
    Box::new(move |ledger, _, _| {
        let slot = slot(&at);
        Body::Decide(Decide { after: steps::after(ledger, &slot, None), name, slot, value })
    })
}

/// A declaration with an honest input, which is changed before it is signed.
fn declares(at: String, kind: SetKind, input: Value, change: impl FnOnce(&mut Declare) + 'static) -> Signed {
    Box::new(move |ledger, me, _| {
        let request = Request {
            slot: slot(&at),
            moves: Moves::None(()),
            input: text(&object(input)),
            seal: ledger.sealed(me.other(), kind, &at).expect("a sealed set"),
            contribution: Contribution::Open(bytes(&at)),
            redo: None,
        };
        let mut declare = steps::declaration(ledger, me, request).expect("a declaration");
        change(&mut declare);
        Body::Declare(Box::new(declare))
    })
}

impl Campaign {
    /// Signs a letter past the program of one player; whoever reads it finds it, and both checkers blame him alone, by the
    /// rule that it breaks. Without a rule it is an honest one.
    fn is_pinned(&self, what: &str, from: &Seated, rule: Option<&str>, body: Signed) {
        let copy = self.table.copied("a cheat");
        let (from, to, role) = if from.home == self.table.ann.home {
            (&copy.ann, &copy.bob, "ann")
        } else {
            (&copy.bob, &copy.ann, "bob")
        };
        let output = to.run(&["read", "-"], &from.forges(body));
        let letters = to.letters();
        let [ours, theirs] = audits(&letters);
        assert_eq!(ours, theirs, "{what}");
        let findings = ours[0]["findings"].as_array().expect("findings");
        let told = out(&to.run(&["audit", letters.to_str().expect("a path")], ""));
        let told = format!("{what}: {}{}{told}", out(&output), talk(&output));
        match rule {
            Some(rule) => {
                assert_eq!(ours[0]["verdict"], "refuted", "{told}");
                assert!(findings.len() == 1 && findings[0]["culprit"] == role, "{told}");
                assert!(told.contains(rule), "{told}");
            }
            None => assert_eq!((&ours[0]["verdict"], findings.len()), (&json!("verified"), 0), "{told}"),
        }
    }

    /// What the program of a player says when he is about to sign something.
    fn is_refused(&self, from: &Seated, args: &[&str], rule: &str) {
        let why = from.is_refused(&[args, &["--yes"]].concat());
        assert!(why.contains(rule), "{args:?}: {why}");
    }
}

/// Each cheat is refused by the tool that the cheat left behind, and pinned on him when he signs past it.
#[test]
fn cheats_in_a_campaign() {
    let campaign = Campaign::begun("play-events-cheats", COMBAT);
    let mut seen = Seen::default();
    let mut roll = Roll::FIRST;
    let choice = loop {
        assert!(roll.turn <= 100, "no commander was ever lost, and no pool is used up before one is");
        campaign.rolls(roll, 1, &written(&campaign.situation(roll)));
        if let Some(choice) = campaign.goes_on(roll, &mut seen, |choice| choice.name.as_str().ends_with("-enemy")) {
            break choice;
        }
        roll = roll.next();
    };
    before_the_pick(&campaign, roll, &choice);
    campaign.goes_on(roll, &mut seen, |_| false);
    after_the_loss(&campaign, roll, choice.name.as_str());
}

/// The enemy is to name two; he, and the other, try everything else.
fn before_the_pick(campaign: &Campaign, roll: Roll, choice: &Choice) {
    let (owner, enemy, at) = (campaign.owner(roll), campaign.enemy(roll), roll.at(1));
    let told = choice.answers.to_string();
    let names: Vec<&str> = told.strip_prefix("exactly 2 of ").expect("two").split(", ").collect();
    let ask = choice.name.as_str();
    let of_owner = ask.replace("-enemy", "-owner");
    let two = json!([names[0], names[1]]);
    let typed = format!("{},{}", names[0], names[1]);
    campaign.is_pinned("the owner picks for him", owner, Some("decide 4"), decides(at.clone(), ask, two.clone()));
    campaign.is_refused(owner, &["decide", &at, ask, &typed], "decide 4");
    let early = decides(at.clone(), &of_owner, json!([names[2]]));
    campaign.is_pinned("the owner picks before him", owner, Some("decide 4"), early);
    campaign.is_refused(owner, &["decide", &at, &of_owner, names[2]], "decide 4");
    let other = decides(at.clone(), &of_owner, json!([names[2]]));
    campaign.is_pinned("he picks for the owner", enemy, Some("decide 4"), other);
    for (what, wrong) in [
        ("who is not there", vec![names[0], "Napoleon"]),
        ("one of them twice", vec![names[0], names[0]]),
        ("three", names[..3].to_vec()),
        ("one", names[..1].to_vec()),
    ] {
        let value = decides(at.clone(), ask, json!(wrong));
        campaign.is_pinned(&format!("he picks {what}"), enemy, Some("decide 5"), value);
        campaign.is_refused(enemy, &["decide", &at, ask, &wrong.join(",")], "event-tables 18");
    }

    // Whoever has still to choose knows the dice so far, and wants others before he does.
    let next = roll.next();
    let later = Roll { turn: roll.turn + 1, ..roll };
    let (mine, his) = (campaign.situation(roll), campaign.situation(next));
    let attacks = json!({ "attacks": [{ "hexes": ["F12"], "id": "a1", "odds": "3-1", "order": null }] });
    let of = |who: &Seated| if who.home == campaign.table.ann.home { "ann" } else { "bob" };
    let impulse = roll.side + 1;
    let battle = |who: &Seated| format!("{}/{impulse}/{}-combat/1", roll.turn, of(who));
    let cheats: [(&str, &Seated, String, SetKind, Value); 4] = [
        ("the other side rolls its turn", enemy, next.at(1), SetKind::Plain, his),
        ("the next turn is rolled", owner, later.at(1), SetKind::Plain, mine),
        ("the owner fights first", owner, battle(owner), SetKind::Coin, attacks.clone()),
        ("the enemy fights first", enemy, battle(enemy), SetKind::Coin, attacks),
    ];
    for (what, who, at, kind, input) in cheats {
        let sealed = campaign.table.other(who).replay(|ledger, me| ledger.sealed(me, kind, &at).is_some());
        if !sealed {
            campaign.table.mail(campaign.table.other(who), &["seal", &at]);
        }
        let (file, rule) = match kind {
            SetKind::Coin => (campaign.table.path("ATTACKS.csv"), "declare 18"),
            _ => (campaign.table.file("turn.toml", &written(&input)), "declare 14"),
        };
        campaign.is_pinned(what, who, Some(rule), declares(at.clone(), kind, input, |_| ()));
        campaign.is_refused(who, &["declare", &at, &file, "--no-moves", "--skip"], rule);
    }
}

/// Somebody is lost, and the turn is over.
fn after_the_loss(campaign: &Campaign, roll: Roll, ask: &str) {
    let (owner, enemy, at) = (campaign.owner(roll), campaign.enemy(roll), roll.at(1));
    for (what, who) in [("the owner picks too late", owner), ("the enemy picks too late", enemy)] {
        campaign.is_pinned(what, who, Some("decide 4"), decides(at.clone(), ask, json!(["Hood", "Early"])));
    }
    let typed = ["decide", &at, ask, "Hood,Early", "--yes"];
    campaign.is_refused(owner, &typed[..4], "decide 4");
    let told = talk(&enemy.run(&typed, ""));
    assert!(told.contains("your decision cannot be changed"), "{told}");

    // The other side's turn; then the owner forgets what happened.
    let next = roll.next();
    campaign.rolls(next, 1, &written(&campaign.situation(next)));
    campaign.goes_on(next, &mut Seen::default(), |_| false);
    let again = next.next();
    let honest = campaign.situation(again);
    let gone = campaign.gone.borrow();
    let leader = format!("{}/leader/", roll.side());
    let lost = gone.iter().find_map(|entry| entry.strip_prefix(&leader)).expect("somebody is lost").to_owned();
    drop(gone);
    let mut alive = honest["roster"]["leader"][0].clone();
    alive["name"] = json!(lost);
    let mut risen = honest.clone();
    risen["roster"]["leader"].as_array_mut().expect("leaders").push(alive);
    let mut missing = honest.clone();
    missing["facts"].as_object_mut().expect("facts").remove("wrecked");
    for (what, input, rule, why) in [
        ("a casualty stands in the roster", risen, "declare 15", "event-tables 28"),
        ("a fact is not stated", missing, "declare 15", "event-tables 14"),
    ] {
        let file = campaign.table.file("turn.toml", &written(&input));
        campaign.is_refused(owner, &["declare", &again.at(1), &file, "--no-moves", "--skip"], why);
        let fields: Object = object(input);
        let change = declares(again.at(1), SetKind::Plain, honest.clone(), move |declare| {
            change_input(declare, |input| {
                for part in ["facts", "roster"] {
                    input.insert(part.into(), fields[part].clone());
                }
            });
        });
        campaign.is_pinned(what, owner, Some(rule), change);
    }
    let early = declares(again.next().at(1), SetKind::Plain, campaign.situation(next), |_| ());
    campaign.is_pinned("the enemy rolls before him", enemy, Some("declare 14"), early);
    campaign.is_pinned("nobody cheats", owner, None, declares(again.at(1), SetKind::Plain, honest, |_| ()));
}
