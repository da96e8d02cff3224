//! A JSON value that remembers whether an object named a member twice.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Self>),
    /// An object: its members in order, repeats included.
    Object(Vec<(String, Self)>),
}

/// A JSON number, as far as requests have use for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// An integer that is not negative.
    Unsigned(u64),
    /// A negative integer.
    Negative(i64),
    /// Anything else.
    Other,
}

impl Value {
    /// Parses text. Depth is bounded by the parser.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The string, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The array, if it is one.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// A member of an object, the first of that name; `None` for anything else.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members
                .iter()
                .find(|(member, _)| member == name)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// Whether any object within names a member twice.
    #[must_use]
    pub fn repeats_a_member(&self) -> bool {
        match self {
            Self::Array(items) => items.iter().any(Self::repeats_a_member),
            Self::Object(members) => {
                has_repeats(members) || members.iter().any(|(_, value)| value.repeats_a_member())
            }
            _ => false,
        }
    }
}

/// Whether two members have the same name.
pub(crate) fn has_repeats(members: &[(String, Value)]) -> bool {
    any_twice(members.iter().map(|(name, _)| name.as_str()))
}

/// Whether any text stands twice in a list.
pub(crate) fn any_twice<'a>(texts: impl Iterator<Item = &'a str>) -> bool {
    // Sorting keeps a hostile list of thousands from costing its square.
    let mut texts: Vec<&str> = texts.collect();
    texts.sort_unstable();
    texts
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a == b))
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(match u64::try_from(value) {
            Ok(value) => Number::Unsigned(value),
            Err(_) => Number::Negative(value),
        }))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(Number::Unsigned(value)))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
        Ok(Value::Number(Number::Other))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.into()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = access.next_entry()? {
            members.push(member);
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_named_twice_is_seen_at_any_depth() {
        let repeats = |text| Value::parse(text).unwrap().repeats_a_member();
        assert!(repeats(r#"{"a":1,"b":2,"a":1}"#));
        assert!(repeats(r#"[{"x":{"a":1,"\u0061":2}}]"#));
        assert!(!repeats(r#"{"a":{"a":1},"b":[{"a":1},{"a":2}]}"#));
    }

    #[test]
    fn what_is_no_json() {
        for text in [
            "",
            "{",
            "{} {}",
            "{'a':1}",
            "[1,]",
            "\"\\ud800\"",
            "nul",
            "01",
            "\u{feff}{}",
        ] {
            assert_eq!(Value::parse(text), None, "{text:?}");
        }
        let deep = "[".repeat(200) + &"]".repeat(200);
        assert_eq!(Value::parse(&deep), None);
    }
}
