//! The families of a discovery document: the two facets in their records, and `hostEvents`.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;

use super::shape::Findings;
use super::{MAX_ROUNDS, NO_TRANSPORTS, is_dotted_name, is_minor, is_uri};
use crate::instant::{self, Instant};
use crate::json::{Number, Value};
use crate::ops::{Freshness, read_facet};
use crate::version::Protocol;

const REFRESH: &str = "0175.refresh-sla";
const LEGACY: &str = "0175.legacy-profiles-absent";
const CEILING: &str = "0175.mrtr-rounds-ceiling";
const LISTED: &str = "0242.inbound.listed";

const WRAPPER: [&str; 4] = ["status", "since", "until", "witness"];
const A2A: [&str; 9] = [
    "versions",
    "preferredVersion",
    "minimumVersion",
    "refreshedAt",
    "profiles",
    "agentCardUrl",
    "streaming",
    "pushNotifications",
    "durableTasks",
];
const MCP: [&str; 9] = [
    "revisions",
    "preferredVersion",
    "minimumRevision",
    "refreshedAt",
    "profiles",
    "features",
    "serverUrls",
    "serverMount",
    "mrtr",
];
const STATUSES: [&str; 3] = ["stable", "experimental", "deprecated"];
const WITNESSES: [&str; 5] = [
    "witnessable-unaided",
    "witnessable-gated",
    "seam-gated",
    "claims-check",
    "negative-existence",
];

/// Checks every family that is there, and that a host which serves inbound lists the record.
pub(super) fn check(document: &Value, minors: &[&str], now: Instant, findings: &mut Findings) {
    for protocol in [Protocol::A2a, Protocol::Mcp] {
        if let Some(family) = document.member(protocol.name()) {
            check_record(family, protocol.name(), minors, findings);
            check_facet(protocol, family, now, findings);
        }
    }
    let events = document.member("hostEvents");
    if let Some(events) = events {
        check_record(events, "hostEvents", minors, findings);
        check_events(events, findings);
    }
    if serves_inbound(document) && !lists_the_record(events) {
        let problem = "must list {\"type\":\"negotiation.decided\",\"delivery\":\"durable\"}, \
             since the host serves inbound";
        findings.add(LISTED, "hostEvents.types", problem);
    }
}

/// The record around a family: closed, with status, since, until and witness.
fn check_record(family: &Value, path: &str, minors: &[&str], findings: &mut Findings) {
    let own: &[&str] = match path {
        "a2a" => &A2A,
        "mcp" => &MCP,
        _ => &["types"],
    };
    // Named transports have a rule of their own, so they are not reported twice.
    let known: Vec<_> = WRAPPER
        .iter()
        .chain(own)
        .chain(&["supportedTransports"])
        .copied()
        .collect();
    if family.member("supportedTransports").is_some() {
        let problem = "must be absent: REST and SSE are the wire";
        findings.add(
            NO_TRANSPORTS,
            &format!("{path}.supportedTransports"),
            problem,
        );
    }
    match family {
        Value::Object(members) => {
            if members
                .iter()
                .any(|(name, _)| !known.contains(&name.as_str()))
            {
                findings.schema(path, "must have no members but those that discovery knows");
            }
        }
        _ => {
            findings.schema(path, "must be an object");
            return;
        }
    }
    for name in ["status", "since", "witness"] {
        if family.member(name).is_none() {
            findings.schema(&format!("{path}.{name}"), "is missing");
        }
    }
    let one_of = |words: &'static [&str]| move |text: &str| words.contains(&text);
    let problem = "must be stable, experimental or deprecated";
    findings.text(family, path, "status", one_of(&STATUSES), problem);
    let problem = "must be one of the witness words of discovery";
    findings.text(family, path, "witness", one_of(&WITNESSES), problem);
    let problem = "must be one of the host's own protocolVersions";
    findings.text(
        family,
        path,
        "since",
        |text| is_minor(text) && minors.contains(&text),
        problem,
    );
    let is_end = |text: &str| is_minor(text) || instant::is_date(text);
    findings.text(
        family,
        path,
        "until",
        is_end,
        "must be <major>.<minor> or a date YYYY-MM-DD",
    );
    let stable = family.member("status").and_then(Value::as_str) == Some("stable");
    match (stable, family.member("until").is_some()) {
        (true, true) => findings.schema(&format!("{path}.until"), "must be absent when stable"),
        (false, false) => {
            findings.schema(&format!("{path}.until"), "must be given unless stable");
        }
        _ => {}
    }
}

