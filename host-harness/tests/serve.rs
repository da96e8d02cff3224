//! The host over loopback: what callers, subscribers and operators meet.

use serde_json::{Value, json};

#[path = "support/host.rs"]
mod host;

use host::{Answered, Host, MCP};

const TOKEN: &str = "posture-test-token";
const OTHER: &str = "another-tenants-token";
const DESK: &str = "a-workspace-bound-token";

fn start(posture: &str) -> Host {
    Host::start(
        posture,
        &[(OTHER, "other", None), (DESK, "acme", Some("desk"))],
    )
}

fn a2a(host: &Host, token: Option<&str>, version: Option<&str>) -> Answered {
    let mut headers = vec![];
    if let Some(version) = version {
        headers.push(("A2A-Version", version));
    }
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "GetTask", "params": { "id": "t-1" } });
    host.post("/a2a/jsonrpc", token, &headers, &body)
}

fn mcp(host: &Host, token: Option<&str>, revision: &str, method: &str) -> Answered {
    let body = json!({
        "jsonrpc": "2.0", "id": "x", "method": method,
        "params": { "_meta": { MCP: revision, "io.modelcontextprotocol/clientCapabilities": {} } },
    });
    let headers = [("MCP-Protocol-Version", revision), ("Mcp-Method", method)];
    host.post("/mcp", token, &headers, &body)
}

#[test]
fn every_exchange_is_answered_and_on_record() {
    let host = start("a");
    let events = host.subscribe(TOKEN, None);

    let answered = a2a(&host, Some(TOKEN), Some("1.0"));
    assert_eq!(answered.status, 200);
    assert_eq!(answered.header("a2a-version"), Some("1.0"));
    assert_eq!(answered.json["error"]["code"], -32001);
    assert_eq!(answered.json["id"], 7);
    let refused = a2a(&host, Some(TOKEN), Some("0.3"));
    assert_eq!(refused.status, 400);
    assert_eq!(refused.json["error"]["code"], -32009);
    let refused = a2a(&host, None, Some("1.0"));
    assert_eq!(
        (refused.status, refused.header("www-authenticate")),
        (401, Some("Bearer"))
    );

    let answered = mcp(&host, Some(TOKEN), "2026-07-28", "tools/list");
    assert_eq!(answered.json["result"]["tools"], json!([]));
    assert_eq!(answered.json["result"]["cacheScope"], "private");
    let discovered = mcp(&host, Some(TOKEN), "2026-07-28", "server/discover");
    assert_eq!(
        discovered.json["result"]["supportedVersions"],
        json!(["2026-07-28"])
    );
    let refused = mcp(&host, Some(TOKEN), "2025-06-18", "tools/list");
    assert_eq!(
        (refused.status, &refused.json["error"]["code"]),
        (400, &json!(-32022))
    );

    let told = events.take(5);
    let told: Vec<_> = told
        .iter()
        .map(|event| {
            assert_eq!(event["type"], "negotiation.decided");
            assert_eq!(event["delivery"], "durable");
            let payload = &event["payload"];
            [
                &payload["protocol"],
                &payload["outcome"],
                &payload["requested"],
                &payload["reason"],
            ]
            .map(|member| member.as_str().unwrap().to_owned())
            .join(" ")
        })
        .collect();
    assert_eq!(
        told,
        [
            "a2a accepted 1.0 ok",
            "a2a refused 0.3 below-floor",
            "mcp accepted 2026-07-28 ok",
            "mcp accepted 2026-07-28 ok",
            "mcp refused 2025-06-18 below-floor",
        ],
        "the one without a credential belongs to nobody"
    );
    // It is on record all the same.
    let journal = host.journal();
    assert_eq!(journal.len(), 6);
    let nobodys: Vec<_> = journal
        .iter()
        .filter(|(tenant, _)| tenant.is_none())
        .collect();
    assert_eq!(nobodys.len(), 1);
    assert_eq!(nobodys[0].1["payload"]["reason"], "unauthenticated");
    assert_eq!(nobodys[0].1["payload"]["requested"], "1.0");
}

