//! Who decides: the policy inside the component, or the one in force at the moment.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use super::config::Config;
use super::exchange::now;
use super::{ServeError, log};
use crate::error::{CallError, SettleError};
use crate::policy::{Admission, Attended, By, Event, Generation, Policies, Store};
use crate::shared::{TRUST_FILE, chain};
use crate::types::{Context, Decision, Exchange, Facets, HostRefusal, Settlement};
use crate::{Artifact, Limits, Negotiator, Runtime};

pub(super) enum Deciding {
    BuiltIn(Arc<Negotiator>),
    Policies(Attended),
}

/// What decides one exchange, to its end.
pub(super) enum Taken {
    BuiltIn(Arc<Negotiator>),
    Generation(Arc<Generation>),
}

impl Deref for Taken {
    type Target = Negotiator;

    fn deref(&self) -> &Negotiator {
        match self {
            Self::BuiltIn(negotiator) => negotiator,
            Self::Generation(generation) => generation.negotiator(),
        }
    }
}

impl Taken {
    /// What would be decided, for whoever looks on: nothing is counted, nothing recorded. Nothing
    /// where the component fails even at refusing.
    pub(super) fn would_decide(&self, exchange: &Exchange) -> Option<Decision> {
        match self {
            // Without a policy everything is refused, and the component knows for what reason.
            Self::Generation(generation) if generation.entry().is_none() => {
                let context = Context {
                    at: now(),
                    peer_url: None,
                    subject: None,
                    run_id: None,
                    sequence: None,
                    event_id: None,
                };
                let refusal = HostRefusal::PolicyFailed;
                Some(self.refuse(exchange, &context, refusal).ok()?.decision)
            }
            _ => Some(self.decide(exchange).ok()?.decision),
        }
    }

    /// Which policy this is; nothing where it is the one inside the component.
    pub(super) fn by(&self) -> Option<By> {
        match self {
            Self::BuiltIn(_) => None,
            Self::Generation(generation) => Some(generation.by()),
        }
    }
}

impl Deciding {
    pub(super) fn start(config: &Config) -> Result<Self, ServeError> {
        match &config.policies {
            None => Ok(Self::BuiltIn(Arc::new(built_in(config.facets())?))),
            Some(place) => Ok(Self::Policies(attended(place, config.facets())?)),
        }
    }

    pub(super) fn take(&self) -> Taken {
        match self {
            Self::BuiltIn(negotiator) => Taken::BuiltIn(Arc::clone(negotiator)),
            Self::Policies(attended) => Taken::Generation(attended.policies().current()),
        }
    }

    /// Settles on what was taken; with the reason, where the policy failed.
    pub(super) fn settle(
        &self,
        taken: &Taken,
        exchange: &Exchange,
        context: &Context,
    ) -> Result<(Settlement, Option<CallError>), SettleError> {
        if let (Self::Policies(attended), Taken::Generation(generation)) = (self, taken) {
            // Through the policies, which count its failures.
            let served = attended
                .policies()
                .settle_on(generation, exchange, context)?;
            return Ok((served.settlement, served.failure));
        }
        let settled = taken.settle(exchange, context)?;
        Ok((settled.settlement, settled.failure))
    }

    /// The policies that may be in force; none where the one inside the component is.
    pub(super) fn policies(&self) -> Option<&Arc<Policies>> {
        match self {
            Self::BuiltIn(_) => None,
            Self::Policies(attended) => Some(attended.policies()),
        }
    }

    /// Which policy is in force; nothing where it is the one inside the component.
    pub(super) fn by(&self) -> Option<By> {
        match self {
            Self::BuiltIn(_) => None,
            Self::Policies(attended) => Some(attended.policies().current().by()),
        }
    }
}

/// The component with the policy that is inside it.
pub(super) fn built_in(facets: Facets) -> Result<Negotiator, ServeError> {
    let runtime = Runtime::new()?;
    let loaded = Negotiator::load(&runtime, &Artifact::embedded(), Limits::negotiator())?;
    Ok(loaded.configure(facets, "")?)
}

fn attended(place: &Path, facets: Facets) -> Result<Attended, ServeError> {
    let store = Store::open(place)?;
    let admission = Admission::new(&Runtime::new()?)?.trusting(place.join(TRUST_FILE));
    let progress = |step: crate::gate::Step| log::say("policy", &[("step", &step.to_string())]);
    let policies = Policies::open(admission, facets, Some(store), &progress)?;
    if let Some(problem) = policies.status().problem {
        log::say("policy-not-in-force", &[("problem", &problem)]);
    }
    in_force(policies.current().by());
    policies.listen(|event| match event {
        Event::InForce { by, reason } => {
            log::say("policy", &[("step", reason.as_str())]);
            in_force(*by);
        }
        other => log::say("policy-not-in-force", &[("problem", &other.to_string())]),
    });
    let cold = |error: crate::policy::AdmitError| {
        log::say("policy-not-warm", &[("problem", &chain(&error))]);
    };
    let attended = Attended::start(policies, progress, cold).map_err(ServeError::Attend)?;
    if !attended.answers() {
        log::say(
            "policy",
            &[(
                "step",
                "another host on this directory answers `negotiator policy`",
            )],
        );
    }
    Ok(attended)
}

fn in_force(by: By) {
    let policy = match by.policy {
        Some(policy) => policy.to_string(),
        None => "none: every exchange is refused (policy-failed)".to_owned(),
    };
    let trusted = if by.untrusted { "no" } else { "yes" };
    let generation = by.generation.to_string();
    let members = [
        ("generation", generation.as_str()),
        ("policy", &policy),
        ("trusted", trusted),
    ];
    log::say("policy-in-force", &members);
}
