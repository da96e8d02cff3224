//! Counters for Prometheus. No label holds anything that a peer can choose.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

use crate::policy::By;
use crate::types::{Cause, Decision, Exchange, Protocol, Refusal};

pub(super) struct Metrics {
    registry: Registry,
    decisions: Family<Labels, Counter>,
    unrecorded: Counter,
    append: Histogram,
    generation: Gauge,
    untrusted: Gauge,
    policy: Family<Policy, Gauge>,
    /// What those three say.
    told: Mutex<Option<By>>,
}

/// The host's own choice, and one at a time; no peer has a say in it.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Policy {
    policy: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Labels {
    protocol: &'static str,
    outcome: &'static str,
    reason: &'static str,
    cause: String,
}

impl Metrics {
    pub(super) fn new() -> Self {
        let mut registry = Registry::with_prefix("negotiator");
        let decisions = Family::default();
        let unrecorded = Counter::default();
        let append = Histogram::new(exponential_buckets(0.0005, 2.0, 14));
        registry.register("decisions", "Exchanges decided", Family::clone(&decisions));
        registry.register(
            "unrecorded",
            "Exchanges refused because no record could be made durable",
            unrecorded.clone(),
        );
        registry.register(
            "append_seconds",
            "Time until a record was durable",
            append.clone(),
        );
        let generation = Gauge::default();
        registry.register(
            "policy_generation",
            "Generation of the policy in force; 0 where there is none, or only the one inside",
            generation.clone(),
        );
        let untrusted = Gauge::default();
        registry.register(
            "policy_untrusted",
            "1 while the policy in force is one that nobody vouches for",
            untrusted.clone(),
        );
        let policy = Family::default();
        registry.register(
            "policy_info",
            "1, with the digest of the policy in force; nothing where there is none",
            Family::clone(&policy),
        );
        Self {
            registry,
            decisions,
            unrecorded,
            append,
            generation,
            untrusted,
            policy,
            told: Mutex::default(),
        }
    }

    pub(super) fn decided(&self, exchange: &Exchange, decision: &Decision, appended: Duration) {
        let (outcome, reason, cause) = match decision {
            Decision::Accepted(accepted) if accepted.downgraded => {
                ("downgraded", "ok", accepted.cause)
            }
            Decision::Accepted(accepted) => ("accepted", "ok", accepted.cause),
            Decision::Refused(refused) => {
                let reason = match refused.refusal {
                    Refusal::BelowFloor => "below-floor",
                    Refusal::Unsupported => "unsupported",
                    Refusal::Unauthenticated => "unauthenticated",
                };
                ("refused", reason, refused.cause)
            }
        };
        let labels = Labels {
            protocol: protocol(exchange.protocol),
            outcome,
            reason,
            cause: word(cause),
        };
        self.decisions.get_or_create(&labels).inc();
        self.append.observe(appended.as_secs_f64());
    }

    pub(super) fn unrecorded(&self) {
        self.unrecorded.inc();
    }

    pub(super) fn in_force(&self, by: By) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.replace(by) == Some(by) {
            return;
        }
        self.policy.clear();
        if let Some(policy) = by.policy {
            let policy = policy.to_string();
            self.policy.get_or_create(&Policy { policy }).set(1);
        }
        let generation = i64::try_from(by.generation).unwrap_or(i64::MAX);
        self.generation.set(generation);
        self.untrusted.set(i64::from(by.untrusted));
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = text::encode(&mut text, &self.registry);
        text
    }
}

pub(super) fn protocol(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::A2a => "a2a",
        Protocol::Mcp => "mcp",
    }
}

/// A cause as the contract writes it, `named-below-floor`: a closed enum.
fn word(cause: Cause) -> String {
    let mut word = String::new();
    for letter in format!("{cause:?}").trim_start_matches("Cause::").chars() {
        if letter.is_ascii_uppercase() && !word.is_empty() {
            word.push('-');
        }
        word.push(letter.to_ascii_lowercase());
    }
    word
}
