//! The sheet that the author of the next step fills in, with the public facts (`protocol/ndc.md` 14).

use std::fmt::Write;

use super::{
    course::Ndc,
    game::Game,
    hexes::list,
    input::{Combat, Step},
    position,
    settings::{Letters, Settings},
    state::State,
    tell,
};
use crate::{
    blob::json::{Text, Value},
    error::Result,
    resolve::{Forms, Object, PositionTable},
};

/// The form for a state. For a player whose `hand` is known, it lists their units wherever it asks for one.
pub(super) fn of(game: &Game, state: &State, hand: Option<&Object>) -> String {
    let (settings, mut form) = (&game.settings, String::new());
    let by = &state.awaits.by;
    facts(settings, state, &mut form);
    form.push_str(PUT);
    let first = settings.is_first(by);
    match state.awaits.step {
        Step::Setup => {
            form.push_str(POINTS);
            if !first {
                intelligence(settings, &mut form);
            }
        }
        Step::Move => {
            if state.segment == 1 {
                intelligence(settings, &mut form);
                form.push_str(BEGINNING);
            }
            form.push_str(if state.segment == 1 { FIRST_MOVES } else { LATER_MOVES });
            form.push_str(MOVE);
        }
        Step::Defend => form.push_str(
            "# Your units react to the attacks as you order below. Orders in earlier sheets do not count.\n\n",
        ),
        Step::Report => form.push_str(report(settings)),
    }
    form.push_str(ANY);
    // With "wait", only the answer to an attack has halts and orders that count.
    let answers = settings.letters == Letters::Standing || state.awaits.step == Step::Defend;
    form.push_str(if answers { HALT } else { "" });
    // In TOML, a table takes every line after it, so the blocks come last.
    match state.awaits.step {
        Step::Setup => form.push_str(ROSTER),
        Step::Move => {
            if state.segment == 1 {
                form.push_str(MODES);
            }
            form.push_str(MOVES);
        }
        Step::Defend | Step::Report => {}
    }
    if answers {
        form.push_str(ORDERS);
    }
    let form = form.replace("{TERRAIN}", &terrain(game)).replace("{EW}", &settings.ew.to_string());
    let units = units(hand);
    // A commander uses Command once in a player turn (16).
    let used = match state.awaits.step {
        Step::Move if state.segment == 1 => "command",
        Step::Move => "commanded",
        _ => "",
    };
    let used = hand.and_then(|hand| hand.get(used)).and_then(Value::as_array);
    let mut form = with_names(&form, &units, used.map(Vec::as_slice).unwrap_or_default());
    if state.awaits.step == Step::Defend {
        form.push_str(&attacked(state, &units));
    }
    form
}

/// Returns the units of a hand that are not gone.
fn units(hand: Option<&Object>) -> Vec<&Object> {
    let units = hand.and_then(|hand| hand.get("units")).and_then(Value::as_array).into_iter().flatten();
    units.filter_map(Value::as_object).filter(|unit| unit.get("gone") == Some(&Value::Bool(false))).collect()
}

/// Lists the names of units at the ends of lines: of all units for `{.. unit}`, of those with a commander for
/// `{.. commander}`, and of these, without those that have `used` Command, for `{.. free commander}`. Where there are
/// none, a line says only what stands before the brace.
fn with_names(form: &str, units: &[&Object], used: &[Value]) -> String {
    let names = |is_listed: fn(&Object) -> bool| {
        let listed = units.iter().filter(|unit| is_listed(unit));
        listed.filter_map(|unit| unit.get("name")?.as_str()).collect::<Vec<_>>()
    };
    let all = names(|_| true);
    let led = names(|unit| unit.get("commander").is_some_and(|rating| *rating != Value::Null));
    let free: Vec<&str> = led.iter().copied().filter(|name| !used.iter().any(|used| used == name)).collect();
    let mut out = String::new();
    for line in form.lines() {
        let asks = [("unit}", &all), ("free commander}", &free), ("commander}", &led)].into_iter().find_map(
            |(what, names)| {
                let (before, how) = line.strip_suffix(what)?.rsplit_once('{')?;
                Some((before, how, names))
            },
        );
        match asks {
            None => out.push_str(line),
            Some((before, how, names)) if !names.is_empty() => {
                out.push_str(&format!("{before}{how}of: {}", list(names)));
            }
            Some(("", ..)) => continue,
            Some((before, ..)) => out.push_str(before),
        }
        out.push('\n');
    }
    out
}

/// Says which kinds of terrain an attack may list.
fn terrain(game: &Game) -> String {
    match game.tables.terrain() {
        Some(rows) => format!("any of: {}", list(rows.keys())),
        None => "names of rows of ndc-terrain".into(),
    }
}

