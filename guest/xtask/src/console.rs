//! `cargo xtask console`: the console of `negotiator serve` in headless Chromium.

use anyhow::Result;

use crate::sabotage::negotiator as command;
use crate::steps::Ended;
use crate::workspace::{Workspace, is_installed, run};

/// Uses it as an operator would; screenshots go to `target/console`.
pub fn run_all(workspace: &Workspace) -> Result<Ended> {
    for tool in ["node", "chromium"] {
        if !is_installed(tool) {
            return Ok(Ended::Skipped(format!("{tool} is not installed")));
        }
    }
    let mut node = workspace.command("node");
    node.args(["--test", "--test-reporter=spec"])
        .arg(workspace.path("host-harness/tests/console/console.test.mjs"))
        .env("NEGOTIATOR", command(workspace)?);
    run(&mut node)?;
    Ok(Ended::Passed)
}
