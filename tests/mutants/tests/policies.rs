//! Policies that grant whatever they like, and decisions that nobody could have made.
#![expect(clippy::unwrap_used, reason = "a test")]

use negotiation_core::decision::could_have_made;
use negotiation_core::{
    Cause, Decision, Exchange, Policy, Proposal, Protocol, Refusal, Verdict, Version, ops,
};
use negotiation_mutants::mutate::settle_request;
use negotiation_mutants::native;
use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

const VERSIONS: [&str; 9] = [
    "0.2",
    "0.3",
    "1.0",
    "1.1",
    "9.9",
    "2024-11-05",
    "2025-06-18",
    "2026-07-28",
    "2099-01-01",
];

/// Grants one version, and keeps what it was asked.
struct Granting {
    version: &'static str,
    asked: Option<(Exchange, Vec<Version>)>,
}

impl Policy for Granting {
    fn judge(&mut self, proposal: &Proposal<'_>) -> Verdict {
        self.asked = Some((proposal.exchange.clone(), proposal.candidates.to_vec()));
        Verdict::Grant(version(proposal.exchange.protocol, self.version))
    }
}

fn version(protocol: Protocol, text: &str) -> Option<Version> {
    Version::parse(protocol, text)
}

/// The same requests each time.
fn requests(count: usize) -> impl Iterator<Item = Value> {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = settle_request();
    (0..count).map(move |_| strategy.new_tree(&mut runner).unwrap().current())
}

#[test]
fn what_is_granted_and_no_candidate_is_a_breach_of_contract() {
    let (mut kept, mut broken) = (0, 0);
    for request in requests(3_000) {
        for version_text in VERSIONS {
            let mut policy = Granting {
                version: version_text,
                asked: None,
            };
            let answer = native::run_with("settle", &request.to_string(), &mut policy).unwrap();
            let answer: Value = serde_json::from_str(&answer).unwrap();
            let Some((exchange, candidates)) = policy.asked else {
                assert_ne!(answer["cause"], "policy-broke-contract");
                continue;
            };
            let granted = version(exchange.protocol, version_text);
            if granted.is_some_and(|granted| candidates.contains(&granted)) {
                assert_eq!(answer["version"], version_text, "{request}");
                kept += 1;
            } else {
                assert_eq!(answer["cause"], "policy-broke-contract", "{request}");
                assert_eq!(answer["outcome"], "refused", "{request}");
                broken += 1;
            }
        }
    }
    assert!(kept > 100 && broken > 1_000, "{kept} and {broken}");
}

#[test]
fn a_refusal_fits_its_cause() {
    let facets = json!({ "a2a": {
        "versions": ["0.3", "1.0"], "preferredVersion": "1.0", "minimumVersion": "0.3",
        "refreshedAt": "2026-11-01",
    } });
    let (posture, _) = ops::configure(&json!({ "facets": facets }).to_string()).unwrap();
    let exchange = json!({
        "protocol": "a2a", "direction": "inbound", "authenticated": true,
        "headers": [["A2A-Version", "1.0"]],
    });
    let context = json!({ "at": "2026-11-30T12:00:00Z" });
    let request = json!({ "facets": facets, "exchange": exchange, "context": context });
    let mut policy = Granting {
        version: "1.0",
        asked: None,
    };
    native::run_with("settle", &request.to_string(), &mut policy).unwrap();
    let (exchange, _) = policy.asked.unwrap();
    let mut made = Vec::new();
    for cause in Cause::ALL {
        for refusal in [
            Refusal::BelowFloor,
            Refusal::Unsupported,
            Refusal::Unauthenticated,
        ] {
            if could_have_made(&posture, &exchange, &Decision::Refused { refusal, cause }) {
                made.push((refusal, cause));
            }
        }
    }
    // Nothing is wrong with the exchange: a policy refuses it, or the host.
    assert_eq!(
        made,
        [
            (Refusal::Unsupported, Cause::PolicyDenied),
            (Refusal::Unsupported, Cause::PolicyFailed),
            (Refusal::Unsupported, Cause::PolicyBrokeContract),
            (Refusal::Unauthenticated, Cause::CredentialRequired),
        ]
    );
    let none: [Cause; 7] = [
        Cause::Exact,
        Cause::Default,
        Cause::Session,
        Cause::Common,
        Cause::CounterOffer,
        Cause::Answered,
        Cause::RecordNotDurable,
    ];
    for cause in Cause::ALL {
        assert_eq!(
            cause.refusal().is_none(),
            none.contains(&cause),
            "{cause:?}"
        );
    }
}
