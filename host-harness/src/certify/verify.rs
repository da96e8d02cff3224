//! Whether a certificate holds.

use thiserror::Error;

use super::certificate::{Certificate, PREDICATE_TYPE, STATEMENT_TYPE, of_this_proof};
use super::{FUEL_MARGIN, seal};
use crate::Limits;
use crate::artifact::Digest;

/// Why a certificate does not hold. Nothing of the certificate is repeated.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum CertificateError {
    /// Too much text.
    #[error("is larger than a certificate can be: {} bytes", MAX_BYTES)]
    TooLarge,
    /// No JSON, or members that a certificate does not have.
    #[error("is no certificate: it must be what `negotiator certify` writes")]
    Unreadable,
    /// Another statement.
    #[error("is no certificate: it must be an in-toto statement with a test result")]
    OtherStatement,
    /// The same members, written in another way.
    #[error("is not in canonical form: it was changed since it was made")]
    NotCanonical,
    /// Something was changed.
    #[error("is broken: its seal does not fit the rest, so it was changed since it was made")]
    Seal,
    /// It is about something else.
    #[error("is about other bytes than this component")]
    OtherBytes,
    /// It says so itself.
    #[error("says that the component did not pass")]
    NotPassed,
    /// The corpus, the grid, the limits or the engine are others.
    #[error("was made by another version of the proof: certify the component again")]
    OtherProof,
    /// The dearest call leaves too little of the limit.
    #[error("tells of a call that leaves too little of the limit on fuel")]
    Fuel,
}

impl Certificate {
    /// Reads a certificate and finds out whether it is whole: in canonical form, and sealed. It may
    /// still be about anything.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn from_text(text: &str) -> Result<Self, CertificateError> {
        if text.len() > MAX_BYTES {
            return Err(CertificateError::TooLarge);
        }
        let certificate: Self =
            serde_json::from_str(text).map_err(|_| CertificateError::Unreadable)?;
        if certificate.kinds() != (STATEMENT_TYPE, PREDICATE_TYPE) {
            return Err(CertificateError::OtherStatement);
        }
        if certificate.text() != text {
            return Err(CertificateError::NotCanonical);
        }
        if certificate.predicate.seal != seal::of(&certificate) {
            return Err(CertificateError::Seal);
        }
        Ok(certificate)
    }

    /// Whether it says of these bytes that they passed this proof, under these limits.
    ///
    /// That takes its word for what was found. To find out oneself, run
    /// [`certify`](super::certify) and compare.
    ///
    /// # Errors
    ///
    /// What does not hold.
    pub fn verify(&self, digest: Digest, limits: &Limits) -> Result<(), CertificateError> {
        if !self.is_about(digest) {
            return Err(CertificateError::OtherBytes);
        }
        if !self.passed() {
            return Err(CertificateError::NotPassed);
        }
        let own = of_this_proof(limits);
        if !self.predicate.configuration.starts_with(&own) {
            return Err(CertificateError::OtherProof);
        }
        let worst = self.worst_fuel().ok_or(CertificateError::Unreadable)?;
        if worst.saturating_mul(FUEL_MARGIN) > limits.fuel {
            return Err(CertificateError::Fuel);
        }
        Ok(())
    }
}

/// The most text that is read.
const MAX_BYTES: usize = 256 * 1024;
