//! Every text of the desk itself, in one place. Texts about games come from `play`.

mod codes;
mod key;
mod new_game;
mod options;
pub(super) mod tables;
mod verbs;
mod words;

use std::path::Path;

pub(super) use self::{
    codes::{abbreviated, classes, decision, entry, in_words, part, slot},
    key::*,
    new_game::{DROP_TABLES, NO_TABLE_FILE, OWN_TABLES, OWN_TABLES_WHY, TABLE_FILE, chosen, supplied, table_file},
    options::OPTIONS,
    verbs::{follows, label},
    words::{begins_with_a_name, begun, by},
};
use super::verb::Verb;
use crate::{
    blob::body::{Forfeit, Slot},
    game::rules::course::Choice,
    play::{
        failure::{Failure, Kind},
        state::Status,
        step::{Gives, Rules, Step, Takes},
    },
    report::text::count,
    resolve::{AllowedAnswers, Lines},
};

pub(super) const LANGUAGE: &str = "en";

// The frame of every page.
pub(super) const DESK: &str = "sealed-dice";
pub(super) const CLAIMS: &str = "Open claims";
pub(super) const FIGURES: &str = "The figures as text";
pub(super) const GAMES: &str = "Games";
pub(super) const HELP: &str = "Help";
pub(super) const JOURNAL: &str = "Journal";
pub(super) const NAVIGATION: &str = "Pages";
pub(super) const OPEN_THE_DESK: &str = "Open the desk";
pub(super) const REPORT: &str = "Report";
pub(super) const SKIP: &str = "Skip to the content";
pub(super) const STATISTICS: &str = "Statistics";
pub(super) const STATISTICS_PICTURE: &str =
    "The mean of each player's dice with its error bar; the figures follow as text.";
pub(super) const THE_GAME: &str = "The game";
pub(super) const TOPICS: &str = "Topics";

// What the guard and the server say, as plain text.
pub(super) const FAULT: &str =
    "Something went wrong inside the desk. Nothing that was signed is lost: start the desk again.";
pub(super) const DESK_GONE: &str = "The desk does not answer, or the form is too large. Look at the page of the game \
                                    before you sign again. If that page does not open, start the desk again.";
pub(super) const NOT_THE_DESK: &str = "This address is not a page of the desk. Start the desk again: sealed-dice desk";
pub(super) const UNREADABLE_FORM: &str =
    "The form could not be read; it may be larger than 64 MB. Go back, and send less at once.";

// Pages without a game.
pub(super) const DONE: &str = "Done";
pub(super) const NOT_DONE: &str = "Not done";
pub(super) const NOT_FOUND: &str = "No such page";
pub(super) const NOT_FOUND_WHY: &str =
    "The desk may no longer hold this page. What you signed is kept: go to the page of the game.";
pub(super) const NO_GAMES: &str = "You have no games yet. Read an invitation above, or start a new game.";
pub(super) const NEW_GAME: &str = "New game";
pub(super) const NEW_GAME_WHY: &str = "Choose the kind of game, and answer a few questions. You see every line before you sign, \
                                       and so does your opponent.";

pub(super) const ANSWERS_WRONG: &str =
    "Some answers need another look: the reason is shown with each. Nothing is signed yet.";
pub(super) const AS_TEXT: &str = "Write the terms as text instead";
pub(super) const FILL_IN_THE_REST: &str = "Fill in the rest";

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
pub(super) const SHEET_FOLLOWS: &str = "Your sheet stays sealed until the close. Your opponent reads only what the rules \
                                        oblige you to tell.";
pub(super) const TOLD_LAST: &str = "Latest news";
pub(super) const MISSING: &str = "Missing letters";
pub(super) const NOTES: &str = "Notes";
pub(super) const POSITION: &str = "The position";
pub(super) const NO_DICE_YET: &str = "No dice have been rolled yet.";
pub(super) const DECLINE: &str = "If you want other terms, do not sign. Tell your opponent by mail, and they can \
                                  propose others. “Hide this game” takes this proposal off your list.";
