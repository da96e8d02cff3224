//! The policy of a host that serves, changed while callers call.
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

#[path = "support/host.rs"]
mod host;
#[path = "support/store.rs"]
mod store;

#[path = "support/mod.rs"]
mod support;

use host::{Answered, Host};
use negotiator::Artifact;
use store::{EXACT, HIGHEST, Store, digest, told};
use support::Wat;

const TOKEN: &str = "posture-test-token";
const FATAL_TOKEN: &str = "a-token-of-the-fatal-tenant";
/// Of a length that no tenant has which the gate asks about.
const FATAL: &str = "the-one-tenant-that-it-does-not-survive";

/// `exact` and `highest` part here: a revision without handshake is asked for in one.
fn initialize(host: &Host) -> (u16, Option<String>) {
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2026-07-28", "capabilities": {} },
    });
    let answered = host.post("/mcp", Some(TOKEN), &[], &body);
    let version = &answered.json["result"]["protocolVersion"];
    (answered.status, version.as_str().map(str::to_owned))
}

fn call(host: &Host, token: &str) -> Answered {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": { "id": "t" } });
    host.post(
        "/a2a/jsonrpc",
        Some(token),
        &[("A2A-Version", "1.0")],
        &body,
    )
}

/// The policies that the metrics name.
fn info(metrics: &str) -> Vec<String> {
    let digests = metrics.lines().filter_map(|line| {
        let digest = line.strip_prefix("negotiator_policy_info{policy=\"")?;
        digest.strip_suffix("\"} 1").map(str::to_owned)
    });
    digests.collect()
}

/// Grants the first candidate; dies of one tenant, which no gate can know.
fn fatal_for_one(store: &Store) -> (String, String) {
    let length = FATAL.len();
    let judge = format!(
        "(if (i32.and (i32.load8_u offset=36 (local.get 0))
                (i32.eq (i32.load offset=44 (local.get 0)) (i32.const {length})))
           (then unreachable))
         (i32.store8 (i32.const 1024) (i32.const 0))
         (i32.store (i32.const 1028) (i32.load (i32.load offset=12 (local.get 0))))
         (i32.store (i32.const 1032) (i32.load offset=4 (i32.load offset=12 (local.get 0))))
         i32.const 1024"
    );
    let policy = Wat::obliging_policy().body("policy@2.0.0#judge", &judge);
    let policy = Artifact::from_bytes(policy.component());
    let digest = policy.digest().to_string();
    let path = store.0.join("fatal.wasm");
    fs::write(&path, policy.bytes()).unwrap();
    let trust = store.0.join("negotiator.trust.toml");
    let pin = format!("[[pin]]\nname = \"fatal\"\ndigest = \"{digest}\"\n");
    let trusted = fs::read_to_string(&trust).unwrap() + &pin;
    fs::write(&trust, trusted).unwrap();
    (path.to_str().unwrap().to_owned(), digest)
}

