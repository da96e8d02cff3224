//! What changes when one policy takes the place of another.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::decisions::{Code, Decisions};
use super::grid::Grid;
use super::{order, words};
use crate::types::{Decision, Exchange, Facet, Protocol};

/// One decision that changes.
#[derive(Clone, Debug)]
pub struct Change<'a> {
    /// The facet that it is decided under.
    pub facet: &'a Facet,
    /// The exchange that is decided.
    pub exchange: &'a Exchange,
    /// What is decided now.
    pub from: Decision,
    /// What would be decided.
    pub to: Decision,
    /// Which way it goes.
    pub effect: Effect,
}

/// Which way a change goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Accepted where it was refused, or at a lower version.
    Loosened,
    /// Refused where it was accepted.
    Tightened,
    /// Anything else: a higher version, another reason or cause.
    Moved,
}

impl Effect {
    /// Which way it goes from one decision to another.
    #[must_use]
    pub fn of(protocol: Protocol, from: &Decision, to: &Decision) -> Self {
        match (from, to) {
            (Decision::Refused(_), Decision::Accepted(_)) => Self::Loosened,
            (Decision::Accepted(_), Decision::Refused(_)) => Self::Tightened,
            (Decision::Accepted(from), Decision::Accepted(to)) => {
                match order::compare(protocol, &to.version, &from.version) {
                    Ordering::Less => Self::Loosened,
                    Ordering::Equal | Ordering::Greater => Self::Moved,
                }
            }
            (Decision::Refused(_), Decision::Refused(_)) => Self::Moved,
        }
    }

    /// `loosened`, `tightened` or `moved`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Loosened => "loosened",
            Self::Tightened => "tightened",
            Self::Moved => "moved",
        }
    }
}

/// How many decisions change, which way, and which.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Changes {
    /// Accepted where it was refused, or at a lower version.
    pub loosened: u64,
    /// Refused where it was accepted.
    pub tightened: u64,
    /// Anything else.
    pub moved: u64,
    /// The same changes put together, the most frequent first within an effect.
    pub groups: Vec<Group>,
}

/// Changes that a person would call the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Which way they go.
    pub effect: Effect,
    /// `a2a` or `mcp`.
    pub protocol: String,
    /// `inbound` or `outbound`.
    pub direction: String,
    /// Whether the exchange is authenticated.
    pub authenticated: bool,
    /// What was named or asked for, in words.
    pub named: String,
    /// The decision now.
    pub was: String,
    /// The decision then.
    pub is: String,
    /// How many there are.
    pub count: u64,
    /// A facet and the rest of the exchange, for one of them.
    pub example: String,
}

impl Changes {
    /// Counts and groups the changes from one policy to another; `each` is given every one, in
    /// the order of the grid.
    pub(super) fn between<'a>(
        grid: &'a Grid,
        was: &Decisions,
        is: &Decisions,
        mut each: impl FnMut(Change<'a>),
    ) -> Self {
        let mut found = Self::default();
        let mut groups: BTreeMap<_, (u64, String)> = BTreeMap::new();
        // What a decision is called depends on its code alone.
        let mut named: BTreeMap<(Code, Code), (String, String)> = BTreeMap::new();
        for (place, was, is) in was.differences(is) {
            let Some((facet, exchange)) = grid.at(place) else {
                continue;
            };
            let (from, to) = (grid.decision(was), grid.decision(is));
            let effect = Effect::of(exchange.protocol, &from, &to);
            let (was, is) = named
                .entry((was, is))
                .or_insert_with(|| (words::decision(&from), words::decision(&to)));
            found.count(effect);
            let key = (
                effect,
                words::protocol(exchange.protocol),
                words::direction(exchange.direction),
                exchange.authenticated,
                words::named(&exchange.named),
                was.clone(),
                is.clone(),
            );
            let (count, _) = groups
                .entry(key)
                .or_insert_with(|| (0, words::example(facet, exchange)));
            *count = count.saturating_add(1);
            each(Change {
                facet,
                exchange,
                from,
                to,
                effect,
            });
        }
        found.groups = groups
            .into_iter()
            .map(|(key, (count, example))| {
                let (effect, protocol, direction, authenticated, named, was, is) = key;
                Group {
                    effect,
                    protocol: protocol.to_owned(),
                    direction: direction.to_owned(),
                    authenticated,
                    named,
                    was,
                    is,
                    count,
                    example,
                }
            })
            .collect();
        found.groups.sort_by(|a, b| {
            let by_count = || b.count.cmp(&a.count);
            a.effect.cmp(&b.effect).then_with(by_count)
        });
        found
    }

    /// How many there are.
    #[must_use]
    pub fn total(&self) -> u64 {
        let some = self.loosened.saturating_add(self.tightened);
        some.saturating_add(self.moved)
    }

    fn count(&mut self, effect: Effect) {
        let count = match effect {
            Effect::Loosened => &mut self.loosened,
            Effect::Tightened => &mut self.tightened,
            Effect::Moved => &mut self.moved,
        };
        *count = count.saturating_add(1);
    }
}
