//! Every branch is reached by a case, and texts are exact.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{BRANCHES, Modelled, Policy, refuse, settle, settle_with};

use super::{a2a_in, a2a_out, mcp_in, mcp_out, settled};

const META: &str = "io.modelcontextprotocol/protocolVersion";

fn with(mut request: Value, part: &str, member: &str, value: Value) -> Value {
    request[part][member] = value;
    request
}

fn requests() -> Vec<Value> {
    let header = |value: &str| json!([["mcp-protocol-version", value]]);
    let a2a_header = |value: &str| json!([["A2A-Version", value]]);
    let meta = |value: Value| json!({ "_meta": { META: value } });
    let mut requests = vec![
        a2a_in(true, json!({ "headers": a2a_header("1.0.0, 1.0.0") })),
        a2a_in(true, json!({ "headers": a2a_header("0.3 ,,") })),
        a2a_in(false, json!({ "headers": a2a_header("1.0") })),
        a2a_in(false, json!({ "query": "a2a-version=0.3" })),
        a2a_in(false, json!({})),
        a2a_in(true, json!({ "headers": a2a_header("9.9") })),
        a2a_in(
            true,
            json!({ "headers": a2a_header("x"), "httpMethod": "GET" }),
        ),
        a2a_in(true, json!({ "headers": a2a_header("1.0,0.3") })),
        a2a_in(true, json!({ "headers": a2a_header("0.1") })),
        a2a_out(
            true,
            json!({ "card": { "supportedInterfaces": [{ "protocolVersion": "1.0.0" }] } }),
        ),
        a2a_out(
            true,
            json!({ "card": { "protocolVersion": 7 }, "requested": "v1" }),
        ),
        a2a_out(true, json!({ "offers": ["0.1"], "requested": "1.0" })),
        a2a_out(false, json!({ "offers": ["0.3"] })),
        a2a_out(true, json!({ "offers": ["7.0"] })),
        a2a_out(true, json!({ "requested": "0.2" })),
        a2a_out(true, json!({ "requested": "7.0" })),
    ];
    let info = json!([{ "metadata": { "supportedVersions": "0.3,1.0" } }]);
    for data in [info, json!({ "supportedVersions": ["0.3"] }), json!({})] {
        requests.push(a2a_out(
            true,
            json!({ "error": { "code": -32009, "data": data } }),
        ));
    }
    let initialize = |header: Option<&str>, meta: Option<&str>, body: Value| {
        let mut exchange = json!({ "method": "initialize", "params": {} });
        if let Some(header) = header {
            exchange["headers"] = json!([["MCP-Protocol-Version", header]]);
        }
        if let Some(meta) = meta {
            exchange["params"] = json!({ "_meta": { META: meta } });
        }
        if body != "-" {
            exchange["params"]["protocolVersion"] = body;
        }
        exchange
    };
    for exchange in [
        initialize(None, None, "-".into()),
        initialize(None, None, "2025-06-18".into()),
        initialize(None, None, "2025-07-01".into()),
        initialize(None, None, "2026-07-28".into()),
        initialize(None, None, Value::Null),
        initialize(None, None, "x".into()),
        initialize(Some("x,y"), None, "-".into()),
        initialize(Some("x"), Some("y"), "2025-06-18".into()),
        initialize(Some("x"), Some("2025-06-18"), "y".into()),
        initialize(Some("x"), Some("y"), "z".into()),
        json!({}),
        json!({ "headers": header("2026-07-28"), "params": meta("2025-06-18".into()) }),
        json!({ "headers": header("2026-07-28"), "params": meta(7.into()) }),
        json!({ "headers": header("2026-07-28"), "method": "ping" }),
        json!({ "headers": header("2026-07-28"), "method": "server/discover" }),
        json!({ "headers": header("2025-07-01") }),
        json!({ "headers": header("a,b"), "session": "2025-06-18" }),
        json!({ "headers": header(""), "session": "2025-06-18" }),
        json!({ "headers": header("2025-11-25"), "session": "2025-06-18" }),
        json!({ "params": meta("2025-06-18".into()) }),
        json!({ "session": "2025-06-18" }),
        json!({ "session": "2025-07-01" }),
        json!({ "session": "2024-11-05" }),
        json!({ "session": "x" }),
    ] {
        requests.push(mcp_in(true, exchange.clone()));
        requests.push(mcp_in(false, exchange));
    }
    let only = |revisions: Value| {
        let first = revisions[0].clone();
        json!({ "mcp": {
            "revisions": revisions, "preferredVersion": first, "minimumRevision": first,
        }})
    };
    let mut no_handshake = mcp_in(true, initialize(None, None, "2025-06-18".into()));
    no_handshake["exchange"]["params"]["protocolVersion"] = "2026-07-28".into();
    no_handshake["facets"] = only(json!(["2026-07-28"]));
    let mut default = mcp_in(true, initialize(None, None, "-".into()));
    default["facets"] = only(json!(["2025-06-18", "2025-11-25"]));
    // Not authenticated, something struck and something left.
    let mut some_struck = mcp_in(false, initialize(None, None, "2026-07-28".into()));
    some_struck["facets"] = json!({ "mcp": {
        "revisions": ["2025-06-18", "2025-11-25"], "preferredVersion": "2025-11-25",
        "minimumRevision": "2025-06-18",
    }});
    requests.extend([no_handshake, default, some_struck]);

    let list = json!({ "supportedVersions": ["2025-11-25"] });
    for exchange in [
        json!({ "discover": list }),
        json!({ "error": { "code": -32022, "data": { "supported": ["2025-11-25"] } } }),
        json!({ "error": { "code": -1 } }),
        json!({ "initialize": { "protocolVersion": "2025-06-18" }, "discover": list }),
        json!({ "initialize": { "protocolVersion": "2025-11-25" }, "requested": "2025-06-18" }),
        json!({ "initialize": { "protocolVersion": "2024-11-05" } }),
        json!({ "initialize": { "protocolVersion": "2026-07-28" } }),
        json!({ "initialize": { "protocolVersion": "2025-07-01" } }),
        json!({ "initialize": { "protocolVersion": 7 } }),
        json!({ "initialize": {} }),
    ] {
        requests.push(mcp_out(true, exchange));
    }

    let owned = json!({
        "at": "2026-11-30T12:00:00Z", "tenant": "acme", "workspace": "ws-1",
        "eventId": "hev-0123456789abcdef", "peerUrl": "https://peer.example/x",
    });
    let mut host = a2a_in(true, json!({}));
    host["context"] = owned;
    let opaque = with(host.clone(), "context", "peerUrl", "stdio:".into());
    let mut run = with(
        host.clone(),
        "context",
        "runId",
        "acme/run-0123456789abcd".into(),
    );
    run["context"]["sequence"] = 7.into();
    run["context"].as_object_mut().unwrap().remove("workspace");
    requests.extend([host, opaque, run]);
    requests
}

