//! The player's key: made, unlocked, locked, backed up and compared.

use axum::response::{Html, IntoResponse, Response};
use maud::{Markup, html};

use super::{
    super::{ask, fields::Fields, state::Desk, texts, verb::Verb},
    confirm::{self, GAME, PASSPHRASE, THEN},
    layout::{Here, shown},
};
use crate::{
    blob::{armour, body::Hex32},
    keep::{
        StorageError, backup_page,
        key_file::{self, KeyFile},
        notes::{self, Note},
        root::Root,
    },
    limits::BACKUP_BYTES,
    play,
    primitive::{
        passphrase::Passphrase,
        secret::{SecretText, Wiped},
        wrap,
    },
};

/// The field in which a new passphrase is typed again.
const AGAIN: &str = "again";
/// The field with the groups from a backup page.
const CODE: &str = "code";
/// The field with the file of a backup page.
const PAGE: &str = "page";

/// Shows the key with its fingerprint, or the form that makes one.
pub(in crate::desk) fn page(desk: &Desk) -> Response {
    with(desk, None)
}

fn with(desk: &Desk, failed: Option<&str>) -> Response {
    showing(desk, failed, false)
}

/// Shows the page of the key; `restores` puts the form that restores a key first.
fn showing(desk: &Desk, failed: Option<&str>, restores: bool) -> Response {
    let file = KeyFile::open(&desk.home.key_file());
    let content = html! {
        @if let Some(failed) = failed { div.problem role="alert" { p { (failed) } } }
        @match &file {
            Ok(file) => (own(desk, file)),
            Err(_) if desk.home.key_file().exists() => { p.problem { (texts::KEY_UNREADABLE) } }
            Err(_) if restores => { (restore_form(desk, true)) (new_form(desk, false)) }
            Err(_) => { (new_form(desk, true)) (restore_form(desk, false)) }
        }
    };
    shown(desk, &Here::Home, texts::YOUR_KEY, &content)
}

fn own(desk: &Desk, file: &KeyFile) -> Markup {
    let post = |name: &str| desk.path(&["key", name]);
    html! {
        dl.facts {
            div { dt { (texts::FINGERPRINT) } dd { code { (file.fingerprint()) } } }
            div { dt { (texts::PUBLIC_KEY) } dd {
                code.id #public-key data-copied=(texts::KEY_COPIED) { (file.public()) }
                " " button.scripted type="button" data-copy="public-key" { (texts::COPY_KEY) }
                span role="status" #copied {}
            } }
        }
        p { (texts::READ_IT_ALOUD) }
        details {
            summary { (texts::FOR_A_REFEREE) }
            p { (texts::DEPOSIT_KEY_WHY) }
            @match deposit_key(desk, file) {
                Some(key) => { p { code.id { (key) } } }
                None => { p { (texts::UNLOCK_FIRST) } }
            }
        }
        @if file.is_protected() && !desk.sitting.is_open() {
            form method="post" enctype="multipart/form-data" action=(post("unlock")) {
                (confirm::passphrase_field())
                button type="submit" { (texts::UNLOCK) }
            }
        }
        h2 { (texts::BACKUP) }
        p { (texts::BACKUP_WHY) }
        form method="post" enctype="multipart/form-data" action=(post("backup")) target="_blank" {
            @if file.is_protected() {
                label for="backup-passphrase" { (texts::BACKUP_PASSPHRASE) }
                input #backup-passphrase type="password" name=(PASSPHRASE) autocomplete="current-password" required;
            }
            button type="submit" { (texts::SHOW_BACKUP) }
        }
        @if play::listing::games(&desk.home).is_ok_and(|(games, _)| !games.is_empty()) {
            h2 { (texts::COMPARE) }
            p { (texts::COMPARE_WHY) }
            form method="post" enctype="multipart/form-data" action=(post("compared")) {
                label for="fingerprint" { (texts::THEIR_FINGERPRINT) }
                input #fingerprint name="fingerprint" autocomplete="off" required;
                button type="submit" { (texts::NOTE_COMPARED) }
            }
        }
    }
}

/// Returns the public key to which players deposit sets for a referee; none while the key is locked.
fn deposit_key(desk: &Desk, file: &KeyFile) -> Option<Hex32> {
    let root = if file.is_protected() { desk.sitting.root()? } else { file.root(None).ok()? };
    wrap::public(&root.deposit_key()).map(Hex32)
}

/// The form that makes a new key.
fn new_form(desk: &Desk, is_first: bool) -> Markup {
    html! {
        h2 { (texts::MAKE_KEY_TITLE) }
        p { (texts::NEW_KEY_WHY) }
        form method="post" enctype="multipart/form-data" action=(desk.path(&["key", "new"])) {
            label for=(PASSPHRASE) { (texts::NEW_PASSPHRASE) }
            input id=(PASSPHRASE) type="password" name=(PASSPHRASE) autocomplete="new-password"
                minlength=(key_file::FEWEST) required autofocus[is_first];
            label for=(AGAIN) { (texts::NEW_PASSPHRASE_AGAIN) }
            input id=(AGAIN) type="password" name=(AGAIN) autocomplete="new-password" required;
            button.main[is_first] type="submit" { (texts::MAKE_KEY) }
        }
    }
}

