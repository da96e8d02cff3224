use super::error::{KeyError, StatementError};
use super::*;

/// The example key of RFC 8410, section 10.3; the file is what OpenSSL writes.
const RFC8410: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
-----END PRIVATE KEY-----
";
const RFC8410_PUBLIC: &str = "ed25519:Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";

fn key() -> SecretKey {
    SecretKey::generate().unwrap()
}

fn artifact() -> Artifact {
    Artifact::from_bytes(*b"\0asm\x0d\0\x01\0")
}

fn trusting(keys: &[&SecretKey], head: &str) -> Trust {
    let keys: String = keys
        .iter()
        .enumerate()
        .map(|(number, key)| {
            format!(
                "[[key]]\nname = \"key {number}\"\npublic = \"{}\"\n",
                key.public()
            )
        })
        .collect();
    Trust::from_text(&format!("{head}\n{keys}")).unwrap()
}

fn signed(key: &SecretKey) -> Envelope {
    Envelope::sign(&Statement::about(&artifact()), key)
}

/// An envelope over any payload, signed like a good one.
fn over(payload: &str, key: &SecretKey) -> Envelope {
    let mut text: serde_json::Value = serde_json::from_str(&signed(key).to_json()).unwrap();
    use base64::Engine as _;
    let payload = base64::prelude::BASE64_STANDARD.encode(payload);
    *text.get_mut("payload").unwrap() = payload.into();
    *text.get_mut("signatures").unwrap() = serde_json::json!([]);
    Envelope::from_json(&text.to_string())
        .unwrap()
        .signed_by(key)
}

fn report(outcome: Outcome) -> GateReport {
    let outcome = match outcome {
        Outcome::Passed => "passed",
        Outcome::Failed => "failed",
    };
    let text = format!(
        r#"{{"artifact":"{}","outcome":"{outcome}","cases":7}}"#,
        artifact().digest()
    );
    GateReport::from_json(&text).unwrap()
}

#[test]
fn nothing_is_trusted_by_default() {
    let key = key();
    for trust in [Trust::nothing(), Trust::from_text("").unwrap()] {
        for envelope in [None, Some(&signed(&key))] {
            assert_eq!(
                trust.verify(&artifact(), envelope).unwrap_err(),
                TrustError::NothingTrusted
            );
        }
    }
}

#[test]
fn a_pin_trusts_its_digest_and_no_other() {
    let text = format!(
        "[[pin]]\nname = \"exact\"\ndigest = \"{}\"",
        artifact().digest()
    );
    let trust = Trust::from_text(&text).unwrap();
    let trusted = trust.verify(&artifact(), None).unwrap();
    assert_eq!(trusted.basis(), &Basis::Pinned("exact".to_owned()));
    assert_eq!(trusted.artifact().digest(), artifact().digest());

    let bytes = artifact().bytes().to_vec();
    for position in 0..bytes.len() {
        let mut other = bytes.clone();
        *other.get_mut(position).unwrap() ^= 1;
        let other = Artifact::from_bytes(other);
        let digest = other.digest();
        assert_eq!(
            trust.verify(&other, None).unwrap_err(),
            TrustError::NotPinned { digest }
        );
        assert_eq!(
            trust.verify(&other, Some(&signed(&key()))).unwrap_err(),
            TrustError::NoKeys
        );
    }
}

#[test]
fn a_trusted_signature_over_the_artifact_is_enough() {
    let (ours, other) = (key(), key());
    let trust = trusting(&[&other, &ours], "");
    let envelope = Envelope::from_json(&signed(&ours).to_json()).unwrap();
    let trusted = trust.verify(&artifact(), Some(&envelope)).unwrap();
    let expected = Signed {
        keys: vec!["key 1".to_owned()],
        gate_report: None,
    };
    assert_eq!(trusted.basis(), &Basis::Signed(expected));
}

