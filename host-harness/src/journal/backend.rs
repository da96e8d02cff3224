//! What a database must do for the journal.

use super::chain::Chain;
use super::{JournalError, Record, Stored};

/// One connection to a database, used by one thread.
pub(super) trait Backend: Send {
    /// Appends records, all or none, and returns the id of the last when they are durable.
    fn append(&mut self, records: &[Record]) -> Result<u64, JournalError>;
    /// Reads records in the order of their ids.
    fn read(&mut self, query: &Query) -> Result<Vec<Stored>, JournalError>;
    /// The record with this event id.
    fn find(&mut self, event_id: &str) -> Result<Option<Stored>, JournalError>;
    /// Where the journal ends.
    fn head(&mut self) -> Result<Chain, JournalError>;
    /// Where what is kept begins: the last record that was removed.
    fn start(&mut self) -> Result<Chain, JournalError>;
    /// Removes records up to `through`, but never the newest, and leaves a mark.
    fn retain(&mut self, through: u64, at: &str) -> Result<u64, JournalError>;
}

/// Which records to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    pub(super) after: i64,
    pub(super) limit: i64,
    pub(super) scope: Scope,
}

/// Whose records to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Everybody's, also those that belong to nobody: for operators.
    All,
    /// Host events of one tenant; and of one workspace, or of none.
    Host {
        /// The tenant.
        tenant: String,
        /// The workspace; without it, records that belong to no workspace.
        workspace: Option<String>,
    },
    /// The log of one run, in the order of its sequence.
    Run {
        /// The run.
        run_id: String,
    },
}

impl Query {
    /// Every record.
    #[must_use]
    pub fn all() -> Self {
        Self::of(Scope::All)
    }

    /// The records of a scope.
    #[must_use]
    pub fn of(scope: Scope) -> Self {
        Self {
            after: 0,
            limit: 500,
            scope,
        }
    }

    /// Only records with a higher id than this.
    #[must_use]
    pub fn after(mut self, id: u64) -> Self {
        self.after = i64::try_from(id).unwrap_or(i64::MAX);
        self
    }

    /// At most this many; 500 unless given.
    #[must_use]
    pub fn limit(mut self, records: u32) -> Self {
        self.limit = i64::from(records);
        self
    }
}
