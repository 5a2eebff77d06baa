//! Presents the results of `play` as text on a terminal. No other file turns its values into an `Answer`.

use std::path::Path;

use serde::Serialize;

use super::{
    answer::{Answer, json_line},
    out_file,
};
#[cfg(feature = "client")]
use crate::play::exchanged::Exchanged;
use crate::{
    play::{
        failure::{Failure, Kind},
        form::Form,
        handed::{Handed, Mail, News},
        last_dice::LastDice,
        received::{NewIn, Received, UNANSWERED},
        state::Status,
        status::Shown,
        step::Step,
    },
    report::text::count,
};

/// The exit code when an office cannot be reached or reports a fault: the letters are kept, and can go by mail.
const AWAY: u8 = 3;
/// The exit code when an office is busy, and asks the client to try again later.
const BUSY: u8 = 4;
/// The exit code when an office refuses a request, and would refuse it again.
const DECLINED: u8 = 5;

impl From<Failure> for Answer {
    fn from(failure: Failure) -> Self {
        let mut answer = Self::default();
        for news in failure.news {
            match news {
                News::Letters(letters) => {
                    answer.out.push_str(&received(&letters));
                    answer.talk.extend(letters.said);
                }
                News::Said(line) => answer.talk.push(line),
            }
        }
        answer.talk.extend(failure.why);
        answer.code = match failure.kind {
            Kind::Nothing => 0,
            Kind::Refused => 1,
            Kind::Unable => 2,
            Kind::Away => AWAY,
            Kind::Busy => BUSY,
            Kind::Declined => DECLINED,
        };
        answer
    }
}

/// Converts news to lines that are shown beside an answer.
pub(super) fn news(news: Vec<News>) -> Vec<String> {
    let lines = news.into_iter().flat_map(|news| match news {
        News::Letters(letters) => [vec![received(&letters).trim_end().to_owned()], letters.said].concat(),
        News::Said(line) => vec![line],
    });
    lines.collect()
}

/// Returns letters that are handed over: on standard output, or in the file `out`. If its name ends in `.eml`, the file
/// is a mail with a subject.
pub(super) fn handed(handed: Handed, out: Option<&Path>) -> Result<Answer, Answer> {
    let mut answer = Answer { talk: news(handed.news), ..Answer::default() };
    if let Some(mail) = &handed.mail {
        answer.talk.push(format!("{} (kept in {})", mail.about, mail.kept_in.display()));
        let place = match out {
            None => {
                answer.out = mail.text();
                "the text above".to_owned()
            }
            Some(path) => {
                write(mail, path)?;
                answer.out = mail.dice.iter().map(|opened| format!("{opened}\n")).collect();
                path.display().to_string()
            }
        };
        answer.next = Some(mail.next_step(&place));
    }
    if let Some(status) = &handed.status {
        answer.out = tell(status);
    }
    answer.talk.extend(handed.said);
    Ok(answer)
}

fn write(mail: &Mail, path: &Path) -> Result<(), Answer> {
    let is_mail = path.extension().is_some_and(|ext| ext.eq_ignore_ascii_case("eml"));
    let content = if is_mail { mail.eml() } else { mail.text().into_bytes() };
    Ok(out_file::write(path, &content, "the letters are kept, and `sealed-dice resend` prints them")?)
}

/// Returns a form to fill in.
pub(super) fn form(form: Form) -> Answer {
    let answer = Answer::done(form.text);
    if form.is_secret { answer.saying(FOR_YOU_ALONE) } else { answer }
}

/// The notice beside a text that nobody else may see.
pub(super) const FOR_YOU_ALONE: &str = "for your eyes only; nothing is signed";

/// Returns the result of an exchange with an office, with its notices.
#[cfg(feature = "client")]
pub(super) fn exchanged(exchanged: Exchanged) -> Answer {
    let out = exchanged.status.as_ref().map_or_else(|| received(&exchanged.received), |status| tell(status));
    Answer { talk: [exchanged.received.said, exchanged.said].concat(), ..Answer::done(out) }
}

/// Describes what became of letters that were taken in, and the present state of their games.
pub(super) fn received(received: &Received) -> String {
    let mut out: String = received.games.iter().map(new_in).collect();
    match (received.games.is_empty(), received.known) {
        (_, 0) => {}
        (true, known) => {
            out.push_str(&format!("nothing new: {} known already\n", count(known, "letter")));
        }
        (false, known) => out.push_str(&format!("known already: {known}\n")),
    }
    if !received.listed.is_empty() {
        out.push_str(&format!(
            "not kept, because {UNANSWERED} invitations already wait for your answer. To keep one of these anyway, \
             type\n\u{20}\u{20}sealed-dice read --keep ID MAIL\n\
             or first hide one that waits, with `sealed-dice game forget NAME`:\n"
        ));
        received.listed.iter().for_each(|(id, told)| out.push_str(&format!("  {id}: {told}\n")));
    }
    section(&mut out, "rejected:\n", &received.refused);
    out
}

fn new_in(new: &NewIn) -> String {
    let mut out = format!("new in {}:\n", new.game);
    for letter in &new.letters {
        let number = letter.number.map_or_else(String::new, |number| format!(" {number}"));
        out.push_str(&format!("  {}{number}: {}\n", letter.author, letter.says));
        letter.roster.iter().for_each(|entry| out.push_str(&format!("      {entry}\n")));
    }
    section(&mut out, "", &new.mind);
    out.push('\n');
    out.push_str(&tell(&new.status));
    if !new.alike.is_empty() {
        out.push_str(&format!(
            "NOTE: you have other games with this title: {}. `sealed-dice game list` shows the ids of their terms\n",
            new.alike.join(", ")
        ));
    }
    out
}

