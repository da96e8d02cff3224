//! The policy `rules`: ordered rules, written as data, decide which legal candidates may be used.
//!
//! An operator changes what it does by editing its settings, a JSON text that
//! `settings.schema.json` describes. Each candidate is looked at, best first; the first rule whose
//! conditions all hold for it decides whether it may be used, and `otherwise` decides where no
//! rule does. The first candidate that may be used is granted. So a rule on an old version never
//! costs a peer the new one.
//!
//! ```json
//! { "otherwise": "grant-best",
//!   "rules": [
//!     { "name": "a2a-0-3-sunset",
//!       "when": { "protocol": "a2a", "versions": { "max": "0.3" } },
//!       "then": "grant-best", "until": "2027-01-01T00:00:00Z" } ] }
//! ```
//!
//! Everything that is not certain is a denial: a rule with a date where the instant of the exchange
//! is not known, a version that cannot be read, a judgement before there are settings.
// On wasm32-wasip2 the standard library is what lets the host pass text in.
#![cfg_attr(all(target_arch = "wasm32", not(target_env = "p2")), no_std)]

extern crate alloc;

use alloc::string::String;

use bindings::exports::openwop::negotiation::policy::{
    Direction, Guest, Proposal, Protocol, Verdict,
};
use negotiation_core as core_rules;
use negotiation_core::instant::Instant;

mod rule;
mod settings;
mod state;

/// The policy; see the description of the crate.
pub struct Rules;

impl Guest for Rules {
    fn configure(settings: String) -> Result<(), String> {
        state::replace(settings::read(&settings)?)
    }

    fn judge(proposal: Proposal) -> Verdict {
        let question = rule::Question {
            protocol: match proposal.protocol {
                Protocol::A2a => core_rules::Protocol::A2a,
                Protocol::Mcp => core_rules::Protocol::Mcp,
            },
            direction: match proposal.direction {
                Direction::Inbound => core_rules::Direction::Inbound,
                Direction::Outbound => core_rules::Direction::Outbound,
            },
            asked: &proposal.asked,
            tenant: proposal.tenant.as_deref(),
            workspace: proposal.workspace.as_deref(),
            peer_digest: proposal.peer_digest.as_deref(),
            at: proposal.at.as_deref().and_then(Instant::parse),
        };
        let granted = state::with(|rules| {
            let mut candidates = proposal.candidates.iter();
            candidates.position(|candidate| rules.allow(&question, candidate))
        });
        match granted
            .flatten()
            .and_then(|at| proposal.candidates.into_iter().nth(at))
        {
            Some(version) => Verdict::Grant(version),
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
    export!(Rules with_types_in self);
    #[cfg(target_arch = "wasm32")]
    use super::Rules;
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
mod tests;
