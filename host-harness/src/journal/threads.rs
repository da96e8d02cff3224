//! Two threads, each with a connection of its own: one writes, one reads.
//!
//! Databases block, and what they do belongs on no thread of an asynchronous program. And one writer
//! is what lets many appends share one sync: while it waits for the disk, the next ones gather.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::task::{Context, Poll};
use std::thread;

use tokio::sync::{oneshot, watch};

use super::backend::Backend;
use super::{JournalError, Record};

/// An answer of the journal: await it, or [`Answer::wait`] where nothing is asynchronous.
#[derive(Debug)]
pub struct Answer<T>(oneshot::Receiver<Result<T, JournalError>>);

impl<T> Answer<T> {
    /// Blocks until the answer is there; not for asynchronous code.
    ///
    /// # Errors
    ///
    /// What was asked for failed.
    pub fn wait(self) -> Result<T, JournalError> {
        self.0.blocking_recv().unwrap_or(Err(JournalError::Stopped))
    }
}

impl<T> Future for Answer<T> {
    type Output = Result<T, JournalError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0)
            .poll(context)
            .map(|answer| answer.unwrap_or(Err(JournalError::Stopped)))
    }
}

#[derive(Clone, Debug)]
pub(super) struct Threads {
    writer: SyncSender<Write>,
    reader: SyncSender<Task>,
    changes: Arc<watch::Sender<u64>>,
}

type Task = Box<dyn FnOnce(&mut dyn Backend) + Send>;

enum Write {
    Append(Append),
    Task(Task),
}

struct Append {
    records: Vec<Record>,
    answer: oneshot::Sender<Result<u64, JournalError>>,
}

impl Threads {
    pub(super) fn start(
        mut writer: Box<dyn Backend>,
        mut reader: Box<dyn Backend>,
    ) -> Result<Self, JournalError> {
        let last = reader.head()?.id;
        let changes = Arc::new(watch::Sender::new(last));
        let (writes, queue) = mpsc::sync_channel(WAITING);
        let told = Arc::clone(&changes);
        spawn("journal-writer", move || {
            write(&mut *writer, &queue, &told);
        })?;
        let (reads, tasks) = mpsc::sync_channel::<Task>(WAITING);
        spawn("journal-reader", move || {
            for task in tasks {
                task(&mut *reader);
            }
        })?;
        Ok(Self {
            writer: writes,
            reader: reads,
            changes,
        })
    }

    pub(super) fn append(&self, records: Vec<Record>) -> Answer<u64> {
        let (answer, receiver) = oneshot::channel();
        let append = Append { records, answer };
        if let Err(
            TrySendError::Full(Write::Append(append))
            | TrySendError::Disconnected(Write::Append(append)),
        ) = self.writer.try_send(Write::Append(append))
        {
            let _ = append.answer.send(Err(JournalError::Busy));
        }
        Answer(receiver)
    }

    pub(super) fn read<T: Send + 'static>(
        &self,
        task: impl FnOnce(&mut dyn Backend) -> Result<T, JournalError> + Send + 'static,
    ) -> Answer<T> {
        let (answer, receiver) = oneshot::channel();
        // A queue that is full drops the task and with it the sender: an answer, too.
        let _ = self.reader.try_send(Box::new(move |backend| {
            let _ = answer.send(task(backend));
        }));
        Answer(receiver)
    }

    pub(super) fn write<T: Send + 'static>(
        &self,
        task: impl FnOnce(&mut dyn Backend) -> Result<T, JournalError> + Send + 'static,
    ) -> Answer<T> {
        let (answer, receiver) = oneshot::channel();
        let _ = self.writer.try_send(Write::Task(Box::new(move |backend| {
            let _ = answer.send(task(backend));
        })));
        Answer(receiver)
    }

    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), JournalError> {
    let thread = thread::Builder::new().name(name.to_owned()).spawn(run);
    thread.map(drop).map_err(|_| JournalError::Stopped)
}

/// Until nobody can append any more.
fn write(backend: &mut dyn Backend, queue: &Receiver<Write>, changes: &watch::Sender<u64>) {
    while let Ok(first) = queue.recv() {
        let mut batch = Vec::new();
        let mut next = Some(first);
        let mut task = None;
        while let Some(write) = next.take() {
            match write {
                Write::Append(append) => batch.push(append),
                Write::Task(found) => {
                    task = Some(found);
                    break;
                }
            }
            if batch.len() < TOGETHER {
                next = queue.try_recv().ok();
            }
        }
        commit(backend, batch, changes);
        if let Some(task) = task {
            task(backend);
        }
    }
}

/// One sync for all of them. Where one breaks a rule of the journal, each goes on its own, so that the
/// others do not pay for it.
fn commit(backend: &mut dyn Backend, mut batch: Vec<Append>, changes: &watch::Sender<u64>) {
    // Nobody waits for these any more: their exchange was refused.
    batch.retain(|append| !append.answer.is_closed());
    let records: Vec<Record> = batch
        .iter_mut()
        .flat_map(|append| append.records.iter().cloned())
        .collect();
    if records.is_empty() {
        for append in batch {
            let _ = append.answer.send(backend.head().map(|head| head.id));
        }
        return;
    }
    match backend.append(&records) {
        Err(JournalError::Rejected) if batch.len() > 1 => {
            for append in batch {
                let appended = backend.append(&append.records);
                tell(&appended, changes);
                let _ = append.answer.send(appended);
            }
        }
        appended => {
            tell(&appended, changes);
            for append in batch {
                let _ = append.answer.send(appended.clone());
            }
        }
    }
}

fn tell(appended: &Result<u64, JournalError>, changes: &watch::Sender<u64>) {
    if let Ok(last) = appended {
        changes.send_replace(*last);
    }
}

/// Appends that may wait; more are refused at once.
const WAITING: usize = 4096;
/// Appends that share one sync at most.
const TOGETHER: usize = 512;
