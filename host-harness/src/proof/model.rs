//! The independent model, asked in the types of this crate.

use negotiation_model as model;
pub use negotiation_model::{Outcome, Policy};
use serde_json::{Map, Value};

use crate::types::{Context, Direction, Exchange, Facet, Facets, Named, Protocol, Surface};

/// What the rules say of an exchange under a policy; none where the facets have no valid facet for
/// its protocol.
#[must_use]
pub fn expected(facets: &Facets, exchange: &Exchange, policy: Policy) -> Option<Outcome> {
    Some(model::decide(&case(facets, exchange)?, policy))
}

/// What a whole settlement must be, as text in the shape of the JSON contract, and the branches of
/// the rules that it reached. None where the facets have no valid facet for the protocol, or the
/// context is not valid.
#[must_use]
pub fn settled(
    facets: &Facets,
    exchange: &Exchange,
    context: &Context,
    policy: Policy,
) -> Option<model::Told> {
    let case = case(facets, exchange)?;
    model::settle_case(&case, &context_value(context), policy).ok()
}

/// A version in the grammar of its protocol, as the model orders them.
pub(crate) fn version(of: Protocol, text: &str) -> Option<model::Version> {
    model::Version::read(protocol(of), text)
}

/// An exchange under its facet, as the model takes it.
#[must_use]
pub fn case(facets: &Facets, exchange: &Exchange) -> Option<model::Case> {
    let protocol = protocol(exchange.protocol);
    let read = |text: &String| version(exchange.protocol, text);
    let named = |named: &Named| match named {
        Named::Nothing => model::Named::Nothing,
        Named::One(text) => read(text).map_or(model::Named::Malformed, model::Named::One),
        Named::Malformed => model::Named::Malformed,
        Named::Ambiguous => model::Named::Ambiguous,
        Named::Contradiction(text) => model::Named::Contradiction(text.as_ref().and_then(read)),
    };
    let facet = facet(facets, exchange.protocol)?;
    Some(model::Case {
        protocol,
        direction: match exchange.direction {
            Direction::Inbound => model::Direction::Inbound,
            Direction::Outbound => model::Direction::Outbound,
        },
        authenticated: exchange.authenticated,
        surface: match exchange.surface {
            Surface::A2aCall => model::Surface::A2aCall,
            Surface::A2aCard => model::Surface::A2aCard,
            Surface::McpInitialize => model::Surface::McpInitialize,
            Surface::McpSession => model::Surface::McpSession,
            Surface::McpRequest => model::Surface::McpRequest,
        },
        offered: facet.offered.iter().map(read).collect::<Option<_>>()?,
        preferred: read(&facet.preferred)?,
        floor: read(&facet.floor)?,
        named: named(&exchange.named),
        session: exchange
            .session
            .as_ref()
            .map(|text| read(text).map_or(model::Session::Malformed, model::Session::Version)),
        offers: exchange.offers.iter().flatten().filter_map(read).collect(),
        answered: exchange.answered.as_ref().map(named),
    })
}

pub(super) const fn protocol(protocol: Protocol) -> model::Protocol {
    match protocol {
        Protocol::A2a => model::Protocol::A2a,
        Protocol::Mcp => model::Protocol::Mcp,
    }
}

/// The facet of a protocol.
pub(crate) const fn facet(facets: &Facets, protocol: Protocol) -> Option<&Facet> {
    match protocol {
        Protocol::A2a => facets.a2a.as_ref(),
        Protocol::Mcp => facets.mcp.as_ref(),
    }
}

/// A context in the shape of the JSON contract.
#[must_use]
pub fn context_value(context: &Context) -> Value {
    let mut members = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            members.insert(name.to_owned(), value);
        }
    };
    let text = |text: &Option<String>| text.clone().map(Value::from);
    put("at", Some(context.at.clone().into()));
    put("peerUrl", text(&context.peer_url));
    if let Some(subject) = &context.subject {
        put("tenant", Some(subject.tenant.clone().into()));
        put("workspace", text(&subject.workspace));
    }
    put("runId", text(&context.run_id));
    put("sequence", context.sequence.map(Value::from));
    put("eventId", text(&context.event_id));
    Value::Object(members)
}
