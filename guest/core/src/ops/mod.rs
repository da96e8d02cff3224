//! The operations over JSON text: the JSON contract.

mod request;
mod settle;
mod small;

use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;

use crate::decision::Policy;
use crate::facet::{Fault, Posture};
use crate::json::BadRequest;

/// An operation of the JSON contract that needs no policy to be configured.
pub use small::{check, digest, facets, fresh, rounds, task_state};

pub(crate) use request::{Freshness, read_facet};

/// Operations that decide under a posture.
pub use settle::{decide, record, refuse, settle};

/// The posture set by [`configure`], for the requests that bring none.
pub type Configured<'a> = Option<&'a Posture>;

/// What an operation answers: JSON text either way.
pub type Answer = Result<String, String>;

/// Why an operation gives no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpError {
    /// The request cannot be read.
    BadRequest(BadRequest),
    /// There is no posture to decide under.
    InvalidFacets(Vec<Fault>),
}

impl From<BadRequest> for OpError {
    fn from(bad: BadRequest) -> Self {
        Self::BadRequest(bad)
    }
}

impl From<Fault> for OpError {
    fn from(fault: Fault) -> Self {
        Self::BadRequest(fault.into())
    }
}

impl OpError {
    /// The error as JSON text.
    #[must_use]
    pub fn to_json(&self) -> String {
        #[derive(Serialize)]
        struct Outer<T> {
            error: T,
        }
        #[derive(Serialize)]
        struct Bad<'a> {
            code: &'static str,
            path: &'a str,
            problem: &'a str,
        }
        #[derive(Serialize)]
        struct Invalid<'a> {
            code: &'static str,
            faults: &'a [Fault],
        }
        match self {
            Self::BadRequest(bad) => to_json(&Outer {
                error: Bad {
                    code: "bad-request",
                    path: &bad.path,
                    problem: &bad.problem,
                },
            }),
            Self::InvalidFacets(faults) => to_json(&Outer {
                error: Invalid {
                    code: "invalid-facets",
                    faults,
                },
            }),
        }
    }
}

/// What `configure` asks for: the posture, and the settings of the policy.
///
/// # Errors
/// A request that cannot be read, or facets that break a rule.
pub fn configure(request: &str) -> Result<(Posture, String), OpError> {
    let value = crate::json::parse_request(request)?;
    let object = crate::json::Object::read("request", &value, &["facets", "settings"])?;
    let posture = request::posture(&object, None)?;
    let settings = object.text("settings")?.unwrap_or("");
    Ok((posture.into_owned(), settings.into()))
}

/// Runs an operation by name; `None` for a name that is none.
pub fn run(
    operation: &str,
    request: &str,
    configured: Configured<'_>,
    policy: &mut dyn Policy,
) -> Option<Answer> {
    let answer = match operation {
        "settle" => settle(request, configured, policy),
        "decide" => decide(request, configured, policy),
        "refuse" => refuse(request, configured),
        "record" => record(request, configured),
        "digest" => digest(request),
        "rounds" => rounds(request),
        "fresh" => fresh(request),
        "facets" => facets(request),
        "check" => check(request),
        "task-state" => task_state(request),
        _ => return None,
    };
    Some(answer.map_err(|error| error.to_json()))
}

/// Compact JSON text. Our own types cannot fail to be written.
pub fn to_json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
