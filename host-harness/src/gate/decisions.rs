//! What a policy leads to, over a whole grid.

use std::time::Instant;

use super::error::Stopped;
use super::grid::Grid;
use super::{Progress, Step};
use crate::error::CallError;
use crate::runtime::Loaded;
use crate::types::{Acceptance, Cause, Decision, Exchange, Facets, Refusal, Rejection};

/// The decision on every exchange of a [`Grid`], in its order, two bytes each.
#[derive(Clone, PartialEq, Eq)]
pub struct Decisions {
    codes: Vec<Code>,
}

/// A decision in two bytes; the versions are those of the grid.
///
/// ```text
/// accepted  1 d vvvvvvvv cccccc   d downgraded, v version, c cause
/// refused   0 0 000000rr cccccc   r refusal, c cause
/// ```
pub(super) type Code = u16;

/// What went wrong with one exchange.
pub(super) struct Trouble {
    pub(super) at: usize,
    pub(super) kind: TroubleKind,
}

pub(super) enum TroubleKind {
    Failed(CallError),
    BrokeContract,
    Changed,
}

/// What a run over a grid is to look at.
pub(super) struct Run<'a> {
    pub(super) loaded: &'a Loaded,
    pub(super) settings: &'a str,
    /// Ask everything a second time, in reverse order, of the same instance.
    pub(super) twice: bool,
    pub(super) until: Instant,
    pub(super) progress: Progress<'a>,
}

impl Decisions {
    /// Decides everything. `trouble` is told what a policy must not do; when it says
    /// false, the run ends there.
    pub(super) fn of(
        grid: &Grid,
        run: &Run<'_>,
        mut trouble: impl FnMut(Trouble) -> bool,
    ) -> Result<Self, Stopped> {
        let loaded = run.loaded.clone().keep(1);
        let mut codes = Vec::with_capacity(grid.decisions());
        for (protocol, facets) in grid.postures() {
            let negotiator = loaded
                .configure(facets.clone(), run.settings)
                .map_err(Stopped::Configure)?;
            let exchanges = grid.exchanges(*protocol);
            let base = codes.len();
            for some in exchanges.chunks(CHUNK) {
                run.goes_on()?;
                for decided in negotiator.decide_many(some).map_err(Stopped::Call)? {
                    let at = codes.len();
                    codes.push(grid.code(&decided.decision));
                    let broke = cause(&decided.decision) == Cause::PolicyBrokeContract;
                    let kind = match decided.failure {
                        Some(failure) => TroubleKind::Failed(failure),
                        None if broke => TroubleKind::BrokeContract,
                        None => continue,
                    };
                    if !trouble(Trouble { at, kind }) {
                        return Err(Stopped::Enough);
                    }
                }
            }
            if run.twice {
                let mut at = codes.len();
                for some in grid.backwards(*protocol).chunks(CHUNK) {
                    run.goes_on()?;
                    for decided in negotiator.decide_many(some).map_err(Stopped::Call)? {
                        at = at.saturating_sub(1);
                        let changed = codes.get(at) != Some(&grid.code(&decided.decision));
                        let kind = TroubleKind::Changed;
                        if changed && !trouble(Trouble { at, kind }) {
                            return Err(Stopped::Enough);
                        }
                    }
                }
                debug_assert_eq!(at, base, "as many backwards as forwards");
            }
            (run.progress)(Step::Grid {
                done: codes.len(),
                of: grid.decisions(),
            });
        }
        Ok(Self { codes })
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// How many of them accept.
    #[must_use]
    pub fn accepted(&self) -> usize {
        let accepted = |code: &&Code| **code & ACCEPTED != 0;
        self.codes.iter().filter(accepted).count()
    }

    /// Those that accept, with what they are about.
    pub(super) fn accepting<'a>(
        &'a self,
        grid: &'a Grid,
    ) -> impl Iterator<Item = (&'a Facets, &'a Exchange, Decision)> + 'a {
        let codes = self.codes.iter().enumerate();
        codes.filter_map(|(place, code)| {
            if code & ACCEPTED == 0 {
                return None;
            }
            let (facets, exchange) = grid.posture_at(place)?;
            Some((facets, exchange, grid.decision(*code)))
        })
    }

    /// The places at which two differ, with both codes.
    pub(super) fn differences<'a>(
        &'a self,
        other: &'a Self,
    ) -> impl Iterator<Item = (usize, Code, Code)> + 'a {
        let pairs = self.codes.iter().zip(&other.codes).enumerate();
        pairs.filter_map(|(at, (was, is))| (was != is).then_some((at, *was, *is)))
    }
}

