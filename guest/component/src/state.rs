//! The configuration of this instance.

use alloc::vec::Vec;
use core::cell::RefCell;

use negotiation_core::{Fault, Posture};

use crate::policy::Chosen;

/// What `configure` set.
pub(crate) struct State {
    /// The posture; until there is one, nothing is agreed.
    pub(crate) posture: Option<Posture>,
    /// The policy.
    pub(crate) policy: Chosen,
}

struct Instance(RefCell<State>);

// SAFETY: an instance of a component has one thread, and no call enters it during another.
#[expect(
    unsafe_code,
    reason = "a wasm instance has one thread; the cell still checks each borrow"
)]
unsafe impl Sync for Instance {}

static INSTANCE: Instance = Instance(RefCell::new(State {
    posture: None,
    policy: Chosen::new(),
}));

/// Runs `work` on the state; `None` when it is in use, which no caller can bring about.
pub(crate) fn with<T>(work: impl FnOnce(&mut State) -> T) -> Option<T> {
    INSTANCE
        .0
        .try_borrow_mut()
        .ok()
        .map(|mut state| work(&mut state))
}

/// Sets posture and settings, or leaves everything as it was.
pub(crate) fn configure(posture: Posture, settings: &str) -> Result<(), Vec<Fault>> {
    let busy = || {
        Err(Vec::from([Fault::new(
            "settings",
            "the instance is in use",
        )]))
    };
    with(|state| {
        state
            .policy
            .configure(settings)
            .map_err(|fault| Vec::from([fault]))?;
        state.posture = Some(posture);
        Ok(())
    })
    .unwrap_or_else(busy)
}
