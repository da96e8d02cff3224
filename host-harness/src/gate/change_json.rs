//! A change as JSON: the exchange in the words of the JSON contract, as far as it has
//! them, and both decisions.

use serde::{Serialize, Serializer};

use super::changes::Change;
use super::words;
use crate::proof;
use crate::types::{Decision, Facet, Named, Protocol};

impl Serialize for Change<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let exchange = self.exchange;
        let written = Written {
            protocol: words::protocol(exchange.protocol),
            direction: words::direction(exchange.direction),
            surface: words::surface(exchange.surface),
            authenticated: exchange.authenticated,
            facet: FacetText::of(exchange.protocol, self.facet),
            reading: reading(&exchange.named),
            named: version(&exchange.named),
            session: exchange.session.as_deref(),
            offers: exchange.offers.as_deref(),
            answered: exchange.answered.as_ref().map(|answered| Answered {
                reading: reading(answered),
                named: version(answered),
            }),
            from: DecisionText::of(&self.from),
            to: DecisionText::of(&self.to),
            effect: self.effect.as_str(),
        };
        written.serialize(serializer)
    }
}

#[derive(Serialize)]
struct Written<'a> {
    protocol: &'static str,
    direction: &'static str,
    surface: &'static str,
    authenticated: bool,
    facet: FacetText<'a>,
    reading: &'static str,
    named: Option<&'a str>,
    session: Option<&'a str>,
    offers: Option<&'a [String]>,
    answered: Option<Answered<'a>>,
    from: DecisionText<'a>,
    to: DecisionText<'a>,
    effect: &'static str,
}

#[derive(Serialize)]
struct Answered<'a> {
    reading: &'static str,
    named: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum FacetText<'a> {
    #[serde(rename_all = "camelCase")]
    A2a {
        versions: &'a [String],
        preferred_version: &'a str,
        minimum_version: &'a str,
    },
    #[serde(rename_all = "camelCase")]
    Mcp {
        revisions: &'a [String],
        preferred_version: &'a str,
        minimum_revision: &'a str,
    },
}

#[derive(Serialize)]
struct DecisionText<'a> {
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    reason: &'static str,
    cause: &'static str,
    downgraded: bool,
}

impl<'a> FacetText<'a> {
    fn of(protocol: Protocol, facet: &'a Facet) -> Self {
        match protocol {
            Protocol::A2a => Self::A2a {
                versions: &facet.offered,
                preferred_version: &facet.preferred,
                minimum_version: &facet.floor,
            },
            Protocol::Mcp => Self::Mcp {
                revisions: &facet.offered,
                preferred_version: &facet.preferred,
                minimum_revision: &facet.floor,
            },
        }
    }
}

impl<'a> DecisionText<'a> {
    fn of(decision: &'a Decision) -> Self {
        match decision {
            Decision::Accepted(acceptance) => Self {
                outcome: "accepted",
                version: Some(&acceptance.version),
                reason: "ok",
                cause: proof::cause(acceptance.cause),
                downgraded: acceptance.downgraded,
            },
            Decision::Refused(rejection) => Self {
                outcome: "refused",
                version: None,
                reason: proof::refusal(rejection.refusal),
                cause: proof::cause(rejection.cause),
                downgraded: false,
            },
        }
    }
}

fn reading(named: &Named) -> &'static str {
    match named {
        Named::Nothing => "nothing",
        Named::One(_) => "version",
        Named::Malformed => "malformed",
        Named::Ambiguous => "ambiguous",
        Named::Contradiction(_) => "contradiction",
    }
}

fn version(named: &Named) -> Option<&str> {
    match named {
        Named::One(version) | Named::Contradiction(Some(version)) => Some(version),
        Named::Nothing | Named::Malformed | Named::Ambiguous | Named::Contradiction(None) => None,
    }
}
