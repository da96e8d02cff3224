//! What is decided to compare two policies.

use crate::proof as complete;
use crate::types::{Direction, Exchange, Facet, Facets, Named, Protocol, Surface};

/// Postures, and exchanges that are decided under each.
#[derive(Clone, Debug)]
pub struct Grid {
    postures: Vec<(Protocol, Facets)>,
    a2a: Exchanges,
    mcp: Exchanges,
    versions: Vec<String>,
}

#[derive(Clone, Debug)]
struct Exchanges {
    forwards: Vec<Exchange>,
    backwards: Vec<Exchange>,
}

impl Grid {
    /// The complete grid of small facets: every posture over four versions of a
    /// protocol, and every exchange that can be told apart under it.
    #[must_use]
    pub fn complete() -> Self {
        let both = [Protocol::A2a, Protocol::Mcp];
        let postures = both.into_iter().flat_map(|protocol| {
            let postures = complete::postures(protocol);
            postures.into_iter().map(move |facets| (protocol, facets))
        });
        let versions = both.into_iter().flat_map(complete::offerable);
        Self {
            postures: postures.collect(),
            a2a: Exchanges::new(complete::exchanges(Protocol::A2a)),
            mcp: Exchanges::new(complete::exchanges(Protocol::Mcp)),
            versions: versions.map(str::to_owned).collect(),
        }
    }

    /// One posture, that of a host, and the exchanges that matter to it: every version
    /// that it offers, and two that it does not, named, listed and answered in every
    /// way. Of the lists that a peer may send there are the empty one, each version
    /// alone, and each newest few.
    #[must_use]
    pub fn of_host(facets: &Facets) -> Self {
        let one = |facet: &Option<Facet>, protocol| {
            let Some(facet) = facet else {
                return Exchanges::new(Vec::new());
            };
            Exchanges::new(exchanges(protocol, facet))
        };
        let both = [(Protocol::A2a, &facets.a2a), (Protocol::Mcp, &facets.mcp)];
        let present = both.iter().filter(|(_, facet)| facet.is_some());
        let versions = both.iter().filter_map(|(_, facet)| facet.as_ref());
        Self {
            postures: present
                .map(|(protocol, _)| (*protocol, facets.clone()))
                .collect(),
            a2a: one(&facets.a2a, Protocol::A2a),
            mcp: one(&facets.mcp, Protocol::Mcp),
            versions: versions
                .flat_map(|facet| facet.offered.iter().cloned())
                .collect(),
        }
    }

    /// How many decisions it asks for.
    #[must_use]
    pub fn decisions(&self) -> usize {
        let each = self.postures.iter();
        each.map(|(protocol, _)| self.exchanges(*protocol).len())
            .sum()
    }

    pub(super) fn postures(&self) -> &[(Protocol, Facets)] {
        &self.postures
    }

    pub(super) fn exchanges(&self, protocol: Protocol) -> &[Exchange] {
        &self.of(protocol).forwards
    }

    pub(super) fn backwards(&self, protocol: Protocol) -> &[Exchange] {
        &self.of(protocol).backwards
    }

    /// The facet and the exchange at a place.
    pub(super) fn at(&self, place: usize) -> Option<(&Facet, &Exchange)> {
        let (facets, exchange) = self.posture_at(place)?;
        Some((complete::facet(facets, exchange.protocol)?, exchange))
    }

    /// The posture and the exchange at a place.
    pub(super) fn posture_at(&self, mut place: usize) -> Option<(&Facets, &Exchange)> {
        for (protocol, facets) in &self.postures {
            let exchanges = self.exchanges(*protocol);
            match place.checked_sub(exchanges.len()) {
                Some(rest) => place = rest,
                None => return Some((facets, exchanges.get(place)?)),
            }
        }
        None
    }

    pub(super) fn version_code(&self, version: &str) -> u8 {
        let place = self.versions.iter().position(|other| other == version);
        place
            .and_then(|place| u8::try_from(place).ok())
            .unwrap_or(u8::MAX)
    }

    pub(super) fn version_of(&self, code: u8) -> &str {
        self.versions.get(usize::from(code)).map_or("", |v| v)
    }

    fn of(&self, protocol: Protocol) -> &Exchanges {
        match protocol {
            Protocol::A2a => &self.a2a,
            Protocol::Mcp => &self.mcp,
        }
    }
}

impl Exchanges {
    fn new(forwards: Vec<Exchange>) -> Self {
        let backwards = forwards.iter().rev().cloned().collect();
        Self {
            forwards,
            backwards,
        }
    }
}

/// The exchanges that matter to one facet.
fn exchanges(protocol: Protocol, facet: &Facet) -> Vec<Exchange> {
    let mut newest = facet.offered.clone();
    newest.sort_by(|a, b| super::order::compare(protocol, b, a));
    let mut known = newest.clone();
    let foreign = complete::foreign(protocol).map(str::to_owned);
    known.extend(foreign.into_iter().filter(|v| !newest.contains(v)));

    let named = || {
        let versions = known.iter().cloned().map(Named::One);
        [Named::Nothing, Named::Malformed]
            .into_iter()
            .chain(versions)
    };
    let mut lists = vec![Vec::new()];
    lists.extend(known.iter().map(|version| vec![version.clone()]));
    lists.extend((2..=newest.len()).filter_map(|few| Some(newest.get(..few)?.to_vec())));
    let (surfaces, sessions, answers): (&[Surface], Vec<_>, Vec<_>) = match protocol {
        Protocol::A2a => (&[Surface::A2aCall], vec![None], vec![None]),
        Protocol::Mcp => (
            &[
                Surface::McpInitialize,
                Surface::McpSession,
                Surface::McpRequest,
            ],
            std::iter::once(None)
                .chain(known.iter().cloned().map(Some))
                .collect(),
            std::iter::once(None)
                .chain(known.iter().cloned().map(|v| Some(Named::One(v))))
                .collect(),
        ),
    };
    let mut found = Vec::new();
    for authenticated in [true, false] {
        let exchange = |direction, surface, named| Exchange {
            protocol,
            direction,
            authenticated,
            surface,
            named,
            session: None,
            offers: None,
            answered: None,
        };
        for &surface in surfaces {
            let fits =
                |session: &&Option<String>| (surface == Surface::McpSession) == session.is_some();
            for session in sessions.iter().filter(fits) {
                found.extend(named().map(|named| Exchange {
                    session: session.clone(),
                    ..exchange(Direction::Inbound, surface, named)
                }));
            }
        }
        let surface = match protocol {
            Protocol::A2a => Surface::A2aCall,
            Protocol::Mcp => Surface::McpRequest,
        };
        for offers in &lists {
            for answered in &answers {
                found.extend(named().map(|named| Exchange {
                    offers: Some(offers.clone()),
                    answered: answered.clone(),
                    ..exchange(Direction::Outbound, surface, named)
                }));
            }
        }
    }
    found
}
