//! A campaign by letter in which the program keeps who has the initiative, and what a cheat meets in it.

use std::collections::BTreeSet;

use sealed_dice::{
    blob::{
        Body,
        body::{Contribution, Declare, Moves, Redo, SetKind},
    },
    game::{
        ledger::Ledger,
        node::Past,
        rules::{
            correct,
            course::{self, Choice},
            secrets,
        },
        steps::{self, Request, Signer},
        terms::Player,
    },
    keep::home::Home,
    play::journal::journal,
    resolve::Object,
};
use serde_json::{Value, json};

use super::{
    Match, Seated,
    roads::{FORFEIT, Refereed},
};
use crate::kit::{bytes, object, slot, text};

const MARKERS: [&str; 6] = ["r1", "r2", "r3", "r4", "r5", "r6"];
/// A campaign is over once everything has happened, and at the latest with this turn.
const LAST: u64 = 40;

pub(super) fn begun(name: &str, more: &str, edit: impl FnOnce(String) -> String) -> Match {
    let table = Match::seated(name);
    let terms = table.terms_of("ocs-initiative", |terms| edit(format!("{terms}\n{more}")));
    table.mail(&table.ann, &["game", "new", &terms]);
    let fingerprint = table.ann.public()["fingerprint"].as_str().expect("a fingerprint").to_owned();
    table.mail(&table.bob, &["game", "accept", "--fingerprint", &fingerprint]);
    table.mail(&table.ann, &["reply"]);
    table
}

/// A mail of some turn. In the first turns everything is tried out that the statuses then offer.
fn sends(table: &Match, turn: u64, from: &Seated, args: &[&str]) {
    if turn <= 3 {
        table.mail(from, args);
    } else {
        let mail = table.posts(from, args);
        table.other(from).reads(&mail);
    }
}

pub(super) fn at(turn: u64) -> String {
    format!("{turn}/1/initiative/1")
}

pub(super) fn state(player: &Seated) -> Value {
    player.replay(|ledger, _| {
        let (phase, _) = ledger.terms.courses().next().expect("a course");
        Value::Object(course::reached(ledger, phase, Past::ALL).state.expect("it is settled"))
    })
}

pub(super) fn awaited(player: &Seated) -> Option<Choice> {
    player.replay(|ledger, _| course::awaited_choices(ledger).into_iter().next())
}

fn public(player: &Seated, turn: u64) -> Value {
    player.replay(|ledger, _| {
        let declared =
            ledger.declarations().find(|found| found.declare.slot == slot(&at(turn))).expect("a declaration");
        course::public(ledger, &declared.node.id()).expect("an outcome").read().expect("an object")
    })
}

pub(super) fn who<'t>(table: &'t Match, role: &Value) -> &'t Seated {
    if role == "bob" { &table.bob } else { &table.ann }
}

/// What has happened in a campaign.
#[derive(Default)]
struct Seen(BTreeSet<&'static str>);

impl Seen {
    const ALL: [&'static str; 13] = [
        "a Flux turn",
        "a turn of the holder's",
        "behind, and popped",
        "behind, and not popped",
        "behind by more than he has",
        "popped by the order in the declaration",
        "the holder goes second: the initiative passes",
        "the opponent goes first: Flux is next",
        "the opponent goes second: the holder keeps it",
        "the Bar goes back",
        "an order in a standing note",
        "an order in the declaration",
        "a standing note, sealed until the pop is decided",
    ];

    fn has(&self, what: &str) -> bool {
        self.0.contains(what)
    }

    fn note(&mut self, what: &'static str) {
        assert!(Self::ALL.contains(&what), "{what}");
        self.0.insert(what);
    }

    fn lacks(&self) -> Vec<&'static str> {
        Self::ALL.into_iter().filter(|what| !self.has(what)).collect()
    }
}

/// What whoever has the choice wants: what has not happened yet.
fn wanted(seen: &Seen, is_holder: bool) -> &'static str {
    match is_holder {
        true if !seen.has("the holder goes second: the initiative passes") => "second",
        true => "first",
        false if !seen.has("the opponent goes first: Flux is next") => "first",
        false => "second",
    }
}

