//! Policies in other languages decide as those in Rust do.
//!
//! `cargo xtask test` builds them and runs this with `NEGOTIATOR_POLICIES`, the folder they are in,
//! for those whose language is on the machine.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects,
    reason = "a test"
)]

use std::env;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use negotiator::error::ConfigureError;
use negotiator::gate::SILENT;
use negotiator::policy::{Admission, Offer, Policies};
use negotiator::proof::{exchanges, postures};
use negotiator::trust::Trust;
use negotiator::types::{Context, Decision, Facet, Facets, Protocol};
use negotiator::{Artifact, Limits, Loaded, Pluggable, Policy, Runtime};

fn built(language: &str) -> PathBuf {
    let folder = env::var_os("NEGOTIATOR_POLICIES").expect("NEGOTIATOR_POLICIES is the folder");
    PathBuf::from(folder).join(format!("{language}.wasm"))
}

fn same_as(language: &str, rust: &str) {
    let path = built(language);
    let runtime = Runtime::new().unwrap();
    let open = Artifact::embedded_pluggable();
    let open = Pluggable::load(&runtime, &open, Limits::negotiator()).unwrap();
    let load = |path: PathBuf| -> Loaded {
        let artifact = Artifact::from_file(path).unwrap();
        open.with(&Policy::load(&runtime, &artifact, Limits::policy()).unwrap())
    };
    let dist = concat!(env!("CARGO_MANIFEST_DIR"), "/../dist/policies");
    let rust = load(PathBuf::from(format!("{dist}/{rust}.wasm")));
    let other = load(path);
    let mut accepted = 0_usize;
    for protocol in [Protocol::A2a, Protocol::Mcp] {
        let exchanges = exchanges(protocol);
        for (at, facets) in postures(protocol).into_iter().enumerate() {
            // Some of the grid for each facet, other ones each time.
            let asked: Vec<_> = exchanges.iter().skip(at % 7).step_by(71).cloned().collect();
            let rust = rust.configure(facets.clone(), "").unwrap();
            let other = other.configure(facets.clone(), "").unwrap();
            let (expected, found) = (rust.decide_many(&asked), other.decide_many(&asked));
            for (expected, found) in expected.unwrap().into_iter().zip(found.unwrap()) {
                assert_eq!(found.failure, None, "{language} {facets:?}");
                assert_eq!(found.decision, expected.decision, "{language} {facets:?}");
                accepted += usize::from(matches!(found.decision, Decision::Accepted(_)));
            }
        }
    }
    assert!(accepted > 200, "only {accepted} acceptances");
    // Settings that it does not take: the same sentence.
    let told = |loaded: &Loaded| {
        let facets = postures(Protocol::A2a).pop().unwrap();
        match loaded.configure(facets, "x").err() {
            Some(ConfigureError::Faults(faults)) => faults,
            other => panic!("{language}: {other:?}"),
        }
    };
    assert_eq!(told(&other), told(&rust));
}

/// Puts it in force, through the gate, while another one serves: nobody waits for the compiler.
fn put_in_force(language: &str) {
    let runtime = Runtime::new().unwrap();
    let artifact = |path: PathBuf| Artifact::from_file(path).unwrap();
    let dist = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../dist/policies"));
    let (other, exact) = (artifact(built(language)), artifact(dist.join("exact.wasm")));
    let pins = [&other, &exact].map(|artifact| {
        let digest = artifact.digest();
        format!("[[pin]]\nname = \"{language}\"\ndigest = \"{digest}\"\n")
    });
    let trust = Trust::from_text(&pins.concat()).unwrap();
    let admission = Admission::new(&runtime).unwrap().trusting_only(trust);
    let facets = Facets {
        a2a: Some(Facet {
            offered: vec!["0.3".to_owned(), "1.0".to_owned()],
            preferred: "1.0".to_owned(),
            floor: "0.3".to_owned(),
        }),
        mcp: None,
    };
    let policies = Policies::open(admission, facets, None, SILENT).unwrap();
    let install = |artifact| {
        let offer = Offer::new(artifact).allow_loosening(true);
        let gated = policies.admit(&offer, SILENT).unwrap();
        policies.install(gated).unwrap()
    };
    let before = install(exact).by();
    let exchange = exchanges(Protocol::A2a).into_iter().next().unwrap();
    let context = Context {
        at: "2026-11-30T12:00:00Z".to_owned(),
        peer_url: None,
        subject: None,
        run_id: None,
        sequence: None,
        event_id: None,
    };
    let (mut meanwhile, mut longest) = (0_u32, Duration::ZERO);
    let after = thread::scope(|scope| {
        let installing = scope.spawn(|| install(other).by());
        while !installing.is_finished() {
            let begun = Instant::now();
            let served = policies.settle(&exchange, &context).unwrap();
            longest = longest.max(begun.elapsed());
            assert_eq!(served.failure, None);
            meanwhile += u32::from(served.by == before);
            thread::sleep(Duration::from_millis(1));
        }
        installing.join().unwrap()
    });
    assert!(after.generation > before.generation);
    assert_eq!(policies.settle(&exchange, &context).unwrap().by, after);
    assert!(meanwhile > 1_000, "{meanwhile} settled meanwhile");
    println!("{language}: {meanwhile} settled meanwhile, the longest in {longest:?}");
    // And back, without compiling.
    assert_eq!(policies.rollback().unwrap().by().policy, before.policy);
}

#[test]
#[ignore = "needs what `cargo xtask test` builds"]
fn javascript_is_put_in_force() {
    put_in_force("javascript");
}

#[test]
#[ignore = "needs what `cargo xtask test` builds"]
fn python_is_put_in_force() {
    put_in_force("python");
}

#[test]
#[ignore = "needs what `cargo xtask test` builds"]
fn c_is_put_in_force() {
    put_in_force("c");
}

#[test]
#[ignore = "needs what `cargo xtask test` builds"]
fn javascript_is_highest() {
    same_as("javascript", "highest");
}

#[test]
#[ignore = "needs what `cargo xtask test` builds"]
fn python_is_exact() {
    same_as("python", "exact");
}

#[test]
#[ignore = "needs what `cargo xtask test` builds"]
fn c_is_exact() {
    same_as("c", "exact");
}
