//! Checks of what a host says of itself, and small rules around a negotiation
//! (RFC 0175 §B, §C.3, §E; RFC 0242 §B.3).

mod families;
mod shape;

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::Serialize;

use crate::instant::Instant;
use crate::json::{Number, Value, any_twice};
use crate::version::Version;

use shape::Findings;

/// The most rounds that a facet may allow.
pub const MAX_ROUNDS: u32 = 16;

/// What is wrong with a run status that is none.
pub const STATUS_PROBLEM: &str = "must be pending, running, paused, cancelling, waiting-approval, \
     waiting-input, waiting-external, completed, failed or cancelled";

/// One thing wrong with a discovery document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The requirement without its common prefix, or `discovery.schema`.
    pub rule: &'static str,
    /// Where in the document.
    pub path: String,
    /// What is wrong, and what to do.
    pub problem: String,
}

/// Whether one more MRTR round may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// Retry.
    Continue,
    /// Send nothing more.
    Refuse,
}

/// Counts `input_required` results against the ceiling (RFC 0175 §E.4): N of them may be answered.
#[must_use]
pub const fn admit_round(max_rounds: u64, input_required_seen: u64) -> Round {
    if input_required_seen > max_rounds {
        Round::Refuse
    } else {
        Round::Continue
    }
}

/// The A2A task state of a run status (RFC 0175 §E.2). Nothing projects to `AUTH_REQUIRED`.
#[must_use]
pub fn task_state(status: &str) -> Option<&'static str> {
    Some(match status {
        "pending" => "TASK_STATE_SUBMITTED",
        "running" | "paused" | "cancelling" => "TASK_STATE_WORKING",
        "waiting-approval" | "waiting-input" | "waiting-external" => "TASK_STATE_INPUT_REQUIRED",
        "completed" => "TASK_STATE_COMPLETED",
        "failed" => "TASK_STATE_FAILED",
        "cancelled" => "TASK_STATE_CANCELED",
        _ => return None,
    })
}

/// The members of a discovery root besides the families.
const METADATA: [&str; 18] = [
    "protocolVersion",
    "protocolVersions",
    "preferredVersion",
    "minClientVersion",
    "implementation",
    "engineVersion",
    "eventLogSchemaVersion",
    "conformance",
    "extensions",
    "fixtures",
    "testing",
    "observability",
    "compliance",
    "configurable",
    "discovery",
    "runtimeCapabilities",
    "signingKeys",
    "hostEvents",
];

/// The rule against naming transports: REST and SSE are the wire.
const NO_TRANSPORTS: &str = "0175.no-transport-advertisement";

/// Checks a whole discovery document at an instant; no finding means that it passes.
#[must_use]
pub fn check(document: &Value, now: Instant) -> Vec<Finding> {
    let mut findings = Findings::default();
    let Value::Object(members) = document else {
        findings.schema("document", "must be an object");
        return findings.into_vec();
    };
    if document.repeats_a_member() {
        findings.schema("document", "must have no member twice, at any depth");
    }
    for name in ["supportedTransports", "grpc"] {
        if document.member(name).is_some() {
            findings.add(
                NO_TRANSPORTS,
                name,
                "must be absent: REST and SSE are the wire",
            );
        }
    }
    if document.member("profiles").is_some() {
        let rule = "0175.legacy-profiles-absent.no-root-profiles";
        findings.add(
            rule,
            "profiles",
            "must be absent: profiles belong inside a facet",
        );
    }
    let known = |name: &str| {
        METADATA.contains(&name)
            || matches!(
                name,
                "a2a" | "mcp" | "supportedTransports" | "grpc" | "profiles"
            )
    };
    if members.iter().any(|(name, _)| !known(name)) {
        findings.schema(
            "document",
            "must have no members but those that discovery knows",
        );
    }
    let minors = check_metadata(document, &mut findings);
    families::check(document, &minors, now, &mut findings);
    findings.into_vec()
}

