//! A whole request of the JSON contract, settled.

use serde_json::Value;

use crate::answer;
use crate::branch::{Branch, Branches};
use crate::case::{Case, Outcome, Policy};
use crate::decision::{credential_required, decide};
use crate::json::Json;
use crate::reading;
use crate::record;
use crate::request::{Context, context, facet, read_context};

/// What must come back.
#[derive(Debug, Clone, PartialEq)]
pub struct Modelled {
    /// The whole answer.
    pub answer: Value,
    /// The whole answer as compact text, members in the order of the contract.
    pub text: String,
    /// The record alone, as it goes on record; empty when there is none
    /// (`record-not-durable`).
    pub record: String,
    /// The tags of the branches reached, see [`crate::BRANCHES`].
    pub branches: Vec<&'static str>,
}

/// What must come back to a typed case, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The whole answer as compact text, members in the order of the contract.
    pub text: String,
    /// The branches reached.
    pub branches: Branches,
}

/// Settles a well-formed `settle` request under the default policy, [`Policy::Highest`].
///
/// # Errors
///
/// Facets or a context that are not valid, in words. Requests that break the contract in other
/// ways are not the business of the model: it may answer them or fail.
pub fn settle(request: &Value) -> Result<Modelled, String> {
    settle_with(request, Policy::Highest)
}

/// Settles a well-formed `settle` request under a policy.
///
/// # Errors
///
/// As [`settle`].
pub fn settle_with(request: &Value, policy: Policy) -> Result<Modelled, String> {
    let (case, tags) = read(request)?;
    let outcome = decide(&case, policy);
    settled(request, &case, &outcome, tags)
}

/// Answers a well-formed `refuse` request: a refusal that the host itself calls for.
///
/// # Errors
///
/// As [`settle`]; and an unknown `refusal`.
pub fn refuse(request: &Value) -> Result<Modelled, String> {
    let (case, mut tags) = read(request)?;
    match request.get("refusal").and_then(Value::as_str) {
        Some("policy-failed") => settle_with(request, Policy::Fails),
        Some("credential-required") => settled(request, &case, &credential_required(&case), tags),
        Some("record-not-durable") => {
            tags.reach(Branch::NotDurable);
            let answer = answer::not_durable(&case, &mut tags);
            Ok(modelled(
                Json::object([("answer", Some(answer))]),
                String::new(),
                tags,
            ))
        }
        _ => Err("refusal: must be one of three".to_owned()),
    }
}

/// Settles a typed case under a policy; `context` is that of a `settle` request.
///
/// # Errors
///
/// A context that is not valid, in words.
pub fn settle_case(case: &Case, context: &Value, policy: Policy) -> Result<Told, String> {
    let outcome = decide(case, policy);
    told(case, context, &outcome)
}

/// Refuses a typed case for want of a credential, whatever else holds (R14).
///
/// # Errors
///
/// As [`settle_case`].
pub fn refuse_case(case: &Case, context: &Value) -> Result<Told, String> {
    told(case, context, &credential_required(case))
}

/// The `answer` to a typed case whose record could not be made durable (R15), as text.
pub fn not_durable_case(case: &Case) -> Told {
    let mut branches = Branches::default();
    branches.reach(Branch::NotDurable);
    let text = answer::not_durable(case, &mut branches).text();
    Told { text, branches }
}

fn told(case: &Case, context: &Value, outcome: &Outcome) -> Result<Told, String> {
    let mut branches = outcome.branches;
    let (whole, _) = whole(case, outcome, &read_context(context)?, &mut branches);
    Ok(Told {
        text: whole.text(),
        branches,
    })
}

/// Reads the facets and the exchange of a request, and the branches that the reading reached.
///
/// # Errors
///
/// As [`settle`].
pub fn read(request: &Value) -> Result<(Case, Branches), String> {
    let facet = facet(request, reading::protocol(request)?)?;
    let mut tags = Branches::default();
    let case = reading::exchange(request, facet, &mut tags)?;
    Ok((case, tags))
}

fn settled(
    request: &Value,
    case: &Case,
    outcome: &Outcome,
    read: Branches,
) -> Result<Modelled, String> {
    let context = context(request)?;
    let mut tags = read | outcome.branches;
    let (whole, payload) = whole(case, outcome, &context, &mut tags);
    Ok(modelled(whole, payload.text(), tags))
}

/// The whole answer, and its payload alone.
fn whole(case: &Case, outcome: &Outcome, context: &Context, tags: &mut Branches) -> (Json, Json) {
    let payload = record::payload(case, outcome, context, tags);
    let entry = record::entry(case, payload.clone(), context, tags);
    let answer = answer::answer(case, outcome, context.run_id.as_deref(), tags);
    let whole = Json::object([
        ("outcome", Some(record::outcome_name(outcome).into())),
        (
            "version",
            outcome.version.map(|version| version.to_string().into()),
        ),
        ("reason", Some(outcome.reason.as_str().into())),
        ("cause", Some(outcome.cause.as_str().into())),
        (
            "requested",
            outcome.requested.map(|version| version.to_string().into()),
        ),
        ("downgraded", Some(outcome.downgraded.into())),
        ("record", Some(payload.clone())),
        ("entry", Some(entry)),
        ("answer", Some(answer)),
    ]);
    (whole, payload)
}

fn modelled(whole: Json, record: String, tags: Branches) -> Modelled {
    Modelled {
        answer: whole.value(),
        text: whole.text(),
        record,
        branches: tags.tags(),
    }
}
