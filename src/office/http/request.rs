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

/// Most streams of one key.
pub(in crate::office) const STREAMS_OF_A_KEY: usize = 16;
/// The shortest answer that is counted among texts on their way, in bytes.
pub(in crate::office) const LONG: u64 = 16 << 10;
/// What every request may need.
#[derive(Clone)]
pub struct Office {
    pub(in crate::office) mailboxes: Arc<MailboxService>,
    /// What the operator calls it.
    pub(in crate::office) name: Arc<str>,
    /// The signing key that charters name.
    pub(in crate::office) key: Hex32,
    /// The key that deposits are wrapped to.
    pub(in crate::office) deposit: Hex32,
    /// Words that open a box; none are needed if there are none.
    pub(in crate::office) invitations: Arc<[String]>,
    pub(in crate::office) limits: Limits,
    /// Keys that were checked before.
    pub(in crate::office) known: Keys,
    /// Places for open streams, by keys.
    pub(in crate::office) streams: Arc<Quota<Hex32>>,
    /// Places for open event streams, by client address.
    pub(in crate::office) streams_here: Arc<Quota<IpAddr>>,
    /// Room for texts that come, by addresses, in bytes.
    pub(in crate::office) coming: Arc<Quota<IpAddr>>,
    /// Room for answers on their way out, by client address, in bytes. It is separate from `coming`: an answer that
    /// nobody reads must not keep letters out.
    pub(in crate::office) going: Arc<Quota<IpAddr>>,
    /// Turns to make a page of letters: one that waits for its turn takes no memory.
    pub(in crate::office) making: Arc<Semaphore>,
    /// Turns true when the service ends.
    pub(in crate::office) ending: watch::Receiver<bool>,
}

impl Office {
    /// Who asks: an address, or what one household has of them.
    pub(super) fn client<T>(&self, request: &Request<T>) -> Option<IpAddr> {
        self.address(request).map(household)
    }

    /// From which address somebody asks.
    pub(super) fn address<T>(&self, request: &Request<T>) -> Option<IpAddr> {
        Client { behind_proxy: self.limits.behind_proxy }.of(request.headers(), request.extensions())
    }

    /// The place of an invitation among those that open a box.
    pub(super) fn invitation(&self, word: &str) -> Option<usize> {
        self.invitations.iter().position(|known| same(known.as_bytes(), word.as_bytes()))
    }
}

/// Who is one client: an address; of IPv6, what one household has of them.
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
pub(in crate::office) struct Asker(pub(in crate::office) IpAddr);

impl FromRequestParts<Office> for Asker {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, office: &Office) -> Result<Self, Problem> {
        let client = Client { behind_proxy: office.limits.behind_proxy };
        client.of(&parts.headers, &parts.extensions).map(household).map(Self).ok_or_else(Problem::busy)
    }
}

/// An address, or the first half of an IPv6 one.
pub(in crate::office) fn household(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6((u128::from(address) >> 64 << 64).into()),
        v4 => v4,
    }
}

/// What a client has of addresses, as a log and a firewall name it: one, or an IPv6 network of 64 bits.
pub(super) fn subnet(address: IpAddr) -> String {
    match household(address) {
        IpAddr::V6(network) => format!("{network}/64"),
        v4 => v4.to_string(),
    }
}

/// Whose pass came along, and until when it is good, in seconds since 1970; a request without one is refused.
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

/// The pass of a request that may come without one, not yet checked. It is checked only after the request's text was
/// read: a client that is answered earlier may never receive the answer.
pub(in crate::office) struct MaybeReader(Option<HeaderValue>);

impl MaybeReader {
    /// Whose pass it is.
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
