//! The words of a decision: the case, the policy, the outcome.

use crate::branch::Branches;
use crate::version::{Protocol, Version};

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The other side calls this host.
    Inbound,
    /// This host calls the other side.
    Outbound,
}

/// The kind of message that is being answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Surface {
    /// A2A: any call.
    A2aCall,
    /// A2A: an inbound GET of the agent card.
    A2aCard,
    /// MCP: an inbound `initialize`.
    McpInitialize,
    /// MCP: an inbound message inside a session.
    McpSession,
    /// MCP: any other message.
    McpRequest,
}

/// Which version was named, or why there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Named {
    /// Nothing.
    Nothing,
    /// One version.
    One(Version),
    /// One text outside the grammar.
    Malformed,
    /// Several header values.
    Ambiguous,
    /// Names that disagree, with the one that goes on record (R6).
    Contradiction(Option<Version>),
}

/// The version that a session agreed on earlier, as the host gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Session {
    /// A version.
    Version(Version),
    /// Text outside the grammar.
    Malformed,
}

/// All that a decision depends on, but for the policy.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Case {
    /// The protocol spoken.
    pub protocol: Protocol,
    /// Who asks.
    pub direction: Direction,
    /// Whether the peer's identity was proven.
    pub authenticated: bool,
    /// The kind of message.
    pub surface: Surface,
    /// Every version that this host offers, in any order, without duplicates.
    pub offered: Vec<Version>,
    /// One of `offered`.
    pub preferred: Version,
    /// One of `offered`, not above `preferred`.
    pub floor: Version,
    /// Inbound what was named, outbound what is asked for (`Nothing` is preferred).
    pub named: Named,
    /// MCP inbound: the session's version. Not looked at elsewhere.
    pub session: Option<Session>,
    /// Outbound: every well-formed version that the peer listed. Not looked at inbound.
    pub offers: Vec<Version>,
    /// MCP outbound: the version of the `initialize` answer. Not looked at elsewhere.
    pub answered: Option<Named>,
}

/// A policy to decide under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Policy {
    /// Grants the best candidate.
    Highest,
    /// Grants what was asked for if it is a candidate, else denies.
    Exact,
    /// Denies.
    DenyAll,
    /// Fails.
    Fails,
    /// Grants something that is not a candidate.
    GrantOutside,
}

/// The reason on record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Accepted.
    Ok,
    /// Refused: it would have landed below the floor.
    BelowFloor,
    /// Refused: no usable version.
    Unsupported,
    /// Refused: it takes a credential.
    Unauthenticated,
}

impl Reason {
    /// The name on record.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::BelowFloor => "below-floor",
            Self::Unsupported => "unsupported",
            Self::Unauthenticated => "unauthenticated",
        }
    }
}

macro_rules! causes {
    ($($name:ident = $text:literal,)+) => {
        /// Why, finer than a reason.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Cause {
            $(#[doc = concat!("`", $text, "`")] $name,)+
        }

        impl Cause {
            /// The name in an answer.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }
        }
    };
}

causes! {
    Exact = "exact",
    Default = "default",
    Session = "session",
    Common = "common",
    CounterOffer = "counter-offer",
    Answered = "answered",
    NamedBelowFloor = "named-below-floor",
    SessionBelowFloor = "session-below-floor",
    OffersBelowFloor = "offers-below-floor",
    AnswerBelowFloor = "answer-below-floor",
    Malformed = "malformed",
    Ambiguous = "ambiguous",
    HeaderBodyMismatch = "header-body-mismatch",
    SessionChanged = "session-changed",
    NotNamed = "not-named",
    NotOffered = "not-offered",
    NoHandshake = "no-handshake",
    NoOffers = "no-offers",
    NoCommon = "no-common",
    AnswerUnusable = "answer-unusable",
    PolicyDenied = "policy-denied",
    PolicyFailed = "policy-failed",
    PolicyBrokeContract = "policy-broke-contract",
    CredentialMissing = "credential-missing",
    CredentialRequired = "credential-required",
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The version agreed on; none on a refusal.
    pub version: Option<Version>,
    /// The reason on record; [`Reason::Ok`] exactly when there is a version.
    pub reason: Reason,
    /// The cause.
    pub cause: Cause,
    /// The version that goes on record as requested.
    pub requested: Option<Version>,
    /// Whether `version` is below `requested`.
    pub downgraded: bool,
    /// What a policy sees as asked.
    pub asked: Version,
    /// What the policy was given to choose from, best first; empty if it was not asked.
    pub candidates: Vec<Version>,
    /// The branches reached.
    pub branches: Branches,
}

impl Case {
    pub(crate) fn is_offered(&self, version: Version) -> bool {
        self.offered.contains(&version)
    }

    /// The session that a message stands in: only of MCP, and never of `initialize`.
    pub(crate) fn session(&self) -> Option<Session> {
        let looked_at = self.protocol == Protocol::Mcp
            && self.direction == Direction::Inbound
            && self.surface != Surface::McpInitialize;
        self.session.filter(|_| looked_at)
    }

    pub(crate) fn session_version(&self) -> Option<Version> {
        match self.session() {
            Some(Session::Version(version)) => Some(version),
            _ => None,
        }
    }

    pub(crate) fn answered(&self) -> Option<Named> {
        let looked_at = self.protocol == Protocol::Mcp && self.direction == Direction::Outbound;
        self.answered.filter(|_| looked_at)
    }

    /// What a policy sees as asked.
    pub(crate) fn asked(&self) -> Version {
        match self.named {
            Named::One(version) => version,
            _ => self.session_version().unwrap_or(self.preferred),
        }
    }

    /// What goes on record as requested.
    pub(crate) fn requested(&self) -> Option<Version> {
        match (self.direction, self.named) {
            (_, Named::One(version)) => Some(version),
            (Direction::Inbound, Named::Contradiction(version)) => version,
            (Direction::Outbound, Named::Nothing) => Some(self.preferred),
            _ => None,
        }
    }
}