/// Checks the metadata members, and gives the host's own protocol versions.
fn check_metadata<'a>(document: &'a Value, findings: &mut Findings) -> Vec<&'a str> {
    let minors = match document.member("protocolVersions") {
        None => {
            findings.schema("protocolVersions", "is missing");
            Vec::new()
        }
        Some(value) => {
            let minors: Vec<_> = value
                .as_array()
                .unwrap_or(&[])
                .iter()
                .filter_map(Value::as_str)
                .collect();
            let whole = value
                .as_array()
                .is_some_and(|items| items.len() == minors.len());
            let unique = !any_twice(minors.iter().copied());
            if !whole || minors.is_empty() || !unique || !minors.iter().all(|text| is_minor(text)) {
                let problem = "must be a list of different <major>.<minor> texts, at least one";
                findings.schema("protocolVersions", problem);
            }
            minors
        }
    };
    match document.member("preferredVersion").map(Value::as_str) {
        None => findings.schema("preferredVersion", "is missing"),
        Some(Some(text)) if minors.contains(&text) => {}
        Some(_) => findings.schema("preferredVersion", "must be one of protocolVersions"),
    }
    for name in ["protocolVersion", "minClientVersion"] {
        findings.text(document, "", name, is_minor, "must be <major>.<minor>");
    }
    for (name, least) in [("engineVersion", 0), ("eventLogSchemaVersion", 2)] {
        match document.member(name) {
            Some(Value::Number(Number::Unsigned(value))) if *value >= least => {}
            Some(_) => {
                findings.schema(
                    name,
                    &alloc::format!("must be an integer of at least {least}"),
                );
            }
            None => {}
        }
    }
    if let Some(implementation) = document.member("implementation") {
        let path = "implementation";
        findings.closed(implementation, path, &["name", "version", "vendor", "url"]);
        for name in ["name", "version", "vendor"] {
            findings.text(implementation, path, name, |_| true, "must be a string");
        }
        findings.text(
            implementation,
            path,
            "url",
            is_uri,
            "must be an absolute URI",
        );
    }
    if let Some(conformance) = document.member("conformance") {
        let path = "conformance";
        findings.closed(
            conformance,
            path,
            &["mockAgent", "certificationBundleUrl", "seamsProfile"],
        );
        findings.boolean(conformance, path, "mockAgent");
        let uri = "certificationBundleUrl";
        findings.text(conformance, path, uri, is_uri, "must be an absolute URI");
        let seams = "openwop-conformance-seams-v2";
        let problem = "must be \"openwop-conformance-seams-v2\"";
        findings.text(
            conformance,
            path,
            "seamsProfile",
            |text| text == seams,
            problem,
        );
    }
    if let Some(extensions) = document.member("extensions") {
        let fits = match extensions {
            Value::Object(members) => members
                .iter()
                .all(|(name, value)| is_dotted_name(name) && matches!(value, Value::Object(_))),
            _ => false,
        };
        if !fits {
            findings.schema(
                "extensions",
                "must hold objects under names of the form <org>.<name>",
            );
        }
    }
    minors
}

/// `<major>.<minor>` without leading zeros.
fn is_minor(text: &str) -> bool {
    Version::parse(crate::version::Protocol::A2a, text).is_some() || {
        // The schema bounds no digits, while our own numbers end at 2^64-1.
        let plain = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|byte| byte.is_ascii_digit())
                && (part == "0" || !part.starts_with('0'))
        };
        text.split_once('.')
            .is_some_and(|(major, minor)| plain(major) && plain(minor))
    }
}

/// `<org>.<name>`: two names of lower-case words joined by hyphens.
fn is_dotted_name(text: &str) -> bool {
    let word = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    let name = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_lowercase()) && name.split('-').all(word)
    };
    text.split_once('.')
        .is_some_and(|(org, rest)| name(org) && name(rest))
}

/// An absolute URI in the characters of RFC 3986.
fn is_uri(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte);
    text.bytes().all(allowed) && url::Url::parse(text).is_ok()
}

/// A path below another.
fn below(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_string()
    } else {
        alloc::format!("{path}.{name}")
    }
}

#[cfg(test)]
mod tests;
