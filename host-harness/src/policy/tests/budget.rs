//! A policy that fails too often.

use std::sync::{Arc, Mutex};

use super::super::{ErrorBudget, Event, Policies, Reason};
use super::support::{context, exchange};
use super::{Scratch, admission, facets, force, judging, policies, shipped, trapping};
use crate::gate::SILENT;
use crate::types::{Cause, Decision};

fn cause(policies: &Policies) -> (u64, Cause) {
    let served = policies.settle(&exchange(None), &context()).unwrap();
    let cause = match served.settlement.decision {
        Decision::Accepted(acceptance) => acceptance.cause,
        Decision::Refused(rejection) => rejection.cause,
    };
    (served.by.generation, cause)
}

#[test]
fn a_policy_that_fails_too_often_is_replaced_by_the_one_before() {
    let breaks = judging(
        "(i32.store (i32.const 1028) (i32.const 2048))
         (i32.store (i32.const 1032) (i32.const 3)) i32.const 1024",
    );
    for (bad, failed) in [
        (trapping(), Cause::PolicyFailed),
        (breaks, Cause::PolicyBrokeContract),
    ] {
        let scratch = Scratch::new("budget");
        let policies = policies(Some(scratch.store()));
        let events = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&events);
        policies.listen(move |event| told.lock().unwrap().push(event.to_string()));
        force(&policies, &shipped("highest.wasm"));
        force(&policies, &bad);
        for _ in 0..5 {
            assert_eq!(cause(&policies), (2, failed));
        }
        assert_eq!(cause(&policies), (3, Cause::Default));
        let status = policies.status();
        assert_eq!(status.current.unwrap().reason, Reason::ErrorBudget);
        let events = events.lock().unwrap();
        assert_eq!(events.len(), 3, "{events:?}");
        assert!(events[2].contains("failed too often"), "{}", events[2]);
        // The next start begins with the good one, too.
        let state = scratch.store().state().unwrap().unwrap();
        assert_eq!(state.current().generation, 3);
        assert_eq!(state.current().policy, shipped("highest.wasm").digest());
    }
}

#[test]
fn it_happens_once() {
    let policies = policies(None);
    let over = Arc::new(Mutex::new(0));
    let told = Arc::clone(&over);
    policies.listen(move |event| {
        if matches!(event, Event::OverBudget { .. }) {
            *told.lock().unwrap() += 1;
        }
    });
    force(&policies, &judging("(loop (br 0)) unreachable"));
    for _ in 0..7 {
        assert_eq!(cause(&policies), (1, Cause::PolicyFailed));
    }
    assert!(*over.lock().unwrap() > 0, "there was nothing to go back to");
    force(&policies, &trapping());
    for _ in 0..5 {
        assert_eq!(cause(&policies), (2, Cause::PolicyFailed));
    }
    // Back on the first one, which is no better, and there it stays.
    for _ in 0..20 {
        assert_eq!(cause(&policies), (3, Cause::PolicyFailed));
    }
    assert_eq!(policies.status().failures, 20);
}

#[test]
fn denials_and_what_a_peer_gets_wrong_cost_nothing() {
    let budget = ErrorBudget {
        failures: 1,
        ..ErrorBudget::default()
    };
    let admission = admission().error_budget(budget);
    let policies = Policies::open(admission, facets(), None, SILENT).unwrap();
    force(&policies, &shipped("highest.wasm"));
    let deny = "(i32.store8 (i32.const 1024) (i32.const 1)) i32.const 1024";
    force(&policies, &judging(deny));
    for _ in 0..3 {
        assert_eq!(cause(&policies), (2, Cause::PolicyDenied));
        let below = policies.settle(&exchange(Some("0.2")), &context()).unwrap();
        assert_eq!(below.by.generation, 2);
        assert!(policies.settle_json("no JSON").unwrap().0.is_err());
    }
    assert_eq!(policies.status().failures, 0);
    // The same over JSON, for a policy that does fail.
    force(&policies, &trapping());
    let request = r#"{"exchange":{"protocol":"a2a","direction":"inbound","authenticated":true},
        "context":{"at":"2026-11-30T12:00:00Z"}}"#;
    let (answer, by) = policies.settle_json(request).unwrap();
    assert!(answer.unwrap().contains("policy-failed"));
    assert_eq!((by.generation, policies.current().number()), (3, 4));
}
