//! `read`: takes letters in from mails, one's own sent ones too, and says what is new, what is damaged and what to ask for.

use std::{
    collections::{BTreeMap, HashSet},
    path::PathBuf,
    rc::Rc,
};

use super::{Answer, Stage, Table, Told, folders, game::folder_name, status};
use crate::{
    blob::{Body, Hex32, Kind, Verified},
    cli::{audit::NO_LETTER, terminal::visible},
    game::{
        charter::{Author, Terms},
        ledger::Ledger,
    },
    keep::{
        folder::{Folder, Lock, Stored},
        home::Home,
        key_ring::KeyRing,
        points::point,
    },
    mail::{self, Find},
    report::{text::damage, words},
};

/// What became of the letters of a mail.
#[derive(Default)]
struct Taken {
    /// New letters, by game.
    new: BTreeMap<String, Vec<Hex32>>,
    /// Letters that were there already.
    known: u64,
    /// Lines about what could not be taken in.
    refused: Vec<String>,
}

/// `read`.
pub(in crate::cli) fn run(home: &Home, paths: &[PathBuf]) -> Told<Answer> {
    // What would keep the letters from being kept is said before any mail is read.
    KeyRing::open(home)?;
    let (letters, refused, talk) = found(paths)?;
    let mut intake = Intake { taken: Taken { refused, ..Taken::default() }, talk, ..Intake::default() };
    intake.take(home, letters)?;
    let mut answer = intake.tell(home)?;
    // What an office has opened meanwhile, nobody answers by mail.
    answer.talk.extend(super::news(home)?);
    Ok(answer)
}

/// Letters that are taken in, from wherever they come: what is new is told once, when no more come.
#[derive(Default)]
pub(super) struct Intake {
    taken: Taken,
    /// What there is to say beside what is new.
    pub(super) talk: Vec<String>,
    /// Games that cannot be read.
    damaged: Vec<String>,
    /// The games that letters are added to, from the first one until all is told.
    locks: Vec<Rc<Lock>>,
}

#[cfg(feature = "office")]
impl super::locked::Locked {
    /// Letters are taken in for this game, and others.
    pub(super) fn intake(&self) -> Intake {
        Intake { locks: vec![Rc::clone(&self.lock)], ..Intake::default() }
    }
}

impl Intake {
    /// Takes letters in.
    pub(super) fn take(&mut self, home: &Home, mut letters: Placed) -> Told<()> {
        let keys: Vec<Hex32> = KeyRing::open(home)?.publics().collect();
        // A letter may stand before the charter or the accept that it belongs to, so these go first.
        letters.sort_by_key(|(_, letter)| match letter.message.head().kind {
            Kind::Charter => 0,
            Kind::Accept => 1,
            _ => 2,
        });
        let (mut tables, damaged) = Table::all(home)?;
        self.damaged = damaged;
        for (place, letter) in letters {
            let refused = |answer: Answer| answer.talk.into_iter().map(|why| format!("{}: {why}", visible(&place)));
            match self.take_one(home, &keys, &mut tables, &place, letter) {
                // Another command works in its game: the others go on.
                Err(answer) if answer.code == 2 => self.taken.refused.extend(refused(answer)),
                taken => taken?,
            }
        }
        Ok(())
    }

    /// Takes a game for this process, and reads it again.
    fn lock(&mut self, home: &Home, keys: &[Hex32], table: &mut Table) -> Told<Rc<Lock>> {
        if let Some(lock) = self.locks.iter().find(|lock| *lock.folder() == table.folder) {
            return Ok(Rc::clone(lock));
        }
        point("found");
        let lock = Rc::new(table.folder.lock()?);
        *table = Table::open(home, table.folder.clone(), keys)?;
        self.locks.push(Rc::clone(&lock));
        Ok(lock)
    }

