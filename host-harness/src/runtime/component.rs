//! Compiled components, ready to be configured.

use std::sync::Arc;
use std::time::Duration;

use wasmtime::component::{Component, HasSelf, Linker};

use super::bindings::NegotiatorPre;
use super::bindings::openwop::negotiation::policy;
use super::call::Budget;
use super::instance::State;
use super::{Limits, Negotiator, Policy, Runtime};
use crate::artifact::{Artifact, Digest, Kind, POLICY_INTERFACE, World, mismatch};
use crate::error::{ConfigureError, LoadError};
use crate::types::Facets;

/// A negotiator that is loaded and still needs its facets. Cloning is cheap, and
/// one may be configured many times, each with facets of its own.
#[derive(Clone)]
pub struct Loaded {
    pub(super) inner: Arc<Template>,
    kept: usize,
}

/// What every instance of a negotiator is made from.
pub(super) struct Template {
    pub(super) runtime: Runtime,
    pub(super) pre: NegotiatorPre<State>,
    pub(super) budget: Budget,
    pub(super) limits: Limits,
    pub(super) digest: Digest,
    pub(super) policy: Option<Policy>,
}

impl Loaded {
    /// Keeps up to `instances` configured instances from one call to the next;
    /// twice the machine's threads unless told otherwise, at most 64. With 0 each
    /// call gets an instance of its own: nothing can pass from one exchange to the
    /// next, for some tens of microseconds a call.
    #[must_use]
    pub fn keep(mut self, instances: usize) -> Self {
        self.kept = instances.min(MAX_KEPT);
        self
    }

    /// Gives it the facets of a host and the settings of its policy. `settings` is
    /// handed to the policy as it is; the default policy takes the empty text only.
    ///
    /// # Errors
    ///
    /// Every fault of facets and settings; or the component, or its policy, failed.
    pub fn configure(
        &self,
        facets: Facets,
        settings: impl Into<String>,
    ) -> Result<Negotiator, ConfigureError> {
        Negotiator::new(Arc::clone(&self.inner), facets, settings.into(), self.kept)
    }

    /// The digest of its artifact.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.inner.digest
    }
}

impl std::fmt::Debug for Loaded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loaded")
            .field("digest", &self.inner.digest)
            .finish_non_exhaustive()
    }
}

/// A negotiator that is compiled, with its policy left open. It stays compiled
/// while policies come and go.
#[derive(Clone)]
pub struct Pluggable {
    runtime: Runtime,
    pre: NegotiatorPre<State>,
    limits: Limits,
    digest: Digest,
}

impl Pluggable {
    /// Compiles a component of the world `negotiator`, which takes tens of
    /// milliseconds.
    ///
    /// # Errors
    ///
    /// It is no such component, has its policy inside already, or imports something beside the
    /// policy interface.
    pub fn load(runtime: &Runtime, artifact: &Artifact, limits: Limits) -> Result<Self, LoadError> {
        limits.check()?;
        let component = compile(runtime, artifact, World::Negotiator)?;
        let pre = prepare(runtime, &component)?;
        Ok(Self {
            runtime: runtime.clone(),
            pre,
            limits,
            digest: artifact.digest(),
        })
    }

    /// Puts a policy in. Nothing is compiled: this is quick.
    #[must_use]
    pub fn with(&self, policy: &Policy) -> Loaded {
        // The negotiator waits while the policy runs, and must not be charged for it.
        let waits = policy.limits().deadline;
        let budget = Budget::new(&self.runtime, &self.limits, waits);
        loaded(Template {
            runtime: self.runtime.clone(),
            pre: self.pre.clone(),
            budget,
            limits: self.limits.clone(),
            digest: self.digest,
            policy: Some(policy.clone()),
        })
    }

    /// The digest of its artifact.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }
}

impl std::fmt::Debug for Pluggable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pluggable")
            .field("digest", &self.digest)
            .finish_non_exhaustive()
    }
}

