//! JSON-RPC messages, as far as this host reads them.

use std::collections::BTreeSet;
use std::fmt;

use axum::body::Bytes;
use axum::http::{HeaderMap, request::Parts};
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::answer::{self, Answer};
use super::body::NoBody;
use super::{Shared, body::read};
use crate::types::{HttpMethod, Inbound, Protocol};

/// A message; the texts are those of the body, byte for byte.
#[derive(Default)]
pub(super) struct Message<'a> {
    /// A string, a number, or null.
    pub(super) id: Option<&'a RawValue>,
    pub(super) method: Option<String>,
    pub(super) params: Option<&'a RawValue>,
    /// The id or the method is none: there is something to negotiate, and nothing to serve.
    pub(super) is_odd: bool,
}

impl<'a> Message<'a> {
    /// Reads a body. What is no message is answered before any negotiation.
    pub(super) fn read(body: &'a [u8]) -> Result<Self, Answer> {
        let not_json = || answer::error_code(400, None, -32700, "Parse error");
        let message: &RawValue = serde_json::from_slice(body).map_err(|_| not_json())?;
        // An array would be read as the members in their order.
        if !message.get().starts_with('{') {
            return Err(invalid());
        }
        serde_json::from_str(message.get()).map_err(|_| invalid())
    }

    /// The facts that the component reads.
    pub(super) fn inbound(&self, protocol: Protocol, parts: &Parts) -> Inbound {
        Inbound {
            method: self.method.clone(),
            params: self.params.map(|params| naming(params.get())),
            ..bodiless(protocol, parts)
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Message<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MessageVisitor)
    }
}

struct MessageVisitor;

impl<'de> Visitor<'de> for MessageVisitor {
    type Value = Message<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON-RPC message")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Message<'de>, M::Error> {
        let mut message = Message::default();
        let mut names = BTreeSet::new();
        while let Some(name) = map.next_key::<String>()? {
            let value: &RawValue = map.next_value()?;
            match name.as_str() {
                "id" if value.get().starts_with(['{', '[', 't', 'f']) => message.is_odd = true,
                "id" => message.id = Some(value),
                "method" => {
                    message.method = serde_json::from_str(value.get()).ok();
                    message.is_odd |= message.method.is_none();
                }
                "params" => message.params = Some(value),
                _ => {}
            }
            // Which of the two the server behind would take is anybody's guess.
            if !names.insert(name) {
                return Err(serde::de::Error::custom("a name stands there twice"));
            }
        }
        Ok(message)
    }
}

/// What is JSON, and no message.
pub(super) fn invalid() -> Answer {
    answer::error_code(400, None, -32600, "Invalid Request")
}

/// The header that names a version.
pub(super) const fn version_header(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::A2a => "a2a-version",
        Protocol::Mcp => "mcp-protocol-version",
    }
}

/// The facts of a request without a message.
pub(super) fn bodiless(protocol: Protocol, parts: &Parts) -> Inbound {
    Inbound {
        protocol,
        authenticated: false,
        http_method: match parts.method.as_str() {
            "GET" => HttpMethod::Get,
            "DELETE" => HttpMethod::Delete,
            _ => HttpMethod::Post,
        },
        headers: named(&parts.headers, version_header(protocol)),
        query: parts.uri.query().map(str::to_owned),
        method: None,
        params: None,
        session: None,
    }
}

/// The values of the one header that is read. Bytes that are no text stay wrong when they are read
/// as something else.
fn named(headers: &HeaderMap, name: &str) -> Vec<(String, String)> {
    let values = headers.get_all(name).iter();
    values
        .map(|value| {
            let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.to_owned(), text)
        })
        .collect()
}

/// The body of a request, or what to answer where there is none.
pub(super) async fn whole(shared: &Shared, body: axum::body::Body) -> Result<Bytes, Answer> {
    let limits = &shared.config.limits;
    let within = std::time::Duration::from_secs(limits.request_seconds);
    read(body, limits.body_bytes, within).await.map_err(no_body)
}

fn no_body(reason: NoBody) -> Answer {
    match reason {
        NoBody::TooLarge => answer::error_code(413, None, -32600, "The body is too large"),
        NoBody::TooSlow => answer::error_code(408, None, -32600, "The body came too slowly"),
        NoBody::Broken => answer::error_code(400, None, -32600, "The body could not be read"),
    }
}

/// Params, shortened to the members that name a version if they are long. A member that stands there
/// twice stays twice, so that nobody can hide a name behind another.
fn naming(params: &str) -> String {
    if params.len() <= SHORT {
        return params.to_owned();
    }
    let Ok(members) = serde_json::from_str::<Members<'_>>(params) else {
        // No object: it names nothing, whatever is in it.
        return "[]".to_owned();
    };
    let kept = members.0.into_iter().filter_map(|(name, value)| {
        let value = match name.as_str() {
            "protocolVersion" => short(value.get()),
            "_meta" => meta(value.get()),
            _ => return None,
        };
        Some(format!("{}:{value}", serde_json::Value::String(name)))
    });
    format!("{{{}}}", kept.collect::<Vec<_>>().join(","))
}

fn meta(meta: &str) -> String {
    let Ok(members) = serde_json::from_str::<Members<'_>>(meta) else {
        return "[]".to_owned();
    };
    let kept = members.0.into_iter().filter_map(|(name, value)| {
        (name == NAMES).then(|| format!("\"{NAMES}\":{}", short(value.get())))
    });
    format!("{{{}}}", kept.collect::<Vec<_>>().join(","))
}

/// No version is that long; something that is none stands for it.
fn short(value: &str) -> String {
    if value.len() <= LONGEST_NAME {
        value.to_owned()
    } else {
        "\"-\"".to_owned()
    }
}

/// The members of an object in their order, each as often as it stands there.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Members<'de>, M::Error> {
        let mut members = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            if matches!(name.as_str(), "_meta" | "protocolVersion" | NAMES) {
                members.push((name, map.next_value()?));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Members(members))
    }
}

const NAMES: &str = "io.modelcontextprotocol/protocolVersion";
/// Longer params are shortened before the component reads them.
const SHORT: usize = 16 * 1024;
const LONGEST_NAME: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_params_keep_every_name_and_nothing_else() {
        let filler = "x".repeat(SHORT);
        let params = format!(
            r#"{{"a":"{filler}","_meta":{{"b":1,"{NAMES}":"2026-07-28"}},"protocolVersion":7,"_meta":{{}}}}"#
        );
        let kept =
            format!(r#"{{"_meta":{{"{NAMES}":"2026-07-28"}},"protocolVersion":7,"_meta":{{}}}}"#);
        assert_eq!(naming(&params), kept);
        assert_eq!(naming(&format!("[\"{filler}\"]")), "[]");
        let long = format!(r#"{{"protocolVersion":"{filler}"}}"#);
        assert_eq!(naming(&long), r#"{"protocolVersion":"-"}"#);
        assert_eq!(naming("{ }"), "{ }");
    }
}
