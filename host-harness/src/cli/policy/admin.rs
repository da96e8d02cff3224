//! `negotiator policy install`, `rollback`, `status` and `list`.

use std::path::{Path, PathBuf, absolute};

use negotiator::Runtime;
use negotiator::gate::Step;
use negotiator::policy::control::{self, Failed, Install, Kind, Line, Request, Told};
use negotiator::policy::{Admission, Policies, Status, Store};
use negotiator::shared::{TRUST_FILE, stand_in};
use negotiator::types::Facets;
use serde::Serialize;

use super::words::{self, Progress};
use crate::cli::exit::{Exit, Failure, OrExit as _};
use crate::cli::input::Input;
use crate::cli::words::say;
use crate::cli::{Global, answer, component, facets};

/// Where policies are kept, and who is trusted.
#[derive(clap::Args)]
pub(crate) struct Place {
    /// The directory that policies are kept in; it is made when it is not there
    #[arg(long, value_name = "DIR")]
    policies: PathBuf,
    /// The trust file [default: negotiator.trust.toml in DIR]
    #[arg(long, value_name = "FILE", requires = "policies")]
    trust: Option<PathBuf>,
}

#[derive(clap::Args)]
pub(super) struct InstallArgs {
    /// The policy, a component of the world `policy-provider` that imports nothing
    #[arg(value_name = "POLICY")]
    policy: PathBuf,
    #[command(flatten)]
    place: Place,
    /// Its settings
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    /// The signed statement about it (`negotiator sign`)
    #[arg(long, value_name = "FILE")]
    envelope: Option<PathBuf>,
    /// Settle these exchanges again, with the policy in force and with this one; lines are those
    /// of `negotiator settle`
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Where no host runs: a discovery document, for replayed exchanges that bring no facets
    #[arg(long, value_name = "DISCOVERY")]
    facets: Option<Input>,
    /// Write the gate's report there, whether it passes or not; `negotiator sign --report` takes it
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Let it accept what is refused now, or at a lower version
    #[arg(long)]
    allow_loosening: bool,
    /// Let it in though nobody vouches for it; every settlement will say so
    #[arg(long)]
    allow_untrusted: bool,
    /// Write JSON: what is in force then, and the gate's report
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub(super) struct PlaceArgs {
    #[command(flatten)]
    place: Place,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub(super) const INSTALL_HELP: &str = "\
Examples:
  negotiator policy install exact.wasm --policies /var/lib/negotiator/policies
  negotiator policy install rules.wasm --settings rules.json --policies DIR --envelope rules.dsse.json
  negotiator policy install highest.wasm --policies DIR --allow-loosening --report gate.json

Exit codes:
  0  in force
  1  it did not come through the gate; what was in force still is
  2  a file could not be read, or the store not be written
  3  it is not trusted, or cannot be loaded";

pub(super) const ROLLBACK_HELP: &str = "\
Exit codes:
  0  in force
  1  there is nothing to go back to
  2  the store could not be read or written
  3  the generation before is not let in any more";

pub(super) fn install(args: &InstallArgs, global: &Global) -> Result<Exit, Failure> {
    let absolute = |path: &Path| absolute(path).or_unreadable("cannot find the current directory");
    let optional = |path: &Option<PathBuf>| path.as_deref().map(absolute).transpose();
    let request = Request::Install(Install {
        policy: absolute(&args.policy)?,
        settings: optional(&args.settings)?,
        envelope: optional(&args.envelope)?,
        replay: optional(&args.replay)?,
        report: optional(&args.report)?,
        allow_loosening: args.allow_loosening,
        allow_untrusted: args.allow_untrusted,
    });
    let facets = match &args.facets {
        Some(input) => Some(facets::read(input, &component::load(global)?)?),
        None => None,
    };
    perform(
        &args.place,
        &request,
        facets,
        args.allow_untrusted,
        args.json,
    )
}

pub(super) fn rollback(args: &PlaceArgs) -> Result<Exit, Failure> {
    perform(&args.place, &Request::Rollback, None, true, args.json)
}

pub(super) fn status(args: &PlaceArgs) -> Result<Exit, Failure> {
    let store = args.place.store()?;
    let asked = control::ask(store.root(), &Request::Status, |_| ());
    let (told, host) = match asked.or_unreadable("the host went away")? {
        Some(line) => (done(line)?, true),
        None => (at_rest(&store)?, false),
    };
    if args.json {
        answer::print(&told)?;
    } else {
        let mut text = words::status(&told);
        if !host {
            text.push_str("no host runs on this store\n");
        }
        answer::print_whole(&text)?;
    }
    Ok(Exit::Done)
}

pub(super) fn list(args: &PlaceArgs) -> Result<Exit, Failure> {
    let store = args.place.store()?;
    let state = store.state().or_unreadable("cannot read the store")?;
    let current = state.as_ref().map(negotiator::policy::State::current);
    let history = state.as_ref().map(negotiator::policy::State::history);
    let all = current.into_iter().chain(history.into_iter().flatten());
    if args.json {
        #[derive(Serialize)]
        struct Generations<T> {
            generations: T,
        }
        let generations: Vec<_> = all.collect();
        answer::print(&Generations { generations })?;
    } else {
        let lines = all.zip(std::iter::once("*").chain(std::iter::repeat(" ")));
        let lines = lines.map(|(entry, mark)| format!("{mark} {}\n", words::entry(entry)));
        answer::print_whole(&lines.collect::<String>())?;
    }
    Ok(Exit::Done)
}

impl Place {
    pub(crate) fn new(policies: PathBuf, trust: Option<PathBuf>) -> Self {
        Self { policies, trust }
    }

    pub(crate) fn store(&self) -> Result<Store, Failure> {
        Store::open(&self.policies).or_unreadable("cannot open the directory of policies")
    }

    /// What is let in there.
    pub(crate) fn admission(
        &self,
        runtime: &Runtime,
        allow_untrusted: bool,
    ) -> Result<Admission, Failure> {
        let trust = self.trust.clone();
        let trust = trust.unwrap_or_else(|| self.policies.join(TRUST_FILE));
        let admission = Admission::new(runtime).or_component("cannot load what is built in")?;
        Ok(admission.trusting(trust).allow_untrusted(allow_untrusted))
    }
}

/// Has the host on the store do it; where none runs, does it here.
fn perform(
    place: &Place,
    request: &Request,
    facets: Option<Facets>,
    allow_untrusted: bool,
    json: bool,
) -> Result<Exit, Failure> {
    let progress = Progress::start();
    let store = place.store()?;
    let asked = control::ask(store.root(), request, |step| progress.say(&step));
    let line = match asked.or_unreadable("the host went away before it was done")? {
        Some(line) => line,
        None => {
            say("no host runs on this store: the next one will begin with this");
            let step = |step: Step| progress.say(&step);
            let runtime = Runtime::on_demand().or_component("cannot start")?;
            let admission = place.admission(&runtime, allow_untrusted)?;
            let facets = facets.unwrap_or_else(stand_in);
            let policies = Policies::open(admission, facets, Some(store), &step)
                .or_unreadable("cannot open the directory of policies")?;
            if let Some(problem) = policies.status().problem {
                say(&format!("what is there is not let in: {problem}"));
            }
            control::perform(&policies, request, &step)
        }
    };
    let told = done(line)?;
    if let Some(report) = &told.report {
        words::report(report);
    }
    if json {
        answer::print(&told)?;
    } else {
        answer::print_whole(&words::status(&told))?;
    }
    Ok(Exit::Done)
}

/// What is in force, or a failure with its exit code.
fn done(line: Line) -> Result<Told, Failure> {
    match line {
        Line::Done(told) => Ok(*told),
        Line::Step(_) => Err(Failure::unreadable(
            "the host answered with something else".to_owned(),
        )),
        Line::Failed(Failed {
            kind,
            problem,
            report,
        }) => {
            if let Some(report) = &report {
                words::report(report);
            }
            Err(Failure::Stopped {
                exit: match kind {
                    Kind::No => Exit::No,
                    Kind::Unreadable => Exit::Unreadable,
                    Kind::Policy => Exit::Component,
                },
                error: anyhow::Error::msg(match report {
                    Some(_) => "the policy did not come through the gate".to_owned(),
                    None => problem,
                }),
            })
        }
    }
}

/// What the next host would begin with.
fn at_rest(store: &Store) -> Result<Told, Failure> {
    let state = store.state().or_unreadable("cannot read the store")?;
    let status = Status {
        current: state.as_ref().map(|state| state.current().clone()),
        previous: state.as_ref().and_then(|state| state.previous().cloned()),
        previous_is_warm: false,
        failures: 0,
        problem: None,
    };
    Ok(Told::of(status, None))
}
