//! The mail that a verb hands over: the letters that it includes, and the text above them.

use std::collections::HashSet;

use super::{
    failure::PlayResult,
    handed::{AtOffice, Handed, Mail},
    locked::Locked,
    table::{Stage, Table},
};
use crate::{
    blob::{Body, Head, Hex32, body::Role},
    game::{ledger::Ledger, node::Node, order::Order, terms::Author},
    keep::folder::Stored,
    report::{
        description::Told,
        text::{count, visible},
        words,
    },
};

/// The explanation in a mail for a reader who has never heard of the program.
pub(super) const EXPLAINS: &str = "\
The blocks below are signed dice for a wargame by mail: do not change them.
The free program sealed-dice reads them. Anybody who has the mails can check
the whole game, even in a browser.
";

impl Locked {
    /// Returns the mail with this party's letters: those with `numbers`, or all that the others may not have. An answer
    /// to a party that has restored its folder comes with every letter in this folder.
    pub(super) fn mail(&self, numbers: Option<&[u64]>) -> PlayResult<Handed> {
        self.settle()?;
        let known = self.known_to_other();
        let numbered = numbers.is_some();
        let numbers: Option<HashSet<u64>> = numbers.map(|numbers| numbers.iter().copied().collect());
        let wanted = |head: &Head| {
            head.author == self.role
                && numbers.as_ref().map_or(head.number > known, |numbers| numbers.contains(&head.number))
        };
        let mut letters: Vec<&Stored> = self.stored.iter().filter(|letter| wanted(letter.message.head())).collect();
        if self.is_withdrawn() {
            letters = self.withdrawal().filter(|_| self.is_mine()).collect();
        }
        // A party that asks for letters gets them all, until it has signed again (keys 5).
        let answers = if numbered { Vec::new() } else { self.unread_answers() };
        if !answers.is_empty() {
            letters = self.numbered().chain(answers).collect();
        }
        if let (Stage::Begun(_), false) = (self.stage, numbered) {
            letters.extend(self.look(|_, ledger| Ok(self.unconfirmed(ledger)))?);
            if self.me == Author::Office {
                let rests_on =
                    self.with_order(|order| order.map_or_else(Vec::new, |order| self.rests_on(order, &letters)));
                letters.extend(rests_on);
            }
        }
        letters.sort_by_key(|letter| (letter.message.head().author != self.role, letter.message.head().number));
        let mut once = HashSet::new();
        letters.retain(|letter| once.insert(letter.message.id()));
        self.mail_of(letters)
    }

    /// Returns the mail with every letter of the game, by any author.
    pub(super) fn mail_everything(&self) -> PlayResult<Handed> {
        let mut letters: Vec<&Stored> = self.numbered().collect();
        letters.sort_by_key(|letter| (letter.message.head().author != self.role, letter.message.head().number));
        self.mail_of(letters)
    }
}

