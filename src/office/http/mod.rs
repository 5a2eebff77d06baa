//! The service's HTTP interface (`protocol/post.md` 10 to 15).

mod boxes;
mod events;
mod problem;

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{FromRequestParts, State},
    http::{header::AUTHORIZATION, request::Parts},
    middleware::{self, Next},
    response::Response,
};
use tokio::sync::{Semaphore, watch};
use tower_governor::{
    GovernorLayer,
    governor::GovernorConfigBuilder,
    key_extractor::{KeyExtractor, PeerIpKeyExtractor, SmartIpKeyExtractor},
};
use tower_http::{catch_panic::CatchPanicLayer, limit::RequestBodyLimitLayer, timeout::RequestBodyTimeoutLayer};
use utoipa::openapi::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};

pub use self::problem::Problem;
use super::{
    answers,
    clerk::{Clerk, now},
    config::Limits,
    pass::Pass,
};
use crate::blob::Hex32;

/// What every request may need.
#[derive(Clone)]
pub struct Office {
    pub(super) clerk: Arc<Clerk>,
    /// What the operator calls it.
    pub(super) name: Arc<str>,
    /// Its signing keys, the present one first.
    pub(super) keys: Arc<[Hex32]>,
    /// The key that deposits are wrapped to.
    pub(super) deposit: Hex32,
    /// Words that open a box; none are needed if there are none.
    pub(super) invitations: Arc<[String]>,
    pub(super) limits: Limits,
    /// Places for open streams.
    pub(super) streams: Arc<Semaphore>,
    /// Turns true when the service ends.
    pub(super) ending: watch::Receiver<bool>,
}

impl Office {
    /// The signing key that charters name.
    fn key(&self) -> Hex32 {
        self.keys.first().copied().unwrap_or(Hex32([0; 32]))
    }
}

/// All paths, and the document that describes them.
fn paths() -> (Router<Office>, OpenApi) {
    let router = OpenApiRouter::new()
        .routes(routes!(boxes::office))
        .routes(routes!(boxes::open, boxes::list))
        .routes(routes!(boxes::post, boxes::page))
        .routes(routes!(events::events));
    let (router, mut document) = router.split_for_parts();
    answers::describe(&mut document);
    (router, document)
}

/// The OpenAPI document, as it is committed.
#[must_use]
pub fn document() -> String {
    let (_, document) = paths();
    document.to_pretty_json().map(|text| text + "\n").unwrap_or_default()
}

/// The service, ready to be served. Behind a proxy that is trusted the client is who the proxy says it is.
pub fn router(office: Office) -> Router {
    let limits = office.limits;
    let (router, _) = paths();
    let body = usize::try_from(limits.body_bytes).unwrap_or(usize::MAX);
    let router = router
        .fallback(|| async { Problem::NO_PATH })
        .method_not_allowed_fallback(|| async { Problem::METHOD })
        .layer(middleware::from_fn_with_state(office.clone(), watched))
        .layer(axum::extract::DefaultBodyLimit::disable())
        .layer(RequestBodyLimitLayer::new(body))
        .layer(RequestBodyTimeoutLayer::new(Duration::from_secs(limits.body_seconds)))
        .layer(CatchPanicLayer::custom(|_| axum::response::IntoResponse::into_response(Problem::fault())));
    let router = match (limits.requests_a_second, limits.behind_proxy) {
        (0, _) => router,
        (_, true) => governed(router, limits, SmartIpKeyExtractor),
        (_, false) => governed(router, limits, PeerIpKeyExtractor),
    };
    router.with_state(office)
}

/// Counts how often each client asks.
fn governed<K>(router: Router<Office>, limits: Limits, client: K) -> Router<Office>
where
    K: KeyExtractor + Send + Sync + 'static,
    K::Key: Send + Sync + 'static,
{
    let mut builder = GovernorConfigBuilder::default().key_extractor(client);
    let rate = limits.requests_a_second;
    match builder.period(Duration::from_secs(1) / rate.max(1)).burst_size(limits.burst).finish() {
        Some(config) => router.layer(GovernorLayer::new(config).error_handler(problem::of_governor)),
        // Neither rate nor burst is nought: the config has been checked.
        None => router,
    }
}

/// Counts a request and how long it took, and logs it: never a letter, never a pass.
async fn watched(State(office): State<Office>, request: axum::extract::Request, next: Next) -> Response {
    let begun = std::time::Instant::now();
    let method = request.method().clone();
    let path = request.extensions().get::<axum::extract::MatchedPath>().map_or("", |path| path.as_str()).to_owned();
    let mut answer = next.run(request).await;
    let status = answer.status();
    metrics::counter!("sealed_dice_requests_total", "path" => path.clone(), "status" => status.as_str().to_owned())
        .increment(1);
    metrics::histogram!("sealed_dice_request_seconds", "path" => path.clone()).record(begun.elapsed().as_secs_f64());
    tracing::info!(%method, path, status = status.as_u16(), milliseconds = begun.elapsed().as_millis() as u64, "request");
    if *office.ending.borrow() {
        answer.headers_mut().insert("connection", axum::http::HeaderValue::from_static("close"));
    }
    answer
}

/// Whose pass came along; a request without one is refused.
pub(super) struct Reader(pub(super) Hex32);

impl FromRequestParts<Office> for Reader {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, office: &Office) -> Result<Self, Problem> {
        let header = parts.headers.get(AUTHORIZATION).ok_or_else(Problem::without_pass)?;
        let header = header.to_str().map_err(|_| Problem::without_pass())?;
        Pass::read(header, &office.keys, now()).map(Self).map_err(|error| Problem::pass(&error))
    }
}

/// The same where a request may come without one.
pub(super) struct MaybeReader(pub(super) Option<Hex32>);

impl FromRequestParts<Office> for MaybeReader {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, office: &Office) -> Result<Self, Problem> {
        match parts.headers.contains_key(AUTHORIZATION) {
            true => Reader::from_request_parts(parts, office).await.map(|Reader(key)| Self(Some(key))),
            false => Ok(Self(None)),
        }
    }
}
