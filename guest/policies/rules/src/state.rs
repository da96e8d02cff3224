//! The rules of this instance.

use alloc::string::String;
use core::cell::RefCell;

use crate::rule::Rules;

struct Instance(RefCell<Option<Rules>>);

// SAFETY: an instance of a component has one thread, and no call enters it during another.
#[cfg(target_arch = "wasm32")]
#[expect(
    unsafe_code,
    reason = "a wasm instance has one thread; the cell still checks each borrow"
)]
unsafe impl Sync for Instance {}

#[cfg(target_arch = "wasm32")]
static INSTANCE: Instance = Instance(RefCell::new(None));

// Native builds are for tests, which run on many threads: one instance for each.
#[cfg(not(target_arch = "wasm32"))]
std::thread_local! {
    static INSTANCE: Instance = const { Instance(RefCell::new(None)) };
}

#[cfg(target_arch = "wasm32")]
fn instance<T>(work: impl FnOnce(&Instance) -> T) -> T {
    work(&INSTANCE)
}

#[cfg(not(target_arch = "wasm32"))]
fn instance<T>(work: impl FnOnce(&Instance) -> T) -> T {
    INSTANCE.with(work)
}

/// Puts other rules in force.
pub(crate) fn replace(rules: Rules) -> Result<(), String> {
    instance(|instance| match instance.0.try_borrow_mut() {
        Ok(mut place) => {
            *place = Some(rules);
            Ok(())
        }
        Err(_) => Err(String::from("the instance is in use")),
    })
}

/// Asks the rules in force; `None` where there are none.
pub(crate) fn with<T>(ask: impl FnOnce(&Rules) -> T) -> Option<T> {
    instance(|instance| {
        let place = instance.0.try_borrow().ok()?;
        place.as_ref().map(ask)
    })
}
