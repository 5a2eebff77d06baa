//! The small values that letters share: ids, names, slots, and the parsing of their fields.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{
    blob::json::{Map, Value},
    limits::{INTEGER, LIST},
};

/// Thirty-two bytes, written in letters as 64 lower-case hexadecimal digits: an id, a key, a salt, a commitment.
///
/// # Examples
///
/// ```
/// use sealed_dice::blob::Hex32;
///
/// let id = Hex32::parse(&"0f".repeat(32));
/// assert_eq!(id, Some(Hex32([15; 32])));
/// assert!(Hex32::parse(&"0F".repeat(32)).is_none());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hex32(pub [u8; 32]);

impl Hex32 {
    /// Parses 64 lower-case hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        lower_hex(text.as_bytes()).map(Self)
    }
}

impl fmt::Display for Hex32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Hex32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Hex32 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hex32 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        Self::parse(text).ok_or_else(|| de::Error::custom("must be 64 lower-case hexadecimal digits"))
    }
}

/// Bytes of any length, written in lower-case hexadecimal digits: a note's ciphertext.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HexBytes(pub Vec<u8>);

impl Serialize for HexBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex::encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for HexBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        match hex::decode(text) {
            Ok(bytes) if !text.bytes().any(|digit| digit.is_ascii_uppercase()) => Ok(Self(bytes)),
            _ => Err(de::Error::custom("must be pairs of lower-case hexadecimal digits")),
        }
    }
}

/// Decodes exactly N bytes from lower-case hexadecimal digits; the crate `hex` would also accept capitals.
pub(crate) fn lower_hex<const N: usize>(digits: &[u8]) -> Option<[u8; N]> {
    let pairs: &[[u8; 2]] = digits.as_chunks().0;
    if digits.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    let mut all = 0;
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        let (high, low) = (nibble(*high), nibble(*low));
        all |= high | low;
        *byte = high << 4 | low & 0xf;
    }
    (all <= 0xf).then_some(bytes)
}

/// Returns the value of a lower-case hexadecimal digit, or more than 15 for any other byte. It is a table because most
/// of a letter consists of such digits.
const fn nibble(digit: u8) -> u8 {
    const NIBBLES: [u8; 256] = {
        let mut table = [0xff; 256];
        let mut value = 0;
        while value < 16 {
            #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler, within bounds")]
            {
                table[b"0123456789abcdef"[value] as usize] = value as u8;
            }
            value += 1;
        }
        table
    };
    #[expect(clippy::indexing_slicing, reason = "a byte is below 256")]
    NIBBLES[digit as usize]
}

macro_rules! word {
    ($(#[$doc:meta])* $name:ident, $most:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        pub struct $name(String);

        impl $name {
            /// Parses a word of lower-case letters, digits and hyphens that begins with a letter.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                let mut bytes = text.bytes();
                let begins = bytes.next().is_some_and(|byte| byte.is_ascii_lowercase());
                let goes_on = bytes.all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
                (begins && goes_on && text.len() <= $most).then(|| Self(text.to_owned()))
            }

            /// Returns the word itself.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <&str>::deserialize(deserializer)?;
                Self::parse(text).ok_or_else(|| {
                    de::Error::custom(format!(
                        "must be a word of at most {} lower-case letters, digits and hyphens",
                        $most
                    ))
                })
            }
        }
    };
}

word! {
    /// The name under which a party signs (message 8).
    ///
    /// # Examples
    ///
    /// ```
    /// use sealed_dice::blob::body::Role;
    ///
    /// assert_eq!(Role::parse("ann").map(|role| role.to_string()), Some("ann".into()));
    /// assert!(Role::parse("Ann").is_none() && Role::parse("2nd-player").is_none());
    /// ```
    Role, 16
}
word! {
    /// Name of a phase, of a decision or of a note (charter 2).
    ///
    /// # Examples
    ///
    /// ```
    /// use sealed_dice::blob::body::Name;
    ///
    /// assert_eq!(Name::parse("combat-2").map(|name| name.to_string()), Some("combat-2".into()));
    /// assert!(Name::parse("second combat").is_none());
    /// ```
    Name, 32
}

