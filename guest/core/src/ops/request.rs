//! Reads the shared members of requests: facets, exchange, context.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::{Configured, OpError};
use crate::exchange::{Direction, Exchange};
use crate::facet::{Facet, FacetText, Fault, Member, Posture, member_names};
use crate::instant;
use crate::json::{BadRequest, Object, Value};
use crate::record::{Context, Subject, check_workspace};
use crate::version::Protocol;
use crate::wire::{self, HttpMethod, Inbound, Listing, Outbound, Params};

/// The posture of a request: its own facets, else the configured ones.
pub(super) fn posture<'c>(
    request: &Object<'_>,
    configured: Configured<'c>,
) -> Result<Cow<'c, Posture>, OpError> {
    match (request.get("facets"), configured) {
        (Some(facets), _) => Ok(Cow::Owned(read_posture(facets, Freshness::Ignored)?)),
        (None, Some(posture)) => Ok(Cow::Borrowed(posture)),
        (None, None) => Err(request.bad("facets", "is missing").into()),
    }
}

/// Whether `refreshedAt` is asked for: a decision does not depend on it (R13), a whole facet has it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// Leave it alone.
    Ignored,
    /// It must be there, and a date.
    Required,
}

/// Reads facets: a discovery document, or just its `a2a` and `mcp` members.
pub(super) fn read_posture(facets: &Value, freshness: Freshness) -> Result<Posture, OpError> {
    let facets = Object::open("facets", facets)?;
    for protocol in [Protocol::A2a, Protocol::Mcp] {
        // A member named twice would leave open which of the two decides.
        if let Some(facet @ Value::Object(_)) = facets.get(protocol.name()) {
            Object::open(&facets.path(protocol.name()), facet)?;
        }
    }
    let mut faults = Vec::new();
    let mut one = |protocol: Protocol| {
        facets.get(protocol.name()).and_then(|facet| {
            read_facet(protocol, facet, freshness)
                .map_err(|found| faults.extend(found))
                .ok()
        })
    };
    let posture = Posture {
        a2a: one(Protocol::A2a),
        mcp: one(Protocol::Mcp),
    };
    if faults.is_empty() && posture == Posture::default() {
        faults.push(Fault::new("facets", "empty"));
    }
    if faults.is_empty() {
        Ok(posture)
    } else {
        Err(OpError::InvalidFacets(faults))
    }
}

/// Reads one facet of a discovery document; every fault of it.
pub(crate) fn read_facet(
    protocol: Protocol,
    value: &Value,
    freshness: Freshness,
) -> Result<Facet, Vec<Fault>> {
    let path = protocol.name();
    if !matches!(value, Value::Object(_)) {
        return Err(Vec::from([Fault::new(path, "not-an-object")]));
    }
    let names = member_names(protocol);
    let text = |name| match value.member(name) {
        None => Member::Missing,
        Some(Value::String(text)) => Member::Given(text.as_str()),
        Some(_) => Member::WrongType,
    };
    let entries: Vec<_> = match value.member(names.offered) {
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| item.as_str().map_or(Member::WrongType, Member::Given))
            .collect(),
        _ => Vec::new(),
    };
    let offered = match value.member(names.offered) {
        None => Member::Missing,
        Some(Value::Array(_)) => Member::Given(entries.as_slice()),
        Some(_) => Member::WrongType,
    };
    let checked = Facet::check(
        protocol,
        FacetText {
            offered,
            preferred: text(names.preferred),
            floor: text(names.floor),
        },
    );
    let refreshed_at = match text("refreshedAt") {
        _ if freshness == Freshness::Ignored => None,
        Member::Missing => Some("missing"),
        Member::WrongType => Some("not-a-string"),
        Member::Given(date) => (!instant::is_date(date)).then_some("malformed"),
    };
    let Some(problem) = refreshed_at else {
        return checked;
    };
    let mut faults = checked.err().unwrap_or_default();
    faults.push(Fault::new(&format!("{path}.refreshedAt"), problem));
    Err(faults)
}

/// Reads `exchange`; a protocol without a facet has no posture to decide under.
pub(super) fn exchange(request: &Object<'_>, posture: &Posture) -> Result<Exchange, OpError> {
    let exchange = read_exchange(request.need("exchange")?)?;
    if posture.facet(exchange.protocol).is_none() {
        let fault = Fault::new(exchange.protocol.name(), "missing");
        return Err(OpError::InvalidFacets(Vec::from([fault])));
    }
    Ok(exchange)
}

const ALWAYS: [&str; 3] = ["protocol", "direction", "authenticated"];
const INBOUND: [&str; 5] = ["headers", "query", "httpMethod", "method", "params"];

