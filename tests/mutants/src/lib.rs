//! What the tests of this crate ask with: the native core by name of operation, and requests at
//! random. The files belong to `tests/src`; this crate builds them without an engine, since each
//! mutant is built anew.

#[path = "../../src/altered.rs"]
pub mod altered;
#[path = "../../src/mutate.rs"]
pub mod mutate;
#[path = "../../src/native.rs"]
pub mod native;
