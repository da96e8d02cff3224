//! The certificate: proof that a component keeps the rules, which anybody can check offline.
//!
//! [`certify`] runs a component against everything in [`proof`](crate::proof): the corpus, the
//! complete grid against the model, the named invariants, two instances against each other, and
//! the dearest requests that there are. What it found becomes a [`Certificate`], an in-toto
//! statement with the predicate test-result.
//!
//! What a certificate proves, and what it does not: [`Certificate::verify`] finds out that it is
//! whole and in canonical form, that it is about these very bytes, and that it was made by the same
//! proof (corpus, grid, rules, limits) as the one built in here. Who made it is another question:
//! its seal is a digest, and anybody can make one. A signature answers that, or running
//! [`certify`] again, which must give the same text.

mod certificate;
mod findings;
mod run;
mod seal;
mod sweep;
mod verify;

pub use certificate::{Certificate, Evidence, PREDICATE_TYPE, STATEMENT_TYPE};
pub use findings::{Broken, Corpus, FuelFound, Grid, Report};
pub use run::{Extent, Progress, certify};
pub use verify::CertificateError;

/// How much of the fuel that a call may use the dearest known call leaves: the limit of
/// [`Limits::negotiator`](crate::Limits::negotiator) is at least this many times what that call
/// takes.
pub const FUEL_MARGIN: u64 = 2;
