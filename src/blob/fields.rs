//! The strict reading of typed values behind [`super::json::read`].

use std::{borrow::Cow, fmt};

use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
    value::BorrowedStrDeserializer,
};

use super::json::{TEXT, Tree, encode};

/// A deserializer over a tree that tells where it failed.
#[derive(Clone, Copy)]
pub(super) struct Strict<'de>(pub(super) &'de Tree<'de>);

/// What is wrong, behind the path to it.
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
                    more => Err(de::Error::custom(format!("{more} items too many"))),
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
            Tree::Object(_) => visitor.visit_str(&encode(self.0).map_err(de::Error::custom)?),
            _ => Err(de::Error::custom("not an object")),
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
            _ => Err(de::Error::custom("not an object")),
        }
    }

    // A plain word is a string; a word with something behind it is an object of one field.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, At> {
        match self.0 {
            Tree::Text(word) => visitor.visit_enum(Choice { word, value: None }),
            Tree::Object(fields) if let [(word, value)] = fields.as_slice() => {
                visitor.visit_enum(Choice { word, value: Some(value) })
            }
            Tree::Object(_) => Err(de::Error::custom("exactly one field must be given")),
            _ => Err(de::Error::custom("neither a word nor an object of one field")),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

struct Items<'de> {
    rest: std::slice::Iter<'de, Tree<'de>>,
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
    rest: std::slice::Iter<'de, (Cow<'de, str>, Tree<'de>)>,
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
        let (key, value) = self.value.take().ok_or_else(|| de::Error::custom("a value without its key"))?;
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
            Some(_) => Err(de::Error::custom(format!("{} takes nothing behind it", self.word))),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, At> {
        let value = self.value.ok_or_else(|| de::Error::custom(format!("{} needs a value", self.word)))?;
        seed.deserialize(Strict(value)).map_err(|error| error.within(self.word))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, At> {
        Err(de::Error::custom(format!("{} is no list", self.word)))
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, At> {
        let value = self.value.ok_or_else(|| de::Error::custom(format!("{} needs a value", self.word)))?;
        Strict(value).deserialize_struct("", fields, visitor).map_err(|error| error.within(self.word))
    }
}