#[test]
fn nothing_that_a_peer_writes_reaches_a_record_or_an_error() {
    let host = start("b");
    let marker = "zq-marker-zq";
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": marker, "params": { marker: marker } });
    for version in [marker, "1.0, zq-marker-zq"] {
        let headers = [("A2A-Version", version), ("User-Agent", marker)];
        let answered = host.post("/a2a/jsonrpc?a=zq-marker-zq", Some(TOKEN), &headers, &body);
        assert_eq!(answered.status, 400);
        assert!(!answered.text.contains(marker), "{}", answered.text);
    }
    let answered = mcp(&host, Some(TOKEN), marker, "tools/list");
    assert!(!answered.text.contains(marker), "{}", answered.text);
    for (_, event) in host.journal() {
        assert!(!event.to_string().contains(marker), "{event}");
        assert_eq!(event["payload"]["requested"], Value::Null);
    }
    assert_eq!(host.journal().len(), 3);
    assert!(!host.metrics().contains(marker));
}

#[test]
fn without_authentication_nobody_gets_below_preferred() {
    let host = start("b");
    assert_eq!(a2a(&host, Some(TOKEN), Some("0.3")).status, 200);
    let refused = a2a(&host, Some("no-such-token"), Some("0.3"));
    assert_eq!(refused.status, 401);
    // A list never holds a version that this caller could not have.
    let metadata = &refused.json["error"]["data"][0]["metadata"];
    assert_eq!(metadata["supportedVersions"], "1.0");
    let card = host.get(
        "/.well-known/agent-card.json",
        None,
        &[("A2A-Version", "0.3")],
    );
    assert_eq!(
        (card.status, &card.json["error"]),
        (401, &json!("interop_version_unsupported"))
    );
    let card = host.get(
        "/.well-known/agent-card.json",
        Some(TOKEN),
        &[("A2A-Version", "0.3")],
    );
    assert_eq!(
        (card.status, &card.json["protocolVersion"]),
        (200, &json!("0.3.0"))
    );
}

#[test]
fn a_host_can_let_anybody_in_at_preferred_and_not_below() {
    let host = Host::start_with("b", &[], &[("NEGOTIATOR_REQUIRE_CREDENTIAL", "false")]);
    assert_eq!(a2a(&host, None, None).status, 200);
    assert_eq!(a2a(&host, None, Some("1.0")).status, 200);
    assert_eq!(a2a(&host, None, Some("0.3")).status, 401);
    assert_eq!(mcp(&host, None, "2026-07-28", "tools/list").status, 200);
    let tenants: Vec<_> = host
        .journal()
        .into_iter()
        .map(|(tenant, _)| tenant)
        .collect();
    assert_eq!(tenants, [None, None, None, None]);
}

#[test]
fn tenants_and_workspaces_see_their_own_records_and_can_resume() {
    let host = start("a");
    let mine = host.subscribe(TOKEN, None);
    let others = host.subscribe(OTHER, None);
    let desk = host.subscribe(DESK, None);
    for _ in 0..3 {
        a2a(&host, Some(TOKEN), Some("1.0"));
        a2a(&host, Some(OTHER), Some("0.3"));
        a2a(&host, Some(DESK), Some("0.9"));
        a2a(&host, None, None);
    }
    let mine = mine.take(3);
    let theirs = others.take(3);
    let desk = desk.take(3);
    let all = |events: &[Value], requested: &str| {
        events
            .iter()
            .all(|event| event["payload"]["requested"] == requested)
    };
    assert!(all(&mine, "1.0") && all(&theirs, "0.3") && all(&desk, "0.9"));
    assert!(desk.iter().all(|event| event["workspaceId"] == "desk"));
    assert!(mine.iter().all(|event| event.get("workspaceId").is_none()));

    // From where one left off: the later two, then live.
    let first = mine[0]["eventId"].as_str().unwrap();
    let resumed = host.subscribe(TOKEN, Some(first));
    a2a(&host, Some(TOKEN), Some("0.1"));
    let resumed = resumed.take(3);
    assert_eq!(resumed[..2], mine[1..]);
    assert_eq!(resumed[2]["payload"]["requested"], "0.1");
    // Somebody else's event is no place to resume from: live only.
    let foreign = host.subscribe(OTHER, Some(first));
    a2a(&host, Some(OTHER), Some("0.2"));
    assert_eq!(foreign.take(1)[0]["payload"]["requested"], "0.2");
    assert_eq!(host.get("/host/events", None, &[]).status, 401);
}

