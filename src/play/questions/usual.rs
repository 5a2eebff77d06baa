//! The questions that several games share.

use super::{
    check,
    question::{Given, Kind, Part, Question},
};

/// The value of a choice that means nobody.
pub(super) const NOBODY: &str = "nobody";
/// The value of a choice that means a referee.
pub(super) const REFEREE: &str = "referee";
/// The value of a choice that means an office.
pub(super) const OFFICE: &str = "office";
/// The system of coin envelopes, as terms name it.
pub(super) const ENVELOPES: &str = "coin-envelopes";
/// The system of the ICRK sheet, as terms name it.
pub(super) const SHEET: &str = "icrk";

/// The fields that most questions share: the answer is a line of text, and any text is accepted.
pub(super) const LINE: Question = Question {
    id: "",
    part: Part::Players,
    text: "",
    why: "",
    kind: Kind::Text,
    default: None,
    only: None,
    check: check::any,
};

/// The questions about the players and the opponent's key.
pub(super) const PLAYERS: &[Question] = &[
    Question {
        id: "title",
        text: "Title of the game",
        why: "You both see it. Choose one that distinguishes this game from your others.",
        default: Some("Our campaign"),
        check: check::title,
        ..LINE
    },
    Question {
        id: "own-name",
        text: "Your name",
        why: "The name that your opponent knows you by.",
        check: check::name,
        ..LINE
    },
    Question {
        id: "own-role",
        text: "Your role",
        why: "The short name that you sign with: small letters, digits and hyphens, 16 at most. If you leave \
              it empty, it is made from your name.",
        default: Some(""),
        check: check::own_role,
        ..LINE
    },
    Question {
        id: "their-name",
        text: "Your opponent's name",
        why: "The name that you know them by.",
        check: check::name,
        ..LINE
    },
    Question {
        id: "their-role",
        text: "Your opponent's role",
        why: "The short name that they sign with. If you leave it empty, it is made from their name.",
        default: Some(""),
        check: check::their_role,
        ..LINE
    },
    Question {
        id: "their-key",
        part: Part::Key,
        text: "Your opponent's public key",
        why: "64 digits and letters. They find it with `sealed-dice key show` and mail it to you.",
        kind: Kind::Key,
        check: check::key,
        ..LINE
    },
    Question {
        id: "their-fingerprint",
        part: Part::Key,
        text: "Your opponent's fingerprint",
        why: "Have them read it to you over the phone or in person. If you leave it empty, every report on the game \
              says that nobody compared it, and anybody who passed the key on could have replaced it.",
        kind: Kind::Key,
        default: Some(""),
        check: check::their_fingerprint,
        ..LINE
    },
];

/// The systems for the dice of an impulse.
const DICE: Kind = Kind::Choice(&[
    (ENVELOPES, "Coin envelopes: the hexes and odds of the attacks choose one of five sealed envelopes"),
    (SHEET, "ICRK sheet: the attacker takes the next cells of a sealed sheet of 400 numbers"),
]);

/// The questions about dice and hexes of a game with double impulses.
pub(super) const IMPULSES: &[Question] = &[
    Question {
        id: "first-dice",
        part: Part::Dice,
        text: "Dice of the first impulse",
        why: "For both players. Coin envelopes are the usual choice for a first impulse.",
        kind: DICE,
        default: Some(ENVELOPES),
        ..LINE
    },
    Question {
        id: "second-dice",
        part: Part::Dice,
        text: "Dice of the second impulse",
        why: "For both players. The sheet is the usual choice for a second impulse.",
        kind: DICE,
        default: Some(SHEET),
        ..LINE
    },
    Question {
        id: "values",
        part: Part::Dice,
        text: "Numbers on the dice",
        why: "For all rolls of the game.",
        kind: Kind::Choice(&[
            ("1-6", "1 to 6: one six-sided die"),
            ("0-9", "0 to 9: one ten-sided die"),
            ("2-12", "2 to 12: the sum of two six-sided dice"),
        ]),
        default: Some("1-6"),
        ..LINE
    },
    Question {
        id: "hexes",
        part: Part::Map,
        text: "Hexes on your map",
        why: "Look at the map: this cannot be changed later, and it picks the envelopes. There is no usual answer.",
        kind: Kind::Choice(&[
            ("F12", "like F12: its neighbour is F13, and the next row begins with G"),
            ("0824", "like 0824: its neighbour is 0825, and the next row begins with 09"),
            ("A43.01", "like A43.01: map A, and its neighbour is A43.02"),
        ]),
        only: Some(|given| {
            [given.get("first-dice"), given.get("second-dice")].into_iter().any(|dice| dice == ENVELOPES)
        }),
        ..LINE
    },
    Question {
        id: "double-letters",
        part: Part::Map,
        text: "Rows after Z",
        why: "This matters only for hexes like F12, on a map with more than 26 rows.",
        kind: Kind::Choice(&[
            ("doubled", "AA, then BB: the same letter twice"),
            ("spreadsheet", "AA, then AB: as in a spreadsheet"),
        ]),
        default: Some("doubled"),
        only: Some(|given| given.get("hexes") == "F12"),
        ..LINE
    },
];

