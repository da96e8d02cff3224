//! The DSSE envelope, version 1: a payload, its type, and signatures over both.

use std::path::Path;

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};

use super::bounded;
use super::error::EnvelopeError;
use super::key::{PublicKey, SIGNATURE_BYTES, SecretKey};
use super::statement::Statement;

/// The most bytes of JSON that are taken as an envelope: 256 KiB.
pub const MAX_ENVELOPE_BYTES: usize = 256 * 1024;

/// The most signatures that an envelope may have: each costs a verification.
pub const MAX_SIGNATURES: usize = 64;

/// The payload type of an in-toto statement.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// A DSSE envelope, decoded once: the payload that is verified is the payload that is read.
///
/// Nothing in it is believed: [`Trust::verify`](super::Trust::verify) finds out what it is
/// worth.
#[derive(Clone, Debug)]
pub struct Envelope {
    payload: Vec<u8>,
    payload_type: String,
    signatures: Vec<OneSignature>,
}

#[derive(Clone, Debug)]
struct OneSignature {
    /// Empty where there is none.
    key_id: String,
    bytes: Vec<u8>,
}

/// The JSON of it. The specification has unknown members ignored.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    payload: String,
    payload_type: String,
    signatures: Vec<WrittenSignature>,
}

#[derive(Serialize, Deserialize)]
struct WrittenSignature {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    keyid: Option<String>,
    sig: String,
}

impl Envelope {
    /// Reads a file of at most [`MAX_ENVELOPE_BYTES`].
    ///
    /// # Errors
    ///
    /// The file cannot be read or is no envelope.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, EnvelopeError> {
        Self::from_json(&bounded::read_text(
            path.as_ref(),
            MAX_ENVELOPE_BYTES as u64,
        )?)
    }

    /// Reads the JSON form. Base64 may be of either alphabet, with padding or without; unknown
    /// members are ignored.
    ///
    /// # Errors
    ///
    /// The text is too long or no envelope.
    pub fn from_json(text: &str) -> Result<Self, EnvelopeError> {
        if text.len() > MAX_ENVELOPE_BYTES {
            return Err(EnvelopeError::TooLarge {
                limit: MAX_ENVELOPE_BYTES,
            });
        }
        let written: Written = serde_json::from_str(text).map_err(|error| EnvelopeError::Json {
            line: error.line(),
            column: error.column(),
        })?;
        if written.signatures.len() > MAX_SIGNATURES {
            return Err(EnvelopeError::Member {
                member: "signatures",
                problem: "must be at most 64",
            });
        }
        let signatures = written.signatures.into_iter().map(|signature| {
            Ok::<_, EnvelopeError>(OneSignature {
                key_id: signature.keyid.unwrap_or_default(),
                bytes: decode("sig", &signature.sig)?,
            })
        });
        Ok(Self {
            payload: decode("payload", &written.payload)?,
            payload_type: written.payload_type,
            signatures: signatures.collect::<Result<_, _>>()?,
        })
    }

    /// The JSON form, in one line without a line end.
    #[must_use]
    pub fn to_json(&self) -> String {
        let signatures = self.signatures.iter().map(|signature| WrittenSignature {
            keyid: (!signature.key_id.is_empty()).then(|| signature.key_id.clone()),
            sig: BASE64_STANDARD.encode(&signature.bytes),
        });
        let written = Written {
            payload: BASE64_STANDARD.encode(&self.payload),
            payload_type: self.payload_type.clone(),
            signatures: signatures.collect(),
        };
        // Strings and lists of strings cannot fail to be written.
        serde_json::to_string(&written).unwrap_or_default()
    }

    /// Signs a statement.
    #[must_use]
    pub fn sign(statement: &Statement, key: &SecretKey) -> Self {
        Self {
            payload: statement.to_json().into_bytes(),
            payload_type: PAYLOAD_TYPE.to_owned(),
            signatures: Vec::new(),
        }
        .signed_by(key)
    }

    /// Adds the signature of one more key, or does nothing where that key has signed already.
    /// Whoever signs vouches for the statement: read it first.
    #[must_use]
    pub fn signed_by(mut self, key: &SecretKey) -> Self {
        if !self.is_signed_by(&key.public()) {
            self.signatures.push(OneSignature {
                key_id: key.public().id(),
                bytes: key.sign(&self.signed_bytes()).into(),
            });
        }
        self
    }

    /// The statement inside, which nobody may have signed: for people, and for those who sign.
    ///
    /// # Errors
    ///
    /// The payload is none.
    pub fn unverified_statement(&self) -> Result<Statement, super::error::TrustError> {
        if !self.is_statement() {
            return Err(super::error::TrustError::PayloadType);
        }
        Ok(Statement::read(&self.payload)?)
    }

    pub(super) fn is_statement(&self) -> bool {
        self.payload_type == PAYLOAD_TYPE
    }

    pub(super) fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// Whether one of the signatures is valid and of this key. Signatures that name another key
    /// are passed over; the name alone proves nothing.
    pub(super) fn is_signed_by(&self, key: &PublicKey) -> bool {
        let id = key.id();
        let message = self.signed_bytes();
        self.signatures
            .iter()
            .filter(|signature| signature.key_id.is_empty() || signature.key_id == id)
            .filter_map(|signature| <[u8; SIGNATURE_BYTES]>::try_from(&*signature.bytes).ok())
            .any(|signature| key.verifies(&message, &signature))
    }

    fn signed_bytes(&self) -> Vec<u8> {
        pae(&self.payload_type, &self.payload)
    }
}

