//! The seal: a digest over everything else on a certificate.

use super::Certificate;
use crate::artifact::Digest;

/// The digest of the certificate's text with an empty seal.
pub(super) fn of(certificate: &Certificate) -> String {
    let mut unsealed = certificate.clone();
    unsealed.predicate.seal = String::new();
    Digest::of(unsealed.text().as_bytes()).to_string()
}
