//! The judges of OpenWOP's suite for RFC 0175 and RFC 0242, restated, and what they cannot see: run
//! against the host in each posture, with peers that record what reaches them.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test"
)]

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

#[path = "support/host.rs"]
mod host;
#[path = "support/peer.rs"]
mod peer;

use host::{Answered, Host};
use peer::Peer;

const TOKEN: &str = "posture-test-token";
/// The first is the shape of the card for a version that is not spoken.
const BOTH_A2A: &[&str] = &["1.0", "0.3"];
const BOTH_MCP: &[&str] = &["2025-06-18", "2026-07-28"];

fn start(posture: &str) -> Host {
    Host::start(posture, &[("another-tenants-token", "other", None)])
}

fn invoke(host: &Host, protocol: &str, body: &Value) -> Answered {
    let path = format!("/conformance/seams/sample/{protocol}/invoke");
    host.post(&path, Some(TOKEN), &[], body)
}

/// The log of the run that an answer names, and its decisions.
fn log(host: &Host, answered: &Answered) -> (Vec<Value>, Vec<Value>) {
    let run = answered.json["runId"]
        .as_str()
        .or_else(|| answered.json["details"]["runId"].as_str())
        .unwrap_or_else(|| panic!("no run in {}", answered.text));
    let path = format!("/runs/{}/events/poll?timeout=1", run.replace('/', "%2F"));
    let polled = host.get(&path, Some(TOKEN), &[]);
    assert_eq!(polled.status, 200, "{}", polled.text);
    assert_eq!(polled.json["isTerminal"], true);
    let events = polled.json["events"].as_array().unwrap().clone();
    for (sequence, event) in events.iter().enumerate() {
        assert_eq!(event["sequence"], sequence);
        assert_eq!(event["runId"], run);
    }
    assert_eq!(events.last().unwrap()["type"], "run.completed");
    let decided = events
        .iter()
        .filter(|event| event["type"] == "negotiation.decided")
        .map(|event| event["payload"].clone())
        .collect();
    // The same segment in the other projection, and nobody else's.
    let other = format!("/runs/{}/events/poll?timeout=1", run.replace('/', "~2F"));
    assert_eq!(
        host.get(&other, Some(TOKEN), &[]).json["events"],
        polled.json["events"]
    );
    assert_eq!(
        host.get(&other, Some("another-tenants-token"), &[]).status,
        404
    );
    (events, decided)
}