pub(super) const TERMS: &str = "Terms";
pub(super) const THE_TERMS: &str = "The terms in full";
pub(super) const THE_GAMES_PAGE: &str = "The game's page";
pub(super) const TO_END: &str = "When the game is over";
pub(super) const TROUBLE: &str = "When something goes wrong";
pub(super) const WAITING_FOR: &str = "Waiting for:";
pub(super) const BLIND: &str = "This sends your reply too, in the same mail: you sign it before you have seen your \
                                opponent's dice.";
pub(super) const ONLY_YOU_KNOW: &str = "Until the close, only you know this.";
pub(super) const SHOW_YOUR_HAND: &str = "Show your units, and what else only you know";
pub(super) const YOUR_HAND: &str = "Your hand";
pub(super) const YOU_MAY_ALSO: &str = "You may also";

// Previews and signing.
pub(super) const AGREE_TO_THIS: &str = "Go on only if you agree to this.";
pub(super) const BEFORE_GOING_ON: &str = "Before you go on";
pub(super) const CANNOT_BE_TAKEN_BACK: &str = "What you sign cannot be taken back.";
pub(super) const CHANGE_IT: &str = "Change it";
pub(super) const DO_NOT: &str = "No, go back";
pub(super) const GO_ON: &str = "Yes, go on";
pub(super) const LOOK_BEFORE_SIGNING: &str = "Look at this before you sign";
pub(super) const SHOW_PREVIEW: &str = "Show me what I would sign";
pub(super) const SIGN_AND_COPY: &str = "Sign and copy the mail";
pub(super) const MAKE_PAGE: &str = "Make the backup page (in a new tab)";
pub(super) const WITHOUT_PAGE: &str = "Your key has no backup page yet. If you lose this computer, nothing that you seal can \
                                       ever be opened.";
pub(super) const WITHOUT_PAGE_THEN: &str = "Make the page first, then come back to this tab and go on.";

// The mail that goes out.
pub(super) const BACK_TO_GAME: &str = "Back to the game";
pub(super) const COPY_KEY: &str = "Copy";
pub(super) const KEY_COPIED: &str = "The public key is copied.";
pub(super) const STILL_YOUR_MOVE: &str =
    "It is your move again. You can go on before you mail this: the next mail brings these letters too.";
pub(super) const COPIED: &str = "The mail is copied. Paste it into a new mail.";
pub(super) const COPY: &str = "Copy the mail";
pub(super) const DICE: &str = "Dice";
pub(super) const LEAVE_AT_OFFICE: &str = "Leave it at the office";
pub(super) const MAIL_THIS: &str = "Now mail this";
pub(super) const OFFICE_HAS_IT: &str = "The office already has these letters.";
pub(super) const SAVE_MAIL: &str = "Save as a mail (.eml)";
pub(super) const SIGNED_AND_KEPT: &str = "the declaration is signed and kept; mail it, or leave it at the office later";

// Forms.
pub(super) const ATTACKS: &str = "Attacks";
pub(super) const AT_FAULT: &str = "Who made the mistake";
pub(super) const ABOUT_THE_THIRD: &str = "With a referee or an office: their name and keys";
pub(super) const A_TURN: &str = "a turn";
pub(super) const BEFORE: &str = "Start the new game at the point before this slot (leave empty for the latest state)";
pub(super) const CHOOSE_BEFOREHAND: &str = "Choose beforehand";
pub(super) const SEAL_YOUR_ORDERS: &str = "Seal your orders";
pub(super) const CHANGED_KEY: &str = "Your opponent's new public key, if it has changed";
pub(super) const CHANGED_ROLE: &str = "Your role, if your own key has changed";
pub(super) const CHOICE: &str = "Your choice";
pub(super) const CLASS: &str = "Kind of mistake";
pub(super) const CHANGE_THE_LIST: &str = "Change the list below into the list as it should have been. If the dice are \
                                          kept, leave it as it is.";
