//! Policies in other languages: built from `tests/policies`, checked, and compared with those in
//! Rust.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::digest;
use crate::inspect::{self, Wit};
use crate::steps::{Ended, Report};
use crate::workspace::{Workspace, is_installed, npm_ci, run};

/// A language, and the files that a policy in it is made of.
#[derive(Clone, Copy, Debug)]
struct Policy {
    language: &'static str,
    /// The tests that compare it with the policy in Rust, and put it in force.
    tests: [&'static str; 2],
    sources: &'static [&'static str],
    build: fn(&Workspace, &Path) -> Result<Ended>,
}

const POLICIES: [Policy; 3] = [
    Policy {
        language: "c",
        tests: ["c_is_exact", "c_is_put_in_force"],
        sources: &["build.sh", "policy.c"],
        build: c,
    },
    Policy {
        language: "javascript",
        tests: ["javascript_is_highest", "javascript_is_put_in_force"],
        sources: JAVASCRIPT,
        build: javascript,
    },
    Policy {
        language: "python",
        tests: ["python_is_exact", "python_is_put_in_force"],
        sources: &["build.py", "policy.py", "requirements.txt"],
        build: python,
    },
];

/// The sources in JavaScript.
const JAVASCRIPT: &[&str] = &[
    "build.mjs",
    "package-lock.json",
    "package.json",
    "policy.js",
];

/// Builds and checks every policy whose language is on this machine, and compares their decisions.
pub fn run_all(workspace: &Workspace, report: &mut Report) {
    let folder = workspace.path("target/policies");
    let mut built = Vec::new();
    for policy in &POLICIES {
        let name = format!("test: policy in {}", policy.language);
        report.step(&name, || {
            let ended = make(workspace, &folder, policy)?;
            if matches!(ended, Ended::Passed) {
                built.extend(policy.tests);
            }
            Ok(ended)
        });
    }
    report.step("test: policies decide alike", || {
        if built.is_empty() {
            return Ok(Ended::Skipped("none was built".to_owned()));
        }
        let mut cargo = workspace.cargo();
        cargo.args(["test", "--locked", "--test", "policies"]);
        cargo.args(["--", "--ignored", "--exact"]).args(&built);
        run(cargo.env("NEGOTIATOR_POLICIES", &folder))?;
        Ok(Ended::Passed)
    });
}

/// Leaves `LANGUAGE.wasm` in the folder, or nothing.
fn make(workspace: &Workspace, folder: &Path, policy: &Policy) -> Result<Ended> {
    fs::create_dir_all(folder)?;
    let wasm = folder.join(format!("{}.wasm", policy.language));
    let stamp = folder.join(format!("{}.sources", policy.language));
    let sources = sources(workspace, policy)?;
    if !wasm.is_file() || fs::read_to_string(&stamp).ok().as_ref() != Some(&sources) {
        for stale in [&wasm, &stamp] {
            if stale.exists() {
                fs::remove_file(stale)?;
            }
        }
        match (policy.build)(workspace, &wasm)? {
            Ended::Passed => {}
            skipped => return Ok(skipped),
        }
        fs::write(&stamp, &sources)?;
    }
    let bytes = fs::read(&wasm).with_context(|| format!("{} was not made", wasm.display()))?;
    inspect::policy(&Wit::read(workspace)?, &bytes)?;
    println!(
        "{}: {} bytes, imports nothing",
        policy.language,
        bytes.len()
    );
    Ok(Ended::Passed)
}

/// The digest of all that a policy is made of.
fn sources(workspace: &Workspace, policy: &Policy) -> Result<String> {
    let folder = workspace.path("tests/policies").join(policy.language);
    let mut text = digest::set(&workspace.path("wit"), "wit")?;
    for name in policy.sources {
        let bytes = fs::read(folder.join(name))
            .with_context(|| format!("tests/policies/{}/{name} cannot be read", policy.language))?;
        text.push_str(&digest::sha256(&bytes));
    }
    Ok(digest::sha256(text.as_bytes()))
}

fn c(workspace: &Workspace, wasm: &Path) -> Result<Ended> {
    let Some(clang) = ["clang-22", "clang"]
        .into_iter()
        .find(|name| is_installed(name))
    else {
        let how = "`apt-get install clang-22 lld-22`";
        return Ok(Ended::Skipped(format!("clang is not installed: {how}")));
    };
    let core: PathBuf = wasm.with_extension("core");
    let mut script = workspace.command(workspace.path("tests/policies/c/build.sh"));
    run(script.arg(&core).env("CLANG", clang))?;
    let module = fs::read(&core)?;
    fs::remove_file(&core)?;
    let component = Wit::read(workspace)?.wrap(module, "policy-provider")?;
    fs::write(wasm, component)?;
    Ok(Ended::Passed)
}

fn javascript(workspace: &Workspace, wasm: &Path) -> Result<Ended> {
    for program in ["node", "npm"] {
        if !is_installed(program) {
            return Ok(Ended::Skipped(format!("{program} is not installed")));
        }
    }
    let work = workspace.path("tests/work/policy-javascript");
    fs::create_dir_all(&work)?;
    let from = workspace.path("tests/policies/javascript");
    for name in JAVASCRIPT {
        fs::copy(from.join(name), work.join(name))?;
    }
    npm_ci(&work)?;
    let mut node = workspace.command("node");
    node.arg(work.join("build.mjs")).arg(workspace.path("wit"));
    run(node.arg(wasm))?;
    Ok(Ended::Passed)
}

fn python(workspace: &Workspace, wasm: &Path) -> Result<Ended> {
    if !is_installed("python3") {
        return Ok(Ended::Skipped("python3 is not installed".to_owned()));
    }
    let mut python = workspace.command("python3");
    python.arg(workspace.path("tests/policies/python/build.py"));
    run(python.arg(workspace.path("wit")).arg(wasm))?;
    if !wasm.is_file() {
        bail!("componentize-py wrote nothing");
    }
    Ok(Ended::Passed)
}
