//! Boxes: the office's card, opening a box, and leaving and fetching its letters (`protocol/post.md` 10 to 14).

use std::{net::IpAddr, sync::Arc, time::Duration};

use axum::{
    Json,
    extract::{
        FromRequest, Path, Query, Request, State,
        rejection::{PathRejection, QueryRejection},
    },
    http::{HeaderMap, header::CONTENT_LENGTH},
};
use futures_util::StreamExt;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::{
    problem::{Problem, too_large},
    request::{MaybeReader, Office, Reader},
};
use crate::{
    blob::{Hex32, Kind, Verified, armour},
    game::steps::Letter,
    limits::INTEGER,
    office::{
        answers::{Boxes, Card, NotTaken, Owned, Page, Placed, Taken},
        config::TRANSIT_SHARES,
        cpu_pool::{Patience, Who, are_few, expected},
        posted::{Client, PostError, now},
        quota::QuotaGuard,
    },
};

/// The name of the header with the word that opens a box.
const INVITATION: &str = "invitation";
/// The maximum number of bytes of letters in one page.
const PAGE_BYTES: u64 = 1 << 20;
/// The maximum number of boxes in one page.
const PAGE_BOXES: usize = 256;

/// Returns what a charter must say about this office
#[utoipa::path(get, path = "/v1/office", responses((status = 200, body = Card), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn office(State(office): State<Office>) -> Json<Card> {
    Json(Card {
        deposit: office.deposit.to_string(),
        key: office.key.to_string(),
        name: office.name.to_string(),
        now: now(),
    })
}

/// The text of a request. It holds its share of the quota until the request is answered.
pub(super) struct Text {
    text: Arc<Vec<u8>>,
    /// The address that left the text, or the 64-bit network of an IPv6 address.
    client: IpAddr,
    /// The text's share of all texts in transit.
    _share: QuotaGuard<IpAddr>,
}

impl FromRequest<Office> for Text {
    type Rejection = Problem;

    /// Reads the text as it arrives, within the limits on bytes and on time.
    async fn from_request(request: Request, office: &Office) -> Result<Self, Problem> {
        let most = office.limits.body_bytes;
        let told = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if told.is_some_and(|told| told > most) {
            return Err(too_large(most));
        }
        let client = office.client(&request).ok_or_else(Problem::busy)?;
        let read = async {
            let mut text = Vec::new();
            let mut share = office.coming.take(client, 0).ok_or_else(Problem::busy)?;
            let mut pieces = request.into_body().into_data_stream();
            while let Some(piece) = pieces.next().await {
                let piece = piece.map_err(|_| Problem::bad_request("the text ended early: send it again"))?;
                if (text.len() + piece.len()) as u64 > most {
                    return Err(too_large(most));
                }
                // However many long texts wait for their turns, room is left for short ones.
                let left = match are_few(text.len() + piece.len()) {
                    true => 0,
                    false => office.limits.transit_bytes / TRANSIT_SHARES,
                };
                if !share.more_leaving(left, piece.len()) {
                    return Err(Problem::busy());
                }
                text.extend_from_slice(&piece);
            }
            Ok(Self { text: Arc::new(text), client, _share: share })
        };
        let patience = Duration::from_secs(office.limits.body_seconds);
        tokio::time::timeout(patience, read).await.map_err(|_| Problem::too_slow())?
    }
}

