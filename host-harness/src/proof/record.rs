//! What must hold of every record: it is there, closed, and true.

use negotiation_model as model;
use serde_json::{Map, Value};

use super::invariants::{broken, hold};
use super::rules::{Rule, Violation};
use super::text;
use crate::types::{Context, Decision, Entry, Home, Settlement, Subject};

type Object = Map<String, Value>;

pub(super) fn check(
    case: &model::Case,
    floor: &str,
    requested: Option<model::Version>,
    context: &Context,
    settlement: &Settlement,
) -> Result<(), Violation> {
    let entry = &settlement.entry;
    let Ok(payload) = serde_json::from_str::<Object>(&entry.payload) else {
        return broken(Rule::RecordExists, "the payload is no JSON object");
    };
    let requested = requested.map(|version| version.to_string());
    let digest = context.peer_url.as_deref().and_then(model::digest);
    truth(case, floor, requested.as_deref(), &payload, settlement)?;
    hold(
        text_of(&payload, "peerDigest") == digest.as_deref()
            && entry.peer_digest.as_deref() == digest.as_deref(),
        Rule::PeerDigest,
        "`peerDigest` is not the digest of the peer's origin, or stands where there is none",
    )?;
    hold(
        text_of(&payload, "at") == Some(&context.at),
        Rule::RecordTruth,
        "`at` is not the instant that the host gave",
    )?;
    closed(
        &payload,
        &[
            ("protocol", true),
            ("outcome", true),
            ("requested", requested.is_some()),
            (
                "version",
                matches!(settlement.decision, Decision::Accepted(_)),
            ),
            ("floor", true),
            ("peerDigest", digest.is_some()),
            ("reason", true),
            ("at", true),
        ],
    )?;
    let owner = owner(case, context);
    hold(
        same_subject(entry.audience.as_ref(), owner.as_ref()),
        Rule::Audience,
        "the audience is not the owner of a proven exchange, or is somebody where nobody may read",
    )?;
    envelope(
        &payload,
        context,
        entry,
        owner.and_then(|owner| owner.workspace),
    )
}

/// The payload says what was decided and asked for.
fn truth(
    case: &model::Case,
    floor: &str,
    requested: Option<&str>,
    payload: &Object,
    settlement: &Settlement,
) -> Result<(), Violation> {
    let (outcome, version, reason) = match &settlement.decision {
        Decision::Accepted(accepted) => ("accepted", Some(accepted.version.as_str()), "ok"),
        Decision::Refused(refused) => ("refused", None, text::refusal(refused.refusal)),
    };
    for (member, expected) in [
        ("protocol", Some(case.protocol.as_str())),
        ("outcome", Some(outcome)),
        ("requested", requested),
        ("version", version),
        ("floor", Some(floor)),
        ("reason", Some(reason)),
    ] {
        if text_of(payload, member) != expected {
            let problem = format!("`{member}` on record is not what was decided or asked for");
            return Err(Violation::new(Rule::RecordTruth, problem));
        }
    }
    hold(
        settlement.entry.requested.as_deref() == requested,
        Rule::RecordTruth,
        "`entry.requested` is not what was asked for",
    )
}

fn owner(case: &model::Case, context: &Context) -> Option<Subject> {
    context.subject.clone().filter(|_| case.authenticated)
}

fn same_subject(one: Option<&Subject>, other: Option<&Subject>) -> bool {
    let facts = |subject: Option<&Subject>| {
        subject.map(|subject| (subject.tenant.clone(), subject.workspace.clone()))
    };
    facts(one) == facts(other)
}

fn envelope(
    payload: &Object,
    context: &Context,
    entry: &Entry,
    workspace: Option<String>,
) -> Result<(), Violation> {
    let home = match &context.run_id {
        Some(_) => Home::Run,
        None => Home::Host,
    };
    hold(
        entry.home == home,
        Rule::Durable,
        "the record lives in the wrong log",
    )?;
    let (Some(event_id), event) = (&context.event_id, &entry.event) else {
        return hold(
            entry.event.is_none(),
            Rule::Durable,
            "an envelope without an event id",
        );
    };
    let Some(event) = event
        .as_deref()
        .and_then(|event| serde_json::from_str::<Object>(event).ok())
    else {
        return broken(
            Rule::Durable,
            "there is no envelope, though there is an event id",
        );
    };
    let run = context.run_id.as_deref();
    for (member, expected) in [
        ("eventId", Some(event_id.as_str())),
        ("type", Some("negotiation.decided")),
        ("timestamp", Some(context.at.as_str())),
        ("delivery", run.is_none().then_some("durable")),
        (
            "workspaceId",
            workspace.as_deref().filter(|_| run.is_none()),
        ),
        ("runId", run),
    ] {
        if text_of(&event, member) != expected {
            let problem = format!("`{member}` of the envelope is not what it must be");
            return Err(Violation::new(Rule::Durable, problem));
        }
    }
    hold(
        event.get("payload").and_then(Value::as_object) == Some(payload),
        Rule::RecordTruth,
        "the envelope carries another payload than the record",
    )?;
    let of_run = run.is_some();
    let sequence = context.sequence.filter(|_| of_run);
    hold(
        event.get("sequence").and_then(Value::as_u64) == sequence
            && event.get("schemaVersion").and_then(Value::as_u64) == of_run.then_some(3),
        Rule::Durable,
        "`sequence` or `schemaVersion` of the envelope is not what it must be",
    )?;
    if of_run {
        let members = [
            "eventId",
            "runId",
            "type",
            "payload",
            "timestamp",
            "sequence",
        ];
        let mut members: Vec<_> = members.map(|member| (member, true)).to_vec();
        members.push(("schemaVersion", true));
        return closed(&event, &members);
    }
    closed(
        &event,
        &[
            ("eventId", true),
            ("type", true),
            ("timestamp", true),
            ("delivery", true),
            ("workspaceId", workspace.is_some()),
            ("payload", true),
        ],
    )
}

fn text_of<'a>(object: &'a Object, member: &str) -> Option<&'a str> {
    object.get(member).and_then(Value::as_str)
}

/// These members in this order, and no other.
fn closed(object: &Object, members: &[(&str, bool)]) -> Result<(), Violation> {
    let expected = members
        .iter()
        .filter(|(_, present)| *present)
        .map(|(member, _)| *member);
    hold(
        expected.eq(object.keys().map(String::as_str)),
        Rule::ContentFree,
        "a member too many, too few, or out of order",
    )
}
