//! The actions of a player, a referee or an office's operator at the desk: the last part of an action's path.

/// An action at the desk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    /// Accepts the terms of a game.
    Accept,
    /// Agrees to a proposal.
    Agree,
    /// Chooses one of two conflicting letters.
    Choose,
    /// Closes the game.
    Close,
    /// Writes the terms of a game that continues this one.
    Continue,
    /// Makes an open choice.
    Decide,
    /// Declares a slot.
    Declare,
    /// Moves a game out of view.
    Forget,
    /// Records an office's address and exchanges letters with it.
    Join,
    /// Names the dice of a forfeited slot.
    NameDice,
    /// Proposes a game.
    New,
    /// Seals a text as a note.
    Note,
    /// Proposes a correction.
    Propose,
    /// Takes in letters from an office.
    Pull,
    /// Leaves letters at an office.
    Push,
    /// Disputes letters.
    Raise,
    /// Refuses a proposal.
    Refuse,
    /// Signs everything that is owed.
    Reply,
    /// Shows the mail with the player's own letters again.
    Resend,
    /// Shows a mail with all letters of the game.
    ResendAll,
    /// Gives the game up.
    Resign,
    /// Asks the others for letters after a restored backup.
    Resync,
    /// Opens one's own private dice.
    Reveal,
    /// Opens the sealed moves of a slot.
    RevealMoves,
    /// Makes a referee's ruling.
    Rule,
    /// Seals a set of dice.
    Seal,
    /// Claims that the opponent does not answer.
    Stall,
    /// Proposes that dice do not count.
    Void,
    /// Withdraws a claim.
    Unclaim,
    /// Takes terms back.
    Withdraw,
    /// Lets the opponent name dice that cannot be opened.
    Yield,
}

impl Verb {
    /// Every action with its part of a path.
    const ALL: [(Self, &'static str); 31] = [
        (Self::Accept, "accept"),
        (Self::Agree, "agree"),
        (Self::Choose, "choose"),
        (Self::Close, "close"),
        (Self::Continue, "continue"),
        (Self::Decide, "decide"),
        (Self::Declare, "declare"),
        (Self::Forget, "forget"),
        (Self::Join, "join"),
        (Self::NameDice, "name-dice"),
        (Self::New, "new"),
        (Self::Note, "note"),
        (Self::Propose, "correct"),
        (Self::Pull, "pull"),
        (Self::Push, "push"),
        (Self::Raise, "dispute"),
        (Self::Refuse, "refuse"),
        (Self::Reply, "reply"),
        (Self::Resend, "resend"),
        (Self::ResendAll, "resend-all"),
        (Self::Resign, "resign"),
        (Self::Resync, "resync"),
        (Self::Reveal, "reveal"),
        (Self::RevealMoves, "reveal-moves"),
        (Self::Rule, "rule"),
        (Self::Seal, "seal"),
        (Self::Stall, "stall"),
        (Self::Void, "void"),
        (Self::Unclaim, "withdraw-claim"),
        (Self::Withdraw, "withdraw"),
        (Self::Yield, "yield"),
    ];

    /// Returns the action with this part of a path.
    pub(super) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, named)| *named == name).map(|(verb, _)| verb)
    }

    /// Returns the action's part of a path.
    pub(super) fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(verb, _)| *verb == self).map_or("", |(_, name)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_is_found_by_its_name() {
        for (verb, name) in Verb::ALL {
            assert_eq!((Verb::parse(name), verb.name()), (Some(verb), name));
        }
        assert_eq!(Verb::parse("sign-anything"), None);
    }
}
