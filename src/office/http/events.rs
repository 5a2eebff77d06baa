//! Streams for clients that wait for letters: server-sent events, whose ids let a client resume (`protocol/post.md`
//! 15).

use std::{convert::Infallible, net::IpAddr, sync::Arc, time::Duration};

use axum::{
    extract::State,
    http::HeaderMap,
    response::sse::{Event, KeepAlive, Sse},
};
use futures_util::{Stream, stream};
use tokio::sync::watch;

use super::{
    boxes::{After, Asked, Game, Named, check_reader, position},
    problem::Problem,
    request::{Asker, LONG, Office, Reader},
};
use crate::{
    blob::Hex32,
    office::{answers::Placed, posted::now, quota::QuotaGuard},
};

/// The interval at which a stream without letters sends a sign of life. If no notification comes for three such
/// intervals, the stream checks the store.
const ALIVE: Duration = Duration::from_secs(20);

/// The number of bytes that a stream reads at once. The stream may keep them in memory for long.
const TOGETHER: u64 = 32 << 10;

/// The memory that a letter takes as an event, in bytes for each byte of its frame.
const AS_TEXT: usize = 3;

/// The state of a stream of letters.
struct Watch {
    office: Office,
    game: Hex32,
    after: u64,
    /// Letters that were read but not sent yet, in reverse order.
    read: Vec<Placed>,
    /// The room for the letters in `read`, counted as texts in transit until all are sent.
    going: Option<QuotaGuard<IpAddr>>,
    address: IpAddr,
    told: watch::Receiver<u64>,
    ending: watch::Receiver<bool>,
    /// The time when the pass expires, in seconds since 1970.
    until: u64,
    _shares: (QuotaGuard<Hex32>, QuotaGuard<IpAddr>),
}

/// Streams letters from a box as they arrive
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
    Asker(address): Asker,
    Reader { key, until }: Reader,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let after = position(asked)?;
    let game = check_reader(&office, game, key).await?;
    let resumed = headers.get("last-event-id").and_then(|id| id.to_str().ok()).and_then(|id| id.parse().ok());
    let shares = office.streams.take(key, 1).zip(office.streams_here.take(address, 1)).ok_or_else(Problem::busy)?;
    let told = office.mailboxes.notifier().listen(game);
    let ending = office.ending.clone();
    metrics::gauge!("sealed_dice_streams").increment(1);
    let after = resumed.unwrap_or(after);
    let (read, going) = (Vec::new(), None);
    let watch = Watch { office, game, after, read, going, address, told, ending, until, _shares: shares };
    let letters = stream::unfold(watch, |mut watch| async move { watch.next().await.map(|event| (Ok(event), watch)) });
    Ok(Sse::new(letters).keep_alive(KeepAlive::new().interval(ALIVE)))
}

impl Drop for Watch {
    fn drop(&mut self) {
        metrics::gauge!("sealed_dice_streams").decrement(1);
        self.office.mailboxes.notifier().leave(&self.game);
    }
}

impl Watch {
    /// Returns the next letter; none when the service ends, the pass has expired, or the store cannot be read.
    async fn next(&mut self) -> Option<Event> {
        loop {
            let left = self.until.saturating_sub(now());
            if *self.ending.borrow() || left == 0 {
                return None;
            }
            if let Some(placed) = self.read.pop() {
                let event = Event::default().event("letter").id(placed.position.to_string());
                return event.json_data(&placed).ok();
            }
            self.going = None;
            self.told.mark_unchanged();
            let turn = Arc::clone(&self.office.making).acquire_owned().await.ok()?;
            let (rows, next, more) = self.office.mailboxes.page(self.game, self.after, TOGETHER).await.ok()?;
            let bytes: usize = rows.iter().map(|row| row.frame.len()).sum();
            if bytes as u64 > LONG {
                // A client that does not read its letters gets no more memory: its stream ends, and it can ask again.
                self.going = Some(self.office.going.take(self.address, bytes.saturating_mul(AS_TEXT))?);
            }
            drop(turn);
            if next < self.after {
                // The box was restored: a client that continues must ask again from its beginning.
                return None;
            }
            self.after = next;
            self.read = rows.into_iter().rev().map(Placed::from).collect();
            if self.read.is_empty() && !more {
                tokio::select! {
                    _ = self.told.changed() => {}
                    _ = self.ending.changed() => {}
                    () = tokio::time::sleep(Duration::from_secs(left).min(ALIVE * 3)) => {}
                }
            }
        }
    }
}