/// One turn, from the declaration to the last decision.
fn turn(table: &Match, n: u64, seen: &mut Seen) {
    let before = state(&table.ann);
    assert_eq!(before, state(&table.bob));
    let flux = before["flux"] == true;
    let declarer = who(table, &before["holder"]);
    let other = table.other(declarer);
    let on_the_bar = before["bar"].as_array().expect("markers");
    let in_hand = MARKERS.into_iter().filter(|marker| !on_the_bar.contains(&json!(marker)));
    let few = !seen.has("behind by more than he has") && n.is_multiple_of(3);
    let markers: Vec<&str> = in_hand.take(if few { 0 } else { 6 }).collect();
    let pops =
        !flux && !markers.is_empty() && !seen.has("popped by the order in the declaration") && n.is_multiple_of(2);
    let orders = n.is_multiple_of(5);
    let noted = n % 4 == 3;
    if noted {
        let order = table.file("standing.toml", &format!("order = \"{}\"\n", wanted(seen, flux)));
        sends(table, n, other, &["note", &at(n), "standing", &order]);
    }
    let mut written = String::new();
    if !flux {
        written.push_str(&format!("markers = {}\n", json!(markers)));
    }
    if orders {
        written.push_str(&format!("order = \"{}\"\n", wanted(seen, true)));
    }
    if pops {
        written.push_str(&format!("[pop]\nat_most = 6\nfrom = {}\n", json!(markers)));
    }
    let written = table.file("turn.toml", &written);
    sends(table, n, declarer, &["declare", &at(n), &written, "--no-moves"]);
    sends(table, n, other, &["reply"]);

    let came = public(&table.ann, n);
    let deficit = came["deficit"].as_u64().expect("a number") as usize;
    let popped = |came: &Value| came["popped"].as_array().is_some_and(|popped| popped.len() == deficit && deficit > 0);
    if deficit > markers.len() && !flux {
        seen.note("behind by more than he has");
    }
    if pops && popped(&came) {
        seen.note("popped by the order in the declaration");
    }
    let (mut gave_up, mut ordered) = (popped(&came), true);
    let open = |signer: &Seated| signer.replay(|ledger, me| !secrets::due_notes(ledger, me).is_empty());
    loop {
        let Some(choice) = awaited(&table.ann) else {
            if state(&table.ann)["pending"].is_null() {
                break;
            }
            assert!(noted && open(other) && !open(declarer), "nobody is asked, and no note is due");
            seen.note("a standing note, sealed until the pop is decided");
            sends(table, n, other, &["reply"]);
            continue;
        };
        let by = who(table, &json!(choice.by.as_str()));
        let is_holder = by.home == declarer.home && !flux;
        let value = match choice.name.as_str() {
            "pop" if !seen.has("behind, and popped") => {
                seen.note("behind, and popped");
                gave_up = true;
                markers[..deficit].join(",")
            }
            "pop" => {
                seen.note("behind, and not popped");
                "none".into()
            }
            _ => {
                assert!(!noted || by.home != other.home, "whose note says it is not asked");
                ordered = false;
                wanted(seen, is_holder).to_owned()
            }
        };
        sends(table, n, by, &["decide", &at(n), choice.name.as_str(), &value]);
    }

    if ordered && !gave_up {
        let others = if flux { came["controller"] != table_role(table, declarer) } else { deficit > 0 };
        seen.note(if others { "an order in a standing note" } else { "an order in the declaration" });
    }

    let after = state(&table.ann);
    assert_eq!((&after["turn"], &after["pending"]), (&json!(n), &Value::Null));
    let holder = &before["holder"];
    seen.note(if flux { "a Flux turn" } else { "a turn of the holder's" });
    match (flux, after["first"] == *holder, after["holder"] == *holder) {
        (true, ..) => {}
        (_, false, false) if after["flux"] == true => seen.note("the opponent goes first: Flux is next"),
        (_, false, false) => seen.note("the holder goes second: the initiative passes"),
        (_, true, _) if came["controller"] != *holder && !popped(&came) && after["bar"] == json!([]) => {
            seen.note("the opponent goes second: the holder keeps it");
        }
        _ => {}
    }
    if !on_the_bar.is_empty() && after["bar"] == json!([]) {
        seen.note("the Bar goes back");
    }
    assert_eq!(after["flux"] == true, after["holder"] == Value::Null);
    assert!(after["flux"] == false || after["bar"] == json!([]), "nobody holds, and the Bar is not empty: {after}");
}

fn table_role(table: &Match, player: &Seated) -> Value {
    json!(if player.home == table.ann.home { "ann" } else { "bob" })
}

