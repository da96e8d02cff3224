//! The operations of the JSON contract, on any text whatever. The first byte says which operation.
#![no_main]

use fuzzed::answered;
use libfuzzer_sys::fuzz_target;

const OPERATIONS: [&str; 10] = [
    "settle",
    "refuse",
    "decide",
    "record",
    "digest",
    "rounds",
    "fresh",
    "facets",
    "check",
    "task-state",
];

fuzz_target!(|input: &[u8]| {
    let Some((operation, request)) = input.split_first() else {
        return;
    };
    let Ok(request) = std::str::from_utf8(request) else {
        return;
    };
    let operation = OPERATIONS[usize::from(*operation) % OPERATIONS.len()];
    if let Err(error) = answered(operation, request) {
        // A run of letters and digits long enough to be a secret, and no word of ours.
        let error = error.to_string();
        for word in request.split(|c: char| !c.is_ascii_alphanumeric()) {
            let secret = word.len() >= 12
                && word.bytes().any(|b| b.is_ascii_digit())
                && word.bytes().any(|b| b.is_ascii_lowercase());
            assert!(!secret || !error.contains(word), "{operation}: {error}");
        }
    }
});
