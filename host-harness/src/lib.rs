//! Loads the negotiator component and settles exchanges with it.
//!
//! A host hands over what it saw on the wire. The component says which version to
//! use, what record to write, and what to answer; this crate runs it, within limits,
//! and sees to it that there is a record even where the component's policy fails.
//!
//! ```no_run
//! use negotiator::types::{Context, Decision, Facet, Facets, HttpMethod, Inbound, Protocol};
//! use negotiator::{Artifact, Limits, Negotiator, Runtime};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let runtime = Runtime::new()?;
//! let loaded = Negotiator::load(&runtime, &Artifact::embedded(), Limits::negotiator())?;
//! let a2a = Facet {
//!     offered: vec!["0.3".into(), "1.0".into()],
//!     preferred: "1.0".into(),
//!     floor: "0.3".into(),
//! };
//! let negotiator = loaded.configure(Facets { a2a: Some(a2a), mcp: None }, "")?;
//!
//! let exchange = negotiator.read_inbound(&Inbound {
//!     protocol: Protocol::A2a,
//!     authenticated: true,
//!     http_method: HttpMethod::Post,
//!     headers: vec![("A2A-Version".into(), "0.3".into())],
//!     query: None,
//!     method: Some("SendMessage".into()),
//!     params: None,
//!     session: None,
//! })?;
//! let context = Context {
//!     at: "2026-11-30T12:00:00Z".into(),
//!     peer_url: None,
//!     subject: None,
//!     run_id: None,
//!     sequence: None,
//!     event_id: None,
//! };
//! let settled = negotiator.settle(&exchange, &context)?;
//! // First make `settled.settlement.entry` durable; then act and answer.
//! if let Decision::Accepted(acceptance) = &settled.settlement.decision {
//!     println!("speak {}", acceptance.version);
//! }
//! # Ok(())
//! # }
//! ```

pub mod certify;
// Helpers of the tests outside serve those inside, too.
#[cfg(test)]
extern crate self as negotiator;

pub mod error;
pub mod gate;
#[cfg(feature = "journal")]
pub mod journal;
pub mod policy;
pub mod proof;
#[cfg(feature = "serve")]
pub mod serve;
#[doc(hidden)]
pub mod shared;
pub mod trust;
pub mod types;

mod artifact;
mod compose;
mod runtime;

pub use artifact::{Artifact, Digest, Inspection, Kind, MAX_ARTIFACT_BYTES, World, inspect};
pub use compose::{MAX_SETTINGS_BYTES, compose};
pub use runtime::{
    Decided, Fuel, Limits, Loaded, Negotiator, Operation, Pluggable, Policy, Runtime, Settled,
};
