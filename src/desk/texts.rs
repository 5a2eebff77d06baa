//! Every text of the desk itself, in one place: a translation is one file. Texts about games come from `play`.

use std::path::Path;

use super::verb::Verb;
use crate::{
    blob::body::Forfeit,
    play::{
        failure::{Failure, Kind},
        state::Status,
        step::{Gives, Rules, Step, Takes},
    },
    report::text::count,
};

pub(super) const LANGUAGE: &str = "en";

// The frame of every page.
pub(super) const DESK: &str = "sealed-dice";
pub(super) const GAMES: &str = "Games";
pub(super) const HELP: &str = "Help";
pub(super) const NAVIGATION: &str = "Pages";
pub(super) const OPEN_THE_DESK: &str = "Open the desk";
pub(super) const REPORT: &str = "Report";
pub(super) const SKIP: &str = "Skip to the content";
pub(super) const STATISTICS: &str = "Statistics";
pub(super) const STATISTICS_PICTURE: &str =
    "The mean of each player's dice with its error bar; the figures follow as text.";
pub(super) const TOPICS: &str = "Topics";

// What the guard and the server say, as plain text.
pub(super) const FAULT: &str =
    "Something went wrong inside the desk. Nothing that was signed is lost: start the desk again.";
pub(super) const NOT_THE_DESK: &str = "This address is not a page of the desk. Start the desk again: sealed-dice desk";
pub(super) const UNREADABLE_FORM: &str = "The form could not be read. Go back and send it again.";

// Pages without a game.
pub(super) const DONE: &str = "Done";
pub(super) const NOT_DONE: &str = "Not done";
pub(super) const NOT_FOUND: &str = "No such page";
pub(super) const NOT_FOUND_WHY: &str = "Go back to your games.";
pub(super) const NO_GAMES: &str = "You have no games yet. Read an invitation above, or start a new game.";
pub(super) const NEW_GAME: &str = "New game";
pub(super) const NEW_GAME_WHY: &str = "Choose the kind of game, and answer a few questions. You see every line before you sign, \
                                       and so does your opponent.";

pub(super) const ANSWERS_WRONG: &str = "Some answers need another look; each says why. Nothing is signed yet.";
pub(super) const AS_TEXT: &str = "Write the terms as text instead";
pub(super) const FILL_IN_THE_REST: &str = "Fill in the rest as text";

// Mail that comes in.
pub(super) const NEW_IN: &str = "New in";
pub(super) const NOT_KEPT: &str = "Not kept, because too many invitations are unanswered";
pub(super) const NOT_TAKEN_IN: &str = "Not taken in";
pub(super) const NOTHING_TO_READ: &str = "paste a mail, or choose a file";
pub(super) const OFFICE: &str = "Office";
pub(super) const OR_FILES: &str = "Or choose saved mails or a mailbox";
pub(super) const PASTE: &str = "Paste a mail here, or drop a file";
pub(super) const PASTED: &str = "the pasted text";
pub(super) const READ: &str = "Read";
pub(super) const READ_A_MAIL: &str = "Read a mail";
pub(super) const WHAT_CAME: &str = "What came in";

// A game.
pub(super) const IF_LOST: &str = "If your last mail did not arrive";
pub(super) const KEYS: &str = "Keys";
pub(super) const LAST_DICE: &str = "Last dice";
pub(super) const MISSING: &str = "Missing letters";
pub(super) const NOTES: &str = "Notes";
pub(super) const NO_DICE_YET: &str = "No dice have been rolled yet.";
pub(super) const THE_GAMES_PAGE: &str = "The game's page";
pub(super) const TROUBLE: &str = "When something goes wrong";
pub(super) const WAITING_FOR: &str = "Waiting for:";
pub(super) const YOU_MAY_ALSO: &str = "You may also";

