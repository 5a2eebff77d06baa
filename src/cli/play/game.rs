//! `game`: the terms of a game, from a template to both closes.

use std::{collections::BTreeSet, path::Path};

use clap::builder::PossibleValuesParser;

use super::{
    charter_file::{self, TEMPLATES},
    compared::{self, Keyed},
    continuing,
    fresh::fresh,
    locked::Locked,
    sign::{Signing, ask},
    status,
    table::{Stage, Table},
};
use crate::cli::answer::Answer;
use crate::cli::answer::Told;
use crate::{
    blob::{
        Body, Hex32, Verified,
        body::{Charter, Forfeit, How, Remedy, Revealer, Step},
        json::Value,
    },
    cli::terminal::{agree, visible},
    game::{
        ledger::Ledger,
        steps::{Letter, Seat},
        tasks::{self, Task},
        terms::{Author, Player, Terms},
    },
    keep::{
        folder::Folder,
        home::Home,
        key_file::KeyFile,
        points::point,
        root::Root,
        witness::{Signed, Witness},
    },
    report::{
        terms::{TIME_WITNESS, continues, lengths},
        text::count,
        words::fingerprint,
    },
    resolve::coin_envelopes::hexes::Grammar,
};

/// The names of the templates, as `game template --help` lists them.
pub(in crate::cli) fn template_names() -> PossibleValuesParser {
    TEMPLATES.iter().map(|(name, _)| *name).collect::<Vec<_>>().into()
}

/// `game template`: a commented charter.
pub(in crate::cli) fn template(name: &str) -> Answer {
    let known = TEMPLATES.iter().find(|(known, _)| *known == name);
    known.map_or_else(
        || Answer::unable(format!("there is no template {name:?}")),
        |(_, text)| Answer::done((*text).to_owned()),
    )
}

/// `game new`: signs terms and proposes them.
pub(in crate::cli) fn new(home: &Home, file: &Path, name: Option<&str>, signing: &Signing) -> Told<Answer> {
    let _home = home.lock()?;
    let key = KeyFile::open(&home.key_file())?;
    let (charter, compared) = charter_file::read(file, key.public(), fresh()?, &|game| continuing::tables(home, game))?;
    let [you, opponent] = &charter.parties;
    let (role, other) = (you.role.clone(), opponent.role.clone());
    let (mut tables, _) = Table::all(home)?;
    if let Some(at) = tables.iter().position(|table| table.proposes(&charter)) {
        let table = Locked::open(home, tables.swap_remove(at).folder)?;
        return Ok(table.mail(signing, None)?.saying("these terms are proposed already, and not accepted yet"));
    }
    signing.check_out()?;
    signing.check_page(home)?;
    let name = folder_name(home, name.unwrap_or(&charter.title));
    let terms = check(&charter)?;
    let mut lines = in_words(&terms);
    lines.extend(continuing::told(home, &terms)?.0);
    continuing::check_once(home, &terms, key.public(), None)?;
    let third = Keyed::of_third(&charter);
    lines.extend([Keyed::of(opponent)].into_iter().chain(third).map(|party| party.tell(party.is_one_of(&compared))));
    lines.push(format!("the game is called {name} on this machine"));
    let alike = same_title(&tables, &charter.title);
    lines.extend(alike.clone());
    ask(&lines, signing)?;
    compared.iter().try_for_each(|key| compared::note(home, key))?;
    let keys = signing.unlock(home)?;
    let mut seat = Seat::new(role, keys.signing().clone(), keys.vault().clone(), other);
    Keyed::of_third(&charter).for_each(|third| seat.with_other(third.role.clone()));
    let letter = seat.propose(charter)?;
    let terms = Terms::parse(&letter.message)?;
    continuing::look_again();
    let lock = Folder::create(&home.games().join(&name))?.lock()?;
    let mut witness = Witness::open(terms.id, None, &letter.message.head().author)?;
    let signed = Signed::of(&letter.message);
    witness.will_sign(None, vec![signed], Vec::new())?;
    point("will-sign");
    lock.keep(&letter.message, &letter.frame)?;
    point("kept");
    witness.has_signed(Some(signed))?;
    point("has-signed");
    let table = Table::open(home, lock.folder().clone(), key.public())?;
    let answer = Locked::new(table, lock).mail(signing, None)?;
    // Without the question it was not seen before.
    let answer = alike.into_iter().filter(|_| signing.yes).fold(answer, Answer::saying);
    Ok(if terms.charter.compared { answer } else { answer.saying(NOT_COMPARED) })
}

