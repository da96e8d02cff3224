//! The operations over JSON text.

use std::str::FromStr;

use wasmtime::Store;

use super::instance::State;
use super::{Negotiator, bindings};
use crate::error::{CallError, UnknownOperation};

/// An operation of the component's `json` interface. Requests and answers are those
/// of the JSON contract; a request without `facets` uses those of the
/// [`Negotiator`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Decide, record and answer.
    Settle,
    /// Refuse without asking the policy.
    Refuse,
    /// Decide only.
    Decide,
    /// Build the record of a decision made earlier.
    Record,
    /// Digest of an origin.
    Digest,
    /// The ceiling of rounds that ask for input.
    Rounds,
    /// Freshness of a facet.
    Fresh,
    /// Validate facets.
    Facets,
    /// Check a discovery document.
    Check,
    /// Project a run status.
    TaskState,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Self; 10] = [
        Self::Settle,
        Self::Refuse,
        Self::Decide,
        Self::Record,
        Self::Digest,
        Self::Rounds,
        Self::Fresh,
        Self::Facets,
        Self::Check,
        Self::TaskState,
    ];

    /// The name in the contract, `task-state` for example.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Settle => "settle",
            Self::Refuse => "refuse",
            Self::Decide => "decide",
            Self::Record => "record",
            Self::Digest => "digest",
            Self::Rounds => "rounds",
            Self::Fresh => "fresh",
            Self::Facets => "facets",
            Self::Check => "check",
            Self::TaskState => "task-state",
        }
    }
}

impl std::fmt::Display for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Operation {
    type Err = UnknownOperation;

    fn from_str(name: &str) -> Result<Self, UnknownOperation> {
        Self::ALL
            .into_iter()
            .find(|operation| operation.as_str() == name)
            .ok_or(UnknownOperation)
    }
}

impl Negotiator {
    /// One request, one answer, both JSON text. The inner error is an answer, too:
    /// the contract's error object, for a request that cannot be read or that brings
    /// invalid facets.
    ///
    /// When the policy fails in [`Operation::Settle`], the answer is the refusal that
    /// belongs to it, with its record.
    ///
    /// # Errors
    ///
    /// The component, or in other operations than `settle` its policy, failed.
    pub fn json(
        &self,
        operation: Operation,
        request: &str,
    ) -> Result<Result<String, String>, CallError> {
        match self.json_once(operation, request) {
            Err(failure) if operation == Operation::Settle => self.refuse_json(request, failure),
            answer => answer,
        }
    }

    /// Settles, and says whether that had to be done without the policy.
    pub(crate) fn settle_json(
        &self,
        request: &str,
    ) -> Result<(Result<String, String>, Option<CallError>), CallError> {
        match self.json_once(Operation::Settle, request) {
            Ok(answer) => Ok((answer, None)),
            Err(failure) => {
                let answer = self.refuse_json(request, failure.clone())?;
                Ok((answer, Some(failure)))
            }
        }
    }

    fn json_once(
        &self,
        operation: Operation,
        request: &str,
    ) -> Result<Result<String, String>, CallError> {
        let request = shortened(request);
        self.call(|exports, store| ask(exports, store, operation, request))
    }

    /// Refuses where a request `settle` came to nothing because of `failure`.
    #[cold]
    pub(crate) fn refuse_json(
        &self,
        settle: &str,
        failure: CallError,
    ) -> Result<Result<String, String>, CallError> {
        let settle = shortened(settle);
        let Some(refuse) = refuse_instead(settle) else {
            return Err(failure);
        };
        let answer = self.call_fresh(|exports, store| {
            exports
                .openwop_negotiation_json()
                .call_refuse(store, &refuse)
        });
        // If that fails as well, what went wrong first is what matters.
        answer.map_err(|_| failure)
    }
}

/// Calls the function of the `json` interface that an operation stands for.
pub(super) fn ask(
    exports: &bindings::Negotiator,
    store: &mut Store<State>,
    operation: Operation,
    request: &str,
) -> wasmtime::Result<Result<String, String>> {
    let json = exports.openwop_negotiation_json();
    match operation {
        Operation::Settle => json.call_settle(store, request),
        Operation::Refuse => json.call_refuse(store, request),
        Operation::Decide => json.call_decide(store, request),
        Operation::Record => json.call_record(store, request),
        Operation::Digest => json.call_digest(store, request),
        Operation::Rounds => json.call_rounds(store, request),
        Operation::Fresh => json.call_fresh(store, request),
        Operation::Facets => json.call_facets(store, request),
        Operation::Check => json.call_check(store, request),
        Operation::TaskState => json.call_task_state(store, request),
    }
}

/// Whether an answer to `settle` or `decide` is the refusal of a policy that granted what was no
/// candidate. Answers are compact JSON of known members.
pub(crate) fn broke_contract(answer: &str) -> bool {
    answer.contains(r#""cause":"policy-broke-contract""#)
}

/// A request that is too long is refused for its length alone. So a little more
/// than the limit of it is enough, however much there is.
fn shortened(request: &str) -> &str {
    request
        .get(..request.floor_char_boundary(ENOUGH))
        .unwrap_or(request)
}

/// The request `settle` as a request `refuse`.
fn refuse_instead(request: &str) -> Option<String> {
    let members = request.trim_start().strip_prefix('{')?;
    Some(format!(r#"{{"refusal":"policy-failed",{members}"#))
}

/// 64 KiB, the limit of a request, and room for a whole character behind it.
const ENOUGH: usize = 64 * 1024 + 4;
