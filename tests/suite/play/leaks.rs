//! The leak law: two games that differ only in what players keep secret look alike to everybody else, letter by letter and mail
//! by mail, until a rule says that something is told. Every game here ends just before that.

use std::collections::BTreeMap;

use sealed_dice::{blob::message::payload, keep::folder::Folder};
use serde_json::{Value, json};

use super::{Match, Seated, ndc};

/// What anybody sees of a game without a key: the letters of each author in order, with everything random or sealed blotted
/// out but its length, and how long each mail is.
#[derive(Debug, PartialEq, Eq)]
struct Outside {
    letters: BTreeMap<(String, u64), String>,
    mails: Vec<usize>,
}

impl Outside {
    /// `told` blots out what the rules say is told, and chance decides.
    fn of(table: &Match, told: impl Fn(&mut Value)) -> Self {
        let folder = Folder::open(table.ann.letters().parent().expect("a game")).expect("a game");
        let (stored, _) = folder.letters().expect("letters");
        let letters = stored.iter().map(|letter| {
            let head = letter.message.head();
            let text = payload(head, letter.message.body()).expect("JSON");
            let mut letter: Value = serde_json::from_str(&text).expect("JSON");
            told(&mut letter);
            ((head.author.to_string(), head.number), blotted(&letter.to_string()))
        });
        let letters = letters.collect();
        Self { letters, mails: table.mails.borrow().iter().map(String::len).collect() }
    }

    /// The first difference, for people.
    fn difference(&self, other: &Self) -> Option<String> {
        let ids = self.letters.keys().chain(other.letters.keys());
        let differs = |id: &&(String, u64)| self.letters.get(*id) != other.letters.get(*id);
        let letter = ids.into_iter().find(differs).map(|(author, number)| {
            let of = |game: &Self| {
                let letter = game.letters.get(&(author.clone(), *number));
                letter.map(|letter| format!("{} bytes: {}", letter.len(), letter.chars().take(900).collect::<String>()))
            };
            format!("letter {number} of {author}\n  {:?}\n  {:?}", of(self), of(other))
        });
        letter
            .or_else(|| (self.mails != other.mails).then(|| format!("mails of {:?} and {:?}", self.mails, other.mails)))
    }
}

/// A letter with its hashes, keys, salts and ciphertexts blotted out: digits of 32 bytes or more.
fn blotted(letter: &str) -> String {
    let mut out = String::new();
    let mut digits = String::new();
    for c in letter.chars().chain([' ']) {
        if c.is_ascii_digit() || ('a'..='f').contains(&c) {
            digits.push(c);
            continue;
        }
        match digits.len() {
            64.. => out.push_str(&"#".repeat(digits.len())),
            _ => out.push_str(&digits),
        }
        digits.clear();
        out.push(c);
    }
    out
}

/// Plays a game with each of the secrets, all at once, and compares each with the first.
fn look_alike<S: Sync>(secrets: &[(&str, S)], play: impl Fn(&str, &S) -> Outside + Sync) {
    let games: Vec<(&str, Outside)> = std::thread::scope(|scope| {
        let games = secrets.iter().map(|(name, secret)| (*name, scope.spawn(|| play(name, secret))));
        let games: Vec<_> = games.collect();
        games.into_iter().map(|(name, game)| (name, game.join().expect("a game"))).collect()
    });
    let [(first, plain), others @ ..] = games.as_slice() else { panic!("nothing to compare") };
    let leaks = others.iter().filter_map(|(name, game)| {
        plain.difference(game).map(|difference| format!("{name:?} shows beside {first:?}: {difference}"))
    });
    let leaks: Vec<String> = leaks.collect();
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
}

/// A game on terms that begin it.
fn begins(table: &Match, terms: &str) {
    sends(table, &table.ann, &["game", "new", terms]);
    sends(table, &table.bob, &["game", "accept"]);
    sends(table, &table.ann, &["reply"]);
}

fn sends(table: &Match, from: &Seated, args: &[&str]) {
    let mail = table.posts(from, args);
    table.other(from).reads(&mail);
}

/// As long as a note of one step can be.
const STEP: usize = 255;

