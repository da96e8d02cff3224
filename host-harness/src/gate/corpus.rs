//! The corpus, replayed with a policy.

use negotiation_vectors::Case;

use super::report::{CorpusReport, FailureKind};
use super::trial::Trial;
use crate::runtime::{Negotiator, Operation, broke_contract};

/// Settles and decides every case that has a decision, twice. What a case expects is not
/// looked at: it tells of the default policy.
pub(super) fn run(
    trial: &Trial<'_>,
    cases: &[Case],
    negotiator: &Negotiator,
    mut trouble: impl FnMut(FailureKind, String),
) -> CorpusReport {
    let cases = cases.iter().filter_map(|case| {
        let operation = match case.operation.as_str() {
            "settle" => Operation::Settle,
            "decide" => Operation::Decide,
            _ => return None,
        };
        Some((operation, case))
    });
    let mut count = 0_u64;
    for (operation, case) in cases {
        if trial.is_late() {
            trouble(FailureKind::Late, case.id.clone());
            break;
        }
        count = count.saturating_add(1);
        let [first, second] = [(); 2].map(|()| match operation {
            Operation::Settle => negotiator.settle_json(&case.request),
            _ => negotiator
                .json(operation, &case.request)
                .map(|answer| (answer, None)),
        });
        if first != second {
            trouble(FailureKind::NonDeterminism, case.id.clone());
        }
        match &first {
            Err(failure) | Ok((_, Some(failure))) => {
                trouble(FailureKind::of(failure), case.id.clone());
            }
            Ok((Ok(answer), None)) if broke_contract(answer) => {
                trouble(FailureKind::ContractBreach, case.id.clone());
            }
            Ok(_) => {}
        }
    }
    CorpusReport {
        digest: negotiation_vectors::digest(),
        cases: count,
    }
}
