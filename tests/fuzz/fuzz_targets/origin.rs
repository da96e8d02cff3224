//! Digests of origins: path, query and fragment do not matter, and the operation says what the
//! function says.
#![no_main]

use fuzzed::answered;
use libfuzzer_sys::fuzz_target;
use negotiation_core::origin::digest;
use serde_json::json;

fuzz_target!(|url: &str| {
    let found = digest(url);
    assert_eq!(found, negotiation_model::digest(url));
    if let Some(hex) = &found {
        assert!(hex.len() == 64 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')));
        // The text before a query or fragment, whatever stands behind it.
        let before = url.split(['?', '#']).next().unwrap_or_default();
        if digest(before).is_some() {
            assert_eq!(digest(&format!("{before}?a#b")), digest(before));
        }
    }
    let request = json!({ "url": url }).to_string();
    if let Ok(answer) = answered("digest", &request) {
        assert_eq!(answer["peerDigest"].as_str(), found.as_deref());
    }
});
