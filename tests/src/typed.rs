//! Typed inputs without bounds: facets, exchanges and contexts of every shape.

use std::collections::BTreeSet;

use negotiation_model::{Protocol as ModelProtocol, Version};
use negotiator::types::{
    Context, Direction, Exchange, Facet, Facets, Named, Protocol, Subject, Surface,
};
use proptest::prelude::*;
use proptest::sample::Index;

/// Everything that one settlement takes.
#[derive(Clone, Debug)]
pub struct Question {
    /// Facets with a facet for the protocol.
    pub facets: Facets,
    /// The exchange.
    pub exchange: Exchange,
    /// The context.
    pub context: Context,
}

impl Question {
    /// The facet of the protocol.
    ///
    /// # Panics
    /// There is none: the generator is wrong.
    #[must_use]
    #[expect(clippy::expect_used, reason = "a wrong generator must stop the tests")]
    pub fn facet(&self) -> &Facet {
        match self.exchange.protocol {
            Protocol::A2a => self.facets.a2a.as_ref(),
            Protocol::Mcp => self.facets.mcp.as_ref(),
        }
        .expect("a facet for the protocol")
    }

    /// Reads a version as the model does; none for text outside the grammar.
    #[must_use]
    pub fn version(&self, text: &str) -> Option<Version> {
        Version::read(model_protocol(self.exchange.protocol), text)
    }
}

const fn model_protocol(protocol: Protocol) -> ModelProtocol {
    match protocol {
        Protocol::A2a => ModelProtocol::A2a,
        Protocol::Mcp => ModelProtocol::Mcp,
    }
}

/// Any question.
pub fn question() -> impl Strategy<Value = Question> {
    proptest::sample::select(vec![Protocol::A2a, Protocol::Mcp]).prop_flat_map(|protocol| {
        (facet(protocol), context()).prop_flat_map(move |(facet, context)| {
            let facets = match protocol {
                Protocol::A2a => Facets {
                    a2a: Some(facet.clone()),
                    mcp: None,
                },
                Protocol::Mcp => Facets {
                    a2a: None,
                    mcp: Some(facet.clone()),
                },
            };
            exchange(protocol, facet.offered).prop_map(move |exchange| Question {
                facets: facets.clone(),
                exchange,
                context: context.clone(),
            })
        })
    })
}

/// Any version in the grammar: small numbers and near dates, so that two meet, and any others.
fn version(protocol: Protocol) -> BoxedStrategy<String> {
    match protocol {
        Protocol::A2a => {
            let number = || prop_oneof![4 => 0..12_u64, 1 => any::<u64>(), 1 => Just(u64::MAX)];
            (number(), number())
                .prop_map(|(major, minor)| format!("{major}.{minor}"))
                .boxed()
        }
        Protocol::Mcp => {
            let year = prop_oneof![4 => 2024..2028_u16, 1 => 0..=9999_u16];
            (year, 1..=12_u8, 1..=28_u8)
                .prop_map(|(year, month, day)| format!("{year:04}-{month:02}-{day:02}"))
                .boxed()
        }
    }
}

/// A version of the list, any other, or text that is none.
fn text(protocol: Protocol, list: Vec<String>) -> BoxedStrategy<String> {
    prop_oneof![
        6 => proptest::sample::select(list),
        3 => version(protocol),
        1 => "\\PC{0,12}",
        1 => version(protocol).prop_map(|text| format!("{text}.0")),
    ]
    .boxed()
}

fn facet(protocol: Protocol) -> BoxedStrategy<Facet> {
    let many = prop_oneof![8 => 1..8_usize, 1 => 1..=256_usize];
    many.prop_flat_map(move |many| proptest::collection::vec(version(protocol), 1..=many))
        .prop_flat_map(|offered| (Just(offered), any::<Index>(), any::<Index>()))
        .prop_map(move |(offered, preferred, floor)| {
            let mut seen = BTreeSet::new();
            let mut offered = offered;
            offered.retain(|text| seen.insert(text.clone()));
            let mut rising = offered.clone();
            rising.sort_by_key(|text| Version::read(model_protocol(protocol), text));
            let preferred = preferred.index(rising.len());
            let floor = floor.index(preferred.saturating_add(1));
            let at = |place: usize| rising.get(place).cloned().unwrap_or_default();
            Facet {
                preferred: at(preferred),
                floor: at(floor),
                offered,
            }
        })
        .boxed()
}

fn named(protocol: Protocol, list: Vec<String>) -> BoxedStrategy<Named> {
    prop_oneof![
        2 => Just(Named::Nothing),
        6 => text(protocol, list.clone()).prop_map(Named::One),
        1 => Just(Named::Malformed),
        1 => Just(Named::Ambiguous),
        1 => proptest::option::of(text(protocol, list)).prop_map(Named::Contradiction),
    ]
    .boxed()
}

fn exchange(protocol: Protocol, list: Vec<String>) -> BoxedStrategy<Exchange> {
    let surfaces = match protocol {
        Protocol::A2a => vec![Surface::A2aCall, Surface::A2aCard],
        Protocol::Mcp => vec![
            Surface::McpInitialize,
            Surface::McpSession,
            Surface::McpRequest,
        ],
    };
    let outward = match protocol {
        Protocol::A2a => Surface::A2aCall,
        Protocol::Mcp => Surface::McpRequest,
    };
    let one = || text(protocol, list.clone());
    (
        any::<bool>(),
        any::<bool>(),
        proptest::sample::select(surfaces),
        named(protocol, list.clone()),
        proptest::option::of(one()),
        proptest::option::weighted(0.8, proptest::collection::vec(one(), 0..6)),
        proptest::option::weighted(0.3, named(protocol, list.clone())),
    )
        .prop_map(
            move |(inbound, authenticated, surface, named, session, offers, answered)| {
                let session = session.filter(|_| surface != Surface::McpRequest);
                Exchange {
                    protocol,
                    direction: if inbound {
                        Direction::Inbound
                    } else {
                        Direction::Outbound
                    },
                    authenticated,
                    surface: match (inbound, surface) {
                        (false, _) => outward,
                        (true, Surface::McpSession) if session.is_none() => Surface::McpRequest,
                        (true, surface) => surface,
                    },
                    named,
                    session,
                    offers,
                    answered,
                }
            },
        )
        .boxed()
}

fn context() -> impl Strategy<Value = Context> {
    let id = || "[A-Za-z0-9._~-]{1,128}";
    let long = || "[A-Za-z0-9._~-]{16,128}";
    let url = prop_oneof![
        "https://[a-z]{1,8}\\.example(:[0-9]{1,4})?/[a-z?=&]{0,9}",
        "\\PC{0,24}",
        Just("stdio:".to_owned()),
    ];
    (
        proptest::option::of(url),
        proptest::option::of((id(), proptest::option::of(id()))),
        proptest::option::of((id(), long())),
        any::<u32>(),
        proptest::option::of(long()),
    )
        .prop_map(|(peer_url, subject, run, sequence, event_id)| Context {
            at: "2026-11-30T12:00:00Z".to_owned(),
            peer_url,
            subject: subject.map(|(tenant, workspace)| Subject { tenant, workspace }),
            run_id: run.map(|(tenant, opaque)| format!("{tenant}/{opaque}")),
            sequence: Some(u64::from(sequence)),
            event_id,
        })
}
