//! Keeps one store within its memory.

use wasmtime::ResourceLimiter;

use super::Limits;

/// Counts the memory and table space of one store, over all that it holds.
pub(super) struct Guard {
    memory_limit: usize,
    memory: usize,
    elements_limit: usize,
    elements: usize,
    denied: bool,
}

impl Guard {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            memory_limit: limits.memory,
            memory: 0,
            elements_limit: limits.table_elements,
            elements: 0,
            denied: false,
        }
    }

    /// To be called before each call, so that [`Guard::denied`] speaks of it alone.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.denied = false;
    }

    /// Whether the component asked for more than it may have, and got nothing.
    pub(super) fn denied(&self) -> bool {
        self.denied
    }

    fn admit(used: &mut usize, limit: usize, current: usize, desired: usize) -> bool {
        let total = used.saturating_add(desired.saturating_sub(current));
        let admitted = total <= limit;
        if admitted {
            *used = total;
        }
        admitted
    }
}

impl ResourceLimiter for Guard {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        // Past its own maximum the growth fails anyway, and must not be counted.
        let admitted = maximum.is_none_or(|maximum| desired <= maximum)
            && Self::admit(&mut self.memory, self.memory_limit, current, desired);
        self.denied |= !admitted;
        Ok(admitted)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let admitted = maximum.is_none_or(|maximum| desired <= maximum)
            && Self::admit(&mut self.elements, self.elements_limit, current, desired);
        self.denied |= !admitted;
        Ok(admitted)
    }

    fn instances(&self) -> usize {
        MAX_INSTANCES
    }

    fn tables(&self) -> usize {
        MAX_TABLES
    }

    fn memories(&self) -> usize {
        MAX_MEMORIES
    }
}

// One component needs a few core instances, more where its toolchain links several
// modules: an interpreter for a policy has some twenty.
pub(super) const MAX_INSTANCES: usize = 64;
pub(super) const MAX_TABLES: usize = 32;
pub(super) const MAX_MEMORIES: usize = 8;
