//! One member of a discovery document's metadata at a time: the finding names it, and there is no
//! other.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test")]

use negotiation_mutants::native;
use serde_json::{Value, json};

/// Every member that is optional is there.
fn good() -> Value {
    json!({
        "protocolVersion": "2.0",
        "protocolVersions": ["2.0", "2.1"],
        "preferredVersion": "2.1",
        "minClientVersion": "2.0",
        "engineVersion": 1,
        "eventLogSchemaVersion": 2,
        "implementation": { "name": "host", "version": "1", "vendor": "v", "url": "https://v.example/" },
        "conformance": {
            "mockAgent": true,
            "certificationBundleUrl": "https://v.example/bundle",
            "seamsProfile": "openwop-conformance-seams-v2",
        },
        "extensions": { "org.name": {}, "a-b1.c2-d": {} },
    })
}

fn findings(document: &Value) -> Vec<(String, String)> {
    let request = json!({ "document": document, "now": "2026-11-30T12:00:00Z" });
    let answer: Value =
        serde_json::from_str(&native::run("check", &request.to_string()).unwrap()).unwrap();
    let findings = answer["findings"].as_array().unwrap();
    let text = |one: &Value| one.as_str().unwrap().to_owned();
    findings
        .iter()
        .map(|one| (text(&one["rule"]), text(&one["path"])))
        .collect()
}

/// The document with one member set, by its pointer.
fn with(pointer: &str, value: Value) -> Value {
    let mut document = good();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = document.pointer_mut(parent).unwrap();
    parent
        .as_object_mut()
        .unwrap()
        .insert(name.to_owned(), value);
    document
}

fn without(name: &str) -> Value {
    let mut document = good();
    document.as_object_mut().unwrap().remove(name);
    document
}

const BEYOND: &str = "18446744073709551616";

#[test]
fn a_document_with_every_member_has_no_findings() {
    assert_eq!(findings(&good()), []);
    for name in [
        "protocolVersion",
        "minClientVersion",
        "engineVersion",
        "eventLogSchemaVersion",
        "implementation",
        "conformance",
        "extensions",
    ] {
        assert_eq!(findings(&without(name)), [], "{name}");
    }
}

#[test]
fn values_at_the_edge_are_taken() {
    let uris = ["urn:x", "https://v.example/a?b=c#d", "mailto:a@b"];
    let uris = uris.map(|uri| ("/implementation/url", json!(uri)));
    let others = [
        ("/engineVersion", json!(0)),
        ("/eventLogSchemaVersion", json!(3)),
        ("/protocolVersion", json!("0.0")),
        ("/protocolVersion", json!(format!("{BEYOND}.{BEYOND}"))),
        ("/protocolVersion", json!(format!("0.{BEYOND}"))),
        ("/protocolVersion", json!(format!("{BEYOND}.0"))),
        ("/conformance/mockAgent", json!(false)),
        ("/implementation", json!({})),
        ("/conformance", json!({})),
        ("/extensions", json!({})),
        ("/extensions", json!({ "a.b": {}, "a1-2b.c-3": {} })),
    ];
    for (pointer, value) in uris.into_iter().chain(others) {
        let document = with(pointer, value);
        assert_eq!(findings(&document), [], "{document}");
    }
}