fn digest(url: &str) -> String {
    Sha256::digest(url)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[test]
fn emitted_every_outbound_decision_is_in_the_log_of_its_run() {
    for posture in ["a", "b", "c"] {
        let host = start(posture);
        let peer = Peer::a2a(BOTH_A2A);
        let answered = invoke(&host, "a2a", &json!({ "peerUrl": peer.url }));
        assert_eq!(answered.status, 200, "{posture}: {}", answered.text);
        let (_, decided) = log(&host, &answered);
        let last = decided.last().unwrap();
        assert_eq!(
            (&last["protocol"], &last["outcome"]),
            (&json!("a2a"), &json!("accepted"))
        );
        assert_eq!(last["version"], answered.json["negotiatedVersion"]);
        assert_eq!(last["peerDigest"], digest(&peer.url).as_str());
        let host_port = peer.url.strip_prefix("http://").unwrap();
        assert!(!last.to_string().contains(host_port));
        // What was asked for is what the first request carried; what was called is what was agreed.
        let asked = peer.asked();
        let first = asked
            .iter()
            .find_map(|asked| asked.header("a2a-version"))
            .unwrap();
        assert_eq!(last["requested"], first);
        let call = asked.iter().find(|asked| asked.method == "POST").unwrap();
        assert_eq!(call.header("a2a-version").unwrap(), last["version"]);
        let method = call.json["method"].as_str().unwrap();
        assert_eq!(method, "SendMessage");
        if posture == "c" {
            assert_eq!(
                (&last["requested"], &last["version"]),
                (&json!("1.1"), &json!("1.0"))
            );
        }

        let peer = Peer::mcp(BOTH_MCP);
        let answered = invoke(&host, "mcp", &json!({ "serverUrl": peer.url }));
        assert_eq!(answered.status, 200, "{posture}: {}", answered.text);
        assert_eq!(answered.json["result"]["content"][0]["text"], "ping");
        let (_, decided) = log(&host, &answered);
        let last = decided.last().unwrap();
        assert_eq!(
            (&last["protocol"], &last["version"]),
            (&json!("mcp"), &json!("2026-07-28"))
        );
        assert_eq!(
            last["requested"],
            peer.asked()[0].header("mcp-protocol-version").unwrap()
        );
        assert_eq!(last["peerDigest"], digest(&peer.url).as_str());
    }
}

#[test]
fn floor_nothing_below_it_is_agreed_or_sent() {
    for posture in ["a", "c"] {
        let host = start(posture);
        let peer = Peer::a2a(&["0.3"]);
        let body = json!({ "peerUrl": peer.url, "authenticated": true, "peerOffersOnly": "0.3" });
        let answered = invoke(&host, "a2a", &body);
        refused(&host, &answered, "a2a", "below-floor");
        assert!(peer.asked().iter().all(|asked| asked.method == "GET"));

        let peer = Peer::mcp(&["2025-06-18"]);
        let body = json!({ "serverUrl": peer.url, "requestVersion": "2025-06-18" });
        let answered = invoke(&host, "mcp", &body);
        refused(&host, &answered, "mcp", "below-floor");
        assert_eq!(peer.asked().len(), 0, "nobody is contacted");
    }
}

fn refused(host: &Host, answered: &Answered, protocol: &str, reason: &str) {
    assert_eq!(answered.status, 400, "{}", answered.text);
    assert_eq!(answered.json["error"], "interop_version_unsupported");
    let details = &answered.json["details"];
    assert_eq!(
        (&details["protocol"], &details["reason"]),
        (&json!(protocol), &json!(reason))
    );
    assert_eq!(details["retriable"], false);
    let (_, decided) = log(host, answered);
    let last = decided.last().unwrap();
    assert_eq!(
        (&last["outcome"], &last["reason"]),
        (&json!("refused"), &json!(reason))
    );
    let discovery = host.get("/.well-known/openwop", None, &[]).json;
    let floor = match protocol {
        "a2a" => &discovery["a2a"]["minimumVersion"],
        _ => &discovery["mcp"]["minimumRevision"],
    };
    assert_eq!(&last["floor"], floor);
    assert!(last.get("version").is_none());
}

#[test]
fn authentication_decides_in_posture_b_and_only_there() {
    let host = start("b");
    // The peer offers exactly the floor, below preferred: authenticated it is a downgrade on record.
    let peer = Peer::a2a(&["0.3"]);
    let asking =
        |authenticated: bool| json!({ "peerUrl": peer.url, "authenticated": authenticated });
    let answered = invoke(&host, "a2a", &asking(true));
    assert_eq!(
        (answered.status, &answered.json["negotiatedVersion"]),
        (200, &json!("0.3"))
    );
    let (_, decided) = log(&host, &answered);
    assert_eq!(
        (&decided[0]["requested"], &decided[0]["version"]),
        (&json!("1.0"), &json!("0.3"))
    );
    let calls = |peer: &Peer| {
        peer.asked()
            .iter()
            .filter(|asked| asked.method == "POST")
            .count()
    };
    assert_eq!(calls(&peer), 1);
    assert_eq!(peer.asked().last().unwrap().json["method"], "message/send");
    let answered = invoke(&host, "a2a", &asking(false));
    refused(&host, &answered, "a2a", "unauthenticated");
    assert_eq!(calls(&peer), 1, "the peer is not called again");

    let peer = Peer::mcp(&["2025-06-18"]);
    let asking =
        |authenticated: bool| json!({ "serverUrl": peer.url, "authenticated": authenticated });
    let answered = invoke(&host, "mcp", &asking(false));
    refused(&host, &answered, "mcp", "unauthenticated");
    assert_eq!(peer.asked().len(), 1, "discovery alone");
    let answered = invoke(&host, "mcp", &asking(true));
    assert_eq!(
        (answered.status, &answered.json["negotiatedVersion"]),
        (200, &json!("2025-06-18"))
    );
    let methods: Vec<_> = peer
        .asked()
        .iter()
        .skip(2)
        .map(|asked| asked.json["method"].clone())
        .collect();
    assert_eq!(
        methods,
        ["initialize", "notifications/initialized", "tools/call"]
    );
}

#[test]
fn rounds_stop_exactly_at_the_ceiling() {
    let host = start("a");
    for (rounds, status) in [(1, 200), (4, 200), (5, 422)] {
        let peer = Peer::mcp(BOTH_MCP);
        let body = json!({
            "serverUrl": peer.url, "tool": "loop", "arguments": { "rounds": rounds },
            "clientCapabilities": { "elicitation": {} }, "elicitationAnswer": { "name": "Ada" },
        });
        let answered = invoke(&host, "mcp", &body);
        assert_eq!(answered.status, status, "{rounds}: {}", answered.text);
        let calls = peer
            .asked()
            .iter()
            .filter(|asked| asked.json["method"] == "tools/call")
            .count();
        assert_eq!(calls, if rounds > 4 { 5 } else { rounds + 1 });
        if status == 200 {
            assert_eq!(answered.json["mrtr"]["rounds"], rounds);
            assert_eq!(answered.json["result"]["round"], rounds);
        } else {
            assert_eq!(answered.json["error"], "mcp_mrtr_rounds_exceeded");
            assert_eq!(answered.json["details"]["rounds"], 5);
            assert_eq!(answered.json["details"]["maxRounds"], 4);
        }
        log(&host, &answered);
    }
}

#[test]
fn a_peer_that_refuses_after_all_leaves_a_second_record() {
    let host = start("a");
    let peer = Peer::start(|asked, base| {
        if asked.method == "GET" {
            let url = format!("{base}/a2a/jsonrpc");
            let card = json!({ "supportedInterfaces": [
                { "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }] });
            return (200, vec![], card.to_string());
        }
        let error = json!({ "code": -32009, "message": "no" });
        (
            400,
            vec![],
            json!({ "jsonrpc": "2.0", "id": 1, "error": error }).to_string(),
        )
    });
    let answered = invoke(&host, "a2a", &json!({ "peerUrl": peer.url }));
    assert_eq!(answered.status, 400);
    let (_, decided) = log(&host, &answered);
    let outcomes: Vec<_> = decided.iter().map(|payload| &payload["outcome"]).collect();
    assert_eq!(outcomes, ["accepted", "refused"]);
    assert_eq!(decided[1]["reason"], "unsupported");
}

#[test]
fn peers_that_cannot_be_used_are_refused_on_record() {
    let host = start("a");
    let elsewhere = Peer::a2a(BOTH_A2A);
    let other = elsewhere.url.clone();
    let interface = move |_: &peer::Asked, _: &str| {
        let url = format!("{other}/a2a/jsonrpc");
        let card = json!({ "supportedInterfaces": [
            { "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }] });
        (200, vec![], card.to_string())
    };
    let peer = Peer::start(interface);
    let answered = invoke(&host, "a2a", &json!({ "peerUrl": peer.url }));
    assert_eq!(
        (answered.status, &answered.json["error"]),
        (400, &json!("validation_error"))
    );
    assert_eq!(
        elsewhere.asked().len(),
        0,
        "the record names another origin"
    );

    for url in ["http://127.0.0.1:1", "http://127.0.0.1:1/mcp"] {
        for (protocol, member) in [("a2a", "peerUrl"), ("mcp", "serverUrl")] {
            let answered = invoke(&host, protocol, &json!({ member: url }));
            refused(&host, &answered, protocol, "unsupported");
        }
    }
    let answered = invoke(&host, "a2a", &json!({ "peerUrl": "file:///etc/passwd" }));
    assert_eq!(
        (answered.status, &answered.json["error"]),
        (400, &json!("validation_error"))
    );
}

#[test]
fn without_the_flag_there_are_no_seams() {
    let host = Host::start_with("a", &[], &[("NEGOTIATOR_SEAMS", "false")]);
    let answered = invoke(&host, "a2a", &json!({ "peerUrl": "http://127.0.0.1:1" }));
    assert_eq!(answered.status, 404);
    let document = host.get("/.well-known/openwop", None, &[]).json;
    assert!(document.get("conformance").is_none());
}
