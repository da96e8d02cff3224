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

use negotiator::error::ConfigureError;
use negotiator::proof::{exchanges, postures};
use negotiator::types::{Decision, Protocol};
use negotiator::{Artifact, Limits, Loaded, Pluggable, Policy, Runtime};

fn same_as(language: &str, rust: &str) {
    let folder = env::var_os("NEGOTIATOR_POLICIES").expect("NEGOTIATOR_POLICIES is the folder");
    let path = PathBuf::from(folder).join(format!("{language}.wasm"));
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
