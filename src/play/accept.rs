//! `game accept`: checks whether terms may be accepted here, and writes the letters with which a game begins.

use super::{
    continuing,
    failure::{Failure, PlayResult},
    handed::Handed,
    locked::Locked,
    session::{Question, Reply, Session},
    table::{Stage, Table},
};
use crate::{
    blob::{Body, Verified},
    game::{
        ledger::Ledger,
        steps::{Letter, Signer},
        tasks::{self, Task},
        terms::{Author, Player},
    },
    keep::{home::Home, random::fresh, root::Keys},
    report::{summary::summary, text::visible},
};

impl Table {
    /// Whether this player wrote the terms.
    pub(super) fn is_mine(&self) -> bool {
        self.me == Author::Player(self.terms.author)
    }

    /// Returns the accept by the terms' referee, or by their office.
    pub(super) fn accept_of(&self, author: Author) -> Option<&Verified> {
        let accepts = self.stored.iter().map(|letter| &letter.message).filter(|message| {
            let named = matches!(message.body(), Body::Accept(body) if body.charter == self.terms.id);
            named && self.terms.author_of(&message.head().author) == Some(author)
        });
        accepts.min_by_key(|accept| accept.id())
    }

    /// Whether this referee or office has accepted the terms.
    pub(super) fn has_accepted(&self) -> bool {
        self.me.player().is_none() && self.accept_of(self.me).is_some()
    }

    /// Whether a letter by the terms' author follows an acceptance of the terms: it is the author's second letter,
    /// which names a game.
    pub(super) fn is_behind_acceptance(&self, message: &Verified) -> bool {
        let head = message.head();
        let author = Author::Player(self.terms.author);
        head.prev == Some(self.terms.id)
            && head.game.is_some_and(|game| game != self.terms.id)
            && head.author == *self.terms.role(self.terms.author)
            && self.terms.key_of(author) == Some(message.key())
    }

    /// Returns why the terms must not be accepted here, if their author has played on from an acceptance that is
    /// missing here: two acceptances would convict the player who signed both (chain 8).
    pub(super) fn accepted_elsewhere(&self) -> Option<String> {
        let is_shown = self.stored.iter().any(|letter| self.is_behind_acceptance(&letter.message));
        let author = self.name_of(self.terms.role(self.terms.author));
        let opponent = self.terms.role(self.terms.author.other());
        let who = if *opponent == self.role { "you have".to_owned() } else { format!("{opponent} has") };
        (self.stage == Stage::Proposed && is_shown).then(|| {
            format!(
                "{who} accepted these terms already, and {author} has played on: read all the mails that were sent \
                 with this key, or ask {author} for `resend --everything`. Terms can be accepted only once"
            )
        })
    }

    /// Returns why there is nothing left to accept, if the terms were accepted here earlier.
    ///
    /// # Errors
    /// If the terms are not for this player to accept, or not yet.
    fn accepted_before(&self) -> PlayResult<Option<&'static str>> {
        if self.is_mine() {
            return Err(Failure::refused("these terms are your own: wait for your opponent to accept them"));
        }
        if matches!(self.stage, Stage::Begun(_)) {
            return Ok(Some("these terms have already been accepted"));
        }
        if self.is_withdrawn() {
            return Err(Failure::refused(format!(
                "{} has withdrawn these terms, so you cannot accept them: ask for new terms (charter 22)",
                self.terms.role(self.terms.author)
            )));
        }
        self.check_files()?;
        if self.has_accepted() {
            return Ok(Some("you have accepted these terms already"));
        }
        if self.stored.iter().any(|letter| letter.message.head().author == self.role) {
            return Err(Failure::refused(
                "you have accepted already, but your acceptance is not in the game's folder: read the mail that you \
                 sent",
            ));
        }
        if let Some(why) = self.accepted_elsewhere() {
            return Err(Failure::refused(why));
        }
        match self.waits_for_third() {
            Some(third) => Err(Failure::refused(format!(
                "{third} must accept the terms first: wait for the mail with their acceptance, and read it"
            ))),
            None => Ok(None),
        }
    }

    /// Returns the name of the referee or the office, if this player may accept only after them; safe to show.
    pub(super) fn waits_for_third(&self) -> Option<String> {
        let mut third = self.terms.authors().filter(|(author, _)| author.player().is_none());
        let accepts_last = self.me.player().is_some() && !self.is_mine();
        let (_, role) = third.find(|(author, _)| accepts_last && self.accept_of(*author).is_none())?;
        self.others().find(|(other, _)| *other == role).map(|(_, name)| visible(name))
    }

    /// Refuses terms that withhold a table which is missing in this home: without it a player cannot go on (hidden 8).
    fn check_tables(&self, home: &Home) -> PlayResult<()> {
        let hidden = self.terms.phases.iter().filter_map(|phase| phase.hidden());
        let mut withheld = hidden.flat_map(|hidden| hidden.withheld());
        match withheld.find(|(_, fingerprint)| !self.tables.contains_key(fingerprint)) {
            None => Ok(()),
            Some((name, fingerprint)) => Err(Failure::refused(format!(
                "you need the file with the table {}: the terms contain only its fingerprint, {fingerprint}. Put the \
                 file into the folder {} before you accept (hidden 8)",
                visible(name),
                home.tables().display()
            ))),
        }
    }
}

