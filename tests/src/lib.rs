//! The corpus and the grid that the tests in `tests/` run on.

pub mod corpus;
pub mod grid;
pub mod native;