/// The pre-authentication encoding: what is signed.
fn pae(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let head = format!(
        "DSSEv1 {} {payload_type} {} ",
        payload_type.len(),
        payload.len()
    );
    [head.as_bytes(), payload].concat()
}

/// Decodes base64 of either alphabet, never of both at once.
fn decode(member: &'static str, text: &str) -> Result<Vec<u8>, EnvelopeError> {
    let alphabet = if text.contains(['-', '_']) {
        &URL_SAFE
    } else {
        &STANDARD
    };
    let config =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    GeneralPurpose::new(alphabet, config)
        .decode(text)
        .map_err(|_| EnvelopeError::Member {
            member,
            problem: "must be base64",
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vector of the specification, `protocol.md`. Its signature is of another
    /// algorithm, so it is read and shown to be nobody's here.
    #[test]
    fn the_vector_of_the_specification() {
        let text = r#"{"payload": "aGVsbG8gd29ybGQ=",
 "payloadType": "http://example.com/HelloWorld",
 "signatures": [{"sig": "A3JqsQGtVsJ2O2xqrI5IcnXip5GToJ3F+FnZ+O88SjtR6rDAajabZKciJTfUiHqJPcIAriEGAHTVeCUjW2JIZA=="}]}"#;
        let envelope = Envelope::from_json(text).unwrap();
        assert_eq!(envelope.payload, b"hello world");
        assert_eq!(
            envelope.signed_bytes(),
            b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
        );
        assert_eq!(
            envelope.to_json(),
            text.replace(": ", ":").replace(",\n ", ",")
        );
        assert!(!envelope.is_signed_by(&SecretKey::generate().unwrap().public()));
    }

    #[test]
    fn lengths_are_of_bytes() {
        assert_eq!(
            pae("é", "\u{1f980}".as_bytes()),
            "DSSEv1 2 é 4 🦀".as_bytes()
        );
        assert_eq!(pae("", b""), b"DSSEv1 0  0 ");
    }

    #[test]
    fn both_alphabets_are_read_and_never_mixed() {
        for text in ["-_-_", "+/+/"] {
            assert_eq!(decode("sig", text).unwrap(), [0xfb, 0xff, 0xbf]);
        }
        for text in ["-/-/", "+_", "A", "AA=A", "AB==", "AAA\n"] {
            assert!(decode("sig", text).is_err(), "{text:?}");
        }
        assert_eq!(decode("sig", "AA").unwrap(), decode("sig", "AA==").unwrap());
    }
}
