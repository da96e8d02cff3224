//! What is in force between two swaps: an immutable snapshot.

use std::sync::Arc;

use super::state::{Entry, Reason};
use crate::artifact::Digest;
use crate::error::{CallError, SettleError};
use crate::gate::InForce;
use crate::runtime::{Negotiator, Operation};
use crate::types::{Cause, Context, Decision, Exchange, HostRefusal, Settlement};

/// A policy in force, with its settings and limits and the negotiator that asks it.
/// Nothing of it changes: a swap puts another one in its place.
///
/// A call that began on a generation ends on it.
#[derive(Debug)]
pub struct Generation {
    pub(super) entry: Option<Entry>,
    pub(super) ready: Arc<Ready>,
}

/// What a generation decides with. It outlives its generation: the one before stays
/// ready, so that going back to it takes no time.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) negotiator: Negotiator,
    /// What a policy to come is compared with.
    pub(super) in_force: InForce,
    /// False where there is no policy, and the negotiator may only be asked to refuse.
    pub(super) is_policy: bool,
}

/// A settlement, and who settled it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    /// Decision, record and reply. Make the record durable before anything else.
    pub settlement: Settlement,
    /// Why the component or its policy failed, if it did. The settlement is then the
    /// refusal that a failed policy leads to, with its record.
    pub failure: Option<CallError>,
    /// By whom.
    pub by: By,
}

/// The generation that settled an exchange. It goes into the answer to the host and
/// into its metrics, and never on record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct By {
    /// The generation; 0 while there is none.
    pub generation: u64,
    /// The policy; none while there is none.
    pub policy: Option<Digest>,
    /// Whether that policy was let in without trust.
    pub untrusted: bool,
}

impl By {
    /// What names a generation.
    #[must_use]
    pub fn of(entry: Option<&Entry>) -> Self {
        Self {
            generation: entry.map_or(0, |entry| entry.generation),
            policy: entry.map(|entry| entry.policy),
            untrusted: entry.is_some_and(|entry| entry.untrusted),
        }
    }
}

impl Generation {
    /// Its number; 0 while there is none.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.entry.as_ref().map_or(0, |entry| entry.generation)
    }

    /// The policy, its settings and how it came into force; none while there is none.
    #[must_use]
    pub fn entry(&self) -> Option<&Entry> {
        self.entry.as_ref()
    }

    /// What names it in answers.
    #[must_use]
    pub fn by(&self) -> By {
        By::of(self.entry.as_ref())
    }

    /// The negotiator, for what needs no policy: reading messages, replies, checks.
    /// Settle through [`Policies::settle`](super::Policies::settle), which keeps the
    /// error budget.
    #[must_use]
    pub fn negotiator(&self) -> &Negotiator {
        &self.ready.negotiator
    }

    pub(super) fn settle(
        &self,
        exchange: &Exchange,
        context: &Context,
    ) -> Result<Served, SettleError> {
        let negotiator = &self.ready.negotiator;
        let (settlement, failure) = if self.ready.is_policy {
            let settled = negotiator.settle(exchange, context)?;
            (settled.settlement, settled.failure)
        } else {
            let refusal = HostRefusal::PolicyFailed;
            let settlement = negotiator.refuse(exchange, context, refusal)?;
            (settlement, Some(no_policy()))
        };
        Ok(Served {
            settlement,
            failure,
            by: self.by(),
        })
    }

    pub(super) fn settle_json(&self, request: &str) -> Result<Answered, CallError> {
        let negotiator = &self.ready.negotiator;
        if self.ready.is_policy {
            return negotiator.settle_json(request);
        }
        // What is wrong with a request needs no policy to be said.
        let answer = negotiator.json(Operation::Settle, request)?;
        if answer.is_err() {
            return Ok((answer, None));
        }
        let answer = negotiator.refuse_json(request, no_policy())?;
        Ok((answer, Some(no_policy())))
    }

    /// Whether a failed revert would revert again: a generation that is one does not.
    pub(super) fn is_reverted(&self) -> bool {
        self.entry
            .as_ref()
            .is_none_or(|entry| entry.reason == Reason::ErrorBudget)
    }
}

/// The answer to a request `settle`, and why it had to do without the policy.
pub(super) type Answered = (Result<String, String>, Option<CallError>);

impl Served {
    /// Whether the policy did what no policy may do.
    pub(super) fn is_fault(&self) -> bool {
        let broke = matches!(
            &self.settlement.decision,
            Decision::Refused(rejection) if rejection.cause == Cause::PolicyBrokeContract
        );
        broke || self.failure.as_ref().is_some_and(is_fault)
    }
}

/// Whether a failure is the policy's own. That too many instances are wanted at once is
/// not, nor is what the negotiator cannot take: a peer could bring that about.
pub(super) fn is_fault(failure: &CallError) -> bool {
    match failure {
        CallError::Policy(failure) => !matches!(**failure, CallError::Instantiate(_)),
        CallError::Configure(_) => true,
        _ => false,
    }
}

fn no_policy() -> CallError {
    let absent = CallError::Instantiate("there is no policy".to_owned());
    CallError::Policy(Box::new(absent))
}
