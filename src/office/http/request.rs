//! The client that makes a request, and data that every request may need (`protocol/post.md` 10 to 12).

use std::{
    convert::Infallible,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use axum::{
    extract::{FromRequestParts, connect_info::ConnectInfo},
    http::{Extensions, HeaderMap, HeaderValue, Request, header::AUTHORIZATION, request::Parts},
};
use tokio::sync::{Semaphore, watch};
use tower_governor::{GovernorError, key_extractor::KeyExtractor};

use super::problem::Problem;
use crate::{
    blob::{Hex32, Keys},
    office::{config::Limits, mailbox_service::MailboxService, pass::Pass, posted::now, quota::Quota},
    primitive::secret::same,
};

/// The maximum number of open event streams for one key.
pub(in crate::office) const STREAMS_OF_A_KEY: usize = 16;
/// The length in bytes above which an answer counts as a text in transit.
pub(in crate::office) const LONG: u64 = 16 << 10;
/// The data that every request may need.
#[derive(Clone)]
pub struct Office {
    pub(in crate::office) mailboxes: Arc<MailboxService>,
    /// The name of the office.
    pub(in crate::office) name: Arc<str>,
    /// The signing key that charters name.
    pub(in crate::office) key: Hex32,
    /// The key that deposits are wrapped to.
    pub(in crate::office) deposit: Hex32,
    /// Words that open a box; if there are none, no word is needed.
    pub(in crate::office) invitations: Arc<[String]>,
    pub(in crate::office) limits: Limits,
    /// Public keys of players that were checked earlier.
    pub(in crate::office) known: Keys,
    /// Places for open event streams, by key.
    pub(in crate::office) streams: Arc<Quota<Hex32>>,
    /// Places for open event streams, by client address.
    pub(in crate::office) streams_here: Arc<Quota<IpAddr>>,
    /// Room for incoming texts, by client address, in bytes.
    pub(in crate::office) coming: Arc<Quota<IpAddr>>,
    /// Room for answers on their way out, by client address, in bytes. It is separate from `coming`: an answer that
    /// nobody reads must not keep letters out.
    pub(in crate::office) going: Arc<Quota<IpAddr>>,
    /// Turns to make a page of letters. A page that waits for its turn takes no memory.
    pub(in crate::office) making: Arc<Semaphore>,
    /// Becomes true when the service ends.
    pub(in crate::office) ending: watch::Receiver<bool>,
}

impl Office {
    /// Returns the client that makes a request: an IPv4 address, or the 64-bit network of an IPv6 address.
    pub(super) fn client<T>(&self, request: &Request<T>) -> Option<IpAddr> {
        self.address(request).map(household)
    }

    /// Returns the address that a request comes from.
    pub(super) fn address<T>(&self, request: &Request<T>) -> Option<IpAddr> {
        Client { behind_proxy: self.limits.behind_proxy }.of(request.headers(), request.extensions())
    }

    /// Returns the index of an invitation among the words that open a box.
    pub(super) fn invitation(&self, word: &str) -> Option<usize> {
        self.invitations.iter().position(|known| same(known.as_bytes(), word.as_bytes()))
    }
}

/// Identifies clients: by IPv4 address, or by the 64-bit network of an IPv6 address.
#[derive(Clone, Copy, Debug)]
pub(super) struct Client {
    pub(super) behind_proxy: bool,
}

impl KeyExtractor for Client {
    type Key = IpAddr;

    fn extract<T>(&self, request: &Request<T>) -> Result<IpAddr, GovernorError> {
        self.of(request.headers(), request.extensions()).map(household).ok_or(GovernorError::UnableToExtractKey)
    }
}

impl Client {
    /// Returns the address that a request comes from.
    fn of(self, headers: &HeaderMap, extensions: &Extensions) -> Option<IpAddr> {
        let peer = || extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
        // The last address is the one that the proxy itself has added.
        let told = headers.get_all("x-forwarded-for").iter().next_back().filter(|_| self.behind_proxy);
        let told = told.and_then(|told| told.to_str().ok()?.rsplit(',').next()?.trim().parse().ok());
        told.or_else(peer).map(|address: IpAddr| address.to_canonical())
    }
}

/// The client that makes a request without a text.
pub(in crate::office) struct Asker(pub(in crate::office) IpAddr);

impl FromRequestParts<Office> for Asker {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, office: &Office) -> Result<Self, Problem> {
        let client = Client { behind_proxy: office.limits.behind_proxy };
        client.of(&parts.headers, &parts.extensions).map(household).map(Self).ok_or_else(Problem::busy)
    }
}

/// Returns an IPv4 address as it is, and an IPv6 address as its 64-bit network.
pub(in crate::office) fn household(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6((u128::from(address) >> 64 << 64).into()),
        v4 => v4,
    }
}

/// Writes a client's address or network as logs and firewalls do, such as `192.0.2.1` or `2001:db8:0:1::/64`.
pub(super) fn subnet(address: IpAddr) -> String {
    match household(address) {
        IpAddr::V6(network) => format!("{network}/64"),
        v4 => v4.to_string(),
    }
}

/// The key and the expiry time of a request's pass, in seconds since 1970. A request without a pass is refused.
pub(in crate::office) struct Reader {
    pub(in crate::office) key: Hex32,
    pub(in crate::office) until: u64,
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

/// The pass, not yet checked, of a request that may come without one. The pass is checked only after the request's text
/// has been read: a client that is answered earlier may never receive the answer.
pub(in crate::office) struct MaybeReader(Option<HeaderValue>);

impl MaybeReader {
    /// Checks the pass, if there is one, and returns its key.
    pub(in crate::office) fn key(&self, office: &Office) -> Result<Option<Hex32>, Problem> {
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
