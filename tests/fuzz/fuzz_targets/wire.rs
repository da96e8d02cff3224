//! Reading what a peer said, and deciding on it: whatever headers, query, params, cards, lists and
//! errors hold, the native core says what the independent model says, byte for byte, and no
//! decision lands below the floor, nor unauthenticated below preferred.
#![no_main]

use arbitrary::Arbitrary;
use fuzzed::Text;
use libfuzzer_sys::fuzz_target;
use negotiation_core::{Highest, Protocol, Version, ops};
use serde_json::{Value, json};

#[derive(Arbitrary, Debug)]
struct Input {
    mcp: bool,
    authenticated: bool,
    posture: u8,
    side: Side,
}

#[derive(Arbitrary, Debug)]
enum Side {
    Inbound {
        headers: Vec<(Name, Text)>,
        query: Option<Query>,
        get: bool,
        method: Option<Method>,
        version: Option<Loose>,
        meta: Option<Loose>,
        session: Option<Text>,
    },
    Outbound {
        requested: Option<u8>,
        offers: Offers,
        initialize: Option<Loose>,
    },
}

#[derive(Arbitrary, Debug)]
enum Name {
    A2a,
    A2aLower,
    Mcp,
    McpLower,
    Other(Text),
}

#[derive(Arbitrary, Debug)]
enum Query {
    Version(Text),
    Twice(Text, Text),
    Any(String),
}

#[derive(Arbitrary, Debug)]
enum Method {
    Initialize,
    Discover,
    ToolsList,
    SendMessage,
    Any(String),
}

/// A member that may be of the wrong type.
#[derive(Arbitrary, Debug)]
enum Loose {
    Text(Text),
    Number(i32),
    Null,
    Object,
}

#[derive(Arbitrary, Debug)]
enum Offers {
    Nothing,
    List(Vec<Text>),
    Card(Vec<Loose>, Option<Loose>),
    Discover(Vec<Loose>),
    Error(Vec<Loose>, bool),
}

impl Loose {
    fn json(&self) -> Value {
        match self {
            Self::Text(text) => json!(text.0),
            Self::Number(number) => json!(number),
            Self::Null => Value::Null,
            Self::Object => json!({"a": []}),
        }
    }
}

/// Facets, preferred and floor.
const A2A: [(&[&str], &str, &str); 3] = [
    (&["0.3", "1.0"], "1.0", "0.3"),
    (&["1.0"], "1.0", "1.0"),
    (&["0.3", "1.0", "1.1"], "1.0", "1.0"),
];
const MCP: [(&[&str], &str, &str); 3] = [
    (
        &["2025-06-18", "2025-11-25", "2026-07-28"],
        "2026-07-28",
        "2025-06-18",
    ),
    (&["2025-03-26", "2025-11-25"], "2025-11-25", "2025-11-25"),
    (
        &["2024-11-05", "2025-06-18", "2026-07-28"],
        "2025-06-18",
        "2024-11-05",
    ),
];

