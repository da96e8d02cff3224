//! Decisions and exchanges in words. All of them are ours: a grid holds nothing that a
//! peer wrote.

use crate::proof;
use crate::types::{Decision, Direction, Exchange, Facet, Named, Protocol, Surface};

pub(super) fn protocol(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::A2a => "a2a",
        Protocol::Mcp => "mcp",
    }
}

pub(super) fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Inbound => "inbound",
        Direction::Outbound => "outbound",
    }
}

pub(super) fn surface(surface: Surface) -> &'static str {
    match surface {
        Surface::A2aCall => "a2a-call",
        Surface::A2aCard => "a2a-card",
        Surface::McpInitialize => "mcp-initialize",
        Surface::McpSession => "mcp-session",
        Surface::McpRequest => "mcp-request",
    }
}

/// `1.0 (exact)`, `refused: unsupported (policy-denied)`.
pub(super) fn decision(decision: &Decision) -> String {
    match decision {
        Decision::Accepted(acceptance) => {
            let cause = proof::cause(acceptance.cause);
            format!("{} ({cause})", acceptance.version)
        }
        Decision::Refused(rejection) => {
            let cause = proof::cause(rejection.cause);
            let refusal = proof::refusal(rejection.refusal);
            format!("refused: {refusal} ({cause})")
        }
    }
}

pub(super) fn named(name: &Named) -> String {
    match name {
        Named::Nothing => "nothing".to_owned(),
        Named::One(version) => version.clone(),
        Named::Malformed => "something malformed".to_owned(),
        Named::Ambiguous => "several versions".to_owned(),
        Named::Contradiction(None) => "a contradiction".to_owned(),
        Named::Contradiction(Some(version)) => format!("a contradiction with {version}"),
    }
}

/// The facet, and what an exchange has beside what it names.
pub(super) fn example(facet: &Facet, exchange: &Exchange) -> String {
    let mut parts = vec![format!(
        "offered {}; preferred {}; floor {}",
        facet.offered.join(", "),
        facet.preferred,
        facet.floor
    )];
    if exchange.direction == Direction::Inbound {
        parts.push(surface(exchange.surface).to_owned());
    }
    if let Some(session) = &exchange.session {
        parts.push(format!("session {session}"));
    }
    if let Some(offers) = &exchange.offers {
        parts.push(match offers.as_slice() {
            [] => "peer offers nothing".to_owned(),
            offers => format!("peer offers {}", offers.join(", ")),
        });
    }
    if let Some(answered) = &exchange.answered {
        parts.push(format!("peer answered {}", named(answered)));
    }
    parts.join("; ")
}
