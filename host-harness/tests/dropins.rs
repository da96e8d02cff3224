//! The raw requests that every drop-in answers, put to the host in front of a server: the same
//! status, the same refusal, the same record, and the same let through (`adapters/http-cases.jsonl`).
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test"
)]

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

#[path = "support/host.rs"]
mod host;
#[path = "support/peer.rs"]
mod peer;

use host::{Answered, Host};
use peer::{Asked, Peer};

const TOKEN: &str = "one-token";
const SESSION: &str = "s-1";

/// What differs by design; `adapters/README.md` says why.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "an unknown session",
        "the host keeps the sessions and says 404 itself, before any negotiation",
    ),
    (
        "a session below the floor",
        "the host has no session that it would not agree to",
    ),
];

#[test]
fn the_host_answers_and_records_what_the_drop_ins_do() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/adapters/http-cases.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let cases = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let is_elsewhere = |case: &Value| ELSEWHERE.iter().any(|(title, _)| case["title"] == **title);
    let (elsewhere, cases): (Vec<Value>, Vec<Value>) = cases.partition(is_elsewhere);
    assert_eq!(elsewhere.len(), ELSEWHERE.len());
    let mut tried = 0;
    for strict in [false, true] {
        let behind = Peer::start(answer);
        let host = start(&cases[0]["facets"], strict, &behind);
        let mut expected = Vec::new();
        for case in &cases {
            if case["requireCredential"].as_bool().unwrap_or(false) == strict {
                try_case(&host, &behind, case, &mut expected);
                tried += 1;
            }
        }
        let found: Vec<String> = host
            .journal()
            .into_iter()
            .map(|(_, event)| timeless(&event["payload"].to_string()))
            .collect();
        assert_eq!(found, expected);
        host.verify();
    }
    assert_eq!(tried + elsewhere.len(), text.lines().count());
}

/// The server behind: it agrees to whatever it is asked, and knows one session.
fn answer(asked: &Asked, _: &str) -> peer::Reply {
    let mut headers = Vec::new();
    let mut result = json!({});
    if asked.json["method"] == "initialize" {
        headers.push(("Mcp-Session-Id".to_owned(), SESSION.to_owned()));
        result = json!({ "protocolVersion": asked.json["params"]["protocolVersion"] });
    }
    let answer = json!({ "jsonrpc": "2.0", "id": asked.json["id"], "result": result });
    (200, headers, answer.to_string())
}

fn start(facets: &Value, strict: bool, behind: &Peer) -> Host {
    let digest: String = Sha256::digest(TOKEN)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let (a2a, mcp) = (&facets["a2a"], &facets["mcp"]);
    let text = format!(
        r#"
name = "drop-ins"
require_credential = {strict}
[a2a]
versions = {}
preferred = {}
minimum = {}
refreshed_at = "2026-11-01"
[mcp]
revisions = {}
preferred = {}
minimum = {}
refreshed_at = "2026-11-01"
[[credentials]]
token_sha256 = "{digest}"
tenant = "acme"
workspace = "ws-1"
"#,
        a2a["versions"],
        a2a["preferredVersion"],
        a2a["minimumVersion"],
        mcp["revisions"],
        mcp["preferredVersion"],
        mcp["minimumRevision"],
    );
    Host::start_text(&text, &[("NEGOTIATOR_UPSTREAM", &behind.url)])
}

fn try_case(host: &Host, behind: &Peer, case: &Value, expected: &mut Vec<String>) {
    if let Some(version) = case["session"].as_str() {
        let opened = open(host, version);
        assert_eq!(opened.header("mcp-session-id"), Some(SESSION));
        expected.push(timeless(&accepted_initialize(case, version)));
    }
    let before = behind.asked().len();
    let fails = case["sinkFails"] == true;
    let answered = match fails {
        true => without_journal(host, || send(host, case)),
        false => send(host, case),
    };
    let id = format!("{} {}", case["id"], case["title"]);
    assert_eq!(answered.status, case["status"], "{id}: {}", answered.text);
    for (name, value) in case["headers"].as_object().unwrap() {
        assert_eq!(answered.header(name), value.as_str(), "{id}: {name}");
    }
    if let Some(body) = case["body"].as_str() {
        assert_eq!(answered.text, body, "{id}");
    }
    let asked = behind.asked();
    let forwarded = &case["forwarded"];
    match &asked[before..] {
        [] => assert_eq!(forwarded, &Value::Null, "{id}: it was not let through"),
        [asked] => let_through(case, asked, &id),
        more => assert_eq!(more.len(), 1, "{id}"),
    }
    if let (Some(record), false) = (case["record"].as_str(), fails) {
        expected.push(timeless(record));
    }
}

/// What the server behind saw is what an app behind a drop-in must see.
fn let_through(case: &Value, asked: &Asked, id: &str) {
    let (request, forwarded) = (&case["request"], &case["forwarded"]);
    assert_ne!(forwarded, &Value::Null, "{id}: it was let through");
    let header = match case["protocol"].as_str().unwrap() {
        "a2a" => "a2a-version",
        _ => "mcp-protocol-version",
    };
    let versions: Vec<&str> = asked
        .headers
        .iter()
        .filter(|(name, _)| name == header)
        .map(|(_, value)| value.as_str())
        .collect();
    let expected: Vec<&str> = forwarded["version"].as_str().into_iter().collect();
    assert_eq!(versions, expected, "{id}");
    let body = forwarded.get("body").or_else(|| request.get("body"));
    assert_eq!(
        asked.text,
        body.and_then(Value::as_str).unwrap_or_default(),
        "{id}"
    );
}

fn open(host: &Host, version: &str) -> Answered {
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": version, "capabilities": {} },
    });
    host.post("/mcp", Some(TOKEN), &[], &body)
}

fn accepted_initialize(case: &Value, version: &str) -> String {
    let floor = case["facets"]["mcp"]["minimumRevision"].as_str().unwrap();
    format!(
        r#"{{"protocol":"mcp","outcome":"accepted","requested":"{version}","version":"{version}","floor":"{floor}","reason":"ok","at":""}}"#
    )
}

fn send(host: &Host, case: &Value) -> Answered {
    let request = &case["request"];
    let path = request["target"].as_str().unwrap();
    // The host has one path for A2A.
    let path = path.replacen("/rpc", "/a2a/jsonrpc", 1);
    let headers: Vec<(&str, &str)> = request["headers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| (pair[0].as_str().unwrap(), pair[1].as_str().unwrap()))
        .collect();
    let body = match request["bodyBase64"].as_str() {
        Some(text) => BASE64_STANDARD.decode(text).unwrap(),
        None => request["body"].as_str().unwrap_or_default().into(),
    };
    let token = (case["authenticated"] == true).then_some(TOKEN);
    host.request(
        request["method"].as_str().unwrap(),
        &path,
        token,
        &headers,
        body,
    )
}

/// While the journal takes nothing.
fn without_journal(host: &Host, then: impl FnOnce() -> Answered) -> Answered {
    let other = rusqlite::Connection::open(host.database()).unwrap();
    let refuse =
        "CREATE TRIGGER full BEFORE INSERT ON records BEGIN SELECT raise(ABORT, 'full'); END";
    other.execute_batch(refuse).unwrap();
    let answered = then();
    other.execute_batch("DROP TRIGGER full").unwrap();
    answered
}

/// A record but for the instant, in the order of its members.
fn timeless(record: &str) -> String {
    let at = record.rfind(r#""at":""#).unwrap();
    record[..at].to_owned()
}
