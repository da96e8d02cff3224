//! `cargo xtask mutants`: small changes to the rules, each of which a test must notice.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::certify::MUTANTS;
use crate::workspace::{Workspace, output, run};

/// Reasons why a mutant may live, by its name without the line.
const REASONS: &str = "tests/mutants/reasons.json";
/// How to get the tool.
const INSTALL: &str = "cargo install --locked cargo-mutants";
/// The package that is mutated, and where it lies.
const PACKAGE: &str = "negotiation-core";
const FOLDER: &str = "guest/core";

/// What became of all mutants.
#[derive(Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Score {
    /// The mutants that could be built.
    pub mutants: usize,
    /// A test failed, or never ended.
    pub caught: usize,
    /// No test noticed, and there is a reason why.
    pub excused: usize,
    /// No test noticed.
    pub missed: usize,
}

/// Makes mutants of everything, or of what changed since a commit, and counts who lives. The score
/// of everything is kept in a file, for the certificate.
pub fn run_all(workspace: &Workspace, changed_since: Option<&str>) -> Result<()> {
    let installed = workspace.cargo().args(["mutants", "--version"]).output();
    if !installed.is_ok_and(|output| output.status.success()) {
        bail!("cargo-mutants is not installed: `{INSTALL}`");
    }
    let folder = workspace.path("target/mutants");
    fs::create_dir_all(&folder)?;
    let mut cargo = workspace.cargo();
    cargo.args(["mutants", "--package", PACKAGE]);
    for tests in [PACKAGE, "negotiation-mutants"] {
        cargo.args(["--test-package", tests]);
    }
    cargo.args(["--jobs", "1", "--no-shuffle", "--timeout", "120"]);
    cargo.arg("--output").arg(&folder);
    if let Some(commit) = changed_since {
        let mut git = workspace.command("git");
        let changed = output(git.args(["diff", commit, "--", FOLDER]))?;
        if changed.is_empty() {
            println!("nothing changed in {FOLDER} since {commit}");
            return Ok(());
        }
        let path = folder.join("changed.diff");
        fs::write(&path, changed)?;
        cargo.arg("--in-diff").arg(path);
    }
    // It fails where a mutant lives; whether that is excused is found out here.
    let ended = run(&mut cargo);
    let outcomes = fs::read_to_string(folder.join("mutants.out/outcomes.json"));
    let Ok(outcomes) = outcomes else {
        return ended.context("cargo-mutants left no outcomes");
    };
    let reasons = fs::read_to_string(workspace.path(REASONS))?;
    let reasons: BTreeMap<String, String> = serde_json::from_str(&reasons)?;
    let (score, missed) = count(&serde_json::from_str(&outcomes)?, &reasons);
    println!(
        "{} mutants: {} caught, {} excused, {} missed",
        score.mutants, score.caught, score.excused, score.missed
    );
    if changed_since.is_none() {
        let mut text = serde_json::to_string_pretty(&score)?;
        text.push('\n');
        fs::write(workspace.path(MUTANTS), text)?;
    }
    if !missed.is_empty() {
        bail!(
            "no test notices these; write one, or a reason in {REASONS}:\n  {}",
            missed.join("\n  ")
        );
    }
    Ok(())
}

/// The score, and the names of those that live without a reason.
fn count(outcomes: &Value, reasons: &BTreeMap<String, String>) -> (Score, Vec<String>) {
    let mut score = Score::default();
    let mut missed = Vec::new();
    let list = outcomes.get("outcomes").and_then(Value::as_array);
    for outcome in list.into_iter().flatten() {
        let Some(mutant) = outcome.pointer("/scenario/Mutant") else {
            continue;
        };
        match outcome.get("summary").and_then(Value::as_str) {
            Some("CaughtMutant" | "Timeout") => score.caught = score.caught.saturating_add(1),
            Some("MissedMutant") => {
                let name = name(mutant);
                if reasons.contains_key(&name) {
                    score.excused = score.excused.saturating_add(1);
                } else {
                    score.missed = score.missed.saturating_add(1);
                    missed.push(name);
                }
            }
            _ => continue,
        }
        score.mutants = score.mutants.saturating_add(1);
    }
    (score, missed)
}

/// `FILE: what was changed`, without the line: lines move.
fn name(mutant: &Value) -> String {
    let text = |member: &str| mutant.get(member).and_then(Value::as_str).unwrap_or("?");
    let file = text("file");
    let whole = text("name");
    // The name begins with `FILE:LINE:COLUMN: `.
    let what = whole.splitn(4, ':').nth(3).unwrap_or(whole).trim();
    format!("{file}: {what}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn mutants_are_counted_and_those_with_a_reason_excused() {
        let outcome = |name: &str, summary: &str| json!({"scenario": {"Mutant": {"file": "a.rs", "name": name}}, "summary": summary});
        let outcomes = json!({"outcomes": [
            {"scenario": "Baseline", "summary": "Success"},
            outcome("a.rs:1:2: replace x with y", "CaughtMutant"),
            outcome("a.rs:2:2: replace x with z", "Timeout"),
            outcome("a.rs:3:2: replace < with <=", "MissedMutant"),
            outcome("a.rs:4:2: replace a::b -> c with d", "MissedMutant"),
            outcome("a.rs:5:2: replace q", "Unviable"),
        ]});
        let reasons = BTreeMap::from([("a.rs: replace < with <=".to_owned(), "same".to_owned())]);
        let (score, missed) = count(&outcomes, &reasons);
        let expected = Score {
            mutants: 4,
            caught: 2,
            excused: 1,
            missed: 1,
        };
        assert_eq!(score, expected);
        assert_eq!(missed, ["a.rs: replace a::b -> c with d"]);
    }
}
