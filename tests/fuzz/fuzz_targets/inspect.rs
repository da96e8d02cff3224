//! Telling what a file is, which happens before anything of it is compiled or run.
#![no_main]

use libfuzzer_sys::fuzz_target;
use negotiator::{Artifact, Digest, inspect};

fuzz_target!(|bytes: &[u8]| {
    let Ok(inspection) = inspect(bytes) else {
        return;
    };
    assert_eq!(inspection.bytes, bytes.len());
    assert_eq!(inspection.digest, Digest::of(bytes));
    for name in inspection.imports.iter().chain(&inspection.exports) {
        assert!(name.chars().count() <= 200 * 10 + 1);
        assert!(!name.chars().any(char::is_control));
    }
    assert_eq!(Artifact::from_bytes(bytes).inspect(), Ok(inspection));
});
