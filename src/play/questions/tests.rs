//! Laws of the questions: their answers make terms that can be proposed, each answer changes its own setting, and a
//! wrong answer is refused with its reason.

use std::{collections::BTreeSet, fs};

use serde_json::{Value, json};

use super::{
    answers::Answers,
    games::{GAMES, Game},
    question::{Kind, Question},
    writing::terms,
};
use crate::{
    blob::{Hex32, body::Charter, json},
    keep::root::{Keys, Root},
    play::{
        charter_file::{self, table_files::TableFiles, templates::TEMPLATES},
        game,
    },
    primitive::wrap,
    resolve::coin_envelopes::hexes::Grammar,
};

fn keys() -> Keys {
    Root::random().unwrap().keys()
}

fn key_of(keys: &Keys) -> Hex32 {
    Hex32(*keys.signing().public().as_bytes())
}

/// The players' keys, and those of a third party.
struct People {
    own: Keys,
    their: Keys,
    third: Keys,
    deposit: Hex32,
}

impl People {
    fn new() -> Self {
        let deposit = Hex32(wrap::public(&Root::random().unwrap().deposit_key()).unwrap());
        Self { own: keys(), their: keys(), third: keys(), deposit }
    }

    fn own(&self) -> Hex32 {
        key_of(&self.own)
    }

    /// The answer to a question that has no default, as these people give it.
    fn usual(&self, question: &Question) -> String {
        match (question.id, question.kind) {
            ("own-name", _) => "Ann".into(),
            ("their-name", _) => "Bob".into(),
            ("their-key", _) => key_of(&self.their).to_string(),
            ("third-name", _) => "Carol".into(),
            ("third-key", _) => key_of(&self.third).to_string(),
            ("july-3", _) => "20".into(),
            ("sector", _) => "0101 2015".into(),
            (_, Kind::Choice(values)) => values[0].0.into(),
            (_, Kind::Text | Kind::Key) => "7".into(),
        }
    }

    /// Answers every question, some of them as stated and the others with their defaults.
    fn answer(&self, game: &'static Game, stated: &[(&str, &str)]) -> Answers {
        let mut answers = Answers::new(game, self.own());
        for question in game.questions().filter(|question| question.default.is_none()) {
            answers.take(question, &self.usual(question)).unwrap();
        }
        let stated = |id: &str| stated.iter().find(|(named, _)| *named == id).map(|(_, answer)| *answer);
        for question in game.questions() {
            if let Some(answer) = stated(question.id) {
                answers.take(question, answer).unwrap();
            } else if question.default.is_some() && answers.calls_for(question) {
                answers.take(question, "").unwrap();
            }
        }
        answers
    }

    /// Reads terms as they are read before they are proposed.
    fn charter(&self, game: &'static Game, stated: &[(&str, &str)]) -> Charter {
        let folder = tempfile::tempdir().unwrap();
        if let Some(tables) = game.tables {
            fs::write(folder.path().join(tables.file), tables.supplied().text).unwrap();
        }
        let file = terms(&self.answer(game, stated), &folder.path().join("terms.toml")).unwrap();
        let read = charter_file::read(&file, &TableFiles::Beside, self.own(), Hex32([7; 32]), &|_| {
            panic!("nothing is continued")
        });
        let (charter, _) = read.unwrap_or_else(|why| panic!("{}, {stated:?}: {why:?}\n{}", game.template, file.text));
        game::check(&charter).unwrap_or_else(|why| panic!("{}, {stated:?}: {why:?}", game.template));
        charter
    }

    fn value(&self, game: &'static Game, stated: &[(&str, &str)]) -> Value {
        json::to_value(&self.charter(game, stated)).unwrap()
    }
}

fn game(template: &str) -> &'static Game {
    Game::named(template).unwrap()
}

