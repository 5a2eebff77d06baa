//! `game export` and `game import`: moves a player's key, games and signing records to another computer, in one file.
//! The old machine signs nothing from then on, and the new one may sign at once.

use std::path::{Path, PathBuf, absolute};

use super::{
    away,
    clock::now,
    failure::{Failure, PlayResult},
    session::{Question, Session},
    table::folders,
    typing::Typing,
};
use crate::{
    blob::{Hex32, body::Role},
    game::terms::{Author, Terms},
    keep::{
        StorageError,
        archive::{Export, Parts},
        folder::{Folder, Lock},
        home::Home,
        key_file::KeyFile,
        moved::{Move, lock_moves},
        points::point,
        random,
        signing_journal::Remembered,
    },
    report::{
        text::{count, visible},
        words::date,
    },
};

/// Describes the effects of an export, one sentence per line; `before` is an earlier run of the same export.
fn exported(key: &KeyFile, games: &[Folder], file: &Path, before: Option<&Move>) -> Vec<String> {
    let locked = match key.is_protected() {
        true => "your key in it keeps its passphrase".to_owned(),
        false => "your key in it has NO PASSPHRASE: anyone who reads the file has your key".to_owned(),
    };
    let names: Vec<String> = games.iter().map(Folder::name).collect();
    let mut lines = vec![
        format!("your key {} and {} will move into {}", key.fingerprint(), listed(&names), file.display()),
        locked,
        "from then on, this computer signs nothing".into(),
    ];
    if let Some(moved) = before {
        lines.push(format!(
            "you already exported them on {}: this repeats that export in case its file is lost. Import the new file \
             only if the old one was never imported",
            date(moved.at)
        ));
    }
    lines
}

/// Writes a player's key, all games and the machine's signing records into a new file. From then on nothing is signed
/// on this machine. Returns the path of the file.
///
/// # Errors
/// If the file exists or would lie in the folder that moves, an office is run here, or the player does not agree.
pub fn export(session: &Session<'_>, file: &Path) -> PlayResult<PathBuf> {
    let home = session.home;
    let key = KeyFile::open(&home.key_file())?;
    let typing = Typing::of(home, "", true);
    check_no_office(home)?;
    let file = absolute(file).map_err(|error| StorageError::with(file, "written", &error))?;
    check_outside(home, &file)?;
    point("found");
    let _home = home.lock()?;
    let _moves = lock_moves(&key.public())?;
    let games = folders(home);
    let _games = games.iter().chain(&forgotten(home)).map(Folder::lock).collect::<Result<Vec<Lock>, _>>()?;
    point("locked");
    let before = Move::of(&key.public())?;
    if let Some(moved) = before.as_ref().filter(|moved| moved.arrives) {
        return Err(Failure::refused(away::told(moved, &typing)));
    }
    let moved = match &before {
        Some(moved) => moved.clone(),
        None => {
            let text = file
                .to_str()
                .ok_or_else(|| Failure::unable("the name of that file is not valid UTF-8; choose another name"))?;
            Move { arrives: false, at: now(), file: text.to_owned(), id: random::fresh()? }
        }
    };
    let parts = Parts::of(home, remembered(home, key.public())?)?;
    let manifest = parts.manifest(key.public(), moved.id, moved.at)?;
    let lines = exported(&key, &games, &file, before.as_ref());
    let what = "this moves all of your games to another computer";
    session.ask(&Question::Move { what, lines, ask: "export?" }, "nothing has changed")?;
    let note = || match &before {
        Some(_) => Ok(()),
        None => moved.note(&key.public()),
    };
    parts.write(&file, &manifest, &|| {
        point("will-sign");
        note()?;
        point("kept");
        Ok(())
    })?;
    point("has-signed");
    Ok(file)
}

/// Checks that no office keeps its database beside the key: moving an office has its own commands.
fn check_no_office(home: &Home) -> PlayResult<()> {
    #[cfg(feature = "office")]
    if home.path().join(crate::office::config::FILE).exists() {
        return Err(Failure::refused(
            "this folder belongs to an office, so nothing was exported: to move an office, copy its database with \
             `sealed-dice office backup`",
        ));
    }
    let _ = home;
    Ok(())
}

/// Checks that a file would not lie in the folder that moves.
fn check_outside(home: &Home, file: &Path) -> PlayResult<()> {
    let real = |path: &Path| path.canonicalize().map_err(|error| StorageError::with(path, "read", &error));
    let within = real(file.parent().unwrap_or(Path::new(".")))?.starts_with(real(home.path())?);
    match within {
        true => {
            Err(Failure::refused("that file would be inside the folder that you are moving; choose a path outside it"))
        }
        false => Ok(()),
    }
}

fn forgotten(home: &Home) -> Vec<Folder> {
    let entries = std::fs::read_dir(home.forgotten()).into_iter().flatten();
    entries.filter_map(|entry| Folder::open(&entry.ok()?.path())).collect()
}

