//! Wraps core modules as components.

use anyhow::{Context, Result};
use wit_component::ComponentEncoder;

/// The component that a core module describes in its custom section.
///
/// The same module always gives the same bytes, as long as the encoder is the
/// same: its version is part of them and stands in `manifest.json`.
pub fn componentize(core_module: &[u8]) -> Result<Vec<u8>> {
    ComponentEncoder::default()
        .validate(true)
        .module(core_module)
        .and_then(|mut encoder| encoder.encode())
        .context("the core module cannot be made a component")
}