/// Accepts terms, and seals the sets that they require before play. `fingerprints` are those that others read to this
/// party by voice.
///
/// # Errors
/// If the terms are not for this party to accept, a fingerprint does not match any key in them, or the party does not
/// agree.
pub fn accept(session: &Session<'_>, name: Option<&str>, fingerprints: &[String]) -> PlayResult<Handed> {
    let table = Locked::find(session, name, Table::is_offered)?;
    if name.is_none() && !table.is_offered() {
        check_offers(session.home)?;
    }
    if let Some(done) = table.accepted_before()? {
        return Ok(table.mail(None)?.saying(done));
    }
    table.check_machine(None)?;
    if table.me.player().is_some() {
        table.check_tables(session.home)?;
        session.check_page()?;
    }
    session.person.ready()?;
    let mut lines = summary(&table.terms);
    let (continued, behind) = continuing::told(session.home, &table.terms)?;
    lines.extend(continued);
    continuing::check_once(session.home, &table.terms, table.key, Some(table.folder.path()))?;
    table.check_behind(&behind)?;
    let mut compared = false;
    for (party, is_compared) in table.compare(session.person, fingerprints)? {
        compared |= is_compared && *party.role == *table.terms.role(table.terms.author);
        lines.push(party.tell(is_compared));
        if is_compared {
            party.note(session.home)?;
        }
    }
    if table.me.player().is_some() {
        lines.push(
            "the same mail has the sealed sets that these terms ask you for before play, if they ask for any".into(),
        );
    }
    // Whoever agrees to these lines agrees to this letter, and to no other with the same lines.
    lines.push(format!("the id of these terms is {}", table.terms.id));
    ask_each(session, &lines)?;
    let hint = format!("to see everything, with all settings and tables, type  {}", table.typing.command("game terms"));
    session.ask_to_sign(&lines, vec![hint], false)?;
    begin(table, &session.unlock()?, compared)?.mail(None)
}

/// Signs the acceptance and keeps it, together with a player's first sets and deposits.
fn begin(mut table: Locked, keys: &Keys, compared: bool) -> PlayResult<Locked> {
    let terms = &table.terms;
    let other = terms.role(terms.author).clone();
    let mut signer = Signer::new(table.role.clone(), keys.signing().clone(), keys.vault().clone(), other);
    terms.seen_by(table.me).for_each(|role| signer.with_other(role.clone()));
    match table.me {
        Author::Referee | Author::Office => table.check_deposit_key(keys)?,
        Author::Player(_) => {
            let third = [Author::Referee, Author::Office].into_iter().filter_map(|third| table.accept_of(third));
            third.for_each(|accept| signer.see(accept));
        }
    }
    let charter = table.stored.iter().find(|letter| letter.message.id() == terms.id);
    let charter = charter.ok_or_else(|| {
        Failure::unable("the terms are missing from the game's folder: read the mail with the terms again")
    })?;
    let accepted = signer.accept(&charter.message, compared, fresh()?)?;
    let game = accepted.message.id();
    table.keep(vec![accepted])?;
    if table.me.player().is_some() {
        table.stage = Stage::Begun(game);
        let seals = table.view(|view| first_seals(view.ledger, view.me, &mut signer))?;
        table.keep(seals)?;
        table.make_deposits(keys)?;
    }
    Ok(table)
}

/// Checks that no proposal is waiting that a command without a game's name may be about.
fn check_offers(home: &Home) -> PlayResult<()> {
    let offers = Table::offers_beside(home)?;
    if offers.is_empty() {
        return Ok(());
    }
    let commands: Vec<String> =
        offers.iter().map(|offer| format!("  {}", offer.typing.command("game accept"))).collect();
    Err(Failure::unable(format!(
        "you already have a game: say with --game which terms you accept (`game list` shows who proposed them):\n{}",
        commands.join("\n")
    )))
}

/// Asks separately about each setting with drastic effects, so that nobody overlooks one.
fn ask_each(session: &Session<'_>, lines: &[String]) -> PlayResult<()> {
    const SHARP: [&str; 6] = ["REFEREE", "OFFICE", "HARD CORE", "PRIVATE", "PENALTY", "DEADLINE"];
    let lines = lines.iter().map(|line| line.trim_start());
    for line in lines.filter(|line| SHARP.iter().any(|word| line.starts_with(word))) {
        if session.person.answers(&Question::Setting(line.to_owned())) == Reply::No {
            return Err(Failure::refused("not accepted, and nothing was signed. Ask your opponent for other terms"));
        }
    }
    Ok(())
}

/// Returns the seals of the sets that can go with the first letter.
fn first_seals(ledger: &Ledger<'_>, me: Player, signer: &mut Signer) -> PlayResult<Vec<Letter>> {
    let mut letters = Vec::new();
    for task in tasks::of(ledger, me) {
        if let Task::Seal { kind, purpose } = task {
            let seal = super::seals::seal_body(ledger, signer, kind, &purpose)?;
            letters.push(signer.write(seal)?);
        }
    }
    Ok(letters)
}
