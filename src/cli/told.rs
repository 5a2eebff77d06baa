//! What `play` comes to, as text on a terminal: the one place where its values become an answer.

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
        received::{NewIn, Received, UNANSWERED},
        state::Status,
        status::Shown,
        step::Step,
    },
    report::text::count,
};

/// The exit code where an office cannot be reached, or does not do its part: the letters are kept, and mail works.
const AWAY: u8 = 3;
/// The exit code where an office asks to be asked again later.
const BUSY: u8 = 4;
/// The exit code where an office refuses, and would again.
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

/// News as lines beside an answer.
pub(super) fn news(news: Vec<News>) -> Vec<String> {
    let lines = news.into_iter().flat_map(|news| match news {
        News::Letters(letters) => [vec![received(&letters).trim_end().to_owned()], letters.said].concat(),
        News::Said(line) => vec![line],
    });
    lines.collect()
}

/// Letters that are handed over: on standard output, or in the file that was asked for, which is a mail with a subject
/// if its name ends in `.eml`.
pub(super) fn handed(handed: Handed, out: Option<&Path>) -> Result<Answer, Answer> {
    let mut answer = Answer { talk: news(handed.news), ..Answer::default() };
    if let Some(mail) = &handed.mail {
        answer.talk.push(mail.about.clone());
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

/// A file to fill in.
pub(super) fn form(form: Form) -> Answer {
    let answer = Answer::done(form.text);
    if form.is_secret { answer.saying(FOR_YOU_ALONE) } else { answer }
}

/// What is said beside what nobody else may see.
pub(super) const FOR_YOU_ALONE: &str = "for your eyes only; nothing is signed";

/// What an exchange with an office came to.
#[cfg(feature = "client")]
pub(super) fn exchanged(exchanged: Exchanged) -> Answer {
    let out = exchanged.status.as_ref().map_or_else(|| received(&exchanged.received), |status| tell(status));
    Answer { talk: [exchanged.received.said, exchanged.said].concat(), ..Answer::done(out) }
}

/// What became of letters, and how the games stand now.
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
            "MIND: you have other games with this title: {}. `sealed-dice game list` shows the ids of their terms\n",
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

/// How a game stands, without whose key is whose.
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
    section(&mut out, "you may also:\n", &commands(status, &status.also));
    section(&mut out, "before you do, note:\n", &status.mind);
    section(&mut out, "if your last mail did not arrive:\n", &commands(status, &status.if_lost));
    section(&mut out, "missing letters:\n", &status.missing);
    section(&mut out, "notes:\n", &status.notes);
    out
}

/// How the games stand that a player may mean: for people, or a line of JSON for each.
pub(super) fn shown(shown: &Shown, as_json: bool) -> Answer {
    match shown {
        Shown::One(status, _) if as_json => Answer::done(json_line(&Printed::of(status))),
        Shown::One(status, offers) => {
            let mut out = tell(status);
            section(&mut out, "last dice:\n", &Vec::from_iter(status.dice.as_ref().map(ToString::to_string)));
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

/// A status for tools: steps as the commands that do them.
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
    notes: &'s [String],
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
            notes: &status.notes,
            waits_for: &status.waits_for,
            withdrawn: status.withdrawn,
        }
    }
}
