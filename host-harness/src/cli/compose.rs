//! `negotiator compose`.

use std::path::PathBuf;

use negotiator::error::{ComposeError, ConfigureError};
use negotiator::shared::stand_in;
use negotiator::{Artifact, Limits, Negotiator, Runtime, compose};
use serde::Serialize;

use super::exit::{Exit, Failure, OrExit as _};
use super::input::Input;
use super::{Global, answer, words, write};

/// Make one component of the negotiator and a policy, for hosts that load one file
///
/// What comes out imports nothing and decides as the two do when they are linked at run time. The
/// same files always give the same bytes.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The policy: a component of the world `policy-provider`, which imports nothing
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,
    /// Build these settings in
    ///
    /// They are tried on the policy first. The component is then configured with empty settings,
    /// and refuses any others. Without this option the host gives the settings.
    #[arg(long, value_name = "FILE")]
    settings: Option<Input>,
    /// Where to write it; a file that is there is replaced, as a whole or not at all
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

const AFTER_HELP: &str = "\
Examples:
  negotiator compose --policy dist/policies/exact.wasm -o negotiator-exact.wasm
  negotiator compose --policy dist/policies/rules.wasm --settings rules.json -o ours.wasm
  negotiator matrix --component ours.wasm

Exit codes:
  0  done: {\"digest\",\"bytes\",\"negotiator\",\"policy\",\"settings\"}
  2  a file could not be read or written, or the policy refused the settings
  3  the policy is no policy, or imports something, or failed";

/// What was made, and of what.
#[derive(Serialize)]
struct Made {
    digest: String,
    bytes: usize,
    negotiator: String,
    policy: String,
    settings: Option<String>,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    if global.component.is_some() {
        return Err(Failure::unreadable(
            "--component cannot be used here: the negotiator that is composed is the one built in, \
             with its policy left open"
                .to_owned(),
        ));
    }
    let name = args.policy.display();
    let policy =
        Artifact::from_file(&args.policy).or_unreadable("cannot read the policy".to_owned())?;
    let settings = match &args.settings {
        Some(input) => Some((input.read("settings")?, input.name())),
        None => None,
    };
    let negotiator = Artifact::embedded_pluggable();
    let text = settings.as_ref().map(|(text, _)| text.as_str());
    let composed = match compose(&negotiator, &policy, text) {
        Ok(composed) => composed,
        Err(ComposeError::SettingsTooLong { limit }) => {
            let (_, name) = settings.unwrap_or_default();
            let message = format!("{name}: must be at most {limit} bytes long");
            return Err(Failure::unreadable(message));
        }
        Err(error) => return Err(error).or_component(format!("cannot compose {name}")),
    };
    if let Some((_, name)) = &settings {
        if policy.bytes().len() > QUICK {
            words::say("compiling the policy to try the settings on it; this can take a minute");
        }
        try_settings(&composed, name)?;
    }
    write::whole(&args.output, composed.bytes())?;
    answer::print(&Made {
        digest: composed.digest().to_string(),
        bytes: composed.bytes().len(),
        negotiator: negotiator.digest().to_string(),
        policy: policy.digest().to_string(),
        settings: text.map(|text| negotiator::Digest::of(text.as_bytes()).to_string()),
    })?;
    Ok(Exit::Done)
}

/// Configures the component as a host will.
fn try_settings(composed: &Artifact, name: &str) -> Result<(), Failure> {
    let context = "cannot try the settings";
    let runtime = Runtime::on_demand().or_component(context)?;
    // The two share what one of them would have.
    let (own, policy) = (Limits::negotiator(), Limits::policy());
    let limits = Limits {
        fuel: own.fuel.saturating_add(policy.fuel),
        deadline: own.deadline.saturating_add(policy.deadline),
        memory: own.memory.saturating_add(policy.memory),
        ..own
    };
    let loaded = Negotiator::load(&runtime, composed, limits).or_component(context)?;
    match loaded.keep(1).configure(stand_in(), "") {
        Ok(_) => Ok(()),
        Err(ConfigureError::Faults(faults)) => {
            let problems: Vec<_> = faults.into_iter().map(|fault| fault.problem).collect();
            let message = format!("{name}: {}", problems.join("; "));
            Err(Failure::unreadable(message))
        }
        Err(error) => Err(error).or_component(context),
    }
}

/// A policy up to this size compiles in a moment.
const QUICK: usize = 1 << 20;
