//! Decide, record and answer in one step, the one that hosts should use.

use crate::answer::{self, Reply};
use crate::decision::{Cause, Circumstances, Dead, Decision, Policy, decide};
use crate::exchange::Exchange;
use crate::facet::{Fault, Posture};
use crate::record::{self, Context, Entry};

/// Decision, record and reply of one exchange.
#[derive(Clone, Debug)]
pub struct Settlement {
    /// The decision.
    pub decision: Decision,
    /// Its record.
    pub entry: Entry,
    /// What to send back.
    pub reply: Reply,
}

/// A refusal that the host itself calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostRefusal {
    /// The policy is dead or absent. What would have been refused before the policy was asked
    /// keeps its reason.
    PolicyFailed,
    /// The surface demands a credential and there is none (R14).
    CredentialRequired,
}

/// Decides, records and answers.
///
/// # Errors
/// A context member outside its grammar; nothing was decided then.
pub fn settle(
    posture: &Posture,
    exchange: &Exchange,
    context: &Context,
    policy: &mut dyn Policy,
) -> Result<Settlement, Fault> {
    context.check()?;
    let peer_digest = context.peer_digest();
    let circumstances = Circumstances {
        subject: context.subject.as_ref(),
        peer_digest: peer_digest.as_deref(),
        at: Some(&context.at),
    };
    let decision = decide(posture, exchange, circumstances, policy);
    Ok(put_on_record(
        posture,
        exchange,
        context,
        decision,
        peer_digest,
    ))
}

/// Refuses without asking the policy.
///
/// # Errors
/// As [`settle`].
pub fn refuse(
    posture: &Posture,
    exchange: &Exchange,
    context: &Context,
    refusal: HostRefusal,
) -> Result<Settlement, Fault> {
    match refusal {
        HostRefusal::PolicyFailed => settle(posture, exchange, context, &mut Dead),
        HostRefusal::CredentialRequired => {
            context.check()?;
            let decision = Decision::refused(Cause::CredentialRequired);
            Ok(put_on_record(
                posture,
                exchange,
                context,
                decision,
                context.peer_digest(),
            ))
        }
    }
}

fn put_on_record(
    posture: &Posture,
    exchange: &Exchange,
    context: &Context,
    decision: Decision,
    peer_digest: Option<alloc::string::String>,
) -> Settlement {
    let reply = answer::build(posture, exchange, &decision, context.run_id.as_deref());
    let entry = record::build(posture, exchange, &decision, context, peer_digest);
    Settlement {
        decision,
        entry,
        reply,
    }
}
