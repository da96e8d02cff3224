"""Messages as requests of the JSON contract, and its answers as values.

The typed interfaces cost more than ten times as much from Python as one JSON text each way, so
this is the way that `settle`, `refuse` and `decide` take. Only what a JSON request cannot hold
goes through the typed ones: more than 64 KiB, or peer's text that is not JSON.
"""

from __future__ import annotations

import json
from typing import Any

from .types import (
    Acceptance,
    Context,
    Decision,
    Entry,
    Inbound,
    Outbound,
    Rejection,
    Reply,
    Subject,
)


class Unholdable(Exception):
    """A JSON request cannot hold this; ask through the typed interfaces."""


def compact(value: Any) -> str:
    """JSON text as the component writes it: no spaces, members in their order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def request(
    message: Inbound | Outbound, context: Context | None = None, refusal: str | None = None
) -> str:
    """The text of a request. Raises Unholdable."""
    members = [_inbound(message) if isinstance(message, Inbound) else _outbound(message)]
    if context is not None:
        members.append(f'"context":{compact(_context(context))}')
    if refusal is not None:
        members.append(f'"refusal":{compact(refusal)}')
    return "{" + ",".join(members) + "}"


def _inbound(message: Inbound) -> str:
    facts = {
        "protocol": message.protocol,
        "direction": "inbound",
        "authenticated": message.authenticated,
        "httpMethod": message.http_method.upper(),
        "headers": [list(pair) for pair in message.headers],
    }
    if message.query is not None and message.protocol == "a2a":
        facts["query"] = message.query
    if message.method is not None:
        facts["method"] = message.method
    if message.session is not None:
        facts["session"] = message.session
    return _exchange(facts, params=message.params)


def _outbound(message: Outbound) -> str:
    facts: dict[str, Any] = {
        "protocol": message.protocol,
        "direction": "outbound",
        "authenticated": message.authenticated,
    }
    if message.requested is not None:
        facts["requested"] = message.requested
    texts = {"initialize": message.initialize}
    listing = message.listing
    if listing.kind == "offers":
        facts["offers"] = list(listing.value or ())
    elif listing.kind != "nothing":
        texts[listing.kind] = str(listing.value)
    return _exchange(facts, **texts)


def _exchange(facts: dict[str, Any], **texts: str | None) -> str:
    """The exchange with a peer's texts put in as they came, so that nothing of them is lost."""
    text = compact(facts)[:-1]
    for name, peers in texts.items():
        if peers is not None:
            _demand_json(peers)
            text += f',"{name}":{peers}'
    return f'"exchange":{text}}}'


def _demand_json(text: str) -> None:
    # A text that is one whole JSON value cannot reach beyond its own place in the request.
    try:
        json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Unholdable from None


def _no_constant(_name: str) -> Any:
    raise ValueError


def _context(context: Context) -> dict[str, Any]:
    members: dict[str, Any] = {"at": context.at}
    subject = context.subject
    for name, value in (
        ("peerUrl", context.peer_url),
        ("tenant", subject and subject.tenant),
        ("workspace", subject and subject.workspace),
        ("runId", context.run_id),
        ("sequence", context.sequence),
        ("eventId", context.event_id),
    ):
        if value is not None:
            members[name] = value
    return members


def to_decision(answer: dict[str, Any]) -> Decision:
    if answer["outcome"] == "accepted":
        return Acceptance(answer["version"], answer["cause"], answer["downgraded"])
    return Rejection(answer["reason"], answer["cause"])


def to_entry(answer: dict[str, Any]) -> Entry:
    entry, record = answer["entry"], answer["record"]
    audience, event = entry["audience"], entry["event"]
    return Entry(
        home=entry["home"],
        audience=(
            None if audience is None else Subject(audience["tenant"], audience.get("workspace"))
        ),
        payload=compact(record),
        event=None if event is None else compact(event),
        requested=record.get("requested"),
        peer_digest=record.get("peerDigest"),
    )


def to_reply(answer: dict[str, Any]) -> Reply:
    reply = answer["answer"]
    error, envelope = reply["error"], reply["envelope"]
    return Reply(
        status=reply["status"],
        headers=tuple((name, value) for name, value in reply["headers"]),
        error=None if error is None else compact(error),
        envelope=None if envelope is None else compact(envelope),
    )
