//! Discovery, and the logs of runs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Query as Asked, State};
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use axum::routing::get;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::time::timeout;

use super::Shared;
use super::answer::{self, Answer};
use crate::journal::{Query, Scope};

pub(super) fn router() -> Router<Arc<Shared>> {
    Router::new()
        .route("/.well-known/openwop", get(discovery))
        .route("/runs/{run_id}/events/poll", get(poll))
}

async fn discovery(State(shared): State<Arc<Shared>>, request: Request<Body>) -> Answer {
    let headers = request.headers();
    if let Err(answer) = served_major(headers) {
        return answer;
    }
    let text = shared.discovery.to_string();
    let digest: String = Sha256::digest(&text)
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let tag = format!("\"{digest}\"");
    let known = headers.get(header::IF_NONE_MATCH);
    let mut answer = if known.is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        answer::empty(StatusCode::NOT_MODIFIED)
    } else {
        answer::text(200, text)
    };
    if let Ok(tag) = HeaderValue::try_from(tag) {
        answer.headers_mut().insert(header::ETAG, tag);
    }
    answer::openwop(answer)
}

/// Refuses a major version of OpenWOP that is not served; absent is the preferred one.
pub(super) fn served_major(headers: &HeaderMap) -> Result<(), Answer> {
    let Some(version) = headers.get("openwop-version") else {
        return Ok(());
    };
    match version.to_str().unwrap_or_default().split('.').next() {
        Some("2") => Ok(()),
        _ => Err(answer::envelope(
            406,
            "protocol_version_unsupported",
            "This major version is not served",
            json!({ "protocolVersions": ["2.0"] }),
        )),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Poll {
    after_sequence: Option<u64>,
    timeout: Option<u64>,
}

async fn poll(
    State(shared): State<Arc<Shared>>,
    Path(segment): Path<String>,
    Asked(asked): Asked<Poll>,
    headers: HeaderMap,
) -> Answer {
    if let Err(answer) = served_major(&headers) {
        return answer;
    }
    let Some(subject) = shared.credentials.subject(&headers) else {
        return answer::unauthenticated();
    };
    let run_id = segment.replace("~2F", "/");
    if run_id
        .split_once('/')
        .is_none_or(|(tenant, _)| tenant != subject.tenant)
    {
        // A foreign run and none at all look alike.
        return answer::not_found().await;
    }
    let within = Duration::from_secs(asked.timeout.unwrap_or(30).clamp(1, 60));
    let start = Instant::now();
    let mut changes = shared.exchanges.journal().changes();
    let mut ending = shared.ending.subscribe();
    loop {
        changes.borrow_and_update();
        let query = Query::of(Scope::Run {
            run_id: run_id.clone(),
        });
        let Ok(log) = shared.exchanges.journal().read(query).await else {
            return answer::envelope(
                503,
                "service_unavailable",
                "The journal cannot be read",
                Value::Null,
            );
        };
        let log: Vec<_> = log.iter().map(|stored| stored.record.event()).collect();
        if log.is_empty() {
            return answer::not_found().await;
        }
        let page = Page::of(&log, asked.after_sequence);
        let left = within.saturating_sub(start.elapsed());
        if !page.events.is_empty() || page.terminal || left.is_zero() {
            return answer::openwop(answer::text(200, page.text(&run_id)));
        }
        tokio::select! {
            _ = ending.wait_for(|ending| *ending) => {
                return answer::openwop(answer::text(200, page.text(&run_id)));
            }
            _ = timeout(left.min(Duration::from_secs(1)), changes.changed()) => {}
        }
    }
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    sequence: i64,
}

struct Page<'a> {
    events: Vec<&'a str>,
    last: i64,
    status: &'static str,
    terminal: bool,
}

impl<'a> Page<'a> {
    fn of(log: &[&'a str], after: Option<u64>) -> Self {
        let mut page = Self {
            events: vec![],
            last: -1,
            status: "running",
            terminal: false,
        };
        for text in log {
            let Ok(event) = serde_json::from_str::<Event>(text) else {
                continue;
            };
            match event.kind.as_str() {
                "run.completed" => (page.status, page.terminal) = ("completed", true),
                "run.failed" => (page.status, page.terminal) = ("failed", true),
                _ => {}
            }
            let sequence = u64::try_from(event.sequence).unwrap_or(0);
            if after.is_none_or(|after| sequence > after) {
                page.events.push(text);
                page.last = event.sequence;
            }
        }
        page
    }

    fn text(&self, run_id: &str) -> String {
        let events: Vec<&RawValue> = self
            .events
            .iter()
            .filter_map(|event| serde_json::from_str(event).ok())
            .collect();
        let events = serde_json::to_string(&events).unwrap_or_else(|_| "[]".to_owned());
        let rest = json!({
            "runId": run_id, "lastSequence": self.last,
            "status": self.status, "isTerminal": self.terminal,
        });
        // The events stay byte for byte what was appended.
        let rest = rest.to_string();
        let rest = rest.strip_prefix('{').unwrap_or_default();
        format!(r#"{{"events":{events},{rest}"#)
    }
}
