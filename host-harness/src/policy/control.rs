//! How an operator reaches a running host: a Unix socket in its store.
//!
//! ```text
//! DIR/control.sock   one request a connection, JSON in a line; answers a line each
//! DIR/host.lock      held by the host that answers there
//! ```
//!
//! The socket is for its owner alone (0600), in a directory that only its owner may look
//! into. Requests name files by absolute paths, which the host reads itself; the last
//! line of an answer has `done` or `failed`, those before it say what is being done.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::admission::Offer;
use super::error::{AdmitError, InstallError, StoreError};
use super::generation::By;
use super::state::Entry;
use super::swap::{Policies, Status};
use crate::artifact::Artifact;
use crate::gate::{GateError, Replay, Report, Step};
use crate::shared::chain;
use crate::trust::Envelope;

/// What an operator asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Request {
    /// Put a policy in force.
    Install(Install),
    /// Go back to the generation before.
    Rollback,
    /// What is in force.
    Status,
}

/// The files of a policy, as absolute paths, and what is allowed for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Install {
    /// The component.
    pub policy: PathBuf,
    /// Its settings; none for the empty text.
    pub settings: Option<PathBuf>,
    /// The signed statement about it.
    pub envelope: Option<PathBuf>,
    /// Requests to settle again, one a line.
    pub replay: Option<PathBuf>,
    /// Where the gate's report goes.
    pub report: Option<PathBuf>,
    /// Whether it may loosen what is in force.
    pub allow_loosening: bool,
    /// Whether it may come in without trust.
    pub allow_untrusted: bool,
}

/// A line of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line {
    /// What is being done.
    Step(String),
    /// It is done; what is in force now.
    Done(Box<Told>),
    /// It is not done; what was in force still is.
    Failed(Failed),
}

/// What is in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Told {
    /// None before the first policy.
    pub current: Option<Entry>,
    /// What a rollback leads to.
    pub previous: Option<Entry>,
    /// Whether that takes no time.
    pub previous_is_warm: bool,
    /// How often the policy in force has failed, in this process.
    pub failures: u64,
    /// Why what the store says is not in force.
    pub problem: Option<String>,
    /// Of an install: what the gate found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Report>,
}

/// Why something was not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failed {
    /// Whose fault it is.
    pub kind: Kind,
    /// In words.
    pub problem: String,
    /// What the gate found, where that is why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Box<Report>>,
}

/// Whose fault a failure is; they have different exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The answer is no: the gate, or nothing to go back to.
    No,
    /// A file or the request cannot be read, or the store not be written.
    Unreadable,
    /// The policy is not trusted, or cannot be loaded.
    Policy,
}

/// Does what a request asks for.
pub fn perform(policies: &Policies, request: &Request, step: &(dyn Fn(Step) + Sync)) -> Line {
    let done = match request {
        Request::Status => Ok(None),
        Request::Rollback => policies.rollback().map(|_| None).map_err(Failed::from),
        Request::Install(install) => self::install(policies, install, step).map(Some),
    };
    match done {
        Ok(report) => Line::Done(Box::new(Told::of(policies.status(), report))),
        Err(failed) => Line::Failed(failed),
    }
}

fn install(
    policies: &Policies,
    install: &Install,
    step: &(dyn Fn(Step) + Sync),
) -> Result<Report, Failed> {
    let artifact = Artifact::from_file(&install.policy).map_err(Failed::unreadable)?;
    let mut offer = Offer::new(artifact)
        .allow_loosening(install.allow_loosening)
        .allow_untrusted(install.allow_untrusted);
    if let Some(path) = &install.settings {
        offer = offer.settings(text(path, MAX_SETTINGS)?);
    }
    if let Some(path) = &install.envelope {
        offer = offer.envelope(Envelope::from_file(path).map_err(Failed::unreadable)?);
    }
    if let Some(path) = &install.replay {
        let lines = text(path, MAX_REPLAY)?;
        let lines = lines.lines().filter(|line| !line.trim().is_empty());
        offer = offer.replaying(Replay::new(lines.map(Replay::request)));
    }
    let write = |report: &Report| match &install.report {
        Some(path) => fs::write(path, report.to_json()).map_err(|error| Failed {
            kind: Kind::Unreadable,
            problem: format!("cannot write `{}`: {error}", path.display()),
            report: None,
        }),
        None => Ok(()),
    };
    let gated = match policies.admit(&offer, step) {
        Ok(gated) => gated,
        Err(error) => {
            let failed = Failed::from(error);
            if let Some(report) = &failed.report {
                write(report)?;
            }
            return Err(failed);
        }
    };
    let report = gated.report().clone();
    write(&report)?;
    policies.install(gated)?;
    Ok(report)
}

/// Answers requests until it is dropped.
#[derive(Debug)]
pub struct Control {
    path: PathBuf,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    _lock: File,
}

