//! `negotiator policy`: everything about policies.

use clap::Subcommand;

use super::exit::{Exit, Failure};
use super::{Global, answer};

pub(crate) mod admin;
mod diff;
pub(crate) mod words;

/// Change the policy without changing the host
#[derive(clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Put a policy in force: trusted, inspected, gated, then swapped in
    ///
    /// The host that runs on DIR does it while the old policy serves; where none runs, the next
    /// one begins with it. The gate replays the corpus and decides the complete grid of small
    /// facets, twice, under the limits of production, and compares every decision with the policy
    /// in force.
    #[command(after_help = admin::INSTALL_HELP)]
    Install(admin::InstallArgs),
    /// Go back to the generation before, at once
    #[command(after_help = admin::ROLLBACK_HELP)]
    Rollback(admin::PlaceArgs),
    /// Tell what is in force, and what a rollback leads to
    Status(admin::PlaceArgs),
    /// List the generations, the one in force first
    List(admin::PlaceArgs),
    /// List every decision that differs between two policies
    #[command(after_help = diff::HELP)]
    Diff(diff::Args),
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

pub(crate) fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    match &args.command {
        Command::Install(args) => admin::install(args, global),
        Command::Rollback(args) => admin::rollback(args),
        Command::Status(args) => admin::status(args),
        Command::List(args) => admin::list(args),
        Command::Diff(args) => diff::run(args, global),
        Command::Schema => {
            answer::print_whole(SCHEMA)?;
            Ok(Exit::Done)
        }
    }
}

const SCHEMA: &str = include_str!("../../../guest/policies/rules/settings.schema.json");
