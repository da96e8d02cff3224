//! `cargo xtask clients`: published clients and servers against `negotiator serve`.

use anyhow::Result;

use crate::sabotage::negotiator as command;
use crate::steps::Ended;
use crate::workspace::{Workspace, is_installed, run};

/// Installs the packages that `tests/captures` pins, and runs them all.
pub fn run_all(workspace: &Workspace) -> Result<Ended> {
    for tool in ["python3", "node", "npm"] {
        if !is_installed(tool) {
            return Ok(Ended::Skipped(format!("{tool} is not installed")));
        }
    }
    let mut script = workspace.command("python3");
    script.arg(workspace.path("tests/clients/run.py"));
    run(script.arg(command(workspace)?))?;
    Ok(Ended::Passed)
}
