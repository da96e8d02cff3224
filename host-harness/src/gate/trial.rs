//! One run of the gate.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::changes::{Changes, Effect};
use super::decisions::{Decisions, Run, Trouble, TroubleKind};
use super::error::Stopped;
use super::report::{Compared, Failure, FailureKind, GridReport, HARNESS, LimitsReport, VERSION};
use super::{
    CorpusReport, Gate, GateError, Grid, InForce, Inspected, Progress, Replayed, Report, Step,
    corpus, metered, settings_digest, words,
};
use crate::error::CallError;
use crate::proof;
use crate::runtime::{Loaded, Meter};
use crate::shared::stand_in;
use crate::trust::Outcome;

pub(super) struct Trial<'a> {
    pub(super) gate: &'a Gate,
    pub(super) loaded: Loaded,
    pub(super) meter: Arc<Meter>,
    pub(super) settings: &'a str,
    pub(super) in_force: &'a InForce,
    pub(super) until: Instant,
    pub(super) progress: Progress<'a>,
}

/// What was found against a policy: how often, and where first.
#[derive(Default)]
struct Failures(BTreeMap<FailureKind, (u64, String)>);

/// A report, and the decisions of the policy where all of them were made.
pub(super) type Found = (Report, Option<Arc<Decisions>>);

impl Trial<'_> {
    pub(super) fn run(&self, inspected: &Inspected) -> Result<Found, GateError> {
        let mut failures = Failures::default();
        let cases = negotiation_vectors::cases().unwrap_or_default();
        (self.progress)(Step::Corpus { of: cases.len() });
        let negotiator = self.loaded.clone().keep(1);
        let negotiator = negotiator
            .configure(stand_in(), self.settings)
            .map_err(GateError::Configure)?;
        let corpus = corpus::run(self, &cases, &negotiator, |kind, example| {
            failures.add(kind, || example);
        });
        let grid = Grid::complete();
        let decisions = self.decide(&grid, &mut failures)?;
        let mut changes = None;
        if let Some(decisions) = &decisions {
            let was = match &self.in_force.decisions {
                Some(decisions) => Arc::clone(decisions),
                None => Arc::new(self::decisions(&grid, self.in_force, self.progress)?),
            };
            check_rules(&grid, decisions, &mut failures);
            changes = Some(Changes::between(&grid, &was, decisions, |_| ()));
        }
        let replay = match decisions.is_some() {
            true => self.replay(&mut failures)?,
            false => None,
        };
        if !self.gate.loosening {
            note_loosening(changes.as_ref(), replay.as_ref(), &mut failures);
        }
        let report = self.report(
            inspected,
            &failures,
            corpus,
            decisions.as_deref(),
            changes,
            replay,
        );
        Ok((report, decisions))
    }

    pub(super) fn is_late(&self) -> bool {
        Instant::now() >= self.until
    }

    /// The decisions over the grid; none where the policy was not fit to make them all.
    fn decide(
        &self,
        grid: &Grid,
        failures: &mut Failures,
    ) -> Result<Option<Arc<Decisions>>, GateError> {
        if failures.are_plenty() {
            return Ok(None);
        }
        let run = Run {
            loaded: &self.loaded,
            settings: self.settings,
            twice: true,
            until: self.until,
            progress: self.progress,
        };
        let decided = Decisions::of(grid, &run, |Trouble { at, kind }| {
            let kind = match kind {
                TroubleKind::Failed(failure) => FailureKind::of(&failure),
                TroubleKind::BrokeContract => FailureKind::ContractBreach,
                TroubleKind::Changed => FailureKind::NonDeterminism,
            };
            failures.add(kind, || example(grid, at));
            !failures.are_plenty()
        });
        match decided {
            Ok(decisions) => Ok(Some(Arc::new(decisions))),
            Err(Stopped::Enough) => Ok(None),
            Err(Stopped::Late) => {
                failures.add(FailureKind::Late, || "in the grid".to_owned());
                Ok(None)
            }
            Err(Stopped::Configure(error)) => Err(GateError::Configure(error)),
            Err(Stopped::Call(error)) => Err(GateError::Negotiator(error)),
        }
    }

    fn replay(&self, failures: &mut Failures) -> Result<Option<Replayed>, GateError> {
        let Some((facets, replay)) = &self.gate.replay else {
            return Ok(None);
        };
        (self.progress)(Step::Replay { of: replay.len() });
        let configure = |loaded: &Loaded, settings: &str| {
            let configured = loaded.clone().keep(1).configure(facets.clone(), settings);
            configured.map_err(GateError::Configure)
        };
        let was = configure(&self.in_force.loaded, &self.in_force.settings)?;
        let is = configure(&self.loaded, self.settings)?;
        let replayed = replay.run(&was, &is, |line, failure| {
            let kind = failure.map_or(FailureKind::ContractBreach, FailureKind::of);
            failures.add(kind, || format!("line {line} of the replay"));
        });
        replayed.map(Some).map_err(GateError::Negotiator)
    }

    fn report(
        &self,
        inspected: &Inspected,
        failures: &Failures,
        corpus: CorpusReport,
        decisions: Option<&Decisions>,
        changes: Option<Changes>,
        replay: Option<Replayed>,
    ) -> Report {
        let (judged, worst_fuel) = metered(&self.meter);
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let failures = failures.list();
        Report {
            version: VERSION,
            artifact: inspected.policy.digest(),
            outcome: if failures.is_empty() {
                Outcome::Passed
            } else {
                Outcome::Failed
            },
            failures,
            settings: settings_digest(self.settings),
            component: self.loaded.digest(),
            harness: HARNESS.to_owned(),
            limits: LimitsReport::of(inspected.policy.limits()),
            corpus,
            grid: GridReport {
                decisions: number(decisions.map_or(0, Decisions::len)),
                accepted: number(decisions.map_or(0, Decisions::accepted)),
                judged,
                worst_fuel,
            },
            compared: Compared {
                policy: self.in_force.policy,
                settings: settings_digest(&self.in_force.settings),
            },
            changes,
            loosening_allowed: self.gate.loosening,
            replay,
        }
    }
}

