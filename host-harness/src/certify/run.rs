//! Runs everything.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use sha2::{Digest as _, Sha256};

use super::findings::{BrokenRules, Corpus, FuelFound, Grid, Report, merge, note};
use super::sweep::{Swept, Unit};
use crate::artifact::{Artifact, Digest};
use crate::error::LoadError;
use crate::proof::{self, Replayed, Rule, Violation};
use crate::shared::stand_in;
use crate::types::{Exchange, Facet, Facets, Protocol};
use crate::{Limits, Loaded, Negotiator, Operation, Runtime};

/// What to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// Everything: what a certificate takes.
    #[default]
    Whole,
    /// The grid up to the first posture under which a rule is broken, and the corpus.
    UntilBroken,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Postures of the grid that are done.
    pub done: usize,
    /// Postures that there are.
    pub of: usize,
}

/// Puts a component to the proof: tens of seconds on two threads. `progress` is called now and
/// then, from any thread.
///
/// Two runs of the same component give the same report, on any machine.
///
/// # Errors
///
/// It is no component of the world `negotiator-closed`, or imports something.
pub fn certify(
    runtime: &Runtime,
    artifact: &Artifact,
    limits: Limits,
    extent: Extent,
    progress: impl Fn(Progress) + Sync,
) -> Result<Report, LoadError> {
    let loaded = Negotiator::load(runtime, artifact, limits.clone())?;
    let mut broken = BrokenRules::new();
    let mut fuel = FuelFound::default();
    let mut grid = sweep_all(&loaded, extent, &mut fuel, &mut broken, &progress);
    let corpus = replay_all(&loaded, &mut grid, &mut fuel, &mut broken);
    Ok(Report {
        digest: artifact.digest(),
        limits,
        corpus,
        grid,
        fuel,
        broken,
    })
}

fn sweep_all(
    loaded: &Loaded,
    extent: Extent,
    fuel: &mut FuelFound,
    broken: &mut BrokenRules,
    progress: &(impl Fn(Progress) + Sync),
) -> Grid {
    let contexts = proof::contexts();
    let parts = [Protocol::A2a, Protocol::Mcp]
        .map(|protocol| (proof::postures(protocol), proof::exchanges(protocol)));
    let postures: Vec<(&Facets, &[Exchange])> = parts
        .iter()
        .flat_map(|(postures, exchanges)| {
            let exchanges = exchanges.as_slice();
            postures.iter().map(move |facets| (facets, exchanges))
        })
        .collect();
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let done = Mutex::new(BTreeMap::<usize, Swept>::new());
    let work = || {
        while !stop.load(Ordering::Relaxed) {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(&(facets, exchanges)) = postures.get(place) else {
                return;
            };
            let unit = Unit {
                place,
                facets,
                exchanges,
                contexts: &contexts,
            };
            let swept = unit.sweep(loaded);
            if extent == Extent::UntilBroken && !swept.broken.is_empty() {
                stop.store(true, Ordering::Relaxed);
            }
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.insert(place, swept);
            progress(Progress {
                done: done.len(),
                of: postures.len(),
            });
        }
    };
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let mut swept = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    if extent == Extent::UntilBroken
        && let Some(first) = first_broken(&swept)
    {
        // Whether another thread got further is chance.
        swept.retain(|place, _| *place <= first);
    }
    raising_the_floor_never_helps(&postures, &swept, broken);
    let mut grid = Grid::default();
    let mut answers = Sha256::new();
    for (_, unit) in swept {
        grid.settlements = grid.settlements.saturating_add(unit.settlements);
        grid.repeated = grid.repeated.saturating_add(unit.repeated);
        for (tag, count) in unit.branches {
            let total = grid.branches.entry(tag).or_default();
            *total = total.saturating_add(count);
        }
        answers.update(unit.answers);
        fuel.settle = fuel.settle.max(unit.fuel);
        merge(broken, unit.broken);
    }
    grid.answers = Some(Digest::from_bytes(answers.finalize().into()));
    grid
}

