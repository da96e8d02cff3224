//! Facets: what the rules take as valid is what the model takes as valid, and facets with a fault
//! never configure.
#![no_main]

use arbitrary::Arbitrary;
use fuzzed::{Text, answered};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

#[derive(Arbitrary, Debug)]
struct Input {
    a2a: Option<Facet>,
    mcp: Option<Facet>,
}

#[derive(Arbitrary, Debug)]
struct Facet {
    offered: Vec<Text>,
    preferred: Text,
    floor: Text,
    refreshed_at: Option<Text>,
}

impl Facet {
    fn json(&self, list: &str, floor: &str) -> Value {
        let offered: Vec<_> = self.offered.iter().map(|text| &text.0).collect();
        let mut facet = json!({ list: offered, "preferredVersion": self.preferred.0, floor: self.floor.0 });
        if let Some(date) = &self.refreshed_at {
            facet["refreshedAt"] = json!(date.0);
        }
        facet
    }
}

fuzz_target!(|input: Input| {
    let mut facets = json!({});
    if let Some(facet) = &input.a2a {
        facets["a2a"] = facet.json("versions", "minimumVersion");
    }
    if let Some(facet) = &input.mcp {
        facets["mcp"] = facet.json("revisions", "minimumRevision");
    }
    let request = json!({ "facets": facets }).to_string();
    let Ok(answer) = answered("facets", &request) else { return };
    let valid = answer["valid"].as_bool().expect("a verdict");
    let faults = answer["faults"].as_array().expect("a list").len();
    assert_eq!(valid, faults == 0, "{request}");
    assert_eq!(valid, negotiation_model::facets_valid(&facets), "{request}: {answer}");
    let configured = negotiation_core::ops::configure(&request);
    assert_eq!(valid, configured.is_ok(), "{request}");
});
