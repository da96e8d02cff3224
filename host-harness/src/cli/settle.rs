//! `negotiator settle`.

use negotiator::Operation;

use super::answer::Answer;
use super::asking::Asked;
use super::capture::{self, BadId, Entry};
use super::exit::{Exit, Failure};
use super::input::Input;
use super::stream::{self, Reply};
use super::summary::Summary;
use super::{Global, component, facets};

/// Settle exchanges: decide, record and answer, one line each
///
/// Reads exchanges, one a line, and writes one answer a line, in the same order. A line is one of
///
///   {"exchange":{…},"context":{…}}                 decided under the facets of --facets
///   {"facets":{…},"exchange":{…},"context":{…}}    decided under its own facets
///   {"id":…,"request":{…},…}                       a line of a capture or log, which holds
///                                                  one of the two: that is settled
///
/// The answer to a capture has the same members as any other, with the id in front:
/// {"id":…,"outcome":…}. Its further members are not read. A line has at most 65536 bytes.
///
/// A line that cannot be read is answered with {"error":{…}}, which repeats nothing of it; the
/// others are settled all the same, and the exit code is 2.
#[derive(clap::Args)]
#[command(verbatim_doc_comment, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// A discovery document; lines that bring facets of their own keep them
    ///
    /// Only its members `a2a` and `mcp` are read. `-` is standard input.
    #[arg(long, value_name = "DISCOVERY")]
    facets: Option<Input>,
    /// Say at the end, on standard error, how many were accepted, downgraded and refused
    #[arg(long)]
    summary: bool,
    /// The exchanges, one a line; `-` is standard input
    #[arg(default_value = "-", hide_default_value = true)]
    exchanges: Input,
}

const AFTER_HELP: &str = "\
Examples:
  negotiator settle --facets discovery.json exchanges.jsonl
  negotiator settle --facets discovery.json --summary < exchanges.jsonl > answers.jsonl
  negotiator settle --facets discovery.json exchanges.jsonl | jq -c .record

Exit codes:
  0  every line was settled; a refusal is an answer, not an error
  2  a line or a file could not be read, or the facets are not valid
  3  the component could not be loaded, or failed";

pub(crate) fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    if args.facets == Some(Input::Standard) && args.exchanges == Input::Standard {
        let message = "standard input can be --facets or the exchanges, not both";
        return Err(Failure::unreadable(message.to_owned()));
    }
    let loaded = component::load(global)?;
    let facets = match &args.facets {
        Some(input) => Some(facets::read(input, &loaded)?),
        None => None,
    };
    let component = Asked::new(&loaded, facets)?;
    let mut summary = args.summary.then(Summary::default);
    let exit = stream::run(
        &args.exchanges,
        |line| Ok(settle(&component, line)),
        |answer| {
            if let Some(summary) = &mut summary {
                summary.add(answer);
            }
        },
    )?;
    if let Some(summary) = summary {
        summary.say();
    }
    Ok(exit)
}

fn settle<'a>(component: &Asked, line: &'a str) -> Reply<'a> {
    match capture::open(line) {
        Ok(Entry { id, request }) => Reply {
            id,
            answer: component.ask(Operation::Settle, request),
        },
        Err(BadId) => Reply {
            id: None,
            answer: Answer::bad_request(BadId::PATH, BadId::PROBLEM),
        },
    }
}
