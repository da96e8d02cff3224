//! `cargo xtask sabotage`: components that are broken on purpose, which `negotiator certify` must
//! refuse, each for the rule that it breaks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};

use crate::componentize::componentize;
use crate::steps::{Ended, Report};
use crate::toolchain::Toolchain;
use crate::workspace::{Workspace, output, run};
use crate::{build, digest};

/// Where the patches are.
const PATCHES: &str = "tests/sabotage";
/// Where a copy of the source is broken and built.
const COPY: &str = "target/sabotage/source";

/// Breaks, builds and certifies, one patch after the other.
pub fn run_all(workspace: &Workspace, only: &[String], report: &mut Report) -> Result<()> {
    let toolchain = Toolchain::find(None)?;
    let negotiator = negotiator(workspace)?;
    copy_source(workspace)?;
    let folder = workspace.path(PATCHES);
    for name in digest::names(&folder, "patch")? {
        let stem = name.trim_end_matches(".patch");
        if !only.is_empty() && !only.iter().any(|wanted| wanted == stem) {
            continue;
        }
        report.step(&format!("sabotage: {stem}"), || {
            let patch = Patch::read(&folder.join(&name))?;
            let wasm = patch.build(workspace, &toolchain)?;
            patch.is_caught(workspace, &negotiator, &wasm)
        });
    }
    Ok(())
}

/// One way to break the source, and the rule that must notice.
struct Patch {
    path: PathBuf,
    rule: String,
    files: Vec<String>,
}

impl Patch {
    /// Reads the rule and the files from the text of a patch.
    fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path)?;
        let rule = text
            .lines()
            .find_map(|line| line.strip_prefix("Caught-by: "))
            .context("a patch says which rule catches it, in a line `Caught-by: RULE`")?;
        let files = text.lines().filter_map(|line| line.strip_prefix("+++ b/"));
        Ok(Self {
            path: path.to_path_buf(),
            rule: rule.to_owned(),
            files: files.map(str::to_owned).collect(),
        })
    }

    /// Breaks the copy, builds the closed component of it, and mends the copy again.
    fn build(&self, workspace: &Workspace, toolchain: &Toolchain) -> Result<PathBuf> {
        let mut git = workspace.command("git");
        git.args(["apply", "--directory", COPY]).arg(&self.path);
        let broken = run(&mut git).context("the patch no longer fits the source: make it anew");
        let built = broken.and_then(|()| {
            let copy = Workspace::at(workspace.path(COPY));
            let core = build::core_module(&copy, toolchain, "negotiator-component", true)?;
            componentize(&core)
        });
        for file in &self.files {
            let to = workspace.path(COPY).join(file);
            fs::copy(workspace.path(file), to).with_context(|| file.clone())?;
        }
        let name = self.path.file_stem().context("a patch has a name")?;
        let wasm = workspace
            .path("target/sabotage")
            .join(name)
            .with_extension("wasm");
        fs::write(&wasm, built?)?;
        Ok(wasm)
    }

    fn is_caught(&self, workspace: &Workspace, negotiator: &Path, wasm: &Path) -> Result<Ended> {
        // Under the first posture where anything shows, it may be something else.
        let mut rules = broken_rules(workspace, negotiator, &["--until-broken"], wasm)?;
        if !rules.contains(&self.rule) {
            rules = broken_rules(workspace, negotiator, &[], wasm)?;
        }
        if !rules.contains(&self.rule) {
            bail!(
                "must be caught by {}, and was caught by {}",
                self.rule,
                rules.join(", ")
            );
        }
        println!("{}: caught by {}", wasm.display(), rules.join(", "));
        Ok(Ended::Passed)
    }
}

/// The rules for which a component is refused.
fn broken_rules(
    workspace: &Workspace,
    negotiator: &Path,
    how: &[&str],
    wasm: &Path,
) -> Result<Vec<String>> {
    let certify = workspace
        .command(negotiator)
        .arg("certify")
        .args(how)
        .arg(wasm)
        .stderr(Stdio::null())
        .output()?;
    if certify.status.code() != Some(1) {
        bail!("was not refused ({})", certify.status);
    }
    let statement: serde_json::Value = serde_json::from_slice(&certify.stdout)?;
    let failed = statement.pointer("/predicate/failedTests");
    let failed = failed.and_then(serde_json::Value::as_array);
    let names = failed.into_iter().flatten();
    Ok(names
        .filter_map(|rule| Some(rule.as_str()?.split(' ').next()?.to_owned()))
        .collect())
}

/// The command that certifies, built.
pub fn negotiator(workspace: &Workspace) -> Result<PathBuf> {
    let mut cargo = workspace.cargo();
    // As the tests build it: what was built for them is not built again.
    cargo.args(["test", "--locked", "--no-run", "--test", "certificate"]);
    cargo.args(["--message-format", "json-render-diagnostics"]);
    let messages = output(&mut cargo)?;
    let executable = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| {
            message
                .pointer("/target/kind/0")
                .is_some_and(|kind| kind == "bin")
        })
        .filter_map(|message| Some(message.get("executable")?.as_str()?.to_owned()))
        .next_back();
    Ok(executable.context("cargo built no command")?.into())
}

/// Copies everything that git knows, as it lies in the folder now. Files that did not change keep
/// their time, so that not everything is built again.
fn copy_source(workspace: &Workspace) -> Result<()> {
    let listed = output(workspace.command("git").args([
        "ls-files",
        "-z",
        "--",
        "Cargo.toml",
        "Cargo.lock",
        "guest",
        "wit",
        "host-harness",
        "tests",
    ]))?;
    for file in listed.split('\0').filter(|file| !file.is_empty()) {
        let (from, to) = (workspace.path(file), workspace.path(COPY).join(file));
        let Ok(bytes) = fs::read(from) else { continue };
        if fs::read(&to).ok().as_deref() == Some(bytes.as_slice()) {
            continue;
        }
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(to, bytes)?;
    }
    Ok(())
}
