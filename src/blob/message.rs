//! Messages: head, body, signature, id (`protocol/message.md`). Games accept only [`Verified`] messages.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    body::{
        ANY_KIND, Body, Close, Contribution, Correct, Hex32, Kind, Kinds, Moves, Redo, Role, Seal, Seen, nullable, one,
        within,
    },
    disputes::{Claim, Ruling},
    frame::{FORMAT, Frame, TYPE, another_format},
    json::{self, Tree},
    office::Receipt,
};
use crate::{
    error::{Class, Error, Result},
    limits::INTEGER,
    primitive::{
        hash::{h, tag},
        sign::{PrivateKey, PublicKey, signed_bytes},
    },
};

/// The head of every letter (message 8).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// The role that signs.
    pub author: Role,
    /// Id of the game.
    #[serde(deserialize_with = "nullable")]
    pub game: Option<Hex32>,
    /// Kind of the body.
    pub kind: Kind,
    /// The author's running number; 0 in an unnumbered message, which is in no chain.
    #[serde(deserialize_with = "within::<_, 0, { INTEGER as u64 }>")]
    pub number: u64,
    /// Id of the author's previous letter; `None` in letter 1 and in an unnumbered message.
    #[serde(deserialize_with = "nullable")]
    pub prev: Option<Hex32>,
    /// For each other role, the last letter by that role that the author has seen.
    pub seen: Seen,
    /// Version of the message format: always 1.
    #[serde(deserialize_with = "within::<_, 1, 1>")]
    pub v: u64,
}

impl Head {
    /// Checks what message 9 requires of each kind (class `fields`).
    fn check(&self) -> Result<(), &'static str> {
        let first = self.number == 1 && self.prev.is_none();
        let unnumbered = self.is_unnumbered() && self.prev.is_none() && self.seen.letters().next().is_none();
        let fits = match self.kind {
            Kind::Charter => first && self.game.is_none(),
            Kind::Accept => first && self.game.is_some(),
            Kind::Resync | Kind::Deposit | Kind::Withdraw => unnumbered && self.game.is_some(),
            _ => self.number >= 2 && self.prev.is_some() && self.game.is_some(),
        };
        fits.then_some(()).ok_or("head: number, prev and game do not match the letter's kind")
    }

    /// Whether the head belongs to a message that is not a letter of its game (message 9).
    #[must_use]
    pub const fn is_unnumbered(&self) -> bool {
        self.number == 0
    }
}

/// A message whose form and signature are valid. It can only be created by verifying or by signing. Copies share their
/// contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    id: Hex32,
    key: Hex32,
    said: Arc<Said>,
}

#[derive(Debug, PartialEq, Eq)]
struct Said {
    head: Head,
    body: Body,
}

/// A refused message, with its id if its payload could be hashed (audit 6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The reason for the refusal: the first check that failed (message 11).
    pub error: Error,
    /// Id of the message, if there was a payload.
    pub id: Option<Hex32>,
}

impl From<Error> for Refusal {
    /// Refuses a blob that has no payload yet.
    fn from(error: Error) -> Self {
        Self { error, id: None }
    }
}

/// The maximum number of keys remembered at a time.
const KNOWN: usize = 4096;

/// Keys that were checked already, so that the check in message 5 is made once for each key. Clones share these keys
/// across threads.
#[derive(Clone, Debug, Default)]
pub struct Keys(Arc<Mutex<HashMap<[u8; 32], Result<PublicKey>>>>);

impl Keys {
    /// Returns the key with this encoding.
    ///
    /// # Errors
    /// The errors of [`PublicKey::parse`].
    pub fn check(&self, bytes: &[u8; 32]) -> Result<PublicKey> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(checked) = known().get(bytes) {
            return checked.clone();
        }
        let checked = PublicKey::parse(bytes);
        let mut known = known();
        // Forgetting the keys only means that they are checked again.
        if known.len() >= KNOWN {
            known.clear();
        }
        known.insert(*bytes, checked.clone());
        checked
    }
}

