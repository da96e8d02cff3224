//! The policy `exact`: use what was asked for, or nothing.
//!
//! What was asked for is the version that the other side named, the session's,
//! or, when nothing was named, the host's preferred one. No lower version and
//! no counter-offer is ever granted, so nothing is ever downgraded.
//!
//! It takes no settings, keeps no state and imports nothing: the same proposal
//! gives the same verdict.
// On wasm32-wasip2 the standard library is what lets the host pass text in.
#![cfg_attr(all(target_arch = "wasm32", not(target_env = "p2")), no_std)]

extern crate alloc;

use alloc::string::String;

use bindings::exports::openwop::negotiation::policy::{Guest, Proposal, Verdict};

/// The policy; see the description of the crate.
pub struct Exact;

impl Guest for Exact {
    fn configure(settings: String) -> Result<(), String> {
        if settings.is_empty() {
            Ok(())
        } else {
            Err(String::from(
                "settings must be empty: the policy `exact` takes none",
            ))
        }
    }

    fn judge(proposal: Proposal) -> Verdict {
        // Granting a version that is no candidate would break the contract of a
        // policy, so membership is tested here and not left to the caller.
        if proposal.candidates.contains(&proposal.asked) {
            Verdict::Grant(proposal.asked)
        } else {
            Verdict::Deny
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
    export!(Exact with_types_in self);
    #[cfg(target_arch = "wasm32")]
    use super::Exact;
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
    fn what_was_asked_is_granted_when_it_is_a_candidate() {
        for asked in ["2025-11-25", "2025-06-18", "2025-03-26"] {
            let verdict =
                Exact::judge(proposal(asked, &["2025-11-25", "2025-06-18", "2025-03-26"]));
            assert!(
                matches!(&verdict, Verdict::Grant(version) if version == asked),
                "asked for {asked}: {verdict:?}"
            );
        }
    }

    #[test]
    fn nothing_else_is_ever_granted() {
        for (asked, candidates) in [
            ("2026-07-28", &["2025-11-25", "2025-06-18"][..]),
            ("2025-11-2", &["2025-11-25"][..]),
            ("", &["2025-11-25"][..]),
            ("2025-11-25", &[][..]),
        ] {
            assert!(
                matches!(Exact::judge(proposal(asked, candidates)), Verdict::Deny),
                "asked for {asked} of {candidates:?}"
            );
        }
    }

    #[test]
    fn settings_other_than_none_are_an_error_that_names_them() {
        assert_eq!(Exact::configure(String::new()), Ok(()));
        for settings in [" ", "{}", "newest"] {
            let error = Exact::configure(String::from(settings)).unwrap_err();
            assert!(error.starts_with("settings must be empty"), "{error}");
            assert!(!error.contains("newest"), "{error}");
        }
    }

    fn proposal(asked: &str, candidates: &[&str]) -> Proposal {
        Proposal {
            protocol: Protocol::Mcp,
            direction: Direction::Outbound,
            authenticated: true,
            asked: String::from(asked),
            candidates: candidates.iter().copied().map(String::from).collect(),
            preferred: String::from("2025-11-25"),
            floor: String::from("2025-03-26"),
            tenant: None,
            workspace: None,
            peer_digest: None,
            at: None,
        }
    }
}
