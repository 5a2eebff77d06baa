//! Typed values from JSON (`protocol/json.md` 4).

use std::fmt;

use serde::{
    Serialize, Serializer,
    de::{self, Deserialize, DeserializeOwned, Deserializer, Visitor},
    ser,
};
use serde_json::{Map, Value};

use super::{
    fields::{Strict, TEXT},
    tree::{Tree, encode, parse},
};
use crate::error::{Class, Error, Result};

/// An object, stored as its canonical text. A long game holds many objects, and a tree takes several times as much
/// memory.
///
/// # Examples
///
/// An input of a resolver, which a declaration contains in this form:
///
/// ```
/// use sealed_dice::blob::json::{self, Text};
///
/// let input = Text::of(&json::parse(br#"{ "rolls": [{ "why": "supply", "cell": "A1" }] }"#)?)?;
/// assert_eq!(input.as_str(), r#"{"rolls":[{"cell":"A1","why":"supply"}]}"#);
/// # Ok::<(), sealed_dice::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text(Box<str>);

impl Text {
    /// Writes a value of an object type whose fields are declared in the order of their names.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the type has no JSON form.
    pub fn of(value: &impl Serialize) -> Result<Self> {
        Ok(Self(encode(value)?.into()))
    }

    /// Parses the text into a type.
    ///
    /// # Errors
    /// The errors of [`read`].
    pub fn read<T: DeserializeOwned>(&self) -> Result<T> {
        read(&parse(self.0.as_bytes())?)
    }

    /// Returns the text itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        parse(self.0.as_bytes()).map_err(ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(TEXT, ObjectText)
    }
}

struct ObjectText;

impl<'de> Visitor<'de> for ObjectText {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Text, E> {
        Ok(Text(text.into()))
    }
}

/// Reads a typed body: exactly its fields, each with the right type (json 4). A struct must be an object and never a
/// list, unlike in serde's default reading.
///
/// # Errors
/// Class `fields`, with the path to the field.
///
/// # Examples
///
/// An error names the path to the wrong field:
///
/// ```
/// use sealed_dice::blob::{body::Slot, json};
///
/// let tree = json::parse(br#"{"impulse":1,"number":2,"phase":"combat","turn":3}"#)?;
/// let slot: Slot = json::read(&tree)?;
/// assert_eq!(slot.to_string(), "3/1/combat/2");
///
/// let tree = json::parse(br#"{"impulse":1,"number":2,"phase":"combat","turn":0}"#)?;
/// let refused = json::read::<Slot>(&tree).map_err(|error| error.to_string());
/// assert_eq!(refused, Err("turn: must be from 1 to 9999, not 0".into()));
/// # Ok::<(), sealed_dice::error::Error>(())
/// ```
pub fn read<T: DeserializeOwned>(tree: &Tree<'_>) -> Result<T> {
    typed(Strict::parsed(tree))
}

/// Reads a typed body from the fields of an object in memory.
///
/// # Errors
/// The errors of [`read`].
///
/// # Examples
///
/// ```
/// use sealed_dice::blob::{body::Slot, json::{self, Value}};
///
/// let slot = Slot::parse("3/1/combat/2").ok_or("no slot")?;
/// let Value::Object(fields) = json::to_value(&slot)? else { return Err("no object".into()) };
/// assert_eq!(fields["phase"], "combat");
/// assert_eq!(json::read_object::<Slot>(&fields)?, slot);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_object<T: DeserializeOwned>(fields: &Map<String, Value>) -> Result<T> {
    typed(Strict::object(fields))
}

/// Reads a typed body from a value in memory.
///
/// # Errors
/// The errors of [`read`].
pub(crate) fn read_value<T: DeserializeOwned>(value: &Value) -> Result<T> {
    typed(Strict::held(value))
}

fn typed<T: DeserializeOwned>(value: Strict<'_>) -> Result<T> {
    T::deserialize(value).map_err(|error| Error::malformed(Class::Fields, error.to_string()))
}
