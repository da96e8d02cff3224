//! Exports `advertise`.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use negotiation_core::advertise::{self, Round};
use negotiation_core::instant::{self, Instant};
use negotiation_core::json::Value;
use negotiation_core::{Fault, Protocol};

use crate::Component;
use crate::bindings::exports::openwop::negotiation::{advertise as wit, types};
use crate::{convert, state};

impl wit::Guest for Component {
    fn check(document: String, now: String) -> Result<Vec<wit::Finding>, types::Fault> {
        let document =
            Value::parse(&document).ok_or_else(|| fault("document", "must be JSON text"))?;
        let findings = advertise::check(&document, instant(&now)?);
        Ok(findings
            .into_iter()
            .map(|finding| wit::Finding {
                rule: finding.rule.to_string(),
                path: finding.path,
                problem: finding.problem,
            })
            .collect())
    }

    fn fresh(refreshed_at: String, now: String) -> Result<bool, types::Fault> {
        instant::fresh(&refreshed_at, instant(&now)?)
            .ok_or_else(|| fault("refreshedAt", "must be a calendar date YYYY-MM-DD"))
    }

    fn card_version() -> Option<types::Version> {
        state::with(|state| {
            let facet = state.posture.as_ref()?.facet(Protocol::A2a)?;
            Some(convert::text(facet.preferred()))
        })?
    }

    fn admit_round(max_rounds: u32, input_required_seen: u32) -> Result<wit::Round, types::Fault> {
        if !(1..=advertise::MAX_ROUNDS).contains(&max_rounds) {
            return Err(fault("maxRounds", "must be an integer from 1 to 16"));
        }
        Ok(
            match advertise::admit_round(max_rounds.into(), input_required_seen.into()) {
                Round::Continue => wit::Round::Continue,
                Round::Refuse => wit::Round::Refuse,
            },
        )
    }

    fn task_state(status: String) -> Result<String, types::Fault> {
        advertise::task_state(&status)
            .map(ToString::to_string)
            .ok_or_else(|| fault("status", advertise::STATUS_PROBLEM))
    }
}

fn instant(text: &str) -> Result<Instant, types::Fault> {
    Instant::parse(text).ok_or_else(|| fault("now", "must be an RFC 3339 date-time with offset"))
}

fn fault(path: &str, problem: &str) -> types::Fault {
    convert::wit_fault(Fault::new(path, problem))
}
