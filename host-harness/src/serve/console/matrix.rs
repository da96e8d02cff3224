//! What every version that a caller may name leads to, by what is in force.

use std::sync::Arc;

use axum::extract::State;
use serde_json::{Value, json};

use super::super::Shared;
use super::super::answer::{self, Answer};
use super::super::deciding::Taken;
use super::super::message::version_header;
use super::super::metrics;
use super::unavailable;
use crate::proof;
use crate::shared::versions::{self, Named};
use crate::types::{Decision, Facet, HttpMethod, Inbound, Protocol};

pub(super) async fn show(State(shared): State<Arc<Shared>>) -> Answer {
    // All of it by one generation.
    let taken = shared.exchanges.negotiator();
    let facets = taken.facets();
    let offered = [(Protocol::A2a, &facets.a2a), (Protocol::Mcp, &facets.mcp)];
    let offered = offered
        .into_iter()
        .filter_map(|(protocol, facet)| Some((protocol, facet.as_ref()?)));
    let tables: Option<Vec<Value>> = offered
        .map(|(protocol, facet)| table(&taken, protocol, facet))
        .collect();
    let Some(tables) = tables else {
        return unavailable("The component failed");
    };
    let by = taken.by();
    answer::json(
        200,
        &json!({
            "generation": by.map(|by| by.generation),
            "policy": by.and_then(|by| by.policy),
            "tables": tables,
        }),
    )
}

fn table(taken: &Taken, protocol: Protocol, facet: &Facet) -> Option<Value> {
    let rows = versions::to_name(protocol, facet).into_iter().map(|named| {
        let with = decided(taken, protocol, &named, true)?;
        let without = decided(taken, protocol, &named, false)?;
        Some(json!({
            "named": named.version,
            "note": named.note,
            "in": versions::message(protocol, named.version.as_deref()),
            "authenticated": with,
            "unauthenticated": without,
        }))
    });
    Some(json!({
        "protocol": metrics::protocol(protocol),
        "offered": facet.offered,
        "preferred": facet.preferred,
        "floor": facet.floor,
        "rows": rows.collect::<Option<Vec<Value>>>()?,
    }))
}

fn decided(taken: &Taken, protocol: Protocol, named: &Named, authenticated: bool) -> Option<Value> {
    let message = inbound(protocol, named.version.as_deref(), authenticated);
    let exchange = taken.read_inbound(&message).ok()?;
    Some(match taken.would_decide(&exchange)? {
        Decision::Accepted(acceptance) => json!({
            "outcome": "accepted",
            "version": acceptance.version,
            "reason": "ok",
            "cause": proof::cause(acceptance.cause),
        }),
        Decision::Refused(rejection) => json!({
            "outcome": "refused",
            "reason": proof::refusal(rejection.refusal),
            "cause": proof::cause(rejection.cause),
        }),
    })
}

/// A message that names a version, or none, in the way of its protocol and era.
fn inbound(protocol: Protocol, named: Option<&str>, authenticated: bool) -> Inbound {
    let in_params = match (protocol, named) {
        (Protocol::Mcp, Some(version)) if versions::has_handshake(version) => {
            Some(json!({ "protocolVersion": version }))
        }
        (Protocol::Mcp, Some(version)) => Some(json!({ "_meta": { META: version } })),
        _ => None,
    };
    let is_initialize = versions::message(protocol, named) == "initialize";
    let header = named.filter(|_| !is_initialize);
    Inbound {
        protocol,
        authenticated,
        http_method: HttpMethod::Post,
        headers: header
            .map(|version| (version_header(protocol).to_owned(), version.to_owned()))
            .into_iter()
            .collect(),
        query: None,
        method: Some(versions::message(protocol, named).to_owned()),
        params: in_params.map(|params| params.to_string()),
        session: None,
    }
}

const META: &str = "io.modelcontextprotocol/protocolVersion";
