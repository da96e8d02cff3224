//! `negotiator call`.

use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use negotiator::Operation;
use negotiator::types::Facets;

use super::asking::Asked;
use super::exit::{Exit, Failure};
use super::hosted::Hosted;
use super::input::Input;
use super::policy::admin::Place;
use super::stream::{self, Reply};
use super::{Global, component, facets};

/// Call one operation of the JSON contract, one request a line
///
/// Reads requests from standard input, one a line, and writes one answer a line, in the same
/// order; an answer is there as soon as its request is. Lines are independent of each other: what
/// `configure` sets is not kept.
///
/// A line that cannot be read is answered with {"error":{…}}, which repeats nothing of it; the
/// others are answered all the same, and the exit code is 2. A line has at most 65536 bytes.
///
/// With --policies, `settle` uses the policy that is in force in a directory, also when that
/// changes meanwhile (`negotiator policy install`); each answer then says which it was, in its
/// last members `generation` and `policy`.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The operation
    operation: Called,
    /// A discovery document, for requests that bring no facets of their own
    #[arg(long, value_name = "DISCOVERY")]
    facets: Option<Input>,
    /// Settle with the policy that is in force in this directory; it is made when it is not there
    #[arg(long, value_name = "DIR")]
    policies: Option<PathBuf>,
    /// With --policies: the trust file [default: negotiator.trust.toml in DIR]
    #[arg(long, value_name = "FILE", requires = "policies")]
    trust: Option<PathBuf>,
    /// With --policies: let in policies that nobody vouches for; every answer says so
    #[arg(long, requires = "policies")]
    allow_untrusted: bool,
}

const AFTER_HELP: &str = "\
Examples:
  negotiator call settle < requests.jsonl > answers.jsonl
  echo '{\"status\":\"waiting-approval\"}' | negotiator call task-state
  negotiator call settle --policies DIR < requests.jsonl

Exit codes:
  0  every line was answered
  2  a line or a file could not be read, or brought facets that are not valid
  3  the component could not be loaded, or failed";

/// An operation of the contract.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Called {
    Configure,
    Run(Operation),
}

impl ValueEnum for Called {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Run(Operation::Settle),
            Self::Run(Operation::Decide),
            Self::Run(Operation::Record),
            Self::Run(Operation::Refuse),
            Self::Run(Operation::Digest),
            Self::Run(Operation::Rounds),
            Self::Run(Operation::Fresh),
            Self::Run(Operation::Facets),
            Self::Run(Operation::Check),
            Self::Run(Operation::TaskState),
            Self::Configure,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::Configure => (
                "configure",
                "Whether facets and settings of the policy would be taken",
            ),
            Self::Run(operation) => (operation.as_str(), help(*operation)),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

fn help(operation: Operation) -> &'static str {
    match operation {
        Operation::Settle => "Decide, record and answer",
        Operation::Decide => "Decide and answer, without a record",
        Operation::Record => "Build the record of a decision made earlier",
        Operation::Refuse => "Refuse without asking the policy",
        Operation::Digest => "Digest of a URL's origin",
        Operation::Rounds => "Whether one more round that asks for input may be sent",
        Operation::Fresh => "Whether offers compared on a date are still fresh",
        Operation::Facets => "What is wrong with facets",
        Operation::Check => "What is wrong with a discovery document",
        Operation::TaskState => "A2A task state of a run status",
    }
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    if args.facets == Some(Input::Standard) {
        let message = "--facets must be a file: requests come from standard input";
        return Err(Failure::unreadable(message.to_owned()));
    }
    let loaded = component::load(global)?;
    let facets = match &args.facets {
        Some(input) => Some(facets::read(input, &loaded)?),
        None => None,
    };
    if let Some(policies) = &args.policies {
        let place = Place::new(policies.clone(), args.trust.clone());
        return hosted(args, &place, global, facets);
    }
    let component = Asked::new(&loaded, facets)?;
    stream::run(
        &Input::Standard,
        |line| {
            let answer = match args.operation {
                Called::Configure => facets::configure(line, &loaded)?,
                Called::Run(operation) => component.ask(operation, line),
            };
            Ok(Reply { id: None, answer })
        },
        |_| (),
    )
}

/// Settles with the policy of a directory, whichever that is at the time.
fn hosted(
    args: &Args,
    place: &Place,
    global: &Global,
    facets: Option<Facets>,
) -> Result<Exit, Failure> {
    if args.operation != Called::Run(Operation::Settle) || global.component.is_some() {
        let message = "--policies goes with the operation settle, and not with --component";
        return Err(Failure::unreadable(message.to_owned()));
    }
    let host = Hosted::start(place, args.allow_untrusted, facets)?;
    stream::run(
        &Input::Standard,
        |line| {
            let answer = host.settle(line);
            Ok(Reply { id: None, answer })
        },
        |_| (),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_can_be_called() {
        for operation in Operation::ALL {
            assert!(
                Called::value_variants().contains(&Called::Run(operation)),
                "{operation}"
            );
        }
    }
}
