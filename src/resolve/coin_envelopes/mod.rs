//! System `coin-envelopes`: the worksheet picks the envelope, whose rows go to the attacks
//! (`protocol/coin-envelopes.md`).

pub mod chart;
pub mod hexes;
mod printed;
pub mod worksheet;

use serde::{Deserialize, Serialize};

use self::{
    chart::Chart,
    hexes::{DoubleLetters, Grammar},
};
pub use self::{
    printed::Printed,
    worksheet::{Attack, Worksheet},
};
use super::{
    Account, Draws, Given, Object, Outcome, Place, Plan, Resolver, Rolls, Settled, object, read, read_input,
    values::Values,
};
use crate::{
    blob::{
        body::{self, Pair, Select, Source},
        json::Text,
    },
    error::{Error, Result},
    limits::ENVELOPES,
};

/// The system with its settings and chart.
#[derive(Clone, Debug)]
pub struct CoinEnvelopes {
    settings: Settings,
    chart: Chart,
}

/// The settings as the charter writes them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    chart: ChartSetting,
    double_letters: DoubleLetters,
    envelopes: u64,
    grammar: Grammar,
    /// For the players only; not used in computations.
    list_automatic: bool,
    values: Values,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ChartSetting {
    House,
    Table,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    attacks: Vec<Attack>,
}

impl CoinEnvelopes {
    /// Creates the system for `select`, which has no charter: N, a grammar and a chart.
    ///
    /// # Errors
    /// [`Error::Refused`] if the number of envelopes is out of range.
    pub fn for_select(envelopes: u64, grammar: Grammar, letters: DoubleLetters, chart: Chart) -> Result<Self> {
        let mut settings = prefilled();
        settings.envelopes = check_envelopes(envelopes)?;
        settings.grammar = grammar;
        settings.double_letters = letters;
        Ok(Self { settings, chart })
    }

    /// Returns the number of envelopes in a set, N.
    #[must_use]
    pub const fn envelopes(&self) -> u64 {
        self.settings.envelopes
    }

    /// Computes the worksheet for attacks in any order and notation.
    ///
    /// # Errors
    /// [`Error::Refused`] with the attack and its mistake.
    ///
    /// # Examples
    ///
    /// The attacks decide which envelope is opened, so that nobody can aim at one:
    ///
    /// ```
    /// use sealed_dice::resolve::coin_envelopes::{
    ///     Attack, CoinEnvelopes, chart::Chart, hexes::{DoubleLetters, Grammar},
    /// };
    ///
    /// let attack = |hex: &str, odds: &str| {
    ///     Attack { hexes: vec![hex.into()], id: None, odds: odds.into(), order: None }
    /// };
    /// let system = CoinEnvelopes::for_select(5, Grammar::Letters, DoubleLetters::Doubled, Chart::House)?;
    /// let sheet = system.worksheet(&[attack("I-11.", "1-4"), attack("F12", "3-1"), attack("G13", "5-1")])?;
    /// let products: Vec<u64> = sheet.lines.iter().map(|line| line.product).collect();
    /// assert_eq!((sheet.lines[0].hexes[0].as_str(), products), ("F12", vec![21, 25, 36]));
    /// assert_eq!((sheet.total, sheet.index), (82, Some(82 % 5)));
    /// assert_eq!(sheet.returned, [0, 1, 3, 4]);
    /// # Ok::<(), sealed_dice::error::Error>(())
    /// ```
    pub fn worksheet(&self, attacks: &[Attack]) -> Result<Worksheet> {
        let read_hex = |text: &str| {
            let hex = self.settings.grammar.parse(text, self.settings.double_letters)?;
            let value = self.chart.value(&hex)?;
            Ok((hex, value))
        };
        worksheet::compute(attacks, self.settings.envelopes, read_hex)
    }
}

fn prefilled() -> Settings {
    Settings {
        chart: ChartSetting::House,
        double_letters: DoubleLetters::Doubled,
        envelopes: 5,
        grammar: Grammar::Letters,
        list_automatic: true,
        values: Values::OneToSix,
    }
}

fn check_envelopes(envelopes: u64) -> Result<u64> {
    if !(1..=ENVELOPES).contains(&envelopes) {
        return Err(Error::Refused(format!("the number of envelopes must be 1 to {ENVELOPES}, not {envelopes}")));
    }
    Ok(envelopes)
}

impl Settled for CoinEnvelopes {
    fn prefill(_: &Object) -> Result<Object> {
        object(&prefilled())
    }

    fn settle(settings: &Object, tables: &Object) -> Result<Self> {
        let settings: Settings = read("settings", settings)?;
        check_envelopes(settings.envelopes)?;
        let chart = match settings.chart {
            ChartSetting::House => Chart::House,
            ChartSetting::Table => Chart::from_table(tables.get("hex-chart").ok_or_else(|| {
                Error::Refused("the table hex-chart is missing; add it, or set chart to \"house\"".into())
            })?)?,
        };
        Ok(Self { settings, chart })
    }
}

impl Resolver for CoinEnvelopes {
    fn source(&self) -> Source {
        Source::Coin
    }

    fn read(&self, input: &Text, _: bool) -> Result<Box<dyn Rolls>> {
        let input: Input = read_input(input)?;
        Ok(Box::new(Attacks { values: self.settings.values, worksheet: self.worksheet(&input.attacks)? }))
    }
}

/// A parsed input.
struct Attacks {
    values: Values,
    worksheet: Worksheet,
}

impl Rolls for Attacks {
    fn canonical(&self) -> Result<Text> {
        Text::of(&Input { attacks: self.worksheet.as_attacks() })
    }

    fn for_redo(&self) -> Result<Text> {
        self.canonical()
    }

    fn count(&self) -> u64 {
        self.worksheet.lines.len() as u64
    }

    fn plan(&self, _: &Object) -> Result<Plan> {
        let places: Vec<Place> = self.worksheet.lines.iter().map(|line| line.place).collect();
        let select = self.worksheet.index.map(|index| {
            Select::Worksheet(body::Worksheet {
                index,
                rows: places.iter().map(|place| Pair(place.index, place.line)).collect(),
                total: self.worksheet.total,
            })
        });
        Ok(Plan { places, select })
    }

    fn resolve(&self, _: Given<'_>, places: &[Place], draws: &mut Draws<'_>, _: &mut Account) -> Result<Outcome> {
        #[derive(Serialize)]
        struct Public<'a> {
            attacks: Vec<Resolved<'a>>,
        }
        #[derive(Serialize)]
        struct Resolved<'a> {
            die: u64,
            envelope: u64,
            hexes: &'a [String],
            id: &'a str,
            odds: &'a str,
            rank: u64,
            row: u64,
        }
        let lines = &self.worksheet.lines;
        if places.len() != lines.len() {
            return Err(Error::Refused("each roll must have exactly one place".into()));
        }
        let mut attacks = Vec::with_capacity(places.len());
        for (line, place) in lines.iter().zip(places) {
            let why = format!("{} {} {}", line.id, line.hexes.join("+"), line.odds);
            attacks.push(Resolved {
                die: self.values.draw(*place, &why, draws)?,
                envelope: place.index,
                hexes: &line.hexes,
                id: &line.id,
                odds: &line.odds,
                rank: line.rank,
                row: place.line,
            });
        }
        Ok(Outcome::done(Object::new(), Text::of(&Public { attacks })?))
    }
}
