//! Calls whose fuel is told: for gates, certificates, and for setting limits.

use wasmtime::Store;

use super::instance::State;
use super::{Fuel, Negotiator, Operation, bindings, json};
use crate::error::{CallError, OperationError};
use crate::types::{Context, Exchange, Settlement};

impl Negotiator {
    /// Settles one exchange and tells how much fuel that took. Unlike [`Negotiator::settle`] it
    /// makes no refusal of a failure: what failed is what the caller wants to know.
    ///
    /// # Errors
    ///
    /// The context is outside its grammar; or the component, or its policy, failed.
    pub fn settle_metered(
        &self,
        exchange: &Exchange,
        context: &Context,
    ) -> Result<(Settlement, Fuel), OperationError> {
        let (settled, fuel) = self.metered(|exports, store| {
            exports
                .openwop_negotiation_record()
                .call_settle(store, exchange, context)
        });
        let settlement = settled?.map_err(OperationError::Fault)?;
        Ok((settlement, fuel))
    }

    /// Asks an operation over JSON text and tells how much fuel that took. A failure stays one,
    /// as in [`Negotiator::settle_metered`].
    ///
    /// # Errors
    ///
    /// The component, or its policy, failed.
    pub fn json_metered(
        &self,
        operation: Operation,
        request: &str,
    ) -> Result<(Result<String, String>, Fuel), CallError> {
        let (answer, fuel) =
            self.metered(|exports, store| json::ask(exports, store, operation, request));
        Ok((answer?, fuel))
    }

    /// Calls, and reads the meters before anything else runs. After a failure they tell nothing.
    pub(super) fn metered<R>(
        &self,
        call: impl FnOnce(&bindings::Negotiator, &mut Store<State>) -> wasmtime::Result<R>,
    ) -> (Result<R, CallError>, Fuel) {
        let mut fuel = Fuel::default();
        let answer = self.call(|exports, store| {
            store.data_mut().begin_metering();
            let answer = call(exports, &mut *store);
            fuel = Fuel {
                negotiator: self.template.budget.used(store),
                policy: store.data().policy_fuel(),
            };
            answer
        });
        (answer, fuel)
    }
}
