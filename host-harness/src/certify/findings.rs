//! What a run found.

use std::collections::BTreeMap;

use crate::Limits;
use crate::artifact::Digest;
use crate::proof::{Rule, Violation};

/// Everything that a run of [`certify`](crate::certify::certify) found out about a component.
#[derive(Clone, Debug)]
pub struct Report {
    /// The component.
    pub digest: Digest,
    /// What it ran under.
    pub limits: Limits,
    /// The corpus.
    pub corpus: Corpus,
    /// The grid.
    pub grid: Grid,
    /// The dearest calls.
    pub fuel: FuelFound,
    /// Every rule that was broken. Empty when the component passed.
    pub broken: BTreeMap<Rule, Broken>,
}

impl Report {
    /// Whether every rule held.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.broken.is_empty()
    }
}

/// What became of the corpus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Corpus {
    /// Cases that there are.
    pub cases: u64,
    /// Cases whose answer was the one expected.
    pub held: u64,
    /// Cases that cannot be put to a configured negotiator.
    pub not_applicable: u64,
}

/// What became of the grid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// Settlements made and compared.
    pub settlements: u64,
    /// Settlements made a second time, in another instance and order.
    pub repeated: u64,
    /// How many settlements reached each branch of the rules, as the model tells.
    pub branches: BTreeMap<&'static str, u64>,
    /// The digest of all answers, in the order of the grid.
    pub answers: Option<Digest>,
}

/// The dearest calls, in instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FuelFound {
    /// A typed settlement of the grid.
    pub settle: u64,
    /// A case of the corpus.
    pub corpus: u64,
    /// The largest requests that the JSON contract allows.
    pub largest: u64,
}

impl FuelFound {
    /// The dearest of all.
    #[must_use]
    pub fn worst(&self) -> u64 {
        self.settle.max(self.corpus).max(self.largest)
    }
}

/// A rule that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// How often.
    pub times: u64,
    /// How, the first time; and where. Nothing of it was written by the component.
    pub first: String,
}

/// Rules broken so far.
pub(super) type BrokenRules = BTreeMap<Rule, Broken>;

pub(super) fn note(rules: &mut BrokenRules, violation: &Violation, at: impl FnOnce() -> String) {
    rules
        .entry(violation.rule)
        .and_modify(|broken| broken.times = broken.times.saturating_add(1))
        .or_insert_with(|| Broken {
            times: 1,
            first: format!("{}, at {}", violation.problem, at()),
        });
}

pub(super) fn merge(rules: &mut BrokenRules, more: BrokenRules) {
    for (rule, broken) in more {
        rules
            .entry(rule)
            .and_modify(|known| known.times = known.times.saturating_add(broken.times))
            .or_insert(broken);
    }
}
