//! The strict deserializer behind [`super::read`].

use std::{borrow::Cow, fmt, slice};

use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
    value::BorrowedStrDeserializer,
};

use super::tree::{Tree, encode_fields};

/// The name under which [`Strict`] passes the text of an object instead of its fields.
pub(super) const TEXT: &str = "canonical text";

/// A deserializer over a tree that reports where it failed.
pub(super) struct Strict<'de>(pub(super) &'de Tree<'de>);

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
            Tree::Null => visitor.visit_unit(),
            Tree::Bool(value) => visitor.visit_bool(*value),
            Tree::Integer(value) => match u64::try_from(*value) {
                Ok(value) => visitor.visit_u64(value),
                Err(_) => visitor.visit_i64(*value),
            },
            Tree::Text(text) => visitor.visit_borrowed_str(text),
            Tree::List(items) => {
                let mut items = Items { rest: items.iter(), at: 0 };
                let value = visitor.visit_seq(&mut items)?;
                match items.rest.len() {
                    0 => Ok(value),
                    more => Err(de::Error::custom(format!("the list has too many items: {more} more than allowed"))),
                }
            }
            Tree::Object(fields) => visitor.visit_map(Entries { rest: fields.iter(), value: None }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, At> {
        match self.0 {
            Tree::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, At> {
        match self.0 {
            _ if name != TEXT => visitor.visit_newtype_struct(self),
            Tree::Object(fields) => visitor.visit_str(&encode_fields(fields).map_err(de::Error::custom)?),
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
            Tree::Object(_) => self.deserialize_any(visitor),
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
            Tree::Text(word) => visitor.visit_enum(Choice { word, value: None }),
            Tree::Object(fields) => match fields.as_slice() {
                [(word, value)] => visitor.visit_enum(Choice { word, value: Some(value) }),
                _ => Err(de::Error::custom("exactly one field must be given")),
            },
            _ => Err(de::Error::custom("must be a word, or an object with one field")),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

struct Items<'de> {
    rest: slice::Iter<'de, Tree<'de>>,
    at: usize,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = At;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, At> {
        let Some(value) = self.rest.next() else {
            return Ok(None);
        };
        self.at += 1;
        seed.deserialize(Strict(value)).map(Some).map_err(|error| error.within(format_args!("item {}", self.at)))
    }
}

struct Entries<'de> {
    rest: slice::Iter<'de, (Cow<'de, str>, Tree<'de>)>,
    value: Option<(&'de str, &'de Tree<'de>)>,
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
        seed.deserialize(Strict(value)).map_err(|error| error.within(key))
    }
}

struct Choice<'de> {
    word: &'de str,
    value: Option<&'de Tree<'de>>,
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
        seed.deserialize(Strict(value)).map_err(|error| error.within(self.word))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, At> {
        Err(de::Error::custom(format!("{} must not be a list", self.word)))
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, At> {
        let value = self.value.ok_or_else(|| de::Error::custom(format!("{} needs a value", self.word)))?;
        Strict(value).deserialize_struct("", fields, visitor).map_err(|error| error.within(self.word))
    }
}