#[test]
fn a_wrong_key_is_refused() {
    let trust = trusting(&[&key()], "");
    let none = TrustError::Signatures {
        valid: 0,
        needed: 1,
    };
    let envelope = signed(&key());
    assert_eq!(
        trust.verify(&artifact(), Some(&envelope)).unwrap_err(),
        none
    );

    // Not either when it claims to be the right one, or nobody.
    let ours = key();
    let trust = trusting(&[&ours], "");
    let stranger = key();
    let written = signed(&stranger).to_json();
    for id in [ours.public().id(), String::new()] {
        let text = written.replace(&stranger.public().id(), &id);
        assert_ne!(text, written);
        let envelope = Envelope::from_json(&text).unwrap();
        assert_eq!(
            trust.verify(&artifact(), Some(&envelope)).unwrap_err(),
            none
        );
    }
}

#[test]
fn a_signature_over_other_bytes_is_refused() {
    let key = key();
    let trust = trusting(&[&key], "");
    let other = Artifact::from_bytes(*b"other");
    let digest = other.digest();
    assert_eq!(
        trust.verify(&other, Some(&signed(&key))).unwrap_err(),
        TrustError::Subject { digest }
    );
}

#[test]
fn no_flipped_bit_of_the_artifact_or_the_envelope_goes_unnoticed() {
    let key = key();
    let trust = trusting(&[&key], "");
    let envelope = signed(&key);
    let mut bytes = artifact().bytes().to_vec();
    each_flip(&mut bytes, |bytes| {
        let artifact = Artifact::from_bytes(bytes.to_vec());
        assert!(trust.verify(&artifact, Some(&envelope)).is_err());
    });

    let mut text = envelope.to_json().into_bytes();
    let hint = envelope.to_json().find("keyid").unwrap();
    let mut flip = 0_usize;
    each_flip(&mut text, |text| {
        let position = flip / 8;
        flip += 1;
        let read = std::str::from_utf8(text).ok().map(Envelope::from_json);
        let Some(Ok(read)) = read else { return };
        if trust.verify(&artifact(), Some(&read)).is_ok() {
            // The specification has unknown members ignored: the hint may lose its name. What
            // was signed, and by what, is still the same.
            assert!((hint..hint + 5).contains(&position), "byte {position}");
            assert_eq!(read.payload(), envelope.payload());
        }
    });
    assert_eq!(flip, text.len() * 8);
}

fn each_flip(bytes: &mut [u8], mut look: impl FnMut(&[u8])) {
    for position in 0..bytes.len() {
        for bit in 0..8 {
            *bytes.get_mut(position).unwrap() ^= 1 << bit;
            look(bytes);
            *bytes.get_mut(position).unwrap() ^= 1 << bit;
        }
    }
}

#[test]
fn a_wrong_payload_type_is_refused_even_when_signed() {
    let key = key();
    let trust = trusting(&[&key], "");
    let text = signed(&key).to_json();
    for other in ["application/json", "application/vnd.in-toto+JSON", ""] {
        let other = text.replace(PAYLOAD_TYPE, other);
        let envelope = Envelope::from_json(&other).unwrap();
        let again = envelope.clone().signed_by(&key);
        for envelope in [envelope, again] {
            assert_eq!(
                trust.verify(&artifact(), Some(&envelope)).unwrap_err(),
                TrustError::PayloadType
            );
        }
    }
}

