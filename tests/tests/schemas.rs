//! The published schemas (`host-harness/schemas`): everything that the rules write keeps them, and
//! they accept and refuse the same documents as the corpus of OpenWOP does.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test"
)]

use std::fs;
use std::path::PathBuf;

use jsonschema::{Registry, Resource, Validator};
use negotiation_tests::altered::{altered, discovery_documents, documents};
use negotiation_tests::corpus::{self, root};
use negotiation_tests::native;
use serde_json::{Value, json};

fn own(file: &str, definition: &str) -> Validator {
    let path = root().join("host-harness/schemas").join(file);
    let mut schema = read(&path);
    if !definition.is_empty() {
        let members = schema.as_object_mut().unwrap();
        let definitions = members.remove("$defs").unwrap();
        schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$ref": format!("#/$defs/{definition}"),
            "$defs": definitions,
        });
    }
    jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .unwrap()
}

fn read(path: &std::path::Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// What the whole corpus makes the rules write: payloads, host events, run events.
struct Written {
    payloads: Vec<Value>,
    host: Vec<Value>,
    run: Vec<Value>,
}

fn written() -> Written {
    let mut all = Written {
        payloads: Vec::new(),
        host: Vec::new(),
        run: Vec::new(),
    };
    for case in corpus::load().unwrap() {
        if !matches!(case.operation.as_str(), "settle" | "record" | "refuse") {
            continue;
        }
        let Ok(answer) = native::run(&case.operation, &case.request) else {
            continue;
        };
        let answer: Value = serde_json::from_str(&answer).unwrap();
        all.payloads.extend(answer.get("record").cloned());
        let Some(entry) = answer.get("entry") else {
            continue;
        };
        if entry["event"].is_null() {
            continue;
        }
        match entry["home"].as_str() {
            Some("host") => all.host.push(entry["event"].clone()),
            Some("run") => all.run.push(entry["event"].clone()),
            _ => panic!("{}: no home", case.id),
        }
    }
    assert!(all.payloads.len() > 700 && all.host.len() > 20 && all.run.len() > 5);
    all
}

#[test]
fn every_record_of_the_corpus_keeps_the_schema() {
    let written = written();
    let keeps = |definition: &str, documents: &[Value]| {
        let schema = own("record.schema.json", definition);
        for document in documents {
            let problems: Vec<_> = schema
                .iter_errors(document)
                .map(|e| e.to_string())
                .collect();
            assert_eq!(problems, Vec::<String>::new(), "{document}");
        }
    };
    keeps("payload", &written.payloads);
    keeps("hostEvent", &written.host);
    keeps("runEvent", &written.run);
}

#[test]
fn a_discovery_document_that_breaks_the_schema_has_findings() {
    let schema = own("discovery.schema.json", "");
    let mut broken = 0;
    for document in discovery_documents() {
        if schema.is_valid(&document) {
            continue;
        }
        broken += 1;
        let request = json!({ "document": document, "now": "2026-11-30T12:00:00Z" });
        if let Ok(answer) = native::run("check", &request.to_string()) {
            let answer: Value = serde_json::from_str(&answer).unwrap();
            assert_ne!(answer["findings"], json!([]), "{document}");
        }
    }
    assert!(broken > 1_000, "only {broken}");
}

#[test]
fn own_schemas_and_those_of_openwop_accept_and_refuse_the_same() {
    let folder = root().join("../shared/schemas");
    if !folder.is_dir() {
        eprintln!("not compared: no folder with OpenWOP's schemas beside the checkout");
        return;
    }
    let written = written();
    let pairs = [
        (
            "negotiation-decided",
            own("record.schema.json", "payload"),
            altered(&written.payloads),
        ),
        (
            "host-event",
            own("record.schema.json", "hostEvent"),
            altered(&host_events(written.host)),
        ),
        (
            "run-event-negotiation-decided",
            own("record.schema.json", "runEvent"),
            altered(&run_events(written.run)),
        ),
        (
            "a2a-facet",
            own("facets.schema.json", "a2a"),
            altered(&families("a2a")),
        ),
        (
            "mcp-facet",
            own("facets.schema.json", "mcp"),
            altered(&families("mcp")),
        ),
        (
            "capabilities",
            own("discovery.schema.json", ""),
            discovery_documents(),
        ),
    ];
    for (name, own, documents) in pairs {
        let upstream = upstream(&folder, name);
        let (mut accepted, mut refused) = (0, 0);
        for document in &documents {
            let verdict = upstream.is_valid(document);
            assert_eq!(own.is_valid(document), verdict, "{name}: {document}");
            if verdict { accepted += 1 } else { refused += 1 }
        }
        assert!(
            accepted > 20 && refused > 200,
            "{name}: {accepted} and {refused}"
        );
    }
}

fn upstream(folder: &PathBuf, name: &str) -> Validator {
    let resources = fs::read_dir(folder).unwrap().filter_map(|entry| {
        let path = entry.unwrap().path();
        let text = path
            .to_str()?
            .ends_with(".schema.json")
            .then(|| read(&path))?;
        let id = text["$id"].as_str()?.to_owned();
        Some((id, Resource::from_contents(text)))
    });
    let registry = Registry::new()
        .extend(resources)
        .unwrap()
        .prepare()
        .unwrap();
    let schema = read(&folder.join(format!("{name}.schema.json")));
    jsonschema::options()
        .with_registry(&registry)
        .should_validate_formats(true)
        .build(&schema)
        .unwrap()
}

/// Host events of every type that the schema knows, and of one that it does not.
fn host_events(mut events: Vec<Value>) -> Vec<Value> {
    let event = |kind: &str, delivery: &str, payload: Value| {
        json!({ "eventId": "hev-0123456789abcdef01234567", "type": kind, "timestamp": "2026-11-30T12:00:00Z",
                "delivery": delivery, "workspaceId": "ws-1", "payload": payload })
    };
    events.truncate(12);
    events.push(event(
        "channel.presence",
        "ephemeral",
        json!({ "conversationId": "c", "present": ["a"], "typing": [] }),
    ));
    events.push(event("host-test.durable-triggered", "durable", json!({})));
    events.push(event(
        "host-test.ephemeral-triggered",
        "ephemeral",
        json!({}),
    ));
    events.push(event("acme.thing-done", "durable", json!({ "any": 1 })));
    events
}

fn run_events(mut events: Vec<Value>) -> Vec<Value> {
    events.truncate(8);
    let mut full = events[0].clone();
    full["nodeId"] = json!("node:1");
    full["engineVersion"] = json!(3);
    full["causationId"] = json!("hev-0123456789abcdef01234567");
    events.push(full);
    events
}

fn families(name: &str) -> Vec<Value> {
    let mut found: Vec<Value> = documents()
        .iter()
        .filter_map(|document| document.get(name).cloned())
        .collect();
    found.truncate(6);
    found
}
