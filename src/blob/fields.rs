//! The strict reading of typed values behind [`super::json::read`].

use std::fmt;

use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
    value::BorrowedStrDeserializer,
};

use super::json::{Map, Value};

/// A deserializer over a value that tells where it failed.
#[derive(Clone, Copy)]
pub(super) struct Strict<'de>(pub(super) &'de Value);

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
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(value), _) => visitor.visit_u64(value),
                (None, Some(value)) => visitor.visit_i64(value),
                (None, None) => Err(de::Error::custom("a number that is no integer")),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => {
                let mut items = Items { rest: items.iter(), at: 0 };
                let value = visitor.visit_seq(&mut items)?;
                match items.rest.len() {
                    0 => Ok(value),
                    more => Err(de::Error::custom(format!("{more} items too many"))),
                }
            }
            Value::Object(fields) => StrictObject(fields).deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, At> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, At> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, At> {
        match self.0 {
            Value::Object(_) => self.deserialize_any(visitor),
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
            Value::String(word) => visitor.visit_enum(Choice { word, value: None }),
            Value::Object(fields) if fields.len() == 1 => match fields.iter().next() {
                Some((word, value)) => visitor.visit_enum(Choice { word, value: Some(value) }),
                None => Err(de::Error::custom("an empty object")),
            },
            Value::Object(_) => Err(de::Error::custom("exactly one field must be given")),
            _ => Err(de::Error::custom("neither a word nor an object of one field")),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

/// The same over the fields of an object.
#[derive(Clone, Copy)]
pub(super) struct StrictObject<'de>(pub(super) &'de Map<String, Value>);

impl<'de> Deserializer<'de> for StrictObject<'de> {
    type Error = At;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, At> {
        visitor.visit_map(Entries { rest: self.0.iter(), value: None })
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct Items<'de> {
    rest: std::slice::Iter<'de, Value>,
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
    rest: serde_json::map::Iter<'de>,
    value: Option<(&'de str, &'de Value)>,
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
    value: Option<&'de Value>,
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
