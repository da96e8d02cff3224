//! The certified negotiator component: the exports of the WIT package over the rules.
//!
//! With the feature `default-policy` the policy `highest` is compiled in and the component imports
//! nothing; without it, it imports `openwop:negotiation/policy` and nothing else.

// On wasm32-wasip2 the standard library brings the allocator and what the host passes text in with.
#![cfg_attr(all(target_arch = "wasm32", not(target_env = "p2")), no_std)]

extern crate alloc;

mod advertise;
// cargo-component writes a file `bindings.rs` of its own, which is ignored.
#[path = "bindgen.rs"]
mod bindings;
mod convert;
#[cfg(all(target_arch = "wasm32", not(target_env = "p2")))]
#[expect(unsafe_code, reason = "an allocator; each use says why it is sound")]
mod heap;
mod json;
mod negotiate;
mod policy;
mod record;
mod state;
mod wire;

/// The component; every export is implemented on it.
struct Component;

#[cfg(all(target_arch = "wasm32", not(target_env = "p2")))]
mod runtime {
    #[global_allocator]
    static ALLOCATOR: crate::heap::Heap = crate::heap::Heap::new();

    /// A panic is a trap: the host then refuses on a fresh instance.
    #[panic_handler]
    fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
        core::arch::wasm32::unreachable()
    }
}
