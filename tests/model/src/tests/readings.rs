//! One row for each sentence of the rules on reading.

use serde_json::{Value, json};

use super::{a2a_in, a2a_out, brief, mcp_in, mcp_out};

const META: &str = "io.modelcontextprotocol/protocolVersion";

fn a2a(headers: &[&str], query: &str) -> String {
    let headers: Vec<[&str; 2]> = headers
        .iter()
        .map(|value| ["a2a-VERSION", *value])
        .collect();
    brief(&a2a_in(true, json!({ "headers": headers, "query": query })))
}

#[test]
fn a2a_headers_and_query() {
    assert_eq!(a2a(&[], ""), "1.0 default -");
    assert_eq!(
        a2a(&["", " ,\t"], "A2A-Version=&A2A-Version"),
        "1.0 default -"
    );
    assert_eq!(
        a2a(&["1.0", "\t1.0 "], "a2a-version=1%2E0"),
        "1.0 exact 1.0"
    );
    assert_eq!(a2a(&[",1.0.7,"], ""), "1.0 exact 1.0");
    assert_eq!(a2a(&["1.0, 1.0.0"], ""), "unsupported ambiguous -");
    assert_eq!(a2a(&["1.0"], "A2A-Version=0.3"), "unsupported ambiguous -");
    assert_eq!(a2a(&[], "x=1&A2A-Version=+1.0&y"), "1.0 exact 1.0");
    assert_eq!(a2a(&[], "A2A-Version=0.3,1.0"), "unsupported ambiguous -");
    assert_eq!(a2a(&["banana"], ""), "unsupported malformed -");
    assert_eq!(a2a(&["\u{a0}1.0"], ""), "unsupported malformed -");
    assert_eq!(a2a(&["0.2"], ""), "below-floor named-below-floor 0.2");
    let other =
        json!({ "headers": [["X-A2A-Version", "0.3"]], "params": { "protocolVersion": 1 } });
    assert_eq!(brief(&a2a_in(true, other)), "1.0 default -");
}

/// `-` stands for no such name.
fn mcp(header: &str, meta: Value, method: &str) -> String {
    let mut exchange = json!({ "params": { "_meta": {} } });
    if header != "-" {
        exchange["headers"] = json!([["MCP-Protocol-Version", header]]);
    }
    if meta != "-" {
        exchange["params"]["_meta"][META] = meta;
    }
    if method != "-" {
        exchange["method"] = method.into();
    }
    brief(&mcp_in(true, exchange))
}

#[test]
fn mcp_header_and_meta() {
    let (old, new) = ("2025-11-25", "2026-07-28");
    let mismatch = |on_record: &str| format!("unsupported header-body-mismatch {on_record}");
    assert_eq!(mcp("-", "-".into(), "ping"), "unsupported not-named -");
    assert_eq!(
        mcp("2025-11-25,2026-07-28", new.into(), "ping"),
        "unsupported ambiguous -"
    );
    assert_eq!(
        mcp("2025-11-25,", "-".into(), "ping"),
        "unsupported ambiguous -"
    );
    assert_eq!(mcp("-", new.into(), "ping"), mismatch(new));
    assert_eq!(mcp("-", old.into(), "ping"), mismatch(old));
    assert_eq!(mcp("-", Value::Null, "ping"), mismatch("-"));
    assert_eq!(mcp(new, Value::Null, "ping"), mismatch(new));
    assert_eq!(mcp(new, old.into(), "ping"), mismatch(new));
    assert_eq!(mcp("x", old.into(), "ping"), mismatch(old));
    assert_eq!(mcp("x", 7.into(), "ping"), mismatch("-"));
    assert_eq!(mcp(new, "2026-07-28 ".into(), "ping"), mismatch(new));
    assert_eq!(mcp(new, "-".into(), "ping"), mismatch(new));
    assert_eq!(mcp(new, "-".into(), "-"), mismatch(new));
    assert_eq!(
        mcp("2027-01-01", "-".into(), "ping"),
        mismatch("2027-01-01")
    );
    assert_eq!(
        mcp(new, "-".into(), "server/discover"),
        "2026-07-28 exact 2026-07-28"
    );
    assert_eq!(mcp(new, new.into(), "ping"), "2026-07-28 exact 2026-07-28");
    assert_eq!(mcp(old, "-".into(), "ping"), "2025-11-25 exact 2025-11-25");
    assert_eq!(mcp("", "-".into(), "ping"), "unsupported malformed -");
    assert_eq!(mcp("", "".into(), "ping"), "unsupported malformed -");
    assert_eq!(
        mcp("banana", "banana".into(), "ping"),
        "unsupported malformed -"
    );
    assert_eq!(
        mcp("2024-11-05", "-".into(), "ping"),
        "below-floor named-below-floor 2024-11-05"
    );
}

