//! `negotiator call` answers the vectors as every host language must: what the command line does
//! around the component changes no answer.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::Value;

#[test]
fn every_vector_is_answered_as_it_must_be() {
    let mut operations: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors");
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_none_or(|extension| extension != "jsonl")
        {
            continue;
        }
        for line in fs::read_to_string(path).unwrap().lines() {
            let vector: Value = serde_json::from_str(line).unwrap();
            let operation = vector["op"].as_str().unwrap().to_owned();
            operations.entry(operation).or_default().push(vector);
        }
    }
    assert_eq!(
        operations.len(),
        11,
        "all operations: {:?}",
        operations.keys()
    );
    for (operation, mut vectors) in operations {
        // What holds a line end is not one line, here.
        vectors.retain(|vector| !request(vector).contains('\n'));
        assert!(vectors.len() >= 10, "{operation}");
        let requests: Vec<_> = vectors.iter().map(request).collect();
        let answers = call(&operation, &requests.join("\n"));
        let answers: Vec<_> = answers.lines().collect();
        assert_eq!(answers.len(), vectors.len(), "{operation}");
        for (vector, answer) in vectors.iter().zip(answers) {
            check(&operation, vector, answer);
        }
    }
}

fn request(vector: &Value) -> String {
    match vector.get("requestText") {
        Some(text) => text.as_str().unwrap().to_owned(),
        None => vector["request"].to_string(),
    }
}

fn call(operation: &str, input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_negotiator"))
        .args(["call", operation])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = thread::spawn(move || stdin.write_all(input.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn check(operation: &str, vector: &Value, answer: &str) {
    let id = &vector["id"];
    let given: Value = serde_json::from_str(answer).unwrap();
    let fails = ["error", "errorCode", "errorPath"]
        .iter()
        .any(|name| vector.get(name).is_some());
    assert_eq!(given["error"].is_object(), fails, "{id}: {answer}");
    for (name, place) in [
        ("error", &given),
        ("errorCode", &given["error"]["code"]),
        ("errorPath", &given["error"]["path"]),
        ("record", &given["record"]),
        ("entry", &given["entry"]),
    ] {
        if let Some(expected) = vector.get(name) {
            // As text, since the order of members counts.
            assert_eq!(
                place.to_string(),
                expected.to_string(),
                "{id} {name}: {answer}"
            );
        }
    }
    match vector.get("expect") {
        Some(Value::Object(members)) if matches!(operation, "settle" | "refuse") => {
            for (name, expected) in members {
                assert_eq!(&given[name], expected, "{id} {name}: {answer}");
            }
        }
        Some(whole) => assert_eq!(answer, whole.to_string(), "{id}"),
        None => {}
    }
    for text in vector
        .get("absent")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        assert!(!answer.contains(text.as_str().unwrap()), "{id}: {answer}");
    }
}