// Previews and signing.
pub(super) const AGREE_TO_THIS: &str = "Go on only if you agree to this.";
pub(super) const BEFORE_GOING_ON: &str = "Before you go on";
pub(super) const CANNOT_BE_TAKEN_BACK: &str = "What you sign cannot be taken back.";
pub(super) const DO_NOT: &str = "Do not, and go back";
pub(super) const GO_ON: &str = "Yes, go on";
pub(super) const LOOK_BEFORE_SIGNING: &str = "Look at this before you sign";
pub(super) const SHOW_PREVIEW: &str = "Show me what I would sign";
pub(super) const SIGN_AND_COPY: &str = "Sign and copy the mail";
pub(super) const WITHOUT_PAGE: &str = "Your key has no backup page yet. If you lose this computer, nothing that you seal can \
                                       ever be opened.";
pub(super) const WITHOUT_PAGE_THEN: &str = "Make the page under Your key first. Go on only if you do not want one.";

// The mail that goes out.
pub(super) const BACK_TO_GAME: &str = "Back to the game";
pub(super) const COPIED: &str = "The mail is copied. Paste it into a new mail.";
pub(super) const COPY: &str = "Copy the mail";
pub(super) const DICE: &str = "Dice";
pub(super) const LEAVE_AT_OFFICE: &str = "Leave it at the office";
pub(super) const MAIL_THIS: &str = "Signed: now mail this";
pub(super) const OFFICE_HAS_IT: &str = "The office already has these letters.";
pub(super) const SAVE_MAIL: &str = "Save as a mail (.eml)";
pub(super) const SIGNED_AND_KEPT: &str = "the declaration is signed and kept; mail it, or leave it at the office later";

// The key.
pub(super) const BACKUP: &str = "Backup page";
pub(super) const BACKUP_WHY: &str = "Print this page and keep it with your important papers. It restores your key if you \
                                     lose this computer. Anyone who has it can sign as you.";
pub(super) const COMPARE: &str = "Compare a fingerprint";
pub(super) const COMPARE_WHY: &str =
    "Ask your opponent by phone to read you the fingerprint of their key, and type it here.";
pub(super) const FINGERPRINT: &str = "Fingerprint";
pub(super) const KEY_UNREADABLE: &str =
    "Your key file cannot be read. Restore it from your backup page: sealed-dice key restore";
pub(super) const LOCK: &str = "Lock the key";
pub(super) const LOCKED: &str = "locked";
pub(super) const MAKE_KEY: &str = "Make my key";
pub(super) const NEW_KEY_WHY: &str = "You need a key to play: it signs your letters and seals your dice. Choose a \
                                      passphrase of four words or more. Nobody can tell you what it was if you forget it.";
pub(super) const NEW_PASSPHRASE: &str = "New passphrase";
pub(super) const NEW_PASSPHRASE_AGAIN: &str = "The same passphrase again";
pub(super) const NOTE_COMPARED: &str = "Compare";
pub(super) const NO_KEY: &str = "no key yet";
pub(super) const NO_PASSPHRASE: &str = "not locked: it has no passphrase";
pub(super) const PASSPHRASE: &str = "Passphrase";
pub(super) const PASSPHRASES_DIFFER: &str = "the two passphrases differ, so no key was made; type both again";
pub(super) const PUBLIC_KEY: &str = "Public key";
pub(super) const READ_IT_ALOUD: &str = "Send your public key to your opponent, and read them the fingerprint by phone.";
pub(super) const SHOW_BACKUP: &str = "Show the backup page";
pub(super) const THEIR_FINGERPRINT: &str = "Their fingerprint";
pub(super) const UNLOCK: &str = "Unlock";
pub(super) const UNLOCK_TITLE: &str = "Your key is locked";
pub(super) const UNLOCK_WHY: &str = "Type your passphrase once for this sitting. The desk forgets the key after 20 minutes \
                                     without a click, or when you lock it.";
pub(super) const YOUR_KEY: &str = "Your key";

