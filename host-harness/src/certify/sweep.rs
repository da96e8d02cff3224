//! One posture of the grid, swept: every exchange settled, checked and compared.

use std::collections::BTreeMap;

use negotiation_model as model;
use sha2::{Digest as _, Sha256};

use super::findings::{BrokenRules, note};
use crate::error::{CallError, OperationError};
use crate::proof::{self, Policy, Rule, Violation, settlement_text};
use crate::types::{Context, Decision, Exchange, Facets, HostRefusal, Settlement};
use crate::{Loaded, Negotiator};

/// What the sweep of one posture found.
pub(super) struct Swept {
    pub(super) settlements: u64,
    pub(super) repeated: u64,
    pub(super) branches: BTreeMap<&'static str, u64>,
    pub(super) fuel: u64,
    /// The digest of all answers.
    pub(super) answers: [u8; 32],
    /// The version agreed on in each exchange.
    pub(super) agreed: Vec<Option<String>>,
    pub(super) broken: BrokenRules,
}

/// What is swept.
pub(super) struct Unit<'a> {
    /// Its place in the grid: contexts and samples depend on it.
    pub(super) place: usize,
    pub(super) facets: &'a Facets,
    pub(super) exchanges: &'a [Exchange],
    pub(super) contexts: &'a [Context],
}

/// How many exchanges apart those are that are settled again, recorded and answered by themselves,
/// or refused.
const SAMPLE: usize = 8;

