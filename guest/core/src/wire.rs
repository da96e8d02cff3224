//! Reads what the other side named or listed, from facts as they came off the wire
//! (rulings R2–R7, R11, R16).

use alloc::borrow::Cow;
use alloc::vec::Vec;

use url::form_urlencoded;

use crate::answer::version_header;
use crate::exchange::{Direction, Exchange, Named, Surface};
use crate::json::{Number, Value};
use crate::version::{FIRST_STATELESS, Protocol, Version};

/// The member of `params._meta` that names an MCP revision.
pub const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// HTTP method of an inbound message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpMethod {
    /// A JSON-RPC message.
    Post,
    /// An agent card, or the opening of a stream.
    Get,
    /// The end of a session.
    Delete,
}

/// The JSON-RPC params of a message.
#[derive(Clone, Copy, Debug)]
pub enum Params<'a> {
    /// There are none.
    Absent,
    /// There are, but they are no JSON, or name a member twice.
    Unreadable,
    /// They are this.
    Value(&'a Value),
}

impl<'a> Params<'a> {
    fn version(self) -> Option<&'a Value> {
        self.member("protocolVersion")
    }

    fn meta_version(self) -> Option<&'a Value> {
        self.member("_meta")?.member(META_VERSION)
    }

    fn member(self, name: &str) -> Option<&'a Value> {
        match self {
            Self::Value(value) => value.member(name),
            Self::Absent | Self::Unreadable => None,
        }
    }
}

/// What this host saw of a message that reached it.
#[derive(Clone, Copy, Debug)]
pub struct Inbound<'a> {
    /// The protocol of the surface that was called.
    pub protocol: Protocol,
    /// Whether the caller's identity was proven.
    pub authenticated: bool,
    /// The HTTP method.
    pub http_method: HttpMethod,
    /// Header name and value pairs as received.
    pub headers: &'a [(&'a str, &'a str)],
    /// The raw query string.
    pub query: Option<&'a str>,
    /// The JSON-RPC method.
    pub method: Option<&'a str>,
    /// The JSON-RPC params.
    pub params: Params<'a>,
    /// MCP: the version that this session agreed on.
    pub session: Option<&'a str>,
}

/// What a peer told of the versions that it speaks.
#[derive(Clone, Copy, Debug)]
pub enum Listing<'a> {
    /// Nothing that could be read.
    Nothing,
    /// Its agent card.
    Card(&'a Value),
    /// The result of `server/discover`.
    Discover(&'a Value),
    /// Its JSON-RPC error object.
    Error(&'a Value),
    /// Versions that the host has already.
    Offers(&'a [&'a str]),
}

/// What this host knows before it calls a peer.
#[derive(Clone, Copy, Debug)]
pub struct Outbound<'a> {
    /// The protocol to be spoken.
    pub protocol: Protocol,
    /// Whether this host acts under its own proven identity.
    pub authenticated: bool,
    /// The version to ask for; the preferred one when absent.
    pub requested: Option<&'a str>,
    /// What the peer lists.
    pub listing: Listing<'a>,
    /// MCP: the result of `initialize`, once answered; `Some(None)` when it is no JSON.
    pub initialize: Option<Option<&'a Value>>,
}

/// Reads an inbound message.
#[must_use]
pub fn read_inbound(message: &Inbound<'_>) -> Exchange {
    let protocol = message.protocol;
    let is_initialize = message.method == Some("initialize");
    let session = message
        .session
        .filter(|_| protocol == Protocol::Mcp)
        .map(|session| Version::parse(protocol, session));
    let (surface, named) = match protocol {
        Protocol::A2a if message.http_method == HttpMethod::Get => {
            (Surface::A2aCard, named_a2a(message))
        }
        Protocol::A2a => (Surface::A2aCall, named_a2a(message)),
        Protocol::Mcp if is_initialize => (Surface::McpInitialize, named_initialize(message)),
        Protocol::Mcp if session.is_some() => (Surface::McpSession, named_mcp(message)),
        Protocol::Mcp => (Surface::McpRequest, named_mcp(message)),
    };
    Exchange {
        protocol,
        direction: Direction::Inbound,
        authenticated: message.authenticated,
        surface,
        named,
        session,
        offers: Vec::new(),
        answered: None,
    }
}