    /// Takes terms in, which are a game of their own.
    fn take_terms(
        &mut self,
        home: &Home,
        keys: &[Hex32],
        tables: &mut Vec<Table>,
        place: &str,
        letter: &Stored,
    ) -> Told<()> {
        let message = &letter.message;
        let terms = match Terms::parse(message) {
            Ok(terms) => terms,
            Err(error) => {
                self.taken.refused.push(format!("{place}: {}", visible(&error.to_string())));
                return Ok(());
            }
        };
        if !Author::ALL.iter().any(|author| terms.key_of(*author).is_some_and(|key| keys.contains(&key))) {
            let title = visible(&terms.charter.title);
            self.taken.refused.push(format!("{place}: the terms of {title:?} are between two other players"));
            return Ok(());
        }
        point("found");
        let _home = home.lock()?;
        // Terms whose file was damaged go back to their game.
        let folder = match folders(home)?.into_iter().find(|folder| folder.has_kept(message)) {
            Some(folder) => folder,
            None => Folder::create(&home.games().join(folder_name(home, &terms.charter.title)))?,
        };
        let lock = Rc::new(folder.lock()?);
        lock.keep(message, &letter.frame)?;
        point("kept");
        note(&mut self.taken, &folder.name(), letter);
        tables.push(Table::open(home, folder, keys)?);
        self.locks.push(lock);
        Ok(())
    }

    fn take_one(
        &mut self,
        home: &Home,
        keys: &[Hex32],
        tables: &mut Vec<Table>,
        place: &str,
        letter: Stored,
    ) -> Told<()> {
        let message = &letter.message;
        if message.head().kind == Kind::Charter && !tables.iter().any(|table| table.terms.id == message.id()) {
            return self.take_terms(home, keys, tables, place, &letter);
        }
        let Some(table) = tables.iter_mut().find(|table| table.owns(message)) else {
            self.taken.refused.push(format!(
                "{}: letter {} of {} belongs to no game here; read the mail with its terms and their acceptance first",
                visible(place),
                message.head().number,
                message.head().author
            ));
            return Ok(());
        };
        if table.holds(message) {
            self.taken.known += 1;
            return Ok(());
        }
        let lock = self.lock(home, keys, table)?;
        if table.holds(message) {
            self.taken.known += 1;
            return Ok(());
        }
        if matches!(message.body(), Body::Deposit(_)) && !table.is_for_me(message) {
            return Ok(());
        }
        if let Err(error) = table.check_key(message) {
            self.taken.refused.push(format!("{}: {}", visible(place), visible(&error.to_string())));
            return Ok(());
        }
        lock.keep(message, &letter.frame)?;
        point("kept");
        note(&mut self.taken, &table.name(), &letter);
        let by_opponent = message.head().author == *table.terms.role(table.terms.author.other());
        if let (Body::Accept(_), Stage::Proposed, true) = (message.body(), table.stage, by_opponent) {
            table.stage = Stage::Begun(message.id());
        }
        table.stored.push(letter);
        Ok(())
    }

    /// Says what is new, and how the games stand now.
    pub(super) fn tell(self, home: &Home) -> Told<Answer> {
        let keys: Vec<Hex32> = KeyRing::open(home)?.publics().collect();
        let mut answer = Answer::done(tell(home, &keys, &self.taken)?);
        answer.talk.extend(self.talk);
        answer.talk.extend(self.damaged);
        answer.code = if self.taken.refused.is_empty() { 0 } else { 2 };
        Ok(answer)
    }
}

/// Letters with the places where they stood.
pub(super) type Placed = Vec<(String, Stored)>;

