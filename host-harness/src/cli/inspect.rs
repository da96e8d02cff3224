//! `negotiator inspect`.

use std::fmt::Write as _;
use std::path::PathBuf;

use negotiator::{Artifact, Inspection};
use serde::Serialize;

use super::exit::{Exit, Failure, OrExit as _};
use super::words::HEAD;
use super::{Global, answer, component};

/// Tell what a WebAssembly file is: digest, kind, world, imports and exports
///
/// Nothing is compiled or run. Names out of the file are escaped where they do not print.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The file; without one, the component that the other commands would use
    file: Option<PathBuf>,
    /// Write JSON: {"digest","bytes","kind","world","imports","exports"}
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Examples:
  negotiator inspect
  negotiator inspect policy.wasm
  negotiator inspect policy.wasm --json | jq -r .digest

Exit codes:
  0  done
  2  the file could not be read, or is not valid WebAssembly
  3  the file of --component could not be read";

#[derive(Serialize)]
struct Told<'a> {
    digest: String,
    bytes: usize,
    kind: &'static str,
    world: Option<&'static str>,
    imports: &'a [String],
    exports: &'a [String],
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    let (artifact, name) = match &args.file {
        Some(path) => {
            let artifact = Artifact::from_file(path).or_unreadable("cannot inspect the file")?;
            (artifact, path.display().to_string())
        }
        None => (component::artifact(global)?, "the component".to_owned()),
    };
    let inspection = artifact
        .inspect()
        .or_unreadable(format!("cannot inspect {name}"))?;
    if args.json {
        answer::print(&Told {
            digest: inspection.digest.to_string(),
            bytes: inspection.bytes,
            kind: inspection.kind.as_str(),
            world: inspection.world.map(|world| world.as_str()),
            imports: &inspection.imports,
            exports: &inspection.exports,
        })?;
    } else {
        answer::print_whole(&table(&inspection))?;
    }
    Ok(Exit::Done)
}

/// For people: a fact a line.
fn table(inspection: &Inspection) -> String {
    let mut table = String::new();
    // Writing to a string cannot fail.
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(table, "{HEAD}{name:<9}{HEAD:#}{value}");
    };
    row("digest", &inspection.digest.to_string());
    row("size", &format!("{} bytes", inspection.bytes));
    row("kind", inspection.kind.as_str());
    let world = inspection.world.map(|world| world.as_str());
    row("world", world.unwrap_or("none of the negotiation package"));
    for (name, list) in [
        ("imports", &inspection.imports),
        ("exports", &inspection.exports),
    ] {
        let mut list = list.iter();
        row(name, list.next().map_or("nothing", String::as_str));
        for item in list {
            row("", item);
        }
    }
    table
}
