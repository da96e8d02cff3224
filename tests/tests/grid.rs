//! The complete grid: model, native core and component agree on every decision, every record and
//! every answer, and no policy can loosen any of them (RFC 0175 §D.1, §D.2).

use negotiation_core::decision::decide_many;
use negotiation_core::{Decision, Highest, Policy, Proposal, Verdict, Version};
use negotiation_model as model;
use negotiation_tests::compare::{said_by_core, said_by_model, to_core, to_core_posture};
use negotiator::proof;
use negotiator::types::Protocol;

const PROTOCOLS: [Protocol; 2] = [Protocol::A2a, Protocol::Mcp];

/// How many decisions the grid has.
const GRID: usize = 691_488;

#[test]
fn the_grid_has_the_size_that_the_documents_say() {
    assert_eq!(proof::postures(Protocol::A2a).len(), 56);
    assert_eq!(proof::postures(Protocol::Mcp).len(), 56);
    assert_eq!(proof::decisions(), GRID);
}

#[test]
fn the_two_halves_of_the_exchanges_differ_in_authentication_alone() {
    for protocol in PROTOCOLS {
        let exchanges = proof::exchanges(protocol);
        let (with, without) = exchanges.split_at(exchanges.len() / 2);
        assert_eq!(with.len(), without.len());
        for (with, without) in with.iter().zip(without) {
            let mut proven = without.clone();
            proven.authenticated = true;
            assert_eq!((with, without.authenticated), (&proven, false));
        }
    }
}

#[test]
fn model_and_native_core_agree_on_every_decision() {
    for protocol in PROTOCOLS {
        let exchanges = proof::exchanges(protocol);
        let typed: Vec<_> = exchanges.iter().map(to_core).collect();
        for facets in proof::postures(protocol) {
            let decisions = decide_many(&to_core_posture(&facets), &typed, &mut Highest);
            for (exchange, decision) in exchanges.iter().zip(decisions) {
                let modelled = proof::expected(&facets, exchange, model::Policy::Highest).unwrap();
                assert_eq!(
                    said_by_core(&decision),
                    said_by_model(&modelled),
                    "{facets:?} {exchange:?}"
                );
            }
        }
    }
}

/// A policy that grants whatever it likes: the version at a place in the list of all versions.
struct Greedy(Version);

impl Policy for Greedy {
    fn judge(&mut self, _: &Proposal<'_>) -> Verdict {
        Verdict::Grant(Some(self.0))
    }
}

#[test]
fn no_policy_moves_an_acceptance_below_the_floor_or_below_preferred_without_a_credential() {
    let mut accepted = 0_usize;
    for protocol in PROTOCOLS {
        let exchanges = proof::exchanges(protocol);
        let typed: Vec<_> = exchanges.iter().map(to_core).collect();
        let core_protocol = typed.first().unwrap().protocol;
        let all: Vec<_> = proof::offerable(protocol)
            .into_iter()
            .chain(proof::foreign(protocol))
            .filter_map(|text| Version::parse(core_protocol, text))
            .collect();
        for facets in proof::postures(protocol) {
            let posture = to_core_posture(&facets);
            let checked = posture.facet(core_protocol).unwrap();
            for version in &all {
                let decisions = decide_many(&posture, &typed, &mut Greedy(*version));
                for (exchange, decision) in typed.iter().zip(decisions) {
                    let Decision::Accepted { version, .. } = decision else {
                        continue;
                    };
                    accepted += 1;
                    assert!(version >= checked.floor(), "floor: {facets:?} {exchange:?}");
                    assert!(
                        exchange.authenticated || version >= checked.preferred(),
                        "authentication: {facets:?} {exchange:?}"
                    );
                    assert!(
                        checked.offers(version),
                        "membership: {facets:?} {exchange:?}"
                    );
                }
            }
        }
    }
    assert!(
        accepted > 40_000,
        "only {accepted} acceptances: the grid must reach them too"
    );
}
