//! Every road that a game can take: a referee, a stall and its forfeit, voids, a dispute, a lost folder, a resignation,
//! a rematch, choices fixed unseen, private rolls.

use std::fs;

use serde_json::Value;

use super::{Match, Seated};

/// A game with a referee at a third machine, and what everybody mails goes to both others.
pub(super) struct Refereed {
    pub(super) table: Match,
    pub(super) carol: Seated,
}

impl Refereed {
    /// `more` stands at the end of the terms.
    pub(super) fn begun(name: &str, more: &str) -> Self {
        Self::begun_with(name, |_| String::new(), more)
    }

    /// `held`: what the referee's part of the terms says besides, from her deposit key.
    pub(super) fn begun_with(name: &str, held: impl FnOnce(&str) -> String, more: &str) -> Self {
        Self::begun_on(name, held, |terms| terms + more)
    }

    /// The same on terms that are edited at the end.
    pub(super) fn begun_on(name: &str, held: impl FnOnce(&str) -> String, edit: impl FnOnce(String) -> String) -> Self {
        Self::begun_from(name, "double-impulse", held, edit)
    }

    /// The same from another template.
    pub(super) fn begun_from(
        name: &str,
        template: &str,
        held: impl FnOnce(&str) -> String,
        edit: impl FnOnce(String) -> String,
    ) -> Self {
        let game = Self::seated(name);
        let terms = refereed_terms(&game.table, &game.carol, template, held, edit);
        game.begins(&terms);
        game
    }

    /// Three with keys, and no game yet.
    pub(super) fn seated(name: &str) -> Self {
        let table = Match::seated(name);
        let carol = Seated::at(table.dir.join("carol"));
        carol.does(&["key", "new", "--no-passphrase"]);
        Self { table, carol }
    }

    /// Begins a game on a file of terms.
    pub(super) fn begins(&self, terms: &str) {
        self.mail(&self.table.ann, &["game", "new", terms]);
        let early = self.table.bob.is_refused(&["game", "accept", "--yes"]);
        assert!(early.contains("Carol must accept the terms first"), "{early}");
        self.mail(&self.carol, &["game", "accept"]);
        self.mail(&self.table.bob, &["game", "accept"]);
        self.mail(&self.table.ann, &["reply"]);
    }

    /// A command whose mail both others read.
    pub(super) fn mail(&self, from: &Seated, args: &[&str]) -> String {
        let mail = self.table.posts(from, args);
        for other in [&self.table.ann, &self.table.bob, &self.carol] {
            if other.home != from.home {
                other.reads(&mail);
            }
        }
        mail
    }

    /// All three, the referee last.
    pub(super) const fn all(&self) -> [&Seated; 3] {
        [&self.table.ann, &self.table.bob, &self.carol]
    }

    /// The id in the first command of a verb that the referee is offered.
    pub(super) fn offered(&self, verb: &str) -> String {
        offered(&self.carol, verb)
    }
}

/// The id in the first command of a verb that somebody's status names, for now or for when the days have passed.
pub(super) fn offered(to: &Seated, verb: &str) -> String {
    let status = to.status();
    let lines =
        ["commands", "also", "waits_for"].into_iter().flat_map(|field| status[field].as_array().expect("a list"));
    let command = lines.filter_map(Value::as_str).find(|command| command.contains(verb));
    let command = command.unwrap_or_else(|| panic!("{verb} is not offered: {status}"));
    command.rsplit(&format!("{verb} ")).next().and_then(|rest| rest.split(' ').next()).expect("an id").to_owned()
}

/// The template with a referee in it, `held` what his part says besides, from his deposit key.
pub(super) fn refereed_terms(
    table: &Match,
    carol: &Seated,
    template: &str,
    held: impl FnOnce(&str) -> String,
    edit: impl FnOnce(String) -> String,
) -> String {
    table.terms_of(template, |text| edit(with_referee(carol, &text, held)))
}

/// Terms with Carol as their referee, `held` what her part says besides, from her deposit key.
pub(super) fn with_referee(carol: &Seated, terms: &str, held: impl FnOnce(&str) -> String) -> String {
    let key = carol.public()["public"].as_str().expect("a key").to_owned();
    let shown: Value = serde_json::from_str(&carol.does(&["key", "show", "--deposit", "--json"])).expect("JSON");
    let held = held(shown["deposit"].as_str().expect("a deposit key"));
    let referee = format!("[referee]\nrole = \"ref\"\nname = \"Carol\"\nkey = \"{key}\"\n{held}\n[opponent]");
    terms.replacen("[opponent]", &referee, 1)
}

/// What a silent player forfeits under the terms.
pub(super) const FORFEIT: &str = "\n[[deadlines]]\nstep = \"reveal\"\ndays = 30\nforfeit = \"declarer-names\"\n";

