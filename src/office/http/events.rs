//! Waiting for letters: server-sent events whose ids resume (`protocol/post.md` 15).

use std::{
    collections::HashMap,
    convert::Infallible,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{
    extract::State,
    http::HeaderMap,
    response::sse::{Event, KeepAlive, Sse},
};
use futures_util::{Stream, stream};
use tokio::sync::{OwnedSemaphorePermit, watch};

use super::{
    Office, Problem, Reader,
    boxes::{After, Asked, Game, Named, PAGE_BYTES, check_reader, position},
};
use crate::{blob::Hex32, office::answers::Placed};

/// How often a stream without letters says that it is alive, and looks into the store without being told.
const ALIVE: Duration = Duration::from_secs(20);

/// A stream of letters, as it goes on.
struct Watch {
    office: Office,
    game: Hex32,
    after: u64,
    /// Read and not given yet, the last one first.
    read: Vec<Placed>,
    told: watch::Receiver<u64>,
    ending: watch::Receiver<bool>,
    _place: OwnedSemaphorePermit,
    _own: Own,
}

/// Most streams of one key.
const OF_A_KEY: usize = 16;

/// One of a key's streams, counted as long as it is held.
struct Own {
    all: Arc<Mutex<HashMap<Hex32, usize>>>,
    key: Hex32,
}

impl Own {
    fn admit(office: &Office, key: Hex32) -> Option<Self> {
        let mut all = office.streams_of.lock().unwrap_or_else(PoisonError::into_inner);
        let count = all.entry(key).or_default();
        if *count >= OF_A_KEY {
            return None;
        }
        *count += 1;
        Some(Self { all: Arc::clone(&office.streams_of), key })
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = all.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                all.remove(&self.key);
            }
        }
    }
}

/// Letters of a box as they come
#[utoipa::path(
    get, path = "/v1/games/{game}/events",
    params(Game, After, ("Last-Event-ID" = Option<u64>, Header, description = "The position to go on from")),
    security(("pass" = [])),
    responses(
        (status = 200, content_type = "text/event-stream", body = String),
        (status = "default", body = Problem, content_type = "application/problem+json")
    )
)]
pub(super) async fn events(
    State(office): State<Office>,
    game: Named,
    asked: Asked,
    headers: HeaderMap,
    Reader(key): Reader,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let after = position(asked)?;
    let game = check_reader(&office, game, key).await?;
    let resumed = headers.get("last-event-id").and_then(|id| id.to_str().ok()).and_then(|id| id.parse().ok());
    let place = office.streams.clone().try_acquire_owned().map_err(|_| Problem::busy())?;
    let own = Own::admit(&office, key).ok_or_else(Problem::busy)?;
    let told = office.clerk.hub().listen(game);
    let ending = office.ending.clone();
    metrics::gauge!("sealed_dice_streams").increment(1);
    let watch = Watch {
        office,
        game,
        after: resumed.unwrap_or(after),
        read: Vec::new(),
        told,
        ending,
        _place: place,
        _own: own,
    };
    let letters = stream::unfold(watch, |mut watch| async move { watch.next().await.map(|event| (Ok(event), watch)) });
    Ok(Sse::new(letters).keep_alive(KeepAlive::new().interval(ALIVE)))
}

impl Drop for Watch {
    fn drop(&mut self) {
        metrics::gauge!("sealed_dice_streams").decrement(1);
    }
}

impl Watch {
    /// The next letter; none when the service ends, or cannot read its store.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if *self.ending.borrow() {
                return None;
            }
            if let Some(placed) = self.read.pop() {
                let event = Event::default().event("letter").id(placed.position.to_string());
                return event.json_data(&placed).ok();
            }
            self.told.mark_unchanged();
            let (rows, next, more) = self.office.clerk.page(self.game, self.after, PAGE_BYTES).await.ok()?;
            if next < self.after {
                // The box was restored: whoever reads on from there asks again from its beginning.
                return None;
            }
            self.after = next;
            self.read = rows.into_iter().rev().map(Placed::from).collect();
            if self.read.is_empty() && !more {
                tokio::select! {
                    _ = self.told.changed() => {}
                    _ = self.ending.changed() => {}
                    () = tokio::time::sleep(ALIVE * 3) => {}
                }
            }
        }
    }
}
