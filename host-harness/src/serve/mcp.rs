//! MCP over streamable HTTP: stateless revisions, and sessions of those with a handshake.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use axum::routing::any;
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::{self, Answer, Came, came};
use super::message::{self, Message};
use super::{Shared, advertise, proxy};
use crate::types::{HostRefusal, Inbound, Protocol, Subject};

pub(super) fn router() -> Router<Arc<Shared>> {
    Router::new().route("/mcp", any(handle))
}

async fn handle(State(shared): State<Arc<Shared>>, request: Request<Body>) -> Answer {
    if shared.config.mcp.is_none() {
        return answer::not_found().await;
    }
    let (parts, body) = request.into_parts();
    if !matches!(parts.method, Method::POST | Method::GET | Method::DELETE) {
        return answer::empty(StatusCode::METHOD_NOT_ALLOWED);
    }
    let body = match message::whole(&shared, body).await {
        Ok(body) => body,
        Err(answer) => return answer,
    };
    let message = match parts.method {
        Method::POST => match Message::read(&body) {
            Ok(message) => Some(message),
            Err(answer) => return answer,
        },
        _ => None,
    };
    let subject = shared.credentials.subject(&parts.headers);
    let call = Call {
        shared: &shared,
        parts: &parts,
        body: &body,
        message,
        subject,
    };
    call.answer().await
}

/// One request.
struct Call<'a> {
    shared: &'a Shared,
    parts: &'a Parts,
    body: &'a Bytes,
    message: Option<Message<'a>>,
    subject: Option<&'a Subject>,
}

impl Call<'_> {
    async fn answer(&self) -> Answer {
        let method = self.method();
        let facts = match &self.message {
            Some(message) => message.inbound(Protocol::Mcp, self.parts),
            None => message::bodiless(Protocol::Mcp, self.parts),
        };
        let name = session_name(&self.parts.headers);
        let session = match name {
            Some(name) if method != Some("initialize") => {
                match self.shared.sessions.version(name, self.subject) {
                    Some(version) => Some(version),
                    // Ended, somebody else's, or from before a restart: the client begins anew. A
                    // caller without a credential is told about that first.
                    None if self.subject.is_some() || !self.shared.config.require_credential => {
                        let id = self.message.as_ref().and_then(|message| message.id);
                        return answer::error_code(404, id, -32001, "Session not found");
                    }
                    None => None,
                }
            }
            _ => None,
        };
        let inbound = Inbound {
            authenticated: self.subject.is_some(),
            session: session.clone(),
            ..facts
        };
        let refusal = (self.subject.is_none() && self.shared.config.require_credential)
            .then_some(HostRefusal::CredentialRequired);
        let settled = self
            .shared
            .exchanges
            .inbound(&inbound, self.subject, refusal)
            .await;
        let id = self.message.as_ref().and_then(|message| message.id);
        match came(settled) {
            Came::Refused(reply) => answer::refusal(id, &reply),
            Came::Accepted(settlement, version) => {
                let answer = self
                    .serve(&version, name.filter(|_| session.is_some()))
                    .await;
                answer::with_headers(answer, &settlement.reply.headers)
            }
        }
    }

    fn method(&self) -> Option<&str> {
        self.message.as_ref()?.method.as_deref()
    }

    async fn serve(&self, version: &str, session: Option<&str>) -> Answer {
        let stateless = version >= STATELESS;
        let id = self.message.as_ref().and_then(|message| message.id);
        if self.parts.method == Method::DELETE
            && let Some(session) = session
        {
            self.shared.sessions.end(session);
        }
        if let Some(upstream) = &self.shared.upstream {
            if self.method() == Some("initialize") {
                return proxy::initialize(
                    self.shared,
                    upstream,
                    self.parts,
                    self.body,
                    version,
                    self.subject,
                )
                .await;
            }
            let parts = proxy::told(self.parts, Protocol::Mcp, version);
            return proxy::forward(self.shared, upstream, &parts, self.body.clone()).await;
        }
        if self.message.as_ref().is_some_and(|message| message.is_odd) {
            return message::invalid();
        }
        if stateless && !self.headers_agree() {
            let problem = "Mcp-Method or Mcp-Name do not match the body";
            return answer::error_code(400, id, -32020, problem);
        }
        match self.parts.method {
            // This host has nothing to say unasked.
            Method::GET => return answer::empty(StatusCode::METHOD_NOT_ALLOWED),
            Method::DELETE => {
                return answer::empty(if session.is_some() {
                    StatusCode::NO_CONTENT
                } else {
                    StatusCode::METHOD_NOT_ALLOWED
                });
            }
            _ => {}
        }
        let Some(id) = id else {
            // A notification, or an answer to a question that was not asked.
            return answer::empty(StatusCode::ACCEPTED);
        };
        match self.result(version, stateless) {
            Some(result) => {
                let answer = answer::result(id, &result);
                if self.method() == Some("initialize") {
                    let session = self.shared.sessions.begin(version, self.subject);
                    return answer::with_headers(answer, &[(SESSION.to_owned(), session)]);
                }
                answer
            }
            None => {
                let status = if stateless { 404 } else { 200 };
                answer::error_code(status, Some(id), -32601, "Method not found")
            }
        }
    }

    fn result(&self, version: &str, stateless: bool) -> Option<Value> {
        let server = advertise::implementation(&self.shared.config);
        let mut result = match self.method()? {
            "initialize" if !stateless => json!({
                "protocolVersion": version,
                "capabilities": { "tools": {} },
                "serverInfo": server,
            }),
            "ping" if !stateless => json!({}),
            "tools/list" if !stateless => json!({ "tools": [] }),
            "tools/list" => json!({ "tools": [], "ttlMs": 60_000, "cacheScope": "private" }),
            "server/discover" if stateless => json!({
                "supportedVersions": self.supported(),
                "capabilities": { "tools": {} },
                "serverInfo": server,
                "ttlMs": 60_000,
                "cacheScope": "private",
            }),
            _ => return None,
        };
        if let (true, Some(members)) = (stateless, result.as_object_mut()) {
            members.insert("resultType".to_owned(), json!("complete"));
            let info = json!({ "io.modelcontextprotocol/serverInfo": server });
            members.insert("_meta".to_owned(), info);
        }
        Some(result)
    }

    fn supported(&self) -> &[String] {
        let mcp = self.shared.config.mcp.as_ref();
        mcp.map_or(&[], |mcp| &mcp.revisions)
    }

    /// Whether the routing headers say what the body says.
    fn headers_agree(&self) -> bool {
        #[derive(Deserialize)]
        struct Params {
            name: Option<String>,
            uri: Option<String>,
        }
        let Some(method) = self.method() else {
            return true;
        };
        if one(&self.parts.headers, "mcp-method") != Some(method) {
            return false;
        }
        if !matches!(method, "tools/call" | "prompts/get" | "resources/read") {
            return true;
        }
        let params = self.message.as_ref().and_then(|message| message.params);
        let name = params
            .and_then(|params| serde_json::from_str::<Params>(params.get()).ok())
            .and_then(|params| params.name.or(params.uri));
        name.is_some() && one(&self.parts.headers, "mcp-name") == name.as_deref()
    }
}

/// The value of a header that stands there once.
fn one<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values
        .next()
        .is_none()
        .then_some(value.trim_matches([' ', '\t']))
}

fn session_name(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION)?.to_str().ok()
}

pub(super) const SESSION: &str = "mcp-session-id";
/// The first revision without a handshake.
pub(super) const STATELESS: &str = "2026-07-28";
