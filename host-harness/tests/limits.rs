//! What a component does wrong stays its own problem: every way of failing is told
//! from the others, ends the instance, and leaves a refusal on record.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod support;

use std::time::{Duration, Instant};

use negotiator::error::{CallError, ConfigureError, SettleError};
use negotiator::types::{Cause, Decision, Refusal};
use negotiator::{Artifact, Limits, Loaded, Negotiator};
use support::{REALLOC, Wat, context, exchange, facets, runtime};
use wasmtime::Trap;

const SETTLE: &str = "record@2.0.0#settle";
const REFUSE: &str = "record@2.0.0#refuse";
const DIGEST: &str = "record@2.0.0#digest-origin";
const LOOP: &str = "(loop (br 0)) unreachable";

fn load(wat: &Wat, limits: Limits) -> Loaded {
    Negotiator::load(runtime(), &Artifact::from_bytes(wat.component()), limits).unwrap()
}

fn configure(wat: &Wat) -> Negotiator {
    configure_with(wat, small())
}

fn configure_with(wat: &Wat, limits: Limits) -> Negotiator {
    load(wat, limits).configure(facets(), "").unwrap()
}

fn closed() -> Wat {
    Wat::obliging("negotiator-closed")
}

/// Fuel for what the test components do, and little more.
fn small() -> Limits {
    Limits {
        fuel: 100_000,
        memory: 1 << 20,
        ..Limits::negotiator()
    }
}

/// Settles and gives the failure; what the host gets must be the refusal for it.
fn failure_of_settle(negotiator: &Negotiator) -> CallError {
    let settled = negotiator
        .settle(&exchange(Some("1.0")), &context())
        .unwrap();
    let Decision::Refused(rejection) = &settled.settlement.decision else {
        panic!("accepted although the component failed")
    };
    assert_eq!(
        (rejection.refusal, rejection.cause),
        (Refusal::Unsupported, Cause::PolicyFailed)
    );
    settled.failure.unwrap()
}

#[test]
fn a_component_that_keeps_to_its_limits_is_not_disturbed() {
    let settled = configure(&closed())
        .settle(&exchange(Some("1.0")), &context())
        .unwrap();
    assert_eq!(settled.failure, None);
    let Decision::Refused(rejection) = &settled.settlement.decision else {
        panic!()
    };
    assert_eq!(rejection.cause, Cause::PolicyDenied);
}

#[test]
fn an_endless_loop_runs_out_of_fuel() {
    let negotiator = configure(&closed().body(SETTLE, LOOP));
    assert_eq!(
        failure_of_settle(&negotiator),
        CallError::OutOfFuel { fuel: 100_000 }
    );
}

#[test]
fn an_endless_loop_with_fuel_to_spare_runs_into_its_deadline() {
    let deadline = Duration::from_millis(50);
    let limits = Limits {
        fuel: u64::MAX,
        deadline,
        ..small()
    };
    let negotiator = configure_with(&closed().body(SETTLE, LOOP), limits);
    let begun = Instant::now();
    assert_eq!(
        failure_of_settle(&negotiator),
        CallError::Deadline { deadline }
    );
    assert!(
        begun.elapsed() >= deadline,
        "stopped after {:?}",
        begun.elapsed()
    );
}

#[test]
fn a_trap_is_told_by_its_kind() {
    let cases = [
        ("unreachable", Trap::UnreachableCodeReached),
        (
            "(drop (i32.load (i32.const -8))) i32.const 0",
            Trap::MemoryOutOfBounds,
        ),
        (
            "(i32.div_u (i32.const 1) (i32.const 0))",
            Trap::IntegerDivisionByZero,
        ),
    ];
    for (body, trap) in cases {
        let negotiator = configure(&closed().body(SETTLE, body));
        assert_eq!(failure_of_settle(&negotiator), CallError::Trap(trap));
    }
}

#[test]
fn endless_recursion_exhausts_its_stack_and_not_that_of_the_host() {
    let wat = closed()
        .body(SETTLE, "call $deeper")
        .item("(func $deeper (result i32) call $deeper)");
    let negotiator = configure_with(
        &wat,
        Limits {
            fuel: u64::MAX,
            ..small()
        },
    );
    assert_eq!(
        failure_of_settle(&negotiator),
        CallError::Trap(Trap::StackOverflow)
    );
}

#[test]
fn a_memory_bomb_gets_no_more_than_its_limit() {
    let bomb = "(loop (br_if 0 (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))) unreachable";
    let negotiator = configure(&closed().body(SETTLE, bomb));
    let limits = small();
    assert_eq!(
        failure_of_settle(&negotiator),
        CallError::OutOfMemory {
            limit: limits.memory,
            elements: limits.table_elements
        }
    );
}

#[test]
fn a_table_bomb_gets_no_more_than_its_limit() {
    let wat = closed()
        .item("(table $t 1 funcref)")
        .body(SETTLE, "(loop (br_if 0 (i32.ne (table.grow $t (ref.null func) (i32.const 999)) (i32.const -1)))) unreachable");
    let negotiator = configure(&wat);
    assert!(matches!(
        failure_of_settle(&negotiator),
        CallError::OutOfMemory { .. }
    ));
}

