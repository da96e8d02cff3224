//! What can go wrong when policies are kept and swapped.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::error::{ConfigureError, LoadError, TrustError, TrustFileError};
use crate::gate::GateError;

/// A store that cannot be read or written.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The system would not have it.
    #[error("cannot use `{}`", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file that this version has not written.
    #[error("`{}` {problem}", path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The bytes under a digest are no longer those that have it.
    #[error("`{}` does not hold the bytes that it is named after", path.display())]
    Altered {
        /// The file.
        path: PathBuf,
    },
}

/// A policy that could not be put in force; what was in force still is.
#[derive(Debug, Error)]
pub enum InstallError {
    /// It could not be made durable.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It was compared with something else than what is in force.
    #[error("another policy came into force in the meantime: compare with that one, and try again")]
    Overtaken,
    /// It does not take the facets of this host.
    #[error("the policy cannot be configured")]
    Configure(#[from] ConfigureError),
    /// There is nothing to go back to.
    #[error("there is no generation before this one that differs from it")]
    NothingBefore,
    /// The generation before is not let in any more.
    #[error("the generation before cannot be put in force again")]
    Admit(#[source] Box<AdmitError>),
}

/// A policy that was not let in; what was in force still is.
#[derive(Debug, Error)]
pub enum AdmitError {
    /// Nobody vouches for it.
    #[error("the policy is not trusted")]
    Untrusted(#[source] TrustError),
    /// The trust file cannot be read, so nobody can vouch for anything.
    #[error("cannot read the trust file `{}`", path.display())]
    TrustFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: TrustFileError,
    },
    /// It was asked for without trust, and this host does not allow that.
    #[error("this host lets no untrusted policy in: start it with --allow-untrusted")]
    BypassNotAllowed,
    /// It is no policy, or cannot be compiled.
    #[error("the policy cannot be loaded")]
    Load(#[from] LoadError),
    /// It did not come through the gate.
    #[error(transparent)]
    Gate(#[from] GateError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It does not take the facets of this host.
    #[error("the policy cannot be configured")]
    Configure(#[from] ConfigureError),
}
