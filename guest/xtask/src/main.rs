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
mod certify;
mod check;
mod ci;
mod clients;
mod componentize;
mod console;
mod digest;
mod dist;
mod hosts;
mod inspect;
mod manifest;
mod mutants;
mod names;
mod optimize;
mod pins;
mod policies;
mod replay;
mod sabotage;
mod sbom;
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
    /// Write dist/sbom.cdx.json, the bill of materials of dist/ and of the command (CycloneDX),
    /// or check that it is up to date.
    Sbom {
        /// Compare with what the sources give, and write nothing.
        #[arg(long)]
        check: bool,
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
    /// Run published clients and servers of A2A and MCP against `negotiator serve`.
    ///
    /// Needs Node with npm, and Python; packages go to tests/work/clients.
    Clients,
    /// Use the console of `negotiator serve` in headless Chromium.
    ///
    /// Needs Node and Chromium; screenshots go to target/console.
    Console,
    /// Run the tests of every language whose runtime is on this machine.
    ///
    /// Installs what the tests need under tests/. With CI=true, a test that
    /// cannot be run is a failure.
    Test,
    /// Replay the vectors in every host language, and print one table.
    ///
    /// Builds the adapters of host-harness/adapters first. The cases are those
    /// of tests/vectors and of adapters/cases.jsonl; answers must be the same
    /// bytes as those of the native rules.
    Hosts {
        /// Then settle this many times in each, and report the memory before
        /// and after.
        #[arg(long, default_value_t = 0)]
        settles: u32,
        /// On this many threads at once, where the language has them.
        #[arg(long, default_value_t = 8)]
        threads: u32,
        /// Run each adapter's own tests too.
        #[arg(long)]
        tests: bool,
        /// Folders of host-harness/adapters; all if none is named.
        languages: Vec<String>,
    },
    /// Put dist/negotiator.wasm to the proof and write dist/certificate.json.
    ///
    /// To be run after `cargo xtask dist` has changed the component. Fails when the component does
    /// not pass, or when its dearest call has become more than 5 % dearer.
    Certify {
        /// Write nothing: certify again and compare with what is in dist/.
        #[arg(long)]
        check: bool,
        /// Let the figure of fuel on file grow by more than 5 %.
        #[arg(long, conflicts_with = "check")]
        accept_fuel: bool,
    },
    /// Build components that are broken on purpose and check that each is refused.
    ///
    /// Each patch in tests/sabotage is applied to a copy of the source; `negotiator certify` must
    /// refuse what is built of it and name the rule that the patch says.
    Sabotage {
        /// These patches alone, by name without `.patch`.
        only: Vec<String>,
    },
    /// Change the rules in small ways and check that a test notices each.
    ///
    /// Needs cargo-mutants. A whole area takes hours; a run that is stopped is gone on with by the
    /// next one. CI runs what changed.
    Mutants {
        /// What to change.
        #[arg(value_enum, default_value = "core")]
        area: mutants::Area,
        /// Only what changed since this commit; without one, since the score on file was made.
        #[arg(long, value_name = "COMMIT", num_args = 0..=1)]
        changed: Option<Option<String>>,
    },
    /// Write tests/names.txt, the names of all Rust tests.
    ///
    /// CI fails when a test is not on it, or is on it and not there.
    Names,
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
        } => {
            dist::write(&workspace, builder)?;
            // It names the digests of what was just written.
            sbom::write(&workspace)?;
        }
        Task::Dist {
            check: true,
            builder,
        } => check::run(&workspace, builder, &mut report)?,
        Task::Sbom { check: false } => sbom::write(&workspace)?,
        Task::Sbom { check: true } => sbom::check(&workspace)?,
        Task::WitLint => wit_lint::run(&workspace)?,
        Task::WaysIn => ways_in::run_all(&workspace, &mut report),
        Task::Policies => policies::run_all(&workspace, &mut report),
        Task::Clients => report.step("published clients and servers", || {
            clients::run_all(&workspace)
        }),
        Task::Console => report.step("console", || console::run_all(&workspace)),
        Task::Test => test::run_all(&workspace, &mut report),
        Task::Hosts {
            settles,
            threads,
            tests,
            languages,
        } => {
            let load = hosts::Load {
                settles,
                threads,
                tests,
            };
            hosts::run(&workspace, &languages, load, &mut report)?;
        }
        Task::Certify { check: true, .. } => certify::check(&workspace)?,
        Task::Certify { accept_fuel, .. } => certify::write(&workspace, accept_fuel)?,
        Task::Sabotage { only } => sabotage::run_all(&workspace, &only, &mut report)?,
        Task::Mutants { area, changed } => mutants::run_all(&workspace, area, changed)?,
        Task::Names => names::write(&workspace)?,
        Task::Ci => ci::run_all(&workspace, &mut report),
    }
    Ok(report)
}
