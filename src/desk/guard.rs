//! Who may talk to the desk: requests from its own pages, in the browser that was given the secret.
//!
//! The secret is the first part of every path, not a cookie: browsers send cookies of 127.0.0.1 to every port, where
//! another user of this computer may listen.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{
        HeaderMap, HeaderValue, Method, StatusCode,
        header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS},
    },
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::{state::Desk, texts};

/// What a page may load and where its forms may go: only the desk itself.
const POLICY: &str = "default-src 'none'; base-uri 'none'; connect-src 'self'; form-action 'self'; frame-ancestors \
                      'none'; img-src 'self' data:; script-src 'self'; style-src 'self'";

/// Answers a request only if it carries the secret, names the desk as its host and, if it changes anything, comes from
/// a page of the desk. Adds the headers that keep pages from others.
pub(super) async fn guard(State(desk): State<Arc<Desk>>, request: Request, next: Next) -> Response {
    let token = request.uri().path().split('/').nth(1).unwrap_or_default();
    let mut response = match desk.knows(token) && is_own(&desk, request.method(), request.headers()) {
        true => next.run(request).await,
        false => (StatusCode::FORBIDDEN, texts::NOT_THE_DESK).into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

fn is_own(desk: &Desk, method: &Method, headers: &HeaderMap) -> bool {
    let is = |name: axum::http::HeaderName, value: &str| headers.get(name).is_some_and(|found| found == value);
    let origin = desk.origin();
    let reads = method == Method::GET || method == Method::HEAD;
    is(HOST, &desk.address.to_string()) && (reads || is(ORIGIN, &origin))
}
