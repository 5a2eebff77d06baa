//! Boxes: what the office is, how a box is opened, and how letters are left in it and fetched (`protocol/post.md` 10 to 14).

use axum::{
    Json,
    body::Bytes,
    extract::{FromRequest, Path, Query, Request, State, rejection::BytesRejection},
    http::{HeaderMap, StatusCode},
};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::{MaybeReader, Office, Problem, Reader, problem::too_large};
use crate::{
    blob::{Hex32, Keys, Kind, Verified, armour},
    game::steps::Letter,
    office::{
        answers::{Boxes, Card, NotTaken, Owned, Page, Placed, Taken},
        clerk::now,
    },
};

/// The header with the word that opens a box.
const INVITATION: &str = "invitation";
/// Most bytes of letters in one page.
pub(super) const PAGE_BYTES: u64 = 1 << 20;

/// What a charter must say of this office
#[utoipa::path(get, path = "/v1/office", responses((status = 200, body = Card), (status = "default", body = Problem)))]
pub(super) async fn office(State(office): State<Office>) -> Json<Card> {
    Json(Card {
        deposit: office.deposit.to_string(),
        key: office.key().to_string(),
        name: office.name.to_string(),
        now: now(),
    })
}

/// A text that was left.
pub(super) struct Text(Vec<u8>);

impl FromRequest<Office> for Text {
    type Rejection = Problem;

    async fn from_request(request: Request, office: &Office) -> Result<Self, Problem> {
        match Bytes::from_request(request, office).await {
            Ok(bytes) => Ok(Self(bytes.to_vec())),
            Err(rejection) => Err(match rejection.status() {
                StatusCode::PAYLOAD_TOO_LARGE => too_large(office.limits.body_bytes),
                _ => unread(&rejection),
            }),
        }
    }
}

fn unread(rejection: &BytesRejection) -> Problem {
    Problem::bad_request(rejection.body_text())
}

/// The letters of a text, and what is damaged.
async fn letters(text: Text) -> Result<(Vec<Letter>, Vec<NotTaken>), Problem> {
    let found = tokio::task::spawn_blocking(move || {
        let (mut letters, mut refused, mut keys) = (Vec::new(), Vec::new(), Keys::default());
        for blob in armour::find(&text.0) {
            let opened = match blob.frame {
                Ok(frame) => Verified::open(&frame, &mut keys).map(|message| Letter { message, frame }),
                Err(error) => Err(error.into()),
            };
            match opened {
                Ok(letter) => letters.push(letter),
                Err(refusal) => refused.push(NotTaken {
                    class: refusal.error.class().as_str().to_owned(),
                    id: refusal.id.map(|id| id.to_string()),
                    text: refusal.error.to_string(),
                }),
            }
        }
        (letters, refused)
    });
    let (letters, refused) = found.await.map_err(|_| Problem::fault())?;
    match letters.is_empty() && refused.is_empty() {
        true => Err(Problem::bad_request("there is no letter in this text")),
        false => Ok((letters, refused)),
    }
}

/// Opens a box with its charter
#[utoipa::path(
    post, path = "/v1/games",
    request_body(content = String, content_type = "text/plain", description = "A text with a charter"),
    params(("Invitation" = Option<String>, Header, description = "The operator's word, where he asks for one")),
    responses((status = 200, body = Taken), (status = "default", body = Problem))
)]
pub(super) async fn open(State(office): State<Office>, headers: HeaderMap, text: Text) -> Result<Json<Taken>, Problem> {
    let word = headers.get(INVITATION).and_then(|word| word.to_str().ok());
    let is_guest = |word: &str| {
        use crate::primitive::secret::same;
        office.invitations.iter().any(|known| same(known.as_bytes(), word.as_bytes()))
    };
    if !office.invitations.is_empty() && !word.is_some_and(is_guest) {
        return Err(Problem::invitation());
    }
    let (letters, refused) = letters(text).await?;
    let charter = letters.into_iter().find(|letter| letter.message.head().kind == Kind::Charter);
    let charter = charter.ok_or_else(|| Problem::bad_request("there is no charter in this text"))?;
    let mut taken = Taken::of(office.clerk.open(charter).await?);
    taken.refused = refused;
    Ok(Json(taken))
}

