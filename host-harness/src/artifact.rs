//! Bytes of a component, and the digest that names them.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::error::{ArtifactError, DigestError};

mod depth;
mod embedded;
mod inspect;
mod worlds;

pub use inspect::{Inspection, Kind, inspect};
pub use worlds::World;

pub(crate) use inspect::printable;
pub(crate) use worlds::{POLICY_INTERFACE, mismatch};

/// The largest file that [`Artifact::from_file`] reads: 64 MiB.
///
/// A policy with a whole JavaScript or Python interpreter inside has 12 to 18 MB.
pub const MAX_ARTIFACT_BYTES: u64 = 64 * 1024 * 1024;

/// The bytes of a component and their SHA-256 digest, which stay together from
/// here on: whatever is trusted, gated, installed or reported is named by that
/// digest. Cloning is cheap.
///
/// An artifact may hold anything; [`Negotiator::load`] and [`Policy::load`] find
/// out whether it is what it should be.
///
/// [`Negotiator::load`]: crate::Negotiator::load
/// [`Policy::load`]: crate::Policy::load
#[derive(Clone)]
pub struct Artifact {
    bytes: Bytes,
    digest: Digest,
}

#[derive(Clone)]
enum Bytes {
    Embedded(&'static [u8]),
    Shared(Arc<[u8]>),
}

impl Artifact {
    /// Takes bytes as they are.
    #[must_use]
    pub fn from_bytes(bytes: impl Into<Arc<[u8]>>) -> Self {
        let bytes = bytes.into();
        Self {
            digest: Digest::of(&bytes),
            bytes: Bytes::Shared(bytes),
        }
    }

    /// Reads a file, at most [`MAX_ARTIFACT_BYTES`] of it.
    ///
    /// # Errors
    ///
    /// The path does not lead to a regular file, cannot be read, or leads to an
    /// empty or too large file.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ArtifactError> {
        let path = path.as_ref();
        let open = |source| ArtifactError::Open {
            path: path.to_owned(),
            source,
        };
        // Looked at before it is opened: opening a pipe could wait for ever.
        if !std::fs::metadata(path).map_err(open)?.is_file() {
            return Err(ArtifactError::NotAFile {
                path: path.to_owned(),
            });
        }
        let file = File::open(path).map_err(open)?;
        let mut bytes = Vec::new();
        // The size is not asked for but met: a file may grow while it is read.
        file.take(MAX_ARTIFACT_BYTES.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|source| ArtifactError::Read {
                path: path.to_owned(),
                source,
            })?;
        if bytes.is_empty() {
            return Err(ArtifactError::Empty {
                path: path.to_owned(),
            });
        }
        if u64::try_from(bytes.len()).map_or(true, |len| len > MAX_ARTIFACT_BYTES) {
            return Err(ArtifactError::TooLarge {
                path: path.to_owned(),
                limit: MAX_ARTIFACT_BYTES,
            });
        }
        Ok(Self::from_bytes(bytes))
    }

    /// The certified component with its default policy inside, as built into this
    /// crate: `dist/negotiator.wasm`.
    #[must_use]
    pub fn embedded() -> Self {
        Self::from_static(embedded::NEGOTIATOR)
    }

    /// The certified component with its policy left open, as built into this
    /// crate: `dist/negotiator-pluggable.wasm`.
    #[must_use]
    pub fn embedded_pluggable() -> Self {
        Self::from_static(embedded::PLUGGABLE)
    }

    fn from_static(bytes: &'static [u8]) -> Self {
        Self {
            digest: Digest::of(bytes),
            bytes: Bytes::Embedded(bytes),
        }
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Embedded(bytes) => bytes,
            Bytes::Shared(bytes) => bytes,
        }
    }

    /// The digest of the bytes.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }
}

impl fmt::Debug for Artifact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Artifact")
            .field("digest", &self.digest)
            .field("bytes", &self.bytes().len())
            .finish()
    }
}

/// A SHA-256 digest. Shown and parsed as `sha256:` and 64 lower-case hex digits, in JSON too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    pub(crate) const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The 64 hex digits, without the `sha256:` in front.
    #[must_use]
    pub fn hex(&self) -> String {
        use fmt::Write as _;
        let mut text = String::with_capacity(64);
        for byte in self.0 {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let digits = text
            .strip_prefix(PREFIX)
            .ok_or(DigestError::Prefix)?
            .as_bytes();
        let mut bytes = [0; 32];
        let (pairs, rest) = digits.as_chunks::<2>();
        if pairs.len() != bytes.len() || !rest.is_empty() {
            return Err(DigestError::Length);
        }
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = (hex_value(*high)? << 4) | hex_value(*low)?;
        }
        Ok(Self(bytes))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

fn hex_value(digit: u8) -> Result<u8, DigestError> {
    match digit {
        b'0'..=b'9' => Ok(digit.wrapping_sub(b'0')),
        b'a'..=b'f' => Ok(digit.wrapping_sub(b'a').wrapping_add(10)),
        _ => Err(DigestError::Digit),
    }
}

const PREFIX: &str = "sha256:";