// Forms.
pub(super) const ATTACKS: &str = "Attacks";
pub(super) const AT_FAULT: &str = "Role of the player who made the mistake";
pub(super) const BEFORE: &str = "Start the new game from before this slot (leave empty for the latest state)";
pub(super) const CHANGED_KEY: &str = "Your opponent's new public key, if it has changed";
pub(super) const CHANGED_ROLE: &str = "Your role, if your own key has changed";
pub(super) const CHOICE: &str = "Your choice";
pub(super) const CLASS: &str = "Kind of mistake";
pub(super) const CORRECTED_LIST: &str = "The list as it should have been (CSV; only if the terms demand a redo)";
pub(super) const DICE_TO_NAME: &str = "The dice, in the order of the worksheet";
pub(super) const FILES_AGAIN: &str = "Choose the files again: a browser does not remember them.";
pub(super) const FILL_IN: &str = "Fill this in. Lines that begin with # are explanations";
pub(super) const FINGERPRINT_HEARD: &str = "The fingerprint that your opponent reads to you by phone (leave empty if you \
                                            have not compared)";
pub(super) const HEXES: &str = "Hexes";
pub(super) const INVITATION: &str = "Invitation, if the office requires one";
pub(super) const HOW_TO_LIST: &str =
    "A list takes commas between its entries. An entry that has a comma stands in quotes.";
pub(super) const KEEP_DICE: &str = "Keep the dice, although the terms would have them rolled again";
pub(super) const LEAVE_OUT: &str = "Leave this out";
pub(super) const LEFT_OUT: &str = "(left out)";
pub(super) const LETTER_ID: &str = "Letter (the beginning of its id)";
pub(super) const LINES: &str = "Only these rolls, by number (leave empty for all)";
pub(super) const MOVES: &str = "Moves";
pub(super) const MOVES_IN_FILES: &str =
    "Recorded in files, such as a save or a photo; only their fingerprints are sent";
pub(super) const MOVES_IN_NOTE: &str = "In a sealed note of this slot with this name";
pub(super) const MOVES_IN_WORDS: &str = "In words";
pub(super) const NOTE_TEXT: &str = "The text to seal";
pub(super) const NOTHING_MOVED: &str = "Nothing moved";
pub(super) const MORE_ENTRIES: &str = "Show more blank entries";
pub(super) const NO_CHOICE: &str = "the form is empty; fill it in";
pub(super) const NO_CLASS: &str = "choose the kind of mistake";
pub(super) const NO_LIST: &str = "This roll needs no list.";
pub(super) const NO_NOTE: &str = "the text to seal is empty; type it, or choose a file";
pub(super) const NO_NUMBERS: &str = "type numbers, such as 1 3 4";
pub(super) const NO_ROLLS: &str = "Nothing is rolled for";
pub(super) const NO_RULING: &str = "choose a ruling";
pub(super) const NO_TABLE: &str = "the table cannot be read; type it again";
pub(super) const NO_TERMS: &str = "the terms are empty; fill them in";
pub(super) const ODDS: &str = "Odds";
pub(super) const OFFICE_ADDRESS: &str = "Address of the office, such as https://dice.example.org";
pub(super) const ORDER: &str = "Order";
pub(super) const OR_A_TABLE: &str = "Or choose a table that you have saved";
pub(super) const OWES_DECLARATION: &str = "They owe their next declaration";
pub(super) const REASON: &str = "Reason";
pub(super) const REMARK: &str = "Remark";
pub(super) const RESULT: &str = "How the game ended";
pub(super) const ROW: &str = "Row";
pub(super) const ROLLS: &str = "Rolls on the sheet";
pub(super) const RULING: &str = "Ruling";
pub(super) const SEAL_WHAT: &str = "A slot, or the word sheet or foul-up";
pub(super) const SKIPS: &str = "This slot is out of order: a slot that you skip can never be declared.";
pub(super) const SLOT: &str = "Slot, such as 1/1/ann-first/1";
pub(super) const STALLED_SLOT: &str = "The slot that they do not open (leave empty if they do not answer at all)";
pub(super) const TERMS_FILE: &str = "The terms. Lines that begin with # are explanations";
pub(super) const TEXT_WINS: &str = "If you change the text, it is used as it stands, and the fields above are ignored.";
pub(super) const THE_FORM: &str = "the form";
pub(super) const THE_TABLE: &str = "the table";
pub(super) const WORKSHEET: &str = "Worksheet";
pub(super) const WORKSHEET_HEADS: [&str; 7] = ["Hexes", "Odds", "Value", "Times", "Product", "Envelope", "Order"];
pub(super) const WORK_IT_OUT: &str = "Work out the envelope";
pub(super) const USED: &str = "used";
pub(super) const USE_THIS: &str = "Use this";
pub(super) const WHOLE_IMPULSE: &str = "Every roll of the impulse, of both players";
pub(super) const WHY: &str = "What is wrong";
pub(super) const WRITE_AS_TEXT: &str = "Write it as text instead";

