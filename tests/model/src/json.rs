//! JSON whose members keep the order in which they were written.

use serde_json::{Map, Value};

/// A JSON value with ordered members.
#[derive(Clone)]
pub(crate) enum Json {
    /// A value without members to order.
    Plain(Value),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    pub(crate) fn null() -> Self {
        Self::Plain(Value::Null)
    }

    /// An object of the members that are there.
    pub(crate) fn object<const N: usize>(members: [(&'static str, Option<Json>); N]) -> Self {
        let present = members
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)));
        Self::Object(present.collect())
    }

    /// Compact text, members in order.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Plain(value) => value.to_string(),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(Json::text).collect();
                format!("[{}]", items.join(","))
            }
            Self::Object(members) => {
                let members: Vec<String> = members
                    .iter()
                    .map(|(name, value)| format!("\"{name}\":{}", value.text()))
                    .collect();
                format!("{{{}}}", members.join(","))
            }
        }
    }

    /// The same as a plain value.
    pub(crate) fn value(&self) -> Value {
        match self {
            Self::Plain(value) => value.clone(),
            Self::List(items) => items.iter().map(Json::value).collect(),
            Self::Object(members) => Value::Object(
                members
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), value.value()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }
}

impl<T: Into<Value>> From<T> for Json {
    fn from(value: T) -> Self {
        Self::Plain(value.into())
    }
}
