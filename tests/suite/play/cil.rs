//! Battles by letter: a campaign of three days that follows the statuses, and what a cheat meets in it.

use std::{collections::BTreeSet, fs};

use sealed_dice::{
    blob::{
        Body,
        body::{Contribution, Declare, Ended, Moves, Reveal, SetKind},
    },
    game::{
        ledger::Ledger,
        node::Past,
        opener,
        rules::course,
        steps::{self, Request, Signer},
        terms::Player,
    },
    resolve::Object,
};
use serde_json::{Value, json};

use super::{Match, Seated, out, roads::Refereed, talk};
use crate::kit::{bytes, slot, text};

/// A battle of three days in winter ends with the first night from this round on, even if something has not happened:
/// where one side is nearly gone, little happens any more.
const LAST: u64 = 15;

const BATTLE: &str = r#"
attacker = "ann"
season = "winter"
[forces]
attacker = [{ id = "a1", kind = "infantry", attack = 1, defense = 1, strength = 1, effectiveness = 1, at = "main" }]
defender = [{ id = "b1", kind = "infantry", attack = 1, defense = 1, strength = 1, effectiveness = 1, at = "main" }]
"#;

/// Terms with nothing left to say, as their author changes them last.
pub(super) fn terms(table: &Match, change: impl FnOnce(String) -> String) -> String {
    // Nobody is ordered to do anything: all hold. What a new battle is, the program writes itself.
    table.file("ORDERS.toml", "");
    table.file("BATTLE.toml", BATTLE);
    table.terms_of("cil", |terms| {
        let terms = terms.replace("PUT THE SEASON HERE", "winter").replace("recover_pct = 0", "recover_pct = 50");
        let terms = terms.replace("attack = 12, defense = 5, strength = 6", "attack = 18, defense = 5, strength = 9");
        change(terms.replace("strength = 5", "strength = 12").replace("strength = 3", "strength = 8"))
    })
}

fn begun(name: &str) -> Match {
    let table = Match::seated(name);
    let terms = terms(&table, |terms| terms);
    table.mail(&table.ann, &["game", "new", &terms]);
    let fingerprint = table.ann.public()["fingerprint"].as_str().expect("a fingerprint").to_owned();
    table.mail(&table.bob, &["game", "accept", "--fingerprint", &fingerprint]);
    table.mail(&table.ann, &["reply"]);
    table
}

fn at(turn: u64) -> String {
    format!("{turn}/1/battle/1")
}

fn state(player: &Seated) -> Value {
    player.replay(|ledger, _| {
        let (phase, _) = ledger.terms.courses().next().expect("a course");
        Value::Object(course::reached(ledger, phase, Past::ALL).state.expect("it is settled"))
    })
}

fn public(player: &Seated, turn: u64) -> Value {
    player.replay(|ledger, _| {
        let declared =
            ledger.declarations().find(|found| found.declare.slot == slot(&at(turn))).expect("a declaration");
        course::public(ledger, &declared.node.id()).expect("an outcome").read().expect("an object")
    })
}

/// The commands of a status, but those that send something again.
fn commands(table: &Match, player: &Seated) -> Vec<Vec<String>> {
    let status = player.status();
    let named = status["commands"].as_array().expect("a list").iter();
    let typed = named.map(|command| table.typed(player, command.as_str().expect("a line")));
    typed.filter(|typed| typed[0] != "resend").collect()
}

