//! Which records somebody wants to see.

use super::{Facts, Record};

/// Conditions on records; all of those that are given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// `a2a` or `mcp`.
    pub protocol: Option<String>,
    /// `accepted` or `refused`.
    pub outcome: Option<String>,
    /// The reason on record.
    pub reason: Option<String>,
    /// The digest of the peer's origin.
    pub peer_digest: Option<String>,
    /// The tenant that it belongs to.
    pub tenant: Option<String>,
    /// Not before this instant, in seconds of Unix time.
    pub since: Option<u64>,
    /// Before this instant, in seconds of Unix time.
    pub until: Option<u64>,
    /// Accepted below what was asked for.
    pub downgraded: bool,
}

impl Filter {
    /// Whether all conditions hold. `time` reads an RFC 3339 instant as seconds of Unix time.
    #[must_use]
    pub fn admits(&self, record: &Record, time: impl Fn(&str) -> Option<u64>) -> bool {
        if *self == Self::default() {
            return true;
        }
        let Some(facts) = record.facts() else {
            return false;
        };
        let is = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| Some(wanted) == found)
        };
        is(&self.protocol, Some(&facts.protocol))
            && is(&self.outcome, Some(&facts.outcome))
            && is(&self.reason, Some(&facts.reason))
            && is(&self.peer_digest, facts.peer_digest.as_deref())
            && is(&self.tenant, record.tenant())
            && (!self.downgraded || facts.downgraded())
            && ((self.since.is_none() && self.until.is_none())
                || time(&facts.at).is_some_and(|at| {
                    self.since.is_none_or(|since| since <= at)
                        && self.until.is_none_or(|until| at < until)
                }))
    }
}

impl Facts {
    /// Whether a version was agreed on that is below the one asked for (RFC 0242 §A.3).
    #[must_use]
    pub fn downgraded(&self) -> bool {
        match (&self.requested, &self.version) {
            (Some(requested), Some(version)) => order(version) < order(requested),
            _ => false,
        }
    }
}

/// Versions on record are canonical: numbers without leading zeros, dates of ten characters. So the
/// longer number is the larger one, and text decides the rest.
fn order(version: &str) -> Vec<(usize, &str)> {
    let parts = version.split(['.', '-']);
    parts.map(|part| (part.len(), part)).collect()
}