/// That games with a title go on already, or wait for an answer.
fn same_title(tables: &[Table], title: &str) -> Option<String> {
    let alike = tables.iter().filter(|table| table.lives() && table.terms.charter.title == title);
    let names: Vec<String> = alike.map(Table::name).collect();
    (!names.is_empty()).then(|| {
        format!(
            "MIND: you have an unfinished game with this title: {}. Choose another title to tell them apart",
            names.join(", ")
        )
    })
}

/// Reads terms as the opponent's tool will read them, before they are shown and a passphrase is asked for. What is signed
/// for that is signed with a key that nobody keeps, and that nobody is shown.
fn check(charter: &Charter) -> Told<Terms> {
    let keys = Root::random()?.keys();
    let mut draft = charter.clone();
    let [you, opponent] = &mut draft.parties;
    you.key = Hex32(*keys.signing().public().as_bytes());
    let (role, other) = (you.role.clone(), opponent.role.clone());
    let mut seat = Seat::new(role, keys.signing().clone(), keys.vault().clone(), other);
    Keyed::of_third(&draft).for_each(|third| seat.with_other(third.role.clone()));
    let mut terms = Terms::parse(&seat.propose(draft)?.message)?;
    terms.charter = charter.clone();
    Ok(terms)
}

impl Table {
    /// Whether this player wrote the terms.
    pub(super) fn is_mine(&self) -> bool {
        self.me == Author::Player(self.terms.author)
    }

    /// The accept of the terms' referee, or of their office.
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

    /// Whether a letter of the author's stands behind an acceptance of the terms: their second, which names a game.
    pub(super) fn is_behind_acceptance(&self, message: &Verified) -> bool {
        let head = message.head();
        let author = Author::Player(self.terms.author);
        head.prev == Some(self.terms.id)
            && head.game.is_some_and(|game| game != self.terms.id)
            && head.author == *self.terms.role(self.terms.author)
            && self.terms.key_of(author) == Some(message.key())
    }

    /// Why the terms are not to be accepted here, if their author has played on from an acceptance that is not here: two
    /// acceptances would convict the player who signed both (chain 8).
    pub(super) fn accepted_elsewhere(&self) -> Option<String> {
        let is_shown = self.stored.iter().any(|letter| self.is_behind_acceptance(&letter.message));
        let author = self.name_of(self.terms.role(self.terms.author));
        let opponent = self.terms.role(self.terms.author.other());
        let who = if *opponent == self.role { "you have".to_owned() } else { format!("{opponent} has") };
        (self.stage == Stage::Proposed && is_shown).then(|| {
            format!(
                "{who} accepted these terms already, and {author} has played on: read all mails that were sent with this key, \
                 or ask {author} for `resend --everything`. Nothing is to be accepted twice"
            )
        })
    }

    /// What people call the referee or the office, if this player may accept only once it has; safe to show.
    pub(super) fn waits_for_third(&self) -> Option<String> {
        let mut third = self.terms.authors().filter(|(author, _)| author.player().is_none());
        let accepts_last = self.me.player().is_some() && !self.is_mine();
        let (_, role) = third.find(|(author, _)| accepts_last && self.accept_of(*author).is_none())?;
        self.others().find(|(other, _)| *other == role).map(|(_, name)| visible(name))
    }

    /// Refuses terms that withhold a table which is not in this home: without it a player cannot go on (hidden 8).
    fn check_tables(&self, home: &Home) -> Told<()> {
        let hidden = self.terms.phases.iter().filter_map(|phase| phase.hidden());
        let mut withheld = hidden.flat_map(|hidden| hidden.withheld());
        match withheld.find(|(_, fingerprint)| !self.tables.contains_key(fingerprint)) {
            None => Ok(()),
            Some((name, fingerprint)) => Err(Answer::refused(format!(
                "you need the file of the table {}: the terms have only its fingerprint {fingerprint}. Put the file into the \
                 folder {} before you accept (hidden 8)",
                visible(name),
                home.tables().display()
            ))),
        }
    }

    /// Whether this is a proposal of the same terms that nobody has accepted.
    fn proposes(&self, charter: &Charter) -> bool {
        let same = Charter { nonce: charter.nonce, ..self.terms.charter.clone() };
        self.stage == Stage::Proposed && self.is_mine() && !self.is_withdrawn() && same == *charter
    }
}

const NOT_COMPARED: &str = "your opponent's key is not compared: read each other your fingerprints (`sealed-dice key show`) by voice, \
                            for whoever carries the first mails could put in their own key";

