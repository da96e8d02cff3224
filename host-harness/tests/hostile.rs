//! The policies of `tests/hostile`, put in without any gate: every exchange ends in the refusal
//! that belongs to it, with its record, and nothing is left of it for the next.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::arithmetic_side_effects,
    reason = "a test"
)]

mod support;

use std::fs;
use std::path::Path;
use std::time::Duration;

use negotiator::error::{CallError, LoadError};
use negotiator::types::{Cause, Decision, Direction, Exchange, HostRefusal, Refusal};
use negotiator::{Artifact, Limits, Negotiator, Policy, Settled, World};
use support::{context, exchange, facets, pluggable, runtime};
use wasmtime::Trap;

fn file(name: &str) -> Artifact {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/hostile");
    let bytes = wat::parse_file(folder.join(format!("{name}.wat"))).unwrap();
    Artifact::from_bytes(bytes)
}

fn policy(artifact: &Artifact) -> Policy {
    Policy::load(runtime(), artifact, Limits::policy()).unwrap()
}

/// The door of this test: no trust, no gate.
fn force(name: &str) -> Negotiator {
    let policy = policy(&file(name));
    pluggable().with(&policy).configure(facets(), "").unwrap()
}

/// What can be told apart: named, not named, below the floor, not offered; inbound and outbound;
/// with and without a credential.
fn exchanges() -> Vec<Exchange> {
    let mut all = Vec::new();
    for authenticated in [true, false] {
        for named in [None, Some("0.2"), Some("0.3"), Some("1.0"), Some("2.0")] {
            let inbound = Exchange {
                authenticated,
                ..exchange(named)
            };
            for offers in [&[][..], &["0.3"], &["0.3", "1.0"], &["0.2"]] {
                let offers = offers.iter().map(|&text| text.to_owned()).collect();
                all.push(Exchange {
                    direction: Direction::Outbound,
                    offers: Some(offers),
                    ..inbound.clone()
                });
            }
            all.push(inbound);
        }
    }
    all
}

