//! Mutated requests: corpus lines with edits, and whole requests made from a pool of values.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value, json};

/// One edit of a text.
#[derive(Clone, Debug)]
pub enum Edit {
    /// Cut from a place, some characters long.
    Cut(Index, u8),
    /// Say a stretch twice.
    Repeat(Index, u8),
    /// Put a piece in.
    Insert(Index, &'static str),
    /// Put a piece in the place of one character.
    Replace(Index, &'static str),
}

/// Pieces that matter to a JSON reader or to the grammar of versions.
const PIECES: &[&str] = &[
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "true",
    "0",
    "1.0",
    "-",
    ".",
    "1e999",
    "\\u0000",
    "\\ud800",
    "\u{0}",
    "é",
    "\u{1F600}",
    " ",
    "\t",
    "\n",
    "2026-07-28",
    "2025-11-25",
    "0.3",
    "18446744073709551616",
    "\"facets\":{},",
    "\"_meta\":{},",
    "[[[[[[[[",
    "mcp",
    "a2a",
];

/// Up to five edits.
pub fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let piece = || proptest::sample::select(PIECES);
    let edit = prop_oneof![
        (any::<Index>(), 1..12_u8).prop_map(|(at, length)| Edit::Cut(at, length)),
        (any::<Index>(), 1..40_u8).prop_map(|(at, length)| Edit::Repeat(at, length)),
        (any::<Index>(), piece()).prop_map(|(at, piece)| Edit::Insert(at, piece)),
        (any::<Index>(), piece()).prop_map(|(at, piece)| Edit::Replace(at, piece)),
    ];
    proptest::collection::vec(edit, 0..5)
}

/// A text with edits.
#[must_use]
pub fn edited(text: &str, edits: &[Edit]) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for edit in edits {
        let length = characters.len().saturating_add(1);
        let (at, taken, put): (usize, usize, Vec<char>) = match edit {
            Edit::Cut(at, taken) => (at.index(length), usize::from(*taken), Vec::new()),
            Edit::Insert(at, piece) => (at.index(length), 0, piece.chars().collect()),
            Edit::Replace(at, piece) => (at.index(length), 1, piece.chars().collect()),
            Edit::Repeat(at, taken) => {
                let at = at.index(length);
                let again = characters
                    .iter()
                    .skip(at)
                    .take(usize::from(*taken))
                    .copied()
                    .collect();
                (at, 0, again)
            }
        };
        let end = at.saturating_add(taken).min(characters.len());
        characters.splice(at.min(end)..end, put);
    }
    characters.into_iter().collect()
}

/// Version texts, good and bad.
fn version(protocol: &str) -> BoxedStrategy<String> {
    let texts: &'static [&'static str] = match protocol {
        "a2a" => &[
            "0.3", "1.0", "0.10", "1.10", "1.9", "2.0", "0.2", "1.0.0", "v1.0", "1", "", " 1.0 ",
            "01.0", "1.0, 0.3", "1.0,1.0", "banana", "1.0,", "0.3.7",
        ],
        _ => &[
            "2024-11-05",
            "2025-03-26",
            "2025-06-18",
            "2025-11-25",
            "2026-07-28",
            "2027-01-15",
            "2099-01-01",
            "2026-02-30",
            "DRAFT-2026-v1",
            "",
            " 2025-11-25",
            "2025-11-25, 2025-11-25",
            "2025-11-25, 2025-06-18",
            "2025-06-18\n",
            "2025-11-25,",
        ],
    };
    proptest::sample::select(texts)
        .prop_map(str::to_string)
        .boxed()
}

/// A value where a version should stand: text mostly, sometimes another type.
fn named(protocol: &'static str) -> BoxedStrategy<Value> {
    prop_oneof![
        8 => version(protocol).prop_map(Value::from),
        1 => Just(Value::Null),
        1 => Just(json!(5)),
    ]
    .boxed()
}

fn maybe<T: std::fmt::Debug + Clone + 'static>(
    strategy: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<Option<T>> {
    proptest::option::weighted(0.6, strategy).boxed()
}

/// A valid facet over well-formed versions.
fn facet(protocol: &'static str) -> BoxedStrategy<Value> {
    let all: Vec<&'static str> = match protocol {
        "a2a" => vec!["0.3", "0.10", "1.0", "1.9", "1.10"],
        _ => vec![
            "2025-03-26",
            "2025-06-18",
            "2025-11-25",
            "2026-07-28",
            "2027-01-15",
        ],
    };
    let count = all.len();
    (
        proptest::sample::subsequence(all, 1..=count),
        any::<Index>(),
        any::<Index>(),
    )
        .prop_map(move |(offered, preferred, floor)| {
            let preferred = preferred.index(offered.len());
            let floor = floor.index(preferred.saturating_add(1));
            let (preferred, floor) = (offered.get(preferred), offered.get(floor));
            match protocol {
                "a2a" => json!({"versions": offered, "preferredVersion": preferred,
                    "minimumVersion": floor, "refreshedAt": "2026-11-01"}),
                _ => json!({"revisions": offered, "preferredVersion": preferred,
                    "minimumRevision": floor, "refreshedAt": "2026-11-01"}),
            }
        })
        .boxed()
}

