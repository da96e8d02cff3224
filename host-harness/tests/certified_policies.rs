//! The component of `dist/` with its policy left open, and policies put into it.
#![expect(clippy::unwrap_used, reason = "a test")]

mod support;

use negotiator::error::{CallError, ConfigureError};
use negotiator::types::{Acceptance, Cause, Decision, Direction, Exchange, Refusal, Rejection};
use negotiator::{Artifact, Limits, Negotiator, Operation, Policy};
use support::{Wat, context, exchange, facets, pluggable, runtime};

fn with_policy(wat: &Wat) -> Negotiator {
    let artifact = Artifact::from_bytes(wat.component());
    let policy = Policy::load(runtime(), &artifact, Limits::policy()).unwrap();
    pluggable().with(&policy).configure(facets(), "").unwrap()
}

fn accepted(version: &str, cause: Cause, downgraded: bool) -> Decision {
    Decision::Accepted(Acceptance {
        version: version.to_owned(),
        cause,
        downgraded,
    })
}

fn refused(refusal: Refusal, cause: Cause) -> Decision {
    Decision::Refused(Rejection { refusal, cause })
}

#[test]
fn a_policy_that_fails_leaves_a_refusal_with_its_record() {
    for body in ["unreachable", "(loop (br 0)) unreachable"] {
        let negotiator = with_policy(&Wat::obliging_policy().body("policy@2.0.0#judge", body));
        let settled = negotiator
            .settle(&exchange(Some("1.0")), &context())
            .unwrap();
        assert!(
            matches!(settled.failure, Some(CallError::Policy(_))),
            "{settled:?}"
        );
        let settlement = settled.settlement;
        assert_eq!(
            settlement.decision,
            refused(Refusal::Unsupported, Cause::PolicyFailed)
        );
        assert!(
            settlement
                .entry
                .payload
                .contains(r#""reason":"unsupported""#)
        );
        assert!(settlement.entry.event.is_some());
        assert_eq!(settlement.reply.status, 400);
        let decided = negotiator.decide(&exchange(Some("1.0"))).unwrap();
        assert_eq!(decided.decision, settlement.decision);

        // What is refused before the policy is asked keeps its reason and needs no policy.
        let settled = negotiator
            .settle(&exchange(Some("0.2")), &context())
            .unwrap();
        assert_eq!(settled.failure, None);
        let below = refused(Refusal::BelowFloor, Cause::NamedBelowFloor);
        assert_eq!(settled.settlement.decision, below);
    }
}

#[test]
fn a_policy_can_choose_and_deny_and_nothing_else() {
    let settle = |wat: &Wat| {
        let settled = with_policy(wat)
            .settle(&exchange(None), &context())
            .unwrap();
        assert_eq!(settled.failure, None);
        settled.settlement.decision
    };
    let judging = |body: &str| Wat::obliging_policy().body("policy@2.0.0#judge", body);
    assert_eq!(
        settle(&Wat::obliging_policy()),
        accepted("1.0", Cause::Default, false)
    );
    let deny = judging("(i32.store8 (i32.const 1024) (i32.const 1)) i32.const 1024");
    assert_eq!(
        settle(&deny),
        refused(Refusal::Unsupported, Cause::PolicyDenied)
    );
    let invent = judging(
        "(i32.store (i32.const 1028) (i32.const 2048))
         (i32.store (i32.const 1032) (i32.const 3)) i32.const 1024",
    )
    .item(r#"(data (i32.const 2048) "9.9")"#);
    assert_eq!(
        settle(&invent),
        refused(Refusal::Unsupported, Cause::PolicyBrokeContract)
    );
}

#[test]
fn the_policies_that_come_with_it_can_be_put_in() {
    let with = |file: &str| {
        let path = format!("{}/../dist/policies/{file}", env!("CARGO_MANIFEST_DIR"));
        let artifact = Artifact::from_file(path).unwrap();
        let policy = Policy::load(runtime(), &artifact, Limits::policy()).unwrap();
        let loaded = pluggable().with(&policy);
        let error = loaded.configure(facets(), "a setting").unwrap_err();
        assert!(matches!(error, ConfigureError::Faults(_)), "{error:?}");
        loaded.configure(facets(), "").unwrap()
    };
    // The peer speaks the older version only.
    let offers = Some(vec!["0.3".to_owned()]);
    let outbound = Exchange {
        direction: Direction::Outbound,
        offers,
        ..exchange(None)
    };
    let decide = |negotiator: Negotiator| negotiator.decide(&outbound).unwrap();
    let highest = decide(with("highest.wasm"));
    assert_eq!(highest.decision, accepted("0.3", Cause::Common, true));
    let exact = decide(with("exact.wasm"));
    assert_eq!(
        exact.decision,
        refused(Refusal::Unsupported, Cause::PolicyDenied)
    );
    assert_eq!((highest.failure, exact.failure), (None, None));
}

#[test]
fn json_leaves_a_refusal_when_the_policy_fails() {
    let negotiator = with_policy(&Wat::obliging_policy().body("policy@2.0.0#judge", "unreachable"));
    let exchange = r#""exchange":{"protocol":"a2a","direction":"inbound","authenticated":true}"#;
    let settle = format!(r#" {{{exchange},"context":{{"at":"2026-11-30T12:00:00Z"}}}}"#);
    let answer = negotiator
        .json(Operation::Settle, &settle)
        .unwrap()
        .unwrap();
    assert!(
        answer.starts_with(r#"{"outcome":"refused","reason":"unsupported""#),
        "{answer}"
    );
    assert!(answer.contains(r#""cause":"policy-failed""#), "{answer}");
    let failure = negotiator
        .json(Operation::Decide, &format!("{{{exchange}}}"))
        .unwrap_err();
    assert!(matches!(failure, CallError::Policy(_)), "{failure:?}");
}
