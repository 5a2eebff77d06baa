//! Typed values from JSON (`protocol/json.md` 4).

use std::fmt;

use serde::{
    Serialize, Serializer,
    de::{self, Deserialize, DeserializeOwned, Deserializer, Visitor},
    ser,
};
use serde_json::{Map, Value};

use super::{
    fields::{Look, Node, Strict, TEXT},
    tree::{Tree, encode, parse},
};
use crate::error::{Class, Error, Result};

/// An object, stored as its canonical text. A long game holds many objects, and a tree takes several times as much
/// memory.
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
pub fn read<T: DeserializeOwned>(tree: &Tree<'_>) -> Result<T> {
    typed(tree.look())
}

/// Reads a typed body from the fields of an object in memory.
///
/// # Errors
/// The errors of [`read`].
pub fn read_object<T: DeserializeOwned>(fields: &Map<String, Value>) -> Result<T> {
    typed(Look::<Value>::Object(fields))
}

fn typed<'de, N: Node<'de>, T: DeserializeOwned>(look: Look<'de, N>) -> Result<T> {
    T::deserialize(Strict(look)).map_err(|error| Error::malformed(Class::Fields, error.to_string()))
}