#[test]
fn the_threshold_counts_different_keys() {
    let (a, b, c) = (key(), key(), key());
    let trust = trusting(&[&a, &b, &c], "threshold = 2");
    let one = TrustError::Signatures {
        valid: 1,
        needed: 2,
    };
    let by_a = signed(&a);
    assert_eq!(trust.verify(&artifact(), Some(&by_a)).unwrap_err(), one);

    // The same signature twice is one signer.
    let text = by_a.to_json();
    let (begin, end) = (text.find('[').unwrap() + 1, text.rfind(']').unwrap());
    let signature = text.get(begin..end).unwrap();
    let twice = text.replace(signature, &format!("{signature},{signature}"));
    let twice = Envelope::from_json(&twice).unwrap();
    assert_eq!(trust.verify(&artifact(), Some(&twice)).unwrap_err(), one);

    let both = by_a.clone().signed_by(&key()).signed_by(&c);
    let trusted = trust.verify(&artifact(), Some(&both)).unwrap();
    let Basis::Signed(signed) = trusted.basis() else {
        panic!("there is no pin")
    };
    assert_eq!(signed.keys, ["key 0", "key 2"]);

    // Whoever signed once is not added again.
    assert_eq!(by_a.to_json(), by_a.clone().signed_by(&a).to_json());
}

#[test]
fn several_subjects_are_one_statement_about_each() {
    let key = key();
    let trust = trusting(&[&key], "");
    let other = Artifact::from_bytes(*b"other");
    let payload = format!(
        r#"{{"_type":"https://in-toto.io/Statement/v1","subject":[
            {{"digest":{{"gitCommit":"0a"}}}},{{"name":"a","digest":{{"sha256":"{}","sha512":"00"}}}},
            {{"digest":{{"sha256":"{}"}},"mediaType":"application/wasm"}}],
            "predicateType":"{}","predicate":{{}}}}"#,
        artifact().digest().hex(),
        other.digest().hex(),
        Statement::APPROVAL,
    );
    let envelope = over(&payload, &key);
    assert!(trust.verify(&artifact(), Some(&envelope)).is_ok());
    assert!(trust.verify(&other, Some(&envelope)).is_ok());
    let third = Artifact::from_bytes(*b"third");
    assert!(trust.verify(&third, Some(&envelope)).is_err());
}

#[test]
fn a_gate_result_must_be_passed() {
    let key = key();
    let (optional, required) = (
        trusting(&[&key], ""),
        trusting(&[&key], "gate = \"required\""),
    );
    let about = || Statement::about(&artifact()).named("exact.wasm");
    let bare = Envelope::sign(&about(), &key);
    assert!(optional.verify(&artifact(), Some(&bare)).is_ok());
    assert_eq!(
        required.verify(&artifact(), Some(&bare)).unwrap_err(),
        TrustError::GateMissing
    );
    let passed = about().with_gate(report(Outcome::Passed)).unwrap();
    let passed = Envelope::sign(&passed, &key);
    let failed = about().with_gate(report(Outcome::Failed)).unwrap();
    let failed = Envelope::sign(&failed, &key);
    for trust in [optional, required] {
        let trusted = trust.verify(&artifact(), Some(&passed)).unwrap();
        let expected = Signed {
            keys: vec!["key 0".to_owned()],
            gate_report: Some(report(Outcome::Passed).digest),
        };
        assert_eq!(trusted.basis(), &Basis::Signed(expected));
        assert_eq!(
            trust.verify(&artifact(), Some(&failed)).unwrap_err(),
            TrustError::GateNotPassed
        );
    }
    let other = GateReport {
        artifact: Digest::of(b"other"),
        ..report(Outcome::Passed)
    };
    assert_eq!(about().with_gate(other).unwrap_err().member, "artifact");
}