fn initialize(header: &str, meta: Value, body: Value) -> String {
    let mut exchange = json!({ "method": "initialize", "params": { "_meta": {} } });
    if header != "-" {
        exchange["headers"] = json!([["MCP-Protocol-Version", header]]);
    }
    if meta != "-" {
        exchange["params"]["_meta"][META] = meta;
    }
    if body != "-" {
        exchange["params"]["protocolVersion"] = body;
    }
    brief(&mcp_in(true, exchange))
}

#[test]
fn mcp_initialize() {
    let (old, new) = ("2025-11-25", "2026-07-28");
    let mismatch = |on_record: &str| format!("unsupported header-body-mismatch {on_record}");
    assert_eq!(
        initialize("-", "-".into(), "-".into()),
        "2025-11-25 counter-offer -"
    );
    assert_eq!(
        initialize(old, old.into(), old.into()),
        "2025-11-25 exact 2025-11-25"
    );
    assert_eq!(
        initialize(new, "-".into(), "-".into()),
        "2025-11-25 counter-offer 2026-07-28"
    );
    assert_eq!(
        initialize("-", "-".into(), Value::Null),
        "unsupported malformed -"
    );
    assert_eq!(
        initialize("", "-".into(), "".into()),
        "unsupported malformed -"
    );
    assert_eq!(initialize("-", Value::Null, Value::Null), mismatch("-"));
    assert_eq!(initialize(old, "-".into(), Value::Null), mismatch(old));
    assert_eq!(initialize("x", "y".into(), old.into()), mismatch(old));
    assert_eq!(initialize("x", new.into(), old.into()), mismatch(new));
    assert_eq!(
        initialize("2025-11-25,x", "-".into(), old.into()),
        "unsupported ambiguous -"
    );
    assert_eq!(
        initialize("-", "-".into(), "2025-07-01".into()),
        "2025-11-25 counter-offer 2025-07-01"
    );
    assert_eq!(
        initialize("-", "-".into(), "2024-11-05".into()),
        "below-floor named-below-floor 2024-11-05"
    );
    let mut stateless = mcp_in(true, json!({ "method": "initialize" }));
    stateless["facets"] = json!({ "mcp": {
        "revisions": ["2026-07-28"], "preferredVersion": "2026-07-28",
        "minimumRevision": "2026-07-28",
    }});
    assert_eq!(brief(&stateless), "unsupported no-handshake -");
    let scalar = json!({ "method": "initialize", "params": [1] });
    assert_eq!(brief(&mcp_in(true, scalar)), "2025-11-25 counter-offer -");
}

fn session(session: &str, header: &str) -> String {
    let mut exchange = json!({ "method": "ping", "session": session });
    if header != "-" {
        exchange["headers"] = json!([["MCP-Protocol-Version", header]]);
    }
    brief(&mcp_in(true, exchange))
}

#[test]
fn mcp_sessions() {
    assert_eq!(session("2025-11-25", "-"), "2025-11-25 session -");
    assert_eq!(
        session("2025-11-25", "2025-11-25"),
        "2025-11-25 exact 2025-11-25"
    );
    assert_eq!(
        session("2025-11-25", "2025-06-18"),
        "unsupported session-changed 2025-06-18"
    );
    assert_eq!(session("2025-07-01", "-"), "unsupported not-offered -");
    assert_eq!(
        session("2025-07-01", "2025-07-01"),
        "unsupported not-offered 2025-07-01"
    );
    assert_eq!(
        session("2024-11-05", "-"),
        "below-floor session-below-floor -"
    );
    assert_eq!(
        session("2024-11-05", "2025-11-25"),
        "below-floor session-below-floor 2025-11-25"
    );
    assert_eq!(
        session("2024-11-05", "2024-10-07"),
        "below-floor named-below-floor 2024-10-07"
    );
    assert_eq!(session("x", "-"), "unsupported malformed -");
    assert_eq!(
        session("x", "2025-11-25"),
        "unsupported malformed 2025-11-25"
    );
    let again = json!({
        "method": "initialize", "session": "x", "params": { "protocolVersion": "2025-06-18" },
    });
    assert_eq!(brief(&mcp_in(true, again)), "2025-06-18 exact 2025-06-18");
}

