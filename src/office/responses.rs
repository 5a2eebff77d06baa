//! The responses of the office: answers made from rows of the store and from posted letters, and the OpenAPI document.

use utoipa::openapi::{
    InfoBuilder, LicenseBuilder, OpenApi,
    security::{ApiKey, ApiKeyValue, SecurityScheme},
};

use super::{
    answers::{NotTaken, Placed, Taken, Used, Waiting},
    posted::Posted,
    store::Row,
};
use crate::{blob::armour, game::steps::Letter};

impl From<Row> for Placed {
    fn from(row: Row) -> Self {
        Self { letter: armour::write(&row.frame), position: row.position }
    }
}

impl Taken {
    /// Makes the answer for a reader of the box.
    pub(crate) fn of(posted: Posted) -> Self {
        let placed = |(position, letter): (u64, Letter)| Placed { letter: letter.armour(), position };
        let (most, used) = posted.room;
        let used = used.into_iter().map(|(role, share)| Used {
            author: role.to_string(),
            bytes: share.bytes,
            letters: share.letters,
            most_bytes: most.bytes,
            most_letters: most.letters,
        });
        Self {
            letters: posted.letters.into_iter().map(placed).collect(),
            next: posted.last,
            refused: posted
                .refused
                .iter()
                .map(|refused| NotTaken {
                    class: refused.class.to_owned(),
                    id: Some(refused.id.to_string()),
                    text: refused.text.clone(),
                })
                .collect(),
            restored: posted.restored,
            room: used.collect(),
            waiting: posted
                .waiting
                .into_iter()
                .map(|(unopened, quoted)| Waiting {
                    code: unopened.because.code().to_owned(),
                    declaration: unopened.declaration.to_string(),
                    letters: unopened.letters.iter().map(ToString::to_string).collect(),
                    quoted: quoted.iter().map(Letter::armour).collect(),
                    text: unopened.text,
                })
                .collect(),
        }
    }

    /// Makes the answer for a client that may not read the box. It covers only the letters that could not be parsed,
    /// which the client can check itself.
    pub(crate) fn unseen(refused: Vec<NotTaken>) -> Self {
        Self { refused, ..Self::default() }
    }
}

/// Adds the parts of the OpenAPI document that the paths do not describe.
pub(crate) fn describe(document: &mut OpenApi) {
    let license = env!("CARGO_PKG_LICENSE");
    document.info = InfoBuilder::new()
        .title(concat!(env!("CARGO_PKG_NAME"), " office"))
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some("Players leave letters here, and fetch letters and answers: protocol/post.md"))
        .license(Some(LicenseBuilder::new().name(license).identifier(Some(license)).build()))
        .build();
    let scheme = ApiKeyValue::with_description(
        "Authorization",
        "The word Pass, a signed line and its signature: protocol/post.md 6",
    );
    let components = document.components.get_or_insert_default();
    components.add_security_scheme("pass", SecurityScheme::ApiKey(ApiKey::Header(scheme)));
}
