//! The complete grid of small facets: every posture over four versions of a protocol, and every
//! exchange that can be told apart under it.

use crate::types::{Direction, Exchange, Facet, Facets, Named, Protocol, Surface};

/// The versions that postures of the grid offer, lowest first.
#[must_use]
pub const fn offerable(protocol: Protocol) -> [&'static str; 4] {
    match protocol {
        // Text order and numeric order differ, so that one cannot stand for the other.
        Protocol::A2a => ["0.3", "0.10", "1.9", "1.10"],
        // Two handshake revisions and two without.
        Protocol::Mcp => ["2025-06-18", "2025-11-25", "2026-07-28", "2027-01-15"],
    }
}

/// Versions that no posture of the grid offers: one below all, one between, one above all.
#[must_use]
pub const fn foreign(protocol: Protocol) -> [&'static str; 3] {
    match protocol {
        Protocol::A2a => ["0.2", "1.2", "2.0"],
        Protocol::Mcp => ["2024-11-05", "2025-08-01", "2099-01-01"],
    }
}

/// Every posture with one facet over the four versions: 56 for each protocol. Those over the same
/// offers follow one another, by preferred version and then by floor, both rising.
#[must_use]
pub fn postures(protocol: Protocol) -> Vec<Facets> {
    let mut postures = Vec::new();
    for offered in subsets(&offerable(protocol)) {
        for (at, preferred) in offered.iter().enumerate() {
            for floor in offered.iter().take(at.saturating_add(1)) {
                let facet = Facet {
                    offered: offered.iter().copied().map(str::to_owned).collect(),
                    preferred: (*preferred).to_owned(),
                    floor: (*floor).to_owned(),
                };
                postures.push(match protocol {
                    Protocol::A2a => Facets {
                        a2a: Some(facet),
                        mcp: None,
                    },
                    Protocol::Mcp => Facets {
                        a2a: None,
                        mcp: Some(facet),
                    },
                });
            }
        }
    }
    postures
}

/// Every exchange of a protocol; they do not depend on the posture. The first half is
/// authenticated, and the second half holds the same exchanges without, in the same order.
#[must_use]
pub fn exchanges(protocol: Protocol) -> Vec<Exchange> {
    let mut found = Vec::new();
    for authenticated in [true, false] {
        inbound(protocol, authenticated, &mut found);
        outbound(protocol, authenticated, &mut found);
        unrelated(protocol, authenticated, &mut found);
    }
    found
}

/// How many decisions the grid has, over both protocols.
#[must_use]
pub fn decisions() -> usize {
    let of = |protocol| {
        postures(protocol)
            .len()
            .saturating_mul(exchanges(protocol).len())
    };
    of(Protocol::A2a).saturating_add(of(Protocol::Mcp))
}

/// The four that postures offer and the three that none does.
fn all(protocol: Protocol) -> impl Iterator<Item = &'static str> {
    offerable(protocol).into_iter().chain(foreign(protocol))
}

fn one(version: &str) -> Named {
    Named::One(version.to_owned())
}

/// Everything that an inbound message can name.
fn names(protocol: Protocol) -> Vec<Named> {
    let mut names = vec![
        Named::Nothing,
        Named::Malformed,
        Named::Ambiguous,
        Named::Contradiction(None),
    ];
    names.extend(all(protocol).map(one));
    names.extend(all(protocol).map(|version| Named::Contradiction(Some(version.to_owned()))));
    names
}

fn inbound(protocol: Protocol, authenticated: bool, found: &mut Vec<Exchange>) {
    let names = names(protocol);
    let (surfaces, sessions): (&[Surface], Vec<Option<&str>>) = match protocol {
        Protocol::A2a => (&[Surface::A2aCall, Surface::A2aCard], vec![None]),
        Protocol::Mcp => {
            let known = all(protocol).map(Some);
            let sessions = [None, Some(BROKEN_SESSION)].into_iter().chain(known);
            let surfaces = &[
                Surface::McpInitialize,
                Surface::McpSession,
                Surface::McpRequest,
            ];
            (surfaces, sessions.collect())
        }
    };
    for &surface in surfaces {
        for session in &sessions {
            // A message in a session has one, and any other request has none.
            let fits = match surface {
                Surface::McpSession => session.is_some(),
                Surface::McpRequest => session.is_none(),
                Surface::A2aCall | Surface::A2aCard | Surface::McpInitialize => true,
            };
            for named in names.iter().filter(|_| fits) {
                found.push(Exchange {
                    protocol,
                    direction: Direction::Inbound,
                    authenticated,
                    surface,
                    named: named.clone(),
                    session: session.map(str::to_owned),
                    offers: None,
                    answered: None,
                });
            }
        }
    }
}

fn outbound(protocol: Protocol, authenticated: bool, found: &mut Vec<Exchange>) {
    let mut answers = vec![None];
    if protocol == Protocol::Mcp {
        answers.push(Some(Named::Malformed));
        answers.extend(all(protocol).map(|version| Some(one(version))));
    }
    // The one above all would add nothing: it is offered by nobody and above any that is asked for.
    let listable: Vec<_> = all(protocol).take(6).collect();
    for offers in subsets(&listable) {
        for named in asked(protocol) {
            for answered in &answers {
                found.push(Exchange {
                    protocol,
                    direction: Direction::Outbound,
                    authenticated,
                    surface: outbound_surface(protocol),
                    named: named.clone(),
                    session: None,
                    offers: Some(offers.iter().copied().map(str::to_owned).collect()),
                    answered: answered.clone(),
                });
            }
        }
    }
}

fn asked(protocol: Protocol) -> Vec<Named> {
    let mut asked = vec![Named::Nothing, Named::Malformed];
    asked.extend(all(protocol).map(one));
    asked
}

/// Exchanges with members that belong to the other direction or protocol: they must change
/// nothing.
fn unrelated(protocol: Protocol, authenticated: bool, found: &mut Vec<Exchange>) {
    let [low, _, _, high] = offerable(protocol).map(str::to_owned);
    for named in names(protocol) {
        found.push(Exchange {
            protocol,
            direction: Direction::Inbound,
            authenticated,
            surface: match protocol {
                Protocol::A2a => Surface::A2aCall,
                Protocol::Mcp => Surface::McpRequest,
            },
            named,
            session: (protocol == Protocol::A2a).then(|| high.clone()),
            offers: Some(vec![low.clone()]),
            answered: Some(Named::One(high.clone())),
        });
    }
    for named in asked(protocol) {
        found.push(Exchange {
            protocol,
            direction: Direction::Outbound,
            authenticated,
            surface: outbound_surface(protocol),
            named,
            session: Some(high.clone()),
            offers: Some(vec![low.clone(), high.clone()]),
            answered: (protocol == Protocol::A2a).then(|| Named::One(high.clone())),
        });
    }
}

const fn outbound_surface(protocol: Protocol) -> Surface {
    match protocol {
        Protocol::A2a => Surface::A2aCall,
        Protocol::Mcp => Surface::McpRequest,
    }
}

/// Every subset, in a fixed order, the members in theirs; the empty one first.
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

/// What a session's version is where its text is none.
const BROKEN_SESSION: &str = "broken";
