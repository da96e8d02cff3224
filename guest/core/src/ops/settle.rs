//! `settle`, `decide`, `refuse` and `record`.

use alloc::string::String;

use serde::Serialize;

use super::request::{context, exchange, posture};
use super::{Configured, OpError, to_json};
use crate::answer::{self, Reply};
use crate::decision::{self, Cause, Circumstances, Decision, Policy, Refusal, could_have_made};
use crate::exchange::Exchange;
use crate::facet::Posture;
use crate::json::{BadRequest, Object, Value, parse_request};
use crate::record::{self, Entry, OkWord, Outcome, Payload, Reason, on_record};
use crate::settle::{self as settling, HostRefusal, Settlement};
use crate::version::Version;

#[derive(Serialize)]
struct DecisionJson {
    outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<Version>,
    reason: Reason,
    cause: Cause,
    #[serde(skip_serializing_if = "Option::is_none")]
    requested: Option<Version>,
    downgraded: bool,
}

#[derive(Serialize)]
struct SettleJson<'a> {
    #[serde(flatten)]
    decision: DecisionJson,
    record: &'a Payload,
    entry: &'a Entry,
    answer: &'a Reply,
}

#[derive(Serialize)]
struct DecideJson<'a> {
    #[serde(flatten)]
    decision: DecisionJson,
    answer: &'a Reply,
}

#[derive(Serialize)]
struct RecordJson<'a> {
    record: &'a Payload,
    entry: &'a Entry,
}

#[derive(Serialize)]
struct AnswerOnlyJson<'a> {
    answer: &'a Reply,
}

/// `settle`: decide, record and answer.
///
/// # Errors
/// A request that cannot be read, or no posture to decide under.
pub fn settle(
    request: &str,
    configured: Configured<'_>,
    policy: &mut dyn Policy,
) -> Result<String, OpError> {
    let value = parse_request(request)?;
    let request = Object::read("request", &value, &["facets", "exchange", "context"])?;
    let posture = posture(&request, configured)?;
    let exchange = exchange(&request, &posture)?;
    let context = context(&request)?;
    let settlement = settling::settle(&posture, &exchange, &context, policy)?;
    Ok(settlement_json(&posture, &exchange, &settlement))
}

/// `refuse`: refuse without asking the policy.
///
/// # Errors
/// As [`settle`].
pub fn refuse(request: &str, configured: Configured<'_>) -> Result<String, OpError> {
    let value = parse_request(request)?;
    let known = ["facets", "exchange", "context", "refusal"];
    let request = Object::read("request", &value, &known)?;
    let posture = posture(&request, configured)?;
    let exchange = exchange(&request, &posture)?;
    let refusal = request.need_one_of(
        "refusal",
        &[
            ("policy-failed", Some(HostRefusal::PolicyFailed)),
            ("credential-required", Some(HostRefusal::CredentialRequired)),
            ("record-not-durable", None),
        ],
    )?;
    let context = context(&request)?;
    match refusal {
        Some(refusal) => {
            let settlement = settling::refuse(&posture, &exchange, &context, refusal)?;
            Ok(settlement_json(&posture, &exchange, &settlement))
        }
        None => Ok(to_json(&AnswerOnlyJson {
            answer: &answer::not_durable(&exchange),
        })),
    }
}

/// `decide`: the decision and the answer, without a record.
///
/// # Errors
/// As [`settle`].
pub fn decide(
    request: &str,
    configured: Configured<'_>,
    policy: &mut dyn Policy,
) -> Result<String, OpError> {
    let value = parse_request(request)?;
    let request = Object::read("request", &value, &["facets", "exchange"])?;
    let posture = posture(&request, configured)?;
    let exchange = exchange(&request, &posture)?;
    let decision = decision::decide(&posture, &exchange, Circumstances::default(), policy);
    Ok(to_json(&DecideJson {
        decision: decision_json(&posture, &exchange, &decision),
        answer: &answer::build(&posture, &exchange, &decision, None),
    }))
}

