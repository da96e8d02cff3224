//! A configured negotiator: what hosts call.

use std::sync::Arc;

use wasmtime::Store;

use super::bindings;
use super::component::Template;
use super::instance::{Instance, State};
use super::slots::Slots;
use crate::artifact::Digest;
use crate::error::{CallError, ConfigureError, SettleError};
use crate::types::{Context, Decision, Exchange, Facets, HostRefusal, Settlement};

/// A negotiator with its facets. Share it between threads behind a reference or an
/// [`Arc`]; calls do not wait for each other.
///
/// Instances are kept from one call to the next, each used by one call at a time,
/// and thrown away as soon as a call into one of them fails.
pub struct Negotiator {
    pub(super) template: Arc<Template>,
    facets: Facets,
    settings: String,
    slots: Slots,
}

/// A decision, and whether it had to be made without the policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The decision.
    pub decision: Decision,
    /// Why the component or its policy failed, if it did. The decision is then the
    /// refusal that a failed policy leads to.
    pub failure: Option<CallError>,
}

/// A settlement, and whether it had to be made without the policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// Decision, record and reply. Make the record durable before anything else.
    pub settlement: Settlement,
    /// Why the component or its policy failed, if it did. The settlement is then
    /// the refusal that a failed policy leads to, with its record.
    pub failure: Option<CallError>,
}

/// Fuel that was used, in instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fuel {
    /// By the negotiator itself.
    pub negotiator: u64,
    /// By the policy that was put in at run time; 0 when it was not asked.
    pub policy: u64,
}

impl Negotiator {
    pub(super) fn new(
        template: Arc<Template>,
        facets: Facets,
        settings: String,
        kept: usize,
    ) -> Result<Self, ConfigureError> {
        let mut instance = Instance::new(&template)?;
        instance.configure(&facets, &settings)?;
        let negotiator = Self {
            template,
            facets,
            settings,
            slots: Slots::new(kept),
        };
        negotiator.put_by(instance);
        Ok(negotiator)
    }

