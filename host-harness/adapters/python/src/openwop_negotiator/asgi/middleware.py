"""The middleware: read, settle, record, then answer or serve."""

from __future__ import annotations

import inspect
import secrets
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from ..negotiator import Negotiator
from ..types import (
    Acceptance,
    Context,
    HttpMethod,
    Inbound,
    Protocol,
    Reply,
    Settlement,
    Subject,
)
from . import message as rpc
from .sessions import MemorySessions, Sessions

Scope = MutableMapping[str, Any]
Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

_METHODS: dict[str, HttpMethod] = {
    "POST": "post",
    "GET": "get",
    "HEAD": "get",
    "DELETE": "delete",
}
_VERSION_HEADER = {"a2a": b"a2a-version", "mcp": b"mcp-protocol-version"}
_SESSION_HEADER = b"mcp-session-id"


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller whose identity was proven; `subject` owns the record, if it is known."""

    subject: Subject | None = None


class NegotiationMiddleware:
    """Negotiates every HTTP request of `app`; nothing reaches it without a durable record.

    - `sink` makes a record durable: `sink(settlement)`, plain or async; store
      `settlement.entry.payload` or `.event` as it is. When it raises, the caller gets 503 and
      nothing is served. `settlement.decision.downgraded` tells a downgrade.
    - `authenticate(scope)`, plain or async, gives a `Caller` for a proven identity, else None.
      Without it everybody is unauthenticated: nothing below preferred is agreed.
    - `require_credential`: refuse whoever is unauthenticated with 401 (R14).
    - `paths`: the paths to negotiate, exactly; every path by default.
    - `max_body`: bytes of a request body that are read, and of an answer to `initialize`.

    The app finds the settlement in `scope["state"]["negotiation"]`, and the version decided in
    the version header of the request, whatever the caller sent there.
    """

    def __init__(
        self,
        app: App,
        *,
        negotiator: Negotiator,
        protocol: Protocol,
        sink: Callable[[Settlement], Awaitable[None] | None],
        authenticate: Callable[[Scope], Awaitable[Caller | None] | Caller | None] | None = None,
        require_credential: bool = False,
        paths: Sequence[str] | None = None,
        sessions: Sessions | None = None,
        max_body: int = 4 * 1024 * 1024,
        clock: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
        event_id: Callable[[], str] = lambda: f"hev-{secrets.token_hex(12)}",
    ) -> None:
        self._app = app
        self._negotiator = negotiator
        self._protocol = protocol
        self._sink = sink
        self._authenticate = authenticate
        self._require_credential = require_credential
        self._paths = None if paths is None else frozenset(paths)
        self._sessions: Sessions = sessions or MemorySessions()
        self._max_body = max_body
        self._clock = clock
        self._event_id = event_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind = scope["type"]
        if kind == "websocket" and self._negotiated(scope):
            await send({"type": "websocket.close", "code": 1002})
        elif kind != "http" or not self._negotiated(scope) or scope["method"] == "OPTIONS":
            await self._app(scope, receive, send)
        elif scope["method"] not in _METHODS:
            await _respond(send, 405, [(b"allow", b"DELETE, GET, OPTIONS, POST")], b"")
        else:
            await self._exchange(scope, receive, send)

    def _negotiated(self, scope: Scope) -> bool:
        return self._paths is None or scope["path"] in self._paths

    async def _exchange(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = b""
        message = rpc.Message()
        if scope["method"] == "POST":
            read = await _body(receive, self._max_body)
            if read is None:
                await _respond_error(send, 413, [], "null", '{"code":-32600,"message":"Too large"}')
                return
            body = read
            try:
                message = rpc.read(body)
            except rpc.Unreadable as error:
                text = f'{{"code":{error.code},"message":"{error.text}"}}'
                await _respond_error(send, 400, [], "null", text)
                return
        caller = None
        if self._authenticate is not None:
            caller = await _awaited(self._authenticate(scope))
        session_id = _header(scope["headers"], _SESSION_HEADER)
        session = None
        if self._protocol == "mcp" and session_id is not None:
            session = await self._sessions.get(session_id)
        query = scope.get("query_string", b"")
        facts = Inbound(
            protocol=self._protocol,
            authenticated=caller is not None,
            headers=[(n.decode("latin-1"), v.decode("latin-1")) for n, v in scope["headers"]],
            http_method=_METHODS[scope["method"]],
            query=query.decode("latin-1") if query and self._protocol == "a2a" else None,
            method=message.method,
            params=message.params,
            session=session,
        )
        at = self._clock().astimezone(timezone.utc).isoformat(timespec="milliseconds")
        context = Context(
            at=at.replace("+00:00", "Z"),
            subject=caller.subject if caller is not None else None,
            event_id=self._event_id(),
        )
        if self._require_credential and caller is None:
            settlement = self._negotiator.refuse(facts, context, "credential-required")
        else:
            settlement = self._negotiator.settle(facts, context)
        try:
            await _awaited(self._sink(settlement))
        except Exception:
            # Without its record nothing is served, whatever went wrong (R15).
            await _refuse(send, facts, message, self._negotiator.not_durable(facts))
            return
        if not isinstance(settlement.decision, Acceptance):
            await _refuse(send, facts, message, settlement.reply)
            return
        await self._serve(scope, body, receive, send, message, settlement, session_id)

    async def _serve(
        self,
        scope: Scope,
        body: bytes,
        receive: Receive,
        send: Send,
        message: rpc.Message,
        settlement: Settlement,
        session_id: str | None,
    ) -> None:
        """Lets the app answer, with the version decided in front of it and behind it."""
        decision = settlement.decision
        assert isinstance(decision, Acceptance)
        initialize = self._protocol == "mcp" and message.method == "initialize"
        name = _VERSION_HEADER[self._protocol]
        headers: Headers = [pair for pair in scope["headers"] if pair[0].lower() != name]
        if not initialize or len(headers) != len(scope["headers"]):
            headers.append((name, decision.version.encode()))
        if initialize and decision.cause != "exact":
            body = rpc.with_version(body, decision.version)
            headers = [pair for pair in headers if pair[0].lower() != b"content-length"]
            headers.append((b"content-length", str(len(body)).encode()))
        state = {**scope.get("state", {}), "negotiation": settlement}
        inner = {**scope, "headers": headers, "state": state}
        answer = _Answer(send, settlement.reply)
        if initialize:
            held = _Held(answer, decision.version, message.id, self._sessions, self._max_body)
            await self._app(inner, _replay(body, receive), held)
            return
        await self._app(inner, _replay(body, receive), answer)
        if session_id is not None and (
            scope["method"] == "DELETE" and answer.status < 300 or answer.status == 404
        ):
            await self._sessions.drop(session_id)


class _Answer:
    """Sends the app's answer with the headers of the reply, whatever it had there itself."""

    def __init__(self, send: Send, reply: Reply) -> None:
        self._send = send
        self._headers = [(n.lower().encode(), v.encode()) for n, v in reply.headers]
        self.status = 0

    async def __call__(self, event: Event) -> None:
        if event["type"] == "http.response.start":
            self.status = event["status"]
            ours = {name for name, _ in self._headers}
            kept = [pair for pair in event.get("headers", []) if pair[0].lower() not in ours]
            event = {**event, "headers": [*kept, *self._headers]}
        await self._send(event)


