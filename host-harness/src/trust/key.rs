//! Ed25519 keys (RFC 8032).

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::spki::der::zeroize::Zeroizing;
use ed25519_dalek::pkcs8::{DecodePrivateKey as _, EncodePrivateKey as _, KeypairBytes};
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};

use super::bounded;
use super::error::KeyError;
use crate::artifact::Digest;

/// A public key. Shown and parsed as `ed25519:` and the base64 of its 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// What an envelope calls the key: the SHA-256 digest of its 32 bytes, 64 hex digits. It is
    /// a hint and proves nothing.
    #[must_use]
    pub fn id(&self) -> String {
        Digest::of(self.0.as_bytes()).hex()
    }

    /// Whether a signature over a message is this key's. Strict: neither key nor signature may
    /// have a small order, and the encoding must be canonical.
    pub(super) fn verifies(&self, message: &[u8], signature: &[u8; SIGNATURE_BYTES]) -> bool {
        let signature = Signature::from_bytes(signature);
        self.0.verify_strict(message, &signature).is_ok()
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", BASE64_STANDARD.encode(self.0.as_bytes()))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for PublicKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let digits = text.strip_prefix(PREFIX).ok_or(KeyError::Public)?;
        // Decoded into a vector, since the length is what is to be found out.
        let bytes = BASE64_STANDARD
            .decode(digits)
            .map_err(|_| KeyError::Public)?;
        let bytes = <[u8; 32]>::try_from(bytes).map_err(|_| KeyError::Public)?;
        let key = VerifyingKey::from_bytes(&bytes).map_err(|_| KeyError::Public)?;
        if key.is_weak() {
            return Err(KeyError::Weak);
        }
        Ok(Self(key))
    }
}

/// A private key. It is wiped from memory when dropped, and never shown.
pub struct SecretKey(SigningKey);

impl SecretKey {
    /// Makes a key out of random bytes of the operating system.
    ///
    /// # Errors
    ///
    /// There are none.
    pub fn generate() -> Result<Self, KeyError> {
        let mut seed = Zeroizing::new([0_u8; 32]);
        getrandom::fill(seed.as_mut_slice()).map_err(|_| KeyError::Random)?;
        Ok(Self(SigningKey::from_bytes(&seed)))
    }

    /// Reads a key file: PKCS#8 in PEM (RFC 8410, RFC 7468), without a password, as
    /// `openssl genpkey -algorithm ed25519` writes it.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is none.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, KeyError> {
        let text = Zeroizing::new(bounded::read_text(path.as_ref(), MAX_KEY_FILE)?);
        Self::from_pem(&text)
    }

    /// Reads the text of a key file; see [`Self::from_file`].
    ///
    /// # Errors
    ///
    /// It is none.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        let key = SigningKey::from_pkcs8_pem(text.trim()).map_err(|_| KeyError::Private)?;
        Ok(Self(key))
    }

    /// The text of a key file.
    ///
    /// # Errors
    ///
    /// The key cannot be encoded, which no key is known to do.
    pub fn to_pem(&self) -> Result<Zeroizing<String>, KeyError> {
        // Without the public half: the older form, which every reader takes.
        let key = KeypairBytes {
            secret_key: self.0.to_bytes(),
            public_key: None,
        };
        key.to_pkcs8_pem(LineEnding::LF)
            .map_err(|_| KeyError::Private)
    }

    /// The public half.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    pub(super) fn sign(&self, message: &[u8]) -> [u8; SIGNATURE_BYTES] {
        self.0.sign(message).to_bytes()
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretKey").finish_non_exhaustive()
    }
}

/// Of an Ed25519 signature.
pub(super) const SIGNATURE_BYTES: usize = 64;

const PREFIX: &str = "ed25519:";

/// A key file has 119 bytes.
const MAX_KEY_FILE: u64 = 16 * 1024;
