//! `negotiator check`.

use std::time::{SystemTime, UNIX_EPOCH};

use negotiator::error::OperationError;
use serde::Serialize;

use super::exit::{Exit, Failure, OrExit as _};
use super::input::Input;
use super::members::{Members, NoMembers};
use super::words::{self, BAD, GOOD};
use super::{Global, answer, component};

/// Check a discovery document: shape, facets, freshness, listing of the record
///
/// Writes the findings as JSON, {"findings":[{"rule":…,"path":…,"problem":…}]}, and says them in
/// words on standard error. A finding names a place in the document, never what stands there.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The discovery document; `-` is standard input
    discovery: Input,
    /// Check freshness at this instant, an RFC 3339 date-time with offset; now unless given
    #[arg(long, value_name = "INSTANT")]
    now: Option<String>,
}

const AFTER_HELP: &str = "\
Examples:
  negotiator check discovery.json
  negotiator check discovery.json --now 2026-11-30T12:00:00Z
  curl -s https://host.example/.well-known/openwop | negotiator check -

Exit codes:
  0  no finding
  1  at least one finding
  2  the document or the instant could not be read
  3  the component could not be loaded, or failed";

#[derive(Serialize)]
struct Findings<'a> {
    findings: Vec<Finding<'a>>,
}

#[derive(Serialize)]
struct Finding<'a> {
    rule: &'a str,
    path: &'a str,
    problem: &'a str,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    let name = args.discovery.name();
    let document = args.discovery.read("a discovery document")?;
    // Where the text stops to be JSON helps more than that it does.
    if let Err(problem @ NoMembers::NotJson { .. }) = Members::of(&document) {
        return Err(Failure::unreadable(format!("{name}: {problem}")));
    }
    let now = match &args.now {
        Some(now) => now.clone(),
        None => now()?,
    };
    let negotiator = component::without_facets(&component::load(global)?)?;
    let findings = match negotiator.check(&document, &now) {
        Ok(findings) => findings,
        Err(OperationError::Fault(fault)) if fault.path == "now" => {
            return Err(Failure::unreadable(format!("--now: {}", fault.problem)));
        }
        Err(OperationError::Fault(fault)) => {
            return Err(Failure::unreadable(format!("{name}: {}", fault.problem)));
        }
        Err(OperationError::Call(failure)) => {
            return Err(failure).or_component(format!("the component failed to check {name}"));
        }
    };
    answer::print(&Findings {
        findings: findings
            .iter()
            .map(|finding| Finding {
                rule: &finding.rule,
                path: &finding.path,
                problem: &finding.problem,
            })
            .collect(),
    })?;
    if findings.is_empty() {
        words::say(&format!("{GOOD}no findings{GOOD:#} in {name}"));
        return Ok(Exit::Done);
    }
    let found = u64::try_from(findings.len()).unwrap_or(u64::MAX);
    let found = words::count(found, "finding", "findings");
    words::say(&format!("{BAD}{found}{BAD:#} in {name}"));
    for finding in findings.iter().take(MOST_SAID) {
        let text = format!("{}: {} ({})", finding.path, finding.problem, finding.rule);
        words::say(&format!("  {}", words::shown(&text)));
    }
    if findings.len() > MOST_SAID {
        words::say("  … and more; the JSON holds all of them");
    }
    Ok(Exit::No)
}

/// Findings that are said in words.
const MOST_SAID: usize = 50;

/// The present instant, by the clock of the machine.
fn now() -> Result<String, Failure> {
    let now = SystemTime::now();
    let since = now.duration_since(UNIX_EPOCH);
    since.or_unreadable("the clock of this machine stands before 1970; give --now")?;
    Ok(humantime::format_rfc3339_seconds(now).to_string())
}
