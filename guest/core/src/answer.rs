//! What to send back: status, headers, JSON-RPC error, OpenWOP envelope.
//!
//! Every message is a fixed text; the variable parts are versions in their grammar, and this
//! host's own lists and ids.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::Serialize;

use crate::decision::{Cause, Decision, Refusal};
use crate::exchange::{Direction, Exchange, Surface};
use crate::facet::Posture;
use crate::record::on_record;
use crate::version::{Protocol, Version};

const NOT_RECORDED: &str = "The negotiation could not be recorded";
/// Seconds after which a caller may try again when a record could not be written.
const RETRY_AFTER: &str = "1";

/// An answer, for each boundary at which a host may answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Headers to set.
    pub headers: Vec<(&'static str, String)>,
    /// The JSON-RPC error object.
    pub error: Option<ErrorObject>,
    /// The OpenWOP error envelope.
    pub envelope: Option<Envelope>,
}

/// A JSON-RPC error object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorObject {
    /// The code.
    pub code: i32,
    /// A fixed text.
    pub message: &'static str,
    /// What the protocol wants told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<ErrorData>,
}

/// The data of an error object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ErrorData {
    /// A2A: a list of `google.protobuf.Any` objects, here one ErrorInfo.
    A2a([ErrorInfo; 1]),
    /// MCP: what is supported, and what was asked for.
    Mcp {
        /// Best first; only what this caller could have.
        supported: Vec<Version>,
        /// The version on record; `Some(None)` is written as null.
        #[serde(skip_serializing_if = "Option::is_none")]
        requested: Option<Option<Version>>,
    },
}

/// The ErrorInfo of A2A's VersionNotSupportedError.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorInfo {
    #[serde(rename = "@type")]
    kind: &'static str,
    reason: &'static str,
    domain: &'static str,
    metadata: ErrorMetadata,
}

/// String to string, so that a list travels comma-joined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct ErrorMetadata {
    #[serde(skip_serializing_if = "Option::is_none")]
    requested: Option<Version>,
    supported_versions: String,
}

/// The OpenWOP error envelope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Envelope {
    error: &'static str,
    message: &'static str,
    details: Details,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Details {
    protocol: Protocol,
    #[serde(skip_serializing_if = "Option::is_none")]
    requested: Option<Version>,
    #[serde(skip_serializing_if = "Option::is_none")]
    supported: Option<Vec<Version>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Refusal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<String>,
    retriable: bool,
}

/// The reply to a decision.
#[must_use]
pub fn build(
    posture: &Posture,
    exchange: &Exchange,
    decision: &Decision,
    run_id: Option<&str>,
) -> Reply {
    match *decision {
        Decision::Accepted { version, .. } => Reply {
            status: 200,
            headers: Vec::from([(version_header(exchange.protocol), version.to_string())]),
            error: None,
            envelope: None,
        },
        Decision::Refused { refusal, cause } => refused(posture, exchange, refusal, cause, run_id),
    }
}

/// The reply when the record could not be made durable (R15).
#[must_use]
pub fn not_durable(exchange: &Exchange) -> Reply {
    let inbound = exchange.direction == Direction::Inbound;
    Reply {
        status: 503,
        headers: Vec::from([("Retry-After", RETRY_AFTER.to_string())]),
        error: inbound.then_some(ErrorObject {
            code: -32603,
            message: NOT_RECORDED,
            data: None,
        }),
        envelope: Some(Envelope {
            error: "service_unavailable",
            message: NOT_RECORDED,
            details: Details {
                protocol: exchange.protocol,
                requested: None,
                supported: None,
                reason: None,
                run_id: None,
                retriable: true,
            },
        }),
    }
}

/// The header that carries the version of a protocol.
#[must_use]
pub const fn version_header(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::A2a => "A2A-Version",
        Protocol::Mcp => "MCP-Protocol-Version",
    }
}

fn refused(
    posture: &Posture,
    exchange: &Exchange,
    refusal: Refusal,
    cause: Cause,
    run_id: Option<&str>,
) -> Reply {
    let supported: Vec<_> = posture
        .facet(exchange.protocol)
        .map(|facet| facet.reachable(exchange.authenticated).collect())
        .unwrap_or_default();
    let requested = on_record(posture, exchange);
    let envelope = Envelope {
        error: "interop_version_unsupported",
        message: "No protocol version could be agreed",
        details: Details {
            protocol: exchange.protocol,
            requested,
            supported: Some(supported.clone()),
            reason: Some(refusal),
            run_id: run_id.map(ToString::to_string),
            retriable: false,
        },
    };
    // Outbound there is nobody to answer but the caller across the OpenWOP boundary.
    let inbound = exchange.direction == Direction::Inbound;
    let challenged = inbound && refusal == Refusal::Unauthenticated;
    Reply {
        status: if challenged { 401 } else { 400 },
        headers: if challenged {
            Vec::from([("WWW-Authenticate", "Bearer".to_string())])
        } else {
            Vec::new()
        },
        error: inbound.then(|| error_object(exchange, cause, requested, supported)),
        envelope: Some(envelope),
    }
}

fn error_object(
    exchange: &Exchange,
    cause: Cause,
    requested: Option<Version>,
    supported: Vec<Version>,
) -> ErrorObject {
    if exchange.protocol == Protocol::A2a {
        return ErrorObject {
            code: -32009,
            message: "A2A version not supported",
            data: Some(ErrorData::A2a([ErrorInfo {
                kind: "type.googleapis.com/google.rpc.ErrorInfo",
                reason: "VERSION_NOT_SUPPORTED",
                domain: "a2a-protocol.org",
                metadata: ErrorMetadata {
                    requested,
                    supported_versions: comma_joined(&supported),
                },
            }])),
        };
    }
    if matches!(cause, Cause::Ambiguous | Cause::HeaderBodyMismatch) {
        let message = "Protocol version header and body do not match";
        return ErrorObject {
            code: -32020,
            message,
            data: None,
        };
    }
    let message = "Unsupported protocol version";
    match exchange.surface {
        Surface::McpInitialize => {
            let data = ErrorData::Mcp {
                supported,
                requested: requested.map(Some),
            };
            ErrorObject {
                code: -32602,
                message,
                data: Some(data),
            }
        }
        Surface::McpSession => ErrorObject {
            code: -32600,
            message: "Protocol version not valid in this session",
            data: None,
        },
        _ => {
            let data = ErrorData::Mcp {
                supported,
                requested: Some(requested),
            };
            ErrorObject {
                code: -32022,
                message,
                data: Some(data),
            }
        }
    }
}

fn comma_joined(versions: &[Version]) -> String {
    let mut joined = String::new();
    for version in versions {
        if !joined.is_empty() {
            joined.push(',');
        }
        joined.push_str(version.text().as_str());
    }
    joined
}
