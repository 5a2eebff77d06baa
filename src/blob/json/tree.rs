//! Canonical JSON (`protocol/json.md` 1 to 3): parsing, and the only valid encoding.

use std::{borrow::Cow, fmt};

use serde::{
    Serialize, Serializer,
    de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

use crate::{
    error::{Class, Error, Result},
    limits::{INTEGER, JSON_DEPTH},
};

/// A parsed JSON text, with integers but no fractions. It borrows from the text where possible, because every letter is
/// parsed into a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree<'a> {
    /// The JSON value `null`.
    Null,
    /// The JSON values `true` and `false`.
    Bool(bool),
    /// A plain integer.
    Integer(i64),
    /// A string, with its escapes resolved.
    Text(Cow<'a, str>),
    /// A list of values, in their order.
    List(Vec<Self>),
    /// The fields of an object, in the order of their names, each once.
    Object(Vec<(Cow<'a, str>, Self)>),
}

impl<'a> Tree<'a> {
    /// Creates a tree over a value.
    ///
    /// # Errors
    /// Class `fields` if a number in the value is not an integer.
    pub fn of(value: &'a Value) -> Result<Self> {
        Ok(match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Integer(
                number
                    .as_i64()
                    .ok_or_else(|| Error::malformed(Class::Fields, format!("{number} is not a plain integer")))?,
            ),
            Value::String(text) => Self::Text(text.into()),
            Value::Array(items) => Self::List(items.iter().map(Self::of).collect::<Result<_>>()?),
            Value::Object(fields) => return Self::of_object(fields),
        })
    }

    pub(super) fn of_object(fields: &'a Map<String, Value>) -> Result<Self> {
        let fields = fields.iter().map(|(key, value)| Ok((key.into(), Self::of(value)?)));
        Ok(Self::Object(fields.collect::<Result<_>>()?))
    }

    /// Returns a field of an object, by name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(fields) => fields.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }
}

impl Serialize for Tree<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(fields) => Fields(fields).serialize(serializer),
        }
    }
}

/// The fields of an object.
struct Fields<'f>(&'f [(Cow<'f, str>, Tree<'f>)]);

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// Encodes an object canonically from its fields.
pub(super) fn encode_fields(fields: &[(Cow<'_, str>, Tree<'_>)]) -> Result<String> {
    encode(&Fields(fields))
}

/// Parses JSON of the accepted kind (json 1), in any encoding.
///
/// # Errors
/// Class `json`, with the line and column.
///
/// # Examples
///
/// ```
/// use sealed_dice::blob::json::{self, Tree};
///
/// let roll = json::parse(br#"{ "why": "K12 2-1", "cell": "A1" }"#)?;
/// assert_eq!(roll.get("cell"), Some(&Tree::Text("A1".into())));
/// assert!(json::parse(b"1.5").is_err());
/// # Ok::<(), sealed_dice::error::Error>(())
/// ```
pub fn parse(bytes: &[u8]) -> Result<Tree<'_>> {
    let refuse = |text: String| Error::malformed(Class::Json, text);
    let text = std::str::from_utf8(bytes).map_err(|error| refuse(format!("the text is not UTF-8: {error}")))?;
    let mut reader = serde_json::Deserializer::from_str(text);
    let tree = Depth(1)
        .deserialize(&mut reader)
        .map_err(|error| refuse(format!("not valid JSON, or not the kind that letters use: {error}")))?;
    reader.end().map_err(|error| refuse(format!("there is more text after the JSON: {error}")))?;
    Ok(tree)
}

/// Parses a payload, and checks that it is in the canonical encoding (json 3).
///
/// # Errors
/// Class `json` or `canonical`.
///
/// # Examples
///
/// The text that [`encode`] writes is the only one that is accepted:
///
/// ```
/// use sealed_dice::{blob::json, error::{Class, Error}};
///
/// assert!(json::parse_canonical(br#"{"a":1,"b":2}"#).is_ok());
/// let spaced = json::parse_canonical(br#"{"a": 1, "b": 2}"#);
/// assert_eq!(spaced.as_ref().map_err(Error::class), Err(Class::Canonical));
/// ```
pub fn parse_canonical(payload: &[u8]) -> Result<Tree<'_>> {
    let tree = parse(payload)?;
    if serde_json::to_vec(&tree).is_ok_and(|encoded| encoded == payload) {
        return Ok(tree);
    }
    Err(Error::malformed(
        Class::Canonical,
        "the payload is not in its canonical encoding: spaces, the order of keys, or escapes differ",
    ))
}

