//! Facets out of a discovery document.

use negotiator::error::ConfigureError;
use negotiator::types::{Facet, Facets};
use negotiator::{Loaded, Operation};
use serde::Deserialize;

use super::answer::{Answer, ErrorObject};
use super::asking::Asked;
use super::exit::Failure;
use super::input::Input;
use super::lines::MAX_LINE;
use super::members::Members;

/// Reads the facets of a discovery document; whatever else it holds is left alone.
pub(crate) fn read(input: &Input, loaded: &Loaded) -> Result<Facets, Failure> {
    let text = input.read("a discovery document")?;
    of_document(&text, &input.name(), loaded)
}

/// The facets of the document `text`; messages call it `name`.
pub(crate) fn of_document(text: &str, name: &str, loaded: &Loaded) -> Result<Facets, Failure> {
    let wrong = |problem: String| Failure::unreadable(format!("{name}: {problem}"));
    let document = Members::of(text).map_err(|problem| wrong(problem.to_string()))?;
    let facets: Vec<_> = ["a2a", "mcp"]
        .into_iter()
        .filter_map(|protocol| Some(format!("\"{protocol}\":{}", document.get(protocol)?)))
        .collect();
    if facets.is_empty() {
        return Err(wrong("must have a member a2a or mcp".to_owned()));
    }
    let facets = format!("{{{}}}", facets.join(","));
    match validate(&facets, loaded)? {
        Err(Answer::Error(error)) => {
            let problem = match ErrorObject::read(&error) {
                Some(ErrorObject::BadRequest { path, .. }) if path == "request" => {
                    format!("a2a and mcp must have less than {MAX_LINE} bytes together")
                }
                Some(error) => error.to_string(),
                None => "must have valid facets".to_owned(),
            };
            Err(wrong(problem))
        }
        Err(answer) => {
            let problem = answer.problem().unwrap_or_default();
            Err(Failure::component(problem))
        }
        Ok(facets) => Ok(facets),
    }
}

/// The operation `configure`: whether facets and settings would be taken.
pub(crate) fn configure(request: &str, loaded: &Loaded) -> Result<Answer, Failure> {
    let members = match Members::of(request) {
        Ok(members) => members,
        Err(problem) => return Ok(Answer::bad_request("request", problem.problem())),
    };
    if !members.has_only(&["facets", "settings"]) {
        let problem = "must have no members but facets, settings";
        return Ok(Answer::bad_request("request", problem));
    }
    let Some(facets) = members.get("facets") else {
        return Ok(Answer::bad_request("facets", "is missing"));
    };
    let facets = match validate(facets, loaded)? {
        Ok(facets) => facets,
        Err(answer) => return Ok(answer),
    };
    let settings = members.get("settings").unwrap_or("\"\"");
    let Ok(settings) = serde_json::from_str::<String>(settings) else {
        return Ok(Answer::bad_request("settings", "must be a string"));
    };
    Ok(match loaded.configure(facets, settings) {
        Ok(_) => Answer::Given("{}".to_owned()),
        Err(ConfigureError::Faults(faults)) => Answer::invalid_facets(faults),
        Err(ConfigureError::Call(failure)) => Answer::Failed(failure),
    })
}

/// Has the component say whether facets are valid, given as JSON text: it knows every rule, and
/// what is wrong with values that are not even of the right type.
fn validate(facets: &str, loaded: &Loaded) -> Result<Result<Facets, Answer>, Failure> {
    let component = Asked::new(loaded, None)?;
    for protocol in ["a2a", "mcp"] {
        let exchange =
            format!(r#"{{"protocol":"{protocol}","direction":"inbound","authenticated":true}}"#);
        let request = format!(r#"{{"facets":{facets},"exchange":{exchange}}}"#);
        match component.ask(Operation::Decide, &request) {
            Answer::Given(_) => {}
            Answer::Error(error) if is_absent(&error, protocol) => {}
            answer => return Ok(Err(answer)),
        }
    }
    Ok(Ok(typed(facets)))
}

/// Whether an error says just that there is no facet for this protocol, which is allowed.
fn is_absent(error: &str, protocol: &str) -> bool {
    matches!(
        ErrorObject::read(error),
        Some(ErrorObject::InvalidFacets { faults })
            if matches!(faults.as_slice(), [fault] if fault.path == protocol && fault.problem == "missing")
    )
}

/// Facets that are known to be valid.
fn typed(facets: &str) -> Facets {
    let facets: BothText = serde_json::from_str(facets).unwrap_or_default();
    Facets {
        a2a: facets.a2a.map(|a2a| Facet {
            offered: a2a.versions,
            preferred: a2a.preferred_version,
            floor: a2a.minimum_version,
        }),
        mcp: facets.mcp.map(|mcp| Facet {
            offered: mcp.revisions,
            preferred: mcp.preferred_version,
            floor: mcp.minimum_revision,
        }),
    }
}

#[derive(Default, Deserialize)]
struct BothText {
    a2a: Option<A2aText>,
    mcp: Option<McpText>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct A2aText {
    versions: Vec<String>,
    preferred_version: String,
    minimum_version: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct McpText {
    revisions: Vec<String>,
    preferred_version: String,
    minimum_revision: String,
}
