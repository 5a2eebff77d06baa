//! `office`: commands for the operator of an office.

use std::path::{Path, PathBuf};

use indicatif::ProgressBar;

use super::{
    answer::Answer,
    key,
    office_args::Office,
    options::{NewLock, Passphrase, Signing},
    secrets::{self, From},
    session::signs,
    terminal,
};
use crate::{
    blob::Hex32,
    keep::{StorageError, atomic, home::Home, key_file::KeyFile, random},
    office::{
        config::{self, Config},
        http,
        mailbox_service::MailboxService,
        posted::{self, PostError},
        serve::{self, Service},
        store::{AnyStore, database_file, postgres, witness},
    },
    play::at_office as exchange,
};

pub(super) fn run(home: Option<PathBuf>, command: &Office) -> Result<Answer, Answer> {
    match command {
        Office::Settings => return Ok(Answer::done(config::example())),
        Office::Openapi => return Ok(Answer::done(http::document())),
        _ => {}
    }
    let home = Home::find(home)?;
    match command {
        Office::Init { lock } => Ok(init(&home, lock)?),
        Office::Serve { check_config, passphrase } => Ok(serve(&home, *check_config, passphrase)?),
        Office::Backup { to } => Ok(backup(&home, to)?),
        Office::Restore { from } => Ok(restore(&home, from)?),
        Office::Epoch => Ok(epoch(&home)?),
        Office::Trust => Ok(trust(&home)?),
        Office::Check => Ok(check(&home)?),
        Office::HandBack { purposes, charter: None, of, signing } => {
            signs(&home, signing, |at| exchange::hand_back(at, of.name(), purposes))
        }
        Office::HandBack { purposes, charter: Some(charter), signing, .. } => {
            hand_back(&home, charter, purposes, signing)
        }
        #[cfg(feature = "postgres")]
        Office::Migrate { to_file } => Ok(migrate(&home, to_file)?),
        _ => Err(Answer::unable("this command is not for an office's operator")),
    }
}

fn read_config(home: &Home) -> Result<Config, StorageError> {
    Config::read(home.path(), |name| std::env::var(name).ok())
}

/// Waits for work with the store to end.
fn wait<T>(work: impl Future<Output = Result<T, StorageError>>) -> Result<T, StorageError> {
    serve::runtime()?.block_on(work)
}

fn init(home: &Home, lock: &NewLock) -> Result<Answer, StorageError> {
    let config = read_config(home)?;
    let mut answer = match home.key_file().exists() {
        true => Answer::default(),
        false => {
            let mut made = key::new(home, lock, None)?;
            // Other lines are advice for players.
            made.talk.retain(|line| line.starts_with("WARNING"));
            made.saying(
                "publish the fingerprint where players can compare it before they name your office in their terms",
            )
        }
    };
    let key = KeyFile::open(&home.key_file())?.public();
    let settings = home.path().join(config::FILE);
    let file = home.path().join(&config.database);
    if config.postgres().is_none() && settings.exists() && !file.exists() {
        return Err(StorageError::Refused(format!(
            "there was an office here, and its database {} is missing: restore a copy with  sealed-dice office restore \
             COPY. A new database would not know what was opened; if you want one anyway, remove {} first",
            file.display(),
            settings.display()
        )));
    }
    wait(async {
        match config.postgres() {
            Some(url) => postgres::create(url).await?,
            None => database_file::create(&file)?,
        }
        let store = serve::store(&config, home.path()).await?;
        store.own(key, random::fresh()?).await?;
        serve::check_owner(&store, key).await?;
        // If the database has letters, the operator must decide whether to trust it (`office trust`).
        match (store.owner().await?, store.boxes(None, 1).await?.is_empty()) {
            (Some(owner), true) => witness::trust(&serve::witness(&config, home.path()), &owner),
            _ => Ok(()),
        }
    })?;
    if !settings.exists() {
        let written = atomic::write_new(&settings, config::example().as_bytes(), true);
        written.map_err(|error| StorageError::with(&settings, "written", &error))?;
    }
    let serve = format!("start the office with:  sealed-dice --home {} office serve", home.path().display());
    answer.talk.extend([
        format!("the settings, with their defaults: {}", settings.display()),
        "back up the database with `sealed-dice office backup`, never by copying the file, and the key, once, with \
         `sealed-dice key backup`"
            .into(),
        serve,
    ]);
    Ok(answer)
}

