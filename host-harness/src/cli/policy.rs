//! `negotiator policy`: everything about policies.

use std::io::Write as _;

use clap::Subcommand;

use super::Global;
use super::exit::{Exit, Failure};

/// Change the policy without changing the host
#[derive(clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print the JSON Schema of the settings of the policy `rules`
    ///
    /// Editors complete and check settings with it. What a schema cannot say is checked when the
    /// policy is configured: real dates, the order of the ends of a range, names used twice.
    #[command(after_help = SCHEMA_HELP)]
    Schema,
}

const SCHEMA_HELP: &str = "\
Example:
  negotiator policy schema > settings.schema.json

Exit codes:
  0  done
  2  the schema could not be written";

pub(crate) fn run(args: &Args, _: &Global) -> Result<Exit, Failure> {
    match &args.command {
        Command::Schema => schema(),
    }
}

fn schema() -> Result<Exit, Failure> {
    let mut output = anstream::stdout().lock();
    output
        .write_all(SCHEMA.as_bytes())
        .and_then(|()| output.flush())
        .map_err(Failure::unwritable)?;
    Ok(Exit::Done)
}

const SCHEMA: &str = include_str!("../../../guest/policies/rules/settings.schema.json");
