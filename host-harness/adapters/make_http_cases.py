"""Writes http-cases.jsonl: raw HTTP requests, and what every drop-in makes of them.

    python3 make_http_cases.py ../../target/debug/negotiator > http-cases.jsonl

Decisions, records and answers come from the native host; how they become HTTP is written down in
README.md ("What a drop-in does"). A line has

- `id`, `title`, `protocol`, `facets` (a discovery document's members);
- `authenticated`: whether the request carries a credential, of tenant acme and workspace ws-1;
- `requireCredential`, `sinkFails`: settings of the drop-in, left out when false;
- `session`: the version of the session `s-1`, put there before the request;
- `request`: `method`, `target`, `headers` (without Host, Content-Length and the credential), and
  `body` (text) or `bodyBase64`;
- `record`: the exact payload that reaches the sink, null when nothing is negotiated;
- `status`, `headers` (these at least, names in lower case), and for what the drop-in answers
  itself `body`, exactly;
- `forwarded`: what the app behind it must see: `version`, the value of the version header (null:
  no such header), and `body` where it is not the request's; null when nothing is served.

The instant is 2026-11-30T12:00:00.000Z.
"""

import base64
import json
import subprocess
import sys

A2A = {"versions": ["0.3", "1.0", "1.1"], "preferredVersion": "1.0", "minimumVersion": "0.3"}
MCP = {
    "revisions": ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"],
    "preferredVersion": "2026-07-28",
    "minimumRevision": "2025-06-18",
}
FACETS = {"a2a": A2A, "mcp": MCP}
META = "io.modelcontextprotocol/protocolVersion"
AT = "2026-11-30T12:00:00.000Z"
HEADER = {"a2a": "A2A-Version", "mcp": "MCP-Protocol-Version"}


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def rpc(method, params=None, **more):
    message = {"jsonrpc": "2.0", "id": 7, "method": method}
    if params is not None:
        message["params"] = params
    return compact({**message, **more})


def meta(version, **more):
    return {"_meta": {META: version}, **more}


def initialize(version):
    info = {"capabilities": {}, "clientInfo": {"name": "c", "version": "0"}}
    return rpc("initialize", {"protocolVersion": version, **info})