#[test]
fn what_is_advertised_is_what_decides() {
    for posture in ["a", "b", "c"] {
        let host = start(posture);
        let document = host.get("/.well-known/openwop", None, &[]);
        assert_eq!(document.header("openwop-version"), Some("2.0"));
        let a2a = &document.json["a2a"];
        let card = host.get("/.well-known/agent-card.json", None, &[]);
        let interfaces = card.json["supportedInterfaces"].as_array().unwrap();
        assert_eq!(interfaces[0]["protocolVersion"], a2a["preferredVersion"]);
        let mut versions: Vec<_> = interfaces
            .iter()
            .map(|one| &one["protocolVersion"])
            .collect();
        let mut offered: Vec<_> = a2a["versions"].as_array().unwrap().iter().collect();
        versions.sort_by_key(|version| version.to_string());
        offered.sort_by_key(|version| version.to_string());
        assert_eq!(versions, offered);
        let newest = document.json["mcp"]["preferredVersion"].as_str().unwrap();
        let discovered = mcp(&host, Some(TOKEN), newest, "server/discover");
        let supported = &discovered.json["result"]["supportedVersions"];
        assert_eq!(*supported, document.json["mcp"]["revisions"]);
        let tag = document.header("etag").unwrap();
        let same = host.get("/.well-known/openwop", None, &[("If-None-Match", tag)]);
        assert_eq!(same.status, 304);
        let old = host.get("/.well-known/openwop", None, &[("OpenWOP-Version", "1.0")]);
        assert_eq!(old.status, 406);
    }
}

#[test]
fn a_session_keeps_its_version_and_its_owner() {
    let host = start("b");
    let initialize = |version: &str| {
        let body = json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": { "protocolVersion": version, "capabilities": {}, "clientInfo": {} },
        });
        host.post("/mcp", Some(TOKEN), &[], &body)
    };
    let opened = initialize("2025-06-18");
    assert_eq!(opened.json["result"]["protocolVersion"], "2025-06-18");
    let session = opened.header("mcp-session-id").unwrap().to_owned();
    // A revision without a handshake is answered by one that has it (R1), one below the floor is not.
    assert_eq!(
        initialize("2026-07-28").json["result"]["protocolVersion"],
        "2025-06-18"
    );
    assert_eq!(initialize("2024-11-05").json["error"]["code"], -32602);

    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
    let inside = |token: &str, extra: &[(&str, &str)]| {
        let mut headers = vec![("Mcp-Session-Id", session.as_str())];
        headers.extend_from_slice(extra);
        host.post("/mcp", Some(token), &headers, &list)
    };
    assert_eq!(inside(TOKEN, &[]).json["result"]["tools"], json!([]));
    let changed = inside(TOKEN, &[("MCP-Protocol-Version", "2026-07-28")]);
    assert_eq!(changed.status, 400);
    assert_eq!(inside(OTHER, &[]).status, 404);
    let notified = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let headers = [("Mcp-Session-Id", session.as_str())];
    assert_eq!(
        host.post("/mcp", Some(TOKEN), &headers, &notified).status,
        202
    );
    assert_eq!(
        host.request("DELETE", "/mcp", Some(TOKEN), &headers, "")
            .status,
        204
    );
    assert_eq!(inside(TOKEN, &[]).status, 404);
}