/// `game accept`: accepts terms, and seals what the charter asks for before play.
pub(in crate::cli) fn accept(
    home: &Home,
    name: Option<&str>,
    fingerprints: &[String],
    signing: &Signing,
) -> Told<Answer> {
    let mut table = Locked::find(home, name, Table::is_offered)?;
    if name.is_none() && !table.is_offered() {
        check_offers(home)?;
    }
    if table.is_mine() {
        return Err(Answer::refused("these terms are yours; your opponent accepts them"));
    }
    if matches!(table.stage, Stage::Begun(_)) {
        return Ok(table.mail(signing, None)?.saying("these terms are accepted already"));
    }
    if table.is_withdrawn() {
        return Err(Answer::refused(format!(
            "{} has withdrawn these terms: there is nothing to accept (charter 22)",
            table.terms.role(table.terms.author)
        )));
    }
    table.check_files()?;
    if table.has_accepted() {
        return Ok(table.mail(signing, None)?.saying("you have accepted these terms already"));
    }
    if table.stored.iter().any(|letter| letter.message.head().author == table.role) {
        return Err(Answer::refused(
            "you have accepted already, but that letter is not in the game's folder: read it from your sent mail",
        ));
    }
    if let Some(why) = table.accepted_elsewhere() {
        return Err(Answer::refused(why));
    }
    if let Some(third) = table.waits_for_third() {
        return Err(Answer::refused(format!("first {third} accepts the terms; read the mail with that")));
    }
    table.check_machine(None)?;
    if table.me.player().is_some() {
        table.check_tables(home)?;
        signing.check_page(home)?;
    }
    signing.check_out()?;
    let mut lines = in_words(&table.terms);
    let (continued, behind) = continuing::told(home, &table.terms)?;
    lines.extend(continued);
    continuing::check_once(home, &table.terms, table.key, Some(table.folder.path()))?;
    table.check_behind(&behind)?;
    let mut compared = false;
    for (party, is_compared) in table.compare(fingerprints, !signing.yes)? {
        compared |= is_compared && *party.role == *table.terms.role(table.terms.author);
        lines.push(party.tell(is_compared));
        if is_compared {
            party.note(home)?;
        }
    }
    lines.push(format!(
        "all of it, with every setting and table, is printed by  {}",
        table.typing.command("game terms")
    ));
    ask_each(&lines, signing)?;
    ask(&lines, signing)?;
    let keys = signing.unlock(home)?;
    let terms = &table.terms;
    let other = terms.role(terms.author).clone();
    let mut seat = Seat::new(table.role.clone(), keys.signing().clone(), keys.vault().clone(), other);
    terms.seen_by(table.me).for_each(|role| seat.with_other(role.clone()));
    match table.me {
        Author::Referee | Author::Office => table.check_deposit_key(&keys)?,
        Author::Player(_) => {
            let third = [Author::Referee, Author::Office].into_iter().filter_map(|third| table.accept_of(third));
            third.for_each(|accept| seat.see(accept));
        }
    }
    let charter = table.stored.iter().find(|letter| letter.message.id() == terms.id);
    let charter = charter.ok_or_else(|| Answer::unable("the charter is not in the game's folder"))?;
    let accepted = seat.accept(&charter.message, compared, fresh()?)?;
    let game = accepted.message.id();
    table.keep(vec![accepted])?;
    if table.me.player().is_none() {
        return table.mail(signing, None);
    }
    table.stage = Stage::Begun(game);
    let seals = table.view(|view| first_seals(view.ledger, view.me, &mut seat))?;
    table.keep(seals)?;
    table.make_deposits(&keys)?;
    table.mail(signing, None)
}

/// That no proposal waits which somebody may mean who names no game.
fn check_offers(home: &Home) -> Told<()> {
    let offers = Table::offers_beside(home)?;
    if offers.is_empty() {
        return Ok(());
    }
    let commands: Vec<String> =
        offers.iter().map(|offer| format!("  {}", offer.typing.command("game accept"))).collect();
    Err(Answer::unable(format!(
        "you play a game already; say with --game which terms you accept (`game list` says who proposes them):\n{}",
        commands.join("\n")
    )))
}

/// Asks for each sharp setting by itself, so that nobody overlooks one.
fn ask_each(lines: &[String], signing: &Signing) -> Told<()> {
    const SHARP: [&str; 6] = ["REFEREE", "OFFICE", "HARD CORE", "PRIVATE", "PENALTY", "DEADLINE"];
    if signing.yes {
        return Ok(());
    }
    for line in lines.iter().filter(|line| SHARP.iter().any(|word| line.trim_start().starts_with(word))) {
        if agree(&format!("{}\ndo you agree to this?", line.trim_start())) == Some(false) {
            return Err(Answer::refused("not accepted; nothing is signed. Ask your opponent for other terms"));
        }
    }
    Ok(())
}

