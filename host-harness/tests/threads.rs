//! Many threads settle at once, on one negotiator, and none disturbs another.

mod support;

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use negotiator::error::CallError;
use negotiator::{Artifact, Limits, Negotiator, Pluggable, Policy, Runtime};
use support::{Wat, context, exchange, facets};

/// Fails to settle where the version named is one character long, and counts its
/// calls in the origin digest.
fn touchy() -> Wat {
    Wat::obliging("negotiator-closed")
        .body(
            "record@2.0.0#settle",
            // Exchange and context stand in memory; the name's length at byte 12.
            "(if (i32.eq (i32.load (i32.add (local.get 0) (i32.const 12))) (i32.const 1))
               (then unreachable))
             i32.const 320",
        )
        .body("negotiate@2.0.0#decide", "(loop (br 0)) unreachable")
}

#[test]
fn failures_of_some_threads_do_not_reach_the_others() {
    let runtime = Runtime::new().unwrap();
    let artifact = Artifact::from_bytes(touchy().component());
    let limits = Limits {
        fuel: 100_000,
        ..Limits::negotiator()
    };
    let negotiator = Negotiator::load(&runtime, &artifact, limits)
        .unwrap()
        .configure(facets(), "")
        .unwrap();
    let begin = Barrier::new(8);
    let settled = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (negotiator, begin, settled) = (&negotiator, &begin, &settled);
            scope.spawn(move || {
                begin.wait();
                for round in 0..500 {
                    let fails = thread % 2 == 0 && round % 5 == 0;
                    let named = if fails { "x" } else { "1.0" };
                    let answer = negotiator
                        .settle(&exchange(Some(named)), &context())
                        .unwrap();
                    assert_eq!(
                        answer.failure.is_some(),
                        fails,
                        "thread {thread}, round {round}"
                    );
                    settled.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(settled.load(Ordering::Relaxed), 8 * 500);
}

#[test]
fn a_slow_call_does_not_hold_up_the_others() {
    let runtime = Runtime::new().unwrap();
    let artifact = Artifact::from_bytes(touchy().component());
    let deadline = Duration::from_secs(2);
    let limits = Limits {
        fuel: u64::MAX,
        deadline,
        ..Limits::negotiator()
    };
    // One place only, which the slow call sits in.
    let negotiator = Negotiator::load(&runtime, &artifact, limits).unwrap();
    let negotiator = negotiator.keep(1).configure(facets(), "").unwrap();
    std::thread::scope(|scope| {
        let begun = Instant::now();
        let slow = scope.spawn(|| negotiator.decide(&exchange(None)).unwrap());
        std::thread::sleep(Duration::from_millis(50));
        for _ in 0..20 {
            let settled = negotiator
                .settle(&exchange(Some("1.0")), &context())
                .unwrap();
            assert_eq!(settled.failure, None);
        }
        assert!(begun.elapsed() < deadline, "waited for the slow call");
        let failure = slow.join().unwrap().failure;
        assert_eq!(failure, Some(CallError::Deadline { deadline }));
    });
}

#[test]
fn a_deadline_of_one_component_is_none_of_another() {
    // Both use the clock of one engine. The first is stopped over and over; the second
    // must never be, though it runs all the while.
    let runtime = Runtime::new().unwrap();
    let artifact = Artifact::from_bytes(touchy().component());
    let load = |deadline| {
        let limits = Limits {
            fuel: u64::MAX,
            deadline,
            ..Limits::negotiator()
        };
        let loaded = Negotiator::load(&runtime, &artifact, limits).unwrap();
        loaded.configure(facets(), "").unwrap()
    };
    let (hasty, patient) = (load(Duration::ZERO), load(Duration::from_secs(60)));
    std::thread::scope(|scope| {
        let stopped = scope.spawn(|| {
            for _ in 0..30 {
                assert!(hasty.decide(&exchange(None)).unwrap().failure.is_some());
            }
        });
        while !stopped.is_finished() {
            let settled = patient.settle(&exchange(Some("1.0")), &context()).unwrap();
            assert_eq!(settled.failure, None);
        }
        stopped.join().unwrap();
    });
}

#[test]
fn policies_are_swapped_under_load_without_an_odd_answer() {
    let runtime = Runtime::new().unwrap();
    let asking = Artifact::from_bytes(Wat::asking().component());
    let asking = Pluggable::load(&runtime, &asking, Limits::negotiator()).unwrap();
    let deny = Wat::obliging_policy().body(
        "policy@2.0.0#judge",
        "(i32.store8 (i32.const 1024) (i32.const 1)) i32.const 1024",
    );
    let with = |wat: &Wat| {
        let artifact = Artifact::from_bytes(wat.component());
        let policy = Policy::load(&runtime, &artifact, Limits::policy()).unwrap();
        asking.with(&policy).configure(facets(), "").unwrap()
    };
    let generations = [with(&Wat::obliging_policy()), with(&deny)];
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for round in 0..400 {
                    let decided = generations[round % 2].decide(&exchange(None)).unwrap();
                    assert_eq!(decided.failure, None);
                    let accepted =
                        matches!(decided.decision, negotiator::types::Decision::Accepted(_));
                    assert_eq!(accepted, round % 2 == 0);
                }
            });
        }
    });
}
