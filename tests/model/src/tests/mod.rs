mod coverage;
mod field;
mod properties;
mod readings;
mod small;
mod tags;
mod vectors;

use serde_json::{Value, json};

use crate::{Modelled, Policy, settle_with};

/// Facets of the two protocols that most cases use: A2A 0.3 and 1.0, MCP two handshake revisions
/// and the first one without.
fn facets() -> Value {
    json!({
        "a2a": {
            "versions": ["0.3", "1.0"], "preferredVersion": "1.0", "minimumVersion": "0.3",
            "refreshedAt": "2026-11-01",
        },
        "mcp": {
            "revisions": ["2025-06-18", "2026-07-28", "2025-11-25"],
            "preferredVersion": "2026-07-28", "minimumRevision": "2025-06-18",
            "refreshedAt": "2026-11-01",
        },
    })
}

/// A request: the exchange's common members, and what is to be added to it.
fn request(protocol: &str, direction: &str, authenticated: bool, more: Value) -> Value {
    let mut exchange = json!({
        "protocol": protocol, "direction": direction, "authenticated": authenticated,
    });
    exchange
        .as_object_mut()
        .unwrap()
        .append(&mut more.as_object().unwrap().clone());
    json!({
        "facets": facets(), "exchange": exchange, "context": { "at": "2026-11-30T12:00:00Z" },
    })
}

fn a2a_in(authenticated: bool, more: Value) -> Value {
    request("a2a", "inbound", authenticated, more)
}

fn mcp_in(authenticated: bool, more: Value) -> Value {
    request("mcp", "inbound", authenticated, more)
}

fn a2a_out(authenticated: bool, more: Value) -> Value {
    request("a2a", "outbound", authenticated, more)
}

fn mcp_out(authenticated: bool, more: Value) -> Value {
    request("mcp", "outbound", authenticated, more)
}

fn settled(request: &Value, policy: Policy) -> Modelled {
    settle_with(request, policy).unwrap_or_else(|error| panic!("{error}: {request}"))
}

/// `version` or `reason`, then cause, then what is on record as requested.
fn brief(request: &Value) -> String {
    let answer = settled(request, Policy::Highest).answer;
    let text = |member: &str| {
        answer
            .get(member)
            .and_then(Value::as_str)
            .unwrap_or("-")
            .to_owned()
    };
    let first = if answer["outcome"] == "accepted" {
        text("version")
    } else {
        text("reason")
    };
    format!("{first} {} {}", text("cause"), text("requested"))
}
