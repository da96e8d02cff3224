//! The corpus, put to a component.

use negotiation_vectors::Case;

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

/// Puts one case to a component.
#[must_use]
pub fn replay(negotiator: &Negotiator, case: &Case) -> Replayed {
    let Ok(operation) = case.operation.parse::<Operation>() else {
        return Replayed::NotApplicable;
    };
    if needs_facets(operation) && !case.request.contains("\"facets\"") {
        return Replayed::NotApplicable;
    }
    match negotiator.json(operation, &case.request) {
        Ok(answer) if case.mismatches(&answer).is_empty() => Replayed::Held,
        Ok(_) => broken(Rule::Corpus, case, "answered otherwise than the case says"),
        Err(failure) => {
            let rule = match failure {
                CallError::AnswerMalformed(_) => Rule::Corpus,
                _ => Rule::Limits,
            };
            broken(rule, case, "did not answer")
        }
    }
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
