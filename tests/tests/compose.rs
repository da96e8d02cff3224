//! A negotiator and a policy in one file decide as the two do when they are linked at run time.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test")]

use negotiation_core::Protocol;
use negotiation_tests::compare::{to_wit, to_wit_facets};
use negotiation_tests::grid::{exchanges, facets};
use negotiator::error::{ComposeError, ConfigureError, LoadError};
use negotiator::types::{Facet, Facets};
use negotiator::{
    Artifact, Limits, MAX_SETTINGS_BYTES, Negotiator, Pluggable, Policy, Runtime, World, compose,
};

const RULES: &str = r#"{
  "otherwise": "grant-best",
  "rules": [
    { "when": { "protocol": "a2a", "direction": "outbound", "versions": { "max": "0.10" } },
      "then": "deny" },
    { "when": { "protocol": "mcp", "version": "2025-06-18" },
      "then": "grant-best", "until": "2027-01-01T00:00:00Z" },
    { "when": { "direction": "inbound" }, "then": "grant-exact" }
  ]
}"#;

fn policy(name: &str) -> Artifact {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../dist/policies");
    Artifact::from_file(format!("{folder}/{name}.wasm")).unwrap()
}

fn composed(name: &str, settings: Option<&str>) -> Artifact {
    compose(&Artifact::embedded_pluggable(), &policy(name), settings).unwrap()
}

fn a2a() -> Facets {
    let own = str::to_owned;
    let facet = Facet {
        offered: vec![own("0.3"), own("1.0")],
        preferred: own("1.0"),
        floor: own("0.3"),
    };
    Facets {
        a2a: Some(facet),
        mcp: None,
    }
}

/// What a component says to settings of the host's.
fn told(artifact: &Artifact, settings: &str) -> Result<Negotiator, String> {
    let runtime = Runtime::on_demand().unwrap();
    let loaded = Negotiator::load(&runtime, artifact, Limits::negotiator()).unwrap();
    loaded
        .configure(a2a(), settings)
        .map_err(|error| match error {
            ConfigureError::Faults(faults) => {
                let faults = faults.into_iter();
                faults
                    .map(|fault| format!("{}: {}", fault.path, fault.problem))
                    .collect()
            }
            ConfigureError::Call(failure) => panic!("{failure}"),
        })
}

#[test]
fn one_file_decides_as_the_linked_pair_does() {
    let runtime = Runtime::new().unwrap();
    let open = Artifact::embedded_pluggable();
    let open = Pluggable::load(&runtime, &open, Limits::negotiator()).unwrap();
    let limits = Limits::policy();
    // How many exchanges the policies decide differently, so that they cannot all be ignored.
    let mut by_policy = Vec::new();
    for (name, settings) in [("exact", None), ("highest", None), ("rules", Some(RULES))] {
        let linked = open.with(&Policy::load(&runtime, &policy(name), limits.clone()).unwrap());
        let one = composed(name, settings);
        let one = Negotiator::load(&runtime, &one, Limits::negotiator()).unwrap();
        let mut all = Vec::new();
        for protocol in [Protocol::A2a, Protocol::Mcp] {
            // A fifth of them: a number that divides none of the loops that made them.
            let all_exchanges = exchanges(protocol);
            let asked: Vec<_> = all_exchanges.iter().step_by(5).map(to_wit).collect();
            for facet in facets(protocol) {
                let facets = to_wit_facets(&facet);
                let linked = linked
                    .configure(facets.clone(), settings.unwrap_or_default())
                    .unwrap();
                let one = one.configure(facets, "").unwrap();
                let expected = linked.decide_many(&asked).unwrap();
                let found = one.decide_many(&asked).unwrap();
                assert!(found == expected, "{name} {facet:?}");
                all.extend(found.into_iter().map(|decided| decided.decision));
            }
        }
        assert!(all.len() > 70_000, "only {} decisions", all.len());
        by_policy.push(all);
    }
    assert!(by_policy[0] != by_policy[1] && by_policy[1] != by_policy[2]);
}

#[test]
fn what_comes_out_imports_nothing_and_is_the_same_each_time() {
    for settings in [None, Some(""), Some(RULES)] {
        let one = composed("rules", settings);
        let inspection = one.inspect().unwrap();
        assert_eq!(inspection.imports, Vec::<String>::new());
        assert_eq!(inspection.world, Some(World::NegotiatorClosed));
        assert_eq!(one.digest(), composed("rules", settings).digest());
    }
    let digests =
        [None, Some(""), Some("a"), Some("b")].map(|settings| composed("rules", settings).digest());
    for (place, digest) in digests.iter().enumerate() {
        assert!(
            !digests[..place].contains(digest),
            "settings are part of it"
        );
    }
}

#[test]
fn built_in_settings_are_used_and_others_refused() {
    let one = composed("rules", Some(RULES));
    assert!(told(&one, "").is_ok());
    for settings in ["x", RULES, &"x".repeat(100_000)] {
        let error = told(&one, settings).err();
        let expected = "settings: must be empty: this component has its settings built in";
        assert_eq!(error.as_deref(), Some(expected));
    }
}

#[test]
fn without_built_in_settings_the_host_gives_them() {
    let one = composed("rules", None);
    assert!(told(&one, RULES).is_ok());
    let error = told(&one, "").err().unwrap();
    assert!(error.starts_with("settings: must be given: "), "{error}");
}

#[test]
fn what_a_policy_says_of_built_in_settings_reaches_the_host() {
    let error = told(&composed("rules", Some("[]")), "").err();
    assert_eq!(error.as_deref(), Some("settings: must be an object"));
    // Longer than a page of memory with what is around them, and of every length around one.
    let settings = |length: usize| format!("{RULES}{}", " ".repeat(length - RULES.len()));
    for length in [65_258, 65_259, 65_264, 65_265, 65_280, MAX_SETTINGS_BYTES] {
        let one = composed("rules", Some(&settings(length)));
        assert!(told(&one, "").is_ok(), "{length}");
    }
    let long = settings(MAX_SETTINGS_BYTES + 1);
    let error = compose(
        &Artifact::embedded_pluggable(),
        &policy("rules"),
        Some(&long),
    );
    assert!(matches!(error, Err(ComposeError::SettingsTooLong { .. })));
}

#[test]
fn only_an_open_negotiator_and_a_policy_fit_together() {
    let (open, closed) = (Artifact::embedded_pluggable(), Artifact::embedded());
    let highest = policy("highest");
    let error = compose(&closed, &highest, None).unwrap_err();
    assert!(matches!(error, ComposeError::Negotiator(_)), "{error:?}");
    let error = compose(&open, &open, None).unwrap_err();
    let ComposeError::Policy(LoadError::Imports { names, .. }) = &error else {
        panic!("{error:?}");
    };
    assert_eq!(names, &["openwop:negotiation/policy@2.0.0"]);
    let error = compose(&open, &closed, None).unwrap_err();
    assert!(matches!(error, ComposeError::Policy(_)), "{error:?}");
}
