//! A policy that is linked in at run time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use wasmtime::Store;
use wasmtime::component::{Component, ComponentExportIndex, InstancePre, Linker, TypedFunc};

use super::bindings::openwop::negotiation::policy::{Host, Proposal, Verdict};
use super::call::{Budget, Guarded, PolicyFailure};
use super::guard::Guard;
use super::instance::State;
use super::{Limits, Runtime, component};
use crate::artifact::{Artifact, Digest, POLICY_INTERFACE, World};
use crate::error::{CallError, LoadError};

/// A policy component: compiled, and found to export the policy interface and to
/// import nothing. Cloning is cheap.
///
/// It runs in a store of its own, with its own memory, fuel and deadline, so that
/// a runaway policy takes nothing from the negotiator that asks it.
#[derive(Clone)]
pub struct Policy {
    inner: Arc<Inner>,
    meter: Option<Arc<Meter>>,
}

/// What a policy was asked and what it used, over all of its instances.
#[derive(Default)]
pub(crate) struct Meter {
    judged: AtomicU64,
    worst: AtomicU64,
}

impl Meter {
    /// How many proposals it judged.
    pub(crate) fn judged(&self) -> u64 {
        self.judged.load(Ordering::Relaxed)
    }

    /// The most fuel that one of them took.
    pub(crate) fn worst(&self) -> u64 {
        self.worst.load(Ordering::Relaxed)
    }

    fn note(&self, fuel: u64) {
        self.judged.fetch_add(1, Ordering::Relaxed);
        self.worst.fetch_max(fuel, Ordering::Relaxed);
    }
}

struct Inner {
    runtime: Runtime,
    pre: InstancePre<PolicyState>,
    configure: ComponentExportIndex,
    judge: ComponentExportIndex,
    budget: Budget,
    limits: Limits,
    digest: Digest,
}

impl Policy {
    /// Compiles a policy. Compiling takes tens of milliseconds for a policy in Rust
    /// and many seconds for one that brings an interpreter; it is not limited, so
    /// decide before whether the artifact may be trusted that far.
    ///
    /// # Errors
    ///
    /// It is no component of the world `policy-provider`, or imports something; the
    /// error names the imports.
    pub fn load(runtime: &Runtime, artifact: &Artifact, limits: Limits) -> Result<Self, LoadError> {
        limits.check()?;
        let component = component::compile(runtime, artifact, World::PolicyProvider)?;
        let missing = |problem: &str| LoadError::WrongWorld {
            expected: World::PolicyProvider,
            found: None,
            problem: problem.to_owned(),
        };
        let interface = component
            .get_export_index(None, POLICY_INTERFACE)
            .ok_or_else(|| missing("it must export the policy interface"))?;
        let function = |component: &Component, name| {
            component
                .get_export_index(Some(&interface), name)
                .ok_or_else(|| missing("it must export `configure` and `judge`"))
        };
        let configure = function(&component, "configure")?;
        let judge = function(&component, "judge")?;
        let pre = Linker::new(runtime.engine())
            .instantiate_pre(&component)
            .map_err(LoadError::Link)?;
        let budget = Budget::new(runtime, &limits, std::time::Duration::ZERO);
        let inner = Inner {
            runtime: runtime.clone(),
            pre,
            configure,
            judge,
            budget,
            limits,
            digest: artifact.digest(),
        };
        Ok(Self {
            inner: Arc::new(inner),
            meter: None,
        })
    }

    /// The same policy, with every judgement of its instances on a meter.
    pub(crate) fn metered(&self) -> (Self, Arc<Meter>) {
        let meter = Arc::new(Meter::default());
        let metered = Self {
            inner: Arc::clone(&self.inner),
            meter: Some(Arc::clone(&meter)),
        };
        (metered, meter)
    }

    /// The digest of its artifact.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.inner.digest
    }

    /// What it may use up.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    pub(super) fn instantiate(&self) -> Result<PolicyInstance, CallError> {
        let inner = &*self.inner;
        let budget = inner.budget.clone();
        let mut store = budget.store(
            &inner.runtime,
            PolicyState {
                guard: Guard::new(&inner.limits),
            },
        );
        let made = inner.pre.instantiate(&mut store).and_then(|instance| {
            let configure = instance.get_typed_func(&mut store, inner.configure)?;
            let judge = instance.get_typed_func(&mut store, inner.judge)?;
            Ok((configure, judge))
        });
        match made {
            Ok((configure, judge)) => Ok(PolicyInstance {
                store,
                configure,
                judge,
                budget,
                meter: self.meter.clone(),
            }),
            Err(error) => Err(budget.no_instance(&mut store, error)),
        }
    }
}

impl std::fmt::Debug for Policy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Policy")
            .field("digest", &self.inner.digest)
            .finish_non_exhaustive()
    }
}

/// A live policy, owned by the one instance of the negotiator that asks it.
pub(super) struct PolicyInstance {
    store: Store<PolicyState>,
    configure: TypedFunc<(String,), (Result<(), String>,)>,
    judge: TypedFunc<(Proposal,), (Verdict,)>,
    budget: Budget,
    meter: Option<Arc<Meter>>,
}

pub(super) struct PolicyState {
    guard: Guard,
}

impl Guarded for PolicyState {
    fn guard(&mut self) -> &mut Guard {
        &mut self.guard
    }
}

impl PolicyInstance {
    pub(super) fn refill(&mut self) {
        self.budget.refill(&mut self.store, 1);
    }

    /// The fuel used since the last refill.
    pub(super) fn used(&self) -> u64 {
        self.budget.used(&self.store)
    }

    fn configure(&mut self, settings: String) -> Result<Result<(), String>, CallError> {
        self.refill();
        match self.configure.call(&mut self.store, (settings,)) {
            Ok((answer,)) => Ok(answer),
            Err(error) => Err(self.budget.failure(&mut self.store, error)),
        }
    }

    fn judge(&mut self, proposal: Proposal) -> Result<Verdict, CallError> {
        self.refill();
        let answer = self.judge.call(&mut self.store, (proposal,));
        if let Some(meter) = &self.meter {
            meter.note(self.used());
        }
        match answer {
            Ok((verdict,)) => Ok(verdict),
            Err(error) => Err(self.budget.failure(&mut self.store, error)),
        }
    }
}

/// The policy as the negotiator sees it. A failure of the policy ends the
/// negotiator's call as well: there is no verdict that it could be given instead,
/// and nobody but the host may say that a policy failed.
impl Host for State {
    fn configure(&mut self, settings: String) -> wasmtime::Result<Result<(), String>> {
        self.policy()?.configure(settings).map_err(failed)
    }

    fn judge(&mut self, proposal: Proposal) -> wasmtime::Result<Verdict> {
        self.policy()?.judge(proposal).map_err(failed)
    }
}

fn failed(failure: CallError) -> wasmtime::Error {
    wasmtime::Error::new(PolicyFailure(failure))
}
