"""The other way: the clients of `negotiator serve` against published servers."""

from __future__ import annotations

import http.client
import json
import tempfile
from pathlib import Path

from capture import Kit
from hosted import TOKEN, Host, Scenario, running

# What must be agreed with each; none where it cannot say what it speaks before a session begins.
A2A = {"js1": "1.0", "js1-compat": "1.0", "js0.3": "0.3", "py1": "1.0", "py1-compat": "1.0", "py0.3": "0.3"}
MCP = {"ts1": None, "ts2": "2026-07-28", "ts2-reject": "2026-07-28", "py1": None, "py2": "2026-07-28"}
ANY = Scenario("outwards", True, False, "")


def invoke(host: Host, protocol: str, url: str) -> dict:
    body = {"peerUrl": url} if protocol == "a2a" else {"serverUrl": url, "arguments": {"text": "hello"}}
    path = f"/conformance/seams/sample/{protocol}/invoke"
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    connection = http.client.HTTPConnection("127.0.0.1", host.port)
    connection.request("POST", path, json.dumps(body), headers)
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer


def try_servers(command: Path, kit: Kit) -> bool:
    """Every server once; whether all is as it should be."""
    fine = True
    groups = [("a2a", kit.a2a_servers(), A2A), ("mcp", kit.mcp_servers(), MCP)]
    with tempfile.TemporaryDirectory() as folder:
        host = Host(command, Path(folder), ANY, None)
        try:
            for protocol, servers, expected in groups:
                for server in servers:
                    with running(server) as port:
                        base = f"http://127.0.0.1:{port}"
                        before = len(host.records())
                        answer = invoke(host, protocol, base if protocol == "a2a" else f"{base}/mcp")
                        records = [record["event"] for record in host.records()[before:]]
                    version = expected[server.name]
                    found = problems(answer, records, version)
                    fine = fine and not found
                    what = f"{server.package} ({server.name})"
                    verdict = "; ".join(found) or "as expected"
                    print(f"{'our client':<21} {what:<52} {version or 'unsupported':<16} {verdict}", flush=True)
        finally:
            host.close()
    return fine


def problems(answer: dict, records: list[dict], version: str | None) -> list[str]:
    run = answer.get("runId") or answer.get("details", {}).get("runId")
    decided = [record for record in records if record.get("type") == "negotiation.decided"]
    payloads = [record["payload"] for record in decided if record.get("runId") == run]
    found = []
    if not payloads:
        return [f"no decision is in the log of its run: {json.dumps(answer)[:200]}"]
    last = payloads[-1]
    if version is None:
        if (last["outcome"], last["reason"]) != ("refused", "unsupported"):
            found.append(f"recorded: {last['outcome']}, {last['reason']}")
    elif last.get("version") != version or answer.get("negotiatedVersion") != version:
        found.append(f"recorded: {last.get('version')}, answered: {json.dumps(answer)[:200]}")
    elif "hello" not in json.dumps(answer["result"]) and "ping" not in json.dumps(answer["result"]):
        found.append(f"the server did not do it: {json.dumps(answer['result'])[:200]}")
    return found
