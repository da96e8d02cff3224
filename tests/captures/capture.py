#!/usr/bin/env python3
"""Runs published A2A and MCP packages against each other on loopback and rewrites
the captures beside this file. See README.md.

    python3 tests/captures/capture.py [--work DIR] [--rmcp]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import lines
import probes
from recorder import Exchange, Recorder

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Peer:
    """One program in one mode. {port}, {url} and {base} are filled in when it runs."""

    name: str  # in line ids
    package: str  # <package>@<version>, in `source`
    command: list[str]


class Kit:
    """The installed packages and the peers made of them."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.node_root = work / "npm"
        self.locked = json.loads((HERE / "package-lock.json").read_text())["packages"]

    def install(self) -> None:
        self.node_root.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, self.node_root / name)
        # Node finds packages from where a program lies.
        shutil.copytree(HERE / "peers", self.node_root / "peers", dirs_exist_ok=True)
        run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], cwd=self.node_root)
        for name in ("current", "older"):
            if not self.python(name).exists():
                venv.create(self.work / f"python-{name}", with_pip=True)
            pip = [str(self.python(name)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            run([*pip, "-r", str(HERE / f"requirements-{name}.txt")])

    def python(self, name: str) -> Path:
        return self.work / f"python-{name}" / "bin" / "python"

    def node_peer(self, name: str, module: str, script: str, *args: str) -> Peer:
        entry = self.locked[f"node_modules/{module}"]
        package = f"{entry.get('name', module)}@{entry['version']}"
        return Peer(name, package, ["node", str(self.node_root / "peers" / script), *args])

    def python_peer(self, name: str, where: str, package: str, script: str, *args: str) -> Peer:
        pinned = (HERE / f"requirements-{where}.txt").read_text().splitlines()
        version = next(line.split("==")[1] for line in pinned if line.startswith(f"{package}=="))
        return Peer(name, f"{package}@{version}", [str(self.python(where)), str(HERE / "peers" / script), *args])

    def rmcp_peers(self) -> tuple[list[Peer], list[Peer]]:
        target = self.work / "rmcp"
        build = ["cargo", "build", "--quiet", "--locked", "--manifest-path", str(HERE / "rmcp" / "Cargo.toml")]
        run([*build, "--target-dir", str(target)])
        lock = (HERE / "rmcp" / "Cargo.lock").read_text()
        version = lock.split('name = "rmcp"\nversion = "', 1)[1].split('"', 1)[0]
        program = str(target / "debug" / "rmcp-capture")
        servers = [Peer("rmcp", f"rmcp@{version}", [program, "serve", "{port}"])]
        modes = ("auto", "legacy", "pin")
        clients = [Peer(f"rmcp-{mode}", f"rmcp@{version}", [program, "call", "{url}", mode]) for mode in modes]
        return servers, clients

    def mcp_servers(self) -> list[Peer]:
        node, python = self.node_peer, self.python_peer
        return [
            node("ts1", "@modelcontextprotocol/sdk", "mcp-server-1.mjs", "{port}"),
            node("ts2", "@modelcontextprotocol/server", "mcp-server-2.mjs", "{port}", "stateless"),
            node("ts2-reject", "@modelcontextprotocol/server", "mcp-server-2.mjs", "{port}", "reject"),
            python("py1", "older", "mcp", "mcp_server.py", "{port}"),
            python("py2", "current", "mcp", "mcp_server.py", "{port}"),
        ]

    def mcp_clients(self) -> list[Peer]:
        node, python = self.node_peer, self.python_peer
        two = ("@modelcontextprotocol/client", "mcp-client-2.mjs", "{url}")
        return [
            *(
                node(name, module, "mcp-client-1.mjs", "{url}", module)
                for name, module in (
                    ("ts1.12", "mcp-sdk-1.12"),
                    ("ts1.20", "mcp-sdk-1.20"),
                    ("ts1", "@modelcontextprotocol/sdk"),
                )
            ),
            node("ts2-legacy", *two, "legacy"),
            node("ts2-legacy-2025-06-18", *two, "legacy", "2025-06-18"),
            node("ts2-auto", *two, "auto"),
            node("ts2-pin", *two, "pin", "2026-07-28"),
            python("py1", "older", "mcp", "mcp_client.py", "{url}", "session"),
            *(
                python(f"py2-{name}", "current", "mcp", "mcp_client.py", "{url}", mode)
                for name, mode in (("legacy", "legacy"), ("auto", "auto"), ("pin", "2026-07-28"))
            ),
        ]

    def a2a_servers(self) -> list[Peer]:
        node, python = self.node_peer, self.python_peer
        return [
            node("js1", "@a2a-js/sdk", "a2a-server.mjs", "{port}", "{base}", "native"),
            node("js1-compat", "@a2a-js/sdk", "a2a-server.mjs", "{port}", "{base}", "compat"),
            node("js0.3", "a2a-sdk-0.3", "a2a-server-0.3.mjs", "{port}", "{base}"),
            python("py1", "current", "a2a-sdk", "a2a_server.py", "{port}", "{base}", "native"),
            python("py1-compat", "current", "a2a-sdk", "a2a_server.py", "{port}", "{base}", "compat"),
            python("py0.3", "older", "a2a-sdk", "a2a_server_0_3.py", "{port}", "{base}"),
        ]

    def a2a_clients(self) -> list[Peer]:
        node, python = self.node_peer, self.python_peer
        return [
            node("js1", "@a2a-js/sdk", "a2a-client.mjs", "{base}", "native"),
            node("js1-compat", "@a2a-js/sdk", "a2a-client.mjs", "{base}", "compat"),
            node("js0.3", "a2a-sdk-0.3", "a2a-client-0.3.mjs", "{base}"),
            python("py1", "current", "a2a-sdk", "a2a_client.py", "{base}"),
            python("py1-set-0.3", "current", "a2a-sdk", "a2a_client.py", "{base}", "0.3"),
            python("py1-set-2.0", "current", "a2a-sdk", "a2a_client.py", "{base}", "2.0"),
            python("py0.3", "older", "a2a-sdk", "a2a_client_0_3.py", "{base}"),
        ]


def run(command: list[str], cwd: Path | None = None) -> None:
    subprocess.run(command, cwd=cwd, check=True)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port: int, server: subprocess.Popen) -> None:
    for _ in range(300):
        if server.poll() is not None:
            break
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit("a server did not start")


ToLines = Callable[[list[Exchange], str, str, bool], Iterable[dict]]
PLAIN = Peer("plain", "plain HTTP", [])


def against(server: Peer, clients: list[Peer], requests: list[probes.Probe], to_lines: ToLines) -> list[dict]:
    """Runs every client and every probe against one server, one after the other."""
    port = free_port()
    recorder = Recorder(port)
    base = f"http://127.0.0.1:{recorder.port}"
    where = {"port": str(port), "base": base, "url": f"{base}/mcp"}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environment = {**os.environ, "NO_PROXY": "127.0.0.1", "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.Popen([part.format(**where) for part in server.command], env=environment, **quiet)
    found: list[dict] = []

    def add(client: Peer, probe: bool) -> None:
        for line in to_lines(recorder.take(), client.name, server.name, probe):
            found.append({**line, "source": [client.package, server.package]})

    try:
        wait_for(port, process)
        for client in clients:
            command = [part.format(**where) for part in client.command]
            try:
                done = subprocess.run(command, env=environment, timeout=60, **quiet).returncode
            except subprocess.TimeoutExpired:
                done = "timeout"
            print(f"  {client.name:<24} {'ok' if done == 0 else f'ended with {done}'}", file=sys.stderr)
            add(client, probe=False)
        for request in requests:
            recorder.label = request[0]
            probes.send(recorder.port, request)
            add(PLAIN, probe=True)
    finally:
        process.terminate()
        process.wait()
        recorder.close()
    return found


def write(prefix: str, found: list[dict]) -> None:
    finished = lines.finish(found)
    for direction in ("inbound", "outbound"):
        path = HERE / f"{prefix}-{direction}.jsonl"
        chosen = [line for line in finished if line["request"]["exchange"]["direction"] == direction]
        with path.open("w", encoding="utf-8") as file:
            for line in chosen:
                line["source"] = " → ".join(line["source"])
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        print(f"{path.name}: {len(chosen)}", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=HERE / "work", help="where packages are installed")
    parser.add_argument("--rmcp", action="store_true", help="capture rmcp too (compiles a crate)")
    options = parser.parse_args()
    kit = Kit(options.work.resolve())
    kit.install()

    def capture(servers: list[Peer], clients: list[Peer], requests: list[probes.Probe], to_lines: ToLines) -> list[dict]:
        found = []
        for server in servers:
            print(f"{server.name} ({server.package})", file=sys.stderr)
            found += against(server, clients, requests, to_lines)
        return found

    mcp = list(probes.mcp())
    write("mcp", capture(kit.mcp_servers(), kit.mcp_clients(), mcp, lines.mcp_lines))
    write("a2a", capture(kit.a2a_servers(), kit.a2a_clients(), list(probes.a2a()), lines.a2a_lines))
    if options.rmcp:
        servers, clients = kit.rmcp_peers()
        found = capture(servers, [*kit.mcp_clients(), *clients], mcp, lines.mcp_lines)
        found += capture(kit.mcp_servers(), clients, [], lines.mcp_lines)
        package = servers[0].package

        def says(line: dict) -> str:
            return line["source"][line["request"]["exchange"]["direction"] == "outbound"]

        write("rmcp", [line for line in found if says(line) == package])


if __name__ == "__main__":
    main()
