//! What a gate found: a file that can be kept, read and signed.

use serde::{Deserialize, Serialize};

use super::changes::Changes;
use super::replay::Replayed;
use super::{Inspected, settings_digest};
use crate::artifact::Digest;
use crate::runtime::{Limits, Pluggable};
use crate::trust::Outcome;

/// The report of a gate. The same policy, settings and policy in force give the same
/// bytes: there is no time in it, and members have a fixed order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Report {
    pub(super) version: u32,
    /// The policy that was tried.
    pub artifact: Digest,
    /// Whether it may be installed.
    pub outcome: Outcome,
    /// Why not; empty when it may.
    pub failures: Vec<Failure>,
    /// The settings that it was tried with; none for the empty text.
    #[serde(deserialize_with = "Option::deserialize")]
    pub settings: Option<Digest>,
    /// The negotiator that asked it.
    pub component: Digest,
    /// The version of this program.
    pub harness: String,
    /// The limits that it was tried under.
    pub limits: LimitsReport,
    /// The corpus.
    pub corpus: CorpusReport,
    /// The grid.
    pub grid: GridReport,
    /// What it was compared with.
    pub compared: Compared,
    /// What changes, as far as that was found out.
    pub changes: Option<Changes>,
    /// Whether loosening was allowed.
    pub loosening_allowed: bool,
    /// The earlier exchanges, where some were given.
    pub replay: Option<Replayed>,
}

/// The limits of a policy, in the units of [`Limits`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct LimitsReport {
    /// Instructions of one call.
    pub fuel: u64,
    /// Milliseconds of one call.
    pub deadline_ms: u64,
    /// Bytes of linear memory.
    pub memory: u64,
    /// Table elements.
    pub table_elements: u64,
    /// Bytes of one answer.
    pub answer: u64,
}

/// The corpus that was replayed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorpusReport {
    /// SHA-256 of it, in hex.
    pub digest: String,
    /// Cases that were settled or decided.
    pub cases: u64,
}

/// The grid that was decided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct GridReport {
    /// Decisions of one pass; there were two.
    pub decisions: u64,
    /// How many of them accept.
    pub accepted: u64,
    /// How often the policy was asked, over both passes and the corpus.
    pub judged: u64,
    /// The most fuel that one judgement took.
    pub worst_fuel: u64,
}

/// What was in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compared {
    /// Its policy; none for the default policy of the component.
    #[serde(deserialize_with = "Option::deserialize")]
    pub policy: Option<Digest>,
    /// Its settings; none for the empty text.
    #[serde(deserialize_with = "Option::deserialize")]
    pub settings: Option<Digest>,
}

/// Something that no policy may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// What it is.
    pub kind: FailureKind,
    /// How often it was seen; the gate stops early when there is plenty.
    pub count: u64,
    /// Where it was seen first, in words.
    pub example: String,
}

/// What a policy may not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// It executed an instruction that has no result, or gave an answer of no type.
    Trap,
    /// It used up its fuel.
    Fuel,
    /// It ran past its deadline.
    Deadline,
    /// It needs more memory, or its answer is too large.
    Memory,
    /// It granted what was no candidate.
    ContractBreach,
    /// It answered the same question differently the second time.
    NonDeterminism,
    /// The whole took longer than the gate may.
    Late,
    /// It loosens what is in force, and nobody allowed that.
    Loosening,
    /// A decision broke a rule that holds whatever a policy does.
    Rule,
}

impl FailureKind {
    /// In words.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Trap => "it trapped",
            Self::Fuel => "it used up its fuel",
            Self::Deadline => "it ran past its deadline",
            Self::Memory => "it needs more memory, or a longer answer, than it may have",
            Self::ContractBreach => "it granted what was no candidate",
            Self::NonDeterminism => "it answered the same question in two ways",
            Self::Late => "it is too slow to be tried in the time that there is",
            Self::Loosening => "it loosens the policy in force (--allow-loosening)",
            Self::Rule => "a decision broke a rule",
        }
    }
}

impl Report {
    /// Whether the policy may be installed.
    #[must_use]
    pub fn has_passed(&self) -> bool {
        self.outcome == Outcome::Passed && self.failures.is_empty()
    }

    /// Why not, in a sentence.
    #[must_use]
    pub fn problem(&self) -> String {
        let say = |failure: &Failure| {
            let Failure {
                kind,
                count,
                example,
            } = failure;
            let times = if *count == 1 { "time" } else { "times" };
            format!("{} ({count} {times}; first: {example})", kind.as_str())
        };
        let all: Vec<_> = self.failures.iter().map(say).collect();
        all.join("; ")
    }

    /// The bytes of the file: JSON, and a line end.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        // Our own types cannot fail to be written.
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// Reads the bytes of the file; nothing when they are not such a file.
    #[must_use]
    pub fn from_json(bytes: &[u8]) -> Option<Self> {
        let report: Self = serde_json::from_slice(bytes).ok()?;
        (report.version == VERSION).then_some(report)
    }

    /// What the report of a passed gate would be.
    #[cfg(test)]
    pub(super) fn unearned(inspected: &Inspected, settings: &str, pluggable: &Pluggable) -> Self {
        Self {
            version: VERSION,
            artifact: inspected.policy.digest(),
            outcome: Outcome::Passed,
            failures: Vec::new(),
            settings: settings_digest(settings),
            component: pluggable.digest(),
            harness: HARNESS.to_owned(),
            limits: LimitsReport::of(inspected.policy.limits()),
            corpus: CorpusReport {
                digest: negotiation_vectors::digest(),
                cases: 0,
            },
            grid: GridReport::default(),
            compared: Compared {
                policy: None,
                settings: None,
            },
            changes: None,
            loosening_allowed: false,
            replay: None,
        }
    }

    /// Whether it says that this policy may be installed as it would be now.
    pub(super) fn is_of(
        &self,
        inspected: &Inspected,
        settings: &str,
        pluggable: &Pluggable,
    ) -> bool {
        self.has_passed()
            && self.artifact == inspected.policy.digest()
            && self.settings == settings_digest(settings)
            && self.component == pluggable.digest()
            && self.harness == HARNESS
            && self.limits == LimitsReport::of(inspected.policy.limits())
            && self.corpus.digest == negotiation_vectors::digest()
    }
}

impl LimitsReport {
    pub(super) fn of(limits: &Limits) -> Self {
        let number = |size: usize| u64::try_from(size).unwrap_or(u64::MAX);
        Self {
            fuel: limits.fuel,
            deadline_ms: u64::try_from(limits.deadline.as_millis()).unwrap_or(u64::MAX),
            memory: number(limits.memory),
            table_elements: number(limits.table_elements),
            answer: number(limits.answer),
        }
    }
}

pub(super) const VERSION: u32 = 1;
pub(super) const HARNESS: &str = env!("CARGO_PKG_VERSION");
