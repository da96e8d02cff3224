use super::*;

const NOW: &str = "2026-11-30T12:00:00Z";

/// A document that passes; each test breaks one thing of it.
const GOOD: &str = r#"{
  "protocolVersions": ["2.0"], "preferredVersion": "2.0",
  "implementation": {"name": "host", "version": "1"},
  "conformance": {"seamsProfile": "openwop-conformance-seams-v2"},
  "a2a": {"status": "experimental", "since": "2.0", "until": "2.1", "witness": "seam-gated",
    "versions": ["1.0"], "preferredVersion": "1.0", "minimumVersion": "1.0", "refreshedAt": "2026-11-01",
    "profiles": ["a2a-1.0"], "agentCardUrl": "http://127.0.0.1:1/.well-known/agent-card.json",
    "streaming": false, "pushNotifications": false, "durableTasks": false},
  "mcp": {"status": "experimental", "since": "2.0", "until": "2.1", "witness": "seam-gated",
    "revisions": ["2026-07-28"], "preferredVersion": "2026-07-28", "minimumRevision": "2026-07-28",
    "refreshedAt": "2026-11-01", "profiles": ["mcp-2026-07-28"], "features": ["mrtr"],
    "serverMount": {"transports": ["streamable-http"]}, "serverUrls": ["http://127.0.0.1:1/mcp"],
    "mrtr": {"maxRounds": 4}},
  "hostEvents": {"status": "experimental", "since": "2.0", "until": "2.1", "witness": "witnessable-gated",
    "types": [{"type": "negotiation.decided", "delivery": "durable"}]}
}"#;

fn found(document: &str) -> Vec<(&'static str, String)> {
    let document = Value::parse(document).unwrap();
    let findings = check(&document, Instant::parse(NOW).unwrap());
    findings
        .into_iter()
        .map(|finding| (finding.rule, finding.path))
        .collect()
}

#[test]
fn a_good_document_has_no_findings() {
    assert_eq!(found(GOOD), []);
}

