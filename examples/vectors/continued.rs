//! Games that continue another one (`protocol/charter.md` 13 to 16, `protocol/audit.md` 11, 12).

use std::collections::BTreeMap;

use sealed_dice::{
    blob::{
        Body, Kind,
        body::{Charter, Continues, Hex32, Key, Reveal, SetKind},
    },
    conformance,
    game::steps::Signer,
    primitive::secret::Secret,
};
use serde_json::{Value, json};

use crate::{
    battles::{battles, forces, round},
    campaigns::{deal, state},
    contains,
    drill::{FIRST as NORTH, THEIRS as SOUTH, mustered, nothing, sworn, with_drill},
    forks::{last_of, sign},
    games::Scenario,
    kit::{Ann, Bob, Carol, Table, bytes, example_attacks, key, object, role},
    pretty,
    sheets::hidden,
    turns::{at, decide, kept, markers, roll, with_initiative},
};

const FIRST: &str = "1/1/ann-first/1";
const AGAIN: &str = "2/1/ann-first/1";
const NEXT: &str = "3/1/ann-first/1";

/// Returns the id of a table's game.
fn game(table: &Table) -> Hex32 {
    let mut letters = table.letters.iter().map(|letter| &letter.message);
    let begins = |kind, by: &str| kind == Kind::Accept && by == "bob";
    letters.find(|message| begins(message.head().kind, message.head().author.as_str())).expect("an accept").id()
}

/// Returns the heads of a table as its players know them.
fn heads(table: &Table) -> Vec<(&'static str, Option<Hex32>)> {
    vec![("ann", Some(last_of(table, Ann))), ("bob", Some(last_of(table, Bob)))]
}

fn from(old: &Table, heads: &[(&str, Option<Hex32>)], states: Value) -> Option<Continues> {
    let heads: BTreeMap<_, _> = heads.iter().map(|(name, head)| (role(name), *head)).collect();
    let states = object(states).into_iter().map(|(system, state)| (system, object(state)));
    Some(Continues { game: game(old), heads, states: states.collect() })
}

/// Begins a game that continues from the heads of an old one, on the default terms.
fn goes_on(label: &str, continues: Option<Continues>) -> Table {
    Table::begin_with(label, |charter| charter.continues = continues)
}

/// Returns the letters of several tables, each letter once.
fn letters(tables: &[&Table]) -> String {
    let mut all = BTreeMap::new();
    for (i, letter) in tables.iter().flat_map(|table| &table.letters).enumerate() {
        all.entry(letter.message.id()).or_insert((i, letter.armour()));
    }
    let mut all: Vec<_> = all.into_values().collect();
    all.sort_by_key(|(i, _)| *i);
    all.into_iter().map(|(_, armour)| armour).collect::<Vec<_>>().join("\n")
}

impl Scenario<'_> {
    /// Writes a transcript with several games. `games` gives, for some of them, what their reports must contain.
    fn several(&mut self, file: &str, rule: &str, about: &str, transcript: &str, games: &[(Hex32, Value)]) {
        let expect = conformance::transcript(transcript.as_bytes());
        for (id, wanted) in games {
            let told = expect["games"].as_array().expect("games").iter().find(|told| told["game"] == json!(id));
            let told = told.unwrap_or_else(|| panic!("{file}: no game {id}: {expect:#}"));
            assert!(contains(told, wanted), "{file}: {told:#} lacks {wanted:#}");
        }
        let header = json!({ "about": about, "layer": "transcript", "spec": rule, "expect": expect });
        self.v.insert(format!("{}/{file}.txt", self.folder), format!("{}\n{transcript}", pretty(&header)));
    }

    /// Writes a game that continues an old one. `wanted` is what its report must say about that.
    fn goes_on(&mut self, file: &str, rule: &str, about: &str, old: &Table, new: &Table, continues: Value) {
        let wanted = json!({ "verdict": "verified", "findings": [], "continues": continues });
        self.several(file, rule, about, &letters(&[old, new]), &[(game(new), wanted)]);
    }

    /// Writes a game whose terms are in breach; Ann wrote them.
    fn in_breach(&mut self, file: &str, about: &str, old: &Table, change: impl FnOnce(&mut Charter)) {
        let new = Table::begin_with(&format!("a charter in breach: {file}"), change);
        let breach = json!([{ "code": "rule", "culprit": "ann" }]);
        let told = conformance::transcript(letters(&[old, &new]).as_bytes());
        let told = told["games"].as_array().expect("games").iter().find(|told| told["game"] == json!(game(&new)));
        let findings = told.expect("the new game")["findings"].as_array().expect("findings");
        assert!(findings.len() == 1 && contains(&findings[0], &breach[0]), "{file}: {findings:?}");
        let wanted = json!({ "verdict": "refuted", "rolls": [] });
        self.several(file, "charter.md 26", about, &letters(&[old, &new]), &[(game(&new), wanted)]);
    }
}