/// The decisions of what is in force; what it does wrong is none of this gate's
/// business.
pub(super) fn decisions(
    grid: &Grid,
    in_force: &InForce,
    progress: Progress<'_>,
) -> Result<Decisions, GateError> {
    let run = Run {
        loaded: &in_force.loaded,
        settings: &in_force.settings,
        twice: false,
        until: Instant::now()
            .checked_add(FOR_COMPARISON)
            .unwrap_or_else(Instant::now),
        progress,
    };
    Decisions::of(grid, &run, |_| true).map_err(|stopped| match stopped {
        Stopped::Configure(error) => GateError::Configure(error),
        Stopped::Call(error) => GateError::Negotiator(error),
        Stopped::Late | Stopped::Enough => GateError::TooSlow,
    })
}

/// Holds the decisions against the rules that no policy can change. A violation would be
/// the negotiator's fault; such a pair must not go into service all the same.
fn check_rules(grid: &Grid, decisions: &Decisions, failures: &mut Failures) {
    for (facets, exchange, decision) in decisions.accepting(grid) {
        if let Err(violation) = proof::check_decision(facets, exchange, &decision) {
            failures.add(FailureKind::Rule, || violation.to_string());
        }
    }
}

fn note_loosening(changes: Option<&Changes>, replay: Option<&Replayed>, failures: &mut Failures) {
    let groups = changes.into_iter().flat_map(|changes| &changes.groups);
    for group in groups.filter(|group| group.effect == Effect::Loosened) {
        failures.add_many(FailureKind::Loosening, group.count, || {
            let how = if group.authenticated { "" } else { "not " };
            format!(
                "{} {}, {how}authenticated, named {}: {} → {}; {}",
                group.protocol, group.direction, group.named, group.was, group.is, group.example
            )
        });
    }
    let groups = replay.into_iter().flat_map(|replay| &replay.groups);
    for group in groups.filter(|group| group.effect == Effect::Loosened) {
        failures.add_many(FailureKind::Loosening, group.count, || {
            let (line, was, is) = (group.line, &group.was, &group.is);
            format!("line {line} of the replay: {was} → {is}")
        });
    }
}

fn example(grid: &Grid, at: usize) -> String {
    let Some((facet, exchange)) = grid.at(at) else {
        return String::new();
    };
    let how = if exchange.authenticated { "" } else { "not " };
    format!(
        "{} {}, {how}authenticated, named {}; {}",
        words::protocol(exchange.protocol),
        words::direction(exchange.direction),
        words::named(&exchange.named),
        words::example(facet, exchange)
    )
}

impl Failures {
    fn add(&mut self, kind: FailureKind, example: impl FnOnce() -> String) {
        self.add_many(kind, 1, example);
    }

    fn add_many(&mut self, kind: FailureKind, many: u64, example: impl FnOnce() -> String) {
        let (count, _) = self.0.entry(kind).or_insert_with(|| (0, example()));
        *count = count.saturating_add(many);
    }

    /// Whether there is no need to look for more.
    fn are_plenty(&self) -> bool {
        let counts = self.0.values().map(|(count, _)| *count);
        counts.sum::<u64>() >= PLENTY
    }

    fn list(&self) -> Vec<Failure> {
        let all = self.0.iter().map(|(kind, (count, example))| Failure {
            kind: *kind,
            count: *count,
            example: example.clone(),
        });
        all.collect()
    }
}

impl FailureKind {
    pub(super) fn of(failure: &CallError) -> Self {
        match failure {
            CallError::Policy(failure) => Self::of(failure),
            CallError::OutOfFuel { .. } => Self::Fuel,
            CallError::Deadline { .. } => Self::Deadline,
            CallError::OutOfMemory { .. } | CallError::AnswerTooLarge { .. } => Self::Memory,
            CallError::Configure(_) => Self::NonDeterminism,
            CallError::Trap(_) | CallError::AnswerMalformed(_) | CallError::Instantiate(_) => {
                Self::Trap
            }
        }
    }
}

const PLENTY: u64 = 20;

/// What is in force has been through this once, so it is given its time.
const FOR_COMPARISON: Duration = Duration::from_mins(10);