pub(super) const CORRECTED_LIST: &str = "The list as it should have been";
pub(super) const DICE_STAY: &str = "Somebody has played on since, so these dice can only be kept.";
pub(super) const DICE_TO_NAME: &str = "The dice, in the order of the worksheet";
pub(super) const DECLARED_AGAIN: &str = "This slot is declared again. Its moves and its list are already fixed.";
pub(super) const FILL_IN: &str = "Fill this in. Lines that begin with # are explanations";
pub(super) const FINGERPRINT_HEARD: &str = "The fingerprint that your opponent reads to you by phone (leave empty if you \
                                            cannot compare it now, or have compared it before)";
pub(super) const HEXES: &str = "Hexes";
pub(super) const INVITATION: &str = "Invitation, if the office requires one";
pub(super) const HOW_TO_LIST: &str =
    "Put commas between the entries of a list. Put an entry that contains a comma in quotes.";
pub(super) const KEEP_DICE: &str = "Keep the dice, although the terms would have them rolled again";
pub(super) const LEAVE_OUT: &str = "Leave this out";
pub(super) const LEFT_OUT: &str = "(none)";
pub(super) const CHOOSE_ONE: &str = "(choose one)";
pub(super) const LETTER_ID: &str = "Letter (the beginning of its id)";
pub(super) const LINES: &str = "Only these rolls (their numbers, such as 1 3; leave empty for all)";
pub(super) const MOVES: &str = "Moves";
pub(super) const MOVES_IF_ANY: &str = "Moves, if something moved";
pub(super) const MOVES_IN_FILES: &str =
    "Recorded in files, such as a save or a photo; only their fingerprints are sent";
pub(super) const FILES_OF_MOVES: &str = "Files with the moves";
pub(super) const MOVES_IN_NOTE: &str = "Sealed before, in a note for this part of the turn";
pub(super) const NAME_OF_NOTE: &str = "Name of the note";
pub(super) const THE_MOVES: &str = "The moves in words";
pub(super) const MOVES_IN_WORDS: &str = "In words";
pub(super) const NOTHING_DECLARED: &str = "Nothing has been declared yet.";
pub(super) const NONE_OF_THEM: &str = "None of them";
pub(super) const NO_ANSWER: &str = "choose an answer";
pub(super) const NOTHING_OPEN: &str = "No dice are open yet.";
pub(super) const NOT_OPEN_YET: &str = "Its dice are not open yet: wait for them.";
pub(super) const NOTE_TEXT: &str = "The text to seal";
pub(super) const NOTHING_MOVED: &str = "Nothing moved";
pub(super) const MORE_ENTRIES: &str = "Show more blank entries";
pub(super) const NO_CHOICE: &str = "the form is empty; fill it in";
pub(super) const NO_CLASS: &str = "choose the kind of mistake";
pub(super) const NO_LIST: &str = "This roll needs no list.";
pub(super) const NO_NOTE: &str = "the text to seal is empty; type it, or choose a file";
pub(super) const NO_NUMBERS: &str = "type numbers, such as 1 3 4";
pub(super) const NO_ROLLS: &str = "I roll for nothing here";
pub(super) const NO_RULING: &str = "choose a ruling";
pub(super) const NO_TABLE: &str = "the table cannot be read; type it again";
pub(super) const NO_TERMS: &str = "the terms are empty; fill them in";
pub(super) const ODDS: &str = "Odds";
pub(super) const OFFICE_ADDRESS: &str = "Address of the office, such as https://dice.example.org";
pub(super) const HOW_TO_FILL_IN: &str = "Write hexes as your map does, with + between them, and odds such as 3-1. The order of attack says which attack you \
                                         fight first. It may stay empty, and never changes a die.";
