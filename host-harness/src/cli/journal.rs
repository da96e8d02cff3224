//! `negotiator journal`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::{Subcommand, ValueEnum};
use negotiator::journal::{Filter, Journal, JournalError, Location, Stored, Summary};
use serde::Serialize;
use serde_json::value::RawValue;

use super::answer;
use super::exit::{Exit, Failure};
use super::words::{self, BAD, GOOD};

/// Look into the journal of a host: check it, read it, shorten it
///
/// Records are only ever added. `retain` is the one way to remove old ones, and leaves a mark of how
/// far it went.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Examples:
  negotiator journal verify --journal negotiator.db
  negotiator journal tail --journal negotiator.db --outcome refused
  negotiator journal export --journal postgres://reader@db.example/records --since 2026-11-01T00:00:00Z
  negotiator journal export --journal negotiator.db --summary

Exit codes:
  0  done
  1  the journal is not as it was written
  2  an argument could not be read
  4  the journal could not be opened, read or written";

#[derive(Subcommand)]
enum Command {
    /// Check that no record was altered, removed or put in between
    ///
    /// Writes {"records":…,"first":…,"last":…,"head":…}. Keep `head` elsewhere and compare: it is
    /// what shows that the newest records are still there.
    Verify(Where),
    /// Write the newest records, then new ones as they come
    Tail(TailArgs),
    /// Write records as JSON lines, oldest first, or count them
    Export(ExportArgs),
    /// Remove old records for good
    Retain(RetainArgs),
}

#[derive(clap::Args)]
struct Where {
    /// The journal: a file, or postgres://…
    #[arg(long, value_name = "PLACE")]
    journal: Location,
}

#[derive(clap::Args)]
struct TailArgs {
    #[command(flatten)]
    place: Where,
    #[command(flatten)]
    which: Which,
    /// How many of the newest records to begin with
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    lines: usize,
    /// End instead of waiting for more
    #[arg(long)]
    no_follow: bool,
}

#[derive(clap::Args)]
struct ExportArgs {
    #[command(flatten)]
    place: Where,
    #[command(flatten)]
    which: Which,
    /// Count accepted, downgraded and refused exchanges by version instead
    #[arg(long)]
    summary: bool,
}

#[derive(clap::Args)]
struct RetainArgs {
    #[command(flatten)]
    place: Where,
    /// Remove records up to and including this id; the newest record always stays
    #[arg(
        long,
        value_name = "ID",
        conflicts_with = "days",
        required_unless_present = "days"
    )]
    through: Option<u64>,
    /// Remove records that are older than this many days
    #[arg(long, value_name = "DAYS")]
    days: Option<u32>,
}

/// Which records; all conditions must hold.
#[derive(clap::Args)]
struct Which {
    /// Of this protocol
    #[arg(long, value_enum, value_name = "PROTOCOL")]
    protocol: Option<Protocol>,
    /// With this outcome; downgraded ones are accepted, too
    #[arg(long, value_enum, value_name = "OUTCOME")]
    outcome: Option<Outcome>,
    /// With this reason on record
    #[arg(long, value_enum, value_name = "REASON")]
    reason: Option<Reason>,
    /// Of the peer with this digest (`negotiator digest URL`)
    #[arg(long, value_name = "DIGEST")]
    digest: Option<String>,
    /// Of this tenant
    #[arg(long, value_name = "TENANT")]
    tenant: Option<String>,
    /// Not before this instant (RFC 3339)
    #[arg(long, value_name = "INSTANT", value_parser = instant)]
    since: Option<u64>,
    /// Before this instant (RFC 3339)
    #[arg(long, value_name = "INSTANT", value_parser = instant)]
    until: Option<u64>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Protocol {
    A2a,
    Mcp,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Outcome {
    Accepted,
    Downgraded,
    Refused,
}

#[derive(Clone, Copy, ValueEnum)]
enum Reason {
    Ok,
    BelowFloor,
    Unsupported,
    Unauthenticated,
}

#[derive(Serialize)]
struct Line<'a> {
    id: u64,
    tenant: Option<&'a str>,
    workspace: Option<&'a str>,
    event: &'a RawValue,
}

#[derive(Serialize)]
struct Whole<'a> {
    records: u64,
    first: Option<u64>,
    last: Option<u64>,
    head: &'a str,
}