impl Verified {
    /// Opens a frame: runs all checks of message 11 from `size` to `signature`, in that order.
    ///
    /// # Errors
    /// The first class whose check fails.
    ///
    /// # Examples
    ///
    /// ```
    /// use sealed_dice::{blob::{Keys, Verified, armour}, error::Class};
    ///
    /// let mail = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/one-roll.txt"));
    /// let mut frame = armour::find(mail)[0].frame.clone()?;
    /// let charter = Verified::open(&frame, &Keys::default()).map_err(|refusal| refusal.error)?;
    /// assert_eq!((charter.head().author.as_str(), charter.head().number), ("ann", 1));
    ///
    /// let digit = frame.iter().rposition(|byte| *byte == b'0').ok_or("no digit 0")?;
    /// frame[digit] = b'1'; // in the signature
    /// let refused = Verified::open(&frame, &Keys::default()).map_err(|refusal| refusal.error.class());
    /// assert_eq!(refused, Err(Class::Signature));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open(bytes: &[u8], keys: &Keys) -> Result<Self, Refusal> {
        let frame = Frame::parse(bytes)?;
        let id = message_id(frame.payload);
        Self::open_frame(&frame, id, keys).map_err(|error| Refusal { error, id: Some(id) })
    }

    fn open_frame(frame: &Frame<'_>, id: Hex32, keys: &Keys) -> Result<Self> {
        let key = keys.check(&frame.key)?;
        let (head, body) = read_payload(frame.payload)?;
        key.verify(&signed_bytes(TYPE, frame.payload), &frame.signature)?;
        Ok(Self { id, key: Hex32(frame.key), said: Arc::new(Said { head, body }) })
    }

    /// Signs a letter, and returns the message and its frame. The payload is read back first, so that a letter that
    /// readers would refuse is never signed.
    ///
    /// # Errors
    /// The class under which a reader would refuse the letter.
    ///
    /// # Examples
    ///
    /// `game::steps::Signer` keeps the head of a chain. An ask is in no chain, so anyone can write its head:
    ///
    /// ```
    /// use sealed_dice::{
    ///     blob::{Body, Head, Hex32, Keys, Kind, Verified, body::{Role, Seen}, resync::Resync},
    ///     primitive::{secret::Secret, sign::PrivateKey},
    /// };
    ///
    /// let key = PrivateKey::from_seed(&Secret::new([1; 32])); // a real seed is random
    /// let author = Role::parse("ann").ok_or("no role")?;
    /// let seen = Seen::of(Role::parse("bob").ok_or("no role")?, None);
    /// let head = Head { author, game: Some(Hex32([2; 32])), kind: Kind::Resync, number: 0, prev: None, seen, v: 1 };
    /// let (message, frame) = Verified::sign(head, Body::Resync(Resync::Ask(Hex32([3; 32]))), &key)?;
    /// assert_eq!(Verified::open(&frame, &Keys::default()), Ok(message));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sign(head: Head, body: Body, key: &PrivateKey) -> Result<(Self, Vec<u8>)> {
        let payload = payload(&head, &body)?;
        let (head, body) = read_payload(payload.as_bytes())?;
        let signature = key.sign(&signed_bytes(TYPE, payload.as_bytes()));
        let frame = Frame { payload: payload.as_bytes(), key: *key.public().as_bytes(), signature };
        let said = Arc::new(Said { head, body });
        let message = Self { id: message_id(payload.as_bytes()), key: Hex32(frame.key), said };
        let bytes = frame.encode();
        Frame::parse(&bytes)?;
        Ok((message, bytes))
    }

    /// Returns the id of the message (message 4).
    #[must_use]
    pub const fn id(&self) -> Hex32 {
        self.id
    }

    /// Returns the key that signed the message.
    #[must_use]
    pub const fn key(&self) -> Hex32 {
        self.key
    }

    /// Returns the head of the message (message 8).
    #[must_use]
    pub fn head(&self) -> &Head {
        &self.said.head
    }

    /// Returns the body of the message, by its kind.
    #[must_use]
    pub fn body(&self) -> &Body {
        &self.said.body
    }

    /// Returns every id by which the message names a letter: `prev`, each `seen`, and those in the body (chain 1).
    #[must_use]
    pub fn names(&self) -> Vec<Hex32> {
        let Said { head, body } = &*self.said;
        let named = body.names().into_iter().map(|(id, _)| id);
        head.prev.into_iter().chain(head.seen.letters()).chain(named).collect()
    }
}