/// The possible remedies for a mistake.
const REMEDY: Kind = Kind::Choice(&[
    ("keep", "The dice are kept: what was signed counts"),
    ("redo", "If you both agree, the attacks are declared again, and dice from a spare set replace the old ones"),
]);

/// The question about moves.
const MOVE: Question = Question {
    id: "illegal-move",
    part: Part::Slips,
    text: "A unit moved against the rules of your game",
    why: "The usual answer: keep the dice, because a move can be corrected on the map.",
    kind: REMEDY,
    default: Some("keep"),
    ..LINE
};

/// The questions about mistakes in a game with attacks, by the names of their settings.
pub(super) const SLIPS: &[Question] = &[
    MOVE,
    Question {
        id: "illegal-odds",
        part: Part::Slips,
        text: "The odds of an attack were wrong",
        why: "The usual answer: keep the dice, and read the result at the right odds.",
        kind: REMEDY,
        default: Some("keep"),
        ..LINE
    },
    Question {
        id: "wrong-list",
        part: Part::Slips,
        text: "An attack is missing, or should not be there",
        why: "The usual answer: the list is corrected and declared again.",
        kind: REMEDY,
        default: Some("redo"),
        ..LINE
    },
];

/// The questions about mistakes in a game in which players state something for each roll.
pub(super) const SLIPS_OF_TURNS: &[Question] = &[
    MOVE,
    Question {
        id: "wrong-list",
        part: Part::Slips,
        text: "A statement for a roll was wrong, or something was missing",
        why: "The usual answer: it is corrected, and rolled again.",
        kind: Kind::Choice(&[
            ("keep", "The dice are kept: what was signed counts"),
            ("redo", "If you both agree, it is declared again, and dice from a spare set replace the old ones"),
        ]),
        default: Some("redo"),
        ..LINE
    },
];

/// The questions about mistakes where nothing can be declared again, because the declarations are secret.
pub(super) const NO_SLIPS: &[Question] = &[];

/// Whether a third party takes part.
const WITH_THIRD: fn(&Given) -> bool = |given| [REFEREE, OFFICE].contains(&given.get("third"));

/// The questions about a referee or an office.
pub(super) const THIRD: &[Question] = &[
    Question {
        id: "third",
        part: Part::Third,
        text: "A referee or an office",
        why: "The usual answer: neither. A referee or an office cannot choose a die alone, and accepts the terms \
              before your opponent does.",
        kind: Kind::Choice(&[
            (NOBODY, "Neither"),
            (REFEREE, "A referee, who settles disputes and may end a stall"),
            (OFFICE, "An office, which opens envelopes at once, so that nobody waits for the other player"),
        ]),
        default: Some(NOBODY),
        ..LINE
    },
    Question {
        id: "third-name",
        part: Part::Third,
        text: "Name of the referee or the office",
        why: "Only with a referee or an office.",
        only: Some(WITH_THIRD),
        check: check::name,
        ..LINE
    },
    Question {
        id: "third-key",
        part: Part::Third,
        text: "Public key of the referee or the office",
        why: "64 digits and letters. A referee finds it with `sealed-dice key show`; `sealed-dice office card` shows an office's.",
        kind: Kind::Key,
        only: Some(WITH_THIRD),
        check: check::third_key,
        ..LINE
    },
    Question {
        id: "third-fingerprint",
        part: Part::Third,
        text: "Fingerprint of the referee or the office",
        why: "Have it read to you by voice. If you leave it empty, your preview says that nobody compared it.",
        kind: Kind::Key,
        default: Some(""),
        only: Some(WITH_THIRD),
        check: check::third_fingerprint,
    },
    Question {
        id: "third-deposit",
        part: Part::Third,
        text: "Deposit key of the referee or the office",
        why: "With this key, they get the keys to all sealed dice and could look at dice before they are rolled, so \
              choose somebody whom you both trust. If you leave it empty, a referee can only declare a forfeit, and \
              an office only keeps the time.",
        kind: Kind::Key,
        default: Some(""),
        only: Some(WITH_THIRD),
        check: check::deposit,
    },
    Question {
        id: "reveal-days",
        part: Part::Third,
        text: "Days that a player gets to open dice",
        why: "Only with a referee who has a deposit key. After these days the referee may open the dice.",
        default: Some("30"),
        only: Some(|given| given.get("third") == REFEREE && !given.get("third-deposit").is_empty()),
        check: check::days,
        ..LINE
    },
];
