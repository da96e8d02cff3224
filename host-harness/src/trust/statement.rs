//! The in-toto Statement, version 1: which artifact, and what is said about it.

use serde::{Deserialize, Serialize};

use super::error::StatementError;
use super::report::{GateReport, Outcome};
use crate::artifact::{Artifact, Digest};

/// What a signer says about artifacts: that they may be used, and, where there is one, the
/// result of a gate that tried them.
///
/// Read and written as an in-toto Statement v1. Two predicates are understood, and any other is
/// an error, since it might say the contrary:
///
/// - [`Statement::APPROVAL`], without content;
/// - [`Statement::TEST_RESULT`]: `result` is the outcome of the gate, the first item of
///   `configuration` names the digest of its report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    subjects: Vec<Subject>,
    gate: Option<GateReport>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Subject {
    name: Option<String>,
    digest: Digest,
}

impl Statement {
    /// The predicate type of an approval without a gate result.
    pub const APPROVAL: &'static str = "urn:openwop:negotiation:approval:v1";
    /// The predicate type of a gate result: in-toto's test result.
    pub const TEST_RESULT: &'static str = "https://in-toto.io/attestation/test-result/v0.1";

    /// Approves an artifact.
    #[must_use]
    pub fn about(artifact: &Artifact) -> Self {
        Self {
            subjects: vec![Subject {
                name: None,
                digest: artifact.digest(),
            }],
            gate: None,
        }
    }

    /// Calls the subject by a name. Names are for people: only digests are compared.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        for subject in &mut self.subjects {
            subject.name = Some(name.to_owned());
        }
        self
    }

    /// Adds the result of the gate.
    ///
    /// # Errors
    ///
    /// The report is about other bytes.
    pub fn with_gate(mut self, report: GateReport) -> Result<Self, StatementError> {
        if !self.is_about(report.artifact) {
            return Err(StatementError {
                member: "artifact",
                problem: "must be the digest of the artifact that is signed",
            });
        }
        self.gate = Some(report);
        Ok(self)
    }

    /// Whether an artifact with this digest is among the subjects.
    #[must_use]
    pub fn is_about(&self, digest: Digest) -> bool {
        self.subjects.iter().any(|subject| subject.digest == digest)
    }

    /// The result of the gate, where the statement has one. Of a statement that was read,
    /// `artifact` is its first subject.
    #[must_use]
    pub fn gate(&self) -> Option<&GateReport> {
        self.gate.as_ref()
    }

    /// The JSON form, always the same bytes for the same statement.
    #[must_use]
    pub fn to_json(&self) -> String {
        let subject = self.subjects.iter().map(|subject| Resource {
            name: subject.name.clone(),
            digest: Some(Digests::of(subject.digest)),
        });
        let (predicate_type, predicate) = match &self.gate {
            None => (Self::APPROVAL, None),
            Some(report) => {
                let configuration = vec![Resource {
                    name: Some(REPORT_NAME.to_owned()),
                    digest: Some(Digests::of(report.digest)),
                }];
                let predicate = TestResult {
                    result: match report.outcome {
                        Outcome::Passed => PASSED.to_owned(),
                        Outcome::Failed => FAILED.to_owned(),
                    },
                    configuration,
                };
                (Self::TEST_RESULT, Some(predicate))
            }
        };
        let written = Written {
            kind: STATEMENT.to_owned(),
            subject: subject.collect(),
            predicate_type: predicate_type.to_owned(),
            predicate,
        };
        // Strings and lists of them cannot fail to be written.
        serde_json::to_string(&written).unwrap_or_default()
    }

    /// Reads a payload.
    pub(super) fn read(payload: &[u8]) -> Result<Self, StatementError> {
        let written: Head = serde_json::from_slice(payload).map_err(|_| {
            wrong(
                "payload",
                "must be JSON, an in-toto statement with `_type`, `subject` and `predicateType`",
            )
        })?;
        if written.kind != STATEMENT {
            return Err(wrong("_type", "must be `https://in-toto.io/Statement/v1`"));
        }
        let subjects: Vec<_> = written
            .subject
            .into_iter()
            // Subjects of other digest algorithms are not ours to compare.
            .filter_map(|subject| {
                let digest = subject.digest?.sha256?;
                Some((subject.name, digest))
            })
            .map(|(name, digest)| {
                let digest = read_digest("subject.digest.sha256", &digest)?;
                Ok(Subject { name, digest })
            })
            .collect::<Result<_, _>>()?;
        let first = subjects
            .first()
            .ok_or_else(|| wrong("subject", "must have an item with `digest.sha256`"))?;
        let gate = match written.predicate_type.as_str() {
            Self::APPROVAL => None,
            Self::TEST_RESULT => Some(read_result(payload, first.digest)?),
            _ => {
                return Err(wrong(
                    "predicateType",
                    "must be that of an approval or of a test result",
                ));
            }
        };
        Ok(Self { subjects, gate })
    }
}

fn read_result(payload: &[u8], artifact: Digest) -> Result<GateReport, StatementError> {
    let whole: Whole = serde_json::from_slice(payload).map_err(|_| {
        wrong(
            "predicate",
            "must be a test result with `result` and `configuration`",
        )
    })?;
    let outcome = match whole.predicate.result.as_str() {
        PASSED => Outcome::Passed,
        FAILED => Outcome::Failed,
        // Among them `WARNED`: the gate has no warnings.
        _ => return Err(wrong("predicate.result", "must be `PASSED` or `FAILED`")),
    };
    let report = whole
        .predicate
        .configuration
        .into_iter()
        .find(|resource| resource.name.as_deref() == Some(REPORT_NAME))
        .and_then(|resource| resource.digest?.sha256)
        .ok_or_else(|| {
            wrong(
                "predicate.configuration",
                "must have the item `gate-report` with `digest.sha256`",
            )
        })?;
    Ok(GateReport {
        artifact,
        outcome,
        digest: read_digest("predicate.configuration", &report)?,
    })
}

fn read_digest(member: &'static str, hex: &str) -> Result<Digest, StatementError> {
    format!("sha256:{hex}")
        .parse()
        .map_err(|_| wrong(member, "must be 64 hex digits in lower case"))
}

fn wrong(member: &'static str, problem: &'static str) -> StatementError {
    StatementError { member, problem }
}

/// As written. Unknown members are ignored when read, as in-toto has it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    #[serde(rename = "_type")]
    kind: String,
    subject: Vec<Resource>,
    predicate_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    predicate: Option<TestResult>,
}

/// What is read before it is known which predicate there is.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    #[serde(rename = "_type")]
    kind: String,
    subject: Vec<Resource>,
    predicate_type: String,
}

#[derive(Deserialize)]
struct Whole {
    predicate: TestResult,
}

#[derive(Serialize, Deserialize)]
struct TestResult {
    result: String,
    configuration: Vec<Resource>,
}

#[derive(Serialize, Deserialize)]
struct Resource {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default)]
    digest: Option<Digests>,
}

#[derive(Serialize, Deserialize)]
struct Digests {
    #[serde(default)]
    sha256: Option<String>,
}

impl Digests {
    fn of(digest: Digest) -> Self {
        Self {
            sha256: Some(digest.hex()),
        }
    }
}

const STATEMENT: &str = "https://in-toto.io/Statement/v1";
const REPORT_NAME: &str = "gate-report";
const PASSED: &str = "PASSED";
const FAILED: &str = "FAILED";
