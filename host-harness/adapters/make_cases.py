"""Writes cases.jsonl: odd input, and what the native host answers to it.

    cargo build --locked -p negotiator
    python3 make_cases.py ../../target/debug/negotiator > cases.jsonl

Every adapter must give the same answers, byte for byte. A line has an `id`, a `title`, the
operation `op`, the exact text of the request (`requestText`), whether it is answered (`ok`), and
the exact text of the answer or error (`answerText`). `requestText` is text: a lone surrogate stands
in it as the JSON escape that a request carries it in.
"""

import json
import subprocess
import sys

A2A = {
    "versions": ["0.3", "1.0"],
    "preferredVersion": "1.0",
    "minimumVersion": "0.3",
    "refreshedAt": "2026-11-01",
}
MCP = {
    "revisions": ["2025-06-18", "2025-11-25", "2026-07-28"],
    "preferredVersion": "2026-07-28",
    "minimumRevision": "2025-06-18",
    "refreshedAt": "2026-11-01",
}
FACETS = {"a2a": A2A, "mcp": MCP}
CONTEXT = {
    "at": "2026-11-30T12:00:00Z",
    "tenant": "acme",
    "workspace": "ws-1",
    "eventId": "hev-0123456789abcdef01234567",
}
LIMIT = 65536
META = "io.modelcontextprotocol/protocolVersion"


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def settle(protocol="a2a", context=None, **exchange):
    facts = {"protocol": protocol, "direction": "inbound", "authenticated": True}
    return {
        "facets": FACETS,
        "exchange": {**facts, **exchange},
        "context": {**CONTEXT, **(context or {})},
    }


def padded(length):
    """A settle request of exactly `length` bytes of UTF-8."""
    request = settle(headers=[["A2A-Version", "1.0"], ["X-Pad", ""]])
    request["exchange"]["headers"][1][1] = "x" * (length - len(compact(request).encode()))
    return compact(request)