fn serve(home: &Home, only_check: bool, passphrase: &Passphrase) -> Result<Answer, StorageError> {
    let config = read_config(home)?;
    let key = KeyFile::open(&home.key_file())?.public();
    let keys = secrets::unlock(home, &From::choose(passphrase.passphrase_file.clone()))?;
    if only_check {
        return check_serves(&config, home, key);
    }
    serve::log(config.log);
    let threads = serve::runtime()?;
    let served = threads.block_on(async {
        let store = serve::own_store(&config, home.path(), key).await?;
        if store.owner().await?.is_some_and(|owner| owner.restored) {
            terminal::say(posted::RESTORED);
        }
        let service = Service::bind(&config, store, keys).await?;
        let end = serve::ended_by_signal();
        let operations = service.operations().map(|address| format!(", for its operator on http://{address}"));
        terminal::say(&format!("serving on http://{}{}", service.address()?, operations.unwrap_or_default()));
        service.serve(end).await
    });
    // Work that takes longer than the service may take to stop is cut off; nobody was told that it is done.
    threads.shutdown_background();
    served?;
    Ok(Answer::done(String::new()).saying("the office has stopped; everything that it confirmed is on the disk"))
}

/// Checks that an office could serve: its database exists, belongs to it and can be written to. This also works while
/// an office serves and has the database locked.
fn check_serves(config: &Config, home: &Home, key: Hex32) -> Result<Answer, StorageError> {
    serve::check_addresses(config)?;
    match config.postgres() {
        Some(_) => wait(async {
            let store = serve::store(config, home.path()).await?;
            serve::check_owner(&store, key).await?;
            let owner = store.beat().await?;
            let needs_one = !owner.restored && !store.boxes(None, 1).await?.is_empty();
            witness::check(&serve::witness(config, home.path()), needs_one)
        })?,
        None => {
            let path = home.path().join(&config.database);
            database_file::check(&path)?;
            serve::check_is_owner(database_file::owner(&path)?, key)?;
            database_file::beat(&path)?;
            witness::check(&serve::witness(config, home.path()), false)?;
        }
    }
    Ok(Answer::done(
        "the settings are valid, the key can be unlocked, and the database exists, belongs to this office and can be \
         written to\n"
            .into(),
    ))
}

/// Returns the path of the office's database file; refuses if the database is in PostgreSQL.
fn database(home: &Home) -> Result<PathBuf, StorageError> {
    let config = read_config(home)?;
    match config.postgres() {
        None => Ok(home.path().join(config.database)),
        Some(_) => Err(StorageError::Refused(
            "the database is in PostgreSQL: copy it with pg_dump. After a restore with pg_restore, and before the \
             office serves again, type  sealed-dice office restore -"
                .into(),
        )),
    }
}

fn backup(home: &Home, to: &Path) -> Result<Answer, StorageError> {
    database_file::backup(&database(home)?, to, random::fresh()?)?;
    let said = format!("copied and checked: {}", to.display());
    Ok(Answer::done(String::new()).saying(said).saying(
        "a copy does not know what is opened after it was made: restore it only with `sealed-dice office restore`, \
         which allows for that",
    ))
}

