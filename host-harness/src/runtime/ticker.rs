//! The clock behind deadlines: one thread an engine.

use std::io;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use wasmtime::Engine;

/// Moves the engine's epoch on, one step an interval, until it is dropped.
///
/// ```text
/// interval   |----|----|----|----|----|----|
/// thread     tick tick (not scheduled)  tick tick
/// epoch      1    2                     3    4
/// ```
///
/// A thread that was not scheduled for a while goes on with a single step. Were it
/// to catch up on the steps it missed, a loaded machine would end every call at
/// once, however briefly each of them had run.
pub(super) struct Ticker {
    every: Duration,
    // Hanging up is the signal to stop.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    pub(super) fn start(engine: &Engine, every: Duration) -> io::Result<Self> {
        // Weak, so that this thread is never what keeps an engine alive.
        let engine = engine.weak();
        let (stop, stopped) = mpsc::channel::<()>();
        let tick = move || {
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(every) {
                let Some(engine) = engine.upgrade() else {
                    return;
                };
                engine.increment_epoch();
            }
        };
        let thread = thread::Builder::new()
            .name(THREAD_NAME.to_owned())
            .spawn(tick)?;
        Ok(Self {
            every,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// The interval.
    pub(super) fn every(&self) -> Duration {
        self.every
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // The thread has nothing to report, and it cannot panic.
            let _ = thread.join();
        }
    }
}

/// At most 15 bytes, or Linux cuts it.
const THREAD_NAME: &str = "negotiator-tick";
