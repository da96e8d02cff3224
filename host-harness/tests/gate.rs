//! The gate: what it lets through, what it does not, and that no policy, however it
//! behaves, moves a decision below the floor.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod support;

use std::time::Duration;

use negotiator::gate::{
    Effect, FailureKind, Gate, GateError, Gated, Grid, InForce, Inspected, Replay, Report, SILENT,
};
use negotiator::proof;
use negotiator::trust::Trusted;
use negotiator::types::{Cause, Decision, Protocol};
use negotiator::{Artifact, Limits, Policy};
use support::{Wat, facets, pluggable, runtime, shipped};

fn judging(body: &str) -> Wat {
    Wat::obliging_policy().body("policy@2.0.0#judge", body)
}

fn tried(gate: &Gate, artifact: Artifact, limits: Limits) -> Result<Gated, GateError> {
    let inspected = Inspected::new(Trusted::bypassing_trust(artifact), runtime(), limits);
    let built_in = InForce::built_in(runtime()).unwrap();
    gate.run(inspected.unwrap(), "", &built_in, SILENT)
}

fn failures(wat: &Wat) -> Vec<FailureKind> {
    let artifact = Artifact::from_bytes(wat.component());
    let limits = Limits {
        fuel: 200_000,
        ..Limits::policy()
    };
    match tried(&Gate::new(pluggable()), artifact, limits) {
        Err(GateError::Failed(report)) => {
            assert!(!report.has_passed());
            assert!(report.problem().len() > 20);
            report.failures.iter().map(|failure| failure.kind).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_no_policy_may_do_fails_it() {
    assert_eq!(failures(&judging("unreachable")), [FailureKind::Trap]);
    assert_eq!(
        failures(&judging("(loop (br 0)) unreachable")),
        [FailureKind::Fuel]
    );
    let bomb = "(loop (br_if 0 (i32.ne (memory.grow (i32.const 64)) (i32.const -1)))) unreachable";
    assert_eq!(failures(&judging(bomb)), [FailureKind::Memory]);
    let invents = judging(
        "(i32.store (i32.const 1028) (i32.const 2048))
         (i32.store (i32.const 1032) (i32.const 3)) i32.const 1024",
    )
    .item(r#"(data (i32.const 2048) "9.9")"#);
    assert_eq!(failures(&invents), [FailureKind::ContractBreach]);
}

/// Grants the first candidate, and denies every second time.
fn fickle() -> Wat {
    judging(
        "(global.set $calls (i32.add (global.get $calls) (i32.const 1)))
         (i32.store8 (i32.const 1024) (i32.and (global.get $calls) (i32.const 1)))
         (i32.store (i32.const 1028) (i32.load (i32.load (i32.add (local.get 0) (i32.const 12)))))
         (i32.store (i32.const 1032)
           (i32.load offset=4 (i32.load (i32.add (local.get 0) (i32.const 12)))))
         i32.const 1024",
    )
    .item("(global $calls (mut i32) (i32.const 0))")
}

#[test]
fn an_answer_that_depends_on_what_was_asked_before_fails_it() {
    assert_eq!(failures(&fickle()), [FailureKind::NonDeterminism]);
    // Only the very first answer is another one.
    let first = fickle().body(
        "policy@2.0.0#judge",
        "(i32.store8 (i32.const 1024) (i32.eqz (global.get $calls)))
         (global.set $calls (i32.const 1))
         (i32.store (i32.const 1028) (i32.load (i32.load (i32.add (local.get 0) (i32.const 12)))))
         (i32.store (i32.const 1032)
           (i32.load offset=4 (i32.load (i32.add (local.get 0) (i32.const 12)))))
         i32.const 1024",
    );
    assert_eq!(failures(&first), [FailureKind::NonDeterminism]);
}

#[test]
fn a_policy_too_slow_for_the_gate_does_not_pass() {
    let gate = Gate::new(pluggable()).within(Duration::ZERO);
    let Err(GateError::Failed(report)) = tried(&gate, shipped("exact.wasm"), Limits::policy())
    else {
        panic!()
    };
    assert!(report.failures.iter().any(|f| f.kind == FailureKind::Late));
}

/// Requests that the two shipped policies settle differently, and alike.
fn replay() -> Replay {
    let request = |offers: &str| {
        format!(
            r#"{{"exchange":{{"protocol":"a2a","direction":"outbound","authenticated":true,
            "offers":["{offers}"]}},"context":{{"at":"2026-11-30T12:00:00Z"}}}}"#
        )
    };
    let captured = format!(r#"{{"id":"x","request":{}}}"#, request("0.3"));
    Replay::new(
        [
            request("0.3"),
            request("1.0"),
            "nonsense".to_owned(),
            captured,
        ]
        .iter()
        .map(|line| Replay::request(line)),
    )
}

#[test]
fn loosening_takes_an_allowance_and_the_report_tells_what_changes() {
    let gate = Gate::new(pluggable()).replaying(facets(), replay());
    let exact = tried(&gate, shipped("exact.wasm"), Limits::policy()).unwrap();
    let report = exact.report();
    assert!(report.has_passed());
    let changes = report.changes.as_ref().unwrap();
    assert_eq!((changes.loosened, changes.moved), (0, 0));
    assert!(changes.tightened > 10_000, "{}", changes.tightened);
    let counted: u64 = changes.groups.iter().map(|group| group.count).sum();
    assert_eq!(counted, changes.total());
    let replayed = report.replay.as_ref().unwrap();
    assert_eq!((replayed.exchanges, replayed.unreadable), (3, 1));
    assert_eq!((replayed.tightened, replayed.groups[0].line), (2, 1));
    assert_eq!(replayed.groups[0].effect, Effect::Tightened);
    assert!(report.grid.worst_fuel > 100 && report.grid.decisions > 500_000);
    // What is written can be read, and is the same the second time.
    assert_eq!(Report::from_json(&report.to_json()).as_ref(), Some(report));

    let running = {
        let limits = Limits::policy();
        let policy = Policy::load(runtime(), &shipped("exact.wasm"), limits).unwrap();
        InForce::of(pluggable(), &policy, "")
    };
    let inspected = || {
        let trusted = Trusted::bypassing_trust(shipped("highest.wasm"));
        Inspected::new(trusted, runtime(), Limits::policy()).unwrap()
    };
    let refused = Gate::new(pluggable()).run(inspected(), "", &running, SILENT);
    let Err(GateError::Failed(report)) = refused else {
        panic!()
    };
    let [failure] = report.failures.as_slice() else {
        panic!("{:?}", report.failures)
    };
    assert_eq!(failure.kind, FailureKind::Loosening);
    assert_eq!(failure.count, changes.tightened);
}

#[test]
fn settings_that_a_policy_does_not_take_are_an_error() {
    let trusted = Trusted::bypassing_trust(shipped("exact.wasm"));
    let inspected = Inspected::new(trusted, runtime(), Limits::policy()).unwrap();
    let built_in = InForce::built_in(runtime()).unwrap();
    let error = Gate::new(pluggable()).run(inspected, "no", &built_in, SILENT);
    assert!(matches!(error, Err(GateError::Configure(_))), "{error:?}");
}

/// Grants what stands at this place of the proposal, whether it is a candidate or not.
fn granting(offset: u32) -> Wat {
    judging(&format!(
        "(i32.store8 (i32.const 1024) (i32.const 0))
         (i32.store (i32.const 1028) (i32.load offset={offset} (local.get 0)))
         (i32.store (i32.const 1032) (i32.load offset={} (local.get 0)))
         i32.const 1024",
        offset.saturating_add(4)
    ))
}

/// Grants the lowest candidate that there is.
fn granting_the_lowest() -> Wat {
    judging(
        "(local $last i32)
         (local.set $last (i32.add
           (i32.load offset=12 (local.get 0))
           (i32.mul (i32.const 8) (i32.sub (i32.load offset=16 (local.get 0)) (i32.const 1)))))
         (i32.store8 (i32.const 1024) (i32.const 0))
         (i32.store (i32.const 1028) (i32.load (local.get $last)))
         (i32.store (i32.const 1032) (i32.load offset=4 (local.get $last)))
         i32.const 1024",
    )
}

#[test]
fn a_component_that_grants_everything_loosens_nothing_over_the_complete_grid() {
    // What was asked for, the host's floor, and the lowest candidate.
    let greedy = [granting(4), granting(28), granting_the_lowest()];
    let mut accepted = [0; 3];
    let mut broke = [0; 3];
    for (at, wat) in greedy.iter().enumerate() {
        let artifact = Artifact::from_bytes(wat.component());
        let policy = Policy::load(runtime(), &artifact, Limits::policy()).unwrap();
        let loaded = pluggable().with(&policy).keep(1);
        for protocol in [Protocol::A2a, Protocol::Mcp] {
            let exchanges = proof::exchanges(protocol);
            for posture in proof::postures(protocol) {
                let negotiator = loaded.configure(posture.clone(), "").unwrap();
                let decided = negotiator.decide_many(&exchanges).unwrap();
                for (exchange, decided) in exchanges.iter().zip(decided) {
                    assert_eq!(decided.failure, None);
                    match &decided.decision {
                        Decision::Accepted(_) => {
                            accepted[at] += 1;
                            proof::check_decision(&posture, exchange, &decided.decision).unwrap();
                        }
                        Decision::Refused(rejection) => {
                            broke[at] += u64::from(rejection.cause == Cause::PolicyBrokeContract);
                        }
                    }
                }
            }
        }
    }
    assert!(accepted.iter().all(|count| *count > 5_000), "{accepted:?}");
    assert!(broke[0] > 0 && broke[1] > 0 && broke[2] == 0, "{broke:?}");
}

#[test]
fn the_grid_of_a_host_looks_at_its_own_versions() {
    let grid = Grid::of_host(&facets());
    assert!(grid.decisions() > 500, "{}", grid.decisions());
    let load = |file| {
        let policy = Policy::load(runtime(), &shipped(file), Limits::policy()).unwrap();
        InForce::of(pluggable(), &policy, "")
    };
    let mut count = 0;
    let changes = negotiator::gate::differences(
        &grid,
        &load("exact.wasm"),
        &load("highest.wasm"),
        SILENT,
        |change| {
            count += 1;
            assert_eq!(change.effect, Effect::Loosened);
        },
    );
    let changes = changes.unwrap();
    assert!(count > 10 && changes.loosened == count, "{count}");
}
