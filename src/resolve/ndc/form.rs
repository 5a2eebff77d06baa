//! The sheet that the author of the next step fills in, with the facts that they may look at (`protocol/ndc.md` 14).

use std::fmt::Write;

use super::{
    course::Ndc,
    hexes::list,
    input::Step,
    settings::{Letters, Settings},
    state::State,
    tell,
};
use crate::{
    blob::json::Text,
    error::Result,
    resolve::{Forms, Object},
};

/// The form for a state.
fn of(settings: &Settings, state: &State) -> String {
    let mut form = String::new();
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
            form.push_str(MOVE);
        }
        Step::Defend => form.push_str("# What is fired and attacked electronically is that of the orders below.\n"),
        Step::Report => form.push_str(report(settings)),
    }
    form.push_str(ANY);
    // A table of TOML takes all that follows it: the blocks come last.
    match state.awaits.step {
        Step::Setup => form.push_str(ROSTER),
        Step::Move => form.push_str(MOVES),
        Step::Defend | Step::Report => {}
    }
    form.push_str(ORDERS);
    form
}

/// What the state tells, as comments.
fn facts(settings: &Settings, state: &State, form: &mut String) {
    let mut say = |line: String| {
        form.push_str("# ");
        form.push_str(&line);
        form.push('\n');
    };
    let (by, other) = (&state.awaits.by, settings.other(&state.awaits.by));
    say(format!("{}; the sheet of {by}. Nobody else reads it before the game is over.", tell::state(state)));
    for side in [by, &other] {
        for (name, contact) in state.contacts.get(side).into_iter().flatten() {
            say(format!("{side} shows {}", tell::shows(name, contact)));
        }
        if let Some(intelligence) = state.intelligence_of(side) {
            let sectors = list(&intelligence.sectors);
            say(format!("{side} searches {sectors}, operational level {}", intelligence.level.0));
        }
    }
    let spent = state.spent_of(by);
    say(format!(
        "in this player turn you have spent {} on barrage and protective fire, {} on counter-battery and interdiction",
        spent.support, spent.fire
    ));
    if matches!(state.awaits.step, Step::Defend | Step::Report) {
        for (name, path) in &state.paths {
            say(format!("{other}'s {name} went {}", list(path)));
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

/// What a player searches.
fn intelligence(settings: &Settings, form: &mut String) {
    let sectors = list(settings.sectors.keys());
    let _ = write!(
        form,
        "# Points for operational intelligence; twice as many sectors are searched. Sectors: {sectors}\n\
         allocate = {{ air = 0, signal = 0 }}\n\
         level = 0        # your operational intelligence level, 0 to 9: the column of ndc-intelligence for what you find there\n\
         sectors = []     # names in quotes, in the order of names\n\n"
    );
}

/// What a report rests on.
const fn report(settings: &Settings) -> &'static str {
    match settings.letters {
        Letters::Standing => {
            "# The report follows from the orders and the dice of your last letter. What stands below is for the next attacks.\n"
        }
        Letters::Wait => {
            "# The report follows from your answer and its dice. What stands below is for what comes next.\n"
        }
    }
}

/// How a line is filled in: what is left as it was is no name and no hex, and so refused.
const PUT: &str = r#"# Take the # away from what you say, and put your own for each "PUT .. HERE", in the quotes; what is left so is refused.
# The level of a unit is what the other knows of it: 0 nothing, 1 which hexes it enters, 2 where it stands, 3 its kind too,
# 4 its name, mode and T/O as well.

"#;

const POINTS: &str = "# What you have in each player turn.\npoints = { air = 0, artillery = 0, signal = 0 }\n\n";

const BEGINNING: &str = r#"# march = ["PUT A UNIT HERE"]        # forced marches of this turn
# transfers = [""]                   # asset transfers, in your own words: a record for the close, nothing is reckoned from it
# modes = { "PUT A UNIT HERE" = { hexes = ["PUT A HEX HERE"], mode = "PUT A MODE HERE" } }
#   hexes: 1 to 3 that hang together, the first one of those it stands on

"#;

const MOVE: &str = r#"# finished = ["PUT A UNIT HERE"]     # units that move no more: their level is 0 from your next letter on, and the search looks for them there

# A MOVE WITHOUT A COMBAT AND AN INTERDICTION ENDS YOUR PLAYER TURN. Only then units may break down or recombine (replace).

"#;

const ANY: &str = r#"# Lists of names are in the order of names.
# volunteer = ["PUT A UNIT HERE"]    # units that show where they stand, although nobody asks
# command = ["PUT A UNIT HERE"]      # commanders who use Command with the dice of this letter
# halt = ["PUT A UNIT HERE"]         # who lies in wait, of level 0 or 1: it halts the first of the other's contacts that goes on past
#   a hex beside it. Who is halted stands there, has finished, and does not attack; the one that halts shows itself.

"#;

const ROSTER: &str = r#"# A block for each unit. What is 0, false or nobody may be left out.
# [[units]]
# name = "PUT A NAME HERE"   # letters, digits and . / _ -
# kind = "PUT A KIND HERE"   # armor, hq, infantry, recon
# hexes = ["PUT A HEX HERE"] # 1 to 3 that hang together
# mode = "PUT A MODE HERE"
# attack = 0
# defense = 0
# to = 4                     # T/O level, 1 to 9
# movement = 0
# march = 0                  # points more in a forced march
# fatigue = 0                # 0 to 3
# leadership = 0             # battalion leadership rating, -9 to 9
# commander = 3              # rating of a commander, 0 to 9; left out: none

"#;

const MOVES: &str = r#"# A block for each unit that moves, in order: a cost for each hex.
# [[moves]]
# unit = "PUT A UNIT HERE"
# path = ["PUT A HEX HERE"]  # from the first hex that it enters, as ["0823", "0824"]
# cost = [1]

# A block for each attack. Its commander stands on a hex of the unit that fights (with = "unit") or on one of another unit,
# of kind hq (with = "hq"); the unit has used Command in your last letter.
# [[combats]]
# kind = "attack"
# unit = "PUT A UNIT HERE"
# target = "PUT A HEX HERE"
# assault = false            # false: a Probe
# barrage = 0
# chemical = "none"          # persistent, used: with a barrage
# ew_attacks = 0
# ew_superiority = 0         # 0 to 9, yours over your opponent's: the column of ndc-ew for each of your EW attacks
# terrain = []               # rows of ndc-terrain, in the order of names
# control_loss = false       # as the rules have it on the map: 8 off an attack, 4 more against a defender
# unprepared = false         # an attack that was not prepared: 2 off
# commander = { unit = "PUT A UNIT HERE", with = "hq" }
# subordinates = []          # others with a rating on a hex of the unit, in the order of names
# retreats = { any = [], away = [], road = [] }    # where it could go back from its hex: all, directly away, along a road

# A block for each counter-battery fire.
# [[combats]]
# kind = "counter-battery"
# target = "PUT A HEX HERE"
# points = 1

# A block for each interdiction.
# [[interdictions]]
# target = "PUT A HEX HERE"
# points = 1

# Where the player turn ends: who goes, and a block for each that comes. What is left out is 0, so the unit has none of it.
# [[replace]]
# out = ["PUT A UNIT HERE"]
# [[replace.in]]
# name = "PUT A NAME HERE"   # a new one
# kind = "PUT A KIND HERE"   # armor, hq, infantry, recon
# hexes = ["PUT A HEX HERE"] # of those of the units that go
# mode = "PUT A MODE HERE"
# attack = 0
# defense = 0
# to = 1
# movement = 0
# march = 0
# fatigue = 0                # not below the lowest of those that go
# leadership = 0
# commander = 0              # take the line out if there is none

"#;

const ORDERS: &str = r#"# What your units do when they are attacked, a block for each attack on one, in order; those beyond find no orders. Without a path
# in retreat the unit stays. Its commander is one of those under command above, and stands as one of an attack does. A name with a . or / stands in quotes, as all do here: [[orders."1/3"]]
# [[orders."PUT A UNIT HERE"]]
# fpf = 0                    # points of final protective fire, as far as they are left
# chemical = "none"          # persistent, used: with final protective fire
# ew_attacks = 0
# ew_superiority = 0         # 0 to 9, yours over your opponent's: the column of ndc-ew for each of your EW attacks
# retreat = []               # the hexes along which it goes back
# terrain = []
# control_loss = false
# commander = { unit = "PUT A UNIT HERE", with = "unit" }
# subordinates = []
"#;

impl Forms for Ndc {
    fn tell(&self, state: &Object) -> Result<String> {
        Ok(tell::state(&State::read(&self.game.settings, state)?))
    }

    fn form(&self, state: &Object, _: Option<&Text>) -> Result<String> {
        Ok(of(&self.game.settings, &State::read(&self.game.settings, state)?))
    }
}