fn exchange(input: &Input, offered: &[&str]) -> Value {
    let mut exchange = json!({
        "protocol": if input.mcp { "mcp" } else { "a2a" },
        "direction": "inbound",
        "authenticated": input.authenticated,
    });
    let members = exchange.as_object_mut().unwrap();
    let list = |items: &[Loose]| items.iter().map(Loose::json).collect::<Vec<_>>();
    match &input.side {
        Side::Inbound {
            headers,
            query,
            get,
            method,
            version,
            meta,
            session,
        } => {
            let headers: Vec<_> = headers
                .iter()
                .map(|(name, value)| match name {
                    Name::A2a => json!(["A2A-Version", value.0]),
                    Name::A2aLower => json!(["a2a-version", value.0]),
                    Name::Mcp => json!(["MCP-Protocol-Version", value.0]),
                    Name::McpLower => json!(["mcp-protocol-version", value.0]),
                    Name::Other(name) => json!([name.0, value.0]),
                })
                .collect();
            members.insert("headers".into(), headers.into());
            if let Some(query) = query {
                let query = match query {
                    Query::Version(text) => format!("A2A-Version={}", text.0),
                    Query::Twice(a, b) => format!("x=1&A2A-Version={}&a2a-version={}", a.0, b.0),
                    Query::Any(text) => text.clone(),
                };
                members.insert("query".into(), query.into());
            }
            if *get {
                members.insert("httpMethod".into(), "GET".into());
            }
            if let Some(method) = method {
                let method = match method {
                    Method::Initialize => "initialize",
                    Method::Discover => "server/discover",
                    Method::ToolsList => "tools/list",
                    Method::SendMessage => "SendMessage",
                    Method::Any(text) => text,
                };
                members.insert("method".into(), method.into());
            }
            let mut params = json!({});
            if let Some(version) = version {
                params["protocolVersion"] = version.json();
            }
            if let Some(meta) = meta {
                params["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": meta.json()});
            }
            members.insert("params".into(), params);
            if let Some(session) = session.as_ref().filter(|_| input.mcp) {
                members.insert("session".into(), session.0.clone().into());
            }
        }
        Side::Outbound {
            requested,
            offers,
            initialize,
        } => {
            members.insert("direction".into(), "outbound".into());
            if let Some(requested) = requested {
                let requested = offered[usize::from(*requested) % offered.len()];
                members.insert("requested".into(), requested.into());
            }
            let (name, value) = match offers {
                Offers::Nothing => ("", Value::Null),
                Offers::List(offers) => {
                    ("offers", offers.iter().map(|text| text.0.clone()).collect())
                }
                Offers::Card(interfaces, top) => {
                    let interfaces: Vec<_> = interfaces
                        .iter()
                        .map(|version| json!({"url": "https://p.example", "protocolVersion": version.json()}))
                        .collect();
                    let mut card = json!({"supportedInterfaces": interfaces});
                    if let Some(top) = top {
                        card["protocolVersion"] = top.json();
                    }
                    ("card", card)
                }
                Offers::Discover(versions) => {
                    ("discover", json!({"supportedVersions": list(versions)}))
                }
                Offers::Error(versions, mcp) => {
                    let (code, name) = if *mcp {
                        (-32022, "supported")
                    } else {
                        (-32009, "supportedVersions")
                    };
                    (
                        "error",
                        json!({"code": code, "message": "m", "data": {name: list(versions)}}),
                    )
                }
            };
            let fits = match name {
                "card" => !input.mcp,
                "discover" => input.mcp,
                name => !name.is_empty(),
            };
            if fits {
                members.insert(name.into(), value);
            }
            if let Some(initialize) = initialize
                .as_ref()
                .filter(|_| input.mcp && !matches!(name, "error"))
            {
                members.insert(
                    "initialize".into(),
                    json!({"protocolVersion": initialize.json()}),
                );
            }
        }
    }
    exchange
}

fuzz_target!(|input: Input| {
    let postures = if input.mcp { MCP } else { A2A };
    let (offered, preferred, floor) = postures[usize::from(input.posture) % postures.len()];
    let facets = if input.mcp {
        json!({"mcp": {"revisions": offered, "preferredVersion": preferred, "minimumRevision": floor, "refreshedAt": "2026-11-01"}})
    } else {
        json!({"a2a": {"versions": offered, "preferredVersion": preferred, "minimumVersion": floor, "refreshedAt": "2026-11-01"}})
    };
    let exchange = exchange(&input, offered);
    let request =
        json!({"facets": facets, "exchange": exchange, "context": {"at": "2026-11-30T12:00:00Z"}});
    let text = request.to_string();
    let native = match ops::run("settle", &text, None, &mut Highest).expect("an operation") {
        Ok(native) => native,
        Err(error) => {
            // Too long, or a combination that the contract rules out: never without a path.
            assert!(error.contains("bad-request"), "{error}: {text}");
            return;
        }
    };
    let modelled = negotiation_model::settle(&request).expect("the model reads it, too");
    assert_eq!(native, modelled.text, "{text}");
    let answer: Value = serde_json::from_str(&native).unwrap();
    assert_eq!(answer["record"].to_string(), modelled.record, "{text}");
    if let Some(version) = answer.get("version").and_then(Value::as_str) {
        let protocol = if input.mcp {
            Protocol::Mcp
        } else {
            Protocol::A2a
        };
        let read = |text| Version::parse(protocol, text).expect("a version");
        assert!(offered.contains(&version), "{text}");
        assert!(read(version) >= read(floor), "{text}");
        assert!(
            input.authenticated || read(version) >= read(preferred),
            "{text}"
        );
    }
});
