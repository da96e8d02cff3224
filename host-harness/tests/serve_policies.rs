//! The policy of a host that serves, changed while callers call.
#![expect(clippy::indexing_slicing, reason = "a test")]

use std::process::Command;

use serde_json::{Value, json};

#[path = "support/host.rs"]
mod host;
#[path = "support/store.rs"]
mod store;

use host::Host;
use store::{EXACT, HIGHEST, Store, told};

const TOKEN: &str = "posture-test-token";

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
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": { "id": "t" } });
    let named = [("A2A-Version", "1.0")];
    let answered = host.post("/a2a/jsonrpc", Some(TOKEN), &named, &call);
    assert_eq!(answered.status, 400, "{}", answered.text);
    assert_eq!(outcomes(&host.journal(), "refused"), 1);
    let metrics = host.metrics();
    assert!(
        metrics.contains("negotiator_policy_generation 0"),
        "{metrics}"
    );
    assert!(metrics.contains(r#"cause="policy-failed""#), "{metrics}");

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
    let served = callers.join();
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
