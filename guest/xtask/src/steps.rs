//! What was run, what failed, and what was skipped and why.

use std::env;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;

/// How a step ended, if it did not fail.
pub enum Ended {
    /// It ran and passed.
    Passed,
    /// It could not be run here; with CI=true that is a failure.
    Skipped(String),
    /// It could not be run here, and nothing is lost by that.
    NotNeeded(String),
}

/// The steps of one task, printed as a table at its end.
#[derive(Default)]
pub struct Report {
    steps: Vec<Step>,
}

impl Report {
    /// Runs one step; a failure is kept for the table, and the next step runs.
    pub fn step(&mut self, name: &str, step: impl FnOnce() -> Result<Ended>) {
        eprintln!("== {name}");
        let start = Instant::now();
        let (result, detail) = match step() {
            Ok(Ended::Passed) => ("passed", String::new()),
            Ok(Ended::Skipped(reason)) if in_ci() => ("FAILED", format!("skipped in CI: {reason}")),
            Ok(Ended::Skipped(reason)) => ("skipped", reason),
            Ok(Ended::NotNeeded(reason)) => ("not run", reason),
            Err(error) => ("FAILED", format!("{error:#}")),
        };
        if !detail.is_empty() {
            eprintln!("{result}: {detail}");
        }
        self.steps.push(Step {
            name: name.to_owned(),
            result,
            detail,
            took: start.elapsed(),
        });
    }

    /// Prints the table; fails if any step did.
    pub fn finish(self) -> ExitCode {
        if self.steps.is_empty() {
            return ExitCode::SUCCESS;
        }
        let width = self.steps.iter().map(|step| step.name.len()).max();
        let width = width.unwrap_or_default();
        println!();
        for step in &self.steps {
            let took = step.took.as_secs_f64();
            // The first line tells what it is about; the rest stands above.
            let detail = step.detail.lines().next().unwrap_or_default();
            println!(
                "{:width$}  {:7}  {took:>6.1} s  {detail}",
                step.name, step.result
            );
        }
        let failed = self.steps.iter().any(|step| step.result == "FAILED");
        if failed {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        }
    }
}

struct Step {
    name: String,
    result: &'static str,
    detail: String,
    took: Duration,
}

fn in_ci() -> bool {
    env::var("CI").is_ok_and(|value| value == "true")
}
