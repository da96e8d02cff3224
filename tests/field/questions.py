"""The questions, how they are asked over HTTP, and what an answer comes to."""

from __future__ import annotations

import http.client
import json
import socket
from dataclasses import dataclass, field
from typing import Any

META = "io.modelcontextprotocol/"
Headers = list[tuple[str, str]]


@dataclass(frozen=True)
class Answer:
    """What came back, as far as it is about versions."""

    status: int | None  # HTTP; None: no answer
    code: int | None = None  # of a JSON-RPC error
    version: str | None = None  # of an `initialize` result
    said: str | None = None  # a word where none of these tells enough

    @property
    def accepted(self) -> bool:
        return self.status == 200 and self.code is None

    def cell(self) -> str:
        if self.status is None:
            return self.said or "no answer"
        text = f"{self.status}"
        if self.code is not None:
            text += f" {self.code}"
        elif self.version:
            text += f" → {self.version}"
        elif self.accepted:
            text += " ok"
        return text + (f" ({self.said})" if self.said else "")


@dataclass(frozen=True)
class Question:
    group: str
    label: str
    protocol: str
    method: str
    params: dict
    headers: Headers = field(default_factory=list)
    query: str = ""
    session: str | None = None  # agreed on before the question is asked

    def exchange(self) -> dict:
        """The same question for the negotiator."""
        exchange: dict[str, Any] = {
            "protocol": self.protocol,
            "direction": "inbound",
            "authenticated": True,
            "headers": [list(pair) for pair in self.headers],
            "method": self.method,
        }
        kept = {key: self.params[key] for key in ("protocolVersion", "_meta") if key in self.params}
        exchange["params"] = kept
        if self.query:
            exchange["query"] = self.query
        if self.session:
            exchange["session"] = self.session
        return exchange

    def ask(self, port: int) -> Answer:
        path = "/mcp" if self.protocol == "mcp" else "/rpc"
        extra: Headers = [("Accept", "application/json, text/event-stream")] if self.protocol == "mcp" else []
        if self.session:
            opened = open_session(port, path, self.session)
            if isinstance(opened, Answer):
                return opened
            extra += opened
        target = path + (f"?{self.query}" if self.query else "")
        body = {"jsonrpc": "2.0", "id": 1, "method": self.method, "params": self.params}
        status, _, text = post(port, target, [*extra, *self.headers], body)
        return read(self, status, text)


def open_session(port: int, path: str, version: str) -> Headers | Answer:
    """Shakes hands; gives the headers of the session, or why there is none."""
    extra: Headers = [("Accept", "application/json, text/event-stream")]
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "field", "version": "0"}}
    body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    status, headers, text = post(port, path, extra, body)
    message = first(text)
    if status != 200 or "result" not in message or message["result"].get("protocolVersion") != version:
        return Answer(None, said="no session")
    session = [(name, value) for name, value in headers if name.lower() == "mcp-session-id"]
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    post(port, path, [*extra, *session, ("MCP-Protocol-Version", version)], note)
    return session


