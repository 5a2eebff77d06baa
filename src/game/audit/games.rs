//! Sorting the available letters into games (`protocol/audit.md` 2, 7 to 10).

use std::collections::{BTreeMap, BTreeSet};

use super::report::{Report, ReportedFinding};
use crate::{
    blob::{
        Body, Keys, Kind, Verified,
        armour::{self, Blob},
        body::Hex32,
        message::Refusal,
    },
    error::{Class, Error, Result},
    game::{
        runs::Supplied,
        terms::{Author, Terms},
    },
    rule::Rule,
};

/// A blob found in a transcript: its place, and its letter or the reason for its refusal.
///
/// # Examples
///
/// ```
/// use sealed_dice::{error::Class, game::audit::Read};
///
/// let cut_off = "Dear Ann,\n-----BEGIN SEALED DICE MESSAGE-----\nYWJj\n";
/// let read = Read::all(cut_off.as_bytes(), "Monday's mail");
/// assert_eq!(read[0].place, "Monday's mail, line 2");
/// assert_eq!(read[0].letter.as_ref().map_err(|refusal| refusal.error.class()), Err(Class::Armour));
/// ```
#[derive(Clone, Debug)]
pub struct Read {
    /// The file and line, for people.
    pub place: String,
    /// The letter, or why it was refused.
    pub letter: Result<Verified, Refusal>,
}

impl Read {
    /// Reads every letter in a text, including refused ones, and ignores the text around their marks
    /// (`protocol/armour.md`). `place` is the name of the text for people. For mails with attachments, use `mail`.
    #[must_use]
    pub fn all(text: &[u8], place: &str) -> Vec<Self> {
        let keys = Keys::default();
        let read = |blob: Blob| Self {
            place: format!("{place}, line {}", blob.line),
            letter: blob.frame.map_err(Refusal::from).and_then(|frame| Verified::open(&frame, &keys)),
        };
        armour::find(text).into_iter().map(read).collect()
    }
}

/// The available letters, sorted into games.
#[derive(Default)]
pub struct Games<'a> {
    charters: BTreeMap<Hex32, (&'a Verified, Result<Terms>)>,
    /// The accepts of each charter.
    accepts: BTreeMap<Hex32, BTreeSet<Hex32>>,
    /// The placed accepts of each charter that has several (chain 9).
    pub(super) rivals: BTreeMap<Hex32, BTreeSet<Hex32>>,
    /// Accepts by a referee or an office, by charter and their own id.
    third: BTreeMap<(Hex32, Hex32), &'a Verified>,
    pub(super) games: BTreeMap<Hex32, Game<'a>>,
    /// Started games that continue another game, by the game they continue (audit 11).
    continuing: BTreeMap<Hex32, BTreeSet<Hex32>>,
    pub(super) stray: Stray<'a>,
    /// Tables supplied from outside for runs.
    pub(super) supplied: Supplied,
}

impl<'a> Games<'a> {
    /// Sorts the letters that were read. Copies of a letter count once; the same text under another key is a different
    /// letter and is judged separately (message 4).
    #[must_use]
    pub fn sort(read: &'a [Read]) -> Self {
        let mut games = Self::default();
        let mut once: Vec<(&Verified, &str)> = Vec::with_capacity(read.len());
        for Read { place, letter } in read {
            match letter {
                Ok(message) => once.push((message, place)),
                Err(refusal) => games.stray.refused.push((place, refusal)),
            }
        }
        // A stable sort: a letter with several copies is reported at the first place.
        once.sort_by_key(|(message, _)| (message.id(), message.key()));
        once.dedup_by_key(|(message, _)| (message.id(), message.key()));
        let of_kind = |kind| once.iter().filter(move |(message, _)| message.head().kind == kind);
        of_kind(Kind::Charter).for_each(|(message, place)| games.take_charter(message, place));
        of_kind(Kind::Accept).for_each(|(message, place)| games.take_accept(message, place));
        games.rivals = games.rivals();
        games.continuing = games.continuing();
        for (message, _) in &once {
            let head = message.head();
            // Unnumbered messages are in no chain (message 9).
            if let (Some(game), false) = (head.game, head.kind == Kind::Accept || head.is_unnumbered()) {
                games.games.entry(game).or_default().letters.push(message);
            }
        }
        games
    }