/// Reads what is known before an outbound call.
#[must_use]
pub fn read_outbound(message: &Outbound<'_>) -> Exchange {
    let protocol = message.protocol;
    let named = match message.requested {
        None => Named::Nothing,
        Some(text) => single(protocol, text),
    };
    let mut offers = Vec::new();
    each_listed(protocol, message.listing, |text| {
        offers.extend(Version::parse_wire(protocol, text));
    });
    // A list may be as long as a message: sorting keeps copies from costing its square.
    offers.sort_unstable_by(|a, b| b.cmp(a));
    offers.dedup();
    let answered = message
        .initialize
        .map(|result| Version::parse(protocol, result?.member("protocolVersion")?.as_str()?));
    Exchange {
        protocol,
        direction: Direction::Outbound,
        authenticated: message.authenticated,
        surface: match protocol {
            Protocol::A2a => Surface::A2aCall,
            Protocol::Mcp => Surface::McpRequest,
        },
        named,
        session: None,
        offers,
        answered,
    }
}

fn single(protocol: Protocol, text: &str) -> Named {
    Version::parse_wire(protocol, text).map_or(Named::Malformed, Named::One)
}

/// What the header values of a message come to: identical copies are one (R7).
enum Header<'a> {
    Absent,
    One(Cow<'a, str>),
    Several,
}

fn header<'a>(message: &Inbound<'a>) -> Header<'a> {
    let name = version_header(message.protocol);
    let values = message
        .headers
        .iter()
        .filter(|(header, _)| header.eq_ignore_ascii_case(name))
        .map(|(_, value)| Cow::Borrowed(*value));
    let query = message
        .query
        .filter(|_| message.protocol == Protocol::A2a)
        .unwrap_or("");
    let parameters = form_urlencoded::parse(query.as_bytes())
        .filter(|(parameter, _)| parameter.eq_ignore_ascii_case(name))
        .map(|(_, value)| value);
    // An empty A2A value names nothing; an empty MCP value is malformed.
    let keeps_empty = message.protocol == Protocol::Mcp;

    let mut found = Header::Absent;
    for value in values.chain(parameters) {
        for part in value.split(',') {
            let part = part.trim_matches([' ', '\t']);
            if part.is_empty() && !keeps_empty {
                continue;
            }
            match &found {
                Header::Absent => found = Header::One(Cow::Owned(part.into())),
                Header::One(known) if *known == part => {}
                Header::One(_) | Header::Several => return Header::Several,
            }
        }
    }
    found
}

fn named_a2a(message: &Inbound<'_>) -> Named {
    match header(message) {
        Header::Absent => Named::Nothing,
        Header::One(text) => single(Protocol::A2a, &text),
        Header::Several => Named::Ambiguous,
    }
}

/// `initialize`: whichever names are there must be the same text; negotiation happens in the body.
fn named_initialize(message: &Inbound<'_>) -> Named {
    let header = header(message);
    if matches!(header, Header::Several) {
        return Named::Ambiguous;
    }
    let header = match &header {
        Header::One(text) => Some(Some(text.as_ref())),
        Header::Absent | Header::Several => None,
    };
    let [meta, param] =
        [message.params.meta_version(), message.params.version()].map(|v| v.map(Value::as_str));
    if matches!(message.params, Params::Unreadable) {
        return unreadable(header);
    }
    // A value that is present but no string agrees with nothing, not even with its like.
    let mut present = [header, meta, param].into_iter().flatten();
    match present.next() {
        None => Named::Nothing,
        Some(first) => {
            let mut rest = present.peekable();
            if rest.peek().is_none() {
                first.map_or(Named::Malformed, |text| single(Protocol::Mcp, text))
            } else if let Some(text) = first
                && rest.all(|other| other == Some(text))
            {
                single(Protocol::Mcp, text)
            } else {
                contradiction([header, meta, param])
            }
        }
    }
}

