//! A certificate holds for the bytes that it is about, as it was written, and for nothing else.
#![expect(clippy::unwrap_used, clippy::string_slice, reason = "a test")]

use std::collections::BTreeMap;

use negotiator::certify::{
    Broken, Certificate, CertificateError, Corpus, Evidence, FuelFound, Grid, Report,
};
use negotiator::proof::Rule;
use negotiator::{Artifact, Digest, Limits};

/// What a run that went well would find.
fn report() -> Report {
    let digest = Artifact::embedded().digest();
    Report {
        digest,
        limits: Limits::negotiator(),
        corpus: Corpus {
            cases: 10,
            held: 9,
            not_applicable: 1,
        },
        grid: Grid {
            settlements: 100,
            repeated: 12,
            branches: BTreeMap::from([("inbound.1.ambiguous", 3)]),
            answers: Some(digest),
        },
        fuel: FuelFound {
            settle: 1_000,
            corpus: 2_000,
            largest: 3_000,
        },
        broken: BTreeMap::new(),
    }
}

fn certificate() -> Certificate {
    let evidence = Evidence::new("build", br#"{"rustc":"1.96.0"}"#).unwrap();
    Certificate::new("negotiator.wasm", &report(), &[evidence])
}

fn verify(text: &str, artifact: &Artifact) -> Result<(), CertificateError> {
    Certificate::from_text(text)?.verify(artifact.digest(), &Limits::negotiator())
}

#[test]
fn it_holds_as_it_was_written() {
    let certificate = certificate();
    let text = certificate.text();
    assert_eq!(verify(&text, &Artifact::embedded()), Ok(()));
    let read = Certificate::from_text(&text).unwrap();
    assert_eq!(read, certificate);
    assert_eq!(read.worst_fuel(), Some(3_000));
    assert_eq!(read.evidence().len(), 1);
    // The same report, the same bytes.
    assert_eq!(text, self::certificate().text());
}

#[test]
fn it_is_an_in_toto_statement_with_a_test_result() {
    let value: serde_json::Value = serde_json::from_str(&certificate().text()).unwrap();
    let text = |pointer: &str| value.pointer(pointer).and_then(serde_json::Value::as_str);
    assert_eq!(text("/_type"), Some("https://in-toto.io/Statement/v1"));
    assert_eq!(
        text("/predicateType"),
        Some("https://in-toto.io/attestation/test-result/v0.1")
    );
    assert_eq!(text("/predicate/result"), Some("PASSED"));
    assert_eq!(
        text("/subject/0/digest/sha256"),
        Some(Artifact::embedded().digest().hex().as_str())
    );
}

#[test]
fn any_changed_bit_of_the_certificate_breaks_it() {
    let artifact = Artifact::embedded();
    let text = certificate().text().into_bytes();
    for at in 0..text.len() {
        let mut changed = text.clone();
        changed[at] ^= 1 << (at % 8);
        let held = String::from_utf8(changed).is_ok_and(|text| verify(&text, &artifact).is_ok());
        assert!(!held, "byte {at} can be changed");
    }
}

#[test]
fn nothing_can_be_cut_off_added_or_said_in_another_way() {
    let artifact = Artifact::embedded();
    let text = certificate().text();
    for cut in [0, 1, text.len() / 2, text.len() - 1] {
        assert!(verify(&text[..cut], &artifact).is_err(), "{cut}");
    }
    for other in [
        format!("{text}\n"),
        format!(" {text}"),
        text.replace("\n", "\r\n"),
        text.replace("PASSED", "\\u0050ASSED"),
        text.replacen("  ", "\t", 1),
        text.replacen("\"warnedTests\": []", "\"warnedTests\": [ ]", 1),
        text.replacen(
            "\"warnedTests\": [],",
            "\"warnedTests\": [], \"note\": 1,",
            1,
        ),
    ] {
        assert_ne!(other, text);
        assert!(verify(&other, &artifact).is_err());
    }
}

#[test]
fn any_changed_byte_of_the_component_is_other_bytes() {
    let text = certificate().text();
    let bytes = Artifact::embedded().bytes().to_vec();
    for at in (0..bytes.len()).step_by(bytes.len() / 97) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        let changed = Artifact::from_bytes(changed);
        assert_eq!(verify(&text, &changed), Err(CertificateError::OtherBytes));
    }
}

#[test]
fn a_component_that_did_not_pass_is_not_certified() {
    let mut report = report();
    let broken = Broken {
        times: 1,
        first: "somewhere".to_owned(),
    };
    report.broken.insert(Rule::Floor, broken);
    let text = Certificate::new("x", &report, &[]).text();
    assert!(text.contains("\"floor (RFC 0175 §D.2)\""));
    assert_eq!(
        verify(&text, &Artifact::embedded()),
        Err(CertificateError::NotPassed)
    );
}

#[test]
fn other_limits_or_too_little_room_are_another_proof() {
    let artifact = Artifact::embedded();
    let mut limits = Limits::negotiator();
    limits.fuel += 1;
    assert_eq!(
        certificate().verify(artifact.digest(), &limits),
        Err(CertificateError::OtherProof)
    );
    let mut report = report();
    report.fuel.largest = Limits::negotiator().fuel / 2 + 1;
    assert_eq!(
        verify(&Certificate::new("x", &report, &[]).text(), &artifact),
        Err(CertificateError::Fuel)
    );
}

#[test]
fn other_texts_are_no_certificate() {
    let digest = Digest::of(b"");
    for text in ["", "{}", "[]", "null", "\u{0}", "{\"_type\":\"x\"}"] {
        assert_eq!(
            Certificate::from_text(text).map(|c| c.verify(digest, &Limits::negotiator())),
            Err(CertificateError::Unreadable),
        );
    }
    let other = certificate().text().replace(
        "https://in-toto.io/Statement/v1",
        "https://in-toto.io/Statement/v0.1",
    );
    assert_eq!(
        Certificate::from_text(&other),
        Err(CertificateError::OtherStatement)
    );
    assert_eq!(
        Certificate::from_text(&"x".repeat(300_000)),
        Err(CertificateError::TooLarge)
    );
    assert_eq!(Evidence::new("x", b"[1]"), None);
}