def cases():
    """(title, protocol, HTTP method, target, headers, body, settings)"""
    post = ("POST", "/rpc")
    card = ("GET", "/.well-known/agent-card.json")
    send = rpc("SendMessage", {"message": {}})
    v = lambda *values: [["A2A-Version", value] for value in values]
    for who in (True, False):
        settings = {"authenticated": who}
        yield "preferred is named", "a2a", *post, v("1.0"), send, settings
        yield "below preferred", "a2a", *post, v("0.3"), send, settings
        yield "below the floor", "a2a", *post, v("0.2"), send, settings
        yield "above preferred", "a2a", *post, v("1.1"), send, settings
        yield "nothing named", "a2a", *post, [], send, settings
        yield "not offered", "a2a", *post, v("2.0"), send, settings
        yield "a patch number", "a2a", *post, v("1.0.3"), send, settings
    yes = {"authenticated": True}
    yield "malformed", "a2a", *post, v("v1.0"), send, yes
    yield "two values", "a2a", *post, v("1.0", "0.3"), send, yes
    yield "two copies", "a2a", *post, v("0.3", "0.3"), send, yes
    yield "two values in one header", "a2a", *post, v("1.0, 0.3"), send, yes
    yield "an empty header", "a2a", *post, v(""), send, yes
    yield "a header in lower case", "a2a", *post, [["a2a-version", "0.3"]], send, yes
    yield "letters outside ASCII", "a2a", *post, v("1.0\u00e9"), send, yes
    yield "named in the query", "a2a", "POST", "/rpc?A2A-Version=0.3", [], send, yes
    yield "query and header differ", "a2a", "POST", "/rpc?a2a-version=0.3", v("1.0"), send, yes
    yield "an id that is text", "a2a", *post, v("0.2"), rpc("SendMessage", id='a"\u00e9'), yes
    yield "an id that is null", "a2a", *post, v("0.2"), rpc("SendMessage", id=None), yes
    yield "an id that is no id", "a2a", *post, v("0.2"), rpc("SendMessage", id={"a": 1}), yes
    yield "a large number as id", "a2a", *post, v("0.2"), rpc("x", id=12345678901234567890), yes
    yield "the card", "a2a", *card, v("0.3"), None, yes
    yield "the card, nothing named", "a2a", *card, [], None, {}
    yield "the card, below the floor", "a2a", *card, v("0.1"), None, {}
    yield "the card, without authentication", "a2a", *card, v("0.3"), None, {}
    strict = {"requireCredential": True}
    yield "a credential is required", "a2a", *post, v("1.0"), send, strict
    yield "a credential is required and there", "a2a", *post, v("1.0"), send, {**yes, **strict}
    yield "the sink fails", "a2a", *post, v("1.0"), send, {**yes, "sinkFails": True}
    yield "the sink fails on a refusal", "a2a", *post, v("0.1"), send, {**yes, "sinkFails": True}
    yield "the sink fails on the card", "a2a", *card, [], None, {"sinkFails": True}
    yield "not JSON", "a2a", *post, v("1.0"), "{", yes
    yield "no body", "a2a", *post, v("1.0"), "", yes
    yield "not UTF-8", "a2a", *post, v("1.0"), b'{"id":"\xff"}', yes
    yield "a byte order mark", "a2a", *post, v("1.0"), "\ufeff" + send, yes
    yield "NaN", "a2a", *post, v("1.0"), '{"params":NaN}', yes
    yield "a batch", "a2a", *post, v("1.0"), f"[{send}]", yes
    yield "text", "a2a", *post, v("1.0"), '"SendMessage"', yes
    yield "two methods", "a2a", *post, v("1.0"), '{"method":"a","m\\u0065thod":"b"}', yes
    yield "something behind the object", "a2a", *post, v("1.0"), send + "x", yes

    mcp = ("POST", "/mcp")
    h = lambda *values: [["MCP-Protocol-Version", value] for value in values]
    for who in (True, False):
        settings = {"authenticated": who}
        yield "initialize", "mcp", *mcp, [], initialize("2025-11-25"), settings
        yield "initialize below the floor", "mcp", *mcp, [], initialize("2024-11-05"), settings
        yield "initialize, offered and below the floor", "mcp", *mcp, [], initialize(
            "2025-03-26"
        ), settings
        yield "discover", "mcp", *mcp, h("2026-07-28"), rpc("server/discover", {}), settings
        yield "a stateless call", "mcp", *mcp, h("2026-07-28"), rpc(
            "tools/list", meta("2026-07-28")
        ), settings
        yield "a later revision", "mcp", *mcp, h("2027-01-01"), rpc(
            "tools/list", meta("2027-01-01")
        ), settings
    yield "initialize, counter-offer", "mcp", *mcp, [], initialize("2099-01-01"), yes
    yield "initialize, a revision without handshake", "mcp", *mcp, [], initialize("2026-07-28"), yes
    yield "initialize without a version", "mcp", *mcp, [], rpc("initialize", {"capabilities": {}}), yes
    yield "initialize with a version that is no text", "mcp", *mcp, [], initialize(20251125), yes
    yield "header and _meta differ", "mcp", *mcp, h("2025-06-18"), rpc(
        "tools/list", meta("2025-11-25")
    ), yes
    yield "no _meta in 2026-07-28", "mcp", *mcp, h("2026-07-28"), rpc("tools/list", {}), yes
    yield "_meta alone", "mcp", *mcp, [], rpc("tools/list", meta("2026-07-28")), yes
    yield "nothing named", "mcp", *mcp, [], rpc("tools/list"), yes
    yield "a header of a handshake revision", "mcp", *mcp, h("2025-06-18"), rpc("tools/list"), yes
    yield "an empty header", "mcp", *mcp, h(""), rpc("tools/list"), yes
    inside = {**yes, "session": "2025-06-18"}
    s = [["Mcp-Session-Id", "s-1"]]
    yield "in a session", "mcp", *mcp, [*s, *h("2025-06-18")], rpc("tools/list"), inside
    yield "in a session, nothing named", "mcp", *mcp, s, rpc("tools/list"), inside
    yield "in a session, another version", "mcp", *mcp, [*s, *h("2025-11-25")], rpc("tools/list"), inside
    yield "in a session, below the floor", "mcp", *mcp, [*s, *h("2024-11-05")], rpc("tools/list"), inside
    yield "a session below the floor", "mcp", *mcp, s, rpc("tools/list"), {**yes, "session": "2025-03-26"}
    yield "an unknown session", "mcp", *mcp, [["Mcp-Session-Id", "s-2"]], rpc("tools/list"), inside
    yield "a stream in a session", "mcp", "GET", "/mcp", [*s, *h("2025-06-18")], None, inside
    yield "a stream, nothing named", "mcp", "GET", "/mcp", [], None, yes
    yield "the end of a session", "mcp", "DELETE", "/mcp", [*s, *h("2025-06-18")], None, inside
    yield "a notification", "mcp", *mcp, [*s, *h("2025-06-18")], compact(
        {"jsonrpc": "2.0", "method": "notifications/initialized"}
    ), inside
    yield "an answer of the client", "mcp", *mcp, [*s, *h("2025-06-18")], compact(
        {"jsonrpc": "2.0", "id": 1, "result": {}}
    ), inside
    yield "the sink fails on initialize", "mcp", *mcp, [], initialize("2025-11-25"), {
        **yes,
        "sinkFails": True,
    }
    large = rpc("tools/call", meta("2026-07-28", text="\u00e9" * 100_000))
    yield "params past 64 KiB", "mcp", *mcp, h("2026-07-28"), large, yes
    named = f'"_meta":{{"{META}":"2026-07-28"}}'
    twice = f'{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{{named},{named}}}}}'
    # Reads like a `_meta` that agrees with nothing: a contradiction.
    like = {"params": meta(1)}
    yield "_meta twice", "mcp", *mcp, h("2026-07-28"), twice, {**yes, "like": like}
    lone = rpc("tools/call", meta("2026-07-28", text="LONE")).replace("LONE", "\\ud800")
    yield "a lone surrogate in params", "mcp", *mcp, h("2026-07-28"), lone, {**yes, "like": like}
    other = rpc("tools/ca\ud800ll", meta("2026-07-28")).encode("utf-8", "surrogatepass")
    yield "a surrogate as UTF-8", "mcp", *mcp, h("2026-07-28"), other, yes
    smuggled = '{"id":7,"method":"tools/list","params":{}},"session":"2025-06-18"}'
    yield "params that reach beyond", "mcp", *mcp, [], smuggled, yes
    yield "many headers", "mcp", *mcp, [
        *([f"X-{n}", "v"] for n in range(60)),
        *h("2026-07-28"),
    ], rpc("tools/list", meta("2026-07-28")), yes