impl Run<'_> {
    fn goes_on(&self) -> Result<(), Stopped> {
        if Instant::now() < self.until {
            Ok(())
        } else {
            Err(Stopped::Late)
        }
    }
}

impl std::fmt::Debug for Decisions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decisions")
            .field("len", &self.codes.len())
            .finish()
    }
}

impl Grid {
    fn code(&self, decision: &Decision) -> Code {
        match decision {
            Decision::Accepted(acceptance) => {
                let version = self.version_code(&acceptance.version);
                let downgraded = if acceptance.downgraded { DOWNGRADED } else { 0 };
                ACCEPTED | downgraded | (u16::from(version) << 6) | place(CAUSES, acceptance.cause)
            }
            Decision::Refused(rejection) => {
                (place(REFUSALS, rejection.refusal) << 6) | place(CAUSES, rejection.cause)
            }
        }
    }

    /// The decision that a code stands for.
    pub(super) fn decision(&self, code: Code) -> Decision {
        let cause = at(CAUSES, code & 63, Cause::PolicyFailed);
        let [_, rest] = (code >> 6).to_be_bytes();
        if code & ACCEPTED == 0 {
            let refusal = at(REFUSALS, u16::from(rest), Refusal::Unsupported);
            return Decision::Refused(Rejection { refusal, cause });
        }
        Decision::Accepted(Acceptance {
            version: self.version_of(rest).to_owned(),
            cause,
            downgraded: code & DOWNGRADED != 0,
        })
    }
}

pub(super) fn cause(decision: &Decision) -> Cause {
    match decision {
        Decision::Accepted(acceptance) => acceptance.cause,
        Decision::Refused(rejection) => rejection.cause,
    }
}

fn place<T: PartialEq>(all: &[T], one: T) -> u16 {
    let place = all.iter().position(|other| *other == one);
    place
        .and_then(|place| u16::try_from(place).ok())
        .unwrap_or(63)
}

fn at<T: Copy>(all: &[T], place: u16, otherwise: T) -> T {
    all.get(usize::from(place)).copied().unwrap_or(otherwise)
}

const ACCEPTED: Code = 1 << 15;
const DOWNGRADED: Code = 1 << 14;

/// So many exchanges are decided before the time is looked at.
const CHUNK: usize = 512;

const REFUSALS: &[Refusal] = &[
    Refusal::BelowFloor,
    Refusal::Unsupported,
    Refusal::Unauthenticated,
];

const CAUSES: &[Cause] = &[
    Cause::Exact,
    Cause::Default,
    Cause::Session,
    Cause::Common,
    Cause::CounterOffer,
    Cause::Answered,
    Cause::NamedBelowFloor,
    Cause::SessionBelowFloor,
    Cause::OffersBelowFloor,
    Cause::AnswerBelowFloor,
    Cause::Malformed,
    Cause::Ambiguous,
    Cause::HeaderBodyMismatch,
    Cause::SessionChanged,
    Cause::NotNamed,
    Cause::NotOffered,
    Cause::NoHandshake,
    Cause::NoOffers,
    Cause::NoCommon,
    Cause::AnswerUnusable,
    Cause::NotConfigured,
    Cause::PolicyDenied,
    Cause::PolicyFailed,
    Cause::PolicyBrokeContract,
    Cause::CredentialMissing,
    Cause::CredentialRequired,
    Cause::RecordNotDurable,
];

/// The cause of that name in an answer.
pub(super) fn cause_named(name: &str) -> Option<Cause> {
    let mut causes = CAUSES.iter().copied();
    causes.find(|cause| crate::proof::cause(*cause) == name)
}
