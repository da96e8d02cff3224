//! `tests/names.txt`: the names of all Rust tests, so that none goes missing unnoticed.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::workspace::{Workspace, output};

/// One name a line, sorted; the same name of two files twice.
const NAMES: &str = "tests/names.txt";

/// Writes the names of the tests that there are.
pub fn write(workspace: &Workspace) -> Result<()> {
    let mut text = found(workspace)?.join("\n");
    text.push('\n');
    fs::write(workspace.path(NAMES), text).context(NAMES)
}

/// Fails when a test on file is not there, or the other way round.
pub fn check(workspace: &Workspace) -> Result<()> {
    let on_file = fs::read_to_string(workspace.path(NAMES)).context(NAMES)?;
    let on_file: Vec<String> = on_file.lines().map(str::to_owned).collect();
    let found = found(workspace)?;
    let (gone, new) = (without(&on_file, &found), without(&found, &on_file));
    if gone.is_empty() && new.is_empty() {
        return Ok(());
    }
    let list = |names: Vec<String>| match names.len() {
        0 => "none".to_owned(),
        _ => names.join(", "),
    };
    bail!(
        "the tests are not those of {NAMES}; gone: {}; new: {}; if that is meant, run `cargo xtask \
         names`",
        list(gone),
        list(new)
    )
}

/// Those of the first that the second has not, or has less often.
fn without(these: &[String], those: &[String]) -> Vec<String> {
    let mut left = those.to_vec();
    let these = these.iter().filter(|name| {
        let at = left.iter().position(|other| other == *name);
        at.map(|at| left.swap_remove(at)).is_none()
    });
    these.cloned().collect()
}

fn found(workspace: &Workspace) -> Result<Vec<String>> {
    let mut cargo = workspace.cargo();
    // Documentation tests are named by their lines, which move.
    cargo.args(["test", "--locked", "--lib", "--bins", "--tests"]);
    cargo.args(["--", "--list", "--format", "terse"]);
    let listed = output(&mut cargo)?;
    let names = listed
        .lines()
        .filter_map(|line| line.strip_suffix(": test"));
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_there_less_often_is_gone() {
        let names = |names: &[&str]| {
            names
                .iter()
                .map(|&name| name.to_owned())
                .collect::<Vec<_>>()
        };
        let (file, found) = (names(&["a", "a", "b"]), names(&["a", "c"]));
        assert_eq!(without(&file, &found), ["a", "b"]);
        assert_eq!(without(&found, &file), ["c"]);
        assert!(without(&file, &file).is_empty());
    }
}