impl Unit<'_> {
    /// Sweeps with two instances of its own, so that what it finds depends on nothing else.
    pub(super) fn sweep(&self, loaded: &Loaded) -> Swept {
        let mut swept = Swept {
            settlements: 0,
            repeated: 0,
            branches: BTreeMap::new(),
            fuel: 0,
            answers: [0; 32],
            agreed: Vec::with_capacity(self.exchanges.len()),
            broken: BrokenRules::new(),
        };
        let configured = |_| loaded.clone().keep(1).configure(self.facets.clone(), "");
        let [Ok(first), Ok(second)] = [0, 1].map(configured) else {
            let violation = Violation::new(Rule::Limits, "cannot be configured with valid facets");
            note(&mut swept.broken, &violation, || self.at(None));
            return swept;
        };
        let mut hash = Sha256::new();
        let mut texts = Vec::new();
        for (index, exchange) in self.exchanges.iter().enumerate() {
            let text = self.one(index, exchange, &first, &mut swept);
            hash.update(text.as_deref().unwrap_or_default());
            hash.update([0]);
            if self.sampled(index) {
                texts.push((index, exchange, text));
            }
        }
        swept.answers = hash.finalize().into();
        // The other way round, and in an instance that has seen something else before.
        for (index, exchange, text) in texts.into_iter().rev() {
            let settled = self.again(index, exchange, text, &second, &mut swept);
            self.apart(index, exchange, settled, &second, &mut swept);
        }
        self.decided_alike(&first, &mut swept);
        self.authenticating_never_hurts(&mut swept);
        swept
    }

    fn one(
        &self,
        index: usize,
        exchange: &Exchange,
        negotiator: &Negotiator,
        swept: &mut Swept,
    ) -> Option<String> {
        let context = self.context(index)?;
        let settled = negotiator.settle_metered(exchange, context);
        swept.settlements = swept.settlements.saturating_add(1);
        let (settlement, fuel) = match settled {
            Ok(settled) => settled,
            Err(failure) => {
                swept.agreed.push(None);
                note(&mut swept.broken, &no_record(&failure), || {
                    self.at(Some(exchange))
                });
                return None;
            }
        };
        swept.fuel = swept.fuel.max(fuel.negotiator);
        swept.agreed.push(match &settlement.decision {
            Decision::Accepted(accepted) => Some(accepted.version.clone()),
            Decision::Refused(_) => None,
        });
        let mut broke = |violation: Violation| {
            note(&mut swept.broken, &violation, || self.at(Some(exchange)));
        };
        let checked = proof::check_settlement(self.facets, exchange, context, &settlement);
        let best = proof::check_best(self.facets, exchange, &settlement.decision);
        match (checked, best) {
            (Err(violation), _) => broke(violation),
            (Ok(()), Err(violation)) => broke(violation),
            (Ok(()), Ok(())) => {}
        }
        let text = settlement_text(&settlement);
        match proof::settled(self.facets, exchange, context, Policy::Highest) {
            Some(told) => {
                if told.text != text {
                    broke(differs("another settlement than the model's"));
                }
                count(&mut swept.branches, told.branches);
            }
            None => broke(differs("the model cannot settle it")),
        }
        Some(text)
    }

    fn again(
        &self,
        index: usize,
        exchange: &Exchange,
        text: Option<String>,
        negotiator: &Negotiator,
        swept: &mut Swept,
    ) -> Option<(Settlement, String)> {
        let settled = negotiator.settle_metered(exchange, self.context(index)?);
        let settled = settled.ok().map(|(settlement, _)| {
            let text = settlement_text(&settlement);
            (settlement, text)
        });
        swept.repeated = swept.repeated.saturating_add(1);
        if settled.as_ref().map(|(_, text)| text) != text.as_ref() {
            let problem = "another answer from a second instance";
            let violation = Violation::new(Rule::Determinism, problem);
            note(&mut swept.broken, &violation, || self.at(Some(exchange)));
        }
        settled
    }

    /// Record and reply by themselves, and the refusals that a host calls for.
    fn apart(
        &self,
        index: usize,
        exchange: &Exchange,
        settled: Option<(Settlement, String)>,
        negotiator: &Negotiator,
        swept: &mut Swept,
    ) {
        let (Some(context), Some(case)) = (self.context(index), proof::case(self.facets, exchange))
        else {
            return;
        };
        let mut broke = |problem: &str| {
            note(&mut swept.broken, &differs(problem), || {
                self.at(Some(exchange))
            });
        };
        if let Some((Settlement { decision, .. }, text)) = settled {
            let entry = negotiator.build(exchange, &decision, context);
            let reply = negotiator.reply(exchange, &decision, context.run_id.as_deref());
            let parts = entry.ok().zip(reply.ok()).map(|(entry, reply)| {
                settlement_text(&Settlement {
                    decision,
                    entry,
                    reply,
                })
            });
            if parts != Some(text) {
                broke("record and reply built apart are not those of the settlement");
            }
        }
        let value = proof::context_value(context);
        for (refusal, told) in [
            (
                HostRefusal::CredentialRequired,
                model::refuse_case(&case, &value),
            ),
            (
                HostRefusal::PolicyFailed,
                model::settle_case(&case, &value, Policy::Fails),
            ),
        ] {
            let refused = negotiator
                .refuse(exchange, context, refusal)
                .ok()
                .map(|settlement| settlement_text(&settlement));
            if refused != told.as_ref().ok().map(|told| told.text.clone()) {
                broke("another refusal than the model's where the host calls for one");
            }
            if let Ok(told) = told {
                count(&mut swept.branches, told.branches);
            }
        }
        let told = model::not_durable_case(&case);
        if proof::reply_text(&negotiator.not_durable(exchange)) != told.text {
            broke("another answer than the model's to a record that is not durable");
        }
        count(&mut swept.branches, told.branches);
    }

    /// `decide` says what `settle` said.
    fn decided_alike(&self, negotiator: &Negotiator, swept: &mut Swept) {
        let Ok(decided) = negotiator.decide_many(self.exchanges) else {
            let violation = Violation::new(Rule::Limits, "`decide-many` did not answer");
            note(&mut swept.broken, &violation, || self.at(None));
            return;
        };
        for ((exchange, decided), agreed) in self.exchanges.iter().zip(decided).zip(&swept.agreed) {
            let version = match &decided.decision {
                Decision::Accepted(accepted) => Some(&accepted.version),
                Decision::Refused(_) => None,
            };
            let checked = proof::check_decision(self.facets, exchange, &decided.decision);
            let checked = checked.and_then(|()| {
                if version == agreed.as_ref() && decided.failure.is_none() {
                    return Ok(());
                }
                Err(Violation::new(
                    Rule::Determinism,
                    "`decide` agrees on another version than `settle`",
                ))
            });
            if let Err(violation) = checked {
                note(&mut swept.broken, &violation, || self.at(Some(exchange)));
            }
        }
    }

    fn authenticating_never_hurts(&self, swept: &mut Swept) {
        let half = self.exchanges.len().div_euclid(2);
        let (with, without) = swept.agreed.split_at(half.min(swept.agreed.len()));
        let pairs = with.iter().zip(without);
        let worse = pairs
            .zip(self.exchanges)
            .filter(|((with, without), _)| without.is_some() && with != without);
        let violation = Violation::new(
            Rule::MonotoneAuthentication,
            "agreed on without a credential, and not with one",
        );
        for (_, exchange) in worse {
            note(&mut swept.broken, &violation, || self.at(Some(exchange)));
        }
    }

    fn context(&self, index: usize) -> Option<&Context> {
        let place = index.saturating_add(self.place);
        self.contexts
            .get(place.checked_rem(self.contexts.len()).unwrap_or(0))
    }

    fn sampled(&self, index: usize) -> bool {
        index.saturating_add(self.place).is_multiple_of(SAMPLE)
    }

    /// Where something was found: in values of the grid, which are ours.
    fn at(&self, exchange: Option<&Exchange>) -> String {
        match exchange {
            Some(exchange) => format!("{exchange:?} under {:?}", self.facets),
            None => format!("{:?}", self.facets),
        }
    }
}

fn count(branches: &mut BTreeMap<&'static str, u64>, reached: model::Branches) {
    for tag in reached.tags() {
        let count = branches.entry(tag).or_default();
        *count = count.saturating_add(1);
    }
}

fn differs(problem: &str) -> Violation {
    Violation::new(Rule::Model, problem)
}

fn no_record(failure: &OperationError) -> Violation {
    match failure {
        OperationError::Fault(_) => Violation::new(
            Rule::RecordExists,
            "an error instead of a decision and its record",
        ),
        OperationError::Call(CallError::Trap(_)) => {
            Violation::new(Rule::RecordExists, "a trap instead of a record")
        }
        OperationError::Call(_) => Violation::new(Rule::Limits, "no answer within the limits"),
    }
}