#[test]
fn every_branch_is_reached() {
    let mut reached: BTreeSet<&str> = BTreeSet::new();
    let policies = [
        Policy::Highest,
        Policy::Exact,
        Policy::DenyAll,
        Policy::Fails,
        Policy::GrantOutside,
    ];
    for mut request in requests() {
        for policy in policies {
            reached.extend(settled(&request, policy).branches);
        }
        for refusal in ["policy-failed", "credential-required", "record-not-durable"] {
            request["refusal"] = refusal.into();
            reached.extend(refuse(&request).unwrap().branches);
        }
    }
    let all: BTreeSet<&str> = BRANCHES.iter().copied().collect();
    assert_eq!(all.len(), BRANCHES.len(), "a tag stands twice");
    let missing: Vec<_> = all.difference(&reached).collect();
    assert!(missing.is_empty(), "not reached: {missing:?}");
}

#[test]
fn the_text_is_the_answer() {
    for request in requests() {
        let Modelled {
            answer,
            text,
            record,
            ..
        } = settle(&request).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), answer);
        assert_eq!(
            serde_json::from_str::<Value>(&record).unwrap(),
            answer["record"]
        );
        assert!(text.contains(&format!("\"record\":{record},\"entry\":")));
    }
}

#[test]
fn an_acceptance_letter_for_letter() {
    let mut request = a2a_in(true, json!({ "headers": [["A2A-Version", "0.3"]] }));
    request["context"] = json!({
        "at": "2026-11-30T12:00:00Z", "tenant": "acme", "workspace": "ws-1",
        "eventId": "hev-0123456789abcdef01234567",
    });
    let record = "{\"protocol\":\"a2a\",\"outcome\":\"accepted\",\"requested\":\"0.3\",\
        \"version\":\"0.3\",\"floor\":\"0.3\",\"reason\":\"ok\",\"at\":\"2026-11-30T12:00:00Z\"}";
    let expected = format!(
        "{{\"outcome\":\"accepted\",\"version\":\"0.3\",\"reason\":\"ok\",\"cause\":\"exact\",\
         \"requested\":\"0.3\",\"downgraded\":false,\"record\":{record},\
         \"entry\":{{\"home\":\"host\",\"audience\":{{\"tenant\":\"acme\",\"workspace\":\"ws-1\"}},\
         \"event\":{{\"eventId\":\"hev-0123456789abcdef01234567\",\
         \"type\":\"negotiation.decided\",\"timestamp\":\"2026-11-30T12:00:00Z\",\
         \"delivery\":\"durable\",\"workspaceId\":\"ws-1\",\"payload\":{record}}}}},\
         \"answer\":{{\"status\":200,\"headers\":[[\"A2A-Version\",\"0.3\"]],\"error\":null,\
         \"envelope\":null}}}}"
    );
    assert_eq!(settle(&request).unwrap().text, expected);
}

