//! The statistics as one picture, readable without colour, in light and dark mode, and by a screen reader.

use super::{
    Good, Running, Stats, Table,
    chance::running_band,
    means,
    text::{NO_VERDICT, direction, headline, percent, rolls, whose},
};

const WIDTH: f64 = 960.0;
const MARGIN: f64 = 24.0;
/// Heights of a game's heading, of a player's row, and of the plot in the row.
const HEADING: f64 = 64.0;
const ROW: f64 = 336.0;
const PLOT: f64 = 180.0;
/// The distance from the top of a row to its plot.
const ABOVE: f64 = 88.0;
const FOOT: f64 = 56.0;
/// Number of columns in which a running mean is drawn; each shows its highest and lowest value, without smoothing.
const COLUMNS: usize = 380;
/// The maximum number of characters of a title that fit.
const TITLE: usize = 90;

const STYLE: &str = "\
text{font:13px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;fill:#1f2328}\
.paper{fill:#fff}.head{font-size:17px;font-weight:600}.name{font-size:15px;font-weight:600}\
.small{font-size:11px;fill:#59636e}.mid{text-anchor:middle}.end{text-anchor:end}\
.axis{stroke:#818b98;fill:none}.grid{stroke:#d1d9e0;fill:none}\
.bar{fill:#b6d3f5;stroke:#0b5cad}.error{stroke:#1f2328;stroke-width:1.5;fill:none}\
.fair{stroke:#b35900;stroke-width:1.5;stroke-dasharray:6 4;fill:none}\
.band{fill:#818b98;fill-opacity:.18;stroke:#818b98;stroke-dasharray:2 3}\
.mean{stroke:#0b5cad;stroke-width:1.8;fill:none;stroke-linejoin:round}.dot{fill:#0b5cad}\
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.paper{fill:#0d1117}.small{fill:#9da7b1}\
.axis{stroke:#7d8590}.grid{stroke:#2b323b}.bar{fill:#17406d;stroke:#79b8ff}.error{stroke:#e6edf3}\
.fair{stroke:#f0a050}.band{fill:#9da7b1;stroke:#7d8590}.mean{stroke:#79b8ff}.dot{fill:#79b8ff}}";

/// Draws all games below one another: for each player and die, a histogram with the bands of its shares, and the
/// running mean with its band.
#[must_use]
pub fn draw(games: &[Stats], good: Option<Good>) -> String {
    let mut body = String::new();
    let mut top = MARGIN;
    for game in games {
        body.push_str(&heading(game, top));
        top += HEADING;
        for (table, running) in drawn(game) {
            body.push_str(&row(table, running, good, top));
            top += ROW;
        }
    }
    let height = top + FOOT;
    let told: Vec<String> = games.iter().map(describe).collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         role=\"img\" aria-labelledby=\"title desc\">\n\
         <title id=\"title\">Dice from {}</title>\n<desc id=\"desc\">{} {NO_VERDICT}</desc>\n\
         <style>{STYLE}</style>\n<rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\"/>\n{body}{}{}</svg>\n",
        if games.len() == 1 { "one game".into() } else { format!("{} games", games.len()) },
        told.join(" "),
        text(
            MARGIN,
            height - 34.0,
            "small",
            "Error bars: Clopper-Pearson, 95% for all faces of a die together. Grey band: at least 95 of 100 fair games never leave it \
             at any roll. Dashed: fair dice."
        ),
        text(MARGIN, height - 16.0, "small", NO_VERDICT),
    )
}

/// Returns the tables that are drawn: those that cover one player.
fn drawn(game: &Stats) -> impl Iterator<Item = (&Table, &Running)> {
    game.tables.iter().filter_map(|table| Some((table, table.running.as_ref()?)))
}

fn describe(game: &Stats) -> String {
    let mut out = headline(game).replace('\n', ";");
    for (table, running) in drawn(game) {
        let counts: Vec<String> =
            table.faces.iter().map(|face| format!("{} of face {}", face.count, face.face)).collect();
        out.push_str(&format!(
            " {}, d{}, {}: {}; mean {:.3}, {:.1} expected; the running mean {}.",
            whose(&table.scope),
            table.sides,
            rolls(table.rolls),
            counts.join(", "),
            table.mean,
            table.fair_mean(),
            left(running)
        ));
    }
    escape(&out)
}

fn left(running: &Running) -> String {
    running.left_band_at.map_or("never left its band".into(), |roll| format!("left its band at roll {roll}"))
}