    /// Adds tables that charters withhold (hidden 8).
    #[must_use]
    pub fn supplied(mut self, tables: Supplied) -> Self {
        self.supplied = tables;
        self
    }

    fn take_charter(&mut self, message: &'a Verified, place: &'a str) {
        match Terms::parse(message) {
            Err(error) if error.class() == Class::Game => self.stray.strangers.push((message, place, error)),
            terms => drop(self.charters.insert(message.id(), (message, terms))),
        }
    }

    fn take_accept(&mut self, message: &'a Verified, place: &'a str) {
        let Some(charter) = message.head().game else { return };
        if let Some((_, Ok(terms))) = self.charters.get(&charter) {
            match check_acceptor(terms, message) {
                Err(error) => {
                    self.stray.strangers.push((message, place, error));
                    return;
                }
                Ok(Author::Referee | Author::Office) => {
                    self.third.insert((charter, message.id()), message);
                    return;
                }
                Ok(Author::Player(_)) => drop(self.accepts.entry(charter).or_default().insert(message.id())),
            }
        }
        self.games.entry(message.id()).or_default().accept = Some((message, charter));
        self.stray.accepted.insert(charter);
    }

    /// Returns the accepts by the referee and the office that the opponent's accept names.
    pub(super) fn third_parties(
        &self,
        terms: &'a Terms,
        accept: &'a Verified,
    ) -> impl Iterator<Item = (Author, &'a Verified)> {
        let third = terms.authors().filter(|(author, _)| author.player().is_none());
        third.filter_map(|(author, role)| {
            let named = accept.head().seen.get(role)?;
            let accept = self.third.get(&(terms.id, named)).filter(|accept| accept.head().author == *role)?;
            Some((author, *accept))
        })
    }

    /// Returns the placed accepts of each charter that has several, computed once because each of them begins a game.
    fn rivals(&self) -> BTreeMap<Hex32, BTreeSet<Hex32>> {
        let several = self.accepts.iter().filter(|(_, rivals)| rivals.len() > 1);
        let placed = several.filter_map(|(charter, rivals)| {
            let Some((_, Ok(terms))) = self.charters.get(charter) else { return None };
            let accepts = rivals.iter().filter_map(|id| self.games.get(id)?.accept);
            let placed = accepts.filter(|(accept, _)| self.is_placed(terms, accept)).map(|(accept, _)| accept.id());
            Some((*charter, placed.collect::<BTreeSet<_>>()))
        });
        placed.filter(|(_, placed)| placed.len() > 1).collect()
    }

    /// Whether everything that an accept names is available (chain 4).
    fn is_placed(&self, terms: &Terms, accept: &Verified) -> bool {
        // The accept of a third party is placed if it names only the charter.
        let third = self.third_parties(terms, accept).map(|(_, third)| third);
        let third = third.filter(|third| third.names().iter().all(|id| *id == terms.id)).map(Verified::id);
        let placed: Vec<Hex32> = third.chain([terms.id]).collect();
        accept.names().into_iter().all(|id| placed.contains(&id))
    }

    /// Returns the started games that continue another game, by the game they continue.
    fn continuing(&self) -> BTreeMap<Hex32, BTreeSet<Hex32>> {
        let mut continuing: BTreeMap<Hex32, BTreeSet<Hex32>> = BTreeMap::new();
        for (id, game) in &self.games {
            if let Some(continues) = game.begun(self, *id).ok().and_then(|begun| begun.terms.charter.continues.as_ref())
            {
                continuing.entry(continues.game).or_default().insert(*id);
            }
        }
        continuing
    }

    /// Returns the games that continue a given game, ascending.
    pub(super) fn that_continue(&self, game: &Hex32) -> impl Iterator<Item = Hex32> {
        self.continuing.get(game).into_iter().flatten().copied()
    }

