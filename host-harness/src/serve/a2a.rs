//! A2A, as callers see it: the card and the JSON-RPC interface.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::Request;
use axum::http::request::Parts;
use axum::routing::{get, post};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::answer::{self, Answer, Came, came};
use super::message::{self, Message};
use super::{Shared, advertise, exchange, proxy};
use crate::types::{HostRefusal, Inbound, Protocol};

pub(super) fn router() -> Router<Arc<Shared>> {
    Router::new()
        .route("/.well-known/agent-card.json", get(card))
        .route("/a2a/jsonrpc", post(call))
}

/// A public card: nobody is asked who they are, so the record belongs to nobody.
async fn card(State(shared): State<Arc<Shared>>, request: Request<Body>) -> Answer {
    if shared.config.a2a.is_none() {
        return answer::not_found().await;
    }
    let (parts, _) = request.into_parts();
    let inbound = message::bodiless(Protocol::A2a, &parts);
    let names_nothing = inbound.headers.is_empty() && inbound.query.is_none();
    // With a credential, more than the preferred version may be asked for.
    let subject = shared.credentials.subject(&parts.headers);
    let inbound = Inbound {
        authenticated: subject.is_some(),
        ..inbound
    };
    let settled = shared.exchanges.inbound(&inbound, subject, None).await;
    match came(settled) {
        Came::Refused(reply) => answer::refusal_envelope(&reply),
        Came::Accepted(settlement, version) => {
            let version = match (names_nothing, shared.exchanges.negotiator().card_version()) {
                (true, Ok(Some(preferred))) => preferred,
                _ => version,
            };
            let own = advertise::card(&shared.config, &shared.base, &version);
            let card = match &shared.upstream {
                Some(upstream) => {
                    let parts = proxy::told(&parts, Protocol::A2a, &version);
                    proxy::card(&shared, upstream, &parts, own).await
                }
                None => own,
            };
            answer::with_headers(answer::json(200, &card), &settlement.reply.headers)
        }
    }
}

async fn call(State(shared): State<Arc<Shared>>, request: Request<Body>) -> Answer {
    if shared.config.a2a.is_none() {
        return answer::not_found().await;
    }
    let (parts, body) = request.into_parts();
    let body = match message::whole(&shared, body).await {
        Ok(body) => body,
        Err(answer) => return answer,
    };
    let message = match Message::read(&body) {
        Ok(message) => message,
        Err(answer) => return answer,
    };
    let subject = shared.credentials.subject(&parts.headers);
    let inbound = Inbound {
        authenticated: subject.is_some(),
        ..message.inbound(Protocol::A2a, &parts)
    };
    let refusal = (subject.is_none() && shared.config.require_credential)
        .then_some(HostRefusal::CredentialRequired);
    let settled = shared.exchanges.inbound(&inbound, subject, refusal).await;
    match came(settled) {
        Came::Refused(reply) => answer::refusal(message.id, &reply),
        Came::Accepted(settlement, version) => {
            let answer = serve(&shared, &parts, &body, &message, &version).await;
            answer::with_headers(answer, &settlement.reply.headers)
        }
    }
}

async fn serve(
    shared: &Shared,
    parts: &Parts,
    body: &Bytes,
    message: &Message<'_>,
    version: &str,
) -> Answer {
    if let Some(upstream) = &shared.upstream {
        let parts = proxy::told(parts, Protocol::A2a, version);
        return proxy::forward(shared, upstream, &parts, body.clone()).await;
    }
    let Some(id) = message.id.filter(|_| !message.is_odd) else {
        return message::invalid();
    };
    match message.method.as_deref() {
        Some("GetTask" | "CancelTask" | "tasks/get" | "tasks/cancel") => task_not_found(id),
        Some("SendMessage" | "message/send") => answer::result(id, &said(version)),
        Some("ListTasks") => answer::result(
            id,
            &json!({ "tasks": [], "nextPageToken": "", "pageSize": 0, "totalSize": 0 }),
        ),
        _ => answer::error_code(200, Some(id), -32601, "Method not found"),
    }
}

/// This host has no agent behind it; it says which version is spoken.
fn said(version: &str) -> Value {
    let text = format!("This host speaks A2A {version} with you.");
    let message_id = exchange::id("msg-");
    if version.starts_with("0.") {
        return json!({
            "kind": "message", "messageId": message_id, "role": "agent",
            "parts": [{ "kind": "text", "text": text }],
        });
    }
    json!({ "message": {
        "messageId": message_id, "role": "ROLE_AGENT", "parts": [{ "text": text }],
    } })
}

/// Unknown and unreadable alike.
fn task_not_found(id: &RawValue) -> Answer {
    let error = json!({
        "code": -32001,
        "message": "Task not found",
        "data": [{
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "TASK_NOT_FOUND",
            "domain": "a2a-protocol.org",
        }],
    });
    answer::error(200, Some(id), &error.to_string())
}
