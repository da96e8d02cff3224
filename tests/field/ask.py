#!/usr/bin/env python3
"""Asks published A2A and MCP servers, and the negotiator, the same questions, and writes the
answers side by side to tests/field.md.

    python3 tests/field/ask.py [--work DIR] [--negotiator PROGRAM] [--rmcp]

The packages and their versions are those of tests/captures, whose programs are used too. All
servers run on loopback. Needs Python 3.11, Node.js 20 with npm, and for --rmcp cargo.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "captures"))

import capture  # noqa: E402
import questions  # noqa: E402
from questions import Answer, Question  # noqa: E402
from report import report  # noqa: E402

# What the negotiator is told to offer, for the servers that offer the same.
POSTURES = {
    "mcp": {
        "ours": {
            "mcp": {
                "revisions": ["2025-06-18", "2025-11-25", "2026-07-28"],
                "preferredVersion": "2026-07-28",
                "minimumRevision": "2025-06-18",
                "refreshedAt": "2026-11-01",
            }
        },
    },
    "a2a": {
        "ours": {"a2a": {"versions": ["1.0"], "preferredVersion": "1.0", "minimumVersion": "1.0", "refreshedAt": "2026-11-01"}},
        "ours-0.3": {"a2a": {"versions": ["0.3"], "preferredVersion": "0.3", "minimumVersion": "0.3", "refreshedAt": "2026-11-01"}},
        "ours-compat": {
            "a2a": {"versions": ["0.3", "1.0"], "preferredVersion": "1.0", "minimumVersion": "0.3", "refreshedAt": "2026-11-01"}
        },
    },
}


def ask_server(server: capture.Peer, asked: list[Question]) -> list[Answer]:
    """Starts a server and asks it everything, in order."""
    port = capture.free_port()
    base = f"http://127.0.0.1:{port}"
    where = {"port": str(port), "base": base, "url": f"{base}/mcp"}
    environment = {**os.environ, "NO_PROXY": "127.0.0.1", "PYTHONDONTWRITEBYTECODE": "1"}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([part.format(**where) for part in server.command], env=environment, **quiet)
    try:
        capture.wait_for(port, process)
        return [question.ask(port) for question in asked]
    finally:
        process.terminate()
        process.wait()


def ask_us(program: Path, facets: dict, asked: list[Question]) -> list[Answer]:
    """One `settle` for each question; who asks has proven who they are."""
    requests = [
        {"facets": facets, "exchange": question.exchange(), "context": {"at": "2026-11-30T12:00:00Z"}} for question in asked
    ]
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run([str(program), "call", "settle"], input=lines, text=True, stdout=subprocess.PIPE, check=True)
    settled = [json.loads(line) for line in done.stdout.splitlines()]
    return [questions.ours(question, answer) for question, answer in zip(asked, settled, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=ROOT / "tests/captures/work", help="where packages are installed")
    parser.add_argument("--negotiator", type=Path, default=ROOT / "target/debug/negotiator", help="the command")
    parser.add_argument("--rmcp", action="store_true", help="ask rmcp, too (compiles a crate)")
    options = parser.parse_args()
    kit = capture.Kit(options.work.resolve())
    kit.install()
    mcp_servers = kit.mcp_servers()
    if options.rmcp:
        mcp_servers += kit.rmcp_peers()[0]

    tables = []
    for protocol, servers, asked in (
        ("mcp", mcp_servers, questions.mcp()),
        ("a2a", kit.a2a_servers(), questions.a2a()),
    ):
        columns = []
        for name, facets in POSTURES[protocol].items():
            columns.append((capture.Peer(name, "this project", []), ask_us(options.negotiator.resolve(), facets, asked)))
        for server in servers:
            print(f"{server.name} ({server.package})", file=sys.stderr)
            columns.append((server, ask_server(server, asked)))
        tables.append((protocol, asked, columns))
    path = HERE.parent / "field.md"
    path.write_text(report(tables), encoding="utf-8")
    print(f"wrote {path.relative_to(ROOT)}", file=sys.stderr)


if __name__ == "__main__":
    main()