#[test]
fn a_signed_payload_that_is_no_statement_of_ours_is_refused() {
    let key = key();
    let trust = trusting(&[&key], "");
    let good = Statement::about(&artifact()).to_json();
    let gated = Statement::about(&artifact())
        .with_gate(report(Outcome::Passed))
        .unwrap()
        .to_json();
    let hex = artifact().digest().hex();
    let upper = hex.to_uppercase();
    for (payload, member) in [
        (String::new(), "payload"),
        ("[]".to_owned(), "payload"),
        (good.replace("\"_type\"", "\"type\""), "payload"),
        (
            good.replace("subject\":", "subject\":[],\"subject\":"),
            "payload",
        ),
        (good.replace("Statement/v1", "Statement/v0.1"), "_type"),
        (good.replace("sha256", "sha512"), "subject"),
        (good.replace(&hex, &upper), "subject.digest.sha256"),
        (good.replace("approval", "denial"), "predicateType"),
        (
            good.replace(Statement::APPROVAL, Statement::TEST_RESULT),
            "predicate",
        ),
        (gated.replace("PASSED", "WARNED"), "predicate.result"),
        (gated.replace("PASSED", "passed"), "predicate.result"),
        (
            gated.replace("gate-report", "other"),
            "predicate.configuration",
        ),
    ] {
        let error = trust
            .verify(&artifact(), Some(&over(&payload, &key)))
            .unwrap_err();
        let TrustError::Statement(StatementError { member: found, .. }) = error else {
            panic!("{payload}: {error}")
        };
        assert_eq!(found, member, "{payload}");
    }
    assert!(trust.verify(&artifact(), Some(&over(&good, &key))).is_ok());
}

