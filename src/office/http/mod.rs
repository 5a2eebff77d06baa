//! The service's HTTP interface (`protocol/post.md` 10 to 15).

mod boxes;
mod events;
mod problem;

use std::{
    convert::Infallible,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes, HttpBody},
    extract::{FromRequestParts, State, connect_info::ConnectInfo},
    http::{
        Extensions, HeaderMap, HeaderValue, Request, StatusCode,
        header::{AUTHORIZATION, CONTENT_LENGTH},
        request::Parts,
    },
    middleware::{self, Next},
    response::Response,
    routing::get,
};
use tokio::sync::{Semaphore, watch};
use tower_governor::{GovernorError, GovernorLayer, governor::GovernorConfigBuilder, key_extractor::KeyExtractor};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::openapi::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};

pub use self::problem::Problem;
use super::{
    answers,
    clerk::{Clerk, now},
    config::Limits,
    pass::Pass,
    shares::{Share, Shares},
};
use crate::{
    blob::{Hex32, Keys},
    primitive::secret::same,
};

/// Most streams of one key.
pub(super) const STREAMS_OF_A_KEY: usize = 16;
/// The shortest answer that is counted among texts on their way, in bytes.
pub(super) const LONG: u64 = 16 << 10;
/// How much of a long answer goes out at once, in bytes.
const PIECE: usize = 16 << 10;

/// What every request may need.
#[derive(Clone)]
pub struct Office {
    pub(super) clerk: Arc<Clerk>,
    /// What the operator calls it.
    pub(super) name: Arc<str>,
    /// The signing key that charters name.
    pub(super) key: Hex32,
    /// The key that deposits are wrapped to.
    pub(super) deposit: Hex32,
    /// Words that open a box; none are needed if there are none.
    pub(super) invitations: Arc<[String]>,
    pub(super) limits: Limits,
    /// Keys that were checked before.
    pub(super) known: Keys,
    /// Places for open streams, by keys.
    pub(super) streams: Arc<Shares<Hex32>>,
    /// And by addresses.
    pub(super) streams_here: Arc<Shares<IpAddr>>,
    /// Room for texts that come, by addresses, in bytes.
    pub(super) coming: Arc<Shares<IpAddr>>,
    /// And for those that go: an answer that nobody reads must not keep letters out.
    pub(super) going: Arc<Shares<IpAddr>>,
    /// Turns to make a page of letters: one that waits for its turn takes no memory.
    pub(super) making: Arc<Semaphore>,
    /// Turns true when the service ends.
    pub(super) ending: watch::Receiver<bool>,
}

impl Office {
    /// Who asks: an address, or what one household has of them.
    fn client<T>(&self, request: &Request<T>) -> Option<IpAddr> {
        self.address(request).map(household)
    }

    /// From which address somebody asks.
    fn address<T>(&self, request: &Request<T>) -> Option<IpAddr> {
        Client { behind_proxy: self.limits.behind_proxy }.of(request.headers(), request.extensions())
    }

    /// The place of an invitation among those that open a box.
    fn invitation(&self, word: &str) -> Option<usize> {
        self.invitations.iter().position(|known| same(known.as_bytes(), word.as_bytes()))
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

/// The service, ready to be served, and what forgets clients that have not asked for long.
pub fn router(office: Office) -> (Router, impl Fn() + Send + 'static) {
    let limits = office.limits;
    let (router, _) = paths();
    let document: Arc<str> = document().into();
    let json = [(axum::http::header::CONTENT_TYPE, "application/json")];
    let router = router.route("/v1/openapi.json", get(async move || (json, document.to_string())));
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
    // Outermost: who asks too much is counted and logged, too.
    let router = router.layer(middleware::from_fn_with_state(office.clone(), watched));
    let forget = move || {
        if let Some(limiter) = &limiter {
            limiter.retain_recent();
        }
    };
    (router.with_state(office), forget)
}

/// Who is one client: an address; of IPv6, what one household has of them.
#[derive(Clone, Copy, Debug)]
struct Client {
    behind_proxy: bool,
}

impl KeyExtractor for Client {
    type Key = IpAddr;

    fn extract<T>(&self, request: &Request<T>) -> Result<IpAddr, GovernorError> {
        self.of(request.headers(), request.extensions()).map(household).ok_or(GovernorError::UnableToExtractKey)
    }
}

impl Client {
    /// The address that asks.
    fn of(self, headers: &HeaderMap, extensions: &Extensions) -> Option<IpAddr> {
        let peer = || extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
        // The last address is the one that the proxy itself has added.
        let told = headers.get_all("x-forwarded-for").iter().next_back().filter(|_| self.behind_proxy);
        let told = told.and_then(|told| told.to_str().ok()?.rsplit(',').next()?.trim().parse().ok());
        told.or_else(peer).map(|address: IpAddr| address.to_canonical())
    }
}

/// Who asks, for a request that has no text.
pub(super) struct Asker(pub(super) IpAddr);

impl FromRequestParts<Office> for Asker {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, office: &Office) -> Result<Self, Problem> {
        let client = Client { behind_proxy: office.limits.behind_proxy };
        client.of(&parts.headers, &parts.extensions).map(household).map(Self).ok_or_else(Problem::busy)
    }
}

/// An address, or the first half of an IPv6 one.
pub(super) fn household(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6((u128::from(address) >> 64 << 64).into()),
        v4 => v4,
    }
}

