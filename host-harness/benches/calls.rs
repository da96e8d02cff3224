//! What a call costs: `cargo bench --bench calls`.
//!
//! Times depend on the machine and its load; compare the rows of one run. The first
//! row is the yardstick: a call into a component that does nothing, without limits
//! and without this crate.
#![expect(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    reason = "a benchmark"
)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::hint::black_box;
use std::time::{Duration, Instant};

use negotiator::{Artifact, Limits, Negotiator, Pluggable, Policy, Runtime};
use support::{Wat, context, exchange, facets};
use wasmtime::component::{Component, Linker};
use wasmtime::{Engine, Store};

fn main() {
    let bare = bare();
    let row = |name: &str, nanoseconds: f64| {
        println!(
            "{name:<58} {nanoseconds:>10.0} ns {:>8.2}x",
            nanoseconds / bare
        );
    };
    row("bare component call", bare);

    let runtime = Runtime::new().unwrap();
    let load =
        |artifact: &Artifact| Negotiator::load(&runtime, artifact, Limits::negotiator()).unwrap();
    let (exchange, context) = (exchange(Some("1.0")), context());
    let idle = Artifact::from_bytes(Wat::obliging("negotiator-closed").component());
    let negotiator = load(&idle).configure(facets(), "").unwrap();
    row(
        "decide, in a component that does nothing",
        time(|| {
            black_box(negotiator.decide(black_box(&exchange)).unwrap());
        }),
    );
    let fresh = load(&idle).keep(0).configure(facets(), "").unwrap();
    row(
        "the same in a new instance",
        time(|| {
            black_box(fresh.decide(black_box(&exchange)).unwrap());
        }),
    );
    let asking = Artifact::from_bytes(Wat::asking().component());
    let asking = Pluggable::load(&runtime, &asking, Limits::negotiator()).unwrap();
    let policy = Artifact::from_bytes(Wat::obliging_policy().component());
    let policy = Policy::load(&runtime, &policy, Limits::policy()).unwrap();
    let asked = asking.with(&policy).configure(facets(), "").unwrap();
    row(
        "the same with a policy that is asked",
        time(|| {
            black_box(asked.decide(black_box(&exchange)).unwrap());
        }),
    );
    row(
        "with the policy put in anew",
        time(|| {
            black_box(asking.with(&policy).configure(facets(), "").unwrap());
        }),
    );
    let certified = load(&Artifact::embedded());
    let (kept, fresh) = (certified.clone(), certified.keep(0));
    let kept = kept.configure(facets(), "").unwrap();
    let fresh = fresh.configure(facets(), "").unwrap();
    row(
        "decide, in the certified component",
        time(|| {
            black_box(kept.decide(black_box(&exchange)).unwrap());
        }),
    );
    let batch = vec![exchange.clone(); 1024];
    let many = time(|| {
        black_box(kept.decide_many(black_box(&batch)).unwrap());
    });
    row("one of a thousand in decide_many", many / 1024.0);
    row(
        "settle, in the certified component",
        time(|| {
            black_box(kept.settle(black_box(&exchange), &context).unwrap());
        }),
    );
    row(
        "the same in a new instance",
        time(|| {
            black_box(fresh.settle(black_box(&exchange), &context).unwrap());
        }),
    );
    row(
        "compile the certified component",
        time(|| {
            black_box(load(&Artifact::embedded()));
        }),
    );
}

/// A component's empty function, in an engine without fuel and deadlines.
fn bare() -> f64 {
    let engine = Engine::default();
    let text = r#"(component
        (core module $m (func (export "f")))
        (core instance $i (instantiate $m))
        (func (export "f") (canon lift (core func $i "f"))))"#;
    let component = Component::from_binary(&engine, &wat::parse_str(text).unwrap()).unwrap();
    let mut store = Store::new(&engine, ());
    let instance = Linker::new(&engine)
        .instantiate(&mut store, &component)
        .unwrap();
    let function = instance.get_typed_func::<(), ()>(&mut store, "f").unwrap();
    time(|| function.call(&mut store, ()).unwrap())
}

/// Nanoseconds of one call: the median of 41 samples, each as many calls as fit into
/// five milliseconds.
fn time(mut call: impl FnMut()) -> f64 {
    let mut sample = |calls: u32| {
        let begun = Instant::now();
        for _ in 0..calls {
            call();
        }
        begun.elapsed()
    };
    let mut calls = 1;
    while sample(calls) < Duration::from_millis(5) {
        calls *= 2;
    }
    let mut samples = [(); 41].map(|()| sample(calls).as_secs_f64() * 1e9 / f64::from(calls));
    samples.sort_by(f64::total_cmp);
    samples[20]
}
