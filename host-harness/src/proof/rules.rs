//! The rules by name.

use std::fmt;

macro_rules! rules {
    ($($(#[$doc:meta])+ $rule:ident = $name:literal, $section:literal;)+) => {
        /// A rule that holds of every decision and every record, whatever a peer or a policy does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $($(#[$doc])+ $rule,)+
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &[Self] = &[$(Self::$rule),+];

            /// Its name, in lower case with hyphens.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$rule => $name),+ }
            }

            /// Where it is laid down.
            #[must_use]
            pub const fn section(self) -> &'static str {
                match self { $(Self::$rule => $section),+ }
            }
        }
    };
}

rules! {
    /// Nothing is agreed below the floor.
    Floor = "floor", "RFC 0175 §D.2";
    /// Nothing is agreed below preferred without a proven identity.
    Authentication = "authentication", "RFC 0175 §D.1";
    /// What is agreed is offered by this host, and by the peer where it told.
    Membership = "membership", "RFC 0175 §B.1";
    /// Nothing is agreed above what was asked for, but where a handshake chooses (R1, R9).
    Ceiling = "ceiling", "RFC 0175 §D";
    /// A name that cannot be read, or that contradicts another, agrees on nothing.
    OneName = "one-name", "RFC 0175 §C, R2, R5, R7";
    /// A session never changes its version.
    Session = "session", "R10";
    /// Of the legal versions the best is agreed under the default policy.
    Maximality = "maximality", "RFC 0175 §D";
    /// Where there is a legal version, one is agreed under the default policy.
    Liveness = "liveness", "RFC 0175 §D";
    /// A reason fits its cause, and an acceptance has none of a refusal's.
    Reason = "reason", "RFC 0242 §A";
    /// There is no decision without its record.
    RecordExists = "record-exists", "RFC 0175 §D.3";
    /// The record says what was decided, what was asked for, and under which floor.
    RecordTruth = "record-truth", "RFC 0242 §A.2, §A.3";
    /// The peer is on record by the digest of its origin, or not at all.
    PeerDigest = "peer-digest", "RFC 0242 §A, R8";
    /// An event is durable, of the right type, and closed.
    Durable = "durable", "RFC 0242 §B.1, §B.2";
    /// Only the owner of a proven exchange may read its record.
    Audience = "audience", "RFC 0242 §B.4";
    /// Nothing that a peer can write freely leaves.
    ContentFree = "content-free", "RFC 0242 §A";
    /// The reply says what was decided, and lists nothing that the caller could not have.
    ReplyTruth = "reply-truth", "RFC 0175 §D.2";
    /// The same input gives the same bytes, in any instance and in any order.
    Determinism = "determinism", "design §8";
    /// Proving who one is never makes it worse.
    MonotoneAuthentication = "monotone-authentication", "RFC 0175 §D.1";
    /// Raising the floor never makes anything agreed that was not.
    MonotoneFloor = "monotone-floor", "RFC 0175 §D.2";
    /// What the independent model of the rules says, byte for byte.
    Model = "model", "docs/rules.md";
    /// What a case of the corpus says.
    Corpus = "corpus", "tests/vectors";
    /// The component answers within its limits.
    Limits = "limits", "design §6";
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name(), self.section())
    }
}

/// A rule that was broken, and how. It holds no text that a component or a peer wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// What is wrong.
    pub problem: String,
}

impl Violation {
    pub(crate) fn new(rule: Rule, problem: impl Into<String>) -> Self {
        Self {
            rule,
            problem: problem.into(),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.problem)
    }
}

impl std::error::Error for Violation {}
