//! The console, as a browser asks for it: what it shows is what decides, and nobody but its own page
//! may ask it to do something.
#![cfg(unix)]
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

#[path = "support/host.rs"]
mod host;
#[path = "support/store.rs"]
mod store;

use host::{Answered, Host};
use store::{EXACT, HIGHEST, ROOT, Store, digest, told};

const TOKEN: &str = "posture-test-token";
const CONSOLE: (&str, &str) = ("NEGOTIATOR_CONSOLE", "true");

fn start(store: &Store) -> Host {
    let place = store.0.to_str().unwrap();
    Host::start_with("b", &[], &[CONSOLE, ("NEGOTIATOR_POLICIES", place)])
}

fn install(store: &Store, policy: &str, more: &[&str]) {
    let output = store.run(&[&["policy", "install", policy], more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
}

/// Asks as the console's own page does.
fn post(host: &Host, path: &str, body: &Value) -> Answered {
    let origin = host.admin_url();
    host.admin_post(path, &[("Origin", origin.as_str())], body)
}

fn generation(host: &Host) -> Value {
    host.admin("/console/policies").json["told"]["current"]["generation"].clone()
}

#[test]
fn without_the_setting_there_is_no_console() {
    let host = Host::start("a", &[]);
    for path in ["/console", "/console/policies", "/console/records"] {
        assert_eq!(host.admin(path).status, 404);
    }
}

#[test]
fn the_console_shows_the_policy_inside_and_cannot_change_it() {
    let host = Host::start_with("b", &[], &[CONSOLE]);
    // For operators only.
    assert_eq!(host.get("/console", Some(TOKEN), &[]).status, 404);
    let page = host.admin("/console");
    assert_eq!(page.status, 200);
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    for path in ["/console/console.js", "/console/console.css"] {
        assert_eq!(host.admin(path).status, 200);
        assert!(page.text.contains(path));
    }
    let policies = host.admin("/console/policies").json;
    assert_eq!(policies, json!({ "inside": true }));
    let rollback = post(&host, "/console/rollback", &json!({ "generation": 0 }));
    assert_eq!(rollback.status, 409);

    // Whatever it says is decided is what callers get.
    let matrix = host.admin("/console/matrix").json;
    let tables = matrix["tables"].as_array().unwrap();
    assert_eq!(tables.len(), 2);
    let a2a = tables.iter().find(|table| table["protocol"] == "a2a");
    let (mut accepted, mut refused) = (0, 0);
    for row in a2a.unwrap()["rows"].as_array().unwrap() {
        let body =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": { "id": "t" } });
        let named = row["named"].as_str().map(|named| ("A2A-Version", named));
        let named: Vec<_> = named.into_iter().collect();
        let before = host.journal().len();
        host.post("/a2a/jsonrpc", Some(TOKEN), &named, &body);
        let payload = &host.journal()[before].1["payload"];
        let shown = &row["authenticated"];
        assert_eq!(shown["outcome"], payload["outcome"], "{row}");
        assert_eq!(shown["reason"], payload["reason"], "{row}");
        assert_eq!(shown["version"], payload["version"], "{row}");
        if shown["outcome"] == "accepted" {
            accepted += 1;
        } else {
            refused += 1;
        }
    }
    assert!(accepted > 0 && refused > 0, "{accepted}, {refused}");
    // To look is no exchange.
    let before = host.journal().len();
    host.admin("/console/matrix");
    assert_eq!(host.journal().len(), before);
}

#[test]
fn no_other_page_reaches_through_the_browser_of_an_operator() {
    let store = Store::new("console-guard");
    install(&store, EXACT, &[]);
    install(&store, HIGHEST, &["--allow-loosening"]);
    let host = start(&store);
    let seen = generation(&host);
    let body = json!({ "generation": seen });
    let elsewhere = "http://127.0.0.1:1".to_owned();
    let null = "null".to_owned();
    for origin in [None, Some(&elsewhere), Some(&null)] {
        let headers: Vec<_> = origin
            .map(|origin| ("Origin", origin.as_str()))
            .into_iter()
            .collect();
        for path in ["/console/rollback", "/console/candidate"] {
            assert_eq!(host.admin_post(path, &headers, &body).status, 403);
        }
    }
    // A name that is made to point here.
    for path in ["/console", "/console/policies", "/console/records"] {
        assert_eq!(host.admin_named("rebound.example", path).status, 421);
    }
    assert_eq!(generation(&host), seen);
    // And the page itself does.
    assert_eq!(post(&host, "/console/rollback", &body).status, 200);
    assert_ne!(generation(&host), seen);
}

#[test]
fn operators_go_back_from_what_they_saw_and_from_nothing_else() {
    let store = Store::new("console-rollback");
    let host = start(&store);
    let matrix = host.admin("/console/matrix").json;
    assert!(!matrix.to_string().contains("accepted"), "{matrix}");
    assert!(matrix.to_string().contains("policy-failed"), "{matrix}");
    let back = |from: u64| post(&host, "/console/rollback", &json!({ "generation": from })).status;
    assert_eq!(back(0), 409, "there is nothing to go back to");

    install(&store, EXACT, &[]);
    install(&store, HIGHEST, &["--allow-loosening"]);
    let policies = host.admin("/console/policies").json;
    assert_eq!(policies["told"]["current"]["policy"], digest(HIGHEST));
    assert_eq!(policies["history"][0]["policy"], digest(EXACT));
    assert_eq!(host.admin("/console/matrix").json["generation"], 2);
    assert_eq!(back(1), 409, "it is no longer in force");
    assert_eq!(back(2), 200);
    assert_eq!(store.in_force(), (3, digest(EXACT)));
    assert_eq!(back(2), 409, "asked for twice is done once");
    for body in [json!(null), json!({}), json!({ "generation": "3" })] {
        assert_eq!(post(&host, "/console/rollback", &body).status, 400);
    }
    assert_eq!(store.in_force().0, 3);
}

#[test]
fn a_candidate_is_compared_and_not_put_in_force() {
    let store = Store::new("console-candidate");
    install(&store, EXACT, &[]);
    let host = start(&store);
    let bytes = fs::read(Path::new(ROOT).join(HIGHEST)).unwrap();
    let candidate = json!({ "policy": BASE64_STANDARD.encode(&bytes) });
    let answered = post(&host, "/console/candidate", &candidate);
    assert_eq!(answered.status, 200, "{}", answered.text);
    let report = &answered.json["report"];
    assert_eq!(report["artifact"], digest(HIGHEST));
    assert!(report["changes"]["loosened"].as_u64().unwrap() > 0);

    // Nobody vouches for this one.
    let mut other = bytes;
    other.extend([0, 1, 0]);
    let other = json!({ "policy": BASE64_STANDARD.encode(&other) });
    let answered = post(&host, "/console/candidate", &other);
    assert_eq!(answered.status, 422, "{}", answered.text);
    for body in [json!({}), json!({ "policy": "?" })] {
        assert_eq!(post(&host, "/console/candidate", &body).status, 400);
    }
    assert_eq!(store.in_force(), (1, digest(EXACT)));
    assert_eq!(generation(&host), 1);
}

#[test]
fn records_of_everybody_are_shown_as_they_are_made() {
    let host = Host::start_with("a", &[("another-tenants-token", "other", None)], &[CONSOLE]);
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": { "id": "t" } });
    let ask = |token| host.post("/a2a/jsonrpc", token, &[("A2A-Version", "1.0")], &call);
    ask(Some(TOKEN));
    let first = host.admin_subscribe("/console/records", None);
    let before = first.take(1);
    ask(Some("another-tenants-token"));
    ask(None);
    let events = first.take(2);
    let written: Vec<Value> = host.journal().into_iter().map(|(_, event)| event).collect();
    assert_eq!([before, events].concat(), written);
    let seen = written[1]["eventId"].as_str().unwrap();
    let second = host.admin_subscribe("/console/records", Some(seen));
    assert_eq!(second.take(1), written[2..]);
}
