"""Raw requests, answered and recorded as the native host has it (`adapters/http-cases.jsonl`)."""

from __future__ import annotations

import asyncio
import base64
import json
from datetime import datetime, timezone
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from openwop_negotiator import Negotiator, Settlement, Subject
from openwop_negotiator.asgi import Caller, MemorySessions, NegotiationMiddleware

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "http-cases.jsonl").read_text().splitlines()
]


@cache
def negotiator(facets: str) -> Negotiator:
    return Negotiator(json.loads(facets))


class App:
    """Sees what is forwarded; answers `initialize` with the version that it asks for."""

    def __init__(self) -> None:
        self.seen: list[tuple[dict[str, Any], bytes]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = b""
        if scope["method"] == "POST":
            event = await receive()
            assert not event["more_body"]
            body = event["body"]
        self.seen.append((scope, body))
        result: dict[str, Any] = {}
        if body and json.loads(body).get("method") == "initialize":
            result = {"protocolVersion": json.loads(body)["params"]["protocolVersion"]}
        text = json.dumps({"jsonrpc": "2.0", "id": 7, "result": result}).encode()
        headers = [(b"content-type", b"application/json"), (b"A2A-Version", b"9.9")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": text})


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    asyncio.run(run(case))


async def run(case: dict[str, Any]) -> None:
    app, sent, settled = App(), [], []
    sessions = MemorySessions()
    if "session" in case:
        await sessions.put("s-1", case["session"])

    async def sink(settlement: Settlement) -> None:
        settled.append(settlement)
        if case.get("sinkFails"):
            raise OSError("disk full")

    middleware = NegotiationMiddleware(
        app,
        negotiator=negotiator(json.dumps(case["facets"])),
        protocol=case["protocol"],
        sink=sink,
        authenticate=lambda _: (
            Caller(Subject("acme", "ws-1")) if case["authenticated"] else None
        ),
        require_credential=case.get("requireCredential", False),
        sessions=sessions,
        clock=lambda: datetime(2026, 11, 30, 12, tzinfo=timezone.utc),
        event_id=lambda: "hev-0123456789abcdef01234567",
    )
    request = case["request"]
    body = request.get("body", "").encode()
    if "bodyBase64" in request:
        body = base64.b64decode(request["bodyBase64"])
    path, _, query = request["target"].partition("?")
    scope = {
        "type": "http",
        "method": request["method"],
        "path": path,
        "query_string": query.encode(),
        "headers": [
            (name.lower().encode(), value.encode("latin-1")) for name, value in request["headers"]
        ]
        + [(b"content-length", str(len(body)).encode())],
    }
    half = len(body) // 2
    events = [
        {"type": "http.request", "body": body[:half], "more_body": True},
        {"type": "http.request", "body": body[half:], "more_body": False},
    ]

    async def receive() -> Any:
        return events.pop(0)

    async def send(event: Any) -> None:
        sent.append(event)

    await middleware(scope, receive, send)

    assert [s.entry.payload for s in settled] == ([case["record"]] if case["record"] else [])
    status, headers = sent[0]["status"], dict(sent[0]["headers"])
    assert status == case["status"]
    got = {name.decode(): value.decode() for name, value in headers.items()}
    assert case["headers"].items() <= got.items()
    answer = b"".join(event.get("body", b"") for event in sent)
    if "body" in case:
        assert answer.decode() == case["body"]
    forwarded = case["forwarded"]
    if forwarded is None:
        assert not app.seen
        return
    [(seen, seen_body)] = app.seen
    name = {"a2a": b"a2a-version", "mcp": b"mcp-protocol-version"}[case["protocol"]]
    versions = [value.decode() for key, value in seen["headers"] if key == name]
    assert versions == ([] if forwarded["version"] is None else [forwarded["version"]])
    if case["request"]["method"] == "POST":
        assert seen_body.decode() == forwarded.get("body", body.decode())
        lengths = [value for key, value in seen["headers"] if key == b"content-length"]
        assert lengths == [str(len(seen_body)).encode()]
    assert seen["state"]["negotiation"] is settled[0]
