//! Replays of the vectors in every host language, and the comparison of their
//! answers.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::dist;
use crate::steps::Ended;
use crate::workspace::{Workspace, is_installed, run};

/// A program that replays the vectors and writes the exact answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// wasmtime's component API in Python.
    Python,
    /// jco in Node.
    Node,
    /// The core module in Node, by the canonical ABI.
    NodeCore,
}

impl Language {
    /// Its name in reports and file names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Node => "node",
            Self::NodeCore => "node-core",
        }
    }

    fn program(self) -> (&'static str, &'static str) {
        match self {
            Self::Python => ("python3", "tests/replay/python/replay.py"),
            Self::Node => ("node", "tests/replay/node/replay.mjs"),
            Self::NodeCore => ("node", "tests/replay/node/core.mjs"),
        }
    }
}

/// Replays the vectors on the file `wasm`; the answers go to `answers`.
pub fn replay(
    workspace: &Workspace,
    language: Language,
    wasm: &Path,
    answers: &Path,
) -> Result<Ended> {
    if let Some(folder) = answers.parent() {
        fs::create_dir_all(folder)?;
    }
    // Answers of an earlier run must not be taken for this one's.
    if answers.exists() {
        fs::remove_file(answers)?;
    }
    let (interpreter, script) = language.program();
    if !is_installed(interpreter) {
        return Ok(Ended::Skipped(format!("{interpreter} is not installed")));
    }
    if language == Language::Node && !is_installed("npm") {
        return Ok(Ended::Skipped("npm is not installed".to_owned()));
    }
    let mut command = workspace.command(interpreter);
    command.arg(workspace.path(script)).arg(wasm);
    command.arg(workspace.path("tests/vectors")).arg(answers);
    run(&mut command)?;
    Ok(Ended::Passed)
}

/// Replays the vectors in Rust, on another component than `dist/negotiator.wasm`.
pub fn rust(workspace: &Workspace, component: &Path) -> Result<Ended> {
    let mut cargo = workspace.cargo();
    cargo.args([
        "test",
        "--locked",
        "--package",
        "negotiation-tests",
        "--test",
        "vectors",
    ]);
    cargo.env("NEGOTIATOR_COMPONENT", component);
    run(&mut cargo)?;
    Ok(Ended::Passed)
}

/// Replays the vectors on a component that was made in another way, and compares
/// its answers with those of `dist/negotiator.wasm`.
pub fn alike(workspace: &Workspace, component: &Path) -> Result<Ended> {
    rust(workspace, component)?;
    let folder = workspace.path("target/replay");
    let reference = folder.join("reference.jsonl");
    let other = folder.join("other.jsonl");
    for (wasm, answers) in [
        (dist::negotiator(workspace), &reference),
        (component.to_path_buf(), &other),
    ] {
        match replay(workspace, Language::Python, &wasm, answers)? {
            Ended::Passed => {}
            skipped => return Ok(skipped),
        }
    }
    compare(&[reference, other])
}

/// Compares files of answers, byte for byte; there must be two at least.
///
/// Errors: the ids that were answered differently, or by one file only.
pub fn compare(files: &[PathBuf]) -> Result<Ended> {
    let Some((first, others)) = files.split_first() else {
        return Ok(Ended::Skipped("nothing was replayed".to_owned()));
    };
    if others.is_empty() {
        let only = first.display();
        return Ok(Ended::Skipped(format!(
            "only {only} was replayed: nothing to compare with"
        )));
    }
    let expected = read(first)?;
    let mut problems = Vec::new();
    for other in others {
        let differing = differing(&expected, &read(other)?);
        if !differing.is_empty() {
            let shown = differing.iter().take(SHOWN).map(String::as_str);
            let shown: Vec<&str> = shown.collect();
            problems.push(format!(
                "{} and {} differ in {} of {} cases: {}",
                first.display(),
                other.display(),
                differing.len(),
                expected.len(),
                shown.join(", ")
            ));
        }
    }
    if !problems.is_empty() {
        bail!(problems.join("\n"));
    }
    println!(
        "{} files, {} answers each, byte for byte the same",
        files.len(),
        expected.len()
    );
    Ok(Ended::Passed)
}

// How many differing ids are shown.
const SHOWN: usize = 10;

#[derive(Deserialize)]
struct Line {
    id: String,
    answer: String,
}

fn read(path: &Path) -> Result<BTreeMap<String, String>> {
    let text =
        fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    answers(&text).with_context(|| format!("{} cannot be read", path.display()))
}

fn answers(text: &str) -> Result<BTreeMap<String, String>> {
    let mut answers = BTreeMap::new();
    for (number, line) in (1_u32..).zip(text.lines()) {
        let line: Line =
            serde_json::from_str(line).with_context(|| format!("line {number} is no answer"))?;
        if answers.insert(line.id.clone(), line.answer).is_some() {
            bail!("line {number}: the id {} stands there twice", line.id);
        }
    }
    if answers.is_empty() {
        bail!("there is no answer in it");
    }
    Ok(answers)
}

fn differing(left: &BTreeMap<String, String>, right: &BTreeMap<String, String>) -> Vec<String> {
    let mut ids: Vec<String> = left
        .iter()
        .filter(|(id, answer)| right.get(*id) != Some(answer))
        .map(|(id, _)| id.clone())
        .collect();
    ids.extend(right.keys().filter(|id| !left.contains_key(*id)).cloned());
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEFT: &str =
        "{\"id\":\"a\",\"answer\":\"{\\\"x\\\":1}\"}\n{\"id\":\"b\",\"answer\":\"{}\"}\n";

    #[test]
    fn equal_answers_in_any_order_do_not_differ() {
        let right: String = LEFT.lines().rev().map(|line| format!("{line}\n")).collect();
        assert!(differing(&answers(LEFT).unwrap(), &answers(&right).unwrap()).is_empty());
    }

    #[test]
    fn one_byte_a_missing_and_an_added_answer_all_count() {
        let spaced = LEFT.replace(":1}", ": 1}");
        let longer = format!("{LEFT}{{\"id\":\"c\",\"answer\":\"\"}}\n");
        let left = answers(LEFT).unwrap();
        assert_eq!(differing(&left, &answers(&spaced).unwrap()), ["a"]);
        assert_eq!(differing(&left, &answers(&longer).unwrap()), ["c"]);
        assert_eq!(differing(&answers(&longer).unwrap(), &left), ["c"]);
    }

    #[test]
    fn no_answers_and_repeated_ids_are_errors() {
        assert!(answers("").is_err());
        assert!(answers(&format!("{LEFT}{LEFT}")).is_err());
        assert!(answers("not JSON\n").is_err());
    }

    #[test]
    fn one_file_is_nothing_to_compare() {
        let ended = compare(&[PathBuf::from("only.jsonl")]).unwrap();
        assert!(matches!(ended, Ended::Skipped(reason) if reason.contains("only.jsonl")));
    }
}
