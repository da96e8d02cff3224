//! Reads settings, and says what is wrong with them without repeating any of it but the names of
//! rules, which have a grammar.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use negotiation_core::instant::Instant;
use negotiation_core::json::{BadRequest, MAX_REQUEST, Object, Value};
use negotiation_core::{Direction, Protocol, Version};

use crate::rule::{Action, Rule, Rules, When};

/// Reads settings.
///
/// Errors: a sentence with every rule at fault, by place and name, and the member.
pub(crate) fn read(text: &str) -> Result<Rules, String> {
    if text.is_empty() {
        return Err(String::from(
            "must be given: the policy `rules` does what its settings say, and `negotiator policy \
             schema` tells their shape",
        ));
    }
    if text.len() > MAX_REQUEST {
        return Err(format!("must be at most {MAX_REQUEST} bytes long"));
    }
    let value = Value::parse(text).ok_or_else(|| String::from("must be JSON text"))?;
    let mut problems = Vec::new();
    let read = top(&value, &mut problems).map_err(|fault| sentence(&fault, None));
    match read {
        Ok(rules) if problems.is_empty() => Ok(rules),
        Ok(_) => Err(join(&problems)),
        Err(problem) => Err(problem),
    }
}

fn top(value: &Value, problems: &mut Vec<String>) -> Result<Rules, BadRequest> {
    // `request` is the path that stands for the whole text: members below it have no prefix.
    let known = ["$schema", "otherwise", "rules"];
    let object = Object::read(WHOLE, value, &known)?;
    object.text("$schema")?;
    let otherwise = object.need_one_of("otherwise", &ACTIONS)?;
    let Some(list) = object.need("rules")?.as_array() else {
        return Err(object.bad("rules", "must be an array"));
    };
    if list.len() > MAX_ITEMS {
        return Err(object.bad("rules", "must have at most 256 items"));
    }
    let mut rules = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for (place, value) in list.iter().enumerate() {
        let path = format!("rules[{place}]");
        match rule(&path, value, &names) {
            Ok(rule) => rules.push(rule),
            Err(fault) => problems.push(sentence(&fault, name_of(value))),
        }
        names.extend(name_of(value));
    }
    Ok(Rules { rules, otherwise })
}

fn rule(path: &str, value: &Value, names: &[&str]) -> Result<Rule, BadRequest> {
    let object = Object::read(path, value, &["name", "when", "then", "from", "until"])?;
    if object.get("name").is_some() {
        let Some(name) = name_of(value) else {
            return Err(object.bad(
                "name",
                "must be at most 64 characters: words of a-z and 0-9, joined by `-`",
            ));
        };
        if names.contains(&name) {
            return Err(object.bad("name", "must not be that of an earlier rule"));
        }
    }
    let then = object.need_one_of("then", &ACTIONS)?;
    let (from, until) = (instant(&object, "from")?, instant(&object, "until")?);
    if then == Action::Deny && (from.is_some() || until.is_some()) {
        let member = if from.is_some() { "from" } else { "until" };
        return Err(object.bad(
            member,
            "must not stand in a rule that denies: it says when a rule grants",
        ));
    }
    if let (Some(from), Some(until)) = (from, until)
        && from >= until
    {
        return Err(object.bad("until", "must be after `from`"));
    }
    let when = match object.get("when") {
        None => When::default(),
        Some(value) => when(&object.path("when"), value)?,
    };
    Ok(Rule {
        when,
        then,
        from,
        until,
    })
}

fn when(path: &str, value: &Value) -> Result<When, BadRequest> {
    let known = [
        "protocol",
        "direction",
        "version",
        "versions",
        "tenant",
        "workspace",
        "peerDigest",
    ];
    let object = Object::read(path, value, &known)?;
    let protocol = one_of(&object, "protocol", &PROTOCOLS)?;
    let direction = one_of(&object, "direction", &DIRECTIONS)?;
    let (min, max) = versions(&object, protocol)?;
    let tenants = texts(&object, "tenant", is_tenant, TENANT)?;
    let workspaces = texts(&object, "workspace", is_id, ID)?;
    let peer_digests = texts(&object, "peerDigest", is_digest, DIGEST)?;
    Ok(When {
        protocol,
        direction,
        min,
        max,
        tenants,
        workspaces,
        peer_digests,
    })
}

/// The ends of the range of versions, either of which may be open.
fn versions(
    object: &Object<'_>,
    protocol: Option<Protocol>,
) -> Result<(Option<Version>, Option<Version>), BadRequest> {
    let member = match (object.get("version"), object.get("versions")) {
        (None, None) => return Ok((None, None)),
        (Some(_), Some(_)) => {
            return Err(object.bad("versions", "must not stand beside `version`"));
        }
        (Some(_), None) => "version",
        (None, Some(_)) => "versions",
    };
    let Some(protocol) = protocol else {
        return Err(object.bad(
            member,
            "must stand beside `protocol`, which says what a version is",
        ));
    };
    if member == "version" {
        let only = version(object, member, protocol)?;
        return Ok((only, only));
    }
    let path = object.path(member);
    let range = Object::read(&path, object.need(member)?, &["min", "max"])?;
    let min = version(&range, "min", protocol)?;
    let max = version(&range, "max", protocol)?;
    if min.is_none() && max.is_none() {
        return Err(object.bad(member, "must have `min` or `max` or both"));
    }
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        return Err(range.bad("max", "must not be below `min`"));
    }
    Ok((min, max))
}

