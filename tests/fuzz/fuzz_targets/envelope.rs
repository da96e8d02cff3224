//! Envelopes and the statements inside: nothing that was not signed is trusted.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use negotiator::Artifact;
use negotiator::trust::{Envelope, SecretKey, Trust};

/// The example key of RFC 8410. The corpus has envelopes that it signed.
const KEY: &str = include_str!("../../../host-harness/tests/trust/test-key.pem");

struct World {
    artifact: Artifact,
    key: SecretKey,
    trusting: Trust,
    /// Trusts a key that signed nothing in the corpus.
    stranger: Trust,
}

static WORLD: LazyLock<World> = LazyLock::new(|| {
    let trust = |key: &SecretKey| {
        let text = format!("[[key]]\nname = \"k\"\npublic = \"{}\"\n", key.public());
        Trust::from_text(&text).unwrap()
    };
    let key = SecretKey::from_pem(KEY).unwrap();
    World {
        artifact: Artifact::from_bytes(*b"\0asm\x0d\0\x01\0"),
        trusting: trust(&key),
        stranger: trust(&SecretKey::generate().unwrap()),
        key,
    }
});

fuzz_target!(|text: &str| {
    let Ok(envelope) = Envelope::from_json(text) else {
        return;
    };
    let again = Envelope::from_json(&envelope.to_json()).expect("its own form is read");
    assert_eq!(again.to_json(), envelope.to_json());
    let world = &*WORLD;
    let trusted = world.trusting.verify(&world.artifact, Some(&envelope));
    assert_eq!(
        trusted.is_ok(),
        world.trusting.verify(&world.artifact, Some(&again)).is_ok()
    );
    if trusted.is_ok() {
        let statement = envelope.unverified_statement().expect("a statement");
        assert!(statement.is_about(world.artifact.digest()));
    }
    assert!(
        world
            .stranger
            .verify(&world.artifact, Some(&envelope))
            .is_err()
    );
    // Now signed: the statement inside alone decides.
    let statement = envelope.unverified_statement();
    let signed = world
        .trusting
        .verify(&world.artifact, Some(&envelope.signed_by(&world.key)));
    if let Ok(statement) = statement {
        let passed = statement
            .gate()
            .is_none_or(|gate| gate.outcome == negotiator::trust::Outcome::Passed);
        assert_eq!(
            signed.is_ok(),
            passed && statement.is_about(world.artifact.digest())
        );
    } else {
        assert!(signed.is_err());
    }
});
