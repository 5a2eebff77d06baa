//! Next steps that a status offers: a page shows each as a button, a terminal as the command to type.

use super::{
    blanks::{ATTACKS, CHOICE, IS_MEANT, MOVED, ORDERS, ROLLS, SHEET, TEXT_FILE, TURN},
    typing::Typing,
};
use crate::{
    blob::{
        Hex32,
        body::{Forfeit, Name, Slot},
    },
    game::ids::Ids,
};

/// The beginning of a letter's id, long enough to name it in its game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Id(String);

impl Id {
    pub(super) fn of(ids: &Ids, id: &Hex32) -> Self {
        Self(ids.short(id))
    }

    /// Returns the digits as they are typed.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The input that a declaration takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// A combat sheet, and the moves.
    Attacks,
    /// Rolls on a sheet of cells, and the moves.
    Rolls,
    /// The statements for the turn of a course, and the moves.
    Turn,
    /// The sheet of a hidden course, which lists what moved, with what its author does in it.
    Sheet(&'static str),
    /// No input: orders or an earlier declaration determine the rolls.
    Nothing,
}

/// The form in which a decision or a note is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// In a few words, for everybody to read.
    Words,
    /// As a form that is filled in, for everybody to read.
    Form,
    /// A text that is sealed as a note.
    Text,
    /// Sealed orders, as a form that is filled in.
    Orders,
}

/// A ruling that a referee may make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rules {
    /// Ask for what a claim lists as owed.
    Request(Id),
    /// Open what a request asked for.
    Open(Id),
    /// Rule a forfeit after a request.
    Forfeit(Id, Forfeit),
    /// Settle a claim.
    Dismiss(Id),
    /// Settle a fault in a letter.
    Settle(Id),
    /// Agree to a proposal in place of the player who was asked.
    Agree(Id),
}

/// A step that somebody may take next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Sign and mail everything that is owed and needs no choice.
    Reply,
    /// Mail again the letters that the others may not have.
    Resend,
    /// Mail every letter of the game.
    ResendEverything,
    /// Accept the terms.
    AcceptTerms,
    /// Take terms back.
    Withdraw,
    /// Ask the others for the letters they hold or, as an office, begin an epoch.
    Resync,
    /// Agree to a proposal.
    Agree(Id),
    /// Refuse a proposal.
    Refuse(Id),
    /// Declare a slot.
    Declare {
        /// The slot to declare.
        slot: Slot,
        /// The input that the declaration needs from the player.
        takes: Takes,
        /// Whether the slot is declared out of order.
        skip: bool,
        /// Whether the declaration is left at the office at once.
        office: bool,
    },
    /// Declare a slot again.
    DeclareAgain {
        /// The slot to declare again.
        slot: Slot,
        /// Whether the declaration is left at the office at once.
        office: bool,
    },
    /// Make a choice for a slot, open or sealed.
    Decide {
        /// The slot that the choice is for.
        slot: Slot,
        /// The name of the choice.
        name: Name,
        /// The form in which the choice is given.
        gives: Gives,
    },
    /// Name the dice of a slot that are forfeited.
    NameDice(Slot),
    /// Choose one of two conflicting letters: only the chosen one counts from then on.
    Choose(Id),
    /// Rule, as the referee.
    Rule(Rules),
    /// Leave letters at the office, and take in its answers.
    Push,
    /// Take in new letters from the office.
    Pull,
}

impl Step {
    /// Returns the command for this step, as typed on this machine.
    #[must_use]
    pub fn typed(&self, typing: &Typing) -> String {
        let at_once = |verb: String, office: bool| {
            let command = typing.command(&verb);
            if office { command + " --office" } else { command }
        };
        match self {
            Self::Declare { slot, takes, skip, office } => {
                let skip = if *skip { " --skip" } else { "" };
                let with = match takes {
                    Takes::Nothing => "--no-moves".to_owned(),
                    Takes::Sheet(_) => SHEET.to_owned(),
                    Takes::Attacks => format!("{ATTACKS} --moves \"{MOVED}\""),
                    Takes::Rolls => format!("{ROLLS} --moves \"{MOVED}\""),
                    Takes::Turn => format!("{TURN} --moves \"{MOVED}\""),
                };
                at_once(format!("declare {slot} {with}{skip}"), *office)
            }
            Self::DeclareAgain { slot, office } => at_once(format!("declare {slot} --again"), *office),
            other => typing.command(&other.verb()),
        }
    }

    /// Returns the words of the command, without the game.
    fn verb(&self) -> String {
        match self {
            Self::Reply => "reply".into(),
            Self::Resend => "resend".into(),
            Self::ResendEverything => "resend --everything".into(),
            Self::AcceptTerms => "game accept".into(),
            Self::Withdraw => "game withdraw".into(),
            Self::Resync => "game resync".into(),
            Self::Agree(Id(id)) => format!("correct accept {id}"),
            Self::Refuse(Id(id)) => format!("correct refuse {id}"),
            Self::Declare { slot, .. } | Self::DeclareAgain { slot, .. } => format!("declare {slot}"),
            Self::Decide { slot, name, gives } => match gives {
                Gives::Words => format!("decide {slot} {name} \"{CHOICE}\""),
                Gives::Form => format!("decide {slot} {name} {}.toml", name.as_str().to_uppercase()),
                Gives::Text => format!("note {slot} {name} {TEXT_FILE}"),
                Gives::Orders => format!("note {slot} {name} {ORDERS}"),
            },
            Self::NameDice(slot) => format!("dispute name {slot} DICE"),
            Self::Choose(Id(id)) => format!("dispute raise {id} --text \"{IS_MEANT}\""),
            Self::Rule(rules) => match rules {
                Rules::Request(Id(id)) => format!("rule request {id}"),
                Rules::Open(Id(id)) => format!("rule open {id}"),
                Rules::Forfeit(Id(id), forfeit) => match forfeit {
                    Forfeit::DeclarerNames => format!("rule forfeit {id} declarer-names"),
                    Forfeit::Game | Forfeit::None => format!("rule forfeit {id} game"),
                },
                Rules::Dismiss(Id(id)) => format!("rule dismiss {id}"),
                Rules::Settle(Id(id)) => format!("rule settle {id}"),
                Rules::Agree(Id(id)) => format!("rule agree {id}"),
            },
            Self::Push => "office push".into(),
            Self::Pull => "office pull".into(),
        }
    }

    /// Whether the step declares a slot.
    #[must_use]
    pub const fn declares(&self) -> bool {
        matches!(self, Self::Declare { .. } | Self::DeclareAgain { .. })
    }

    /// Whether the step is still allowed in a game that another one continues (charter 29), judging by its kind alone.
    pub(super) const fn is_of_the_left(&self) -> bool {
        matches!(self, Self::Reply | Self::Resend | Self::ResendEverything | Self::NameDice(_) | Self::Choose(_))
    }
}
