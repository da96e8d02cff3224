//! The test drivers of OpenWOP's conformance suite: they make this host call a peer, on the path that
//! every call to a peer takes.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::routing::post;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::answer::{self, Answer};
use super::outbound::{A2aCall, McpCall, Run};
use super::{Shared, message};
use crate::types::Subject;

pub(super) fn router() -> Router<Arc<Shared>> {
    Router::new()
        .route("/conformance/seams/sample/a2a/invoke", post(a2a))
        .route("/conformance/seams/sample/mcp/invoke", post(mcp))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct A2aInvoke {
    peer_url: String,
    #[serde(default = "yes")]
    authenticated: bool,
    peer_offers_only: Option<String>,
    request_version: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct McpInvoke {
    server_url: String,
    #[serde(default = "yes")]
    authenticated: bool,
    request_version: Option<String>,
    tool: Option<String>,
    arguments: Option<Value>,
    client_capabilities: Option<Value>,
    elicitation_answer: Option<Value>,
}

async fn a2a(State(shared): State<Arc<Shared>>, request: Request<Body>) -> Answer {
    let (subject, invoke): (Subject, A2aInvoke) = match read(&shared, request).await {
        Ok(read) => read,
        Err(answer) => return answer,
    };
    if shared.config.a2a.is_none() || !is_http(&invoke.peer_url) {
        return invalid("peerUrl", "must be an http or https URL");
    }
    let run = Run::new(
        &shared,
        &subject,
        invoke.peer_url,
        invoke.authenticated,
        invoke.request_version,
    );
    A2aCall::run(run, invoke.peer_offers_only.as_deref()).await
}

async fn mcp(State(shared): State<Arc<Shared>>, request: Request<Body>) -> Answer {
    let (subject, invoke): (Subject, McpInvoke) = match read(&shared, request).await {
        Ok(read) => read,
        Err(answer) => return answer,
    };
    if shared.config.mcp.is_none() || !is_http(&invoke.server_url) {
        return invalid("serverUrl", "must be an http or https URL");
    }
    let run = Run::new(
        &shared,
        &subject,
        invoke.server_url,
        invoke.authenticated,
        invoke.request_version,
    );
    let call = McpCall {
        tool: invoke.tool.unwrap_or_else(|| "echo".to_owned()),
        arguments: invoke
            .arguments
            .unwrap_or_else(|| json!({ "text": "ping" })),
        capabilities: invoke.client_capabilities.unwrap_or_else(|| json!({})),
        elicitation: invoke.elicitation_answer,
    };
    call.run(run).await
}

async fn read<T: DeserializeOwned>(
    shared: &Shared,
    request: Request<Body>,
) -> Result<(Subject, T), Answer> {
    let (parts, body) = request.into_parts();
    let subject = shared.credentials.subject(&parts.headers).cloned();
    let subject = subject.ok_or_else(answer::unauthenticated)?;
    let body = message::whole(shared, body).await?;
    let invoke = serde_json::from_slice(&body);
    let invoke =
        invoke.map_err(|_| invalid("body", "must be a JSON object of the seam's shape"))?;
    Ok((subject, invoke))
}

fn invalid(member: &str, problem: &str) -> Answer {
    let details = json!({ "member": member, "problem": problem });
    answer::envelope(400, "validation_error", "The request is not valid", details)
}

fn is_http(text: &str) -> bool {
    url::Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

fn yes() -> bool {
    true
}