    /// Returns a game that has started, with its terms and accepts checked.
    pub(super) fn begun(&self, id: &Hex32) -> Option<Begun<'_, 'a>> {
        self.games.get(id).and_then(|game| game.begun(self, *id).ok())
    }

    /// Returns the charters that nobody accepted.
    pub(super) fn unaccepted(&self) -> impl Iterator<Item = &(&'a Verified, Result<Terms>)> {
        let charters = self.charters.iter().filter(|(id, _)| !self.stray.accepted.contains(id));
        charters.map(|(_, charter)| charter)
    }
}

/// Checks that an accept is signed by the other party of its charter, by the referee or by the office (message 13).
fn check_acceptor(terms: &Terms, accept: &Verified) -> Result<Author> {
    let author = terms.author_of(&accept.head().author);
    match author.filter(|author| terms.key_of(*author) == Some(accept.key())) {
        Some(author) if author != Author::Player(terms.author) => Ok(author),
        _ => Err(Error::malformed(
            Class::Game,
            "the accept is not signed by the opponent, the referee or the office that the charter lists",
        )),
    }
}

/// The letters of one game, its accept if that is available, and the id of its charter.
#[derive(Default)]
pub struct Game<'a> {
    accept: Option<(&'a Verified, Hex32)>,
    letters: Vec<&'a Verified>,
}

impl<'a> Game<'a> {
    /// Returns the terms and accepts with which the game begins, or the report on a game that did not begin.
    pub(super) fn begun<'g>(&'g self, games: &'g Games<'a>, id: Hex32) -> Result<Begun<'g, 'a>, Box<Report>> {
        let letters = self.letters.as_slice();
        let Some((accept, charter)) = self.accept else {
            return Err(Box::new(Report::without(id, id, letters.iter().copied())));
        };
        match games.charters.get(&charter) {
            None => Err(Box::new(Report::without(id, charter, [accept].into_iter()))),
            Some((letter, Err(error))) => {
                Err(Box::new(Report::in_breach(id, String::new(), ReportedFinding::of_author(letter, error))))
            }
            Some((letter, Ok(terms))) => match check_accepts(terms, accept, games.third_parties(terms, accept)) {
                Err((accept, error)) => {
                    let title = terms.charter.title.clone();
                    Err(Box::new(Report::in_breach(id, title, ReportedFinding::of_author(accept, &error))))
                }
                Ok(()) => Ok(Begun { terms, charter: letter, accept, letters }),
            },
        }
    }
}

/// A game whose charter and accepts are available and break no rule.
pub(super) struct Begun<'g, 'a> {
    pub(super) terms: &'g Terms,
    pub(super) charter: &'a Verified,
    pub(super) accept: &'a Verified,
    pub(super) letters: &'g [&'a Verified],
}

/// Checks charter 12 and 16, also for the accepts of the referee and the office if these are available.
fn check_accepts<'v>(
    terms: &Terms,
    accept: &'v Verified,
    third: impl Iterator<Item = (Author, &'v Verified)>,
) -> Result<(), (&'v Verified, Error)> {
    for (author, by) in third {
        let expected = terms.seen_by(author).map(|role| {
            let charter = role == terms.role(terms.author);
            (role, charter.then_some(terms.id))
        });
        let named = matches!(by.body(), Body::Accept(body) if body.charter == terms.id);
        if !named || by.head().seen.iter().ne(expected) {
            let text = format!("the accept from {} does not name the charter that it accepts", by.head().author);
            return Err((by, Error::breach(Rule::Charter16, text)));
        }
    }
    terms.check_accept(accept).map_err(|error| (accept, error))
}

/// Everything that belongs to no available game, and the charters that were accepted.
#[derive(Default)]
pub(super) struct Stray<'a> {
    pub(super) refused: Vec<(&'a str, &'a Refusal)>,
    pub(super) strangers: Vec<(&'a Verified, &'a str, Error)>,
    accepted: BTreeSet<Hex32>,
}

impl Stray<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.refused.is_empty() && self.strangers.is_empty()
    }
}
