//! `negotiator config`.

use std::path::PathBuf;

use clap::Subcommand;
use negotiator::serve::check_config;
use negotiator::serve::config::Config;

use super::exit::{Exit, Failure, OrExit as _};
use super::words::{self, GOOD};

/// Look at the configuration of `negotiator serve`
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check a configuration as `serve` would at its start; the journal is left alone
    Check {
        /// The configuration, a TOML file; the environment is looked at, too
        file: PathBuf,
    },
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let Command::Check { file } = &args.command;
    let config = Config::load(Some(file)).or_unreadable("cannot use the configuration")?;
    check_config(&config).map_err(super::serve::failure)?;
    words::say(&format!("{GOOD}no findings{GOOD:#} in {}", file.display()));
    Ok(Exit::Done)
}
