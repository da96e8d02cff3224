//! A2A: card, decide, record, call the interface that carries the version.

use serde_json::{Value, json};

use super::{Over, Run, member, same_origin};
use crate::serve::answer::{self, Answer};
use crate::serve::exchange::id;
use crate::types::{Exchange, Listing, Protocol};

/// What a call to an A2A peer came to.
pub(crate) struct A2aCall;

impl A2aCall {
    /// Sends one message to the peer. `only` keeps one version of what the peer offers.
    pub(crate) async fn run(mut run: Run<'_>, only: Option<&str>) -> Answer {
        match call(&mut run, only).await {
            Ok(answer) | Err(Over(answer)) => answer,
        }
    }
}

async fn call(run: &mut Run<'_>, only: Option<&str>) -> Result<Answer, Over> {
    run.early(Protocol::A2a).await?;
    let card = card(run).await;
    let listing = match &card {
        Some(card) => match member(card, "error") {
            Some(error) => Listing::Error(error),
            None => Listing::Card(card.clone()),
        },
        None => Listing::Nothing,
    };
    let mut exchange = run.read(&run.facts(Protocol::A2a, listing, None))?;
    if let (Some(only), Some(offers)) = (only, &mut exchange.offers) {
        offers.retain(|offer| offer == only);
    }
    let agreed = run.settle(&exchange).await?;
    let url = card
        .as_deref()
        .and_then(|card| interface(card, &agreed.version))
        .filter(|url| same_origin(url, &run.peer_url));
    let Some(url) = url else {
        return Err(run.failed().await);
    };
    let result = send(run, &exchange, &url, &agreed.version).await?;
    run.end().await?;
    let answer = json!({
        "negotiatedVersion": agreed.version,
        "runId": run.run_id,
        "protocol": "a2a",
        "peerDigest": agreed.peer_digest,
        "result": result,
    });
    Ok(answer::json(200, &answer))
}

/// The card, asked for under the version that this host wants.
async fn card(run: &Run<'_>) -> Option<String> {
    let asked = run.requested.clone().or_else(|| {
        let a2a = run.shared.config.a2a.as_ref()?;
        Some(a2a.preferred.clone())
    })?;
    let base = run.peer_url.trim_end_matches('/');
    let url = format!("{base}/.well-known/agent-card.json");
    let headers = [
        ("a2a-version", asked.as_str()),
        ("accept", "application/json"),
    ];
    let heard = run.shared.client.get(&url, &headers).await.ok()?;
    serde_json::from_str::<Value>(&heard.text).ok()?;
    Some(heard.text)
}

/// The URL of the JSON-RPC interface that carries the version.
fn interface(card: &str, version: &str) -> Option<String> {
    let card: Value = serde_json::from_str(card).ok()?;
    let is_version = |value: &Value| {
        let Some(text) = value.as_str() else {
            return false;
        };
        text == version
            || text
                .strip_prefix(version)
                .is_some_and(|patch| patch.starts_with('.'))
    };
    let listed = card.get("supportedInterfaces").and_then(Value::as_array);
    if let Some(listed) = listed.filter(|listed| !listed.is_empty()) {
        let found = listed.iter().find(|interface| {
            interface.get("protocolBinding").and_then(Value::as_str) == Some("JSONRPC")
                && interface.get("protocolVersion").is_some_and(is_version)
        });
        return Some(found?.get("url")?.as_str()?.to_owned());
    }
    if !card.get("protocolVersion").is_some_and(is_version) {
        return None;
    }
    let transport = card.get("preferredTransport").and_then(Value::as_str);
    if transport.is_none_or(|transport| transport == "JSONRPC") {
        return Some(card.get("url")?.as_str()?.to_owned());
    }
    let others = card.get("additionalInterfaces")?.as_array()?;
    let found = others
        .iter()
        .find(|other| other.get("transport").and_then(Value::as_str) == Some("JSONRPC"));
    Some(found?.get("url")?.as_str()?.to_owned())
}

async fn send(
    run: &mut Run<'_>,
    exchange: &Exchange,
    url: &str,
    version: &str,
) -> Result<Value, Over> {
    let message_id = id("msg-");
    let (method, message) = if version.starts_with("0.") {
        let message = json!({
            "kind": "message", "messageId": message_id, "role": "user",
            "parts": [{ "kind": "text", "text": "ping" }],
        });
        ("message/send", message)
    } else {
        let message = json!({
            "messageId": message_id, "role": "ROLE_USER", "parts": [{ "text": "ping" }],
        });
        ("SendMessage", message)
    };
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": method, "params": { "message": message },
    });
    let headers = [("a2a-version", version)];
    let heard = run
        .shared
        .client
        .post(url, &headers, body.to_string())
        .await;
    let heard: Option<Value> = heard
        .ok()
        .and_then(|heard| serde_json::from_str(&heard.text).ok());
    let Some(heard) = heard else {
        return Err(run.failed().await);
    };
    if let Some(result) = heard.get("result") {
        return Ok(result.clone());
    }
    match heard.pointer("/error/code").and_then(Value::as_i64) {
        Some(-32009) => Err(run.refused_after_all(exchange).await),
        _ => Err(run.failed().await),
    }
}