/// Reads the letters in a text, and lists the damaged ones. Refuses a long text for a box that does not exist.
async fn letters(text: &Text, office: &Office, game: Option<Hex32>) -> Result<(Vec<Letter>, Vec<NotTaken>), Problem> {
    let who = Who { client: Some(text.client), game: None };
    let (most, keys, text) = (office.limits.letters_a_request, office.known.clone(), Arc::clone(&text.text));
    let (bytes, turns) = (text.len(), office.mailboxes.pool());
    let turn = match are_few(bytes) {
        // Short texts are read at once, without a turn.
        true => None,
        false => Some(turns.turn(who, expected(bytes), Patience::Answer).await.ok_or_else(Problem::busy)?),
    };
    // This is looked up only within the turn, so that getting a turn does not reveal whether the box exists.
    let is_there = match game.filter(|_| turn.is_some()) {
        Some(game) => !matches!(office.mailboxes.store().stand(game).await, Ok(None)),
        None => true,
    };
    let work = move || {
        let (mut letters, mut refused) = (Vec::new(), Vec::new());
        let blobs = armour::find(&text);
        if blobs.len() as u64 > most {
            return Err(Problem::bad_request(format!(
                "the text has more than {most} letters: leave them in several requests"
            )));
        }
        // Errors in the text itself are reported first, just as when the box exists.
        if !is_there && !blobs.is_empty() {
            return Err(Problem::no_box());
        }
        for blob in blobs {
            let opened = match blob.frame {
                Ok(frame) => Verified::open(&frame, &keys).map(|message| Letter { message, frame }),
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
        Ok((letters, refused))
    };
    let found = match turn {
        Some(turn) => turn.work(work).await,
        None => turns.at_once(who, work),
    };
    let (found, _) = found.ok_or_else(Problem::fault)?;
    let (letters, refused) = found?;
    match letters.is_empty() && refused.is_empty() {
        true => Err(Problem::bad_request(
            "the text does not contain a letter: copy letters whole, with their first and last lines",
        )),
        false => Ok((letters, refused)),
    }
}

/// Opens a box with its charter
#[utoipa::path(
    post, path = "/v1/games",
    request_body(content = String, content_type = "text/plain", description = "A text with a charter"),
    params(("Invitation" = Option<String>, Header, description = "The operator's word, where they ask for one")),
    responses((status = 200, body = Taken), (status = "default", body = Problem, content_type = "application/problem+json"))
)]
pub(super) async fn open(State(office): State<Office>, headers: HeaderMap, text: Text) -> Result<Json<Taken>, Problem> {
    let word = headers.get(INVITATION).and_then(|word| word.to_str().ok());
    let invitation = word.and_then(|word| office.invitation(word));
    let is_guest = office.invitations.is_empty() || invitation.is_some();
    let (letters, refused) = letters(&text, &office, None).await?;
    let charter = letters.into_iter().find(|letter| letter.message.head().kind == Kind::Charter);
    let charter =
        charter.ok_or_else(|| Problem::bad_request("the text does not contain a charter: send the game's terms"))?;
    // A box that is already open can be found without an invitation (post 1).
    if !is_guest && office.mailboxes.store().stand(charter.message.id()).await?.is_none() {
        return Err(Problem::invitation());
    }
    let client = Client { address: Some(text.client), invitation };
    let mut taken = Taken::of(office.mailboxes.open(client, charter).await?);
    taken.refused = refused;
    Ok(Json(taken))
}

/// The box after which a page of boxes begins.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Behind {
    /// The id after which the list begins, as 64 lower-case hex digits; without one, it begins with the first box
    #[param(pattern = "^[0-9a-f]{64}$")]
    after: Option<String>,
}

/// Lists the boxes that the pass is good for, a page at a time
#[utoipa::path(
    get, path = "/v1/games", params(Behind), security(("pass" = [])),
    responses((status = 200, body = Boxes), (status = "default", body = Problem, content_type = "application/problem+json"))
)]
pub(super) async fn list(
    State(office): State<Office>,
    asked: Result<Query<Behind>, QueryRejection>,
    Reader { key, .. }: Reader,
) -> Result<Json<Boxes>, Problem> {
    let no_id = || Problem::bad_request("after must be the id of a charter: 64 hex digits in lower case");
    let after = asked.map_err(|_| no_id())?.0.after;
    let after = after.map(|after| Hex32::parse(&after).ok_or_else(no_id)).transpose()?;
    let mut boxes = office.mailboxes.store().boxes_of(key, after, PAGE_BOXES as u64 + 1).await?;
    let more = boxes.len() > PAGE_BOXES;
    boxes.truncate(PAGE_BOXES);
    let games = boxes.into_iter().map(|(game, stand)| Owned { game: game.to_string(), last: stand.last }).collect();
    Ok(Json(Boxes { games, more }))
}

/// The id of a charter.
#[derive(Deserialize, IntoParams, ToSchema)]
#[into_params(parameter_in = Path)]
pub(super) struct Game {
    /// The id of the charter, as 64 lower-case hex digits
    #[param(pattern = "^[0-9a-f]{64}$")]
    game: String,
}

