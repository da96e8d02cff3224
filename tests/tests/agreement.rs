//! Three-way agreement: over the complete grid, the model, the native core and the component give
//! the same decision, the same record and the same answer, byte for byte; and no branch of the
//! rules is left without a case.
#![expect(clippy::unwrap_used, clippy::unreachable, reason = "a test")]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use negotiation_core::{Highest, settle};
use negotiation_model as model;
use negotiation_tests::compare::{native_text, to_core, to_core_context, to_core_posture};
use negotiator::certify::{Extent, Report, certify};
use negotiator::types::Protocol;
use negotiator::{Artifact, Limits, Runtime, proof};

static FOUND: LazyLock<Report> = LazyLock::new(|| {
    let artifact = match std::env::var_os("NEGOTIATOR_COMPONENT") {
        Some(path) => Artifact::from_file(path).unwrap(),
        None => Artifact::embedded(),
    };
    let runtime = Runtime::on_demand().unwrap();
    certify(
        &runtime,
        &artifact,
        Limits::negotiator(),
        Extent::Whole,
        |_| {},
    )
    .unwrap()
});

#[test]
fn the_component_says_what_the_model_says() {
    let found = &*FOUND;
    assert!(found.passed(), "{:#?}", found.broken);
    assert_eq!(
        found.grid.settlements,
        u64::try_from(proof::decisions()).unwrap()
    );
    assert!(found.grid.repeated > found.grid.settlements / 9);
    assert!(found.corpus.held > 1_200, "{:?}", found.corpus);
    assert_eq!(
        found.corpus.held + found.corpus.not_applicable,
        found.corpus.cases
    );
}

#[test]
fn the_native_core_says_what_the_model_says() {
    let contexts = proof::contexts();
    let cores: Vec<_> = contexts.iter().map(to_core_context).collect();
    let mut compared = 0_usize;
    for protocol in [Protocol::A2a, Protocol::Mcp] {
        let exchanges = proof::exchanges(protocol);
        let typed: Vec<_> = exchanges.iter().map(to_core).collect();
        for (place, facets) in proof::postures(protocol).iter().enumerate() {
            let posture = to_core_posture(facets);
            for (index, (exchange, native)) in exchanges.iter().zip(&typed).enumerate() {
                let which = (place + index) % contexts.len();
                let (Some(context), Some(core)) = (contexts.get(which), cores.get(which)) else {
                    unreachable!("the remainder is a place");
                };
                let settled = settle(&posture, native, core, &mut Highest).unwrap();
                let told =
                    proof::settled(facets, exchange, context, proof::Policy::Highest).unwrap();
                assert_eq!(native_text(&settled), told.text, "{facets:?} {exchange:?}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, proof::decisions());
}

/// Only a policy other than the default one gets there; `other_policies.rs` does.
const OF_OTHER_POLICIES: [&str; 2] = ["policy.denied", "policy.broke-contract"];

#[test]
fn no_branch_of_the_rules_is_without_a_case() {
    let reached: &BTreeMap<_, _> = &FOUND.grid.branches;
    let missing: Vec<_> = model::BRANCHES
        .iter()
        .filter(|tag| !reached.contains_key(**tag))
        .filter(|tag| !OF_OTHER_POLICIES.contains(tag))
        .collect();
    assert!(missing.is_empty(), "no case reaches {missing:?}");
    for (tag, count) in reached {
        println!("{tag} {count}");
    }
}
