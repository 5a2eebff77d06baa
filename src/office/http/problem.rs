//! Errors in a request, in the format of RFC 9457 (`protocol/post.md`, Requests). No text reveals whether a box exists.

use axum::{
    Json,
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use tower_governor::GovernorError;
use utoipa::ToSchema;

use crate::{error::Error, office::posted::PostError, office::rations::Later, office::store::StoreError};

/// An error in a request, in the format of RFC 9457.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Problem {
    /// `urn:sealed-dice:problem:` and the stable code of the problem.
    #[serde(rename = "type")]
    #[schema(rename = "type", example = "urn:sealed-dice:problem:no-such-box")]
    kind: String,
    /// The problem in words.
    title: String,
    /// The HTTP status of the answer.
    status: u16,
    /// What happened, then what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(skip)]
    wait: Option<u64>,
}

/// The code, title and status of the problem of an invalid request. The other problems follow.
const BAD_REQUEST: (&str, &str, StatusCode) = ("bad-request", "the request is not valid", StatusCode::BAD_REQUEST);
const NO_BOX: (&str, &str, StatusCode) =
    ("no-such-box", "this box does not exist, or is not yours", StatusCode::NOT_FOUND);
const PASS: (&str, &str, StatusCode) = ("pass", "the request needs a valid pass", StatusCode::UNAUTHORIZED);
const INVITATION: (&str, &str, StatusCode) = ("invitation", "this office needs an invitation", StatusCode::FORBIDDEN);
const TOO_LARGE: (&str, &str, StatusCode) = ("too-large", "the request is too large", StatusCode::PAYLOAD_TOO_LARGE);
const STORE_FULL: (&str, &str, StatusCode) = ("store-full", "the office is full", StatusCode::INSUFFICIENT_STORAGE);
const TOO_MANY: (&str, &str, StatusCode) = ("too-many", "too many requests", StatusCode::TOO_MANY_REQUESTS);
const BUSY: (&str, &str, StatusCode) = ("busy", "the office is busy", StatusCode::SERVICE_UNAVAILABLE);
const FAULT: (&str, &str, StatusCode) = ("fault", "internal error", StatusCode::INTERNAL_SERVER_ERROR);

impl Problem {
    /// The answer to a request whose path does not exist.
    pub(super) const NO_PATH: NoPath = NoPath(StatusCode::NOT_FOUND);
    /// The answer to a request with a method that its path does not have.
    pub(super) const METHOD: NoPath = NoPath(StatusCode::METHOD_NOT_ALLOWED);

    fn of((code, title, status): (&str, &str, StatusCode), detail: Option<String>) -> Self {
        Self {
            kind: format!("urn:sealed-dice:problem:{code}"),
            title: title.to_owned(),
            status: status.as_u16(),
            detail,
            wait: None,
        }
    }

    pub(super) fn bad_request(detail: impl Into<String>) -> Self {
        Self::of(BAD_REQUEST, Some(detail.into()))
    }

    pub(super) fn no_box() -> Self {
        Self::of(NO_BOX, None)
    }

    pub(super) fn without_pass() -> Self {
        Self::of(PASS, Some("send one in the Authorization header".into()))
    }

    pub(super) fn pass(error: &Error) -> Self {
        Self::of(PASS, Some(error.to_string()))
    }

    pub(super) fn invitation() -> Self {
        Self::of(INVITATION, Some("ask its operator for a word, and join with --invitation WORD".into()))
    }

    pub(super) fn too_slow() -> Self {
        let (code, title, _) = BAD_REQUEST;
        Self::of(
            (code, title, StatusCode::REQUEST_TIMEOUT),
            Some("the text took too long to arrive: send it again".into()),
        )
    }

    pub(super) fn busy() -> Self {
        Self { wait: Some(5), ..Self::of(BUSY, Some("try again later; nothing is done twice".into())) }
    }

    pub(super) fn fault() -> Self {
        Self::of(FAULT, Some("the operator's log says more".into()))
    }
}

/// The answer to a path or method that does not exist.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoPath(StatusCode);

impl IntoResponse for NoPath {
    fn into_response(self) -> Response {
        let (code, title, _) = BAD_REQUEST;
        Problem::of(
            (code, title, self.0),
            Some("this path or method does not exist; /v1/openapi.json lists them all".into()),
        )
        .into_response()
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let wait = self.wait;
        let mut answer = (status, Json(self)).into_response();
        let headers = answer.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Pass"));
        }
        if let Some(wait) = wait {
            headers.insert(HeaderName::from_static("retry-after"), HeaderValue::from(wait));
        }
        answer
    }
}

impl From<StoreError> for Problem {
    fn from(fault: StoreError) -> Self {
        metrics::counter!("sealed_dice_store_faults_total").increment(1);
        tracing::error!(%fault, "the store failed");
        match fault {
            StoreError::Busy(_) | StoreError::Unsure(_) => Self::busy(),
            StoreError::Broken(_) | StoreError::Wrong(_) => Self::fault(),
        }
    }
}

impl From<PostError> for Problem {
    fn from(unposted: PostError) -> Self {
        match unposted {
            PostError::NoBox => Self::no_box(),
            PostError::StoreFull => Self::of(
                STORE_FULL,
                Some(
                    "it takes no new letters, but you can still fetch letters: go on by mail, and tell its \
                    operator"
                        .into(),
                ),
            ),
            PostError::Rationed(Later(wait)) => Self {
                wait: Some(wait),
                ..Self::of(
                    TOO_MANY,
                    Some(
                        "your address or invitation has used up its limit in a day: go on by mail, or try again \
                        later"
                            .into(),
                    ),
                )
            },
            PostError::Charter(error) => Self::bad_request(error.to_string()),
            PostError::Busy => Self::busy(),
            PostError::Store(fault) => fault.into(),
            PostError::Office(error) => {
                tracing::error!(%error, "the office failed to answer a request");
                Self::fault()
            }
        }
    }
}

/// Converts an error from the rate limiter to an answer.
pub(super) fn of_governor(error: GovernorError) -> Response {
    match error {
        GovernorError::TooManyRequests { wait_time, .. } => Problem {
            wait: Some(wait_time.max(1)),
            ..Problem::of(TOO_MANY, Some("wait a little, then try again".into()))
        },
        _ => Problem::fault(),
    }
    .into_response()
}

/// Returns the problem of a request whose text has more than `most` bytes.
pub(super) fn too_large(most: u64) -> Problem {
    Problem::of(TOO_LARGE, Some(format!("it has more than {most} bytes: leave fewer letters at a time")))
}
