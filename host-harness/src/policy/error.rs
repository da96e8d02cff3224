//! What can go wrong when policies are kept and swapped.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::error::{ConfigureError, LoadError};

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
    /// Something else came into force since the policy was compared with what was.
    #[error(
        "another policy came into force in the meantime: compare with that one, and install again"
    )]
    Overtaken,
    /// There is nothing to go back to.
    #[error("there is no generation before this one that differs from it")]
    NothingBefore,
}

/// A policy that could not be put in force; what was in force still is.
#[derive(Debug, Error)]
pub enum InstallError {
    /// It could not be made durable.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It cannot be loaded.
    #[error("the policy cannot be loaded")]
    Load(#[from] LoadError),
    /// It does not take the settings, or the facets of this host.
    #[error("the policy cannot be configured")]
    Configure(#[from] ConfigureError),
}