/// Writes the public facts of the state, as comments.
fn facts(settings: &Settings, state: &State, form: &mut String) {
    let mut say = |line: String| {
        form.push_str("# ");
        form.push_str(&line);
        form.push('\n');
    };
    let (by, other) = (&state.awaits.by, settings.other(&state.awaits.by));
    say(format!("{}; {by}'s sheet. It stays secret until the game is over.", tell::state(state)));
    for side in [by, &other] {
        for (name, contact) in state.contacts.get(side).into_iter().flatten() {
            say(format!("{side} shows {}", tell::shows(name, contact)));
        }
        if let Some(intelligence) = state.intelligence_of(side) {
            let sectors = list(&intelligence.sectors);
            say(format!("{side} searches {sectors} at operational level {}", intelligence.level.0));
        }
    }
    if state.awaits.step == Step::Move {
        let spent = state.spent_of(by);
        say(format!(
            "spent in this player turn: {} on barrage and final protective fire, {} on counter-battery and interdiction",
            spent.support, spent.fire
        ));
    }
    if matches!(state.awaits.step, Step::Defend | Step::Report) {
        for (name, path) in &state.paths {
            say(format!("{other}'s {name} moved along {}", list(path)));
        }
        for (j, combat) in (1..).zip(&state.combats) {
            say(format!("combat {j}: {}", tell::fights(combat)));
        }
        for one in &state.interdictions {
            say(format!("interdiction of {}: {}", one.target, tell::counted(one.markers.0, "marker")));
        }
    }
    let gas = &state.markers.gas;
    if !gas.is_empty() {
        say(format!("gas on {}", list(gas)));
    }
    form.push('\n');
}

/// Writes the fields for a player's search.
fn intelligence(settings: &Settings, form: &mut String) {
    let sectors = list(settings.sectors.keys());
    let _ = write!(
        form,
        "# Your search for operational intelligence. The points are some of your own: each searches up to two sectors.\n\
         allocate = {{ air = 0, signal = 0 }}\n\
         level = 0        # 0 to 9, your operational intelligence level by your rules: a column of that table\n\
         sectors = []     # the sectors to search; any of: {sectors}\n\n"
    );
}

/// Says what a report follows from.
const fn report(settings: &Settings) -> &'static str {
    match settings.letters {
        Letters::Standing => {
            "# The report follows from your last sheet's orders and dice. It asks you nothing. What you enter below is\n\
             # for later attacks.\n\n"
        }
        Letters::Wait => {
            "# The report follows from your answer and its dice. It asks you nothing. Name the commanders who are to\n\
             # use Command in your next attacks.\n\n"
        }
    }
}

/// How to fill in a line. A placeholder is neither a name nor a hex, so it is refused.
const PUT: &str = r#"## To use a line, remove its # and replace each "PUT .. HERE", keeping the quotes.
## Lines that still have one are refused. Where a comment says "any of", put names in quotes.
# A unit's level is what your opponent knows about it. Level 0: nothing. Level 1: which hexes it enters.
# Level 2: where it is. Level 3: also its kind. Level 4: also its name, mode and T/O.

"#;

const POINTS: &str = "# Your points in each player turn.\npoints = { air = 0, artillery = 0, signal = 0 }\n\n";

const BEGINNING: &str = r#"# march = ["PUT A UNIT HERE"]        # units on a forced march this turn{, any unit}
# transfers = [""]                   # asset transfers, in your own words: only a record for the end of the game

"#;

const MODES: &str = r#"# Each unit that changes its mode.
## Put a name with a . or / in quotes: [modes."1/3"]
# [modes."PUT A UNIT HERE"]{ # one unit}
# hexes = ["PUT A HEX HERE"] # 1 to 3 adjoining hexes; the unit must already be on the first
# mode = "PUT A MODE HERE"   # as your rules call it, in one word

"#;

const FIRST_MOVES: &str =
    "# Move all units that can move now: a later segment has only moves that were not possible in this one.\n\n";

const LATER_MOVES: &str = "# A move that its unit could have made in an earlier segment is too late now.\n\n";

const MOVE: &str = r#"# finished = ["PUT A UNIT HERE"]     # units that have finished moving: your next sheet resets their level to 0{, any unit}

# A MOVE WITHOUT COMBATS OR INTERDICTIONS ENDS YOUR PLAYER TURN. Only then can units break down or recombine (replace).

"#;

const ANY: &str = r#"# volunteer = ["PUT A UNIT HERE"]    # units that you show your opponent of your own accord{, any unit}
# command = ["PUT A UNIT HERE"]      # commanders who use Command now, each once in a player turn: only they can lead in your next sheet{, any free commander}

