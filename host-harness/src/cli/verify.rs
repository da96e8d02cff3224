//! `negotiator verify`.

use std::path::PathBuf;

use negotiator::Artifact;
use negotiator::error::TrustFileError;
use negotiator::shared::chain;
use negotiator::trust::{Basis, Envelope, Trust};
use serde::Serialize;

use super::answer;
use super::exit::{Exit, Failure, OrExit as _};
use super::words::{self, GOOD};

/// Tell whether an artifact is trusted: pinned, or signed by trusted keys
///
/// Writes {"digest","trusted":true,"basis":"pinned","pin"} or {…,"basis":"signed","keys",
/// "gateReport"}, or {"digest","trusted":false,"problem"}. Whatever is not proven is not trusted.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The file to look at
    artifact: PathBuf,
    /// The trust file: pinned digests, and keys whose signatures count
    #[arg(long, value_name = "FILE")]
    trust: PathBuf,
    /// The envelope that vouches for the artifact
    #[arg(long, value_name = "FILE")]
    envelope: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Example:
  negotiator verify policy.wasm --trust negotiator.trust.toml --envelope policy.wasm.dsse.json

Exit codes:
  0  trusted
  2  a file could not be read
  3  not trusted";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    digest: String,
    trusted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    basis: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pin: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    keys: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gate_report: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let trust = trust(&args.trust)?;
    let artifact = Artifact::from_file(&args.artifact).or_unreadable("cannot look at the file")?;
    let envelope = args.envelope.as_ref().map(|path| {
        Envelope::from_file(path).or_unreadable(format!("cannot read {}", path.display()))
    });
    let mut told = Told {
        digest: artifact.digest().to_string(),
        trusted: false,
        basis: None,
        pin: None,
        keys: None,
        gate_report: None,
        problem: None,
    };
    match trust.verify(&artifact, envelope.transpose()?.as_ref()) {
        Ok(trusted) => {
            told.trusted = trusted.basis().is_trusted();
            match trusted.basis() {
                Basis::Pinned(name) => {
                    words::say(&format!("{GOOD}trusted:{GOOD:#} pinned as {name}"));
                    told.basis = Some("pinned");
                    told.pin = Some(name.clone());
                }
                Basis::Signed(signed) => {
                    let keys = signed.keys.join(", ");
                    words::say(&format!("{GOOD}trusted:{GOOD:#} signed by {keys}"));
                    told.basis = Some("signed");
                    told.keys = Some(signed.keys.clone());
                    told.gate_report = signed.gate_report.map(|digest| digest.to_string());
                }
                Basis::Untrusted => {}
            }
            answer::print(&told)?;
            Ok(Exit::Done)
        }
        Err(error) => {
            told.problem = Some(error.to_string());
            answer::print(&told)?;
            words::error(&format!("not trusted: {error}"));
            Ok(Exit::Component)
        }
    }
}

/// A trust file; the error says which file and line.
pub(crate) fn trust(path: &PathBuf) -> Result<Trust, Failure> {
    Trust::from_file(path).map_err(|error| match error {
        TrustFileError::File(error) => Failure::unreadable(chain(&error)),
        error => Failure::unreadable(format!("{}: {error}", path.display())),
    })
}
