//! Cases found in the field, where the file that collects them is present.

use std::path::Path;

use serde_json::{Value, json};

use crate::{Policy, digest, facets_valid, fresh, rounds};

use super::settled;

#[test]
fn every_field_case_holds() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/field-cases.jsonl");
    let Ok(cases) = std::fs::read_to_string(path) else {
        println!("skipped: no field cases beside the checkout");
        return;
    };
    let mut count = 0..;
    for line in cases.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let id = case["id"].as_str().unwrap();
        match case["op"].as_str().unwrap() {
            "settle" => settles(id, &case),
            operation => assert_eq!(case["expect"], small(operation, &case["request"]), "{id}"),
        }
        count.next();
    }
    assert!(count.start >= 62, "only {} cases", count.start);
}

fn settles(id: &str, case: &Value) {
    let modelled = settled(&case["request"], Policy::Highest);
    let record: Value = serde_json::from_str(&modelled.record).unwrap();
    assert_eq!(case["record"], record, "{id}");
    assert_eq!(modelled.answer["record"], record, "{id}");

    let answer = &modelled.answer["answer"];
    let Some(wanted) = case.get("answer") else {
        return;
    };
    for (member, value) in wanted.as_object().unwrap() {
        match member.as_str() {
            "code" => assert_eq!(&answer["error"]["code"], value, "{id}"),
            "status" => assert_eq!(&answer["status"], value, "{id}"),
            "statusIn" => assert!(
                value.as_array().unwrap().contains(&answer["status"]),
                "{id}"
            ),
            _ => panic!("{id}: nothing known of answer.{member}"),
        }
    }
}

fn small(operation: &str, request: &Value) -> Value {
    match operation {
        "digest" => json!({ "peerDigest": request["url"].as_str().and_then(digest) }),
        "rounds" => {
            let count = |member: &str| request[member].as_u64().unwrap();
            if rounds(count("maxRounds"), count("inputRequiredSeen")).unwrap() {
                json!({ "decision": "continue" })
            } else {
                json!({ "decision": "refuse", "error": "mcp_mrtr_rounds_exceeded" })
            }
        }
        "fresh" => {
            let text = |member: &str| request[member].as_str().unwrap();
            json!({ "fresh": fresh(text("refreshedAt"), text("now")).unwrap() })
        }
        "facets" => json!({ "valid": facets_valid(&request["facets"]) }),
        _ => panic!("unknown operation {operation}"),
    }
}