/// Collects this machine's signing records for the games in a player's folder.
fn remembered(home: &Home, key: Hex32) -> PlayResult<Vec<Remembered>> {
    let mut all = Vec::new();
    for folder in folders(home).iter().chain(&forgotten(home)) {
        let Some(terms) = folder.charter().and_then(|charter| Terms::parse(&charter.message).ok()) else { continue };
        let role = Author::ALL.into_iter().filter(|author| terms.key_of(*author) == Some(key));
        let roles: Vec<&Role> = role.filter_map(|author| terms.role_of(author)).collect();
        for (id, role) in folder.begun_by()?.into_iter().flat_map(|id| roles.iter().map(move |role| (id, *role))) {
            all.extend(Remembered::of(id, role)?);
        }
    }
    Ok(all)
}

/// Checks that this machine knows nothing newer than an export; `other` is another move of the same key.
fn check_newest(export: &Export, other: Option<&Move>) -> PlayResult<()> {
    if let Some(other) = other.filter(|other| other.at > export.manifest.at) {
        return Err(Failure::refused(format!(
            "this file is from {}, but your key has moved since then, with {} from {}: import the newest file",
            date(export.manifest.at),
            visible(&other.file),
            date(other.at)
        )));
    }
    for part in &export.remembered {
        if part.is_behind()? {
            return Err(Failure::refused(
                "this computer has signed letters that are not in this file, so the file is out of date. Export again \
                 on the computer that you played on last",
            ));
        }
    }
    Ok(())
}

/// The result of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Imported {
    /// A player with these games continues here.
    Arrived(Vec<String>),
    /// An export from this machine was taken back.
    TakenBack,
}

/// Takes over an export from another machine or, on the machine that it came from, takes it back.
///
/// # Errors
/// If a key or a game is here already, the file is older than this machine's records, or the player does not agree.
pub fn import(session: &Session<'_>, file: &Path) -> PlayResult<Imported> {
    let home = session.home;
    let export = Export::open(file)?;
    let key = export.manifest.key;
    let _moves = lock_moves(&key)?;
    let noted = Move::of(&key)?;
    let is_same = noted.as_ref().is_some_and(|noted| noted.id == export.manifest.id);
    if has_key_or_games(home) {
        let own = KeyFile::open(&home.key_file()).is_ok_and(|own| own.public() == key);
        return match noted.filter(|_| is_same && own) {
            Some(noted) => take_back(session, &noted, key),
            None => Err(Failure::refused(format!(
                "{} already has a key or games, and an import does not overwrite them: move that folder elsewhere \
                 first, or choose another one with --home",
                home.path().display()
            ))),
        };
    }
    if std::fs::read_dir(home.path()).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Failure::refused(format!(
            "{} is not empty, and an import does not overwrite anything: move its contents elsewhere first, or choose \
             another folder with --home",
            home.path().display()
        )));
    }
    check_newest(&export, noted.filter(|_| !is_same).as_ref())?;
    let names: Vec<String> = export.games().into_iter().map(str::to_owned).collect();
    let lines = vec![
        format!("the key {} and {} will move to {}", export.fingerprint, listed(&names), home.path().display()),
        "if this file was already imported on another computer, do not import it: if both computers sign, they make a \
         fork"
            .into(),
    ];
    let what = "this takes over a player's key and all their games";
    session.ask(&Question::Move { what, lines, ask: "import?" }, "nothing has changed")?;
    let path: PathBuf = absolute(file).map_err(|error| StorageError::with(file, "read", &error))?;
    let arriving =
        Move { arrives: true, at: export.manifest.at, file: path.display().to_string(), id: export.manifest.id };
    arriving.note(&key)?;
    point("will-sign");
    export.remembered.iter().try_for_each(Remembered::take_over)?;
    point("kept");
    export.unpack(home)?;
    point("has-signed");
    Move::end(&key)?;
    Ok(Imported::Arrived(names))
}

/// Takes back an export on the machine that it came from, or finishes an import that was interrupted after its last
/// step.
fn take_back(session: &Session<'_>, noted: &Move, key: Hex32) -> PlayResult<Imported> {
    if !noted.arrives {
        let lines = vec![
            "if another computer has imported the file, that computer signs now: if this one signs too, they make a \
             fork"
                .to_owned(),
        ];
        let what = "this takes back the export: do it only if the file was never imported anywhere";
        session.ask(&Question::Move { what, lines, ask: "take it back?" }, "nothing has changed")?;
    }
    Move::end(&key)?;
    Ok(Imported::TakenBack)
}

/// Whether a folder has a player's key or games.
fn has_key_or_games(home: &Home) -> bool {
    let games = std::fs::read_dir(home.games()).into_iter().flatten().next();
    home.key_file().symlink_metadata().is_ok() || games.is_some()
}

/// Lists games in a few words: how many, and their names.
#[must_use]
pub fn listed(names: &[String]) -> String {
    match names.is_empty() {
        true => "no games".into(),
        false => format!("{}: {}", count(names.len(), "game"), names.join(", ")),
    }
}
