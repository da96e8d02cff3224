//! `negotiator sign`.

use std::path::PathBuf;

use negotiator::Artifact;
use negotiator::trust::{Envelope, GateReport, Outcome, SecretKey, Statement};

use super::exit::{Exit, Failure, OrExit as _};
use super::{answer, key, words, write};

/// Sign an artifact: vouch for it to whoever trusts the key
///
/// Writes a DSSE envelope around an in-toto statement that names the digest of the artifact and,
/// with --report, the result of the gate that tried it. An artifact that did not pass is not
/// signed.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The file to vouch for
    artifact: PathBuf,
    /// The private key, as `negotiator key generate` or OpenSSL write it
    #[arg(long, value_name = "KEY")]
    key: PathBuf,
    /// The gate's report about the artifact: JSON with `artifact` and `outcome`
    #[arg(long, value_name = "FILE", conflicts_with = "add_to")]
    report: Option<PathBuf>,
    /// Add the signature to this envelope, where more than one key must sign
    ///
    /// What is signed is then the statement that it holds.
    #[arg(long, value_name = "ENVELOPE")]
    add_to: Option<PathBuf>,
    /// The envelope to write; without it, standard output
    #[arg(short, long, value_name = "ENVELOPE")]
    output: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Examples:
  negotiator sign policy.wasm --key release.pem --report gate.json -o policy.wasm.dsse.json
  negotiator sign policy.wasm --key second.pem --add-to policy.wasm.dsse.json -o policy.wasm.dsse.json

Exit codes:
  0  done
  1  the report or the envelope is about other bytes, or says that the gate was not passed
  2  a file could not be read or written";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let artifact = Artifact::from_file(&args.artifact).or_unreadable("cannot sign the artifact")?;
    let key = key::read(&args.key)?;
    let envelope = match &args.add_to {
        None => fresh(args, &artifact, &key)?,
        Some(path) => {
            let name = path.display();
            let envelope =
                Envelope::from_file(path).or_unreadable(format!("cannot add to {name}"))?;
            let statement = envelope
                .unverified_statement()
                .or_unreadable(format!("cannot add to {name}"))?;
            if !statement.is_about(artifact.digest()) {
                return Err(no(format!("{name} is about other bytes than the artifact")));
            }
            if statement.gate().is_some_and(not_passed) {
                return Err(no(format!("{name} says that the gate was not passed")));
            }
            envelope.signed_by(&key)
        }
    };
    let text = envelope.to_json();
    match &args.output {
        None => answer::print_text(&text)?,
        Some(path) => {
            write::whole(path, (text + "\n").as_bytes())?;
            words::say(&format!(
                "signed {} with {}",
                artifact.digest(),
                key.public()
            ));
        }
    }
    Ok(Exit::Done)
}

fn fresh(args: &Args, artifact: &Artifact, key: &SecretKey) -> Result<Envelope, Failure> {
    let mut statement = Statement::about(artifact);
    if let Some(name) = args.artifact.file_name() {
        statement = statement.named(&name.to_string_lossy());
    }
    if let Some(path) = &args.report {
        let name = path.display();
        let report = GateReport::from_file(path)
            .or_unreadable("cannot use the report")?
            .or_unreadable(format!("cannot use the report {name}"))?;
        if not_passed(&report) {
            return Err(no(format!("{name} says that the gate was not passed")));
        }
        statement = statement
            .with_gate(report)
            .map_err(|_| no(format!("{name} is about other bytes than the artifact")))?;
    }
    Ok(Envelope::sign(&statement, key))
}

fn not_passed(report: &GateReport) -> bool {
    report.outcome != Outcome::Passed
}

fn no(message: String) -> Failure {
    Failure::Stopped {
        exit: Exit::No,
        error: anyhow::Error::msg(message).context("nothing was signed"),
    }
}
