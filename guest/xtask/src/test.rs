//! `cargo xtask test`: every test, in every language whose runtime is here.

use std::path::PathBuf;

use crate::clients;
use crate::console;
use crate::dist;
use crate::hosts;
use crate::names;
use crate::policies;
use crate::replay::{self, Language};
use crate::steps::{Ended, Report};
use crate::ways_in;
use crate::workspace::{Workspace, run};

/// Runs the Rust tests, then the replays, then compares all answers, then does
/// the same to components made in other ways.
pub fn run_all(workspace: &Workspace, report: &mut Report) {
    report.step("test: rust", || {
        run(workspace.cargo().args(["test", "--locked"]))?;
        // The names that a component exports are no names for a library of this machine, so the
        // guest crates are tested without building one.
        let guest = ["--package", "policy-exact", "--package", "policy-highest"];
        let rules = ["--package", "policy-rules"];
        run(workspace
            .cargo()
            .args(["test", "--locked", "--lib"])
            .args(guest)
            .args(rules)
            .args(["--package", "negotiator-component"]))?;
        Ok(Ended::Passed)
    });
    report.step("test: none is missing", || {
        names::check(workspace)?;
        Ok(Ended::Passed)
    });

    let component = dist::negotiator(workspace);
    let mut answers: Vec<PathBuf> = Vec::new();
    for (language, wasm) in [
        (Language::Python, component.clone()),
        (Language::Node, component),
        (Language::NodeCore, dist::core_module(workspace)),
    ] {
        let name = format!("test: replay in {}", language.name());
        let kept = workspace
            .path("target/replay")
            .join(format!("{}.jsonl", language.name()));
        report.step(&name, || replay::replay(workspace, language, &wasm, &kept));
        answers.push(kept);
    }

    report.step("test: all answers the same", || {
        // What was skipped or failed has a line of its own in the table.
        answers.retain(|path| path.is_file());
        replay::compare(&answers)
    });
    let load = hosts::Load {
        settles: 0,
        threads: 1,
        tests: true,
    };
    if let Err(error) = hosts::run(workspace, &[], load, report) {
        report.step("test: hosts", || Err(error));
    }
    report.step("test: published clients and servers", || {
        clients::run_all(workspace)
    });
    report.step("test: console", || console::run_all(workspace));
    policies::run_all(workspace, report);
    ways_in::run_all(workspace, report);
}
