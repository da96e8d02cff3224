//! What a rule says of a candidate.

use alloc::string::String;
use alloc::vec::Vec;

use negotiation_core::instant::Instant;
use negotiation_core::{Direction, Protocol, Version};

/// All rules, in order.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) rules: Vec<Rule>,
    pub(crate) otherwise: Action,
}

/// Conditions, and what follows where all of them hold.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) when: When,
    pub(crate) then: Action,
    /// Grants nothing before it.
    pub(crate) from: Option<Instant>,
    /// Grants nothing from it on.
    pub(crate) until: Option<Instant>,
}

/// Whether a candidate may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// It may.
    GrantBest,
    /// It may if it is the version asked for.
    GrantExact,
    /// It may not.
    Deny,
}

/// Conditions; those left out hold.
#[derive(Debug, Default)]
pub(crate) struct When {
    pub(crate) protocol: Option<Protocol>,
    pub(crate) direction: Option<Direction>,
    pub(crate) min: Option<Version>,
    pub(crate) max: Option<Version>,
    pub(crate) tenants: Option<Vec<String>>,
    pub(crate) workspaces: Option<Vec<String>>,
    pub(crate) peer_digests: Option<Vec<String>>,
}

/// What is the same for all candidates of an exchange.
pub(crate) struct Question<'a> {
    pub(crate) protocol: Protocol,
    pub(crate) direction: Direction,
    pub(crate) asked: &'a str,
    pub(crate) tenant: Option<&'a str>,
    pub(crate) workspace: Option<&'a str>,
    pub(crate) peer_digest: Option<&'a str>,
    pub(crate) at: Option<Instant>,
}

impl Rules {
    /// Whether this candidate may be used.
    pub(crate) fn allow(&self, question: &Question<'_>, candidate: &str) -> bool {
        // No rule can be trusted to have looked at a version that cannot be read.
        let Some(version) = Version::parse(question.protocol, candidate) else {
            return false;
        };
        let first = self
            .rules
            .iter()
            .find(|rule| rule.when.hold(question, version));
        let action = match first {
            None => self.otherwise,
            Some(rule) if rule.in_time(question.at) => rule.then,
            Some(_) => Action::Deny,
        };
        match action {
            Action::GrantBest => true,
            Action::GrantExact => candidate == question.asked,
            Action::Deny => false,
        }
    }
}

impl Rule {
    /// Whether it may grant at this instant. An unknown instant lies in no time that has an end.
    fn in_time(&self, at: Option<Instant>) -> bool {
        let begun = |from: Instant| at.is_some_and(|at| at >= from);
        let not_over = |until: Instant| at.is_some_and(|at| at < until);
        self.from.is_none_or(begun) && self.until.is_none_or(not_over)
    }
}

impl When {
    fn hold(&self, question: &Question<'_>, version: Version) -> bool {
        // Versions of two protocols have no order, so the protocol is looked at first.
        self.protocol
            .is_none_or(|protocol| protocol == question.protocol)
            && self
                .direction
                .is_none_or(|direction| direction == question.direction)
            && self.min.is_none_or(|min| version >= min)
            && self.max.is_none_or(|max| version <= max)
            && among(self.tenants.as_deref(), question.tenant)
            && among(self.workspaces.as_deref(), question.workspace)
            && among(self.peer_digests.as_deref(), question.peer_digest)
    }
}

/// Whether a list, if there is one, has the text; nothing is in no list.
fn among(list: Option<&[String]>, text: Option<&str>) -> bool {
    list.is_none_or(|list| text.is_some_and(|text| list.iter().any(|item| item == text)))
}
