//! Rules, "The answer".

use std::cmp::Reverse;

use crate::branch::{Branch, Branches};
use crate::case::{Case, Cause, Direction, Outcome, Reason, Surface};
use crate::json::Json;
use crate::version::{Protocol, Version};

/// The answer to a decision.
pub(crate) fn answer(
    case: &Case,
    outcome: &Outcome,
    run_id: Option<&str>,
    tags: &mut Branches,
) -> Json {
    if let Some(version) = outcome.version {
        tags.reach(Branch::AnswerAccepted);
        let name = match case.protocol {
            Protocol::A2a => "A2A-Version",
            Protocol::Mcp => "MCP-Protocol-Version",
        };
        return reply(
            200,
            &[(name, &version.to_string())],
            Json::null(),
            Json::null(),
        );
    }
    let supported = supported(case, tags);
    let envelope = Json::object([
        ("error", Some("interop_version_unsupported".into())),
        (
            "message",
            Some("No protocol version could be agreed".into()),
        ),
        (
            "details",
            Some(Json::object([
                ("protocol", Some(case.protocol.as_str().into())),
                (
                    "requested",
                    outcome.requested.map(|version| version.to_string().into()),
                ),
                ("supported", Some(list(&supported))),
                ("reason", Some(outcome.reason.as_str().into())),
                ("runId", run_id.map(Json::from)),
                ("retriable", Some(false.into())),
            ])),
        ),
    ]);
    if case.direction == Direction::Outbound {
        tags.reach(Branch::AnswerOutbound);
        return reply(400, &[], Json::null(), envelope);
    }
    let error = error(case, outcome, &supported, tags);
    if outcome.reason == Reason::Unauthenticated {
        tags.reach(Branch::AnswerUnauthenticated);
        return reply(401, &[("WWW-Authenticate", "Bearer")], error, envelope);
    }
    reply(400, &[], error, envelope)
}

/// The answer when the record could not be made durable (R15).
pub(crate) fn not_durable(case: &Case, tags: &mut Branches) -> Json {
    let message = "The negotiation could not be recorded";
    let envelope = Json::object([
        ("error", Some("service_unavailable".into())),
        ("message", Some(message.into())),
        (
            "details",
            Some(Json::object([
                ("protocol", Some(case.protocol.as_str().into())),
                ("retriable", Some(true.into())),
            ])),
        ),
    ]);
    tags.reach(Branch::AnswerNotDurable);
    // Outbound there is nobody to send an error object to.
    let error = match case.direction {
        Direction::Inbound => error_object(-32603, message, None),
        Direction::Outbound => Json::null(),
    };
    reply(503, &[("Retry-After", "1")], error, envelope)
}

fn reply(status: u16, headers: &[(&str, &str)], error: Json, envelope: Json) -> Json {
    let headers = headers
        .iter()
        .map(|(name, value)| Json::List(vec![(*name).into(), (*value).into()]))
        .collect();
    Json::object([
        ("status", Some(status.into())),
        ("headers", Some(Json::List(headers))),
        ("error", Some(error)),
        ("envelope", Some(envelope)),
    ])
}

/// The JSON-RPC error object: the cell of the table, and what it carries.
fn error(case: &Case, outcome: &Outcome, supported: &[Version], tags: &mut Branches) -> Json {
    let mismatch = matches!(outcome.cause, Cause::Ambiguous | Cause::HeaderBodyMismatch);
    let (branch, code) = match (case.surface, mismatch) {
        (Surface::A2aCall, _) => (Branch::AnswerA2aCall, -32009),
        (Surface::A2aCard, _) => (Branch::AnswerA2aCard, -32009),
        (Surface::McpInitialize, false) => (Branch::AnswerInitialize, -32602),
        (Surface::McpInitialize, true) => (Branch::AnswerInitializeMismatch, -32020),
        (Surface::McpSession, false) => (Branch::AnswerSession, -32600),
        (Surface::McpSession, true) => (Branch::AnswerSessionMismatch, -32020),
        (Surface::McpRequest, false) => (Branch::AnswerRequest, -32022),
        (Surface::McpRequest, true) => (Branch::AnswerRequestMismatch, -32020),
    };
    tags.reach(branch);

    let requested = || {
        outcome
            .requested
            .map(|version| Json::from(version.to_string()))
    };
    match code {
        -32009 => {
            let joined: Vec<String> = supported.iter().map(Version::to_string).collect();
            let info = Json::object([
                (
                    "@type",
                    Some("type.googleapis.com/google.rpc.ErrorInfo".into()),
                ),
                ("reason", Some("VERSION_NOT_SUPPORTED".into())),
                ("domain", Some("a2a-protocol.org".into())),
                (
                    "metadata",
                    Some(Json::object([
                        ("requested", requested()),
                        ("supportedVersions", Some(joined.join(",").into())),
                    ])),
                ),
            ]);
            error_object(
                code,
                "A2A version not supported",
                Some(Json::List(vec![info])),
            )
        }
        -32602 => {
            let data = Json::object([
                ("supported", Some(list(supported))),
                ("requested", requested()),
            ]);
            error_object(code, "Unsupported protocol version", Some(data))
        }
        -32022 => {
            let data = Json::object([
                ("supported", Some(list(supported))),
                ("requested", Some(requested().unwrap_or(Json::null()))),
            ]);
            error_object(code, "Unsupported protocol version", Some(data))
        }
        -32600 => error_object(code, "Protocol version not valid in this session", None),
        _ => error_object(code, "Protocol version header and body do not match", None),
    }
}

fn error_object(code: i32, message: &str, data: Option<Json>) -> Json {
    Json::object([
        ("code", Some(code.into())),
        ("message", Some(message.into())),
        ("data", data),
    ])
}

/// What this caller could have: offered, at or above the floor, and without authentication at or
/// above preferred; best first.
fn supported(case: &Case, tags: &mut Branches) -> Vec<Version> {
    let least = if case.authenticated {
        case.floor
    } else {
        case.preferred
    };
    if case
        .offered
        .iter()
        .any(|version| *version >= case.floor && *version < least)
    {
        tags.reach(Branch::SupportedCut);
    }
    let mut versions: Vec<Version> = case
        .offered
        .iter()
        .copied()
        .filter(|version| *version >= least)
        .collect();
    versions.sort_by_key(|version| Reverse(*version));
    versions
}

fn list(versions: &[Version]) -> Json {
    Json::List(
        versions
            .iter()
            .map(|version| version.to_string().into())
            .collect(),
    )
}
