//! The legal candidates of an exchange, in the order of tests that the rules give.

use alloc::vec::Vec;

use super::Cause;
use crate::exchange::{Direction, Exchange, Named, Surface};
use crate::facet::Facet;
use crate::version::{Protocol, Version};

/// What a policy may choose from.
#[derive(Debug)]
pub(crate) struct Legal {
    /// Best first, never empty.
    pub(crate) versions: Vec<Version>,
    /// The version asked for: named, else the session's, else preferred.
    pub(crate) asked: Version,
    /// Whether the session's version is what is at stake.
    pub(crate) in_session: bool,
    /// Whether these are handshake revisions other than the one asked for (R1).
    pub(crate) counter_offer: bool,
}

impl Legal {
    fn plain(asked: Version, versions: Vec<Version>) -> Self {
        Self {
            versions,
            asked,
            in_session: false,
            counter_offer: false,
        }
    }
}

/// The legal candidates, or the cause of a refusal that no policy is asked about.
pub(crate) fn legal(facet: &Facet, exchange: &Exchange) -> Result<Legal, Cause> {
    let mut legal = match exchange.direction {
        Direction::Inbound => inbound(facet, exchange)?,
        Direction::Outbound => outbound(facet, exchange)?,
    };
    if !exchange.authenticated {
        legal
            .versions
            .retain(|version| *version >= facet.preferred());
    }
    if legal.versions.is_empty() {
        Err(Cause::CredentialMissing)
    } else {
        Ok(legal)
    }
}

fn inbound(facet: &Facet, exchange: &Exchange) -> Result<Legal, Cause> {
    // A contradiction names nothing, so it is tested before support and floor (R5).
    let named = match exchange.named {
        Named::Ambiguous => return Err(Cause::Ambiguous),
        Named::Contradiction(_) => return Err(Cause::HeaderBodyMismatch),
        Named::Malformed => return Err(Cause::Malformed),
        Named::Nothing => None,
        Named::One(version) => Some(version),
    };
    if named.is_some_and(|version| version < facet.floor()) {
        return Err(Cause::NamedBelowFloor);
    }
    match (exchange.protocol, exchange.session, named) {
        (Protocol::Mcp, _, _) if exchange.surface == Surface::McpInitialize => {
            initialize(facet, named)
        }
        (Protocol::Mcp, Some(session), _) => in_session(facet, session, named),
        (_, _, Some(version)) => exact(facet, version),
        (Protocol::Mcp, None, None) => Err(Cause::NotNamed),
        (Protocol::A2a, _, None) => {
            let up_to_preferred = between(facet, facet.preferred()).collect();
            Ok(Legal::plain(facet.preferred(), up_to_preferred))
        }
    }
}

fn exact(facet: &Facet, version: Version) -> Result<Legal, Cause> {
    if facet.offers(version) {
        Ok(Legal::plain(version, Vec::from([version])))
    } else {
        Err(Cause::NotOffered)
    }
}

/// A session never changes version without a new handshake (R4, R10).
fn in_session(
    facet: &Facet,
    session: Option<Version>,
    named: Option<Version>,
) -> Result<Legal, Cause> {
    let session = session.ok_or(Cause::Malformed)?;
    if session < facet.floor() {
        return Err(Cause::SessionBelowFloor);
    }
    if named.is_some_and(|named| named != session) {
        return Err(Cause::SessionChanged);
    }
    Ok(Legal {
        in_session: true,
        ..exact(facet, session)?
    })
}

/// A handshake meets a caller at a revision that it can carry (R1, R4).
fn initialize(facet: &Facet, named: Option<Version>) -> Result<Legal, Cause> {
    let asked = named.unwrap_or(facet.preferred());
    if asked.is_handshake() && facet.offers(asked) {
        return exact(facet, asked);
    }
    let versions: Vec<_> = facet
        .reachable(true)
        .filter(|version| version.is_handshake())
        .collect();
    if versions.is_empty() {
        return Err(Cause::NoHandshake);
    }
    Ok(Legal {
        counter_offer: true,
        ..Legal::plain(asked, versions)
    })
}

fn outbound(facet: &Facet, exchange: &Exchange) -> Result<Legal, Cause> {
    let asked = match exchange.named {
        Named::Nothing => facet.preferred(),
        Named::One(version) => version,
        Named::Malformed | Named::Ambiguous | Named::Contradiction(_) => {
            return Err(Cause::Malformed);
        }
    };
    if asked < facet.floor() {
        return Err(Cause::NamedBelowFloor);
    }
    if !facet.offers(asked) {
        return Err(Cause::NotOffered);
    }
    let offers = &exchange.offers;
    if let Some(answer) = exchange.answer() {
        let answer = answer.ok_or(Cause::AnswerUnusable)?;
        if answer < facet.floor() {
            return Err(Cause::AnswerBelowFloor);
        }
        let listed = offers.is_empty() || offers.contains(&answer);
        if !(answer.is_handshake() && facet.offers(answer) && listed) {
            return Err(Cause::AnswerUnusable);
        }
        return Ok(Legal::plain(asked, Vec::from([answer])));
    }
    if offers.is_empty() {
        return Err(Cause::NoOffers);
    }
    let common: Vec<_> = between(facet, asked)
        .filter(|version| offers.contains(version))
        .collect();
    if !common.is_empty() {
        Ok(Legal::plain(asked, common))
    } else if offers.iter().all(|offer| *offer < facet.floor()) {
        Err(Cause::OffersBelowFloor)
    } else {
        Err(Cause::NoCommon)
    }
}

/// Everything offered from the floor up to a version, best first.
fn between(facet: &Facet, most: Version) -> impl Iterator<Item = Version> + '_ {
    facet
        .reachable(true)
        .filter(move |version| *version <= most)
}
