//! `rule`: what a referee may rule, and nothing else.

use clap::{Subcommand, ValueEnum};

use super::{Answer, Table, Told, dispute::letter, mend::Scoping, sign::Signing};
use crate::{
    blob::{
        Body, Hex32,
        body::Forfeit,
        deposits::Opening,
        disputes::{Rule, RuledForfeit, Ruling},
    },
    game::ledger::Ledger,
    keep::home::Home,
};

/// A ruling. Letters are named by the beginnings of their ids, as `game status` and `audit` show them.
#[derive(Clone, Debug, Subcommand)]
pub(in crate::cli) enum Ruled {
    /// Ask the silent player for what a stall claims; a forfeit may follow
    Request {
        /// The claim
        claim: String,
    },
    /// Rule that the silent player forfeits, after your own request and the days that the terms give him
    Forfeit {
        /// Your request
        request: String,
        /// What he forfeits
        what: Forfeited,
    },
    /// Open what the silent player owes, with the keys that he deposited, after your own request and the days that the terms
    /// give him
    Open {
        /// Your request
        request: String,
    },
    /// Say which branch of a fork stands
    Branch {
        /// A letter of it
        letter: String,
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
    /// Admit the new key that a player's opponent has granted
    Admit {
        /// The opponent's letter
        letter: String,
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
    ruled: &Ruled,
    text: &str,
    signing: &Signing,
) -> Told<Answer> {
    let table = Table::find(home, name)?;
    let _lock = table.folder.lock()?;
    let open = table.held_opening();
    table.sign_rulings(home, signing, |ledger, keys| {
        let open = |request| open(ledger, keys, request);
        Ok(vec![Body::Ruling(Ruling { rule: rule(ledger, ruled, open)?, text: text.to_owned() })])
    })
}

fn rule(ledger: &Ledger<'_>, ruled: &Ruled, open: impl FnOnce(Hex32) -> Told<Opening>) -> Told<Rule> {
    let id = |id: &str| letter(ledger, id);
    Ok(match ruled {
        Ruled::Request { claim } => Rule::Request(id(claim)?),
        Ruled::Forfeit { request, what } => {
            let forfeit = match what {
                Forfeited::DeclarerNames => Forfeit::DeclarerNames,
                Forfeited::Game => Forfeit::Game,
            };
            Rule::Forfeit(RuledForfeit { forfeit, request: id(request)? })
        }
        Ruled::Open { request } => Rule::Open(open(id(request)?)?),
        Ruled::Branch { letter } => Rule::Branch(id(letter)?),
        Ruled::Void(scoping) => Rule::Void(scoping.scope(ledger)?),
        Ruled::Kill { seal } => Rule::Kill(id(seal)?),
        Ruled::Settle { letter } => Rule::Settle(id(letter)?),
        Ruled::Dismiss { claim } => Rule::Dismiss(id(claim)?),
        Ruled::Agree { proposal } => Rule::Agree(id(proposal)?),
        Ruled::Admit { letter } => Rule::Admit(id(letter)?),
    })
}