/// Declares and opens one of Ann's slots.
fn rolled(table: &mut Table, slot: &str) -> Hex32 {
    let seal = table.seal(Bob, SetKind::Coin, slot);
    let declaration = table.declare(Ann, slot, example_attacks(), seal);
    table.reveal(Bob, declaration);
    declaration
}

/// Plays an old game in which one slot is rolled.
fn begun(label: &str) -> Table {
    let mut table = Table::begin(label);
    rolled(&mut table, FIRST);
    table
}

pub(crate) fn all(s: &mut Scenario<'_>) {
    forks(s);
    fallen(s);
    dice(s);
    not_at_hand(s);
    accept_waits(s);
    parties(s);
    several(s);
    states(s);
    charters(s);
}

fn forks(s: &mut Scenario<'_>) {
    // Ann signs two declarations that follow one letter, and nobody settles the fork.
    let mut old = begun("a fork that nobody settles");
    let seal = old.seal(Bob, SetKind::Coin, AGAIN);
    let heads = heads(&old);
    let (ann, bob) = (last_of(&old, Ann), last_of(&old, Bob));
    let mut declared = || Body::Declare(Box::new(old.declaration(Ann, AGAIN, example_attacks(), seal, None)));
    let (one, other) = (declared(), declared());
    let one = sign(&mut old, Ann, ann, &[bob], one);
    let other = sign(&mut old, Ann, ann, &[bob], other);
    let mut new = goes_on("a game from before a fork", from(&old, &heads, json!({})));
    rolled(&mut new, FIRST);
    let mut behind = [one, other];
    behind.sort_unstable();
    s.goes_on(
        "from-before-a-fork",
        "audit.md 11, 12",
        "a fork that nobody settles: both go on from before it, in another game",
        &old,
        &new,
        json!({
            "at_hand": true, "behind": behind, "game": game(&old), "open": [], "others": [],
            "same_keys": ["ann", "bob"], "same_states": true,
        }),
    );
}

/// Ann has signed two declarations that follow one letter. Bob has opened one of them, so the other one fell.
fn fallen(s: &mut Scenario<'_>) {
    let mut old = begun("a fork that is settled");
    let seal = old.seal(Bob, SetKind::Coin, AGAIN);
    let (ann, bob) = (last_of(&old, Ann), last_of(&old, Bob));
    let mut declared = || Body::Declare(Box::new(old.declaration(Ann, AGAIN, example_attacks(), seal, None)));
    let (one, other) = (declared(), declared());
    let one = sign(&mut old, Ann, ann, &[bob], one);
    let other = sign(&mut old, Ann, ann, &[bob], other);
    let keys = vec![Key(2, old.key_of(Bob, seal, 2, 0))];
    let opening = Reveal { declaration: Some(other), keys, seal, sheets: Vec::new() };
    let opened = sign(&mut old, Bob, bob, &[other], Body::Reveal(opening));
    let both = [("ann", Some(one)), ("bob", Some(opened))];
    let new = goes_on("a head on a branch that fell", from(&old, &both, json!({})));
    s.goes_on(
        "head-on-a-branch-that-fell",
        "audit.md 12",
        "Bob's head knows the branch that stands, and so nothing is open",
        &old,
        &new,
        json!({ "at_hand": true, "behind": [], "open": [] }),
    );
    let alone = [("ann", Some(one)), ("bob", Some(bob))];
    let new = goes_on("a head on a branch that stands alone", from(&old, &alone, json!({})));
    s.goes_on(
        "head-on-a-branch-alone",
        "audit.md 12",
        "if the kept letters are audited alone, there is no fork, and the declaration is open",
        &old,
        &new,
        json!({ "at_hand": true, "behind": [other, opened], "open": [one] }),
    );
}