    /// The digest of the component's artifact.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.template.digest
    }

    /// The digest of the policy's artifact, where the policy was put in at run time.
    #[must_use]
    pub fn policy_digest(&self) -> Option<Digest> {
        self.template.policy.as_ref().map(super::Policy::digest)
    }

    /// The facets that it decides under.
    #[must_use]
    pub fn facets(&self) -> &Facets {
        &self.facets
    }

    /// Decides one exchange, without a record: for gates, replays and tests. A
    /// decision without its record must not be acted on (RFC 0175 §D.3).
    ///
    /// When the policy fails, the decision is a refusal and says why.
    ///
    /// # Errors
    ///
    /// The component failed, and failed again when it was only asked to refuse.
    pub fn decide(&self, exchange: &Exchange) -> Result<Decided, CallError> {
        let decided = self.call(|exports, store| {
            exports
                .openwop_negotiation_negotiate()
                .call_decide(store, exchange)
        });
        match decided {
            Ok(decision) => Ok(Decided {
                decision,
                failure: None,
            }),
            Err(failure) => self.decide_without_policy(exchange, failure),
        }
    }

    /// Decides many exchanges, in order: quicker than one by one.
    ///
    /// # Errors
    ///
    /// As [`Negotiator::decide`], for any of them.
    pub fn decide_many(&self, exchanges: &[Exchange]) -> Result<Vec<Decided>, CallError> {
        let mut decided = Vec::with_capacity(exchanges.len());
        for batch in exchanges.chunks(BATCH) {
            let calls = u64::try_from(batch.len()).unwrap_or(1);
            let answer = self.call_many(calls, |exports, store| {
                exports
                    .openwop_negotiation_negotiate()
                    .call_decide_many(store, batch)
            });
            match answer {
                Ok(decisions) if decisions.len() == batch.len() => {
                    decided.extend(decisions.into_iter().map(|decision| Decided {
                        decision,
                        failure: None,
                    }))
                }
                // One of them failed, or some are missing: find out which.
                _ => {
                    for exchange in batch {
                        decided.push(self.decide(exchange)?);
                    }
                }
            }
        }
        Ok(decided)
    }

    /// Decides one exchange and tells how much fuel that took: for gates, and for
    /// setting limits. Otherwise as [`Negotiator::decide`].
    ///
    /// # Errors
    ///
    /// As [`Negotiator::decide`].
    pub fn decide_metered(&self, exchange: &Exchange) -> Result<(Decided, Fuel), CallError> {
        let (decided, fuel) = self.metered(|exports, store| {
            exports
                .openwop_negotiation_negotiate()
                .call_decide(store, exchange)
        });
        let decided = match decided {
            Ok(decision) => Decided {
                decision,
                failure: None,
            },
            Err(failure) => self.decide_without_policy(exchange, failure)?,
        };
        Ok((decided, fuel))
    }

    #[cold]
    fn decide_without_policy(
        &self,
        exchange: &Exchange,
        failure: CallError,
    ) -> Result<Decided, CallError> {
        // Only the decision is used, and it does not depend on the context.
        let context = Context {
            at: "1970-01-01T00:00:00Z".to_owned(),
            peer_url: None,
            subject: None,
            run_id: None,
            sequence: None,
            event_id: None,
        };
        let answer = self.call_fresh(|exports, store| {
            exports.openwop_negotiation_record().call_refuse(
                store,
                exchange,
                &context,
                HostRefusal::PolicyFailed,
            )
        })?;
        match answer {
            Ok(settlement) => Ok(Decided {
                decision: settlement.decision,
                failure: Some(failure),
            }),
            Err(fault) => Err(CallError::AnswerMalformed(format!(
                "`{}` was called wrong where it was right",
                crate::artifact::printable(&fault.path)
            ))),
        }
    }

    /// Decides, records and answers in one call: the one to use.
    ///
    /// When the component or its policy traps or runs into a limit, a new instance is
    /// asked to refuse, and that refusal with its record is returned together with
    /// the reason.
    ///
    /// # Errors
    ///
    /// The context is outside its grammar; or the component failed twice and there
    /// is no record, in which case [`Negotiator::not_durable`] is the answer.
    pub fn settle(&self, exchange: &Exchange, context: &Context) -> Result<Settled, SettleError> {
        let settled = self.call(|exports, store| {
            exports
                .openwop_negotiation_record()
                .call_settle(store, exchange, context)
        });
        match settled {
            Ok(Ok(settlement)) => Ok(Settled {
                settlement,
                failure: None,
            }),
            Ok(Err(fault)) => Err(SettleError::Context(fault)),
            Err(first) => {
                let refusal = HostRefusal::PolicyFailed;
                let settlement = self.refuse_fresh(exchange, context, refusal, &first)?;
                Ok(Settled {
                    settlement,
                    failure: Some(first),
                })
            }
        }
    }

    /// Refuses without asking the policy, with the record that belongs to it.
    ///
    /// # Errors
    ///
    /// As [`Negotiator::settle`].
    pub fn refuse(
        &self,
        exchange: &Exchange,
        context: &Context,
        refusal: HostRefusal,
    ) -> Result<Settlement, SettleError> {
        let refused = self.call(|exports, store| {
            exports
                .openwop_negotiation_record()
                .call_refuse(store, exchange, context, refusal)
        });
        match refused {
            Ok(answer) => answer.map_err(SettleError::Context),
            Err(first) => self.refuse_fresh(exchange, context, refusal, &first),
        }
    }

    #[cold]
    fn refuse_fresh(
        &self,
        exchange: &Exchange,
        context: &Context,
        refusal: HostRefusal,
        first: &CallError,
    ) -> Result<Settlement, SettleError> {
        let refused = self.call_fresh(|exports, store| {
            exports
                .openwop_negotiation_record()
                .call_refuse(store, exchange, context, refusal)
        });
        match refused {
            Ok(answer) => answer.map_err(SettleError::Context),
            Err(second) => Err(SettleError::Unanswered {
                first: first.clone(),
                second,
            }),
        }
    }

    /// Calls into a kept instance, or into a new one where none is free.
    #[inline]
    pub(super) fn call<R>(
        &self,
        call: impl FnOnce(&bindings::Negotiator, &mut Store<State>) -> wasmtime::Result<R>,
    ) -> Result<R, CallError> {
        self.call_many(1, call)
    }

    #[inline]
    fn call_many<R>(
        &self,
        calls: u64,
        call: impl FnOnce(&bindings::Negotiator, &mut Store<State>) -> wasmtime::Result<R>,
    ) -> Result<R, CallError> {
        let Some(mut place) = self.slots.claim() else {
            return self.instance()?.call(calls, call);
        };
        let instance = match &mut *place {
            Some(instance) => instance,
            empty => empty.insert(self.instance()?),
        };
        let answer = instance.call(calls, call);
        if answer.is_err() {
            *place = None;
        }
        answer
    }

    /// Calls into an instance that no other call has used.
    #[cold]
    pub(super) fn call_fresh<R>(
        &self,
        call: impl FnOnce(&bindings::Negotiator, &mut Store<State>) -> wasmtime::Result<R>,
    ) -> Result<R, CallError> {
        let mut instance = self.instance()?;
        let answer = instance.call(1, call)?;
        self.put_by(instance);
        Ok(answer)
    }

    /// A new instance, configured.
    #[cold]
    fn instance(&self) -> Result<Instance, CallError> {
        let mut instance = Instance::new(&self.template)?;
        match instance.configure(&self.facets, &self.settings) {
            Ok(()) => Ok(instance),
            Err(ConfigureError::Call(failure)) => Err(failure),
            Err(ConfigureError::Faults(faults)) => Err(CallError::Configure(faults)),
        }
    }

    /// Keeps an instance for the next call if there is an empty place for it.
    fn put_by(&self, instance: Instance) {
        if let Some(mut place) = self.slots.claim() {
            place.get_or_insert(instance);
        }
    }
}

impl std::fmt::Debug for Negotiator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Negotiator")
            .field("digest", &self.digest())
            .field("policy", &self.policy_digest())
            .finish_non_exhaustive()
    }
}

/// How many exchanges go into one call; their decisions fit the limit of an answer.
const BATCH: usize = 64;
