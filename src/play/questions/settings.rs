//! The questions of single games: settings that their templates cannot know.

use super::{
    check,
    question::{Kind, Part, Question},
    usual::{LINE, NOBODY},
};

/// The value of a choice that means the player who answers.
pub(super) const YOU: &str = "you";
/// The value of a choice that means the opponent.
pub(super) const OPPONENT: &str = "opponent";

/// One of the two players.
const PLAYER: Kind = Kind::Choice(&[(YOU, "You"), (OPPONENT, "Your opponent")]);

/// The fields that the questions about single games share.
const SETTING: Question = Question { part: Part::Game, ..LINE };

/// The questions of an Operational Combat Series game.
pub(super) const OCS: &[Question] = &[Question {
    id: "first-player",
    text: "Who goes first in turn 1, without a roll?",
    why: "As the scenario says. The usual answer: nobody, and turn 1 is a Flux turn.",
    kind: Kind::Choice(&[(NOBODY, "Nobody: the scenario names no player"), (YOU, "You"), (OPPONENT, "Your opponent")]),
    default: Some(NOBODY),
    ..SETTING
}];

/// The questions of a game of Cast Iron Life.
pub(super) const CIL: &[Question] = &[
    Question {
        id: "attacker",
        text: "Who attacks in the first battle?",
        why: "The other player defends. The usual answer: you attack.",
        kind: PLAYER,
        default: Some(YOU),
        ..SETTING
    },
    Question {
        id: "season",
        text: "Season",
        why: "The season decides how many engagements a day has.",
        kind: Kind::Choice(&[
            ("spring", "Spring: 4"),
            ("summer", "Summer: 5"),
            ("fall", "Fall: 4"),
            ("winter", "Winter: 3"),
        ]),
        ..SETTING
    },
];

/// The sides of Gettysburg.
const SIDES: Kind = Kind::Choice(&[("union", "Union"), ("confederate", "Confederate")]);

/// The questions of a game of Gettysburg.
pub(super) const GETTYSBURG: &[Question] = &[
    Question { id: "own-side", text: "Your side", why: "Your opponent plays the other side.", kind: SIDES, ..SETTING },
    Question {
        id: "first",
        text: "The side whose player turn comes first",
        why: "As your game says.",
        kind: SIDES,
        ..SETTING
    },
    Question {
        id: "fire-dice",
        text: "Dice for friendly fire",
        why: "If they are rolled here, you both see them. Otherwise you roll them in another way.",
        kind: Kind::Choice(&[
            ("sum", "Here, the sum of two six-sided dice"),
            ("d66", "Here, as d66"),
            ("elsewhere", "Elsewhere"),
        ]),
        ..SETTING
    },
    Question {
        id: "entry2",
        text: "Row 2 of both event tables, which the printed tables lack",
        why: "The usual answer: a panic check, which the printed explanations begin with.",
        kind: Kind::Choice(&[("panic", "A panic check"), ("leader", "The leader table"), ("none", "No event")]),
        default: Some("panic"),
        ..SETTING
    },
    Question {
        id: "ambush",
        text: "Whose brigade an ambush takes",
        why: "The rules leave it open. The usual answer: one of the roller's, at random.",
        kind: Kind::Choice(&[
            ("own_random", "One of the roller's, at random"),
            ("enemy_choice", "One of the roller's, which the opponent names"),
            ("any_random", "One of both sides, at random"),
        ]),
        default: Some("own_random"),
        ..SETTING
    },
    Question {
        id: "ambush-limit",
        text: "Ambushes on one day",
        why: "The usual answer: one for each side.",
        kind: Kind::Choice(&[("side", "One for each side"), ("both", "One for both sides together")]),
        default: Some("side"),
        ..SETTING
    },
    Question {
        id: "dt-accepts-on",
        text: "A division accepts an order in Dt on this number of a six-sided die, or more",
        why: "1 to 6; 7 means never.",
        check: check::die_or_never,
        ..SETTING
    },
    Question { id: "july-2", text: "First turn of July 2", why: TURNS, check: check::later_turn, ..SETTING },
    Question { id: "july-3", text: "First turn of July 3", why: TURNS, check: check::later_turn, ..SETTING },
    Question { id: "longstreet-from", text: "Turn of 2:00 PM on July 1", why: TURNS, check: check::turn, ..SETTING },
    Question {
        id: "longstreet-regular",
        text: "Turn in which Longstreet, I Corps HQ and Supply arrive",
        why: SCHEDULE,
        check: check::turn,
        ..SETTING
    },
    Question { id: "mclaws-regular", text: "Turn in which M/1 arrives", why: SCHEDULE, check: check::turn, ..SETTING },
    Question { id: "hood-regular", text: "Turn in which H/1 arrives", why: SCHEDULE, check: check::turn, ..SETTING },
];

const TURNS: &str = "Turns are numbered from 1.";
const SCHEDULE: &str = "See your game's schedule. Turns are numbered from 1.";

/// The questions of a game with a table of events.
pub(super) const EVENTS: &[Question] = &[
    Question {
        id: "own-side",
        text: "Your side",
        why: "Write it as the table file does.",
        default: Some("north"),
        check: check::side,
        ..SETTING
    },
    Question {
        id: "their-side",
        text: "Your opponent's side",
        why: "Write it as the table file does.",
        default: Some("south"),
        check: check::other_side,
        ..SETTING
    },
    Question {
        id: "first",
        text: "The side that rolls first in each turn",
        why: "One of the two sides.",
        default: Some("north"),
        check: check::first_side,
        ..SETTING
    },
];

/// The kinds of chemicals.
const DOCTRINE: Kind =
    Kind::Choice(&[("soviet", "Soviet: +5, +3, +1 and -3, -2, -1"), ("us", "US: +2, +1 and -2, -1")]);

/// The questions of a game of NATO Division Commander.
pub(super) const NDC: &[Question] = &[
    Question {
        id: "first-player",
        text: "Who is the first player?",
        why: "The usual answer: you.",
        kind: PLAYER,
        default: Some(YOU),
        ..SETTING
    },
    Question {
        id: "letters",
        text: "How the defender's answers travel",
        why: "This decides how many mails a segment with combat takes.",
        kind: Kind::Choice(&[
            ("standing", "2 mails: with every sheet, each of you seals how your units react to attacks"),
            ("wait", "4 mails: the defender answers each attack after seeing it"),
        ]),
        ..SETTING
    },
    Question {
        id: "defender-to-sign",
        text: "T/O level of the defender in the differential",
        why: "On the printed page, it is added. Most people think that this is a misprint.",
        kind: Kind::Choice(&[
            ("plus", "It is added, as printed: a strong defender is easier to hit"),
            ("minus", "It is subtracted, like every other strength of a defender"),
        ]),
        ..SETTING
    },
    Question {
        id: "low-columns",
        text: "Columns of hexes that are half a hex lower on your map",
        why: "Look at the map: this cannot be changed later.",
        kind: Kind::Choice(&[("odd", "The odd ones"), ("even", "The even ones")]),
        ..SETTING
    },
    Question {
        id: "own-doctrine",
        text: "Your chemicals",
        why: "The kind that your side has.",
        kind: DOCTRINE,
        ..SETTING
    },
    Question {
        id: "their-doctrine",
        text: "Your opponent's chemicals",
        why: "The kind that their side has.",
        kind: DOCTRINE,
        ..SETTING
    },
    Question {
        id: "sector",
        text: "The sector that can be searched",
        why: "Two corner hexes, with the lower numbers first, such as 0101 2030. Units outside are never found.",
        check: check::corners,
        ..SETTING
    },
];
