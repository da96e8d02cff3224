//! The negotiator itself.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use negotiation_core::facet::Member;
use negotiation_core::{
    FacetText, Highest, Named, Posture, Protocol, Surface, Version, decide, decision,
};
use negotiator::types::Decision;
use negotiator::{Artifact, Limits, Negotiator, Pluggable, Policy, Runtime};
use negotiator_benches::{FLOOR, NAMED, OFFERED, PREFERRED, QUESTIONS, context, exchange, facets};
use wasmtime::component::{Component, Linker};
use wasmtime::{Config, Engine, Store};

use crate::table::OURS;

/// How many decisions one call of `decide-many` makes.
pub const BATCH: usize = 1024;

pub fn measure(criterion: &mut Criterion) {
    bare(criterion);
    native(criterion);

    let runtime = Runtime::new().unwrap();
    let load =
        |artifact: &Artifact| Negotiator::load(&runtime, artifact, Limits::negotiator()).unwrap();
    let certified = load(&Artifact::embedded());
    let kept = certified.clone().configure(facets(), "").unwrap();
    let fresh = certified.keep(0).configure(facets(), "").unwrap();
    let policy = format!(
        "{}/../../dist/policies/highest.wasm",
        env!("CARGO_MANIFEST_DIR")
    );
    let policy = Artifact::from_file(policy).unwrap();
    let policy = Policy::load(&runtime, &policy, Limits::policy()).unwrap();
    let open = Artifact::embedded_pluggable();
    let open = Pluggable::load(&runtime, &open, Limits::negotiator()).unwrap();
    let plugged = open.with(&policy).configure(facets(), "").unwrap();
    for (named, authenticated, accepted) in QUESTIONS {
        let asked = exchange(named, authenticated);
        for negotiator in [&kept, &fresh, &plugged] {
            let decision = negotiator.decide(&asked).unwrap();
            let is_accepted = matches!(decision.decision, Decision::Accepted(_));
            assert_eq!(is_accepted, accepted, "{named}");
        }
    }

    let mut group = criterion.benchmark_group(OURS);
    let (asked, context) = (exchange(NAMED, true), context());
    group.bench_function("decide, kept instance", |b| {
        b.iter(|| kept.decide(black_box(&asked)).unwrap());
    });
    group.bench_function("decide, kept instance, exchange built in the call", |b| {
        b.iter(|| kept.decide(&exchange(black_box(NAMED), true)).unwrap());
    });
    group.bench_function("decide, kept instance, policy plugged in", |b| {
        b.iter(|| plugged.decide(black_box(&asked)).unwrap());
    });
    group.bench_function("decide, fresh instance", |b| {
        b.iter(|| fresh.decide(black_box(&asked)).unwrap());
    });
    group.bench_function("settle, kept instance", |b| {
        b.iter(|| kept.settle(black_box(&asked), &context).unwrap());
    });
    group.bench_function("settle, fresh instance", |b| {
        b.iter(|| fresh.settle(black_box(&asked), &context).unwrap());
    });
    let batch = vec![asked.clone(); BATCH];
    group.throughput(Throughput::Elements(BATCH as u64));
    group.bench_function(BenchmarkId::new("decide-many", BATCH), |b| {
        b.iter(|| kept.decide_many(black_box(&batch)).unwrap());
    });
    group.finish();

    let mut group = criterion.benchmark_group(OURS);
    group.sample_size(10);
    group.bench_function("load from wasm", |b| {
        b.iter(|| load(&Artifact::embedded()));
    });
    group.finish();
}

/// A component's empty function, in an engine that does nothing else, and in one that counts fuel
/// and looks at a deadline as ours does.
fn bare(criterion: &mut Criterion) {
    let text = r#"(component
        (core module $m (func (export "f")))
        (core instance $i (instantiate $m))
        (func (export "f") (canon lift (core func $i "f"))))"#;
    let mut group = criterion.benchmark_group(OURS);
    for (name, metered) in [
        ("bare call", false),
        ("bare call, with fuel and deadline", true),
    ] {
        let mut config = Config::new();
        config.consume_fuel(metered).epoch_interruption(metered);
        let engine = Engine::new(&config).unwrap();
        let component = Component::from_binary(&engine, &wat::parse_str(text).unwrap()).unwrap();
        let mut store = Store::new(&engine, ());
        if metered {
            store.set_fuel(u64::MAX).unwrap();
            store.set_epoch_deadline(1_000_000);
        }
        let instance = Linker::new(&engine)
            .instantiate(&mut store, &component)
            .unwrap();
        let function = instance.get_typed_func::<(), ()>(&mut store, "f").unwrap();
        group.bench_function(name, |b| {
            b.iter(|| function.call(&mut store, ()).unwrap());
        });
    }
    group.finish();
}

/// The same rules as plain Rust in this process: what the sandbox costs on top.
fn native(criterion: &mut Criterion) {
    let offered = OFFERED.map(Member::Given);
    let facet = FacetText {
        offered: Member::Given(&offered),
        preferred: Member::Given(PREFERRED),
        floor: Member::Given(FLOOR),
    };
    let posture = Posture::check(Some(facet), None).unwrap();
    let ask = |named: &str, authenticated| negotiation_core::Exchange {
        protocol: Protocol::A2a,
        direction: negotiation_core::Direction::Inbound,
        authenticated,
        surface: Surface::A2aCall,
        named: Named::One(Version::parse(Protocol::A2a, named).unwrap()),
        session: None,
        offers: Vec::new(),
        answered: None,
    };
    let decide = |exchange: &negotiation_core::Exchange| {
        let none = decision::Circumstances::default();
        decide(&posture, exchange, none, &mut Highest)
    };
    for (named, authenticated, accepted) in QUESTIONS {
        let decision = decide(&ask(named, authenticated));
        let is_accepted = matches!(decision, negotiation_core::Decision::Accepted { .. });
        assert_eq!(is_accepted, accepted, "{named}");
    }
    let mut group = criterion.benchmark_group(OURS);
    let asked = ask(NAMED, true);
    group.bench_function("decide, native", |b| b.iter(|| decide(black_box(&asked))));
    group.bench_function("decide, native, exchange built in the call", |b| {
        b.iter(|| decide(&ask(black_box(NAMED), true)));
    });
    group.finish();
}
