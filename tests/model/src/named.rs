//! Rules, "Reading an inbound message".

use serde_json::Value;

use crate::branch::{Branch, Branches};
use crate::case::{Named, Surface};
use crate::reading::{Exchange, method};
use crate::request::text;
use crate::version::{Protocol, Version};

const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

// Header values.

/// The values of a header, as received.
fn header(exchange: &Exchange, name: &str) -> Result<Vec<String>, String> {
    let Some(headers) = exchange.get("headers") else {
        return Ok(Vec::new());
    };
    let pairs = headers
        .as_array()
        .ok_or("exchange.headers: must be an array")?;
    let mut values = Vec::new();
    for pair in pairs {
        match pair.as_array().map(Vec::as_slice) {
            Some([Value::String(header), Value::String(value)]) => {
                if header.eq_ignore_ascii_case(name) {
                    values.push(value.clone());
                }
            }
            _ => return Err("exchange.headers: must hold pairs of strings".to_owned()),
        }
    }
    Ok(values)
}

/// Splits at commas, trims space and tab, and keeps one of each text.
fn distinct(values: &[String], tags: &mut Branches) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for value in values {
        if value.contains(',') {
            tags.reach(Branch::HeaderSplit);
        }
        for part in value.split(',') {
            let trimmed = trim(part);
            if trimmed != part {
                tags.reach(Branch::HeaderTrimmed);
            }
            if distinct.iter().any(|known| known == trimmed) {
                tags.reach(Branch::HeaderCopies);
            } else {
                distinct.push(trimmed.to_owned());
            }
        }
    }
    distinct
}

pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

// A2A.

pub(crate) fn a2a(exchange: &Exchange, tags: &mut Branches) -> Result<Named, String> {
    let mut values = header(exchange, "A2A-Version")?;
    let query = text(exchange, "query")?.unwrap_or_default();
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        if name.eq_ignore_ascii_case("A2A-Version") {
            tags.reach(Branch::A2aQuery);
            values.push(value.into_owned());
        }
    }
    let mut names = distinct(&values, tags);
    if names.iter().any(String::is_empty) {
        tags.reach(Branch::A2aEmptyDropped);
        names.retain(|name| !name.is_empty());
    }
    Ok(match names.as_slice() {
        [] => {
            tags.reach(Branch::A2aNothing);
            Named::Nothing
        }
        [name] => match Version::read_wire(Protocol::A2a, name) {
            Some(version) => {
                tags.reach(Branch::A2aOne);
                if *name != version.to_string() {
                    tags.reach(Branch::A2aPatchCut);
                }
                Named::One(version)
            }
            None => {
                tags.reach(Branch::A2aMalformed);
                Named::Malformed
            }
        },
        _ => {
            tags.reach(Branch::A2aAmbiguous);
            Named::Ambiguous
        }
    })
}

// MCP.

/// A name in the body: a text, or something else (`null` too).
type BodyName<'a> = Option<&'a str>;

pub(crate) fn mcp(
    exchange: &Exchange,
    surface: Surface,
    tags: &mut Branches,
) -> Result<Named, String> {
    let header = distinct(&header(exchange, "MCP-Protocol-Version")?, tags);
    let params = exchange.get("params");
    let body = params
        .and_then(|params| params.get("protocolVersion"))
        .map(Value::as_str);
    let meta = params
        .and_then(|params| params.get("_meta"))
        .and_then(|meta| meta.get(META_VERSION))
        .map(Value::as_str);
    Ok(if surface == Surface::McpInitialize {
        initialize(&header, meta, body, tags)
    } else {
        other_message(&header, meta, method(exchange), tags)
    })
}

fn initialize(
    header: &[String],
    meta: Option<BodyName>,
    body: Option<BodyName>,
    tags: &mut Branches,
) -> Named {
    if header.len() > 1 {
        tags.reach(Branch::InitializeAmbiguous);
        return Named::Ambiguous;
    }
    let header = header.first().map(|name| Some(name.as_str()));
    let present: Vec<BodyName> = [header, meta, body].into_iter().flatten().collect();
    match present.as_slice() {
        [] => {
            tags.reach(Branch::InitializeNothing);
            Named::Nothing
        }
        [None] => {
            tags.reach(Branch::InitializeNotText);
            Named::Malformed
        }
        [Some(name), rest @ ..] if rest.iter().all(|other| *other == Some(name)) => {
            match Version::read_wire(Protocol::Mcp, name) {
                Some(version) => {
                    tags.reach(Branch::InitializeOne);
                    Named::One(version)
                }
                None => {
                    tags.reach(Branch::InitializeMalformed);
                    Named::Malformed
                }
            }
        }
        _ => {
            tags.reach(Branch::InitializeContradiction);
            contradiction(header, meta, body, tags)
        }
    }
}

fn other_message(
    header: &[String],
    meta: Option<BodyName>,
    method: Option<&str>,
    tags: &mut Branches,
) -> Named {
    let (name, meta) = match (header, meta) {
        ([], None) => {
            tags.reach(Branch::McpNothing);
            return Named::Nothing;
        }
        ([_, _, ..], _) => {
            tags.reach(Branch::McpAmbiguous);
            return Named::Ambiguous;
        }
        ([], Some(meta)) => {
            tags.reach(Branch::McpHeaderMissing);
            return contradiction(None, Some(meta), None, tags);
        }
        ([name], meta) => (name.as_str(), meta),
    };
    let version = Version::read_wire(Protocol::Mcp, name);
    let current = version.is_some_and(|version| !version.has_handshake());
    let disagreement = match meta {
        Some(None) => Some(Branch::McpMetaNotText),
        Some(Some(meta)) if meta != name => Some(Branch::McpDisagree),
        None if current && method != Some("server/discover") => Some(Branch::McpMetaMissing),
        None if current => {
            tags.reach(Branch::McpDiscoverMetaMissing);
            None
        }
        _ => None,
    };
    if let Some(branch) = disagreement {
        tags.reach(branch);
        return contradiction(Some(Some(name)), meta, None, tags);
    }
    if name.is_empty() {
        tags.reach(Branch::McpBlank);
    }
    match version {
        Some(version) => {
            tags.reach(Branch::McpOne);
            Named::One(version)
        }
        None => {
            tags.reach(Branch::McpMalformed);
            Named::Malformed
        }
    }
}

/// The first well-formed name goes on record: header, `_meta`, `params.protocolVersion` (R6).
fn contradiction(
    header: Option<BodyName>,
    meta: Option<BodyName>,
    body: Option<BodyName>,
    tags: &mut Branches,
) -> Named {
    let names = [
        (header, Branch::R6Header),
        (meta, Branch::R6Meta),
        (body, Branch::R6Params),
    ];
    for (name, branch) in names {
        let version = name
            .flatten()
            .and_then(|name| Version::read_wire(Protocol::Mcp, name));
        if version.is_some() {
            tags.reach(branch);
            return Named::Contradiction(version);
        }
    }
    tags.reach(Branch::R6None);
    Named::Contradiction(None)
}
