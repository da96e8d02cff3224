//! A whole exchange: whichever direction, and the surface.

use serde_json::{Map, Value};

use crate::branch::Branches;
use crate::case::{Case, Direction, Session, Surface};
use crate::named;
use crate::peer;
use crate::request::{Facet, object, text};
use crate::version::{Protocol, Version};

pub(crate) type Exchange = Map<String, Value>;

/// The protocol of a request.
pub(crate) fn protocol(request: &Value) -> Result<Protocol, String> {
    match object(request, "exchange")?
        .get("protocol")
        .and_then(Value::as_str)
    {
        Some("a2a") => Ok(Protocol::A2a),
        Some("mcp") => Ok(Protocol::Mcp),
        _ => Err("exchange.protocol: must be a2a or mcp".to_owned()),
    }
}

/// Reads a whole exchange.
pub(crate) fn exchange(request: &Value, facet: Facet, tags: &mut Branches) -> Result<Case, String> {
    let protocol = protocol(request)?;
    let exchange = object(request, "exchange")?;
    let direction = match exchange.get("direction").and_then(Value::as_str) {
        Some("inbound") => Direction::Inbound,
        Some("outbound") => Direction::Outbound,
        _ => return Err("exchange.direction: must be inbound or outbound".to_owned()),
    };
    let authenticated = exchange
        .get("authenticated")
        .and_then(Value::as_bool)
        .ok_or("exchange.authenticated: must be true or false")?;
    let session = text(exchange, "session")?
        .map(|text| Version::read(protocol, &text).map_or(Session::Malformed, Session::Version));
    let surface = surface(protocol, direction, exchange, session.is_some());

    let inbound = direction == Direction::Inbound;
    Ok(Case {
        protocol,
        direction,
        authenticated,
        surface,
        offered: facet.offered,
        preferred: facet.preferred,
        floor: facet.floor,
        named: match (direction, protocol) {
            (Direction::Inbound, Protocol::A2a) => named::a2a(exchange, tags)?,
            (Direction::Inbound, Protocol::Mcp) => named::mcp(exchange, surface, tags)?,
            (Direction::Outbound, _) => peer::requested(exchange, protocol, tags)?,
        },
        session,
        offers: if inbound {
            Vec::new()
        } else {
            peer::offers(exchange, protocol, tags)
        },
        answered: if inbound {
            None
        } else {
            peer::answered(exchange, tags)
        },
    })
}

fn surface(
    protocol: Protocol,
    direction: Direction,
    exchange: &Exchange,
    session: bool,
) -> Surface {
    let inbound = direction == Direction::Inbound;
    let get = exchange.get("httpMethod").and_then(Value::as_str) == Some("GET");
    match protocol {
        Protocol::A2a if inbound && get => Surface::A2aCard,
        Protocol::A2a => Surface::A2aCall,
        Protocol::Mcp if inbound && method(exchange) == Some("initialize") => {
            Surface::McpInitialize
        }
        Protocol::Mcp if inbound && session => Surface::McpSession,
        Protocol::Mcp => Surface::McpRequest,
    }
}

pub(crate) fn method(exchange: &Exchange) -> Option<&str> {
    exchange.get("method").and_then(Value::as_str)
}
