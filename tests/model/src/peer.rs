//! Rules, "Reading what a peer told".

use serde_json::Value;

use crate::branch::{Branch, Branches};
use crate::case::Named;
use crate::named::trim;
use crate::reading::Exchange;
use crate::request::text;
use crate::version::{Protocol, Version};

/// What this host asks for, read like a name on the wire.
pub(crate) fn requested(
    exchange: &Exchange,
    protocol: Protocol,
    tags: &mut Branches,
) -> Result<Named, String> {
    let Some(requested) = text(exchange, "requested")? else {
        tags.reach(Branch::RequestedDefault);
        return Ok(Named::Nothing);
    };
    Ok(match Version::read_wire(protocol, &requested) {
        Some(version) => {
            tags.reach(Branch::RequestedOne);
            Named::One(version)
        }
        None => {
            tags.reach(Branch::RequestedMalformed);
            Named::Malformed
        }
    })
}

/// The versions that the peer lists.
pub(crate) fn offers(exchange: &Exchange, protocol: Protocol, tags: &mut Branches) -> Vec<Version> {
    let entries = if let Some(card) = exchange.get("card") {
        of_card(card, tags)
    } else if let Some(discover) = exchange.get("discover") {
        tags.reach(Branch::Discover);
        list(discover.get("supportedVersions"))
    } else if let Some(error) = exchange.get("error") {
        of_error(error, protocol, tags)
    } else if let Some(offers) = exchange.get("offers") {
        tags.reach(Branch::Offers);
        list(Some(offers))
    } else {
        tags.reach(Branch::PeerNothing);
        Vec::new()
    };
    let mut versions = Vec::new();
    for entry in entries {
        match entry.and_then(|text| Version::read_wire(protocol, text).map(|v| (text, v))) {
            Some((text, version)) => {
                if text != version.to_string() {
                    tags.reach(Branch::PeerPatchCut);
                }
                versions.push(version);
            }
            None => tags.reach(Branch::PeerSkipped),
        }
    }
    versions
}

/// An entry of a list of versions, if it is a text.
type Entry<'a> = Option<&'a str>;

fn of_card<'a>(card: &'a Value, tags: &mut Branches) -> Vec<Entry<'a>> {
    match card.get("supportedInterfaces").and_then(Value::as_array) {
        Some(interfaces) if !interfaces.is_empty() => {
            tags.reach(Branch::CardInterfaces);
            interfaces
                .iter()
                .map(|entry| entry.get("protocolVersion")?.as_str())
                .collect()
        }
        _ => {
            tags.reach(Branch::CardTopLevel);
            vec![card.get("protocolVersion").and_then(Value::as_str)]
        }
    }
}

fn of_error<'a>(error: &'a Value, protocol: Protocol, tags: &mut Branches) -> Vec<Entry<'a>> {
    let code = error.get("code").and_then(Value::as_i64);
    let data = error.get("data").unwrap_or(&Value::Null);
    match (protocol, code) {
        (Protocol::A2a, Some(-32009)) => match data {
            Value::Array(details) => {
                tags.reach(Branch::ErrorA2aArray);
                details
                    .iter()
                    .filter_map(|detail| detail.get("metadata")?.get("supportedVersions")?.as_str())
                    .flat_map(|text| joined(text, tags))
                    .collect()
            }
            _ => {
                let own = data.get("supportedVersions");
                let inner = data
                    .get("metadata")
                    .and_then(|data| data.get("supportedVersions"));
                let branch = if own.is_some() {
                    Branch::ErrorA2aObject
                } else {
                    Branch::ErrorA2aMetadata
                };
                tags.reach(branch);
                match own.or(inner) {
                    Some(Value::String(text)) => joined(text, tags),
                    other => list(other),
                }
            }
        },
        (Protocol::Mcp, Some(-32022 | -32602)) => {
            tags.reach(Branch::ErrorMcp);
            list(data.get("supported"))
        }
        _ => {
            tags.reach(Branch::ErrorOther);
            Vec::new()
        }
    }
}

fn joined<'a>(text: &'a str, tags: &mut Branches) -> Vec<Entry<'a>> {
    tags.reach(Branch::PeerJoined);
    text.split(',').map(|entry| Some(trim(entry))).collect()
}

fn list(value: Option<&Value>) -> Vec<Entry<'_>> {
    value
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(Value::as_str)
        .collect()
}

/// The version in the peer's `initialize` answer.
pub(crate) fn answered(exchange: &Exchange, tags: &mut Branches) -> Option<Named> {
    let answer = exchange.get("initialize")?;
    let Some(name) = answer.get("protocolVersion") else {
        tags.reach(Branch::AnswerNothing);
        return Some(Named::Nothing);
    };
    match name
        .as_str()
        .and_then(|name| Version::read_wire(Protocol::Mcp, name))
    {
        Some(version) => {
            tags.reach(Branch::AnswerOne);
            Some(Named::One(version))
        }
        None => {
            tags.reach(Branch::AnswerMalformed);
            Some(Named::Malformed)
        }
    }
}