def post(port: int, target: str, headers: Headers, body: dict) -> tuple[int | None, Headers, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    data = json.dumps(body).encode()
    try:
        connection.putrequest("POST", target, skip_accept_encoding=True)
        for name, value in [*headers, ("Content-Type", "application/json"), ("Content-Length", str(len(data)))]:
            connection.putheader(name, value)
        connection.endheaders(data)
        response = connection.getresponse()
        return response.status, response.getheaders(), response.read().decode("utf-8", "replace")
    except (OSError, http.client.HTTPException, socket.timeout):
        return None, [], ""
    finally:
        connection.close()


def first(text: str) -> dict:
    """The JSON-RPC answer in a body, plain or as server-sent events."""
    values = [text, *(line[5:] for line in text.splitlines() if line.startswith("data:"))]
    for value in values:
        try:
            message = json.loads(value)
        except ValueError:
            continue
        if isinstance(message, dict) and ("result" in message or "error" in message):
            return message
    return {}


def read(question: Question, status: int | None, text: str) -> Answer:
    message = first(text)
    error = message.get("error")
    if isinstance(error, dict):
        return Answer(status, code=error.get("code"))
    if error is not None:
        return Answer(status, said="an error that is no JSON-RPC error")
    result = message.get("result")
    if status == 200 and not isinstance(result, dict):
        return Answer(status, said="no result")
    if isinstance(result, dict) and result.get("isError"):
        return Answer(status, said="a failed call")
    version = result.get("protocolVersion") if isinstance(result, dict) and question.method == "initialize" else None
    return Answer(status, version=version)


def ours(question: Question, settled: dict) -> Answer:
    if "answer" not in settled:
        return Answer(None, said=settled["error"]["code"])
    answer = settled["answer"]
    code = answer["error"]["code"] if answer["error"] else None
    version = settled.get("version") if question.method == "initialize" else None
    return Answer(answer["status"], code=code, version=version if code is None else None)


def mcp() -> list[Question]:
    asked = []
    hello = {"capabilities": {}, "clientInfo": {"name": "field", "version": "0"}}

    def initialize(label: str, version: Any, *headers: tuple[str, str]) -> None:
        params = {**hello} if version is None else {"protocolVersion": version, **hello}
        asked.append(Question("`initialize`", label, "mcp", "initialize", params, list(headers)))

    for version, why in (
        ("2025-11-25", "current handshake revision"),
        ("2025-06-18", "older, offered"),
        ("2025-03-26", "older"),
        ("2024-11-05", "oldest"),
        ("2026-07-28", "no handshake in it"),
        ("2099-01-01", "from the future"),
        ("2025-11-26", "a day that no revision has"),
        ("banana", "no date"),
        ("2025-11-25.1", "with a patch"),
        (" 2025-11-25", "a space in front"),
        ("2025-02-30", "no calendar date"),
        ("", "empty"),
    ):
        initialize(f"`{version}` ({why})", version)
    initialize("member missing", None)
    initialize("a number", 20251125)
    initialize("`2025-11-25`, header `2026-07-28`", "2025-11-25", ("MCP-Protocol-Version", "2026-07-28"))
    initialize("`2025-11-25`, header the same", "2025-11-25", ("MCP-Protocol-Version", "2025-11-25"))

    def session(label: str, *values: str) -> None:
        headers = [("MCP-Protocol-Version", value) for value in values]
        asked.append(Question("`tools/list` in a session of 2025-11-25", label, "mcp", "tools/list", {}, headers, session="2025-11-25"))

    session("header the same", "2025-11-25")
    session("header missing")
    session("header `2025-06-18`", "2025-06-18")
    session("header `2024-11-05`", "2024-11-05")
    session("header `2099-01-01`", "2099-01-01")
    session("header `banana`", "banana")
    session("header empty", "")
    session("header twice, the same", "2025-11-25", "2025-11-25")
    session("header twice, different", "2025-11-25", "2025-06-18")

    def modern(label: str, head: str | None, meta: Any, method: str = "tools/list") -> None:
        params: dict = {}
        if meta is not None:
            params["_meta"] = {META + "protocolVersion": meta, META + "clientCapabilities": {}}
        headers = [("MCP-Protocol-Version", head)] if head is not None else []
        headers.append(("Mcp-Method", method))
        asked.append(Question("without a session", f"`{method}`, {label}", "mcp", method, params, headers))

    new = "2026-07-28"
    modern("header and `_meta` 2026-07-28", new, new, "server/discover")
    modern("nothing named", None, None, "server/discover")
    modern("header and `_meta` 2026-07-28", new, new)
    modern("header alone", new, None)
    modern("`_meta` alone", None, new)
    modern("header 2026-07-28, `_meta` 2025-11-25", new, "2025-11-25")
    modern("header 2025-11-25, `_meta` 2026-07-28", "2025-11-25", new)
    modern("both 2099-01-01", "2099-01-01", "2099-01-01")
    modern("both 2025-11-25", "2025-11-25", "2025-11-25")
    modern("both `banana`", "banana", "banana")
    modern("`_meta` a number", new, 20260728)
    modern("nothing named", None, None)
    return asked


def a2a() -> list[Question]:
    asked = []
    current = {"message": {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "hello"}]}}
    older = {"message": {"kind": "message", "messageId": "m-1", "role": "user", "parts": [{"kind": "text", "text": "hello"}]}}

    def send(label: str, *values: str, method: str = "SendMessage", query: str = "") -> None:
        headers = [("A2A-Version", value) for value in values]
        params = current if method == "SendMessage" else older
        asked.append(Question(f"`{method}`", label, "a2a", method, params, headers, query))

    for value, why in (
        ("1.0", "current"),
        ("0.3", "older"),
        ("0.1", "oldest"),
        ("1.1", "newer, same major"),
        ("2.0", "newer major"),
        ("1.0.0", "trailing patch"),
        ("1.0.7", "trailing patch"),
        ("1", "no minor"),
        ("v1.0", "a letter"),
        ("01.0", "leading zero"),
        ("1.0-rc1", "a suffix"),
        ("banana", "no number"),
    ):
        send(f"`{value}` ({why})", value)
    send("header missing")
    send("header empty", "")
    send("header `1.0`, a space on each side", " 1.0 ")
    send("header twice, the same", "1.0", "1.0")
    send("header twice, 1.0 and 0.3", "1.0", "0.3")
    send("one header `1.0, 0.3`", "1.0, 0.3")
    send("query `A2A-Version=1.0` alone", query="A2A-Version=1.0")
    send("query `A2A-Version=2.0` alone", query="A2A-Version=2.0")
    send("header 1.0, query 0.3", "1.0", query="A2A-Version=0.3")
    for label, values in (
        ("`0.3`", ["0.3"]),
        ("`0.3.0` (trailing patch)", ["0.3.0"]),
        ("`1.0`", ["1.0"]),
        ("header missing", []),
    ):
        send(label, *values, method="message/send")
    return asked