/// Returns the id of a payload (message 4).
///
/// # Examples
///
/// The id of a letter can be computed without checking its signature:
///
/// ```
/// use sealed_dice::blob::{armour, frame::Frame, message::message_id};
///
/// let mail = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/one-roll.txt"));
/// let frame = armour::find(mail)[0].frame.clone()?;
/// let id = message_id(Frame::parse(&frame)?.payload);
/// assert!(id.to_string().starts_with("0a877360"));
/// # Ok::<(), sealed_dice::error::Error>(())
/// ```
#[must_use]
pub fn message_id(payload: &[u8]) -> Hex32 {
    Hex32(h(tag::MESSAGE_ID, &[TYPE.as_bytes(), payload]))
}

/// Encodes the canonical payload of head and body.
///
/// # Errors
/// Only on an internal serialization failure.
///
/// # Examples
///
/// A letter that was opened has exactly the payload that was signed:
///
/// ```
/// use sealed_dice::blob::{Keys, Verified, armour, message::{message_id, payload}};
///
/// let mail = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/one-roll.txt"));
/// let frame = armour::find(mail)[0].frame.clone()?;
/// let charter = Verified::open(&frame, &Keys::default()).map_err(|refusal| refusal.error)?;
/// let again = payload(charter.head(), charter.body())?;
/// assert_eq!(message_id(again.as_bytes()), charter.id());
/// # Ok::<(), sealed_dice::error::Error>(())
/// ```
pub fn payload(head: &Head, body: &Body) -> Result<String> {
    #[derive(Serialize)]
    struct Payload<'a> {
        body: &'a Body,
        head: &'a Head,
    }
    json::encode(&Payload { body, head })
}

fn read_payload(payload: &[u8]) -> Result<(Head, Body)> {
    let tree = json::parse_canonical(payload)?;
    let fields = |text: &str| Error::malformed(Class::Fields, text);
    let Tree::Object(parts) = &tree else { return Err(fields("a payload must have a body and a head")) };
    let [(first, body), (second, head)] = parts.as_slice() else {
        return Err(fields("a payload must have a body and a head, and nothing else"));
    };
    if (first.as_ref(), second.as_ref()) != ("body", "head") {
        return Err(fields("a payload must have a body and a head"));
    }
    if let Some(format) = format_of(head).filter(|format| *format != FORMAT) {
        return Err(fields(&another_format("the game of this letter", format)));
    }
    let head: Head = json::read(head).map_err(|error| fields(&format!("head: {error}")))?;
    head.check().map_err(fields)?;
    let body = Body::read(head.kind, body).map_err(|error| fields(&format!("body: {error}")))?;
    Ok((head, body))
}

/// Returns the number of the game's format that a head states.
fn format_of(head: &Tree<'_>) -> Option<u64> {
    let Tree::Object(fields) = head else { return None };
    let (_, value) = fields.iter().find(|(name, _)| name == "v")?;
    if let Tree::Integer(format) = value { u64::try_from(*format).ok() } else { None }
}

/// Reads a body, and checks limits that its types cannot express (class `fields`).
fn checked<T: DeserializeOwned>(value: &Tree<'_>, check: impl Fn(&T) -> Result<(), &'static str>) -> Result<T> {
    let body = json::read(value)?;
    check(&body).map_err(|text| Error::malformed(Class::Fields, text))?;
    Ok(body)
}

/// The kinds of letters at which a course can stand (letters, declare).
const AFTER: Kinds = &[Kind::Declare, Kind::Decide, Kind::Claim];

