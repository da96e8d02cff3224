"""Plain HTTP requests that name versions no published client would name.

They show how the servers refuse. Only the servers' answers become lines.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator

META = "io.modelcontextprotocol/"
Probe = tuple[str, str, str, list[tuple[str, str]], dict | None]  # label, verb, target, headers, body


def send(port: int, probe: Probe) -> None:
    _, verb, target, headers, body = probe
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.putrequest(verb, target, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value)
    data = json.dumps(body).encode() if body else b""
    if body:
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", str(len(data)))
    connection.endheaders(data or None)
    connection.getresponse().read()
    connection.close()


def mcp() -> Iterator[Probe]:
    accept = ("Accept", "application/json, text/event-stream")

    def post(label: str, method: str, params: dict, headers: list[tuple[str, str]]) -> Probe:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return label, "POST", "/mcp", [accept, *headers], body

    info = {"capabilities": {}, "clientInfo": {"name": "capture", "version": "0"}}
    for named in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "2099-01-01", "banana"):
        yield post(f"initialize-{named}", "initialize", {"protocolVersion": named, **info}, [])
    stale = [("MCP-Protocol-Version", "2026-07-28")]
    yield post("initialize-2025-11-25-under-2026-07-28", "initialize", {"protocolVersion": "2025-11-25", **info}, stale)

    def modern(label: str, method: str, head: str | None, meta: str | None) -> Probe:
        params: dict = {"name": "echo", "arguments": {"text": "hello"}} if method == "tools/call" else {}
        if meta:
            params["_meta"] = {META + "protocolVersion": meta, META + "clientCapabilities": {}}
        headers = [("MCP-Protocol-Version", head)] if head else []
        headers += [("Mcp-Method", method)] + ([("Mcp-Name", "echo")] if method == "tools/call" else [])
        return post(label, method, params, headers)

    for named in ("2026-07-28", "2025-11-25", "2099-01-01"):
        yield modern(f"discover-{named}", "server/discover", named, named)
    yield modern("discover-bare", "server/discover", None, None)
    yield modern("call-2099-01-01", "tools/call", "2099-01-01", "2099-01-01")
    yield modern("call-header-only", "tools/call", "2026-07-28", None)
    yield modern("call-meta-only", "tools/call", None, "2026-07-28")
    yield modern("call-2026-07-28-meta-2025-11-25", "tools/call", "2026-07-28", "2025-11-25")


def a2a() -> Iterator[Probe]:
    current = {"message": {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "hello"}]}}
    older = {"message": {"kind": "message", "messageId": "m-1", "role": "user", "parts": [{"kind": "text", "text": "hello"}]}}

    def post(label: str, method: str, params: dict, *named: str, query: str = "") -> Probe:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = [("A2A-Version", value) for value in named]
        return label, "POST", "/rpc" + query, headers, body

    for value in ("0.1", "0.3", "0.10", "1.0", "1.0.0", "v1.0", "1.99", "2.0", "banana"):
        yield post(f"SendMessage-{value}", "SendMessage", current, value)
    yield post("SendMessage-none", "SendMessage", current)
    yield post("SendMessage-empty", "SendMessage", current, "")
    yield post("SendMessage-1.0-and-0.3", "SendMessage", current, "1.0", "0.3")
    yield post("SendMessage-query-1.0", "SendMessage", current, query="?A2A-Version=1.0")
    for value in ("0.3", "0.3.0", "1.0"):
        yield post(f"message-send-{value}", "message/send", older, value)
    yield post("message-send-none", "message/send", older)
    for value in ("", "0.3", "1.0", "2.0"):
        headers = [("A2A-Version", value)] if value else []
        yield f"card-{value or 'none'}", "GET", "/.well-known/agent-card.json", headers, None