#[derive(Serialize)]
struct Counts<'a> {
    decided: u64,
    others: u64,
    counts: Vec<CountLine<'a>>,
}

#[derive(Serialize)]
struct CountLine<'a> {
    protocol: &'a str,
    outcome: &'a str,
    reason: &'a str,
    requested: Option<&'a str>,
    version: Option<&'a str>,
    count: u64,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    match &args.command {
        Command::Verify(place) => verify(&open(place)?),
        Command::Tail(args) => tail(&open(&args.place)?, args),
        Command::Export(args) => export(&open(&args.place)?, args),
        Command::Retain(args) => retain(&open(&args.place)?, args),
    }
}

/// A journal that is there: reading must not make one where a name was mistyped.
fn open(place: &Where) -> Result<Journal, Failure> {
    if let Location::Sqlite { path, .. } = &place.journal
        && !path.is_file()
    {
        let problem = format!("there is no journal `{}`", path.display());
        return Err(Failure::unreadable(problem));
    }
    Journal::open(&place.journal).map_err(Failure::journal)
}

fn verify(journal: &Journal) -> Result<Exit, Failure> {
    match journal.verify() {
        Ok(verified) => {
            answer::print(&Whole {
                records: verified.records,
                first: verified.first,
                last: verified.last,
                head: &verified.head,
            })?;
            let records = words::count(verified.records, "record", "records");
            words::say(&format!("{GOOD}whole{GOOD:#}: {records}"));
            Ok(Exit::Done)
        }
        Err(error @ JournalError::Broken { .. }) => {
            words::say(&format!("{BAD}not whole{BAD:#}: {error}"));
            Ok(Exit::No)
        }
        Err(error) => Err(Failure::journal(error)),
    }
}

fn tail(journal: &Journal, args: &TailArgs) -> Result<Exit, Failure> {
    let wanted = Wanted::from(&args.which);
    let last = journal.last().wait().map_err(Failure::journal)?;
    let mut newest = std::collections::VecDeque::new();
    // Records that match may lie far back; one page at a time, and only as many as are wanted.
    each(journal, 0, |stored| {
        if wanted.admits(stored) && args.lines > 0 {
            if newest.len() >= args.lines {
                newest.pop_front();
            }
            newest.push_back(stored.clone());
        }
        Ok(())
    })?;
    for stored in &newest {
        print(stored)?;
    }
    let mut after = newest.back().map_or(last, |stored| stored.id.max(last));
    if args.no_follow {
        return Ok(Exit::Done);
    }
    loop {
        std::thread::sleep(LOOK);
        each(journal, after, |stored| {
            after = stored.id;
            if wanted.admits(stored) {
                print(stored)?;
            }
            Ok(())
        })?;
    }
}

fn export(journal: &Journal, args: &ExportArgs) -> Result<Exit, Failure> {
    let wanted = Wanted::from(&args.which);
    let mut summary = Summary::default();
    each(journal, 0, |stored| {
        if wanted.admits(stored) {
            if args.summary {
                summary.add(&stored.record);
            } else {
                print(stored)?;
            }
        }
        Ok(())
    })?;
    if args.summary {
        let summary = summary.finish();
        let counts = summary.counts.iter().map(|count| CountLine {
            protocol: &count.protocol,
            outcome: count.outcome,
            reason: &count.reason,
            requested: count.requested.as_deref(),
            version: count.version.as_deref(),
            count: count.count,
        });
        answer::print(&Counts {
            decided: summary.decided,
            others: summary.others,
            counts: counts.collect(),
        })?;
    }
    Ok(Exit::Done)
}