/// The letters of mails, what is damaged among them, and what there is to say.
fn found(paths: &[PathBuf]) -> Told<(Placed, Vec<String>, Vec<String>)> {
    let (mut letters, mut refused) = (Vec::new(), Vec::new());
    let talk = mail::finds(paths, &mut |Find { place, frame, letter }| match letter {
        Ok(message) => letters.push((place, Stored { message, frame })),
        Err(refusal) => {
            let told = damage(refusal.error.class().as_str(), &refusal.error.to_string());
            refused.push(format!("{}: {}", visible(&place), visible(&told)));
        }
    });
    let talk = talk.map_err(Answer::unable)?;
    if letters.is_empty() && refused.is_empty() {
        return Err(Answer { talk: [talk, vec![NO_LETTER.into()]].concat(), code: 2, ..Answer::default() });
    }
    Ok((letters, refused, talk))
}

/// The letters of mails, each once.
pub(super) fn letters_of(paths: &[PathBuf]) -> Told<(Vec<Stored>, Vec<String>)> {
    let (letters, refused, talk) = found(paths)?;
    let mut once = HashSet::new();
    let letters = letters.into_iter().map(|(_, letter)| letter);
    let letters = letters.filter(|letter| once.insert((letter.message.id(), letter.message.key()))).collect();
    Ok((letters, [refused, talk].concat()))
}

fn note(taken: &mut Taken, game: &str, letter: &Stored) {
    taken.new.entry(game.to_owned()).or_default().push(letter.message.id());
}

impl Table {
    /// Whether a deposit is kept here: a referee and an office keep those of others, a player his own.
    fn is_for_me(&self, message: &Verified) -> bool {
        self.me.player().is_none() || message.head().author == self.role
    }

    /// Whether a letter is here; a copy under another key is another letter.
    fn holds(&self, message: &Verified) -> bool {
        let copy = (message.id(), message.key());
        self.stored.iter().any(|stored| (stored.message.id(), stored.message.key()) == copy)
    }

    /// Whether a letter is of this game.
    fn owns(&self, message: &Verified) -> bool {
        match (message.body(), self.stage) {
            (Body::Charter(_), _) => message.id() == self.terms.id,
            (Body::Accept(body), _) => body.charter == self.terms.id,
            (Body::Withdraw(_), _) => message.head().game == Some(self.terms.id),
            (_, Stage::Begun(game)) => message.head().game == Some(game),
            (_, Stage::Proposed) => false,
        }
    }
}

/// What is new, and how the games stand now.
fn tell(home: &Home, keys: &[Hex32], taken: &Taken) -> Told<String> {
    let mut out = String::new();
    for (game, ids) in &taken.new {
        let Some(folder) = Folder::open(&home.games().join(game)) else { continue };
        let table = Table::open(home, folder, keys)?;
        out.push_str(&format!("new in {game}:\n"));
        let letters = table.stored.iter().filter(|letter| ids.contains(&letter.message.id()));
        let lines = |ledger: Option<&Ledger<'_>>| {
            letters
                .map(|letter| {
                    let head = letter.message.head();
                    let number = if head.is_unnumbered() { String::new() } else { format!(" {}", head.number) };
                    format!("  {}{number}: {}\n", head.author, words::of(&letter.message, ledger))
                })
                .collect::<String>()
        };
        out.push_str(&match table.stage {
            Stage::Begun(_) => table.look(|_, ledger| Ok(lines(Some(ledger))))?,
            Stage::Proposed => lines(None),
        });
        let mine = &table.role;
        if table.stored.iter().any(|letter| letter.message.head().author == *mine && ids.contains(&letter.message.id()))
        {
            out.push_str(
                "  some are your own, which were not here: read all mails that you have sent before you sign anything,\n  \
                 or a second letter of yours could have a number that is used\n",
            );
        }
        out.push('\n');
        out.push_str(&status::of(&table)?);
    }
    match (taken.new.is_empty(), taken.known) {
        (_, 0) => {}
        (true, known) => out.push_str(&format!("nothing new: {known} known already\n")),
        (false, known) => out.push_str(&format!("known already: {known}\n")),
    }
    if !taken.refused.is_empty() {
        out.push_str("not taken in:\n");
        taken.refused.iter().for_each(|line| out.push_str(&format!("  {line}\n")));
    }
    Ok(out)
}