/// An id in a path, which may be invalid.
pub(super) type Named = Result<Path<Game>, PathRejection>;

/// Parses the id in a path. An invalid id is answered like a missing box.
fn id_of(named: Named) -> Result<Hex32, Problem> {
    named.ok().and_then(|Path(game)| Hex32::parse(&game.game)).ok_or_else(Problem::no_box)
}

/// Leaves letters in a box, and returns what the office signs
#[utoipa::path(
    post, path = "/v1/games/{game}/letters", params(Game),
    request_body(content = String, content_type = "text/plain", description = "A text with letters"),
    security((), ("pass" = [])),
    responses((status = 200, body = Taken), (status = "default", body = Problem, content_type = "application/problem+json"))
)]
pub(super) async fn post(
    State(office): State<Office>,
    game: Named,
    reader: MaybeReader,
    text: Text,
) -> Result<Json<Taken>, Problem> {
    let reader = reader.key(&office)?;
    let game = id_of(game)?;
    let (letters, refused) = letters(&text, &office, Some(game)).await?;
    // A client that hangs up does not stop work in progress.
    let mailboxes = Arc::clone(&office.mailboxes);
    let client = Client { address: Some(text.client), invitation: None };
    let work = async move {
        let _held = text;
        mailboxes.post(client, game, letters).await
    };
    let posted = tokio::spawn(work).await.map_err(|_| Problem::fault())?;
    // This is looked up after the letters are stored, so that the answer depends on who may read the box now.
    let may_read = match reader {
        Some(key) => office.mailboxes.store().may_read(game, key).await?,
        None => false,
    };
    // A client that may not read the box learns that it exists only if one of the client's letters is in it now.
    let posted = match (posted, may_read) {
        (Ok(posted), false) if !posted.is_of_box => return Err(Problem::no_box()),
        // Only a box that exists can be busy (post 9).
        (Err(PostError::Busy), false) => return Err(Problem::no_box()),
        (posted, _) => posted?,
    };
    let mut taken = match may_read {
        true => Taken::of(posted),
        false => Taken::unseen(Vec::new()),
    };
    taken.refused.extend(refused);
    Ok(Json(taken))
}

/// The position after which to read.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct After {
    /// The position after which to read; 0 if left out
    #[param(maximum = 9007199254740991u64)]
    after: Option<u64>,
}

/// A query, which may be invalid.
pub(super) type Asked = Result<Query<After>, QueryRejection>;

/// Returns the position that a query asks for.
pub(super) fn position(asked: Asked) -> Result<u64, Problem> {
    let position = asked.ok().map(|Query(after)| after.after.unwrap_or(0)).filter(|after| *after <= INTEGER as u64);
    position.ok_or_else(|| Problem::bad_request("after must be a position: a number from 0 to 2^53 - 1"))
}

/// Checks that a box exists and that a reader may read it.
pub(super) async fn check_reader(office: &Office, game: Named, key: Hex32) -> Result<Hex32, Problem> {
    let game = id_of(game)?;
    match office.mailboxes.store().may_read(game, key).await? {
        true => Ok(game),
        false => Err(Problem::no_box()),
    }
}

/// Returns letters from a box, a page at a time
#[utoipa::path(
    get, path = "/v1/games/{game}/letters", params(Game, After), security(("pass" = [])),
    responses((status = 200, body = Page), (status = "default", body = Problem, content_type = "application/problem+json"))
)]
pub(super) async fn page(
    State(office): State<Office>,
    game: Named,
    asked: Asked,
    Reader { key, .. }: Reader,
) -> Result<Json<Page>, Problem> {
    let after = position(asked)?;
    let game = check_reader(&office, game, key).await?;
    let _turn = office.making.acquire().await.map_err(|_| Problem::fault())?;
    let (rows, next, more) = office.mailboxes.page(game, after, PAGE_BYTES).await?;
    let owner = office.mailboxes.store().owner().await?;
    let generation = owner.map_or_else(String::new, |owner| owner.generation.to_string());
    Ok(Json(Page { generation, letters: rows.into_iter().map(Placed::from).collect(), more, next }))
}
