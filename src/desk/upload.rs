//! Reads the fields and files of a posted form.

use std::path::Path;

use axum::{
    extract::{FromRequest, Multipart, Request},
    http::StatusCode,
    response::{IntoResponse, Response},
};

use super::{
    act::MOVES,
    fields::{Fields, Upload},
    texts,
};
use crate::{
    blob::body::{FileHash, Hex32},
    primitive::hash::file_hash,
};

/// The maximum number of bytes of a form with its files: a mailbox of a long game.
pub(super) const MOST: usize = 64 << 20;
/// The maximum number of fields and files in a form: pages look through all of them for each field that they show.
const MOST_FIELDS: usize = 10_000;

impl<S: Send + Sync> FromRequest<S> for Fields {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let form = Multipart::from_request(request, state).await.map_err(|_| refused())?;
        parts(form).await.ok_or_else(refused)
    }
}

async fn parts(mut form: Multipart) -> Option<Fields> {
    let mut fields = Fields::default();
    for _ in 0..MOST_FIELDS {
        let Some(part) = form.next_field().await.ok()? else { return Some(fields) };
        let (name, file) = (unescaped(part.name()?), part.file_name().map(unescaped));
        let bytes = part.bytes().await.ok()?;
        match file {
            // Browsers send the line ends of mail.
            None => fields.push(&name, String::from_utf8(bytes.to_vec()).ok()?.replace("\r\n", "\n")),
            Some(file) if name == MOVES && !file.is_empty() => fields.push_hash(&name, &hashed(&file, &bytes)),
            // A browser sends an empty part where no file was chosen.
            Some(file) if !file.is_empty() || !bytes.is_empty() => {
                fields.push_file(&name, &Upload { name: file, bytes: bytes.to_vec() });
            }
            Some(_) => {}
        }
    }
    None
}

/// Reads a name as browsers write it in a form: a quotation mark and ends of lines are escaped, nothing else is.
fn unescaped(name: &str) -> String {
    name.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n")
}

/// The name, length and hash of a file.
fn hashed(name: &str, bytes: &[u8]) -> FileHash {
    let name = Path::new(name).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    FileHash { length: bytes.len() as u64, name, sha3_256: Hex32(file_hash(bytes)) }
}

fn refused() -> Response {
    (StatusCode::BAD_REQUEST, texts::UNREADABLE_FORM).into_response()
}
