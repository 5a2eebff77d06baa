//! Actions in words: the label of each button, and what follows from it.

use super::super::verb::Verb;

/// Returns the label of an action.
pub(in crate::desk) const fn label(verb: Verb) -> &'static str {
    match verb {
        Verb::Accept => "Accept the terms",
        Verb::Agree => "Agree to the proposal",
        Verb::Choose => "Choose the letter that counts",
        Verb::Close => "Close the game",
        Verb::Continue => "Continue in a new game",
        Verb::Decide => "Make a choice",
        Verb::Declare => "Declare",
        Verb::Forget => "Hide this game",
        Verb::Join => "Play through an office",
        Verb::NameDice => "Name dice that were forfeited to you",
        Verb::New => "Propose a game",
        Verb::Note => "Seal a note",
        Verb::Propose => "A declaration was a mistake",
        Verb::Pull => "Look for letters at the office",
        Verb::Push => "Leave letters at the office",
        Verb::Raise => "Something is wrong with a letter",
        Verb::Refuse => "Refuse the proposal",
        Verb::Reply => "Reply",
        Verb::Resend => "Show your last mail again",
        Verb::ResendAll => "Show a mail with every letter of the game",
        Verb::Resign => "Resign",
        Verb::Resync => "This folder came from a backup",
        Verb::Reveal => "Open your private dice",
        Verb::RevealMoves => "Open your sealed moves",
        Verb::Rule => "Make a ruling",
        Verb::Seal => "Seal a set",
        Verb::Stall => "My opponent does not answer",
        Verb::Void => "These dice should not count",
        Verb::Unclaim => "Withdraw a claim",
        Verb::Withdraw => "Take the terms back",
        Verb::Yield => "I cannot open a roll",
    }
}

/// Says in a sentence what follows from an action.
pub(in crate::desk) const fn follows(verb: Verb) -> &'static str {
    match verb {
        Verb::Accept => "The game begins with these terms, and nobody can change them.",
        Verb::Agree => "The correction takes effect as the terms say.",
        Verb::Choose => "Only the letter that you choose counts from then on.",
        Verb::Close => {
            "The game ends. Once both have closed, all sealed sets are opened and everything can be checked."
        }
        Verb::Continue => {
            "You get the terms of a new game that continues this one: after a lost or stolen key, or when \
                           nothing else helps."
        }
        Verb::Decide => "Everybody reads your choice, and it cannot be changed.",
        Verb::Declare => "Your opponent opens the dice that you declare for. A declaration cannot be changed.",
        Verb::Forget => "The game disappears from your list. Its letters are kept in a folder of their own.",
        Verb::Join => "The desk exchanges letters with the office, so that dice can open within seconds.",
        Verb::NameDice => "The dice that you name count for this slot.",
        Verb::New => "Your opponent gets the terms, and the game begins when they accept.",
        Verb::Note => "Nobody can read this before you open it, and you cannot change it.",
        Verb::Propose => {
            "If your opponent agrees, the terms say what happens: the dice count, or the slot is declared again."
        }
        Verb::Pull => "New letters are taken in.",
        Verb::Push => "The office gets your letters, and its answers are taken in.",
        Verb::Raise => "The report shows your complaint until the letter is settled or you withdraw it.",
        Verb::Refuse => "The dice count as they are.",
        Verb::Reply => "You sign everything that you owe and that needs no choice of yours, in one mail.",
        Verb::Resend => "Nothing is signed. You see the mail again, byte for byte.",
        Verb::ResendAll => "Nothing is signed. With this mail your opponent, or a referee, has the whole game.",
        Verb::Resign => "You lose the game. Both players then close it.",
        Verb::Resync => {
            "The others are asked which letters they hold, and you sign nothing before they answer. \
                         Otherwise you might sign two letters with one number."
        }
        Verb::Reveal => "Everybody sees dice that only you have seen so far.",
        Verb::RevealMoves => "Everybody can read the moves that you had sealed.",
        Verb::Rule => "The ruling takes effect when the players read it.",
        Verb::Seal => "The set is ready for a later declaration.",
        Verb::Stall => {
            "Your claim states what they owe. A referee can act on it after the days that the terms give them."
        }
        Verb::Void => "If your opponent agrees, these dice do not count.",
        Verb::Unclaim => "The claim no longer counts.",
        Verb::Withdraw => "Your proposal can no longer be accepted.",
        Verb::Yield => "Your opponent names the dice of this slot in your place.",
    }
}
