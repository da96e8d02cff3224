//! Passing accepted requests on to the server behind this one.

use axum::body::{Body, Bytes};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request, Response, Uri, header};
use hyper::body::Incoming;
use serde_json::{Value, json};

use super::answer::{self, Answer};
use super::client::last_message;
use super::mcp::SESSION;
use super::message::version_header;
use super::{Shared, body};
use crate::types::{Protocol, Subject};

/// The head of a request that names the version on record. Where nothing need be named, the server
/// behind would assume another one.
pub(super) fn told(parts: &Parts, protocol: Protocol, version: &str) -> Parts {
    let mut parts = parts.clone();
    if let Ok(version) = HeaderValue::try_from(version) {
        parts.headers.insert(version_header(protocol), version);
    }
    parts
}

/// Passes a request on, unchanged but for what belongs to the connection. The answer is passed back
/// as it comes, streams included.
pub(super) async fn forward(shared: &Shared, upstream: &str, parts: &Parts, body: Bytes) -> Answer {
    match ask(shared, upstream, parts, body).await {
        Ok(answer) => {
            let (mut head, body) = answer.into_parts();
            strip(&mut head.headers);
            Response::from_parts(head, Body::new(body))
        }
        Err(answer) => answer,
    }
}

/// Passes `initialize` on with the version that was decided, and makes sure that the server behind
/// agrees to that one and to no other.
pub(super) async fn initialize(
    shared: &Shared,
    upstream: &str,
    parts: &Parts,
    body: &Bytes,
    version: &str,
    subject: Option<&Subject>,
) -> Answer {
    let body = naming(body, version);
    let answer = match ask(shared, upstream, parts, body).await {
        Ok(answer) => answer,
        Err(answer) => return answer,
    };
    let (mut head, body) = answer.into_parts();
    let within = std::time::Duration::from_secs(shared.config.limits.upstream_seconds);
    let Ok(body) = body::read(Body::new(body), shared.config.limits.body_bytes, within).await
    else {
        return bad_gateway();
    };
    let text = String::from_utf8_lossy(&body);
    let is_stream = head
        .headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
    let message = if is_stream {
        last_message(&text)
    } else {
        text.into_owned()
    };
    let message: Value = serde_json::from_str(&message).unwrap_or_default();
    if let Some(result) = message.get("result") {
        // What is spoken must be what is on record.
        if result.get("protocolVersion").and_then(Value::as_str) != Some(version) {
            super::log::say(
                "upstream-disagrees",
                &[(
                    "problem",
                    "the upstream does not speak a revision that is offered",
                )],
            );
            return bad_gateway();
        }
        if let Some(name) = head
            .headers
            .get(SESSION)
            .and_then(|name| name.to_str().ok())
        {
            shared.sessions.remember(name.to_owned(), version, subject);
        }
    }
    strip(&mut head.headers);
    Response::from_parts(head, Body::from(body))
}

/// The card of the server behind, with the interfaces that this host serves: versions are what is
/// decided here, everything else is the server's own.
pub(super) async fn card(shared: &Shared, upstream: &str, parts: &Parts, own: Value) -> Value {
    let Ok(answer) = ask(shared, upstream, parts, Bytes::new()).await else {
        return own;
    };
    if !answer.status().is_success() {
        return own;
    }
    let within = std::time::Duration::from_secs(shared.config.limits.upstream_seconds);
    let body = body::read(
        Body::new(answer.into_body()),
        shared.config.limits.body_bytes,
        within,
    );
    let Ok(body) = body.await else {
        return own;
    };
    let Ok(Value::Object(mut card)) = serde_json::from_slice::<Value>(&body) else {
        return own;
    };
    for member in [
        "supportedInterfaces",
        "protocolVersion",
        "url",
        "preferredTransport",
        "additionalInterfaces",
    ] {
        match own.get(member) {
            Some(value) => card.insert(member.to_owned(), value.clone()),
            None => card.remove(member),
        };
    }
    // Signed by the server, over what was just changed.
    card.remove("signatures");
    Value::Object(card)
}

async fn ask(
    shared: &Shared,
    upstream: &str,
    parts: &Parts,
    body: Bytes,
) -> Result<Response<Incoming>, Answer> {
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    let uri: Uri = format!("{upstream}{path}")
        .parse()
        .map_err(|_| bad_gateway())?;
    let mut request = Request::new(Body::from(body));
    *request.method_mut() = parts.method.clone();
    *request.uri_mut() = uri;
    let mut headers = parts.headers.clone();
    strip(&mut headers);
    headers.remove(header::HOST);
    headers.remove(header::CONTENT_LENGTH);
    headers.remove(header::EXPECT);
    *request.headers_mut() = headers;
    let answer = shared.client.send(request).await;
    answer.map_err(|_| bad_gateway())
}

/// Removes what belongs to one connection (RFC 9110 §7.6.1).
fn strip(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        // Nobody may have the version or the session cut off on the way: what is spoken would then be
        // something else than what was decided.
        .filter(|name: &HeaderName| !KEPT.contains(&name.as_str()))
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in [
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ] {
        headers.remove(name);
    }
}

/// The body with the version that was decided. Where that is the one named already, not a byte is
/// changed.
fn naming(body: &Bytes, version: &str) -> Bytes {
    let Ok(mut message) = serde_json::from_slice::<Value>(body) else {
        return body.clone();
    };
    let Some(params) = message.get_mut("params").and_then(Value::as_object_mut) else {
        return body.clone();
    };
    if params.get("protocolVersion").and_then(Value::as_str) == Some(version) {
        return body.clone();
    }
    params.insert("protocolVersion".to_owned(), json!(version));
    Bytes::from(message.to_string())
}

fn bad_gateway() -> Answer {
    let mut answer = answer::error_code(502, None, -32603, "The server behind this one failed");
    let no_store = HeaderValue::from_static("no-store");
    answer.headers_mut().insert(header::CACHE_CONTROL, no_store);
    answer
}

const KEPT: [&str; 4] = [
    "a2a-version",
    "authorization",
    "mcp-protocol-version",
    SESSION,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_to_the_connection_stays_behind() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "close, X-Once, MCP-Protocol-Version"),
            ("x-once", "1"),
            ("te", "trailers"),
            ("authorization", "Bearer x"),
            ("mcp-protocol-version", "2026-07-28"),
        ] {
            headers.insert(
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            );
        }
        strip(&mut headers);
        let left: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
        assert_eq!(left, ["authorization", "mcp-protocol-version"]);
    }

    #[test]
    fn a_body_changes_only_where_the_version_does() {
        let body = Bytes::from_static(br#"{"params": {"protocolVersion":"2025-06-18"}}"#);
        assert_eq!(naming(&body, "2025-06-18"), body);
        let other = naming(&body, "2025-11-25");
        assert_eq!(
            &other[..],
            br#"{"params":{"protocolVersion":"2025-11-25"}}"#
        );
    }
}