fn dice(s: &mut Scenario<'_>) {
    let mut old = begun("a game with dice behind the heads");
    let heads_then = heads(&old);
    let seal = old.seal(Bob, SetKind::Coin, AGAIN);
    let second = old.declare(Ann, AGAIN, example_attacks(), seal);
    let opened = old.reveal(Bob, second);
    let mut new = goes_on("a game from before dice", from(&old, &heads_then, json!({})));
    rolled(&mut new, FIRST);
    s.goes_on(
        "from-before-dice",
        "audit.md 12",
        "what was rolled behind the heads is listed",
        &old,
        &new,
        json!({ "at_hand": true, "behind": [seal, second, opened], "open": [] }),
    );
    let mut old = begun("a game with an open declaration at its heads");
    let seal = old.seal(Bob, SetKind::Coin, AGAIN);
    let second = old.declare(Ann, AGAIN, example_attacks(), seal);
    let at_heads = heads(&old);
    let mut new = goes_on("a game from an open declaration", from(&old, &at_heads, json!({})));
    rolled(&mut new, FIRST);
    s.goes_on(
        "declared-and-not-opened",
        "audit.md 12",
        "a declaration that is open at the heads",
        &old,
        &new,
        json!({ "behind": [], "open": [second] }),
    );
    let opened = old.reveal(Bob, second);
    s.goes_on(
        "declared-and-opened-behind",
        "audit.md 12",
        "it was open at the heads, and its reveal lies behind them",
        &old,
        &new,
        json!({ "behind": [opened], "open": [second] }),
    );
    let at_heads = heads(&old);
    let new = goes_on("a game from the last letters", from(&old, &at_heads, json!({})));
    s.goes_on(
        "from-the-last-letters",
        "audit.md 12",
        "nothing lies behind, and nothing is open",
        &old,
        &new,
        json!({ "behind": [], "open": [] }),
    );
    // Bob's head is from before Ann's declaration, but Ann's head has seen a later letter from him.
    let mut old = begun("heads that know more than each other");
    let early = last_of(&old, Bob);
    let seal = old.seal(Bob, SetKind::Coin, AGAIN);
    let second = old.declare(Ann, AGAIN, example_attacks(), seal);
    let at_heads = [("ann", Some(second)), ("bob", Some(early))];
    let new = goes_on("a game from heads that know more", from(&old, &at_heads, json!({})));
    s.goes_on(
        "head-in-the-past-of-another",
        "audit.md 12",
        "what a head knows is kept, though its author's own head is earlier",
        &old,
        &new,
        json!({ "behind": [], "open": [second] }),
    );
    let nobody = [("ann", None), ("bob", None)];
    let new = goes_on("a game from the accept", from(&old, &nobody, json!({})));
    s.goes_on(
        "from-the-accept",
        "audit.md 12",
        "no letter counts but the old charter and its accept",
        &old,
        &new,
        json!({ "at_hand": true, "open": [], "same_keys": ["ann", "bob"], "same_states": true }),
    );
}

const LACKING: fn(&Table) -> Value = |old| {
    json!({
        "at_hand": false, "behind": [], "game": game(old), "open": [], "others": [], "same_keys": [],
        "same_states": false,
    })
};

