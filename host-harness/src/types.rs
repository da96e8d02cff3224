//! The words of the WIT package `openwop:negotiation@2.0.0`, as Rust types.
//!
//! They are made from the package itself; its documentation is theirs. Text of the
//! type `version` is a plain `String`.

pub use crate::runtime::bindings::exports::openwop::negotiation::advertise::{Finding, Round};
pub use crate::runtime::bindings::exports::openwop::negotiation::answer::Reply;
pub use crate::runtime::bindings::exports::openwop::negotiation::record::{
    Context, Entry, Home, HostRefusal, Settlement,
};
pub use crate::runtime::bindings::exports::openwop::negotiation::types::{
    Acceptance, Cause, Decision, Direction, Exchange, Facet, Facets, Fault, Named, Outcome,
    Protocol, Refusal, Rejection, Subject, Surface,
};
pub use crate::runtime::bindings::exports::openwop::negotiation::wire::{
    HttpMethod, Inbound, Listing, Outbound,
};
