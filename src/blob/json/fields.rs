//! The strict deserializer behind [`super::read`].

use std::{borrow::Cow, fmt};

use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
    value::BorrowedStrDeserializer,
};
use serde_json::{Map, Number, Value};

use super::tree::{Tree, encode, encode_fields};
use crate::error::Result;

/// The name under which [`Strict`] passes the text of an object instead of its fields.
pub(super) const TEXT: &str = "canonical text";

/// A source of typed values: a parsed tree, or a value in memory.
pub(super) trait Node<'de>: Sized + 'de {
    /// The fields of an object.
    type Fields: Copy;

    /// Returns the kind of JSON value, with its content.
    fn look(&'de self) -> Look<'de, Self>;

    /// Iterates over the fields, in the order of their names.
    fn each(fields: Self::Fields) -> impl Iterator<Item = (&'de str, &'de Self)>;

    /// Returns the canonical text of the fields.
    fn text(fields: Self::Fields) -> Result<String>;
}

/// The kind of a node, with its content.
pub(super) enum Look<'de, N: Node<'de>> {
    Null,
    Bool(bool),
    Integer(i64),
    /// A number that is not a plain integer.
    Odd(&'de Number),
    Text(&'de str),
    List(&'de [N]),
    Object(N::Fields),
}

impl<'de> Node<'de> for Tree<'de> {
    type Fields = &'de [(Cow<'de, str>, Self)];

    fn look(&'de self) -> Look<'de, Self> {
        match self {
            Self::Null => Look::Null,
            Self::Bool(value) => Look::Bool(*value),
            Self::Integer(value) => Look::Integer(*value),
            Self::Text(text) => Look::Text(text),
            Self::List(items) => Look::List(items),
            Self::Object(fields) => Look::Object(fields.as_slice()),
        }
    }

    fn each(fields: Self::Fields) -> impl Iterator<Item = (&'de str, &'de Self)> {
        fields.iter().map(|(name, value)| (&**name, value))
    }

    fn text(fields: Self::Fields) -> Result<String> {
        encode_fields(fields)
    }
}

impl<'de> Node<'de> for Value {
    type Fields = &'de Map<String, Self>;