fn restore(home: &Home, from: &Path) -> Result<Answer, StorageError> {
    let config = read_config(home)?;
    let is_file = config.postgres().is_none();
    match (is_file, from.as_os_str() == "-") {
        (true, false) => {
            let path = home.path().join(&config.database);
            if path.exists() {
                return Err(StorageError::Refused(format!(
                    "{} exists already: if it can be read, keep it, because it knows more than a copy; otherwise move \
                     it away first, with the files {0}-wal and {0}-shm",
                    path.display()
                )));
            }
            database_file::check(from)?;
            let key = KeyFile::open(&home.key_file())?.public();
            if database_file::owner(from)? != Some(key) {
                return Err(StorageError::Refused(
                    "the copy belongs to another office, whose key is not in this folder; name a copy of this office's \
                     database".into(),
                ));
            }
            database_file::backup(from, &path, random::fresh()?)?;
        }
        (false, true) => mark_restored(&config, home)?,
        (true, true) => return Err(StorageError::Unable("- is for PostgreSQL; name the file with the copy".into())),
        (false, false) => {
            return Err(StorageError::Unable(
                "restore a PostgreSQL database with pg_restore, then type  sealed-dice office restore -".into(),
            ));
        }
    }
    Ok(Answer::done(String::new()).saying(
        "restored; this office does not know what was opened after the copy was made. Start it with `sealed-dice \
         office serve`, so that the players can leave the letters that they hold; nothing is signed until you type  \
         sealed-dice office epoch",
    ))
}

/// Marks a PostgreSQL database that was restored.
fn mark_restored(config: &Config, home: &Home) -> Result<(), StorageError> {
    wait(async {
        let store = serve::store(config, home.path()).await?;
        let key = KeyFile::open(&home.key_file())?.public();
        serve::check_owner(&store, key).await?;
        Ok(store.restored(random::fresh()?, 0).await?)
    })
}

fn epoch(home: &Home) -> Result<Answer, StorageError> {
    let config = read_config(home)?;
    let key = KeyFile::open(&home.key_file())?.public();
    wait(async {
        let store = serve::own_store(&config, home.path(), key).await?;
        let restored = store.owner().await?.is_some_and(|owner| owner.restored);
        if !restored {
            return Err(StorageError::Refused(
                "nothing was restored, so there is nothing to do; a new epoch would make all sealed dice unusable"
                    .into(),
            ));
        }
        store.declared().await?;
        // From now on, this machine remembers what the office signs.
        store.beat().await?;
        Ok(())
    })?;
    Ok(Answer::done(String::new()).saying(
        "declared: in each game the office begins a new epoch with the next letter that it accepts, and signs again; \
         sets that were sealed earlier give no new dice, and their sealers must seal new ones",
    ))
}

fn trust(home: &Home) -> Result<Answer, StorageError> {
    let config = read_config(home)?;
    let key = KeyFile::open(&home.key_file())?.public();
    wait(async {
        let store = serve::store(&config, home.path()).await?;
        serve::check_owner(&store, key).await?;
        let owner = store.beat().await?;
        witness::trust(&serve::witness(&config, home.path()), &owner)
    })?;
    Ok(Answer::done(String::new())
        .saying("the database is trusted as it is; from now on this computer remembers what the office signs"))
}

/// Carries out `office hand-back` for an office service that is stopped.
fn hand_back(home: &Home, charter: &str, purposes: &[String], signing: &Signing) -> Result<Answer, Answer> {
    let game = Hex32::parse(charter).ok_or_else(|| {
        Answer::refused("this is not the id of a charter, which has 64 hexadecimal digits; copy the whole id")
    })?;
    let config = read_config(home)?;
    let key = KeyFile::open(&home.key_file())?.public();
    let keys = std::sync::Arc::new(secrets::unlock(home, &From::choose(signing.passphrase.passphrase_file.clone()))?);
    let done = wait(async {
        let store = serve::own_store(&config, home.path(), key).await?;
        let mailboxes = MailboxService::new(store, keys, config.bounds(), crate::blob::Keys::default());
        Ok(mailboxes.hand_back(game, purposes).await)
    })?;
    match done {
        Ok(letter) => Ok(Answer::done(letter.armour())
            .saying("the sets are handed back; the players will find the letter in the box")),
        Err(PostError::NoBox) => Err(Answer::refused("the office does not have a box for this charter; check the id")),
        Err(PostError::Office(error)) => Err(Answer::refused(error.to_string())),
        Err(PostError::Store(fault)) => Err(StorageError::from(fault).into()),
        Err(PostError::Busy) => Err(Answer::unable("another letter arrived first; try again")),
        Err(unposted) => Err(Answer::unable(format!("nothing was handed back: {unposted:?}; try again"))),
    }
}