/// What a client has of addresses, as a log and a firewall name it: one, or an IPv6 network of 64 bits.
fn subnet(address: IpAddr) -> String {
    match household(address) {
        IpAddr::V6(network) => format!("{network}/64"),
        v4 => v4.to_string(),
    }
}

/// Counts a request and how long it took, and logs it: never a letter, a pass, a game or a key. The address, or its
/// network, stands only in the line of a refusal, and nothing else that the client sent: `ops/fail2ban-filter.conf` reads it.
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
    // A text that was not read to its end is still on its way.
    let unread =
        matches!(status, StatusCode::PAYLOAD_TOO_LARGE | StatusCode::REQUEST_TIMEOUT | StatusCode::SERVICE_UNAVAILABLE);
    // A client over its limit has to connect again after each refusal: refusals on one connection would cost it nothing.
    let too_many = status == StatusCode::TOO_MANY_REQUESTS;
    if unread || too_many || *office.ending.borrow() {
        answer.headers_mut().insert("connection", axum::http::HeaderValue::from_static("close"));
    }
    answer
}

/// A long answer goes out in pieces, and counts as long as it has not: who does not read what he asked for takes his own
/// share of memory, and nobody else's. Streams are counted elsewhere.
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
    let pieces = futures_util::stream::unfold((body, share), async |(mut rest, share): (Bytes, Share<IpAddr>)| {
        let piece = rest.split_to(rest.len().min(PIECE));
        (!piece.is_empty()).then_some((Ok::<_, Infallible>(piece), (rest, share)))
    });
    Response::from_parts(head, Body::from_stream(pieces))
}

/// Whose pass came along, and until when it is good, in seconds since 1970; a request without one is refused.
pub(super) struct Reader {
    pub(super) key: Hex32,
    pub(super) until: u64,
}

impl FromRequestParts<Office> for Reader {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, office: &Office) -> Result<Self, Problem> {
        let header = parts.headers.get(AUTHORIZATION).ok_or_else(Problem::without_pass)?;
        let header = header.to_str().map_err(|_| Problem::without_pass())?;
        let pass = Pass::read(header, office.key, now(), &office.known).map_err(|error| Problem::pass(&error))?;
        Ok(Self { key: pass.key, until: pass.until })
    }
}

/// The same where a request may come without one. It is looked at once the request's text was read: who is answered
/// before that may never hear it.
pub(super) struct MaybeReader(Option<HeaderValue>);

impl MaybeReader {
    /// Whose pass it is.
    pub(super) fn key(&self, office: &Office) -> Result<Option<Hex32>, Problem> {
        let Some(header) = &self.0 else { return Ok(None) };
        let header = header.to_str().map_err(|_| Problem::without_pass())?;
        let pass = Pass::read(header, office.key, now(), &office.known);
        pass.map(|pass| Some(pass.key)).map_err(|error| Problem::pass(&error))
    }
}

impl FromRequestParts<Office> for MaybeReader {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &Office) -> Result<Self, Infallible> {
        Ok(Self(parts.headers.get(AUTHORIZATION).cloned()))
    }
}
