//! `negotiator matrix`.

use std::fmt::Write as _;

use clap::ValueEnum;
use negotiator::Operation;
use negotiator::shared::versions::{self, Named};
use negotiator::types::{Facet, Facets, Protocol};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answer::{self, Answer};
use super::asking::Asked;
use super::exit::{Exit, Failure};
use super::input::Input;
use super::words::{self, BAD, FAINT, GOOD, HEAD};
use super::{Global, component, facets};

/// Show what every version that a peer may name leads to
///
/// Rows are: no version, one below the floor, every one offered, and one that is not offered; each
/// with and without authentication. All of it is inbound. A2A names its version in the header
/// A2A-Version; MCP in `initialize` for revisions that have it (and where nothing is named), in
/// the header and `_meta` of `tools/list` for the others.
///
/// Without --facets an example is shown: A2A 0.3 and 1.0 (preferred 1.0, floor 0.3); MCP
/// 2025-06-18, 2025-11-25 and 2026-07-28 (preferred 2026-07-28, floor 2025-06-18).
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// A discovery document; `-` is standard input
    #[arg(long, value_name = "DISCOVERY")]
    facets: Option<Input>,
    /// Only this protocol
    #[arg(long, value_enum)]
    protocol: Option<Only>,
    /// Write JSON: {"rows":[{"protocol","named","authenticated","outcome","version","reason"}]}
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Examples:
  negotiator matrix
  negotiator matrix --facets discovery.json --protocol mcp
  negotiator matrix --json | jq -r '.rows[] | select(.outcome == \"refused\") | .reason'

Exit codes:
  0  done
  2  the facets could not be read, are not valid, or lack the protocol
  3  the component could not be loaded, or failed";

/// A whole discovery document, for want of another.
const EXAMPLE: &str = include_str!("../../examples/discovery.json");

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Only {
    A2a,
    Mcp,
}

#[derive(Serialize)]
struct Rows {
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    protocol: &'static str,
    named: Option<String>,
    authenticated: bool,
    #[serde(flatten)]
    decided: Decided,
}

/// What an answer says, as far as it is shown.
#[derive(Serialize, Deserialize)]
struct Decided {
    outcome: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    reason: String,
    #[serde(skip_serializing)]
    cause: String,
}

pub(crate) fn run(args: &Args, global: &Global) -> Result<Exit, Failure> {
    let loaded = component::load(global)?;
    let facets = match &args.facets {
        Some(input) => facets::read(input, &loaded)?,
        None => facets::of_document(EXAMPLE, "the example", &loaded)?,
    };
    let shown = shown(&facets, args)?;
    let component = Asked::new(&loaded, Some(facets.clone()))?;
    let mut rows = Vec::new();
    let mut text = String::new();
    for (protocol, facet) in shown {
        let mut table = Table::new(protocol, facet);
        for named in versions::to_name(protocol, facet) {
            let [with, without] =
                [true, false].map(|authenticated| row(&component, protocol, &named, authenticated));
            let (with, without) = (with?, without?);
            table.add(&named, &with.decided, &without.decided);
            rows.extend([with, without]);
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&table.text);
    }
    if args.json {
        answer::print(&Rows { rows })?;
    } else {
        answer::print_whole(&text)?;
    }
    Ok(Exit::Done)
}

/// The facets to show.
fn shown<'a>(facets: &'a Facets, args: &Args) -> Result<Vec<(Protocol, &'a Facet)>, Failure> {
    let all = [
        (Only::A2a, Protocol::A2a, &facets.a2a),
        (Only::Mcp, Protocol::Mcp, &facets.mcp),
    ];
    let shown: Vec<_> = all
        .into_iter()
        .filter(|(only, ..)| args.protocol.is_none_or(|wanted| wanted == *only))
        .filter_map(|(_, protocol, facet)| Some((protocol, facet.as_ref()?)))
        .collect();
    if shown.is_empty() {
        let message = "the facets have no member of the name that --protocol asks for";
        return Err(Failure::unreadable(message.to_owned()));
    }
    Ok(shown)
}

fn row(
    component: &Asked,
    protocol: Protocol,
    named: &Named,
    authenticated: bool,
) -> Result<Row, Failure> {
    let version = named.version.as_deref();
    let request = json!({ "exchange": exchange(protocol, version, authenticated) });
    let answer = component.ask(Operation::Decide, &request.to_string());
    let decided = match &answer {
        Answer::Given(text) => serde_json::from_str(text).ok(),
        Answer::Error(_) | Answer::Failed(_) => None,
    };
    let decided = decided.ok_or_else(|| {
        let problem = answer.problem();
        Failure::component(problem.unwrap_or_else(|| "the component did not decide".to_owned()))
    })?;
    Ok(Row {
        protocol: name(protocol),
        named: named.version.clone(),
        authenticated,
        decided,
    })
}

/// A message that names a version, or none, in the way of its protocol and era.
fn exchange(protocol: Protocol, named: Option<&str>, authenticated: bool) -> Value {
    let mut exchange = json!({
        "protocol": name(protocol),
        "direction": "inbound",
        "authenticated": authenticated,
        "method": versions::message(protocol, named),
    });
    let Some(version) = named else {
        return exchange;
    };
    let add = match protocol {
        Protocol::A2a => json!({ "headers": [["A2A-Version", version]] }),
        Protocol::Mcp if versions::has_handshake(version) => {
            json!({ "params": { "protocolVersion": version } })
        }
        Protocol::Mcp => json!({
            "headers": [["MCP-Protocol-Version", version]],
            "params": { "_meta": { "io.modelcontextprotocol/protocolVersion": version } },
        }),
    };
    if let (Value::Object(exchange), Value::Object(add)) = (&mut exchange, add) {
        exchange.extend(add);
    }
    exchange
}

fn name(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::A2a => "a2a",
        Protocol::Mcp => "mcp",
    }
}

/// For people: one line for each version, with and without authentication side by side.
struct Table {
    protocol: Protocol,
    text: String,
}

impl Table {
    fn new(protocol: Protocol, facet: &Facet) -> Self {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{HEAD}{}{HEAD:#}  offered {}; preferred {}; floor {}",
            name(protocol),
            facet.offered.join(", "),
            facet.preferred,
            facet.floor
        );
        let _ = writeln!(
            text,
            "{FAINT}{:<NAMED$}{:<MESSAGE$}{:<CELL$}not authenticated{FAINT:#}",
            "named", "in", "authenticated"
        );
        Self { protocol, text }
    }

    fn add(&mut self, named: &Named, with: &Decided, without: &Decided) {
        let version = named.version.as_deref();
        let label = match (version, named.note) {
            (None, _) => "nothing".to_owned(),
            (Some(version), "") => version.to_owned(),
            (Some(version), note) => format!("{version} ({note})"),
        };
        let message = versions::message(self.protocol, version);
        let _ = writeln!(
            self.text,
            "{label:<NAMED$}{message:<MESSAGE$}{}{}",
            cell(with, CELL),
            cell(without, 0)
        );
    }
}

fn cell(decided: &Decided, width: usize) -> String {
    let (style, text) = match &decided.version {
        Some(version) => (GOOD, format!("{version} ({})", decided.cause)),
        None => (BAD, format!("refused: {}", decided.reason)),
    };
    format!("{style}{:<width$}{style:#}", words::shown(&text))
}

const NAMED: usize = 30;
const MESSAGE: usize = 13;
const CELL: usize = 29;
