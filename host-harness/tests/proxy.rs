//! In front of a server that knows nothing of negotiation.
#![expect(clippy::indexing_slicing, reason = "a test")]

use serde_json::json;

#[path = "support/host.rs"]
mod host;
#[path = "support/peer.rs"]
mod peer;

use host::{Host, MCP};
use peer::Peer;

const TOKEN: &str = "posture-test-token";

fn upstream() -> Peer {
    Peer::start(|asked, _| {
        let more = vec![("X-Upstream".to_owned(), "yes".to_owned())];
        let result = |result: serde_json::Value| {
            json!({ "jsonrpc": "2.0", "id": asked.json["id"], "result": result }).to_string()
        };
        match (asked.method.as_str(), asked.json["method"].as_str()) {
            ("GET", _) if asked.path.ends_with("agent-card.json") => {
                let card = json!({
                    "name": "the server behind", "skills": [{ "id": "s" }], "signatures": [{}],
                    "supportedInterfaces": [{ "url": "http://hidden", "protocolBinding": "GRPC" }],
                });
                (200, more, card.to_string())
            }
            (_, Some("initialize")) => {
                let version = asked.json["params"]["protocolVersion"].clone();
                let more = vec![("Mcp-Session-Id".to_owned(), "upstream-session".to_owned())];
                (
                    200,
                    more,
                    result(json!({ "protocolVersion": version, "capabilities": {} })),
                )
            }
            (_, Some("stream")) => {
                let more = vec![("Content-Type".to_owned(), "text/event-stream".to_owned())];
                (200, more, format!("data: {}\n\n", result(json!({}))))
            }
            _ => (200, more, result(json!({ "from": "upstream" }))),
        }
    })
}

#[test]
fn what_is_accepted_goes_on_unchanged_and_the_rest_stays_here() {
    let behind = upstream();
    let host = Host::start_with("b", &[], &[("NEGOTIATOR_UPSTREAM", &behind.url)]);
    // Odd spacing and order: not a byte may change.
    let text = format!(
        r#"{{ "id":1,  "params":{{"b":1,"a":2,"_meta":{{"{MCP}":"2026-07-28"}}}}, "method":"tools/list","jsonrpc":"2.0" }}"#
    );
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/list"),
        ("X-Own", "kept"),
        ("TE", "trailers"),
    ];
    let answered = host.request("POST", "/mcp?x=1", Some(TOKEN), &headers, &text);
    assert_eq!(answered.json["result"]["from"], "upstream");
    assert_eq!(answered.header("x-upstream"), Some("yes"));
    assert_eq!(answered.header("mcp-protocol-version"), Some("2026-07-28"));
    let asked = &behind.asked()[0];
    assert_eq!(
        (asked.text.as_str(), asked.path.as_str()),
        (text.as_str(), "/mcp?x=1")
    );
    assert_eq!(
        (asked.header("x-own"), asked.header("te")),
        (Some("kept"), None)
    );

    let low = [
        ("MCP-Protocol-Version", "2024-11-05"),
        ("Mcp-Method", "tools/list"),
    ];
    assert_eq!(
        host.request("POST", "/mcp", Some(TOKEN), &low, &text)
            .status,
        400
    );
    assert_eq!(
        host.request("POST", "/mcp", None, &headers, &text).status,
        401
    );
    assert_eq!(behind.asked().len(), 1);
    assert_eq!(host.journal().len(), 3);
}

#[test]
fn a_server_behind_is_told_the_version_that_is_on_record() {
    let behind = upstream();
    let host = Host::start_with("b", &[], &[("NEGOTIATOR_UPSTREAM", &behind.url)]);
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {} });
    // Nothing named: preferred, not what a server would assume.
    host.post("/a2a/jsonrpc", Some(TOKEN), &[], &body);
    assert_eq!(behind.asked()[0].header("a2a-version"), Some("1.0"));
    // Nobody can have the name cut off on the way.
    let cut = [("A2A-Version", "1.0"), ("Connection", "A2A-Version")];
    host.post("/a2a/jsonrpc", Some(TOKEN), &cut, &body);
    assert_eq!(behind.asked()[1].header("a2a-version"), Some("1.0"));

    // A counter-offer is what the server hears, and the session is known here.
    let initialize = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2026-07-28", "capabilities": {} },
    });
    let opened = host.post("/mcp", Some(TOKEN), &[], &initialize);
    assert_eq!(opened.json["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(
        behind.asked()[2].json["params"]["protocolVersion"],
        "2025-06-18"
    );
    let session = [("Mcp-Session-Id", "upstream-session")];
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
    assert_eq!(host.post("/mcp", Some(TOKEN), &session, &list).status, 200);
    let stream = json!({ "jsonrpc": "2.0", "id": 3, "method": "stream" });
    let streamed = host.post("/mcp", Some(TOKEN), &session, &stream);
    assert_eq!(streamed.header("content-type"), Some("text/event-stream"));
    assert!(streamed.text.starts_with("data: "), "{}", streamed.text);
}

#[test]
fn the_card_is_the_servers_own_with_the_interfaces_of_this_host() {
    let behind = upstream();
    let host = Host::start_with("b", &[], &[("NEGOTIATOR_UPSTREAM", &behind.url)]);
    let card = host.get("/.well-known/agent-card.json", None, &[]).json;
    assert_eq!(
        (&card["name"], &card["skills"][0]["id"]),
        (&json!("the server behind"), &json!("s"))
    );
    assert!(card.get("signatures").is_none());
    let interfaces = card["supportedInterfaces"].as_array().unwrap();
    assert_eq!(interfaces.len(), 2);
    assert_eq!(
        interfaces[0]["url"],
        format!("{}/a2a/jsonrpc", host.url()).as_str()
    );
}

#[test]
fn a_server_behind_that_is_gone_is_a_bad_gateway() {
    let host = Host::start_with("a", &[], &[("NEGOTIATOR_UPSTREAM", "http://127.0.0.1:1")]);
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {} });
    let answered = host.post(
        "/a2a/jsonrpc",
        Some(TOKEN),
        &[("A2A-Version", "1.0")],
        &body,
    );
    assert_eq!(
        (answered.status, &answered.json["error"]["code"]),
        (502, &json!(-32603))
    );
    assert_eq!(host.journal().len(), 1);
}
