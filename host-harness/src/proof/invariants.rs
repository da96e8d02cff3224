//! What must hold of every decision, seen from outside: no way there, only the sets.

use negotiation_model as model;

use super::model::{case, facet};
use super::rules::{Rule, Violation};
use super::{record, reply};
use crate::types::{Cause, Context, Decision, Exchange, Facets, Refusal, Settlement};

/// Checks a decision under any policy, good or bad: floor, authentication, one name, session,
/// membership, ceiling, and that reason and cause fit together.
///
/// # Errors
///
/// The first rule that is broken, in that order.
pub fn check_decision(
    facets: &Facets,
    exchange: &Exchange,
    decision: &Decision,
) -> Result<(), Violation> {
    let Some(case) = case(facets, exchange) else {
        return not_configured(decision);
    };
    decided(&case, decision).map(|_| ())
}

/// Checks a decision that the default policy made: there is one where there can be, and it is the
/// best (liveness, maximality).
///
/// # Errors
///
/// The rule that is broken; or as [`check_decision`].
pub fn check_best(
    facets: &Facets,
    exchange: &Exchange,
    decision: &Decision,
) -> Result<(), Violation> {
    let Some(case) = case(facets, exchange) else {
        return not_configured(decision);
    };
    best(&case, decided(&case, decision)?)
}

/// Checks a whole settlement under any policy: its decision, its record, its reply.
///
/// # Errors
///
/// As [`check_decision`]; then the rules of the record, of its envelope and audience, and of the
/// reply.
pub fn check_settlement(
    facets: &Facets,
    exchange: &Exchange,
    context: &Context,
    settlement: &Settlement,
) -> Result<(), Violation> {
    let (Some(case), Some(facet)) = (case(facets, exchange), facet(facets, exchange.protocol))
    else {
        return not_configured(&settlement.decision);
    };
    settled(&case, &facet.floor, context, settlement)
}

pub(super) fn settled(
    case: &model::Case,
    floor: &str,
    context: &Context,
    settlement: &Settlement,
) -> Result<(), Violation> {
    let version = decided(case, &settlement.decision)?;
    let requested = requested(case);
    record::check(case, floor, requested, context, settlement)?;
    reply::check(case, version, requested, settlement)
}

/// Checks a decision; the version agreed on comes back, if one was.
pub(super) fn decided(
    case: &model::Case,
    decision: &Decision,
) -> Result<Option<model::Version>, Violation> {
    let accepted = match decision {
        Decision::Refused(refused) => {
            let fits = reason_of(refused.cause) == Some(refused.refusal);
            hold(fits, Rule::Reason, "a cause with the reason of another")?;
            return Ok(None);
        }
        Decision::Accepted(accepted) => accepted,
    };
    let Some(version) = model::Version::read(case.protocol, &accepted.version) else {
        return broken(Rule::ContentFree, "a version outside its grammar");
    };
    let proven = case.authenticated || version >= case.preferred;
    hold(version >= case.floor, Rule::Floor, "agreed below the floor")?;
    hold(
        proven,
        Rule::Authentication,
        "agreed below preferred without a proven identity",
    )?;
    reachable(case, version)?;
    hold(
        reason_of(accepted.cause).is_none(),
        Rule::Reason,
        "accepted with the cause of a refusal",
    )?;
    let below = requested(case).is_some_and(|requested| version < requested);
    hold(
        accepted.downgraded == below,
        Rule::RecordTruth,
        "`downgraded` is not whether the version is below what is on record as requested",
    )?;
    Ok(Some(version))
}

/// Checks a decision of the default policy: that there is one where there can be, and that it is
/// the best.
pub(super) fn best(case: &model::Case, version: Option<model::Version>) -> Result<(), Violation> {
    let best = case
        .offered
        .iter()
        .copied()
        .filter(|version| *version >= case.floor)
        .filter(|version| case.authenticated || *version >= case.preferred)
        .filter(|version| reachable(case, *version).is_ok())
        .max();
    match (best, version) {
        (Some(_), None) => broken(Rule::Liveness, "refused where a version is legal"),
        (Some(best), Some(version)) if version < best => broken(
            Rule::Maximality,
            "agreed on less than the best legal version",
        ),
        _ => Ok(()),
    }
}

/// Whether the exchange can lead to a version at all, floor and authentication left aside.
fn reachable(case: &model::Case, version: model::Version) -> Result<(), Violation> {
    let (rule, problem) = (Rule::Membership, "agreed on what this host does not offer");
    hold(case.offered.contains(&version), rule, problem)?;
    match case.direction {
        model::Direction::Inbound => inbound(case, version),
        model::Direction::Outbound => outbound(case, version),
    }
}

