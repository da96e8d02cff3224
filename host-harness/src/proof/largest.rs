//! Requests as large as the JSON contract lets them be, each dear in its own way: what the limits
//! on fuel are set by.

use crate::Operation;

/// The largest requests of every shape that grows, with the operation that they are for: at most
/// 64 KiB each.
#[must_use]
pub fn largest() -> Vec<(Operation, String)> {
    let offers = filled(|n| format!("\"9.{n}\""));
    let dates = filled(|n| {
        let (year, month, day) = (
            (n / 336).saturating_add(1000),
            (n / 28 % 12).saturating_add(1),
            (n % 28).saturating_add(1),
        );
        format!("\"{year:04}-{month:02}-{day:02}\"")
    });
    let headers = filled(|n| format!("[\"MCP-Protocol-Version\",\"{n}\"]"));
    let parts = filled(|n| n.to_string());
    let members = filled(|n| format!("\"m{n}\":0"));
    let escapes = "\\u00e9".repeat(ROOM / 6);
    let nested = format!("{}{}", "[".repeat(120), "]".repeat(120));
    let deep = filled(|_| nested.clone());
    let versions = filled(|n| format!("\"2.{n}\""));
    let settle = |protocol: &str, exchange: &str| {
        let request = format!(
            "{{\"facets\":{},\"exchange\":{{\"protocol\":\"{protocol}\",\"authenticated\":true,{exchange}}},\"context\":{CONTEXT}}}",
            match protocol {
                "a2a" => A2A,
                _ => MCP,
            }
        );
        (Operation::Settle, request)
    };
    vec![
        settle(
            "a2a",
            &format!("\"direction\":\"outbound\",\"offers\":[{offers}]"),
        ),
        settle(
            "mcp",
            &format!("\"direction\":\"outbound\",\"offers\":[{dates}]"),
        ),
        settle(
            "mcp",
            &format!("\"direction\":\"outbound\",\"discover\":{{\"supportedVersions\":[{dates}]}}"),
        ),
        settle(
            "a2a",
            &format!(
                "\"direction\":\"outbound\",\"error\":{{\"code\":-32009,\"data\":[{{\"metadata\":{{\"supportedVersions\":\"{}\"}}}}]}}",
                offers.replace('"', "")
            ),
        ),
        settle(
            "mcp",
            &format!("\"direction\":\"inbound\",\"headers\":[{headers}]"),
        ),
        settle(
            "mcp",
            &format!(
                "\"direction\":\"inbound\",\"headers\":[[\"mcp-protocol-version\",\"{parts}\"]]"
            ),
        ),
        settle(
            "a2a",
            &format!(
                "\"direction\":\"inbound\",\"query\":\"{}\"",
                parts.replace(',', "&")
            ),
        ),
        settle(
            "mcp",
            &format!("\"direction\":\"inbound\",\"params\":{{{members}}}"),
        ),
        settle(
            "mcp",
            &format!("\"direction\":\"inbound\",\"params\":[{deep}]"),
        ),
        settle(
            "mcp",
            &format!("\"direction\":\"inbound\",\"params\":{{\"protocolVersion\":\"{escapes}\"}}"),
        ),
        (
            Operation::Facets,
            format!(
                "{{\"facets\":{{\"a2a\":{{\"versions\":[{versions}],\"preferredVersion\":\"2.0\",\"minimumVersion\":\"2.0\",\"refreshedAt\":\"2026-11-01\"}}}}}}"
            ),
        ),
        (
            Operation::Check,
            format!(
                "{{\"document\":{{\"protocolVersions\":[{versions}],\"preferredVersion\":\"2.0\"}},\"now\":\"2026-11-30T12:00:00Z\"}}"
            ),
        ),
        (
            Operation::Check,
            format!("{{\"document\":{{{members}}},\"now\":\"2026-11-30T12:00:00Z\"}}"),
        ),
        (
            Operation::Digest,
            format!("{{\"url\":\"https://{}.example/\"}}", "é".repeat(ROOM / 2)),
        ),
        (
            Operation::Digest,
            format!("{{\"url\":\"https://{}/\"}}", "a.".repeat(ROOM / 2)),
        ),
    ]
}

/// Items with commas between them, as many as fit.
fn filled(item: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for n in 0..ROOM {
        let item = item(n);
        if text.len().saturating_add(item.len()) >= ROOM {
            break;
        }
        if n > 0 {
            text.push(',');
        }
        text.push_str(&item);
    }
    text
}

/// What is left of 64 KiB for the part that grows.
const ROOM: usize = 64 * 1024 - 512;
const A2A: &str =
    r#"{"a2a":{"versions":["0.3","1.0"],"preferredVersion":"1.0","minimumVersion":"0.3"}}"#;
const MCP: &str = r#"{"mcp":{"revisions":["2025-11-25","2026-07-28"],"preferredVersion":"2026-07-28","minimumRevision":"2025-11-25"}}"#;
const CONTEXT: &str = r#"{"at":"2026-11-30T12:00:00Z"}"#;
