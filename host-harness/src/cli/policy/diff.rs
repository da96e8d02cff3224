//! `negotiator policy diff`.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use negotiator::gate::{Change, Changes, Grid, InForce, differences};
use negotiator::{Artifact, Limits, Pluggable, Policy, Runtime};

use super::words::{Progress, groups};
use crate::cli::exit::{Exit, Failure, OrExit as _};
use crate::cli::input::Input;
use crate::cli::{Global, answer, component, facets};

#[derive(clap::Args)]
pub(super) struct Args {
    /// The policy as it is
    #[arg(value_name = "FROM")]
    from: PathBuf,
    /// The policy as it would be
    #[arg(value_name = "TO")]
    to: PathBuf,
    /// Settings of the first policy
    #[arg(long, value_name = "FILE")]
    from_settings: Option<Input>,
    /// Settings of the second policy
    #[arg(long, value_name = "FILE")]
    to_settings: Option<Input>,
    /// Compare under the facets of this discovery document alone
    ///
    /// Otherwise every posture over four versions of each protocol is looked at.
    #[arg(long, value_name = "DISCOVERY")]
    facets: Option<Input>,
    /// Write JSON: {"compared","changes":[{"protocol",…,"facet","named","from","to","effect"}]}
    #[arg(long)]
    json: bool,
}

pub(super) const HELP: &str = "\
Examples:
  negotiator policy diff exact.wasm highest.wasm
  negotiator policy diff old.wasm new.wasm --facets discovery.json
  negotiator policy diff a.wasm b.wasm --json | jq '[.changes[] | select(.effect == \"loosened\")] | length'

Exit codes:
  0  compared, whether anything differs or not
  2  a file could not be read
  3  a policy could not be loaded or configured";

pub(super) fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    let grid = match &args.facets {
        None => Grid::complete(),
        Some(input) => Grid::of_host(&facets::read(input, &component::load(global)?)?),
    };
    let progress = Progress::start();
    let runtime = Runtime::on_demand().or_component("cannot compare")?;
    let pluggable = Artifact::embedded_pluggable();
    let pluggable = Pluggable::load(&runtime, &pluggable, Limits::negotiator())
        .or_component("cannot load the component that is built in")?;
    let load = |path: &Path, settings: &Option<Input>| -> Result<InForce, Failure> {
        let shown = path.display();
        let artifact =
            Artifact::from_file(path).or_unreadable(format!("cannot read the policy {shown}"))?;
        let settings = match settings {
            Some(input) => input.read("settings")?,
            None => String::new(),
        };
        let policy = Policy::load(&runtime, &artifact, Limits::policy())
            .or_component(format!("cannot load the policy {shown}"))?;
        Ok(InForce::of(&pluggable, &policy, &settings))
    };
    let from = load(&args.from, &args.from_settings)?;
    let to = load(&args.to, &args.to_settings)?;
    let step = |step| progress.say(&step);
    let compare = |each: &mut dyn FnMut(Change<'_>)| {
        differences(&grid, &from, &to, &step, each).or_component("cannot compare the policies")
    };
    if args.json {
        let mut output = BufWriter::new(io::stdout().lock());
        let mut written = write!(output, "{{\"compared\":{},\"changes\":[", grid.decisions());
        let mut first = true;
        compare(&mut |change| {
            if written.is_ok() {
                let comma = if first { "" } else { "," };
                first = false;
                // Our own types cannot fail to be written.
                let change = serde_json::to_string(&change).unwrap_or_default();
                written = write!(output, "{comma}\n{change}");
            }
        })?;
        written
            .and_then(|()| writeln!(output, "]}}"))
            .and_then(|()| output.flush())
            .map_err(Failure::unwritable)?;
    } else {
        let changes = compare(&mut |_| ())?;
        answer::print_whole(&table(grid.decisions(), &changes))?;
    }
    Ok(Exit::Done)
}

fn table(compared: usize, changes: &Changes) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{} of {compared} decisions differ: {} loosened, {} tightened, {} moved",
        changes.total(),
        changes.loosened,
        changes.tightened,
        changes.moved
    );
    text.push_str(&groups(changes, SHOWN));
    text
}

/// Groups of one kind of caller that are shown; --json has everything.
const SHOWN: usize = 5;