fn not_at_hand(s: &mut Scenario<'_>) {
    let old = begun("an old game that nobody keeps");
    let new = goes_on("a game without its old one", from(&old, &heads(&old), json!({})));
    let wanted = json!({ "verdict": "verified", "missing": [], "continues": LACKING(&old) });
    s.several(
        "not-at-hand",
        "audit.md 11",
        "without the old letters the new game is what it is: they are no letters of it",
        &new.transcript(),
        &[(game(&new), wanted)],
    );
    let ann = last_of(&old, Ann);
    let new = goes_on("a head of a stranger", from(&old, &[("ann", Some(ann)), ("bob", Some(ann))], json!({})));
    s.goes_on("by-a-stranger", "audit.md 11", "Bob's head is a letter of Ann's", &old, &new, LACKING(&old));
    let unknown = [("ann", Some(ann)), ("bob", Some(bytes("no letter")))];
    let new = goes_on("a head that nobody has", from(&old, &unknown, json!({})));
    s.goes_on("head-not-at-hand", "audit.md 11", "Bob's head is not here", &old, &new, LACKING(&old));
    let new = goes_on("a head too few", from(&old, &[("ann", Some(ann))], json!({})));
    s.goes_on("head-of-one-role", "audit.md 11", "the heads are not those of the old roles", &old, &new, LACKING(&old));
    let three = [("ann", Some(ann)), ("bob", None), ("carol", None)];
    let new = goes_on("a head too many", from(&old, &three, json!({})));
    s.goes_on("head-of-no-role", "audit.md 11", "the old game has no such role", &old, &new, LACKING(&old));
    let without_its_accept = |old: &Table| {
        let kept = old.letters.iter().filter(|letter| letter.message.head().kind != Kind::Accept);
        kept.map(|letter| letter.armour()).collect::<Vec<_>>().join("\n")
    };
    let new = goes_on("an old accept that nobody has", from(&old, &heads(&old), json!({})));
    s.several(
        "old-accept-not-at-hand",
        "audit.md 8, 11",
        "without its accept the old game is not at hand",
        &format!("{}\n{}", without_its_accept(&old), new.transcript()),
        &[(game(&new), json!({ "verdict": "verified", "continues": LACKING(&old) }))],
    );
}

/// The old game's accept waits, because the accept of its referee is not here.
fn accept_waits(s: &mut Scenario<'_>) {
    let mut old = Table::refereed("an old accept that waits", |_| {});
    old.letters.retain(|letter| letter.message.head().author.as_str() != "carol");
    let nothing = [("ann", None), ("bob", None), ("carol", None)];
    let new = goes_on("a game after an accept that waits", from(&old, &nothing, json!({})));
    let wanted = json!({ "at_hand": true, "behind": [old.letters[0].message.id()], "game": game(&old) });
    s.goes_on("old-accept-waits", "audit.md 11, 12", "nothing is kept, not even the old terms", &old, &new, wanted);
}

/// Begins a game in which Ann has a new key.
fn with_new_key(label: &str, continues: Option<Continues>) -> Table {
    let mut table = Table::before(label);
    let vault = Secret::new(bytes(&format!("{label}: vault of ann")).0);
    table.ann = Signer::new(role("ann"), key("a new key of ann"), vault, role("bob"));
    let mut charter = table.charter();
    charter.continues = continues;
    table.start(charter);
    table
}

