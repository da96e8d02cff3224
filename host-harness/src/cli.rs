//! Commands, their help, and how a run ends.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anstream::ColorChoice;
use clap::{Parser, Subcommand, ValueEnum};

use self::exit::{Exit, Failure};

mod answer;
mod asking;
mod call;
mod capture;
mod certify;
mod check;
mod component;
mod compose;
#[cfg(feature = "serve")]
mod config;
mod digest;
mod exit;
mod facets;
mod hosted;
mod input;
mod inspect;
#[cfg(feature = "journal")]
mod journal;
mod key;
mod lines;
mod matrix;
mod members;
mod policy;
#[cfg(feature = "serve")]
mod serve;
mod settle;
mod sign;
mod stream;
mod summary;
mod verify;
mod words;
mod write;

/// Settle which version an A2A or MCP exchange uses.
///
/// A host hands over what it saw on the wire; the certified component, which is built in, says
/// which version to use, what record to write, and what to answer. But for `serve`, nothing is
/// sent anywhere, and nothing is written but the answers and the files that a command is given to
/// write.
///
/// Answers are JSON on standard output; words for people go to standard error.
#[derive(Parser)]
#[command(
    name = "negotiator",
    bin_name = "negotiator",
    version,
    arg_required_else_help = true,
    after_help = AFTER_HELP
)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Examples:
  negotiator settle --facets discovery.json exchanges.jsonl
  negotiator check discovery.json
  negotiator matrix --protocol mcp
  echo '{\"url\":\"https://peer.example:443/x\"}' | negotiator call digest

Exit codes:
  0  done; a refused exchange is an answer, not an error
  1  the answer is no: a finding
  2  the request or a file could not be read
  3  the component could not be loaded or trusted, or failed
  4  the journal could not be opened, read or written";

/// What every command takes.
#[derive(clap::Args)]
#[command(next_help_heading = "Options of every command")]
struct Global {
    /// Use this component instead of the one built in
    ///
    /// It must be a component of the world `negotiator-closed`, which imports nothing. When it
    /// cannot be loaded, the exit code is 3.
    #[arg(long, global = true, value_name = "FILE")]
    component: Option<PathBuf>,
    /// Load the component only if this certificate holds for it
    ///
    /// The certificate must be whole, about the very bytes, and made by this version of the proof
    /// (`negotiator certify`). Without that, the exit code is 3.
    #[arg(long, global = true, value_name = "CERT")]
    require_certificate: Option<PathBuf>,
    /// Colour words for people; JSON is never coloured
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    color: Color,
}

#[derive(Clone, Copy, ValueEnum)]
enum Color {
    /// On a terminal, unless the environment says otherwise (NO_COLOR)
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Subcommand)]
enum Command {
    Settle(settle::Args),
    Call(call::Args),
    Check(check::Args),
    Digest(digest::Args),
    Inspect(inspect::Args),
    Matrix(matrix::Args),
    Compose(compose::Args),
    Policy(policy::Args),
    Key(key::Args),
    #[cfg(feature = "serve")]
    Serve(serve::Args),
    #[cfg(feature = "serve")]
    Config(config::Args),
    #[cfg(feature = "journal")]
    Journal(journal::Args),
    Sign(sign::Args),
    Verify(verify::Args),
    Certify(certify::Args),
}

/// Runs the command that the arguments name.
pub(crate) fn main() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().collect();
    color(&arguments).write_global();
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help that nobody reads to its end is no error.
            let _ = error.print();
            return if error.use_stderr() {
                Exit::Unreadable.into()
            } else {
                Exit::Done.into()
            };
        }
    };
    match run(&cli) {
        Ok(exit) => exit.into(),
        Err(failure) => failure.report(),
    }
}

fn run(cli: &Cli) -> Result<Exit, Failure> {
    match &cli.command {
        Command::Settle(args) => settle::run(args, &cli.global),
        Command::Call(args) => call::run(args, &cli.global),
        Command::Check(args) => check::run(args, &cli.global),
        Command::Digest(args) => digest::run(args, &cli.global),
        Command::Inspect(args) => inspect::run(args, &cli.global),
        Command::Matrix(args) => matrix::run(args, &cli.global),
        Command::Compose(args) => compose::run(args, &cli.global),
        Command::Policy(args) => policy::run(args, &cli.global),
        Command::Key(args) => key::run(args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(args),
        #[cfg(feature = "serve")]
        Command::Config(args) => config::run(args),
        #[cfg(feature = "journal")]
        Command::Journal(args) => journal::run(args),
        Command::Sign(args) => sign::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Certify(args) => certify::run(args, &cli.global),
    }
}

/// What `--color` says. Looked for before arguments are parsed, since help and errors of the
/// parser are coloured, too; a wrong value is the parser's business.
fn color(arguments: &[OsString]) -> ColorChoice {
    let mut arguments = arguments
        .iter()
        .map_while(|argument| argument.to_str().filter(|text| *text != "--"));
    let mut choice = None;
    while let Some(argument) = arguments.next() {
        choice = match argument.strip_prefix("--color") {
            Some("") => arguments.next(),
            Some(value) => value.strip_prefix('=').or(choice),
            None => choice,
        };
    }
    match choice {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}
