//! Notices what other processes put in force.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;
use std::{fs, io, thread};

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};

use super::store::CURRENT;
use super::swap::Policies;
use crate::artifact::Digest;
use crate::gate::Step;
use crate::shared::TRUST_FILE;

/// Watches a store until it is dropped, and puts in force what it says.
///
/// An event of the system is a hint and nothing more: what counts is whether the bytes
/// of `current.json`, or of the trust file beside it, have changed. Where events get
/// lost, or the system has none, a slow poll finds out.
pub struct Watch {
    stopped: Arc<AtomicBool>,
    hint: Sender<()>,
    thread: Option<JoinHandle<()>>,
    // Events end with it.
    _watcher: Option<RecommendedWatcher>,
}

impl Watch {
    /// Begins to watch the store of these policies; without one there is nothing to see.
    /// Policies are loaded in the thread that this starts, and the old one serves
    /// meanwhile; `progress` is told in that thread.
    ///
    /// # Errors
    ///
    /// No thread can be started. That the system has no events is no error.
    pub fn start(
        policies: &Arc<Policies>,
        progress: impl Fn(Step) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let (hint, hints) = mpsc::channel();
        let stopped = Arc::new(AtomicBool::new(false));
        let mut watch = Self {
            stopped: Arc::clone(&stopped),
            hint: hint.clone(),
            thread: None,
            _watcher: None,
        };
        let Some(store) = policies.store() else {
            return Ok(watch);
        };
        let root = store.root().to_owned();
        // The directory and not the file: a rename puts another file in its place.
        let watcher = notify::recommended_watcher(move |_| {
            let _ = hint.send(());
        });
        watch._watcher = watcher.ok().and_then(|mut watcher| {
            let watching = watcher.watch(&root, RecursiveMode::NonRecursive);
            watching.is_ok().then_some(watcher)
        });
        let policies = Arc::downgrade(policies);
        let run = move || {
            let mut seen = None;
            loop {
                let Some(policies) = policies.upgrade() else {
                    return;
                };
                let now = fingerprint(&root);
                if seen.as_ref() != Some(&now) {
                    seen = Some(now);
                    // Whoever listens to the policies hears why, if it fails.
                    let _ = policies.refresh(&progress);
                }
                drop(policies);
                if !wait(&hints) || stopped.load(Ordering::Relaxed) {
                    return;
                }
            }
        };
        watch.thread = Some(
            thread::Builder::new()
                .name(THREAD_NAME.to_owned())
                .spawn(run)?,
        );
        Ok(watch)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        let _ = self.hint.send(());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Waits for the next look; false when there will be none.
fn wait(hints: &Receiver<()>) -> bool {
    match hints.recv_timeout(POLL) {
        Err(RecvTimeoutError::Disconnected) => return false,
        Err(RecvTimeoutError::Timeout) => return true,
        Ok(()) => {}
    }
    // One change makes several events: look once, when they are through. With a limit,
    // or somebody who writes all the time would be never looked at.
    for _ in 0..SETTLES {
        if hints.recv_timeout(SETTLE) == Err(RecvTimeoutError::Timeout) {
            break;
        }
    }
    true
}

/// What tells one state of a store from another.
fn fingerprint(root: &Path) -> [Option<Digest>; 2] {
    [CURRENT, TRUST_FILE].map(|file| {
        let bytes = fs::read(root.join(file)).ok()?;
        Some(Digest::of(&bytes))
    })
}

const POLL: Duration = Duration::from_secs(5);
const SETTLE: Duration = Duration::from_millis(50);
const SETTLES: usize = 20;

/// At most 15 bytes, or Linux cuts it.
const THREAD_NAME: &str = "negotiator-look";
