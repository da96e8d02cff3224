//! The complete grid of small facets: every posture over four versions of a protocol, and every
//! exchange that can be told apart under it.

use negotiation_core::facet::Member;
use negotiation_core::{
    Direction, Exchange, Facet, FacetText, Named, Posture, Protocol, Surface, Version,
};

/// The versions that postures offer.
#[must_use]
pub const fn offerable(protocol: Protocol) -> [&'static str; 4] {
    match protocol {
        // Text order and numeric order differ, so that one cannot stand for the other.
        Protocol::A2a => ["0.3", "0.10", "1.9", "1.10"],
        // Two handshake revisions and two without.
        Protocol::Mcp => ["2025-06-18", "2025-11-25", "2026-07-28", "2027-01-15"],
    }
}

/// Versions that no posture offers: one below all, one between, one above all.
#[must_use]
pub const fn foreign(protocol: Protocol) -> [&'static str; 3] {
    match protocol {
        Protocol::A2a => ["0.2", "1.2", "2.0"],
        Protocol::Mcp => ["2024-11-05", "2025-08-01", "2099-01-01"],
    }
}

/// One facet of the grid, as text.
#[derive(Clone, Debug)]
pub struct GridFacet {
    /// The protocol.
    pub protocol: Protocol,
    /// Every version offered.
    pub offered: Vec<&'static str>,
    /// One of them.
    pub preferred: &'static str,
    /// One of them, not above preferred.
    pub floor: &'static str,
}

impl GridFacet {
    /// The facet, checked.
    ///
    /// # Panics
    /// It breaks a rule, so the grid is wrong.
    #[must_use]
    #[expect(clippy::expect_used, reason = "a broken grid must stop the tests")]
    pub fn posture(&self) -> Posture {
        let offered: Vec<_> = self.offered.iter().copied().map(Member::Given).collect();
        let text = FacetText {
            offered: Member::Given(&offered),
            preferred: Member::Given(self.preferred),
            floor: Member::Given(self.floor),
        };
        let facet = Facet::check(self.protocol, text).expect("the grid holds valid facets");
        match self.protocol {
            Protocol::A2a => Posture {
                a2a: Some(facet),
                mcp: None,
            },
            Protocol::Mcp => Posture {
                a2a: None,
                mcp: Some(facet),
            },
        }
    }
}

/// Every facet over the four versions: 56 for each protocol.
#[must_use]
pub fn facets(protocol: Protocol) -> Vec<GridFacet> {
    let mut facets = Vec::new();
    for offered in subsets(&offerable(protocol)) {
        for (at, preferred) in offered.iter().enumerate() {
            for floor in offered.iter().take(at.saturating_add(1)) {
                facets.push(GridFacet {
                    protocol,
                    preferred,
                    floor,
                    offered: offered.clone(),
                });
            }
        }
    }
    facets.retain(|facet| !facet.offered.is_empty());
    facets
}

/// Every exchange of a protocol; they do not depend on the facet.
#[must_use]
pub fn exchanges(protocol: Protocol) -> Vec<Exchange> {
    let parse = |text: &&str| Version::parse(protocol, text);
    let versions: Vec<_> = offerable(protocol)
        .iter()
        .chain(&foreign(protocol))
        .filter_map(parse)
        .collect();
    let mut found = Vec::new();
    for authenticated in [true, false] {
        inbound(protocol, authenticated, &versions, &mut found);
        outbound(protocol, authenticated, &versions, &mut found);
    }
    found
}

fn inbound(
    protocol: Protocol,
    authenticated: bool,
    versions: &[Version],
    found: &mut Vec<Exchange>,
) {
    let mut names = vec![Named::Nothing, Named::Malformed, Named::Ambiguous];
    names.push(Named::Contradiction(None));
    names.extend(versions.iter().map(|version| Named::One(*version)));
    names.extend(
        versions
            .iter()
            .map(|version| Named::Contradiction(Some(*version))),
    );
    let (surfaces, sessions): (&[Surface], Vec<_>) = match protocol {
        Protocol::A2a => (&[Surface::A2aCall, Surface::A2aCard], vec![None]),
        Protocol::Mcp => {
            let known = versions.iter().map(|version| Some(Some(*version)));
            let sessions = [None, Some(None)].into_iter().chain(known).collect();
            (
                &[
                    Surface::McpInitialize,
                    Surface::McpSession,
                    Surface::McpRequest,
                ],
                sessions,
            )
        }
    };
    for &surface in surfaces {
        for &session in &sessions {
            // A message in a session has one, and any other request has none.
            let fits = match surface {
                Surface::McpSession => session.is_some(),
                Surface::McpRequest => session.is_none(),
                _ => true,
            };
            for &named in names.iter().filter(|_| fits) {
                found.push(Exchange {
                    protocol,
                    direction: Direction::Inbound,
                    authenticated,
                    surface,
                    named,
                    session,
                    offers: Vec::new(),
                    answered: None,
                });
            }
        }
    }
}

fn outbound(
    protocol: Protocol,
    authenticated: bool,
    versions: &[Version],
    found: &mut Vec<Exchange>,
) {
    let mut asked = vec![Named::Nothing, Named::Malformed];
    asked.extend(versions.iter().map(|version| Named::One(*version)));
    let mut answers = vec![None];
    if protocol == Protocol::Mcp {
        answers.push(Some(None));
        answers.extend(versions.iter().map(|version| Some(Some(*version))));
    }
    // The four versions and the one below them all are enough to tell every rule of the offers.
    let listable: Vec<_> = versions.iter().take(5).copied().collect();
    for offers in subsets(&listable) {
        for &named in &asked {
            for &answered in &answers {
                found.push(Exchange {
                    protocol,
                    direction: Direction::Outbound,
                    authenticated,
                    surface: match protocol {
                        Protocol::A2a => Surface::A2aCall,
                        Protocol::Mcp => Surface::McpRequest,
                    },
                    named,
                    session: None,
                    offers: offers.clone(),
                    answered,
                });
            }
        }
    }
}

/// Every subset, in a fixed order, the members in theirs.
fn subsets<T: Copy>(members: &[T]) -> Vec<Vec<T>> {
    let mut all = vec![Vec::new()];
    for member in members {
        for mut subset in all.clone() {
            subset.push(*member);
            all.push(subset);
        }
    }
    all
}
