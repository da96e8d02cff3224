//! Rules, "The decision".

use std::cmp::Reverse;

use crate::branch::{Branch, Branches};
use crate::case::{Case, Cause, Direction, Named, Outcome, Policy, Reason, Session, Surface};
use crate::version::{Protocol, Version};

/// Decides a case under a policy.
pub fn decide(case: &Case, policy: Policy) -> Outcome {
    let mut tags = Branches::default();
    let mut candidates = Vec::new();
    let decided = candidates_of(case, &mut tags)
        .and_then(|legal| strike_unauthenticated(case, legal, &mut tags))
        .and_then(|legal| {
            candidates.clone_from(&legal.versions);
            let version = choose(policy, case.asked(), &legal.versions, &mut tags)?;
            Ok((
                version,
                cause_of_acceptance(case, version, &legal, &mut tags),
            ))
        });

    let requested = case.requested();
    let (version, reason, cause) = match decided {
        Ok((version, cause)) => (Some(version), Reason::Ok, cause),
        Err((reason, cause)) => (None, reason, cause),
    };
    let downgraded = version.is_some() && version < requested;
    if downgraded {
        tags.reach(Branch::Downgraded);
    }
    if case.direction == Direction::Outbound && requested.is_some() && version > requested {
        tags.reach(Branch::R9);
    }
    let asked = case.asked();
    Outcome {
        version,
        reason,
        cause,
        requested,
        downgraded,
        asked,
        candidates,
        branches: tags,
    }
}

/// Refuses for want of a credential, whatever else holds (R14).
pub(crate) fn credential_required(case: &Case) -> Outcome {
    let mut branches = Branches::default();
    branches.reach(Branch::CredentialRequired);
    Outcome {
        version: None,
        reason: Reason::Unauthenticated,
        cause: Cause::CredentialRequired,
        requested: case.requested(),
        downgraded: false,
        asked: case.asked(),
        candidates: Vec::new(),
        branches,
    }
}

type Refusal = (Reason, Cause);

/// The legal candidates, best first, and whether they are a counter-offer (R1).
struct Legal {
    versions: Vec<Version>,
    counter_offer: bool,
}

fn candidates_of(case: &Case, tags: &mut Branches) -> Result<Legal, Refusal> {
    let (branch, result) = match case.direction {
        Direction::Inbound => inbound(case, tags),
        Direction::Outbound => outbound(case),
    };
    tags.reach(branch);
    result
}

type Step = (Branch, Result<Legal, Refusal>);

fn refuse(branch: Branch, reason: Reason, cause: Cause) -> Step {
    (branch, Err((reason, cause)))
}

fn propose(branch: Branch, versions: Vec<Version>) -> Step {
    (
        branch,
        Ok(Legal {
            versions,
            counter_offer: false,
        }),
    )
}

fn inbound(case: &Case, tags: &mut Branches) -> Step {
    use Reason::{BelowFloor, Unsupported};

    let named = match case.named {
        Named::Ambiguous => return refuse(Branch::Inbound1, Unsupported, Cause::Ambiguous),
        Named::Contradiction(_) => {
            return refuse(Branch::Inbound2, Unsupported, Cause::HeaderBodyMismatch);
        }
        Named::Malformed => return refuse(Branch::Inbound3, Unsupported, Cause::Malformed),
        Named::Nothing => None,
        Named::One(version) => Some(version),
    };
    if named.is_some_and(|named| named < case.floor) {
        return refuse(Branch::Inbound4, BelowFloor, Cause::NamedBelowFloor);
    }
    if case.session() == Some(Session::Malformed) {
        return refuse(Branch::Inbound5, Unsupported, Cause::Malformed);
    }
    let session = case.session_version();
    if session.is_some_and(|session| session < case.floor) {
        return refuse(Branch::Inbound6, BelowFloor, Cause::SessionBelowFloor);
    }
    if session.is_some() && named.is_some() && named != session {
        return refuse(Branch::Inbound7, Unsupported, Cause::SessionChanged);
    }
    let initialize = case.surface == Surface::McpInitialize;
    if case.protocol == Protocol::Mcp && named.is_none() && session.is_none() && !initialize {
        return refuse(Branch::Inbound8, Unsupported, Cause::NotNamed);
    }
    if initialize {
        let version = named.unwrap_or(case.preferred);
        if !case.is_offered(version) {
            tags.reach(Branch::Inbound9NotOffered);
            return counter_offer(case, named, tags);
        }
        if !version.has_handshake() {
            tags.reach(match named {
                Some(_) => Branch::Inbound9NoHandshake,
                None => Branch::Inbound9Preferred,
            });
            return counter_offer(case, named, tags);
        }
    }
    match (named, session) {
        (Some(named), _) if !case.is_offered(named) => {
            refuse(Branch::Inbound10Named, Unsupported, Cause::NotOffered)
        }
        (None, Some(session)) if !case.is_offered(session) => {
            refuse(Branch::Inbound10Session, Unsupported, Cause::NotOffered)
        }
        (Some(named), None) => propose(Branch::Inbound11Named, vec![named]),
        (_, Some(session)) => propose(Branch::Inbound11Session, vec![session]),
        (None, None) if initialize => propose(Branch::Inbound11Initialize, vec![case.preferred]),
        (None, None) => {
            let versions = offered_where(case, |v| v >= case.floor && v <= case.preferred);
            propose(Branch::Inbound11A2a, versions)
        }
    }
}

