//! The components of `dist/`, built into this crate so that a host needs no file.

/// `dist/negotiator.wasm`: the default policy is inside, nothing is imported.
pub(super) const NEGOTIATOR: &[u8] = include_bytes!("../../../dist/negotiator.wasm");

/// `dist/negotiator-pluggable.wasm`: imports the policy and nothing else.
pub(super) const PLUGGABLE: &[u8] = include_bytes!("../../../dist/negotiator-pluggable.wasm");
