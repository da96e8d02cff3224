//! What a component may use up.

use std::time::Duration;

use crate::error::LoadError;

/// What one instance of a component may use up, and one call into it. All of it
/// is enforced by the host; nothing depends on the component's good will.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Instructions that one call may execute, at least 1. Deterministic: the
    /// same call takes the same fuel on every machine.
    pub fuel: u64,
    /// Time that one call may take by the machine's clock, looked at every 10 ms.
    /// A backstop to fuel for what takes long in few instructions.
    pub deadline: Duration,
    /// Linear memory of one instance, in bytes, all its memories together; at most
    /// 256 MiB.
    pub memory: usize,
    /// Table elements of one instance, all its tables together; at most 20,000
    /// in each table.
    pub table_elements: usize,
    /// Bytes that are copied out of one answer. Numbers and flags count, too.
    pub answer: usize,
}

impl Limits {
    /// For the negotiator: room for the largest JSON request, 64 KiB, and for the
    /// largest legal answer. The typed operations take as much as these limits let
    /// them, so cap what you fetch from a peer before you hand it over.
    #[must_use]
    pub const fn negotiator() -> Self {
        Self {
            fuel: 200_000_000,
            deadline: Duration::from_millis(500),
            memory: 16 * MIB,
            table_elements: 20_000,
            answer: 256 * 1024,
        }
    }

    /// For a policy: room for a small interpreter, and a one-line answer.
    #[must_use]
    pub const fn policy() -> Self {
        Self {
            fuel: 10_000_000,
            deadline: Duration::from_millis(100),
            memory: 64 * MIB,
            table_elements: 20_000,
            answer: 4 * 1024,
        }
    }

    /// Refuses what the engine could not keep.
    pub(crate) fn check(&self) -> Result<(), LoadError> {
        let wrong = |field, problem| Err(LoadError::Limits { field, problem });
        if self.fuel == 0 {
            return wrong("fuel", "must be at least 1");
        }
        if self.memory > MAX_MEMORY {
            return wrong("memory", "must be at most 268435456 bytes (256 MiB)");
        }
        Ok(())
    }
}

const MIB: usize = 1024 * 1024;

/// The size of one memory in the pool of instances.
pub(super) const MAX_MEMORY: usize = 256 * MIB;