/// What has happened in a campaign.
#[derive(Default)]
struct Seen(BTreeSet<&'static str>);

impl Seen {
    const ALL: [&'static str; 16] = [
        "an attack",
        "an assault",
        "a probe",
        "dug in",
        "absorbed",
        "halved",
        "casualty",
        "OVERRUN",
        "excess",
        "a unit removed",
        "a move",
        "a move that failed",
        "rest",
        "the last engagement ends the day",
        "a quiet round ends the day",
        "no Combat Phase left units",
    ];

    fn note(&mut self, what: &'static str, happened: bool) {
        assert!(Self::ALL.contains(&what), "{what}");
        if happened {
            self.0.insert(what);
        }
    }

    /// What has happened neither here nor there.
    fn lacks(&self, there: &Self) -> Vec<&'static str> {
        Self::ALL.into_iter().filter(|what| !self.0.contains(what) && !there.0.contains(what)).collect()
    }

    /// What a round has shown.
    fn look(&mut self, public: &Value) {
        let list = |field: &str| public[field].as_array().expect("a list").clone();
        let struck = |came: &str| {
            list("hits").iter().any(|hits| hits["struck"].as_array().unwrap().iter().any(|hit| hit[2] == came))
        };
        self.note("absorbed", struck("absorbed"));
        self.note("halved", struck("halved"));
        self.note("casualty", struck("casualty"));
        self.note("OVERRUN", !list("overrun").is_empty());
        self.note("excess", list("hits").iter().any(|hits| !hits["from"].is_null()));
        self.note("a unit removed", list("changed").iter().any(|row| row[2] == 0));
        self.note("a move", list("moves").iter().any(|moved| moved["failed"].is_null()));
        self.note("a move that failed", list("moves").iter().any(|moved| !moved["failed"].is_null()));
        self.note("rest", list("changed").iter().any(|row| row[4].as_u64() > row[3].as_u64()));
        self.note("no Combat Phase left units", list("hits").iter().any(|hits| hits["lost"] != 0));
        let fought = !list("fires").is_empty();
        self.note("the last engagement ends the day", fought && public["ended"] == "day");
        self.note("a quiet round ends the day", !fought && public["ended"] == "day");
    }
}

/// The orders of a player for a round, as TOML: what has not happened yet comes first.
fn orders(player: &Seated, role: &str, turn: u64, seen: &mut Seen) -> String {
    let state = state(player);
    let side = if state["attacker"] == role { "attacker" } else { "defender" };
    let other = if side == "attacker" { "defender" } else { "attacker" };
    let fell = state["overrun"][other].as_array().expect("flags").clone();
    let own_fell = state["overrun"][side].as_array().expect("flags").clone();
    let living = |side: &str| {
        let units = state["units"][side].as_array().expect("units").clone();
        units.into_iter().filter(|unit| unit["strength"] != 0).collect::<Vec<_>>()
    };
    let target = ["main", "left", "right", "reserve"].into_iter().find(|at| {
        let there = living(other).iter().any(|unit| unit["at"] == *at);
        there && !fell.contains(&json!(at)) && (*at != "reserve" || !fell.is_empty())
    });
    let left = 3 - state["engagements"].as_u64().expect("a number");
    let mut lines = String::from("[orders]\n");
    for (i, unit) in living(side).iter().enumerate() {
        let order = match (turn % 5, unit["at"].as_str().expect("a location"), target) {
            // Now and then nobody attacks.
            (4, "reserve", _) if !own_fell.contains(&json!("main")) => Some(("move", Some("main"))),
            (4, ..) | (_, "reserve", _) => None,
            (_, "right", _) if turn == 2 => Some(("move", Some("reserve"))),
            (_, _, None) => Some(("dig-in", None)),
            (_, _, Some(at)) if side == "attacker" && left >= 2 && turn > 1 => Some(("assault", Some(at))),
            (_, _, Some(at)) if side == "attacker" => Some((if i % 2 == 0 { "attack" } else { "probe" }, Some(at))),
            // Who moves beside those who dig in, and are attacked.
            (1 | 3, "main", _) if i == 1 => Some(("move", Some("reserve"))),
            (_, _, Some(at)) if i % 3 == 1 => Some(("probe", Some(at))),
            _ => Some(("dig-in", None)),
        };
        let Some((order, at)) = order else { continue };
        seen.note("an attack", order == "attack");
        seen.note("an assault", order == "assault");
        seen.note("a probe", order == "probe");
        seen.note("dug in", order == "dig-in");
        let at = at.map(|at| format!(", at = \"{at}\"")).unwrap_or_default();
        lines += &format!("{} = {{ order = \"{order}\"{at} }}\n", unit["id"].as_str().expect("an id"));
    }
    lines + "[excess]\nmain = \"left\"\nleft = \"reserve\"\nright = \"main\"\nreserve = \"right\"\n"
}

