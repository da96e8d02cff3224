//! A policy that is put in at run time can choose or deny, and nothing else: what it
//! does wrong costs it its say, and costs the negotiator nothing.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod support;

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use negotiator::error::{CallError, ConfigureError, LoadError};
use negotiator::types::{Cause, Decision};
use negotiator::{Artifact, Limits, Negotiator, Pluggable, Policy, World};
use support::{Wat, context, exchange, facets, runtime};
use wasmtime::Trap;

const JUDGE: &str = "policy@2.0.0#judge";

/// A negotiator that asks, with hardly any fuel of its own.
fn asking() -> &'static Pluggable {
    static ASKING: OnceLock<Pluggable> = OnceLock::new();
    ASKING.get_or_init(|| {
        let artifact = Artifact::from_bytes(Wat::asking().component());
        let limits = Limits {
            fuel: 3_000,
            ..Limits::negotiator()
        };
        Pluggable::load(runtime(), &artifact, limits).unwrap()
    })
}

fn policy(wat: &Wat, limits: Limits) -> Policy {
    Policy::load(runtime(), &Artifact::from_bytes(wat.component()), limits).unwrap()
}

fn with(wat: &Wat, limits: Limits) -> Negotiator {
    asking()
        .with(&policy(wat, limits))
        .configure(facets(), "")
        .unwrap()
}

fn judging(body: &str) -> Wat {
    Wat::obliging_policy().body(JUDGE, body)
}

fn failure(negotiator: &Negotiator) -> CallError {
    let settled = negotiator.settle(&exchange(None), &context()).unwrap();
    let Decision::Refused(rejection) = &settled.settlement.decision else {
        panic!()
    };
    assert_eq!(rejection.cause, Cause::PolicyFailed);
    match settled.failure.unwrap() {
        CallError::Policy(failure) => *failure,
        other => panic!("the negotiator was blamed: {other}"),
    }
}

#[test]
fn the_policy_is_asked_and_its_grant_is_used() {
    let negotiator = with(&Wat::obliging_policy(), Limits::policy());
    let decided = negotiator.decide(&exchange(None)).unwrap();
    assert_eq!(decided.failure, None);
    let Decision::Accepted(acceptance) = decided.decision else {
        panic!()
    };
    assert_eq!(acceptance.version, "1.0");
}

#[test]
fn the_policy_says_who_it_is() {
    let wat = Wat::obliging_policy();
    let artifact = Artifact::from_bytes(wat.component());
    let negotiator = with(&wat, Limits::policy());
    assert_eq!(negotiator.policy_digest(), Some(artifact.digest()));
    assert_ne!(negotiator.policy_digest(), Some(negotiator.digest()));
}

#[test]
fn a_runaway_policy_burns_its_own_fuel() {
    // More than three hundred times what the negotiator has.
    let limits = Limits {
        fuel: 1_000_000,
        ..Limits::policy()
    };
    let negotiator = with(&judging("(loop (br 0)) unreachable"), limits);
    assert_eq!(
        failure(&negotiator),
        CallError::OutOfFuel { fuel: 1_000_000 }
    );
}

#[test]
fn a_policy_that_takes_long_is_not_charged_to_the_negotiator() {
    // Far over the fuel and the deadline of the negotiator, yet within its own.
    let long = "
        (local $left i32)
        (local.set $left (i32.const 200000000))
        (loop
          (local.set $left (i32.sub (local.get $left) (i32.const 1)))
          (br_if 0 (local.get $left)))
        (i32.store8 (i32.const 1024) (i32.const 1))
        i32.const 1024";
    let artifact = Artifact::from_bytes(Wat::asking().component());
    let limits = Limits {
        fuel: 3_000,
        deadline: Duration::ZERO,
        ..Limits::negotiator()
    };
    let hasty = Pluggable::load(runtime(), &artifact, limits).unwrap();
    let limits = Limits {
        fuel: u64::MAX,
        deadline: Duration::from_secs(60),
        ..Limits::policy()
    };
    let negotiator = hasty
        .with(&policy(&judging(long), limits))
        .configure(facets(), "")
        .unwrap();
    let begun = Instant::now();
    let settled = negotiator.settle(&exchange(None), &context()).unwrap();
    assert_eq!(settled.failure, None);
    assert!(
        begun.elapsed() > Duration::from_millis(30),
        "too quick to show anything"
    );
}

#[test]
fn the_fuel_of_a_policy_is_metered_apart() {
    let grant = "(i32.store8 (i32.const 1024) (i32.const 1)) i32.const 1024";
    let fuel = |constants: usize| {
        let body = format!("{} {grant}", "(drop (i32.const 0))".repeat(constants));
        let negotiator = with(&judging(&body), Limits::policy());
        negotiator.decide_metered(&exchange(None)).unwrap().1
    };
    let (short, long) = (fuel(0), fuel(1_000));
    assert_eq!(long.policy, short.policy + 1_000);
    assert_eq!(long.negotiator, short.negotiator);
}