fn check(home: &Home) -> Result<Answer, StorageError> {
    let config = read_config(home)?;
    let key = KeyFile::open(&home.key_file())?.public();
    if config.postgres().is_none() {
        database_file::check(&home.path().join(&config.database))?;
    }
    let (boxes, letters) = wait(async {
        let store = serve::store(&config, home.path()).await?;
        serve::check_owner(&store, key).await?;
        look_over(&store).await
    })?;
    let (boxes, letters) = (counted(boxes, "box", "boxes"), counted(letters, "letter", "letters"));
    Ok(Answer::done(format!("good: {boxes}, {letters}, and every signature is valid\n")))
}

/// The number of boxes that are listed at once.
const BOXES: u64 = 256;
/// The size of the letters that are read from a box at once, in bytes.
const PAGE: u64 = 4 << 20;

/// Checks every box and letter in a store: positions have no gaps, signatures are valid, and sizes add up. Returns the
/// numbers of boxes and letters.
async fn look_over(store: &AnyStore) -> Result<(u64, u64), StorageError> {
    let (mut boxes, mut letters, mut after) = (0, 0, None);
    let progress = ProgressBar::new_spinner();
    loop {
        let some = store.boxes(after, BOXES).await?;
        let Some((last, _)) = some.last() else {
            progress.finish_and_clear();
            return Ok((boxes, letters));
        };
        after = Some(*last);
        for (game, stand) in &some {
            let damaged = |what: &str| {
                StorageError::Refused(format!("the box {game} is damaged: {what}; restore the database from a copy"))
            };
            let (mut position, mut bytes, keys) = (0, 0, crate::blob::Keys::default());
            while position < stand.last {
                for row in store.letters(*game, position, PAGE).await? {
                    position += 1;
                    bytes += row.frame.len() as u64;
                    let good = row.position == position && crate::blob::Verified::open(&row.frame, &keys).is_ok();
                    if !good {
                        return Err(damaged(&format!("letter {position} is not valid")));
                    }
                }
            }
            if bytes != stand.bytes {
                return Err(damaged("its size is not the sum of its letters' sizes"));
            }
            boxes += 1;
            letters += position;
            progress.set_position(boxes);
        }
    }
}

fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

#[cfg(feature = "postgres")]
fn migrate(home: &Home, to_file: &Path) -> Result<Answer, StorageError> {
    let from = database(home)?;
    let text = std::fs::read_to_string(to_file).map_err(|error| StorageError::with(to_file, "read", &error))?;
    let to = text.lines().next().unwrap_or_default().to_owned();
    let progress = ProgressBar::new_spinner();
    let generation = random::fresh()?;
    let copied = wait(async {
        Ok(crate::office::store::copy::to_postgres(&from, &to, generation, |letters| progress.set_position(letters))
            .await?)
    });
    progress.finish_and_clear();
    let (boxes, letters) = copied?;
    let (boxes, letters) = (counted(boxes, "box", "boxes"), counted(letters, "letter", "letters"));
    Ok(Answer::done(format!("copied: {boxes}, {letters}\n")).saying(format!(
        "now set  SEALED_DICE_OFFICE_DATABASE_FILE={}  or `database` in {}, and put {} away: it will not know what is \
         signed from now on. It is marked as restored, so that an office that uses it again signs nothing",
        to_file.display(),
        config::FILE,
        from.display()
    )))
}
