//! Requests from a player's program to an office (`protocol/post.md` 10 to 15).

use std::{
    io::{BufRead, BufReader, Read},
    time::Duration,
};

use serde::de::DeserializeOwned;
use ureq::{Agent, Body, http::Response};

use super::answers::{Boxes, Card, Page, Placed, Taken};
use crate::blob::Hex32;

/// The longest wait for a connection to an office.
const CONNECT: Duration = Duration::from_secs(5);
/// The longest wait for an office to begin an answer, and for each further piece of it.
const ANSWER: Duration = Duration::from_secs(60);
/// The longest wait for the whole of a request to be sent, or of an answer to arrive: a command holds its game's lock
/// meanwhile, so an office that answers a byte a minute must not stop it for good. A stream has no such end.
const WHOLE: Duration = Duration::from_secs(600);
/// The longest answer that is read, in bytes. The longest answer is a page, with its letters as text in JSON.
const ANSWER_BYTES: u64 = 64 << 20;

/// Why a request to an office failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Away {
    /// The office cannot be reached, or its answer cannot be read: the reason, in words.
    Unreached(String),
    /// The office refuses the request: the code of its problem, such as `busy`, and its explanation.
    Refused(String, String),
}

/// A client for one office.
pub struct Client {
    agent: Agent,
    url: String,
}

impl Client {
    /// Makes a client for an office. `url` is the part of the office's addresses before `/v1`.
    #[must_use]
    pub fn new(url: &str) -> Self {
        let config = Agent::config_builder()
            .timeout_connect(Some(CONNECT))
            .timeout_recv_response(Some(ANSWER))
            .timeout_send_body(Some(WHOLE))
            .timeout_recv_body(Some(WHOLE))
            .timeout_per_read(Some(ANSWER))
            .http_status_as_error(false)
            .max_redirects(0)
            .user_agent(concat!("sealed-dice/", env!("CARGO_PKG_VERSION")))
            .build();
        Self { agent: config.into(), url: url.trim_end_matches('/').to_owned() }
    }

    /// Fetches the office's card: what a charter must say about the office.
    ///
    /// # Errors
    /// If the office is away.
    pub fn card(&self) -> Result<Card, Away> {
        read(self.agent.get(self.path("/office")).call())
    }

    /// Opens a game's box.
    ///
    /// # Errors
    /// If the office is away, or refuses.
    pub fn open(&self, charter: &str, invitation: Option<&str>) -> Result<Taken, Away> {
        let request = self.agent.post(self.path("/games")).content_type("text/plain");
        let request = match invitation {
            Some(word) => request.header("invitation", word),
            None => request,
        };
        read(request.send(charter))
    }

    /// Fetches a page of the boxes that the owner of a pass may read, beginning after a given box.
    ///
    /// # Errors
    /// If the office is away, or refuses.
    pub fn boxes(&self, after: Option<Hex32>, pass: &str) -> Result<Boxes, Away> {
        let after = after.map_or_else(String::new, |after| format!("?after={after}"));
        read(self.agent.get(self.path(&format!("/games{after}"))).header("authorization", pass).call())
    }

    /// Leaves letters in a box.
    ///
    /// # Errors
    /// If the office is away, or refuses.
    pub fn post(&self, game: Hex32, letters: &str, pass: &str) -> Result<Taken, Away> {
        let request = self.agent.post(self.path(&format!("/games/{game}/letters")));
        read(request.content_type("text/plain").header("authorization", pass).send(letters))
    }

    /// Fetches letters after a position.
    ///
    /// # Errors
    /// If the office is away, or refuses.
    pub fn page(&self, game: Hex32, after: u64, pass: &str) -> Result<Page, Away> {
        let path = self.path(&format!("/games/{game}/letters?after={after}"));
        read(self.agent.get(path).header("authorization", pass).call())
    }

    /// Receives letters after a position as they arrive, until the office ends the stream.
    ///
    /// # Errors
    /// If the office is away, or refuses.
    pub fn events(&self, game: Hex32, after: u64, pass: &str) -> Result<impl Iterator<Item = Placed> + use<>, Away> {
        let path = self.path(&format!("/games/{game}/events?after={after}"));
        let request = self.agent.get(path).header("authorization", pass).config().timeout_recv_body(None).build();
        let answer = good(request.call().map_err(|error| unreached(&error))?)?;
        let lines = BufReader::new(answer.into_body().into_reader()).lines();
        let data =
            lines.map_while(Result::ok).filter_map(|line| Some(line.strip_prefix("data:")?.trim_start().to_owned()));
        Ok(data.filter_map(|data| serde_json::from_str(&data).ok()))
    }

    fn path(&self, path: &str) -> String {
        format!("{}/v1{path}", self.url)
    }
}

fn unreached(error: &ureq::Error) -> Away {
    Away::Unreached(error.to_string())
}

/// Returns an answer, unless it reports a problem, which becomes an error.
fn good(answer: Response<Body>) -> Result<Response<Body>, Away> {
    if answer.status().is_success() {
        return Ok(answer);
    }
    let status = answer.status();
    let text = text(answer).unwrap_or_default();
    let problem: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let field = |name: &str| problem.get(name).and_then(|value| value.as_str()).unwrap_or_default();
    match field("type").strip_prefix("urn:sealed-dice:problem:") {
        Some(code) => {
            let words = [field("title"), field("detail")];
            let words: Vec<&str> = words.into_iter().filter(|words| !words.is_empty()).collect();
            Err(Away::Refused(code.to_owned(), words.join(": ")))
        }
        None => Err(Away::Unreached(format!("the server at this address answered {status} and is not an office"))),
    }
}

fn text(answer: Response<Body>) -> Result<String, Away> {
    let mut text = String::new();
    let mut body = answer.into_body().into_reader().take(ANSWER_BYTES);
    match body.read_to_string(&mut text) {
        Ok(_) => Ok(text),
        Err(error) => Err(Away::Unreached(error.to_string())),
    }
}

fn read<T: DeserializeOwned>(answer: Result<Response<Body>, ureq::Error>) -> Result<T, Away> {
    let text = text(good(answer.map_err(|error| unreached(&error))?)?)?;
    serde_json::from_str(&text).map_err(|_| Away::Unreached("the server at this address is not an office".into()))
}
