//! Every error of this crate: one enum an operation, one variant for each step
//! that can fail.
//!
//! A refusal is not an error: it is a decision, and it has a record. These are
//! for the cases where there is none, or where it had to be made without the
//! policy. Messages name what was expected and what to do, and hold nothing that
//! a peer sent; names out of a component file are escaped and cut.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;
use wasmtime::Trap;

use crate::artifact::{Kind, World};
use crate::types::Fault;

pub use crate::gate::GateError;
pub use crate::policy::{AdmitError, InstallError, StoreError};
pub use crate::trust::error::{
    EnvelopeError, FileError, KeyError, StatementError, TrustError, TrustFileError,
};

/// A file that could not be read as an [`Artifact`](crate::Artifact).
#[derive(Debug, Error)]
pub enum ArtifactError {
    /// The path leads nowhere, or may not be opened.
    #[error("cannot open `{}`", path.display())]
    Open {
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
    /// Reading stopped half-way.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Nothing in it.
    #[error("`{}` is empty", path.display())]
    Empty {
        /// The path.
        path: PathBuf,
    },
    /// More than a component may have.
    #[error("`{}` is larger than {limit} bytes", path.display())]
    TooLarge {
        /// The path.
        path: PathBuf,
        /// The most that is read, in bytes.
        limit: u64,
    },
}

/// Text that is not a [`Digest`](crate::Digest).
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum DigestError {
    /// Does not begin as one.
    #[error("a digest must begin with `sha256:`")]
    Prefix,
    /// Too short or too long.
    #[error("a digest must have 64 hex digits after `sha256:`")]
    Length,
    /// Something else than a hex digit.
    #[error("a digest must be written in the digits 0-9 and a-f, in lower case")]
    Digit,
}

/// Bytes that [`inspect`](crate::inspect) cannot make anything of.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum InspectError {
    /// Not even the first four bytes.
    #[error("not WebAssembly: the file must begin with the bytes 00 61 73 6d")]
    NotWasm,
    /// Begins like WebAssembly and then breaks its rules: truncated, altered, or
    /// made with something that this version cannot read.
    #[error("not valid WebAssembly at byte {offset}: {problem}")]
    Invalid {
        /// How far the file was understood.
        offset: usize,
        /// What is wrong there.
        problem: String,
    },
    /// Types inside types or components inside components, far beyond what any
    /// interface or composition needs.
    #[error("nested too deep to be read, at byte {offset}")]
    NestedTooDeep {
        /// Where it begins.
        offset: usize,
    },
}

