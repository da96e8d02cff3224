//! Every case of the corpus, on the rules as built for this machine.

use negotiation_tests::{corpus, native};

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