/// Encodes a value in canonical form (json 2). Its type must declare its fields in the order of their names. The
/// escapes that serde_json uses are those that json 2 requires; test vectors check this.
///
/// # Errors
/// [`Error::Misuse`] if the type has no JSON form.
///
/// # Examples
///
/// ```
/// use sealed_dice::blob::json;
///
/// let tree = json::parse(br#"{ "b": 2, "a": "\u00e9" }"#)?;
/// assert_eq!(json::encode(&tree)?, r#"{"a":"é","b":2}"#);
/// # Ok::<(), sealed_dice::error::Error>(())
/// ```
pub fn encode(value: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string(value).map_err(|error| Error::Misuse(error.to_string()))?;
    debug_assert!(parse_canonical(text.as_bytes()).is_ok(), "the fields of a type are out of order: {text}");
    Ok(text)
}

/// Converts any serializable value, with its fields in the order of their names.
///
/// # Errors
/// [`Error::Misuse`] if the type has no JSON form.
///
/// [`read_object`](super::read_object) reads the value again, and has an example of both.
pub fn to_value(value: &impl Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|error| Error::Misuse(error.to_string()))
}

/// Builds a [`Tree`] at a given depth of nesting, and refuses inputs that json 1 forbids but serde_json would accept.
struct Depth(usize);

impl Depth {
    fn inner<E: de::Error>(&self) -> Result<Self, E> {
        if self.0 > JSON_DEPTH {
            return Err(E::custom(format!("nested more than {JSON_DEPTH} levels deep")));
        }
        Ok(Self(self.0 + 1))
    }
}

impl<'de> DeserializeSeed<'de> for Depth {
    type Value = Tree<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Depth {
    type Value = Tree<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value without fractions")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Tree<'de>, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Tree<'de>, E> {
        Ok(Tree::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Tree<'de>, E> {
        if value.unsigned_abs() > INTEGER.unsigned_abs() {
            return Err(E::custom("an integer beyond 2^53 - 1"));
        }
        Ok(Tree::Integer(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Tree<'de>, E> {
        match i64::try_from(value) {
            Ok(value) => self.visit_i64(value),
            Err(_) => Err(E::custom("an integer beyond 2^53 - 1")),
        }
    }

    // Fractions, exponents, `-0` and integers beyond 64 bits arrive here.
    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Tree<'de>, E> {
        Err(E::custom("a number that is not a plain integer"))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Tree<'de>, E> {
        Ok(Tree::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_borrowed_str<E: de::Error>(self, value: &'de str) -> Result<Tree<'de>, E> {
        Ok(Tree::Text(Cow::Borrowed(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree<'de>, A::Error> {
        let mut out = Vec::new();
        while let Some(item) = items.next_element_seed(self.inner()?)? {
            out.push(item);
        }
        self.inner::<A::Error>()?;
        Ok(Tree::List(out))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Tree<'de>, A::Error> {
        self.inner::<A::Error>()?;
        let mut out: Vec<(Cow<'de, str>, Tree<'de>)> = Vec::new();
        let mut ascending = true;
        while let Some(key) = entries.next_key_seed(Self(1))? {
            let Tree::Text(key) = key else { return Err(de::Error::custom("a key must be a string")) };
            ascending &= out.last().is_none_or(|(last, _)| *last < key);
            out.push((key, entries.next_value_seed(self.inner()?)?));
        }
        if !ascending {
            out.sort_by(|(a, _), (b, _)| a.cmp(b));
            let twice = out.windows(2).find_map(|pair| match pair {
                [(a, _), (b, _)] if a == b => Some(a),
                _ => None,
            });
            if let Some(twice) = twice {
                return Err(de::Error::custom(format!("the key {twice:?} appears twice")));
            }
        }
        Ok(Tree::Object(out))
    }
}

/// Whether a list is strictly ascending.
pub(crate) fn ascending<T: Ord>(items: &[T]) -> bool {
    items.windows(2).all(|pair| matches!(pair, [a, b] if a < b))
}
