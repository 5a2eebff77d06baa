//! The strict deserializer behind [`super::read`].

use std::{borrow::Cow, fmt, slice};

use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
    value::BorrowedStrDeserializer,
};
use serde_json::{Map, Number, Value, map};

use super::tree::{Tree, encode, encode_fields};
use crate::error::Result;

/// The name under which [`Strict`] passes the text of an object instead of its fields.
pub(super) const TEXT: &str = "canonical text";

/// A deserializer over a value that reports where it failed.
pub(super) struct Strict<'de>(Look<'de>);

/// A JSON value, sorted by kind. It borrows from a parsed tree or from a value in memory, because copying a large state
/// into a tree first is slow.
enum Look<'de> {
    Null,
    Bool(bool),
    Integer(i64),
    /// A number that is not a plain integer.
    Odd(&'de Number),
    Text(&'de str),
    List(List<'de>),
    Object(Fields<'de>),
}

/// The rest of a list.
enum List<'de> {
    Parsed(slice::Iter<'de, Tree<'de>>),
    Held(slice::Iter<'de, Value>),
}

/// The fields of an object, in the order of their names.
#[derive(Clone, Copy)]
enum Fields<'de> {
    Parsed(&'de [(Cow<'de, str>, Tree<'de>)]),
    Held(&'de Map<String, Value>),
}

/// The rest of an object's fields.
enum Rest<'de> {
    Parsed(slice::Iter<'de, (Cow<'de, str>, Tree<'de>)>),
    Held(map::Iter<'de>),
}

impl<'de> Strict<'de> {
    #[inline]
    pub(super) fn parsed(tree: &'de Tree<'de>) -> Self {
        Self(match tree {
            Tree::Null => Look::Null,
            Tree::Bool(value) => Look::Bool(*value),
            Tree::Integer(value) => Look::Integer(*value),
            Tree::Text(text) => Look::Text(text),
            Tree::List(items) => Look::List(List::Parsed(items.iter())),
            Tree::Object(fields) => Look::Object(Fields::Parsed(fields)),
        })
    }

    #[inline]
    pub(super) fn held(value: &'de Value) -> Self {
        Self(match value {
            Value::Null => Look::Null,
            Value::Bool(value) => Look::Bool(*value),
            Value::Number(number) => number.as_i64().map_or(Look::Odd(number), Look::Integer),
            Value::String(text) => Look::Text(text),
            Value::Array(items) => Look::List(List::Held(items.iter())),
            Value::Object(fields) => return Self::object(fields),
        })
    }

    pub(super) const fn object(fields: &'de Map<String, Value>) -> Self {
        Self(Look::Object(Fields::Held(fields)))
    }
}

impl<'de> List<'de> {
    fn len(&self) -> usize {
        match self {
            Self::Parsed(rest) => rest.len(),
            Self::Held(rest) => rest.len(),
        }
    }

    #[inline]
    fn next(&mut self) -> Option<Strict<'de>> {
        match self {
            Self::Parsed(rest) => rest.next().map(Strict::parsed),
            Self::Held(rest) => rest.next().map(Strict::held),
        }
    }
}

impl<'de> Fields<'de> {
    fn rest(self) -> Rest<'de> {
        match self {
            Self::Parsed(fields) => Rest::Parsed(fields.iter()),
            Self::Held(fields) => Rest::Held(fields.iter()),
        }
    }

    fn text(self) -> Result<String> {
        match self {
            Self::Parsed(fields) => encode_fields(fields),
            Self::Held(fields) => encode(&Tree::of_object(fields)?),
        }
    }
}

impl<'de> Rest<'de> {
    #[inline]
    fn next(&mut self) -> Option<(&'de str, Strict<'de>)> {
        match self {
            Self::Parsed(rest) => rest.next().map(|(name, value)| (&**name, Strict::parsed(value))),
            Self::Held(rest) => rest.next().map(|(name, value)| (name.as_str(), Strict::held(value))),
        }
    }
}

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

    fn missing_field(field: &'static str) -> Self {
        Self::custom(format_args!("{field} is missing: fill it in"))
    }
}

impl<'de> Deserializer<'de> for Strict<'de> {
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
            Look::List(rest) => {
                let mut items = Items { rest, at: 0 };
                let value = visitor.visit_seq(&mut items)?;
                match items.rest.len() {
                    0 => Ok(value),
                    more => Err(de::Error::custom(format!("the list has too many items: {more} more than allowed"))),
                }
            }
            Look::Object(fields) => visitor.visit_map(Entries { rest: fields.rest(), value: None }),
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
            Look::Object(fields) => visitor.visit_str(&fields.text().map_err(de::Error::custom)?),
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
            Look::Text(word) => visitor.visit_enum(Choice { word, value: None }),
            Look::Object(fields) => {
                let mut rest = fields.rest();
                match (rest.next(), rest.next()) {
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

struct Items<'de> {
    rest: List<'de>,
    at: usize,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = At;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, At> {
        let Some(value) = self.rest.next() else {
            return Ok(None);
        };
        self.at += 1;
        seed.deserialize(value).map(Some).map_err(|error| error.within(format_args!("item {}", self.at)))
    }
}

struct Entries<'de> {
    rest: Rest<'de>,
    value: Option<(&'de str, Strict<'de>)>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
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
        seed.deserialize(value).map_err(|error| error.within(key))
    }
}

struct Choice<'de> {
    word: &'de str,
    value: Option<Strict<'de>>,
}

impl<'de> EnumAccess<'de> for Choice<'de> {
    type Error = At;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), At> {
        let variant = seed.deserialize(BorrowedStrDeserializer::new(self.word))?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for Choice<'de> {
    type Error = At;

    fn unit_variant(self) -> Result<(), At> {
        match self.value {
            None => Ok(()),
            Some(_) => Err(de::Error::custom(format!("{} must not have a value", self.word))),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, At> {
        let value = self.value.ok_or_else(|| de::Error::custom(format!("{} needs a value", self.word)))?;
        seed.deserialize(value).map_err(|error| error.within(self.word))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, At> {
        Err(de::Error::custom(format!("{} must not be a list", self.word)))
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, At> {
        let value = self.value.ok_or_else(|| de::Error::custom(format!("{} needs a value", self.word)))?;
        value.deserialize_struct("", fields, visitor).map_err(|error| error.within(self.word))
    }
}
