//! What is in force, and what was before: the content of `current.json`.

use serde::{Deserialize, Serialize};

use crate::artifact::Digest;

/// The generation in force and those before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    version: u32,
    current: Entry,
    /// Newest first.
    history: Vec<Entry>,
}

/// One generation: a policy with its settings, for as long as it was in force.
///
/// What there may be none of is null in the file, and never left out: hence `Option::deserialize`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Entry {
    /// Counts up, without end: a rollback is a new generation, too.
    pub generation: u64,
    /// The policy's artifact.
    pub policy: Digest,
    /// The settings' text; none when it is empty.
    #[serde(deserialize_with = "Option::deserialize")]
    pub settings: Option<Digest>,
    /// The signed statement that it was trusted by, if it was.
    #[serde(deserialize_with = "Option::deserialize")]
    pub envelope: Option<Digest>,
    /// The report of its gate.
    #[serde(deserialize_with = "Option::deserialize")]
    pub report: Option<Digest>,
    /// Whether it was let in without trust; every settlement says so.
    pub untrusted: bool,
    /// How it came into force.
    pub reason: Reason,
}

/// How a generation came into force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// It was installed.
    Installed,
    /// An operator went back to the generation before.
    RolledBack,
    /// The generation before it had used up its error budget.
    ErrorBudget,
}

impl Reason {
    /// `installed`, `rolled-back` or `error-budget`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Installed => "installed",
            Self::RolledBack => "rolled-back",
            Self::ErrorBudget => "error-budget",
        }
    }
}

impl State {
    /// The generation in force.
    #[must_use]
    pub fn current(&self) -> &Entry {
        &self.current
    }

    /// The generations before it, newest first, at most 32.
    #[must_use]
    pub fn history(&self) -> &[Entry] {
        &self.history
    }

    /// What a rollback leads to: the newest generation before that has another policy
    /// or other settings.
    #[must_use]
    pub fn previous(&self) -> Option<&Entry> {
        self.history
            .iter()
            .find(|entry| !entry.is_like(&self.current))
    }

    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let state: Self = serde_json::from_slice(bytes).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            format!("is not what this version writes, at line {line}, column {column}")
        })?;
        if state.version == VERSION {
            Ok(state)
        } else {
            Err("was written by another version".to_owned())
        }
    }

    pub(super) fn to_json(&self) -> Vec<u8> {
        // Our own types cannot fail to be written.
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// The state once `entry` is in force, and the objects that nothing refers to any
    /// more.
    pub(super) fn after(before: Option<Self>, entry: Entry) -> (Self, Vec<Digest>) {
        let mut history = Vec::new();
        if let Some(before) = before {
            history.push(before.current);
            history.extend(before.history);
        }
        let dropped = history.split_off(history.len().min(MAX_HISTORY));
        let state = Self {
            version: VERSION,
            current: entry,
            history,
        };
        let kept: Vec<_> = state.objects().collect();
        let dropped = dropped.iter().flat_map(Entry::objects);
        let dropped = dropped.filter(|digest| !kept.contains(digest)).collect();
        (state, dropped)
    }

    fn objects(&self) -> impl Iterator<Item = Digest> {
        let current = self.current.objects();
        current.chain(self.history.iter().flat_map(Entry::objects))
    }
}

impl Entry {
    /// Whether two generations decide alike: the same policy with the same settings.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        self.policy == other.policy && self.settings == other.settings
    }

    fn objects(&self) -> impl Iterator<Item = Digest> + use<> {
        [Some(self.policy), self.settings, self.envelope, self.report]
            .into_iter()
            .flatten()
    }
}

const VERSION: u32 = 1;
const MAX_HISTORY: usize = 32;