def cases():
    foreign = "caf\u00e9 \u65e5\u672c\u8a9e \U0001f600 \u202e\u0000"
    many = [[f"X-Header-{n}", "v"] for n in range(999)]
    yield "settle", "a header of another script", settle(headers=[["A2A-Version", foreign]])
    yield "settle", "digits of another script", settle(headers=[["A2A-Version", "\u0661.\u0660"]])
    yield "settle", "full-width digits", settle(headers=[["A2A-Version", "\uff11.\uff10"]])
    yield (
        "settle",
        "a no-break space around a version",
        settle(headers=[["A2A-Version", "\u00a01.0"]]),
    )
    yield (
        "settle",
        "a header name that folds to an ASCII one",
        settle(headers=[["A2A-Ver\u017fion", "0.3"]]),
    )
    yield "settle", "a Kelvin sign in a header name", settle(headers=[["\u212a", "0.3"]])
    yield "settle", "NUL at the end of a version", settle(headers=[["A2A-Version", "1.0\u0000"]])
    yield "settle", "NUL in a header name", settle(headers=[["A2A-Version\u0000", "0.3"]])
    yield "settle", "NUL in a method", settle("mcp", method="initialize\u0000", params={})
    yield (
        "settle",
        "a NUL version in a body",
        settle("mcp", method="initialize", params={"protocolVersion": "2025-11-25\u0000"}),
    )
    yield (
        "settle",
        "a combining mark behind a version",
        settle("mcp", method="initialize", params={"protocolVersion": "2025-11-25\u0301"}),
    )
    yield (
        "settle",
        "a byte order mark before a version",
        settle("mcp", method="tools/list", params={"_meta": {META: "\ufeff2026-07-28"}}),
    )
    yield (
        "settle",
        "non-characters and the last code point",
        settle(headers=[["A2A-Version", "\ufffe\uffff\U0010ffff"]]),
    )
    yield (
        "settle",
        "line separators in params",
        settle(
            "mcp",
            method="tools/call",
            params={"name": "a\u2028b\u2029c", "_meta": {META: "2026-07-28"}},
            headers=[["MCP-Protocol-Version", "2026-07-28"]],
        ),
    )
    yield (
        "settle",
        "a pair of surrogates as escapes",
        (compact(settle(headers=[["A2A-Version", "PAIR"]])).replace("PAIR", "\\ud83d\\ude00")),
    )
    for title, escape in [
        ("a lone high surrogate", "\\ud800"),
        ("a lone low surrogate", "\\udc00"),
        ("surrogates in the wrong order", "\\udc00\\ud800"),
        ("a high surrogate before a letter", "\\ud800x"),
        ("an upper-case lone surrogate", "\\uD800"),
    ]:
        for place, text in [
            ("a header", settle(headers=[["A2A-Version", "HERE"]])),
            ("a header name", settle(headers=[["HERE", "1.0"]])),
            ("params", settle("mcp", method="initialize", params={"protocolVersion": "HERE"})),
            ("a member name", settle("mcp", method="initialize", params={"HERE": 1})),
            ("the context", settle(context={"peerUrl": "https://HERE.example/"})),
        ]:
            yield "settle", f"{title} in {place}", compact(text).replace("HERE", escape)
    yield "digest", "a lone surrogate in a URL", '{"url":"https://\\ud800.example/"}'
    yield (
        "settle",
        "1,000 headers, the version last",
        settle(headers=[*many, ["A2A-Version", "0.3"]]),
    )
    yield "settle", "1,000 copies of one version", settle(headers=[["A2A-Version", "0.3"]] * 1000)
    yield (
        "settle",
        "1,000 headers, two versions",
        settle(headers=[["A2A-Version", "0.3"], *many[1:], ["a2a-version", "1.0"]]),
    )
    yield (
        "settle",
        "1,000 versions in one header",
        settle(headers=[["A2A-Version", ",".join(f"{n}.0" for n in range(1000))]]),
    )
    yield "settle", "1,000 empty parts in one header", settle(headers=[["A2A-Version", "," * 1000]])
    yield "settle", "a request of 64 KiB", padded(LIMIT)
    yield "settle", "a request of 64 KiB and one byte", padded(LIMIT + 1)
    wide = settle(headers=[["A2A-Version", "1.0"], ["X", "\u00e9" * 32000]])
    yield "settle", "a header value of 32,000 two-byte letters", wide
    yield (
        "settle",
        "a header value of 64 KiB of two-byte letters",
        settle(headers=[["A2A-Version", "1.0"], ["X", "\u00e9" * 32768]]),
    )
    yield "settle", "a version of 60,000 digits", settle(headers=[["A2A-Version", "1" * 60000]])
    yield "settle", "a query of 60,000 bytes", settle(query="A2A-Version=1.0&x=" + "y" * 60000)
    yield "settle", "a percent-encoded NUL in a query", settle(query="A2A-Version=1.0%00")
    yield "settle", "broken UTF-8 in a query", settle(query="A2A-Version=%ff%fe")
    yield "settle", "an encoded surrogate in a query", settle(query="A2A-Version=%ED%A0%80")
    yield "settle", "an encoded name in a query", settle(query="%41%32A-Version=0.3")
    yield "digest", "a host of another script", {"url": "https://B\u00dcCHER.example:443/x"}
    yield "digest", "a host with an emoji", {"url": "https://\U0001f600.example/"}
    yield "digest", "a NUL in a URL", {"url": "https://peer.example/\u0000"}
    yield "digest", "a URL of 60,000 bytes", {"url": "https://peer.example/" + "x" * 60000}
    yield "digest", "a host of 60,000 bytes", {"url": "https://" + "a" * 60000 + ".example/"}
    yield "task-state", "a status with a NUL", {"status": "running\u0000"}
    yield (
        "check",
        "a document of another script",
        {
            "document": {
                "protocolVersions": ["2.0"],
                "preferredVersion": "2.0",
                "\u65e5\u672c": foreign,
            },
            "now": "2026-11-30T12:00:00Z",
        },
    )
    yield "settle", "a byte order mark before the request", "\ufeff" + compact(settle())
    yield "settle", "the empty text", ""
    yield "settle", "spaces around the request", " \t" + compact(settle()) + " \t"
    yield (
        "settle",
        "params nested 120 deep",
        compact(settle("mcp", method="initialize", params="DEEP")).replace(
            '"DEEP"', "[" * 120 + "]" * 120
        ),
    )
    yield (
        "settle",
        "params nested 200 deep",
        compact(settle("mcp", method="initialize", params="DEEP")).replace(
            '"DEEP"', "[" * 200 + "]" * 200
        ),
    )
    yield (
        "settle",
        "the greatest sequence",
        compact(settle(context={"runId": "acme/" + "r" * 16, "sequence": 18446744073709551615})),
    )
    yield (
        "settle",
        "a sequence that a double cannot hold",
        compact(settle(context={"runId": "acme/" + "r" * 16, "sequence": 9007199254740993})),
    )
    yield (
        "settle",
        "a sequence past 64 bits",
        compact(settle(context={"runId": "acme/" + "r" * 16, "sequence": 18446744073709551616})),
    )


def main():
    command = sys.argv[1]
    for number, (op, title, request) in enumerate(cases(), 1):
        text = request if isinstance(request, str) else compact(request)
        done = subprocess.run(
            [command, "call", op], input=(text + "\n").encode(), capture_output=True, check=False
        )
        if done.returncode not in (0, 2):
            sys.exit(f"{title}: {done.stderr.decode()}")
        answer = done.stdout.decode().removesuffix("\n")
        line = {"id": f"ODD-{number:03}", "title": title, "op": op, "requestText": text}
        line |= {"ok": done.returncode == 0, "answerText": answer}
        print(json.dumps(line, separators=(",", ":")))


if __name__ == "__main__":
    main()
