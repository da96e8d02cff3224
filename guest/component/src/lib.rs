//! The certified negotiator component: the exports of the WIT package over the rules.
//!
//! With the feature `default-policy` the policy `highest` is compiled in and the component imports
//! nothing; without it, it imports `openwop:negotiation/policy` and nothing else.

#![cfg_attr(target_arch = "wasm32", no_std)]

extern crate alloc;

mod advertise;
mod bindings;
mod convert;
mod json;
mod negotiate;
mod policy;
mod record;
mod state;
mod wire;

/// The component; every export is implemented on it.
struct Component;

#[cfg(target_arch = "wasm32")]
mod runtime {
    #[global_allocator]
    static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

    /// A panic is a trap: the host then refuses on a fresh instance.
    #[panic_handler]
    fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
        core::arch::wasm32::unreachable()
    }
}