impl Body {
    fn read(kind: Kind, value: &Tree<'_>) -> Result<Self> {
        Ok(match kind {
            Kind::Charter => Self::Charter(json::read(value)?),
            Kind::Accept => Self::Accept(json::read(value)?),
            Kind::Seal => Self::Seal(checked(value, Seal::check)?),
            Kind::Declare => Self::Declare(json::read(value)?),
            Kind::Reveal => Self::Reveal(json::read(value)?),
            Kind::Decide => Self::Decide(json::read(value)?),
            Kind::Correct => Self::Correct(checked(value, Correct::check)?),
            Kind::Claim => Self::Claim(checked(value, Claim::check)?),
            Kind::Ruling => Self::Ruling(checked(value, |ruling: &Ruling| ruling.rule.check())?),
            Kind::Receipt => Self::Receipt(checked(value, Receipt::check)?),
            Kind::Resync => Self::Resync(json::read(value)?),
            Kind::Deposit => Self::Deposit(json::read(value)?),
            Kind::Withdraw => Self::Withdraw(json::read(value)?),
            Kind::Close => Self::Close(checked(value, Close::check)?),
        })
    }

    /// Returns the kind that the head must have for this body.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Charter(_) => Kind::Charter,
            Self::Accept(_) => Kind::Accept,
            Self::Seal(_) => Kind::Seal,
            Self::Declare(_) => Kind::Declare,
            Self::Reveal(_) => Kind::Reveal,
            Self::Decide(_) => Kind::Decide,
            Self::Correct(_) => Kind::Correct,
            Self::Claim(_) => Kind::Claim,
            Self::Ruling(_) => Kind::Ruling,
            Self::Receipt(_) => Kind::Receipt,
            Self::Resync(_) => Kind::Resync,
            Self::Deposit(_) => Kind::Deposit,
            Self::Withdraw(_) => Kind::Withdraw,
            Self::Close(_) => Kind::Close,
        }
    }

    /// Returns the letters that the body names, each with the permitted kinds, if these are restricted (chain 1,
    /// letters 5).
    #[must_use]
    pub fn names(&self) -> Vec<(Hex32, Kinds)> {
        match self {
            Self::Charter(_) | Self::Seal(_) | Self::Resync(_) | Self::Deposit(_) | Self::Withdraw(_) => Vec::new(),
            Self::Accept(body) => vec![(body.charter, one(&Kind::Charter))],
            Self::Declare(body) => {
                let mut names = Vec::new();
                if let Moves::Note(note) = &body.moves {
                    names.push((note.seal, one(&Kind::Seal)));
                }
                names.extend(body.seal.map(|id| (id, one(&Kind::Seal))));
                if let Some(Contribution::Sealed(contribution)) = &body.contribution {
                    names.push((contribution.seal, one(&Kind::Seal)));
                }
                names.extend(body.redo.map(|redo| match redo {
                    Redo::Breach(id) | Redo::Agreed(id) | Redo::Opened(id) => (id, ANY_KIND),
                }));
                names.extend(body.after.map(|id| (id, AFTER)));
                names
            }
            Self::Decide(body) => body.after.map(|id| (id, AFTER)).into_iter().collect(),
            Self::Reveal(body) => {
                let declaration = body.declaration.map(|id| (id, one(&Kind::Declare)));
                declaration.into_iter().chain([(body.seal, one(&Kind::Seal))]).collect()
            }
            Self::Correct(Correct::Propose(body)) => vec![(body.declaration, one(&Kind::Declare))],
            Self::Correct(Correct::Void(body)) => {
                let declarations = body.scope.declarations().iter();
                declarations.map(|id| (*id, one(&Kind::Declare))).collect()
            }
            Self::Claim(body) => body.names(),
            Self::Ruling(body) => body.rule.names(),
            Self::Receipt(body) => body.names(),
            Self::Correct(Correct::Accept(id) | Correct::Refuse(id)) => vec![(*id, one(&Kind::Correct))],
            Self::Close(body) => {
                let masters = body.masters.iter().flatten();
                masters.map(|master| (master.seal, one(&Kind::Seal))).collect()
            }
        }
    }
}
