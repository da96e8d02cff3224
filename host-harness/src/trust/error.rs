//! Errors of trust. None repeats what stands in a file.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::artifact::Digest;

/// A file of the trust department that cannot be read.
#[derive(Debug, Error)]
pub enum FileError {
    /// The path leads nowhere, may not be opened, or reading stopped half-way.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A directory, pipe or device.
    #[error("`{}` is not a regular file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// More than such a file may have.
    #[error("`{}` is larger than {limit} bytes", path.display())]
    TooLarge {
        /// The path.
        path: PathBuf,
        /// The most that is read, in bytes.
        limit: u64,
    },
    /// Not UTF-8.
    #[error("`{}` must be UTF-8 text", path.display())]
    NotText {
        /// The path.
        path: PathBuf,
    },
}

/// A trust file that cannot be used. As long as there is none, nothing is trusted.
#[derive(Debug, Error)]
pub enum TrustFileError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is no TOML.
    #[error("line {line}: not valid TOML: {problem}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        problem: String,
    },
    /// A member breaks the grammar.
    #[error("line {line}: `{member}` {problem}")]
    Member {
        /// The line, from 1.
        line: usize,
        /// The member: `threshold`, `pin[0].digest`; for a member that has no place here, the
        /// table that it stands in.
        member: String,
        /// What it must be.
        problem: String,
    },
}

/// Text that is no envelope.
#[derive(Debug, Error)]
pub enum EnvelopeError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// More than an envelope may have.
    #[error("an envelope must be at most {limit} bytes long")]
    TooLarge {
        /// The most that is read, in bytes.
        limit: usize,
    },
    /// Not the JSON of an envelope.
    #[error(
        "must be a DSSE envelope in JSON, with `payload`, `payloadType` and `signatures`; it is \
         wrong at line {line}, column {column}"
    )]
    Json {
        /// The line, from 1.
        line: usize,
        /// The column, from 1; 0 where the line as a whole is meant.
        column: usize,
    },
    /// A member is not what it must be.
    #[error("`{member}` {problem}")]
    Member {
        /// The member.
        member: &'static str,
        /// What it must be.
        problem: &'static str,
    },
}

/// A key that cannot be used.
#[derive(Debug, Error)]
pub enum KeyError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Not a private key in PKCS#8 PEM.
    #[error("must be an Ed25519 private key in PKCS#8 PEM, unencrypted (RFC 8410)")]
    Private,
    /// Not a public key.
    #[error("must be `ed25519:` and the base64 of 32 bytes")]
    Public,
    /// A public key for which anybody can make signatures.
    #[error("is a weak key: it has a small order, so anybody can sign for it")]
    Weak,
    /// The operating system gave no random bytes.
    #[error("the operating system gives no random bytes")]
    Random,
}

/// A payload that is no statement that this version understands, or a gate report that is none.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{member}` {problem}")]
pub struct StatementError {
    /// The member.
    pub member: &'static str,
    /// What it must be.
    pub problem: &'static str,
}

/// Why an artifact is not trusted.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TrustError {
    /// The default.
    #[error("nothing is trusted: the trust file has neither a pin nor a key")]
    NothingTrusted,
    /// Nothing speaks for it.
    #[error("no pin has {digest}, and there is no envelope")]
    NotPinned {
        /// The digest of the artifact.
        digest: Digest,
    },
    /// There is an envelope and nobody whose signature counts.
    #[error("no pin has this digest, and the trust file has no key that could vouch for it")]
    NoKeys,
    /// Signed for another purpose.
    #[error("the payload type of the envelope must be `application/vnd.in-toto+json`")]
    PayloadType,
    /// Too few valid signatures by trusted keys.
    #[error("{valid} of the trusted keys signed the envelope; {needed} must")]
    Signatures {
        /// How many trusted keys have a valid signature.
        valid: usize,
        /// How many must.
        needed: usize,
    },
    /// Signed, but nothing that can be understood.
    #[error("the envelope is signed, and its statement cannot be used: {0}")]
    Statement(#[from] StatementError),
    /// Signed, but for other bytes.
    #[error("the envelope is signed, and its statement is not about {digest}")]
    Subject {
        /// The digest of the artifact.
        digest: Digest,
    },
    /// The signers say themselves that it did not pass.
    #[error("the envelope is signed, and it says that the gate was not passed")]
    GateNotPassed,
    /// The trust file demands a gate result.
    #[error("the envelope is signed, and it has no gate result, which the trust file demands")]
    GateMissing,
}
