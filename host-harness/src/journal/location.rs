//! Where a journal is.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::JournalError;

/// Where a journal is: a path (SQLite), or `postgres://…`.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// A file; two more beside it while it is open.
    Sqlite {
        /// The path.
        path: PathBuf,
        /// How sure an append must be.
        sync: Sync,
    },
    /// A PostgreSQL database.
    #[cfg(feature = "postgres")]
    Postgres {
        /// The URL, password and all.
        url: String,
    },
}

/// How sure an append must be before it is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sync {
    /// It survives the loss of power.
    #[default]
    Full,
    /// It survives the end of this process and not the loss of power. Only to measure what the
    /// difference costs: rule R15 does not hold.
    Off,
}

impl FromStr for Location {
    type Err = JournalError;

    fn from_str(text: &str) -> Result<Self, JournalError> {
        if ["postgres://", "postgresql://"]
            .iter()
            .any(|scheme| text.starts_with(scheme))
        {
            #[cfg(feature = "postgres")]
            return Ok(Self::Postgres {
                url: text.to_owned(),
            });
            #[cfg(not(feature = "postgres"))]
            return Err(JournalError::Location);
        }
        if text.is_empty() || text.contains("://") {
            return Err(JournalError::Location);
        }
        Ok(Self::Sqlite {
            path: text.into(),
            sync: Sync::Full,
        })
    }
}

/// Without the URL, which may hold a password.
impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite { path, sync } => f
                .debug_struct("Sqlite")
                .field("path", path)
                .field("sync", sync)
                .finish(),
            #[cfg(feature = "postgres")]
            Self::Postgres { .. } => f.write_str("Postgres"),
        }
    }
}