/// The boxes of whoever has the pass
#[utoipa::path(
    get, path = "/v1/games", security(("pass" = [])),
    responses((status = 200, body = Boxes), (status = "default", body = Problem))
)]
pub(super) async fn list(State(office): State<Office>, Reader(key): Reader) -> Result<Json<Boxes>, Problem> {
    let boxes = office.clerk.store().boxes_of(key).await?;
    let games = boxes.into_iter().map(|(game, stand)| Owned { game: game.to_string(), last: stand.last }).collect();
    Ok(Json(Boxes { games }))
}

/// The id of a charter.
#[derive(Deserialize, IntoParams, ToSchema)]
#[into_params(parameter_in = Path)]
pub(super) struct Game {
    /// The id of the charter, 64 digits of hex in lower case
    #[param(pattern = "^[0-9a-f]{64}$")]
    game: String,
}

impl Game {
    /// An id that is none names no box.
    pub(super) fn id(&self) -> Result<Hex32, Problem> {
        Hex32::parse(&self.game).ok_or_else(Problem::no_box)
    }
}

/// Leaves letters in a box, and is answered with what the office signs
#[utoipa::path(
    post, path = "/v1/games/{game}/letters", params(Game),
    request_body(content = String, content_type = "text/plain", description = "A text with letters"),
    security((), ("pass" = [])),
    responses((status = 200, body = Taken), (status = "default", body = Problem))
)]
pub(super) async fn post(
    State(office): State<Office>,
    Path(game): Path<Game>,
    MaybeReader(reader): MaybeReader,
    text: Text,
) -> Result<Json<Taken>, Problem> {
    let game = game.id()?;
    let (letters, refused) = letters(text).await?;
    let may_read = match reader {
        Some(key) => office.clerk.store().may_read(game, key).await?,
        None => false,
    };
    if letters.len() as u64 > office.limits.letters_a_request {
        return Err(Problem::bad_request(format!(
            "more than {} letters: leave them in several requests",
            office.limits.letters_a_request
        )));
    }
    let posted = office.clerk.post(game, letters).await;
    // Who may not read learns what became of a letter only if the office took it: it was for him to leave.
    let posted = match (posted, may_read) {
        (Ok(posted), false) if !posted.is_of_box => return Err(Problem::no_box()),
        (posted, _) => posted?,
    };
    let mut taken = match may_read {
        true => Taken::of(posted),
        false => Taken::unseen(Vec::new()),
    };
    taken.refused.extend(refused);
    Ok(Json(taken))
}

/// Where to read on.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct After {
    /// The position behind which to read; 0 if left out
    #[param(maximum = 9007199254740991u64)]
    after: Option<u64>,
}

impl After {
    /// The position.
    pub(super) fn position(&self) -> u64 {
        self.after.unwrap_or(0).min(crate::limits::INTEGER as u64)
    }
}

/// A query that may be none.
pub(super) type Asked = Result<Query<After>, axum::extract::rejection::QueryRejection>;

/// The position that a query asks for.
pub(super) fn position(asked: Asked) -> Result<u64, Problem> {
    asked.map(|Query(after)| after.position()).map_err(|_| Problem::bad_request("after is a position, a number from 0"))
}

/// That a box is there for a reader.
pub(super) async fn check_reader(office: &Office, game: &Game, key: Hex32) -> Result<Hex32, Problem> {
    let game = game.id()?;
    match office.clerk.store().may_read(game, key).await? {
        true => Ok(game),
        false => Err(Problem::no_box()),
    }
}

/// Letters of a box, a page at a time
#[utoipa::path(
    get, path = "/v1/games/{game}/letters", params(Game, After), security(("pass" = [])),
    responses((status = 200, body = Page), (status = "default", body = Problem))
)]
pub(super) async fn page(
    State(office): State<Office>,
    Path(game): Path<Game>,
    asked: Asked,
    Reader(key): Reader,
) -> Result<Json<Page>, Problem> {
    let after = position(asked)?;
    let game = check_reader(&office, &game, key).await?;
    let (rows, next, more) = office.clerk.page(game, after, PAGE_BYTES).await?;
    Ok(Json(Page { letters: rows.into_iter().map(Placed::from).collect(), more, next }))
}
