//! The sheet that the author of the next step fills in, with what he may look at (`protocol/ndc.md` 14).

use std::fmt::Write;

use super::{
    hexes::list,
    input::Step,
    settings::{Letters, Settings},
    state::State,
    tell,
};

/// The form for a state.
pub(super) fn of(settings: &Settings, state: &State) -> String {
    let mut form = String::new();
    let by = &state.awaits.by;
    facts(settings, state, &mut form);
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
    say(format!("you have spent {} points on support, {} on fire", spent.support, spent.fire));
    if matches!(state.awaits.step, Step::Defend | Step::Report) {
        for (name, path) in &state.paths {
            say(format!("{other}'s {name} went {}", list(path)));
        }
        for (j, combat) in (1..).zip(&state.combats) {
            say(format!("combat {j}: {}", tell::fights(combat)));
        }
        for one in &state.interdictions {
            say(format!("interdiction of {}: {} markers", one.target, one.markers.0));
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
         level = 0        # your operational intelligence level, 0 to 9\n\
         sectors = []     # in the order of their names\n\n"
    );
}

/// What a report rests on.
const fn report(settings: &Settings) -> &'static str {
    match settings.letters {
        Letters::Standing => {
            "# The report follows from the orders and the dice of your last letter. What stands below is for the next attacks.\n"
        }
        Letters::Office | Letters::Wait => {
            "# The report follows from your answer and its dice. What stands below is for what comes next.\n"
        }
    }
}

const POINTS: &str = "# What you have in each player turn.\npoints = { air = 0, artillery = 0, signal = 0 }\n\n";

const BEGINNING: &str = "# march = [\"WHO\"]           # forced marches of this turn
# transfers = [\"TEXT\"]      # asset transfers, for the record
# modes = { WHO = { hexes = [\"0824\"], mode = \"MODE\" } }     # hexes: 1 to 3 that hang together, the first one it stands on

";

const MOVE: &str = "# finished = [\"WHO\"]        # who moves no more: his level is 0 from your next letter on, and he is looked for there
# Without a combat and an interdiction your player turn is over. Then units may break down or recombine:
# replace = [{ out = [\"WHO\"], in = [{ name = \"NEW\", hexes = [\"0824\"], kind = \"infantry\", mode = \"MODE\", to = 2 }] }]

";

const ANY: &str = "# volunteer = [\"WHO\"]       # who shows where he stands, of his own will. Lists of names are in the order of names.
# command = [\"WHO\"]         # commanders who use Command with the dice of this letter
# halt = [\"WHO\"]            # unseen units that halt what comes by them

";

const ROSTER: &str = "# A block for each unit. What is 0, false or nobody may be left out.
# [[units]]
# name = \"WHO\"              # letters, digits and . / _ -
# kind = \"infantry\"         # armor, hq, infantry, recon
# hexes = [\"0824\"]          # 1 to 3 that hang together
# mode = \"MODE\"
# attack = 0
# defense = 0
# to = 4                     # T/O level, 1 to 9
# movement = 0
# march = 0                  # points more in a forced march
# fatigue = 0                # 0 to 3
# leadership = 0             # battalion leadership rating, -9 to 9
# commander = 3              # rating of a commander, 0 to 9; left out: none

";

const MOVES: &str = "# [[moves]]                  # a block for each unit that moves, in order: a cost for each hex
# unit = \"WHO\"
# path = [\"0823\", \"0824\"]
# cost = [1, 2]
#
# [[combats]]
# kind = \"attack\"           # or counter-battery: then points and target alone
# unit = \"WHO\"
# target = \"0824\"
# assault = false            # false: a Probe
# barrage = 0
# chemical = \"none\"         # persistent, used: with a barrage
# ew_attacks = 0
# ew_superiority = 0
# terrain = []               # rows of ndc-terrain, in the order of names
# control_loss = false
# unprepared = false
# commander = { unit = \"WHO\", with = \"hq\" }     # hq or unit; who used Command in your last letter
# subordinates = []
# retreats = { any = [], away = [], road = [] }    # where it could go back from its hex: all, directly away, along a road
#
# [[interdictions]]
# target = \"0824\"
# points = 1

";

const ORDERS: &str = "# What your units do when they are attacked, a block for each attack on one, in order; those beyond find no orders.
# [[orders.WHO]]
# fpf = 0                    # points of final protective fire, as far as they are left
# chemical = \"none\"
# ew_attacks = 0
# ew_superiority = 0
# retreat = []               # the hexes along which it goes back
# terrain = []
# control_loss = false
# commander = { unit = \"WHO\", with = \"unit\" }   # one of those under command above
# subordinates = []
";
