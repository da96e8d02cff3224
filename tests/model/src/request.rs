//! The parts of a request that are the host's own: facets and context.

use serde_json::{Map, Value};

use crate::version::{Protocol, Version};

/// What this host advertises for one protocol.
pub(crate) struct Facet {
    pub offered: Vec<Version>,
    pub preferred: Version,
    pub floor: Version,
}

/// What the host adds to a decision to put it on record.
pub(crate) struct Context {
    pub at: String,
    pub peer_url: Option<String>,
    pub tenant: Option<String>,
    pub workspace: Option<String>,
    pub run_id: Option<String>,
    pub sequence: Option<u64>,
    pub event_id: Option<String>,
}

/// An object member of a request.
pub(crate) fn object<'a>(of: &'a Value, member: &str) -> Result<&'a Map<String, Value>, String> {
    of.get(member)
        .and_then(Value::as_object)
        .ok_or(format!("{member}: must be an object"))
}

/// An optional text member of a request.
pub(crate) fn text(of: &Map<String, Value>, member: &str) -> Result<Option<String>, String> {
    match of.get(member) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("{member}: must be a string")),
    }
}

/// The facet of a protocol. Both facets must be valid, whichever is asked for.
pub(crate) fn facet(request: &Value, protocol: Protocol) -> Result<Facet, String> {
    let facets = object(request, "facets")?;
    let a2a = facets
        .get("a2a")
        .map(|facet| read_facet(facet, Protocol::A2a))
        .transpose()?;
    let mcp = facets
        .get("mcp")
        .map(|facet| read_facet(facet, Protocol::Mcp))
        .transpose()?;
    match protocol {
        Protocol::A2a => a2a,
        Protocol::Mcp => mcp,
    }
    .ok_or("facets: none for the protocol".to_owned())
}

pub(crate) fn read_facet(facet: &Value, protocol: Protocol) -> Result<Facet, String> {
    let (list, floor) = match protocol {
        Protocol::A2a => ("versions", "minimumVersion"),
        Protocol::Mcp => ("revisions", "minimumRevision"),
    };
    // No patch part here: only the wire may have one (R3).
    let version = |value: Option<&Value>| {
        value
            .and_then(Value::as_str)
            .and_then(|text| Version::read(protocol, text))
            .ok_or("facets: not a version".to_owned())
    };
    let offered = facet
        .get(list)
        .and_then(Value::as_array)
        .ok_or("facets: no list of versions")?
        .iter()
        .map(|entry| version(Some(entry)))
        .collect::<Result<Vec<_>, _>>()?;
    let preferred = version(facet.get("preferredVersion"))?;
    let floor = version(facet.get(floor))?;

    let duplicate = (1..)
        .zip(&offered)
        .any(|(rest, entry)| offered.iter().skip(rest).any(|other| other == entry));
    if offered.is_empty() || offered.len() > 256 || duplicate {
        return Err("facets: empty, too many or a duplicate".to_owned());
    }
    if !offered.contains(&preferred) || !offered.contains(&floor) || floor > preferred {
        return Err("facets: preferred or floor not offered, or floor above preferred".to_owned());
    }
    Ok(Facet {
        offered,
        preferred,
        floor,
    })
}

pub(crate) fn context(request: &Value) -> Result<Context, String> {
    members(object(request, "context")?)
}

/// A context alone.
pub(crate) fn read_context(context: &Value) -> Result<Context, String> {
    members(context.as_object().ok_or("context: must be an object")?)
}

fn members(context: &Map<String, Value>) -> Result<Context, String> {
    let sequence = match context.get("sequence") {
        None => None,
        Some(value) => Some(
            value
                .as_u64()
                .ok_or("sequence: must be an integer from 0")?,
        ),
    };
    let context = Context {
        at: text(context, "at")?.ok_or("at: required")?,
        peer_url: text(context, "peerUrl")?,
        tenant: text(context, "tenant")?,
        workspace: text(context, "workspace")?,
        run_id: text(context, "runId")?,
        sequence,
        event_id: text(context, "eventId")?,
    };
    let run_event = context.run_id.is_some() && context.event_id.is_some();
    if run_event && context.sequence.is_none() {
        return Err("sequence: required for a run event".to_owned());
    }
    Ok(context)
}