/// Types what the status names first, until both have nothing to type or somebody has to say what comes after a day.
fn round(table: &Match, turn: u64, seen: &mut Seen) {
    for _ in 0..8 {
        for (player, role) in [(&table.ann, "ann"), (&table.bob, "bob")] {
            let Some(mut typed) = commands(table, player).into_iter().find(|typed| typed[0] != "decide") else {
                continue;
            };
            if typed[0] == "declare" && typed[1] != at(turn) || typed[0] == "note" && typed[1] != at(turn) {
                continue;
            }
            if typed[0] == "note" {
                typed[3] = table.file(&format!("{role}.toml"), &orders(player, role, turn, seen));
            }
            let words: Vec<&str> = typed.iter().map(String::as_str).collect();
            if turn == 1 {
                table.mail(player, &words);
            } else {
                let mail = table.posts(player, &words);
                table.other(player).reads(&mail);
            }
        }
    }
}

/// The first battle once more.
fn as_it_began(player: &Seated) -> String {
    let forces = player.replay(|ledger, _| ledger.terms.charter.phases[0].settings["forces"].clone());
    let force = |side: &str| {
        let units = forces[side].as_array().expect("units").iter().map(|unit| {
            let fields = unit.as_object().expect("a unit").iter().map(|(name, value)| format!("{name} = {value}"));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        });
        format!("{side} = [{}]\n", units.collect::<Vec<_>>().join(", "))
    };
    format!("attacker = \"ann\"\nseason = \"winter\"\n[forces]\n{}{}", force("attacker"), force("defender"))
}

/// Each decides what his status names, if it names anything.
fn decides(table: &Match, wanted: &dyn Fn(&str, &Value) -> String) -> bool {
    let mut any = false;
    for player in [&table.ann, &table.bob] {
        let named = commands(table, player).into_iter().find(|typed| typed[0] == "decide");
        let Some(mut typed) = named else { continue };
        let form = typed[2] == "battle";
        if form {
            let form = player.does(&["decide", &typed[1], "battle", "--form"]);
            // Of whom nobody is left, others have to be found.
            let form = if form.contains("[\n]") { as_it_began(player) } else { form };
            typed[3] = table.file("next.toml", &form);
        } else {
            typed[3] = wanted(&typed[2], &state(player));
        }
        let words: Vec<&str> = typed.iter().map(String::as_str).collect();
        let mail = table.posts(player, &words);
        table.other(player).reads(&mail);
        any = true;
    }
    any
}

#[test]
fn a_campaign_of_three_days() {
    let mut seen = Seen::default();
    super::until_all_was_seen(|n| {
        let table = begun(&format!("play-cil-{n}"));
        let told = table.ann.does(&["game", "status"]);
        assert!(
            told.contains("note 1/1/battle/1 orders ORDERS.toml")
                && told.contains("to print a form to fill in: ")
                && told.contains(" orders --form"),
            "{told}"
        );
        let form = table.ann.does(&["note", &at(1), "orders", "--form"]);
        assert!(form.contains("a1 = { order = \"hold\" }") && form.contains("may attack main, left, right"), "{form}");
        let here = played(&table, &seen);
        let told = table.bob.does(&["game", "status"]);
        assert!(told.contains(", day 1 (winter), rounds fought: 0"), "{told}");
        let report = table.closes();
        assert_eq!((&report["verdict"], &report["complete"]), (&json!("verified"), &json!(true)), "{report}");
        assert_eq!(report["findings"], json!([]), "{report}");
        let letters = table.bob.letters();
        let letters = letters.to_str().expect("a path");
        let page = table.path("report.html");
        table.bob.does(&["audit", "--html", &page, letters]);
        let page = fs::read_to_string(page).expect("a page");
        assert!(page.contains("fires at"), "the worksheet is told");
        assert_eq!(page.contains("is OVERRUN"), here.0.contains("OVERRUN"), "and what came of it");
        let told = table.bob.does(&["audit", letters]);
        assert!(told.contains("a1 fires") && told.contains("hit on"), "{told}");
        seen.0.extend(here.0);
        Seen::default().lacks(&seen)
    });
}

