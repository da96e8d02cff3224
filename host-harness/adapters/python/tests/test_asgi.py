"""What raw requests of `http-cases.jsonl` do not show: limits, streams, sessions, other scopes."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from openwop_negotiator import Facet, Facets, Negotiator, Settlement
from openwop_negotiator.asgi import Caller, NegotiationMiddleware

NEGOTIATOR = Negotiator(
    Facets(mcp=Facet(["2025-06-18", "2025-11-25", "2026-07-28"], "2026-07-28", "2025-06-18"))
)
HEADERS = [(b"mcp-protocol-version", b"2026-07-28")]
CALL = b'{"id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}'


def initialize(version: str) -> bytes:
    return json.dumps(
        {"id": 1, "method": "initialize", "params": {"protocolVersion": version}}
    ).encode()


async def ask(
    app: Any,
    body: bytes = b"",
    headers: list[tuple[bytes, bytes]] = HEADERS,
    method: str = "POST",
    path: str = "/mcp",
    **options: Any,
) -> tuple[list[dict[str, Any]], list[Settlement]]:
    """Everything that was sent, and everything that was settled."""
    sent: list[dict[str, Any]] = []
    settled: list[Settlement] = []
    middleware = options.pop("middleware", None) or NegotiationMiddleware(
        app,
        negotiator=NEGOTIATOR,
        protocol="mcp",
        sink=settled.append,
        authenticate=lambda _: Caller(),
        **options,
    )
    given = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        return given.pop(0) if given else {"type": "http.disconnect"}

    async def send(event: Any) -> None:
        sent.append(event)

    scope = {"type": "http", "method": method, "path": path, "headers": headers}
    await middleware(scope, receive, send)
    return sent, settled


def answering(body: bytes, content_type: bytes = b"application/json", session: bytes = b"") -> Any:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        headers = [(b"content-type", content_type)]
        if session:
            headers.append((b"mcp-session-id", session))
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        half = len(body) // 2
        await send({"type": "http.response.body", "body": body[:half], "more_body": True})
        await send({"type": "http.response.body", "body": body[half:]})

    return app


async def unreachable(scope: Any, receive: Any, send: Any) -> None:
    raise AssertionError("this must not be served")


def test_a_body_past_the_limit_is_not_read_on() -> None:
    sent, settled = asyncio.run(ask(unreachable, b"x" * 101, max_body=100))
    assert (sent[0]["status"], settled) == (413, [])


def test_other_methods_are_not_served() -> None:
    sent, settled = asyncio.run(ask(unreachable, method="PUT"))
    assert (sent[0]["status"], settled) == (405, [])


def test_options_and_other_paths_pass() -> None:
    sent, settled = asyncio.run(ask(answering(b"{}"), method="OPTIONS"))
    assert (sent[0]["status"], settled) == (200, [])
    sent, settled = asyncio.run(ask(answering(b"{}"), path="/healthz", paths=["/mcp"]))
    assert (sent[0]["status"], settled) == (200, [])


def test_a_websocket_is_closed() -> None:
    sent: list[Any] = []

    async def send(event: Any) -> None:
        sent.append(event)

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    middleware = NegotiationMiddleware(
        unreachable, negotiator=NEGOTIATOR, protocol="mcp", sink=lambda _: None
    )
    asyncio.run(middleware({"type": "websocket", "path": "/mcp"}, receive, send))
    assert [event["type"] for event in sent] == ["websocket.close"]


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b'{"id":1,"result":{"protocolVersion":"2024-11-05"}}', b"application/json"),
        (b'data: {"id":1,"result":{"protocolVersion":"2024-11-05"}}\n\n', b"text/event-stream"),
        (b'{"id":1,"result":{}}', b"application/json"),
        (b'{"id":1,"result":{"protocolVersion":20251125}}', b"application/json"),
    ],
)
def test_an_app_that_answers_another_version_is_not_let_through(
    body: bytes, content_type: bytes
) -> None:
    sent, settled = asyncio.run(
        ask(answering(body, content_type, b"s-1"), initialize("2025-11-25"), [])
    )
    assert sent[0]["status"] == 502
    assert b"2024" not in sent[1]["body"]
    assert len(settled) == 1


def test_a_stream_ends_in_a_session() -> None:
    stream = (
        b'event: message\r\nid: 1\r\ndata: {"id":1,\r\n'
        b'data: "result":{"protocolVersion":"2025-11-25"}}\r\n\r\n'
    )

    async def both() -> tuple[list[Any], list[Any]]:
        settled: list[Settlement] = []
        middleware = NegotiationMiddleware(
            answering(stream, b"text/event-stream; charset=utf-8", b"s-1"),
            negotiator=NEGOTIATOR,
            protocol="mcp",
            sink=settled.append,
            authenticate=lambda _: Caller(),
        )
        first, _ = await ask(None, initialize("2025-11-25"), [], middleware=middleware)
        session = [(b"mcp-session-id", b"s-1")]
        await ask(None, b'{"id":2,"method":"tools/list"}', session, middleware=middleware)
        return first, settled

    first, settled = asyncio.run(both())
    assert b"".join(event.get("body", b"") for event in first) == stream
    assert [settlement.decision.cause for settlement in settled] == ["exact", "session"]


def test_an_answer_is_passed_on_as_it_comes() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for part in (b"a", b"b"):
            await send({"type": "http.response.body", "body": part, "more_body": True})
        # The end of the client is seen behind the body that was read for it.
        assert (await receive())["body"] == CALL
        assert (await receive())["type"] == "http.disconnect"

    sent, _ = asyncio.run(ask(app, CALL))
    assert [event.get("body") for event in sent] == [None, b"a", b"b"]


def test_an_error_of_the_sink_of_any_kind_refuses() -> None:
    async def broken(_: Settlement) -> None:
        raise KeyError("journal")

    middleware = NegotiationMiddleware(
        unreachable, negotiator=NEGOTIATOR, protocol="mcp", sink=broken
    )
    sent, _ = asyncio.run(ask(None, CALL, middleware=middleware))
    assert sent[0]["status"] == 503