fn section(out: &mut String, head: &str, lines: &[String]) {
    if !lines.is_empty() {
        out.push_str(head);
    }
    lines.iter().for_each(|line| out.push_str(&format!("  {line}\n")));
}

fn commands(status: &Status, steps: &[Step]) -> Vec<String> {
    steps.iter().map(|step| step.typed(&status.typing)).collect()
}

/// Returns the commands that are possible besides the move, also those that sign nothing.
fn also(status: &Status) -> Vec<String> {
    let hand = status.has_hand.then(|| status.typing.command("game hand"));
    commands(status, &status.also).into_iter().chain(hand).collect()
}

/// Returns the notes of a status, which begin with the claims that a referee may rule on.
fn notes(status: &Status) -> Vec<String> {
    status.claims.iter().map(|claim| &claim.says).chain(&status.notes).cloned().collect()
}

/// Describes the state of a game, without its keys and its last dice.
fn tell(status: &Status) -> String {
    let mut out = format!("{}: {}\n", status.name, status.described);
    for why in status.blocked.iter().map(|(_, why)| why).chain(&status.ended) {
        out.push_str(&format!("{why}\n"));
    }
    out.push_str(match (status.closed, status.steps.is_empty(), status.waits_for.is_empty()) {
        _ if status.withdrawn => "these terms are withdrawn\n",
        (true, true, _) => "the game is over and closed by both players\n",
        (true, false, _) => {
            "the game is over and closed by both players; to send the letters that the others do not have yet:\n"
        }
        (_, false, _) if status.choice => "your move, one of:\n",
        (_, false, _) if status.carries => "your move (this sends your reply too, in the same mail):\n",
        (_, false, _) => "your move:\n",
        (_, true, false) => "",
        (_, true, true) => "nobody owes anything\n",
    });
    section(&mut out, "", &commands(status, &status.steps));
    section(&mut out, "waiting for:\n", &status.waits_for);
    section(&mut out, "you may also:\n", &also(status));
    section(&mut out, "before you do, note:\n", &status.mind);
    section(&mut out, "if your last mail did not arrive:\n", &commands(status, &status.if_lost));
    section(&mut out, "missing letters:\n", &status.missing);
    section(&mut out, "notes:\n", &notes(status));
    out
}

/// Presents the status of one or several games, as text or as one line of JSON for each.
pub(super) fn shown(shown: &Shown, as_json: bool) -> Answer {
    match shown {
        Shown::One(status, _) if as_json => Answer::done(json_line(&Printed::of(status))),
        Shown::One(status, offers) => {
            let mut out = tell(status);
            let title =
                if status.dice.as_ref().is_none_or(LastDice::has_dice) { "last dice:\n" } else { "latest news:\n" };
            section(&mut out, title, &Vec::from_iter(status.dice.as_ref().map(ToString::to_string)));
            section(&mut out, "keys:\n", &status.keys);
            let beside = count(*offers, "proposal");
            match offers {
                0 => Answer::done(out),
                _ => Answer::done(out)
                    .saying(format!("you also have {beside} from other people: see `sealed-dice game list`")),
            }
        }
        Shown::Several(games) if as_json => {
            Answer::done(games.iter().map(|(_, status)| json_line(&Printed::of(status))).collect())
        }
        Shown::Several(games) => {
            let mut out = String::new();
            for (listing, status) in games {
                out.push_str(&format!("{listing}\n"));
                section(&mut out, "", &commands(status, &status.steps));
            }
            out.push_str(
                "--game NAME says which game a command is about; game status --game NAME shows everything about one \
                 game\n",
            );
            Answer::done(out)
        }
    }
}

/// The status of a game for tools, with steps as the commands that carry them out.
#[derive(Serialize)]
struct Printed<'s> {
    also: Vec<String>,
    begun: bool,
    blocked: Option<&'s str>,
    closed: bool,
    commands: Vec<String>,
    dice: Option<String>,
    ended: Option<&'s str>,
    game: &'s str,
    if_lost: Vec<String>,
    keys: &'s [String],
    mind: &'s [String],
    missing: &'s [String],
    move_of: Vec<&'s str>,
    name: &'s str,
    notes: Vec<String>,
    waits_for: &'s [String],
    withdrawn: bool,
}

impl<'s> Printed<'s> {
    fn of(status: &'s Status) -> Self {
        Self {
            also: commands(status, &status.also),
            begun: status.begun,
            blocked: status.blocked.as_ref().map(|(_, why)| why.as_str()),
            closed: status.closed,
            commands: commands(status, &status.steps),
            dice: status.dice.as_ref().map(ToString::to_string),
            ended: status.ended.as_deref(),
            game: &status.game,
            if_lost: commands(status, &status.if_lost),
            keys: &status.keys,
            mind: &status.mind,
            missing: &status.missing,
            move_of: status.move_of.iter().map(|role| role.as_str()).collect(),
            name: &status.name,
            notes: notes(status),
            waits_for: &status.waits_for,
            withdrawn: status.withdrawn,
        }
    }
}
