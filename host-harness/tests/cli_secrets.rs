//! Nothing that an input holds comes out again: secrets are put wherever there is a place for
//! them, and looked for in everything that is written.
#![expect(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    reason = "a test"
)]

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::thread;

/// A mark that no part of an answer can contain by chance.
const SECRET: &str = "s3cr3t-hunter2";

/// Both outputs of a run.
fn run(arguments: &[&str], input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_negotiator"))
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = thread::spawn(move || {
        let _ = stdin.write_all(input.as_bytes());
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8(text).unwrap()
}

/// Every JSON text that results from putting the secret in place of one value or one member name
/// of `text`, or beside it.
fn planted(text: &str) -> Vec<String> {
    let mut planted = Vec::new();
    let mut rest = text;
    while let Some(found) = rest.find('"') {
        let begin = text.len() - rest.len() + found;
        let length = text.split_at(begin + 1).1.find('"').unwrap();
        let (before, string) = text.split_at(begin);
        let (_, after) = string.split_at(length + 2);
        planted.push(format!("{before}\"{SECRET}\"{after}"));
        planted.push(format!("{before}{{\"{SECRET}\":\"{SECRET}\"}}{after}"));
        planted.push(format!("{before}{SECRET}{after}"));
        rest = after;
    }
    for place in ["{", "[", "}", "]"] {
        for (position, _) in text.match_indices(place) {
            let (before, after) = text.split_at(position + 1);
            planted.push(format!("{before}\"{SECRET}\":\"{SECRET}\",{after}"));
            planted.push(format!("{before}\"{SECRET}\",{after}"));
        }
    }
    planted
}

const FACETS: &str = r#"{"a2a":{"versions":["0.3","1.0"],"preferredVersion":"1.0","minimumVersion":"0.3","refreshedAt":"2026-11-01"}}"#;
const EXCHANGES: [&str; 3] = [
    r#"{"protocol":"a2a","direction":"inbound","authenticated":true,"headers":[["A2A-Version","0.3"],["Authorization","Bearer"]],"query":"A2A-Version=0.3","httpMethod":"POST","method":"SendMessage","params":{"message":"text"}}"#,
    r#"{"protocol":"mcp","direction":"inbound","authenticated":true,"headers":[["MCP-Protocol-Version","2026-07-28"]],"session":"2025-11-25","method":"tools/list","params":{"protocolVersion":"x","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
    r#"{"protocol":"a2a","direction":"outbound","authenticated":true,"requested":"1.0","card":{"name":"n","protocolVersion":"0.3.0","supportedInterfaces":[{"url":"https://u.example","protocolVersion":"1.0"}]}}"#,
];

/// A place that a record has for what the host itself says; it comes out there, and must.
const CONTEXT: &str =
    r#""context":{"at":"2026-11-30T12:00:00Z","peerUrl":"https://user:pw@peer.example/path?q"}"#;

#[test]
fn nothing_of_an_exchange_comes_out() {
    for exchange in EXCHANGES {
        let lines: Vec<_> = planted(exchange)
            .into_iter()
            .map(|exchange| format!("{{\"exchange\":{exchange},{CONTEXT}}}"))
            .collect();
        assert!(lines.len() > 40);
        let facets = "host-harness/examples/discovery.json";
        for arguments in [
            &["settle", "--summary", "--facets", facets][..],
            &["call", "settle", "--facets", facets],
            &["call", "decide", "--facets", facets],
            &["call", "settle"],
            &["call", "configure"],
        ] {
            let output = run(arguments, &lines.join("\n"));
            assert!(output.lines().count() >= lines.len(), "{arguments:?}");
            assert!(!output.contains("hunter2"), "{arguments:?}: {output}");
        }
    }
}

#[test]
fn nothing_of_the_peer_url_comes_out() {
    let url = format!("https://{SECRET}:{SECRET}@{SECRET}.example/{SECRET}?{SECRET}#{SECRET}");
    let exchange = EXCHANGES.first().unwrap();
    let line = format!(
        r#"{{"facets":{FACETS},"exchange":{exchange},"context":{{"at":"2026-11-30T12:00:00Z","peerUrl":"{url}"}}}}"#
    );
    let output = run(&["settle"], &line);
    assert!(
        output.contains("peerDigest") && !output.contains("hunter2"),
        "{output}"
    );
    let output = run(&["digest", &url], "");
    assert!(
        output.contains("peerDigest") && !output.contains("hunter2"),
        "{output}"
    );
    let output = run(&["digest", SECRET], "");
    assert!(
        output.contains("null") && !output.contains("hunter2"),
        "{output}"
    );
}

#[test]
fn nothing_of_a_capture_but_its_id_comes_out() {
    let exchange = EXCHANGES.first().unwrap();
    let capture = format!(
        r#"{{"id":"label","source":"source","request":{{"facets":{FACETS},"exchange":{exchange},{CONTEXT}}},"note":"note"}}"#
    );
    // The id is a label, and the one thing that is given back.
    let mut lines = planted(&capture);
    lines.retain(|line| !line.contains(&format!(r#""id":"{SECRET}""#)));
    let output = run(&["settle"], &lines.join("\n"));
    assert!(output.lines().count() >= lines.len());
    assert!(!output.contains("hunter2"), "{output}");
    for id in [
        format!("\"{SECRET} with a space\""),
        format!("[\"{SECRET}\"]"),
    ] {
        let output = run(&["settle"], &format!(r#"{{"id":{id},"request":{{}}}}"#));
        assert!(
            output.contains(r#""path":"id""#) && !output.contains("hunter2"),
            "{output}"
        );
    }
}

#[test]
fn nothing_of_facets_comes_out() {
    let exchanges = "host-harness/examples/exchanges.jsonl";
    let all = planted(FACETS);
    assert!(all.len() > 30);
    // All of them as requests, which is quick; some as files.
    for facets in all.iter().step_by(4) {
        let output = run(&["settle", "--facets", "-", exchanges], facets);
        assert!(!output.contains("hunter2"), "{facets}: {output}");
    }
    let requests: Vec<_> = all
        .iter()
        .map(|facets| format!("{{\"facets\":{facets}}}"))
        .collect();
    for operation in ["configure", "facets", "settle"] {
        let output = run(&["call", operation], &requests.join("\n"));
        assert!(output.lines().count() >= requests.len());
        assert!(!output.contains("hunter2"), "{operation}: {output}");
    }
    let settings = format!(r#"{{"facets":{FACETS},"settings":"{SECRET}"}}"#);
    let output = run(&["call", "configure"], &settings);
    assert!(
        output.contains(r#""path":"settings""#) && !output.contains("hunter2"),
        "{output}"
    );
}

#[test]
fn nothing_of_a_document_comes_out() {
    let document = include_str!("../examples/discovery.json");
    let all = planted(document);
    assert!(all.len() > 200);
    // All of them as requests, which is quick; some as documents of the command.
    let requests: Vec<_> = all
        .iter()
        .map(|document| {
            let document = document.replace('\n', " ");
            format!(r#"{{"document":{document},"now":"2026-11-30T12:00:00Z"}}"#)
        })
        .collect();
    let output = run(&["call", "check"], &requests.join("\n"));
    assert!(output.lines().count() >= requests.len());
    assert!(!output.contains("hunter2"), "{output}");
    for document in all.iter().step_by(17) {
        let output = run(&["check", "-", "--now", "2026-11-30T12:00:00Z"], document);
        assert!(
            !output.is_empty() && !output.contains("hunter2"),
            "{document}: {output}"
        );
    }
}

#[test]
fn nothing_of_the_small_requests_comes_out() {
    for (operation, request) in [
        ("digest", r#"{"url":"https://peer.example"}"#),
        ("rounds", r#"{"maxRounds":"4","inputRequiredSeen":"5"}"#),
        (
            "fresh",
            r#"{"refreshedAt":"2026-09-18","now":"2026-12-17T00:00:00Z"}"#,
        ),
        ("task-state", r#"{"status":"running"}"#),
    ] {
        let lines = planted(request);
        let output = run(&["call", operation], &lines.join("\n"));
        assert!(output.lines().count() >= lines.len());
        assert!(!output.contains("hunter2"), "{operation}: {output}");
    }
}

#[test]
fn nothing_of_a_file_comes_out_that_is_no_component() {
    let path = format!("{}/cli-secret.wasm", env!("CARGO_TARGET_TMPDIR"));
    for content in [SECRET.to_owned(), format!("\0asm\u{1}\0\0\0{SECRET}")] {
        std::fs::write(&path, content).unwrap();
        for arguments in [
            &["inspect", &path][..],
            &["--component", &path, "matrix"],
            &["settle", "--facets", &path],
            &["check", &path],
        ] {
            let output = run(arguments, "");
            assert!(output.starts_with("error: "), "{arguments:?}: {output}");
            assert!(!output.contains("hunter2"), "{arguments:?}: {output}");
        }
    }
}
