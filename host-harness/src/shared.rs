//! What this crate's own command shares with it. No part of the interface.

pub mod versions;

use std::error::Error;

use crate::types::{Facet, Facets};

/// What the trust file in a store of policies is called, by custom.
pub const TRUST_FILE: &str = "negotiator.trust.toml";

/// An error and its causes in one line.
#[must_use]
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

/// Facets that stand for none: for requests that bring their own, and for operations that look at
/// none.
#[must_use]
pub fn stand_in() -> Facets {
    let version = || "1.0".to_owned();
    let facet = Facet {
        offered: vec![version()],
        preferred: version(),
        floor: version(),
    };
    Facets {
        a2a: Some(facet),
        mcp: None,
    }
}