/// A place in the game (charter 19).
///
/// # Examples
///
/// ```
/// use sealed_dice::blob::body::Slot;
///
/// let slot = Slot::parse("3/1/combat/2").ok_or("no slot")?;
/// assert_eq!((slot.turn, slot.impulse, slot.phase.as_str(), slot.number), (3, 1, "combat", 2));
/// assert_eq!(slot.to_string(), "3/1/combat/2");
/// assert!(Slot::parse("03/1/combat/2").is_none());
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slot {
    /// Impulse of the turn.
    #[serde(deserialize_with = "within::<_, 1, 99>")]
    pub impulse: u64,
    /// Running number in the turn, impulse and phase.
    #[serde(deserialize_with = "within::<_, 1, 9_999>")]
    pub number: u64,
    /// Name of the phase.
    pub phase: Name,
    /// Turn of the game, 1 to 9,999.
    #[serde(deserialize_with = "within::<_, 1, 9_999>")]
    pub turn: u64,
}

impl Slot {
    /// The last turn of a game, and the last number in a phase of a turn.
    pub const LAST: u64 = 9_999;

    /// Parses `turn/impulse/phase/number`, in its only valid form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('/');
        let slot = Self {
            turn: plain_number(parts.next()?, Self::LAST)?,
            impulse: plain_number(parts.next()?, 99)?,
            phase: Name::parse(parts.next()?)?,
            number: plain_number(parts.next()?, Self::LAST)?,
        };
        parts.next().is_none().then_some(slot)
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}/{}", self.turn, self.impulse, self.phase, self.number)
    }
}

/// Parses a number from 1 to `most` without leading zeros, as written in purposes and slots.
pub(crate) fn plain_number(text: &str, most: u64) -> Option<u64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    let number = text.parse().ok().filter(|_| plain)?;
    (number <= most).then_some(number)
}

/// Deserializes a field that may be `null` but not missing.
pub(crate) fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(d: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(d)
}

pub(crate) fn integer<'de, D: Deserializer<'de>>(d: D) -> Result<u64, D::Error> {
    within::<D, 0, { INTEGER as u64 }>(d)
}

pub(crate) fn within<'de, D: Deserializer<'de>, const LEAST: u64, const MOST: u64>(d: D) -> Result<u64, D::Error> {
    let value = u64::deserialize(d)?;
    if !(LEAST..=MOST).contains(&value) {
        return Err(de::Error::custom(format!("must be from {LEAST} to {MOST}, not {value}")));
    }
    Ok(value)
}

pub(crate) fn text<'de, D: Deserializer<'de>, const LEAST: usize, const MOST: usize>(d: D) -> Result<String, D::Error> {
    let value = String::deserialize(d)?;
    if !(LEAST..=MOST).contains(&value.chars().count()) {
        return Err(de::Error::custom(format!("must have {LEAST} to {MOST} characters")));
    }
    Ok(value)
}

pub(crate) fn short_or_null<'de, D: Deserializer<'de>>(d: D) -> Result<Option<String>, D::Error> {
    let value: Option<String> = Option::deserialize(d)?;
    if value.as_ref().is_some_and(|text| text.chars().count() > 1_000) {
        return Err(de::Error::custom("must have at most 1000 characters"));
    }
    Ok(value)
}

pub(crate) fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>, const LEAST: usize>(
    d: D,
) -> Result<Vec<T>, D::Error> {
    let items = Vec::deserialize(d)?;
    if !(LEAST..=LIST).contains(&items.len()) {
        return Err(de::Error::custom(format!("must have {LEAST} to {LIST} items")));
    }
    Ok(items)
}

pub(crate) fn at_most<'de, D: Deserializer<'de>, T: Deserialize<'de>, const MOST: usize>(
    d: D,
) -> Result<Vec<T>, D::Error> {
    let items = Vec::deserialize(d)?;
    if items.len() > MOST {
        return Err(de::Error::custom(format!("must have at most {MOST} items")));
    }
    Ok(items)
}

pub(crate) fn object<'de, D: Deserializer<'de>>(d: D) -> Result<Map<String, Value>, D::Error> {
    match any(d)? {
        Value::Object(fields) => Ok(fields),
        _ => Err(de::Error::custom("must be an object")),
    }
}

pub(crate) fn any<'de, D: Deserializer<'de>>(d: D) -> Result<Value, D::Error> {
    Value::deserialize(d)
}
