//! `cargo xtask ways-in`: other ways of making the component, for people who
//! have other tools, and the check that what comes out is equivalent.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::build::PROFILE;
use crate::inspect::{self, Wit};
use crate::replay;
use crate::steps::{Ended, Report};
use crate::toolchain::{Builder, TARGET, Toolchain};
use crate::workspace::{Workspace, is_installed, run};

/// Tries every way, and replays the vectors on what comes out.
pub fn run_all(workspace: &Workspace, report: &mut Report) {
    for way in [
        Way {
            name: "wasm32-wasip2",
            build: wasip2,
        },
        Way {
            name: "cargo component",
            build: cargo_component,
        },
    ] {
        let mut built = None;
        report.step(&format!("way in: {}", way.name), || {
            match (way.build)(workspace)? {
                Outcome::Built(path) => built = Some(check(workspace, way.name, &path)?),
                Outcome::NotBuilt(ended) => return Ok(ended),
            }
            Ok(Ended::Passed)
        });
        if let Some(component) = built {
            report.step(&format!("way in: {} answers alike", way.name), || {
                replay::alike(workspace, &component)
            });
        }
    }
}

struct Way {
    name: &'static str,
    build: fn(&Workspace) -> Result<Outcome>,
}

enum Outcome {
    /// The component, where cargo left it.
    Built(PathBuf),
    /// Why there is none.
    NotBuilt(Ended),
}

const WORLD: &str = "negotiator-closed";
const PACKAGE: &str = "negotiator-component";
const FILE: &str = "negotiator_component.wasm";
const WASI_LIBC: &str = "/usr/lib/wasm32-wasi";

/// Builds with Debian's compiler and C library for WASI; the linker makes the
/// component, so the encoder is not ours.
fn wasip2(workspace: &Workspace) -> Result<Outcome> {
    let toolchain = match Toolchain::find(Some(Builder::Debian)) {
        Ok(toolchain) => toolchain,
        Err(error) => return Ok(Outcome::NotBuilt(Ended::Skipped(format!("{error:#}")))),
    };
    if !Path::new(WASI_LIBC).join("libc.a").is_file() {
        let reason = "there is no C library for WASI: `apt-get install wasi-libc`";
        return Ok(Outcome::NotBuilt(Ended::Skipped(reason.to_owned())));
    }
    let target_dir = workspace.path("target/ways-in/wasip2");
    let mut cargo = toolchain.cargo();
    cargo.current_dir(workspace.root());
    cargo.args([
        "rustc",
        "--quiet",
        "--locked",
        "--lib",
        "--crate-type",
        "cdylib",
    ]);
    cargo.args([
        "--package",
        PACKAGE,
        "--profile",
        PROFILE,
        "--target",
        "wasm32-wasip2",
    ]);
    cargo.arg("--target-dir").arg(&target_dir);
    // On this target the standard library is what exports `cabi_realloc`, so the
    // component uses it there; none of what it would import is reached.
    cargo.args([
        "-Zbuild-std=std,panic_abort",
        "-Zbuild-std-features=optimize_for_size",
    ]);
    let mut flags: Vec<&str> = toolchain.builder.rustflags().to_vec();
    let libc = format!("-Lnative={WASI_LIBC}");
    flags.push(&libc);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    run(&mut cargo)?;
    let folder = target_dir.join("wasm32-wasip2").join(PROFILE);
    Ok(Outcome::Built(folder.join(FILE)))
}

/// Builds with cargo-component, which brings its own, older encoder.
fn cargo_component(workspace: &Workspace) -> Result<Outcome> {
    let skipped = |reason: &str| {
        let ended = Ended::NotNeeded(format!("skipped: {reason}"));
        Ok(Outcome::NotBuilt(ended))
    };
    if !is_installed("cargo-component") {
        return skipped("cargo-component is not installed");
    }
    let toolchain = match Toolchain::find(Some(Builder::Installed)) {
        Ok(toolchain) => toolchain,
        Err(error) => return skipped(&format!("{error:#}")),
    };
    let target_dir = workspace.path("target/ways-in/cargo-component");
    let mut cargo = workspace.command("cargo-component");
    cargo.args(["component", "build", "--release", "--package", PACKAGE]);
    cargo.args(["--target", TARGET]);
    cargo.env("CARGO_TARGET_DIR", &target_dir);
    cargo
        .env("CARGO", &toolchain.cargo)
        .env("RUSTC", &toolchain.rustc);
    run(&mut cargo)?;
    Ok(Outcome::Built(
        target_dir.join(TARGET).join("release").join(FILE),
    ))
}

/// Checks what was built and keeps a copy, whose place is returned.
fn check(workspace: &Workspace, name: &str, built: &Path) -> Result<PathBuf> {
    let bytes = fs::read(built).with_context(|| format!("{} cannot be read", built.display()))?;
    for import in inspect::component_interfaces(&bytes)?.imports {
        println!("imports {import}");
    }
    inspect::component(&Wit::read(workspace)?, &bytes, WORLD, &[])?;
    let short = name.rsplit(['-', ' ']).next().unwrap_or(name);
    let kept = workspace.path(&format!("target/ways-in/negotiator-{short}.wasm"));
    fs::write(&kept, &bytes)?;
    println!("{} bytes, no imports: {}", bytes.len(), kept.display());
    Ok(kept)
}
