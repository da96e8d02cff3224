"""Which version an MCP session agreed on."""

from __future__ import annotations

from collections import OrderedDict
from typing import Protocol


class Sessions(Protocol):
    """Where sessions are kept. Share one between processes that share sessions.

    A session that is not found is read as no session: its messages must then name their
    version, and are refused on the record if they do not.
    """

    async def get(self, session_id: str) -> str | None:
        """The version of a session."""

    async def put(self, session_id: str, version: str) -> None:
        """Keeps the version of a session that begins."""

    async def drop(self, session_id: str) -> None:
        """Forgets a session."""


class MemorySessions:
    """Sessions of one process; the longest unused are forgotten beyond `limit`."""

    def __init__(self, limit: int = 100_000) -> None:
        self._limit = limit
        self._versions: OrderedDict[str, str] = OrderedDict()

    async def get(self, session_id: str) -> str | None:
        version = self._versions.get(session_id)
        if version is not None:
            self._versions.move_to_end(session_id)
        return version

    async def put(self, session_id: str, version: str) -> None:
        self._versions[session_id] = version
        self._versions.move_to_end(session_id)
        while len(self._versions) > self._limit:
            self._versions.popitem(last=False)

    async def drop(self, session_id: str) -> None:
        self._versions.pop(session_id, None)