impl Control {
    /// Begins to answer in the store of these policies. Nothing where there is no store,
    /// or where another host answers there already.
    ///
    /// # Errors
    ///
    /// The socket cannot be made: its path is too long, say (a hundred bytes).
    pub fn start(policies: &Arc<Policies>) -> io::Result<Option<Self>> {
        let Some(store) = policies.store() else {
            return Ok(None);
        };
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        let lock = options.open(store.root().join(HOST_LOCK))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Ok(None),
            Err(fs::TryLockError::Error(error)) => return Err(error),
        }
        let path = store.root().join(SOCKET);
        // Left over from a host that was killed: nobody holds the lock.
        let _ = fs::remove_file(&path);
        let listener = UnixListener::bind(&path)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        let stopped = Arc::new(AtomicBool::new(false));
        let until = Arc::clone(&stopped);
        let policies = Arc::downgrade(policies);
        let open = Arc::new(AtomicUsize::new(0));
        let run = move || {
            for connection in listener.incoming() {
                let Some(policies) = policies.upgrade() else {
                    return;
                };
                if until.load(Ordering::Relaxed) {
                    return;
                }
                let Ok(connection) = connection else { continue };
                // An install takes seconds; who asks for the status need not wait.
                if open.fetch_add(1, Ordering::Relaxed) >= MOST {
                    open.fetch_sub(1, Ordering::Relaxed);
                    continue;
                }
                let closed = Arc::clone(&open);
                let answer = move || {
                    // Whoever asked may have gone away.
                    let _ = answer(&policies, &connection);
                    closed.fetch_sub(1, Ordering::Relaxed);
                };
                let started = thread::Builder::new()
                    .name("negotiator-ctl".to_owned())
                    .spawn(answer);
                if started.is_err() {
                    open.fetch_sub(1, Ordering::Relaxed);
                }
            }
        };
        let thread = thread::Builder::new()
            .name("negotiator-ctl".to_owned())
            .spawn(run)?;
        Ok(Some(Self {
            path,
            stopped,
            thread: Some(thread),
            _lock: lock,
        }))
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        // Wakes the thread up, which then sees that it is to end.
        let woken = UnixStream::connect(&self.path).is_ok();
        let _ = fs::remove_file(&self.path);
        if let Some(thread) = self.thread.take().filter(|_| woken) {
            let _ = thread.join();
        }
    }
}

fn answer(policies: &Policies, connection: &UnixStream) -> io::Result<()> {
    connection.set_read_timeout(Some(PATIENCE))?;
    connection.set_write_timeout(Some(PATIENCE))?;
    let mut line = String::new();
    BufReader::new(connection.take(MAX_REQUEST)).read_line(&mut line)?;
    let last = match serde_json::from_str(&line) {
        Ok(request) => perform(policies, &request, &|step| {
            // Nobody need listen.
            let _ = write(connection, &Line::Step(step.to_string()));
        }),
        Err(error) => Line::Failed(Failed {
            kind: Kind::Unreadable,
            problem: format!("the request cannot be read, at column {}", error.column()),
            report: None,
        }),
    };
    write(connection, &last)
}

fn write(mut connection: &UnixStream, line: &Line) -> io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    connection.write_all(&text)
}

/// Asks the host that runs on a store. Nothing when none does; `step` is told what the
/// host is doing.
///
/// # Errors
///
/// The host went away before it was done.
pub fn ask(
    store: &Path,
    request: &Request,
    mut step: impl FnMut(&str),
) -> io::Result<Option<Line>> {
    let Ok(mut connection) = UnixStream::connect(store.join(SOCKET)) else {
        return Ok(None);
    };
    let mut text = serde_json::to_vec(request)?;
    text.push(b'\n');
    connection.write_all(&text)?;
    for line in BufReader::new(connection.take(MAX_ANSWER)).lines() {
        match serde_json::from_str(&line?)? {
            Line::Step(text) => step(&text),
            last => return Ok(Some(last)),
        }
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}

impl Told {
    /// What a status says, with the report of an install or without.
    #[must_use]
    pub fn of(status: Status, report: Option<Report>) -> Self {
        Self {
            current: status.current,
            previous: status.previous,
            previous_is_warm: status.previous_is_warm,
            failures: status.failures,
            problem: status.problem,
            report,
        }
    }

    /// What names the policy in force.
    #[must_use]
    pub fn by(&self) -> By {
        By::of(self.current.as_ref())
    }
}

impl Failed {
    fn unreadable(error: impl std::error::Error + 'static) -> Self {
        Self {
            kind: Kind::Unreadable,
            problem: chain(&error),
            report: None,
        }
    }
}

impl From<AdmitError> for Failed {
    fn from(error: AdmitError) -> Self {
        let problem = chain(&error);
        let (kind, report) = match error {
            AdmitError::Gate(GateError::Failed(report)) => (Kind::No, Some(report)),
            AdmitError::Gate(GateError::Configure(_) | GateError::TooSlow) => (Kind::No, None),
            AdmitError::Store(_) | AdmitError::TrustFile { .. } => (Kind::Unreadable, None),
            AdmitError::Untrusted(_)
            | AdmitError::BypassNotAllowed
            | AdmitError::Load(_)
            | AdmitError::Gate(_)
            | AdmitError::Configure(_) => (Kind::Policy, None),
        };
        Self {
            kind,
            problem,
            report,
        }
    }
}

impl From<InstallError> for Failed {
    fn from(error: InstallError) -> Self {
        let kind = match &error {
            InstallError::Overtaken | InstallError::NothingBefore => Kind::No,
            InstallError::Store(_) => Kind::Unreadable,
            InstallError::Configure(_) | InstallError::Admit(_) => Kind::Policy,
        };
        Self {
            kind,
            problem: chain(&error),
            report: None,
        }
    }
}

fn text(path: &Path, limit: u64) -> Result<String, Failed> {
    super::store::read(path, limit)
        .and_then(|bytes| {
            String::from_utf8(bytes)
                .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "must be UTF-8 text"))
        })
        .map_err(|source| {
            Failed::unreadable(StoreError::Io {
                path: path.to_owned(),
                source,
            })
        })
}

const SOCKET: &str = "control.sock";
const HOST_LOCK: &str = "host.lock";

/// Connections at a time.
const MOST: usize = 8;
/// How long one end waits for the other to read or write a line.
const PATIENCE: Duration = Duration::from_secs(10);

const MAX_REQUEST: u64 = 64 * 1024;
const MAX_ANSWER: u64 = 64 * 1024 * 1024;
const MAX_SETTINGS: u64 = 256 * 1024;
const MAX_REPLAY: u64 = 256 * 1024 * 1024;