#[test]
fn a_policy_past_its_deadline_is_stopped() {
    let deadline = Duration::from_millis(30);
    let limits = Limits {
        fuel: u64::MAX,
        deadline,
        ..Limits::policy()
    };
    let negotiator = with(&judging("(loop (br 0)) unreachable"), limits);
    assert_eq!(failure(&negotiator), CallError::Deadline { deadline });
}

#[test]
fn the_ways_in_which_a_policy_fails_are_told_apart() {
    let limits = Limits {
        memory: 1 << 20,
        ..Limits::policy()
    };
    let bomb = "(loop (br_if 0 (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))) unreachable";
    let memory = CallError::OutOfMemory {
        limit: 1 << 20,
        elements: limits.table_elements,
    };
    assert_eq!(failure(&with(&judging(bomb), limits.clone())), memory);

    let trap = CallError::Trap(Trap::UnreachableCodeReached);
    assert_eq!(
        failure(&with(&judging("unreachable"), limits.clone())),
        trap
    );

    // Grants all of its memory.
    let giant = "(i32.store (i32.const 1032) (i32.const 100000)) i32.const 1024";
    let large = CallError::AnswerTooLarge {
        limit: limits.answer,
    };
    assert_eq!(failure(&with(&judging(giant), limits.clone())), large);

    let nonsense = "(i32.store8 (i32.const 1024) (i32.const 9)) i32.const 1024";
    let failure = failure(&with(&judging(nonsense), limits));
    assert!(
        matches!(failure, CallError::AnswerMalformed(_)),
        "{failure:?}"
    );
}

#[test]
fn a_policy_that_fails_once_is_replaced() {
    // Fails in the second judgement of each instance.
    let wat = judging(
        "(if (global.get $spent) (then unreachable))
         (global.set $spent (i32.const 1))
         (i32.store8 (i32.const 1024) (i32.const 1))
         i32.const 1024",
    )
    .item("(global $spent (mut i32) (i32.const 0))");
    let negotiator = with(&wat, Limits::policy());
    let failed = |_| {
        let settled = negotiator.settle(&exchange(None), &context()).unwrap();
        settled.failure.is_some()
    };
    assert_eq!([0, 1, 2, 3].map(failed), [false, true, false, true]);
}

#[test]
fn a_policy_that_cannot_be_configured_configures_nothing() {
    let wat = Wat::obliging_policy().body("policy@2.0.0#configure", "unreachable");
    let error = asking()
        .with(&policy(&wat, Limits::policy()))
        .configure(facets(), "x");
    let expected = CallError::Policy(Box::new(CallError::Trap(Trap::UnreachableCodeReached)));
    match error.unwrap_err() {
        ConfigureError::Call(failure) => assert_eq!(failure, expected),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_policy_whose_start_runs_away_makes_no_instance() {
    let wat = Wat::obliging_policy().item("(func $start (loop (br 0)))(start $start)");
    let limits = Limits {
        fuel: 50_000,
        ..Limits::policy()
    };
    match asking()
        .with(&policy(&wat, limits))
        .configure(facets(), "")
        .unwrap_err()
    {
        ConfigureError::Call(CallError::Policy(failure)) => {
            assert_eq!(*failure, CallError::OutOfFuel { fuel: 50_000 });
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_policy_may_import_nothing_and_is_told_what_it_did() {
    let wat = Wat::new("spying").package(
        "interface clock { now: func() -> u64; }
         interface net { send: func(text: string); }
         world spying { import clock; import net; include policy-provider; }",
    );
    let artifact = Artifact::from_bytes(wat.component());
    let error = Policy::load(runtime(), &artifact, Limits::policy()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "imports what it may not have: `openwop:negotiation/clock@2.0.0`, \
         `openwop:negotiation/net@2.0.0`; it must import nothing"
    );
}

#[test]
fn a_negotiator_is_not_a_policy_and_a_policy_not_a_negotiator() {
    let closed = Artifact::from_bytes(Wat::new("negotiator-closed").component());
    let open = Artifact::from_bytes(Wat::new("negotiator").component());
    let policy = Artifact::from_bytes(Wat::new("policy-provider").component());

    let error = Policy::load(runtime(), &closed, Limits::policy()).unwrap_err();
    let LoadError::WrongWorld {
        expected,
        found,
        problem,
    } = error
    else {
        panic!("{error:?}")
    };
    assert_eq!(
        (expected, found),
        (World::PolicyProvider, Some(World::NegotiatorClosed))
    );
    assert!(
        problem.contains("openwop:negotiation/policy@2.0.0"),
        "{problem}"
    );

    let error = Negotiator::load(runtime(), &policy, Limits::negotiator()).unwrap_err();
    assert!(matches!(
        error,
        LoadError::WrongWorld {
            found: Some(World::PolicyProvider),
            ..
        }
    ));
    let error = Negotiator::load(runtime(), &open, Limits::negotiator()).unwrap_err();
    assert!(matches!(error, LoadError::Imports { .. }), "{error:?}");
    // One that asks no policy could stand where one is asked; the policy would be lost.
    let error = Pluggable::load(runtime(), &closed, Limits::negotiator()).unwrap_err();
    let LoadError::WrongWorld { problem, .. } = error else {
        panic!("{error:?}")
    };
    assert_eq!(problem, "it must import the policy interface");
}
