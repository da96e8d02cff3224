//! The journal: where records are durable before anybody is answered.
//!
//! [`Journal::append`] answers once the record would survive the loss of power; many appends share
//! one sync. Records can be added and read, and nothing else: no path of this module changes one,
//! and the database refuses it from anybody else. Old records go by [`Journal::retain`] alone, which
//! leaves a mark of how far it went.
//!
//! Each record carries the digest of itself and of the one before it, so [`Journal::verify`] notices
//! one that was altered, removed or put in between. What it cannot notice by itself is the removal
//! of the newest records: compare [`Verified::head`] with a copy that is kept elsewhere.

mod backend;
mod chain;
mod error;
mod filter;
mod location;
#[cfg(feature = "postgres")]
mod postgres;
mod record;
mod sqlite;
mod summary;
mod threads;

use tokio::sync::watch;

pub use backend::{Query, Scope};
pub use error::JournalError;
pub use filter::Filter;
pub use location::{Location, Sync};
pub use record::{Facts, Record, Stored};
pub use summary::{Count, Summary};
pub use threads::Answer;

use backend::Backend;
use threads::Threads;

/// An open journal. Clones share it.
#[derive(Clone, Debug)]
pub struct Journal {
    threads: Threads,
}

/// What [`Journal::verify`] found to be whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// How many records there are.
    pub records: u64,
    /// The id of the oldest record still kept.
    pub first: Option<u64>,
    /// The id of the newest record.
    pub last: Option<u64>,
    /// The digest of the newest record and, through it, of all before: 64 hex digits.
    pub head: String,
}

impl Journal {
    /// Opens a journal, and makes it where there is none.
    ///
    /// # Errors
    ///
    /// The file or database cannot be opened, or holds something else.
    pub fn open(location: &Location) -> Result<Self, JournalError> {
        let threads = Threads::start(open(location)?, open(location)?)?;
        Ok(Self { threads })
    }

    /// Appends records, all or none. The answer, the id of the last of them, arrives when they are
    /// durable; drop it, and they may be written or not.
    ///
    /// # Errors
    ///
    /// In the answer: they could not be made durable, in which case the exchange that they belong to
    /// must be refused (R15).
    #[must_use]
    pub fn append(&self, records: Vec<Record>) -> Answer<u64> {
        self.threads.append(records)
    }

    /// Reads records in the order of their ids.
    ///
    /// # Errors
    ///
    /// In the answer: the database cannot be read.
    #[must_use]
    pub fn read(&self, query: Query) -> Answer<Vec<Stored>> {
        self.threads.read(move |backend| backend.read(&query))
    }

    /// The record with this event id, if it is kept.
    ///
    /// # Errors
    ///
    /// In the answer: the database cannot be read.
    #[must_use]
    pub fn find(&self, event_id: String) -> Answer<Option<Stored>> {
        self.threads.read(move |backend| backend.find(&event_id))
    }

    /// The id of the newest record; 0 when there is none yet.
    ///
    /// # Errors
    ///
    /// In the answer: the database cannot be read.
    #[must_use]
    pub fn last(&self) -> Answer<u64> {
        self.threads.read(|backend| Ok(backend.head()?.id))
    }

    /// Changes after every append of this process. Others may append, too: look now and then.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.threads.changes()
    }

    /// Reads every record and checks that nothing was altered, removed or put in between.
    ///
    /// # Errors
    ///
    /// [`JournalError::Broken`] names the first record that is not as it was written; otherwise the
    /// database cannot be read.
    pub fn verify(&self) -> Result<Verified, JournalError> {
        let start = self.threads.read(|backend| backend.start()).wait()?;
        let mut chain = start;
        let mut verified = Verified {
            records: 0,
            first: None,
            last: None,
            head: String::new(),
        };
        self.each(start.id, |stored| {
            chain = chain.check(stored)?;
            verified.records = verified.records.saturating_add(1);
            verified.first.get_or_insert(stored.id);
            verified.last = Some(stored.id);
            Ok(())
        })?;
        verified.head = chain.hex();
        Ok(verified)
    }

    /// Calls `each` with every record after the id `after`, oldest first.
    ///
    /// # Errors
    ///
    /// Those of `each`; or the database cannot be read.
    pub fn each(
        &self,
        mut after: u64,
        mut each: impl FnMut(&Stored) -> Result<(), JournalError>,
    ) -> Result<(), JournalError> {
        loop {
            let query = Query::all().after(after).limit(PAGE);
            let page = self.read(query).wait()?;
            for stored in &page {
                each(stored)?;
                after = stored.id;
            }
            if page.len() < PAGE as usize {
                return Ok(());
            }
        }
    }

    /// Removes every record up to and including the id `through`, for good. The newest record always
    /// stays. `at` (RFC 3339) goes on the mark that is left. Answers how many were removed.
    ///
    /// # Errors
    ///
    /// The journal does not verify, which must be looked into first; or the database refuses, as
    /// PostgreSQL does for a role that may only append.
    pub fn retain(&self, through: u64, at: &str) -> Result<u64, JournalError> {
        self.verify()?;
        let at = at.to_owned();
        let retained = self
            .threads
            .write(move |backend| backend.retain(through, &at));
        retained.wait()
    }
}

fn open(location: &Location) -> Result<Box<dyn Backend>, JournalError> {
    match location {
        Location::Sqlite { path, sync } => Ok(Box::new(sqlite::Sqlite::open(path, *sync)?)),
        #[cfg(feature = "postgres")]
        Location::Postgres { url } => Ok(Box::new(postgres::Postgres::open(url)?)),
    }
}

/// Records that are read at a time.
const PAGE: u32 = 512;