class _Held:
    """Holds the answer to `initialize` until it is known to name the version decided.

    Another version in it would make the record untrue; it is not let through.
    """

    def __init__(
        self, answer: _Answer, version: str, identity: str, sessions: Sessions, limit: int
    ) -> None:
        self._answer = answer
        self._version = version
        self._id = identity
        self._sessions = sessions
        self._limit = limit
        self._start: Event = {}
        self._body = b""
        self._done = False

    async def __call__(self, event: Event) -> None:
        if self._done:
            return
        if event["type"] == "http.response.start":
            self._start = event
            return
        if event["type"] != "http.response.body":
            return
        self._body += event.get("body", b"")
        if len(self._body) > self._limit:
            await self._broken()
        elif not event.get("more_body", False):
            await self._end()

    async def _end(self) -> None:
        self._done = True
        headers = self._start.get("headers", [])
        kind = _header(headers, b"content-type") or ""
        is_result, version = rpc.answered_version(self._body, kind)
        if is_result and version != self._version:
            await self._broken()
            return
        session_id = _header(headers, _SESSION_HEADER)
        if is_result and session_id is not None:
            await self._sessions.put(session_id, self._version)
        await self._answer(self._start)
        await self._answer({"type": "http.response.body", "body": self._body})

    async def _broken(self) -> None:
        self._done = True
        text = '{"code":-32603,"message":"The server answered another version than agreed"}'
        await _respond_error(self._answer._send, 502, [], self._id, text)


async def _refuse(send: Send, facts: Inbound, message: rpc.Message, reply: Reply) -> None:
    headers = [(name.lower().encode(), value.encode()) for name, value in reply.headers]
    if facts.protocol == "a2a" and facts.http_method == "get":
        # The agent card is no JSON-RPC surface.
        body = reply.envelope or "{}"
        await _respond(send, reply.status, [*headers, _JSON], body.encode())
        return
    await _respond_error(send, reply.status, headers, message.id, reply.error or "null")


_JSON = (b"content-type", b"application/json")


async def _respond_error(send: Send, status: int, headers: Headers, rpc_id: str, error: str) -> None:
    body = f'{{"jsonrpc":"2.0","id":{rpc_id},"error":{error}}}'
    await _respond(send, status, [*headers, _JSON], body.encode("utf-8", "replace"))


async def _respond(send: Send, status: int, headers: Headers, body: bytes) -> None:
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": body})


async def _body(receive: Receive, limit: int) -> bytes | None:
    """The whole request body; None past the limit."""
    chunks: list[bytes] = []
    size = 0
    while True:
        event = await receive()
        if event["type"] != "http.request":
            return b"".join(chunks)
        chunks.append(event.get("body", b""))
        size += len(chunks[-1])
        if size > limit:
            return None
        if not event.get("more_body", False):
            return b"".join(chunks)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Gives the body that was read already, then what comes after it."""
    given = False

    async def replay() -> Event:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


def _header(headers: Sequence[tuple[bytes, bytes]], name: bytes) -> str | None:
    values = [value for key, value in headers if key.lower() == name]
    return values[0].decode("latin-1") if len(values) == 1 else None