#[test]
fn each_rule_finds_its_breach_and_nothing_else() {
    let cases: &[(&str, &str, &str, &str)] = &[
        (
            "\"protocolVersions\"",
            "\"supportedTransports\": [], \"protocolVersions\"",
            NO_TRANSPORTS,
            "supportedTransports",
        ),
        (
            "\"protocolVersions\"",
            "\"grpc\": {}, \"protocolVersions\"",
            NO_TRANSPORTS,
            "grpc",
        ),
        (
            "\"streaming\"",
            "\"supportedTransports\": [], \"streaming\"",
            NO_TRANSPORTS,
            "a2a.supportedTransports",
        ),
        (
            "\"protocolVersions\"",
            "\"profiles\": [], \"protocolVersions\"",
            "0175.legacy-profiles-absent.no-root-profiles",
            "profiles",
        ),
        (
            "a2a-1.0",
            "a2a-0.3-legacy",
            "0175.legacy-profiles-absent",
            "a2a.profiles[0]",
        ),
        (
            "mcp-2026-07-28",
            "mcp-2025-06-18-legacy",
            "0175.legacy-profiles-absent",
            "mcp.profiles[0]",
        ),
        (
            "\"refreshedAt\": \"2026-11-01\",\n    \"profiles\": [\"a2a",
            "\"refreshedAt\": \"2026-09-01\",\n    \"profiles\": [\"a2a",
            "0175.refresh-sla",
            "a2a.refreshedAt",
        ),
        (
            "\"refreshedAt\": \"2026-11-01\", \"profiles\": [\"mcp",
            "\"refreshedAt\": \"2026-12-02\", \"profiles\": [\"mcp",
            "0175.refresh-sla",
            "mcp.refreshedAt",
        ),
        (
            "\"minimumVersion\": \"1.0\"",
            "\"minimumVersion\": \"0.3\"",
            "0175.refresh-sla",
            "a2a.minimumVersion",
        ),
        (
            "\"maxRounds\": 4",
            "\"maxRounds\": 17",
            "0175.mrtr-rounds-ceiling",
            "mcp.mrtr.maxRounds",
        ),
        (
            "\"maxRounds\": 4",
            "\"maxRounds\": 4.0",
            "0175.mrtr-rounds-ceiling",
            "mcp.mrtr.maxRounds",
        ),
        (
            "\"delivery\": \"durable\"",
            "\"delivery\": \"ephemeral\"",
            "0242.inbound.listed",
            "hostEvents.types",
        ),
        (
            "negotiation.decided",
            "channel.presence",
            "0242.inbound.listed",
            "hostEvents.types",
        ),
        (
            "\"preferredVersion\": \"2.0\"",
            "\"preferredVersion\": \"2.1\"",
            "discovery.schema",
            "preferredVersion",
        ),
        (
            "\"implementation\"",
            "\"unknownFamily\": {}, \"implementation\"",
            "discovery.schema",
            "document",
        ),
        (
            "\"streaming\": false",
            "\"streaming\": 0",
            "discovery.schema",
            "a2a.streaming",
        ),
        (
            "\"streaming\": false",
            "\"extra\": false",
            "discovery.schema",
            "a2a",
        ),
        (
            "\"status\": \"experimental\", \"since\": \"2.0\", \"until\": \"2.1\", \"witness\": \"witnessable-gated\"",
            "\"status\": \"stable\", \"since\": \"2.0\", \"until\": \"2.1\", \"witness\": \"witnessable-gated\"",
            "discovery.schema",
            "hostEvents.until",
        ),
        (
            "\"until\": \"2.1\", \"witness\": \"witnessable-gated\"",
            "\"witness\": \"witnessable-gated\"",
            "discovery.schema",
            "hostEvents.until",
        ),
        (
            "\"since\": \"2.0\", \"until\": \"2.1\", \"witness\": \"witnessable-gated\"",
            "\"since\": \"2.1\", \"until\": \"2.1\", \"witness\": \"witnessable-gated\"",
            "discovery.schema",
            "hostEvents.since",
        ),
        (
            "\"seamsProfile\": \"openwop-conformance-seams-v2\"",
            "\"seamsProfile\": \"v2\"",
            "discovery.schema",
            "conformance.seamsProfile",
        ),
        (
            "http://127.0.0.1:1/mcp",
            "/mcp",
            "discovery.schema",
            "mcp.serverUrls[0]",
        ),
        (
            "streamable-http",
            "sse",
            "discovery.schema",
            "mcp.serverMount.transports[0]",
        ),
        (
            "\"revisions\": [\"2026-07-28\"]",
            "\"revisions\": [\"2026-7-28\"]",
            "discovery.schema",
            "mcp.revisions[0]",
        ),
    ];
    for (from, to, rule, path) in cases {
        assert!(GOOD.contains(from), "{from}");
        let broken = GOOD.replacen(from, to, 1);
        assert_eq!(
            found(&broken),
            [(*rule, (*path).to_string())],
            "{from} -> {to}"
        );
    }
}

#[test]
fn a_host_without_inbound_need_not_list_the_record() {
    let document = r#"{"protocolVersions": ["2.0"], "preferredVersion": "2.0"}"#;
    assert_eq!(found(document), []);
}

#[test]
fn a_finding_repeats_no_name_of_the_document() {
    let document =
        Value::parse(r#"{"SECRET": 1, "a2a": {"SECRET": 2}, "extensions": {"SECRET": 1}}"#);
    let findings = check(&document.unwrap(), Instant::parse(NOW).unwrap());
    assert!(!findings.is_empty());
    assert!(!alloc::format!("{findings:?}").contains("SECRET"));
}

#[test]
fn r57_rounds_up_to_the_ceiling_are_retried() {
    assert_eq!(admit_round(4, 4), Round::Continue);
    assert_eq!(admit_round(4, 5), Round::Refuse);
}

#[test]
fn no_status_projects_to_auth_required() {
    assert_eq!(
        task_state("waiting-approval"),
        Some("TASK_STATE_INPUT_REQUIRED")
    );
    assert_eq!(task_state("auth-required"), None);
}
