//! `key`: a player's key (`protocol/key-file.md`).

use std::{
    io::{self, IsTerminal},
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::{
    answer::{Answer, json_line},
    options::{self, Key},
    secrets::{self, From},
    terminal,
};
use crate::{
    blob::{armour, body::Hex32},
    error::Error,
    keep::{
        StorageError, atomic, backup, backup_page,
        home::Home,
        key_file::{KeyFile, already_there},
        notes::{self, Note},
        root::Root,
        texts::read_input,
    },
    limits::BACKUP_BYTES,
    play,
    primitive::{
        passphrase::Passphrase,
        secret::{SecretText, Wiped},
        wrap,
    },
};

pub(super) fn run(home: Option<PathBuf>, command: Key) -> Answer {
    let done = Home::find(home).and_then(|home| match command {
        Key::New { backup, lock } => new(&home, &lock, backup.as_deref()),
        Key::Compared { fingerprint } => {
            Ok(play::compared::compare(&home, &fingerprint.concat()).map_or_else(Answer::from, |whose| {
                Answer::done(format!("{whose}\n"))
                    .saying("noted for you alone; this does not change what the letters say about the players' keys")
            }))
        }
        Key::Show { deposit, passphrase, json } => {
            show(&home, deposit.then(|| From::choose(passphrase.passphrase_file)), json)
        }
        Key::Backup { out, passphrase } => back_up(&home, out.as_deref(), &From::choose(passphrase.passphrase_file)),
        Key::Restore { page, lock } => restore(&home, page.as_deref(), &lock),
    });
    done.unwrap_or_else(Answer::from)
}

/// Makes a key and, with `page`, its backup page.
pub(super) fn new(home: &Home, lock: &options::NewLock, page: Option<&Path>) -> Result<Answer, StorageError> {
    page.map_or(Ok(()), is_new)?;
    let passphrase = prepare(home, lock)?;
    let root = Root::random()?;
    let file = KeyFile::create(&home.key_file(), root.clone(), passphrase.as_ref())?;
    let mut answer = made(home, &file);
    answer.talk.push("read the fingerprint to your opponent over the phone, and let them read you theirs".into());
    let Some(page) = page else {
        return Ok(answer.saying(
            "now write a page that restores the key if you lose this computer:  sealed-dice key backup --out page.html",
        ));
    };
    write_page(home, &root, &file, page).map_err(|error| {
        StorageError::Unable(format!(
            "the key was made, but its backup page was not: {error}. Write it now:  sealed-dice key backup --out page.html"
        ))
    })?;
    answer.talk.push(format!("the backup page is {}: {PRINT_IT}", terminal::visible(&page.display().to_string())));
    Ok(answer)
}

/// Checks that a key may be written here before anything is asked or computed, makes its folder, and asks for its
/// passphrase.
fn prepare(home: &Home, lock: &options::NewLock) -> Result<Option<Passphrase>, StorageError> {
    let path = home.key_file();
    if path.symlink_metadata().is_ok() {
        return Err(already_there(&path));
    }
    home.make()?;
    if lock.no_passphrase {
        return Ok(None);
    }
    secrets::new_passphrase(&From::choose(lock.passphrase.passphrase_file.clone())).map(Some)
}

/// Returns the answer about a key file that was just written.
fn made(home: &Home, file: &KeyFile) -> Answer {
    let mut answer = Answer::done(described(home, file));
    if !file.is_protected() {
        answer.talk.push(format!(
            "WARNING: NO PASSPHRASE. Anyone who can read {}, or a copy of it in a backup of this disk, has your key",
            home.key_file().display()
        ));
    }
    answer
}

fn described(home: &Home, file: &KeyFile) -> String {
    let lock = if file.is_protected() { "locked with a passphrase" } else { "NOT locked: it has no passphrase" };
    let path = home.key_file().display().to_string();
    format!(
        "fingerprint  {}\npublic key   {}\nkey file     {}, {lock}\n",
        file.fingerprint(),
        file.public(),
        terminal::visible(&path)
    )
}

fn show(home: &Home, deposit: Option<From>, as_json: bool) -> Result<Answer, StorageError> {
    #[derive(Serialize)]
    struct Shown {
        #[serde(skip_serializing_if = "Option::is_none")]
        deposit: Option<Hex32>,
        file: String,
        fingerprint: String,
        protected: bool,
        public: Hex32,
    }
    let file = KeyFile::open(&home.key_file())?;
    let root = deposit.map(|from| secrets::root(&file, &from)).transpose()?;
    let deposit = root.and_then(|root| wrap::public(&root.deposit_key())).map(Hex32);
    if !as_json {
        let deposit = deposit.map(|key| format!("deposit key  {key}\n")).unwrap_or_default();
        return Ok(Answer::done(described(home, &file) + &deposit));
    }
    Ok(Answer::done(json_line(&Shown {
        deposit,
        file: home.key_file().display().to_string(),
        fingerprint: file.fingerprint(),
        protected: file.is_protected(),
        public: file.public(),
    })))
}

const PRINT_IT: &str =
    "print this page, keep it with your important papers, and delete the file: it is your key without a passphrase";

fn back_up(home: &Home, out: Option<&Path>, from: &From) -> Result<Answer, StorageError> {
    let file = KeyFile::open(&home.key_file())?;
    out.map_or(Ok(()), is_new)?;
    let root = secrets::root(&file, from)?;
    let Some(out) = out else {
        notes::add(home, Note::Page, &file.fingerprint())?;
        return Ok(Answer { secret: Some(backup_page::text(&root, &file.fingerprint())), ..Answer::default() });
    };
    write_page(home, &root, &file, out)?;
    Ok(Answer::done(format!("{}\n", terminal::visible(&out.display().to_string()))).saying(PRINT_IT))
}

/// Refuses a path where a file exists, before a passphrase is asked for.
fn is_new(path: &Path) -> Result<(), StorageError> {
    path.symlink_metadata().map_or(Ok(()), |_| Err(already_there(path)))
}

/// Writes a key's backup page to a new file, and records that it has one.
fn write_page(home: &Home, root: &Root, file: &KeyFile, out: &Path) -> Result<(), StorageError> {
    let page = backup_page::text(root, &file.fingerprint());
    let is_html =
        out.extension().is_some_and(|ext| ext.eq_ignore_ascii_case("html") || ext.eq_ignore_ascii_case("htm"));
    let page = if is_html { backup_page::html(root, &page)? } else { page };
    match atomic::write_new(out, page.expose().as_bytes(), true) {
        Ok(()) => notes::add(home, Note::Page, &file.fingerprint()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(already_there(out)),
        Err(error) => Err(StorageError::with(out, "written", &error)),
    }
}

fn restore(home: &Home, page: Option<&Path>, lock: &options::NewLock) -> Result<Answer, StorageError> {
    if home.key_file().symlink_metadata().is_ok() {
        return Err(already_there(&home.key_file()));
    }
    let root = match page {
        None if io::stdin().is_terminal() => typed()?,
        page => from_page(page.unwrap_or(Path::new("-")))?,
    };
    let passphrase = prepare(home, lock)?;
    let file = KeyFile::create(&home.key_file(), root, passphrase.as_ref())?;
    notes::add(home, Note::Page, &file.fingerprint())?;
    let mut answer = made(home, &file);
    answer.talk.push("compare the fingerprint with the one on your page: they must be the same".into());
    Ok(answer)
}

/// Asks for the groups until all of them are typed. They are shown, because nobody can type seventy characters unseen.
fn typed() -> Result<Root, StorageError> {
    terminal::say("type the groups from your page, as many on a line as you like; they are shown as you type");
    let mut code = Wiped::new(String::with_capacity(4096));
    let mut next = 1;
    while next <= backup::GROUPS {
        let asked = terminal::ask(&format!("group {next} to {}: ", backup::GROUPS));
        let line = asked.map_err(|error| {
            StorageError::Unable(format!("the groups cannot be read: {error}; name a file with the page instead"))
        })?;
        let Some(line) = line else {
            return Err(StorageError::Unable(
                "the code is incomplete, and nothing was written; type all its groups".into(),
            ));
        };
        for word in backup::groups_of(line.expose()) {
            if !backup::is_right(next, word) {
                terminal::say(&format!("group {next} is wrong; type it and the groups after it again"));
                break;
            }
            code.push_str(word);
            code.push(' ');
            next += 1;
        }
    }
    backup::read(&code).map_err(refused)
}

/// Reads the secret from the file of a backup page.
fn from_page(path: &Path) -> Result<Root, StorageError> {
    let bytes = Wiped::new(read_input(path).map_err(StorageError::Unable)?);
    if bytes.len() > BACKUP_BYTES {
        return Err(StorageError::Refused(format!(
            "{} is too long for a backup page; name the file with your page",
            path.display()
        )));
    }
    let text = SecretText::new(armour::readable(&bytes).into_owned());
    backup_page::read(text.expose())
}

fn refused(error: Error) -> StorageError {
    StorageError::Refused(error.to_string())
}