pub(super) const ORDER: &str = "Order of attack";
pub(super) const ONLY_OPEN: &str = "You can correct a declaration only after all of its dice are open.";
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
pub(super) const TEXT_WINS: &str = "If you change the text, it is used as it stands, and the fields above are ignored.";
pub(super) const THE_FORM: &str = "the form";
pub(super) const THE_TABLE: &str = "the table";
pub(super) const WORKSHEET: &str = "Worksheet";
pub(super) const WORKSHEET_HEADS: [&str; 7] = ["Hexes", "Odds", "Value", "Times", "Product", "Envelope", "Order"];
pub(super) const WORK_IT_OUT: &str = "Work out the envelope";
pub(super) const THE_OTHER_TERMS: &str = "The other terms: answered already, or usual";
pub(super) const USED: &str = "used";
pub(super) const USE_THIS: &str = "Use this";
pub(super) const WHOLE_IMPULSE: &str = "Every roll of the impulse, of both players";
pub(super) const WHY: &str = "What is wrong";
pub(super) const WHAT_FOR: &str = "Roll for";
pub(super) const VOID_INSTEAD: &str =
    "A sheet cannot be corrected: take the last one back with “These dice should not count”, and fill in a new one.";
pub(super) const WHICH_DECLARATION: &str = "Which declaration?";
pub(super) const WRITE_AS_TEXT: &str = "Write it as text instead";

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
    ("agree", "Agree to a proposal on behalf of the player who was asked"),
];

/// Returns the name of a page or a button in a sentence.
pub(super) fn quoted(label: &str) -> String {
    format!("“{label}”")
}

/// Makes a failure with a sentence of the desk.
pub(super) fn failure(why: &str) -> Failure {
    Failure { kind: Kind::Refused, why: vec![why.to_owned()], news: Vec::new() }
}

/// Returns the label of a box beside a file that was chosen before.
pub(super) fn leave_out_file(name: &str) -> String {
    format!("Chosen: {name}. Tick this to leave it out.")
}

/// Returns the label of the button that signs everything that is owed.
pub(super) const fn reply(status: &Status) -> &'static str {
    match (status.opens, status.ended.is_some()) {
        (true, _) => "Reply: open your opponent's dice",
        (false, true) if status.has_closed => "Reply: open everything",
        (false, true) => "Reply: end the game too, and open everything",
        (false, false) => "Reply: send what you owe",
    }
}

/// Returns a sentence about the player's part in a game.
pub(super) fn seat(seat: &str) -> String {
    format!("{}.", begun(seat))
}

/// Returns the heading of a turn.
pub(super) fn turn(number: u64) -> String {
    if number == 0 { "Before the first turn".into() } else { format!("Turn {number}") }
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
    format!("The fingerprint matches: {whose}. This is noted for you alone.")
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
    format!("The questions do not ask for {made_up}. Put them in below before you go on.")
}

pub(super) fn in_row(column: &str, row: usize) -> String {
    format!("{column}, row {row}")
}

/// Returns the label of a field in the row of an entry.
pub(super) fn of_entry(label: &str, entry: &str) -> String {
    format!("{label}, {entry}")
}

/// Says what a player is asked to choose.
pub(super) fn asked(choice: &Choice) -> String {
    let about = choice.about.as_ref().map(|about| format!(" ({about})")).unwrap_or_default();
    let answers = match &choice.answers {
        AllowedAnswers::Lines(lines) => in_lines(lines),
        answers => answers.to_string(),
    };
    format!("{}{about}: {answers}", choice.name.as_str().replace('-', " "))
}

/// Returns the heading of dice that are folded away.
pub(super) fn dice(n: usize) -> String {
    format!("{n} dice")
}

/// Says how many lines a choice takes, and for what.
fn in_lines(lines: &Lines) -> String {
    let entry = lines.entry.as_ref().map(|entry| format!(", for {entry}")).unwrap_or_default();
    let many = match (lines.at_least, lines.at_most) {
        (1, 1) => "in your own words".to_owned(),
        (0, 1) => "in your own words, or nothing".to_owned(),
        (least, most) if least == most => format!("{most} rows"),
        (0, most) => format!("up to {most} rows, or none"),
        (least, most) => format!("{least} to {most} rows"),
    };
    many + &entry
}

