//! What a host advertises, and what may be wrong with it (RFC 0175 §B.1).

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::Serialize;

use crate::version::{Protocol, Version};

/// The most versions that one facet may offer.
pub const MAX_OFFERED: usize = 256;

/// One thing wrong with a facet, a policy's settings or a context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Where, in the terms of the input: `a2a.minimumVersion`.
    pub path: String,
    /// What; for facets a word of a closed list, see the WIT type `fault`.
    pub problem: String,
}

impl Fault {
    /// A fault at a path.
    #[must_use]
    pub fn new(path: &str, problem: &str) -> Self {
        Self {
            path: path.to_string(),
            problem: problem.to_string(),
        }
    }
}

/// A member of a facet as a host wrote it.
#[derive(Clone, Copy, Debug, Default)]
pub enum Member<T> {
    /// It is not there.
    #[default]
    Missing,
    /// It is there, but not a list, or not a string.
    WrongType,
    /// It is there.
    Given(T),
}

/// A facet as a host wrote it, before it is checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct FacetText<'a> {
    /// Every version offered.
    pub offered: Member<&'a [Member<&'a str>]>,
    /// The version used when none is named.
    pub preferred: Member<&'a str>,
    /// The floor.
    pub floor: Member<&'a str>,
}

/// The names of a facet's members in a discovery document.
#[derive(Clone, Copy, Debug)]
pub struct MemberNames {
    /// The list of versions.
    pub offered: &'static str,
    /// The preferred version: the same name in both protocols.
    pub preferred: &'static str,
    /// The floor.
    pub floor: &'static str,
}

/// How discovery names the members of a protocol's facet.
#[must_use]
pub const fn member_names(protocol: Protocol) -> MemberNames {
    match protocol {
        Protocol::A2a => MemberNames {
            offered: "versions",
            preferred: "preferredVersion",
            floor: "minimumVersion",
        },
        Protocol::Mcp => MemberNames {
            offered: "revisions",
            preferred: "preferredVersion",
            floor: "minimumRevision",
        },
    }
}

/// A facet that obeys the rules: floor ≤ preferred, both offered, no duplicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facet {
    /// Best first, so that candidates come out in the order that policies see.
    offered: Vec<Version>,
    preferred: Version,
    floor: Version,
}

impl Facet {
    /// Checks a facet and reports everything that is wrong with it.
    ///
    /// # Errors
    /// Every fault found, at least one.
    pub fn check(protocol: Protocol, text: FacetText<'_>) -> Result<Self, Vec<Fault>> {
        let names = member_names(protocol);
        let mut faults = Vec::new();
        let mut fault = |member: &str, problem: &str| {
            faults.push(Fault::new(
                &format!("{}.{member}", protocol.name()),
                problem,
            ));
        };

        let mut offered = Vec::new();
        let mut list_is_whole = true;
        match text.offered {
            Member::Missing => fault(names.offered, "missing"),
            Member::WrongType => fault(names.offered, "not-a-list"),
            Member::Given([]) => fault(names.offered, "empty"),
            Member::Given(list) if list.len() > MAX_OFFERED => fault(names.offered, "too-many"),
            Member::Given(list) => {
                for (index, entry) in list.iter().enumerate() {
                    let problem = match read(protocol, *entry) {
                        Err(problem) => problem,
                        Ok(version) if offered.contains(&version) => "duplicate",
                        Ok(version) => {
                            offered.push(version);
                            continue;
                        }
                    };
                    list_is_whole &= problem == "duplicate";
                    fault(&format!("{}[{index}]", names.offered), problem);
                }
            }
        }

        let mut single = |member: &str, text: Member<&str>| {
            let problem = match read(protocol, text) {
                Err(problem) => problem,
                Ok(version) if offered.contains(&version) => return Some(version),
                // With a broken list it cannot be told, and the list is reported already.
                Ok(version) if offered.is_empty() || !list_is_whole => return Some(version),
                Ok(_) => "not-offered",
            };
            fault(member, problem);
            None
        };
        let preferred = single(names.preferred, text.preferred);
        let floor = single(names.floor, text.floor);

        let (Some(preferred), Some(floor)) = (preferred, floor) else {
            return Err(faults);
        };
        if floor > preferred {
            fault(names.floor, "above-preferred");
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        offered.sort_unstable_by(|a, b| b.cmp(a));
        Ok(Self {
            offered,
            preferred,
            floor,
        })
    }

    /// Every version offered, best first.
    #[must_use]
    pub fn offered(&self) -> &[Version] {
        &self.offered
    }

    /// The version used when none is named.
    #[must_use]
    pub const fn preferred(&self) -> Version {
        self.preferred
    }

    /// The floor.
    #[must_use]
    pub const fn floor(&self) -> Version {
        self.floor
    }

    /// Whether a version is offered.
    #[must_use]
    pub fn offers(&self, version: Version) -> bool {
        self.offered.contains(&version)
    }

    /// What a caller could have at all: at or above the floor, and without authentication at or
    /// above preferred; best first.
    pub fn reachable(&self, authenticated: bool) -> impl Iterator<Item = Version> + '_ {
        let least = if authenticated {
            self.floor
        } else {
            self.preferred
        };
        self.offered
            .iter()
            .copied()
            .filter(move |version| *version >= least)
    }
}