fn settle(negotiator: &Negotiator, exchange: &Exchange) -> Settled {
    let settled = negotiator.settle(exchange, &context()).unwrap();
    let (settlement, payload) = (&settled.settlement, &settled.settlement.entry.payload);
    assert!(settlement.entry.event.is_some(), "no record: {settled:?}");
    let (outcome, status) = match &settlement.decision {
        Decision::Accepted(_) => (r#""outcome":"accepted""#, 200),
        Decision::Refused(_) => (r#""outcome":"refused""#, 400),
    };
    assert!(payload.contains(outcome), "{payload}");
    assert!(settlement.reply.status >= status, "{settlement:?}");
    settled
}

/// Asks a hostile policy everything, beside one that does as it should.
fn every_exchange_is_refused(name: &str, cause: Cause, failed: impl Fn(&CallError) -> bool) {
    let (good, bad) = (force("well-behaved"), force(name));
    let mut asked = 0;
    for exchange in exchanges() {
        let (expected, found) = (settle(&good, &exchange), settle(&bad, &exchange));
        assert_eq!(expected.failure, None);
        if matches!(expected.settlement.decision, Decision::Refused(_)) {
            // No policy is asked, so it makes no difference which.
            assert_eq!(found.settlement, expected.settlement, "{name}");
            assert_eq!(found.failure, None, "{name}");
            continue;
        }
        asked += 1;
        let Decision::Refused(rejection) = &found.settlement.decision else {
            panic!("{name}: accepted {exchange:?}");
        };
        let refused = (rejection.refusal, rejection.cause);
        assert_eq!(refused, (Refusal::Unsupported, cause), "{name}");
        match (&found.failure, cause) {
            (Some(CallError::Policy(failure)), Cause::PolicyFailed) => {
                assert!(failed(failure), "{name}: {failure:?}");
            }
            (None, Cause::PolicyBrokeContract) => {}
            (other, _) => panic!("{name}: {other:?}"),
        }
    }
    assert!(asked >= 10, "only {asked} exchanges reach a policy");
    // The next policy finds nothing of it.
    let settled = settle(&force("well-behaved"), &exchange(None));
    assert!(matches!(settled.settlement.decision, Decision::Accepted(_)));
}

#[test]
fn an_endless_loop() {
    every_exchange_is_refused("endless-loop", Cause::PolicyFailed, |failure| {
        matches!(
            failure,
            CallError::OutOfFuel { .. } | CallError::Deadline { .. }
        )
    });
}

#[test]
fn a_trap() {
    every_exchange_is_refused("unreachable", Cause::PolicyFailed, |failure| {
        *failure == CallError::Trap(Trap::UnreachableCodeReached)
    });
}

#[test]
fn a_trap_in_the_allocator() {
    every_exchange_is_refused("trap-in-realloc", Cause::PolicyFailed, |failure| {
        *failure == CallError::Trap(Trap::UnreachableCodeReached)
    });
}

#[test]
fn a_trap_after_a_legal_answer() {
    every_exchange_is_refused("trap-in-post-return", Cause::PolicyFailed, |failure| {
        *failure == CallError::Trap(Trap::UnreachableCodeReached)
    });
}

#[test]
fn a_giant_answer() {
    let limit = Limits::policy().answer;
    every_exchange_is_refused("giant-answer", Cause::PolicyFailed, |failure| {
        *failure == CallError::AnswerTooLarge { limit }
    });
}

#[test]
fn a_version_that_is_no_candidate() {
    every_exchange_is_refused("outside-candidates", Cause::PolicyBrokeContract, |_| false);
}

#[test]
fn a_memory_bomb_costs_the_host_no_more_than_one_limit() {
    let before = resident();
    every_exchange_is_refused("memory-bomb", Cause::PolicyFailed, |failure| {
        matches!(failure, CallError::OutOfMemory { .. })
    });
    // Each exchange that asks it takes 64 MiB; there are more than ten of them.
    let bound = 4 * Limits::policy().memory;
    if let (Some(before), Some(after)) = (before, resident()) {
        assert!(after.saturating_sub(before) < bound, "{before} to {after}");
    }
}

/// Bytes of this process in memory, where the system tells.
fn resident() -> Option<usize> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: usize = line.trim().strip_suffix(" kB")?.parse().ok()?;
    kib.checked_mul(1024)
}

#[test]
fn a_policy_that_changes_its_mind_gets_no_further_than_a_denial() {
    let negotiator = force("changes-its-mind");
    let said = [(); 3].map(|()| {
        let settled = settle(&negotiator, &exchange(Some("1.0")));
        assert_eq!(settled.failure, None);
        match settled.settlement.decision {
            Decision::Accepted(acceptance) => Ok(acceptance.version),
            Decision::Refused(rejection) => Err(rejection.cause),
        }
    });
    let denied = Err(Cause::PolicyDenied);
    assert_eq!(said, [Ok("1.0".to_owned()), denied.clone(), denied]);
}

#[test]
fn what_is_no_policy_does_not_load_and_says_why() {
    let load = |artifact: &Artifact| Policy::load(runtime(), artifact, Limits::policy());
    let error = load(&file("extra-import")).unwrap_err();
    let LoadError::Imports { names, .. } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(
        names,
        &["openwop:negotiation/clock@2.0.0", "wasi:sockets/tcp@0.2.0"]
    );
    let error = load(&file("wrong-version")).unwrap_err();
    assert!(
        matches!(&error, LoadError::WrongWorld { expected: World::PolicyProvider, found: None, problem }
            if problem.contains("policy@2.0.0")),
        "{error:?}"
    );
    let error = load(&file("core-module")).unwrap_err();
    assert!(
        matches!(error, LoadError::NotAComponent { .. }),
        "{error:?}"
    );

    let whole = file("well-behaved");
    for kept in [whole.bytes().len() / 2, whole.bytes().len() - 1, 8, 4, 3, 0] {
        let piece = Artifact::from_bytes(whole.bytes()[..kept].to_vec());
        assert!(load(&piece).is_err(), "{kept} bytes of it");
    }
}

#[test]
fn without_a_policy_every_exchange_that_needs_one_is_refused() {
    let good = force("well-behaved");
    for exchange in exchanges() {
        let expected = settle(&good, &exchange).settlement;
        let refused = good
            .refuse(&exchange, &context(), HostRefusal::PolicyFailed)
            .unwrap();
        match expected.decision {
            Decision::Refused(_) => assert_eq!(refused, expected),
            Decision::Accepted(_) => {
                let Decision::Refused(rejection) = refused.decision else {
                    panic!("accepted without a policy");
                };
                assert_eq!(rejection.cause, Cause::PolicyFailed);
            }
        }
    }
}

#[test]
fn others_are_settled_while_a_policy_runs_away() {
    let limits = Limits {
        fuel: u64::MAX,
        deadline: Duration::from_millis(300),
        ..Limits::policy()
    };
    let endless = Policy::load(runtime(), &file("endless-loop"), limits).unwrap();
    let endless = pluggable().with(&endless).configure(facets(), "").unwrap();
    let good = force("well-behaved");
    std::thread::scope(|scope| {
        let running = scope.spawn(|| settle(&endless, &exchange(None)));
        let mut settled = 0;
        while !running.is_finished() {
            let other = settle(&good, &exchange(None));
            assert_eq!(other.failure, None);
            settled += 1;
        }
        let failure = running.join().unwrap().failure;
        assert!(matches!(failure, Some(CallError::Policy(_))), "{failure:?}");
        assert!(settled > 0, "nothing was settled meanwhile");
    });
}
