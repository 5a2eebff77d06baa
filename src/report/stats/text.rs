//! The statistics as text for any screen: plain characters, no colour.

use super::{Apart, Good, Scope, Stats, Table, Why, chance::Tails};
use crate::game::audit::Verdict;

/// The note below all statistics.
pub const NO_VERDICT: &str =
    "None of this proves cheating: dice sealed before a declaration and opened after it are fair whatever they show.";

/// Length of a bar, in characters.
const BAR: f64 = 40.0;

/// Writes the statistics of all games. The caller must have made the titles safe to show.
#[must_use]
pub fn tell(games: &[Stats], good: Option<Good>) -> String {
    let told: Vec<String> = games.iter().map(|game| tell_game(game, good)).collect();
    let mut out = told.join("\n");
    if games.iter().any(|game| game.counted > 0) {
        out.push_str(
            "\nBars: # and = show the observed share, = and - its band, | the expected share. The bands (Clopper-Pearson, exact)\n\
             hold for all faces of one die together in at least 95 of 100 fair games (Bonferroni). \"Uneven\" is measured by\n\
             the sum of the squared counts. In at least 95 of 100 fair games, the running mean never leaves its band at any roll.\n",
        );
        if games.len() > 1 {
            out.push_str(&format!(
                "These tables cover {} games: the more games there are, the more rare results occur by chance alone.\n",
                games.len()
            ));
        }
    }
    format!("{out}\n{NO_VERDICT}\n")
}

fn tell_game(game: &Stats, good: Option<Good>) -> String {
    let mut out = headline(game);
    for apart in &game.apart {
        out.push_str(&format!("  {}\n", tell_apart(apart)));
    }
    match game.awaiting {
        0 => {}
        1 => out.push_str("  1 declaration awaits its reveal"),
        many => out.push_str(&format!("  {many} declarations await their reveals")),
    }
    if game.awaiting > 0 {
        out.push_str("; the sealer may know these dice and may be withholding them because of their results\n");
    }
    for table in &game.tables {
        out.push('\n');
        out.push_str(&if table.scope.phase.is_some() { tell_phase(table, good) } else { tell_table(table, good) });
    }
    out + &tell_comparisons(game)
}

/// Explains the significance of the smallest probability among several.
fn tell_comparisons(game: &Stats) -> String {
    let most = game.comparisons;
    if most.tests == 0 {
        return String::new();
    }
    let worth = if most.smallest_of_all < 1.0 {
        format!(
            "one this small among {} comes up in at most {} of fair games",
            most.tests,
            percent(most.smallest_of_all)
        )
    } else {
        format!("one this small among {} is not unusual", most.tests)
    };
    format!(
        "\nThe smallest probability in the {} tests above (two-sided for totals) is {}; {worth}.\n",
        most.tests,
        percent(most.smallest)
    )
}

/// Returns the name of the game and the number of its rolls that count, in two lines.
pub(super) fn headline(game: &Stats) -> String {
    let verdict = match game.verdict {
        Verdict::Verified => "verified",
        Verdict::Refuted => "refuted",
        Verdict::Undecided => "undecided",
    };
    let complete = if game.complete { "complete" } else { "not complete" };
    let counted = if game.counted == 1 { "1 roll counts".into() } else { format!("{} rolls count", game.counted) };
    format!("game {} {:?}: {verdict}, {complete}\n  {counted}\n", game.called, game.title)
}

/// Writes a number of rolls: `1 roll`, `2 rolls`.
pub(super) fn rolls(number: u64) -> String {
    if number == 1 { "1 roll".into() } else { format!("{number} rolls") }
}

fn tell_apart(apart: &Apart) -> String {
    let Apart { roller, sides, sum, .. } = apart;
    let why = match apart.why {
        Why::Replaced => "replaced by a redo. The old dice were seen first, which may bias the new ones",
        Why::Voided => "voided. The dice were seen first, which may bias the dice that count",
        Why::Named => "named by the declarer after a forfeit",
        Why::SealerInBreach => "sealed by a player in breach, who may have withheld others",
        Why::OddDie => "from a die without a table here",
    };
    format!("not counted: {} by {roller} (d{sides}, total {sum}), {why}", rolls(apart.rolls))
}

