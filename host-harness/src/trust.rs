//! Whether an artifact may be loaded: pinned by its digest, or signed by enough trusted keys.
//!
//! ```
//! use negotiator::trust::{SecretKey, Statement, Envelope, Trust};
//! use negotiator::Artifact;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let key = SecretKey::generate()?;
//! let policy = Artifact::from_bytes(*b"\0asm\x0d\0\x01\0");
//! let envelope = Envelope::sign(&Statement::about(&policy), &key);
//!
//! let trust = Trust::from_text(&format!(
//!     "[[key]]\nname = \"release\"\npublic = \"{}\"\n",
//!     key.public()
//! ))?;
//! let trusted = trust.verify(&policy, Some(&envelope))?;
//! assert!(trusted.basis().is_trusted());
//!
//! // Without the envelope there is nothing that speaks for it.
//! assert!(trust.verify(&policy, None).is_err());
//! # Ok(())
//! # }
//! ```

use std::path::Path;

use crate::artifact::{Artifact, Digest};

mod bounded;
mod envelope;
pub(crate) mod error;
mod file;
mod key;
mod report;
mod statement;

pub use envelope::{Envelope, MAX_ENVELOPE_BYTES, MAX_SIGNATURES, PAYLOAD_TYPE};
pub use key::{PublicKey, SecretKey};
pub use report::{GateReport, Outcome};
pub use statement::Statement;

use error::{TrustError, TrustFileError};

/// What an operator trusts: digests that are pinned, and keys whose signatures count.
///
/// Made from a trust file, `negotiator.trust.toml` by custom. With nothing in it, nothing is
/// trusted. `docs/trust.md` has the grammar of the file.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    pins: Vec<Pin>,
    keys: Vec<NamedKey>,
    threshold: usize,
    gate: bool,
}

/// A digest that is trusted whatever stands beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pin {
    name: String,
    digest: Digest,
}

/// A key whose signatures count, and what the operator calls it.
#[derive(Clone, Debug)]
struct NamedKey {
    name: String,
    key: PublicKey,
}

impl Trust {
    /// Trusts nothing, as an empty trust file does.
    #[must_use]
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Reads a trust file of at most 256 KiB.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or breaks the grammar; the error names line and member.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, TrustFileError> {
        let text = bounded::read_text(path.as_ref(), file::MAX_BYTES)?;
        Self::from_text(&text)
    }

    /// Reads the text of a trust file.
    ///
    /// # Errors
    ///
    /// The text breaks the grammar; the error names line and member.
    pub fn from_text(text: &str) -> Result<Self, TrustFileError> {
        file::read(text)
    }

    /// Finds out whether an artifact is trusted. One of two things is enough:
    ///
    /// - a pin has its digest; the envelope is not looked at then;
    /// - the envelope carries valid signatures of at least `threshold` different trusted keys
    ///   over an in-toto statement which names the digest of the artifact among its subjects,
    ///   and which says nothing against it: a gate result that it holds must be passed, and with
    ///   `gate = "required"` it must hold one.
    ///
    /// # Errors
    ///
    /// Neither is the case. Everything that is not proven is an error.
    pub fn verify(
        &self,
        artifact: &Artifact,
        envelope: Option<&Envelope>,
    ) -> Result<Trusted, TrustError> {
        let digest = artifact.digest();
        if let Some(pin) = self.pins.iter().find(|pin| pin.digest == digest) {
            return Ok(Trusted::on(artifact, Basis::Pinned(pin.name.clone())));
        }
        if self.pins.is_empty() && self.keys.is_empty() {
            return Err(TrustError::NothingTrusted);
        }
        let Some(envelope) = envelope else {
            return Err(TrustError::NotPinned { digest });
        };
        let signed = self.signed(digest, envelope)?;
        Ok(Trusted::on(artifact, Basis::Signed(signed)))
    }

    fn signed(&self, digest: Digest, envelope: &Envelope) -> Result<Signed, TrustError> {
        if self.keys.is_empty() {
            return Err(TrustError::NoKeys);
        }
        if !envelope.is_statement() {
            return Err(TrustError::PayloadType);
        }
        // Signatures first: nothing of an unsigned payload is read.
        let keys: Vec<String> = self
            .keys
            .iter()
            .filter(|named| envelope.is_signed_by(&named.key))
            .map(|named| named.name.clone())
            .collect();
        // Never none: a threshold of zero would make anything trusted.
        let needed = self.threshold.max(1);
        if keys.len() < needed {
            return Err(TrustError::Signatures {
                valid: keys.len(),
                needed,
            });
        }
        let statement = Statement::read(envelope.payload())?;
        if !statement.is_about(digest) {
            return Err(TrustError::Subject { digest });
        }
        match statement.gate() {
            Some(report) if report.outcome != Outcome::Passed => Err(TrustError::GateNotPassed),
            None if self.gate => Err(TrustError::GateMissing),
            gate => Ok(Signed {
                keys,
                gate_report: gate.map(|report| report.digest),
            }),
        }
    }
}

/// An artifact together with the reason why it may be loaded.
///
/// [`Trust::verify`] makes it, and [`Trusted::bypassing_trust`] for those who want to go
/// without; there is no other way.
///
/// ```compile_fail
/// # fn forge(artifact: negotiator::Artifact) -> negotiator::trust::Trusted {
/// negotiator::trust::Trusted { artifact, basis: negotiator::trust::Basis::Pinned("mine".into()) }
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Trusted {
    artifact: Artifact,
    basis: Basis,
}

impl Trusted {
    fn on(artifact: &Artifact, basis: Basis) -> Self {
        Self {
            artifact: artifact.clone(),
            basis,
        }
    }

    /// Takes an artifact that nobody vouches for. It is marked for ever: its basis is
    /// [`Basis::Untrusted`], and whoever runs it must say so.
    #[must_use]
    pub fn bypassing_trust(artifact: Artifact) -> Self {
        Self {
            artifact,
            basis: Basis::Untrusted,
        }
    }

    /// The artifact.
    #[must_use]
    pub fn artifact(&self) -> &Artifact {
        &self.artifact
    }

    /// Why it may be loaded.
    #[must_use]
    pub fn basis(&self) -> &Basis {
        &self.basis
    }
}

/// Why an artifact may be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The pin of that name has its digest.
    Pinned(String),
    /// Enough trusted keys signed a statement about it.
    Signed(Signed),
    /// It is not trusted; somebody asked to load it all the same.
    Untrusted,
}

impl Basis {
    /// Whether anybody vouches for the artifact.
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        !matches!(self, Self::Untrusted)
    }
}

/// What was found in an envelope that is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// The names that the trust file gives to the keys whose signatures are valid, in its
    /// order.
    pub keys: Vec<String>,
    /// The digest of the gate's report, where the statement holds a gate result; it is always a
    /// passed one.
    pub gate_report: Option<Digest>,
}

#[cfg(test)]
mod tests;
