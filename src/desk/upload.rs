//! Reads the fields and files of a posted form.

use axum::{
    extract::{FromRequest, Multipart, Request},
    http::StatusCode,
    response::{IntoResponse, Response},
};

use super::{
    fields::{Fields, Upload},
    texts,
};

/// Most bytes of a form with its files: a mailbox of a long game.
pub(super) const MOST: usize = 64 << 20;

impl<S: Send + Sync> FromRequest<S> for Fields {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let form = Multipart::from_request(request, state).await.map_err(|_| refused())?;
        parts(form).await.ok_or_else(refused)
    }
}

async fn parts(mut form: Multipart) -> Option<Fields> {
    let mut fields = Fields::default();
    while let Some(part) = form.next_field().await.ok()? {
        let (name, file) = (part.name()?.to_owned(), part.file_name().map(str::to_owned));
        let bytes = part.bytes().await.ok()?;
        match file {
            None => fields.push(&name, String::from_utf8(bytes.to_vec()).ok()?),
            // A browser sends an empty part where no file was chosen.
            Some(file) if !file.is_empty() || !bytes.is_empty() => {
                fields.push_file(&name, &Upload { name: file, bytes: bytes.to_vec() });
            }
            Some(_) => {}
        }
    }
    Some(fields)
}

fn refused() -> Response {
    (StatusCode::BAD_REQUEST, texts::UNREADABLE_FORM).into_response()
}