#[test]
fn what_is_no_message_is_answered_before_any_negotiation() {
    let host = start("a");
    for path in ["/mcp", "/a2a/jsonrpc"] {
        for (body, code) in [
            ("", -32700),
            ("{", -32700),
            ("[]", -32600),
            (r#"{"id":1,"id":2,"method":"x"}"#, -32600),
            (r#"{"id":1,"method":"x","a":1,"a":1}"#, -32600),
        ] {
            let answered = host.request("POST", path, Some(TOKEN), &[], body);
            assert_eq!(
                (answered.status, &answered.json["error"]["code"]),
                (400, &json!(code))
            );
        }
        let large = "x".repeat(1024 * 1024 + 1);
        assert_eq!(
            host.request("POST", path, Some(TOKEN), &[], &large).status,
            413
        );
    }
    for length in [300_000, 10_000_000] {
        let long = "x".repeat(length);
        let status = host.status("POST", "/mcp", &[("X-Long", &long)], "{}");
        // It hangs up before everything is sent, so the answer may be lost on the way.
        assert!(matches!(status, None | Some(431)), "{status:?}");
    }
    assert_eq!(host.journal().len(), 0);
    assert_eq!(host.get("/nothing", None, &[]).status, 404);
    assert_eq!(a2a(&host, Some(TOKEN), None).status, 200, "it goes on");
}

#[test]
fn without_a_durable_record_nothing_is_served() {
    let host = start("a");
    assert_eq!(a2a(&host, Some(TOKEN), Some("1.0")).status, 200);
    let other = rusqlite::Connection::open(host.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = a2a(&host, Some(TOKEN), Some("1.0"));
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (503, Some("1"))
    );
    assert_eq!(refused.json["error"]["code"], -32603);
    let refused = host.get("/.well-known/agent-card.json", None, &[]);
    assert_eq!(
        (refused.status, &refused.json["error"]),
        (503, &json!("service_unavailable"))
    );
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(a2a(&host, Some(TOKEN), Some("1.0")).status, 200);
    assert_eq!(host.journal().len(), 2);
    assert!(host.metrics().contains("negotiator_unrecorded_total 2"));
}

#[test]
fn a_message_with_an_odd_id_or_method_is_negotiated_and_not_served() {
    let host = start("a");
    for (path, header, version) in [
        ("/mcp", "MCP-Protocol-Version", "2026-07-28"),
        ("/a2a/jsonrpc", "A2A-Version", "1.0"),
    ] {
        for odd in [r#""id":{},"method":"x""#, r#""id":1,"method":7"#] {
            let params = format!(r#""params":{{"_meta":{{"{MCP}":"2026-07-28"}}}}"#);
            let body = format!("{{{odd},{params}}}");
            let answered = host.request("POST", path, Some(TOKEN), &[(header, version)], &body);
            assert_eq!(
                (answered.status, &answered.json["error"]["code"]),
                (400, &json!(-32600))
            );
            let low = host.request("POST", path, Some(TOKEN), &[(header, "0.1")], &body);
            assert_eq!(low.status, 400);
            assert_ne!(low.json["error"]["code"], -32600);
        }
    }
    assert_eq!(host.journal().len(), 8);
}

#[test]
fn operators_see_counts_by_closed_words() {
    let host = start("b");
    a2a(&host, Some(TOKEN), Some("0.3"));
    a2a(&host, Some(TOKEN), Some("0.2"));
    a2a(&host, Some(TOKEN), Some("nonsense"));
    let metrics = host.metrics();
    for line in [
        r#"negotiator_decisions_total{protocol="a2a",outcome="accepted",reason="ok",cause="exact"} 1"#,
        r#"negotiator_decisions_total{protocol="a2a",outcome="refused",reason="below-floor",cause="named-below-floor"} 1"#,
        r#"negotiator_decisions_total{protocol="a2a",outcome="refused",reason="unsupported",cause="malformed"} 1"#,
        "negotiator_append_seconds_count 3",
    ] {
        assert!(metrics.contains(line), "{line} is not in {metrics}");
    }
    assert_eq!(host.admin("/healthz").status, 204);
    assert_eq!(host.admin("/readyz").status, 204);
}

#[test]
fn no_answered_exchange_is_without_a_record_after_a_kill() {
    let mut host = start("a");
    let answered = host.hammer(8, 2000, TOKEN);
    host.kill();
    let answered = answered.join();
    host.resume();
    let recorded = host.journal().len();
    assert!(answered > 50, "only {answered} answered");
    assert!(
        recorded >= answered,
        "{answered} answered, {recorded} recorded"
    );
    assert!(
        recorded <= answered + 8,
        "one more for each connection at most"
    );
    host.verify();
    assert_eq!(a2a(&host, Some(TOKEN), Some("1.0")).status, 200);
}
