//! A robot that knows nothing but what `game status --json` names, through good mail and bad.

use serde_json::{Value, json};

use super::{Match, Seated};

/// Turns until the robot is tired.
const TURNS: u64 = 2;

fn list(status: &Value, field: &str) -> Vec<String> {
    status[field].as_array().expect("a list").iter().map(|line| line.as_str().expect("a line").to_owned()).collect()
}

/// How many slots Ann and Bob have declared.
type Made = [u64; 2];

/// A command that a robot types: one that is named, if it is his turn to declare and not a second battle.
fn choose(table: &Match, player: &Seated, pick: usize, made: &Made) -> Option<Vec<String>> {
    let status = player.status();
    let named = list(&status, "commands");
    let turn = if player.home == table.ann.home { made[1] / 2 + 1 } else { made[0] / 2 };
    let fits = |words: &Vec<String>| {
        if words[0] != "declare" {
            return true;
        }
        let mut slot = words[1].split('/');
        let of = slot.next().and_then(|turn| turn.parse::<u64>().ok()).expect("a turn");
        of <= turn.min(TURNS) && slot.next_back() == Some("1")
    };
    let choices: Vec<Vec<String>> = named.iter().map(|command| table.typed(player, command)).filter(fits).collect();
    let choice = choices.get(pick % choices.len().max(1)).cloned();
    // Without a declaration to bring it along, the reply goes alone.
    let alone =
        || list(&status, "also").iter().map(|command| table.typed(player, command)).find(|typed| typed[0] == "reply");
    choice.or_else(alone)
}

/// Counts a declaration.
fn count(table: &Match, player: &Seated, typed: &[String], made: &mut Made) {
    made[usize::from(player.home != table.ann.home)] += u64::from(typed[0] == "declare");
}

fn words(typed: &[String]) -> Vec<&str> {
    typed.iter().map(String::as_str).collect()
}

#[test]
fn it_plays_a_game_to_the_close() {
    let table = Match::seated("play-robot");
    let terms = table.terms(|terms| {
        terms.replacen(
            "\n[phases.settings]\nenvelopes",
            "\ndecisions = [{ name = \"reaction\", by = \"bob\" }]\n\n[phases.settings]\nenvelopes",
            1,
        )
    });
    table.mail(&table.ann, &["game", "new", &terms]);
    let mut made = [0; 2];
    for _ in 0..30 {
        for player in [&table.bob, &table.ann] {
            if let Some(typed) = choose(&table, player, 0, &made).filter(|typed| typed[0] != "resend") {
                count(&table, player, &typed, &mut made);
                table.mail(player, &words(&typed));
            }
        }
    }
    let report = table.closes();
    assert_eq!((&report["verdict"], &report["complete"]), (&json!("verified"), &json!(true)), "{report}");
    let rolls = report["rolls"].as_array().expect("rolls");
    assert_eq!(rolls.len() as u64, TURNS * 2 * (3 + 2), "{report}");
}

/// Numbers that look random enough for a bad postman (a step of a linear congruence).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// A mail that is under way, and to whom.
type Bag<'t> = Vec<(&'t Seated, String)>;

/// Mails are lost, doubled and delivered in any order; what both wait for is resent as the status says.
fn plays_through_bad_mail(seed: u64) {
    let table = Match::begun(&format!("play-postman-{seed}"), |terms| terms);
    let mut dice = Dice(seed);
    let mut bag: Bag<'_> = Vec::new();
    let mut made = [0; 2];
    let done = |player: &Seated, made: &Made| choose(&table, player, 0, made).is_none();
    let mut rounds = 0;
    while !(done(&table.ann, &made) && done(&table.bob, &made) && bag.is_empty() && settled(&table)) {
        rounds += 1;
        assert!(rounds < 600, "{} {}", table.ann.status(), table.bob.status());
        let player = if dice.below(2) == 0 { &table.ann } else { &table.bob };
        if let Some(typed) = choose(&table, player, dice.below(4), &made) {
            count(&table, player, &typed, &mut made);
            let mail = table.posts(player, &words(&typed));
            post(&mut dice, &mut bag, table.other(player), mail);
        } else if let Some(resend) = list(&player.status(), "if_lost").first() {
            let mail = player.does(&words(&table.typed(player, resend)));
            post(&mut dice, &mut bag, table.other(player), mail);
        }
        if !bag.is_empty() && dice.below(3) > 0 {
            let (to, mail) = bag.swap_remove(dice.below(bag.len()));
            to.reads(&mail);
        }
    }
    let report = table.closes();
    assert_eq!((&report["verdict"], &report["complete"]), (&json!("verified"), &json!(true)), "{report}");
    assert_eq!(report["rolls"].as_array().expect("rolls").len() as u64, TURNS * 2 * (3 + 2));
    assert_eq!(report["findings"], json!([]));
}

/// Whether each has all letters of the other, as far as they can wait for them.
fn settled(table: &Match) -> bool {
    [&table.ann, &table.bob].into_iter().all(|player| {
        let status = player.status();
        let waits = list(&status, "waits_for");
        list(&status, "missing").is_empty() && waits.iter().all(|line| line.contains(" declares "))
    })
}

fn post<'t>(dice: &mut Dice, bag: &mut Bag<'t>, to: &'t Seated, mail: String) {
    match dice.below(5) {
        0 => {}
        1 => bag.extend([(to, mail.clone()), (to, mail)]),
        _ => bag.push((to, mail)),
    }
}

#[test]
fn it_plays_through_bad_mail() {
    std::thread::scope(|scope| {
        for seed in 1..=2 {
            scope.spawn(move || plays_through_bad_mail(seed));
        }
    });
}
