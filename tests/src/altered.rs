//! Documents with one place changed, for what reads documents.
#![expect(clippy::unwrap_used, reason = "what tests ask with")]

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// The documents of the corpus for `check`.
#[must_use]
pub fn documents() -> Vec<Value> {
    let documents = negotiation_vectors::cases()
        .unwrap()
        .into_iter()
        .filter(|case| case.operation == "check")
        .filter_map(|case| {
            let request: Value = serde_json::from_str(&case.request).ok()?;
            request.get("document").cloned()
        });
    documents.collect()
}

/// The documents of the corpus for `check`, and the first of them altered.
#[must_use]
pub fn discovery_documents() -> Vec<Value> {
    let mut all = documents();
    let first: Vec<_> = all.iter().take(3).cloned().collect();
    all.extend(altered(&first));
    all
}

/// The documents, and each with one place changed: left out, doubled, added to, or replaced.
#[must_use]
pub fn altered(documents: &[Value]) -> Vec<Value> {
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    let mut put = |document: Value| {
        if seen.insert(document.to_string()) {
            all.push(document);
        }
    };
    // One document of a shape is enough; there are many that differ in a version alone.
    let mut shapes = BTreeSet::new();
    for document in documents {
        put(document.clone());
        let mut places = Vec::new();
        walk(document, String::new(), &mut places);
        if shapes.len() > 24 || !shapes.insert(places.join(" ")) {
            continue;
        }
        for place in &places {
            for replacement in replacements() {
                let mut changed = document.clone();
                *changed.pointer_mut(place).unwrap() = replacement;
                put(changed);
            }
            let mut changed = document.clone();
            match changed.pointer_mut(place).unwrap() {
                Value::Object(members) => {
                    members.insert("unheard-of".into(), json!("x"));
                }
                Value::Array(items) => items.extend(items.first().cloned()),
                Value::String(text) => text.push('x'),
                _ => continue,
            }
            put(changed);
            if let Value::Object(members) = document.pointer(place).unwrap() {
                for name in members.keys() {
                    let mut changed = document.clone();
                    let Value::Object(members) = changed.pointer_mut(place).unwrap() else {
                        continue;
                    };
                    members.remove(name);
                    put(changed);
                }
            }
        }
    }
    all
}

fn walk(value: &Value, place: String, places: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                walk(
                    member,
                    format!("{place}/{}", name.replace('~', "~0").replace('/', "~1")),
                    places,
                );
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                walk(item, format!("{place}/{at}"), places);
            }
        }
        _ => {}
    }
    places.push(place);
}

fn replacements() -> Vec<Value> {
    let words = [
        "",
        "x",
        "1.0",
        "01.0",
        "1.0.0",
        "v1.0",
        "2026-07-28",
        "2026-02-30",
        "2026-7-28",
        "a2a-1.0",
        "mcp-2026-07-28",
        "2026-11-30T12:00:00Z",
        "2026-11-30T12:00:00",
        "2026-11-30T12:00:00+01:00",
        "2026-11-30 12:00",
        "durable",
        "ephemeral",
        "accepted",
        "refused",
        "ok",
        "a2a",
        "mcp",
        "stable",
        "experimental",
        "deprecated",
        "stdio",
        "negotiation.decided",
        "channel.presence",
        "acme.x",
        "Acme.x",
        "https://peer.example/x",
        "not a uri",
        "acme/0123456789abcdef",
        "anon:acme/0123456789abcdef",
        "0123456789abcdef",
        "0123456789abcde",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855",
    ];
    let mut all: Vec<Value> = words.into_iter().map(Value::from).collect();
    all.extend([
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1),
        json!(16),
        json!(17),
        json!(1.5),
        json!(1.0),
    ]);
    all.extend([
        json!([]),
        Value::Object(Map::new()),
        json!(["1.0"]),
        json!(["2026-07-28"]),
        json!("x".repeat(129)),
    ]);
    all
}
