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

mod words;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::admission::Offer;
use super::error::StoreError;
use super::swap::Policies;
use crate::artifact::Artifact;
use crate::gate::{Replay, Report, Step};
use crate::trust::Envelope;

pub use words::{Failed, Install, Kind, Line, Request, Told};

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