/// All handshake revisions offered at or above the floor, also newer ones (R1).
fn counter_offer(case: &Case, named: Option<Version>, tags: &mut Branches) -> Step {
    let versions = offered_where(case, |v| v.has_handshake() && v >= case.floor);
    if versions.is_empty() {
        return refuse(
            Branch::R1NoHandshake,
            Reason::Unsupported,
            Cause::NoHandshake,
        );
    }
    if named.is_some_and(|named| versions.iter().any(|version| *version > named)) {
        tags.reach(Branch::R1Newer);
    }
    (
        Branch::R1CounterOffer,
        Ok(Legal {
            versions,
            counter_offer: true,
        }),
    )
}

fn outbound(case: &Case) -> Step {
    use Reason::{BelowFloor, Unsupported};

    let asked = match case.named {
        Named::One(version) => version,
        Named::Nothing => case.preferred,
        _ => return refuse(Branch::Outbound1, Unsupported, Cause::Malformed),
    };
    if asked < case.floor {
        return refuse(Branch::Outbound2, BelowFloor, Cause::NamedBelowFloor);
    }
    if !case.is_offered(asked) {
        return refuse(Branch::Outbound3, Unsupported, Cause::NotOffered);
    }
    match case.answered() {
        Some(Named::One(answer)) if answer < case.floor => {
            refuse(Branch::Outbound5, BelowFloor, Cause::AnswerBelowFloor)
        }
        Some(Named::One(answer)) if !answer.has_handshake() => refuse(
            Branch::Outbound6NoHandshake,
            Unsupported,
            Cause::AnswerUnusable,
        ),
        Some(Named::One(answer)) if !case.is_offered(answer) => refuse(
            Branch::Outbound6NotOffered,
            Unsupported,
            Cause::AnswerUnusable,
        ),
        Some(Named::One(answer)) if !case.offers.is_empty() && !case.offers.contains(&answer) => {
            refuse(
                Branch::Outbound6NotListed,
                Unsupported,
                Cause::AnswerUnusable,
            )
        }
        Some(Named::One(answer)) => propose(Branch::Outbound7, vec![answer]),
        Some(_) => refuse(Branch::Outbound4, Unsupported, Cause::AnswerUnusable),
        None if case.offers.is_empty() => refuse(Branch::Outbound8, Unsupported, Cause::NoOffers),
        None => {
            let common = offered_where(case, |v| {
                case.offers.contains(&v) && v >= case.floor && v <= asked
            });
            let all_below = case.offers.iter().all(|offer| *offer < case.floor);
            match (common.is_empty(), all_below) {
                (false, _) => propose(Branch::Outbound9, common),
                (true, true) => refuse(Branch::Outbound10, BelowFloor, Cause::OffersBelowFloor),
                (true, false) => refuse(Branch::Outbound11, Unsupported, Cause::NoCommon),
            }
        }
    }
}

/// The offered versions that pass a test, best first.
fn offered_where(case: &Case, test: impl Fn(Version) -> bool) -> Vec<Version> {
    let mut versions: Vec<Version> = case.offered.iter().copied().filter(|v| test(*v)).collect();
    versions.sort_by_key(|version| Reverse(*version));
    versions
}

/// Not authenticated: candidates below preferred are struck.
fn strike_unauthenticated(
    case: &Case,
    legal: Legal,
    tags: &mut Branches,
) -> Result<Legal, Refusal> {
    if case.authenticated {
        return Ok(legal);
    }
    let left: Vec<Version> = legal
        .versions
        .iter()
        .copied()
        .filter(|v| *v >= case.preferred)
        .collect();
    if left.is_empty() {
        tags.reach(Branch::AuthAllStruck);
        return Err((Reason::Unauthenticated, Cause::CredentialMissing));
    }
    tags.reach(if left.len() < legal.versions.len() {
        Branch::AuthSomeStruck
    } else {
        Branch::AuthNoneStruck
    });
    Ok(Legal {
        versions: left,
        ..legal
    })
}

/// Asks the policy, which can only choose or deny.
fn choose(
    policy: Policy,
    asked: Version,
    candidates: &[Version],
    tags: &mut Branches,
) -> Result<Version, Refusal> {
    let granted = match policy {
        Policy::Highest => candidates.first().copied(),
        Policy::Exact => candidates.contains(&asked).then_some(asked),
        Policy::DenyAll => None,
        Policy::Fails => {
            tags.reach(Branch::PolicyFailed);
            return Err((Reason::Unsupported, Cause::PolicyFailed));
        }
        Policy::GrantOutside => {
            tags.reach(Branch::PolicyBroke);
            return Err((Reason::Unsupported, Cause::PolicyBrokeContract));
        }
    };
    match granted {
        Some(version) => {
            tags.reach(Branch::PolicyGranted);
            Ok(version)
        }
        None => {
            tags.reach(Branch::PolicyDenied);
            Err((Reason::Unsupported, Cause::PolicyDenied))
        }
    }
}

/// The first that fits.
fn cause_of_acceptance(case: &Case, version: Version, legal: &Legal, tags: &mut Branches) -> Cause {
    let nothing_named = case.named == Named::Nothing;
    let (branch, cause) = if nothing_named && case.session().is_some() {
        (Branch::AcceptedSession, Cause::Session)
    } else if case.answered().is_some() {
        (Branch::AcceptedAnswered, Cause::Answered)
    } else if legal.counter_offer {
        (Branch::AcceptedCounterOffer, Cause::CounterOffer)
    } else if nothing_named && case.direction == Direction::Inbound {
        (Branch::AcceptedDefault, Cause::Default)
    } else if version == case.asked() {
        (Branch::AcceptedExact, Cause::Exact)
    } else {
        (Branch::AcceptedCommon, Cause::Common)
    };
    tags.reach(branch);
    cause
}
