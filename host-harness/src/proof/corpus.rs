//! The corpus, put to a component.

use std::collections::BTreeMap;

use negotiation_model as model;
use negotiation_vectors::Case;
use serde_json::Value;

use super::rules::{Rule, Violation};
use crate::error::CallError;
use crate::{Negotiator, Operation};

/// What became of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// The answer was the one expected.
    Held,
    /// The case cannot be put to a configured negotiator: it is about an operation, or about
    /// missing facets, that only the JSON interface by itself has.
    NotApplicable,
    /// The answer was another one, or there was none.
    Broken(Violation),
}

/// Puts one case to a component. The fuel that it took comes with it.
#[must_use]
pub fn replay(negotiator: &Negotiator, case: &Case) -> (Replayed, u64) {
    let Ok(operation) = case.operation.parse::<Operation>() else {
        return (Replayed::NotApplicable, 0);
    };
    if needs_facets(operation) && !case.request.contains("\"facets\"") {
        return (Replayed::NotApplicable, 0);
    }
    match negotiator.json_metered(operation, &case.request) {
        Ok((answer, fuel)) => {
            let replayed = if case.mismatches(&answer).is_empty() {
                Replayed::Held
            } else {
                broken(Rule::Corpus, case, "answered otherwise than the case says")
            };
            (replayed, fuel.negotiator)
        }
        Err(failure) => {
            let rule = match failure {
                CallError::AnswerMalformed(_) => Rule::Corpus,
                _ => Rule::Limits,
            };
            (broken(rule, case, "did not answer"), 0)
        }
    }
}

/// How many cases of the corpus reach each branch of the rules, as the model tells: the branches of
/// reading, which no typed exchange goes through.
#[must_use]
pub fn corpus_branches() -> BTreeMap<&'static str, u64> {
    let mut reached = BTreeMap::new();
    for case in negotiation_vectors::cases().unwrap_or_default() {
        let Ok(request) = serde_json::from_str::<Value>(&case.request) else {
            continue;
        };
        let modelled = match case.operation.as_str() {
            "settle" | "decide" => model::read(&request).map(|(_, branches)| branches.tags()),
            "refuse" => model::refuse(&request).map(|modelled| modelled.branches),
            _ => continue,
        };
        for tag in modelled.unwrap_or_default() {
            let count: &mut u64 = reached.entry(tag).or_default();
            *count = count.saturating_add(1);
        }
    }
    reached
}

/// Whether an operation takes the configured facets when the request brings none.
const fn needs_facets(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::Settle | Operation::Decide | Operation::Refuse | Operation::Record
    )
}

fn broken(rule: Rule, case: &Case, problem: &str) -> Replayed {
    let problem = format!("{} ({}): {problem}", case.id, case.rule);
    Replayed::Broken(Violation::new(rule, problem))
}
