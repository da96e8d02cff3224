//! Named properties over unbounded inputs, each on the native core, the component and, where the
//! request can be read, the model.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests may stop them"
)]

use std::sync::LazyLock;

use negotiation_model as model;
use negotiation_tests::mutate::{edited, edits, settle_request};
use negotiation_tests::{corpus, native};
use negotiator::types::Facets;
use negotiator::{Artifact, Limits, Negotiator, Operation, Runtime};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

/// Inputs for each operation.
const CASES: u32 = 100_000;

static COMPONENT: LazyLock<Negotiator> = LazyLock::new(|| {
    let runtime = Runtime::new().unwrap();
    let loaded = Negotiator::load(&runtime, &Artifact::embedded(), Limits::negotiator()).unwrap();
    let facet = negotiator::types::Facet {
        offered: vec!["1.0".into()],
        preferred: "1.0".into(),
        floor: "1.0".into(),
    };
    loaded
        .configure(
            Facets {
                a2a: Some(facet),
                mcp: None,
            },
            "",
        )
        .unwrap()
});

fn component(operation: &str, request: &str) -> Result<String, String> {
    COMPONENT
        .json(operation.parse::<Operation>().unwrap(), request)
        .expect("no trap, no limit hit")
}

fn runner(cases: u32) -> TestRunner {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
}

/// An operation always gives one well-formed answer, the same on the native core and in the
/// component, and an error never repeats the request.
fn always_one_answer(operation: &str) {
    let requests: Vec<String> = corpus::load()
        .unwrap()
        .into_iter()
        .filter(|case| case.operation == operation)
        .map(|case| case.request)
        .collect();
    assert!(!requests.is_empty(), "no corpus line for {operation}");
    let strategy = (any::<Index>(), edits());
    runner(CASES)
        .run(&strategy, |(at, edits)| {
            let request = edited(at.get::<String>(&requests), &edits);
            let native = answered(operation, &request);
            let (Ok(text) | Err(text)) = &native;
            let value: Value = serde_json::from_str(text).expect("an answer is JSON");
            prop_assert!(value.is_object());
            let is_error = value
                .get("error")
                .is_some_and(|error| error.get("code").is_some_and(Value::is_string));
            prop_assert_eq!(native.is_err(), is_error);
            prop_assert_eq!(&native, &component(operation, &request));
            Ok(())
        })
        .unwrap();
}

/// The native answer under the facets that the component has.
fn answered(operation: &str, request: &str) -> Result<String, String> {
    let posture = negotiation_core::ops::configure(
        r#"{"facets":{"a2a":{"versions":["1.0"],"preferredVersion":"1.0","minimumVersion":"1.0"}}}"#,
    );
    let (posture, _) = posture.unwrap();
    let policy = &mut negotiation_core::Highest;
    negotiation_core::ops::run(operation, request, Some(&posture), policy).unwrap()
}

macro_rules! one_answer {
    ($($name:ident: $operation:literal),+ $(,)?) => {
        $(#[test]
        fn $name() {
            always_one_answer($operation);
        })+
    };
}

one_answer! {
    settle_always_gives_one_answer: "settle",
    decide_always_gives_one_answer: "decide",
    refuse_always_gives_one_answer: "refuse",
    record_always_gives_one_answer: "record",
    digest_always_gives_one_answer: "digest",
    rounds_always_gives_one_answer: "rounds",
    fresh_always_gives_one_answer: "fresh",
    facets_always_gives_one_answer: "facets",
    check_always_gives_one_answer: "check",
    task_state_always_gives_one_answer: "task-state",
}

#[test]
fn three_way_agreement_on_whole_settlements() {
    runner(CASES)
        .run(&settle_request(), |request| {
            let text = request.to_string();
            let native = native::run("settle", &text).expect("a request that can be read");
            let modelled = model::settle(&request).expect("a request that can be read");
            prop_assert_eq!(&native, &modelled.text);
            let answer: Value = serde_json::from_str(&native).unwrap();
            prop_assert_eq!(answer.get("record").unwrap().to_string(), modelled.record);
            prop_assert_eq!(Ok(native), component("settle", &text));
            Ok(())
        })
        .unwrap();
}

/// RFC 0175 §D.1, §D.2, RFC 0242 §A: what must hold of every settlement, read from its answer alone.
#[test]
fn floor_authentication_and_record_truth() {
    let rank = |protocol: &str, text: &str| -> Vec<u64> {
        text.split(if protocol == "a2a" { '.' } else { '-' })
            .map(|part| part.parse().unwrap())
            .collect()
    };
    runner(20_000)
        .run(&settle_request(), |request| {
            let answer: Value =
                serde_json::from_str(&native::run("settle", &request.to_string()).unwrap())
                    .unwrap();
            let text = |pointer: &str| answer.pointer(pointer).and_then(Value::as_str);
            let exchange = request.get("exchange").unwrap();
            let protocol = exchange.get("protocol").and_then(Value::as_str).unwrap();
            let facet = request.pointer(&format!("/facets/{protocol}")).unwrap();
            let (list, floor) = match protocol {
                "a2a" => ("versions", "minimumVersion"),
                _ => ("revisions", "minimumRevision"),
            };
            let floor = facet.get(floor).and_then(Value::as_str).unwrap();
            let preferred = facet
                .get("preferredVersion")
                .and_then(Value::as_str)
                .unwrap();
            let authenticated = exchange.get("authenticated") == Some(&json!(true));

            prop_assert_eq!(text("/record/floor"), Some(floor));
            prop_assert_eq!(text("/record/reason"), text("/reason"));
            prop_assert_eq!(text("/record/version"), text("/version"));
            prop_assert_eq!(text("/record/requested"), text("/requested"));
            prop_assert_eq!(text("/record/outcome"), text("/outcome"));
            if !authenticated {
                prop_assert_eq!(answer.pointer("/entry/audience"), Some(&Value::Null));
                prop_assert!(answer.pointer("/entry/event/workspaceId").is_none());
            }
            match text("/version") {
                Some(version) => {
                    let at_least = |least: &str| rank(protocol, version) >= rank(protocol, least);
                    prop_assert!(at_least(floor), "floor");
                    prop_assert!(authenticated || at_least(preferred), "authentication");
                    let offered = facet.get(list).and_then(Value::as_array).unwrap();
                    prop_assert!(offered.contains(&json!(version)), "membership");
                    let below = text("/requested").is_some_and(|requested| !at_least(requested));
                    prop_assert_eq!(answer.get("downgraded"), Some(&json!(below)));
                    prop_assert_eq!(answer.pointer("/answer/status"), Some(&json!(200)));
                }
                None => {
                    prop_assert_eq!(text("/outcome"), Some("refused"));
                    prop_assert!(answer.pointer("/answer/status") != Some(&json!(200)));
                    for version in answer
                        .pointer("/answer/envelope/details/supported")
                        .and_then(Value::as_array)
                        .unwrap()
                    {
                        let version = version.as_str().unwrap();
                        let least = if authenticated { floor } else { preferred };
                        prop_assert!(rank(protocol, version) >= rank(protocol, least));
                    }
                }
            }
            Ok(())
        })
        .unwrap();
}

