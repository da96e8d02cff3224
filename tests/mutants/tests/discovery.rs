//! Discovery documents with one place changed: a finding where the schema has one.

use negotiation_mutants::altered::discovery_documents;
use negotiation_mutants::native;
use serde_json::{Value, json};

/// What takes more than one member, a calendar, or the grammar of a version.
fn no_schema_says(problem: &str) -> bool {
    [
        "malformed",
        "duplicate",
        "must be one of protocolVersions",
        "must be one of the host's own protocolVersions",
        "must be <major>.<minor> or a date YYYY-MM-DD",
    ]
    .contains(&problem)
}

#[test]
fn what_the_schema_refuses_has_findings_and_what_it_takes_has_none_of_the_schema() {
    let path = "../../host-harness/schemas/discovery.schema.json";
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let schema = jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .unwrap();
    let (mut taken, mut refused) = (0, 0);
    for document in discovery_documents() {
        let request = json!({ "document": document, "now": "2026-11-30T12:00:00Z" });
        let is_valid = schema.is_valid(&document);
        let Ok(answer) = native::run("check", &request.to_string()) else {
            assert!(!is_valid, "{document}");
            continue;
        };
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let findings = answer["findings"].as_array().unwrap();
        if is_valid {
            taken += 1;
            let beyond = findings
                .iter()
                .filter(|one| one["rule"] == "discovery.schema")
                .find(|one| !no_schema_says(one["problem"].as_str().unwrap()));
            assert_eq!(beyond, None, "{document}");
        } else {
            refused += 1;
            assert!(!findings.is_empty(), "{document}");
        }
    }
    assert!(taken > 100 && refused > 1_000, "{taken} and {refused}");
}