fn parties(s: &mut Scenario<'_>) {
    let old = begun("a key that was lost");
    let mut new = with_new_key("a game with a new key", from(&old, &heads(&old), json!({})));
    rolled(&mut new, FIRST);
    s.goes_on(
        "with-new-keys",
        "charter.md 26, audit.md 12",
        "Ann lost her key, and goes on with another",
        &old,
        &new,
        json!({ "at_hand": true, "same_keys": ["bob"] }),
    );
    let mut old = Table::refereed("a referee who left", |_| {});
    rolled(&mut old, FIRST);
    let of_three = [heads(&old), vec![("carol", Some(last_of(&old, Carol)))]].concat();
    let new = goes_on("a game without a referee", from(&old, &of_three, json!({})));
    s.goes_on(
        "without-its-referee",
        "audit.md 11, 12",
        "the heads are those of the old roles, and keys are compared for the new ones",
        &old,
        &new,
        json!({ "at_hand": true, "behind": [], "same_keys": ["ann", "bob"] }),
    );
    let old = begun("a game that gets a referee");
    let continues = from(&old, &heads(&old), json!({}));
    let new = Table::refereed("a game with a referee now", |charter| charter.continues = continues);
    s.goes_on(
        "with-a-referee",
        "audit.md 12",
        "Carol had no key before",
        &old,
        &new,
        json!({ "same_keys": ["ann", "bob"] }),
    );
}

fn several(s: &mut Scenario<'_>) {
    let old = begun("an old game of two");
    let one = goes_on("one game after it", from(&old, &heads(&old), json!({})));
    let other = goes_on("another game after it", from(&old, &heads(&old), json!({})));
    let by =
        |others: &Table| json!({ "verdict": "verified", "continues": { "at_hand": true, "others": [game(others)] } });
    s.several(
        "twice",
        "audit.md 11",
        "two games continue one: each report names the other",
        &letters(&[&old, &one, &other]),
        &[(game(&one), by(&other)), (game(&other), by(&one)), (game(&old), json!({ "verdict": "verified" }))],
    );
    s.several(
        "twice-and-not-at-hand",
        "audit.md 11",
        "also without the old letters",
        &letters(&[&one, &other]),
        &[(game(&one), json!({ "continues": { "at_hand": false, "others": [game(&other)] } }))],
    );
    let sequel = |n: u8| goes_on(&format!("sequel {n}"), from(&old, &heads(&old), json!({})));
    for (name, about, count, at_hand) in [
        ("eight-times", "as many games as are compared with the one that they continue", 8, true),
        ("nine-times", "one more than that: none is compared, whatever they cost to make", 9, false),
    ] {
        let sequels: Vec<Table> = (0..count).map(sequel).collect();
        let tables: Vec<&Table> = std::iter::once(&old).chain(&sequels).collect();
        let first = game(&sequels[0]);
        let expect = json!({ "verdict": "verified", "continues": { "at_hand": at_hand } });
        s.several(name, "audit.md 11", about, &letters(&tables), &[(first, expect)]);
    }
    let continues = from(&old, &heads(&old), json!({ "coin-envelopes": {} }));
    let breach = goes_on("terms in breach after it", continues);
    s.several(
        "twice-and-once-in-breach",
        "audit.md 11",
        "a charter in breach starts no game, and continues nothing",
        &letters(&[&old, &one, &breach]),
        &[(game(&one), json!({ "continues": { "at_hand": true, "others": [] } }))],
    );
    let mut twice = goes_on("terms that were accepted twice", from(&old, &heads(&old), json!({})));
    let first = game(&twice);
    let charter = twice.letters[0].message.clone();
    let nonce = bytes("another accept");
    let again = Signer::new(role("bob"), key("key of bob"), Secret::new(bytes("a vault").0), role("ann"))
        .accept(&charter, true, nonce)
        .expect("an accept");
    let second = again.message.id();
    twice.letters.push(again);
    let by = |other: Hex32| json!({ "verdict": "refuted", "continues": { "at_hand": true, "others": [other] } });
    s.several(
        "accepted-twice",
        "audit.md 9, 11",
        "each of two accepts of one charter begins a game that continues the old one",
        &letters(&[&old, &twice]),
        &[(first, by(second)), (second, by(first))],
    );
    let in_breach = Table::begin_with("an old charter in breach", |charter| charter.parties[1].role = role("ann"));
    let nobody = [("ann", None), ("bob", None)];
    let new = goes_on("a game after one that did not begin", from(&in_breach, &nobody, json!({})));
    s.goes_on(
        "old-charter-in-breach",
        "audit.md 11",
        "the old game never began",
        &in_breach,
        &new,
        LACKING(&in_breach),
    );
    let third = goes_on("a game after a game after it", from(&one, &heads(&one), json!({})));
    s.several(
        "one-after-another",
        "audit.md 11",
        "a game that continues one that continues one",
        &letters(&[&old, &one, &third]),
        &[
            (game(&third), json!({ "continues": { "at_hand": true, "game": game(&one), "others": [] } })),
            (game(&one), json!({ "continues": { "at_hand": true, "game": game(&old), "others": [] } })),
        ],
    );
    // Bob does not answer the offer, and both play on in the old game.
    let mut old = begun("an offer that is not answered");
    let offered = old.letters.len();
    let charter = {
        let mut table = Table::before("terms that nobody accepts");
        let mut charter = table.charter();
        charter.continues = from(&old, &heads(&old), json!({}));
        table.ann.propose(charter).expect("a charter")
    };
    rolled(&mut old, AGAIN);
    rolled(&mut old, NEXT);
    let mut all: Vec<String> = old.letters.iter().map(|letter| letter.armour()).collect();
    all.insert(offered, charter.armour());
    s.several(
        "offer-not-accepted-played-on",
        "charter.md 25, audit.md 7",
        "terms that nobody accepted continue nothing",
        &all.join("\n"),
        &[(game(&old), json!({ "verdict": "verified", "findings": [] }))],
    );
}

