//! `cargo xtask`: builds `dist/`, checks it, and runs the tests of the project.
//!
//! `cargo xtask help` lists the tasks. CI calls nothing else (`cargo xtask ci`),
//! so what passes here passes there.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::steps::Report;
use crate::toolchain::Builder;
use crate::workspace::Workspace;

mod build;
mod check;
mod ci;
mod componentize;
mod digest;
mod dist;
mod inspect;
mod manifest;
mod optimize;
mod policies;
mod replay;
mod steps;
mod test;
mod toolchain;
mod ways_in;
mod wit_lint;
mod workspace;

/// Build, check and test tasks of the project.
#[derive(Parser)]
#[command(name = "cargo xtask", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build everything in dist/ from source, or check that dist/ is up to date.
    ///
    /// Writes the components, the core module, the policies, the WIT package,
    /// manifest.json and SHA256SUMS. The bytes depend on the sources and on the
    /// toolchain, not on the folder or on CARGO_HOME.
    Dist {
        /// Build into a temporary folder and compare with dist/, byte for byte.
        ///
        /// With another toolchain than the one that manifest.json names, bytes
        /// are not compared; the vectors are run on both artifacts instead.
        #[arg(long)]
        check: bool,
        /// Use this toolchain rather than the first one found.
        #[arg(long, value_enum)]
        builder: Option<Builder>,
    },
    /// Check that every WIT item is documented and says since when it exists.
    WitLint,
    /// Build the component in other ways and check that it is equivalent.
    ///
    /// wasm32-wasip2 needs Debian's rustc and wasi-libc; cargo-component needs
    /// `cargo install cargo-component` and the wasm32-unknown-unknown target.
    WaysIn,
    /// Build the policies in other languages and compare them with those in Rust.
    ///
    /// JavaScript needs Node and npm, Python only itself, C clang and lld.
    Policies,
    /// Run the tests of every language whose runtime is on this machine.
    ///
    /// Installs what the tests need under tests/. With CI=true, a test that
    /// cannot be run is a failure.
    Test,
    /// Run everything that CI runs.
    Ci,
}

fn main() -> ExitCode {
    match run(Cli::parse().task) {
        Ok(report) => report.finish(),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<Report> {
    let workspace = Workspace::find()?;
    let mut report = Report::default();
    match task {
        Task::Dist {
            check: false,
            builder,
        } => dist::write(&workspace, builder)?,
        Task::Dist {
            check: true,
            builder,
        } => check::run(&workspace, builder, &mut report)?,
        Task::WitLint => wit_lint::run(&workspace)?,
        Task::WaysIn => ways_in::run_all(&workspace, &mut report),
        Task::Policies => policies::run_all(&workspace, &mut report),
        Task::Test => test::run_all(&workspace, &mut report),
        Task::Ci => ci::run_all(&workspace, &mut report),
    }
    Ok(report)
}
