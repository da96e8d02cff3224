//! Policies that change while the host runs.
//!
//! [`Policies`] holds what is in force as one immutable [`Generation`] behind one atomic
//! pointer. A swap stores another one there; calls under way end on the generation that
//! they began with, and every settlement says which one that was. The generation before
//! stays compiled and configured, so that going back takes no time, and happens on its
//! own when a policy fails too often.
//!
//! With a [`Store`] every change is durable before it is in force, and several processes
//! may share it: each watches for what the others put in force.
//!
//! ```no_run
//! use negotiator::gate::{Gate, SILENT};
//! use negotiator::policy::{Admission, Offer, Policies, Store};
//! use negotiator::{Artifact, Runtime};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (facets, exchange, context): (_, negotiator::types::Exchange, negotiator::types::Context) = todo!();
//! let runtime = Runtime::new()?;
//! let admission = Admission::new(&runtime)?.trusting("negotiator.trust.toml");
//! let policies = Policies::open(admission, facets, Some(Store::open("policies")?), SILENT)?;
//!
//! // Beside the calls: trusted, inspected, gated, then in force.
//! let offer = Offer::new(Artifact::from_file("exact.wasm")?);
//! let gated = policies.admit(&offer, SILENT)?;
//! println!("{} decisions change", gated.report().changes.as_ref().map_or(0, |c| c.total()));
//! let installed = policies.install(gated)?;
//!
//! let served = policies.settle(&exchange, &context)?;
//! assert_eq!(served.by, installed.by());
//! # Ok(())
//! # }
//! ```

mod admission;
#[cfg(unix)]
mod attended;
mod budget;
#[cfg(unix)]
pub mod control;
pub(crate) mod error;
mod event;
mod generation;
mod state;
mod store;
mod swap;
#[cfg(test)]
mod tests;
mod watch;

pub use admission::{Admission, Offer};
#[cfg(unix)]
pub use attended::Attended;
pub use budget::ErrorBudget;
pub use error::{AdmitError, InstallError, StoreError};
pub use event::Event;
pub use generation::{By, Generation, Served};
pub use state::{Entry, Reason, State};
pub use store::Store;
pub use swap::{Installed, Policies, Status};
pub use watch::Watch;