/// Any other MCP message: from 2026-07-28 on the header and `_meta` must both stand, and agree.
fn named_mcp(message: &Inbound<'_>) -> Named {
    let header = header(message);
    let header = match &header {
        Header::Several => return Named::Ambiguous,
        Header::One(text) => Some(Some(text.as_ref())),
        Header::Absent => None,
    };
    if matches!(message.params, Params::Unreadable) {
        return unreadable(header);
    }
    let meta = message.params.meta_version().map(Value::as_str);
    match (header, meta) {
        (None, None) => Named::Nothing,
        (None, Some(_)) => contradiction([None, meta, None]),
        (Some(text), Some(other)) if text.is_none() || text != other => {
            contradiction([header, meta, None])
        }
        (Some(text), meta) => {
            let named = single(Protocol::Mcp, text.unwrap_or(""));
            let alone = meta.is_none() && message.method != Some("server/discover");
            match named {
                Named::One(version) if alone && version >= FIRST_STATELESS => {
                    Named::Contradiction(Some(version))
                }
                named => named,
            }
        }
    }
}

fn unreadable(header: Option<Option<&str>>) -> Named {
    match header {
        None => Named::Malformed,
        Some(_) => contradiction([header, None, None]),
    }
}

/// The version on record of a contradiction: the first name that is well-formed (R6).
fn contradiction(names: [Option<Option<&str>>; 3]) -> Named {
    let first = names
        .into_iter()
        .flatten()
        .flatten()
        .find_map(|text| Version::parse_wire(Protocol::Mcp, text));
    Named::Contradiction(first)
}

fn each_listed(protocol: Protocol, listing: Listing<'_>, mut found: impl FnMut(&str)) {
    match listing {
        Listing::Nothing => {}
        Listing::Offers(list) => list.iter().for_each(|text| found(text)),
        Listing::Discover(result) => each_item(result.member("supportedVersions"), &mut found),
        Listing::Card(card) => {
            match card.member("supportedInterfaces").and_then(Value::as_array) {
                // A non-empty list wins over the card's own version (R11).
                Some(interfaces) if !interfaces.is_empty() => interfaces
                    .iter()
                    .filter_map(|interface| interface.member("protocolVersion")?.as_str())
                    .for_each(found),
                _ => {
                    let version = card.member("protocolVersion").and_then(Value::as_str);
                    version.into_iter().for_each(found);
                }
            }
        }
        Listing::Error(error) => {
            let code = match error.member("code") {
                Some(Value::Number(Number::Negative(code))) => *code,
                _ => return,
            };
            let data = error.member("data");
            match (protocol, code) {
                (Protocol::A2a, -32009) => match data {
                    Some(Value::Array(details)) => details
                        .iter()
                        .filter_map(|detail| detail.member("metadata")?.member("supportedVersions"))
                        .for_each(|list| each_part(Some(list), &mut found)),
                    Some(detail) => {
                        let list = detail
                            .member("supportedVersions")
                            .or_else(|| detail.member("metadata")?.member("supportedVersions"));
                        each_item(list, &mut found);
                        each_part(list, &mut found);
                    }
                    None => {}
                },
                (Protocol::Mcp, -32022 | -32602) => {
                    each_item(data.and_then(|data| data.member("supported")), &mut found);
                }
                _ => {}
            }
        }
    }
}

/// The strings of an array.
fn each_item(list: Option<&Value>, found: &mut impl FnMut(&str)) {
    if let Some(Value::Array(items)) = list {
        items.iter().filter_map(Value::as_str).for_each(found);
    }
}

/// The parts of comma-joined text, as A2A metadata carries a list.
fn each_part(list: Option<&Value>, found: &mut impl FnMut(&str)) {
    if let Some(Value::String(joined)) = list {
        joined
            .split(',')
            .map(|part| part.trim_matches([' ', '\t']))
            .for_each(found);
    }
}

/// JSON text of the other side as typed callers hand it over; `None` when it is no JSON, or when it
/// names a member twice and so leaves open what it says.
#[must_use]
pub fn readable(text: &str) -> Option<Value> {
    Value::parse(text).filter(|value| !value.repeats_a_member())
}