#[test]
fn a_campaign_of_twelve_turns_and_more() {
    let mut seen = Seen::default();
    super::until_all_was_seen(|n| {
        let table = begun(&format!("play-courses-{n}"), "", |terms| terms);
        let mut turns = 0;
        while turns < 12 || turns < LAST && !seen.lacks().is_empty() {
            turns += 1;
            turn(&table, turns, &mut seen);
        }
        let told = table.ann.does(&["game", "status"]);
        assert!(told.contains(&format!("turn {turns}: ")) && told.contains("on the Bar: "), "{told}");
        let report = table.closes();
        assert_eq!((&report["verdict"], &report["findings"]), (&json!("verified"), &json!([])), "{report}");
        assert_eq!(report["courses"][0]["state"]["turn"], turns);
        let page = table.path("report.html");
        let letters = table.bob.letters();
        table.bob.does(&["audit", "--html", &page, letters.to_str().expect("a path")]);
        let page = std::fs::read_to_string(page).expect("a page");
        assert!(page.contains("the holder") || page.contains("holds"), "the steps of a turn are told");
        seen.lacks()
    });
}

/// A note that nothing has asked for is in the journal once the close has opened it, for both players.
#[test]
fn a_note_that_was_never_used_is_read_after_the_close() {
    let table = begun("play-note-unused", "", |terms| terms);
    let note = table.file("plan.txt", "Hold the ridge.\n1. d6 = 6\n");
    table.mail(&table.ann, &["note", "2/1/initiative/1", "plan", &note]);
    let plans = |player: &Seated| -> Vec<(u64, Vec<String>)> {
        let home = Home::find(Some(player.home.clone())).expect("a home");
        let turns = journal(&home, None).expect("a journal");
        let told = turns.iter().flat_map(|turn| turn.entries.iter().map(|entry| (turn.turn, entry)));
        let told = told.filter(|(_, entry)| entry.told.says.contains("a sealed note"));
        told.map(|(turn, entry)| (turn, entry.told.lines.iter().map(ToString::to_string).collect())).collect()
    };
    assert_eq!(plans(&table.bob), []);
    table.closes();
    let plan = [(2, vec!["> Hold the ridge.".to_owned(), "> 1. d6 = 6".to_owned()])];
    assert_eq!([plans(&table.ann), plans(&table.bob)], [plan.clone(), plan]);
}

/// A campaign in which Ann, or Bob, is behind in a turn and may pop.
pub(super) fn until_a_pop(name: &str) -> (Match, u64, Choice) {
    let table = begun(name, COMBAT, |terms| terms);
    for n in 1..=100 {
        let before = state(&table.ann);
        let declarer = who(&table, &before["holder"]);
        let markers = if before["flux"] == true { String::new() } else { format!("markers = {}\n", json!(MARKERS)) };
        let written = table.file("turn.toml", &markers);
        sends(&table, n, declarer, &["declare", &at(n), &written, "--no-moves", "--skip"]);
        sends(&table, n, table.other(declarer), &["reply"]);
        match awaited(&table.ann) {
            Some(choice) if choice.name.as_str() == "pop" => return (table, n, choice),
            Some(choice) => {
                let by = who(&table, &json!(choice.by.as_str()));
                // The opponent going second leaves the initiative where it is.
                let value = if choice.by.as_str() == table_role(&table, declarer) { "first" } else { "second" };
                let value = if before["flux"] == true { "first" } else { value };
                sends(&table, n, by, &["decide", &at(n), "order", value]);
            }
            None => {}
        }
    }
    panic!("nobody was ever behind");
}

const COMBAT: &str = r#"
[[phases]]
name = "ann-combat"
declarer = "ann"
impulses = [1]
system = "coin-envelopes"

[[phases]]
name = "bob-combat"
declarer = "bob"
impulses = [1]
system = "coin-envelopes"
"#;