fn read(protocol: Protocol, text: Member<&str>) -> Result<Version, &'static str> {
    match text {
        Member::Missing => Err("missing"),
        Member::WrongType => Err("not-a-string"),
        Member::Given(text) => Version::parse(protocol, text).ok_or("malformed"),
    }
}

/// The facets of one host: the posture that it decides under.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Posture {
    /// The A2A facet, if A2A is spoken.
    pub a2a: Option<Facet>,
    /// The MCP facet, if MCP is spoken.
    pub mcp: Option<Facet>,
}

impl Posture {
    /// Checks both facets; at least one must be there.
    ///
    /// # Errors
    /// Every fault of both.
    pub fn check(
        a2a: Option<FacetText<'_>>,
        mcp: Option<FacetText<'_>>,
    ) -> Result<Self, Vec<Fault>> {
        if a2a.is_none() && mcp.is_none() {
            return Err(Vec::from([Fault::new("facets", "empty")]));
        }
        let mut faults = Vec::new();
        let mut one = |protocol, text: Option<FacetText<'_>>| {
            text.and_then(|text| {
                Facet::check(protocol, text)
                    .map_err(|found| faults.extend(found))
                    .ok()
            })
        };
        let posture = Self {
            a2a: one(Protocol::A2a, a2a),
            mcp: one(Protocol::Mcp, mcp),
        };
        if faults.is_empty() {
            Ok(posture)
        } else {
            Err(faults)
        }
    }

    /// The facet of a protocol.
    #[must_use]
    pub const fn facet(&self, protocol: Protocol) -> Option<&Facet> {
        match protocol {
            Protocol::A2a => self.a2a.as_ref(),
            Protocol::Mcp => self.mcp.as_ref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(offered: &[&str], preferred: &str, floor: &str) -> Vec<(String, String)> {
        let offered: Vec<_> = offered.iter().copied().map(Member::Given).collect();
        let text = FacetText {
            offered: Member::Given(&offered),
            preferred: Member::Given(preferred),
            floor: Member::Given(floor),
        };
        match Facet::check(Protocol::A2a, text) {
            Ok(_) => Vec::new(),
            Err(faults) => faults.into_iter().map(|f| (f.path, f.problem)).collect(),
        }
    }

    fn one(path: &str, problem: &str) -> Vec<(String, String)> {
        Vec::from([(path.to_string(), problem.to_string())])
    }

    #[test]
    fn a_facet_is_kept_best_first() {
        let text = FacetText {
            offered: Member::Given(&["0.9", "1.10", "1.9", "0.10"].map(Member::Given)),
            preferred: Member::Given("1.10"),
            floor: Member::Given("0.9"),
        };
        let facet = Facet::check(Protocol::A2a, text).unwrap();
        let texts: Vec<_> = facet.offered().iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["1.10", "1.9", "0.10", "0.9"]);
    }

    #[test]
    fn every_fault_has_its_own_word() {
        assert_eq!(faults(&["0.3", "1.0"], "1.0", "0.3"), []);
        assert_eq!(
            faults(&["0.3", "1.0"], "0.3", "1.0"),
            one("a2a.minimumVersion", "above-preferred")
        );
        assert_eq!(
            faults(&["1.0"], "1.1", "1.0"),
            one("a2a.preferredVersion", "not-offered")
        );
        assert_eq!(
            faults(&["1.0"], "1.0", "0.3"),
            one("a2a.minimumVersion", "not-offered")
        );
        assert_eq!(
            faults(&["1.0", "1.0"], "1.0", "1.0"),
            one("a2a.versions[1]", "duplicate")
        );
        assert_eq!(
            faults(&["1.0.0"], "1.0", "1.0"),
            one("a2a.versions[0]", "malformed")
        );
        assert_eq!(
            faults(&["1.0"], "1", "1.0"),
            one("a2a.preferredVersion", "malformed")
        );
        assert_eq!(faults(&[], "1.0", "1.0"), one("a2a.versions", "empty"));
        let many: Vec<_> = (0..=MAX_OFFERED).map(|n| format!("1.{n}")).collect();
        let many: Vec<_> = many.iter().map(String::as_str).collect();
        assert_eq!(faults(&many, "1.0", "1.0"), one("a2a.versions", "too-many"));
    }

    #[test]
    fn all_faults_are_reported_at_once() {
        let found = Posture::check(
            Some(FacetText {
                offered: Member::Given(&[
                    Member::Given("1.0"),
                    Member::Given("x"),
                    Member::WrongType,
                ]),
                preferred: Member::Missing,
                floor: Member::Given("y"),
            }),
            Some(FacetText::default()),
        )
        .unwrap_err();
        let found: Vec<_> = found
            .iter()
            .map(|f| (f.path.as_str(), f.problem.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                ("a2a.versions[1]", "malformed"),
                ("a2a.versions[2]", "not-a-string"),
                ("a2a.preferredVersion", "missing"),
                ("a2a.minimumVersion", "malformed"),
                ("mcp.revisions", "missing"),
                ("mcp.preferredVersion", "missing"),
                ("mcp.minimumRevision", "missing"),
            ]
        );
        assert_eq!(
            Posture::check(None, None).unwrap_err(),
            [Fault::new("facets", "empty")]
        );
    }
}
