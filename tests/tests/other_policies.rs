//! The grid under other policies than the default one, good and bad: model and native core agree,
//! and so does the component with the policy `exact` put in.
#![expect(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    reason = "a test"
)]

use negotiation_core::decision::{Dead, decide_many};
use negotiation_core::{Policy, Proposal, Verdict};
use negotiation_model as model;
use negotiation_tests::compare::{
    said_by_component, said_by_core, said_by_model, to_core, to_core_posture,
};
use negotiation_tests::corpus::root;
use negotiator::types::Protocol;
use negotiator::{Artifact, Limits, Negotiator, Runtime, proof};

const PROTOCOLS: [Protocol; 2] = [Protocol::A2a, Protocol::Mcp];

struct Exact;

impl Policy for Exact {
    fn judge(&mut self, proposal: &Proposal<'_>) -> Verdict {
        if proposal.candidates.contains(&proposal.asked) {
            Verdict::Grant(Some(proposal.asked))
        } else {
            Verdict::Deny
        }
    }
}

struct DenyAll;

impl Policy for DenyAll {
    fn judge(&mut self, _: &Proposal<'_>) -> Verdict {
        Verdict::Deny
    }
}

/// Grants text that is no version.
struct GrantOutside;

impl Policy for GrantOutside {
    fn judge(&mut self, _: &Proposal<'_>) -> Verdict {
        Verdict::Grant(None)
    }
}

fn native_agrees(policy: &mut dyn Policy, modelled: model::Policy, branch: model::Branch) {
    let mut reached = 0_usize;
    for protocol in PROTOCOLS {
        let exchanges = proof::exchanges(protocol);
        let typed: Vec<_> = exchanges.iter().map(to_core).collect();
        for facets in proof::postures(protocol) {
            let decided = decide_many(&to_core_posture(&facets), &typed, policy);
            for (exchange, decision) in exchanges.iter().zip(decided) {
                let expected = proof::expected(&facets, exchange, modelled).unwrap();
                reached += usize::from(expected.branches.reached(branch));
                let (said, expected) = (said_by_core(&decision), said_by_model(&expected));
                assert_eq!(said, expected, "{facets:?} {exchange:?}");
            }
        }
    }
    assert!(reached > 10_000, "only {reached} cases reach the branch");
}

#[test]
fn exact_denies_what_was_not_asked_for() {
    native_agrees(
        &mut Exact,
        model::Policy::Exact,
        model::Branch::PolicyDenied,
    );
}

#[test]
fn a_policy_that_denies_everything_agrees_on_nothing() {
    native_agrees(
        &mut DenyAll,
        model::Policy::DenyAll,
        model::Branch::PolicyDenied,
    );
}

#[test]
fn a_dead_policy_agrees_on_nothing() {
    native_agrees(&mut Dead, model::Policy::Fails, model::Branch::PolicyFailed);
}

#[test]
fn a_policy_that_grants_what_is_no_candidate_breaks_its_contract() {
    native_agrees(
        &mut GrantOutside,
        model::Policy::GrantOutside,
        model::Branch::PolicyBroke,
    );
}

#[test]
fn the_component_with_the_policy_exact_says_what_the_model_says() {
    let runtime = Runtime::on_demand().unwrap();
    let policy = Artifact::from_file(root().join("dist/policies/exact.wasm")).unwrap();
    let loaded =
        Negotiator::pluggable(&runtime, &policy, Limits::policy(), Limits::negotiator()).unwrap();
    for protocol in PROTOCOLS {
        let exchanges = proof::exchanges(protocol);
        for facets in proof::postures(protocol) {
            let negotiator = loaded.configure(facets.clone(), "").unwrap();
            let decided = negotiator.decide_many(&exchanges).unwrap();
            assert_eq!(decided.len(), exchanges.len());
            for (exchange, decided) in exchanges.iter().zip(decided) {
                assert_eq!(decided.failure, None);
                proof::check_decision(&facets, exchange, &decided.decision).unwrap();
                let expected = proof::expected(&facets, exchange, model::Policy::Exact).unwrap();
                assert_eq!(
                    said_by_component(&decided.decision),
                    said_by_model(&expected),
                    "{facets:?} {exchange:?}"
                );
            }
        }
    }
}
