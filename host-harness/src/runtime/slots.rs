//! Instances that are kept from one call to the next.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};

use super::instance::Instance;

/// A fixed number of places, each for one instance.
///
/// A thread goes to the place it used before, which is nearly always free; one
/// compare-and-swap claims it. Nobody ever waits for a place: a call may sit in it
/// until its deadline, and a new instance is made sooner than that.
pub(super) struct Slots {
    slots: Box<[Slot]>,
}

/// Each on cache lines of its own, so that threads do not slow each other down.
#[repr(align(128))]
struct Slot(Mutex<Option<Instance>>);

impl Slots {
    pub(super) fn new(count: usize) -> Self {
        Self {
            slots: (0..count).map(|_| Slot(Mutex::new(None))).collect(),
        }
    }

    /// A place that nobody uses, with what is in it, if one is found.
    #[inline]
    pub(super) fn claim(&self) -> Option<MutexGuard<'_, Option<Instance>>> {
        let first = seat().checked_rem(self.slots.len())?;
        let (before, from) = self.slots.split_at_checked(first)?;
        from.iter().chain(before).find_map(Slot::try_claim)
    }
}

impl Slot {
    #[inline]
    fn try_claim(&self) -> Option<MutexGuard<'_, Option<Instance>>> {
        match self.0.try_lock() {
            Ok(place) => Some(place),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Poisoned(place)) => {
                // A panic half-way through a call: whatever is left is not usable.
                self.0.clear_poison();
                let mut place = place.into_inner();
                *place = None;
                Some(place)
            }
        }
    }
}

/// The number of the calling thread, counted in the order of their first calls.
#[inline]
fn seat() -> usize {
    thread_local! {
        static SEAT: Cell<usize> = const { Cell::new(usize::MAX) };
    }
    SEAT.with(|seat| {
        if seat.get() == usize::MAX {
            static NEXT: AtomicUsize = AtomicUsize::new(0);
            seat.set(NEXT.fetch_add(1, Ordering::Relaxed) & (usize::MAX >> 1));
        }
        seat.get()
    })
}
