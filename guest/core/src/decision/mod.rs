//! The decision: which version an exchange uses, or why none (RFC 0175 §D).

mod candidates;

use alloc::vec::Vec;

use serde::Serialize;

use crate::exchange::{Direction, Exchange, Named};
use crate::facet::{Facet, Posture};
use crate::record::Subject;
use crate::version::Version;

pub(crate) use candidates::Legal;

/// Why an exchange was refused; on record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// It would have landed below the floor (RFC 0175 §D.2).
    BelowFloor,
    /// Not in the grammar, contradictory, not offered, or denied.
    Unsupported,
    /// It would have landed below preferred without authentication (RFC 0175 §D.1).
    Unauthenticated,
}

/// Why, finer than a refusal; never on record. The WIT enum `cause` documents each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(
    missing_docs,
    reason = "the WIT enum of the same names is the contract"
)]
pub enum Cause {
    Exact,
    Default,
    Session,
    Common,
    CounterOffer,
    Answered,
    NamedBelowFloor,
    SessionBelowFloor,
    OffersBelowFloor,
    AnswerBelowFloor,
    Malformed,
    Ambiguous,
    HeaderBodyMismatch,
    SessionChanged,
    NotNamed,
    NotOffered,
    NoHandshake,
    NoOffers,
    NoCommon,
    AnswerUnusable,
    NotConfigured,
    PolicyDenied,
    PolicyFailed,
    PolicyBrokeContract,
    CredentialMissing,
    CredentialRequired,
    RecordNotDurable,
}

impl Cause {
    /// Every cause.
    pub const ALL: [Self; 27] = [
        Self::Exact,
        Self::Default,
        Self::Session,
        Self::Common,
        Self::CounterOffer,
        Self::Answered,
        Self::NamedBelowFloor,
        Self::SessionBelowFloor,
        Self::OffersBelowFloor,
        Self::AnswerBelowFloor,
        Self::Malformed,
        Self::Ambiguous,
        Self::HeaderBodyMismatch,
        Self::SessionChanged,
        Self::NotNamed,
        Self::NotOffered,
        Self::NoHandshake,
        Self::NoOffers,
        Self::NoCommon,
        Self::AnswerUnusable,
        Self::NotConfigured,
        Self::PolicyDenied,
        Self::PolicyFailed,
        Self::PolicyBrokeContract,
        Self::CredentialMissing,
        Self::CredentialRequired,
        Self::RecordNotDurable,
    ];

    /// The refusal that a cause belongs to; none for the causes of an acceptance, and for the one
    /// that never becomes a decision.
    #[must_use]
    pub const fn refusal(self) -> Option<Refusal> {
        match self {
            Self::Exact
            | Self::Default
            | Self::Session
            | Self::Common
            | Self::CounterOffer
            | Self::Answered
            | Self::RecordNotDurable => None,
            Self::NamedBelowFloor
            | Self::SessionBelowFloor
            | Self::OffersBelowFloor
            | Self::AnswerBelowFloor => Some(Refusal::BelowFloor),
            Self::CredentialMissing | Self::CredentialRequired => Some(Refusal::Unauthenticated),
            _ => Some(Refusal::Unsupported),
        }
    }
}

/// The decision on one exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// A version was agreed.
    Accepted {
        /// The version; the only one that may be used.
        version: Version,
        /// Why this one.
        cause: Cause,
        /// Whether it lies below what is on record as requested (RFC 0242 §A.3).
        downgraded: bool,
    },
    /// No version was agreed.
    Refused {
        /// The reason on record.
        refusal: Refusal,
        /// The finer cause.
        cause: Cause,
    },
}

impl Decision {
    /// A refusal, its reason following from its cause.
    #[must_use]
    pub fn refused(cause: Cause) -> Self {
        Self::Refused {
            refusal: cause.refusal().unwrap_or(Refusal::Unsupported),
            cause,
        }
    }
}

/// What a policy is asked to judge.
#[derive(Debug)]
pub struct Proposal<'a> {
    /// The exchange.
    pub exchange: &'a Exchange,
    /// The version asked for; need not be a candidate.
    pub asked: Version,
    /// Every legal candidate, best first; never empty.
    pub candidates: &'a [Version],
    /// The posture's facet.
    pub facet: &'a Facet,
    /// Tenant and workspace of the credential, if known.
    pub subject: Option<&'a Subject>,
    /// The digest of the peer's origin, if it has one.
    pub peer_digest: Option<&'a str>,
    /// The instant of the exchange, if known.
    pub at: Option<&'a str>,
}

/// What a policy answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Use this version; `None` stands for text that is no version.
    Grant(Option<Version>),
    /// Use none.
    Deny,
    /// The policy could not answer.
    Failed,
}