#[test]
fn memory_counts_over_all_memories_of_a_component() {
    let wat = closed().memory("10").item("(memory 10)");
    let error = load(&wat, small()).configure(facets(), "").unwrap_err();
    assert!(
        matches!(error, ConfigureError::Call(CallError::OutOfMemory { .. })),
        "{error:?}"
    );
    load(
        &wat,
        Limits {
            memory: 2 << 20,
            ..small()
        },
    )
    .configure(facets(), "")
    .unwrap();
}

#[test]
fn an_answer_larger_than_any_legal_one_is_not_copied() {
    // Some text of 512 KiB: zeros, which are valid UTF-8.
    let giant = r#"(data (i32.const 2048) "\01\00\00\00\00\00\00\00\00\00\08\00")"#;
    let wat = closed()
        .memory("12")
        .item(giant)
        .body(DIGEST, "i32.const 2048");
    let answer = configure(&wat).digest_origin("https://peer.example");
    assert_eq!(answer, Err(CallError::AnswerTooLarge { limit: 256 * 1024 }));
    let roomy = Limits {
        answer: 600 * 1024,
        ..small()
    };
    let answer = configure_with(&wat, roomy)
        .digest_origin("https://peer.example")
        .unwrap();
    assert_eq!(answer.map(|text| text.len()), Some(512 * 1024));
}

