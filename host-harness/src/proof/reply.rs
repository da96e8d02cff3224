//! What must hold of every reply.

use negotiation_model as model;
use serde_json::{Map, Value};

use super::invariants::{broken, hold};
use super::rules::{Rule, Violation};
use crate::types::{Decision, Refusal, Reply, Settlement};

pub(super) fn check(
    case: &model::Case,
    version: Option<model::Version>,
    requested: Option<model::Version>,
    settlement: &Settlement,
) -> Result<(), Violation> {
    let reply = &settlement.reply;
    let Decision::Refused(refused) = &settlement.decision else {
        return accepted(case, version, reply);
    };
    let inbound = case.direction == model::Direction::Inbound;
    let unproven = inbound && refused.refusal == Refusal::Unauthenticated;
    let status = if unproven { 401 } else { 400 };
    hold(
        reply.status == status,
        Rule::ReplyTruth,
        "the status does not fit the refusal",
    )?;
    let headers: &[(&str, &str)] = if unproven {
        &[("WWW-Authenticate", "Bearer")]
    } else {
        &[]
    };
    hold(
        same_headers(reply, headers),
        Rule::ReplyTruth,
        "a header too many, too few, or with another value",
    )?;
    let Some(envelope) = object(reply.envelope.as_deref()) else {
        return broken(Rule::ReplyTruth, "a refusal without an envelope");
    };
    let details = envelope.get("details").and_then(Value::as_object);
    lists(case, details.and_then(|details| details.get("supported")))?;
    names(
        requested,
        details.and_then(|details| details.get("requested")),
    )?;
    if !inbound {
        return hold(
            reply.error.is_none(),
            Rule::ReplyTruth,
            "an error object where there is nobody to send it to",
        );
    }
    let Some(error) = object(reply.error.as_deref()) else {
        return broken(
            Rule::ReplyTruth,
            "an inbound refusal without an error object",
        );
    };
    let data = error.get("data").and_then(Value::as_object);
    if let Some(data) = data {
        lists(case, data.get("supported"))?;
        names(
            requested,
            data.get("requested").filter(|value| !value.is_null()),
        )?;
    }
    Ok(())
}

fn accepted(
    case: &model::Case,
    version: Option<model::Version>,
    reply: &Reply,
) -> Result<(), Violation> {
    let name = match case.protocol {
        model::Protocol::A2a => "A2A-Version",
        model::Protocol::Mcp => "MCP-Protocol-Version",
    };
    let version = version
        .map(|version| version.to_string())
        .unwrap_or_default();
    hold(
        reply.status == 200 && same_headers(reply, &[(name, &version)]),
        Rule::ReplyTruth,
        "an acceptance that does not carry the version agreed on, and only that",
    )?;
    hold(
        reply.error.is_none() && reply.envelope.is_none(),
        Rule::ReplyTruth,
        "an acceptance with an error",
    )
}

fn same_headers(reply: &Reply, expected: &[(&str, &str)]) -> bool {
    let headers = reply.headers.iter();
    headers
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .eq(expected.iter().copied())
}

/// A list holds exactly what this caller could have, best first.
fn lists(case: &model::Case, list: Option<&Value>) -> Result<(), Violation> {
    let least = if case.authenticated {
        case.floor
    } else {
        case.preferred
    };
    let mut could: Vec<_> = case
        .offered
        .iter()
        .filter(|version| **version >= least)
        .collect();
    could.sort();
    let could = could.iter().rev().map(|version| version.to_string());
    let list = list.and_then(Value::as_array);
    hold(
        list.is_some_and(|list| {
            could.eq(list.iter().map(|entry| entry.as_str().unwrap_or_default()))
        }),
        Rule::ReplyTruth,
        "`supported` is not what this caller could have, best first",
    )
}

fn names(requested: Option<model::Version>, told: Option<&Value>) -> Result<(), Violation> {
    hold(
        told.map(Value::as_str)
            == requested
                .map(|version| version.to_string())
                .as_deref()
                .map(Some),
        Rule::ReplyTruth,
        "`requested` in the reply is not what is on record",
    )
}

fn object(text: Option<&str>) -> Option<Map<String, Value>> {
    serde_json::from_str(text?).ok()
}