fn read_exchange(value: &Value) -> Result<Exchange, BadRequest> {
    const PATH: &str = "exchange";
    let object = Object::open(PATH, value)?;
    let protocol = object.need_one_of(
        "protocol",
        &[("a2a", Protocol::A2a), ("mcp", Protocol::Mcp)],
    )?;
    let direction = object.need_one_of(
        "direction",
        &[
            ("inbound", Direction::Inbound),
            ("outbound", Direction::Outbound),
        ],
    )?;
    let own: &[&str] = match (direction, protocol) {
        (Direction::Inbound, Protocol::A2a) => &[],
        (Direction::Inbound, Protocol::Mcp) => &["session"],
        (Direction::Outbound, Protocol::A2a) => &["requested", "card", "error", "offers"],
        (Direction::Outbound, Protocol::Mcp) => {
            &["requested", "discover", "error", "offers", "initialize"]
        }
    };
    let shared: &[&str] = if direction == Direction::Inbound {
        &INBOUND
    } else {
        &[]
    };
    let known: Vec<_> = ALWAYS.iter().chain(shared).chain(own).copied().collect();
    let object = Object::read(PATH, value, &known)?;
    let authenticated = object.need_bool("authenticated")?;
    match direction {
        Direction::Inbound => read_inbound(&object, protocol, authenticated),
        Direction::Outbound => read_outbound(&object, protocol, authenticated),
    }
}

fn read_inbound(
    object: &Object<'_>,
    protocol: Protocol,
    authenticated: bool,
) -> Result<Exchange, BadRequest> {
    let http_method = match object.get("httpMethod") {
        None => HttpMethod::Post,
        Some(given) => object.one_of(
            "httpMethod",
            given,
            &[
                ("GET", HttpMethod::Get),
                ("POST", HttpMethod::Post),
                ("DELETE", HttpMethod::Delete),
            ],
        )?,
    };
    let headers = read_headers(object)?;
    Ok(wire::read_inbound(&Inbound {
        protocol,
        authenticated,
        http_method,
        headers: &headers,
        query: object.text("query")?,
        method: object.text("method")?,
        params: object
            .foreign("params")?
            .map_or(Params::Absent, Params::Value),
        session: object.text("session")?,
    }))
}

fn read_headers<'a>(object: &Object<'a>) -> Result<Vec<(&'a str, &'a str)>, BadRequest> {
    let Some(value) = object.get("headers") else {
        return Ok(Vec::new());
    };
    let Value::Array(items) = value else {
        return Err(object.bad("headers", "must be an array of [name, value] pairs"));
    };
    let mut headers = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        match item.as_array() {
            Some([Value::String(name), Value::String(value)]) => {
                headers.push((name.as_str(), value.as_str()));
            }
            _ => {
                let problem = "must be an array of two strings";
                return Err(object.bad(&format!("headers[{index}]"), problem));
            }
        }
    }
    Ok(headers)
}

fn read_outbound(
    object: &Object<'_>,
    protocol: Protocol,
    authenticated: bool,
) -> Result<Exchange, BadRequest> {
    let sources = ["card", "discover", "error", "offers"];
    if sources
        .iter()
        .filter(|name| object.get(name).is_some())
        .count()
        > 1
    {
        let problem = "must have at most one of card, discover, error, offers";
        return Err(BadRequest::new("exchange", problem));
    }
    let initialize = object.foreign("initialize")?;
    if initialize.is_some() && object.get("error").is_some() {
        return Err(object.bad("initialize", "must not stand beside error"));
    }
    let offers = read_offers(object)?;
    let listing = if let Some(card) = object.foreign("card")? {
        Listing::Card(card)
    } else if let Some(result) = object.foreign("discover")? {
        Listing::Discover(result)
    } else if let Some(error) = object.foreign("error")? {
        Listing::Error(error)
    } else {
        offers.as_deref().map_or(Listing::Nothing, Listing::Offers)
    };
    Ok(wire::read_outbound(&Outbound {
        protocol,
        authenticated,
        requested: object.text("requested")?,
        listing,
        initialize: initialize.map(Some),
    }))
}

fn read_offers<'a>(object: &Object<'a>) -> Result<Option<Vec<&'a str>>, BadRequest> {
    let Some(value) = object.get("offers") else {
        return Ok(None);
    };
    let Value::Array(items) = value else {
        return Err(object.bad("offers", "must be an array of strings"));
    };
    let mut offers = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let text = item.as_str();
        offers
            .push(text.ok_or_else(|| object.bad(&format!("offers[{index}]"), "must be a string"))?);
    }
    Ok(Some(offers))
}

/// Reads and checks `context`.
pub(super) fn context(request: &Object<'_>) -> Result<Context, OpError> {
    let known = [
        "at",
        "peerUrl",
        "tenant",
        "workspace",
        "runId",
        "sequence",
        "eventId",
    ];
    let object = Object::read("context", request.need("context")?, &known)?;
    let text = |name| object.text(name).map(|text| text.map(ToString::to_string));
    let (tenant, workspace) = (text("tenant")?, text("workspace")?);
    check_workspace(workspace.as_deref())?;
    let context = Context {
        at: object.need_text("at")?.to_string(),
        peer_url: text("peerUrl")?,
        // A workspace without a tenant belongs to nobody, but its grammar is checked all the same.
        subject: tenant.map(|tenant| Subject { tenant, workspace }),
        run_id: text("runId")?,
        sequence: object.integer("sequence", 0, u64::MAX)?,
        event_id: text("eventId")?,
    };
    context.check()?;
    Ok(context)
}
