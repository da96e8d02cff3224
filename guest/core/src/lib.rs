//! The rules of version negotiation for A2A and MCP, as plain Rust: what was named, which version
//! is agreed, what goes on record and what is answered (OpenWOP RFC 0175 §B–§F, RFC 0242).
//!
//! Everything here is a pure function of its input: no clock, no random source, no I/O, and no
//! panic on any input. It builds for the machine at hand and for wasm without `std`.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod advertise;
pub mod answer;
pub mod decision;
pub mod exchange;
pub mod facet;
pub mod instant;
pub mod json;
pub mod ops;
pub mod origin;
pub mod record;
pub mod settle;
pub mod version;
pub mod wire;

pub use answer::Reply;
pub use decision::{Cause, Decision, Highest, Policy, Proposal, Refusal, Verdict, decide};
pub use exchange::{Direction, Exchange, Named, Surface};
pub use facet::{Facet, FacetText, Fault, Posture};
pub use record::{Context, Entry, Subject};
pub use settle::{HostRefusal, Settlement, refuse, settle};
pub use version::{Protocol, Version};