/// Attacks and cells whose dice only their declarer knows, moves in a note, and a sealed choice.
#[test]
fn envelopes_and_sheets_tell_nothing_more() {
    let long = "x".repeat(STEP);
    look_alike(&[("a dash", "-"), ("as much as a step holds", &long)], |name, secret| {
        let table = Match::seated(&format!("play-leak-coins-{}", secret.len()));
        let terms = table.terms(|terms| {
            let private = |terms: String, phase: &str| {
                let head = format!("name = \"{phase}\"\n");
                assert!(terms.contains(&head), "{name}");
                terms.replace(&head, &format!("{head}private = true\n"))
            };
            let terms = private(private(terms, "ann-first"), "ann-second");
            terms.replacen(
                "name = \"ann-first\"\n",
                "name = \"ann-first\"\ndecisions = [{ name = \"reaction\", by = \"bob\", how = \"sealed\" }]\n",
                1,
            )
        });
        begins(&table, &terms);
        let said = table.file("secret.txt", secret);
        let (attacks, rolls) = (table.path("ATTACKS.csv"), table.path("ROLLS.csv"));
        sends(&table, &table.bob, &["note", "1/1/ann-first/1", "reaction", &said]);
        sends(&table, &table.ann, &["note", "1/1/ann-first/1", "march", &said]);
        sends(&table, &table.ann, &["declare", "1/1/ann-first/1", &attacks, "--moves-note", "march"]);
        // The sealed choice is told with the envelopes; all else goes on being secret.
        let opened = Outside::of(&table, |_| ());
        sends(&table, &table.bob, &["reply"]);
        sends(&table, &table.ann, &["note", "1/2/ann-second/1", "march", &said]);
        sends(&table, &table.ann, &["declare", "1/2/ann-second/1", &rolls, "--moves-note", "march"]);
        sends(&table, &table.bob, &["reply"]);
        let all = Outside::of(&table, |_| ());
        assert!(all.letters.len() > opened.letters.len());
        all
    });
}

/// What one wishes for if the choice is one's own while the other rolls.
#[test]
fn wishes_for_the_initiative_tell_nothing_more() {
    look_alike(&[("first", "first"), ("second", "second")], |_, wish| {
        let table = Match::seated(&format!("play-leak-ocs-{wish}"));
        let terms =
            table.terms_of("ocs-initiative", |terms| terms.replace("first_player = \"\"", "first_player = \"ann\""));
        begins(&table, &terms);
        let said = table.file("standing.toml", &format!("order = \"{wish}\"\n"));
        sends(&table, &table.bob, &["note", "2/1/initiative/1", "standing", &said]);
        let nothing = table.file("turn.toml", "markers = []\n");
        sends(&table, &table.ann, &["declare", "2/1/initiative/1", &nothing, "--no-moves"]);
        Outside::of(&table, |_| ())
    });
}

/// Orders made beforehand for the events of the other's turn.
#[test]
fn wishes_for_events_tell_nothing_more() {
    let names = |most: usize| (0..most).map(|n| format!("the company of captain {n:02}")).collect::<Vec<_>>();
    let long = format!("fogbound = {:?}\nambuscade-enemy = {:?}\n", names(64), names(64));
    look_alike(&[("nothing", String::new()), ("as many names as it takes", long)], |_, orders| {
        let table = Match::seated(&format!("play-leak-events-{}", orders.len()));
        table.file("my-tables.toml", &table.ann.does(&["game", "template", "crossing-tables"]));
        let terms = table.terms_of("event-tables", |terms| terms);
        begins(&table, &terms);
        let said = table.file("standing.toml", orders);
        sends(&table, &table.bob, &["note", "1/1/first-events/1", "standing", &said]);
        let turn = "[facts]\nriver = 5\n[roster]\ncompany = [{ name = \"A\", strength = 3, post = \"bank\" }]\n";
        let turn = table.file("turn.toml", turn);
        sends(&table, &table.ann, &["declare", "1/1/first-events/1", &turn, "--no-moves"]);
        Outside::of(&table, |_| ())
    });
}

