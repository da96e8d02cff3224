//! Real traffic of published packages: every captured exchange settles, and model, native core and
//! component say the same of it.

use std::fs;

use negotiation_model as model;
use negotiation_tests::{corpus, native};
use negotiator::types::{Facet, Facets};
use negotiator::{Artifact, Limits, Negotiator, Operation, Runtime};
use serde_json::Value;

#[test]
fn every_captured_exchange_settles_alike_on_model_core_and_component() {
    let runtime = Runtime::new().unwrap();
    let loaded = Negotiator::load(&runtime, &Artifact::embedded(), Limits::negotiator()).unwrap();
    let facet = Facet {
        offered: vec!["1.0".into()],
        preferred: "1.0".into(),
        floor: "1.0".into(),
    };
    let component = loaded
        .configure(
            Facets {
                a2a: Some(facet),
                mcp: None,
            },
            "",
        )
        .unwrap();

    let mut outcomes = std::collections::BTreeMap::<String, usize>::new();
    for entry in fs::read_dir(corpus::root().join("tests/captures")).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_none_or(|extension| extension != "jsonl")
        {
            continue;
        }
        for line in fs::read_to_string(&path).unwrap().lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let id = line.get("id").and_then(Value::as_str).unwrap();
            let request = line.get("request").unwrap();
            let text = request.to_string();
            let native = native::run("settle", &text);
            let modelled = model::settle(request).unwrap();
            assert_eq!(native, Ok(modelled.text), "{id}");
            assert_eq!(
                component.json(Operation::Settle, &text).unwrap(),
                native,
                "{id}"
            );
            let cause = modelled
                .answer
                .get("cause")
                .and_then(Value::as_str)
                .unwrap();
            *outcomes.entry(cause.to_string()).or_default() += 1;
        }
    }
    println!("{outcomes:?}");
    assert!(
        outcomes.values().sum::<usize>() >= 190,
        "captures are missing: {outcomes:?}"
    );
    // What the field does must reach more than the plain cases.
    for cause in ["exact", "common", "counter-offer", "session", "answered"] {
        assert!(
            outcomes.contains_key(cause),
            "no capture reaches {cause}: {outcomes:?}"
        );
    }
}
