//! The verdict in a sentence, for every form of report. It states only proven facts.

use std::collections::BTreeSet;

use crate::game::{
    audit::{Report, Verdict},
    days::Word,
};

/// Explains the verdict in one sentence.
///
/// # Examples
///
/// ```
/// use sealed_dice::{audit, report::verdict::sentence};
///
/// let reports = audit(
///     include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/fork/reveal-of-a-fallen-declaration.txt")),
/// );
/// let said = sentence(&reports[0]);
/// assert_eq!(said, "ann and bob each signed a letter that breaks a rule, and did not put it right.");
/// ```
#[must_use]
pub fn sentence(report: &Report) -> String {
    let stands = report.findings.iter().filter(|finding| finding.culprit.is_some() && finding.settled_by.is_none());
    match report.verdict {
        Verdict::Verified if report.complete => format!(
            "{}, {}, no letter is missing, and both players have closed the game and shown their secrets.",
            breaches(report),
            dice(report)
        ),
        Verdict::Verified => {
            format!("as far as these letters show, {}, {}, and no letter is missing.", breaches(report), dice(report))
        }
        Verdict::Refuted => {
            let mut who: Vec<&str> = stands.filter_map(|finding| finding.culprit.as_deref()).collect();
            who.sort_unstable();
            who.dedup();
            let each = if who.len() > 1 { " each" } else { "" };
            format!("{}{each} signed a letter that breaks a rule, and did not put it right.", who.join(" and "))
        }
        Verdict::Undecided if stands.count() > 0 => {
            "a breach is not corrected yet: the reveal that would settle it is still owed.".into()
        }
        Verdict::Undecided if report.game.is_none() => {
            "these letters do not belong to any game here; nobody is blamed for damage.".into()
        }
        Verdict::Undecided => match report.missing.len() {
            0 if !report.complete && report.open.iter().any(|open| open.what == "claim") => {
                "a claim is open, and the letters do not show who is right.".into()
            }
            0 if !report.complete && report.days.iter().any(|days| days.word == Word::Contradicted) => {
                "the office's clock and the referee disagree on how many days had passed; nobody is blamed for that."
                    .into()
            }
            0 => "not everything could be worked out again; the open matters list the missing parts.".into(),
            1 => "a letter named by other letters is missing; nobody is blamed for that.".into(),
            count => format!("{count} letters named by other letters are missing; nobody is blamed for that."),
        },
    }
}

/// Describes the broken rules in a verified game: each is settled, or nobody is to blame for it.
fn breaches(report: &Report) -> String {
    let culprits: Vec<&str> = report.findings.iter().filter_map(|finding| finding.culprit.as_deref()).collect();
    let who: Vec<&str> = culprits.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    match culprits.len() {
        0 if report.findings.is_empty() => "nobody broke a rule of sealed-dice".into(),
        0 => "nobody is shown to have broken a rule".into(),
        1 => format!("the one breach, by {}, was settled", who.join(" and ")),
        2 => format!("both breaches, by {}, were settled", who.join(" and ")),
        many => format!("all {many} breaches, by {}, were settled", who.join(" and ")),
    }
}

/// Describes where the dice come from: sealed sets, or the player who named them after a forfeit.
fn dice(report: &Report) -> String {
    let named: Vec<&str> =
        report.rolls.iter().filter(|roll| roll.named_by.is_some()).map(|roll| roll.declarer.as_str()).collect();
    let who: Vec<&str> = named.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let who = who.join(" and ");
    let were = if named.len() == 1 { "die was" } else { "dice were" };
    match (report.rolls.len(), named.len()) {
        (0, _) => "no die is shown".into(),
        (_, 0) => "every die is the one that was sealed".into(),
        (all, some) if some == all => format!("the {some} {were} named by {who} after a forfeit"),
        (_, some) => {
            format!("{some} {were} named by {who} after a forfeit and every other die is the one that was sealed")
        }
    }
}
