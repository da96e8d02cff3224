//! `negotiator certify`.

use std::fs;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use negotiator::certify::{Certificate, Evidence, Extent, FUEL_MARGIN, Progress, Report, certify};
use negotiator::{Artifact, Limits, Runtime};

use super::exit::{Exit, Failure, OrExit as _};
use super::words::{self, BAD, GOOD};
use super::{Global, answer, component, write};

/// Put a component to the proof, and write a certificate of what was found
///
/// Everything is tried: the corpus, and every posture and exchange of the complete grid, with
/// decision, record and reply each compared with an independent model of the rules and held against
/// the named rules; two instances against each other; the dearest requests that there are. That
/// takes tens of seconds. The certificate is an in-toto statement; the same component gives the same
/// certificate, byte for byte, on any machine.
///
/// With --verify nothing is run: it is found out whether a certificate is whole, about these bytes,
/// and made by this version of the proof. Who made it only a signature can tell, or --rerun.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The component; without one, the one that the other commands would use
    file: Option<PathBuf>,
    /// Write the certificate to this file rather than to standard output
    #[arg(short, long, value_name = "CERT", conflicts_with = "verify")]
    output: Option<PathBuf>,
    /// Put what was found out elsewhere on the certificate: a JSON object; its digest binds the file
    #[arg(long, value_name = "FILE", conflicts_with = "verify")]
    evidence: Vec<PathBuf>,
    /// Stop at the first posture under which a rule is broken: quicker where that is all one asks
    #[arg(long, conflicts_with = "verify")]
    until_broken: bool,
    /// Find out whether this certificate holds for the component
    #[arg(long, value_name = "CERT")]
    verify: Option<PathBuf>,
    /// With --verify: put the component to the proof again, and compare
    #[arg(long, requires = "verify")]
    rerun: bool,
}

const AFTER_HELP: &str = "\
Examples:
  negotiator certify dist/negotiator.wasm -o certificate.json
  negotiator certify --verify dist/certificate.json dist/negotiator.wasm
  negotiator settle --component other.wasm --require-certificate other.json …

Exit codes:
  0  passed; or the certificate holds
  1  not passed; or the certificate does not hold
  2  a file could not be read or written
  3  no component of the world `negotiator-closed`, which imports nothing";

pub(crate) fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    let (artifact, name) = match &args.file {
        None => (component::artifact(global)?, "negotiator.wasm".to_owned()),
        Some(path) => {
            let artifact = Artifact::from_file(path).or_unreadable("cannot read the component")?;
            let name = path.file_name().unwrap_or_default();
            (artifact, name.to_string_lossy().into_owned())
        }
    };
    match &args.verify {
        Some(path) => verify(path, &artifact, args.rerun),
        None => {
            let evidence = args.evidence.iter().map(|path| evidence(path));
            let evidence = evidence.collect::<Result<Vec<_>, _>>()?;
            let extent = if args.until_broken {
                Extent::UntilBroken
            } else {
                Extent::Whole
            };
            let report = put_to_the_proof(&artifact, extent)?;
            let text = Certificate::new(&name, &report, &evidence).text();
            match &args.output {
                Some(path) => write::whole(path, text.as_bytes())?,
                None => answer::print_text(text.trim_end())?,
            }
            Ok(exit(report.passed()))
        }
    }
}

/// Reads a certificate and holds it against a component. Nothing is said or run.
pub(crate) fn holds(
    path: &Path,
    artifact: &Artifact,
) -> Result<Result<Certificate, String>, Failure> {
    let file = Artifact::from_file(path).or_unreadable("cannot read the certificate")?;
    // Bytes that are no UTF-8 are no certificate, and its reader says so.
    let text = String::from_utf8_lossy(file.bytes());
    let checked = Certificate::from_text(&text).and_then(|certificate| {
        certificate.verify(artifact.digest(), &Limits::negotiator())?;
        Ok(certificate)
    });
    Ok(checked.map_err(|error| format!("the certificate {} {error}", path.display())))
}

fn verify(path: &Path, artifact: &Artifact, rerun: bool) -> Result<Exit, Failure> {
    let certificate = match holds(path, artifact)? {
        Ok(certificate) => certificate,
        Err(problem) => {
            words::error(&problem);
            return Ok(Exit::No);
        }
    };
    if rerun {
        let report = put_to_the_proof(artifact, Extent::Whole)?;
        let name = certificate.name().unwrap_or_default();
        let again = Certificate::new(name, &report, &certificate.evidence());
        if again.text() != certificate.text() {
            words::error("the certificate says something else than was found just now");
            return Ok(Exit::No);
        }
    }
    let how = if rerun { ", and was found again" } else { "" };
    words::say(&format!(
        "{GOOD}holds:{GOOD:#} the certificate is whole and about {}{how}",
        artifact.digest()
    ));
    Ok(Exit::Done)
}

fn evidence(path: &Path) -> Result<Evidence, Failure> {
    let shown = path.display();
    let bytes = fs::read(path).or_unreadable(format!("cannot read {shown}"))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Evidence::new(&name, &bytes)
        .ok_or_else(|| Failure::unreadable(format!("{shown} must be a JSON object")))
}

fn put_to_the_proof(artifact: &Artifact, extent: Extent) -> Result<Report, Failure> {
    let context = "cannot put the component to the proof";
    let runtime = Runtime::on_demand().or_component(context)?;
    let started = Instant::now();
    let terminal = std::io::stderr().is_terminal();
    let last = Mutex::new(0);
    let progress = |progress: Progress| {
        let Ok(mut last) = last.lock() else { return };
        if terminal && progress.done > *last {
            *last = progress.done;
            let _ = write!(
                anstream::stderr(),
                "\r{} of {} postures",
                progress.done,
                progress.of
            );
        }
    };
    let report = certify(&runtime, artifact, Limits::negotiator(), extent, progress)
        .or_component(context)?;
    if terminal {
        let _ = write!(anstream::stderr(), "\r\x1b[K");
    }
    summary(&report, started.elapsed().as_secs());
    Ok(report)
}

/// For people: what was found, a line each.
fn summary(report: &Report, seconds: u64) {
    if report.passed() {
        words::say(&format!("{GOOD}passed:{GOOD:#} {}", report.digest));
    } else {
        words::say(&format!("{BAD}refused:{BAD:#} {}", report.digest));
    }
    let (corpus, grid, fuel) = (&report.corpus, &report.grid, &report.fuel);
    let tried = corpus.cases.saturating_sub(corpus.not_applicable);
    words::say(&format!(
        "  corpus  {} of {tried} cases held; {} are not for a configured component",
        corpus.held, corpus.not_applicable
    ));
    words::say(&format!(
        "  grid    {} settlements compared with the model, {} made again by a second instance",
        grid.settlements, grid.repeated
    ));
    let branches = grid.branches.len();
    words::say(&format!(
        "  rules   {branches} branches of the rules were reached"
    ));
    let limit = report.limits.fuel;
    words::say(&format!(
        "  fuel    {} a settlement of the grid; {} the dearest request; limit {limit} (margin {})",
        fuel.settle,
        fuel.worst(),
        FUEL_MARGIN
    ));
    words::say(&format!("  took    {seconds} s"));
    for (rule, broken) in &report.broken {
        let times = words::count(broken.times, "time", "times");
        words::say(&format!("{BAD}broken:{BAD:#} {rule}, {times}"));
        words::say(&format!("  first   {}", words::shown(&broken.first)));
    }
}

const fn exit(passed: bool) -> Exit {
    if passed { Exit::Done } else { Exit::No }
}
