//! The corpus and the grid that the tests in `tests/` run on.

pub mod compare;
pub mod corpus;
pub mod grid;
pub mod mutate;
pub mod native;