#[test]
fn a_refusal_letter_for_letter() {
    let mut request = mcp_in(
        false,
        json!({ "headers": [["MCP-Protocol-Version", "2025-06-18"]] }),
    );
    request["context"] = json!({
        "at": "2026-11-30T12:00:00+01:00", "tenant": "acme", "runId": "acme/run-0123456789abcd",
        "sequence": 0, "eventId": "hev-0123456789abcdef", "peerUrl": "https://peer.example:443",
    });
    let record = "{\"protocol\":\"mcp\",\"outcome\":\"refused\",\"requested\":\"2025-06-18\",\
        \"floor\":\"2025-06-18\",\
        \"peerDigest\":\"3a61b99132bfdfa2ce5f773d8dc89d8246bfe6b266791549de14a6692d1bb1e1\",\
        \"reason\":\"unauthenticated\",\"at\":\"2026-11-30T12:00:00+01:00\"}";
    let expected = format!(
        "{{\"outcome\":\"refused\",\"reason\":\"unauthenticated\",\
         \"cause\":\"credential-missing\",\"requested\":\"2025-06-18\",\"downgraded\":false,\
         \"record\":{record},\"entry\":{{\"home\":\"run\",\"audience\":null,\
         \"event\":{{\"eventId\":\"hev-0123456789abcdef\",\"runId\":\"acme/run-0123456789abcd\",\
         \"type\":\"negotiation.decided\",\"payload\":{record},\
         \"timestamp\":\"2026-11-30T12:00:00+01:00\",\"sequence\":0,\"schemaVersion\":3}}}},\
         \"answer\":{{\"status\":401,\"headers\":[[\"WWW-Authenticate\",\"Bearer\"]],\
         \"error\":{{\"code\":-32022,\"message\":\"Unsupported protocol version\",\
         \"data\":{{\"supported\":[\"2026-07-28\"],\"requested\":\"2025-06-18\"}}}},\
         \"envelope\":{{\"error\":\"interop_version_unsupported\",\
         \"message\":\"No protocol version could be agreed\",\"details\":{{\"protocol\":\"mcp\",\
         \"requested\":\"2025-06-18\",\"supported\":[\"2026-07-28\"],\
         \"reason\":\"unauthenticated\",\"runId\":\"acme/run-0123456789abcd\",\
         \"retriable\":false}}}}}}}}"
    );
    assert_eq!(settle(&request).unwrap().text, expected);
}