/// The sets that the first letter may as well bring along.
fn first_seals(ledger: &Ledger<'_>, me: Player, seat: &mut Seat) -> Told<Vec<Letter>> {
    let mut letters = Vec::new();
    for task in tasks::of(ledger, me) {
        if let Task::Seal { kind, purpose } = task {
            let seal = super::seals::seal_body(ledger, seat, kind, &purpose)?;
            letters.push(seat.write(seal)?);
        }
    }
    Ok(letters)
}

/// `game list`.
pub(in crate::cli) fn list(home: &Home) -> Told<Answer> {
    let (tables, talk) = Table::all(home)?;
    let listed = status::Listed::of(&tables);
    let lines = tables.iter().map(|table| listed.line(table));
    let mut answer = Answer::done(lines.collect());
    answer.talk.extend(talk);
    if answer.out.is_empty() {
        answer.talk.push("there is no game yet; `sealed-dice game template` begins one".into());
    }
    Ok(answer)
}

/// A free folder name after a title: small letters, digits and hyphens.
pub(super) fn folder_name(home: &Home, title: &str) -> String {
    let mut name = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            name.push(c);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    let name: String = name.chars().take(40).collect();
    let name = match name.trim_end_matches('-') {
        "" => "game".to_owned(),
        name if is_device(name) => format!("game-{name}"),
        name => name.to_owned(),
    };
    let taken = |name: &str| {
        let path = home.games().join(name);
        path.exists() && !Folder::open(&path).is_some_and(|folder| folder.is_empty())
    };
    let numbered = (2..).map(|n| format!("{name}-{n}"));
    std::iter::once(name.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or(name)
}

/// Whether Windows takes a name for a device's, and makes no folder of it.
fn is_device(name: &str) -> bool {
    let is_port = |name: &str| matches!(name.as_bytes(), [b'0'..=b'9']);
    ["con", "prn", "aux", "nul"].contains(&name)
        || ["com", "lpt"].into_iter().filter_map(|port| name.strip_prefix(port)).any(is_port)
}

/// What a holder of keys and a declarer who work together can do.
pub(super) const CHOOSES: &str = "can choose every die of the sets whose keys are held, and nothing shows it";

/// How hexes are written, with an example; a line for each way, if the phases differ.
fn hexes(charter: &Charter) -> Vec<String> {
    let mut ways: Vec<String> = Vec::new();
    for phase in &charter.phases {
        let said = |name| phase.settings.get(name).and_then(Value::as_str);
        let grammar = said("grammar").and_then(|name| Grammar::ALL.into_iter().find(|known| known.name() == name));
        let Some(grammar) = grammar else { continue };
        let rows = match (grammar, said("double_letters")) {
            (Grammar::Letters, Some("spreadsheet")) => "; AA comes after Z, then AB",
            (Grammar::Letters, _) => "; AA comes after Z, then BB",
            (Grammar::Numeric4 | Grammar::MapNumeric, _) => "",
        };
        let example = grammar.example();
        let way =
            format!("hexes are written like {example}{rows}; two of one attack like {example}+{}", grammar.second());
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    if ways.len() > 1 {
        ways.push("MIND: the phases do not write their hexes in one way".into());
    }
    ways
}

/// The terms in words, sharp settings first: what somebody who signs them must not overlook.
fn in_words(terms: &Terms) -> Vec<String> {
    let charter = &terms.charter;
    let mut lines = vec![format!("the terms of {:?}", visible(&charter.title))];
    for party in &charter.parties {
        lines.push(format!("{} ({}), key {}", visible(&party.name), party.role, fingerprint(&party.key)));
    }
    if let Some(referee) = &charter.referee {
        let fingerprint = fingerprint(&referee.key);
        let holds = match &referee.deposit {
            None => "holds no keys, so that a roll which is not opened can only be forfeited",
            Some(deposit) if deposit.notes => {
                "HOLDS THE KEYS of all dice and notes: can finish a stalled roll, and could look ahead and read sealed orders; \
                 compare this fingerprint with its owner by voice"
            }
            Some(_) => {
                "HOLDS THE KEYS of all dice: can finish a stalled roll, and could look ahead; compare this fingerprint with \
                 its owner by voice"
            }
        };
        let chooses = match referee.deposit {
            Some(_) => format!("; together with the player who declares, {} {CHOOSES}", referee.role),
            None => String::new(),
        };
        lines.push(format!(
            "REFEREE: {} ({}), key {fingerprint}; {holds}{chooses}",
            visible(&referee.name),
            referee.role
        ));
    }
    if let Some(office) = &charter.office {
        let does = match &office.deposit {
            None => format!("{TIME_WITNESS}; compare this fingerprint with its operator by voice"),
            Some(deposit) => format!(
                "HOLDS THE KEYS of dice and opens them at once{}: could look ahead; compare this fingerprint with its \
                 operator by voice; together with the player who declares, {} {CHOOSES}",
                if deposit.notes { ", and notes that are due" } else { "" },
                office.role
            ),
        };
        lines.push(format!(
            "OFFICE: {} ({}), key {}; {does}",
            visible(&office.name),
            office.role,
            fingerprint(&office.key)
        ));
    }
    if charter.hard_core {
        lines.push("HARD CORE: what is signed stays, nothing is ever done again".into());
    }
    lines.extend(continues(terms));
    lines.extend(hexes(charter));
    for phase in &charter.phases {
        let impulses: Vec<String> = phase.impulses.iter().map(u64::to_string).collect();
        let settings: Vec<String> = phase.settings.iter().map(|(key, value)| format!("{key} {value}")).collect();
        lines.push(format!(
            "phase {}: {} rolls in impulse {}, {} ({}); {}",
            phase.name,
            phase.declarer.as_ref().map_or("the player named by its state", crate::blob::body::Role::as_str),
            impulses.join(", "),
            visible(&phase.system),
            visible(&settings.join(", ")),
            match phase.revealer {
                Revealer::Sealer => "the other opens their envelopes by letter",
                Revealer::Office => "the office opens the envelopes at once",
            }
        ));
        if phase.private {
            lines.push(
                "  PRIVATE: only the declarer knows these rolls, until they are shown or the game is closed".into(),
            );
        }
        for decision in &phase.decisions {
            let by = decision.by.as_ref().map_or("each player".to_owned(), ToString::to_string);
            let how = match decision.how {
                How::Open => "signs the choice",
                How::Sealed => "seals the choice",
                How::Simultaneous => "seals and then opens their own",
            };
            lines.push(format!("  before it {by} {how} {}", decision.name));
        }
    }
    let remedies = &charter.foul_up.remedies;
    for (what, remedy) in [
        ("an illegal move", remedies.illegal_move),
        ("illegal odds", remedies.illegal_odds),
        ("a wrong list of attacks", remedies.wrong_list),
    ] {
        lines.push(match remedy {
            Remedy::Keep => format!("{what}: the dice stand"),
            Remedy::Redo => format!("{what}: rolled again from the foul-up set, if both agree"),
        });
    }
    lines.extend(charter.penalties.iter().map(|penalty| format!("PENALTY: {}", visible(penalty))));
    for deadline in &charter.deadlines {
        let step = match deadline.step {
            Step::Answer => "any answer",
            Step::Declare => "the next declaration",
            Step::Reveal => "what is owed to a declaration",
        };
        let forfeit = match deadline.forfeit {
            Forfeit::None => "nothing follows by itself",
            Forfeit::DeclarerNames if terms.courses().next().is_some() => {
                "the referee can let the declarer name every die, but not in a course"
            }
            Forfeit::DeclarerNames => "the referee can let the declarer name every die",
            Forfeit::Game => "the referee can let the game be forfeit",
        };
        lines.push(format!("DEADLINE: {step} within {}, else {forfeit}", count(deadline.days, "day")));
    }
    let hidden = || terms.phases.iter().filter_map(|phase| phase.hidden());
    let withheld: BTreeSet<&str> = hidden().flat_map(|hidden| hidden.withheld()).map(|(name, _)| name).collect();
    lines.extend(charter.tables.keys().map(|name| match withheld.contains(name.as_str()) {
        true => {
            format!("the table {} is NOT in the terms: you need its file", visible(name))
        }
        false => format!("the table {} stands in the terms in full", visible(name)),
    }));
    let lacking: BTreeSet<&str> = hidden().flat_map(|hidden| hidden.lacking()).collect();
    lines.extend(lacking.into_iter().map(|name| {
        format!(
            "MIND: the terms have no table {name}, and the game stops where it is needed: ask for terms that have it"
        )
    }));
    lines.extend(lengths(terms));
    lines
}