/// The part that operators swap: it chooses among legal candidates, or denies.
pub trait Policy {
    /// Judges one proposal.
    fn judge(&mut self, proposal: &Proposal<'_>) -> Verdict;
}

/// The default policy: the best legal candidate, as the reference host does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Highest;

impl Policy for Highest {
    fn judge(&mut self, proposal: &Proposal<'_>) -> Verdict {
        Verdict::Grant(proposal.candidates.first().copied())
    }
}

/// A policy that never answers: what is left when the real one is dead.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dead;

impl Policy for Dead {
    fn judge(&mut self, _: &Proposal<'_>) -> Verdict {
        Verdict::Failed
    }
}

/// What a policy may be told besides the exchange.
#[derive(Clone, Copy, Debug, Default)]
pub struct Circumstances<'a> {
    /// Tenant and workspace of the credential.
    pub subject: Option<&'a Subject>,
    /// The digest of the peer's origin.
    pub peer_digest: Option<&'a str>,
    /// The instant.
    pub at: Option<&'a str>,
}

/// Decides one exchange.
pub fn decide(
    posture: &Posture,
    exchange: &Exchange,
    circumstances: Circumstances<'_>,
    policy: &mut dyn Policy,
) -> Decision {
    let Some(facet) = posture.facet(exchange.protocol) else {
        return Decision::refused(Cause::NotConfigured);
    };
    let legal = match candidates::legal(facet, exchange) {
        Ok(legal) => legal,
        Err(cause) => return Decision::refused(cause),
    };
    let proposal = Proposal {
        exchange,
        asked: legal.asked,
        candidates: &legal.versions,
        facet,
        subject: circumstances.subject,
        peer_digest: circumstances.peer_digest,
        at: circumstances.at,
    };
    match policy.judge(&proposal) {
        Verdict::Deny => Decision::refused(Cause::PolicyDenied),
        Verdict::Failed => Decision::refused(Cause::PolicyFailed),
        Verdict::Grant(Some(version)) if may_leave(facet, exchange, &legal, version) => {
            accepted(facet, exchange, &legal, version)
        }
        Verdict::Grant(_) => Decision::refused(Cause::PolicyBrokeContract),
    }
}

/// Whether the rules could have made a decision on an exchange, whatever the policy said.
#[must_use]
pub fn could_have_made(posture: &Posture, exchange: &Exchange, decision: &Decision) -> bool {
    let Some(facet) = posture.facet(exchange.protocol) else {
        return matches!(
            decision,
            Decision::Refused {
                refusal: Refusal::Unsupported,
                cause: Cause::NotConfigured
            }
        );
    };
    let legal = candidates::legal(facet, exchange);
    match (*decision, &legal) {
        (Decision::Accepted { version, .. }, Ok(legal)) => {
            may_leave(facet, exchange, legal, version)
                && *decision == accepted(facet, exchange, legal, version)
        }
        (Decision::Accepted { .. }, Err(_)) => false,
        (Decision::Refused { refusal, cause }, legal) => {
            let from_rules = legal.as_ref().err() == Some(&cause);
            let from_policy = legal.is_ok()
                && matches!(
                    cause,
                    Cause::PolicyDenied | Cause::PolicyFailed | Cause::PolicyBrokeContract
                );
            cause.refusal() == Some(refusal)
                && (from_rules || from_policy || cause == Cause::CredentialRequired)
        }
    }
}

/// The last look at a version before it leaves: the invariants themselves, not the way there.
fn may_leave(facet: &Facet, exchange: &Exchange, legal: &Legal, version: Version) -> bool {
    version >= facet.floor()
        && (exchange.authenticated || version >= facet.preferred())
        && facet.offers(version)
        && legal.versions.contains(&version)
}

fn accepted(facet: &Facet, exchange: &Exchange, legal: &Legal, version: Version) -> Decision {
    let unnamed = exchange.named == Named::Nothing && exchange.direction == Direction::Inbound;
    let cause = if unnamed && legal.in_session {
        Cause::Session
    } else if exchange.answer().is_some() {
        Cause::Answered
    } else if legal.counter_offer {
        Cause::CounterOffer
    } else if unnamed {
        Cause::Default
    } else if version == legal.asked {
        Cause::Exact
    } else {
        Cause::Common
    };
    let downgraded = requested(facet, exchange).is_some_and(|requested| version < requested);
    Decision::Accepted {
        version,
        cause,
        downgraded,
    }
}

/// The version on record as requested (RFC 0242 §A.2): inbound what the caller named, outbound
/// what this host asked for.
#[must_use]
pub fn requested(facet: &Facet, exchange: &Exchange) -> Option<Version> {
    match (exchange.direction, exchange.named) {
        (Direction::Outbound, Named::Nothing) => Some(facet.preferred()),
        _ => exchange.named_on_record(),
    }
}

/// Decides many exchanges in order.
pub fn decide_many(
    posture: &Posture,
    exchanges: &[Exchange],
    policy: &mut dyn Policy,
) -> Vec<Decision> {
    exchanges
        .iter()
        .map(|exchange| decide(posture, exchange, Circumstances::default(), policy))
        .collect()
}