/// The form that restores the key on a backup page.
fn restore_form(desk: &Desk, is_first: bool) -> Markup {
    html! {
        h2 { (texts::RESTORE_TITLE) }
        p { (texts::RESTORE_WHY) }
        form method="post" enctype="multipart/form-data" action=(desk.path(&["key", "restore"])) {
            label for=(CODE) { (texts::RESTORE_CODE) }
            textarea id=(CODE) name=(CODE) rows="4" autocomplete="off" spellcheck="false" autofocus[is_first] {}
            label for=(PAGE) { (texts::RESTORE_FILE) }
            input id=(PAGE) type="file" name=(PAGE);
            label for="restore-passphrase" { (texts::NEW_PASSPHRASE) }
            input #restore-passphrase type="password" name=(PASSPHRASE) autocomplete="new-password"
                minlength=(key_file::FEWEST) required;
            label for="restore-again" { (texts::NEW_PASSPHRASE_AGAIN) }
            input #restore-again type="password" name=(AGAIN) autocomplete="new-password" required;
            button.main[is_first] type="submit" { (texts::RESTORE_KEY) }
        }
    }
}

/// Does something with the key.
pub(in crate::desk) fn act(desk: &Desk, name: &str, fields: &Fields) -> Response {
    let done = match name {
        "new" => new(desk, fields),
        "restore" => {
            return match restore(desk, fields) {
                Ok(file) => restored(desk, &file),
                Err(error) => showing(desk, Some(&error.to_string()), true),
            };
        }
        "lock" => {
            desk.sitting.lock();
            desk.results.forget();
            Ok(())
        }
        "unlock" => return unlock(desk, fields),
        "backup" => return backup(desk, fields).unwrap_or_else(|error| with(desk, Some(&error.to_string()))),
        "compared" => {
            return match play::compared::compare(&desk.home, fields.get("fingerprint")) {
                Ok(whose) => super::said(desk, &texts::compared(&whose)),
                Err(failure) => with(desk, Some(&failure.why.join("; "))),
            };
        }
        _ => return super::missing(desk),
    };
    match done {
        Ok(()) => page(desk),
        Err(error) => with(desk, Some(&error.to_string())),
    }
}

fn typed(fields: &Fields, name: &str) -> Passphrase {
    Passphrase::new(SecretText::new(fields.get(name).to_owned()))
}

fn new(desk: &Desk, fields: &Fields) -> Result<(), StorageError> {
    create(desk, fields, Root::random).map(|_| ())
}

/// Writes the key file with a secret, and unlocks it.
fn create(
    desk: &Desk,
    fields: &Fields,
    root: impl FnOnce() -> Result<Root, StorageError>,
) -> Result<KeyFile, StorageError> {
    let passphrase = typed(fields, PASSPHRASE);
    passphrase_fits(&passphrase, &typed(fields, AGAIN))?;
    let root = root()?;
    desk.home.make()?;
    let file = KeyFile::create(&desk.home.key_file(), root, Some(&passphrase))?;
    desk.sitting.unlock(&file, Some(&passphrase))?;
    Ok(file)
}

/// Restores the key from a backup page, as `key restore` does.
fn restore(desk: &Desk, fields: &Fields) -> Result<KeyFile, StorageError> {
    let page = match fields.files(PAGE).into_iter().next() {
        Some(file) => SecretText::new(armour::readable(&Wiped::new(file.bytes)).into_owned()),
        None => SecretText::new(fields.get(CODE).to_owned()),
    };
    if page.expose().len() > BACKUP_BYTES {
        return Err(StorageError::Refused(texts::RESTORE_TOO_LONG.into()));
    }
    let file = create(desk, fields, || backup_page::read(page.expose()))?;
    notes::add(&desk.home, Note::Page, &file.fingerprint())?;
    Ok(file)
}

/// Says how to get the games of a restored key back.
fn restored(desk: &Desk, file: &KeyFile) -> Response {
    let content = html! {
        dl.facts { div { dt { (texts::FINGERPRINT) } dd { code { (file.fingerprint()) } } } }
        ol { @for line in texts::RESTORED_THEN { li { (line) } } }
        (super::mail_form::mail_form(desk))
    };
    shown(desk, &Here::Home, texts::RESTORED, &content)
}

fn passphrase_fits(passphrase: &Passphrase, again: &Passphrase) -> Result<(), StorageError> {
    key_file::check_new(passphrase)?;
    match passphrase.same(again) {
        true => Ok(()),
        false => Err(StorageError::Refused(texts::PASSPHRASES_DIFFER.into())),
    }
}

/// Unlocks the key, and goes on with the action that waited for it.
fn unlock(desk: &Desk, fields: &Fields) -> Response {
    let open = KeyFile::open(&desk.home.key_file())
        .and_then(|file| desk.sitting.unlock(&file, Some(&typed(fields, PASSPHRASE))));
    let game = fields.said(GAME);
    let Some(verb) = Verb::parse(fields.get(THEN)) else {
        return match open {
            Ok(()) => page(desk),
            Err(error) => with(desk, Some(&error.to_string())),
        };
    };
    let mut carried = Fields::default();
    fields.without(&[PASSPHRASE, THEN, GAME]).for_each(|(name, value)| carried.push(name, value));
    match open {
        Ok(()) => ask::act(desk, game, verb, &carried),
        Err(error) => confirm::unlock(desk, game, verb, &carried, Some(&error)),
    }
}

/// Shows the page that restores the key, for printing.
fn backup(desk: &Desk, fields: &Fields) -> Result<Response, StorageError> {
    let file = KeyFile::open(&desk.home.key_file())?;
    let passphrase = file.is_protected().then(|| typed(fields, PASSPHRASE));
    let root = file.root(passphrase.as_ref())?;
    let page = backup_page::html(&root, &backup_page::text(&root, &file.fingerprint()))?;
    notes::add(&desk.home, Note::Page, &file.fingerprint())?;
    let policy = [("content-security-policy", super::report::POLICY)];
    Ok((policy, Html(page.expose().to_owned())).into_response())
}
