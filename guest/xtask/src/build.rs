//! Compiles guest crates to core modules.

use std::env;
use std::fs::{self, File};
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::toolchain::{TARGET, Toolchain};
use crate::workspace::{Workspace, run};

/// The profile in the root `Cargo.toml` that guest crates are built with.
pub const PROFILE: &str = "guest";

/// Compiles the library `package` to a core module and returns its bytes.
pub fn core_module(
    workspace: &Workspace,
    toolchain: &Toolchain,
    package: &str,
    default_features: bool,
) -> Result<Vec<u8>> {
    let target_dir = workspace
        .path("target/guest")
        .join(toolchain.builder.name());
    fs::create_dir_all(&target_dir)?;
    // The features differ but the file is the same: no other task may build in
    // this folder before the bytes are read.
    let lock = File::create(target_dir.join("xtask.lock"))?;
    lock.lock()?;

    let mut cargo = toolchain.cargo();
    cargo.current_dir(workspace.root());
    // Only `cargo rustc` can ask for one crate type; with an rlib besides, cargo
    // would leave out the link-time optimisation.
    cargo.args([
        "rustc",
        "--quiet",
        "--locked",
        "--lib",
        "--crate-type",
        "cdylib",
    ]);
    cargo.args(["--package", package, "--profile", PROFILE]);
    cargo
        .args(["--target", TARGET, "--target-dir"])
        .arg(&target_dir);
    cargo.args(toolchain.builder.cargo_flags());
    if !default_features {
        cargo.arg("--no-default-features");
    }
    cargo.env(
        "CARGO_ENCODED_RUSTFLAGS",
        rustflags(workspace, toolchain).join("\u{1f}"),
    );
    run(&mut cargo).with_context(|| format!("{package} does not build"))?;

    let file = format!("{}.wasm", package.replace('-', "_"));
    let path = target_dir.join(TARGET).join(PROFILE).join(file);
    fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))
}

fn rustflags(workspace: &Workspace, toolchain: &Toolchain) -> Vec<String> {
    let mut flags: Vec<String> = toolchain
        .builder
        .rustflags()
        .iter()
        .map(|&flag| flag.to_owned())
        .collect();
    for (folder, name) in [
        (workspace.root().to_path_buf(), "/project"),
        (cargo_home(), "/cargo"),
    ] {
        flags.push(format!("--remap-path-prefix={}={name}", folder.display()));
    }
    flags
}

/// Where cargo keeps the sources of dependencies.
pub fn cargo_home() -> PathBuf {
    env::var_os("CARGO_HOME").map_or_else(
        || PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(".cargo"),
        PathBuf::from,
    )
}
