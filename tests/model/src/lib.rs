//! An independent reference model of the rules.
//!
//! It is written from the words of the rules (`host-harness/docs/rules.md`, RFC 0175 §B–§F and
//! RFC 0242) and shares no code with the component that it is compared with. Every file reads
//! like the section of the rules that it restates: sets and filters, nothing clever, nothing
//! fast.
//!
//! [`settle`] takes a request of the JSON contract and gives the answer that must come back;
//! [`decide`] does the decision alone on typed values, for grids of many cases. Both say which
//! branches of the rules the case reached, so that a comparison can prove that it is not vacuous.

mod answer;
mod branch;
mod case;
mod decision;
mod json;
mod named;
mod peer;
mod reading;
mod record;
mod request;
mod settle;
mod small;
#[cfg(test)]
mod tests;
mod version;

pub use branch::{BRANCHES, Branch, Branches};
pub use case::{Case, Cause, Direction, Named, Outcome, Policy, Reason, Session, Surface};
pub use decision::decide;
pub use settle::{
    Modelled, Told, not_durable_case, read, refuse, refuse_case, settle, settle_case, settle_with,
};
pub use small::{digest, facets_valid, fresh, rounds, task_state};
pub use version::{Protocol, Version};