"#;

const HALT: &str = r#"# Units of level 0 or 1 that lie in wait until your next sheet. Each halts the first contact whose path passes a hex
# next to it, before the path's last hex. The halted unit stays there, has finished moving and does not attack. The unit
# that halts it is shown.
# halt = ["PUT A UNIT HERE"]{   # any unit}

"#;

const ROSTER: &str = r#"# Your units.
#   commander: 0 to 9, its commander's rating, if it has one
## You can leave out a line that sets 0.
# [[units]]
# name = "PUT A NAME HERE"   # letters, digits and . / _ -
# kind = "PUT A KIND HERE"   # one of: armor, hq, infantry, recon
# hexes = ["PUT A HEX HERE"] # 1 to 3 adjoining hexes
# mode = "PUT A MODE HERE"   # as your rules call it, in one word
# attack = 0                 # 0 to 99
# defense = 0                # 0 to 99
# to = 4                     # 1 to 9, the T/O level
# movement = 0               # 0 to 99
# march = 0                  # 0 to 99, extra movement points in a forced march
# fatigue = 0                # 0 to 3
# leadership = 0             # -9 to 9, the battalion leadership rating

"#;

const MOVES: &str = r#"# Each unit that moves, in the order of the moves. Each hex has a cost.
# [[moves]]
# unit = "PUT A UNIT HERE"{   # one unit}
# path = ["PUT A HEX HERE"]  # the hexes that it enters, in order, such as ["0823", "0824"]
# cost = [1]                 # what each of these hexes costs, in order, such as [2, 1]

