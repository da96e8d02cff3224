//! Rules, "The record".

use crate::branch::{Branch, Branches};
use crate::case::{Case, Outcome};
use crate::json::Json;
use crate::request::Context;
use crate::small::digest;

/// The payload.
pub(crate) fn payload(
    case: &Case,
    outcome: &Outcome,
    context: &Context,
    tags: &mut Branches,
) -> Json {
    let digest = context.peer_url.as_deref().and_then(|url| {
        let digest = digest(url);
        tags.reach(if digest.is_some() {
            Branch::PeerDigest
        } else {
            Branch::PeerOpaque
        });
        digest
    });
    Json::object([
        ("protocol", Some(case.protocol.as_str().into())),
        ("outcome", Some(outcome_name(outcome).into())),
        (
            "requested",
            outcome.requested.map(|version| version.to_string().into()),
        ),
        (
            "version",
            outcome.version.map(|version| version.to_string().into()),
        ),
        ("floor", Some(case.floor.to_string().into())),
        ("peerDigest", digest.map(Json::from)),
        ("reason", Some(outcome.reason.as_str().into())),
        ("at", Some(context.at.as_str().into())),
    ])
}

pub(crate) fn outcome_name(outcome: &Outcome) -> &'static str {
    if outcome.version.is_some() {
        "accepted"
    } else {
        "refused"
    }
}

/// The payload with its home, its audience and its envelope.
pub(crate) fn entry(case: &Case, payload: Json, context: &Context, tags: &mut Branches) -> Json {
    let home = if context.run_id.is_some() {
        "run"
    } else {
        "host"
    };
    let tenant = context.tenant.as_deref().filter(|_| case.authenticated);
    let workspace = context.workspace.as_deref().filter(|_| tenant.is_some());
    let audience = match tenant {
        Some(tenant) => Json::object([
            ("tenant", Some(tenant.into())),
            ("workspace", workspace.map(Json::from)),
        ]),
        None => Json::null(),
    };
    tags.reach(match (tenant, workspace) {
        (None, _) => Branch::Nobody,
        (Some(_), None) => Branch::Audience,
        (Some(_), Some(_)) => Branch::AudienceWorkspace,
    });

    let at = || Json::from(context.at.as_str());
    let kind = || Json::from("negotiation.decided");
    let event = match (context.event_id.as_deref(), context.run_id.as_deref()) {
        (None, _) => {
            tags.reach(Branch::NoEvent);
            Json::null()
        }
        (Some(event_id), Some(run_id)) => {
            tags.reach(Branch::RunEvent);
            Json::object([
                ("eventId", Some(event_id.into())),
                ("runId", Some(run_id.into())),
                ("type", Some(kind())),
                ("payload", Some(payload)),
                ("timestamp", Some(at())),
                ("sequence", context.sequence.map(Json::from)),
                ("schemaVersion", Some(3.into())),
            ])
        }
        (Some(event_id), None) => {
            tags.reach(Branch::HostEvent);
            Json::object([
                ("eventId", Some(event_id.into())),
                ("type", Some(kind())),
                ("timestamp", Some(at())),
                ("delivery", Some("durable".into())),
                ("workspaceId", workspace.map(Json::from)),
                ("payload", Some(payload)),
            ])
        }
    };
    Json::object([
        ("home", Some(home.into())),
        ("audience", Some(audience)),
        ("event", Some(event)),
    ])
}