    fn look(&'de self) -> Look<'de, Self> {
        match self {
            Self::Null => Look::Null,
            Self::Bool(value) => Look::Bool(*value),
            Self::Number(number) => number.as_i64().map_or(Look::Odd(number), Look::Integer),
            Self::String(text) => Look::Text(text),
            Self::Array(items) => Look::List(items),
            Self::Object(fields) => Look::Object(fields),
        }
    }

    fn each(fields: Self::Fields) -> impl Iterator<Item = (&'de str, &'de Self)> {
        fields.iter().map(|(name, value)| (name.as_str(), value))
    }

    fn text(fields: Self::Fields) -> Result<String> {
        encode(&Tree::of_object(fields)?)
    }
}

/// A deserializer over a node that reports where it failed.
pub(super) struct Strict<'de, N: Node<'de>>(pub(super) Look<'de, N>);

/// An error, and the path to the faulty value.
#[derive(Debug)]
pub(super) struct At {
    path: Vec<String>,
    text: String,
}

impl At {
    fn within(mut self, step: impl fmt::Display) -> Self {
        self.path.push(step.to_string());
        self
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in self.path.iter().rev() {
            write!(f, "{step}: ")?;
        }
        f.write_str(&self.text)
    }
}

impl std::error::Error for At {}

impl de::Error for At {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Self { path: Vec::new(), text: text.to_string() }
    }
}

impl<'de, N: Node<'de>> Deserializer<'de> for Strict<'de, N> {
    type Error = At;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, At> {
        match self.0 {
            Look::Null => visitor.visit_unit(),
            Look::Bool(value) => visitor.visit_bool(value),
            Look::Integer(value) => match u64::try_from(value) {
                Ok(value) => visitor.visit_u64(value),
                Err(_) => visitor.visit_i64(value),
            },
            Look::Odd(number) => Err(de::Error::custom(format!("{number} is not a plain integer"))),
            Look::Text(text) => visitor.visit_borrowed_str(text),
            Look::List(items) => {
                let mut items = Items { rest: items.iter(), at: 0 };
                let value = visitor.visit_seq(&mut items)?;
                match items.rest.len() {
                    0 => Ok(value),
                    more => Err(de::Error::custom(format!("the list has too many items: {more} more than allowed"))),
                }
            }
            Look::Object(fields) => visitor.visit_map(Entries { rest: N::each(fields), value: None }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, At> {
        match self.0 {
            Look::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, At> {
        match self.0 {
            _ if name != TEXT => visitor.visit_newtype_struct(self),
            Look::Object(fields) => visitor.visit_str(&N::text(fields).map_err(de::Error::custom)?),
            _ => Err(de::Error::custom("must be an object")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, At> {
        match self.0 {
            Look::Object(_) => self.deserialize_any(visitor),
            _ => Err(de::Error::custom("must be an object")),
        }
    }

    // A plain word is a string; a word with content is an object with one field.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, At> {
        match self.0 {
            Look::Text(word) => visitor.visit_enum(Choice::<N> { word, value: None }),
            Look::Object(fields) => {
                let mut fields = N::each(fields);
                match (fields.next(), fields.next()) {
                    (Some((word, value)), None) => visitor.visit_enum(Choice { word, value: Some(value) }),
                    _ => Err(de::Error::custom("exactly one field must be given")),
                }
            }
            _ => Err(de::Error::custom("must be a word, or an object with one field")),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

struct Items<'de, N> {
    rest: std::slice::Iter<'de, N>,
    at: usize,
}

impl<'de, N: Node<'de>> SeqAccess<'de> for Items<'de, N> {
    type Error = At;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, At> {
        let Some(value) = self.rest.next() else {
            return Ok(None);
        };
        self.at += 1;
        seed.deserialize(Strict(value.look())).map(Some).map_err(|error| error.within(format_args!("item {}", self.at)))
    }
}

struct Entries<'de, N, I> {
    rest: I,
    value: Option<(&'de str, &'de N)>,
}

impl<'de, N: Node<'de>, I: Iterator<Item = (&'de str, &'de N)>> MapAccess<'de> for Entries<'de, N, I> {
    type Error = At;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, At> {
        let Some((key, value)) = self.rest.next() else {
            return Ok(None);
        };
        self.value = Some((key, value));
        seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, At> {
        let (key, value) = self.value.take().ok_or_else(|| de::Error::custom("a value has lost its key"))?;
        seed.deserialize(Strict(value.look())).map_err(|error| error.within(key))
    }
}

struct Choice<'de, N> {
    word: &'de str,
    value: Option<&'de N>,
}

impl<'de, N: Node<'de>> EnumAccess<'de> for Choice<'de, N> {
    type Error = At;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), At> {
        let variant = seed.deserialize(BorrowedStrDeserializer::new(self.word))?;
        Ok((variant, self))
    }
}

impl<'de, N: Node<'de>> VariantAccess<'de> for Choice<'de, N> {
    type Error = At;

    fn unit_variant(self) -> Result<(), At> {
        match self.value {
            None => Ok(()),
            Some(_) => Err(de::Error::custom(format!("{} must not have a value", self.word))),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, At> {
        let value = self.value.ok_or_else(|| de::Error::custom(format!("{} needs a value", self.word)))?;
        seed.deserialize(Strict(value.look())).map_err(|error| error.within(self.word))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, At> {
        Err(de::Error::custom(format!("{} must not be a list", self.word)))
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, At> {
        let value = self.value.ok_or_else(|| de::Error::custom(format!("{} needs a value", self.word)))?;
        Strict(value.look()).deserialize_struct("", fields, visitor).map_err(|error| error.within(self.word))
    }
}
