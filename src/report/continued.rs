//! The old game that a game continues, in sentences (`protocol/audit.md` 11, 12).

use super::text::{count, in_line, visible};
use crate::{
    blob::Hex32,
    game::audit::{Continued, Lack, Letter, Old, Verdict},
};

/// Instructions for anyone who lacks the old letters.
const ASK: &str = "ask either player for all letters from the old game (sealed-dice resend --everything), then audit \
                   both games together";

/// A sentence, and the items it introduces, one per line.
#[derive(Debug)]
pub struct Said {
    /// The sentence, with a colon at its end if there are lines.
    pub sentence: String,
    /// The items, one per line.
    pub lines: Vec<String>,
}

impl Said {
    fn alone(sentence: String) -> Self {
        Self { sentence, lines: Vec::new() }
    }
}

/// Describes the old game. `short` writes the ids of letters and games.
///
/// # Examples
///
/// ```
/// use sealed_dice::{audit, report::continued};
///
/// let reports = audit(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/continued/from-the-accept.txt")));
/// let old = reports.iter().find_map(|report| report.continues.as_ref()).ok_or("a new game")?;
/// let said = continued::tell(old, |id| id.to_string().chars().take(8).collect());
/// assert!(said[0].sentence.starts_with("This game continues game"));
/// # Ok::<(), &str>(())
/// ```
pub fn tell(continued: &Continued, short: impl Fn(&Hex32) -> String) -> Vec<Said> {
    let mut said = match &continued.old {
        Ok(old) => compared(continued, old, &short),
        Err(lack) => {
            vec![Said::alone(format!("This game continues game {}.", continued.game)), lacking(lack, &short)]
        }
    };
    let others: Vec<String> = continued.others.iter().map(&short).collect();
    match others.as_slice() {
        [] => {}
        [other] => said.push(Said::alone(format!("Game {other} also continues the old game."))),
        others => said.push(Said::alone(format!("Games {} also continue the old game.", listed(others)))),
    }
    said
}

fn lacking(lack: &Lack, short: impl Fn(&Hex32) -> String) -> Said {
    Said::alone(match lack {
        Lack::Game => format!("The old game is not here, so the two games cannot be compared: {ASK}."),
        Lack::Replay => {
            "The old game has too many branches to be replayed, so the two games cannot be compared.".into()
        }
        Lack::Sequels => {
            "More than eight games here continue the old game, so none of them is compared with it: audit only this \
             game and the old one together."
                .into()
        }
        Lack::Roles => {
            "Its terms name different roles from the old game's, so the two games cannot be compared.".into()
        }
        Lack::Head(role, id) => {
            format!("It continues from letter {} by {role}, but that letter by {role} is not here: {ASK}.", short(id))
        }
    })
}

fn compared(continued: &Continued, old: &Old, short: &impl Fn(&Hex32) -> String) -> Vec<Said> {
    let verdict = match old.verdict {
        Verdict::Verified => "That game is verified".to_owned(),
        Verdict::Undecided => "That game is undecided".to_owned(),
        Verdict::Refuted => format!("That game is refuted: {} broke its rules", listed(&old.culprits)),
    };
    let game = short(&continued.game);
    let mut said = vec![Said::alone(format!("This game continues game {game}, {:?}. {verdict}.", visible(&old.title)))];
    said.push(match old.behind.len() {
        0 => Said::alone("It continues from the last letters of the old game.".into()),
        n => Said {
            sentence: format!(
                "It continues from earlier letters. After them, the old game has {}:",
                count(n, "more letter")
            ),
            lines: old.behind.iter().map(|letter| line(letter, short)).collect(),
        },
    });
    if !old.open.is_empty() {
        let open = count(old.open.len(), "declaration");
        said.push(Said {
            sentence: format!("{open} had no dice yet at that point, and dice opened later do not count in this game:"),
            lines: old.open.iter().map(|letter| open_line(letter, short)).collect(),
        });
    }
    if old.states > 0 {
        said.push(Said::alone(match continued.same_states {
            true => "Its courses begin with the states they had at that point.".into(),
            false => {
                "Its courses do not begin with the states they had at that point: its terms set other states.".into()
            }
        }));
    }
    said.push(Said::alone(match continued.same_keys.as_slice() {
        [] => "No player signs with the same key as in the old game.".into(),
        [role] => format!("Only {role} signs with the same key as in the old game."),
        roles => format!("{} sign with the same keys as in the old game.", listed(roles)),
    }));
    said
}

fn name(letter: &Letter, short: impl Fn(&Hex32) -> String) -> String {
    format!("{} {} ({})", letter.author, letter.number, short(&letter.id))
}

fn line(letter: &Letter, short: impl Fn(&Hex32) -> String) -> String {
    let slot = letter.slot.as_ref().map(|slot| format!(" {slot}")).unwrap_or_default();
    let dice = if letter.rolls.is_empty() { String::new() } else { format!(": {}", dice(letter)) };
    format!("{}, {}{slot}{dice}", name(letter, short), letter.kind.as_str())
}

fn open_line(letter: &Letter, short: impl Fn(&Hex32) -> String) -> String {
    let slot = letter.slot.as_deref().unwrap_or_default();
    match letter.rolls.is_empty() {
        true => format!("{}, {slot}: not shown yet", name(letter, short)),
        false => format!("{}, {slot}: shown later, {}", name(letter, short), dice(letter)),
    }
}

fn dice(letter: &Letter) -> String {
    let dice = letter.rolls.iter().map(|roll| format!("d{} = {} ({})", roll.sides, roll.value, in_line(&roll.why)));
    dice.collect::<Vec<_>>().join(", ")
}

fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_a_list() {
        let names = ["ann", "bob", "carol"].map(String::from);
        assert_eq!(
            [listed(&names[..1]), listed(&names[..2]), listed(&names)],
            ["ann", "ann and bob", "ann, bob and carol"]
        );
    }
}