#[test]
fn what_an_a2a_peer_tells() {
    let out = |more: Value| brief(&a2a_out(true, more));
    let nothing = "unsupported no-offers 1.0";
    let interfaces = |versions: Value| {
        let entries: Vec<Value> = versions
            .as_array()
            .unwrap()
            .iter()
            .map(|version| json!({ "protocolVersion": version }))
            .collect();
        json!({ "card": { "supportedInterfaces": entries, "protocolVersion": "0.3" } })
    };
    assert_eq!(out(interfaces(json!(["1.0.0", "0.3"]))), "1.0 exact 1.0");
    assert_eq!(out(interfaces(json!(["banana", 1, null]))), nothing);
    assert_eq!(out(interfaces(json!([]))), "0.3 common 1.0");
    assert_eq!(
        out(json!({ "card": { "supportedInterfaces": ["1.0", 7] } })),
        nothing
    );
    assert_eq!(
        out(json!({ "card": { "protocolVersion": " 1.0" } })),
        nothing
    );
    assert_eq!(out(json!({ "card": 7 })), nothing);
    assert_eq!(out(json!({})), nothing);
    assert_eq!(
        out(json!({ "offers": ["2.0", "0.2"] })),
        "unsupported no-common 1.0"
    );
    assert_eq!(
        out(json!({ "offers": ["0.2", "x"] })),
        "below-floor offers-below-floor 1.0"
    );
    assert_eq!(
        out(json!({ "requested": "v1", "offers": ["1.0"] })),
        "unsupported malformed -"
    );
    assert_eq!(
        out(json!({ "requested": "1.0.0", "offers": ["1.0"] })),
        "1.0 exact 1.0"
    );

    let error = |code: i64, data: Value| out(json!({ "error": { "code": code, "data": data } }));
    let info = json!([1, {}, { "metadata": { "supportedVersions": "0.2, 0.3.1\t" } }]);
    assert_eq!(error(-32009, info.clone()), "0.3 common 1.0");
    assert_eq!(error(-32022, info), nothing);
    let list = json!([{ "metadata": { "supportedVersions": ["0.3"] } }]);
    assert_eq!(error(-32009, list), nothing);
    assert_eq!(
        error(-32009, json!({ "supportedVersions": ["0.3", " 1.0"] })),
        "0.3 common 1.0"
    );
    assert_eq!(
        error(-32009, json!({ "supportedVersions": "0.3, 1.0" })),
        "1.0 exact 1.0"
    );
    let inner = json!({ "metadata": { "supportedVersions": ["0.3"] } });
    assert_eq!(error(-32009, inner), "0.3 common 1.0");
    assert_eq!(error(-32009, json!("0.3")), nothing);
}

#[test]
fn what_an_mcp_peer_tells() {
    let out = |more: Value| brief(&mcp_out(true, more));
    let nothing = "unsupported no-offers 2026-07-28";
    let list = json!(["2025-11-25", 7, "2099-01-01", "x"]);
    let best = "2025-11-25 common 2026-07-28";
    assert_eq!(
        out(json!({ "discover": { "supportedVersions": list } })),
        best
    );
    assert_eq!(
        out(json!({ "discover": { "supportedVersions": "2025-11-25" } })),
        nothing
    );
    let error =
        |code: i64| out(json!({ "error": { "code": code, "data": { "supported": list } } }));
    assert_eq!(error(-32022), best);
    assert_eq!(error(-32602), best);
    assert_eq!(error(-32009), nothing);
    assert_eq!(
        out(json!({ "error": { "code": "-32022", "data": { "supported": list } } })),
        nothing
    );

    let answered = |version: Value, offers: Value, requested: &str| {
        out(json!({
            "initialize": { "protocolVersion": version }, "offers": offers, "requested": requested,
        }))
    };
    let (old, newer, new) = ("2025-06-18", "2025-11-25", "2026-07-28");
    let unusable = |asked: &str| format!("unsupported answer-unusable {asked}");
    assert_eq!(
        answered(newer.into(), json!([]), new),
        "2025-11-25 answered 2026-07-28"
    );
    assert_eq!(
        answered(newer.into(), json!([newer]), old),
        "2025-11-25 answered 2025-06-18"
    );
    assert_eq!(answered(old.into(), json!([newer]), new), unusable(new));
    assert_eq!(
        answered(old.into(), json!(["x"]), new),
        "2025-06-18 answered 2026-07-28"
    );
    assert_eq!(answered(new.into(), json!([]), new), unusable(new));
    assert_eq!(answered("2025-07-01".into(), json!([]), new), unusable(new));
    assert_eq!(answered(Value::Null, json!([]), new), unusable(new));
    assert_eq!(
        answered("2024-11-05".into(), json!([]), new),
        "below-floor answer-below-floor 2026-07-28"
    );
    assert_eq!(out(json!({ "initialize": null })), unusable(new));
    assert_eq!(
        answered(old.into(), json!([]), "2024-11-05"),
        "below-floor named-below-floor 2024-11-05"
    );
    assert_eq!(
        answered(old.into(), json!([]), "2027-01-01"),
        "unsupported not-offered 2027-01-01"
    );
}
