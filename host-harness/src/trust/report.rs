//! What a signature needs of the gate's report.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::bounded;
use super::error::{FileError, StatementError};
use crate::artifact::Digest;

/// Which artifact a gate tried, how that ended, and the digest of the file that tells the whole
/// story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GateReport {
    /// The artifact that was tried.
    pub artifact: Digest,
    /// How it ended.
    pub outcome: Outcome,
    /// The digest of the report's bytes.
    pub digest: Digest,
}

/// How a gate ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The artifact may be installed.
    Passed,
    /// It may not.
    Failed,
}

/// A report is read for these two members; the rest of it is for people.
#[derive(Deserialize)]
struct Written {
    artifact: String,
    outcome: Outcome,
}

impl GateReport {
    /// Reads a report of at most 16 MiB.
    ///
    /// # Errors
    ///
    /// The file cannot be read. Inside of `Ok`: what is wrong with it.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Result<Self, StatementError>, FileError> {
        let text = bounded::read_text(path.as_ref(), MAX_REPORT)?;
        Ok(Self::from_json(&text))
    }

    /// Reads the text of a report: a JSON object, of which `artifact` (a digest, `sha256:…`) and
    /// `outcome` (`passed` or `failed`) are looked at.
    ///
    /// # Errors
    ///
    /// It is none.
    pub fn from_json(text: &str) -> Result<Self, StatementError> {
        let written: Written = serde_json::from_str(text).map_err(|_| StatementError {
            member: "report",
            problem: "must be JSON, an object with `artifact` and `outcome` (`passed` or `failed`)",
        })?;
        let artifact = written.artifact.parse().map_err(|_| StatementError {
            member: "artifact",
            problem: "must be `sha256:` and 64 hex digits in lower case",
        })?;
        Ok(Self {
            artifact,
            outcome: written.outcome,
            digest: Digest::of(text.as_bytes()),
        })
    }
}

const MAX_REPORT: u64 = 16 * 1024 * 1024;
