//! From the types of the rules to those of the model and of the component.

use negotiation_core as core;
use negotiation_model as model;
use negotiator::types as wit;

use crate::grid::GridFacet;

/// What all three must agree on, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The version agreed on.
    pub version: Option<String>,
    /// The reason on record.
    pub reason: String,
    /// The cause.
    pub cause: String,
    /// Whether it is a downgrade.
    pub downgraded: bool,
}

/// What the rules said.
#[must_use]
pub fn said_by_core(decision: &core::Decision) -> Said {
    let word = |text: String| text.trim_matches('"').to_string();
    match *decision {
        core::Decision::Accepted {
            version,
            cause,
            downgraded,
        } => Said {
            version: Some(version.to_string()),
            reason: "ok".into(),
            cause: word(core::ops::to_json(&cause)),
            downgraded,
        },
        core::Decision::Refused { refusal, cause } => Said {
            version: None,
            reason: word(core::ops::to_json(&refusal)),
            cause: word(core::ops::to_json(&cause)),
            downgraded: false,
        },
    }
}

/// What the model said.
#[must_use]
pub fn said_by_model(outcome: &model::Outcome) -> Said {
    Said {
        version: outcome.version.map(|version| version.to_string()),
        reason: outcome.reason.as_str().into(),
        cause: outcome.cause.as_str().into(),
        downgraded: outcome.downgraded,
    }
}

/// What the component said.
#[must_use]
pub fn said_by_component(decision: &wit::Decision) -> Said {
    match decision {
        wit::Decision::Accepted(acceptance) => Said {
            version: Some(acceptance.version.clone()),
            reason: "ok".into(),
            cause: kebab(&format!("{:?}", acceptance.cause)),
            downgraded: acceptance.downgraded,
        },
        wit::Decision::Refused(rejection) => Said {
            version: None,
            reason: kebab(&format!("{:?}", rejection.refusal)),
            cause: kebab(&format!("{:?}", rejection.cause)),
            downgraded: false,
        },
    }
}

/// `Cause::NamedBelowFloor` as `named-below-floor`.
fn kebab(debug: &str) -> String {
    let name = debug.rsplit("::").next().unwrap_or(debug);
    let mut text = String::new();
    for character in name.chars() {
        if character.is_ascii_uppercase() && !text.is_empty() {
            text.push('-');
        }
        text.push(character.to_ascii_lowercase());
    }
    text
}

/// An exchange under a facet, as the model takes it.
///
/// # Panics
/// A version of the grid that the model cannot read: a disagreement in itself.
#[must_use]
#[expect(clippy::expect_used, reason = "must stop the tests")]
pub fn to_model(facet: &GridFacet, exchange: &core::Exchange) -> model::Case {
    let protocol = match exchange.protocol {
        core::Protocol::A2a => model::Protocol::A2a,
        core::Protocol::Mcp => model::Protocol::Mcp,
    };
    let read = |text: &str| model::Version::read(protocol, text).expect("a version of the grid");
    let version = |version: core::Version| read(&version.to_string());
    model::Case {
        protocol,
        direction: match exchange.direction {
            core::Direction::Inbound => model::Direction::Inbound,
            core::Direction::Outbound => model::Direction::Outbound,
        },
        authenticated: exchange.authenticated,
        surface: match exchange.surface {
            core::Surface::A2aCall => model::Surface::A2aCall,
            core::Surface::A2aCard => model::Surface::A2aCard,
            core::Surface::McpInitialize => model::Surface::McpInitialize,
            core::Surface::McpSession => model::Surface::McpSession,
            core::Surface::McpRequest => model::Surface::McpRequest,
        },
        offered: facet.offered.iter().map(|text| read(text)).collect(),
        preferred: read(facet.preferred),
        floor: read(facet.floor),
        named: match exchange.named {
            core::Named::Nothing => model::Named::Nothing,
            core::Named::One(one) => model::Named::One(version(one)),
            core::Named::Malformed => model::Named::Malformed,
            core::Named::Ambiguous => model::Named::Ambiguous,
            core::Named::Contradiction(one) => model::Named::Contradiction(one.map(version)),
        },
        session: exchange.session.map(|session| match session {
            Some(one) => model::Session::Version(version(one)),
            None => model::Session::Malformed,
        }),
        offers: exchange.offers.iter().copied().map(version).collect(),
        answered: exchange.answered.map(|answer| match answer {
            Some(one) => model::Named::One(version(one)),
            None => model::Named::Malformed,
        }),
    }
}

/// A facet as the component takes it.
#[must_use]
pub fn to_wit_facets(facet: &GridFacet) -> wit::Facets {
    let own = |text: &&str| (*text).to_string();
    let one = wit::Facet {
        offered: facet.offered.iter().map(own).collect(),
        preferred: facet.preferred.to_string(),
        floor: facet.floor.to_string(),
    };
    match facet.protocol {
        core::Protocol::A2a => wit::Facets {
            a2a: Some(one),
            mcp: None,
        },
        core::Protocol::Mcp => wit::Facets {
            a2a: None,
            mcp: Some(one),
        },
    }
}

/// An exchange as the component takes it.
#[must_use]
pub fn to_wit(exchange: &core::Exchange) -> wit::Exchange {
    let text = |version: core::Version| version.to_string();
    wit::Exchange {
        protocol: match exchange.protocol {
            core::Protocol::A2a => wit::Protocol::A2a,
            core::Protocol::Mcp => wit::Protocol::Mcp,
        },
        direction: match exchange.direction {
            core::Direction::Inbound => wit::Direction::Inbound,
            core::Direction::Outbound => wit::Direction::Outbound,
        },
        authenticated: exchange.authenticated,
        surface: match exchange.surface {
            core::Surface::A2aCall => wit::Surface::A2aCall,
            core::Surface::A2aCard => wit::Surface::A2aCard,
            core::Surface::McpInitialize => wit::Surface::McpInitialize,
            core::Surface::McpSession => wit::Surface::McpSession,
            core::Surface::McpRequest => wit::Surface::McpRequest,
        },
        named: match exchange.named {
            core::Named::Nothing => wit::Named::Nothing,
            core::Named::One(version) => wit::Named::One(text(version)),
            core::Named::Malformed => wit::Named::Malformed,
            core::Named::Ambiguous => wit::Named::Ambiguous,
            core::Named::Contradiction(version) => wit::Named::Contradiction(version.map(text)),
        },
        session: exchange
            .session
            .map(|session| session.map_or_else(|| "broken".into(), text)),
        offers: (exchange.direction == core::Direction::Outbound)
            .then(|| exchange.offers.iter().copied().map(text).collect()),
        answered: exchange.answered.map(|answer| match answer {
            Some(version) => wit::Named::One(text(version)),
            None => wit::Named::Malformed,
        }),
    }
}