fn initiative(label: &str, continues: Option<Continues>) -> Table {
    Table::begin_with(label, |charter| {
        with_initiative(charter, Some("ann"));
        charter.continues = continues;
    })
}

fn states(s: &mut Scenario<'_>) {
    with_states(s);
    within_a_turn(s);
}

fn with_states(s: &mut Scenario<'_>) {
    let (mut old, _) = kept("an old game with a course");
    let at_heads = heads(&old);
    let then = state(&old);
    roll(&mut old, Ann, &at(3), markers(&["m1"]));
    let behind: Vec<Hex32> = old.letters.iter().rev().take(3).rev().map(|letter| letter.message.id()).collect();
    let continues = from(&old, &at_heads, json!({ "ocs-initiative": then }));
    let mut new = initiative("a course that goes on", continues);
    roll(&mut new, Ann, &at(3), markers(&["m1"]));
    s.goes_on(
        "with-states",
        "charter.md 25, 26, courses.md 1, 2, audit.md 12",
        "the course begins with the state at the heads, and awaits turn 3",
        &old,
        &new,
        json!({ "at_hand": true, "behind": behind, "same_states": true }),
    );
    let mut second =
        initiative("a turn that the state has passed", from(&old, &at_heads, json!({ "ocs-initiative": then })));
    let seal = second.seal(Bob, SetKind::Plain, &at(2));
    second.declare(Ann, &at(2), markers(&["m1"]), seal);
    s.several(
        "turn-before-the-state",
        "courses.md 2, declare 14",
        "turn 2 is not awaited",
        &letters(&[&old, &second]),
        &[(game(&second), json!({ "verdict": "refuted" }))],
    );
    let mut stated = then.clone();
    stated["bar"] = json!(["m7"]);
    let mut new = initiative("a course with another state", from(&old, &at_heads, json!({ "ocs-initiative": stated })));
    roll(&mut new, Ann, &at(3), markers(&["m1"]));
    s.goes_on(
        "with-another-state",
        "audit.md 12",
        "both signed a marker on the Bar that was not there",
        &old,
        &new,
        json!({ "at_hand": true, "same_states": false }),
    );
    let behind = from(&old, &heads(&old), json!({ "ocs-initiative": then }));
    let new = initiative("a course behind its heads", behind);
    s.goes_on(
        "with-an-earlier-state",
        "audit.md 12",
        "the heads have rolled turn 3",
        &old,
        &new,
        json!({ "same_states": false }),
    );
    let other = begun("an old game without the course");
    let continues = from(&other, &heads(&other), json!({ "ocs-initiative": then }));
    let new = initiative("a course that was not there", continues);
    s.goes_on(
        "with-a-new-course",
        "audit.md 12",
        "the old game had no such course",
        &other,
        &new,
        json!({ "same_states": false }),
    );
    let mut new = initiative("a course that begins again", from(&old, &at_heads, json!({})));
    roll(&mut new, Ann, &at(2), markers(&["m1"]));
    s.goes_on(
        "without-states",
        "courses.md 1",
        "the course begins as its page says",
        &old,
        &new,
        json!({ "same_states": true }),
    );
}