fn heading(game: &Stats, top: f64) -> String {
    let told = headline(game);
    let mut lines = told.lines().map(str::trim);
    let first = lines.next().unwrap_or_default();
    let short: String = first.chars().take(TITLE).collect();
    let short = if short.len() < first.len() { short + "..." } else { short };
    let away: u64 = game.apart.iter().map(|apart| apart.rolls).sum();
    let mut second = lines.next().unwrap_or_default().to_owned();
    if away > 0 {
        second.push_str(&format!(", {away} not counted"));
    }
    if game.awaiting > 0 {
        second.push_str(&format!(", {} not revealed", game.awaiting));
    }
    text(MARGIN, top + 18.0, "head", &short) + &text(MARGIN, top + 40.0, "small", &second)
}

fn row(table: &Table, running: &Running, good: Option<Good>, top: f64) -> String {
    let name = format!("{}, d{}, {}", whose(&table.scope), table.sides, rolls(table.rolls));
    let small = if table.is_small() { " (small sample)" } else { "" };
    let uneven = &table.uneven;
    let faces = format!(
        "faces: this uneven or more in {} of fair games ({}){small}",
        percent(uneven.probability),
        uneven.method.words()
    );
    let total = format!("total {}: {}", table.sum, direction(&table.tails, good));
    [
        text(MARGIN, top + 14.0, "name", &name),
        text(MARGIN, top + 33.0, "small", &total),
        text(MARGIN, top + 49.0, "small", &faces),
        histogram(table, &Frame { left: 70.0, top: top + ABOVE, width: 360.0 }),
        running_mean(table, running, &Frame { left: 520.0, top: top + ABOVE, width: 380.0 }),
    ]
    .concat()
}

/// Position and size of a plot.
struct Frame {
    left: f64,
    top: f64,
    width: f64,
}

impl Frame {
    fn foot(&self) -> f64 {
        self.top + PLOT
    }

    /// Returns the height of a value from 0 to 1.
    fn y(&self, part: f64) -> f64 {
        self.foot() - part * PLOT
    }

    fn right(&self) -> f64 {
        self.left + self.width
    }

    /// Draws the axes, and a labelled line for each step.
    fn axes(&self, steps: &[(f64, String)]) -> String {
        let mut out = String::new();
        for (part, label) in steps {
            let y = self.y(*part);
            out.push_str(&line("grid", (self.left, y), (self.right(), y)));
            out.push_str(&text(self.left - 6.0, y + 4.0, "small end", label));
        }
        out + &format!(
            "<path class=\"axis\" d=\"M{:.1} {:.1}V{:.1}H{:.1}\"/>\n",
            self.left,
            self.top,
            self.foot(),
            self.right()
        )
    }

    /// Draws a caption above the plot.
    fn caption(&self, caption: &str) -> String {
        text(self.left, self.top - 12.0, "", caption)
    }
}

fn histogram(table: &Table, frame: &Frame) -> String {
    let fair = 1.0 / table.sides as f64;
    let highest = table.faces.iter().map(|face| face.high).fold(fair, f64::max);
    let step = step(highest, 5.0);
    let most = (highest / step).ceil() * step;
    let steps = (0..=(most / step).round() as u64).map(|i| i as f64 * step);
    let steps: Vec<(f64, String)> = steps.map(|share| (share / most, format!("{:.0}%", share * 100.0))).collect();
    let mut out = frame.caption("share of each face, with its count") + &frame.axes(&steps);
    let slot = frame.width / table.sides as f64;
    // A die with many sides has no room for every number.
    let every = (26.0 / slot).ceil().max(1.0) as u64;
    for (at, face) in table.faces.iter().enumerate() {
        let middle = frame.left + (at as f64 + 0.5) * slot;
        let y = frame.y(face.count as f64 / table.rolls.max(1) as f64 / most);
        let half = slot * 0.34;
        out.push_str(&format!(
            "<rect class=\"bar\" x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>\n",
            middle - half,
            2.0 * half,
            frame.foot() - y
        ));
        let (low, high) = (frame.y(face.low / most), frame.y(face.high / most));
        let cap = (half * 0.5).min(7.0);
        out.push_str(&format!(
            "<path class=\"error\" d=\"M{middle:.1} {high:.1}V{low:.1}M{:.1} {high:.1}h{:.1}M{:.1} {low:.1}h{:.1}\"/>\n",
            middle - cap,
            2.0 * cap,
            middle - cap,
            2.0 * cap
        ));
        if (face.face - 1).is_multiple_of(every) {
            out.push_str(&text(middle, frame.foot() + 16.0, "mid", &face.face.to_string()));
            out.push_str(&text(middle, frame.foot() + 31.0, "small mid", &format!("({})", face.count)));
        }
    }
    let y = frame.y(fair / most);
    out.push_str(&line("fair", (frame.left, y), (frame.right(), y)));
    out + &text(frame.right() + 4.0, y + 4.0, "small", "fair")
}

