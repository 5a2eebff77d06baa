//! `rule`: signs the rulings that a referee may make.

use super::{
    claims,
    correct::Scoping,
    dispute::letter,
    failure::{PlayResult, after},
    forks,
    handed::Handed,
    locked::Locked,
    session::Session,
    table::Table,
};
use crate::{
    blob::{
        Body, Hex32,
        body::Forfeit,
        disputes::{Ruled, RuledForfeit, Ruling as Letter},
    },
    game::ledger::Ledger,
};

/// A ruling. Letters are named by the beginnings of their ids, as shown in statuses and audits.
#[derive(Clone, Debug)]
pub enum Ruling {
    /// Ask the silent player for what a claim of a stall lists as owed; a forfeit may follow.
    Request(String),
    /// Rule that the silent player forfeits, after a request and the days that the terms give them.
    Forfeit(String, Forfeit),
    /// Open what the silent player owes, with the keys that they deposited, after a request and the days that the terms
    /// give them.
    Open(String),
    /// Rule that dice do not count.
    Void(Scoping),
    /// Rule that a sealed set must not be used any more.
    Kill(String),
    /// Settle a fault in a letter.
    Settle(String),
    /// Settle a stall or a dispute.
    Dismiss(String),
    /// Agree to a proposal in place of the player who was asked.
    Agree(String),
}

/// Signs a ruling by the referee whom the terms name. `text` is the reason, for both players to read.
///
/// # Errors
/// If this party is not the referee, the game has nothing that the ruling fits, or they do not sign.
pub fn rule(session: &Session<'_>, name: Option<&str>, ruling: &Ruling, text: &str) -> PlayResult<Handed> {
    let table = Locked::find(session, name, |table| ruling.fits(table))?;
    table.check_referee()?;
    let (table, news) = match table.look(|_, ledger| planned(ledger, ruling))?.asked() {
        Some(_) => {
            let news = table.ask_the_time(session);
            // The office's answer is in the folder now, so the game is read again.
            (table.again()?, news)
        }
        None => (table, Vec::new()),
    };
    after(news, signed(table, session, ruling, text))
}

fn signed(table: Locked, session: &Session<'_>, ruling: &Ruling, text: &str) -> PlayResult<Handed> {
    let (planned, mind) = table.look(|order, ledger| {
        let planned = match planned(ledger, ruling)? {
            Planned::Rules(rules) => {
                Planned::Rules(rules.into_iter().flat_map(|rule| forks::settling(order, rule)).collect())
            }
            open @ Planned::Open(_) => open,
        };
        let mind = planned.asked().and_then(|(request, forfeit)| table.days(ledger, request, forfeit));
        Ok((planned, mind.and_then(|days| days.mind())))
    })?;
    let open = table.held_opening();
    table.sign_rulings(session, mind, |ledger, pen| {
        let rules = match &planned {
            Planned::Rules(rules) => rules.clone(),
            Planned::Open(request) => vec![Ruled::Open(open(ledger, pen, *request)?)],
        };
        Ok(rules.into_iter().map(|rule| Body::Ruling(Letter { rule, text: text.to_owned() })).collect())
    })
}

/// The part of a ruling that is known before the key is available.
enum Planned {
    /// A single ruling, or the ones that settle a fork.
    Rules(Vec<Ruled>),
    /// The opening of what a request asked for.
    Open(Hex32),
}

impl Planned {
    /// Returns the request whose days must have passed, and the forfeit if the ruling is one.
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

impl Ruling {
    /// Whether this party is the referee of the game, and the game has the letter that the ruling names.
    fn fits(&self, table: &Table) -> bool {
        match self {
            Self::Request(id)
            | Self::Forfeit(id, _)
            | Self::Open(id)
            | Self::Kill(id)
            | Self::Settle(id)
            | Self::Dismiss(id)
            | Self::Agree(id) => table.is_ruled(|table| table.has_letter(id)),
            Self::Void(scoping) => table.is_ruled(|table| scoping.fits(table)),
        }
    }
}

fn planned(ledger: &Ledger<'_>, ruling: &Ruling) -> PlayResult<Planned> {
    let id = |id: &str| letter(ledger, id);
    Ok(Planned::Rules(vec![match ruling {
        Ruling::Request(claim) => {
            let claim = id(claim)?;
            claims::check_owed(ledger, &claim)?;
            Ruled::Request(claim)
        }
        Ruling::Forfeit(request, forfeit) => {
            let request = id(request)?;
            claims::check_requested(ledger, &request)?;
            Ruled::Forfeit(RuledForfeit { forfeit: *forfeit, request })
        }
        Ruling::Open(request) => {
            let request = id(request)?;
            claims::check_requested(ledger, &request)?;
            super::deposits::opened_by(ledger, &request)?;
            return Ok(Planned::Open(request));
        }
        Ruling::Void(scoping) => Ruled::Void(scoping.scope(ledger)?),
        Ruling::Kill(seal) => Ruled::Kill(id(seal)?),
        Ruling::Settle(letter) => Ruled::Settle(id(letter)?),
        Ruling::Dismiss(claim) => Ruled::Dismiss(id(claim)?),
        Ruling::Agree(proposal) => Ruled::Agree(id(proposal)?),
    }]))
}
