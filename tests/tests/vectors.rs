//! Every case of the corpus, on the rules as built for this machine.

use negotiation_tests::{corpus, native};
use negotiator::types::{Facet, Facets};
use negotiator::{Artifact, Limits, Negotiator, Operation, Runtime};

#[test]
fn the_corpus_holds_on_the_native_core() {
    let cases = corpus::load().unwrap();
    let mut failed = 0_usize;
    for case in &cases {
        let answer = native::run(&case.operation, &case.request);
        for mismatch in case.mismatches(&answer) {
            println!("{}: {mismatch}", case.id);
            failed += 1;
        }
    }
    assert_eq!(failed, 0, "{failed} mismatches over {} cases", cases.len());
}

#[test]
fn ids_are_unique() {
    let mut ids: Vec<_> = corpus::load()
        .unwrap()
        .into_iter()
        .map(|case| case.id)
        .collect();
    let all = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

#[test]
fn the_corpus_holds_on_the_component_with_the_same_bytes() {
    let runtime = Runtime::new().unwrap();
    let artifact = match std::env::var_os("NEGOTIATOR_COMPONENT") {
        Some(path) => Artifact::from_file(path).unwrap(),
        None => Artifact::embedded(),
    };
    let loaded = Negotiator::load(&runtime, &artifact, Limits::negotiator()).unwrap();
    let facet = Facet {
        offered: vec!["1.0".into()],
        preferred: "1.0".into(),
        floor: "1.0".into(),
    };
    let negotiator = loaded
        .configure(
            Facets {
                a2a: Some(facet),
                mcp: None,
            },
            "",
        )
        .unwrap();
    let mut replayed = 0_usize;
    for case in corpus::load().unwrap() {
        // The library configures with typed facets; `facets` is required where that is the point.
        let Ok(operation) = case.operation.parse::<Operation>() else {
            continue;
        };
        if !case.request.contains("\"facets\"") && needs_facets(operation) {
            continue;
        }
        let native = native::run(&case.operation, &case.request);
        let answer = negotiator.json(operation, &case.request).unwrap();
        assert_eq!(answer, native, "{}", case.id);
        assert_eq!(
            case.mismatches(&answer),
            Vec::<String>::new(),
            "{}",
            case.id
        );
        replayed += 1;
    }
    assert!(replayed > 1_200, "only {replayed} cases were replayed");
}

/// Whether an operation takes the configured facets when the request brings none.
fn needs_facets(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::Settle | Operation::Decide | Operation::Refuse | Operation::Record
    )
}

#[test]
fn the_longest_lists_that_fit_a_request_stay_within_the_limits() {
    let runtime = Runtime::new().unwrap();
    let loaded = Negotiator::load(&runtime, &Artifact::embedded(), Limits::negotiator()).unwrap();
    let facet = Facet {
        offered: vec!["1.0".into()],
        preferred: "1.0".into(),
        floor: "1.0".into(),
    };
    let facets = Facets {
        a2a: Some(facet),
        mcp: None,
    };
    let negotiator = loaded.configure(facets, "").unwrap();

    let offers: Vec<_> = (0..7_000).map(|n| format!(r#""9.{n}""#)).collect();
    let settle = format!(
        r#"{{"facets":{{"a2a":{{"versions":["1.0"],"preferredVersion":"1.0","minimumVersion":"1.0"}}}},"exchange":{{"protocol":"a2a","direction":"outbound","authenticated":true,"offers":[{}]}},"context":{{"at":"2026-11-30T12:00:00Z"}}}}"#,
        offers.join(",")
    );
    let versions: Vec<_> = (0..7_000).map(|n| format!(r#""2.{n}""#)).collect();
    let check = format!(
        r#"{{"document":{{"protocolVersions":[{}],"preferredVersion":"2.0"}},"now":"2026-11-30T12:00:00Z"}}"#,
        versions.join(",")
    );
    for (operation, request, expected) in [
        (Operation::Settle, settle, "no-common"),
        (Operation::Check, check, r#"{"findings":[]}"#),
    ] {
        assert!(
            (60_000..=65_536).contains(&request.len()),
            "{}",
            request.len()
        );
        let answer = negotiator.json(operation, &request).unwrap().unwrap();
        assert!(answer.contains(expected), "{operation}: {answer}");
    }
}
