"""JSON-RPC messages, read without losing what the peer wrote."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

META = "io.modelcontextprotocol/protocolVersion"

_DECODER = json.JSONDecoder(parse_constant=lambda _: _fail())


class Unreadable(Exception):
    """Answered before any negotiation; `code` and `text` are those of JSON-RPC."""

    def __init__(self, code: int, text: str) -> None:
        self.code = code
        self.text = text


def _fail() -> Any:
    raise ValueError


@dataclass(frozen=True, slots=True)
class Message:
    """What of a JSON-RPC message counts here; `id` and `params` are JSON texts."""

    id: str = "null"
    method: str | None = None
    params: str | None = None


def read(body: bytes) -> Message:
    """Reads a body. Raises Unreadable: not JSON, a batch, or `method` and such given twice.

    Params keep their text, as a member that stands there twice must be seen by the component.
    """
    try:
        text = body.decode("utf-8")
        members = _members(text)
    except (ValueError, IndexError, RecursionError):
        raise Unreadable(-32700, "Parse error") from None
    if members is None:
        raise Unreadable(-32600, "Invalid Request")
    method = members.get("method", (None, ""))[0]
    identity, identity_text = members.get("id", (None, "null"))
    return Message(
        id=identity_text if isinstance(identity, (str, int, float)) else "null",
        method=_unicode(method) if isinstance(method, str) else None,
        params=members["params"][1] if "params" in members else None,
    )


def _unicode(text: str) -> str:
    """A lone surrogate becomes U+FFFD: such a method is none that anybody knows."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _members(text: str) -> dict[str, tuple[Any, str]] | None:
    """The members of one JSON object with their texts; None for other JSON and repeated names.

    Raises ValueError or IndexError for what is no JSON.
    """
    if text.lstrip(" \t\r\n")[:1] != "{":
        json.loads(text, parse_constant=lambda _: _fail())
        return None
    members: dict[str, tuple[Any, str]] = {}
    repeated = False
    at = _skip(text, text.index("{") + 1)
    if text[at] == "}":
        _end(text, at + 1)
        return members
    while True:
        if text[at] != '"':
            raise ValueError
        name, at = _DECODER.raw_decode(text, at)
        at = _skip(text, at)
        if text[at] != ":":
            raise ValueError
        start = _skip(text, at + 1)
        value, end = _DECODER.raw_decode(text, start)
        repeated |= name in members
        members[name] = (value, text[start:end])
        at = _skip(text, end)
        if text[at] == "}":
            _end(text, at + 1)
            return None if repeated else members
        if text[at] != ",":
            raise ValueError
        at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    while text[at] in " \t\r\n":
        at += 1
    return at


def _end(text: str, at: int) -> None:
    if text[at:].strip(" \t\r\n"):
        raise ValueError


def with_version(body: bytes, version: str) -> bytes:
    """An `initialize` that names `version`, wherever it names one."""
    message = json.loads(body)
    params = message.get("params")
    if not isinstance(params, dict):
        params = message["params"] = {}
    params["protocolVersion"] = version
    meta = params.get("_meta")
    if isinstance(meta, dict) and META in meta:
        meta[META] = version
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


def answered_version(body: bytes, content_type: str) -> tuple[bool, str | None]:
    """Whether an answer to `initialize` is a result, and the version in it.

    Reads a JSON body, or the JSON-RPC responses of an event stream.
    """
    if content_type.partition(";")[0].strip().lower() == "text/event-stream":
        events = body.decode("utf-8", "replace").replace("\r\n", "\n").split("\n\n")
        texts = [
            "\n".join(line[5:].lstrip(" ") for line in event.split("\n") if line[:5] == "data:")
            for event in events
        ]
    else:
        texts = [body.decode("utf-8", "replace")]
    for text in texts:
        try:
            message = json.loads(text)
        except ValueError:
            continue
        if isinstance(message, dict) and "result" in message:
            result = message["result"]
            version = result.get("protocolVersion") if isinstance(result, dict) else None
            return True, version if isinstance(version, str) else None
    return False, None
