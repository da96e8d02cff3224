"""An MCP server that negotiates: the floor in front of `mcp`'s own app.

    python examples/mcp_server.py [--port 8000] [--journal records.jsonl]

`Authorization: Bearer demo` proves who you are; use your own check instead.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server import MCPServer

from openwop_negotiator import Facet, Facets, Negotiator, Settlement, Subject
from openwop_negotiator.asgi import Caller, NegotiationMiddleware

FACETS = Facets(
    mcp=Facet(
        offered=["2025-06-18", "2025-11-25", "2026-07-28"],
        preferred="2026-07-28",
        floor="2025-11-25",
    )
)

server = MCPServer("clock")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


def who(scope: Any) -> Caller | None:
    if (b"authorization", b"Bearer demo") in scope["headers"]:
        return Caller(Subject("acme", "ws-1"))
    return None


def journal(path: Path) -> Any:
    """A sink that returns when the record is on disk."""

    def append(settlement: Settlement) -> None:
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{settlement.entry.event}\n")
            file.flush()
            os.fsync(file.fileno())

    return append


def app(path: Path) -> NegotiationMiddleware:
    return NegotiationMiddleware(
        server.streamable_http_app(),
        negotiator=Negotiator(FACETS),
        protocol="mcp",
        sink=journal(path),
        authenticate=who,
        paths=["/mcp"],
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--journal", type=Path, default=Path("records.jsonl"))
    options = parser.parse_args()
    uvicorn.run(app(options.journal), host="127.0.0.1", port=options.port)