fn check_facet(protocol: Protocol, facet: &Value, now: Instant, findings: &mut Findings) {
    let path = protocol.name();
    if !matches!(facet, Value::Object(_)) {
        return;
    }
    for fault in read_facet(protocol, facet, Freshness::Required)
        .err()
        .unwrap_or_default()
    {
        let rule = match fault.problem.as_str() {
            "not-offered" => REFRESH,
            _ => "discovery.schema",
        };
        findings.add(rule, &fault.path, &fault.problem);
    }
    if let Some(date) = facet.member("refreshedAt").and_then(Value::as_str)
        && instant::fresh(date, now) == Some(false)
    {
        let problem = "must be at most 90 days old and at most one day ahead: compare the offers \
             with upstream again";
        findings.add(REFRESH, &format!("{path}.refreshedAt"), problem);
    }
    check_profiles(protocol, facet, findings);
    match protocol {
        Protocol::A2a => {
            findings.text(
                facet,
                path,
                "agentCardUrl",
                is_uri,
                "must be an absolute URI",
            );
            for name in ["streaming", "pushNotifications", "durableTasks"] {
                findings.boolean(facet, path, name);
            }
        }
        Protocol::Mcp => {
            findings.texts(facet, path, "features", |_| true, "must be a string");
            findings.texts(facet, path, "serverUrls", is_uri, "must be an absolute URI");
            if let Some(mount) = facet.member("serverMount") {
                findings.closed(mount, "mcp.serverMount", &["transports"]);
                let known = |text: &str| matches!(text, "stdio" | "streamable-http");
                let problem = "must be stdio or streamable-http";
                findings.texts(mount, "mcp.serverMount", "transports", known, problem);
            }
            if let Some(mrtr) = facet.member("mrtr") {
                check_ceiling(mrtr, findings);
            }
        }
    }
}

fn check_profiles(protocol: Protocol, facet: &Value, findings: &mut Findings) {
    let path = format!("{}.profiles", protocol.name());
    let Some(profiles) = facet.member("profiles") else {
        return;
    };
    let Some(profiles) = profiles.as_array() else {
        findings.schema(&path, "must be a list");
        return;
    };
    for (index, profile) in profiles.iter().enumerate() {
        if !profile
            .as_str()
            .is_some_and(|text| is_profile(protocol, text))
        {
            let problem = match protocol {
                Protocol::A2a => "must be a2a-<major>.<minor>: legacy versions are not advertised",
                Protocol::Mcp => "must be mcp-YYYY-MM-DD: legacy revisions are not advertised",
            };
            findings.add(LEGACY, &format!("{path}[{index}]"), problem);
        }
    }
}

fn is_profile(protocol: Protocol, text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match protocol {
        Protocol::A2a => text
            .strip_prefix("a2a-")
            .and_then(|version| version.split_once('.'))
            .is_some_and(|(major, minor)| digits(major) && digits(minor)),
        Protocol::Mcp => text.strip_prefix("mcp-").is_some_and(|date| {
            let parts: Vec<_> = date.split('-').collect();
            matches!(parts.as_slice(), [y, m, d] if y.len() == 4 && m.len() == 2 && d.len() == 2)
                && parts.iter().all(|part| digits(part))
        }),
    }
}

fn check_ceiling(mrtr: &Value, findings: &mut Findings) {
    findings.closed(mrtr, "mcp.mrtr", &["maxRounds"]);
    let most = u64::from(MAX_ROUNDS);
    let fits = matches!(
        mrtr.member("maxRounds"),
        Some(Value::Number(Number::Unsigned(rounds))) if (1..=most).contains(rounds)
    );
    if !fits {
        findings.add(
            CEILING,
            "mcp.mrtr.maxRounds",
            "must be an integer from 1 to 16",
        );
    }
}

fn check_events(events: &Value, findings: &mut Findings) {
    let path = "hostEvents.types";
    let types = match events.member("types").map(Value::as_array) {
        Some(Some(types)) if !types.is_empty() => types,
        None => return findings.schema(path, "is missing"),
        Some(_) => return findings.schema(path, "must be a list of at least one entry"),
    };
    let mut seen = BTreeSet::new();
    for (index, entry) in types.iter().enumerate() {
        let path = format!("{path}[{index}]");
        findings.closed(entry, &path, &["type", "delivery"]);
        let problem = "must be <org>.<name> in lower-case words";
        if entry.member("type").is_none() || entry.member("delivery").is_none() {
            findings.schema(&path, "must have type and delivery");
        }
        findings.text(entry, &path, "type", is_dotted_name, problem);
        let known = |text: &str| matches!(text, "durable" | "ephemeral");
        findings.text(
            entry,
            &path,
            "delivery",
            known,
            "must be durable or ephemeral",
        );
        if let Some(name) = entry.member("type").and_then(Value::as_str)
            && !seen.insert(name)
        {
            findings.schema(&format!("{path}.type"), "must be listed once");
        }
    }
}

/// Whether any inbound surface is served (the listing rules of discovery).
fn serves_inbound(document: &Value) -> bool {
    let card = document
        .member("a2a")
        .and_then(|a2a| a2a.member("agentCardUrl"));
    let mcp = document.member("mcp");
    let urls = mcp
        .and_then(|mcp| mcp.member("serverUrls"))
        .and_then(Value::as_array);
    card.and_then(Value::as_str).is_some()
        || urls.is_some_and(|urls| !urls.is_empty())
        || mcp.and_then(|mcp| mcp.member("serverMount")).is_some()
}

fn lists_the_record(events: Option<&Value>) -> bool {
    let types = events
        .and_then(|events| events.member("types"))
        .and_then(Value::as_array);
    types.unwrap_or(&[]).iter().any(|entry| {
        entry.member("type").and_then(Value::as_str) == Some("negotiation.decided")
            && entry.member("delivery").and_then(Value::as_str) == Some("durable")
    })
}
