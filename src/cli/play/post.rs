//! The mail that a verb hands over: which letters go into it, what stands above them, and where it is written.

use std::collections::HashSet;

use super::{
    locked::Locked,
    sign::Signing,
    table::{Stage, Table},
};
use crate::cli::answer::{Answer, Told};
use crate::{
    blob::{Head, Hex32, body::Role},
    cli::{out_file, terminal},
    game::{ledger::Ledger, node::Node, order::Order, terms::Author},
    keep::folder::Stored,
    mail::write::{self, Outgoing},
    report::{text::count, words},
};

impl Locked {
    /// The mail with this party's letters: those of certain numbers, or all that the others are not known to have. With an
    /// answer to a restored folder goes every letter at hand.
    pub(super) fn mail(&self, signing: &Signing, numbers: Option<&[u64]>) -> Told<Answer> {
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
        self.mail_of(signing, letters)
    }

    /// The mail with every letter of the game, of whomever.
    pub(super) fn mail_everything(&self, signing: &Signing) -> Told<Answer> {
        let mut letters: Vec<&Stored> = self.numbered().collect();
        letters.sort_by_key(|letter| (letter.message.head().author != self.role, letter.message.head().number));
        self.mail_of(signing, letters)
    }
}

impl Table {
    /// What an office gives along with its letters, so that whoever has an opening has the declaration: all that they rest on,
    /// but what everybody is known to have (office 17).
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

    fn mail_of(&self, signing: &Signing, letters: Vec<&Stored>) -> Told<Answer> {
        if letters.is_empty() {
            return Ok(Answer::done(String::new()).saying(format!(
                "nothing to mail: all your letters are known to have reached {}; `sealed-dice resend NUMBER` prints one again",
                self.their_names()
            )));
        }
        let cover = match self.stage {
            Stage::Begun(_) => self.look(|_, ledger| Ok(self.cover(&letters, Some(ledger))))?,
            Stage::Proposed => self.cover(&letters, None),
        };
        let talk = format!(
            "{} for {}, kept in {}",
            count(letters.len(), "letter"),
            self.their_names(),
            self.folder.letters_path().display()
        );
        self.write_out(signing, &letters, cover, &talk)
    }

    /// Letters under their cover, on standard output or in the file that was asked for.
    pub(super) fn write_out(&self, signing: &Signing, letters: &[&Stored], cover: String, talk: &str) -> Told<Answer> {
        let armours: Vec<String> = letters.iter().map(|letter| letter.armour()).collect();
        let text = || format!("{cover}\n{}", armours.join("\n"));
        let next = |mail: &str| Some(self.next_step(letters, mail));
        let Some(path) = &signing.out else {
            return Ok(Answer { next: next("the text above"), ..Answer::done(text()).saying(talk) });
        };
        let is_mail = path.extension().is_some_and(|ext| ext.eq_ignore_ascii_case("eml"));
        let content = if is_mail { self.eml(letters, cover, armours) } else { text().into_bytes() };
        out_file::write(path, &content, "the letters are kept, `sealed-dice resend` prints them")?;
        Ok(Answer { next: next(&path.display().to_string()), ..Answer::done(String::new()).saying(talk) })
    }

    /// What to do with letters: they are mailed, or left at the office that they go through.
    fn next_step(&self, letters: &[&Stored], mail: &str) -> String {
        let heads = letters.iter().map(|letter| letter.message.head());
        let mut left = heads.filter(|head| head.author == self.role).filter_map(|head| self.has_left(head)).peekable();
        match (left.peek().is_some(), left.all(|left| left)) {
            (false, _) => format!("mail {mail}"),
            (true, false) => {
                format!("leave it at the office:  {}  (or mail {mail})", self.typing.command("office push"))
            }
            (true, true) => format!("the office has it already; mail {mail} to whoever does not look there"),
        }
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
            "{} to {}, {:?}. Take this mail in with: sealed-dice read\n\n",
            self.role,
            self.their_names(),
            terminal::visible(&self.terms.charter.title),
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

    /// A file that a mail program opens as a draft: it fills in who sends it to whom, and when.
    fn eml(&self, letters: &[&Stored], cover: String, armours: Vec<String>) -> Vec<u8> {
        let numbers = letters.iter().map(|letter| letter.message.head()).filter(|head| head.author == self.role);
        let numbers: Vec<u64> = numbers.map(|head| head.number).filter(|number| *number > 0).collect();
        let range = match numbers.as_slice() {
            [first, .., last] => format!("{first}-{last}"),
            [one] => one.to_string(),
            [] => String::new(),
        };
        let subject = format!("{}: {} {range}", terminal::visible(&self.terms.charter.title), self.role);
        write::eml(&Outgoing { subject, cover, letters: armours, ..Outgoing::default() })
    }
}
