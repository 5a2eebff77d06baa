//! The mail that a verb hands over: which letters go into it, what stands above them, and where it is written.

use std::collections::HashSet;

use super::{
    failure::PlayResult,
    handed::{AtOffice, Handed, Mail},
    locked::Locked,
    table::{Stage, Table},
};
use crate::{
    blob::{Head, Hex32, body::Role},
    game::{ledger::Ledger, node::Node, order::Order, terms::Author},
    keep::folder::Stored,
    report::{
        text::{count, visible},
        words,
    },
};

/// What a mail says of itself, to somebody who has never heard of the program.
pub(super) const EXPLAINS: &str = "\
The blocks below are signed dice of a wargame by mail: leave them as they are.
The free program sealed-dice reads them, and anybody who has the mails can
check the whole game, in a browser too.
";

impl Locked {
    /// The mail with this party's letters: those of certain numbers, or all that the others are not known to have. With
    /// an answer to a restored folder goes every letter at hand.
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
        // Whoever asks what is held gets it all, until they have signed again (keys 5).
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

    /// The mail with every letter of the game, of whomever.
    pub(super) fn mail_everything(&self) -> PlayResult<Handed> {
        let mut letters: Vec<&Stored> = self.numbered().collect();
        letters.sort_by_key(|letter| (letter.message.head().author != self.role, letter.message.head().number));
        self.mail_of(letters)
    }
}

impl Table {
    /// What an office gives along with its letters, so that whoever has an opening has the declaration: all that they
    /// rest on, but what everybody is known to have (office 17).
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

    /// The numbers of all letters of this party.
    pub(super) fn every_number(&self) -> Vec<u64> {
        let mine = self.numbered().map(|letter| letter.message.head()).filter(|head| head.author == self.role);
        mine.map(|head| head.number).collect()
    }

    fn mail_of(&self, letters: Vec<&Stored>) -> PlayResult<Handed> {
        if letters.is_empty() {
            return Ok(Handed::default().saying(format!(
                "nothing to mail: all your letters are known to have reached {}; `sealed-dice resend NUMBER` prints one again",
                self.their_names()
            )));
        }
        let cover = match self.stage {
            Stage::Begun(_) => self.look(|_, ledger| Ok(self.cover(&letters, Some(ledger))))?,
            Stage::Proposed => self.cover(&letters, None),
        };
        let about = format!(
            "{} for {}, kept in {}",
            count(letters.len(), "letter"),
            self.their_names(),
            self.folder.letters_path().display()
        );
        Ok(self.under(cover, &letters, about))
    }

    /// Letters under their cover.
    pub(super) fn under(&self, cover: String, letters: &[&Stored], about: String) -> Handed {
        let mail = Mail {
            to: self.their_names(),
            subject: self.subject(letters),
            cover,
            letters: letters.iter().map(|letter| letter.armour()).collect(),
            about,
            kept_in: self.folder.letters_path(),
            office: self.at_office(letters),
        };
        Handed { mail: Some(mail), ..Handed::default() }
    }

    /// What the office has of letters that go through it.
    fn at_office(&self, letters: &[&Stored]) -> Option<AtOffice> {
        let heads = letters.iter().map(|letter| letter.message.head());
        let mut left = heads.filter(|head| head.author == self.role).filter_map(|head| self.has_left(head)).peekable();
        left.peek()?;
        Some(match left.all(|left| left) {
            false => AtOffice::Lacks(self.typing.command("office push")),
            true => AtOffice::Has,
        })
    }

    /// The last of this party's letters that the letters of all others show them to have.
    pub(super) fn known_to_other(&self) -> u64 {
        self.others().map(|(role, _)| self.known_to(role)).min().unwrap_or(0)
    }

    /// The last of this party's letters that the letters of one role show them to have.
    pub(super) fn known_to(&self, other: &Role) -> u64 {
        let number =
            |id| self.stored.iter().find(|letter| letter.message.id() == id).map(|letter| letter.message.head().number);
        let theirs = self.stored.iter().map(|letter| letter.message.head()).filter(|head| head.author == *other);
        theirs.filter_map(|head| head.seen.get(&self.role)).filter_map(number).max().unwrap_or(0)
    }

    /// What stands above the letters, for the one who reads the mail.
    fn cover(&self, letters: &[&Stored], ledger: Option<&Ledger<'_>>) -> String {
        let mut out = format!(
            "{} to {}, {:?}. Take this mail in with: sealed-dice read\n{EXPLAINS}\n",
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
            out.push_str(&format!("  {whose}{number}{}\n", words::of(&letter.message, ledger)));
        }
        out
    }

    /// What a mail with letters is about.
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
