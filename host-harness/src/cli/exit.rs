//! How a run ends: a code for scripts, a sentence for people.

use std::io::{self, ErrorKind};
use std::process::ExitCode;

use super::words;

/// The exit codes; the higher one wins where several apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Done.
    Done = 0,
    /// The answer is no.
    No = 1,
    /// The request or a file could not be read, or the answer not be written.
    Unreadable = 2,
    /// The component could not be loaded or trusted, or failed.
    Component = 3,
    /// The journal could not be opened, read or written.
    #[cfg(feature = "journal")]
    Journal = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command stopped before its end.
pub(crate) enum Failure {
    /// Whoever reads the answers has had enough, as `head` does: no error.
    NobodyReads,
    /// Anything else.
    Stopped {
        /// The code to end with.
        exit: Exit,
        /// What happened, and why.
        error: anyhow::Error,
    },
}

impl Failure {
    /// Something that could not be read, in words of our own.
    pub(crate) fn unreadable(message: String) -> Self {
        Self::Stopped {
            exit: Exit::Unreadable,
            error: anyhow::Error::msg(message),
        }
    }

    /// A component that failed, in words of our own.
    pub(crate) fn component(message: String) -> Self {
        Self::Stopped {
            exit: Exit::Component,
            error: anyhow::Error::msg(message),
        }
    }

    /// A journal that failed.
    #[cfg(feature = "journal")]
    pub(crate) fn journal(error: negotiator::journal::JournalError) -> Self {
        Self::Stopped {
            exit: Exit::Journal,
            error: anyhow::Error::new(error),
        }
    }

    /// Answers that could not be written.
    pub(crate) fn unwritable(error: io::Error) -> Self {
        if error.kind() == ErrorKind::BrokenPipe {
            return Self::NobodyReads;
        }
        Self::Stopped {
            exit: Exit::Unreadable,
            error: anyhow::Error::new(error).context("cannot write to standard output"),
        }
    }

    /// Says on standard error what happened.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            Self::NobodyReads => Exit::Done.into(),
            Self::Stopped { exit, error } => {
                words::error(&format!("{error:#}"));
                exit.into()
            }
        }
    }
}

/// Gives an error the exit code that it leads to.
pub(crate) trait OrExit<T> {
    /// The request or a file could not be read.
    fn or_unreadable(self, context: impl Into<String>) -> Result<T, Failure>;
    /// The component could not be loaded, or failed.
    fn or_component(self, context: impl Into<String>) -> Result<T, Failure>;
}

impl<T, E: std::error::Error + Send + Sync + 'static> OrExit<T> for Result<T, E> {
    fn or_unreadable(self, context: impl Into<String>) -> Result<T, Failure> {
        self.map_err(|error| stopped(Exit::Unreadable, error, context.into()))
    }

    fn or_component(self, context: impl Into<String>) -> Result<T, Failure> {
        self.map_err(|error| stopped(Exit::Component, error, context.into()))
    }
}

fn stopped(
    exit: Exit,
    error: impl std::error::Error + Send + Sync + 'static,
    context: String,
) -> Failure {
    Failure::Stopped {
        exit,
        error: anyhow::Error::new(error).context(context),
    }
}
