//! `dist/policies/rules.wasm` in the negotiator, within the limits that every policy has.
#![expect(clippy::unwrap_used, reason = "a test")]

mod support;

use negotiator::error::ConfigureError;
use negotiator::types::{Cause, Context, Decision, Direction, Exchange, Subject};
use negotiator::{Artifact, Limits, Loaded, Negotiator, Pluggable, Policy, Runtime};
use support::{context, exchange, facets};

fn loaded() -> Loaded {
    let runtime = Runtime::new().unwrap();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../dist/policies/rules.wasm");
    let artifact = Artifact::from_file(path).unwrap();
    let policy = Policy::load(&runtime, &artifact, Limits::policy()).unwrap();
    let open = Artifact::embedded_pluggable();
    Pluggable::load(&runtime, &open, Limits::negotiator())
        .unwrap()
        .with(&policy)
}

/// The older version is served until the new year, and to one tenant for longer.
const SUNSET: &str = r#"{
  "otherwise": "grant-best",
  "rules": [
    { "name": "acme-later",
      "when": { "protocol": "a2a", "versions": { "max": "0.3" }, "tenant": "acme" },
      "then": "grant-best", "until": "2027-07-01T00:00:00Z" },
    { "name": "sunset",
      "when": { "protocol": "a2a", "versions": { "max": "0.3" } },
      "then": "grant-best", "until": "2027-01-01T00:00:00Z" }
  ]
}"#;

fn settle(negotiator: &Negotiator, exchange: &Exchange, tenant: &str, at: &str) -> Decision {
    let context = Context {
        at: at.to_owned(),
        subject: Some(Subject {
            tenant: tenant.to_owned(),
            workspace: None,
        }),
        ..context()
    };
    let settled = negotiator.settle(exchange, &context).unwrap();
    assert_eq!(settled.failure, None);
    settled.settlement.decision
}

fn version(decision: &Decision) -> Option<&str> {
    match decision {
        Decision::Accepted(acceptance) => Some(&acceptance.version),
        Decision::Refused(rejection) => {
            assert_eq!(rejection.cause, Cause::PolicyDenied);
            None
        }
    }
}

#[test]
fn an_old_version_sets_for_some_before_others() {
    let negotiator = loaded().configure(facets(), SUNSET).unwrap();
    let old = exchange(Some("0.3"));
    for (tenant, at, served) in [
        ("other", "2026-12-31T23:59:59Z", true),
        ("other", "2027-01-01T00:00:00Z", false),
        ("acme", "2027-01-01T00:00:00Z", true),
        ("acme", "2027-07-01T00:00:00Z", false),
    ] {
        let decision = settle(&negotiator, &old, tenant, at);
        assert_eq!(version(&decision), served.then_some("0.3"), "{tenant} {at}");
        // Who can speak the new one is not affected.
        let decision = settle(&negotiator, &exchange(None), tenant, at);
        assert_eq!(version(&decision), Some("1.0"), "{tenant} {at}");
    }
    // Asked for without a record there is no instant, and what has a date is denied.
    let decided = negotiator.decide(&old).unwrap();
    assert_eq!(version(&decided.decision), None);
    let decided = negotiator.decide(&exchange(Some("1.0"))).unwrap();
    assert_eq!(version(&decided.decision), Some("1.0"));
}

#[test]
fn the_new_version_is_granted_even_where_the_old_one_was_offered_too() {
    let negotiator = loaded().configure(facets(), SUNSET).unwrap();
    let outbound = |offers: &[&str]| Exchange {
        direction: Direction::Outbound,
        offers: Some(offers.iter().map(|&text| text.to_owned()).collect()),
        ..exchange(None)
    };
    let late = "2028-01-01T00:00:00Z";
    let both = settle(&negotiator, &outbound(&["0.3", "1.0"]), "other", late);
    assert_eq!(version(&both), Some("1.0"));
    let only = settle(&negotiator, &outbound(&["0.3"]), "other", late);
    assert_eq!(version(&only), None);
}

#[test]
fn the_floor_holds_whatever_rules_say() {
    let generous = r#"{"otherwise":"grant-best","rules":[{"then":"grant-best"}]}"#;
    let negotiator = loaded().configure(facets(), generous).unwrap();
    let settled = negotiator
        .settle(&exchange(Some("0.2")), &context())
        .unwrap();
    let Decision::Refused(rejection) = settled.settlement.decision else {
        panic!("below the floor");
    };
    assert_eq!(rejection.cause, Cause::NamedBelowFloor);
}

#[test]
fn bad_settings_name_the_rule_and_the_member() {
    let loaded = loaded();
    let told = |settings: &str| match loaded.configure(facets(), settings).unwrap_err() {
        ConfigureError::Faults(faults) => faults
            .into_iter()
            .map(|fault| format!("{}: {}", fault.path, fault.problem))
            .collect::<String>(),
        other => panic!("{other:?}"),
    };
    let bad = r#"{"otherwise":"deny","rules":[{"name":"old","then":"deny","until":"SECRET"}]}"#;
    assert_eq!(
        told(bad),
        "settings: rules[0].until (rule old): must be an RFC 3339 date-time with offset, such as \
         2027-01-01T00:00:00Z"
    );
    assert!(told("").starts_with("settings: must be given: "));
}

#[test]
fn the_largest_settings_stay_within_the_limits_of_a_policy() {
    // As many rules as there may be, none of which fits, and the settings as long as can be.
    let digest = "b".repeat(64);
    let rule = format!(
        r#"{{"when":{{"protocol":"a2a","versions":{{"min":"0.3","max":"1.0"}},"peerDigest":["{digest}","{digest}"]}},"then":"deny"}}"#
    );
    let rules = vec![rule; 256].join(",");
    let mut settings = format!(r#"{{"otherwise":"grant-best","rules":[{rules}]}}"#);
    settings.push_str(&" ".repeat(65_536 - settings.len()));
    let negotiator = loaded().configure(facets(), &settings).unwrap();
    let settled = negotiator.settle(&exchange(None), &context()).unwrap();
    assert_eq!(settled.failure, None);
    assert_eq!(version(&settled.settlement.decision), Some("1.0"));
    let (_, fuel) = negotiator.decide_metered(&exchange(None)).unwrap();
    // A tenth of what a policy has.
    assert!(fuel.policy < Limits::policy().fuel / 10, "{fuel:?}");
}