#[test]
fn each_refusal_has_its_error_object() {
    let error = |request: &Value| {
        let text = settle(request).unwrap().answer["answer"]["error"].to_string();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let supported = json!(["2026-07-28", "2025-11-25", "2025-06-18"]);
    let info = json!({
        "code": -32009, "message": "A2A version not supported", "data": [{
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "VERSION_NOT_SUPPORTED", "domain": "a2a-protocol.org",
            "metadata": { "supportedVersions": "1.0,0.3" },
        }],
    });
    assert_eq!(
        error(&a2a_in(true, json!({ "headers": [["A2A-Version", "x"]] }))),
        info
    );
    let a2a_named = error(&a2a_in(
        true,
        json!({ "headers": [["A2A-Version", "2.0"]] }),
    ));
    assert_eq!(
        a2a_named["data"][0]["metadata"],
        json!({ "requested": "2.0", "supportedVersions": "1.0,0.3" })
    );
    let named = json!({ "method": "initialize", "params": { "protocolVersion": "2024-11-05" } });
    assert_eq!(
        error(&mcp_in(true, named)),
        json!({
            "code": -32602, "message": "Unsupported protocol version",
            "data": { "supported": supported, "requested": "2024-11-05" },
        })
    );
    let malformed = json!({ "method": "initialize", "params": { "protocolVersion": null } });
    assert_eq!(
        error(&mcp_in(true, malformed))["data"],
        json!({ "supported": supported })
    );
    assert_eq!(
        error(&mcp_in(true, json!({})))["data"],
        json!({ "supported": supported, "requested": null })
    );
    assert_eq!(
        error(&mcp_in(true, json!({ "session": "x" }))),
        json!({ "code": -32600, "message": "Protocol version not valid in this session" })
    );
    assert_eq!(
        error(&mcp_in(
            true,
            json!({ "headers": [["MCP-Protocol-Version", "a,b"]] })
        )),
        json!({ "code": -32020, "message": "Protocol version header and body do not match" })
    );
    assert_eq!(error(&a2a_out(true, json!({}))), Value::Null);
}

#[test]
fn an_acceptance_names_the_version_in_a_header() {
    let headers = |request: &Value| settle(request).unwrap().answer["answer"]["headers"].clone();
    assert_eq!(
        headers(&a2a_in(true, json!({}))),
        json!([["A2A-Version", "1.0"]])
    );
    assert_eq!(
        headers(&mcp_out(true, json!({ "offers": ["2025-11-25"] }))),
        json!([["MCP-Protocol-Version", "2025-11-25"]])
    );
}

#[test]
fn policies_choose_or_deny() {
    let cause = |request: &Value, policy| {
        settle_with(request, policy).unwrap().answer["cause"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let exact = a2a_in(true, json!({ "headers": [["A2A-Version", "0.3"]] }));
    assert_eq!(cause(&exact, Policy::Exact), "exact");
    assert_eq!(cause(&a2a_in(true, json!({})), Policy::Exact), "default");
    let lower = a2a_out(true, json!({ "offers": ["0.3"] }));
    assert_eq!(cause(&lower, Policy::Highest), "common");
    assert_eq!(cause(&lower, Policy::Exact), "policy-denied");
    assert_eq!(cause(&exact, Policy::DenyAll), "policy-denied");
    assert_eq!(cause(&exact, Policy::Fails), "policy-failed");
    assert_eq!(cause(&exact, Policy::GrantOutside), "policy-broke-contract");
    let refused = a2a_in(true, json!({ "headers": [["A2A-Version", "0.1"]] }));
    assert_eq!(cause(&refused, Policy::Fails), "named-below-floor");
}

#[test]
fn what_the_host_refuses() {
    let mut request = a2a_in(true, json!({ "headers": [["A2A-Version", "1.0"]] }));
    request["refusal"] = "credential-required".into();
    let answer = refuse(&request).unwrap().answer;
    assert_eq!(answer["cause"], "credential-required");
    assert_eq!(answer["record"]["requested"], "1.0");
    assert_eq!(answer["answer"]["status"], 401);
    request["refusal"] = "record-not-durable".into();
    assert_eq!(
        refuse(&request).unwrap().text,
        "{\"answer\":{\"status\":503,\"headers\":[[\"Retry-After\",\"1\"]],\
         \"error\":{\"code\":-32603,\"message\":\"The negotiation could not be recorded\"},\
         \"envelope\":{\"error\":\"service_unavailable\",\
         \"message\":\"The negotiation could not be recorded\",\
         \"details\":{\"protocol\":\"a2a\",\"retriable\":true}}}}"
    );
}
