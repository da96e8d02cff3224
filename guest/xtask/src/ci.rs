//! `cargo xtask ci`: what CI runs, in the order of how fast it tells.

use crate::steps::{Ended, Report};
use crate::workspace::{Workspace, is_installed, run};
use crate::{certify, check, mutants, sabotage, sbom, test, wit_lint};

/// Runs everything; a failure does not keep the rest from running.
pub fn run_all(workspace: &Workspace, report: &mut Report) {
    report.step("format", || {
        run(workspace.cargo().args(["fmt", "--all", "--check"]))?;
        Ok(Ended::Passed)
    });
    report.step("wit-lint", || {
        wit_lint::run(workspace)?;
        Ok(Ended::Passed)
    });
    report.step("licences, bans and sources", || {
        if !is_installed("cargo-deny") {
            let how = "cargo install --locked cargo-deny@0.20.2";
            return Ok(Ended::Skipped(format!(
                "cargo-deny is not installed: `{how}`"
            )));
        }
        run(workspace
            .cargo()
            .args(["deny", "check", "licenses", "bans", "sources"]))?;
        Ok(Ended::Passed)
    });
    report.step("bill of materials", || {
        sbom::check(workspace)?;
        Ok(Ended::Passed)
    });
    if let Err(error) = check::run(workspace, None, report) {
        report.step("dist", || Err(error));
    }
    report.step("clippy", || {
        let all = ["clippy", "--workspace", "--all-targets", "--locked"];
        run(workspace.cargo().args(all).args(["--", "-D", "warnings"]))?;
        // The pluggable component is other code than the closed one.
        let pluggable = [
            "clippy",
            "--package",
            "negotiator-component",
            "--no-default-features",
        ];
        run(workspace
            .cargo()
            .args(pluggable)
            .args(["--locked", "--", "-D", "warnings"]))?;
        Ok(Ended::Passed)
    });
    test::run_all(workspace, report);
    report.step("certificate", || {
        certify::check(workspace)?;
        Ok(Ended::Passed)
    });
    if let Err(error) = sabotage::run_all(workspace, &[], report) {
        report.step("sabotage", || Err(error));
    }
    report.step("mutants of what changed", || {
        if !mutants::is_installed(workspace) {
            return Ok(Ended::Skipped(format!(
                "cargo-mutants is not installed: `{}`",
                mutants::INSTALL
            )));
        }
        mutants::run_all(workspace, mutants::Area::Core, Some(None))?;
        Ok(Ended::Passed)
    });
}