fn retain(journal: &Journal, args: &RetainArgs) -> Result<Exit, Failure> {
    let now = SystemTime::now();
    let through = match (args.through, args.days) {
        (Some(through), _) => through,
        (None, days) => {
            let age = Duration::from_secs(u64::from(days.unwrap_or(u32::MAX)).saturating_mul(DAY));
            let before = now.checked_sub(age).unwrap_or(UNIX_EPOCH);
            newest_before(journal, seconds(before))?
        }
    };
    let at = humantime::format_rfc3339_seconds(now).to_string();
    let removed = journal.retain(through, &at).map_err(Failure::journal)?;
    let removed = words::count(removed, "record", "records");
    words::say(&format!("{removed} removed"));
    Ok(Exit::Done)
}

/// The id of the last record before the first one that is not older; 0 when there is none.
fn newest_before(journal: &Journal, instant: u64) -> Result<u64, Failure> {
    let mut newest = 0;
    let mut passed = false;
    each(journal, 0, |stored| {
        let young = stored.record.facts().is_some_and(|facts| {
            // An instant that cannot be read is kept.
            unix(&facts.at).is_none_or(|at| at >= instant)
        });
        passed |= young;
        if !passed {
            newest = stored.id;
        }
        Ok(())
    })?;
    Ok(newest)
}

/// Reads page by page, so that a failure to write ends it.
fn each(
    journal: &Journal,
    after: u64,
    mut each: impl FnMut(&Stored) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut failure = None;
    let read = journal.each(after, |stored| {
        each(stored).map_err(|stopped| {
            failure = Some(stopped);
            JournalError::Stopped
        })
    });
    match (failure, read) {
        (Some(failure), _) => Err(failure),
        (None, read) => read.map_err(Failure::journal),
    }
}

fn print(stored: &Stored) -> Result<(), Failure> {
    let event: &RawValue = serde_json::from_str(stored.record.event()).map_err(|_| {
        Failure::journal(JournalError::Broken {
            id: stored.id,
            problem: "is not JSON; run `negotiator journal verify`",
        })
    })?;
    answer::print(&Line {
        id: stored.id,
        tenant: stored.record.tenant(),
        workspace: stored.record.workspace(),
        event,
    })
}

/// The filter, from the words of the command line.
struct Wanted(Filter);

impl Wanted {
    fn from(which: &Which) -> Self {
        let outcome = which.outcome.map(|outcome| match outcome {
            Outcome::Accepted | Outcome::Downgraded => "accepted",
            Outcome::Refused => "refused",
        });
        let reason = which.reason.map(|reason| match reason {
            Reason::Ok => "ok",
            Reason::BelowFloor => "below-floor",
            Reason::Unsupported => "unsupported",
            Reason::Unauthenticated => "unauthenticated",
        });
        let protocol = which.protocol.map(|protocol| match protocol {
            Protocol::A2a => "a2a",
            Protocol::Mcp => "mcp",
        });
        Self(Filter {
            protocol: protocol.map(str::to_owned),
            outcome: outcome.map(str::to_owned),
            reason: reason.map(str::to_owned),
            peer_digest: which.digest.clone(),
            tenant: which.tenant.clone(),
            since: which.since,
            until: which.until,
            downgraded: which.outcome == Some(Outcome::Downgraded),
        })
    }

    fn admits(&self, stored: &Stored) -> bool {
        self.0.admits(&stored.record, unix)
    }
}

/// An instant in UTC, as seconds of Unix time.
fn unix(text: &str) -> Option<u64> {
    let instant = humantime::parse_rfc3339(text).ok()?;
    Some(seconds(instant))
}

fn seconds(instant: SystemTime) -> u64 {
    instant
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

fn instant(text: &str) -> Result<u64, &'static str> {
    unix(text).ok_or("must be an instant in UTC, like 2026-11-30T12:00:00Z")
}

const LOOK: Duration = Duration::from_millis(250);
const DAY: u64 = 24 * 60 * 60;
