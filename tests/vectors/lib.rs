//! The corpus that every host language replays (`README.md` says what a line means), built in, and
//! how an answer is held against a case.

use std::fmt::Write as _;

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

mod compare;

macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        /// Every file of the corpus, in byte order of the names: its name and its text.
        pub const FILES: &[(&str, &str)] = &[$(($name, include_str!($name))),+];
    };
}

files!(
    "check.jsonl",
    "decision.jsonl",
    "digest.jsonl",
    "errors.jsonl",
    "facets.jsonl",
    "field.jsonl",
    "outbound.jsonl",
    "reading-a2a.jsonl",
    "reading-mcp.jsonl",
    "record.jsonl",
    "small.jsonl",
);

/// One line of the corpus.
#[derive(Clone, Debug)]
pub struct Case {
    /// Unique over all files.
    pub id: String,
    /// The ruling, section or table that it shows.
    pub rule: String,
    /// The operation of the JSON contract.
    pub operation: String,
    /// The exact request text.
    pub request: String,
    line: Map<String, Value>,
}

/// A line that is no case: the corpus itself is broken.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{file}:{line}: {problem}")]
pub struct Broken {
    /// The file.
    pub file: &'static str,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: &'static str,
}

/// The whole corpus, in the order of file names and lines.
///
/// # Errors
///
/// A line that is no JSON object, or that lacks a member that each case has.
pub fn cases() -> Result<Vec<Case>, Broken> {
    let mut cases = Vec::new();
    for &(file, text) in FILES {
        for (line, text) in (1..).zip(text.lines()) {
            let case = read(text).map_err(|problem| Broken {
                file,
                line,
                problem,
            })?;
            cases.push(case);
        }
    }
    Ok(cases)
}

/// The digest of the corpus, 64 hex digits: SHA-256 of what `sha256sum *.jsonl` prints in its
/// folder (`LC_ALL=C`).
#[must_use]
pub fn digest() -> String {
    let mut sums = String::new();
    for (name, text) in FILES {
        // Writing to a string cannot fail.
        let _ = writeln!(sums, "{}  {name}", sha256(text));
    }
    sha256(&sums)
}

fn sha256(text: &str) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

fn read(line: &str) -> Result<Case, &'static str> {
    let line: Map<String, Value> = serde_json::from_str(line).map_err(|_| "is no JSON object")?;
    let text = |member: &str| line.get(member).and_then(Value::as_str).map(str::to_owned);
    let request = match text("requestText") {
        Some(text) => text,
        None => line
            .get("request")
            .ok_or("has neither `request` nor `requestText`")?
            .to_string(),
    };
    Ok(Case {
        id: text("id").ok_or("has no `id`")?,
        rule: text("rule").ok_or("has no `rule`")?,
        operation: text("op").ok_or("has no `op`")?,
        request,
        line,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_built_in() {
        let mut names: Vec<String> = std::fs::read_dir(env!("CARGO_MANIFEST_DIR"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".jsonl"))
            .collect();
        names.sort();
        let listed: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
        assert_eq!(listed, names);
    }

    #[test]
    fn every_line_is_a_case_and_no_id_comes_twice() {
        let cases = cases().unwrap();
        assert!(cases.len() >= 1_347, "{}", cases.len());
        let mut ids: Vec<_> = cases.iter().map(|case| &case.id).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), cases.len());
    }

    #[test]
    fn the_digest_is_the_one_that_sha256sum_gives() {
        // `sha256sum` of `a.jsonl` with "one\n" would print this line.
        assert_eq!(
            sha256("one\n"),
            "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806"
        );
        assert_eq!(digest().len(), 64);
    }

    #[test]
    fn a_broken_line_is_named() {
        assert_eq!(read("[]").unwrap_err(), "is no JSON object");
        assert_eq!(
            read(r#"{"id":"x","rule":"y","op":"z"}"#).unwrap_err(),
            "has neither `request` nor `requestText`"
        );
    }
}
