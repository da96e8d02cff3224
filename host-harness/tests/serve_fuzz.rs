//! Requests with bytes changed at random: the host answers or hangs up, never with a failure of its
//! own, and never not at all.

use std::io::{Read as _, Write as _};
use std::net::Shutdown;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

#[path = "support/host.rs"]
mod host;

use host::Host;

const HEADERS: &str = "Host: x\r\nAuthorization: Bearer posture-test-token\r\n\
                       Content-Type: application/json\r\n";

/// One of each kind that the host knows.
fn requests() -> Vec<Vec<u8>> {
    let post = |path: &str, headers: &str, body: &str| {
        let length = body.len();
        format!("POST {path} HTTP/1.1\r\n{HEADERS}{headers}Content-Length: {length}\r\n\r\n{body}")
    };
    let get = |path: &str, headers: &str| format!("GET {path} HTTP/1.1\r\n{HEADERS}{headers}\r\n");
    let meta = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#;
    let all = [
        get("/.well-known/openwop", ""),
        get("/.well-known/agent-card.json?A2A-Version=1.0", ""),
        get("/.well-known/agent-card.json", "A2A-Version: 0.3\r\n"),
        get("/runs/acme%2Frun-1/events/poll?timeout=0&after=-1", ""),
        get("/mcp", "Mcp-Session-Id: none\r\n"),
        post(
            "/a2a/jsonrpc",
            "A2A-Version: 1.0\r\n",
            r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{}}}"#,
        ),
        post(
            "/mcp",
            "",
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}"#,
        ),
        post(
            "/mcp",
            "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n",
            &format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{meta}}}"#),
        ),
        // To itself, where nobody listens: an outbound call that fails.
        post(
            "/conformance/seams/sample/a2a/invoke",
            "",
            r#"{"peerUrl":"http://127.0.0.1:1/","requestVersion":"1.0"}"#,
        ),
    ];
    all.map(String::into_bytes).to_vec()
}

#[derive(Clone, Debug)]
enum Edit {
    Put(Index, u8),
    Insert(Index, Vec<u8>),
    Cut(Index, usize),
    Repeat(Index, usize, usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let words: Vec<Vec<u8>> = [
        "\r\n",
        "\0",
        "\u{ff}",
        "{",
        "}",
        "[",
        "\"",
        "\\ud800",
        "%00",
        "%",
        "..",
        "//",
        "1e400",
        "null",
        "Transfer-Encoding: chunked\r\n",
        "Content-Length: 0\r\n",
        "Expect: 100-continue\r\n",
        "Upgrade: h2c\r\n",
        "A2A-Version: 0.3\r\n",
        "HTTP/9.9",
        "Last-Event-ID: x\r\n",
    ]
    .map(|word| word.as_bytes().to_vec())
    .to_vec();
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Edit::Put(at, byte)),
        (any::<Index>(), select(words)).prop_map(|(at, word)| Edit::Insert(at, word)),
        (any::<Index>(), 1..40_usize).prop_map(|(at, count)| Edit::Cut(at, count)),
        (any::<Index>(), 1..60_usize, 1..2_000_usize)
            .prop_map(|(at, length, times)| Edit::Repeat(at, length, times)),
    ]
}

fn apply(request: &mut Vec<u8>, edit: &Edit) {
    match edit {
        Edit::Put(at, byte) if !request.is_empty() => {
            let at = at.index(request.len());
            request.splice(at..=at, [*byte]);
        }
        Edit::Insert(at, word) => {
            let at = at.index(request.len().saturating_add(1));
            request.splice(at..at, word.iter().copied());
        }
        Edit::Cut(at, count) if !request.is_empty() => {
            let at = at.index(request.len());
            request.drain(at..at.saturating_add(*count).min(request.len()));
        }
        Edit::Repeat(at, length, times) if !request.is_empty() => {
            let at = at.index(request.len());
            let end = at.saturating_add(*length).min(request.len());
            let part = request.get(at..end).unwrap_or_default().repeat(*times);
            request.splice(at..at, part);
        }
        _ => {}
    }
}

#[test]
fn whatever_is_sent_is_answered_or_hung_up_on_and_never_fails_the_host() {
    let limits = [("NEGOTIATOR_LIMITS__REQUEST_SECONDS", "2")];
    let host = Host::start_with("b", &[], &limits);
    let config = Config {
        cases: 5_000,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let strategy = (select(requests()), vec(edit(), 0..6));
    TestRunner::new_with_rng(config, rng)
        .run(&strategy, |(mut request, edits)| {
            for edit in &edits {
                apply(&mut request, edit);
            }
            let mut stream = host.connect();
            // A host that has heard enough may hang up before everything is sent.
            let _ = stream.write_all(&request);
            let _ = stream.shutdown(Shutdown::Write);
            let mut told = Vec::new();
            if let Err(error) = stream.read_to_end(&mut told) {
                let hung_up = error.kind() == std::io::ErrorKind::ConnectionReset;
                prop_assert!(hung_up, "it does not end: {error}");
            }
            let told = String::from_utf8_lossy(&told);
            let status = told.split(' ').nth(1).unwrap_or_default().to_owned();
            // 502: the peer of an outbound call cannot be reached.
            prop_assert!(
                !status.starts_with('5') || status == "502" && told.contains("interop"),
                "{told}"
            );
            Ok(())
        })
        .unwrap();
    assert_eq!(host.admin("/healthz").status, 204);
    assert_eq!(host.admin("/readyz").status, 204);
    host.verify();
    assert!(host.metrics().contains("negotiator_unrecorded_total 0"));
}
