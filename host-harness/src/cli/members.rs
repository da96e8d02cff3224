//! The members of a JSON object, each with its exact text.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The outermost members of an object, repeats included. Their values are kept as they are
/// written: reading and writing them again would hide a member that is given twice.
pub(crate) struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

/// Why some text has no members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoMembers {
    /// No JSON; where in the text that was noticed.
    NotJson { line: usize, column: usize },
    /// JSON, but no object.
    NotAnObject,
    /// A member is given twice.
    Twice,
}

impl<'a> Members<'a> {
    /// Reads an object.
    pub(crate) fn of(text: &'a str) -> Result<Self, NoMembers> {
        let members: Self = match serde_json::from_str(text) {
            Ok(members) => members,
            Err(_) => {
                return Err(match serde_json::from_str::<IgnoredAny>(text) {
                    Ok(_) => NoMembers::NotAnObject,
                    Err(error) => NoMembers::NotJson {
                        line: error.line(),
                        column: error.column(),
                    },
                });
            }
        };
        let mut names: Vec<&str> = members.0.iter().map(|(name, _)| &**name).collect();
        names.sort_unstable();
        if names
            .windows(2)
            .any(|pair| matches!(pair, [a, b] if a == b))
        {
            return Err(NoMembers::Twice);
        }
        Ok(members)
    }

    /// The text of a member.
    pub(crate) fn get(&self, name: &str) -> Option<&'a str> {
        let mut members = self.0.iter();
        let found = members.find(|(member, _)| member == name);
        found.map(|(_, value)| value.get())
    }

    /// Whether there is no member but these.
    pub(crate) fn has_only(&self, names: &[&str]) -> bool {
        self.0.iter().all(|(name, _)| names.contains(&&**name))
    }
}

impl NoMembers {
    /// What to do about it.
    pub(crate) fn problem(self) -> &'static str {
        match self {
            Self::NotJson { .. } => "must be JSON text",
            Self::NotAnObject => "must be a JSON object",
            Self::Twice => "must have no member twice",
        }
    }
}

impl fmt::Display for NoMembers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson { line, column } => {
                write!(
                    f,
                    "{} (it is not at line {line}, column {column})",
                    self.problem()
                )
            }
            _ => f.write_str(self.problem()),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Collect)
    }
}

struct Collect;

impl<'de> Visitor<'de> for Collect {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Members<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some((Name(name), value)) = access.next_entry()? {
            members.push((name, value));
        }
        Ok(Members(members))
    }
}

/// A name that is only copied where it is written with escapes.
#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_text() {
        let members = Members::of(r#" {"a": {"x":1,"x":2}, "\u0062":"\u0063"} "#).unwrap();
        assert_eq!(members.get("a"), Some(r#"{"x":1,"x":2}"#));
        assert_eq!(members.get("b"), Some(r#""\u0063""#));
        assert_eq!(members.get("c"), None);
        assert!(members.has_only(&["a", "b", "c"]) && !members.has_only(&["a"]));
    }

    #[test]
    fn what_has_no_members_says_why() {
        let why = |text| Members::of(text).err().unwrap();
        assert_eq!(why("{\n\"a\":}"), NoMembers::NotJson { line: 2, column: 5 });
        assert_eq!(why("[1]"), NoMembers::NotAnObject);
        assert_eq!(why("null"), NoMembers::NotAnObject);
        assert_eq!(why(r#"{"a":1,"\u0061":2}"#), NoMembers::Twice);
        assert!(matches!(why("{} {}"), NoMembers::NotJson { .. }));
        assert!(matches!(why(""), NoMembers::NotJson { .. }));
    }
}
