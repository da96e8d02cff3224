//! Swaps under load.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::super::By;
use super::support::{context, exchange, facets};
use super::{Artifact, force, judging, limits, policies, shipped};
use crate::policy::Policies;
use crate::types::{Cause, Decision, Direction, Exchange};

/// An exchange that the two policies decide differently, and two that they do not.
fn exchanges() -> [Exchange; 3] {
    let outbound = Exchange {
        direction: Direction::Outbound,
        offers: Some(vec!["0.3".to_owned()]),
        ..exchange(None)
    };
    [outbound, exchange(Some("1.0")), exchange(Some("0.2"))]
}

#[test]
fn a_thousand_swaps_disturb_no_exchange() {
    const SWAPS: usize = 1000;
    // A busy machine may keep a thread waiting for longer than the usual deadline.
    let policies = roomy(Duration::from_secs(60));
    let mut all = vec![
        force(&policies, &shipped("highest.wasm")).by(),
        force(&policies, &shipped("exact.wasm")).by(),
    ];
    let ended = AtomicBool::new(false);
    let served: Mutex<Vec<(usize, By, Decision)>> = Mutex::default();
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        for _ in 0..threads.max(2) {
            scope.spawn(|| {
                let mut mine = Vec::new();
                let mut newest = 0;
                while !ended.load(Ordering::Relaxed) {
                    for (kind, exchange) in exchanges().iter().enumerate() {
                        let answer = policies.settle(exchange, &context()).unwrap();
                        assert_eq!(answer.failure, None);
                        let number = answer.by.generation;
                        assert!(number >= newest, "{number} after {newest}");
                        newest = number;
                        mine.push((kind, answer.by, answer.settlement.decision));
                    }
                }
                served.lock().unwrap().extend(mine);
            });
        }
        for _ in 0..SWAPS {
            all.push(policies.rollback().unwrap().by());
            std::thread::yield_now();
        }
        ended.store(true, Ordering::Relaxed);
    });
    assert_eq!(all.len(), SWAPS + 2);
    let numbers: Vec<_> = all.iter().map(|by| by.generation).collect();
    assert_eq!(numbers, (1..=1002).collect::<Vec<_>>());

    // Each settlement names a generation that there was, and says what its policy says.
    let alone = [0, 1].map(|at: usize| {
        let file = ["highest.wasm", "exact.wasm"][at];
        let policies = roomy(Duration::from_secs(60));
        let by = force(&policies, &shipped(file)).by();
        let settle = |exchange: &Exchange| policies.settle(exchange, &context()).unwrap();
        (
            by.policy,
            exchanges().map(|e| settle(&e).settlement.decision),
        )
    });
    assert_ne!(alone[0].1, alone[1].1, "there must be something to mix up");
    let served = served.into_inner().unwrap();
    assert!(served.len() > SWAPS, "only {}", served.len());
    let mut seen = std::collections::BTreeSet::new();
    for (kind, by, decision) in &served {
        let place = usize::try_from(by.generation).unwrap() - 1;
        assert_eq!(all[place], *by);
        let (_, said) = alone
            .iter()
            .find(|(policy, _)| *policy == by.policy)
            .unwrap();
        assert_eq!(&said[*kind], decision, "{by}");
        seen.insert(by.generation);
    }
    assert!(seen.len() > 10, "only {} generations served", seen.len());
}

#[test]
fn a_call_under_way_ends_on_what_it_began_with() {
    let slow = "(local $left i64)
        (local.set $left (i64.const 3000000))
        (loop (local.set $left (i64.sub (local.get $left) (i64.const 1)))
              (br_if 0 (i64.ne (local.get $left) (i64.const 0))))
        (i32.store8 (i32.const 1024) (i32.const 1)) i32.const 1024";
    let policies = roomy(Duration::from_secs(60));
    force(&policies, &judging(slow));
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| policies.settle(&exchange(None), &context()).unwrap());
        // Whether the call has begun or not: it names what it was settled by.
        force(&policies, &shipped("highest.wasm"));
        let served = slow.join().unwrap();
        let denied = matches!(&served.settlement.decision,
            Decision::Refused(rejection) if rejection.cause == Cause::PolicyDenied);
        assert_eq!(denied, served.by.generation == 1, "{served:?}");
        assert_eq!(
            policies
                .settle(&exchange(None), &context())
                .unwrap()
                .by
                .generation,
            2
        );
    });
}

/// Policies that may take that much time, whatever they do in it.
fn roomy(deadline: Duration) -> Policies {
    let limits = crate::Limits {
        fuel: u64::MAX,
        deadline,
        ..limits()
    };
    let admission = super::admission().limits(limits);
    Policies::open(admission, facets(), None, crate::gate::SILENT).unwrap()
}

#[test]
fn an_endless_policy_delays_nobody_by_more_than_its_deadline() {
    let deadline = Duration::from_secs(2);
    let policies = roomy(deadline);
    force(&policies, &judging("(loop (br 0)) unreachable"));
    std::thread::scope(|scope| {
        let stuck: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| policies.settle(&exchange(None), &context()).unwrap()))
            .collect();
        std::thread::sleep(Duration::from_millis(50));
        // These are refused before the policy is asked.
        for _ in 0..50 {
            let begun = Instant::now();
            let served = policies.settle(&exchange(Some("0.2")), &context()).unwrap();
            assert_eq!(served.failure, None);
            assert!(begun.elapsed() < deadline, "{:?}", begun.elapsed());
        }
        for stuck in stuck {
            let served = stuck.join().unwrap();
            let Decision::Refused(rejection) = &served.settlement.decision else {
                panic!("{served:?}")
            };
            assert_eq!(rejection.cause, Cause::PolicyFailed);
            let payload = &served.settlement.entry.payload;
            assert!(payload.contains(r#""reason":"unsupported""#), "{payload}");
        }
    });
}

#[test]
fn without_a_policy_everything_is_refused_on_record() {
    let policies = policies(None);
    for exchange in exchanges() {
        let served = policies.settle(&exchange, &context()).unwrap();
        assert!(matches!(served.settlement.decision, Decision::Refused(_)));
        assert!(served.failure.is_some());
        assert!(served.settlement.entry.payload.contains("refused"));
        assert_eq!((served.by.generation, served.by.policy), (0, None));
    }
    // It is nobody's fault, so nothing is to be reverted.
    assert_eq!(policies.status().failures, 0);
}

#[test]
fn a_policy_that_was_compared_with_something_else_is_not_installed() {
    use crate::error::InstallError;
    use crate::gate::{Gated, Inspected};
    let policies = policies(None);
    let gated = |artifact: Artifact, against| {
        let trusted = crate::trust::Trusted::bypassing_trust(artifact);
        let inspected = Inspected::new(trusted, super::runtime(), limits()).unwrap();
        Gated::by_force(inspected, "", &policies.admission().pluggable, against)
    };
    let (early, late) = (
        gated(shipped("exact.wasm"), 0),
        gated(shipped("highest.wasm"), 0),
    );
    policies.install(early).unwrap();
    let error = policies.install(late).unwrap_err();
    assert!(matches!(error, InstallError::Overtaken), "{error:?}");
    assert_eq!(policies.current().number(), 1);
}