impl Negotiator {
    /// Compiles a component that has its policy inside, which takes tens of
    /// milliseconds: [`Artifact::embedded`], or one composed with another policy.
    ///
    /// # Errors
    ///
    /// It is no component of the world `negotiator-closed`, or imports something;
    /// the error names the imports.
    pub fn load(
        runtime: &Runtime,
        artifact: &Artifact,
        limits: Limits,
    ) -> Result<Loaded, LoadError> {
        limits.check()?;
        let component = compile(runtime, artifact, World::NegotiatorClosed)?;
        Ok(loaded(Template {
            runtime: runtime.clone(),
            pre: prepare(runtime, &component)?,
            budget: Budget::new(runtime, &limits, Duration::ZERO),
            limits,
            digest: artifact.digest(),
            policy: None,
        }))
    }

    /// Compiles the embedded component with its policy left open, and puts a policy
    /// in. To try or swap several policies, load a [`Pluggable`] once instead.
    ///
    /// # Errors
    ///
    /// As [`Policy::load`] and [`Pluggable::load`].
    pub fn pluggable(
        runtime: &Runtime,
        policy: &Artifact,
        policy_limits: Limits,
        limits: Limits,
    ) -> Result<Loaded, LoadError> {
        let policy = Policy::load(runtime, policy, policy_limits)?;
        Ok(Pluggable::load(runtime, &Artifact::embedded_pluggable(), limits)?.with(&policy))
    }
}

/// Checks that an artifact is a component of that world and compiles it.
pub(super) fn compile(
    runtime: &Runtime,
    artifact: &Artifact,
    world: World,
) -> Result<Component, LoadError> {
    check_world(artifact, world)?;
    // Takes WebAssembly only: machine code made elsewhere is not WebAssembly.
    Component::from_binary(runtime.engine(), artifact.bytes()).map_err(LoadError::Compile)
}

/// Checks that an artifact is a component of that world, and imports what it must and no more.
pub(crate) fn check_world(artifact: &Artifact, world: World) -> Result<(), LoadError> {
    let inspection = artifact.inspect()?;
    if inspection.kind != Kind::Component {
        return Err(LoadError::NotAComponent {
            found: inspection.kind,
        });
    }
    let (may_import, allowed): (&[&str], _) = match world {
        World::Negotiator => (&[POLICY_INTERFACE], POLICY_INTERFACE),
        World::NegotiatorClosed | World::PolicyProvider => (&[], "nothing"),
    };
    let excess = inspection.imports.iter();
    let excess = excess.filter(|name| !may_import.contains(&name.as_str()));
    let names: Vec<_> = excess.cloned().collect();
    if !names.is_empty() {
        return Err(LoadError::Imports { names, allowed });
    }
    if inspection.world != Some(world)
        && let Some(problem) = mismatch(artifact.bytes(), world)
    {
        return Err(LoadError::WrongWorld {
            expected: world,
            found: inspection.world,
            problem,
        });
    }
    // One that asks no policy may stand for one that does; here its policy would never be asked.
    if world == World::Negotiator && inspection.imports.is_empty() {
        return Err(LoadError::WrongWorld {
            expected: world,
            found: inspection.world,
            problem: "it must import the policy interface".to_owned(),
        });
    }
    Ok(())
}

/// Resolves imports and exports once, for all instances.
fn prepare(runtime: &Runtime, component: &Component) -> Result<NegotiatorPre<State>, LoadError> {
    let mut linker = Linker::new(runtime.engine());
    policy::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)
        .map_err(LoadError::Link)?;
    let pre = linker.instantiate_pre(component).map_err(LoadError::Link)?;
    NegotiatorPre::new(pre).map_err(LoadError::Link)
}

fn loaded(template: Template) -> Loaded {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let kept = threads.saturating_mul(2).clamp(MIN_KEPT, MAX_KEPT);
    Loaded {
        inner: Arc::new(template),
        kept,
    }
}

const MIN_KEPT: usize = 4;
const MAX_KEPT: usize = 64;
