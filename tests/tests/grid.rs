//! The complete grid: the invariants hold on every decision, and model, native core and component
//! agree on all of them (RFC 0175 §D.1, §D.2).

use negotiation_core::decision::decide_many;
use negotiation_core::{
    Decision, Direction, Highest, Policy, Proposal, Protocol, Verdict, Version,
};
use negotiation_model as model;
use negotiation_tests::compare::{
    said_by_component, said_by_core, said_by_model, to_model, to_wit, to_wit_facets,
};
use negotiation_tests::grid::{exchanges, facets};
use negotiator::{Artifact, Limits, Negotiator, Runtime};

const PROTOCOLS: [Protocol; 2] = [Protocol::A2a, Protocol::Mcp];

#[test]
fn the_grid_has_the_size_that_the_documents_say() {
    let count = |protocol| facets(protocol).len() * exchanges(protocol).len();
    assert_eq!(facets(Protocol::A2a).len(), 56);
    assert_eq!(PROTOCOLS.map(count).iter().sum::<usize>(), GRID);
}

/// How many decisions the grid has.
const GRID: usize = 362_880;

#[test]
fn model_and_native_core_agree_on_every_decision() {
    for protocol in PROTOCOLS {
        let exchanges = exchanges(protocol);
        for facet in facets(protocol) {
            let posture = facet.posture();
            let decisions = decide_many(&posture, &exchanges, &mut Highest);
            for (exchange, decision) in exchanges.iter().zip(decisions) {
                let modelled = model::decide(&to_model(&facet, exchange), model::Policy::Highest);
                assert_eq!(
                    said_by_core(&decision),
                    said_by_model(&modelled),
                    "{facet:?} {exchange:?}"
                );
            }
        }
    }
}

#[test]
fn component_and_native_core_agree_on_every_decision() {
    let runtime = Runtime::new().unwrap();
    let loaded = Negotiator::load(&runtime, &Artifact::embedded(), Limits::negotiator()).unwrap();
    for protocol in PROTOCOLS {
        let exchanges = exchanges(protocol);
        let typed: Vec<_> = exchanges.iter().map(to_wit).collect();
        for facet in facets(protocol) {
            let native = decide_many(&facet.posture(), &exchanges, &mut Highest);
            let component = loaded.configure(to_wit_facets(&facet), "").unwrap();
            let decided = component.decide_many(&typed).unwrap();
            assert_eq!(decided.len(), native.len());
            for ((exchange, native), decided) in exchanges.iter().zip(native).zip(decided) {
                assert_eq!(decided.failure, None);
                let said = said_by_component(&decided.decision);
                assert_eq!(said, said_by_core(&native), "{facet:?} {exchange:?}");
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
        let exchanges = exchanges(protocol);
        let all: Vec<_> = negotiation_tests::grid::offerable(protocol)
            .iter()
            .chain(&negotiation_tests::grid::foreign(protocol))
            .filter_map(|text| Version::parse(protocol, text))
            .collect();
        for facet in facets(protocol) {
            let posture = facet.posture();
            let checked = posture.facet(protocol).unwrap();
            for version in &all {
                let decisions = decide_many(&posture, &exchanges, &mut Greedy(*version));
                for (exchange, decision) in exchanges.iter().zip(decisions) {
                    let Decision::Accepted { version, .. } = decision else {
                        continue;
                    };
                    accepted += 1;
                    assert!(version >= checked.floor(), "floor: {facet:?} {exchange:?}");
                    assert!(
                        exchange.authenticated || version >= checked.preferred(),
                        "authentication: {facet:?} {exchange:?}"
                    );
                    assert!(
                        checked.offers(version),
                        "membership: {facet:?} {exchange:?}"
                    );
                    if exchange.direction == Direction::Outbound && exchange.answer().is_none() {
                        assert!(exchange.offers.contains(&version), "{facet:?} {exchange:?}");
                    }
                }
            }
        }
    }
    assert!(
        accepted > 20_000,
        "only {accepted} acceptances: the grid must reach them too"
    );
}