fn inbound(case: &model::Case, version: model::Version) -> Result<(), Violation> {
    let named = match case.named {
        model::Named::Nothing => None,
        model::Named::One(named) => Some(named),
        _ => {
            return broken(Rule::OneName, "agreed where no single name could be read");
        }
    };
    let not_below = named.is_none_or(|named| named >= case.floor);
    hold(
        not_below,
        Rule::Floor,
        "agreed where a name below the floor was given",
    )?;
    let mcp = case.protocol == model::Protocol::Mcp;
    if case.surface == model::Surface::McpInitialize {
        let asked = named.unwrap_or(case.preferred);
        let exact = case.offered.contains(&asked) && asked.has_handshake();
        let fits = version.has_handshake() && (version == asked || !exact);
        return hold(
            fits,
            Rule::Ceiling,
            "a handshake on a revision that it cannot carry, or on another than the one named",
        );
    }
    match (named, case.session.filter(|_| mcp)) {
        (_, Some(model::Session::Malformed)) => {
            broken(Rule::Session, "agreed in a session without a version")
        }
        (named, Some(model::Session::Version(session))) => hold(
            version == session && named.is_none_or(|named| named == session),
            Rule::Session,
            "agreed on another version than the session's",
        ),
        (Some(named), None) => hold(
            version == named,
            Rule::Ceiling,
            "agreed on another version than the one named",
        ),
        (None, None) if mcp => broken(Rule::OneName, "agreed where nothing can be assumed"),
        (None, None) => hold(
            version <= case.preferred,
            Rule::Ceiling,
            "nothing named, and agreed above preferred",
        ),
    }
}

fn outbound(case: &model::Case, version: model::Version) -> Result<(), Violation> {
    let asked = match case.named {
        model::Named::Nothing => case.preferred,
        model::Named::One(asked) => asked,
        _ => {
            return broken(
                Rule::OneName,
                "agreed though nothing readable was asked for",
            );
        }
    };
    hold(
        asked >= case.floor,
        Rule::Floor,
        "agreed where less than the floor was asked for",
    )?;
    hold(
        case.offered.contains(&asked),
        Rule::Membership,
        "agreed where something was asked for that this host does not offer",
    )?;
    let mcp = case.protocol == model::Protocol::Mcp;
    match case.answered.filter(|_| mcp) {
        Some(model::Named::One(answer)) => hold(
            version == answer
                && answer.has_handshake()
                && (case.offers.is_empty() || case.offers.contains(&answer)),
            Rule::Membership,
            "agreed on another revision than the peer's answer, or on one that it does not list",
        ),
        Some(_) => broken(
            Rule::OneName,
            "agreed though the peer's answer cannot be read",
        ),
        None => {
            let (rule, problem) = (Rule::Membership, "agreed on what the peer does not offer");
            hold(case.offers.contains(&version), rule, problem)?;
            hold(
                version <= asked,
                Rule::Ceiling,
                "agreed above what was asked for",
            )
        }
    }
}

/// What goes on record as requested (RFC 0242 §A.2).
fn requested(case: &model::Case) -> Option<model::Version> {
    match (case.direction, case.named) {
        (_, model::Named::One(version)) => Some(version),
        (model::Direction::Inbound, model::Named::Contradiction(version)) => version,
        (model::Direction::Outbound, model::Named::Nothing) => Some(case.preferred),
        _ => None,
    }
}

/// The reason that a cause belongs to; none for those of an acceptance.
const fn reason_of(cause: Cause) -> Option<Refusal> {
    match cause {
        Cause::Exact
        | Cause::Default
        | Cause::Session
        | Cause::Common
        | Cause::CounterOffer
        | Cause::Answered
        | Cause::RecordNotDurable => None,
        Cause::NamedBelowFloor
        | Cause::SessionBelowFloor
        | Cause::OffersBelowFloor
        | Cause::AnswerBelowFloor => Some(Refusal::BelowFloor),
        Cause::CredentialMissing | Cause::CredentialRequired => Some(Refusal::Unauthenticated),
        Cause::Malformed
        | Cause::Ambiguous
        | Cause::HeaderBodyMismatch
        | Cause::SessionChanged
        | Cause::NotNamed
        | Cause::NotOffered
        | Cause::NoHandshake
        | Cause::NoOffers
        | Cause::NoCommon
        | Cause::AnswerUnusable
        | Cause::NotConfigured
        | Cause::PolicyDenied
        | Cause::PolicyFailed
        | Cause::PolicyBrokeContract => Some(Refusal::Unsupported),
    }
}

fn not_configured(decision: &Decision) -> Result<(), Violation> {
    let refused = matches!(decision, Decision::Refused(refused)
        if refused.cause == Cause::NotConfigured && refused.refusal == Refusal::Unsupported);
    hold(
        refused,
        Rule::Membership,
        "anything but `not-configured` for a protocol without a facet",
    )
}

pub(super) fn hold(holds: bool, rule: Rule, problem: &str) -> Result<(), Violation> {
    if holds { Ok(()) } else { broken(rule, problem) }
}

pub(super) fn broken<T>(rule: Rule, problem: &str) -> Result<T, Violation> {
    Err(Violation::new(rule, problem))
}
