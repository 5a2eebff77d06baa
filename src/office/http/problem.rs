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

/// A problem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Problem {
    /// `urn:sealed-dice:problem:` and its stable code.
    #[serde(rename = "type")]
    #[schema(rename = "type", example = "urn:sealed-dice:problem:no-such-box")]
    kind: String,
    /// The same in words.
    title: String,
    /// The status of the answer.
    status: u16,
    /// What happened, then what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(skip)]
    wait: Option<u64>,
}

/// The codes, with title and status.
const BAD_REQUEST: (&str, &str, StatusCode) = ("bad-request", "the request cannot be read", StatusCode::BAD_REQUEST);
const NO_BOX: (&str, &str, StatusCode) = ("no-such-box", "there is no such box of yours", StatusCode::NOT_FOUND);
const PASS: (&str, &str, StatusCode) = ("pass", "a good pass is needed", StatusCode::UNAUTHORIZED);
const INVITATION: (&str, &str, StatusCode) = ("invitation", "an invitation is needed", StatusCode::FORBIDDEN);
const TOO_LARGE: (&str, &str, StatusCode) = ("too-large", "the request is too large", StatusCode::PAYLOAD_TOO_LARGE);
const STORE_FULL: (&str, &str, StatusCode) = ("store-full", "the office has no room", StatusCode::INSUFFICIENT_STORAGE);
const TOO_MANY: (&str, &str, StatusCode) = ("too-many", "too many requests", StatusCode::TOO_MANY_REQUESTS);
const BUSY: (&str, &str, StatusCode) = ("busy", "the office is busy", StatusCode::SERVICE_UNAVAILABLE);
const FAULT: (&str, &str, StatusCode) = ("fault", "the office has a fault", StatusCode::INTERNAL_SERVER_ERROR);

impl Problem {
    /// A request that nobody answers.
    pub(super) const NO_PATH: NoPath = NoPath(StatusCode::NOT_FOUND);
    /// The answer to a request whose path exists and whose method does not.
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
        Self::of(PASS, Some("the header Authorization has no pass".into()))
    }

    pub(super) fn pass(error: &Error) -> Self {
        Self::of(PASS, Some(error.to_string()))
    }

    pub(super) fn invitation() -> Self {
        Self::of(INVITATION, Some("this office opens boxes for its guests alone: ask its operator for a word".into()))
    }

    pub(super) fn too_slow() -> Self {
        let (code, title, _) = BAD_REQUEST;
        Self::of((code, title, StatusCode::REQUEST_TIMEOUT), Some("the text took too long to come".into()))
    }

    pub(super) fn busy() -> Self {
        Self { wait: Some(5), ..Self::of(BUSY, Some("try again later: whatever was done is not done twice".into())) }
    }

    pub(super) fn fault() -> Self {
        Self::of(FAULT, Some("its operator finds more in the log".into()))
    }
}

/// What a path that is none is answered with.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoPath(StatusCode);

impl IntoResponse for NoPath {
    fn into_response(self) -> Response {
        let (code, title, _) = BAD_REQUEST;
        Problem::of((code, title, self.0), Some("there is no such path or method; /v1/openapi.json has all".into()))
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
        tracing::error!(%fault, "the store does not do its part");
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
                Some("the office keeps as many letters as its operator has set; what is there can be fetched: go on by mail, and tell its operator".into()),
            ),
            PostError::Rationed(Later(wait)) => Self {
                wait: Some(wait),
                ..Self::of(
                    TOO_MANY,
                    Some("as much as one address, or one invitation, may leave here in a day: try again later, or go on by mail".into()),
                )
            },
            PostError::Charter(error) => Self::bad_request(error.to_string()),
            PostError::Busy => Self::busy(),
            PostError::Store(fault) => fault.into(),
            PostError::Office(error) => {
                tracing::error!(%error, "the office does not do its part");
                Self::fault()
            }
        }
    }
}

/// Too many requests of one client.
pub(super) fn of_governor(error: GovernorError) -> Response {
    match error {
        GovernorError::TooManyRequests { wait_time, .. } => {
            Problem { wait: Some(wait_time.max(1)), ..Problem::of(TOO_MANY, Some("wait a little".into())) }
        }
        _ => Problem::fault(),
    }
    .into_response()
}

/// A body that is longer than the office reads.
pub(super) fn too_large(most: u64) -> Problem {
    Problem::of(TOO_LARGE, Some(format!("more than {most} bytes: leave fewer letters at once")))
}
