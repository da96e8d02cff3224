//! Host events, live and from where a subscriber left off (RFC 0236).

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, header};
use axum::routing::get;
use hyper::body::Frame;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use super::Shared;
use super::answer::{self, Answer};
use super::runs::served_major;
use crate::journal::{Journal, Query, Scope, Stored};
use crate::types::Subject;

pub(super) fn router() -> Router<Arc<Shared>> {
    Router::new().route("/host/events", get(subscribe))
}

async fn subscribe(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Answer {
    if let Err(answer) = served_major(&headers) {
        return answer;
    }
    let Some(subject) = shared.credentials.subject(&headers) else {
        return answer::unauthenticated();
    };
    let journal = shared.exchanges.journal();
    let Ok(after) = start(journal, subject, &headers).await else {
        return answer::envelope(
            503,
            "service_unavailable",
            "The journal cannot be read",
            serde_json::Value::Null,
        );
    };
    let scope = Scope::Host {
        tenant: subject.tenant.clone(),
        workspace: subject.workspace.clone(),
    };
    answer::openwop(stream(&shared, scope, after))
}

/// The events of a scope behind an id in the journal, and then each as it is made.
pub(super) fn stream(shared: &Shared, scope: Scope, after: u64) -> Answer {
    let journal = shared.exchanges.journal();
    let (frames, receiver) = mpsc::channel(AHEAD);
    let subscriber = Subscriber {
        journal: journal.clone(),
        scope,
        changes: journal.changes(),
        ending: shared.ending.subscribe(),
        frames,
    };
    tokio::spawn(subscriber.deliver(after));
    let mut response = Response::new(Body::new(Frames(receiver)));
    let headers = response.headers_mut();
    let event_stream = HeaderValue::from_static("text/event-stream");
    headers.insert(header::CONTENT_TYPE, event_stream);
    let no_cache = HeaderValue::from_static("no-cache");
    headers.insert(header::CACHE_CONTROL, no_cache);
    response
}

/// The id in the journal to begin behind: that of `Last-Event-ID` if it is the caller's, else now.
async fn start(
    journal: &Journal,
    subject: &Subject,
    headers: &HeaderMap,
) -> Result<u64, crate::journal::JournalError> {
    let last = headers.get(&LAST_EVENT_ID);
    if let Some(last) = last.and_then(|last| last.to_str().ok()) {
        let found = journal.find(last.to_owned()).await?;
        if let Some(stored) = found.filter(|stored| owns(subject, stored)) {
            return Ok(stored.id);
        }
    }
    journal.last().await
}

fn owns(subject: &Subject, stored: &Stored) -> bool {
    stored.record.tenant() == Some(&subject.tenant)
        && stored.record.workspace() == subject.workspace.as_deref()
}

/// A subscriber reads the journal at its own pace: one that is slow keeps nothing but its place.
struct Subscriber {
    journal: Journal,
    scope: Scope,
    changes: watch::Receiver<u64>,
    ending: watch::Receiver<bool>,
    frames: mpsc::Sender<Bytes>,
}

impl Subscriber {
    /// Until the subscriber goes, the host ends, or the journal fails.
    async fn deliver(mut self, mut after: u64) {
        // Headers leave with the first bytes.
        if self
            .frames
            .send(Bytes::from_static(b": here\n\n"))
            .await
            .is_err()
        {
            return;
        }
        let mut quiet = Duration::ZERO;
        loop {
            self.changes.borrow_and_update();
            let query = Query::of(self.scope.clone()).after(after).limit(PAGE);
            let Ok(page) = self.journal.read(query).await else {
                return;
            };
            let full = page.len() >= PAGE as usize;
            for stored in page {
                after = stored.id;
                quiet = Duration::ZERO;
                if self.frames.send(frame(&stored)).await.is_err() {
                    return;
                }
            }
            if full {
                continue;
            }
            tokio::select! {
                _ = self.ending.wait_for(|ending| *ending) => return,
                () = self.frames.closed() => return,
                // Other hosts may append to the same journal: look even if nothing was told.
                changed = timeout(LOOK, self.changes.changed()) => match changed {
                    Ok(Err(_)) => return,
                    Ok(Ok(())) => {}
                    Err(_) => quiet = quiet.saturating_add(LOOK),
                },
            }
            if quiet >= KEEP_ALIVE {
                quiet = Duration::ZERO;
                if self
                    .frames
                    .send(Bytes::from_static(b": still here\n\n"))
                    .await
                    .is_err()
                {
                    return;
                }
            }
        }
    }
}

/// The envelope is compact JSON, so it has no line ends.
fn frame(stored: &Stored) -> Bytes {
    let record = &stored.record;
    let text = format!(
        "event: negotiation.decided\nid: {}\ndata: {}\n\n",
        record.event_id(),
        record.event()
    );
    Bytes::from(text)
}

/// The body of a subscription.
struct Frames(mpsc::Receiver<Bytes>);

impl hyper::body::Body for Frames {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0
            .poll_recv(context)
            .map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// What a subscriber saw last.
pub(super) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// Frames that wait for a slow subscriber; the rest stays in the journal.
const AHEAD: usize = 16;
const PAGE: u32 = 64;
const LOOK: Duration = Duration::from_secs(1);
const KEEP_ALIVE: Duration = Duration::from_secs(15);
