//! Whether a policy may be put in force, found out before it is.
//!
//! Each step is a type that only the step before can make, so that skipping one does
//! not compile:
//!
//! ```text
//! Artifact ─▶ Trusted ─▶ Inspected ─▶ Gated ─▶ Installed
//! bytes       pinned or   right        tried    in force,
//!             signed      world        whole    durable
//! ```
//!
//! The gate runs the policy inside the sandbox, under the limits that it will have in
//! production: first the corpus, then the complete grid of small facets, everything
//! twice. A trap, a limit, an answer that is no candidate, and a second answer that
//! differs from the first fail it. Then every decision is compared with the policy in
//! force: loosening it takes an explicit allowance.
//!
//! ```compile_fail
//! # fn forge(trusted: negotiator::trust::Trusted) -> negotiator::gate::Inspected {
//! negotiator::gate::Inspected { trusted }
//! # }
//! ```
//!
//! ```compile_fail
//! # fn skip(policies: &negotiator::policy::Policies, inspected: negotiator::gate::Inspected) {
//! policies.install(inspected); // takes what came through the gate
//! # }
//! ```
//!
//! ```compile_fail
//! # fn untrusted(runtime: &negotiator::Runtime, artifact: negotiator::Artifact) {
//! let limits = negotiator::Limits::policy();
//! negotiator::gate::Inspected::new(artifact, runtime, limits); // takes what is trusted
//! # }
//! ```

use std::fmt;
use std::time::{Duration, Instant};

use crate::artifact::Digest;
use crate::error::LoadError;
use crate::runtime::{Limits, Loaded, Meter, Pluggable, Policy, Runtime};
use crate::trust::{Envelope, Trusted};
use crate::types::Facets;

mod change_json;
mod changes;
mod corpus;
mod decisions;
pub(crate) mod error;
mod grid;
mod order;
mod replay;
mod report;
mod trial;
mod words;

pub use changes::{Change, Changes, Effect, Group};
pub use decisions::Decisions;
pub use error::GateError;
pub use grid::Grid;
pub use replay::{Replay, Replayed};
pub use report::{Compared, CorpusReport, Failure, FailureKind, GridReport, LimitsReport, Report};

use std::sync::Arc;

/// A policy that is trusted, has the right world and no imports, and is compiled.
#[derive(Clone, Debug)]
pub struct Inspected {
    trusted: Trusted,
    policy: Policy,
}

impl Inspected {
    /// Looks into what is trusted, and compiles it: tens of milliseconds for a policy in
    /// Rust, many seconds for one that brings an interpreter. Do it beside the calls.
    ///
    /// # Errors
    ///
    /// It is no component of the world `policy-provider`, or imports something.
    pub fn new(trusted: Trusted, runtime: &Runtime, limits: Limits) -> Result<Self, LoadError> {
        let policy = Policy::load(runtime, trusted.artifact(), limits)?;
        Ok(Self { trusted, policy })
    }

    /// The artifact, and why it may be loaded.
    #[must_use]
    pub fn trusted(&self) -> &Trusted {
        &self.trusted
    }

    /// The policy, compiled. Nobody asks it through this crate's
    /// [`Policies`](crate::policy::Policies) before it came through the gate.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The gate as it was passed earlier: `report` must be the report of this very
    /// artifact with these settings, under these limits, by this version and component.
    /// It is believed; keep it where only the operator can write.
    ///
    /// # Errors
    ///
    /// The policy comes back when the report is of something else, or of a failure.
    pub(crate) fn passed_before(
        self,
        settings: &str,
        pluggable: &Pluggable,
        report: Report,
    ) -> Result<Gated, Box<Self>> {
        if report.is_of(&self, settings, pluggable) {
            Ok(Gated {
                inspected: self,
                settings: settings.to_owned(),
                report,
                decisions: None,
                against: None,
                envelope: None,
            })
        } else {
            Err(Box::new(self))
        }
    }
}

/// A policy that came through the gate, with the settings that it was tried with.
#[derive(Debug)]
pub struct Gated {
    inspected: Inspected,
    settings: String,
    report: Report,
    decisions: Option<Arc<Decisions>>,
    against: Option<u64>,
    envelope: Option<Envelope>,
}

impl Gated {
    /// The policy.
    #[must_use]
    pub fn inspected(&self) -> &Inspected {
        &self.inspected
    }

    /// Its settings.
    #[must_use]
    pub fn settings(&self) -> &str {
        &self.settings
    }

    /// What was tried, and what changes.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    pub(crate) fn decisions(&self) -> Option<&Arc<Decisions>> {
        self.decisions.as_ref()
    }

    /// The door of this crate's own tests: in force without having been tried.
    #[cfg(test)]
    pub(crate) fn by_force(
        inspected: Inspected,
        settings: &str,
        pluggable: &Pluggable,
        against: u64,
    ) -> Self {
        Self {
            report: Report::unearned(&inspected, settings, pluggable),
            inspected,
            settings: settings.to_owned(),
            decisions: None,
            against: Some(against),
            envelope: None,
        }
    }

    /// Remembers the statement that it is trusted by, for the next start.
    pub(crate) fn with_envelope(mut self, envelope: Option<Envelope>) -> Self {
        self.envelope = envelope;
        self
    }

    pub(crate) fn envelope(&self) -> Option<&Envelope> {
        self.envelope.as_ref()
    }

    /// The generation that it was compared with.
    pub(crate) fn against(&self) -> Option<u64> {
        self.against
    }
}

