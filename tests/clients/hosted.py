"""`negotiator serve` as a child, behind something that adds the credential."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from capture import Peer, free_port, wait_for
from recorder import Recorder

TOKEN = "a-client-of-the-tests"
ENVIRONMENT = {**os.environ, "NO_PROXY": "127.0.0.1", "PYTHONDONTWRITEBYTECODE": "1"}
A2A = ["0.3", "1.0"]
MCP = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]


@dataclass(frozen=True)
class Scenario:
    name: str
    credential: bool
    floor_is_preferred: bool
    # Of the clients that ask for less than preferred.
    older: str


class Gateway(Recorder):
    """Adds the credential, if there is one."""

    def __init__(self, upstream: int, credential: bool) -> None:
        super().__init__(upstream)
        if credential:
            self.added = [f"Authorization: Bearer {TOKEN}".encode()]


class Host:
    """`negotiator serve`, and everything that it says it recorded."""

    def __init__(self, command: Path, folder: Path, scenario: Scenario, upstream: int | None) -> None:
        self.command, self.journal, self.port = command, folder / "journal.db", free_port()
        self.gateway = Gateway(self.port, scenario.credential)
        self.base = f"http://127.0.0.1:{self.gateway.port}"
        a2a, mcp = (A2A[-1:], MCP[-1:]) if scenario.floor_is_preferred else (A2A, MCP)
        today = time.strftime("%Y-%m-%d", time.gmtime())
        settings = {
            "listen": f"127.0.0.1:{self.port}",
            "public_url": self.base,
            "journal": str(self.journal),
            "require_credential": scenario.credential,
            "seams": True,
        }
        if upstream:
            settings["upstream"] = f"http://127.0.0.1:{upstream}"
        text = "".join(f"{name} = {json.dumps(value)}\n" for name, value in settings.items())
        for name, members, versions in (("a2a", "versions", a2a), ("mcp", "revisions", mcp)):
            text += f'[{name}]\n{members} = {json.dumps(versions)}\npreferred = "{versions[-1]}"\n'
            text += f'minimum = "{versions[0]}"\nrefreshed_at = "{today}"\n'
        digest = hashlib.sha256(TOKEN.encode()).hexdigest()
        text += f'[[credentials]]\ntoken_sha256 = "{digest}"\ntenant = "clients"\n'
        config = folder / "host.toml"
        config.write_text(text)
        log = (folder / "log").open("w")
        self.process = subprocess.Popen([command, "serve", "--config", config], stderr=log)
        wait_for(self.port, self.process)
        self.events: list[dict] = []
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port)
        headers = {"Authorization": f"Bearer {TOKEN}", "OpenWOP-Version": "2.0"}
        self.connection.request("GET", "/host/events", headers=headers)
        answer = self.connection.getresponse()
        threading.Thread(target=self._listen, args=(answer,), daemon=True).start()

    def _listen(self, answer: http.client.HTTPResponse) -> None:
        with contextlib.suppress(OSError, ValueError, http.client.HTTPException):
            for line in answer:
                if line.startswith(b"data:"):
                    self.events.append(json.loads(line[5:]))

    def records(self) -> list[dict]:
        export = [self.command, "journal", "export", "--journal", self.journal]
        lines = subprocess.run(export, check=True, capture_output=True).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()
        self.gateway.close()


@contextlib.contextmanager
def running(peer: Peer | None) -> Iterator[int | None]:
    """A server of a package, behind the host."""
    if peer is None:
        yield None
        return
    port = free_port()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    where = {"port": port, "base": f"http://127.0.0.1:{port}"}
    command = [part.format(**where) for part in peer.command]
    process = subprocess.Popen(command, env=ENVIRONMENT, **quiet)
    try:
        wait_for(port, process)
        yield port
    finally:
        process.terminate()
        process.wait()
