//! For operators: alive, ready, the counters, and the console.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::routing::get;
use tokio::time::timeout;

use super::answer::{self, Answer};
use super::{Shared, console};

pub(super) fn router(shared: &Arc<Shared>) -> Router {
    let console = shared.config.console.then(|| console::router(shared));
    Router::new()
        .route(
            "/healthz",
            get(async || answer::empty(StatusCode::NO_CONTENT)),
        )
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .with_state(Arc::clone(shared))
        .merge(console.unwrap_or_default())
}

/// Ready means that the journal answers, and that this host does not want to end.
async fn ready(State(shared): State<Arc<Shared>>) -> Answer {
    let last = timeout(PATIENCE, shared.exchanges.journal().last()).await;
    let answers = matches!(last, Ok(Ok(_)));
    answer::empty(if answers && !*shared.ending.borrow() {
        StatusCode::NO_CONTENT
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    })
}

async fn metrics(State(shared): State<Arc<Shared>>) -> Answer {
    let mut answer = answer::text(200, shared.exchanges.metrics().text());
    let text =
        HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    answer.headers_mut().insert(header::CONTENT_TYPE, text);
    answer
}

const PATIENCE: Duration = Duration::from_secs(2);