/// What is in force, to be compared with.
#[derive(Clone, Debug)]
pub struct InForce {
    pub(crate) loaded: Loaded,
    pub(crate) settings: String,
    /// None for the default policy of the component, which stands for "nothing yet".
    pub(crate) policy: Option<Digest>,
    pub(crate) generation: Option<u64>,
    pub(crate) decisions: Option<Arc<Decisions>>,
}

impl InForce {
    /// The default policy of the certified component: what a policy is compared with as
    /// long as there is none.
    ///
    /// # Errors
    ///
    /// The component cannot be loaded.
    pub fn built_in(runtime: &Runtime) -> Result<Self, LoadError> {
        let artifact = crate::Artifact::embedded();
        let loaded = crate::Negotiator::load(runtime, &artifact, Limits::negotiator())?;
        Ok(Self {
            loaded,
            settings: String::new(),
            policy: None,
            generation: None,
            decisions: None,
        })
    }

    /// A policy that need not be in force anywhere, to compare two files.
    #[must_use]
    pub fn of(pluggable: &Pluggable, policy: &Policy, settings: &str) -> Self {
        Self {
            loaded: pluggable.with(policy),
            settings: settings.to_owned(),
            policy: Some(policy.digest()),
            generation: None,
            decisions: None,
        }
    }
}

/// The gate: what is tried, and what is allowed.
#[derive(Clone, Debug)]
pub struct Gate {
    pluggable: Pluggable,
    loosening: bool,
    within: Duration,
    replay: Option<(Facets, Replay)>,
}

impl Gate {
    /// A gate that allows no loosening and takes five minutes at most. The policy is
    /// tried in this component.
    #[must_use]
    pub fn new(pluggable: &Pluggable) -> Self {
        Self {
            pluggable: pluggable.clone(),
            loosening: false,
            within: Duration::from_mins(5),
            replay: None,
        }
    }

    /// Lets a policy through that accepts what is refused now, or at a lower version.
    #[must_use]
    pub fn allow_loosening(mut self, allowed: bool) -> Self {
        self.loosening = allowed;
        self
    }

    /// How long it may take all in all.
    #[must_use]
    pub fn within(mut self, time: Duration) -> Self {
        self.within = time;
        self
    }

    /// Settles earlier exchanges again, with the policy in force and with the new one,
    /// under the facets of the host, and compares.
    #[must_use]
    pub fn replaying(mut self, facets: Facets, replay: Replay) -> Self {
        self.replay = Some((facets, replay));
        self
    }

    /// Tries a policy with its settings, and compares it with what is in force. Takes
    /// seconds; do it beside the calls.
    ///
    /// # Errors
    ///
    /// It did not come through; see [`GateError`].
    pub fn run(
        &self,
        inspected: Inspected,
        settings: &str,
        in_force: &InForce,
        progress: Progress<'_>,
    ) -> Result<Gated, GateError> {
        let (metered, meter) = inspected.policy.metered();
        let trial = trial::Trial {
            gate: self,
            loaded: self.pluggable.with(&metered),
            meter,
            settings,
            in_force,
            until: Instant::now()
                .checked_add(self.within)
                .unwrap_or_else(Instant::now),
            progress,
        };
        let (report, decisions) = trial.run(&inspected)?;
        if !report.has_passed() {
            return Err(GateError::Failed(Box::new(report)));
        }
        Ok(Gated {
            inspected,
            settings: settings.to_owned(),
            report,
            decisions,
            against: in_force.generation,
            envelope: None,
        })
    }
}

/// Every decision that differs between two policies over a grid, and how many were
/// compared. `each` is given one after another, in the order of the grid.
///
/// # Errors
///
/// One of them cannot be configured, or the negotiator failed.
pub fn differences(
    grid: &Grid,
    from: &InForce,
    to: &InForce,
    progress: Progress<'_>,
    each: impl FnMut(Change<'_>),
) -> Result<Changes, GateError> {
    let was = trial::decisions(grid, from, progress)?;
    let is = trial::decisions(grid, to, progress)?;
    Ok(Changes::between(grid, &was, &is, each))
}

/// Told what is being done.
pub type Progress<'a> = &'a (dyn Fn(Step) + Sync);

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Machine code is made of so many bytes.
    Compiling {
        /// Of the artifact.
        bytes: usize,
    },
    /// The corpus is replayed.
    Corpus {
        /// Cases.
        of: usize,
    },
    /// The grid is decided.
    Grid {
        /// Decisions so far.
        done: usize,
        /// Decisions of one pass.
        of: usize,
    },
    /// Earlier exchanges are settled again.
    Replay {
        /// Exchanges.
        of: usize,
    },
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compiling { bytes } => write!(f, "compiling {bytes} bytes"),
            Self::Corpus { of } => write!(f, "corpus: {of} cases"),
            Self::Grid { done, of } => write!(f, "grid: {done} of {of} decisions"),
            Self::Replay { of } => write!(f, "replay: {of} exchanges"),
        }
    }
}

/// Says nothing.
pub const SILENT: Progress<'static> = &|_| ();

pub(crate) fn settings_digest(settings: &str) -> Option<Digest> {
    (!settings.is_empty()).then(|| Digest::of(settings.as_bytes()))
}

/// What the meter of a policy holds, for the report.
fn metered(meter: &Meter) -> (u64, u64) {
    (meter.judged(), meter.worst())
}
