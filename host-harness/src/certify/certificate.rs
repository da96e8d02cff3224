//! The certificate as an in-toto statement.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::findings::Report;
use super::{FUEL_MARGIN, seal};
use crate::Limits;
use crate::artifact::Digest;
use crate::proof::{self, Rule};

/// The type of the statement.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// The type of what it says.
pub const PREDICATE_TYPE: &str = "https://in-toto.io/attestation/test-result/v0.1";

/// A certificate: an in-toto Statement v1 with the predicate test-result v0.1.
///
/// Members beside those of the specification: `predicate.seal`, the digest of everything else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    #[serde(rename = "_type")]
    kind: String,
    subject: Vec<Subject>,
    #[serde(rename = "predicateType")]
    predicate_type: String,
    pub(super) predicate: Predicate,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Subject {
    name: String,
    digest: Sha256Digest,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sha256Digest {
    sha256: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Predicate {
    result: Outcome,
    pub(super) configuration: Vec<Resource>,
    passed_tests: Vec<String>,
    warned_tests: Vec<String>,
    failed_tests: Vec<String>,
    pub(super) seal: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Outcome {
    Passed,
    Failed,
}

/// A resource descriptor of in-toto, as far as it is used here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Resource {
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    digest: Option<Sha256Digest>,
    annotations: Map<String, Value>,
}

/// Something found out elsewhere that belongs on the certificate: the build, the mutants. Its
/// digest binds the file that it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    resource: Resource,
}

impl Evidence {
    /// Evidence with a name and the bytes of its file, a JSON object. None if they are none.
    #[must_use]
    pub fn new(name: &str, bytes: &[u8]) -> Option<Self> {
        let resource = Resource {
            name: format!("evidence/{name}"),
            digest: Some(sha256(Digest::of(bytes))),
            annotations: serde_json::from_slice(bytes).ok()?,
        };
        Some(Self { resource })
    }
}

impl Certificate {
    /// The certificate of what a run found; `name` is what the component's file is called.
    #[must_use]
    pub fn new(name: &str, report: &Report, evidence: &[Evidence]) -> Self {
        let mut configuration = of_this_proof(&report.limits);
        configuration.push(found(report));
        configuration.extend(evidence.iter().map(|evidence| evidence.resource.clone()));
        let (failed, passed): (Vec<Rule>, Vec<Rule>) = Rule::ALL
            .iter()
            .copied()
            .partition(|rule| report.broken.contains_key(rule));
        let names = |rules: Vec<Rule>| rules.iter().map(ToString::to_string).collect();
        let mut certificate = Self {
            kind: STATEMENT_TYPE.to_owned(),
            subject: vec![Subject {
                name: name.to_owned(),
                digest: sha256(report.digest),
            }],
            predicate_type: PREDICATE_TYPE.to_owned(),
            predicate: Predicate {
                result: if report.passed() {
                    Outcome::Passed
                } else {
                    Outcome::Failed
                },
                configuration,
                passed_tests: names(passed),
                warned_tests: Vec::new(),
                failed_tests: names(failed),
                seal: String::new(),
            },
        };
        certificate.predicate.seal = seal::of(&certificate);
        certificate
    }

    /// The text of the certificate, in its canonical form: the only one that is accepted.
    #[must_use]
    pub fn text(&self) -> String {
        // Maps with text for keys, and no number that is not one: this cannot fail.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// What the component's file was called.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.subject.first().map(|subject| subject.name.as_str())
    }

    /// The evidence that it carries.
    #[must_use]
    pub fn evidence(&self) -> Vec<Evidence> {
        let carried = self.predicate.configuration.iter();
        carried
            .filter(|resource| resource.name.starts_with("evidence/"))
            .map(|resource| Evidence {
                resource: resource.clone(),
            })
            .collect()
    }

    /// The fuel of the dearest call that is on it.
    #[must_use]
    pub fn worst_fuel(&self) -> Option<u64> {
        let mut resources = self.predicate.configuration.iter();
        let found = resources.find(|resource| resource.name == FOUND)?;
        found.annotations.get("fuel")?.get("worst")?.as_u64()
    }

    pub(super) fn kinds(&self) -> (&str, &str) {
        (&self.kind, &self.predicate_type)
    }

    pub(super) fn is_about(&self, digest: Digest) -> bool {
        matches!(self.subject.as_slice(), [subject] if subject.digest == sha256(digest))
    }

    pub(super) fn passed(&self) -> bool {
        let rules = Rule::ALL.iter().map(ToString::to_string);
        let predicate = &self.predicate;
        predicate.result == Outcome::Passed
            && predicate.failed_tests.is_empty()
            && predicate.warned_tests.is_empty()
            && rules.eq(predicate.passed_tests.iter().cloned())
    }
}

/// What the proof consists of; a certificate of another proof says nothing about this one.
pub(super) fn of_this_proof(limits: &Limits) -> Vec<Resource> {
    let resource = |name: &str, digest: Option<String>, annotations: Value| Resource {
        name: name.to_owned(),
        digest: digest.map(|sha256| Sha256Digest { sha256 }),
        annotations: object(annotations),
    };
    vec![
        resource(
            "negotiator",
            None,
            json!({"version": env!("CARGO_PKG_VERSION"), "wasmtime": WASMTIME}),
        ),
        resource(
            "corpus",
            Some(negotiation_vectors::digest()),
            json!({"files": negotiation_vectors::FILES.len()}),
        ),
        resource(
            "grid",
            None,
            json!({"decisions": proof::decisions(), "contexts": proof::contexts().len()}),
        ),
        resource(
            "limits",
            None,
            json!({
                "fuel": limits.fuel,
                "deadlineMs": u64::try_from(limits.deadline.as_millis()).unwrap_or(u64::MAX),
                "memory": limits.memory,
                "tableElements": limits.table_elements,
                "answer": limits.answer,
                "fuelMargin": FUEL_MARGIN,
            }),
        ),
    ]
}

fn found(report: &Report) -> Resource {
    let grid = &report.grid;
    let annotations = json!({
        "corpus": {
            "cases": report.corpus.cases,
            "held": report.corpus.held,
            "notApplicable": report.corpus.not_applicable,
        },
        "grid": {
            "settlements": grid.settlements,
            "repeated": grid.repeated,
            "answers": grid.answers.map(|digest| digest.to_string()),
        },
        "branches": grid.branches,
        "fuel": {
            "settle": report.fuel.settle,
            "corpus": report.fuel.corpus,
            "largest": report.fuel.largest,
            "worst": report.fuel.worst(),
        },
    });
    Resource {
        name: FOUND.to_owned(),
        digest: None,
        annotations: object(annotations),
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

fn sha256(digest: Digest) -> Sha256Digest {
    Sha256Digest {
        sha256: digest.hex(),
    }
}

const FOUND: &str = "found";
/// The engine, as in `Cargo.lock`.
const WASMTIME: &str = "48.0.8";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_is_the_one_in_the_lock_file() {
        let lock = include_str!("../../../Cargo.lock");
        let package = format!("name = \"wasmtime\"\nversion = \"{WASMTIME}\"\n");
        assert!(lock.contains(&package));
    }
}
