//! The policy `highest`: use the newest legal version, always.
//!
//! This is also what the closed component does on its own. Use it where the
//! policy is a component of its own and nothing else is wanted of it.
//!
//! It takes no settings, keeps no state and imports nothing: the same proposal
//! gives the same verdict.
// On wasm32-wasip2 the standard library is what lets the host pass text in.
#![cfg_attr(all(target_arch = "wasm32", not(target_env = "p2")), no_std)]

extern crate alloc;

use alloc::string::String;

use bindings::exports::openwop::negotiation::policy::{Guest, Proposal, Verdict};

/// The policy; see the description of the crate.
pub struct Highest;

impl Guest for Highest {
    fn configure(settings: String) -> Result<(), String> {
        if settings.is_empty() {
            Ok(())
        } else {
            Err(String::from(
                "settings must be empty: the policy `highest` takes none",
            ))
        }
    }

    fn judge(proposal: Proposal) -> Verdict {
        // Candidates come best first, so the first is the newest. There always
        // is one; should there be none, nothing can be granted.
        match proposal.candidates.into_iter().next() {
            Some(newest) => Verdict::Grant(newest),
            None => Verdict::Deny,
        }
    }
}

#[cfg_attr(
    target_arch = "wasm32",
    expect(
        unsafe_code,
        reason = "generated: the canonical ABI passes pointers between host and guest"
    )
)]
mod bindings {
    wit_bindgen::generate!({
        path: "../../../wit",
        world: "policy-provider",
    });

    // Only for wasm: native builds are for tests, and native linkers refuse the
    // names that exports of a component have.
    #[cfg(target_arch = "wasm32")]
    export!(Highest with_types_in self);
    #[cfg(target_arch = "wasm32")]
    use super::Highest;
}

#[cfg(all(target_arch = "wasm32", not(target_env = "p2")))]
mod runtime {
    #[global_allocator]
    static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

    // A trap says all that a host needs: this instance failed, refuse.
    #[panic_handler]
    fn panic(_: &core::panic::PanicInfo) -> ! {
        core::arch::wasm32::unreachable()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindings::exports::openwop::negotiation::policy::{Direction, Protocol};

    #[test]
    fn the_first_candidate_is_granted_whatever_was_asked() {
        for asked in ["1.2", "1.0", "0.3", "9.9"] {
            let verdict = Highest::judge(proposal(asked, &["1.1", "1.0"]));
            assert!(
                matches!(&verdict, Verdict::Grant(version) if version == "1.1"),
                "asked for {asked}: {verdict:?}"
            );
        }
    }

    #[test]
    fn without_a_candidate_nothing_is_granted() {
        assert!(matches!(
            Highest::judge(proposal("1.0", &[])),
            Verdict::Deny
        ));
    }

    #[test]
    fn settings_other_than_none_are_an_error_that_names_them() {
        assert_eq!(Highest::configure(String::new()), Ok(()));
        for settings in [" ", "{}", "newest"] {
            let error = Highest::configure(String::from(settings)).unwrap_err();
            assert!(error.starts_with("settings must be empty"), "{error}");
            assert!(!error.contains("newest"), "{error}");
        }
    }

    fn proposal(asked: &str, candidates: &[&str]) -> Proposal {
        Proposal {
            protocol: Protocol::A2a,
            direction: Direction::Inbound,
            authenticated: true,
            asked: String::from(asked),
            candidates: candidates.iter().copied().map(String::from).collect(),
            preferred: String::from("1.0"),
            floor: String::from("0.3"),
            tenant: None,
            workspace: None,
            peer_digest: None,
            at: None,
        }
    }
}
