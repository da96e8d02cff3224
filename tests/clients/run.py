#!/usr/bin/env python3
"""Published A2A and MCP clients and servers, as they are, against `negotiator serve` on loopback.

    python3 tests/clients/run.py NEGOTIATOR [--work DIR]

NEGOTIATOR is the command. The clients are those of tests/captures; the credential is added to
their requests on the way, as a gateway would. See README.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "captures"))

from capture import Kit, Peer  # noqa: E402
from hosted import ENVIRONMENT, Host, Scenario, running  # noqa: E402
from outwards import try_servers  # noqa: E402

NEGOTIATED = ("/mcp", "/a2a/jsonrpc", "/.well-known/agent-card.json")
SERVED = "served"
# What a client names unless it is told to, where that is below the newest.
OLDER = ("ts1.12", "ts1.20", "ts1", "ts2-legacy", "ts2-legacy-2025-06-18", "py1", "py2-legacy")


SCENARIOS = [
    Scenario("at its default", True, False, SERVED),
    Scenario("below the floor", True, True, "below-floor"),
    Scenario("without a credential", False, False, "unauthenticated"),
]


def ask(host: Host, client: Peer) -> int | str:
    command = [part.format(base=host.base, url=f"{host.base}/mcp") for part in client.command]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    try:
        return subprocess.run(command, env=ENVIRONMENT, timeout=60, **quiet).returncode
    except subprocess.TimeoutExpired:
        return "timeout"


def problems(host: Host, client: Peer, scenario: Scenario, expected: str) -> list[str]:
    """Everything that is not as it should be with one client."""
    before, heard = len(host.records()), len(host.events)
    host.gateway.take()
    ended = ask(host, client)
    asked = [one for one in host.gateway.take() if one.target.split("?")[0] in NEGOTIATED]
    records = host.records()[before:]
    for _ in range(50):
        if len(host.events) - heard >= len(records) or not scenario.credential:
            break
        time.sleep(0.1)
    events = host.events[heard:]
    found = []
    if not records or len(records) != len(asked):
        found.append(f"{len(asked)} exchanges and {len(records)} records")
    owned = [record["event"] for record in records if record["tenant"] == "clients"]
    if events != owned or len(owned) != (len(records) if scenario.credential else 0):
        found.append(f"{len(records)} records, {len(owned)} of the caller, {len(events)} on /host/events")
    said = [record["event"]["payload"] for record in records]
    outcomes = {payload["reason"] for payload in said}
    if expected == SERVED:
        if ended != 0:
            found.append(f"it ended with {ended}")
        if outcomes - {"ok"}:
            found.append(f"recorded: {', '.join(sorted(outcomes))}")
    else:
        if ended in (0, "timeout"):
            found.append(f"it ended with {ended}")
        if outcomes != {expected} or any(payload["outcome"] != "refused" for payload in said):
            found.append(f"recorded: {', '.join(sorted(outcomes))}")
    return found


def try_all(command: Path, kit: Kit, scenario: Scenario) -> bool:
    """Every client in one scenario; whether all is as it should be."""
    a2a = {peer.name: peer for peer in kit.a2a_clients()}
    # Where 0.3 is set by hand, the client itself does not expect what 0.3 answers.
    plain = ["js1", "js1-compat", "py1"] + (["py1-set-0.3"] if scenario.older != SERVED else [])
    behind = next(peer for peer in kit.mcp_servers() if peer.name == "py2")
    groups = [
        (None, [(a2a[name], scenario.older if name == "py1-set-0.3" else SERVED) for name in plain]),
        (behind, [(peer, scenario.older if peer.name in OLDER else SERVED) for peer in kit.mcp_clients()]),
    ]
    fine = True
    for server, clients in groups:
        with running(server) as upstream, tempfile.TemporaryDirectory() as folder:
            host = Host(command, Path(folder), scenario, upstream)
            try:
                for client, expected in clients:
                    found = problems(host, client, scenario, expected)
                    fine = fine and not found
                    verdict = "; ".join(found) or "as expected"
                    what = f"{client.package} ({client.name})"
                    print(f"{scenario.name:<21} {what:<52} {expected:<16} {verdict}", flush=True)
            finally:
                host.close()
    return fine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", type=Path, metavar="NEGOTIATOR")
    parser.add_argument("--work", type=Path, default=HERE.parent / "work" / "clients", help="where packages are installed")
    options = parser.parse_args()
    kit = Kit(options.work.resolve())
    kit.install()
    command = options.command.resolve()
    fine = [try_all(command, kit, scenario) for scenario in SCENARIOS]
    fine.append(try_servers(command, kit))
    sys.exit(0 if all(fine) else "not everything is as expected")


if __name__ == "__main__":
    main()
