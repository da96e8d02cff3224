//! Facets: what configures is what the model takes as valid, a whole facet has a date besides,
//! and faults are named where there are any and nowhere else.
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
        let mut facet =
            json!({ list: offered, "preferredVersion": self.preferred.0, floor: self.floor.0 });
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
    // What configures is what the model takes; a date is not needed for that.
    let configured = negotiation_core::ops::configure(&request).is_ok();
    assert_eq!(
        configured,
        negotiation_model::facets_valid(&facets),
        "{request}"
    );
    // A whole facet has a date, too.
    let Ok(answer) = answered("facets", &request) else {
        assert!(!configured, "{request}");
        return;
    };
    let dated = |facet: &Option<Facet>| {
        facet.as_ref().is_none_or(|facet| {
            let date = facet.refreshed_at.as_ref().map(|date| date.0.as_str());
            date.is_some_and(|date| {
                negotiation_model::fresh(date, "2026-11-30T12:00:00Z").is_some()
            })
        })
    };
    let valid = answer["valid"].as_bool().expect("a verdict");
    assert_eq!(
        valid,
        configured && dated(&input.a2a) && dated(&input.mcp),
        "{request}: {answer}"
    );
    let faults = answer["faults"].as_array().expect("a list").len();
    assert_eq!(valid, faults == 0, "{request}");
});
