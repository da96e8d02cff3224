"""Turns recorded exchanges into `negotiator settle` requests.

What names a version is kept as it was on the wire. What changes from run to run
or may tell of a machine is left out: see DROPPED_HEADERS, and `_no_port`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

from recorder import Exchange, header

MCP_FACET = {
    "revisions": ["2025-06-18", "2025-11-25", "2026-07-28"],
    "preferredVersion": "2026-07-28",
    "minimumRevision": "2025-06-18",
    "refreshedAt": "2026-11-01",
    "mrtr": {"maxRounds": 4},
}
# For what ends at 2025-03-26: once more under a host that still goes that low.
OLDER_MCP_FACET = {
    "revisions": ["2025-03-26", "2025-06-18", "2025-11-25"],
    "preferredVersion": "2025-11-25",
    "minimumRevision": "2025-03-26",
    "refreshedAt": "2026-11-01",
    "mrtr": {"maxRounds": 4},
}
A2A_FACET = {
    "versions": ["0.3", "1.0"],
    "preferredVersion": "1.0",
    "minimumVersion": "0.3",
    "refreshedAt": "2026-11-01",
}
AT = "2026-11-30T12:00:00Z"
META = "io.modelcontextprotocol/"
DROPPED_HEADERS = {
    "authorization", "baggage", "content-length", "cookie", "host", "last-event-id",
    "mcp-session-id", "traceparent", "tracestate", "user-agent",
}  # fmt: skip
PARAMS = ("protocolVersion", "capabilities", "clientInfo", "name")


def mcp_lines(run: list[Exchange], client: str, server: str, probe: bool) -> Iterator[dict]:
    """One run is one client against one server; its exchanges share a session."""
    session: str | None = None
    discover: Any = None
    for exchange in run:
        message = exchange.message()
        message = message if isinstance(message, dict) else {}
        method, params = message.get("method"), message.get("params")
        if not probe and exchange.target.startswith("/mcp") and exchange.verb in ("GET", "POST"):
            facts: dict[str, Any] = {"headers": _headers(exchange)}
            if exchange.verb == "GET":
                facts["httpMethod"] = "GET"
            if method:
                facts["method"] = method
            if isinstance(params, dict):
                facts["params"] = _params(params)
            if session and method != "initialize":
                facts["session"] = session
            yield from _mcp("inbound", client, server, method or exchange.verb, facts, _asked(exchange, params) or session)

        answer = next((a for a in exchange.answers() if isinstance(a, dict) and ("result" in a or "error" in a)), {})
        asked = _asked(exchange, params)
        facts = {"requested": asked} if asked in MCP_FACET["revisions"] else {}
        if "error" in answer:
            facts["error"] = answer["error"]
        elif method == "server/discover" and "result" in answer:
            facts["discover"] = discover = answer["result"]
        elif method == "initialize" and "result" in answer:
            session = answer["result"]["protocolVersion"]
            if discover is not None:
                facts["discover"] = discover
            facts["initialize"] = answer["result"]
        else:
            continue
        yield from _mcp("outbound", client, server, exchange.label or method or exchange.verb, facts, asked)


def a2a_lines(run: list[Exchange], client: str, server: str, probe: bool) -> Iterator[dict]:
    for exchange in run:
        message = exchange.message()
        method = message.get("method") if isinstance(message, dict) else None
        query = exchange.target.partition("?")[2]
        if not probe:
            facts: dict[str, Any] = {"headers": _headers(exchange)}
            if query:
                facts["query"] = query
            if exchange.verb == "GET":
                facts["httpMethod"] = "GET"
            if method:
                facts["method"] = method
            yield _line("a2a", "inbound", client, server, method or "card", facts, A2A_FACET)

        named = {value for name, value in exchange.headers if name.lower() == "a2a-version"}
        facts = {"requested": version} if len(named) == 1 and (version := min(named)) in A2A_FACET["versions"] else {}
        answer = next((a for a in exchange.answers() if isinstance(a, dict)), {})
        if exchange.verb == "GET" and exchange.status == 200 and "name" in answer:
            facts["card"] = answer
        elif "jsonrpc" in answer and "error" in answer:
            facts["error"] = answer["error"]
        else:
            continue
        yield _line("a2a", "outbound", client, server, exchange.label or method or "card", facts, A2A_FACET)


def _headers(exchange: Exchange) -> list[list[str]]:
    """By name, repeats in their order: one client writes its headers in a new order each run."""
    kept = [pair for pair in exchange.headers if pair[0].lower() not in DROPPED_HEADERS]
    return sorted(kept, key=lambda pair: pair[0].lower())


def _params(params: dict) -> dict:
    kept = {key: params[key] for key in PARAMS if key in params}
    if isinstance(meta := params.get("_meta"), dict):
        kept["_meta"] = {key: value for key, value in meta.items() if key.startswith(META)}
    return kept


def _asked(exchange: Exchange, params: Any) -> str | None:
    """The one version that the request named; None if it named two."""
    params = params if isinstance(params, dict) else {}
    meta = params.get("_meta")
    meta = meta if isinstance(meta, dict) else {}
    named = {
        params.get("protocolVersion"),
        meta.get(META + "protocolVersion"),
        header(exchange.headers, "mcp-protocol-version"),
    } - {None}
    return named.pop() if len(named) == 1 else None


def _mcp(direction: str, client: str, server: str, what: str, facts: dict, named: str | None) -> Iterator[dict]:
    yield _line("mcp", direction, client, server, what, facts, MCP_FACET)
    if named == OLDER_MCP_FACET["minimumRevision"]:
        if direction == "outbound":
            facts = {"requested": named, **facts}
        yield _line("mcp", direction, client, server, f"{what}/floor-{named}", facts, OLDER_MCP_FACET)


def _line(protocol: str, direction: str, client: str, server: str, what: str, facts: dict, facet: dict) -> dict:
    exchange = {"protocol": protocol, "direction": direction, "authenticated": True, **_no_port(facts)}
    context = {"at": AT, "tenant": "acme", "workspace": "ws-1"}
    if direction == "outbound":
        context["peerUrl"] = "http://127.0.0.1/"
    return {
        "id": f"{protocol}-{direction}/{client}/{server}/{what}",
        "source": [client, server],
        "request": {"facets": {protocol: facet}, "exchange": exchange, "context": context},
    }


def _no_port(value: Any) -> Any:
    if isinstance(value, str):
        return re.sub(r"\b(127\.0\.0\.1|localhost):\d+", r"\1", value)
    if isinstance(value, list):
        return [_no_port(item) for item in value]
    if isinstance(value, dict):
        return {key: _no_port(item) for key, item in value.items()}
    return value


def finish(lines: list[dict]) -> list[dict]:
    """Drops repeats, orders the rest, numbers equal ids and adds the event ids.

    A repeat is the same request from the same client (inbound) or the same
    answer from the same server (outbound): what the other side was adds nothing.
    """
    kept: dict[str, dict] = {}
    for line in lines:
        exchange = line["request"]["exchange"]
        owner = line["source"][0 if exchange["direction"] == "inbound" else 1]
        kept.setdefault(json.dumps([owner, line["request"]["facets"], exchange], sort_keys=True), line)
    # Two requests of one client may be in flight at once: their order is chance.
    ordered = sorted(kept.values(), key=lambda line: (line["id"], json.dumps(line["request"], sort_keys=True)))
    seen: dict[str, int] = {}
    for line in ordered:
        name = line["id"]
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            line["id"] = f"{name}/{seen[name]}"
        line["request"]["context"]["eventId"] = "hev-" + hashlib.sha256(line["id"].encode()).hexdigest()[:24]
    return ordered