/// The engine could not be started.
#[derive(Debug, Error)]
pub enum RuntimeError {
    /// The engine refused its settings; this machine may lack something it needs.
    #[error("cannot start the WebAssembly engine")]
    Engine(#[source] wasmtime::Error),
    /// No thread for the clock that stops a call which takes too long.
    #[error("cannot start the thread that enforces deadlines")]
    Ticker(#[source] io::Error),
}

/// A component that cannot be loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The bytes are no WebAssembly.
    #[error(transparent)]
    Inspect(#[from] InspectError),
    /// A core module where a component is needed.
    #[error("a {found} was given where a component is needed: {HINT_MODULE}")]
    NotAComponent {
        /// What it is.
        found: Kind,
    },
    /// It asks for more than it may have; whoever made it must build it without
    /// these imports.
    #[error(
        "imports what it may not have: {}; it must import {allowed}",
        list(names)
    )]
    Imports {
        /// The names of the imports, escaped and cut; all of them.
        names: Vec<String>,
        /// What it may import, in words: `nothing`, or the policy interface.
        allowed: &'static str,
    },
    /// Its exports, or their types, are not those of the world.
    #[error("does not fit the world `{expected}`: {problem}")]
    WrongWorld {
        /// The world that was needed.
        expected: World,
        /// The world that it does fit, if any.
        found: Option<World>,
        /// The first difference.
        problem: String,
    },
    /// A limit that cannot be enforced.
    #[error("the limit `{field}` {problem}")]
    Limits {
        /// The field of [`Limits`](crate::Limits).
        field: &'static str,
        /// What it must be.
        problem: &'static str,
    },
    /// No machine code could be made of it: it uses a feature that is switched
    /// off, or is too large for the engine.
    #[error("cannot be compiled")]
    Compile(#[source] wasmtime::Error),
    /// It does not fit together with what it imports.
    #[error("cannot be linked")]
    Link(#[source] wasmtime::Error),
}

/// Two components that could not be made one.
#[derive(Debug, Error)]
pub enum ComposeError {
    /// The negotiator is not one whose policy is left open.
    #[error("the negotiator cannot be used")]
    Negotiator(#[source] LoadError),
    /// The policy is none, or imports something.
    #[error("the policy cannot be used")]
    Policy(#[source] LoadError),
    /// More settings than are built in.
    #[error("the settings must be at most {limit} bytes long")]
    SettingsTooLong {
        /// The most, in bytes.
        limit: usize,
    },
    /// The negotiator could not be read.
    #[error("the negotiator cannot be read")]
    Encoding(#[source] InspectError),
    /// What came out is no component of the world `negotiator-closed`.
    #[error("the two do not fit together")]
    Composed(#[source] LoadError),
}

/// A component that could not be configured.
#[derive(Debug, Error)]
pub enum ConfigureError {
    /// The facets, or the policy's settings, break a rule; every fault found.
    #[error("the facets or settings are not valid: {}", faults(.0))]
    Faults(Vec<Fault>),
    /// The component failed before it could answer.
    #[error(transparent)]
    Call(#[from] CallError),
}

/// A call that brought no answer. The instance that made it is gone.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CallError {
    /// No instance could be made: too many at once, or its own start failed.
    #[error("cannot make an instance: {0}")]
    Instantiate(String),
    /// A new instance refused facets and settings that an earlier one took.
    #[error("a new instance refused a configuration that was valid before: {}", faults(.0))]
    Configure(Vec<Fault>),
    /// It executed an instruction that has no result: its own fault.
    #[error("trapped: {0}")]
    Trap(Trap),
    /// It executed more instructions than it may.
    #[error("used up its fuel of {fuel} instructions")]
    OutOfFuel {
        /// The fuel of one call.
        fuel: u64,
    },
    /// It ran longer than it may. The time is the machine's, so a loaded machine
    /// may be at fault; fuel is the exact measure.
    #[error("ran past its deadline of {} ms", deadline.as_millis())]
    Deadline {
        /// The deadline of one call.
        deadline: Duration,
    },
    /// It asked for more memory or table space than it may have, and failed
    /// without it.
    #[error("needs more than its {limit} bytes of memory or {elements} table elements")]
    OutOfMemory {
        /// The most linear memory, in bytes.
        limit: usize,
        /// The most table elements.
        elements: usize,
    },
    /// Its answer is larger than any legal one.
    #[error("answered with more than {limit} bytes")]
    AnswerTooLarge {
        /// The most that is taken from it, in bytes.
        limit: usize,
    },
    /// Its answer is no value of the type that it promised.
    #[error("answered with something that its interface does not allow: {0}")]
    AnswerMalformed(String),
    /// The policy failed, in one of the ways above.
    #[error("the policy failed: {0}")]
    Policy(Box<CallError>),
}

/// An operation on the caller's own data that did not succeed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum OperationError {
    /// The caller gave something outside its grammar, or a decision that the
    /// rules cannot have made.
    #[error("`{}` is not valid: {}", .0.path, .0.problem)]
    Fault(Fault),
    /// The component failed before it could answer.
    #[error(transparent)]
    Call(#[from] CallError),
}

/// An exchange that could not be settled, not even by a refusal.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SettleError {
    /// The context is outside its grammar; nothing was decided. The caller must
    /// correct it.
    #[error("`{}` is not valid: {}", .0.path, .0.problem)]
    Context(Fault),
    /// The component failed, and failed again when it was only asked to refuse.
    /// There is no record: answer with
    /// [`Negotiator::not_durable`](crate::Negotiator::not_durable) and serve nothing.
    #[error("could not decide ({first}) and could not refuse either ({second})")]
    Unanswered {
        /// Why it could not decide.
        first: CallError,
        /// Why it could not refuse.
        second: CallError,
    },
}

/// Text that names no [`Operation`](crate::Operation).
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error(
    "no such operation: it must be one of settle, refuse, decide, record, digest, rounds, fresh, \
     facets, check, task-state"
)]
pub struct UnknownOperation;

fn list(names: &[String]) -> String {
    let mut text = names
        .iter()
        .take(LISTED)
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>();
    if let Some(more) = names.len().checked_sub(LISTED).filter(|more| *more > 0) {
        text.push(format!("and {more} more"));
    }
    text.join(", ")
}

fn faults(faults: &[Fault]) -> String {
    let text = faults
        .iter()
        .map(|fault| format!("{}: {}", fault.path, fault.problem));
    text.collect::<Vec<_>>().join("; ")
}

/// How many names a message lists; the error itself holds them all.
const LISTED: usize = 16;
const HINT_MODULE: &str = "wrap it first, or use it through the canonical ABI";
