//! Each record is bound to the one before it.

use sha2::{Digest as _, Sha256};

use super::{JournalError, Record, Stored};
use crate::types::Home;

/// How far the journal goes, and the digest of all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chain {
    /// The id of the newest record, 0 before the first.
    pub(super) id: u64,
    /// Its digest.
    pub(super) digest: [u8; 32],
}

impl Chain {
    /// Before the first record.
    pub(super) const EMPTY: Self = Self {
        id: 0,
        digest: [0; 32],
    };

    /// One record further.
    pub(super) fn next(&self, record: &Record) -> Self {
        let id = self.id.saturating_add(1);
        let mut hash = Sha256::new();
        hash.update(self.digest);
        hash.update(id.to_be_bytes());
        let home = match record.home {
            Home::Run => "run",
            Home::Host => "host",
        };
        let sequence = record.sequence.map(|sequence| sequence.to_string());
        let members = [
            Some(record.event_id.as_str()),
            Some(home),
            record.tenant.as_deref(),
            record.workspace.as_deref(),
            record.run_id.as_deref(),
            sequence.as_deref(),
            Some(record.event.as_str()),
        ];
        for member in members {
            // The length keeps two members from being read as others; absent is not empty.
            match member {
                Some(text) => {
                    hash.update([1]);
                    hash.update(text.len().to_be_bytes());
                    hash.update(text);
                }
                None => hash.update([0]),
            }
        }
        Self {
            id,
            digest: hash.finalize().into(),
        }
    }

    /// Checks that `stored` follows, and goes one record further.
    pub(super) fn check(&self, stored: &Stored) -> Result<Self, JournalError> {
        let broken = |problem| JournalError::Broken {
            id: stored.id,
            problem,
        };
        let next = self.next(&stored.record);
        if stored.id != next.id {
            return Err(broken(
                "does not follow the one before it: records are missing",
            ));
        }
        if stored.chain != next.digest {
            return Err(broken(
                "is not what was written, or does not follow what was written before it",
            ));
        }
        if !stored.record.agrees_with_itself() {
            return Err(broken("has columns that contradict its event"));
        }
        Ok(next)
    }

    pub(super) fn hex(&self) -> String {
        self.digest
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}
