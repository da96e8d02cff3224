//! What was read from the wire, and all that a decision depends on.

use alloc::vec::Vec;

use serde::Serialize;

use crate::version::{Protocol, Version};

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// The other side calls this host.
    Inbound,
    /// This host calls the other side.
    Outbound,
}

/// The kind of message that is being answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Surface {
    /// A2A: a JSON-RPC call, or any call outbound.
    A2aCall,
    /// A2A: a GET of the agent card.
    A2aCard,
    /// MCP: `initialize`.
    McpInitialize,
    /// MCP: a message inside a session.
    McpSession,
    /// MCP: any other message, and any call outbound.
    McpRequest,
}

/// Which version the other side named, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Named {
    /// Nothing was named.
    Nothing,
    /// Exactly one version.
    One(Version),
    /// One text, but not in the grammar (R2).
    Malformed,
    /// Several different values (R7).
    Ambiguous,
    /// Header and body disagree, or one is missing where both must stand (R5, R16); with the name
    /// that goes on record (R6).
    Contradiction(Option<Version>),
}

impl Named {
    /// The version that goes on record as requested, if one was named.
    #[must_use]
    pub const fn on_record(self) -> Option<Version> {
        match self {
            Self::One(version) => Some(version),
            Self::Contradiction(version) => version,
            Self::Nothing | Self::Malformed | Self::Ambiguous => None,
        }
    }
}

/// One exchange, as read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Exchange {
    /// The protocol spoken.
    pub protocol: Protocol,
    /// Who asks.
    pub direction: Direction,
    /// Whether the peer's identity was proven (RFC 0175 §D.1).
    pub authenticated: bool,
    /// The kind of message.
    pub surface: Surface,
    /// Inbound: what the caller named. Outbound: what this host asks for, `Nothing` standing for
    /// the preferred version.
    pub named: Named,
    /// MCP inbound: the version of the session; `Some(None)` when its text is malformed.
    pub session: Option<Option<Version>>,
    /// Outbound: the versions that the peer listed.
    pub offers: Vec<Version>,
    /// MCP outbound: the version in the `initialize` answer; `Some(None)` when there is none in it
    /// that can be read.
    pub answered: Option<Option<Version>>,
}

impl Exchange {
    /// The version that goes on record as requested, if one was named. What this host asks for
    /// cannot contradict itself: an outbound contradiction asks for nothing that could be recorded.
    #[must_use]
    pub const fn named_on_record(&self) -> Option<Version> {
        match (self.direction, self.named) {
            (Direction::Outbound, Named::Contradiction(_)) => None,
            (_, named) => named.on_record(),
        }
    }

    /// The `initialize` answer, where one can be: MCP outbound.
    #[must_use]
    pub fn answer(&self) -> Option<Option<Version>> {
        let looked_at = self.protocol == Protocol::Mcp && self.direction == Direction::Outbound;
        self.answered.filter(|_| looked_at)
    }
}
