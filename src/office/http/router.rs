//! The paths of the service, and the rules for every request (`protocol/post.md` 10 to 15).

use std::{convert::Infallible, net::IpAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    body::{Body, Bytes, HttpBody},
    extract::State,
    http::{StatusCode, header::CONTENT_LENGTH},
    middleware::{self, Next},
    response::Response,
    routing::get,
};
use tower_governor::{GovernorLayer, governor::GovernorConfigBuilder};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::openapi::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    boxes, events,
    problem::{self, Problem},
    request::{Client, LONG, Office, household, subnet},
};
use crate::{
    office::{quota::QuotaGuard, responses},
    report::audit_page::AUDIT_PAGE,
};

/// The size of the pieces in which a long answer is sent, in bytes.
const PIECE: usize = 16 << 10;

/// Returns all paths, and the document that describes them.
fn paths() -> (Router<Office>, OpenApi) {
    let router = OpenApiRouter::new()
        .routes(routes!(boxes::office))
        .routes(routes!(boxes::open, boxes::list))
        .routes(routes!(boxes::post, boxes::page))
        .routes(routes!(events::events));
    let (router, mut document) = router.split_for_parts();
    responses::describe(&mut document);
    (router, document)
}

/// Returns the OpenAPI document, as it is committed in `protocol/post.openapi.json`.
#[must_use]
pub fn document() -> String {
    let (_, document) = paths();
    document.to_pretty_json().map(|text| text + "\n").unwrap_or_default()
}

/// Returns the router of the service, and a function that forgets clients without recent requests.
pub fn router(office: Office) -> (Router, impl Fn() + Send + 'static) {
    let limits = office.limits;
    let (router, _) = paths();
    let document: Arc<str> = document().into();
    let json = [(axum::http::header::CONTENT_TYPE, "application/json")];
    let html = [(axum::http::header::CONTENT_TYPE, "text/html; charset=utf-8")];
    let router = router
        .route("/", get(async move || (html, AUDIT_PAGE.as_str())))
        .route("/v1/openapi.json", get(async move || (json, document.to_string())));
    let router = router
        .fallback(|| async { Problem::NO_PATH })
        .method_not_allowed_fallback(|| async { Problem::METHOD })
        .layer(CatchPanicLayer::custom(|_| axum::response::IntoResponse::into_response(Problem::fault())));
    let governor = GovernorConfigBuilder::default()
        .key_extractor(Client { behind_proxy: limits.behind_proxy })
        .period(Duration::from_secs(1) / limits.requests_a_second.max(1))
        .burst_size(limits.burst)
        .finish();
    let governor = governor.filter(|_| limits.requests_a_second > 0);
    let limiter = governor.as_ref().map(|config| Arc::clone(config.limiter()));
    let router = match governor {
        Some(config) => router.layer(GovernorLayer::new(config).error_handler(problem::of_governor)),
        None => router,
    };
    // This is outermost, so that refused requests are counted and logged, too.
    let router = router.layer(middleware::from_fn_with_state(office.clone(), watched));
    let forget = move || {
        if let Some(limiter) = &limiter {
            limiter.retain_recent();
        }
    };
    (router.with_state(office), forget)
}

/// Counts, times and logs a request. The log never contains a letter, a pass, a game or a key. Only the line of a
/// refusal names the client's address or network, for `ops/fail2ban-filter.conf`.
async fn watched(State(office): State<Office>, request: axum::extract::Request, next: Next) -> Response {
    let begun = std::time::Instant::now();
    let method = request.method().clone();
    let path = request.extensions().get::<axum::extract::MatchedPath>().map_or("", |path| path.as_str()).to_owned();
    let address = office.address(&request);
    let client = address.map(household);
    let mut answer = sent_slowly(&office, client, next.run(request).await).await;
    let status = answer.status();
    metrics::counter!("sealed_dice_requests_total", "path" => path.clone(), "status" => status.as_str().to_owned())
        .increment(1);
    metrics::histogram!("sealed_dice_request_seconds", "path" => path.clone()).record(begun.elapsed().as_secs_f64());
    tracing::info!(%method, path, status = status.as_u16(), milliseconds = begun.elapsed().as_millis() as u64, "request");
    if let Some(address) = address.filter(|_| status.is_client_error()) {
        let client = subnet(address);
        tracing::warn!(%client, status = status.as_u16(), "refused");
    }
    // A text that was not read to its end is still in transit.
    let unread =
        matches!(status, StatusCode::PAYLOAD_TOO_LARGE | StatusCode::REQUEST_TIMEOUT | StatusCode::SERVICE_UNAVAILABLE);
    // A client over its limit has to connect again after each refusal: refusals on one connection would cost it
    // nothing.
    let too_many = status == StatusCode::TOO_MANY_REQUESTS;
    if unread || too_many || *office.ending.borrow() {
        answer.headers_mut().insert("connection", axum::http::HeaderValue::from_static("close"));
    }
    answer
}

/// Sends a long answer in pieces and counts it against its client until it is sent: a client that does not read uses up
/// its own share of memory, and nobody else's. Streams are counted elsewhere.
async fn sent_slowly(office: &Office, client: Option<IpAddr>, answer: Response) -> Response {
    let length = answer.body().size_hint().exact().filter(|length| *length > LONG);
    let (Some(length), Some(client)) = (length.and_then(|length| usize::try_from(length).ok()), client) else {
        return answer;
    };
    let Some(share) = office.going.take(client, length) else {
        return axum::response::IntoResponse::into_response(Problem::busy());
    };
    let (mut head, body) = answer.into_parts();
    let Ok(body) = axum::body::to_bytes(body, length).await else {
        return axum::response::IntoResponse::into_response(Problem::fault());
    };
    head.headers.insert(CONTENT_LENGTH, length.into());
    let pieces = futures_util::stream::unfold((body, share), async |(mut rest, share): (Bytes, QuotaGuard<IpAddr>)| {
        let piece = rest.split_to(rest.len().min(PIECE));
        (!piece.is_empty()).then_some((Ok::<_, Infallible>(piece), (rest, share)))
    });
    Response::from_parts(head, Body::from_stream(pieces))
}
