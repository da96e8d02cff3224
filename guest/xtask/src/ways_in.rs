//! `cargo xtask ways-in`: other ways of making the component, for people who
//! have other tools, and the check that what comes out is equivalent.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::build::PROFILE;
use crate::inspect::{self, Wit};
use crate::steps::{Ended, Report};
use crate::toolchain::{Builder, Toolchain};
use crate::workspace::{Workspace, is_installed, run};

/// Tries every way.
pub fn run_all(workspace: &Workspace, report: &mut Report) {
    report.step("way in: wasm32-wasip2", || wasip2(workspace));
    report.step("way in: cargo component", || cargo_component(workspace));
}

/// Where the component built for wasm32-wasip2 is left.
pub fn wasip2_component(workspace: &Workspace) -> PathBuf {
    workspace.path("target/ways-in/negotiator-wasip2.wasm")
}

const WORLD: &str = "negotiator-closed";
const PACKAGE: &str = "negotiator-component";
const WASI_LIBC: &str = "/usr/lib/wasm32-wasi";

/// Builds with Debian's compiler and C library for WASI; the linker makes the
/// component, so the encoder is not ours.
fn wasip2(workspace: &Workspace) -> Result<Ended> {
    let toolchain = match Toolchain::find(Some(Builder::Debian)) {
        Ok(toolchain) => toolchain,
        Err(error) => return Ok(Ended::Skipped(format!("{error:#}"))),
    };
    if !Path::new(WASI_LIBC).join("libc.a").is_file() {
        return Ok(Ended::Skipped(
            "there is no C library for WASI: `apt-get install wasi-libc`".to_owned(),
        ));
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
    cargo.args(["--package", PACKAGE, "--profile", PROFILE]);
    cargo
        .args(["--target", "wasm32-wasip2", "--target-dir"])
        .arg(&target_dir);
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

    let built = target_dir
        .join("wasm32-wasip2")
        .join(PROFILE)
        .join("negotiator_component.wasm");
    let bytes = fs::read(&built).with_context(|| format!("{} cannot be read", built.display()))?;
    check(workspace, &bytes)?;
    let kept = wasip2_component(workspace);
    fs::write(&kept, &bytes)?;
    println!("{} bytes, no imports: {}", bytes.len(), kept.display());
    Ok(Ended::Passed)
}

/// Builds with cargo-component, which brings its own, older encoder.
fn cargo_component(workspace: &Workspace) -> Result<Ended> {
    if !is_installed("cargo-component") {
        return Ok(Ended::NotNeeded(
            "skipped: cargo-component is not installed".to_owned(),
        ));
    }
    let target = crate::toolchain::TARGET;
    let toolchain = match Toolchain::find(Some(Builder::Installed)) {
        Ok(toolchain) => toolchain,
        Err(error) => return Ok(Ended::NotNeeded(format!("skipped: {error:#}"))),
    };
    let target_dir = workspace.path("target/ways-in/cargo-component");
    let mut cargo = workspace.command("cargo-component");
    cargo.args([
        "component",
        "build",
        "--release",
        "--package",
        PACKAGE,
        "--target",
        target,
    ]);
    cargo.env("CARGO_TARGET_DIR", &target_dir);
    cargo
        .env("CARGO", &toolchain.cargo)
        .env("RUSTC", &toolchain.rustc);
    run(&mut cargo)?;

    let built = target_dir
        .join(target)
        .join("release/negotiator_component.wasm");
    let bytes = fs::read(&built).with_context(|| format!("{} cannot be read", built.display()))?;
    check(workspace, &bytes)?;
    println!("{} bytes, no imports: {}", bytes.len(), built.display());
    Ok(Ended::Passed)
}

fn check(workspace: &Workspace, bytes: &[u8]) -> Result<()> {
    let wit = Wit::read(workspace)?;
    for import in inspect::component_interfaces(bytes)?.imports {
        println!("imports {import}");
    }
    inspect::component(&wit, bytes, WORLD, &[])?;
    Ok(())
}
