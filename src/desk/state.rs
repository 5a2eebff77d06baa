//! What every request to the desk shares.

use std::{
    collections::BTreeSet,
    net::SocketAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{results::Results, sitting::Sitting};
use crate::{keep::home::Home, primitive::secret};

/// A running desk.
pub(super) struct Desk {
    /// The folder with the player's key and games.
    pub(super) home: Home,
    /// The unlocked key.
    pub(super) sitting: Sitting,
    /// The pages that answered forms last.
    pub(super) results: Results,
    /// The games whose office is being asked for letters.
    watched: Mutex<BTreeSet<String>>,
    /// The address that the desk listens on.
    pub(super) address: SocketAddr,
    /// The secret first part of every path.
    token: String,
}

impl Desk {
    pub(super) fn new(home: Home, address: SocketAddr, token: String) -> Self {
        let (sitting, results, watched) = (Sitting::default(), Results::default(), Mutex::default());
        Self { home, sitting, results, watched, address, token }
    }

    /// Returns the names of the games whose office is being asked for letters.
    pub(super) fn watched(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a path's first part is this desk's secret.
    pub(super) fn knows(&self, token: &str) -> bool {
        secret::same(token.as_bytes(), self.token.as_bytes())
    }

    /// Returns the origin of the desk's pages, as browsers write it.
    pub(super) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the path of a page, from its parts; each is encoded.
    pub(super) fn path(&self, parts: &[&str]) -> String {
        let mut path = format!("/{}", self.token);
        for part in parts {
            path.push('/');
            path.extend(part.bytes().map(encoded));
        }
        path
    }

    /// Returns the address of the first page, with the secret.
    pub(super) fn entrance(&self) -> String {
        format!("{}{}", self.origin(), self.path(&[""]))
    }
}

/// Returns a byte as it may stand in a path or in a query (RFC 3986, section 2.3).
pub(super) fn encoded(byte: u8) -> String {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    }
}