fn version(
    object: &Object<'_>,
    member: &str,
    protocol: Protocol,
) -> Result<Option<Version>, BadRequest> {
    let Some(text) = object.text(member)? else {
        return Ok(None);
    };
    match Version::parse(protocol, text) {
        Some(version) => Ok(Some(version)),
        None => Err(object.bad(
            member,
            match protocol {
                Protocol::A2a => "must be an A2A version, <major>.<minor>",
                Protocol::Mcp => "must be an MCP revision, a calendar date YYYY-MM-DD",
            },
        )),
    }
}

fn instant(object: &Object<'_>, member: &str) -> Result<Option<Instant>, BadRequest> {
    let Some(text) = object.text(member)? else {
        return Ok(None);
    };
    match Instant::parse(text) {
        Some(instant) => Ok(Some(instant)),
        None => Err(object.bad(
            member,
            "must be an RFC 3339 date-time with offset, such as 2027-01-01T00:00:00Z",
        )),
    }
}

fn one_of<T: Copy>(
    object: &Object<'_>,
    member: &str,
    choices: &[(&str, T)],
) -> Result<Option<T>, BadRequest> {
    let given = object.get(member);
    given
        .map(|given| object.one_of(member, given, choices))
        .transpose()
}

/// One text, or a list of them.
fn texts(
    object: &Object<'_>,
    member: &str,
    fits: fn(&str) -> bool,
    grammar: &str,
) -> Result<Option<Vec<String>>, BadRequest> {
    let Some(given) = object.get(member) else {
        return Ok(None);
    };
    let list = given.as_array().unwrap_or(core::slice::from_ref(given));
    if list.is_empty() || list.len() > MAX_ITEMS {
        return Err(object.bad(member, "must have 1 to 256 items"));
    }
    let mut texts = Vec::new();
    for (place, item) in list.iter().enumerate() {
        match item.as_str().filter(|text| fits(text)) {
            Some(text) => texts.push(String::from(text)),
            None if given.as_array().is_none() => return Err(object.bad(member, grammar)),
            None => return Err(object.bad(&format!("{member}[{place}]"), grammar)),
        }
    }
    Ok(Some(texts))
}

/// The name of a rule, if it has one in its grammar.
fn name_of(rule: &Value) -> Option<&str> {
    let name = rule.member("name")?.as_str()?;
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(plain);
    (name.len() <= 64 && name.split('-').all(is_word)).then_some(name)
}

fn is_tenant(text: &str) -> bool {
    is_id(text.strip_prefix("anon:").unwrap_or(text))
}

fn is_id(text: &str) -> bool {
    let in_alphabet =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'~' | b'-');
    (1..=128).contains(&text.len()) && text.bytes().all(in_alphabet)
}

fn is_digest(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// `rules[2].when.version (rule old-ones): must be …`
fn sentence(fault: &BadRequest, rule: Option<&str>) -> String {
    let problem = &fault.problem;
    match (fault.path.as_str(), rule) {
        (WHOLE, _) => problem.clone(),
        (path, None) => format!("{path}: {problem}"),
        (path, Some(name)) => format!("{path} (rule {name}): {problem}"),
    }
}

fn join(problems: &[String]) -> String {
    let shown = problems.get(..MAX_SHOWN).unwrap_or(problems);
    let mut text = shown.join("; ");
    let more = problems.len().saturating_sub(shown.len());
    if more > 0 {
        text.push_str(&format!("; and {more} more"));
    }
    text
}

const WHOLE: &str = "request";
/// The most rules, and the most texts in a list.
const MAX_ITEMS: usize = 256;
/// How many faults are told.
const MAX_SHOWN: usize = 4;
const ACTIONS: [(&str, Action); 3] = [
    ("grant-best", Action::GrantBest),
    ("grant-exact", Action::GrantExact),
    ("deny", Action::Deny),
];
const PROTOCOLS: [(&str, Protocol); 2] = [("a2a", Protocol::A2a), ("mcp", Protocol::Mcp)];
const DIRECTIONS: [(&str, Direction); 2] = [
    ("inbound", Direction::Inbound),
    ("outbound", Direction::Outbound),
];
const TENANT: &str = "must be a tenant id: 1 to 128 of A-Z a-z 0-9 . _ ~ -";
const ID: &str = "must be a workspace id: 1 to 128 of A-Z a-z 0-9 . _ ~ -";
const DIGEST: &str = "must be 64 hex digits in lower case; `negotiator digest URL` prints them";
