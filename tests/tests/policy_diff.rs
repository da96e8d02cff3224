//! `policy diff` lists exactly the decisions that differ, and nothing else: the model says which.

use std::collections::BTreeMap;

use negotiator::gate::{Grid, InForce, SILENT, differences};
use negotiator::proof;
use negotiator::types::{Decision, Facets, Protocol};
use negotiator::{Artifact, Limits, Pluggable, Policy, Runtime};

fn facets_of(protocol: Protocol, facet: &negotiator::types::Facet) -> Facets {
    let facet = Some(facet.clone());
    match protocol {
        Protocol::A2a => Facets {
            a2a: facet,
            mcp: None,
        },
        Protocol::Mcp => Facets {
            a2a: None,
            mcp: facet,
        },
    }
}

#[test]
fn the_difference_of_exact_and_highest_is_that_of_the_model() {
    let runtime = Runtime::new().unwrap();
    let pluggable = Artifact::embedded_pluggable();
    let pluggable = Pluggable::load(&runtime, &pluggable, Limits::negotiator()).unwrap();
    let load = |file: &str| {
        let path = format!("{}/../dist/policies/{file}", env!("CARGO_MANIFEST_DIR"));
        let artifact = Artifact::from_file(path).unwrap();
        let policy = Policy::load(&runtime, &artifact, Limits::policy()).unwrap();
        InForce::of(&pluggable, &policy, "")
    };
    let (exact, highest) = (load("exact.wasm"), load("highest.wasm"));

    // Everything that is listed, with the version on either side.
    let mut listed = BTreeMap::new();
    let version = |decision: &Decision| match decision {
        Decision::Accepted(acceptance) => Some(acceptance.version.clone()),
        Decision::Refused(_) => None,
    };
    let grid = Grid::complete();
    let changes = differences(&grid, &exact, &highest, SILENT, |change| {
        let key = format!("{:?} {:?}", change.facet, change.exchange);
        let twice = listed.insert(key, (version(&change.from), version(&change.to)));
        assert_eq!(twice, None, "listed twice");
    })
    .unwrap();
    assert_eq!(changes.total(), u64::try_from(listed.len()).unwrap());

    // Everything that the model says differs must be there, and then nothing must be left.
    let mut compared = 0_usize;
    for protocol in [Protocol::A2a, Protocol::Mcp] {
        let exchanges = proof::exchanges(protocol);
        for posture in proof::postures(protocol) {
            let facet = match protocol {
                Protocol::A2a => posture.a2a.as_ref(),
                Protocol::Mcp => posture.mcp.as_ref(),
            };
            let facet = facet.unwrap();
            for exchange in &exchanges {
                compared += 1;
                let facets = facets_of(protocol, facet);
                let [was, is] = [proof::Policy::Exact, proof::Policy::Highest]
                    .map(|policy| proof::expected(&facets, exchange, policy).unwrap());
                let said = |outcome: &proof::Outcome| {
                    let proof::Outcome {
                        version,
                        reason,
                        cause,
                        downgraded,
                        ..
                    } = outcome;
                    (*version, *reason, *cause, *downgraded)
                };
                if said(&was) == said(&is) {
                    continue;
                }
                let key = format!("{facet:?} {exchange:?}");
                let found = listed.remove(&key);
                let text = |outcome: &proof::Outcome| outcome.version.map(|v| v.to_string());
                assert_eq!(found, Some((text(&was), text(&is))), "{key}");
            }
        }
    }
    assert_eq!(compared, grid.decisions());
    assert!(listed.is_empty(), "{} too many", listed.len());
}
