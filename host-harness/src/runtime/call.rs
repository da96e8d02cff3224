//! What a call may use, and what became of a call that failed.

use std::time::Duration;

use wasmtime::{AsContextMut, Store, Trap};

use super::guard::Guard;
use super::{Limits, Runtime};
use crate::error::CallError;

/// The limits of one component, in the engine's terms.
#[derive(Clone)]
pub(super) struct Budget {
    fuel: u64,
    ticks: u64,
    limits: Limits,
}

impl Budget {
    /// `waits` is the time that the component may spend waiting for its policy,
    /// beside its own.
    pub(super) fn new(runtime: &Runtime, limits: &Limits, waits: Duration) -> Self {
        let deadline = limits.deadline.saturating_add(waits);
        Self {
            fuel: limits.fuel,
            ticks: runtime.ticks(deadline),
            limits: limits.clone(),
        }
    }

    /// A store that keeps within the limits from its first instruction on.
    pub(super) fn store<T: Guarded>(&self, runtime: &Runtime, data: T) -> Store<T> {
        let mut store = Store::new(runtime.engine(), data);
        store.limiter(|data| data.guard());
        store.set_hostcall_fuel(self.limits.answer);
        self.refill(&mut store, 1);
        store
    }

    /// Gives a store what `calls` calls may use, whatever it used before.
    #[inline]
    pub(super) fn refill<T: Guarded>(&self, store: &mut Store<T>, calls: u64) {
        store.data_mut().guard().begin();
        store.set_epoch_deadline(self.ticks.saturating_mul(calls));
        // Fails only where fuel is switched off in the engine; then nothing would
        // run at all, since a store begins without fuel.
        let _ = store.set_fuel(self.fuel.saturating_mul(calls));
    }

    /// The fuel that one call has used so far.
    pub(super) fn used<T: Guarded>(&self, store: &Store<T>) -> u64 {
        self.fuel.saturating_sub(store.get_fuel().unwrap_or(0))
    }

    /// Why a call failed.
    #[cold]
    pub(super) fn failure<T: Guarded>(
        &self,
        store: &mut Store<T>,
        error: wasmtime::Error,
    ) -> CallError {
        let error = match error.downcast::<PolicyFailure>() {
            Ok(PolicyFailure(failure)) => return CallError::Policy(Box::new(failure)),
            Err(error) => error,
        };
        let trap = error.downcast_ref::<Trap>().copied();
        match trap {
            Some(Trap::OutOfFuel) => return CallError::OutOfFuel { fuel: self.fuel },
            Some(Trap::Interrupt) => {
                return CallError::Deadline {
                    deadline: self.limits.deadline,
                };
            }
            _ => {}
        }
        // Without the memory it asked for, a component can only trap.
        if store.as_context_mut().data_mut().guard().denied() {
            return CallError::OutOfMemory {
                limit: self.limits.memory,
                elements: self.limits.table_elements,
            };
        }
        match trap {
            Some(trap) => CallError::Trap(trap),
            None if is_hostcall_fuel(&error) => CallError::AnswerTooLarge {
                limit: self.limits.answer,
            },
            None => CallError::AnswerMalformed(crate::artifact::printable(
                &error.root_cause().to_string(),
            )),
        }
    }

    /// Why no instance could be made.
    #[cold]
    pub(super) fn no_instance<T: Guarded>(
        &self,
        store: &mut Store<T>,
        error: wasmtime::Error,
    ) -> CallError {
        match self.failure(store, error) {
            CallError::AnswerMalformed(problem) => CallError::Instantiate(problem),
            failure => failure,
        }
    }
}

/// The data of a store that is kept within limits.
pub(super) trait Guarded: 'static {
    fn guard(&mut self) -> &mut Guard;
}

/// How the failure of a policy passes through the component that asked it.
#[derive(Debug, thiserror::Error)]
#[error("the policy failed")]
pub(super) struct PolicyFailure(pub(super) CallError);

/// The engine keeps this error's type to itself; its words are pinned by a test.
fn is_hostcall_fuel(error: &wasmtime::Error) -> bool {
    error
        .root_cause()
        .to_string()
        .ends_with("fuel allocated for hostcalls has been exhausted")
}
