//! The `negotiation.decided` record (RFC 0242 §A, §B).

use alloc::string::String;

use serde::Serialize;

use crate::decision::{Decision, Refusal, requested};
use crate::exchange::Exchange;
use crate::facet::{Fault, Posture};
use crate::instant::Instant;
use crate::origin;
use crate::version::{Protocol, Version};

const EVENT_TYPE: &str = "negotiation.decided";
/// The schema version of the run events of a v2 host.
const RUN_EVENT_SCHEMA: u32 = 3;

/// Who owns a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Subject {
    /// The tenant of the credential.
    pub tenant: String,
    /// The workspace that the credential is bound to, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
}

/// What the host adds to a decision to put it on record.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// When: an RFC 3339 date-time with offset.
    pub at: String,
    /// The peer's URL; only the digest of its origin is used.
    pub peer_url: Option<String>,
    /// Who owns the record.
    pub subject: Option<Subject>,
    /// The run that the negotiation belongs to.
    pub run_id: Option<String>,
    /// The event's place in the run's log.
    pub sequence: Option<u64>,
    /// The id of the event; without it there is no envelope.
    pub event_id: Option<String>,
}

impl Context {
    /// Checks every member against its grammar.
    ///
    /// # Errors
    /// The first member at fault, by the name that JSON requests give it.
    pub fn check(&self) -> Result<(), Fault> {
        let fault = |path, problem| Err(Fault::new(path, problem));
        if Instant::parse(&self.at).is_none() {
            return fault("context.at", "must be an RFC 3339 date-time with offset");
        }
        if let Some(subject) = &self.subject {
            if !is_tenant(&subject.tenant) {
                return fault(
                    "context.tenant",
                    "must be 1 to 128 of A-Z a-z 0-9 . _ ~ -, `anon:` may stand before them",
                );
            }
            if subject.workspace.as_deref().is_some_and(|id| !is_id(id, 1)) {
                return fault(
                    "context.workspace",
                    "must be 1 to 128 of A-Z a-z 0-9 . _ ~ -",
                );
            }
        }
        check_run_id(self.run_id.as_deref())?;
        if self.event_id.as_deref().is_some_and(|id| !is_id(id, 16)) {
            return fault(
                "context.eventId",
                "must be 16 to 128 of A-Z a-z 0-9 . _ ~ -",
            );
        }
        if self.run_id.is_some() && self.event_id.is_some() && self.sequence.is_none() {
            return fault("context.sequence", "must be given for the event of a run");
        }
        Ok(())
    }

    /// The digest of the peer's origin, if it has one.
    #[must_use]
    pub fn peer_digest(&self) -> Option<String> {
        self.peer_url.as_deref().and_then(origin::digest)
    }
}

/// Checks a run id, if there is one.
///
/// # Errors
/// It is outside its grammar.
pub fn check_run_id(run_id: Option<&str>) -> Result<(), Fault> {
    if run_id.is_none_or(is_run_id) {
        return Ok(());
    }
    let problem = "must be a tenant id, a slash, and 16 to 128 of A-Z a-z 0-9 . _ ~ -";
    Err(Fault::new("context.runId", problem))
}

/// Checks a workspace id, if there is one.
///
/// # Errors
/// It is outside its grammar.
pub fn check_workspace(workspace: Option<&str>) -> Result<(), Fault> {
    if workspace.is_none_or(|id| is_id(id, 1)) {
        return Ok(());
    }
    Err(Fault::new(
        "context.workspace",
        "must be 1 to 128 of A-Z a-z 0-9 . _ ~ -",
    ))
}

fn is_id(text: &str, least: usize) -> bool {
    let in_alphabet =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'~' | b'-');
    (least..=128).contains(&text.len()) && text.bytes().all(in_alphabet)
}

fn is_tenant(text: &str) -> bool {
    is_id(text.strip_prefix("anon:").unwrap_or(text), 1)
}

fn is_run_id(text: &str) -> bool {
    text.split_once('/')
        .is_some_and(|(tenant, opaque)| is_tenant(tenant) && is_id(opaque, 16))
}

/// Outcome on record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// A version was agreed.
    Accepted,
    /// No version was agreed.
    Refused,
}

/// Reason on record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Reason {
    /// Refused, and why.
    Refused(Refusal),
    /// Accepted.
    Ok(OkWord),
}

