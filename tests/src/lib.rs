//! The corpus, and what the tests in `tests/` run on.

pub mod altered;
pub mod compare;
pub mod corpus;
pub mod mutate;
pub mod native;
pub mod typed;
