//! What goes over the socket, and what operators are told elsewhere.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::gate::{GateError, Report};
use crate::policy::error::{AdmitError, InstallError};
use crate::policy::generation::By;
use crate::policy::state::Entry;
use crate::policy::swap::Status;
use crate::shared::chain;

/// What an operator asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Request {
    /// Put a policy in force.
    Install(Install),
    /// Go back to the generation before.
    Rollback,
    /// What is in force.
    Status,
}

/// The files of a policy, as absolute paths, and what is allowed for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Install {
    /// The component.
    pub policy: PathBuf,
    /// Its settings; none for the empty text.
    pub settings: Option<PathBuf>,
    /// The signed statement about it.
    pub envelope: Option<PathBuf>,
    /// Requests to settle again, one a line.
    pub replay: Option<PathBuf>,
    /// Where the gate's report goes.
    pub report: Option<PathBuf>,
    /// Whether it may loosen what is in force.
    pub allow_loosening: bool,
    /// Whether it may come in without trust.
    pub allow_untrusted: bool,
}

/// A line of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line {
    /// What is being done.
    Step(String),
    /// It is done; what is in force now.
    Done(Box<Told>),
    /// It is not done; what was in force still is.
    Failed(Failed),
}

/// What is in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Told {
    /// None before the first policy.
    pub current: Option<Entry>,
    /// What a rollback leads to.
    pub previous: Option<Entry>,
    /// Whether that takes no time.
    pub previous_is_warm: bool,
    /// How often the policy in force has failed, in this process.
    pub failures: u64,
    /// Why what the store says is not in force.
    pub problem: Option<String>,
    /// Of an install: what the gate found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Report>,
}

/// Why something was not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failed {
    /// Whose fault it is.
    pub kind: Kind,
    /// In words.
    pub problem: String,
    /// What the gate found, where that is why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Box<Report>>,
}

/// Whose fault a failure is; they have different exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The answer is no: the gate, or nothing to go back to.
    No,
    /// A file or the request cannot be read, or the store not be written.
    Unreadable,
    /// The policy is not trusted, or cannot be loaded.
    Policy,
}

impl Told {
    /// What a status says, with the report of an install or without.
    #[must_use]
    pub fn of(status: Status, report: Option<Report>) -> Self {
        Self {
            current: status.current,
            previous: status.previous,
            previous_is_warm: status.previous_is_warm,
            failures: status.failures,
            problem: status.problem,
            report,
        }
    }

    /// What names the policy in force.
    #[must_use]
    pub fn by(&self) -> By {
        By::of(self.current.as_ref())
    }
}

impl Failed {
    pub(super) fn unreadable(error: impl std::error::Error + 'static) -> Self {
        Self {
            kind: Kind::Unreadable,
            problem: chain(&error),
            report: None,
        }
    }
}

impl From<AdmitError> for Failed {
    fn from(error: AdmitError) -> Self {
        let problem = chain(&error);
        let (kind, report) = match error {
            AdmitError::Gate(GateError::Failed(report)) => (Kind::No, Some(report)),
            AdmitError::Gate(GateError::Configure(_) | GateError::TooSlow) => (Kind::No, None),
            AdmitError::Store(_) | AdmitError::TrustFile { .. } => (Kind::Unreadable, None),
            AdmitError::Untrusted(_)
            | AdmitError::BypassNotAllowed
            | AdmitError::Load(_)
            | AdmitError::Gate(_)
            | AdmitError::Configure(_) => (Kind::Policy, None),
        };
        Self {
            kind,
            problem,
            report,
        }
    }
}

impl From<InstallError> for Failed {
    fn from(error: InstallError) -> Self {
        let kind = match &error {
            InstallError::Overtaken | InstallError::NothingBefore => Kind::No,
            InstallError::Store(_) => Kind::Unreadable,
            InstallError::Configure(_) | InstallError::Admit(_) => Kind::Policy,
        };
        Self {
            kind,
            problem: chain(&error),
            report: None,
        }
    }
}