/// A wish for which a note has no room is refused, for its length would tell that there is much to say; and the terms say what
/// lengths tell, wherever they are shown.
#[test]
fn the_terms_say_what_lengths_tell() {
    let table = Match::seated("play-leak-terms");
    table.file("my-tables.toml", &table.ann.does(&["game", "template", "crossing-tables"]));
    let terms = table.terms_of("event-tables", |terms| terms);
    let says = [
        "every standing note for event-tables takes 4096 bytes",
        "reveals the length of its text, to within 256 bytes",
    ];
    let shown = super::talk(&table.ann.run(&["game", "new", &terms], ""));
    begins(&table, &terms);
    let page = table.path("report.html");
    let letters = table.bob.letters();
    table.bob.does(&["audit", "--html", &page, letters.to_str().expect("a path")]);
    let page = std::fs::read_to_string(page).expect("a page");
    for told in [shown, table.bob.does(&["game", "terms"]), page] {
        for words in says {
            assert!(told.contains(words), "{words}: {told}");
        }
    }
    let long: Vec<String> = (0..64).map(|n| format!("{n:02}{}", "x".repeat(62))).collect();
    let wish = table.file("standing.toml", &format!("fogbound = {long:?}\n"));
    let why = table.bob.is_refused(&["note", "1/1/first-events/1", "standing", &wish, "--yes"]);
    assert!(why.contains("room for only 4095"), "{why}");
}

/// What a player orders for a round of a battle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Battle {
    Silence,
    Hold,
    Assault,
}

/// Battles of one unit against as many as there can be: who orders nothing, holds everywhere, or assaults with all and says where
/// every hit goes on to seals as long a note as the other.
#[test]
fn orders_for_a_battle_tell_nothing_more() {
    use Battle::{Assault, Hold, Silence};
    let secrets = [("silence", [Silence; 2]), ("all assault", [Assault; 2]), ("hold against assault", [Hold, Assault])];
    look_alike(&secrets, |name, ordered| {
        let table = Match::seated(&format!("play-leak-cil-{}", name.replace(' ', "-")));
        let ids = |side: &str, most: usize| {
            (0..most).map(|n| format!("{side}-regiment-of-foot-no-{n:03}")).collect::<Vec<_>>()
        };
        let forces = [ids("a", 1), ids("b", 200)];
        let terms = table.terms_of("cil", |terms| {
            let (before, rest) = terms.split_once("[phases.settings.forces]\n").expect("forces");
            let (_, after) = rest.split_once("# With mixed").expect("what follows");
            let force = |ids: &[String]| {
                let unit = |id: &String| format!("{{ id = \"{id}\", kind = \"foot\", attack = 9, defense = 4, strength = 3, effectiveness = 100, at = \"right\" }}");
                ids.iter().map(unit).collect::<Vec<_>>().join(", ")
            };
            let [attacker, defender] = forces.each_ref().map(|ids| force(ids));
            let forces = format!("[phases.settings.forces]\nattacker = [{attacker}]\ndefender = [{defender}]\n");
            format!("{before}{forces}# With mixed{after}").replace("PUT THE SEASON HERE", "spring")
        });
        begins(&table, &terms);
        for ((player, ids), ordered) in [&table.ann, &table.bob].into_iter().zip(&forces).zip(ordered) {
            let each = |order: &str| ids.iter().map(|id| format!("{id} = {order}\n")).collect::<String>();
            let said = match ordered {
                Silence => String::new(),
                Hold => format!("[orders]\n{}", each("{ order = \"hold\" }")),
                Assault => {
                    let excess = "left = \"reserve\"\nmain = \"reserve\"\nright = \"reserve\"\nreserve = \"right\"\n";
                    format!("[orders]\n{}[excess]\n{excess}", each("{ order = \"assault\", at = \"right\" }"))
                }
            };
            let said = table.file("orders.toml", &said);
            sends(&table, player, &["note", "1/1/battle/1", "orders", &said]);
        }
        let outside = Outside::of(&table, |_| ());
        // Not even who has one unit shows.
        let notes = outside.letters.values().filter(|letter| letter.contains("\"purpose\":\"1/1/battle/1/orders\""));
        let lengths: Vec<usize> = notes.map(String::len).collect();
        assert!(matches!(lengths.as_slice(), [one, other] if one == other), "{lengths:?}");
        outside
    });
}

/// What a player of the Division Commander keeps secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hidden {
    /// One unit of each side, that says as little as it can.
    Little,
    /// A roster of many units with long names, orders, moves and transfers.
    Much,
    /// A hidden unit of the defender's beside one of the hexes that the attacker could go back to.
    Zone,
    /// The defender's electronic warfare.
    Ew,
}

