//! The versions that it is worth asking about: those of a facet, and one on either side.

use crate::types::{Facet, Protocol};

/// What a peer may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The version; none for a peer that names nothing.
    pub version: Option<String>,
    /// What it is to the facet, unless it is offered.
    pub note: &'static str,
}

/// Nothing; then, oldest first: one version below the floor, each one offered, and one at or above
/// the floor that is not offered.
#[must_use]
pub fn to_name(protocol: Protocol, facet: &Facet) -> Vec<Named> {
    let floor = key(&facet.floor);
    let known: Vec<String> = known(protocol).iter().map(|text| (*text).into()).collect();
    let newest = |versions: &mut dyn Iterator<Item = &String>| {
        versions.max_by_key(|version| key(version)).cloned()
    };
    let below = newest(&mut known.iter().filter(|version| key(version) < floor))
        .or_else(|| before(protocol, &facet.floor));
    let unoffered = |version: &&String| key(version) > floor && !facet.offered.contains(version);
    let other = newest(&mut known.iter().filter(unoffered))
        .or_else(|| after(protocol, &newest(&mut facet.offered.iter())?));

    let named = |version, note| Named {
        version: Some(version),
        note,
    };
    let offered = facet
        .offered
        .iter()
        .map(|version| named(version.clone(), ""));
    let mut all: Vec<Named> = offered
        .chain(below.map(|version| named(version, "below the floor")))
        .chain(other.map(|version| named(version, "not offered")))
        .collect();
    all.sort_by_key(|named| named.version.as_deref().map(key));
    let nothing = Named {
        version: None,
        note: "",
    };
    all.insert(0, nothing);
    all
}

/// Whether a version of MCP begins with a handshake.
#[must_use]
pub fn has_handshake(revision: &str) -> bool {
    key(revision) < key("2026-07-28")
}

/// The method of the message that would name a version, or none.
#[must_use]
pub fn message(protocol: Protocol, named: Option<&str>) -> &'static str {
    match protocol {
        Protocol::A2a => "SendMessage",
        Protocol::Mcp if named.is_none_or(has_handshake) => "initialize",
        Protocol::Mcp => "tools/list",
    }
}

/// Published versions, oldest first.
fn known(protocol: Protocol) -> &'static [&'static str] {
    match protocol {
        Protocol::A2a => &["0.1", "0.2", "0.3", "1.0"],
        Protocol::Mcp => &[
            "2024-11-05",
            "2025-03-26",
            "2025-06-18",
            "2025-11-25",
            "2026-07-28",
        ],
    }
}

/// A version below all that are published.
fn before(protocol: Protocol, floor: &str) -> Option<String> {
    match (protocol, *key(floor).first_chunk()?) {
        (Protocol::A2a, [major, minor]) => match (major.checked_sub(1), minor.checked_sub(1)) {
            (_, Some(minor)) => Some(format!("{major}.{minor}")),
            (Some(major), None) => Some(format!("{major}.0")),
            (None, None) => None,
        },
        (Protocol::Mcp, [year, _]) => Some(format!("{:04}-01-01", year.checked_sub(1)?)),
    }
}

/// A version above all that are offered and published.
fn after(protocol: Protocol, newest: &str) -> Option<String> {
    match (protocol, *key(newest).first_chunk()?) {
        (Protocol::A2a, [major, _]) => Some(format!("{}.0", major.checked_add(1)?)),
        (Protocol::Mcp, [year, _]) if year < 9999 => {
            Some(format!("{:04}-01-01", year.checked_add(1)?))
        }
        (Protocol::Mcp, _) => None,
    }
}

/// The numbers of a version, which order it.
fn key(version: &str) -> Vec<u64> {
    let numbers = version.split(['.', '-']).map(str::parse);
    numbers.collect::<Result<_, _>>().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(protocol: Protocol, offered: &[&str], floor: &str) -> String {
        let offered: Vec<String> = offered.iter().map(|text| (*text).to_owned()).collect();
        let facet = Facet {
            preferred: offered[0].clone(),
            offered,
            floor: floor.to_owned(),
        };
        let all = to_name(protocol, &facet)
            .into_iter()
            .map(|named| match named.note {
                "" => named.version.unwrap_or_default(),
                note => format!("{} {note}", named.version.unwrap()),
            });
        all.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn one_below_each_offered_one_not_offered() {
        assert_eq!(
            of(Protocol::A2a, &["1.0", "0.3"], "0.3"),
            ", 0.2 below the floor, 0.3, 1.0, 2.0 not offered"
        );
        assert_eq!(
            of(Protocol::A2a, &["0.9", "0.10"], "0.9"),
            ", 0.3 below the floor, 0.9, 0.10, 1.0 not offered"
        );
        assert_eq!(
            of(Protocol::Mcp, &["2025-06-18", "2026-07-28"], "2025-06-18"),
            ", 2025-03-26 below the floor, 2025-06-18, 2025-11-25 not offered, 2026-07-28"
        );
        assert_eq!(
            of(Protocol::Mcp, &["2026-07-28"], "2026-07-28"),
            ", 2025-11-25 below the floor, 2026-07-28, 2027-01-01 not offered"
        );
    }

    #[test]
    fn where_no_published_version_fits_one_is_made_up() {
        assert_eq!(
            of(Protocol::A2a, &["0.1", "1.0"], "0.1"),
            ", 0.0 below the floor, 0.1, 0.3 not offered, 1.0"
        );
        assert_eq!(of(Protocol::A2a, &["0.0"], "0.0"), ", 0.0, 1.0 not offered");
        let last = "18446744073709551615.0";
        assert_eq!(
            of(Protocol::A2a, &[last], last),
            format!(", 1.0 below the floor, {last}")
        );
        assert_eq!(
            of(Protocol::Mcp, &["2024-11-05", "9999-12-31"], "2024-11-05"),
            ", 2023-01-01 below the floor, 2024-11-05, 2026-07-28 not offered, 9999-12-31"
        );
        assert_eq!(
            of(Protocol::Mcp, &["0000-01-01", "9999-12-31"], "9999-12-31"),
            ", 0000-01-01, 2026-07-28 below the floor, 9999-12-31"
        );
    }
}