/// Returns the player whose dice a scope covers.
pub(super) fn whose(scope: &Scope) -> &str {
    scope.roller.as_deref().unwrap_or("all players")
}

fn tell_table(table: &Table, good: Option<Good>) -> String {
    let mut out = format!("{}, d{}, {}", whose(&table.scope), table.sides, rolls(table.rolls));
    if table.is_small() {
        out.push_str(&format!(
            " (small sample: {:.1} of each face expected; below 5, only gross faults show)",
            table.expected
        ));
    }
    let most = table.faces.iter().map(|face| face.high).fold(0.0, f64::max);
    let head = format!("0%{:>width$.0}%", most * 100.0, width = BAR as usize - 3);
    out.push_str(&format!("\n  face   rolls   share  95% band         {head}\n"));
    for face in &table.faces {
        let share = face.count as f64 / table.rolls as f64;
        out.push_str(&format!(
            "  {:>4} {:>7}  {:>5.1}%  {:>4.1}% to {:>5.1}%  {}\n",
            face.face,
            face.count,
            share * 100.0,
            face.low * 100.0,
            face.high * 100.0,
            bar([face.low, share, face.high, 1.0 / table.sides as f64].map(|part| part / most)),
        ));
    }
    let fair = format!("{:.1} expected, standard error {:.3}", table.fair_mean(), table.standard_error);
    let running = table.running.as_ref().map_or(String::new(), |running| match running.left_band_at {
        None => "; the running mean never left its band".into(),
        Some(roll) => format!("; the running mean left its band at roll {roll}"),
    });
    out.push_str(&format!("  mean {:.3}; {fair}{running}\n{}", table.mean, chances(table, good)));
    out
}

/// Draws a bar from left to right with the share, its band and the expectation. All parts are from 0 to 1.
fn bar([low, share, high, expected]: [f64; 4]) -> String {
    let at = |part: f64| (part * BAR).round() as u64;
    let mut bar: String = (0..at(high).max(at(expected) + 1))
        .map(|here| match (here < at(share), here >= at(low) && here < at(high)) {
            _ if here == at(expected) => '|',
            (true, false) => '#',
            (true, true) => '=',
            (false, true) => '-',
            (false, false) => ' ',
        })
        .collect();
    bar.truncate(bar.trim_end().len());
    bar
}

fn tell_phase(table: &Table, good: Option<Good>) -> String {
    let scope = &table.scope;
    let [phase, system] = [&scope.phase, &scope.system].map(|name| name.as_deref().unwrap_or("-"));
    let counts: Vec<String> = table.faces.iter().map(|face| face.count.to_string()).collect();
    format!(
        "{} in {phase} ({system}), d{}, {}: mean {:.3}; counts from face 1 up: {}\n{}",
        whose(scope),
        table.sides,
        rolls(table.rolls),
        table.mean,
        counts.join(" "),
        chances(table, good)
    )
}

fn chances(table: &Table, good: Option<Good>) -> String {
    let uneven = &table.uneven;
    format!(
        "  total {}: {}\n  faces: this uneven or more in {} of fair games ({}; chi-square {:.1})\n",
        table.sum,
        direction(&table.tails, good),
        percent(uneven.probability),
        uneven.method.words(),
        uneven.chi_square
    )
}

/// Writes both tails of a total, called lucky and unlucky if the player says which direction is good.
pub(super) fn direction(tails: &Tails, good: Option<Good>) -> String {
    let (high, low) = match good {
        None => ("as high or higher", "as low or lower"),
        Some(Good::High) => ("as lucky (high) or luckier", "as unlucky (low) or worse"),
        Some(Good::Low) => ("as unlucky (high) or worse", "as lucky (low) or luckier"),
    };
    format!(
        "{high} in {}, {low} in {} of fair games ({})",
        percent(tails.high),
        percent(tails.low),
        tails.method.words()
    )
}

/// Writes a probability for people.
pub(super) fn percent(probability: f64) -> String {
    let percent = probability * 100.0;
    match percent {
        ..0.0001 => "less than 0.0001%".into(),
        ..1.0 => format!("{percent:.4}%"),
        _ => format!("{percent:.1}%"),
    }
}