fn first_broken(swept: &BTreeMap<usize, Swept>) -> Option<usize> {
    let mut units = swept.iter();
    units
        .find(|(_, unit)| !unit.broken.is_empty())
        .map(|(place, _)| *place)
}

/// Postures that differ in the floor alone stand beside each other, the floor rising.
fn raising_the_floor_never_helps(
    postures: &[(&Facets, &[Exchange])],
    swept: &BTreeMap<usize, Swept>,
    broken: &mut BrokenRules,
) {
    let violation = Violation::new(
        Rule::MonotoneFloor,
        "agreed on above a raised floor, and not, or on another version, before it was raised",
    );
    let mut before: Option<(&Facets, &Swept)> = None;
    for (place, unit) in swept {
        let Some(&(facets, exchanges)) = postures.get(*place) else {
            continue;
        };
        if let Some((lower, lower_swept)) = before
            && differ_in_floor_alone(lower, facets)
        {
            let pairs = lower_swept.agreed.iter().zip(&unit.agreed).zip(exchanges);
            for ((low, high), exchange) in pairs {
                if high.is_some() && high != low {
                    note(broken, &violation, || {
                        format!("{exchange:?} under {facets:?}")
                    });
                }
            }
        }
        before = Some((facets, unit));
    }
}

fn differ_in_floor_alone(lower: &Facets, higher: &Facets) -> bool {
    let alike = |lower: Option<&Facet>, higher: Option<&Facet>| match (lower, higher) {
        (Some(lower), Some(higher)) => {
            lower.offered == higher.offered && lower.preferred == higher.preferred
        }
        (lower, higher) => lower.is_none() && higher.is_none(),
    };
    alike(lower.a2a.as_ref(), higher.a2a.as_ref()) && alike(lower.mcp.as_ref(), higher.mcp.as_ref())
}

fn replay_all(
    loaded: &Loaded,
    grid: &mut Grid,
    fuel: &mut FuelFound,
    broken: &mut BrokenRules,
) -> Corpus {
    let mut corpus = Corpus::default();
    let limits = |problem: &str| Violation::new(Rule::Limits, problem);
    let Ok(negotiator) = loaded.clone().keep(1).configure(stand_in(), "") else {
        note(
            broken,
            &limits("cannot be configured with valid facets"),
            String::new,
        );
        return corpus;
    };
    for (tag, count) in proof::corpus_branches() {
        let total = grid.branches.entry(tag).or_default();
        *total = total.saturating_add(count);
    }
    let cases = match negotiation_vectors::cases() {
        Ok(cases) => cases,
        Err(error) => {
            let violation = Violation::new(Rule::Corpus, error.to_string());
            note(broken, &violation, || "the corpus itself".to_owned());
            return corpus;
        }
    };
    for case in cases {
        corpus.cases = corpus.cases.saturating_add(1);
        let (replayed, used) = proof::replay(&negotiator, &case);
        fuel.corpus = fuel.corpus.max(used);
        match replayed {
            Replayed::Held => corpus.held = corpus.held.saturating_add(1),
            Replayed::NotApplicable => {
                corpus.not_applicable = corpus.not_applicable.saturating_add(1);
            }
            Replayed::Broken(violation) => note(broken, &violation, || case.id.clone()),
        }
    }
    for (operation, request) in proof::largest() {
        dearest(&negotiator, operation, &request, fuel, broken);
    }
    corpus
}

fn dearest(
    negotiator: &Negotiator,
    operation: Operation,
    request: &str,
    fuel: &mut FuelFound,
    broken: &mut BrokenRules,
) {
    match negotiator.json_metered(operation, request) {
        Ok((_, used)) => fuel.largest = fuel.largest.max(used.negotiator),
        Err(_) => {
            let violation =
                Violation::new(Rule::Limits, "no answer to one of the largest requests");
            note(broken, &violation, || operation.to_string());
        }
    }
}
