//! What a line of input is answered with.

use std::fmt;
use std::io::{self, Write as _};

use negotiator::error::CallError;
use negotiator::types::Fault;
use serde::{Deserialize, Serialize};

use super::exit::Failure;

/// An answer, or why there is none. Either way it is one line.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The answer, JSON text.
    Given(String),
    /// The error object of the JSON contract, JSON text.
    Error(String),
    /// The component failed.
    Failed(CallError),
}

impl Answer {
    /// A request that could not be read.
    pub(crate) fn bad_request(path: &str, problem: &str) -> Self {
        Self::error(&ErrorObject::BadRequest {
            path: path.to_owned(),
            problem: problem.to_owned(),
        })
    }

    /// Facets, or settings of the policy, that break a rule.
    pub(crate) fn invalid_facets(faults: Vec<Fault>) -> Self {
        let faults = faults.into_iter().map(OneFault::from).collect();
        Self::error(&ErrorObject::InvalidFacets { faults })
    }

    fn error(object: &ErrorObject) -> Self {
        Self::Error(line(object))
    }

    /// The line to write.
    pub(crate) fn line(&self) -> String {
        match self {
            Self::Given(text) | Self::Error(text) => text.clone(),
            Self::Failed(failure) => line(&ErrorObject::ComponentFailed {
                problem: failure.to_string(),
            }),
        }
    }

    /// What went wrong, in words.
    pub(crate) fn problem(&self) -> Option<String> {
        match self {
            Self::Given(_) => None,
            Self::Error(text) => Some(match ErrorObject::read(text) {
                Some(object) => object.to_string(),
                None => "the component gave an error that cannot be read".to_owned(),
            }),
            Self::Failed(failure) => Some(format!("the component failed: {failure}")),
        }
    }
}

/// The error object of the JSON contract.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub(crate) enum ErrorObject {
    /// A request that could not be read.
    BadRequest { path: String, problem: String },
    /// There is no posture to decide under.
    InvalidFacets { faults: Vec<OneFault> },
    /// Of the command line alone: there is no answer, for no fault of the request.
    ComponentFailed { problem: String },
}

/// One thing wrong with facets.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct OneFault {
    pub(crate) path: String,
    pub(crate) problem: String,
}

#[derive(Serialize, Deserialize)]
struct Outer<T> {
    error: T,
}

impl ErrorObject {
    /// Reads the error that a component answered with.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let outer: Outer<Self> = serde_json::from_str(text).ok()?;
        Some(outer.error)
    }
}

impl From<Fault> for OneFault {
    fn from(fault: Fault) -> Self {
        Self {
            path: fault.path,
            problem: fault.problem,
        }
    }
}

impl fmt::Display for ErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadRequest { path, problem } => write!(f, "{path}: {problem}"),
            Self::InvalidFacets { faults } => {
                let faults = faults
                    .iter()
                    .map(|fault| format!("{}: {}", fault.path, fault.problem));
                f.write_str(&faults.collect::<Vec<_>>().join("; "))
            }
            Self::ComponentFailed { problem } => f.write_str(problem),
        }
    }
}

/// Writes one line of JSON to standard output.
pub(crate) fn print<T: Serialize>(value: &T) -> Result<(), Failure> {
    print_text(&to_line(value))
}

/// Writes a line that is JSON already to standard output.
pub(crate) fn print_text(line: &str) -> Result<(), Failure> {
    writeln!(io::stdout(), "{line}").map_err(Failure::unwritable)
}

/// Writes text as it is to standard output: tables for people, whole files.
pub(crate) fn print_whole(text: &str) -> Result<(), Failure> {
    let mut output = anstream::stdout().lock();
    let written = output.write_all(text.as_bytes());
    written
        .and_then(|()| output.flush())
        .map_err(Failure::unwritable)
}

/// One line of JSON. Our own types cannot fail to be written.
fn to_line<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn line(error: &ErrorObject) -> String {
    to_line(&Outer { error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_written_as_the_contract_has_them() {
        let bad = Answer::bad_request("exchange.protocol", "must be \"a2a\" or \"mcp\"");
        let text = r#"{"error":{"code":"bad-request","path":"exchange.protocol","problem":"must be \"a2a\" or \"mcp\""}}"#;
        assert_eq!(bad.line(), text);
        assert_eq!(
            bad.problem().unwrap(),
            "exchange.protocol: must be \"a2a\" or \"mcp\""
        );
        let fault = Fault {
            path: "a2a.minimumVersion".to_owned(),
            problem: "above-preferred".to_owned(),
        };
        let invalid = Answer::invalid_facets(vec![fault]);
        let text = r#"{"error":{"code":"invalid-facets","faults":[{"path":"a2a.minimumVersion","problem":"above-preferred"}]}}"#;
        assert_eq!(invalid.line(), text);
        assert_eq!(
            invalid.problem().unwrap(),
            "a2a.minimumVersion: above-preferred"
        );
    }
}
