//! Earlier exchanges, settled again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::changes::Effect;
use super::words;
use crate::error::CallError;
use crate::runtime::Negotiator;
use crate::types::{Acceptance, Cause, Decision, Protocol, Refusal, Rejection};

/// Earlier exchanges: requests of the operation `settle` of the JSON contract, one a
/// line.
///
/// A journal cannot give them: its records are content-free, and what was on the wire
/// cannot be had back from them. Keep the requests that you settle, or a sample.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    requests: Vec<String>,
}

/// What became of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replayed {
    /// How many were settled again.
    pub exchanges: u64,
    /// How many could not be read, and were left out.
    pub unreadable: u64,
    /// Accepted where it was refused, or at a lower version.
    pub loosened: u64,
    /// Refused where it was accepted.
    pub tightened: u64,
    /// Anything else.
    pub moved: u64,
    /// The changes put together.
    pub groups: Vec<ReplayedGroup>,
}

/// Changes of the same kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayedGroup {
    /// Which way they go.
    pub effect: Effect,
    /// `a2a` or `mcp`.
    pub protocol: String,
    /// The decision then.
    pub was: String,
    /// The decision with the new policy.
    pub is: String,
    /// How many there are.
    pub count: u64,
    /// The line of the first of them, from 1.
    pub line: u64,
}

impl Replay {
    /// Takes requests as they are, one an item.
    pub fn new(requests: impl IntoIterator<Item = String>) -> Self {
        Self {
            requests: requests.into_iter().collect(),
        }
    }

    /// The request in a line: the line itself, or its member `request` where it is a
    /// line of a capture or a log.
    #[must_use]
    pub fn request(line: &str) -> String {
        #[derive(Deserialize)]
        struct Logged<'a> {
            #[serde(borrow)]
            request: &'a serde_json::value::RawValue,
        }
        match serde_json::from_str::<Logged<'_>>(line) {
            Ok(logged) => logged.request.get().to_owned(),
            Err(_) => line.to_owned(),
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.requests.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// Settles all of them with both. A failure of the new policy, and a grant that is
    /// no candidate, go to `trouble` with the line.
    pub(super) fn run(
        &self,
        was: &Negotiator,
        is: &Negotiator,
        mut trouble: impl FnMut(u64, Option<&CallError>),
    ) -> Result<Replayed, CallError> {
        let mut found = Replayed::default();
        let mut groups: BTreeMap<_, (u64, u64)> = BTreeMap::new();
        for (line, request) in (1_u64..).zip(&self.requests) {
            let (before, _) = was.settle_json(request)?;
            let (after, failure) = match is.settle_json(request) {
                Ok(answer) => answer,
                Err(failure) => {
                    trouble(line, Some(&failure));
                    continue;
                }
            };
            let read = |answer: Result<String, String>| Answer::read(&answer.ok()?);
            let (Some((protocol, from)), Some((_, to))) = (read(before), read(after)) else {
                found.unreadable = found.unreadable.saturating_add(1);
                continue;
            };
            found.exchanges = found.exchanges.saturating_add(1);
            let broke = super::decisions::cause(&to) == Cause::PolicyBrokeContract;
            if failure.is_some() || broke {
                trouble(line, failure.as_ref());
            }
            if from == to {
                continue;
            }
            let effect = Effect::of(protocol, &from, &to);
            let count = match effect {
                Effect::Loosened => &mut found.loosened,
                Effect::Tightened => &mut found.tightened,
                Effect::Moved => &mut found.moved,
            };
            *count = count.saturating_add(1);
            let key = (
                effect,
                words::protocol(protocol),
                words::decision(&from),
                words::decision(&to),
            );
            let (count, _) = groups.entry(key).or_insert((0, line));
            *count = count.saturating_add(1);
        }
        found.groups = groups
            .into_iter()
            .map(
                |((effect, protocol, was, is), (count, line))| ReplayedGroup {
                    effect,
                    protocol: protocol.to_owned(),
                    was,
                    is,
                    count,
                    line,
                },
            )
            .collect();
        Ok(found)
    }
}

/// As much of an answer as a decision needs.
#[derive(Deserialize)]
struct Answer {
    outcome: String,
    version: Option<String>,
    reason: String,
    cause: String,
    downgraded: bool,
    record: Record,
}

#[derive(Deserialize)]
struct Record {
    protocol: String,
}

impl Answer {
    fn read(text: &str) -> Option<(Protocol, Decision)> {
        let answer: Self = serde_json::from_str(text).ok()?;
        let protocol = match answer.record.protocol.as_str() {
            "a2a" => Protocol::A2a,
            "mcp" => Protocol::Mcp,
            _ => return None,
        };
        let cause = super::decisions::cause_named(&answer.cause)?;
        let decision = match (answer.outcome.as_str(), answer.version) {
            ("accepted", Some(version)) => Decision::Accepted(Acceptance {
                version,
                cause,
                downgraded: answer.downgraded,
            }),
            ("refused", None) => Decision::Refused(Rejection {
                refusal: match answer.reason.as_str() {
                    "below-floor" => Refusal::BelowFloor,
                    "unsupported" => Refusal::Unsupported,
                    "unauthenticated" => Refusal::Unauthenticated,
                    _ => return None,
                },
                cause,
            }),
            _ => return None,
        };
        Some((protocol, decision))
    }
}