fn inbound(protocol: &'static str) -> BoxedStrategy<Value> {
    let (header, other) = match protocol {
        "a2a" => ("A2A-Version", "X-A2A-Version"),
        _ => ("mcp-protocol-version", "MCP-Version"),
    };
    let name = prop_oneof![4 => Just(header), 1 => Just(other)];
    let headers = proptest::collection::vec(
        (name, version(protocol)).prop_map(|(n, v)| json!([n, v])),
        0..3,
    );
    let query = version(protocol).prop_map(|text| format!("x=1&A2A-Version={text}"));
    let method = proptest::sample::select(vec!["initialize", "tools/list", "server/discover"]);
    let params = (maybe(named(protocol)), maybe(named(protocol))).prop_map(|(version, meta)| {
        let mut params = Map::new();
        if let Some(version) = version {
            params.insert("protocolVersion".into(), version);
        }
        if let Some(meta) = meta {
            let member = "io.modelcontextprotocol/protocolVersion";
            params.insert("_meta".into(), json!({ member: meta }));
        }
        Value::Object(params)
    });
    let http = proptest::sample::select(vec!["GET", "POST", "DELETE"]);
    let session = maybe(version(protocol));
    (
        headers,
        maybe(query),
        maybe(method),
        maybe(params),
        maybe(http),
        session,
    )
        .prop_map(move |(headers, query, method, params, http, session)| {
            let mut exchange = Map::new();
            exchange.insert("headers".into(), headers.into());
            let mut put = |name: &str, value: Option<Value>| {
                if let Some(value) = value {
                    exchange.insert(name.into(), value);
                }
            };
            put("query", query.map(Value::from));
            put("method", method.map(Value::from));
            put("params", params);
            put("httpMethod", http.map(Value::from));
            put(
                "session",
                session.filter(|_| protocol == "mcp").map(Value::from),
            );
            Value::Object(exchange)
        })
        .boxed()
}

fn outbound(protocol: &'static str) -> BoxedStrategy<Value> {
    let list = || proptest::collection::vec(named(protocol), 0..4).prop_map(Value::from);
    let texts = proptest::collection::vec(version(protocol), 0..4)
        .prop_map(|texts| json!({ "offers": texts }));
    let source = match protocol {
        "a2a" => {
            let interfaces = list().prop_map(|list| {
                let each = |version: &Value| json!({"url": "x", "protocolVersion": version});
                let interfaces: Vec<_> = list.as_array().into_iter().flatten().map(each).collect();
                json!({"card": {"supportedInterfaces": interfaces, "protocolVersion": "0.3.0"}})
            });
            let joined = proptest::collection::vec(version("a2a"), 0..3).prop_map(|list| {
                json!({"error": {"code": -32009, "data": [{"metadata": {
                    "supportedVersions": list.join(", ") }}]}})
            });
            let bare = list().prop_map(
                |list| json!({"error": {"code": -32009, "data": {"supportedVersions": list}}}),
            );
            prop_oneof![interfaces, joined, bare, texts, Just(json!({}))].boxed()
        }
        _ => {
            let discover = list().prop_map(|list| json!({"discover": {"supportedVersions": list}}));
            let error = (
                list(),
                proptest::sample::select(vec![-32022, -32602, -32601]),
            )
                .prop_map(
                    |(list, code)| json!({"error": {"code": code, "data": {"supported": list}}}),
                );
            let initialize =
                named("mcp").prop_map(|text| json!({"initialize": {"protocolVersion": text}}));
            let both = (list(), named("mcp")).prop_map(|(list, text)| {
                json!({"discover": {"supportedVersions": list},
                    "initialize": {"protocolVersion": text}})
            });
            prop_oneof![discover, error, initialize, both, texts, Just(json!({}))].boxed()
        }
    };
    (source, maybe(version(protocol)))
        .prop_map(|(mut exchange, requested)| {
            if let (Some(requested), Some(exchange)) = (requested, exchange.as_object_mut()) {
                exchange.insert("requested".into(), requested.into());
            }
            exchange
        })
        .boxed()
}

/// A whole `settle` request that can be read.
pub fn settle_request() -> impl Strategy<Value = Value> {
    let protocol = proptest::sample::select(vec!["a2a", "mcp"]);
    (protocol, any::<bool>(), any::<bool>()).prop_flat_map(
        |(protocol, is_inbound, authenticated)| {
            let exchange = if is_inbound {
                inbound(protocol)
            } else {
                outbound(protocol)
            };
            (exchange, facet(protocol), context()).prop_map(
                move |(mut exchange, facet, context)| {
                    let direction = if is_inbound { "inbound" } else { "outbound" };
                    if let Some(exchange) = exchange.as_object_mut() {
                        exchange.insert("protocol".into(), protocol.into());
                        exchange.insert("direction".into(), direction.into());
                        exchange.insert("authenticated".into(), authenticated.into());
                    }
                    json!({"facets": {protocol: facet}, "exchange": exchange, "context": context})
                },
            )
        },
    )
}

fn context() -> impl Strategy<Value = Value> {
    let url = proptest::sample::select(vec![
        "https://peer.example/x",
        "stdio:",
        "http://127.0.0.1:8080/",
        "https://bücher.example",
        "peer.example:1",
        "https://user:pw@PEER.example:443/",
    ]);
    (
        maybe(url),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(url, tenant, workspace, run, event)| {
            let mut context = Map::new();
            context.insert("at".into(), "2026-11-30T12:00:00Z".into());
            let mut put = |on: bool, name: &str, value: Value| {
                if on {
                    context.insert(name.into(), value);
                }
            };
            put(url.is_some(), "peerUrl", json!(url));
            put(tenant, "tenant", json!("acme"));
            put(workspace, "workspace", json!("ws-1"));
            put(run, "runId", json!("acme/0123456789abcdef"));
            put(run, "sequence", json!(7));
            put(event, "eventId", json!("hev-0123456789abcdef01234567"));
            Value::Object(context)
        })
}