fn question(game: &'static Game, id: &str) -> &'static Question {
    game.questions().find(|question| question.id == id).unwrap()
}

#[test]
fn every_template_takes_the_defaults() {
    let people = People::new();
    for game in &GAMES {
        let charter = people.charter(game, &[]);
        let [you, other] = &charter.parties;
        assert_eq!((you.role.as_str(), you.name.as_str(), you.key), ("ann", "Ann", people.own()));
        assert_eq!((other.role.as_str(), other.name.as_str(), other.key), ("bob", "Bob", key_of(&people.their)));
        assert_eq!(charter.title, "Our campaign");
        assert!(!charter.compared && charter.referee.is_none() && charter.office.is_none());
    }
}

#[test]
fn every_template_that_is_no_table_has_questions() {
    let tables: BTreeSet<&str> = GAMES.iter().filter_map(|game| game.tables).map(|tables| tables.template).collect();
    for (name, text) in &TEMPLATES {
        assert_eq!(Game::named(name).is_some(), !tables.contains(name), "{name}");
        assert_eq!(text.contains("[opponent]"), !tables.contains(name), "{name}");
    }
}

#[test]
fn questions_are_well_formed() {
    for game in &GAMES {
        let ids: BTreeSet<&str> = game.questions().map(|question| question.id).collect();
        assert_eq!(ids.len(), game.questions().count(), "{}: two questions have one name", game.template);
        for question in game.questions() {
            assert!(!question.text.is_empty() && question.why.ends_with('.'), "{}", question.id);
            if let (Kind::Choice(values), Some(default)) = (question.kind, question.default) {
                assert!(values.iter().any(|(value, _)| *value == default), "{}", question.id);
            }
        }
    }
    let Kind::Choice(hexes) = question(game("double-impulse"), "hexes").kind else { panic!("a choice") };
    assert_eq!(hexes.iter().map(|(value, _)| *value).collect::<Vec<_>>(), Grammar::ALL.map(Grammar::example));
    for ((_, label), grammar) in hexes.iter().zip(Grammar::ALL) {
        assert!(label.contains(grammar.example()) && label.contains(grammar.second()), "{label}");
    }
}

#[test]
fn every_choice_makes_terms_that_can_be_proposed() {
    let people = People::new();
    let deposit = people.deposit.to_string();
    for game in &GAMES {
        for question in game.questions() {
            let Kind::Choice(values) = question.kind else { continue };
            for (value, _) in values {
                people.charter(game, &[(question.id, value)]);
                // An answer that needs a third party is tried with each of them.
                if question.id == "third" && *value != "nobody" {
                    let charter = people.charter(game, &[("third", value), ("third-deposit", &deposit)]);
                    let third = charter.referee.or(charter.office).expect("somebody");
                    assert_eq!((third.name.as_str(), third.key), ("Carol", key_of(&people.third)));
                    assert_eq!(third.deposit.map(|deposit| deposit.key), Some(people.deposit));
                }
            }
        }
    }
}

/// A game's answers and their effect on its terms: the game, the answers, a place in the terms, and its value.
type Effect = (&'static str, &'static [(&'static str, &'static str)], &'static str, Value);

fn effects() -> Vec<Effect> {
    vec![
        ("cil", &[("title", "War \"1\"")], "/title", json!("War \"1\"")),
        ("cil", &[("own-name", "Jörg = \"x\"")], "/parties/0/name", json!("Jörg = \"x\"")),
        ("cil", &[("own-name", "Fritz")], "/phases/0/declarer", json!("fritz")),
        ("cil", &[("season", "winter")], "/phases/0/settings/season", json!("winter")),
        ("cil", &[("attacker", "opponent")], "/phases/0/settings/attacker", json!("bob")),
        ("cil", &[("attacker", "opponent")], "/phases/0/settings/defender", json!("ann")),
        ("double-impulse", &[("hexes", "0824")], "/phases/0/settings/grammar", json!("numeric4")),
        ("double-impulse", &[("hexes", "A43.01")], "/phases/2/settings/grammar", json!("mapnumeric")),
        (
            "double-impulse",
            &[("double-letters", "spreadsheet")],
            "/phases/2/settings/double_letters",
            json!("spreadsheet"),
        ),
        ("double-impulse", &[("values", "2-12")], "/phases/0/settings/values", json!("2-12")),
        ("double-impulse", &[("values", "0-9")], "/phases/3/settings/values", json!("0-9")),
        ("double-impulse", &[("first-dice", "icrk")], "/phases/2/system", json!("icrk")),
        ("double-impulse", &[("second-dice", "coin-envelopes")], "/phases/3/system", json!("coin-envelopes")),
        ("double-impulse", &[("second-dice", "coin-envelopes")], "/sets_at_start/sheet", json!(0)),
        ("double-impulse", &[("own-role", "blue-1")], "/phases/1/name", json!("blue-1-second")),
        ("double-impulse", &[("illegal-move", "redo")], "/foul_up/remedies/illegal-move", json!("redo")),
        ("double-impulse", &[("illegal-odds", "redo")], "/foul_up/remedies/illegal-odds", json!("redo")),
        ("double-impulse", &[("wrong-list", "keep")], "/foul_up/remedies/wrong-list", json!("keep")),
        (
            "event-tables",
            &[("own-side", "south"), ("their-side", "north")],
            "/phases/0/settings/sides/south",
            json!("ann"),
        ),
        ("event-tables", &[("first", "south")], "/phases/0/settings/first", json!("south")),
        ("gettysburg-events", &[("own-side", "confederate")], "/phases/0/settings/sides/union", json!("bob")),
        ("gettysburg-events", &[("first", "confederate")], "/phases/0/settings/first", json!("confederate")),
        ("gettysburg-events", &[("fire-dice", "d66")], "/phases/0/settings/fire_dice", json!("d66")),
        ("gettysburg-events", &[("dt-accepts-on", "4")], "/phases/0/settings/dt_accepts_on", json!(4)),
        ("gettysburg-events", &[("entry2", "none")], "/phases/0/settings/entry2", json!("none")),
        ("gettysburg-events", &[("ambush", "any_random")], "/phases/0/settings/ambush", json!("any_random")),
        ("gettysburg-events", &[("ambush-limit", "both")], "/phases/0/settings/ambush_limit", json!("both")),
        ("gettysburg-events", &[("wrong-list", "keep")], "/foul_up/remedies/wrong-list", json!("keep")),
        ("gettysburg-events", &[("hood-regular", "12")], "/phases/0/settings/hood_regular", json!(12)),
        ("ndc", &[("first-player", "opponent")], "/phases/0/settings/sides", json!(["bob", "ann"])),
        ("ndc", &[("letters", "wait")], "/phases/0/settings/letters", json!("wait")),
        ("ndc", &[("defender-to-sign", "minus")], "/phases/0/settings/defender_to_sign", json!("minus")),
        ("ndc", &[("low-columns", "even")], "/phases/0/settings/low_columns", json!("even")),
        ("ndc", &[("own-doctrine", "us")], "/phases/0/settings/doctrine/ann", json!("us")),
        ("ndc", &[("their-doctrine", "us")], "/phases/0/settings/doctrine/bob", json!("us")),
        ("ndc", &[("sector", "0203 0909")], "/phases/0/settings/sectors/map", json!(["0203", "0909"])),
        ("ocs-initiative", &[("first-player", "nobody")], "/phases/0/settings/first_player", json!(null)),
        ("ocs-initiative", &[("first-player", "you")], "/phases/0/settings/first_player", json!("ann")),
        (
            "ocs-initiative",
            &[("own-role", "bob"), ("their-role", "ann")],
            "/phases/0/settings/sides",
            json!(["bob", "ann"]),
        ),
    ]
}

#[test]
fn each_answer_changes_its_own_setting() {
    let people = People::new();
    for (template, stated, place, expected) in effects() {
        let charter = people.value(game(template), stated);
        assert_eq!(charter.pointer(place), Some(&expected), "{template}, {stated:?}: {place}\n{charter}");
    }
}

#[test]
fn a_compared_fingerprint_is_in_the_terms() {
    let people = People::new();
    let fingerprint = people.their.signing().public().fingerprint();
    assert!(people.charter(game("cil"), &[("their-fingerprint", &fingerprint.to_lowercase())]).compared);
}

#[test]
fn a_referee_with_a_deposit_key_has_a_deadline() {
    let people = People::new();
    let deposit = people.deposit.to_string();
    let stated = [("third", "referee"), ("third-deposit", deposit.as_str()), ("reveal-days", "14")];
    let charter = people.value(game("double-impulse"), &stated);
    assert_eq!(charter["deadlines"], json!([{ "days": 14, "forfeit": "none", "step": "reveal" }]));
    assert_eq!(people.value(game("double-impulse"), &stated[..1])["deadlines"], json!([]));
}

#[test]
fn the_comments_of_a_template_stay() {
    let people = People::new();
    for game in &GAMES {
        let (_, template) = TEMPLATES.iter().find(|(name, _)| *name == game.template).unwrap();
        let written = terms(&people.answer(game, &[]), "terms.toml".as_ref()).unwrap().text;
        for line in template.lines().filter(|line| line.starts_with('#')) {
            assert!(written.lines().any(|kept| kept == line), "{}: {line}", game.template);
        }
        // No placeholder of the template is left for the player to replace.
        let left = written.lines().find(|line| !line.starts_with('#') && line.contains("\"PUT "));
        assert_eq!(left, None, "{}", game.template);
    }
}

#[test]
fn hexes_are_asked_for_only_where_they_count() {
    let people = People::new();
    let game = game("double-impulse");
    let answers = people.answer(game, &[("first-dice", "icrk")]);
    assert!(!answers.calls_for(question(game, "hexes")) && !answers.calls_for(question(game, "third-key")));
    let written = terms(&answers, "terms.toml".as_ref()).unwrap().text;
    assert!(!written.contains("hexes = ") && !written.contains("double_letters") && written.contains("# penalties = "));
    let answers = people.answer(game, &[("hexes", "0824")]);
    assert!(answers.calls_for(question(game, "hexes")) && !answers.calls_for(question(game, "double-letters")));
    assert!(
        super::games::GAMES
            .iter()
            .all(|game| game.questions().any(|question| question.id == "hexes") == (game.template == "double-impulse"))
    );
}

#[test]
fn terms_need_every_answer_that_has_no_default() {
    let people = People::new();
    let why = terms(&Answers::new(game("cil"), people.own()), "terms.toml".as_ref()).unwrap_err();
    assert!(why.why.iter().any(|line| line.contains("Your name")), "{why:?}");
}

#[test]
fn wrong_answers_are_refused_with_the_reason() {
    let people = People::new();
    let own = people.own().to_string();
    let their = key_of(&people.their).to_string();
    let [own_print, third_print] = [&people.own, &people.third].map(|keys| keys.signing().public().fingerprint());
    for (template, id, typed, reason) in [
        ("cil", "title", "\u{200b}", "visible"),
        ("cil", "own-name", "", "type one"),
        ("cil", "own-name", &"x".repeat(81), "1 to 80"),
        ("cil", "own-role", "Ann", "small letters"),
        ("cil", "own-role", "office", "is kept for"),
        ("cil", "their-role", "ann", "your own role"),
        ("cil", "their-key", "", "paste it"),
        ("cil", "their-key", "12ab", "64 digits"),
        ("cil", "their-key", &"f".repeat(64), "not a valid public key"),
        ("cil", "their-key", &own, "your own public key"),
        ("cil", "their-fingerprint", &own_print, "your own fingerprint"),
        ("cil", "their-fingerprint", &third_print, "does not match the key"),
        ("cil", "season", "", "choose one of spring, summer"),
        ("cil", "season", "autumn", "choose one of spring, summer"),
        ("cil", "illegal-move", "void", "choose one of keep, redo"),
        ("cil", "third-key", &their, "your opponent's public key"),
        ("cil", "third-key", &own, "your own public key"),
        ("cil", "third-fingerprint", &own_print, "your own fingerprint"),
        ("cil", "third-deposit", "12", "not a valid deposit key"),
        ("cil", "reveal-days", "0", "1 to 3650"),
        ("double-impulse", "hexes", "", "choose one of F12, 0824"),
        ("double-impulse", "hexes", "G13", "choose one of F12, 0824"),
        ("event-tables", "their-side", "north", "your own side"),
        ("event-tables", "first", "east", "north or south"),
        ("gettysburg-events", "july-2", "1", "from 2"),
        ("gettysburg-events", "dt-accepts-on", "8", "from 1 to 7"),
        ("ndc", "sector", "0101", "two hexes"),
    ] {
        let mut answers = people.answer(game(template), &[]);
        let why = answers.take(question(game(template), id), typed).unwrap_err();
        assert!(why.contains(reason), "{id}, {typed:?}: {why}");
    }
    // Names without a plain letter make no role.
    let mut answers = Answers::new(game("cil"), people.own());
    answers.take(question(game("cil"), "own-name"), "李").unwrap();
    assert!(answers.take(question(game("cil"), "own-role"), "").unwrap_err().contains("type a role"));
}