#[test]
fn an_answer_outside_of_its_type_is_malformed() {
    let cases = [
        ("a discriminant that does not exist", r"\07"),
        (
            "text outside of memory",
            r"\01\00\00\00\00\00\00\00\ff\ff\ff\00",
        ),
        (
            "text that is not UTF-8",
            r"\01\00\00\00\0c\08\00\00\01\00\00\00\ff",
        ),
    ];
    for (what, bytes) in cases {
        let wat = closed()
            .memory("12")
            .item(&format!(r#"(data (i32.const 2048) "{bytes}")"#))
            .body(DIGEST, "i32.const 2048");
        let answer = configure(&wat).digest_origin("https://peer.example");
        assert!(
            matches!(answer, Err(CallError::AnswerMalformed(_))),
            "{what}: {answer:?}"
        );
    }
}

#[test]
fn an_allocator_that_points_outside_of_memory_is_found_out() {
    let wat = closed().body(REALLOC, "i32.const -65536");
    let error = load(&wat, small()).configure(facets(), "").unwrap_err();
    let malformed = matches!(error, ConfigureError::Call(CallError::AnswerMalformed(_)));
    assert!(malformed, "{error:?}");
}

#[test]
fn a_start_function_runs_within_the_same_limits() {
    let wat = closed().item("(func $start (loop (br 0)))(start $start)");
    let error = load(&wat, small()).configure(facets(), "").unwrap_err();
    let fuel = matches!(
        error,
        ConfigureError::Call(CallError::OutOfFuel { fuel: 100_000 })
    );
    assert!(fuel, "{error:?}");
}

#[test]
fn more_memory_than_allowed_from_the_start_makes_no_instance() {
    let error = load(&closed().memory("100"), small())
        .configure(facets(), "")
        .unwrap_err();
    assert!(
        matches!(error, ConfigureError::Call(CallError::OutOfMemory { .. })),
        "{error:?}"
    );
}

#[test]
fn a_component_that_cannot_even_refuse_leaves_an_error_and_an_answer() {
    let negotiator = configure(&closed().body(SETTLE, LOOP).body(REFUSE, "unreachable"));
    let error = negotiator.settle(&exchange(None), &context()).unwrap_err();
    assert_eq!(
        error,
        SettleError::Unanswered {
            first: CallError::OutOfFuel { fuel: 100_000 },
            second: CallError::Trap(Trap::UnreachableCodeReached),
        }
    );
    // `not-durable` traps as well.
    let reply = negotiator.not_durable(&exchange(None));
    assert_eq!(reply.status, 503);
    assert_eq!(reply.headers, [("Retry-After".to_owned(), "1".to_owned())]);
}

#[test]
fn a_decision_that_fails_is_a_refusal_one_by_one_and_in_batches() {
    let wat = closed().body("negotiate@2.0.0#decide", LOOP);
    let negotiator = configure(&wat);
    let exchanges = vec![exchange(Some("1.0")); 130];
    // `decide-many` traps, so each is decided alone, and fails alone.
    for decided in negotiator.decide_many(&exchanges).unwrap() {
        let Decision::Refused(rejection) = &decided.decision else {
            panic!()
        };
        assert_eq!(rejection.cause, Cause::PolicyFailed);
        assert_eq!(
            decided.failure,
            Some(CallError::OutOfFuel { fuel: 100_000 })
        );
    }
}

#[test]
fn a_batch_that_comes_back_short_is_not_taken() {
    // An empty list, whatever was asked.
    let wat = closed().body("negotiate@2.0.0#decide-many", "i32.const 1024");
    let decided = configure(&wat)
        .decide_many(&vec![exchange(None); 70])
        .unwrap();
    assert_eq!(decided.len(), 70);
}

/// Answers `digest-origin` with as many `x` as there were calls before this one.
fn counting() -> Wat {
    closed()
        .item("(global $calls (mut i32) (i32.const 0))")
        .body(
            DIGEST,
            "(i32.store8 (i32.const 3072) (i32.const 1))
         (i32.store (i32.const 3076) (i32.const 3100))
         (i32.store (i32.const 3080) (global.get $calls))
         (memory.fill (i32.const 3100) (i32.const 120) (global.get $calls))
         (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
         i32.const 3072",
        )
}

fn calls_before(negotiator: &Negotiator) -> usize {
    negotiator.digest_origin("").unwrap().unwrap().len()
}

#[test]
fn an_instance_is_used_again_until_it_fails() {
    let refuse = "(global.set $calls (i32.add (global.get $calls) (i32.const 10))) i32.const 512";
    let negotiator = configure(&counting().body(SETTLE, "unreachable").body(REFUSE, refuse));
    assert_eq!([(); 3].map(|()| calls_before(&negotiator)), [0, 1, 2]);
    failure_of_settle(&negotiator);
    // The one that refused was new, and is kept from now on.
    assert_eq!([(); 3].map(|()| calls_before(&negotiator)), [10, 11, 12]);
}

#[test]
fn without_kept_instances_nothing_passes_from_one_call_to_the_next() {
    let negotiator = load(&counting(), small())
        .keep(0)
        .configure(facets(), "")
        .unwrap();
    assert_eq!([(); 3].map(|()| calls_before(&negotiator)), [0, 0, 0]);
}

#[test]
fn a_call_that_failed_leaves_nothing_to_the_next() {
    // Memory that was denied in one call must not be blamed for a trap in another.
    let wat = closed()
        .body(
            DIGEST,
            "(drop (memory.grow (i32.const 999))) i32.const 1024",
        )
        .body(SETTLE, "unreachable");
    let negotiator = configure(&wat);
    assert_eq!(negotiator.digest_origin(""), Ok(None));
    let trap = CallError::Trap(Trap::UnreachableCodeReached);
    assert_eq!(failure_of_settle(&negotiator), trap);
}

#[test]
fn each_call_has_the_whole_fuel() {
    // A little more than half of the fuel, and of course no more the second time.
    let wat = closed()
        .item("(global $left (mut i32) (i32.const 0))")
        .body(
            DIGEST,
            "(global.set $left (i32.const 9000))
         (loop
           (global.set $left (i32.sub (global.get $left) (i32.const 1)))
           (br_if 0 (global.get $left)))
         i32.const 1024",
        );
    let negotiator = configure(&wat);
    for _ in 0..5 {
        assert_eq!(negotiator.digest_origin(""), Ok(None));
    }
    let half = configure_with(
        &wat,
        Limits {
            fuel: 50_000,
            ..small()
        },
    );
    assert_eq!(
        half.digest_origin(""),
        Err(CallError::OutOfFuel { fuel: 50_000 })
    );
}

#[test]
fn the_deadline_begins_with_the_call() {
    let limits = Limits {
        deadline: Duration::from_millis(20),
        ..small()
    };
    let negotiator = configure_with(&counting(), limits);
    for before in 0..5 {
        // Several deadlines pass between the calls, in none of them.
        std::thread::sleep(Duration::from_millis(60));
        assert_eq!(calls_before(&negotiator), before);
    }
}

#[test]
fn a_result_that_is_no_number_has_the_same_bits_on_every_machine() {
    let wat = closed()
        .item(r#"(data (i32.const 2048) "\01\00\a0\7f")"#)
        .body(
            DIGEST,
            "(if (i32.ne
               (i32.reinterpret_f32 (f32.add (f32.load (i32.const 2048)) (f32.const 1)))
               (i32.const 0x7fc00000))
           (then unreachable))
         i32.const 1024",
        );
    assert_eq!(configure(&wat).digest_origin(""), Ok(None));
}

#[test]
fn fuel_is_metered_to_the_instruction() {
    let fuel = |constants: usize| {
        let body = format!("{} i32.const 256", "(drop (i32.const 0))".repeat(constants));
        let negotiator = configure(&closed().body("negotiate@2.0.0#decide", &body));
        let [first, second] = [(); 2].map(|()| negotiator.decide_metered(&exchange(None)).unwrap());
        assert_eq!(first, second);
        assert_eq!(first.1.policy, 0);
        first.1.negotiator
    };
    assert_eq!(fuel(1_000), fuel(0) + 1_000);

    let (decided, fuel) = configure(&closed().body("negotiate@2.0.0#decide", LOOP))
        .decide_metered(&exchange(None))
        .unwrap();
    assert!(decided.failure.is_some());
    assert!(fuel.negotiator >= 100_000, "{fuel:?}");
}