impl Table {
    /// Returns the letters that an office sends along with its own: all that these rest on, except those that everybody
    /// is known to have (office 17). So a reader of an opening also has the declaration.
    fn rests_on<'t>(&'t self, order: &Order, letters: &[&Stored]) -> Vec<&'t Stored> {
        let nodes = || order.nodes.iter();
        let given: Vec<&Node> =
            nodes().filter(|node| letters.iter().any(|letter| letter.message.id() == node.id())).collect();
        let others = || self.terms.authors().map(|(author, _)| author).filter(|author| *author != self.me);
        let has = |author: Author, letter: &Node| {
            author == letter.author || nodes().any(|node| node.author == author && node.has_in_past(letter))
        };
        let wanted = nodes().filter(|letter| {
            letter.author != self.me
                && given.iter().any(|node| node.has_in_past(letter))
                && !others().all(|author| has(author, letter))
        });
        let wanted: HashSet<Hex32> = wanted.map(Node::id).collect();
        self.numbered().filter(|letter| wanted.contains(&letter.message.id())).collect()
    }

    fn numbered(&self) -> impl Iterator<Item = &Stored> {
        self.stored.iter().filter(|letter| !letter.message.head().is_unnumbered())
    }

    /// Returns the numbers of all letters by this party.
    pub(super) fn every_number(&self) -> Vec<u64> {
        let mine = self.numbered().map(|letter| letter.message.head()).filter(|head| head.author == self.role);
        mine.map(|head| head.number).collect()
    }

    fn mail_of(&self, letters: Vec<&Stored>) -> PlayResult<Handed> {
        if letters.is_empty() {
            return Ok(Handed::default().saying(format!(
                "nothing to mail: all your letters are known to have reached {}; to print one again, type `sealed-dice \
                 resend NUMBER`",
                self.their_names()
            )));
        }
        let (cover, dice) = match self.stage {
            Stage::Begun(_) => {
                self.look(|_, ledger| Ok((self.cover(&letters, Some(ledger)), dice(&letters, ledger))))?
            }
            Stage::Proposed => (self.cover(&letters, None), Vec::new()),
        };
        let about = format!("{} for {}", count(letters.len(), "letter"), self.their_names());
        let mut handed = self.under(cover, &letters, about);
        if let Some(mail) = &mut handed.mail {
            mail.dice = dice;
        }
        Ok(handed)
    }

    /// Returns a mail with a cover above letters.
    pub(super) fn under(&self, cover: String, letters: &[&Stored], about: String) -> Handed {
        let mail = Mail {
            to: self.their_names(),
            subject: self.subject(letters),
            cover,
            letters: letters.iter().map(|letter| letter.armour()).collect(),
            dice: Vec::new(),
            about,
            kept_in: self.folder.letters_path(),
            office: self.at_office(letters),
        };
        Handed { mail: Some(mail), ..Handed::default() }
    }

    /// Returns whether the office has this party's letters among these; `None` if letters do not go through an office.
    fn at_office(&self, letters: &[&Stored]) -> Option<AtOffice> {
        let heads = letters.iter().map(|letter| letter.message.head());
        let mut left = heads.filter(|head| head.author == self.role).filter_map(|head| self.has_left(head)).peekable();
        left.peek()?;
        Some(match left.all(|left| left) {
            false => AtOffice::Lacks(self.typing.command("office push")),
            true => AtOffice::Has,
        })
    }

    /// Returns the number of this party's last letter that every other party has, as their letters show.
    pub(super) fn known_to_other(&self) -> u64 {
        self.others().map(|(role, _)| self.known_to(role)).min().unwrap_or(0)
    }

    /// Returns the number of this party's last letter that the role `other` has, as its letters show.
    pub(super) fn known_to(&self, other: &Role) -> u64 {
        let number =
            |id| self.stored.iter().find(|letter| letter.message.id() == id).map(|letter| letter.message.head().number);
        let theirs = self.stored.iter().map(|letter| letter.message.head()).filter(|head| head.author == *other);
        theirs.filter_map(|head| head.seen.get(&self.role)).filter_map(number).max().unwrap_or(0)
    }

    /// Writes the text above the letters, for the reader of the mail.
    fn cover(&self, letters: &[&Stored], ledger: Option<&Ledger<'_>>) -> String {
        let mut out = format!(
            "{} to {}, {:?}. Read this mail at your desk, or with: sealed-dice read\n{EXPLAINS}\n",
            self.role,
            self.their_names(),
            visible(&self.terms.charter.title),
        );
        for letter in letters {
            let head = letter.message.head();
            let whose = if head.author == self.role { String::new() } else { format!("{} ", head.author) };
            let number = match head.number {
                0 => String::new(),
                number => format!("letter {number}: "),
            };
            out.push_str(&format!("  {whose}{number}{}\n", words::without_notes(&letter.message, ledger)));
        }
        out
    }

    /// Writes the subject of a mail with letters.
    fn subject(&self, letters: &[&Stored]) -> String {
        let numbers = letters.iter().map(|letter| letter.message.head()).filter(|head| head.author == self.role);
        let numbers: Vec<u64> = numbers.map(|head| head.number).filter(|number| *number > 0).collect();
        let range = match numbers.as_slice() {
            [first, .., last] => format!("{first}-{last}"),
            [one] => one.to_string(),
            [] => String::new(),
        };
        format!("{}: {} {range}", visible(&self.terms.charter.title), self.role)
    }
}

/// Describes the letters that open dice.
fn dice(letters: &[&Stored], ledger: &Ledger<'_>) -> Vec<Told> {
    let messages = letters.iter().map(|letter| &letter.message);
    let opening = messages.filter(|message| matches!(message.body(), Body::Reveal(_)));
    opening.map(|message| words::without_notes(message, Some(ledger))).filter(|told| !told.lines.is_empty()).collect()
}
