//! The branches of the rules, each with a tag.

use std::ops::BitOr;

macro_rules! branches {
    ($($name:ident = $tag:literal,)+) => {
        /// One branch of the rules that a case can reach.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Branch {
            $(#[doc = concat!("`", $tag, "`")] $name,)+
        }

        /// The tags of all branches, in the order of [`Branch`].
        pub const BRANCHES: &[&str] = &[$($tag),+];
    };
}

branches! {
    // Reading, inbound.
    HeaderSplit = "read.header.split",
    HeaderTrimmed = "read.header.trimmed",
    HeaderCopies = "read.header.copies",
    A2aEmptyDropped = "read.a2a.empty-dropped",
    A2aQuery = "read.a2a.query",
    A2aNothing = "read.a2a.nothing",
    A2aOne = "read.a2a.one",
    A2aPatchCut = "read.a2a.patch-cut",
    A2aMalformed = "read.a2a.malformed",
    A2aAmbiguous = "read.a2a.ambiguous",
    InitializeNothing = "read.initialize.nothing",
    InitializeOne = "read.initialize.one",
    InitializeMalformed = "read.initialize.malformed",
    InitializeNotText = "read.initialize.not-text",
    InitializeAmbiguous = "read.initialize.ambiguous",
    InitializeContradiction = "read.initialize.contradiction",
    McpNothing = "read.mcp.nothing",
    McpOne = "read.mcp.one",
    McpMalformed = "read.mcp.malformed",
    McpBlank = "read.mcp.blank",
    McpAmbiguous = "read.mcp.ambiguous",
    McpHeaderMissing = "read.mcp.header-missing-meta-present",
    McpDisagree = "read.mcp.header-meta-disagree",
    McpMetaNotText = "read.mcp.meta-not-text",
    McpMetaMissing = "read.mcp.meta-missing",
    McpDiscoverMetaMissing = "read.mcp.discover-meta-missing",
    R6Header = "R6.header",
    R6Meta = "R6.meta",
    R6Params = "R6.params",
    R6None = "R6.none",
    // Reading, outbound.
    RequestedOne = "read.requested.one",
    RequestedDefault = "read.requested.default",
    RequestedMalformed = "read.requested.malformed",
    CardInterfaces = "read.peer.card-interfaces",
    CardTopLevel = "read.peer.card-top-level",
    Discover = "read.peer.discover",
    ErrorA2aArray = "read.peer.error-a2a-array",
    ErrorA2aObject = "read.peer.error-a2a-object",
    ErrorA2aMetadata = "read.peer.error-a2a-object-metadata",
    ErrorMcp = "read.peer.error-mcp",
    ErrorOther = "read.peer.error-other",
    Offers = "read.peer.offers",
    PeerNothing = "read.peer.nothing",
    PeerJoined = "read.peer.joined",
    PeerSkipped = "read.peer.entry-skipped",
    PeerPatchCut = "read.peer.patch-cut",
    AnswerOne = "read.answered.one",
    AnswerMalformed = "read.answered.malformed",
    AnswerNothing = "read.answered.nothing",
    // The decision, inbound.
    Inbound1 = "inbound.1.ambiguous",
    Inbound2 = "inbound.2.header-body-mismatch",
    Inbound3 = "inbound.3.malformed",
    Inbound4 = "inbound.4.named-below-floor",
    Inbound5 = "inbound.5.session-malformed",
    Inbound6 = "inbound.6.session-below-floor",
    Inbound7 = "inbound.7.session-changed",
    Inbound8 = "inbound.8.not-named",
    Inbound9NotOffered = "inbound.9.not-offered",
    Inbound9NoHandshake = "inbound.9.no-handshake-revision",
    Inbound9Preferred = "inbound.9.preferred-no-handshake-revision",
    Inbound10Named = "inbound.10.named-not-offered",
    Inbound10Session = "inbound.10.session-not-offered",
    Inbound11Named = "inbound.11.named",
    Inbound11Session = "inbound.11.session",
    Inbound11Initialize = "inbound.11.initialize-default",
    Inbound11A2a = "inbound.11.a2a-default",
    R1CounterOffer = "R1.counter-offer",
    R1Newer = "R1.newer-than-named",
    R1NoHandshake = "R1.no-handshake",
    // The decision, outbound.
    Outbound1 = "outbound.1.malformed",
    Outbound2 = "outbound.2.named-below-floor",
    Outbound3 = "outbound.3.not-offered",
    Outbound4 = "outbound.4.answer-not-a-version",
    Outbound5 = "outbound.5.answer-below-floor",
    Outbound6NoHandshake = "outbound.6.answer-no-handshake-revision",
    Outbound6NotOffered = "outbound.6.answer-not-offered",
    Outbound6NotListed = "outbound.6.answer-not-listed",
    Outbound7 = "outbound.7.answered",
    Outbound8 = "outbound.8.no-offers",
    Outbound9 = "outbound.9.common",
    Outbound10 = "outbound.10.offers-below-floor",
    Outbound11 = "outbound.11.no-common",
    // The decision, both.
    AuthNoneStruck = "auth.none-struck",
    AuthSomeStruck = "auth.some-struck",
    AuthAllStruck = "auth.all-struck",
    PolicyGranted = "policy.granted",
    PolicyDenied = "policy.denied",
    PolicyBroke = "policy.broke-contract",
    PolicyFailed = "policy.failed",
    AcceptedSession = "accepted.session",
    AcceptedAnswered = "accepted.answered",
    AcceptedCounterOffer = "accepted.counter-offer",
    AcceptedDefault = "accepted.default",
    AcceptedExact = "accepted.exact",
    AcceptedCommon = "accepted.common",
    Downgraded = "accepted.downgraded",
    R9 = "R9.newer-than-asked",
    CredentialRequired = "refuse.credential-required",
    NotDurable = "refuse.record-not-durable",
    // The record.
    PeerDigest = "record.peer-digest",
    PeerOpaque = "record.peer-opaque",
    RunEvent = "record.run-event",
    HostEvent = "record.host-event",
    NoEvent = "record.no-event",
    Audience = "record.audience",
    AudienceWorkspace = "record.audience-workspace",
    Nobody = "record.nobody",
    // The answer.
    AnswerAccepted = "answer.accepted",
    AnswerOutbound = "answer.outbound-refusal",
    AnswerUnauthenticated = "answer.401",
    AnswerA2aCall = "answer.a2a-call.-32009",
    AnswerA2aCard = "answer.a2a-card.-32009",
    AnswerInitialize = "answer.mcp-initialize.-32602",
    AnswerInitializeMismatch = "answer.mcp-initialize.-32020",
    AnswerSession = "answer.mcp-session.-32600",
    AnswerSessionMismatch = "answer.mcp-session.-32020",
    AnswerRequest = "answer.mcp-request.-32022",
    AnswerRequestMismatch = "answer.mcp-request.-32020",
    AnswerNotDurable = "answer.503.-32603",
    SupportedCut = "answer.supported-cut-to-preferred",
}

const _: () = assert!(BRANCHES.len() <= 128, "a set of branches has 128 bits");

/// A set of branches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Branches(
    /// One bit for each branch, the first of [`BRANCHES`] lowest.
    pub u128,
);

impl Branches {
    /// Adds a branch.
    pub fn reach(&mut self, branch: Branch) {
        self.0 |= bit(branch as u32);
    }

    /// Whether a branch was reached.
    pub fn reached(self, branch: Branch) -> bool {
        self.0 & bit(branch as u32) != 0
    }

    /// The tags of the branches reached, in the order of [`BRANCHES`].
    pub fn tags(self) -> Vec<&'static str> {
        (0..)
            .zip(BRANCHES)
            .filter(|(index, _)| self.0 & bit(*index) != 0)
            .map(|(_, tag)| *tag)
            .collect()
    }
}

impl BitOr for Branches {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

fn bit(index: u32) -> u128 {
    1_u128.checked_shl(index).unwrap_or(0)
}