fn install(store: &Store, policy: &str, more: &[&str]) {
    let arguments = [&["policy", "install", policy], more].concat();
    let output = store.run(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
}

fn outcomes(journal: &[(Option<String>, Value)], outcome: &str) -> usize {
    let is = |event: &Value| event["payload"]["outcome"] == outcome;
    journal.iter().filter(|(_, event)| is(event)).count()
}

#[test]
fn policies_are_swapped_while_callers_call() {
    let store = Store::new("serve");
    let place = store.0.to_str().unwrap();
    let host = Host::start_with("b", &[], &[("NEGOTIATOR_POLICIES", place)]);

    // Without a policy nothing is agreed, and that is on record.
    let answered = call(&host, TOKEN);
    assert_eq!(answered.status, 400, "{}", answered.text);
    assert_eq!(outcomes(&host.journal(), "refused"), 1);
    let metrics = host.metrics();
    assert!(
        metrics.contains("negotiator_policy_generation 0"),
        "{metrics}"
    );
    assert!(metrics.contains(r#"cause="policy-failed""#), "{metrics}");
    assert!(info(&metrics).is_empty(), "{metrics}");

    install(&store, EXACT, &[]);
    assert_eq!(initialize(&host), (400, None));
    assert_eq!(outcomes(&host.journal(), "refused"), 2);

    let callers = host.hammer(4, 500, TOKEN);
    install(&store, HIGHEST, &["--allow-loosening"]);
    let agreed = Some("2025-06-18".to_owned());
    assert_eq!(initialize(&host), (200, agreed.clone()));
    let output = store.run(&["policy", "rollback"]);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    assert_eq!(initialize(&host), (400, None));
    let served = callers.join_served();
    assert!(served > 100, "{served}");
    let metrics = host.metrics();
    assert!(
        metrics.contains("negotiator_policy_generation 3"),
        "{metrics}"
    );
    assert!(
        metrics.contains("negotiator_policy_untrusted 0"),
        "{metrics}"
    );
    assert_eq!(info(&metrics), [digest(EXACT)]);

    // No caller was refused meanwhile, and none is without its record.
    let journal = host.journal();
    let accepted = outcomes(&journal, "accepted") + outcomes(&journal, "downgraded");
    assert_eq!((accepted, outcomes(&journal, "refused")), (served + 1, 3));
    host.verify();

    // What is in force is in force after a restart.
    let mut host = host;
    host.kill();
    host.resume();
    assert_eq!(initialize(&host), (400, None));
    assert_eq!(store.in_force().0, 3);
}

#[test]
fn a_policy_that_breaks_is_replaced_while_callers_call() {
    let store = Store::new("serve-breaks");
    let (fatal, fatal_digest) = fatal_for_one(&store);
    let place = store.0.to_str().unwrap();
    let credentials = [(FATAL_TOKEN, FATAL, None)];
    let host = Host::start_with("b", &credentials, &[("NEGOTIATOR_POLICIES", place)]);
    install(&store, EXACT, &[]);
    install(&store, &fatal, &["--allow-loosening"]);
    assert_eq!(info(&host.metrics()), [fatal_digest.as_str()]);

    // Whoever it does not die of is served throughout.
    let callers = host.hammer(4, 200, TOKEN);
    for _ in 0..5 {
        let answered = call(&host, FATAL_TOKEN);
        assert_eq!(answered.status, 400, "{}", answered.text);
    }
    // Five times were too often.
    for _ in 0..3 {
        assert_eq!(call(&host, FATAL_TOKEN).status, 200);
    }
    let served = callers.join_served();
    assert!(served > 20, "{served}");

    let output = store.run(&["policy", "status", "--json"]);
    let status: Value = serde_json::from_slice(&output.stdout).unwrap();
    let current = &status["current"];
    assert_eq!(current["generation"], 3, "{status}");
    assert_eq!(current["policy"], digest(EXACT), "{status}");
    assert_eq!(current["reason"], "error-budget", "{status}");
    let metrics = host.metrics();
    assert_eq!(info(&metrics), [digest(EXACT)]);
    let failed = r#"reason="unsupported",cause="policy-failed"} 5"#;
    assert!(metrics.contains(failed), "{metrics}");

    // Each failure is on record as a refusal, and the log says whose failure it was.
    let journal = host.journal();
    let of_fatal = |(tenant, _): &&(Option<String>, Value)| tenant.as_deref() == Some(FATAL);
    let theirs: Vec<_> = journal.iter().filter(of_fatal).cloned().collect();
    assert_eq!(
        (outcomes(&theirs, "refused"), outcomes(&theirs, "accepted")),
        (5, 3)
    );
    assert_eq!(journal.len(), served + 8);
    host.verify();
    let log = host.log();
    let failures: Vec<Value> = log
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter(|line: &Value| line["event"] == "component-failed")
        .collect();
    assert_eq!(failures.len(), 5, "{log}");
    for failure in &failures {
        assert_eq!(failure["generation"], "2");
        assert_eq!(failure["policy"], fatal_digest.as_str());
    }
    assert!(!log.contains(FATAL), "{log}");
}

#[test]
fn a_directory_that_cannot_be_used_keeps_the_host_from_starting() {
    let store = Store::new("serve-file");
    let file = store.0.join("negotiator.trust.toml");
    let output = Command::new(env!("CARGO_BIN_EXE_negotiator"))
        .args(["serve", "--listen", "127.0.0.1:0", "--journal"])
        .arg(store.0.join("journal.db"))
        .arg("--policies")
        .arg(&file)
        .arg("--config")
        .arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/examples/postures/a.toml"
        ))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    assert!(
        told(&output).contains("directory of policies"),
        "{}",
        told(&output)
    );
}