#[test]
fn a_game_with_a_referee_and_every_accident() {
    let game = Refereed::begun("play-roads", "");
    let (ann, bob, carol) = (&game.table.ann, &game.table.bob, &game.carol);
    let attacks = game.table.path("ATTACKS.csv");
    let rolls = game.table.path("ROLLS.csv");

    // A roll that both void in part, and another that the referee voids whole.
    game.mail(ann, &["declare", "1/1/ann-first/1", &attacks, "--moves", "the 3rd crosses"]);
    assert!(carol.is_refused(&["declare", "1/1/ann-first/1", "--yes"]).contains("only players can do this"));
    let early = ann.is_refused(&["correct", "void", "1/1/ann-first/1", "--reason", "ZOC", "--yes"]);
    assert!(early.contains("wait for the reveal"), "{early}");
    game.mail(bob, &["reply"]);
    game.mail(ann, &["correct", "void", "1/1/ann-first/1", "--lines", "2", "--reason", "the bridge was down"]);
    let proposal =
        bob.status()["commands"][0].as_str().expect("a command").rsplit(' ').next().expect("an id").to_owned();
    game.mail(bob, &["correct", "accept", &proposal]);
    game.mail(ann, &["declare", "1/2/ann-second/1", &rolls, "--no-moves"]);
    game.mail(bob, &["reply"]);
    game.mail(carol, &["rule", "void", "1/2/ann-second/1", "--impulse", "--text", "both moved after nightfall"]);

    // A dispute that the referee dismisses.
    let letters = fs::read_dir(game.table.ann.letters()).expect("letters");
    let reveal = letters.map(|entry| entry.expect("a file").file_name().into_string().expect("a name"));
    let reveal = reveal.into_iter().find(|name| name.contains("-reveal-")).expect("a reveal");
    let id = reveal.trim_end_matches(".txt").rsplit('-').next().expect("an id").to_owned();
    game.mail(bob, &["dispute", "raise", &id, "--text", "I misread the map"]);
    let dispute = game.offered("rule dismiss");
    game.mail(carol, &["rule", "dismiss", &dispute, "--text", "a reveal is a reveal"]);

    // Bob's machine is lost; he asks, and Ann's answer brings the game back.
    game.table.mails.borrow_mut().push(bob.signs(&["game", "resync"]));
    let ask = game.table.mails.borrow().last().expect("a mail").clone();
    let why = bob.is_refused(&["seal", "3/1/ann-first/1", "--yes"]);
    assert!(why.contains("You can sign again once you have their answers"), "{why}");
    for other in [ann, carol] {
        other.reads(&ask);
        game.mail(other, &["reply"]);
    }

    // A stall that ends with any letter; then the end.
    game.mail(ann, &["dispute", "stall", "--text", "four weeks"]);
    let claim = game.offered("rule request");
    game.mail(carol, &["rule", "request", &claim]);
    game.mail(bob, &["seal", "foul-up"]);
    game.mail(ann, &["dispute", "resign", "--text", "well played"]);
    for party in game.all() {
        assert!(party.status()["notes"].to_string().contains("ann has forfeited the game"), "{}", party.status());
    }
    game.mail(ann, &["game", "close", "--result", "bob wins"]);
    game.mail(bob, &["game", "close"]);
    game.mail(ann, &["reply"]);

    let report = game.table.report();
    assert_eq!((&report["verdict"], &report["complete"]), (&Value::from("verified"), &Value::from(true)), "{report}");
    let rolls = report["rolls"].as_array().expect("rolls");
    let standing: Vec<bool> = rolls.iter().map(|roll| roll["standing"] == true).collect();
    assert_eq!(standing, [true, false, true, false, false], "{report}");
}