/// Fights three days at least, until everything has happened in this battle or one before, and then to its end; what
/// happened in this one.
fn played(table: &Match, before: &Seen) -> Seen {
    let mut seen = Seen::default();
    let (mut turn, mut days, mut over) = (0, 0, false);
    while !over {
        turn += 1;
        assert!(turn <= 2 * LAST, "there is no night");
        round(table, turn, &mut seen);
        let after = state(&table.ann);
        assert_eq!(after, state(&table.bob));
        assert_eq!(after["turn"], turn);
        seen.look(&public(&table.bob, turn));
        days += u64::from(!public(&table.bob, turn)["ended"].is_null());
        let enough = days >= 3 && (turn >= LAST || seen.lacks(before).is_empty());
        let mut refusals = 1;
        while !state(&table.ann)["pending"].is_null() {
            let refuse = refusals > 0;
            let was = state(&table.ann)["pending"]["awaits"].clone();
            decides(table, &|name, _| match name {
                "night" if enough => "end".into(),
                "night" => "on".into(),
                _ => (!refuse).to_string(),
            });
            refusals -= i32::from(was == "agree" && refuse);
            over |= enough && was == "agree";
        }
    }
    seen
}

/// What our audit says of a player's letters, and the one in Python too.
fn audited(player: &Seated) -> Value {
    let [ours, theirs] = super::audits(&player.letters());
    assert_eq!(ours, theirs);
    ours[0].clone()
}