/// The kinds of mistakes, with their words.
pub(super) const CLASSES: &[(&str, &str)] = &[
    ("illegal-odds", "The odds were wrong"),
    ("illegal-move", "A unit moved against the rules"),
    ("wrong-list", "An attack is missing or should not be there"),
];

/// The rulings, with their words.
pub(super) const RULINGS: &[(&str, &str)] = &[
    ("request", "Ask for what a claim lists as owed"),
    ("open", "Open it with the deposited keys"),
    ("forfeit-dice", "Forfeit: the declarer names the dice"),
    ("forfeit-game", "Forfeit the game"),
    ("void", "These dice do not count"),
    ("kill", "A sealed set is no longer used"),
    ("settle", "Settle a fault in a letter"),
    ("dismiss", "Settle a claim"),
    ("agree", "Agree to a proposal for the player who was asked"),
];

/// Returns the name of a page or a button in a sentence.
pub(super) fn quoted(label: &str) -> String {
    format!("“{label}”")
}

/// Makes a failure with a sentence of the desk.
pub(super) fn failure(why: &str) -> Failure {
    Failure { kind: Kind::Refused, why: vec![why.to_owned()], news: Vec::new() }
}

pub(super) fn known(letters: u64) -> String {
    format!("{} known already", count(usize::try_from(letters).unwrap_or(usize::MAX), "letter"))
}

pub(super) fn alike(games: &[String]) -> String {
    format!("You have other games with this title: {}.", games.join(", "))
}

pub(super) fn forgotten(name: &str, to: &Path) -> String {
    format!("{name} is hidden: its letters are now in {}. To have it back, read its mails again.", to.display())
}

pub(super) fn compared(whose: &str) -> String {
    format!("{whose}. This is noted for you alone.")
}

pub(super) fn type_to_end(word: &str) -> String {
    format!("This ends the game for both players. Type the word {word} to sign it:")
}

pub(super) fn mail_to(names: &str) -> String {
    format!("Mail it to {names}.")
}

pub(super) fn subject(subject: &str) -> String {
    format!("Mail with the subject: {subject}")
}

pub(super) fn put_in(made_up: &str) -> String {
    format!("No question asks for {made_up}: change that part of the text below before you go on.")
}

pub(super) fn needs_tables(file: &Path, template: &str) -> String {
    format!(
        "This game needs the file {} with its tables. To get one to begin with, type in a terminal: sealed-dice game \
         template {template} > \"{}\". Look through it before you go on.",
        file.display(),
        file.display()
    )
}

pub(super) fn in_row(column: &str, row: usize) -> String {
    format!("{column}, row {row}")
}

/// Returns the label of a field that can be left out.
pub(super) fn optional(label: &str) -> String {
    format!("{label} (optional)")
}

/// Returns the heading of a blank entry.
pub(super) fn one_more(what: &str) -> String {
    format!("Add: {what}")
}

/// Returns the label of a name that is still to be chosen.
pub(super) fn name_of(what: &str) -> String {
    format!("Name: {what}")
}

/// Returns the words of a placeholder such as `PUT A UNIT HERE`.
pub(super) fn placeholder(text: &str) -> String {
    text.strip_prefix("PUT ").and_then(|text| text.strip_suffix(" HERE")).unwrap_or(text).to_lowercase()
}

pub(super) fn declared_again(slot: &str) -> String {
    format!("{slot} is declared again. Its moves and its list are determined already.")
}

