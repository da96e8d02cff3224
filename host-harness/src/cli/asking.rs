//! Asks the component, one request at a time.

use negotiator::error::CallError;
use negotiator::types::Facets;
use negotiator::{Loaded, Negotiator, Operation};
use serde::de::IgnoredAny;

use super::answer::{Answer, ErrorObject};
use super::component;
use super::exit::Failure;
use super::members::Members;

/// A component that answers requests.
pub(crate) struct Asked {
    negotiator: Negotiator,
    has_facets: bool,
}

impl Asked {
    /// With facets for the requests that bring none. Without them such a request is an error.
    pub(crate) fn new(loaded: &Loaded, facets: Option<Facets>) -> Result<Self, Failure> {
        let has_facets = facets.is_some();
        let negotiator = match facets {
            Some(facets) => component::configured(loaded, facets)?,
            None => component::without_facets(loaded)?,
        };
        Ok(Self {
            negotiator,
            has_facets,
        })
    }

    /// One request, one answer.
    pub(crate) fn ask(&self, operation: Operation, request: &str) -> Answer {
        let answer = match self.negotiator.json(operation, request) {
            Ok(answer) => answer,
            Err(failure) => return Answer::Failed(failure),
        };
        judged(answer, operation, request, self.has_facets)
    }
}

/// What is made of a component's answer; `has_facets` is whether there are any for requests that
/// bring none.
pub(crate) fn judged(
    answer: Result<String, String>,
    operation: Operation,
    request: &str,
    has_facets: bool,
) -> Answer {
    let (Ok(text) | Err(text)) = &answer;
    if !is_one_line(text) {
        let problem = "an answer that is not an object of JSON in one line".to_owned();
        return Answer::Failed(CallError::AnswerMalformed(problem));
    }
    // The request as a whole is all that is looked at before its facets.
    if !has_facets && lacks_facets(operation, request) && !is_about_the_whole(text) {
        return Answer::bad_request("facets", "is missing");
    }
    match answer {
        Ok(text) => Answer::Given(text),
        Err(text) => Answer::Error(text),
    }
}

fn lacks_facets(operation: Operation, request: &str) -> bool {
    matches!(
        operation,
        Operation::Settle | Operation::Refuse | Operation::Decide | Operation::Record
    ) && Members::of(request).is_ok_and(|members| members.get("facets").is_none())
}

fn is_about_the_whole(answer: &str) -> bool {
    matches!(
        ErrorObject::read(answer),
        Some(ErrorObject::BadRequest { path, .. }) if path == "request"
    )
}

/// Whether an answer can stand in a line of its own: a component of somebody else may answer
/// anything.
fn is_one_line(answer: &str) -> bool {
    answer.starts_with('{')
        && answer.bytes().all(|byte| byte >= b' ')
        && serde_json::from_str::<IgnoredAny>(answer).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_an_object_in_one_line() {
        assert!(is_one_line(r#"{"a":[1,"x"]}"#));
        for other in [
            "",
            "[]",
            "{",
            "{}\n",
            "{\n}",
            r#"{"a":1}{}"#,
            " {}",
            "{\"a\":\"\u{7}\"}",
        ] {
            assert!(!is_one_line(other), "{other:?}");
        }
    }
}
