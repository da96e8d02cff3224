//! What this host says of itself, made from the facets that decide.

use serde_json::{Value, json};

use super::config::Config;

/// The discovery document (`/.well-known/openwop`).
pub(super) fn discovery(config: &Config, base: &str) -> Value {
    let mut document = json!({
        "protocolVersions": ["2.0"],
        "preferredVersion": "2.0",
        "implementation": implementation(config),
        "hostEvents": {
            "status": "experimental", "since": "2.0", "until": "2.1",
            "witness": "witnessable-gated",
            "types": [{ "type": "negotiation.decided", "delivery": "durable" }],
        },
    });
    let mut add = |name: &str, value: Value| {
        if let Some(members) = document.as_object_mut() {
            members.insert(name.to_owned(), value);
        }
    };
    if config.seams {
        add(
            "conformance",
            json!({ "seamsProfile": "openwop-conformance-seams-v2" }),
        );
    }
    if let Some(a2a) = &config.a2a {
        let profiles = current(&a2a.versions, &a2a.preferred, "a2a-");
        add(
            "a2a",
            json!({
                "status": "experimental", "since": "2.0", "until": "2.1", "witness": "seam-gated",
                "versions": a2a.versions,
                "preferredVersion": a2a.preferred,
                "minimumVersion": a2a.minimum,
                "refreshedAt": a2a.refreshed_at,
                "profiles": profiles,
                "agentCardUrl": format!("{base}/.well-known/agent-card.json"),
                "streaming": false, "pushNotifications": false, "durableTasks": false,
            }),
        );
    }
    if let Some(mcp) = &config.mcp {
        let profiles = current(&mcp.revisions, &mcp.preferred, "mcp-");
        add(
            "mcp",
            json!({
                "status": "experimental", "since": "2.0", "until": "2.1", "witness": "seam-gated",
                "revisions": mcp.revisions,
                "preferredVersion": mcp.preferred,
                "minimumRevision": mcp.minimum,
                "refreshedAt": mcp.refreshed_at,
                "profiles": profiles,
                "features": ["server-discover", "mrtr"],
                "serverMount": { "transports": ["streamable-http"] },
                "serverUrls": [format!("{base}/mcp")],
                "mrtr": { "maxRounds": mcp.max_rounds },
            }),
        );
    }
    document
}

/// The profile of the preferred version: older ones are spoken and not claimed.
fn current(offered: &[String], preferred: &str, prefix: &str) -> Vec<String> {
    let claimed = offered.iter().filter(|version| *version == preferred);
    claimed
        .map(|version| format!("{prefix}{version}"))
        .collect()
}

/// The agent card in the shape of `version`: 1.0 lists every version, 0.3 names the one.
pub(super) fn card(config: &Config, base: &str, version: &str) -> Value {
    let url = format!("{base}/a2a/jsonrpc");
    if version.starts_with("0.") {
        return json!({
            "protocolVersion": format!("{version}.0"),
            "name": config.name,
            "description": DESCRIPTION,
            "version": env!("CARGO_PKG_VERSION"),
            "url": url,
            "preferredTransport": "JSONRPC",
            "additionalInterfaces": [{ "url": url, "transport": "JSONRPC" }],
            "capabilities": { "streaming": false, "pushNotifications": false },
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } },
            "security": [{ "bearer": [] }],
            "defaultInputModes": ["text/plain"],
            "defaultOutputModes": ["text/plain"],
            "skills": [],
        });
    }
    json!({
        "name": config.name,
        "description": DESCRIPTION,
        "version": env!("CARGO_PKG_VERSION"),
        "supportedInterfaces": interfaces(config, base),
        "capabilities": { "streaming": false, "pushNotifications": false, "extendedAgentCard": false },
        "securitySchemes": { "bearer": { "httpAuthSecurityScheme": { "scheme": "Bearer" } } },
        "securityRequirements": [{ "schemes": { "bearer": { "list": [] } } }],
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [],
    })
}

/// Every version offered, the preferred one first.
fn interfaces(config: &Config, base: &str) -> Vec<Value> {
    let Some(a2a) = &config.a2a else {
        return Vec::new();
    };
    let others = a2a
        .versions
        .iter()
        .filter(|version| **version != a2a.preferred);
    std::iter::once(&a2a.preferred)
        .chain(others)
        .map(|version| {
            json!({
                "url": format!("{base}/a2a/jsonrpc"),
                "protocolBinding": "JSONRPC",
                "protocolVersion": version,
            })
        })
        .collect()
}

pub(super) fn implementation(config: &Config) -> Value {
    json!({ "name": config.name, "version": env!("CARGO_PKG_VERSION") })
}

const DESCRIPTION: &str = "Negotiates protocol versions and keeps the records of it";
