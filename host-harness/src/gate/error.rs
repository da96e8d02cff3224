//! How a gate ends without letting a policy through.

use thiserror::Error;

use super::Report;
use crate::error::{CallError, ConfigureError, LoadError};

/// Why a policy did not come through the gate.
#[derive(Debug, Error)]
pub enum GateError {
    /// It does something that no policy may do, or loosens what is in force; the report
    /// says what.
    #[error("the policy did not come through the gate: {}", .0.problem())]
    Failed(Box<Report>),
    /// It does not take its settings, or fails when it is given them.
    #[error("the policy cannot be configured")]
    Configure(#[source] ConfigureError),
    /// The negotiator itself failed: nothing can be said about the policy.
    #[error("the negotiator failed while the policy was tried")]
    Negotiator(#[source] CallError),
    /// What is in force is too slow to be compared with.
    #[error("what is in force is too slow to be compared with")]
    TooSlow,
    /// What to compare with cannot be loaded.
    #[error("what is in force cannot be compared with")]
    Compared(#[source] LoadError),
}

/// Why a run over a grid ended early.
#[derive(Debug)]
pub(super) enum Stopped {
    /// The policy cannot be configured.
    Configure(ConfigureError),
    /// The negotiator failed.
    Call(CallError),
    /// It took too long.
    Late,
    /// There was enough to say no.
    Enough,
}
