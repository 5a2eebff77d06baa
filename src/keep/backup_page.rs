//! The backup page that restores a key: as plain text, which is enough alone, or as HTML that adds a QR code.

use std::fmt::Write as _;

use qrcode::{EcLevel, QrCode, render::svg};

use super::{StorageError, backup, root::Root};
use crate::primitive::secret::{SecretText, Wiped};

/// The word at the beginning of the line with the fingerprint.
const FINGERPRINT: &str = "fingerprint";
/// The number of groups on a line.
const A_LINE: usize = 5;

/// Returns the backup page as plain text of at most 72 columns.
#[must_use]
pub fn text(root: &Root, fingerprint: &str) -> SecretText {
    let mut page = String::with_capacity(4096); // growing would leave a copy behind
    let _ = write!(
        page,
        "SECRET: the backup of a sealed-dice key. Never mail it, never paste it.\n\
         \n\
         Anyone who reads this page can sign letters as its owner, and know their\n\
         dice before they are rolled. No passphrase protects it. Keep it as safe\n\
         as money, and away from cameras that upload their pictures.\n\n\
         {FINGERPRINT}  {fingerprint}\n\
         printed      {}, by this computer's clock\n\n\
         -----{}-----\n",
        today(),
        backup::BEGIN
    );
    let code = backup::write(root);
    let groups: Vec<&str> = code.expose().split(' ').collect();
    for (i, line) in groups.chunks(A_LINE).enumerate() {
        let first = i * A_LINE + 1;
        let _ = write!(page, "groups {first:2} to {:2}:  ", first + line.len() - 1);
        for group in line {
            let _ = write!(page, " {group}");
        }
        page.push('\n');
    }
    let _ = write!(
        page,
        "-----{}-----\n\
         \n\
         To restore the key on a computer that has none, type\n\n    sealed-dice key restore\n\n\
         and then the groups, or start  sealed-dice desk  and choose “Restore my\n\
         key”. Type them in upper or lower case. O is read as 0, and both I and\n\
         L as 1. The last character of each group is a check, so you are told\n\
         which group is wrong. Then compare the fingerprint with the one above.\n\
         To do it without sealed-dice, see protocol/key-file.md in its source\n\
         code.\n",
        backup::END
    );
    SecretText::new(page)
}

/// Returns the backup page as HTML: the plain text, and its code drawn as a QR code.
///
/// # Errors
/// If the code cannot be drawn.
pub fn html(root: &Root, text: &SecretText) -> Result<SecretText, StorageError> {
    let code = backup::write(root);
    let read = Wiped::new(format!("SEALED DICE SECRET BACKUP: {}", code.expose()));
    let drawn = QrCode::with_error_correction_level(read.as_bytes(), EcLevel::M).map_err(|error| {
        StorageError::Unable(format!("the QR code cannot be drawn: {error}; use a file name that ends in .txt"))
    })?;
    let drawn = Wiped::new(drawn.render::<svg::Color<'_>>().min_dimensions(220, 220).build());
    let drawn = drawn.split_once("?>").map_or(drawn.as_str(), |(_, svg)| svg);
    Ok(SecretText::new(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>SECRET: backup of a sealed-dice key</title>\n\
         <style>body{{margin:1.5em}}pre{{font:11pt/1.35 monospace;white-space:pre-wrap}}svg{{width:6cm;height:6cm}}</style>\n</head>\n<body>\n\
         <pre>\n{}</pre>\n{drawn}\n<p>The QR code contains the same groups; the text alone is \
         enough.</p>\n</body>\n</html>\n",
        text.expose()
    )))
}

/// Reads the root secret from a page, or from its code alone. If a page shows a fingerprint, it must match the code.
///
/// # Errors
/// If groups are missing or wrong, or the fingerprint does not match. The error never quotes the code.
pub fn read(page: &str) -> Result<Root, StorageError> {
    let root = backup::read(page).map_err(|error| StorageError::Refused(error.to_string()))?;
    let fingerprint = root.keys().signing().public().fingerprint();
    if fingerprint_of(page).is_some_and(|printed| printed != fingerprint) {
        return Err(StorageError::Refused(format!(
            "the fingerprint on the page is not the one that its code gives ({fingerprint}): the page was altered, or \
             put together from two pages; nothing was written. Use another copy of the page"
        )));
    }
    Ok(root)
}

/// Returns the fingerprint that a page shows, if it shows one.
fn fingerprint_of(page: &str) -> Option<String> {
    let shown = page.lines().find_map(|line| line.trim_start().strip_prefix(FINGERPRINT))?;
    let groups: Vec<&str> = shown.split_whitespace().take(6).collect();
    Some(groups.join(" "))
}

/// Returns today's date in UTC by this machine's clock, as `YYYY-MM-DD`.
fn today() -> String {
    jiff::Timestamp::now().to_string().chars().take(10).collect()
}