#[test]
fn envelopes_are_bounded() {
    let key = key();
    let text = signed(&key).to_json();
    let long = format!("{text}{}", " ".repeat(MAX_ENVELOPE_BYTES));
    assert!(Envelope::from_json(&long).is_err());
    let one = "{\"sig\":\"\"}";
    for (number, fits) in [(MAX_SIGNATURES, true), (MAX_SIGNATURES + 1, false)] {
        let list = vec![one; number].join(",");
        let text = format!(r#"{{"payload":"","payloadType":"","signatures":[{list}]}}"#);
        assert_eq!(Envelope::from_json(&text).is_ok(), fits);
    }
    assert!(Envelope::from_json(&"[".repeat(200_000)).is_err());
}

#[test]
fn keys_are_read_as_others_write_them() {
    let key = SecretKey::from_pem(RFC8410).unwrap();
    assert_eq!(key.public().to_string(), RFC8410_PUBLIC);
    assert_eq!(&**key.to_pem().unwrap(), RFC8410);
    assert_eq!(format!("{key:?}"), "SecretKey { .. }");
    assert!(matches!(
        SecretKey::from_pem("-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----"),
        Err(KeyError::Private)
    ));
}

#[test]
fn weak_keys_are_refused() {
    // The points of small order, RFC 8032's neutral element first.
    for weak in [
        "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "7P///////////////////////////////////////38=",
        "JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/AU=",
        "xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA3o=",
    ] {
        let read: Result<PublicKey, _> = format!("ed25519:{weak}").parse();
        assert!(matches!(read, Err(KeyError::Weak)), "{weak}");
    }
}

/// Made with Python's `cryptography` 48 and `hashlib`, not with this crate: RFC 8410's key over
/// an in-toto statement about the eight bytes of an empty component.
#[test]
fn an_envelope_that_another_program_made() {
    let envelope = Envelope::from_json(include_str!("../../tests/trust/foreign.json")).unwrap();
    let text = format!("[[key]]\nname = \"rfc 8410\"\npublic = \"{RFC8410_PUBLIC}\"");
    let trust = Trust::from_text(&text).unwrap();
    assert!(trust.verify(&artifact(), Some(&envelope)).is_ok());
    // Ed25519 is deterministic: this crate makes the same of the same payload.
    let key = SecretKey::from_pem(RFC8410).unwrap();
    let payload = std::str::from_utf8(envelope.payload()).unwrap();
    let ours: serde_json::Value = serde_json::from_str(&over(payload, &key).to_json()).unwrap();
    let theirs: serde_json::Value = serde_json::from_str(&envelope.to_json()).unwrap();
    let signature = "/signatures/0/sig";
    assert_eq!(ours.pointer(signature), theirs.pointer(signature));
}

#[test]
fn a_trust_file_is_told_line_and_member() {
    let pin = format!("[[pin]]\nname = \"p\"\ndigest = \"{}\"\n", Digest::of(b""));
    let one = format!("[[key]]\nname = \"k\"\npublic = \"{}\"\n", key().public());
    let both = format!("{pin}{one}");
    assert!(Trust::from_text(&both).is_ok());
    assert!(Trust::from_text(&format!("gate = \"optional\"\nthreshold = 1\n{both}")).is_ok());
    let long = "n".repeat(65);
    for (text, line, member) in [
        ("pin = 1".to_owned(), 1, "pin"),
        ("\npin = [1]".to_owned(), 2, "pin"),
        (format!("pins = []\n{both}"), 1, "file"),
        (format!("{both}\nweight = 2"), 8, "key[0]"),
        (format!("{both}[extra]"), 7, "file"),
        (format!("threshold = 0\n{both}"), 1, "threshold"),
        (format!("threshold = 2\n{both}"), 1, "threshold"),
        (format!("threshold = -1\n{both}"), 1, "threshold"),
        (format!("threshold = \"1\"\n{both}"), 1, "threshold"),
        (format!("threshold = 1\n{pin}"), 1, "threshold"),
        (format!("gate = true\n{both}"), 1, "gate"),
        (pin.replace("digest", "digests"), 3, "pin[0]"),
        ("[[pin]]\nname = \"p\"".to_owned(), 1, "pin[0]"),
        (
            format!("{both}{}", pin.replace("sha256:", "")),
            9,
            "pin[1].digest",
        ),
        (pin.replace("\"p\"", "1"), 2, "pin[0].name"),
        (pin.replace("\"p\"", "\"\""), 2, "pin[0].name"),
        (
            pin.replace("\"p\"", &format!("\"{long}\"")),
            2,
            "pin[0].name",
        ),
        (pin.replace("\"p\"", "\"a\\nb\""), 2, "pin[0].name"),
        (one.replace("ed25519:", ""), 3, "key[0].public"),
        (one.replace("=\"\n", "\"\n"), 3, "key[0].public"),
        (format!("{one}{one}"), 6, "key[1].public"),
        (
            format!(
                "{one}[[key]]\nname = \"k\"\npublic = \"{}\"\n",
                key().public()
            ),
            5,
            "key[1].name",
        ),
    ] {
        let error = Trust::from_text(&text).unwrap_err();
        let TrustFileError::Member {
            line: at,
            member: found,
            ..
        } = error
        else {
            panic!("{text}: {error}")
        };
        assert_eq!((at, found.as_str()), (line, member), "{text}");
    }
    let syntax = Trust::from_text("\n\nthreshold = ").unwrap_err();
    assert!(
        matches!(syntax, TrustFileError::Syntax { line: 3, .. }),
        "{syntax}"
    );
}

#[test]
fn nothing_that_stands_in_a_file_is_repeated() {
    let secret = "hunter2";
    for text in [
        secret.to_owned(),
        format!("{secret} = 1"),
        format!("{secret} = 1\n{secret} = 1"),
        format!("gate = \"{secret}\""),
        format!("threshold = \"{secret}\""),
        format!("[[pin]]\nname = \"{secret}\"\ndigest = \"{secret}\""),
        format!("[[key]]\nname = \"{secret}\"\npublic = \"{secret}\""),
        format!("[[key]]\n{secret} = 1"),
        format!("[{secret}]\n[{secret}]"),
        format!("x = \"\\u{{{secret}}}\""),
        format!("x = {secret}"),
    ] {
        let error = Trust::from_text(&text).unwrap_err().to_string();
        assert!(!error.contains("hunter"), "{text}: {error}");
    }
    for text in [
        secret.to_owned(),
        format!("{{\"{secret}\":1}}"),
        format!(r#"{{"payload":"{secret}!","payloadType":"{secret}","signatures":[]}}"#),
    ] {
        let error = Envelope::from_json(&text).unwrap_err().to_string();
        assert!(!error.contains("hunter"), "{text}: {error}");
    }
}