# Each attack. It needs no commander. A commander who leads it must have used Command in your last sheet,
# and must share a hex with the attacking unit (with: unit) or with another unit, of kind hq (with: hq).
# [[combats]]
# kind = "attack"            # leave this line as it is
# unit = "PUT A UNIT HERE"{   # one unit}
# target = "PUT A HEX HERE"  # the hex that it attacks, not the name of a contact
# assault = false            # otherwise it is a Probe
# barrage = 0                # 0 to 999
# chemical = "none"          # one of: none, persistent, used; used means that they do not persist; without a barrage only none
# ew_attacks = 0             # 0 to {EW}
# ew_superiority = 0         # 0 to 9, your superiority over your opponent by your rules: a column of the table EW
# terrain = []               # that counts for your attack, {TERRAIN}
# control_loss = false       # true or false: the unit suffers control loss, which subtracts 8 from your attack
# unprepared = false         # true or false: the attack was not prepared, which subtracts 2 from it
#   with: one of: hq, unit
{#   unit: one commander}
# commander = { unit = "PUT A UNIT HERE", with = "hq" }
# subordinates = []          # other units with a rating on a hex of the unit{, any commander}
#   any: hexes to which it could go back
#   away: those of them that lead directly away
#   road: those of them along a road
# retreats = { any = [], away = [], road = [] }

# Each counter-battery fire.
# [[combats]]
# kind = "counter-battery"   # leave this line as it is
# target = "PUT A HEX HERE"  # the hex that it fires at
# points = 1                 # 1 to 999 of those for counter-battery and interdiction

# Each interdiction.
# [[interdictions]]
# target = "PUT A HEX HERE"  # the hex that is interdicted
# points = 1                 # 1 to 999 of those for counter-battery and interdiction

# At the end of the player turn: the units to remove, and a block for each new unit.
## A line left out counts as 0.
# [[replace]]
# out = ["PUT A UNIT HERE"]{    # any unit}
# [[replace.in]]
# name = "PUT A NAME HERE"   # a new name
# kind = "PUT A KIND HERE"   # one of: armor, hq, infantry, recon
# hexes = ["PUT A HEX HERE"] # hexes of the removed units
# mode = "PUT A MODE HERE"   # as your rules call it, in one word
# attack = 0                 # 0 to 99
# defense = 0                # 0 to 99
# to = 1                     # 1 to 9
# movement = 0               # 0 to 99
# march = 0                  # 0 to 99
# fatigue = 0                # 0 to 3, not below the lowest of the removed units
# leadership = 0             # -9 to 9
# commander = 0              # 0 to 9; leave it out if it has none

"#;

const ORDERS: &str = r#"# What your units do when they are attacked. These orders hold until your next sheet, which has its own.
# A unit's first block answers the first attack on it, and so on.
# Without a block, it does not react. Without hexes in retreat, it stays.
# It needs no commander. A commander who leads it must be listed under command above, and must share a hex with the
# unit (with: unit) or with another unit, of kind hq (with: hq).
## Put a name with a . or / in quotes: [[orders."1/3"]]
# [[orders."PUT A UNIT HERE"]]{ # one unit}
# fpf = 0                    # 0 to 999 points of final protective fire: at most, if fewer are left
# chemical = "none"          # one of: none, persistent, used; used means that they do not persist; without final protective fire only none
# ew_attacks = 0             # 0 to {EW}
# ew_superiority = 0         # 0 to 9, your superiority over your opponent by your rules: a column of the table EW
# retreat = []               # the hexes along which it goes back, in order
# terrain = []               # that counts for your defence, {TERRAIN}
# control_loss = false       # true or false: the unit suffers control loss, which adds 4 to the attack on it
#   with: one of: hq, unit
{#   unit: one commander}
# commander = { unit = "PUT A UNIT HERE", with = "unit" }
# subordinates = []          # other units with a rating on a hex of the unit{, any commander}
"#;

/// Begins a block of orders for each own unit that is attacked, in the order of the attacks.
fn attacked(state: &State, units: &[&Object]) -> String {
    let is_on = |unit: &Object, hex: &str| {
        let hexes = unit.get("hexes").and_then(Value::as_array);
        hexes.is_some_and(|hexes| hexes.iter().any(|one| one == hex))
    };
    let mut blocks = String::new();
    for (j, combat) in (1..).zip(&state.combats) {
        let Combat::Attack(attack) = combat else { continue };
        let target = attack.target.to_string();
        if let Some(name) = units.iter().find(|unit| is_on(unit, &target)).and_then(|unit| unit.get("name")?.as_str()) {
            blocks.push_str(&format!("\n# Your {name} is attacked in combat {j}.\n[[orders.{}]]\n", Value::from(name)));
        }
    }
    blocks
}

impl Forms for Ndc {
    fn about(&self, setting: &str) -> Option<String> {
        let about = match setting {
            "adjacent" => {
                "which units next to the enemy's hex change the differential: all, or all but the one that fights"
            }
            "ammo" => "whether ammo depletion is rolled for at the end of a player turn",
            "combats" => "the most attacks and fires in one segment",
            "defender_to_sign" => {
                "whether the defender's T/O level is subtracted from the differential (minus) or added to it (plus)"
            }
            "doctrine" => "whether a player's chemicals have the modifiers of the US or of the Soviet army",
            "ew" => "the most electronic attacks each way in one combat",
            "letters" => {
                "who answers an attack: orders sealed before (standing, 2 mails), or the defender once it is made (wait, 4 mails)"
            }
            "low_columns" => "the columns of hexes that are half a hex lower",
            "roll_count_public" => "whether each letter tells how many intelligence rolls were made",
            "sectors" => "the sectors that can be searched, each with two corner hexes",
            "sheet_bytes" => "the length of every sealed sheet in bytes, which tells nothing about its contents",
            "sides" => "the first player, then the second",
            "units" => "the most units on a side, with all that they break down into",
            _ => return None,
        };
        Some(about.into())
    }

    fn tell(&self, state: &Object) -> Result<String> {
        Ok(tell::state(&State::read(&self.game.settings, state)?))
    }

    fn position(&self, state: &Object) -> Result<Vec<PositionTable>> {
        Ok(position::known(&State::read(&self.game.settings, state)?))
    }

    fn form(&self, state: &Object, _: Option<&Text>) -> Result<String> {
        Ok(of(&self.game, &State::read(&self.game.settings, state)?, None))
    }
}

#[cfg(test)]
mod tests {
    use super::{Object, units, with_names};

    /// Units that are gone are not listed, and a line with nothing to list says only what it is about.
    #[test]
    fn lines_list_the_units_of_the_hand() {
        let form = "# a = []    # those{, any unit}\n{#   unit: one commander}\n# b = \"\"{ # one commander}\n# c{, any free commander}\n";
        let hand = |rating: &str| -> Object {
            let text = format!(
                r#"{{"units":[{{"commander":{rating},"gone":false,"name":"1/3"}},{{"commander":4,"gone":true,"name":"HQ"}}]}}"#
            );
            serde_json::from_str(&text).expect("a hand")
        };
        let told = |hand: Option<&Object>| with_names(form, &units(hand), &["1/3".into()]);
        assert_eq!(told(None), "# a = []    # those\n# b = \"\"\n# c\n");
        assert_eq!(told(Some(&hand("null"))), "# a = []    # those, any of: 1/3\n# b = \"\"\n# c\n");
        let led = "# a = []    # those, any of: 1/3\n#   unit: one of: 1/3\n# b = \"\" # one of: 1/3\n# c\n";
        assert_eq!(told(Some(&hand("5"))), led);
    }
}
