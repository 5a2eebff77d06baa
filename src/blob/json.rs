//! Canonical JSON (`protocol/json.md`): one value, one encoding.

use std::fmt::{self, Write};

use serde::{
    Serialize, Serializer,
    de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor},
};
use serde_json::map::Entry;
pub use serde_json::{Map, Value};

use crate::{
    error::{Class, Error, Result},
    limits::{INTEGER, JSON_DEPTH},
};

/// Parses JSON of the accepted kind (json 1), in whatever encoding.
///
/// # Errors
/// Class `json`, with the line and column.
pub fn parse(bytes: &[u8]) -> Result<Value> {
    let refuse = |text: String| Error::malformed(Class::Json, text);
    let text = std::str::from_utf8(bytes).map_err(|error| refuse(format!("the text is not UTF-8: {error}")))?;
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Depth(1)
        .deserialize(&mut reader)
        .map_err(|error| refuse(format!("not valid JSON, or not of the kind that letters use: {error}")))?;
    reader.end().map_err(|error| refuse(format!("something follows the JSON: {error}")))?;
    Ok(value)
}

/// Parses a payload and insists on its one encoding (json 3).
///
/// # Errors
/// Class `json` or `canonical`.
pub fn parse_canonical(payload: &[u8]) -> Result<Value> {
    let value = parse(payload)?;
    let mut encoded = String::with_capacity(payload.len());
    write(&value, &mut encoded);
    if encoded.as_bytes() != payload {
        return Err(Error::malformed(
            Class::Canonical,
            "the payload is not in its canonical encoding: blanks, the order of keys, or escapes differ",
        ));
    }
    Ok(value)
}

/// The canonical encoding (json 2). A float cannot be parsed here, and is written as `null` if a caller makes one.
#[must_use]
pub fn encode(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

/// Any serializable value in the canonical encoding.
///
/// # Errors
/// [`Error::Misuse`] if the type has no JSON form.
pub fn to_value(value: &impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|error| Error::Misuse(error.to_string()))
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => match number.as_i64() {
            // Writing to a string cannot fail.
            Some(integer) => drop(write!(out, "{integer}")),
            None => out.push_str("null"),
        },
        Value::String(text) => write_string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            out.push('{');
            // `Map` is sorted by key; a test on the feature tree forbids the feature that would change it.
            for (i, (key, item)) in fields.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_string(key, out);
                out.push(':');
                write(item, out);
            }
            out.push('}');
        }
    }
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    // What needs an escape is one byte in UTF-8, so bytes can be looked at.
    while let Some(at) = rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        let (plain, tail) = rest.split_at(at);
        out.push_str(plain);
        let mut tail = tail.chars();
        match tail.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\u{8}') => out.push_str("\\b"),
            Some('\t') => out.push_str("\\t"),
            Some('\n') => out.push_str("\\n"),
            Some('\u{c}') => out.push_str("\\f"),
            Some('\r') => out.push_str("\\r"),
            Some(control) => out.push_str(&format!("\\u{:04x}", u32::from(control))),
            None => {}
        }
        rest = tail.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

/// An object as its canonical text. A long game holds many, and a tree costs several times its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text(Box<str>);

impl Text {
    /// Keeps an object.
    #[must_use]
    pub fn of(object: Map<String, Value>) -> Self {
        Self(encode(&Value::Object(object)).into())
    }

    /// Writes a type whose fields are declared in the order of their names: its plain JSON is canonical already.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the type has no JSON form.
    pub fn written(value: &impl Serialize) -> Result<Self> {
        let text = serde_json::to_string(value).map_err(|error| Error::Misuse(error.to_string()))?;
        debug_assert!(parse_canonical(text.as_bytes()).is_ok(), "the fields of a type are out of order: {text}");
        Ok(Self(text.into()))
    }

    /// The object.
    #[must_use]
    pub fn object(&self) -> Map<String, Value> {
        match parse(self.0.as_bytes()) {
            Ok(Value::Object(object)) => object,
            _ => Map::new(),
        }
    }

    /// The text itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.object().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Object(object) => Ok(Self::of(object)),
            _ => Err(de::Error::custom("not an object")),
        }
    }
}

/// Builds a [`Value`] at a depth, refusing what json 1 refuses and serde_json would let pass.
struct Depth(usize);

impl Depth {
    fn inner<E: de::Error>(&self) -> Result<Self, E> {
        if self.0 > JSON_DEPTH {
            return Err(E::custom(format!("nested deeper than {JSON_DEPTH}")));
        }
        Ok(Self(self.0 + 1))
    }
}

impl<'de> DeserializeSeed<'de> for Depth {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Depth {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value without fractions")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        if value.unsigned_abs() > INTEGER.unsigned_abs() {
            return Err(E::custom("an integer beyond 2^53 - 1"));
        }
        Ok(Value::from(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        match i64::try_from(value) {
            Ok(value) => self.visit_i64(value),
            Err(_) => Err(E::custom("an integer beyond 2^53 - 1")),
        }
    }

    // Fractions, exponents, `-0` and integers beyond 64 bits arrive here.
    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Value, E> {
        Err(E::custom("a number that is no plain integer"))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut out = Vec::new();
        while let Some(item) = items.next_element_seed(self.inner()?)? {
            out.push(item);
        }
        self.inner::<A::Error>()?;
        Ok(Value::Array(out))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        self.inner::<A::Error>()?;
        let mut out = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(self.inner()?)?;
            match out.entry(key) {
                Entry::Vacant(free) => drop(free.insert(value)),
                Entry::Occupied(taken) => {
                    return Err(de::Error::custom(format!("the key {:?} stands twice", taken.key())));
                }
            }
        }
        Ok(Value::Object(out))
    }
}

/// Reads a typed body out of a value: exactly its fields, each of its type (json 4). A struct is an object and never a
/// list, unlike serde's own reading.
///
/// # Errors
/// Class `fields`, with the path to the field.
pub fn read<'de, T: Deserialize<'de>>(value: &'de Value) -> Result<T> {
    T::deserialize(super::fields::Strict(value)).map_err(|error| Error::malformed(Class::Fields, error.to_string()))
}

/// The same of an object.
///
/// # Errors
/// As [`read`].
pub fn read_object<'de, T: Deserialize<'de>>(fields: &'de Map<String, Value>) -> Result<T> {
    T::deserialize(super::fields::StrictObject(fields))
        .map_err(|error| Error::malformed(Class::Fields, error.to_string()))
}
