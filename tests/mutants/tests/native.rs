//! The native core against the corpus and against the model, quickly: what a mutant must fail.

use negotiation_model as model;
use negotiation_mutants::mutate::settle_request;
use negotiation_mutants::native;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

#[test]
fn the_corpus_holds() {
    for case in negotiation_vectors::cases().unwrap() {
        let answer = native::run(&case.operation, &case.request);
        assert_eq!(
            case.mismatches(&answer),
            Vec::<String>::new(),
            "{}",
            case.id
        );
    }
}

#[test]
fn whole_settlements_are_those_of_the_model() {
    let config = Config {
        cases: 20_000,
        failure_persistence: None,
        ..Config::default()
    };
    // The same requests for each mutant: whether one lives must not be chance.
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(config, rng)
        .run(&settle_request(), |request| {
            let native = native::run("settle", &request.to_string()).unwrap();
            assert_eq!(native, model::settle(&request).unwrap().text);
            Ok(())
        })
        .unwrap();
}