/// The word `ok`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OkWord {
    /// The word.
    Ok,
}

/// The payload; closed, and without any text that a peer can write freely.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Payload {
    /// The protocol.
    pub protocol: Protocol,
    /// The outcome.
    pub outcome: Outcome,
    /// The version named, if one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested: Option<Version>,
    /// The version agreed, on acceptance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// The advertised floor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<Version>,
    /// The digest of the peer's origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer_digest: Option<String>,
    /// The reason.
    pub reason: Reason,
    /// When, as the host gave it.
    pub at: String,
}

/// Where a record lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Home {
    /// In the log of a run.
    Run,
    /// On the host.
    Host,
}

/// A record, ready to be made durable.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// Where it lives.
    pub home: Home,
    /// Who may read it; nobody when absent.
    pub audience: Option<Subject>,
    /// The envelope; none without an event id.
    pub event: Option<Event>,
    /// The payload, which the envelope holds too.
    #[serde(skip)]
    pub payload: Payload,
}

/// A closed event envelope.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Event {
    /// A durable host event.
    #[serde(rename_all = "camelCase")]
    Host {
        /// Unique for the host.
        event_id: String,
        /// Always `negotiation.decided`.
        #[serde(rename = "type")]
        kind: &'static str,
        /// The payload's `at`.
        timestamp: String,
        /// Always `durable`.
        delivery: &'static str,
        /// Present exactly when the event belongs to a workspace.
        #[serde(skip_serializing_if = "Option::is_none")]
        workspace_id: Option<String>,
        /// The payload.
        payload: Payload,
    },
    /// A run event.
    #[serde(rename_all = "camelCase")]
    Run {
        /// Unique for the host.
        event_id: String,
        /// The run.
        run_id: String,
        /// Always `negotiation.decided`.
        #[serde(rename = "type")]
        kind: &'static str,
        /// The payload.
        payload: Payload,
        /// The payload's `at`.
        timestamp: String,
        /// Place in the run's log.
        sequence: u64,
        /// The schema of the envelope.
        schema_version: u32,
    },
}

/// Builds the record of a decision. The context must have been checked.
#[must_use]
pub fn build(
    posture: &Posture,
    exchange: &Exchange,
    decision: &Decision,
    context: &Context,
    peer_digest: Option<String>,
) -> Entry {
    let facet = posture.facet(exchange.protocol);
    let (outcome, version, reason) = match *decision {
        Decision::Accepted { version, .. } => {
            (Outcome::Accepted, Some(version), Reason::Ok(OkWord::Ok))
        }
        Decision::Refused { refusal, .. } => (Outcome::Refused, None, Reason::Refused(refusal)),
    };
    let payload = Payload {
        protocol: exchange.protocol,
        outcome,
        requested: on_record(posture, exchange),
        version,
        floor: facet.map(crate::facet::Facet::floor),
        peer_digest,
        reason,
        at: context.at.clone(),
    };
    // Without a proven caller nobody may read the record (RFC 0242 §B.4).
    let audience = context.subject.clone().filter(|_| exchange.authenticated);
    let timestamp = context.at.clone();
    let event = match (context.event_id.clone(), context.run_id.clone()) {
        (None, _) => None,
        (Some(event_id), None) => Some(Event::Host {
            event_id,
            kind: EVENT_TYPE,
            timestamp,
            delivery: "durable",
            workspace_id: audience
                .as_ref()
                .and_then(|subject| subject.workspace.clone()),
            payload: payload.clone(),
        }),
        (Some(event_id), Some(run_id)) => Some(Event::Run {
            event_id,
            run_id,
            kind: EVENT_TYPE,
            payload: payload.clone(),
            timestamp,
            sequence: context.sequence.unwrap_or(0),
            schema_version: RUN_EVENT_SCHEMA,
        }),
    };
    let home = if context.run_id.is_some() {
        Home::Run
    } else {
        Home::Host
    };
    Entry {
        home,
        audience,
        event,
        payload,
    }
}

/// The version on record as requested, for a protocol with or without a facet.
#[must_use]
pub fn on_record(posture: &Posture, exchange: &Exchange) -> Option<Version> {
    match posture.facet(exchange.protocol) {
        Some(facet) => requested(facet, exchange),
        None => exchange.named_on_record(),
    }
}