/// RFC 0242 §A: a secret in every place that a peer can write appears in no byte that leaves.
#[test]
fn content_free() {
    const SECRET: &str = "zq9secret";
    let planted = |secret: &str, protocol: &str, inbound: bool| {
        let mut exchange = if inbound {
            json!({"headers": [
                    [secret, secret], ["A2A-Version", secret], ["MCP-Protocol-Version", secret]],
                "query": format!("{secret}={secret}&A2A-Version={secret}"), "method": secret,
                "params": {"protocolVersion": secret, secret: secret,
                    "_meta": {"io.modelcontextprotocol/protocolVersion": secret, secret: secret}}})
        } else if protocol == "a2a" {
            json!({"card": {"supportedInterfaces": [{"protocolVersion": secret, "url": secret}],
                "name": secret, secret: secret}, "requested": secret})
        } else {
            json!({"discover": {"supportedVersions": [secret], secret: secret},
                "initialize": {"protocolVersion": secret, "serverInfo": {"name": secret}}})
        };
        let direction = if inbound { "inbound" } else { "outbound" };
        let members = exchange.as_object_mut().unwrap();
        members.insert("protocol".into(), protocol.into());
        members.insert("direction".into(), direction.into());
        members.insert("authenticated".into(), true.into());
        if protocol == "mcp" && inbound {
            members.insert("session".into(), secret.into());
        }
        exchange
    };
    let facets = json!({
        "a2a": {"versions": ["1.0"], "preferredVersion": "1.0", "minimumVersion": "1.0",
            "refreshedAt": "2026-11-01"},
        "mcp": {"revisions": ["2026-07-28"], "preferredVersion": "2026-07-28",
            "minimumRevision": "2026-07-28", "refreshedAt": "2026-11-01"}});
    let near = [
        "{}",
        "1.0{}",
        "{}\n",
        "2026-07-28{}",
        " {} ",
        "1.{}",
        "\u{0}{}",
    ];
    let mut seen = 0;
    for wrapping in near {
        let secret = wrapping.replace("{}", SECRET);
        for protocol in ["a2a", "mcp"] {
            for inbound in [true, false] {
                let request = json!({
                    "facets": facets, "exchange": planted(&secret, protocol, inbound),
                    "context": {"at": "2026-11-30T12:00:00Z", "peerUrl": format!("https://{SECRET}.example/{secret}"),
                        "eventId": "hev-0123456789abcdef01234567"}})
                .to_string();
                for answer in [
                    native::run("settle", &request),
                    component("settle", &request),
                ] {
                    let (Ok(text) | Err(text)) = answer;
                    assert!(!text.contains(SECRET), "{text}");
                    seen += 1;
                }
            }
        }
    }
    assert_eq!(seen, 7 * 4 * 2);
}

/// Authenticating never hurts: what is agreed without a credential is agreed with one.
#[test]
fn monotonicity_in_authentication() {
    runner(20_000)
        .run(&settle_request(), |mut request| {
            let mut outcome = |authenticated: bool| -> Value {
                *request.pointer_mut("/exchange/authenticated").unwrap() = authenticated.into();
                serde_json::from_str(&native::run("settle", &request.to_string()).unwrap()).unwrap()
            };
            let (without, with) = (outcome(false), outcome(true));
            if without.get("outcome") == Some(&json!("accepted")) {
                prop_assert_eq!(with.get("version"), without.get("version"));
            }
            Ok(())
        })
        .unwrap();
}

/// Same input, same bytes, in any instance and however often.
#[test]
fn determinism_across_instances() {
    let runtime = Runtime::new().unwrap();
    let loaded = Negotiator::load(&runtime, &Artifact::embedded(), Limits::negotiator()).unwrap();
    let facet = negotiator::types::Facet {
        offered: vec!["1.0".into()],
        preferred: "1.0".into(),
        floor: "1.0".into(),
    };
    let other = loaded
        .keep(0)
        .configure(
            Facets {
                a2a: Some(facet),
                mcp: None,
            },
            "",
        )
        .unwrap();
    runner(2_000)
        .run(&settle_request(), |request| {
            let text = request.to_string();
            let once = component("settle", &text);
            prop_assert_eq!(&once, &other.json(Operation::Settle, &text).unwrap());
            prop_assert_eq!(&once, &component("settle", &text));
            Ok(())
        })
        .unwrap();
}
