//! What a policy has to pass before it may be in force here.

use std::path::PathBuf;
use std::time::Duration;

use super::budget::ErrorBudget;
use super::error::AdmitError;
use crate::artifact::Artifact;
use crate::error::LoadError;
use crate::gate::{InForce, Inspected, Progress, Replay, Step};
use crate::runtime::{Limits, Pluggable, Runtime};
use crate::trust::{Envelope, Trust, Trusted};

/// The rules under which policies are let in: who is trusted, and what they may use up.
#[derive(Clone, Debug)]
pub struct Admission {
    pub(super) runtime: Runtime,
    pub(super) pluggable: Pluggable,
    pub(super) built_in: InForce,
    pub(super) limits: Limits,
    pub(super) budget: ErrorBudget,
    trust: TrustFrom,
    untrusted: bool,
}

#[derive(Clone, Debug)]
enum TrustFrom {
    Nothing,
    /// Read again for every policy.
    File(PathBuf),
    Fixed(Trust),
}

/// A policy that is offered to a host, and what the operator allows for it.
#[derive(Clone, Debug)]
pub struct Offer {
    pub(super) artifact: Artifact,
    pub(super) envelope: Option<Envelope>,
    pub(super) settings: String,
    pub(super) loosening: bool,
    pub(super) untrusted: bool,
    pub(super) within: Option<Duration>,
    pub(super) replay: Option<Replay>,
}

impl Admission {
    /// Trusts nobody; [`Limits::policy`] and the certified component with its policy left
    /// open, which is compiled here.
    ///
    /// # Errors
    ///
    /// The component cannot be loaded.
    pub fn new(runtime: &Runtime) -> Result<Self, LoadError> {
        let artifact = Artifact::embedded_pluggable();
        Ok(Self {
            runtime: runtime.clone(),
            pluggable: Pluggable::load(runtime, &artifact, Limits::negotiator())?,
            built_in: InForce::built_in(runtime)?,
            limits: Limits::policy(),
            budget: ErrorBudget::default(),
            trust: TrustFrom::Nothing,
            untrusted: false,
        })
    }

    /// Trusts what this trust file trusts. It is read again for every policy; a file that
    /// is not there trusts nothing.
    #[must_use]
    pub fn trusting(mut self, file: impl Into<PathBuf>) -> Self {
        self.trust = TrustFrom::File(file.into());
        self
    }

    /// Trusts this.
    #[must_use]
    pub fn trusting_only(mut self, trust: Trust) -> Self {
        self.trust = TrustFrom::Fixed(trust);
        self
    }

    /// Lets in policies that nobody vouches for, where an [`Offer`] asks for that, or
    /// where a [`Store`](super::Store) says that it was asked for. Each of their
    /// settlements is marked.
    #[must_use]
    pub fn allow_untrusted(mut self, allowed: bool) -> Self {
        self.untrusted = allowed;
        self
    }

    /// What a policy may use up.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// How often a policy may fail.
    #[must_use]
    pub fn error_budget(mut self, budget: ErrorBudget) -> Self {
        self.budget = budget;
        self
    }

    /// Whether an artifact may be loaded; the bypass only where both sides ask for it.
    pub(super) fn trusted(
        &self,
        artifact: &Artifact,
        envelope: Option<&Envelope>,
        bypass: bool,
    ) -> Result<Trusted, AdmitError> {
        let trusted = self.trust().and_then(|trust| {
            let verified = trust.verify(artifact, envelope);
            verified.map_err(AdmitError::Untrusted)
        });
        match trusted {
            Err(_) if bypass && self.untrusted => Ok(Trusted::bypassing_trust(artifact.clone())),
            Err(_) if bypass => Err(AdmitError::BypassNotAllowed),
            trusted => trusted,
        }
    }

    fn trust(&self) -> Result<Trust, AdmitError> {
        match &self.trust {
            TrustFrom::Nothing => Ok(Trust::nothing()),
            TrustFrom::Fixed(trust) => Ok(trust.clone()),
            TrustFrom::File(path) if !path.exists() => Ok(Trust::nothing()),
            TrustFrom::File(path) => Trust::from_file(path).map_err(|source| {
                let path = path.clone();
                AdmitError::TrustFile { path, source }
            }),
        }
    }

    pub(super) fn inspected(
        &self,
        trusted: Trusted,
        progress: Progress<'_>,
    ) -> Result<Inspected, LoadError> {
        progress(Step::Compiling {
            bytes: trusted.artifact().bytes().len(),
        });
        Inspected::new(trusted, &self.runtime, self.limits.clone())
    }
}

impl Offer {
    /// A policy with no settings, to be trusted by its digest.
    #[must_use]
    pub fn new(artifact: Artifact) -> Self {
        Self {
            artifact,
            envelope: None,
            settings: String::new(),
            loosening: false,
            untrusted: false,
            within: None,
            replay: None,
        }
    }

    /// A signed statement about it.
    #[must_use]
    pub fn envelope(mut self, envelope: Envelope) -> Self {
        self.envelope = Some(envelope);
        self
    }

    /// Its settings.
    #[must_use]
    pub fn settings(mut self, settings: impl Into<String>) -> Self {
        self.settings = settings.into();
        self
    }

    /// It may accept what is refused now, or at a lower version.
    #[must_use]
    pub fn allow_loosening(mut self, allowed: bool) -> Self {
        self.loosening = allowed;
        self
    }

    /// It may come in without trust, where the host allows that, too.
    #[must_use]
    pub fn allow_untrusted(mut self, allowed: bool) -> Self {
        self.untrusted = allowed;
        self
    }

    /// How long the gate may take.
    #[must_use]
    pub fn within(mut self, time: Duration) -> Self {
        self.within = Some(time);
        self
    }

    /// Exchanges to settle again, for comparison.
    #[must_use]
    pub fn replaying(mut self, replay: Replay) -> Self {
        self.replay = Some(replay);
        self
    }
}