#[test]
fn a_stall_ends_in_dice_that_the_declarer_names() {
    let game = Refereed::begun("play-forfeit", FORFEIT);
    let attacks = game.table.path("ATTACKS.csv");
    let slot = "1/1/ann-first/1";
    game.mail(&game.table.ann, &["declare", slot, &attacks, "--no-moves"]);
    assert!(game.table.ann.is_refused(&["dispute", "name", slot, "6", "6", "6", "--yes"]).contains("not forfeited"));
    game.mail(&game.table.ann, &["dispute", "stall", slot, "--text", "six weeks"]);
    assert_eq!(game.table.report()["verdict"], "undecided", "silence convicts nobody");
    let claim = game.offered("rule request");
    // The referee has a new machine, too.
    fs::remove_dir_all(&game.carol.machine).expect("what the old one remembers");
    let refused = game.carol.is_refused(&["rule", "request", &claim, "--yes"]);
    assert!(refused.contains("game resync"), "{refused}");
    assert_eq!(game.carol.status()["commands"].as_array().map(Vec::len), Some(1));
    game.mail(&game.carol, &["game", "resync"]);
    game.mail(&game.table.ann, &["reply"]);
    // Who is silent answers no question either.
    let waits = game.carol.status()["waits_for"].to_string();
    assert!(waits.contains("bob's answer") && !waits.contains("ann's"), "{waits}");
    game.carol.does(&["game", "resync", "--without", "bob", "--yes"]);
    game.mail(&game.carol, &["rule", "request", &claim, "--text", "Bob, please open it"]);
    let request = game.offered("rule forfeit");
    let refused = game.carol.is_refused(&["rule", "forfeit", &request, "game", "--yes"]);
    assert!(refused.contains("ruling 2"), "{refused}");
    game.mail(&game.carol, &["rule", "forfeit", &request, "declarer-names"]);
    let refused = game.table.ann.is_refused(&["dispute", "name", slot, "6", "7", "6", "--yes"]);
    assert!(refused.contains("claim 4"), "{refused}");
    game.mail(&game.table.ann, &["dispute", "name", slot, "6", "5", "6"]);
    let report = game.table.report();
    let rolls = report["rolls"].as_array().expect("rolls");
    let values: Vec<u64> = rolls.iter().filter_map(|roll| roll["value"].as_u64()).collect();
    assert_eq!((report["verdict"].as_str(), values), (Some("verified"), vec![6, 5, 6]));
    assert!(rolls.iter().all(|roll| roll["named_by"].is_string()), "{rolls:?}");
}

#[test]
fn private_rolls_and_orders_at_once() {
    let table = Match::begun("play-private", |terms| {
        let private = "\nprivate = true\ndecisions = [{ name = \"orders\", how = \"simultaneous\" }]\n\n[phases.settings]\nenvelopes";
        terms.replacen("\n[phases.settings]\nenvelopes", private, 1)
    });
    let (orders, attacks) = (table.path("orders.txt"), table.path("ATTACKS.csv"));
    let slot = "1/1/ann-first/1";
    let early = table.ann.is_refused(&["declare", slot, &attacks, "--no-moves", "--yes"]);
    assert!(early.contains("waits for the choice orders"), "{early}");
    table.mail(&table.ann, &["note", slot, "orders", &orders]);
    // Bob's own orders make both due: his are opened at once, Ann's with her next mail.
    let attack = table.file("attack.txt", "everything forward\n");
    table.mail(&table.bob, &["note", slot, "orders", &attack]);
    table.mail(&table.ann, &["reply"]);
    table.mail(&table.ann, &["declare", slot, &attacks, "--no-moves"]);
    table.mail(&table.bob, &["reply"]);
    let report = table.report();
    assert_eq!((report["verdict"].as_str(), report["rolls"].as_array().map(Vec::len)), (Some("verified"), Some(0)));
    let dice = table.ann.does(&["reveal", slot, "--look"]);
    assert_eq!(dice.matches("d6 = ").count(), 3, "{dice}");
    assert!(table.bob.is_refused(&["reveal", slot, "--look"]).contains("does not have private rolls of yours"));
    assert_eq!(table.report()["rolls"].as_array().map(Vec::len), Some(0), "nothing was signed");
    table.mail(&table.ann, &["reveal", slot]);
    let report = table.report();
    assert_eq!((report["verdict"].as_str(), report["rolls"].as_array().map(Vec::len)), (Some("verified"), Some(3)));
    let report = table.closes();
    assert_eq!((report["complete"].as_bool(), report["rolls"].as_array().map(Vec::len)), (Some(true), Some(3)));
}

/// A rematch on the same terms is another game, and nothing of the first is good in it.
#[test]
fn a_rematch_is_another_game() {
    let table = Match::begun("play-rematch", |terms| terms);
    let attacks = table.path("ATTACKS.csv");
    table.mail(&table.ann, &["declare", "1/1/ann-first/1", &attacks, "--no-moves"]);
    table.mail(&table.bob, &["reply"]);
    let first = table.closes();
    let terms = table.path("terms.toml");
    let mail = table.ann.signs(&["game", "new", &terms]);
    table.bob.reads(&mail);
    let games = table.bob.does(&["game", "list"]);
    assert_eq!(games.lines().count(), 2, "{games}");
    let name =
        games.lines().find(|line| line.contains("accept")).and_then(|line| line.split(':').next()).expect("a game");
    table.ann.reads(&table.bob.signs(&["game", "accept", "--game", name]));
    let listed = table.ann.does(&["game", "list"]);
    assert!(listed.contains("over") && listed.lines().count() == 2, "{listed}");
    assert_eq!(first["complete"], true);
}