/// Returns the button below the form of an action.
pub(super) const fn submit(verb: Verb) -> &'static str {
    match verb {
        Verb::Join => "Use this office",
        _ => SHOW_PREVIEW,
    }
}

/// Returns the label of the button for a standing note.
pub(super) fn choose_beforehand(slot: &str) -> String {
    format!("Choose beforehand: {slot}")
}

/// What a standing note does.
pub(super) const STANDING: &str = "You seal your choices now, which saves a mail. If you are asked anything in that turn, your opponent reads \
     all of them.";

/// Returns the label of an answer.
pub(super) fn answer(word: &str, means: &str) -> String {
    if means.is_empty() { word.to_owned() } else { format!("{word}: {means}") }
}

/// Returns the label of boxes of which a number must be ticked.
pub(super) fn choose(count: usize) -> String {
    format!("Your choice: tick exactly {count}")
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

pub(super) fn cells_left(sheet: &str, free: usize) -> String {
    format!("{sheet}: {} free", count(free, "cell"))
}

pub(super) fn place(envelope: u64, row: u64) -> String {
    format!("{envelope}, row {row}")
}

pub(super) fn envelope(total: u64, index: u64, envelopes: usize) -> String {
    format!("Total {total}: divided by {envelopes}, it leaves {index}, so this opens envelope {index}.")
}

/// Adds to a kind of mistake what the terms say about its dice.
pub(super) fn kind_of_mistake(words: &str, is_rerolled: bool) -> String {
    format!("{words} ({})", if is_rerolled { "rolled again" } else { "the dice are kept" })
}

/// Says whose move it is.
pub(super) fn whose_move(status: &Status) -> &'static str {
    match (status.closed, status.steps.is_empty(), status.waits_for.is_empty()) {
        _ if status.withdrawn => "These terms were withdrawn.",
        (true, true, _) => "The game is over. Both players have closed it.",
        (true, false, _) => "The game is over. The others do not have everything yet:",
        (_, false, _) if status.choice => "Your move. Choose one:",
        (_, false, _) if status.is_blind => "Your move. First open your opponent's dice, so that you see them:",
        (_, false, _) if status.carries => "Your move. This sends your reply too, in the same mail:",
        (_, false, _) => "Your move:",
        (_, true, false) => "It is not your move.",
        (_, true, true) => "Nobody owes anything.",
    }
}

/// Returns the label of a step's button.
pub(super) fn step(step: &Step, people: &[(String, String)]) -> String {
    let slot = |of: &Slot| slot(of, people);
    match step {
        Step::Declare { slot: of, takes, skip, .. } => {
            let skips = if *skip { ", out of order" } else { "" };
            let what = match takes {
                Takes::Attacks => "Declare attacks",
                Takes::Rolls => "Declare rolls",
                Takes::Turn => "Declare your turn",
                // The game itself says where it stands.
                Takes::Sheet(does) => return format!("{does}{skips}"),
                Takes::Nothing => "Declare",
            };
            format!("{what}, {}{skips}", slot(of))
        }
        Step::DeclareAgain { slot: of, .. } => format!("Declare again: {}", slot(of)),
        Step::Decide { slot: of, name, gives } => match gives {
            Gives::Words | Gives::Form => match decision(name.as_str()) {
                Some(what) => format!("{what}, {}", slot(of)),
                None => format!("Choose {name} for {}", slot(of)),
            },
            Gives::Text => format!("Seal the note {name} for {}", slot(of)),
            Gives::Orders => format!("Seal your orders for {}", slot(of)),
        },
        Step::NameDice(of) => format!("Name the dice of {}", slot(of)),
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
