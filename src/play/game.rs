//! Signs terms and proposes them.

use super::{
    charter_file::{self, table_files::TableFiles},
    compared::{self, Keyed},
    continuing,
    failure::PlayResult,
    handed::Handed,
    locked::Locked,
    session::Session,
    table::{Stage, Table},
};
use crate::{
    blob::{Hex32, body::Charter},
    game::{steps::Signer, terms::Terms},
    keep::{
        folder::Folder,
        home::Home,
        key_file::KeyFile,
        points::point,
        random::fresh,
        root::Root,
        signing_journal::{Signed, SigningJournal},
        texts::TextFile,
    },
    report::summary::summary,
};

/// Signs terms and proposes them. `tables` has the table files that the terms name. `name` is the game's name on this machine, by default taken from its title.
///
/// # Errors
/// If the file does not contain valid terms, or the player does not sign.
pub fn propose(session: &Session<'_>, file: &TextFile, tables: &TableFiles, name: Option<&str>) -> PlayResult<Handed> {
    let home = session.home;
    let _home = home.lock()?;
    let key = KeyFile::open(&home.key_file())?;
    let old = |game: &Hex32| continuing::tables(home, game);
    let (charter, compared) = charter_file::read(file, tables, key.public(), fresh()?, &old)?;
    let [you, opponent] = &charter.parties;
    let (role, other) = (you.role.clone(), opponent.role.clone());
    let (mut tables, _) = Table::all(home)?;
    if let Some(at) = tables.iter().position(|table| table.proposes(&charter)) {
        let table = Locked::open(home, tables.swap_remove(at).folder)?;
        return Ok(table.mail(None)?.saying("you have already proposed these terms, and they are not accepted yet"));
    }
    session.person.ready()?;
    session.check_page()?;
    let name = folder_name(home, name.unwrap_or(&charter.title));
    let terms = check(&charter)?;
    let mut lines = summary(&terms);
    lines.extend(continuing::told(home, &terms)?.0);
    continuing::check_once(home, &terms, key.public(), None)?;
    let third = Keyed::of_third(&charter);
    lines.extend([Keyed::of(opponent)].into_iter().chain(third).map(|party| party.tell(party.is_one_of(&compared))));
    lines.push(format!("the game is called {name} on this machine"));
    let alike = same_title(&tables, &charter.title);
    lines.extend(alike.clone());
    session.ask_to_sign(&lines, alike.into_iter().collect(), false)?;
    compared.iter().try_for_each(|key| compared::note(home, key))?;
    let keys = session.unlock()?;
    let mut signer = Signer::new(role, keys.signing().clone(), keys.vault().clone(), other);
    Keyed::of_third(&charter).for_each(|third| signer.with_other(third.role.clone()));
    let letter = signer.propose(charter)?;
    let terms = Terms::parse(&letter.message)?;
    continuing::look_again();
    let lock = Folder::create(&home.games().join(&name))?.lock()?;
    let mut journal = SigningJournal::open(terms.id, None, &letter.message.head().author)?;
    let signed = Signed::of(&letter.message);
    journal.will_sign(None, vec![signed], Vec::new())?;
    point("will-sign");
    lock.keep(&letter.message, &letter.frame)?;
    point("kept");
    journal.has_signed(Some(signed))?;
    point("has-signed");
    let table = Table::open(home, lock.folder().clone(), key.public())?;
    let handed = Locked::new(table, lock).mail(None)?;
    Ok(if terms.charter.compared { handed } else { handed.saying(NOT_COMPARED) })
}

/// Returns a message if games with this title are running already, or wait for an answer.
fn same_title(tables: &[Table], title: &str) -> Option<String> {
    let alike = tables.iter().filter(|table| table.lives() && table.terms.charter.title == title);
    let names: Vec<String> = alike.map(Table::name).collect();
    (!names.is_empty()).then(|| {
        format!(
            "NOTE: you have an unfinished game with this title: {}. Choose another title to tell them apart",
            names.join(", ")
        )
    })
}

/// Reads terms as the opponent's program will read them, before they are shown and a passphrase is asked for. For this
/// check they are signed with a throwaway key, and the result is never shown.
pub(super) fn check(charter: &Charter) -> PlayResult<Terms> {
    let keys = Root::random()?.keys();
    let mut draft = charter.clone();
    let [you, opponent] = &mut draft.parties;
    you.key = Hex32(*keys.signing().public().as_bytes());
    let (role, other) = (you.role.clone(), opponent.role.clone());
    let mut signer = Signer::new(role, keys.signing().clone(), keys.vault().clone(), other);
    Keyed::of_third(&draft).for_each(|third| signer.with_other(third.role.clone()));
    let mut terms = Terms::parse(&signer.propose(draft)?.message)?;
    terms.charter = charter.clone();
    Ok(terms)
}

impl Table {
    /// Whether this is an unaccepted proposal of the same terms.
    fn proposes(&self, charter: &Charter) -> bool {
        let same = Charter { nonce: charter.nonce, ..self.terms.charter.clone() };
        self.stage == Stage::Proposed && self.is_mine() && !self.is_withdrawn() && same == *charter
    }
}

const NOT_COMPARED: &str = "your opponent's key is not compared: read each other your fingerprints (`sealed-dice key \
                            show`) by voice, because anyone who carries the first mails could put in their own key";

/// Returns a free folder name made from a title: small letters, digits and hyphens.
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

/// Whether Windows reserves a name for a device, so that no folder can have it.
fn is_device(name: &str) -> bool {
    let is_port = |name: &str| matches!(name.as_bytes(), [b'0'..=b'9']);
    ["con", "prn", "aux", "nul"].contains(&name)
        || ["com", "lpt"].into_iter().filter_map(|port| name.strip_prefix(port)).any(is_port)
}