/// What a cheat signs past his tool.
type Signed = Box<dyn FnOnce(&Ledger<'_>, Player, &Signer) -> Body>;

fn seals(at: String, says: Value) -> Signed {
    Box::new(move |ledger, _, signer| {
        let says = says.to_string();
        let seal = signer.seal(
            ledger.terms,
            SetKind::Note,
            &format!("{at}/orders"),
            1,
            bytes(&format!("{at}{says}")),
            Some(&says),
        );
        Body::Seal(seal.expect("a note"))
    })
}

fn opens(at: String) -> Signed {
    Box::new(move |ledger, me, signer| {
        let note = ledger.sealed(me, SetKind::Note, &format!("{at}/orders")).expect("a note");
        let (set, master) = (ledger.set(&note).expect("a note"), signer.master(ledger, &note).expect("his own"));
        let opening: Reveal = opener::single(set, &master, None, 0);
        Body::Reveal(opening)
    })
}

fn declares(at: String) -> Signed {
    Box::new(move |ledger, me, _| {
        let request = Request {
            slot: slot(&at),
            moves: Moves::None(()),
            input: text(&Object::new()),
            seal: ledger.sealed(me.other(), SetKind::Plain, &at).expect("a sealed set"),
            contribution: Contribution::Open(bytes(&at)),
            redo: None,
        };
        let declare: Declare = steps::declaration(ledger, me, request).expect("a declaration");
        Body::Declare(Box::new(declare))
    })
}

fn chooses(at: String, name: &'static str, value: Value) -> Signed {
    Box::new(move |ledger, _, _| {
        let (name, slot) = (sealed_dice::blob::body::Name::parse(name).expect("a name"), slot(&at));
        Body::Decide(sealed_dice::blob::body::Decide { after: steps::after(ledger, &slot, None), name, slot, value })
    })
}

fn note(orders: &[(&str, &str, Option<&str>)]) -> Value {
    let orders: Object =
        orders.iter().map(|(id, order, at)| ((*id).to_owned(), json!({ "at": at, "order": order }))).collect();
    json!({ "excess": {}, "orders": orders })
}

/// The one finding of a refuted game is a cheat's, by this rule.
fn is_pinned(what: &str, player: &Seated, culprit: &str, rule: &str) {
    let report = audited(player);
    let findings = report["findings"].as_array().expect("findings");
    assert_eq!(report["verdict"], "refuted", "{what}: {report}");
    assert!(findings.len() == 1 && findings[0]["culprit"] == culprit, "{what}: {findings:?}");
    let letters = player.letters();
    let told = player.run(&["audit", letters.to_str().expect("a path")], "");
    assert!(out(&told).contains(rule), "{what}: {}", out(&told));
}

/// Signs a letter past the program of one, which the other reads.
fn cheats(from: &Seated, to: &Seated, body: Signed) {
    let letter = from.forges(body);
    for player in [from, to] {
        let read = player.run(&["read", "-"], &letter);
        assert!(read.status.success() || read.status.code() == Some(1), "{}{}", out(&read), talk(&read));
    }
}

#[test]
fn cheats_in_a_battle() {
    let table = begun("play-cil-cheats");
    let attack = [("a1", "attack", Some("main"))];

    // Ann orders what may not be: the tool refuses, and who signs it all the same is found when the round is settled.
    let illegal = table.file("illegal.toml", "[orders]\na1 = { order = \"attack\", at = \"reserve\" }\n");
    let why = table.ann.is_refused(&["note", &at(1), "orders", &illegal, "--yes"]);
    assert!(why.contains("a1: it cannot attack that location") && why.contains("(cil 6)"), "{why}");
    let typo = table.file("typo.toml", "[orders]\na1 = { order = \"charge\" }\n");
    let why = table.ann.is_refused(&["note", &at(1), "orders", &typo, "--yes"]);
    assert!(why.contains("charge"), "{why}");
    let why = table.ann.is_refused(&["note", &at(2), "orders", &illegal, "--yes"]);
    assert!(why.contains("cannot take orders now"), "{why}");
    let why = table.ann.is_refused(&["declare", &at(1), "--no-moves", "--yes"]);
    assert!(why.contains("declare 7"), "{why}");
    let copy = table.copied("an illegal order");
    cheats(
        &copy.ann,
        &copy.bob,
        seals(at(1), note(&[("a1", "attack", Some("reserve")), ("a2", "probe", Some("main"))])),
    );
    let orders = copy.file("ORDERS.toml", "[orders]\nb1 = { order = \"dig-in\" }\n");
    let posts = |from: &Seated, args: &[&str]| {
        let mail = copy.posts(from, args);
        copy.other(from).reads(&mail);
    };
    posts(&copy.bob, &["note", &at(1), "orders", &orders]);
    // Who orders second opens his in the same mail.
    posts(&copy.ann, &["reply"]);
    assert_eq!(audited(&copy.bob)["findings"], json!([]), "nothing before the round is settled");
    posts(&copy.ann, &["declare", &at(1), "--no-moves"]);
    posts(&copy.bob, &["reply"]);
    for player in [&copy.ann, &copy.bob] {
        is_pinned("an illegal order", player, "ann", "cil 6: a1: target");
    }
    let refused = public(&copy.bob, 1)["refused"].clone();
    assert_eq!(refused, json!([{ "author": "ann", "entry": "a1", "why": "target" }]));

    // Ann opens before Bob has ordered.
    let copy = table.copied("an early opening");
    cheats(&copy.ann, &copy.bob, seals(at(1), note(&attack)));
    cheats(&copy.ann, &copy.bob, opens(at(1)));
    is_pinned("orders opened too early", &copy.bob, "ann", "reveal 7");
    // Ann declares before Bob has ordered.
    let copy = table.copied("without his orders");
    cheats(&copy.ann, &copy.bob, seals(at(1), note(&attack)));
    cheats(&copy.ann, &copy.bob, declares(at(1)));
    is_pinned("dice without the other's orders", &copy.bob, "ann", "declare 7");
    // Bob orders anew when he has read hers.
    let copy = table.copied("a second note");
    let file = copy.file("ORDERS.toml", "");
    for (from, args) in [
        (&copy.ann, &["note", &at(1), "orders", &file][..]),
        (&copy.bob, &["note", &at(1), "orders", &file]),
        (&copy.ann, &["reply"]),
    ] {
        let mail = copy.posts(from, args);
        copy.other(from).reads(&mail);
    }
    let again = copy.bob.run(&["note", &at(1), "orders", &file, "--yes"], "");
    assert!(talk(&again).contains("already sealed"), "{}", talk(&again));
    let second = copy.copied("and another");
    cheats(&second.bob, &second.ann, seals(at(1), note(&[("b1", "attack", Some("main"))])));
    is_pinned("orders sealed after the other's were opened", &second.ann, "bob", "seal 4");

    // A quiet round, and what is not his to decide.
    for (from, args) in [(&copy.ann, &["declare", &at(1), "--no-moves"][..]), (&copy.bob, &["reply"])] {
        let mail = copy.posts(from, args);
        copy.other(from).reads(&mail);
    }
    let why = copy.bob.is_refused(&["decide", &at(1), "night", "on", "--yes"]);
    assert!(why.contains("decide 4"), "{why}");
    let told = copy.ann.does(&["decide", &at(1), "night", "--form"]);
    assert!(told.ends_with("on  fight another day\nend  end the battle, if both choose it\n"), "{told}");
    let why = copy.ann.is_refused(&["decide", &at(1), "night", "perhaps", "--yes"]);
    assert!(why.contains("night must be"), "{why}");
    let over = |what: &str, by_ann: bool, rule: &str, body: Signed| {
        let copy = copy.copied("after the round");
        let (from, to) = if by_ann { (&copy.ann, &copy.bob) } else { (&copy.bob, &copy.ann) };
        cheats(from, to, body);
        is_pinned(what, to, if by_ann { "ann" } else { "bob" }, rule);
    };
    over("the night of another", false, "decide 4", chooses(at(1), "night", json!("on")));
    over("a night of no kind", true, "decide 5", chooses(at(1), "night", json!(7)));
    over("a battle before its time", true, "decide 4", chooses(at(1), "battle", json!({})));
    over("the next round before the night", true, "declare 14", declares(at(2)));
    assert_eq!(
        copy.ann.replay(|ledger, _| {
            let declared = ledger.declarations().next().expect("a declaration");
            declared.outcome
        }),
        Some(Ended::Needs)
    );
}

/// A referee cannot make room for other orders: whoever has read the opponent's by then would choose them (ruling 4).
#[test]
fn no_ruling_kills_orders() {
    let game = Refereed::begun_from(
        "play-cil-killed",
        "cil",
        |_| String::new(),
        |terms| terms.replace("PUT THE SEASON HERE", "winter"),
    );
    let (ann, bob, carol) = (&game.table.ann, &game.table.bob, &game.carol);
    let file = game.table.file("ORDERS.toml", "");
    for player in [ann, bob] {
        game.mail(player, &["note", &at(1), "orders", &file]);
    }
    let hers = ann.replay(|ledger, me| {
        let note = ledger.sealed(me, SetKind::Note, &format!("{}/orders", at(1))).expect("a note");
        ledger.ids.short(&note)
    });
    let text = "she has named a unit of the other game";
    let refused = carol.is_refused(&["rule", "kill", &hers, "--text", text, "--yes"]);
    assert!(refused.contains("ruling 4"), "{refused}");
    for player in [ann, bob] {
        game.mail(player, &["reply"]);
    }
    game.mail(ann, &["declare", &at(1), "--no-moves"]);
    game.mail(bob, &["reply"]);
    assert_eq!(audited(ann)["findings"], json!([]));
}
