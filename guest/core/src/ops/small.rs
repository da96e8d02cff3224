//! The small operations: `digest`, `rounds`, `fresh`, `facets`, `check`, `task-state`.

use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;

use super::request::{Freshness, read_posture};
use super::{OpError, to_json};
use crate::advertise::{self, Finding, Round};
use crate::facet::Fault;
use crate::instant::{self, Instant};
use crate::json::{Object, Value, parse_request};
use crate::origin;

/// `digest`: the digest of a URL's origin, or null.
///
/// # Errors
/// A request that cannot be read.
pub fn digest(request: &str) -> Result<String, OpError> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Answer {
        peer_digest: Option<String>,
    }
    let value = parse_request(request)?;
    let request = Object::read("request", &value, &["url"])?;
    let peer_digest = match request.need("url")? {
        Value::Null => None,
        Value::String(url) => origin::digest(url),
        _ => return Err(request.bad("url", "must be a string or null").into()),
    };
    Ok(to_json(&Answer { peer_digest }))
}

/// `rounds`: whether one more MRTR round may be sent.
///
/// # Errors
/// As [`digest`].
pub fn rounds(request: &str) -> Result<String, OpError> {
    #[derive(Serialize)]
    struct Answer {
        decision: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<&'static str>,
    }
    let value = parse_request(request)?;
    let request = Object::read("request", &value, &["maxRounds", "inputRequiredSeen"])?;
    let max = request.need_integer("maxRounds", 1, u64::from(advertise::MAX_ROUNDS))?;
    let seen = request.need_integer("inputRequiredSeen", 0, u64::from(u32::MAX))?;
    Ok(to_json(&match advertise::admit_round(max, seen) {
        Round::Continue => Answer {
            decision: "continue",
            error: None,
        },
        Round::Refuse => Answer {
            decision: "refuse",
            error: Some("mcp_mrtr_rounds_exceeded"),
        },
    }))
}

/// `fresh`: whether offers compared on a date are fresh at an instant.
///
/// # Errors
/// As [`digest`].
pub fn fresh(request: &str) -> Result<String, OpError> {
    #[derive(Serialize)]
    struct Answer {
        fresh: bool,
    }
    let value = parse_request(request)?;
    let request = Object::read("request", &value, &["refreshedAt", "now"])?;
    let date = request.need_text("refreshedAt")?;
    let now = now(&request)?;
    let fresh = instant::fresh(date, now)
        .ok_or_else(|| request.bad("refreshedAt", "must be a calendar date YYYY-MM-DD"))?;
    Ok(to_json(&Answer { fresh }))
}

/// `facets`: everything that is wrong with facets.
///
/// # Errors
/// As [`digest`].
pub fn facets(request: &str) -> Result<String, OpError> {
    #[derive(Serialize)]
    struct Answer {
        valid: bool,
        faults: Vec<Fault>,
    }
    let value = parse_request(request)?;
    let request = Object::read("request", &value, &["facets"])?;
    let faults = match read_posture(request.need("facets")?, Freshness::Required) {
        Ok(_) => Vec::new(),
        Err(OpError::InvalidFacets(faults)) => faults,
        Err(bad) => return Err(bad),
    };
    Ok(to_json(&Answer {
        valid: faults.is_empty(),
        faults,
    }))
}

/// `check`: everything that is wrong with a discovery document.
///
/// # Errors
/// As [`digest`].
pub fn check(request: &str) -> Result<String, OpError> {
    #[derive(Serialize)]
    struct Answer {
        findings: Vec<Finding>,
    }
    let value = parse_request(request)?;
    let request = Object::read("request", &value, &["document", "now"])?;
    let document = request.need("document")?;
    let now = now(&request)?;
    Ok(to_json(&Answer {
        findings: advertise::check(document, now),
    }))
}

/// `task-state`: the A2A task state of a run status.
///
/// # Errors
/// As [`digest`]; and a status that is none.
pub fn task_state(request: &str) -> Result<String, OpError> {
    #[derive(Serialize)]
    struct Answer {
        state: &'static str,
    }
    let value = parse_request(request)?;
    let request = Object::read("request", &value, &["status"])?;
    let state = advertise::task_state(request.need_text("status")?)
        .ok_or_else(|| request.bad("status", advertise::STATUS_PROBLEM))?;
    Ok(to_json(&Answer { state }))
}

fn now(request: &Object<'_>) -> Result<Instant, OpError> {
    Instant::parse(request.need_text("now")?).ok_or_else(|| {
        request
            .bad("now", "must be an RFC 3339 date-time with offset")
            .into()
    })
}
