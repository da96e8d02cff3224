"""A reverse proxy on loopback that keeps what both sides wrote, byte for byte.

One client request is one exchange. The request goes on unchanged but for
`Connection: close`, which keeps the proxy simple; what is kept is the original.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Exchange:
    label: str
    verb: str = ""
    target: str = ""
    headers: list[list[str]] = field(default_factory=list)
    body: bytes = b""
    status: int = 0
    answer_headers: list[list[str]] = field(default_factory=list)
    answer_body: bytes = b""

    def message(self) -> Any:
        return _json(self.body)

    def answers(self) -> list[Any]:
        """The JSON values of the answer: one, or one for each SSE event."""
        kind = header(self.answer_headers, "content-type") or ""
        if not kind.startswith("text/event-stream"):
            value = _json(self.answer_body)
            return [] if value is None else [value]
        lines = self.answer_body.decode("utf-8", "replace").splitlines()
        values = [_json(line[5:].strip().encode()) for line in lines if line.startswith("data:")]
        return [value for value in values if value is not None]


def header(headers: list[list[str]], name: str) -> str | None:
    return next((value for key, value in headers if key.lower() == name), None)


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return None


def _head(data: bytes) -> tuple[str, list[list[str]]]:
    first, *rest = data.decode("latin-1").rstrip("\r\n").split("\r\n")
    pairs = (line.split(":", 1) for line in rest)
    return first, [[name, value.strip(" \t")] for name, value in pairs]


def _dechunk(data: bytes) -> bytes:
    out = b""
    while data:
        size, _, data = data.partition(b"\r\n")
        length = int(size.split(b";")[0] or b"0", 16)
        if not length:
            break
        out, data = out + data[:length], data[length + 2 :]
    return out


class Recorder:
    """Listens on a free port of 127.0.0.1 and forwards to `upstream`."""

    def __init__(self, upstream: int) -> None:
        self.upstream = upstream
        self.label = ""
        # Headers that are put on every request on its way.
        self.added: list[bytes] = []
        self._exchanges: list[Exchange] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._call(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port: int = self._server.sockets[0].getsockname()[1]

    def _call(self, job: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(job, self._loop).result()

    def take(self) -> list[Exchange]:
        taken, self._exchanges = self._exchanges, []
        return taken

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._server.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            await self._exchange(reader, writer)
        writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        first, headers = _head(head)
        exchange = Exchange(self.label, *first.split(" ")[:2], headers=headers)
        raw = b""
        if length := header(headers, "content-length"):
            raw = exchange.body = await reader.readexactly(int(length))
        elif "chunked" in (header(headers, "transfer-encoding") or ""):
            while not raw.endswith(b"0\r\n\r\n"):
                raw += await reader.readuntil(b"\r\n")
            exchange.body = _dechunk(raw)
        self._exchanges.append(exchange)

        kept = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
        kept[1:1] = [b"Connection: close", *self.added]
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self.upstream)
        up_writer.write(b"\r\n".join(kept) + raw)
        pump = asyncio.ensure_future(self._answer(exchange, up_reader, writer))
        gone = asyncio.ensure_future(reader.read())  # a client that leaves ends the exchange
        await asyncio.wait({pump, gone}, return_when=asyncio.FIRST_COMPLETED)
        for task in (pump, gone):
            task.cancel()
        up_writer.close()

    async def _answer(self, exchange: Exchange, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        first, exchange.answer_headers = _head(head)
        exchange.status = int(first.split(" ")[1])
        writer.write(head)
        chunked = "chunked" in (header(exchange.answer_headers, "transfer-encoding") or "")
        raw = b""
        while data := await reader.read(65536):
            raw += data
            # Kept first: whoever sees the client done finds the whole answer here.
            exchange.answer_body = _dechunk(raw) if chunked else raw
            writer.write(data)
            await writer.drain()