pub(super) fn cells_left(sheet: &str, free: usize) -> String {
    format!("{sheet}: {} free", count(free, "cell"))
}

pub(super) fn place(envelope: u64, row: u64) -> String {
    format!("{envelope}, row {row}")
}

pub(super) fn envelope(total: u64, index: u64) -> String {
    format!("Total {total}: this opens envelope {index}.")
}

/// Says whose move it is.
pub(super) fn whose_move(status: &Status) -> &'static str {
    match (status.closed, status.steps.is_empty(), status.waits_for.is_empty()) {
        _ if status.withdrawn => "These terms were withdrawn.",
        (true, true, _) => "The game is over. Both players have closed it.",
        (true, false, _) => "The game is over. The others do not have everything yet:",
        (_, false, _) if status.choice => "Your move. Choose one:",
        (_, false, _) if status.carries => "Your move. This sends your reply too, in the same mail:",
        (_, false, _) => "Your move:",
        (_, true, false) => "It is not your move.",
        (_, true, true) => "Nobody owes anything.",
    }
}

/// Returns the label of a step's button.
pub(super) fn step(step: &Step) -> String {
    match step {
        Step::Declare { slot, takes, skip, .. } => {
            let what = match takes {
                Takes::Attacks => "Declare attacks for",
                Takes::Rolls => "Declare rolls for",
                Takes::Turn | Takes::Sheet => "Declare your turn for",
                Takes::Nothing => "Declare",
            };
            let skips = if *skip { ", out of order" } else { "" };
            format!("{what} {slot}{skips}")
        }
        Step::DeclareAgain { slot, .. } => format!("Declare {slot} again"),
        Step::Decide { slot, name, gives } => match gives {
            Gives::Words | Gives::Form => format!("Choose {name} for {slot}"),
            Gives::Text => format!("Seal a note {name} for {slot}"),
            Gives::Orders => format!("Seal your orders for {slot}"),
        },
        Step::NameDice(slot) => format!("Name the dice of {slot}"),
        Step::Agree(id) => format!("Agree to proposal {}", id.as_str()),
        Step::Refuse(id) => format!("Refuse proposal {}", id.as_str()),
        Step::Choose(id) => format!("Choose letter {}", id.as_str()),
        Step::Rule(rules) => ruling(rules),
        Step::AcceptTerms => label(Verb::Accept).into(),
        Step::Pull => label(Verb::Pull).into(),
        Step::Push => label(Verb::Push).into(),
        Step::Reply => label(Verb::Reply).into(),
        Step::Resend => label(Verb::Resend).into(),
        Step::ResendEverything => label(Verb::ResendAll).into(),
        Step::Resync => label(Verb::Resync).into(),
        Step::Withdraw => label(Verb::Withdraw).into(),
    }
}

fn ruling(rules: &Rules) -> String {
    let (what, id) = match rules {
        Rules::Request(id) => ("Ask for what is owed, claim", id),
        Rules::Open(id) => ("Open it with the deposited keys, request", id),
        Rules::Forfeit(id, Forfeit::DeclarerNames) => ("Let the declarer name the dice, request", id),
        Rules::Forfeit(id, Forfeit::Game | Forfeit::None) => ("Rule that the game is forfeited, request", id),
        Rules::Dismiss(id) => ("Settle claim", id),
        Rules::Settle(id) => ("Settle the fault in letter", id),
        Rules::Agree(id) => ("Agree to proposal", id),
    };
    format!("{what} {}", id.as_str())
}

/// Returns the label of an action.
pub(super) const fn label(verb: Verb) -> &'static str {
    match verb {
        Verb::Accept => "Accept the terms",
        Verb::Agree => "Agree to the proposal",
        Verb::Choose => "Choose the letter that counts",
        Verb::Close => "Close the game",
        Verb::Continue => "Go on in a new game",
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
        Verb::Reply => "Reply with everything that you owe",
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
pub(super) const fn follows(verb: Verb) -> &'static str {
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
        Verb::Note => "Nobody can read the text before you open it, and you cannot change it.",
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
