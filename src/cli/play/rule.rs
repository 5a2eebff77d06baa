//! `rule`: what a referee may rule, and nothing else.

use clap::{Subcommand, ValueEnum};

use super::{claims, correct::Scoping, dispute::letter, forks, locked::Locked, sign::Signing, table::Table};
use crate::cli::answer::{Answer, Told};
use crate::{
    blob::{
        Body, Hex32,
        body::Forfeit,
        disputes::{Ruled, RuledForfeit, Ruling},
    },
    cli::terminal,
    game::ledger::Ledger,
    keep::home::Home,
};

/// A ruling. Letters are named by the beginnings of their ids, as `game status` and `audit` show them.
#[derive(Clone, Debug, Subcommand)]
pub(in crate::cli) enum RulingVerb {
    /// Ask the silent player for what a stall claims; a forfeit may follow
    Request {
        /// The claim
        claim: String,
    },
    /// Rule that the silent player forfeits, after your own request and the days that the terms give them
    Forfeit {
        /// Your request
        request: String,
        /// What they forfeit
        what: Forfeited,
    },
    /// Open what the silent player owes, with the keys that they deposited, after your own request and the days that
    /// the terms give them
    Open {
        /// Your request
        request: String,
    },
    /// Say that dice do not count: lines of a declaration, all of it, or all of its impulse
    Void(Scoping),
    /// Say that a sealed set is not to be used any more
    Kill {
        /// Its seal
        seal: String,
    },
    /// Settle what is wrong with a letter
    Settle {
        /// The letter
        letter: String,
    },
    /// Settle a stall or a dispute
    Dismiss {
        /// The claim
        claim: String,
    },
    /// Agree to a proposal in the place of the player who was asked
    Agree {
        /// The proposal
        proposal: String,
    },
}

/// What a silent player forfeits.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(in crate::cli) enum Forfeited {
    /// The declarer names every die
    DeclarerNames,
    /// The game
    Game,
}

/// `rule`.
pub(in crate::cli) fn run(
    home: &Home,
    name: Option<&str>,
    ruled: &RulingVerb,
    text: &str,
    signing: &Signing,
) -> Told<Answer> {
    let table = Locked::find(home, name, |table| ruled.fits(table))?;
    table.check_referee()?;
    let table = match table.look(|_, ledger| planned(ledger, ruled))?.asked() {
        Some(_) => {
            table.ask_the_time(home, signing).iter().for_each(|line| terminal::say(line));
            // What came of it is in the folder.
            table.again(home)?
        }
        None => table,
    };
    let (planned, mind) = table.look(|order, ledger| {
        let planned = match planned(ledger, ruled)? {
            Planned::Rules(rules) => {
                Planned::Rules(rules.into_iter().flat_map(|rule| forks::settling(order, rule)).collect())
            }
            open @ Planned::Open(_) => open,
        };
        let mind = planned.asked().and_then(|(request, forfeit)| table.days(ledger, request, forfeit));
        Ok((planned, mind.and_then(|days| days.mind())))
    })?;
    let mind: Vec<String> = mind.into_iter().collect();
    if signing.yes {
        mind.iter().for_each(|mind| terminal::say(mind.trim_start()));
    }
    let open = table.held_opening();
    table.sign_rulings(home, signing, &mind, |ledger, keys| {
        let rules = match planned {
            Planned::Rules(rules) => rules,
            Planned::Open(request) => vec![Ruled::Open(open(ledger, keys, request)?)],
        };
        Ok(rules.into_iter().map(|rule| Body::Ruling(Ruling { rule, text: text.to_owned() })).collect())
    })
}

/// What is known of a ruling before a key is at hand.
enum Planned {
    /// One, or those with which a fork is settled.
    Rules(Vec<Ruled>),
    /// What a request asked for is to be opened.
    Open(Hex32),
}

impl Planned {
    /// The request that gave days, and the forfeit that follows them if it is one.
    fn asked(&self) -> Option<(&Hex32, Option<Forfeit>)> {
        match self {
            Self::Open(request) => Some((request, None)),
            Self::Rules(rules) => rules.iter().find_map(|rule| match rule {
                Ruled::Forfeit(ruled) => Some((&ruled.request, Some(ruled.forfeit))),
                _ => None,
            }),
        }
    }
}

impl RulingVerb {
    /// Whether this is for the referee of a game that has what it names.
    fn fits(&self, table: &Table) -> bool {
        match self {
            Self::Request { claim: id }
            | Self::Forfeit { request: id, .. }
            | Self::Open { request: id }
            | Self::Kill { seal: id }
            | Self::Settle { letter: id }
            | Self::Dismiss { claim: id }
            | Self::Agree { proposal: id } => table.is_ruled(|table| table.has_letter(id)),
            Self::Void(scoping) => table.is_ruled(|table| scoping.fits(table)),
        }
    }
}

fn planned(ledger: &Ledger<'_>, ruled: &RulingVerb) -> Told<Planned> {
    let id = |id: &str| letter(ledger, id);
    Ok(Planned::Rules(vec![match ruled {
        RulingVerb::Request { claim } => {
            let claim = id(claim)?;
            claims::check_owed(ledger, &claim)?;
            Ruled::Request(claim)
        }
        RulingVerb::Forfeit { request, what } => {
            let forfeit = match what {
                Forfeited::DeclarerNames => Forfeit::DeclarerNames,
                Forfeited::Game => Forfeit::Game,
            };
            let request = id(request)?;
            claims::check_requested(ledger, &request)?;
            Ruled::Forfeit(RuledForfeit { forfeit, request })
        }
        RulingVerb::Open { request } => {
            let request = id(request)?;
            claims::check_requested(ledger, &request)?;
            super::deposits::opened_by(ledger, &request)?;
            return Ok(Planned::Open(request));
        }
        RulingVerb::Void(scoping) => Ruled::Void(scoping.scope(ledger)?),
        RulingVerb::Kill { seal } => Ruled::Kill(id(seal)?),
        RulingVerb::Settle { letter } => Ruled::Settle(id(letter)?),
        RulingVerb::Dismiss { claim } => Ruled::Dismiss(id(claim)?),
        RulingVerb::Agree { proposal } => Ruled::Agree(id(proposal)?),
    }]))
}