#[test]
fn a_value_at_fault_is_named_alone() {
    let minors = ["/protocolVersion", "/minClientVersion"];
    let texts = [
        "", ".", "2", "2.", ".0", "2.0.0", "02.0", "2.00", "2.0 ", " 2.0", "a.0", "2.a", "-1.0",
    ];
    let long = [
        format!("0{BEYOND}.0"),
        format!("0.0{BEYOND}"),
        format!("{BEYOND}."),
        format!(".{BEYOND}"),
        format!("{BEYOND}x.0"),
        format!("{BEYOND}.0.0"),
        BEYOND.to_owned(),
    ];
    let texts = texts.map(str::to_owned).into_iter().chain(long);
    for text in texts {
        for pointer in minors {
            fault(pointer, json!(text));
        }
    }
    for value in [json!(2), json!(null), json!(["2.0"]), json!({})] {
        for pointer in minors {
            fault(pointer, value.clone());
        }
        for member in ["name", "version", "vendor", "url"] {
            let pointer = format!("/implementation/{member}");
            fault(&pointer, value.clone());
        }
        fault("/conformance/mockAgent", value.clone());
        fault("/conformance/certificationBundleUrl", value.clone());
        fault("/conformance/seamsProfile", value);
    }
    for uri in [
        "",
        "x",
        "/a",
        "//v.example",
        "https://v.example/a b",
        "https://v.example/{a}",
        "https://v.example/\u{e9}",
        "https://v.example/\u{7f}",
        "https://v.example/\"",
        "https://v.example/a\n",
    ] {
        fault("/implementation/url", json!(uri));
        fault("/conformance/certificationBundleUrl", json!(uri));
    }
    for number in [json!(-1), json!(1.5), json!("1"), json!(null), json!([])] {
        fault("/engineVersion", number.clone());
        fault("/eventLogSchemaVersion", number);
    }
    fault("/eventLogSchemaVersion", json!(1));
    fault("/eventLogSchemaVersion", json!(0));
    fault(
        "/conformance/seamsProfile",
        json!("openwop-conformance-seams-v1"),
    );
    for value in [json!([]), json!("x"), json!(null)] {
        for pointer in ["/implementation", "/conformance", "/extensions"] {
            fault(pointer, value.clone());
        }
    }
    for pointer in ["/implementation", "/conformance"] {
        fault(pointer, json!({ "unheard-of": 1 }));
    }
}

#[test]
fn extensions_have_names_of_two_parts() {
    for name in [
        "", ".", "a", "a.", ".a", "A.b", "a.B", "1a.b", "a.1b", "a.b.c", "-a.b", "a-.b", "a.-b",
        "a.b-", "a--b.c", "a_b.c", "a.b_c", "a .b", "a.b ", "\u{e4}.b",
    ] {
        fault("/extensions", json!({ name: {} }));
    }
    for value in [json!(1), json!([]), json!(null), json!("x")] {
        fault("/extensions", json!({ "a.b": value }));
    }
}

#[test]
fn versions_are_a_list_of_different_ones_with_the_preferred_in_it() {
    for value in [
        json!(["2.1", "2.1"]),
        json!(["2.1", 2]),
        json!(["2.1", null]),
        json!(["2.1", "2"]),
        json!(["2.1", "x"]),
    ] {
        fault("/protocolVersions", value);
    }
    let both = |value: Value| {
        let found = findings(&with("/protocolVersions", value));
        let expected = ["protocolVersions", "preferredVersion"];
        assert_eq!(found, expected.map(schema));
    };
    for value in [json!([]), json!("2.1"), json!(null), json!({}), json!([21])] {
        both(value);
    }
    assert_eq!(findings(&with("/protocolVersions", json!(["2.1"]))), []);
    assert_eq!(
        findings(&without("preferredVersion")),
        [schema("preferredVersion")]
    );
    let found = findings(&without("protocolVersions"));
    assert_eq!(found, ["protocolVersions", "preferredVersion"].map(schema));
    for value in [
        json!("2.2"),
        json!("2.10"),
        json!(2.1),
        json!(null),
        json!(""),
    ] {
        fault("/preferredVersion", value);
    }
}

fn schema(path: &str) -> (String, String) {
    ("discovery.schema".to_owned(), path.to_owned())
}

/// The one finding is that of the member, by its path with dots.
fn fault(pointer: &str, value: Value) {
    let document = with(pointer, value);
    let path = pointer.trim_start_matches('/').replace('/', ".");
    assert_eq!(findings(&document), [schema(&path)], "{document}");
}