/// Finds a round distance between lines that gives about this many of them.
fn step(highest: f64, lines: f64) -> f64 {
    let rough = highest / lines;
    let power = 10f64.powf(rough.log10().floor());
    let round = [1.0, 2.0, 5.0].into_iter().find(|round| round * power >= rough * 0.999);
    round.unwrap_or(10.0) * power
}

fn running_mean(table: &Table, running: &Running, frame: &Frame) -> String {
    let sides = table.sides;
    let fair = table.fair_mean();
    let columns = columns(&running.values);
    let reach = reach(table, &columns);
    let part = |mean: f64| ((mean - fair) / (2.0 * reach) + 0.5).clamp(0.0, 1.0);
    let steps = [0.0, 0.25, 0.5, 0.75, 1.0];
    // The labels must distinguish a quarter of the reach.
    let digits = if reach < 0.2 { 3 } else { 2 };
    let steps = steps.map(|part| (part, format!("{:.digits$}", fair + (part - 0.5) * 2.0 * reach)));
    let last = table.rolls.max(2) as f64;
    let x = |roll: f64| frame.left + (roll - 1.0) / (last - 1.0) * frame.width;
    let edge = |sign: f64| {
        let at = |column: &Column| {
            let mean = fair + sign * running_band(sides, column.rolls);
            format!("{:.1} {:.1}", x(column.rolls as f64), frame.y(part(mean)))
        };
        columns.iter().map(at).collect::<Vec<_>>()
    };
    let band: Vec<String> = edge(1.0).into_iter().chain(edge(-1.0).into_iter().rev()).collect();
    let points = columns.iter().flat_map(|column| {
        let x = x(column.rolls as f64);
        [column.lowest, column.highest].map(|mean| format!("{x:.1} {:.1}", frame.y(part(mean))))
    });
    let mut points: Vec<String> = points.collect();
    points.dedup();
    let end = frame.y(part(table.mean));
    let y = frame.y(0.5);
    let mut out = frame.caption(&format!("mean after each roll: {:.3} at the end; {}", table.mean, left(running)));
    out.push_str(&frame.axes(&steps));
    out.push_str(&format!("<path class=\"band\" d=\"M{}Z\"/>\n", band.join("L")));
    out.push_str(&line("fair", (frame.left, y), (frame.right(), y)));
    out.push_str(&format!("<path class=\"mean\" d=\"M{}\"/>\n", points.join("L")));
    out.push_str(&format!("<circle class=\"dot\" cx=\"{:.1}\" cy=\"{end:.1}\" r=\"3.5\"/>\n", x(table.rolls as f64)));
    out.push_str(&text(frame.left, frame.foot() + 16.0, "mid", "1"));
    let end = if table.rolls > 1 { format!("roll {}", table.rolls) } else { String::new() };
    out + &text(frame.right(), frame.foot() + 16.0, "mid", &end)
}

/// Returns how far from the fair mean the plot reaches on either side. It shows everything after the first few rolls,
/// in which any mean swings from end to end.
fn reach(table: &Table, columns: &[Column]) -> f64 {
    let fair = table.fair_mean();
    let later = columns.iter().filter(|column| column.rolls * 20 >= table.rolls);
    let far = later.map(|column| {
        let off = (column.highest - fair).max(fair - column.lowest);
        off.max(running_band(table.sides, column.rolls))
    });
    (far.fold(0.0, f64::max) * 1.1).min(fair - 1.0)
}

/// Rolls of a running mean that share a column of the picture.
struct Column {
    /// The number of rolls at the end of the column.
    rolls: u64,
    lowest: f64,
    highest: f64,
}

fn columns(values: &[u64]) -> Vec<Column> {
    let means: Vec<(u64, f64)> = means(values).collect();
    let share = means.len().div_ceil(COLUMNS).max(1);
    // The first rolls, which vary most, get their own columns.
    let (first, rest) = means.split_at(means.len().min(share));
    let column = |part: &[(u64, f64)]| Column {
        rolls: part.last().map_or(0, |(rolls, _)| *rolls),
        lowest: part.iter().map(|(_, mean)| *mean).fold(f64::INFINITY, f64::min),
        highest: part.iter().map(|(_, mean)| *mean).fold(f64::NEG_INFINITY, f64::max),
    };
    first.chunks(1).chain(rest.chunks(share)).map(column).collect()
}

fn line(class: &str, (x, y): (f64, f64), (to_x, to_y): (f64, f64)) -> String {
    format!("<path class=\"{class}\" d=\"M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}\"/>\n")
}

fn text(x: f64, y: f64, class: &str, text: &str) -> String {
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{}</text>\n", escape(text))
}

/// Escapes text for XML, and replaces characters that XML does not allow.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
