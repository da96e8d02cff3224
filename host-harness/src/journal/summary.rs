//! Downgrades and refusals, counted by version.

use std::collections::BTreeMap;

use super::{Facts, Record};

/// How often each thing happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Records of a negotiation.
    pub decided: u64,
    /// Other events of runs.
    pub others: u64,
    /// Counts, in the order protocol, outcome, reason, requested, version.
    pub counts: Vec<Count>,
    seen: BTreeMap<Key, u64>,
}

/// How often one thing happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// `a2a` or `mcp`.
    pub protocol: String,
    /// `accepted`, `downgraded` or `refused`.
    pub outcome: &'static str,
    /// The reason on record.
    pub reason: String,
    /// What was asked for.
    pub requested: Option<String>,
    /// What was agreed on.
    pub version: Option<String>,
    /// How often.
    pub count: u64,
}

type Key = (String, &'static str, String, Option<String>, Option<String>);

impl Summary {
    /// Counts one record.
    pub fn add(&mut self, record: &Record) {
        let Some(facts) = record.facts() else {
            self.others = self.others.saturating_add(1);
            return;
        };
        self.decided = self.decided.saturating_add(1);
        let outcome = outcome(&facts);
        let key = (
            facts.protocol,
            outcome,
            facts.reason,
            facts.requested,
            facts.version,
        );
        let count = self.seen.entry(key).or_default();
        *count = count.saturating_add(1);
    }

    /// All counts.
    #[must_use]
    pub fn finish(mut self) -> Self {
        self.counts = std::mem::take(&mut self.seen)
            .into_iter()
            .map(
                |((protocol, outcome, reason, requested, version), count)| Count {
                    protocol,
                    outcome,
                    reason,
                    requested,
                    version,
                    count,
                },
            )
            .collect();
        self
    }
}

fn outcome(facts: &Facts) -> &'static str {
    if facts.downgraded() {
        "downgraded"
    } else if facts.outcome == "accepted" {
        "accepted"
    } else {
        "refused"
    }
}
