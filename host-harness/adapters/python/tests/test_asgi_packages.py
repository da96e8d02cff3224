"""The middleware in front of the real `mcp` and `a2a-sdk` apps, with their own clients."""

from __future__ import annotations

import asyncio
import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from conftest import EXAMPLES, free_port, records, serving
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    },
}
ACCEPT = {"Accept": "application/json, text/event-stream"}
CREDENTIAL = {"Authorization": "Bearer demo"}


def mcp_app(journal: Path) -> Any:
    # Its own module each time: an app of `mcp` can be started once.
    return runpy.run_path(str(EXAMPLES / "mcp_server.py"))["app"](journal)


@pytest.mark.parametrize(
    ("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25"), ("2026-07-28",) * 2]
)
def test_an_mcp_client_connects_and_is_recorded(tmp_path: Path, mode: str, version: str) -> None:
    journal = tmp_path / "records.jsonl"

    async def use(base: str) -> None:
        http = httpx2.AsyncClient(headers=CREDENTIAL)
        transport = streamable_http_client(f"{base}/mcp", http_client=http)
        async with Client(transport, mode=mode) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == ["add"]
            assert not (await client.call_tool("add", {"a": 1, "b": 2})).is_error

    with serving(mcp_app(journal), free_port()) as base:
        asyncio.run(use(base))
    found = records(journal)
    assert len(found) >= 2
    assert {record["version"] for record in found} == {version}


def test_a_legacy_mcp_client_without_credential_is_refused(tmp_path: Path) -> None:
    journal = tmp_path / "records.jsonl"

    async def use(base: str) -> None:
        async with Client(f"{base}/mcp", mode="legacy") as client:
            await client.list_tools()

    with serving(mcp_app(journal), free_port()) as base:
        with pytest.raises(BaseException, match=r"401|Unsupported|Unauthorized|unhandled errors"):
            asyncio.run(use(base))
    assert [record["reason"] for record in records(journal)] == ["unauthenticated"]


def test_mcp_counter_offer_session_and_floor(tmp_path: Path) -> None:
    journal = tmp_path / "records.jsonl"
    newer = json.loads(json.dumps(INITIALIZE))
    newer["params"]["protocolVersion"] = "2099-01-01"
    below = json.loads(json.dumps(INITIALIZE))
    below["params"]["protocolVersion"] = "2025-06-18"
    with (
        serving(mcp_app(journal), free_port()) as base,
        httpx.Client(headers={**ACCEPT, **CREDENTIAL}, base_url=base) as client,
    ):
        answer = client.post("/mcp", json=newer)
        assert answer.headers["mcp-protocol-version"] == "2025-11-25"
        # `mcp` answers with an event stream; the version in it is the one on record.
        assert '"protocolVersion":"2025-11-25"' in answer.text
        session = {"Mcp-Session-Id": answer.headers["mcp-session-id"]}
        listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
        assert client.post("/mcp", json=listing, headers=session).status_code == 200
        moved = client.post(
            "/mcp", json=listing, headers={**session, "MCP-Protocol-Version": "2025-06-18"}
        )
        assert moved.status_code == 400
        assert client.post("/mcp", json=below).json()["error"]["code"] == -32602
        assert client.request("DELETE", "/mcp", headers=session).status_code == 200
        forgotten = client.post("/mcp", json=listing, headers=session)
        assert forgotten.json()["error"]["code"] == -32022
    found = records(journal)
    assert [record["reason"] for record in found] == [
        "ok",
        "ok",
        "below-floor",
        "below-floor",
        "ok",
        "unsupported",
    ]
    assert (found[0]["requested"], found[0]["version"]) == ("2099-01-01", "2025-11-25")


def test_a_full_disk_refuses(tmp_path: Path) -> None:
    missing = tmp_path / "no-such-folder" / "records.jsonl"
    with serving(mcp_app(missing), free_port()) as base:
        answer = httpx.post(f"{base}/mcp", json=INITIALIZE, headers={**ACCEPT, **CREDENTIAL})
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "1"
    assert answer.json()["error"]["message"] == "The negotiation could not be recorded"


def a2a_app(port: int, journal: Path) -> Any:
    return runpy.run_path(str(EXAMPLES / "a2a_server.py"))["app"](port, journal)


def test_an_a2a_client_connects_and_is_recorded(tmp_path: Path) -> None:
    from a2a.client import ClientConfig, ClientFactory
    from a2a.helpers import new_text_message
    from a2a.types.a2a_pb2 import Role, SendMessageRequest

    journal, port = tmp_path / "records.jsonl", free_port()

    async def use(base: str) -> None:
        client = await ClientFactory(ClientConfig(streaming=False)).create_from_url(base)
        request = SendMessageRequest(message=new_text_message("hello", role=Role.ROLE_USER))
        answers = [answer async for answer in client.send_message(request)]
        assert answers
        await client.close()

    with serving(a2a_app(port, journal), port) as base:
        asyncio.run(use(base))
    found = records(journal)
    assert [record["version"] for record in found] == ["1.0", "1.0"]
    assert {record["reason"] for record in found} == {"ok"}


def test_a2a_below_preferred_needs_a_credential(tmp_path: Path) -> None:
    journal, port = tmp_path / "records.jsonl", free_port()
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "message/send",
        "params": {
            "message": {
                "kind": "message",
                "messageId": "m-1",
                "role": "user",
                "parts": [{"kind": "text", "text": "hello"}],
            }
        },
    }
    old = {"A2A-Version": "0.3"}
    with serving(a2a_app(port, journal), port) as base:
        stranger = httpx.post(f"{base}/rpc", json=body, headers=old)
        assert stranger.status_code == 401
        assert stranger.headers["www-authenticate"] == "Bearer"
        assert stranger.json()["error"]["code"] == -32009
        known = httpx.post(f"{base}/rpc", json=body, headers={**old, **CREDENTIAL})
        assert known.headers["a2a-version"] == "0.3"
        assert known.json()["result"]["parts"][0]["text"] == "hello"
        # `a2a-sdk` reads a call without the header as 0.3; the version decided is preferred.
        card = httpx.get(f"{base}/.well-known/agent-card.json")
        assert card.headers["a2a-version"] == "1.0"
        refused = httpx.get(
            f"{base}/.well-known/agent-card.json", headers={"A2A-Version": "0.1"}
        )
        assert refused.json()["error"] == "interop_version_unsupported"
    assert [record["reason"] for record in records(journal)] == [
        "unauthenticated",
        "ok",
        "ok",
        "below-floor",
    ]


def test_the_quick_start_of_the_readme_runs() -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    code = readme.split("```python\n")[1].split("```")[0]
    assert len(code.strip().splitlines()) <= 10
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("0.3 ")