/// A whole player turn with an attack that is aborted and counter-battery fire at nobody, and the other's move.
#[test]
fn hidden_units_tell_nothing_more() {
    // What dice decide, and must be told, is the same in every game.
    let tables = |mut tables: String| {
        for (name, rows) in [
            ("weather", "1-6 = [\"clear\", \"clear\", \"night\"]"),
            ("ew", "1-6 = [\"0\", \"0\"]"),
            ("crt", "1-6 = [\"ABORT\", \"ABORT\", \"ABORT\", \"ABORT\", \"ABORT\"]"),
        ] {
            let head = format!("[ndc-{name}.rows]\n");
            let (before, rest) = tables.split_once(&head).expect("a table");
            let (_, after) = rest.split_once("\n\n").expect("tables after it");
            tables = format!("{before}{head}{rows}\n\n{after}");
        }
        tables
    };
    // The hex that the attacker goes back to is told, and a die picks it.
    let told = |letter: &mut Value| {
        let combats = letter.pointer_mut("/body/input/combats").and_then(Value::as_array_mut);
        for retreat in combats.into_iter().flatten().filter_map(|combat| combat.get_mut("retreat")) {
            match retreat {
                Value::String(hex) => *hex = "HEX".into(),
                Value::Object(fields) => drop(fields.insert("hex".into(), "HEX".into())),
                _ => {}
            }
        }
    };
    let secrets = [
        ("little", Hidden::Little),
        ("much", Hidden::Much),
        ("a zone of control", Hidden::Zone),
        ("electronic warfare", Hidden::Ew),
    ];
    look_alike(&secrets, |name, hidden| {
        let table = Match::seated(&format!("play-leak-ndc-{}", name.replace(' ', "-")));
        begins(&table, &ndc::terms(&table, "wait", tables, |terms| terms));
        let much = *hidden == Hidden::Much;
        for n in 0..7 {
            let state = ndc::state(&table.ann).expect("it is settled");
            let player = ndc::mover(&table, &state);
            let mut sheet = json!({});
            let (side, front) = if player.home == table.ann.home { ("a", "08") } else { ("b", "09") };
            match (n, state["awaits"]["step"].as_str().expect("a step")) {
                (0 | 1, _) => {
                    sheet["points"] = json!({ "air": 3, "artillery": if much { 9 } else { 4 }, "signal": 3 });
                    let mut units = vec![ndc::unit(&format!("{side}1"), "armor", &[&format!("{front}10")], (9, 6, 6))];
                    if much {
                        units.push(ndc::unit(&format!("{side}-secret"), "recon", &["3030"], (3, 3, 3)));
                        units.extend((10..24).map(|n| {
                            let name = format!("{side}-unit-with-a-long-name-{n}");
                            ndc::unit(&name, "infantry", &[&format!("40{n}")], (7, 7, 7))
                        }));
                    }
                    if *hidden == Hidden::Zone && side == "b" {
                        units.push(ndc::unit("b-zone", "recon", &["0611"], (3, 3, 3)));
                    }
                    sheet["units"] = json!(units);
                    if n == 1 {
                        sheet["allocate"] = json!({ "air": if much { 3 } else { 1 }, "signal": 2 });
                        sheet["level"] = json!(1);
                    }
                }
                (_, "move") if state["segment"] == 1 => {
                    sheet["level"] = json!(1);
                    if much {
                        sheet["moves"] =
                            json!([{ "cost": [1, 2], "path": ["3031", "3032"], "unit": format!("{side}-secret") }]);
                        sheet["finished"] = json!([format!("{side}-secret")]);
                        sheet["transfers"] = json!(["a battery to the 3rd"]);
                    }
                    if side == "a" {
                        sheet["combats"] = json!([
                            { "kind": "attack", "retreats": { "any": ["0709", "0710", "0809"] }, "target": "0910", "unit": "a1" },
                            { "kind": "counter-battery", "points": 1, "target": "5050" },
                        ]);
                    }
                }
                (_, "defend") if *hidden == Hidden::Ew => {
                    sheet["orders"] = json!({ "b1": [{ "ew_attacks": 3, "ew_superiority": 9 }] });
                }
                (_, "defend") if much => {
                    sheet["orders"] =
                        json!({ "b1": [{ "retreat": ["1010", "1110", "1210"] }], "b-secret": [{ "fpf": 3 }] });
                    sheet["halt"] = json!(["b-secret"]);
                }
                _ => {}
            }
            let slot = ndc::awaited(player).expect("a slot").to_string();
            let file = table.file("sheet.toml", &ndc::as_toml(&sheet));
            sends(&table, player, &["declare", &slot, &file]);
            sends(&table, table.other(player), &["reply"]);
        }
        let outside = Outside::of(&table, told);
        assert!(outside.letters.values().any(|letter| letter.contains("\"result\":\"abort\"")), "{name}");
        outside
    });
}