/// `record`: the record of a decision made earlier.
///
/// # Errors
/// As [`settle`]; and a decision that the rules cannot have made.
pub fn record(request: &str, configured: Configured<'_>) -> Result<String, OpError> {
    let value = parse_request(request)?;
    let known = ["facets", "exchange", "decision", "context"];
    let request = Object::read("request", &value, &known)?;
    let posture = posture(&request, configured)?;
    let exchange = exchange(&request, &posture)?;
    let decision = read_decision(request.need("decision")?, &posture, &exchange)?;
    let context = context(&request)?;
    let entry = record::build(
        &posture,
        &exchange,
        &decision,
        &context,
        context.peer_digest(),
    );
    Ok(to_json(&RecordJson {
        record: &entry.payload,
        entry: &entry,
    }))
}

fn settlement_json(posture: &Posture, exchange: &Exchange, settlement: &Settlement) -> String {
    to_json(&SettleJson {
        decision: decision_json(posture, exchange, &settlement.decision),
        record: &settlement.entry.payload,
        entry: &settlement.entry,
        answer: &settlement.reply,
    })
}

fn decision_json(posture: &Posture, exchange: &Exchange, decision: &Decision) -> DecisionJson {
    let requested = on_record(posture, exchange);
    match *decision {
        Decision::Accepted {
            version,
            cause,
            downgraded,
        } => DecisionJson {
            outcome: Outcome::Accepted,
            version: Some(version),
            reason: Reason::Ok(OkWord::Ok),
            cause,
            requested,
            downgraded,
        },
        Decision::Refused { refusal, cause } => DecisionJson {
            outcome: Outcome::Refused,
            version: None,
            reason: Reason::Refused(refusal),
            cause,
            requested,
            downgraded: false,
        },
    }
}

/// Reads a decision as `decide` answered it; `outcome` and, as the case may be, `version` or
/// `reason` are enough. What is given must be what the rules can have made.
fn read_decision(
    value: &Value,
    posture: &Posture,
    exchange: &Exchange,
) -> Result<Decision, BadRequest> {
    let known = [
        "outcome",
        "version",
        "reason",
        "cause",
        "requested",
        "downgraded",
        "answer",
    ];
    let object = Object::read("decision", value, &known)?;
    let outcome = object.need_one_of(
        "outcome",
        &[
            ("accepted", Outcome::Accepted),
            ("refused", Outcome::Refused),
        ],
    )?;
    let version = match object.text("version")? {
        None => None,
        Some(text) => Some(
            Version::parse(exchange.protocol, text)
                .ok_or_else(|| object.bad("version", "must be a version in canonical form"))?,
        ),
    };
    let reason = object.text("reason")?;
    if reason.is_some_and(|word| !REASONS.contains(&word)) {
        return Err(object.bad("reason", "must be a reason that goes on record"));
    }
    let cause = object.text("cause")?;
    if cause.is_some_and(|word| !Cause::ALL.iter().any(|cause| cause_word(*cause) == word)) {
        return Err(object.bad("cause", "must be a cause that a decision can have"));
    }
    let fits = |decision: &Decision| {
        let (its_version, its_reason, its_cause) = match *decision {
            Decision::Accepted { version, cause, .. } => (Some(version), "ok", cause),
            Decision::Refused { refusal, cause } => (None, refusal_word(refusal), cause),
        };
        its_version == version
            && reason.is_none_or(|reason| reason == its_reason)
            && cause.is_none_or(|cause| cause_word(its_cause) == cause)
            && could_have_made(posture, exchange, decision)
    };
    let possible = |cause: Cause| -> Option<Decision> {
        match (outcome, version) {
            (Outcome::Accepted, Some(version)) => {
                let requested = on_record(posture, exchange);
                let downgraded = requested.is_some_and(|requested| version < requested);
                Some(Decision::Accepted {
                    version,
                    cause,
                    downgraded,
                })
            }
            (Outcome::Refused, None) => Some(Decision::refused(cause)),
            _ => None,
        }
    };
    Cause::ALL
        .into_iter()
        .filter_map(possible)
        .find(fits)
        .ok_or_else(|| {
            let problem = "must be a decision that the rules can have made on this exchange";
            BadRequest::new("decision", problem)
        })
}

/// Every reason that goes on record.
const REASONS: [&str; 4] = ["ok", "below-floor", "unsupported", "unauthenticated"];

fn cause_word(cause: Cause) -> String {
    to_json(&cause).trim_matches('"').into()
}

const fn refusal_word(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::BelowFloor => "below-floor",
        Refusal::Unsupported => "unsupported",
        Refusal::Unauthenticated => "unauthenticated",
    }
}
