//! For operators to look at: what is decided now, what was decided, and what a candidate would change.
//!
//! Whoever reaches this can go back to the policy before, so it is served only where an operator asks
//! for it, beside the metrics. The operator's browser shows other pages, too, and none of them may
//! reach through it: the host must be named by an address (a name could be made to point here), and
//! whatever does something must come from this page.

mod candidate;
mod matrix;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::{self, Next};
use axum::response::IntoResponse as _;
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::{self, Answer};
use super::{Shared, events};
use crate::journal::Scope;
use crate::policy::control::{Failed, Kind, Told};
use crate::policy::{Policies, State as Generations};

pub(super) fn router(shared: &Arc<Shared>) -> Router {
    Router::new()
        .route(
            "/console",
            get(async || page("text/html; charset=utf-8", PAGE)),
        )
        .route(
            "/console/console.css",
            get(async || page("text/css; charset=utf-8", STYLE)),
        )
        .route(
            "/console/console.js",
            get(async || page("text/javascript; charset=utf-8", SCRIPT)),
        )
        .route("/console/matrix", get(matrix::show))
        .route("/console/records", get(records))
        .route("/console/policies", get(policies))
        .route("/console/rollback", post(rollback))
        .route(
            "/console/candidate",
            post(candidate::compare).layer(DefaultBodyLimit::max(candidate::MOST)),
        )
        .layer(middleware::from_fn(guard))
        .with_state(Arc::clone(shared))
}

/// Lets the operator's own page in, and no other.
async fn guard(request: Request, next: Next) -> Answer {
    let headers = request.headers();
    let Some(host) = text(headers, &header::HOST).filter(|host| is_address(host)) else {
        return answer::envelope(
            421,
            "misdirected_request",
            "Name the console by its IP address, or as localhost",
            Value::Null,
        );
    };
    let origin = text(headers, &header::ORIGIN).and_then(|origin| {
        let rest = origin.strip_prefix("http://");
        rest.or_else(|| origin.strip_prefix("https://"))
    });
    if request.method() != Method::GET && origin != Some(host) {
        return answer::envelope(
            403,
            "forbidden",
            "Only the console's own page may ask for this",
            Value::Null,
        );
    }
    let mut answer = next.run(request).await;
    for (name, value) in ALWAYS {
        let name = HeaderName::from_static(name);
        answer
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    answer
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Whether a `Host` is an address, or what browsers themselves resolve to one.
fn is_address(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let name = host.split_once(':').map_or(host, |(name, _)| name);
    host.parse::<SocketAddr>().is_ok() || bare.parse::<IpAddr>().is_ok() || {
        let port = host
            .strip_prefix(name)
            .and_then(|port| port.strip_prefix(':'));
        let is_address = name == "localhost" || name.parse::<IpAddr>().is_ok();
        is_address && port.is_none_or(|port| port.parse::<u16>().is_ok())
    }
}

fn page(kind: &'static str, text: &'static str) -> Answer {
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

/// Everybody's records: the last of them, and then each as it is made.
async fn records(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Answer {
    let journal = shared.exchanges.journal();
    let seen = match text(&headers, &events::LAST_EVENT_ID) {
        Some(seen) => journal.find(seen.to_owned()).await,
        None => Ok(None),
    };
    let after = match seen {
        Ok(Some(stored)) => Ok(stored.id),
        Ok(None) => journal.last().await.map(|last| last.saturating_sub(SHOWN)),
        Err(error) => Err(error),
    };
    match after {
        Ok(after) => events::stream(&shared, Scope::All, after),
        Err(_) => unavailable("The journal cannot be read"),
    }
}

/// What is in force, what a rollback leads to, and what was before.
async fn policies(State(shared): State<Arc<Shared>>) -> Answer {
    let Some(policies) = shared.exchanges.policies() else {
        return answer::json(200, &json!({ "inside": true }));
    };
    let policies = Arc::clone(policies);
    // It waits for an installation that is under way.
    match tokio::task::spawn_blocking(move || told(&policies)).await {
        Ok(Some(told)) => answer::json(200, &told),
        _ => unavailable("The directory of policies cannot be read"),
    }
}

fn told(policies: &Policies) -> Option<Value> {
    let told = Told::of(policies.status(), None);
    let state = policies.store().map(crate::policy::Store::state);
    let state = state.transpose().ok()?.flatten();
    let history = state.as_ref().map_or(&[][..], Generations::history);
    Some(json!({ "inside": false, "told": told, "history": history }))
}

/// Which generation the operator saw in force.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Seen {
    generation: u64,
}

async fn rollback(State(shared): State<Arc<Shared>>, body: String) -> Answer {
    let Some(policies) = shared.exchanges.policies() else {
        return inside();
    };
    let Ok(Seen { generation }) = serde_json::from_str(&body) else {
        return unread("The body must be {\"generation\": N}, N being the one in force");
    };
    let policies = Arc::clone(policies);
    let done = tokio::task::spawn_blocking(move || {
        policies.rollback_from(generation).map_err(Failed::from)?;
        Ok(told(&policies))
    });
    match done.await {
        Ok(Ok(Some(told))) => answer::json(200, &told),
        Ok(Err(failed)) => self::failed(&failed),
        _ => unavailable("It is not known whether it was done"),
    }
}

fn failed(failed: &Failed) -> Answer {
    let (status, code) = match failed.kind {
        Kind::No => (409, "conflict"),
        Kind::Policy => (422, "policy_not_taken"),
        Kind::Unreadable => (503, "service_unavailable"),
    };
    let report = json!({ "report": failed.report });
    answer::envelope(status, code, &failed.problem, report)
}

fn inside() -> Answer {
    let message = "The policy inside the component decides; `policies` names a directory of others";
    answer::envelope(409, "conflict", message, Value::Null)
}

fn unread(message: &str) -> Answer {
    answer::envelope(400, "invalid_request", message, Value::Null)
}

fn unavailable(message: &str) -> Answer {
    answer::envelope(503, "service_unavailable", message, Value::Null)
}

/// Nothing from elsewhere, nowhere inside something else, and nothing kept.
const ALWAYS: [(&str, &str); 5] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("cache-control", "no-store"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
];

/// Records from before that a new page begins with.
const SHOWN: u64 = 50;

const PAGE: &str = include_str!("console/page.html");
const STYLE: &str = include_str!("console/console.css");
const SCRIPT: &str = include_str!("console/console.js");

#[cfg(test)]
mod tests {
    use super::is_address;

    #[test]
    fn a_host_is_an_address_or_localhost() {
        let addresses = [
            "127.0.0.1",
            "127.0.0.1:80",
            "[::1]",
            "[::1]:80",
            "localhost",
            "localhost:8081",
        ];
        for host in addresses {
            assert!(is_address(host), "{host}");
        }
        let names = [
            "",
            "example.org",
            "localhost.example.org",
            "127.0.0.1.example.org",
            "127.0.0.1:80.example.org",
            "localhost:",
            "x@127.0.0.1",
        ];
        for host in names {
            assert!(!is_address(host), "{host}");
        }
    }
}