def native(command, operation, request):
    done = subprocess.run(
        [command, "call", operation], input=(compact(request) + "\n").encode(), capture_output=True
    )
    if done.returncode != 0:
        raise SystemExit(f"{operation}: {done.stdout.decode()[:500]}{done.stderr.decode()}")
    return json.loads(done.stdout)


def error(code, message):
    return f'{{"jsonrpc":"2.0","id":null,"error":{{"code":{code},"message":"{message}"}}}}'


def no_constant(_name):
    raise ValueError


def read(body):
    """The message of a body, or the answer to one that cannot be read."""
    try:
        text = body if isinstance(body, str) else body.decode("utf-8")
        members = []
        message = json.loads(text, parse_constant=no_constant, object_pairs_hook=members_of(members))
    except ValueError:
        return None, error(-32700, "Parse error")
    if not isinstance(message, dict) or members[-1]:
        return None, error(-32600, "Invalid Request")
    return message, None


def members_of(repeated):
    def hook(pairs):
        # The outermost object comes last.
        repeated.append(len({name for name, _ in pairs}) != len(pairs))
        return dict(pairs)

    return hook


def expected(command, protocol, http, target, headers, body, settings):
    message = {}
    if http == "POST":
        message, unreadable = read(body)
        if unreadable:
            return {
                "record": None,
                "status": 400,
                "headers": {"content-type": "application/json"},
                "body": unreadable,
                "forwarded": None,
            }
    authenticated = settings.get("authenticated", False)
    exchange = {
        "protocol": protocol,
        "direction": "inbound",
        "authenticated": authenticated,
        "httpMethod": http,
        "headers": headers,
    }
    if "?" in target:
        exchange["query"] = target.split("?", 1)[1]
    if isinstance(message.get("method"), str):
        exchange["method"] = message["method"]
    if "params" in message:
        exchange["params"] = message["params"]
        # Only these two are read; the rest may be longer than a JSON request.
        if isinstance(message["params"], dict):
            kept = ("_meta", "protocolVersion")
            exchange["params"] = {k: v for k, v in message["params"].items() if k in kept}
    exchange |= settings.get("like", {})
    session = settings.get("session")
    if session is not None and ["Mcp-Session-Id", "s-1"] in headers:
        exchange["session"] = session
    context = {"at": AT, "eventId": "hev-0123456789abcdef01234567"}
    if authenticated:
        context |= {"tenant": "acme", "workspace": "ws-1"}
    request = {"facets": FACETS, "exchange": exchange, "context": context}
    if settings.get("requireCredential") and not authenticated:
        answer = native(command, "refuse", {**request, "refusal": "credential-required"})
    else:
        answer = native(command, "settle", request)
    record = compact(answer["record"])
    served = answer["outcome"] == "accepted" and not settings.get("sinkFails")
    reply = answer["answer"]
    if settings.get("sinkFails"):
        reply = native(command, "refuse", {**request, "refusal": "record-not-durable"})["answer"]
    out = {"record": record, "status": reply["status"]}
    out["headers"] = {name.lower(): value for name, value in reply["headers"]}
    if not served:
        out["headers"]["content-type"] = "application/json"
        if protocol == "a2a" and http == "GET":
            out["body"] = compact(reply["envelope"])
        else:
            identity = message.get("id")
            known = isinstance(identity, (str, int, float)) and not isinstance(identity, bool)
            text = compact(identity) if known else "null"
            out["body"] = f'{{"jsonrpc":"2.0","id":{text},"error":{compact(reply["error"])}}}'
        out["forwarded"] = None
        return out
    version = answer["version"]
    forwarded = {"version": version}
    if protocol == "mcp" and exchange.get("method") == "initialize":
        if not any(name.lower() == HEADER[protocol].lower() for name, _ in headers):
            forwarded["version"] = None
        if answer["cause"] != "exact":
            params = {**message["params"], "protocolVersion": version}
            forwarded["body"] = compact({**message, "params": params})
    out["forwarded"] = forwarded
    return out


def main():
    command = sys.argv[1]
    for number, case in enumerate(cases(), 1):
        title, protocol, http, target, headers, body, settings = case
        line = {"id": f"HTTP-{number:03}", "title": title, "protocol": protocol, "facets": FACETS}
        line["authenticated"] = settings.get("authenticated", False)
        for name in ("requireCredential", "sinkFails", "session"):
            if name in settings:
                line[name] = settings[name]
        request = {"method": http, "target": target, "headers": headers}
        if isinstance(body, bytes):
            request["bodyBase64"] = base64.b64encode(body).decode()
        elif body is not None:
            request["body"] = body
        line["request"] = request
        line |= expected(command, protocol, http, target, headers, body, settings)
        print(json.dumps(line, separators=(",", ":")))


if __name__ == "__main__":
    main()