/// North has rolled in turn 1, and South is awaited.
fn within_a_turn(s: &mut Scenario<'_>) {
    let old = sworn("an old game of events");
    let continues = from(&old, &heads(&old), json!({ "event-tables": state(&old) }));
    let mut new = Table::begin_with("events that go on", |charter| {
        with_drill(charter);
        charter.continues = continues;
    });
    deal(&mut new, Bob, SOUTH, nothing(), None, &[6], |dice| dice[0] < 4);
    s.goes_on(
        "within-a-turn",
        "event-tables.md 12, courses.md 2",
        "the state awaits the second side of the same turn",
        &old,
        &new,
        json!({ "same_states": true }),
    );
    let mut old = Table::begin_with("an old battle", |charter| battles(charter, forces()));
    round(&mut old, "1/1/battle/1", &["a1 attack main"], &["b1 attack main"]);
    let continues = from(&old, &heads(&old), json!({ "cil": state(&old) }));
    let mut new = Table::begin_with("a battle that goes on", |charter| {
        battles(charter, forces());
        charter.continues = continues;
    });
    round(&mut new, "2/1/battle/1", &["a1 attack main"], &["b1 attack main"]);
    s.goes_on(
        "within-a-battle",
        "cil.md 4, courses.md 2",
        "round 2 follows",
        &old,
        &new,
        json!({ "same_states": true }),
    );
}

fn charters(s: &mut Scenario<'_>) {
    let mut more = mustered("an old game that awaits more");
    decide(&mut more, Bob, NORTH, "muster-enemy", json!(["A"]));
    decide(&mut more, Ann, NORTH, "muster-owner", json!(["C"]));
    let continues = from(&more, &heads(&more), json!({ "event-tables": state(&more) }));
    s.in_breach("awaiting-more", "a state that awaits more of a turn is none to begin with", &more, |charter| {
        with_drill(charter);
        charter.continues = continues;
    });
    let choice = mustered("an old game that awaits a decision");
    let continues = from(&choice, &heads(&choice), json!({ "event-tables": state(&choice) }));
    s.in_breach("awaiting-a-decision", "nor is one that awaits a decision", &choice, |charter| {
        with_drill(charter);
        charter.continues = continues;
    });
    let secret = Table::begin_with("an old hidden game", hidden);
    let continues = from(&secret, &heads(&secret), json!({ "ndc": state(&secret) }));
    s.in_breach("hidden-state", "a hidden course begins as its page says", &secret, |charter| {
        hidden(charter);
        charter.continues = continues;
    });
    let (old, _) = kept("an old game with a course");
    let then = state(&old);
    let at_heads = heads(&old);
    let continues = from(&old, &at_heads, json!({ "ocs-initiative": then }));
    s.in_breach("state-of-no-course", "the terms have no such course", &old, |charter| charter.continues = continues);
    let continues = from(&old, &at_heads, json!({ "coin-envelopes": {} }));
    s.in_breach("state-of-no-such-system", "coin envelopes have no state", &old, |charter| {
        charter.continues = continues
    });
    let mut form = then;
    form["turn"] = json!("2");
    let continues = from(&old, &at_heads, json!({ "ocs-initiative": form }));
    s.in_breach("state-of-no-form", "the page of a system says what a state is", &old, |charter| {
        with_initiative(charter, Some("ann"));
        charter.continues = continues;
    });
}
