//! The command line of the negotiator; `negotiator --help` explains itself.

use std::process::ExitCode;

mod cli;

fn main() -> ExitCode {
    cli::main()
}
