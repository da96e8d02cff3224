//! How much a policy may get wrong.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How often a policy may fail before the one before it takes its place again. What
/// counts: traps, limits, and grants that are no candidates. Denials do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorBudget {
    /// So many failures are too many; at least 1.
    pub failures: usize,
    /// Within so much time.
    pub window: Duration,
}

impl Default for ErrorBudget {
    /// Five within a minute.
    fn default() -> Self {
        Self {
            failures: 5,
            window: Duration::from_mins(1),
        }
    }
}

/// The failures of the generation in force.
#[derive(Debug, Default)]
pub(super) struct Spent {
    generation: u64,
    at: VecDeque<Instant>,
    total: u64,
}

impl Spent {
    /// Counts a failure of a generation; true when that is one too many.
    pub(super) fn note(
        spent: &Mutex<Self>,
        budget: ErrorBudget,
        generation: u64,
        now: Instant,
    ) -> bool {
        let mut spent = lock(spent);
        if generation < spent.generation {
            // A call that began before the swap.
            return false;
        }
        if generation > spent.generation {
            *spent = Self {
                generation,
                ..Self::default()
            };
        }
        spent.total = spent.total.saturating_add(1);
        spent.at.push_back(now);
        while let Some(oldest) = spent.at.front() {
            if now.saturating_duration_since(*oldest) <= budget.window {
                break;
            }
            spent.at.pop_front();
        }
        // More than that many tell nothing new.
        while spent.at.len() > budget.failures.max(1) {
            spent.at.pop_front();
        }
        spent.at.len() >= budget.failures.max(1)
    }

    /// How often a generation has failed.
    pub(super) fn total(spent: &Mutex<Self>, generation: u64) -> u64 {
        let spent = lock(spent);
        if spent.generation == generation {
            spent.total
        } else {
            0
        }
    }
}

/// A count is whole whatever happened to the thread that held it.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: ErrorBudget = ErrorBudget {
        failures: 3,
        window: Duration::from_secs(10),
    };

    #[test]
    fn so_many_within_the_window_are_too_many() {
        let spent = Mutex::default();
        let begun = Instant::now();
        let note = |generation, seconds| {
            let now = begun + Duration::from_secs(seconds);
            Spent::note(&spent, BUDGET, generation, now)
        };
        assert!(!note(1, 0) && !note(1, 5));
        assert!(note(1, 10), "all three are within ten seconds");
        assert!(!note(2, 10), "another generation begins anew");
        assert!(!note(1, 10) && !note(1, 10), "late calls of the old one");
        assert_eq!(Spent::total(&spent, 2), 1);
        assert!(
            !note(2, 15) && !note(2, 22),
            "the first is out of the window"
        );
        assert!(note(2, 23));
        assert_eq!(Spent::total(&spent, 2), 4);
        assert_eq!(Spent::total(&spent, 1), 0);
    }
}
