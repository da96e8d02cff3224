//! The complete grid of small facets.
