//! A live negotiator: one store, one configuration, one call at a time.

use wasmtime::Store;

use super::bindings;
use super::call::{Budget, Guarded, PolicyFailure};
use super::component::Template;
use super::guard::Guard;
use super::policy::PolicyInstance;
use crate::error::{CallError, ConfigureError};
use crate::types::Facets;

/// Dead after its first failed call; whoever holds it must drop it then.
pub(super) struct Instance {
    store: Store<State>,
    exports: bindings::Negotiator,
    budget: Budget,
}

/// What the host keeps beside an instance.
pub(super) struct State {
    guard: Guard,
    policy: Option<PolicyInstance>,
}

impl State {
    pub(super) fn policy(&mut self) -> wasmtime::Result<&mut PolicyInstance> {
        self.policy.as_mut().ok_or_else(|| {
            let absent = CallError::Instantiate("there is no policy".to_owned());
            wasmtime::Error::new(PolicyFailure(absent))
        })
    }

    /// From here on, [`State::policy_fuel`] tells what the policy uses.
    pub(super) fn begin_metering(&mut self) {
        if let Some(policy) = &mut self.policy {
            policy.refill();
        }
    }

    pub(super) fn policy_fuel(&self) -> u64 {
        self.policy.as_ref().map_or(0, PolicyInstance::used)
    }
}

impl Guarded for State {
    #[inline]
    fn guard(&mut self) -> &mut Guard {
        &mut self.guard
    }
}

impl Instance {
    pub(super) fn new(template: &Template) -> Result<Self, CallError> {
        let policy = template
            .policy
            .as_ref()
            .map(super::Policy::instantiate)
            .transpose()
            .map_err(|failure| CallError::Policy(Box::new(failure)))?;
        let budget = template.budget.clone();
        let state = State {
            guard: Guard::new(&template.limits),
            policy,
        };
        let mut store = budget.store(&template.runtime, state);
        match template.pre.instantiate(&mut store) {
            Ok(exports) => Ok(Self {
                store,
                exports,
                budget,
            }),
            Err(error) => Err(budget.no_instance(&mut store, error)),
        }
    }

    pub(super) fn configure(
        &mut self,
        facets: &Facets,
        settings: &str,
    ) -> Result<(), ConfigureError> {
        let answer = self.call(1, |exports, store| {
            exports
                .openwop_negotiation_negotiate()
                .call_configure(store, facets, settings)
        })?;
        answer.map_err(ConfigureError::Faults)
    }

    /// Calls into the component, with the fuel and time of `calls` calls.
    #[inline]
    pub(super) fn call<R>(
        &mut self,
        calls: u64,
        call: impl FnOnce(&bindings::Negotiator, &mut Store<State>) -> wasmtime::Result<R>,
    ) -> Result<R, CallError> {
        self.budget.refill(&mut self.store, calls);
        match call(&self.exports, &mut self.store) {
            Ok(answer) => Ok(answer),
            Err(error) => Err(self.budget.failure(&mut self.store, error)),
        }
    }
}
