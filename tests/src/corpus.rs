//! The corpus, and where it lies.

use std::path::{Path, PathBuf};

use anyhow::Result;
pub use negotiation_vectors::Case;

/// The root of the repository.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The whole corpus, in the order of file names and lines.
///
/// # Errors
/// A line that is no case.
pub fn load() -> Result<Vec<Case>> {
    Ok(negotiation_vectors::cases()?)
}
