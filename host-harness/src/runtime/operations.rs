//! What a configured negotiator does beside deciding.

use wasmtime::Store;

use super::instance::State;
use super::{Negotiator, bindings};
use crate::error::{CallError, OperationError};
use crate::types::{
    Context, Decision, Direction, Entry, Exchange, Fault, Finding, Inbound, Outbound, Protocol,
    Reply, Round,
};

impl Negotiator {
    /// Reads an inbound message. Nothing a peer writes is an error here.
    ///
    /// # Errors
    ///
    /// The component failed: the message is larger than its limits allow, say.
    pub fn read_inbound(&self, message: &Inbound) -> Result<Exchange, CallError> {
        self.call(|exports, store| {
            exports
                .openwop_negotiation_wire()
                .call_read_inbound(store, message)
        })
    }

    /// Reads what is known before an outbound call. Nothing a peer writes is an error
    /// here.
    ///
    /// # Errors
    ///
    /// The component failed: the card is larger than its limits allow, say.
    pub fn read_outbound(&self, message: &Outbound) -> Result<Exchange, CallError> {
        self.call(|exports, store| {
            exports
                .openwop_negotiation_wire()
                .call_read_outbound(store, message)
        })
    }

    /// Builds the record of a decision made earlier by [`Negotiator::decide`].
    ///
    /// # Errors
    ///
    /// The context is outside its grammar; the rules cannot have made that decision;
    /// or the component failed.
    pub fn build(
        &self,
        exchange: &Exchange,
        decision: &Decision,
        context: &Context,
    ) -> Result<Entry, OperationError> {
        self.operation(|exports, store| {
            exports
                .openwop_negotiation_record()
                .call_build(store, exchange, decision, context)
        })
    }

    /// The reply to a decision. `run_id` goes into the envelope of a refusal.
    ///
    /// # Errors
    ///
    /// The rules cannot have made that decision; or the component failed.
    pub fn reply(
        &self,
        exchange: &Exchange,
        decision: &Decision,
        run_id: Option<&str>,
    ) -> Result<Reply, OperationError> {
        self.operation(|exports, store| {
            exports
                .openwop_negotiation_answer()
                .call_build(store, exchange, decision, run_id)
        })
    }

    /// The reply when a record could not be made durable, or could not be made at
    /// all: 503, to be tried again, and nothing is served (R15). There always is one:
    /// where the component fails, its fixed text is given without it.
    #[must_use]
    pub fn not_durable(&self, exchange: &Exchange) -> Reply {
        self.call(|exports, store| {
            exports
                .openwop_negotiation_answer()
                .call_not_durable(store, exchange)
        })
        .unwrap_or_else(|_| unavailable(exchange))
    }

    /// SHA-256 of the serialised origin of a URL, 64 hex digits; none for an origin
    /// that is not a tuple (R8).
    ///
    /// # Errors
    ///
    /// The component failed.
    pub fn digest_origin(&self, url: &str) -> Result<Option<String>, CallError> {
        self.call(|exports, store| {
            exports
                .openwop_negotiation_record()
                .call_digest_origin(store, url)
        })
    }

    /// Checks a discovery document, given as JSON text, at the instant `now` (RFC
    /// 3339 date-time with offset). No finding means that it passes.
    ///
    /// # Errors
    ///
    /// Text that is not JSON, an instant outside its grammar; or the component failed.
    pub fn check(&self, document: &str, now: &str) -> Result<Vec<Finding>, OperationError> {
        self.operation(|exports, store| {
            exports
                .openwop_negotiation_advertise()
                .call_check(store, document, now)
        })
    }

    /// Whether offers compared on `refreshed_at` (`YYYY-MM-DD`) are fresh at `now`
    /// (R13).
    ///
    /// # Errors
    ///
    /// A value outside its grammar; or the component failed.
    pub fn fresh(&self, refreshed_at: &str, now: &str) -> Result<bool, OperationError> {
        self.operation(|exports, store| {
            exports
                .openwop_negotiation_advertise()
                .call_fresh(store, refreshed_at, now)
        })
    }

    /// The version of the agent card for a GET that names none (RFC 0175 §C.3); none
    /// without an A2A facet.
    ///
    /// # Errors
    ///
    /// The component failed.
    pub fn card_version(&self) -> Result<Option<String>, CallError> {
        self.call(|exports, store| {
            exports
                .openwop_negotiation_advertise()
                .call_card_version(store)
        })
    }

    /// Whether one more round may be sent after `input_required_seen` results that
    /// asked for input, `max_rounds` being 1 to 16 (RFC 0175 §E.4).
    ///
    /// # Errors
    ///
    /// `max_rounds` is out of range; or the component failed.
    pub fn admit_round(
        &self,
        max_rounds: u32,
        input_required_seen: u32,
    ) -> Result<Round, OperationError> {
        self.operation(|exports, store| {
            exports.openwop_negotiation_advertise().call_admit_round(
                store,
                max_rounds,
                input_required_seen,
            )
        })
    }

    /// The A2A task state of a run status (RFC 0175 §E.2).
    ///
    /// # Errors
    ///
    /// An unknown status; or the component failed.
    pub fn task_state(&self, status: &str) -> Result<String, OperationError> {
        self.operation(|exports, store| {
            exports
                .openwop_negotiation_advertise()
                .call_task_state(store, status)
        })
    }

    fn operation<R>(
        &self,
        call: impl FnOnce(
            &bindings::Negotiator,
            &mut Store<State>,
        ) -> wasmtime::Result<Result<R, Fault>>,
    ) -> Result<R, OperationError> {
        self.call(call)?.map_err(OperationError::Fault)
    }
}

/// The reply of `answer.not-durable`, word for word.
fn unavailable(exchange: &Exchange) -> Reply {
    let protocol = match exchange.protocol {
        Protocol::A2a => "a2a",
        Protocol::Mcp => "mcp",
    };
    let inbound = exchange.direction == Direction::Inbound;
    let message = "The negotiation could not be recorded";
    Reply {
        status: 503,
        headers: vec![("Retry-After".to_owned(), "1".to_owned())],
        error: inbound.then(|| format!(r#"{{"code":-32603,"message":"{message}"}}"#)),
        envelope: Some(format!(
            r#"{{"error":"service_unavailable","message":"{message}","details":{{"protocol":"{protocol}","retriable":true}}}}"#
        )),
    }
}
