//! What can go wrong with a journal.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;

/// A journal that cannot be opened, written, read or believed.
#[derive(Clone, Debug, Error)]
pub enum JournalError {
    /// The text names no journal.
    #[error("a journal must be a path, or a URL that begins with `postgres://`")]
    Location,
    /// The file cannot be opened or made.
    #[error("cannot open the journal `{}`", path.display())]
    Open {
        /// The path.
        path: PathBuf,
        /// What the system or the database said.
        source: Arc<dyn Error + Send + Sync>,
    },
    /// Nothing answers at the URL, or it lets nobody in.
    #[error("cannot reach the journal's database")]
    Connect(#[source] Arc<dyn Error + Send + Sync>),
    /// What is there was made by another version, or by something else.
    #[error("the journal has another layout than this version's: {0}")]
    Layout(&'static str),
    /// The database could not do it: full, locked, gone or not allowed to.
    #[error("the journal's database failed")]
    Storage(#[source] Arc<dyn Error + Send + Sync>),
    /// These records break a rule of the journal: an event id or a place in a run that is taken.
    #[error("the journal refused a record: its event id or its place in the run is taken")]
    Rejected,
    /// An envelope that cannot go on record.
    #[error("`{member}` of a record {problem}")]
    Record {
        /// The member of the envelope.
        member: &'static str,
        /// What it must be.
        problem: &'static str,
    },
    /// More appends wait than may.
    #[error("the journal is too busy")]
    Busy,
    /// A record is not as it was written.
    #[error("record {id} {problem}")]
    Broken {
        /// The id of the record.
        id: u64,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The journal's thread could not be started, or has ended.
    #[error("the journal's thread does not run")]
    Stopped,
}

impl JournalError {
    pub(super) fn storage(source: impl Error + Send + Sync + 'static) -> Self {
        Self::Storage(Arc::new(source))
    }
}