/// What a cheat signs past his tool.
type Signed = Box<dyn FnOnce(&Ledger<'_>, Player, &Signer) -> Body>;

fn decide(turn: u64, name: &'static str, value: Value) -> Signed {
    Box::new(move |ledger, _, _| {
        let (name, slot) = (sealed_dice::blob::body::Name::parse(name).expect("a name"), slot(&at(turn)));
        Body::Decide(sealed_dice::blob::body::Decide { after: steps::after(ledger, &slot, None), name, slot, value })
    })
}

fn declares(at: String, kind: SetKind, input: Object, redo: Option<Redo>, change: fn(&mut Declare)) -> Signed {
    Box::new(move |ledger, me, _| {
        let request = Request {
            slot: slot(&at),
            moves: Moves::None(()),
            input: text(&input),
            seal: ledger.sealed(me.other(), kind, &at).expect("a sealed set"),
            contribution: Contribution::Open(bytes(&at)),
            redo,
        };
        let mut declare = steps::declaration(ledger, me, request).expect("a declaration");
        change(&mut declare);
        Body::Declare(Box::new(declare))
    })
}

/// A note that the declaration did not know is not used, and its author is told.
#[test]
fn a_choice_that_was_sealed_too_late_is_said_to_be() {
    let table = begun("play-courses-late", COMBAT, |terms| terms);
    let declarer = who(&table, &state(&table.ann)["holder"]);
    let other = table.other(declarer);
    let notes = |player: &Seated| player.status()["notes"].to_string();
    let note = other.signs(&["note", &at(1), "standing", &table.file("standing.toml", "order = \"first\"\n")]);
    assert!(notes(other).contains("still unread: 1/1/initiative/1/standing"), "{}", notes(other));
    sends(&table, 1, declarer, &["declare", &at(1), &table.file("turn.toml", ""), "--no-moves", "--skip"]);
    assert!(notes(other).contains("your choice beforehand for 1/1/initiative/1 came too late"), "{}", notes(other));
    assert!(!notes(other).contains("still unread"), "{}", notes(other));
    declarer.reads(&note);
    assert!(!notes(declarer).contains("too late"), "{}", notes(declarer));
}

/// At the desk a choice has a box for each answer, below the question and the dice.
#[test]
fn the_desk_offers_the_answers() {
    let (table, n, choice) = until_a_pop("play-courses-desk");
    let by = who(&table, &json!(choice.by.as_str()));
    let desk = crate::desk::Desk::at(&by.home, &by.machine);
    let path = format!("{}game/our-campaign/decide", desk.first);
    let slot = at(n);
    let page = desk.shows(&format!("{path}?slot={slot}&name=pop&gives=words"));
    assert!(!page.contains("role=\"alert\"") && page.contains("section class=\"opened\""), "{page}");
    assert!(page.contains(&format!("pop: {}", choice.answers)), "{page}");
    let sealed_dice::resolve::AllowedAnswers::Names(names) = &choice.answers else { panic!("names") };
    let kind = if names.count == 1 { "radio" } else { "checkbox" };
    for name in names.left().into_iter().chain(["none"]) {
        assert!(page.contains(&format!("type=\"{kind}\" name=\"choice\" value=\"{name}\"")), "{name}: {page}");
    }
    let known = [("slot", slot.as_str()), ("name", "pop"), ("gives", "words")];
    let send = |names: &[&str]| {
        let chosen: Vec<(&str, &str)> = names.iter().map(|name| ("choice", *name)).collect();
        desk.sends(&path, &[&known[..], &chosen].concat())
    };
    assert!(send(&[]).contains("choose an answer"), "nothing is no answer");
    let two = send(&["none", "r1"]);
    assert!(two.contains("role=\"alert\"") && two.contains("value=\"r1\" checked"), "{two}");
    let chosen: Vec<&str> = names.left().into_iter().take(names.count).collect();
    for chosen in [chosen, vec!["none"]] {
        let preview = send(&chosen);
        assert!(preview.contains("name=\"agreed\"") && preview.contains("name=\"change\""), "{preview}");
    }
}

/// Each cheat is refused by the tool that the cheat left behind, and pinned on him when he signs past it.
#[test]
fn cheats_in_a_campaign() {
    let (table, n, choice) = until_a_pop("play-courses-cheats");
    let cheat = who(&table, &json!(choice.by.as_str()));
    let role = choice.by.as_str().to_owned();
    let honest = table.other(cheat);
    let other_role = if role == "ann" { "bob" } else { "ann" };
    let input = object(json!({ "markers": [], "order": null, "pop": null }));
    let attacks = object(json!({ "attacks": [{ "hexes": ["F12"], "id": "a1", "odds": "3-1", "order": null }] }));
    // Who is six behind may pop all six.
    let wrong = &MARKERS[usize::from(choice.answers.to_string().starts_with("exactly 6"))..];
    let over = json!(wrong);
    let cheats: Vec<(&str, &str, bool, Signed)> = vec![
        ("he pops more than he may, or fewer", "decide 5", true, decide(n, "pop", over)),
        ("he pops what he has not", "decide 5", true, decide(n, "pop", json!(["r9"]))),
        ("he chooses what is not his to choose yet", "decide 4", true, decide(n, "order", json!("first"))),
        ("the other pops for him", "decide 4", false, decide(n, "pop", json!([]))),
        (
            "he rolls the next turn before he has popped",
            "declare 14",
            true,
            declares(at(n + 1), SetKind::Plain, input, None, |_| ()),
        ),
        (
            "he fights first, and pops when he has seen the dice",
            "declare 18",
            true,
            declares(format!("{n}/1/{role}-combat/1"), SetKind::Coin, attacks, None, |_| ()),
        ),
    ];
    for (what, rule, his, body) in cheats {
        let copy = table.copied("a cheat");
        let (from, to) = if his == (role == "ann") { (&copy.ann, &copy.bob) } else { (&copy.bob, &copy.ann) };
        let letter = from.forges(body);
        let output = to.run(&["read", "-"], &letter);
        let told = format!("{}{}", super::out(&output), super::talk(&output));
        let letters = to.letters();
        let [ours, theirs] = super::audits(&letters);
        assert_eq!(ours, theirs, "{what}");
        let pinned = if his { role.as_str() } else { other_role };
        assert_eq!(ours[0]["verdict"], "refuted", "{what}: {told}");
        let findings = ours[0]["findings"].as_array().expect("findings");
        assert!(findings.iter().all(|found| found["culprit"] == pinned) && findings.len() == 1, "{what}: {findings:?}");
        let told = to.run(&["audit", letters.to_str().expect("a path")], "");
        assert!(super::out(&told).contains(rule), "{what}: {}", super::out(&told));
    }
    // The tool itself refuses to sign any of it.
    let slot_of = at(n);
    let over = wrong.join(",");
    for args in [["decide", &slot_of, "pop", over.as_str()], ["decide", &slot_of, "order", "first"]] {
        let why = cheat.is_refused(&[&args[..], &["--yes"]].concat());
        assert!(why.contains("decide ") || why.contains("ocs-initiative"), "{why}");
    }
    let why = honest.is_refused(&["decide", &slot_of, "pop", "none", "--yes"]);
    assert!(why.contains("decide 4"), "{why}");
}

/// A void that has crossed the next turn can only be refused, and nothing else is offered.
#[test]
fn a_void_that_crosses_the_next_turn_is_not_accepted() {
    let table = begun("play-courses-crossed", "", |terms| terms);
    turn(&table, 1, &mut Seen::default());
    let before = state(&table.ann);
    let declarer = who(&table, &before["holder"]);
    let void = table.posts(table.other(declarer), &["correct", "void", &at(1), "--reason", "the wrong turn"]);
    let written = table.file("turn.toml", if before["flux"] == true { "" } else { "markers = []\n" });
    table.posts(declarer, &["declare", &at(2), &written, "--no-moves"]);
    declarer.reads(&void);
    let commands = declarer.status()["commands"].to_string();
    assert!(commands.contains("correct refuse") && !commands.contains("correct accept"), "{commands}");
    table.look_at(declarer, |_| ());
}

/// No ruling takes a turn back, and a referee is offered none that would.
#[test]
fn a_referee_is_offered_nothing_that_takes_a_turn_back() {
    let edit = |terms| terms + FORFEIT;
    let game = Refereed::begun_from("play-courses-ruled", "ocs-initiative", |_| String::new(), edit);
    let (table, carol) = (&game.table, &game.carol);
    let offers = || carol.status().to_string();
    let declarer = who(table, &state(&table.ann)["holder"]);
    let other = table.other(declarer);
    let written = table.file("turn.toml", "");
    game.mail(declarer, &["declare", &at(1), &written, "--no-moves"]);
    game.mail(declarer, &["dispute", "stall", &at(1), "--text", "six weeks"]);
    game.mail(carol, &["rule", "request", &game.offered("rule request")]);
    assert!(!offers().contains("rule forfeit"), "{}", offers());
    let told = other.status()["notes"].to_string();
    assert!(
        told.contains("the referee has asked for this step in letter") && told.contains("30 days from that letter"),
        "{told}"
    );
    game.mail(carol, &["rule", "dismiss", &game.offered("rule dismiss")]);
    game.mail(other, &["reply"]);
    game.mail(other, &["correct", "void", &at(1), "--reason", "the wrong turn"]);
    assert!(!offers().contains("rule agree"), "{}", offers());
    let proposal = table.ann.replay(|ledger, me| {
        let mut open = correct::open_proposals(ledger, me).chain(correct::open_proposals(ledger, me.other()));
        ledger.ids.short(&open.next().expect("a proposal").0)
    });
    for args in [["rule", "agree", &proposal, "--yes"], ["rule", "void", &at(1), "--yes"]] {
        let why = carol.is_refused(&args);
        assert!(why.contains("ruling 10"), "{why}");
    }
    game.mail(declarer, &["correct", "accept", &proposal]);
    assert_eq!(table.report()["findings"], json!([]));
}
